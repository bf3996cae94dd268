/* Reports as a whole: text, JSON and findings of one contract that has something of
 * everything, once in full and once with little room. */
#include "analyze/facts/report.h"
#include "analyze_fixture.h"

/* No operation leads to `lost` and nothing to `torn`; `never` and `undo` cannot hold.
 */
static const char SHOP[] =
    "persona clerk\npersona boss\npersona guest\n"
    "fact f { type: Bool source: \"x.f\" }\n"
    "fact n { type: Int(min: 0, max: 9) source: \"x.n\" }\n"
    "fact l { type: List(element_type: Bool, max: 3) source: \"x.l\" }\n"
    "entity Order { states: [open, paid, sent, lost] initial: open\n"
    "  transitions: [(open, paid), (open, sent), (paid, sent), (paid, open), (sent, "
    "lost)] }\n"
    "entity Box { states: [empty, full, torn] initial: empty transitions: [(empty, "
    "full)] }\n"
    "entity Rest { states: [here] initial: here transitions: [] }\n"
    "rule some { stratum: 0 when: exists i in l . i produce: verdict some { payload: "
    "Bool = true } }\n"
    "rule never { stratum: 0 when: n > 9 produce: verdict none { payload: Bool = true "
    "} }\n"
    "rule good { stratum: 1 when: verdict_present(some) and n > 3 produce: verdict "
    "good { payload: Bool = true } }\n"
    "operation pay { allowed_personas: [clerk, boss] precondition: "
    "verdict_present(good)\n"
    "  effects: [(Order, open, paid, done), (Order, open, sent, given)]\n"
    "  outcomes: [done, given] error_contract: [precondition_failed, "
    "persona_rejected] }\n"
    "operation ship { allowed_personas: [boss] precondition: true\n"
    "  effects: [(Order, paid, sent), (Box, empty, full)] error_contract: [] }\n"
    "operation undo { allowed_personas: [clerk] precondition: n > 9\n"
    "  effects: [(Order, paid, open)] outcomes: [back] error_contract: [] }\n"
    "flow inner { snapshot: at_initiation entry: i steps: {\n"
    "  i: OperationStep { op: ship persona: boss outcomes: { success: "
    "Terminal(success) } on_failure: Terminal(failure) } } }\n"
    "flow main { snapshot: at_initiation entry: b steps: {\n"
    "  b: BranchStep { condition: f persona: clerk if_true: h if_false: p }\n"
    "  h: HandoffStep { from_persona: clerk to_persona: boss next: p }\n"
    "  p: OperationStep { op: pay persona: boss outcomes: { done: s, given: "
    "Terminal(success) }\n"
    "    on_failure: Compensate(steps: [{ op: undo persona: clerk on_failure: "
    "Terminal(failure) }] then: Terminal(failure)) }\n"
    "  s: SubFlowStep { flow: inner persona: boss on_success: Terminal(success)\n"
    "    on_failure: Terminal(failure) } } }\n"
    "flow odd { snapshot: at_initiation entry: a steps: {\n"
    "  a: BranchStep { condition: n > 9 persona: clerk if_true: z if_false: "
    "Terminal(failure) }\n"
    "  z: OperationStep { op: ship persona: boss outcomes: { success: "
    "Terminal(success) } on_failure: Terminal(failure) } } }\n";

/* clang-format off */
static const struct report_row {
    const char *name;
    uint32_t only;
    size_t reach_states;
    an_sink sink;
    const char *want;
} TEXTS[] = {
    {"a report of states, authority and verdicts", 1 << AN_S1 | 1 << AN_S2 | 1 << AN_S3A | 1 << AN_S4 | 1 << AN_S5, 0,
     {.paths = 100, .entries = 100, .steps = 1000},
     "t: 3 personas, 3 entities, 3 operations, 3 rules, 3 flows\n"
     "\n"
     "S1  State space\n"
     "  Box: 3 states (empty, full, torn), initially empty, 1 transition\n"
     "  Order: 4 states (open, paid, sent, lost), initially open, 5 transitions\n"
     "  Rest: 1 state (here), initially here, 0 transitions\n"
     "\n"
     "S2  Reachable states\n"
     "  Box: 2 of 3 (empty, full)\n"
     "  Order: 4 of 4 (open, paid, sent, lost); by operations 3 (open, paid, sent), one instance of each entity\n"
     "  Rest: 1 of 1 (here)\n"
     "\n"
     "S3a  Admissible operations\n"
     "  Box in empty\n"
     "    boss: ship\n"
     "  Order in open\n"
     "    boss: pay\n"
     "    clerk: pay\n"
     "  Order in paid\n"
     "    boss: ship\n"
     "\n"
     "S4  Authority\n"
     "  (alone: by this contract, one instance of each entity, preconditions as far as types tell)\n"
     "  boss\n"
     "    Box: empty -> full (ship); alone it reaches empty, full\n"
     "    Order: open -> paid (pay), open -> sent (pay), paid -> sent (ship); alone it reaches open, paid, sent\n"
     "  clerk\n"
     "    Order: open -> paid (pay), open -> sent (pay); alone it reaches open, paid, sent\n"
     "  guest\n"
     "\n"
     "S5  Verdicts and outcomes\n"
     "  stratum 0: none (rule never)\n"
     "  stratum 0: some (rule some)\n"
     "  stratum 1: good (rule good)\n"
     "  pay can produce done, given\n"
     "  ship can produce success\n"
     "  undo can produce back\n"
     "\n"
     "t.tenor:7: S101 note: Entity Order: no operation makes the transition from 'sent' to 'lost'\n"
     "  hint: add the operation, or remove the transition\n"
     "t.tenor:9: S201 warning: Entity Box: state 'torn' is unreachable from the initial state 'empty'\n"
     "  hint: add a transition into the state, or remove the state\n"
     "t.tenor:7: S202 note: Entity Order: no operations lead to state 'lost'\n"
     "  hint: add the missing operation, or remove the state\n"
     "t.tenor:19: S301 warning: Operation undo: its precondition n > 9 is always false\n"
     "  hint: compare with a value the declared type contains\n"
     "t.tenor:12: S302 warning: Rule never: never produces none: n > 9 is always false\n"
     "  hint: compare with a value the declared type contains\n"
     "t.tenor:30: S303 warning: Flow odd: step 'a' always goes one way: n > 9 is always false\n"
     "  hint: correct the condition, or remove the branch\n"
     "t.tenor:3: S401 note: Persona guest: can do nothing: no operation and no step is its\n"
     "  hint: add it to an operation's personas, or remove it\n"
     "t.tenor:12: S501 note: Rule never: nothing reads its verdict none\n"
     "  hint: remove the rule unless the verdict is for readers outside of the contract\n"},
    {"a report of paths and bounds", 1 << AN_S6 | 1 << AN_S7 | 1 << AN_S8, 0,
     {.paths = 100, .entries = 100, .steps = 1000},
     "t: 3 personas, 3 entities, 3 operations, 3 rules, 3 flows\n"
     "\n"
     "S6  Flow paths\n"
     "  inner: 2 paths (success 1, failure 1), at most 1 step\n"
     "    brings Box to {full}\n"
     "    brings Order to {sent}\n"
     "    1. i=success > success\n"
     "       Box: full, Order: sent\n"
     "    2. i=error > failure\n"
     "  main: 10 paths (success 4, failure 6), at most 5 steps\n"
     "    brings Box to {full}\n"
     "    brings Order to {paid, sent}\n"
     "    1. b=true > h=handoff > p=done > s(i=success > success)=success > success\n"
     "       Box: full, Order: sent\n"
     "    2. b=true > h=handoff > p=done > s(i=error > failure)=failed > failure\n"
     "       Order: paid\n"
     "    3. b=true > h=handoff > p=given > success\n"
     "       Order: sent\n"
     "    4. b=true > h=handoff > p=error > comp:undo=done > failure  (no facts and states allow it)\n"
     "       Order: open\n"
     "    5. b=true > h=handoff > p=error > comp:undo=error > failure\n"
     "    6. b=false > p=done > s(i=success > success)=success > success\n"
     "       Box: full, Order: sent\n"
     "    7. b=false > p=done > s(i=error > failure)=failed > failure\n"
     "       Order: paid\n"
     "    8. b=false > p=given > success\n"
     "       Order: sent\n"
     "    9. b=false > p=error > comp:undo=done > failure  (no facts and states allow it)\n"
     "       Order: open\n"
     "    10. b=false > p=error > comp:undo=error > failure\n"
     "  odd: 3 paths (failure 2, success 1), at most 2 steps\n"
     "    brings Box to {}\n"
     "    brings Order to {}\n"
     "    1. a=true > z=success > success  (no facts and states allow it)\n"
     "       Box: full, Order: sent\n"
     "    2. a=true > z=error > failure  (no facts and states allow it)\n"
     "    3. a=false > failure\n"
     "\n"
     "S7  Bounds\n"
     "  rule never: 3 steps at most (3 nodes)\n"
     "  rule some: 5 steps at most (3 nodes, quantifiers 1 deep)\n"
     "  rule good: 5 steps at most (5 nodes)\n"
     "  operation pay: 1 step at most (1 node)\n"
     "  operation ship: 1 step at most (1 node)\n"
     "  operation undo: 3 steps at most (3 nodes)\n"
     "  flow main/b: 1 step at most (1 node)\n"
     "  flow odd/a: 3 steps at most (3 nodes)\n"
     "\n"
     "S8  Verdict uniqueness\n"
     "  every verdict type is produced by one rule\n"
     "\n"
     "t.tenor:30: S601 warning: Flow odd: no way leads to step 'z'\n"
     "  hint: route to the step, or remove it\n"
     "t.tenor:30: S603 warning: Flow odd: no path of the flow ends in success\n"
     "  hint: route an outcome to Terminal(success)\n"},
    {"a report with little room", 1 << AN_S2 | 1 << AN_S3A | 1 << AN_S4 | 1 << AN_S6, 1,
     {.paths = 2, .entries = 3, .steps = 1000},
     "t: 3 personas, 3 entities, 3 operations, 3 rules, 3 flows\n"
     "\n"
     "S2  Reachable states\n"
     "  Box: 2 of 3 (empty, full); by operations 1 (empty), one instance of each entity; not decided: full (reach_states 1)\n"
     "  Order: 4 of 4 (open, paid, sent, lost); by operations 3 (open, paid, sent), one instance of each entity\n"
     "  Rest: 1 of 1 (here)\n"
     "\n"
     "S3a  Admissible operations\n"
     "  Box in empty\n"
     "    boss: ship\n"
     "  Order in open\n"
     "    boss: pay\n"
     "    clerk: pay\n"
     "  Order in paid\n"
     "  … listing ends after 3\n"
     "\n"
     "S4  Authority\n"
     "  (alone: by this contract, one instance of each entity, preconditions as far as types tell)\n"
     "  boss\n"
     "    Box: empty -> full (ship); alone it reaches empty; not decided: full (reach_states 1)\n"
     "    Order: open -> paid (pay), open -> sent (pay); alone it reaches open, paid, sent\n"
     "  … listing ends after 3\n"
     "\n"
     "S6  Flow paths\n"
     "  inner: 2 paths (success 1, failure 1), at most 1 step\n"
     "    brings Box to {full}\n"
     "    brings Order to {sent}\n"
     "    1. i=success > success\n"
     "       Box: full, Order: sent\n"
     "    2. i=error > failure\n"
     "  main: 10 paths (success 4, failure 6), at most 5 steps\n"
     "    brings Box to {full}\n"
     "    brings Order to {paid, sent}\n"
     "    1. b=true > h=handoff > p=done > s(i=success > success)=success > success\n"
     "       Box: full, Order: sent\n"
     "    2. b=true > h=handoff > p=done > s(i=error > failure)=failed > failure\n"
     "       Order: paid\n"
     "    … 2 listed; --paths N lists more\n"
     "  odd: 3 paths (failure 2, success 1), at most 2 steps\n"
     "    brings Box to {}\n"
     "    brings Order to {}\n"
     "    1. a=true > z=success > success  (no facts and states allow it)\n"
     "       Box: full, Order: sent\n"
     "    2. a=true > z=error > failure  (no facts and states allow it)\n"
     "    … 2 listed; --paths N lists more\n"
     "\n"
     "t.tenor:9: S201 warning: Entity Box: state 'torn' is unreachable from the initial state 'empty'\n"
     "  hint: add a transition into the state, or remove the state\n"
     "t.tenor:7: S202 note: Entity Order: no operations lead to state 'lost'\n"
     "  hint: add the missing operation, or remove the state\n"
     "t.tenor:9: S203 note: Entity Box: which of 1 more states operations lead to was not decided within 1 joint states\n"
     "  hint: raise reach_states\n"
     "t.tenor:19: S301 warning: Operation undo: its precondition n > 9 is always false\n"
     "  hint: compare with a value the declared type contains\n"
     "t.tenor:12: S302 warning: Rule never: never produces none: n > 9 is always false\n"
     "  hint: compare with a value the declared type contains\n"
     "t.tenor:30: S303 warning: Flow odd: step 'a' always goes one way: n > 9 is always false\n"
     "  hint: correct the condition, or remove the branch\n"
     "t.tenor:3: S401 note: Persona guest: can do nothing: no operation and no step is its\n"
     "  hint: add it to an operation's personas, or remove it\n"
     "t.tenor:30: S601 warning: Flow odd: no way leads to step 'z'\n"
     "  hint: route to the step, or remove it\n"
     "t.tenor:30: S603 warning: Flow odd: no path of the flow ends in success\n"
     "  hint: route an outcome to Terminal(success)\n"},
    {"a report whose steps are used up", 1 << AN_S6, 0,
     {.paths = 100, .entries = 1, .steps = 10},
     "t: 3 personas, 3 entities, 3 operations, 3 rules, 3 flows\n"
     "\n"
     "S6  Flow paths\n"
     "  inner: 2 paths (success 1, failure 1), at most 1 step\n"
     "    brings Box to {full}\n"
     "    brings Order to {sent}\n"
     "    1. i=success > success\n"
     "       Box: full, Order: sent\n"
     "    2. i=error > failure\n"
     "  main: 10 paths (success 4, failure 6), at most 5 steps\n"
     "    brings Box to {full}\n"
     "    brings Order to {paid, sent}\n"
     "    1. b=true > h=handoff > p=done > s(i=success > success)=success > success\n"
     "       Box: full, Order: sent\n"
     "    2. b=true > h=handoff > p=done > s(i=error > failure)=failed > failure\n"
     "       Order: paid\n"
     "    … 2 listed\n"
     "  odd: 3 paths (failure 2, success 1), at most 2 steps\n"
     "    brings Box to {}\n"
     "    brings Order to {}\n"
     "    … 0 listed\n"
     "\n"
     "t.tenor:30: S601 warning: Flow odd: no way leads to step 'z'\n"
     "  hint: route to the step, or remove it\n"
     "t.tenor:30: S603 warning: Flow odd: no path of the flow ends in success\n"
     "  hint: route an outcome to Terminal(success)\n"},
}, JSONS[] = {
    {"JSON of states and verdicts", 1 << AN_S1 | 1 << AN_S2 | 1 << AN_S5 | 1 << AN_S8, 0,
     {.paths = 100, .entries = 100, .steps = 1000},
     "{\"s1_state_space\":{\"entities\":{\"Box\":{\"declared_states\":[\"empty\",\"full\",\"torn\"],"
     "\"entity_id\":\"Box\",\"initial_state\":\"empty\",\"state_count\":3,\"transitions\":[[\"empty\",\"full\"]]},"
     "\"Order\":{\"declared_states\":[\"open\",\"paid\",\"sent\",\"lost\"],\"entity_id\":\"Order\","
     "\"initial_state\":\"open\",\"state_count\":4,\"transitions\":[[\"open\",\"paid\"],[\"open\",\"sent\"],"
     "[\"paid\",\"sent\"],[\"paid\",\"open\"],[\"sent\",\"lost\"]]},\"Rest\":{\"declared_states\":[\"here\"],"
     "\"entity_id\":\"Rest\",\"initial_state\":\"here\",\"state_count\":1,\"transitions\":[]}},"
     "\"total_states\":8},\"s2_reachability\":{\"entities\":{\"Box\":{\"entity_id\":\"Box\","
     "\"initial_state\":\"empty\",\"operated_states\":[\"empty\",\"full\"],\"reachable_states\":[\"empty\","
     "\"full\"],\"unreachable_states\":[\"torn\"]},\"Order\":{\"entity_id\":\"Order\",\"initial_state\":\"open\","
     "\"operated_states\":[\"open\",\"paid\",\"sent\"],\"reachable_states\":[\"open\",\"paid\",\"sent\",\"lost\"],"
     "\"unreachable_states\":[]},\"Rest\":{\"entity_id\":\"Rest\",\"initial_state\":\"here\","
     "\"operated_states\":[\"here\"],\"reachable_states\":[\"here\"],\"unreachable_states\":[]}},"
     "\"has_dead_states\":true,\"instances\":1,\"preconditions\":\"types\"},\"s3a_admissibility\":null,"
     "\"s4_authority\":null,\"s5_verdicts\":{\"operation_outcomes\":{\"pay\":{\"declared\":true,"
     "\"errors\":[\"precondition_failed\",\"persona_rejected\"],\"operation_id\":\"pay\",\"outcome_count\":2,"
     "\"outcomes\":[\"done\",\"given\"]},\"ship\":{\"declared\":false,\"errors\":[],\"operation_id\":\"ship\","
     "\"outcome_count\":1,\"outcomes\":[\"success\"]},\"undo\":{\"declared\":true,\"errors\":[],"
     "\"operation_id\":\"undo\",\"outcome_count\":1,\"outcomes\":[\"back\"]}},"
     "\"total_operations_with_outcomes\":3,\"total_verdict_types\":3,\"verdict_types\":[{\"can_be_present\":false,"
     "\"is_read\":false,\"producing_rule\":\"never\",\"stratum\":0,\"verdict_type\":\"none\"},"
     "{\"can_be_present\":true,\"is_read\":true,\"producing_rule\":\"some\",\"stratum\":0,"
     "\"verdict_type\":\"some\"},{\"can_be_present\":true,\"is_read\":true,\"producing_rule\":\"good\","
     "\"stratum\":1,\"verdict_type\":\"good\"}]},\"s6_flow_paths\":null,\"s7_complexity\":null,"
     "\"s8_verdict_uniqueness\":{\"rules\":3,\"unique\":true}}"},
    {"JSON of authority", 1 << AN_S3A | 1 << AN_S4, 0,
     {.paths = 100, .entries = 100, .steps = 1000},
     "{\"s1_state_space\":null,\"s2_reachability\":null,"
     "\"s3a_admissibility\":{\"admissible_operations\":{\"Box:empty:boss\":[\"ship\"],"
     "\"Order:open:boss\":[\"pay\"],\"Order:open:clerk\":[\"pay\"],\"Order:paid:boss\":[\"ship\"]},"
     "\"inadmissible_operations\":[\"undo\"],\"total_combinations_checked\":24,\"truncated\":false},"
     "\"s4_authority\":{\"instances\":1,"
     "\"persona_authority\":{\"boss\":{\"by_entity\":{\"Box\":{\"empty\":[\"ship\"]},"
     "\"Order\":{\"open\":[\"pay\"],\"paid\":[\"ship\"]}},\"reaches\":{\"Box\":[\"empty\",\"full\"],"
     "\"Order\":[\"open\",\"paid\",\"sent\"]}},\"clerk\":{\"by_entity\":{\"Order\":{\"open\":[\"pay\"]}},"
     "\"reaches\":{\"Order\":[\"open\",\"paid\",\"sent\"]}},\"guest\":{\"by_entity\":{},\"reaches\":{}}},"
     "\"preconditions\":\"types\",\"total_personas\":3,\"total_transition_authorities\":6,"
     "\"transition_authorities\":[{\"entity_id\":\"Box\",\"from_state\":\"empty\",\"persona_id\":\"boss\","
     "\"to_state\":\"full\",\"via_operation\":\"ship\"},{\"entity_id\":\"Order\",\"from_state\":\"open\","
     "\"persona_id\":\"clerk\",\"to_state\":\"paid\",\"via_operation\":\"pay\"},{\"entity_id\":\"Order\","
     "\"from_state\":\"open\",\"persona_id\":\"boss\",\"to_state\":\"paid\",\"via_operation\":\"pay\"},"
     "{\"entity_id\":\"Order\",\"from_state\":\"open\",\"persona_id\":\"clerk\",\"to_state\":\"sent\","
     "\"via_operation\":\"pay\"},{\"entity_id\":\"Order\",\"from_state\":\"open\",\"persona_id\":\"boss\","
     "\"to_state\":\"sent\",\"via_operation\":\"pay\"},{\"entity_id\":\"Order\",\"from_state\":\"paid\","
     "\"persona_id\":\"boss\",\"to_state\":\"sent\",\"via_operation\":\"ship\"}],\"truncated\":false},"
     "\"s5_verdicts\":null,\"s6_flow_paths\":null,\"s7_complexity\":null,\"s8_verdict_uniqueness\":null}"},
    {"JSON of paths until their steps are used up", 1 << AN_S6, 0,
     {.paths = 9, .entries = 0, .steps = 19},
     "{\"s1_state_space\":null,\"s2_reachability\":null,\"s3a_admissibility\":null,\"s4_authority\":null,"
     "\"s5_verdicts\":null,\"s6_flow_paths\":{\"flows\":{\"inner\":{\"ends\":[{\"outcome\":\"success\","
     "\"paths\":\"1\"},{\"outcome\":\"failure\",\"paths\":\"1\"}],\"entity_states\":{\"Box\":[\"full\"],"
     "\"Order\":[\"sent\"]},\"flow_id\":\"inner\",\"max_depth\":1,\"path_count\":\"2\",\"path_count_exact\":true,"
     "\"paths\":[{\"depth\":1,\"entity_states\":{\"Box\":[\"full\"],\"Order\":[\"sent\"]},\"possible\":true,"
     "\"steps\":[{\"flow\":\"inner\",\"operation_id\":\"ship\",\"outcome\":\"success\",\"persona\":\"boss\","
     "\"step_id\":\"i\",\"step_type\":\"operation\"}],\"terminal_outcome\":\"success\"},{\"depth\":1,"
     "\"entity_states\":{},\"possible\":true,\"steps\":[{\"flow\":\"inner\",\"operation_id\":\"ship\","
     "\"outcome\":\"error\",\"persona\":\"boss\",\"step_id\":\"i\",\"step_type\":\"operation\"}],"
     "\"terminal_outcome\":\"failure\"}],\"paths_listed\":2,\"reachable_steps\":[\"i\"],\"truncated\":false,"
     "\"unreachable_steps\":[]},\"main\":{\"ends\":[{\"outcome\":\"success\",\"paths\":\"4\"},"
     "{\"outcome\":\"failure\",\"paths\":\"6\"}],\"entity_states\":{\"Box\":[\"full\"],\"Order\":[\"paid\","
     "\"sent\"]},\"flow_id\":\"main\",\"max_depth\":5,\"path_count\":\"10\",\"path_count_exact\":true,"
     "\"paths\":[{\"depth\":5,\"entity_states\":{\"Box\":[\"full\"],\"Order\":[\"sent\"]},\"possible\":true,"
     "\"steps\":[{\"flow\":\"main\",\"operation_id\":null,\"outcome\":\"true\",\"persona\":\"clerk\","
     "\"step_id\":\"b\",\"step_type\":\"branch\"},{\"flow\":\"main\",\"operation_id\":null,"
     "\"outcome\":\"handoff\",\"persona\":\"clerk\",\"step_id\":\"h\",\"step_type\":\"handoff\"},"
     "{\"flow\":\"main\",\"operation_id\":\"pay\",\"outcome\":\"done\",\"persona\":\"boss\",\"step_id\":\"p\","
     "\"step_type\":\"operation\"},{\"flow\":\"inner\",\"operation_id\":\"ship\",\"outcome\":\"success\","
     "\"persona\":\"boss\",\"step_id\":\"i\",\"step_type\":\"operation\"},{\"flow\":\"main\","
     "\"operation_id\":\"inner\",\"outcome\":\"success\",\"persona\":\"boss\",\"step_id\":\"s\","
     "\"step_type\":\"subflow\"}],\"terminal_outcome\":\"success\"},{\"depth\":5,"
     "\"entity_states\":{\"Order\":[\"paid\"]},\"possible\":true,\"steps\":[{\"flow\":\"main\","
     "\"operation_id\":null,\"outcome\":\"true\",\"persona\":\"clerk\",\"step_id\":\"b\","
     "\"step_type\":\"branch\"},{\"flow\":\"main\",\"operation_id\":null,\"outcome\":\"handoff\","
     "\"persona\":\"clerk\",\"step_id\":\"h\",\"step_type\":\"handoff\"},{\"flow\":\"main\","
     "\"operation_id\":\"pay\",\"outcome\":\"done\",\"persona\":\"boss\",\"step_id\":\"p\","
     "\"step_type\":\"operation\"},{\"flow\":\"inner\",\"operation_id\":\"ship\",\"outcome\":\"error\","
     "\"persona\":\"boss\",\"step_id\":\"i\",\"step_type\":\"operation\"},{\"flow\":\"main\","
     "\"operation_id\":\"inner\",\"outcome\":\"failed\",\"persona\":\"boss\",\"step_id\":\"s\","
     "\"step_type\":\"subflow\"}],\"terminal_outcome\":\"failure\"},{\"depth\":3,"
     "\"entity_states\":{\"Order\":[\"sent\"]},\"possible\":true,\"steps\":[{\"flow\":\"main\","
     "\"operation_id\":null,\"outcome\":\"true\",\"persona\":\"clerk\",\"step_id\":\"b\","
     "\"step_type\":\"branch\"},{\"flow\":\"main\",\"operation_id\":null,\"outcome\":\"handoff\","
     "\"persona\":\"clerk\",\"step_id\":\"h\",\"step_type\":\"handoff\"},{\"flow\":\"main\","
     "\"operation_id\":\"pay\",\"outcome\":\"given\",\"persona\":\"boss\",\"step_id\":\"p\","
     "\"step_type\":\"operation\"}],\"terminal_outcome\":\"success\"},{\"depth\":4,"
     "\"entity_states\":{\"Order\":[\"open\"]},\"possible\":false,\"steps\":[{\"flow\":\"main\","
     "\"operation_id\":null,\"outcome\":\"true\",\"persona\":\"clerk\",\"step_id\":\"b\","
     "\"step_type\":\"branch\"},{\"flow\":\"main\",\"operation_id\":null,\"outcome\":\"handoff\","
     "\"persona\":\"clerk\",\"step_id\":\"h\",\"step_type\":\"handoff\"},{\"flow\":\"main\","
     "\"operation_id\":\"pay\",\"outcome\":\"error\",\"persona\":\"boss\",\"step_id\":\"p\","
     "\"step_type\":\"operation\"},{\"flow\":\"main\",\"operation_id\":\"undo\",\"outcome\":\"done\","
     "\"persona\":\"clerk\",\"step_id\":\"p\",\"step_type\":\"compensation\"}],\"terminal_outcome\":\"failure\"}],"
     "\"paths_listed\":4,\"reachable_steps\":[\"b\",\"h\",\"p\",\"s\"],\"truncated\":true,"
     "\"unreachable_steps\":[]},\"odd\":{\"ends\":[{\"outcome\":\"failure\",\"paths\":\"2\"},"
     "{\"outcome\":\"success\",\"paths\":\"1\"}],\"entity_states\":{\"Box\":[],\"Order\":[]},\"flow_id\":\"odd\","
     "\"max_depth\":2,\"path_count\":\"3\",\"path_count_exact\":true,\"paths\":[],\"paths_listed\":0,"
     "\"reachable_steps\":[\"a\"],\"truncated\":true,\"unreachable_steps\":[\"z\"]}},\"total_paths\":\"15\"},"
     "\"s7_complexity\":null,\"s8_verdict_uniqueness\":null}"},
    {"JSON of bounds", 1 << AN_S7, 0,
     {.paths = 100, .entries = 100, .steps = 1000},
     "{\"s1_state_space\":null,\"s2_reachability\":null,\"s3a_admissibility\":null,\"s4_authority\":null,"
     "\"s5_verdicts\":null,\"s6_flow_paths\":null,"
     "\"s7_complexity\":{\"flow_depth_bounds\":{\"inner\":{\"flow_id\":\"inner\",\"has_cycles\":false,"
     "\"max_path_depth\":1,\"max_step_count\":1},\"main\":{\"flow_id\":\"main\",\"has_cycles\":false,"
     "\"max_path_depth\":5,\"max_step_count\":4},\"odd\":{\"flow_id\":\"odd\",\"has_cycles\":false,"
     "\"max_path_depth\":2,\"max_step_count\":2}},\"max_flow_depth\":5,\"max_predicate_depth\":3,"
     "\"predicate_complexities\":[{\"complexity_class\":\"O(3)\",\"has_quantifiers\":false,\"max_depth\":2,"
     "\"node_count\":3,\"quantifier_depth\":0,\"source_id\":\"never\",\"source_kind\":\"Rule\",\"step_id\":null,"
     "\"steps\":\"3\"},{\"complexity_class\":\"O(5)\",\"has_quantifiers\":true,\"max_depth\":2,\"node_count\":3,"
     "\"quantifier_depth\":1,\"source_id\":\"some\",\"source_kind\":\"Rule\",\"step_id\":null,\"steps\":\"5\"},"
     "{\"complexity_class\":\"O(5)\",\"has_quantifiers\":false,\"max_depth\":3,\"node_count\":5,"
     "\"quantifier_depth\":0,\"source_id\":\"good\",\"source_kind\":\"Rule\",\"step_id\":null,\"steps\":\"5\"},"
     "{\"complexity_class\":\"O(1)\",\"has_quantifiers\":false,\"max_depth\":1,\"node_count\":1,"
     "\"quantifier_depth\":0,\"source_id\":\"pay\",\"source_kind\":\"Operation\",\"step_id\":null,"
     "\"steps\":\"1\"},{\"complexity_class\":\"O(1)\",\"has_quantifiers\":false,\"max_depth\":1,\"node_count\":1,"
     "\"quantifier_depth\":0,\"source_id\":\"ship\",\"source_kind\":\"Operation\",\"step_id\":null,"
     "\"steps\":\"1\"},{\"complexity_class\":\"O(3)\",\"has_quantifiers\":false,\"max_depth\":2,\"node_count\":3,"
     "\"quantifier_depth\":0,\"source_id\":\"undo\",\"source_kind\":\"Operation\",\"step_id\":null,"
     "\"steps\":\"3\"},{\"complexity_class\":\"O(1)\",\"has_quantifiers\":false,\"max_depth\":1,\"node_count\":1,"
     "\"quantifier_depth\":0,\"source_id\":\"main\",\"source_kind\":\"Flow\",\"step_id\":\"b\",\"steps\":\"1\"},"
     "{\"complexity_class\":\"O(3)\",\"has_quantifiers\":false,\"max_depth\":2,\"node_count\":3,"
     "\"quantifier_depth\":0,\"source_id\":\"odd\",\"source_kind\":\"Flow\",\"step_id\":\"a\",\"steps\":\"3\"}]},"
     "\"s8_verdict_uniqueness\":null}"},
    {"JSON with little room", 1 << AN_S2 | 1 << AN_S3A | 1 << AN_S4, 1,
     {.paths = 2, .entries = 3, .steps = 1000},
     "{\"s1_state_space\":null,\"s2_reachability\":{\"entities\":{\"Box\":{\"entity_id\":\"Box\","
     "\"initial_state\":\"empty\",\"operated_states\":[\"empty\"],\"reachable_states\":[\"empty\",\"full\"],"
     "\"undecided_states\":[\"full\"],\"unreachable_states\":[\"torn\"]},\"Order\":{\"entity_id\":\"Order\","
     "\"initial_state\":\"open\",\"operated_states\":[\"open\",\"paid\",\"sent\"],\"reachable_states\":[\"open\","
     "\"paid\",\"sent\",\"lost\"],\"unreachable_states\":[]},\"Rest\":{\"entity_id\":\"Rest\","
     "\"initial_state\":\"here\",\"operated_states\":[\"here\"],\"reachable_states\":[\"here\"],"
     "\"unreachable_states\":[]}},\"has_dead_states\":true,\"instances\":1,\"preconditions\":\"types\"},"
     "\"s3a_admissibility\":{\"admissible_operations\":{\"Box:empty:boss\":[\"ship\"],"
     "\"Order:open:boss\":[\"pay\"],\"Order:open:clerk\":[\"pay\"]},\"inadmissible_operations\":[\"undo\"],"
     "\"total_combinations_checked\":24,\"truncated\":true},\"s4_authority\":{\"instances\":1,"
     "\"persona_authority\":{\"boss\":{\"by_entity\":{\"Box\":{\"empty\":[\"ship\"]},"
     "\"Order\":{\"open\":[\"pay\"],\"paid\":[\"ship\"]}},\"reaches\":{}}},\"preconditions\":\"types\","
     "\"total_personas\":3,\"total_transition_authorities\":6,\"transition_authorities\":[{\"entity_id\":\"Box\","
     "\"from_state\":\"empty\",\"persona_id\":\"boss\",\"to_state\":\"full\",\"via_operation\":\"ship\"},"
     "{\"entity_id\":\"Order\",\"from_state\":\"open\",\"persona_id\":\"clerk\",\"to_state\":\"paid\","
     "\"via_operation\":\"pay\"},{\"entity_id\":\"Order\",\"from_state\":\"open\",\"persona_id\":\"boss\","
     "\"to_state\":\"paid\",\"via_operation\":\"pay\"}],\"truncated\":true},\"s5_verdicts\":null,"
     "\"s6_flow_paths\":null,\"s7_complexity\":null,\"s8_verdict_uniqueness\":null}"},
    {"JSON without room", 1 << AN_S3A | 1 << AN_S4 | 1 << AN_S6, 0,
     {.paths = 0, .entries = 0, .steps = 0},
     "{\"s1_state_space\":null,\"s2_reachability\":null,\"s3a_admissibility\":{\"admissible_operations\":{},"
     "\"inadmissible_operations\":[\"undo\"],\"total_combinations_checked\":24,\"truncated\":true},"
     "\"s4_authority\":{\"instances\":1,\"persona_authority\":{},\"preconditions\":\"types\",\"total_personas\":3,"
     "\"total_transition_authorities\":6,\"transition_authorities\":[],\"truncated\":true},\"s5_verdicts\":null,"
     "\"s6_flow_paths\":{\"flows\":{\"inner\":{\"ends\":[{\"outcome\":\"success\",\"paths\":\"1\"},"
     "{\"outcome\":\"failure\",\"paths\":\"1\"}],\"entity_states\":{\"Box\":[\"full\"],\"Order\":[\"sent\"]},"
     "\"flow_id\":\"inner\",\"max_depth\":1,\"path_count\":\"2\",\"path_count_exact\":true,\"paths\":[],"
     "\"paths_listed\":0,\"reachable_steps\":[\"i\"],\"truncated\":true,\"unreachable_steps\":[]},"
     "\"main\":{\"ends\":[{\"outcome\":\"success\",\"paths\":\"4\"},{\"outcome\":\"failure\",\"paths\":\"6\"}],"
     "\"entity_states\":{\"Box\":[\"full\"],\"Order\":[\"paid\",\"sent\"]},\"flow_id\":\"main\",\"max_depth\":5,"
     "\"path_count\":\"10\",\"path_count_exact\":true,\"paths\":[],\"paths_listed\":0,\"reachable_steps\":[\"b\","
     "\"h\",\"p\",\"s\"],\"truncated\":true,\"unreachable_steps\":[]},\"odd\":{\"ends\":[{\"outcome\":\"failure\","
     "\"paths\":\"2\"},{\"outcome\":\"success\",\"paths\":\"1\"}],\"entity_states\":{\"Box\":[],\"Order\":[]},"
     "\"flow_id\":\"odd\",\"max_depth\":2,\"path_count\":\"3\",\"path_count_exact\":true,\"paths\":[],"
     "\"paths_listed\":0,\"reachable_steps\":[\"a\"],\"truncated\":true,\"unreachable_steps\":[\"z\"]}},"
     "\"total_paths\":\"15\"},\"s7_complexity\":null,\"s8_verdict_uniqueness\":null}"},
};
/* clang-format on */

/* Longer than fail_msg() has room for. */
static void expect(const mt_buf *got, const char *want)
{
    if (!mt_str_eq(mt_buf_str(got), mt_str_z(want))) {
        fprintf(stderr, "%.*s\n", MT_ARG(mt_buf_str(got)));
        fail_msg("it is not\n%s", want);
    }
}

static void analyse_shop(analysed *x, const struct report_row *row)
{
    analyse_text(x, SHOP);
    an_analyze_options options = {.only = row->only, .reach_states = row->reach_states};
    x->fs.len = 0;
    x->fs.warnings = 0;
    x->an = an_analyze(&x->a, x->p, &options, &x->fs);
}

static void tells(void **state)
{
    const struct report_row *row = *state;
    analysed x;
    mt_buf out = {0};
    an_sink sink = row->sink;
    analyse_shop(&x, row);
    sink.out = &out;
    an_analysis_text(&sink, x.an);
    mt_buf_addc(&out, '\n');
    an_findings_text(&out, &x.fs);
    expect(&out, row->want);
    assert_false(sink.stopped);
    mt_buf_free(&out);
    analysed_free(&x);
}

static void writes(void **state)
{
    const struct report_row *row = *state;
    analysed x;
    mt_buf out = {0};
    an_sink sink = row->sink;
    analyse_shop(&x, row);
    sink.out = &out;
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    an_analysis_json_keys(&sink, &w, x.an);
    mt_jw_end_object(&w);
    expect(&out, row->want);
    mt_buf_free(&out);
    analysed_free(&x);
}

typedef struct reader {
    size_t taken, most; /* bytes, and after how many it goes away */
} reader;

static bool take(void *context, mt_buf *out)
{
    reader *r = context;
    r->taken += out->len;
    mt_buf_clear(out);
    return r->taken < r->most;
}

/* From 64 KiB on what is there is given away; a reader that went away ends it. */
static void a_listing_is_taken_piece_by_piece(void **state)
{
    (void)state;
    static char piece[1 << 15];
    mt_buf out = {0};
    reader r = {.most = 200000};
    an_sink s = {.out = &out, .flush = take, .context = &r, .paths = 7, .steps = 6};
    mt_buf_adds(&out, mt_str_from(piece, sizeof piece));
    mt_buf_adds(&out, mt_str_from(piece, sizeof piece - 1));
    assert_true(an_sink_go_on(&s));
    assert_int_equal(r.taken, 0);
    mt_buf_addc(&out, 'x');
    assert_true(an_sink_go_on(&s));
    assert_int_equal(r.taken, 1 << 16);
    assert_int_equal(out.len, 0);
    assert_true(an_sink_listed(&s, 5));
    assert_int_equal(an_sink_paths(&s), 7);
    assert_false(an_sink_listed(&s, 1));
    assert_int_equal(an_sink_paths(&s), 0);
    assert_false(s.stopped);
    for (int i = 0; i < 5; i++) {
        mt_buf_adds(&out, mt_str_from(piece, sizeof piece));
    }
    s.steps = 100;
    assert_false(an_sink_listed(&s, 1));
    assert_true(s.stopped);
    assert_false(an_sink_go_on(&s));
    s = (an_sink){.out = &out, .steps = 1};
    mt_buf_adds(&out, mt_str_from(piece, sizeof piece));
    mt_buf_adds(&out, mt_str_from(piece, sizeof piece));
    assert_true(an_sink_go_on(&s));
    assert_int_equal(out.len, 1 << 16);
    mt_buf_free(&out);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, TEXTS, tells);
    rows_add(&list, JSONS, writes);
    rows_test(&list, a_listing_is_taken_piece_by_piece);
    return rows_run(&list, "analyze/analyze_report");
}
