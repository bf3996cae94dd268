/* contract/eval/surplus.c - see surplus.h.
 *
 * The reader of fact sets (facts.c) keeps a count and nothing else, so that facts which
 * are all known cost nothing more. Where there is something to tell, or may be since a
 * value was not read to its end, the text is read again, as a tree, and walked along
 * the types: a member that its type does not have is told with its path, what is inside
 * is not looked at. Members come in the order of the text.
 *
 * Invariant: whatever the input, at most CT_SURPLUS_TOLD sentences are made and as many
 * searches for a near name; what comes later is counted. Depth is that of the types.
 *
 * What may fail: text that is not JSON has no members to tell; the reader has said so.
 */
#include "contract/eval/surplus.h"

#include "base/json_write.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "contract/eval/facts_internal.h"

/* ---- Keys of values ---- */

/* Of values that are written as an object and whose fields no contract declares. Those
 * that only the interchange has (docs/reference/interchange.md) stand last. */
static const char *const *keys_of(const ct_type *t)
{
    static const char *const DECIMAL[] = {"value", "kind", "precision", "scale", NULL};
    static const char *const MONEY[] = {"amount", "currency", "kind", NULL};
    static const char *const DURATION[] = {"unit", "value", "kind", NULL};
    static const char *const UNION[] = {"payload", "tag", "kind", NULL};
    static const char *const NONE[] = {NULL};
    return ct_held(t) == LN_VARIANT   ? UNION
           : ct_has(t, LN_CURRENCY)   ? MONEY
           : ct_has(t, LN_UNIT)       ? DURATION
           : ct_held(t) == LN_DECIMAL ? DECIMAL
                                      : NONE;
}

bool ct_fact_key_known(const ct_type *in, mt_str key)
{
    if (ct_held(in) == LN_RECORD) {
        return ct_field_find(in, key) != CT_NONE;
    }
    const char *const *keys = keys_of(in);
    while (*keys && !mt_str_eq(key, mt_str_z(*keys))) {
        keys++;
    }
    return *keys;
}

mt_str ct_fact_key_nearest(const ct_model *m, const ct_type *in, mt_str key)
{
    mt_nearest near = mt_nearest_to(key);
    for (uint32_t i = 0; !in && i < m->fact_count; i++) {
        mt_nearest_offer(&near, m->facts[i].id);
    }
    for (uint32_t i = 0; in && ct_held(in) == LN_RECORD && i < in->count; i++) {
        mt_nearest_offer(&near, in->as.fields[i].name);
    }
    for (const char *const *k = in ? keys_of(in) : NULL; k && *k; k++) {
        mt_nearest_offer(&near, mt_str_z(*k));
    }
    return near.best;
}

/* ---- Telling ---- */

typedef struct walk {
    ct_surplus *s;
    const ct_model *model;
    mt_str where;
    bool only_fields; /* facts have been told */
    mt_buf path;      /* of the value being looked at: items[3].price */
} walk;

/* Before the member is told: is there room for one more sentence? */
static bool is_told(walk *w)
{
    return w->s->count++ < CT_SURPLUS_TOLD;
}

static void tell(walk *w, const ct_type *in, mt_str key)
{
    if (!is_told(w)) {
        return;
    }
    mt_buf text = {0};
    mt_str near = ct_fact_key_nearest(w->model, in, key);
    mt_buf_adds(&text, w->where);
    mt_buf_addz(&text, in ? "fact '" : "the contract has no fact '");
    if (in) {
        mt_json_show(&text, mt_buf_str(&w->path));
        mt_buf_addz(&text, "' has no field '");
    }
    mt_utf8_show_name(&text, key);
    mt_buf_addz(&text, near.len ? "'; did you mean '" : "'");
    mt_utf8_show_name(&text, near);
    mt_buf_addz(&text, near.len ? "'?" : "");
    w->s->told[w->s->len++] = mt_str_dup(w->s->arena, mt_buf_str(&text));
    mt_buf_free(&text);
}

/* ---- The walk ---- */

static void look(walk *w, const ct_type *t, const mt_json *v);

static void look_inside(walk *w, mt_str name, const ct_type *t, const mt_json *v)
{
    size_t before = w->path.len;
    mt_buf_addf(&w->path, "%s%.*s", before ? "." : "", MT_ARG(name));
    look(w, t, v);
    w->path.len = before;
}

static void look_at_items(walk *w, const ct_type *element, const mt_json *list)
{
    size_t before = w->path.len;
    for (uint32_t i = 0; i < list->count; i++) {
        mt_buf_addf(&w->path, "[%u]", i);
        look(w, element, &list->as.items[i]);
        w->path.len = before;
    }
}

/* What the member holds, as far as its own members have names; NULL: they have none. */
static const ct_type *type_of(const ct_type *in, const mt_json *object, mt_str key)
{
    if (ct_held(in) == LN_RECORD) {
        return in->as.fields[ct_field_find(in, key)].type;
    }
    if (ct_held(in) == LN_VARIANT && mt_str_is(key, "payload")) {
        uint32_t tag = ct_field_find(in, mt_json_text(mt_json_at(object, "tag")));
        return tag == CT_NONE ? NULL : in->as.variants[tag].type;
    }
    return ct_has(in, LN_CURRENCY) && mt_str_is(key, "amount") ? &CT_TYPE_ANY_DECIMAL
                                                               : NULL;
}

static void look_at_members(walk *w, const ct_type *t, const mt_json *object)
{
    for (uint32_t i = 0; i < object->count; i++) {
        const mt_json_member *m = &object->as.members[i];
        if (!ct_fact_key_known(t, m->key)) {
            tell(w, t, m->key);
            continue;
        }
        const ct_type *inner = type_of(t, object, m->key);
        if (inner) {
            look_inside(w, m->key, inner, &m->value);
        }
    }
}

/* An object where the type has no keys at all is a fault that the reader has told. */
static void look(walk *w, const ct_type *t, const mt_json *v)
{
    bool keyed = ct_held(t) == LN_RECORD || *keys_of(t);
    if (ct_held(t) == LN_LIST && mt_json_is(v, MT_JSON_ARRAY)) {
        look_at_items(w, t->as.list.element, v);
    } else if (keyed && mt_json_is(v, MT_JSON_OBJECT)) {
        look_at_members(w, t, v);
    }
}

static void look_at_facts(walk *w, const mt_json *facts)
{
    for (uint32_t i = 0; mt_json_is(facts, MT_JSON_OBJECT) && i < facts->count; i++) {
        const mt_json_member *m = &facts->as.members[i];
        uint32_t at = ct_model_find(w->model, CT_KIND_FACT, m->key);
        if (at != CT_NONE) {
            look_inside(w, m->key, w->model->facts[at].type, &m->value);
        } else if (!w->only_fields) {
            tell(w, NULL, m->key);
        }
    }
}

/* ---- The list ---- */

size_t ct_facts_surplus(const ct_facts *f)
{
    return f->surplus ? f->surplus : f->passed_over;
}

/* A list that is full is only counted on: of many fact sets the later ones are not read
 * twice. */
void ct_surplus_add(ct_surplus *s, const ct_facts *f, mt_str json,
                    const mt_limits *limits, mt_str where)
{
    const mt_limits *lim = limits ? limits : &MT_LIMITS_DEFAULT;
    mt_json_limits bounds = {lim->json_bytes, lim->json_depth};
    mt_arena tree = {0};
    mt_json facts;
    if (s->count >= CT_SURPLUS_TOLD) {
        s->count += f->surplus;
    } else if (ct_facts_surplus(f) &&
               !mt_json_read(&tree, json, &bounds, &facts, NULL)) {
        walk w = {.s = s, .model = f->model, .where = where};
        look_at_facts(&w, &facts);
        mt_buf_free(&w.path);
    }
    mt_arena_free(&tree);
}

void ct_surplus_fields(ct_surplus *s, const ct_model *m, const mt_json *facts)
{
    walk w = {.s = s, .model = m, .only_fields = true};
    look_at_facts(&w, facts);
    mt_buf_free(&w.path);
}

mt_str ct_surplus_more(const ct_surplus *s)
{
    size_t more = s->count - s->len;
    return more ? mt_strf(s->arena,
                          "and %zu more name%s that the contract does not have", more,
                          more == 1 ? "" : "s")
                : MT_STR("");
}
