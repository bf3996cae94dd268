/* tool/actions.c - what can be done now, and what stands in the way of the rest.
 * Room: tool. Four questions to the executor, in this order: the flows of this persona,
 * the operations, the flows that wait for it, how many instances are in each state.
 * Facts that nobody knows are left open. What concerns other personas is left out. May
 * fail: what the executor refuses, it refuses here; conditions of operations are for
 * who may evaluate, and without that right the rest is told.
 *
 * kept[0], kept[1] and kept[2] have the answers to the first
 * three, until the fourth is there; so the answers may be of
 * slightly different moments, as the store goes on in between. */
#include "tool/turn.h"

/* How many instances of the entity are in a state that the operation leaves? */
static int64_t instances_for(const tl_turn *t, const ct_operation *op, uint32_t entity)
{
    const ct_entity *e = &t->set->plan->model->entities[entity];
    const mt_json *items = mt_json_at(t->reply, "items");
    int64_t count = 0;
    for (uint32_t i = 0; mt_json_is(items, MT_JSON_ARRAY) && i < items->count; i++) {
        const mt_json *c = &items->as.items[i];
        int64_t n = 0;
        bool leaves = false;
        for (uint32_t k = 0; k < op->effect_count; k++) {
            leaves |= op->effects[k].entity == entity &&
                      mt_str_eq(e->states[op->effects[k].from], mt_text_at(c, "state"));
        }
        if (leaves && mt_str_eq(mt_text_at(c, "entity"), e->id)) {
            (void)mt_json_i64(mt_json_at(c, "count"), &n);
            count += n;
        }
    }
    return count;
}

/* The first entity that has no instance to move; CT_NONE: none is missing. */
static uint32_t missing_for(const tl_turn *t, const ct_operation *op)
{
    for (uint32_t i = 0; i < op->effect_count; i++) {
        if (!instances_for(t, op, op->effects[i].entity)) {
            return op->effects[i].entity;
        }
    }
    return CT_NONE;
}

/* What the executor said of it, and `no_instance` where nothing could be moved: a
 * precondition that holds is of no use then. */
static void own_operation(tl_turn *t, mt_jw *w, mt_buf *words, const mt_json *o,
                          const ct_operation *op)
{
    const ct_model *m = t->set->plan->model;
    mt_str now = mt_text_at(o, "precondition");
    uint32_t missing = missing_for(t, op);
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < o->count; i++) {
        mt_jw_key(w, o->as.members[i].key);
        mt_jw_json(w, &o->as.members[i].value);
    }
    mt_buf_addf(words, "- operation %.*s: the precondition %s%.*s", MT_ARG(op->id),
                mt_str_is(now, "holds")     ? "holds"
                : mt_str_is(now, "refused") ? "does not hold"
                                            : "depends on ",
                MT_ARG(mt_text_at(o, "condition")));
    if (missing != CT_NONE) {
        mt_jw_key_str(w, "no_instance", m->entities[missing].id);
        mt_buf_addf(words, "; no %.*s is in a state that it leaves",
                    MT_ARG(m->entities[missing].id));
    }
    mt_jw_end_object(w);
    mt_buf_addc(words, '\n');
}

/* Of the contract's operations those of this persona, as the executor decided them. */
static void own_operations(tl_turn *t, mt_jw *w, mt_buf *words, const mt_json *all)
{
    const ct_model *m = t->set->plan->model;
    mt_jw_keyz(w, "operations");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; mt_json_is(all, MT_JSON_ARRAY) && i < all->count; i++) {
        const mt_json *o = &all->as.items[i];
        uint32_t what = ct_model_find(m, CT_KIND_OPERATION, mt_text_at(o, "operation"));
        if (what != CT_NONE && tl_set_of(t->set, TL_OPERATION, what)) {
            own_operation(t, w, words, o, &m->operations[what]);
        }
    }
    mt_jw_end_array(w);
}

static void own_flows(mt_jw *w, mt_buf *words, const mt_json *flows)
{
    mt_jw_keyz(w, "flows");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; mt_json_is(flows, MT_JSON_ARRAY) && i < flows->count; i++) {
        const mt_json *f = &flows->as.items[i];
        mt_jw_json(w, f);
        mt_str condition = mt_text_at(f, "condition");
        mt_buf_addf(words, "- flow %.*s: %.*s%s%.*s", MT_ARG(mt_text_at(f, "flow")),
                    MT_ARG(mt_text_at(f, "state")), condition.len ? " on " : "",
                    MT_ARG(condition));
        const mt_json *blocked = mt_json_at(f, "blocked");
        for (uint32_t k = 0; mt_json_is(blocked, MT_JSON_ARRAY) && k < blocked->count;
             k++) {
            const mt_json *why_not = &blocked->as.items[k];
            mt_buf_addf(words, "%s%.*s %.*s", k ? ", " : " by ",
                        MT_ARG(mt_text_at(why_not, "type")),
                        MT_ARG(mt_text_at(why_not, "operation")));
        }
        mt_buf_addc(words, '\n');
    }
    mt_jw_end_array(w);
}

static void waiting_flows(mt_jw *w, mt_buf *words, const mt_json *items)
{
    mt_jw_keyz(w, "waiting");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; mt_json_is(items, MT_JSON_ARRAY) && i < items->count; i++) {
        const mt_json *f = &items->as.items[i];
        mt_jw_json(w, f);
        mt_buf_addf(words, "- execution %.*s of the flow %.*s waits for you: resume\n",
                    MT_ARG(mt_text_at(f, "id")), MT_ARG(mt_text_at(f, "flow")));
    }
    mt_jw_end_array(w);
}

/* All four are there. kept[1] is a problem without `operations` where evaluating is not
 * allowed: then the list is empty, and not missing. */
static void told_actions(tl_turn *t)
{
    mt_buf words = {0}, data = {0};
    if (t->status >= 400) {
        tl_refused_with(t, t->reply, NULL);
        return;
    }
    mt_buf_addz(&words, "Now, as far as the facts are known:\n");
    mt_jw w = mt_jw_start(&data, false);
    mt_jw_begin_unsorted(&w);
    own_flows(&w, &words, mt_json_at(t->kept[0], "flows"));
    own_operations(t, &w, &words, mt_json_at(t->kept[1], "operations"));
    tl_add_json(&w, "needs", mt_json_at(t->kept[1], "needs"));
    tl_add_json(&w, "unknown", mt_json_at(t->kept[1], "unknown"));
    waiting_flows(&w, &words, mt_json_at(t->kept[2], "items"));
    mt_jw_end_object(&w);
    tl_result(t, false, mt_buf_str(&words), mt_buf_str(&data));
    mt_buf_free(&words);
    mt_buf_free(&data);
}

/* Fourth: how many instances are in each state. */
static void told_waiting(tl_turn *t)
{
    if (t->status >= 400) {
        tl_refused_with(t, t->reply, NULL);
        return;
    }
    t->kept[2] = t->reply;
    tl_call(t, EX_INSTANCE_COUNT, (mt_str){0}, (mt_str){0}, (mt_str){0}, told_actions);
}

/* Third: the flows of this contract that wait for this persona. */
static void told_operations(tl_turn *t)
{
    ad_param *query = mt_new_array(&t->arena, ad_param, 2);
    if (t->status >= 400 && t->status != 403) {
        tl_refused_with(t, t->reply, NULL);
        return;
    }
    t->kept[1] = t->reply; /* 403: conditions are for who may evaluate */
    query[0] = (ad_param){MT_STR("waiting_persona"), tl_persona(t)};
    query[1] = (ad_param){MT_STR("status"), MT_STR("waiting")};
    tl_call(t, EX_FLOW_LIST, (mt_str){0}, (mt_str){0}, (mt_str){0}, told_waiting);
    t->call.query = query;
    t->call.query_count = 2;
}

/* Second: the operations. */
static void told_flows(tl_turn *t)
{
    mt_buf b = {0};
    if (t->status >= 400) {
        tl_refused_with(t, t->reply, NULL);
        return;
    }
    t->kept[0] = t->reply;
    mt_jw w = tl_body_begin(t, &b);
    tl_call(t, EX_PARTIAL, (mt_str){0}, (mt_str){0}, tl_body_end(t, &w, &b),
            told_operations);
}

/* First: the flows. */
void tl_actions(tl_turn *t)
{
    mt_buf b = {0};
    mt_jw w = tl_body_begin(t, &b);
    tl_add_text(&w, "persona", tl_persona(t));
    mt_jw_key_bool(&w, "partial", true);
    mt_jw_keyz(&w, "flows");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < t->set->count; i++) {
        if (t->set->tools[i].kind == TL_FLOW) {
            mt_jw_str(&w, t->set->plan->model->flows[t->set->tools[i].what].id);
        }
    }
    mt_jw_end_array(&w);
    tl_call(t, EX_ACTIONS, (mt_str){0}, (mt_str){0}, tl_body_end(t, &w, &b),
            told_flows);
}
