/* Reports of a diff as a whole: construct by construct, class by class, as JSON and as
 * the contract that classifies it; and which values mean the same. */
#include "../rows.h"
#include "analyze/version/diff_internal.h"
#include "analyze/version/diff_report.h"
#include "version_fixture.h"

/* ---- What means the same ---- */

static const struct same_row {
    const char *name, *before, *after;
    bool value, expression; /* the same as a value, as a condition */
} SAMES[] = {
/* clang-format off */
#define DECIMAL(x) "{\"kind\":\"decimal_value\",\"precision\":9,\"scale\":4,\"value\":\"" x "\"}"
    {"zeros at the end of a fraction", DECIMAL("1.5"), DECIMAL("1.500"), true, true},
    {"zeros at the end of a whole number count", DECIMAL("10"), DECIMAL("100"), false, false},
    {"zeros alone behind the point", DECIMAL("10.00"), DECIMAL("10"), true, true},
    {"zeros in front", DECIMAL("007.5"), DECIMAL("7.5"), true, true},
    {"zeros in front of the point", DECIMAL("00.5"), DECIMAL("0.5"), true, true},
    {"a zero inside counts", DECIMAL("1.05"), DECIMAL("1.5"), false, false},
    {"nothing has no sign", DECIMAL("-0.00"), DECIMAL("0"), true, true},
    {"nothing of any length", DECIMAL("000"), DECIMAL("-0"), true, true},
    {"a number has one", DECIMAL("-1.0"), DECIMAL("1.0"), false, false},
    {"both have one", DECIMAL("-1.0"), DECIMAL("-01"), true, true},
    {"another precision alone", "{\"kind\":\"decimal_value\",\"precision\":3,\"value\":\"1\"}", DECIMAL("1.0"), true, true},
    {"a decimal and a text", DECIMAL("1"), "\"1\"", false, false},
    {"a decimal and another object", DECIMAL("1"), "{\"kind\":\"int_literal\",\"value\":1}", false, false},
    {"a list in another order", "[1,2]", "[2,1]", false, false},
    {"a longer list", "[1,2]", "[1,2,3]", false, false},
    {"lists of decimals", "[" DECIMAL("1.0") "]", "[" DECIMAL("1") "]", true, true},
    {"members in another order", "{\"a\":1,\"b\":[" DECIMAL("2.0") "]}", "{\"b\":[" DECIMAL("2") "],\"a\":1}", true, true},
    {"a member more", "{\"a\":1}", "{\"a\":1,\"b\":2}", false, false},
    {"a member less", "{\"a\":1,\"z\":2}", "{\"a\":1}", false, false},
    {"types that follow from the operands", "{\"left\":1,\"comparison_type\":{\"base\":\"Int\"}}", "{\"left\":1}", false, true},
    {"a literal of another spelling", "{\"literal\":" DECIMAL("1.0") ",\"type\":{\"base\":\"Decimal\",\"scale\":1}}",
     "{\"literal\":" DECIMAL("1") ",\"type\":{\"base\":\"Decimal\",\"scale\":0}}", false, true},
    {"a literal of another base", "{\"literal\":1,\"type\":{\"base\":\"Int\"}}", "{\"literal\":1,\"type\":{\"base\":\"Decimal\"}}", false, false},
    {"a literal of another value", "{\"literal\":1}", "{\"literal\":2}", false, false},
    {"a record and a list", "{\"record\":{\"a\":1}}", "{\"record\":[1]}", false, false},
    {"operands the other way round", "{\"left\":1,\"right\":2}", "{\"left\":2,\"right\":1}", false, false},
    /* clang-format on */
};

static mt_json parsed(mt_arena *a, const char *text)
{
    mt_json tree;
    assert_int_equal(mt_json_read(a, mt_str_z(text), NULL, &tree, NULL), MT_OK);
    return tree;
}

static void compares(void **state)
{
    const struct same_row *r = *state;
    mt_arena a = {0};
    mt_json before = parsed(&a, r->before), after = parsed(&a, r->after);
    assert_int_equal(an_same_value(&before, &after), r->value);
    assert_int_equal(an_same_value(&after, &before), r->value);
    assert_int_equal(an_same_expr(&before, &after), r->expression);
    assert_int_equal(an_same_expr(&after, &before), r->expression);
    assert_true(an_same_value(&after, &after) && an_same_expr(&before, &before));
    assert_false(an_same_value(&before, NULL) || an_same_value(NULL, &before));
    assert_false(an_same_expr(&before, NULL) || an_same_expr(NULL, &before));
    assert_true(an_same_value(NULL, NULL) && an_same_expr(NULL, NULL));
    mt_arena_free(&a);
}

/* ---- Reports ---- */

static const char OLD[] =
    "persona ann\npersona bob\n"
    "source api { protocol: http base_url: \"https://a.example\" }\n"
    "fact n { type: Int(min: 0, max: 9) source: api { path: \"a.b\" } default: 5 }\n"
    "entity Order { states: [draft, sent, lost] initial: draft transitions: [(draft, "
    "sent), (sent, lost)] }\n"
    "rule low { stratum: 0 when: n <= 3 produce: verdict is_low { payload: Bool = true "
    "} }\n"
    "operation send { allowed_personas: [ann, bob] precondition: "
    "verdict_present(is_low)"
    "\n  effects: [(Order, draft, sent)] error_contract: [precondition_failed] }\n";

static const char NEW[] =
    "persona ann\n"
    "source api { protocol: http base_url: \"https://z.example\" }\n"
    "fact n { type: Int(min: 1, max: 10) source: api { path: \"a.b\" } default: 6 }\n"
    "entity Box { states: [a] initial: a transitions: [] }\n"
    "entity Order { states: [draft, sent, done, gone] initial: draft transitions: "
    "[(draft, sent)] }\n"
    "rule low { stratum: 0 when: n <= 4 produce: verdict is_low { payload: Bool = true "
    "} }\n"
    "operation send { allowed_personas: [ann] precondition: verdict_present(is_low) "
    "and "
    "n <= 7\n  effects: [(Order, draft, sent)] error_contract: [precondition_failed] "
    "}\n";

/* Three changes, short enough to be shown in every form. */
static const char FEW[] =
    "persona ann\npersona bob\npersona eve\n"
    "source api { protocol: http base_url: \"https://a.example\" }\n"
    "fact n { type: Int(min: 0, max: 9) source: api { path: \"a.c\" } default: 5 }\n"
    "entity Order { states: [draft, sent, lost] initial: draft transitions: [(draft, "
    "sent), (sent, lost)] }\n"
    "rule low { stratum: 0 when: n <= 4 produce: verdict is_low { payload: Bool = true "
    "} }\n"
    "operation send { allowed_personas: [ann, bob] precondition: "
    "verdict_present(is_low)"
    "\n  effects: [(Order, draft, sent)] error_contract: [precondition_failed] }\n";

#define ENTITY(state) "entity E { states: [a, " state "] initial: a transitions: [] }\n"

static void as_json(mt_buf *out, const an_diff *d)
{
    mt_jw w = mt_jw_start(out, false);
    an_diff_json(&w, d);
}

/* clang-format off */
static const struct report_row {
    const char *name, *before, *after;
    an_resolution resolution; /* of what requires analysis */
    void (*report)(mt_buf *out, const an_diff *d);
    const char *want;
} REPORTS[] = {
    {"a diff by construct", OLD, NEW, AN_UNRESOLVED, an_diff_text,
     "12 changes: 5 breaking, 3 requires analysis, 1 infrastructure, 3 non-breaking\n"
     "\n"
     "+ Entity Box  [NON_BREAKING]\n"
     "        no existing construct refers to a new entity\n"
     "~ Entity Order  [BREAKING]\n"
     "    states: add done, gone  [NON_BREAKING]\n"
     "        existing transitions are unaffected\n"
     "    states: remove lost  [BREAKING]\n"
     "        instances in a removed state are orphaned\n"
     "        new flows: operations from or to the state are invalid\n"
     "        in flight: flows whose entities are in the state cannot go on\n"
     "        do: map instances in removed states to states that remain\n"
     "    transitions: remove sent -> lost  [BREAKING]\n"
     "        operations using the transition are invalid\n"
     "        new flows: operations using the transition are invalid\n"
     "        in flight: flows that need the transition cannot proceed\n"
     "        do: change the operations that use the transition\n"
     "~ Fact n  [BREAKING]\n"
     "    default: 5 -> 6  [REQUIRES_ANALYSIS]\n"
     "        verdicts may differ where the default is used\n"
     "        new flows: verdicts may differ where the default is used\n"
     "        in flight: none: the snapshot was frozen when the flow began\n"
     "        do: check which verdicts the new default changes\n"
     "    type: Int(min: 0, max: 9) -> Int(min: 1, max: 10)  [BREAKING]\n"
     "        existing values may be invalid\n"
     "        new flows: values that were accepted may be refused\n"
     "        in flight: none: the snapshot was frozen when the flow began\n"
     "        do: make sure that every supplier's values fit the new type\n"
     "    type: Int(min: 0, max: 9) -> Int(min: 1, max: 10)  [NON_BREAKING]\n"
     "        all existing values remain valid\n"
     "~ Operation send  [BREAKING]\n"
     "    allowed_personas: remove bob  [BREAKING]\n"
     "        steps that act as the persona fail authorisation\n"
     "        new flows: the persona is refused\n"
     "        in flight: steps that act as the persona are refused\n"
     "        do: change every step that acts as the persona\n"
     "    precondition: verdict_present(is_low) -> verdict_present(is_low) and n <= 7  [REQUIRES_ANALYSIS]\n"
     "        what was allowed may be refused, depending on the strength of the predicates\n"
     "        new flows: may be refused where it was allowed\n"
     "        in flight: is checked against the frozen snapshot\n"
     "        do: compare the strength of the two predicates\n"
     "- Persona bob  [BREAKING]\n"
     "        operations and steps that name the persona are invalid\n"
     "        new flows: nobody may act as the persona\n"
     "        in flight: steps that wait for the persona cannot proceed\n"
     "        do: give its authority to another persona first\n"
     "~ Rule low  [REQUIRES_ANALYSIS]\n"
     "    body.when: n <= 3 -> n <= 4  [REQUIRES_ANALYSIS]\n"
     "        the verdict may be produced more or less often\n"
     "        new flows: the verdict may be present where it was absent, or the other way round\n"
     "        in flight: none: the snapshot was frozen when the flow began\n"
     "        do: compare the strength of the two predicates\n"
     "~ Source api  [INFRASTRUCTURE]\n"
     "    fields: { base_url: \"https://a.example\" } -> { base_url: \"https://z.example\" }  [INFRASTRUCTURE]\n"
     "        the connection is configured differently\n"
     "        new flows: none: adapters and credentials must follow\n"
     "        in flight: none: the snapshot was frozen when the flow began\n"
     "        do: adapt connections and credentials\n"
     "\n"
     "a migration policy must be declared to deploy this\n"
     "\n"
     "the operator must be told: infrastructure changes\n"},
    {"a diff by class, proven safe", OLD, NEW, AN_PROVEN_SAFE, an_diff_text_by_class,
     "12 changes: 5 breaking, 3 requires analysis, 1 infrastructure, 3 non-breaking\n"
     "\n"
     "BREAKING:\n"
     "  ~ Entity Order .states (remove lost) — instances in a removed state are orphaned\n"
     "  ~ Entity Order .transitions (remove sent -> lost) — operations using the transition are invalid\n"
     "  ~ Fact n .type — existing values may be invalid\n"
     "  ~ Operation send .allowed_personas (remove bob) — steps that act as the persona fail authorisation\n"
     "  - Persona bob — operations and steps that name the persona are invalid\n"
     "\n"
     "REQUIRES_ANALYSIS:\n"
     "  ~ Fact n .default — verdicts may differ where the default is used; proven safe: it says why\n"
     "  ~ Operation send .precondition — what was allowed may be refused, depending on the strength of the predicates; proven safe: it says why\n"
     "  ~ Rule low .body.when — the verdict may be produced more or less often; proven safe: it says why\n"
     "\n"
     "INFRASTRUCTURE:\n"
     "  ~ Source api .fields — the connection is configured differently\n"
     "\n"
     "NON_BREAKING:\n"
     "  + Entity Box — no existing construct refers to a new entity\n"
     "  ~ Entity Order .states (add done, gone) — existing transitions are unaffected\n"
     "  ~ Fact n .type — all existing values remain valid\n"
     "\n"
     "a migration policy must be declared to deploy this\n"
     "\n"
     "the operator must be told: infrastructure changes\n"},
    {"a diff by construct, proven breaking", OLD, FEW, AN_PROVEN_BREAKING, an_diff_text,
     "3 changes: 0 breaking, 1 requires analysis, 1 infrastructure, 1 non-breaking\n"
     "\n"
     "~ Fact n  [INFRASTRUCTURE]\n"
     "    source: api { path: \"a.b\" } -> api { path: \"a.c\" }  [INFRASTRUCTURE]\n"
     "        the fact comes from another path of its source\n"
     "        new flows: none: adapters and credentials must follow\n"
     "        in flight: none: the snapshot was frozen when the flow began\n"
     "        do: adapt the adapter's mapping\n"
     "+ Persona eve  [NON_BREAKING]\n"
     "        no existing construct refers to a new persona\n"
     "~ Rule low  [REQUIRES_ANALYSIS]\n"
     "    body.when: n <= 3 -> n <= 4  [REQUIRES_ANALYSIS]\n"
     "        the verdict may be produced more or less often\n"
     "        new flows: the verdict may be present where it was absent, or the other way round\n"
     "        in flight: none: the snapshot was frozen when the flow began\n"
     "        do: compare the strength of the two predicates\n"
     "        proven breaking: it says why\n"
     "\n"
     "a migration policy must be declared to deploy this\n"
     "\n"
     "the operator must be told: infrastructure changes\n"},
    {"a diff by class", OLD, FEW, AN_UNRESOLVED, an_diff_text_by_class,
     "3 changes: 0 breaking, 1 requires analysis, 1 infrastructure, 1 non-breaking\n"
     "\n"
     "REQUIRES_ANALYSIS:\n"
     "  ~ Rule low .body.when — the verdict may be produced more or less often\n"
     "\n"
     "INFRASTRUCTURE:\n"
     "  ~ Fact n .source — the fact comes from another path of its source\n"
     "\n"
     "NON_BREAKING:\n"
     "  + Persona eve — no existing construct refers to a new persona\n"
     "\n"
     "a migration policy must be declared to deploy this\n"
     "\n"
     "the operator must be told: infrastructure changes\n"},
    {"a diff as JSON, proven safe", OLD, FEW, AN_PROVEN_SAFE, as_json,
     "{\"added\":[{\"class\":\"NON_BREAKING\",\"fields\":[{\"after\":{\"id\":\"eve\",\"kind\":\"Persona\","
     "\"provenance\":{\"file\":\"t.tenor\",\"line\":3},\"tenor\":\"1.0\"},\"before\":null,"
     "\"changes\":[{\"action\":null,\"change\":\"add\",\"class\":\"NON_BREAKING\","
     "\"impact\":{\"in_flight\":\"none\",\"new_flows\":\"none\"},\"key\":\"Persona/eve/id/add@37497ddf1e1f\","
     "\"names\":[],\"reason\":\"no existing construct refers to a new persona\"}],\"class\":\"NON_BREAKING\","
     "\"field\":\"id\"}],\"id\":\"eve\",\"kind\":\"Persona\"}],\"changed\":[{\"class\":\"INFRASTRUCTURE\","
     "\"fields\":[{\"after\":{\"path\":\"a.c\",\"source_id\":\"api\"},\"before\":{\"path\":\"a.b\","
     "\"source_id\":\"api\"},\"changes\":[{\"action\":\"adapt the adapter's mapping\",\"change\":\"path\","
     "\"class\":\"INFRASTRUCTURE\","
     "\"impact\":{\"in_flight\":\"none: the snapshot was frozen when the flow began\","
     "\"new_flows\":\"none: adapters and credentials must follow\"},\"key\":\"Fact/n/source/path@1f00c505a89f\","
     "\"names\":[],\"reason\":\"the fact comes from another path of its source\"}],\"class\":\"INFRASTRUCTURE\","
     "\"field\":\"source\"}],\"id\":\"n\",\"kind\":\"Fact\"},{\"class\":\"REQUIRES_ANALYSIS\","
     "\"fields\":[{\"after\":{\"left\":{\"fact_ref\":\"n\"},\"op\":\"<=\",\"right\":{\"literal\":4,"
     "\"type\":{\"base\":\"Int\",\"max\":4,\"min\":4}}},\"before\":{\"left\":{\"fact_ref\":\"n\"},\"op\":\"<=\","
     "\"right\":{\"literal\":3,\"type\":{\"base\":\"Int\",\"max\":3,\"min\":3}}},"
     "\"changes\":[{\"action\":\"compare the strength of the two predicates\",\"change\":\"change\","
     "\"class\":\"REQUIRES_ANALYSIS\","
     "\"impact\":{\"in_flight\":\"none: the snapshot was frozen when the flow began\","
     "\"new_flows\":\"the verdict may be present where it was absent, or the other way round\"},"
     "\"key\":\"Rule/low/body.when/change@f5e69d3191fe\",\"names\":[],\"proof\":\"it says why\","
     "\"reason\":\"the verdict may be produced more or less often\",\"resolution\":\"proven_safe\"}],"
     "\"class\":\"REQUIRES_ANALYSIS\",\"field\":\"body.when\"}],\"id\":\"low\",\"kind\":\"Rule\"}],"
     "\"class\":\"REQUIRES_ANALYSIS\",\"new\":\"t\",\"old\":\"t\",\"operator_notice\":true,"
     "\"policy_required\":false,\"removed\":[],\"summary\":{\"breaking_count\":0,\"infrastructure_count\":1,"
     "\"non_breaking_count\":1,\"requires_analysis_count\":1,\"total_changes\":3}}"},
    {"the way back as JSON", FEW, OLD, AN_UNRESOLVED, as_json,
     "{\"added\":[],\"changed\":[{\"class\":\"INFRASTRUCTURE\",\"fields\":[{\"after\":{\"path\":\"a.b\","
     "\"source_id\":\"api\"},\"before\":{\"path\":\"a.c\",\"source_id\":\"api\"},"
     "\"changes\":[{\"action\":\"adapt the adapter's mapping\",\"change\":\"path\",\"class\":\"INFRASTRUCTURE\","
     "\"impact\":{\"in_flight\":\"none: the snapshot was frozen when the flow began\","
     "\"new_flows\":\"none: adapters and credentials must follow\"},\"key\":\"Fact/n/source/path@5a84bb7e6148\","
     "\"names\":[],\"reason\":\"the fact comes from another path of its source\"}],\"class\":\"INFRASTRUCTURE\","
     "\"field\":\"source\"}],\"id\":\"n\",\"kind\":\"Fact\"},{\"class\":\"REQUIRES_ANALYSIS\","
     "\"fields\":[{\"after\":{\"left\":{\"fact_ref\":\"n\"},\"op\":\"<=\",\"right\":{\"literal\":3,"
     "\"type\":{\"base\":\"Int\",\"max\":3,\"min\":3}}},\"before\":{\"left\":{\"fact_ref\":\"n\"},\"op\":\"<=\","
     "\"right\":{\"literal\":4,\"type\":{\"base\":\"Int\",\"max\":4,\"min\":4}}},"
     "\"changes\":[{\"action\":\"compare the strength of the two predicates\",\"change\":\"change\","
     "\"class\":\"REQUIRES_ANALYSIS\","
     "\"impact\":{\"in_flight\":\"none: the snapshot was frozen when the flow began\","
     "\"new_flows\":\"the verdict may be present where it was absent, or the other way round\"},"
     "\"key\":\"Rule/low/body.when/change@01cbf627480d\",\"names\":[],"
     "\"reason\":\"the verdict may be produced more or less often\"}],\"class\":\"REQUIRES_ANALYSIS\","
     "\"field\":\"body.when\"}],\"id\":\"low\",\"kind\":\"Rule\"}],\"class\":\"BREAKING\",\"new\":\"t\","
     "\"old\":\"t\",\"operator_notice\":true,\"policy_required\":true,\"removed\":[{\"class\":\"BREAKING\","
     "\"fields\":[{\"after\":null,\"before\":{\"id\":\"eve\",\"kind\":\"Persona\","
     "\"provenance\":{\"file\":\"t.tenor\",\"line\":3},\"tenor\":\"1.0\"},"
     "\"changes\":[{\"action\":\"give its authority to another persona first\",\"change\":\"remove\","
     "\"class\":\"BREAKING\",\"impact\":{\"in_flight\":\"steps that wait for the persona cannot proceed\","
     "\"new_flows\":\"nobody may act as the persona\"},\"key\":\"Persona/eve/id/remove@4bc2a89c8cfd\","
     "\"names\":[],\"reason\":\"operations and steps that name the persona are invalid\"}],\"class\":\"BREAKING\","
     "\"field\":\"id\"}],\"id\":\"eve\",\"kind\":\"Persona\"}],\"summary\":{\"breaking_count\":1,"
     "\"infrastructure_count\":1,\"non_breaking_count\":0,\"requires_analysis_count\":1,\"total_changes\":3}}"},
    {"a diff as a contract", ENTITY("b"), ENTITY("c"), AN_UNRESOLVED, an_migration_contract,
     "// What changed from one version of a contract to the next, and how much it may break.\n"
     "\n"
     "fact change_0001_after {\n"
     "  type:    Text(max_length: 9)\n"
     "  source:  \"tenor-diff.change_0001.after\"\n"
     "  default: \"[\\\"a\\\",\\\"c\\\"]\"\n"
     "}\n"
     "\n"
     "fact change_0001_before {\n"
     "  type:    Text(max_length: 9)\n"
     "  source:  \"tenor-diff.change_0001.before\"\n"
     "  default: \"[\\\"a\\\",\\\"b\\\"]\"\n"
     "}\n"
     "\n"
     "fact change_0001_change_type {\n"
     "  type:    Enum(values: [\"add\", \"base\", \"change\", \"freetext\", \"narrow\", \"path\", \"remove\", \"remove_in_use\", \"source_id\", \"to_freetext\", \"to_structured\", \"widen\"])\n"
     "  source:  \"tenor-diff.change_0001.change_type\"\n"
     "  default: \"add\"\n"
     "}\n"
     "\n"
     "fact change_0001_construct_id {\n"
     "  type:    Text(max_length: 1)\n"
     "  source:  \"tenor-diff.change_0001.construct_id\"\n"
     "  default: \"E\"\n"
     "}\n"
     "\n"
     "fact change_0001_construct_kind {\n"
     "  type:    Enum(values: [\"Bundle\", \"Entity\", \"Fact\", \"Flow\", \"Manifest\", \"Operation\", \"Persona\", \"Rule\", \"Source\", \"System\"])\n"
     "  source:  \"tenor-diff.change_0001.construct_kind\"\n"
     "  default: \"Entity\"\n"
     "}\n"
     "\n"
     "fact change_0001_field {\n"
     "  type:    Text(max_length: 6)\n"
     "  source:  \"tenor-diff.change_0001.field\"\n"
     "  default: \"states\"\n"
     "}\n"
     "\n"
     "fact change_0002_after {\n"
     "  type:    Text(max_length: 9)\n"
     "  source:  \"tenor-diff.change_0002.after\"\n"
     "  default: \"[\\\"a\\\",\\\"c\\\"]\"\n"
     "}\n"
     "\n"
     "fact change_0002_before {\n"
     "  type:    Text(max_length: 9)\n"
     "  source:  \"tenor-diff.change_0002.before\"\n"
     "  default: \"[\\\"a\\\",\\\"b\\\"]\"\n"
     "}\n"
     "\n"
     "fact change_0002_change_type {\n"
     "  type:    Enum(values: [\"add\", \"base\", \"change\", \"freetext\", \"narrow\", \"path\", \"remove\", \"remove_in_use\", \"source_id\", \"to_freetext\", \"to_structured\", \"widen\"])\n"
     "  source:  \"tenor-diff.change_0002.change_type\"\n"
     "  default: \"remove\"\n"
     "}\n"
     "\n"
     "fact change_0002_construct_id {\n"
     "  type:    Text(max_length: 1)\n"
     "  source:  \"tenor-diff.change_0002.construct_id\"\n"
     "  default: \"E\"\n"
     "}\n"
     "\n"
     "fact change_0002_construct_kind {\n"
     "  type:    Enum(values: [\"Bundle\", \"Entity\", \"Fact\", \"Flow\", \"Manifest\", \"Operation\", \"Persona\", \"Rule\", \"Source\", \"System\"])\n"
     "  source:  \"tenor-diff.change_0002.construct_kind\"\n"
     "  default: \"Entity\"\n"
     "}\n"
     "\n"
     "fact change_0002_field {\n"
     "  type:    Text(max_length: 6)\n"
     "  source:  \"tenor-diff.change_0002.field\"\n"
     "  default: \"states\"\n"
     "}\n"
     "\n"
     "fact change_count {\n"
     "  type:    Int(min: 0, max: 2)\n"
     "  source:  \"tenor-diff.change_count\"\n"
     "  default: 2\n"
     "}\n"
     "\n"
     "rule classify_change_0001 {\n"
     "  stratum: 0\n"
     "  when: change_0001_construct_kind = \"Entity\"\n"
     "    and change_0001_field = \"states\"\n"
     "    and change_0001_change_type = \"add\"\n"
     "  produce: verdict change_0001_non_breaking { payload: Text(max_length: 35) = \"existing transitions are unaffected\" }\n"
     "}\n"
     "\n"
     "rule classify_change_0002 {\n"
     "  stratum: 0\n"
     "  when: change_0002_construct_kind = \"Entity\"\n"
     "    and change_0002_field = \"states\"\n"
     "    and change_0002_change_type = \"remove\"\n"
     "  produce: verdict change_0002_breaking { payload: Text(max_length: 41) = \"instances in a removed state are orphaned\" }\n"
     "}\n"
     "\n"
     "rule classify_construct_0001_breaking {\n"
     "  stratum: 1\n"
     "  when: verdict_present(change_0002_breaking)\n"
     "  produce: verdict construct_0001_breaking { payload: Text(max_length: 8) = \"Entity E\" }\n"
     "}\n"
     "\n"
     "rule classify_construct_0001_non_breaking {\n"
     "  stratum: 1\n"
     "  when: verdict_present(change_0001_non_breaking)\n"
     "    and not verdict_present(change_0002_breaking)\n"
     "  produce: verdict construct_0001_non_breaking { payload: Text(max_length: 8) = \"Entity E\" }\n"
     "}\n"
     "\n"
     "rule policy_required {\n"
     "  stratum: 2\n"
     "  when: verdict_present(change_0002_breaking)\n"
     "  produce: verdict policy_required { payload: Bool = true }\n"
     "}\n"},
    {"no difference", OLD, OLD, AN_UNRESOLVED, an_diff_text,
     "no differences\n"},
    {"no difference by class", OLD, OLD, AN_UNRESOLVED, an_diff_text_by_class,
     "0 changes: 0 breaking, 0 requires analysis, 0 infrastructure, 0 non-breaking\n"},
    {"no difference as JSON", OLD, OLD, AN_UNRESOLVED, as_json,
     "{\"added\":[],\"changed\":[],\"class\":\"NON_BREAKING\",\"new\":\"t\",\"old\":\"t\","
     "\"operator_notice\":false,\"policy_required\":false,\"removed\":[],\"summary\":{\"breaking_count\":0,"
     "\"infrastructure_count\":0,\"non_breaking_count\":0,\"requires_analysis_count\":0,\"total_changes\":0}}"},
    {"no difference as a contract", OLD, OLD, AN_UNRESOLVED, an_migration_contract,
     "// What changed from one version of a contract to the next, and how much it may break.\n"
     "\n"
     "fact change_count {\n"
     "  type:    Int(min: 0, max: 0)\n"
     "  source:  \"tenor-diff.change_count\"\n"
     "  default: 0\n"
     "}\n"},
};
/* clang-format on */

/* Marks what requires analysis as a prover does. */
static void prove(an_diff *d, an_resolution resolution)
{
    for (uint32_t i = 0; i < d->entry_count; i++) {
        for (uint32_t f = 0; f < d->entries[i].field_count; f++) {
            an_diff_part *p = &d->entries[i].fields[f].parts[0];
            if (p->taxon->class == AN_REQUIRES_ANALYSIS && resolution) {
                p->resolution = resolution;
                p->proof = MT_STR("it says why");
            }
        }
    }
    an_diff_decide(d);
}

static void reports(void **state)
{
    const struct report_row *r = *state;
    mt_arena a = {0};
    mt_buf out = {0};
    version v1, v2;
    version_elaborate(&v1, r->before);
    version_elaborate(&v2, r->after);
    version_read(&v1);
    version_read(&v2);
    an_diff *d = an_diff_bundles(&a, (an_diff_side){&v1.tree, NULL},
                                 (an_diff_side){&v2.tree, NULL});
    prove(d, r->resolution);
    r->report(&out, d);
    if (!mt_str_eq(mt_buf_str(&out), mt_str_z(r->want))) {
        /* longer than fail_msg() has room for */
        fprintf(stderr, "@@%.*s@@\n", MT_ARG(mt_buf_str(&out)));
        fail_msg("not\n%s", r->want);
    }
    mt_buf_free(&out);
    mt_arena_free(&a);
    version_close(&v1);
    version_close(&v2);
}

/* Two versions of one contract have its id, or some construct in common. */
static void versions_of_one_contract_are_related(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
        bool related;
    } ROWS[] = {
        {"{\"constructs\":[],\"id\":\"a\"}", "{\"constructs\":[],\"id\":\"a\"}", true},
        {"{\"constructs\":[],\"id\":\"a\"}", "{\"constructs\":[],\"id\":\"b\"}", false},
        {"{\"constructs\":[{\"id\":\"p\",\"kind\":\"Persona\"}],\"id\":\"a\"}",
         "{\"constructs\":[{\"id\":\"p\",\"kind\":\"Persona\"}],\"id\":\"b\"}", true},
        {"{\"constructs\":[{\"id\":\"p\",\"kind\":\"Persona\"}],\"id\":\"a\"}",
         "{\"constructs\":[{\"id\":\"p\",\"kind\":\"Fact\"}],\"id\":\"b\"}", false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        mt_arena a = {0};
        mt_json before = parsed(&a, ROWS[i].before), after = parsed(&a, ROWS[i].after);
        const an_diff *d = an_diff_bundles(&a, (an_diff_side){&before, NULL},
                                           (an_diff_side){&after, NULL});
        assert_int_equal(an_diff_related(d), ROWS[i].related);
        mt_arena_free(&a);
    }
}

/* 2000 bytes stand in the contract as they are, one more is a hash. */
static void a_long_value_is_a_hash_in_the_contract(void **state)
{
    (void)state;
    for (int n = 1998; n <= 1999; n++) { /* with both quotes 2000 and 2001 */
        mt_arena a = {0};
        mt_buf out = {0};
        mt_str text = mt_strf(&a,
                              "{\"constructs\":[{\"id\":\"n\",\"kind\":\"Fact\","
                              "\"default\":\"%0*d\"}],\"id\":\"t\"}",
                              n, 1);
        mt_json before = parsed(&a, text.ptr);
        mt_json after = parsed(&a, "{\"constructs\":[{\"id\":\"n\",\"kind\":\"Fact\","
                                   "\"default\":\"x\"}],\"id\":\"t\"}");
        const an_diff *d = an_diff_bundles(&a, (an_diff_side){&before, NULL},
                                           (an_diff_side){&after, NULL});
        assert_int_equal(d->entry_count, 1);
        an_migration_contract(&out, d);
        mt_buf_addc(&out, '\0');
        assert_int_equal(strstr(out.ptr, "default: \"sha256:") != NULL, n == 1999);
        assert_int_equal(strstr(out.ptr, "0001\\\"\"") != NULL, n == 1998);
        mt_buf_free(&out);
        mt_arena_free(&a);
    }
}

int main(void)
{
    static rows_list list;
    rows_add(&list, SAMES, compares);
    rows_add(&list, REPORTS, reports);
    rows_test(&list, versions_of_one_contract_are_related);
    rows_test(&list, a_long_value_is_a_hash_in_the_contract);
    return rows_run(&list, "analyze/diff_report");
}
