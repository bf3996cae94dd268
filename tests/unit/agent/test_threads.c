/* agent/cycle: the same trace bytes whoever answers first, with 1 and with 8 threads.
 * A crowd of receivers and senders on many keys; each handler's answer depends on its
 * call alone, and threads answer in whatever order they are scheduled. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/trace.h"
#include "agent/value.h"
#include "tests_random.h"

enum { ROUTES = 24, KEYS = 8, MESSAGES = 5, THREADS = 8 };

typedef struct crowd {
    mt_arena a;
    ag_agent agent;
    ag_program *program;
} crowd;

static void random_route_text(mt_buf *out)
{
    static const char *const FORMS[] = {"/all", "/not(N1,N2)", "/oneof(N0,N3,N5)"};
    mt_buf_clear(out);
    if (random_below(10)) {
        uint32_t form = random_below(12);
        if (form < 3) {
            mt_buf_addz(out, FORMS[form]);
        } else {
            mt_buf_addf(out, "N%u", random_below(8));
        }
    }
    mt_buf_addf(out, "--[f%u]-->N%u", random_below(4), random_below(8));
}

static void make_crowd(crowd *c, ag_mode mode)
{
    mt_buf text = {0};
    ag_receiver *receivers = mt_new_array(&c->a, ag_receiver, ROUTES);
    ag_sender *senders = mt_new_array(&c->a, ag_sender, ROUTES);
    for (uint32_t i = 0; i < ROUTES; i++) {
        int64_t *priority = mt_new_array(&c->a, int64_t, 1);
        priority[0] = random_below(3);
        random_route_text(&text);
        receivers[i].name = mt_strf(&c->a, "r%u", i);
        receivers[i].text = mt_str_dup(&c->a, mt_buf_str(&text));
        receivers[i].priority = (ag_priority){priority, random_below(2)};
        receivers[i].parsed = !ag_route_parse(&c->a, mode, NULL, receivers[i].text,
                                              &receivers[i].route, NULL);
        random_route_text(&text);
        senders[i].name = mt_strf(&c->a, "s%u", i);
        senders[i].text = mt_str_dup(&c->a, mt_buf_str(&text));
        senders[i].parsed = !ag_route_parse(&c->a, mode, NULL, senders[i].text,
                                            &senders[i].route, NULL);
        senders[i].has_actions = true;
        senders[i].actions = (uint8_t)(1u << (AG_TEST + random_below(3)));
        senders[i].multi = random_below(4) == 0;
    }
    mt_buf_free(&text);
    c->agent = (ag_agent){.name = MT_STR("crowd"),
                          .mode = mode,
                          .receivers = receivers,
                          .senders = senders,
                          .receiver_count = ROUTES,
                          .sender_count = ROUTES};
    c->program = ag_program_new(&c->agent, NULL);
}

/* Depends on the call alone. */
static void answer_of(const ag_call *call, const mt_json *reply, ag_answer *out)
{
    uint32_t mix = call->index * 31 + (uint32_t)call->key.len * 7 +
                   (uint32_t)call->state.len + call->id;
    if (call->kind == AG_CALL_SENDER) {
        out->payload = reply;
        out->failed = mix % 17 == 0 ? "unlucky" : NULL;
        return;
    }
    static const ag_action ACTIONS[] = {AG_TEST, AG_STAY, AG_MOVE, AG_MOVE, AG_NONE};
    out->event = (ag_event){ACTIONS[mix % 5], MT_STR("ok"), NULL};
    out->failed = mix % 23 == 0 ? "unlucky" : NULL;
}

typedef struct work {
    ag_cycle *cycle;
    const ag_call *calls;
    uint32_t count, next;
    const mt_json *reply;
    pthread_mutex_t lock;
} work;

static void *worker(void *host)
{
    work *w = host;
    for (;;) {
        pthread_mutex_lock(&w->lock);
        uint32_t mine = w->next < w->count ? w->next++ : UINT32_MAX;
        pthread_mutex_unlock(&w->lock);
        if (mine == UINT32_MAX) {
            return NULL;
        }
        ag_answer answer = {0};
        const ag_call call = w->calls[mine];
        answer_of(&call, w->reply, &answer);
        if (mine % 3 == 0) {
            sched_yield(); /* let others overtake */
        }
        pthread_mutex_lock(&w->lock);
        ag_cycle_answer(w->cycle, call.id, &answer);
        pthread_mutex_unlock(&w->lock);
    }
}

static void run_stage(work *w, int threads)
{
    pthread_t pool[THREADS];
    w->next = 0;
    for (int i = 0; i < threads; i++) {
        assert_int_equal(pthread_create(&pool[i], NULL, worker, w), 0);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(pool[i], NULL);
    }
}

static void set_start(const crowd *c, ag_tape *t)
{
    (void)c;
    for (uint32_t k = 0; k < KEYS; k++) {
        char key[8], state[8];
        snprintf(key, sizeof key, "k%u", (k * 7) % KEYS);
        snprintf(state, sizeof state, "N%u", k % 8);
        mt_str one = mt_str_z(state);
        ag_tape_set(t, mt_str_z(key), &one, 1);
    }
}

static mt_str trace_with(crowd *c, int threads)
{
    ag_tape *t = ag_tape_new(c->program, AG_INDEX_MANY);
    ag_cycle *cycle = ag_cycle_new(c->program, t);
    mt_buf out = {0};
    mt_json payload = ag_text_value(MT_STR("m")), reply = ag_text_value(MT_STR("r"));
    work w = {.cycle = cycle, .reply = &reply, .lock = PTHREAD_MUTEX_INITIALIZER};
    set_start(c, t);
    ag_trace_begin(&out, &c->agent, AG_INDEX_MANY);
    for (uint32_t m = 1; m <= MESSAGES; m++) {
        mt_str before = ag_trace_tape(&c->a, t);
        ag_cycle_begin(cycle, &(ag_message){.payload = &payload});
        while ((w.count = ag_cycle_due(cycle, &w.calls))) {
            run_stage(&w, threads);
        }
        ag_trace_message(&out, m, before, c->program, cycle, t);
    }
    ag_trace_end(&out, t, MESSAGES);
    mt_str kept = mt_str_dup(&c->a, mt_buf_str(&out));
    mt_buf_free(&out);
    ag_cycle_free(cycle);
    ag_tape_free(t);
    return kept;
}

static void same_bytes(ag_mode mode)
{
    crowd c = {0};
    random_start();
    make_crowd(&c, mode);
    mt_str one = trace_with(&c, 1);
    assert_true(one.len > 5000);
    for (int i = 0; i < 3; i++) {
        mt_str eight = trace_with(&c, THREADS);
        assert_true(mt_str_eq(one, eight));
    }
    ag_program_free(c.program);
    mt_arena_free(&c.a);
}

static void profile_traces_are_the_same_with_1_and_8_threads(void **state)
{
    (void)state;
    same_bytes(AG_PROFILE);
}

static void compat_traces_are_the_same_with_1_and_8_threads(void **state)
{
    (void)state;
    same_bytes(AG_COMPAT);
}

/* ---- the index finds what a scan would find ---- */

static void answer_test(void *host, const ag_call *call, ag_answer *out)
{
    (void)host;
    (void)call;
    out->event = (ag_event){AG_TEST, MT_STR("ok"), NULL};
}

static void answer_move(void *host, const ag_call *call, ag_answer *out)
{
    (void)host;
    (void)call;
    out->event = (ag_event){AG_MOVE, MT_STR("ok"), NULL};
}

static uint32_t scanned(const crowd *c, const ag_tape *t, mt_arena *a)
{
    uint32_t found = 0;
    size_t keys, states;
    const mt_str *names = ag_tape_key_list(t, a, &keys);
    for (uint32_t i = 0; i < ROUTES; i++) {
        const ag_route *r = &c->agent.receivers[i].route;
        found += ag_route_is_initial(r);
        for (size_t k = 0; k < keys; k++) {
            const mt_str *texts = ag_tape_states(t, a, names[k], &states);
            for (size_t s = 0; s < states; s++) {
                ag_node node;
                bool eligible = false;
                ag_node_parse(a, AG_PROFILE, texts[s], &node, NULL);
                for (uint32_t g = 0; g < r->count[AG_SOURCE]; g++) {
                    eligible |= ag_accepts(AG_PROFILE, &r->nodes[g], &node);
                }
                found += eligible;
            }
        }
    }
    return found;
}

static void the_index_finds_what_a_scan_finds(void **state)
{
    (void)state;
    random_start();
    for (int round = 0; round < 50; round++) {
        crowd c = {0};
        make_crowd(&c, AG_PROFILE);
        ag_tape *t = ag_tape_new(c.program, AG_INDEX_MANY);
        ag_cycle *cycle = ag_cycle_new(c.program, t);
        set_start(&c, t);
        mt_str strange[] = {MT_STR("/not(Z)"), MT_STR("stranger"), MT_STR("/all")};
        ag_tape_set(t, MT_STR("odd"), strange, 3);
        uint32_t want = scanned(&c, t, &c.a);
        ag_cycle_run(cycle, &(ag_message){0}, answer_test, NULL);
        assert_int_equal(ag_cycle_record(cycle).activation_count, want);
        ag_cycle_free(cycle);
        ag_tape_free(t);
        ag_program_free(c.program);
        mt_arena_free(&c.a);
    }
}

/* 100,000 keys on the tape, one of them of interest: the cycle must not look at all. */
static void a_large_tape_costs_nothing(void **state)
{
    (void)state;
    mt_arena a = {0};
    ag_receiver r = {.name = MT_STR("r"), .parsed = true};
    assert_int_equal(
        ag_route_parse(&a, AG_PROFILE, NULL, MT_STR("wanted-->wanted"), &r.route, NULL),
        MT_OK);
    ag_agent agent = {.receivers = &r, .receiver_count = 1};
    ag_program *p = ag_program_new(&agent, NULL);
    ag_tape *t = ag_tape_new(p, AG_INDEX_MANY);
    ag_cycle *c = ag_cycle_new(p, t);
    for (uint32_t i = 0; i < 100000; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%u", i);
        mt_str text = i == 77777 ? MT_STR("wanted") : MT_STR("other");
        assert_int_equal(ag_tape_set(t, mt_str_z(key), &text, 1), MT_OK);
    }
    for (int i = 0; i < 20000; i++) { /* a scan would take 2e9 steps */
        ag_cycle_run(c, &(ag_message){0}, answer_test, NULL);
        mt_str wanted = MT_STR("wanted");
        assert_int_equal(ag_cycle_record(c).activation_count, 1);
        assert_string_equal(ag_cycle_record(c).activations[0].key.ptr, "k77777");
        ag_tape_set(t, MT_STR("k77777"), &wanted, 1);
    }
    ag_tape_remove(t, MT_STR("k77777"));
    ag_cycle_run(c, &(ag_message){0}, answer_test, NULL);
    assert_int_equal(ag_cycle_record(c).activation_count, 0);
    assert_int_equal(ag_tape_keys(t), 99999);
    ag_cycle_free(c);
    ag_tape_free(t);
    ag_program_free(p);
    mt_arena_free(&a);
}

static void assert_keys(const ag_tape *t, const bool *held, uint32_t count)
{
    char key[16];
    size_t total = 0;
    for (uint32_t k = 0; k < count; k++) {
        snprintf(key, sizeof key, "key%u", k);
        assert_int_equal(ag_tape_has(t, mt_str_z(key)), held[k]);
        total += held[k];
    }
    assert_int_equal(ag_tape_keys(t), total);
}

/* Keys come and go in any order; each that is held is found, no other is. Few cells,
 * so that keys share their homes and the end of the table is crossed. */
static void a_key_is_found_whatever_was_removed_before(void **state)
{
    (void)state;
    enum { FEW = 11, ROUNDS = 4000 };
    mt_str wanted = MT_STR("wanted");
    ag_agent agent = {.rule = AG_ADD};
    ag_program *p = ag_program_new(&agent, NULL);
    ag_tape *t = ag_tape_new(p, AG_INDEX_MANY);
    bool held[FEW] = {0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        char key[16];
        uint32_t k = random_below(FEW);
        snprintf(key, sizeof key, "key%u", k);
        held[k] = random_below(2);
        if (held[k]) {
            assert_int_equal(ag_tape_set(t, mt_str_z(key), &wanted, 1), MT_OK);
        } else {
            ag_tape_remove(t, mt_str_z(key));
        }
        assert_keys(t, held, FEW);
    }
    ag_tape_free(t);
    ag_program_free(p);
}

/* Four states after the message: a limit of four holds them, three does not. */
static void the_limit_of_a_tape_is_exact(void **state)
{
    (void)state;
    mt_arena a = {0};
    ag_receiver r = {.name = MT_STR("r"), .parsed = true};
    assert_int_equal(
        ag_route_parse(&a, AG_PROFILE, NULL, MT_STR("A--[f,g,h]-->A"), &r.route, NULL),
        MT_OK);
    ag_agent agent = {.receivers = &r, .receiver_count = 1, .rule = AG_ADD};
    mt_str start[] = {MT_STR("A"), MT_STR("f"), MT_STR("g"), MT_STR("h")};
    for (uint32_t most = 3; most <= 5; most++) {
        mt_limits limits = MT_LIMITS_DEFAULT;
        limits.agent_tape_nodes = most;
        ag_program *p = ag_program_new(&agent, &limits);
        ag_tape *t = ag_tape_new(p, AG_MANY);
        ag_cycle *c = ag_cycle_new(p, t);
        assert_int_equal(ag_tape_set(t, AG_LIST, start, 4),
                         most < 4 ? MT_E_LIMIT : MT_OK);
        assert_int_equal(ag_tape_set(t, AG_LIST, start, 1), MT_OK);
        ag_cycle_run(c, &(ag_message){0}, answer_move, NULL);
        assert_int_equal(ag_cycle_fate(c), most < 4 ? AG_OVER_LIMIT : AG_FINISHED);
        assert_int_equal(ag_tape_size(t), most < 4 ? 1 : 4);
        ag_cycle_free(c);
        ag_tape_free(t);
        ag_program_free(p);
    }
    mt_arena_free(&a);
}

/* Three receivers hear one state: a limit of three lets them, two does not. */
static void the_limit_of_activations_is_exact(void **state)
{
    (void)state;
    mt_arena a = {0};
    ag_receiver r[3] = {{.name = MT_STR("x"), .parsed = true},
                        {.name = MT_STR("y"), .parsed = true},
                        {.name = MT_STR("z"), .parsed = true}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ag_route_parse(&a, AG_PROFILE, NULL, MT_STR("A--[f]-->A"),
                                        &r[i].route, NULL),
                         MT_OK);
    }
    ag_agent agent = {.receivers = r, .receiver_count = 3, .rule = AG_ADD};
    mt_str start = MT_STR("A");
    for (uint32_t most = 2; most <= 4; most++) {
        mt_limits limits = MT_LIMITS_DEFAULT;
        limits.agent_activations = most;
        ag_program *p = ag_program_new(&agent, &limits);
        ag_tape *t = ag_tape_new(p, AG_MANY);
        ag_cycle *c = ag_cycle_new(p, t);
        assert_int_equal(ag_tape_set(t, AG_LIST, &start, 1), MT_OK);
        ag_cycle_run(c, &(ag_message){0}, answer_test, NULL);
        assert_int_equal(ag_cycle_fate(c), most < 3 ? AG_OVER_LIMIT : AG_FINISHED);
        if (most < 3) {
            assert_string_equal(ag_cycle_record(c).limit, "agent_activations");
        }
        ag_cycle_free(c);
        ag_tape_free(t);
        ag_program_free(p);
    }
    mt_arena_free(&a);
}

static void answer_three(void *host, const ag_call *call, ag_answer *out)
{
    (void)call;
    out->payload = host;
}

/* Three senders at every message: a limit of three lets them. And one that sends a
 * list of three. */
static void the_limit_of_emissions_is_exact(void **state)
{
    (void)state;
    static mt_json words[3] = {
        {.type = MT_JSON_BOOL}, {.type = MT_JSON_BOOL}, {.type = MT_JSON_BOOL}};
    static mt_json list = {.type = MT_JSON_ARRAY, .count = 3, .as.items = words};
    ag_sender senders[3] = {
        {.name = MT_STR("x")}, {.name = MT_STR("y")}, {.name = MT_STR("z")}};
    ag_sender many = {.name = MT_STR("m"), .multi = true};
    for (uint32_t most = 2; most <= 4; most++) {
        for (int at_once = 0; at_once < 2; at_once++) {
            ag_agent agent = {.mode = AG_COMPAT,
                              .senders = at_once ? &many : senders,
                              .sender_count = at_once ? 1 : 3};
            mt_limits limits = MT_LIMITS_DEFAULT;
            limits.agent_emissions = most;
            ag_program *p = ag_program_new(&agent, &limits);
            ag_tape *t = ag_tape_new(p, AG_MANY);
            ag_cycle *c = ag_cycle_new(p, t);
            ag_cycle_run(c, &(ag_message){0}, answer_three, at_once ? &list : words);
            uint32_t sent = ag_cycle_record(c).emission_count;
            assert_int_equal(sent, most < 3 ? most : 3);
            assert_int_equal(ag_cycle_record(c).send_count, at_once ? 1 : sent);
            assert_int_equal(ag_cycle_record(c).limit != NULL, most < 3);
            ag_cycle_free(c);
            ag_tape_free(t);
            ag_program_free(p);
        }
    }
}

static void tape_growth_is_limited(void **state)
{
    (void)state;
    mt_arena a = {0};
    ag_receiver r = {.name = MT_STR("r"), .parsed = true};
    assert_int_equal(
        ag_route_parse(&a, AG_PROFILE, NULL, MT_STR("A--[f,g,h]-->A"), &r.route, NULL),
        MT_OK);
    ag_agent agent = {.receivers = &r, .receiver_count = 1, .rule = AG_ADD};
    mt_limits limits = MT_LIMITS_DEFAULT;
    limits.agent_tape_nodes = 3;
    ag_program *p = ag_program_new(&agent, &limits);
    ag_tape *t = ag_tape_new(p, AG_MANY);
    ag_cycle *c = ag_cycle_new(p, t);
    mt_str start[] = {MT_STR("A"), MT_STR("f"), MT_STR("g"), MT_STR("h")};
    assert_int_equal(ag_tape_set(t, AG_LIST, start, 4), MT_E_LIMIT);
    assert_int_equal(ag_tape_set(t, AG_LIST, start, 1), MT_OK);
    ag_cycle_begin(c, &(ag_message){0});
    const ag_call *calls;
    assert_int_equal(ag_cycle_due(c, &calls), 1);
    ag_cycle_answer(c, 0, &(ag_answer){.event = {AG_MOVE, MT_STR("ok"), NULL}});
    assert_int_equal(ag_cycle_due(c, &calls), 0);
    assert_int_equal(ag_cycle_fate(c), AG_OVER_LIMIT);
    assert_string_equal(ag_cycle_record(c).limit, "agent_tape_nodes");
    assert_int_equal(ag_tape_size(t), 1);
    ag_cycle_free(c);
    ag_tape_free(t);
    ag_program_free(p);
    mt_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_traces_are_the_same_with_1_and_8_threads),
        cmocka_unit_test(compat_traces_are_the_same_with_1_and_8_threads),
        cmocka_unit_test(the_index_finds_what_a_scan_finds),
        cmocka_unit_test(a_large_tape_costs_nothing),
        cmocka_unit_test(tape_growth_is_limited),
        cmocka_unit_test(a_key_is_found_whatever_was_removed_before),
        cmocka_unit_test(the_limit_of_a_tape_is_exact),
        cmocka_unit_test(the_limit_of_activations_is_exact),
        cmocka_unit_test(the_limit_of_emissions_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
