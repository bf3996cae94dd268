/* answer/findings.c - proofs about a loaded contract, and what they find.
 *
 * The prover is made for each bundle, asked, and freed; findings are added to the
 * caller's list or become diagnostics with facts to try as their hint. Who asks may
 * interrupt the solver: what was found until then is kept, with the rest marked as
 * open. */
#include "answer/findings.h"

#include "analyze/prove/prove_faults.h"
#include "analyze/prove/prove_findings.h"

static void tell(const aw_patience *patience, an_prover *p)
{
    if (patience->asks) {
        patience->asks(patience->state, p);
    }
}

/* It was admitted already: the contract's own model is there, and of a member only an
 * error would be news. */
static mt_err compile_bundle(aw_contract *c, mt_str bundle, const ct_program **out)
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

static mt_err prove_bundle(aw_contract *c, mt_str bundle, mt_str member,
                           const aw_patience *patience, an_findings *fs, bool *complete)
{
    const ct_program *program;
    mt_err err = compile_bundle(c, bundle, &program);
    if (err) {
        return err;
    }
    an_prover *p = an_prover_new(program, NULL, &c->limits);
    tell(patience, p);
    *complete =
        an_prove_findings(p, program, member, patience->watcher, fs) && *complete;
    tell(patience, NULL);
    an_prover_free(p);
    return MT_OK;
}

/* What can end in an error; the solver is loaded only where it is needed. */
static mt_err find_faults(aw_contract *c, mt_str bundle, mt_str member,
                          const aw_patience *patience, an_findings *fs, bool *complete)
{
    const ct_program *program;
    mt_err err = compile_bundle(c, bundle, &program);
    if (!err) {
        *complete =
            an_prove_faults(program, &c->limits, member, patience->watcher, fs) &&
            *complete;
    }
    return err;
}

/* Members of a System are proven one by one; what is across them is the analysis's
 * business. An interrupted proof leaves *complete false and keeps what was found. */
typedef mt_err finder(aw_contract *c, mt_str bundle, mt_str member,
                      const aw_patience *patience, an_findings *fs, bool *complete);

static mt_err each_bundle(aw_contract *c, finder *find, const aw_patience *patience,
                          an_findings *fs, bool *complete)
{
    if (!c->e || !c->e->is_system) {
        return find(c, c->bundle, MT_STR(""), patience, fs, complete);
    }
    mt_err err = MT_OK;
    for (size_t i = 0; i < c->e->member_count && !err && *complete; i++) {
        const ct_member *member = &c->e->members[i];
        if (member->contract) {
            err = find(c, member->contract->bundle, member->id, patience, fs, complete);
        }
    }
    return err;
}

mt_err aw_prove_contract(aw_contract *c, const aw_patience *patience, an_findings *fs,
                         bool *complete)
{
    *complete = true;
    mt_err err = each_bundle(c, find_faults, patience, fs, complete);
    return err ? err : each_bundle(c, prove_bundle, patience, fs, complete);
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
static bool with_level(const aw_contract *c, mt_diag *d)
{
    ct_lint_level level =
        c->e && d->severity != MT_ERROR ? ct_lint_of(c->e, d) : CT_LINT_DEFAULT;
    d->severity = level == CT_LINT_DENY   ? MT_ERROR
                  : level == CT_LINT_WARN ? MT_WARNING
                                          : d->severity;
    return level != CT_LINT_ALLOW;
}

/* Provenance names a file without its directory; the first of that name is meant. */
static mt_str path_of(const aw_contract *c, mt_str name)
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
static void add_diagnostic(aw_contract *c, const an_finding *f)
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

mt_err aw_prove_diagnostics(aw_contract *c, const aw_patience *patience, bool all)
{
    an_findings fs = {.arena = &c->arena};
    bool complete = true; /* a finding says so */
    mt_err err = all ? aw_prove_contract(c, patience, &fs, &complete)
                     : each_bundle(c, find_faults, patience, &fs, &complete);
    for (size_t i = 0; i < fs.len; i++) {
        add_diagnostic(c, &fs.items[i]);
    }
    return err;
}
