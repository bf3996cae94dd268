/* Interchange in the language (FU7): every node of nodes.def, the forms one by one, and
 * changes that are too long for a line. */
#include "analyze/version/diff_report.h"
#include "analyze/version/diff_words.h"
#include "base/map.h"
#include "version_fixture.h"

/* ---- every shape ---- */

/* A value of the shape, as JSON. `variant` says which case or alternative; inside,
 * always the first. false: there is no such variant. */
static bool sample(mt_buf *out, const ln_shape *shape, size_t variant);

static void sample_fields(mt_buf *out, const ln_field *fields, const char **between)
{
    for (const ln_field *f = fields; f && f->key; f++) {
        mt_buf_addf(out, "%s\"%s\":", *between, f->key);
        *between = ",";
        assert_true(sample(out, f->shape, 0));
    }
}

static bool sample_family(mt_buf *out, const ln_shape *shape, size_t variant)
{
    const ln_case *c = shape->cases + variant;
    const char *between = ",";
    if (c->family != shape) {
        return false;
    }
    mt_buf_addf(out, "{\"%s\":\"%s\"", shape->key, c->text);
    sample_fields(out, shape->fields, &between);
    sample_fields(out, c->fields, &between);
    mt_buf_addc(out, '}');
    return true;
}

static bool sample_choice(mt_buf *out, const ln_shape *shape, size_t variant)
{
    const ln_when *w = shape->whens;
    while (w->shape && variant--) {
        w++;
    }
    return w->shape && sample(out, w->shape, 0);
}

static bool sample(mt_buf *out, const ln_shape *shape, size_t variant)
{
    const char *between = "{";
    if (shape->kind == LN_SHAPE_FAMILY) {
        return sample_family(out, shape, variant);
    }
    if (shape->kind == LN_SHAPE_CHOICE) {
        return sample_choice(out, shape, variant);
    }
    if (variant) {
        return false;
    }
    switch (shape->kind) {
    case LN_SHAPE_STRING:
        mt_buf_addf(out, "\"%s\"", shape->words ? shape->words[0] : "a word");
        break;
    case LN_SHAPE_INT: mt_buf_addz(out, "7"); break;
    case LN_SHAPE_BOOL: mt_buf_addz(out, "true"); break;
    case LN_SHAPE_ANY: mt_buf_addz(out, "\"any\""); break;
    case LN_SHAPE_LIST:
        mt_buf_addc(out, '[');
        assert_true(sample(out, shape->element, 0));
        mt_buf_addc(out, ']');
        break;
    case LN_SHAPE_MAP:
        mt_buf_addz(out, "{\"a key\":");
        assert_true(sample(out, shape->element, 0));
        mt_buf_addc(out, '}');
        break;
    case LN_SHAPE_OBJECT:
        sample_fields(out, shape->fields, &between);
        mt_buf_addz(out, *between == '{' ? "{}" : "}");
        break;
    case LN_SHAPE_FAMILY:
    case LN_SHAPE_CHOICE: fail();
    }
    return true;
}

typedef struct walk {
    mt_arena a;
    mt_map met; /* shapes by address */
    size_t said;
} walk;

/* JSON has a quote right behind a brace, a bracket of objects, or before a colon; the
 * language never does, for names of fields are bare or stand before ": ". */
static void is_no_json(mt_str text)
{
    static const char *const SIGNS[] = {"{\"", "\":{", "\":[", "\":\"", "[{\"", ",\""};
    assert_true(text.len > 0);
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
        if (memmem(text.ptr, text.len, SIGNS[i], strlen(SIGNS[i]))) {
            fail_msg("JSON in: %.*s", MT_ARG(text));
        }
    }
}

static void say_variants(walk *w, const ln_shape *shape)
{
    for (size_t variant = 0;; variant++) {
        mt_buf json = {0}, words = {0};
        mt_json tree;
        bool there = sample(&json, shape, variant);
        if (there) {
            mt_str text = mt_str_dup(&w->a, mt_buf_str(&json));
            assert_int_equal(mt_json_read(&w->a, text, NULL, &tree, NULL), MT_OK);
            an_words(&words, shape, &tree);
            is_no_json(mt_buf_str(&words));
            w->said++;
        }
        mt_buf_free(&json);
        mt_buf_free(&words);
        if (!there) {
            return;
        }
    }
}

static void visit(walk *w, const ln_shape *shape);

static void visit_fields(walk *w, const ln_field *fields)
{
    for (const ln_field *f = fields; f && f->key; f++) {
        visit(w, f->shape);
    }
}

static void visit(walk *w, const ln_shape *shape)
{
    bool fresh;
    mt_map_add(&w->a, &w->met, mt_strf(&w->a, "%p", (const void *)shape), &fresh);
    if (!fresh) {
        return;
    }
    say_variants(w, shape);
    visit_fields(w, shape->fields);
    for (const ln_case *c = shape->cases; c && c->family == shape; c++) {
        visit_fields(w, c->fields);
    }
    for (const ln_when *when = shape->whens; when && when->shape; when++) {
        visit(w, when->shape);
    }
    if (shape->element) {
        visit(w, shape->element);
    }
}

static void FU7_every_node_of_the_language_has_words(void **state)
{
    (void)state;
    walk w = {0};
    visit(&w, LN_SHAPE_MANIFEST);
    assert_true(w.said > 100);
    mt_arena_free(&w.a);
}

/* ---- the forms ---- */

typedef struct row {
    const char *name, *kind, *field, *json, *words;
} row;

#define FACT(x)     "{\"fact_ref\":\"" x "\"}"
#define LIT(x)      "{\"literal\":" x ",\"type\":{\"base\":\"Int\",\"max\":9,\"min\":0}}"
#define OP(o, l, r) "{\"left\":" l ",\"op\":\"" o "\",\"right\":" r "}"

/* clang-format off */
static const row ROWS[] = {
    {"money", "Fact", "default", "{\"amount\":{\"kind\":\"decimal_value\",\"precision\":10,\"scale\":2,\"value\":\"20000.00\"},\"currency\":\"EUR\",\"kind\":\"money_value\"}", "20000.00 EUR"},
    {"an integer", "Fact", "default", "{\"kind\":\"int_literal\",\"value\":-5}", "-5"},
    {"a truth", "Fact", "default", "{\"kind\":\"bool_literal\",\"value\":true}", "true"},
    {"a decimal", "Fact", "default", "{\"kind\":\"decimal_value\",\"precision\":4,\"scale\":2,\"value\":\"12.50\"}", "12.50"},
    {"text is quoted", "Fact", "default", "\"draft\"", "\"draft\""},
    {"a duration", "Fact", "default", "{\"kind\":\"duration_value\",\"unit\":\"days\",\"value\":30}", "30 days"},
    {"a record", "Fact", "default", "{\"fields\":{\"a\":{\"kind\":\"int_literal\",\"value\":1},\"b\":\"x\"},\"kind\":\"record_value\"}", "{ a: 1, b: \"x\" }"},
    {"a list", "Fact", "default", "{\"elements\":[{\"kind\":\"int_literal\",\"value\":1},{\"kind\":\"int_literal\",\"value\":2}],\"kind\":\"list_value\"}", "[1, 2]"},
    {"a tagged value", "Fact", "default", "{\"kind\":\"tagged_union_value\",\"payload\":\"4711\",\"tag\":\"Card\"}", "Card(\"4711\")"},
    {"Int", "Fact", "type", "{\"base\":\"Int\",\"max\":9,\"min\":0}", "Int(min: 0, max: 9)"},
    {"Bool", "Fact", "type", "{\"base\":\"Bool\"}", "Bool"},
    {"Money", "Fact", "type", "{\"base\":\"Money\",\"currency\":\"USD\"}", "Money(currency: \"USD\")"},
    {"Enum", "Fact", "type", "{\"base\":\"Enum\",\"values\":[\"a\",\"b\"]}", "Enum(values: [\"a\", \"b\"])"},
    {"Record", "Fact", "type", "{\"base\":\"Record\",\"fields\":{\"ok\":{\"base\":\"Bool\"},\"n\":{\"base\":\"Int\",\"max\":1,\"min\":0}}}", "Record { ok: Bool, n: Int(min: 0, max: 1) }"},
    {"List", "Fact", "type", "{\"base\":\"List\",\"element_type\":{\"base\":\"Date\"},\"max\":3}", "List(element_type: Date, max: 3)"},
    {"a type of later versions", "Fact", "type", "{\"base\":\"Set\",\"max\":3}", "{ base: Set, max: 3 }"},
    {"a structured source", "Fact", "source", "{\"path\":\"a.b\",\"source_id\":\"api\"}", "api { path: \"a.b\" }"},
    {"a free source", "Fact", "source", "{\"field\":\"b\",\"system\":\"a\"}", "\"a.b\""},
    {"a name is bare", "Entity", "initial", "\"draft\"", "draft"},
    {"a name of the first and the last of its kinds", "Entity", "initial", "\"azAZ09_\"", "azAZ09_"},
    {"a sign before a small letter", "Entity", "initial", "\"`\"", "\"`\""},
    {"a sign behind a small letter", "Entity", "initial", "\"{\"", "\"{\""},
    {"a sign before a large letter", "Entity", "initial", "\"@\"", "\"@\""},
    {"a sign behind a large letter", "Entity", "initial", "\"[\"", "\"[\""},
    {"a sign before a digit", "Entity", "initial", "\"/\"", "\"/\""},
    {"a sign behind a digit", "Entity", "initial", "\":\"", "\":\""},
    {"a name that is none", "Entity", "initial", "\"a b\"", "\"a b\""},
    {"the first and last letters and digits are a name", "Entity", "initial", "\"_AZaz09\"", "_AZaz09"},
    {"what stands beside capitals is none", "Entity", "states", "[\"a@\",\"a[\"]", "[\"a@\", \"a[\"]"},
    {"what stands beside small letters is none", "Entity", "states", "[\"a`\",\"a{\"]", "[\"a`\", \"a{\"]"},
    {"what stands beside digits is none", "Entity", "states", "[\"a/\",\"a:\"]", "[\"a/\", \"a:\"]"},
    {"no name at all", "Entity", "initial", "\"\"", "\"\""},
    {"names", "Entity", "states", "[\"a\",\"b\"]", "[a, b]"},
    {"transitions", "Entity", "transitions", "[{\"from\":\"a\",\"to\":\"b\"}]", "[(a, b)]"},
    {"effects", "Operation", "effects", "[{\"entity_id\":\"E\",\"from\":\"a\",\"to\":\"b\"},{\"entity_id\":\"E\",\"from\":\"b\",\"outcome\":\"o\",\"to\":\"c\"}]", "[(E, a, b), (E, b, c, o)]"},
    {"a comparison", "Rule", "body.when", OP(">=", FACT("score"), LIT("620")), "score >= 620"},
    {"and inside or needs none", "Rule", "body.when", OP("or", OP("and", FACT("a"), FACT("b")), FACT("c")), "a and b or c"},
    {"or inside and needs some", "Rule", "body.when", OP("and", OP("or", FACT("a"), FACT("b")), FACT("c")), "(a or b) and c"},
    {"the right side of minus", "Rule", "body.when", OP("<", OP("-", FACT("a"), OP("-", FACT("b"), FACT("c"))), LIT("3")), "a - (b - c) < 3"},
    {"a flat chain", "Rule", "body.when", "{\"op\":\"and\",\"operands\":[" FACT("a") "," OP("or", FACT("b"), FACT("c")) "," FACT("d") "]}", "a and (b or c) and d"},
    {"and inside a flat chain of or needs none", "Rule", "body.when", "{\"op\":\"or\",\"operands\":[" FACT("a") "," OP("and", FACT("b"), FACT("c")) "," FACT("d") "]}", "a or b and c or d"},
    {"not", "Rule", "body.when", "{\"op\":\"not\",\"operand\":" OP("=", FACT("a"), LIT("1")) "}", "not a = 1"},
    {"not of and", "Rule", "body.when", "{\"op\":\"not\",\"operand\":" OP("and", FACT("a"), FACT("b")) "}", "not (a and b)"},
    {"a verdict", "Rule", "body.when", "{\"verdict_present\":\"fine\"}", "verdict_present(fine)"},
    {"a payload", "Rule", "body.when", OP("=", "{\"verdict_ref\":\"level\"}", LIT("2")), "level = 2"},
    {"a scaled fact", "Rule", "body.when", OP("<", "{\"left\":" FACT("a") ",\"literal\":3,\"op\":\"*\"}", LIT("9")), "a * 3 < 9"},
    {"len and index", "Rule", "body.when", OP("=", "{\"op\":\"len\",\"operand\":" FACT("xs") "}", "{\"index\":" LIT("0") ",\"op\":\"index\",\"operand\":" FACT("ys") "}"), "len(xs) = ys[0]"},
    {"a field", "Rule", "body.when", OP("=", "{\"field_ref\":{\"field\":\"ok\",\"var\":\"x\"}}", "{\"field_of\":{\"field\":\"amount\",\"of\":{\"verdict_ref\":\"v\"}}}"), "x.ok = v.amount"},
    {"a quantifier", "Rule", "body.when", "{\"body\":" OP(">", FACT("x"), LIT("1")) ",\"domain\":" FACT("xs") ",\"quantifier\":\"forall\",\"variable\":\"x\",\"variable_type\":{\"base\":\"Bool\"}}", "forall x in xs . x > 1"},
    {"a quantifier inside", "Rule", "body.when", OP("and", "{\"body\":" FACT("x") ",\"domain\":" FACT("xs") ",\"quantifier\":\"exists\",\"variable\":\"x\"}", FACT("b")), "(exists x in xs . x) and b"},
    {"a money literal", "Rule", "body.when", OP("<=", FACT("a"), "{\"literal\":{\"amount\":{\"precision\":5,\"scale\":2,\"value\":\"5.00\"},\"currency\":\"USD\"},\"type\":{\"base\":\"Money\",\"currency\":\"USD\"}}"), "a <= 5.00 USD"},
    {"a decimal literal", "Rule", "body.when", OP("<=", FACT("a"), "{\"literal\":\"1.50\",\"type\":{\"base\":\"Decimal\",\"precision\":3,\"scale\":2}}"), "a <= 1.50"},
    {"a text literal", "Rule", "body.when", OP("=", FACT("a"), "{\"literal\":\"x\"}"), "a = \"x\""},
    {"FL27 a record of terms", "Rule", "body.when", OP("=", FACT("r"), "{\"record\":{\"a\":" OP("+", FACT("a"), LIT("1")) ",\"type\":{\"literal\":\"x\"}},\"type\":{\"base\":\"Record\",\"fields\":{}}}"), "r = { a: a + 1, type: \"x\" }"},
    {"FL27 a list of terms", "Rule", "body.when", OP("!=", FACT("l"), "{\"list\":[" FACT("a") "," LIT("2") "],\"type\":{\"base\":\"List\"}}"), "l != [a, 2]"},
    {"FL27 a union", "Rule", "body.produce.payload.value", "{\"union\":{\"payload\":{\"list\":[]},\"tag\":\"Cash\"}}", "Cash([])"},
    {"an operator of later versions", "Rule", "body.when", "{\"op\":\"sum\",\"operand\":" FACT("xs") ",\"result_type\":{\"base\":\"Bool\"}}", "sum(xs)"},
    {"a payload value", "Rule", "body.produce.payload.value", "2", "2"},
    {"a payload term", "Rule", "body.produce.payload.value", OP("*", FACT("a"), FACT("b")), "a * b"},
    {"a stratum", "Rule", "stratum", "3", "3"},
    {"a map", "Source", "fields", "{\"base_url\":\"https://a\"}", "{ base_url: \"https://a\" }"},
    {"members", "System", "members", "[{\"id\":\"m\",\"path\":\"m.tenor\"}]", "[m: \"m.tenor\"]"},
    {"a step", "Flow", "steps", "[{\"id\":\"s\",\"kind\":\"OperationStep\",\"on_failure\":{\"kind\":\"Terminate\",\"outcome\":\"failure\"},\"op\":\"pay\",\"outcomes\":{\"done\":{\"kind\":\"Terminal\",\"outcome\":\"success\"}},\"persona\":\"ann\"}]",
     "[s: OperationStep { op: pay, persona: ann, outcomes: { done: Terminal(success) }, on_failure: Terminate(outcome: failure) }]"},
    {"a list of values", "Fact", "default", "[1,\"a\",[2]]", "[1, \"a\", [2]]"},
    {"a value of later versions", "Fact", "default", "{\"odd\":1,\"even\":\"x\"}", "{ odd: 1, even: \"x\" }"},
    {"a condition of later versions", "Rule", "body.when", "{\"odd\":1}", "{ odd: 1 }"},
    {"a key nobody knows", "Fact", "colour", "{\"red\":[1,null]}", "{ red: [1, nothing] }"},
    {"a shape it should not have", "Entity", "transitions", "[7,\"x\"]", "[7, x]"},
};
/* clang-format on */

static void FU7_words(void **state)
{
    const row *r = *state;
    mt_arena a = {0};
    mt_buf out = {0};
    mt_json tree;
    assert_int_equal(mt_json_read(&a, mt_str_z(r->json), NULL, &tree, NULL), MT_OK);
    an_words(&out, an_words_shape(mt_str_z(r->kind), mt_str_z(r->field)), &tree);
    mt_buf_addc(&out, '\0');
    assert_string_equal(out.ptr, r->words);
    mt_buf_free(&out);
    mt_arena_free(&a);
}

/* ---- changes ---- */

static const char CONTRACT[] =
    "persona ann\npersona bob\n"
    "fact score { type: Int(min: 0, max: 900) source: \"desk.score\" }\n"
    "fact income { type: Money(\"EUR\") source: \"desk.income\" }\n"
    "fact employed { type: Bool source: \"desk.employed\" }\n"
    "entity Loan { states: [asked, paid] initial: asked transitions: [(asked, paid)] "
    "}\n"
    "rule good { stratum: 0 when: score >= 640 and employed = true and income >= Money "
    "{ amount: \"20000.00\", currency: \"EUR\" } produce: verdict is_good { payload: "
    "Bool = true } }\n"
    "operation pay { allowed_personas: [ann, bob] precondition: verdict_present("
    "is_good) effects: [(Loan, asked, paid)] outcomes: [paid] error_contract: "
    "[precondition_failed] }\n"
    "flow f { snapshot: at_initiation entry: s1 steps: {\n"
    "s1: OperationStep { op: pay persona: ann outcomes: { paid: Terminal(success) } "
    "on_failure: Terminate(outcome: failure) }\n"
    "} }\n"
    "flow g { snapshot: at_initiation entry: fork steps: { fork: ParallelStep { "
    "branches: [\n"
    "Branch { id: left entry: l1 steps: { l1: HandoffStep { from_persona: ann "
    "to_persona: bob next: l2 } l2: BranchStep { condition: employed = true persona: "
    "bob if_true: Terminal(success) if_false: Terminal(failure) } } },\n"
    "Branch { id: right entry: r1 steps: { r1: BranchStep { condition: employed = true "
    "persona: ann if_true: Terminal(success) if_false: Terminal(failure) } } }\n"
    "] join: JoinPolicy { on_all_success: Terminal(success) on_any_failure: "
    "Terminate(outcome: failure) on_all_complete: null } } } }\n";

static const struct edit {
    const char *name, *find, *replace, *line;
} EDITS[] = {
    {"of a long chain only what differs", "score >= 640", "score >= 620",
     "        score >= 640 -> score >= 620  (2 joined by 'and' stay)\n"},
    {"money inside a chain", "20000.00", "25000.00",
     "        income >= 20000.00 EUR -> income >= 25000.00 EUR  (2 joined by 'and' "
     "stay)\n"},
    {"a condition that was added", "score >= 640", "score >= 640 and score <= 800",
     "        nothing -> score <= 800  (3 joined by 'and' stay)\n"},
    {"order alone is both", "score >= 640 and employed = true",
     "employed = true and score >= 640",
     "        before: score >= 640 and employed = true and income >= 20000.00 EUR\n"
     "        after:  employed = true and score >= 640 and income >= 20000.00 EUR\n"},
    {"a step's member", "persona: ann outcomes", "persona: bob outcomes",
     "        s1.persona: ann -> bob\n"},
    {"a step's target", "paid: Terminal(success)", "paid: Terminal(failure)",
     "        s1.outcomes: { paid: Terminal(success) } -> { paid: Terminal(failure) "
     "}\n"},
    {"two operands of a chain", "score >= 640 and employed = true",
     "score >= 620 and score <= 800",
     "        score >= 640 and employed = true -> score >= 620 and score <= 800  (1 "
     "joined by 'and' stays)\n"},
    {"a step of a branch", "bob if_true", "ann if_true",
     "        fork.branches.left.steps.l2.persona: bob -> ann\n"},
    {"a branch that is called otherwise", "id: right", "id: far",
     "        fork.branches.right"},
    {"and its new name", "id: right", "id: far", "        fork.branches.far"},
    {"a step of a branch that is called otherwise",
     "next: l2 } l2:", "next: l3 } l3:", "        fork.branches.left.steps.l3"},
    {"a type", "max: 900", "max: 950",
     "    type: Int(min: 0, max: 900) -> Int(min: 0, max: 950)  [NON_BREAKING]\n"},
};
enum { EDIT_COUNT = sizeof EDITS / sizeof *EDITS };

static mt_str edited(mt_arena *a, const struct edit *e)
{
    const char *at = strstr(CONTRACT, e->find);
    assert_non_null(at);
    return mt_strf(a, "%.*s%s%s", (int)(at - CONTRACT), CONTRACT, e->replace,
                   at + strlen(e->find));
}

static void FU7_a_change_reads_like_the_language(void **state)
{
    const struct edit *e = *state;
    mt_arena a = {0};
    version old, now;
    version_open(&old, CONTRACT);
    version_open(&now, edited(&a, e).ptr);
    an_diff *d = an_diff_bundles(&a, (an_diff_side){&old.tree, NULL},
                                 (an_diff_side){&now.tree, NULL});
    mt_buf out = {0};
    an_diff_text(&out, d);
    is_no_json(mt_buf_str(&out));
    mt_buf_addc(&out, '\0');
    if (!strstr(out.ptr, e->line)) {
        fail_msg("not found: %sin:\n%s", e->line, out.ptr);
    }
    mt_buf_free(&out);
    version_close(&old);
    version_close(&now);
    mt_arena_free(&a);
}

/* At the limit a value stands on the line, one byte beyond it has lines of its own. */
static void FU7_a_line_has_48_bytes_for_a_value(void **state)
{
    (void)state;
    for (int n = 46; n <= 47; n++) { /* with both quotes 48 and 49 */
        mt_arena a = {0};
        mt_buf out = {0};
        mt_json before, after;
        mt_str x = mt_strf(&a, "\"%0*d\"", n, 1), y = mt_strf(&a, "\"%0*d\"", n, 2);
        assert_int_equal(mt_json_read(&a, x, NULL, &before, NULL), MT_OK);
        assert_int_equal(mt_json_read(&a, y, NULL, &after, NULL), MT_OK);
        const ln_shape *shape = an_words_shape(MT_STR("Fact"), MT_STR("default"));
        assert_int_equal(an_words_change(&out, shape, &before, &after), n == 46);
        assert_int_equal(out.len, n == 46 ? 2 * 48 + 4 : 0);
        an_words_parts(&out, "  ", shape, &before, &after);
        mt_buf_addc(&out, '\0');
        assert_int_equal(strstr(out.ptr, "  before: \"0") != NULL, n == 47);
        mt_buf_free(&out);
        mt_arena_free(&a);
    }
}

int main(void)
{
    enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };
    struct CMUnitTest tests[ROW_COUNT + EDIT_COUNT + 2];
    size_t n = 0;
    tests[n++] =
        (struct CMUnitTest)cmocka_unit_test(FU7_every_node_of_the_language_has_words);
    tests[n++] =
        (struct CMUnitTest)cmocka_unit_test(FU7_a_line_has_48_bytes_for_a_value);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        union {
            const row *row;
            void *state;
        } u = {.row = &ROWS[i]};
        tests[n++] = (struct CMUnitTest){ROWS[i].name, FU7_words, NULL, NULL, u.state};
    }
    for (size_t i = 0; i < EDIT_COUNT; i++) {
        union {
            const struct edit *edit;
            void *state;
        } u = {.edit = &EDITS[i]};
        tests[n++] = (struct CMUnitTest){
            EDITS[i].name, FU7_a_change_reads_like_the_language, NULL, NULL, u.state};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
