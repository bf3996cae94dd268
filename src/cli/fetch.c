/* cli/fetch.c - facts for commands, with adapters when --sources names them.
 *
 * Facts that stand in --facts are asserted and never fetched; of the rest, those whose
 * source is structured are wanted. Parameters and bindings fill the paths of sources.
 * One deadline for all fetches together; each source has its own timeout within it.
 *
 * What was fetched is merged with what was given into one JSON object, which then is
 * read like any fact set. Where each value came from can be written to a file. A
 * source that cannot be asked is the world's fault (3), a value that does not fit the
 * contract's (1). */
#include "cli/fetch.h"

#include "base/vec.h"
#include "cli/engine.h"
#include "contract/eval/facts.h"
#include "os/clock.h"

enum { FETCH_MS = 30000 }; /* each source has its own timeout within it */

typedef struct fetching {
    const cli_args *args;
    mt_arena *arena; /* the command's; everything fetched lives there */
    const ct_model *model;
    const mt_json *given;    /* NULL: none */
    ad_adapters *adapters;   /* NULL until opened */
    MT_VEC(ad_param) params; /* of --param */
    /* Indexes of facts that are fetched: not given, and with a source. */
    MT_VEC(uint32_t) wanted;
    ct_binding binding;      /* of --bind, for paths that name an instance */
    ad_fact_answer *answers; /* parallel to `wanted` */
    bool shared;             /* the configuration has sources of other contracts, too */
} fetching;

/* Paths in the settings are relative to the file they stand in. */
static int open_adapters(fetching *f, const char *path, const mt_limits *limits)
{
    mt_json *tree = mt_new(f->arena, mt_json);
    mt_diags ds = {.arena = f->arena};
    int code = cli_read_tree(f->args, f->arena, path, limits, tree);
    if (code) {
        return code;
    }
    const mt_json *sources = mt_json_at(tree, "sources");
    if (!sources) {
        return cli_fail(f->args, CLI_FAILS, "%s: there are no `sources`", path);
    }
    mt_str name = mt_str_z(path), base = mt_str_basename(name);
    ad_adapter_options options = {
        .model = f->model,
        .sources = sources,
        .directory = mt_str_from(name.ptr, name.len - base.len),
        .shared = f->shared,
    };
    if (ad_adapters_open(&options, &ds, &f->adapters)) {
        for (size_t i = 0; i < ds.len; i++) {
            cli_fail(f->args, CLI_FAILS, "%s: error[%s]: %.*s", path, ds.items[i].code,
                     MT_ARG(ds.items[i].message));
        }
        return CLI_FAILS;
    }
    return CLI_HOLDS;
}

/* Instances are parameters too: a path may name the one that is bound to an entity. */
static int read_names(fetching *f)
{
    const char *text;
    mt_str why = {0};
    for (int i = 0; (text = cli_value_at(f->args, "param", i)); i++) {
        mt_str param = mt_str_z(text);
        size_t equals = mt_str_find(param, '=');
        if (equals == 0 || equals == param.len) {
            return cli_fail(f->args, CLI_USAGE, "--param must be NAME=VALUE");
        }
        mt_vec_push(
            f->arena, &f->params,
            ((ad_param){mt_str_from(text, equals), mt_str_skip(param, equals + 1)}));
    }
    f->binding = ct_binding_new(f->arena, f->model);
    for (int i = 0; (text = cli_value_at(f->args, "bind", i)); i++) {
        if (ct_binding_read_text(f->arena, &f->binding, f->model, mt_str_z(text),
                                 &why)) {
            return cli_fail(f->args, CLI_FAILS, "%.*s", MT_ARG(why));
        }
    }
    return CLI_HOLDS;
}

/* What people assert stands in the file of --facts; the rest is fetched. */
static void choose_wanted(fetching *f)
{
    for (uint32_t i = 0; i < f->model->fact_count; i++) {
        if (ad_adapters_serves(f->adapters, i) &&
            !ad_adapters_is_manual(f->adapters, i) &&
            !mt_json_get(f->given, f->model->facts[i].id)) {
            mt_vec_push(f->arena, &f->wanted, i);
        }
    }
}

static bool is_world(ad_fact_error error)
{
    return error != AD_FACT_PARAM_MISSING && error != AD_FACT_PARAM_REFUSED;
}

static void ask_all(fetching *f)
{
    ad_fetch request = {.facts = f->wanted.items,
                        .fact_count = f->wanted.len,
                        .params = f->params.items,
                        .param_count = f->params.len,
                        .instances = f->binding.instances,
                        .deadline = os_now_ms() + FETCH_MS};
    f->answers = mt_new_array(f->arena, ad_fact_answer, f->wanted.len + 1);
    ad_adapters_fetch(f->adapters, &request, f->arena, f->answers);
}

/* The worst failure decides the exit code, and all are told. A fact with a default that
 * may be used has not failed. */
static int fetch(fetching *f)
{
    int code = CLI_HOLDS;
    ask_all(f);
    for (size_t i = 0; i < f->wanted.len; i++) {
        const ad_fact_answer *got = &f->answers[i];
        if (ad_fact_failed(got)) {
            int own = is_world(got->error) ? CLI_WORLD : CLI_FAILS;
            cli_fail(f->args, own, "%s: %.*s", ad_fact_error_name(got->error),
                     MT_ARG(got->message));
            code = own > code ? own : code;
        }
    }
    return code;
}

/* Only facts that came from a source; those given by the caller have no provenance to
 * show here. */
static int write_provenance(const fetching *f)
{
    const char *path = cli_value(f->args, "provenance");
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, true);
    mt_jw_begin_array(&w);
    for (size_t i = 0; path && i < f->wanted.len; i++) {
        if (!f->answers[i].error) {
            ad_fact_provenance_json(&w, f->model, &f->answers[i]);
        }
    }
    mt_jw_end_array(&w);
    mt_buf_addc(&out, '\n');
    int code = path ? cli_write_text(f->args, path, mt_buf_str(&out)) : CLI_HOLDS;
    mt_buf_free(&out);
    return code;
}

static int read_given(fetching *f, mt_str text)
{
    mt_json *tree = mt_new(f->arena, mt_json);
    mt_json_error error = {0};
    if (mt_json_read(f->arena, text, NULL, tree, &error) ||
        !mt_json_is(tree, MT_JSON_OBJECT)) {
        return cli_fail(f->args, CLI_FAILS, "the facts are not a JSON object%s%s",
                        error.message ? ": " : "", error.message ? error.message : "");
    }
    f->given = tree;
    return CLI_HOLDS;
}

/* Without --sources the text is passed on unread: the evaluator reports what is wrong
 * with it. With them it has to be an object now, since answers are joined to it. */
int cli_facts_text(const cli_args *args, mt_arena *a, const ct_model *m,
                   const mt_limits *limits, mt_str *text)
{
    const char *path = cli_value(args, "facts"), *sources = cli_value(args, "sources");
    fetching f = {.args = args, .arena = a, .model = m};
    int code = CLI_HOLDS;
    *text = MT_STR("{}");
    if (path) {
        code = cli_read_input(args, a, path, limits->json_bytes, text);
    }
    if (code || !sources) {
        return code;
    }
    code = read_given(&f, *text);
    code = code ? code : open_adapters(&f, sources, limits);
    code = code ? code : read_names(&f);
    if (!code) {
        choose_wanted(&f);
        code = fetch(&f);
    }
    code = code ? code : write_provenance(&f);
    if (!code) {
        mt_buf joined = {0};
        ad_facts_join(&joined, m, f.given, f.answers, f.wanted.len);
        *text = mt_str_dup(a, mt_buf_str(&joined));
        mt_buf_free(&joined);
    }
    ad_adapters_free(f.adapters);
    return code;
}

/* Is the fault about this fact? Its path begins with the fact's name. */
static bool is_about(const ct_fault *fault, mt_str fact)
{
    mt_str rest = mt_str_skip(fault->path, fact.len);
    return mt_str_starts(fault->path, fact) &&
           (!rest.len || rest.ptr[0] == '.' || rest.ptr[0] == '[');
}

/* Why the value does not fit its type; empty when it does. Read as a server reads it,
 * which refuses fields that the type does not have. The other facts are missing here,
 * which this one cannot help. */
static mt_str type_fault(const fetching *f, const ad_fact_answer *answer,
                         const mt_limits *limits)
{
    ct_facts *facts = ct_facts_new(f->model);
    ct_fault fault = {0};
    mt_buf one = {0};
    mt_str why = {0};
    ad_facts_join(&one, f->model, NULL, answer, 1);
    if (ct_facts_read(facts, mt_buf_str(&one), limits, true, &fault)) {
        for (const ct_fault *at = &fault; at && !why.len; at = at->next) {
            if (at->kind != CT_FAULT_MISSING_FACT &&
                is_about(at, f->model->facts[answer->fact].id)) {
                why = mt_str_dup(f->arena, at->message);
            }
        }
    }
    mt_buf_free(&one);
    ct_facts_free(facts);
    return why;
}

int cli_try_sources(const cli_args *args, mt_arena *a, const ct_model *m,
                    const char *config, const mt_limits *limits, cli_tried *each,
                    void *state)
{
    fetching f = {.args = args, .arena = a, .model = m, .shared = true};
    int code = open_adapters(&f, config, limits);
    code = code ? code : read_names(&f);
    if (!code) {
        choose_wanted(&f);
        ask_all(&f);
        for (size_t i = 0; i < f.wanted.len; i++) {
            const ad_fact_answer *got = &f.answers[i];
            mt_str fault = got->error ? (mt_str){0} : type_fault(&f, got, limits);
            int own = got->error ? (is_world(got->error) ? CLI_WORLD : CLI_FAILS)
                                 : (fault.len ? CLI_FAILS : CLI_HOLDS);
            code = own > code ? own : code;
            each(state, &m->facts[got->fact], got, fault);
        }
    }
    ad_adapters_free(f.adapters);
    return code;
}
