/* cli/topic.c - loading what is asked about.
 * Room: cli. Of a contract or a System one union is made, with all members as far as
 * they are there. Source brings its members along; a bundle of a System only names
 * their files, which are then loaded from beside it. A member that is not there is
 * no failure: it has no program, and answers that would need it say so. A member
 * with errors is one. Everything lives in the arena of the contract. */
#include "cli/topic.h"

int cli_member_bundle(const cli_args *args, mt_arena *a, const cli_contract *c,
                      const an_sys_member *m, mt_str *bundle)
{
    *bundle = (mt_str){0};
    for (size_t i = 0; c->e && i < c->e->member_count; i++) {
        const ct_member *own = &c->e->members[i];
        if (mt_str_eq(own->id, m->id)) {
            *bundle = own->contract ? own->contract->bundle : *bundle;
        }
    }
    /* Elaborated from source: what it does not have is not there. */
    if (c->e) {
        return CLI_HOLDS;
    }
    cli_contract other;
    mt_str path = mt_str_dup(a, mt_path_join(a, mt_path_dir(c->path), m->path));
    int code = cli_contract_load(args, path.ptr, false, &other);
    if (code == CLI_HOLDS) {
        *bundle = mt_str_dup(a, other.bundle);
    } else if (code == CLI_FAILS) {
        cli_contract_report(args, &other, code);
    }
    cli_contract_free(&other);
    /* A file that cannot be read is a member that is not there. */
    return code == CLI_FAILS ? CLI_FAILS : CLI_HOLDS;
}

int cli_system_of(const cli_args *args, mt_arena *a, const cli_contract *c,
                  an_sys **out)
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
               ? cli_fail(args, CLI_FAILS,
                          "the System names members it does not have, or has another "
                          "shape")
               : CLI_HOLDS;
}

/* A member that is not there has no program; questions about states say so. */
static int load_member(const cli_args *args, cli_contract *c, const an_sys_member *m,
                       const ct_program **out)
{
    const ct_model *model;
    mt_str bundle;
    int code = cli_member_bundle(args, &c->arena, c, m, &bundle);
    *out = NULL;
    if (code || !bundle.len) {
        return code;
    }
    if (ct_load(&c->arena, bundle, m->path, &c->limits, &c->ds, &model)) {
        return cli_contract_report(args, c, CLI_FAILS);
    }
    *out = ct_compile(&c->arena, model);
    return CLI_HOLDS;
}

static int system_union(const cli_args *args, cli_contract *c, const an_sys *system,
                        an_union *out)
{
    mt_arena *a = &c->arena;
    const ct_program **programs =
        mt_new_array(a, const ct_program *, (size_t)system->member_count + 1);
    int code = CLI_HOLDS;
    for (uint32_t i = 0; i < system->member_count && !code; i++) {
        code = load_member(args, c, &system->members[i], &programs[i]);
    }
    if (!code && an_union_of_system(a, system, programs, &c->ds, out)) {
        code = cli_contract_report(args, c, CLI_FAILS);
    }
    return code;
}

/* The model is loaded again from the bundle: a question is asked of what would run, not
 * of what was written. */
static int contract_union(const cli_args *args, cli_contract *c, an_union *out)
{
    const ct_model *m;
    if (ct_load(&c->arena, c->bundle, c->path, &c->limits, &c->ds, &m) ||
        an_union_of(&c->arena, ct_compile(&c->arena, m), &c->ds, out)) {
        return cli_contract_report(args, c, CLI_FAILS);
    }
    return CLI_HOLDS;
}

int cli_union_of(const cli_args *args, cli_contract *c, an_union *out)
{
    an_sys *system;
    int code = cli_system_of(args, &c->arena, c, &system);
    if (code) {
        return code;
    }
    return system ? system_union(args, c, system, out) : contract_union(args, c, out);
}

int cli_topic_open(const cli_args *args, const char *path, cli_topic *out)
{
    *out = (cli_topic){0};
    int code = cli_contract_load(args, path, false, &out->contract);
    return code ? cli_contract_report(args, &out->contract, code)
                : cli_union_of(args, &out->contract, &out->all);
}

void cli_topic_free(cli_topic *s)
{
    cli_contract_free(&s->contract);
}
