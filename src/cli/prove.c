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

/* Signals are caught while the solver works, since it does not look up by itself; the
 * old handlers come back before anything is printed. */
static mt_err prove_bundle(cli_contract *c, mt_str bundle, mt_str member,
                           cli_progress *progress, an_findings *fs, bool *complete)
{
    const ct_model *m;
    mt_err err = ct_load(&c->arena, bundle, c->path, &c->limits, &c->ds, &m);
    if (err) {
        return err;
    }
    const ct_program *program = ct_compile(&c->arena, m);
    an_prover *p = an_prover_new(program, NULL, &c->limits);
    an_watcher watcher = {cli_progress_step, progress};
    handlers before = catch_for(p);
    *complete = an_prove_findings(p, program, member, watcher, fs) && *complete;
    release(&before);
    an_prover_free(p);
    return MT_OK;
}

/* Members of a System are proven one by one; what is across them is the analysis's
 * business. An interrupted proof leaves *complete false and keeps what was found. */
mt_err cli_prove_contract(cli_contract *c, cli_progress *progress, an_findings *fs,
                          bool *complete)
{
    *complete = true;
    if (!c->e || !c->e->is_system) {
        return prove_bundle(c, c->bundle, MT_STR(""), progress, fs, complete);
    }
    mt_err err = MT_OK;
    for (size_t i = 0; i < c->e->member_count && !err && *complete; i++) {
        const ct_member *member = &c->e->members[i];
        if (member->contract) {
            err = prove_bundle(c, member->contract->bundle, member->id, progress, fs,
                               complete);
        }
    }
    return err;
}

static mt_str hint_with_facts(mt_arena *a, const an_finding *f)
{
    if (!f->details.len) {
        return f->hint;
    }
    return mt_strf(a, "%.*s%s%.*s", MT_ARG(f->hint), f->hint.len ? "; see " : "see ",
                   MT_ARG(f->details));
}

/* A finding becomes a diagnostic, so `check --prove` shows it with its line like any
 * other. */
static void add_diagnostic(cli_contract *c, const an_finding *f)
{
    mt_str member = f->member;
    mt_diag d = {.severity = f->severity,
                 .code = f->code,
                 .pass = -1,
                 .file = f->origin.file.len ? f->origin.file : c->path,
                 .line = f->origin.line,
                 .construct_kind = mt_str_z(f->kind),
                 .construct_id = f->construct,
                 .hint = hint_with_facts(&c->arena, f)};
    d.message = mt_strf(&c->arena, "%.*s%s%s %.*s: %.*s", MT_ARG(member),
                        member.len ? ": " : "", f->kind, MT_ARG(f->construct),
                        MT_ARG(f->message));
    mt_diag_add(&c->ds, &d);
}

mt_err cli_prove_diagnostics(const cli_args *args, cli_contract *c)
{
    an_findings fs = {.arena = &c->arena};
    cli_progress progress;
    bool complete; /* a finding says so */
    cli_progress_start(&progress, args);
    mt_err err = cli_prove_contract(c, &progress, &fs, &complete);
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
