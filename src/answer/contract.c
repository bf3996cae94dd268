/* answer/contract.c - reads a contract and keeps all that is to be said about it.
 *
 * Source and interchange end at the same gate (contract/wire/admit.h), so nobody sees a
 * model that was not validated. The first error is taken in the order of the checks,
 * before diagnostics are sorted by place (§14.3).
 *
 * A contract that was read does not change: what is asked of it later allocates in a
 * view, so threads may ask at once. */
#include "answer/contract.h"

#include "contract/elaborate.h"

void aw_contract_start(aw_contract *c, mt_str path, const mt_limits *limits)
{
    *c = (aw_contract){.limits = limits ? *limits : MT_LIMITS_DEFAULT, .path = path};
    c->ds.arena = &c->arena;
    c->ds.limit = c->limits.diagnostics;
}

void aw_contract_free(aw_contract *c)
{
    mt_arena_free(&c->arena);
}

/* The object the conformance suite compares; only the first error is in it. */
static void take_error(aw_contract *c)
{
    const mt_diag *first = ct_first_error(&c->ds);
    if (first) {
        c->error = ct_error_json(&c->arena, first, false);
    }
}

void aw_contract_unread(aw_contract *c, const char *code, mt_str message)
{
    mt_diag d = {.severity = MT_ERROR,
                 .code = code,
                 .pass = 1,
                 .file = c->path,
                 .message = message};
    mt_diag_add(&c->ds, &d);
    take_error(c);
}

/* Interchange of other elaborators takes the same gate as our own. */
mt_err aw_contract_interchange(aw_contract *c, mt_str text)
{
    aw_source *source = mt_new(&c->arena, aw_source);
    *source = (aw_source){c->path, text};
    c->sources = (aw_sources){source, 1};
    mt_err err = ct_admit(&c->arena, c->path, text, &c->limits, &c->ds, &c->admitted);
    take_error(c);
    c->bundle = err ? (mt_str){0} : c->admitted.document.bundle;
    c->is_manifest = c->admitted.document.is_manifest;
    return err;
}

/* Members are contracts of their own with files of their own, at any depth. */
static size_t count_sources(const ct_elaboration *e)
{
    size_t n = e->source_count;
    for (size_t i = 0; i < e->member_count; i++) {
        n += e->members[i].contract ? count_sources(e->members[i].contract) : 0;
    }
    return n;
}

/* The same walk as count_sources(), so the array fits. */
static aw_source *add_sources(aw_source *at, const ct_elaboration *e)
{
    for (size_t i = 0; i < e->source_count; i++) {
        *at++ = (aw_source){e->sources[i].path, e->sources[i].text};
    }
    for (size_t i = 0; i < e->member_count; i++) {
        at = e->members[i].contract ? add_sources(at, e->members[i].contract) : at;
    }
    return at;
}

/* Faults of the configuration are shown, too. */
static void take_sources(aw_contract *c, const aw_source *config)
{
    size_t n = count_sources(c->e);
    aw_source *items = mt_new_array(&c->arena, aw_source, n + 1);
    add_sources(items, c->e);
    bool more = config && config->name.len;
    items[n] = more ? *config : (aw_source){0};
    c->sources = (aw_sources){items, n + more};
}

/* What was elaborated is then admitted like any other bundle, so what checks is what
 * runs. */
mt_err aw_contract_source(aw_contract *c, const mt_provider *files,
                          const ct_options *options, const aw_source *config)
{
    mt_err err = ct_elaborate(&c->arena, c->path, files, options, &c->ds, &c->e);
    if (!err) {
        err = ct_admit_source(&c->arena, c->e, &c->limits, &c->ds, &c->admitted);
    }
    take_error(c);
    mt_diags_sort(&c->ds);
    if (c->e) {
        take_sources(c, config);
        c->bundle = err ? (mt_str){0} : c->e->bundle;
    }
    return err;
}

/* Only the list is copied: the texts of diagnostics are not changed by anybody. */
void aw_contract_view(const aw_contract *of, aw_contract *out)
{
    *out = *of;
    out->arena = (mt_arena){0};
    out->ds = (mt_diags){.arena = &out->arena, .limit = of->ds.limit};
    for (size_t i = 0; i < of->ds.len; i++) {
        mt_diag_add(&out->ds, &of->ds.items[i]);
    }
    out->ds.errors = of->ds.errors; /* those that were not kept, too */
    out->ds.warnings = of->ds.warnings;
}

bool aw_is_interchange(mt_str text)
{
    while (text.len && strchr(" \t\r\n", text.ptr[0])) {
        text = mt_str_skip(text, 1);
    }
    return text.len && text.ptr[0] == '{';
}

mt_str aw_bundle_text(mt_arena *a, mt_str bundle, bool manifest, bool compact)
{
    mt_str text = manifest ? ct_manifest(a, bundle) : bundle;
    text = compact ? text : ct_json_pretty(a, text);
    return mt_strf(a, "%.*s\n", MT_ARG(text));
}
