/* contract/front/pass5_system.c - a System: its own structure, then its members.
 * The members are opened only after the system itself was found sound. */
#include <stdlib.h>

#include "contract/front/system.h"
#include "contract/front/validate.h"

static ct_place at_system(const ct_system *s, mt_str field)
{
    return ct_at(&s->head, s->head.tok, field);
}

static bool is_member(const ct_unit *u, ct_sym contract)
{
    return ct_is_marked(u, contract);
}

/* ---- structure ---- */

static void check_members(ct_unit *u, const ct_system *s)
{
    if (!s->members.len) {
        ct_report(u, CT_E_SYSTEM_EMPTY, at_system(s, CT_FIELD("members")),
                  "System must declare at least one member contract");
    }
    for (size_t i = 0; i < s->members.len; i++) {
        ct_name id = s->members.items[i].id;
        if (!ct_mark_new(u, id.sym, (uint32_t)i)) {
            ct_report(u, CT_E_SYSTEM_MEMBER_TWICE, at_system(s, CT_FIELD("members")),
                      "duplicate member id '%.*s' in System '%.*s'", CT_ARG(u, id.sym),
                      CT_ARG(u, s->head.id));
        }
    }
}

static void report_nested(ct_unit *u, const ct_system *s, ct_sym member, bool late)
{
    ct_place at = at_system(s, CT_FIELD("members"));
    at.late = late;
    ct_report(u, CT_E_SYSTEM_NESTED, at,
              "member '%.*s' is a System file; nested Systems are not permitted",
              CT_ARG(u, member));
}

/* A member that is a system file of this very bundle. */
static void check_nested(ct_unit *u, const ct_system *s)
{
    for (size_t i = 0; i < s->members.len; i++) {
        mt_str path = ct_str(u, s->members.items[i].path.sym);
        for (size_t f = 0; f < u->files.len; f++) {
            if (u->files.items[f]->is_system &&
                mt_str_eq(u->files.items[f]->name, path)) {
                report_nested(u, s, s->members.items[i].id.sym, false);
            }
        }
        if (path.len && path.ptr[0] == '/') {
            ct_report(
                u, CT_E_SYSTEM_ABSOLUTE,
                ct_at(&s->head, s->members.items[i].path.tok, CT_FIELD("members")),
                "member path '%.*s' is absolute", MT_ARG(path));
        }
    }
}

static void check_incomplete(ct_unit *u, const ct_system *s, ct_name part, mt_str field,
                             const char *what)
{
    if (part.sym == CT_W_empty) {
        ct_report(u, CT_E_SYSTEM_INCOMPLETE, ct_at(&s->head, part.tok, field),
                  "an entry of %.*s lacks %s", MT_ARG(field), what);
    }
}

/* One entry of shared_personas or shared_entities. */
typedef struct shared_kind {
    mt_str field;
    const char *one; /* "shared_persona" */
    const char *what;
    ct_code unknown, few;
} shared_kind;

static const shared_kind PERSONAS = {MT_STR_INIT("shared_personas"), "shared_persona",
                                     "persona", CT_E_SYSTEM_SHARED_PERSONA,
                                     CT_E_SYSTEM_PERSONA_COUNT};
static const shared_kind ENTITIES = {MT_STR_INIT("shared_entities"), "shared_entity",
                                     "entity", CT_E_SYSTEM_SHARED_ENTITY,
                                     CT_E_SYSTEM_ENTITY_COUNT};

static void check_shared(ct_unit *u, const ct_system *s, const ct_shared *entry,
                         const shared_kind *kind)
{
    for (size_t i = 0; i < entry->contracts.len; i++) {
        if (!is_member(u, entry->contracts.items[i].sym)) {
            ct_report(u, kind->unknown, at_system(s, kind->field),
                      "contract '%.*s' in %s '%.*s' is not a System member",
                      CT_ARG(u, entry->contracts.items[i].sym), kind->one,
                      CT_ARG(u, entry->name.sym));
        }
    }
    if (entry->contracts.len < 2) {
        ct_report(u, kind->few, at_system(s, kind->field),
                  "%s '%.*s' must reference at least 2 member contracts; got %zu",
                  kind->one, CT_ARG(u, entry->name.sym), entry->contracts.len);
    }
    ct_name name =
        entry->name.sym == CT_W_empty ? (ct_name){CT_W_empty, entry->tok} : entry->name;
    check_incomplete(u, s, name, kind->field, kind->what);
}

/* The suite's check of a target that happens to be in the same bundle. */
static void check_local_target(ct_unit *u, const ct_system *s, const ct_trigger *t)
{
    const ct_flow *flow = ct_find(u, CT_FLOW, t->target_flow.sym);
    if (flow && u->has_personas && !ct_find(u, CT_PERSONA, t->persona.sym)) {
        ct_report(u, CT_E_SYSTEM_TRIGGER_PERSONA, at_system(s, CT_FIELD("triggers")),
                  "persona '%.*s' not declared in target contract '%.*s'",
                  CT_ARG(u, t->persona.sym), CT_ARG(u, t->target_contract.sym));
    }
}

static void check_trigger(ct_unit *u, const ct_system *s, const ct_trigger *t)
{
    ct_place at = at_system(s, CT_FIELD("triggers"));
    if (!is_member(u, t->source_contract.sym)) {
        ct_report(u, CT_E_SYSTEM_TRIGGER_SOURCE, at,
                  "trigger source contract '%.*s' is not a System member",
                  CT_ARG(u, t->source_contract.sym));
    }
    if (!is_member(u, t->target_contract.sym)) {
        ct_report(u, CT_E_SYSTEM_TRIGGER_TARGET, at,
                  "trigger target contract '%.*s' is not a System member",
                  CT_ARG(u, t->target_contract.sym));
    }
    if (t->on.sym != CT_W_success && t->on.sym != CT_W_failure &&
        t->on.sym != CT_W_escalation) {
        ct_report(u, CT_E_SYSTEM_TRIGGER_OUTCOME, at,
                  "invalid trigger outcome '%.*s'; must be 'success', 'failure', or "
                  "'escalation'",
                  CT_ARG(u, t->on.sym));
    }
    if (t->source_contract.sym == t->target_contract.sym &&
        t->source_flow.sym == t->target_flow.sym) {
        ct_report(u, CT_E_SYSTEM_TRIGGER_SELF, at,
                  "self-referential trigger: %.*s.%.*s triggers itself",
                  CT_ARG(u, t->source_contract.sym), CT_ARG(u, t->source_flow.sym));
    }
    check_local_target(u, s, t);
    check_incomplete(u, s, t->persona, CT_FIELD("triggers"), "persona");
    check_incomplete(u, s, t->source_flow, CT_FIELD("triggers"), "source");
    check_incomplete(u, s, t->target_flow, CT_FIELD("triggers"), "target");
}

/* ---- cycles of triggers ---- */

enum { NEW, OPEN, DONE };

typedef struct trigger_graph {
    ct_unit *u;
    const ct_system *s;
    ct_trigger *edges; /* sorted by source, then target */
    size_t count;
    uint8_t *state; /* of the node an edge starts from, at its first edge */
    size_t *stack, *cursor;
    size_t depth;
} trigger_graph;

static int compare_node(const ct_unit *u, ct_sym a1, ct_sym a2, ct_sym b1, ct_sym b2)
{
    int order = ct_sym_cmp(u, a1, b1);
    return order ? order : ct_sym_cmp(u, a2, b2);
}

static int compare_edges(const void *a, const void *b, void *unit)
{
    const ct_trigger *x = a, *y = b;
    int order = compare_node(unit, x->source_contract.sym, x->source_flow.sym,
                             y->source_contract.sym, y->source_flow.sym);
    return order ? order
                 : compare_node(unit, x->target_contract.sym, x->target_flow.sym,
                                y->target_contract.sym, y->target_flow.sym);
}

/* First edge that starts where edge `of` leads; count if there is none. */
static size_t first_edge(const trigger_graph *g, const ct_trigger *of)
{
    size_t low = 0, high = g->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const ct_trigger *e = &g->edges[middle];
        if (compare_node(g->u, e->source_contract.sym, e->source_flow.sym,
                         of->target_contract.sym, of->target_flow.sym) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < g->count &&
                 g->edges[low].source_contract.sym == of->target_contract.sym &&
                 g->edges[low].source_flow.sym == of->target_flow.sym;
    return found ? low : g->count;
}

static bool same_source(const trigger_graph *g, size_t a, size_t b)
{
    return b < g->count &&
           g->edges[a].source_contract.sym == g->edges[b].source_contract.sym &&
           g->edges[a].source_flow.sym == g->edges[b].source_flow.sym;
}

static void report_trigger_cycle(trigger_graph *g, size_t target)
{
    mt_buf path = {0};
    size_t from = 0;
    while (g->stack[from] != target) {
        from++;
    }
    for (size_t i = from; i <= g->depth; i++) {
        const ct_trigger *e = &g->edges[i < g->depth ? g->stack[i] : target];
        mt_buf_addf(&path, "%s%.*s.%.*s", i > from ? " → " : "",
                    CT_ARG(g->u, e->source_contract.sym),
                    CT_ARG(g->u, e->source_flow.sym));
    }
    ct_report(g->u, CT_E_SYSTEM_TRIGGER_CYCLE, at_system(g->s, CT_FIELD("triggers")),
              "trigger cycle detected: %.*s", MT_ARG(mt_buf_str(&path)));
    mt_buf_free(&path);
}

static void open_node(trigger_graph *g, size_t node)
{
    g->state[node] = OPEN;
    g->stack[g->depth] = g->cursor[g->depth] = node;
    g->depth++;
}

static void search_from(trigger_graph *g, size_t start)
{
    open_node(g, start);
    while (g->depth) {
        size_t node = g->stack[g->depth - 1], edge = g->cursor[g->depth - 1];
        if (!same_source(g, node, edge)) {
            g->state[node] = DONE;
            g->depth--;
            continue;
        }
        g->cursor[g->depth - 1]++;
        size_t next = first_edge(g, &g->edges[edge]);
        if (next == g->count || next == node) {
            continue; /* nothing follows, or itself: reported already */
        }
        if (g->state[next] == OPEN) {
            report_trigger_cycle(g, next);
        } else if (g->state[next] == NEW) {
            open_node(g, next);
        }
    }
}

static void check_trigger_cycles(ct_unit *u, const ct_system *s)
{
    size_t count = s->triggers.len;
    if (!count) {
        return;
    }
    trigger_graph g = {.u = u, .s = s, .count = count};
    g.edges = mt_new_array(u->keep, ct_trigger, count);
    memcpy(g.edges, s->triggers.items, count * sizeof *g.edges);
    qsort_r(g.edges, count, sizeof *g.edges, compare_edges, u);
    g.state = mt_new_array(u->keep, uint8_t, count);
    g.stack = mt_new_array(u->keep, size_t, count + 1);
    g.cursor = mt_new_array(u->keep, size_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || !same_source(&g, i - 1, i);
        if (first && g.state[i] == NEW) {
            search_from(&g, i);
        }
    }
}

void ct_validate_system(ct_unit *u, ct_system *s)
{
    ct_new_stamp(u);
    check_members(u, s);
    check_nested(u, s);
    for (size_t i = 0; i < s->personas.len; i++) {
        check_shared(u, s, &s->personas.items[i], &PERSONAS);
    }
    for (size_t i = 0; i < s->triggers.len; i++) {
        check_trigger(u, s, &s->triggers.items[i]);
    }
    for (size_t i = 0; i < s->entities.len; i++) {
        check_shared(u, s, &s->entities.items[i], &ENTITIES);
    }
    check_trigger_cycles(u, s);
}

/* ---- members ---- */

typedef struct member {
    const ct_system_member *declared;
    const ct_elaboration *contract;
} member;

static int compare_members(const void *a, const void *b, void *unit)
{
    const member *x = a, *y = b;
    return ct_sym_cmp(unit, x->declared->id.sym, y->declared->id.sym);
}

static const ct_unit *contract_of(const ct_unit *u, ct_sym id)
{
    mt_str name = ct_str(u, id);
    size_t low = 0, high = u->member_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = mt_str_cmp(u->members[middle].id, name);
        if (order == 0) {
            const ct_elaboration *e = u->members[middle].contract;
            return e ? e->unit : NULL;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* What `sym` of this unit is called in another. */
static ct_sym translated(const ct_unit *u, const ct_unit *other, ct_sym sym)
{
    return ct_symbol_find(&other->syms, ct_str(u, sym));
}

static void add_all(mt_diags *to, const mt_diags *from)
{
    for (size_t i = 0; i < from->len; i++) {
        mt_diag_add(to, &from->items[i]);
    }
}

static void report_member(ct_unit *u, const ct_system *s, const ct_system_member *m,
                          const mt_diags *ds)
{
    const mt_diag *first = ct_first_error(ds);
    ct_report(u, CT_E_SYSTEM_MEMBER_FAILED,
              ct_at(&s->head, m->path.tok, CT_FIELD("members")),
              "member '%.*s' cannot be elaborated: %.*s", CT_ARG(u, m->id.sym),
              MT_ARG(first ? first->message : MT_STR("it has errors")));
    add_all(&u->later, ds);
}

static void report_missing(ct_unit *u, const ct_system *s, const ct_system_member *m)
{
    ct_report(u, CT_E_SYSTEM_MEMBER_FILE,
              ct_at(&s->head, m->path.tok, CT_FIELD("members")),
              "file '%.*s' of member '%.*s' does not exist", CT_ARG(u, m->path.sym),
              CT_ARG(u, m->id.sym));
}

static const ct_elaboration *elaborate_member(ct_unit *u, const ct_system *s,
                                              const ct_system_member *m)
{
    mt_str id, why = MT_STR(""), written = ct_str(u, m->path.sym);
    const ct_provider *p = u->provider;
    mt_str dir = ct_path_dir(s->head.file->id);
    if (p->find(p->state, u->keep, dir, written, &id, &why) != MT_OK) {
        report_missing(u, s, m);
        return NULL;
    }
    const ct_elaboration *out;
    mt_diags ds = {.arena = u->first->arena, .limit = u->first->limit};
    ct_options options = u->options;
    mt_err err = ct_elaborate_named(
        u->keep, id, ct_path_join(u->keep, ct_path_dir(s->head.file->path), written), p,
        &options, &ds, &out);
    if (err == MT_OK && !out->is_system) {
        add_all(&u->remarks, &ds);
        return out;
    }
    if (out->is_system) {
        report_nested(u, s, m->id.sym, true);
    } else {
        report_member(u, s, m, &ds);
    }
    return NULL;
}

/* ---- what the system says about its members ---- */

static void check_shared_persona(ct_unit *u, const ct_system *s, const ct_shared *entry)
{
    for (size_t i = 0; i < entry->contracts.len; i++) {
        ct_name contract = entry->contracts.items[i];
        const ct_unit *other = contract_of(u, contract.sym);
        if (other &&
            !ct_find(other, CT_PERSONA, translated(u, other, entry->name.sym))) {
            ct_report(u, CT_E_SYSTEM_PERSONA_MISSING,
                      ct_at(&s->head, contract.tok, CT_FIELD("shared_personas")),
                      "persona '%.*s' not declared in member contract '%.*s'",
                      CT_ARG(u, entry->name.sym), CT_ARG(u, contract.sym));
        }
    }
}

static int compare_states(const void *a, const void *b)
{
    return mt_str_cmp(*(const mt_str *)a, *(const mt_str *)b);
}

static mt_str *sorted_states(ct_unit *u, const ct_unit *other, const ct_entity *e)
{
    mt_str *states = mt_new_array(u->keep, mt_str, e->states.len + 1);
    for (size_t i = 0; i < e->states.len; i++) {
        states[i] = ct_str(other, e->states.items[i].sym);
    }
    qsort(states, e->states.len, sizeof *states, compare_states);
    return states;
}

static bool same_states(const mt_str *a, size_t count, const mt_str *b, size_t other)
{
    for (size_t i = 0; i < count && count == other; i++) {
        if (!mt_str_eq(a[i], b[i])) {
            return false;
        }
    }
    return count == other;
}

static void check_shared_entity(ct_unit *u, const ct_system *s, const ct_shared *entry)
{
    const mt_str *first = NULL;
    size_t first_count = 0;
    ct_sym first_contract = CT_W_none;
    for (size_t i = 0; i < entry->contracts.len; i++) {
        ct_name contract = entry->contracts.items[i];
        const ct_unit *other = contract_of(u, contract.sym);
        if (!other) {
            continue;
        }
        const ct_entity *e =
            ct_find(other, CT_ENTITY, translated(u, other, entry->name.sym));
        ct_place at = ct_at(&s->head, contract.tok, CT_FIELD("shared_entities"));
        if (!e) {
            ct_report(u, CT_E_SYSTEM_ENTITY_MISSING, at,
                      "entity '%.*s' not declared in member contract '%.*s'",
                      CT_ARG(u, entry->name.sym), CT_ARG(u, contract.sym));
            continue;
        }
        const mt_str *states = sorted_states(u, other, e);
        if (!first) {
            first = states;
            first_count = e->states.len;
            first_contract = contract.sym;
        } else if (!same_states(first, first_count, states, e->states.len)) {
            ct_report(
                u, CT_E_SYSTEM_ENTITY_STATES, at,
                "entity '%.*s' has different state sets in member contracts '%.*s' "
                "and '%.*s'",
                CT_ARG(u, entry->name.sym), CT_ARG(u, first_contract),
                CT_ARG(u, contract.sym));
        }
    }
}

/* The flow in the member, NULL after a report or without the member. */
static const ct_flow *check_flow(ct_unit *u, const ct_system *s, ct_name contract,
                                 ct_name flow)
{
    const ct_unit *other = contract_of(u, contract.sym);
    const ct_flow *f =
        other ? ct_find(other, CT_FLOW, translated(u, other, flow.sym)) : NULL;
    if (other && !f) {
        ct_report(u, CT_E_SYSTEM_FLOW_MISSING,
                  ct_at(&s->head, flow.tok, CT_FIELD("triggers")),
                  "flow '%.*s' not found in member contract '%.*s'",
                  CT_ARG(u, flow.sym), CT_ARG(u, contract.sym));
    }
    return f;
}

static const ct_step *entry_step(const ct_flow *f)
{
    for (size_t i = 0; i < f->steps.len; i++) {
        if (f->steps.items[i]->id.sym == f->entry.sym) {
            return f->steps.items[i];
        }
    }
    return NULL;
}

static void check_trigger_persona(ct_unit *u, const ct_system *s, const ct_trigger *t,
                                  const ct_flow *target)
{
    const ct_unit *other = contract_of(u, t->target_contract.sym);
    if (!other) {
        return;
    }
    ct_sym persona = translated(u, other, t->persona.sym);
    ct_place at = ct_at(&s->head, t->persona.tok, CT_FIELD("triggers"));
    at.late = true;
    if (other->has_personas && !ct_find(other, CT_PERSONA, persona)) {
        ct_report(u, CT_E_SYSTEM_TARGET_PERSONA, at,
                  "persona '%.*s' not declared in target contract '%.*s'",
                  CT_ARG(u, t->persona.sym), CT_ARG(u, t->target_contract.sym));
        return;
    }
    const ct_step *entry = entry_step(target);
    ct_operation *o = entry && entry->kind == CT_STEP_OPERATION
                          ? ct_find(other, CT_OPERATION, entry->op.sym)
                          : NULL;
    if (o && !ct_names_have(u, &o->personas, persona)) {
        ct_report(u, CT_E_SYSTEM_ENTRY_PERSONA, at,
                  "trigger persona '%.*s' not in allowed_personas of entry operation "
                  "'%.*s' in target flow '%.*s'",
                  CT_ARG(u, t->persona.sym), CT_ARG(other, o->head.id),
                  CT_ARG(u, t->target_flow.sym));
    }
}

static void check_statements(ct_unit *u, const ct_system *s)
{
    for (size_t i = 0; i < s->personas.len; i++) {
        check_shared_persona(u, s, &s->personas.items[i]);
    }
    for (size_t i = 0; i < s->triggers.len; i++) {
        const ct_trigger *t = &s->triggers.items[i];
        check_flow(u, s, t->source_contract, t->source_flow);
        const ct_flow *target = check_flow(u, s, t->target_contract, t->target_flow);
        if (target) {
            check_trigger_persona(u, s, t, target);
        }
    }
    for (size_t i = 0; i < s->entities.len; i++) {
        check_shared_entity(u, s, &s->entities.items[i]);
    }
}

void ct_elaborate_members(ct_unit *u)
{
    const ct_system *s = (const ct_system *)u->kinds[CT_SYSTEM].items[0];
    size_t count = s->members.len;
    if (ct_refused(u)) {
        return;
    }
    member *members = mt_new_array(u->keep, member, count);
    for (size_t i = 0; i < count; i++) {
        members[i].declared = &s->members.items[i];
        members[i].contract = elaborate_member(u, s, members[i].declared);
    }
    qsort_r(members, count, sizeof *members, compare_members, u);
    ct_member *out = mt_new_array(u->keep, ct_member, count);
    for (size_t i = 0; i < count; i++) {
        mt_str path = ct_str(u, members[i].declared->path.sym);
        out[i] = (ct_member){
            .id = ct_str(u, members[i].declared->id.sym),
            .path = path,
            .file = ct_path_join(u->keep, ct_path_dir(s->head.file->path), path),
            .contract = members[i].contract};
    }
    u->members = out;
    u->member_count = count;
    check_statements(u, s);
}
