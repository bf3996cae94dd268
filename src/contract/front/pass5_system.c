/* contract/front/pass5_system.c - a System: its own structure, then its members.
 *
 * First what can be said without opening a member: ids and paths, shared personas and
 * entities, triggers, cycles of triggers. Only if all of it is sound the members are
 * elaborated, each as a contract of its own with its own unit; their diagnostics join
 * ours. Then what the System says about them is checked: shared personas exist, shared
 * entities have the same states, flows of triggers exist and their personas may begin
 * them.
 *
 * Symbols belong to a unit, so names are translated when two units are compared. A
 * member that cannot be read is one diagnostic and the others go on. Members are
 * sorted by id in the result. */
#include <stdlib.h>

#include "contract/front/suggest.h"
#include "contract/front/system.h"
#include "contract/front/validate.h"

/* The suite has the faults of a System at its keyword, people at the word itself. */
static fr_place at_system(const fr_system *s, mt_str field, fr_tok shown)
{
    return fr_exactly(fr_at(&s->head, s->head.tok, field), shown, shown);
}

/* A name that is not a member's. */
static fr_place at_stranger(fr_unit *u, const fr_system *s, mt_str field, fr_name name)
{
    mt_nearest n = fr_nearest(u, name.sym);
    for (size_t i = 0; i < s->members.len; i++) {
        fr_offer_sym(u, &n, s->members.items[i].id.sym);
    }
    return fr_meant(u, at_system(s, field, name.tok), &n, name.tok);
}

/* The marks hold the member ids while a System is validated. */
static bool is_member(const fr_unit *u, fr_sym contract)
{
    return fr_is_marked(u, contract);
}

/* ---- structure ---- */

/* C-SYS-01. */
static void check_members(fr_unit *u, const fr_system *s)
{
    if (!s->members.len) {
        fr_report(u, FR_E_SYSTEM_EMPTY,
                  at_system(s, FR_FIELD("members"), s->head.id_tok),
                  "System must declare at least one member contract");
    }
    for (size_t i = 0; i < s->members.len; i++) {
        fr_name id = s->members.items[i].id;
        if (!fr_mark_new(u, id.sym, (uint32_t)i)) {
            fr_report(u, FR_E_SYSTEM_MEMBER_TWICE,
                      at_system(s, FR_FIELD("members"), id.tok),
                      "duplicate member id '%.*s' in System '%.*s'", FR_ARG(u, id.sym),
                      FR_ARG(u, s->head.id));
        }
    }
}

static void report_nested(fr_unit *u, const fr_system *s, const fr_system_member *m,
                          bool late)
{
    fr_place at = at_system(s, FR_FIELD("members"), m->path.tok);
    at.late = late;
    fr_report(u, FR_E_SYSTEM_NESTED, at,
              "member '%.*s' is a System file; nested Systems are not permitted",
              FR_ARG(u, m->id.sym));
}

/* A member that is a system file of this very bundle. C-SYS-03 as far as it can be told
 * without opening a file: the System itself, named as its own member. Others are found
 * when they are elaborated. An absolute path would lead out of the System's
 * directory. */
static void check_nested(fr_unit *u, const fr_system *s)
{
    for (size_t i = 0; i < s->members.len; i++) {
        mt_str path = fr_str(u, s->members.items[i].path.sym);
        for (size_t f = 0; f < u->files.len; f++) {
            if (u->files.items[f]->is_system &&
                mt_str_eq(u->files.items[f]->name, path)) {
                report_nested(u, s, &s->members.items[i], false);
            }
        }
        if (path.len && path.ptr[0] == '/') {
            fr_report(
                u, FR_E_SYSTEM_ABSOLUTE,
                fr_at(&s->head, s->members.items[i].path.tok, FR_FIELD("members")),
                "member path '%.*s' is absolute", MT_ARG(path));
        }
    }
}

static void check_incomplete(fr_unit *u, const fr_system *s, fr_name part, mt_str field,
                             const char *what)
{
    if (part.sym == FR_W_empty) {
        fr_report(u, FR_E_SYSTEM_INCOMPLETE, fr_at(&s->head, part.tok, field),
                  "an entry of %.*s lacks %s", MT_ARG(field), what);
    }
}

/* One entry of shared_personas or shared_entities. */
typedef struct shared_kind {
    mt_str field;
    const char *one; /* "shared_persona" */
    const char *what;
    fr_code unknown, few;
} shared_kind;

static const shared_kind PERSONAS = {MT_STR_INIT("shared_personas"), "shared_persona",
                                     "persona", FR_E_SYSTEM_SHARED_PERSONA,
                                     FR_E_SYSTEM_PERSONA_COUNT};
static const shared_kind ENTITIES = {MT_STR_INIT("shared_entities"), "shared_entity",
                                     "entity", FR_E_SYSTEM_SHARED_ENTITY,
                                     FR_E_SYSTEM_ENTITY_COUNT};

/* C-SYS-16 and C-SYS-17; what fewer than two contracts have is not shared. */
static void check_shared(fr_unit *u, const fr_system *s, const fr_shared *entry,
                         const shared_kind *kind)
{
    for (size_t i = 0; i < entry->contracts.len; i++) {
        if (!is_member(u, entry->contracts.items[i].sym)) {
            fr_report(u, kind->unknown,
                      at_stranger(u, s, kind->field, entry->contracts.items[i]),
                      "contract '%.*s' in %s '%.*s' is not a System member",
                      FR_ARG(u, entry->contracts.items[i].sym), kind->one,
                      FR_ARG(u, entry->name.sym));
        }
    }
    if (entry->contracts.len < 2) {
        fr_tok shown = entry->name.sym == FR_W_empty ? entry->tok : entry->name.tok;
        fr_report(u, kind->few, at_system(s, kind->field, shown),
                  "%s '%.*s' must reference at least 2 member contracts; got %zu",
                  kind->one, FR_ARG(u, entry->name.sym), entry->contracts.len);
    }
    fr_name name =
        entry->name.sym == FR_W_empty ? (fr_name){FR_W_empty, entry->tok} : entry->name;
    check_incomplete(u, s, name, kind->field, kind->what);
}

/* The suite's check of a target that happens to be in the same bundle. Members have
 * units of their own, so this is the exception; the rule is in check_trigger_persona()
 * (C-SYS-12). */
static void check_local_target(fr_unit *u, const fr_system *s, const fr_trigger *t)
{
    const fr_flow *flow = fr_find(u, FR_FLOW, t->target_flow.sym);
    if (flow && u->has_personas && !fr_find(u, FR_PERSONA, t->persona.sym)) {
        fr_report(u, FR_E_SYSTEM_TRIGGER_PERSONA,
                  at_system(s, FR_FIELD("triggers"), t->persona.tok),
                  "persona '%.*s' not declared in target contract '%.*s'",
                  FR_ARG(u, t->persona.sym), FR_ARG(u, t->target_contract.sym));
    }
}

/* C-SYS-07, C-SYS-08, C-SYS-11, in the order of the suite. A trigger that leads to its
 * own flow is a cycle of one and has a message of its own. */
static void check_trigger(fr_unit *u, const fr_system *s, const fr_trigger *t)
{
    static const fr_sym ENDS[] = {FR_W_success, FR_W_failure, FR_W_escalation,
                                  FR_W_none};
    mt_str field = FR_FIELD("triggers");
    if (!is_member(u, t->source_contract.sym)) {
        fr_report(u, FR_E_SYSTEM_TRIGGER_SOURCE,
                  at_stranger(u, s, field, t->source_contract),
                  "trigger source contract '%.*s' is not a System member",
                  FR_ARG(u, t->source_contract.sym));
    }
    if (!is_member(u, t->target_contract.sym)) {
        fr_report(u, FR_E_SYSTEM_TRIGGER_TARGET,
                  at_stranger(u, s, field, t->target_contract),
                  "trigger target contract '%.*s' is not a System member",
                  FR_ARG(u, t->target_contract.sym));
    }
    if (t->on.sym != FR_W_success && t->on.sym != FR_W_failure &&
        t->on.sym != FR_W_escalation) {
        fr_report(u, FR_E_SYSTEM_TRIGGER_OUTCOME,
                  fr_meant_word(u, at_system(s, field, t->on.tok), ENDS, t->on),
                  "invalid trigger outcome '%.*s'; must be 'success', 'failure', or "
                  "'escalation'",
                  FR_ARG(u, t->on.sym));
    }
    if (t->source_contract.sym == t->target_contract.sym &&
        t->source_flow.sym == t->target_flow.sym) {
        fr_place at = at_system(s, field, t->target_contract.tok);
        at.exact.span.last = t->target_flow.tok;
        fr_report(u, FR_E_SYSTEM_TRIGGER_SELF, at,
                  "self-referential trigger: %.*s.%.*s triggers itself",
                  FR_ARG(u, t->source_contract.sym), FR_ARG(u, t->source_flow.sym));
    }
    check_local_target(u, s, t);
    check_incomplete(u, s, t->persona, FR_FIELD("triggers"), "persona");
    check_incomplete(u, s, t->source_flow, FR_FIELD("triggers"), "source");
    check_incomplete(u, s, t->target_flow, FR_FIELD("triggers"), "target");
}

/* ---- cycles of triggers ---- */

enum { NEW, OPEN, DONE };

/* A node is a pair of member and flow, known by the index of its first edge; a node
 * without edges cannot be on a cycle and needs none. */
typedef struct trigger_graph {
    fr_unit *u;
    const fr_system *s;
    fr_trigger *edges; /* sorted by source, then target */
    size_t count;
    uint8_t *state; /* of the node an edge starts from, at its first edge */
    size_t *stack, *cursor;
    size_t depth;
} trigger_graph;

static int compare_node(const fr_unit *u, fr_sym a1, fr_sym a2, fr_sym b1, fr_sym b2)
{
    int order = fr_sym_cmp(u, a1, b1);
    return order ? order : fr_sym_cmp(u, a2, b2);
}

static int compare_edges(const void *a, const void *b, void *unit)
{
    const fr_trigger *x = a, *y = b;
    int order = compare_node(unit, x->source_contract.sym, x->source_flow.sym,
                             y->source_contract.sym, y->source_flow.sym);
    return order ? order
                 : compare_node(unit, x->target_contract.sym, x->target_flow.sym,
                                y->target_contract.sym, y->target_flow.sym);
}

/* First edge that starts where edge `of` leads; count if there is none. Halving finds
 * it, since edges are sorted by where they start. */
static size_t first_edge(const trigger_graph *g, const fr_trigger *of)
{
    size_t low = 0, high = g->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const fr_trigger *e = &g->edges[middle];
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
        const fr_trigger *e = &g->edges[i < g->depth ? g->stack[i] : target];
        mt_buf_addf(&path, "%s%.*s.%.*s", i > from ? " → " : "",
                    FR_ARG(g->u, e->source_contract.sym),
                    FR_ARG(g->u, e->source_flow.sym));
    }
    fr_tok last = g->edges[g->cursor[g->depth - 1] - 1].tok; /* what closes it */
    fr_place at = at_system(g->s, FR_FIELD("triggers"), last);
    at.exact.span.last = fr_closing(g->s->head.file, last);
    fr_report(g->u, FR_E_SYSTEM_TRIGGER_CYCLE, at, "trigger cycle detected: %.*s",
              MT_ARG(mt_buf_str(&path)));
    mt_buf_free(&path);
}

static void open_node(trigger_graph *g, size_t node)
{
    g->state[node] = OPEN;
    g->stack[g->depth] = g->cursor[g->depth] = node;
    g->depth++;
}

/* Depth first with a stack of its own (C-SYS-15): `cursor` is the next edge of each
 * open node, and the edges of a node stand in a row. */
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

/* Nodes in order of names, so the reported path does not depend on the file. */
static void check_trigger_cycles(fr_unit *u, const fr_system *s)
{
    size_t count = s->triggers.len;
    if (!count) {
        return;
    }
    trigger_graph g = {.u = u, .s = s, .count = count};
    g.edges = mt_new_array(u->keep, fr_trigger, count);
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

/* ---- repetitions ---- */

static void report_again(fr_unit *u, const fr_system *s, fr_name again, mt_str field)
{
    fr_report(u, FR_E_SYSTEM_TWICE_SAME, fr_at(&s->head, again.tok, field),
              "'%.*s' is listed twice in %.*s", FR_ARG(u, again.sym), MT_ARG(field));
}

/* The same persona or entity twice, or a contract twice in one entry. */
static void check_shared_twice(fr_unit *u, const fr_system *s,
                               const fr_shared_list *list, mt_str field)
{
    fr_new_stamp(u);
    for (size_t i = 0; i < list->len; i++) {
        if (!fr_mark_new(u, list->items[i].name.sym, 0)) {
            report_again(u, s, list->items[i].name, field);
        }
    }
    for (size_t i = 0; i < list->len; i++) {
        const fr_names *contracts = &list->items[i].contracts;
        fr_new_stamp(u);
        for (size_t c = 0; c < contracts->len; c++) {
            if (!fr_mark_new(u, contracts->items[c].sym, 0)) {
                report_again(u, s, contracts->items[c], field);
            }
        }
    }
}

static int compare_triggers(const void *a, const void *b)
{
    const fr_trigger *x = *(const fr_trigger *const *)a,
                     *y = *(const fr_trigger *const *)b;
    fr_sym left[] = {x->source_contract.sym, x->source_flow.sym, x->on.sym,
                     x->target_contract.sym, x->target_flow.sym, x->persona.sym};
    fr_sym right[] = {y->source_contract.sym, y->source_flow.sym, y->on.sym,
                      y->target_contract.sym, y->target_flow.sym, y->persona.sym};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Identical triggers would start the target once all the same; the text says twice. */
static void check_triggers_twice(fr_unit *u, const fr_system *s)
{
    size_t count = s->triggers.len;
    const fr_trigger **sorted = mt_new_array(u->keep, const fr_trigger *, count + 1);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &s->triggers.items[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_triggers);
    for (size_t i = 1; i < count; i++) {
        if (compare_triggers(&sorted[i - 1], &sorted[i]) == 0) {
            const fr_trigger *t =
                sorted[i]->tok > sorted[i - 1]->tok ? sorted[i] : sorted[i - 1];
            fr_report(u, FR_E_SYSTEM_TWICE_SAME,
                      fr_at(&s->head, t->tok, FR_FIELD("triggers")),
                      "trigger %.*s.%.*s → %.*s.%.*s is declared twice",
                      FR_ARG(u, t->source_contract.sym), FR_ARG(u, t->source_flow.sym),
                      FR_ARG(u, t->target_contract.sym), FR_ARG(u, t->target_flow.sym));
        }
    }
}

/* Last, since the marks that hold the members are taken. */
static void check_repetitions(fr_unit *u, const fr_system *s)
{
    check_shared_twice(u, s, &s->personas, FR_FIELD("shared_personas"));
    check_shared_twice(u, s, &s->entities, FR_FIELD("shared_entities"));
    check_triggers_twice(u, s);
}

/* Personas, triggers, entities: the order of the suite. */
void fr_validate_system(fr_unit *u, fr_system *s)
{
    fr_new_stamp(u);
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
    check_repetitions(u, s);
}

/* ---- members ---- */

typedef struct member {
    const fr_system_member *declared;
    const ct_elaboration *contract;
} member;

static int compare_members(const void *a, const void *b, void *unit)
{
    const member *x = a, *y = b;
    return fr_sym_cmp(unit, x->declared->id.sym, y->declared->id.sym);
}

/* NULL for a member whose file is missing or that was refused: nothing can be said
 * about it, and it was reported. */
static const fr_unit *contract_of(const fr_unit *u, fr_sym id)
{
    mt_str name = fr_str(u, id);
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

/* What `sym` of this unit is called in another. 0 when the other contract never
 * mentions the word; fr_find() then finds nothing. */
static fr_sym translated(const fr_unit *u, const fr_unit *other, fr_sym sym)
{
    return fr_symbol_find(&other->syms, fr_str(u, sym));
}

static void add_all(mt_diags *to, const mt_diags *from)
{
    for (size_t i = 0; i < from->len; i++) {
        mt_diag_add(to, &from->items[i]);
    }
}

/* C-SYS-02: the System fails with its member. The first error of the member is quoted
 * at the System, and all of them follow in their own files. */
static void report_member(fr_unit *u, const fr_system *s, const fr_system_member *m,
                          const mt_diags *ds)
{
    const mt_diag *first = ct_first_error(ds);
    const mt_diag *suite = first && first->suite ? first->suite : first;
    fr_place at = fr_at(&s->head, m->path.tok, FR_FIELD("members"));
    at.exact.message =
        fr_said(u, "member '%.*s' cannot be elaborated: %.*s", FR_ARG(u, m->id.sym),
                MT_ARG(first ? first->message : MT_STR("it has errors")));
    fr_report(u, FR_E_SYSTEM_MEMBER_FAILED, at,
              "member '%.*s' cannot be elaborated: %.*s", FR_ARG(u, m->id.sym),
              MT_ARG(suite ? suite->message : MT_STR("it has errors")));
    add_all(&u->later, ds);
}

static void report_missing(fr_unit *u, const fr_system *s, const fr_system_member *m)
{
    fr_report(u, FR_E_SYSTEM_MEMBER_FILE,
              fr_at(&s->head, m->path.tok, FR_FIELD("members")),
              "file '%.*s' of member '%.*s' does not exist", FR_ARG(u, m->path.sym),
              FR_ARG(u, m->id.sym));
}

/* §12.2: the full pipeline, with a unit, symbols and a sandbox of its own, so a member
 * gives the same bytes as it does alone (I7). A member that turns out to be a System is
 * refused afterwards (C-SYS-03). */
static const ct_elaboration *elaborate_member(fr_unit *u, const fr_system *s,
                                              const fr_system_member *m)
{
    mt_str id, why = MT_STR(""), written = fr_str(u, m->path.sym);
    const mt_provider *p = u->provider;
    mt_str dir = mt_path_dir(s->head.file->id);
    if (p->find(p->state, u->keep, dir, written, &id, &why) != MT_OK) {
        report_missing(u, s, m);
        return NULL;
    }
    const ct_elaboration *out;
    mt_diags ds = {.arena = u->first->arena, .limit = u->first->limit};
    ct_options options = u->options;
    mt_err err = fr_elaborate_named(
        u->keep, id, mt_path_join(u->keep, mt_path_dir(s->head.file->path), written), p,
        &options, &ds, &out);
    if (err == MT_OK && !out->is_system) {
        add_all(&u->remarks, &ds);
        return out;
    }
    if (out->is_system) {
        report_nested(u, s, m, true);
    } else {
        report_member(u, s, m, &ds);
    }
    return NULL;
}

/* ---- what the system says about its members ---- */

/* What a member does not have, at the member; `name` may be misspelt. */
static fr_place at_missing(fr_unit *u, const fr_system *s, fr_name name,
                           fr_name contract, const fr_unit *other, fr_kind kind)
{
    mt_nearest n = fr_nearest(u, name.sym);
    fr_place at = fr_at(&s->head, contract.tok,
                        kind == FR_PERSONA ? FR_FIELD("shared_personas")
                                           : FR_FIELD("shared_entities"));
    fr_offer_kind_of(u, other, &n, kind);
    return fr_meant(u, at, &n, name.tok);
}

/* C-SYS-06. */
static void check_shared_persona(fr_unit *u, const fr_system *s, const fr_shared *entry)
{
    for (size_t i = 0; i < entry->contracts.len; i++) {
        fr_name contract = entry->contracts.items[i];
        const fr_unit *other = contract_of(u, contract.sym);
        if (other &&
            !fr_find(other, FR_PERSONA, translated(u, other, entry->name.sym))) {
            fr_report(u, FR_E_SYSTEM_PERSONA_MISSING,
                      at_missing(u, s, entry->name, contract, other, FR_PERSONA),
                      "persona '%.*s' not declared in member contract '%.*s'",
                      FR_ARG(u, entry->name.sym), FR_ARG(u, contract.sym));
        }
    }
}

static int compare_states(const void *a, const void *b)
{
    return mt_str_cmp(*(const mt_str *)a, *(const mt_str *)b);
}

static mt_str *sorted_states(fr_unit *u, const fr_unit *other, const fr_entity *e)
{
    mt_str *states = mt_new_array(u->keep, mt_str, e->states.len + 1);
    for (size_t i = 0; i < e->states.len; i++) {
        states[i] = fr_str(other, e->states.items[i].sym);
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

/* C-SYS-13, C-SYS-14: every member against the first that has the entity. Transitions
 * may differ. */
static void check_shared_entity(fr_unit *u, const fr_system *s, const fr_shared *entry)
{
    const mt_str *first = NULL;
    size_t first_count = 0;
    fr_sym first_contract = FR_W_none;
    for (size_t i = 0; i < entry->contracts.len; i++) {
        fr_name contract = entry->contracts.items[i];
        const fr_unit *other = contract_of(u, contract.sym);
        if (!other) {
            continue;
        }
        const fr_entity *e =
            fr_find(other, FR_ENTITY, translated(u, other, entry->name.sym));
        fr_place at = fr_at(&s->head, contract.tok, FR_FIELD("shared_entities"));
        if (!e) {
            fr_report(u, FR_E_SYSTEM_ENTITY_MISSING,
                      at_missing(u, s, entry->name, contract, other, FR_ENTITY),
                      "entity '%.*s' not declared in member contract '%.*s'",
                      FR_ARG(u, entry->name.sym), FR_ARG(u, contract.sym));
            continue;
        }
        const mt_str *states = sorted_states(u, other, e);
        if (!first) {
            first = states;
            first_count = e->states.len;
            first_contract = contract.sym;
        } else if (!same_states(first, first_count, states, e->states.len)) {
            fr_report(
                u, FR_E_SYSTEM_ENTITY_STATES, at,
                "entity '%.*s' has different state sets in member contracts '%.*s' "
                "and '%.*s'",
                FR_ARG(u, entry->name.sym), FR_ARG(u, first_contract),
                FR_ARG(u, contract.sym));
        }
    }
}

/* The flow in the member, NULL after a report or without the member. */
static const fr_flow *check_flow(fr_unit *u, const fr_system *s, fr_name contract,
                                 fr_name flow)
{
    const fr_unit *other = contract_of(u, contract.sym);
    const fr_flow *f =
        other ? fr_find(other, FR_FLOW, translated(u, other, flow.sym)) : NULL;
    if (other && !f) {
        mt_nearest n = fr_nearest(u, flow.sym);
        fr_offer_kind_of(u, other, &n, FR_FLOW);
        fr_place at = fr_at(&s->head, flow.tok, FR_FIELD("triggers"));
        fr_report(u, FR_E_SYSTEM_FLOW_MISSING, fr_meant(u, at, &n, flow.tok),
                  "flow '%.*s' not found in member contract '%.*s'",
                  FR_ARG(u, flow.sym), FR_ARG(u, contract.sym));
    }
    return f;
}

/* By symbol of the member's own unit. */
static const fr_step *entry_step(const fr_flow *f)
{
    for (size_t i = 0; i < f->steps.len; i++) {
        if (f->steps.items[i]->id.sym == f->entry.sym) {
            return f->steps.items[i];
        }
    }
    return NULL;
}

/* C-SYS-12. Only an operation at the entry can be judged now; for other steps it is
 * left to the run. */
static void check_trigger_persona(fr_unit *u, const fr_system *s, const fr_trigger *t,
                                  const fr_flow *target)
{
    const fr_unit *other = contract_of(u, t->target_contract.sym);
    if (!other) {
        return;
    }
    fr_sym persona = translated(u, other, t->persona.sym);
    fr_place at = fr_at(&s->head, t->persona.tok, FR_FIELD("triggers"));
    at.late = true;
    if (other->has_personas && !fr_find(other, FR_PERSONA, persona)) {
        mt_nearest n = fr_nearest(u, t->persona.sym);
        fr_offer_kind_of(u, other, &n, FR_PERSONA);
        at = fr_meant(u, at, &n, t->persona.tok);
        fr_report(u, FR_E_SYSTEM_TARGET_PERSONA, at,
                  "persona '%.*s' not declared in target contract '%.*s'",
                  FR_ARG(u, t->persona.sym), FR_ARG(u, t->target_contract.sym));
        return;
    }
    const fr_step *entry = entry_step(target);
    fr_operation *o = entry && fr_does(entry) == LN_OPERATES
                          ? fr_find(other, FR_OPERATION, entry->op.sym)
                          : NULL;
    if (o && !fr_names_have(u, &o->personas, persona)) {
        fr_report(u, FR_E_SYSTEM_ENTRY_PERSONA, at,
                  "trigger persona '%.*s' not in allowed_personas of entry operation "
                  "'%.*s' in target flow '%.*s'",
                  FR_ARG(u, t->persona.sym), FR_ARG(other, o->head.id),
                  FR_ARG(u, t->target_flow.sym));
    }
}

/* C-SYS-06, C-SYS-09, C-SYS-10, C-SYS-12 to C-SYS-14. */
static void check_statements(fr_unit *u, const fr_system *s)
{
    for (size_t i = 0; i < s->personas.len; i++) {
        check_shared_persona(u, s, &s->personas.items[i]);
    }
    for (size_t i = 0; i < s->triggers.len; i++) {
        const fr_trigger *t = &s->triggers.items[i];
        check_flow(u, s, t->source_contract, t->source_flow);
        const fr_flow *target = check_flow(u, s, t->target_contract, t->target_flow);
        if (target) {
            check_trigger_persona(u, s, t, target);
        }
    }
    for (size_t i = 0; i < s->entities.len; i++) {
        check_shared_entity(u, s, &s->entities.items[i]);
    }
}

/* One System per file (C-SYS-05), so the first is the only one. Members are elaborated
 * in the order of declaration, which is that of their diagnostics. */
void fr_elaborate_members(fr_unit *u)
{
    const fr_system *s = (const fr_system *)u->kinds[FR_SYSTEM].items[0];
    size_t count = s->members.len;
    if (fr_refused(u)) {
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
        mt_str path = fr_str(u, members[i].declared->path.sym);
        out[i] = (ct_member){
            .id = fr_str(u, members[i].declared->id.sym),
            .path = path,
            .file = mt_path_join(u->keep, mt_path_dir(s->head.file->path), path),
            .contract = members[i].contract};
    }
    u->members = out;
    u->member_count = count;
    check_statements(u, s);
}
