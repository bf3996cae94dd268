/* contract/front/pass3_types.c - type declarations: cycles, depth, resolution.
 *
 * Declarations are visited in order of their names, so reports do not depend on the
 * order in the file. A cycle is reported once, with its path and the field that closes
 * it; nesting is measured on the way, and beyond the limit the search stops. Then
 * references are replaced by what they refer to, so no later pass meets one.
 *
 * A type that could not be resolved is FR_UNKNOWN, which agrees with everything: one
 * fault, one report. */
#include "contract/front/suggest.h"
#include "contract/front/types.h"

/* States of the depth-first search: OPEN is on the path from the start. */
enum { NEW, OPEN, DONE };

typedef struct search {
    fr_unit *u;
    MT_VEC(fr_typedecl *) path;
    bool stopped; /* too deep: said once */
} search;

static void visit(search *s, fr_typedecl *decl);

/* Where the type mentions `name`, at any depth; NULL if it does not. Before references
 * are resolved, so it ends: a declaration holds no other one yet. */
static const fr_type *mention(const fr_type *t, fr_sym name)
{
    if (t->base == FR_TYPE_REF) {
        return t->ref == name ? t : NULL;
    }
    if (fr_holds(t, LN_LIST)) {
        return mention(t->element, name);
    }
    const fr_type *found = NULL;
    for (uint32_t i = 0; !found && fr_has(t, LN_PARTED) && i < t->field_count; i++) {
        found = mention(t->fields[i].type, name);
    }
    return found;
}

/* Only for the message: which field of the last type closes the circle. */
static fr_place at_mention(fr_unit *u, const fr_typedecl *decl, fr_sym name)
{
    fr_place at = fr_at(&decl->head, decl->head.tok, FR_FIELD("type"));
    const fr_type *t = decl->type;
    for (uint32_t i = 0; i < t->field_count; i++) {
        const fr_type *found = mention(t->fields[i].type, name);
        if (found) {
            at.field =
                mt_strf(u->keep, "type.fields.%.*s", FR_ARG(u, t->fields[i].name));
            return fr_exactly(at, found->tok, found->tok);
        }
    }
    return at;
}

/* All types of the circle become broken, so what refers to them is FR_UNKNOWN and
 * resolution never follows a circle. */
static void report_cycle(search *s, const fr_typedecl *target)
{
    fr_unit *u = s->u;
    mt_buf path = {0};
    size_t from = 0;
    while (s->path.items[from] != target) {
        from++;
    }
    for (size_t i = from; i < s->path.len; i++) {
        mt_buf_adds(&path, fr_str(u, s->path.items[i]->head.id));
        mt_buf_addz(&path, " → ");
    }
    mt_buf_adds(&path, fr_str(u, target->head.id));
    const fr_typedecl *last = s->path.items[s->path.len - 1];
    fr_report(u, FR_E_TYPE_CYCLE, at_mention(u, last, target->head.id),
              "TypeDecl cycle detected: %.*s", MT_ARG(mt_buf_str(&path)));
    mt_buf_free(&path);
    for (size_t i = from; i < s->path.len; i++) {
        s->path.items[i]->head.broken = true; /* references to it are silent */
    }
}

static void report_depth(search *s, const fr_typedecl *decl)
{
    if (!s->stopped) {
        fr_report(
            s->u, FR_E_TYPE_DEPTH, fr_at(&decl->head, decl->head.tok, FR_FIELD("type")),
            "types are nested deeper than %zu levels (half of limit source_depth)",
            s->u->limits->source_depth / 2);
    }
    s->stopped = true;
}

/* An unknown name counts one level; it is reported when the type that uses it is
 * resolved. */
static unsigned visit_reference(search *s, fr_sym name)
{
    fr_typedecl *decl = fr_find(s->u, FR_TYPEDECL, name);
    if (!decl || decl->head.broken) {
        return 1;
    }
    if (decl->state == OPEN) {
        report_cycle(s, decl);
        return 1;
    }
    visit(s, decl);
    return decl->type->depth;
}

/* Visits what the type refers to and measures how deep it nests. The depth of a
 * finished declaration is kept in its type, so shared types are measured once and the
 * search is linear in the source, though the expanded types may be huge. */
static unsigned visit_type(search *s, fr_type *t)
{
    unsigned deepest = 0;
    if (t->base == FR_TYPE_REF) {
        return visit_reference(s, t->ref);
    }
    if (fr_holds(t, LN_LIST)) {
        deepest = visit_type(s, t->element);
    } else if (fr_has(t, LN_PARTED)) {
        for (uint32_t i = 0; i < t->field_count; i++) {
            unsigned depth = visit_type(s, t->fields[i].type);
            deepest = depth > deepest ? depth : deepest;
        }
    }
    t->depth = (uint16_t)(deepest + 1);
    return t->depth;
}

/* Recursion is bounded by the limit that the path is compared with. */
static void visit(search *s, fr_typedecl *decl)
{
    if (decl->state != NEW || decl->head.broken) {
        return;
    }
    decl->state = OPEN;
    *mt_vec_add(s->u->keep, &s->path) = decl;
    /* Two levels of JSON per level of types, and a few around them. */
    size_t limit = s->u->limits->source_depth / 2;
    if (s->stopped || s->path.len >= limit || visit_type(s, decl->type) >= limit) {
        report_depth(s, decl);
        decl->head.broken = true;
    }
    s->path.len--;
    decl->state = DONE;
}

/* The suite names neither kind nor id and shows the construct's keyword. */
static fr_place at_unknown(fr_unit *u, const fr_type *t, const fr_construct *c)
{
    fr_place at = {.file = c->file, .tok = c->tok, .field = FR_FIELD("type")};
    at.exact.construct = c;
    return fr_meant_type(u, at, (fr_name){t->ref, t->tok});
}

/* `resolved` is set before the parts are visited and ends the work on shared types. The
 * caller puts the result in place of `t`; nothing is copied (§4.6: identity is by
 * structure, so sharing cannot be seen). */
fr_type *fr_resolve_type(fr_unit *u, fr_type *t, const fr_construct *c)
{
    if (t->base == FR_TYPE_REF) {
        fr_typedecl *decl = fr_find(u, FR_TYPEDECL, t->ref);
        if (decl && !decl->head.broken) {
            decl->head.used = true;
            return decl->type;
        }
        if (decl) {
            decl->head.used = true;
        } else if (!u->incomplete) {
            fr_report(u, FR_E_TYPE_UNKNOWN, at_unknown(u, t, c),
                      "unknown type reference '%.*s'", FR_ARG(u, t->ref));
        }
        t->base = FR_TYPE_ERROR;
        return t;
    }
    if (t->resolved) {
        return t;
    }
    t->resolved = true;
    if (fr_holds(t, LN_LIST)) {
        t->element = fr_resolve_type(u, t->element, c);
    } else if (fr_has(t, LN_PARTED)) {
        for (uint32_t i = 0; i < t->field_count; i++) {
            t->fields[i].type = fr_resolve_type(u, t->fields[i].type, c);
        }
    }
    return t;
}

/* Types of facts and rules are resolved in pass 4, which calls fr_resolve_type()
 * itself; here only declarations. */
void fr_pass3_types(fr_unit *u)
{
    size_t count = u->kinds[FR_TYPEDECL].len;
    if (!count) {
        return;
    }
    search s = {.u = u};
    fr_construct **sorted = mt_alloc(u->keep, mt_array_bytes(count, sizeof *sorted));
    memcpy(sorted, u->kinds[FR_TYPEDECL].items, count * sizeof *sorted);
    fr_sort_by_id(u, sorted, count);
    for (size_t i = 0; i < count; i++) {
        visit(&s, (fr_typedecl *)sorted[i]);
    }
    for (size_t i = 0; i < count; i++) {
        fr_typedecl *decl = (fr_typedecl *)sorted[i];
        if (!decl->head.broken) {
            fr_resolve_type(u, decl->type, sorted[i]);
        }
    }
}
