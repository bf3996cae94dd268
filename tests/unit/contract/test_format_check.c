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
    /* clang-format off */
    {"a contract with all kinds of constructs and comments",
     "/* head  \n"
     "   of it\t\n"
     "*/  \n"
     "import \"b.tenor\" // why\n"
     "persona p // one\n"
     "persona q\n"
     "\n"
     "\n"
     "persona r /* a */ // b\n"
     "\n"
     "// about s\n"
     "source s { protocol: http /* mid\n"
     "dle */ base_url: \"x\"   \n"
     " path: \"y\" }\n"
     "entity E{states:[ // first\n"
     " a,b , /* c */ c ]\n"
     " // own\n"
     " initial:a transitions:[(a,b),(b , c) // last\n"
     " ,(c,a)] // tail 1\n"
     " // before the end\n"
     " }\n"
     "fact f { type: List(element_type: Record { alpha: Int(min: 0, max: 9), beta: Bool, gamma: Bool }, max: 10) source: \"s\" }\n"
     "rule l { stratum: 0 when: ((exists i in f . i.alpha > 1) or (forall i in f . i.alpha = 2 and i.beta)) and (not f = f) // yes\n"
     " and f != f /* x */ and // y\n"
     " true\n"
     " produce: v(true) }\n"
     "rule m { stratum: 0 when: not (a) and ¬b and c ∧ d ∨ len(f) > 1 produce: v(true) }\n"
     "operation o{allowed_personas:[p,q] precondition:true\n"
     "effects:[(E,a,b,ok),E: b -> c] outcomes:[ok] error_contract:[precondition_failed]}\n"
     "flow g { snapshot: at_initiation entry: s steps: { s: OperationStep { op: o persona: p outcomes: { ok: Terminal(success) } on_failure: Terminate(outcome: failure) }\n"
     " t: ParallelStep { branches: [ Branch { id: x entry: y steps: {} } ] join: JoinPolicy { on_all_success: Terminal(success) on_any_failure: Terminate(outcome: failure) } } } }\n",
     "/* head\n"
     "   of it\n"
     "*/\n"
     "import \"b.tenor\"  // why\n"
     "persona p  // one\n"
     "persona q\n"
     "\n"
     "persona r  /* a */  // b\n"
     "\n"
     "// about s\n"
     "source s {\n"
     "  protocol: http  /* mid\n"
     "dle */\n"
     "  base_url: \"x\"\n"
     "  path:     \"y\"\n"
     "}\n"
     "\n"
     "entity E {\n"
     "  states: [  // first\n"
     "    a,\n"
     "    b,\n"
     "    /* c */\n"
     "    c\n"
     "  ]\n"
     "  // own\n"
     "  initial: a\n"
     "  transitions: [\n"
     "    (a, b),\n"
     "    (b, c)\n"
     "        // last\n"
     "        ,\n"
     "    (c, a)\n"
     "  ]  // tail 1\n"
     "  // before the end\n"
     "}\n"
     "\n"
     "fact f {\n"
     "  type: List(\n"
     "    element_type: Record { alpha: Int(min: 0, max: 9), beta: Bool, gamma: Bool },\n"
     "    max:          10\n"
     "  )\n"
     "  source: \"s\"\n"
     "}\n"
     "\n"
     "rule l {\n"
     "  stratum: 0\n"
     "  when: ((exists i in f . i.alpha > 1) or (forall i in f . i.alpha = 2 and i.beta))\n"
     "      and (not f = f)\n"
     "      // yes\n"
     "      and f != f /* x */\n"
     "      and // y\n"
     "      true\n"
     "  produce: v(true)\n"
     "}\n"
     "\n"
     "rule m {\n"
     "  stratum: 0\n"
     "  when:    not (a) and ¬b and c ∧ d ∨ len(f) > 1\n"
     "  produce: v(true)\n"
     "}\n"
     "\n"
     "operation o {\n"
     "  allowed_personas: [p, q]\n"
     "  precondition:     true\n"
     "  effects:          [(E, a, b, ok), E: b -> c]\n"
     "  outcomes:         [ok]\n"
     "  error_contract:   [precondition_failed]\n"
     "}\n"
     "\n"
     "flow g {\n"
     "  snapshot: at_initiation\n"
     "  entry:    s\n"
     "  steps: {\n"
     "    s: OperationStep {\n"
     "      op:         o\n"
     "      persona:    p\n"
     "      outcomes:   { ok: Terminal(success) }\n"
     "      on_failure: Terminate(outcome: failure)\n"
     "    }\n"
     "    t: ParallelStep {\n"
     "      branches: [\n"
     "        Branch {\n"
     "          id:    x\n"
     "          entry: y\n"
     "          steps: {}\n"
     "        }\n"
     "      ]\n"
     "      join: JoinPolicy {\n"
     "        on_all_success: Terminal(success)\n"
     "        on_any_failure: Terminate(outcome: failure)\n"
     "      }\n"
     "    }\n"
     "  }\n"
     "}\n"},
    {"a list of one group opens with it",
     "entity E { states: [a] initial: a transitions: [(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb)] }",
     "entity E {\n"
     "  states:  [a]\n"
     "  initial: a\n"
     "  transitions: [(\n"
     "    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,\n"
     "    bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"
     "  )]\n"
     "}\n"},
    {"the columns of fields end at an empty line and at a wide field",
     "rule r { stratum: 0\n"
     "\n"
     " when: a produce: v(true) }\n"
     "fact f { type: Record { aaaaaaaaaaaaaaaaaaaaa: Int(min: 0, max: 9), bbbbbbbbbbbbbbbbbbbbbb: Bool, c: Bool } source: \"x\" default: 3 }",
     "rule r {\n"
     "  stratum: 0\n"
     "\n"
     "  when:    a\n"
     "  produce: v(true)\n"
     "}\n"
     "\n"
     "fact f {\n"
     "  type: Record {\n"
     "    aaaaaaaaaaaaaaaaaaaaa:  Int(min: 0, max: 9),\n"
     "    bbbbbbbbbbbbbbbbbbbbbb: Bool,\n"
     "    c:                      Bool\n"
     "  }\n"
     "  source:  \"x\"\n"
     "  default: 3\n"
     "}\n"},
    {"strings and signs keep their places",
     "fact f { type: Bool source: x.y(a , b).z }\n"
     "fact g { type: Bool source: \"a  b\" }\n"
     "rule r { stratum: 0 when: n>-3 and len( xs )>0 and xs[ 0 ]=1 and v . x=( 1+2 )*3 produce: verdict v { payload: Int(0,9)= n*2-1 } }",
     "fact f {\n"
     "  type:   Bool\n"
     "  source: x.y(a , b).z\n"
     "}\n"
     "\n"
     "fact g {\n"
     "  type:   Bool\n"
     "  source: \"a  b\"\n"
     "}\n"
     "\n"
     "rule r {\n"
     "  stratum: 0\n"
     "  when:    n > -3 and len(xs) > 0 and xs[0] = 1 and v.x = (1 + 2) * 3\n"
     "  produce: verdict v { payload: Int(0, 9) = n * 2 - 1 }\n"
     "}\n"},
    {"comments between constructs",
     "// a\n"
     "\n"
     "\n"
     "// b\n"
     "persona p\n"
     "// c\n"
     "\n"
     "persona q\n"
     "// d\n"
     "rule r { stratum: 0 when: a produce: v(true) } // e\n"
     "// f\n"
     "/* g */ persona s /* h */ /* i */\n",
     "// a\n"
     "\n"
     "// b\n"
     "persona p\n"
     "// c\n"
     "\n"
     "persona q\n"
     "// d\n"
     "rule r {\n"
     "  stratum: 0\n"
     "  when:    a\n"
     "  produce: v(true)\n"
     "}  // e\n"
     "\n"
     "// f\n"
     "/* g */\n"
     "persona s  /* h */  /* i */\n"},
    /* clang-format on */
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

/* 88 characters; what only the padding makes too wide loses that first. */
static void a_condition_stays_on_its_line_to_the_last_column(void **state)
{
    static const struct {
        int letters;
        size_t widest, lines;
    } WIDTHS[] = {{71, 88, 5}, {72, 86, 5}, {74, 88, 5}, {75, 83, 6}};
    (void)state;
    for (size_t i = 0; i < sizeof WIDTHS / sizeof *WIDTHS; i++) {
        mt_arena a = {0};
        mt_diags ds = {.arena = &a};
        mt_str out = {0};
        char word[100];
        memset(word, 'a', sizeof word);
        mt_str text =
            mt_strf(&a, "rule r { stratum: 0 when: %.*s and b produce: v(true) }",
                    WIDTHS[i].letters, word);
        assert_int_equal(fr_format(&a, MT_STR("t.tenor"), text, NULL, NULL, &ds, &out),
                         MT_OK);
        size_t widest = 0, lines = 0;
        for (mt_str left = out; left.len; lines++) {
            size_t end = mt_str_find(left, '\n');
            widest = end > widest ? end : widest;
            left = mt_str_skip(left, end + 1);
        }
        assert_int_equal(widest, WIDTHS[i].widest);
        assert_int_equal(lines, WIDTHS[i].lines);
        mt_arena_free(&a);
    }
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, finds);
    rows_add(&list, BUNDLES, compares_bundles);
    rows_add(&list, FORMATTED, is_formatted);
    rows_test(&list, a_condition_stays_on_its_line_to_the_last_column);
    return rows_run(&list, "contract/format_check");
}
