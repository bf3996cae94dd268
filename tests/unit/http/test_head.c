/* Header fields: which games are refused. */
#include "../rows.h"
#include "http/head.h"

/* "Name: value\n…" as the library gives it. */
static ht_head read_head(const char *text)
{
    ht_head h = {0};
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n'), *colon = strchr(line, ':');
        ht_head_add(&h, mt_str_from(line, (size_t)(colon - line)),
                    mt_str_from(colon + 2, (size_t)(end - colon - 2)));
        line = end + 1;
    }
    return h;
}

static const struct row {
    const char *name, *text;
    bool good;
} ROWS[] = {
    {"nothing at all is fine", "", true},
    {"one of each is fine", "Host: a\nContent-Length: 5\nAuthorization: Bearer x\n",
     true},
    {"unknown fields may repeat", "Accept: a\nAccept: b\n", true},
    {"two lengths are refused", "Content-Length: 5\nContent-Length: 6\n", false},
    {"two equal lengths are refused", "Content-Length: 5\ncontent-length: 5\n", false},
    {"length and coding are refused", "Content-Length: 5\nTransfer-Encoding: chunked\n",
     false},
    {"chunked alone is fine", "Transfer-Encoding: chunked\n", true},
    {"another coding is refused", "Transfer-Encoding: gzip, chunked\n", false},
    {"a coding with a tail is refused", "Transfer-Encoding: chunked \n", false},
    {"a coding under cover is refused", "Transfer-Encoding: xchunked\n", false},
    {"a signed length is refused", "Content-Length: +5\n", false},
    {"a hex length is refused", "Content-Length: 0x5\n", false},
    {"a listed length is refused", "Content-Length: 5, 5\n", false},
    {"a huge length is refused", "Content-Length: 99999999999999999999\n", false},
    {"two authorizations are refused",
     "Authorization: Bearer a\nAuthorization: Bearer b\n", false},
    {"two hosts are refused", "Host: a\nhost: b\n", false},
    {"two idempotency keys are refused", "Idempotency-Key: a\nidempotency-key: a\n",
     false},
    {"an empty idempotency key is refused", "Idempotency-Key: \n", false},
    {"an idempotency key with a space is refused", "Idempotency-Key: a b\n", false},
    {"a name with a space is refused", "Content-Length : 5\n", false},
    {"a control character is refused", "X: a\001b\n", false},
    {"a carriage return is refused", "X: a\rb\n", false},
    {"a compressed body is refused", "Content-Encoding: gzip\n", false},
};

static void is_judged(void **state)
{
    const struct row *row = *state;
    ht_head h = read_head(row->text);
    assert_int_equal(ht_head_check(&h), row->good);
    assert_int_equal(h.fault == NULL, row->good);
}

static void too_many_fields_are_refused(void **state)
{
    (void)state;
    ht_head h = {0};
    for (int i = 0; i < HT_HEAD_FIELDS; i++) {
        ht_head_add(&h, MT_STR("X"), MT_STR("y"));
    }
    assert_true(ht_head_check(&h));
    ht_head_add(&h, MT_STR("X"), MT_STR("y"));
    assert_false(ht_head_check(&h));
}

static void a_length_is_read(void **state)
{
    (void)state;
    ht_head h = read_head("Content-Length: 1234\n");
    assert_int_equal(ht_head_length(&h, 7), 1234);
    h = read_head("");
    assert_int_equal(ht_head_length(&h, 7), 7);
}

static const struct type {
    const char *name, *text;
    bool json;
} TYPES[] = {
    {"json", "application/json", true},
    {"json in capitals", "Application/JSON", true},
    {"json with its charset", "application/json; charset=utf-8", true},
    {"json with a quoted charset", "application/json;charset=\"UTF-8\"", true},
    {"json in another charset", "application/json; charset=latin1", false},
    {"a form", "application/x-www-form-urlencoded", false},
    {"plain text", "text/plain", false},
    {"something like json", "application/jsonx", false},
    {"nothing", "", false},
};

static void type_is_judged(void **state)
{
    const struct type *row = *state;
    ht_head h = {.content_type = mt_str_z(row->text)};
    assert_int_equal(ht_head_is_json(&h), row->json);
}

static const struct etag {
    const char *name, *text;
    bool fits;
} ETAGS[] = {
    {"a quoted etag fits", "\"abc\"", true},
    {"a bare etag fits", "abc", true},
    {"a weak etag fits", "W/\"abc\"", true},
    {"one of a list fits", "\"x\", \"abc\"", true},
    {"a star fits", "*", true},
    {"another does not", "\"abd\"", false},
    {"a longer one does not", "\"abcd\"", false},
    {"an empty field does not", "", false},
};

static void etag_is_judged(void **state)
{
    const struct etag *row = *state;
    ht_head h = {.if_none_match = mt_str_z(row->text)};
    assert_int_equal(ht_head_has_etag(&h, MT_STR("abc")), row->fits);
}

static const struct host {
    const char *name, *text;
    bool local;
} HOSTS[] = {
    {"localhost is local", "localhost", true},
    {"localhost with a port is local", "LOCALHOST:8440", true},
    {"the loopback address is local", "127.0.0.1:1", true},
    {"the IPv6 loopback address is local", "[::1]:8440", true},
    {"a name that begins like it is not", "localhost.evil.example", false},
    {"a bad port is not", "localhost:80x", false},
    {"another name is not", "evil.example:8440", false},
    {"no name is not", "", false},
};

static void host_is_judged(void **state)
{
    const struct host *row = *state;
    ht_head h = {.host = mt_str_z(row->text)};
    assert_int_equal(ht_head_host_is_local(&h), row->local);
}

static const struct origin {
    const char *name, *text;
    bool own;
} ORIGINS[] = {
    {"a program sends no origin", "Host: localhost:1\n", true},
    {"a page of this host is its own",
     "Host: localhost:1\nOrigin: http://localhost:1\n", true},
    {"its name may be in capitals", "Host: LOCALHOST:1\nOrigin: https://localhost:1\n",
     true},
    {"what the user typed is the user's", "Host: localhost\nSec-Fetch-Site: none\n",
     true},
    {"another port is another page", "Host: localhost:1\nOrigin: http://localhost:2\n",
     false},
    {"a longer name is another page",
     "Host: localhost\nOrigin: http://localhost.evil.example\n", false},
    {"a page without an origin is another", "Host: localhost\nOrigin: null\n", false},
    {"an empty origin is none of ours", "Host: localhost\nOrigin: \n", false},
    {"an origin without a scheme is none", "Host: localhost\nOrigin: localhost\n",
     false},
    {"no host has no pages", "Origin: http://\n", false},
    {"a page of the same site is another", "Host: a\nSec-Fetch-Site: same-site\n",
     false},
    {"both must agree", "Host: a\nOrigin: http://a\nSec-Fetch-Site: cross-site\n",
     false},
    {"an unknown word is refused", "Host: a\nSec-Fetch-Site: \n", false},
};

static void origin_is_judged(void **state)
{
    const struct origin *row = *state;
    ht_head h = read_head(row->text);
    assert_true(ht_head_check(&h));
    assert_int_equal(ht_head_is_own_origin(&h), row->own);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, is_judged);
    rows_add(&list, TYPES, type_is_judged);
    rows_add(&list, ETAGS, etag_is_judged);
    rows_add(&list, HOSTS, host_is_judged);
    rows_add(&list, ORIGINS, origin_is_judged);
    rows_test(&list, too_many_fields_are_refused);
    rows_test(&list, a_length_is_read);
    return rows_run(&list, "http/head");
}
