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

#define TWICE      "a header field that may be given once is given twice"
#define BOTH       "a request has a length or a transfer coding, not both"
#define LENGTH     "the content length is malformed"
#define CODING     "the only transfer coding understood is chunked"
#define COMPRESSED "bodies are taken as they are, without a content coding"
#define KEY        "an idempotency key is 1 to 255 printable ASCII characters"
#define NAME       "the name of a header field is malformed"
#define CONTROL    "a header field has a control character"

static const struct row {
    const char *name, *text, *fault; /* NULL: none */
} ROWS[] = {
    {"nothing at all is fine", "", NULL},
    {"one of each is fine", "Host: a\nContent-Length: 5\nAuthorization: Bearer x\n",
     NULL},
    {"unknown fields may repeat", "Accept: a\nAccept: b\n", NULL},
    {"two lengths are refused", "Content-Length: 5\nContent-Length: 6\n", TWICE},
    {"two equal lengths are refused", "Content-Length: 5\ncontent-length: 5\n", TWICE},
    {"length and coding are refused", "Content-Length: 5\nTransfer-Encoding: chunked\n",
     BOTH},
    {"chunked alone is fine", "Transfer-Encoding: chunked\n", NULL},
    {"another coding is refused", "Transfer-Encoding: gzip, chunked\n", CODING},
    {"a coding with a tail is refused", "Transfer-Encoding: chunked \n", CODING},
    {"a coding under cover is refused", "Transfer-Encoding: xchunked\n", CODING},
    {"a signed length is refused", "Content-Length: +5\n", LENGTH},
    {"a hex length is refused", "Content-Length: 0x5\n", LENGTH},
    {"a listed length is refused", "Content-Length: 5, 5\n", LENGTH},
    {"a huge length is refused", "Content-Length: 99999999999999999999\n", LENGTH},
    {"two authorizations are refused",
     "Authorization: Bearer a\nAuthorization: Bearer b\n", TWICE},
    {"two hosts are refused", "Host: a\nhost: b\n", TWICE},
    {"two idempotency keys are refused", "Idempotency-Key: a\nidempotency-key: a\n",
     TWICE},
    {"an empty idempotency key is refused", "Idempotency-Key: \n", KEY},
    {"an idempotency key with a space is refused", "Idempotency-Key: a b\n", KEY},
    {"a name with a space is refused", "Content-Length : 5\n", NAME},
    {"a control character is refused", "X: a\001b\n", CONTROL},
    {"a carriage return is refused", "X: a\rb\n", CONTROL},
    {"a compressed body is refused", "Content-Encoding: gzip\n", COMPRESSED},
    {"a body as it is may be said to be so", "Content-Encoding: identity\n", NULL},
    {"a length of fifteen digits is read", "Content-Length: 999999999999999\n", NULL},
    {"a length of sixteen is refused", "Content-Length: 1000000000000000\n", LENGTH},
    {"an empty length is refused", "Content-Length: \n", LENGTH},
    {"what stands before 0 is no digit", "Content-Length: 1/\n", LENGTH},
    {"what stands behind 9 is no digit", "Content-Length: 1:\n", LENGTH},
    {"a key of the first and last printable character", "Idempotency-Key: !~\n", NULL},
    {"a key with a letter beyond ASCII is refused", "Idempotency-Key: \xC3\xA9\n", KEY},
    {"the first fault is the one that is told", "X: a\001b\nContent-Length: x\n",
     CONTROL},
    {"a field without a name is refused", ": x\n", NAME},
};

static void is_judged(void **state)
{
    const struct row *row = *state;
    ht_head h = read_head(row->text);
    assert_int_equal(ht_head_check(&h), !row->fault);
    assert_string_equal(h.fault ? h.fault : "", row->fault ? row->fault : "");
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
    assert_string_equal(h.fault, "there are too many header fields");
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
    {"json with blanks around", " application/json\t;\tcharset=utf-8 ", true},
    {"json with nothing behind its semicolon", "application/json;", true},
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
    {"a lone quote does not", "\"", false},
    {"half a pair of quotes does not", "\"abc", false},
    {"the other half does not", "abc\"", false},
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
    {"an empty port is not", "localhost:", false},
    {"the beginning of a name is not", "localhos", false},
    {"something else behind it is not", "localhost/80", false},
    {"another name is not", "evil.example:8440", false},
    {"no name is not", "", false},
};

static void host_is_judged(void **state)
{
    const struct host *row = *state;
    ht_head h = {.host = mt_str_z(row->text)};
    assert_int_equal(ht_head_host_is_local(&h), row->local);
}

static const struct own_host {
    const char *name, *text;
    unsigned port;
    bool own;
} OWN_HOSTS[] = {
    {"a name with its port is ours", "Studio:8450", 8450, true},
    {"with another port it is not", "studio:8451", 8450, false},
    {"with a longer port it is not", "studio:84500", 8450, false},
    {"with an empty port it is not", "studio:", 80, false},
    {"without a port it is not", "studio", 8450, false},
    {"without a port 80 is meant", "studio", 80, true},
    {"80 may be said", "studio:80", 80, true},
    {"another name is not ours", "evil:80", 80, false},
    {"the beginning of a name is not", "studi", 80, false},
    {"a name that begins like it is not", "studio.evil:8450", 8450, false},
    {"no name is not", "", 80, false},
};

static void own_host_is_judged(void **state)
{
    const struct own_host *row = *state;
    ht_head h = {.host = mt_str_z(row->text)};
    assert_int_equal(ht_head_host_is(&h, MT_STR("studio"), row->port), row->own);
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

static bool takes(mt_str name, mt_str value)
{
    ht_head h = {0};
    ht_head_add(&h, name, value);
    return ht_head_check(&h);
}

/* RFC 9110: the characters of a token, and of a value. */
static void every_byte_of_a_field_is_judged(void **state)
{
    (void)state;
    static const char TOKEN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789!#$%&'*+-.^_`|~";
    for (int byte = 0; byte < 256; byte++) {
        char text[] = {'X', (char)byte, 'y'};
        mt_str s = mt_str_from(text, sizeof text);
        assert_int_equal(takes(s, MT_STR("v")), byte && strchr(TOKEN, byte));
        assert_int_equal(takes(MT_STR("X"), s),
                         byte == '\t' || (byte >= ' ' && byte != 0x7f));
    }
}

static void every_byte_of_a_request_id_is_judged(void **state)
{
    (void)state;
    static const char GOOD[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789-_.";
    for (int byte = 0; byte < 256; byte++) {
        char text[] = {'x', (char)byte};
        ht_head h = {.request_id = mt_str_from(text, sizeof text)};
        assert_int_equal(ht_head_request_id_ok(&h), byte && strchr(GOOD, byte));
    }
}

static void lengths_are_judged_at_their_limits(void **state)
{
    (void)state;
    char text[HT_KEY_BYTES + 1];
    memset(text, 'k', sizeof text);
    assert_true(takes(MT_STR("Idempotency-Key"), mt_str_from(text, HT_KEY_BYTES)));
    assert_false(takes(MT_STR("Idempotency-Key"), mt_str_from(text, sizeof text)));
    for (size_t len = 0; len <= HT_REQUEST_ID_BYTES + 1; len++) {
        ht_head h = {.request_id = mt_str_from(text, len)};
        assert_int_equal(ht_head_request_id_ok(&h),
                         len >= 1 && len <= HT_REQUEST_ID_BYTES);
    }
}

static const struct address {
    const char *name, *text;
    bool address;
} ADDRESSES[] = {
    {"four numbers are an address", "192.168.0.9", true},
    {"with a port, too", "10.0.0.1:8440", true},
    {"so are brackets", "[fe80::1]:8440", true},
    {"a name is none", "evil.example:8440", false},
    {"numbers and a letter are a name", "10.0.0.1x", false},
    {"what stands before 0 is no digit", "1/2", false},
    {"nothing is none", "", false},
    {"a port alone is none", ":8440", false},
};

static void address_is_judged(void **state)
{
    const struct address *row = *state;
    ht_head h = {.host = mt_str_z(row->text)};
    assert_int_equal(ht_head_host_is_address(&h), row->address);
}

static void a_page_shows_itself_by_either_field(void **state)
{
    (void)state;
    ht_head program = {.host = MT_STR("a")}, page = {.origin = MT_STR("null")};
    ht_head fetch = {.sec_fetch_site = MT_STR("none")};
    assert_false(ht_head_is_from_page(&program));
    assert_true(ht_head_is_from_page(&page));
    assert_true(ht_head_is_from_page(&fetch));
}

int main(void)
{
    rows_list list = {0};
    rows_test(&list, every_byte_of_a_field_is_judged);
    rows_test(&list, every_byte_of_a_request_id_is_judged);
    rows_test(&list, lengths_are_judged_at_their_limits);
    rows_add(&list, ADDRESSES, address_is_judged);
    rows_test(&list, a_page_shows_itself_by_either_field);
    rows_add(&list, ROWS, is_judged);
    rows_add(&list, TYPES, type_is_judged);
    rows_add(&list, ETAGS, etag_is_judged);
    rows_add(&list, HOSTS, host_is_judged);
    rows_add(&list, OWN_HOSTS, own_host_is_judged);
    rows_add(&list, ORIGINS, origin_is_judged);
    rows_test(&list, too_many_fields_are_refused);
    rows_test(&list, a_length_is_read);
    return rows_run(&list, "http/head");
}
