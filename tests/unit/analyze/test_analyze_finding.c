/* Findings: keys that survive moved lines, baselines, both outputs, and codes that
 * `motet help` can explain. */
#include "../rows.h"
#include "analyze/facts/finding.h"

static an_finding finding(const char *code, const char *construct, const char *part,
                          mt_severity severity)
{
    return (an_finding){.code = code,
                        .analysis = "s2",
                        .severity = severity,
                        .kind = "Entity",
                        .construct = mt_str_z(construct),
                        .part = mt_str_z(part),
                        .origin = {MT_STR("a.tenor"), 3},
                        .message = MT_STR("is odd")};
}

static an_findings two(mt_arena *a)
{
    an_findings fs = {.arena = a};
    an_finding second = finding("S201", "Order", "archived", MT_WARNING);
    an_finding first = finding("S101", "Order", "a to b", MT_NOTE);
    an_finding_add(&fs, &second);
    an_finding_add(&fs, &first);
    an_findings_sort(&fs);
    return fs;
}

static void findings_are_sorted_and_warnings_counted(void **state)
{
    (void)state;
    mt_arena a = {0};
    an_findings fs = two(&a);
    assert_string_equal(fs.items[0].code, "S101");
    assert_int_equal(fs.warnings, 1);
    mt_buf out = {0};
    an_findings_text(&out, &fs);
    assert_text(mt_buf_str(&out),
                MT_STR("a.tenor:3: S101 note: Entity Order: is odd\n"
                       "a.tenor:3: S201 warning: Entity Order: is odd\n"));
    mt_buf_free(&out);
    mt_arena_free(&a);
}

/* A report of our own, read back as the baseline of the next run. */
static mt_json report_of(mt_arena *a, const an_findings *fs)
{
    mt_buf out = {0};
    mt_json tree;
    mt_jw w = mt_jw_start(&out, true);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "findings");
    an_findings_json(&w, fs);
    mt_jw_keyz(&w, "findings_more");
    an_findings_more_json(&w, fs);
    mt_jw_end_object(&w);
    assert_int_equal(
        mt_json_read(a, mt_str_dup(a, mt_buf_str(&out)), NULL, &tree, NULL), MT_OK);
    mt_buf_free(&out);
    return tree;
}

static void a_baseline_hides_what_it_has_wherever_it_moved(void **state)
{
    (void)state;
    mt_arena a = {0};
    an_findings fs = two(&a);
    mt_json baseline = report_of(&a, &fs);
    an_finding added = finding("S201", "Order", "lost", MT_WARNING);
    an_finding_add(&fs, &added);
    fs.items[1].origin.line = 99;
    fs.items[1].message = MT_STR("is odd in other words");
    assert_int_equal(an_findings_against(&fs, &baseline), MT_OK);
    assert_int_equal(fs.len, 1);
    assert_text(fs.items[0].part, MT_STR("lost"));
    assert_int_equal(fs.warnings, 1);
    assert_int_equal(fs.known, 1);
    mt_arena_free(&a);
}

/* Seven of one code, one of another; `more` of the first. */
static an_findings many(mt_arena *a, size_t more)
{
    an_findings fs = two(a);
    for (size_t i = 0; i < 6 + more; i++) {
        an_finding f = finding("S201", "Order", "", MT_WARNING);
        f.part = mt_strf(a, "state %02zu", i);
        an_finding_add(&fs, &f);
    }
    an_findings_sort(&fs);
    return fs;
}

static void what_is_not_listed_is_counted_and_known_by_its_number(void **state)
{
    (void)state;
    mt_arena a = {0};
    an_findings fs = many(&a, 0);
    an_findings_cut(&fs, 3);
    assert_int_equal(fs.len, 4);
    assert_int_equal(fs.warnings, 7);
    assert_text(fs.items[3].part, MT_STR("state 01"));
    mt_buf out = {0};
    an_findings_text(&out, &fs);
    assert_true(mt_str_ends(mt_buf_str(&out), MT_STR("is odd\nS201: and 4 more\n")));
    mt_json baseline = report_of(&a, &fs);
    fs = many(&a, 0);
    assert_int_equal(an_findings_against(&fs, &baseline), MT_OK);
    assert_int_equal(fs.warnings, 0);
    assert_int_equal(fs.known, 7);
    fs = many(&a, 2);
    assert_int_equal(an_findings_against(&fs, &baseline), MT_OK);
    an_findings_cut(&fs, 3);
    assert_int_equal(fs.warnings, 2);
    assert_int_equal(fs.len, 2);
    assert_int_equal(fs.more.len, 0);
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static const struct bad_row {
    const char *name, *text;
} BAD[] = {
    {"a baseline without findings is refused", "{}"},
    {"a baseline that is a list is refused", "[]"},
    {"a baseline whose findings have no key is refused", "{\"findings\":[{}]}"},
    {"a baseline that counts badly is refused",
     "{\"findings\":[],\"findings_more\":{\"S201\":-1}}"},
};

static void refuses(void **state)
{
    const struct bad_row *row = *state;
    mt_arena a = {0};
    mt_json tree;
    an_findings fs = two(&a);
    assert_int_equal(mt_json_read(&a, mt_str_z(row->text), NULL, &tree, NULL), MT_OK);
    assert_int_equal(an_findings_against(&fs, &tree), MT_E_TYPE);
    assert_int_equal(fs.len, 2);
    mt_arena_free(&a);
}

static void members_part_keys(void **state)
{
    (void)state;
    mt_arena a = {0};
    an_finding f = finding("S201", "Order", "", MT_WARNING);
    assert_text(an_finding_key(&a, &f), MT_STR("S201/Entity/Order"));
    f.member = MT_STR("sales");
    f.part = MT_STR("lost");
    assert_text(an_finding_key(&a, &f), MT_STR("sales/S201/Entity/Order/lost"));
    mt_arena_free(&a);
}

static void codes_are_in_order_and_explained(void **state)
{
    (void)state;
    const ct_code_info *info, *before = NULL;
    for (size_t i = 0; (info = an_finding_code_at(i)); i++) {
        assert_true(!before || strcmp(before->code, info->code) < 0);
        assert_true(*info->title && *info->explanation && *info->rule);
        before = info;
    }
    assert_non_null(before);
}

/* One with everything, one with nothing that may be left out. */
static void findings_are_written_whole(void **state)
{
    (void)state;
    mt_arena a = {0};
    an_findings fs = {.arena = &a};
    an_finding full = finding("S201", "Order", "lost", MT_WARNING);
    an_finding bare = finding("S101", "Order", "", MT_NOTE);
    full.member = MT_STR("sales");
    full.hint = MT_STR("mend it");
    full.details = MT_STR("{\"facts\":{}}");
    bare.origin = (ct_origin){0};
    an_finding_add(&fs, &full);
    an_finding_add(&fs, &bare);
    an_findings_sort(&fs);
    mt_buf text = {0}, json = {0};
    mt_jw w = mt_jw_start(&json, false);
    an_findings_text(&text, &fs);
    an_findings_json(&w, &fs);
    assert_text(mt_buf_str(&text),
                MT_STR("S101 note: Entity Order: is odd\n"
                       "a.tenor:3: S201 warning: sales.Entity Order: is odd\n"
                       "  hint: mend it\n"));
    assert_text(
        mt_buf_str(&json),
        MT_STR("[{\"analysis\":\"s2\",\"code\":\"S101\",\"construct_id\":\"Order\","
               "\"construct_kind\":\"Entity\",\"details\":null,\"file\":null,"
               "\"hint\":null,\"key\":\"S101/Entity/Order\",\"line\":0,"
               "\"member\":null,\"message\":\"is odd\",\"part\":null,"
               "\"severity\":\"note\"},"
               "{\"analysis\":\"s2\",\"code\":\"S201\",\"construct_id\":\"Order\","
               "\"construct_kind\":\"Entity\",\"details\":{\"facts\":{}},"
               "\"file\":\"a.tenor\",\"hint\":\"mend it\","
               "\"key\":\"sales/S201/Entity/Order/lost\",\"line\":3,"
               "\"member\":\"sales\",\"message\":\"is odd\",\"part\":\"lost\","
               "\"severity\":\"warning\"}]"));
    mt_buf_free(&text);
    mt_buf_free(&json);
    mt_arena_free(&a);
}

/* By member, code, kind, construct, part and message, each of which may decide. */
static void findings_have_one_order(void **state)
{
    (void)state;
    mt_arena a = {0};
    an_findings fs = {.arena = &a};
    mt_buf got = {0};
    an_finding all[7];
    for (size_t i = 0; i < 7; i++) {
        all[i] = finding("S201", "B", "b", MT_NOTE);
    }
    all[1].message = MT_STR("is even");
    all[2].part = MT_STR("a");
    all[3].construct = MT_STR("A");
    all[4].kind = "Alpha";
    all[5].code = "S101";
    all[6].member = MT_STR("m");
    for (size_t i = 0; i < 7; i++) {
        all[i].origin.line = (uint32_t)i;
        an_finding_add(&fs, &all[i]);
    }
    an_findings_sort(&fs);
    for (size_t i = 0; i < fs.len; i++) {
        mt_buf_addf(&got, "%u", fs.items[i].origin.line);
    }
    assert_text(mt_buf_str(&got), MT_STR("5432106"));
    mt_buf_free(&got);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_test(&list, findings_are_sorted_and_warnings_counted);
    rows_test(&list, a_baseline_hides_what_it_has_wherever_it_moved);
    rows_test(&list, what_is_not_listed_is_counted_and_known_by_its_number);
    rows_add(&list, BAD, refuses);
    rows_test(&list, members_part_keys);
    rows_test(&list, findings_are_written_whole);
    rows_test(&list, findings_have_one_order);
    rows_test(&list, codes_are_in_order_and_explained);
    return rows_run(&list, "analyze/analyze_finding");
}
