/* analyze/version/classify.c - the table of spec §18.2.
 *
 * One row per (kind, field, change): its class, why, what to do, and what it means for
 * new flows and for flows under way. The words are shown to authors by `motet diff`
 * and go into migration contracts. The last row is for what the taxonomy does not
 * know; such a change requires analysis, since nobody can say it is harmless.
 *
 * Rows are searched one after the other: a diff asks some hundred times. A static
 * table, nothing can fail. */
#include "analyze/version/classify.h"

const mt_str AN_CLASS_NAMES[AN_CLASS_COUNT] = {
    [AN_NON_BREAKING] = MT_STR_INIT("NON_BREAKING"),
    [AN_INFRASTRUCTURE] = MT_STR_INIT("INFRASTRUCTURE"),
    [AN_REQUIRES_ANALYSIS] = MT_STR_INIT("REQUIRES_ANALYSIS"),
    [AN_BREAKING] = MT_STR_INIT("BREAKING"),
};
MT_TABLE_COVERS(AN_CLASS_NAMES, AN_CLASS_COUNT);

/* clang-format off */
#define SAFE  AN_NON_BREAKING
#define INFRA AN_INFRASTRUCTURE
#define ASK   AN_REQUIRES_ANALYSIS
#define BREAK AN_BREAKING

#define NOTHING  "none"
#define FROZEN   "none: the snapshot was frozen when the flow began"
#define OPERATOR "none: adapters and credentials must follow"
#define METADATA "version annotation, not evaluation semantics"

/* ORDER: by kind as in the specification; the last row is for all the rest. */
static const an_taxon TAXONOMY[] = {
    /* 18.2.1 Fact */
    {"Fact", "id", "add", SAFE, "no existing construct refers to a new fact", NULL,
     "the fact must be supplied unless it has a default", FROZEN},
    {"Fact", "id", "remove", BREAK, "rules and operations may refer to this fact",
     "remove every reference to the fact first",
     "the fact is no longer assembled", "a frozen snapshot loses its data source"},
    {"Fact", "type", "widen", SAFE, "all existing values remain valid", NULL,
     "more values are accepted", FROZEN},
    {"Fact", "type", "narrow", BREAK, "existing values may be invalid",
     "make sure that every supplier's values fit the new type",
     "values that were accepted may be refused", FROZEN},
    {"Fact", "type", "base", BREAK, "expressions over the fact are typed differently",
     "change every supplier and every expression that uses the fact",
     "values that were accepted are refused", FROZEN},
    {"Fact", "source", "freetext", SAFE, "a free-text source is documentation", NULL,
     NOTHING, NOTHING},
    {"Fact", "source", "to_structured", SAFE, "the source becomes machine-readable", NULL,
     "an adapter may supply the fact", FROZEN},
    {"Fact", "source", "to_freetext", INFRA, "the source is no longer machine-readable",
     "take the fact out of the adapters' configuration", OPERATOR, FROZEN},
    {"Fact", "source", "source_id", INFRA, "the fact comes from another source",
     "wire the adapter of the new source", OPERATOR, FROZEN},
    {"Fact", "source", "path", INFRA, "the fact comes from another path of its source",
     "adapt the adapter's mapping", OPERATOR, FROZEN},
    {"Fact", "default", "add", SAFE, "there is a fallback where there was none", NULL,
     "the fact may be left out", FROZEN},
    {"Fact", "default", "remove", BREAK, "without a value assembly now fails",
     "make sure that every caller supplies the fact",
     "a caller that relied on the default is refused", FROZEN},
    {"Fact", "default", "change", ASK, "verdicts may differ where the default is used",
     "check which verdicts the new default changes",
     "verdicts may differ where the default is used", FROZEN},
    {"Fact", "tenor", "change", SAFE, METADATA, NULL, NOTHING, NOTHING},
    /* 18.2.2 Entity */
    {"Entity", "id", "add", SAFE, "no existing construct refers to a new entity", NULL,
     NOTHING, NOTHING},
    {"Entity", "id", "remove", BREAK, "operations with effects on the entity are invalid",
     "end or migrate every instance of the entity",
     "flows that change the entity are gone", "flows lose the entity they act on"},
    {"Entity", "states", "add", SAFE, "existing transitions are unaffected", NULL,
     "new paths may be available", NOTHING},
    {"Entity", "states", "remove", BREAK, "instances in a removed state are orphaned",
     "map instances in removed states to states that remain",
     "operations from or to the state are invalid",
     "flows whose entities are in the state cannot go on"},
    {"Entity", "initial", "change", BREAK, "new instances start in another state",
     "check every flow that expects the old initial state",
     "flows may meet entities in another state", "existing instances are unaffected"},
    {"Entity", "transitions", "add", SAFE, "existing paths are unchanged", NULL,
     "new paths are available", NOTHING},
    {"Entity", "transitions", "remove", BREAK, "operations using the transition are invalid",
     "change the operations that use the transition",
     "operations using the transition are invalid",
     "flows that need the transition cannot proceed"},
    {"Entity", "parent", "add", ASK, "propagation may bring new state dependencies",
     "check what follows from the parent's states", "may depend on the parent's state",
     "incompatible: a hierarchy under way is not migrated"},
    {"Entity", "parent", "remove", ASK, "behaviour that depended on the parent is orphaned",
     "check what relied on the parent", "no longer depends on the parent's state",
     "incompatible: a hierarchy under way is not migrated"},
    {"Entity", "parent", "change", BREAK, "the hierarchy and its propagation change",
     "migrate the hierarchy as a whole", "depends on another parent's state",
     "entity hierarchies under way are disrupted"},
    {"Entity", "tenor", "change", SAFE, METADATA, NULL, NOTHING, NOTHING},
    /* 18.2.3 Rule */
    {"Rule", "id", "add", ASK, "a new verdict may shadow or conflict with existing ones",
     "check who reads the new verdict", "may see more verdicts", FROZEN},
    {"Rule", "id", "remove", BREAK, "the verdicts of the rule are no longer produced",
     "remove every reference to its verdict first",
     "operations that need the verdict may never run", FROZEN},
    {"Rule", "stratum", "change", BREAK, "the order of evaluation changes",
     "check every rule that reads verdicts of lower strata",
     "other verdicts may be available to rules", FROZEN},
    {"Rule", "body.when", "change", ASK, "the verdict may be produced more or less often",
     "compare the strength of the two predicates",
     "the verdict may be present where it was absent, or the other way round", FROZEN},
    {"Rule", "body.produce.verdict_type", "change", BREAK,
     "consumers of the original verdict lose it",
     "change every reference to the old verdict type",
     "operations that need the old verdict may never run", FROZEN},
    {"Rule", "body.produce.payload.type", "change", BREAK,
     "consumers expect a payload of the old type", "change every consumer of the payload",
     "payload comparisons are typed differently", FROZEN},
    {"Rule", "body.produce.payload.value", "change", BREAK,
     "consumers may decide differently on another value",
     "check every comparison with the payload",
     "thresholds and routing may come out differently", FROZEN},
    {"Rule", "tenor", "change", SAFE, METADATA, NULL, NOTHING, NOTHING},
    /* 18.2.4 Persona */
    {"Persona", "id", "add", SAFE, "no existing construct refers to a new persona", NULL,
     NOTHING, NOTHING},
    {"Persona", "id", "remove", BREAK, "operations and steps that name the persona are invalid",
     "give its authority to another persona first",
     "nobody may act as the persona", "steps that wait for the persona cannot proceed"},
    {"Persona", "tenor", "change", SAFE, METADATA, NULL, NOTHING, NOTHING},
    /* 18.2.5 Operation */
    {"Operation", "id", "add", SAFE, "no existing flow refers to a new operation", NULL,
     NOTHING, NOTHING},
    {"Operation", "id", "remove", BREAK, "flows with steps that invoke it are invalid",
     "take the operation out of every flow first",
     "flows that invoke it are gone", "flows at such a step cannot proceed"},
    {"Operation", "allowed_personas", "add", SAFE,
     "whoever was authorised remains so", NULL, "more personas may act", NOTHING},
    {"Operation", "allowed_personas", "remove", BREAK,
     "steps that act as the persona fail authorisation",
     "change every step that acts as the persona",
     "the persona is refused", "steps that act as the persona are refused"},
    {"Operation", "precondition", "change", ASK,
     "what was allowed may be refused, depending on the strength of the predicates",
     "compare the strength of the two predicates",
     "may be refused where it was allowed", "is checked against the frozen snapshot"},
    {"Operation", "effects", "add", SAFE, "existing effects remain", NULL,
     "another entity is changed too", "the entity must be bound to an instance"},
    {"Operation", "effects", "remove", BREAK, "a transition no longer occurs",
     "check every step that relies on the transition",
     "the entity stays where it was", "later steps meet entities in other states"},
    {"Operation", "effects", "change", BREAK, "entities are moved differently",
     "check every step that relies on the transition",
     "entities end in other states", "entities are moved to unexpected states"},
    {"Operation", "outcomes", "add", BREAK, "every step must handle every outcome",
     "route the new outcome in every flow",
     "flows that do not route the outcome are invalid",
     "a step may end with an outcome its flow did not know"},
    {"Operation", "outcomes", "remove", BREAK, "routes of the outcome are dead",
     "remove the routes of the outcome",
     "paths behind the outcome are gone", "paths behind the outcome are gone"},
    {"Operation", "error_contract", "add", SAFE, "existing handling is unaffected", NULL,
     "may fail in a new way", "may fail in a new way"},
    {"Operation", "error_contract", "remove", ASK, "a handler of the error may be dead",
     "check who handles the error", "the error is no longer declared",
     "the error is no longer declared"},
    {"Operation", "tenor", "change", SAFE, METADATA, NULL, NOTHING, NOTHING},
    /* 18.2.6 Flow */
    {"Flow", "id", "add", SAFE, "no existing construct refers to a new flow", NULL,
     "another flow can be begun", NOTHING},
    {"Flow", "id", "remove", BREAK, "sub-flow steps that refer to it are invalid",
     "let its instances end first", "can no longer be begun", "instances are orphaned"},
    {"Flow", "entry", "change", BREAK, "new flows begin with another step",
     "check the paths from the new entry", "take another path",
     "none: they have passed the entry"},
    {"Flow", "steps", "add", ASK, "existing paths may lead through the new step",
     "check whether an existing path leads to the step", "may take another path",
     "may meet data dependencies their past does not satisfy"},
    {"Flow", "steps", "remove", BREAK, "references to the step are invalid",
     "let instances pass the step first", "take another path",
     "flows at the step cannot proceed"},
    {"Flow", "steps", "change", BREAK, "paths, authority or the operation differ",
     "check every instance that will reach the step", "take another path",
     "flows that reach the step behave differently"},
    {"Flow", "snapshot", "change", BREAK, "verdicts are frozen at another moment",
     "keep at_initiation", "verdicts are frozen at another moment",
     "verdicts are frozen at another moment"},
    {"Flow", "tenor", "change", SAFE, METADATA, NULL, NOTHING, NOTHING},
    /* 18.2.7 System */
    {"System", "id", "add", SAFE, "no existing behaviour refers to a new system", NULL,
     NOTHING, NOTHING},
    {"System", "id", "remove", BREAK, "triggers and shared bindings cease",
     "let pending triggers finish first", "no flow is triggered", "triggers do not fire"},
    {"System", "members", "add", SAFE, "existing members are unaffected", NULL, NOTHING,
     NOTHING},
    {"System", "members", "remove", BREAK, "triggers and shared bindings of the member are invalid",
     "take the member out of triggers and shared bindings first",
     "the member's flows are gone", "triggers from and to the member do not fire"},
    {"System", "members", "change", ASK, "the member may be another contract",
     "compare the contracts at the two paths", "may be those of another contract",
     "may belong to another contract"},
    {"System", "shared_personas", "add", SAFE, "shared identity is widened", NULL, NOTHING,
     NOTHING},
    {"System", "shared_personas", "remove", BREAK, "authority across contracts changes",
     "give the persona's holders their rights per contract",
     "one identity no longer acts in several contracts", "waiting steps may lose their actor"},
    {"System", "shared_personas", "change", BREAK, "authority across contracts changes",
     "give the persona's holders their rights per contract",
     "one identity acts in other contracts", "waiting steps may lose their actor"},
    {"System", "triggers", "add", SAFE, "a new path of coordination", NULL,
     "another flow may be triggered", NOTHING},
    {"System", "triggers", "remove", BREAK, "the target flow is never begun from this source",
     "begin the target flow by other means", "the target flow is not triggered",
     "flows that expect the trigger to fire are affected"},
    {"System", "triggers", "change", BREAK, "another flow, outcome or persona is meant",
     "check both ends of the trigger", "the trigger fires differently",
     "flows that expect the trigger to fire are affected"},
    {"System", "shared_entities", "add", SAFE, "existing coordination is unaffected", NULL,
     NOTHING, NOTHING},
    {"System", "shared_entities", "remove", BREAK, "state is no longer coordinated across contracts",
     "decide which contract keeps the instances", "contracts see separate states",
     "contracts see separate states"},
    {"System", "shared_entities", "change", BREAK, "state is coordinated across other contracts",
     "decide which contract keeps the instances", "contracts see separate states",
     "contracts see separate states"},
    {"System", "tenor", "change", SAFE, METADATA, NULL, NOTHING, NOTHING},
    /* 18.2.8 Source */
    {"Source", "id", "add", SAFE, "no existing evaluation refers to a new source", NULL,
     NOTHING, NOTHING},
    {"Source", "id", "remove", SAFE, "no fact refers to the source", NULL, NOTHING, NOTHING},
    {"Source", "id", "remove_in_use", INFRA, "facts still refer to the source",
     "give those facts another source", "the contract is refused at elaboration", FROZEN},
    {"Source", "protocol", "change", INFRA, "adapters speak another protocol",
     "wire an adapter for the new protocol", OPERATOR, FROZEN},
    {"Source", "fields", "change", INFRA, "the connection is configured differently",
     "adapt connections and credentials", OPERATOR, FROZEN},
    {"Source", "description", "change", SAFE, "documentation", NULL, NOTHING, NOTHING},
    {"Source", "tenor", "change", SAFE, METADATA, NULL, NOTHING, NOTHING},
    /* 18.2.9 Trust metadata: of the manifest */
    {"Manifest", "trust", "add", SAFE, "the evaluator ignores trust metadata", NULL, NOTHING,
     NOTHING},
    {"Manifest", "trust", "remove", SAFE, "the evaluator ignores trust metadata", NULL,
     NOTHING, NOTHING},
    {"Manifest", "trust", "change", SAFE, "the evaluator ignores trust metadata", NULL,
     NOTHING, NOTHING},
    {"Manifest", "trust.trust_domain", "add", SAFE, "records gain a trust domain", NULL,
     NOTHING, NOTHING},
    {"Manifest", "trust.trust_domain", "remove", INFRA,
     "auditors may depend on the trust domain", "tell the auditors", NOTHING, NOTHING},
    {"Manifest", "trust.trust_domain", "change", INFRA, "the chain of trust changes",
     "tell the auditors", NOTHING, NOTHING},
    {"Manifest", "trust.attestation_format", "add", SAFE,
     "nobody verifies attestations yet", NULL, NOTHING, NOTHING},
    {"Manifest", "trust.attestation_format", "remove", SAFE,
     "there is nothing to verify any more", NULL, NOTHING, NOTHING},
    {"Manifest", "trust.attestation_format", "change", INFRA,
     "consumers of attestations must verify another format", "update the verifiers", NOTHING,
     NOTHING},
    /* The envelope */
    {"Bundle", "tenor", "change", SAFE, METADATA, NULL, NOTHING, NOTHING},
    {"Bundle", "tenor_version", "change", SAFE, METADATA, NULL, NOTHING, NOTHING},
    {"", "", "", ASK, "the taxonomy does not know this field",
     "find out what the field means", "unknown", "unknown"},
};
/* clang-format on */
enum { ROWS = sizeof TAXONOMY / sizeof *TAXONOMY };

const an_taxon *an_taxon_at(size_t index)
{
    return index < ROWS ? &TAXONOMY[index] : NULL;
}

const an_taxon *an_classify(mt_str kind, mt_str field, mt_str change)
{
    for (size_t i = 0; i < ROWS - 1; i++) {
        const an_taxon *t = &TAXONOMY[i];
        if (mt_str_eq(kind, mt_str_z(t->kind)) &&
            mt_str_eq(field, mt_str_z(t->field)) &&
            mt_str_eq(change, mt_str_z(t->change))) {
            return t;
        }
    }
    return &TAXONOMY[ROWS - 1];
}
