/* graph/capture_read.c - one item of a capture from its JSON: the head, an event, a
 * decision, a journal line. Pure and without memory of what came before: which item
 * stands where is graph/capture_stream.c's business.
 * Every text of an item is in the arena `keep` or borrows from a journal line; the tree
 * is scratch. The first fault is kept, with the member it was found in. */
#include "graph/capture_item.h"

#include "base/json_pull.h"

typedef struct reader {
    mt_arena *arena; /* what the capture keeps; the JSON tree lives elsewhere */
    mt_str text;     /* what offsets count in */
    mt_buf *scratch;
    gr_capture_fault *fault;
    bool terse; /* a journal: what is absent is null, zero or empty */
    bool failed;
} reader;

static void fail(reader *r, mt_str path, const char *message)
{
    if (!r->failed) {
        r->failed = true;
        *r->fault = (gr_capture_fault){path, mt_str_z(message)};
    }
}

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

/* ---- scalars ---- */

/* Text without escapes borrows from the input; decoded text dies with the tree. */
static mt_str keep_text(reader *r, mt_str s)
{
    uintptr_t at = (uintptr_t)s.ptr, start = (uintptr_t)r->text.ptr;
    return at >= start && at - start < r->text.len ? s : mt_str_dup(r->arena, s);
}

static mt_str text_of(reader *r, const mt_json *object, mt_str key)
{
    const mt_json *node = mt_json_get(object, key);
    if (!mt_json_is(node, MT_JSON_STRING)) {
        fail(r, key, "must be a string");
        return (mt_str){0};
    }
    return keep_text(r, mt_json_text(node));
}

static mt_str optional_text(reader *r, const mt_json *object, mt_str key)
{
    const mt_json *node = mt_json_get(object, key);
    return node ? text_of(r, object, key) : (mt_str){0};
}

/* Captures count in unsigned 64 bits; the reader's integers are signed. */
static uint64_t count_of(reader *r, const mt_json *node, mt_str name, uint64_t most)
{
    mt_str digits = mt_json_text(node);
    uint64_t value = 0;
    bool ok = mt_json_is(node, MT_JSON_NUMBER);
    for (size_t i = 0; ok && i < digits.len; i++) {
        unsigned digit = (unsigned char)digits.ptr[i] - (unsigned)'0';
        ok = digit <= 9 && !__builtin_mul_overflow(value, 10u, &value) &&
             !__builtin_add_overflow(value, digit, &value);
    }
    if (!ok || value > most) {
        fail(r, name, "must be a whole number in range");
        return 0;
    }
    return value;
}

static gr_time time_of(reader *r, const mt_json *node, mt_str name)
{
    if (!mt_json_is(node, MT_JSON_OBJECT)) {
        fail(r, name, "must be {secs, nanos}");
        return (gr_time){0};
    }
    return (gr_time){
        count_of(r, mt_json_at(node, "secs"), name, UINT64_MAX),
        (uint32_t)count_of(r, mt_json_at(node, "nanos"), name, 999999999),
    };
}

static bool absent(const mt_json *node)
{
    return !node || node->type == MT_JSON_NULL;
}

static gr_time_option time_option(reader *r, const mt_json *object, mt_str key)
{
    const mt_json *node = mt_json_get(object, key);
    return absent(node) ? (gr_time_option){0}
                        : (gr_time_option){true, time_of(r, node, key)};
}

static gr_count_option count_option(reader *r, const mt_json *object, mt_str key)
{
    const mt_json *node = mt_json_get(object, key);
    return absent(node) ? (gr_count_option){0}
                        : (gr_count_option){true, count_of(r, node, key, UINT64_MAX)};
}

/* ---- effects ---- */

/* An effect's text is hashed, so its members have one order: this one. */
static const char *const EFFECT_KEYS[] = {"kind",   "intent_id", "writes", "intents",
                                          "fields", "key",       "name",   "value"};

static void write_effect_node(mt_jw *w, const mt_json *node, int depth);

static void write_effect_members(mt_jw *w, const mt_json *node, int depth)
{
    size_t known = 0;
    mt_jw_begin_object(w);
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

static mt_str effect_text(reader *r, const mt_json *node)
{
    if (!mt_json_is(node, MT_JSON_OBJECT)) {
        fail(r, MT_STR("effect"), "must be an object");
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

static void read_effects(reader *r, const mt_json *list, gr_capture_decision *d)
{
    if (r->terse && !list) {
        return;
    }
    if (!mt_json_is(list, MT_JSON_ARRAY)) {
        fail(r, MT_STR("effects"), "must be a list");
        return;
    }
    gr_capture_effect *effects = mt_new_array(r->arena, gr_capture_effect, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *item = &list->as.items[i];
        const mt_json *effect = mt_json_at(item, "effect");
        /* A journal has the very text that was hashed. */
        bool as_written = r->terse && mt_json_is(effect, MT_JSON_OBJECT) &&
                          slice_before(r, effect, mt_json_at(item, "effect_hash"),
                                       MT_STR(",\"effect_hash\":"), &effects[i].effect);
        if (!as_written) {
            effects[i].effect = effect_text(r, effect);
        }
        effects[i].hash = text_of(r, item, MT_STR("effect_hash"));
    }
    d->effects = effects;
    d->effect_count = list->count;
}

/* ---- decisions ---- */

static void read_dispatch(reader *r, const mt_json *node, gr_capture_decision *d)
{
    const mt_json *list = mt_json_at(node, "intent_acks");
    d->interruption = optional_text(r, node, MT_STR("interruption"));
    if (!list) {
        return;
    }
    if (list->type != MT_JSON_ARRAY) {
        fail(r, MT_STR("intent_acks"), "must be a list");
        return;
    }
    gr_capture_ack *acks = mt_new_array(r->arena, gr_capture_ack, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *ack = &list->as.items[i];
        acks[i] = (gr_capture_ack){
            .intent_id = text_of(r, ack, MT_STR("intent_id")),
            .channel = text_of(r, ack, MT_STR("channel")),
            .status = text_of(r, ack, MT_STR("status")),
            .acceptance = text_of(r, ack, MT_STR("acceptance")),
            .egress_ref = optional_text(r, ack, MT_STR("egress_ref")),
        };
    }
    d->acks = acks;
    d->ack_count = list->count;
}

static void read_termination(reader *r, const mt_json *node, gr_decision *d)
{
    if (absent(node)) {
        return;
    }
    d->ran = true;
    if (node->type == MT_JSON_STRING) {
        if (!gr_end_parse(mt_json_text(node), &d->termination.end) ||
            d->termination.end == GR_END_FAILED) {
            fail(r, MT_STR("termination"), "is not a known termination");
        }
        return;
    }
    d->termination.end = GR_END_FAILED;
    if (!gr_failure_parse(mt_json_text(mt_json_at(node, "Failed")),
                          &d->termination.fault)) {
        fail(r, MT_STR("termination"), "is not a known failure");
    }
}

static gr_capture_decision read_decision(reader *r, const mt_json *node)
{
    const mt_json *retries = mt_json_at(node, "retry_count");
    gr_capture_decision d = {0};
    if (!r->terse) {
        d.event_id = text_of(r, node, MT_STR("event_id"));
    }
    if (!gr_verdict_parse(text_of(r, node, MT_STR("decision")), &d.decision.verdict)) {
        fail(r, MT_STR("decision"), "must be Invoke, Defer or Skip");
    }
    d.decision.schedule_at = time_option(r, node, MT_STR("schedule_at"));
    d.decision.episode_id =
        count_of(r, mt_json_at(node, "episode_id"), MT_STR("episode_id"), UINT64_MAX);
    d.decision.deadline = time_option(r, node, MT_STR("deadline"));
    read_termination(r, mt_json_at(node, "termination"), &d.decision);
    if (retries || !r->terse) {
        d.decision.retry_count =
            (uint32_t)count_of(r, retries, MT_STR("retry_count"), UINT32_MAX);
    }
    read_effects(r, mt_json_at(node, "effects"), &d);
    read_dispatch(r, node, &d);
    return d;
}

/* ---- events ---- */

static gr_capture_event read_event_head(reader *r, const mt_json *node)
{
    const mt_json *at = mt_json_at(node, "event_time");
    gr_capture_event e = {
        .id = text_of(r, node, MT_STR("event_id")),
        .payload_hash = text_of(r, node, MT_STR("payload_hash")),
    };
    if (at || !r->terse) {
        e.at = time_of(r, at, MT_STR("event_time"));
    }
    if (!gr_signal_kind_parse(text_of(r, node, MT_STR("kind")), &e.kind)) {
        fail(r, MT_STR("kind"), "must be Pump, DataAvailable or Command");
    }
    return e;
}

static mt_str read_bytes(reader *r, const mt_json *list)
{
    if (!mt_json_is(list, MT_JSON_ARRAY)) {
        fail(r, MT_STR("payload"), "must be a list of bytes");
        return (mt_str){0};
    }
    char *bytes = mt_alloc(r->arena, (size_t)list->count + 1);
    for (uint32_t i = 0; i < list->count; i++) {
        bytes[i] = (char)count_of(r, &list->as.items[i], MT_STR("payload"), 255);
    }
    return mt_str_from(bytes, list->count);
}

static gr_capture_head read_head(reader *r, const mt_json *node)
{
    const mt_json *config = mt_json_at(node, "config");
    if (!mt_json_is(config, MT_JSON_OBJECT)) {
        fail(r, MT_STR("config"), "must be an object");
    }
    return (gr_capture_head){
        .graph_id = text_of(r, node, MT_STR("graph_id")),
        .adapter_provenance = text_of(r, node, MT_STR("adapter_provenance")),
        .runtime_provenance = text_of(r, node, MT_STR("runtime_provenance")),
        .egress_provenance = optional_text(r, node, MT_STR("egress_provenance")),
        .config = {
            .max_in_flight = count_option(r, config, MT_STR("max_in_flight")),
            .max_per_window = count_option(r, config, MT_STR("max_per_window")),
            .rate_window = time_option(r, config, MT_STR("rate_window")),
            .deadline = time_option(r, config, MT_STR("deadline")),
            .max_retries = (uint32_t)count_of(r, mt_json_at(config, "max_retries"),
                                              MT_STR("max_retries"), UINT32_MAX),
        }};
}

/* ---- what was carried over ---- */

static const mt_json *list_of(reader *r, const mt_json *node, mt_str key)
{
    static const mt_json NONE = {.type = MT_JSON_ARRAY};
    const mt_json *list = mt_json_get(node, key);
    if (!mt_json_is(list, MT_JSON_ARRAY)) {
        fail(r, key, "must be a list");
        return &NONE;
    }
    return list;
}

static void read_runs(reader *r, const mt_json *node, gr_capture_carried *out)
{
    const mt_json *list = list_of(r, node, MT_STR("runs"));
    gr_time *runs = mt_new_array(r->arena, gr_time, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        runs[i] = time_of(r, &list->as.items[i], MT_STR("runs"));
    }
    out->now = time_of(r, mt_json_at(node, "now"), MT_STR("now"));
    out->runs = runs;
    out->run_count = list->count;
}

/* All but the payload. */
static gr_capture_waiting read_waiting(reader *r, const mt_json *node)
{
    return (gr_capture_waiting){
        .event_id = text_of(r, node, MT_STR("event_id")),
        .schedule_at =
            time_of(r, mt_json_at(node, "schedule_at"), MT_STR("schedule_at")),
        .payload_hash = text_of(r, node, MT_STR("payload_hash")),
    };
}

static void read_carried(reader *r, const mt_json *node, gr_capture_carried *out)
{
    read_runs(r, node, out);
    const mt_json *list = list_of(r, node, MT_STR("waiting"));
    gr_capture_waiting *waiting =
        mt_new_array(r->arena, gr_capture_waiting, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        waiting[i] = read_waiting(r, &list->as.items[i]);
        waiting[i].payload = read_bytes(r, mt_json_at(&list->as.items[i], "payload"));
    }
    out->waiting = waiting;
    out->waiting_count = list->count;
}

/* ---- journal ---- */

bool gr_is_journal(mt_str text)
{
    return mt_str_starts(text, MT_STR("{\"journal\":"));
}

/* The payload's own bytes. */
static mt_str payload_slice(reader *r, const mt_json *event)
{
    const mt_json *payload = mt_json_at(event, "payload");
    const mt_json *hash = mt_json_at(event, "payload_hash");
    mt_str bytes = {0};
    if (payload && hash &&
        !slice_before(r, payload, hash, MT_STR(",\"payload_hash\":"), &bytes)) {
        fail(r, MT_STR("payload"), "is not where a journal has it");
    }
    return bytes;
}

static void read_record(reader *r, const mt_json *node, gr_journal_record *out)
{
    const mt_json *event = mt_json_at(node, "event");
    const mt_json *decision = mt_json_at(node, "decision");
    const mt_json *waiting = mt_json_at(node, "waiting");
    if (mt_json_at(node, "journal")) {
        out->kind = GR_JOURNAL_HEAD;
        out->head = read_head(r, node);
        if (!mt_str_is(text_of(r, node, MT_STR("journal")), "motet-graph/1")) {
            fail(r, MT_STR("journal"), "has a version this program does not read");
        }
    } else if (mt_json_at(node, "carried")) {
        out->kind = GR_JOURNAL_CARRIED;
        read_runs(r, mt_json_at(node, "carried"), &out->carried);
    } else if (waiting) {
        out->kind = GR_JOURNAL_WAITING;
        out->waiting = read_waiting(r, waiting);
        out->waiting.payload = payload_slice(r, waiting);
    } else if (mt_json_at(node, "dispatched")) {
        out->kind = GR_JOURNAL_ACKS;
        out->decision.event_id = text_of(r, node, MT_STR("dispatched"));
        read_dispatch(r, node, &out->decision);
    } else if (mt_json_is(event, MT_JSON_OBJECT) &&
               mt_json_is(decision, MT_JSON_OBJECT)) {
        out->kind = GR_JOURNAL_STEP;
        out->event = read_event_head(r, event);
        out->event.payload = payload_slice(r, event);
        out->decision = read_decision(r, decision);
        out->decision.event_id = out->event.id;
    } else {
        fail(r, MT_STR("$"), "is not a journal record");
    }
}

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

/* ---- v3 ---- */

static bool known_top_level(mt_str key)
{
    static const char *const KEYS[] = {
        "capture_version",
        "graph_id",
        "config",
        "events",
        "decisions",
        "adapter_provenance",
        "runtime_provenance",
        "egress_provenance",
        "carried",
    };
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        if (mt_str_eq(key, mt_str_z(KEYS[i]))) {
            return true;
        }
    }
    return false;
}

static bool unknown_members(reader *r, const mt_json *root)
{
    for (uint32_t i = 0; i < root->count; i++) {
        if (!known_top_level(root->as.members[i].key)) {
            fail(r, keep_text(r, root->as.members[i].key),
                 "is not a field of a capture");
        }
    }
    return r->failed;
}

mt_err gr_item_start(mt_arena *keep, mt_arena *tree, mt_str text, size_t most,
                     gr_capture_start *out, gr_capture_fault *fault)
{
    mt_json root;
    reader r = {.arena = keep, .fault = fault};
    mt_err err = parse(&r, tree, text, most, &root);
    if (err) {
        return err;
    }
    if (root.type != MT_JSON_OBJECT) {
        fail(&r, MT_STR("$"), "must be an object");
    } else if (!unknown_members(&r, &root)) {
        out->version = text_of(&r, &root, MT_STR("capture_version"));
        out->head = read_head(&r, &root);
        if (mt_json_at(&root, "carried")) {
            read_carried(&r, mt_json_at(&root, "carried"), &out->carried);
        }
    }
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

mt_err gr_item_event(mt_arena *keep, mt_arena *tree, mt_str text, size_t most,
                     gr_capture_event *out, gr_capture_fault *fault)
{
    mt_buf scratch = {0};
    mt_jp j;
    mt_str payload = {0};
    reader r = {.arena = keep, .scratch = &scratch, .fault = fault};
    mt_json_limits limits = {.bytes = most};
    mt_arena_reset(tree);
    mt_jp_start(&j, tree, text, &limits);
    mt_jp_object(&j);
    mt_json members = pull_members(&r, &j, &payload);
    mt_json_error why;
    if (mt_jp_finish(&j, &why)) {
        fail(&r, MT_STR("$"), why.message);
    }
    *out = read_event_head(&r, &members);
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
    mt_err err = parse(&r, tree, text, most, &node);
    if (!err) {
        *out = read_decision(&r, &node);
    }
    mt_buf_free(&scratch);
    return err ? err : r.failed ? MT_E_SYNTAX : MT_OK;
}
