/* Constructs in the order of their ids, against the order of whole texts. */
#include "contract/front/unit.h"
#include "elaborate_fixture.h"

enum { MOST = 600 };

typedef struct sorting {
    mt_arena arena;
    fr_unit u;
    fr_rule rules[MOST];
    fr_construct *items[MOST];
    size_t count;
} sorting;

static sorting *start(void)
{
    sorting *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->u.keep = &b->arena;
    fr_symbols_init(&b->u.syms, &b->arena);
    return b;
}

static void add(sorting *b, mt_str id, int64_t stratum)
{
    assert_true(b->count < MOST);
    fr_rule *r = &b->rules[b->count];
    r->head.id = fr_intern(&b->u.syms, mt_str_dup(&b->arena, id));
    r->stratum = stratum;
    b->items[b->count++] = &r->head;
}

static mt_str id_at(const sorting *b, size_t i)
{
    return fr_str(&b->u, b->items[i]->id);
}

/* Of equal ids the one that was added first comes first. */
static void check_ids(sorting *b)
{
    mt_mark before = mt_arena_mark(&b->arena);
    fr_sort_by_id(&b->u, b->items, b->count);
    mt_mark after = mt_arena_mark(&b->arena);
    assert_ptr_equal(after.cur, before.cur);
    bool seen[MOST] = {0};
    for (size_t i = 0; i < b->count; i++) {
        size_t from = (size_t)((const fr_rule *)b->items[i] - b->rules);
        assert_false(seen[from]);
        seen[from] = true;
        int order = i ? mt_str_cmp(id_at(b, i - 1), id_at(b, i)) : -1;
        assert_true(order < 0 || (order == 0 && b->items[i - 1] < b->items[i]));
    }
}

static void done_with(sorting *b)
{
    mt_arena_free(&b->arena);
    free(b);
}

/* The same few numbers in every run. */
static uint32_t next_number(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* 24 are sorted by insertion, 25 by bytes; beginnings end on both sides of the bounds
 * of 8, 16 and 24 bytes. */
static void sorts_by_the_bytes_of_whole_ids(void **state)
{
    (void)state;
    static const size_t COUNTS[] = {0, 1, 2, 3, 23, 24, 25, 26, 300, MOST};
    static const char LONG[] = "a_beginning_that_all_ids_have_in_common";
    for (size_t c = 0; c < sizeof COUNTS / sizeof *COUNTS; c++) {
        for (size_t shared = 0; shared < sizeof LONG; shared++) {
            sorting *b = start();
            uint32_t seed = (uint32_t)(shared * 31 + c);
            while (b->count < COUNTS[c]) {
                add(b,
                    mt_strf(&b->arena, "%.*s%u", (int)shared, LONG,
                            next_number(&seed) % 2000),
                    0);
            }
            check_ids(b);
            done_with(b);
        }
    }
}

/* Every id is the beginning of the next: one leaves at every length. */
static void sorts_ids_that_begin_with_each_other(void **state)
{
    (void)state;
    sorting *b = start();
    char text[MOST + 1];
    memset(text, 'a', sizeof text);
    for (size_t len = MOST; len > 0; len--) {
        add(b, mt_str_from(text, len), 0);
    }
    check_ids(b);
    assert_int_equal(id_at(b, 0).len, 1);
    assert_int_equal(id_at(b, MOST - 1).len, MOST);
    done_with(b);
}

/* Bytes are compared without a sign: letters beyond ASCII come last. */
static void sorts_letters_beyond_ascii_last(void **state)
{
    (void)state;
    sorting *b = start();
    for (size_t i = 0; i < 30; i++) {
        add(b, mt_strf(&b->arena, i % 2 ? "größe_%zu" : "grzz_%zu", i), 0);
        add(b, mt_strf(&b->arena, i % 2 ? "é%zu" : "Z%zu", i), 0);
    }
    check_ids(b);
    assert_true(mt_str_is(id_at(b, 0), "Z0"));
    assert_true(mt_str_starts(id_at(b, 59), MT_STR("é")));
    done_with(b);
}

static void sorts_rules_by_stratum_and_keeps_their_ids(void **state)
{
    (void)state;
    static const int64_t STRATA[] = {0,   1,    -1,        255,       256, 65536,
                                     300, -256, INT64_MAX, INT64_MIN, 7,   2};
    static const size_t COUNTS[] = {0, 1, 2, 24, 25, MOST};
    for (size_t c = 0; c < sizeof COUNTS / sizeof *COUNTS; c++) {
        sorting *b = start();
        uint32_t seed = 5;
        while (b->count < COUNTS[c]) {
            int64_t stratum = STRATA[next_number(&seed) % 12];
            add(b, mt_strf(&b->arena, "rule_%u", next_number(&seed)), stratum);
        }
        check_ids(b);
        fr_sort_by_stratum(&b->u, b->items, b->count);
        for (size_t i = 1; i < b->count; i++) {
            const fr_rule *x = (const fr_rule *)b->items[i - 1];
            const fr_rule *y = (const fr_rule *)b->items[i];
            bool same = x->stratum == y->stratum;
            assert_true(x->stratum < y->stratum ||
                        (same && mt_str_cmp(id_at(b, i - 1), id_at(b, i)) <= 0));
        }
        done_with(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_by_the_bytes_of_whole_ids),
        cmocka_unit_test(sorts_ids_that_begin_with_each_other),
        cmocka_unit_test(sorts_letters_beyond_ascii_last),
        cmocka_unit_test(sorts_rules_by_stratum_and_keeps_their_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
