/* cli/connect_apply.c - motet connect --apply: what a review accepts, written into the
 * configuration.
 *
 * Order: the review is read; every document it names is read again and every accepted
 * fact compared with it, so that what is written leads to the fact's type; the settings
 * are joined to those that the configuration has; adapters are opened with them, as a
 * server would; then the file is replaced, whole or not at all. All faults are told,
 * and after one nothing is written. */
#include <unistd.h>

#include "adapter/adapter.h"
#include "adapter/catalog.h"
#include "base/yaml_read.h"
#include "cli/connect.h"
#include "connect/config.h"
#include "os/file.h"

typedef struct applying {
    const cli_args *args;
    cli_contract *contract;
    mt_arena *arena;
    const ct_model *model;
    const char *config;
    mt_str text;     /* of the configuration; empty: there is none yet */
    mt_json tree;    /* of it */
    mt_json changed; /* source -> settings */
    size_t applied;
    int code;
} applying;

/* Goes on with the next fact: all faults are told in one run, and p->code keeps that
 * there was one. */
static void refuse(applying *p, mt_str fact, mt_str why)
{
    p->code =
        cli_fail(p->args, CLI_FAILS, "fact '%.*s': %.*s", MT_ARG(fact), MT_ARG(why));
}

/* True when the fact is one of this source and its settings lead to its type. */
static bool check_fact(applying *p, uint32_t source, const cn_document *d,
                       const cn_decided *f)
{
    mt_buf why = {0};
    uint32_t fact = ct_model_find(p->model, CT_KIND_FACT, f->fact);
    bool good = fact != CT_NONE && p->model->facts[fact].source_id == source;
    if (!good) {
        mt_buf_addz(&why, "it is not a fact of this source");
    } else if (!f->settings) {
        mt_buf_addz(&why, "it is accepted, but has no settings");
        good = false;
    } else {
        good =
            cn_review_check(p->arena, d, p->model->facts[fact].type, f->settings, &why);
    }
    if (!good) {
        refuse(p, f->fact, mt_buf_str(&why));
    }
    mt_buf_free(&why);
    return good;
}

/* A file of the command line as the configuration has to call it. A server reads paths
 * relative to its configuration. A file below that directory is named from there, any
 * other by its absolute path; the same directory needs no change. */
static mt_str as_config_says(applying *p, mt_str file)
{
    mt_str config = mt_str_z(p->config), base = mt_str_basename(config);
    mt_str dir = mt_str_from(config.ptr, config.len - base.len);
    if (!dir.len || (file.len && file.ptr[0] == '/')) {
        return file;
    }
    if (mt_str_starts(file, dir)) {
        return mt_str_skip(file, dir.len);
    }
    char here[4096];
    return getcwd(here, sizeof here) ? mt_strf(p->arena, "%s/%.*s", here, MT_ARG(file))
                                     : file;
}

/* What the document itself says of how to reach the source, unless somebody said it.
 * Only a SQLite file and a .proto say it: of the others a document describes the shape,
 * not the address. */
static mt_json with_reach(applying *p, const cn_decided_source *s, mt_json settings)
{
    bool sqlite = mt_str_starts(s->document, MT_STR("sqlite:"));
    mt_str file = sqlite ? mt_str_skip(s->document, 7) : s->document;
    mt_str key = sqlite ? MT_STR("file") : MT_STR("proto");
    if ((!sqlite && s->format != CN_PROTO) || mt_json_get(&settings, key)) {
        return settings;
    }
    mt_json node = cn_text_node(as_config_says(p, file));
    return cn_with(p->arena, &settings, key, &node);
}

/* Accepted facts replace what the configuration had for them; everything else in it
 * stays. Instances are only added: who wrote one by hand knows better than a review. */
static mt_json joined(applying *p, const cn_decided_source *s, const mt_json *old)
{
    mt_arena *a = p->arena;
    const mt_json *facts_before = mt_json_at(old, "facts");
    const mt_json *instances_before = mt_json_at(old, "instances");
    mt_json settings = {.type = MT_JSON_OBJECT}, facts = settings, instances = settings;
    settings = mt_json_is(old, MT_JSON_OBJECT) ? *old : settings;
    facts = mt_json_is(facts_before, MT_JSON_OBJECT) ? *facts_before : facts;
    instances =
        mt_json_is(instances_before, MT_JSON_OBJECT) ? *instances_before : instances;
    for (uint32_t i = 0; i < s->fact_count; i++) {
        if (s->facts[i].accept && s->facts[i].settings) {
            facts = cn_with(a, &facts, s->facts[i].fact, s->facts[i].settings);
        }
    }
    for (uint32_t i = 0; s->instances && i < s->instances->count; i++) {
        const mt_json_member *m = &s->instances->as.members[i];
        if (!mt_json_get(&instances, m->key)) {
            instances = cn_with(a, &instances, m->key, &m->value);
        }
    }
    if (instances.count) {
        settings = cn_with(a, &settings, MT_STR("instances"), &instances);
    }
    settings = with_reach(p, s, settings);
    return cn_with(a, &settings, MT_STR("facts"), &facts);
}

/* The document is read again and not believed from the review: it may have changed
 * since, and settings in a review are edited by hand. cn_decided_source.format is what
 * the review says it is. */
static void apply_source(applying *p, const cn_decided_source *s)
{
    uint32_t source = ct_model_find(p->model, CT_KIND_SOURCE, s->source);
    cn_document d;
    size_t accepted = 0;
    if (source == CT_NONE) {
        p->code = cli_fail(p->args, CLI_FAILS, "the contract declares no source '%.*s'",
                           MT_ARG(s->source));
        return;
    }
    int code =
        cli_connect_read(p->args, p->arena, &p->contract->limits,
                         mt_str_dup(p->arena, s->document), (cn_format)s->format, &d);
    if (code) {
        p->code = code;
        return;
    }
    for (uint32_t i = 0; i < s->fact_count; i++) {
        accepted += s->facts[i].accept && check_fact(p, source, &d, &s->facts[i]);
    }
    if (accepted) {
        const mt_json *old = mt_json_get(mt_json_at(&p->tree, "sources"), s->source);
        mt_json settings = joined(p, s, old);
        p->changed = cn_with(p->arena, &p->changed, s->source, &settings);
        p->applied += accepted;
    }
}

/* Is the fault about something that this review writes? A diagnostic names a fact or a
 * source. */
static bool is_ours(const applying *p, const mt_diag *d)
{
    bool fact = mt_str_is(d->construct_kind, "Fact");
    for (uint32_t i = 0; i < p->changed.count; i++) {
        const mt_json_member *m = &p->changed.as.members[i];
        if (fact ? mt_json_get(mt_json_at(&m->value, "facts"), d->construct_id) != NULL
                 : mt_str_eq(m->key, d->construct_id)) {
            return true;
        }
    }
    return false;
}

/* As a server would: what it refuses is refused here. What is still missing elsewhere
 * is only told, since a configuration is often made source by source. */
static void try_adapters(applying *p, const mt_json *sources)
{
    mt_str config = mt_str_z(p->config), base = mt_str_basename(config);
    mt_diags ds = {.arena = p->arena};
    ad_adapters *adapters = NULL;
    ad_adapter_options options = {.model = p->model,
                                  .sources = sources,
                                  .directory =
                                      mt_str_from(config.ptr, config.len - base.len),
                                  .shared = true};
    if (ad_adapters_open(&options, &ds, &adapters)) {
        for (size_t i = 0; i < ds.len; i++) {
            bool ours = is_ours(p, &ds.items[i]);
            cli_fail(p->args, CLI_FAILS, "%s: %s[%s]: %.*s", p->config,
                     ours ? "error" : "still missing", ds.items[i].code,
                     MT_ARG(ds.items[i].message));
            p->code = ours ? CLI_FAILS : p->code;
        }
    }
    ad_adapters_free(adapters);
}

/* The patched text keeps comments and layout of everything that did not change
 * (connect/config.h). An existing file is rewritten in place of itself, with its
 * mode. */
static int write_config(applying *p)
{
    mt_buf out = {0}, why = {0};
    int code = CLI_HOLDS;
    mt_err err = cn_config_patch(p->arena, p->text, &p->changed, &out, &why);
    if (err) {
        code = cli_fail(p->args, CLI_FAILS, "%s: %.*s", p->config,
                        MT_ARG(mt_buf_str(&why)));
    } else if (!access(p->config, F_OK)) {
        err = cli_rewrite(p->config, mt_buf_str(&out));
        code = err ? cli_fail(p->args, CLI_WORLD, "cannot write %s: %s", p->config,
                              cli_why(err))
                   : CLI_HOLDS;
    } else {
        code = cli_write_text(p->args, p->config, mt_buf_str(&out));
    }
    mt_buf_free(&out);
    mt_buf_free(&why);
    return code;
}

/* A configuration that is not there yet is an empty one. JSON is refused: what is
 * written keeps the file's own layout, and that is only known for YAML. */
static int read_config(applying *p)
{
    p->text = MT_STR("");
    p->tree = (mt_json){.type = MT_JSON_OBJECT};
    p->changed = p->tree;
    if (!cli_is_yaml(p->config)) {
        return cli_fail(p->args, CLI_USAGE, "%s: the configuration must be YAML",
                        p->config);
    }
    if (access(p->config, F_OK)) {
        return CLI_HOLDS;
    }
    int code = cli_read_input(p->args, p->arena, p->config,
                              p->contract->limits.yaml_bytes, &p->text);
    if (!code && mt_yaml_read(p->arena, p->text, NULL, &p->tree, NULL)) {
        code = cli_fail(p->args, CLI_FAILS, "%s: it is not YAML", p->config);
    }
    return code;
}

/* A review of another contract is refused by its id, since names of facts could agree
 * by accident. */
static int read_review(applying *p, const char *path, cn_review *out)
{
    mt_str text;
    mt_json *tree = mt_new(p->arena, mt_json);
    mt_buf why = {0};
    mt_form form = {.arena = p->arena, .report = mt_form_join, .state = &why};
    int code =
        cli_read_input(p->args, p->arena, path, p->contract->limits.yaml_bytes, &text);
    if (!code && mt_yaml_read(p->arena, text, NULL, tree, NULL)) {
        code = cli_fail(p->args, CLI_FAILS, "%s: it is not YAML", path);
    } else if (!code && !cn_review_read(&form, tree, out)) {
        code = cli_fail(p->args, CLI_FAILS, "%s: %.*s", path, MT_ARG(mt_buf_str(&why)));
    } else if (!code && !mt_str_eq(out->contract, p->model->id)) {
        code = cli_fail(p->args, CLI_FAILS, "%s is about contract '%.*s', not '%.*s'",
                        path, MT_ARG(out->contract), MT_ARG(p->model->id));
    }
    mt_buf_free(&why);
    return code;
}

/* Adapters see all sources, changed ones included, as the server will. */
static int finish(applying *p)
{
    const mt_json *before = mt_json_at(&p->tree, "sources");
    mt_json sources = {.type = MT_JSON_OBJECT};
    sources = mt_json_is(before, MT_JSON_OBJECT) ? *before : sources;
    for (uint32_t i = 0; i < p->changed.count; i++) {
        sources = cn_with(p->arena, &sources, p->changed.as.members[i].key,
                          &p->changed.as.members[i].value);
    }
    try_adapters(p, &sources);
    int code = p->code ? p->code : write_config(p);
    return code ? code
                : cli_print(mt_strf(p->arena, "%s: %zu facts of %u sources\n",
                                    p->config, p->applied, p->changed.count));
}

/* Every source is looked at before anything is decided, so that faults of all of them
 * are told. A review that accepts nothing is a fault: whoever applies it expected
 * something. */
int cli_connect_apply(const cli_args *args, cli_contract *c, const char *review)
{
    applying p = {.args = args,
                  .contract = c,
                  .arena = &c->arena,
                  .model = c->admitted.model,
                  .config = cli_value(args, "config")};
    cn_review read = {0};
    if (!p.config) {
        return cli_fail(args, CLI_USAGE, "--apply needs --config FILE");
    }
    int code = read_config(&p);
    code = code ? code : read_review(&p, review, &read);
    if (code) {
        return code;
    }
    for (uint32_t i = 0; i < read.source_count; i++) {
        apply_source(&p, &read.sources[i]);
    }
    if (p.code) {
        return p.code;
    }
    return p.applied ? finish(&p)
                     : cli_fail(args, CLI_FAILS, "%s accepts nothing", review);
}
