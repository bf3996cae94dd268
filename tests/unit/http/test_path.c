/* Request targets: what is taken apart, and what is refused. */
#include "../rows.h"
#include "http/path.h"

static const struct good {
    const char *name, *text, *want; /* segments and parameters, one per line */
} GOOD[] = {
    {"the root has no segment", "/", ""},
    {"segments are split", "/v1/flows/7", "v1\nflows\n7\n"},
    {"escapes are decoded once", "/a%20b/%2525", "a b\n%25\n"},
    {"letters beyond ASCII come as escapes", "/%C3%A9", "\xC3\xA9\n"},
    {"a plus in a path is a plus", "/a+b", "a+b\n"},
    {"a query has names and values", "/a?x=1&y=%26", "a\nx=1\ny=&\n"},
    {"a plus in a query is a space", "/a?x=a+b", "a\nx=a b\n"},
    {"so it is in the name of a parameter", "/a?x+y=1", "a\nx y=1\n"},
    {"as many parameters as fit",
     "/a?a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q&r&s&t&u&v&w&x&y&z&A&B&C&D&E&F",
     "a\na=\nb=\nc=\nd=\ne=\nf=\ng=\nh=\ni=\nj=\nk=\nl=\nm=\nn=\no=\np=\n"
     "q=\nr=\ns=\nt=\nu=\nv=\nw=\nx=\ny=\nz=\nA=\nB=\nC=\nD=\nE=\nF=\n"},
    {"as many segments as fit", "/1/2/3/4/5/6/7/8/9/10/11/12",
     "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"},
    {"a parameter may lack its value", "/a?x", "a\nx=\n"},
    {"an empty query is none", "/a?", "a\n"},
    {"a question mark in a query is itself", "/a?x=?", "a\nx=?\n"},
    {"a leading dot is a name", "/.well-known/tenor", ".well-known\ntenor\n"},
    {"three dots are a name", "/...", "...\n"},
    {"SQL is only text", "/x'%20OR%20'1'='1", "x' OR '1'='1\n"},
};

static void taken_apart(void **state)
{
    const struct good *row = *state;
    mt_arena arena = {0};
    mt_buf got = {0};
    ht_target t;
    const char *why = NULL;
    mt_str text = fenced(mt_str_z(row->text));
    assert_int_equal(ht_target_read(&arena, text, &t, &why), MT_OK);
    for (size_t i = 0; i < t.segment_count; i++) {
        mt_buf_addf(&got, "%.*s\n", MT_ARG(t.segments[i]));
    }
    for (size_t i = 0; i < t.query_count; i++) {
        mt_buf_addf(&got, "%.*s=%.*s\n", MT_ARG(t.query[i].name),
                    MT_ARG(t.query[i].value));
    }
    assert_text(mt_buf_str(&got), mt_str_z(row->want));
    fenced_free(text);
    mt_buf_free(&got);
    mt_arena_free(&arena);
}

static const struct bad {
    const char *name, *text;
    mt_err want;
} BAD[] = {
    {"an empty target is refused", "", MT_E_SYNTAX},
    {"an absolute form is refused", "http://a/b", MT_E_SYNTAX},
    {"an asterisk is refused", "*", MT_E_SYNTAX},
    {"a double slash is refused", "//v1", MT_E_SYNTAX},
    {"a double slash inside is refused", "/v1//flows", MT_E_SYNTAX},
    {"a slash at the end is refused", "/v1/", MT_E_SYNTAX},
    {"dot-dot is refused", "/v1/../x", MT_E_SYNTAX},
    {"a dot is refused", "/v1/./x", MT_E_SYNTAX},
    {"escaped dot-dot is refused", "/v1/%2e%2E/x", MT_E_SYNTAX},
    {"half-escaped dot-dot is refused", "/v1/.%2e/x", MT_E_SYNTAX},
    {"an escaped slash is refused", "/v1/a%2Fb", MT_E_SYNTAX},
    {"an escaped backslash is refused", "/v1/a%5cb", MT_E_SYNTAX},
    {"a raw backslash is refused", "/v1/a\\b", MT_E_SYNTAX},
    {"an escaped NUL is refused", "/v1/a%00", MT_E_SYNTAX},
    {"an escaped line end is refused", "/v1/a%0d%0aX:y", MT_E_SYNTAX},
    {"an escaped DEL is refused", "/v1/%7f", MT_E_SYNTAX},
    {"half an escape is refused", "/v1/%2", MT_E_SYNTAX},
    {"no hex is refused", "/v1/%zz", MT_E_SYNTAX},
    {"overlong UTF-8 is refused", "/v1/%c0%ae%c0%ae", MT_E_SYNTAX},
    {"a lone UTF-8 byte is refused", "/v1/%80", MT_E_SYNTAX},
    {"raw bytes beyond ASCII are refused", "/v1/\xC3\xA9", MT_E_SYNTAX},
    {"a space is refused", "/v1/a b", MT_E_SYNTAX},
    {"a fragment is refused", "/v1#x", MT_E_SYNTAX},
    {"a fragment before a question mark is refused", "/v1#x?y", MT_E_SYNTAX},
    {"a fragment behind a query is refused", "/v1?y#x", MT_E_SYNTAX},
    {"a query with a quote is refused", "/v1?x=\"1\"", MT_E_SYNTAX},
    {"a parameter given twice is refused", "/a?x=1&x=2", MT_E_SYNTAX},
    {"a parameter given twice under cover is refused", "/a?x=1&%78=2", MT_E_SYNTAX},
    {"a parameter without a name is refused", "/a?=1", MT_E_SYNTAX},
    {"an empty pair is refused", "/a?x=1&&y=2", MT_E_SYNTAX},
    {"a NUL in a query is refused", "/a?x=%00", MT_E_SYNTAX},
    {"too many segments are refused", "/1/2/3/4/5/6/7/8/9/10/11/12/13", MT_E_LIMIT},
    {"too many parameters are refused",
     "/a?a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q&r&s&t&u&v&w&x&y&z&A&B&C&D&E&F&G",
     MT_E_LIMIT},
};

static void refused(void **state)
{
    const struct bad *row = *state;
    mt_arena arena = {0};
    ht_target t;
    const char *why = NULL;
    mt_str text = fenced(mt_str_z(row->text));
    assert_int_equal(ht_target_read(&arena, text, &t, &why), row->want);
    assert_non_null(why);
    /* It is logged: what a query or a fragment says is not in it. */
    assert_true(mt_str_starts(text, t.path));
    assert_int_equal(mt_str_find(t.path, '?'), t.path.len);
    assert_int_equal(mt_str_find(t.path, '#'), t.path.len);
    fenced_free(text);
    mt_arena_free(&arena);
}

static void a_target_that_is_too_long_has_its_path_without_the_query(void **state)
{
    (void)state;
    mt_arena arena = {0};
    ht_target t;
    const char *why = NULL;
    char text[HT_TARGET_BYTES + 1];
    memset(text, 'a', sizeof text);
    memcpy(text, "/v1?", 4);
    assert_int_equal(ht_target_read(&arena, mt_str_from(text, sizeof text), &t, &why),
                     MT_E_LIMIT);
    assert_text(t.path, MT_STR("/v1"));
    mt_arena_free(&arena);
}

static void a_long_target_is_refused(void **state)
{
    (void)state;
    mt_arena arena = {0};
    ht_target t;
    const char *why = NULL;
    char text[HT_TARGET_BYTES + 1];
    memset(text, 'a', sizeof text);
    text[0] = '/';
    assert_int_equal(ht_target_read(&arena, mt_str_from(text, sizeof text), &t, &why),
                     MT_E_LIMIT);
    assert_int_equal(
        ht_target_read(&arena, mt_str_from(text, sizeof text - 1), &t, &why), MT_OK);
    mt_arena_free(&arena);
}

/* RFC 3986: what may stand there as it is, in a path and in a query. */
static void every_byte_is_plain_or_refused(void **state)
{
    (void)state;
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-._~!$&'()*+,;=:@/?";
    for (int byte = 0; byte < 256; byte++) {
        mt_arena arena = {0};
        ht_target t;
        const char *why = NULL;
        char text[] = "/aXb";
        text[2] = (char)byte;
        bool plain = byte && strchr(PLAIN, byte);
        assert_int_equal(ht_target_read(&arena, mt_str_from(text, 4), &t, &why),
                         plain ? MT_OK : MT_E_SYNTAX);
        mt_arena_free(&arena);
    }
}

int main(void)
{
    rows_list list = {0};
    rows_test(&list, every_byte_is_plain_or_refused);
    rows_add(&list, GOOD, taken_apart);
    rows_add(&list, BAD, refused);
    rows_test(&list, a_long_target_is_refused);
    rows_test(&list, a_target_that_is_too_long_has_its_path_without_the_query);
    return rows_run(&list, "http/path");
}
