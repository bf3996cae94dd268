/* Layout: whatever parses can be formatted; formatting twice changes nothing, and the
 * bundle changes in line numbers alone. */
#include <stdlib.h>

#include "contract/elaborate.h"
#include "contract/front/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static mt_str elaborated(mt_arena *a, mt_str text)
{
    mt_memory_file file = {MT_STR("x.tenor"), text};
    mt_memory memory = {&file, 1};
    mt_provider provider = mt_memory_provider(&memory);
    mt_diags ds = {.arena = a};
    const ct_elaboration *e = NULL;
    ct_elaborate(a, file.path, &provider, NULL, &ds, &e);
    return e ? e->bundle : MT_STR("");
}

/* The bundle with every line number made 0. */
static mt_str without_lines(mt_arena *a, mt_str bundle)
{
    static const char KEY[] = "\"line\":";
    mt_buf out = {0};
    for (const char *at; (at = memmem(bundle.ptr, bundle.len, KEY, sizeof KEY - 1));) {
        size_t head = (size_t)(at - bundle.ptr) + sizeof KEY - 1;
        mt_buf_add(&out, bundle.ptr, head);
        bundle = mt_str_skip(bundle, head);
        while (bundle.len && bundle.ptr[0] >= '0' && bundle.ptr[0] <= '9') {
            bundle = mt_str_skip(bundle, 1);
        }
    }
    mt_buf_adds(&out, bundle);
    mt_str kept = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena arena = {0};
    mt_str text = mt_str_from((const char *)data, size), once, twice;
    mt_diags ds = {.arena = &arena};
    if (fr_format(&arena, MT_STR("x.tenor"), text, NULL, NULL, &ds, &once) == MT_OK) {
        if (fr_format(&arena, MT_STR("x.tenor"), once, NULL, NULL, &ds, &twice) !=
                MT_OK ||
            !mt_str_eq(once, twice)) {
            abort();
        }
        mt_str before = without_lines(&arena, elaborated(&arena, text));
        mt_str after = without_lines(&arena, elaborated(&arena, once));
        if (!mt_str_eq(before, after)) {
            abort();
        }
    }
    mt_arena_free(&arena);
    return 0;
}
