/* host/graph_ingress_ends.c - events from files, programs and sources.
 *
 * A file is a fixture that is read a line at a time. A driver is a child process that
 * says hello, then events, then end, and exits (protocol ergo-driver.v0); its events
 * are read by the rows of forms, the frames around them less strictly. The caller gives
 * a timeout, so that it can look at signals and idle work meanwhile. A source
 * (graph_source.h) is asked in its own words. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/graph_ingress_impl.h"
#include "host/graph_source.h"
#include "os/process.h"

enum { HELLO_MS = 5000, EXIT_MS = 5000 };

#define PROTOCOL "ergo-driver.v0"

/* ---- file ---- */

typedef struct fixture_file {
    FILE *file;
    char *line;
    size_t room;
} fixture_file;

static bool file_line(ho_ingress *in, mt_str *line)
{
    fixture_file *f = in->state;
    ssize_t got = getline(&f->line, &f->room, f->file);
    *line = mt_str_from(f->line, got > 0 ? (size_t)got : 0);
    line->len -= line->len && line->ptr[line->len - 1] == '\n';
    return got > 0;
}

/* A read error is not the end; nor is a line that there was no memory for. */
static const char *file_torn(const ho_ingress *in)
{
    const fixture_file *f = in->state;
    return feof(f->file) ? NULL : strerror(errno);
}

static void file_free(ho_ingress *in)
{
    fixture_file *f = in->state;
    if (f->file != stdin) {
        fclose(f->file);
    }
    free(f->line);
    free(f);
}

ho_ingress *ho_ingress_file(const char *path, bool with_adapter)
{
    static const ho_ingress_kind FILES = {
        .line = file_line, .torn = file_torn, .free = file_free};
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    if (!file) {
        return NULL;
    }
    fixture_file *f = mt_xmalloc(sizeof *f);
    *f = (fixture_file){.file = file};
    ho_ingress *in = ho_ingress_new(&FILES, f);
    in->with_adapter = with_adapter;
    return in;
}

/* ---- process ---- */

typedef struct driver {
    os_child *child;
    bool said_hello;
} driver;

static driver *driver_of(const ho_ingress *in)
{
    return in->state;
}

static os_child *child_of(const ho_ingress *in)
{
    return driver_of(in)->child;
}

/* Time and id are the driver's: a replay must see the same. */
static const mt_form_row DRIVER_EVENT[] = {
    MT_FORM_NAME(ho_graph_event, id, "event_id", INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_OWN(ho_graph_event, kind, "kind", ho_event_kind_read, MT_FORM_REQUIRED),
    MT_FORM_OWN(ho_graph_event, at, "at", ho_event_at_read, MT_FORM_REQUIRED),
    HO_ANY_EVENT,
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

__attribute__((format(printf, 2, 3))) static ho_ingress_result
violation(ho_ingress *in, const char *format, ...)
{
    mt_str said = os_child_complaint(child_of(in));
    va_list args;
    va_start(args, format);
    mt_str message = mt_strfv(&in->arena, format, args);
    va_end(args);
    ho_ingress_result result = ho_ingress_broken(
        in, "protocol_violation", "the driver %.*s%s%.*s", MT_ARG(message),
        said.len ? "; it last said: " : "", MT_ARG(said));
    os_child_kill(child_of(in));
    return result;
}

static ho_ingress_result terminated(ho_ingress *in, const char *message, int grace_ms)
{
    int status = 0;
    os_child_stop(child_of(in), grace_ms, &status);
    mt_str said = os_child_complaint(child_of(in));
    return ho_ingress_broken(in, "driver_terminated",
                             "the driver %s (exit status %d)%s%.*s", message, status,
                             said.len ? "; it last said: " : "", MT_ARG(said));
}

/* After `end` nothing may follow but a clean exit. */
static ho_ingress_result driver_end(ho_ingress *in)
{
    mt_str line;
    mt_err err = os_child_read_line(child_of(in), EXIT_MS, &line);
    if (err == MT_OK) {
        return violation(in, "went on after its end");
    }
    int status = 0;
    if (err == MT_E_LIMIT || os_child_rest(child_of(in)).len) {
        return violation(in, "went on after its end");
    }
    if (err != MT_E_CLOSED) {
        return terminated(in, "said its end and did not exit", 0);
    }
    if (!os_child_stop(child_of(in), EXIT_MS, &status) || status != 0) {
        return terminated(in, "did not exit cleanly after its end", 0);
    }
    return HO_INGRESS_END;
}

static ho_ingress_result driver_event(ho_ingress *in, const mt_json *node,
                                      ho_graph_event *event)
{
    mt_form form = ho_ingress_form(in, "an event");
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
    mt_form form = ho_ingress_form(in, "a line");
    form.unknown = MT_FORM_ALLOWED; /* of frames; events are read strictly */
    if (mt_json_read(&in->arena, mt_str_dup(&in->arena, line), NULL, &node, NULL)) {
        return violation(in, "sent a line that is not JSON");
    }
    if (!mt_form_read(&form, &node, FRAME, mt_form_count(FRAME), &said)) {
        return violation(in, "sent a bad line: %.*s", MT_ARG(in->why));
    }
    if (mt_str_is(said.type, "hello") != !driver_of(in)->said_hello) {
        return violation(in, driver_of(in)->said_hello ? "said hello twice"
                                                       : "did not begin with hello");
    }
    if (!driver_of(in)->said_hello) {
        driver_of(in)->said_hello = mt_str_is(said.protocol, PROTOCOL);
        return driver_of(in)->said_hello ? HO_INGRESS_WAIT
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
    mt_err err = os_child_read_line(
        child_of(in), driver_of(in)->said_hello ? timeout_ms : HELLO_MS, &line);
    if (err == MT_OK) {
        return driver_frame(in, line, event);
    }
    if (err == MT_E_TIMEOUT) {
        return driver_of(in)->said_hello ? HO_INGRESS_WAIT
                                         : violation(in, "did not say hello in time");
    }
    if (err == MT_E_LIMIT) {
        return violation(in, "sent a line that is too long");
    }
    return err == MT_E_CLOSED
               ? terminated(in, "ended without saying so", EXIT_MS)
               : ho_ingress_broken(in, "driver_io", "the driver could not be read");
}

static void driver_free(ho_ingress *in)
{
    os_child_free(child_of(in));
    free(in->state);
}

ho_ingress *ho_ingress_process(const char *const *argv)
{
    static const ho_ingress_kind DRIVERS = {.next = driver_next, .free = driver_free};
    driver *d = mt_xmalloc(sizeof *d);
    *d = (driver){0};
    ho_ingress *in = ho_ingress_new(&DRIVERS, d);
    os_child_options o = {.argv = argv};
    in->episodes = 1;
    if (os_child_start(&o, &d->child)) {
        ho_ingress_broken(in, "driver.start_failed", "cannot start '%s': %s", argv[0],
                          strerror(errno));
    }
    return in;
}

/* ---- source ---- */

static ho_ingress_result source_next(ho_ingress *in, int timeout_ms,
                                     ho_graph_event *event)
{
    ho_ingress_result result = ho_source_next(in->state, timeout_ms, event);
    if (result == HO_INGRESS_BROKEN) {
        in->broken = true;
        in->fault = ho_source_problem(in->state);
    }
    return result;
}

static mt_err source_settle(ho_ingress *in, ho_settled how, const char *code,
                            mt_str reason)
{
    return ho_source_settle(in->state, how, code, reason);
}

static bool source_waits(const ho_ingress *in)
{
    return ho_source_waits(in->state);
}

static void source_free(ho_ingress *in)
{
    ho_source_free(in->state);
}

ho_ingress *ho_ingress_source(ho_source *source)
{
    static const ho_ingress_kind SOURCES = {.next = source_next,
                                            .settle = source_settle,
                                            .waits = source_waits,
                                            .free = source_free};
    ho_ingress *in = ho_ingress_new(&SOURCES, source);
    in->episodes = 1;
    return in;
}
