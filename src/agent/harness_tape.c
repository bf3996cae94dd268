/* agent/harness_tape.c - the harness's operations on tapes and activations.
 *
 * A tape is read as the application gives it and shown in the SDK's words: its shape,
 * its rows by stored key, and by the key that the application knows.
 * INVARIANT: what cannot be a tape is an empty indexed one, as the SDK has it.
 * May fail: a tape or an extension with something that is not a token. */
#include "agent/harness_impl.h"
#include "agent/tape_impl.h"

/* Upper-case names of the shapes: SINGLE, MANY, INDEX_SINGLE, INDEX_MANY. */
static mt_str sdk_shape(ag_shape shape)
{
    static const char *const NAMES[] = {
        [AG_SINGLE] = "SINGLE",
        [AG_MANY] = "MANY",
        [AG_INDEX_SINGLE] = "INDEX_SINGLE",
        [AG_INDEX_MANY] = "INDEX_MANY",
    };
    MT_TABLE_COVERS(NAMES, AG_INDEX_MANY + 1);
    return mt_str_z(NAMES[shape]);
}

/* A tape is made in any case, so the caller frees it on every way. Compat reads nothing
 * where the profile refuses. */
bool ag_read_tape(ag_question *q, const ag_program *p, const mt_json *value,
                  ag_tape **out)
{
    ag_shape shape;
    bool none = ag_tape_shape_of(value, &shape) != MT_OK;
    *out = ag_tape_new(p, shape);
    if (none) {
        return q->mode == AG_COMPAT || !value || mt_json_is(value, MT_JSON_NULL) ||
               ag_refuse(q, "a tape is text, a list of texts, or an object of them");
    }
    mt_err err = ag_tape_read(*out, value);
    return !err || ag_refuse(q, "the tape holds something that is not a token");
}

mt_str ag_raw_key(mt_arena *a, const ag_tape *t, mt_str key)
{
    return key.ptr && ag_shape_indexed(ag_tape_shape(t))
               ? mt_strf(a, "tape:%.*s", MT_ARG(key))
               : key;
}

void ag_write_key(mt_jw *w, mt_str key)
{
    if (key.ptr) {
        mt_jw_str(w, key);
    } else {
        mt_jw_null(w);
    }
}

static void write_texts(mt_jw *w, const mt_str *texts, size_t count)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        mt_jw_str(w, texts[i]);
    }
    mt_jw_end_array(w);
}

/* ---- tape ---- */

typedef struct row {
    mt_str raw; /* key as the SDK stores it; ptr NULL: the null key */
    ag_pieces states;
} row;

typedef struct rows {
    row *items;
    size_t len, cap;
} rows;

/* `empty` keeps the keys and drops their states: what a refresh leaves. */
static rows rows_of(ag_question *q, const ag_tape *t, bool empty)
{
    rows out = {0};
    size_t keys;
    const mt_str *list = ag_tape_key_list(t, q->a, &keys);
    for (size_t i = 0; i < keys; i++) {
        row *r = mt_vec_add(q->a, &out);
        *r = (row){.raw = ag_raw_key(q->a, t, list[i])};
        size_t count;
        const mt_str *states = ag_tape_states(t, q->a, list[i], &count);
        for (size_t k = 0; k < count && !empty; k++) {
            mt_vec_push(q->a, &r->states, states[k]);
        }
    }
    return out;
}

static void write_rows(mt_jw *w, const rows *r)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < r->len; i++) {
        mt_jw_begin_array(w);
        ag_write_key(w, r->items[i].raw);
        write_texts(w, r->items[i].states.items, r->items[i].states.len);
        mt_jw_end_array(w);
    }
    mt_jw_end_array(w);
}

/* The null key is not the empty key, hence the comparison of pointers. */
static row *row_of(ag_question *q, rows *r, mt_str raw)
{
    for (size_t i = 0; i < r->len; i++) {
        if (!r->items[i].raw.ptr == !raw.ptr && mt_str_eq(r->items[i].raw, raw)) {
            return &r->items[i];
        }
    }
    row *added = mt_vec_add(q->a, r);
    *added = (row){.raw = raw};
    return added;
}

/* By the application's keys: stored keys that differ only by the prefix are one. */
static rows by_original_key(ag_question *q, const rows *stored)
{
    rows out = {0};
    for (size_t i = 0; i < stored->len; i++) {
        mt_str key = stored->items[i].raw;
        key = mt_str_starts(key, MT_STR("tape:")) ? mt_str_skip(key, 5) : key;
        row *r = row_of(q, &out, key);
        for (size_t k = 0; k < stored->items[i].states.len; k++) {
            mt_vec_push(q->a, &r->states, stored->items[i].states.items[k]);
        }
    }
    return out;
}

/* As the application sees it: one flat list, or rows by original key. */
static void write_presented(ag_question *q, const rows *r, ag_shape shape)
{
    mt_jw *w = q->w;
    if (ag_shape_indexed(shape)) {
        rows seen = by_original_key(q, r);
        write_rows(w, &seen);
        return;
    }
    mt_jw_begin_array(w);
    for (int null = 0; null < 2; null++) {
        for (size_t i = 0; i < r->len; i++) {
            for (size_t k = 0;
                 (r->items[i].raw.ptr == NULL) == null && k < r->items[i].states.len;
                 k++) {
                mt_jw_str(w, r->items[i].states.items[k]);
            }
        }
    }
    mt_jw_end_array(w);
}

/* In the question one NUL character stands for the null key. */
static bool extend(ag_question *q, rows *r, const mt_json *more)
{
    for (uint32_t i = 0; i < more->count; i++) {
        const mt_json_member *m = &more->as.members[i];
        bool null = m->key.len == 1 && m->key.ptr[0] == 0;
        row *target = row_of(q, r, null ? AG_NULL_KEY : m->key);
        for (uint32_t k = 0; k < m->value.count; k++) {
            ag_node node;
            if (ag_node_parse(q->a, q->mode, mt_json_text(&m->value.as.items[k]), &node,
                              NULL)) {
                return ag_refuse(q, "no token to extend with");
            }
            mt_vec_push(q->a, &target->states, node.text);
        }
    }
    return true;
}

static bool describe_tape(ag_question *q, const ag_tape *t)
{
    ag_shape shape = ag_tape_shape(t);
    rows held = rows_of(q, t, false), empty = rows_of(q, t, true);
    mt_jw_key_str(q->w, "type", sdk_shape(shape));
    mt_jw_keyz(q->w, "stored");
    write_rows(q->w, &held);
    mt_jw_keyz(q->w, "revert");
    write_presented(q, &held, shape);
    mt_jw_keyz(q->w, "refresh");
    write_presented(q, &empty, shape);
    const mt_json *more = mt_json_at(q->in, "extend");
    if (!mt_json_is(more, MT_JSON_OBJECT)) {
        return true;
    }
    if (!extend(q, &empty, more)) {
        return false;
    }
    mt_jw_keyz(q->w, "extended");
    write_presented(q, &empty, shape);
    return true;
}

bool ag_harness_tape(ag_question *q)
{
    ag_agent nobody = {.mode = q->mode};
    ag_program *p = ag_program_new(&nobody, NULL);
    ag_tape *t;
    bool ok = ag_read_tape(q, p, mt_json_at(q->in, "tape"), &t) && describe_tape(q, t);
    ag_tape_free(t);
    ag_program_free(p);
    return ok;
}

/* ---- activations ---- */

static void silent(void *host, const ag_call *call, ag_answer *answer)
{
    (void)host;
    (void)call;
    (void)answer;
}

static void write_activation(ag_question *q, const ag_tape *t, const ag_agent *agent,
                             const ag_activation *x)
{
    mt_jw *w = q->w;
    bool initial = ag_route_is_initial(&agent->receivers[x->receiver].route);
    mt_jw_begin_unsorted(w);
    mt_jw_keyz(w, "priority");
    ag_write_priority(w, agent->receivers[x->receiver].priority);
    mt_jw_keyz(w, "key");
    ag_write_key(w, x->key);
    mt_jw_keyz(w, "raw_key");
    ag_write_key(w, ag_raw_key(q->a, t, x->key));
    mt_jw_keyz(w, "state");
    ag_write_key(w, initial ? AG_NULL_KEY : x->state);
    mt_jw_key_str(w, "route", agent->receivers[x->receiver].route.canonical);
    mt_jw_key_i64(w, "receiver", x->receiver);
    mt_jw_end_object(w);
}

typedef struct unparsed {
    uint32_t index;
    mt_str error;
} unparsed;

/* A route that does not parse is an answer, not a refusal: its complaint is part of
 * what is compared. */
static bool read_routes(ag_question *q, ag_agent *agent, unparsed *faults,
                        uint32_t *fault_count)
{
    const mt_json *list = mt_json_at(q->in, "routes");
    if (!mt_json_is(list, MT_JSON_ARRAY)) {
        return ag_refuse(q, "`routes` is a list");
    }
    ag_receiver *out = mt_new_array(q->a, ag_receiver, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *at = &list->as.items[i];
        const mt_json *text =
            mt_json_is(at, MT_JSON_OBJECT) ? mt_json_at(at, "route") : at;
        ag_fault fault = {0};
        out[i].text = mt_json_text(text);
        if (!ag_read_priority(q, at, &out[i].priority)) {
            return false;
        }
        out[i].parsed = !ag_route_parse(q->a, q->mode, agent->styles, out[i].text,
                                        &out[i].route, &fault);
        if (!out[i].parsed) {
            faults[(*fault_count)++] =
                (unparsed){i, ag_sdk_complaint(q->a, out[i].text, &fault)};
        }
    }
    agent->receivers = out;
    agent->receiver_count = list->count;
    return true;
}

static void write_unparsed(ag_question *q, const ag_agent *agent, const unparsed *u,
                           uint32_t count)
{
    mt_jw_keyz(q->w, "unparsed");
    mt_jw_begin_array(q->w);
    for (uint32_t i = 0; i < count; i++) {
        mt_jw_begin_unsorted(q->w);
        mt_jw_key_i64(q->w, "index", u[i].index);
        mt_jw_key_str(q->w, "route", agent->receivers[u[i].index].text);
        mt_jw_key_str(q->w, "error", u[i].error);
        mt_jw_end_object(q->w);
    }
    mt_jw_end_array(q->w);
}

/* Runs one cycle with handlers that say nothing, only to see which receivers are
 * eligible (§6.2). */
bool ag_harness_activations(ag_question *q)
{
    ag_agent agent = {.mode = q->mode, .styles = q->styles.count ? &q->styles : NULL};
    const mt_json *list = mt_json_at(q->in, "routes");
    unparsed *faults = mt_new_array(q->a, unparsed, list ? list->count : 0);
    uint32_t fault_count = 0;
    if (!read_routes(q, &agent, faults, &fault_count)) {
        return false;
    }
    ag_program *p = ag_program_new(&agent, NULL);
    ag_tape *t;
    bool ok = ag_read_tape(q, p, mt_json_at(q->in, "tape"), &t);
    if (ok) {
        ag_cycle *c = ag_cycle_new(p, t);
        ag_cycle_run(c, &(ag_message){0}, silent, NULL);
        ag_record r = ag_cycle_record(c);
        mt_jw_key_str(q->w, "tape_type", sdk_shape(ag_tape_shape(t)));
        mt_jw_keyz(q->w, "activations");
        mt_jw_begin_array(q->w);
        for (uint32_t i = 0; i < r.activation_count; i++) {
            write_activation(q, t, &agent, &r.activations[i]);
        }
        mt_jw_end_array(q->w);
        write_unparsed(q, &agent, faults, fault_count);
        ag_cycle_free(c);
    }
    ag_tape_free(t);
    ag_program_free(p);
    return ok;
}
