/* contract/front/parser_flow.c - flows, their steps and failure handlers.
 *
 * FORMS is the table of step kinds: word, kind, body and required fields in the order
 * they are reported. Steps are read in the order of the text; of equal ids the last
 * one stays and pass 5 reports the other. Targets are a step or a terminal, in the
 * spellings the specification allows; handlers are Terminate, Compensate and Escalate.
 *
 * Parallel branches contain steps again; depth is bounded by source_depth. A step that
 * is broken breaks its flow, not the file. */
#include <stdlib.h>

#include "contract/front/parser.h"
#include "contract/front/suggest.h"

/* ---- targets and handlers ---- */

/* Terminal(x) or Terminal(outcome: x); here is the word Terminal. */
static bool take_terminal(fr_parser *p, fr_name *out)
{
    if (!fr_take_the_word(p, FR_W_Terminal) || !fr_take(p, FR_T_LPAREN)) {
        return false;
    }
    fr_accept_label(p, FR_W_outcome);
    return fr_take_word(p, out) && fr_take(p, FR_T_RPAREN);
}

/* A terminal's place is the word Terminal; its outcome is checked in pass 5. */
static bool take_target(fr_parser *p, fr_target *out)
{
    fr_tok tok = fr_here(p);
    out->terminal = fr_is_word(p, FR_W_Terminal);
    if (!out->terminal) {
        return fr_take_word(p, &out->name);
    }
    bool ok = take_terminal(p, &out->name);
    out->name.tok = tok;
    return ok;
}

/* Terminate(outcome: x), Terminate(x), Terminate(outcome: Terminal(x)) */
static bool take_terminate(fr_parser *p, fr_handler *h)
{
    if (!fr_take(p, FR_T_LPAREN)) {
        return false;
    }
    fr_accept_label(p, FR_W_outcome);
    bool wrapped = fr_is_word(p, FR_W_Terminal) && fr_peek_at(p, 1) == FR_T_LPAREN;
    bool ok = wrapped ? take_terminal(p, &h->outcome) : fr_take_word(p, &h->outcome);
    return ok && fr_take(p, FR_T_RPAREN);
}

static fr_field_result read_compensation_field(fr_parser *p, void *node, fr_sym field,
                                               fr_tok tok)
{
    (void)tok;
    fr_compensation *c = node;
    switch (field) {
    case FR_W_op: return FR_READ(fr_take_word(p, &c->op));
    case FR_W_persona: return FR_READ(fr_take_word(p, &c->persona));
    case FR_W_on_failure: return FR_READ(take_terminal(p, &c->on_failure));
    default: return FR_FIELD_UNKNOWN;
    }
}

/* Fields that are missing stay the empty word, and pass 5 reports them with the step's
 * name. */
static bool read_compensation(fr_parser *p, void *node)
{
    static const fr_sym FIELDS[] = {FR_W_op, FR_W_persona, FR_W_on_failure, FR_W_none};
    static const fr_body BODY = {.unknown = "comp step field",
                                 .fields = FIELDS,
                                 .read = read_compensation_field,
                                 .close = FR_T_RBRACE,
                                 .commas = true};
    fr_handler *h = node;
    fr_compensation c = {.tok = fr_here(p),
                         .op.sym = FR_W_empty,
                         .persona.sym = FR_W_empty,
                         .on_failure.sym = FR_W_empty};
    fr_seen seen = {0};
    if (!fr_take(p, FR_T_LBRACE) || !fr_read_body(p, &BODY, &c, &seen)) {
        return false;
    }
    *mt_vec_add(p->a, &h->steps) = c;
    return true;
}

static fr_field_result read_compensate_field(fr_parser *p, void *node, fr_sym field,
                                             fr_tok tok)
{
    (void)tok;
    fr_handler *h = node;
    switch (field) {
    case FR_W_steps: return FR_READ(fr_read_list(p, read_compensation, h));
    case FR_W_then: return FR_READ(take_terminal(p, &h->outcome));
    default: return FR_FIELD_UNKNOWN;
    }
}

static fr_field_result read_escalate_field(fr_parser *p, void *node, fr_sym field,
                                           fr_tok tok)
{
    (void)tok;
    fr_handler *h = node;
    switch (field) {
    case FR_W_to:
    case FR_W_to_persona: return FR_READ(fr_take_word(p, &h->persona));
    case FR_W_next: return FR_READ(fr_take_word(p, &h->next));
    default: return FR_FIELD_UNKNOWN;
    }
}

/* In parentheses, but with the loop and recovery of bodies in braces. */
static bool take_handler_body(fr_parser *p, fr_handler *h, const fr_body *body)
{
    fr_seen seen = {0};
    return fr_take(p, FR_T_LPAREN) && fr_read_body(p, body, h, &seen);
}

static bool is_handler(fr_sym kind)
{
    return kind == FR_W_Terminate || kind == FR_W_Compensate || kind == FR_W_Escalate;
}

/* Everything a kind does not have stays the empty word. A bare Terminal is taken as
 * Terminate of it. */
static bool take_handler_of(fr_parser *p, fr_handler *h, fr_sym kind)
{
    static const fr_sym COMPENSATE_FIELDS[] = {FR_W_steps, FR_W_then, FR_W_none};
    static const fr_body COMPENSATE = {.what = "Compensate",
                                       .fields = COMPENSATE_FIELDS,
                                       .read = read_compensate_field,
                                       .close = FR_T_RPAREN,
                                       .commas = true};
    static const fr_sym ESCALATE_FIELDS[] = {FR_W_to, FR_W_next, FR_W_to_persona,
                                             FR_W_none};
    static const fr_body ESCALATE = {.what = "Escalate",
                                     .fields = ESCALATE_FIELDS,
                                     .read = read_escalate_field,
                                     .close = FR_T_RPAREN,
                                     .commas = true};
    switch (kind) {
    case FR_W_Terminate: h->kind = FR_HANDLER_TERMINATE; return take_terminate(p, h);
    case FR_W_Compensate:
        h->kind = FR_HANDLER_COMPENSATE;
        return take_handler_body(p, h, &COMPENSATE);
    case FR_W_Escalate:
        h->kind = FR_HANDLER_ESCALATE;
        return take_handler_body(p, h, &ESCALATE);
    default: return false;
    }
}

/* A kind that is only misspelt is read as what was meant. */
static bool take_handler(fr_parser *p, fr_handler *h)
{
    static const fr_sym KINDS[] = {FR_W_Terminate, FR_W_Compensate, FR_W_Escalate,
                                   FR_W_none};
    fr_name kind;
    *h = (fr_handler){.tok = fr_here(p),
                      .outcome.sym = FR_W_empty,
                      .persona.sym = FR_W_empty,
                      .next.sym = FR_W_empty};
    if (fr_is_word(p, FR_W_Terminal)) {
        h->kind = FR_HANDLER_TERMINATE;
        return take_terminal(p, &h->outcome);
    }
    if (!fr_take_word(p, &kind)) {
        return false;
    }
    if (is_handler(kind.sym)) {
        return take_handler_of(p, h, kind.sym);
    }
    fr_place at = fr_meant_word(p->u, fr_where(p), KINDS, kind);
    fr_sym meant =
        at.exact.fix ? fr_symbol_find(&p->u->syms, at.exact.fix->edit.text) : FR_W_none;
    p->broken |= !meant;
    fr_report(p->u, FR_E_PARSE_HANDLER_KIND, at, "unknown failure handler kind '%.*s'",
              FR_ARG(p->u, kind.sym));
    return meant && take_handler_of(p, h, meant);
}

/* ---- steps ---- */

/* The labels are the fields of this body; every word is known, and doubles are found by
 * settle_routes() since labels have no bit in fr_seen. */
static fr_field_result read_route(fr_parser *p, void *node, fr_sym field, fr_tok tok)
{
    fr_step *s = node;
    fr_route route = {.label = {field, tok}};
    if (!take_target(p, &route.target)) {
        return FR_FIELD_FAILED;
    }
    *mt_vec_add(p->a, &s->routes) = route;
    return FR_FIELD_OK;
}

static int compare_routes(const void *a, const void *b, void *unit)
{
    const fr_route *x = a, *y = b;
    int order = fr_sym_cmp(unit, x->label.sym, y->label.sym);
    return order ? order : x->label.tok < y->label.tok ? -1 : 1;
}

/* Sorted by label; of equal labels the last declared stays. */
static void settle_routes(fr_parser *p, fr_step *s)
{
    qsort_r(s->routes.items, s->routes.len, sizeof *s->routes.items, compare_routes,
            p->u);
    size_t kept = 0;
    for (size_t i = 0; i < s->routes.len; i++) {
        fr_name label = s->routes.items[i].label;
        if (kept && s->routes.items[kept - 1].label.sym == label.sym) {
            fr_repeated(p, label.tok, label.sym);
            kept--;
        }
        s->routes.items[kept++] = s->routes.items[i];
    }
    s->routes.len = kept;
}

/* Routes are written sorted (§14.2, pass 6: keys of an object), so the order of the
 * text is not needed any more. */
static bool take_routes(fr_parser *p, fr_step *s)
{
    static const fr_body BODY = {
        .what = "outcome", .read = read_route, .close = FR_T_RBRACE, .commas = true};
    s->routes.len = 0;
    if (!fr_take(p, FR_T_LBRACE) || !fr_read_body(p, &BODY, s, NULL)) {
        return false;
    }
    if (s->routes.len > 1) {
        settle_routes(p, s);
    }
    return true;
}

static fr_field_result read_operation_step(fr_parser *p, void *node, fr_sym field,
                                           fr_tok tok)
{
    (void)tok;
    fr_step *s = node;
    switch (field) {
    case FR_W_op: return FR_READ(fr_take_word(p, &s->op));
    case FR_W_persona: return FR_READ(fr_take_word(p, &s->persona));
    case FR_W_outcomes: return FR_READ(take_routes(p, s));
    case FR_W_on_failure: return FR_READ(take_handler(p, &s->handler));
    default: return FR_FIELD_UNKNOWN;
    }
}

static fr_field_result read_branch_step(fr_parser *p, void *node, fr_sym field,
                                        fr_tok tok)
{
    (void)tok;
    fr_step *s = node;
    switch (field) {
    case FR_W_condition: return FR_READ((s->condition = fr_parse_expr(p)) != NULL);
    case FR_W_persona: return FR_READ(fr_take_word(p, &s->persona));
    case FR_W_if_true: return FR_READ(take_target(p, &s->if_true));
    case FR_W_if_false: return FR_READ(take_target(p, &s->if_false));
    default: return FR_FIELD_UNKNOWN;
    }
}

static fr_field_result read_handoff_step(fr_parser *p, void *node, fr_sym field,
                                         fr_tok tok)
{
    (void)tok;
    fr_step *s = node;
    switch (field) {
    case FR_W_from_persona: return FR_READ(fr_take_word(p, &s->persona));
    case FR_W_to_persona: return FR_READ(fr_take_word(p, &s->to_persona));
    case FR_W_next: return FR_READ(fr_take_word(p, &s->next));
    default: return FR_FIELD_UNKNOWN;
    }
}

static fr_field_result read_subflow_step(fr_parser *p, void *node, fr_sym field,
                                         fr_tok tok)
{
    fr_step *s = node;
    switch (field) {
    case FR_W_flow: s->flow_tok = tok; return FR_READ(fr_take_word(p, &s->op));
    case FR_W_persona: return FR_READ(fr_take_word(p, &s->persona));
    case FR_W_on_success: return FR_READ(take_target(p, &s->on_success));
    case FR_W_on_failure: return FR_READ(take_handler(p, &s->handler));
    default: return FR_FIELD_UNKNOWN;
    }
}

/* ---- parallel steps ---- */

static fr_field_result read_branch_field(fr_parser *p, void *node, fr_sym field,
                                         fr_tok tok)
{
    (void)tok;
    fr_branch *b = node;
    switch (field) {
    case FR_W_id: return FR_READ(fr_take_word(p, &b->id));
    case FR_W_entry: return FR_READ(fr_take_word(p, &b->entry));
    case FR_W_steps: return FR_READ(fr_parse_steps(p, &b->steps));
    default: return FR_FIELD_UNKNOWN;
    }
}

/* A branch without id or entry is kept with empty words; pass 5 reports it. */
static bool read_branch(fr_parser *p, void *node)
{
    static const fr_sym FIELDS[] = {FR_W_id, FR_W_entry, FR_W_steps, FR_W_none};
    static const fr_body BODY = {.what = "Branch",
                                 .fields = FIELDS,
                                 .read = read_branch_field,
                                 .close = FR_T_RBRACE,
                                 .commas = true};
    fr_step *s = node;
    fr_branch b = {.tok = fr_here(p), .id.sym = FR_W_empty, .entry.sym = FR_W_empty};
    fr_seen seen = {0};
    if (!fr_take_the_word(p, FR_W_Branch) || !fr_take(p, FR_T_LBRACE) ||
        !fr_read_body(p, &BODY, &b, &seen)) {
        return false;
    }
    *mt_vec_add(p->a, &s->branches) = b;
    return true;
}

/* null: §11.2 allows it for on_all_complete alone. The target stays "not given". */
static bool take_optional_target(fr_parser *p, fr_target *out)
{
    if (fr_is_word(p, FR_W_null)) {
        fr_advance(p);
        return true;
    }
    return take_target(p, out);
}

static fr_field_result read_join_field(fr_parser *p, void *node, fr_sym field,
                                       fr_tok tok)
{
    (void)tok;
    fr_step *s = node;
    switch (field) {
    case FR_W_on_all_success: return FR_READ(take_target(p, &s->all_success));
    case FR_W_on_any_failure: return FR_READ(take_handler(p, &s->handler));
    case FR_W_on_all_complete:
        return FR_READ(take_optional_target(p, &s->all_complete));
    default: return FR_FIELD_UNKNOWN;
    }
}

static bool take_join(fr_parser *p, fr_step *s)
{
    static const fr_sym FIELDS[] = {FR_W_on_all_success, FR_W_on_any_failure,
                                    FR_W_on_all_complete, FR_W_none};
    static const fr_body BODY = {.what = "JoinPolicy",
                                 .fields = FIELDS,
                                 .read = read_join_field,
                                 .close = FR_T_RBRACE,
                                 .commas = true};
    fr_seen seen = {0};
    s->has_join = true;
    return fr_take_the_word(p, FR_W_JoinPolicy) && fr_take(p, FR_T_LBRACE) &&
           fr_read_body(p, &BODY, s, &seen);
}

static fr_field_result read_parallel_step(fr_parser *p, void *node, fr_sym field,
                                          fr_tok tok)
{
    fr_step *s = node;
    switch (field) {
    case FR_W_branches:
        s->branches_tok = tok;
        s->branches.len = 0;
        return FR_READ(fr_read_list(p, read_branch, s));
    case FR_W_join: return FR_READ(take_join(p, s));
    default: return FR_FIELD_UNKNOWN;
    }
}

/* ---- named ends ---- */

static fr_field_result read_end_field(fr_parser *p, void *node, fr_sym field,
                                      fr_tok tok)
{
    (void)tok;
    fr_step *s = node;
    if (field != FR_W_outcome) {
        return FR_FIELD_UNKNOWN;
    }
    return FR_READ(fr_take_word(p, &s->end.name));
}

/* ---- all kinds ---- */

/* Kinds that need nothing here are complete as far as the grammar goes; pass 5 says
 * what an empty word lacks. */
typedef struct step_form {
    fr_field_reader read;
    fr_sym needs[3];  /* required fields, in the order they are reported */
    fr_sym fields[5]; /* all of them */
} step_form;

static const step_form FORMS[] = {
    [LN_STEP_OPERATION] = {read_operation_step,
                           {0},
                           {FR_W_op, FR_W_persona, FR_W_outcomes, FR_W_on_failure}},
    [LN_STEP_BRANCH] = {read_branch_step,
                        {FR_W_condition, FR_W_if_true, FR_W_if_false},
                        {FR_W_condition, FR_W_persona, FR_W_if_true, FR_W_if_false}},
    [LN_STEP_HANDOFF] = {read_handoff_step,
                         {0},
                         {FR_W_from_persona, FR_W_to_persona, FR_W_next}},
    [LN_STEP_SUBFLOW] = {read_subflow_step,
                         {FR_W_on_success, FR_W_on_failure},
                         {FR_W_flow, FR_W_persona, FR_W_on_success, FR_W_on_failure}},
    [LN_STEP_PARALLEL] = {read_parallel_step, {FR_W_join}, {FR_W_branches, FR_W_join}},
    [LN_STEP_TERMINAL] = {read_end_field, {FR_W_outcome}, {FR_W_outcome}},
};
MT_TABLE_COVERS(FORMS, LN_STEP_COUNT);

/* The suite has them at the step's closing brace, which was just consumed. */
static void require_fields(fr_parser *p, ln_step kind, fr_name id, const fr_seen *seen)
{
    const step_form *form = &FORMS[kind];
    for (size_t i = 0; i < 3 && form->needs[i]; i++) {
        if (!fr_was_seen(seen, form->needs[i])) {
            fr_lack lack = {
                LN_STEPS[kind].name, id.sym, form->needs[i], {id.tok, id.tok}};
            fr_missing(p, fr_here(p) - 1, &lack);
            return;
        }
    }
}

/* The kind that a misspelt one is near to; the count if there is none. */
static ln_step misspelt_step(fr_parser *p, fr_name kind)
{
    fr_sym words[LN_STEP_COUNT + 1] = {0};
    for (fr_sym i = 0; i < LN_STEP_COUNT; i++) {
        words[i] = FR_W_FIRST_STEP + i;
    }
    fr_place at = fr_meant_word(p->u, fr_where(p), words, kind);
    ln_step meant = LN_STEP_COUNT;
    if (at.exact.fix) {
        meant = fr_step_of_word(fr_symbol_find(&p->u->syms, at.exact.fix->edit.text));
    }
    p->broken |= meant == LN_STEP_COUNT;
    fr_report(p->u, FR_E_PARSE_STEP_KIND, at, "unknown step kind '%.*s'",
              FR_ARG(p->u, kind.sym));
    return meant;
}

/* The empty word says that a field was not given; pass 5 asks for that. */
static fr_step *new_step(fr_parser *p, fr_name id)
{
    fr_step *s = mt_new(p->a, fr_step);
    s->id = id;
    s->op.sym = s->persona.sym = FR_W_empty;
    return s;
}

/* The kind decides which fields are known; a step of an unknown kind cannot be read at
 * all. `broken` is set aside for the time of the body, as in parse_struct_literal():
 * required fields are asked for only where nothing else was wrong with this step. */
static bool parse_step(fr_parser *p, fr_name id, fr_step **out)
{
    fr_name kind;
    fr_seen seen = {0};
    if (fr_is_word(p, FR_W_Terminal) && fr_peek_at(p, 1) == FR_T_LPAREN) {
        *out = new_step(p, id);
        (*out)->kind = LN_STEP_TERMINAL;
        return take_target(p, &(*out)->end);
    }
    if (!fr_take_word(p, &kind) || !fr_take(p, FR_T_LBRACE)) {
        return false;
    }
    ln_step step = fr_step_of_word(kind.sym);
    if (step == LN_STEP_COUNT && (step = misspelt_step(p, kind)) == LN_STEP_COUNT) {
        return false;
    }
    fr_step *s = new_step(p, id);
    fr_body body = {.what = LN_STEPS[step].name,
                    .fields = FORMS[step].fields,
                    .read = FORMS[step].read,
                    .close = FR_T_RBRACE,
                    .commas = true};
    s->kind = (uint8_t)step;
    if (step == LN_STEP_TERMINAL) {
        s->end = (fr_target){{FR_W_empty, kind.tok}, true};
    }
    if (step == LN_STEP_HANDOFF) {
        s->to_persona.sym = s->next.sym = FR_W_empty;
    }
    bool before = p->broken;
    p->broken = false;
    if (!fr_read_body(p, &body, s, &seen)) {
        return false;
    }
    if (!p->broken) {
        require_fields(p, step, id, &seen);
    }
    p->broken |= before;
    *out = s;
    return true;
}

static fr_field_result read_step(fr_parser *p, void *node, fr_sym field, fr_tok tok)
{
    fr_steps *steps = node;
    fr_step *s;
    if (!parse_step(p, (fr_name){field, tok}, &s)) {
        return FR_FIELD_FAILED;
    }
    *mt_vec_add(p->a, steps) = s;
    return FR_FIELD_OK;
}

/* By symbol number, which is enough to bring equal ids together. */
static int compare_steps(const void *a, const void *b)
{
    const fr_step *x = *(fr_step *const *)a, *y = *(fr_step *const *)b;
    if (x->id.sym != y->id.sym) {
        return x->id.sym < y->id.sym ? -1 : 1;
    }
    return x->id.tok < y->id.tok ? -1 : 1;
}

/* Of steps with equal ids the last one stays; one of the others is remembered. The
 * order of the text is kept; only the replaced ones go, so every step that stays has a
 * `mark` of 0. */
static void settle_steps(fr_parser *p, fr_steps *steps)
{
    mt_mark mark = mt_arena_mark(p->a);
    fr_step **sorted = mt_alloc(p->a, mt_array_bytes(steps->len, sizeof *sorted));
    memcpy(sorted, steps->items, steps->len * sizeof *sorted);
    qsort(sorted, steps->len, sizeof *sorted, compare_steps);
    for (size_t i = 1; i < steps->len; i++) {
        if (sorted[i - 1]->id.sym == sorted[i]->id.sym) {
            sorted[i - 1]->mark = 1; /* replaced */
            steps->repeated = sorted[i];
        }
    }
    mt_arena_rewind(p->a, mark);
    size_t kept = 0;
    for (size_t i = 0; i < steps->len; i++) {
        if (!steps->items[i]->mark) {
            steps->items[kept++] = steps->items[i];
        }
    }
    steps->len = kept;
}

/* Step ids are the fields of this body. A list that is given twice starts anew. */
bool fr_parse_steps(fr_parser *p, fr_steps *steps)
{
    static const fr_body BODY = {
        .what = "Flow", .read = read_step, .close = FR_T_RBRACE, .commas = true};
    *steps = (fr_steps){0};
    if (!fr_enter(p)) {
        return false;
    }
    bool ok = fr_take(p, FR_T_LBRACE) && fr_read_body(p, &BODY, steps, NULL);
    fr_leave(p);
    if (ok && steps->len > 1) {
        settle_steps(p, steps);
    }
    return ok;
}

static fr_field_result read_flow_field(fr_parser *p, void *node, fr_sym field,
                                       fr_tok tok)
{
    fr_flow *f = node;
    switch (field) {
    case FR_W_snapshot: return FR_READ(fr_take_word(p, &f->snapshot));
    case FR_W_entry:
        f->entry_tok = tok;
        f->has_entry = true;
        return FR_READ(fr_take_word(p, &f->entry));
    case FR_W_steps: return FR_READ(fr_parse_steps(p, &f->steps));
    default: return FR_FIELD_UNKNOWN;
    }
}

fr_construct *fr_parse_flow(fr_parser *p)
{
    static const fr_sym FIELDS[] = {FR_W_snapshot, FR_W_entry, FR_W_steps, FR_W_none};
    static const fr_body BODY = {.what = "Flow",
                                 .fields = FIELDS,
                                 .read = read_flow_field,
                                 .close = FR_T_RBRACE};
    fr_construct *c = fr_new_construct(p, FR_FLOW, sizeof(fr_flow));
    fr_flow *f = (fr_flow *)c;
    fr_seen seen = {0};
    f->snapshot.sym = f->entry.sym = FR_W_empty;
    if (!c->broken) {
        c->broken =
            !fr_take(p, FR_T_LBRACE) || !fr_read_body(p, &BODY, c, &seen) || p->broken;
    }
    return c;
}
