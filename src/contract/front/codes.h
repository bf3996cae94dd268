/* contract/front/codes.h - every diagnostic of the elaborator, in one table.
 * Room: contract/front.
 * A row is raised by exactly one function; grep its name to find it. The pass and the
 * level are part of the row, so a check only says where and what.
 *
 * The first digit of a code is mostly the pass that finds it; 7 is for what is
 * allowed and probably not meant. A code that was released keeps its meaning
 * (docs/reference/diagnostics.md), and messages of level SUITE are compared word for
 * word: title, explanation and hint are ours to improve, what fr_report() says of them
 * is not. */
#ifndef FR_FRONT_CODES_H
#define FR_FRONT_CODES_H

/* Level of a row.
 * SUITE:    an error the conformance suite orders; reported first.
 * SPEC:     an error the specification demands beyond the suite; reported after.
 * TOLERATED: a warning, an error under --strict.
 * WARN, NOTE: never an error. */
typedef enum fr_level { FR_SUITE, FR_SPEC, FR_TOLERATED, FR_WARN, FR_NOTE } fr_level;

/* clang-format off */
/*    name, code, pass, level, place in the specification, title, explanation, hint */
#define FR_CODE_MAP(X) \
X(LEX_CHAR, "T001", 0, SUITE, "14.2", "unexpected character", \
  "A character that begins no token of the language stands outside of a string or comment.", \
  "remove the character, or put it in a string") \
X(LEX_STRING, "T002", 0, SUITE, "14.2", "unterminated string", \
  "A string must end with a double quote on the line it began on.", \
  "close the string with a double quote") \
X(LEX_ESCAPE, "T003", 0, SUITE, "14.2", "unterminated escape", \
  "The file ends right behind a backslash in a string.", \
  "finish the escape and close the string") \
X(LEX_COMMENT, "T004", 0, SUITE, "14.2", "unterminated comment", \
  "A comment that begins with /* must end with */; comments do not nest.", \
  "close the comment with */") \
X(LEX_INTEGER, "T005", 0, SUITE, "13.1", "integer too large", \
  "Integers are 64-bit: from -9223372036854775808 to 9223372036854775807.", \
  "use a Decimal for larger numbers") \
X(LEX_IDENTIFIER, "T006", 0, SPEC, "14.2", "identifier too long", \
  "A name has more bytes than the limit identifier_bytes allows.", \
  "use a shorter name") \
X(PARSE_KEYWORD, "T010", 0, SUITE, "14.2", "expected a construct", \
  "A file is a sequence of constructs; each begins with its keyword: import, type, fact, source, entity, rule, operation, persona, flow or system.", \
  "begin the construct with its keyword") \
X(PARSE_TOPLEVEL, "T011", 0, SUITE, "14.2", "unknown construct", \
  "The word at this place is none of the construct keywords: import, type, fact, source, entity, rule, operation, persona, flow, system.", \
  "check the spelling of the keyword") \
X(PARSE_EXPECTED, "T012", 0, SUITE, "14.2", "syntax error", \
  "The parser needed something else at this place than what stands there: a name, a value, an operator or a bracket is missing, misplaced or too much.", \
  "look at the place and just before it: something is missing there or too much") \
X(PARSE_FIELD, "T013", 0, SUITE, "14.2", "unknown field", \
  "Each construct has a fixed set of fields; this name is not one of them.", \
  "check the spelling of the field") \
X(PARSE_MISSING, "T014", 0, SUITE, "14.2", "missing field", \
  "The construct lacks a field it cannot do without.", \
  "add the field") \
X(PARSE_STEP_KIND, "T015", 0, SUITE, "11.2", "unknown step kind", \
  "A flow step is an OperationStep, BranchStep, HandoffStep, SubFlowStep or ParallelStep, or a Terminal(outcome).", \
  "use one of the step kinds") \
X(PARSE_HANDLER_KIND, "T016", 0, SUITE, "11.3", "unknown failure handler", \
  "A failure handler is Terminate, Compensate or Escalate (Terminal(x) is short for Terminate).", \
  "use Terminate(outcome: ...), Compensate(...) or Escalate(...)") \
X(PARSE_COMPARISON, "T017", 0, SUITE, "10.2", "expected a comparison", \
  "A number, text or sum is not yet a condition: it has to be compared with something.", \
  "compare it with =, !=, <, <=, > or >=") \
X(PARSE_DEPTH, "T018", 0, SPEC, "2", "nested too deeply", \
  "Expressions, types and steps may nest only as deep as the limit source_depth allows. Chains of and, or and +, and the values of in, do not nest in the source, but in the bundle, where the limit bundle_depth counts each of them.", \
  "split the expression over several rules") \
X(PARSE_REPEATED, "T019", 0, SPEC, "14.2", "field given twice", \
  "A field may be written once in a construct; the second one would silently replace the first.", \
  "remove one of the two") \
X(SYSTEM_TWICE, "T020", 0, SUITE, "C-SYS-05", "two systems in one file", \
  "A System file contains exactly one system declaration.", \
  "move the second system to a file of its own") \
X(SYSTEM_MIXED, "T021", 0, SUITE, "C-SYS-04", "system file with contract constructs", \
  "A System composes unmodified contracts, so its file holds nothing but the system declaration.", \
  "move the construct to a member contract") \
X(ROOT_OPEN, "T101", 1, SUITE, "14.2", "cannot open the contract", \
  "The file named on the command line could not be found.", \
  "check the path") \
X(FILE_READ, "T102", 1, SUITE, "14.2", "cannot read a file", \
  "A source file exists but could not be read as UTF-8 text.", \
  "check that it is a regular text file in UTF-8 and may be read") \
X(FILE_LIMIT, "T103", 1, SPEC, "14.2", "source exceeds a limit", \
  "A source has more bytes, or a contract more files, than the limits source_bytes and source_files allow.", \
  "raise the limit with --limit if the input is meant to be this large") \
X(IMPORT_MISSING, "T104", 1, SUITE, "14.2", "import not found", \
  "Import paths are resolved against the directory of the importing file.", \
  "check the path; it is relative to the importing file") \
X(IMPORT_ESCAPES, "T105", 1, SUITE, "14.2", "import leaves the contract", \
  "A contract may import only files in the directory of its root file or below it.", \
  "move the imported file below the directory of the root file") \
X(IMPORT_CYCLE, "T106", 1, SUITE, "14.2", "import cycle", \
  "Files that import each other have no order in which they could be read.", \
  "move what both need to a third file") \
X(LIBRARY_IMPORT, "T107", 1, SUITE, "4.6", "type library with imports", \
  "A file that holds only type declarations is a type library and must be self-contained.", \
  "declare the needed types in this file, or import both libraries where they are used") \
X(DUPLICATE_ACROSS, "T108", 1, SUITE, "14.2", "declared in two files", \
  "Within one contract, over all its files, a name may be declared once per kind of construct.", \
  "rename or remove one of them") \
X(IMPORT_SYSTEM, "T109", 1, SPEC, "12.1", "import of a system", \
  "A System composes contracts; it cannot be part of one.", \
  "remove the import") \
X(DUPLICATE, "T201", 2, SUITE, "14.2", "declared twice", \
  "A name may be declared once per kind of construct; names of different kinds do not conflict.", \
  "rename or remove one of them") \
X(TYPE_CYCLE, "T301", 3, SUITE, "4.4", "type contains itself", \
  "Type declarations must not refer to themselves, directly or through each other.", \
  "break the cycle, for example by keeping the id of the other record instead of the record") \
X(TYPE_DEPTH, "T302", 3, SPEC, "4.4", "type nested too deeply", \
  "Types that refer to types nest deeper than the limit source_depth allows.", \
  "flatten the types") \
X(TYPE_NOT_NAMED, "T303", 3, SPEC, "4.5", "name for a scalar type", \
  "Only Record and TaggedUnion types can be named; scalar types and lists are written where they are used.", \
  "write the type where it is used, or make it a field of a record") \
X(TYPE_UNKNOWN, "T401", 4, SUITE, "4.5", "unknown type", \
  "The name is neither a base type nor a declared type.", \
  "declare the type, or check its spelling; base types begin with a capital letter") \
X(VARIABLE_PRODUCT, "T402", 4, SUITE, "10.4", "product of two variables in a condition", \
  "In a condition a value may be multiplied by a literal only; a product of two facts belongs in the payload a rule produces.", \
  "produce the product in a rule and compare its verdict, or supply it as a fact") \
X(FACT_UNRESOLVED, "T403", 4, SUITE, "14.2", "unknown name", \
  "Names in a condition are bound variables, facts and verdicts, looked for in this order.", \
  "declare the fact, or check the spelling") \
X(OPERATOR_BOOL, "T404", 4, SUITE, "4.2", "order of truth values", \
  "Bool values are equal or not; they have no order.", \
  "use = or !=") \
X(OPERATOR_TEXT, "T405", 4, SUITE, "4.2.1", "order of texts", \
  "Text is compared exactly: equal or not equal. There is no order and no pattern matching.", \
  "use = or !=, or classify the text outside and supply a Bool or Enum fact") \
X(OPERATOR_ENUM, "T406", 4, SUITE, "4.2", "order of enum values", \
  "Enum values are equal or not; they have no order.", \
  "use = or !=, or an Int where order matters") \
X(MONEY_CURRENCIES, "T407", 4, SUITE, "4.4", "two currencies", \
  "Money is compared, added and subtracted within one currency only.", \
  "convert in a rule with a rate supplied as a fact, and compare the verdict") \
X(DOMAIN_NOT_LIST, "T408", 4, SUITE, "10.4", "quantifier over something that is not a list", \
  "A quantifier runs over a List fact or a List field of a record.", \
  "quantify over a List") \
X(PRODUCT_RANGE, "T409", 4, SUITE, "7.1", "product leaves the payload's range", \
  "The range of a product, computed from the ranges of its factors, must lie in the payload type.", \
  "widen the payload type or narrow the facts") \
X(TYPE_BOUNDS, "T410", 4, SPEC, "4.1", "impossible type parameters", \
  "Bounds of a type must describe at least one value: min <= max, scale <= precision, precision at least 1, lengths not negative.", \
  "correct the parameters") \
X(TYPE_PRECISION, "T411", 4, TOLERATED, "13.6", "more than 28 digits", \
  "Numbers have at most 28 significant digits; a wider Decimal can be declared but not computed with.", \
  "use a precision of at most 28") \
X(TYPE_UNIT, "T412", 4, SPEC, "4.1", "unknown duration unit", \
  "A Duration is counted in seconds, minutes, hours or days. Months and years have no fixed length.", \
  "use seconds, minutes, hours or days") \
X(TYPE_ENUM, "T413", 4, SPEC, "4.1", "bad enum values", \
  "An Enum has at least one value, and each value once.", \
  "list each value once") \
X(TYPE_NESTED_LIST, "T414", 4, SPEC, "4.1", "list of lists", \
  "Elements of a List are scalars, records or unions, never lists themselves.", \
  "put the inner list in a record") \
X(TYPE_FIELD_TWICE, "T415", 4, SPEC, "4.1", "field declared twice", \
  "A record or union names each of its fields once.", \
  "rename or remove one of them") \
X(TYPE_LIST_MAX, "T416", 4, SPEC, "10.4", "list without bound", \
  "A List declares how many elements it can have at most, so that evaluation is bounded.", \
  "add max: with at least 1") \
X(TYPE_CURRENCY, "T417", 4, SPEC, "4.1", "bad currency code", \
  "A currency code is three capital letters, as in ISO 4217.", \
  "write the currency like \"USD\"") \
X(TYPE_UNBOUNDED, "T418", 4, SPEC, "4.1", "fact without bounds", \
  "A Text fact says how many characters it can have at most, a Duration fact how long it can be: values are checked against these bounds, and without them no value would fit, or every one.", \
  "write Text(max_length: 100), or Duration(unit: \"days\", min: 0, max: 365)") \
X(DEFAULT_TYPE, "T420", 4, SPEC, "4.3", "default does not fit its type", \
  "A default is used when no value is supplied, so it has to be a value of the declared type.", \
  "write a default of the declared type") \
X(DEFAULT_DURATION, "T421", 4, TOLERATED, "4.1", "integer default of a duration", \
  "The default of a Duration names its unit.", \
  "write Duration { value: 30, unit: \"days\" }") \
X(DEFAULT_ROUNDED, "T422", 4, WARN, "13.4", "default is rounded", \
  "A default is written to the bundle with the digits of its type: a Decimal with its scale, Money with two digits behind the dot, whatever the currency. This one has more, so another value than the written one is used.", \
  "write the digits that are kept") \
X(COMPARE_TYPES, "T430", 4, SPEC, "10.4", "comparison of different types", \
  "Both sides of a comparison must have comparable types; nothing is converted silently.", \
  "compare values of one type") \
X(OPERATOR_TYPE, "T431", 4, SPEC, "4.2", "operator not defined for the type", \
  "The operator has no meaning for this type.", \
  "use = or !=") \
X(LITERAL_VALUE, "T432", 4, SPEC, "4.3", "literal is not a value of the type", \
  "A literal beside a value must be a possible value of its type: a declared enum value, a real date, a tag of the union.", \
  "correct the literal") \
X(FIELD_UNKNOWN, "T433", 4, SPEC, "4.2", "no such field", \
  "Fields can be read of records, of Money (amount, currency) and of unions (tag, or a variant by its name).", \
  "use a declared field") \
X(INDEX_TYPE, "T434", 4, SPEC, "4.2", "index into something that is not a list", \
  "Only lists have elements and a length, and an index is a non-negative Int.", \
  "index a List by an Int") \
X(ARITHMETIC_TYPES, "T435", 4, SPEC, "13.2", "arithmetic on these types is not defined", \
  "Sums are defined for Int and Decimal, Money of one currency, Duration, and DateTime with Duration; products for Int and Decimal by a literal.", \
  "compute the value outside and supply it as a fact") \
X(ARITHMETIC_RANGE, "T436", 4, SPEC, "13.3", "result leaves the numeric range", \
  "The range of the result, computed from the ranges of the operands, does not fit 64-bit integers or 28 digits.", \
  "give the operands narrower ranges") \
X(NOT_A_PREDICATE, "T437", 4, SPEC, "10.2", "not a condition", \
  "A condition is a comparison, verdict_present(...), a Bool value, or a combination of these.", \
  "compare the value with something") \
X(NOT_A_TERM, "T438", 4, SPEC, "10.2", "a condition where a value is needed", \
  "Conditions have no value that could be compared, added or multiplied.", \
  "use parentheses, or compare values instead of conditions") \
X(ENTITY_STATE, "T439", 4, SPEC, "10.6", "entity state in a condition", \
  "The state of an entity is not a term: the source state of an operation's effects is the condition on the state.", \
  "drop the comparison; the effect's source state already requires it") \
X(PAYLOAD_TYPE, "T440", 4, SPEC, "7.2", "payload does not fit its type", \
  "What a rule produces must be a value of the declared payload type, for every possible input.", \
  "change the expression or the payload type") \
X(BINDER_TYPE, "T441", 4, SPEC, "10.2", "type of the bound variable", \
  "The type written behind a bound variable must be the element type of the list.", \
  "write the list's element type, or leave it out") \
X(UNION_TAG, "T442", 4, SPEC, "4.2", "no such variant", \
  "A union has only its declared variants.", \
  "use a declared variant") \
X(PRESENT_FACT, "T443", 4, NOTE, "5.2", "a fact is always present", \
  "Facts are assembled before any rule is evaluated: a missing one without a default stops the evaluation, so testing for presence is always true.", \
  "remove the test") \
X(VERDICT_UNKNOWN, "T444", 4, SPEC, "14.2", "unknown verdict", \
  "The verdict is produced by no rule of this contract.", \
  "produce it in a rule, or check the spelling") \
X(ARROW_IN_TERM, "T445", 0, SPEC, "14.2", "arrow in a condition", \
  "An arrow stands in effects and transitions only.", \
  "use > to compare, or 'or' and 'not' to express an implication") \
X(VERDICT_STRATUM, "T446", 4, SPEC, "7.3", "verdict read too early", \
  "A rule may read only verdicts of lower strata, so every verdict is known before it is read.", \
  "give the rule a higher stratum; `motet check --fix` does it") \
X(LITERAL_DIGITS, "T447", 4, SPEC, "13.6", "literal with more than 28 digits", \
  "Numbers have at most 28 significant digits, at most 28 of them behind the dot. A literal in a condition or payload with more would be rounded before it is compared, so that values it does not equal would equal it. Zeros in front and at the end of a fraction do not count; defaults are rounded to the scale of their type instead.", \
  "write at most 28 digits") \
X(ENUM_UNDECLARED, "T448", 4, WARN, "16", "enum value that is not declared", \
  "The fact is compared with text that is none of its declared values: it is never equal to it.", \
  "declare the value, or correct the spelling") \
X(DOMAIN_VERDICT, "T449", 4, SPEC, "10.4", "quantifier over a verdict", \
  "A quantifier runs over a List fact or a List field of a Record fact; verdicts are not quantified over.", \
  "quantify over the fact the verdict was made from") \
X(PAYLOAD_ROUNDED, "T450", 4, WARN, "13.4", "payload literal is rounded", \
  "The literal has more digits behind the dot than the payload type keeps, so the verdict has another value than the written one.", \
  "write the digits that are kept, or give the payload type a larger scale") \
X(LITERAL_UNTYPED, "T451", 4, SPEC, "10.2", "value whose type is not known", \
  "A record, list or union that is written out has the type of what it stands beside: the other side of a comparison, or the declared type of the payload. Where both sides are written out, or the payload's type is to be inferred, nothing says which type it is.", \
  "declare a type and write its name before the brace, as in Point { x: 1 }, or compare with a fact") \
X(LITERAL_PART, "T452", 4, SPEC, "4.1", "part does not fit its type", \
  "A record, list or union that is written out is a value of its type whatever the facts are, so each of its parts must always fit the field, element or variant it stands for. In a condition nothing is rounded.", \
  "change the part, or compare the parts one by one") \
X(LITERAL_FIELDS, "T453", 4, SPEC, "4.1", "fields are missing", \
  "A record that is written out has every field of its type.", \
  "add the fields, or compare the parts one by one") \
X(VERDICT_TWICE, "T501", 5, SUITE, "S8", "verdict produced by two rules", \
  "Each verdict type is produced by one rule, so that its payload is unambiguous.", \
  "join the conditions in one rule with 'or', or give the verdicts different names") \
X(ENTITY_INITIAL, "T502", 5, SUITE, "6.4", "unknown initial state", \
  "The initial state must be one of the declared states.", \
  "use a declared state") \
X(ENTITY_ENDPOINT, "T503", 5, SUITE, "6.4", "unknown state in a transition", \
  "Both ends of a transition must be declared states.", \
  "declare the state, or check its spelling") \
X(ENTITY_CYCLE, "T504", 5, SUITE, "6.2", "entity is its own ancestor", \
  "The parent relation of entities must have no cycle.", \
  "remove one of the parents") \
X(ENTITY_STATES, "T505", 5, SPEC, "6.4", "entity without states", \
  "An entity has at least one state.", \
  "declare the states") \
X(ENTITY_TWICE, "T506", 5, SPEC, "6.1", "state or transition declared twice", \
  "States and transitions are sets.", \
  "remove the repetition") \
X(ENTITY_PARENT, "T507", 5, SPEC, "6.2", "unknown parent", \
  "The parent of an entity must be a declared entity.", \
  "declare the parent entity, or check its spelling") \
X(RULE_NEGATIVE, "T510", 5, SUITE, "7.1", "negative stratum", \
  "Strata are counted from 0.", \
  "use 0 or more") \
X(RULE_VERDICT, "T511", 5, SUITE, "7.3", "unknown verdict", \
  "The verdict is produced by no rule of this contract.", \
  "produce it in a rule, or check the spelling") \
X(RULE_STRATUM, "T512", 5, SUITE, "7.3", "verdict read too early", \
  "A rule may read only verdicts of lower strata, so every verdict is known before it is read.", \
  "give the rule a higher stratum; `motet check --fix` does it") \
X(RULE_PRODUCE, "T513", 5, SPEC, "7.1", "rule without produce", \
  "A rule that produces no verdict has no effect.", \
  "add produce: verdict name { payload: Bool = true }") \
X(RULE_STRATUM_LIMIT, "T514", 5, SPEC, "7.3", "stratum too high", \
  "Strata are numbered from 0 to the limit stratum. Only their order matters.", \
  "use lower numbers, or raise the limit with --limit stratum=N") \
X(OUTCOME_TWICE, "T520", 5, SUITE, "9.4", "outcome declared twice", \
  "Outcome labels are unique within an operation.", \
  "remove the repetition") \
X(PERSONAS_EMPTY, "T521", 5, SUITE, "9.4", "operation nobody may invoke", \
  "An operation lists at least one persona that may invoke it.", \
  "add a persona to allowed_personas") \
X(PERSONA_ALLOWED, "T522", 5, SUITE, "8.3", "unknown persona", \
  "Every persona an operation allows must be declared.", \
  "declare it with: persona NAME") \
X(EFFECT_ENTITY, "T523", 5, SUITE, "9.4", "effect on an unknown entity", \
  "Effects change the state of declared entities.", \
  "declare the entity, or check its spelling") \
X(EFFECT_UNLABELLED, "T524", 5, SUITE, "9.4", "effect without an outcome", \
  "When an operation has several outcomes, each effect says which one it belongs to.", \
  "add the outcome as fourth element: (Entity, from, to, outcome)") \
X(EFFECT_OUTCOME, "T525", 5, SUITE, "9.4", "effect for an unknown outcome", \
  "The outcome an effect belongs to must be declared by the operation.", \
  "use a declared outcome") \
X(OUTCOME_IS_ERROR, "T526", 5, SUITE, "9.4", "label is both outcome and error", \
  "Outcomes are results of success; an error cannot be one of them.", \
  "rename one of the two") \
X(EFFECT_TRANSITION, "T527", 5, SUITE, "9.4", "effect is not a transition", \
  "An operation can change a state only along a declared transition of the entity.", \
  "add the transition to the entity, or change the effect") \
X(EFFECT_TWICE, "T528", 5, SPEC, "9.1", "effect declared twice", \
  "Effects are a set.", \
  "remove the repetition") \
X(PERSONAS_TWICE, "T529", 5, SPEC, "9.1", "persona or error listed twice", \
  "Allowed personas and the error contract are sets.", \
  "remove the repetition") \
X(EFFECT_SINGLE_OUTCOME, "T530", 5, TOLERATED, "9.4", "effect for an unknown outcome", \
  "An effect may name only an outcome its operation declares; an operation without outcomes has the one outcome success.", \
  "declare the outcome") \
X(OUTCOME_UNREACHABLE, "T531", 5, WARN, "9.2", "outcome without effects", \
  "An outcome is chosen by the effects that belong to it; one without effects can never be chosen by state.", \
  "give the outcome an effect, or remove it") \
X(ERROR_CONTRACT, "T532", 5, WARN, "9.2", "error missing from the error contract", \
  "An operation can fail with precondition_failed and persona_rejected; errors that are not in its error contract are reported as undeclared.", \
  "add the error to error_contract") \
X(OUTCOMES_EMPTY, "T533", 5, SPEC, "9.4", "operation without an outcome", \
  "An operation has at least one outcome. One that leaves the field out has the single outcome success; an empty list says it has none.", \
  "list an outcome, or leave the field out if success is the only one") \
X(EFFECT_CONTRADICTS, "T534", 5, WARN, "9.1", "effects contradict each other", \
  "Two effects of one outcome take an entity from the same state to different ones. Only one of them could happen, so the contract can be checked but no operation or flow of it can be run (E901).", \
  "give the effects different outcomes, or remove one of them") \
X(FLOW_ENTRY, "T540", 5, SUITE, "11.5", "unknown entry step", \
  "A flow begins at its entry step, which must be one of its steps.", \
  "name a declared step") \
X(FLOW_HANDLER, "T541", 5, SUITE, "11.3", "step without failure handler", \
  "Every OperationStep says what happens when the operation fails.", \
  "add on_failure: Terminate(outcome: failure)") \
X(FLOW_TARGET, "T542", 5, SUITE, "11.5", "unknown step", \
  "Steps lead to declared steps of the same flow, or to Terminal(...).", \
  "declare the step, or check its spelling") \
X(FLOW_UNHANDLED, "T543", 5, SUITE, "11.5", "outcome not handled", \
  "A step routes every outcome of its operation.", \
  "add the outcome to the step's outcomes") \
X(FLOW_EXTRA_OUTCOME, "T544", 5, SUITE, "11.5", "outcome the operation does not have", \
  "A step routes only outcomes its operation declares.", \
  "remove the entry, or declare the outcome") \
X(FLOW_PERSONA, "T545", 5, SUITE, "8.3", "unknown persona", \
  "The persona of a step must be declared.", \
  "declare it with: persona NAME") \
X(FLOW_NOT_ALLOWED, "T546", 5, SUITE, "9.4", "persona may not invoke the operation", \
  "The step could never succeed: its persona is not in allowed_personas of the operation.", \
  "use an allowed persona, or allow this one") \
X(FLOW_CYCLE, "T547", 5, SUITE, "11.5", "steps form a cycle", \
  "The steps of a flow must form an acyclic graph, so that every flow ends.", \
  "end one of the paths with Terminal(...)") \
X(FLOW_REFERENCE_CYCLE, "T548", 5, SUITE, "11.5", "flows call each other in a cycle", \
  "Sub-flow references must be acyclic, so that every flow ends.", \
  "remove one of the sub-flow steps") \
X(PARALLEL_CONFLICT, "T549", 5, SUITE, "11.5", "parallel branches change the same entity", \
  "Parallel branches must not change the same entities, or the result would depend on their order.", \
  "run the steps one after the other, or split the entity") \
X(FLOW_OPERATION, "T550", 5, SPEC, "11.5", "unknown operation", \
  "A step or compensation must name a declared operation.", \
  "declare the operation, or check its spelling") \
X(FLOW_SUBFLOW, "T551", 5, SPEC, "11.5", "unknown flow", \
  "A SubFlowStep must name a declared flow.", \
  "declare the flow, or check its spelling") \
X(FLOW_COMPENSATION, "T553", 5, SPEC, "11.3", "bad compensation", \
  "A Compensate handler lists at least one step and the Terminal that follows; each step names operation, persona and its own Terminal.", \
  "complete the handler") \
X(FLOW_BRANCH, "T556", 5, SPEC, "11.2", "bad parallel step", \
  "A ParallelStep has branches with different ids, each with an entry and steps of its own, and a join that says what follows success and failure.", \
  "complete the parallel step") \
X(FLOW_STEP_TWICE, "T558", 5, SPEC, "11.1", "step declared twice", \
  "Step ids are unique within a flow or branch.", \
  "rename one of the steps") \
X(FLOW_SNAPSHOT, "T559", 5, SPEC, "11.1", "unknown snapshot policy", \
  "The only snapshot policy is at_initiation: facts and verdicts are computed once, when the flow starts.", \
  "write snapshot: at_initiation") \
X(FLOW_COMPENSATION_PERSONA, "T560", 5, TOLERATED, "9.4", "persona may not run the compensation", \
  "The compensation could never succeed: its persona is not in allowed_personas of the operation.", \
  "use an allowed persona, or allow this one") \
X(FLOW_TERMINAL, "T561", 5, TOLERATED, "11.2", "free terminal name", \
  "A flow ends with success, failure or escalation. Other names are accepted and count as success.", \
  "use success, failure or escalation") \
X(FLOW_UNREACHABLE, "T562", 5, WARN, "11.2", "step is never reached", \
  "No path from the entry leads to this step.", \
  "remove the step, or lead to it") \
X(FLOW_STEP_FIELDS, "T563", 5, SPEC, "11.2", "incomplete step", \
  "Each kind of step has fields it cannot do without: operation, persona, flow or next step.", \
  "add the field") \
X(PERSONA_NONE, "T564", 5, TOLERATED, "8.3", "no persona declared", \
  "Every persona that is used must be declared; this contract declares none at all.", \
  "declare the personas with: persona NAME") \
X(ANALYSIS_LIMIT, "T566", 5, SPEC, "11.5", "too many parallel branches to compare", \
  "Comparing the effects of all parallel branches, through all sub-flows, would take too long.", \
  "use fewer branches or sub-flows") \
X(FLOW_DEPTH, "T567", 5, SPEC, "11.5", "flows nested too deeply", \
  "Sub-flows and parallel branches may lie within each other only as deep as the limit flow_depth allows; both count.", \
  "nest fewer of them, or raise the limit with --limit flow_depth=N") \
X(FLOW_JOIN_DEAD, "T568", 5, WARN, "11.2", "join that is never taken", \
  "The join of a ParallelStep asks first whether all branches succeeded, then whether any failed. One of the two is always so, and both have their place to go, so on_all_complete is never taken.", \
  "remove on_all_complete") \
X(SOURCE_PROTOCOL, "T570", 5, SUITE, "5A.2", "unknown protocol", \
  "The core protocols are http, database, graphql, grpc, static and manual; others begin with x_.", \
  "use a core protocol or an extension tag like x_name") \
X(SOURCE_EXTENSION, "T571", 5, SUITE, "C-SRC-04", "malformed extension protocol", \
  "An extension tag is x_ followed by lower-case segments separated by dots: x_internal.event_bus.", \
  "write the tag like x_name or x_name.part") \
X(SOURCE_FIELD, "T572", 5, SUITE, "C-SRC-03", "required source field missing", \
  "http needs base_url, database dialect, graphql and grpc endpoint.", \
  "add the field") \
X(SOURCE_UNDECLARED, "T573", 5, SUITE, "C-SRC-06", "unknown source", \
  "A structured fact source must name a declared source.", \
  "declare the source, or write the source as a string") \
X(SOURCE_PATH, "T574", 5, SPEC, "14.2", "malformed source path", \
  "A path is never empty. For http it is segments, each a name or {name}, separated by dots or slashes; for a database it is table.column, or schema.table.column.", \
  "correct the path") \
X(SOURCE_EMPTY, "T575", 5, SPEC, "5.1", "empty source", \
  "Every fact says where its value comes from.", \
  "describe the source") \
X(SYSTEM_EMPTY, "T580", 5, SUITE, "12.1", "system without members", \
  "A System composes at least one member contract.", \
  "add a member") \
X(SYSTEM_MEMBER_TWICE, "T581", 5, SUITE, "C-SYS-01", "member declared twice", \
  "Member ids are unique within a System.", \
  "rename one of the members") \
X(SYSTEM_NESTED, "T582", 5, SUITE, "C-SYS-03", "system as a member", \
  "Members are contracts; Systems do not nest.", \
  "list the contracts of the inner system instead") \
X(SYSTEM_SHARED_PERSONA, "T583", 5, SUITE, "C-SYS-16", "shared persona of an unknown contract", \
  "Contracts that share a persona must be members.", \
  "use a declared member id") \
X(SYSTEM_PERSONA_COUNT, "T584", 5, SUITE, "12.1", "persona shared with nobody", \
  "Sharing needs at least two contracts.", \
  "name two members, or remove the entry") \
X(SYSTEM_TRIGGER_SOURCE, "T585", 5, SUITE, "C-SYS-07", "trigger from an unknown contract", \
  "The source of a trigger must be a flow of a member.", \
  "use a declared member id") \
X(SYSTEM_TRIGGER_TARGET, "T586", 5, SUITE, "C-SYS-08", "trigger to an unknown contract", \
  "The target of a trigger must be a flow of a member.", \
  "use a declared member id") \
X(SYSTEM_TRIGGER_OUTCOME, "T587", 5, SUITE, "C-SYS-11", "bad trigger outcome", \
  "A trigger fires on success, failure or escalation of its source flow.", \
  "use success, failure or escalation") \
X(SYSTEM_TRIGGER_SELF, "T588", 5, SUITE, "C-SYS-15", "flow that triggers itself", \
  "Triggers must be acyclic.", \
  "remove the trigger") \
X(SYSTEM_TRIGGER_PERSONA, "T589", 5, SUITE, "C-SYS-12", "bad trigger persona", \
  "The persona of a trigger must be declared in the target contract and may invoke the entry operation of the target flow.", \
  "use a persona the target's entry operation allows") \
X(SYSTEM_SHARED_ENTITY, "T590", 5, SUITE, "C-SYS-17", "shared entity of an unknown contract", \
  "Contracts that share an entity must be members.", \
  "use a declared member id") \
X(SYSTEM_ENTITY_COUNT, "T591", 5, SUITE, "12.1", "entity shared with nobody", \
  "Sharing needs at least two contracts.", \
  "name two members, or remove the entry") \
X(SYSTEM_TRIGGER_CYCLE, "T592", 5, SUITE, "C-SYS-15", "triggers form a cycle", \
  "Triggers must be acyclic, or flows would start each other for ever.", \
  "remove one of the triggers") \
X(SYSTEM_MEMBER_FILE, "T593", 1, TOLERATED, "C-SYS-02", "member file not found", \
  "Each member path must lead to a contract. A System whose members are missing can be elaborated but not served.", \
  "check the path; it is relative to the system file") \
X(SYSTEM_MEMBER_FAILED, "T594", 1, SPEC, "C-SYS-02", "member has errors", \
  "A System can be elaborated only if each of its members can.", \
  "correct the member contract") \
X(SYSTEM_PERSONA_MISSING, "T596", 5, SPEC, "C-SYS-06", "shared persona is not declared", \
  "Each contract that shares a persona declares it.", \
  "declare the persona in the member, or remove the member from the list") \
X(SYSTEM_FLOW_MISSING, "T597", 5, SPEC, "C-SYS-09, C-SYS-10", "trigger names an unknown flow", \
  "Source and target of a trigger must be flows of their contracts.", \
  "use a flow the member declares") \
X(SYSTEM_TARGET_PERSONA, "T598", 5, SPEC, "C-SYS-12", "trigger persona is not declared", \
  "The persona of a trigger must be declared in the target contract.", \
  "use a persona the target declares") \
X(SYSTEM_ENTRY_PERSONA, "T603", 5, SPEC, "C-SYS-12", "trigger persona may not start the flow", \
  "The persona of a trigger must be allowed to invoke the entry operation of the target flow.", \
  "use a persona the target's entry operation allows") \
X(SYSTEM_ENTITY_MISSING, "T599", 5, SPEC, "C-SYS-13", "shared entity is not declared", \
  "Each contract that shares an entity declares it.", \
  "declare the entity in the member, or remove the member from the list") \
X(SYSTEM_ENTITY_STATES, "T600", 5, SPEC, "C-SYS-14", "shared entity with different states", \
  "Contracts that share an entity must declare the same set of states.", \
  "make the state sets equal") \
X(SYSTEM_ABSOLUTE, "T601", 5, SPEC, "AL59", "absolute member path", \
  "Member paths are relative to the system file.", \
  "write a relative path") \
X(SYSTEM_INCOMPLETE, "T602", 5, SPEC, "12.1", "incomplete entry in a system", \
  "Shared personas, shared entities and triggers name all their parts, each contract once.", \
  "add the missing part") \
X(SYSTEM_TWICE_SAME, "T604", 5, TOLERATED, "12.1", "entry of a system repeated", \
  "Shared personas, shared entities, the contracts that share them, and triggers are sets: an entry that is there already adds nothing.", \
  "remove the repetition") \
X(OUTPUT_LIMIT, "T610", 6, SPEC, "14.2", "interchange exceeds a limit", \
  "The bundle would have more bytes than the limit json_bytes allows; types that contain types many times over can multiply.", \
  "use fewer nested types, or raise the limit") \
X(LAYOUT, "T620", 6, SPEC, "14.2", "formatting would change the program", \
  "Formatting moves white space only. Before anything is written, the tokens, the tree and the interchange of the result are compared with those of the source; they were not the same, so the source was left as it is. This is a fault of the formatter, not of the contract.", \
  "please report it with the source that shows it") \
X(UNUSED_PERSONA, "T701", 5, WARN, "8.3", "persona is never used", \
  "No operation and no flow mentions the persona.", \
  "remove it, or allow it an operation") \
X(UNUSED_FACT, "T702", 5, WARN, "5", "fact is never used", \
  "No rule, operation or flow reads the fact, but it has to be supplied.", \
  "remove it, or use it") \
X(UNUSED_VERDICT, "T703", 5, WARN, "7", "verdict is never used", \
  "No rule, operation or flow reads the verdict. In a contract without operations and flows verdicts are what readers outside ask for; there it is only reported when somebody asks for the code.", \
  "remove the rule, or use its verdict; one meant for readers outside gets the comment // motet: allow T703") \
X(UNUSED_SOURCE, "T704", 5, WARN, "5A", "source is never used", \
  "No fact comes from the source.", \
  "remove it, or let a fact come from it") \
X(UNUSED_TYPE, "T705", 5, WARN, "4.5", "type is never used", \
  "No fact, payload or other type refers to the type.", \
  "remove it, or use it") \
X(UNUSED_ENTITY, "T706", 5, WARN, "6", "entity is never changed", \
  "No operation has an effect on the entity.", \
  "remove it, or give an operation an effect on it") \
X(LINT, "T710", 5, WARN, "14.3", "lint setting that is not understood", \
  "A level is set for a code in a comment (// motet: allow T703), on the command line (--allow T703) or in motet.yaml beside the contract. Levels are allow, warn and deny, in comments only allow and allow-file; codes are those of warnings and notes.", \
  "correct the word, or the code")
/* clang-format on */

typedef enum fr_code {
#define FR_CODE_ENUM(name, code, pass, level, rule, title, text, hint) FR_E_##name,
    FR_CODE_MAP(FR_CODE_ENUM)
#undef FR_CODE_ENUM
        FR_CODE_COUNT
} fr_code;

/* Pass and level of a row; the texts are in elaborate.h's ct_code_at(). */
int fr_code_pass(fr_code code);
fr_level fr_code_level(fr_code code);

#endif
