/* analyze/prove/prove_lists.c - how many elements stand for a whole list.
 *
 * Whether `forall x in l . P` holds, and whether it faults, is decided by one element:
 * the first that makes P false or fault. `exists` likewise. So for a given fact set
 * all other elements could go, and those that stay could be repeated to keep the
 * length: no predicate would notice, as long as every quantifier keeps its deciding
 * element. That bounds the elements that need to be looked at by the number of
 * quantifiers over the list, however long it is: times the elements of the lists
 * around it, where a quantifier stands inside another one. Elements read by position
 * stay as they are, in front. No such number exists when two lists need each other's,
 * or when lists are compared as a whole, become a part of a value that is made, or are
 * read at a computed position: then all elements are written out, if they are few.
 *
 * Order: pv_lists_begin(), pv_lists_look() for every expression of the question, then
 * pv_lists_count(); prove_domain.c asks for the result by path. A list that is too
 * long to be written out has no number (UINT32_MAX), and a question about it can be
 * answered "possible" only. Recursion follows expressions, whose depth the loader has
 * bounded. */
#include "analyze/prove/prove_internal.h"

enum {
    SMALL_LIST = 6,    /* so few elements are always written out */
    WHOLE_LIST = 24,   /* at most so many, where all of them are needed */
    MOST_ELEMENTS = 48 /* at most so many stand for a list */
};

/* A path to a value inside a fact; `fact` is empty when it leads elsewhere. */
typedef struct path {
    mt_str text;
    const ct_type *type;
} path;

typedef struct looker {
    an_prover *p;
    const pv_side *side;
    MT_VEC(path) variables; /* elements of the quantifiers around */
    MT_VEC(uint32_t) outer; /* their lists */
    unsigned payload_depth;
} looker;

static path term_path(looker *l, const ct_expr *e);
static void look(looker *l, const ct_expr *e);

static uint32_t list_number(looker *l, path at)
{
    an_prover *p = l->p;
    bool added;
    mt_map_entry *e = mt_map_add(&p->tmp, &p->list_paths, at.text, &added);
    if (added) {
        mt_vec_push(&p->tmp, &p->lists, ((pv_list){.path = at.text, .type = at.type}));
        e->value = p->lists.len;
    }
    return (uint32_t)e->value - 1;
}

static path joined(looker *l, path of, const char *join, mt_str name,
                   const ct_type *type)
{
    if (!of.text.len) {
        return of;
    }
    return (path){
        mt_strf(&l->p->tmp, "%.*s%s%.*s", MT_ARG(of.text), join, MT_ARG(name)), type};
}

static path element_path(looker *l, path list, const ct_expr *of)
{
    return joined(l, list, "[]", MT_STR(""), of->type->as.list.element);
}

/* Elements read by position stay in front; a computed position needs all. */
static path index_path(looker *l, const ct_expr *e)
{
    path list = term_path(l, e->left);
    look(l, e->right);
    if (!list.text.len) {
        return list;
    }
    uint32_t number = list_number(l, list);
    pv_list *pl = &l->p->lists.items[number];
    const ct_expr *at = e->right;
    if (at->op == CT_LITERAL && at->value->integer < MOST_ELEMENTS) {
        int64_t end = at->value->integer + 1;
        if (end > (int64_t)pl->prefix) {
            pl->prefix = (uint32_t)end;
        }
    } else {
        pl->by_value = true;
    }
    return element_path(l, list, e->left);
}

/* The path of a payload is that of the term its rule produces. */
static path payload_path(looker *l, const ct_expr *e)
{
    enum { MOST_DEPTH = 64 };
    const ct_expr *payload = l->side->model->rules[e->index].payload;
    if (l->payload_depth == MOST_DEPTH) {
        return (path){0};
    }
    l->payload_depth++;
    path at = term_path(l, payload);
    l->payload_depth--;
    return at;
}

static path term_path(looker *l, const ct_expr *e)
{
    switch ((ct_op)e->op) {
    case CT_FACT: return (path){l->side->model->facts[e->index].id, e->type};
    case CT_VARIABLE: return l->variables.items[e->index];
    case CT_PAYLOAD: return payload_path(l, e);
    case CT_FIELD:
        return joined(l, term_path(l, e->left), ".",
                      e->left->type->as.fields[e->index].name, e->type);
    case CT_VARIANT:
        return joined(l, term_path(l, e->left), "|",
                      e->left->type->as.variants[e->index].name, e->type);
    case CT_INDEX: return index_path(l, e);
    case CT_LITERAL:
    case CT_TAG:
    case CT_AMOUNT:
    case CT_LEN:
    case CT_ADD:
    case CT_SUB:
    case CT_MUL:
    case CT_MAKE:
    case CT_PARTS:
    case CT_FIT:
    case CT_COMPARE:
    case CT_PRESENT:
    case CT_AND:
    case CT_OR:
    case CT_NOT:
    case CT_FORALL:
    case CT_EXISTS: break;
    }
    return (path){0};
}

/* Lists that are compared as values are needed whole. */
static void need_whole(looker *l, path at)
{
    if (!at.text.len) {
        return;
    }
    const ct_type *t = at.type;
    if (ct_held(t) == LN_LIST) {
        uint32_t number = list_number(l, at);
        l->p->lists.items[number].by_value = true;
        need_whole(l, joined(l, at, "[]", MT_STR(""), t->as.list.element));
    } else if (ct_held(t) == LN_RECORD || ct_held(t) == LN_VARIANT) {
        const char *join = ct_held(t) == LN_RECORD ? "." : "|";
        for (uint32_t i = 0; i < t->count; i++) {
            const ct_field *f = &t->as.fields[i];
            need_whole(l, joined(l, at, join, f->name, f->type));
        }
    }
}

static bool inside(mt_str outer, mt_str list)
{
    return mt_str_starts(list, outer) && list.len > outer.len &&
           list.ptr[outer.len] == '[';
}

/* A quantifier over the list: needed once for every element of the lists around it,
 * except those the list itself is a part of. */
static void add_atom(looker *l, uint32_t list)
{
    an_prover *p = l->p;
    uint32_t *atom = mt_new_array(&p->tmp, uint32_t, l->outer.len + 1);
    for (size_t i = 0; i < l->outer.len; i++) {
        uint32_t o = l->outer.items[i];
        if (o == CT_NONE ||
            !inside(p->lists.items[o].path, p->lists.items[list].path)) {
            atom[++atom[0]] = o;
        }
    }
    mt_vec_push(&p->tmp, &p->lists.items[list].atoms, atom);
}

static void look_quantifier(looker *l, const ct_expr *e)
{
    path list = term_path(l, e->left);
    uint32_t number = CT_NONE;
    look(l, e->left);
    if (list.text.len) {
        number = list_number(l, list);
        add_atom(l, number);
    }
    mt_vec_push(&l->p->tmp, &l->outer, number);
    mt_vec_push(&l->p->tmp, &l->variables, element_path(l, list, e->left));
    look(l, e->right);
    l->variables.len--;
    l->outer.len--;
}

static void look(looker *l, const ct_expr *e)
{
    if (!e) {
        return;
    }
    if (e->op == CT_FORALL || e->op == CT_EXISTS) {
        look_quantifier(l, e);
        return;
    }
    if (e->op == CT_INDEX) {
        index_path(l, e);
    }
    if (e->op == CT_COMPARE) {
        need_whole(l, term_path(l, e->left));
        need_whole(l, term_path(l, e->right));
    }
    for (uint32_t i = 0; e->op == CT_MAKE && i < ct_part_count(e); i++) {
        need_whole(l, term_path(l, ct_part_of(e, i)));
    }
    look(l, e->left);
    look(l, e->right);
}

void pv_lists_begin(an_prover *p)
{
    p->list_steps = 0;
    memset(&p->lists, 0, sizeof p->lists);
    memset(&p->list_paths, 0, sizeof p->list_paths);
}

void pv_lists_look(an_prover *p, const pv_side *side, const ct_expr *e)
{
    looker l = {.p = p, .side = side};
    look(&l, e);
}

static uint32_t count_elements(an_prover *p, uint32_t number);

/* 0 in *ok: an outer list has no number of elements that would do. */
static uint64_t count_atom(an_prover *p, const uint32_t *atom, bool *ok)
{
    uint64_t product = 1;
    for (uint32_t i = 1; i <= atom[0]; i++) {
        uint32_t n = atom[i] == CT_NONE ? UINT32_MAX : count_elements(p, atom[i]);
        if (n == UINT32_MAX || product * n > MOST_ELEMENTS) {
            *ok = false;
            return 0;
        }
        product *= n;
    }
    return product;
}

static uint32_t few_or_none(size_t max)
{
    return max <= WHOLE_LIST ? (uint32_t)max : UINT32_MAX;
}

static uint32_t count_elements(an_prover *p, uint32_t number)
{
    pv_list *l = &p->lists.items[number];
    size_t max = l->type->as.list.max;
    if (l->known) {
        return l->elements;
    }
    enum { MOST_STEPS = 20000 };
    if (max <= SMALL_LIST || l->visiting || l->by_value || p->list_steps > MOST_STEPS) {
        return max <= SMALL_LIST ? (uint32_t)max : few_or_none(max);
    }
    p->list_steps++;
    bool ok = true;
    uint64_t sum = l->prefix;
    l->visiting = true;
    for (size_t i = 0; ok && i < l->atoms.len; i++) {
        sum += count_atom(p, l->atoms.items[i], &ok);
    }
    l->visiting = false;
    ok = ok && sum <= MOST_ELEMENTS;
    return !ok ? few_or_none(max) : sum > max ? (uint32_t)max : (uint32_t)sum;
}

/* A list met while it is being counted depends on itself: its answer then is that of a
 * list written out, so the answers must be settled in one order, list by list. */
void pv_lists_count(an_prover *p)
{
    for (size_t i = 0; i < p->lists.len; i++) {
        pv_list *l = &p->lists.items[i];
        l->elements = count_elements(p, (uint32_t)i);
        l->known = true;
    }
}

const pv_list *pv_list_at(const an_prover *p, mt_str name)
{
    const mt_map_entry *e = mt_map_find(&p->list_paths, name);
    return e ? &p->lists.items[e->value - 1] : NULL;
}
