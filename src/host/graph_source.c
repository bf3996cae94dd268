/* host/graph_source.c - payloads from files, standard input, NATS and timers become
 * events.
 *
 * A source gets the next item: a line, a record of a CSV file, a message, or a tick. An
 * item becomes a payload: JSON is taken as it is, cells of CSV get the types of the
 * schema. Then the event is made of it: `id` and `at` name members of the
 * payload, which leave it unless the schema knows them.
 *
 * What is not a payload ends the source with a code and a line, unless `refused` names
 * a file: then it goes there, like an event that the host refuses, and the source goes
 * on. With a stream of NATS the message is settled accordingly: acknowledged once its
 * event is on disk, sent again when the run ends there, never again when it was kept.
 *
 * May fail: the configuration (all faults at once), opening, reading; a fault stays. */
#include "host/graph_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/form.h"
#include "base/json_write.h"
#include "base/yaml_read.h"
#include "host/graph_csv.h"
#include "host/graph_nats.h"
#include "host/graph_time.h"
#include "os/clock.h"
#include "os/file.h"

enum {
    LINE_MOST = 16 << 20,
    READ_BYTES = 64 << 10,
    FOLLOW_MS = 100,
    COLUMNS_MOST = 10000,
    CONFIG_BYTES = 1 << 20
};
#define EVERY_MOST_MS (INT64_C(366) * 24 * 3600 * 1000)

typedef enum source_kind {
    FROM_FILE,
    FROM_STDIN,
    FROM_NATS,
    FROM_TIMER,
    KIND_COUNT
} source_kind;

struct ho_source {
    mt_arena arena; /* configuration */
    source_kind kind;
    /* As configured. */
    const char *path, *url, *subject, *consumer, *refused;
    mt_str semantic_kind, id, at;
    gr_signal_kind event_kind;
    int format;           /* -1: by the name of the file */
    const mt_str *wanted; /* columns of CSV; none: all */
    uint32_t wanted_count;
    bool follow, stream;
    bool repeats; /* the host knows what it has had */
    uint64_t every_ms, count;
    const mt_json *payload; /* of a timer */
    const gr_adapter_schema *schema;
    /* While it runs. */
    int fd;
    mt_buf bytes;    /* read, not yet handed out */
    size_t consumed; /* of them */
    bool ended;      /* nothing more can be read */
    size_t line;     /* of the last text */
    mt_arena header_arena;
    const mt_str *columns; /* of CSV; NULL: the first record is still to come */
    size_t column_count;
    mt_buf record; /* lines of a record whose quotes are open */
    bool quoted;   /* they are */
    ho_nats *nats;
    uint64_t events, last_tick, started;
    mt_arena event_arena;
    mt_str text, event_id; /* of the event under way */
    mt_arena fault_arena;
    ho_ingress_fault fault;
};

/* ---- configuration ---- */

enum { FORMAT_JSONL, FORMAT_CSV };
static const char *const FORMATS[] = {
    [FORMAT_JSONL] = "jsonl", [FORMAT_CSV] = "csv", NULL};
MT_TABLE_COVERS(FORMATS, FORMAT_CSV + 2);
static const char *const KINDS[] = {[FROM_FILE] = "file",
                                    [FROM_STDIN] = "stdin",
                                    [FROM_NATS] = "nats",
                                    [FROM_TIMER] = "timer",
                                    NULL};
_Static_assert(sizeof KINDS / sizeof *KINDS == KIND_COUNT + 1, "one name per kind");

static bool read_event_kind(mt_form *f, const mt_form_row *row, const mt_json *v,
                            void *to)
{
    return (mt_json_is(v, MT_JSON_STRING) &&
            gr_signal_kind_parse(mt_json_text(v), to)) ||
           mt_form_say(f, MT_FORM_OUT_OF_RANGE, v, row->key,
                       "must be Pump, DataAvailable or Command");
}

/* clang-format off */
#define ANY_SOURCE \
    MT_FORM_NOTE("type"), \
    MT_FORM_NAME(ho_source, semantic_kind, "semantic_kind", INT64_MAX, 0), \
    MT_FORM_OWN(ho_source, event_kind, "event_kind", read_event_kind, 0)
#define TEXT_SOURCE \
    ANY_SOURCE, \
    MT_FORM_NAME(ho_source, id, "id", INT64_MAX, 0), \
    MT_FORM_NAME(ho_source, at, "at", INT64_MAX, 0), \
    MT_FORM_WORD(ho_source, refused, "refused", 0)
#define LINES_SOURCE \
    TEXT_SOURCE, \
    MT_FORM_CHOICE(ho_source, format, "format", FORMATS, 0), \
    MT_FORM_STRS(ho_source, wanted, wanted_count, "columns", COLUMNS_MOST, 0)
/* clang-format on */
static const mt_form_row FILE_ROWS[] = {
    LINES_SOURCE,
    MT_FORM_WORD(ho_source, path, "path", MT_FORM_REQUIRED),
    MT_FORM_FLAG(ho_source, follow, "follow", 0),
};
static const mt_form_row STDIN_ROWS[] = {LINES_SOURCE};
static const mt_form_row NATS_ROWS[] = {
    TEXT_SOURCE,
    MT_FORM_WORD(ho_source, url, "url", MT_FORM_REQUIRED),
    MT_FORM_WORD(ho_source, subject, "subject", MT_FORM_REQUIRED),
    MT_FORM_FLAG(ho_source, stream, "stream", 0),
    MT_FORM_WORD(ho_source, consumer, "consumer", 0),
};
static const mt_form_row TIMER_ROWS[] = {
    ANY_SOURCE,
    MT_FORM_SPAN(ho_source, every_ms, "every", 1, EVERY_MOST_MS, MT_FORM_REQUIRED),
    MT_FORM_U64(ho_source, count, "count", 1, INT64_MAX, 0),
    MT_FORM_OBJECT(ho_source, payload, "payload", 0),
};
static const mt_form_table TABLES[] = {
    [FROM_FILE] = MT_FORM_TABLE("a file source", FILE_ROWS, ho_source, NULL),
    [FROM_STDIN] = MT_FORM_TABLE("a stdin source", STDIN_ROWS, ho_source, NULL),
    [FROM_NATS] = MT_FORM_TABLE("a nats source", NATS_ROWS, ho_source, NULL),
    [FROM_TIMER] = MT_FORM_TABLE("a timer source", TIMER_ROWS, ho_source, NULL),
};
MT_TABLE_COVERS(TABLES, KIND_COUNT);

/* What the events are: said, or the only kind the adapter has. */
static bool find_schema(ho_source *s, const gr_adapter *adapter, mt_form *f,
                        const mt_json *config)
{
    if (!adapter) {
        return mt_form_say(f, MT_FORM_MISSING, config, "type",
                           "gives events to a graph that needs an adapter");
    }
    if (!s->semantic_kind.ptr && adapter->event_count == 1) {
        s->semantic_kind = adapter->events[0].name;
    }
    if (!s->semantic_kind.ptr) {
        return mt_form_say(f, MT_FORM_MISSING, config, "semantic_kind",
                           "must say which of the adapter's kinds the events are");
    }
    s->schema = gr_adapter_event(adapter, s->semantic_kind);
    return s->schema || mt_form_say(f, MT_FORM_OUT_OF_RANGE, config, "semantic_kind",
                                    "must be an event kind of the adapter, not `%.*s`",
                                    MT_ARG(s->semantic_kind));
}

static bool names_subject(const ho_source *s, mt_form *f, const mt_json *config)
{
    if (s->kind != FROM_NATS) {
        return true;
    }
    bool good = s->subject[0] && !strpbrk(s->subject, " \t\r\n");
    bool named = !s->consumer || (s->consumer[0] && !strpbrk(s->consumer, " \t.*>/\\"));
    return (good || mt_form_say(f, MT_FORM_OUT_OF_RANGE, config, "subject",
                                "must be a subject without spaces")) &&
           (named || mt_form_say(f, MT_FORM_OUT_OF_RANGE, config, "consumer",
                                 "must be a name without spaces, dots and wildcards"));
}

static bool read_config(ho_source *s, const mt_json *config, const gr_adapter *adapter,
                        mt_form *f)
{
    static const mt_form_row TYPE = {MT_FORM_KEY("type"), .kind = MT_FORM_K_CHOICE,
                                     .flags = MT_FORM_REQUIRED, .choices = KINDS};
    int kind = 0;
    if (!mt_form_field(f, config, &TYPE, &kind)) {
        return false;
    }
    s->kind = (source_kind)kind;
    f->what = TABLES[kind].what;
    return mt_form_read(f, config, TABLES[kind].rows, TABLES[kind].count, s) &&
           names_subject(s, f, config) && find_schema(s, adapter, f, config);
}

/* The configuration is copied through its text, so that it may go. */
mt_err ho_source_read(const mt_json *config, const gr_adapter *adapter, ho_source **out,
                      mt_buf *why)
{
    ho_source *s = mt_xmalloc(sizeof *s);
    mt_buf text = {0};
    mt_json own;
    *s = (ho_source){.event_kind = GR_DATA_AVAILABLE, .format = -1, .fd = -1};
    mt_form form = {
        .arena = &s->arena, .what = "a source", .report = mt_form_join, .state = why};
    mt_json_write(&text, config, false);
    mt_str copy = mt_str_dup(&s->arena, mt_buf_str(&text));
    mt_buf_free(&text);
    bool good = !mt_json_read(&s->arena, copy, NULL, &own, NULL) &&
                read_config(s, &own, adapter, &form);
    if (!good) {
        ho_source_free(s);
        s = NULL;
    }
    *out = s;
    return good ? MT_OK : MT_E_REJECTED;
}

mt_err ho_source_load(const char *file_or_text, const gr_adapter *adapter,
                      ho_source **out, mt_buf *why)
{
    mt_arena a = {0};
    mt_str text = mt_str_z(file_or_text);
    mt_json node;
    mt_json_error fault;
    mt_err err = MT_OK;
    *out = NULL;
    if (!mt_str_starts(text, MT_STR("{"))) {
        err = os_read_file(&a, file_or_text, CONFIG_BYTES, &text);
        if (err) {
            mt_buf_addf(why, "cannot read %s: %s", file_or_text,
                        errno ? strerror(errno) : "it is too large");
        }
    }
    if (!err && mt_yaml_read(&a, text, NULL, &node, &fault)) {
        mt_buf_addf(why, "byte %zu: %s", fault.offset + 1, fault.message);
        err = MT_E_REJECTED;
    }
    err = err ? err : ho_source_read(&node, adapter, out, why);
    mt_arena_free(&a);
    return err;
}

static void begin_anew(ho_source *s)
{
    mt_buf_clear(&s->bytes);
    mt_buf_clear(&s->record);
    mt_arena_reset(&s->header_arena);
    s->columns = NULL;
    s->consumed = s->line = 0;
    s->events = 0;
    s->ended = s->quoted = false;
}

void ho_source_close(ho_source *s)
{
    if (s->fd > STDIN_FILENO) {
        close(s->fd);
    }
    s->fd = -1;
    ho_nats_close(s->nats);
    s->nats = NULL;
    begin_anew(s);
}

void ho_source_free(ho_source *s)
{
    if (!s) {
        return;
    }
    ho_source_close(s);
    mt_buf_free(&s->bytes);
    mt_buf_free(&s->record);
    mt_arena_free(&s->header_arena);
    mt_arena_free(&s->event_arena);
    mt_arena_free(&s->fault_arena);
    mt_arena_free(&s->arena);
    free(s);
}

/* A consumer's name has no dots and no spaces. */
void ho_source_name(ho_source *s, mt_str name, bool repeats)
{
    char *made = mt_new_array(&s->arena, char, name.len + 7);
    memcpy(made, "motet-", 6);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '-' || c == '_';
        made[6 + i] = plain ? c : '_';
    }
    made[6 + name.len] = '\0';
    s->consumer = s->consumer ? s->consumer : made;
    s->repeats = repeats;
}

bool ho_source_is_stdin(const ho_source *s)
{
    return s->kind == FROM_STDIN;
}

bool ho_source_waits(const ho_source *s)
{
    return s->kind == FROM_NATS && s->stream;
}

ho_ingress_fault ho_source_problem(const ho_source *s)
{
    return s->fault;
}

static ho_ingress_result broken(ho_source *s, const char *code, mt_str message)
{
    mt_arena_reset(&s->fault_arena);
    s->fault = (ho_ingress_fault){code, mt_str_dup(&s->fault_arena, message)};
    return HO_INGRESS_BROKEN;
}

/* ---- what is refused ---- */

static mt_err keep_refused(const ho_source *s, const char *code, mt_str reason)
{
    mt_buf line = {0};
    mt_jw w = mt_jw_start(&line, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "refused");
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "code", mt_str_z(code));
    mt_jw_key_str(&w, "event_id", s->event_id);
    mt_jw_key_str(&w, "reason", reason);
    mt_jw_key_str(&w, "text", s->text);
    mt_jw_end_object(&w);
    mt_jw_end_object(&w);
    mt_buf_addc(&line, '\n');
    mt_err err = os_append_line(s->refused, mt_buf_str(&line));
    mt_buf_free(&line);
    return err;
}

/* Messages and ticks may come twice; then the event is committed already. */
static bool came_twice(const ho_source *s, const char *code)
{
    return (ho_source_waits(s) || s->kind == FROM_TIMER || s->repeats) &&
           strcmp(code, "host.duplicate_event_id") == 0;
}

mt_err ho_source_settle(ho_source *s, ho_settled how, const char *code, mt_str reason)
{
    mt_err err = MT_OK;
    ho_settling settling = HO_SETTLE_DONE;
    if (how == HO_TURNED_DOWN && !came_twice(s, code)) {
        err = s->refused ? keep_refused(s, code, reason) : MT_E_REJECTED;
        settling = err ? HO_SETTLE_LATER : HO_SETTLE_NEVER;
    }
    if (s->nats) {
        (void)ho_nats_settle(s->nats, settling); /* else it comes again, as a double */
    }
    return err;
}

/* An item that cannot be a payload: kept and passed over, or the end. */
static ho_ingress_result turn_down(ho_source *s, mt_str reason)
{
    static const char CODE[] = "ingress.parse_error";
    mt_str where =
        s->line ? mt_strf(&s->event_arena, "line %zu: ", s->line) : (mt_str){0};
    mt_err err = ho_source_settle(s, HO_TURNED_DOWN, CODE, reason);
    if (err == MT_E_IO) {
        return broken(s, "ingress.refused_failed",
                      mt_strf(&s->event_arena, "cannot write %s: %s", s->refused,
                              strerror(errno)));
    }
    return err ? broken(s, CODE,
                        mt_strf(&s->event_arena, "%.*s%.*s", MT_ARG(where),
                                MT_ARG(reason)))
               : HO_INGRESS_WAIT;
}

/* ---- lines ---- */

/* The next line of what was read, if it is whole, or the last one. */
static bool line_there(ho_source *s, mt_str *line)
{
    mt_str rest = mt_str_skip(mt_buf_str(&s->bytes), s->consumed);
    size_t end = mt_str_find(rest, '\n');
    if (end == rest.len && (!s->ended || !rest.len)) {
        return false;
    }
    *line = mt_str_from(rest.ptr, end);
    s->consumed += end < rest.len ? end + 1 : end;
    s->line++;
    return true;
}

static void drop_consumed(ho_source *s)
{
    size_t left = s->bytes.len - s->consumed;
    if (s->consumed) {
        memmove(s->bytes.ptr, s->bytes.ptr + s->consumed, left);
        s->bytes.len = left;
        s->consumed = 0;
    }
}

/* HO_INGRESS_EVENT: something was read, or the end is known. */
static ho_ingress_result read_more(ho_source *s, int timeout_ms)
{
    struct pollfd ready = {.fd = s->fd, .events = POLLIN};
    drop_consumed(s);
    if (s->bytes.len > LINE_MOST) {
        return broken(s, "ingress.parse_error",
                      mt_strf(&s->event_arena, "line %zu: it is longer than %d bytes",
                              s->line + 1, LINE_MOST));
    }
    int polled = poll(&ready, 1, timeout_ms);
    if (polled == 0 || (polled < 0 && errno == EINTR)) {
        return HO_INGRESS_WAIT;
    }
    mt_buf_grow(&s->bytes, READ_BYTES);
    ssize_t got = read(s->fd, s->bytes.ptr + s->bytes.len, READ_BYTES);
    if (got < 0) {
        return broken(
            s, "ingress.read_failed",
            mt_strf(&s->event_arena, "it cannot be read: %s", strerror(errno)));
    }
    s->bytes.len += (size_t)got;
    if (got == 0 && s->follow) {
        poll(NULL, 0, timeout_ms < FOLLOW_MS ? timeout_ms : FOLLOW_MS);
        return HO_INGRESS_WAIT;
    }
    s->ended = got == 0;
    return HO_INGRESS_EVENT;
}

static bool has_odd_quotes(mt_str text)
{
    bool odd = false;
    for (size_t i = 0; i < text.len; i++) {
        odd ^= text.ptr[i] == '"';
    }
    return odd;
}

/* A record of CSV is a line, or several while a quote is open. False: more is needed.
 */
static bool record_there(ho_source *s, mt_str *record)
{
    mt_str line;
    if (s->format != FORMAT_CSV) {
        return line_there(s, record);
    }
    while (line_there(s, &line)) {
        mt_buf_adds(&s->record, line);
        s->quoted ^= has_odd_quotes(line); /* each byte is looked at once */
        if (!s->quoted || s->record.len > LINE_MOST) {
            *record = mt_str_dup(&s->event_arena, mt_buf_str(&s->record));
            mt_buf_clear(&s->record);
            s->quoted = false;
            return true;
        }
        mt_buf_addc(&s->record, '\n');
    }
    return false;
}

static ho_ingress_result next_record(ho_source *s, int timeout_ms, mt_str *record)
{
    while (!record_there(s, record)) {
        if (s->ended && s->record.len) {
            s->text = mt_str_dup(&s->event_arena, mt_buf_str(&s->record));
            mt_buf_clear(&s->record);
            s->quoted = false;
            return turn_down(s, MT_STR("a quoted cell is not closed"));
        }
        if (s->ended) {
            return HO_INGRESS_END;
        }
        ho_ingress_result more = read_more(s, timeout_ms);
        if (more != HO_INGRESS_EVENT) {
            return more;
        }
    }
    return HO_INGRESS_EVENT;
}

/* ---- payloads ---- */

/* The type that the schema gives a property; empty: none, or one of several. */
static mt_str type_of(const ho_source *s, mt_str name)
{
    const mt_json *property =
        mt_json_get(mt_json_at(s->schema->source, "properties"), name);
    const mt_json *type = mt_json_at(property, "type");
    mt_str only = {0};
    if (!mt_json_is(type, MT_JSON_ARRAY)) {
        return mt_json_text(type);
    }
    for (uint32_t i = 0; i < type->count; i++) {
        mt_str one = mt_json_text(&type->as.items[i]);
        if (!mt_str_is(one, "null")) {
            if (only.len) {
                return (mt_str){0};
            }
            only = one;
        }
    }
    return only;
}

static bool is_note(const ho_source *s, mt_str name)
{
    return (s->id.ptr && mt_str_eq(name, s->id)) ||
           (s->at.ptr && mt_str_eq(name, s->at));
}

static bool wants(const ho_source *s, mt_str name)
{
    bool wanted = !s->wanted_count || is_note(s, name);
    for (uint32_t i = 0; i < s->wanted_count && !wanted; i++) {
        wanted = mt_str_eq(s->wanted[i], name);
    }
    return wanted;
}

/* What only says which event it is, and when, is kept as it is written. False: a cell
 * is not of its type, and *bad says which. */
static bool write_cells(ho_source *s, const mt_str *cells, mt_buf *out, mt_str *bad)
{
    bool first = true;
    mt_buf_addc(out, '{');
    for (size_t i = 0; i < s->column_count; i++) {
        mt_str name = s->columns[i];
        mt_str type = type_of(s, name);
        type = is_note(s, name) && !type.len ? MT_STR("string") : type;
        if (!cells[i].len || !wants(s, name)) {
            continue; /* an empty cell says nothing */
        }
        mt_buf_addz(out, first ? "" : ",");
        mt_json_quote(out, name);
        mt_buf_addc(out, ':');
        first = false;
        if (!ho_csv_value(out, cells[i], type)) {
            *bad = mt_strf(&s->event_arena, "`%.*s` must be a %.*s, not '%.*s'",
                           MT_ARG(name), MT_ARG(type), MT_ARG(cells[i]));
            return false;
        }
    }
    mt_buf_addc(out, '}');
    return true;
}

static bool has_column(const ho_source *s, mt_str name)
{
    size_t i = 0;
    while (i < s->column_count && !mt_str_eq(s->columns[i], name)) {
        i++;
    }
    return i < s->column_count;
}

/* A column that the configuration names and the file has not; NULL: none. */
static const char *column_missing(ho_source *s)
{
    mt_str missing = s->id.ptr && !has_column(s, s->id)   ? s->id
                     : s->at.ptr && !has_column(s, s->at) ? s->at
                                                          : (mt_str){0};
    for (uint32_t i = 0; i < s->wanted_count && !missing.ptr; i++) {
        missing = has_column(s, s->wanted[i]) ? missing : s->wanted[i];
    }
    return missing.ptr
               ? mt_strf(&s->event_arena, "there is no column '%.*s'", MT_ARG(missing))
                     .ptr
               : NULL;
}

/* The first record has the names. HO_INGRESS_EVENT: *payload is made. */
static ho_ingress_result csv_payload(ho_source *s, mt_str record, mt_json *payload)
{
    const mt_str *cells;
    size_t count;
    bool header = !s->columns;
    mt_arena *a = header ? &s->header_arena : &s->event_arena;
    const char *fault = ho_csv_cells(a, mt_str_dup(a, record), &cells, &count);
    if (header) {
        fault = fault ? fault : ho_csv_names_fault(cells, count);
        s->columns = cells;
        s->column_count = count;
        fault = fault ? fault : column_missing(s);
        /* Without names no record can be read, so it is the end in any case. */
        return fault ? broken(s, "ingress.parse_error",
                              mt_strf(&s->event_arena, "line 1: %s", fault))
                     : HO_INGRESS_WAIT;
    }
    if (fault || count != s->column_count) {
        return turn_down(s, fault ? mt_str_z(fault)
                                  : mt_strf(&s->event_arena,
                                            "%zu cells, but %zu columns are named",
                                            count, s->column_count));
    }
    mt_buf text = {0};
    mt_str bad;
    bool good = write_cells(s, cells, &text, &bad);
    mt_str json = mt_str_dup(&s->event_arena, mt_buf_str(&text));
    mt_buf_free(&text);
    if (!good) {
        return turn_down(s, bad);
    }
    return mt_json_read(&s->event_arena, json, NULL, payload, NULL)
               ? turn_down(s, MT_STR("its cells are not text"))
               : HO_INGRESS_EVENT;
}

static ho_ingress_result json_payload(ho_source *s, mt_str text, mt_json *payload)
{
    mt_json_error why;
    if (mt_json_read(&s->event_arena, text, NULL, payload, &why)) {
        return turn_down(
            s, mt_strf(&s->event_arena, "byte %zu: %s", why.offset + 1, why.message));
    }
    return payload->type == MT_JSON_OBJECT
               ? HO_INGRESS_EVENT
               : turn_down(s, mt_strf(&s->event_arena, "it must be an object, not a %s",
                                      mt_json_type_name(payload)));
}

/* ---- events ---- */

static const mt_form_row TIME[] = {
    MT_FORM_U64(gr_time, secs, "secs", 0, INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_U32(gr_time, nanos, "nanos", 0, 999999999, 0),
};

/* NULL, or what is wrong. */
static const char *read_time(ho_source *s, const mt_json *node, gr_time *out)
{
    mt_form form = {.arena = &s->event_arena, .what = "a time"};
    if (!mt_json_is(node, MT_JSON_OBJECT)) {
        return ho_time_of_cell(mt_json_text(node), out);
    }
    return mt_form_read(&form, node, TIME, mt_form_count(TIME), out)
               ? NULL
               : "must be {secs, nanos}, as whole numbers";
}

static gr_time clock_now(void)
{
    return gr_time_of_ms(os_clock_ns(CLOCK_REALTIME) / 1000000u);
}

/* `id` and `at` leave the payload unless the schema knows them. */
static const mt_json *without_notes(ho_source *s, const mt_json *payload)
{
    mt_json_member *left =
        mt_new_array(&s->event_arena, mt_json_member, payload->count);
    mt_json *out = mt_new(&s->event_arena, mt_json);
    uint32_t count = 0;
    for (uint32_t i = 0; i < payload->count; i++) {
        const mt_json_member *m = &payload->as.members[i];
        if (!is_note(s, m->key) || gr_adapter_event_allows(s->schema, m->key)) {
            left[count++] = *m;
        }
    }
    *out = *payload;
    out->count = count;
    out->as.members = left;
    return out;
}

/* HO_INGRESS_EVENT, or what comes of an item without its id or time. */
static ho_ingress_result make_event(ho_source *s, const mt_json *payload,
                                    ho_graph_event *event)
{
    if (s->id.ptr) {
        s->event_id = mt_json_text(mt_json_get(payload, s->id));
        if (!s->event_id.len) {
            return turn_down(s, mt_strf(&s->event_arena,
                                        "it has no `%.*s`, which is "
                                        "to be its id",
                                        MT_ARG(s->id)));
        }
    }
    *event = (ho_graph_event){.at = s->kind == FROM_FILE ? (gr_time){0} : clock_now()};
    const char *wrong =
        s->at.ptr ? read_time(s, mt_json_get(payload, s->at), &event->at) : NULL;
    if (wrong) {
        return turn_down(s,
                         mt_strf(&s->event_arena, "`%.*s` %s", MT_ARG(s->at), wrong));
    }
    event->id = s->event_id;
    event->kind = s->event_kind;
    event->semantic_kind = s->semantic_kind;
    event->payload = without_notes(s, payload);
    s->events++;
    return HO_INGRESS_EVENT;
}

static bool blank(mt_str line)
{
    return mt_str_trim(line, MT_STR(" \t\r")).len == 0;
}

static ho_ingress_result text_next(ho_source *s, int timeout_ms, ho_graph_event *event)
{
    mt_json payload;
    mt_str record;
    ho_ingress_result result = next_record(s, timeout_ms, &record);
    if (result != HO_INGRESS_EVENT || blank(record)) {
        return result == HO_INGRESS_EVENT ? HO_INGRESS_WAIT : result;
    }
    s->text = record;
    s->event_id =
        mt_strf(&s->event_arena, "%.*s:%zu",
                MT_ARG(s->path ? mt_str_basename(mt_str_z(s->path)) : MT_STR("stdin")),
                s->line);
    result = s->format == FORMAT_CSV ? csv_payload(s, record, &payload)
                                     : json_payload(s, record, &payload);
    return result == HO_INGRESS_EVENT ? make_event(s, &payload, event) : result;
}

/* A message has a number in its stream, and the time it was stored tells it from one of
 * the same number in a stream of the same name that was there before. Versions before
 * had the number alone: that is returned. */
static mt_str name_message(ho_source *s, const ho_nats_message *m)
{
    if (!m->number) {
        s->event_id =
            mt_strf(&s->event_arena, "nats:%llu:%llu", (unsigned long long)s->started,
                    (unsigned long long)s->events + 1);
        return (mt_str){0};
    }
    mt_str former = mt_strf(&s->event_arena, "%.*s:%llu", MT_ARG(m->stream),
                            (unsigned long long)m->number);
    s->event_id = mt_strf(&s->event_arena, "%.*s@%llu", MT_ARG(former),
                          (unsigned long long)m->stored);
    return former;
}

static ho_ingress_result nats_next(ho_source *s, int timeout_ms, ho_graph_event *event)
{
    ho_nats_message message;
    mt_json payload;
    mt_buf why = {0};
    mt_err err = ho_nats_next(s->nats, timeout_ms > 0 ? timeout_ms : 1, &message, &why);
    mt_str fault = mt_str_dup(&s->event_arena, mt_buf_str(&why));
    mt_buf_free(&why);
    if (err) {
        return err == MT_E_TIMEOUT ? HO_INGRESS_WAIT
                                   : broken(s, "ingress.read_failed", fault);
    }
    s->text = message.body;
    mt_str former = name_message(s, &message);
    ho_ingress_result result = json_payload(s, message.body, &payload);
    result = result == HO_INGRESS_EVENT ? make_event(s, &payload, event) : result;
    if (result == HO_INGRESS_EVENT && former.ptr && !s->id.ptr) {
        event->former_id = former;
        event->stored = gr_time_of_ms(message.stored / 1000000u);
    }
    return result;
}

/* Ticks are counted from the epoch, so that several servers make one event of each. */
static ho_ingress_result timer_next(ho_source *s, int timeout_ms, ho_graph_event *event)
{
    static const mt_json NOTHING = {.type = MT_JSON_OBJECT};
    uint64_t now = os_clock_ns(CLOCK_REALTIME) / 1000000u;
    uint64_t tick = now / s->every_ms;
    if (s->count && s->events >= s->count) {
        return HO_INGRESS_END;
    }
    if (tick <= s->last_tick) {
        uint64_t left = (s->last_tick + 1) * s->every_ms - now;
        poll(NULL, 0, left < (uint64_t)timeout_ms ? (int)left : timeout_ms);
        return HO_INGRESS_WAIT;
    }
    s->last_tick = tick;
    s->events++;
    s->event_id = mt_strf(&s->event_arena, "timer:%llu:%llu",
                          (unsigned long long)s->every_ms, (unsigned long long)tick);
    *event = (ho_graph_event){.id = s->event_id,
                              .kind = s->event_kind,
                              .at = gr_time_of_ms(tick * s->every_ms),
                              .semantic_kind = s->semantic_kind,
                              .payload = s->payload ? s->payload : &NOTHING};
    return HO_INGRESS_EVENT;
}

ho_ingress_result ho_source_next(ho_source *s, int timeout_ms, ho_graph_event *event)
{
    mt_arena_reset(&s->event_arena);
    s->event_id = s->text = (mt_str){0};
    *event = (ho_graph_event){0};
    switch (s->kind) {
    case FROM_FILE:
    case FROM_STDIN: return text_next(s, timeout_ms, event);
    case FROM_NATS: return nats_next(s, timeout_ms, event);
    case FROM_TIMER: return timer_next(s, timeout_ms, event);
    case KIND_COUNT: break;
    }
    MT_BUG("unknown kind of source");
}

/* ---- opening ---- */

static mt_err cannot_open(ho_source *s, mt_str message)
{
    (void)broken(s, "ingress.open_failed", message);
    return MT_E_IO;
}

static mt_err open_file(ho_source *s)
{
    s->fd = open(s->path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0) {
        return cannot_open(s, mt_strf(&s->event_arena, "cannot read %s: %s", s->path,
                                      strerror(errno)));
    }
    return MT_OK;
}

static mt_err open_nats(ho_source *s)
{
    mt_buf why = {0};
    s->nats = ho_nats_open(s->url, s->stream, &why);
    mt_err err = s->nats ? ho_nats_listen(s->nats, s->subject,
                                          s->consumer ? s->consumer : "motet", &why)
                         : MT_E_IO;
    err = err ? cannot_open(s, mt_buf_str(&why)) : MT_OK;
    mt_buf_free(&why);
    return err;
}

mt_err ho_source_open(ho_source *s)
{
    if (s->format < 0) {
        bool csv = s->path && mt_str_ends(mt_str_z(s->path), MT_STR(".csv"));
        s->format = csv ? FORMAT_CSV : FORMAT_JSONL;
    }
    s->started = os_clock_ns(CLOCK_REALTIME) / 1000000u;
    s->last_tick = s->every_ms ? s->started / s->every_ms : 0;
    if (s->kind == FROM_STDIN) {
        s->fd = STDIN_FILENO;
    }
    return s->kind == FROM_FILE   ? open_file(s)
           : s->kind == FROM_NATS ? open_nats(s)
                                  : MT_OK;
}

mt_err ho_source_check(ho_source *s)
{
    struct stat st;
    ho_graph_event event;
    if (s->kind != FROM_FILE || s->follow || s->refused || fstat(s->fd, &st) != 0 ||
        !S_ISREG(st.st_mode)) {
        return MT_OK;
    }
    ho_ingress_result last = HO_INGRESS_WAIT;
    while (last == HO_INGRESS_WAIT || last == HO_INGRESS_EVENT) {
        last = ho_source_next(s, 0, &event);
    }
    (void)lseek(s->fd, 0, SEEK_SET);
    begin_anew(s);
    return last == HO_INGRESS_BROKEN ? MT_E_REJECTED : MT_OK;
}
