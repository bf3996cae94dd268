/* fuzz/fuzz_capture.c - capture v3 and journals: no input crashes the reader, and what
 * it accepts it can write and read again. */
#include <stdlib.h>

#include "graph/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_buf out = {0};
    gr_capture c, again;
    gr_capture_fault fault;
    mt_str text = mt_str_from((const char *)data, size);
    if (gr_capture_read(&a, text, &c, &fault) == MT_OK) {
        gr_capture_write(&out, &c, false);
        if (gr_capture_read(&a, mt_buf_str(&out), &again, &fault) ||
            again.events.len != c.events.len ||
            again.decisions.len != c.decisions.len) {
            abort();
        }
    }
    mt_buf_free(&out);
    mt_arena_free(&a);
    return 0;
}
