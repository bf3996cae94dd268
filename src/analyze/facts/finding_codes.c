/* analyze/facts/finding_codes.c - what the codes of findings mean.
 * Room: analyze. A row: code, place in the specification, title, explanation, what
 * to do. The first digit of a code is the obligation of spec §16; 9 is a System. In
 * S3 the second digit says how it is known: 0 by structure and types alone, 1 by the
 * solver about one condition, 2 about two things compared, 3 about evaluation that
 * may end in an error, 4 about invariants of a scenario file. "Proven" stands only
 * in titles of what the solver decided.
 * A code that was released keeps its meaning: docs/reference/diagnostics.md promises
 * so. A finding whose code has no row is our fault and aborts; `motet help CODE` prints
 * its row. */
#include "analyze/facts/finding.h"

/* clang-format off */
static const ct_code_info CODES[] = {
    {"S101", "16", "transition without an operation",
     "The entity declares a transition, but no operation has it among its effects, so nothing ever causes it.",
     "add the operation, or remove the transition"},
    {"S201", "16", "unreachable state",
     "No sequence of declared transitions leads from the initial state to this state.",
     "add a transition into the state, or remove the state"},
    {"S202", "16", "state no operation reaches",
     "Transitions lead to the state, but operations whose preconditions can hold never take all of them.",
     "add the missing operation, or remove the state"},
    {"S203", "16", "states left open",
     "Entities that operations move together are searched together, and there were more joint states than the limit; the states that are left may be reachable or not.",
     "raise reach_states"},
    {"S301", "16", "precondition that never holds",
     "By the types of its operands alone the precondition is false for every fact set, so the operation always fails.",
     "compare with a value the declared type contains"},
    {"S302", "16", "rule that never fires",
     "By the types of its operands alone the condition is false for every fact set, so the verdict is never produced.",
     "compare with a value the declared type contains"},
    {"S303", "16", "branch that always goes one way",
     "By the types of its operands alone the condition has the same value for every fact set; the other side is never taken.",
     "correct the condition, or remove the branch"},
    {"S304", "16", "operation that starts nowhere",
     "Every effect of the operation leaves a state that is unreachable, so no instance is ever in a state it needs.",
     "correct the source states of the effects, or add transitions into them"},
    {"S311", "16", "precondition proven never to hold",
     "No fact set the contract accepts makes the precondition true: its parts contradict each other, or the rules they rest on do.",
     "correct the condition, or remove the operation"},
    {"S312", "16", "rule proven never to fire",
     "No fact set the contract accepts makes the condition of the rule true, so its verdict is never produced.",
     "correct the condition, or remove the rule"},
    {"S313", "16", "branch proven to go one way",
     "On every way to the branch its condition has the same value, for every fact set; the other side is never taken.",
     "correct the condition, or remove the branch"},
    {"S314", "16", "step proven unreachable",
     "A flow reads one frozen snapshot of facts; no fact set makes the conditions on any way to the step hold together.",
     "correct the conditions before the step, or remove it"},
    {"S315", "16", "step proven to fail",
     "Where the flow comes to the step, the precondition of its operation is false for every fact set, so the step always fails.",
     "route to the step only where its precondition can hold"},
    {"S321", "16", "verdict implied by another",
     "Wherever one verdict is present the other is too, for every fact set.", ""},
    {"S322", "16", "verdicts that are the same",
     "The two verdicts are present for the same fact sets.", "keep one of them"},
    {"S323", "16", "rules that overlap",
     "Two rules of one stratum read the same facts, and for some fact sets both fire though neither implies the other.",
     "draw the line between their conditions, if they are meant as cases"},
    {"S324", "16", "operations that overlap",
     "Two operations that one persona may perform lead from one state to different states, and for some fact sets both preconditions hold.",
     "draw the line between their preconditions, if only one is meant to be possible"},
    {"S325", "9.1", "outcomes that overlap",
     "The effects of two outcomes of the operation match the same states, so the caller has to name the outcome.", ""},
    {"S331", "13.3", "legal facts overflow",
     "For some facts that the contract accepts, a sum, a product or a payload leaves its type, and the evaluation ends in a numeric overflow: no verdict is produced at all. The facts in the details were evaluated and did.",
     "give the facts narrower ranges, the payload a wider type, or ask before it is computed"},
    {"S332", "4.2", "element a list may not have",
     "For some facts that the contract accepts, an element is asked for that the list does not have, and the evaluation ends in an error. The facts in the details were evaluated and did.",
     "ask for the length first: len(l) > 0 and l[0] = 1"},
    {"S333", "4.4", "variant or verdict that may not be there",
     "For some facts that the contract accepts, the value of a variant is asked for that the union does not hold, or a payload is built on a verdict that is absent, and the evaluation ends in an error. The facts in the details were evaluated and did.",
     "ask for the tag, or for the verdict, first: u.tag = \"Card\" and u.Card.last = \"1234\""},
    {"S334", "13.3", "places left open",
     "Some places may end in an error by their types. Neither facts with which they do nor a proof that none exist were found: the solver is not there, or gave up within its limits.",
     "raise prove_steps, prove_ms or prove_unfold, or narrow the types"},
    {"S341", "16", "invariant that does not hold",
     "The scenario file of the contract promises that the answer to this question is yes. It is no; a run or facts that "
     "show it are beside it.",
     "correct the contract, or the invariant"},
    {"S342", "16", "invariant that was not decided",
     "The answer to a question the scenario file promises to be yes is unknown, because a limit was met. That is not a yes.",
     "raise the limit that is named"},
    {"S343", "16", "invariant that is not a question",
     "An invariant is a question as motet ask takes it.",
     "motet ask --help lists the questions"},
    {"S398", "16", "questions left open",
     "The solver could not answer some questions within its limits; there the structure alone decides (S3a).",
     "raise prove_steps, prove_ms or prove_unfold"},
    {"S401", "16", "persona without authority",
     "The persona may invoke no operation that can succeed, and no flow gives it a step.",
     "add it to an operation's personas, or remove it"},
    {"S402", "16", "operation outside of every flow",
     "No flow has a step or a compensation that invokes the operation; only a direct call can.",
     "add a step, or remove the operation if it is never called directly"},
    {"S501", "16", "verdict nobody reads",
     "No rule, precondition or branch condition reads the verdict.",
     "remove the rule unless the verdict is for readers outside of the contract"},
    {"S601", "16", "unreachable step",
     "No outcome, branch or handler that can be taken leads to the step.",
     "route to the step, or remove it"},
    {"S602", "16", "step that always fails",
     "On every way to the step the entity is in a state that no effect of its operation leaves, so the operation fails.",
     "route to the step before the entity leaves the state, or correct the effects"},
    {"S603", "16", "flow that never succeeds",
     "Every path of the flow ends in failure or escalation, or breaks off.",
     "route an outcome to Terminal(success)"},
    {"S604", "16", "failure without a handler",
     "A join or step has no policy for a way it can end; a run that comes there breaks off with an error.",
     "add on_any_failure, on_all_complete or on_all_success"},
    {"S606", "16", "entity states are not followed",
     "The flow has so many steps and entities that following the states of each would exceed the bound of the analysis.",
     ""},
    {"S701", "16", "deep flow",
     "The longest path of the flow, sub-flows included, has more than 100 steps.",
     "split the flow"},
    {"S702", "10.5", "expensive condition",
     "With every list at its declared max, evaluating the condition takes more than 10,000,000 steps.",
     "lower the max of the lists, or nest fewer quantifiers"},
    {"S801", "16", "verdict produced twice",
     "Two rules produce one verdict type.", "give each rule a verdict type of its own"},
    {"S901", "12", "trigger that never fires",
     "No path of the source flow ends with the outcome the trigger waits for.",
     "correct the trigger's outcome, or add such an end to the flow"},
    {"S902", "AL64", "trigger whose persona cannot begin",
     "The target flow's first operation, behind branches and hand-offs, is to be performed by another persona "
     "or does not allow the trigger's.",
     "start the flow with a persona that may perform its first operation"},
    {"S903", "AL65", "authority across contracts",
     "One persona has authority in several member contracts.", ""},
    {"S904", "AL62", "transition a member does not know",
     "A member's operation moves a shared entity along a transition that another member does not declare.",
     "declare the transition there too if the member is to allow for it"},
    {"S905", "AL62", "different initial states",
     "Members that share an entity disagree on the state it begins in.",
     "declare the same initial state everywhere"},
    {"S906", "AL65", "flow across contracts",
     "A flow's end starts a flow of another member.", ""},
    {"S907", "C-SYS-02", "member not analysed",
     "The member's contract is not there, so what depends on it is not known.",
     "add the member's file"},
    {"S908", "AL62", "shared entity that gets stuck",
     "Operations of the members bring the shared entity to a state that declared transitions leave, but no operation "
     "of any member does.",
     "add an operation that leaves the state to one of the members"},
    {"S909", "C-SYS-15", "triggers in a circle",
     "A flow's end starts a flow whose end, by way of other triggers, starts the first one again.",
     "remove one of the triggers"},
    {"S910", "AL65", "unreachable state of a shared entity",
     "No sequence of transitions, whichever members declare them, leads from the initial state to this state.",
     "add a transition into the state to a member, or remove the state from all"},
};
/* clang-format on */

const ct_code_info *an_finding_code_at(size_t index)
{
    return index < sizeof CODES / sizeof *CODES ? &CODES[index] : NULL;
}

const ct_code_info *an_finding_info(const char *code)
{
    const ct_code_info *info;
    for (size_t i = 0; (info = an_finding_code_at(i)); i++) {
        if (strcmp(info->code, code) == 0) {
            return info;
        }
    }
    MT_BUG("a finding without a row in finding_codes.c");
}
