/* tests/unit/connect/connect_fixture.h - contracts and documents, read. */
#ifndef TEST_CONNECT_FIXTURE_H
#define TEST_CONNECT_FIXTURE_H

#include "../rows.h"

#include "connect/document.h"
#include "contract/elaborate.h"
#include "contract/wire/model.h"

/* The model of a contract; what does not elaborate fails the test. */
static inline const ct_model *contract_of(mt_arena *a, mt_str text)
{
    mt_memory_file file = {MT_STR("c.tenor"), text};
    mt_memory files = {&file, 1};
    mt_provider provider = mt_memory_provider(&files);
    mt_diags ds = {.arena = a};
    const ct_elaboration *e;
    const ct_model *m = NULL;
    if (ct_elaborate(a, file.path, &provider, NULL, &ds, &e) ||
        ct_load(a, e->bundle, file.path, NULL, &ds, &m)) {
        fail_msg("%.*s", MT_ARG(ds.items[0].message));
    }
    return m;
}

/* The places of a document that can be read. */
static inline cn_document document_of(mt_arena *a, cn_format format, mt_str text)
{
    mt_buf why = {0};
    cn_document d;
    mt_limits limits = MT_LIMITS_DEFAULT;
    if (cn_read(a, format, MT_STR("a"), text, &limits, NULL, NULL, &why, &d)) {
        fail_msg("%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return d;
}

#endif
