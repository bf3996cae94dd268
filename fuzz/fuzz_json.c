/* Any bytes: what is read can be written, reads back equal, and is written the same
 * again; a fault has a message and a place inside of the text. */
#include "base/json_write.h"

static void check_written(mt_arena *a, const mt_json *tree, bool pretty)
{
    mt_buf first = {0}, second = {0};
    mt_json again;
    mt_json_write(&first, tree, pretty);
    MT_ASSERT(mt_json_read(a, mt_buf_str(&first), NULL, &again, NULL) == MT_OK);
    MT_ASSERT(mt_json_equal(tree, &again));
    mt_json_write(&second, &again, pretty);
    MT_ASSERT(mt_str_eq(mt_buf_str(&first), mt_buf_str(&second)));
    mt_buf_free(&first);
    mt_buf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_json tree;
    mt_json_error error;
    mt_str text = {(const char *)data, size};
    if (mt_json_read(&a, text, NULL, &tree, &error) == MT_OK) {
        check_written(&a, &tree, false);
        check_written(&a, &tree, true);
    } else {
        uint32_t line, column;
        MT_ASSERT(error.message && error.offset <= size);
        mt_json_place(text, error.offset, &line, &column);
        MT_ASSERT(line > 0 && column > 0);
    }
    mt_arena_free(&a);
    return 0;
}
