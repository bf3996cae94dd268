/* analyze/version/migrate.c - recommending a policy for flows under way.
 * Room: analyze.
 * Order: each flow under way that was given is judged by itself (can it go on under the
 * new version, which breaking changes does it meet); then each flow of the old version
 * by those of its kind, or without any by what it can meet from its entry; then the
 * states that are gone get a way out, where there is exactly one; then the whole.
 *
 * INVARIANT: forcing is recommended only where every flow that was given was shown to
 * be compatible, and aborting never. Nothing here can fail: both plans were admitted.
 */
#include "analyze/version/migrate.h"

#include "base/map.h"

const mt_str AN_POLICY_NAMES[4] = {
    [AN_POLICY_NONE] = MT_STR_INIT("none"),
    [AN_BLUE_GREEN] = MT_STR_INIT("blue_green"),
    [AN_FORCE_MIGRATE] = MT_STR_INIT("force_migrate"),
    [AN_ABORT] = MT_STR_INIT("abort"),
};
MT_TABLE_COVERS(AN_POLICY_NAMES, AN_ABORT + 1);

/* ---- States that are gone ---- */

/* The one state that remains and to which a transition led, if there is exactly one. */
static mt_str way_out(const ct_entity *old, uint32_t state, const ct_entity *now)
{
    mt_str found = {0};
    for (uint32_t i = 0; i < old->transition_count; i++) {
        if (old->transitions[i].from != state) {
            continue;
        }
        mt_str to = old->states[old->transitions[i].to];
        if (ct_state_find(now, to) == CT_NONE) {
            continue;
        }
        if (found.len && !mt_str_eq(found, to)) {
            return (mt_str){0};
        }
        found = to;
    }
    return found;
}

/* Every state that the new contract does not have, whether instances are in it or not:
 * that is known to the host only (M4). */
static void find_moves(mt_arena *a, an_migration *m)
{
    MT_VEC(an_state_move) moves = {0};
    for (uint32_t e = 0; e < m->old->model->entity_count; e++) {
        const ct_entity *old = &m->old->model->entities[e];
        uint32_t index = ct_model_find(m->next->model, CT_KIND_ENTITY, old->id);
        const ct_entity *now =
            index == CT_NONE ? NULL : &m->next->model->entities[index];
        for (uint32_t s = 0; s < old->state_count; s++) {
            if (now && ct_state_find(now, old->states[s]) != CT_NONE) {
                continue;
            }
            an_state_move move = {old->id, old->states[s],
                                  now ? way_out(old, s, now) : (mt_str){0}};
            mt_vec_push(a, &moves, move);
        }
    }
    m->moves = moves.items;
    m->move_count = (uint32_t)moves.len;
}

/* ---- Flows ---- */

/* Aborting is never recommended: it loses what was done, and an operator may still
 * choose it. */
static void judge_flight(mt_arena *a, an_migration *m, an_flight *f)
{
    an_compat_options options = {m->options.aggressive};
    an_compat(a, f->run, m->next, &options, &f->compat);
    if (m->options.only_worse) {
        an_compat_worse(a, f->run, m->diff, &options, &f->compat);
    }
    an_flow_touches(a, m->diff, m->old, f->run->flow, f->run, &f->touches);
    f->policy = !f->compat.compatible ? AN_BLUE_GREEN
                : f->touches.len      ? AN_FORCE_MIGRATE
                                      : AN_POLICY_NONE;
    an_flow_advice *type = &m->flows[f->run->flow];
    type->flights++;
    type->compatible += f->compat.compatible;
    type->worse += f->compat.worse;
    m->incompatible += !f->compat.compatible;
    m->worse += f->compat.worse;
}

/* Instances that were given decide; without any, what the flow can meet from its entry
 * does. */
static void advise_flow(mt_arena *a, an_migration *m, an_flow_advice *f)
{
    an_flow_touches(a, m->diff, m->old, f->flow, NULL, &f->touches);
    if (f->flights && f->compatible == f->flights) {
        f->policy = f->touches.len ? AN_FORCE_MIGRATE : AN_POLICY_NONE;
        f->reason = MT_STR("every instance given can go on under the new version");
    } else if (f->flights && m->options.only_worse && !f->worse) {
        f->policy = f->touches.len ? AN_BLUE_GREEN : AN_POLICY_NONE;
        f->reason =
            mt_strf(a,
                    "%u of %u instances given meet obstacles that the old version has, "
                    "too; none is worse off under the new one",
                    f->flights - f->compatible, f->flights);
    } else if (f->flights) {
        f->policy = AN_BLUE_GREEN;
        f->reason =
            mt_strf(a,
                    "%u of %u instances given cannot go on under the new version: they "
                    "end under the old one, the others may migrate",
                    f->flights - f->compatible, f->flights);
    } else if (f->touches.len) {
        f->policy = AN_BLUE_GREEN;
        f->reason = MT_STR("it meets breaking changes, and whether an instance can go "
                           "on depends on where it stands");
    } else {
        f->reason = MT_STR("no breaking change lies on its way");
    }
}

/* Forcing is only recommended when every instance was shown to be compatible
 * (§18.4). */
static void recommend(mt_arena *a, an_migration *m)
{
    if (!m->diff->policy_required) {
        m->reason = MT_STR("nothing breaking changed");
    } else if (!m->flight_count) {
        m->policy = AN_BLUE_GREEN;
        m->reason = MT_STR("no instance is given, so none is known to go on safely; "
                           "both versions side by side disturb no flow under way");
    } else if (!m->incompatible) {
        m->policy = AN_FORCE_MIGRATE;
        m->reason = mt_strf(
            a, "all %u instances given can go on under the new version (FMC1 to FMC7)",
            m->flight_count);
    } else {
        m->policy = AN_BLUE_GREEN;
        m->reason = mt_strf(
            a,
            "%u of %u instances given cannot go on under the new version; they end "
            "under the old one while new flows, and those that can, use the new one",
            m->incompatible, m->flight_count);
    }
}

void an_migrate(mt_arena *a, const an_diff *d, const ct_plan *old, const ct_plan *next,
                an_flight *flights, uint32_t count, an_migrate_options options,
                an_migration *out)
{
    uint32_t flows = old->model->flow_count;
    *out = (an_migration){.diff = d,
                          .old = old,
                          .next = next,
                          .options = options,
                          .flows = mt_new_array(a, an_flow_advice, flows),
                          .flights = flights,
                          .flight_count = count};
    for (uint32_t i = 0; i < flows; i++) {
        out->flows[i].flow = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        judge_flight(a, out, &flights[i]);
    }
    for (uint32_t i = 0; i < flows; i++) {
        advise_flow(a, out, &out->flows[i]);
    }
    find_moves(a, out);
    recommend(a, out);
}
