/* Lines and envelopes: the same lines however the bytes are split, every line fits its
 * limit, and what a relay wraps an agent can open. The first byte chooses the split. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "agent/frame.h"
#include "agent/message.h"
#include "base/utf8.h"

enum { LIMIT = 64 };

/* Whatever was read, what is sent of it is JSON. */
static void is_json(mt_str line)
{
    mt_arena a = {0};
    mt_json tree;
    MT_ASSERT(mt_json_read(&a, line, NULL, &tree, NULL) == MT_OK);
    mt_arena_free(&a);
}

static void open_line(ag_mode mode, mt_str line)
{
    mt_arena a = {0};
    ag_inbound in;
    mt_json_limits limits = {.bytes = 65536, .depth = 32};
    mt_err err = ag_frame_read(&a, mode, line, &limits, &in);
    if (mt_utf8_check(line) == line.len) {
        mt_buf wrapped = {0};
        ag_frame_relay(&wrapped, MT_STR("127.0.0.1:1"), line);
        ag_inbound again;
        mt_str inside = {wrapped.ptr, wrapped.len - 1};
        mt_err outer = ag_frame_read(&a, mode, inside, &limits, &again);
        MT_ASSERT(outer || (again.relayed && mt_str_is(again.address, "127.0.0.1:1")));
        mt_buf_free(&wrapped);
    } else {
        MT_ASSERT(err == MT_E_SYNTAX);
    }
    if (!err) {
        mt_buf out = {0};
        ag_frame_message(&out, &in.payload);
        MT_ASSERT(out.ptr[out.len - 1] == '\n');
        MT_ASSERT(mt_str_find(mt_buf_str(&out), '\n') == out.len - 1);
        is_json(mt_str_from(out.ptr, out.len - 1));
        mt_buf_free(&out);
    }
    mt_arena_free(&a);
}

static void open_both(mt_str line)
{
    open_line(AG_PROFILE, line);
    open_line(AG_COMPAT, line);
}

static void cut(mt_str input, size_t step, mt_buf *seen, bool look)
{
    ag_framer f = {.limit = LIMIT};
    mt_str line;
    ag_frame_kind kind;
    for (size_t at = 0; at < input.len; at += step) {
        size_t n = step < input.len - at ? step : input.len - at;
        ag_framer_feed(&f, mt_str_from(input.ptr + at, n));
        while ((kind = ag_framer_next(&f, &line)) != AG_FRAME_MORE) {
            mt_buf_addc(seen, kind == AG_FRAME_LINE ? 'L' : '!');
            if (kind == AG_FRAME_LINE) {
                MT_ASSERT(line.len <= LIMIT);
                mt_buf_adds(seen, line);
                mt_buf_addc(seen, '\n');
                if (look) {
                    open_both(line);
                }
            }
        }
    }
    if (ag_framer_end(&f, &line) == AG_FRAME_LINE) {
        mt_buf_adds(seen, line);
    }
    ag_framer_free(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) {
        return 0;
    }
    mt_str input = {(const char *)data + 1, size - 1};
    mt_buf whole = {0}, split = {0};
    cut(input, input.len ? input.len : 1, &whole, true);
    cut(input, (size_t)data[0] % 16 + 1, &split, false);
    MT_ASSERT(mt_str_eq(mt_buf_str(&whole), mt_buf_str(&split)));
    open_both(input); /* beyond the line limit too */
    mt_buf_free(&whole);
    mt_buf_free(&split);
    return 0;
}
