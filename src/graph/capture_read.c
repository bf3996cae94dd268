/* graph/capture_read.c - one item of a capture from its JSON: the head, an event, a
 * decision, a journal line. Pure and without memory of what came before: which item
 * stands where is graph/capture_stream.c's business.
 *
 * Each item has its table; a document's must have what a journal leaves out when it is
 * null, zero or empty. Fields that nobody knows are refused at every level; those of a
 * document's top level (the law of v3) before anything else is looked at.
 * INVARIANT: every text of an item is in the arena `keep` or borrows from a journal
 * line; the tree is scratch. Nothing is allocated for a value that is good, but what is
 * kept of it. The first fault is kept, with the path of its member.
 * May fail: MT_E_SYNTAX, MT_E_LIMIT; MT_E_CORRUPT for a journal's line. */
#include "graph/capture_item.h"

#include "base/form.h"
#include "base/json_pull.h"

typedef struct reader {
    mt_arena *arena; /* what the capture keeps; the JSON tree lives elsewhere */
    mt_str text;     /* what offsets count in */
    mt_buf *scratch;
    gr_capture_fault *fault;
    mt_form form;
    bool terse; /* a journal: what is absent is null, zero or empty */
    bool failed;
} reader;

/* The first fault is the one that is told; what follows is often its echo. */
static void fail(reader *r, mt_str path, const char *message)
{
    if (!r->failed) {
        r->failed = true;
        *r->fault = (gr_capture_fault){path, mt_str_z(message)};
    }
}

static mt_form_reader read_text;

static void hear(void *state, const mt_form_fault *fault)
{
    bool no_text = fault->row && fault->row->read == read_text;
    fail(state, fault->path,
         fault->wrong == MT_FORM_UNKNOWN_KEY ? "is not a field of a capture"
         : no_text                           ? "must be a string"
                                             : fault->said.ptr);
}

/* Unknown members are refused at every level: one whose name was changed would be
 * missing in silence where what is missing is null, zero or empty. */
static void begin(reader *r)
{
    r->form = (mt_form){.arena = r->arena,
                        .what = "a capture",
                        .report = hear,
                        .state = r,
                        .unknown = MT_FORM_REFUSED};
}

#define READ(f, node, rows, out)                                                       \
    ((void)mt_form_read((f), (node), (rows), mt_form_count(rows), (out)))

/* `tree` is scratch that is reset for each item: a capture of any size needs the memory
 * of its largest item. */
static mt_err parse(reader *r, mt_arena *tree, mt_str text, size_t most, mt_json *out)
{
    mt_json_limits limits = {.bytes = most};
    mt_json_error why;
    mt_arena_reset(tree);
    mt_err err = mt_json_read(tree, text, &limits, out, &why);
    if (err) {
        fail(r, MT_STR("$"), why.message);
    }
    return err;
}

/* ---- Values ---- */

static bool refuse(mt_form *f, const mt_form_row *row, const mt_json *v,
                   const char *said)
{
    return mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key, "%s", said);
}

/* Text without escapes borrows from the input; decoded text dies with the tree. */
static mt_str keep_text(reader *r, mt_str s)
{
    uintptr_t at = (uintptr_t)s.ptr, start = (uintptr_t)r->text.ptr;
    return at >= start && at - start < r->text.len ? s : mt_str_dup(r->arena, s);
}

/* Texts are copied out of the tree, which is dropped after each item. */
static bool read_text(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    if (!mt_json_is(v, MT_JSON_STRING)) {
        return refuse(f, row, v, "must be a string");
    }
    *(mt_str *)to = keep_text(f->state, mt_json_text(v));
    return true;
}

/* Captures count in unsigned 64 bits; the form's integers are signed. */
static bool read_u64(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_str digits = mt_json_text(v);
    uint64_t value = 0;
    bool ok = mt_json_is(v, MT_JSON_NUMBER);
    for (size_t i = 0; ok && i < digits.len; i++) {
        unsigned digit = (unsigned char)digits.ptr[i] - (unsigned)'0';
        ok = digit <= 9 && !__builtin_mul_overflow(value, 10u, &value) &&
             !__builtin_add_overflow(value, digit, &value);
    }
    if (!ok) {
        return refuse(f, row, v, "must be a whole number in range");
    }
    *(uint64_t *)to = value;
    return true;
}

static const mt_form_row TIME[] = {
    MT_FORM_OWN(gr_time, secs, "secs", read_u64, MT_FORM_REQUIRED),
    MT_FORM_U32(gr_time, nanos, "nanos", 0, 999999999, MT_FORM_REQUIRED),
};

/* Seconds and nanoseconds stand apart: a double would lose digits of a time. */
static bool read_time(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_form in = mt_form_inside(f, row->key, "a time");
    return mt_json_is(v, MT_JSON_OBJECT)
               ? mt_form_read(&in, v, TIME, mt_form_count(TIME), to)
               : refuse(f, row, v, "must be {secs, nanos}");
}

/* Of what may be null. */
static bool read_time_option(mt_form *f, const mt_form_row *row, const mt_json *v,
                             void *to)
{
    gr_time_option option = {.set = true};
    bool good = read_time(f, row, v, &option.at);
    *(gr_time_option *)to = option;
    return good;
}

static bool read_count_option(mt_form *f, const mt_form_row *row, const mt_json *v,
                              void *to)
{
    gr_count_option option = {.set = true};
    bool good = read_u64(f, row, v, &option.count);
    *(gr_count_option *)to = option;
    return good;
}

#define TEXT(type, field, key, flags) MT_FORM_OWN(type, field, key, read_text, flags)
enum { MOST = INT32_MAX }; /* items of a list; the bytes of its item bound it */

/* ---- Effects ---- */

/* An effect's text is hashed, so its members have one order: this one. */
static const char *const EFFECT_KEYS[] = {"kind",   "intent_id", "writes", "intents",
                                          "fields", "key",       "name",   "value"};

static void write_effect_node(mt_jw *w, const mt_json *node, int depth);

/* Effects are hashed as text, and a capture may have been laid out by another program:
 * members are brought into the order they are hashed in. An empty list of intents is
 * left out, as the writer does. */
static void write_effect_members(mt_jw *w, const mt_json *node, int depth)
{
    size_t known = 0;
    mt_jw_begin_unsorted(w);
    for (size_t k = 0; k < sizeof EFFECT_KEYS / sizeof *EFFECT_KEYS; k++) {
        mt_str key = mt_str_z(EFFECT_KEYS[k]);
        const mt_json *value = mt_json_get(node, key);
        known += value != NULL;
        bool empty_intents =
            value && k == 3 && value->type == MT_JSON_ARRAY && !value->count;
        if (value && !empty_intents) {
            mt_jw_key(w, key);
            write_effect_node(w, value, depth);
        }
    }
    /* Tagged values ({"Number":1.0}) and anything unknown keep their own order. */
    for (uint32_t i = 0; known == 0 && i < node->count; i++) {
        mt_jw_key(w, node->as.members[i].key);
        write_effect_node(w, &node->as.members[i].value, depth);
    }
    mt_jw_end_object(w);
}

/* Depth 16 is more than an effect can have; what is deeper is written as it is and
 * fails the comparison of hashes. */
static void write_effect_node(mt_jw *w, const mt_json *node, int depth)
{
    if (node->type == MT_JSON_OBJECT && depth < 16) {
        write_effect_members(w, node, depth + 1);
    } else if (node->type == MT_JSON_ARRAY && depth < 16) {
        mt_jw_begin_array(w);
        for (uint32_t i = 0; i < node->count; i++) {
            write_effect_node(w, &node->as.items[i], depth + 1);
        }
        mt_jw_end_array(w);
    } else {
        mt_jw_json(w, node);
    }
}

static mt_str effect_text(mt_form *f, const mt_json *node)
{
    reader *r = f->state;
    if (!mt_json_is(node, MT_JSON_OBJECT)) {
        mt_form_say(f, MT_FORM_WRONG_KIND, node, "effect", "must be an object");
        return (mt_str){0};
    }
    mt_buf_clear(r->scratch);
    mt_jw w = mt_jw_start(r->scratch, false);
    write_effect_node(&w, node, 0);
    return mt_str_dup(r->arena, mt_buf_str(r->scratch));
}

/* The bytes of a value as written: from its first byte to the member that follows it
 * without white space, as our own writer lays them out. False when they do not. */
static bool slice_before(const reader *r, const mt_json *value, const mt_json *next,
                         mt_str between, mt_str *out)
{
    if (!value || !next || next->offset < value->offset + between.len) {
        return false;
    }
    const char *end = r->text.ptr + next->offset - between.len;
    *out = mt_str_from(r->text.ptr + value->offset,
                       (size_t)(end - r->text.ptr) - value->offset);
    return mt_str_eq(mt_str_from(end, between.len), between);
}

typedef struct draft_effect {
    const mt_json *effect, *hash_at;
    mt_str hash;
} draft_effect;
static const mt_form_row EFFECT[] = {
    MT_FORM_ANY(draft_effect, effect, "effect", 0),
    MT_FORM_ANY(draft_effect, hash_at, "effect_hash", 0),
    TEXT(draft_effect, hash, "effect_hash", MT_FORM_REQUIRED),
};

/* A journal keeps the hashed bytes, so nothing is written again; a document may have
 * been reformatted and is. */
static gr_capture_effect effect_of(mt_form *f, const mt_json *item)
{
    const reader *r = f->state;
    draft_effect d = {0};
    gr_capture_effect out = {0};
    READ(f, item, EFFECT, &d);
    /* A journal has the very text that was hashed. */
    bool as_written =
        r->terse && mt_json_is(d.effect, MT_JSON_OBJECT) &&
        slice_before(r, d.effect, d.hash_at, MT_STR(",\"effect_hash\":"), &out.effect);
    if (!as_written) {
        out.effect = effect_text(f, d.effect);
    }
    out.hash = d.hash;
    return out;
}

static void take_effects(reader *r, mt_form *f, const mt_json *list,
                         gr_capture_decision *out)
{
    if (!list) {
        return;
    }
    gr_capture_effect *effects = mt_new_array(r->arena, gr_capture_effect, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        mt_form in = mt_form_item(f, "effects", i, "an effect");
        effects[i] = effect_of(&in, &list->as.items[i]);
    }
    out->effects = effects;
    out->effect_count = list->count;
}

/* ---- Decisions ---- */

static const mt_form_row ACK[] = {
    TEXT(gr_capture_ack, intent_id, "intent_id", MT_FORM_REQUIRED),
    TEXT(gr_capture_ack, channel, "channel", MT_FORM_REQUIRED),
    TEXT(gr_capture_ack, status, "status", MT_FORM_REQUIRED),
    TEXT(gr_capture_ack, acceptance, "acceptance", MT_FORM_REQUIRED),
    TEXT(gr_capture_ack, egress_ref, "egress_ref", 0),
};

/* Acknowledgements come from channels, after the dispatch. */
static void take_acks(reader *r, mt_form *f, const mt_json *list,
                      gr_capture_decision *out)
{
    if (!list) {
        return;
    }
    gr_capture_ack *acks = mt_new_array(r->arena, gr_capture_ack, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        mt_form in = mt_form_item(f, "intent_acks", i, "an acknowledgement");
        READ(&in, &list->as.items[i], ACK, &acks[i]);
    }
    out->acks = acks;
    out->ack_count = list->count;
}

static bool read_verdict(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    return (mt_json_is(v, MT_JSON_STRING) && gr_verdict_parse(mt_json_text(v), to)) ||
           refuse(f, row, v, "must be Invoke, Defer or Skip");
}

/* "Completed", or {"Failed": why}: also says that it ran. */
static bool read_termination(mt_form *f, const mt_form_row *row, const mt_json *v,
                             void *to)
{
    gr_decision *d = to;
    d->ran = true;
    if (mt_json_is(v, MT_JSON_STRING)) {
        return (gr_end_parse(mt_json_text(v), &d->termination.end) &&
                d->termination.end != GR_END_FAILED) ||
               refuse(f, row, v, "is not a known termination");
    }
    d->termination.end = GR_END_FAILED;
    return (mt_json_is(v, MT_JSON_OBJECT) && v->count == 1 &&
            gr_failure_parse(mt_json_text(mt_json_at(v, "Failed")),
                             &d->termination.fault)) ||
           refuse(f, row, v, "is not a known failure");
}

typedef struct draft_decision {
    gr_capture_decision d;
    const mt_json *effects, *acks;
} draft_decision;

/* clang-format off */
#define DISPATCH_ROWS \
    TEXT(draft_decision, d.interruption, "interruption", 0), \
    MT_FORM_LIST(draft_decision, acks, "intent_acks", 0, MOST, 0)
/* `needed`: a document has them all, a journal only those that say something. */
#define DECISION_ROWS(needed) \
    MT_FORM_OWN(draft_decision, d.decision.verdict, "decision", read_verdict, \
                MT_FORM_REQUIRED), \
    MT_FORM_OWN(draft_decision, d.decision.schedule_at, "schedule_at", \
                read_time_option, MT_FORM_NULLABLE), \
    MT_FORM_OWN(draft_decision, d.decision.episode_id, "episode_id", read_u64, \
                MT_FORM_REQUIRED), \
    MT_FORM_OWN(draft_decision, d.decision.deadline, "deadline", read_time_option, \
                MT_FORM_NULLABLE), \
    MT_FORM_OWN(draft_decision, d.decision, "termination", read_termination, \
                MT_FORM_NULLABLE), \
    MT_FORM_U32(draft_decision, d.decision.retry_count, "retry_count", 0, UINT32_MAX, \
                needed), \
    MT_FORM_LIST(draft_decision, effects, "effects", 0, MOST, needed), \
    DISPATCH_ROWS
/* clang-format on */
static const mt_form_row DISPATCH[] = {
    DISPATCH_ROWS, MT_FORM_NOTE("dispatched"), /* read before */
};
static const mt_form_row JOURNAL_DECISION[] = {DECISION_ROWS(0)};
static const mt_form_row DECISION[] = {
    TEXT(draft_decision, d.event_id, "event_id", MT_FORM_REQUIRED),
    DECISION_ROWS(MT_FORM_REQUIRED),
};

/* A journal's decision leaves out what has its usual value; both forms give the same
 * struct. */
static gr_capture_decision read_decision(reader *r, mt_form *f, const mt_json *node)
{
    draft_decision d = {0};
    if (r->terse) {
        READ(f, node, JOURNAL_DECISION, &d);
    } else {
        READ(f, node, DECISION, &d);
    }
    take_effects(r, f, d.effects, &d.d);
    take_acks(r, f, d.acks, &d.d);
    return d.d;
}

/* ---- Events ---- */

static bool read_signal_kind(mt_form *f, const mt_form_row *row, const mt_json *v,
                             void *to)
{
    return (mt_json_is(v, MT_JSON_STRING) &&
            gr_signal_kind_parse(mt_json_text(v), to)) ||
           refuse(f, row, v, "must be Pump, DataAvailable or Command");
}

/* All but the payload. */
/* clang-format off */
#define EVENT_ROWS(needed) \
    TEXT(gr_capture_event, id, "event_id", MT_FORM_REQUIRED), \
    MT_FORM_OWN(gr_capture_event, at, "event_time", read_time, needed), \
    MT_FORM_OWN(gr_capture_event, kind, "kind", read_signal_kind, MT_FORM_REQUIRED), \
    TEXT(gr_capture_event, payload_hash, "payload_hash", MT_FORM_REQUIRED)
/* clang-format on */
static const mt_form_row JOURNAL_EVENT[] = {
    EVENT_ROWS(0), MT_FORM_NOTE("payload"), /* as the bytes it is */
};
static const mt_form_row EVENT[] = {EVENT_ROWS(MT_FORM_REQUIRED)};

/* Payloads are lists of numbers in a capture (the format's own choice). All are checked
 * before one message is said. */
static mt_str read_bytes(mt_form *f, const mt_json *list)
{
    reader *r = f->state;
    size_t count = mt_json_is(list, MT_JSON_ARRAY) ? list->count : 0;
    char *bytes = mt_alloc(r->arena, count + 1);
    bool good = mt_json_is(list, MT_JSON_ARRAY);
    for (uint32_t i = 0; i < count; i++) {
        int64_t byte = -1;
        good &= !mt_json_i64(&list->as.items[i], &byte) && byte >= 0 && byte <= 255;
        bytes[i] = (char)byte;
    }
    if (!good) {
        mt_form_say(f, MT_FORM_WRONG_KIND, list, "payload", "must be a list of bytes");
    }
    return good ? mt_str_from(bytes, count) : (mt_str){0};
}

/* ---- The head, and what was carried over ---- */

static const mt_form_row CONFIG_ROWS[] = {
    MT_FORM_OWN(gr_constraints, max_in_flight, "max_in_flight", read_count_option,
                MT_FORM_NULLABLE),
    MT_FORM_OWN(gr_constraints, max_per_window, "max_per_window", read_count_option,
                MT_FORM_NULLABLE),
    MT_FORM_OWN(gr_constraints, rate_window, "rate_window", read_time_option,
                MT_FORM_NULLABLE),
    MT_FORM_OWN(gr_constraints, deadline, "deadline", read_time_option,
                MT_FORM_NULLABLE),
    MT_FORM_U32(gr_constraints, max_retries, "max_retries", 0, UINT32_MAX,
                MT_FORM_REQUIRED),
};
static const mt_form_table CONFIG =
    MT_FORM_TABLE("a config", CONFIG_ROWS, gr_constraints, NULL);

/* clang-format off */
#define HEAD_ROWS(type) \
    MT_FORM_INSIDE(type, head.config, "config", &CONFIG, MT_FORM_REQUIRED), \
    TEXT(type, head.graph_id, "graph_id", MT_FORM_REQUIRED), \
    TEXT(type, head.adapter_provenance, "adapter_provenance", MT_FORM_REQUIRED), \
    TEXT(type, head.runtime_provenance, "runtime_provenance", MT_FORM_REQUIRED), \
    TEXT(type, head.egress_provenance, "egress_provenance", 0)
/* clang-format on */

typedef struct draft_start {
    mt_str version;
    gr_capture_head head;
    const mt_json *carried;
} draft_start;
static const mt_form_row JOURNAL_START[] = {
    HEAD_ROWS(draft_start),
    TEXT(draft_start, head.key, "key", 0),
    TEXT(draft_start, head.primitives, "primitives", 0),
    TEXT(draft_start, version, "journal", MT_FORM_REQUIRED),
};
static const mt_form_row START[] = {
    TEXT(draft_start, version, "capture_version", MT_FORM_REQUIRED),
    HEAD_ROWS(draft_start),
    MT_FORM_NOTE("events"), /* both are read one by one */
    MT_FORM_NOTE("decisions"),
    MT_FORM_ANY(draft_start, carried, "carried", 0),
};

typedef struct draft_carried {
    gr_time now;
    const mt_json *runs, *waiting;
} draft_carried;
static const mt_form_row JOURNAL_CARRIED[] = {
    MT_FORM_LIST(draft_carried, runs, "runs", 0, MOST, MT_FORM_REQUIRED),
    MT_FORM_OWN(draft_carried, now, "now", read_time, MT_FORM_REQUIRED),
};
static const mt_form_row CARRIED[] = {
    MT_FORM_LIST(draft_carried, runs, "runs", 0, MOST, MT_FORM_REQUIRED),
    MT_FORM_OWN(draft_carried, now, "now", read_time, MT_FORM_REQUIRED),
    MT_FORM_LIST(draft_carried, waiting, "waiting", 0, MOST, MT_FORM_REQUIRED),
};

/* All but the payload. */
static const mt_form_row WAITING[] = {
    TEXT(gr_capture_waiting, event_id, "event_id", MT_FORM_REQUIRED),
    MT_FORM_OWN(gr_capture_waiting, schedule_at, "schedule_at", read_time,
                MT_FORM_REQUIRED),
    TEXT(gr_capture_waiting, payload_hash, "payload_hash", MT_FORM_REQUIRED),
    MT_FORM_NOTE("payload"), /* read as its bytes */
};

/* Times of runs that still count for the rate window: without them a resumed run would
 * invoke too early. */
static void take_runs(reader *r, mt_form *f, const draft_carried *d,
                      gr_capture_carried *out)
{
    size_t count = d->runs ? d->runs->count : 0;
    gr_time *runs = mt_new_array(r->arena, gr_time, count);
    for (uint32_t i = 0; i < count; i++) {
        mt_form in = mt_form_item(f, "runs", i, "a time");
        READ(&in, &d->runs->as.items[i], TIME, &runs[i]);
    }
    out->now = d->now;
    out->runs = runs;
    out->run_count = count;
}

/* Events that were deferred when the run before ended; they carry their payload, since
 * the one who sent them will not do it again. */
static void take_waiting(reader *r, mt_form *f, const mt_json *list,
                         gr_capture_carried *out)
{
    size_t count = list ? list->count : 0;
    gr_capture_waiting *waiting = mt_new_array(r->arena, gr_capture_waiting, count);
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *item = &list->as.items[i];
        mt_form in = mt_form_item(f, "waiting", i, "an event that waits");
        READ(&in, item, WAITING, &waiting[i]);
        waiting[i].payload = read_bytes(&in, mt_json_at(item, "payload"));
    }
    out->waiting = waiting;
    out->waiting_count = count;
}

static void read_carried(reader *r, const mt_json *node, gr_capture_carried *out)
{
    mt_form in = mt_form_inside(&r->form, "carried", "what was carried over");
    draft_carried d = {0};
    if (r->terse) {
        READ(&in, node, JOURNAL_CARRIED, &d);
    } else {
        READ(&in, node, CARRIED, &d);
    }
    take_runs(r, &in, &d, out);
    take_waiting(r, &in, d.waiting, out);
}

/* ---- Journal ---- */

/* The payload's own bytes. */
static mt_str payload_slice(reader *r, const mt_json *event)
{
    const mt_json *payload = mt_json_at(event, "payload");
    const mt_json *hash = payload ? mt_json_at(event, "payload_hash") : NULL;
    mt_str bytes = {0};
    if (payload && hash &&
        !slice_before(r, payload, hash, MT_STR(",\"payload_hash\":"), &bytes)) {
        fail(r, MT_STR("payload"), "is not where a journal has it");
    }
    return bytes;
}

/* A journal of another version is refused whole; guessing at a line could lose a
 * step. */
static void read_line_head(reader *r, const mt_json *node, gr_journal_record *out)
{
    draft_start d = {0};
    out->kind = GR_JOURNAL_HEAD;
    READ(&r->form, node, JOURNAL_START, &d);
    out->head = d.head;
    if (!mt_str_is(d.version, "motet-graph/1")) {
        fail(r, MT_STR("journal"), "has a version this program does not read");
    }
}

/* A line about intents that were dispatched after their step had been written; it
 * belongs to the decision of the same event. */
static void read_line_acks(reader *r, const mt_json *node, gr_journal_record *out)
{
    static const mt_form_row DISPATCHED =
        TEXT(draft_decision, d.event_id, "dispatched", MT_FORM_REQUIRED);
    draft_decision d = {0};
    out->kind = GR_JOURNAL_ACKS;
    (void)mt_form_field(&r->form, node, &DISPATCHED, &d);
    READ(&r->form, node, DISPATCH, &d);
    take_acks(r, &r->form, d.acks, &d.d);
    out->decision = d.d;
}

/* A journal's decision does not repeat the event's id. */
static void read_line_step(reader *r, const mt_json *event, const mt_json *decision,
                           gr_journal_record *out)
{
    mt_form of_event = mt_form_member(&r->form, MT_STR("event"), "an event");
    mt_form of_decision = mt_form_member(&r->form, MT_STR("decision"), "a decision");
    out->kind = GR_JOURNAL_STEP;
    READ(&of_event, event, JOURNAL_EVENT, &out->event);
    out->event.payload = payload_slice(r, event);
    out->decision = read_decision(r, &of_decision, decision);
    out->decision.event_id = out->event.id;
}

static void read_line_waiting(reader *r, const mt_json *waiting, gr_journal_record *out)
{
    mt_form in = mt_form_inside(&r->form, "waiting", "an event that waits");
    out->kind = GR_JOURNAL_WAITING;
    READ(&in, waiting, WAITING, &out->waiting);
    out->waiting.payload = payload_slice(r, waiting);
}

/* Which kind of line it is shows by the member it has; nearly all are steps. */
static void read_record(reader *r, const mt_json *node, gr_journal_record *out)
{
    const mt_json *event = mt_json_at(node, "event");
    const mt_json *decision = mt_json_at(node, "decision");
    bool step =
        mt_json_is(event, MT_JSON_OBJECT) && mt_json_is(decision, MT_JSON_OBJECT);
    if (step && node->count == 2) {
        read_line_step(r, event, decision, out);
    } else if (mt_json_at(node, "journal")) {
        read_line_head(r, node, out);
    } else if (mt_json_at(node, "carried")) {
        out->kind = GR_JOURNAL_CARRIED;
        read_carried(r, mt_json_at(node, "carried"), &out->carried);
    } else if (mt_json_at(node, "waiting")) {
        read_line_waiting(r, mt_json_at(node, "waiting"), out);
    } else if (mt_json_at(node, "dispatched")) {
        read_line_acks(r, node, out);
    } else {
        fail(r, MT_STR("$"), "is not a journal record");
    }
}

/* One line of a journal. What to make of one that cannot be read (MT_E_CORRUPT) is for
 * the caller: the last may have been cut off by a crash. */
mt_err gr_item_line(mt_arena *keep, mt_arena *tree, mt_str line, size_t most,
                    gr_journal_record *out, gr_capture_fault *fault)
{
    mt_json root;
    mt_buf scratch = {0};
    reader r = {.arena = keep,
                .text = line,
                .scratch = &scratch,
                .fault = fault,
                .terse = true};
    begin(&r);
    *out = (gr_journal_record){0};
    if (!parse(&r, tree, line, most, &root)) {
        read_record(&r, &root, out);
    }
    mt_buf_free(&scratch);
    return r.failed ? MT_E_CORRUPT : MT_OK;
}

mt_err gr_journal_read(mt_arena *keep, mt_arena *tree, mt_str line,
                       gr_journal_record *out, gr_capture_fault *fault)
{
    return gr_item_line(keep, tree, line, 0, out, fault);
}

/* ---- Documents ---- */

/* Unknown members of the head are refused: a newer format may change what the rest
 * means. */
static void read_start(reader *r, const mt_json *root, gr_capture_start *out)
{
    draft_start d = {0};
    mt_form strict = r->form;
    strict.unknown = MT_FORM_REFUSED;
    if (!mt_json_is(root, MT_JSON_OBJECT)) {
        fail(r, MT_STR("$"), "must be an object");
        return;
    }
    if (!mt_form_keys(&strict, root, START, mt_form_count(START))) {
        return;
    }
    READ(&r->form, root, START, &d);
    out->version = d.version;
    out->head = d.head;
    if (d.carried) {
        read_carried(r, d.carried, &out->carried);
    }
}

/* Everything before the events. What is kept lives in `keep`, the tree is dropped. */
mt_err gr_item_start(mt_arena *keep, mt_arena *tree, mt_str text, size_t most,
                     gr_capture_start *out, gr_capture_fault *fault)
{
    mt_json root;
    reader r = {.arena = keep, .fault = fault};
    begin(&r);
    mt_err err = parse(&r, tree, text, most, &root);
    if (err) {
        return err;
    }
    read_start(&r, &root, out);
    return r.failed ? MT_E_SYNTAX : MT_OK;
}

/* Reads an event's bytes without a tree, in which each would be a node. */
static mt_str pull_bytes(reader *r, mt_jp *j)
{
    mt_buf_clear(r->scratch);
    if (!mt_jp_array(j)) {
        return (mt_str){0};
    }
    while (mt_jp_item(j)) {
        mt_str digits;
        unsigned value = 256;
        if (mt_jp_number(j, &digits) && digits.len <= 3) {
            value = 0;
            for (size_t i = 0; i < digits.len; i++) {
                unsigned digit = (unsigned char)digits.ptr[i] - (unsigned)'0';
                value = digit <= 9 ? value * 10 + digit : 256;
            }
        }
        if (value > 255) {
            fail(r, MT_STR("payload"), "must be a list of bytes");
        }
        mt_buf_addc(r->scratch, (char)value);
    }
    return mt_str_dup(r->arena, mt_buf_str(r->scratch));
}

/* The other members as an object. */
static mt_json pull_members(reader *r, mt_jp *j, mt_str *payload)
{
    MT_VEC(mt_json_member) list = {0};
    mt_json object = {.type = MT_JSON_OBJECT};
    for (mt_str key; mt_jp_key(j, &key);) {
        bool bytes = mt_str_is(key, "payload");
        if (mt_json_get(&object, key) || (bytes && payload->ptr)) {
            (void)mt_jp_duplicate(j, key);
        } else if (bytes) {
            *payload = pull_bytes(r, j);
        } else {
            mt_json_member *m = mt_vec_add(j->arena, &list);
            m->key = key;
            m->value = (mt_json){0};
            (void)mt_jp_tree(j, &m->value);
        }
        object.count = (uint32_t)list.len;
        object.as.members = list.items;
    }
    return object;
}

/* Pulled and not parsed into a tree: a payload is most of an event and would be one
 * node per byte. */
mt_err gr_item_event(mt_arena *keep, mt_arena *tree, mt_str text, size_t most,
                     gr_capture_event *out, gr_capture_fault *fault)
{
    mt_buf scratch = {0};
    mt_jp j;
    mt_str payload = {0};
    reader r = {.arena = keep, .scratch = &scratch, .fault = fault};
    mt_json_limits limits = {.bytes = most};
    begin(&r);
    mt_arena_reset(tree);
    mt_jp_start(&j, tree, text, &limits);
    mt_jp_object(&j);
    mt_json members = pull_members(&r, &j, &payload);
    mt_json_error why;
    if (mt_jp_finish(&j, &why)) {
        fail(&r, MT_STR("$"), why.message);
    }
    *out = (gr_capture_event){0};
    READ(&r.form, &members, EVENT, out);
    out->payload = payload;
    if (!payload.ptr) {
        fail(&r, MT_STR("payload"), "must be a list of bytes");
    }
    mt_buf_free(&scratch);
    return r.failed ? MT_E_SYNTAX : MT_OK;
}

mt_err gr_item_decision(mt_arena *keep, mt_arena *tree, mt_str text, size_t most,
                        gr_capture_decision *out, gr_capture_fault *fault)
{
    mt_json node;
    mt_buf scratch = {0};
    reader r = {.arena = keep, .scratch = &scratch, .fault = fault};
    begin(&r);
    mt_err err = parse(&r, tree, text, most, &node);
    if (!err) {
        *out = read_decision(&r, &r.form, &node);
    }
    mt_buf_free(&scratch);
    return err ? err : r.failed ? MT_E_SYNTAX : MT_OK;
}
