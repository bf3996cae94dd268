/* agent/tape_json.c - tapes in and out of JSON; see tape.h.
 *
 * Two forms. What an agent file or a peer sees (ag_tape_write(), ag_tape_read()): a
 * text, a list of texts, or lists by key, sorted by bytes, so equal tapes are equal
 * texts. What is saved (ag_tape_save(), ag_tape_load()): keys in order of insertion,
 * with the null key as null, and the form's name, so that a tape goes on exactly as it
 * was.
 *
 * The form of a value decides which kind of tape it can fill; another kind is
 * MT_E_TYPE. Text among lists is walked character by character in compat mode, as
 * the existing library does it. What may fail: MT_E_TYPE, MT_E_SYNTAX, and what
 * ag_tape_set() says; the tape may be half filled then. */
#include <stdlib.h>

#include "agent/tape_impl.h"
#include "base/utf8.h"

static bool all_text(const mt_json *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (!mt_json_is(&list->as.items[i], MT_JSON_STRING)) {
            return false;
        }
    }
    return true;
}

/* One list among the values makes it a tape of lists. */
static mt_err object_shape(const mt_json *value, ag_shape *out)
{
    *out = AG_INDEX_SINGLE;
    for (uint32_t i = 0; i < value->count; i++) {
        const mt_json *v = &value->as.members[i].value;
        if (mt_json_is(v, MT_JSON_ARRAY) && all_text(v)) {
            *out = AG_INDEX_MANY;
        } else if (!mt_json_is(v, MT_JSON_STRING)) {
            *out = AG_INDEX_MANY;
            return MT_E_TYPE;
        }
    }
    return MT_OK;
}

/* The shape follows from the value alone (§5). What is neither text, list nor object is
 * MT_E_TYPE, with a shape that compat goes on with. */
mt_err ag_tape_shape_of(const mt_json *value, ag_shape *out)
{
    if (mt_json_is(value, MT_JSON_STRING)) {
        *out = AG_SINGLE;
        return MT_OK;
    }
    if (mt_json_is(value, MT_JSON_ARRAY) && all_text(value)) {
        *out = AG_MANY;
        return MT_OK;
    }
    if (mt_json_is(value, MT_JSON_OBJECT)) {
        return object_shape(value, out);
    }
    *out = AG_INDEX_MANY;
    return MT_E_TYPE;
}

static mt_err set_list(ag_tape *t, mt_str key, const mt_json *list)
{
    mt_str *texts = mt_xmalloc(list->count * sizeof *texts + 1);
    for (uint32_t i = 0; i < list->count; i++) {
        texts[i] = mt_json_text(&list->as.items[i]);
    }
    mt_err err = ag_tape_set(t, key, texts, list->count);
    free(texts);
    return err;
}

/* The SDK walks text among lists character by character; compat does as it does. */
static mt_err set_characters(ag_tape *t, mt_str key, mt_str text)
{
    mt_arena a = {0};
    mt_str *texts = mt_new_array(&a, mt_str, text.len);
    size_t count = 0;
    for (size_t i = 0; i < text.len; count++) {
        size_t start = i++;
        while (i < text.len && mt_utf8_goes_on(text.ptr[i])) {
            i++;
        }
        texts[count] = mt_str_from(text.ptr + start, i - start);
    }
    mt_err err = ag_tape_set(t, key, texts, count);
    mt_arena_free(&a);
    return err;
}

/* Compat: text where a list is expected is a list of its characters, as Python iterates
 * it. */
static mt_err set_value(ag_tape *t, mt_str key, const mt_json *value)
{
    if (mt_json_is(value, MT_JSON_ARRAY)) {
        return set_list(t, key, value);
    }
    mt_str text = mt_json_text(value);
    if (t->p->agent->mode == AG_COMPAT && t->shape == AG_INDEX_MANY) {
        return set_characters(t, key, text);
    }
    return ag_tape_set(t, key, &text, 1);
}

/* Keys that were there stay, unless the value names them. An error may leave some keys
 * set. */
mt_err ag_tape_read(ag_tape *t, const mt_json *value)
{
    ag_shape shape;
    mt_err err = ag_tape_shape_of(value, &shape);
    if (err || ag_shape_indexed(shape) != ag_shape_indexed(t->shape)) {
        return MT_E_TYPE;
    }
    if (!ag_shape_indexed(shape)) {
        return set_value(t, AG_LIST, value);
    }
    for (uint32_t i = 0; i < value->count && !err; i++) {
        err = set_value(t, value->as.members[i].key, &value->as.members[i].value);
    }
    return err;
}

static void collect(const ag_tape *t, mt_str key, mt_arena *a, ag_pieces *out)
{
    size_t count;
    const mt_str *states = ag_tape_states(t, a, key, &count);
    for (size_t i = 0; i < count; i++) {
        mt_vec_push(a, out, states[i]);
    }
}

static void write_texts(mt_jw *w, ag_pieces *texts, bool sorted)
{
    if (sorted) {
        mt_str_sort(texts->items, texts->len);
    }
    mt_jw_begin_array(w);
    for (size_t i = 0; i < texts->len; i++) {
        mt_jw_str(w, texts->items[i]);
    }
    mt_jw_end_array(w);
}

static void write_key(mt_jw *w, mt_str key)
{
    if (key.ptr) {
        mt_jw_str(w, key);
    } else {
        mt_jw_null(w);
    }
}

/* [[key, [states]], ...]; the null key is null. */
static void write_slots(const ag_tape *t, mt_arena *a, mt_jw *w, bool sorted)
{
    uint32_t count;
    uint32_t *order = ag_tape_order(t, a, sorted, &count);
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < count; i++) {
        ag_pieces texts = {0};
        mt_str key = t->slots[order[i]].key;
        collect(t, key, a, &texts);
        mt_jw_begin_array(w);
        write_key(w, key);
        write_texts(w, &texts, sorted);
        mt_jw_end_array(w);
    }
    mt_jw_end_array(w);
}

/* Canonical: sorted keys and states, without internal keys (§5). Nodes of the null key
 * belong to the list of a tape without an index. */
void ag_tape_write(const ag_tape *t, mt_jw *w)
{
    mt_arena a = {0};
    if (ag_shape_indexed(t->shape)) {
        write_slots(t, &a, w, true);
    } else {
        ag_pieces texts = {0};
        collect(t, AG_LIST, &a, &texts);
        collect(t, AG_NULL_KEY, &a, &texts);
        write_texts(w, &texts, true);
    }
    mt_arena_free(&a);
}

void ag_tape_save(const ag_tape *t, mt_jw *w)
{
    mt_arena a = {0};
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "keys");
    write_slots(t, &a, w, false);
    mt_jw_key_str(w, "shape", mt_str_z(ag_shape_name(t->shape)));
    mt_jw_end_object(w);
    mt_arena_free(&a);
}

/* Members are looked at only after the row is known to be a pair. */
static mt_err load_row(ag_tape *t, const mt_json *row)
{
    const mt_json *key = row->as.items, *states = row->as.items + 1;
    if (!mt_json_is(row, MT_JSON_ARRAY) || row->count != 2 ||
        !mt_json_is(states, MT_JSON_ARRAY) || !all_text(states) ||
        !(mt_json_is(key, MT_JSON_STRING) || mt_json_is(key, MT_JSON_NULL))) {
        return MT_E_SYNTAX;
    }
    bool null = mt_json_is(key, MT_JSON_NULL);
    return set_list(t, null ? AG_NULL_KEY : mt_json_text(key), states);
}

/* Reads what ag_tape_save() wrote, the order of keys included. */
mt_err ag_tape_load(ag_tape *t, const mt_json *saved)
{
    ag_shape shape;
    const mt_json *keys = mt_json_at(saved, "keys");
    if (!mt_json_is(keys, MT_JSON_ARRAY) ||
        !ag_shape_from(mt_json_text(mt_json_at(saved, "shape")), &shape)) {
        return MT_E_SYNTAX;
    }
    if (shape != t->shape) {
        return MT_E_TYPE;
    }
    mt_err err = MT_OK;
    for (uint32_t i = 0; i < keys->count && !err; i++) {
        err = load_row(t, &keys->as.items[i]);
    }
    return err;
}
