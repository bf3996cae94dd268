/* contract/reduce/holes.c - some value where a fact is unknown. */
#include "contract/reduce/holes.h"

#include "base/json_read.h"
#include "base/json_write.h"

/* `out` is zero. */
static void fill(mt_arena *a, const ct_type *t, ct_value *out)
{
    if (ct_has(t, LN_RANGED)) {
        out->integer = t->as.range.min > 0   ? t->as.range.min
                       : t->as.range.max < 0 ? t->as.range.max
                                             : 0;
    } else if (ct_held(t) == LN_RECORD) {
        for (uint32_t i = 0; i < t->count; i++) {
            fill(a, t->as.fields[i].type, out + t->as.fields[i].offset);
        }
    } else if (ct_held(t) == LN_VARIANT) {
        out->variant.payload = ct_some_value(a, t->as.variants[0].type);
    } else if (ct_held(t) == LN_TEXT) {
        out->text = MT_STR("");
    }
}

const ct_value *ct_some_value(mt_arena *a, const ct_type *type)
{
    ct_value *v = mt_new_array(a, ct_value, type->slots + 1);
    fill(a, type, v);
    return v;
}

static void add_some(mt_jw *w, mt_arena *a, const ct_fact *fact)
{
    mt_buf value = {0};
    ct_value_plain(&value, fact->type, ct_some_value(a, fact->type));
    mt_jw_key(w, fact->id);
    mt_jw_raw(w, mt_buf_str(&value));
    mt_buf_free(&value);
}

/* What the contract does not know is given on: whether it is a fault is the reader's
 * business. */
static void add_given(mt_jw *w, const ct_model *m, const mt_json *given,
                      const bool *unknown)
{
    for (uint32_t i = 0; i < given->count; i++) {
        const mt_json_member *member = &given->as.members[i];
        uint32_t fact = ct_model_find(m, CT_KIND_FACT, member->key);
        if (fact == CT_NONE || !unknown[fact]) {
            mt_jw_key(w, member->key);
            mt_jw_json(w, &member->value);
        }
    }
}

mt_str ct_holes_fill(mt_arena *a, const ct_model *m, mt_str facts,
                     const mt_limits *limits, bool missing, bool *unknown)
{
    const mt_limits *lim = limits ? limits : &MT_LIMITS_DEFAULT;
    mt_json_limits bounds = {lim->json_bytes, lim->json_depth};
    mt_json given;
    if (mt_json_read(a, facts, &bounds, &given, NULL) ||
        !mt_json_is(&given, MT_JSON_OBJECT)) {
        return facts;
    }
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_unsorted(&w);
    add_given(&w, m, &given, unknown);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        const ct_fact *f = &m->facts[i];
        unknown[i] |= missing && !f->otherwise && !mt_json_get(&given, f->id);
        if (unknown[i]) {
            add_some(&w, a, f);
        }
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

bool ct_holes_read(const ct_model *m, mt_str names, bool *unknown, mt_str *name)
{
    while (names.len) {
        size_t end = mt_str_find(names, ',');
        *name = mt_str_trim(mt_str_from(names.ptr, end), MT_STR(" "));
        uint32_t fact = ct_model_find(m, CT_KIND_FACT, *name);
        if (fact == CT_NONE) {
            return false;
        }
        unknown[fact] = true;
        names = mt_str_skip(names, end + 1);
    }
    return true;
}
