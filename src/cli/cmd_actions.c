/* cli/cmd_actions.c - motet actions: what can this persona do now, and what not, why?
 * Room: cli. A contract is loaded, facts are evaluated, states are read; then every
 * flow is either open or blocked. The command cannot refuse: what a persona may not do
 * is an answer. Exit status 1 is for a contract or facts with faults, 2 for an option
 * that is missing or names nothing. */
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

/* "open     FLOW: OPERATION, OPERATION", then a line for each entity with the instances
 * to choose from. Several operations: parallel branches are entered at once. */
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

/* All facts are known: each flow is open or blocked, nothing between. */
static void space_text(mt_buf *out, cli_engine *e, mt_str persona)
{
    ct_action_space space;
    ct_actions(&e->contract.arena, &e->x.frozen, &e->x.states, persona, &space);
    cli_actions_text(out, e->x.plan, &space);
}

/* Some facts are not known: flows may depend on a condition. */
static void partly_text(mt_buf *out, cli_engine *e, cli_holes *h, mt_str persona)
{
    ct_partly_space space;
    ct_partly_actions(&e->contract.arena, h->x.partial, e->x.plan, &e->x.states,
                      persona, &space);
    ct_partly_actions_lines(out, h->x.partial, e->x.plan, &space);
}

/* JSON comes from the answer room, which the library uses as well (api/answer.c); text
 * is made here, since only people at a terminal read it. */
static int answer(cli_engine *e, mt_str persona)
{
    cli_holes h = {0};
    aw_reply r = {0};
    bool holes = cli_has_holes(e->args);
    int code = holes ? cli_holes_facts(e, &h) : cli_engine_facts(e);
    code = code ? code : cli_engine_states(e);
    if (!code && cli_flag(e->args, "json")) {
        code = aw_actions_json(&e->x, persona, holes ? &h.x : NULL, &r);
    } else if (!code && holes) {
        partly_text(&r.text, e, &h, persona);
    } else if (!code) {
        space_text(&r.text, e, persona);
    }
    code = cli_reply(e->args, &e->contract, &r, code);
    cli_holes_free(&h);
    return code;
}

/* The persona is checked against the contract before facts are read: an unknown one
 * would get an empty space, which looks like a truth. */
int cmd_actions(const cli_args *args)
{
    mt_str persona = mt_str_z(cli_value(args, "persona"));
    if (!persona.ptr) {
        return cli_fail(args, CLI_USAGE, "--persona P is required");
    }
    cli_engine e;
    aw_reply r = {0};
    int code = cli_engine_load(args, args->operands[0], &e);
    if (!code) {
        code = cli_reply(args, &e.contract, &r, aw_knows_persona(&e.x, persona, &r));
    }
    code = code ? code : answer(&e, persona);
    cli_engine_free(&e);
    return code;
}
