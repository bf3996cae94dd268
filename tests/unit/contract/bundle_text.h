/* tests/unit/contract/bundle_text.h - small bundles, written by hand in the tests.
 * `'` stands for `"` so that JSON can be read in a C string. */
#ifndef TEST_BUNDLE_TEXT_H
#define TEST_BUNDLE_TEXT_H

#include "contract/wire/model.h"

/* A copy of `text` with every ' made ". */
static inline mt_str quoted(mt_arena *a, const char *text)
{
    mt_str copy = mt_str_dup(a, mt_str_z(text));
    char *p = mt_alloc(a, copy.len + 1);
    for (size_t i = 0; i < copy.len; i++) {
        p[i] = copy.ptr[i] == '\'' ? '"' : copy.ptr[i];
    }
    return mt_str_from(p, copy.len);
}

/* A whole bundle around constructs. */
static inline mt_str bundle_of(mt_arena *a, const char *constructs)
{
    mt_str inner = quoted(a, constructs);
    return mt_strf(a,
                   "{\"constructs\":[%.*s],\"id\":\"t\",\"kind\":\"Bundle\",\"tenor\":"
                   "\"1.0\",\"tenor_version\":\"1.1.0\"}",
                   MT_ARG(inner));
}

#define FACT(id, type) "{'id':'" id "','kind':'Fact','source':'s','type':" type "}"
#define RULE(id, stratum, when, verdict, type, value)                                  \
    "{'id':'" id "','kind':'Rule','stratum':" stratum ",'body':{'when':" when          \
    ",'produce':{'verdict_type':'" verdict "','payload':{'type':" type                 \
    ",'value':" value "}}}}"
#define BOOL_T  "{'base':'Bool'}"
#define TRUE_P  "{'literal':true,'type':{'base':'Bool'}}"
#define REF(id) "{'fact_ref':'" id "'}"

#endif
