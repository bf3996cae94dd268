/* lsp/known_contract.c - names of the contract that a scenario file is about.
 *
 * The contract is the one that `contract` names or that has the file's name; where it
 * is open, its text in the editor, or the last one of it that could be read whole. The
 * names are those of its tree, each with the place of its declaration. */
#include "contract/front/types.h"
#include "lsp/known.h"

/* ---- the contract ---- */

typedef struct subject {
    ls_inquiry *q;
    ls_view *view, *own; /* own: to be freed */
    const fr_unit *u;
} subject;

static subject open_subject(ls_inquiry *q)
{
    ls_call *c = q->c;
    ls_gathering named = ls_gather(c->a, q->text, "/contract", false);
    mt_str path =
        ls_contract_of(c->a, q->path, named.len ? named.items[0].text : (mt_str){0});
    ls_document *d = ls_document_at(c->s, path);
    subject x = {.q = q};
    x.own = d ? NULL : ls_view_new(c->s, path, false);
    x.view = d ? ls_view_good(c->s, d) : x.own;
    x.u = x.view->e ? x.view->e->unit : NULL;
    return x;
}

static void close_subject(subject *x)
{
    ls_view_free(x->own);
}

/* ---- telling ---- */

/* `tok` is where it is declared. */
static ls_known *add(subject *x, fr_sym name, int kind, mt_str detail,
                     const fr_construct *in, fr_tok tok)
{
    ls_inquiry *q = x->q;
    mt_arena *a = q->c->a;
    ls_know_word(q, mt_str_dup(a, fr_str(x->u, name)), kind, mt_str_dup(a, detail));
    ls_known *k = &q->found.items[q->found.len - 1];
    k->file = mt_str_dup(a, in->file->path);
    k->at = ls_span_range(in->file, (fr_span){tok, tok});
    k->words = mt_strf(a, "`%.*s`%s%.*s\n", FR_ARG(x->u, name), detail.len ? ": " : "",
                       MT_ARG(detail));
    return k;
}

static mt_str type_words(subject *x, const fr_construct *k)
{
    const fr_type *t =
        k->kind == FR_FACT ? ((const fr_fact *)(const void *)k)->type : NULL;
    return t && t->base < LN_BASE_COUNT && !k->broken
               ? fr_type_spell(x->u, x->q->c->a, t)
               : mt_str_z(LN_CONSTRUCTS[k->kind].word);
}

static void add_kind(subject *x, fr_kind kind, int item)
{
    for (size_t i = 0; x->u && i < x->u->kinds[kind].len; i++) {
        const fr_construct *k = x->u->kinds[kind].items[i];
        add(x, k->id, item, type_words(x, k), k, k->id_tok);
    }
}

static void know_kind(ls_inquiry *q, fr_kind kind, int item)
{
    subject x = open_subject(q);
    add_kind(&x, kind, item);
    close_subject(&x);
}

void ls_know_personas(ls_inquiry *q)
{
    know_kind(q, FR_PERSONA, LS_ITEM_INTERFACE);
}

void ls_know_flows(ls_inquiry *q)
{
    know_kind(q, FR_FLOW, LS_ITEM_METHOD);
}

void ls_know_operations(ls_inquiry *q)
{
    know_kind(q, FR_OPERATION, LS_ITEM_METHOD);
}

void ls_know_entities(ls_inquiry *q)
{
    know_kind(q, FR_ENTITY, LS_ITEM_CLASS);
}

static void add_verdicts(subject *x)
{
    for (size_t i = 0; x->u && i < x->u->kinds[FR_RULE].len; i++) {
        const fr_construct *k = x->u->kinds[FR_RULE].items[i];
        const fr_rule *r = (const fr_rule *)(const void *)k;
        if (!k->broken && r->verdict.sym != FR_W_none && r->verdict.sym != FR_W_empty) {
            add(x, r->verdict.sym, LS_ITEM_EVENT,
                mt_strf(x->q->c->a, "verdict of stratum %lld", (long long)r->stratum),
                k, r->verdict.tok);
        }
    }
}

void ls_know_verdicts(ls_inquiry *q)
{
    subject x = open_subject(q);
    add_verdicts(&x);
    close_subject(&x);
}

/* Of the entity whose name is the last key or the one before it. */
void ls_know_states(ls_inquiry *q)
{
    subject x = open_subject(q);
    const fr_construct *k = NULL;
    for (size_t i = q->spot.depth; !k && i-- > 0;) {
        k = ls_construct_named(x.u, FR_ENTITY, q->spot.path[i].key);
    }
    const fr_entity *e = (const fr_entity *)(const void *)k;
    for (size_t i = 0; e && i < e->states.len; i++) {
        add(&x, e->states.items[i].sym, LS_ITEM_ENUM_MEMBER,
            mt_strf(q->c->a, "state of %.*s", FR_ARG(x.u, k->id)), k,
            e->states.items[i].tok);
    }
    close_subject(&x);
}

/* ---- what was given ---- */

/* The fact's type, then its parts, along the path behind `facts`. */
static const fr_type *type_at(const subject *x, size_t first, size_t depth)
{
    const ls_spot *s = &x->q->spot;
    const fr_construct *k =
        first < depth ? ls_construct_named(x->u, FR_FACT, s->path[first].key) : NULL;
    const fr_type *t =
        k && !k->broken ? ((const fr_fact *)(const void *)k)->type : NULL;
    for (size_t i = first + 1; t && i < depth; i++) {
        fr_sym name =
            s->path[i].is_item ? 0 : fr_symbol_find(&x->u->syms, s->path[i].key);
        t = s->path[i].is_item ? (fr_holds(t, LN_LIST) ? t->element : NULL)
            : name             ? fr_type_field_of(x->u, t, name)
                               : NULL;
    }
    return t;
}

static void know_fields(subject *x, const fr_type *t)
{
    if (t && fr_has(t, LN_CURRENCY)) {
        LS_KNOW_WORDS(x->q, LS_ITEM_FIELD, "amount", "currency");
    }
    for (uint32_t i = 0; t && fr_has(t, LN_PARTED) && i < t->field_count; i++) {
        ls_know_word(x->q, mt_str_dup(x->q->c->a, fr_str(x->u, t->fields[i].name)),
                     LS_ITEM_FIELD, fr_type_spell(x->u, x->q->c->a, t->fields[i].type));
    }
}

static void know_values(subject *x, const fr_type *t)
{
    for (uint32_t i = 0; t && fr_holds(t, LN_CHOICE) && i < t->value_count; i++) {
        ls_know_word(x->q, mt_str_dup(x->q->c->a, fr_str(x->u, t->values[i])),
                     LS_ITEM_ENUM_MEMBER, (mt_str){0});
    }
    if (t && fr_holds(t, LN_BOOLEAN)) {
        LS_KNOW_WORDS(x->q, LS_ITEM_KEYWORD, "true", "false");
    }
}

/* given/facts, of the file or of a scenario: facts, their fields and their values. */
void ls_know_given(ls_inquiry *q)
{
    const ls_spot *s = &q->spot;
    size_t first = 0;
    for (size_t i = 1; i < s->depth && !first; i++) {
        bool is_facts = mt_str_is(s->path[i].key, "facts") &&
                        mt_str_is(s->path[i - 1].key, "given");
        first = is_facts ? i + 1 : 0;
    }
    if (!first) {
        return;
    }
    subject x = open_subject(q);
    size_t depth = s->depth - s->is_key;
    const fr_type *t = x.u ? type_at(&x, first, depth) : NULL;
    if (depth == first && (s->is_key || s->may_be_key)) {
        add_kind(&x, FR_FACT, LS_ITEM_VARIABLE);
    } else if (x.u && t) {
        if (s->is_key || s->may_be_key) {
            know_fields(&x, t);
        }
        if (!s->is_key) {
            know_values(&x, t);
        }
    }
    close_subject(&x);
}

/* ---- what happens ---- */

typedef struct when {
    mt_str flow, operation;
} when;

/* `flow` or `operation` of the `when` beside or around the place: two steps of the path
 * are the scenario, and `when` follows. */
typedef struct when_search {
    const ls_spot *of;
    when found;
} when_search;

static bool find_when(void *context, const ls_spot *s)
{
    when_search *w = context;
    if (!s->is_key && s->depth == 4 && ls_spot_shares(s, w->of, 2) &&
        mt_str_is(s->path[2].key, "when")) {
        if (mt_str_is(s->path[3].key, "flow")) {
            w->found.flow = s->text;
        } else if (mt_str_is(s->path[3].key, "operation")) {
            w->found.operation = s->text;
        }
    }
    return true;
}

static when when_of(const ls_inquiry *q)
{
    when_search w = {.of = &q->spot};
    if (q->spot.depth > 2) {
        ls_spots(q->text, find_when, &w);
    }
    return w.found;
}

static void add_outcomes(subject *x, mt_str operation)
{
    const fr_construct *k = ls_construct_named(x->u, FR_OPERATION, operation);
    const fr_operation *op = (const fr_operation *)(const void *)k;
    for (size_t i = 0; op && i < op->outcomes.len; i++) {
        add(x, op->outcomes.items[i].sym, LS_ITEM_ENUM_MEMBER,
            mt_strf(x->q->c->a, "outcome of %.*s", MT_ARG(operation)), k,
            op->outcomes.items[i].tok);
    }
    if (op && !op->outcomes.len) {
        ls_know_word(x->q, MT_STR("success"), LS_ITEM_ENUM_MEMBER, (mt_str){0});
    }
}

/* Of the operation, or of those of the flow's steps. */
void ls_know_outcomes(ls_inquiry *q)
{
    subject x = open_subject(q);
    when w = when_of(q);
    const fr_construct *k = ls_construct_named(x.u, FR_FLOW, w.flow);
    const fr_flow *f = (const fr_flow *)(const void *)k;
    mt_str step = ls_spot_is(&q->spot, "when/outcome/*")
                      ? q->spot.path[q->spot.depth - 1].key
                      : (mt_str){0};
    if (w.operation.len) {
        add_outcomes(&x, w.operation);
    }
    for (size_t i = 0; f && i < f->steps.len; i++) {
        const fr_step *s = f->steps.items[i];
        if (fr_does(s) == LN_OPERATES &&
            (!step.len || mt_str_eq(fr_str(x.u, s->id.sym), step))) {
            add_outcomes(&x, fr_str(x.u, s->op.sym));
        }
    }
    close_subject(&x);
}

static void add_terminal(subject *x, const fr_target *t, const fr_construct *in)
{
    if (t->terminal && t->name.sym != FR_W_none && t->name.sym != FR_W_empty) {
        add(x, t->name.sym, LS_ITEM_ENUM_MEMBER, MT_STR("end of the flow"), in,
            t->name.tok);
    }
}

static void add_step_ends(subject *x, const fr_step *s, const fr_construct *in)
{
    switch (fr_does(s)) {
    case LN_OPERATES:
        for (size_t i = 0; i < s->routes.len; i++) {
            add_terminal(x, &s->routes.items[i].target, in);
        }
        break;
    case LN_DECIDES:
        add_terminal(x, &s->if_true, in);
        add_terminal(x, &s->if_false, in);
        break;
    case LN_CALLS: add_terminal(x, &s->on_success, in); break;
    case LN_ENDS: add_terminal(x, &s->end, in); break;
    case LN_FORKS:
        add_terminal(x, &s->all_success, in);
        add_terminal(x, &s->all_complete, in);
        break;
    case LN_GOES_ON: break;
    }
    if (s->handler.kind == FR_HANDLER_TERMINATE ||
        s->handler.kind == FR_HANDLER_COMPENSATE) {
        fr_target end = {.name = s->handler.outcome, .terminal = true};
        add_terminal(x, &end, in);
    }
}

/* How a flow can end, or an operation. */
void ls_know_endings(ls_inquiry *q)
{
    subject x = open_subject(q);
    when w = when_of(q);
    const fr_construct *k = ls_construct_named(x.u, FR_FLOW, w.flow);
    const fr_flow *f = (const fr_flow *)(const void *)k;
    for (size_t i = 0; f && !k->broken && i < f->steps.len; i++) {
        add_step_ends(&x, f->steps.items[i], k);
    }
    if (w.operation.len) {
        add_outcomes(&x, w.operation);
    }
    close_subject(&x);
}

/* `step` or `step=result`. */
void ls_know_steps(ls_inquiry *q)
{
    subject x = open_subject(q);
    mt_str flow = when_of(q).flow;
    ls_narrow(q, "=");
    for (size_t i = 0; x.u && i < x.u->kinds[FR_FLOW].len; i++) {
        const fr_construct *k = x.u->kinds[FR_FLOW].items[i];
        const fr_flow *f = (const fr_flow *)(const void *)k;
        bool is_meant = !flow.len || mt_str_eq(fr_str(x.u, k->id), flow);
        for (size_t n = 0; is_meant && !k->broken && n < f->steps.len; n++) {
            add(&x, f->steps.items[n]->id.sym, LS_ITEM_FIELD,
                mt_strf(q->c->a, "step of %.*s", FR_ARG(x.u, k->id)), k,
                f->steps.items[n]->id.tok);
        }
    }
    close_subject(&x);
}

/* Conditions are in the language of contracts. */
void ls_know_condition(ls_inquiry *q)
{
    subject x = open_subject(q);
    ls_narrow(q, " \t().=<>!+-*,'\"");
    add_kind(&x, FR_FACT, LS_ITEM_VARIABLE);
    add_verdicts(&x);
    add_kind(&x, FR_ENTITY, LS_ITEM_CLASS);
    LS_KNOW_WORDS(q, LS_ITEM_KEYWORD, "and", "or", "not", "outcome", "error",
                  "verdict_present", "state");
    close_subject(&x);
}
