/* Bytes split at the first newline: a schema and an instance. */
#include "graph/json_schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_str text = {(const char *)data, size};
    size_t cut = mt_str_find(text, '\n');
    mt_json schema, instance;
    gr_schema *s;
    gr_schema_error error;
    mt_json_limits limits = {1 << 16, 50};
    if (mt_json_read(&a, mt_str_from(text.ptr, cut), &limits, &schema, NULL) == MT_OK &&
        gr_schema_compile(&a, &schema, &s, &error) == MT_OK) {
        if (mt_json_read(&a, mt_str_skip(text, cut + 1), &limits, &instance, NULL) ==
            MT_OK) {
            mt_err first = gr_schema_check(s, &a, &instance, &error);
            MT_ASSERT(first == gr_schema_check(s, &a, &instance, NULL));
            MT_ASSERT(first == MT_OK || error.keyword);
        }
        gr_schema_free(s);
    }
    mt_arena_free(&a);
    return 0;
}
