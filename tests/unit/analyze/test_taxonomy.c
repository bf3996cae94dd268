/* Every row of the taxonomy (spec §18.2): a real pair of versions, its class, and the
 * same class again from the migration contract, elaborated and evaluated. */
#include "analyze/version/diff_report.h"
#include "base/map.h"
#include "contract/wire/validate.h"
#include "lang/shape.h"
#include "version_fixture.h"

static const char CONTRACT[] =
    "persona ann\npersona bob\npersona eve\n"
    "source api { protocol: http base_url: \"https://a.example\" description: \"one\" "
    "}\n"
    "source other { protocol: http base_url: \"https://c.example\" }\n"
    "source spare { protocol: http base_url: \"https://b.example\" }\n"
    "fact amount { type: Int(min: 0, max: 10) source: api { path: \"a.b\" } default: 5 "
    "}\n"
    "fact note { type: Enum(values: [\"x\", \"y\"]) source: \"desk.note\" }\n"
    "fact spare_fact { type: Bool source: \"desk.spare\" }\n"
    "entity Shop { states: [open, shut] initial: open transitions: [(open, shut)] }\n"
    "entity Mall { states: [open] initial: open transitions: [] }\n"
    "entity Order { states: [draft, sent, lost] initial: draft transitions: [(draft, "
    "sent), (sent, lost)] }\n"
    "entity Line { states: [a, b] initial: a transitions: [(a, b)] parent: Order }\n"
    "entity Spare { states: [a] initial: a transitions: [] }\n"
    "rule low { stratum: 0 when: amount <= 3 produce: verdict is_low { payload: "
    "Int(min: 0, max: 9) = 1 } }\n"
    "rule fine { stratum: 1 when: verdict_present(is_low) produce: verdict is_fine { "
    "payload: Bool = true } }\n"
    "operation send { allowed_personas: [ann, bob] precondition: amount > 1 effects: "
    "[(Order, draft, sent), (Shop, open, shut)] outcomes: [done] error_contract: "
    "[precondition_failed, persona_rejected] }\n"
    "operation lose { allowed_personas: [ann] precondition: true effects: [(Order, "
    "sent,"
    " lost)] outcomes: [gone] error_contract: [precondition_failed] }\n"
    "operation spare_op { allowed_personas: [ann] precondition: true effects: [] }\n"
    "flow f { snapshot: at_initiation entry: s1 steps: {\n"
    "s1: OperationStep { op: send persona: ann outcomes: { done: s2 } on_failure: "
    "Terminate(outcome: failure) }\n"
    "s2: OperationStep { op: lose persona: ann outcomes: { gone: Terminal(success) } "
    "on_failure: Terminate(outcome: failure) }\n"
    "} }\n"
    "flow spare_flow { snapshot: at_initiation entry: s1 steps: { s1: OperationStep { "
    "op: spare_op persona: ann outcomes: { success: Terminal(success) } on_failure: "
    "Terminate(outcome: failure) } } }\n";

static const char SYSTEM[] =
    "{\"constructs\":[{\"id\":\"shop\",\"kind\":\"System\",\"members\":["
    "{\"id\":\"m1\",\"path\":\"m1.tenor\"},{\"id\":\"m2\",\"path\":\"m2.tenor\"}],"
    "\"provenance\":{\"file\":\"shop.tenor\",\"line\":1},\"shared_entities\":["
    "{\"contracts\":[\"m1\",\"m2\"],\"entity\":\"Parcel\"}],\"shared_personas\":["
    "{\"contracts\":[\"m1\",\"m2\"],\"persona\":\"clerk\"}],\"tenor\":\"1.0\","
    "\"triggers\":[{\"on\":\"success\",\"persona\":\"clerk\",\"source_contract\":"
    "\"m1\","
    "\"source_flow\":\"a\",\"target_contract\":\"m2\",\"target_flow\":\"b\"}]}],"
    "\"id\":\"t\",\"kind\":\"Bundle\",\"tenor\":\"1.0\",\"tenor_version\":\"1.0.0\"}";

static const char MANIFEST[] =
    "{\"trust\":{\"attestation_format\":\"ed25519-detached\",\"bundle_attestation\":"
    "\"aa\",\"trust_domain\":\"here\"}}";

/* What the row is an edit of. */
enum { SOURCE, BUNDLE, SYSTEM_BUNDLE, TRUST };

typedef struct row {
    const char *kind, *id, *field, *change;
    an_class class;
    int base;
    const char *find, *replace; /* the new version is the base with this edit */
    bool backwards;             /* the edit gives the old version instead */
} row;

#define SAFE  AN_NON_BREAKING
#define INFRA AN_INFRASTRUCTURE
#define ASK   AN_REQUIRES_ANALYSIS
#define BREAK AN_BREAKING

/* clang-format off */
#define SPARE_FACT "fact spare_fact { type: Bool source: \"desk.spare\" }\n"
#define SPARE_RULE "rule spare { stratum: 0 when: amount > 8 produce: verdict is_big { payload: Bool = true } }\n"
#define SPARE_FLOW "flow spare_flow { snapshot: at_initiation entry: s1 steps: { s1: OperationStep { " \
    "op: spare_op persona: ann outcomes: { success: Terminal(success) } on_failure: Terminate(outcome: failure) } } }\n"
#define RULE_FINE "rule fine {"
#define ENTITY_SPARE "entity Spare { states: [a] initial: a transitions: [] }\n"
#define SPARE_SOURCE "source spare { protocol: http base_url: \"https://b.example\" }\n"
#define SYSTEM_CONSTRUCT "{\"constructs\":[{\"id\":\"shop\""

static const row ROWS[] = {
    /* Fact */
    {"Fact", "spare_fact", "id", "add", SAFE, SOURCE, SPARE_FACT, "", true},
    {"Fact", "spare_fact", "id", "remove", BREAK, SOURCE, SPARE_FACT, "", false},
    {"Fact", "amount", "type", "widen", SAFE, SOURCE, "max: 10)", "max: 11)", false},
    {"Fact", "amount", "type", "narrow", BREAK, SOURCE, "max: 10)", "max: 9)", false},
    {"Fact", "note", "type", "widen", SAFE, SOURCE, "[\"x\", \"y\"]", "[\"x\", \"y\", \"z\"]", false},
    {"Fact", "note", "type", "narrow", BREAK, SOURCE, "[\"x\", \"y\"]", "[\"x\"]", false},
    {"Fact", "note", "type", "base", BREAK, SOURCE, "Enum(values: [\"x\", \"y\"])", "Text(max_length: 3)", false},
    {"Fact", "note", "source", "freetext", SAFE, SOURCE, "desk.note", "desk.paper", false},
    {"Fact", "note", "source", "to_structured", SAFE, SOURCE, "source: \"desk.note\"", "source: api { path: \"n\" }", false},
    {"Fact", "note", "source", "to_freetext", INFRA, SOURCE, "source: \"desk.note\"", "source: api { path: \"n\" }", true},
    {"Fact", "amount", "source", "source_id", INFRA, SOURCE, "source: api {", "source: other {", false},
    {"Fact", "amount", "source", "path", INFRA, SOURCE, "\"a.b\"", "\"a.c\"", false},
    {"Fact", "amount", "default", "add", SAFE, SOURCE, "default: 5", "", true},
    {"Fact", "amount", "default", "remove", BREAK, SOURCE, "default: 5", "", false},
    {"Fact", "amount", "default", "change", ASK, SOURCE, "default: 5", "default: 6", false},
    {"Fact", "amount", "tenor", "change", SAFE, BUNDLE, "\"source\":{\"path\":\"a.b\",\"source_id\":\"api\"},\"tenor\":\"1.0\"",
     "\"source\":{\"path\":\"a.b\",\"source_id\":\"api\"},\"tenor\":\"1.1\"", false},
    /* Entity */
    {"Entity", "Spare", "id", "add", SAFE, SOURCE, ENTITY_SPARE, "", true},
    {"Entity", "Spare", "id", "remove", BREAK, SOURCE, ENTITY_SPARE, "", false},
    {"Entity", "Order", "states", "add", SAFE, SOURCE, "[draft, sent, lost]", "[draft, sent, lost, found]", false},
    {"Entity", "Order", "states", "remove", BREAK, SOURCE, "[draft, sent, lost]", "[draft, sent, lost, found]", true},
    {"Entity", "Order", "initial", "change", BREAK, SOURCE, "initial: draft", "initial: sent", false},
    {"Entity", "Order", "transitions", "add", SAFE, SOURCE, "(sent, lost)]", "(sent, lost), (lost, sent)]", false},
    {"Entity", "Order", "transitions", "remove", BREAK, SOURCE, "(sent, lost)]", "(sent, lost), (lost, sent)]", true},
    {"Entity", "Line", "parent", "add", ASK, SOURCE, "parent: Order", "", true},
    {"Entity", "Line", "parent", "remove", ASK, SOURCE, "parent: Order", "", false},
    {"Entity", "Line", "parent", "change", BREAK, SOURCE, "parent: Order", "parent: Mall", false},
    {"Entity", "Mall", "tenor", "change", SAFE, BUNDLE, "\"states\":[\"open\"],\"tenor\":\"1.0\"", "\"states\":[\"open\"],\"tenor\":\"1.1\"", false},
    /* Rule */
    {"Rule", "spare", "id", "add", ASK, SOURCE, RULE_FINE, SPARE_RULE RULE_FINE, false},
    {"Rule", "spare", "id", "remove", BREAK, SOURCE, RULE_FINE, SPARE_RULE RULE_FINE, true},
    {"Rule", "fine", "stratum", "change", BREAK, SOURCE, "stratum: 1", "stratum: 2", false},
    {"Rule", "low", "body.when", "change", ASK, SOURCE, "amount <= 3", "amount <= 4", false},
    {"Rule", "fine", "body.produce.verdict_type", "change", BREAK, SOURCE, "verdict is_fine", "verdict is_good", false},
    {"Rule", "low", "body.produce.payload.type", "change", BREAK, SOURCE, "Int(min: 0, max: 9) = 1", "Int(min: 0, max: 8) = 1", false},
    {"Rule", "low", "body.produce.payload.value", "change", BREAK, SOURCE, "max: 9) = 1", "max: 9) = 2", false},
    {"Rule", "fine", "tenor", "change", SAFE, BUNDLE, "\"stratum\":1,\"tenor\":\"1.0\"", "\"stratum\":1,\"tenor\":\"1.1\"", false},
    /* Persona */
    {"Persona", "eve", "id", "add", SAFE, SOURCE, "persona eve\n", "", true},
    {"Persona", "eve", "id", "remove", BREAK, SOURCE, "persona eve\n", "", false},
    {"Persona", "ann", "tenor", "change", SAFE, BUNDLE, "\"line\":1},\"tenor\":\"1.0\"", "\"line\":1},\"tenor\":\"1.1\"", false},
    /* Operation */
    {"Operation", "extra", "id", "add", SAFE, SOURCE, "operation spare_op", "operation extra { allowed_personas: [ann] precondition: true effects: [] }\noperation spare_op", false},
    {"Operation", "extra", "id", "remove", BREAK, SOURCE, "operation spare_op", "operation extra { allowed_personas: [ann] precondition: true effects: [] }\noperation spare_op", true},
    {"Operation", "send", "allowed_personas", "add", SAFE, SOURCE, "[ann, bob]", "[ann, bob, eve]", false},
    {"Operation", "send", "allowed_personas", "remove", BREAK, SOURCE, "[ann, bob]", "[ann]", false},
    {"Operation", "send", "precondition", "change", ASK, SOURCE, "amount > 1", "amount > 2", false},
    {"Operation", "send", "effects", "add", SAFE, SOURCE, ", (Shop, open, shut)]", "]", true},
    {"Operation", "send", "effects", "remove", BREAK, SOURCE, ", (Shop, open, shut)]", "]", false},
    {"Operation", "lose", "effects", "change", BREAK, SOURCE, "[(Order, sent, lost)]", "[(Order, draft, sent)]", false},
    {"Operation", "lose", "outcomes", "add", BREAK, BUNDLE, "\"outcomes\":[\"gone\"]", "\"outcomes\":[\"gone\",\"back\"]", false},
    {"Operation", "lose", "outcomes", "remove", BREAK, BUNDLE, "\"outcomes\":[\"gone\"]", "\"outcomes\":[\"gone\",\"back\"]", true},
    {"Operation", "send", "error_contract", "add", SAFE, SOURCE, ", persona_rejected]", "]", true},
    {"Operation", "send", "error_contract", "remove", ASK, SOURCE, ", persona_rejected]", "]", false},
    {"Operation", "send", "tenor", "change", SAFE, BUNDLE, "\"op\":\">\",\"right\":{\"literal\":1,\"type\":{\"base\":\"Int\",\"max\":1,\"min\":1}}},\"provenance\":{\"file\":\"t.tenor\",\"line\":17},\"tenor\":\"1.0\"",
     "\"op\":\">\",\"right\":{\"literal\":1,\"type\":{\"base\":\"Int\",\"max\":1,\"min\":1}}},\"provenance\":{\"file\":\"t.tenor\",\"line\":17},\"tenor\":\"1.1\"", false},
    /* Flow */
    {"Flow", "spare_flow", "id", "add", SAFE, SOURCE, SPARE_FLOW, "", true},
    {"Flow", "spare_flow", "id", "remove", BREAK, SOURCE, SPARE_FLOW, "", false},
    {"Flow", "f", "entry", "change", BREAK, SOURCE, "entry: s1 steps: {\n", "entry: s2 steps: {\n", false},
    {"Flow", "f", "steps", "add", ASK, SOURCE, "s2: OperationStep", "s3: OperationStep { op: lose persona: ann outcomes: { gone: Terminal(success) } "
     "on_failure: Terminate(outcome: failure) }\ns2: OperationStep", false},
    {"Flow", "f", "steps", "remove", BREAK, SOURCE, "s2: OperationStep", "s3: OperationStep { op: lose persona: ann outcomes: { gone: Terminal(success) } "
     "on_failure: Terminate(outcome: failure) }\ns2: OperationStep", true},
    {"Flow", "f", "steps", "change", BREAK, SOURCE, "op: send persona: ann", "op: send persona: bob", false},
    {"Flow", "f", "snapshot", "change", BREAK, BUNDLE, "\"snapshot\":\"at_initiation\"", "\"snapshot\":\"at_each_step\"", false},
    {"Flow", "f", "tenor", "change", SAFE, BUNDLE, "\"persona\":\"ann\"}],\"tenor\":\"1.0\"", "\"persona\":\"ann\"}],\"tenor\":\"1.1\"", false},
    /* System */
    {"System", "shop", "id", "add", SAFE, SYSTEM_BUNDLE, SYSTEM_CONSTRUCT, "{\"constructs\":[{\"id\":\"mall\"", true},
    {"System", "shop", "id", "remove", BREAK, SYSTEM_BUNDLE, SYSTEM_CONSTRUCT, "{\"constructs\":[{\"id\":\"mall\"", false},
    {"System", "shop", "members", "add", SAFE, SYSTEM_BUNDLE, "{\"id\":\"m1\",\"path\":\"m1.tenor\"},", "", true},
    {"System", "shop", "members", "remove", BREAK, SYSTEM_BUNDLE, "{\"id\":\"m1\",\"path\":\"m1.tenor\"},", "", false},
    {"System", "shop", "members", "change", ASK, SYSTEM_BUNDLE, "\"m1.tenor\"", "\"m9.tenor\"", false},
    {"System", "shop", "shared_personas", "add", SAFE, SYSTEM_BUNDLE, "{\"contracts\":[\"m1\",\"m2\"],\"persona\":\"clerk\"}", "", true},
    {"System", "shop", "shared_personas", "remove", BREAK, SYSTEM_BUNDLE, "{\"contracts\":[\"m1\",\"m2\"],\"persona\":\"clerk\"}", "", false},
    {"System", "shop", "shared_personas", "change", BREAK, SYSTEM_BUNDLE, "[\"m1\",\"m2\"],\"persona\"", "[\"m1\",\"m3\"],\"persona\"", false},
    {"System", "shop", "triggers", "add", SAFE, SYSTEM_BUNDLE, "\"on\":\"success\"", "\"on\":\"failure\"", false},
    {"System", "shop", "triggers", "remove", BREAK, SYSTEM_BUNDLE, "\"source_flow\":\"a\"", "\"source_flow\":\"c\"", false},
    {"System", "shop", "triggers", "change", BREAK, SYSTEM_BUNDLE, "\"on\":\"success\",\"persona\":\"clerk\"", "\"on\":\"success\",\"persona\":\"boss\"", false},
    {"System", "shop", "shared_entities", "add", SAFE, SYSTEM_BUNDLE, "{\"contracts\":[\"m1\",\"m2\"],\"entity\":\"Parcel\"}", "", true},
    {"System", "shop", "shared_entities", "remove", BREAK, SYSTEM_BUNDLE, "{\"contracts\":[\"m1\",\"m2\"],\"entity\":\"Parcel\"}", "", false},
    {"System", "shop", "shared_entities", "change", BREAK, SYSTEM_BUNDLE, "[\"m1\",\"m2\"],\"entity\"", "[\"m1\"],\"entity\"", false},
    {"System", "shop", "tenor", "change", SAFE, SYSTEM_BUNDLE, "\"tenor\":\"1.0\",\"triggers\"", "\"tenor\":\"1.1\",\"triggers\"", false},
    /* Source */
    {"Source", "spare", "id", "add", SAFE, SOURCE, SPARE_SOURCE, "", true},
    {"Source", "spare", "id", "remove", SAFE, SOURCE, SPARE_SOURCE, "", false},
    {"Source", "api", "id", "remove_in_use", INFRA, BUNDLE, "\"id\":\"api\",\"kind\":\"Source\"", "\"id\":\"apj\",\"kind\":\"Source\"", false},
    {"Source", "spare", "protocol", "change", INFRA, BUNDLE, "\"protocol\":\"http\",\"provenance\":{\"file\":\"t.tenor\",\"line\":6}", "\"protocol\":\"graphql\",\"provenance\":{\"file\":\"t.tenor\",\"line\":6}", false},
    {"Source", "api", "fields", "change", INFRA, SOURCE, "https://a.example", "https://z.example", false},
    {"Source", "api", "description", "change", SAFE, SOURCE, "\"one\"", "\"two\"", false},
    {"Source", "spare", "tenor", "change", SAFE, BUNDLE, "\"line\":6},\"tenor\":\"1.0\"", "\"line\":6},\"tenor\":\"1.1\"", false},
    /* Trust */
    {"Manifest", "t", "trust", "add", SAFE, TRUST, "\"trust\"", "\"other\"", true},
    {"Manifest", "t", "trust", "remove", SAFE, TRUST, "\"trust\"", "\"other\"", false},
    {"Manifest", "t", "trust", "change", SAFE, TRUST, "\"aa\"", "\"bb\"", false},
    {"Manifest", "t", "trust", "change", SAFE, TRUST, "{\"attestation_format\"", "{\"agent\":\"x\",\"attestation_format\"", false},
    {"Manifest", "t", "trust.trust_domain", "add", SAFE, TRUST, ",\"trust_domain\":\"here\"", "", true},
    {"Manifest", "t", "trust.trust_domain", "remove", INFRA, TRUST, ",\"trust_domain\":\"here\"", "", false},
    {"Manifest", "t", "trust.trust_domain", "change", INFRA, TRUST, "\"here\"", "\"there\"", false},
    {"Manifest", "t", "trust.attestation_format", "add", SAFE, TRUST, "\"attestation_format\":\"ed25519-detached\",", "", true},
    {"Manifest", "t", "trust.attestation_format", "remove", SAFE, TRUST, "\"attestation_format\":\"ed25519-detached\",", "", false},
    {"Manifest", "t", "trust.attestation_format", "change", INFRA, TRUST, "ed25519-detached", "other", false},
    /* The envelope, and what the taxonomy does not know */
    {"Bundle", "t", "tenor", "change", SAFE, SYSTEM_BUNDLE, "\"tenor\":\"1.0\",\"tenor_version\"", "\"tenor\":\"1.1\",\"tenor_version\"", false},
    {"Bundle", "t", "tenor_version", "change", SAFE, SYSTEM_BUNDLE, "\"1.0.0\"", "\"1.1.0\"", false},
    {"Rule", "low", "body.x_mood", "", ASK, BUNDLE, "{\"body\":{\"produce\":{\"payload\":{\"type\":{\"base\":\"Int\"", "{\"body\":{\"x_mood\":1,\"produce\":{\"payload\":{\"type\":{\"base\":\"Int\"", false},
    {"Fact", "amount", "type", "base", BREAK, BUNDLE, "\"type\":{\"base\":\"Int\",\"max\":10", "\"type\":{\"base\":\"Int\",\"x_step\":2,\"max\":10", false},
    {"System", "shop", "x_mood", "", ASK, SYSTEM_BUNDLE, "\"kind\":\"System\",", "\"kind\":\"System\",\"x_mood\":1,", false},
};
/* clang-format on */
enum { COUNT = sizeof ROWS / sizeof *ROWS };

/* The text with its first `find` replaced. */
static mt_str edited(mt_arena *a, const char *text, const row *r)
{
    const char *at = strstr(text, r->find);
    if (!at) {
        fail_msg("no '%s' in the base:\n%s", r->find, text);
        return (mt_str){0};
    }
    return mt_strf(a, "%.*s%s%s", (int)(at - text), text, r->replace,
                   at + strlen(r->find));
}

typedef struct pair {
    mt_arena a;
    mt_json trees[2]; /* old, new */
    mt_json manifests[2];
} pair;

static mt_json parsed(pair *p, mt_str text)
{
    mt_json tree;
    mt_json_error error;
    if (mt_json_read(&p->a, text, NULL, &tree, &error)) {
        fail_msg("no JSON at %zu: %s\n%.*s", error.offset, error.message, MT_ARG(text));
    }
    return tree;
}

static mt_str bundle_of(pair *p, const char *source)
{
    version v;
    version_elaborate(&v, source);
    mt_str kept = mt_str_dup(&p->a, v.bundle);
    mt_arena_free(&v.a);
    return kept;
}

static an_diff *diff_of(pair *p, const row *r)
{
    const char *text = r->base == SOURCE || r->base == TRUST ? CONTRACT : SYSTEM;
    mt_str base = r->base == SYSTEM_BUNDLE ? mt_str_z(SYSTEM) : bundle_of(p, CONTRACT);
    mt_str other = base;
    if (r->base == SOURCE) {
        other = bundle_of(p, edited(&p->a, text, r).ptr);
    } else if (r->base != TRUST) {
        other = edited(&p->a, base.ptr, r);
    }
    int old = r->backwards ? 1 : 0;
    p->trees[old] = parsed(p, base);
    p->trees[!old] = parsed(p, other);
    p->manifests[old] = parsed(p, mt_str_z(MANIFEST));
    p->manifests[!old] =
        r->base == TRUST ? parsed(p, edited(&p->a, MANIFEST, r)) : p->manifests[old];
    an_diff_side before = {&p->trees[0], &p->manifests[0]};
    an_diff_side after = {&p->trees[1], &p->manifests[1]};
    return an_diff_bundles(&p->a, before, after);
}

static const an_diff_part *part_of(const an_diff *d, const row *r)
{
    const an_diff_entry *e = an_diff_find(d, mt_str_z(r->kind), mt_str_z(r->id));
    for (uint32_t f = 0; e && f < e->field_count; f++) {
        for (uint32_t p = 0; p < e->fields[f].part_count; p++) {
            const an_diff_part *part = &e->fields[f].parts[p];
            if (mt_str_eq(e->fields[f].field, mt_str_z(r->field)) &&
                strcmp(part->taxon->change, r->change) == 0) {
                return part;
            }
        }
    }
    return NULL;
}

static bool has_verdict(const version *v, mt_str name)
{
    uint32_t rule = ct_model_find(v->model, CT_KIND_VERDICT, name);
    return rule != CT_NONE && ct_verdict_present(v->verdicts, rule);
}

/* Every class the contract's verdicts name is the diff's, and no other is named. */
static void classes_agree(version *v, const an_diff *d)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->entry_count; i++) {
        const an_diff_entry *e = &d->entries[i];
        for (int class = 0; class < AN_CLASS_COUNT; class ++) {
            mt_str name =
                an_migration_verdict(&v->a, d, "construct", i + 1, (an_class) class);
            assert_int_equal(has_verdict(v, name), (int)e->class == class);
        }
        for (uint32_t f = 0; f < e->field_count; f++) {
            for (uint32_t p = 0; p < e->fields[f].part_count; p++) {
                n++;
                for (int class = 0; class < AN_CLASS_COUNT; class ++) {
                    mt_str name =
                        an_migration_verdict(&v->a, d, "change", n, (an_class) class);
                    an_class real = e->fields[f].parts[p].taxon->class;
                    assert_int_equal(has_verdict(v, name), (int)real == class);
                }
            }
        }
    }
    assert_int_equal(has_verdict(v, MT_STR("policy_required")), d->policy_required);
    assert_int_equal(has_verdict(v, MT_STR("operator_notice")), d->infrastructure);
}

/* The migration contract elaborates, loads and evaluates to the same classes. */
static void check_migration(const an_diff *d)
{
    mt_buf text = {0}, again = {0};
    version v;
    ct_fault fault;
    an_migration_contract(&text, d);
    an_migration_contract(&again, d);
    assert_true(mt_str_eq(mt_buf_str(&text), mt_buf_str(&again)));
    mt_buf_addc(&text, '\0');
    version_open(&v, text.ptr);
    assert_int_equal(ct_facts_read(v.facts, MT_STR("{}"), NULL, true, &fault), MT_OK);
    assert_int_equal(ct_evaluate(v.plan->program, v.facts, v.verdicts, &v.a, &fault),
                     MT_OK);
    classes_agree(&v, d);
    version_close(&v);
    mt_buf_free(&text);
    mt_buf_free(&again);
}

static void M1_classified(void **state)
{
    const row *r = *state;
    pair p = {0};
    const an_diff *d = diff_of(&p, r);
    const an_diff_part *part = part_of(d, r);
    if (!part) {
        mt_buf out = {0};
        an_diff_text(&out, d);
        print_error("%.*s\n", MT_ARG(mt_buf_str(&out)));
        mt_buf_free(&out);
    }
    assert_non_null(part);
    assert_int_equal(part ? part->taxon->class : AN_CLASS_COUNT, r->class);
    const an_diff_entry *e = an_diff_find(d, mt_str_z(r->kind), mt_str_z(r->id));
    assert_true(e && e->class >= r->class);
    assert_true(d->policy_required || r->class < AN_REQUIRES_ANALYSIS);
    check_migration(d);
    mt_arena_free(&p.a);
}

/* The table of the tests and the table of the taxonomy are the same. */
static void MI4_every_row_of_the_taxonomy_has_a_pair(void **state)
{
    (void)state;
    const an_taxon *t;
    for (size_t i = 0; (t = an_taxon_at(i)); i++) {
        bool met = false;
        for (size_t k = 0; k < COUNT && !met; k++) {
            met = *t->kind ? !strcmp(t->kind, ROWS[k].kind) &&
                                 !strcmp(t->field, ROWS[k].field) &&
                                 !strcmp(t->change, ROWS[k].change)
                           : !*ROWS[k].change;
        }
        if (!met) {
            fail_msg("no pair for %s.%s %s", t->kind, t->field, t->change);
        }
    }
}

/* Has the taxonomy a row for the field? */
static bool is_classified(const char *kind, mt_str field)
{
    const an_taxon *t;
    for (size_t i = 0; (t = an_taxon_at(i)); i++) {
        if (!strcmp(t->kind, kind) && mt_str_eq(field, mt_str_z(t->field))) {
            return true;
        }
    }
    return false;
}

/* Notes the names of all fields, "body.when" for those of an object inside. */
static void note_fields(mt_arena *a, mt_map *names, const char *kind, mt_str within,
                        const ln_field *fields)
{
    for (; fields->key; fields++) {
        mt_str name =
            mt_strf(a, "%.*s%s%s", MT_ARG(within), within.len ? "." : "", fields->key);
        if (fields->shape->kind == LN_SHAPE_OBJECT) {
            note_fields(a, names, kind, name, fields->shape->fields);
        } else {
            mt_map_put(a, names, mt_strf(a, "%s %.*s", kind, MT_ARG(name)), 1);
            if (!is_classified(kind, name)) {
                fail_msg("the taxonomy has no %s.%.*s", kind, MT_ARG(name));
            }
        }
    }
}

/* A field that one of them lacks would be reported as one nobody knows, or never. */
static void the_taxonomy_and_nodes_def_have_the_same_fields(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_map names = {0};
    const ln_case *c = LN_SHAPE_CONSTRUCT->cases;
    for (; c->family == LN_SHAPE_CONSTRUCT; c++) {
        note_fields(&a, &names, c->text, MT_STR(""), c->fields);
        mt_map_put(&a, &names, mt_strf(&a, "%s id", c->text), 1);
        mt_map_put(&a, &names, mt_strf(&a, "%s tenor", c->text), 1);
    }
    const an_taxon *t;
    for (size_t i = 0; (t = an_taxon_at(i)); i++) {
        bool construct = ln_case_find(LN_SHAPE_CONSTRUCT, mt_str_z(t->kind)) != NULL;
        if (construct &&
            !mt_map_find(&names, mt_strf(&a, "%s %s", t->kind, t->field))) {
            fail_msg("nodes.def has no %s.%s", t->kind, t->field);
        }
    }
    mt_arena_free(&a);
}

static an_diff *diff_sources(pair *p, const char *before, const char *after)
{
    p->trees[0] = parsed(p, bundle_of(p, before));
    p->trees[1] = parsed(p, bundle_of(p, after));
    return an_diff_bundles(&p->a, (an_diff_side){&p->trees[0], NULL},
                           (an_diff_side){&p->trees[1], NULL});
}

static void M7_moving_lines_is_no_change(void **state)
{
    (void)state;
    pair p = {0};
    mt_str moved = mt_strf(&p.a, "\n\n// moved\n\n%s", CONTRACT);
    const an_diff *d = diff_sources(&p, CONTRACT, moved.ptr);
    assert_int_equal(d->entry_count, 0);
    assert_false(d->policy_required);
    mt_arena_free(&p.a);
}

/* Every set of the contract written in another order. */
static void M8_reordering_sets_is_no_change(void **state)
{
    (void)state;
    static const char *const EDITS[][2] = {
        {"[draft, sent, lost]", "[lost, draft, sent]"},
        {"[(draft, sent), (sent, lost)]", "[(sent, lost), (draft, sent)]"},
        {"[ann, bob]", "[bob, ann]"},
        {"[precondition_failed, persona_rejected]",
         "[persona_rejected, precondition_failed]"},
        {"[(Order, draft, sent), (Shop, open, shut)]",
         "[(Shop, open, shut), (Order, draft, sent)]"},
        {"[\"x\", \"y\"]", "[\"y\", \"x\"]"},
    };
    pair p = {0};
    mt_str text = mt_str_z(CONTRACT);
    for (size_t i = 0; i < sizeof EDITS / sizeof *EDITS; i++) {
        row edit = {.find = EDITS[i][0], .replace = EDITS[i][1]};
        text = edited(&p.a, text.ptr, &edit);
    }
    const an_diff *d = diff_sources(&p, CONTRACT, text.ptr);
    assert_int_equal(d->entry_count, 0);
    assert_int_equal(d->class, AN_NON_BREAKING);
    check_migration(d);
    mt_arena_free(&p.a);
}

/* A bundle whose constructs stand in another order is the same bundle (MI2). */
static void M1_constructs_are_keyed_by_kind_and_id(void **state)
{
    (void)state;
    pair p = {0};
    p.trees[0] = parsed(&p, bundle_of(&p, CONTRACT));
    p.trees[1] = p.trees[0];
    mt_json list = *mt_json_at(&p.trees[0], "constructs");
    mt_json *turned = mt_new_array(&p.a, mt_json, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        turned[i] = list.as.items[list.count - 1 - i];
    }
    list.as.items = turned;
    mt_json_member members[] = {
        {MT_STR("constructs"), list},
        {MT_STR("id"), *mt_json_at(&p.trees[0], "id")},
        {MT_STR("tenor"), *mt_json_at(&p.trees[0], "tenor")},
        {MT_STR("tenor_version"), *mt_json_at(&p.trees[0], "tenor_version")}};
    mt_json other = {.type = MT_JSON_OBJECT, .count = 4, .as.members = members};
    const an_diff *d = an_diff_bundles(&p.a, (an_diff_side){&p.trees[0], NULL},
                                       (an_diff_side){&other, NULL});
    assert_int_equal(d->entry_count, 0);
    mt_arena_free(&p.a);
}

/* Several changes of one construct: the greatest counts, each keeps its own. */
static void a_construct_has_the_greatest_class_of_its_fields(void **state)
{
    (void)state;
    pair p = {0};
    row one = {.find = "[draft, sent, lost]", .replace = "[draft, sent, lost, found]"};
    row two = {.find = "initial: draft", .replace = "initial: sent"};
    mt_str text = edited(&p.a, edited(&p.a, CONTRACT, &one).ptr, &two);
    const an_diff *d = diff_sources(&p, CONTRACT, text.ptr);
    assert_int_equal(d->entry_count, 1);
    assert_int_equal(d->entries[0].class, AN_BREAKING);
    assert_int_equal(d->entries[0].field_count, 2);
    assert_int_equal(d->entries[0].fields[0].class, AN_BREAKING);
    assert_int_equal(d->entries[0].fields[1].class, AN_NON_BREAKING);
    check_migration(d);
    mt_arena_free(&p.a);
}

/* M6: unresolved it counts as breaking; a proof changes the decision, not the class. */
static void M6_requires_analysis_is_breaking_until_proven_safe(void **state)
{
    (void)state;
    pair p = {0};
    row edit = {.find = "amount > 1", .replace = "amount > 0"};
    an_diff *d = diff_sources(&p, CONTRACT, edited(&p.a, CONTRACT, &edit).ptr);
    assert_int_equal(d->class, AN_REQUIRES_ANALYSIS);
    assert_true(d->policy_required);
    d->entries[0].fields[0].parts[0].resolution = AN_PROVEN_SAFE;
    an_diff_decide(d);
    assert_false(d->policy_required);
    assert_int_equal(d->entries[0].class, AN_REQUIRES_ANALYSIS);
    d->entries[0].fields[0].parts[0].resolution = AN_PROVEN_BREAKING;
    an_diff_decide(d);
    assert_true(d->policy_required);
    mt_arena_free(&p.a);
}

/* A wider fact type changes annotations inside predicates; that is not a change. */
static void a_wider_type_alone_is_non_breaking(void **state)
{
    (void)state;
    pair p = {0};
    row edit = {.find = "max: 10)", .replace = "max: 1000)"};
    const an_diff *d = diff_sources(&p, CONTRACT, edited(&p.a, CONTRACT, &edit).ptr);
    assert_int_equal(d->entry_count, 1);
    assert_int_equal(d->class, AN_NON_BREAKING);
    mt_arena_free(&p.a);
}

/* The type of a quantifier's variable follows from its list. */
static void a_wider_element_type_alone_is_non_breaking(void **state)
{
    (void)state;
    static const char LISTED[] =
        "persona p\nfact xs { type: List(element_type: Int(min: 0, max: 9), max: 3) "
        "source: \"s\" }\nrule r { stratum: 0 when: forall x in xs . x > 1 produce: "
        "verdict v { payload: Bool = true } }\n";
    pair p = {0};
    row edit = {.find = "max: 9)", .replace = "max: 90)"};
    const an_diff *d = diff_sources(&p, LISTED, edited(&p.a, LISTED, &edit).ptr);
    assert_int_equal(d->entry_count, 1);
    assert_int_equal(d->class, AN_NON_BREAKING);
    mt_arena_free(&p.a);
}

/* No tree, however shaped, is too strange. */
static void hostile_trees_are_compared_without_harm(void **state)
{
    (void)state;
    static const char *const TREES[] = {
        "null",
        "[]",
        "{\"constructs\":7}",
        "{\"constructs\":[1,null,[],{}]}",
        "{\"constructs\":[{\"kind\":\"Fact\"},{\"kind\":\"Fact\",\"id\":\"\"}]}",
        "{\"constructs\":[{\"kind\":\"Fact\",\"id\":\"a\",\"type\":5,\"source\":[]}]}",
        "{\"constructs\":[{\"kind\":\"Fact\",\"id\":\"a\",\"type\":{\"base\":\"Int\","
        "\"min\":\"x\"},\"default\":[{}]}]}",
        "{\"constructs\":[{\"kind\":\"Operation\",\"id\":\"o\",\"effects\":{},"
        "\"outcomes\":[1,[]],\"allowed_personas\":null}]}",
        "{\"constructs\":[{\"kind\":\"Operation\",\"id\":\"o\",\"effects\":[[],"
        "{\"entity_id\":\"E:x\"}],\"error_contract\":[{}]}]}",
        "{\"constructs\":[{\"kind\":\"Flow\",\"id\":\"f\",\"steps\":[1,{\"id\":\"s\","
        "\"branches\":[4]}]}]}",
        "{\"constructs\":[{\"kind\":\"Flow\",\"id\":\"f\",\"steps\":[{\"id\":\"s\","
        "\"branches\":[{\"steps\":5}]}]}]}",
        "{\"constructs\":[{\"kind\":\"Rule\",\"id\":\"r\",\"body\":[]}]}",
        "{\"constructs\":[{\"kind\":\"\\u0000\",\"id\":\"\\n\\\"\\\\\"}]}",
        "{\"constructs\":[{\"kind\":\"System\",\"id\":\"s\",\"triggers\":[7],"
        "\"members\":[{}],\"shared_personas\":3}]}",
    };
    enum { N = sizeof TREES / sizeof *TREES };
    pair p = {0};
    mt_json trees[N];
    for (size_t i = 0; i < N; i++) {
        trees[i] = parsed(&p, mt_str_z(TREES[i]));
    }
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < N; k++) {
            mt_buf out = {0};
            const an_diff *d =
                an_diff_bundles(&p.a, (an_diff_side){&trees[i], &trees[k]},
                                (an_diff_side){&trees[k], &trees[i]});
            mt_jw w = mt_jw_start(&out, false);
            an_diff_json(&w, d);
            an_diff_text(&out, d);
            an_diff_text_by_class(&out, d);
            mt_buf_free(&out);
            check_migration(d);
        }
    }
    mt_arena_free(&p.a);
}

/* What a baseline knows is not new; a further change of the same field is. */
static void a_baseline_hides_what_it_has(void **state)
{
    (void)state;
    pair p = {0};
    row one = {.find = "amount > 1", .replace = "amount > 2"};
    row two = {.find = "amount > 1", .replace = "amount > 3"};
    an_diff *d = diff_sources(&p, CONTRACT, edited(&p.a, CONTRACT, &one).ptr);
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    an_diff_json(&w, d);
    mt_json baseline = parsed(&p, mt_buf_str(&out));
    uint32_t fresh;
    assert_int_equal(an_diff_against(&p.a, d, &baseline, &fresh), MT_OK);
    assert_int_equal(fresh, 0);
    pair q = {0};
    d = diff_sources(&q, CONTRACT, edited(&q.a, CONTRACT, &two).ptr);
    assert_int_equal(an_diff_against(&q.a, d, &baseline, &fresh), MT_OK);
    assert_int_equal(fresh, 1);
    assert_int_equal(an_diff_against(&q.a, d, &p.manifests[0], &fresh), MT_E_TYPE);
    mt_buf_free(&out);
    mt_arena_free(&p.a);
    mt_arena_free(&q.a);
}

int main(void)
{
    static const struct CMUnitTest SINGLE[] = {
        cmocka_unit_test(MI4_every_row_of_the_taxonomy_has_a_pair),
        cmocka_unit_test(the_taxonomy_and_nodes_def_have_the_same_fields),
        cmocka_unit_test(M7_moving_lines_is_no_change),
        cmocka_unit_test(M8_reordering_sets_is_no_change),
        cmocka_unit_test(M1_constructs_are_keyed_by_kind_and_id),
        cmocka_unit_test(a_construct_has_the_greatest_class_of_its_fields),
        cmocka_unit_test(M6_requires_analysis_is_breaking_until_proven_safe),
        cmocka_unit_test(a_wider_type_alone_is_non_breaking),
        cmocka_unit_test(a_wider_element_type_alone_is_non_breaking),
        cmocka_unit_test(hostile_trees_are_compared_without_harm),
        cmocka_unit_test(a_baseline_hides_what_it_has),
    };
    enum { SINGLES = sizeof SINGLE / sizeof *SINGLE };
    static char names[COUNT][96];
    struct CMUnitTest tests[COUNT + SINGLES];
    memcpy(tests, SINGLE, sizeof SINGLE);
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "M1_%s.%s %s is %s", ROWS[i].kind,
                 ROWS[i].field, *ROWS[i].change ? ROWS[i].change : "unknown",
                 AN_CLASS_NAMES[ROWS[i].class].ptr);
        tests[SINGLES + i] =
            (struct CMUnitTest){.name = names[i],
                                .test_func = M1_classified,
                                .initial_state = (void *)(uintptr_t)&ROWS[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
