/* The formatter's check of itself: which changes of a text it finds. */
#include "../rows.h"

#include "contract/front/format.h"
#include "contract/front/format_check.h"

#define LISTS                                                                          \
    "fact l { type: List(element_type: Bool, max: 2) source: \"a\" }"                  \
    "fact r { type: Record { i: List(element_type: Bool, max: 2) } source: \"b\" }"    \
    "fact k { type: Bool source: \"c\" }"
#define RULE(when) LISTS "rule q { stratum: 0 when: " when " produce: v(true) }"

static const struct row {
    const char *name, *before, *after, *want;
} ROWS[] = {
    {"white space may move", "persona p persona q", "persona\n\n p\tpersona q", ""},
    {"white space may go from the ends of a comment's lines",
     "/* a  \n b\t*/ persona p // c \r\n", "/* a\n b\t*/ persona p // c\n", ""},
    {"a token may not change", RULE("k = true"), RULE("k = false"), "its tokens"},
    {"a token may not be lost", "persona p persona q", "persona p", "its tokens"},
    {"a comment may not change", "persona p // a", "persona p // b", "its tokens"},
    {"a comment may not be lost", "persona p // a", "persona p", "its tokens"},
    {"a comment may not lose a line", "/* a\n\n b */ persona p",
     "/* a\n b */ persona p", "its tokens"},
    {"a quantifier's dot may not move", RULE("exists i in r.i . k"),
     RULE("exists i in r . i.k"), "what it means to the parser"},
    {"nor that of an inner one", RULE("exists j in l . exists i in r.i . k"),
     RULE("exists j in l . exists i in r . i.k"), "what it means to the parser"},
    {"nor in a precondition",
     LISTS "operation o { personas: [p] require: exists i in r.i . k effects: [] }",
     LISTS "operation o { personas: [p] require: exists i in r . i.k effects: [] }",
     "what it means to the parser"},
    {"nor in a branch of a flow",
     LISTS "flow f { entry: a steps: { a: BranchStep { condition: exists i in r.i . k "
           "persona: p if_true: Terminal(success) if_false: Terminal(failure) } } }",
     LISTS "flow f { entry: a steps: { a: BranchStep { condition: exists i in r . i.k "
           "persona: p if_true: Terminal(success) if_false: Terminal(failure) } } }",
     "what it means to the parser"},
    {"a source without quotes is a text", "fact f { type: Bool source: a.b( c ) }",
     "fact f { type: Bool source: a.b(c) }", "what it means to the parser"},
};

static fr_layout layout(mt_arena *a, const char *text)
{
    mt_memory_file file = {MT_STR("t.tenor"), mt_str_z(text)};
    mt_memory memory = {&file, 1};
    mt_provider provider = mt_memory_provider(&memory);
    mt_diags ds = {.arena = a};
    fr_layout l = {.text = file.text};
    ct_elaborate(a, file.path, &provider, NULL, &ds, &l.e);
    for (size_t i = 0; i < ds.len; i++) {
        assert_true(ds.items[i].severity != MT_ERROR || ds.items[i].pass > 0);
    }
    return l;
}

static void finds(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    fr_layout before = layout(&a, r->before), after = layout(&a, r->after);
    mt_str fault = fr_layout_fault(&a, &before, &after, &MT_LIMITS_DEFAULT);
    assert_string_equal(mt_str_dup(&a, fault).ptr, r->want);
    mt_arena_free(&a);
}

/* The same text, as if it had been elaborated to these. */
static const struct bundle_row {
    const char *name, *before, *after, *want;
} BUNDLES[] = {
    {"lines of a bundle may move", "{\"line\":1,\"x\":2}", "{\"line\":22,\"x\":2}", ""},
    {"its other numbers may not", "{\"line\":1,\"x\":2}", "{\"line\":1,\"x\":22}",
     "its interchange"},
    {"nothing of it may be lost", "{\"line\":1,\"x\":2}", "{\"line\":1",
     "its interchange"},
    {"nor all of it", "{\"line\":1}", "", "its interchange"},
};

static void compares_bundles(void **state)
{
    const struct bundle_row *r = *state;
    mt_arena a = {0};
    fr_layout before = layout(&a, "persona p"), after = before;
    ct_elaboration x = *before.e, y = *after.e;
    x.bundle = mt_str_z(r->before);
    y.bundle = mt_str_z(r->after);
    before.e = &x;
    after.e = &y;
    mt_str fault = fr_layout_fault(&a, &before, &after, &MT_LIMITS_DEFAULT);
    assert_string_equal(mt_str_dup(&a, fault).ptr, r->want);
    mt_arena_free(&a);
}

static const struct format_row {
    const char *name, *text, *want;
} FORMATTED[] = {
    {"a construct may be named like a keyword", "persona rule persona q",
     "persona rule\npersona q\n"},
    {"keywords begin constructs", "persona p persona q", "persona p\npersona q\n"},
};

static void is_formatted(void **state)
{
    const struct format_row *r = *state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    mt_str out = {0};
    mt_err err =
        fr_format(&a, MT_STR("t.tenor"), mt_str_z(r->text), NULL, NULL, &ds, &out);
    assert_int_equal(err, MT_OK);
    assert_text(out, mt_str_z(r->want));
    mt_arena_free(&a);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, finds);
    rows_add(&list, BUNDLES, compares_bundles);
    rows_add(&list, FORMATTED, is_formatted);
    return rows_run(&list, "contract/format_check");
}
