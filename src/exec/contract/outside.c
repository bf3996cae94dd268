/* exec/contract/outside.c - what a configuration lets a contract ask of the world.
 * Room: exec. */
#include "exec/contract/kept_facts.h"
#include "exec/contract/version.h"
#include "exec/executor_internal.h"
#include "exec/machine.h"

/* Protocols that need no program of the operator's. */
static bool is_built_in(mt_str protocol)
{
    static const char *const NAMES[] = {"http",   "graphql", "database",
                                        "static", "manual",  "x_motet.clock"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (mt_str_eq(protocol, mt_str_z(NAMES[i]))) {
            return true;
        }
    }
    return false;
}

/* Without any configuration facts are pushed by who has the right; but what only a
 * program of the operator's can ask must be named at the start, not at the first call.
 */
static mt_err check_protocols(const ct_model *m, mt_diags *ds)
{
    mt_err err = MT_OK;
    for (uint32_t i = 0; i < m->fact_count; i++) {
        uint32_t s = m->facts[i].source_id;
        if (s != CT_NONE && !is_built_in(m->sources[s].protocol)) {
            mt_diag_add(ds, &(mt_diag){.severity = MT_ERROR,
                                       .code = "F102",
                                       .pass = -1,
                                       .construct_kind = MT_STR("Source"),
                                       .construct_id = m->sources[s].id,
                                       .message = mt_strf(
                                           ds->arena,
                                           "source '%.*s' speaks '%.*s', for which "
                                           "`sources` configures no command",
                                           MT_ARG(m->sources[s].id),
                                           MT_ARG(m->sources[s].protocol))});
            err = MT_E_REJECTED;
        }
    }
    return err;
}

mt_err ex_outside_read(mt_arena *a, const ex_executor_options *o, ex_outside *out,
                       mt_buf *why)
{
    *out =
        (ex_outside){.sources = o->adapters, .directory = mt_str_dup(a, o->directory)};
    return ad_gate_read(a, mt_json_at(o->settings, "outgoing"), &out->gate, why);
}

/* On a shared store all nodes judge age and expiry by one clock. */
static int64_t shared_now(void *version)
{
    const ex_version *v = version;
    return ex_now(v->x);
}

mt_err ex_adapters_open(const ex_outside *outside, const ct_model *m, ex_version *v,
                        bool accepted, mt_diags *ds, ad_adapters **out)
{
    if (!outside->sources) {
        return check_protocols(m, ds);
    }
    ad_adapter_options o = {.model = m,
                            .sources = outside->sources,
                            .directory = outside->directory,
                            .gate = &outside->gate,
                            .accepted = accepted,
                            .shared = true,
                            .lookup_manual = v ? ex_manual_lookup : NULL,
                            .now_ms = v && v->x->shared ? shared_now : NULL,
                            .context = v};
    return ad_adapters_open(&o, ds, out);
}
