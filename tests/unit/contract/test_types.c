/* Types of values and conditions: the code of the first error, or "none". */
#include "elaborate_fixture.h"

typedef struct row {
    const char *name, *when, *code;
} row;

#define FACTS                                                                          \
    "persona p type Item { name: Text(20) price: Money(\"EUR\") ok: Bool n: Int(0, "   \
    "9) "                                                                              \
    "kind: Enum([\"a\", \"b\"]) } "                                                    \
    "fact flag { type: Bool source: \"s\" } fact n { type: Int(0, 10) source: \"s\" "  \
    "} "                                                                               \
    "fact m { type: Int(-5, 5) source: \"s\" } fact big { type: Int source: \"s\" } "  \
    "fact d { type: Decimal(10, 2) source: \"s\" } fact t { type: Text(9) source: "    \
    "\"s\" } fact e { type: Enum([\"a\", \"b\"]) source: \"s\" } "                     \
    "fact eur { type: Money(\"EUR\") source: \"s\" } fact usd { type: Money(\"USD\") " \
    "source: \"s\" } fact day { type: Date source: \"s\" } "                           \
    "fact at { type: DateTime source: \"s\" } fact since { type: DateTime source: "    \
    "\"s\" } fact wait { type: Duration(unit: \"days\", min: 0, max: 9) source: "      \
    "\"s\" } "                                                                         \
    "fact soon { type: Duration(unit: \"hours\", min: 0, max: 9) source: \"s\" } "     \
    "fact item { type: Item source: \"s\" } "                                          \
    "fact items { type: List(element_type: Item, max: 9) source: \"s\" } "             \
    "fact fees { type: List(element_type: Money(\"EUR\"), max: 9) source: \"s\" } "    \
    "fact box { type: Record({ list: List(element_type: Int(0, 9), max: 3) }) "        \
    "source: "                                                                         \
    "\"s\" } fact u { type: TaggedUnion { Cash: Int(0, 9) Card: Record({ last: "       \
    "Text(4) "                                                                         \
    "}) } source: \"s\" } "                                                            \
    "rule base { stratum: 0 when: flag = true produce: verdict seen { payload: "       \
    "Int(0, "                                                                          \
    "9) = 3 } } entity E { states: [a] initial: a transitions: [] } "

/* clang-format off */
static const row ROWS[] = {
    {"a Bool fact is a condition", "flag", "none"},
    {"true is a condition", "true", "none"},
    {"double negation", "not not flag", "none"},
    {"an Int fact is no condition", "n", "T437"},
    {"Int with Decimal", "n <= d", "none"},
    {"Int with a decimal literal", "n < 2.5", "none"},
    {"Int with Text", "n = t", "T430"},
    {"Int with a string", "n = \"3\"", "T430"},
    {"order of Bool", "flag < true", "T404"},
    {"order of Text", "t < \"a\"", "T405"},
    {"order of Enum", "e >= \"a\"", "T406"},
    {"order of records", "item < item", "T431"},
    {"equal records", "item = item", "none"},
    {"Enum with a declared value", "e = \"b\"", "none"},
    {"FE14_Enum with another value", "e = \"c\"", "none"},
    {"FE14_Enum on the right", "\"c\" = e", "none"},
    {"membership", "e in [\"a\", \"b\"]", "none"},
    {"FE14_membership of a stranger", "e ∈ [\"a\", \"z\"]", "none"},
    {"Money of one currency", "eur > Money { amount: \"1.50\", currency: \"EUR\" }", "none"},
    {"Money of two currencies", "eur < usd", "T407"},
    {"Money literal of another currency", "eur < Money { amount: \"1\", currency: \"USD\" }", "T407"},
    {"sum of two currencies", "eur + usd > eur", "T435"},
    {"sum of one currency", "eur + eur > eur - eur", "none"},
    {"the amount of Money is a Decimal", "eur.amount > d", "none"},
    {"product of Money", "eur * 2 > eur", "T435"},
    {"product of two facts", "n * m > 3", "T402"},
    {"product of facts in a sum", "(n + 1) * m > 3", "T402"},
    {"product by a literal", "(n + m) * 2 <= 40", "none"},
    {"chained product", "n * 2 * 3 > 1", "none"},
    {"product beyond 64 bits", "big * 2 > 1", "T436"},
    {"sum beyond 64 bits", "big + big > 1", "T436"},
    {"sum of Int and Text", "n + t > 1", "T435"},
    {"Date with a date", "day < \"2024-02-29\"", "none"},
    {"Date with no date", "day < \"2023-02-29\"", "T432"},
    {"DateTime with an offset", "at < \"2024-01-01T00:00:00+02:00\"", "none"},
    {"DateTime without one", "at < \"2024-01-01T00:00:00\"", "T432"},
    {"Date with DateTime", "day = at", "T430"},
    {"DateTime and Duration", "at + wait > since", "none"},
    {"difference of DateTimes", "at - since > Duration { value: 3, unit: \"days\" }", "none"},
    {"FL18_a DateTime less a Duration", "at - wait > since", "T435"},
    {"FL19_a date on the left", "\"2024-02-29\" <= day", "none"},
    {"FL19_a time on the left", "\"2024-01-01T00:00:00Z\" > at", "none"},
    {"FL19_a date on the left of a DateTime", "\"2024-01-01\" <= at", "T432"},
    {"FL19_a text on the left of a Text", "\"a\" <= t", "T405"},
    {"sum of DateTimes", "at + since > at", "T435"},
    {"Durations of two units", "wait + soon > soon", "none"},
    {"Duration of months", "wait > Duration { value: 1, unit: \"months\" }", "T432"},
    {"Duration with Int", "wait > 3", "T430"},
    {"field of a record", "item.n * 2 > 3", "none"},
    {"field of nothing", "item.colour = 1", "T433"},
    {"field of an Int", "n.x = 1", "T433"},
    {"tag of a union", "u.tag = \"Cash\"", "none"},
    {"tag that is none", "u.tag = \"Gold\"", "T432"},
    {"variant of a union", "u.tag = \"Card\" and u.Card.last = \"1234\"", "none"},
    {"variant that is none", "u.Gold = 1", "T442"},
    {"element of a list", "items[0].ok", "none"},
    {"element at a negative index", "items[-1].ok", "T434"},
    {"element of an Int", "n[0] = 1", "T434"},
    {"length of a list", "len(items) > 0", "none"},
    {"length of a text", "len(t) > 0", "T434"},
    {"quantifier", "∀ i ∈ items . i.ok = true", "none"},
    {"quantifier in words", "exists i in items . i.n > 3 or i.ok", "none"},
    {"quantifier without white space", "∃ i ∈ items.i.ok", "none"},
    {"quantifier over a field", "∀ x ∈ box.list . x < 5", "none"},
    {"quantifier with a type", "∀ i : Item ∈ items . i.ok", "none"},
    {"quantifier with another type", "∀ i : Int(0, 1) ∈ items . i.ok", "T441"},
    {"quantifier over Money of the written currency", "∀ i : Money(\"EUR\") ∈ fees . i > eur", "none"},
    {"quantifier over Money of another currency", "∀ i : Money(\"USD\") ∈ fees . i > eur", "T441"},
    {"quantifier over an Int", "∀ i ∈ n . i = 1", "T408"},
    {"quantifier over nothing", "∀ i ∈ none . i = 1", "T403"},
    {"bound variables hide facts", "∀ n ∈ items . n.ok", "none"},
    {"unknown name", "nobody = 1", "T403"},
    {"unknown name in a sum", "n + nobody = 1", "T403"},
    {"state of an entity", "E.state = \"a\"", "T439"},
    {"payload of a verdict", "seen > 2", "none"},
    {"presence of a verdict", "seen present", "none"},
    {"presence of a fact", "n present", "none"},
    {"presence of nothing", "nobody present", "T511"},
    {"a condition is no value", "(n = 1) = true", "T438"},
    {"an arrow is no comparison", "n -> 3", "T445"},
};

static const row FACT_ROWS[] = {
    {"an Int default in range", "type: Int(0, 5) default: 5", "none"},
    {"an Int default out of range", "type: Int(0, 5) default: 6", "T420"},
    {"a Text default that is too long", "type: Text(2) default: \"abc\"", "T420"},
    {"a Text default counted in characters", "type: Text(2) default: \"éé\"", "none"},
    {"an Enum default", "type: Enum([\"a\"]) default: \"b\"", "T420"},
    {"a Bool default that is an Int", "type: Bool default: 1", "T420"},
    {"a Decimal default", "type: Decimal(5, 2) default: 123.456", "none"},
    {"a Decimal default with too many digits", "type: Decimal(5, 2) default: 1234.5", "T420"},
    {"a Decimal default that is no number", "type: Decimal(5, 2) default: \"abc\"", "T420"},
    {"a Date default", "type: Date default: \"2024-13-01\"", "T420"},
    {"a Money default of another currency",
     "type: Money(\"EUR\") default: Money { amount: \"1\", currency: \"USD\" }", "T420"},
    {"a Money default in the longer form",
     "type: Money(\"EUR\") default: Money { amount: Decimal(10.00), currency: \"EUR\" }", "none"},
    {"a Duration default", "type: Duration(unit: \"hours\", min: 0, max: 48) default: "
     "Duration { value: 2, unit: \"days\" }", "none"},
    {"a Duration default out of range", "type: Duration(unit: \"hours\", min: 0, max: 47) "
     "default: Duration { value: 2, unit: \"days\" }", "T420"},
    {"a Record default", "type: Record({ a: Int(0, 9) b: Bool }) default: { b: true, a: 1 }", "none"},
    {"a Record default without a field", "type: Record({ a: Int(0, 9) b: Bool }) default: { a: 1 }", "T420"},
    {"a List default", "type: List(element_type: Int(0, 9), max: 2) default: [1, 2]", "none"},
    {"a List default that is too long", "type: List(element_type: Int(0, 9), max: 2) default: [1, 2, 3]", "T420"},
    {"a union default", "type: TaggedUnion { A: Int(0, 9) } default: A(3)", "none"},
    {"a union default without variant", "type: TaggedUnion { A: Int(0, 9) } default: B(3)", "T420"},
    {"FL6_a Text without a length", "type: Text", "T418"},
    {"FL6_a Text that is empty", "type: Text(0)", "none"},
    {"FL6_a Text without a length inside", "type: List(element_type: Record({ a: Text }), max: 2)", "T418"},
    {"FL6_a Duration without bounds", "type: Duration(unit: \"days\")", "T418"},
    {"FL6_a Duration without its largest", "type: Duration(unit: \"days\", min: 0)", "T418"},
    {"FL6_a Duration from nothing", "type: Duration(unit: \"days\", max: 9)", "none"},
    {"FL6_an Int without bounds", "type: Int", "none"},
    {"an Int without values", "type: Int(5, 4)", "T410"},
    {"a Decimal without values", "type: Decimal(2, 3)", "T410"},
    {"a Duration of weeks", "type: Duration(unit: \"weeks\", min: 0, max: 1)", "T412"},
    {"an Enum without values", "type: Enum([])", "T413"},
    {"an Enum with a value twice", "type: Enum([\"a\", \"a\"])", "T413"},
    {"a list of lists", "type: List(element_type: List(element_type: Bool, max: 1), max: 1)", "T414"},
    {"a list without bound", "type: List(element_type: Bool)", "T416"},
    {"a field declared twice", "type: Record({ a: Bool a: Bool })", "T415"},
    {"a bad currency", "type: Money(\"euro\")", "T417"},
    {"an unknown type", "type: bool", "T401"},
};
/* clang-format on */

static void checks(const row *r, const char *text, bool expect_none)
{
    elaborated got = elaborate_text(text, false);
    const char *code = first_code(&got);
    if (strcmp(code, r->code) != 0) {
        const mt_diag *d = ct_first_error(&got.ds);
        print_error("%s: %s: %.*s\n", r->when, code, d ? (int)d->message.len : 0,
                    d ? d->message.ptr : "");
    }
    assert_string_equal(code, r->code);
    assert_int_equal(got.err == MT_OK, expect_none);
    done(&got);
}

/* Once in a rule, once in a precondition, once in a branch. */
static void condition(void **state)
{
    const row *r = *state;
    char text[8192];
    bool none = strcmp(r->code, "none") == 0;
    snprintf(text, sizeof text, "%s rule r { stratum: 1 when: %s produce: v(true) }",
             FACTS, r->when);
    checks(r, text, none);
    row same = *r;
    same.code = strcmp(r->code, "T511") == 0 ? "T444" : r->code;
    snprintf(text, sizeof text,
             "%s operation o { allowed_personas: [p] precondition: %s effects: [] }",
             FACTS, r->when);
    checks(&same, text, none);
    snprintf(text, sizeof text,
             "%s flow f { snapshot: at_initiation entry: s steps: { s: BranchStep { "
             "condition: %s persona: p if_true: Terminal(success) if_false: "
             "Terminal(failure) } } }",
             FACTS, r->when);
    checks(&same, text, none);
}

static void fact(void **state)
{
    const row *r = *state;
    char text[1024];
    snprintf(text, sizeof text, "fact x { source: \"a.b\" %s }", r->when);
    checks(r, text, strcmp(r->code, "none") == 0);
}

/* Types of a field of two records, which can be compared only if they are the same. */
static void types_are_the_same_in_all_their_parameters(void **state)
{
    /* clang-format off */
    static const struct {
        const char *type, *other;
        bool same;
    } PAIRS[] = {
        {"Int(0, 9)", "Int(min: 0, max: 9)", true},
        {"Int(0, 9)", "Int(1, 9)", false},
        {"Int(0, 9)", "Int(0, 8)", false},
        {"Int(0, 9)", "Decimal(1, 0)", false},
        {"Decimal(4, 2)", "Decimal(4, 2)", true},
        {"Decimal(4, 2)", "Decimal(5, 2)", false},
        {"Decimal(4, 2)", "Decimal(4, 1)", false},
        {"Money(\"EUR\")", "Money(\"EUR\")", true},
        {"Money(\"EUR\")", "Money(\"USD\")", false},
        {"Text(4)", "Text(4)", true},
        {"Text(4)", "Text(5)", false},
        {"Enum([\"a\", \"b\"])", "Enum([\"a\", \"b\"])", true},
        {"Enum([\"a\", \"b\"])", "Enum([\"b\", \"a\"])", false},
        {"Enum([\"a\", \"b\"])", "Enum([\"a\"])", false},
        {"Enum([\"a\", \"b\"])", "Enum([\"a\", \"c\"])", false},
        {"Date", "Date", true},
        {"Date", "DateTime", false},
        {"Duration(unit: \"days\", min: 0, max: 9)", "Duration(unit: \"days\", min: 0, max: 9)", true},
        {"Duration(unit: \"days\", min: 0, max: 9)", "Duration(unit: \"hours\", min: 0, max: 9)", false},
        {"Duration(unit: \"days\", min: 0, max: 9)", "Duration(unit: \"days\", min: 1, max: 9)", false},
        {"Duration(unit: \"days\", min: 0, max: 9)", "Duration(unit: \"days\", min: 0, max: 8)", false},
        {"List(element_type: Bool, max: 3)", "List(element_type: Bool, max: 3)", true},
        {"List(element_type: Bool, max: 3)", "List(element_type: Bool, max: 4)", false},
        {"List(element_type: Bool, max: 3)", "List(element_type: Date, max: 3)", false},
        {"Record({ a: Bool b: Date })", "Record({ b: Date a: Bool })", true},
        {"Record({ a: Bool b: Date })", "Record({ a: Bool b: Bool })", false},
        {"Record({ a: Bool b: Date })", "Record({ a: Bool c: Date })", false},
        {"Record({ a: Bool b: Date })", "Record({ a: Bool })", false},
        {"TaggedUnion { A: Bool }", "TaggedUnion { A: Bool }", true},
        {"TaggedUnion { A: Bool }", "TaggedUnion { A: Date }", false},
        {"TaggedUnion { A: Bool }", "Record({ A: Bool })", false},
    };
    /* clang-format on */
    (void)state;
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        for (int turned = 0; turned < 2; turned++) {
            char text[1024];
            snprintf(text, sizeof text,
                     "fact f { type: Record({ x: %s }) source: \"s\" } "
                     "fact g { type: Record({ x: %s }) source: \"s\" } "
                     "rule r { stratum: 0 when: %s produce: v(true) }",
                     PAIRS[i].type, PAIRS[i].other, turned ? "g = f" : "f = g");
            row r = {"", text, PAIRS[i].same ? "none" : "T430"};
            checks(&r, text, PAIRS[i].same);
        }
    }
}

int main(void)
{
    enum {
        CONDITIONS = sizeof ROWS / sizeof *ROWS,
        DEFAULTS = sizeof FACT_ROWS / sizeof *FACT_ROWS
    };
    struct CMUnitTest tests[CONDITIONS + DEFAULTS + 1];
    for (size_t i = 0; i < CONDITIONS; i++) {
        tests[i] = (struct CMUnitTest){ROWS[i].name, condition, NULL, NULL,
                                       (void *)(uintptr_t)&ROWS[i]};
    }
    for (size_t i = 0; i < DEFAULTS; i++) {
        tests[CONDITIONS + i] = (struct CMUnitTest){FACT_ROWS[i].name, fact, NULL, NULL,
                                                    (void *)(uintptr_t)&FACT_ROWS[i]};
    }
    tests[CONDITIONS + DEFAULTS] =
        (struct CMUnitTest)cmocka_unit_test(types_are_the_same_in_all_their_parameters);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
