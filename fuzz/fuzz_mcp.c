/* Messages of the Model Context Protocol as a stranger may send them: the first byte
 * says how it came, over HTTP its first three lines are header fields. Whatever it is,
 * what goes back is one JSON object on one line, has the id of the message or none, and
 * its code is one that the table has; a notification and a response have no answer. */
#include "base/utf8.h"
#include "mcp/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static mt_str field(mt_str *rest)
{
    size_t end = mt_str_find(*rest, '\n');
    mt_str line = mt_str_from(rest->ptr, end);
    *rest = mt_str_skip(*rest, end + 1);
    return line.len ? line : (mt_str){0};
}

static void check_answer(mt_arena *a, const mc_message *m, mt_str text)
{
    mt_json answer;
    int64_t code;
    MT_ASSERT(mt_str_find(text, '\n') == text.len);
    MT_ASSERT(mt_json_read(a, text, NULL, &answer, NULL) == MT_OK);
    MT_ASSERT(!mt_json_at(&answer, "id") == !m->id.len);
    const mt_json *error = mt_json_at(&answer, "error");
    MT_ASSERT(!error == (m->kind == MC_REQUEST));
    if (error) {
        MT_ASSERT(mt_json_i64(mt_json_at(error, "code"), &code) == MT_OK);
        MT_ASSERT((code >= -32700 && code <= -32600) || code == -32002 ||
                  (code >= -32022 && code <= -32020));
        MT_ASSERT(mt_json_text(mt_json_at(error, "message")).len);
    } else {
        const mt_json *result = mt_json_at(&answer, "result");
        MT_ASSERT(!mt_json_at(result, "resultType") == (m->revision == MC_2025_11_25));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_buf out = {0};
    mc_message m;
    mt_str rest = mt_str_from((const char *)data, size);
    mc_door door = {.began = size && (data[0] & 1), .http = size && (data[0] & 2)};
    rest = mt_str_skip(rest, 1);
    if (door.http) {
        door.version = field(&rest);
        door.method = field(&rest);
        door.named = field(&rest);
    }
    mc_read(&a, rest, &door, &m);
    int status = mc_status(&m);
    MT_ASSERT(status == 200 || status == 202 || status == 400 || status == 404);
    if (m.kind == MC_FAULTY) {
        mc_refuse(&out, &m);
    } else if (m.kind == MC_REQUEST) {
        mc_server s = {MT_STR("motet"), MT_STR("1")};
        mc_result r = {.type = "complete", .members = MT_STR("\"a\":1")};
        mc_answer(&out, &s, &m, &r);
    }
    if (out.len) {
        check_answer(&a, &m, mt_buf_str(&out));
    }
    MT_ASSERT(m.kind == MC_REQUEST || m.kind == MC_FAULTY || !out.len);
    mt_buf_free(&out);
    mt_arena_free(&a);
    return 0;
}
