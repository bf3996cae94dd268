/* cli/cmd_migrate.c - motet migrate: a plan for moving to a new version.
 *
 * Instances under way are read from a file: a position as the engine writes it, or a
 * flow and a step, from which a plain position is made with every entity bound. For
 * each the snapshot is frozen again from the given facts under the old contract, and
 * the states are set to what they are now; then analyze/version judges.
 *
 * Every instance has facts, verdicts and a run of its own; all are freed together. A
 * row that cannot be read ends the command with its number. Exit status 1: some
 * instance cannot go on. */
#include "analyze/version/migrate.h"
#include "base/form.h"
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/versions.h"
#include "contract/eval/facts.h"
#include "contract/flow/position.h"

/* clang-format off */
const cli_option CMD_MIGRATE_OPTIONS[] = {
    {"flows",      "FILE", "flow instances under way, JSON or YAML"},
    {"aggressive", NULL,   "leave out steps that the frozen snapshot rules out"},
    {"only-worse", NULL,   "report only what the new version makes worse"},
    {"json",       NULL,   "print the plan as JSON"},
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_MIGRATE_DETAILS[] =
    "Says for every flow of OLD which policy fits (blue_green, force_migrate, abort),\n"
    "and for every instance of --flows whether it can go on under NEW, and why not.\n\n"
    "FILE is a list of instances: {\"id\", \"position\", \"facts\", \"states\"} with a "
    "position\n"
    "as the engine writes it, or {\"id\", \"flow\", \"step\", \"facts\", \"states\"}. "
    "facts are\n"
    "those frozen when the flow began, states the present ones.\n\n"
    "--only-worse judges each instance under OLD alike: what stands in its way there "
    "too,\n"
    "on ways that did not change, is not reported.\n\n"
    "Exit status 1: some instance cannot go on (with --only-worse: is worse off);\n"
    "without --flows: a migration policy must be declared.";

/* ---- The file ---- */

/* An instance as it is written. */
typedef struct entry {
    mt_str id, flow, step;
    const mt_json *position, *facts, *states;
} entry;

static const mt_form_row ENTRY[] = {
    MT_FORM_NAME(entry, id, "id", INT64_MAX, 0),
    MT_FORM_OBJECT(entry, position, "position", 0),
    MT_FORM_NAME(entry, flow, "flow", INT64_MAX, 0),
    MT_FORM_NAME(entry, step, "step", INT64_MAX, 0),
    MT_FORM_OBJECT(entry, facts, "facts", 0),
    MT_FORM_OBJECT(entry, states, "states", 0),
};

typedef struct document {
    const mt_json *flows;
} document;

static const mt_form_row DOCUMENT[] = {
    MT_FORM_LIST(document, flows, "flows", 0, UINT32_MAX, MT_FORM_REQUIRED),
};

/* One instance of the file with all it needs. */
typedef struct instance {
    ct_facts *facts;       /* NULL: not reached */
    ct_verdicts *verdicts; /* made with `facts` */
    ct_run run;            /* where the flow stands under the old version */
} instance;

typedef struct flights {
    const cli_args *args;
    cli_versions *v;
    const char *path;   /* of the file, for messages */
    instance *items;    /* parallel to `flights` */
    an_flight *flights; /* what the analysis reads; borrows the runs of `items` */
    uint32_t count;
} flights;

static mt_arena *arena_of(const flights *f)
{
    return &f->v->new.contract.arena;
}

/* Counted from 1, as people count lines of a file. */
static int refuse(const flights *f, uint32_t n, mt_str why)
{
    return cli_fail(f->args, CLI_FAILS, "%s: instance %u: %.*s", f->path, n + 1,
                    MT_ARG(why));
}

static mt_str text_of(mt_arena *a, const mt_json *json)
{
    mt_buf b = {0};
    mt_json_write(&b, json, false);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* The position of an instance that is given by flow and step: every entity bound. */
static mt_str plain_position(const flights *f, const entry *given)
{
    const ct_model *m = f->v->old.model;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "bindings");
    mt_jw_begin_unsorted(&w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        mt_jw_key(&w, m->entities[e].id);
        mt_jw_str(&w, CT_DEFAULT_INSTANCE);
    }
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "contract", m->id);
    mt_jw_key_str(&w, "flow", given->flow);
    mt_jw_keyz(&w, "frames");
    mt_jw_begin_array(&w);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "phase", MT_STR("step"));
    mt_jw_key_str(&w, "step", given->step);
    mt_jw_end_object(&w);
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "persona", MT_STR("unknown"));
    mt_jw_keyz(&w, "records");
    mt_jw_begin_array(&w);
    mt_jw_end_array(&w);
    mt_jw_keyz(&w, "states");
    mt_jw_begin_unsorted(&w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        mt_jw_key(&w, m->entities[e].id);
        mt_jw_str(&w, m->entities[e].states[m->entities[e].initial]);
    }
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "status", MT_STR("running"));
    mt_jw_key_i64(&w, "steps_left", 1);
    mt_jw_key_i64(&w, "version", 1);
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(arena_of(f), mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* The snapshot as it was frozen: the facts, and the old contract's verdicts. */
static int freeze(flights *f, uint32_t n, const mt_json *facts)
{
    instance *one = &f->items[n];
    const ct_plan *p = f->v->old.plan;
    mt_str text = facts ? text_of(arena_of(f), facts) : MT_STR("{}");
    ct_fault fault = {0};
    one->facts = ct_facts_new(p->model);
    one->verdicts = ct_verdicts_new(p->program);
    ct_verdicts_limit(one->verdicts,
                      (ct_patience){.steps = f->v->old.contract.limits.eval_steps});
    if (ct_facts_read(one->facts, text, &f->v->old.contract.limits, false, &fault) ||
        ct_evaluate(p->program, one->facts, one->verdicts, arena_of(f), &fault)) {
        return refuse(f, n, fault.message);
    }
    return CLI_HOLDS;
}

/* {"Order": "sent"}: what the states are now. */
static int set_states(flights *f, uint32_t n, const mt_json *states)
{
    const ct_model *m = f->v->old.model;
    for (uint32_t i = 0; states && i < states->count; i++) {
        const mt_json_member *s = &states->as.members[i];
        uint32_t e = ct_model_find(m, CT_KIND_ENTITY, s->key);
        uint32_t state = e == CT_NONE
                             ? CT_NONE
                             : ct_state_find(&m->entities[e], mt_json_text(&s->value));
        if (state == CT_NONE) {
            return refuse(f, n,
                          mt_strf(arena_of(f), "unknown entity or state: %.*s = %.*s",
                                  MT_ARG(s->key), MT_ARG(mt_json_text(&s->value))));
        }
        ct_run_set_state(&f->items[n].run, e, state);
    }
    return CLI_HOLDS;
}

/* An instance may be given by its position, or only by flow and step; then the
 * position is made as if it had just come there. */
static int take_up(flights *f, uint32_t n, const entry *given)
{
    instance *one = &f->items[n];
    const ct_plan *p = f->v->old.plan;
    const mt_json *position = given->position;
    mt_json *made = mt_new(arena_of(f), mt_json);
    if (!position) {
        if (mt_json_read(arena_of(f), plain_position(f, given), NULL, made, NULL)) {
            return refuse(f, n, MT_STR("has a name that is longer than positions are"));
        }
        position = made;
    }
    ct_run_input in = {.plan = p, .snapshot = {p->program, one->facts, one->verdicts}};
    mt_str why = {0};
    if (ct_position_read(&one->run, &in, position, &why)) {
        return refuse(f, n, why);
    }
    return set_states(f, n, given->states);
}

/* Everything that is wrong with an entry, or nothing. */
static mt_str entry_fault(const flights *f, const mt_json *json, entry *out)
{
    mt_buf why = {0};
    mt_form form = {.arena = arena_of(f),
                    .what = "an instance",
                    .report = mt_form_join,
                    .state = &why};
    if (mt_form_read(&form, json, ENTRY, mt_form_count(ENTRY), out)) {
        if (!out->position && (!out->flow.len || !out->step.len)) {
            mt_buf_addz(&why, "needs a `position`, or a `flow` and a `step`");
        } else if (out->position && (out->flow.len || out->step.len)) {
            mt_buf_addz(&why, "has a `position`, which says `flow` and `step` itself");
        }
    }
    mt_str kept = mt_str_dup(arena_of(f), mt_buf_str(&why));
    mt_buf_free(&why);
    return kept;
}

/* A flow without an id is called by its place in the file. Facts and verdicts are
 * frozen as the old version saw them (§18.6.5) before the flow is taken up where it
 * stands. */
static int read_instance(flights *f, uint32_t n, const mt_json *json)
{
    entry given = {0};
    mt_str why = entry_fault(f, json, &given);
    if (why.len) {
        return refuse(f, n, why);
    }
    f->flights[n].id = given.id.len ? given.id : mt_strf(arena_of(f), "#%u", n + 1);
    f->flights[n].run = &f->items[n].run;
    int code = freeze(f, n, given.facts);
    return code ? code : take_up(f, n, &given);
}

/* A list, or an object that has it as `flows`. NULL: it was said why not. */
static const mt_json *list_of(const flights *f, const mt_json *tree)
{
    document found = {.flows = tree};
    mt_buf why = {0};
    mt_form form = {.arena = arena_of(f),
                    .what = "a file of instances",
                    .report = mt_form_join,
                    .state = &why};
    if (!mt_json_is(tree, MT_JSON_ARRAY) &&
        !mt_form_read(&form, tree, DOCUMENT, mt_form_count(DOCUMENT), &found)) {
        cli_fail(f->args, CLI_FAILS, "%s: %.*s", f->path, MT_ARG(why));
        found.flows = NULL;
    }
    mt_buf_free(&why);
    return found.flows;
}

static int read_flights(flights *f)
{
    mt_json *tree = mt_new(arena_of(f), mt_json);
    int code =
        cli_read_tree(f->args, arena_of(f), f->path, &f->v->new.contract.limits, tree);
    if (code) {
        return code;
    }
    const mt_json *list = list_of(f, tree);
    if (!list) {
        return CLI_FAILS;
    }
    f->items = mt_new_array(arena_of(f), instance, list->count);
    f->flights = mt_new_array(arena_of(f), an_flight, list->count);
    f->count = list->count;
    for (uint32_t i = 0; !code && i < list->count; i++) {
        code = read_instance(f, i, &list->as.items[i]);
    }
    return code;
}

/* `facts` and `verdicts` are made together; an item that was never reached has
 * neither. */
static void free_flights(flights *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        ct_run_free(&f->items[i].run);
        if (f->items[i].facts) {
            ct_facts_free(f->items[i].facts);
            ct_verdicts_free(f->items[i].verdicts);
        }
    }
}

/* Without flights the question is whether a policy is needed; with them, whether one
 * of them is incompatible. */
static int print(flights *f)
{
    const cli_args *args = f->args;
    an_migration m;
    mt_buf out = {0};
    an_migrate_options options = {.aggressive = cli_flag(args, "aggressive"),
                                  .only_worse = cli_flag(args, "only-worse")};
    an_migrate(arena_of(f), f->v->diff, f->v->old.plan, f->v->new.plan, f->flights,
               f->count, options, &m);
    if (cli_flag(args, "json")) {
        mt_jw w = mt_jw_start(&out, true);
        an_migration_json(&w, &m);
    } else {
        an_migration_text(&out, &m);
    }
    uint32_t bad = options.only_worse ? m.worse : m.incompatible;
    bool fails = f->path ? bad > 0 : m.diff->policy_required;
    return cli_engine_print(args, &out, fails ? CLI_FAILS : CLI_HOLDS);
}

/* Without --flows the versions alone are judged. */
int cmd_migrate(const cli_args *args)
{
    if (cli_flag(args, "only-worse") && !cli_value(args, "flows")) {
        return cli_fail(args, CLI_USAGE, "--only-worse judges instances: give --flows");
    }
    cli_versions v;
    int code = cli_versions_load(args, &v);
    if (!code) {
        flights f = {.args = args, .v = &v, .path = cli_value(args, "flows")};
        code = f.path ? read_flights(&f) : CLI_HOLDS;
        code = code ? code : print(&f);
        free_flights(&f);
    }
    cli_versions_free(&v);
    return code;
}
