/* contract/wire/bundle_codes.c - what the codes of faulty bundles mean: B for structure
 * (validate.c), L for what the loader finds (load*.c). */
#include "contract/wire/validate.h"

/* clang-format off */
static const ct_code_info CODES[] = {
    {CT_CODE_BUNDLE_READ, "14.2.1", "cannot read the bundle",
     "The interchange file could not be opened or read.", "check the path"},
    {CT_CODE_BUNDLE_LIMIT, "14.2.1", "bundle exceeds a limit",
     "The document has more bytes or nests deeper than json_bytes and json_depth allow.",
     "raise the limit with --limit if the input is meant to be this large"},
    {CT_CODE_BUNDLE_JSON, "14.2.1", "not JSON",
     "Interchange is strict JSON in UTF-8: no duplicate keys, nothing behind the value.",
     "write the document with a JSON library"},
    {CT_CODE_BUNDLE_VERSION, "14.2.1", "unsupported interchange version",
     "Every bundle names its tenor_version as MAJOR.MINOR.PATCH. A bundle of another major "
     "version, or without a version, is refused; a newer minor version is read.",
     "elaborate the contract with a tool of the same major version"},
    {CT_CODE_BUNDLE_KEY, "14.2", "missing key",
     "An object lacks a key that its kind must have.", "add the key"},
    {CT_CODE_BUNDLE_VALUE, "14.2", "wrong value",
     "A value is not of the kind its place demands.", "correct the value"},
    {CT_CODE_BUNDLE_KIND, "14.2", "unknown kind",
     "The object says it is of a kind that interchange does not have.",
     "use one of the kinds the message lists"},
    {CT_CODE_BUNDLE_TWICE, "14.2", "one id twice",
     "Two constructs of one kind have the same id.", "rename or remove one of them"},
    {CT_CODE_BUNDLE_ETAG, "19.2", "etag does not match",
     "A manifest's etag is the lower-case hex SHA-256 of its compact bundle. The bundle was "
     "changed after the manifest was made, or the etag is of another bundle.",
     "make the manifest again with motet elaborate --manifest"},
    {"L101", "14.2.1", "bundle is not JSON",
     "The bundle could not be read: it is not strict JSON, or exceeds json_bytes or bundle_depth.",
     "write the document with a JSON library"},
    {"L102", "14.2.1", "unsupported interchange version",
     "Every bundle names its tenor_version as MAJOR.MINOR.PATCH; this program reads version 1.",
     "elaborate the contract with a tool of the same major version"},
    {"L103", "14.2", "wrong structure",
     "A member of the bundle is missing or has the wrong JSON type.", "correct the bundle"},
    {"L104", "4.1", "bad type", "A type in the bundle is not well-formed.",
     "correct the parameters of the type"},
    {"L105", "15.1", "name that refers to nothing",
     "A construct refers to one that is not in the bundle, or two have one name.",
     "add the construct, or correct the reference"},
    {"L106", "10.4", "operands that do not fit",
     "The operands of an expression do not have the types its operator needs.",
     "correct the expression"},
    {"L107", "5", "value that is not of its type",
     "A default or literal does not belong to the type it is declared with.",
     "correct the value or the type"},
    {"L108", "7.3", "rule reads its own or a higher stratum",
     "A rule may read verdicts of lower strata only, and strata go from 0 to the limit stratum.",
     "give the rule a higher stratum, within the limit"},
    {"L109", "15.1", "circle, or nested too deeply",
     "Entities, steps or flows refer to each other in a circle, or sub-flows and branches nest deeper than the limit flow_depth.",
     "break the circle, or nest less"},
    {"L110", "9.4", "effect that is not a transition",
     "An operation's effect is not a declared transition of its entity.",
     "declare the transition, or correct the effect"},
    {"L111", "9.4", "outcomes that do not fit",
     "Outcomes are unique, differ from errors, and each is routed by the step that runs them.",
     "correct the outcomes"},
    {"L112", "8.3", "persona missing",
     "An operation has no persona, or one that the bundle does not declare.",
     "declare the persona"},
    {"L113", "11.5", "failure handler missing",
     "A step that can fail has no failure handler.", "add on_failure"},
    {"L114", "11.5", "branches touch one entity",
     "Parallel branches may not affect the same entity.",
     "move the effects on one entity to one branch"},
};
/* clang-format on */

const ct_code_info *ct_bundle_code_at(size_t index)
{
    return index < sizeof CODES / sizeof *CODES ? &CODES[index] : NULL;
}
