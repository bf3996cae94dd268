/* contract/front/parser_flow.c - flows, their steps and failure handlers. */
#include <stdlib.h>

#include "contract/front/parser.h"

/* ---- targets and handlers ---- */

/* Terminal(x) or Terminal(outcome: x); here is the word Terminal. */
static bool take_terminal(ct_parser *p, ct_name *out)
{
    if (!ct_take_the_word(p, CT_W_Terminal) || !ct_take(p, CT_T_LPAREN)) {
        return false;
    }
    ct_accept_label(p, CT_W_outcome);
    return ct_take_word(p, out) && ct_take(p, CT_T_RPAREN);
}

static bool take_target(ct_parser *p, ct_target *out)
{
    ct_tok tok = ct_here(p);
    out->terminal = ct_is_word(p, CT_W_Terminal);
    if (!out->terminal) {
        return ct_take_word(p, &out->name);
    }
    bool ok = take_terminal(p, &out->name);
    out->name.tok = tok;
    return ok;
}

/* Terminate(outcome: x), Terminate(x), Terminate(outcome: Terminal(x)) */
static bool take_terminate(ct_parser *p, ct_handler *h)
{
    if (!ct_take(p, CT_T_LPAREN)) {
        return false;
    }
    ct_accept_label(p, CT_W_outcome);
    bool wrapped = ct_is_word(p, CT_W_Terminal) && ct_peek_at(p, 1) == CT_T_LPAREN;
    bool ok = wrapped ? take_terminal(p, &h->outcome) : ct_take_word(p, &h->outcome);
    return ok && ct_take(p, CT_T_RPAREN);
}

static ct_field_result read_compensation_field(ct_parser *p, void *node, ct_sym field,
                                               ct_tok tok)
{
    (void)tok;
    ct_compensation *c = node;
    switch (field) {
    case CT_W_op: return CT_READ(ct_take_word(p, &c->op));
    case CT_W_persona: return CT_READ(ct_take_word(p, &c->persona));
    case CT_W_on_failure: return CT_READ(take_terminal(p, &c->on_failure));
    default: return CT_FIELD_UNKNOWN;
    }
}

static bool read_compensation(ct_parser *p, void *node)
{
    static const ct_body BODY = {.unknown = "comp step field",
                                 .read = read_compensation_field,
                                 .close = CT_T_RBRACE,
                                 .commas = true};
    ct_handler *h = node;
    ct_compensation c = {.tok = ct_here(p),
                         .op.sym = CT_W_empty,
                         .persona.sym = CT_W_empty,
                         .on_failure.sym = CT_W_empty};
    ct_seen seen = {0};
    if (!ct_take(p, CT_T_LBRACE) || !ct_read_body(p, &BODY, &c, &seen)) {
        return false;
    }
    *mt_vec_add(p->a, &h->steps) = c;
    return true;
}

static ct_field_result read_compensate_field(ct_parser *p, void *node, ct_sym field,
                                             ct_tok tok)
{
    (void)tok;
    ct_handler *h = node;
    switch (field) {
    case CT_W_steps: return CT_READ(ct_read_list(p, read_compensation, h));
    case CT_W_then: return CT_READ(take_terminal(p, &h->outcome));
    default: return CT_FIELD_UNKNOWN;
    }
}

static ct_field_result read_escalate_field(ct_parser *p, void *node, ct_sym field,
                                           ct_tok tok)
{
    (void)tok;
    ct_handler *h = node;
    switch (field) {
    case CT_W_to:
    case CT_W_to_persona: return CT_READ(ct_take_word(p, &h->persona));
    case CT_W_next: return CT_READ(ct_take_word(p, &h->next));
    default: return CT_FIELD_UNKNOWN;
    }
}

static bool take_handler_body(ct_parser *p, ct_handler *h, const ct_body *body)
{
    ct_seen seen = {0};
    return ct_take(p, CT_T_LPAREN) && ct_read_body(p, body, h, &seen);
}

static bool take_handler(ct_parser *p, ct_handler *h)
{
    static const ct_body COMPENSATE = {.what = "Compensate",
                                       .read = read_compensate_field,
                                       .close = CT_T_RPAREN,
                                       .commas = true};
    static const ct_body ESCALATE = {.what = "Escalate",
                                     .read = read_escalate_field,
                                     .close = CT_T_RPAREN,
                                     .commas = true};
    ct_name kind;
    *h = (ct_handler){.tok = ct_here(p),
                      .outcome.sym = CT_W_empty,
                      .persona.sym = CT_W_empty,
                      .next.sym = CT_W_empty};
    if (ct_is_word(p, CT_W_Terminal)) {
        h->kind = CT_HANDLER_TERMINATE;
        return take_terminal(p, &h->outcome);
    }
    if (!ct_take_word(p, &kind)) {
        return false;
    }
    switch (kind.sym) {
    case CT_W_Terminate: h->kind = CT_HANDLER_TERMINATE; return take_terminate(p, h);
    case CT_W_Compensate:
        h->kind = CT_HANDLER_COMPENSATE;
        return take_handler_body(p, h, &COMPENSATE);
    case CT_W_Escalate:
        h->kind = CT_HANDLER_ESCALATE;
        return take_handler_body(p, h, &ESCALATE);
    default:
        p->broken = true;
        ct_report(p->u, CT_E_PARSE_HANDLER_KIND,
                  (ct_place){.file = p->file, .tok = ct_here(p)},
                  "unknown failure handler kind '%.*s'", CT_ARG(p->u, kind.sym));
        return false;
    }
}

/* ---- steps ---- */

static ct_field_result read_route(ct_parser *p, void *node, ct_sym field, ct_tok tok)
{
    ct_step *s = node;
    ct_route route = {.label = {field, tok}};
    if (!take_target(p, &route.target)) {
        return CT_FIELD_FAILED;
    }
    *mt_vec_add(p->a, &s->routes) = route;
    return CT_FIELD_OK;
}

static int compare_routes(const void *a, const void *b, void *unit)
{
    const ct_route *x = a, *y = b;
    int order = ct_sym_cmp(unit, x->label.sym, y->label.sym);
    return order ? order : x->label.tok < y->label.tok ? -1 : 1;
}

/* Sorted by label; of equal labels the last declared stays. */
static void settle_routes(ct_parser *p, ct_step *s)
{
    qsort_r(s->routes.items, s->routes.len, sizeof *s->routes.items, compare_routes,
            p->u);
    size_t kept = 0;
    for (size_t i = 0; i < s->routes.len; i++) {
        ct_name label = s->routes.items[i].label;
        if (kept && s->routes.items[kept - 1].label.sym == label.sym) {
            ct_repeated(p, label.tok, label.sym);
            kept--;
        }
        s->routes.items[kept++] = s->routes.items[i];
    }
    s->routes.len = kept;
}

static bool take_routes(ct_parser *p, ct_step *s)
{
    static const ct_body BODY = {
        .what = "outcome", .read = read_route, .close = CT_T_RBRACE, .commas = true};
    s->routes.len = 0;
    if (!ct_take(p, CT_T_LBRACE) || !ct_read_body(p, &BODY, s, NULL)) {
        return false;
    }
    if (s->routes.len > 1) {
        settle_routes(p, s);
    }
    return true;
}

static ct_field_result read_operation_step(ct_parser *p, void *node, ct_sym field,
                                           ct_tok tok)
{
    (void)tok;
    ct_step *s = node;
    switch (field) {
    case CT_W_op: return CT_READ(ct_take_word(p, &s->op));
    case CT_W_persona: return CT_READ(ct_take_word(p, &s->persona));
    case CT_W_outcomes: return CT_READ(take_routes(p, s));
    case CT_W_on_failure: return CT_READ(take_handler(p, &s->handler));
    default: return CT_FIELD_UNKNOWN;
    }
}

static ct_field_result read_branch_step(ct_parser *p, void *node, ct_sym field,
                                        ct_tok tok)
{
    (void)tok;
    ct_step *s = node;
    switch (field) {
    case CT_W_condition: return CT_READ((s->condition = ct_parse_expr(p)) != NULL);
    case CT_W_persona: return CT_READ(ct_take_word(p, &s->persona));
    case CT_W_if_true: return CT_READ(take_target(p, &s->if_true));
    case CT_W_if_false: return CT_READ(take_target(p, &s->if_false));
    default: return CT_FIELD_UNKNOWN;
    }
}

static ct_field_result read_handoff_step(ct_parser *p, void *node, ct_sym field,
                                         ct_tok tok)
{
    (void)tok;
    ct_step *s = node;
    switch (field) {
    case CT_W_from_persona: return CT_READ(ct_take_word(p, &s->persona));
    case CT_W_to_persona: return CT_READ(ct_take_word(p, &s->to_persona));
    case CT_W_next: return CT_READ(ct_take_word(p, &s->next));
    default: return CT_FIELD_UNKNOWN;
    }
}

static ct_field_result read_subflow_step(ct_parser *p, void *node, ct_sym field,
                                         ct_tok tok)
{
    ct_step *s = node;
    switch (field) {
    case CT_W_flow: s->flow_tok = tok; return CT_READ(ct_take_word(p, &s->op));
    case CT_W_persona: return CT_READ(ct_take_word(p, &s->persona));
    case CT_W_on_success: return CT_READ(take_target(p, &s->on_success));
    case CT_W_on_failure: return CT_READ(take_handler(p, &s->handler));
    default: return CT_FIELD_UNKNOWN;
    }
}

/* ---- parallel steps ---- */

static ct_field_result read_branch_field(ct_parser *p, void *node, ct_sym field,
                                         ct_tok tok)
{
    (void)tok;
    ct_branch *b = node;
    switch (field) {
    case CT_W_id: return CT_READ(ct_take_word(p, &b->id));
    case CT_W_entry: return CT_READ(ct_take_word(p, &b->entry));
    case CT_W_steps: return CT_READ(ct_parse_steps(p, &b->steps));
    default: return CT_FIELD_UNKNOWN;
    }
}

static bool read_branch(ct_parser *p, void *node)
{
    static const ct_body BODY = {.what = "Branch",
                                 .read = read_branch_field,
                                 .close = CT_T_RBRACE,
                                 .commas = true};
    ct_step *s = node;
    ct_branch b = {.tok = ct_here(p), .id.sym = CT_W_empty, .entry.sym = CT_W_empty};
    ct_seen seen = {0};
    if (!ct_take_the_word(p, CT_W_Branch) || !ct_take(p, CT_T_LBRACE) ||
        !ct_read_body(p, &BODY, &b, &seen)) {
        return false;
    }
    *mt_vec_add(p->a, &s->branches) = b;
    return true;
}

static bool take_optional_target(ct_parser *p, ct_target *out)
{
    if (ct_is_word(p, CT_W_null)) {
        ct_advance(p);
        return true;
    }
    return take_target(p, out);
}

static ct_field_result read_join_field(ct_parser *p, void *node, ct_sym field,
                                       ct_tok tok)
{
    (void)tok;
    ct_step *s = node;
    switch (field) {
    case CT_W_on_all_success: return CT_READ(take_target(p, &s->all_success));
    case CT_W_on_any_failure: return CT_READ(take_handler(p, &s->handler));
    case CT_W_on_all_complete:
        return CT_READ(take_optional_target(p, &s->all_complete));
    default: return CT_FIELD_UNKNOWN;
    }
}

static bool take_join(ct_parser *p, ct_step *s)
{
    static const ct_body BODY = {.what = "JoinPolicy",
                                 .read = read_join_field,
                                 .close = CT_T_RBRACE,
                                 .commas = true};
    ct_seen seen = {0};
    s->has_join = true;
    return ct_take_the_word(p, CT_W_JoinPolicy) && ct_take(p, CT_T_LBRACE) &&
           ct_read_body(p, &BODY, s, &seen);
}

static ct_field_result read_parallel_step(ct_parser *p, void *node, ct_sym field,
                                          ct_tok tok)
{
    ct_step *s = node;
    switch (field) {
    case CT_W_branches:
        s->branches_tok = tok;
        s->branches.len = 0;
        return CT_READ(ct_read_list(p, read_branch, s));
    case CT_W_join: return CT_READ(take_join(p, s));
    default: return CT_FIELD_UNKNOWN;
    }
}

/* ---- all kinds ---- */

typedef struct step_form {
    ct_sym word;
    ct_step_kind kind;
    ct_body body;
    ct_sym needs[3]; /* required fields, in the order they are reported */
} step_form;

/* clang-format off */
static const step_form FORMS[] = {
    {CT_W_OperationStep, CT_STEP_OPERATION,
     {"OperationStep", NULL, read_operation_step, CT_T_RBRACE, true}, {0}},
    {CT_W_BranchStep, CT_STEP_BRANCH,
     {"BranchStep", NULL, read_branch_step, CT_T_RBRACE, true},
     {CT_W_condition, CT_W_if_true, CT_W_if_false}},
    {CT_W_HandoffStep, CT_STEP_HANDOFF,
     {"HandoffStep", NULL, read_handoff_step, CT_T_RBRACE, true}, {0}},
    {CT_W_SubFlowStep, CT_STEP_SUBFLOW,
     {"SubFlowStep", NULL, read_subflow_step, CT_T_RBRACE, true},
     {CT_W_on_success, CT_W_on_failure}},
    {CT_W_ParallelStep, CT_STEP_PARALLEL,
     {"ParallelStep", NULL, read_parallel_step, CT_T_RBRACE, true}, {CT_W_join}},
};
/* clang-format on */

static const step_form *form_of(ct_sym word)
{
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
        if (FORMS[i].word == word) {
            return &FORMS[i];
        }
    }
    return NULL;
}

static void require_fields(ct_parser *p, const step_form *form, const ct_seen *seen)
{
    for (size_t i = 0; i < 3 && form->needs[i]; i++) {
        if (!ct_was_seen(seen, form->needs[i])) {
            /* At the step's closing brace, which was just consumed. */
            ct_missing(p, ct_here(p) - 1, form->body.what,
                       mt_str_dup(p->a, ct_str(p->u, form->needs[i])).ptr);
            return;
        }
    }
}

static ct_step *new_step(ct_parser *p, ct_name id)
{
    ct_step *s = mt_new(p->a, ct_step);
    s->id = id;
    s->op.sym = s->persona.sym = CT_W_empty;
    return s;
}

static bool parse_step(ct_parser *p, ct_name id, ct_step **out)
{
    ct_name kind;
    ct_seen seen = {0};
    if (!ct_take_word(p, &kind) || !ct_take(p, CT_T_LBRACE)) {
        return false;
    }
    const step_form *form = form_of(kind.sym);
    if (!form) {
        p->broken = true;
        ct_report(p->u, CT_E_PARSE_STEP_KIND,
                  (ct_place){.file = p->file, .tok = ct_here(p)},
                  "unknown step kind '%.*s'", CT_ARG(p->u, kind.sym));
        return false;
    }
    ct_step *s = new_step(p, id);
    s->kind = (uint8_t)form->kind;
    if (form->kind == CT_STEP_HANDOFF) {
        s->to_persona.sym = s->next.sym = CT_W_empty;
    }
    bool before = p->broken;
    p->broken = false;
    if (!ct_read_body(p, &form->body, s, &seen)) {
        return false;
    }
    if (!p->broken) {
        require_fields(p, form, &seen);
    }
    p->broken |= before;
    *out = s;
    return true;
}

static ct_field_result read_step(ct_parser *p, void *node, ct_sym field, ct_tok tok)
{
    ct_steps *steps = node;
    ct_step *s;
    if (!parse_step(p, (ct_name){field, tok}, &s)) {
        return CT_FIELD_FAILED;
    }
    *mt_vec_add(p->a, steps) = s;
    return CT_FIELD_OK;
}

static int compare_steps(const void *a, const void *b)
{
    const ct_step *x = *(ct_step *const *)a, *y = *(ct_step *const *)b;
    if (x->id.sym != y->id.sym) {
        return x->id.sym < y->id.sym ? -1 : 1;
    }
    return x->id.tok < y->id.tok ? -1 : 1;
}

/* Of steps with equal ids the last one stays; one of the others is remembered. */
static void settle_steps(ct_parser *p, ct_steps *steps)
{
    mt_mark mark = mt_arena_mark(p->a);
    ct_step **sorted = mt_alloc(p->a, mt_array_bytes(steps->len, sizeof *sorted));
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

bool ct_parse_steps(ct_parser *p, ct_steps *steps)
{
    static const ct_body BODY = {
        .what = "Flow", .read = read_step, .close = CT_T_RBRACE, .commas = true};
    *steps = (ct_steps){0};
    if (!ct_enter(p)) {
        return false;
    }
    bool ok = ct_take(p, CT_T_LBRACE) && ct_read_body(p, &BODY, steps, NULL);
    ct_leave(p);
    if (ok && steps->len > 1) {
        settle_steps(p, steps);
    }
    return ok;
}

static ct_field_result read_flow_field(ct_parser *p, void *node, ct_sym field,
                                       ct_tok tok)
{
    ct_flow *f = node;
    switch (field) {
    case CT_W_snapshot: return CT_READ(ct_take_word(p, &f->snapshot));
    case CT_W_entry:
        f->entry_tok = tok;
        f->has_entry = true;
        return CT_READ(ct_take_word(p, &f->entry));
    case CT_W_steps: return CT_READ(ct_parse_steps(p, &f->steps));
    default: return CT_FIELD_UNKNOWN;
    }
}

ct_construct *ct_parse_flow(ct_parser *p)
{
    static const ct_body BODY = {
        .what = "Flow", .read = read_flow_field, .close = CT_T_RBRACE};
    ct_construct *c = ct_new_construct(p, CT_FLOW, sizeof(ct_flow));
    ct_flow *f = (ct_flow *)c;
    ct_seen seen = {0};
    f->snapshot.sym = f->entry.sym = CT_W_empty;
    if (!c->broken) {
        c->broken =
            !ct_take(p, CT_T_LBRACE) || !ct_read_body(p, &BODY, c, &seen) || p->broken;
    }
    return c;
}
