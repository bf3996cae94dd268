/* Bundles that must be refused, each with a diagnostic that says why and where. */
#include <stdio.h>

#include "../rows.h"
#include "bundle_text.h"
#include "contract/wire/admit.h"

#define ENTITY(id, extra)                                                              \
    "{'id':'" id "','kind':'Entity','states':['s','t'],'initial':'s','transitions':[{" \
    "'from':'s','to':'t'}]" extra "}"
#define OPERATION(extra)                                                               \
    "{'id':'o','kind':'Operation','precondition':" TRUE_P "," extra "}"
#define END     "{'kind':'Terminal','outcome':'success'}"
#define HANDLER "'on_failure':{'kind':'Terminate','outcome':'failure'}"
#define FLOW(id, entry, steps)                                                         \
    "{'id':'" id "','kind':'Flow','snapshot':'at_initiation','entry':'" entry          \
    "','steps':[" steps "]}"
#define STEP(id, target, handler)                                                      \
    "{'id':'" id                                                                       \
    "','kind':'OperationStep','op':'o','persona':'p','outcomes':{'success':" target    \
    "}" handler "}"
#define OP                                                                             \
    OPERATION("'allowed_personas':['p'],'effects':[{'entity_id':'E','from':'s',"       \
              "'to':'t'}]")
#define SUB(id, flow)                                                                  \
    "{'id':'" id "','kind':'SubFlowStep','flow':'" flow                                \
    "','persona':'p','on_success':" END "," HANDLER "}"
#define BRANCH(id, op)                                                                 \
    "{'id':'" id "','entry':'a','steps':[{'id':'a','kind':'OperationStep','op':'" op   \
    "','persona':'p','outcomes':{'success':" END "}," HANDLER "}]}"

#define LIST_T "{'base':'List','element_type':" BOOL_T ",'max':3}"
#define REC_T  "{'base':'Record','fields':{'a':" BOOL_T "}}"
#define MADE_D(d)                                                                      \
    "{'list':[{'literal':'" d "','type':{'base':'Decimal','precision':4,'scale':3}}]," \
    "'type':{'base':'List','max':1,'element_type':{'base':'Decimal','precision':6,"    \
    "'scale':2}}}"
#define MADE(right)                                                                    \
    FACT("r", REC_T)                                                                   \
    "," RULE("x", "0", "{'op':'=','left':" REF("r") ",'right':" right "}", "v",        \
             BOOL_T, "true")

#define DEFAULT(type, value)                                                           \
    "{'id':'x','kind':'Fact','source':'s','type':" type ",'default':" value "}"

static const struct row {
    const char *name, *constructs, *code, *message;
} ROWS[] = {
    {"a Decimal of fewer than no digits",
     FACT("x", "{'base':'Decimal','precision':-1,'scale':0}"), "L104",
     "precision -1 is out of range"},
    {"a Decimal with a scale below zero",
     FACT("x", "{'base':'Decimal','precision':3,'scale':-1}"), "L104",
     "scale -1 is out of range"},
    {"a Decimal without digits",
     FACT("x", "{'base':'Decimal','precision':0,'scale':0}"), "L104",
     "Decimal(0, 0) holds no number"},
    {"a scale above the precision",
     FACT("x", "{'base':'Decimal','precision':2,'scale':3}"), "L104",
     "Decimal(2, 3) holds no number"},
    {"an Enum without values", FACT("x", "{'base':'Enum','values':[]}"), "L104",
     "Enum has no values"},
    {"a union without variants", FACT("x", "{'base':'TaggedUnion','variants':{}}"),
     "L104", "TaggedUnion has no variants"},
    {"a variant of an unknown type",
     FACT("x", "{'base':'TaggedUnion','variants':{'A':{'base':'Float'}}}"), "L104",
     "constructs[0].type.variants.A: unknown base type"},
    {"a list with fewer than no elements",
     FACT("x", "{'base':'List','max':-1,'element_type':" BOOL_T "}"), "L104",
     "max -1 is out of range"},
    {"a Duration whose bounds are crossed",
     FACT("x", "{'base':'Duration','unit':'days','min':2,'max':1}"), "L104",
     "min 2 is greater"},
    {"a default that is no date", DEFAULT("{'base':'Date'}", "'2023-02-29'"), "L107",
     "constructs[0].default"},
    {"a number as the default of a date", DEFAULT("{'base':'Date'}", "5"), "L107",
     "constructs[0].default"},
    {"a default that is no time", DEFAULT("{'base':'DateTime'}", "'2023-02-28'"),
     "L107", "constructs[0].default"},
    {"a number as the default of a time", DEFAULT("{'base':'DateTime'}", "5"), "L107",
     "constructs[0].default"},
    {"a default that is too long", DEFAULT("{'base':'Text','max_length':2}", "'abc'"),
     "L107", "constructs[0].default"},
    {"a default with a unit that is none",
     DEFAULT("{'base':'Duration','unit':'days','min':0,'max':9}",
             "{'kind':'duration_literal','unit':'weeks','value':1}"),
     "L107", "constructs[0].default"},
    {"a default above a Duration's max",
     DEFAULT("{'base':'Duration','unit':'days','min':0,'max':9}",
             "{'kind':'duration_literal','unit':'hours','value':240}"),
     "L107", "constructs[0].default"},
    {"a default that is no whole day",
     DEFAULT("{'base':'Duration','unit':'days','min':0,'max':9}",
             "{'kind':'duration_literal','unit':'hours','value':25}"),
     "L107", "constructs[0].default"},
    {"a default of a Record with a wrong field", DEFAULT(REC_T, "{'a':'yes'}"), "L107",
     "constructs[0].default"},
    {"a default of a Record that is a list", DEFAULT(REC_T, "[]"), "L107",
     "constructs[0].default"},
    {"a default of a Record without its field", DEFAULT(REC_T, "{}"), "L107",
     "field \"a\" is missing"},
    {"a literal that needs a type",
     RULE("r", "0", "{'op':'=','left':{'literal':[]},'right':" TRUE_P "}", "v", BOOL_T,
          "true"),
     "L106", "a literal array needs a type"},
    {"a product with a fraction",
     FACT("n", "{'base':'Int','min':0,'max':9}") "," RULE(
         "r", "0",
         "{'op':'=','left':{'op':'*','left':" REF("n") ",'literal':1.5},'right':" REF(
             "n") "}",
         "v", BOOL_T, "true"),
     "L106", "a product needs an integer literal"},
    {"an unknown step kind",
     ENTITY("E", "") "," OP "," FLOW("f", "x", "{'id':'x','kind':'JumpStep'}"), "L103",
     "unknown step kind \"JumpStep\""},
    {"a step listed twice",
     ENTITY("E", "") "," OP "," FLOW(
         "f", "x", STEP("x", END, "," HANDLER) "," STEP("x", END, "," HANDLER)),
     "L105", "step \"x\" is listed twice"},
    {"an unknown failure handler",
     ENTITY("E", "") "," OP "," FLOW("f", "x",
                                     STEP("x", END, ",'on_failure':{'kind':'Retry'}")),
     "L113", "unknown failure handler \"Retry\""},
    {"an effect on an unknown entity",
     OPERATION("'allowed_personas':['p'],'effects':[{'entity_id':'F','from':'s',"
               "'to':'t'}]"),
     "L110", "effect references undeclared entity \"F\""},
    {"an outcome listed twice",
     ENTITY("E", "") "," OPERATION(
         "'allowed_personas':['p'],'effects':[{'entity_id':'E','from':'s','to':'t'}],"
         "'outcomes':['a','a']"),
     "L111", "\"a\" is listed twice"},
    {"a type without a base", FACT("x", "{}"), "L103", "constructs[0].type: \"base\""},
    {"an unknown base", FACT("x", "{'base':'Float'}"), "L104", "unknown base type"},
    {"15.1.1 an Int whose bounds are crossed",
     FACT("x", "{'base':'Int','min':2,'max':1}"), "L104", "min 2 is greater"},
    {"15.1.1 a list of lists",
     FACT("x", "{'base':'List','max':1,'element_type':{'base':'List','max':1,"
               "'element_type':{'base':'Bool'}}}"),
     "L104", "may not hold Lists"},
    {"a length of 32 bits and one more",
     FACT("x", "{'base':'Text','max_length':4294967296}"), "L104",
     "max_length 4294967296 is out of range"},
    {"a branch listed twice",
     ENTITY("E", "") "," OP
                     "," FLOW("f", "x",
                              "{'id':'x','kind':'ParallelStep','branches':[" BRANCH(
                                  "b", "o") "," BRANCH("b", "o") "],'join':{}}"),
     "L105", "branch \"b\" is listed twice"},
    {"an Enum value listed twice", FACT("x", "{'base':'Enum','values':['a','a']}"),
     "L104", "listed twice"},
    {"an unknown Duration unit",
     FACT("x", "{'base':'Duration','unit':'weeks','min':0,'max':1}"), "L104", "weeks"},
    {"a default of another type",
     "{'id':'x','kind':'Fact','source':'s','type':{'base':'Int','min':0,'max':1},"
     "'default':{'kind':'int_literal','value':9}}",
     "L107", "constructs[0].default"},
    {"a fact declared twice", FACT("x", BOOL_T) "," FACT("x", BOOL_T), "L105", "twice"},
    {"a source that is not declared",
     "{'id':'x','kind':'Fact','source':{'source_id':'s','path':'p'},'type':" BOOL_T "}",
     "L105", "undeclared source"},
    {"a rule on an unknown fact", RULE("r", "0", REF("x"), "v", BOOL_T, "true"), "L105",
     "constructs[0].body.when: unknown fact"},
    {"FL27 a record without a type", MADE("{'record':{'a':" TRUE_P "}}"), "L106",
     "constructs[1].body.when.right: \"type\" is missing"},
    {"FL27 a record with a field too few", MADE("{'record':{},'type':" REC_T "}"),
     "L107", "constructs[1].body.when.right.record: field \"a\" is missing"},
    {"FL27 a record with a field too many",
     MADE("{'record':{'a':" TRUE_P ",'b':" TRUE_P "},'type':" REC_T "}"), "L107",
     "has no field \"b\""},
    {"FL27 a part of another type",
     MADE("{'record':{'a':{'literal':1}},'type':" REC_T "}"), "L107",
     "constructs[1].body.when.right.record.a: this is of Int(1, 1), the part of Bool"},
    {"FL27 a part that is not a term",
     MADE("{'record':{'a':{'verdict_present':'v'}},'type':" REC_T "}"), "L106",
     "this is not a term"},
    {"FL27 a record whose type is a list",
     MADE("{'record':{'a':" TRUE_P "},'type':" LIST_T "}"), "L106",
     "a record is not a value of List"},
    {"FL27 a record beside a value of another type",
     MADE("{'list':[],'type':" LIST_T "}"), "L106", "operator '=' is not defined"},
    {"FL27 records have no order",
     FACT("r",
          REC_T) "," RULE("x", "0",
                          "{'op':'<','left':" REF("r") ",'right':{'record':{'a':" TRUE_P
                                                       "},'type':" REC_T "}}",
                          "v", BOOL_T, "true"),
     "L106", "operator '<' is not defined"},
    {"FL27 more elements than the type has",
     RULE("x", "0", TRUE_P, "v", LIST_T,
          "{'list':[" TRUE_P "," TRUE_P "," TRUE_P "," TRUE_P "]}"),
     "L107", "value.list: 4 elements, List(Bool, 3) has at most 3"},
    {"FL27 an unknown tag",
     RULE("x", "0", TRUE_P, "v", "{'base':'TaggedUnion','variants':{'A':" BOOL_T "}}",
          "{'union':{'payload':" TRUE_P ",'tag':'B'}}"),
     "L107", "\"B\" is not a variant"},
    {"FL27 a union without a payload",
     RULE("x", "0", TRUE_P, "v", "{'base':'TaggedUnion','variants':{'A':" BOOL_T "}}",
          "{'union':{'tag':'A'}}"),
     "L103", "\"payload\" is missing"},
    {"FL27 a literal that does not fit its part",
     RULE("x", "0", TRUE_P, "v",
          "{'base':'List','max':3,'element_type':{'base':'Int','min':0,'max':4}}",
          "{'list':[{'literal':5}]}"),
     "L107", "value.list[0]: this is of Int(5, 5), the part of Int(0, 4)"},
    {"FL27 a condition rounds no literal to its part",
     RULE("x", "0", "{'op':'=','left':" MADE_D("2.34") ",'right':" MADE_D("2.345") "}",
          "v", BOOL_T, "true"),
     "L107", "when.right.list[0]: this is of Decimal(4, 3), the part of Decimal(6, 2)"},
    {"FL27 a list that is an object", MADE("{'list':{},'type':" LIST_T "}"), "L103",
     "expected an array"},
    {"FL27 a record that is a list, too",
     MADE("{'record':{'a':" TRUE_P "},'list':[],'type':" REC_T "}"), "L103",
     "has both \"record\" and \"list\""},
    {"FL27 a record as a condition",
     RULE("x", "0", "{'record':{'a':" TRUE_P "},'type':" REC_T "}", "v", BOOL_T,
          "true"),
     "L106", "expected a Bool, got Record"},
    {"FL27 7.3 a part of the same stratum",
     RULE("w", "0", TRUE_P, "w", BOOL_T, "true") "," RULE(
         "x", "0", TRUE_P, "v", REC_T, "{'record':{'a':{'verdict_ref':'w'}}}"),
     "L108", "may only read lower ones"},
    {"FL27 a type of a part that is not that of its place",
     RULE("x", "0", TRUE_P, "v", REC_T,
          "{'record':{'a':" TRUE_P "},'type':{'base':'Record','fields':{'b':" BOOL_T
          "}}}"),
     "L106", "is needed here"},
    {"an expression that says two things: a fact and an operator",
     FACT("x", "{'base':'Int','min':0,'max':1}") "," RULE(
         "r", "0",
         "{'fact_ref':'x','op':'=','left':{'literal':{},'type':{'base':'Record'}},"
         "'right':{'literal':{},'type':{'base':'Record','fields':[1]}}}",
         "v", BOOL_T, "true"),
     "L103", "has both \"fact_ref\" and \"op\""},
    {"an expression that says two things: a verdict and a literal",
     RULE("r", "0",
          "{'op':'=','left':{'verdict_present':'v','literal':{},'type':{'base':"
          "'TaggedUnion','variants':7}},'right':{'literal':true}}",
          "v", BOOL_T, "true"),
     "L103",
     "constructs[0].body.when.left: an expression has both \"verdict_present\" and "
     "\"literal\""},
    {"an expression that says two things: a fact and a quantifier",
     FACT("x", "{'base':'Int','min':0,'max':1}") "," RULE(
         "r", "0", "{'fact_ref':'x','quantifier':'some','domain':5,'body':[]}", "v",
         BOOL_T, "true"),
     "L103", "has both \"fact_ref\" and \"quantifier\""},
    {"a payload that says two things",
     RULE("r", "0", TRUE_P, "v", BOOL_T,
          "{'verdict_present':'v','literal':{},'type':{'base':'Record'}}"),
     "L103", "constructs[0].body.produce.payload.value: an expression has both"},
    {"a comparison of Text and Int",
     FACT("x", "{'base':'Text','max_length':4}") "," RULE(
         "r", "0", "{'left':" REF("x") ",'op':'=','right':{'literal':3}}", "v", BOOL_T,
         "true"),
     "L106", "not defined for"},
    {"an order of Bools",
     FACT("x", BOOL_T) "," RULE("r", "0",
                                "{'left':" REF("x") ",'op':'<','right':" TRUE_P "}",
                                "v", BOOL_T, "true"),
     "L106", "operator '<'"},
    {"FE14_a tag the union does not have",
     FACT("x", "{'base':'TaggedUnion','variants':{'A':{'base':'Bool'}}}") "," RULE(
         "r", "0",
         "{'left':{'field_ref':{'field':'tag','var':'x'}},'op':'=','right':{'literal':"
         "'b'}}",
         "v", BOOL_T, "true"),
     "L107", "\"b\" is not a value"},
    {"FE14_a payload the Enum does not declare",
     RULE("r", "0", TRUE_P, "v", "{'base':'Enum','values':['a']}",
          "{'literal':'b','type':{'base':'Enum','values':['a']}}"),
     "L107", "\"b\" is not a value"},
    {"FL9_Enums of different values",
     FACT("x", "{'base':'Enum','values':['a','b']}") "," FACT(
         "y",
         "{'base':'Enum','values':['b','c']}") "," RULE("r", "0",
                                                        "{'left':" REF(
                                                            "x") ",'op':'=','right'"
                                                                 ":" REF("y") "}",
                                                        "v", BOOL_T, "true"),
     "L106", "operator '=' is not defined"},
    {"a payload of an Enum that has one value more",
     FACT("x", "{'base':'Enum','values':['a','b']}") "," RULE(
         "r", "0", TRUE_P, "v", "{'base':'Enum','values':['a']}", REF("x")),
     "L106", "payload is of"},
    {"FL8_a quantifier over a verdict",
     FACT("x", LIST_T) "," RULE("r", "0", TRUE_P, "v", LIST_T, REF("x")) "," RULE(
         "q", "1",
         "{'quantifier':'forall','variable':'k','domain':{'verdict_ref':'v'},'body':"
         "" TRUE_P "}",
         "w", BOOL_T, "true"),
     "L106", "not over a verdict"},
    {"FL18_a DateTime less a Duration",
     FACT("x", "{'base':'DateTime'}") "," FACT(
         "y", "{'base':'Duration','unit':'days','"
              "min':0,'max':9}") "," RULE("r", "0",
                                          "{'left':{'left':" REF(
                                              "x") ",'op':'-','right'"
                                                   ":" REF("y") "},'op':'"
                                                                "<','"
                                                                "right'"
                                                                ":" REF("x") "}",
                                          "v", BOOL_T, "true"),
     "L106", "operator '-' is not defined"},
    {"variable times variable in a predicate",
     FACT("x", "{'base':'Int','min':0,'max':9}") "," RULE(
         "r", "0",
         "{'left':{'left':" REF("x") ",'op':'*','right':" REF(
             "x") "},'op':'=','right':{'literal':4}}",
         "v", BOOL_T, "true"),
     "L106", "multiply by a literal only"},
    {"money of two currencies",
     FACT("x", "{'base':'Money','currency':'USD'}") "," FACT(
         "y", "{'base':'Money','currency':'EUR'}") "," RULE("r", "0",
                                                            "{'left':" REF(
                                                                "x") ",'op':'<','right'"
                                                                     ":" REF("y") "}",
                                                            "v", BOOL_T, "true"),
     "L106", "Money(USD) and Money(EUR)"},
    {"15.1.8 a rule that reads its own stratum",
     RULE("a", "0", TRUE_P, "v", BOOL_T,
          "true") "," RULE("b", "0", "{'verdict_present':'v'}", "w", BOOL_T, "true"),
     "L108", "stratum 0 may only read lower"},
    {"a negative stratum", RULE("a", "-1", TRUE_P, "v", BOOL_T, "true"), "L108",
     "out of range"},
    {"a verdict no rule produces",
     RULE("b", "1", "{'verdict_present':'v'}", "w", BOOL_T, "true"), "L105",
     "no rule produces"},
    {"a verdict two rules produce",
     RULE("a", "0", TRUE_P, "v", BOOL_T, "true") "," RULE("b", "0", TRUE_P, "v", BOOL_T,
                                                          "true"),
     "L105", "declared twice"},
    {"15.1.2 entities that are their own parents",
     ENTITY("A", ",'parent':'B'") "," ENTITY("B", ",'parent':'A'"), "L109", "cycle"},
    {"a parent that does not exist", ENTITY("A", ",'parent':'B'"), "L105",
     "not an entity"},
    {"15.1.5 an effect that is no transition",
     ENTITY("E", "") "," OPERATION("'allowed_personas':['p'],'effects':[{'entity_id':"
                                   "'E','from':'t','to':'s'}]"),
     "L110", "is not a transition"},
    {"15.1.6 an operation nobody may invoke",
     OPERATION("'allowed_personas':[],'effects':[]"), "L112", "must not be empty"},
    {"15.1.6 a persona that is not declared",
     "{'id':'q','kind':'Persona'}," OPERATION("'allowed_personas':['p'],'effects':[]"),
     "L112", "\"p\" is not declared"},
    {"15.1.9 an outcome that is an error as well",
     OPERATION("'allowed_personas':['p'],'effects':[],'outcomes':['x'],"
               "'error_contract':['x']"),
     "L111", "both an outcome and an error"},
    {"15.1.9 an effect of several outcomes without one",
     ENTITY("E", "") "," OPERATION(
         "'allowed_personas':['p'],'outcomes':['x','y'],'effects':[{'entity_id':'E',"
         "'from':'s','to':'t'}]"),
     "L111", "must name one"},
    {"15.1.9 an outcome that is not routed",
     ENTITY("E", "") "," OP "," FLOW("f", "a",
                                     "{'id':'a','kind':'OperationStep','op':'o','"
                                     "persona':'p','outcomes':{}," HANDLER "}"),
     "L111", "is not handled"},
    {"a failure handler that ends in nothing",
     ENTITY("E", "") "," OP "," FLOW(
         "f", "a", STEP("a", END, ",'on_failure':{'kind':'Terminal'}")),
     "L103", "\"outcome\" must be text"},
    {"15.1.7 a step without a failure handler",
     ENTITY("E", "") "," OP "," FLOW("f", "a", STEP("a", END, "")), "L113", "missing"},
    {"15.1.3 steps in a circle",
     ENTITY("E", "") "," OP "," FLOW(
         "f", "a", STEP("a", "'b'", "," HANDLER) "," STEP("b", "'a'", "," HANDLER)),
     "L109", "not acyclic"},
    {"15.1.3 a circle through an escalation",
     ENTITY("E", "") "," OP
                     "," FLOW("f", "a",
                              STEP("a", END,
                                   ",'on_failure':{'kind':'Escalate','to_persona':'p',"
                                   "'next':'a'}")),
     "L109", "not acyclic"},
    {"15.1.4 flows that call each other",
     FLOW("f", "a", SUB("a", "g")) "," FLOW("g", "a", SUB("a", "f")), "L109",
     "lead back"},
    {"a step that does not exist",
     ENTITY("E", "") "," OP "," FLOW("f", "a", STEP("a", "'z'", "," HANDLER)), "L105",
     "\"z\" is not in steps"},
    {"an entry that does not exist",
     ENTITY("E", "") "," OP "," FLOW("f", "z", STEP("a", END, "," HANDLER)), "L105",
     "entry step"},
    {"11.5 parallel branches on one entity",
     ENTITY("E", "") "," OP "," FLOW(
         "f", "p",
         "{'id':'p','kind':'ParallelStep','branches':[" BRANCH("x", "o") "," BRANCH(
             "y", "o") "],'join':{'on_all_success':" END "}}"),
     "L114", "both affect entity"},
};

static void is_refused(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    const ct_model *m = NULL;
    mt_err err = ct_load(&a, bundle_of(&a, r->constructs), MT_STR("b"), NULL, &ds, &m);
    assert_int_equal(err, MT_E_REJECTED);
    assert_null(m);
    bool found = false;
    for (size_t i = 0; i < ds.len; i++) {
        found |= strcmp(ds.items[i].code, r->code) == 0 &&
                 strstr(ds.items[i].message.ptr, r->message) != NULL;
    }
    if (!found) {
        print_error("%s %s\n", ds.items[0].code, ds.items[0].message.ptr);
    }
    assert_true(found);
    mt_arena_free(&a);
}

static mt_err load_text(mt_str text)
{
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    const ct_model *m;
    mt_err err = ct_load(&a, text, MT_STR("b"), NULL, &ds, &m);
    assert_true((err != MT_OK) == (ds.errors > 0));
    mt_arena_free(&a);
    return err;
}

/* Text beside an Enum, with its type or without; Enums in another order. */
static void FE14_values_an_enum_does_not_declare_are_admitted(void **state)
{
    (void)state;
    static const char *const LITERALS[] = {
        "{'literal':'c'}", "{'literal':'c','type':{'base':'Enum','values':['a','b']}}"};
    for (size_t i = 0; i < 2; i++) {
        mt_arena a = {0};
        mt_diags ds = {.arena = &a};
        const ct_model *m;
        mt_str text = mt_strf(
            &a,
            FACT("x", "{'base':'Enum','values':['a','b']}") "," FACT(
                "y", "{'base':'"
                     "Enum','"
                     "values':['b'"
                     ",'a']}") "," RULE("r", "0",
                                        "{'left':" REF("x") ",'op':'=','right':%s}",
                                        "v", BOOL_T,
                                        "true") "," RULE("q", "0",
                                                         "{'left':" REF(
                                                             "x") ",'op':'=','right'"
                                                                  ":" REF("y") "}",
                                                         "w", BOOL_T, "true"),
            LITERALS[i]);
        assert_int_equal(
            ct_load(&a, bundle_of(&a, text.ptr), MT_STR("b"), NULL, &ds, &m), MT_OK);
        assert_int_equal(ds.errors, 0);
        assert_int_equal(ds.len, 1);
        assert_string_equal(ds.items[0].code, "L115");
        assert_int_equal(ds.items[0].severity, MT_WARNING);
        mt_arena_free(&a);
    }
}

/* What is wrong with the type is not said of its values once more. */
static void a_default_of_a_type_that_is_refused_is_not_judged(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    const ct_model *m;
    mt_str text =
        bundle_of(&a, DEFAULT("{'base':'Duration','unit':'days','min':2,'max':1}",
                              "{'kind':'duration_literal','unit':'days','value':3}"));
    assert_int_equal(ct_load(&a, text, MT_STR("b"), NULL, &ds, &m), MT_E_REJECTED);
    assert_int_equal(ds.errors, 1);
    mt_arena_free(&a);
}

static void versions_of_another_major_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mt_err err;
    } VERSIONS[] = {{"'1.0.0'", MT_OK},        {"'1.7.3'", MT_OK},
                    {"'2.0.0'", MT_E_VERSION}, {"'0.3.0'", MT_E_VERSION},
                    {"'1.0'", MT_E_VERSION},   {"1", MT_E_VERSION},
                    {"'x'", MT_E_VERSION}};
    for (size_t i = 0; i < sizeof VERSIONS / sizeof *VERSIONS; i++) {
        mt_arena a = {0};
        mt_str text =
            mt_strf(&a, "{'constructs':[],'id':'t','tenor_version':%s,'new':1}",
                    VERSIONS[i].text);
        assert_int_equal(load_text(quoted(&a, text.ptr)), VERSIONS[i].err);
        mt_arena_free(&a);
    }
}

/* Nesting of and/or far beyond what people write is fine, absurd nesting is refused. */
static void depth_is_bounded(void **state)
{
    (void)state;
    static const struct {
        int depth;
        mt_err err;
    } DEPTHS[] = {{500, MT_OK}, {100000, MT_E_LIMIT}};
    for (size_t i = 0; i < 2; i++) {
        mt_arena a = {0};
        mt_buf b = {0};
        mt_str head = quoted(&a, "{'op':'not','operand':"), leaf = quoted(&a, TRUE_P);
        for (int k = 0; k < DEPTHS[i].depth; k++) {
            mt_buf_adds(&b, head);
        }
        mt_buf_adds(&b, leaf);
        for (int k = 0; k < DEPTHS[i].depth; k++) {
            mt_buf_addc(&b, '}');
        }
        mt_buf_addc(&b, '\0');
        mt_buf rule = {0};
        mt_buf_addf(&rule,
                    "{'id':'r','kind':'Rule','stratum':0,'body':{'when':%s,"
                    "'produce':{'verdict_type':'v','payload':{'type':" BOOL_T
                    ",'value':true}}}}",
                    b.ptr);
        mt_buf_addc(&rule, '\0');
        assert_int_equal(load_text(bundle_of(&a, rule.ptr)), DEPTHS[i].err);
        mt_buf_free(&b);
        mt_buf_free(&rule);
        mt_arena_free(&a);
    }
}

/* A chain of sub-flows as long as a hostile bundle cares to make it. */
static void a_long_chain_of_flows_is_refused(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf b = {0};
    enum { CHAIN = 20000 };
    for (int i = 0; i < CHAIN; i++) {
        mt_str one =
            mt_strf(&a, "%s" FLOW("f%d", "a", SUB("a", "f%d")), i ? "," : "", i, i + 1);
        mt_buf_adds(&b, one);
    }
    mt_str last =
        mt_strf(&a,
                "," FLOW("f%d", "a",
                         "{'id':'a','kind':'BranchStep','condition':" TRUE_P
                         ",'persona':'p','if_true':" END ",'if_false':" END "}"),
                CHAIN);
    mt_buf_adds(&b, last);
    mt_buf_addc(&b, '\0');
    assert_int_equal(load_text(bundle_of(&a, b.ptr)), MT_E_REJECTED);
    mt_buf_free(&b);
    mt_arena_free(&a);
}

/* ---- faults in what an elaborator wrote ---- */

#define FROM(file, line) ",'provenance':{'file':'" file "','line':" line "}"
#define BROKEN(id, from)                                                               \
    "{'id':'" id                                                                       \
    "','kind':'Fact','tenor':'1.0','source':'s','type':{'base':'Float'}" from "}"
#define SOUND(id, from)                                                                \
    "{'id':'" id "','kind':'Fact','tenor':'1.0','source':'s','type':" BOOL_T from "}"
#define TWO_SOUND(x, y)                                                                \
    SOUND(x, FROM("a.tenor", "1")) "," SOUND(y, FROM("a.tenor", "1"))
#define TEN_SOUND                                                                      \
    TWO_SOUND("a", "b")                                                                \
    "," TWO_SOUND("c", "d") "," TWO_SOUND("e", "f") "," TWO_SOUND(                     \
        "g", "h") "," TWO_SOUND("i", "j")

static const struct place_row {
    const char *name, *constructs, *file;
    uint32_t line, column, errors;
} PLACES[] = {
    {"a fault in the root", BROKEN("x", FROM("a.tenor", "7")), "dir/a.tenor", 7, 1, 1},
    {"a fault in an import", BROKEN("x", FROM("b.tenor", "3")), "dir/in/b.tenor", 3, 1,
     1},
    {"a fault in a file nobody read", BROKEN("x", FROM("c.tenor", "3")), "dir/a.tenor",
     3, 1, 1},
    {"a fault behind sound constructs",
     SOUND("a", FROM("a.tenor", "1")) "," BROKEN("x", FROM("b.tenor", "9")),
     "dir/in/b.tenor", 9, 1, 1},
    {"a fault of a construct whose number has two digits",
     TEN_SOUND
     "," SOUND("k", FROM("a.tenor", "1")) "," BROKEN("x", FROM("b.tenor", "4")),
     "dir/in/b.tenor", 4, 1, 1},
    {"a fault without provenance", "{}", "dir/a.tenor", 0, 0, 4},
};

static void is_shown_in_its_source(void **state)
{
    const struct place_row *r = *state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a, .limit = 100};
    const ct_source sources[] = {{.path = MT_STR("dir/a.tenor")},
                                 {.path = MT_STR("dir/in/b.tenor")}};
    ct_elaboration e = {.id = MT_STR("t"),
                        .bundle = bundle_of(&a, r->constructs),
                        .sources = sources,
                        .source_count = 2};
    ct_admitted out;
    assert_int_equal(ct_admit_source(&a, &e, NULL, &ds, &out), MT_E_REJECTED);
    assert_int_equal(ds.errors, r->errors);
    assert_int_equal(ds.len, r->errors);
    assert_true(mt_str_eq(ds.items[0].file, mt_str_z(r->file)));
    assert_int_equal(ds.items[0].line, r->line);
    assert_int_equal(ds.items[0].column, r->column);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list l;
    rows_add(&l, ROWS, is_refused);
    rows_add(&l, PLACES, is_shown_in_its_source);
    rows_test(&l, versions_of_another_major_are_refused);
    rows_test(&l, depth_is_bounded);
    rows_test(&l, a_long_chain_of_flows_is_refused);
    rows_test(&l, a_default_of_a_type_that_is_refused_is_not_judged);
    rows_test(&l, FE14_values_an_enum_does_not_declare_are_admitted);
    return rows_run(&l, "contract/load");
}
