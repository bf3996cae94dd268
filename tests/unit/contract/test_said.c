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

#define EFFECTS(effects, outcomes)                                                     \
    "persona p entity E { states: [a, b, c] initial: a transitions: [(a, b), (a, c), " \
    "(b, c), (b, a)] }\nentity F { states: [a, b, c] initial: a transitions: [(a, "    \
    "b), "                                                                             \
    "(a, c)] }\noperation o { allowed_personas: [p] precondition: true\n effects: "    \
    "[" effects "]\n outcomes: [" outcomes "] error_contract: [persona_rejected] }\n"
#define PERSONAS "persona p persona q\npersona r\n"
#define JOIN(members)                                                                  \
    ENTITY OP(                                                                         \
        "o") "flow f { snapshot: at_initiation entry: s steps: { s: ParallelStep "     \
             "{ branches: [Branch { id: one entry: x steps: { x: OperationStep { op: " \
             "o persona: p "                                                           \
             "outcomes: { ok: Terminal(success) } on_failure: Terminate(outcome: "     \
             "failure) } "                                                             \
             "y: HandoffStep { from_persona: p to_persona: p next: x } } }] join: "    \
             "JoinPolicy {\n" members " } } } }"

/* clang-format off */
/* Errors, warnings and advice, with what would mend them. */
static const struct said_row ADVISED[] = {
    {"a comment is about what it stands in, behind or before",
     "persona p // motet: allow T701\npersona q\n// motet: allow T701\npersona r\npersona s /* motet: allow T701 */ persona t\n"
     "fact x { // motet: allow T702\n type: Bool source: \"s\" }\nfact y { type: Bool\n source: \"s\" // motet: allow T702\n}\n"
     "fact z { type: Bool source: \"s\" }\n// motet: allow T702",
     "T701 2:9+1: Persona 'q' is never used (remove it, or allow it an operation)\n"
     "T701 5:43+1: Persona 't' is never used (remove it, or allow it an operation)\n"},
    {"it has its codes in lines, with stars and commas, and a reason behind them",
     "/* motet: allow T701\r\n * T702,t706\t since T704 is told */\r\npersona p\r\n/* motet: allow\n\n*T702*/ fact x { type: Bool source: \"s\" }\n"
     "source s { protocol: manual } // motet: allow T701 T7 and T704",
     "T704 7:8+1: Source 's' is never used (remove it, or let a fact come from it)\n"
     "T710 7:52+2: there is no code 'T7' (motet help codes lists all codes)\n"},
    {"of a whole file", PERSONAS "fact x { type: Bool source: \"s\" } // motet: allow-file T701 as all else\n",
     "T702 3:6+1: Fact 'x' is never read (remove it, or use it)\n"},
    {"no code at all", PERSONAS "// motet: allow\n// motet: allow-file because\n// motet:allow T7O1\n//   motet: allow t70l\n// motet: allow z123",
     "T701 1:9+1: Persona 'p' is never used (remove it, or allow it an operation)\n"
     "T701 1:19+1: Persona 'q' is never used (remove it, or allow it an operation)\n"
     "T701 2:9+1: Persona 'r' is never used (remove it, or allow it an operation)\n"
     "T710 3:16+0: there is no code '' (motet help codes lists all codes)\n"
     "T710 4:22+7: there is no code 'because' (motet help codes lists all codes)\n"
     "T710 5:16+4: there is no code 'T7O1' (did you mean T701? (motet help codes lists all))\n"
     "T710 6:19+4: there is no code 't70l' (did you mean T701? (motet help codes lists all))\n"
     "T710 7:17+4: there is no code 'z123' (motet help codes lists all codes)\n"},
    {"no such setting", "fact x { type: Bool source: \"s\" } // motet: alow T702\n// motet: deny-file T702\n// motet: 7\n// motet:\n// a motet: none\n",
     "T702 1:6+1: Fact 'x' is never read (remove it, or use it)\n"
     "T710 1:45+4: 'alow' is not a lint setting (did you mean 'allow'?)\n"
     "T710 2:11+9: 'deny-file' is not a lint setting (write // motet: allow CODE, or allow-file CODE for the whole file)\n"
     "T710 3:11+1: '7' is not a lint setting (write // motet: allow CODE, or allow-file CODE for the whole file)\n"
     "T710 4:10+0: '' is not a lint setting (write // motet: allow CODE, or allow-file CODE for the whole file)\n"},
    {"errors have no level", "// motet: allow T430 t000 B002 T701\npersona p",
     "T710 1:17+4: T430 is an error, whatever is said about it (only warnings and notes have a level)\n"
     "T710 1:22+4: there is no code 't000' (motet help codes lists all codes)\n"
     "T710 1:27+4: B002 is an error, whatever is said about it (only warnings and notes have a level)\n"},
    {"two effects of one state", EFFECTS("(E, a, b), (E, b, c), (E, a, c)", "ok"),
     "T706 2:8+1: Entity 'F' is never changed by an operation (remove it, or give an operation an effect on it)\n"
     "T534 4:34+1: effects contradict: entity 'E' leaves state 'a' both for 'b' and for 'c' with the same outcome (give the effects different outcomes, or remove one of them)\n"},
    {"two effects of one state, the later name first", EFFECTS("(E, a, c), (E, b, a), (E, a, b)", "ok"),
     "T706 2:8+1: Entity 'F' is never changed by an operation (remove it, or give an operation an effect on it)\n"
     "T534 4:34+1: effects contradict: entity 'E' leaves state 'a' both for 'c' and for 'b' with the same outcome (give the effects different outcomes, or remove one of them)\n"},
    {"the same effect twice", EFFECTS("(E, a, b), (E, a, b)", "ok"),
     "T528 4:23+9: effect (E, a, b) is declared twice (remove the repetition)\n"
     "T706 2:8+1: Entity 'F' is never changed by an operation (remove it, or give an operation an effect on it)\n"},
    {"effects of two states, of two entities", EFFECTS("(E, a, b), (E, b, c), (F, a, c)", "ok"),
     ""},
    {"effects of two outcomes", EFFECTS("(E, a, b, x), (E, a, c, y)", "x, y"),
     "T706 2:8+1: Entity 'F' is never changed by an operation (remove it, or give an operation an effect on it)\n"},
    {"two effects of one of two outcomes, and none of the third", EFFECTS("(E, a, b, x), (F, a, b, y), (E, a, c, x)", "x, y, z"),
     "T531 5:19+1: outcome 'z' has no effect (give the outcome an effect, or remove it)\n"
     "T534 4:40+1: effects contradict: entity 'E' leaves state 'a' both for 'b' and for 'c' with the same outcome (give the effects different outcomes, or remove one of them)\n"},
    {"two effects of two entities, only the second contradicts", EFFECTS("(E, a, b), (F, a, c), (F, a, b)", "ok"),
     "T534 4:34+1: effects contradict: entity 'F' leaves state 'a' both for 'c' and for 'b' with the same outcome (give the effects different outcomes, or remove one of them)\n"},
    {"what operations can fail with, and verdicts that nobody reads",
     "persona p entity E { states: [a, b] initial: a transitions: [(a, b)] }\n"
     "operation bad { allowed_personas: [nobody] precondition: true effects: [(E, a, b)] outcomes: [ok] }\n"
     "operation o { allowed_personas: [p] precondition: not true effects: [(E, a, b)] outcomes: [ok] }\n"
     "operation n { allowed_personas: [p] precondition: false effects: [(E, a, b)] outcomes: [ok] error_contract: [precondition_failed] }\n"
     "rule r { stratum: 0 when: nothing produce: v(true) } rule s { stratum: 0 when: true produce: w(true) }\n",
     "T522 2:36+6: undeclared persona 'nobody' in allowed_personas (declare it with: persona NAME)\n"
     "T403 5:27+7: unresolved fact reference: 'nothing' is not declared in this contract (declare the fact, or check the spelling)\n"
     "T703 5:44+1: verdict 'v' is never read (remove the rule, or use its verdict; one meant for readers outside gets the comment // motet: allow T703)\n"
     "T703 5:94+1: verdict 'w' is never read (remove the rule, or use its verdict; one meant for readers outside gets the comment // motet: allow T703)\n"
     "T532 2:11+3: operation 'bad' can fail with 'persona_rejected', which is not in its error contract (add the error to error_contract)\n"
     "T532 3:11+1: operation 'o' can fail with 'precondition_failed', which is not in its error contract (add the error to error_contract)\n"
     "T532 3:11+1: operation 'o' can fail with 'persona_rejected', which is not in its error contract (add the error to error_contract)\n"
     "T532 4:93+14: operation 'n' can fail with 'persona_rejected', which is not in its error contract (add the error to error_contract)\n"},
    {"a step that nothing leads to, and a join that is never taken",
     JOIN("on_all_success: Terminal(success) on_any_failure: Terminate(outcome: failure)\n on_all_complete: Terminal(success)"),
     "T532 3:92+14: operation 'o' can fail with 'persona_rejected', which is not in its error contract (add the error to error_contract)\n"
     "T568 6:19+8: on_all_complete of step 's' is never taken: on_any_failure decides first (remove on_all_complete)\n"
     "T562 4:230+1: step 'y' is never reached (remove the step, or lead to it)\n"},
};
/* clang-format on */

static void is_advised(void **state)
{
    const struct said_row *row = *state;
    elaborated r = elaborate_text(row->text, false);
    mt_buf out = {0};
    for (size_t i = 0; i < r.ds.len; i++) {
        const mt_diag *d = &r.ds.items[i];
        mt_buf_addf(&out, "%s %u:%u+%u: %.*s (%.*s)\n", d->code, d->line, d->column,
                    d->length, MT_ARG(d->message), MT_ARG(d->hint));
    }
    assert_text(mt_buf_str(&out), mt_str_z(row->told));
    mt_buf_free(&out);
    done(&r);
}

#define RECORD "Record { a: Bool, b: Int(min: 0, max: 5) }"
#define UNION                                                                          \
    "TaggedUnion { Card: Text(max_length: 3), Paid: Record { n: Int(min: 0, max: 5) "  \
    "} }"
#define LIST   "List(element_type: Int(min: 0, max: 5), max: 2)"
#define HOURS  "Duration(unit: \"hours\", min: 1, max: 48)"
#define NO_FIT "T420 the default does not fit its type: "

/* clang-format off */
/* A type and a default, and the only thing that is said; empty: nothing is. */
static const struct default_row {
    const char *name, *type, *value, *told;
} DEFAULTS[] = {
    {"Int(min: 5, max: 4)", "Int(min: 5, max: 4)", "", "T410 Int has no values: min 5 is greater than max 4"},
    {"Int(min: 5, max: 5) 5", "Int(min: 5, max: 5)", "5", ""},
    {"Int(min: -3, max: 5) -3", "Int(min: -3, max: 5)", "-3", ""},
    {"Int(min: -3, max: 5) -4", "Int(min: -3, max: 5)", "-4", NO_FIT "-4 is outside of -3 .. 5"},
    {"Int(min: -3, max: 5) 6", "Int(min: -3, max: 5)", "6", NO_FIT "6 is outside of -3 .. 5"},
    {"Int(min: -3, max: 5) \"5\"", "Int(min: -3, max: 5)", "\"5\"", NO_FIT "Int(min: -3, max: 5) is needed, this is a string"},
    {"Int(min: -3, max: 5) true", "Int(min: -3, max: 5)", "true", NO_FIT "Int(min: -3, max: 5) is needed, this is a Bool"},
    {"Decimal(precision: 0, scale: 0)", "Decimal(precision: 0, scale: 0)", "", "T410 Decimal(precision: 0, scale: 0) has no values; precision must be at least 1 and scale at most precision"},
    {"Decimal(precision: 2, scale: 3) 1.5", "Decimal(precision: 2, scale: 3)", "1.5", "T410 Decimal(precision: 2, scale: 3) has no values; precision must be at least 1 and scale at most precision"},
    {"Decimal(precision: 28, scale: 28) 0.5", "Decimal(precision: 28, scale: 28)", "0.5", ""},
    {"Decimal(precision: 29, scale: 0)", "Decimal(precision: 29, scale: 0)", "", "T411 Decimal with precision 29; at most 28 digits can be computed with"},
    {"Decimal(precision: 3, scale: 3) 0.999", "Decimal(precision: 3, scale: 3)", "0.999", ""},
    {"Decimal(precision: 3, scale: 2) 9.99", "Decimal(precision: 3, scale: 2)", "9.99", ""},
    {"Decimal(precision: 3, scale: 2) 10.00", "Decimal(precision: 3, scale: 2)", "10.00", NO_FIT "10.00 does not fit Decimal(3, 2)"},
    {"Decimal(precision: 3, scale: 2) \"9.5\"", "Decimal(precision: 3, scale: 2)", "\"9.5\"", ""},
    {"Decimal(precision: 3, scale: 2) \"9.x\"", "Decimal(precision: 3, scale: 2)", "\"9.x\"", NO_FIT "'9.x' is not a decimal number"},
    {"Decimal(precision: 3, scale: 2) 7", "Decimal(precision: 3, scale: 2)", "7", ""},
    {"Decimal(precision: 3, scale: 2) 1.234", "Decimal(precision: 3, scale: 2)", "1.234", "T422 the default 1.234 is rounded to 1.23"},
    {"Decimal(precision: 3, scale: 2) 1.230", "Decimal(precision: 3, scale: 2)", "1.230", ""},
    {"Decimal(precision: 3, scale: 2) 9.999", "Decimal(precision: 3, scale: 2)", "9.999", NO_FIT "9.999 does not fit Decimal(3, 2)"},
    {"Decimal(precision: 3, scale: 2) true", "Decimal(precision: 3, scale: 2)", "true", NO_FIT "Decimal is needed, this is a Bool"},
    {"Money(currency: \"USD\") Money { amount: \"5.00\", currency: \"USD\" }", "Money(currency: \"USD\")", "Money { amount: \"5.00\", currency: \"USD\" }", ""},
    {"Money(currency: \"USD\") Money { amount: \"5.00\", currency: \"EUR\" }", "Money(currency: \"USD\")", "Money { amount: \"5.00\", currency: \"EUR\" }", NO_FIT "the currency is EUR, but USD is needed"},
    {"Money(currency: \"USD\") Money { amount: \"5,00\", currency: \"USD\" }", "Money(currency: \"USD\")", "Money { amount: \"5,00\", currency: \"USD\" }", NO_FIT "the amount '5,00' is not a decimal number"},
    {"Money(currency: \"USD\") Money { amount: \"12345678901234567890123456789\", currency: \"USD\" }", "Money(currency: \"USD\")", "Money { amount: \"12345678901234567890123456789\", currency: \"USD\" }", NO_FIT "the amount 12345678901234567890123456789 has more than 28 digits"},
    {"Money(currency: \"USD\") 5", "Money(currency: \"USD\")", "5", NO_FIT "Money(currency: USD) is needed, this is an Int"},
    {"Money(currency: \"USd\")", "Money(currency: \"USd\")", "", "T417 'USd' is not a currency code; a code is three capital letters"},
    {"Money(currency: \"AZ\")", "Money(currency: \"AZ\")", "", "T417 'AZ' is not a currency code; a code is three capital letters"},
    {"Money(currency: \"AZAZ\")", "Money(currency: \"AZAZ\")", "", "T417 'AZAZ' is not a currency code; a code is three capital letters"},
    {"Money(currency: \"AAZ\")", "Money(currency: \"AAZ\")", "", ""},
    {"Money(currency: \"A[Z\")", "Money(currency: \"A[Z\")", "", "T417 'A[Z' is not a currency code; a code is three capital letters"},
    {"Money(currency: \"A@Z\")", "Money(currency: \"A@Z\")", "", "T417 'A@Z' is not a currency code; a code is three capital letters"},
    {"Text(max_length: 3) \"äöü\"", "Text(max_length: 3)", "\"äöü\"", ""},
    {"Text(max_length: 3) \"abcd\"", "Text(max_length: 3)", "\"abcd\"", NO_FIT "the text has 4 characters, at most 3 fit"},
    {"Text(max_length: 0) \"\"", "Text(max_length: 0)", "\"\"", ""},
    {"Text(max_length: -1)", "Text(max_length: -1)", "", "T410 Text cannot have a negative max_length"},
    {"Text(max_length: 4294967295)", "Text(max_length: 4294967295)", "", ""},
    {"Text(max_length: 4294967296)", "Text(max_length: 4294967296)", "", "T410 Text cannot have max_length 4294967296; at most 4294967295 is possible"},
    {"Text(max_length: 3) 7", "Text(max_length: 3)", "7", NO_FIT "Text is needed, this is an Int"},
    {"Enum(values: [\"a\", \"b\"]) \"b\"", "Enum(values: [\"a\", \"b\"])", "\"b\"", ""},
    {"Enum(values: [\"a\", \"b\"]) \"B\"", "Enum(values: [\"a\", \"b\"])", "\"B\"", NO_FIT "'B' is not one of the declared values"},
    {"Enum(values: [\"a\", \"b\"]) true", "Enum(values: [\"a\", \"b\"])", "true", NO_FIT "Enum is needed, this is a Bool"},
    {"Enum(values: [\"b\", \"a\", \"b\", \"a\"])", "Enum(values: [\"b\", \"a\", \"b\", \"a\"])", "", "T413 Enum value 'b' is listed twice"},
    {"Enum(values: [])", "Enum(values: [])", "", "T413 Enum has no values"},
    {"Date \"2024-02-29\"", "Date", "\"2024-02-29\"", ""},
    {"Date \"2023-02-29\"", "Date", "\"2023-02-29\"", NO_FIT "'2023-02-29' is not a date of the form YYYY-MM-DD"},
    {"Date 20240229", "Date", "20240229", NO_FIT "Date is needed, this is an Int"},
    {"DateTime \"2024-02-29T00:00:00Z\"", "DateTime", "\"2024-02-29T00:00:00Z\"", ""},
    {"DateTime \"2024-02-29\"", "DateTime", "\"2024-02-29\"", NO_FIT "'2024-02-29' is not a date-time of the form YYYY-MM-DDThh:mm:ssZ or with an offset"},
    {"Duration Duration { value: 1, unit: \"hours\" }", HOURS, "Duration { value: 1, unit: \"hours\" }", ""},
    {"Duration Duration { value: 2, unit: \"days\" }", HOURS, "Duration { value: 2, unit: \"days\" }", ""},
    {"Duration Duration { value: 3, unit: \"days\" }", HOURS, "Duration { value: 3, unit: \"days\" }", NO_FIT "it is outside of 1 .. 48 hours"},
    {"Duration Duration { value: 0, unit: \"hours\" }", HOURS, "Duration { value: 0, unit: \"hours\" }", NO_FIT "it is outside of 1 .. 48 hours"},
    {"Duration Duration { value: 49, unit: \"hours\" }", HOURS, "Duration { value: 49, unit: \"hours\" }", NO_FIT "it is outside of 1 .. 48 hours"},
    {"Duration Duration { value: 60, unit: \"minutes\" }", HOURS, "Duration { value: 60, unit: \"minutes\" }", ""},
    {"Duration Duration { value: 90, unit: \"minutes\" }", HOURS, "Duration { value: 90, unit: \"minutes\" }", NO_FIT "it is not a whole number of hours"},
    {"Duration Duration { value: 1, unit: \"weeks\" }", HOURS, "Duration { value: 1, unit: \"weeks\" }", NO_FIT "unknown unit 'weeks'"},
    {"Duration 48", HOURS, "48", "T421 the default of a Duration is a plain integer"},
    {"Duration 49", HOURS, "49", NO_FIT "49 is outside of 1 .. 48"},
    {"Duration \"1\"", HOURS, "\"1\"", NO_FIT "Duration is needed, this is a string"},
    {"Duration(unit: \"weeks\", min: 0, max: 1) Duration { value: 1, unit: \"hours\" }", "Duration(unit: \"weeks\", min: 0, max: 1)", "Duration { value: 1, unit: \"hours\" }", "T412 unknown Duration unit 'weeks'; must be seconds, minutes, hours or days"},
    {"Duration(unit: \"hours\", min: 2, max: 1)", "Duration(unit: \"hours\", min: 2, max: 1)", "", "T410 Duration has no values: min 2 is greater than max 1"},
    {"List []", LIST, "[]", ""},
    {"List [0, 5]", LIST, "[0, 5]", ""},
    {"List [0, 6]", LIST, "[0, 6]", NO_FIT "element 1: 6 is outside of 0 .. 5"},
    {"List [0, 1, 2]", LIST, "[0, 1, 2]", NO_FIT "it has 3 elements, at most 2 fit"},
    {"List [true]", LIST, "[true]", NO_FIT "element 0: Int(min: 0, max: 5) is needed, this is a Bool"},
    {"List 5", LIST, "5", NO_FIT "List is needed, this is an Int"},
    {"List(element_type: Bool, max: 0)", "List(element_type: Bool, max: 0)", "", "T416 List needs max: with at least 1 and less than 4294967295"},
    {"List(element_type: Bool, max: 4294967294)", "List(element_type: Bool, max: 4294967294)", "", ""},
    {"List(element_type: Bool, max: 4294967295)", "List(element_type: Bool, max: 4294967295)", "", "T416 List needs max: with at least 1 and less than 4294967295"},
    {"List(element_type: List(element_type: Bool, max: 1), max: 1)", "List(element_type: List(element_type: Bool, max: 1), max: 1)", "", "T414 elements of a List cannot be Lists"},
    {"Record { a: true, b: 5 }", RECORD, "{ a: true, b: 5 }", ""},
    {"Record { b: 5, a: true }", RECORD, "{ b: 5, a: true }", ""},
    {"Record { a: true }", RECORD, "{ a: true }", NO_FIT "field 'b' is missing"},
    {"Record { b: 1 }", RECORD, "{ b: 1 }", NO_FIT "field 'a' is missing"},
    {"Record { }", RECORD, "{ }", NO_FIT "field 'a' is missing"},
    {"Record { a: true, b: 6 }", RECORD, "{ a: true, b: 6 }", NO_FIT "field 'b': 6 is outside of 0 .. 5"},
    {"Record { a: true, b: 1, c: 2 }", RECORD, "{ a: true, b: 1, c: 2 }", NO_FIT "the record has no field 'c'"},
    {"Record { a: true, aa: 1, b: 2 }", RECORD, "{ a: true, aa: 1, b: 2 }", NO_FIT "the record has no field 'aa'"},
    {"Record { A: true, a: true, b: 2 }", RECORD, "{ A: true, a: true, b: 2 }", NO_FIT "the record has no field 'A'"},
    {"Record true", RECORD, "true", NO_FIT "Record is needed, this is a Bool"},
    {"Record { } { }", "Record { }", "{ }", ""},
    {"Record { a: Bool, a: Bool }", "Record { a: Bool, a: Bool }", "", "T415 Record declares 'a' twice"},
    {"TaggedUnion Card(\"abc\")", UNION, "Card(\"abc\")", ""},
    {"TaggedUnion Card(\"abcd\")", UNION, "Card(\"abcd\")", NO_FIT "the text has 4 characters, at most 3 fit"},
    {"TaggedUnion Card(1)", UNION, "Card(1)", NO_FIT "Text is needed, this is an Int"},
    {"TaggedUnion Paid { n: 5 }", UNION, "Paid { n: 5 }", ""},
    {"TaggedUnion Paid { n: 6 }", UNION, "Paid { n: 6 }", NO_FIT "field 'n': 6 is outside of 0 .. 5"},
    {"TaggedUnion Paid({ n: 5 })", UNION, "Paid({ n: 5 })", ""},
    {"TaggedUnion Paid(5)", UNION, "Paid(5)", NO_FIT "Record is needed, this is an Int"},
    {"TaggedUnion Card { n: 5 }", UNION, "Card { n: 5 }", NO_FIT "Text is needed, this is a Record"},
    {"TaggedUnion Coin(\"a\")", UNION, "Coin(\"a\")", NO_FIT "'Coin' is not a variant of the union"},
    {"TaggedUnion true", UNION, "true", NO_FIT "TaggedUnion is needed, this is a Bool"},
    {"TaggedUnion \"abc\"", UNION, "\"abc\"", NO_FIT "TaggedUnion is needed, this is a string"},
    {"TaggedUnion { }", "TaggedUnion { }", "", "T410 TaggedUnion has no variants, so it has no values"},
};
/* clang-format on */

static void a_default_is_judged(void **state)
{
    const struct default_row *row = *state;
    char text[500];
    snprintf(text, sizeof text,
             "fact f { type: %s source: \"s\" %s%s }\n" RULE("f = f"), row->type,
             *row->value ? "default: " : "", row->value);
    elaborated r = elaborate_text(text, false);
    mt_str got = MT_STR("");
    for (size_t i = 0; i < r.ds.len; i++) {
        const mt_diag *d = &r.ds.items[i];
        got = mt_strf(&arena, "%.*s%s %.*s", MT_ARG(got), d->code, MT_ARG(d->message));
    }
    assert_text(got, mt_str_z(row->told));
    done(&r);
}

static const char OF_PARTS[] =
    "type T { a: Bool b: Int(min: 0, max: 5) }\n"
    "type S { a: Bool }\n"
    "fact k { type: Bool source: \"s\" }\n"
    "fact n { type: Int(min: 0, max: 9) source: \"s\" }\n"
    "fact d { type: Decimal(precision: 4, scale: 2) source: \"s\" }\n"
    "fact t { type: Text(max_length: 9) source: \"s\" }\n"
    "fact e { type: Enum(values: [\"x\", \"y\"]) source: \"s\" }\n"
    "fact r { type: Record { a: Bool, b: Int(min: 0, max: 5), c: Text(max_length: 3) } "
    "source: \"s\" }\n"
    "fact p { type: Record { a: Decimal(precision: 3, scale: 1), e: Enum(values: "
    "[\"x\", \"y\"]) } source: \"s\" }\n"
    "fact w { type: T source: \"s\" }\n"
    "fact xs { type: List(element_type: Int(min: 0, max: 5), max: 2) source: \"s\" }\n"
    "fact u { type: TaggedUnion { Cash: Int(min: 0, max: 5), Card: Record { no: "
    "Text(max_length: 4) } } source: \"s\" }\n"
    "fact l { type: List(element_type: Record { a: Bool, q: Decimal(precision: 3, "
    "scale: 1), m: Money(currency: \"EUR\") }, max: 2) source: \"s\" }\n"
    "fact m { type: Money(currency: \"USD\") source: \"s\" }\n"
    "fact f { type: Enum(values: [\"y\", \"x\"]) source: \"s\" }\n"
    "fact v { type: Record { e: Enum(values: [\"x\", \"y\"]), s: Record { a: Bool }, "
    "xs: List(element_type: Int(min: 0, max: 5), max: 2) } source: \"s\" }\n"
    "fact s { type: S source: \"s\" }\n"
    "fact big { type: Int(min: -100, max: 99) source: \"s\" }\n";

/* clang-format off */
/* Conditions that compare with a value of parts, and all that is said of them. */
static const struct said_row PARTS[] = {
    {"r = { a: k, b: 3, c: \"x\" }", "r = { a: k, b: 3, c: \"x\" }",
     ""},
    {"r = { a: k, b: 3 }", "r = { a: k, b: 3 }",
     "T453 field 'c' is missing\n"},
    {"r = { }", "r = { }",
     "T453 fields 'a', 'b', 'c' are missing\n"},
    {"r = { a: k, b: 3, c: \"x\", d: 1, e: 2 }", "r = { a: k, b: 3, c: \"x\", d: 1, e: 2 }",
     "T433 the record has no field 'd'\nT433 the record has no field 'e'\n"},
    {"r = { a: 1, b: k, c: n }", "r = { a: 1, b: k, c: n }",
     "T452 Bool is needed, this is an Int\nT452 Int(min: 0, max: 5) is needed, this is Bool\nT452 Text is needed, this is Int(min: 0, max: 9)\n"},
    {"r = { a: k, b: n, c: t }", "r = { a: k, b: n, c: t }",
     "T452 a value of Int(min: 0, max: 9) does not always fit Int(min: 0, max: 5)\nT452 a value of Text(9) does not always fit Text(3)\n"},
    {"r = { a: k, b: 6, c: \"abcd\" }", "r = { a: k, b: 6, c: \"abcd\" }",
     "T452 6 is outside of 0 .. 5\nT452 the text has 4 characters, at most 3 fit\n"},
    {"r = { a: none, b: 1, c: \"x\" }", "r = { a: none, b: 1, c: \"x\" }",
     "T403 unresolved fact reference: 'none' is not declared in this contract\n"},
    {"r = [1]", "r = [1]",
     "T452 Record(a: Bool, b: Int(min: 0, max: 5), c: Text(3)) is needed, this is a List\n"},
    {"r = Cash(1)", "r = Cash(1)",
     "T452 Record(a: Bool, b: Int(min: 0, max: 5), c: Text(3)) is needed, this is a value of a TaggedUnion\n"},
    {"xs = { a: 1 }", "xs = { a: 1 }",
     "T452 List(Int(min: 0, max: 5), max: 2) is needed, this is a Record\n"},
    {"xs = [1, 2, 3]", "xs = [1, 2, 3]",
     "T452 the list has 3 elements, at most 2 fit\n"},
    {"xs = [n]", "xs = [n]",
     "T452 a value of Int(min: 0, max: 9) does not always fit Int(min: 0, max: 5)\n"},
    {"xs = [6, k]", "xs = [6, k]",
     "T452 6 is outside of 0 .. 5\nT452 Int(min: 0, max: 5) is needed, this is Bool\n"},
    {"xs = Cash(1)", "xs = Cash(1)",
     "T452 List(Int(min: 0, max: 5), max: 2) is needed, this is a value of a TaggedUnion\n"},
    {"u = Cash(n)", "u = Cash(n)",
     "T452 a value of Int(min: 0, max: 9) does not always fit Int(min: 0, max: 5)\n"},
    {"u = Cash(6)", "u = Cash(6)",
     "T452 6 is outside of 0 .. 5\n"},
    {"u = Coin(1)", "u = Coin(1)",
     "T017 expected a comparison (=, !=, <, <=, >, >=), found '('\n"},
    {"u = Card({ no: t })", "u = Card({ no: t })",
     "T452 a value of Text(9) does not always fit Text(4)\n"},
    {"u = Card({ no: \"x\" })", "u = Card({ no: \"x\" })",
     ""},
    {"u = Card(3)", "u = Card(3)",
     "T452 Record is needed, this is an Int\n"},
    {"u = { no: \"x\" }", "u = { no: \"x\" }",
     "T452 TaggedUnion(Card: Record(no: Text(4)), Cash: Int(min: 0, max: 5)) is needed, this is a Record\n"},
    {"u = [1]", "u = [1]",
     "T452 TaggedUnion(Card: Record(no: Text(4)), Cash: Int(min: 0, max: 5)) is needed, this is a List\n"},
    {"p = { a: d, e: \"x\" }", "p = { a: d, e: \"x\" }",
     "T452 it can have more digits behind the dot than Decimal(3, 1) keeps\n"},
    {"p = { a: 1.25, e: \"z\" }", "p = { a: 1.25, e: \"z\" }",
     "T452 1.25 has more digits behind the dot than Decimal(3, 1) keeps\nT452 'z' is not one of the declared values\n"},
    {"p = { a: 1.5, e: e }", "p = { a: 1.5, e: e }",
     ""},
    {"p = { a: n, e: t }", "p = { a: n, e: t }",
     "T452 Enum is needed, this is Text\n"},
    {"w = T { a: k, b: 1 }", "w = T { a: k, b: 1 }",
     ""},
    {"w = S { a: k }", "w = S { a: k }",
     "T452 the type 'S' is another one than is needed here\n"},
    {"w = T { a: k }", "w = T { a: k }",
     "T453 field 'b' is missing\n"},
    {"w = Nope { a: k }", "w = Nope { a: k }",
     "T452 'Nope' is not a declared Record type\n"},
    {"k = { a: 1 }", "k = { a: 1 }",
     "T452 Bool is needed, this is a Record\n"},
    {"n = [1]", "n = [1]",
     "T452 Int(min: 0, max: 9) is needed, this is a List\n"},
    {"{ a: k } = { a: k }", "{ a: k } = { a: k }",
     "T451 nothing says which type this record has\n"},
    {"r = { a: k }", "r = { a: k }",
     "T453 fields 'b', 'c' are missing\n"},
    {"l = [{ a: k, q: 99.9, m: m }]", "l = [{ a: k, q: 99.9, m: m }]",
     "T452 a value of Money(currency: USD) does not always fit Money(currency: EUR)\n"},
    {"l = [{ a: k, q: n, m: Money { amount: \"1.00\", currency: \"EUR\" } }, { a: k, q: big, m: Money { amount: \"1.00\", currency: \"EUR\" } }, { a: k }]", "l = [{ a: k, q: n, m: Money { amount: \"1.00\", currency: \"EUR\" } }, { a: k, q: big, m: Money { amount: \"1.00\", currency: \"EUR\" } }, { a: k }]",
     "T452 the list has 3 elements, at most 2 fit\nT452 a value of Int(min: -100, max: 99) does not always fit Decimal(3, 1)\nT453 fields 'm', 'q' are missing\n"},
    {"v = { e: e, s: s, xs: xs }", "v = { e: e, s: s, xs: xs }",
     ""},
    {"v = { e: f, s: w, xs: [1] }", "v = { e: f, s: w, xs: [1] }",
     "T452 a value of Enum(\"y\", \"x\") does not always fit Enum(\"x\", \"y\")\nT452 a value of Record(a: Bool, b: Int(min: 0, max: 5)) does not always fit Record(a: Bool)\n"},
    {"v = { e: \"x\", s: [none], xs: [9, 8] }", "v = { e: \"x\", s: [none], xs: [9, 8] }",
     "T452 Record(a: Bool) is needed, this is a List\nT452 9 is outside of 0 .. 5\nT452 8 is outside of 0 .. 5\n"},
    {"u = Coins { no: t }", "u = Coins { no: t }",
     "T442 'Coins' is not a variant of the union\n"},
    {"u = Card { no: \"abc\" }", "u = Card { no: \"abc\" }",
     ""},
    {"u = Cash { no: \"abc\" }", "u = Cash { no: \"abc\" }",
     "T452 Int(min: 0, max: 5) is needed, this is a Record\n"},
};
/* clang-format on */

static void parts_are_judged(void **state)
{
    const struct said_row *row = *state;
    elaborated r = elaborate_text(mt_strf(&arena,
                                          "%srule z { stratum: 0 when: %s produce: "
                                          "z(true) }%c",
                                          OF_PARTS, row->text, 0)
                                      .ptr,
                                  false);
    mt_str got = MT_STR("");
    for (size_t i = 0; i < r.ds.len; i++) {
        const mt_diag *d = &r.ds.items[i];
        if (strncmp(d->code, "T70", 3) != 0) {
            got = mt_strf(&arena, "%.*s%s %.*s\n", MT_ARG(got), d->code,
                          MT_ARG(d->message));
        }
    }
    assert_text(got, mt_str_z(row->told));
    done(&r);
}

#define MEMBER(persona, states, flow)                                                  \
    MT_STR("persona " persona "\npersona q\nentity Case { states: [" states            \
           "] initial: s transitions: [(s, t)] }\noperation go { allowed_personas: "   \
           "[" persona "] precondition: true effects: [(Case, s, t)] outcomes: [ok] "  \
           "error_contract: [persona_rejected] }\nflow " flow " { snapshot: "          \
           "at_initiation entry: one steps: { one: OperationStep { op: go "            \
           "persona: " persona                                                         \
           " outcomes: { ok: two } on_failure: Terminate(outcome: failure) } "         \
           "two: HandoffStep { from_persona: " persona " to_persona: q next: three } " \
           "three: OperationStep { op: go persona: " persona " outcomes: { ok: "       \
           "Terminal(success) } on_failure: Terminate(outcome: failure) } } }\n")
#define MEMBERS      "members: [a: \"a.tenor\", b: \"b.tenor\", c: \"c.tenor\"]"
#define ABC(members) "system s { " MEMBERS "\n" members " }\n"

/* clang-format off */
/* Systems of a, b and c; b has another persona, c another set of states. */
static const struct said_row SYSTEMS[] = {
    {"a System in which all is there",
     ABC("shared_personas: [{ persona: q, contracts: [a, b, c] }, { persona: p, contracts: [a, c] }]\n"
         "shared_entities: [{ entity: Case, contracts: [b, a] }]\n"
         "triggers: [{ source: a.fa, on: success, target: b.fb, persona: pb }, { source: a.fa, on: failure, target: b.fb, persona: pb },\n"
         "{ source: b.fb, on: success, target: c.fc, persona: p }]"),
     ""},
    {"a trigger that is there again behind another one",
     ABC("triggers: [{ source: b.fb, on: success, target: c.fc, persona: p }, { source: a.fa, on: success, target: b.fb, persona: pb },\n"
         "{ source: b.fb, on: success, target: c.fc, persona: p }]"),
     "T604 s.tenor:3:1+1: trigger b.fb → c.fc is declared twice (remove the repetition)\n"},
    {"what is shared twice",
     ABC("shared_personas: [{ persona: q, contracts: [a, b, a] }, { persona: q, contracts: [a, c] }]\n"
         "shared_entities: [{ entity: Case, contracts: [a, b, b] }, { entity: Case, contracts: [b, a] }]"),
     "T604 s.tenor:2:68+1: 'q' is listed twice in shared_personas (remove the repetition)\n"
     "T604 s.tenor:2:51+1: 'a' is listed twice in shared_personas (remove the repetition)\n"
     "T604 s.tenor:3:69+4: 'Case' is listed twice in shared_entities (remove the repetition)\n"
     "T604 s.tenor:3:53+1: 'b' is listed twice in shared_entities (remove the repetition)\n"},
    {"personas that members do not have",
     ABC("shared_personas: [{ persona: p, contracts: [a, b, c] }, { persona: qq, contracts: [a, c] }]\n"),
     "T596 s.tenor:2:48+1: persona 'p' not declared in member contract 'b' (did you mean 'pb'?)\n"
     "T596 s.tenor:2:84+1: persona 'qq' not declared in member contract 'a' (did you mean 'q'?)\n"
     "T596 s.tenor:2:87+1: persona 'qq' not declared in member contract 'c' (did you mean 'q'?)\n"},
    {"entities that members do not have, and sets of states that differ",
     ABC("shared_entities: [{ entity: Cse, contracts: [a, b] }, { entity: Case, contracts: [a, c, b] }]"),
     "T599 s.tenor:2:46+1: entity 'Cse' not declared in member contract 'a' (did you mean 'Case'?)\n"
     "T599 s.tenor:2:49+1: entity 'Cse' not declared in member contract 'b' (did you mean 'Case'?)\n"
     "T600 s.tenor:2:86+1: entity 'Case' has different state sets in member contracts 'a' and 'c' (make the state sets equal)\n"},
    {"flows that members do not have",
     ABC("triggers: [{ source: a.fx, on: success, target: b.fb, persona: pb }, { source: a.fa, on: success, target: b.fx, persona: pb }]"),
     "T597 s.tenor:2:24+2: flow 'fx' not found in member contract 'a' (did you mean 'fa'?)\n"
     "T597 s.tenor:2:109+2: flow 'fx' not found in member contract 'b' (did you mean 'fb'?)\n"},
    {"personas that the target does not have, or does not allow",
     ABC("triggers: [{ source: a.fa, on: success, target: b.fb, persona: p }, { source: a.fa, on: success, target: c.fc, persona: q }]"),
     "T598 s.tenor:2:64+1: persona 'p' not declared in target contract 'b' (did you mean 'pb'?)\n"
     "T603 s.tenor:2:121+1: trigger persona 'q' not in allowed_personas of entry operation 'go' in target flow 'fc' (use a persona the target's entry operation allows)\n"},
    {"what nobody shares, and whoever is no member",
     ABC("shared_personas: [{ persona: q, contracts: [a] }, { persona: p, contracts: [] }]\n"
         "shared_entities: [{ entity: Case, contracts: [a, d] }, { entity: Other, contracts: [a] }]"),
     "T584 s.tenor:2:30+1: shared_persona 'q' must reference at least 2 member contracts; got 1 (name two members, or remove the entry)\n"
     "T584 s.tenor:2:62+1: shared_persona 'p' must reference at least 2 member contracts; got 0 (name two members, or remove the entry)\n"
     "T590 s.tenor:3:50+1: contract 'd' in shared_entity 'Case' is not a System member (use a declared member id)\n"
     "T591 s.tenor:3:66+5: shared_entity 'Other' must reference at least 2 member contracts; got 1 (name two members, or remove the entry)\n"},
    {"entries that lack something",
     ABC("shared_personas: [{ contracts: [a, c] }]\nshared_entities: [{ contracts: [a, b] }]\n"
         "triggers: [{ source: a.fa, on: success, target: b.fb },\n{ on: success, target: b.fb, persona: pb },\n"
         "{ source: a.fa, on: success, persona: pb },\n{ source: a.fa, target: b.fb, persona: pb }]"),
     "T585 s.tenor:5:1+1: trigger source contract '' is not a System member (use a declared member id)\n"
     "T586 s.tenor:6:1+1: trigger target contract '' is not a System member (use a declared member id)\n"
     "T587 s.tenor:7:1+1: invalid trigger outcome ''; must be 'success', 'failure', or 'escalation' (use success, failure or escalation)\n"
     "T602 s.tenor:2:19+1: an entry of shared_personas lacks persona (add the missing part)\n"
     "T602 s.tenor:4:12+1: an entry of triggers lacks persona (add the missing part)\n"
     "T602 s.tenor:5:1+1: an entry of triggers lacks source (add the missing part)\n"
     "T602 s.tenor:6:1+1: an entry of triggers lacks target (add the missing part)\n"
     "T602 s.tenor:3:19+1: an entry of shared_entities lacks entity (add the missing part)\n"},
    {"members that are no contracts",
     "system s { members: [a: \"a.tenor\",\n n: \"none.tenor\",\n bad: \"bad.tenor\",\n sys: \"sys.tenor\",\n c: \"c.tenor\"] }\n",
     "T594 s.tenor:3:7+11: member 'bad' cannot be elaborated: unresolved fact reference: 'x' is not declared in this contract (correct the member contract)\n"
     "T403 bad.tenor:2:27+1: unresolved fact reference: 'x' is not declared in this contract (declare the fact, or check the spelling)\n"
     "T403 bad.tenor:2:44+1: unresolved fact reference: 'y' is not declared in this contract (declare the fact, or check the spelling)\n"
     "T582 s.tenor:4:7+11: member 'sys' is a System file; nested Systems are not permitted (list the contracts of the inner system instead)\n"
     "T593 s.tenor:2:5+12: file 'none.tenor' of member 'n' does not exist (check the path; it is relative to the system file)\n"},
    {"members outside, and the System itself",
     "system s { members: [a: \"a.tenor\",\n n: \"/a.tenor\",\n s: \"s.tenor\"] }\n",
     "T582 s.tenor:3:5+9: member 's' is a System file; nested Systems are not permitted (list the contracts of the inner system instead)\n"
     "T601 s.tenor:2:5+10: member path '/a.tenor' is absolute (write a relative path)\n"},
};
/* clang-format on */

static void a_system_is_judged(void **state)
{
    const struct said_row *row = *state;
    const mt_memory_file files[] = {
        {MT_STR("s.tenor"), mt_str_z(row->text)},
        {MT_STR("a.tenor"), MEMBER("p", "s, t, u", "fa")},
        {MT_STR("b.tenor"), MEMBER("pb", "u, s, t", "fb")},
        {MT_STR("c.tenor"), MEMBER("p", "s, t, v", "fc")},
        {MT_STR("bad.tenor"),
         MT_STR("\nrule r { stratum: 0 when: x = 1 produce: v(y) }")},
        {MT_STR("sys.tenor"),
         MT_STR("system t { members: [a: \"a.tenor\", c: \"c.tenor\"] }")},
    };
    elaborated r = elaborate_files(files, sizeof files / sizeof *files, false);
    mt_buf out = {0};
    for (size_t i = 0; i < r.ds.len; i++) {
        const mt_diag *d = &r.ds.items[i];
        if (d->code[1] != '7') {
            mt_buf_addf(&out, "%s %.*s:%u:%u+%u: %.*s (%.*s)\n", d->code,
                        MT_ARG(d->file), d->line, d->column, d->length,
                        MT_ARG(d->message), MT_ARG(d->hint));
        }
    }
    assert_text(mt_buf_str(&out), mt_str_z(row->told));
    mt_buf_free(&out);
    done(&r);
}

/* Comments are about constructs of their own file. */
static void a_comment_allows_nothing_in_other_files(void **state)
{
    const mt_memory_file FILES[] = {
        {MT_STR("root.tenor"),
         MT_STR("persona a // motet: allow-file T702\nimport \"b.tenor\"\n// motet: "
                "allow T701\npersona p\npersona z\n")},
        {MT_STR("b.tenor"), MT_STR("\n\n// motet: allow T701\npersona q\npersona "
                                   "r\npersona long_enough\npersona x\n"
                                   "fact f { type: Bool source: \"s\" }\n")},
    };
    (void)state;
    elaborated r = elaborate_files(FILES, 2, false);
    assert_text(
        told(&r),
        MT_STR(
            "T701 5:9+1 Persona r.id: Persona 'r' is never used\n"
            "T701 6:9+11 Persona long_enough.id: Persona 'long_enough' is never used\n"
            "T701 7:9+1 Persona x.id: Persona 'x' is never used\n"
            "T701 1:9+1 Persona a.id: Persona 'a' is never used\n"
            "T701 5:9+1 Persona z.id: Persona 'z' is never used\n"
            "T702 8:6+1 Fact f.id: Fact 'f' is never read\n"));
    done(&r);
}

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
    rows_add(&list, ADVISED, is_advised);
    rows_add(&list, DEFAULTS, a_default_is_judged);
    rows_add(&list, PARTS, parts_are_judged);
    rows_add(&list, SYSTEMS, a_system_is_judged);
    rows_test(&list, a_comment_allows_nothing_in_other_files);
    rows_test(&list, long_lists_are_searched_as_short_ones);
    rows_test(&list, types_have_a_depth);
    rows_test(&list, types_nest_to_half_of_the_limit_and_no_deeper);
    int failed = rows_run(&list, "contract/said");
    mt_arena_free(&arena);
    return failed;
}
