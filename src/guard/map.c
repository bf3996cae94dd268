/* guard/map.c - reading a map, and holding it against a contract.
 * Room: guard.
 * The tables say what may stand in it; what only the contract knows (operations,
 * entities, facts, outcomes, personas) is looked up afterwards, each with the nearest
 * name there is. Everything that is wrong is told at once. */
#include "guard/map.h"

#include "contract/flow/plan.h"
#include "contract/wire/model.h"
#include "tool/turn.h"

enum {
    NAME_MOST = 800,
    LIST_MOST = 1000,
    TOOLS_MOST = 10000,
    FACTS_MOST = 1000,
    RECORD_MOST = 1 << 20,
    TIMEOUT_LEAST = 10,
    TIMEOUT_MOST = 86400000
};

/* ---- The tables ---- */

static const char *const AS[] = {"value", "text",    "path", "length",
                                 "count", "present", NULL};
_Static_assert(sizeof AS / sizeof *AS == GD_AS_COUNT_OF_THEM + 1, "all ways");
static const char *const COMMITS[] = {"after", "before", NULL};
static const char *const UNMAPPED[] = {"refuse", "allow", NULL};

static const mt_form_row VALUE[] = {
    MT_FORM_LABEL(gd_value, name),
    MT_FORM_ROW(gd_value, from, "from", MT_FORM_K_TEXT, 0, NAME_MOST, 0),
    MT_FORM_CHOICE(gd_value, as, "as", AS, 0),
    MT_FORM_TEXTS(gd_value, under, "under", 1, LIST_MOST, 0),
    MT_FORM_TEXTS(gd_value, matches, "matches", 1, LIST_MOST, 0),
    MT_FORM_ANY(gd_value, value, "value", 0),
    MT_FORM_ANY(gd_value, otherwise, "otherwise", 0),
};
static const mt_form_table VALUES = MT_FORM_TABLE("a value", VALUE, gd_value, NULL);

static const mt_form_row BIND[] = {
    MT_FORM_LABEL(gd_bind, name),
    MT_FORM_ROW(gd_bind, from, "from", MT_FORM_K_TEXT, 1, NAME_MOST, 0),
    MT_FORM_NAME(gd_bind, id, "id", NAME_MOST, 0),
    MT_FORM_CHOICE(gd_bind, as, "as", AS, 0),
    MT_FORM_FLAG(gd_bind, create, "create", 0),
};
static const mt_form_table BINDS = MT_FORM_TABLE("a binding", BIND, gd_bind, NULL);

/* Where an outcome stands is one value, not a table of them; that there is one must be
 * remembered, since a value that says nothing looks like one that is not there. */
static bool read_outcome(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    mt_form inside = mt_form_inside(f, row->key, "an outcome");
    gd_result *r = (gd_result *)((char *)to - offsetof(gd_result, outcome_room));
    r->has_outcome = true;
    return mt_form_read(&inside, v, VALUE, mt_form_count(VALUE), to);
}

static const mt_form_row RESULT[] = {
    MT_FORM_NAME(gd_result, on_error, "on_error", NAME_MOST, 0),
    MT_FORM_OWN(gd_result, outcome_room, "outcome", read_outcome, 0),
    MT_FORM_MAP(gd_result, facts, fact_count, "facts", &VALUES, FACTS_MOST, 0),
};
static const mt_form_table RESULTS =
    MT_FORM_TABLE("what a result says", RESULT, gd_result, NULL);

static const mt_form_row TOOL[] = {
    MT_FORM_LABEL(gd_tool, name),
    MT_FORM_NAME(gd_tool, operation, "operation", NAME_MOST, 0),
    MT_FORM_NAME(gd_tool, flow, "flow", NAME_MOST, 0),
    MT_FORM_CHOICE(gd_tool, commit, "commit", COMMITS, 0),
    MT_FORM_SPAN(gd_tool, timeout_ms, "timeout", TIMEOUT_LEAST, TIMEOUT_MOST, 0),
    MT_FORM_MAP(gd_tool, binds, bind_count, "bindings", &BINDS, FACTS_MOST, 0),
    MT_FORM_MAP(gd_tool, facts, fact_count, "facts", &VALUES, FACTS_MOST, 0),
    MT_FORM_INSIDE(gd_tool, result, "result", &RESULTS, 0),
};
static const mt_form_table TOOLS = MT_FORM_TABLE("a tool", TOOL, gd_tool, NULL);

static const mt_form_row MAP[] = {
    MT_FORM_NAME(gd_map, contract, "contract", NAME_MOST, 0),
    MT_FORM_NAME(gd_map, persona, "persona", NAME_MOST, 0),
    MT_FORM_OBJECT(gd_map, identities, "identities", 0),
    MT_FORM_CHOICE(gd_map, unmapped, "unmapped", UNMAPPED, 0),
    MT_FORM_SPAN(gd_map, timeout_ms, "timeout", TIMEOUT_LEAST, TIMEOUT_MOST, 0),
    MT_FORM_SIZE(gd_map, record_bytes, "record_bytes", 0, RECORD_MOST, 0),
    MT_FORM_MAP(gd_map, tools, tool_count, "tools", &TOOLS, TOOLS_MOST,
                MT_FORM_REQUIRED),
};

/* An identity is whatever --as says, so its name has no form; what it is given must be
 * a persona. Whether the contract has that one, the check says. */
static bool good_identities(mt_form *f, const mt_json *list)
{
    bool good = true;
    for (uint32_t i = 0; list && i < list->count; i++) {
        const mt_json *p = &list->as.members[i].value;
        if (!mt_json_is(p, MT_JSON_STRING) || !mt_json_text(p).len) {
            good = mt_form_say(f, MT_FORM_WRONG_KIND, p, "identities",
                               "has '%.*s', which must be the name of a persona",
                               MT_ARG(list->as.members[i].key));
        }
    }
    return good;
}

/* The pointer to the outcome is set when all tools have their places: a table that
 * grows moves its rows. */
bool gd_map_read(mt_form *f, const mt_json *tree, gd_map *out)
{
    *out = (gd_map){.timeout_ms = 60000, .record_bytes = 1024};
    f->what = "a map";
    bool good = mt_form_read(f, tree, MAP, mt_form_count(MAP), out) &&
                good_identities(f, out->identities);
    for (uint32_t i = 0; i < out->tool_count; i++) {
        gd_result *r = &out->tools[i].result;
        r->outcome = r->has_outcome ? &r->outcome_room : NULL;
    }
    return good;
}

/* ---- Held against a contract ---- */

/* One walk over the rows; `row` is the text of the one that is looked at, so that a
 * fault can name its line. */
typedef struct checking {
    mt_form tools, tool, part; /* forms refer to the one around them */
    const mt_json *rows, *row;
    const ct_plan *p;
    const ct_model *m;
    const gd_tool *t;
    uint32_t what; /* the operation or flow that it is */
    bool good;
} checking;

/* Is the name one of the kind? Else it is told, with the nearest. */
static bool is_known(checking *c, mt_form *f, ct_kind kind, mt_str name,
                     const mt_json *at, const char *key, const char *what)
{
    if (ct_model_find(c->m, kind, name) != CT_NONE) {
        return true;
    }
    mt_str near = ct_model_nearest(c->m, kind, name);
    c->good = mt_form_say(f, MT_FORM_OUT_OF_RANGE, at, key,
                          "names the %s '%.*s', which the contract does not have%s"
                          "%.*s%s",
                          what, MT_ARG(name), near.len ? "; did you mean '" : "",
                          MT_ARG(near), near.len ? "'?" : "");
    return false;
}

/* A fact that nothing says would never be stated, and one that is said twice would be
 * stated by whichever comes first: both are slips, and neither is guessed at. */
static void check_facts(checking *c, const gd_value *facts, uint32_t count,
                        const mt_json *in)
{
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *at = mt_json_get(in, facts[i].name);
        (void)is_known(c, &c->tool, CT_KIND_FACT, facts[i].name, at, "facts", "fact");
        int ways = (facts[i].under != NULL) + (facts[i].matches != NULL) +
                   (facts[i].value != NULL);
        if (ways > 1 || (!ways && !facts[i].from.len)) {
            c->good = mt_form_say(
                &c->tool, MT_FORM_OUT_OF_RANGE, at, "facts",
                "has '%.*s', which needs `from` or `value`, and at most one of "
                "`under`, `matches` and `value`",
                MT_ARG(facts[i].name));
        }
        bool compares = facts[i].under || facts[i].matches;
        if (compares && facts[i].as > GD_AS_PATH) {
            c->good = mt_form_say(&c->tool, MT_FORM_OUT_OF_RANGE, at, "facts",
                                  "has '%.*s', which can be `as` text or path, since "
                                  "it is compared",
                                  MT_ARG(facts[i].name));
        }
    }
}

static bool changes(const checking *c, uint32_t entity)
{
    if (c->t->flow.len) {
        return ct_bit(c->p->graphs[c->what].entities, entity);
    }
    const ct_operation *op = &c->m->operations[c->what];
    for (uint32_t i = 0; i < op->effect_count; i++) {
        if (op->effects[i].entity == entity) {
            return true;
        }
    }
    return false;
}

static bool binds(const gd_tool *t, mt_str entity)
{
    for (uint32_t i = 0; i < t->bind_count; i++) {
        if (mt_str_eq(t->binds[i].name, entity)) {
            return true;
        }
    }
    return false;
}

/* Each entity that is changed needs a binding: without one every call would be refused,
 * and the reader of the map could not see why. */
static void check_binds(checking *c)
{
    const mt_json *in = mt_json_at(c->row, "bindings");
    for (uint32_t i = 0; i < c->t->bind_count; i++) {
        const gd_bind *b = &c->t->binds[i];
        const mt_json *at = mt_json_get(in, b->name);
        (void)is_known(c, &c->tool, CT_KIND_ENTITY, b->name, at, "bindings", "entity");
        bool plain = b->as == GD_AS_VALUE || b->as == GD_AS_TEXT || b->as == GD_AS_PATH;
        if ((b->from.len != 0) == (b->id.len != 0) || !plain) {
            c->good = mt_form_say(&c->tool, MT_FORM_OUT_OF_RANGE, at, "bindings",
                                  "has '%.*s', which needs either `from` or `id`, and "
                                  "can be `as` text or path",
                                  MT_ARG(b->name));
        }
    }
    for (uint32_t e = 0; e < c->m->entity_count; e++) {
        mt_str entity = c->m->entities[e].id;
        if (changes(c, e) && !binds(c->t, entity)) {
            c->good = mt_form_say(&c->tool, MT_FORM_MISSING, c->row, "bindings",
                                  "lacks '%.*s', which the %s '%.*s' %s",
                                  MT_ARG(entity), c->t->flow.len ? "flow" : "operation",
                                  MT_ARG(c->t->flow.len ? c->t->flow : c->t->operation),
                                  c->t->flow.len ? "can change" : "changes");
        }
    }
}

/* Has the operation this outcome? Of a flow, one of its operations: which of them it
 * comes to is not known yet. */
static bool has_outcome(const checking *c, mt_str name)
{
    bool any = c->t->flow.len > 0, has = false;
    for (uint32_t op = 0; op < c->m->operation_count && !has; op++) {
        has =
            (any || op == c->what) && ct_plan_outcome_named(c->p, op, name) != CT_NONE;
    }
    return has;
}

/* With `commit: before` the operation is done before there is a result, so the result
 * cannot name its outcome any more. */
static void check_outcomes(checking *c)
{
    const gd_result *r = &c->t->result;
    const mt_json *at = mt_json_at(c->row, "result");
    bool flow = c->t->flow.len > 0;
    if (r->on_error.len && !has_outcome(c, r->on_error)) {
        c->good =
            mt_form_say(&c->tool, MT_FORM_OUT_OF_RANGE, at, "result",
                        "names the outcome '%.*s', which %s%.*s%s", MT_ARG(r->on_error),
                        flow ? "no operation has" : "the operation '",
                        MT_ARG(c->t->operation), flow ? "" : "' does not have");
    }
    if (c->t->commit && (r->outcome || r->on_error.len)) {
        c->good = mt_form_say(&c->tool, MT_FORM_OUT_OF_RANGE, at, "result",
                              "has an outcome, which is too late for `commit: before`");
    }
    check_facts(c, r->facts, r->fact_count, mt_json_at(at, "facts"));
}

/* Without its operation or flow nothing else of a row can be judged. */
static void check_tool(checking *c)
{
    bool flow = c->t->flow.len > 0;
    const char *key = flow ? "flow" : "operation";
    mt_str name = flow ? c->t->flow : c->t->operation;
    ct_kind kind = flow ? CT_KIND_FLOW : CT_KIND_OPERATION;
    c->row = mt_json_get(c->rows, c->t->name);
    c->tool = mt_form_member(&c->tools, c->t->name, "a tool");
    if (flow == (c->t->operation.len > 0)) {
        c->good = mt_form_say(&c->tool, MT_FORM_MISSING, c->row, "operation",
                              "is missing, or `flow`: a tool is one of them");
        return;
    }
    const mt_json *at = mt_json_get(c->row, mt_str_z(key));
    if (!is_known(c, &c->tool, kind, name, at, key, key)) {
        return;
    }
    c->what = ct_model_find(c->m, kind, name);
    check_binds(c);
    check_facts(c, c->t->facts, c->t->fact_count, mt_json_at(c->row, "facts"));
    check_outcomes(c);
}

/* Which tools the persona can never use (S4). */
static void find_never(mt_form *f, gd_map *m, const ex_view *view, mt_str persona)
{
    const ct_model *model = view->plan->model;
    uint32_t who = ct_model_find(model, CT_KIND_PERSONA, persona);
    const tl_set *set = tl_set_make(f->arena, view, who);
    for (uint32_t i = 0; i < m->tool_count; i++) {
        gd_tool *t = &m->tools[i];
        t->never =
            t->flow.len
                ? !tl_set_of(set, TL_FLOW, ct_model_find(model, CT_KIND_FLOW, t->flow))
                : !tl_set_of(set, TL_OPERATION,
                             ct_model_find(model, CT_KIND_OPERATION, t->operation));
    }
}

/* What can never be used is only asked of a map that fits: of another the answer would
 * be about rows that mean nothing. */
bool gd_map_check(mt_form *f, const mt_json *tree, gd_map *m, const ex_view *view,
                  mt_str persona)
{
    checking c = {.p = view->plan, .m = view->plan->model, .good = true};
    c.tools = mt_form_inside(f, "tools", "the tools");
    c.rows = mt_json_at(tree, "tools");
    (void)is_known(&c, f, CT_KIND_PERSONA, persona, mt_json_at(tree, "persona"),
                   "persona", "persona");
    for (uint32_t i = 0; i < m->tool_count; i++) {
        c.t = &m->tools[i];
        check_tool(&c);
    }
    if (c.good) {
        find_never(f, m, view, persona);
    }
    return c.good;
}

/* ---- Asking it ---- */

/* One identity of its own comes before `*`, that before `persona`. */
mt_str gd_map_persona(const gd_map *m, mt_str identity)
{
    const mt_json *own = mt_json_get(m->identities, identity);
    const mt_json *all = mt_json_at(m->identities, "*");
    return own ? mt_json_text(own) : all ? mt_json_text(all) : m->persona;
}

gd_tool *gd_map_tool(const gd_map *m, mt_str name)
{
    for (uint32_t i = 0; i < m->tool_count; i++) {
        if (mt_str_eq(m->tools[i].name, name)) {
            return &m->tools[i];
        }
    }
    return NULL;
}
