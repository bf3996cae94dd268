/* lsp/mend_scenario.c - a scenario for the operation or the path under the cursor.
 *
 * Facts are looked for as a property looks for its counterexample: made up from their
 * types until the operation succeeds, or the flow comes through the step at the cursor,
 * then made as simple as they can be. What happens with them is recorded as what is
 * expected, so the scenario passes as it is written. Where no such facts are found
 * nothing is offered.
 *
 * It is put first into NAME.scenarios.yaml beside the contract, which is made if it is
 * not there. */
#include "lsp/known.h"
#include "lsp/mend.h"
#include "lsp/trials.h"

enum { CASES = 300, SEED = 1 };

typedef struct path_search {
    const ls_mender *m;
    const fr_construct *k; /* operation or flow */
    mt_str step;           /* that the flow has to come through; empty: any */
    ls_trials t;
    ct_scenarios file; /* of one scenario, made up */
    ct_scenario s;
} path_search;

/* ---- what is looked for ---- */

static bool came_through(const path_search *x, const ct_run *run)
{
    for (size_t i = 0; i < run->records.len; i++) {
        uint32_t step = run->records.items[i].step;
        if (step != CT_NONE && mt_str_eq(run->plan->steps[step].id, x->step)) {
            return true;
        }
    }
    return !x->step.len;
}

/* Not holding is being found: a property ends with the first case that does not. */
static bool is_another(void *state, mt_arena *a, const ct_bench *b, const ct_trial *t,
                       const ct_result *r, bool *wanted, mt_buf *why)
{
    const path_search *x = state;
    (void)a, (void)t, (void)why;
    *wanted = true;
    bool is_it = x->k->kind == FR_OPERATION
                     ? r->op != CT_NONE && !r->attempt.error && !r->fault.len
                     : r->ran && !r->fault.len && came_through(x, &b->run);
    return !is_it;
}

static const mt_json *tree_of(mt_arena *a, mt_buf *text)
{
    mt_json *tree = mt_new(a, mt_json);
    mt_str kept = mt_str_dup(a, mt_buf_str(text));
    mt_buf_free(text);
    return mt_json_read(a, kept, NULL, tree, NULL) ? NULL : tree;
}

/* The states an operation begins in. */
static const mt_json *states_before(const path_search *x, const fr_operation *op)
{
    const fr_unit *u = x->m->v->e->unit;
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    mt_map seen = {0};
    mt_jw_begin_unsorted(&w);
    for (size_t i = 0; i < op->effects.len; i++) {
        bool is_new;
        mt_map_add(x->m->c->a, &seen, fr_str(u, op->effects.items[i].entity.sym),
                   &is_new);
        if (is_new) {
            mt_jw_key(&w, fr_str(u, op->effects.items[i].entity.sym));
            mt_jw_str(&w, fr_str(u, op->effects.items[i].from.sym));
        }
    }
    mt_jw_end_object(&w);
    return tree_of(x->m->c->a, &text);
}

static const fr_operation *operation_of(const fr_unit *u, fr_sym name)
{
    const fr_construct *k = ls_construct_named(u, FR_OPERATION, fr_str(u, name));
    return (const fr_operation *)(const void *)k;
}

/* The label at the cursor, else the first, where there are several. */
static mt_str label_of(const path_search *x, const fr_step *s, const fr_operation *op)
{
    const fr_unit *u = x->m->v->e->unit;
    for (size_t i = 0; s && i < s->routes.len; i++) {
        fr_name label = s->routes.items[i].label;
        ls_range r = ls_span_range(x->k->file, (fr_span){label.tok, label.tok});
        if (r.from <= x->m->asked.from && x->m->asked.from <= r.to) {
            return fr_str(u, label.sym);
        }
    }
    return op->outcomes.len > 1 ? fr_str(u, op->outcomes.items[0].sym) : (mt_str){0};
}

static const mt_json *labels_of_flow(const path_search *x, const fr_flow *f)
{
    const fr_unit *u = x->m->v->e->unit;
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    bool any = false;
    mt_jw_begin_unsorted(&w);
    for (size_t i = 0; i < f->steps.len; i++) {
        const fr_step *s = f->steps.items[i];
        const fr_operation *op =
            fr_does(s) == LN_OPERATES ? operation_of(u, s->op.sym) : NULL;
        mt_str label = op ? label_of(x, s, op) : (mt_str){0};
        if (label.len && op->outcomes.len > 1) {
            mt_jw_key(&w, fr_str(u, s->id.sym));
            mt_jw_str(&w, label);
            any = true;
        }
    }
    mt_jw_end_object(&w);
    const mt_json *tree = tree_of(x->m->c->a, &text);
    return any ? tree : NULL;
}

static const mt_json *label_tree(mt_arena *a, mt_str label)
{
    mt_buf text = {0};
    if (!label.len) {
        return NULL;
    }
    mt_json_quote(&text, label);
    return tree_of(a, &text);
}

static void plan_operation(path_search *x)
{
    const fr_unit *u = x->m->v->e->unit;
    const fr_operation *op = (const fr_operation *)(const void *)x->k;
    x->s.when.operation = fr_str(u, x->k->id);
    x->s.when.persona =
        op->personas.len ? fr_str(u, op->personas.items[0].sym) : (mt_str){0};
    x->s.when.outcome = label_tree(x->m->c->a, label_of(x, NULL, op));
    x->s.given.states = states_before(x, op);
}

/* The step whose text the cursor is in. */
static const fr_step *step_at(const path_search *x, const fr_flow *f)
{
    for (size_t i = 0; i < f->steps.len; i++) {
        const fr_step *s = f->steps.items[i];
        fr_tok open = ls_token_body(x->k->file, s->id.tok);
        size_t from = fr_token_at(x->k->file, s->id.tok)->start;
        size_t to =
            open ? ls_token_end(x->k->file, ls_token_close(x->k->file, open)) : 0;
        if (from <= x->m->asked.from && x->m->asked.from <= to) {
            return s;
        }
    }
    return NULL;
}

static void plan_flow(path_search *x)
{
    const fr_unit *u = x->m->v->e->unit;
    const fr_flow *f = (const fr_flow *)(const void *)x->k;
    const fr_step *at = step_at(x, f);
    x->s.when.flow = fr_str(u, x->k->id);
    x->step = at ? fr_str(u, at->id.sym) : (mt_str){0};
    x->s.when.outcome = labels_of_flow(x, f);
    for (size_t i = 0; i < f->steps.len; i++) {
        if (f->steps.items[i]->id.sym == f->entry.sym) {
            x->s.when.persona = fr_str(u, f->steps.items[i]->persona.sym);
        }
    }
}

/* ---- what is written ---- */

static void add_json(mt_buf *out, const char *key, const mt_json *tree)
{
    if (tree) {
        mt_buf_addf(out, ", %s: ", key);
        mt_json_write(out, tree, false);
    }
}

static mt_str item_text(path_search *x, mt_str facts)
{
    mt_arena *a = x->m->c->a;
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    ct_result r;
    const ct_when *d = &x->s.when;
    ct_trial t = {.facts = facts,
                  .states = x->s.given.states,
                  .persona = d->persona,
                  .flow = d->flow,
                  .operation = d->operation,
                  .outcome = d->outcome};
    mt_str what = d->flow.len ? d->flow : d->operation;
    mt_buf_addf(&out, "- name: \"%.*s: %.*s%s%.*s\"\n  given: {facts: %.*s",
                MT_ARG(d->persona), MT_ARG(what), x->step.len ? " through " : "",
                MT_ARG(x->step), MT_ARG(facts));
    add_json(&out, "states", x->s.given.states);
    mt_buf_addf(&out, "}\n  when: {persona: %.*s, %s: %.*s", MT_ARG(d->persona),
                d->flow.len ? "flow" : "operation", MT_ARG(what));
    add_json(&out, "outcome", d->outcome);
    mt_buf_addz(&out, "}\n  then: ");
    ct_trial_run(a, &x->t.bench, &t, &r);
    ct_result_json(&w, &x->t.bench, &r);
    mt_buf_addc(&out, '\n');
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* Each line so far in. */
static mt_str indented(mt_arena *a, mt_str text, size_t columns)
{
    mt_buf out = {0};
    while (text.len) {
        size_t end = mt_str_find(text, '\n');
        mt_buf_addf(&out, "%*s%.*s\n", (int)columns, "", (int)end, text.ptr);
        text = mt_str_skip(text, end + 1);
    }
    mt_str kept = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

/* ---- where ---- */

typedef struct place {
    mt_str path, text; /* of the file; it is empty where the file is new */
    size_t at;
    bool is_new;
    mt_str put;
} place;

/* Behind the line of `scenarios:`, as far in as the others; false: they are written in
 * brackets. */
static bool place_in(ls_call *c, mt_str item, place *p)
{
    ls_gathering keys = ls_gather(c->a, p->text, "/scenarios", true);
    if (!keys.len) {
        p->at = p->text.len;
        bool ends = !p->text.len || p->text.ptr[p->text.len - 1] == '\n';
        p->put = mt_strf(c->a, "%sscenarios:\n%.*s", ends ? "" : "\n",
                         MT_ARG(indented(c->a, item, 2)));
        return true;
    }
    size_t line = keys.items[0].at.to;
    size_t end = line + mt_str_find(mt_str_skip(p->text, line), '\n');
    mt_str behind =
        mt_str_trim(mt_str_from(p->text.ptr + line, end - line), MT_STR(" \t\r\"':"));
    mt_str rest = mt_str_skip(p->text, end + 1);
    size_t columns = 0;
    while (columns < rest.len && rest.ptr[columns] == ' ') {
        columns++;
    }
    bool has_item = columns < rest.len && rest.ptr[columns] == '-';
    p->at = end + 1 < p->text.len ? end + 1 : p->text.len;
    p->put = mt_strf(c->a, "%s%.*s", end < p->text.len ? "" : "\n",
                     MT_ARG(indented(c->a, item, has_item ? columns : 2)));
    return !behind.len || behind.ptr[0] == '#';
}

static bool find_place(ls_call *c, mt_str item, place *p)
{
    mt_str own = c->doc->path;
    mt_str stem = mt_str_from(own.ptr, own.len - strlen(".tenor"));
    p->path = mt_strf(c->a, "%.*s.scenarios.yaml", MT_ARG(stem));
    p->is_new =
        !ls_read_beside(c->s, c->a, p->path, mt_str_basename(p->path), &p->text);
    if (p->is_new) {
        p->text = MT_STR("");
    }
    return place_in(c, item, p);
}

static void write_edits(ls_call *c, const place *p)
{
    ls_text t = ls_text_of(c->a, p->text);
    mt_jw_begin_array(c->w);
    ls_write_edit(c, &t, (ls_range){p->at, p->at}, p->put);
    mt_jw_end_array(c->w);
}

static void write_creation(ls_call *c, const place *p, mt_str uri)
{
    mt_jw_keyz(c->w, "documentChanges");
    mt_jw_begin_array(c->w);
    mt_jw_begin_object(c->w);
    mt_jw_key_str(c->w, "kind", MT_STR("create"));
    mt_jw_key_str(c->w, "uri", uri);
    mt_jw_end_object(c->w);
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "edits");
    write_edits(c, p);
    mt_jw_keyz(c->w, "textDocument");
    mt_jw_begin_object(c->w);
    mt_jw_key_str(c->w, "uri", uri);
    mt_jw_keyz(c->w, "version");
    mt_jw_null(c->w);
    mt_jw_end_object(c->w);
    mt_jw_end_object(c->w);
    mt_jw_end_array(c->w);
}

static void write_edit(ls_call *c, const place *p)
{
    mt_str uri = ls_uri_of(c->s, c->a, p->path);
    mt_jw_keyz(c->w, "edit");
    mt_jw_begin_object(c->w);
    if (p->is_new && c->s->has_create) {
        write_creation(c, p, uri);
    } else {
        mt_jw_keyz(c->w, "changes");
        mt_jw_begin_object(c->w);
        mt_jw_key(c->w, uri);
        write_edits(c, p);
        mt_jw_end_object(c->w);
    }
    mt_jw_end_object(c->w);
}

/* What the action is for, so that its edit can be made when it is chosen. */
static void write_data(ls_call *c, size_t offset)
{
    mt_jw_keyz(c->w, "data");
    mt_jw_begin_object(c->w);
    mt_jw_keyz(c->w, "position");
    ls_write_position(c->w, c->s, &c->doc->lines, offset);
    mt_jw_key_str(c->w, "uri", c->doc->uri);
    mt_jw_end_object(c->w);
}

/* `p` NULL: the edit is made later. */
static void write_action(const path_search *x, const place *p)
{
    ls_call *c = x->m->c;
    mt_str what = x->s.when.flow.len ? x->s.when.flow : x->s.when.operation;
    mt_jw_begin_object(c->w);
    if (p) {
        write_edit(c, p);
    } else {
        write_data(c, x->m->asked.from);
    }
    mt_jw_key_str(c->w, "kind", MT_STR("refactor.scenario"));
    mt_jw_key_str(c->w, "title",
                  mt_strf(c->a, "Add a scenario for '%.*s'%s%.*s", MT_ARG(what),
                          x->step.len ? " through " : "", MT_ARG(x->step)));
    mt_jw_end_object(c->w);
}

static bool find_facts(path_search *x, mt_str *facts)
{
    ct_conditions judge = {.state = x, .reads_error = true, .judge = is_another};
    ct_property_options options = {CASES, SEED};
    ct_property p;
    mt_buf why = {0};
    x->s.for_all = (ct_for_all){.asked = true, .seed = -1};
    x->s.name = MT_STR("x");
    ct_property_run(x->m->c->a, &x->t.bench, &x->file, &x->s, &judge, options, NULL,
                    &why, &p);
    mt_buf_free(&why);
    *facts = p.facts;
    return p.failed;
}

/* Is there something at the place that a scenario can do? */
static bool plan(path_search *x)
{
    const ls_mender *m = x->m;
    x->k = ls_construct_at(m->v, m->c->doc->path, m->asked.from);
    bool is_one = x->k && !x->k->broken &&
                  (x->k->kind == FR_OPERATION || x->k->kind == FR_FLOW) &&
                  !m->v->contract.ds.errors && m->v->contract.admitted.model;
    if (!is_one) {
        return false;
    }
    if (x->k->kind == FR_OPERATION) {
        plan_operation(x);
    } else {
        plan_flow(x);
    }
    return x->s.when.persona.len;
}

/* False: no facts were found, or the file has its scenarios in brackets. */
static bool make(path_search *x, place *p)
{
    ls_call *c = x->m->c;
    mt_str facts;
    if (!ls_trials_open(c->s, c->doc->path, &x->t)) {
        return false;
    }
    bool is_made = find_facts(x, &facts) && find_place(c, item_text(x, facts), p);
    ls_trials_close(&x->t);
    return is_made;
}

/* Editors that ask at every move of the cursor. */
static bool is_automatic(const ls_call *c)
{
    int64_t kind = 0;
    mt_json_i64(mt_json_at(mt_json_at(c->params, "context"), "triggerKind"), &kind);
    return kind == 2;
}

/* It takes a search, so the edit is made when the action is chosen, where the editor
 * can wait for it. */
void ls_mend_scenario(const ls_mender *m)
{
    path_search x = {.m = m, .file.text = MT_STR("")};
    place p;
    if (!ls_mend_wants(m->c, "refactor.scenario") ||
        !mt_str_ends(m->c->doc->path, MT_STR(".tenor")) || !plan(&x)) {
        return;
    }
    if (m->c->s->has_resolve) {
        write_action(&x, NULL);
    } else if (!is_automatic(m->c) && make(&x, &p)) {
        write_action(&x, &p);
    }
}

/* Actions that came with their edits go back as they are. */
void ls_resolve_action(ls_call *c)
{
    const mt_json *data = mt_json_at(c->params, "data");
    ls_mender m = {.c = c};
    path_search x = {.m = &m, .file.text = MT_STR("")};
    place p;
    if (!data && mt_json_is(c->params, MT_JSON_OBJECT)) {
        mt_jw_json(c->w, c->params);
        return;
    }
    c->doc = ls_document_find(c->s, mt_json_text(mt_json_at(data, "uri")));
    if (!c->doc || c->doc->language != LS_CONTRACT ||
        !ls_read_place(c->s, &c->doc->lines, mt_json_at(data, "position"),
                       &m.asked.from)) {
        ls_refuse(c, LS_INVALID_PARAMS,
                  MT_STR("this is not an action that was offered here"));
        return;
    }
    m.v = ls_view_checked(c->s, c->doc);
    if (!m.v->e || !m.v->e->unit || !plan(&x) || !make(&x, &p)) {
        ls_refuse(c, LS_REQUEST_FAILED,
                  MT_STR("no facts were found with which it would be done"));
        return;
    }
    write_action(&x, &p);
}
