/* cli/cmd_diff.c - motet diff: what changed, and what it may break.
 * Room: cli. Both versions are loaded and compared by construct; with --prove the
 * solver looks at changed predicates, and invariants beside either file are decided for
 * NEW. What is printed is one report; nothing is written. Exit status 1 asks for a
 * migration policy or reports an invariant, 2 is for options that do not go together, 3
 * for a file that cannot be read. */
#include "analyze/version/diff_report.h"
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/invariants.h"
#include "cli/topic.h"
#include "cli/versions.h"

/* clang-format off */
const cli_option CMD_DIFF_OPTIONS[] = {
    {"breaking",  NULL,   "one line per change, the most severe first"},
    {"prove",     NULL,   "resolve what requires analysis by proof"},
    {"scenarios", "FILE", "with --prove: its invariants must hold of NEW (those beside OLD and NEW)"},
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
"Invariants (motet help ask) in the scenario files beside OLD and NEW are decided for\n"
"NEW.\n\n"
"Exit status 1: a migration policy must be declared to deploy NEW, or an invariant\n"
"does not hold of it or was not decided.";
/* clang-format on */

/* ---- invariants ---- */

/* Those beside OLD bind NEW as well: a version does not lose its promises by leaving
 * them out. With --scenarios both are the same file, which is asked once. */
typedef struct promises {
    cli_invariants lists[2];
    size_t unmet;
} promises;

/* Without any promise the solver is not asked at all. */
static int decide(const cli_args *args, cli_versions *v, promises *p)
{
    cli_contract *now = &v->new.contract;
    mt_arena *a = &now->arena;
    an_union all;
    bool given = cli_value(args, "scenarios") != NULL;
    int code = cli_invariants_read(args, a, now->path, &p->lists[0]);
    if (!code && !given) {
        code = cli_invariants_read(args, a, v->old.contract.path, &p->lists[1]);
    }
    if (code || !(p->lists[0].len + p->lists[1].len)) {
        return code;
    }
    code = cli_union_of(args, now, &all);
    for (int i = 0; i < 2 && !code; i++) {
        p->unmet += cli_invariants_ask(&p->lists[i], &all, &now->limits);
    }
    return code;
}

/* A question that both files have is told once. Those that hold count as told, as there
 * is nothing to say of them. */
static bool is_told(const promises *p, int list, size_t item)
{
    const an_invariant *i = &p->lists[list].items[item];
    bool told = i->reply.kind == AN_REPLY_YES;
    for (size_t k = 0; list && k < p->lists[0].len && !told; k++) {
        told = mt_str_eq(p->lists[0].items[k].question, i->question);
    }
    return told;
}

static void each_unmet(const promises *p, void (*visit)(void *, const an_invariant *),
                       void *context)
{
    for (int l = 0; l < 2; l++) {
        for (size_t i = 0; i < p->lists[l].len; i++) {
            if (!is_told(p, l, i)) {
                visit(context, &p->lists[l].items[i]);
            }
        }
    }
}

static void visit_json(void *w, const an_invariant *i)
{
    an_invariant_json(w, i);
}

static void visit_text(void *out, const an_invariant *i)
{
    an_invariant_text(out, i);
}

/* ---- reports ---- */

/* "unmet_invariants" is there only if there are any. */
static void write_json(mt_buf *out, const cli_versions *v, const promises *p)
{
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    aw_versions_json(&w, v);
    if (p->unmet) {
        mt_jw_keyz(&w, "unmet_invariants");
        mt_jw_begin_array(&w);
        each_unmet(p, visit_json, &w);
        mt_jw_end_array(&w);
    }
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* By class, the most severe first, or by construct; members in the order of the
 * System. */
static void write_text(mt_buf *out, const cli_args *args, const cli_versions *v,
                       const promises *p)
{
    void (*text)(mt_buf *, const an_diff *) =
        cli_flag(args, "breaking") ? an_diff_text_by_class : an_diff_text;
    text(out, v->diff);
    for (size_t i = 0; i < v->member_count; i++) {
        mt_buf_addf(out, "\nmember %.*s: ", MT_ARG(v->members[i].id));
        text(out, v->members[i].diff);
    }
    each_unmet(p, visit_text, out);
}

/* Changes that ask for a policy and are not in the baseline. */
static int count_fresh(const cli_args *args, cli_versions *v, const char *path,
                       uint32_t *fresh)
{
    mt_arena *a = &v->new.contract.arena;
    mt_json *baseline = mt_new(a, mt_json);
    int code = cli_read_tree(args, a, path, &v->new.contract.limits, baseline);
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
    return err ? cli_fail(args, CLI_FAILS, "%s: no report of motet diff --json", path)
               : CLI_HOLDS;
}

/* Exit status 1 when a policy is required; with --baseline, only for changes that the
 * baseline does not know. */
static int print(const cli_args *args, cli_versions *v, const promises *p)
{
    const char *baseline = cli_value(args, "baseline");
    bool json = cli_flag(args, "json");
    /* Without a baseline whether a policy is required is the whole answer (§18.3,
     * M2). */
    uint32_t fresh = v->policy_required;
    if (baseline) {
        int code = count_fresh(args, v, baseline, &fresh);
        if (code) {
            return code;
        }
    }
    mt_buf out = {0};
    if (cli_flag(args, "migration")) {
        an_migration_contract(&out, v->diff);
    } else if (json) {
        write_json(&out, v, p);
    } else {
        write_text(&out, args, v, p);
        if (baseline) {
            mt_buf_addf(&out, "%u not in the baseline\n", fresh);
        }
    }
    return cli_engine_print(args, &out, fresh || p->unmet ? CLI_FAILS : CLI_HOLDS);
}

/* Options that have no meaning together are refused before anything is read. */
int cmd_diff(const cli_args *args)
{
    if (cli_flag(args, "migration") && cli_flag(args, "json")) {
        return cli_fail(args, CLI_USAGE, "--migration prints source, not JSON");
    }
    if (cli_value(args, "scenarios") && !cli_flag(args, "prove")) {
        return cli_fail(args, CLI_USAGE, "--scenarios goes with --prove");
    }
    cli_versions v;
    promises p = {0};
    int code = cli_versions_load(args, &v);
    if (!code && cli_flag(args, "prove")) {
        aw_reply r = {0};
        code = cli_reply(args, &v.new.contract, &r, aw_versions_prove(&v, &r));
        code = code ? code : decide(args, &v, &p);
    }
    code = code ? code : print(args, &v, &p);
    cli_versions_free(&v);
    return code;
}
