/* api/flow.c - the public API's flows and action spaces.
 *
 * A run has a plan of its own, made once, and is used for one flow after the other.
 * States and bindings come as JSON; the embedder's host gets the engine's three
 * questions as callbacks (may this persona act, apply these changes, which outcome),
 * each before anything has happened. Positions are texts that the embedder keeps.
 *
 * Everything of one run lives in `inputs`, which the next start resets; texts that are
 * handed out live until the next call. What may fail: motet_status, with a sentence in
 * motet_run_message(). */
#include <stdlib.h>

#include "api/api.h"
#include "contract/flow/action_space.h"
#include "contract/flow/position.h"
#include "contract/flow/report.h"
#include "contract/flow/states.h"

struct motet_run {
    const motet_contract *contract; /* shared, borrowed */
    mt_arena arena;                 /* the plan */
    mt_arena inputs;                /* states, bindings and names of the run at hand */
    const ct_plan *plan;
    ct_verdicts *scratch; /* room to ask conditions in, for action spaces */
    ct_run run;           /* all zero until the first start */
    motet_host host;      /* a copy: the caller's may go after the start */
    mt_buf text;          /* what was handed out last */
    mt_str message;       /* why the last call failed; static or in `inputs` */
};

/* NULL is the only failure: the diagnostics of a plan that cannot be made are dropped,
 * since there is no object to ask for them. */
motet_run *motet_run_new(const motet_contract *contract)
{
    if (!contract || !contract->program) {
        return NULL;
    }
    motet_run *r = mt_xmalloc(sizeof *r);
    *r = (motet_run){.contract = contract};
    mt_diags ds = {.arena = &r->arena};
    if (ct_plan_build(&r->arena, contract->program, &ds, &r->plan)) {
        mt_arena_free(&r->arena);
        free(r);
        return NULL;
    }
    r->scratch = ct_verdicts_new(contract->program);
    return r;
}

/* The run before its memory: it borrows from `inputs` and from the plan. */
void motet_run_free(motet_run *r)
{
    if (r) {
        ct_run_free(&r->run);
        ct_verdicts_free(r->scratch);
        mt_buf_free(&r->text);
        mt_arena_free(&r->inputs);
        mt_arena_free(&r->arena);
        free(r);
    }
}

/* ---- The host's callbacks ---- */

/* The wrappers turn indices into names: an embedder knows the contract by its words. */
static bool may_act(void *context, const ct_run *run, uint32_t persona)
{
    const motet_run *r = context;
    return r->host.may_act(r->host.user,
                           api_out_str(ct_persona_id(run->plan, persona)));
}

/* Few operations have more than a handful of effects, so the list is on the stack and
 * only a long one is allocated. The host applies all or none (§9.4); its status goes to
 * the engine unchanged. */
static mt_err apply(void *context, const ct_run *run, const ct_record *record)
{
    const motet_run *r = context;
    motet_change changes[16], *all = changes;
    if (record->change_count > 16) {
        all = mt_xmalloc(mt_array_bytes(record->change_count, sizeof *all));
    }
    for (uint32_t i = 0; i < record->change_count; i++) {
        const ct_change *c = &run->changes.items[record->first_change + i];
        all[i] =
            (motet_change){api_out_str(ct_entity_id(run->plan, c->entity)),
                           api_out_str(run->instances[c->entity]),
                           api_out_str(ct_plan_state_id(run->plan, c->entity, c->from)),
                           api_out_str(ct_plan_state_id(run->plan, c->entity, c->to))};
    }
    motet_status status = r->host.apply(r->host.user, all, record->change_count);
    if (all != changes) {
        free(all);
    }
    return (mt_err)status;
}

/* The label is looked up among the operation's outcomes; whether it is one of those
 * that match the current state is the engine's question, so `matching` is not handed
 * out. */
static uint32_t choose(void *context, const ct_run *run, uint32_t step, uint32_t op,
                       const uint32_t *matching, uint32_t count)
{
    (void)matching;
    (void)count;
    const motet_run *r = context;
    const motet_host *h = &r->host;
    motet_str at = api_out_str(run->plan->steps[step].id);
    motet_str doing = api_out_str(ct_operation_id(run->plan, op));
    motet_str label = {NULL, 0};
    if (!h->choose_into) {
        label = h->choose(h->user, at, doing);
    } else if (!h->choose_into(h->user, at, doing, &label)) {
        label.ptr = NULL;
    }
    return label.ptr
               ? ct_plan_outcome_named(run->plan, op, mt_str_from(label.ptr, label.len))
               : CT_NONE;
}

/* A callback that is missing stays missing for the engine, which has a default for
 * each. */
static ct_host host_of(motet_run *r)
{
    return (ct_host){.context = r,
                     .may_act = r->host.may_act ? may_act : NULL,
                     .apply = r->host.apply ? apply : NULL,
                     .choose = r->host.choose || r->host.choose_into ? choose : NULL};
}

/* ---- Running ---- */

/* `message` must be static, in `inputs`, or the run's own. */
static motet_status refuse(motet_run *r, mt_err err, mt_str message)
{
    r->message = message;
    return (motet_status)err;
}

/* No text means an empty object. The copy is needed: the tree borrows from it and the
 * caller's text may go. */
static mt_err read_json(motet_run *r, motet_str text, mt_json *out)
{
    mt_json_error error = {0};
    mt_str copy = mt_str_dup(&r->inputs,
                             text.len ? mt_str_from(text.ptr, text.len) : MT_STR("{}"));
    mt_err err = mt_json_read(&r->inputs, copy, NULL, out, &error);
    r->message = err ? mt_str_z(error.message) : r->message;
    return err;
}

/* Entities the text does not mention start in their initial state, as one default
 * instance (§6.5). */
static mt_err read_states(motet_run *r, motet_str text, ct_states *states)
{
    mt_json tree;
    *states = ct_states_new(&r->inputs, r->contract->model);
    mt_err err = read_json(r, text, &tree);
    err = err ? err : ct_states_read(&r->inputs, states, &tree, &r->message);
    if (!err) {
        ct_states_add_initial(&r->inputs, states);
        ct_states_seal(states);
    }
    return err;
}

/* The snapshot is by reference: facts and verdicts have to stay as they are while the
 * run lasts (§11.1, at_initiation). */
static ct_run_input input_of(motet_run *r, const motet_facts *facts,
                             const motet_verdicts *verdicts)
{
    return (ct_run_input){.plan = r->plan,
                          .snapshot = {r->contract->program, api_facts_inside(facts),
                                       api_verdicts_inside(verdicts)},
                          .host = host_of(r)};
}

/* The memory of the run before is reset; texts of it are gone. */
static motet_status begin(motet_run *r, const motet_facts *facts,
                          const motet_verdicts *verdicts, const motet_host *host)
{
    if (!r) {
        return MOTET_E_USAGE;
    }
    mt_arena_reset(&r->inputs);
    r->message = (mt_str){0};
    r->host = (motet_host){0};
    motet_status status = host ? API_TAKE(&r->host, host) : MOTET_OK;
    if (status) {
        return refuse(r, (mt_err)status, MT_STR("the host does not say its size"));
    }
    return api_evaluated(r->contract, facts, verdicts)
               ? MOTET_OK
               : refuse(r, MT_E_USAGE,
                        MT_STR("facts and verdicts are not evaluated, or of another "
                               "contract"));
}

/* Every name is resolved before the engine is entered, so a start that fails has asked
 * the host nothing. */
motet_status motet_run_start(motet_run *r, const motet_facts *facts,
                             const motet_verdicts *verdicts, const char *flow,
                             const char *persona, motet_str states, motet_str bindings,
                             const motet_host *host)
{
    ct_states map;
    mt_json tree;
    motet_status status = begin(r, facts, verdicts, host);
    if (status) {
        return status;
    }
    ct_run_input in = input_of(r, facts, verdicts);
    ct_binding binding = ct_binding_new(&r->inputs, r->contract->model);
    mt_err err = read_states(r, states, &map);
    err = err ? err : read_json(r, bindings, &tree);
    err = err ? err
              : ct_binding_read(&r->inputs, &binding, r->contract->model, &tree,
                                &r->message);
    in.flow = ct_model_find(r->contract->model, CT_KIND_FLOW, mt_str_z(flow));
    if (err || in.flow == CT_NONE) {
        return err ? (motet_status)err
                   : refuse(r, MT_E_NOTFOUND, MT_STR("the contract has no such flow"));
    }
    ct_binding_resolve(&binding, &map, true);
    in.persona = mt_str_dup(&r->inputs, mt_str_z(persona));
    in.instances = binding.instances;
    in.states = binding.states;
    return ct_run_start(&r->run, &in) == CT_RUN_FAILED
               ? refuse(r, MT_E_USAGE, r->run.fault)
               : MOTET_OK;
}

/* A position is text from outside and may have been tampered with; ct_position_read()
 * checks every index in it against the plan. */
motet_status motet_run_resume(motet_run *r, const motet_facts *facts,
                              const motet_verdicts *verdicts, motet_str position,
                              const motet_host *host)
{
    mt_json tree;
    motet_status status = begin(r, facts, verdicts, host);
    if (status) {
        return status;
    }
    ct_run_input in = input_of(r, facts, verdicts);
    mt_err err = read_json(r, position, &tree);
    return (motet_status)(err ? err
                              : ct_position_read(&r->run, &in, &tree, &r->message));
}

/* Resuming does nothing to a run that can go on; one that waited or was stopped tries
 * its step again. */
motet_run_state motet_run_step(motet_run *r)
{
    static const motet_run_state STATES[] = {
        [CT_RUN_MORE] = MOTET_RUN_MORE,       [CT_RUN_DONE] = MOTET_RUN_DONE,
        [CT_RUN_FAILED] = MOTET_RUN_FAILED,   [CT_RUN_WAITING] = MOTET_RUN_WAITING,
        [CT_RUN_STOPPED] = MOTET_RUN_STOPPED,
    };
    MT_TABLE_COVERS(STATES, CT_RUN_STOPPED + 1);
    if (!r || !r->run.plan) {
        return MOTET_RUN_FAILED;
    }
    ct_run_resume(&r->run);
    return STATES[ct_run_step(&r->run)];
}

/* For hosts that read the state of the world after a conflict. A run that was never
 * started has no plan and nothing to set. */
motet_status motet_run_set_state(motet_run *r, const char *entity, const char *state)
{
    if (!r) {
        return MOTET_E_USAGE;
    }
    const ct_model *m = r->contract->model;
    uint32_t e = ct_model_find(m, CT_KIND_ENTITY, mt_str_z(entity));
    uint32_t s =
        e == CT_NONE ? CT_NONE : ct_state_find(&m->entities[e], mt_str_z(state));
    if (s == CT_NONE || !r->run.plan) {
        return refuse(r, MT_E_NOTFOUND, MT_STR("no such entity or state, or no run"));
    }
    ct_run_set_state(&r->run, e, s);
    return MOTET_OK;
}

/* Where the run stands, as JSON for motet_run_resume(), in this process or another. */
motet_str motet_run_position(motet_run *r)
{
    if (!r || !r->run.plan) {
        return (motet_str){"", 0};
    }
    mt_buf_clear(&r->text);
    ct_position_write(&r->text, &r->run);
    return api_out_str(mt_buf_str(&r->text));
}

motet_str motet_run_json(motet_run *r)
{
    if (!r || !r->run.plan) {
        return (motet_str){"", 0};
    }
    mt_buf_clear(&r->text);
    ct_run_json(&r->text, &r->run);
    return api_out_str(mt_buf_str(&r->text));
}

/* A refused call speaks first; otherwise the engine's own fault, if there is one. */
motet_str motet_run_message(const motet_run *r)
{
    if (!r) {
        return (motet_str){"", 0};
    }
    return api_out_str(r->message.ptr ? r->message : r->run.fault);
}

/* §15.6. Uses the room of the run but not the run itself: one that is under way goes on
 * afterwards only if its inputs are given anew, since `inputs` is reset here. */
motet_status motet_actions(motet_run *r, const motet_facts *facts,
                           const motet_verdicts *verdicts, motet_str states,
                           const char *persona, motet_str *json)
{
    ct_states map;
    ct_action_space space;
    *json = (motet_str){"", 0};
    motet_status status = begin(r, facts, verdicts, NULL);
    if (status) {
        return status;
    }
    mt_err err = read_states(r, states, &map);
    if (err) {
        return (motet_status)err;
    }
    ct_frozen z = {
        r->plan,
        {r->contract->program, api_facts_inside(facts), api_verdicts_inside(verdicts)},
        r->scratch};
    ct_actions(&r->inputs, &z, &map, mt_str_z(persona), &space);
    mt_buf_clear(&r->text);
    ct_actions_json(&r->text, &z, &space);
    *json = api_out_str(mt_buf_str(&r->text));
    return MOTET_OK;
}
