/* api/agent.c - the public API's agents: files, and agents at work.
 *
 * A motet_agent is an agent file that was read, immutable. A motet_actor is one at
 * work: lines in, lines to send, its tape and memory, the trace of the last message.
 * Handlers outside are the embedder's function, which is asked and answers in the JSON
 * of the handler protocol (agent/handler.h), as child processes of `motet agent run`
 * are. Nothing touches a file or a clock: the time that signatures are judged by is
 * given with each line.
 *
 * Order of a message: the line is opened, its signer judged, the cycle runs, what it
 * emits is framed. Texts that are handed out live until the next call on the actor. */
#include <stdlib.h>

#include "agent/automaton.h"
#include "agent/behaviour.h"
#include "agent/dna.h"
#include "agent/handler.h"
#include "agent/harness.h"
#include "agent/message.h"
#include "agent/scenario.h"
#include "agent/ticks.h"
#include "agent/trace.h"
#include "api/api.h"
#include "base/yaml_read.h"

/* Immutable once loaded. `ds` and `messages` go
 * together, one message for each diagnostic. */
struct motet_agent {
    mt_arena arena;
    mt_diags ds;
    const motet_str *messages;
    ag_file file;
    bool read;   /* it has no faults */
    bool is_dna; /* registrations without anybody who answers */
};

/* ---- documents ---- */

/* A file with its tree; all in the arena of the
 * diagnostics, so that faults can point into it. */
typedef struct document {
    mt_str name, text;
    mt_json tree;
} document;

static void add_fault(mt_diags *ds, const document *d, const mt_json_error *e)
{
    mt_diag fault = {
        .severity = MT_ERROR, .code = "AG001", .pass = -1, .file = d->name};
    mt_json_place(d->text, e->offset, &fault.line, &fault.column);
    fault.message = mt_strf(ds->arena, "%s%s%.*s", e->message, e->detail.len ? " " : "",
                            MT_ARG(e->detail));
    mt_diag_add(ds, &fault);
}

/* YAML by its name, JSON otherwise. Everything is copied. */
static bool read_document(mt_diags *ds, const char *name, motet_str text, document *out)
{
    mt_arena *a = ds->arena;
    mt_json_error e = {0};
    out->name = mt_str_dup(a, api_in_z(name));
    out->text = mt_str_dup(a, api_in_str(text));
    bool yaml = mt_str_ends(out->name, MT_STR(".yaml")) ||
                mt_str_ends(out->name, MT_STR(".yml"));
    mt_err err = yaml ? mt_yaml_read(a, out->text, NULL, &out->tree, &e)
                      : mt_json_read(a, out->text, NULL, &out->tree, &e);
    if (err) {
        e.message = e.message ? e.message : mt_err_text(err);
        add_fault(ds, out, &e);
    }
    return !err;
}

/* By members, not by name: DNA is passed around in files of any name. */
static bool is_dna(const mt_json *tree)
{
    return mt_json_is(tree, MT_JSON_ARRAY) || mt_json_at(tree, "registrations") ||
           mt_json_at(tree, "dna");
}

static mt_str fault_text(mt_arena *a, const mt_diag *d)
{
    return mt_strf(a, "%.*s:%u:%u: %s %s: %.*s", MT_ARG(d->file), d->line, d->column,
                   mt_severity_name(d->severity), d->code, MT_ARG(d->message));
}

/* ---- agents ---- */

/* DNA and agent files come through one door:
 * who has an agent may have it in either form. */
static bool read_agent(motet_agent *g, const char *name, motet_str text)
{
    document d;
    if (!read_document(&g->ds, name, text, &d)) {
        return false;
    }
    g->is_dna = is_dna(&d.tree);
    mt_err err =
        g->is_dna
            ? ag_dna_read(&g->arena, d.name, d.text, &d.tree, &g->ds, &g->file.agent)
            : ag_file_read(&g->arena, d.name, d.text, &d.tree, &g->ds, &g->file);
    return !err;
}

/* *out is set in every case: a refused agent has the messages. */
motet_status motet_agent_load(motet_str text, const char *name, motet_agent **out)
{
    motet_agent *g = *out = mt_xmalloc(sizeof *g);
    *g = (motet_agent){0};
    g->ds = (mt_diags){.arena = &g->arena, .limit = MT_LIMITS_DEFAULT.diagnostics};
    g->read = read_agent(g, name, text);
    motet_str *messages = mt_new_array(&g->arena, motet_str, g->ds.len + 1);
    for (size_t i = 0; i < g->ds.len; i++) {
        messages[i] = api_out_str(fault_text(&g->arena, &g->ds.items[i]));
    }
    g->messages = messages;
    return g->read ? MOTET_OK : MOTET_E_REJECTED;
}

void motet_agent_free(motet_agent *g)
{
    if (g) {
        mt_arena_free(&g->arena);
        free(g);
    }
}

motet_str motet_agent_message(const motet_agent *g, size_t index)
{
    if (!g) {
        return (motet_str){"", 0};
    }
    return index < g->ds.len ? g->messages[index] : (motet_str){"", 0};
}

/* ---- what can be asked ---- */

/* ORDER of FORMS, PICTURES, MODES, ANSWERS:
 * indexes into them; 0 is what nobody asked for. */
typedef struct agent_options {
    int form, format, mode, answers;
} agent_options;

static const char *const FORMS[] = {"profile", "sdk", NULL};
static const char *const PICTURES[] = {"json", "dot", "mermaid", NULL};
static const char *const MODES[] = {"profile", "compat", NULL};
static const char *const ANSWERS[] = {"forward", "reverse", "shuffled", NULL};

static const mt_form_row DNA[] = {
    MT_FORM_CHOICE(agent_options, form, "form", FORMS, 0)};
static const mt_form_row DRAW[] = {
    MT_FORM_CHOICE(agent_options, format, "format", PICTURES, 0)};
static const mt_form_row HARNESS[] = {
    MT_FORM_CHOICE(agent_options, mode, "mode", MODES, 0)};
static const mt_form_row TRACE[] = {
    MT_FORM_CHOICE(agent_options, answers, "answers", ANSWERS, 0)};

/* Files of handlers are the machine's; what they hold is not stated here. */
static mt_err no_digest(void *host, const ag_group *group, uint32_t index, mt_str *out)
{
    (void)host;
    (void)group;
    (void)index;
    *out = (mt_str){0};
    return MT_OK;
}

static int show_dna(const motet_agent *g, const agent_options *o, aw_reply *r)
{
    ag_file file = g->file;
    if (!g->is_dna && ag_behaviour_of(&r->arena, &file, no_digest, NULL)) {
        return aw_fail(r, AW_FAILS, "its behaviour cannot be stated");
    }
    ag_dna_write(&r->arena, &file.agent, (ag_dna_form)o->form, &r->text);
    mt_buf_addc(&r->text, '\n');
    return AW_HOLDS;
}

static int draw(const motet_agent *g, const agent_options *o, aw_reply *r)
{
    static void (*const WRITERS[])(mt_buf *, const mt_picture *) = {
        mt_picture_json, mt_picture_dot, mt_picture_mermaid};
    mt_picture p = ag_draw_automaton(&r->arena, &g->file, NULL);
    WRITERS[o->format](&r->text, &p);
    return AW_HOLDS;
}

static const struct command {
    const char *name;
    int (*run)(const motet_agent *g, const agent_options *o, aw_reply *r);
    const mt_form_row *rows;
    size_t count;
} COMMANDS[] = {
    {"dna", show_dna, DNA, mt_form_count(DNA)},
    {"draw", draw, DRAW, mt_form_count(DRAW)},
};

/* An agent that was refused answers every command
 * with its messages, after the options were read. */
motet_status motet_agent_ask(const motet_agent *agent, const char *command,
                             motet_str options, motet_answer **out)
{
    aw_reply r = {0};
    agent_options o = {0};
    const struct command *row = NULL;
    for (size_t i = 0; command && i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        row = strcmp(command, COMMANDS[i].name) == 0 ? &COMMANDS[i] : row;
    }
    int code =
        !agent || !row
            ? aw_fail(&r, AW_USAGE, "there is no %s", agent ? "such command" : "agent")
            : api_options_read(options, row->rows, row->count, &o, &r);
    for (size_t i = 0; !code && !agent->read && i < agent->ds.len; i++) {
        aw_fail(&r, AW_FAILS, "%.*s", (int)agent->messages[i].len,
                agent->messages[i].ptr);
    }
    code = !code && !agent->read ? AW_FAILS : code;
    code = code ? code : row->run(agent, &o, &r);
    return api_answer(&r, code, out);
}

/* ---- texts ---- */

/* One question a line, one answer a line; empty lines are passed over. */
motet_status motet_agent_harness(motet_str questions, motet_str options,
                                 motet_answer **out)
{
    aw_reply r = {0};
    agent_options o = {0};
    mt_str rest = api_in_str(questions);
    int code = api_options_read(options, HARNESS, mt_form_count(HARNESS), &o, &r);
    while (!code && rest.len) {
        mt_str line = mt_str_from(rest.ptr, mt_str_find(rest, '\n'));
        rest = mt_str_skip(rest, line.len + 1);
        if (line.len) {
            ag_harness_line(o.mode ? AG_COMPAT : AG_PROFILE, line, &r.text);
        }
    }
    return api_answer(&r, code, out);
}

/* The scenario, and the agent file that it names, which is looked for beside it. What
 * the provider gives is copied before it is asked for the next one. */
static int read_scenario(const motet_provider *p, const char *path, mt_diags *ds,
                         ag_scenario *out, aw_reply *r)
{
    document d[2];
    motet_str text = {0};
    motet_str name = api_out_str(api_in_z(path));
    size_t count = 1;
    if (p->read(p->user, name, &text)) {
        return aw_fail(r, AW_WORLD, "cannot read %s", name.ptr);
    }
    if (!read_document(ds, path, text, &d[0])) {
        return AW_FAILS;
    }
    mt_str agent = ag_scenario_agent(&d[0].tree);
    if (agent.len) {
        mt_str beside = mt_path_join(ds->arena, mt_path_dir(d[0].name), agent);
        count = 2;
        if (p->read(p->user, api_out_str(beside), &text)) {
            return aw_fail(r, AW_WORLD, "cannot read %.*s", MT_ARG(beside));
        }
        if (!read_document(ds, beside.ptr, text, &d[1])) {
            return AW_FAILS;
        }
    }
    return ag_scenario_read(ds->arena, d[0].name, d[0].text, &d[0].tree,
                            d[count - 1].name, d[count - 1].text,
                            count == 2 ? &d[1].tree : NULL, ds, out)
               ? AW_FAILS
               : AW_HOLDS;
}

/* The provider is asked twice at most: for the scenario and for its agent. Nothing of
 * the machine is used, so one scenario has one trace. */
motet_status motet_agent_trace(const motet_provider *provider, const char *scenario,
                               motet_str options, motet_answer **out)
{
    aw_reply r = {0};
    agent_options o = {0};
    motet_provider p;
    ag_scenario s;
    mt_diags ds = {.arena = &r.arena, .limit = MT_LIMITS_DEFAULT.diagnostics};
    motet_status status = provider ? API_TAKE(&p, provider) : MOTET_E_USAGE;
    int code = status || !p.read
                   ? aw_fail(&r, AW_USAGE, "there is no provider")
                   : api_options_read(options, TRACE, mt_form_count(TRACE), &o, &r);
    code = code ? code : read_scenario(&p, scenario, &ds, &s, &r);
    for (size_t i = 0; i < ds.len; i++) {
        aw_fail(&r, code, "%.*s", MT_ARG(fault_text(&r.arena, &ds.items[i])));
    }
    if (!code) {
        ag_scenario_run(&s, NULL, (ag_answers)o.answers, NULL, NULL, &r.text);
    }
    return api_answer(&r, code, out);
}

/* ---- an agent at work ---- */

struct motet_actor {
    const motet_agent *agent; /* shared, borrowed */
    motet_handlers handlers;  /* a copy; call NULL: calls outside fail */
    ag_actor *actor;
    ag_ticks *ticks; /* clocks of timed senders */
    mt_arena arena;  /* of the last message, answers of handlers too */
    int64_t next_id; /* of calls outside */
    uint32_t number; /* of messages */
    mt_buf question, sends, trace, text, message;
};

/* `why` is copied, so it may live in the message's arena. */
static motet_status fail(motet_actor *x, motet_status status, const char *why)
{
    mt_buf_clear(&x->message);
    mt_buf_addz(&x->message, why);
    return status;
}

/* An actor that was refused exists as well, to say
 * why; it answers MOTET_E_CLOSED to all lines. */
motet_status motet_actor_new(const motet_agent *agent, const motet_handlers *handlers,
                             motet_actor **out)
{
    motet_actor *x = *out = mt_xmalloc(sizeof *x);
    *x = (motet_actor){.agent = agent};
    motet_status status = handlers ? API_TAKE(&x->handlers, handlers) : MOTET_OK;
    if (status) {
        return fail(x, status, "the handlers do not say their size");
    }
    if (!agent || !agent->read || agent->is_dna) {
        return fail(x, MOTET_E_REJECTED,
                    agent && agent->read
                        ? "DNA says what is registered, not who answers: it cannot work"
                        : "the agent was refused");
    }
    x->actor = ag_actor_new(&agent->file, NULL);
    x->ticks = ag_ticks_new(&agent->file, x->actor);
    return MOTET_OK;
}

void motet_actor_free(motet_actor *x)
{
    if (!x) {
        return;
    }
    ag_ticks_free(x->ticks);
    if (x->actor) {
        ag_actor_free(x->actor);
    }
    mt_buf *buffers[] = {&x->question, &x->sends, &x->trace, &x->text, &x->message};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        mt_buf_free(buffers[i]);
    }
    mt_arena_free(&x->arena);
    free(x);
}

/* What the function said, as an answer; everything lives with the
 * message. NULL: it is one; otherwise why the call fails. Members
 * that are not known are allowed: a program may be newer. */
static const char *take_reply(motet_actor *x, const ag_call *call, motet_str said,
                              ag_answer *answer)
{
    mt_buf wrong = {0};
    mt_json *tree = mt_new(&x->arena, mt_json);
    ag_reply reply = {.action = AG_NONE};
    mt_form form = {.arena = &x->arena,
                    .what = "an answer",
                    .report = mt_form_join,
                    .state = &wrong,
                    .unknown = MT_FORM_ALLOWED};
    const char *failed = NULL;
    if (mt_json_read(&x->arena, mt_str_dup(&x->arena, api_in_str(said)), NULL, tree,
                     NULL)) {
        failed = "the handler's answer is not JSON";
    } else if (!ag_reply_read(&form, tree, &reply)) {
        failed =
            mt_strf(&x->arena, "the handler's answer: %.*s", MT_ARG(mt_buf_str(&wrong)))
                .ptr;
    } else if (reply.error.len) {
        failed = mt_str_dup(&x->arena, reply.error).ptr;
    } else {
        ag_reply_answer(call, &reply, answer);
    }
    mt_buf_free(&wrong);
    return failed;
}

/* The engine's question to the embedder's function, during a
 * message or a tick. What fails here is written into the answer;
 * what follows from it is for the cycle to say (agent/cycle.h). */
static void call_outside(void *host, const ag_call *call, ag_answer *answer)
{
    motet_actor *x = host;
    const ag_binding *b = ag_binding_of(&x->agent->file, call);
    motet_str said = {0};
    if (!x->handlers.call || !b->group) {
        answer->failed = "nobody answers this call";
        return;
    }
    mt_buf_clear(&x->question);
    ag_call_write(&x->question, call, b->function, ++x->next_id, (mt_str){0});
    answer->failed =
        x->handlers.call(x->handlers.user, api_out_str(mt_buf_str(&x->question)), &said)
            ? take_reply(x, call, said, answer)
            : "the handler failed";
}

static mt_json text_node(mt_str text)
{
    return (mt_json){.type = MT_JSON_STRING,
                     .count = (uint32_t)text.len,
                     .as.text = text.ptr ? text.ptr : ""};
}

/* What handlers see: {"content":P,"remote_addr":A} of what a relay brought, as agents
 * in other languages do; a line that named nobody is itself. */
static void as_payload(mt_arena *a, const ag_inbound *in, mt_str signer, mt_json *out)
{
    mt_json_member *members = mt_new_array(a, mt_json_member, 3);
    members[0] = (mt_json_member){MT_STR("content"), in->payload};
    members[1] = (mt_json_member){MT_STR("remote_addr"), text_node(in->address)};
    members[2] = (mt_json_member){MT_STR("signer"), text_node(signer)};
    *out = !in->relayed ? in->payload
                        : (mt_json){.type = MT_JSON_OBJECT,
                                    .count = signer.ptr ? 3 : 2,
                                    .as.members = members};
}

/* The tape is written down before the calls change it, as the trace shows both. */
static void run_message(motet_actor *x, const mt_json *payload)
{
    mt_str before;
    mt_arena tape = {0};
    const ag_cycle *cycle = ag_actor_cycle(x->actor);
    ag_actor_begin(x->actor, payload);
    before = ag_trace_tape(&tape, ag_actor_tape(x->actor));
    ag_actor_calls(x->actor, call_outside, x);
    ag_trace_message(&x->trace, ++x->number, before, ag_actor_program(x->actor), cycle,
                     ag_actor_tape(x->actor));
    ag_actor_end(x->actor);
    for (uint32_t i = 0; i < ag_cycle_emissions(cycle); i++) {
        ag_frame_message(&x->sends, ag_cycle_emission(cycle, i));
    }
    mt_arena_free(&tape);
}

/* What the message before has left is cleared first,
 * so that a refused line leaves nothing to send. */
motet_status motet_actor_receive(motet_actor *x, motet_str line, int64_t now_ms)
{
    if (!x) {
        return MOTET_E_USAGE;
    }
    ag_inbound in;
    mt_str signer = {0};
    mt_json_limits limits = {.bytes = MT_LIMITS_DEFAULT.agent_message_bytes};
    if (!x->actor) {
        return MOTET_E_CLOSED; /* the message still says why */
    }
    mt_arena_reset(&x->arena);
    mt_buf_clear(&x->sends);
    mt_buf_clear(&x->trace);
    mt_buf_clear(&x->message);
    mt_err err = ag_frame_read(&x->arena, x->agent->file.agent.mode,
                               mt_str_dup(&x->arena, api_in_str(line)), &limits, &in);
    if (err) {
        return fail(x, (motet_status)err, mt_err_text(err));
    }
    const char *why = ag_actor_verify(x->actor, &x->arena, &in, now_ms, &signer);
    if (why) {
        return fail(x, MOTET_E_DENIED, why);
    }
    mt_json *payload = mt_new(&x->arena, mt_json);
    as_payload(&x->arena, &in, signer, payload);
    run_message(x, payload);
    return MOTET_OK;
}

/* ---- timed senders ---- */

/* Each timed sender begins with an empty arena, as a message does. */
static void tick_begin(void *state)
{
    mt_arena_reset(&((motet_actor *)state)->arena);
}

static void tick_emit(void *state, const ag_sender *sender, const mt_json *out)
{
    motet_actor *x = state;
    (void)sender;
    ag_frame_message(&x->sends, out);
}

/* One that fails says nothing; the others go on. */
static void tick_failed(void *state, const char *what, const char *why)
{
    motet_actor *x = state;
    mt_buf_addf(&x->message, "%s%s failed%s%s", x->message.len ? "; " : "", what,
                why ? ": " : "", why ? why : "");
}

/* *next_ms is set in every case: a caller that waits for it without a look at the
 * status waits for nothing (-1), and not for what was on its stack. */
motet_status motet_actor_tick(motet_actor *x, int64_t now_ms, int64_t *next_ms)
{
    ag_tick_host host = {.state = x,
                         .begin = tick_begin,
                         .call = call_outside,
                         .emit = tick_emit,
                         .failed = tick_failed};
    bool fired;
    *next_ms = -1;
    if (!x || !x->actor) {
        return x ? MOTET_E_CLOSED : MOTET_E_USAGE;
    }
    mt_buf_clear(&x->sends);
    mt_buf_clear(&x->message);
    *next_ms = ag_ticks_run(x->ticks, now_ms, &x->arena, &host, &fired);
    return x->message.len ? MOTET_E_REJECTED : MOTET_OK;
}

motet_str motet_actor_sends(const motet_actor *x)
{
    if (!x) {
        return (motet_str){"", 0};
    }
    return api_out_str(mt_buf_str(&x->sends));
}

motet_str motet_actor_trace(const motet_actor *x)
{
    if (!x) {
        return (motet_str){"", 0};
    }
    return api_out_str(mt_buf_str(&x->trace));
}

motet_str motet_actor_message(const motet_actor *x)
{
    if (!x) {
        return (motet_str){"", 0};
    }
    return api_out_str(mt_buf_str(&x->message));
}

motet_str motet_actor_tape(motet_actor *x)
{
    if (!x) {
        return (motet_str){"", 0};
    }
    mt_buf_clear(&x->text);
    if (x->actor) {
        mt_jw w = mt_jw_start(&x->text, false);
        ag_tape_write(ag_actor_tape(x->actor), &w);
    }
    return api_out_str(mt_buf_str(&x->text));
}

motet_str motet_actor_state(motet_actor *x)
{
    if (!x) {
        return (motet_str){"", 0};
    }
    mt_buf_clear(&x->text);
    if (x->actor) {
        ag_actor_save(x->actor, &x->text);
    }
    return api_out_str(mt_buf_str(&x->text));
}

/* An actor that failed to take a state up is not to be used, so it is made anew. */
motet_status motet_actor_restore(motet_actor *x, motet_str state)
{
    if (!x) {
        return MOTET_E_USAGE;
    }
    mt_arena a = {0};
    mt_json tree;
    if (!x->actor) {
        return MOTET_E_CLOSED;
    }
    mt_err err = mt_json_read(&a, mt_str_dup(&a, api_in_str(state)), NULL, &tree, NULL);
    ag_actor *fresh = ag_actor_new(&x->agent->file, NULL);
    err = err ? err : ag_actor_load(fresh, &tree);
    ag_actor_free(err ? fresh : x->actor);
    if (!err) {
        x->actor = fresh;
        ag_ticks_free(x->ticks);
        x->ticks = ag_ticks_new(&x->agent->file, fresh);
    }
    mt_arena_free(&a);
    return err ? fail(x, (motet_status)err, "this is not the state of such an agent")
               : MOTET_OK;
}
