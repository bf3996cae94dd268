/* exec/check.c - what an executor would refuse, found without starting one.
 * Room: exec.
 * Each part is read by the function that reads it when the executor opens, so the two
 * cannot disagree; all faults are told, not only the first. In this order: keys,
 * policies, numbers, what may be fetched, files and their sources, the shadow, names
 * that lead nowhere, graphs, agents. INVARIANT: nothing is started and nothing is
 * written. What only the store can tell (another version, tokens, its trust domain) is
 * not looked at. */
#include "contract/elaborate.h"
#include "exec/contract/invariants.h"
#include "exec/contract/policy.h"
#include "exec/contract/source.h"
#include "exec/evidence/sign_elsewhere.h"
#include "exec/settings.h"
#include "exec/threads.h"
#include "host/agent_service.h"
#include "host/graph_service.h"
#include "os/key_file.h"

typedef struct check {
    const ex_executor_options *o;
    mt_limits limits;
    ex_outside outside;
    mt_arena arena;
    ex_config_fault *fault;
    void *state;
    size_t count;
    mt_map contracts; /* of the files: id -> its model */
    mt_map sources;   /* that they declare */
    mt_map systems;
    const ex_distinct *distinct;
    size_t distinct_count;
    bool incomplete; /* a file could not be read: what it has is not known */
} check;

static void found(check *c, mt_str key, const mt_json *at, mt_str reason)
{
    c->count++;
    c->fault(c->state, key, at ? at->offset : EX_NO_PLACE, reason);
}

/* ---- `sources` ---- */

/* Where a diagnostic of the adapters belongs: sources.S, or sources.S.facts.F. */
static void found_source(check *c, const ct_model *m, const mt_diag *d)
{
    mt_str source = d->construct_id, key = MT_STR("sources");
    bool fact = mt_str_is(d->construct_kind, "Fact");
    if (fact) {
        uint32_t i = ct_model_find(m, CT_KIND_FACT, d->construct_id);
        uint32_t s = i == CT_NONE ? CT_NONE : m->facts[i].source_id;
        source = s == CT_NONE ? (mt_str){0} : m->sources[s].id;
    }
    if (source.len && !mt_str_is(source, "sources")) {
        key = mt_strf(&c->arena, "sources.%.*s", MT_ARG(source));
    }
    if (fact && source.len) {
        key =
            mt_strf(&c->arena, "%.*s.facts.%.*s", MT_ARG(key), MT_ARG(d->construct_id));
    }
    const mt_json *at = mt_json_get(c->o->adapters, source);
    found(c, key, at ? at : c->o->adapters, d->message);
}

/* Decided as at the start: a version that breaks one would not be served. */
static void check_promises(check *c, const ex_source *s, const ct_model *m)
{
    const mt_json *at = mt_json_get(mt_json_at(c->o->settings, "invariants"), s->id);
    mt_str key = mt_strf(&c->arena, "invariants.%.*s", MT_ARG(s->id));
    ex_promises p = {0};
    mt_buf why = {0};
    if (!ex_promises_of(&c->arena, c->o->settings, s->id, &p, &why) &&
        ex_promises_judge(&c->arena, ct_compile(&c->arena, m), &c->limits, &p)) {
        ex_promises_text(&why, &p);
    }
    if (why.len) {
        found(c, key, at, mt_str_trim(mt_buf_str(&why), MT_STR("\n")));
    }
    mt_buf_free(&why);
}

static void check_sources(check *c, const ex_source *s)
{
    const ct_model *m = NULL;
    ad_adapters *adapters = NULL;
    mt_diags ds = {.arena = &c->arena, .limit = c->limits.diagnostics};
    if (ct_load(&c->arena, s->bundle, s->id, &c->limits, &ds, &m)) {
        const mt_diag *d = ct_first_error(&ds);
        found(c, mt_strf(&c->arena, "files, contract '%.*s'", MT_ARG(s->id)), NULL,
              d ? d->message : MT_STR("it cannot be loaded"));
        return;
    }
    mt_map_put(&c->arena, &c->contracts, mt_str_dup(&c->arena, s->id), (uintptr_t)m);
    for (uint32_t i = 0; i < m->source_count; i++) {
        mt_map_put(&c->arena, &c->sources, m->sources[i].id, 1);
    }
    check_promises(c, s, m);
    (void)ex_adapters_open(&c->outside, m, NULL, false, &ds, &adapters);
    ad_adapters_free(adapters);
    for (size_t i = 0; i < ds.len; i++) {
        if (ds.items[i].severity == MT_ERROR) {
            found_source(c, m, &ds.items[i]);
        }
    }
}

static void check_file(check *c, const char *key, const char *path, bool sources)
{
    ex_sources read = {0};
    mt_buf why = {0};
    if (ex_source_read(&c->arena, path, &c->limits, &read, &why)) {
        found(c, mt_str_z(key), NULL, mt_buf_str(&why));
        c->incomplete = true;
    }
    if (read.system.id.len) {
        mt_map_put(&c->arena, &c->systems, read.system.id, 1);
    }
    for (size_t i = 0; sources && i < read.len; i++) {
        check_sources(c, &read.items[i]);
    }
    mt_buf_free(&why);
}

/* ---- `graphs` and `agents` ---- */

static void say_nothing(void *state, const char *text)
{
    (void)state;
    (void)text;
}

static mt_err try_graph(check *c, const mt_json_member *m, mt_buf *why)
{
    ho_graph_service *g = NULL;
    mt_err err = ho_graph_service_open(m->key, &m->value, &c->limits, NULL, &g, why);
    ho_graph_service_close(g);
    return err;
}

static mt_err try_agent(check *c, const mt_json_member *m, mt_buf *why)
{
    ho_agent_service *a = NULL;
    mt_err err = ho_agent_service_open(m->key, &m->value, &c->limits, say_nothing, NULL,
                                       &a, why);
    ho_agent_service_close(a);
    return err;
}

static void check_each(check *c, const char *section,
                       mt_err (*try)(check *c, const mt_json_member *m, mt_buf *why))
{
    const mt_json *all = mt_json_get(c->o->settings, mt_str_z(section));
    for (uint32_t i = 0; mt_json_is(all, MT_JSON_OBJECT) && i < all->count; i++) {
        const mt_json_member *m = &all->as.members[i];
        mt_buf why = {0};
        mt_err err = try(c, m, &why);
        if (err) {
            found(c, mt_strf(&c->arena, "%s.%.*s", section, MT_ARG(m->key)), &m->value,
                  why.len ? mt_buf_str(&why) : mt_str_z(mt_err_text(err)));
        }
        mt_buf_free(&why);
    }
}

/* ---- Names that lead nowhere ---- */

/* Keys of a section that nothing in the files has. A contract that is only in the store
 * cannot be seen from here; whoever serves such a one gives its file to the check. */
static void check_names(check *c, const char *section, const mt_map *known,
                        const char *what)
{
    const mt_json *all = mt_json_get(c->o->settings, mt_str_z(section));
    for (uint32_t i = 0; mt_json_is(all, MT_JSON_OBJECT) && i < all->count; i++) {
        const mt_json_member *m = &all->as.members[i];
        if (!mt_map_find(known, m->key)) {
            found(c, mt_strf(&c->arena, "%s.%.*s", section, MT_ARG(m->key)), &m->value,
                  mt_str_z(what));
        }
    }
}

static void check_binding(check *c, mt_str system, const mt_json_member *member)
{
    mt_str key = mt_strf(&c->arena, "systems.%.*s.bindings.%.*s", MT_ARG(system),
                         MT_ARG(member->key));
    const ct_model *m = (const ct_model *)mt_map_get(&c->contracts, member->key, 0);
    if (!m) {
        found(c, key, &member->value, MT_STR("`files` have no contract of this name"));
    }
    for (uint32_t i = 0;
         m && mt_json_is(&member->value, MT_JSON_OBJECT) && i < member->value.count;
         i++) {
        const mt_json_member *entity = &member->value.as.members[i];
        mt_str near = ct_model_nearest(m, CT_KIND_ENTITY, entity->key);
        if (ct_model_find(m, CT_KIND_ENTITY, entity->key) == CT_NONE) {
            found(c, mt_strf(&c->arena, "%.*s.%.*s", MT_ARG(key), MT_ARG(entity->key)),
                  &entity->value,
                  mt_strf(&c->arena, "the contract has no entity of this name%s%.*s%s",
                          near.len ? "; did you mean `" : "", MT_ARG(near),
                          near.len ? "`?" : ""));
        }
    }
}

/* Members and entities of `systems`. What is not of its shape is told already, and so
 * is a System that is not there. */
static void check_bindings(check *c)
{
    const mt_json *all = mt_json_at(c->o->settings, "systems");
    for (uint32_t i = 0; mt_json_is(all, MT_JSON_OBJECT) && i < all->count; i++) {
        const mt_json_member *system = &all->as.members[i];
        bool known = mt_map_find(&c->systems, system->key) &&
                     mt_json_is(&system->value, MT_JSON_OBJECT);
        const mt_json *members = known ? mt_json_at(&system->value, "bindings") : NULL;
        for (uint32_t k = 0; mt_json_is(members, MT_JSON_OBJECT) && k < members->count;
             k++) {
            check_binding(c, system->key, &members->as.members[k]);
        }
    }
}

static const ct_model *model_of(void *state, mt_str contract)
{
    const check *c = state;
    return (const ct_model *)mt_map_get(&c->contracts, contract, 0);
}

/* A rule with a slip in it is one that keeps nobody apart. */
static void found_rule(void *state, mt_str contract, mt_str what)
{
    check *c = state;
    found(c, mt_strf(&c->arena, "distinct.%.*s", MT_ARG(contract)),
          mt_json_get(mt_json_at(c->o->settings, "distinct"), contract), what);
}

static void check_all_names(check *c)
{
    if (c->incomplete || !c->contracts.len) {
        return;
    }
    check_names(c, "sources", &c->sources,
                "no contract of `files` has a source of this name");
    check_names(c, "systems", &c->systems, "`files` have no System of this name");
    check_bindings(c);
    check_names(c, "invariants", &c->contracts,
                "`files` have no contract of this name");
    ex_rule_judge j = {.arena = &c->arena,
                       .model_of = model_of,
                       .told = found_rule,
                       .state = c,
                       .auto_personas = c->o->auto_personas,
                       .auto_persona_count = c->o->auto_persona_count};
    ex_distinct_judge(&j, c->distinct, c->distinct_count);
    if (c->o->default_contract.len &&
        !mt_map_find(&c->contracts, c->o->default_contract)) {
        found(c, MT_STR("default_contract"),
              mt_json_at(c->o->settings, "default_contract"),
              MT_STR("`files` have no contract of this name"));
    }
}

/* ---- The whole ---- */

static void check_key(check *c, const char *key, const char *path)
{
    mt_sign_key secret;
    mt_buf why = {0};
    if (path && os_key_read(path, &secret, &why)) {
        found(c, mt_str_z(key), NULL, mt_buf_str(&why));
    } else if (path) {
        mt_sign_wipe(&secret);
    }
    mt_buf_free(&why);
}

static void check_signer(check *c)
{
    os_sign_command *command;
    mt_buf why = {0};
    const mt_json *at = mt_json_at(c->o->settings, "signer");
    if (ex_sign_elsewhere_read(&c->arena, c->o->settings, &command, &why)) {
        found(c, MT_STR("signer"), at, mt_buf_str(&why));
    } else if (at && c->o->signing_key) {
        found(c, MT_STR("signer"), at, MT_STR("it and signing_key exclude each other"));
    } else if (at && !c->o->signer_memory) {
        found(c, MT_STR("signer"), at,
              MT_STR("it needs signer_memory: where the last checkpoint it signed is "
                     "kept"));
    }
    os_sign_command_free(command);
    mt_buf_free(&why);
}

static void check_policies(check *c)
{
    mt_buf text = {0};
    mt_str bad = {0};
    if (c->o->policy_count &&
        ex_policy_json(&text, c->o->policies, c->o->policy_count, &bad)) {
        found(c, MT_STR("policies"), mt_json_at(c->o->settings, "policies"),
              ex_no_policy(&c->arena, bad));
    }
    mt_buf_free(&text);
}

static void check_outside(check *c)
{
    mt_buf why = {0};
    if (ex_outside_read(&c->arena, c->o, &c->outside, &why)) {
        const mt_json *at = mt_json_at(c->o->settings, "outgoing");
        found(c, MT_STR("outgoing"), at, mt_buf_str(&why));
    }
    mt_buf_free(&why);
}

static void check_witnesses(check *c)
{
    ex_witness_of *rows;
    size_t count;
    c->count += ex_witnesses_read(&c->arena, c->o, &rows, &count, c->fault, c->state);
    if (c->o->origin.len && !lg_name_is_good(c->o->origin)) {
        found(c, MT_STR("origin"), mt_json_at(c->o->settings, "origin"),
              MT_STR("it is text without spaces, plus signs and control characters"));
    }
}

/* Who is to be somebody else, and how much each may ask for. */
static void check_identities(check *c)
{
    ex_quotas *quotas;
    c->count += ex_quotas_read(c->o->settings, c->fault, c->state, &quotas);
    ex_quotas_free(quotas);
    c->count += ex_distinct_read(&c->arena, c->o->settings, c->fault, c->state,
                                 &c->distinct, &c->distinct_count);
}

size_t ex_executor_check(const ex_executor_options *options, ex_config_fault *fault,
                         void *state)
{
    check c = {.o = options,
               .limits = options->limits ? *options->limits : MT_LIMITS_DEFAULT,
               .fault = fault,
               .state = state};
    check_key(&c, "signing_key", options->signing_key);
    check_key(&c, "previous_signing_key", options->previous_key);
    check_signer(&c);
    check_policies(&c);
    c.count += ex_numbers_check(options->settings, fault, state);
    check_outside(&c);
    check_witnesses(&c);
    check_identities(&c);
    c.count += ex_bindings_check(&c.arena, options->settings, fault, state);
    for (const char *const *f = options->files; f && *f; f++) {
        check_file(&c, "files", *f, true);
    }
    if (options->shadow) {
        check_file(&c, "shadow", options->shadow, false);
    }
    check_all_names(&c);
    check_each(&c, "graphs", try_graph);
    check_each(&c, "agents", try_agent);
    mt_arena_free(&c.arena);
    return c.count;
}
