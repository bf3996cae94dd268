/* bench/bench_agent.c - routes parsed, compiled acceptance, whole cycles in process.
 * agent.cycle_10 and agent.cycle_10k take the same message through an agent with 10 and
 * with 10,000 routes: a receive hook, one eligible receiver, the tape update, one
 * sender, a send hook; the tape has 1,000 keys, the message names one. agent.signed is
 * such a cycle from one signed line to the next: read, verified, run, signed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/cycle.h"
#include "agent/identity.h"
#include "agent/value.h"
#include "bench.h"

/* ---- parse ---- */

static const char *const ROUTES[] = {
    "A --[ f ]--> B", "A,B --[f,g]--> X,Y", "/oneof(A,B) --[ f ]--> C",
    "A --> B",        "state_one",          "--[boot]--> ready",
    "/all --> done",  "/not(A,B)",
};

static void parse_routes(void *state, uint64_t n)
{
    mt_arena *a = state;
    mt_str texts[8];
    for (int i = 0; i < 8; i++) {
        texts[i] = mt_str_z(ROUTES[i]);
    }
    for (uint64_t i = 0; i < n; i++) {
        ag_route r;
        if (!(i & 1023)) {
            mt_arena_reset(a);
        }
        ag_route_parse(a, AG_PROFILE, NULL, texts[i & 7], &r, NULL);
        bench_keep(&r);
    }
}

/* ---- an agent of any size ---- */

typedef struct subject {
    mt_arena a;
    ag_agent agent;
    ag_program *program;
    ag_tape *tape;
    ag_cycle *cycle;
    mt_json payload, reply;
    mt_str keys[1000];
} subject;

/* `pairs` pairs of arrows there and back, and a sender for each. */
static void make_agent(subject *s, uint32_t pairs)
{
    uint32_t n = 2 * pairs;
    ag_receiver *receivers = mt_new_array(&s->a, ag_receiver, n);
    ag_sender *senders = mt_new_array(&s->a, ag_sender, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i / 2;
        receivers[i].text = i & 1 ? mt_strf(&s->a, "B%u --[ back%u ]--> A%u", k, k, k)
                                  : mt_strf(&s->a, "A%u --[ go%u ]--> B%u", k, k, k);
        receivers[i].parsed = !ag_route_parse(
            &s->a, AG_PROFILE, NULL, receivers[i].text, &receivers[i].route, NULL);
        senders[i].text = receivers[i].text;
        senders[i].route = receivers[i].route;
        senders[i].parsed = true;
        senders[i].has_actions = true;
        senders[i].actions = 1u << AG_MOVE;
    }
    ag_hook *hooks = mt_new_array(&s->a, ag_hook, 2);
    hooks[1].direction = AG_SEND;
    s->agent = (ag_agent){.receivers = receivers,
                          .senders = senders,
                          .hooks = hooks,
                          .receiver_count = n,
                          .sender_count = n,
                          .hook_count = 2};
    s->program = ag_program_new(&s->agent, NULL);
}

static void make_tape(subject *s, uint32_t pairs)
{
    s->tape = ag_tape_new(s->program, AG_INDEX_MANY);
    s->cycle = ag_cycle_new(s->program, s->tape);
    for (uint32_t i = 0; i < 1000; i++) {
        mt_str state = mt_strf(&s->a, "A%u", i % pairs);
        s->keys[i] = mt_strf(&s->a, "peer-%u", i);
        ag_tape_set(s->tape, s->keys[i], &state, 1);
    }
    s->payload = ag_text_value(MT_STR("hello"));
    s->reply = ag_text_value(MT_STR("moved"));
}

static subject *make_subject(uint32_t routes)
{
    subject *s = mt_xmalloc(sizeof *s);
    memset(s, 0, sizeof *s);
    make_agent(s, routes / 2);
    make_tape(s, routes / 2);
    return s;
}

static void free_subject(subject *s)
{
    ag_cycle_free(s->cycle);
    ag_tape_free(s->tape);
    ag_program_free(s->program);
    mt_arena_free(&s->a);
    free(s);
}

static void answer(void *host, const ag_call *call, ag_answer *out)
{
    const subject *s = host;
    switch (call->kind) {
    case AG_CALL_RECEIVE_HOOK:
    case AG_CALL_SEND_HOOK: out->payload = call->payload; break;
    case AG_CALL_RECEIVER: out->event = (ag_event){AG_MOVE, MT_STR("ok"), NULL}; break;
    case AG_CALL_SENDER: out->payload = &s->reply; break;
    }
}

static uint64_t emitted;

static void run_cycles(void *state, uint64_t n)
{
    subject *s = state;
    for (uint64_t i = 0; i < n; i++) {
        ag_message m = {&s->payload, &s->keys[i % 1000]};
        ag_cycle_run(s->cycle, &m, answer, s);
        emitted += ag_cycle_emissions(s->cycle);
    }
}

/* ---- signed ---- */

typedef struct talk {
    subject *s;
    mt_sign_key key;
    ag_signer us, them;
    ag_identity identity;
    ag_verifier *verifier;
    mt_buf in, out;
    mt_arena a;
} talk;

/* What they say next, wrapped as a relay does. */
static void hear_signed(talk *t, ag_inbound *in)
{
    mt_buf line = {0};
    ag_sign_message(&t->them, 1000, &t->s->payload, &line);
    mt_buf_clear(&t->in);
    mt_jw w = mt_jw_start(&t->in, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "content", mt_str_from(line.ptr, line.len - 1));
    mt_jw_key_str(&w, "remote_addr", MT_STR("127.0.0.1:1"));
    mt_jw_end_object(&w);
    mt_buf_free(&line);
    mt_arena_reset(&t->a);
    if (ag_frame_read(&t->a, AG_PROFILE, mt_buf_str(&t->in), NULL, in)) {
        MT_BUG("a line cannot be read");
    }
}

/* Their side signs, too, so an agent alone does almost a third more than is shown. */
static void run_signed(void *state, uint64_t n)
{
    talk *t = state;
    for (uint64_t i = 0; i < n; i++) {
        ag_inbound in;
        mt_str signer;
        hear_signed(t, &in);
        if (ag_verify(t->verifier, &t->a, &in, 1000, &signer)) {
            MT_BUG("a good message was refused");
        }
        ag_message m = {&in.payload, &t->s->keys[i % 1000]};
        ag_cycle_run(t->s->cycle, &m, answer, t->s);
        mt_buf_clear(&t->out);
        ag_sign_message(&t->us, 1000, ag_cycle_emission(t->s->cycle, 0), &t->out);
        bench_keep(&t->out);
    }
}

static void bench_signed(subject *s)
{
    static talk t;
    t.s = s;
    mt_sign_generate(&t.key);
    t.us = t.them =
        (ag_signer){.key = &t.key, .name = MT_STR("bench"), .room = MT_STR("")};
    memset(t.us.session, 'a', 32);
    memset(t.them.session, 'b', 32);
    t.identity = (ag_identity){.required = true, .window_ms = 1000, .room = MT_STR("")};
    t.verifier = ag_verifier_new(&t.identity);
    bench_report("agent.signed", 1e9 / bench_ns(run_signed, &t), "cycles/s", NULL, 0,
                 1e4, BENCH_HIGHER);
    ag_verifier_free(t.verifier);
    mt_buf_free(&t.in);
    mt_buf_free(&t.out);
    mt_arena_free(&t.a);
}

/* ---- compiled acceptance ---- */

static uint64_t accepted;

static void ask_gates(void *state, uint64_t n)
{
    subject *s = state;
    enum { GATES = 16, STATES = 64 };
    const ag_gate *gates[GATES];
    ag_symbol states[STATES];
    for (uint32_t i = 0; i < GATES; i++) {
        char name[16];
        snprintf(name, sizeof name, "A%u", i);
        gates[i] =
            ag_program_gate(s->program, ag_program_symbol(s->program, mt_str_z(name)));
    }
    for (uint32_t i = 0; i < STATES; i++) {
        char name[16];
        snprintf(name, sizeof name, "%c%u", i & 1 ? 'A' : 'B', i / 2);
        states[i] = ag_program_symbol(s->program, mt_str_z(name));
    }
    uint64_t yes = 0;
    for (uint64_t i = 0; i < n; i++) {
        yes += ag_gate_accepts(gates[(i >> 6) % GATES], states[i % STATES]);
    }
    accepted += yes;
    bench_keep(&accepted);
}

int main(void)
{
    mt_arena a = {0};
    bench_report("agent.parse", 1e9 / bench_ns(parse_routes, &a), "routes/s", NULL, 0,
                 8e6, BENCH_HIGHER);
    mt_arena_free(&a);
    subject *small = make_subject(10), *large = make_subject(10000);
    bench_report("agent.accepts", 1e9 / bench_ns(ask_gates, large), "questions/s", NULL,
                 0, 3e8, BENCH_HIGHER);
    double ten = 1e9 / bench_ns(run_cycles, small);
    double many = 1e9 / bench_ns(run_cycles, large);
    bench_report("agent.cycle_10", ten, "cycles/s", NULL, 0, 5e5, BENCH_HIGHER);
    bench_report("agent.cycle_10k", many, "cycles/s", "agent.cycle_10", ten, 5e5,
                 BENCH_HIGHER);
    bench_signed(small);
    if (!emitted || !accepted) {
        MT_BUG("the benchmark did no work");
    }
    free_subject(small);
    free_subject(large);
    return 0;
}
