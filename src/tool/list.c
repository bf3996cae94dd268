/* tool/list.c - tools/list: each tool with the JSON Schema of its arguments.
 * Room: tool. `facts` has the facts that this caller may give and no other, `bindings`
 * what the operation or flow changes, `params` the names in the paths of sources. Texts
 * of the contract pass through as they are; nothing here can fail.
 *
 * The list is made for each request: what a caller may give depends on its rights, not
 * only on its persona. Its order and names do not (set.c), so pages fit together. */
#include "contract/wire/type_schema.h"
#include "tool/turn.h"

/* ---- Parts ---- */

static void text_schema(mt_jw *w, const char *words)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "description", mt_str_z(words));
    ct_schema_word(w, "type", "string");
    mt_jw_end_object(w);
}

/* `open`: names are not known beforehand. Everything else is closed, so that a model
 * that makes up an argument is told by its own client. */
static void object_begin(mt_jw *w, const char *key, const char *words, bool open)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "additionalProperties", open);
    mt_jw_key_str(w, "description", mt_str_z(words));
    mt_jw_keyz(w, "properties");
    mt_jw_begin_unsorted(w);
}

static void object_end(mt_jw *w)
{
    mt_jw_end_object(w);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

/* None of them is required: what is not given comes from what was stated before, from
 * its source, or from its default. */
static void facts_schema(mt_jw *w, const tl_turn *t)
{
    const ct_model *m = t->set->plan->model;
    object_begin(w, "facts", "facts that you state; all others come from their sources",
                 false);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        if (ex_view_may_give(&t->view, &t->as, i)) {
            mt_jw_key(w, m->facts[i].id);
            ct_type_schema(w, m->facts[i].type);
        }
    }
    object_end(w);
}

/* Does a call with this tool change the entity, on some way? */
static bool binds(const tl_set *s, const tl_tool *tool, uint32_t entity)
{
    if (tool->kind == TL_FLOW) {
        return ct_bit(s->plan->graphs[tool->what].entities, entity);
    }
    const ct_operation *op = &s->plan->model->operations[tool->what];
    for (uint32_t i = 0; i < op->effect_count; i++) {
        if (op->effects[i].entity == entity) {
            return true;
        }
    }
    return false;
}

/* `only` NULL: all entities, none of which must be there. */
static void bindings_schema(mt_jw *w, const tl_turn *t, const tl_tool *only)
{
    const ct_model *m = t->set->plan->model;
    mt_jw_keyz(w, "bindings");
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "additionalProperties", false);
    mt_jw_key_str(w, "description", MT_STR("which instance of each entity is meant"));
    mt_jw_keyz(w, "properties");
    mt_jw_begin_unsorted(w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (!only || binds(t->set, only, e)) {
            mt_jw_key(w, m->entities[e].id);
            mt_jw_raw(w, MT_STR("{\"minLength\":1,\"type\":\"string\"}"));
        }
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "required");
    mt_jw_begin_array(w);
    for (uint32_t e = 0; only && e < m->entity_count; e++) {
        if (binds(t->set, only, e)) {
            mt_jw_str(w, m->entities[e].id);
        }
    }
    mt_jw_end_array(w);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

/* Paths of sources have names in braces, which a call may fill in. */
static bool has_params(const ct_model *m)
{
    for (uint32_t i = 0; i < m->fact_count; i++) {
        mt_str rest = mt_str_skip(m->facts[i].source, 1);
        if (m->facts[i].source_id != CT_NONE && mt_str_find(rest, '{') < rest.len) {
            return true;
        }
    }
    return false;
}

/* Which names there are is in the paths; they are texts of the sources, so the object
 * is open. */
static void params_schema(mt_jw *w, const tl_turn *t)
{
    if (has_params(t->set->plan->model)) {
        object_begin(w, "params", "values for names in the paths of sources", true);
        object_end(w);
    }
}

/* Names of the tools of one kind, or with `by_id` what the contract calls them: `why`
 * asks in the contract's words, `dry_run` in those of this list. */
static void one_of_tools(mt_jw *w, const tl_turn *t, const char *key, tl_kind least,
                         tl_kind most, const char *words, bool by_id)
{
    const ct_model *m = t->set->plan->model;
    size_t found = 0;
    for (size_t i = 0; i < t->set->count; i++) {
        found += t->set->tools[i].kind >= least && t->set->tools[i].kind <= most;
    }
    if (!found) {
        return; /* an enumeration of nothing is not a schema */
    }
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "description", mt_str_z(words));
    mt_jw_keyz(w, "enum");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < t->set->count; i++) {
        const tl_tool *tool = &t->set->tools[i];
        if (tool->kind >= least && tool->kind <= most) {
            mt_jw_str(w, !by_id                       ? tool->name
                         : tool->kind == TL_OPERATION ? m->operations[tool->what].id
                                                      : m->flows[tool->what].id);
        }
    }
    mt_jw_end_array(w);
    ct_schema_word(w, "type", "string");
    mt_jw_end_object(w);
}

/* Verdicts are everybody's to ask about: they are part of the contract, which is open.
 */
static void verdict_names(mt_jw *w, const tl_turn *t)
{
    const ct_model *m = t->set->plan->model;
    if (!m->rule_count) {
        return;
    }
    mt_jw_keyz(w, "verdict");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "enum");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->rule_count; i++) {
        mt_jw_str(w, m->rules[i].verdict);
    }
    mt_jw_end_array(w);
    ct_schema_word(w, "type", "string");
    mt_jw_end_object(w);
}

/* A single outcome needs no naming. */
static void outcome_schema(mt_jw *w, const tl_turn *t, const tl_tool *tool)
{
    const ct_operation *op = &t->set->plan->model->operations[tool->what];
    if (op->outcome_count < 2) {
        return;
    }
    mt_jw_keyz(w, "outcome");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "description",
                  MT_STR("which outcome it is to have, where several are possible"));
    mt_jw_keyz(w, "enum");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < op->outcome_count; i++) {
        mt_jw_str(w, op->outcomes[i]);
    }
    mt_jw_end_array(w);
    ct_schema_word(w, "type", "string");
    mt_jw_end_object(w);
}

/* ---- Properties of each kind, in byte order ---- */

/* The outcomes of a flow are those of its steps, which the caller may not all have:
 * they are taken as text and judged when the flow gets there. */
static void acting_properties(mt_jw *w, const tl_turn *t, const tl_tool *tool)
{
    bindings_schema(w, t, tool);
    object_begin(w, "expected_versions", "refuse if an instance has another version",
                 true);
    object_end(w);
    facts_schema(w, t);
    if (tool->kind == TL_OPERATION) {
        outcome_schema(w, t, tool);
    } else {
        mt_jw_keyz(w, "outcome");
        text_schema(w, "which outcome an operation of the flow is to have, where "
                       "several are possible");
    }
    params_schema(w, t);
}

/* In byte order, hence `why` twice: flow and
 * operation before params, verdict behind it. */
static void asking_properties(mt_jw *w, const tl_turn *t, bool why)
{
    bindings_schema(w, t, NULL);
    facts_schema(w, t);
    if (why) {
        one_of_tools(w, t, "flow", TL_FLOW, TL_FLOW, "of this flow", true);
        one_of_tools(w, t, "operation", TL_OPERATION, TL_OPERATION, "of this operation",
                     true);
    }
    params_schema(w, t);
    if (why) {
        verdict_names(w, t);
    }
}

/* In byte order of the names, as input_schema() has opened a sorted object. */
static void properties(mt_jw *w, const tl_turn *t, const tl_tool *tool)
{
    switch (tool->kind) {
    case TL_OPERATION:
    case TL_FLOW: acting_properties(w, t, tool); break;
    case TL_ACTIONS: asking_properties(w, t, false); break;
    case TL_WHY: asking_properties(w, t, true); break;
    case TL_DRY_RUN:
        object_begin(w, "arguments", "what the tool would be called with", true);
        object_end(w);
        one_of_tools(w, t, "tool", TL_OPERATION, TL_FLOW, "the tool to try", false);
        break;
    case TL_ASK:
        mt_jw_keyz(w, "question");
        text_schema(w, "in the words of the examples");
        break;
    case TL_EXPLAIN:
        mt_jw_keyz(w, "name");
        text_schema(w, "of a tool, verdict, fact or entity; without it, everything");
        break;
    case TL_RESUME:
        mt_jw_keyz(w, "execution");
        text_schema(w, "the id of the flow's execution");
        mt_jw_keyz(w, "outcome");
        text_schema(w, "the outcome it waits for");
        break;
    case TL_CANCEL:
        mt_jw_keyz(w, "execution");
        text_schema(w, "the id of the flow's execution");
        mt_jw_keyz(w, "reason");
        text_schema(w, "why; it is recorded");
        break;
    case TL_KIND_COUNT: break;
    }
}

/* One argument at most is ever required. */
static const char *required_of(tl_kind kind)
{
    return kind == TL_OPERATION || kind == TL_FLOW  ? "bindings"
           : kind == TL_ASK                         ? "question"
           : kind == TL_DRY_RUN                     ? "tool"
           : kind == TL_RESUME || kind == TL_CANCEL ? "execution"
                                                    : NULL;
}

/* ---- Tools ---- */

static void input_schema(mt_jw *w, const tl_turn *t, const tl_tool *tool)
{
    mt_jw_keyz(w, "inputSchema");
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "additionalProperties", false);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    properties(w, t, tool);
    mt_jw_end_object(w);
    if (required_of(tool->kind)) {
        ct_schema_required(w, required_of(tool->kind), NULL);
    }
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

/* What is done is done for good, whether it may be done twice is the contract's to say,
 * and nothing outside of the contract is touched. */
static void annotations(mt_jw *w, const tl_tool *tool)
{
    mt_jw_keyz(w, "annotations");
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "destructiveHint", !tl_only_reads(tool));
    mt_jw_key_bool(w, "idempotentHint", tl_only_reads(tool));
    mt_jw_key_bool(w, "openWorldHint", false);
    mt_jw_key_bool(w, "readOnlyHint", tl_only_reads(tool));
    mt_jw_end_object(w);
}

static void tool_json(mt_jw *w, const tl_turn *t, const tl_tool *tool)
{
    mt_buf words = {0};
    tl_tool_words(&words, t->set, tool);
    mt_jw_begin_object(w);
    annotations(w, tool);
    mt_jw_key_str(w, "description", mt_buf_str(&words));
    input_schema(w, t, tool);
    mt_jw_key_str(w, "name", tool->name);
    mt_jw_end_object(w);
    mt_buf_free(&words);
}

/* Tools in one answer. Few contracts have more for one persona. */
enum { PAGE = 100 };

/* A cursor is the name of the last tool before: it holds whatever else changes. */
static size_t first_of_page(tl_turn *t)
{
    const tl_tool *last = tl_set_find(t->set, t->m.params.cursor);
    return last ? (size_t)(last - t->set->tools) + 1 : 0;
}

/* The order of tools never depends on the caller, so pages fit together. */
void tl_tools_list(tl_turn *t)
{
    size_t i = first_of_page(t);
    if (t->m.params.cursor.ptr && !i) {
        mc_spoil(&t->m, MC_BAD_PARAMS, MT_STR("there is no page behind this cursor"),
                 (mt_str){0});
        return;
    }
    size_t end = t->set->count - i > PAGE ? i + PAGE : t->set->count;
    mt_jw w = mt_jw_start(&t->members, false);
    if (end < t->set->count) {
        mt_jw_key_str(&w, "nextCursor", t->set->tools[end - 1].name);
    }
    mt_jw_keyz(&w, "tools");
    mt_jw_begin_array(&w);
    for (; i < end; i++) {
        tool_json(&w, t, &t->set->tools[i]);
    }
    mt_jw_end_array(&w);
}
