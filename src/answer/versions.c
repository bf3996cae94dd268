/* answer/versions.c - comparing two versions.
 * Room: answer.
 * Order: each version is opened (its plan is built, its bundle read as a tree); the
 * trees are compared; members that both Systems have are compared each with its own;
 * then, if asked for, proofs refine the diffs that were made, and whether a policy is
 * needed is computed anew. Everything lives in the arena of the new version.
 * May fail: a plan that cannot be built, two contracts with nothing in common, a member
 * that cannot be loaded; the reply says which. */
#include "answer/versions.h"

#include "analyze/prove/prove_diff.h"
#include "analyze/version/diff_report.h"
#include "base/vec.h"
#include "contract/eval/program.h"

static mt_err read_tree(mt_arena *a, const mt_limits *limits, mt_str text, mt_json *out)
{
    mt_json_limits bounds = {limits->json_bytes, limits->bundle_depth};
    return mt_json_read(a, text, &bounds, out, NULL);
}

/* The bundle is read a second time as a tree: the comparison works on interchange, the
 * plan on the model. Both texts were read before, so they can be read again. */
int aw_version_open(aw_version *v, aw_reply *r)
{
    aw_contract *c = &v->contract;
    v->model = c->admitted.model;
    if (ct_plan_build(&c->arena, ct_compile(&c->arena, v->model), &c->ds, &v->plan)) {
        return aw_refused(r);
    }
    if (read_tree(&c->arena, &c->limits, c->bundle, &v->bundle) ||
        (c->is_manifest &&
         read_tree(&c->arena, &c->limits, c->sources.items[0].text, &v->manifest))) {
        MT_BUG("a bundle that was read cannot be read");
    }
    return AW_HOLDS;
}

static an_diff_side side_of(const aw_version *v)
{
    return (an_diff_side){&v->bundle, v->contract.is_manifest ? &v->manifest : NULL};
}

/* Two contracts without a construct in common are most likely the wrong two files;
 * every line of their diff would be right and useless. */
static int check_related(const aw_versions *v, aw_reply *r)
{
    const an_diff *d = v->diff;
    if (an_diff_related(d)) {
        return AW_HOLDS;
    }
    return aw_fail(r, AW_FAILS,
                   "'%.*s' and '%.*s' are different contracts: they have no construct "
                   "in common",
                   MT_ARG(d->old_id), MT_ARG(d->new_id));
}

/* ---- Members of Systems ---- */

/* Members that were not found have no contract and cannot be compared. */
static const ct_member *member_named(const ct_elaboration *e, mt_str id)
{
    for (size_t i = 0; i < e->member_count; i++) {
        if (mt_str_eq(e->members[i].id, id) && e->members[i].contract) {
            return &e->members[i];
        }
    }
    return NULL;
}

/* Both trees live in the new version's arena, where the diff is too. */
static an_diff *diff_members(aw_versions *v, const ct_member *old, const ct_member *new)
{
    mt_arena *a = &v->new.contract.arena;
    mt_json *trees = mt_new_array(a, mt_json, 2);
    if (read_tree(a, &v->new.contract.limits, old->contract->bundle, &trees[0]) ||
        read_tree(a, &v->new.contract.limits, new->contract->bundle, &trees[1])) {
        MT_BUG("a bundle that was written cannot be read");
    }
    return an_diff_bundles(a, (an_diff_side){&trees[0], NULL},
                           (an_diff_side){&trees[1], NULL});
}

/* Members that only one version has are part of the System's own diff. */
static void compare_members(aw_versions *v)
{
    const ct_elaboration *old = v->old.contract.e, *new = v->new.contract.e;
    MT_VEC(aw_member_diff) found = {0};
    for (size_t i = 0; old && new &&i < new->member_count; i++) {
        const ct_member *now = &new->members[i];
        const ct_member *was = now->contract ? member_named(old, now->id) : NULL;
        if (was) {
            aw_member_diff d = {now->id, diff_members(v, was, now)};
            mt_vec_push(&v->new.contract.arena, &found, d);
            v->policy_required |= d.diff->policy_required;
        }
    }
    v->members = found.items;
    v->member_count = found.len;
}

/* ---- The whole ---- */

int aw_versions_compare(aw_versions *v, aw_reply *r)
{
    v->diff =
        an_diff_bundles(&v->new.contract.arena, side_of(&v->old), side_of(&v->new));
    v->policy_required = v->diff->policy_required;
    int code = check_related(v, r);
    if (!code) {
        compare_members(v);
    }
    return code;
}

/* Of a System also the comparison of each member, under its id. */
void aw_versions_json(mt_jw *w, const aw_versions *v)
{
    an_diff_json_members(w, v->diff);
    if (v->member_count) {
        mt_jw_keyz(w, "system_members");
        mt_jw_begin_unsorted(w);
        for (size_t i = 0; i < v->member_count; i++) {
            mt_jw_key(w, v->members[i].id);
            an_diff_json(w, v->members[i].diff);
        }
        mt_jw_end_object(w);
    }
}

/* ---- Two versions ---- */

/* Only members that both versions have were compared; hence it must be there. */
static mt_err member_program(aw_version *v, mt_str id, const ct_program **out)
{
    aw_contract *c = &v->contract;
    for (size_t i = 0; i < c->e->member_count; i++) {
        const ct_member *member = &c->e->members[i];
        const ct_model *m;
        if (!mt_str_eq(member->id, id)) {
            continue;
        }
        mt_err err = ct_load(&c->arena, member->contract->bundle, member->file,
                             &c->limits, &c->ds, &m);
        *out = err ? NULL : ct_compile(&c->arena, m);
        return err;
    }
    MT_BUG("a member that was compared is gone");
}

/* Proofs refine what the comparison of texts found: a changed condition that means the
 * same is no longer breaking. The need for a policy is computed anew, since it may have
 * gone. */
int aw_versions_prove(aw_versions *v, aw_reply *r)
{
    mt_arena *a = &v->new.contract.arena;
    const mt_limits *limits = &v->new.contract.limits;
    an_prove_diff(a, ct_compile(a, v->old.model), ct_compile(a, v->new.model), limits,
                  v->diff);
    v->policy_required = v->diff->policy_required;
    for (size_t i = 0; i < v->member_count; i++) {
        const ct_program *old, *now;
        mt_err err = member_program(&v->old, v->members[i].id, &old);
        err = err ? err : member_program(&v->new, v->members[i].id, &now);
        if (err) {
            return aw_refused(r);
        }
        an_prove_diff(a, old, now, limits, v->members[i].diff);
        v->policy_required |= v->members[i].diff->policy_required;
    }
    return AW_HOLDS;
}
