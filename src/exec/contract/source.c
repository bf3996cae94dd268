/* exec/contract/source.c - the contracts in a file: source, bundle, manifest or System.
 * Room: exec. A signed manifest is verified before anything of it is used.
 *
 * Text that begins with a brace is a bundle or a manifest, everything else is
 * source. A System in source brings all its members, and each must be there
 * (C-SYS-02); its triggers would lead nowhere otherwise. A bundle of a System has no
 * members inside and is refused. May fail: MT_E_REJECTED, MT_E_NOTFOUND, MT_E_DENIED
 * and what files can fail with; `why` gets one sentence. Results live in the arena. */
#include <errno.h>

#include "base/vec.h"
#include "contract/elaborate.h"
#include "contract/wire/validate.h"
#include "exec/contract/source.h"

#include "exec/evidence/trust.h"
#include "os/file.h"
#include "os/sources.h"

/* The first error only: this is for a log or an answer of the API, `motet check`
 * shows all. */
static mt_err say_first(const mt_diags *ds, const char *path, mt_err err, mt_buf *why)
{
    const mt_diag *d = ct_first_error(ds);
    if (d) {
        mt_buf_addf(why, "%.*s:%u:%u: %s: %.*s", MT_ARG(d->file), d->line, d->column,
                    d->code, MT_ARG(d->message));
    } else {
        mt_buf_addf(why, "%s: %s", path, mt_err_text(err));
    }
    return err;
}

static void add(mt_arena *a, ex_sources *out, mt_str id, mt_str bundle, mt_str trust)
{
    ex_source s = {.id = id, .bundle = bundle, .trust = trust};
    mt_vec_push(a, out, s);
}

mt_err ex_manifest_trust(mt_arena *a, mt_str text, const mt_limits *limits,
                         mt_str *trust, mt_buf *why)
{
    mt_json tree;
    mt_json_limits most = {limits->json_bytes, limits->bundle_depth};
    if (mt_json_read(a, text, &most, &tree, NULL) || !mt_json_at(&tree, "trust")) {
        return MT_OK;
    }
    /* A `trust` without a signature only declares a domain and is passed on as it
     * is. With one it must verify, by the manifest's own key: that is not whose key
     * it is, but that nobody changed the bundle since. */
    if (mt_json_at(mt_json_at(&tree, "trust"), "bundle_attestation")) {
        ex_trust_finding found;
        mt_err err = ex_trust_verify(a, text, NULL, limits, &found);
        if (err) {
            mt_buf_addf(why, "the manifest does not verify: %.*s",
                        MT_ARG(found.problem));
            return err;
        }
    }
    mt_buf out = {0};
    mt_json_write(&out, mt_json_at(&tree, "trust"), false);
    *trust = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return MT_OK;
}

static mt_err read_bundle(mt_arena *a, const char *path, mt_str text,
                          const mt_limits *limits, ex_sources *out, mt_buf *why)
{
    mt_diags ds = {.arena = a, .limit = limits->diagnostics};
    ct_document d;
    mt_str trust = {0};
    mt_err err = ct_validate(a, mt_str_z(path), text, limits, &ds, &d);
    if (err) {
        return say_first(&ds, path, err, why);
    }
    if (ct_is_system(d.tree)) {
        mt_buf_addf(why, "%s: a System is served from its source, with its members",
                    path);
        return MT_E_REJECTED;
    }
    if (d.is_manifest) {
        err = ex_manifest_trust(a, text, limits, &trust, why);
    }
    if (!err) {
        add(a, out, mt_json_text(mt_json_at(d.tree, "id")), d.bundle, trust);
    }
    return err;
}

static mt_err read_source(mt_arena *a, const char *path, const mt_limits *limits,
                          ex_sources *out, mt_buf *why)
{
    mt_diags ds = {.arena = a, .limit = limits->diagnostics};
    os_sources files = {0};
    mt_provider provider = os_sources_provider(&files, limits);
    ct_options options = {.no_warnings = true, .limits = limits};
    const ct_elaboration *e = NULL;
    mt_err err = ct_elaborate(a, mt_str_z(path), &provider, &options, &ds, &e);
    if (err) {
        return say_first(&ds, path, err, why);
    }
    if (!e->is_system) {
        add(a, out, e->id, e->bundle, (mt_str){0});
        return MT_OK;
    }
    out->system = (ex_source){.id = e->id, .bundle = e->bundle};
    for (size_t i = 0; i < e->member_count; i++) {
        const ct_member *m = &e->members[i];
        if (!m->contract) {
            mt_buf_addf(why, "%s: member '%.*s' has no file %.*s (C-SYS-02)", path,
                        MT_ARG(m->id), MT_ARG(m->file));
            return MT_E_NOTFOUND;
        }
        add(a, out, m->id, m->contract->bundle, (mt_str){0});
    }
    return MT_OK;
}

mt_err ex_source_read(mt_arena *a, const char *path, const mt_limits *limits,
                      ex_sources *out, mt_buf *why)
{
    mt_str text;
    mt_err err = os_read_file(a, path, limits->json_bytes, &text);
    if (err) {
        mt_buf_addf(why, "%s: %s", path, errno ? strerror(errno) : mt_err_text(err));
        return err;
    }
    mt_str head = mt_str_trim(text, MT_STR(" \t\r\n"));
    if (head.len && head.ptr[0] == '{') {
        return read_bundle(a, path, text, limits, out, why);
    }
    return read_source(a, path, limits, out, why);
}
