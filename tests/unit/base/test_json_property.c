/* Properties of the JSON readers and the writer on random and hostile input.
 * MOTET_SOAK=1 runs more rounds; MOTET_SEED repeats a run. */
#include "../rows.h"

#include "base/json_write.h"
#include "pull_walk.h"

static void random_string(dice *d, mt_buf *out)
{
    static const char *const PIECES[] = {"a",
                                         "Z",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "\x01",
                                         "/",
                                         "\xC3\xA9",
                                         "\xE2\x82\xAC",
                                         "\xF0\x9F\x98\x80",
                                         "key",
                                         "0",
                                         "some longer run of plain text ",
                                         ""};
    for (size_t n = dice_below(d, 8); n > 0; n--) {
        mt_buf_addz(out, PIECES[dice_below(d, rows_count(PIECES))]);
    }
    if (dice_below(d, 20) == 0) {
        mt_buf_addc(out, '\0');
    }
}

static mt_str arena_string(dice *d, mt_arena *a)
{
    mt_buf text = {0};
    random_string(d, &text);
    mt_str copy = mt_str_dup(a, mt_buf_str(&text));
    mt_buf_free(&text);
    return copy;
}

static mt_str random_number(dice *d, mt_arena *a)
{
    const char *sign = dice_below(d, 2) ? "-" : "";
    unsigned whole = (unsigned)dice_below(d, dice_below(d, 2) ? 10 : 1000000);
    switch (dice_below(d, 4)) {
    case 0: return mt_strf(a, "%s%u.%03u", sign, whole, (unsigned)dice_below(d, 1000));
    case 1: return mt_strf(a, "%s%ue%d", sign, whole, (int)dice_below(d, 40) - 20);
    case 2: return mt_strf(a, "%s%u00000000000000000000000001", sign, whole + 1);
    default: return mt_strf(a, "%s%u", sign, whole);
    }
}

static mt_json random_tree(dice *d, mt_arena *a, unsigned depth);

static void random_object(dice *d, mt_arena *a, unsigned depth, mt_json *out)
{
    size_t count = dice_below(d, dice_below(d, 10) ? 6 : 80);
    mt_json_member *members = mt_new_array(a, mt_json_member, count);
    mt_map seen = {0};
    for (size_t i = 0; i < count; i++) {
        bool added;
        mt_str key = arena_string(d, a);
        mt_map_add(a, &seen, key, &added);
        if (added) {
            members[out->count++] = (mt_json_member){key, random_tree(d, a, depth + 1)};
        }
    }
    out->as.members = members;
}

static mt_json random_tree(dice *d, mt_arena *a, unsigned depth)
{
    mt_json v = {.type = (uint8_t)dice_below(d, depth < 6 ? 6 : 4)};
    mt_str text;
    switch ((mt_json_type)v.type) {
    case MT_JSON_NULL: break;
    case MT_JSON_BOOL: v.boolean = dice_below(d, 2); break;
    case MT_JSON_NUMBER:
    case MT_JSON_STRING:
        text = v.type == MT_JSON_NUMBER ? random_number(d, a) : arena_string(d, a);
        v.as.text = text.ptr;
        v.count = (uint32_t)text.len;
        break;
    case MT_JSON_ARRAY:
        v.count = (uint32_t)dice_below(d, 6);
        mt_json *items = mt_new_array(a, mt_json, v.count);
        for (uint32_t i = 0; i < v.count; i++) {
            items[i] = random_tree(d, a, depth + 1);
        }
        v.as.items = items;
        break;
    case MT_JSON_OBJECT: random_object(d, a, depth, &v); break;
    }
    return v;
}

/* Writes the tree, reads it with both readers and writes it again. */
static void check_round_trip(mt_arena *a, const mt_json *tree, bool pretty)
{
    mt_buf first = {0}, second = {0};
    mt_json read, pulled;
    mt_json_write(&first, tree, pretty);
    mt_str text = fenced(mt_buf_str(&first));
    assert_int_equal(mt_json_read(a, text, NULL, &read, NULL), MT_OK);
    assert_true(mt_json_equal(tree, &read));
    mt_json_write(&second, &read, pretty);
    assert_text(mt_buf_str(&second), mt_buf_str(&first));
    assert_int_equal(pull_walk(a, text, NULL, &pulled, NULL), MT_OK);
    assert_true(mt_json_equal(tree, &pulled));
    fenced_free(text);
    mt_buf_free(&first);
    mt_buf_free(&second);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    dice d = dice_from_environment();
    mt_arena a = {0};
    for (size_t i = soak_or(100000, 2000); i > 0; i--) {
        mt_json tree = random_tree(&d, &a, 0);
        check_round_trip(&a, &tree, false);
        check_round_trip(&a, &tree, true);
        mt_arena_reset(&a);
    }
    mt_arena_free(&a);
}

static const char SAMPLE[] = "{\"id\":\"escrow\",\"text\":\"a \\\"quoted\\\" "
                             "\\ud83d\\ude00 \xE2\x82\xAC and more text\",\n"
                             "  \"list\": [1, -2.50, 3e+7, true, false, null, [], "
                             "{}],\"deep\":[[[{\"x\":[0]}]]],\n"
                             "  "
                             "\"a_rather_long_key_for_one_block\":{\"amount\":\"10000."
                             "00\",\"currency\":\"USD\"}}";

/* Both readers say the same about a text; true when it is accepted. */
static bool readers_agree(mt_str bytes)
{
    mt_arena a = {0};
    mt_json tree, pulled;
    mt_json_error error = {0};
    mt_str text = fenced(bytes);
    mt_err one = mt_json_read(&a, text, NULL, &tree, &error);
    if (one && (!error.message || error.offset > text.len)) {
        fail_msg("no message, or a place outside of the text");
    }
    mt_err two = pull_walk(&a, text, NULL, &pulled, &error);
    if (one != two || (!one && !mt_json_equal(&tree, &pulled))) {
        fail_msg("readers disagree (%s, %s): %.*s", mt_err_name(one), mt_err_name(two),
                 MT_ARG(bytes));
    }
    fenced_free(text);
    mt_arena_free(&a);
    return one == MT_OK;
}

static void a_text_cut_anywhere_is_refused(void **state)
{
    (void)state;
    for (size_t len = 0; len < sizeof SAMPLE - 1; len++) {
        assert_false(readers_agree(mt_str_from(SAMPLE, len)));
    }
    assert_true(readers_agree(mt_str_z(SAMPLE)));
}

static void a_damaged_text_is_judged_the_same_by_both_readers(void **state)
{
    (void)state;
    static const char BYTES[] = "{}[]\",:\\ue0129.-+ \n\t/\x80\xC3\xFF\x01tfn";
    dice d = dice_from_environment();
    for (size_t i = soak_or(2000000, 40000); i > 0; i--) {
        char text[sizeof SAMPLE];
        memcpy(text, SAMPLE, sizeof SAMPLE);
        for (size_t n = dice_below(&d, 3); n > 0; n--) {
            text[dice_below(&d, sizeof SAMPLE - 1)] =
                BYTES[dice_below(&d, sizeof BYTES)];
        }
        readers_agree(mt_str_from(text, sizeof SAMPLE - 1));
    }
}

/* The fast scanners answer only what the general ones answer. */
static void fast_and_general_scanners_agree(void **state)
{
    (void)state;
    static const char NUMBERS[] = "0123456789012345678900..-+eE,",
                      STRINGS[] = "aaaaaaaaaaaa\"\\\n\xC3z";
    dice d = dice_from_environment();
    size_t fast_numbers = 0, fast_strings = 0;
    for (size_t i = soak_or(20000000, 400000); i > 0; i--) {
        char text[MT_SCAN_NEAR + 8];
        bool number = i & 1, escaped;
        for (size_t k = 0; k < sizeof text; k++) {
            text[k] = number ? NUMBERS[dice_below(&d, sizeof NUMBERS - 1)]
                             : STRINGS[dice_below(&d, sizeof STRINGS - 1)];
        }
        const char *end = text + sizeof text;
        mt_scan_fault fault;
        const char *fast =
            number ? mt_scan_near_number(text) : mt_scan_near_quote(text);
        bool starts = text[0] == '-' || (unsigned)(text[0] - '0') < 10;
        const char *general = !number  ? mt_scan_string(text, end, &escaped, &fault)
                              : starts ? mt_scan_number(text, end, &fault)
                                       : NULL;
        fast_numbers += fast && number;
        fast_strings += fast && !number;
        if (fast && fast != general) {
            fail_msg("%.*s", (int)sizeof text, text);
        }
    }
    assert_true(fast_numbers > 1000 && fast_strings > 1000);
}

static mt_err read_repeated(const char *piece, size_t times)
{
    mt_arena a = {0};
    mt_buf text = {0};
    mt_json tree;
    for (size_t i = 0; i < times; i++) {
        mt_buf_addz(&text, piece);
    }
    mt_err err = mt_json_read(&a, mt_buf_str(&text), NULL, &tree, NULL);
    assert_int_equal(pull_walk(&a, mt_buf_str(&text), NULL, &tree, NULL), err);
    assert_true(a.reserved < 1 << 20);
    mt_buf_free(&text);
    mt_arena_free(&a);
    return err;
}

static void endless_nesting_ends_at_the_limit(void **state)
{
    (void)state;
    assert_int_equal(read_repeated("[", 10 << 20), MT_E_LIMIT);
    assert_int_equal(read_repeated("{\"a\":", 100000), MT_E_LIMIT);
    assert_int_equal(read_repeated("[{\"a\":", 100000), MT_E_LIMIT);
}

static void the_depth_limit_has_a_ceiling(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf text = {0};
    mt_json tree;
    mt_json_limits deep = {.depth = SIZE_MAX};
    for (int i = 0; i < 2 * MT_JSON_MAX_DEPTH; i++) {
        mt_buf_addc(&text, i < MT_JSON_MAX_DEPTH ? '[' : ']');
    }
    assert_int_equal(mt_json_read(&a, mt_buf_str(&text), &deep, &tree, NULL), MT_OK);
    assert_true(mt_json_equal(&tree, &tree));
    mt_buf out = {0};
    mt_json_write(&out, &tree, false);
    assert_text(mt_buf_str(&out), mt_buf_str(&text));
    mt_buf_addc(&text, ']');
    text.ptr[0] = '[';
    memmove(text.ptr + 1, text.ptr, text.len - 1);
    assert_int_equal(mt_json_read(&a, mt_buf_str(&text), &deep, &tree, NULL),
                     MT_E_LIMIT);
    mt_buf_free(&out);
    mt_buf_free(&text);
    mt_arena_free(&a);
}

static void a_huge_number_keeps_all_its_digits(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf text = {0};
    mt_json tree;
    for (int i = 0; i < 1000000; i++) {
        mt_buf_addc(&text, (char)('1' + i % 9));
    }
    assert_int_equal(mt_json_read(&a, mt_buf_str(&text), NULL, &tree, NULL), MT_OK);
    assert_text(mt_json_text(&tree), mt_buf_str(&text));
    mt_buf_free(&text);
    mt_arena_free(&a);
}

/* An object of `count` keys, the last of them equal to key number `twin`. */
static mt_err read_object(unsigned count, unsigned twin, mt_json_error *error)
{
    mt_arena a = {0};
    mt_buf text = {0};
    mt_json tree;
    mt_buf_addc(&text, '{');
    for (unsigned i = 0; i < count; i++) {
        unsigned key = i + 1 == count ? twin : i;
        mt_buf_addf(&text, "%s\"k%u\":0", i ? "," : "", key);
    }
    mt_buf_addc(&text, '}');
    mt_err err = mt_json_read(&a, mt_buf_str(&text), NULL, &tree, error);
    mt_buf_free(&text);
    mt_arena_free(&a);
    return err;
}

static void duplicates_are_found_in_objects_of_any_size(void **state)
{
    (void)state;
    static const unsigned COUNTS[] = {2, 3, 8, 31, 32, 33, 34, 100, 1000, 100000};
    for (size_t i = 0; i < rows_count(COUNTS); i++) {
        unsigned n = COUNTS[i];
        mt_json_error error;
        assert_int_equal(read_object(n, n - 1, &error), MT_OK);
        assert_int_equal(read_object(n, 0, &error), MT_E_SYNTAX);
        assert_string_equal(error.message, "duplicate key");
        assert_int_equal(read_object(n, n - 2, &error), MT_E_SYNTAX);
    }
}

int main(void)
{
    static rows_list list;
    rows_test(&list, what_is_written_reads_back);
    rows_test(&list, a_text_cut_anywhere_is_refused);
    rows_test(&list, a_damaged_text_is_judged_the_same_by_both_readers);
    rows_test(&list, fast_and_general_scanners_agree);
    rows_test(&list, endless_nesting_ends_at_the_limit);
    rows_test(&list, the_depth_limit_has_a_ceiling);
    rows_test(&list, a_huge_number_keeps_all_its_digits);
    rows_test(&list, duplicates_are_found_in_objects_of_any_size);
    return rows_run(&list, "base/json_property");
}
