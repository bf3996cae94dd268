/* Whole replies, for people and for programs: every kind of question, its yes and its
 * no, what is left open at a limit, and what is said of a question nobody understands.
 */
#include "../contract/elaborate_fixture.h"
#include "../rows.h"
#include "analyze/prove/ask.h"

/* clang-format off */
static const char CLAIMS[] =
    "persona clerk\npersona boss\npersona guest\n"
    "fact amount { type: Int(0, 9000) source: \"desk.amount\" }\n"
    "fact fraud { type: Bool source: \"bureau.fraud\" }\n"
    "rule ok { stratum: 0 when: amount < 5000 and fraud = false produce: verdict ok { payload: Bool = true } }\n"
    "entity Claim { states: [open, asked, paid, refused] initial: open\n"
    "  transitions: [(open, asked), (asked, paid), (open, refused)] }\n"
    "entity Report { states: [none, written] initial: none transitions: [(none, written)] }\n"
    "operation request { allowed_personas: [clerk] precondition: true\n"
    "  effects: [(Claim, open, asked), (Report, none, written)] outcomes: [x] error_contract: [] }\n"
    "operation approve { allowed_personas: [boss] precondition: verdict_present(ok)\n"
    "  effects: [(Claim, asked, paid)] outcomes: [x] error_contract: [] }\n"
    "operation refuse { allowed_personas: [boss] precondition: amount > 9 and amount < 3\n"
    "  effects: [(Claim, open, refused)] outcomes: [x] error_contract: [] }\n";

/* Facts of every kind that a question compares. */
static const char KINDS[] =
    "fact n { type: Int(0, 9) source: \"desk.n\" }\n"
    "fact far { type: Bool source: \"desk.far\" }\n"
    "fact kind { type: Enum([\"car\", \"house\"]) source: \"desk.kind\" }\n"
    "fact cost { type: Money(\"EUR\") source: \"desk.cost\" }\n"
    "fact day { type: Date source: \"desk.day\" }\n"
    "fact wait { type: Duration(unit: \"hours\", min: 0, max: 90) source: \"desk.wait\" }\n"
    "fact marks { type: List(element_type: Int(0, 9), max: 3) source: \"desk.marks\" }\n"
    "fact item { type: Record { price: Decimal(6, 2), good: Bool } source: \"desk.item\" }\n"
    "rule rate { stratum: 0 when: n > 2 produce: verdict rate { payload: Int(0, 9) = n } }\n";

/* A claim may be taken on the report of another one. */
static const char BORROWED[] =
    "persona p\npersona q\n"
    "entity E { states: [a, b, c] initial: a transitions: [(a, b), (a, c)] }\n"
    "entity R { states: [free, ready, done] initial: free transitions: [(free, ready), (ready, done)] }\n"
    "operation write { allowed_personas: [p] precondition: true effects: [(E, a, b), (R, free, ready)]\n"
    "  outcomes: [x] error_contract: [] }\n"
    "operation take { allowed_personas: [p, q] precondition: true effects: [(E, a, c), (R, ready, done)]\n"
    "  outcomes: [x] error_contract: [] }\n";

static const char FLOWS[] =
    "persona p\n"
    "fact l { type: List(element_type: Int(0, 9), max: 3) source: \"s\" }\n"
    "flow good { snapshot: at_initiation entry: a steps: {\n"
    "  a: BranchStep { condition: len(l) > 0 persona: p if_true: b if_false: Terminal(failure) }\n"
    "  b: BranchStep { condition: l[0] = 3 persona: p if_true: Terminal(success) if_false: Terminal(failure) } } }\n"
    "flow bad { snapshot: at_initiation entry: a steps: {\n"
    "  a: BranchStep { condition: len(l) >= 0 persona: p if_true: b if_false: Terminal(failure) }\n"
    "  b: BranchStep { condition: l[0] = 3 persona: p if_true: Terminal(success) if_false: Terminal(failure) } } }\n";

static const char CIRCLE[] =
    "persona p\n"
    "entity A { states: [a, b] initial: a transitions: [(a, b), (b, a), (b, b)] }\n"
    "operation o { allowed_personas: [p] precondition: true effects: [(A, a, b), (A, b, a)]\n"
    "  outcomes: [x] error_contract: [] }\n";

/* Members move one entity together; the end of a flow of one starts a flow of the other. */
static const char SYSTEM[] =
    "system s { members: [a: \"a.tenor\", b: \"b.tenor\"]\n"
    "  shared_personas: [{ persona: p, contracts: [a, b] }]\n"
    "  triggers: [{ source: a.fa, on: success, target: b.fb, persona: p }]\n"
    "  shared_entities: [{ entity: S, contracts: [a, b] }] }\n";
static const char MEMBER_A[] =
    "persona p\npersona q\n"
    "fact n { type: Int(0, 9) source: \"desk.n\" }\n"
    "entity S { states: [s0, s1, s2] initial: s0 transitions: [(s0, s1)] }\n"
    "rule big { stratum: 0 when: n > 6 produce: verdict big { payload: Bool = true } }\n"
    "operation go { allowed_personas: [q] precondition: n > 3 effects: [(S, s0, s1)] outcomes: [x] error_contract: [] }\n"
    "flow fa { snapshot: at_initiation entry: o steps: { o: OperationStep { op: go persona: q\n"
    "  outcomes: { x: Terminal(success) } on_failure: Terminal(failure) } } }\n";
static const char MEMBER_B[] =
    "persona p\npersona q\n"
    "fact n { type: Int(0, 9) source: \"desk.n\" }\n"
    "entity S { states: [s2, s1, s0] initial: s0 transitions: [(s1, s2)] }\n"
    "operation go { allowed_personas: [p] precondition: n < 3 effects: [(S, s1, s2)] outcomes: [x] error_contract: [] }\n"
    "flow fb { snapshot: at_initiation entry: o steps: { o: OperationStep { op: go persona: p\n"
    "  outcomes: { x: Terminal(success) } on_failure: Terminal(failure) } } }\n";

typedef struct row {
    const char *name; /* the question */
    const char *contract;
    size_t reach_states, prove_steps; /* 0: as many as ever */
    uint32_t instances;
    const char *text, *json;
} row;

static const row ROWS[] = {
    {"can clerk reach Claim.paid", CLAIMS, 0, 0, 0,
     "no\n"
     "  clerk moves it: open -> asked (request)\n"
     "  these can:\n"
     "  boss: approve (asked -> paid), after others\n"
     "    1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "    2. boss: approve (asked -> paid)\n"
     "  holds for: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":3},\"personas\":[\"boss\"],\"proof\":\"proven\","
     "\"question\":\"can clerk reach Claim.paid\",\"reply\":\"no\",\"ways\":[{\"alone\":false,"
     "\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},"
     "{\"entity\":\"Report\",\"from\":\"none\",\"instance\":\"_default\",\"to\":\"written\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\",\"named\":false,\"operation\":\"request\","
     "\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"},{\"changes\":[{\"entity\":\"Claim\","
     "\"from\":\"asked\",\"instance\":\"_default\",\"to\":\"paid\"}],\"facts\":{\"amount\":0,\"fraud\":false},"
     "\"from\":\"asked\",\"named\":false,\"operation\":\"approve\",\"outcome\":\"x\",\"persona\":\"boss\","
     "\"to\":\"paid\"}],\"persona\":\"boss\"}]}"},
    {"can boss reach Claim.paid", CLAIMS, 0, 0, 0,
     "yes, after others\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  2. boss: approve (asked -> paid)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n",
     "{\"alone\":false,\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set,"
     " at each step its own\",\"instances\":1,\"joint_states\":2},\"path\":[{\"changes\":[{\"entity\":\"Claim\","
     "\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\","
     "\"named\":false,\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"},"
     "{\"changes\":[{\"entity\":\"Claim\",\"from\":\"asked\",\"instance\":\"_default\",\"to\":\"paid\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"asked\",\"named\":false,\"operation\":\"approve\","
     "\"outcome\":\"x\",\"persona\":\"boss\",\"to\":\"paid\"}],\"proof\":\"trace\","
     "\"question\":\"can boss reach Claim.paid\",\"reply\":\"yes\"}"},
    {"can anyone reach Claim.asked?", CLAIMS, 0, 0, 0,
     "yes\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\","
     "\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\","
     "\"named\":false,\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"}],"
     "\"proof\":\"trace\",\"question\":\"can anyone reach Claim.asked?\",\"reply\":\"yes\"}"},
    {"can guest perform approve", CLAIMS, 0, 0, 0,
     "no\n"
     "  guest moves it: nowhere\n"
     "  these can:\n"
     "  boss: approve (asked -> paid), after others\n"
     "    1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "    2. boss: approve (asked -> paid)\n"
     "  holds for: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":3},\"personas\":[\"boss\"],\"proof\":\"proven\","
     "\"question\":\"can guest perform approve\",\"reply\":\"no\",\"ways\":[{\"alone\":false,"
     "\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},"
     "{\"entity\":\"Report\",\"from\":\"none\",\"instance\":\"_default\",\"to\":\"written\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\",\"named\":false,\"operation\":\"request\","
     "\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"},{\"changes\":[{\"entity\":\"Claim\","
     "\"from\":\"asked\",\"instance\":\"_default\",\"to\":\"paid\"}],\"facts\":{\"amount\":0,\"fraud\":false},"
     "\"from\":\"asked\",\"named\":false,\"operation\":\"approve\",\"outcome\":\"x\",\"persona\":\"boss\","
     "\"to\":\"paid\"}],\"persona\":\"boss\"}]}"},
    {"can clerk move Claim from open to asked", CLAIMS, 0, 0, 0,
     "yes\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n",
     "{\"alone\":true,\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set,"
     " at each step its own\",\"instances\":1,\"joint_states\":1},\"path\":[{\"changes\":[{\"entity\":\"Claim\","
     "\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\","
     "\"named\":false,\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"}],"
     "\"proof\":\"trace\",\"question\":\"can clerk move Claim from open to asked\",\"reply\":\"yes\"}"},
    {"can guest reach Claim.open", CLAIMS, 0, 0, 0,
     "no\n"
     "  guest moves it: nowhere\n"
     "  it begins there\n"
     "  nobody can\n"
     "  holds for: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[],\"facts\":\"every fact set, at each step its own\",\"instances\":\"any\","
     "\"joint_states\":0},\"personas\":[],\"proof\":\"proven\",\"question\":\"can guest reach Claim.open\","
     "\"reply\":\"no\",\"ways\":[]}"},
    {"who can perform approve", CLAIMS, 0, 0, 0,
     "  boss: approve (asked -> paid), after others\n"
     "    1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "    2. boss: approve (asked -> paid)\n"
     "  nobody else: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":3},\"personas\":[\"boss\"],\"proof\":\"trace\","
     "\"question\":\"who can perform approve\",\"reply\":\"yes\",\"ways\":[{\"alone\":false,"
     "\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},"
     "{\"entity\":\"Report\",\"from\":\"none\",\"instance\":\"_default\",\"to\":\"written\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\",\"named\":false,\"operation\":\"request\","
     "\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"},{\"changes\":[{\"entity\":\"Claim\","
     "\"from\":\"asked\",\"instance\":\"_default\",\"to\":\"paid\"}],\"facts\":{\"amount\":0,\"fraud\":false},"
     "\"from\":\"asked\",\"named\":false,\"operation\":\"approve\",\"outcome\":\"x\",\"persona\":\"boss\","
     "\"to\":\"paid\"}],\"persona\":\"boss\"}]}"},
    {"who can reach Claim.refused", CLAIMS, 0, 0, 0,
     "  nobody: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":3},\"personas\":[],\"proof\":\"proven\","
     "\"question\":\"who can reach Claim.refused\",\"reply\":\"no\",\"ways\":[]}"},
    {"who can move Claim from open to asked", CLAIMS, 0, 0, 0,
     "  clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "  nobody else: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":3},\"personas\":[\"clerk\"],\"proof\":\"trace\","
     "\"question\":\"who can move Claim from open to asked\",\"reply\":\"yes\",\"ways\":[{\"alone\":true,"
     "\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},"
     "{\"entity\":\"Report\",\"from\":\"none\",\"instance\":\"_default\",\"to\":\"written\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\",\"named\":false,\"operation\":\"request\","
     "\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"}],\"persona\":\"clerk\"}]}"},
    {"who can reach Report.none", CLAIMS, 0, 0, 0,
     "  it begins there\n"
     "  nobody: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[],\"facts\":\"every fact set, at each step its own\",\"instances\":\"any\","
     "\"joint_states\":0},\"personas\":[],\"proof\":\"proven\",\"question\":\"who can reach Report.none\","
     "\"reply\":\"no\",\"ways\":[]}"},
    {"what can boss do alone", CLAIMS, 0, 0, 0,
     "  nothing: every fact set, at each step its own; all 1 joint state of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"operations\":[],\"proof\":\"proven\","
     "\"question\":\"what can boss do alone\",\"reached\":{},\"reply\":\"no\"}"},
    {"what can clerk do alone", CLAIMS, 0, 0, 0,
     "  request\n"
     "    1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "       for: {\"amount\":0,\"fraud\":false}\n"
     "  it brings Claim to asked\n"
     "  it brings Report to written\n"
     "  nothing else: every fact set, at each step its own; all 2 joint states of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":2},\"operations\":[{\"operation\":\"request\","
     "\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},"
     "{\"entity\":\"Report\",\"from\":\"none\",\"instance\":\"_default\",\"to\":\"written\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"named\":false,\"operation\":\"request\",\"outcome\":\"x\","
     "\"persona\":\"clerk\"}]}],\"proof\":\"trace\",\"question\":\"what can clerk do alone\","
     "\"reached\":{\"Claim\":[\"asked\"],\"Report\":[\"written\"]},\"reply\":\"yes\"}"},
    {"what can guest do alone", CLAIMS, 0, 0, 0,
     "  nothing: every fact set, at each step its own; all 1 joint state of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"operations\":[],\"proof\":\"proven\","
     "\"question\":\"what can guest do alone\",\"reached\":{},\"reply\":\"no\"}"},
    {"can ok hold", CLAIMS, 0, 0, 0,
     "yes\n"
     "  for: {\"amount\":0,\"fraud\":false}\n",
     "{\"facts\":{\"amount\":0,\"fraud\":false},\"proof\":\"facts\",\"question\":\"can ok hold\","
     "\"reply\":\"yes\"}"},
    {"is amount > 9000 possible", CLAIMS, 0, 0, 0,
     "no (proven for every fact set)\n",
     "{\"proof\":\"proven\",\"question\":\"is amount > 9000 possible\",\"reply\":\"no\"}"},
    {"can Claim.paid and amount = 7000 hold", CLAIMS, 0, 0, 0,
     "yes\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  2. boss: approve (asked -> paid)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n"
     "  then Claim is paid, Report is written\n"
     "  for: {\"amount\":7000,\"fraud\":false}\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"facts\":{\"amount\":7000,\"fraud\":false},"
     "\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},"
     "{\"entity\":\"Report\",\"from\":\"none\",\"instance\":\"_default\",\"to\":\"written\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\",\"named\":false,\"operation\":\"request\","
     "\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"},{\"changes\":[{\"entity\":\"Claim\","
     "\"from\":\"asked\",\"instance\":\"_default\",\"to\":\"paid\"}],\"facts\":{\"amount\":0,\"fraud\":false},"
     "\"from\":\"asked\",\"named\":false,\"operation\":\"approve\",\"outcome\":\"x\",\"persona\":\"boss\","
     "\"to\":\"paid\"}],\"proof\":\"trace\",\"question\":\"can Claim.paid and amount = 7000 hold\","
     "\"reply\":\"yes\",\"states\":{\"Claim\":{\"_default\":\"paid\"},\"Report\":{\"_default\":\"written\"}}}"},
    {"can Claim.asked and Report.none hold", CLAIMS, 0, 0, 0,
     "no\n"
     "  holds for: every fact set, at each step its own; all 3 joint states of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"proof\":\"proven\","
     "\"question\":\"can Claim.asked and Report.none hold\",\"reply\":\"no\"}"},
    {"is cost <= 100 EUR and kind = \"car\" possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\","
     "\"question\":\"is cost <= 100 EUR and kind = \\\"car\\\" possible\",\"reply\":\"yes\"}"},
    {"is wait > 48 possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":49}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":49}},\"proof\":\"facts\",\"question\":\"is wait > 48 possible\","
     "\"reply\":\"yes\"}"},
    {"is len(marks) > 3 possible", KINDS, 0, 0, 0,
     "no (proven for every fact set)\n",
     "{\"proof\":\"proven\",\"question\":\"is len(marks) > 3 possible\",\"reply\":\"no\"}"},
    {"is item.good and item.price > 1.5 possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":true,\"price\":\"1.51\"},\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":true,\"price\":\"1.51\"},\"kind\":\"car\",\"marks\":[],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\","
     "\"question\":\"is item.good and item.price > 1.5 possible\",\"reply\":\"yes\"}"},
    {"is day < \"2026-01-01\" possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\","
     "\"question\":\"is day < \\\"2026-01-01\\\" possible\",\"reply\":\"yes\"}"},
    {"is cost.amount > 3 possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"3.01\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"3.01\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\",\"question\":\"is cost.amount > 3 possible\","
     "\"reply\":\"yes\"}"},
    {"is rate >= 8 possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":8,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":8,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\",\"question\":\"is rate >= 8 possible\","
     "\"reply\":\"yes\"}"},
    {"is ok always", CLAIMS, 0, 0, 0,
     "no\n"
     "  not for: {\"amount\":0,\"fraud\":true}\n",
     "{\"facts\":{\"amount\":0,\"fraud\":true},\"proof\":\"facts\",\"question\":\"is ok always\",\"reply\":\"no\"}"},
    {"is amount >= 0 always", CLAIMS, 0, 0, 0,
     "yes (proven for every fact set)\n",
     "{\"proof\":\"proven\",\"question\":\"is amount >= 0 always\",\"reply\":\"yes\"}"},
    {"is ok implied by amount < 5000", CLAIMS, 0, 0, 0,
     "no\n"
     "  not for: {\"amount\":0,\"fraud\":true}\n",
     "{\"facts\":{\"amount\":0,\"fraud\":true},\"proof\":\"facts\","
     "\"question\":\"is ok implied by amount < 5000\",\"reply\":\"no\"}"},
    {"is approve implied by ok", CLAIMS, 0, 0, 0,
     "yes (proven for every fact set)\n",
     "{\"proof\":\"proven\",\"question\":\"is approve implied by ok\",\"reply\":\"yes\"}"},
    {"is approve the same as ok", CLAIMS, 0, 0, 0,
     "yes (proven for every fact set)\n",
     "{\"proof\":\"proven\",\"question\":\"is approve the same as ok\",\"reply\":\"yes\"}"},
    {"is ok the same as not fraud", CLAIMS, 0, 0, 0,
     "no\n"
     "  not for: {\"amount\":5000,\"fraud\":false}\n",
     "{\"facts\":{\"amount\":5000,\"fraud\":false},\"proof\":\"facts\","
     "\"question\":\"is ok the same as not fraud\",\"reply\":\"no\"}"},
    {"when is ok", CLAIMS, 0, 0, 0,
     "amount < 5000 and fraud = false\n"
     "  for example: {\"amount\":0,\"fraud\":false}\n",
     "{\"condition\":\"amount < 5000 and fraud = false\",\"facts\":{\"amount\":0,\"fraud\":false},"
     "\"proof\":\"proven\",\"question\":\"when is ok\",\"reply\":\"yes\"}"},
    {"when is not ok", CLAIMS, 0, 0, 0,
     "amount >= 5000 or fraud = true\n"
     "  for example: {\"amount\":0,\"fraud\":true}\n",
     "{\"condition\":\"amount >= 5000 or fraud = true\",\"facts\":{\"amount\":0,\"fraud\":true},"
     "\"proof\":\"proven\",\"question\":\"when is not ok\",\"reply\":\"yes\"}"},
    {"when can approve", CLAIMS, 0, 0, 0,
     "amount < 5000 and fraud = false\n"
     "  for example: {\"amount\":0,\"fraud\":false}\n",
     "{\"condition\":\"amount < 5000 and fraud = false\",\"facts\":{\"amount\":0,\"fraud\":false},"
     "\"proof\":\"proven\",\"question\":\"when can approve\",\"reply\":\"yes\"}"},
    {"when can refuse", CLAIMS, 0, 0, 0,
     "never (proven for every fact set)\n",
     "{\"condition\":\"never\",\"proof\":\"proven\",\"question\":\"when can refuse\",\"reply\":\"no\"}"},
    {"when is ok or not ok", CLAIMS, 0, 0, 0,
     "always\n"
     "  for example: {\"amount\":0,\"fraud\":false}\n",
     "{\"condition\":\"always\",\"facts\":{\"amount\":0,\"fraud\":false},\"proof\":\"proven\","
     "\"question\":\"when is ok or not ok\",\"reply\":\"yes\"}"},
    {"when is rate > 5 and not far", KINDS, 0, 0, 0,
     "n > 5 and not far\n"
     "  for example: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":6,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"condition\":\"n > 5 and not far\",\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},"
     "\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\","
     "\"marks\":[],\"n\":6,\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"proven\","
     "\"question\":\"when is rate > 5 and not far\",\"reply\":\"yes\"}"},
    {"never Claim.paid while Report.none", CLAIMS, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 3 joint states of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"proof\":\"proven\","
     "\"question\":\"never Claim.paid while Report.none\",\"reply\":\"yes\"}"},
    {"never Claim.asked", CLAIMS, 0, 0, 0,
     "no\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n"
     "  then Claim is asked, Report is written\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":2},\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\","
     "\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\","
     "\"named\":false,\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"}],"
     "\"proof\":\"trace\",\"question\":\"never Claim.asked\",\"reply\":\"no\","
     "\"states\":{\"Claim\":{\"_default\":\"asked\"},\"Report\":{\"_default\":\"written\"}}}"},
    {"never Claim.paid while fraud", CLAIMS, 0, 0, 0,
     "no\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  2. boss: approve (asked -> paid)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n"
     "  then Claim is paid, Report is written\n"
     "  but for: {\"amount\":0,\"fraud\":true}\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"facts\":{\"amount\":0,\"fraud\":true},"
     "\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},"
     "{\"entity\":\"Report\",\"from\":\"none\",\"instance\":\"_default\",\"to\":\"written\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\",\"named\":false,\"operation\":\"request\","
     "\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"},{\"changes\":[{\"entity\":\"Claim\","
     "\"from\":\"asked\",\"instance\":\"_default\",\"to\":\"paid\"}],\"facts\":{\"amount\":0,\"fraud\":false},"
     "\"from\":\"asked\",\"named\":false,\"operation\":\"approve\",\"outcome\":\"x\",\"persona\":\"boss\","
     "\"to\":\"paid\"}],\"proof\":\"trace\",\"question\":\"never Claim.paid while fraud\",\"reply\":\"no\","
     "\"states\":{\"Claim\":{\"_default\":\"paid\"},\"Report\":{\"_default\":\"written\"}}}"},
    {"never reach Claim.paid while fraud", CLAIMS, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 3 joint states of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"proof\":\"proven\","
     "\"question\":\"never reach Claim.paid while fraud\",\"reply\":\"yes\"}"},
    {"never perform request", CLAIMS, 0, 0, 0,
     "no\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\","
     "\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\","
     "\"named\":false,\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"}],"
     "\"proof\":\"trace\",\"question\":\"never perform request\",\"reply\":\"no\","
     "\"states\":{\"Claim\":{\"_default\":\"open\"},\"Report\":{\"_default\":\"none\"}}}"},
    {"never perform refuse", CLAIMS, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":3},\"proof\":\"proven\",\"question\":\"never perform refuse\","
     "\"reply\":\"yes\"}"},
    {"never move Claim from open to asked while fraud", CLAIMS, 0, 0, 0,
     "no\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":true}\n"
     "  executed step by step: one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\","
     "\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":true},\"from\":\"open\","
     "\"named\":false,\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"}],"
     "\"proof\":\"trace\",\"question\":\"never move Claim from open to asked while fraud\",\"reply\":\"no\","
     "\"states\":{\"Claim\":{\"_default\":\"open\"},\"Report\":{\"_default\":\"none\"}}}"},
    {"always Claim.open or Report.written", CLAIMS, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 3 joint states of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"proof\":\"proven\","
     "\"question\":\"always Claim.open or Report.written\",\"reply\":\"yes\"}"},
    {"always Claim.open", CLAIMS, 0, 0, 0,
     "no\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n"
     "  then Claim is asked, Report is written\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":2},\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\","
     "\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\","
     "\"named\":false,\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"}],"
     "\"proof\":\"trace\",\"question\":\"always Claim.open\",\"reply\":\"no\","
     "\"states\":{\"Claim\":{\"_default\":\"asked\"},\"Report\":{\"_default\":\"written\"}}}"},
    {"always request before approve", CLAIMS, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 1 joint state of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"proof\":\"proven\",\"question\":\"always request before approve\","
     "\"reply\":\"yes\"}"},
    {"always approve before request", CLAIMS, 0, 0, 0,
     "no\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\","
     "\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\","
     "\"named\":false,\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"}],"
     "\"proof\":\"trace\",\"question\":\"always approve before request\",\"reply\":\"no\","
     "\"states\":{\"Claim\":{\"_default\":\"open\"},\"Report\":{\"_default\":\"none\"}}}"},
    {"always Claim.open before approve", CLAIMS, 0, 0, 0,
     "yes\n"
     "  the first is so from the beginning\n",
     "{\"proof\":\"proven\",\"question\":\"always Claim.open before approve\",\"reply\":\"yes\"}"},
    {"always write before take for each E", BORROWED, 0, 0, 2,
     "no\n"
     "  1. p: write (E 2: a -> b, R 1: free -> ready)\n"
     "     for: {}\n"
     "  2. p: take (E 1: a -> c, R 1: ready -> done)\n"
     "     for: {}\n"
     "  executed step by step: 2 instances of each entity\n",
     "{\"covers\":{\"entities\":[\"E\",\"R\"],\"facts\":\"every fact set, at each step its own\",\"instances\":2,"
     "\"joint_states\":2},\"path\":[{\"changes\":[{\"entity\":\"E\",\"from\":\"a\",\"instance\":\"2\","
     "\"to\":\"b\"},{\"entity\":\"R\",\"from\":\"free\",\"instance\":\"1\",\"to\":\"ready\"}],\"facts\":{},"
     "\"from\":\"a\",\"named\":false,\"operation\":\"write\",\"outcome\":\"x\",\"persona\":\"p\",\"to\":\"b\"},"
     "{\"changes\":[{\"entity\":\"E\",\"from\":\"a\",\"instance\":\"1\",\"to\":\"c\"},{\"entity\":\"R\","
     "\"from\":\"ready\",\"instance\":\"1\",\"to\":\"done\"}],\"facts\":{},\"from\":\"a\",\"named\":false,"
     "\"operation\":\"take\",\"outcome\":\"x\",\"persona\":\"p\",\"to\":\"c\"}],\"proof\":\"trace\","
     "\"question\":\"always write before take for each E\",\"reply\":\"no\",\"states\":{\"E\":{\"1\":\"a\","
     "\"2\":\"b\"},\"R\":{\"1\":\"ready\",\"2\":\"free\"}}}"},
    {"always write before take for each E with 1 instance", BORROWED, 0, 0, 2,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 1 joint state of E, R, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"E\",\"R\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":1},\"proof\":\"proven\","
     "\"question\":\"always write before take for each E with 1 instance\",\"reply\":\"yes\"}"},
    {"always write before take", BORROWED, 0, 0, 2,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 1 joint state of E, R, 2 instances of each entity\n",
     "{\"covers\":{\"entities\":[\"E\",\"R\"],\"facts\":\"every fact set, at each step its own\",\"instances\":2,"
     "\"joint_states\":1},\"proof\":\"proven\",\"question\":\"always write before take\",\"reply\":\"yes\"}"},
    {"every flow ends", CLAIMS, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, any states; 0 flows; every persona acts when its turn comes, and names the outcome where several match\n",
     "{\"proof\":\"proven\",\"question\":\"every flow ends\",\"reply\":\"yes\"}"},
    {"every flow ends?", FLOWS, 0, 0, 0,
     "no\n"
     "  flow bad ends without an outcome at step b: flow error in 'bad': index 0 is outside a list of 0 elements\n"
     "  for: {\"l\":[]}\n",
     "{\"facts\":{\"l\":[]},\"flow\":\"bad\",\"proof\":\"trace\",\"question\":\"every flow ends?\","
     "\"reply\":\"no\",\"step\":\"b\"}"},
    {"flow good ends", FLOWS, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, any states; 1 flow; every persona acts when its turn comes, and names the outcome where several match\n",
     "{\"proof\":\"proven\",\"question\":\"flow good ends\",\"reply\":\"yes\"}"},
    {"flow bad ends", FLOWS, 0, 0, 0,
     "no\n"
     "  flow bad ends without an outcome at step b: flow error in 'bad': index 0 is outside a list of 0 elements\n"
     "  for: {\"l\":[]}\n",
     "{\"facts\":{\"l\":[]},\"flow\":\"bad\",\"proof\":\"trace\",\"question\":\"flow bad ends\",\"reply\":\"no\","
     "\"step\":\"b\"}"},
    {"from every state a terminal is reachable", CLAIMS, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 3 joint states of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"proof\":\"proven\","
     "\"question\":\"from every state a terminal is reachable\",\"reply\":\"yes\"}"},
    {"from every state of Claim a terminal is reachable", CLAIMS, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 3 joint states of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"proof\":\"proven\","
     "\"question\":\"from every state of Claim a terminal is reachable\",\"reply\":\"yes\"}"},
    {"from every state a terminal is reachable", CIRCLE, 0, 0, 0,
     "no\n"
     "  A has no terminal: every state has an exit\n",
     "{\"covers\":{\"entities\":[],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":0},\"entity\":\"A\",\"proof\":\"proven\","
     "\"question\":\"from every state a terminal is reachable\",\"reply\":\"no\"}"},
    {"from every state A.a is reachable", CIRCLE, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 2 joint states of A, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"A\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":2},\"proof\":\"proven\",\"question\":\"from every state A.a is reachable\","
     "\"reply\":\"yes\"}"},
    {"from every state Claim.open is reachable", CLAIMS, 0, 0, 0,
     "no\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n"
     "  then Claim is asked, Report is written, and nothing leads on to such states\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\","
     "\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"named\":false,"
     "\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\"}],\"proof\":\"trace\","
     "\"question\":\"from every state Claim.open is reachable\",\"reply\":\"no\","
     "\"states\":{\"Claim\":{\"_default\":\"asked\"},\"Report\":{\"_default\":\"written\"}}}"},
    {"nobody can both request and approve", CLAIMS, 0, 0, 0,
     "yes\n"
     "  no persona may perform both\n"
     "  holds for: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[],\"facts\":\"every fact set, at each step its own\",\"instances\":\"any\","
     "\"joint_states\":0},\"personas\":[],\"proof\":\"proven\","
     "\"question\":\"nobody can both request and approve\",\"reply\":\"yes\"}"},
    {"nobody can both write and take", BORROWED, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 2 joint states of E, R, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"E\",\"R\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":2},\"personas\":[],\"proof\":\"proven\",\"question\":\"nobody can both write and take\","
     "\"reply\":\"yes\"}"},
    {"nobody can both write and take the same R with 2 instances", BORROWED, 0, 0, 0,
     "no\n"
     "  p can\n"
     "    1. p: write (E 1: a -> b, R 1: free -> ready)\n"
     "       for: {}\n"
     "    2. p: take (E 2: a -> c, R 1: ready -> done)\n"
     "       for: {}\n"
     "  executed step by step: 2 instances of each entity\n",
     "{\"covers\":{\"entities\":[\"E\",\"R\"],\"facts\":\"every fact set, at each step its own\",\"instances\":2,"
     "\"joint_states\":4},\"personas\":[\"p\"],\"proof\":\"trace\","
     "\"question\":\"nobody can both write and take the same R with 2 instances\",\"reply\":\"no\","
     "\"ways\":[{\"path\":[{\"changes\":[{\"entity\":\"E\",\"from\":\"a\",\"instance\":\"1\",\"to\":\"b\"},"
     "{\"entity\":\"R\",\"from\":\"free\",\"instance\":\"1\",\"to\":\"ready\"}],\"facts\":{},\"named\":false,"
     "\"operation\":\"write\",\"outcome\":\"x\",\"persona\":\"p\"},{\"changes\":[{\"entity\":\"E\",\"from\":\"a\","
     "\"instance\":\"2\",\"to\":\"c\"},{\"entity\":\"R\",\"from\":\"ready\",\"instance\":\"1\",\"to\":\"done\"}],"
     "\"facts\":{},\"named\":false,\"operation\":\"take\",\"outcome\":\"x\",\"persona\":\"p\"}],"
     "\"persona\":\"p\"}]}"},
    {"nobody can both write and take the same E with 2 instances", BORROWED, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 6 joint states of E, R, 2 instances of each entity\n",
     "{\"covers\":{\"entities\":[\"E\",\"R\"],\"facts\":\"every fact set, at each step its own\",\"instances\":2,"
     "\"joint_states\":6},\"personas\":[],\"proof\":\"proven\","
     "\"question\":\"nobody can both write and take the same E with 2 instances\",\"reply\":\"yes\"}"},
    {"who can cause ok", CLAIMS, 0, 0, 0,
     "  desk (amount)\n"
     "    absent for: {\"amount\":5000,\"fraud\":false}\n"
     "    present for: {\"amount\":0,\"fraud\":false}\n"
     "  bureau (fraud)\n"
     "    absent for: {\"amount\":0,\"fraud\":true}\n"
     "    present for: {\"amount\":0,\"fraud\":false}\n",
     "{\"proof\":\"facts\",\"question\":\"who can cause ok\",\"reply\":\"yes\","
     "\"sources\":[{\"after\":{\"amount\":0,\"fraud\":false},\"before\":{\"amount\":5000,\"fraud\":false},"
     "\"facts\":[\"amount\"],\"source\":\"desk\"},{\"after\":{\"amount\":0,\"fraud\":false},"
     "\"before\":{\"amount\":0,\"fraud\":true},\"facts\":[\"fraud\"],\"source\":\"bureau\"}]}"},
    {"who can cause verdict rate", KINDS, 0, 0, 0,
     "  desk (cost, day, far, item, kind, marks, n, wait)\n"
     "    absent for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n"
     "    present for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":3,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"proof\":\"facts\",\"question\":\"who can cause verdict rate\",\"reply\":\"yes\","
     "\"sources\":[{\"after\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\","
     "\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":3,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"before\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},"
     "\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\","
     "\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}},\"facts\":[\"cost\",\"day\",\"far\","
     "\"item\",\"kind\",\"marks\",\"n\",\"wait\"],\"source\":\"desk\"}]}"},
    {"why not can clerk reach Claim.paid", CLAIMS, 0, 0, 0,
     "no\n"
     "  clerk moves it: open -> asked (request)\n"
     "  these can:\n"
     "  boss: approve (asked -> paid), after others\n"
     "    1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "    2. boss: approve (asked -> paid)\n"
     "  holds for: every fact set, at each step its own; any number of instances\n"
     "  in the way:\n"
     "    clerk may not perform approve\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":3},\"obstacles\":[{\"kind\":\"persona\",\"operation\":\"approve\","
     "\"persona\":\"clerk\"}],\"personas\":[\"boss\"],\"proof\":\"proven\","
     "\"question\":\"why not can clerk reach Claim.paid\",\"reply\":\"no\",\"ways\":[{\"alone\":false,"
     "\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},"
     "{\"entity\":\"Report\",\"from\":\"none\",\"instance\":\"_default\",\"to\":\"written\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\",\"named\":false,\"operation\":\"request\","
     "\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"},{\"changes\":[{\"entity\":\"Claim\","
     "\"from\":\"asked\",\"instance\":\"_default\",\"to\":\"paid\"}],\"facts\":{\"amount\":0,\"fraud\":false},"
     "\"from\":\"asked\",\"named\":false,\"operation\":\"approve\",\"outcome\":\"x\",\"persona\":\"boss\","
     "\"to\":\"paid\"}],\"persona\":\"boss\"}]}"},
    {"why not can boss reach Claim.refused", CLAIMS, 0, 0, 0,
     "no\n"
     "  boss moves it: asked -> paid (approve)\n"
     "  nobody can\n"
     "  holds for: every fact set, at each step its own; any number of instances\n"
     "  in the way:\n"
     "    the precondition of refuse holds for no facts\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":3},\"obstacles\":[{\"kind\":\"precondition\","
     "\"operation\":\"refuse\"}],\"personas\":[],\"proof\":\"proven\","
     "\"question\":\"why not can boss reach Claim.refused\",\"reply\":\"no\",\"ways\":[]}"},
    {"why not can clerk reach Claim.refused", CLAIMS, 0, 0, 0,
     "no\n"
     "  clerk moves it: open -> asked (request)\n"
     "  nobody can\n"
     "  holds for: every fact set, at each step its own; any number of instances\n"
     "  in the way:\n"
     "    no operation moves Claim from open to refused there\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":3},\"obstacles\":[{\"entity\":\"Claim\",\"from\":\"open\","
     "\"kind\":\"transition\",\"to\":\"refused\"}],\"personas\":[],\"proof\":\"proven\","
     "\"question\":\"why not can clerk reach Claim.refused\",\"reply\":\"no\",\"ways\":[]}"},
    {"why not can Claim.refused and Report.written hold", CLAIMS, 0, 0, 0,
     "no\n"
     "  holds for: every fact set, at each step its own; any number of instances\n"
     "  in the way, and nothing less:\n"
     "    the precondition of refuse holds for no facts\n"
     "    no operation moves Report from none to written there\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":3},\"obstacles\":[{\"kind\":\"precondition\","
     "\"operation\":\"refuse\"},{\"entity\":\"Report\",\"from\":\"none\",\"kind\":\"transition\","
     "\"to\":\"written\"}],\"proof\":\"proven\","
     "\"question\":\"why not can Claim.refused and Report.written hold\",\"reply\":\"no\"}"},
    {"why not can ok and amount > 6000 and fraud = false hold", CLAIMS, 0, 0, 0,
     "no (proven for every fact set)\n"
     "  these exclude each other:\n"
     "    amount < 5000\n"
     "    amount > 6000\n",
     "{\"conflict\":[\"amount < 5000\",\"amount > 6000\"],\"proof\":\"proven\","
     "\"question\":\"why not can ok and amount > 6000 and fraud = false hold\",\"reply\":\"no\"}"},
    {"why not can boss reach Claim.paid", CLAIMS, 0, 0, 0,
     "yes, after others\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  2. boss: approve (asked -> paid)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n",
     "{\"alone\":false,\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set,"
     " at each step its own\",\"instances\":1,\"joint_states\":2},\"path\":[{\"changes\":[{\"entity\":\"Claim\","
     "\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\","
     "\"named\":false,\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"},"
     "{\"changes\":[{\"entity\":\"Claim\",\"from\":\"asked\",\"instance\":\"_default\",\"to\":\"paid\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"asked\",\"named\":false,\"operation\":\"approve\","
     "\"outcome\":\"x\",\"persona\":\"boss\",\"to\":\"paid\"}],\"proof\":\"trace\","
     "\"question\":\"why not can boss reach Claim.paid\",\"reply\":\"yes\"}"},
    {"why not never Claim.paid", CLAIMS, 0, 0, 0,
     "no\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  2. boss: approve (asked -> paid)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n"
     "  then Claim is paid, Report is written\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\","
     "\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\","
     "\"named\":false,\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"},"
     "{\"changes\":[{\"entity\":\"Claim\",\"from\":\"asked\",\"instance\":\"_default\",\"to\":\"paid\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"asked\",\"named\":false,\"operation\":\"approve\","
     "\"outcome\":\"x\",\"persona\":\"boss\",\"to\":\"paid\"}],\"proof\":\"trace\","
     "\"question\":\"why not never Claim.paid\",\"reply\":\"no\",\"states\":{\"Claim\":{\"_default\":\"paid\"},"
     "\"Report\":{\"_default\":\"written\"}}}"},
    {"can boss reach Claim.paid", CLAIMS, 1, 0, 0,
     "unknown: the search ended after 1 joint state (reach_states 1)\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"proof\":\"none\",\"question\":\"can boss reach Claim.paid\","
     "\"reason\":\"the search ended after 1 joint state (reach_states 1)\",\"reply\":\"unknown\"}"},
    {"who can reach Claim.paid", CLAIMS, 1, 0, 0,
     "unknown: the search ended after 1 joint state (reach_states 1)\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"personas\":[],\"proof\":\"none\","
     "\"question\":\"who can reach Claim.paid\","
     "\"reason\":\"the search ended after 1 joint state (reach_states 1)\",\"reply\":\"unknown\","
     "\"undecided\":[\"boss\"],\"ways\":[]}"},
    {"what can boss do alone", CLAIMS, 1, 0, 0,
     "  nothing: every fact set, at each step its own; all 1 joint state of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"operations\":[],\"proof\":\"proven\","
     "\"question\":\"what can boss do alone\",\"reached\":{},\"reply\":\"no\"}"},
    {"never Claim.paid", CLAIMS, 1, 0, 0,
     "unknown: the search ended after 1 joint state (reach_states 1)\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"proof\":\"none\",\"question\":\"never Claim.paid\","
     "\"reason\":\"the search ended after 1 joint state (reach_states 1)\",\"reply\":\"unknown\"}"},
    {"from every state a terminal is reachable", CLAIMS, 1, 0, 0,
     "unknown: the search ended after 1 joint state (reach_states 1)\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"proof\":\"none\","
     "\"question\":\"from every state a terminal is reachable\","
     "\"reason\":\"the search ended after 1 joint state (reach_states 1)\",\"reply\":\"unknown\"}"},
    {"nobody can both approve and request the same Claim", CLAIMS, 1, 0, 0,
     "yes\n"
     "  no persona may perform both\n"
     "  holds for: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[],\"facts\":\"every fact set, at each step its own\",\"instances\":\"any\","
     "\"joint_states\":0},\"personas\":[],\"proof\":\"proven\","
     "\"question\":\"nobody can both approve and request the same Claim\",\"reply\":\"yes\"}"},
    {"can ok hold", CLAIMS, 0, 1, 0,
     "unknown: the solver's limit was reached (prove_ms 5000, prove_steps 1)\n",
     "{\"proof\":\"none\",\"question\":\"can ok hold\",\"reason\":\"the solver's limit was reached (prove_ms 5000,"
     " prove_steps 1)\",\"reply\":\"unknown\"}"},
    {"is rate implied by n > 3", KINDS, 0, 1, 0,
     "unknown: the solver's limit was reached (prove_ms 5000, prove_steps 1)\n",
     "{\"proof\":\"none\",\"question\":\"is rate implied by n > 3\","
     "\"reason\":\"the solver's limit was reached (prove_ms 5000, prove_steps 1)\",\"reply\":\"unknown\"}"},
    {"when is ok", CLAIMS, 0, 1, 0,
     "unknown: the solver's limit was reached (prove_ms 5000, prove_steps 1)\n",
     "{\"proof\":\"none\",\"question\":\"when is ok\",\"reason\":\"the solver's limit was reached (prove_ms 5000,"
     " prove_steps 1)\",\"reply\":\"unknown\"}"},
    {"who can cause ok", CLAIMS, 0, 1, 0,
     "unknown: the solver's limit was reached (prove_ms 5000, prove_steps 1)\n",
     "{\"proof\":\"none\",\"question\":\"who can cause ok\","
     "\"reason\":\"the solver's limit was reached (prove_ms 5000, prove_steps 1)\",\"reply\":\"unknown\","
     "\"sources\":[]}"},
    {"can boss reach Claim.paid", CLAIMS, 0, 1, 0,
     "unknown: the solver's limit was reached (prove_ms 5000, prove_steps 1)\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"proof\":\"none\",\"question\":\"can boss reach Claim.paid\","
     "\"reason\":\"the solver's limit was reached (prove_ms 5000, prove_steps 1)\",\"reply\":\"unknown\"}"},
    {"every flow ends", FLOWS, 0, 1, 0,
     "unknown: the solver's limit was reached (prove_ms 5000, prove_steps 1)\n",
     "{\"proof\":\"none\",\"question\":\"every flow ends\","
     "\"reason\":\"the solver's limit was reached (prove_ms 5000, prove_steps 1)\",\"reply\":\"unknown\"}"},
    {"never Claim.paid", CLAIMS, 0, 1, 0,
     "unknown: the solver's limit was reached (prove_ms 5000, prove_steps 1)\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"proof\":\"none\",\"question\":\"never Claim.paid\","
     "\"reason\":\"the solver's limit was reached (prove_ms 5000, prove_steps 1)\",\"reply\":\"unknown\"}"},
    {"can q perform take", BORROWED, 0, 0, 0,
     "no\n"
     "  q moves it: nowhere\n"
     "  nobody can\n"
     "  holds for: every fact set, at each step its own; all 2 joint states of E, R, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"E\",\"R\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":2},\"personas\":[],\"proof\":\"proven\",\"question\":\"can q perform take\","
     "\"reply\":\"no\",\"ways\":[]}"},
    {"can p reach S.s2", SYSTEM, 0, 0, 0,
     "yes, after others\n"
     "  1. a.q: a.go (s0 -> s1)\n"
     "     for: {\"n\":4}\n"
     "  2. p: b.go (s1 -> s2)\n"
     "     for: {\"n\":0}\n"
     "  executed step by step: one instance of each entity\n",
     "{\"alone\":false,\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":2},\"path\":[{\"changes\":[{\"entity\":\"S\",\"from\":\"s0\","
     "\"instance\":\"_default\",\"to\":\"s1\"}],\"facts\":{\"n\":4},\"from\":\"s0\",\"member\":\"a\","
     "\"named\":false,\"operation\":\"go\",\"outcome\":\"x\",\"persona\":\"a.q\",\"to\":\"s1\"},"
     "{\"changes\":[{\"entity\":\"S\",\"from\":\"s1\",\"instance\":\"_default\",\"to\":\"s2\"}],"
     "\"facts\":{\"n\":0},\"from\":\"s1\",\"member\":\"b\",\"named\":false,\"operation\":\"go\",\"outcome\":\"x\","
     "\"persona\":\"p\",\"to\":\"s2\"}],\"proof\":\"trace\",\"question\":\"can p reach S.s2\",\"reply\":\"yes\"}"},
    {"can a.q reach S.s2", SYSTEM, 0, 0, 0,
     "no\n"
     "  a.q moves it: s0 -> s1 (a.go)\n"
     "  these can:\n"
     "  p: b.go (s1 -> s2), after others\n"
     "    1. a.q: a.go (s0 -> s1)\n"
     "    2. p: b.go (s1 -> s2)\n"
     "  holds for: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":\"any\","
     "\"joint_states\":3},\"personas\":[\"p\"],\"proof\":\"proven\",\"question\":\"can a.q reach S.s2\","
     "\"reply\":\"no\",\"ways\":[{\"alone\":false,\"path\":[{\"changes\":[{\"entity\":\"S\",\"from\":\"s0\","
     "\"instance\":\"_default\",\"to\":\"s1\"}],\"facts\":{\"n\":4},\"from\":\"s0\",\"member\":\"a\","
     "\"named\":false,\"operation\":\"go\",\"outcome\":\"x\",\"persona\":\"a.q\",\"to\":\"s1\"},"
     "{\"changes\":[{\"entity\":\"S\",\"from\":\"s1\",\"instance\":\"_default\",\"to\":\"s2\"}],"
     "\"facts\":{\"n\":0},\"from\":\"s1\",\"member\":\"b\",\"named\":false,\"operation\":\"go\",\"outcome\":\"x\","
     "\"persona\":\"p\",\"to\":\"s2\"}],\"persona\":\"p\"}]}"},
    {"who can reach S.s1", SYSTEM, 0, 0, 0,
     "  a.q: a.go (s0 -> s1)\n"
     "  nobody else: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":\"any\","
     "\"joint_states\":3},\"personas\":[\"a.q\"],\"proof\":\"trace\",\"question\":\"who can reach S.s1\","
     "\"reply\":\"yes\",\"ways\":[{\"alone\":true,\"path\":[{\"changes\":[{\"entity\":\"S\",\"from\":\"s0\","
     "\"instance\":\"_default\",\"to\":\"s1\"}],\"facts\":{\"n\":4},\"from\":\"s0\",\"member\":\"a\","
     "\"named\":false,\"operation\":\"go\",\"outcome\":\"x\",\"persona\":\"a.q\",\"to\":\"s1\"}],"
     "\"persona\":\"a.q\"}]}"},
    {"can a.q perform b.go", SYSTEM, 0, 0, 0,
     "no\n"
     "  a.q moves it: s0 -> s1 (a.go)\n"
     "  these can:\n"
     "  p: b.go (s1 -> s2), after others\n"
     "    1. a.q: a.go (s0 -> s1)\n"
     "    2. p: b.go (s1 -> s2)\n"
     "  holds for: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":\"any\","
     "\"joint_states\":3},\"personas\":[\"p\"],\"proof\":\"proven\",\"question\":\"can a.q perform b.go\","
     "\"reply\":\"no\",\"ways\":[{\"alone\":false,\"path\":[{\"changes\":[{\"entity\":\"S\",\"from\":\"s0\","
     "\"instance\":\"_default\",\"to\":\"s1\"}],\"facts\":{\"n\":4},\"from\":\"s0\",\"member\":\"a\","
     "\"named\":false,\"operation\":\"go\",\"outcome\":\"x\",\"persona\":\"a.q\",\"to\":\"s1\"},"
     "{\"changes\":[{\"entity\":\"S\",\"from\":\"s1\",\"instance\":\"_default\",\"to\":\"s2\"}],"
     "\"facts\":{\"n\":0},\"from\":\"s1\",\"member\":\"b\",\"named\":false,\"operation\":\"go\",\"outcome\":\"x\","
     "\"persona\":\"p\",\"to\":\"s2\"}],\"persona\":\"p\"}]}"},
    {"always a.go before b.go", SYSTEM, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 1 joint state of S, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":1},\"proof\":\"proven\",\"question\":\"always a.go before b.go\",\"reply\":\"yes\"}"},
    {"always b.go before a.go", SYSTEM, 0, 0, 0,
     "no\n"
     "  1. a.q: a.go (s0 -> s1)\n"
     "     for: {\"n\":4}\n"
     "  executed step by step: one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":1},\"path\":[{\"changes\":[{\"entity\":\"S\",\"from\":\"s0\",\"instance\":\"_default\","
     "\"to\":\"s1\"}],\"facts\":{\"n\":4},\"from\":\"s0\",\"member\":\"a\",\"named\":false,\"operation\":\"go\","
     "\"outcome\":\"x\",\"persona\":\"a.q\",\"to\":\"s1\"}],\"proof\":\"trace\","
     "\"question\":\"always b.go before a.go\",\"reply\":\"no\",\"states\":{\"S\":{\"_default\":\"s0\"}}}"},
    {"what can a.q do alone", SYSTEM, 0, 0, 0,
     "  a.go\n"
     "    1. a.q: a.go (S: s0 -> s1)\n"
     "       for: {\"n\":4}\n"
     "  it brings S to s1\n"
     "  not decided for [\"b.go\"]: triggers start flows that may do it as somebody else\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":2},\"operations\":[{\"operation\":\"a.go\",\"path\":[{\"changes\":[{\"entity\":\"S\","
     "\"from\":\"s0\",\"instance\":\"_default\",\"to\":\"s1\"}],\"facts\":{\"n\":4},\"member\":\"a\","
     "\"named\":false,\"operation\":\"go\",\"outcome\":\"x\",\"persona\":\"a.q\"}]}],\"proof\":\"trace\","
     "\"question\":\"what can a.q do alone\",\"reached\":{\"S\":[\"s1\"]},"
     "\"reason\":\"triggers start flows that may do it as somebody else\",\"reply\":\"yes\","
     "\"undecided\":[\"b.go\"]}"},
    {"what can p do alone", SYSTEM, 0, 0, 0,
     "  nothing: every fact set, at each step its own; all 1 joint state of S, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":1},\"operations\":[],\"proof\":\"proven\",\"question\":\"what can p do alone\","
     "\"reached\":{},\"reply\":\"no\"}"},
    {"what can b.q do alone", SYSTEM, 0, 0, 0,
     "  nothing: every fact set, at each step its own; all 1 joint state of S, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":1},\"operations\":[],\"proof\":\"proven\",\"question\":\"what can b.q do alone\","
     "\"reached\":{},\"reply\":\"no\"}"},
    {"can a.n > 3 hold", SYSTEM, 0, 0, 0,
     "yes\n"
     "  for: {\"n\":4}\n",
     "{\"facts\":{\"n\":4},\"proof\":\"facts\",\"question\":\"can a.n > 3 hold\",\"reply\":\"yes\"}"},
    {"can a.big and a.n < 9 hold", SYSTEM, 0, 0, 0,
     "yes\n"
     "  for: {\"n\":7}\n",
     "{\"facts\":{\"n\":7},\"proof\":\"facts\",\"question\":\"can a.big and a.n < 9 hold\",\"reply\":\"yes\"}"},
    {"when can b.go", SYSTEM, 0, 0, 0,
     "n < 3\n"
     "  for example: {\"n\":0}\n",
     "{\"condition\":\"n < 3\",\"facts\":{\"n\":0},\"proof\":\"proven\",\"question\":\"when can b.go\","
     "\"reply\":\"yes\"}"},
    {"never S.s2 while big", SYSTEM, 0, 0, 0,
     "no\n"
     "  1. a.q: a.go (s0 -> s1)\n"
     "     for: {\"n\":4}\n"
     "  2. p: b.go (s1 -> s2)\n"
     "     for: {\"n\":0}\n"
     "  executed step by step: one instance of each entity\n"
     "  then S is s2\n"
     "  but for: {\"n\":7}\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":3},\"facts\":{\"n\":7},\"path\":[{\"changes\":[{\"entity\":\"S\",\"from\":\"s0\","
     "\"instance\":\"_default\",\"to\":\"s1\"}],\"facts\":{\"n\":4},\"from\":\"s0\",\"member\":\"a\","
     "\"named\":false,\"operation\":\"go\",\"outcome\":\"x\",\"persona\":\"a.q\",\"to\":\"s1\"},"
     "{\"changes\":[{\"entity\":\"S\",\"from\":\"s1\",\"instance\":\"_default\",\"to\":\"s2\"}],"
     "\"facts\":{\"n\":0},\"from\":\"s1\",\"member\":\"b\",\"named\":false,\"operation\":\"go\",\"outcome\":\"x\","
     "\"persona\":\"p\",\"to\":\"s2\"}],\"proof\":\"trace\",\"question\":\"never S.s2 while big\","
     "\"reply\":\"no\",\"states\":{\"S\":{\"_default\":\"s2\"}}}"},
    {"never reach S.s2 while b.n > 2", SYSTEM, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 3 joint states of S, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":3},\"proof\":\"proven\",\"question\":\"never reach S.s2 while b.n > 2\",\"reply\":\"yes\"}"},
    {"every flow ends", SYSTEM, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, any states; 2 flows; every persona acts when its turn comes, and names the outcome where several match\n",
     "{\"proof\":\"proven\",\"question\":\"every flow ends\",\"reply\":\"yes\"}"},
    {"flow fb ends", SYSTEM, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, any states; 1 flow; every persona acts when its turn comes, and names the outcome where several match\n",
     "{\"proof\":\"proven\",\"question\":\"flow fb ends\",\"reply\":\"yes\"}"},
    {"why not can a.q reach S.s2", SYSTEM, 0, 0, 0,
     "no\n"
     "  a.q moves it: s0 -> s1 (a.go)\n"
     "  these can:\n"
     "  p: b.go (s1 -> s2), after others\n"
     "    1. a.q: a.go (s0 -> s1)\n"
     "    2. p: b.go (s1 -> s2)\n"
     "  holds for: every fact set, at each step its own; any number of instances\n"
     "  in the way:\n"
     "    a.q may not perform b.go\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":\"any\","
     "\"joint_states\":3},\"obstacles\":[{\"kind\":\"persona\",\"operation\":\"b.go\",\"persona\":\"a.q\"}],"
     "\"personas\":[\"p\"],\"proof\":\"proven\",\"question\":\"why not can a.q reach S.s2\",\"reply\":\"no\","
     "\"ways\":[{\"alone\":false,\"path\":[{\"changes\":[{\"entity\":\"S\",\"from\":\"s0\","
     "\"instance\":\"_default\",\"to\":\"s1\"}],\"facts\":{\"n\":4},\"from\":\"s0\",\"member\":\"a\","
     "\"named\":false,\"operation\":\"go\",\"outcome\":\"x\",\"persona\":\"a.q\",\"to\":\"s1\"},"
     "{\"changes\":[{\"entity\":\"S\",\"from\":\"s1\",\"instance\":\"_default\",\"to\":\"s2\"}],"
     "\"facts\":{\"n\":0},\"from\":\"s1\",\"member\":\"b\",\"named\":false,\"operation\":\"go\",\"outcome\":\"x\","
     "\"persona\":\"p\",\"to\":\"s2\"}],\"persona\":\"p\"}]}"},
    {"who can cause big", SYSTEM, 0, 0, 0,
     "  desk (n)\n"
     "    absent for: {\"n\":0}\n"
     "    present for: {\"n\":7}\n",
     "{\"proof\":\"facts\",\"question\":\"who can cause big\",\"reply\":\"yes\",\"sources\":[{\"after\":{\"n\":7},"
     "\"before\":{\"n\":0},\"facts\":[\"n\"],\"source\":\"desk\"}]}"},
    {"nobody can both a.go and b.go", SYSTEM, 0, 0, 0,
     "yes\n"
     "  no persona may perform both\n"
     "  holds for: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[],\"facts\":\"every fact set, at each step its own\",\"instances\":\"any\","
     "\"joint_states\":0},\"personas\":[],\"proof\":\"proven\",\"question\":\"nobody can both a.go and b.go\","
     "\"reply\":\"yes\"}"},
    {"from every state S.s2 is reachable", SYSTEM, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 3 joint states of S, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":3},\"proof\":\"proven\",\"question\":\"from every state S.s2 is reachable\","
     "\"reply\":\"yes\"}"},
    {"from every state a terminal is reachable", SYSTEM, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 3 joint states of S, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":3},\"proof\":\"proven\",\"question\":\"from every state a terminal is reachable\","
     "\"reply\":\"yes\"}"},
    {"is S.s1 implied by S.s2", SYSTEM, 0, 0, 0,
     "no\n"
     "  1. a.q: a.go (S: s0 -> s1)\n"
     "     for: {\"n\":4}\n"
     "  2. p: b.go (S: s1 -> s2)\n"
     "     for: {\"n\":0}\n"
     "  executed step by step: one instance of each entity\n"
     "  then S is s2\n",
     "{\"covers\":{\"entities\":[\"S\"],\"facts\":\"every fact set, at each step its own\",\"instances\":1,"
     "\"joint_states\":3},\"path\":[{\"changes\":[{\"entity\":\"S\",\"from\":\"s0\",\"instance\":\"_default\","
     "\"to\":\"s1\"}],\"facts\":{\"n\":4},\"member\":\"a\",\"named\":false,\"operation\":\"go\",\"outcome\":\"x\","
     "\"persona\":\"a.q\"},{\"changes\":[{\"entity\":\"S\",\"from\":\"s1\",\"instance\":\"_default\","
     "\"to\":\"s2\"}],\"facts\":{\"n\":0},\"member\":\"b\",\"named\":false,\"operation\":\"go\",\"outcome\":\"x\","
     "\"persona\":\"p\"}],\"proof\":\"trace\",\"question\":\"is S.s1 implied by S.s2\",\"reply\":\"no\","
     "\"states\":{\"S\":{\"_default\":\"s2\"}}}"},
    {"is kind = house possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"house\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"house\",\"marks\":[],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\",\"question\":\"is kind = house possible\","
     "\"reply\":\"yes\"}"},
    {"is \"kind\" != car and not far possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"house\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"house\",\"marks\":[],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\","
     "\"question\":\"is \\\"kind\\\" != car and not far possible\",\"reply\":\"yes\"}"},
    {"is wait = 90 and n = 9 possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":9,\"wait\":{\"unit\":\"hours\",\"value\":90}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":9,"
     "\"wait\":{\"unit\":\"hours\",\"value\":90}},\"proof\":\"facts\","
     "\"question\":\"is wait = 90 and n = 9 possible\",\"reply\":\"yes\"}"},
    {"is marks = marks possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\",\"question\":\"is marks = marks possible\","
     "\"reply\":\"yes\"}"},
    {"is item.price = 1.50 possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"1.50\"},\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"1.50\"},\"kind\":\"car\",\"marks\":[],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\","
     "\"question\":\"is item.price = 1.50 possible\",\"reply\":\"yes\"}"},
    {"is n <= 3 and n != 0 possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":1,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":1,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\","
     "\"question\":\"is n <= 3 and n != 0 possible\",\"reply\":\"yes\"}"},
    {"is far = true possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":true,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":true,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\",\"question\":\"is far = true possible\","
     "\"reply\":\"yes\"}"},
    {"is rate = 2 possible", KINDS, 0, 0, 0,
     "no (proven for every fact set)\n",
     "{\"proof\":\"proven\",\"question\":\"is rate = 2 possible\",\"reply\":\"no\"}"},
    {"is len(marks) = 3 and n > -1 possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[0,0,0],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[0,0,0],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\","
     "\"question\":\"is len(marks) = 3 and n > -1 possible\",\"reply\":\"yes\"}"},
    {"is n = 3.5 possible", KINDS, 0, 0, 0,
     "no (proven for every fact set)\n",
     "{\"proof\":\"proven\",\"question\":\"is n = 3.5 possible\",\"reply\":\"no\"}"},
    {"is (n > 3 or far) and not (n > 4 or far) possible", KINDS, 0, 0, 0,
     "yes\n"
     "  for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":4,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":4,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\","
     "\"question\":\"is (n > 3 or far) and not (n > 4 or far) possible\",\"reply\":\"yes\"}"},
    {"is ok always", CLAIMS, 0, 0, 3,
     "no\n"
     "  not for: {\"amount\":0,\"fraud\":true}\n",
     "{\"facts\":{\"amount\":0,\"fraud\":true},\"proof\":\"facts\",\"question\":\"is ok always\",\"reply\":\"no\"}"},
    {"who can perform write", BORROWED, 0, 0, 0,
     "  p: write (E: a -> b, R: free -> ready)\n"
     "  nobody else: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"E\",\"R\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":2},\"personas\":[\"p\"],\"proof\":\"trace\","
     "\"question\":\"who can perform write\",\"reply\":\"yes\",\"ways\":[{\"alone\":true,"
     "\"path\":[{\"changes\":[{\"entity\":\"E\",\"from\":\"a\",\"instance\":\"_default\",\"to\":\"b\"},"
     "{\"entity\":\"R\",\"from\":\"free\",\"instance\":\"_default\",\"to\":\"ready\"}],\"facts\":{},"
     "\"from\":\"a\",\"named\":false,\"operation\":\"write\",\"outcome\":\"x\",\"persona\":\"p\",\"to\":\"b\"}],"
     "\"persona\":\"p\"}]}"},
    {"can q perform write", BORROWED, 0, 0, 0,
     "no\n"
     "  q moves it: nowhere\n"
     "  these can:\n"
     "  p: write (E: a -> b, R: free -> ready)\n"
     "  holds for: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"E\",\"R\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":2},\"personas\":[\"p\"],\"proof\":\"proven\","
     "\"question\":\"can q perform write\",\"reply\":\"no\",\"ways\":[{\"alone\":true,"
     "\"path\":[{\"changes\":[{\"entity\":\"E\",\"from\":\"a\",\"instance\":\"_default\",\"to\":\"b\"},"
     "{\"entity\":\"R\",\"from\":\"free\",\"instance\":\"_default\",\"to\":\"ready\"}],\"facts\":{},"
     "\"from\":\"a\",\"named\":false,\"operation\":\"write\",\"outcome\":\"x\",\"persona\":\"p\",\"to\":\"b\"}],"
     "\"persona\":\"p\"}]}"},
    {"who can perform take", BORROWED, 0, 0, 2,
     "  p: take (E 2: a -> c, R 1: ready -> done)\n"
     "    1. p: write (E 1: a -> b, R 1: free -> ready)\n"
     "    2. p: take (E 2: a -> c, R 1: ready -> done)\n"
     "  q: take (E 2: a -> c, R 1: ready -> done), after others\n"
     "    1. p: write (E 1: a -> b, R 1: free -> ready)\n"
     "    2. q: take (E 2: a -> c, R 1: ready -> done)\n",
     "{\"covers\":{\"entities\":[\"E\",\"R\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":2},\"personas\":[\"p\",\"q\"],\"proof\":\"trace\","
     "\"question\":\"who can perform take\",\"reply\":\"yes\",\"ways\":[{\"alone\":true,"
     "\"path\":[{\"changes\":[{\"entity\":\"E\",\"from\":\"a\",\"instance\":\"1\",\"to\":\"b\"},{\"entity\":\"R\","
     "\"from\":\"free\",\"instance\":\"1\",\"to\":\"ready\"}],\"facts\":{},\"from\":\"a\",\"named\":false,"
     "\"operation\":\"write\",\"outcome\":\"x\",\"persona\":\"p\",\"to\":\"b\"},{\"changes\":[{\"entity\":\"E\","
     "\"from\":\"a\",\"instance\":\"2\",\"to\":\"c\"},{\"entity\":\"R\",\"from\":\"ready\",\"instance\":\"1\","
     "\"to\":\"done\"}],\"facts\":{},\"from\":\"a\",\"named\":false,\"operation\":\"take\",\"outcome\":\"x\","
     "\"persona\":\"p\",\"to\":\"c\"}],\"persona\":\"p\"},{\"alone\":false,"
     "\"path\":[{\"changes\":[{\"entity\":\"E\",\"from\":\"a\",\"instance\":\"1\",\"to\":\"b\"},{\"entity\":\"R\","
     "\"from\":\"free\",\"instance\":\"1\",\"to\":\"ready\"}],\"facts\":{},\"from\":\"a\",\"named\":false,"
     "\"operation\":\"write\",\"outcome\":\"x\",\"persona\":\"p\",\"to\":\"b\"},{\"changes\":[{\"entity\":\"E\","
     "\"from\":\"a\",\"instance\":\"2\",\"to\":\"c\"},{\"entity\":\"R\",\"from\":\"ready\",\"instance\":\"1\","
     "\"to\":\"done\"}],\"facts\":{},\"from\":\"a\",\"named\":false,\"operation\":\"take\",\"outcome\":\"x\","
     "\"persona\":\"q\",\"to\":\"c\"}],\"persona\":\"q\"}]}"},
    {"when is not (ok or fraud)", CLAIMS, 0, 0, 0,
     "amount >= 5000 and not fraud\n"
     "  for example: {\"amount\":5000,\"fraud\":false}\n",
     "{\"condition\":\"amount >= 5000 and not fraud\",\"facts\":{\"amount\":5000,\"fraud\":false},"
     "\"proof\":\"proven\",\"question\":\"when is not (ok or fraud)\",\"reply\":\"yes\"}"},
    {"when is fraud or (ok and amount > 7)", CLAIMS, 0, 0, 0,
     "fraud or amount < 5000 and amount > 7\n"
     "  for example: {\"amount\":0,\"fraud\":true}\n",
     "{\"condition\":\"fraud or amount < 5000 and amount > 7\",\"facts\":{\"amount\":0,\"fraud\":true},"
     "\"proof\":\"proven\",\"question\":\"when is fraud or (ok and amount > 7)\",\"reply\":\"yes\"}"},
    {"when is (fraud or amount > 7) and (not fraud or amount < 9)", CLAIMS, 0, 0, 0,
     "(fraud or amount > 7) and (not fraud or amount < 9)\n"
     "  for example: {\"amount\":8,\"fraud\":false}\n",
     "{\"condition\":\"(fraud or amount > 7) and (not fraud or amount < 9)\",\"facts\":{\"amount\":8,"
     "\"fraud\":false},\"proof\":\"proven\","
     "\"question\":\"when is (fraud or amount > 7) and (not fraud or amount < 9)\",\"reply\":\"yes\"}"},
    {"when is (n > 3 or far) and (n < 6 or not far)", KINDS, 0, 0, 0,
     "(n > 3 or far) and (n < 6 or not far)\n"
     "  for example: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":true,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"condition\":\"(n > 3 or far) and (n < 6 or not far)\",\"facts\":{\"cost\":{\"amount\":\"0.00\","
     "\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":true,\"item\":{\"good\":false,\"price\":\"0.00\"},"
     "\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"proven\","
     "\"question\":\"when is (n > 3 or far) and (n < 6 or not far)\",\"reply\":\"yes\"}"},
    {"when is far and (n = 3 or (n = 5 and kind = car))", KINDS, 0, 0, 0,
     "far and (n = 3 or n = 5 and kind = \"car\")\n"
     "  for example: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":true,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":3,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"condition\":\"far and (n = 3 or n = 5 and kind = \\\"car\\\")\",\"facts\":{\"cost\":{\"amount\":\"0.00\","
     "\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":true,\"item\":{\"good\":false,\"price\":\"0.00\"},"
     "\"kind\":\"car\",\"marks\":[],\"n\":3,\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"proven\","
     "\"question\":\"when is far and (n = 3 or (n = 5 and kind = car))\",\"reply\":\"yes\"}"},
    {"when is n > 3 and (n > 1 or far)", KINDS, 0, 0, 0,
     "n > 3\n"
     "  for example: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":4,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"condition\":\"n > 3\",\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},"
     "\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\","
     "\"marks\":[],\"n\":4,\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"proven\","
     "\"question\":\"when is n > 3 and (n > 1 or far)\",\"reply\":\"yes\"}"},
    {"when is rate > 4 or rate < 2", KINDS, 0, 0, 0,
     "n > 4\n"
     "  for example: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":5,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"condition\":\"n > 4\",\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},"
     "\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\","
     "\"marks\":[],\"n\":5,\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"proven\","
     "\"question\":\"when is rate > 4 or rate < 2\",\"reply\":\"yes\"}"},
    {"when is len(marks) > 1 and wait <= 5", KINDS, 0, 0, 0,
     "len(marks) > 1 and wait <= Duration { value: 5, unit: \"hours\" }\n"
     "  for example: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[0,0],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"condition\":\"len(marks) > 1 and wait <= Duration { value: 5, unit: \\\"hours\\\" }\","
     "\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[0,0],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"proven\","
     "\"question\":\"when is len(marks) > 1 and wait <= 5\",\"reply\":\"yes\"}"},
    {"is far the same as n > 3", KINDS, 0, 0, 0,
     "no\n"
     "  not for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":4,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":false,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":4,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\",\"question\":\"is far the same as n > 3\","
     "\"reply\":\"no\"}"},
    {"is (n > 3 and far) implied by far", KINDS, 0, 0, 0,
     "no\n"
     "  not for: {\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":true,\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,\"wait\":{\"unit\":\"hours\",\"value\":0}}\n",
     "{\"facts\":{\"cost\":{\"amount\":\"0.00\",\"currency\":\"EUR\"},\"day\":\"2000-01-01\",\"far\":true,"
     "\"item\":{\"good\":false,\"price\":\"0.00\"},\"kind\":\"car\",\"marks\":[],\"n\":0,"
     "\"wait\":{\"unit\":\"hours\",\"value\":0}},\"proof\":\"facts\","
     "\"question\":\"is (n > 3 and far) implied by far\",\"reply\":\"no\"}"},
    {"always Claim.open or Claim.asked or Claim.paid or Claim.refused", CLAIMS, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 3 joint states of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"proof\":\"proven\","
     "\"question\":\"always Claim.open or Claim.asked or Claim.paid or Claim.refused\",\"reply\":\"yes\"}"},
    {"never Claim.open and Report.none and fraud", CLAIMS, 0, 0, 0,
     "no\n"
     "  at the beginning Claim is open, Report is none\n"
     "  but for: {\"amount\":0,\"fraud\":true}\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":1},\"facts\":{\"amount\":0,\"fraud\":true},\"path\":[],\"proof\":\"trace\","
     "\"question\":\"never Claim.open and Report.none and fraud\",\"reply\":\"no\","
     "\"states\":{\"Claim\":{\"_default\":\"open\"},\"Report\":{\"_default\":\"none\"}}}"},
    {"is Claim.asked and amount > 8999 possible", CLAIMS, 0, 0, 0,
     "yes\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n"
     "  then Claim is asked, Report is written\n"
     "  for: {\"amount\":9000,\"fraud\":false}\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":2},\"facts\":{\"amount\":9000,\"fraud\":false},"
     "\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\",\"instance\":\"_default\",\"to\":\"asked\"},"
     "{\"entity\":\"Report\",\"from\":\"none\",\"instance\":\"_default\",\"to\":\"written\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\",\"named\":false,\"operation\":\"request\","
     "\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"}],\"proof\":\"trace\","
     "\"question\":\"is Claim.asked and amount > 8999 possible\",\"reply\":\"yes\","
     "\"states\":{\"Claim\":{\"_default\":\"asked\"},\"Report\":{\"_default\":\"written\"}}}"},
    {"is not Claim.open and not Claim.paid possible", CLAIMS, 0, 0, 0,
     "yes\n"
     "  1. clerk: request (Claim: open -> asked, Report: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: one instance of each entity\n"
     "  then Claim is asked, Report is written\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":2},\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\","
     "\"instance\":\"_default\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\","
     "\"instance\":\"_default\",\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"named\":false,"
     "\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\"}],\"proof\":\"trace\","
     "\"question\":\"is not Claim.open and not Claim.paid possible\",\"reply\":\"yes\","
     "\"states\":{\"Claim\":{\"_default\":\"asked\"},\"Report\":{\"_default\":\"written\"}}}"},
    {"from every state Claim.paid or Claim.refused is reachable", CLAIMS, 0, 0, 0,
     "yes\n"
     "  holds for: every fact set, at each step its own; all 3 joint states of Claim, Report, one instance of each entity\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":1,\"joint_states\":3},\"proof\":\"proven\","
     "\"question\":\"from every state Claim.paid or Claim.refused is reachable\",\"reply\":\"yes\"}"},
    {"never Claim.paid", CLAIMS, 0, 0, 2,
     "no\n"
     "  1. clerk: request (Claim 1: open -> asked, Report 1: none -> written)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  2. boss: approve (Claim 1: asked -> paid)\n"
     "     for: {\"amount\":0,\"fraud\":false}\n"
     "  executed step by step: 2 instances of each entity\n"
     "  then Claim 1 is paid, Claim 2 is open, Report 1 is written, Report 2 is none\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":2,\"joint_states\":3},\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\","
     "\"instance\":\"1\",\"to\":\"asked\"},{\"entity\":\"Report\",\"from\":\"none\",\"instance\":\"1\","
     "\"to\":\"written\"}],\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"open\",\"named\":false,"
     "\"operation\":\"request\",\"outcome\":\"x\",\"persona\":\"clerk\",\"to\":\"asked\"},"
     "{\"changes\":[{\"entity\":\"Claim\",\"from\":\"asked\",\"instance\":\"1\",\"to\":\"paid\"}],"
     "\"facts\":{\"amount\":0,\"fraud\":false},\"from\":\"asked\",\"named\":false,\"operation\":\"approve\","
     "\"outcome\":\"x\",\"persona\":\"boss\",\"to\":\"paid\"}],\"proof\":\"trace\","
     "\"question\":\"never Claim.paid\",\"reply\":\"no\",\"states\":{\"Claim\":{\"1\":\"paid\",\"2\":\"open\"},"
     "\"Report\":{\"1\":\"written\",\"2\":\"none\"}}}"},
    {"who can perform request", CLAIMS, 0, 0, 2,
     "  clerk: request (Claim 1: open -> asked, Report 1: none -> written)\n"
     "  nobody else: every fact set, at each step its own; any number of instances\n",
     "{\"covers\":{\"entities\":[\"Claim\",\"Report\"],\"facts\":\"every fact set, at each step its own\","
     "\"instances\":\"any\",\"joint_states\":6},\"personas\":[\"clerk\"],\"proof\":\"trace\","
     "\"question\":\"who can perform request\",\"reply\":\"yes\",\"ways\":[{\"alone\":true,"
     "\"path\":[{\"changes\":[{\"entity\":\"Claim\",\"from\":\"open\",\"instance\":\"1\",\"to\":\"asked\"},"
     "{\"entity\":\"Report\",\"from\":\"none\",\"instance\":\"1\",\"to\":\"written\"}],\"facts\":{\"amount\":0,"
     "\"fraud\":false},\"from\":\"open\",\"named\":false,\"operation\":\"request\",\"outcome\":\"x\","
     "\"persona\":\"clerk\",\"to\":\"asked\"}],\"persona\":\"clerk\"}]}"},
};

/* The script that proves the search of a reply: the last of those that are written. */
static const row SCRIPTS[] = {
    {"never Claim.paid while Report.none", CLAIMS, 0, 0, 0,
     "; what is asked about is never met\n"
     "(set-info :smt-lib-version 2.6)\n"
     "(set-logic QF_LIA)\n"
     "(set-info :status unsat)\n"
     "; s0: Claim: 0 open, 1 asked, 2 paid, 3 refused\n"
     "; s1: Report: 0 none, 1 written\n"
     "(declare-const s0 Int)\n"
     "(declare-const t0 Int)\n"
     "(declare-const s1 Int)\n"
     "(declare-const t1 Int)\n"
     "(define-fun R1 ((s0 Int) (s1 Int)) Bool (ite (= s1 0) true false))\n"
     "(define-fun R2 ((s0 Int) (s1 Int)) Bool (ite (= s1 1) true false))\n"
     "(define-fun R3 ((s0 Int) (s1 Int)) Bool (ite (= s0 0) (R1 s0 s1) (ite (= s0 1) (R2 s0 s1) (ite (= s0 2) (R2 s0 s1) false))))\n"
     "(define-fun R ((s0 Int) (s1 Int)) Bool (R3 s0 s1))\n"
     "(define-fun I () Bool (and true (= s0 0) (= s1 0)))\n"
     "(define-fun T () Bool (or false\n"
     "  ; approve\n"
     "  (and (and true (= s0 1)) (and (= t0 2) (= t1 s1)))\n"
     "  ; request\n"
     "  (and (and true (= s0 0) (= s1 0)) (and (= t0 1) (= t1 1)))\n"
     "))\n"
     "(define-fun B () Bool (or false\n"
     "  (and (or false (= s0 2)) (or false (= s1 0)))\n"
     "))\n"
     "(assert (or (and I (not (R s0 s1)))\n"
     "  (and (R s0 s1) T (not (R t0 t1)))\n"
     "  (and (R s0 s1) B)))\n"
     "(check-sat)\n", ""},
    {"can clerk reach Claim.paid", CLAIMS, 0, 0, 0,
     "; nobody comes there, each entity by itself\n"
     "(set-info :smt-lib-version 2.6)\n"
     "(set-logic QF_LIA)\n"
     "(set-info :status unsat)\n"
     "; s0: Claim: 0 open, 1 asked, 2 paid, 3 refused\n"
     "; s1: Report: 0 none, 1 written\n"
     "(declare-const s0 Int)\n"
     "(declare-const t0 Int)\n"
     "(declare-const s1 Int)\n"
     "(declare-const t1 Int)\n"
     "(define-fun R ((s0 Int) (s1 Int)) Bool (and true (or false (= s0 0) (= s0 1) (= s0 2) (= s0 3)) (or false (= s1 0) (= s1 1))))\n"
     "(define-fun I () Bool (and true (= s0 0) (= s1 0)))\n"
     "(define-fun T () Bool (or false\n"
     "  ; approve\n"
     "  (and (and true (= s0 1)) (and (= t0 2) (= t1 s1)))\n"
     "  ; request\n"
     "  (and (and true (= s0 0) (= s1 0)) (and (= t0 1) (= t1 1)))\n"
     "))\n"
     "(define-fun B () Bool (or false\n"
     "))\n"
     "(assert (or (and I (not (R s0 s1)))\n"
     "  (and (R s0 s1) T (not (R t0 t1)))\n"
     "  (and (R s0 s1) B)))\n"
     "(check-sat)\n", ""},
    {"from every state of Claim a terminal is reachable", CLAIMS, 0, 0, 0,
     "; what is asked about can always still be reached\n"
     "(set-info :smt-lib-version 2.6)\n"
     "(set-logic QF_LIA)\n"
     "(set-info :status unsat)\n"
     "; s0: Claim: 0 open, 1 asked, 2 paid, 3 refused\n"
     "; s1: Report: 0 none, 1 written\n"
     "(declare-const s0 Int)\n"
     "(declare-const t0 Int)\n"
     "(declare-const s1 Int)\n"
     "(declare-const t1 Int)\n"
     "(define-fun R1 ((s0 Int) (s1 Int)) Bool (ite (= s1 0) true false))\n"
     "(define-fun R2 ((s0 Int) (s1 Int)) Bool (ite (= s1 1) true false))\n"
     "(define-fun R3 ((s0 Int) (s1 Int)) Bool (ite (= s0 0) (R1 s0 s1) (ite (= s0 1) (R2 s0 s1) (ite (= s0 2) (R2 s0 s1) false))))\n"
     "(define-fun R ((s0 Int) (s1 Int)) Bool (R3 s0 s1))\n"
     "(define-fun D1 ((s0 Int) (s1 Int)) Int (ite (= s1 0) 2 (- 1)))\n"
     "(define-fun D2 ((s0 Int) (s1 Int)) Int (ite (= s1 1) 1 (- 1)))\n"
     "(define-fun D3 ((s0 Int) (s1 Int)) Int (ite (= s1 1) 0 (- 1)))\n"
     "(define-fun D4 ((s0 Int) (s1 Int)) Int (ite (= s0 0) (D1 s0 s1) (ite (= s0 1) (D2 s0 s1) (ite (= s0 2) (D3 s0 s1) (- 1)))))\n"
     "(define-fun D ((s0 Int) (s1 Int)) Int (D4 s0 s1))\n"
     "(define-fun C1 ((s0 Int) (s1 Int)) Int (ite (= s1 0) 1 (- 1)))\n"
     "(define-fun C2 ((s0 Int) (s1 Int)) Int (ite (= s1 1) 0 (- 1)))\n"
     "(define-fun C3 ((s0 Int) (s1 Int)) Int (ite (= s0 0) (C1 s0 s1) (ite (= s0 1) (C2 s0 s1) (ite (= s0 2) (C2 s0 s1) (- 1)))))\n"
     "(define-fun C ((s0 Int) (s1 Int)) Int (C3 s0 s1))\n"
     "(define-fun I () Bool (and true (= s0 0) (= s1 0)))\n"
     "(define-fun T () Bool (or false\n"
     "  ; approve\n"
     "  (and (and true (= s0 1)) (and (= t0 2) (= t1 s1)))\n"
     "  ; request\n"
     "  (and (and true (= s0 0) (= s1 0)) (and (= t0 1) (= t1 1)))\n"
     "))\n"
     "(define-fun W () Bool (or false (= s0 2) (= s0 3)))\n"
     "(define-fun G () Bool (or false\n"
     "  (and (= (C s0 s1) 0) (and true (= s0 1)))\n"
     "  (and (= (C s0 s1) 1) (and true (= s0 0) (= s1 0)))\n"
     "))\n"
     "(define-fun N () Bool (or false\n"
     "  (and (= (C s0 s1) 0) (and true (= s0 1)) (and (= t0 2) (= t1 s1)))\n"
     "  (and (= (C s0 s1) 1) (and true (= s0 0) (= s1 0)) (and (= t0 1) (= t1 1)))\n"
     "))\n"
     "(define-fun B () Bool (or (and (= (D s0 s1) 0) (not W))\n"
     "  (and (not (= (D s0 s1) 0)) (not G))\n"
     "  (and (not (= (D s0 s1) 0)) N (or (< (D t0 t1) 0) (not (< (D t0 t1) (D s0 s1)))))))\n"
     "(assert (or (and I (not (R s0 s1)))\n"
     "  (and (R s0 s1) T (not (R t0 t1)))\n"
     "  (and (R s0 s1) B)))\n"
     "(check-sat)\n", ""},
    {"never perform refuse", CLAIMS, 0, 0, 0,
     "; nobody comes there, each entity by itself\n"
     "(set-info :smt-lib-version 2.6)\n"
     "(set-logic QF_LIA)\n"
     "(set-info :status unsat)\n"
     "; s0: Claim: 0 open, 1 asked, 2 paid, 3 refused\n"
     "; s1: Report: 0 none, 1 written\n"
     "(declare-const s0 Int)\n"
     "(declare-const t0 Int)\n"
     "(declare-const s1 Int)\n"
     "(declare-const t1 Int)\n"
     "(define-fun R ((s0 Int) (s1 Int)) Bool (and true (or false (= s0 0) (= s0 1) (= s0 2)) (or false (= s1 0) (= s1 1))))\n"
     "(define-fun I () Bool (and true (= s0 0) (= s1 0)))\n"
     "(define-fun T () Bool (or false\n"
     "  ; approve\n"
     "  (and (and true (= s0 1)) (and (= t0 2) (= t1 s1)))\n"
     "  ; request\n"
     "  (and (and true (= s0 0) (= s1 0)) (and (= t0 1) (= t1 1)))\n"
     "))\n"
     "(define-fun B () Bool (or false\n"
     "))\n"
     "(assert (or (and I (not (R s0 s1)))\n"
     "  (and (R s0 s1) T (not (R t0 t1)))\n"
     "  (and (R s0 s1) B)))\n"
     "(check-sat)\n", ""},
    {"from every state A.a is reachable with 2 instances", CIRCLE, 0, 0, 0,
     "; what is asked about can always still be reached\n"
     "(set-info :smt-lib-version 2.6)\n"
     "(set-logic QF_LIA)\n"
     "(set-info :status unsat)\n"
     "; s0: A 1: 0 a, 1 b\n"
     "; s1: A 2: 0 a, 1 b\n"
     "(declare-const s0 Int)\n"
     "(declare-const t0 Int)\n"
     "(declare-const s1 Int)\n"
     "(declare-const t1 Int)\n"
     "(define-fun R1 ((s0 Int) (s1 Int)) Bool (ite (= s1 0) true (ite (= s1 1) true false)))\n"
     "(define-fun R2 ((s0 Int) (s1 Int)) Bool (ite (= s0 0) (R1 s0 s1) (ite (= s0 1) (R1 s0 s1) false)))\n"
     "(define-fun R ((s0 Int) (s1 Int)) Bool (R2 s0 s1))\n"
     "(define-fun D1 ((s0 Int) (s1 Int)) Int (ite (= s1 0) 0 (ite (= s1 1) 0 (- 1))))\n"
     "(define-fun D2 ((s0 Int) (s1 Int)) Int (ite (= s1 0) 0 (ite (= s1 1) 1 (- 1))))\n"
     "(define-fun D3 ((s0 Int) (s1 Int)) Int (ite (= s0 0) (D1 s0 s1) (ite (= s0 1) (D2 s0 s1) (- 1))))\n"
     "(define-fun D ((s0 Int) (s1 Int)) Int (D3 s0 s1))\n"
     "(define-fun C1 ((s0 Int) (s1 Int)) Int (ite (= s1 0) 0 (ite (= s1 1) 0 (- 1))))\n"
     "(define-fun C2 ((s0 Int) (s1 Int)) Int (ite (= s1 0) 0 (ite (= s1 1) 2 (- 1))))\n"
     "(define-fun C3 ((s0 Int) (s1 Int)) Int (ite (= s0 0) (C1 s0 s1) (ite (= s0 1) (C2 s0 s1) (- 1))))\n"
     "(define-fun C ((s0 Int) (s1 Int)) Int (C3 s0 s1))\n"
     "(define-fun I () Bool (and true (= s0 0) (= s1 0)))\n"
     "(define-fun T () Bool (or false\n"
     "  ; o\n"
     "  (and (and true (= s0 0)) (and (= t0 1) (= t1 s1)))\n"
     "  ; o\n"
     "  (and (and true (= s1 0)) (and (= t0 s0) (= t1 1)))\n"
     "  ; o\n"
     "  (and (and true (= s0 1)) (and (= t0 0) (= t1 s1)))\n"
     "  ; o\n"
     "  (and (and true (= s1 1)) (and (= t0 s0) (= t1 0)))\n"
     "))\n"
     "(define-fun W () Bool (or false (= s0 0) (= s1 0)))\n"
     "(define-fun G () Bool (or false\n"
     "  (and (= (C s0 s1) 0) (and true (= s0 0)))\n"
     "  (and (= (C s0 s1) 1) (and true (= s1 0)))\n"
     "  (and (= (C s0 s1) 2) (and true (= s0 1)))\n"
     "  (and (= (C s0 s1) 3) (and true (= s1 1)))\n"
     "))\n"
     "(define-fun N () Bool (or false\n"
     "  (and (= (C s0 s1) 0) (and true (= s0 0)) (and (= t0 1) (= t1 s1)))\n"
     "  (and (= (C s0 s1) 1) (and true (= s1 0)) (and (= t0 s0) (= t1 1)))\n"
     "  (and (= (C s0 s1) 2) (and true (= s0 1)) (and (= t0 0) (= t1 s1)))\n"
     "  (and (= (C s0 s1) 3) (and true (= s1 1)) (and (= t0 s0) (= t1 0)))\n"
     "))\n"
     "(define-fun B () Bool (or (and (= (D s0 s1) 0) (not W))\n"
     "  (and (not (= (D s0 s1) 0)) (not G))\n"
     "  (and (not (= (D s0 s1) 0)) N (or (< (D t0 t1) 0) (not (< (D t0 t1) (D s0 s1)))))))\n"
     "(assert (or (and I (not (R s0 s1)))\n"
     "  (and (R s0 s1) T (not (R t0 t1)))\n"
     "  (and (R s0 s1) B)))\n"
     "(check-sat)\n", ""},
    {"always write before take for each E with 1 instance", BORROWED, 0, 0, 0,
     "; the precondition of operation take, every fact set\n"
     "(set-info :status sat)\n"
     "(set-logic QF_LIA)\n"
     "(check-sat)\n", ""},
    {"always b.go before S.s2", SYSTEM, 0, 0, 0,
     "; what is asked about is never met\n"
     "(set-info :smt-lib-version 2.6)\n"
     "(set-logic QF_LIA)\n"
     "(set-info :status unsat)\n"
     "; s0: S: 0 s0, 1 s1, 2 s2\n"
     "; s1: what happened before\n"
     "(declare-const s0 Int)\n"
     "(declare-const t0 Int)\n"
     "(declare-const s1 Int)\n"
     "(declare-const t1 Int)\n"
     "(define-fun R1 ((s0 Int) (s1 Int)) Bool (ite (= s1 0) true false))\n"
     "(define-fun R2 ((s0 Int) (s1 Int)) Bool (ite (= s0 0) (R1 s0 s1) (ite (= s0 1) (R1 s0 s1) false)))\n"
     "(define-fun R ((s0 Int) (s1 Int)) Bool (R2 s0 s1))\n"
     "(define-fun I () Bool (and true (= s0 0) (= s1 0)))\n"
     "(define-fun T () Bool (or false\n"
     "  ; a.go\n"
     "  (and (and true (= s0 0)) (= s1 0) (and (= t0 1) (= t1 0)))\n"
     "  ; a.go\n"
     "  (and (and true (= s0 0)) (= s1 1) (and (= t0 1) (= t1 1)))\n"
     "  ; a.go\n"
     "  (and (and true (= s0 0)) (= s1 2) (and (= t0 1) (= t1 2)))\n"
     "  ; a.go\n"
     "  (and (and true (= s0 0)) (= s1 3) (and (= t0 1) (= t1 3)))\n"
     "))\n"
     "(define-fun B () Bool (or false\n"
     "))\n"
     "(assert (or (and I (not (R s0 s1)))\n"
     "  (and (R s0 s1) T (not (R t0 t1)))\n"
     "  (and (R s0 s1) B)))\n"
     "(check-sat)\n", ""},
    {"what can boss do alone", CLAIMS, 0, 0, 0,
     "; it does not come there alone\n"
     "(set-info :smt-lib-version 2.6)\n"
     "(set-logic QF_LIA)\n"
     "(set-info :status unsat)\n"
     "; s0: Claim: 0 open, 1 asked, 2 paid, 3 refused\n"
     "; s1: Report: 0 none, 1 written\n"
     "(declare-const s0 Int)\n"
     "(declare-const t0 Int)\n"
     "(declare-const s1 Int)\n"
     "(declare-const t1 Int)\n"
     "(define-fun R1 ((s0 Int) (s1 Int)) Bool (ite (= s1 0) true false))\n"
     "(define-fun R2 ((s0 Int) (s1 Int)) Bool (ite (= s0 0) (R1 s0 s1) false))\n"
     "(define-fun R ((s0 Int) (s1 Int)) Bool (R2 s0 s1))\n"
     "(define-fun I () Bool (and true (= s0 0) (= s1 0)))\n"
     "(define-fun T () Bool (or false\n"
     "  ; approve\n"
     "  (and (and true (= s0 1)) (and (= t0 2) (= t1 s1)))\n"
     "))\n"
     "(define-fun B () Bool (or false\n"
     "))\n"
     "(assert (or (and I (not (R s0 s1)))\n"
     "  (and (R s0 s1) T (not (R t0 t1)))\n"
     "  (and (R s0 s1) B)))\n"
     "(check-sat)\n", ""},
};

static const struct fault_row {
    const char *name; /* the question */
    const char *contract;
    size_t place;
    const char *text;
} FAULTS[] = {
    {"", CLAIMS, 0,
     "a question begins with can, who, what, when, is, never, always, every, flow, from, nobody or why; motet ask --help lists them"},
    {"can", CLAIMS, 3, "expected a name, got 'the end'; did you mean: can PERSONA GOAL"},
    {"can nobody reach Claim.paid", CLAIMS, 4, "there is no persona 'nobody'"},
    {"can clerc reach Claim.paid", CLAIMS, 4, "there is no persona 'clerc'; did you mean 'clerk'?"},
    {"can clerk reach Clam.paid", CLAIMS, 16, "there is no entity 'Clam'; did you mean 'Claim'?"},
    {"can clerk reach Claim.payd", CLAIMS, 22, "Claim has no state 'payd'; did you mean 'paid'?"},
    {"can clerk reach Claim.opem", CLAIMS, 22, "Claim has no state 'opem'; did you mean 'open'?"},
    {"can clerk reach Claim.refusec", CLAIMS, 22, "Claim has no state 'refusec'; did you mean 'refused'?"},
    {"who can cause \"ok", CLAIMS, 14, "this is not part of a question"},
    {"can clerk reach Claim", CLAIMS, 21, "expected '.', got 'the end'"},
    {"can clerk perform aprove", CLAIMS, 18, "there is no operation 'aprove'; did you mean 'approve'?"},
    {"who can", CLAIMS, 7, "expected 'reach', 'move' or 'perform', got 'the end'; did you mean: who can GOAL"},
    {"what can anyone do alone", CLAIMS, 9, "alone is one persona"},
    {"what can boss do", CLAIMS, 16, "expected 'alone', got 'the end'; did you mean: what can PERSONA do alone"},
    {"is okk possible", CLAIMS, 3, "there is no fact, verdict or operation 'okk'; did you mean 'ok'?"},
    {"is amount possible", CLAIMS, 3, "'amount' is of Int(0, 9000): compare it with something"},
    {"is kind = \"boat\" possible", KINDS, 10, "'boat' is not a value of Enum(\"car\", \"house\")"},
    {"is kind < \"car\" possible", KINDS, 8, "'<' is not defined for Enum(\"car\", \"house\") and Enum(\"car\", \"house\")"},
    {"is cost = 3 USD possible", KINDS, 12, "expected 'possible', got 'USD'"},
    {"is wait = 1 hour possible", KINDS, 12, "expected 'possible', got 'hour'"},
    {"is amount = ok possible", CLAIMS, 10, "'=' is not defined for Int(0, 9000) and Bool"},
    {"is item.prise > 1 possible", KINDS, 8, "Record{good: Bool, price: Decimal(6, 2)} has no field 'prise'"},
    {"is len(amount) > 1 possible", CLAIMS, 3, "len wants a List"},
    {"is amount.x > 1 possible", CLAIMS, 10, "Int(0, 9000) has no field 'x'"},
    {"is amount = 1.5.2 possible", CLAIMS, 12, "'1.5.2' is not a value of Int(0, 9000)"},
    {"is ok", CLAIMS, 5, "expected 'possible', got 'the end'; did you mean: is CONDITION possible"},
    {"is ok possible now", CLAIMS, 15, "'now' is too much"},
    {"is (ok possible", CLAIMS, 7, "expected ')', got 'possible'"},
    {"is $ possible", CLAIMS, 3, "this is not part of a question"},
    {"is \"ok possible", CLAIMS, 3, "this is not part of a question"},
    {"when is Claim.paid", CLAIMS, 0, "this asks for a condition over facts alone"},
    {"when is nothing", CLAIMS, 8, "there is no fact, verdict or operation 'nothing'"},
    {"why", CLAIMS, 3, "expected 'not', got 'the end'"},
    {"why not why not never ok", CLAIMS, 8, "expected 'never', got 'why'; did you mean: why not QUESTION"},
    {"never Claim.paid with 0 instances", CLAIMS, 22, "expected a number of instances from 1 to 9, got '0'"},
    {"never Claim.paid with 10 instances", CLAIMS, 22, "expected a number of instances from 1 to 9, got '10'"},
    {"every flow ends with 2 instances", CLAIMS, 16, "'with' is too much"},
    {"flow x ends", CLAIMS, 5, "there is no flow 'x'"},
    {"from every state ok is reachable", CLAIMS, 17, "only states are reached; facts may be any"},
    {"from every state a terminal is reachabel", CLAIMS, 31,
     "expected 'reachable', got 'reachabel'; did you mean: from every state a terminal is reachable"},
    {"always approve befor request", CLAIMS, 15, "'befor' is too much; did you mean: always EVENT before EVENT"},
    {"always approve before request for each Report", CLAIMS, 7, "approve does not move Report"},
    {"nobody can both approve and approve", CLAIMS, 16, "both is two different operations"},
    {"nobody can both approve and request the same Report", CLAIMS, 16, "approve does not move Report"},
    {"nobody can booth request and approve", CLAIMS, 11,
     "expected 'both', got 'booth'; did you mean: nobody can both OPERATION and OPERATION"},
    {"who can cause okk", CLAIMS, 14, "there is no verdict 'okk'; did you mean 'ok'?"},
    {"something else", CLAIMS, 0,
     "a question begins with can, who, what, when, is, never, always, every, flow, from, nobody or why; motet ask --help lists them"},
    {"is amount = -1 or possible", CLAIMS, 18, "there is no fact, verdict or operation 'possible'"},
    {"can clerk reach Claim.paid with many instances", CLAIMS, 32, "expected a number of instances from 1 to 9, got 'many'"},
    {"can p perform go", SYSTEM, 14, "both a and b have operation 'go': write b.go"},
    {"can q reach S.s1", SYSTEM, 4, "both a and b have persona 'q': write b.q"},
    {"can a.n > 3 and b.n > 3 hold", SYSTEM, 16, "facts are those of one member: 'b' is of b, others of a"},
    {"can n > 3 hold", SYSTEM, 4, "both a and b have fact 'n': write b.n"},
    {"flow fc ends", SYSTEM, 5, "there is no flow 'fc'; did you mean 'fa'?"},
    {"when is a.big and b.n > 2", SYSTEM, 18, "facts are those of one member: 'b' is of b, others of a"},
    {"can clerk reach Claim.paid ä", CLAIMS, 27, "this is not part of a question"},
    {"is kind = 3 possible", CLAIMS, 3, "there is no fact, verdict or operation 'kind'"},
    {"is kind = n possible", KINDS, 8, "'=' is not defined for Enum(\"car\", \"house\") and Int(0, 9)"},
    {"is wait > 1.5 possible", KINDS, 10, "'1.5' is not a value of Duration(hours, 0, 90)"},
    {"is item possible", KINDS, 3, "'item' is of Record{good: Bool, price: Decimal(6, 2)}: compare it with something"},
    {"is item = 1 possible", KINDS, 10, "'1' is not a value of Record{good: Bool, price: Decimal(6, 2)}"},
    {"is day = \"tomorrow\" possible", KINDS, 9, "'tomorrow' is not a value of Date"},
    {"is n = \"x\" possible", KINDS, 7, "'x' is not a value of Int(0, 9)"},
    {"is far > true possible", KINDS, 7, "'>' is not defined for Bool and Bool"},
    {"is len(marks > 1 possible", KINDS, 13, "expected ')', got '>'"},
    {"is not possible", KINDS, 7, "there is no fact, verdict or operation 'possible'"},
    {"is n > possible", KINDS, 7, "there is no fact, verdict or operation 'possible'"},
    {"is n > 1 and possible", KINDS, 13, "there is no fact, verdict or operation 'possible'"},
    {"is ok implied", CLAIMS, 13, "expected 'by', got 'the end'; did you mean: is CONDITION implied by CONDITION"},
    {"is ok the same approve", CLAIMS, 15, "expected 'as', got 'approve'; did you mean: is CONDITION the same as CONDITION"},
    {"is ok the same as", CLAIMS, 17, "expected a name, got 'the end'"},
    {"always ok before approve", CLAIMS, 10, "'before' is too much; did you mean: always EVENT before EVENT"},
    {"always approve before ok", CLAIMS, 22, "there is no operation 'ok'"},
    {"always Claim.paid before", CLAIMS, 24, "expected a name, got 'the end'"},
    {"never reach Claim.paid while", CLAIMS, 28, "expected a name, got 'the end'"},
    {"never move Claim from open", CLAIMS, 26, "expected 'to', got 'the end'"},
    {"never move Claim from lost to paid", CLAIMS, 22, "Claim has no state 'lost'"},
    {"from every state of Clam a terminal is reachable", CLAIMS, 20, "there is no entity 'Clam'; did you mean 'Claim'?"},
    {"from every", CLAIMS, 10, "expected 'state', got 'the end'; did you mean: from every state a terminal is reachable"},
    {"nobody", CLAIMS, 6, "expected 'can', got 'the end'; did you mean: nobody can both OPERATION and OPERATION"},
    {"nobody can both request", CLAIMS, 23,
     "expected 'and', got 'the end'; did you mean: nobody can both OPERATION and OPERATION"},
    {"nobody can both request and", CLAIMS, 27, "expected a name, got 'the end'"},
    {"every flow", CLAIMS, 10, "expected 'ends', got 'the end'; did you mean: every flow ends"},
    {"what", CLAIMS, 4, "expected 'can', got 'the end'; did you mean: what can PERSONA do alone"},
    {"what can", CLAIMS, 8, "expected a name, got 'the end'; did you mean: what can PERSONA do alone"},
    {"who", CLAIMS, 3, "expected 'can', got 'the end'; did you mean: who can GOAL"},
    {"who can cause", CLAIMS, 13, "expected a name, got 'the end'"},
    {"is ok always with 2 instances of", CLAIMS, 30, "'of' is too much"},
};
/* clang-format on */

typedef struct asked {
    mt_arena a;
    mt_diags ds;
    an_union all;
    an_asker *q;
    an_reply reply;
} asked;

static const ct_program *program_of(asked *x, mt_str bundle)
{
    const ct_model *m;
    assert_int_equal(ct_load(&x->a, bundle, MT_STR("t"), NULL, &x->ds, &m), MT_OK);
    return ct_compile(&x->a, m);
}

static void read_system(asked *x, const ct_elaboration *e)
{
    mt_json *tree = mt_new(&x->a, mt_json);
    an_sys *system = mt_new(&x->a, an_sys);
    const ct_program *programs[2];
    mt_str bundle = mt_str_dup(&x->a, e->bundle);
    assert_int_equal(mt_json_read(&x->a, bundle, NULL, tree, NULL), MT_OK);
    assert_int_equal(an_sys_read(&x->a, tree, system), MT_OK);
    for (uint32_t i = 0; i < system->member_count; i++) {
        programs[i] = program_of(x, e->members[i].contract->bundle);
    }
    assert_int_equal(an_union_of_system(&x->a, system, programs, &x->ds, &x->all),
                     MT_OK);
}

static void ask(asked *x, const row *r)
{
    mt_memory_file files[] = {{MT_STR("t.tenor"), mt_str_z(r->contract)},
                              {MT_STR("a.tenor"), mt_str_z(MEMBER_A)},
                              {MT_STR("b.tenor"), mt_str_z(MEMBER_B)}};
    bool is_system = r->contract == SYSTEM;
    elaborated e = elaborate_files(files, is_system ? 3 : 1, false);
    mt_limits limits = MT_LIMITS_DEFAULT;
    *x = (asked){0};
    x->ds.arena = &x->a;
    if (e.err) {
        fail_msg("%.*s", MT_ARG(ct_first_error(&e.ds)->message));
    }
    if (is_system) {
        read_system(x, e.e);
    } else {
        const ct_program *p = program_of(x, e.e->bundle);
        assert_int_equal(an_union_of(&x->a, p, &x->ds, &x->all), MT_OK);
    }
    done(&e);
    limits.reach_states = r->reach_states ? r->reach_states : limits.reach_states;
    limits.prove_steps = r->prove_steps ? r->prove_steps : limits.prove_steps;
    x->q = an_asker_new(&x->all, &limits);
    if (r->instances) {
        an_asker_instances(x->q, r->instances);
    }
    x->reply = an_ask(x->q, &x->a, mt_str_z(r->name));
    assert_int_equal(an_asker_disagreements(x->q), 0);
}

static void forget(asked *x)
{
    an_asker_free(x->q);
    mt_arena_free(&x->a);
}

static void replies(void **state)
{
    const row *r = *state;
    asked x;
    ask(&x, r);
    bool same = mt_str_eq(x.reply.text, mt_str_z(r->text)) &&
                mt_str_eq(x.reply.json, mt_str_z(r->json));
    if (!same) { /* longer than fail_msg() has room for */
        fprintf(stderr, "@@%.*s@@%.*s@@\n", MT_ARG(x.reply.text), MT_ARG(x.reply.json));
    }
    forget(&x); /* what the solver keeps would be missing for the next */
    if (!same) {
        fail_msg("not\n%s%s", r->text, r->json);
    }
}

static void proves(void **state)
{
    static const char RESET[] = "(reset)\n";
    const row *r = *state;
    asked x;
    mt_buf script = {0};
    ask(&x, &(row){.name = "", .contract = r->contract});
    an_asker_smt2(x.q, &script);
    if (r->instances) {
        an_asker_instances(x.q, r->instances);
    }
    an_ask(x.q, &x.a, mt_str_z(r->name));
    mt_buf_addc(&script, 0);
    const char *last = script.ptr;
    for (const char *at = last; (at = strstr(at, RESET)); at = last) {
        last = at + strlen(RESET);
    }
    bool same = strcmp(last, r->text) == 0;
    if (!same) {
        fprintf(stderr, "@@%s@@@@\n", last);
    }
    mt_buf_free(&script);
    forget(&x);
    if (!same) {
        fail_msg("not\n%s", r->text);
    }
}

static void refuses(void **state)
{
    const struct fault_row *r = *state;
    asked x;
    ask(&x, &(row){.name = r->name, .contract = r->contract});
    if (!mt_str_eq(x.reply.text, mt_str_z(r->text)) || x.reply.place != r->place) {
        fprintf(stderr, "@@%.*s@@%zu@@\n", MT_ARG(x.reply.text), x.reply.place);
        fail_msg("not at %zu: %s", r->place, r->text);
    }
    assert_int_equal(x.reply.kind, AN_REPLY_FAULT);
    assert_int_equal(x.reply.json.len, 0);
    forget(&x);
}

/* Yes is the only answer that will do. */
static void invariants_are_questions_whose_answer_is_yes(void **state)
{
    (void)state;
    static const char WANT_TEXT[] =
        "invariant 'is ok always' does not hold\n"
        "  not for: {\"amount\":0,\"fraud\":true}\n"
        "invariant 'never Claim.payd' was not understood: Claim has no state 'payd'; "
        "did you mean 'paid'?\n"
        "invariant 'is ok always' was not decided: the solver's limit was reached "
        "(prove_ms 5000, prove_steps 1)\n";
    static const char WANT_JSON[] =
        "[{\"facts\":{\"amount\":0,\"fraud\":true},\"proof\":\"facts\",\"question\":"
        "\"is ok always\",\"reply\":\"no\"},{\"question\":\"never "
        "Claim.payd\",\"reason\":\"Claim has no state 'payd'; did you mean "
        "'paid'?\",\"reply\":\"not understood\"}]";
    an_invariant list[] = {{.question = MT_STR("never perform refuse")},
                           {.question = MT_STR("is ok always")},
                           {.question = MT_STR("never Claim.payd")},
                           {.question = MT_STR("is amount >= 0 always")}};
    enum { COUNT = sizeof list / sizeof *list };
    asked x;
    mt_buf text = {0}, json = {0};
    mt_jw w = mt_jw_start(&json, false);
    ask(&x, &(row){.name = "is ok possible", .contract = CLAIMS});
    assert_int_equal(an_invariants_ask(x.q, &x.a, list, COUNT), 2);
    assert_int_equal(an_invariants_ask(x.q, &x.a, list, 1), 0);
    mt_jw_begin_array(&w);
    for (size_t i = 1; i < 3; i++) {
        an_invariant_text(&text, &list[i]);
        an_invariant_json(&w, &list[i]);
    }
    mt_jw_end_array(&w);
    forget(&x);
    ask(&x, &(row){.name = "", .contract = CLAIMS, .prove_steps = 1});
    assert_int_equal(an_invariants_ask(x.q, &x.a, &list[1], 1), 1);
    an_invariant_text(&text, &list[1]);
    assert_text(mt_buf_str(&text), mt_str_z(WANT_TEXT));
    assert_text(mt_buf_str(&json), mt_str_z(WANT_JSON));
    mt_buf_free(&text);
    mt_buf_free(&json);
    forget(&x);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, replies);
    rows_add(&list, SCRIPTS, proves);
    rows_add(&list, FAULTS, refuses);
    rows_test(&list, invariants_are_questions_whose_answer_is_yes);
    return rows_run(&list, "analyze/ask");
}
