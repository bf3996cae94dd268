/* One message in each revision: what it is taken for, the code and HTTP status of each
 * fault, and that nothing a stranger sends makes an answer that is not one. */
#include "../rows.h"

#include "base/json_write.h"
#include "mcp/protocol.h"

#define VERSION(v) "\"io.modelcontextprotocol/protocolVersion\":\"" v "\""
#define CAN(c)     "\"io.modelcontextprotocol/clientCapabilities\":" c
#define META       "\"_meta\":{" VERSION("2026-07-28") "," CAN("{}") "}"
#define TASKS                                                                          \
    "\"_meta\":{" VERSION("2026-07-28") "," CAN(                                       \
        "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}") "}"
#define CALL(id, method, params)                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params \
    "}}"

/* How it came: over stdio before and after `initialize`; over HTTP with header fields.
 */
#define STDIO                                                                          \
    {                                                                                  \
        0                                                                              \
    }
#define BEGAN                                                                          \
    {                                                                                  \
        .began = true                                                                  \
    }
#define HTTP(v, m, n)                                                                  \
    {                                                                                  \
        .http = true, .version = v, .method = m, .named = n                            \
    }
#define H(text) MT_STR_INIT(text)
#define NONE                                                                           \
    {                                                                                  \
        NULL, 0                                                                        \
    }
#define NEW H("2026-07-28")
#define OLD H("2025-11-25")

/* Wanted: "METHOD REVISION" of a request, "notification", "response", or the code and
 * the HTTP status of a fault. */
static const struct row {
    const char *name;
    mc_door door;
    const char *text, *want;
} ROWS[] = {
    {"a request of the newer revision", STDIO, CALL("1", "tools/list", META),
     "tools/list 2026-07-28"},
    {"the newer revision after initialize, too", BEGAN, CALL("1", "tools/list", META),
     "tools/list 2026-07-28"},
    {"initialize begins the older revision", STDIO,
     CALL("1", "initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}"),
     "initialize 2025-11-25"},
    {"initialize for a version nobody knows", STDIO,
     CALL("1", "initialize", "\"protocolVersion\":\"1\",\"capabilities\":{}"),
     "initialize 2025-11-25"},
    {"initialize without a version", STDIO,
     CALL("1", "initialize", "\"capabilities\":{}"), "-32602 200"},
    {"the older revision after initialize", BEGAN, CALL("1", "tools/list", ""),
     "tools/list 2025-11-25"},
    {"parameters may be absent", BEGAN,
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", "ping 2025-11-25"},
    {"ping may come before initialize", STDIO, CALL("1", "ping", ""),
     "ping 2025-11-25"},
    {"neither revision began", STDIO, CALL("1", "tools/list", ""), "-32602 400"},
    {"discover without _meta", STDIO, CALL("1", "server/discover", ""), "-32602 400"},
    {"the older revision has no discover", BEGAN, CALL("1", "server/discover", ""),
     "-32601 200"},
    {"the newer revision has no initialize", STDIO, CALL("1", "initialize", META),
     "-32601 404"},
    {"the newer revision has no ping", STDIO, CALL("1", "ping", META), "-32601 404"},
    {"a method nobody has", STDIO, CALL("1", "tools/steal", META), "-32601 404"},
    {"the same in the older revision", BEGAN, CALL("1", "tools/steal", ""),
     "-32601 200"},
    {"a notification nobody knows is not answered", BEGAN,
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\"}", "notification"},
    {"a notification before anything began", STDIO,
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", "notification"},
    {"a request without an id is not answered", BEGAN,
     "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}",
     "notification"},
    {"a notification with an id", BEGAN, CALL("1", "notifications/initialized", ""),
     "-32600 400"},
    {"a response is not answered", BEGAN,
     "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}", "response"},
    {"an error is not answered", BEGAN,
     "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"\"}}", "response"},
    /* the envelope */
    {"nothing", STDIO, "", "-32700 400"},
    {"half a message", STDIO, "{\"jsonrpc\":\"2.0\",\"id\":1", "-32700 400"},
    {"two messages", STDIO, "{} {}", "-32700 400"},
    {"a key twice", STDIO, "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2}", "-32700 400"},
    {"bytes that are not UTF-8", STDIO, "{\"method\":\"\xff\"}", "-32700 400"},
    {"a batch", BEGAN, "[" CALL("1", "ping", "") "]", "-32600 400"},
    {"an empty batch", STDIO, "[]", "-32600 400"},
    {"a number", STDIO, "7", "-32600 400"},
    {"null", STDIO, "null", "-32600 400"},
    {"an empty object", STDIO, "{}", "-32600 400"},
    {"another jsonrpc", STDIO, "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
     "-32600 400"},
    {"jsonrpc as a number", STDIO, "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}",
     "-32600 400"},
    {"a method that is a number", STDIO, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":1}",
     "-32600 400"},
    {"an id that is null", STDIO, CALL("null", "ping", ""), "-32600 400"},
    {"an id that is a list", STDIO, CALL("[1]", "ping", ""), "-32600 400"},
    {"an id with a fraction", STDIO, CALL("1.5", "ping", ""), "-32600 400"},
    {"an id with an exponent", STDIO, CALL("1e2", "ping", ""), "-32600 400"},
    {"a negative id", STDIO, CALL("-1", "ping", ""), "ping 2025-11-25"},
    {"an id beyond 64 bits", STDIO, CALL("99999999999999999999999", "ping", ""),
     "ping 2025-11-25"},
    {"an id that is empty text", STDIO, CALL("\"\"", "ping", ""), "ping 2025-11-25"},
    {"parameters in a list", BEGAN,
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", "-32602 200"},
    {"_meta that is text", STDIO, CALL("1", "tools/list", "\"_meta\":\"x\""),
     "-32602 400"},
    /* the newer revision's own */
    {"a version nobody knows", STDIO,
     CALL("1", "tools/list", "\"_meta\":{" VERSION("1900-01-01") "," CAN("{}") "}"),
     "-32022 400"},
    {"the older version in _meta", BEGAN,
     CALL("1", "tools/list", "\"_meta\":{" VERSION("2025-11-25") "," CAN("{}") "}"),
     "-32022 400"},
    {"a version that is a number", STDIO,
     CALL("1", "tools/list",
          "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":1," CAN("{}") "}"),
     "-32602 400"},
    {"no capabilities", STDIO,
     CALL("1", "tools/list", "\"_meta\":{" VERSION("2026-07-28") "}"), "-32602 400"},
    {"capabilities in a list", STDIO,
     CALL("1", "tools/list", "\"_meta\":{" VERSION("2026-07-28") "," CAN("[]") "}"),
     "-32602 400"},
    {"tasks without the extension", STDIO,
     CALL("1", "tasks/get", "\"taskId\":\"f\"," META), "-32021 400"},
    {"tasks with the extension", STDIO,
     CALL("1", "tasks/get", "\"taskId\":\"f\"," TASKS), "tasks/get 2026-07-28"},
    {"the older revision has no such tasks", BEGAN,
     CALL("1", "tasks/get", "\"taskId\":\"f\""), "-32601 200"},
    /* parameters */
    {"a call without a name", BEGAN, CALL("1", "tools/call", ""), "-32602 200"},
    {"a call with an empty name", BEGAN, CALL("1", "tools/call", "\"name\":\"\""),
     "-32602 200"},
    {"arguments in a list", BEGAN,
     CALL("1", "tools/call", "\"name\":\"a\",\"arguments\":[]"), "-32602 200"},
    {"a cursor that is a number", BEGAN, CALL("1", "tools/list", "\"cursor\":1"),
     "-32602 200"},
    {"members of a later revision", BEGAN,
     CALL("1", "tools/call", "\"name\":\"a\",\"later\":{}"), "tools/call 2025-11-25"},
    /* over HTTP */
    {"HTTP: all header fields", HTTP(NEW, H("tools/call"), H("a")),
     CALL("1", "tools/call", "\"name\":\"a\"," META), "tools/call 2026-07-28"},
    {"HTTP: a name in base64", HTTP(NEW, H("tools/call"), H("=?base64?w6k=?=")),
     CALL("1", "tools/call", "\"name\":\"\xc3\xa9\"," META), "tools/call 2026-07-28"},
    {"HTTP: base64 that is none", HTTP(NEW, H("tools/call"), H("=?base64?w6?=")),
     CALL("1", "tools/call", "\"name\":\"\xc3\xa9\"," META), "-32020 400"},
    {"HTTP: another name", HTTP(NEW, H("tools/call"), H("b")),
     CALL("1", "tools/call", "\"name\":\"a\"," META), "-32020 400"},
    {"HTTP: no name", HTTP(NEW, H("tools/call"), NONE),
     CALL("1", "tools/call", "\"name\":\"a\"," META), "-32020 400"},
    {"HTTP: another method", HTTP(NEW, H("tools/list"), H("a")),
     CALL("1", "tools/call", "\"name\":\"a\"," META), "-32020 400"},
    {"HTTP: the case of a method counts", HTTP(NEW, H("Tools/List"), NONE),
     CALL("1", "tools/list", META), "-32020 400"},
    {"HTTP: no method", HTTP(NEW, NONE, NONE), CALL("1", "tools/list", META),
     "-32020 400"},
    {"HTTP: no version", HTTP(NONE, H("tools/list"), NONE),
     CALL("1", "tools/list", META), "-32020 400"},
    {"HTTP: another version", HTTP(OLD, H("tools/list"), NONE),
     CALL("1", "tools/list", META), "-32020 400"},
    {"HTTP: both say a version nobody knows",
     HTTP(H("1900-01-01"), H("tools/list"), NONE),
     CALL("1", "tools/list", "\"_meta\":{" VERSION("1900-01-01") "," CAN("{}") "}"),
     "-32022 400"},
    {"HTTP: the header is newer, _meta is absent", HTTP(NEW, H("tools/list"), NONE),
     CALL("1", "tools/list", ""), "-32602 400"},
    {"HTTP: an unknown method is 404", HTTP(NEW, H("tools/steal"), NONE),
     CALL("1", "tools/steal", META), "-32601 404"},
    {"HTTP: the older revision needs no session", HTTP(OLD, NONE, NONE),
     CALL("1", "tools/list", ""), "tools/list 2025-11-25"},
    {"HTTP: the older revision without its header", HTTP(NONE, NONE, NONE),
     CALL("1", "tools/list", ""), "-32020 400"},
    {"HTTP: a version before ours", HTTP(H("2025-03-26"), NONE, NONE),
     CALL("1", "tools/list", ""), "-32022 400"},
    {"HTTP: a version that is not UTF-8", HTTP(H("\xff"), NONE, NONE),
     CALL("1", "tools/list", ""), "-32020 400"},
    {"HTTP: initialize has no header", HTTP(NONE, NONE, NONE),
     CALL("1", "initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}"),
     "initialize 2025-11-25"},
    {"HTTP: a notification", HTTP(OLD, NONE, NONE),
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", "notification"},
};

typedef struct heard {
    mt_arena arena;
    mt_str said; /* a copy: messages borrow from it */
    mc_message m;
    mt_buf text; /* the answer */
    mt_json answer;
} heard;

static const mc_server SERVER = {MT_STR_INIT("motet"), MT_STR_INIT("9")};

static void hear(heard *h, mt_str text, const mc_door *door)
{
    *h = (heard){0};
    h->said = fenced(text);
    mc_read(&h->arena, h->said, door, &h->m);
    if (h->m.kind == MC_FAULTY) {
        mc_refuse(&h->text, &h->m);
    } else if (h->m.kind == MC_REQUEST) {
        mc_result r = {.type = "complete", .members = MT_STR("\"x\":1")};
        mc_answer(&h->text, &SERVER, &h->m, &r);
    }
    if (h->text.len) {
        mt_str kept = mt_str_dup(&h->arena, mt_buf_str(&h->text));
        assert_int_equal(mt_json_read(&h->arena, kept, NULL, &h->answer, NULL), MT_OK);
    }
}

static void forget(heard *h)
{
    mt_buf_free(&h->text);
    fenced_free(h->said);
    mt_arena_free(&h->arena);
}

static mt_str taken_for(heard *h)
{
    static const char *const NAMES[] = {
#define NAME(id, text, ...) text,
        MC_METHOD_MAP(NAME)
#undef NAME
    };
    mt_arena *a = &h->arena;
    switch (h->m.kind) {
    case MC_NOTIFICATION: return MT_STR("notification");
    case MC_RESPONSE: return MT_STR("response");
    case MC_REQUEST:
        return mt_strf(a, "%s %.*s", NAMES[h->m.method],
                       MT_ARG(mc_revision_name(h->m.revision)));
    case MC_FAULTY: break;
    }
    const mt_json *code = mt_json_at(mt_json_at(&h->answer, "error"), "code");
    return mt_strf(a, "%.*s %d", MT_ARG(mt_json_text(code)), mc_status(&h->m));
}

static void is_taken_for(void **state)
{
    const struct row *r = *state;
    heard h;
    hear(&h, mt_str_z(r->text), &r->door);
    assert_text(taken_for(&h), mt_str_z(r->want));
    assert_int_equal(h.text.len > 0, h.m.kind == MC_REQUEST || h.m.kind == MC_FAULTY);
    if (h.m.kind == MC_NOTIFICATION || h.m.kind == MC_RESPONSE) {
        assert_int_equal(mc_status(&h.m), 202);
    }
    forget(&h);
}

/* Wanted: the whole answer. */
static const struct said {
    const char *name;
    mc_door door;
    const char *text, *want;
} SAID[] = {
    {"a result of the older revision", BEGAN, CALL("7", "tools/list", ""),
     "{\"id\":7,\"jsonrpc\":\"2.0\",\"result\":{\"x\":1}}"},
    {"a result that may be kept", STDIO, CALL("7", "tools/list", META),
     "{\"id\":7,\"jsonrpc\":\"2.0\",\"result\":{\"_meta\":{"
     "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"motet\",\"version\":\"9\"}},"
     "\"x\":1,\"cacheScope\":\"private\",\"resultType\":\"complete\",\"ttlMs\":60000}"
     "}"},
    {"a result that is not kept", STDIO,
     CALL("\"a\\n\\u00e9\"", "tools/call", "\"name\":\"t\"," META),
     "{\"id\":\"a\\n\xc3\xa9\",\"jsonrpc\":\"2.0\",\"result\":{\"_meta\":{"
     "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"motet\",\"version\":\"9\"}},"
     "\"x\":1,\"resultType\":\"complete\"}}"},
    {"an id that was read is in the error", STDIO,
     "{\"jsonrpc\":\"1\",\"id\":\"q\",\"method\":\"ping\"}",
     "{\"error\":{\"code\":-32600,\"message\":\"`jsonrpc` must be \\\"2.0\\\"\"},"
     "\"id\":\"q\",\"jsonrpc\":\"2.0\"}"},
    {"an id that could not be read is not", STDIO, "[",
     "{\"error\":{\"code\":-32700,\"message\":\"not JSON, byte 1: unexpected end of "
     "the text\"},\"jsonrpc\":\"2.0\"}"},
    {"versions that are supported", STDIO,
     CALL("1", "tools/list", "\"_meta\":{" VERSION("v") "," CAN("{}") "}"),
     "{\"error\":{\"code\":-32022,\"data\":{\"requested\":\"v\",\"supported\":["
     "\"2026-07-28\",\"2025-11-25\"]},\"message\":\"protocol version v is not "
     "supported\"},\"id\":1,\"jsonrpc\":\"2.0\"}"},
    {"what the client would have to know", STDIO,
     CALL("1", "tasks/get", "\"taskId\":\"f\"," META),
     "{\"error\":{\"code\":-32021,\"data\":{\"requiredCapabilities\":{\"extensions\":{"
     "\"io.modelcontextprotocol/tasks\":{}}}},\"message\":\"the client does not say "
     "that it knows io.modelcontextprotocol/tasks\"},\"id\":1,\"jsonrpc\":\"2.0\"}"},
    {"a parameter that is missing is named", BEGAN, CALL("1", "tools/call", ""),
     "{\"error\":{\"code\":-32602,\"message\":\"`name` is missing\"},\"id\":1,"
     "\"jsonrpc\":\"2.0\"}"},
};

static void is_answered(void **state)
{
    const struct said *r = *state;
    heard h;
    hear(&h, mt_str_z(r->text), &r->door);
    assert_text(mt_buf_str(&h.text), mt_str_z(r->want));
    forget(&h);
}

/* The code of a resource that is not there changed with the revision. */
static void a_missing_resource_has_the_code_of_its_revision(void **state)
{
    (void)state;
    static const struct {
        mc_door door;
        const char *text, *code;
    } EACH[] = {
        {BEGAN, CALL("1", "resources/read", "\"uri\":\"u\""), "-32002"},
        {STDIO, CALL("1", "resources/read", "\"uri\":\"u\"," META), "-32602"},
    };
    for (size_t i = 0; i < 2; i++) {
        heard h;
        hear(&h, mt_str_z(EACH[i].text), &EACH[i].door);
        mt_buf out = {0};
        mc_spoil(&h.m, MC_NO_RESOURCE, MT_STR("there is none"), (mt_str){0});
        mc_refuse(&out, &h.m);
        mt_str text = mt_str_dup(&h.arena, mt_buf_str(&out));
        assert_non_null(strstr(text.ptr, EACH[i].code));
        mt_buf_free(&out);
        forget(&h);
    }
}

static void what_a_client_can_do_is_read_from_each_request(void **state)
{
    (void)state;
    static const struct {
        const char *capabilities;
        unsigned can;
    } EACH[] = {
        {"{}", 0},
        {"{\"elicitation\":{}}", MC_CAN_BE_ASKED},
        {"{\"elicitation\":{\"form\":{}}}", MC_CAN_BE_ASKED},
        {"{\"elicitation\":{\"url\":{}}}", 0},
        {"{\"elicitation\":{\"form\":{},\"url\":{}}}", MC_CAN_BE_ASKED},
        {"{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}", MC_CAN_TASKS},
        {"{\"extensions\":{\"io.modelcontextprotocol/ui\":{}}}", 0},
    };
    mc_door door = STDIO;
    for (size_t i = 0; i < sizeof EACH / sizeof *EACH; i++) {
        heard h;
        mt_arena a = {0};
        hear(
            &h,
            mt_strf(&a,
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                    "\"params\":{\"_meta\":{" VERSION("2026-07-28") "," CAN("%s") "}}}",
                    EACH[i].capabilities),
            &door);
        assert_int_equal(h.m.kind, MC_REQUEST);
        assert_int_equal(h.m.can, EACH[i].can);
        forget(&h);
        mt_arena_free(&a);
    }
}

static mt_str nested(mt_arena *a, size_t depth)
{
    mt_buf b = {0};
    mt_buf_addz(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":");
    for (size_t i = 2; i < depth; i++) {
        mt_buf_addz(&b, "{\"a\":");
    }
    mt_buf_addz(&b, "{}");
    for (size_t i = 2; i < depth; i++) {
        mt_buf_addz(&b, "}");
    }
    mt_buf_addz(&b, "}");
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static void a_message_is_as_deep_and_long_as_the_limits_say(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_str text = nested(&a, 20);
    const struct {
        mt_json_limits limits;
        const char *want;
    } EACH[] = {{{text.len, 20}, "ping 2025-11-25"},
                {{text.len, 19}, "-32600 400"},
                {{text.len - 1, 20}, "-32600 400"}};
    for (size_t i = 0; i < 3; i++) {
        heard h;
        mc_door door = {.limits = &EACH[i].limits};
        hear(&h, text, &door);
        assert_text(taken_for(&h), mt_str_z(EACH[i].want));
        forget(&h);
    }
    mt_arena_free(&a);
}

/* ---- Hostile messages ---- */

static const char *const PIECES[] = {"{",
                                     "}",
                                     "[",
                                     "]",
                                     ":",
                                     ",",
                                     "\"",
                                     "\\",
                                     "\"jsonrpc\":\"2.0\"",
                                     "\"id\":",
                                     "\"method\":",
                                     "\"params\":",
                                     "\"_meta\":",
                                     "tools/call",
                                     "tools/list",
                                     "initialize",
                                     "ping",
                                     "null",
                                     "1",
                                     "-1",
                                     "1e9",
                                     "1.0",
                                     "99999999999999999999",
                                     "true",
                                     "\"name\":\"a\"",
                                     "\"arguments\":{}",
                                     VERSION("2026-07-28"),
                                     CAN("{}"),
                                     "\n",
                                     "\xc3\xa9",
                                     "\xff",
                                     "\xed\xa0\x80",
                                     "\\ud800",
                                     "\\u0000",
                                     " ",
                                     "\xef\xbb\xbf"};

static const char *const WHOLE[] = {
    CALL("1", "ping", ""), CALL("\"x\"", "tools/call", "\"name\":\"a\"," META),
    CALL("2", "tasks/update", "\"taskId\":\"f\",\"inputResponses\":{}," TASKS)};

/* A message that holds, with some of it exchanged; or pieces in any order. */
static mt_str hostile(mt_arena *a, dice *d)
{
    mt_buf b = {0};
    size_t pieces = rows_count(PIECES);
    if (dice_below(d, 2)) {
        mt_buf_addz(&b, WHOLE[dice_below(d, 3)]);
        for (size_t n = dice_below(d, 5); n && b.len; n--) {
            size_t at = dice_below(d, b.len);
            switch (dice_below(d, 3)) {
            case 0: b.ptr[at] = (char)dice_below(d, 256); break;
            case 1: b.len = at; break;
            default: mt_buf_addz(&b, PIECES[dice_below(d, pieces)]);
            }
        }
    } else {
        for (size_t n = dice_below(d, 24); n; n--) {
            mt_buf_addz(&b, PIECES[dice_below(d, pieces)]);
        }
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* 50,000 of them in the long form (MOTET_SOAK). hear() reads every answer as JSON. */
static void nothing_hostile_makes_an_answer_that_is_none(void **state)
{
    (void)state;
    dice d = dice_from_environment();
    static const mc_door DOORS[] = {STDIO, BEGAN, HTTP(NEW, H("tools/call"), H("a")),
                                    HTTP(OLD, NONE, NONE)};
    size_t requests = 0;
    for (size_t i = 0; i < soak_or(50000, 8000); i++) {
        heard h;
        mt_arena a = {0};
        hear(&h, hostile(&a, &d), &DOORS[dice_below(&d, 4)]);
        requests += h.m.kind == MC_REQUEST;
        int status = mc_status(&h.m);
        assert_true(status == 200 || status == 202 || status == 400 || status == 404);
        assert_int_equal(h.text.len > 0,
                         h.m.kind == MC_REQUEST || h.m.kind == MC_FAULTY);
        assert_int_equal(mt_str_find(mt_buf_str(&h.text), '\n'), h.text.len);
        forget(&h);
        mt_arena_free(&a);
    }
    assert_true(requests > 50); /* some are let through, or nothing was tried */
}

/* ---- For who sends it on ---- */

/* Values of a header, as revision 2026-07-28 has examples of them. */
static const struct value_row {
    const char *name, *text, *want;
} VALUES[] = {
    {"plain text is as it is", "us-west1", "us-west1"},
    {"with spaces inside", "a b", "a b"},
    {"the least and the most that are plain", "!~", "!~"},
    {"outside ASCII", "Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="},
    {"spaces around", " padded ", "=?base64?IHBhZGRlZCA=?="},
    {"a space before", " a", "=?base64?IGE=?="},
    {"a space after", "a ", "=?base64?YSA=?="},
    {"a line's end", "line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
    {"what is no character of a line", "a\x7f", "=?base64?YX8=?="},
    {"like an encoded one",
     "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
    {"nothing", "",
     "=?base64?"
     "?="},
};

static void is_such_a_value(void **state)
{
    const struct value_row *row = *state;
    mt_arena a = {0};
    mt_str back, value = mc_header_value(&a, mt_str_z(row->text));
    assert_text(value, mt_str_z(row->want));
    assert_true(mc_header_text(&a, value, &back));
    assert_text(back, mt_str_z(row->text));
    mt_arena_free(&a);
}

static const struct sent_row {
    const char *name, *text, *method, *named;
    bool asks;
} SENT[] = {
    {"sent: a list", CALL("1", "tools/list", META), "tools/list", NULL, true},
    {"sent: a call", CALL("1", "tools/call", "\"name\":\"a\"," META), "tools/call", "a",
     false},
    {"sent: a resource", CALL("1", "resources/read", "\"uri\":\"u:1\"," META),
     "resources/read", "u:1", true},
    {"sent: a task", CALL("1", "tasks/get", "\"taskId\":\"t\"," TASKS), "tasks/get",
     "t", true},
    {"sent: the end of a task", CALL("1", "tasks/cancel", "\"taskId\":\"t\"," TASKS),
     "tasks/cancel", "t", false},
    {"sent: input for a task",
     CALL("1", "tasks/update", "\"taskId\":\"t\",\"inputResponses\":{}," TASKS),
     "tasks/update", "t", false},
};

static void is_sent_on(void **state)
{
    const struct sent_row *row = *state;
    mt_arena a = {0};
    mc_message m;
    mc_read(&a, mt_str_z(row->text), &(mc_door){0}, &m);
    assert_int_equal(m.kind, MC_REQUEST);
    assert_text(mc_method_name(&m), mt_str_z(row->method));
    assert_int_equal(mc_named(&m).ptr != NULL, row->named != NULL);
    assert_text(mc_named(&m), mt_str_z(row->named ? row->named : ""));
    assert_int_equal(mc_only_asks(&m), row->asks);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, is_taken_for);
    rows_add(&list, SAID, is_answered);
    rows_add(&list, VALUES, is_such_a_value);
    rows_add(&list, SENT, is_sent_on);
    rows_test(&list, a_missing_resource_has_the_code_of_its_revision);
    rows_test(&list, what_a_client_can_do_is_read_from_each_request);
    rows_test(&list, a_message_is_as_deep_and_long_as_the_limits_say);
    rows_test(&list, nothing_hostile_makes_an_answer_that_is_none);
    return rows_run(&list, "mcp/protocol");
}
