/* "Did you mean": how near is near enough. */
#include "../rows.h"

#include "base/nearest.h"

static const char *const NAMES[] = {"check", "elaborate", "eval", "fmt", "x", NULL};

static const struct row {
    const char *name, *word, *want;
} ROWS[] = {
    {"two letters of a word of three may be wrong", "fzz", "fmt"},
    {"three may not", "zzz", NULL},
    {"a third of a long word and one letter", "elborat", "elaborate"},
    {"three letters of six are too many", "eeeeee", NULL},
    {"the word itself", "eval", "eval"},
    {"the same in letters of another size", "EVAL", "eval"},
    {"letters have sizes, other signs have not", "`VAL", NULL},
    {"three letters of four are one too many", "exxx", NULL},
    {"an empty word is near to one letter", "", "x"},
    {"neighbours that changed places are one slip, not two", "vela", "eval"},
    {"the first of two that are equally near", "chevk", "check"},
    {"a word of forty-one letters is near to nothing",
     "checkcheckcheckcheckcheckcheckcheckcheckc", NULL},
};

static void finds(void **state)
{
    const struct row *r = *state;
    const char *got = mt_nearest_of(r->word, NAMES);
    if (!r->want) {
        assert_null(got);
        return;
    }
    assert_non_null(got);
    assert_string_equal(got, r->want);
}

/* For every length: a word with exactly as many wrong letters as are forgiven, and one
 * with one more. */
static void the_threshold_is_exact(void **state)
{
    (void)state;
    for (size_t len = 1; len <= MT_NEAREST_LONGEST; len++) {
        char name[MT_NEAREST_LONGEST + 1] = {0}, word[MT_NEAREST_LONGEST + 1] = {0};
        size_t forgiven = len / 3 + 1;
        memset(name, 'a', len);
        for (size_t wrong = 0; wrong <= len; wrong++) {
            memset(word, 'a', len);
            memset(word, 'z', wrong);
            mt_nearest n = mt_nearest_to(mt_str_from(word, len));
            mt_nearest_offer(&n, mt_str_from(name, len));
            assert_int_equal(n.best.len != 0,
                             wrong <= forgiven && len < MT_NEAREST_LONGEST + 1);
        }
    }
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, finds);
    rows_test(&list, the_threshold_is_exact);
    return rows_run(&list, "base/nearest");
}
