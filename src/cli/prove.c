/* cli/prove.c - proofs about a loaded contract, with progress.
 *
 * The prover is made for each bundle, asked, and freed; findings are added to the
 * caller's list or become diagnostics with facts to try as their hint. Ctrl-C
 * interrupts the solver once: what was found until then is reported, with the rest
 * marked as open; a second Ctrl-C ends the program as usual. `asked` is what the
 * handler sees, and only while a prover is asked.
 *
 * Two versions are proven on the diff that was made, members of Systems each with its
 * own. */
#include "cli/prove.h"

#include "analyze/prove/prove_diff.h"
#include "analyze/prove/prove_faults.h"
#include "analyze/prove/prove_findings.h"

/* ---- Ctrl-C ---- */

static an_prover *volatile asked; /* while it is asked */

/* an_prover_interrupt() may be called from a handler. `asked` is NULL outside a
 * proof. */
static void interrupt(int number)
{
    (void)number;
    if (asked) {
        an_prover_interrupt(asked);
    }
}

typedef struct handlers {
    struct sigaction old_int, old_term;
} handlers;

/* A second signal ends the program as usual. */
static handlers catch_for(an_prover *p)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    handlers h;
    asked = p;
    sigaction(SIGINT, &action, &h.old_int);
    sigaction(SIGTERM, &action, &h.old_term);
    return h;
}

/* `asked` is cleared last: until the old handlers are back ours may still run. */
static void release(const handlers *h)
{
    sigaction(SIGINT, &h->old_int, NULL);
    sigaction(SIGTERM, &h->old_term, NULL);
    asked = NULL;
}

/* ---- Findings ---- */

/* It was admitted already: the contract's own model is there, and of a member only an
 * error would be news. */
static mt_err compile_bundle(cli_contract *c, mt_str bundle, const ct_program **out)
{
    const ct_model *m = c->admitted.model;
    mt_diags again = {.arena = &c->arena};
    bool own = bundle.ptr == c->bundle.ptr && m;
    mt_err err =
        own ? MT_OK : ct_load(&c->arena, bundle, c->path, &c->limits, &again, &m);
    for (size_t i = 0; err && i < again.len; i++) {
        mt_diag_add(&c->ds, &again.items[i]);
    }
    *out = err ? NULL : ct_compile(&c->arena, m);
    return err;
}

/* Signals are caught while the solver works, since it does not look up by itself; the
 * old handlers come back before anything is printed. */
static mt_err prove_bundle(cli_contract *c, mt_str bundle, mt_str member,
                           cli_progress *progress, an_findings *fs, bool *complete)
{
    const ct_program *program;
    mt_err err = compile_bundle(c, bundle, &program);
    if (err) {
        return err;
    }
    an_prover *p = an_prover_new(program, NULL, &c->limits);
    an_watcher watcher = {cli_progress_step, progress};
    handlers before = catch_for(p);
    *complete = an_prove_findings(p, program, member, watcher, fs) && *complete;
    release(&before);
    an_prover_free(p);
    return MT_OK;
}

/* What can end in an error; the solver is loaded only where it is needed. */
static mt_err find_faults(cli_contract *c, mt_str bundle, mt_str member,
                          cli_progress *progress, an_findings *fs, bool *complete)
{
    const ct_program *program;
    an_watcher watcher = {cli_progress_step, progress};
    mt_err err = compile_bundle(c, bundle, &program);
    if (!err) {
        *complete =
            an_prove_faults(program, &c->limits, member, watcher, fs) && *complete;
    }
    return err;
}

/* Members of a System are proven one by one; what is across them is the analysis's
 * business. An interrupted proof leaves *complete false and keeps what was found. */
typedef mt_err finder(cli_contract *c, mt_str bundle, mt_str member,
                      cli_progress *progress, an_findings *fs, bool *complete);

static mt_err each_bundle(cli_contract *c, finder *find, cli_progress *progress,
                          an_findings *fs, bool *complete)
{
    if (!c->e || !c->e->is_system) {
        return find(c, c->bundle, MT_STR(""), progress, fs, complete);
    }
    mt_err err = MT_OK;
    for (size_t i = 0; i < c->e->member_count && !err && *complete; i++) {
        const ct_member *member = &c->e->members[i];
        if (member->contract) {
            err = find(c, member->contract->bundle, member->id, progress, fs, complete);
        }
    }
    return err;
}

mt_err cli_prove_contract(cli_contract *c, cli_progress *progress, an_findings *fs,
                          bool *complete)
{
    *complete = true;
    mt_err err = each_bundle(c, find_faults, progress, fs, complete);
    return err ? err : each_bundle(c, prove_bundle, progress, fs, complete);
}

static mt_str hint_with_facts(mt_arena *a, const an_finding *f)
{
    if (!f->details.len) {
        return f->hint;
    }
    return mt_strf(a, "%.*s%s%.*s", MT_ARG(f->hint), f->hint.len ? "; see " : "see ",
                   MT_ARG(f->details));
}

/* As severe as comments and options say; false if it is allowed. */
static bool with_level(const cli_contract *c, mt_diag *d)
{
    ct_lint_level level =
        c->e && d->severity != MT_ERROR ? ct_lint_of(c->e, d) : CT_LINT_DEFAULT;
    d->severity = level == CT_LINT_DENY   ? MT_ERROR
                  : level == CT_LINT_WARN ? MT_WARNING
                                          : d->severity;
    return level != CT_LINT_ALLOW;
}

/* Provenance names a file without its directory; the first of that name is meant. */
static mt_str path_of(const cli_contract *c, mt_str name)
{
    for (size_t i = 0; i < c->sources.len; i++) {
        if (name.len && mt_str_eq(mt_str_basename(c->sources.items[i].name), name)) {
            return c->sources.items[i].name;
        }
    }
    return name.len ? name : c->path;
}

/* A finding becomes a diagnostic, so `check --prove` shows it with its line like any
 * other. */
static void add_diagnostic(cli_contract *c, const an_finding *f)
{
    mt_str member = f->member;
    mt_diag d = {.severity = f->severity,
                 .code = f->code,
                 .pass = -1,
                 .file = path_of(c, f->origin.file),
                 .line = f->origin.line,
                 .construct_kind = mt_str_z(f->kind),
                 .construct_id = f->construct,
                 .hint = hint_with_facts(&c->arena, f)};
    d.message = mt_strf(&c->arena, "%.*s%s%s %.*s: %.*s", MT_ARG(member),
                        member.len ? ": " : "", f->kind, MT_ARG(f->construct),
                        MT_ARG(f->message));
    if (with_level(c, &d)) {
        mt_diag_add(&c->ds, &d);
    }
}

mt_err cli_prove_diagnostics(const cli_args *args, cli_contract *c, bool all)
{
    an_findings fs = {.arena = &c->arena};
    cli_progress progress;
    bool complete = true; /* a finding says so */
    cli_progress_start(&progress, args);
    mt_err err = all ? cli_prove_contract(c, &progress, &fs, &complete)
                     : each_bundle(c, find_faults, &progress, &fs, &complete);
    cli_progress_end(&progress);
    for (size_t i = 0; i < fs.len; i++) {
        add_diagnostic(c, &fs.items[i]);
    }
    return err;
}

/* ---- Two versions ---- */

/* Only members that both versions have were compared; hence it must be there. */
static mt_err member_program(cli_version *v, mt_str id, const ct_program **out)
{
    cli_contract *c = &v->contract;
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
mt_err cli_prove_versions(cli_versions *v)
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
            return err;
        }
        an_prove_diff(a, old, now, limits, v->members[i].diff);
        v->policy_required |= v->members[i].diff->policy_required;
    }
    return MT_OK;
}
