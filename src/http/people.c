/* http/people.c - subjects of AuthZEN: which personas they have, and who there is.
 * Room: http.
 * `authzen.subjects` is read once, all faults told with their place; with any there are
 * no types at all. A subject is then a token of the store, or one of such a type, whose
 * rules look at it; whom no rule fits has no persona. A type's subjects can be listed
 * only if every rule names one by its id: part of a list would be a wrong one.
 *
 * INVARIANT: rules for subjects give personas and no rights. Nothing is changed after
 * reading. May fail: reading the configuration, and listing what cannot be listed. */
#include "http/people.h"

#include <stdlib.h>

/* One type of subjects, "user" for example, and the rules that give them personas. */
typedef struct kind {
    mt_str name;
    au_rules rules;
} kind;

struct ht_people {
    mt_arena arena;
    const kind *kinds;
    uint32_t kind_count;
};

enum { KINDS_MOST = 100 };

static const mt_form_row KIND[] = {
    MT_FORM_LABEL(kind, name),
    MT_FORM_EACH(kind, rules.items, rules.count, "rules", &AU_RULE, AU_RULES_MOST,
                 MT_FORM_REQUIRED),
};
static const mt_form_table KIND_TABLE =
    MT_FORM_TABLE("a type of subjects", KIND, kind, NULL);
static const mt_form_row ROWS[] = {
    MT_FORM_MAP(ht_people, kinds, kind_count, "subjects", &KIND_TABLE, KINDS_MOST,
                MT_FORM_REQUIRED),
};

/* ---- The configuration ---- */

/* Faults are told as everywhere in the configuration, with key and place. */
typedef struct reading {
    au_telling telling;
    const mt_json *node;
    ht_people *p;
    const kind *of;
} reading;

static void tell(reading *r, mt_str key, mt_str what)
{
    au_tell(&r->telling, key, r->node->offset, what);
}

static void tell_rule(void *state, size_t rule, const char *what)
{
    reading *r = state;
    tell(r,
         mt_strf(&r->p->arena, "authzen.subjects.%.*s.rules.%zu", MT_ARG(r->of->name),
                 rule),
         mt_str_z(what));
}

static bool grants_rights(const au_rules *rules)
{
    bool does = false;
    for (uint32_t i = 0; i < rules->count; i++) {
        does |= rules->items[i].right_count > 0;
    }
    return does;
}

/* `persona` and `token` are known without rules, and a subject has no rights: rights
 * are about who asks, and who is asked about does not ask. */
static void check_kind(reading *r, const kind *k)
{
    mt_str key = mt_strf(&r->p->arena, "authzen.subjects.%.*s", MT_ARG(k->name));
    r->of = k;
    (void)au_rules_check(&k->rules, r->telling.in->persona_known,
                         r->telling.in->right_known, tell_rule, r);
    if (mt_str_is(k->name, "persona") || mt_str_is(k->name, "token")) {
        tell(r, key, MT_STR("this type has its own meaning"));
    }
    if (grants_rights(&k->rules)) {
        tell(r, key, MT_STR("subjects have personas; rights are for who calls"));
    }
}

/* Without `authzen` there are no types of one's own; personas and tokens are known all
 * the same. */
size_t ht_people_read(const au_settings *in, ht_people **out)
{
    const mt_json *node = mt_json_at(in->all, "authzen");
    *out = NULL;
    if (!mt_json_is(node, MT_JSON_OBJECT)) {
        return 0;
    }
    ht_people *p = mt_xmalloc(sizeof *p);
    *p = (ht_people){0};
    reading r = {.telling = {.in = in}, .node = node, .p = p};
    mt_form form = {.arena = &p->arena,
                    .path = MT_STR("authzen"),
                    .what = "`authzen`",
                    .report = au_tell_form,
                    .state = &r.telling};
    bool read = mt_form_read(&form, node, ROWS, mt_form_count(ROWS), p);
    for (uint32_t i = 0; read && i < p->kind_count; i++) {
        check_kind(&r, &p->kinds[i]);
    }
    if (r.telling.faults) {
        ht_people_free(p);
        return r.telling.faults;
    }
    *out = p;
    return 0;
}

void ht_people_free(ht_people *p)
{
    if (p) {
        mt_arena_free(&p->arena);
        free(p);
    }
}

/* ---- Asked ---- */

static const kind *kind_of(const ht_people *p, mt_str type)
{
    for (uint32_t i = 0; p && i < p->kind_count; i++) {
        if (mt_str_eq(p->kinds[i].name, type)) {
            return &p->kinds[i];
        }
    }
    return NULL;
}

/* Somebody whom no rule fits has no persona, and is denied: that is not an error, since
 * a gateway asks about whoever comes. */
void ht_people_find(void *known, mt_arena *a, const mt_json *subject,
                    ex_subject_of *out)
{
    const ht_known *k = known;
    mt_str type = mt_text_at(subject, "type"), id = mt_text_at(subject, "id");
    *out = (ex_subject_of){0};
    if (mt_str_is(type, "token")) {
        ht_tokens_granted(k->tokens, a, id, out);
        return;
    }
    const kind *of = kind_of(k->people, type);
    if (of) {
        au_grants grants;
        au_rules_apply(&of->rules, subject, a, &grants);
        out->personas = grants.personas;
        out->persona_count = grants.persona_count;
    }
}

/* A rule that looks at nothing but the id names everybody whom it fits. */
static bool names_one(const au_rule *r)
{
    return mt_json_is(r->claim, MT_JSON_STRING) &&
           mt_str_is(mt_json_text(r->claim), "id") && r->equals.ptr;
}

/* Several rules may name the same one; it is told once. */
static size_t add_id(mt_str *list, size_t n, mt_str id)
{
    for (size_t i = 0; i < n; i++) {
        if (mt_str_eq(list[i], id)) {
            return n;
        }
    }
    list[n] = id;
    return n + 1;
}

/* MT_E_RANGE: there are more than can be named (a rule looks at properties, or tokens
 * are asked for, which are secrets of their own). Part of a list would be a wrong one.
 */
mt_err ht_people_list(void *known, mt_arena *a, mt_str type, const mt_str **ids,
                      size_t *count)
{
    const ht_known *k = known;
    const kind *of = kind_of(k->people, type);
    *count = 0;
    if (!of) {
        return mt_str_is(type, "token") ? MT_E_RANGE : MT_E_NOTFOUND;
    }
    mt_str *list = mt_new_array(a, mt_str, of->rules.count + 1);
    for (uint32_t i = 0; i < of->rules.count; i++) {
        if (!names_one(&of->rules.items[i])) {
            *count = 0;
            return MT_E_RANGE;
        }
        *count = add_id(list, *count, of->rules.items[i].equals);
    }
    *ids = list;
    return MT_OK;
}
