/* graph/execute.c - one pass over the code of a graph.
 *
 * gr_run() takes a context (values by key) and an event id and fills the slots, step
 * by step. Actions whose gates are open propose effects; nothing outside is touched. A
 * pass is tried in sweeps first, runs of equal steps without branches between; if
 * anything fails there, the same pass is run step by step, which finds the first fault
 * in the graph's order. So a fault does not depend on how it was computed.
 *
 * Invariants: no step allocates except series, which live in the scratch arena until
 * the next pass; every number that leaves a step is finite; effects are valid until
 * the next pass; after a fault there are none. Texts of intent ids are prepared so
 * that only the event id changes between passes.
 *
 * What may fail: gr_fault_code with node and name (GR_FAULT_MAP has the rule and class
 * of each); it ends the pass. An episode belongs to one thread, a graph may be shared.
 */
#include "graph/execute.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "graph/compile.h"
#include "graph/steps.h"
#include "graph/sweep.h"

typedef struct gr_workspace {
    mt_arena scratch; /* series made in a pass */
    const gr_value *context;
    mt_str event_id;
    gr_effect *effects;
    gr_effect_write *writes; /* keys filled in once, values per pass */
    gr_effect_field *fields;
    gr_intent *intents;
    gr_value *call_inputs, *call_context;
    gr_value *nothing; /* a context without any key */
    char *id_text;     /* head, event id, tail */
    size_t id_cap;
    mt_sha256_stream *hash;
} gr_workspace;

/* ---- faults ---- */

static const struct fault_row {
    const char *rule;
    gr_fault_class class;
} FAULTS[] = {{"", GR_FAULT_NOTHING},
#define FAULT_ROW(name, rule, class) {rule, GR_FAULT_##class},
              GR_FAULT_MAP(FAULT_ROW)
#undef FAULT_ROW
};

const char *gr_fault_rule(gr_fault_code code)
{
    return FAULTS[code].rule;
}

gr_fault_class gr_fault_class_of(gr_fault_code code)
{
    return FAULTS[code].class;
}

/* For people; programs read the code. `name` and `detail` are from the manifest or the
 * primitive. */
mt_str gr_fault_text(mt_arena *a, const gr_episode *e)
{
    static const char *const SENTENCES[] = {
        [GR_OK] = "no fault",
        [GR_FAULT_COMPUTE_FAILED] = "the compute failed",
        [GR_FAULT_NON_FINITE_OUTPUT] = "the output is not a finite number",
        [GR_FAULT_MISSING_CONTEXT_KEY] = "the context lacks a required key",
        [GR_FAULT_CONTEXT_KEY_TYPE] = "the context key has another type",
        [GR_FAULT_MISSING_OUTPUT] = "an output was not produced",
        [GR_FAULT_OUTPUT_TYPE] = "an output has another type than declared",
        [GR_FAULT_MISSING_PAYLOAD] = "an effect needs an input that is not connected",
        [GR_FAULT_METADATA_REQUIRED] = "intents need an event id",
    };
    MT_TABLE_COVERS(SENTENCES, sizeof FAULTS / sizeof *FAULTS);
    const gr_fault *f = &e->fault;
    if (f->code == GR_OK) {
        return MT_STR("");
    }
    const gr_node *n = &e->graph->nodes[f->node];
    return mt_strf(a, "%s: node %.*s (%.*s): %s%s%.*s%s%s", FAULTS[f->code].rule,
                   MT_ARG(n->name), MT_ARG(n->id), SENTENCES[f->code],
                   f->name.len ? ": " : "", MT_ARG(f->name), f->detail ? ": " : "",
                   f->detail ? f->detail : "");
}

/* Out of the way of the loop, which only branches here. */
__attribute__((noinline, cold)) static gr_fault_code
fault(gr_episode *e, gr_fault_code code, uint32_t node, mt_str name, const char *detail)
{
    e->fault = (gr_fault){code, node, name, detail};
    return code;
}

static mt_str output_name(const gr_episode *e, uint32_t node, uint32_t port)
{
    return e->graph->nodes[node].primitive->manifest.outputs[port].name;
}

static gr_fault_code not_finite(gr_episode *e, uint32_t node)
{
    return fault(e, GR_FAULT_NON_FINITE_OUTPUT, node, output_name(e, node, 0), NULL);
}

static gr_fault_code failed(gr_episode *e, uint32_t node, const char *detail)
{
    return fault(e, GR_FAULT_COMPUTE_FAILED, node, MT_STR(""), detail);
}

/* ---- sources ---- */

/* A key of another type is a fault only when it is required; otherwise the source takes
 * the zero of its type. */
static gr_fault_code read_needs(gr_episode *e, const gr_call_plan *p)
{
    gr_workspace *w = e->work;
    for (uint32_t i = 0; i < p->need_count; i++) {
        const gr_need_plan *need = &e->graph->code->needs[p->first_need + i];
        const gr_value *v = &w->context[need->key];
        if (need->required && v->type != (uint32_t)need->type) {
            return fault(e,
                         v->type == GR_NONE ? GR_FAULT_MISSING_CONTEXT_KEY
                                            : GR_FAULT_CONTEXT_KEY_TYPE,
                         p->node, e->graph->keys[need->key].name, NULL);
        }
        w->call_context[i] = *v;
        if (need->out && !gr_from_context(v, need->type, &e->slots[need->out])) {
            return fault(e, GR_FAULT_NON_FINITE_OUTPUT, p->node,
                         output_name(e, p->node, need->out - p->out), NULL);
        }
    }
    return GR_OK;
}

/* ---- primitives written in C ---- */

/* A Trigger says Emitted or NotEmitted, an Action what became of its attempt. */
static bool event_fits(gr_kind kind, uint64_t event)
{
    return kind == GR_ACTION ? event >= GR_ATTEMPTED && event <= GR_FAILED
                             : event <= GR_EMITTED;
}

/* One that is not UTF-8 would make a capture that nobody can read. */
static bool is_text(const gr_value *v)
{
    return mt_utf8_check(mt_str_from(v->as.text, v->len)) == v->len;
}

/* A primitive in C is not trusted: type, presence and finiteness are looked at. */
static gr_fault_code check_outputs(gr_episode *e, const gr_call_plan *p)
{
    const gr_manifest *m = &p->primitive->manifest;
    for (uint32_t i = 0; i < m->output_count; i++) {
        const gr_value *v = &e->slots[p->out + i];
        if (v->type == GR_NONE) {
            return fault(e, GR_FAULT_MISSING_OUTPUT, p->node, m->outputs[i].name, NULL);
        }
        if (v->type != (uint32_t)m->outputs[i].type ||
            (v->type == GR_EVENT && !event_fits(m->kind, v->as.event))) {
            return fault(e, GR_FAULT_OUTPUT_TYPE, p->node, m->outputs[i].name, NULL);
        }
        if (v->type == GR_STRING && !is_text(v)) {
            return fault(e, GR_FAULT_OUTPUT_TYPE, p->node, m->outputs[i].name,
                         "the text is not UTF-8");
        }
        if (!gr_value_finite(v)) {
            return fault(e, GR_FAULT_NON_FINITE_OUTPUT, p->node, m->outputs[i].name,
                         NULL);
        }
    }
    return GR_OK;
}

/* The only place that runs foreign code. Outputs are set to no type before, so one that
 * was not written is noticed; inputs are copies, so the primitive cannot change another
 * node's value. An action sees its gate as attempted. */
static gr_fault_code call_out(gr_episode *e, const gr_call_plan *p)
{
    gr_workspace *w = e->work;
    const gr_manifest *m = &p->primitive->manifest;
    gr_fault_code code = read_needs(e, p);
    if (code) {
        return code;
    }
    for (uint32_t i = 0; i < m->input_count; i++) {
        w->call_inputs[i] = e->slots[p->inputs[i]];
        if (m->kind == GR_ACTION && w->call_inputs[i].type == GR_EVENT) {
            w->call_inputs[i].as.event = GR_ATTEMPTED;
        }
    }
    for (uint32_t i = 0; i < m->output_count; i++) {
        e->slots[p->out + i].type = GR_NONE;
    }
    gr_call call = {.manifest = m,
                    .inputs = w->call_inputs,
                    .params = p->params,
                    .context = w->call_context,
                    .outputs = &e->slots[p->out],
                    .arena = &w->scratch};
    if (!p->primitive->run(p->primitive->user, &call)) {
        return failed(e, p->node, call.error ? call.error : "the primitive refused");
    }
    return check_outputs(e, p);
}

/* ---- actions ---- */

/* Not connected is not open; several gates must all be. */
static inline bool gates_open(const gr_episode *e, const gr_action_plan *p)
{
    const uint32_t *gates = e->graph->code->gates + p->first_gate;
    uint64_t open = 1;
    for (uint32_t i = 0; i < p->gate_count; i++) {
        open &= e->slots[gates[i]].as.event == GR_EMITTED;
    }
    return open;
}

/* eid1 over head, event id and tail; only the middle changes from pass to pass. */
static void intent_id(gr_episode *e, const gr_intent_plan *plan, char *out)
{
    gr_workspace *w = e->work;
    const gr_code *code = e->graph->code;
    size_t len = code->head.len + 4 + w->event_id.len + plan->tail.len;
    char *at = w->id_text + code->head.len + 4 + w->event_id.len;
    memcpy(at, plan->tail.ptr, plan->tail.len);
    mt_sha256_start(w->hash);
    mt_sha256_add(w->hash, mt_str_from(w->id_text, len));
    mt_sha256 digest = mt_sha256_end(w->hash);
    mt_hex(digest.bytes, MT_SHA256_BYTES, out + 12);
}

/* Slot 0 is an input that is not connected: the intent cannot be made, and the pass
 * ends (§6.2). */
static bool derive_intent(gr_episode *e, uint32_t index)
{
    const gr_code *code = e->graph->code;
    const gr_intent_plan *plan = &code->intents[index];
    for (uint32_t i = 0; i < plan->field_count; i++) {
        uint32_t f = plan->first_field + i;
        e->work->fields[f].value = e->slots[code->fields[f].slot];
        if (!code->fields[f].slot) {
            return false;
        }
    }
    intent_id(e, plan, e->work->intents[index].id);
    return true;
}

/* One set_context with all writes, then one effect per intent. */
static bool derive_effects(gr_episode *e, const gr_action_plan *p, uint32_t node)
{
    const gr_code *code = e->graph->code;
    gr_workspace *w = e->work;
    for (uint32_t i = 0; i < p->write_count; i++) {
        uint32_t slot = code->writes[p->first_write + i].slot;
        w->writes[p->first_write + i].value = e->slots[slot];
        if (!slot) {
            return false;
        }
    }
    if (p->write_count) {
        w->effects[e->effect_count++] =
            (gr_effect){.kind = MT_STR(GR_SET_CONTEXT),
                        .writes = w->writes + p->first_write,
                        .write_count = p->write_count,
                        .node = node};
    }
    for (uint32_t i = 0; i < p->intent_count; i++) {
        uint32_t index = p->first_intent + i;
        if (!derive_intent(e, index)) {
            return false;
        }
        w->effects[e->effect_count++] = (gr_effect){
            .kind = w->intents[index].kind, .intent = &w->intents[index], .node = node};
    }
    return true;
}

/* A gate that is closed is an outcome, not a failure; so are all outcomes of an action
 * (§7). Effects are only derived here and leave with the episode. */
static gr_fault_code act(gr_episode *e, const gr_step *s, uint32_t node)
{
    const gr_code *code = e->graph->code;
    const gr_action_plan *p = &code->actions[s->a];
    if (!gates_open(e, p)) {
        e->slots[s->out] = gr_event_value(GR_SKIPPED);
        return GR_OK;
    }
    e->slots[s->out].as.event = s->aux;
    if (s->op == GR_OP_CUSTOM_ACTION) {
        gr_fault_code refused = call_out(e, &code->calls[p->call]);
        if (refused) {
            return refused;
        }
    }
    return derive_effects(e, p, node)
               ? GR_OK
               : fault(e, GR_FAULT_MISSING_PAYLOAD, node, MT_STR(""), NULL);
}

/* ---- the pass ---- */

#define NUMBER(slot) (slots[slot].as.number)
#define BOOL(slot)   (slots[slot].as.boolean)
#define GIVE_NUMBER(value)                                                             \
    do {                                                                               \
        double result_ = (value);                                                      \
        NUMBER(s->out) = result_;                                                      \
        if (MT_UNLIKELY(!gr_finite(result_))) {                                        \
            e->ran = i;                                                                \
            return not_finite(e, i);                                                   \
        }                                                                              \
    } while (0)
#define GIVE_BOOL(value) (BOOL(s->out) = (uint64_t)(value))

/* By zero is told apart from a result that is not finite: authors mend them
 * differently. */
static gr_fault_code divide(gr_episode *e, uint32_t i, double a, double b, double *out)
{
    if (b == 0) {
        return failed(e, i, "DivisionByZero");
    }
    *out = a / b;
    return gr_finite(*out) ? GR_OK : failed(e, i, "NonFiniteResult");
}

static gr_fault_code summary(gr_episode *e, uint32_t i, const gr_value *series,
                             bool mean, double *out)
{
    *out = mean ? gr_mean(series) : gr_series_sum(series);
    return gr_finite(*out) ? GR_OK : failed(e, i, "NonFiniteResult");
}

/* What is rare or long, kept out of the loop so that the loop stays small. */
__attribute__((noinline)) static gr_fault_code slow_step(gr_episode *e,
                                                         const gr_step *s, uint32_t i)
{
    gr_value *slots = e->slots;
    const gr_code *code = e->graph->code;
    switch (s->op) {
    case GR_OP_SOURCE: return read_needs(e, &code->calls[s->a]);
    case GR_OP_APPEND:
        gr_append(&e->work->scratch, &slots[s->a], NUMBER(s->b), &slots[s->out]);
        return GR_OK;
    case GR_OP_WINDOW: gr_window(&slots[s->a], s->c, &slots[s->out]); return GR_OK;
    case GR_OP_MEAN: return summary(e, i, &slots[s->a], true, &NUMBER(s->out));
    case GR_OP_SUM: return summary(e, i, &slots[s->a], false, &NUMBER(s->out));
    case GR_OP_CUSTOM: return call_out(e, &code->calls[s->a]);
    case GR_OP_ACTION:
    case GR_OP_CUSTOM_ACTION: return act(e, s, i);
    default: MT_BUG("unknown step");
    }
}

/* One switch over all steps in order. `ran` says how many were completed, for traces of
 * a failed pass. Values of different types share eight bytes; types were checked when
 * the graph was loaded. */
static gr_fault_code run_steps(gr_episode *e)
{
    gr_value *const slots = e->slots;
    const gr_step *s = e->graph->code->steps;
    const uint32_t count = e->graph->node_count;
    gr_fault_code code;
    for (uint32_t i = 0; i < count; i++, s++) {
        switch ((gr_op)s->op) {
        case GR_OP_CONSTANT: break;
        case GR_OP_CONTEXT:
            if (MT_UNLIKELY(!gr_from_context(&e->work->context[s->a], s->aux,
                                             &slots[s->out]))) {
                e->ran = i;
                return not_finite(e, i);
            }
            break;
        case GR_OP_ADD: GIVE_NUMBER(NUMBER(s->a) + NUMBER(s->b)); break;
        case GR_OP_SUBTRACT: GIVE_NUMBER(NUMBER(s->a) - NUMBER(s->b)); break;
        case GR_OP_MULTIPLY: GIVE_NUMBER(NUMBER(s->a) * NUMBER(s->b)); break;
        case GR_OP_DIVIDE:
            code = divide(e, i, NUMBER(s->a), NUMBER(s->b), &NUMBER(s->out));
            if (MT_UNLIKELY(code != GR_OK)) {
                e->ran = i;
                return code;
            }
            break;
        case GR_OP_SAFE_DIVIDE:
            NUMBER(s->out) = gr_safe_divide(NUMBER(s->a), NUMBER(s->b), NUMBER(s->c));
            break;
        case GR_OP_ABS: NUMBER(s->out) = __builtin_fabs(NUMBER(s->a)); break;
        case GR_OP_NEGATE: NUMBER(s->out) = -NUMBER(s->a); break;
        case GR_OP_MIN: NUMBER(s->out) = gr_lesser(NUMBER(s->a), NUMBER(s->b)); break;
        case GR_OP_MAX: NUMBER(s->out) = gr_greater(NUMBER(s->a), NUMBER(s->b)); break;
        case GR_OP_GT: GIVE_BOOL(NUMBER(s->a) > NUMBER(s->b)); break;
        case GR_OP_GTE: GIVE_BOOL(NUMBER(s->a) >= NUMBER(s->b)); break;
        case GR_OP_LT: GIVE_BOOL(NUMBER(s->a) < NUMBER(s->b)); break;
        case GR_OP_LTE: GIVE_BOOL(NUMBER(s->a) <= NUMBER(s->b)); break;
        case GR_OP_EQ: GIVE_BOOL(NUMBER(s->a) == NUMBER(s->b)); break;
        case GR_OP_NEQ: GIVE_BOOL(NUMBER(s->a) != NUMBER(s->b)); break;
        case GR_OP_AND: GIVE_BOOL(BOOL(s->a) & BOOL(s->b)); break;
        case GR_OP_OR: GIVE_BOOL(BOOL(s->a) | BOOL(s->b)); break;
        case GR_OP_NOT: GIVE_BOOL(BOOL(s->a) ^ 1); break;
        /* Numbers and booleans are the same eight bytes here. */
        case GR_OP_SELECT: slots[s->out].as = slots[BOOL(s->a) ? s->b : s->c].as; break;
        case GR_OP_LEN: NUMBER(s->out) = slots[s->a].len; break;
        case GR_OP_EMIT_IF_TRUE: slots[s->out].as.event = BOOL(s->a); break;
        case GR_OP_EMIT_IF_EVENT_AND_TRUE:
            slots[s->out].as.event = (slots[s->a].as.event == GR_EMITTED) & BOOL(s->b);
            break;
        case GR_OP_SOURCE:
        case GR_OP_APPEND:
        case GR_OP_WINDOW:
        case GR_OP_MEAN:
        case GR_OP_SUM:
        case GR_OP_ACTION:
        case GR_OP_CUSTOM:
        case GR_OP_CUSTOM_ACTION:
            code = slow_step(e, s, i);
            if (MT_UNLIKELY(code != GR_OK)) {
                e->ran = i;
                return code;
            }
            break;
        }
    }
    e->ran = count;
    return GR_OK;
}

/* The pass in runs of equal steps, then the Actions in their order. False: something
 * failed, and run_steps() will say what came first; nothing has been seen outside. */
static bool sweep(gr_episode *e)
{
    const gr_graph *g = e->graph;
    if (!gr_sweep(g->code, e->slots, e->work->context, &e->work->scratch)) {
        return false;
    }
    for (uint32_t i = 0; i < g->action_count; i++) {
        if (act(e, &g->code->steps[g->actions[i]], g->actions[i])) {
            e->effect_count = 0;
            e->fault.code = GR_OK;
            return false;
        }
    }
    e->ran = g->node_count;
    return true;
}

/* Puts the event id behind the head of eid1's text, once per pass. */
static void place_event_id(gr_episode *e, mt_str event_id)
{
    gr_workspace *w = e->work;
    const gr_code *code = e->graph->code;
    size_t need = code->head.len + 4 + event_id.len + code->longest_tail;
    if (need > w->id_cap) {
        w->id_text = mt_xrealloc(w->id_text, need);
        w->id_cap = need;
    }
    char *at = w->id_text;
    memcpy(at, code->head.ptr, code->head.len);
    at += code->head.len;
    for (int shift = 24; shift >= 0; shift -= 8) {
        *at++ = (char)(event_id.len >> shift);
    }
    if (event_id.len) {
        memcpy(at, event_id.ptr, event_id.len);
    }
    w->event_id = event_id;
}

/* A pass (§1): a fault leaves no effect at all. The sweep is tried first where the
 * graph allows it; when it meets a fault it gives up and the steps run from the start,
 * so that the fault is the one that comes first in order. */
gr_fault_code gr_run(gr_episode *e, const gr_value *context, mt_str event_id)
{
    mt_arena_reset(&e->work->scratch);
    e->work->context = context ? context : e->work->nothing;
    e->effect_count = 0;
    e->fault.code = GR_OK;
    e->ran = 0;
    if (e->graph->has_intents) {
        if (!event_id.ptr) {
            return fault(e, GR_FAULT_METADATA_REQUIRED, 0, MT_STR(""), NULL);
        }
        place_event_id(e, event_id);
    }
    if (e->graph->code->run_count && sweep(e)) {
        return GR_OK;
    }
    gr_fault_code code = run_steps(e);
    if (code) {
        e->effect_count = 0;
    }
    return code;
}

/* ---- episodes ---- */

/* Arrays for the most that a pass can produce: an episode allocates nothing while it
 * runs. Names and prefixes are set once. */
static void prepare_effects(gr_workspace *w, const gr_code *code)
{
    w->writes = mt_xmalloc(code->write_count * sizeof *w->writes);
    w->fields = mt_xmalloc(code->field_count * sizeof *w->fields);
    w->intents = mt_xmalloc(code->intent_count * sizeof *w->intents);
    w->effects = mt_xmalloc(((size_t)code->action_count + code->intent_count) *
                            sizeof *w->effects);
    for (uint32_t i = 0; i < code->write_count; i++) {
        w->writes[i].key = code->writes[i].key;
    }
    for (uint32_t i = 0; i < code->field_count; i++) {
        w->fields[i].name = code->fields[i].name;
    }
    for (uint32_t i = 0; i < code->intent_count; i++) {
        w->intents[i] = (gr_intent){.kind = code->intents[i].kind,
                                    .fields = w->fields + code->intents[i].first_field,
                                    .field_count = code->intents[i].field_count};
        memcpy(w->intents[i].id, "eid1:sha256:", 12);
    }
}

/* An episode is reused for many passes by one thread; the graph may be shared. */
gr_episode *gr_episode_new(const gr_graph *g)
{
    const gr_code *code = g->code;
    gr_episode *e = mt_xmalloc(sizeof *e);
    gr_workspace *w = mt_xmalloc(sizeof *w);
    *w =
        (gr_workspace){.call_inputs = mt_xmalloc(code->most_inputs * sizeof(gr_value)),
                       .call_context = mt_xmalloc(code->most_needs * sizeof(gr_value))};
    w->nothing = mt_xmalloc(g->key_count * sizeof *w->nothing);
    memset(w->nothing, 0, g->key_count * sizeof *w->nothing);
    *e = (gr_episode){.graph = g, .work = w};
    e->slots = mt_xmalloc(code->slot_count * sizeof *e->slots);
    memcpy(e->slots, code->initial, code->slot_count * sizeof *e->slots);
    prepare_effects(w, code);
    e->effects = w->effects;
    if (g->has_intents) {
        w->hash = mt_sha256_stream_new();
    }
    return e;
}

void gr_episode_free(gr_episode *e)
{
    if (!e) {
        return;
    }
    gr_workspace *w = e->work;
    mt_arena_free(&w->scratch);
    mt_sha256_stream_free(w->hash);
    free(w->effects);
    free(w->writes);
    free(w->fields);
    free(w->intents);
    free(w->call_inputs);
    free(w->call_context);
    free(w->nothing);
    free(w->id_text);
    free(w);
    free(e->slots);
    free(e);
}
