/* tests/unit/adapter/adapter_fixture.h - contracts with sources, opened and asked.
 * `'` stands for `"` in bundles; configurations are YAML. */
#ifndef TEST_ADAPTER_FIXTURE_H
#define TEST_ADAPTER_FIXTURE_H

#include "../contract/bundle_text.h"
#include "../rows.h"
#include "adapter/adapter.h"
#include "base/yaml_read.h"
#include "os/clock.h"

/* A source with fields, a fact of it. */
#define SOURCE(id, protocol, fields)                                                   \
    "{'fields':{" fields "},'id':'" id "','kind':'Source','protocol':'" protocol "'}"
#define FACT_OF(source, path, id, type)                                                \
    ",{'id':'" id "','kind':'Fact','source':{'path':'" path "','source_id':'" source   \
    "'},'type':" type "}"
#define FACT_OF_OR(source, path, id, type, otherwise)                                  \
    ",{'default':" otherwise ",'id':'" id "','kind':'Fact','source':{'path':'" path    \
    "','source_id':'" source "'},'type':" type "}"
#define ENTITY_OF(id)                                                                  \
    ",{'id':'" id "','initial':'a','kind':'Entity','states':['a','b'],"                \
    "'transitions':[{'from':'a','to':'b'}]}"
#define TEXT_TYPE "{'base':'Text','max_length':2000}"
#define INT_TYPE  "{'base':'Int','max':1000000,'min':-1000000}"
#define BOOL_TYPE "{'base':'Bool'}"
#define USD_TYPE  "{'base':'Money','currency':'USD'}"

typedef struct outlet {
    mt_arena arena;
    mt_diags ds;
    const ct_model *model;
    ad_adapters *adapters;
    mt_err err; /* of opening */
} outlet;

static inline void outlet_load(outlet *o, const char *constructs)
{
    *o = (outlet){0};
    o->ds.arena = &o->arena;
    mt_str text = bundle_of(&o->arena, constructs);
    mt_err err = ct_load(&o->arena, text, MT_STR("t"), NULL, &o->ds, &o->model);
    if (err) {
        fail_msg("bundle: %.*s", MT_ARG(o->ds.items[0].message));
    }
}

/* `with` has everything but model and sources; NULL: nothing. */
static inline void outlet_open_with(outlet *o, const char *constructs, mt_str yaml,
                                    const ad_adapter_options *with)
{
    mt_json tree;
    ad_adapter_options options = with ? *with : (ad_adapter_options){0};
    outlet_load(o, constructs);
    assert_int_equal(mt_yaml_read(&o->arena, yaml, NULL, &tree, NULL), MT_OK);
    options.model = o->model;
    options.sources = mt_json_is(&tree, MT_JSON_NULL) ? NULL : &tree;
    o->err = ad_adapters_open(&options, &o->ds, &o->adapters);
}

static inline void outlet_open(outlet *o, const char *constructs, mt_str yaml)
{
    outlet_open_with(o, constructs, yaml, NULL);
    if (o->err) {
        fail_msg("refused: %.*s", MT_ARG(o->ds.items[0].message));
    }
}

static inline void outlet_close(outlet *o)
{
    ad_adapters_free(o->adapters);
    mt_arena_free(&o->arena);
}

/* Is there a diagnostic with this code that names this? */
static inline void assert_refused(const outlet *o, const char *code, const char *what)
{
    assert_int_equal(o->err, MT_E_REJECTED);
    assert_null(o->adapters);
    for (size_t i = 0; i < o->ds.len; i++) {
        mt_str message = o->ds.items[i].message;
        if (!strcmp(o->ds.items[i].code, code) &&
            memmem(message.ptr, message.len, what, strlen(what))) {
            return;
        }
    }
    fail_msg("no %s about %s; first is %s %.*s", code, what, o->ds.items[0].code,
             MT_ARG(o->ds.items[0].message));
}

static inline void keep_failed(void *state, const ad_asked *what)
{
    ad_fact_error *failed = state;
    *failed = what->failed;
}

/* `failed`: what the source is said to have failed at; NULL: nobody is told. */
static inline ad_fact_answer ask_and_hear(outlet *o, const char *fact, const char *id,
                                          int ms, ad_fact_error *failed)
{
    ad_param param = {MT_STR("id"), mt_str_z(id)};
    uint32_t index = ct_model_find(o->model, CT_KIND_FACT, mt_str_z(fact));
    ad_fetch fetch = {.facts = &index,
                      .fact_count = 1,
                      .params = &param,
                      .param_count = id != NULL,
                      .deadline = os_now_ms() + ms,
                      .asked = failed ? keep_failed : NULL,
                      .asked_state = failed};
    ad_fact_answer answer;
    assert_int_not_equal(index, CT_NONE);
    ad_adapters_fetch(o->adapters, &fetch, &o->arena, &answer);
    return answer;
}

static inline ad_fact_answer ask_within(outlet *o, const char *fact, const char *id,
                                        int ms)
{
    return ask_and_hear(o, fact, id, ms, NULL);
}

static inline ad_fact_answer ask(outlet *o, const char *fact, const char *id)
{
    return ask_within(o, fact, id, 10000);
}

static inline void assert_value(ad_fact_answer got, const char *want)
{
    if (got.error) {
        fail_msg("%s: %.*s", ad_fact_error_name(got.error), MT_ARG(got.message));
    }
    assert_text(got.value, mt_str_z(want));
}

static inline void assert_error(ad_fact_answer got, const char *want)
{
    if (strcmp(ad_fact_error_name(got.error), want) != 0) {
        fail_msg("got %s (%.*s, value %.*s), want %s", ad_fact_error_name(got.error),
                 MT_ARG(got.message), MT_ARG(got.value), want);
    }
    assert_int_not_equal(got.message.len, 0);
}

#endif
