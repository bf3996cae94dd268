/* How messages are taken from bytes, whatever their portions and headers, and what is
 * answered to those that are none. */
#include "../rows.h"

#include "lsp/lsp.h"

#define BODY    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\"}"
#define LENGTH  "44"
#define WELCOME "Content-Length: " LENGTH "\r\n\r\n" BODY

static const struct row {
    const char *name, *bytes;
    unsigned answers;
    int code; /* -1: it goes on */
} ROWS[] = {
    {"a message", WELCOME, 1, -1},
    {"two messages", WELCOME WELCOME, 2, -1},
    {"a message and a half", WELCOME "Content-Length: 44\r\n\r\n{", 1, -1},
    {"headers that have not ended", "Content-Length: 44\r\n", 0, -1},
    {"a header without a blank", "Content-Length:" LENGTH "\r\n\r\n" BODY, 1, -1},
    {"a header in small letters", "content-length: \t" LENGTH " \r\n\r\n" BODY, 1, -1},
    {"another header before it",
     "Content-Type: application/vscode-jsonrpc\r\nContent-Length: " LENGTH
     "\r\n\r\n" BODY,
     1, -1},
    {"another header behind it",
     "Content-Length: " LENGTH "\r\nX: Content-Length: 1\r\n\r\n" BODY, 1, -1},
    {"another name that begins alike",
     "Content-Lengths: 1\r\nContent-Length: " LENGTH "\r\n\r\n" BODY, 1, -1},
    {"no length", "Content-Type: x\r\n\r\n" BODY, 0, 1},
    {"an empty length", "Content-Length: \r\n\r\n" BODY, 0, 1},
    {"a length with a sign", "Content-Length: +44\r\n\r\n" BODY, 0, 1},
    {"a length below the digits", "Content-Length: 4/\r\n\r\n" BODY, 0, 1},
    {"a length behind the digits", "Content-Length: 4:\r\n\r\n" BODY, 0, 1},
    {"the largest length", "Content-Length: 134217728\r\n\r\n" BODY, 0, -1},
    {"one beyond it", "Content-Length: 134217729\r\n\r\n" BODY, 0, 1},
    {"a length that no number holds",
     "Content-Length: 99999999999999999999999999\r\n\r\n" BODY, 0, 1},
};

static size_t feed(ls_server *s, mt_str bytes, size_t portion, mt_buf *out)
{
    size_t answers = 0;
    for (; bytes.len; bytes = mt_str_skip(bytes, portion)) {
        ls_feed(s, mt_str_from(bytes.ptr, portion < bytes.len ? portion : bytes.len));
        while (ls_work(s, out)) {
        }
    }
    for (mt_str rest = mt_buf_str(out); rest.len; rest = mt_str_skip(rest, 1)) {
        answers += mt_str_starts(rest, MT_STR("Content-Length: "));
    }
    return answers;
}

static void bytes_become_messages(void **state)
{
    const struct row *r = *state;
    static const mt_memory NOTHING = {0};
    static const size_t PORTIONS[] = {1, 7, 100000};
    for (size_t i = 0; i < 3; i++) {
        ls_world world = {.files = mt_memory_provider(&NOTHING)};
        ls_server *s = ls_new(&world);
        mt_buf out = {0};
        int code = -1;
        assert_int_equal(feed(s, mt_str_z(r->bytes), PORTIONS[i], &out), r->answers);
        assert_int_equal(ls_has_ended(s, &code), r->code >= 0);
        assert_true(r->code < 0 || code == r->code);
        ls_free(s);
        mt_buf_free(&out);
    }
}

/* As many bytes of headers as are allowed, and one more. */
static void headers_have_a_length(void **state)
{
    (void)state;
    static const mt_memory NOTHING = {0};
    for (size_t more = 0; more < 2; more++) {
        ls_world world = {.files = mt_memory_provider(&NOTHING)};
        ls_server *s = ls_new(&world);
        mt_buf out = {0}, bytes = {0};
        int code;
        mt_buf_addz(&bytes, "Content-Length: " LENGTH "\r\nX: ");
        while (bytes.len < 4092 + more) {
            mt_buf_addc(&bytes, 'x');
        }
        mt_buf_addz(&bytes, "\r\n\r\n" BODY);
        assert_int_equal(feed(s, mt_buf_str(&bytes), 100000, &out), !more);
        assert_int_equal(ls_has_ended(s, &code), more);
        ls_free(s);
        mt_buf_free(&out);
        mt_buf_free(&bytes);
    }
}

/* clang-format off */
static const struct answer_row {
    const char *name, *body, *want; /* without its header; "": nothing */
} ANSWERS[] = {
    {"no JSON", "x", "!-32700"},
    {"a number", "7", "{\"error\":{\"code\":-32600,\"message\":\"it is not a message\"},\"id\":null,\"jsonrpc\":\"2.0\"}"},
    {"neither question nor answer", "{\"id\":7}",
     "{\"error\":{\"code\":-32600,\"message\":\"it is not a message\"},\"id\":7,\"jsonrpc\":\"2.0\"}"},
    {"an id that is none", "{\"id\":[],\"method\":\"shutdown\"}",
     "{\"error\":{\"code\":-32600,\"message\":\"an id is a number or text\"},\"id\":null,\"jsonrpc\":\"2.0\"}"},
    {"a question nobody knows", "{\"id\":\"a\",\"method\":\"no/such\"}",
     "{\"error\":{\"code\":-32601,\"message\":\"there is no 'no/such'\"},\"id\":\"a\",\"jsonrpc\":\"2.0\"}"},
    {"a note nobody knows", "{\"method\":\"no/such\"}", ""},
    {"an answer to nothing", "{\"id\":1,\"result\":null}", ""},
    {"an error to nothing", "{\"id\":1,\"error\":{}}", ""},
    {"a question before the first", "{\"id\":1,\"method\":\"shutdown\"}", "!-32002"},
};
/* clang-format on */

static void a_message_is_answered(void **state)
{
    const struct answer_row *r = *state;
    static const mt_memory NOTHING = {0};
    ls_world world = {.files = mt_memory_provider(&NOTHING)};
    ls_server *s = ls_new(&world);
    mt_buf out = {0}, bytes = {0};
    mt_buf_addf(&bytes, "Content-Length: %zu\r\n\r\n%s", strlen(r->body), r->body);
    assert_int_equal(feed(s, mt_buf_str(&bytes), 100000, &out), r->want[0] != 0);
    mt_str said = mt_buf_str(&out);
    said = mt_str_skip(said, mt_str_find(said, '{'));
    if (r->want[0] == '!') { /* the code alone */
        assert_true(mt_str_starts(mt_str_skip(said, strlen("{\"error\":{\"code\":")),
                                  mt_str_z(r->want + 1)));
    } else {
        assert_text(said, mt_str_z(r->want));
    }
    ls_free(s);
    mt_buf_free(&out);
    mt_buf_free(&bytes);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, bytes_become_messages);
    rows_add(&list, ANSWERS, a_message_is_answered);
    rows_test(&list, headers_have_a_length);
    return rows_run(&list, "lsp/server");
}
