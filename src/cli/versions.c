/* cli/versions.c - loading and comparing two versions.
 * Room: cli. */
#include "cli/versions.h"

#include "base/vec.h"
#include "contract/eval/program.h"

static mt_err read_tree(mt_arena *a, const mt_limits *limits, mt_str text, mt_json *out)
{
    mt_json_limits bounds = {limits->json_bytes, limits->bundle_depth};
    return mt_json_read(a, text, &bounds, out, NULL);
}

/* The bundle is read a second time as a tree: the comparison works on interchange, the
 * plan on the model. */
static int load_one(const cli_args *args, const char *path, cli_version *v)
{
    cli_contract *c = &v->contract;
    int code = cli_contract_load(args, path, false, c);
    mt_err err = MT_OK;
    v->model = c->admitted.model;
    if (!code) {
        err =
            ct_plan_build(&c->arena, ct_compile(&c->arena, v->model), &c->ds, &v->plan);
    }
    if (code || err) {
        return cli_contract_report(args, c, code ? code : CLI_FAILS);
    }
    /* Both texts were read before, so they can be read again. */
    if (read_tree(&c->arena, &c->limits, c->bundle, &v->bundle) ||
        (c->is_manifest &&
         read_tree(&c->arena, &c->limits, c->sources.items[0].text, &v->manifest))) {
        MT_BUG("a bundle that was read cannot be read");
    }
    return CLI_HOLDS;
}

static an_diff_side side_of(const cli_version *v)
{
    return (an_diff_side){&v->bundle, v->contract.is_manifest ? &v->manifest : NULL};
}

/* Two contracts without a construct in common are most likely the wrong two files;
 * every line of their diff would be right and useless. */
static int check_related(const cli_versions *v)
{
    const an_diff *d = v->diff;
    if (an_diff_related(d)) {
        return CLI_HOLDS;
    }
    return cli_fail(v->args, CLI_FAILS,
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
static an_diff *diff_members(cli_versions *v, const ct_member *old,
                             const ct_member *new)
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
static void compare_members(cli_versions *v)
{
    const ct_elaboration *old = v->old.contract.e, *new = v->new.contract.e;
    MT_VEC(cli_member_diff) found = {0};
    for (size_t i = 0; old && new &&i < new->member_count; i++) {
        const ct_member *now = &new->members[i];
        const ct_member *was = now->contract ? member_named(old, now->id) : NULL;
        if (was) {
            cli_member_diff d = {now->id, diff_members(v, was, now)};
            mt_vec_push(&v->new.contract.arena, &found, d);
            v->policy_required |= d.diff->policy_required;
        }
    }
    v->members = found.items;
    v->member_count = found.len;
}

/* ---- The whole ---- */

/* ORDER: old, new, their difference, then members. On failure what was loaded is freed
 * by cli_versions_free() all the same. */
int cli_versions_load(const cli_args *args, cli_versions *v)
{
    *v = (cli_versions){.args = args};
    if (!strcmp(args->operands[0], "-") && !strcmp(args->operands[1], "-")) {
        return cli_fail(args, CLI_USAGE, "only one version can be standard input");
    }
    int code = load_one(args, args->operands[0], &v->old);
    code = code ? code : load_one(args, args->operands[1], &v->new);
    if (code) {
        return code;
    }
    v->diff =
        an_diff_bundles(&v->new.contract.arena, side_of(&v->old), side_of(&v->new));
    v->policy_required = v->diff->policy_required;
    code = check_related(v);
    if (!code) {
        compare_members(v);
    }
    return code;
}

void cli_versions_free(cli_versions *v)
{
    cli_contract_free(&v->old.contract);
    cli_contract_free(&v->new.contract);
}
