/* Any bytes: the cursor accepts what the tree reader accepts, finds the same values and
 * refuses the rest with the same kind of error; skipping agrees as well. */
#include "../tests/unit/base/pull_walk.h"

/* Of two faults the readers may meet different ones first: the cursor sees a duplicate
 * key where it stands, the tree reader when the object closes. */
static bool agree(mt_err read, mt_err pulled, const mt_json_error *error)
{
    bool duplicate = pulled == MT_E_SYNTAX && error->detail.ptr;
    return read == pulled || (read && duplicate);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_json tree, pulled;
    mt_json_error error = {0};
    mt_jp j;
    mt_str text = {(const char *)data, size};
    mt_err err = mt_json_read(&a, text, NULL, &tree, NULL);
    MT_ASSERT(agree(err, pull_walk(&a, text, NULL, &pulled, &error), &error));
    MT_ASSERT(err ? error.message && error.offset <= size
                  : mt_json_equal(&tree, &pulled));
    mt_jp_start(&j, &a, text, NULL);
    mt_jp_skip(&j);
    mt_err skipped = mt_jp_finish(&j, &error);
    MT_ASSERT(agree(err, skipped, &error));
    mt_arena_free(&a);
    return 0;
}
