/* answer/topic.c - loading what is asked about.
 * Of a contract or a System one union is made, with all members as far as they are
 * there. Source brings its members along; a bundle of a System only names their files,
 * which the contract's reader of members may have. A member that is not there is no
 * failure: it has no program, and answers that would need it say so. A member with
 * errors is one. */
#include "answer/topic.h"

int aw_member_bundle(mt_arena *a, const aw_contract *c, const an_sys_member *m,
                     mt_str *bundle)
{
    *bundle = (mt_str){0};
    for (size_t i = 0; c->e && i < c->e->member_count; i++) {
        const ct_member *own = &c->e->members[i];
        if (mt_str_eq(own->id, m->id)) {
            *bundle = own->contract ? own->contract->bundle : *bundle;
        }
    }
    /* Elaborated from source: what it does not have is not there. */
    if (c->e || !c->member) {
        return AW_HOLDS;
    }
    return c->member(c->member_state, c, a, m->path, bundle) ? AW_HOLDS : AW_FAILS;
}

int aw_system_of(mt_arena *a, const aw_contract *c, aw_reply *r, an_sys **out)
{
    mt_json *tree = mt_new(a, mt_json);
    an_sys *system = mt_new(a, an_sys);
    mt_json_limits bounds = {.bytes = c->limits.json_bytes,
                             .depth = c->limits.bundle_depth};
    mt_err err = mt_json_read(a, c->bundle, &bounds, tree, NULL);
    err = err ? err : an_sys_read(a, tree, system);
    /* A contract alone is told by NULL, not by a failure. */
    *out = err ? NULL : system;
    return err == MT_E_REJECTED
               ? aw_fail(r, AW_FAILS,
                         "the System names members it does not have, or has another "
                         "shape")
               : AW_HOLDS;
}

/* A member that is not there has no program; questions about states say so. */
static int load_member(aw_contract *c, aw_reply *r, const an_sys_member *m,
                       const ct_program **out)
{
    const ct_model *model;
    mt_str bundle;
    int code = aw_member_bundle(&c->arena, c, m, &bundle);
    *out = NULL;
    if (code || !bundle.len) {
        return code;
    }
    if (ct_load(&c->arena, bundle, m->path, &c->limits, &c->ds, &model)) {
        return aw_refused(r);
    }
    *out = ct_compile(&c->arena, model);
    return AW_HOLDS;
}

static int system_union(aw_contract *c, aw_reply *r, const an_sys *system,
                        an_union *out)
{
    mt_arena *a = &c->arena;
    const ct_program **programs =
        mt_new_array(a, const ct_program *, (size_t)system->member_count + 1);
    int code = AW_HOLDS;
    for (uint32_t i = 0; i < system->member_count && !code; i++) {
        code = load_member(c, r, &system->members[i], &programs[i]);
    }
    if (!code && an_union_of_system(a, system, programs, &c->ds, out)) {
        code = aw_refused(r);
    }
    return code;
}

/* The model is loaded again from the bundle: a question is asked of what would run, not
 * of what was written. */
static int contract_union(aw_contract *c, aw_reply *r, an_union *out)
{
    const ct_model *m;
    if (ct_load(&c->arena, c->bundle, c->path, &c->limits, &c->ds, &m) ||
        an_union_of(&c->arena, ct_compile(&c->arena, m), &c->ds, out)) {
        return aw_refused(r);
    }
    return AW_HOLDS;
}

int aw_union_of(aw_contract *c, aw_reply *r, an_union *out)
{
    an_sys *system;
    int code = aw_system_of(&c->arena, c, r, &system);
    if (code) {
        return code;
    }
    return system ? system_union(c, r, system, out) : contract_union(c, r, out);
}
