/* cli/executor_settings.c - a configuration file, and what it means to an executor.
 * Room: cli. `motet serve`, `mcp` and `guard` read the same file by the same table
 * (http/config.h), so a setting means the same wherever an executor is opened. Faults
 * are told with line and column, all of them at once. Nothing is checked here that
 * needs a store or a contract. */
#include "cli/executor_settings.h"

#include <stdio.h>

/* Without a path the settings stay as they are. *text must outlive the settings: they
 * borrow from it. Everything but a name that ends in .json is read as YAML. */
int cli_read_config(const cli_args *args, mt_arena *a, const char *path, size_t limit,
                    ht_config *config, mt_str *text)
{
    mt_str name = mt_str_z(path ? path : "");
    mt_buf faults = {0};
    int code = path ? cli_read_text(args, a, path, limit, text) : CLI_HOLDS;
    if (path && !code &&
        ht_config_read(a, name, *text, !mt_str_ends(name, MT_STR(".json")), config,
                       &faults)) {
        ht_config_hints(a, name, *text, config, &faults);
        fprintf(stderr, "%.*s", MT_ARG(mt_buf_str(&faults)));
        code = CLI_FAILS;
    }
    mt_buf_free(&faults);
    return code;
}

static mt_str text_or_empty(const char *text)
{
    return mt_str_z(text ? text : "");
}

/* The executor takes counted texts, the configuration has C strings; these borrow from
 * it. */
static const mt_str *texts_of(mt_arena *a, ht_list list)
{
    mt_str *texts = mt_new_array(a, mt_str, list.count);
    for (size_t i = 0; i < list.count; i++) {
        texts[i] = mt_str_z(list.items[i]);
    }
    return texts;
}

static const char *const NO_FILES[] = {NULL};

/* Store, log and their state are the caller's to add. What is NULL in a configuration
 * and text in the options becomes empty text, which an executor reads as not said. */
ex_executor_options cli_executor_options(mt_arena *a, const ht_config *c,
                                         const mt_limits *limits, mt_str directory)
{
    return (ex_executor_options){
        .limits = limits,
        .workers = (unsigned)c->workers,
        .files = c->files.count ? c->files.items : NO_FILES,
        .default_contract = text_or_empty(c->default_contract),
        .trust_domain = text_or_empty(c->trust_domain),
        .signing_key = c->signing_key,
        .previous_key = c->previous_signing_key,
        .signer_memory = c->signer_memory,
        .origin = text_or_empty(c->origin),
        .witness_quorum = c->witness_quorum,
        .shadow = c->shadow,
        .auto_personas = texts_of(a, c->auto_personas),
        .auto_persona_count = c->auto_personas.count,
        .policies = texts_of(a, c->policies),
        .policy_count = c->policies.count,
        .aggressive = strcmp(c->migration_analysis, "aggressive") == 0,
        .adapters = c->sources,
        .directory = directory,
        .settings = c->all,
        .group = (unsigned)c->group,
        .checkpoint_every = (unsigned)c->checkpoint_every,
        .checkpoint_seconds = (unsigned)c->checkpoint_seconds,
    };
}
