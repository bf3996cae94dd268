/* Bytes as an editor, or somebody else, may send them to the language server. Lines of
 * the input are messages: each gets its Content-Length, but for those that begin with a
 * `!`, which are sent as they are. Whatever comes, what goes back is a sequence of
 * whole messages of JSON, and every request that was understood is answered at most
 * once. */
#include "base/json_read.h"
#include "lsp/lsp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_messages(mt_str out)
{
    static const char HEAD[] = "Content-Length: ";
    mt_arena a = {0};
    while (out.len) {
        mt_json message;
        size_t length = 0, at = sizeof HEAD - 1;
        MT_ASSERT(mt_str_starts(out, MT_STR("Content-Length: ")));
        for (; out.ptr[at] != '\r'; at++) {
            length = length * 10 + (size_t)(out.ptr[at] - '0');
        }
        mt_str body = mt_str_from(out.ptr + at + 4, length);
        MT_ASSERT(at + 4 + length <= out.len);
        MT_ASSERT(mt_json_read(&a, body, NULL, &message, NULL) == MT_OK);
        MT_ASSERT(mt_str_is(mt_json_text(mt_json_at(&message, "jsonrpc")), "2.0"));
        out = mt_str_skip(out, at + 4 + length);
        mt_arena_reset(&a);
    }
    mt_arena_free(&a);
}

static void feed(ls_server *s, mt_str line)
{
    if (mt_str_starts(line, MT_STR("!"))) {
        ls_feed(s, mt_str_skip(line, 1));
        return;
    }
    mt_buf b = {0};
    mt_buf_addf(&b, "Content-Length: %zu\r\n\r\n", line.len);
    mt_buf_adds(&b, line);
    ls_feed(s, mt_buf_str(&b));
    mt_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mt_memory NOTHING = {0};
    mt_limits limits = MT_LIMITS_DEFAULT;
    limits.prove_ms = 100;
    limits.prove_steps = 100000;
    ls_world world = {.files = mt_memory_provider(&NOTHING), .limits = &limits};
    ls_server *s = ls_new(&world);
    mt_buf out = {0};
    mt_str rest = mt_str_from((const char *)data, size);
    while (rest.len) {
        size_t end = mt_str_find(rest, '\n');
        feed(s, mt_str_from(rest.ptr, end));
        rest = mt_str_skip(rest, end + 1);
        while (ls_work(s, &out)) {
        }
    }
    check_messages(mt_buf_str(&out));
    mt_buf_free(&out);
    ls_free(s);
    return 0;
}
