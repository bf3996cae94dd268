/* Texts with {name}, ways into an answer, and secrets that stay in. */
#include "../rows.h"

#include "adapter/impl.h"

static mt_arena arena;

static const struct row {
    const char *name, *text;
    const char *plain, *url; /* with a = "x y", b = "é/", …; NULL: it is refused */
} TEMPLATES[] = {
    {"a text without names is itself", "a b", "a b", "a b"},
    {"nothing is nothing", "", "", ""},
    {"a name is filled in", "{a}", "x y", "x%20y"},
    {"names stand between texts", "/{a}/n/{b}.json", "/x y/n/\xC3\xA9/.json",
     "/x%20y/n/%C3%A9%2F.json"},
    {"the same name twice is one", "{b}{b}", "\xC3\xA9/\xC3\xA9/",
     "%C3%A9%2F%C3%A9%2F"},
    {"a closing brace alone is a text", "a}b", "a}b", "a}b"},
    {"a name needs its end", "{a", NULL, NULL},
    {"a name is not empty", "x{}", NULL, NULL},
};

static const mt_str VALUES[] = {MT_STR_INIT("x y"), MT_STR_INIT("\xC3\xA9/")};

/* The names a and b, in this order, whatever a text has. */
static ad_names two_names(void)
{
    ad_names names = {0};
    assert_int_equal(ad_name_index(&arena, &names, MT_STR("a")), 0);
    assert_int_equal(ad_name_index(&arena, &names, MT_STR("b")), 1);
    assert_int_equal(ad_name_index(&arena, &names, MT_STR("a")), 0);
    return names;
}

static void is_filled(void **state)
{
    const struct row *row = *state;
    ad_names names = two_names();
    ad_template t;
    mt_str text = fenced(mt_str_z(row->text));
    assert_int_equal(ad_template_parse(&arena, text, &names, &t), row->plain != NULL);
    if (row->plain) {
        mt_buf plain = {0}, url = {0};
        ad_template_fill(&plain, &t, VALUES);
        ad_template_fill_url(&url, &t, VALUES);
        assert_text(mt_buf_str(&plain), mt_str_z(row->plain));
        assert_text(mt_buf_str(&url), mt_str_z(row->url));
        assert_int_equal(names.len, 2);
        mt_buf_free(&plain);
        mt_buf_free(&url);
    }
    fenced_free(text);
}

static void every_byte_is_plain_or_escaped(void **state)
{
    (void)state;
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-._~";
    for (int byte = 0; byte < 256; byte++) {
        mt_buf out = {0}, want = {0};
        char c = (char)byte;
        ad_percent_encode(&out, mt_str_from(&c, 1));
        if (byte && strchr(PLAIN, byte)) {
            mt_buf_addc(&want, c);
        } else {
            mt_buf_addf(&want, "%%%02X", byte);
        }
        assert_text(mt_buf_str(&out), mt_buf_str(&want));
        mt_buf_free(&out);
        mt_buf_free(&want);
    }
}

#define ANSWER                                                                         \
    "{\"l\":[10,11,12,13,14,15,16,17,18,19,20],"                                       \
    "\"o\":{\"\":4,\"0\":3,\"x\":1,\"x y\":2},\"t\":\"text\"}"

static const struct way {
    const char *name, *text, *want; /* NULL: it leads nowhere */
    bool refused;
} WAYS[] = {
    {"no step is all of it", "", ANSWER, false},
    {"a key", "t", "\"text\"", false},
    {"keys one after the other", "o.x", "1", false},
    {"a name in a step", "o.{a}", "2", false},
    {"a number is a key of an object", "o.0", "3", false},
    {"the first of a list", "l.0", "10", false},
    {"another one", "l.9", "19", false},
    {"one with two digits", "l.10", "20", false},
    {"one behind the last", "l.11", NULL, false},
    {"a number with a zero before it", "l.01", NULL, false},
    {"a sign is no digit", "l.-1", NULL, false},
    {"what stands before 0 is no digit", "l./", NULL, false},
    {"what stands behind 9 is no digit", "l.:", NULL, false},
    {"ten digits are too many", "l.0000000000", NULL, false},
    {"a word is no number", "l.x", NULL, false},
    {"a text has no parts", "t.x", NULL, false},
    {"a key that is not there", "o.z", NULL, false},
    {"nowhere leads nowhere", "o.z.x", NULL, false},
    {"a step of one letter at the end", "o.x", "1", false},
    {"an empty first step", ".o", NULL, true},
    {"an empty last step", "o.", NULL, true},
    {"an empty step between", "o..x", NULL, true},
    {"a name without its end", "o.{a", NULL, true},
};

static void leads_there(void **state)
{
    const struct way *row = *state;
    ad_names names = two_names();
    ad_selector s;
    mt_json root;
    assert_int_equal(mt_json_read(&arena, MT_STR(ANSWER), NULL, &root, NULL), MT_OK);
    assert_int_equal(ad_selector_parse(&arena, mt_str_z(row->text), &names, &s),
                     !row->refused);
    if (row->refused) {
        return;
    }
    const mt_json *got = ad_select(&root, &s, VALUES);
    assert_int_equal(got != NULL, row->want != NULL);
    if (got) {
        mt_buf text = {0};
        mt_json_write(&text, got, false);
        assert_text(mt_buf_str(&text), mt_str_z(row->want));
        mt_buf_free(&text);
    }
}

/* Every secret at every place, the longest where one begins like another; short ones
 * are words like any other. */
static const struct secret {
    const char *name, *text, *want;
} SECRETS[] = {
    {"a text without one is itself", "hello", "hello"},
    {"a secret alone", "s3cret", "[secret]"},
    {"in the middle", "a s3cret b", "a [secret] b"},
    {"at both ends", "s3cret-s3cret", "[secret]-[secret]"},
    {"the longest one", "s3cret-long!", "[secret]!"},
    {"one of four bytes", "four", "[secret]"},
    {"one of three stays", "abc", "abc"},
    {"half of one is none", "s3cre", "s3cre"},
    {"nothing", "", ""},
};

static void is_kept_in(void **state)
{
    const struct secret *row = *state;
    ad_adapters a = {0};
    ad_secret_remember(&a, MT_STR("s3cret"));
    ad_secret_remember(&a, MT_STR("s3cret-long"));
    ad_secret_remember(&a, MT_STR("four"));
    ad_secret_remember(&a, MT_STR("abc"));
    assert_text(ad_redact(&a, &arena, mt_str_z(row->text)), mt_str_z(row->want));
    mt_arena_free(&a.arena);
    assert_text(ad_redact(&(ad_adapters){0}, &arena, MT_STR("s3cret")),
                MT_STR("s3cret"));
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, TEMPLATES, is_filled);
    rows_test(&list, every_byte_is_plain_or_escaped);
    rows_add(&list, WAYS, leads_there);
    rows_add(&list, SECRETS, is_kept_in);
    int failed = rows_run(&list, "adapter/template");
    mt_arena_free(&arena);
    return failed;
}
