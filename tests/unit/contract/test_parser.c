/* The first fault of a text, with its line, and what recovery finds behind it. */
#include "../rows.h"
#include "elaborate_fixture.h"

#include "contract/wire/validate.h"

typedef struct row {
    const char *name, *text;
    unsigned line;
    const char *message;
} row;

#define RULE(when) "rule r { stratum: 0 when: " when " produce: v(true) }"

/* clang-format off */
static const row ROWS[] = {
    {"wants a construct", "{", 1, "expected construct keyword, got LBrace"},
    {"wants a name", "fact {", 1, "expected identifier, got LBrace"},
    {"wants a body", "fact x\n", 2, "expected '{', got Eof"},
    {"names an unknown field at its value", "fact x {\n colour:\n red }", 3,
     "unknown Fact field 'colour'"},
    {"takes no colon for given behind an unknown field", "fact x {\n colour red }", 2,
     "expected ':', got Word(\"red\")"},
    {"wants the source of a fact", "fact x { type: Bool }", 1, "Fact missing 'source'"},
    {"wants the protocol of a source", "source s { }", 1, "Source missing 'protocol'"},
    {"wants the stratum of a rule", "rule r { when: x = 1 }", 1, "Rule missing 'stratum'"},
    {"wants the condition of a rule", "rule r { stratum: 0 }", 1, "Rule missing 'when'"},
    {"wants the precondition of an operation", "operation o { allowed_personas: [p] }", 1,
     "Operation missing 'precondition'"},
    {"refuses a comma between fields", "fact x { type: Bool, source: \"a\" }", 1,
     "expected identifier, got Comma"},
    {"wants a term", RULE("= 1"), 1, "expected term, got Eq"},
    {"wants a comparison behind a number", RULE("5"), 1,
     "expected comparison operator, got Word(\"produce\")"},
    {"wants the sign of membership", RULE("∀ x xs . x = 1"), 1,
     "expected ∈ after quantifier variable"},
    {"wants the dot behind a domain", RULE("∀ x ∈ xs x = 1"), 1,
     "expected '.' after quantifier domain"},
    {"wants payload in a verdict", "rule r { stratum: 0 when: x = 1 produce: verdict v { } }", 1,
     "expected 'payload', got RBrace"},
    {"wants a verdict", "rule r { stratum: 0 when: x = 1 produce: 5 }", 1, "expected 'verdict', got Int(5)"},
    {"wants the name of a verdict", "rule r { stratum: 0 when: x = 1 produce: verdict { payload: Bool = true } }", 1, "expected identifier, got LBrace"},
    {"wants the type of a payload", "rule r { stratum: 0 when: x = 1 produce: verdict v { payload: = true } }", 1, "expected identifier, got Eq"},
    {"wants the value of a payload", "rule r { stratum: 0 when: x = 1 produce: verdict v { payload: Bool = } }", 1, "expected term, got RBrace"},
    {"wants a brace behind a verdict", "rule r { stratum: 0 when: x = 1 produce: verdict v = true }", 1,
     "expected '{', got Eq"},
    {"wants a colon behind payload",
     "rule r { stratum: 0 when: x = 1 produce: verdict v { payload Bool = true } }", 1,
     "expected ':', got Word(\"Bool\")"},
    {"wants a value behind a payload's type",
     "rule r { stratum: 0 when: x = 1 produce: verdict v { payload: Bool } }", 1,
     "expected '=', got RBrace"},
    {"names an unknown step kind", "flow f { steps: { s: JumpStep {\n} } }", 2,
     "unknown step kind 'JumpStep'"},
    {"wants no second thing where the file ends in a step", "flow f { steps: { s: HandoffStep { next:", 1,
     "expected identifier, got Eof"},
    {"names an unknown handler", "flow f { steps: { s: OperationStep { on_failure: Retry\n(x) } } }", 2,
     "unknown failure handler kind 'Retry'"},
    {"wants the parts of a branch step", "flow f { steps: { s: BranchStep { persona: p\n} } }", 2,
     "BranchStep missing condition"},
    {"wants the parts of a sub-flow step", "flow f { steps: { s: SubFlowStep { flow: g } } }", 1,
     "SubFlowStep missing on_success"},
    {"wants the join of a parallel step", "flow f { steps: { s: ParallelStep { branches: [] } } }", 1,
     "ParallelStep missing join"},
    {"wants the elements' type of a list", "fact x { type: List(max: 3) source: \"a\" }", 1,
     "List missing element_type"},
    {"names an unknown parameter", "fact x { type: Duration(size: 3) source: \"a\" }", 1,
     "unknown Duration param 'size'"},
    {"names an unknown money key", "fact x { type: Bool source: \"a\" default: Money { sum: 3 } }", 1,
     "unknown Money key 'sum'"},
    {"wants a literal as default", "fact x { type: Bool source: \"a\" default: y }", 1,
     "expected literal value, got Word(\"y\")"},
    {"wants a field behind a comparison", RULE("1 <= 2\n <= 3"), 2, "expected identifier, got Lte"},
    {"wants the colon of a word behind a condition", RULE("1 = 1 AND\n 2 = 2"), 2, "expected ':', got Int(2)"},
    {"wants the end of parentheses before a word", RULE("(1 = 1 AND\n 2 = 2)"), 1,
     "expected ')', got Word(\"AND\")"},
    {"wants the dot in a trigger", "system s { triggers: [{ source: a on: success }] }", 1,
     "expected '.' after source contract in trigger"},
};

/* What comes behind these is not understood, either. */
static const row FOLLOWED[] = {
    {"names a word that is no construct", "\nfacts x {}", 2, "unexpected token 'facts'"},
    {"wants the type of a fact, behind its body", "fact x { source: \"a\" }\n\nfact y", 3,
     "Fact missing 'type'"},
    {"refuses two commas in a list", "entity E { states: [a,,b] }", 1,
     "expected identifier, got Comma"},
    {"refuses a comma at the end of an effect",
     "operation o { effects: [(E, a, b,)] precondition: x = 1 }", 1, "expected ')', got Comma"},
    {"wants a separator in a transition", "entity E { transitions: [(a b)] }", 1,
     "expected ',' or '->'/'->''', got Word(\"b\")"},
    {"refuses two systems", "system s { members: [] }\nsystem t { members: [] }", 2,
     "multiple System declarations in a single file"},
    {"refuses constructs beside a system", "system s { members: [] }\n\npersona p", 3,
     "System files may not contain contract constructs"},
};
/* clang-format on */

static elaborated reported(const row *r)
{
    elaborated got = elaborate_text(r->text, false);
    const mt_diag *d = suite_error(&got);
    assert_int_equal(got.err, MT_E_REJECTED);
    assert_int_equal(got.e->bundle.len, 0);
    char *message = strndup(d->message.ptr, d->message.len);
    assert_string_equal(message, r->message);
    free(message);
    assert_int_equal(d->line, r->line);
    assert_int_equal(d->pass, 0);
    return got;
}

static void reports_it_alone(void **state)
{
    elaborated got = reported(*state);
    assert_int_equal(got.ds.errors, 1);
    done(&got);
}

static void reports_it_first(void **state)
{
    elaborated got = reported(*state);
    assert_true(got.ds.errors > 1);
    done(&got);
}

static void one_run_reports_many_independent_faults(void **state)
{
    (void)state;
    elaborated got = elaborate_text("fact a { type: Bool source: 5 }\n"
                                    "fact b { typ: Bool source: \"x\" }\n"
                                    "entity E { states: [x, 7] initial: x }\n"
                                    "fact c { type: Nope source: \"x\" }\n"
                                    "rule r { stratum: 0 when: a = true and c < 3 "
                                    "produce: v(true) }\n"
                                    "@\n",
                                    false);
    assert_int_equal(got.ds.errors, 5);
    assert_string_equal(first_code(&got), "T001");
    assert_true(has_code(&got, "T012"));
    assert_true(has_code(&got, "T013"));
    assert_true(has_code(&got, "T401"));
    /* Nothing is said about names of constructs that did not parse. */
    assert_false(has_code(&got, "T403"));
    done(&got);
}

static void every_fault_has_a_place_and_advice(void **state)
{
    (void)state;
    elaborated got = elaborate_text(
        "fact x {\n  type: Bool\n  source: wörld { path: \"a\" }\n}", false);
    const mt_diag *d = ct_first_error(&got.ds);
    assert_non_null(d);
    assert_string_equal(d->code, "T573");
    assert_int_equal(d->line, 3);
    assert_int_equal(d->column, 11);
    assert_int_equal(d->length, 5);
    assert_int_equal(d->end_line, 3);
    assert_int_equal(d->end_column, 16);
    assert_int_equal(d->suite->line, 1); /* the construct's, as the suite has it */
    assert_true(mt_str_is(d->construct_kind, "Fact"));
    assert_true(mt_str_is(d->construct_id, "x"));
    assert_true(mt_str_is(d->field, "source"));
    assert_true(d->hint.len > 0);
    done(&got);
}

static void every_code_is_explained_once(void **state)
{
    (void)state;
    for (size_t i = 0; ct_code_at(i); i++) {
        const ct_code_info *c = ct_code_at(i);
        assert_true(c->title[0] && c->explanation[0] && c->rule[0] && c->hint[0]);
        assert_ptr_equal(ct_code_find(mt_str_z(c->code)), c);
    }
    assert_null(ct_code_find(MT_STR("T9")));
    assert_non_null(ct_code_find(MT_STR("t001")));
}

/* As a target or as a step with a name, an end has one of three outcomes. */
static void an_end_with_a_name_has_an_outcome_that_there_is(void **state)
{
    (void)state;
    static const char *const OUTCOMES[] = {"success", "banana"};
    for (size_t i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "persona p operation o { allowed_personas: [p] precondition: true "
                 "effects: [] } flow f { snapshot: at_initiation entry: s steps: { s: "
                 "OperationStep { op: o persona: p outcomes: { success: e } "
                 "on_failure: Terminate(outcome: failure) } e: Terminal { outcome: %s "
                 "} } }",
                 OUTCOMES[i]);
        elaborated got = elaborate_text(text, false);
        assert_int_equal(has_code(&got, "T561"), i);
        done(&got);
    }
}

/* As deep as a bundle may be, and one deeper: what is written can be read again. */
static void a_chain_is_as_deep_as_bundles_may_be(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        mt_buf text = {0};
        mt_buf_addz(&text, "fact b { type: Bool source: \"s\" }\n"
                           "rule r { stratum: 0 produce: v(true) when: b");
        for (size_t i = 1; i < 1991 + more; i++) {
            mt_buf_addz(&text, " and b");
        }
        mt_buf_addz(&text, " }");
        mt_buf_addc(&text, '\0');
        elaborated got = elaborate_text(text.ptr, false);
        assert_int_equal(got.ds.errors, more);
        if (more) {
            mt_str said = ct_first_error(&got.ds)->message;
            assert_true(mt_str_ends(said, MT_STR("(limit bundle_depth)")));
        }
        done(&got);
        mt_buf_free(&text);
    }
}

/* Whoever sets a level for one is told why that does nothing. */
static void every_code_of_a_bundle_is_an_error(void **state)
{
    (void)state;
    mt_arena a = {0};
    size_t count = 0;
    for (; ct_bundle_code_at(count); count++) {
        mt_str code = mt_str_z(ct_bundle_code_at(count)->code), hint;
        mt_str want =
            mt_strf(&a, "%.*s is an error, whatever is said about it", MT_ARG(code));
        mt_str fault = ct_lint_fault(&a, code, &hint);
        assert_int_equal(fault.len, want.len);
        assert_memory_equal(fault.ptr, want.ptr, want.len);
        assert_true(mt_str_is(hint, "only warnings and notes have a level"));
    }
    assert_true(count > 0);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, reports_it_alone);
    rows_add(&list, FOLLOWED, reports_it_first);
    rows_test(&list, one_run_reports_many_independent_faults);
    rows_test(&list, every_fault_has_a_place_and_advice);
    rows_test(&list, every_code_is_explained_once);
    rows_test(&list, an_end_with_a_name_has_an_outcome_that_there_is);
    rows_test(&list, a_chain_is_as_deep_as_bundles_may_be);
    rows_test(&list, every_code_of_a_bundle_is_an_error);
    return rows_run(&list, "contract/parser");
}
