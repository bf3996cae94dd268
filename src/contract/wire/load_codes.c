/* contract/wire/load_codes.c - what the loader's diagnostic codes mean. */
#include "contract/wire/load_codes.h"

#include "contract/wire/load_internal.h"

/* clang-format off */
static const ct_code_info ROWS[] = {
    {CT_L_JSON, "14", "the bundle is not JSON",
     "The text is not strict JSON, or is larger or deeper than the limits json_bytes and "
     "bundle_depth allow.", "look at the line and column; raise the limit if the bundle is right"},
    {CT_L_VERSION, "14.2.1", "the bundle's version is not readable",
     "tenor_version must be MAJOR.MINOR.PATCH with major version 1; newer minor versions are read, "
     "unknown fields ignored.", "elaborate the contract again with this program"},
    {CT_L_SHAPE, "14", "a member is missing or has the wrong JSON type",
     "The message names the path of the value in the bundle.", "compare with the interchange schema"},
    {CT_L_TYPE, "4.4", "a type is not well-formed",
     "Bounds are crossed, a scale exceeds its precision, an Enum has no or repeated values, a List "
     "holds Lists, or a base or unit is unknown.", "correct the type's parameters"},
    {CT_L_NAME, "15.1", "a name is not declared, or declared twice",
     "Facts, rules, verdicts, entities, states, operations, flows, steps and sources are found by "
     "name, which must exist once.", "declare it, or correct the reference"},
    {CT_L_EXPR, "10.4", "operands do not fit",
     "There are no implicit conversions: only Int and Decimal mix, money keeps its currency, and a "
     "predicate multiplies by literals only.", "compare values of one type"},
    {CT_L_VALUE, "4.3", "a default or literal is not of its type",
     "A value in the bundle is out of range, too long, not in the Enum or no date.",
     "correct the value, or the type"},
    {CT_L_STRATUM, "7.3", "a rule reads its own or a higher stratum",
     "A rule may only read verdicts of lower strata.", "raise the rule's stratum"},
    {CT_L_CYCLE, "15.1", "something leads back to itself",
     "Entity parents, the steps of a flow (failure handlers and joins included) and sub-flows must "
     "be acyclic, and sub-flows nest at most 256 deep.", "break the cycle"},
    {CT_L_EFFECT, "9.4", "an effect is no declared transition",
     "Each effect names an entity and a transition of it.", "declare the transition on the entity"},
    {CT_L_OUTCOME, "9.4", "outcomes are not unique, not disjoint or not routed",
     "Outcomes are unique, are no errors, every effect of a multi-outcome operation names one, and "
     "a step routes exactly those of its operation.", "complete the outcomes"},
    {CT_L_PERSONA, "8.3", "a persona is missing or not declared",
     "An operation needs a persona, and in a bundle that declares personas every reference must "
     "name one of them.", "declare the persona"},
    {CT_L_HANDLER, "11.3", "a failure handler is missing or unknown",
     "Every OperationStep and SubFlowStep says what happens on failure: Terminate, Compensate or "
     "Escalate.", "add on_failure"},
    {CT_L_BRANCH, "11.5", "parallel branches affect one entity",
     "Branches must not touch the same entity, sub-flows and compensation included.",
     "move one effect behind the join"},
};
/* clang-format on */

const ct_code_info *ct_load_code_at(size_t index)
{
    return index < sizeof ROWS / sizeof *ROWS ? &ROWS[index] : NULL;
}
