/* host/graph_ingress.c - events from a fixture or from a driver.
 *
 * A fixture is JSON lines: episode starts and events, read from memory or a file line
 * by line, so its length does not matter; ids that are left out are numbered. A driver
 * is a child process that says hello, then events, then end, and exits (protocol
 * ergo-driver.v0).
 *
 * Whatever is not as it should be ends the source: HO_INGRESS_BROKEN with a code and a
 * sentence, and from then on always. An event lives until the next call. For a driver
 * the caller gives a timeout, so that it can look at signals and idle work meanwhile.
 */
#include "host/graph_ingress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/process.h"

enum { HELLO_MS = 5000, EXIT_MS = 5000 };

#define PROTOCOL "ergo-driver.v0"

struct ho_ingress {
    mt_arena arena; /* the current event */
    mt_arena fault_arena;
    ho_ingress_fault fault;
    /* fixture */
    mt_str rest;
    FILE *file; /* NULL: the text */
    char *line; /* of the file */
    size_t line_room;
    size_t line_number;
    bool with_adapter;
    uint64_t events, episodes,
        events_in_episode; /* ids that are left out are numbered by these */
    bool broken;           /* `fault` says why, and stays */
    /* process */
    os_child *child;
    bool said_hello;
};

static ho_ingress_result broken(ho_ingress *in, const char *code, const char *format,
                                ...) __attribute__((format(printf, 3, 4)));

static ho_ingress_result broken(ho_ingress *in, const char *code, const char *format,
                                ...)
{
    va_list args;
    va_start(args, format);
    mt_arena_reset(&in->fault_arena);
    in->fault = (ho_ingress_fault){code, mt_strfv(&in->fault_arena, format, args)};
    va_end(args);
    in->broken = true;
    return HO_INGRESS_BROKEN;
}

/* The first member that is none of `names`, or NULL. */
static const mt_json_member *unknown_member(const mt_json *object, const mt_str *names,
                                            size_t count)
{
    for (uint32_t i = 0; i < object->count; i++) {
        bool known = false;
        for (size_t n = 0; n < count && !known; n++) {
            known = mt_str_eq(object->as.members[i].key, names[n]);
        }
        if (!known) {
            return &object->as.members[i];
        }
    }
    return NULL;
}

static const mt_json *text_member(const mt_json *object, mt_str key, mt_str *out)
{
    const mt_json *node = mt_json_get(object, key);
    *out = mt_json_is(node, MT_JSON_STRING) ? mt_json_text(node) : (mt_str){0};
    return node;
}

static const mt_json *payload_of(const mt_json *event)
{
    const mt_json *payload = mt_json_at(event, "payload");
    return mt_json_is(payload, MT_JSON_NULL) ? NULL : payload;
}

/* ---- fixture ---- */

static ho_ingress_result fixture_fault(ho_ingress *in, const char *code,
                                       const char *message)
{
    return broken(in, code, "line %zu: %s", in->line_number, message);
}

/* Unknown fields are refused: a misspelt one would change what a test means. */
static ho_ingress_result fixture_event(ho_ingress *in, const mt_json *node,
                                       ho_graph_event *event)
{
    static const mt_str FIELDS[] = {MT_STR_INIT("type"), MT_STR_INIT("id"),
                                    MT_STR_INIT("payload"),
                                    MT_STR_INIT("semantic_kind")};
    mt_str type, id;
    if (!mt_json_is(node, MT_JSON_OBJECT)) {
        return fixture_fault(in, "fixture.parse_error", "event must be an object");
    }
    const mt_json_member *stranger = unknown_member(node, FIELDS, 4);
    if (stranger) {
        return broken(in, "fixture.parse_error", "line %zu: unknown field '%.*s'",
                      in->line_number, MT_ARG(stranger->key));
    }
    if (!in->episodes) {
        return fixture_fault(in, "fixture.parse_error",
                             "an event before the first episode_start");
    }
    text_member(node, MT_STR("type"), &type);
    text_member(node, MT_STR("semantic_kind"), &event->semantic_kind);
    const mt_json *given = text_member(node, MT_STR("id"), &id);
    if (!gr_signal_kind_parse(type, &event->kind)) {
        return fixture_fault(in, "fixture.parse_error",
                             "type must be Pump, DataAvailable or Command");
    }
    if (given && !id.len) {
        return fixture_fault(in, "fixture.parse_error",
                             "id must be a non-empty string");
    }
    if (in->with_adapter && !event->semantic_kind.ptr) {
        return fixture_fault(in, "fixture.semantic_kind_missing",
                             "an event needs a semantic_kind when there is an adapter");
    }
    if (!in->with_adapter && event->semantic_kind.ptr) {
        return fixture_fault(in, "fixture.unexpected_semantic_kind",
                             "semantic_kind needs an adapter");
    }
    in->events++;
    in->events_in_episode++;
    static const mt_json NOTHING = {.type = MT_JSON_OBJECT};
    const mt_json *payload = payload_of(node);
    event->id =
        given ? id
              : mt_strf(&in->arena, "fixture_evt_%llu", (unsigned long long)in->events);
    event->payload = payload || !in->with_adapter ? payload : &NOTHING;
    return HO_INGRESS_EVENT;
}

/* An episode without events is a mistake of whoever made the fixture. */
static ho_ingress_result fixture_episode(ho_ingress *in, const mt_json *node)
{
    static const mt_str FIELDS[] = {MT_STR_INIT("kind"), MT_STR_INIT("id")};
    const mt_json_member *stranger = unknown_member(node, FIELDS, 2);
    if (stranger) {
        return broken(in, "fixture.parse_error", "line %zu: unknown field '%.*s'",
                      in->line_number, MT_ARG(stranger->key));
    }
    if (in->episodes && !in->events_in_episode) {
        return fixture_fault(in, "fixture.episode_without_events",
                             "the episode before this one has no events");
    }
    in->episodes++;
    in->events_in_episode = 0;
    return HO_INGRESS_WAIT;
}

/* HO_INGRESS_WAIT: a line that is not an event, so the next one is read. */
static ho_ingress_result fixture_line(ho_ingress *in, mt_str line,
                                      ho_graph_event *event)
{
    static const mt_str FIELDS[] = {MT_STR_INIT("kind"), MT_STR_INIT("event")};
    mt_json node;
    mt_json_error why;
    mt_str kind;
    if (mt_json_read(&in->arena, line, NULL, &node, &why)) {
        return broken(in, "fixture.parse_error", "line %zu, byte %zu: %s",
                      in->line_number, why.offset + 1, why.message);
    }
    text_member(&node, MT_STR("kind"), &kind);
    if (mt_str_is(kind, "episode_start")) {
        return fixture_episode(in, &node);
    }
    if (!mt_str_is(kind, "event")) {
        return fixture_fault(in, "fixture.parse_error",
                             "kind must be episode_start or event");
    }
    if (unknown_member(&node, FIELDS, 2)) {
        return fixture_fault(in, "fixture.parse_error",
                             "an event line has the fields kind and event only");
    }
    return fixture_event(in, mt_json_at(&node, "event"), event);
}

static bool blank(mt_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] != ' ' && line.ptr[i] != '\t' && line.ptr[i] != '\r') {
            return false;
        }
    }
    return true;
}

/* False at the end, or when the file cannot be read. */
static bool next_line(ho_ingress *in, mt_str *line)
{
    if (in->file) {
        ssize_t got = getline(&in->line, &in->line_room, in->file);
        *line = mt_str_from(in->line, got > 0 ? (size_t)got : 0);
        line->len -= line->len && line->ptr[line->len - 1] == '\n';
        return got > 0;
    }
    bool more = in->rest.len > 0;
    *line = mt_str_from(in->rest.ptr, mt_str_find(in->rest, '\n'));
    in->rest = mt_str_skip(in->rest, line->len + 1);
    return more;
}

/* Empty lines are passed over; a read error is not the end. */
static ho_ingress_result fixture_next(ho_ingress *in, ho_graph_event *event)
{
    mt_str line;
    while (next_line(in, &line)) {
        in->line_number++;
        ho_ingress_result result =
            blank(line) ? HO_INGRESS_WAIT : fixture_line(in, line, event);
        if (result != HO_INGRESS_WAIT) {
            return result;
        }
    }
    if (in->file && !feof(in->file)) { /* or no memory for the line */
        return broken(in, "fixture.read_failed", "the fixture cannot be read: %s",
                      strerror(errno));
    }
    if (!in->events) {
        return broken(in, "fixture.no_events", "the fixture has no events");
    }
    if (!in->events_in_episode) {
        return broken(in, "fixture.episode_without_events",
                      "the last episode has no events");
    }
    return HO_INGRESS_END;
}

ho_ingress *ho_ingress_fixture(mt_str text, bool with_adapter)
{
    ho_ingress *in = mt_xmalloc(sizeof *in);
    *in = (ho_ingress){.rest = text, .with_adapter = with_adapter};
    return in;
}

ho_ingress *ho_ingress_file(const char *path, bool with_adapter)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    if (!file) {
        return NULL;
    }
    ho_ingress *in = ho_ingress_fixture((mt_str){0}, with_adapter);
    in->file = file;
    return in;
}

/* ---- process ---- */

static ho_ingress_result violation(ho_ingress *in, const char *message)
{
    mt_str said = os_child_complaint(in->child);
    ho_ingress_result result =
        broken(in, "protocol_violation", "the driver %s%s%.*s", message,
               said.len ? "; it last said: " : "", MT_ARG(said));
    os_child_kill(in->child);
    return result;
}

static ho_ingress_result terminated(ho_ingress *in, const char *message)
{
    int status = 0;
    os_child_stop(in->child, EXIT_MS, &status);
    mt_str said = os_child_complaint(in->child);
    return broken(in, "driver_terminated", "the driver %s (exit status %d)%s%.*s",
                  message, status, said.len ? "; it last said: " : "", MT_ARG(said));
}

/* After `end` nothing may follow but a clean exit. */
static ho_ingress_result driver_end(ho_ingress *in)
{
    mt_str line;
    mt_err err = os_child_read_line(in->child, EXIT_MS, &line);
    if (err == MT_OK) {
        return violation(in, "went on after its end");
    }
    int status = 0;
    if (err != MT_E_CLOSED || os_child_rest(in->child).len) {
        return violation(in, "did not close its output after its end");
    }
    if (!os_child_stop(in->child, EXIT_MS, &status) || status != 0) {
        return terminated(in, "did not exit cleanly after its end");
    }
    return HO_INGRESS_END;
}

static bool read_time(const mt_json *node, gr_time *out)
{
    int64_t secs, nanos;
    if (mt_json_i64(mt_json_at(node, "secs"), &secs) ||
        mt_json_i64(mt_json_at(node, "nanos"), &nanos) || secs < 0 || nanos < 0 ||
        nanos > 999999999) {
        return false;
    }
    *out = (gr_time){(uint64_t)secs, (uint32_t)nanos};
    return true;
}

/* Time and id are the driver's: a replay must see the same. */
static ho_ingress_result driver_event(ho_ingress *in, const mt_json *node,
                                      ho_graph_event *event)
{
    static const mt_str FIELDS[] = {MT_STR_INIT("event_id"), MT_STR_INIT("kind"),
                                    MT_STR_INIT("at"), MT_STR_INIT("semantic_kind"),
                                    MT_STR_INIT("payload")};
    mt_str kind;
    if (!mt_json_is(node, MT_JSON_OBJECT) || unknown_member(node, FIELDS, 5)) {
        return violation(in, "sent an event with unknown fields");
    }
    text_member(node, MT_STR("event_id"), &event->id);
    text_member(node, MT_STR("kind"), &kind);
    text_member(node, MT_STR("semantic_kind"), &event->semantic_kind);
    event->payload = payload_of(node);
    if (!event->id.len || !gr_signal_kind_parse(kind, &event->kind) ||
        !read_time(mt_json_at(node, "at"), &event->at)) {
        return violation(in, "sent an event without a proper event_id, kind or at");
    }
    in->events++;
    return HO_INGRESS_EVENT;
}

/* hello once and first, then events, then end. HO_INGRESS_WAIT: nothing for the graph
 * yet. */
static ho_ingress_result driver_frame(ho_ingress *in, mt_str line,
                                      ho_graph_event *event)
{
    mt_json frame;
    mt_str type, protocol;
    if (mt_json_read(&in->arena, mt_str_dup(&in->arena, line), NULL, &frame, NULL) ||
        frame.type != MT_JSON_OBJECT) {
        return violation(in, "sent a line that is not a JSON object");
    }
    text_member(&frame, MT_STR("type"), &type);
    if (mt_str_is(type, "hello") != !in->said_hello) {
        return violation(in, in->said_hello ? "said hello twice"
                                            : "did not begin with hello");
    }
    if (!in->said_hello) {
        text_member(&frame, MT_STR("protocol"), &protocol);
        in->said_hello = mt_str_is(protocol, PROTOCOL);
        return in->said_hello ? HO_INGRESS_WAIT
                              : violation(in, "does not speak " PROTOCOL);
    }
    if (mt_str_is(type, "event")) {
        return driver_event(in, mt_json_at(&frame, "event"), event);
    }
    if (!mt_str_is(type, "end")) {
        return violation(in, "sent a frame of unknown type");
    }
    return in->events ? driver_end(in) : violation(in, "ended before its first event");
}

/* The hello has a time limit of its own; after it the caller decides how long to wait.
 */
static ho_ingress_result driver_next(ho_ingress *in, int timeout_ms,
                                     ho_graph_event *event)
{
    mt_str line;
    mt_err err =
        os_child_read_line(in->child, in->said_hello ? timeout_ms : HELLO_MS, &line);
    if (err == MT_OK) {
        return driver_frame(in, line, event);
    }
    if (err == MT_E_TIMEOUT) {
        return in->said_hello ? HO_INGRESS_WAIT
                              : violation(in, "did not say hello in time");
    }
    if (err == MT_E_LIMIT) {
        return violation(in, "sent a line that is too long");
    }
    return err == MT_E_CLOSED ? terminated(in, "ended without saying so")
                              : broken(in, "driver_io", "the driver could not be read");
}

ho_ingress *ho_ingress_process(const char *const *argv)
{
    ho_ingress *in = mt_xmalloc(sizeof *in);
    *in = (ho_ingress){.episodes = 1};
    os_child_options o = {.argv = argv};
    if (os_child_start(&o, &in->child)) {
        broken(in, "driver.start_failed", "cannot start '%s': %s", argv[0],
               strerror(errno));
    }
    return in;
}

/* ---- both ---- */

ho_ingress_result ho_ingress_next(ho_ingress *in, int timeout_ms, ho_graph_event *event)
{
    if (in->broken) {
        return HO_INGRESS_BROKEN;
    }
    mt_arena_reset(&in->arena);
    *event = (ho_graph_event){0};
    return in->child ? driver_next(in, timeout_ms, event) : fixture_next(in, event);
}

ho_ingress_fault ho_ingress_problem(const ho_ingress *in)
{
    return in->fault;
}

uint64_t ho_ingress_episodes(const ho_ingress *in)
{
    return in->episodes;
}

void ho_ingress_free(ho_ingress *in)
{
    if (in) {
        os_child_free(in->child);
        if (in->file && in->file != stdin) {
            fclose(in->file);
        }
        free(in->line);
        mt_arena_free(&in->arena);
        mt_arena_free(&in->fault_arena);
        free(in);
    }
}
