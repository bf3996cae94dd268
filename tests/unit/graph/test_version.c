/* Versions: what is one, which is earlier, and which a requirement takes. */
#include "../rows.h"
#include "graph/version.h"

static gr_version version_of(const char *text)
{
    gr_version v;
    assert_true(gr_version_read(mt_str_z(text), &v));
    return v;
}

/* From the standard's own example, and where lengths and kinds differ. */
static const char *const ASCENDING[] = {
    "0.0.0",           "0.0.9",         "0.0.10",         "0.9.0",
    "0.10.0",          "1.0.0-0",       "1.0.0-9",        "1.0.0-10",
    "1.0.0-10.a",      "1.0.0--",       "1.0.0-a",        "1.0.0-aa",
    "1.0.0-alpha",     "1.0.0-alpha.1", "1.0.0-alpha.9",  "1.0.0-alpha.10",
    "1.0.0-alpha.100", "1.0.0-alpha.a", "1.0.0-alpha.aa", "1.0.0-alpha.b",
    "1.0.0-beta",      "1.0.0-beta.2",  "1.0.0-beta.11",  "1.0.0-rc.1",
    "1.0.0-rc.1.0",    "1.0.0",         "1.0.1",          "1.1.0",
    "2.0.0-a",         "2.0.0",         "10.0.0",         "18446744073709551615.0.0",
};

static void versions_are_ordered_as_the_standard_orders_them(void **state)
{
    (void)state;
    for (int i = 0; i < (int)rows_count(ASCENDING); i++) {
        for (int j = 0; j < (int)rows_count(ASCENDING); j++) {
            gr_version a = version_of(ASCENDING[i]), b = version_of(ASCENDING[j]);
            int got = gr_version_cmp(&a, &b);
            if ((got > 0) - (got < 0) != (i > j) - (i < j)) {
                fail_msg("%s, %s: %d", ASCENDING[i], ASCENDING[j], got);
            }
        }
    }
}

static void build_data_does_not_count(void **state)
{
    (void)state;
    gr_version a = version_of("1.2.3-a+x.01"), b = version_of("1.2.3-a");
    assert_int_equal(gr_version_cmp(&a, &b), 0);
    assert_text(a.pre, MT_STR("a"));
}

static const struct text_row {
    const char *name, *text;
    bool good;
} TEXTS[] = {
    {"three numbers", "1.2.3", true},
    {"zeros", "0.0.0", true},
    {"a leading zero", "01.2.3", false},
    {"a leading zero at the end", "1.2.03", false},
    {"two numbers", "1.2", false},
    {"four numbers", "1.2.3.4", false},
    {"nothing", "", false},
    {"an empty part", "1..3", false},
    {"the largest number", "1.2.18446744073709551615", true},
    {"a number too large by one", "1.2.18446744073709551616", false},
    {"a number too large by a digit", "1.2.99999999999999999999", false},
    {"a pre-release", "1.2.3-a-Z.0", true},
    {"an empty pre-release", "1.2.3-", false},
    {"an empty part of a pre-release", "1.2.3-a..b", false},
    {"a zero in a pre-release", "1.2.3-0", true},
    {"a leading zero in a pre-release", "1.2.3-00", false},
    {"a leading zero before letters", "1.2.3-0a", true},
    {"a foreign letter", "1.2.3-a_b", false},
    {"letters at the edges of the alphabet", "1.2.3-azAZ09", true},
    {"a letter before them", "1.2.3-@", false},
    {"a letter after them", "1.2.3-[", false},
    {"a grave", "1.2.3-`", false},
    {"a brace", "1.2.3-{", false},
    {"a slash", "1.2.3-/", false},
    {"a colon", "1.2.3-:", false},
    {"build data with leading zeros", "1.2.3+001", true},
    {"empty build data", "1.2.3+", false},
    {"both", "1.2.3-a+b", true},
    {"words behind", "1.2.3 x", false},
};

static void reads(void **state)
{
    const struct text_row *r = *state;
    gr_version v;
    assert_int_equal(gr_version_read(mt_str_z(r->text), &v), r->good);
}

/* What a requirement takes and leaves, by words. */
static const struct match_row {
    const char *name, *selector, *takes, *leaves;
} MATCHES[] = {
    {"a version takes itself", "1.2.3", "1.2.3", "1.2.2 1.2.4 1.2.3-a"},
    {"a bare part means caret", "1.2", "1.2.0 1.9.0", "1.1.9 2.0.0 0.9.0"},
    {"a caret keeps the first part", "^1.2.3", "1.2.3 1.2.4 1.3.0", "1.2.2 2.0.0"},
    {"a caret below one keeps the second", "^0.2.3", "0.2.3 0.2.9",
     "0.2.2 0.3.0 1.2.3"},
    {"a caret below that keeps the third", "^0.0.3", "0.0.3", "0.0.2 0.0.4 0.1.3"},
    {"a caret of zeros keeps them", "^0.0", "0.0.0 0.0.9", "0.1.0 1.0.0"},
    {"a tilde keeps two parts", "~1.2.3", "1.2.3 1.2.9", "1.2.2 1.3.0 2.2.3"},
    {"a tilde with two parts", "~1.2", "1.2.0 1.2.9", "1.1.9 1.3.0"},
    {"a tilde with one part", "~1", "1.0.0 1.9.9", "0.9.9 2.0.0"},
    {"equal to what is given", "=1.2", "1.2.0 1.2.9", "1.1.9 1.3.0"},
    {"greater", ">1.2.3", "1.2.4 2.0.0", "1.2.3 1.2.2"},
    {"greater than a part", ">1.2", "1.3.0", "1.2.9 1.2.0"},
    {"at least", ">=1.2.3", "1.2.3 1.2.4", "1.2.2"},
    {"less", "<1.2.3", "1.2.2 0.9.9", "1.2.3 1.2.4"},
    {"at most", "<=1.2.3", "1.2.3 1.2.2", "1.2.4"},
    {"two that must hold", ">=1.2.0, <1.3.0", "1.2.0 1.2.9", "1.1.9 1.3.0"},
    {"two of which the first must hold, too", "<1.3.0, >=1.2.0", "1.2.0",
     "1.1.9 1.3.0"},
    {"a star takes all", "*", "0.0.0 9.9.9", "1.0.0-a"},
    {"a star behind a part", "1.*", "1.0.0 1.9.9", "0.9.9 2.0.0"},
    {"a star behind two", "1.2.*", "1.2.0 1.2.9", "1.1.9 1.3.0"},
    {"an x is a star", "1.x", "1.5.0", "2.0.0"},
    {"a large X is one, too", "1.X.X", "1.5.0", "2.0.0"},
    {"a pre-release of the version that is named", ">=1.2.3-b", "1.2.3-b 1.2.3-c 1.2.3",
     "1.2.3-a 1.2.4-c"},
    {"a pre-release named by the second", ">=1.0.0, <=1.2.3-b", "1.2.3-a 1.2.2",
     "1.2.3-c 1.2.2-a"},
};

static void assert_words(const char *selector, const char *words, gr_match want)
{
    mt_str rest = mt_str_z(words);
    while (rest.len) {
        size_t n = mt_str_find(rest, ' ');
        gr_version v;
        assert_true(gr_version_read(mt_str_from(rest.ptr, n), &v));
        gr_match got = gr_version_match(mt_str_z(selector), &v);
        if (got != want) {
            fail_msg("%s, %.*s: %d", selector, (int)n, rest.ptr, got);
        }
        rest = mt_str_skip(rest, n < rest.len ? n + 1 : n);
    }
}

static void takes(void **state)
{
    const struct match_row *r = *state;
    assert_words(r->selector, r->takes, GR_MATCH);
    assert_words(r->selector, r->leaves, GR_NO_MATCH);
}

static void what_is_not_a_requirement_is_said(void **state)
{
    (void)state;
    static const char *const BAD[] = {"",     "^",      ">x",       "1.*.2", "1.2.3.4",
                                      "1,",   "a",      "1.2-a",    "=*",    "^01.2",
                                      "1.*x", "1.2.3-", ">=1.2.3 4"};
    for (size_t i = 0; i < rows_count(BAD); i++) {
        assert_words(BAD[i], "1.2.3", GR_BAD_SELECTOR);
    }
}

int main(void)
{
    static rows_list list;
    rows_test(&list, versions_are_ordered_as_the_standard_orders_them);
    rows_test(&list, build_data_does_not_count);
    rows_add(&list, TEXTS, reads);
    rows_add(&list, MATCHES, takes);
    rows_test(&list, what_is_not_a_requirement_is_said);
    return rows_run(&list, "graph/version");
}
