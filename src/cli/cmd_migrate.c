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
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/versions.h"
#include "contract/eval/facts.h"
#include "contract/flow/position.h"

/* clang-format off */
const cli_option CMD_MIGRATE_OPTIONS[] = {
    {"flows",      "FILE", "flow instances under way, JSON or YAML"},
    {"aggressive", NULL,   "leave out steps that the frozen snapshot rules out"},
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
    "Exit status 1: some instance cannot go on; without --flows: a migration policy "
    "must\n"
    "be declared.";

/* One instance of the file with all it needs. */
typedef struct instance {
    ct_facts *facts;       /* NULL: not reached */
    ct_verdicts *verdicts; /* made with `facts` */
    ct_run run;            /* where the flow stands under the old version */
} instance;

typedef struct flights {
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
    return cli_fail(f->v->args, CLI_FAILS, "%s: instance %u: %.*s", f->path, n + 1,
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
static mt_str plain_position(const flights *f, const mt_json *json)
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
    mt_jw_key_str(&w, "flow", mt_json_text(mt_json_at(json, "flow")));
    mt_jw_keyz(&w, "frames");
    mt_jw_begin_array(&w);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "phase", MT_STR("step"));
    mt_jw_key_str(&w, "step", mt_json_text(mt_json_at(json, "step")));
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
static int freeze(flights *f, uint32_t n, const mt_json *json)
{
    instance *one = &f->items[n];
    const ct_plan *p = f->v->old.plan;
    const mt_json *facts = mt_json_at(json, "facts");
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
    for (uint32_t i = 0; mt_json_is(states, MT_JSON_OBJECT) && i < states->count; i++) {
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
static int take_up(flights *f, uint32_t n, const mt_json *json)
{
    instance *one = &f->items[n];
    const ct_plan *p = f->v->old.plan;
    const mt_json *position = mt_json_at(json, "position");
    mt_json *made = mt_new(arena_of(f), mt_json);
    if (!position) {
        if (mt_json_read(arena_of(f), plain_position(f, json), NULL, made, NULL)) {
            return refuse(f, n, MT_STR("has no position, flow or step"));
        }
        position = made;
    }
    ct_run_input in = {.plan = p, .snapshot = {p->program, one->facts, one->verdicts}};
    mt_str why = {0};
    if (ct_position_read(&one->run, &in, position, &why)) {
        return refuse(f, n, why);
    }
    return set_states(f, n, mt_json_at(json, "states"));
}

/* A flow without an id is called by its place in the file. Facts and verdicts are
 * frozen as the old version saw them (§18.6.5) before the flow is taken up where it
 * stands. */
static int read_instance(flights *f, uint32_t n, const mt_json *json)
{
    if (!mt_json_is(json, MT_JSON_OBJECT)) {
        return refuse(f, n, MT_STR("is not an object"));
    }
    const mt_json *id = mt_json_at(json, "id");
    f->flights[n].id = mt_json_is(id, MT_JSON_STRING)
                           ? mt_json_text(id)
                           : mt_strf(arena_of(f), "#%u", n + 1);
    f->flights[n].run = &f->items[n].run;
    int code = freeze(f, n, json);
    return code ? code : take_up(f, n, json);
}

/* A list, or an object that has it as `flows`. */
static int read_flights(flights *f)
{
    mt_json *tree = mt_new(arena_of(f), mt_json);
    int code = cli_read_tree(f->v->args, arena_of(f), f->path,
                             &f->v->new.contract.limits, tree);
    if (code) {
        return code;
    }
    const mt_json *list = mt_json_at(tree, "flows") ? mt_json_at(tree, "flows") : tree;
    if (!mt_json_is(list, MT_JSON_ARRAY)) {
        return cli_fail(f->v->args, CLI_FAILS, "%s: no list of instances", f->path);
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
    const cli_args *args = f->v->args;
    an_migration m;
    mt_buf out = {0};
    an_migrate(arena_of(f), f->v->diff, f->v->old.plan, f->v->new.plan, f->flights,
               f->count, cli_flag(args, "aggressive"), &m);
    if (cli_flag(args, "json")) {
        mt_jw w = mt_jw_start(&out, true);
        an_migration_json(&w, &m);
    } else {
        an_migration_text(&out, &m);
    }
    bool fails = f->path ? m.incompatible > 0 : m.diff->policy_required;
    return cli_engine_print(args, &out, fails ? CLI_FAILS : CLI_HOLDS);
}

/* Without --flows the versions alone are judged. */
int cmd_migrate(const cli_args *args)
{
    cli_versions v;
    int code = cli_versions_load(args, &v);
    if (!code) {
        flights f = {.v = &v, .path = cli_value(args, "flows")};
        code = f.path ? read_flights(&f) : CLI_HOLDS;
        code = code ? code : print(&f);
        free_flights(&f);
    }
    cli_versions_free(&v);
    return code;
}
