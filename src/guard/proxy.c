/* guard/proxy.c - between a client and another MCP server, both of which speak lines.
 * Room: guard.
 * One loop: the client's lines, the other server's, and the clock. A request of the
 * client goes on under a number of ours; what answers that number is given back under
 * the client's id, once. A call of a tool is decided first, and its effects are
 * committed before its result is given back. What the other server asks of the client
 * (sampling, roots, elicitation) gets an id of ours, too.
 *
 * The other server is not trusted to keep the protocol: an answer to a number that
 * nobody waits for (a second one, one that was made up) is dropped and told; so is what
 * is not a message. If it ends, or says nothing for too long, the client gets an error,
 * and a call that was under way is one whose outcome is unknown; an answer that comes
 * late after all still settles it.
 *
 * INVARIANT: a tool is called only after gd_begin() said so. Every flight is told to
 * the client once, or it was cancelled. What may fail: the store; then calls are
 * refused, and others pass. */
#include "guard/guard.h"

#include "guard/connect.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/vec.h"
#include "os/clock.h"

enum {
    CHUNK = 64 << 10,
    TOOL_NAME_MOST = 800, /* as in a map */
    FLIGHTS_MOST = 1024,
    QUESTIONS_MOST = 256,
    TOOLS_SEEN_MOST = 10000,
    STOP_MS = 2000,
    ANSWER_MS = 1000,
    WAKE_MS = 1000
};

typedef enum what { PLAIN, LIST, CALL } what;

/* A request of the client that the other server has. */
typedef struct flight {
    mt_arena arena;
    uint64_t number;
    mt_str id; /* the client's, as JSON */
    what what;
    mc_revision revision;
    mt_str call, tool; /* CALL; call empty: nothing is to be ended */
    mt_str meta;       /* CALL that has ended: members of `_meta` */
    uint64_t timeout_ms;
    int64_t due_ms; /* INT64_MAX: it was given up already */
    bool told;      /* the client has its answer, or wants none */
} flight;

/* A request of the other server that the client has. */
typedef struct question {
    uint64_t number;
    char *id; /* the other server's, as JSON */
} question;

typedef struct proxy {
    const gd_options *o;
    os_child *child; /* NULL: it has ended */
    int exit_status;
    uint64_t last; /* number given */
    flight **flights;
    size_t flight_count;
    question questions[QUESTIONS_MOST];
    size_t question_count;
    mt_buf waiting;  /* of the client, read and not yet taken */
    size_t taken;    /* of it */
    bool too_long;   /* the line that is being read is dropped */
    mt_buf upstream; /* to be written to the other server */
    size_t written;
    bool client_gone, client_deaf;
    mt_arena keep;
    mt_map seen; /* tool -> its definition's hash when it was first listed */
    size_t seen_count;
} proxy;

static const mc_server SERVER = {MT_STR_INIT("motet guard"), MT_STR_INIT("1")};

#define SAY(p, ...) os_say((p)->o->report, (p)->o->report_state, __VA_ARGS__)

/* A name that a stranger gave, as a terminal may be shown it. */
static mt_str shown(mt_arena *a, mt_str name)
{
    mt_buf out = {0};
    mt_json_show(&out, name);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* ---- To the client ---- */

/* A client that is gone hears nothing; what it asked for is settled all the same. */
static void tell(proxy *p, mt_buf *line)
{
    mt_buf_addc(line, '\n');
    for (mt_str rest = mt_buf_str(line); rest.len && !p->client_deaf;) {
        ssize_t n = write(p->o->out, rest.ptr, rest.len);
        if (n < 0 && errno == EAGAIN) { /* somebody made the pipe not block */
            (void)poll(&(struct pollfd){.fd = p->o->out, .events = POLLOUT}, 1, -1);
        } else if (n < 0 && errno != EINTR) {
            p->client_deaf = p->client_gone = true;
        }
        rest = mt_str_skip(rest, n > 0 ? (size_t)n : 0);
    }
    mt_buf_free(line);
}

static void tell_fault(proxy *p, mc_message *m, mc_fault fault, mt_str why)
{
    mt_buf line = {0};
    m->kind = MC_REQUEST;
    mc_spoil(m, fault, why, (mt_str){0});
    mc_refuse(&line, m);
    tell(p, &line);
}

/* A result that is an error: for whoever called the tool, not about the protocol. */
static void tell_refusal(proxy *p, const mc_message *m, mt_str words, mt_str problem,
                         mt_str more)
{
    mt_buf line = {0}, members = {0}, meta = {0};
    mt_buf_addz(&members, "\"content\":[{\"type\":\"text\",\"text\":");
    mt_json_quote(&members, words);
    mt_buf_addz(&members, "}],\"isError\":true");
    if (problem.len) {
        mt_buf_addz(&meta, "\"motet/problem\":");
        mt_buf_adds(&meta, problem);
        mt_buf_addz(&meta, more.len ? "," : "");
    }
    mt_buf_adds(&meta, more);
    mc_result r = {"complete", mt_buf_str(&members), mt_buf_str(&meta)};
    mc_answer(&line, &SERVER, m, &r);
    tell(p, &line);
    mt_buf_free(&members);
    mt_buf_free(&meta);
}

/* ---- Flights ---- */

/* The caller has made room. The time counts from now, and may be set anew by the tool's
 * own. */
static flight *fly(proxy *p, const mc_envelope *e, what kind)
{
    flight *f = mt_xmalloc(sizeof *f);
    *f = (flight){.number = ++p->last, .what = kind, .revision = e->m.revision};
    f->id = mt_str_dup(&f->arena, e->m.id);
    f->timeout_ms = p->o->desk->map->timeout_ms;
    f->due_ms = os_now_ms() + (int64_t)f->timeout_ms;
    p->flights[p->flight_count++] = f;
    return f;
}

/* The last one takes its place, so a walk that lands one looks at the same place
 * again. */
static void land(proxy *p, size_t at)
{
    mt_arena arena = p->flights[at]->arena;
    free(p->flights[at]);
    mt_arena_free(&arena);
    p->flights[at] = p->flights[--p->flight_count];
}

/* By the client's id, which may be used again once it was answered: those are passed
 * over. */
static flight *flight_of(proxy *p, mt_str id)
{
    for (size_t i = 0; i < p->flight_count; i++) {
        if (!p->flights[i]->told && mt_str_eq(p->flights[i]->id, id)) {
            return p->flights[i];
        }
    }
    return NULL;
}

/* What we wrote is a number without a sign or a zero before it. */
static size_t number_of(const proxy *p, mt_str id)
{
    char text[24];
    for (size_t i = 0; i < p->flight_count; i++) {
        int len = snprintf(text, sizeof text, "%llu",
                           (unsigned long long)p->flights[i]->number);
        if (mt_str_eq(id, mt_str_from(text, (size_t)len))) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* What an answer is made for: only id, revision and whether it is a call count. */
static mc_message message_of(const flight *f)
{
    return (mc_message){.kind = MC_REQUEST,
                        .id = f->id,
                        .revision = f->revision,
                        .method = f->what == CALL ? MC_TOOLS_CALL : MC_TOOLS_LIST};
}

/* Its number, as JSON. */
static void send(proxy *p, mt_str text, const mt_json *all, uint64_t number)
{
    char id[24];
    int len = snprintf(id, sizeof id, "%llu", (unsigned long long)number);
    gd_with_id(&p->upstream, text, all, mt_str_from(id, (size_t)len));
    mt_buf_addc(&p->upstream, '\n');
}

static void send_plain(proxy *p, mt_str text)
{
    if (p->child) {
        mt_buf_adds(&p->upstream, text);
        mt_buf_addc(&p->upstream, '\n');
    }
}

/* ---- What did not go well ---- */

/* Nothing for a flight that is not a call, or has no call open. */
static void end_unknown(proxy *p, flight *f, const char *why)
{
    gd_ended told;
    gd_end_of e = {.call = f->call,
                   .tool = f->tool,
                   .ended = EX_ENDED_UNKNOWN,
                   .why = mt_str_z(why)};
    if (f->call.len) {
        (void)gd_end(p->o->desk, &f->arena, &e, &told);
        f->meta = told.meta;
        SAY(p, "call %.*s of tool %.*s: outcome_unknown, %s", MT_ARG(f->call),
            MT_ARG(shown(&f->arena, f->tool)), why);
    }
}

/* A call gets a result that is an error, which the agent reads; other requests an error
 * of the protocol. One that the client has already heard of, or cancelled, is only
 * marked. */
static void tell_failed(proxy *p, flight *f, const char *why)
{
    mt_arena a = {0};
    mc_message m = message_of(f);
    if (!f->told && f->what == CALL && f->call.len) {
        mt_str words = mt_strf(&a,
                               "It is not known whether this was done: %s. It is not "
                               "tried again by itself. Call %.*s waits until somebody "
                               "who can find out says: motet guard resolve %.*s",
                               why, MT_ARG(f->call), MT_ARG(f->call));
        tell_refusal(p, &m, words, (mt_str){0}, f->meta);
    } else if (!f->told && f->what == CALL) {
        tell_refusal(p, &m, mt_str_z(why), (mt_str){0}, f->meta);
    } else if (!f->told) {
        tell_fault(p, &m, MC_INTERNAL, mt_str_z(why));
    }
    f->told = true;
    mt_arena_free(&a);
}

/* The other server has ended, or is to end: nothing more comes of what it has. */
static void lose_upstream(proxy *p, const char *why)
{
    if (!p->child) {
        return;
    }
    (void)os_child_stop(p->child, 0, &p->exit_status);
    os_child_free(p->child);
    p->child = NULL;
    SAY(p, "%s", why);
    while (p->flight_count) {
        flight *f = p->flights[0];
        if (f->due_ms != INT64_MAX) { /* else its end is known to be unknown */
            end_unknown(p, f, why);
        }
        tell_failed(p, f, why);
        land(p, 0);
    }
}

/* Those that were given up keep their flight: see make_room(). */
static void give_up_late(proxy *p, int64_t now)
{
    mt_arena a = {0};
    for (size_t i = 0; i < p->flight_count;) {
        flight *f = p->flights[i];
        if (f->due_ms > now) {
            i++;
            continue;
        }
        mt_str why = mt_strf(&a, "the server did not answer within %llu ms",
                             (unsigned long long)f->timeout_ms);
        end_unknown(p, f, why.ptr);
        tell_failed(p, f, why.ptr);
        f->due_ms = INT64_MAX; /* an answer that comes late settles it */
        i++;
    }
    mt_arena_free(&a);
}

/* ---- What the client sends ---- */

/* NULL: it is there. */
static const char *ended_words(const proxy *p)
{
    return p->child ? NULL : "the server behind the guard has ended";
}

/* A request that was given up waits for an answer that comes late; where there is no
 * room any more, the one that has waited longest does not. */
static void make_room(proxy *p)
{
    size_t oldest = SIZE_MAX;
    for (size_t i = 0; p->flight_count == FLIGHTS_MOST && i < p->flight_count; i++) {
        bool given_up = p->flights[i]->due_ms == INT64_MAX;
        if (given_up && (oldest == SIZE_MAX ||
                         p->flights[i]->number < p->flights[oldest]->number)) {
            oldest = i;
        }
    }
    if (oldest != SIZE_MAX) {
        land(p, oldest);
    }
}

/* True: it cannot be passed on, and the client was told. */
static bool refused_request(proxy *p, mc_envelope *e)
{
    if (flight_of(p, e->m.id)) {
        tell_fault(p, &e->m, MC_NOT_A_MESSAGE,
                   MT_STR("`id` is that of a request which is not answered yet"));
        return true;
    }
    make_room(p);
    bool slow = p->upstream.len - p->written > p->o->upstream_bytes;
    const char *why = ended_words(p);
    why = why                               ? why
          : p->flight_count == FLIGHTS_MOST ? "the server behind the guard has not "
                                              "answered 1024 requests yet; this one "
                                              "was not sent: try again later"
          : slow ? "the server behind the guard does not read what it is sent; this "
                   "request was not sent"
                 : NULL;
    if (why) {
        tell_fault(p, &e->m, MC_INTERNAL, mt_str_z(why));
    }
    return why != NULL;
}

/* Checked before it is decided, so that what is decided about is what a server would
 * read. */
static bool refused_params(proxy *p, mc_envelope *e)
{
    const mt_json *name = mt_json_at(e->params, "name");
    const mt_json *arguments = mt_json_at(e->params, "arguments");
    size_t len = mt_json_text(name).len;
    bool bad = !mt_json_is(name, MT_JSON_STRING) || !len || len > TOOL_NAME_MOST ||
               (arguments && !mt_json_is(arguments, MT_JSON_OBJECT));
    if (bad) {
        tell_fault(p, &e->m, MC_BAD_PARAMS,
                   MT_STR("`name` must be text of 1 to 800 bytes and `arguments` an "
                          "object"));
    }
    return bad;
}

/* Decided first; the record is durable before a byte of it goes on. */
static void take_call(proxy *p, mt_arena *a, mt_str text, mc_envelope *e)
{
    const mt_json *arguments = mt_json_at(e->params, "arguments");
    gd_call c = {.tool = mt_json_text(mt_json_at(e->params, "name")),
                 .arguments = arguments,
                 .raw = arguments ? gd_raw(text, arguments) : (mt_str){0}};
    if (refused_params(p, e) || refused_request(p, e)) {
        return;
    }
    gd_decision d = gd_begin(p->o->desk, a, &c);
    if (d.refused && d.goes_on) {
        SAY(p, "observed: tool %.*s: %.*s", MT_ARG(shown(a, c.tool)), MT_ARG(d.words));
    }
    if (!d.goes_on) {
        e->m.method = MC_TOOLS_CALL;
        tell_refusal(p, &e->m, d.words, d.problem, d.meta);
        return;
    }
    flight *f = fly(p, e, CALL);
    f->call = mt_str_dup(&f->arena, d.call);
    f->tool = mt_str_dup(&f->arena, c.tool);
    const gd_tool *t = gd_map_tool(p->o->desk->map, c.tool);
    if (t && t->timeout_ms) {
        f->timeout_ms = t->timeout_ms;
        f->due_ms = os_now_ms() + (int64_t)f->timeout_ms;
    }
    send(p, text, e->all, f->number);
}

static void take_request(proxy *p, mt_arena *a, mt_str text, mc_envelope *e)
{
    if (mt_str_is(e->method, "tools/call")) {
        take_call(p, a, text, e);
    } else if (!refused_request(p, e)) {
        bool list = mt_str_is(e->method, "tools/list");
        flight *f = fly(p, e, list ? LIST : PLAIN);
        send(p, text, e->all, f->number);
    }
}

/* What it refers to is called by our number there. Who cancels a call is not answered;
 * what became of it is still to be found out. */
static void take_cancelled(proxy *p, mt_str text, const mc_envelope *e)
{
    const mt_json *about = mt_json_at(e->params, "requestId");
    flight *f = about ? flight_of(p, gd_raw(text, about)) : NULL;
    mt_buf params = {0};
    char id[24];
    if (!f || !p->child) {
        return; /* answered already, or never asked */
    }
    int len = snprintf(id, sizeof id, "%llu", (unsigned long long)f->number);
    gd_copy(&params, text, e->params, "requestId", mt_str_from(id, (size_t)len));
    gd_copy(&p->upstream, text, e->all, "params", mt_buf_str(&params));
    mt_buf_addc(&p->upstream, '\n');
    mt_buf_free(&params);
    f->told = true;
}

/* The client's id for a question is "motet-N". */
static size_t question_of(const proxy *p, mt_str id)
{
    char text[40];
    for (size_t i = 0; i < p->question_count; i++) {
        int len = snprintf(text, sizeof text, "\"motet-%llu\"",
                           (unsigned long long)p->questions[i].number);
        if (mt_str_eq(id, mt_str_from(text, (size_t)len))) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void forget_question(proxy *p, size_t at)
{
    free(p->questions[at].id);
    p->questions[at] = p->questions[--p->question_count];
}

/* The client answers what the other server asked, under the id that we gave it. */
static void take_answer(proxy *p, mt_str text, const mc_envelope *e)
{
    size_t at = question_of(p, e->m.id);
    if (at == SIZE_MAX) {
        SAY(p, "the client answered what nobody asked it; dropped");
        return;
    }
    if (p->child) {
        gd_with_id(&p->upstream, text, e->all, mt_str_z(p->questions[at].id));
        mt_buf_addc(&p->upstream, '\n');
    }
    forget_question(p, at);
}

/* A member that some servers take for another one, because they do not look at the case
 * of its letters: they would do something else than what is decided here. */
static void spoil_twins(mt_arena *a, mc_envelope *e)
{
    static const char *const ALL[] = {"jsonrpc", "id",    "method", "params",
                                      "result",  "error", NULL};
    static const char *const CALL_PARAMS[] = {"name", "arguments", "_meta", "task",
                                              NULL};
    mt_str twin = gd_twin_of(e->all, ALL);
    if (!twin.len && mt_str_is(e->method, "tools/call")) {
        twin = gd_twin_of(e->params, CALL_PARAMS);
    }
    if (gd_is_twin(e->method, MT_STR("tools/call")) ||
        mt_str_find(e->method, '\0') < e->method.len) {
        twin = e->method;
    }
    if (e->m.kind != MC_FAULTY && twin.len) {
        mc_spoil(
            &e->m, MC_NOT_A_MESSAGE,
            mt_strf(a, "`%.*s` is not how that is written", MT_ARG(shown(a, twin))),
            (mt_str){0});
        e->m.kind = MC_FAULTY;
    }
}

/* Nobody calls a tool without an id: some servers would do it all the same. */
static void take_notification(proxy *p, mt_str text, mc_envelope *e)
{
    if (mt_str_is(e->method, "notifications/cancelled")) {
        take_cancelled(p, text, e);
    } else if (mt_str_starts(e->method, MT_STR("notifications/"))) {
        send_plain(p, text);
    } else {
        tell_fault(p, &e->m, MC_NOT_A_MESSAGE, MT_STR("a request has an `id`"));
    }
}

static void hear_client(proxy *p, mt_str text)
{
    mt_arena a = {0};
    mc_envelope e;
    mt_json_limits limits = {p->o->client_bytes, p->o->depth};
    mc_open(&a, text, &limits, &e);
    spoil_twins(&a, &e);
    text = gd_one_line(&a, text);
    switch (e.m.kind) {
    case MC_REQUEST: take_request(p, &a, text, &e); break;
    case MC_NOTIFICATION: take_notification(p, text, &e); break;
    case MC_RESPONSE: take_answer(p, text, &e); break;
    case MC_FAULTY: {
        mt_buf line = {0};
        mc_refuse(&line, &e.m);
        tell(p, &line);
        break;
    }
    }
    mt_arena_free(&a);
}

static void take_line(proxy *p, mt_str line)
{
    mt_str text = mt_str_trim(line, MT_STR(" \t\r"));
    bool rest_of_long = p->too_long;
    p->too_long = false;
    if (text.len && !rest_of_long) {
        hear_client(p, text);
    }
}

/* Takes one line of what was read, so that the other server is at work on one call
 * while the next is decided. The last may lack its end. False: there is no whole line.
 */
static bool take_next(proxy *p)
{
    mt_str rest = mt_str_skip(mt_buf_str(&p->waiting), p->taken);
    size_t end = mt_str_find(rest, '\n');
    if (end < rest.len || (p->client_gone && rest.len)) {
        p->taken += end < rest.len ? end + 1 : rest.len;
        take_line(p, mt_str_from(rest.ptr, end));
        return true;
    }
    if (rest.len > p->o->client_bytes) { /* refused as it is, then dropped */
        if (!p->too_long) {
            hear_client(p, rest);
        }
        p->too_long = true;
        rest.len = 0;
    }
    if (rest.len && p->taken) {
        memmove(p->waiting.ptr, rest.ptr, rest.len);
    }
    p->waiting.len = rest.len;
    p->taken = 0;
    return false;
}

static void read_client(proxy *p)
{
    if (!mt_buf_room(&p->waiting, CHUNK)) {
        p->client_gone = true;
        return;
    }
    ssize_t n = read(p->o->in, p->waiting.ptr + p->waiting.len, CHUNK);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
        p->client_gone = true;
        return;
    }
    p->waiting.len += n > 0 ? (size_t)n : 0;
}

/* ---- What the other server sends: lists ---- */

/* A tool whose description changes is one that the agent was told something else about
 * before. */
static void note_tool(proxy *p, mt_str name, mt_str definition)
{
    bool added;
    mt_sha256 hash = mt_sha256_of(definition);
    uintptr_t short_hash;
    memcpy(&short_hash, hash.bytes, sizeof short_hash);
    if (p->seen_count >= TOOLS_SEEN_MOST) {
        return;
    }
    mt_map_entry *e =
        mt_map_add(&p->keep, &p->seen, mt_str_dup(&p->keep, name), &added);
    if (!added && e->value != short_hash) {
        SAY(p, "tool %.*s is described otherwise than when it was first listed",
            MT_ARG(shown(&p->keep, name)));
    }
    p->seen_count += added;
    e->value = short_hash;
}

/* Tools that can never be allowed are not shown: an agent that does not see a tool does
 * not try it. While observing everything is shown. */
static bool is_listed(const proxy *p, mt_str name)
{
    const gd_desk *d = p->o->desk;
    const gd_tool *t = gd_map_tool(d->map, name);
    return d->observes || (t ? !t->never : d->map->unmapped != 0);
}

/* Only what the persona may ever use. */
static void give_list(proxy *p, const flight *f, mt_str text, const mc_envelope *e)
{
    const mt_json *tools = mt_json_at(e->result, "tools");
    mt_buf list = {0}, result = {0}, line = {0};
    const char *gap = "";
    mt_buf_addc(&list, '[');
    for (uint32_t i = 0; mt_json_is(tools, MT_JSON_ARRAY) && i < tools->count; i++) {
        mt_str name = mt_text_at(&tools->as.items[i], "name");
        mt_str definition = gd_raw(text, &tools->as.items[i]);
        note_tool(p, name, definition);
        if (is_listed(p, name)) {
            mt_buf_addz(&list, gap);
            mt_buf_adds(&list, definition);
            gap = ",";
        }
    }
    mt_buf_addc(&list, ']');
    gd_copy(&result, text, e->result, "tools", mt_buf_str(&list));
    mt_buf_addz(&line, "{\"id\":");
    mt_buf_adds(&line, f->id);
    mt_buf_addz(&line, ",\"jsonrpc\":\"2.0\",\"result\":");
    mt_buf_adds(&line, mt_buf_str(&result));
    mt_buf_addc(&line, '}');
    tell(p, &line);
    mt_buf_free(&list);
    mt_buf_free(&result);
}

/* ---- What the other server sends: results ---- */

static bool is_true(const mt_json *v)
{
    return mt_json_is(v, MT_JSON_BOOL) && v->boolean;
}

/* What became of the call, by the result. */
static gd_end_of end_of(const proxy *p, const flight *f, mt_str text,
                        const mc_envelope *e)
{
    const gd_tool *t = gd_map_tool(p->o->desk->map, f->tool);
    mt_str type = mt_text_at(e->result, "resultType");
    const mt_json *said = e->result ? e->result : e->error;
    gd_end_of end = {.call = f->call,
                     .tool = f->tool,
                     .raw = gd_raw(text, said),
                     .result = e->result,
                     .ended = EX_ENDED_DONE};
    mt_str known = mt_text_at(mt_json_at(e->error, "data"), GD_UNKNOWN_KEY);
    bool error = e->error || is_true(mt_json_at(e->result, "isError"));
    if (mt_str_is(known, GD_UNKNOWN)) {
        end.ended = EX_ENDED_UNKNOWN;
        end.why = MT_STR("it broke off on its way");
    } else if (mt_str_is(type, "task") || mt_json_at(e->result, "task")) {
        end.ended = EX_ENDED_UNKNOWN;
        end.why = MT_STR("the tool goes on as a task");
    } else if (mt_str_is(type, "input_required")) {
        end.ended = EX_ENDED_FAILED;
        end.why = MT_STR("the tool asks for input first");
    } else if (error && !(t && t->result.on_error.len && !e->error)) {
        end.ended = EX_ENDED_FAILED;
        end.why = MT_STR("the tool says that it failed");
    } else if (error) {
        end.outcome = t->result.on_error;
    }
    return end;
}

/* Settled before the client hears of it. */
static void settle(proxy *p, flight *f, mt_str text, const mc_envelope *e)
{
    gd_ended told;
    gd_end_of end = end_of(p, f, text, e);
    if (!f->call.len) {
        return;
    }
    if (!gd_end(p->o->desk, &f->arena, &end, &told)) {
        SAY(p, "call %.*s of tool %.*s: %.*s", MT_ARG(f->call),
            MT_ARG(shown(&f->arena, f->tool)), MT_ARG(told.words));
    }
    f->meta = told.meta;
}

/* The answer as it came, with the client's id; what was recorded is in its `_meta`. */
static void give_result(proxy *p, const flight *f, mt_str text, const mc_envelope *e)
{
    mt_buf line = {0};
    mt_buf_addc(&line, '{');
    for (uint32_t i = 0; i < e->all->count; i++) {
        const mt_json_member *m = &e->all->as.members[i];
        mt_buf_addz(&line, i ? "," : "");
        mt_json_quote(&line, m->key);
        mt_buf_addc(&line, ':');
        if (mt_str_is(m->key, "id")) {
            mt_buf_adds(&line, f->id);
        } else if (mt_str_is(m->key, "result") && f->call.len) {
            gd_with_meta(&line, text, &m->value, f->meta);
        } else {
            mt_buf_adds(&line, gd_raw(text, &m->value));
        }
    }
    mt_buf_addc(&line, '}');
    tell(p, &line);
}

/* Settled even where the client was told before: an answer that comes late says what
 * became of the call. */
static void take_result(proxy *p, mt_str text, const mc_envelope *e)
{
    size_t at = number_of(p, e->m.id);
    if (at == SIZE_MAX || !!e->result == !!e->error) {
        SAY(p, "the server answered %s; dropped",
            at == SIZE_MAX ? "what nobody waits for" : "with a result and an error");
        return;
    }
    flight *f = p->flights[at];
    if (f->what == CALL) {
        settle(p, f, text, e);
    }
    if (!f->told && f->what == LIST && mt_json_is(e->result, MT_JSON_OBJECT)) {
        give_list(p, f, text, e);
    } else if (!f->told) {
        give_result(p, f, text, e);
    }
    land(p, at);
}

/* ---- What the other server sends: questions ---- */

static void take_question(proxy *p, mt_str text, const mc_envelope *e)
{
    mt_buf line = {0};
    char id[40];
    if (p->question_count == QUESTIONS_MOST) {
        SAY(p, "the server asks the client for too much at once; dropped");
        return;
    }
    question *q = &p->questions[p->question_count++];
    q->number = ++p->last;
    q->id = mt_xmalloc(e->m.id.len + 1);
    memcpy(q->id, e->m.id.ptr, e->m.id.len);
    q->id[e->m.id.len] = '\0';
    int len = snprintf(id, sizeof id, "\"motet-%llu\"", (unsigned long long)q->number);
    gd_with_id(&line, text, e->all, mt_str_from(id, (size_t)len));
    tell(p, &line);
}

/* The server does not want an answer any more. */
static void take_withdrawn(proxy *p, mt_str text, const mc_envelope *e)
{
    const mt_json *about = mt_json_at(e->params, "requestId");
    mt_str id = about ? gd_raw(text, about) : (mt_str){0};
    for (size_t i = 0; i < p->question_count; i++) {
        if (mt_str_eq(mt_str_z(p->questions[i].id), id)) {
            mt_buf params = {0}, line = {0};
            char ours[40];
            int len = snprintf(ours, sizeof ours, "\"motet-%llu\"",
                               (unsigned long long)p->questions[i].number);
            gd_copy(&params, text, e->params, "requestId",
                    mt_str_from(ours, (size_t)len));
            gd_copy(&line, text, e->all, "params", mt_buf_str(&params));
            tell(p, &line);
            mt_buf_free(&params);
            forget_question(p, i);
            return;
        }
    }
}

static void hear_upstream(proxy *p, mt_str line)
{
    mt_arena a = {0};
    mc_envelope e;
    mt_str text = mt_str_trim(line, MT_STR(" \t\r"));
    mt_json_limits limits = {p->o->upstream_bytes, p->o->depth};
    mt_buf out = {0};
    if (!text.len) {
        return;
    }
    mc_open(&a, text, &limits, &e);
    text = gd_one_line(&a, text);
    switch (e.m.kind) {
    case MC_REQUEST: take_question(p, text, &e); break;
    case MC_NOTIFICATION:
        if (mt_str_is(e.method, "notifications/cancelled")) {
            take_withdrawn(p, text, &e);
        } else {
            mt_buf_adds(&out, text);
            tell(p, &out);
        }
        break;
    case MC_RESPONSE: take_result(p, text, &e); break;
    case MC_FAULTY:
        SAY(p, "the server said what is not a message (%.*s); dropped",
            MT_ARG(e.m.why));
        break;
    }
    mt_arena_free(&a);
}

/* ---- The loop ---- */

static void read_upstream(proxy *p)
{
    mt_str line;
    mt_err err = MT_OK;
    while (p->child && !(err = os_child_read_line(p->child, 0, &line))) {
        hear_upstream(p, line);
    }
    if (p->child && err == MT_E_LIMIT) {
        lose_upstream(p, "the server's message is too long; it was ended");
    } else if (p->child && err != MT_E_TIMEOUT) {
        lose_upstream(p, "the server behind the guard has ended");
    }
}

static void write_upstream(proxy *p)
{
    size_t put = 0;
    mt_str rest = mt_str_skip(mt_buf_str(&p->upstream), p->written);
    if (!p->child || !rest.len) {
        return;
    }
    mt_err err = os_child_write_some(p->child, rest, &put);
    p->written += put;
    if (p->written == p->upstream.len) {
        mt_buf_clear(&p->upstream);
        p->written = 0;
    }
    if (err) { /* what it still has to say is read first */
        mt_buf_clear(&p->upstream);
        p->written = 0;
    }
}

/* Until the next flight is due, at most WAKE_MS: told to stop, the loop sees it by
 * then. */
static int wait_ms(const proxy *p, int64_t now)
{
    int64_t next = now + WAKE_MS;
    for (size_t i = 0; i < p->flight_count; i++) {
        next = p->flights[i]->due_ms < next ? p->flights[i]->due_ms : next;
    }
    return next > now ? (int)(next - now) : 0;
}

/* ORDER: one line of the client, then what the other server has to be sent, then
 * whoever is ready, then the clock. */
static void turn(proxy *p)
{
    bool more = take_next(p);
    write_upstream(p);
    bool writes = p->child && p->written < p->upstream.len;
    struct pollfd fds[] = {
        {p->client_gone || more ? -1 : p->o->in, POLLIN, 0},
        {p->child ? os_child_fd(p->child) : -1, POLLIN, 0},
        {p->child ? os_child_stderr_fd(p->child) : -1, POLLIN, 0},
        {writes ? os_child_stdin_fd(p->child) : -1, POLLOUT, 0},
    };
    int ready = poll(fds, 4, more ? 0 : wait_ms(p, os_now_ms()));
    if (ready > 0 && (fds[1].revents || fds[2].revents)) {
        read_upstream(p);
    }
    if (ready > 0 && fds[0].revents) {
        read_client(p);
    }
    write_upstream(p);
    give_up_late(p, os_now_ms());
}

static bool has_calls(const proxy *p)
{
    for (size_t i = 0; i < p->flight_count; i++) {
        if (p->flights[i]->what == CALL && p->flights[i]->due_ms != INT64_MAX) {
            return true;
        }
    }
    return false;
}

/* Other requests than calls of tools that the client still waits for. */
static bool has_questions(const proxy *p)
{
    for (size_t i = 0; i < p->flight_count; i++) {
        if (p->flights[i]->what != CALL && !p->flights[i]->told) {
            return true;
        }
    }
    return false;
}

/* What is under way when the client goes has a moment to come to its end; other
 * requests than calls have a shorter one: a stream of news never ends. */
static void run(proxy *p)
{
    while ((!p->client_gone || p->taken < p->waiting.len) && !*p->o->stop) {
        turn(p);
    }
    int64_t now = os_now_ms(), until = now + p->o->grace_ms, soon = now + ANSWER_MS;
    p->client_gone = true;
    for (; p->child && now < until && !*p->o->stop; now = os_now_ms()) {
        if (!has_calls(p) && !(has_questions(p) && now < soon)) {
            break;
        }
        turn(p);
    }
}

/* With calls still open it is not waited for: they are unknown, and said to be so. */
static void finish(proxy *p)
{
    if (p->child) {
        os_child_close_stdin(p->child);
        (void)os_child_stop(p->child, has_calls(p) ? 0 : STOP_MS, &p->exit_status);
    }
    if (p->flight_count) {
        lose_upstream(p, "the guard has ended");
    }
    os_child_free(p->child);
    while (p->question_count) {
        forget_question(p, p->question_count - 1);
    }
    free(p->flights);
    mt_buf_free(&p->waiting);
    mt_buf_free(&p->upstream);
    mt_arena_free(&p->keep);
}

mt_err gd_serve(const gd_options *o)
{
    proxy *p = mt_xmalloc(sizeof *p);
    *p = (proxy){.o = o};
    os_child_options child = {
        .argv = o->command, .wants_stdin = true, .max_line = o->upstream_bytes};
    mt_err err = os_child_start(&child, &p->child);
    if (!err) {
        p->flights = mt_xmalloc(FLIGHTS_MOST * sizeof *p->flights);
        run(p);
        finish(p);
    }
    free(p);
    return err;
}
