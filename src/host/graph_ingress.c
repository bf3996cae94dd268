/* host/graph_ingress.c - events from a fixture or from a driver.
 *
 * A fixture is JSON lines: episode starts and events, read from memory or a file line
 * by line, so its length does not matter; ids that are left out are numbered. A driver
 * is a child process that says hello, then events, then end, and exits (protocol
 * ergo-driver.v0). Both are read by the rows of forms: a key nobody knows is refused
 * with the nearest known one, but for the frames around a driver's events.
 *
 * Whatever is not as it should be ends the source: HO_INGRESS_BROKEN with a code and a
 * sentence, and from then on always. An event lives until the next call. For a driver
 * the caller gives a timeout, so that it can look at signals and idle work meanwhile.
 */
#include "host/graph_ingress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/form.h"
#include "host/graph_source.h"
#include "host/graph_time.h"
#include "os/process.h"

enum { HELLO_MS = 5000, EXIT_MS = 5000 };

#define PROTOCOL "ergo-driver.v0"

struct ho_ingress {
    mt_arena arena; /* the current event */
    mt_arena fault_arena;
    ho_ingress_fault fault;
    mt_buf why; /* what the last form has found wrong */
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
    ho_source *source; /* NULL: one of the above */
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

/* ---- what lines hold ---- */

static bool read_kind(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    return (mt_json_is(v, MT_JSON_STRING) &&
            gr_signal_kind_parse(mt_json_text(v), to)) ||
           mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                       "must be Pump, DataAvailable or Command");
}

static const mt_form_row TIME[] = {
    MT_FORM_U64(gr_time, secs, "secs", 0, INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_U32(gr_time, nanos, "nanos", 0, 999999999, MT_FORM_REQUIRED),
};

static bool read_at(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_form in = mt_form_inside(f, row->key, "a time");
    return mt_json_is(v, MT_JSON_OBJECT)
               ? mt_form_read(&in, v, TIME, mt_form_count(TIME), to)
               : ho_time_read_text(f, row, v, to);
}

/* clang-format off */
#define ANY_EVENT \
    MT_FORM_TEXT(ho_graph_event, semantic_kind, "semantic_kind", MT_FORM_NULLABLE), \
    MT_FORM_ANY(ho_graph_event, payload, "payload", MT_FORM_NULLABLE)
/* clang-format on */
static const mt_form_row FIXTURE_EVENT[] = {
    MT_FORM_OWN(ho_graph_event, kind, "type", read_kind, MT_FORM_REQUIRED),
    MT_FORM_NAME(ho_graph_event, id, "id", INT64_MAX, 0),
    MT_FORM_OWN(ho_graph_event, at, "at", read_at, 0), /* else the beginning */
    ANY_EVENT,
};
static const mt_form_table FIXTURE_EVENT_TABLE =
    MT_FORM_TABLE("an event", FIXTURE_EVENT, ho_graph_event, NULL);

/* Time and id are the driver's: a replay must see the same. */
static const mt_form_row DRIVER_EVENT[] = {
    MT_FORM_NAME(ho_graph_event, id, "event_id", INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_OWN(ho_graph_event, kind, "kind", read_kind, MT_FORM_REQUIRED),
    MT_FORM_OWN(ho_graph_event, at, "at", read_at, MT_FORM_REQUIRED),
    ANY_EVENT,
};

enum { LINE_EPISODE, LINE_EVENT };
static const char *const LINE_KINDS[] = {
    [LINE_EPISODE] = "episode_start", [LINE_EVENT] = "event", NULL};

typedef struct fixture_head {
    int kind;       /* LINE_EPISODE, LINE_EVENT */
    mt_str episode; /* its name, which nobody asks for */
} fixture_head;

static const mt_form_row FIXTURE_KIND =
    MT_FORM_CHOICE(fixture_head, kind, "kind", LINE_KINDS, MT_FORM_REQUIRED);
static const mt_form_row EPISODE_LINE[] = {
    MT_FORM_NOTE("kind"),
    MT_FORM_TEXT(fixture_head, episode, "id", MT_FORM_NULLABLE),
};
static const mt_form_row EVENT_LINE[] = {
    MT_FORM_NOTE("kind"),
    MT_FORM_PART("event", &FIXTURE_EVENT_TABLE, MT_FORM_REQUIRED),
};

typedef struct frame {
    mt_str type, protocol;
    const mt_json *event;
} frame;

static const mt_form_row FRAME[] = {
    MT_FORM_TEXT(frame, type, "type", MT_FORM_REQUIRED),
    MT_FORM_TEXT(frame, protocol, "protocol", 0),
    MT_FORM_ANY(frame, event, "event", 0),
};

/* A form whose faults are in in->why. */
static mt_form form_of(ho_ingress *in, const char *what)
{
    mt_buf_clear(&in->why);
    return (mt_form){
        .arena = &in->arena, .what = what, .report = mt_form_join, .state = &in->why};
}

/* ---- fixture ---- */

static ho_ingress_result fixture_fault(ho_ingress *in, const char *code,
                                       const char *message)
{
    return broken(in, code, "line %zu: %s", in->line_number, message);
}

/* What a form has found wrong. */
static ho_ingress_result fixture_refused(ho_ingress *in)
{
    return broken(in, "fixture.parse_error", "line %zu: %.*s", in->line_number,
                  MT_ARG(in->why));
}

/* Unknown keys are refused: a misspelt one would change what a test means. */
static ho_ingress_result fixture_event(ho_ingress *in, const mt_json *line,
                                       ho_graph_event *event)
{
    static const mt_json NOTHING = {.type = MT_JSON_OBJECT};
    mt_form form = form_of(in, "an event line");
    if (!mt_form_read(&form, line, EVENT_LINE, mt_form_count(EVENT_LINE), event)) {
        return fixture_refused(in);
    }
    in->episodes += !in->episodes; /* episode E1 begins with the first event */
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
    if (!event->id.len) {
        event->id =
            mt_strf(&in->arena, "fixture_evt_%llu", (unsigned long long)in->events);
    }
    if (!event->payload && in->with_adapter) {
        event->payload = &NOTHING;
    }
    return HO_INGRESS_EVENT;
}

/* An episode without events is a mistake of whoever made the fixture. */
static ho_ingress_result fixture_episode(ho_ingress *in, const mt_json *line)
{
    fixture_head head = {0};
    mt_form form = form_of(in, "an episode_start line");
    if (!mt_form_read(&form, line, EPISODE_LINE, mt_form_count(EPISODE_LINE), &head)) {
        return fixture_refused(in);
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
    mt_json node;
    mt_json_error why;
    fixture_head head = {0};
    if (mt_json_read(&in->arena, line, NULL, &node, &why)) {
        return broken(in, "fixture.parse_error", "line %zu, byte %zu: %s",
                      in->line_number, why.offset + 1, why.message);
    }
    mt_form form = form_of(in, "a line");
    if (!mt_form_field(&form, &node, &FIXTURE_KIND, &head)) {
        return fixture_refused(in);
    }
    return head.kind == LINE_EPISODE ? fixture_episode(in, &node)
                                     : fixture_event(in, &node, event);
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

__attribute__((format(printf, 2, 3))) static ho_ingress_result
violation(ho_ingress *in, const char *format, ...)
{
    mt_str said = os_child_complaint(in->child);
    va_list args;
    va_start(args, format);
    mt_str message = mt_strfv(&in->arena, format, args);
    va_end(args);
    ho_ingress_result result =
        broken(in, "protocol_violation", "the driver %.*s%s%.*s", MT_ARG(message),
               said.len ? "; it last said: " : "", MT_ARG(said));
    os_child_kill(in->child);
    return result;
}

static ho_ingress_result terminated(ho_ingress *in, const char *message, int grace_ms)
{
    int status = 0;
    os_child_stop(in->child, grace_ms, &status);
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
    if (err == MT_E_LIMIT || os_child_rest(in->child).len) {
        return violation(in, "went on after its end");
    }
    if (err != MT_E_CLOSED) {
        return terminated(in, "said its end and did not exit", 0);
    }
    if (!os_child_stop(in->child, EXIT_MS, &status) || status != 0) {
        return terminated(in, "did not exit cleanly after its end", 0);
    }
    return HO_INGRESS_END;
}

static ho_ingress_result driver_event(ho_ingress *in, const mt_json *node,
                                      ho_graph_event *event)
{
    mt_form form = form_of(in, "an event");
    form.path = MT_STR("event");
    if (!mt_form_read(&form, node, DRIVER_EVENT, mt_form_count(DRIVER_EVENT), event)) {
        return violation(in, "sent a bad event: %.*s", MT_ARG(in->why));
    }
    in->events++;
    return HO_INGRESS_EVENT;
}

/* hello once and first, then events, then end. HO_INGRESS_WAIT: nothing for the graph
 * yet. */
static ho_ingress_result driver_frame(ho_ingress *in, mt_str line,
                                      ho_graph_event *event)
{
    mt_json node;
    frame said = {0};
    mt_form form = form_of(in, "a line");
    form.unknown = MT_FORM_ALLOWED; /* of frames; events are read strictly */
    if (mt_json_read(&in->arena, mt_str_dup(&in->arena, line), NULL, &node, NULL)) {
        return violation(in, "sent a line that is not JSON");
    }
    if (!mt_form_read(&form, &node, FRAME, mt_form_count(FRAME), &said)) {
        return violation(in, "sent a bad line: %.*s", MT_ARG(in->why));
    }
    if (mt_str_is(said.type, "hello") != !in->said_hello) {
        return violation(in, in->said_hello ? "said hello twice"
                                            : "did not begin with hello");
    }
    if (!in->said_hello) {
        in->said_hello = mt_str_is(said.protocol, PROTOCOL);
        return in->said_hello ? HO_INGRESS_WAIT
                              : violation(in, "does not speak " PROTOCOL);
    }
    if (mt_str_is(said.type, "event")) {
        return driver_event(in, said.event, event);
    }
    if (!mt_str_is(said.type, "end")) {
        return violation(in, "sent a frame of unknown type '%.*s'", MT_ARG(said.type));
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
    return err == MT_E_CLOSED ? terminated(in, "ended without saying so", EXIT_MS)
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

/* ---- all ---- */

ho_ingress_result ho_ingress_next(ho_ingress *in, int timeout_ms, ho_graph_event *event)
{
    if (in->broken) {
        return HO_INGRESS_BROKEN;
    }
    mt_arena_reset(&in->arena);
    *event = (ho_graph_event){0};
    if (in->source) {
        ho_ingress_result result = ho_source_next(in->source, timeout_ms, event);
        if (result == HO_INGRESS_BROKEN) {
            in->broken = true;
            in->fault = ho_source_problem(in->source);
        }
        return result;
    }
    return in->child ? driver_next(in, timeout_ms, event) : fixture_next(in, event);
}

ho_ingress *ho_ingress_source(ho_source *source)
{
    ho_ingress *in = mt_xmalloc(sizeof *in);
    *in = (ho_ingress){.episodes = 1, .source = source};
    return in;
}

mt_err ho_ingress_settle(ho_ingress *in, ho_settled how, const char *code,
                         mt_str reason)
{
    if (in->source) {
        return ho_source_settle(in->source, how, code, reason);
    }
    return how == HO_TAKEN ? MT_OK : MT_E_REJECTED;
}

bool ho_ingress_waits(const ho_ingress *in)
{
    return in->source && ho_source_waits(in->source);
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
        ho_source_free(in->source);
        if (in->file && in->file != stdin) {
            fclose(in->file);
        }
        free(in->line);
        mt_arena_free(&in->arena);
        mt_arena_free(&in->fault_arena);
        mt_buf_free(&in->why);
        free(in);
    }
}
