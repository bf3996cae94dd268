/* Where an author is shown a fault, in which words, and what would mend it. In the
 * texts ⟦ and ⟧ stand around the exact place and are taken out before elaboration. A
 * fix that is sure is applied, and the contract then holds. */
#include "../rows.h"
#include "base/utf8.h"
#include "elaborate_fixture.h"

typedef struct row {
    const char *name, *text, *code;
    const char *message, *hint; /* parts of them */
    const char *fix;            /* the text of the edit, NULL: there is none */
    unsigned errors;            /* in all: one fault, one message */
} row;

#define FACTS                                                                          \
    "persona p\n"                                                                      \
    "fact i { type: Int(0, 9) source: \"s\" }\n"                                       \
    "fact b { type: Bool source: \"s\" }\n"                                            \
    "fact e { type: Enum([\"open\", \"closed\"]) source: \"s\" }\n"                    \
    "fact d { type: Decimal(5, 2) source: \"s\" }\n"                                   \
    "fact r { type: Record({ total: Int(0, 9) }) source: \"s\" }\n"                    \
    "fact xs { type: List(element_type: Record({ paid: Bool }), max: 3) source: "      \
    "\"s\" }\n"                                                                        \
    "entity Order { states: [draft, submitted] initial: draft transitions: [(draft, "  \
    "submitted)] }\n"
#define RULE(when)                                                                     \
    FACTS "rule ok {\n  stratum: 0\n  when: " when                                     \
          "\n  produce: verdict fine { payload: Bool = true }\n}\n"
#define OPERATION(body)                                                                \
    FACTS "operation send { allowed_personas: [p] precondition: b " body " }\n"
#define FLOW(body)                                                                     \
    OPERATION("effects: [(Order, draft, submitted)] outcomes: [sent]")                 \
    "flow f { snapshot: at_initiation entry: one steps: { " body " } }\n"
#define STEP(body)                                                                     \
    FLOW("one: OperationStep { " body " on_failure: Terminate(outcome: failure) }")
#define RECORD(state)                                                                  \
    "fact opne { type: Bool source: \"s\" }\n"                                         \
    "fact r { type: Record { state: Enum([\"open\"]) } source: \"s\" }\n"              \
    "rule ok { stratum: 0 when: opne and r = { state: " state                          \
    " } produce: fine(true) }\n"
#define SYSTEM(body) "system s { members: [a: \"a.tenor\", b: \"b.tenor\"] " body " }\n"

#define BOOL(id) "fact " id " { type: Bool source: \"s\" }\n"

/* clang-format off */
static const row SLIPS[] = {
    {"FL29 ==", RULE("i ⟦==⟧ 3"), "T012", "unexpected '=='", "one sign", "=", 1},
    {"FL29 === is one slip", RULE("i ⟦===⟧ 3"), "T012", "unexpected '==='", "one sign", "=", 1},
    {"FL29 != and one sign more", RULE("i ⟦!==⟧ 3"), "T012", "unexpected '!=='", "!=", "!=", 1},
    {"FL29 <>", RULE("i ⟦<>⟧ 3"), "T012", "unexpected '<>'", "!=", "!=", 1},
    {"FL29 =<", RULE("i ⟦=<⟧ 3"), "T012", "unexpected '=<'", "<=", "<=", 1},
    {"FL29 &&", RULE("b ⟦&&⟧ i = 3"), "T001", "unexpected '&&'", "'and'", "and", 1},
    {"FL29 && without white space", RULE("b⟦&&⟧b"), "T001", "unexpected '&&'", "'and'", " and ", 1},
    {"FL29 ||", RULE("b ⟦||⟧ i = 3"), "T001", "unexpected '||'", "'or'", "or", 1},
    {"FL29 !x", RULE("⟦!⟧b"), "T001", "unexpected character '!'", "'not'", "not ", 1},
    {"FL29 ! before a parenthesis", RULE("⟦!⟧(b)"), "T001", "unexpected character '!'", "'not'", "not", 1},
    {"FL29 AND", RULE("b ⟦AND⟧ i = 3"), "T012", "'AND' is not an operator", "small letters", "and", 1},
    {"FL29 And in parentheses", RULE("(b ⟦And⟧ i = 3)"), "T012", "'And' is not an operator", "small letters", "and", 1},
    {"FL29 OR", RULE("i = 3 ⟦OR⟧ b"), "T012", "'OR' is not an operator", "small letters", "or", 1},
    {"FL29 NOT", RULE("⟦NOT⟧ b"), "T012", "'NOT' is not an operator", "small letters", "not", 1},
    {"FL29 NOT behind an operator", RULE("i = 3 and ⟦NOT⟧ b"), "T012", "'NOT' is not an operator", "small letters", "not", 1},
    {"FL29 NOT before a parenthesis", RULE("⟦NOT⟧ (i = 3)"), "T017", "'NOT' is not an operator", "small letters", "not", 1},
    {"FL29 a chain of comparisons", RULE("1 <= i ⟦<=⟧ 3"), "T012", "cannot be chained", "and i", "and i ", 1},
    {"FL29 a chain around a sum", RULE("1 <= (i + 1) ⟦<=⟧ 3"), "T012", "cannot be chained", "and (i + 1)", "and (i + 1) ", 1},
    {"FL29 a chain in parentheses", RULE("(1 <= i ⟦<⟧ 3) or b"), "T012", "cannot be chained", "and i", "and i ", 1},
    {"FL29 a colon behind the list", RULE("forall x in xs⟦:⟧ x.paid"), "T012", "unexpected ':'", "a dot with spaces", " .", 1},
    {"FL29 a comma behind the list", RULE("exists x in xs⟦,⟧ x.paid"), "T012", "unexpected ','", "a dot with spaces", " .", 1},
    {"FL29 for ... in", RULE("⟦for⟧ x in xs . x.paid"), "T012", "'for' is not an operator", "forall x in list", "forall", 1},
    {"FL29 any ... in", RULE("⟦any⟧ x in xs . x.paid"), "T012", "'any' is not an operator", "exists x in list", "exists", 1},
    {"FL29 a semicolon", RULE("b") "persona q⟦;⟧\n", "T001", "unexpected character ';'", "end by themselves", "", 1},
    {"FL29 a semicolon without white space", RULE("b") "persona q⟦;⟧persona q2\n", "T001", "unexpected character ';'", "end by themselves", " ", 1},
    {"FL29 a comma without white space", "fact i { type: Bool⟦,⟧source: \"s\" }", "T012", "unexpected comma", "remove it", " ", 1},
    {"FL29 a comma between fields", "fact i { type: Bool⟦,⟧ source: \"s\" }", "T012", "unexpected comma", "remove it", "", 1},
    {"FL29 two commas in a list", "entity E { states: [a,⟦,⟧ b] initial: a transitions: [(a, b)] }", "T012", "unexpected comma", "one comma is enough", "", 1},
    {"FL29 a comma at the end of an effect", OPERATION("effects: [(Order, draft, submitted⟦,⟧)]"), "T012", "unexpected comma", "remove it", "", 1},
    {"FL29 no comma in an effect", OPERATION("effects: [(Order, ⟦draft⟧ submitted)]"), "T012", "a comma is missing behind 'draft'", "comma", "draft,", 1},
    {"FL29 no comma in a transition", "entity E { states: [a, b] initial: a transitions: [(⟦a⟧ b)] }", "T012", "a comma is missing behind 'a'", "comma", "a,", 1},
    {"FL29 a fat arrow in an effect", OPERATION("effects: [Order: draft ⟦=>⟧ submitted]"), "T012", "unexpected '=>'", "->", "->", 1},
    {"FL29 single quotes", "fact i { type: Bool source: ⟦'it\"s'⟧ }", "T001", "unexpected character '''", "double quotes", "\"it\\\"s\"", 1},
    {"FL29 typographic quotes", "fact i { type: Bool source: ⟦“s”⟧ }", "T001", "unexpected character '“'", "double quotes", "\"s\"", 1},
    {"FL29 True", RULE("b = ⟦True⟧"), "T403", "'True'", "write true", "true", 1},
    {"FL29 FALSE in a payload", FACTS "rule ok { stratum: 0 when: b produce: verdict fine { payload: Bool = ⟦FALSE⟧ } }", "T403", "'FALSE'", "write false", "false", 1},
    {"FL29 True as a default", "fact i { type: Bool source: \"s\" default: ⟦True⟧ }", "T012", "unexpected 'True'", "write true", "true", 1},
    {"FL29 a comment of another language", RULE("b") "⟦#⟧ persona q\n", "T001", "unexpected character '#'", "//", "//", 1},
    {"FL29 a name in quotes", "entity E { states: [a, ⟦\"b\"⟧] initial: a transitions: [(a, b)] }", "T012", "expected a name", "without quotes", "b", 1},
    {"FL29 text without quotes", "fact e { type: Enum([\"a\", ⟦b⟧]) source: \"s\" }", "T012", "expected text in double quotes", "\"b\"", "\"b\"", 1},
    {"FL29 no colon behind a field", "fact i { ⟦type⟧ Bool source: \"s\" }", "T012", "a colon is missing behind 'type'", "name: value", "type:", 1},
    {"FL29 an equals sign for a colon", "fact i { type ⟦=⟧ Bool source: \"s\" }", "T012", "unexpected '='", "name: value", ":", 1},
    {"FL29 a body of a persona", RULE("b") "persona q ⟦{⟧ }\n", "T010", "expected a construct", "has no body", "", 1},
    {"FL29 yes", RULE("b = ⟦yes⟧"), "T403", "'yes'", "write true", "true", 1},
    {"FL29 No", RULE("b = ⟦No⟧"), "T403", "'No'", "write false", "false", 1},
    {"FL29 >= and one sign more", RULE("i ⟦!==<⟧ 3"), "T012", "unexpected '!==<'", "!=", "!=", 1},
    {"FL29 every ... in", RULE("⟦Every⟧ x in xs . x.paid"), "T012", "'Every' is not an operator", "forall x in list", "forall", 1},
    {"FL29 some ... with another sign for in", RULE("⟦some⟧ x ∈ xs . x.paid"), "T012", "'some' is not an operator", "exists x in list", "exists", 1},
    {"FL29 EXISTS", RULE("⟦EXISTS⟧ x in xs . x.paid"), "T012", "'EXISTS' is not an operator", "small letters", "exists", 1},
    {"FL29 NOT before a quantifier", RULE("⟦NOT⟧ exists x in xs . x.paid"), "T012", "'NOT' is not an operator", "small letters", "not", 1},
    {"FL29 NOT before a sign of a quantifier", RULE("⟦NOT⟧ ∀ x in xs . x.paid"), "T012", "'NOT' is not an operator", "small letters", "not", 1},
    {"FL29 NOT before a number", RULE("⟦Not⟧ 3 = i"), "T012", "'Not' is not an operator", "small letters", "not", 1},
    {"FL29 NOT before a fraction", RULE("⟦Not⟧ 3.5 = d"), "T012", "'Not' is not an operator", "small letters", "not", 1},
    {"FL29 NOT before a text", RULE("⟦Not⟧ \"open\" = e"), "T012", "'Not' is not an operator", "small letters", "not", 1},
    {"FL29 no colon before a text", "fact i { type: Bool ⟦source⟧ \"s\" }", "T012", "a colon is missing behind 'source'", "name: value", "source:", 1},
    {"FL29 no colon before a number", "fact i { type: Int(0, 9) source: \"s\" ⟦default⟧ 3 }", "T012", "a colon is missing behind 'default'", "name: value", "default:", 1},
    {"FL29 no colon before a list", "entity E { ⟦states⟧ [a] initial: a }", "T012", "a colon is missing behind 'states'", "name: value", "states:", 1},
    {"FL29 a name with every kind of letter in quotes", "entity E { states: [a, ⟦\"Az_z9_0aZA\"⟧] initial: a transitions: [(a, Az_z9_0aZA)] }", "T012", "expected a name, found the text \"Az_z9_0aZA\"", "without quotes", "Az_z9_0aZA", 1},
};

static const row ADVICE[] = {
    {"FL29 => may be an implication", RULE("i ⟦=>⟧ 3"), "T012", "unexpected '=>'", "not a or b", ">=", 1},
    {"FL29 a division", RULE("d ⟦/⟧ 2 > 1.0"), "T001", "unexpected character '/'", "multiply by a decimal", NULL, 1},
    {"FL29 if ... then", RULE("⟦if⟧ b then i = 3 else i = 4"), "T012", "'if' is not an operator", "a rule for each case", NULL, 1},
    {"FL29 a quote that is not closed", RULE("e = ⟦'⟧open"), "T001", "unexpected character '''", "double quotes", NULL, 1},
    {"FL29 a percent sign", RULE("d > 5⟦%⟧"), "T001", "unexpected character '%'", "0.05", NULL, 1},
    {"FL29 the name of a rule", RULE("b") "rule next { stratum: 1 when: verdict_present(⟦ok⟧) produce: v(true) }", "T511", "'ok' is not produced", "the verdict it produces is 'fine'", "fine", 1},
    {"FL29 a misspelt fact", RULE("⟦bb⟧ = true"), "T403", "'bb'", "did you mean 'b'?", "b", 1},
    {"FL29 a misspelt variable", RULE("forall item in xs . ⟦itm⟧.paid"), "T403", "'itm'", "did you mean 'item'?", "item", 1},
    {"FL29 a misspelt verdict", RULE("b") "operation send { allowed_personas: [p] precondition: verdict_present(⟦fin⟧) effects: [] }", "T444", "'fin'", "did you mean 'fine'?", "fine", 1},
    {"FL29 a misspelt persona", "persona clerk\nentity E { states: [a, b] initial: a transitions: [(a, b)] }\noperation o { allowed_personas: [⟦clrk⟧] precondition: true effects: [(E, a, b)] }", "T522", "'clrk'", "did you mean 'clerk'?", "clerk", 1},
    {"FL29 a misspelt entity", OPERATION("effects: [(⟦Ordr⟧, draft, submitted)]"), "T523", "'Ordr'", "did you mean 'Order'?", "Order", 1},
    {"FL29 a misspelt state", OPERATION("effects: [(Order, draft, ⟦submited⟧)]"), "T527", "not a declared transition", "did you mean 'submitted'?", "submitted", 1},
    {"FL29 a misspelt state in a transition", "entity E { states: [open, closed] initial: open transitions: [(open, ⟦close⟧)] }", "T503", "'close'", "did you mean 'closed'?", "closed", 1},
    {"FL29 a misspelt initial state", "entity E { states: [open, closed] initial: ⟦opn⟧ transitions: [(open, closed)] }", "T502", "'opn'", "did you mean 'open'?", "open", 1},
    {"FL29 a misspelt parent", "entity Case { states: [a] initial: a }\nentity E { states: [a] initial: a parent: ⟦Cas⟧ }", "T507", "'Cas'", "did you mean 'Case'?", "Case", 1},
    {"FL29 a misspelt step", FLOW("one: HandoffStep { from_persona: p to_persona: p next: ⟦tow⟧ } two: OperationStep { op: send persona: p outcomes: { sent: Terminal(success) } on_failure: Terminate(outcome: failure) }"), "T542", "'tow'", "did you mean 'two'?", "two", 1},
    {"FL29 a misspelt operation", STEP("op: ⟦sned⟧ persona: p outcomes: { sent: Terminal(success) }"), "T550", "'sned'", "did you mean 'send'?", "send", 1},
    {"FL29 a misspelt outcome", STEP("op: send persona: p outcomes: { sent: Terminal(success) ⟦snt⟧: Terminal(failure) }"), "T544", "'snt'", "did you mean 'sent'?", "sent", 1},
    {"FL29 a misspelt flow", FLOW("one: SubFlowStep { flow: ⟦ff⟧ persona: p on_success: Terminal(success) on_failure: Terminate(outcome: failure) }"), "T551", "'ff'", "did you mean 'f'?", "f", 1},
    {"FL29 a misspelt type", FACTS "type Address { city: Text(9) }\nfact home { type: ⟦Adress⟧ source: \"s\" }", "T401", "'Adress'", "did you mean 'Address'?", "Address", 1},
    {"FL29 a base type of another language", "fact f { type: ⟦Boolean⟧ source: \"s\" }", "T401", "'Boolean'", "did you mean 'Bool'?", "Bool", 1},
    {"FL29 a misspelt field of a record", RULE("r.⟦totl⟧ = 3"), "T433", "'totl'", "did you mean 'total'?", "total", 1},
    {"FL29 a misspelt enum value", RULE("e = ⟦\"opne\"⟧"), "T448", "'opne'", "did you mean \"open\"?", "\"open\"", 0},
    {"FL29 an enum value without quotes", RULE("e = ⟦open⟧"), "T403", "'open'", "in double quotes: \"open\"", "\"open\"", 1},
    {"FL29 enum values without quotes in a list", RULE("e in [⟦open⟧]"), "T012", "found 'open'", "in double quotes", NULL, 1},
    {"FL29 a misspelt default", "fact e { type: Enum([\"open\"]) source: \"s\" default: ⟦\"opn\"⟧ }", "T420", "'opn'", "did you mean \"open\"?", "\"open\"", 1},
    {"FL29 a misspelt source", "source orders { protocol: manual }\nfact f { type: Bool source: ⟦order⟧ { path: \"x\" } }", "T573", "'order'", "did you mean 'orders'?", "orders", 1},
    {"FL29 a misspelt protocol", "source orders { protocol: ⟦htp⟧ base_url: \"x\" }", "T570", "'htp'", "did you mean 'http'?", "http", 1},
    {"FL29 a misspelt field", "fact f { ⟦tpye⟧: Bool source: \"s\" }", "T013", "'tpye'", "did you mean 'type'?", "type", 1},
    {"FL29 a misspelt field of a step", STEP("op: send ⟦pesona⟧: p outcomes: { sent: Terminal(success) }"), "T013", "'pesona'", "did you mean 'persona'?", "persona", 1},
    {"FL29 a misspelt parameter", "fact f { type: List(⟦element⟧: Bool, max: 3) source: \"s\" }", "T013", "'element'", "the fields are element_type and max", NULL, 1},
    {"FL29 a misspelt construct", "⟦fcat⟧ f { type: Bool source: \"s\" }", "T011", "'fcat'", "did you mean 'fact'?", "fact", 1},
    {"FL29 a misspelt step kind", FLOW("one: ⟦OperatonStep⟧ { op: send persona: p outcomes: { sent: Terminal(success) } on_failure: Terminate(outcome: failure) }"), "T015", "'OperatonStep'", "did you mean 'OperationStep'?", "OperationStep", 1},
    {"FL29 a misspelt handler", FLOW("one: OperationStep { op: send persona: p outcomes: { sent: Terminal(success) } on_failure: ⟦Teminate⟧(outcome: failure) }"), "T016", "'Teminate'", "did you mean 'Terminate'?", "Terminate", 1},
    {"FL29 a misspelt member", SYSTEM("shared_personas: [{ persona: x, contracts: [a, b, ⟦aa⟧] }]"), "T583", "'aa'", "did you mean 'a'?", "a", 1},
    {"FL29 a misspelt trigger outcome", SYSTEM("triggers: [{ source: a.f, on: ⟦succes⟧, target: b.g, persona: q }]"), "T587", "'succes'", "did you mean 'success'?", "success", 1},
    {"a misspelt enum value in a record", RECORD("⟦\"opne\"⟧"), "T452", "'opne'", "did you mean \"open\"?", "\"open\"", 1},
    {"a fact that is called nearly like a value", RECORD("⟦opne⟧"), "T452", "Enum is needed, this is Bool", "change the part", NULL, 1},
    {"names that share no letter are not near", "entity E { states: [a] initial: ⟦b⟧ }", "T502", "'b'", "use a declared state", NULL, 1},
    {"FL29 a text that is no name", "entity E { states: [a, ⟦\"9b\"⟧] initial: a }", "T012", "expected a name, found the text \"9b\"", "", NULL, 1},
    {"FL29 a text that is no name at its end", "entity E { states: [a, ⟦\"b-\"⟧] initial: a }", "T012", "expected a name, found the text \"b-\"", "", NULL, 1},
    {"FL29 an empty text is no name", "entity E { states: [a, ⟦\"\"⟧] initial: a }", "T012", "expected a name", "", NULL, 1},
    {"FL29 xor", RULE("b ⟦xor⟧ b"), "T012", "'xor' is not an operator", "(a or b) and not (a and b)", NULL, 1},
    {"FL29 implies", RULE("b ⟦implies⟧ b"), "T012", "'implies' is not an operator", "not a or b", NULL, 1},
    {"FL29 if in parentheses", RULE("⟦if⟧ (b) = b"), "T017", "'if' is not an operator", "a rule for each case", NULL, 1},
    {"FL29 case", RULE("⟦CASE⟧ b = b"), "T012", "'CASE' is not an operator", "a rule for each case", NULL, 1},
    {"FL29 a field on the next line wants its own colon", "fact i { type: Bool ⟦source⟧\n default: true }", "T012", "expected ':'", "name: value", NULL, 1},
    {"FL29 a long middle of a chain is cut in the advice", RULE("1 <= i + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16 ⟦<=⟧ 3"), "T012", "cannot be chained", "compare twice: ... and i + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 +  ...", "and i + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16 ", 1},
};

static const row PLACES[] = {
    {"FL14 a missing field is shown at its construct", "⟦fact f⟧ { type: Bool }\npersona innocent", "T014", "Fact 'f' has no 'source'", "source: ", NULL, 1},
    {"FL14 a missing field of a step is shown at the step", FLOW("⟦one⟧: BranchStep { condition: b persona: p if_true: Terminal(success) }"), "T014", "BranchStep 'one' has no 'if_false'", "if_false: ", NULL, 1},
    {"FL15 a number where text is needed", "source s { protocol: http base_url: ⟦5⟧ }", "T012", "expected text in double quotes, found the number 5", "", NULL, 1},
    {"FL15 a bracket where a name is needed", "fact ⟦{⟧ }", "T012", "expected a name, found '{'", "", NULL, 1},
    {"FL15 the end of the file", "fact ⟦x⟧\n", "T012", "expected '{', found the end of the file", "braces", NULL, 1},
    {"FL16 a source that lacks a field", "source s {\n  protocol: ⟦http⟧\n}", "T572", "'base_url'", "base_url: ", NULL, 1},
    {"FL16 an extension that is malformed", "source s {\n  protocol: ⟦x_a.B⟧\n}", "T571", "x_a.B", "", NULL, 1},
    {"FL16 an unknown source", "fact f {\n  type: Bool\n  source: ⟦w⟧ { path: \"a\" }\n}", "T573", "'w'", "declare the source", NULL, 1},
    {"FL16 an outcome declared twice", "entity E { states: [a, b] initial: a transitions: [(a, b)] }\noperation o {\n  allowed_personas: [p]\n  precondition: true\n  effects: [(E, a, b, x)]\n  outcomes: [x,\n    ⟦x⟧]\n}", "T520", "'x'", "", NULL, 1},
    {"FL16 an unknown type", "fact f {\n  source: \"s\"\n  type:\n    ⟦Nothing⟧\n}", "T401", "'Nothing'", "declare the type", NULL, 1},
    {"FL16 a type that contains itself", "type A {\n  x: Bool\n  y: ⟦A⟧\n}", "T301", "A → A", "", NULL, 1},
    {"FL16 the persona of a step", STEP("op: send\n persona: ⟦nobody⟧\n outcomes: { sent: Terminal(success) }"), "T545", "'nobody'", "declare it", NULL, 1},
    {"FL16 a persona that is not allowed", FACTS "persona other\noperation send { allowed_personas: [other] precondition: b effects: [(Order, draft, submitted)] outcomes: [sent] }\nflow f { snapshot: at_initiation entry: one steps: { one: OperationStep { op: send\n persona: ⟦p⟧\n outcomes: { sent: Terminal(success) } on_failure: Terminate(outcome: failure) } } }", "T546", "'p'", "allowed are [other]", NULL, 1},
    {"FL16 next of a handoff", FLOW("one: HandoffStep {\n from_persona: p\n to_persona: p\n next: ⟦nowhere⟧\n}"), "T542", "'nowhere'", "", NULL, 1},
    {"FL16 C-SYS-01", "system s {\n members: [a: \"a.tenor\",\n ⟦a⟧: \"b.tenor\"]\n}", "T581", "'a'", "", NULL, 1},
    {"FL16 C-SYS-07", SYSTEM("triggers: [{ source: ⟦ccccc⟧.f, on: success, target: b.g, persona: q }]"), "T585", "'ccccc'", "", NULL, 1},
    {"FL16 C-SYS-08", SYSTEM("triggers: [{ source: a.f, on: success, target: ⟦ccccc⟧.g, persona: q }]"), "T586", "'ccccc'", "", NULL, 1},
    {"FL16 C-SYS-11", SYSTEM("triggers: [{ source: a.f, on: ⟦later⟧, target: b.g, persona: q }]"), "T587", "'later'", "", NULL, 1},
    {"FL16 C-SYS-15", SYSTEM("triggers: [{ source: a.f, on: success, target: b.g, persona: q }, ⟦{ source: b.g, on: success, target: a.f, persona: q }⟧]"), "T592", "a.f → b.g → a.f", "", NULL, 1},
    {"FL16 C-SYS-15 of itself", SYSTEM("triggers: [{ source: a.f, on: success, target: ⟦a.f⟧, persona: q }]"), "T588", "triggers itself", "", NULL, 1},
    {"FL16 C-SYS-16", SYSTEM("shared_personas: [{ persona: x, contracts: [a, b, ⟦ccccc⟧] }]"), "T583", "'ccccc'", "", NULL, 1},
    {"FL16 C-SYS-17", SYSTEM("shared_entities: [{ entity: X, contracts: [a, b, ⟦ccccc⟧] }]"), "T590", "'ccccc'", "", NULL, 1},
    {"FL16 a payload literal", "rule r {\n  stratum: 0\n  when: true\n  produce: verdict v {\n    payload: Int(0, 5) =\n      ⟦7⟧\n  }\n}", "T440", "7 is outside", "", NULL, 1},
    {"FL16 a product that is too large", FACTS "rule r { stratum: 0 when: b produce: verdict v { payload: Int(0, 5) = ⟦i * 2⟧ } }", "T409", "product range", "", NULL, 1},
    {"FL17 a value that is missing", RULE("b ⟦=⟧"), "T012", "expected a value, found the field 'produce'", "not complete", NULL, 1},
    {"FL17 an operand that is missing", RULE("b ⟦and⟧"), "T017", "expected a comparison", "not complete", NULL, 1},
    {"FL17 an unknown field", "fact f { type: Bool source: \"s\"\n  ⟦colour⟧:\n  red }", "T013", "'colour'", "the fields are type, source and default", NULL, 1},
    {"FL17 a comment that does not end", "persona p\n⟦/*⟧ abc\n\n", "T004", "unterminated block comment", "*/", NULL, 1},
    {"FL17 a construct that is not closed", "fact f { type: Bool source: ⟦\"s\"⟧\nrule r { stratum: 0 when: true produce: v(true) }", "T012", "expected '}' before 'rule r'", "close", NULL, 1},
    {"FL24 a flow without entry", OPERATION("effects: [(Order, draft, submitted)] outcomes: [sent]") "⟦flow f⟧ { snapshot: at_initiation steps: { one: OperationStep { op: send persona: p outcomes: { sent: Terminal(success) } on_failure: Terminate(outcome: failure) } } }", "T540", "Flow 'f' has no 'entry'", "add entry", NULL, 1},
    {"FL24 a flow without snapshot", OPERATION("effects: [(Order, draft, submitted)] outcomes: [sent]") "⟦flow f⟧ { entry: one steps: { one: OperationStep { op: send persona: p outcomes: { sent: Terminal(success) } on_failure: Terminate(outcome: failure) } } }", "T559", "Flow 'f' has no 'snapshot'", "at_initiation", NULL, 1},
    {"FL24 a step without next", FLOW("⟦one⟧: HandoffStep { from_persona: p to_persona: p }"), "T542", "HandoffStep 'one' has no 'next'", "add next", NULL, 1},
    {"FL24 a step without persona", STEP("op: send outcomes: { sent: Terminal(success) }"), "T546", "OperationStep 'one' has no 'persona'", "allowed are [p]", NULL, 1},
    {"FL24 an entity without initial", "⟦entity E⟧ { states: [a] }", "T502", "Entity 'E' has no 'initial'", "add initial", NULL, 1},
    {"FL24 lists of different types", FACTS "fact ys { type: List(element_type: Bool, max: 3) source: \"s\" }\nrule r { stratum: 0 when: ⟦xs = ys⟧ produce: v(true) }", "T430", "cannot compare List(Record(paid: Bool), max: 3) with List(Bool, max: 3)", "", NULL, 1},
    {"FL24 decimals have their digits", RULE("⟦d = b⟧"), "T430", "cannot compare Decimal(5, 2) with Bool", "", NULL, 1},
    {"FL24 the length of a number", RULE("len(⟦i⟧) = 1"), "T434", "len() is of a List, not Int(min: 0, max: 9)", "only a List has a length", NULL, 1},
    {"a comparison is underlined as a whole", RULE("b or ⟦(i + 1) * 2 = \"x\"⟧ or b"), "T430", "cannot compare", "", NULL, 1},
    {"the value and not the field", "entity E {\n  states: [a]\n  initial: ⟦bb⟧\n}", "T502", "'bb'", "", NULL, 1},
    {"a verdict that is read too early", RULE("b") "rule next { stratum: 0 when: verdict_present(⟦fine⟧) produce: v(true) }", "T512", "stratum violation", "higher stratum", NULL, 1},
};
/* clang-format on */

static const char OPEN[] = "⟦", CLOSE[] = "⟧";

typedef struct marked {
    char text[4096];
    size_t from, to; /* of the place; equal where there is none */
} marked;

static marked unmark(const char *text)
{
    marked m = {{0}, 0, 0};
    size_t len = 0;
    while (*text) {
        if (strncmp(text, OPEN, sizeof OPEN - 1) == 0) {
            m.from = len;
            text += sizeof OPEN - 1;
        } else if (strncmp(text, CLOSE, sizeof CLOSE - 1) == 0) {
            m.to = len;
            text += sizeof CLOSE - 1;
        } else {
            assert_true(len + 1 < sizeof m.text);
            m.text[len++] = *text++;
        }
    }
    return m;
}

static void position(const char *text, size_t at, uint32_t *line, uint32_t *column)
{
    size_t begin = 0;
    *line = 1;
    for (size_t i = 0; i < at; i++) {
        if (text[i] == '\n') {
            ++*line;
            begin = i + 1;
        }
    }
    *column = (uint32_t)mt_utf8_count(mt_str_from(text + begin, at - begin)) + 1;
}

static bool has(mt_str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static bool is_at(const mt_diag *d, const marked *m)
{
    uint32_t line, column, end_line, end_column;
    position(m->text, m->from, &line, &column);
    position(m->text, m->to, &end_line, &end_column);
    return m->to == m->from || (d->line == line && d->column == column &&
                                d->end_line == end_line && d->end_column == end_column);
}

static const mt_diag *expected(const elaborated *got, const row *r, const marked *m)
{
    for (size_t i = 0; i < got->ds.len; i++) {
        const mt_diag *d = &got->ds.items[i];
        if (!strcmp(d->code, r->code) && is_at(d, m) && has(d->message, r->message) &&
            has(d->hint, r->hint)) {
            return d;
        }
    }
    for (size_t i = 0; i < got->ds.len; i++) {
        const mt_diag *d = &got->ds.items[i];
        print_message("%s %u:%u-%u:%u %.*s (%.*s)\n", d->code, d->line, d->column,
                      d->end_line, d->end_column, MT_ARG(d->message), MT_ARG(d->hint));
    }
    fail();
    return NULL;
}

static void tells(void **state)
{
    const row *r = *state;
    marked m = unmark(r->text);
    elaborated got = elaborate_text(m.text, false);
    const mt_diag *d = expected(&got, r, &m);
    if (r->fix) {
        assert_non_null(d->fix);
        assert_text(d->fix->edit.text, mt_str_z(r->fix));
    } else {
        assert_null(d->fix);
    }
    assert_int_equal(got.ds.errors, r->errors);
    done(&got);
}

/* The edit at its bytes, and again by its line and column: both say the same place. */
static void mends(void **state)
{
    const row *r = *state;
    marked m = unmark(r->text);
    elaborated got = elaborate_text(m.text, false);
    const mt_diag *d = expected(&got, r, &m);
    assert_non_null(d->fix);
    assert_true(d->fix->sure);
    const mt_edit *e = &d->fix->edit;
    uint32_t line, column;
    position(m.text, e->offset, &line, &column);
    assert_int_equal(e->line, line);
    assert_int_equal(e->column, column);
    position(m.text, e->offset + e->length, &line, &column);
    assert_int_equal(e->end_line, line);
    assert_int_equal(e->end_column, column);
    char mended[4096];
    snprintf(mended, sizeof mended, "%.*s%.*s%s", (int)e->offset, m.text,
             MT_ARG(e->text), m.text + e->offset + e->length);
    done(&got);
    got = elaborate_text(mended, false);
    for (size_t i = 0; i < got.ds.len && got.err; i++) {
        print_message("%s %.*s\n", got.ds.items[i].code,
                      MT_ARG(got.ds.items[i].message));
    }
    assert_int_equal(got.err, MT_OK);
    done(&got);
}

/* Words of other languages are names where a name can stand. */
static void words_of_other_languages_may_be_names(void **state)
{
    (void)state;
    static const char *const WHENS[] = {
        "all = 3",
        "any or every",
        "NOT = AND",
        "(NOT)",
        "every and some",
        "len(list) > 1",
        "exists x in list . x",
        "If.case",
        "not NOT and (Or or yes)",
        "forall all in list . all",
    };
    for (size_t i = 0; i < sizeof WHENS / sizeof *WHENS; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "fact all { type: Int(0, 9) source: \"s\" }\n%s%s%s%s%s%s%s%s"
                 "fact If { type: Record({ case: Bool }) source: \"s\" }\n"
                 "fact list { type: List(element_type: Bool, max: 2) source: \"s\" }\n"
                 "rule r { stratum: 0 when: %s produce: v(true) }",
                 BOOL("any"), BOOL("every"), BOOL("some"), BOOL("NOT"), BOOL("AND"),
                 BOOL("Or"), BOOL("yes"), BOOL("no"), WHENS[i]);
        elaborated got = elaborate_text(text, false);
        if (got.err) {
            fail_msg("%s: %.*s", WHENS[i], MT_ARG(ct_first_error(&got.ds)->message));
        }
        done(&got);
    }
}

/* The construct and the field are told; the suite has null for both. */
static void FL14_names_the_construct_and_the_field(void **state)
{
    (void)state;
    elaborated got = elaborate_text("fact f { type: Bool }\npersona innocent", false);
    const mt_diag *d = ct_first_error(&got.ds);
    assert_non_null(d);
    assert_true(mt_str_is(d->construct_kind, "Fact"));
    assert_true(mt_str_is(d->construct_id, "f"));
    assert_true(mt_str_is(d->field, "source"));
    assert_non_null(d->suite);
    assert_null(d->suite->construct_kind.ptr);
    assert_null(d->suite->field.ptr);
    assert_int_equal(d->suite->line, 2);
    assert_true(mt_str_is(d->suite->message, "Fact missing 'source'"));
    done(&got);
}

static void FL17_the_same_name_in_two_files_names_both(void **state)
{
    (void)state;
    mt_memory_file files[] = {
        {MT_STR("root.tenor"), MT_STR("import \"a/x.tenor\"\nimport \"b/x.tenor\"\n")},
        {MT_STR("a/x.tenor"), MT_STR("\npersona p\n")},
        {MT_STR("b/x.tenor"), MT_STR("\n\npersona p\n")},
    };
    elaborated got = elaborate_files(files, 3, false);
    const mt_diag *d = ct_first_error(&got.ds);
    assert_non_null(d);
    assert_true(mt_str_is(d->file, "b/x.tenor"));
    assert_int_equal(d->line, 3);
    assert_int_equal(d->column, 9);
    assert_true(has(d->message, "also in a/x.tenor:2"));
    done(&got);
}

static void FL17_a_file_that_cannot_be_read_is_shown_at_its_import(void **state)
{
    (void)state;
    mt_memory_file files[] = {
        {MT_STR("root.tenor"), MT_STR("persona p\nimport \"bad.tenor\"\n")},
        {MT_STR("bad.tenor"), MT_STR("persona q\npersona \xff\n")},
    };
    elaborated got = elaborate_files(files, 2, false);
    const mt_diag *d = ct_first_error(&got.ds);
    assert_non_null(d);
    assert_true(mt_str_is(d->file, "bad.tenor"));
    assert_int_equal(d->line, 2);
    assert_int_equal(d->column, 9);
    assert_int_equal(d->suite->line, 0);
    done(&got);
    files[0].text = MT_STR("persona p\nimport \"none.tenor\"\n");
    got = elaborate_files(files, 2, false);
    d = ct_first_error(&got.ds);
    assert_non_null(d);
    assert_true(mt_str_is(d->file, "root.tenor"));
    assert_int_equal(d->line, 2);
    assert_int_equal(d->column, 8);
    done(&got);
}

/* Several slips in one contract: each is reported, and so is the fault behind them. */
static void FL29_what_stands_behind_a_slip_is_found(void **state)
{
    (void)state;
    elaborated got =
        elaborate_text(RULE("i == 3 && !b || 1 <= i <= 3 AND unknwn = 1"), false);
    unsigned unresolved = 0;
    for (size_t i = 0; i < got.ds.len; i++) {
        unresolved += strcmp(got.ds.items[i].code, "T403") == 0;
    }
    assert_int_equal(unresolved, 1);
    assert_int_equal(got.ds.errors, 7);
    done(&got);
}

/* A file of slips does not fill memory: what is beyond the limit is only counted. */
static void many_slips_are_counted_and_not_kept(void **state)
{
    (void)state;
    enum { COMMAS = 200000 };
    char *text = malloc(COMMAS + 64);
    assert_non_null(text);
    size_t len = (size_t)sprintf(text, "fact f { type: Bool source: \"s\" ");
    memset(text + len, ',', COMMAS);
    strcpy(text + len + COMMAS, "}");
    elaborated got = elaborate_text(text, false);
    assert_int_equal(got.ds.errors, COMMAS);
    assert_int_equal(got.ds.len, MT_LIMITS_DEFAULT.diagnostics);
    done(&got);
    free(text);
}

/* Parameters with names stand in any order. */
static void FL29_named_parameters_stand_in_any_order(void **state)
{
    (void)state;
    static const char *const PAIRS[][2] = {
        {"Int(min: 0, max: 5)", "Int(max: 5, min: 0)"},
        {"Decimal(precision: 5, scale: 2)", "Decimal(scale: 2, precision: 5)"},
        {"Int(min: 0, max: 5)", "Int(max: 5 min: 0)"},
    };
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        mt_buf bundles[2] = {{0}, {0}};
        for (size_t side = 0; side < 2; side++) {
            char text[200];
            snprintf(text, sizeof text, "fact f { type: %s source: \"s\" }",
                     PAIRS[i][side]);
            elaborated got = elaborate_text(text, false);
            assert_int_equal(got.err, MT_OK);
            mt_buf_adds(&bundles[side], got.e->bundle);
            done(&got);
        }
        assert_text(mt_buf_str(&bundles[0]), mt_buf_str(&bundles[1]));
        mt_buf_free(&bundles[0]);
        mt_buf_free(&bundles[1]);
    }
    elaborated got =
        elaborate_text("fact f { type: Int(max: 5, max: 6) source: \"s\" }", false);
    assert_int_equal(got.err, MT_E_REJECTED);
    done(&got);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, SLIPS, tells);
    rows_add(&list, SLIPS, mends);
    rows_add(&list, ADVICE, tells);
    rows_add(&list, PLACES, tells);
    rows_test(&list, words_of_other_languages_may_be_names);
    rows_test(&list, FL14_names_the_construct_and_the_field);
    rows_test(&list, FL17_the_same_name_in_two_files_names_both);
    rows_test(&list, FL17_a_file_that_cannot_be_read_is_shown_at_its_import);
    rows_test(&list, FL29_what_stands_behind_a_slip_is_found);
    rows_test(&list, many_slips_are_counted_and_not_kept);
    rows_test(&list, FL29_named_parameters_stand_in_any_order);
    return rows_run(&list, "contract/places");
}
