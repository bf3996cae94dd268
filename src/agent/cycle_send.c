/* agent/cycle_send.c - which senders run because of which activations. Room: agent. In
 * this order: every activation that did not fail is held against the senders that
 * share a node of its route, then against those with a wild route; ticking senders are
 * added; the candidates are sorted; each is taken unless it ran already for the same
 * reason.
 *
 * The two modes differ in the order and in what "already" means:
 * - profile: priority, canonical route, registration, key; once per (sender, key)
 *   unless the sender is multi.
 * - compat: routes by first registration; once per sender and message, or once per
 *   event with use_data; senders without filters run every time; nothing flows at all
 *   when the agent says flow_off.
 *
 * Timed senders never run in a cycle: what would call another sender arms them.
 * INVARIANT: the order of sends depends on the agent and the message only, never on
 * the order in which nodes were walked. What may fail: more sends than
 * limits.agent_emissions; then `limit` names the bound and the message ends as if it
 * had never come. Memory is the cycle's arena. */
#include "agent/cycle_impl.h"

static bool trigger_listed(const ag_sender *s, mt_str trigger)
{
    for (uint32_t i = 0; i < s->trigger_count; i++) {
        if (mt_str_eq(s->triggers[i], trigger)) {
            return true;
        }
    }
    return false;
}

/* An answer of nothing has neither action nor trigger, so a filter never lets it
 * through. In the profile it does not count as an outcome. */
bool ag_sender_matches(ag_mode mode, const ag_sender *s, const ag_event *event)
{
    if (event->action == AG_NONE) {
        return mode == AG_COMPAT && !s->has_actions && !s->has_triggers;
    }
    return (!s->has_actions || (s->actions >> event->action) & 1) &&
           (!s->has_triggers || trigger_listed(s, event->trigger));
}

static void add_candidate(ag_cycle *c, uint32_t sender, uint32_t activation, mt_str key)
{
    ag_candidate *x = mt_vec_add(&c->arena, &c->candidates);
    *x = (ag_candidate){c->p->senders[sender].rank, sender, activation, key};
}

/* Filters before routes: they are cheaper. A timed sender is armed instead of called.
 */
static void consider(ag_cycle *c, uint32_t sender, uint32_t activation)
{
    const ag_activation *x = &c->activations.items[activation];
    const ag_sender *s = &c->p->agent->senders[sender];
    if (!ag_sender_matches(c->p->agent->mode, s, &x->event) ||
        !ag_program_compatible(c->p, sender, x->receiver)) {
        return;
    }
    if (s->every_ms) {
        mt_vec_push(&c->arena, &c->arms, ((ag_arm){sender, activation}));
    } else {
        add_candidate(c, sender, activation, x->key);
    }
}

/* Senders hang on one node of their route each, so only those that share a node are
 * looked at. */
static void consider_all(ag_cycle *c, uint32_t activation)
{
    const ag_program *p = c->p;
    const ag_nodes *nodes = &p->receivers[c->activations.items[activation].receiver];
    uint32_t at = 0;
    for (int part = 0; part < AG_PARTS; part++) {
        const ag_rows *rows = &p->anchored[part];
        for (; at < nodes->end[part]; at++) {
            ag_symbol s = nodes->symbols[at];
            for (uint32_t i = rows->start[s]; i < rows->start[s + 1]; i++) {
                consider(c, rows->hits[i].index, activation);
            }
        }
    }
    for (size_t i = 0; i < p->wild_senders.len; i++) {
        consider(c, p->wild_senders.items[i], activation);
    }
}

/* The order of the mode: rank, then in the profile the key, then activation. */
static int by_rule(const void *x, const void *y, void *host)
{
    const ag_candidate *a = x, *b = y;
    const ag_cycle *c = host;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    if (c->p->agent->mode == AG_PROFILE) {
        int d = ag_key_cmp(a->key, b->key);
        if (d) {
            return d;
        }
    }
    return (a->activation > b->activation) - (a->activation < b->activation);
}

/* Few of them, mostly: insertion needs no call. */
static void sort_candidates(ag_cycle *c)
{
    ag_cycle_sort(c, c->candidates.items, c->candidates.len,
                  sizeof *c->candidates.items, by_rule);
}

static bool same_key(mt_str a, mt_str b)
{
    return ag_key_cmp(a, b) == 0;
}

/* Compat: two senders on one route with one name and key count as one. */
static bool emitted_already(const ag_cycle *c, const ag_candidate *x)
{
    const ag_sender *senders = c->p->agent->senders;
    uint32_t first = c->p->senders[x->sender].first;
    for (size_t i = c->sends.len; i-- > 0;) {
        const ag_send *s = &c->sends.items[i];
        if (c->p->senders[s->sender].first != first) {
            break;
        }
        if (s->activation != UINT32_MAX && same_key(s->key, x->key) &&
            mt_str_eq(senders[s->sender].name, senders[x->sender].name)) {
            return true;
        }
    }
    return false;
}

/* `last`: the candidate before this one, NULL for the first. */
static bool wanted(const ag_cycle *c, const ag_candidate *last, const ag_candidate *x)
{
    const ag_sender *s = &c->p->agent->senders[x->sender];
    bool again = last && last->sender == x->sender;
    if (again && last->activation == x->activation) {
        return false; /* found through two nodes */
    }
    if (c->p->agent->mode == AG_PROFILE) {
        return s->multi || !again || !same_key(last->key, x->key);
    }
    if (x->activation == UINT32_MAX || s->use_data) {
        return true;
    }
    return !again && !emitted_already(c, x);
}

/* §6.4. Candidates are gathered by activation and sorted into the order of senders, so
 * the order of receivers does not show in it. A failed receiver and one without an
 * event wake nobody. */
void ag_cycle_select(ag_cycle *c)
{
    bool flow_off = c->p->agent->mode == AG_COMPAT && c->p->agent->flow_off;
    for (uint32_t i = 0; i < c->activations.len && !flow_off; i++) {
        const ag_activation *x = &c->activations.items[i];
        if (!x->failed && x->event.action != AG_NONE) {
            consider_all(c, i);
        }
    }
    for (size_t i = 0; i < c->p->ticks.len; i++) {
        add_candidate(c, c->p->ticks.items[i], UINT32_MAX, AG_NULL_KEY);
    }
    sort_candidates(c);
    for (size_t i = 0; i < c->candidates.len; i++) {
        const ag_candidate *x = &c->candidates.items[i];
        if (!wanted(c, i ? x - 1 : NULL, x)) {
            continue;
        }
        if (c->sends.len == c->p->limits.agent_emissions) {
            c->limit = "agent_emissions";
            return;
        }
        mt_vec_push(&c->arena, &c->sends,
                    ((ag_send){x->sender, x->activation, x->key, NULL}));
    }
}
