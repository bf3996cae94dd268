/* graph/primitive.c - the registry: standard primitives from a table, others from
 * manifests.
 *
 * A row of primitive_table.c is a short text per column ("a:number b:number?"); it is
 * taken apart here into the same manifest that a file would give, so that checks,
 * provenance and documentation see no difference.
 *
 * A primitive from a file is realised when it is added: a Source by where its outputs
 * come from (context or parameter), a Compute or Trigger by a cluster or a formula,
 * anything by C code if the caller brings it. Ids are unique over all of them.
 *
 * What may fail: MT_E_REJECTED with diagnostics. A registry owns its texts and lives
 * longer than every graph made with it; it is not changed while graphs are loaded by
 * other threads. */
#include "graph/primitive.h"

#include <stdlib.h>

#include "base/number.h"
#include "graph/cluster.h"
#include "graph/expression.h"
#include "graph/primitive_table.h"
#include "graph/report.h"

/* ---- the rows of the standard library as manifests ---- */

/* Cuts the next word off *rest; empty at the end. */
static mt_str next_word(mt_str *rest)
{
    size_t n = mt_str_find(*rest, ' ');
    mt_str word = mt_str_from(rest->ptr, n);
    *rest = mt_str_skip(*rest, n + 1);
    return word;
}

static uint32_t word_count(const char *words)
{
    uint32_t n = 0;
    for (mt_str rest = mt_str_z(words); rest.len; n++) {
        next_word(&rest);
    }
    return n;
}

/* "name:type" up to one of the marks "?!<=", which *mark points at (or the end). */
static mt_str split_word(mt_str word, mt_str *type, mt_str *mark)
{
    size_t colon = mt_str_find(word, ':');
    mt_str rest = mt_str_skip(word, colon + 1);
    size_t n = 0;
    while (n < rest.len && !strchr("?!<=", rest.ptr[n])) {
        n++;
    }
    *type = mt_str_from(rest.ptr, n);
    *mark = mt_str_skip(rest, n);
    return mt_str_from(word.ptr, colon);
}

/* The table's own small language: "name:type?" is optional, "<" says where a source's
 * value comes from. Written by us, so it is not checked. */
static const gr_port *row_ports(mt_arena *a, const char *words, uint32_t *count)
{
    mt_str rest = mt_str_z(words), type, mark;
    *count = word_count(words);
    gr_port *ports = mt_new_array(a, gr_port, *count);
    for (uint32_t i = 0; i < *count; i++) {
        ports[i].name = split_word(next_word(&rest), &type, &mark);
        ports[i].type = gr_type_of(type);
        ports[i].required = !mt_str_is(mark, "?");
        ports[i].from =
            mt_str_starts(mark, MT_STR("<")) ? mt_str_skip(mark, 1) : MT_STR("");
    }
    return ports;
}

static gr_literal row_default(gr_param_type type, mt_str text)
{
    gr_literal l = {.type = type, .text = text, .boolean = mt_str_is(text, "true")};
    if (type == GR_P_NUMBER && mt_number_parse(text, &l.number)) {
        MT_BUG("bad default in the standard library");
    }
    return l;
}

static const gr_param *row_params(mt_arena *a, const char *words, uint32_t *count)
{
    mt_str rest = mt_str_z(words), type, mark;
    *count = word_count(words);
    gr_param *params = mt_new_array(a, gr_param, *count);
    for (uint32_t i = 0; i < *count; i++) {
        params[i].name = split_word(next_word(&rest), &type, &mark);
        params[i].type = gr_param_type_of(type);
        params[i].required = mt_str_is(mark, "!");
        if (!params[i].required) {
            params[i].initial = row_default(params[i].type, mt_str_skip(mark, 1));
        }
    }
    return params;
}

/* "$key" is replaced by the parameter `key` of each node. */
static void row_key(mt_arena *a, const gr_standard_row *row, gr_manifest *m)
{
    gr_type type = gr_type_of(mt_str_z(row->key));
    if (!*row->key) {
        return;
    }
    if (row->kind == GR_SOURCE) {
        gr_need *need = mt_new(a, gr_need);
        *need = (gr_need){.name = MT_STR("$key"), .type = type};
        m->needs = need;
        m->need_count = 1;
    } else {
        gr_write *write = mt_new(a, gr_write);
        *write = (gr_write){MT_STR("$key"), type, MT_STR("value"), 0};
        m->writes = write;
        m->write_count = 1;
    }
}

/* The same struct a manifest file gives; from here on standard primitives are not
 * special. */
static gr_manifest row_manifest(mt_arena *a, const gr_standard_row *row)
{
    gr_manifest m = {.id = mt_str_z(row->id),
                     .version = mt_str_z(gr_standard_version(row)),
                     .kind = row->kind,
                     .summary = mt_str_z(row->summary),
                     .deterministic = true,
                     .continuous = true,
                     .errors_deterministic = true,
                     .side_effects = row->kind == GR_ACTION,
                     .outcome = GR_ATTEMPTED};
    m.inputs = row_ports(a, row->inputs, &m.input_count);
    m.outputs = row_ports(a, row->outputs, &m.output_count);
    m.params = row_params(a, row->params, &m.param_count);
    row_key(a, row, &m);
    return m;
}

/* ---- the registry ---- */

static gr_primitive *put(gr_registry *r, const gr_primitive *p)
{
    gr_primitive *kept = mt_new(&r->arena, gr_primitive);
    *kept = *p;
    mt_map_put(&r->arena, &r->by_id, kept->manifest.id, (uintptr_t)kept);
    return kept;
}

/* The order of the table is the order of the registry. */
gr_registry *gr_registry_new(void)
{
    gr_registry *r = mt_xmalloc(sizeof *r);
    *r = (gr_registry){0};
    for (size_t i = 0; i < GR_STANDARD_COUNT; i++) {
        gr_primitive p = {.manifest = row_manifest(&r->arena, &GR_STANDARD[i]),
                          .op = (uint16_t)GR_STANDARD[i].op,
                          .standard = true};
        put(r, &p);
    }
    return r;
}

void gr_registry_free(gr_registry *r)
{
    if (r) {
        mt_arena_free(&r->arena);
        free(r);
    }
}

const gr_primitive *gr_registry_find(const gr_registry *r, mt_str id)
{
    return (const gr_primitive *)mt_map_get(&r->by_id, id, 0);
}

const gr_primitive *gr_registry_at(const gr_registry *r, size_t index)
{
    return (const gr_primitive *)r->by_id.entries[index].value;
}

static bool id_is_free(const gr_registry *r, const gr_manifest *m, gr_subject *s)
{
    static const char *const RULES[] = {
        [GR_SOURCE] = "SRC-14",
        [GR_COMPUTE] = "CMP-18",
        [GR_TRIGGER] = "TRG-13",
        [GR_ACTION] = "ACT-18",
    };
    MT_TABLE_COVERS(RULES, GR_ACTION + 1);
    const gr_primitive *taken = gr_registry_find(r, m->id);
    return !taken ||
           gr_report(s, RULES[m->kind], 0, MT_STR("$.id"), "choose another id",
                     "\"%.*s\" is already the id of a %s", MT_ARG(m->id),
                     gr_kind_title(taken->manifest.kind));
}

/* Where a file source takes an output from: "context.KEY" or "param.NAME". */
static bool origin_ok(const gr_manifest *m, const gr_port *out, gr_subject *s)
{
    mt_str from = out->from;
    if (mt_str_starts(from, MT_STR("context."))) {
        mt_str key = mt_str_skip(from, 8);
        for (uint32_t i = 0; i < m->need_count; i++) {
            if (mt_str_eq(m->needs[i].name, key)) {
                return m->needs[i].type == out->type ||
                       gr_report(s, "SRC-11", out->at, MT_STR("$.outputs"),
                                 "give the output the type of its context key",
                                 "output \"%.*s\" is %s, its key is %s",
                                 MT_ARG(out->name), gr_type_name(out->type),
                                 gr_type_name(m->needs[i].type));
            }
        }
    } else if (mt_str_starts(from, MT_STR("param."))) {
        int i = gr_param_index(m, mt_str_skip(from, 6));
        gr_literal sample = {.type = i < 0 ? GR_P_NONE : m->params[i].type};
        if (i >= 0 && gr_literal_value(&sample).type == (uint32_t)out->type) {
            return true;
        }
    }
    return gr_report(s, "manifest.decode", out->at, MT_STR("$.outputs"),
                     "say from: context.KEY (listed under requires.context) or from: "
                     "param.NAME",
                     "output \"%.*s\" has no origin of its type", MT_ARG(out->name));
}

static bool realise_source(const gr_manifest *m, gr_primitive *p, gr_subject *s)
{
    bool ok = true;
    for (uint32_t i = 0; i < m->output_count; i++) {
        ok = origin_ok(m, &m->outputs[i], s) && ok;
    }
    p->op = GR_OP_SOURCE;
    return ok;
}

/* Computes and triggers without C are clusters: written as one, or from an expression.
 */
static bool realise_cluster(gr_registry *r, gr_primitive *p, gr_subject *s)
{
    const gr_manifest *m = &p->manifest;
    if (!m->expression.len) {
        return m->body.len ||
               gr_report(s, "manifest.decode", 0, MT_STR("$"),
                         "add `expression:` or `cluster:`, or register it from C",
                         "nothing says what this %s does", gr_kind_title(m->kind));
    }
    p->cluster = gr_expression_cluster(&r->arena, m, s);
    return p->cluster != NULL;
}

/* What runs it: a function of the host, a source's own step, an action, or a cluster
 * made from a formula or a body. */
static bool realise(gr_registry *r, gr_primitive *p, gr_subject *s)
{
    bool action = p->manifest.kind == GR_ACTION;
    if (p->run) {
        p->op = action ? GR_OP_CUSTOM_ACTION : GR_OP_CUSTOM;
        return true;
    }
    switch (p->manifest.kind) {
    case GR_SOURCE: return realise_source(&p->manifest, p, s);
    case GR_ACTION: p->op = GR_OP_ACTION; return true;
    case GR_COMPUTE:
    case GR_TRIGGER: break;
    }
    return realise_cluster(r, p, s);
}

/* Both questions are asked before the answer, so that all faults are told. A primitive
 * with a fault is not added. Text is copied, since diagnostics show it later. */
static mt_err add(gr_registry *r, mt_str file, mt_str text, gr_primitive p,
                  bool may_be_declared, mt_diags *ds)
{
    mt_str kept_file = mt_str_dup(&r->arena, file);
    mt_str kept_text = mt_str_dup(&r->arena, text);
    mt_err err = gr_manifest_read(&r->arena, kept_file, kept_text, ds, &p.manifest);
    if (err) {
        return err;
    }
    gr_subject s = {ds, kept_file, kept_text, gr_kind_name(p.manifest.kind),
                    p.manifest.id};
    bool is_free = id_is_free(r, &p.manifest, &s);
    p.declared = may_be_declared && !gr_manifest_says(&p.manifest);
    if ((!p.declared && !realise(r, &p, &s)) || !is_free) {
        return MT_E_REJECTED;
    }
    put(r, &p);
    return MT_OK;
}

mt_err gr_registry_add(gr_registry *r, mt_str file, mt_str text, gr_run_fn run,
                       void *user, mt_diags *ds)
{
    return add(r, file, text, (gr_primitive){.run = run, .user = user}, false, ds);
}

mt_err gr_registry_declare(gr_registry *r, mt_str file, mt_str text, mt_diags *ds)
{
    return add(r, file, text, (gr_primitive){0}, true, ds);
}
