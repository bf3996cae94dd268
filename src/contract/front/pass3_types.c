/* contract/front/pass3_types.c - type declarations: cycles, depth, resolution. */
#include "contract/front/types.h"

enum { NEW, OPEN, DONE };

typedef struct search {
    ct_unit *u;
    MT_VEC(ct_typedecl *) path;
    bool stopped; /* too deep: said once */
} search;

static void visit(search *s, ct_typedecl *decl);

/* Does the type mention `name`, at any depth? */
static bool mentions(const ct_type *t, ct_sym name)
{
    switch ((ct_base)t->base) {
    case CT_TYPE_REF: return t->ref == name;
    case CT_TYPE_LIST: return mentions(t->element, name);
    case CT_TYPE_RECORD:
    case CT_TYPE_UNION:
        for (uint32_t i = 0; i < t->field_count; i++) {
            if (mentions(t->fields[i].type, name)) {
                return true;
            }
        }
        return false;
    case CT_TYPE_BOOL:
    case CT_TYPE_INT:
    case CT_TYPE_DECIMAL:
    case CT_TYPE_TEXT:
    case CT_TYPE_ENUM:
    case CT_TYPE_DATE:
    case CT_TYPE_DATETIME:
    case CT_TYPE_MONEY:
    case CT_TYPE_DURATION:
    case CT_TYPE_ERROR: return false;
    }
    return false;
}

static mt_str field_that_mentions(ct_unit *u, const ct_type *t, ct_sym name)
{
    for (uint32_t i = 0; i < t->field_count; i++) {
        if (mentions(t->fields[i].type, name)) {
            return mt_strf(u->keep, "type.fields.%.*s", CT_ARG(u, t->fields[i].name));
        }
    }
    return CT_FIELD("type");
}

static void report_cycle(search *s, const ct_typedecl *target)
{
    ct_unit *u = s->u;
    mt_buf path = {0};
    size_t from = 0;
    while (s->path.items[from] != target) {
        from++;
    }
    for (size_t i = from; i < s->path.len; i++) {
        mt_buf_adds(&path, ct_str(u, s->path.items[i]->head.id));
        mt_buf_addz(&path, " → ");
    }
    mt_buf_adds(&path, ct_str(u, target->head.id));
    const ct_typedecl *last = s->path.items[s->path.len - 1];
    ct_report(u, CT_E_TYPE_CYCLE,
              ct_at(&last->head, last->head.tok,
                    field_that_mentions(u, last->type, target->head.id)),
              "TypeDecl cycle detected: %.*s", MT_ARG(mt_buf_str(&path)));
    mt_buf_free(&path);
    for (size_t i = from; i < s->path.len; i++) {
        s->path.items[i]->head.broken = true; /* references to it are silent */
    }
}

static void report_depth(search *s, const ct_typedecl *decl)
{
    if (!s->stopped) {
        ct_report(
            s->u, CT_E_TYPE_DEPTH, ct_at(&decl->head, decl->head.tok, CT_FIELD("type")),
            "types are nested deeper than %zu levels (half of limit source_depth)",
            s->u->limits->source_depth / 2);
    }
    s->stopped = true;
}

static unsigned visit_reference(search *s, ct_sym name)
{
    ct_typedecl *decl = ct_find(s->u, CT_TYPEDECL, name);
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

/* Visits what the type refers to and measures how deep it nests. */
static unsigned visit_type(search *s, ct_type *t)
{
    unsigned deepest = 0;
    if (t->base == CT_TYPE_REF) {
        return visit_reference(s, t->ref);
    }
    if (t->base == CT_TYPE_LIST) {
        deepest = visit_type(s, t->element);
    } else if (t->base == CT_TYPE_RECORD || t->base == CT_TYPE_UNION) {
        for (uint32_t i = 0; i < t->field_count; i++) {
            unsigned depth = visit_type(s, t->fields[i].type);
            deepest = depth > deepest ? depth : deepest;
        }
    }
    t->depth = (uint16_t)(deepest + 1);
    return t->depth;
}

static void visit(search *s, ct_typedecl *decl)
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

ct_type *ct_resolve_type(ct_unit *u, ct_type *t, const ct_construct *c)
{
    if (t->base == CT_TYPE_REF) {
        ct_typedecl *decl = ct_find(u, CT_TYPEDECL, t->ref);
        if (decl && !decl->head.broken) {
            decl->head.used = true;
            return decl->type;
        }
        if (decl) {
            decl->head.used = true;
        } else if (!u->incomplete) {
            ct_report(
                u, CT_E_TYPE_UNKNOWN,
                (ct_place){.file = c->file, .tok = c->tok, .field = CT_FIELD("type")},
                "unknown type reference '%.*s'", CT_ARG(u, t->ref));
        }
        t->base = CT_TYPE_ERROR;
        return t;
    }
    if (t->resolved) {
        return t;
    }
    t->resolved = true;
    if (t->base == CT_TYPE_LIST) {
        t->element = ct_resolve_type(u, t->element, c);
    } else if (t->base == CT_TYPE_RECORD || t->base == CT_TYPE_UNION) {
        for (uint32_t i = 0; i < t->field_count; i++) {
            t->fields[i].type = ct_resolve_type(u, t->fields[i].type, c);
        }
    }
    return t;
}

void ct_pass3_types(ct_unit *u)
{
    size_t count = u->kinds[CT_TYPEDECL].len;
    if (!count) {
        return;
    }
    search s = {.u = u};
    ct_construct **sorted = mt_alloc(u->keep, mt_array_bytes(count, sizeof *sorted));
    memcpy(sorted, u->kinds[CT_TYPEDECL].items, count * sizeof *sorted);
    ct_sort_by_id(u, sorted, count);
    for (size_t i = 0; i < count; i++) {
        visit(&s, (ct_typedecl *)sorted[i]);
    }
    for (size_t i = 0; i < count; i++) {
        ct_typedecl *decl = (ct_typedecl *)sorted[i];
        if (!decl->head.broken) {
            ct_resolve_type(u, decl->type, sorted[i]);
        }
    }
}
