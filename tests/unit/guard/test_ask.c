/* Asking a server for its tools: what it may say, and what is told of one that does
 * not. The servers are shell scripts. */
#include "../rows.h"

#include "guard/init.h"

static mt_arena arena;

#define RESULT(id, members)                                                            \
    "echo '{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{" members "}}';"
#define HELLO                                                                          \
    "read a;" RESULT("1", "\"protocolVersion\":\"2025-11-25\"") "read b; read c;"
#define TOOL(name) "{\"name\":\"" name "\"}"
#define LAST       "cat > /dev/null"

/* clang-format off */
static const struct ask_row {
    const char *name, *script;
    mt_err err;
    const char *told; /* the tools, or why not */
} ROWS[] = {
    {"its tools are told", HELLO RESULT("2", "\"tools\":[" TOOL("read") "," TOOL("write") "]") LAST,
     MT_OK, "read write"},
    {"a server without tools", HELLO RESULT("2", "\"tools\":[]") LAST, MT_OK, ""},
    {"a name may have a space", HELLO RESULT("2", "\"tools\":[" TOOL("read a file") "]") LAST, MT_OK, "read a file"},
    {"on many pages", HELLO RESULT("2", "\"tools\":[" TOOL("one") "],\"nextCursor\":\"a b\"")
     "read d; case \"$d\" in *'\"cursor\":\"a b\"'*)" RESULT("3", "\"tools\":[" TOOL("two") "]") ":;; esac;" LAST,
     MT_OK, "one two"},
    {"names that cannot be written down are left out",
     HELLO RESULT("2", "\"tools\":[" TOOL("a\\u00e9") "," TOOL("") "," TOOL("b") ",{},3]") LAST, MT_OK, "b -4"},
    {"what answers nothing of ours is passed over",
     "echo '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}'; echo; echo nonsense;"
     "echo '{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}';"
     "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}';"
     HELLO RESULT("2", "\"tools\":[" TOOL("a") "]") LAST, MT_OK, "a"},
    {"one that ends", "read a", MT_E_CLOSED, "the server has ended"},
    {"one that ends and says why", "read a; echo 'no\nlicence ' >&2", MT_E_CLOSED,
     "the server has ended: no\\nlicence"},
    {"one that is silent", LAST, MT_E_TIMEOUT, "the server did not answer in time"},
    {"one that answers with an error",
     "read a; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"x\"}}';" LAST,
     MT_E_SYNTAX, "the server answers with an error"},
    {"a list that is none", HELLO RESULT("2", "\"tools\":{}") LAST, MT_E_SYNTAX,
     "the server's list of tools is not one"},
    {"no list", HELLO RESULT("2", "") LAST, MT_E_SYNTAX, "the server's list of tools is not one"},
    {"one that only talks", "read a; i=0; while [ $i -lt 10001 ]; do echo '{}'; i=$((i+1)); done;" LAST,
     MT_E_LIMIT, "the server talks and does not answer"},
    {"one message that is too long", "read a; i=0; while [ $i -lt 500 ]; do printf 0123456789; i=$((i+1)); done;" LAST,
     MT_E_LIMIT, "the server says too much in one message"},
};
/* clang-format on */

static void is_asked(void **state)
{
    const struct ask_row *row = *state;
    const char *const command[] = {"/bin/sh", "-c", row->script, NULL};
    mt_buf told = {0};
    gd_tools tools = {0};
    unsigned patience = row->err == MT_E_TIMEOUT ? 100 : 20000;
    mt_err err = gd_ask_tools(&arena, command, patience, 4096, &tools, &told);
    for (size_t i = 0; !err && i < tools.count; i++) {
        mt_buf_addf(&told, "%s%.*s", i ? " " : "",
                    MT_ARG(mt_json_text(mt_json_at(tools.items[i], "name"))));
    }
    if (!err && tools.left_out) {
        mt_buf_addf(&told, " -%zu", tools.left_out);
    }
    assert_text(mt_buf_str(&told), mt_str_z(row->told));
    assert_int_equal(err, row->err);
    mt_buf_free(&told);
}

static void one_that_is_not_there(void **state)
{
    const char *const command[] = {"/nowhere/server", NULL};
    mt_buf told = {0};
    gd_tools tools;
    (void)state;
    assert_int_not_equal(gd_ask_tools(&arena, command, 1000, 4096, &tools, &told),
                         MT_OK);
    assert_text(mt_buf_str(&told), MT_STR("/nowhere/server cannot be started"));
    mt_buf_free(&told);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, is_asked);
    rows_test(&list, one_that_is_not_there);
    int failed = rows_run(&list, "guard/ask");
    mt_arena_free(&arena);
    return failed;
}
