/* contract/front/elaborate.c - the passes in their order. */
#include "contract/elaborate.h"

#include "contract/front/lint.h"
#include "contract/front/system.h"
#include "contract/front/unit.h"

/* What the conformance suite compares: one error per contract. */
const mt_diag *ct_first_error(const mt_diags *ds)
{
    for (size_t i = 0; i < ds->len; i++) {
        if (ds->items[i].severity == MT_ERROR) {
            return &ds->items[i];
        }
    }
    return NULL;
}

/* Also after faults: whoever prints diagnostics needs the sources they point into. */
static void finish(fr_unit *u, ct_elaboration *out)
{
    mt_diags_append(u->first, &u->later);
    mt_diags_append(u->first, &u->remarks);
    ct_source *sources = mt_new_array(u->keep, ct_source, u->files.len);
    for (size_t i = 0; i < u->files.len; i++) {
        const fr_file *f = u->files.items[i];
        sources[i] = (ct_source){f->path, f->id, f->text};
    }
    out->sources = sources;
    out->source_count = u->files.len;
    out->members = u->members;
    out->member_count = u->member_count;
    out->unit = u;
}

/* Everything after the sources are read. Every pass runs even after faults, each
 * leaving broken constructs alone: an author sees all that is wrong in one run. Only a
 * bundle needs a contract without faults. Warnings are for contracts that were
 * understood completely, since an unused name may be used in what did not parse. */
static void run_passes(fr_unit *u, ct_elaboration *out)
{
    fr_pass2_index(u);
    fr_pass3_types(u);
    fr_pass4_check(u);
    fr_pass5_validate(u);
    if (u->kinds[FR_SYSTEM].len) {
        out->is_system = true;
        /* A System that is a member is refused by whoever asked (C-SYS-03). Entering it
         * would not end where Systems name each other. */
        if (!u->is_member) {
            fr_elaborate_members(u);
        }
    }
    if (!fr_refused(u)) {
        out->bundle = fr_pass6_emit(u);
    }
    if (!u->options.no_warnings && !u->incomplete && !u->damaged) {
        fr_warn(u);
    }
    if (!u->options.no_warnings) {
        fr_lint_check(u);
    }
    if (fr_refused(u)) {
        out->bundle = MT_STR(""); /* by a warning that is denied */
    }
}

/* The result is made in any case, so that diagnostics can be shown with their sources.
 * Errors are counted from where the caller's list stood. MT_E_REJECTED is for contracts
 * with faults; other codes say that the root could not be read at all. */
mt_err fr_elaborate_named(mt_arena *keep, mt_str id, mt_str path,
                          const mt_provider *files, const ct_options *opts,
                          mt_diags *ds, const ct_elaboration **out)
{
    static const ct_options DEFAULT;
    fr_unit *u = mt_new(keep, fr_unit);
    ct_elaboration *result = mt_new(keep, ct_elaboration);
    u->keep = keep;
    u->provider = files;
    u->is_member = id.len > 0;
    u->options = opts ? *opts : DEFAULT;
    u->limits = u->options.limits ? u->options.limits : &MT_LIMITS_DEFAULT;
    ds->limit = ds->limit ? ds->limit : u->limits->diagnostics;
    u->first = ds;
    u->later = u->remarks = (mt_diags){.arena = ds->arena, .limit = ds->limit};
    fr_symbols_init(&u->syms, keep);
    result->id = mt_str_stem(path);
    result->bundle = MT_STR("");
    size_t errors = ds->errors;
    mt_err err = fr_pass1_bundle(u, id, path);
    if (err == MT_OK) {
        run_passes(u, result);
    }
    finish(u, result);
    *out = result;
    if (err != MT_OK && err != MT_E_REJECTED) {
        return err;
    }
    return err != MT_OK || ds->errors > errors ? MT_E_REJECTED : MT_OK;
}

mt_err ct_elaborate(mt_arena *keep, mt_str root, const mt_provider *files,
                    const ct_options *opts, mt_diags *ds, const ct_elaboration **out)
{
    return fr_elaborate_named(keep, MT_STR(""), root, files, opts, ds, out);
}
