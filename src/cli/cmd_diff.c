/* cli/cmd_diff.c - motet diff: what changed, and what it may break.
 * Room: cli. */
#include "analyze/version/diff_report.h"
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/prove.h"
#include "cli/versions.h"

/* clang-format off */
const cli_option CMD_DIFF_OPTIONS[] = {
    {"breaking",  NULL,   "one line per change, the most severe first"},
    {"prove",     NULL,   "resolve what requires analysis by proof"},
    {"migration", NULL,   "print the migration contract: the diff as a contract"},
    {"baseline",  "FILE", "an earlier --json report; only what it lacks counts"},
    {"json",      NULL,   "print the entries as JSON"},
    {NULL, NULL, NULL},
};

const char CMD_DIFF_DETAILS[] =
"OLD and NEW are source, bundles or manifests. Constructs are matched by kind and\n"
"id; where they are written and the order of sets do not matter. Each change has a\n"
"class: BREAKING, REQUIRES_ANALYSIS (counts as breaking until proven safe),\n"
"INFRASTRUCTURE (the operator must be told) or NON_BREAKING.\n\n"
"--prove compares changed predicates for every fact set: weaker, stronger, equal or\n"
"neither, with facts that tell the versions apart. A change is proven safe when no\n"
"operation is refused that was allowed and every branch goes its way; classes stay,\n"
"whether a policy is required may change.\n\n"
"Exit status 1: a migration policy must be declared to deploy NEW.";
/* clang-format on */

/* Of a System also the comparison of each member, under its id. */
static void write_json(mt_buf *out, const cli_versions *v)
{
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    an_diff_json_members(&w, v->diff);
    if (v->member_count) {
        mt_jw_keyz(&w, "system_members");
        mt_jw_begin_unsorted(&w);
        for (size_t i = 0; i < v->member_count; i++) {
            mt_jw_key(&w, v->members[i].id);
            an_diff_json(&w, v->members[i].diff);
        }
        mt_jw_end_object(&w);
    }
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* By class, the most severe first, or by construct; members in the order of the
 * System. */
static void write_text(mt_buf *out, const cli_versions *v)
{
    void (*text)(mt_buf *, const an_diff *) =
        cli_flag(v->args, "breaking") ? an_diff_text_by_class : an_diff_text;
    text(out, v->diff);
    for (size_t i = 0; i < v->member_count; i++) {
        mt_buf_addf(out, "\nmember %.*s: ", MT_ARG(v->members[i].id));
        text(out, v->members[i].diff);
    }
}

/* Changes that ask for a policy and are not in the baseline. */
static int count_fresh(cli_versions *v, const char *path, uint32_t *fresh)
{
    mt_arena *a = &v->new.contract.arena;
    mt_json *baseline = mt_new(a, mt_json);
    int code = cli_read_tree(v->args, a, path, &v->new.contract.limits, baseline);
    if (code) {
        return code;
    }
    mt_err err = an_diff_against(a, v->diff, baseline, fresh);
    const mt_json *known = mt_json_at(baseline, "system_members");
    for (size_t i = 0; !err && i < v->member_count; i++) {
        /* A member that the baseline does not know had no changes then, so all of its
         * changes are fresh. */
        static const mt_json_member NOTHING = {MT_STR_INIT("changed"),
                                               {.type = MT_JSON_ARRAY}};
        static const mt_json NONE = {
            .type = MT_JSON_OBJECT, .count = 1, .as.members = &NOTHING};
        const mt_json *one = mt_json_get(known, v->members[i].id);
        uint32_t more;
        err = an_diff_against(a, v->members[i].diff, one ? one : &NONE, &more);
        *fresh += more;
    }
    return err ? cli_fail(v->args, CLI_FAILS, "%s: no report of motet diff --json",
                          path)
               : CLI_HOLDS;
}

/* Exit status 1 when a policy is required; with --baseline, only for changes that the
 * baseline does not know. */
static int print(cli_versions *v)
{
    const char *baseline = cli_value(v->args, "baseline");
    bool json = cli_flag(v->args, "json");
    /* Without a baseline whether a policy is required is the whole answer (§18.3,
     * M2). */
    uint32_t fresh = v->policy_required;
    if (baseline) {
        int code = count_fresh(v, baseline, &fresh);
        if (code) {
            return code;
        }
    }
    mt_buf out = {0};
    if (cli_flag(v->args, "migration")) {
        an_migration_contract(&out, v->diff);
    } else if (json) {
        write_json(&out, v);
    } else {
        write_text(&out, v);
        if (baseline) {
            mt_buf_addf(&out, "%u not in the baseline\n", fresh);
        }
    }
    return cli_engine_print(v->args, &out, fresh ? CLI_FAILS : CLI_HOLDS);
}

int cmd_diff(const cli_args *args)
{
    if (cli_flag(args, "migration") && cli_flag(args, "json")) {
        return cli_fail(args, CLI_USAGE, "--migration prints source, not JSON");
    }
    cli_versions v;
    int code = cli_versions_load(args, &v);
    if (!code && cli_flag(args, "prove") && cli_prove_versions(&v) != MT_OK) {
        code = cli_contract_report(args, &v.new.contract, CLI_FAILS);
    }
    code = code ? code : print(&v);
    cli_versions_free(&v);
    return code;
}
