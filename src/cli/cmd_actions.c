/* cli/cmd_actions.c - motet actions: what can this persona do now, and what not, why?
 * Room: cli. */
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/holes.h"
#include "cli/render.h"
#include "contract/flow/action_space.h"
#include "contract/flow/partly_actions.h"
#include "contract/flow/text.h"

/* clang-format off */
const cli_option CMD_ACTIONS_OPTIONS[] = {
    {"facts",   "FILE",            "facts as a JSON object; - is standard input"},
    {"persona", "P",               "whose actions"},
    {"states",  "FILE",            "instances and their states, JSON or YAML"},
    {"state",   "E[/INST]=STATE",  "one instance and its state; may repeat"},
    CLI_HOLES_OPTIONS,
    {"strict",  NULL,              "refuse facts the contract does not declare"},
    {"json",    NULL,              "print JSON"},
    {"pretty",  NULL,              "lay the JSON out in lines"},
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_ACTIONS_DETAILS[] =
    "Finds the operations each flow would reach first on these facts (branches are\n"
    "decided, hand-offs passed, sub-flows and parallel branches entered) and says for\n"
    "each flow which instances it can be started with as persona P, and what blocks\n"
    "it for the others: the persona, the false parts of the precondition, or a state.\n"
    "An action stands for every combination of one instance from each of its sets.\n"
    "Without --states every entity has one instance, _default, in its initial "
    "state.\n\n"
    "--unknown F,F and --partial leave facts open: a flow may then depend on a\n"
    "condition over what is not known, which is printed in the language.";

enum { SHOWN = 10 };

/* Instances are shown up to SHOWN, the count is always the whole one. Groups hold
 * indexes into the states of the entity. */
static void set_text(mt_buf *out, const ct_action_space *space,
                     const ct_choice_set *set)
{
    const ct_instances *list = &space->states->entities[set->entity];
    uint32_t shown = 0;
    for (uint32_t g = 0; g < set->group_count; g++) {
        for (uint32_t i = 0; i < set->groups[g]->count && shown < SHOWN; i++, shown++) {
            mt_buf_addf(out, "%s%.*s", shown ? ", " : "",
                        MT_ARG(list->items[set->groups[g]->members[i]].id));
        }
    }
    if (set->count > shown) {
        mt_buf_addf(out, ", … %u in all", set->count);
    }
}

static void action_text(mt_buf *out, const ct_plan *p, const ct_action_space *space,
                        const ct_action *action)
{
    mt_buf_addf(out, "open     %.*s: ", MT_ARG(p->graphs[action->flow].id));
    for (uint32_t i = 0; i < action->entry_count; i++) {
        mt_buf_addf(out, "%s%.*s", i ? ", " : "",
                    MT_ARG(ct_operation_id(p, action->entries[i].op)));
    }
    mt_buf_addc(out, '\n');
    for (uint32_t i = 0; i < action->binding_count; i++) {
        mt_buf_addf(out, "           %.*s: ",
                    MT_ARG(ct_entity_id(p, action->bindings[i].entity)));
        set_text(out, space, &action->bindings[i]);
        mt_buf_addc(out, '\n');
    }
}

/* Why, and of what there is none or how many in which state: enough to know what would
 * unblock it. */
static void blocked_text(mt_buf *out, const ct_plan *p, const ct_blocked *b)
{
    mt_buf_addf(out, "blocked  %.*s: %.*s", MT_ARG(p->graphs[b->flow].id),
                MT_ARG(ct_block_name(b->kind)));
    if (b->op != CT_NONE) {
        mt_buf_addf(out, ", %.*s", MT_ARG(ct_operation_id(p, b->op)));
    }
    if (b->group) {
        mt_buf_addf(out, ", %u instance(s) of %.*s in state '%.*s'", b->group->count,
                    MT_ARG(ct_entity_id(p, b->entity)),
                    MT_ARG(ct_plan_state_id(p, b->entity, b->group->state)));
    } else if (b->entity != CT_NONE) {
        mt_buf_addf(out, ", no instance of %.*s", MT_ARG(ct_entity_id(p, b->entity)));
    }
    if (b->message.ptr) {
        mt_buf_addf(out, ", %.*s", MT_ARG(b->message));
    }
    mt_buf_addc(out, '\n');
    for (size_t i = 0; i < b->reasons.len; i++) {
        mt_buf_addz(out, "           ");
        ct_expr_text(out, p->model, b->reasons.items[i].atom);
        mt_buf_addz(out, b->reasons.items[i].value ? " is true\n" : " is false\n");
    }
}

/* Open flows first, then blocked ones with what is missing (§15.6). */
void cli_actions_text(mt_buf *out, const ct_plan *p, const ct_action_space *space)
{
    for (size_t i = 0; i < space->actions.len; i++) {
        action_text(out, p, space, &space->actions.items[i]);
    }
    for (size_t i = 0; i < space->blocked.len; i++) {
        blocked_text(out, p, &space->blocked.items[i]);
    }
    if (!space->actions.len && !space->blocked.len) {
        mt_buf_addz(out, "the contract has no flows\n");
    }
}

static int print_space(cli_engine *e)
{
    ct_action_space space;
    mt_buf out = {0};
    ct_actions(&e->contract.arena, &e->frozen, &e->states,
               mt_str_z(cli_value(e->args, "persona")), &space);
    if (cli_flag(e->args, "json")) {
        ct_actions_json(&out, &e->frozen, &space);
    } else {
        cli_actions_text(&out, e->plan, &space);
    }
    return cli_engine_print(e->args, &out, CLI_HOLDS);
}

/* Some facts are not known: flows may depend on a condition. */
static int print_partly(cli_engine *e)
{
    cli_holes h = {0};
    ct_partly_space space;
    mt_buf out = {0};
    int code = cli_holes_facts(e, &h);
    code = code ? code : cli_engine_states(e);
    if (!code) {
        ct_partly_actions(&e->contract.arena, h.partial, e->plan, &e->states,
                          mt_str_z(cli_value(e->args, "persona")), &space);
        if (cli_flag(e->args, "json")) {
            ct_partly_actions_json(&out, h.partial, e->plan, &space);
        } else {
            ct_partly_actions_lines(&out, h.partial, e->plan, &space);
        }
        code = cli_engine_print(e->args, &out, CLI_HOLDS);
    }
    cli_holes_free(&h);
    return code;
}

/* A contract without declared personas takes any name; with them, those inside
 * operations but not declared have higher indexes and do not count. */
static bool knows_persona(const cli_engine *e, mt_str persona)
{
    return !e->model->personas_declared ||
           ct_model_find(e->model, CT_KIND_PERSONA, persona) <
               e->model->personas_declared;
}

/* The persona is checked against the contract before facts are read: an unknown one
 * would get an empty space, which looks like a truth. */
int cmd_actions(const cli_args *args)
{
    const char *persona = cli_value(args, "persona");
    if (!persona) {
        return cli_fail(args, CLI_USAGE, "--persona P is required");
    }
    cli_engine e;
    int code = cli_engine_load(args, args->operands[0], &e);
    if (!code && !knows_persona(&e, mt_str_z(persona))) {
        code = cli_fail(
            args, CLI_FAILS, "persona '%s' not found in contract%s", persona,
            cli_near(&e.contract.arena, e.model, CT_KIND_PERSONA, mt_str_z(persona)));
    }
    if (!code && cli_has_holes(args)) {
        code = print_partly(&e);
    } else {
        code = code ? code : cli_engine_facts(&e);
        code = code ? code : cli_engine_states(&e);
        code = code ? code : print_space(&e);
    }
    cli_engine_free(&e);
    return code;
}
