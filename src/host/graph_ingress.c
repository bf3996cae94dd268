/* host/graph_ingress.c - events from a fixture, and what all kinds of ingress share.
 *
 * A fixture is JSON lines: episode starts and events, read line by line, so its length
 * does not matter; ids that are left out are numbered. Lines are read by the rows of
 * forms: a key nobody knows is refused with the nearest known one.
 *
 * Whatever is not as it should be ends the source: HO_INGRESS_BROKEN with a code and a
 * sentence, and from then on always. An event lives until the next call. Other kinds
 * are in graph_ingress_ends.c; nothing here touches the machine. */
#include "host/graph_ingress_impl.h"

#include <stdarg.h>
#include <stdlib.h>

#include "host/graph_time.h"

ho_ingress *ho_ingress_new(const ho_ingress_kind *kind, void *state)
{
    ho_ingress *in = mt_xmalloc(sizeof *in);
    *in = (ho_ingress){.kind = kind, .state = state};
    return in;
}

ho_ingress_result ho_ingress_broken(ho_ingress *in, const char *code,
                                    const char *format, ...)
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

bool ho_event_kind_read(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
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

bool ho_event_at_read(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_form in = mt_form_inside(f, row->key, "a time");
    return mt_json_is(v, MT_JSON_OBJECT)
               ? mt_form_read(&in, v, TIME, mt_form_count(TIME), to)
               : ho_time_read_text(f, row, v, to);
}

static const mt_form_row FIXTURE_EVENT[] = {
    MT_FORM_OWN(ho_graph_event, kind, "type", ho_event_kind_read, MT_FORM_REQUIRED),
    MT_FORM_NAME(ho_graph_event, id, "id", INT64_MAX, 0),
    MT_FORM_OWN(ho_graph_event, at, "at", ho_event_at_read, 0), /* else the beginning */
    HO_ANY_EVENT,
};
static const mt_form_table FIXTURE_EVENT_TABLE =
    MT_FORM_TABLE("an event", FIXTURE_EVENT, ho_graph_event, NULL);

enum { LINE_EPISODE, LINE_EVENT };
static const char *const LINE_KINDS[] = {
    [LINE_EPISODE] = "episode_start", [LINE_EVENT] = "event", NULL};
MT_TABLE_COVERS(LINE_KINDS, LINE_EVENT + 2);

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

mt_form ho_ingress_form(ho_ingress *in, const char *what)
{
    mt_buf_clear(&in->why);
    return (mt_form){
        .arena = &in->arena, .what = what, .report = mt_form_join, .state = &in->why};
}

/* ---- fixture ---- */

static ho_ingress_result fixture_fault(ho_ingress *in, const char *code,
                                       const char *message)
{
    return ho_ingress_broken(in, code, "line %zu: %s", in->line_number, message);
}

/* What a form has found wrong. */
static ho_ingress_result fixture_refused(ho_ingress *in)
{
    return ho_ingress_broken(in, "fixture.parse_error", "line %zu: %.*s",
                             in->line_number, MT_ARG(in->why));
}

/* Unknown keys are refused: a misspelt one would change what a test means. */
static ho_ingress_result fixture_event(ho_ingress *in, const mt_json *line,
                                       ho_graph_event *event)
{
    static const mt_json NOTHING = {.type = MT_JSON_OBJECT};
    mt_form form = ho_ingress_form(in, "an event line");
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
    mt_form form = ho_ingress_form(in, "an episode_start line");
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
        return ho_ingress_broken(in, "fixture.parse_error", "line %zu, byte %zu: %s",
                                 in->line_number, why.offset + 1, why.message);
    }
    mt_form form = ho_ingress_form(in, "a line");
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

/* False at the end, or when it cannot be read. */
static bool next_line(ho_ingress *in, mt_str *line)
{
    if (in->kind->line) {
        return in->kind->line(in, line);
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
    const char *torn = in->kind->torn ? in->kind->torn(in) : NULL;
    if (torn) {
        return ho_ingress_broken(in, "fixture.read_failed",
                                 "the fixture cannot be read: %s", torn);
    }
    if (!in->events) {
        return ho_ingress_broken(in, "fixture.no_events", "the fixture has no events");
    }
    if (!in->events_in_episode) {
        return ho_ingress_broken(in, "fixture.episode_without_events",
                                 "the last episode has no events");
    }
    return HO_INGRESS_END;
}

ho_ingress *ho_ingress_fixture(mt_str text, bool with_adapter)
{
    static const ho_ingress_kind MEMORY = {0};
    ho_ingress *in = ho_ingress_new(&MEMORY, NULL);
    in->rest = text;
    in->with_adapter = with_adapter;
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
    return in->kind->next ? in->kind->next(in, timeout_ms, event)
                          : fixture_next(in, event);
}

mt_err ho_ingress_settle(ho_ingress *in, ho_settled how, const char *code,
                         mt_str reason)
{
    if (in->kind->settle) {
        return in->kind->settle(in, how, code, reason);
    }
    return how == HO_TAKEN ? MT_OK : MT_E_REJECTED;
}

bool ho_ingress_waits(const ho_ingress *in)
{
    return in->kind->waits && in->kind->waits(in);
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
        if (in->kind->free) {
            in->kind->free(in);
        }
        mt_arena_free(&in->arena);
        mt_arena_free(&in->fault_arena);
        mt_buf_free(&in->why);
        free(in);
    }
}
