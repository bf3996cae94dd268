/* answer/conditions.c - assertions as preconditions of a contract around the contract.
 *
 * Order: a source text is written that declares every fact and verdict of the contract
 * by its type, besides facts for what comes out, and an operation for each condition.
 * It is elaborated; a fault belongs to the condition on whose lines it is, and goes to
 * its scenario. Then the operations are added to the bundle of the contract itself, and
 * that is loaded: rules are the contract's own, conditions are compiled like its own.
 *
 * Judging a case reads its facts once more, with what came out, evaluates, and asks
 * each condition.
 *
 * INVARIANT: a scenario whose conditions could not be read has a fault and never runs.
 * What may fail: nothing, but by saying so; names of ours begin with a prefix that no
 * name of the contract has. */
#include "answer/conditions.h"

#include "analyze/version/diff_words.h"
#include "contract/elaborate.h"

typedef struct condition {
    size_t scenario;
    const mt_json *node;  /* of the file */
    bool where;           /* else: assert */
    uint32_t first, last; /* lines of the source text */
    uint32_t index;       /* of the model's conditions; CT_NONE: always true */
} condition;

typedef struct of_scenario {
    aw_conditions *owner;
    size_t scenario;
    ct_conditions conditions;
    bool any;
} of_scenario;

struct aw_conditions {
    mt_arena *a;
    ct_scenarios *file;
    const mt_limits *limits;
    mt_str prefix; /* of our names */
    mt_json bundle;
    const ct_model *base; /* of the contract; its entities */
    MT_VEC(condition) list;
    of_scenario *scenarios;
    bool *entities;      /* per entity of the plan: `Entity.state` may be read */
    bool outcome, error; /* likewise */
    const ct_plan *plan;
    ct_bench bench;
};

/* ---- What is to be read ---- */

/* `index` is found when all of them have been compiled (find_indices). */
static void add_condition(aw_conditions *c, size_t scenario, const mt_json *node,
                          bool where)
{
    condition one = {.scenario = scenario, .node = node, .where = where};
    mt_vec_push(c->a, &c->list, one);
}

static void collect(aw_conditions *c)
{
    for (size_t i = 0; i < c->file->len; i++) {
        const ct_scenario *s = &c->file->items[i];
        if (s->fault.len) {
            continue;
        }
        if (s->for_all.where) {
            add_condition(c, i, s->for_all.where, true);
        }
        for (uint32_t k = 0; s->asserts && k < s->asserts->count; k++) {
            add_condition(c, i, &s->asserts->as.items[k], false);
        }
    }
}

/* ---- The source text ---- */

typedef struct writer {
    const aw_conditions *c;
    mt_buf out;
    uint32_t line; /* that is written */
} writer;

/* Lines are counted as they are written: a condition is found again by its line. */
static void put(writer *w, mt_str text)
{
    mt_buf_adds(&w->out, text);
    for (size_t i = 0; i < text.len; i++) {
        w->line += text.ptr[i] == '\n';
    }
}

__attribute__((format(printf, 2, 3))) static void putf(writer *w, const char *format,
                                                       ...)
{
    mt_buf text = {0};
    va_list args;
    va_start(args, format);
    mt_buf_addfv(&text, format, args);
    va_end(args);
    put(w, mt_buf_str(&text));
    mt_buf_free(&text);
}

static const mt_json *constructs(const mt_json *bundle)
{
    return mt_json_at(bundle, "constructs");
}

static bool is_kind(const mt_json *construct, const char *kind)
{
    return mt_str_eq(mt_json_text(mt_json_at(construct, "kind")), mt_str_z(kind));
}

/* The type as the language writes it. */
static mt_str type_text(mt_arena *a, const mt_json *type)
{
    mt_buf b = {0};
    an_words(&b, an_words_shape(MT_STR("Fact"), MT_STR("type")), type);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* The source is never asked; the language only wants one. */
static void declare_fact(writer *w, mt_str id, mt_str type)
{
    putf(w, "fact %.*s { type: %.*s source: \"a.b\" }\n", MT_ARG(id), MT_ARG(type));
}

/* A verdict is declared by a rule; its payload is a fact of that type. */
static void declare_verdict(writer *w, const mt_json *rule, uint32_t n)
{
    const mt_json *produce = mt_json_at(mt_json_at(rule, "body"), "produce");
    mt_str verdict = mt_json_text(mt_json_at(produce, "verdict_type"));
    mt_str type =
        type_text(w->c->a, mt_json_at(mt_json_at(produce, "payload"), "type"));
    mt_str fact = mt_strf(w->c->a, "%.*spayload_%u", MT_ARG(w->c->prefix), n);
    declare_fact(w, fact, type);
    putf(w,
         "rule %.*srule_%u { stratum: 0 when: true produce: verdict %.*s { payload: "
         "%.*s = %.*s } }\n",
         MT_ARG(w->c->prefix), n, MT_ARG(verdict), MT_ARG(type), MT_ARG(fact));
}

/* "(none)" is for an instance that does not exist: not a name that a state can have, so
 * it is never mistaken for one. */
static void declare_state(writer *w, const ct_entity *e)
{
    putf(w, "fact %.*s { type: Record { state: Enum(values: [", MT_ARG(e->id));
    for (uint32_t i = 0; i < e->state_count; i++) {
        putf(w, "\"%.*s\", ", MT_ARG(e->states[i]));
    }
    put(w, MT_STR("\"(none)\"]) } source: \"a.b\" }\n"));
}

/* Long enough for every outcome and every kind of error; names are far shorter. */
#define RESULT_TYPE MT_STR("Text(max_length: 100000)")

/* Only types are taken over. Rules are declared with `when: true`, since the elaborator
 * asks only whether there is such a verdict; they do not join the contract
 * afterwards. */
static void declare_all(writer *w)
{
    const aw_conditions *c = w->c;
    const mt_json *list = constructs(&c->bundle);
    putf(w, "persona %.*spersona\n", MT_ARG(c->prefix));
    for (uint32_t i = 0; list && i < list->count; i++) {
        const mt_json *one = &list->as.items[i];
        if (is_kind(one, "Fact")) {
            declare_fact(w, mt_json_text(mt_json_at(one, "id")),
                         type_text(c->a, mt_json_at(one, "type")));
        } else if (is_kind(one, "Rule")) {
            declare_verdict(w, one, i);
        }
    }
    for (uint32_t e = 0; e < c->base->entity_count; e++) {
        if (c->entities[e]) {
            declare_state(w, &c->base->entities[e]);
        }
    }
    if (c->outcome) {
        declare_fact(w, MT_STR("outcome"), RESULT_TYPE);
    }
    if (c->error) {
        declare_fact(w, MT_STR("error"), RESULT_TYPE);
    }
}

/* A condition has lines of its own, so its faults are known by their line. */
static mt_str source_text(aw_conditions *c)
{
    writer w = {.c = c, .line = 1};
    declare_all(&w);
    for (size_t i = 0; i < c->list.len; i++) {
        condition *k = &c->list.items[i];
        putf(&w, "operation %.*s%zu { allowed_personas: [%.*spersona] precondition:\n",
             MT_ARG(c->prefix), i, MT_ARG(c->prefix));
        k->first = w.line;
        put(&w, mt_json_text(k->node));
        put(&w, MT_STR("\n"));
        k->last = w.line - 1;
        put(&w, MT_STR("effects: [] outcomes: [ok] error_contract: "
                       "[precondition_failed, persona_rejected] }\n"));
    }
    mt_str text = mt_str_dup(c->a, mt_buf_str(&w.out));
    mt_buf_free(&w.out);
    return text;
}

/* ---- Faults ---- */

/* The last condition that begins before the line: one that does not end where it should
 * is noticed behind it. */
static const condition *blamed(const aw_conditions *c, uint32_t line)
{
    const condition *k = &c->list.items[0];
    for (size_t i = 1; i < c->list.len && c->list.items[i].first <= line; i++) {
        k = &c->list.items[i];
    }
    return k;
}

/* Where in the file; to the column if the text stands there as it is. */
static mt_json place_of(const aw_conditions *c, const condition *k, const mt_diag *d)
{
    mt_json at = *k->node;
    mt_str text = mt_json_text(k->node);
    mt_str there = mt_str_skip(c->file->text, at.offset);
    bool quoted = there.len && (there.ptr[0] == '"' || there.ptr[0] == '\'');
    there = mt_str_skip(there, quoted);
    if (mt_str_starts(there, text) && d->line == k->first && d->column) {
        uint32_t aside = d->column - 1 + quoted;
        at.offset += aside <= text.len + quoted ? aside : 0;
    }
    return at;
}

static void add_fault(aw_conditions *c, const mt_diag *d)
{
    const condition *k = blamed(c, d->line);
    ct_scenario *s = &c->file->items[k->scenario];
    mt_json at = place_of(c, k, d);
    mt_buf text = {0};
    mt_buf_adds(&text, s->fault);
    ct_scenario_place(&text, c->file, &at);
    mt_buf_addf(&text, "%s: %.*s%s%.*s\n", k->where ? "where" : "assert",
                MT_ARG(d->message), d->hint.len ? "; " : "", MT_ARG(d->hint));
    s->fault = mt_str_dup(c->a, mt_buf_str(&text));
    mt_buf_free(&text);
}

/* Only conditions of scenarios without a fault stay. */
static void drop_faulty(aw_conditions *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->list.len; i++) {
        if (!c->file->items[c->list.items[i].scenario].fault.len) {
            c->list.items[kept++] = c->list.items[i];
        }
    }
    c->list.len = kept;
}

/* The bundle of the source text; empty: no condition is left. Those with faults are
 * taken out and the rest is tried again: one slip must not take the conditions of other
 * scenarios with it. Each turn drops at least one, so it ends. */
static mt_str elaborate(aw_conditions *c)
{
    while (c->list.len) {
        mt_memory_file file = {MT_STR("scenario.tenor"), source_text(c)};
        mt_memory memory = {&file, 1};
        mt_provider provider = mt_memory_provider(&memory);
        mt_diags ds = {.arena = c->a};
        ct_options options = {.limits = c->limits};
        const ct_elaboration *e = NULL;
        if (!ct_elaborate(c->a, file.path, &provider, &options, &ds, &e)) {
            return e->bundle;
        }
        for (size_t i = 0; i < ds.len; i++) {
            if (ds.items[i].severity == MT_ERROR) {
                add_fault(c, &ds.items[i]);
            }
        }
        size_t before = c->list.len;
        drop_faulty(c);
        if (c->list.len == before) {
            MT_BUG("conditions are refused without a reason");
        }
    }
    return (mt_str){0};
}

/* ---- The contract with the conditions ---- */

/* What of the source text joins the contract: the persona, the operations, and facts
 * for what comes out. */
static bool joins(const aw_conditions *c, const mt_json *construct)
{
    mt_str id = mt_json_text(mt_json_at(construct, "id"));
    if (is_kind(construct, "Rule")) {
        return false;
    }
    if (!is_kind(construct, "Fact")) {
        return true;
    }
    uint32_t e = ct_model_find(c->base, CT_KIND_ENTITY, id);
    return (e != CT_NONE && c->entities[e]) ||
           (c->outcome && mt_str_is(id, "outcome")) ||
           (c->error && mt_str_is(id, "error"));
}

/* The contract's own constructs first, as they are. The higher version of the two is
 * kept: a condition may use what only that has. */
static mt_str joined(const aw_conditions *c, const mt_json *ours)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    const mt_json *lists[] = {constructs(&c->bundle), constructs(ours)};
    mt_jw_begin_unsorted(&w);
    mt_jw_keyz(&w, "constructs");
    mt_jw_begin_array(&w);
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < lists[k]->count; i++) {
            if (!k || joins(c, &lists[k]->as.items[i])) {
                mt_jw_json(&w, &lists[k]->as.items[i]);
            }
        }
    }
    mt_jw_end_array(&w);
    const mt_json *all[] = {&c->bundle, ours};
    mt_str version[2];
    for (int k = 0; k < 2; k++) {
        version[k] = mt_json_text(mt_json_at(all[k], "tenor_version"));
    }
    for (uint32_t i = 0; i < c->bundle.count; i++) {
        const mt_json_member *m = &c->bundle.as.members[i];
        if (mt_str_is(m->key, "constructs") || mt_str_is(m->key, "tenor_version")) {
            continue;
        }
        mt_jw_key(&w, m->key);
        mt_jw_json(&w, &m->value);
    }
    mt_jw_key_str(&w, "tenor_version", version[mt_str_cmp(version[0], version[1]) < 0]);
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(c->a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* The condition that the operation of this number became. */
static void find_indices(aw_conditions *c)
{
    const ct_model *m = c->plan->model;
    for (size_t i = 0; i < c->list.len; i++) {
        mt_str id = mt_strf(c->a, "%.*s%zu", MT_ARG(c->prefix), i);
        uint32_t op = ct_model_find(m, CT_KIND_OPERATION, id);
        c->list.items[i].index = op == CT_NONE ? CT_NONE : m->operations[op].condition;
    }
}

/* What fails here is not the author's fault but ours or a limit's; `why` has a sentence
 * for each diagnostic. */
static bool load(aw_conditions *c, mt_str ours, mt_buf *why)
{
    mt_diags ds = {.arena = c->a};
    mt_json *tree = mt_new(c->a, mt_json);
    mt_json_limits deep = {0, c->limits->bundle_depth};
    const ct_model *model = NULL;
    mt_err err = mt_json_read(c->a, ours, &deep, tree, NULL);
    err = err ? err
              : ct_load(c->a, joined(c, tree), MT_STR("conditions"), c->limits, &ds,
                        &model);
    if (!err) {
        err = ct_plan_build(c->a, ct_compile(c->a, model), &ds, &c->plan);
    }
    for (size_t i = 0; err && i < ds.len; i++) {
        mt_buf_addf(why, "conditions: %.*s\n", MT_ARG(ds.items[i].message));
    }
    if (!err) {
        c->bench = ct_bench_new(c->plan, c->limits);
        find_indices(c);
    }
    return !err;
}

/* ---- Judging ---- */

static void state_json(mt_jw *w, const ct_result *r, uint32_t e)
{
    const ct_entity *entity = &r->states.model->entities[e];
    uint32_t now = ct_states_get(&r->states, e, r->binding.instances[e]);
    mt_jw_key(w, entity->id);
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "state", now == CT_NONE ? MT_STR("(none)") : entity->states[now]);
    mt_jw_end_object(w);
}

/* The facts of the trial, and what came out. */
static mt_str facts_of(const aw_conditions *c, mt_arena *a, const ct_trial *t,
                       const ct_result *r)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_json facts = {0};
    (void)mt_json_read(a, t->facts, NULL, &facts, NULL);
    mt_jw_begin_unsorted(&w);
    for (uint32_t i = 0; mt_json_is(&facts, MT_JSON_OBJECT) && i < facts.count; i++) {
        mt_jw_key(&w, facts.as.members[i].key);
        mt_jw_json(&w, &facts.as.members[i].value);
    }
    for (uint32_t e = 0; e < c->base->entity_count; e++) {
        if (c->entities[e]) {
            state_json(&w, r, e);
        }
    }
    if (c->outcome) {
        mt_jw_key_str(&w, "outcome", r->outcome);
    }
    if (c->error) {
        mt_jw_key_str(&w, "error", r->fault_kind);
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* True also for a condition that is always true, which the compiler leaves out. A fault
 * while it is evaluated counts as not holding, and *fault says why. */
static bool holds(aw_conditions *c, mt_arena *a, const condition *k, ct_fault *fault)
{
    ct_bench *b = &c->bench;
    ct_snapshot s = {c->plan->program, b->facts, b->verdicts};
    bool yes = true;
    return k->index == CT_NONE ||
           (!ct_holds(&s, k->index, b->scratch, &yes, a, NULL, fault) && yes);
}

static void say_broken(aw_conditions *c, const condition *k, const ct_fault *fault,
                       mt_buf *why)
{
    ct_scenario_place(why, c->file, k->node);
    mt_buf_addf(why, "assert does not hold: %.*s", MT_ARG(mt_json_text(k->node)));
    if (fault->message.len) {
        mt_buf_addf(why, " (%.*s)", MT_ARG(fault->message));
    }
    mt_buf_addc(why, '\n');
}

/* *wanted false: `where` leaves this case out, so that it counts neither way. All
 * asserts are judged, not only up to the first that fails. */
static bool judge(void *state, mt_arena *a, const ct_bench *b, const ct_trial *t,
                  const ct_result *r, bool *wanted, mt_buf *why)
{
    const of_scenario *one = state;
    aw_conditions *c = one->owner;
    ct_fault fault = {0};
    bool good = true;
    (void)b;
    *wanted = true;
    if (!r->evaluated) { /* no facts to speak of; the error is told */
        return true;
    }
    mt_str facts = facts_of(c, a, t, r);
    if (ct_facts_read(c->bench.facts, facts, c->limits, false, &fault) ||
        ct_evaluate(c->plan->program, c->bench.facts, c->bench.verdicts, a, &fault)) {
        mt_buf_addf(why, "conditions: %.*s\n", MT_ARG(fault.message));
        return false;
    }
    for (size_t i = 0; *wanted && i < c->list.len; i++) {
        const condition *k = &c->list.items[i];
        fault = (ct_fault){0};
        if (k->scenario != one->scenario || holds(c, a, k, &fault)) {
            continue;
        }
        if (k->where) {
            *wanted = false;
        } else {
            say_broken(c, k, &fault, why);
            good = false;
        }
    }
    return good;
}

/* ---- The whole ---- */

/* A fact or verdict of the contract keeps its name: conditions then mean that one. */
static bool is_taken(const ct_model *m, mt_str name)
{
    return ct_model_find(m, CT_KIND_FACT, name) != CT_NONE ||
           ct_model_find(m, CT_KIND_VERDICT, name) != CT_NONE;
}

/* The prefix grows until no name of the contract begins with it. */
static void choose_names(aw_conditions *c)
{
    const ct_model *m = c->base;
    c->prefix = MT_STR("scenario_");
    for (int k = 0; k < CT_KIND_COUNT; k++) {
        for (uint32_t i = 0; i < m->names[k].len; i++) {
            while (mt_str_starts(m->names[k].entries[i].key, c->prefix)) {
                c->prefix = mt_strf(c->a, "%.*s_", MT_ARG(c->prefix));
            }
        }
    }
    c->entities = mt_new_array(c->a, bool, m->entity_count);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        c->entities[e] = !is_taken(m, m->entities[e].id);
    }
    c->outcome = !is_taken(m, MT_STR("outcome"));
    c->error = !is_taken(m, MT_STR("error"));
}

static bool speaks_of(const ct_expr *e, uint32_t fact)
{
    return e && ((e->op == CT_FACT && e->index == fact) || speaks_of(e->left, fact) ||
                 speaks_of(e->right, fact));
}

/* An assert that speaks of `error` expects that there may be one: the run is then not
 * judged as failed by the error alone. */
static void hand_out(aw_conditions *c)
{
    uint32_t error = c->error
                         ? ct_model_find(c->plan->model, CT_KIND_FACT, MT_STR("error"))
                         : CT_NONE;
    c->scenarios = mt_new_array(c->a, of_scenario, c->file->len);
    for (size_t i = 0; i < c->list.len; i++) {
        const condition *k = &c->list.items[i];
        of_scenario *s = &c->scenarios[k->scenario];
        s->owner = c;
        s->scenario = k->scenario;
        s->any = true;
        s->conditions.state = s;
        s->conditions.judge = judge;
        s->conditions.reads_error |=
            !k->where && k->index != CT_NONE && error != CT_NONE &&
            speaks_of(c->plan->model->conditions[k->index], error);
    }
}

/* No arena is rewound here: conditions, plan and texts live as long as the scenarios
 * do. */
aw_conditions *aw_conditions_open(mt_arena *a, const ct_model *base, mt_str bundle,
                                  ct_scenarios *file, const mt_limits *limits,
                                  mt_buf *why)
{
    aw_conditions *c = mt_new(a, aw_conditions);
    mt_json_limits deep = {0, limits->bundle_depth};
    *c = (aw_conditions){.a = a, .file = file, .limits = limits, .base = base};
    collect(c);
    if (!c->list.len) {
        return NULL;
    }
    if (mt_json_read(a, bundle, &deep, &c->bundle, NULL)) {
        MT_BUG("a bundle that was loaded is not JSON");
    }
    choose_names(c);
    mt_str ours = elaborate(c);
    if (!ours.len || !load(c, ours, why)) {
        return NULL;
    }
    hand_out(c);
    return c;
}

const ct_conditions *aw_conditions_of(const aw_conditions *c, size_t scenario)
{
    return c && c->scenarios[scenario].any ? &c->scenarios[scenario].conditions : NULL;
}

void aw_conditions_close(aw_conditions *c)
{
    if (c) {
        ct_bench_free(&c->bench);
    }
}
