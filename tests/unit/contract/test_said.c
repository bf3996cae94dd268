/* All that is said of a text, in the order it is said: contracts that are wide, deep or
 * odd, for what the checks of tests/language are too small. */
#include "../rows.h"
#include "elaborate_fixture.h"

static mt_arena arena;

static mt_str told(const elaborated *r)
{
    mt_buf out = {0};
    for (size_t i = 0; i < r->ds.len; i++) {
        const mt_diag *d = &r->ds.items[i];
        if (d->severity != MT_WARNING || !r->ds.errors) {
            mt_buf_addf(&out, "%s %u:%u+%u %.*s %.*s.%.*s: %.*s\n", d->code, d->line,
                        d->column, d->length, MT_ARG(d->construct_kind),
                        MT_ARG(d->construct_id), MT_ARG(d->field), MT_ARG(d->message));
        }
    }
    mt_str text = mt_str_dup(&arena, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

#define RULE(when) "rule r { stratum: 0 when: " when " produce: v(true) }\n"
#define ENTITY                                                                         \
    "persona p\nentity E { states: [a, b] initial: a transitions: [(a, b)] }\n"
#define OP(name)                                                                       \
    "operation " name " { allowed_personas: [p] precondition: true effects: [(E, a, "  \
    "b)] outcomes: [ok] error_contract: [precondition_failed] }\n"
#define CALL(id, flow, next)                                                           \
    id ": SubFlowStep { flow: " flow " persona: p on_success: " next                   \
       " on_failure: Terminate(outcome: failure) }"

/* clang-format off */
static const struct said_row {
    const char *name, *text, *told;
} SAID[] = {
    {"a duration wants its unit",
     "fact x { type: Duration(unit: \"hours\", min: 0, max: 9) source: \"s\" default: Duration { value: 3 } }",
     "T014 1:77+21 Fact x.default.unit: Duration has no 'unit'\n"},
    {"a duration wants its value",
     "fact x { type: Duration(unit: \"hours\", min: 0, max: 9) source: \"s\" default: Duration { unit: \"hours\" } }",
     "T014 1:77+26 Fact x.default.value: Duration has no 'value'\n"},
    {"an outcome in two brackets is one",
     ENTITY OP("o") "flow f { snapshot: at_initiation entry: s steps: { s: OperationStep { op: o persona: p "
     "outcomes: { ok: Terminal(success) } on_failure: Terminate(outcome: Terminal(failure)) } } }",
     "T532 3:92+14 Operation o.error_contract: operation 'o' can fail with 'persona_rejected', which is not in its error contract\n"},
    {"flows that call each other in a circle, behind one that is outside",
     ENTITY "flow a { snapshot: at_initiation entry: s steps: { " CALL("s", "b", "Terminal(success)") " } }\n"
     "flow b { snapshot: at_initiation entry: s steps: { " CALL("s", "c", "Terminal(success)") " } }\n"
     "flow c { snapshot: at_initiation entry: s steps: { " CALL("s", "b", "Terminal(success)") " } }",
     "T548 5:75+1 Flow c.steps.s.flow: flow reference cycle detected: b → c → b\n"},
    {"records with other fields are other types",
     "fact a { type: Record { x: Bool y: Bool } source: \"s\" }\nfact b { type: Record { x: Bool } source: \"s\" }\n"
     "fact c { type: Record { x: Bool z: Bool } source: \"s\" }\n"
     "fact d { type: Record { y: Bool x: Bool } source: \"s\" }\n"
     RULE("a = b") "rule s { stratum: 0 when: a = c produce: w(true) }\n"
     "rule t { stratum: 0 when: a = d produce: x(true) }\n",
     "T430 5:27+5 Rule r.body.when: cannot compare Record(x: Bool, y: Bool) with Record(x: Bool)\n"
     "T430 6:27+5 Rule s.body.when: cannot compare Record(x: Bool, y: Bool) with Record(x: Bool, z: Bool)\n"},
    {"a variable of an unknown type has one fault",
     "fact xs { type: List(element_type: Bool, max: 3) source: \"s\" }\n" RULE("forall x: Nothing in xs . x"),
     "T401 2:37+7 Rule r.type: unknown type reference 'Nothing'\n"},
    {"a list of an unknown type has one fault",
     "fact a { type: List(element_type: Nothing, max: 3) source: \"s\" }\n"
     "fact b { type: List(element_type: Bool, max: 3) source: \"s\" }\n" RULE("a = b"),
     "T401 1:35+7 Fact a.type: unknown type reference 'Nothing'\n"},
    {"a text beside a moment is one only if it says one",
     "fact d { type: DateTime source: \"s\" }\n" RULE("d = \"2024-01-01T00:00:00Z\"")
     "rule s { stratum: 0 when: d = \"soon\" produce: w(true) }\n"
     "rule t { stratum: 0 when: d - \"2024-01-01T00:00:00Z\" > Duration { value: 1, unit: \"hours\" } produce: x(true) }\n"
     "rule u { stratum: 0 when: d - \"soon\" > Duration { value: 1, unit: \"hours\" } produce: y(true) }\n",
     "T432 3:31+6 Rule s.body.when: 'soon' is not a date-time of the form YYYY-MM-DDThh:mm:ssZ or with an offset\n"
     "T435 5:27+10 Rule u.body.when: DateTime - Text is not defined\n"},
    {"branches want ids of their own",
     ENTITY OP("o") "flow f { snapshot: at_initiation entry: s steps: { s: ParallelStep { branches: ["
     "Branch { entry: x steps: { x: OperationStep { op: o persona: p outcomes: { ok: Terminal(success) } "
     "on_failure: Terminate(outcome: failure) } } }, "
     "Branch { id: two entry: x steps: { x: OperationStep { op: o persona: p outcomes: { ok: Terminal(success) } "
     "on_failure: Terminate(outcome: failure) } } }, "
     "Branch { id: two entry: x steps: { x: OperationStep { op: o persona: p outcomes: { ok: Terminal(success) } "
     "on_failure: Terminate(outcome: failure) } } }] "
     "join: JoinPolicy { on_all_success: Terminal(success) on_any_failure: Terminate(outcome: failure) } } } }",
     "T549 4:70+8 Flow f.steps.s.branches: parallel branches '' and 'two' both declare effects on entity 'E'; parallel branch entity effect sets must be disjoint\n"
     "T549 4:70+8 Flow f.steps.s.branches: parallel branches '' and 'two' both declare effects on entity 'E'; parallel branch entity effect sets must be disjoint\n"
     "T556 4:81+6 Flow f.steps.s.branches: a branch needs an id\n"
     "T556 4:394+3 Flow f.steps.s.branches: two branches have the same id\n"},
    {"a comment allows what it names, whatever stands around it",
     "// motet: allow\tT702,T701 *\nfact x { type: Bool source: \"s\" }\npersona p\n",
     "T701 3:9+1 Persona p.id: Persona 'p' is never used\n"},
    {"a comment that allows nothing there is",
     "/* motet: allow T999 */\nfact x { type: Bool source: \"s\" }\n",
     "T702 2:6+1 Fact x.id: Fact 'x' is never read\n"
     "T710 1:17+4  .: there is no code 'T999'\n"},
    {"a code of a bundle is an error, the first as the last",
     "// motet: allow B001, B010, b001\nfact x { type: Bool source: \"s\" }\n",
     "T702 2:6+1 Fact x.id: Fact 'x' is never read\n"
     "T710 1:17+4  .: B001 is an error, whatever is said about it\n"
     "T710 1:23+4  .: B010 is an error, whatever is said about it\n"
     "T710 1:29+4  .: b001 is an error, whatever is said about it\n"},
    {"a code of an analysis is a letter and three digits",
     "// motet: allow S101, s999, S10, S1011, X101, S1a1\nfact x { type: Bool source: \"s\" }\n",
     "T702 2:6+1 Fact x.id: Fact 'x' is never read\n"
     "T710 1:29+3  .: there is no code 'S10'\n"
     "T710 1:34+5  .: there is no code 'S1011'\n"
     "T710 1:41+4  .: there is no code 'X101'\n"},
    {"a field without its colon", "fact x { type Bool source: \"s\" }\n", "T012 1:10+4 Fact x.: a colon is missing behind 'type'\n"},
    {"the last field without its colon", "fact x { type: Bool source: \"s\" default true }\n", "T012 1:33+7 Fact x.: a colon is missing behind 'default'\n"},
    {"what is no field, without a colon", "fact x { type: Bool colour \"s\" source: \"s\" }\n", "T012 1:28+3 Fact x.: expected ':', found the text \"s\"\n"},
    {"a flow that ends in a step of its own",
     ENTITY OP("o") "flow f { snapshot: at_initiation entry: s steps: { s: OperationStep { op: o persona: p "
     "outcomes: { ok: e } on_failure: Terminate(outcome: failure) } e: Terminal { outcome: success } } }", "T532 3:92+14 Operation o.error_contract: operation 'o' can fail with 'persona_rejected', which is not in its error contract\n"},
    {"a step that ends it in no way there is",
     ENTITY OP("o") "flow f { snapshot: at_initiation entry: s steps: { s: OperationStep { op: o persona: p "
     "outcomes: { ok: e } on_failure: Terminate(outcome: failure) } e: Terminal { outcome: odd } } }",
     "T561 4:173+3 Flow f.steps.e: terminal outcome 'odd' is none of success, failure, escalation\n"
     "T532 3:92+14 Operation o.error_contract: operation 'o' can fail with 'persona_rejected', which is not in its error contract\n"},
    {"a target that ends it in no way there is",
     ENTITY OP("o") "flow f { snapshot: at_initiation entry: s steps: { s: OperationStep { op: o persona: p "
     "outcomes: { ok: Terminal(odd) } on_failure: Terminate(outcome: failure) } } }",
     "T561 4:113+3 Flow f.steps.s: terminal outcome 'odd' is none of success, failure, escalation\n"
     "T532 3:92+14 Operation o.error_contract: operation 'o' can fail with 'persona_rejected', which is not in its error contract\n"},
    {"a step that ends it without saying how",
     ENTITY OP("o") "flow f { snapshot: at_initiation entry: s steps: { s: OperationStep { op: o persona: p "
     "outcomes: { ok: e } on_failure: Terminate(outcome: failure) } e: Terminal { } } }", "T014 4:150+1 Flow f.steps.e.outcome: Terminal 'e' has no 'outcome'\n"},
    {"names that stand for nothing",
     "operation o { allowed_personas: [q] precondition: x = y effects: [(E, a, b)] error_contract: [] }\n"
     "flow f { snapshot: at_initiation entry: z steps: { s: OperationStep { op: o2 persona: r outcomes: { ok: t } "
     "on_failure: Escalate(to: u, next: v) } h: HandoffStep { from: r to: q next: z } } }\n"
     "rule r { stratum: 0 when: verdict_present(w) produce: v(k) }\n",
     "T013 2:165+4 Flow f.steps.h.from: unknown HandoffStep field 'from'\n"
     "T013 2:173+2 Flow f.steps.h.to: unknown HandoffStep field 'to'\n"
     "T523 1:68+1 Operation o.effects: effect references undeclared entity 'E'\n"
     "T511 3:43+1 Rule r.body.when: unresolved VerdictType reference: 'w' is not produced by any rule in this contract\n"
     "T403 3:57+1 Rule r.body.produce.payload: unresolved fact reference: 'k' is not declared in this contract\n"
     "T403 1:51+1 Operation o.precondition: unresolved fact reference: 'x' is not declared in this contract\n"
     "T403 1:55+1 Operation o.precondition: unresolved fact reference: 'y' is not declared in this contract\n"},
    {"a system with triggers in a circle, behind one that is outside",
     "system s { members: [a: \"a.tenor\", b: \"b.tenor\", c: \"c.tenor\"] triggers: ["
     "{ source: a.f on: success target: b.f persona: p }, { source: b.f on: success target: c.f persona: p }, "
     "{ source: c.f on: success target: b.f persona: p }] }",
     "T592 1:179+50 System s.triggers: trigger cycle detected: b.f → c.f → b.f\n"},
};
/* clang-format on */

static void is_said(void **state)
{
    const struct said_row *row = *state;
    elaborated r = elaborate_text(row->text, false);
    assert_text(told(&r), mt_str_z(row->told));
    done(&r);
}

/* Names are searched one by one in short lists and by halves in long ones. */
static void long_lists_are_searched_as_short_ones(void **state)
{
    enum { MANY = 40 };
    (void)state;
    for (unsigned count = 2; count <= MANY; count++) {
        mt_buf b = {0};
        mt_buf_addz(&b, "entity E { initial: s0 states: [s0");
        for (unsigned i = 1; i < count; i++) {
            mt_buf_addf(&b, ", s%u", i * 7 % count);
        }
        mt_buf_addz(&b, "] transitions: [(s0, s1)");
        for (unsigned i = 1; i + 1 < count; i++) {
            mt_buf_addf(&b, ", (s%u, s%u)", count - i - 1, count - i);
        }
        mt_buf_addz(&b, "] }\n");
        for (unsigned i = 0; i < count; i++) {
            mt_buf_addf(&b, "persona p%u\n", i);
        }
        for (unsigned i = 0; i + 1 < count; i++) {
            mt_buf_addf(&b,
                        "operation o%u { allowed_personas: [p%u] precondition: true "
                        "effects: [(E, s%u, s%u, x%u)] outcomes: [",
                        i, i, i, i + 1, i);
            for (unsigned k = 0; k < count; k++) {
                mt_buf_addf(&b, "%sx%u", k ? ", " : "", k);
            }
            mt_buf_addz(&b, "] error_contract: [persona_rejected] }\n");
        }
        bool prime = count % 7 != 0; /* i * 7 % count is every state once */
        mt_buf_addf(&b,
                    "operation bad { allowed_personas: [q] precondition: true "
                    "effects: [(E, s1, s0)] outcomes: [x0] "
                    "error_contract: [persona_rejected] }%c",
                    0);
        elaborated r = elaborate_text(b.ptr, false);
        if (prime) {
            assert_int_equal(r.err, MT_E_REJECTED);
            assert_int_equal(r.ds.errors, 2);
            assert_true(has_code(&r, "T522") && has_code(&r, "T527"));
        }
        done(&r);
        mt_buf_free(&b);
    }
}

static elaborated nested_types(unsigned depth)
{
    mt_buf b = {0};
    mt_buf_addz(&b, "type T0 { a: Bool }\n");
    for (unsigned i = 1; i < depth; i++) {
        mt_buf_addf(&b, "type T%u { a: T%u }\n", i, i - 1);
    }
    mt_buf_addf(&b, "fact f { type: T%u source: \"s\" }%c", depth - 1, 0);
    elaborated r = elaborate_text(b.ptr, false);
    mt_buf_free(&b);
    return r;
}

/* The first depth that is refused is refused with one sentence, and deeper ones, too.
 */
static void types_have_a_depth(void **state)
{
    unsigned edge = 0;
    (void)state;
    for (unsigned depth = 8; depth <= 2048; depth *= 2) {
        elaborated r = nested_types(depth);
        if (r.err && !edge) {
            edge = depth;
        }
        assert_int_equal(r.err != MT_OK, edge != 0);
        if (edge) {
            assert_int_equal(r.ds.errors, 1);
        }
        done(&r);
    }
    assert_int_not_equal(edge, 0);
}

/* A Bool is one level, every type around it one more. */
static void types_nest_to_half_of_the_limit_and_no_deeper(void **state)
{
    unsigned levels = (unsigned)MT_LIMITS_DEFAULT.source_depth / 2 - 1;
    (void)state;
    elaborated most = nested_types(levels - 1);
    assert_int_equal(most.err, MT_OK);
    elaborated more = nested_types(levels);
    assert_int_not_equal(more.err, MT_OK);
    done(&most);
    done(&more);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, SAID, is_said);
    rows_test(&list, long_lists_are_searched_as_short_ones);
    rows_test(&list, types_have_a_depth);
    rows_test(&list, types_nest_to_half_of_the_limit_and_no_deeper);
    int failed = rows_run(&list, "contract/said");
    mt_arena_free(&arena);
    return failed;
}
