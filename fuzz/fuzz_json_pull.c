/* Any bytes: the cursor accepts what the tree reader accepts, finds the same values and
 * refuses the rest with the same kind of error; skipping agrees as well. */
#include "../tests/unit/base/pull_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_json tree, pulled;
    mt_json_error error;
    mt_jp j;
    mt_str text = {(const char *)data, size};
    mt_err err = mt_json_read(&a, text, NULL, &tree, NULL);
    MT_ASSERT(pull_walk(&a, text, NULL, &pulled, &error) == err);
    MT_ASSERT(err ? error.message && error.offset <= size
                  : mt_json_equal(&tree, &pulled));
    mt_jp_start(&j, &a, text, NULL);
    mt_jp_skip(&j);
    MT_ASSERT(mt_jp_finish(&j, NULL) == err);
    mt_arena_free(&a);
    return 0;
}
