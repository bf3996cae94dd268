/* From a use to its definition: in the texts ⟦ ⟧ stand around a use, ⟪ ⟫ around what it
 * leads to; both are taken out before elaboration. */
#include "../rows.h"
#include "contract/front/index.h"
#include "elaborate_fixture.h"

typedef struct row {
    const char *name, *text;
    fr_named kind;
    const char *id;
} row;

#define ENTITY                                                                         \
    "entity Order { states: [draft, sent] initial: draft transitions: [(draft, "       \
    "sent)] }\n"
#define OP(name)                                                                       \
    "operation " name " { allowed_personas: [p] precondition: true effects: [(Order, " \
    "draft, sent)] outcomes: [sent, late] }\n"
#define STEPS(body)                                                                    \
    "flow f { snapshot: at_initiation entry: one steps: { " body " } }\n"

/* clang-format off */
static const row ROWS[] = {
    {"a fact in a condition", "fact ⟪a⟫ { type: Bool source: \"s\" }\nrule r { stratum: 0 when: ⟦a⟧ = true produce: v(true) }", FR_NAMED_FACT, "a"},
    {"a fact as a condition", "rule r { stratum: 0 when: not ⟦a⟧ produce: v(true) }\nfact ⟪a⟫ { type: Bool source: \"s\" }", FR_NAMED_FACT, "a"},
    {"a fact in a payload", "fact ⟪a⟫ { type: Int(0, 9) source: \"s\" }\nrule r { stratum: 0 when: true produce: verdict v { payload: Int(0, 18) = ⟦a⟧ * 2 } }", FR_NAMED_FACT, "a"},
    {"a fact that is present", "fact ⟪a⟫ { type: Bool source: \"s\" }\nrule r { stratum: 0 when: ⟦a⟧ present produce: v(true) }", FR_NAMED_FACT, "a"},
    {"a fact in len()", "fact ⟪xs⟫ { type: List(element_type: Bool, max: 3) source: \"s\" }\nrule r { stratum: 0 when: len(⟦xs⟧) > 1 produce: v(true) }", FR_NAMED_FACT, "xs"},
    {"a fact before an index", "fact ⟪xs⟫ { type: List(element_type: Bool, max: 3) source: \"s\" }\nrule r { stratum: 0 when: ⟦xs⟧[0] produce: v(true) }", FR_NAMED_FACT, "xs"},
    {"a fact as a domain", "fact ⟪xs⟫ { type: List(element_type: Bool, max: 3) source: \"s\" }\nrule r { stratum: 0 when: forall x in ⟦xs⟧ . x produce: v(true) }", FR_NAMED_FACT, "xs"},
    {"a fact in a precondition", "fact ⟪a⟫ { type: Bool source: \"s\" }\npersona p\n" ENTITY "operation o { allowed_personas: [p] precondition: ⟦a⟧ effects: [(Order, draft, sent)] }", FR_NAMED_FACT, "a"},
    {"a variable", "fact xs { type: List(element_type: Bool, max: 3) source: \"s\" }\nrule r { stratum: 0 when: forall ⟪x⟫ in xs . ⟦x⟧ produce: v(true) }", FR_NAMED_VARIABLE, "x"},
    {"the inner of two variables", "fact xs { type: List(element_type: Bool, max: 3) source: \"s\" }\nrule r { stratum: 0 when: exists x in xs . exists ⟪x⟫ in xs . ⟦x⟧ produce: v(true) }", FR_NAMED_VARIABLE, "x"},
    {"a verdict in a condition", "rule a { stratum: 0 when: true produce: verdict ⟪v⟫ { payload: Bool = true } }\nrule r { stratum: 1 when: verdict_present(⟦v⟧) produce: w(true) }", FR_NAMED_VERDICT, "v"},
    {"a verdict that is present", "rule a { stratum: 0 when: true produce: ⟪v⟫(true) }\nrule r { stratum: 1 when: ⟦v⟧ present produce: w(true) }", FR_NAMED_VERDICT, "v"},
    {"a verdict as a value", "rule a { stratum: 0 when: true produce: ⟪v⟫(5) }\nrule r { stratum: 1 when: ⟦v⟧ > 3 produce: w(true) }", FR_NAMED_VERDICT, "v"},
    {"a type of a fact", "type ⟪Address⟫ { city: Text(9) }\nfact a { type: ⟦Address⟧ source: \"s\" }", FR_NAMED_TYPE, "Address"},
    {"a type in a list", "type ⟪Address⟫ { city: Text(9) }\nfact a { type: List(element_type: ⟦Address⟧, max: 3) source: \"s\" }", FR_NAMED_TYPE, "Address"},
    {"a type in a type", "type ⟪Address⟫ { city: Text(9) }\ntype Person { home: ⟦Address⟧ }", FR_NAMED_TYPE, "Address"},
    {"a type of a variable", "type ⟪Line⟫ { paid: Bool }\nfact xs { type: List(element_type: Line, max: 3) source: \"s\" }\nrule r { stratum: 0 when: forall x: ⟦Line⟧ in xs . x.paid produce: v(true) }", FR_NAMED_TYPE, "Line"},
    {"a field of a named type", "type Address { ⟪city⟫: Text(9) }\nfact a { type: Address source: \"s\" }\nrule r { stratum: 0 when: a.⟦city⟧ = \"x\" produce: v(true) }", FR_NAMED_FIELD, "Address.city"},
    {"a field of an inline record", "fact a { type: Record({ ⟪city⟫: Text(9) }) source: \"s\" }\nrule r { stratum: 0 when: a.⟦city⟧ = \"x\" produce: v(true) }", FR_NAMED_FIELD, "a.city"},
    {"a field of a field", "type Address { ⟪city⟫: Text(9) }\nfact a { type: Record({ home: Address }) source: \"s\" }\nrule r { stratum: 0 when: a.home.⟦city⟧ = \"x\" produce: v(true) }", FR_NAMED_FIELD, "Address.city"},
    {"a field of a variable", "fact xs { type: List(element_type: Record({ ⟪paid⟫: Bool }), max: 3) source: \"s\" }\nrule r { stratum: 0 when: forall x in xs . x.⟦paid⟧ produce: v(true) }", FR_NAMED_FIELD, "xs.paid"},
    {"a field of a verdict", "fact a { type: Record({ ⟪city⟫: Text(9) }) source: \"s\" }\nrule q { stratum: 0 when: true produce: w(a) }\nrule r { stratum: 1 when: w.⟦city⟧ = \"x\" produce: v(true) }", FR_NAMED_FIELD, "a.city"},
    {"a field of a default", "fact a { type: Record({ ⟪city⟫: Text(9) }) source: \"s\" default: { ⟦city⟧: \"x\" } }", FR_NAMED_FIELD, "a.city"},
    {"a variant by its tag", "fact a { type: TaggedUnion { ⟪card⟫: Text(9) cash: Bool } source: \"s\" }\nrule r { stratum: 0 when: a.tag = ⟦\"card\"⟧ produce: v(true) }", FR_NAMED_FIELD, "a.card"},
    {"a value of an enum", "fact a { type: Enum([\"x\", ⟪\"y\"⟫]) source: \"s\" }\nrule r { stratum: 0 when: a = ⟦\"y\"⟧ produce: v(true) }", FR_NAMED_VALUE, "a.y"},
    {"a value on the left", "fact a { type: Enum([\"x\", ⟪\"y\"⟫]) source: \"s\" }\nrule r { stratum: 0 when: ⟦\"y\"⟧ != a produce: v(true) }", FR_NAMED_VALUE, "a.y"},
    {"a value of a set", "fact a { type: Enum([\"x\", ⟪\"y\"⟫]) source: \"s\" }\nrule r { stratum: 0 when: a in [\"x\", ⟦\"y\"⟧] produce: v(true) }", FR_NAMED_VALUE, "a.y"},
    {"a value as a default", "fact a { type: Enum([\"x\", ⟪\"y\"⟫]) source: \"s\" default: ⟦\"y\"⟧ }", FR_NAMED_VALUE, "a.y"},
    {"a value of a field", "type T { kind: Enum([⟪\"x\"⟫]) }\nfact a { type: T source: \"s\" }\nrule r { stratum: 0 when: a.kind = ⟦\"x\"⟧ produce: v(true) }", FR_NAMED_VALUE, "T.kind.x"},
    {"FL27 a fact in a part", "fact ⟪a⟫ { type: Int(0, 9) source: \"s\" }\nfact l { type: List(element_type: Int(0, 9), max: 3) source: \"s\" }\nrule r { stratum: 0 when: l = [1, ⟦a⟧] produce: v(true) }", FR_NAMED_FACT, "a"},
    {"FL27 a fact in a part of a payload", "fact ⟪a⟫ { type: Int(0, 9) source: \"s\" }\nrule r { stratum: 0 when: true produce: verdict v { payload: Record { n: Int(0, 9) } = { n: ⟦a⟧ } } }", FR_NAMED_FACT, "a"},
    {"FL27 a field that is written out", "type Point { ⟪x⟫: Int(0, 9) }\nfact p { type: Point source: \"s\" }\nrule r { stratum: 0 when: p = { ⟦x⟧: 1 } produce: v(true) }", FR_NAMED_FIELD, "Point.x"},
    {"FL27 a field in a payload in a list", "type Point { ⟪x⟫: Int(0, 9) }\nrule r { stratum: 0 when: true produce: verdict v { payload: List(element_type: Point, max: 2) = [{ x: 1 }, { ⟦x⟧: 2 }] } }", FR_NAMED_FIELD, "Point.x"},
    {"FL27 a tag that is written out", "fact u { type: TaggedUnion { ⟪card⟫: Bool cash: Bool } source: \"s\" }\nrule r { stratum: 0 when: ⟦card⟧(true) != u produce: v(true) }", FR_NAMED_FIELD, "u.card"},
    {"FL27 an enum value in a part", "fact a { type: Record({ k: Enum([⟪\"x\"⟫]) }) source: \"s\" }\nrule r { stratum: 0 when: a = { k: ⟦\"x\"⟧ } produce: v(true) }", FR_NAMED_VALUE, "a.k.x"},
    {"FL27 the type before a brace", "type ⟪Point⟫ { x: Int(0, 9) }\nrule r { stratum: 0 when: true produce: v(⟦Point⟧ { x: 1 }) }", FR_NAMED_TYPE, "Point"},
    {"a name beside values without a type", "fact ⟪p⟫ { type: Record({ x: Bool }) source: \"s\" }\nrule q { stratum: 0 when: ⟦p⟧.x produce: w(true) }\nrule r { stratum: 0 when: { a: p.x } = { a: p.x } produce: v(true) }", FR_NAMED_FACT, "p"},
    {"a source", "source ⟪orders⟫ { protocol: manual }\nfact a { type: Bool source: ⟦orders⟧ { path: \"x\" } }", FR_NAMED_SOURCE, "orders"},
    {"a persona that is allowed", "persona ⟪p⟫\n" ENTITY "operation o { allowed_personas: [⟦p⟧] precondition: true effects: [(Order, draft, sent)] }", FR_NAMED_PERSONA, "p"},
    {"an entity of an effect", "persona p\nentity ⟪Order⟫ { states: [draft, sent] initial: draft transitions: [(draft, sent)] }\noperation o { allowed_personas: [p] precondition: true effects: [(⟦Order⟧, draft, sent)] }", FR_NAMED_ENTITY, "Order"},
    {"a parent", "entity ⟪A⟫ { states: [x] initial: x }\nentity B { states: [x] initial: x parent: ⟦A⟧ }", FR_NAMED_ENTITY, "A"},
    {"an initial state", "entity A { states: [⟪x⟫] initial: ⟦x⟧ }", FR_NAMED_STATE, "A.x"},
    {"a state of a transition", "entity A { states: [x, ⟪y⟫] initial: x transitions: [(x, ⟦y⟧)] }", FR_NAMED_STATE, "A.y"},
    {"a state of an effect", "persona p\nentity A { states: [x, ⟪y⟫] initial: x transitions: [(x, y)] }\noperation o { allowed_personas: [p] precondition: true effects: [A: x -> ⟦y⟧] }", FR_NAMED_STATE, "A.y"},
    {"an outcome of an effect", "persona p\n" ENTITY "operation o { allowed_personas: [p] precondition: true effects: [(Order, draft, sent, ⟦y⟧)] outcomes: [x, ⟪y⟫] }", FR_NAMED_OUTCOME, "o.y"},
    {"an outcome of a step", "persona p\n" ENTITY "operation o { allowed_personas: [p] precondition: true effects: [(Order, draft, sent)] outcomes: [⟪y⟫] }\n" STEPS("one: OperationStep { op: o persona: p outcomes: { ⟦y⟧: Terminal(success) } on_failure: Terminate(outcome: failure) }"), FR_NAMED_OUTCOME, "o.y"},
    {"an operation of a step", "persona p\n" ENTITY "operation ⟪o⟫ { allowed_personas: [p] precondition: true effects: [(Order, draft, sent)] outcomes: [y] }\n" STEPS("one: OperationStep { op: ⟦o⟧ persona: p outcomes: { y: Terminal(success) } on_failure: Terminate(outcome: failure) }"), FR_NAMED_OPERATION, "o"},
    {"an operation of a compensation", "persona p\n" ENTITY "operation ⟪o⟫ { allowed_personas: [p] precondition: true effects: [(Order, draft, sent)] outcomes: [y] }\n" STEPS("one: OperationStep { op: o persona: p outcomes: { y: Terminal(success) } on_failure: Compensate(steps: [{ op: ⟦o⟧ persona: p on_failure: Terminal(failure) }] then: Terminal(failure)) }"), FR_NAMED_OPERATION, "o"},
    {"a persona of a step", "persona ⟪p⟫\n" ENTITY STEPS("one: HandoffStep { from_persona: p to_persona: ⟦p⟧ next: one }"), FR_NAMED_PERSONA, "p"},
    {"an entry", "persona p\n" ENTITY "flow f { snapshot: at_initiation entry: ⟦one⟧ steps: { ⟪one⟫: HandoffStep { from_persona: p to_persona: p next: one } } }", FR_NAMED_STEP, "f.one"},
    {"a target", "persona p\nfact b { type: Bool source: \"s\" }\n" STEPS("one: BranchStep { condition: b persona: p if_true: ⟦two⟧ if_false: Terminal(failure) } ⟪two⟫: HandoffStep { from_persona: p to_persona: p next: one }"), FR_NAMED_STEP, "f.two"},
    {"where an escalation goes", "persona p\n" ENTITY OP("o") STEPS("one: OperationStep { op: o persona: p outcomes: { sent: Terminal(success) late: Terminal(failure) } on_failure: Escalate(to: p next: ⟦two⟧) } ⟪two⟫: HandoffStep { from_persona: p to_persona: p next: one }"), FR_NAMED_STEP, "f.two"},
    {"a fact in a branch", "persona p\nfact ⟪b⟫ { type: Bool source: \"s\" }\n" STEPS("one: BranchStep { condition: ⟦b⟧ persona: p if_true: Terminal(success) if_false: Terminal(failure) }"), FR_NAMED_FACT, "b"},
    {"a flow of a step", "persona p\nflow ⟪g⟫ { snapshot: at_initiation entry: x steps: { x: HandoffStep { from_persona: p to_persona: p next: x } } }\n" STEPS("one: SubFlowStep { flow: ⟦g⟧ persona: p on_success: Terminal(success) on_failure: Terminate(outcome: failure) }"), FR_NAMED_FLOW, "g"},
    {"a step of a branch", "persona p\n" STEPS("one: ParallelStep { branches: [Branch { id: b entry: ⟦x⟧ steps: { ⟪x⟫: HandoffStep { from_persona: p to_persona: p next: x } } }] join: JoinPolicy { on_all_success: Terminal(success) on_any_failure: Terminate(outcome: failure) } }"), FR_NAMED_STEP, "f.one.b.x"},
    {"a member", "system s { members: [⟪a⟫: \"a.tenor\", b: \"b.tenor\"] triggers: [{ source: ⟦a⟧.f, on: success, target: b.g, persona: q }] }", FR_NAMED_MEMBER, "a"},
};

/* Names that are definitions and nothing else, and how they are called. */
static const row DEFINITIONS[] = {
    {"a rule", "rule ⟦r⟧ { stratum: 0 when: true produce: v(true) }", FR_NAMED_RULE, "r"},
    {"an error", "persona p\n" ENTITY "operation o { allowed_personas: [p] precondition: true effects: [(Order, draft, sent)] error_contract: [⟦late⟧] }", FR_NAMED_ERROR, "o.late"},
    {"a branch", "persona p\n" STEPS("one: ParallelStep { branches: [Branch { id: ⟦b⟧ entry: x steps: { x: HandoffStep { from_persona: p to_persona: p next: x } } }] join: JoinPolicy { on_all_success: Terminal(success) on_any_failure: Terminate(outcome: failure) } }"), FR_NAMED_BRANCH, "f.one.b"},
    {"a construct that does not parse", "fact ⟦a⟧ { type: }", FR_NAMED_FACT, "a"},
    {"a system", "system ⟦s⟧ { members: [a: \"a.tenor\"] }", FR_NAMED_SYSTEM, "s"},
};
/* clang-format on */

typedef struct span {
    size_t from, to;
} span;

typedef struct marked {
    char text[4096];
    span use, definition;
} marked;

static bool take(const char **text, const char *mark)
{
    bool found = strncmp(*text, mark, strlen(mark)) == 0;
    *text += found ? strlen(mark) : 0;
    return found;
}

static marked unmark(const char *text)
{
    marked m = {{0}, {0, 0}, {0, 0}};
    size_t len = 0;
    while (*text) {
        if (take(&text, "⟦")) {
            m.use.from = len;
        } else if (take(&text, "⟧")) {
            m.use.to = len;
        } else if (take(&text, "⟪")) {
            m.definition.from = len;
        } else if (take(&text, "⟫")) {
            m.definition.to = len;
        } else {
            assert_true(len + 1 < sizeof m.text);
            m.text[len++] = *text++;
        }
    }
    return m;
}

static bool is_at(const fr_site *s, span at)
{
    return s->offset == at.from && s->length == at.to - at.from;
}

static const fr_mention *find(const fr_mention *all, size_t count, span at,
                              fr_named kind)
{
    const fr_mention *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (is_at(&all[i].at, at) && all[i].kind == kind) {
            assert_null(found); /* once */
            found = &all[i];
        }
    }
    for (size_t i = 0; !found && i < count; i++) {
        print_message("%zu+%zu %s %.*s\n", all[i].at.offset, all[i].at.length,
                      fr_named_text(all[i].kind), MT_ARG(all[i].id));
    }
    assert_non_null(found);
    return found;
}

static void leads(void **state)
{
    const row *r = *state;
    marked m = unmark(r->text);
    elaborated got = elaborate_text(m.text, false);
    const fr_mention *all;
    size_t count = fr_index(got.ds.arena, got.e, &all);
    const fr_mention *use = find(all, count, m.use, r->kind);
    assert_text(use->id, mt_str_z(r->id));
    assert_false(use->is_definition);
    assert_true(is_at(&use->definition, m.definition));
    const fr_mention *definition = find(all, count, m.definition, r->kind);
    assert_true(definition->is_definition);
    assert_text(definition->id, use->id);
    done(&got);
}

static void defines(void **state)
{
    const row *r = *state;
    marked m = unmark(r->text);
    elaborated got = elaborate_text(m.text, false);
    const fr_mention *all;
    size_t count = fr_index(got.ds.arena, got.e, &all);
    const fr_mention *found = find(all, count, m.use, r->kind);
    assert_true(found->is_definition);
    assert_text(found->id, mt_str_z(r->id));
    done(&got);
}

/* ---- several files ---- */

static const fr_mention *mention_in(const fr_mention *all, size_t count,
                                    const char *file, uint32_t line, uint32_t column)
{
    for (size_t i = 0; i < count; i++) {
        if (mt_str_eq(all[i].at.file, mt_str_z(file)) && all[i].at.line == line &&
            all[i].at.column == column) {
            return &all[i];
        }
    }
    fail();
    return NULL;
}

static void assert_site(const fr_site *s, const char *file, uint32_t line,
                        uint32_t column)
{
    assert_text(s->file, mt_str_z(file));
    assert_int_equal(s->line, line);
    assert_int_equal(s->column, column);
}

static void names_lead_over_imports(void **state)
{
    (void)state;
    mt_memory_file files[] = {
        {MT_STR("root.tenor"),
         MT_STR("import \"lib/types.tenor\"\n"
                "fact a { type: Line source: \"é\" default: { paid: true } }\n"
                "rule r { stratum: 0 when: a.paid produce: v(true) }\n")},
        {MT_STR("lib/types.tenor"), MT_STR("\ntype Line { paid: Bool }\n")},
    };
    elaborated got = elaborate_files(files, 2, false);
    assert_int_equal(got.err, MT_OK);
    const fr_mention *all;
    size_t count = fr_index(got.ds.arena, got.e, &all);
    assert_site(&mention_in(all, count, "root.tenor", 1, 8)->definition,
                "lib/types.tenor", 2, 1);
    assert_site(&mention_in(all, count, "root.tenor", 2, 16)->definition,
                "lib/types.tenor", 2, 6);
    assert_site(&mention_in(all, count, "root.tenor", 2, 44)->definition,
                "lib/types.tenor", 2, 13);
    assert_site(&mention_in(all, count, "root.tenor", 3, 29)->definition,
                "lib/types.tenor", 2, 13);
    for (size_t i = 1; i < count; i++) { /* in order, so that an editor can search */
        bool same = mt_str_eq(all[i - 1].at.file, all[i].at.file);
        assert_true(!same || all[i - 1].at.offset <= all[i].at.offset);
    }
    done(&got);
}

static void names_lead_into_members(void **state)
{
    (void)state;
    mt_memory_file files[] = {
        {MT_STR("s.tenor"),
         MT_STR("system s {\n"
                "  members: [a: \"a.tenor\", b: \"b.tenor\"]\n"
                "  shared_personas: [{ persona: p, contracts: [a, b] }]\n"
                "  shared_entities: [{ entity: E, contracts: [a, b] }]\n"
                "  triggers: [{ source: a.f, on: success, target: b.f, persona: p }]\n"
                "}\n")},
        {MT_STR("a.tenor"),
         MT_STR(
             "persona p\nentity E { states: [x, y] initial: x transitions: [(x, y)] }\n"
             "operation o { allowed_personas: [p] precondition: true effects: [(E, x, "
             "y)] outcomes: [d] }\n"
             "flow f { snapshot: at_initiation entry: one steps: { one: OperationStep "
             "{ op: o persona: p outcomes: { d: Terminal(success) } on_failure: "
             "Terminate(outcome: failure) } } }\n")},
        {MT_STR("b.tenor"), {NULL, 0}},
    };
    files[2].text = files[1].text;
    elaborated got = elaborate_files(files, 3, false);
    assert_int_equal(got.err, MT_OK);
    const fr_mention *all;
    size_t count = fr_index(got.ds.arena, got.e, &all);
    static const struct {
        uint32_t line, column;
        const char *id, *file;
        uint32_t to_line, to_column;
    } LEADS[] = {
        {2, 16, "a.tenor", "a.tenor", 1, 1}, {2, 30, "b.tenor", "b.tenor", 1, 1},
        {3, 32, "a.p", "a.tenor", 1, 9},     {3, 47, "a", "s.tenor", 2, 13},
        {4, 31, "a.E", "a.tenor", 2, 8},     {5, 24, "a", "s.tenor", 2, 13},
        {5, 26, "a.f", "a.tenor", 4, 6},     {5, 52, "b.f", "b.tenor", 4, 6},
        {5, 64, "b.p", "b.tenor", 1, 9},
    };
    for (size_t i = 0; i < sizeof LEADS / sizeof *LEADS; i++) {
        const fr_mention *m =
            mention_in(all, count, "s.tenor", LEADS[i].line, LEADS[i].column);
        assert_text(m->id, mt_str_z(LEADS[i].id));
        assert_site(&m->definition, LEADS[i].file, LEADS[i].to_line,
                    LEADS[i].to_column);
    }
    /* The members' own names are in it, too. */
    assert_site(&mention_in(all, count, "b.tenor", 3, 34)->definition, "b.tenor", 1, 9);
    done(&got);
}

/* Every word of every example leads somewhere that is a definition. */
static void every_definition_is_one(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof ROWS / sizeof *ROWS; r++) {
        marked m = unmark(ROWS[r].text);
        elaborated got = elaborate_text(m.text, false);
        const fr_mention *all;
        size_t count = fr_index(got.ds.arena, got.e, &all);
        for (size_t i = 0; i < count; i++) {
            span at = {all[i].definition.offset,
                       all[i].definition.offset + all[i].definition.length};
            if (all[i].kind != FR_NAMED_FILE) {
                assert_true(find(all, count, at, all[i].kind)->is_definition);
            }
        }
        done(&got);
    }
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, leads);
    rows_add(&list, DEFINITIONS, defines);
    rows_test(&list, names_lead_over_imports);
    rows_test(&list, names_lead_into_members);
    rows_test(&list, every_definition_is_one);
    return rows_run(&list, "contract/index");
}
