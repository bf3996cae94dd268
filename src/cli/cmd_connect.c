/* cli/cmd_connect.c - motet connect: where the facts of a contract could come from.
 *
 * Three uses of one command, in the order of work: propose (documents to a review),
 * --apply (a review to the configuration, connect_apply.c), --try (the configuration to
 * values). Proposing reads the documents of --from, or those that the sources name, and
 * nothing else; only --try asks the sources. */
#include <stdio.h>

#include "base/yaml_read.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/document.h"
#include "cli/fetch.h"

/* clang-format off */
const cli_option CMD_CONNECT_OPTIONS[] = {
    {"source", "NAME", "only this source of the contract"},
    {"from",   "DOCUMENT", "OpenAPI 3, GraphQL, SQL, .proto or descriptor set; sqlite:FILE or "
                           "postgresql://… for a live catalog; may repeat"},
    {"out",    "FILE", "write the review there"},
    {"json",   NULL,   "print the review, or what --try fetched, as JSON"},
    {"apply",  "REVIEW", "write what the review accepts into --config"},
    {"try",    NULL,   "fetch every fact as --config says, and show it beside its type"},
    {"config", "FILE", "the configuration (YAML) whose sources are written or tried"},
    {"param",  "NAME=VALUE", "with --try: fills {NAME} in the path of a source; may repeat"},
    {"bind",   "E=INST", "with --try: the instance of an entity; may repeat"},
    {NULL, NULL, NULL},
};
const char CMD_CONNECT_DETAILS[] =
"A contract says which facts it needs; a source's own schema says what there is. connect\n"
"compares the two: names (split into words, with synonyms), types, units, words of enums.\n"
"For every fact with a structured source it proposes a place, a conversion and how sure\n"
"that is, with reasons. A place that cannot give the fact's type is never proposed.\n\n"
"The result is a review (YAML): read it, change it, then --apply it to a configuration\n"
"and --try the result. Without --from, the schema_ref or proto_ref of each source is read,\n"
"if it is a file. No model is asked and no network is used, but for --try and live catalogs.\n\n"
"Exit status 0: there is a proposal for every fact (--try: every fact has a value of its\n"
"type), 1: not for every one, 2: used wrongly, 3: something could not be read.";
/* clang-format on */

typedef struct connecting {
    const cli_args *args;
    cli_contract *contract;
    const ct_model *model;
    MT_VEC(cn_reviewed) reviewed;
    bool lacks; /* some fact has no proposal */
    int code;
} connecting;

/* ---- Proposing ---- */

/* Compares one document with one source. A fact without any proposal is remembered: the
 * review is written all the same, and the exit status says that it is not complete. */
static void propose(connecting *c, uint32_t source, mt_str name, const cn_document *d)
{
    cn_reviewed *r = mt_vec_add(&c->contract->arena, &c->reviewed);
    *r = (cn_reviewed){.document = name, .format = d->format};
    cn_match(&c->contract->arena, c->model, source, d, &r->matches);
    for (size_t i = 0; i < r->matches.count; i++) {
        c->lacks |= !r->matches.facts[i].count;
    }
}

/* Without --source every source is. */
static bool is_wanted(const connecting *c, uint32_t source)
{
    const char *only = cli_value(c->args, "source");
    return !only || mt_str_eq(c->model->sources[source].id, mt_str_z(only));
}

/* A source has one document: the first of --from that speaks its protocol. */
static bool is_done(const connecting *c, uint32_t source)
{
    for (size_t i = 0; i < c->reviewed.len; i++) {
        if (c->reviewed.items[i].matches.source == source) {
            return true;
        }
    }
    return false;
}

/* A document is for the sources that speak its protocol. One that is for none of them
 * is a fault, since it was most likely meant for one that --source left out or another
 * document took. */
static int read_given(connecting *c, const char *name)
{
    mt_arena *a = &c->contract->arena;
    cn_document d;
    bool used = false;
    int code = cli_connect_read(c->args, a, &c->contract->limits, mt_str_z(name),
                                CN_FORMAT_COUNT, &d);
    for (uint32_t i = 0; !code && i < c->model->source_count; i++) {
        mt_str protocol = c->model->sources[i].protocol;
        if (is_wanted(c, i) && !is_done(c, i) &&
            mt_str_eq(protocol, mt_str_z(CN_FORMAT_PROTOCOLS[d.format]))) {
            propose(c, i, mt_str_z(name), &d);
            used = true;
        }
    }
    if (!code && !used) {
        code = cli_fail(c->args, CLI_FAILS,
                        "%s is about a %s source, and there is none that it was not "
                        "read for already",
                        name, CN_FORMAT_PROTOCOLS[d.format]);
    }
    return code;
}

/* The document that a source itself names, beside the contract. A source that names
 * none is passed over: facts of it can still come by --from. An address is handed on as
 * it is, so that cli_connect_read() says that nothing is fetched. */
static int read_named(connecting *c, uint32_t source)
{
    mt_arena *a = &c->contract->arena;
    mt_json fields;
    cn_document d;
    if (mt_json_read(a, c->model->sources[source].fields, NULL, &fields, NULL)) {
        return CLI_HOLDS;
    }
    mt_str ref = mt_json_text(mt_json_at(&fields, "schema_ref"));
    ref = ref.len ? ref : mt_json_text(mt_json_at(&fields, "proto_ref"));
    if (!ref.len) {
        return CLI_HOLDS;
    }
    bool url = mt_str_starts(ref, MT_STR("http"));
    mt_str path =
        url ? mt_str_dup(a, ref) : mt_str_z(cli_beside(a, c->contract->path, ref));
    int code =
        cli_connect_read(c->args, a, &c->contract->limits, path, CN_FORMAT_COUNT, &d);
    if (!code) {
        propose(c, source, path, &d);
    }
    return code;
}

static int read_documents(connecting *c)
{
    const char *name;
    int code = CLI_HOLDS;
    for (int i = 0; !code && (name = cli_value_at(c->args, "from", i)); i++) {
        code = read_given(c, name);
    }
    for (uint32_t i = 0;
         !code && !cli_flag(c->args, "from") && i < c->model->source_count; i++) {
        code = is_wanted(c, i) ? read_named(c, i) : CLI_HOLDS;
    }
    if (!code && !c->reviewed.len) {
        code = cli_fail(c->args, CLI_FAILS,
                        "no source has a document: give one with --from");
    }
    return code;
}

/* The review is made once, as YAML; JSON is the same tree. So the two cannot differ,
 * and our own YAML that cannot be read is a bug of ours. */
static int write_review(connecting *c)
{
    mt_buf out = {0};
    mt_json tree;
    cn_review_write(&out, c->model, c->reviewed.items, c->reviewed.len);
    if (cli_flag(c->args, "json")) {
        MT_ASSERT(
            !mt_yaml_read(&c->contract->arena, mt_buf_str(&out), NULL, &tree, NULL));
        mt_buf_clear(&out);
        mt_json_write(&out, &tree, true);
        mt_buf_addc(&out, '\n');
    }
    int code = cli_write_out(c->args, mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* To standard error, as the review itself may go to standard output. Counted is the
 * best proposal of each fact. */
static void tell(const connecting *c)
{
    size_t levels[CN_LEVEL_COUNT] = {0}, facts = 0;
    for (size_t i = 0; i < c->reviewed.len; i++) {
        const cn_matches *m = &c->reviewed.items[i].matches;
        for (size_t k = 0; k < m->count; k++, facts++) {
            levels[m->facts[k].count ? m->facts[k].proposals[0].level : CN_NONE]++;
        }
    }
    cli_fail(c->args, CLI_HOLDS,
             "%zu facts: %zu high, %zu medium, %zu low, %zu without", facts,
             levels[CN_HIGH], levels[CN_MEDIUM], levels[CN_LOW], levels[CN_NONE]);
}

/* ---- Trying ---- */

typedef struct trying {
    mt_arena *arena;
    mt_buf out;
    bool json;
    mt_jw w;
} trying;

/* `fault`: the source gave a value that is not of the fact's type; the value is shown,
 * too. */
static void show_json(trying *t, const ct_fact *fact, const ad_fact_answer *got,
                      mt_str fault)
{
    mt_jw_begin_object(&t->w);
    if (got->error) {
        mt_jw_key_str(&t->w, "error", mt_str_z(ad_fact_error_name(got->error)));
    }
    mt_jw_key_str(&t->w, "fact", fact->id);
    if (got->error || fault.len) {
        mt_jw_key_str(&t->w, "message", got->error ? got->message : fault);
    }
    mt_jw_key_str(&t->w, "path", got->path);
    mt_jw_key_str(&t->w, "type", ct_type_spell(t->arena, fact->type));
    if (!got->error) {
        mt_jw_keyz(&t->w, "value");
        mt_jw_raw(&t->w, got->value);
    }
    mt_jw_end_object(&t->w);
}

static void show_tried(void *state, const ct_fact *fact, const ad_fact_answer *got,
                       mt_str fault)
{
    trying *t = state;
    if (t->json) {
        show_json(t, fact, got, fault);
        return;
    }
    mt_buf_addf(&t->out, "%.*s: %.*s\n  ", MT_ARG(fact->id),
                MT_ARG(ct_type_spell(t->arena, fact->type)));
    if (got->error) {
        mt_buf_addf(&t->out, "%s: ", ad_fact_error_name(got->error));
        mt_json_show(&t->out, got->message);
    } else {
        mt_buf_adds(&t->out, got->value);
        mt_buf_addz(&t->out, fault.len ? "\n  does not fit: " : "");
        mt_buf_adds(&t->out, fault);
    }
    mt_buf_addc(&t->out, '\n');
}

/* Prints what was fetched even when something failed: what works is worth as much to
 * who configures. A failed print outweighs what the sources said. */
static int try_sources(connecting *c)
{
    const char *config = cli_value(c->args, "config");
    trying t = {.arena = &c->contract->arena, .json = cli_flag(c->args, "json")};
    if (!config) {
        return cli_fail(c->args, CLI_USAGE, "--try needs --config FILE");
    }
    t.w = mt_jw_start(&t.out, true);
    if (t.json) {
        mt_jw_begin_array(&t.w);
    }
    int code = cli_try_sources(c->args, t.arena, c->model, config, &c->contract->limits,
                               show_tried, &t);
    if (t.json) {
        mt_jw_end_array(&t.w);
        mt_buf_addc(&t.out, '\n');
    }
    int printed = cli_print(mt_buf_str(&t.out));
    mt_buf_free(&t.out);
    return printed ? printed : code;
}

/* --apply and --try may be given together: applied first, then tried as it now is. */
static int do_connect(connecting *c)
{
    const char *only = cli_value(c->args, "source"),
               *review = cli_value(c->args, "apply");
    if (only && ct_model_find(c->model, CT_KIND_SOURCE, mt_str_z(only)) == CT_NONE) {
        return cli_fail(c->args, CLI_FAILS, "the contract declares no source '%s'",
                        only);
    }
    if (review) {
        int code = cli_connect_apply(c->args, c->contract, review);
        return code || !cli_flag(c->args, "try") ? code : try_sources(c);
    }
    if (cli_flag(c->args, "try")) {
        return try_sources(c);
    }
    int code = read_documents(c);
    code = code ? code : write_review(c);
    if (!code) {
        tell(c);
        code = c->lacks ? CLI_FAILS : CLI_HOLDS;
    }
    return code;
}

int cmd_connect(const cli_args *args)
{
    cli_contract contract;
    int code = cli_contract_load(args, args->operands[0], false, &contract);
    if (code) {
        cli_contract_show_text(args, &contract);
    } else {
        connecting c = {
            .args = args, .contract = &contract, .model = contract.admitted.model};
        code = do_connect(&c);
    }
    cli_contract_free(&contract);
    return code;
}
