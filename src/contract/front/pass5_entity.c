/* contract/front/pass5_entity.c - entities: states, transitions, parents.
 *
 * States differ, the initial one and both ends of every transition are declared, no
 * transition is written twice. Many transitions are sorted once as pairs and searched
 * (fr_has_transition()), so that an entity with thousands of them costs no more than a
 * log.
 *
 * Parents are followed from every entity in order of names; a cycle is reported once,
 * at the entity that closes it. */
#include <stdlib.h>

#include "contract/front/suggest.h"
#include "contract/front/validate.h"

/* Relies on the marks: the states of this entity and nothing else. */
static void check_initial(fr_unit *u, const fr_entity *e)
{
    if (fr_is_marked(u, e->initial.sym)) {
        return;
    }
    fr_place at = fr_at(&e->head, e->has_initial ? e->initial_tok : e->head.tok,
                        FR_FIELD("initial"));
    if (e->has_initial) {
        at = fr_meant_of(u, at, &e->states, e->initial);
    } else {
        at = fr_exactly(at, e->head.tok, e->head.id_tok);
        at.exact.message =
            fr_said(u, "Entity '%.*s' has no 'initial'", FR_ARG(u, e->head.id));
        at.hint = "add initial: with the state every instance begins in";
    }
    fr_report(u, FR_E_ENTITY_INITIAL, at,
              "initial state '%.*s' is not declared in states: %.*s",
              FR_ARG(u, e->initial.sym), MT_ARG(fr_list_text(u, &e->states)));
}

/* Relies on the marks, as check_initial() does. */
static void check_endpoint(fr_unit *u, const fr_entity *e, const fr_transition *t,
                           fr_name state)
{
    if (!fr_is_marked(u, state.sym)) {
        fr_place at = fr_at(&e->head, t->tok, FR_FIELD("transitions"));
        fr_report(u, FR_E_ENTITY_ENDPOINT, fr_meant_of(u, at, &e->states, state),
                  "transition endpoint '%.*s' is not declared in states: %.*s",
                  FR_ARG(u, state.sym), MT_ARG(fr_list_text(u, &e->states)));
    }
}

static void report_twice(fr_unit *u, const fr_entity *e, fr_tok tok, mt_str field,
                         mt_str what)
{
    fr_report(u, FR_E_ENTITY_TWICE, fr_at(&e->head, tok, field),
              "%.*s is declared twice", MT_ARG(what));
}

static int compare_pairs(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Two symbols in one number, so pairs sort and compare as numbers. */
static uint64_t pair_of(fr_sym from, fr_sym to)
{
    return (uint64_t)from << 32 | to;
}

/* One pair more is allotted, so that an entity without transitions has an array,
 * too. */
static void sort_transitions(fr_unit *u, fr_entity *e)
{
    size_t count = e->transitions.len;
    e->pairs = mt_new_array(u->keep, uint64_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        e->pairs[i] =
            pair_of(e->transitions.items[i].from.sym, e->transitions.items[i].to.sym);
    }
    qsort(e->pairs, count, sizeof *e->pairs, compare_pairs);
}

/* A few are looked through: sorting would cost more than it saves. */
bool fr_has_transition(fr_unit *u, fr_entity *e, fr_sym from, fr_sym to)
{
    enum { FEW = 16 };
    size_t count = e->transitions.len;
    if (count <= FEW && !e->pairs) {
        for (size_t i = 0; i < count; i++) {
            const fr_transition *t = &e->transitions.items[i];
            if (t->from.sym == from && t->to.sym == to) {
                return true;
            }
        }
        return false;
    }
    if (!e->pairs) {
        sort_transitions(u, e);
    }
    uint64_t pair = pair_of(from, to);
    return bsearch(&pair, e->pairs, count, sizeof pair, compare_pairs) != NULL;
}

/* Where the last transition between two states stands. */
static fr_tok last_written(const fr_entity *e, fr_sym from, fr_sym to)
{
    size_t i = e->transitions.len;
    while (i-- && (e->transitions.items[i].from.sym != from ||
                   e->transitions.items[i].to.sym != to)) {
    }
    return i < e->transitions.len ? e->transitions.items[i].tok : e->head.tok;
}

/* One double is reported, with the later of both places. */
static void check_repeated(fr_unit *u, fr_entity *e)
{
    if (e->transitions.len < 2) {
        return;
    }
    sort_transitions(u, e);
    for (size_t i = 1; i < e->transitions.len; i++) {
        if (e->pairs[i - 1] == e->pairs[i]) {
            fr_sym from = (fr_sym)(e->pairs[i] >> 32), to = (fr_sym)e->pairs[i];
            report_twice(u, e, last_written(e, from, to), FR_FIELD("transitions"),
                         mt_strf(u->keep, "transition (%.*s, %.*s)", FR_ARG(u, from),
                                 FR_ARG(u, to)));
            return;
        }
    }
}

/* The suite looks at the initial state and the endpoints, in this order; the rest is
 * reported after it. */
void fr_validate_entity(fr_unit *u, fr_entity *e)
{
    fr_new_stamp(u);
    for (size_t i = 0; i < e->states.len; i++) {
        fr_name state = e->states.items[i];
        if (!fr_mark_new(u, state.sym, 0)) {
            report_twice(u, e, state.tok, FR_FIELD("states"),
                         mt_strf(u->keep, "state '%.*s'", FR_ARG(u, state.sym)));
        }
    }
    check_initial(u, e);
    for (size_t i = 0; i < e->transitions.len; i++) {
        check_endpoint(u, e, &e->transitions.items[i], e->transitions.items[i].from);
        check_endpoint(u, e, &e->transitions.items[i], e->transitions.items[i].to);
    }
    check_repeated(u, e);
    if (!e->states.len) {
        fr_place at = fr_at(&e->head, e->head.tok, FR_FIELD("states"));
        fr_report(u, FR_E_ENTITY_STATES, fr_exactly(at, e->head.tok, e->head.id_tok),
                  "entity '%.*s' has no states", FR_ARG(u, e->head.id));
    }
    if (e->parent.sym && !fr_find(u, FR_ENTITY, e->parent.sym) && !u->incomplete) {
        fr_place at = fr_at(&e->head, e->parent_tok, FR_FIELD("parent"));
        fr_report(u, FR_E_ENTITY_PARENT, fr_meant_kind(u, at, FR_ENTITY, e->parent),
                  "parent '%.*s' is not a declared entity", FR_ARG(u, e->parent.sym));
    }
}

/* ---- parents ---- */

enum { NEW, OPEN, DONE };

static fr_entity *parent_of(const fr_unit *u, const fr_entity *e)
{
    return e->parent.sym ? fr_find(u, FR_ENTITY, e->parent.sym) : NULL;
}

/* `last` is the entity whose parent closes the cycle. */
static void report_cycle(fr_unit *u, const fr_entity *last)
{
    mt_buf path = {0};
    const fr_entity *at = last;
    do {
        mt_buf_adds(&path, fr_str(u, at->head.id));
        mt_buf_addz(&path, " → ");
        at = parent_of(u, at);
    } while (at != last);
    mt_buf_adds(&path, fr_str(u, last->head.id));
    fr_place place = fr_at(&last->head, last->parent_tok, FR_FIELD("parent"));
    fr_report(u, FR_E_ENTITY_CYCLE,
              fr_exactly(place, last->parent.tok, last->parent.tok),
              "entity hierarchy cycle detected: %.*s", MT_ARG(mt_buf_str(&path)));
    mt_buf_free(&path);
}

/* Each entity has one parent at most, so a search is a walk; every entity is left DONE
 * and walked over once in all. */
static void follow_parents(fr_unit *u, fr_entity *start)
{
    fr_entity *at = start, *last = NULL;
    while (at && at->state == NEW) {
        at->state = OPEN;
        last = at;
        at = parent_of(u, at);
    }
    if (at && at->state == OPEN) {
        report_cycle(u, last);
    }
    for (at = start; at && at->state == OPEN; at = parent_of(u, at)) {
        at->state = DONE;
    }
}

/* Most contracts have no parents, and then nothing is sorted. */
void fr_validate_parents(fr_unit *u)
{
    size_t count = u->kinds[FR_ENTITY].len;
    bool any = false;
    for (size_t i = 0; i < count && !any; i++) {
        any =
            ((const fr_entity *)u->kinds[FR_ENTITY].items[i])->parent.sym != FR_W_none;
    }
    if (!any) {
        return;
    }
    fr_construct **sorted = mt_alloc(u->keep, mt_array_bytes(count, sizeof *sorted));
    memcpy(sorted, u->kinds[FR_ENTITY].items, count * sizeof *sorted);
    fr_sort_by_id(u, sorted, count);
    for (size_t i = 0; i < count; i++) {
        follow_parents(u, (fr_entity *)sorted[i]);
    }
}
