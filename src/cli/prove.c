/* cli/prove.c - proofs about a loaded contract, with progress.
 * Room: cli. */
#include "cli/prove.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "contract/analyze/prove_diff.h"
#include "contract/analyze/prove_findings.h"

enum { QUIET_SECONDS = 2 };

typedef struct progress {
    time_t began, said;
} progress;

static time_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* A line on stderr that overwrites itself, once a second, where somebody watches. */
static bool go_on(void *context, const char *what, uint64_t done, uint64_t all)
{
    progress *p = context;
    time_t t = now();
    (void)all;
    if (t - p->began >= QUIET_SECONDS && t > p->said) {
        p->said = t;
        fprintf(stderr, "%s%s: %llu questions, %lld s%s", isatty(2) ? "\r" : "", what,
                (unsigned long long)done, (long long)(t - p->began),
                isatty(2) ? "" : "\n");
    }
    return true;
}

static mt_err prove_bundle(cli_contract *c, mt_str bundle, mt_str member,
                           ct_findings *fs)
{
    const ct_model *m;
    mt_err err = ct_load(&c->arena, bundle, c->path, &c->limits, &c->ds, &m);
    if (err) {
        return err;
    }
    const ct_program *program = ct_compile(&c->arena, m);
    ct_prover *p = ct_prover_new(program, NULL, &c->limits);
    progress seen = {.began = now()};
    size_t first = fs->len;
    ct_prove_findings(p, program, (ct_watcher){go_on, &seen}, fs);
    if (seen.said && isatty(2)) {
        fputc('\n', stderr);
    }
    for (size_t i = first; i < fs->len; i++) {
        fs->items[i].member = member;
    }
    ct_prover_free(p);
    return MT_OK;
}

mt_err cli_prove_contract(cli_contract *c, ct_findings *fs)
{
    if (!c->e || !c->e->is_system) {
        return prove_bundle(c, c->bundle, MT_STR(""), fs);
    }
    mt_err err = MT_OK;
    for (size_t i = 0; i < c->e->member_count && !err; i++) {
        const ct_member *member = &c->e->members[i];
        ct_findings own = {.arena = fs->arena};
        if (member->contract) {
            err = prove_bundle(c, member->contract->bundle, member->id, &own);
        }
        for (size_t k = 0; k < own.len; k++) {
            ct_finding_add(fs, &own.items[k]);
        }
    }
    return err;
}

static mt_str hint_with_facts(mt_arena *a, const ct_finding *f)
{
    if (!f->details.len) {
        return f->hint;
    }
    return mt_strf(a, "%.*s%s%.*s", MT_ARG(f->hint), f->hint.len ? "; see " : "see ",
                   MT_ARG(f->details));
}

static void add_diagnostic(cli_contract *c, const ct_finding *f)
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

mt_err cli_prove_diagnostics(cli_contract *c)
{
    ct_findings fs = {.arena = &c->arena};
    mt_err err = cli_prove_contract(c, &fs);
    for (size_t i = 0; i < fs.len; i++) {
        add_diagnostic(c, &fs.items[i]);
    }
    return err;
}

/* ---- Two versions ------------------------------------------------------------------
 */

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

mt_err cli_prove_versions(cli_versions *v)
{
    mt_arena *a = &v->new.contract.arena;
    const mt_limits *limits = &v->new.contract.limits;
    ct_prove_diff(a, ct_compile(a, v->old.model), ct_compile(a, v->new.model), limits,
                  v->diff);
    v->policy_required = v->diff->policy_required;
    for (size_t i = 0; i < v->member_count; i++) {
        const ct_program *old, *now;
        mt_err err = member_program(&v->old, v->members[i].id, &old);
        err = err ? err : member_program(&v->new, v->members[i].id, &now);
        if (err) {
            return err;
        }
        ct_prove_diff(a, old, now, limits, v->members[i].diff);
        v->policy_required |= v->members[i].diff->policy_required;
    }
    return MT_OK;
}
