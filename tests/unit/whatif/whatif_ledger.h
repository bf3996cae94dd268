/* tests/unit/whatif/whatif_ledger.h - random decisions of the escrow contract, and the
 * records an executor writes about them.
 *     contract old = contract_load(text);
 *     decision d = decision_random(&seed, &arena);
 *     decision_record(&old, &d, number, emit, state);
 * Bodies have the shape of exec/operation.c and exec_flow.c; the executor's own
 * ones are replayed in test_executor_whatif.c. */
#ifndef MT_TEST_WHATIF_LEDGER_H
#define MT_TEST_WHATIF_LEDGER_H

#include <stdio.h>
#include <stdlib.h>

#include "contract/elaborate.h"
#include "contract/eval/facts.h"
#include "contract/flow/report.h"
#include "contract/flow/run.h"
#include "os/file.h"

/* ---- Contracts ---- */

typedef struct contract {
    mt_arena arena;
    const ct_model *model;
    const ct_plan *plan;
    ct_facts *facts;
    ct_verdicts *verdicts, *scratch;
    ct_run run;
} contract;

/* From source called escrow.tenor, whatever file it came from. */
static inline contract contract_load(mt_str text)
{
    contract c = {0};
    mt_diags ds = {.arena = &c.arena};
    mt_memory_file file = {MT_STR("escrow.tenor"), text};
    mt_memory memory = {&file, 1};
    mt_provider files = mt_memory_provider(&memory);
    const ct_elaboration *e;
    bool good =
        !ct_elaborate(&c.arena, file.path, &files, NULL, &ds, &e) &&
        !ct_load(&c.arena, e->bundle, file.path, &MT_LIMITS_DEFAULT, &ds, &c.model) &&
        !ct_plan_build(&c.arena, ct_compile(&c.arena, c.model), &ds, &c.plan);
    if (!good) {
        const mt_diag *d = ct_first_error(&ds);
        fprintf(stderr, "%.*s:%u: %.*s\n", MT_ARG(d->file), d->line,
                MT_ARG(d->message));
        abort();
    }
    c.facts = ct_facts_new(c.model);
    c.verdicts = ct_verdicts_new(c.plan->program);
    c.scratch = ct_verdicts_new(c.plan->program);
    return c;
}

static inline void contract_free(contract *c)
{
    ct_facts_free(c->facts);
    ct_verdicts_free(c->verdicts);
    ct_verdicts_free(c->scratch);
    ct_run_free(&c->run);
    mt_arena_free(&c->arena);
}

/* ---- Decisions ---- */

typedef struct decision {
    bool flow;
    const char *name, *persona, *escrow, *delivery;
    mt_str facts; /* as given */
} decision;

static inline uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

#define PICK(seed, list) (list)[next_random(seed) % (sizeof(list) / sizeof *(list))]

static inline mt_str facts_random(uint64_t *seed, mt_arena *a)
{
    static const char *const AMOUNTS[] = {"0.00",     "500.00",   "5000.00", "8000.00",
                                          "10000.00", "10000.01", "50000.00"};
    static const char *const STATUSES[] = {"pending", "confirmed", "confirmed",
                                           "confirmed", "failed"};
    mt_buf b = {0};
    mt_buf_addf(&b, "{\"delivery_status\":\"%s\"", PICK(seed, STATUSES));
    mt_buf_addf(&b, ",\"escrow_amount\":{\"amount\":\"%s\",\"currency\":\"USD\"}",
                PICK(seed, AMOUNTS));
    if (next_random(seed) % 4 == 0) {
        mt_buf_addf(&b,
                    ",\"compliance_threshold\":{\"amount\":\"%s\",\"currency\":"
                    "\"USD\"}",
                    PICK(seed, AMOUNTS));
    }
    if (next_random(seed) % 2) {
        mt_buf_addf(&b, ",\"buyer_requested_refund\":%s",
                    next_random(seed) % 2 ? "true" : "false");
    }
    mt_buf_addz(&b, ",\"line_items\":[");
    unsigned items = (unsigned)(next_random(seed) % 4);
    for (unsigned i = 0; i < items; i++) {
        mt_buf_addf(&b,
                    "%s{\"amount\":{\"amount\":\"5.00\",\"currency\":\"USD\"},"
                    "\"description\":\"a \\\"chair\\\" or %u\",\"id\":\"i%u\","
                    "\"valid\":%s}",
                    i ? "," : "", i, i, next_random(seed) % 8 ? "true" : "false");
    }
    mt_buf_addz(&b, "]}");
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static inline decision decision_random(uint64_t *seed, mt_arena *a)
{
    static const char *const FLOWS[] = {"standard_release", "standard_release",
                                        "standard_release", "refund_flow"};
    static const char *const OPERATIONS[] = {"release_escrow", "refund_escrow",
                                             "flag_dispute", "confirm_delivery",
                                             "record_delivery_failure"};
    static const char *const PERSONAS[] = {"buyer", "seller", "escrow_agent",
                                           "compliance_officer"};
    static const char *const ESCROWS[] = {"held",     "held",     "held",
                                          "released", "refunded", "disputed"};
    static const char *const DELIVERIES[] = {"pending", "pending", "pending",
                                             "confirmed", "failed"};
    decision d = {.flow = next_random(seed) % 4 != 0};
    d.name = d.flow ? PICK(seed, FLOWS) : PICK(seed, OPERATIONS);
    d.persona = PICK(seed, PERSONAS);
    d.escrow = PICK(seed, ESCROWS);
    d.delivery = PICK(seed, DELIVERIES);
    d.facts = facts_random(seed, a);
    return d;
}

/* ---- Records ---- */

typedef void emit_body(void *state, mt_str body);

typedef struct recorder {
    contract *c;
    const decision *d;
    unsigned number;
    emit_body *emit;
    void *state;
    mt_str instances[2];
    uint32_t states[2];
    mt_buf body;
} recorder;

static inline mt_jw record_open(recorder *r)
{
    mt_buf_clear(&r->body);
    mt_jw w = mt_jw_start(&r->body, false);
    mt_jw_begin_object(&w);
    return w;
}

static inline void record_who(mt_jw *w)
{
    mt_jw_keyz(w, "caller");
    mt_jw_raw(w, MT_STR("{\"id\":\"anonymous\",\"name\":\"anyone\"}"));
    mt_jw_key_str(w, "contract", MT_STR("escrow"));
    mt_jw_key_str(w, "etag",
                  MT_STR("9393a9fe5c412162fa647c2513449d9a"
                         "94f162bcaa06a265de519e00adcd015e"));
}

static inline void record_close(recorder *r, mt_jw *w)
{
    mt_jw_end_object(w);
    r->emit(r->state, mt_buf_str(&r->body));
}

static inline void record_execution(mt_jw *w, const recorder *r)
{
    char id[40];
    snprintf(id, sizeof id, "f-%032x", r->number);
    mt_jw_key_str(w, "execution", mt_str_z(id));
}

static inline void record_facts(mt_jw *w, const recorder *r)
{
    const ct_model *m = r->c->model;
    mt_buf value = {0};
    mt_jw_keyz(w, "facts");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        mt_buf_clear(&value);
        ct_value_plain(&value, m->facts[i].type, ct_facts_value(r->c->facts, i));
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "assertion_source",
                      ct_facts_external(r->c->facts, i) ? MT_STR("external")
                                                        : MT_STR("contract"));
        mt_jw_key_str(w, "id", m->facts[i].id);
        mt_jw_keyz(w, "source");
        mt_jw_raw(w, m->facts[i].source);
        mt_jw_keyz(w, "value");
        mt_jw_raw(w, mt_buf_str(&value));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_buf_free(&value);
}

static inline void record_verdicts(mt_jw *w, const recorder *r)
{
    const ct_model *m = r->c->model;
    mt_jw_key_str(w, "time", MT_STR("2026-11-16T01:50:16.899Z"));
    mt_jw_keyz(w, "verdicts");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->rule_count; i++) {
        if (ct_verdict_present(r->c->verdicts, i)) {
            mt_jw_str(w, m->rules[i].verdict);
        }
    }
    mt_jw_end_array(w);
}

static inline void record_states(mt_jw *w, const recorder *r, const uint32_t *states)
{
    mt_jw_keyz(w, "states");
    mt_jw_begin_object(w);
    for (uint32_t e = 0; e < 2; e++) {
        mt_jw_key(w, ct_entity_id(r->c->plan, e));
        mt_jw_str(w, ct_plan_state_id(r->c->plan, e, states[e]));
    }
    mt_jw_end_object(w);
}

static inline bool record_operation(recorder *r)
{
    contract *c = r->c;
    ct_frozen z = {c->plan, {c->plan->program, c->facts, c->verdicts}, c->scratch};
    ct_attempt a;
    ct_change changes[4];
    uint32_t op = ct_model_find(c->model, CT_KIND_OPERATION, mt_str_z(r->d->name));
    uint32_t persona =
        ct_model_find(c->model, CT_KIND_PERSONA, mt_str_z(r->d->persona));
    ct_op_try(&z, op, persona, r->states, CT_NONE, &c->arena, &a, changes);
    if (a.error) {
        return false;
    }
    ct_op_report report = {.frozen = &z,
                           .op = op,
                           .persona = mt_str_z(r->d->persona),
                           .attempt = &a,
                           .changes = changes,
                           .instances = r->instances};
    mt_jw w = record_open(r);
    record_who(&w);
    record_facts(&w, r);
    mt_jw_key_str(&w, "kind", MT_STR("operation"));
    mt_jw_keyz(&w, "provenance");
    ct_op_provenance_json(&w, &report);
    record_verdicts(&w, r);
    record_close(r, &w);
    return true;
}

static inline void record_started(recorder *r)
{
    mt_jw w = record_open(r);
    mt_jw_keyz(&w, "bindings");
    mt_jw_begin_object(&w);
    for (uint32_t e = 0; e < 2; e++) {
        mt_jw_key(&w, ct_entity_id(r->c->plan, e));
        mt_jw_str(&w, r->instances[e]);
    }
    mt_jw_end_object(&w);
    record_who(&w);
    record_execution(&w, r);
    record_facts(&w, r);
    mt_jw_key_str(&w, "flow", mt_str_z(r->d->name));
    mt_jw_key_str(&w, "kind", MT_STR("flow_started"));
    mt_jw_key_str(&w, "persona", mt_str_z(r->d->persona));
    record_states(&w, r, r->states);
    record_verdicts(&w, r);
    record_close(r, &w);
}

static inline mt_err record_step(void *context, const ct_run *run, const ct_record *s)
{
    recorder *r = context;
    mt_jw w = record_open(r);
    record_who(&w);
    record_execution(&w, r);
    mt_jw_key_str(&w, "flow", mt_str_z(r->d->name));
    mt_jw_key_str(&w, "kind", MT_STR("operation"));
    mt_jw_keyz(&w, "provenance");
    ct_record_provenance_json(&w, run, s);
    mt_jw_key_str(&w, "time", MT_STR("2026-11-16T01:50:16.899Z"));
    record_close(r, &w);
    return MT_OK;
}

static inline void record_ended(recorder *r)
{
    const ct_run *run = &r->c->run;
    bool done = run->status == CT_RUN_DONE;
    mt_jw w = record_open(r);
    record_who(&w);
    record_execution(&w, r);
    mt_jw_key_str(&w, "flow", mt_str_z(r->d->name));
    mt_jw_key_str(&w, "kind", MT_STR("flow_ended"));
    if (done) {
        mt_jw_key_str(&w, "outcome", run->plan->terminals[run->outcome].name);
    }
    record_states(&w, r, run->states);
    mt_jw_key_str(&w, "status", done ? MT_STR("done") : MT_STR("failed"));
    mt_jw_keyz(&w, "steps");
    ct_run_records_json(&w, run);
    mt_jw_key_str(&w, "time", MT_STR("2026-11-16T01:50:16.899Z"));
    record_close(r, &w);
}

static inline bool record_flow(recorder *r)
{
    contract *c = r->c;
    ct_run_input in = {.plan = c->plan,
                       .snapshot = {c->plan->program, c->facts, c->verdicts},
                       .flow =
                           ct_model_find(c->model, CT_KIND_FLOW, mt_str_z(r->d->name)),
                       .persona = mt_str_z(r->d->persona),
                       .instances = r->instances,
                       .states = r->states,
                       .host = {.context = r, .apply = record_step}};
    if (ct_run_start(&c->run, &in) == CT_RUN_FAILED) {
        return false;
    }
    record_started(r);
    ct_run_all(&c->run);
    record_ended(r);
    return true;
}

/* Decides it and gives every record to `emit`. False: it was refused, there is none. */
static inline bool decision_record(contract *c, const decision *d, unsigned number,
                                   emit_body *emit, void *state)
{
    char ids[2][24];
    ct_fault fault;
    recorder r = {.c = c, .d = d, .number = number, .emit = emit, .state = state};
    const char *names[2] = {"DeliveryRecord", "EscrowAccount"};
    const char *states[2] = {d->delivery, d->escrow};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t e = ct_model_find(c->model, CT_KIND_ENTITY, mt_str_z(names[i]));
        snprintf(ids[i], sizeof ids[i], "%c%u", *names[i] + 32, number);
        r.instances[e] = mt_str_z(ids[i]);
        r.states[e] = ct_state_find(&c->model->entities[e], mt_str_z(states[i]));
    }
    if (ct_facts_read(c->facts, d->facts, NULL, true, &fault) ||
        ct_evaluate(c->plan->program, c->facts, c->verdicts, &c->arena, &fault)) {
        abort();
    }
    bool made = d->flow ? record_flow(&r) : record_operation(&r);
    mt_buf_free(&r.body);
    return made;
}

#endif
