/* Evaluation: what the specification says about predicates, numbers and provenance. */
#include "../rows.h"
#include "bundle_text.h"
#include "contract/eval/facts.h"
#include "contract/eval/program.h"

#define IS(l, op, r) "{'left':" l ",'op':'" op "','right':" r "}"
#define NOT(p)       "{'op':'not','operand':" p "}"
#define FIELD(v, f)  "{'field_ref':{'field':'" f "','var':'" v "'}}"
#define OF(t, f)     "{'field_of':{'field':'" f "','of':" t "}}"
#define ALL(v, list, p)                                                                \
    "{'quantifier':'forall','variable':'" v "','domain':" list ",'body':" p "}"
#define ANY(v, list, p)                                                                \
    "{'quantifier':'exists','variable':'" v "','domain':" list ",'body':" p "}"
#define HAVE(v)   "{'verdict_present':'" v "'}"
#define TEXT_L(s) "{'literal':'" s "'}"
#define INT_L(n)  "{'literal':" n ",'type':{'base':'Int','min':" n ",'max':" n "}}"
#define DEC_L(d, p, s)                                                                 \
    "{'literal':'" d "','type':{'base':'Decimal','precision':" p ",'scale':" s "}}"
#define SUM(l, op, r, t)                                                               \
    "{'left':" l ",'op':'" op "','right':" r ",'result_type':" t "}"
#define DAYS(n)                                                                        \
    "{'literal':{'unit':'days','value':" n                                             \
    "},'type':{'base':'Duration','unit':'days',"                                       \
    "'min':" n ",'max':" n "}}"
#define WHEN(p) RULE("r", "0", p, "v", BOOL_T, "true")

#define N   FACT("n", "{'base':'Int','min':0,'max':100}")
#define D   FACT("d", "{'base':'Decimal','precision':8,'scale':3}")
#define P   FACT("p", BOOL_T)
#define Q   FACT("q", BOOL_T)
#define AT  FACT("at", "{'base':'DateTime'}")
#define AT2 FACT("at2", "{'base':'DateTime'}")
#define LISTS                                                                          \
    FACT("xs", "{'base':'List','max':9,'element_type':{'base':'Int','min':0,'max':9}"  \
               "}")
#define PAY                                                                            \
    FACT("u",                                                                          \
         "{'base':'TaggedUnion','variants':{'Card':{'base':'Record','fields':{'no':"   \
         "{'base':'Int','min':0,'max':9}}},'Cash':{'base':'Bool'}}}")
#define REC(id)                                                                        \
    FACT(id,                                                                           \
         "{'base':'Record','fields':{'a':{'base':'Int','min':0,'max':9},'b':" BOOL_T   \
         "}}")

/* Values whose parts are terms. */
#define BOX_T                                                                          \
    "{'base':'Record','fields':{'d':{'base':'Decimal','precision':6,'scale':2},'l':{"  \
    "'base':'List','max':2,'element_type':{'base':'Int','min':0,'max':100}}}}"
#define EMPTY_T "{'base':'Record','fields':{}}"
#define MADE_REC(a, b)                                                                 \
    "{'record':{'a':" a ",'b':" b "},'type':{'base':'Record','fields':{'a':{'base':'"  \
    "Int','min':0,'max':9},'b':" BOOL_T "}}}"
#define MADE_XS(items)                                                                 \
    "{'list':[" items "],'type':{'base':'List','max':9,'element_type':{'base':'Int',"  \
    "'min':0,'max':9}}}"
#define MADE_CARD(no)                                                                  \
    "{'type':{'base':'TaggedUnion','variants':{'Card':{'base':'Record','fields':{'no'" \
    ":"                                                                                \
    "{'base':'Int','min':0,'max':9}}},'Cash':{'base':'Bool'}}},'union':{'payload':{"   \
    "'record':{'no':" no "}},'tag':'Card'}}"

/* `want`: a piece of the result, or the kind of the fault. */
static const struct row {
    const char *name, *constructs, *facts, *want;
} ROWS[] = {
    {"comparison never rounds: 2.996 is not 3",
     D "," WHEN(IS(REF("d"), "=", INT_L("3"))), "{'d':'2.996'}", "{'verdicts':[]}"},
    {"1.50 equals 1.5", D "," WHEN(IS(REF("d"), "=", DEC_L("1.5", "2", "1"))),
     "{'d':'1.50'}", "'type':'v'"},
    {"an Int and a Decimal compare", D "," N "," WHEN(IS(REF("n"), ">", REF("d"))),
     "{'d':'1.999','n':2}", "'type':'v'"},
    {"10.3 forall over an empty list holds",
     LISTS "," WHEN(ALL("x", REF("xs"), IS(REF("x"), ">", INT_L("5")))), "{'xs':[]}",
     "'facts_used':['xs']"},
    {"10.3 exists over an empty list does not",
     LISTS "," WHEN(ANY("x", REF("xs"), IS(REF("x"), ">", INT_L("5")))), "{'xs':[]}",
     "{'verdicts':[]}"},
    {"a bound variable hides a fact of its name",
     FACT("x", BOOL_T) "," LISTS
                       "," WHEN(ALL("x", REF("xs"), IS(REF("x"), "<", INT_L("5")))),
     "{'x':true,'xs':[1,2]}", "'facts_used':['xs']"},
    {"quantifiers nest",
     LISTS
     "," WHEN(ALL("x", REF("xs"), ANY("y", REF("xs"), IS(REF("y"), "!=", REF("x"))))),
     "{'xs':[1,2,1]}", "'type':'v'"},
    {"and stops early, and what it did not read is not used",
     P "," Q "," WHEN(
         "{'op':'or','left':" IS(REF("p"), "=", TRUE_P) ",'right':" REF("q") "}"),
     "{'p':true,'q':true}", "'facts_used':['p']"},
    {"order of use is the order of the first use, also across turns of a loop",
     P "," N "," LISTS "," WHEN(
         ALL("x", REF("xs"),
             "{'op':'or','left':{'op':'and','left':" IS(
                 REF("x"), ">",
                 INT_L("5")) ",'right':" IS(REF("n"), "=",
                                            INT_L("1")) "},'right':" REF("p") "}")),
     "{'p':true,'n':1,'xs':[1,9]}", "'facts_used':['xs','p','n']"},
    {"not verdict_present lists the verdict it looked for",
     P "," RULE("a", "0", REF("p"), "w", BOOL_T,
                "true") "," RULE("b", "1", NOT(HAVE("w")), "v", BOOL_T, "true"),
     "{'p':false}", "'verdicts_used':['w']"},
    {"an absent verdict's payload makes the comparison false",
     P
     "," RULE("a", "0", REF("p"), "w", "{'base':'Int','min':1,'max':1}", "1") "," RULE(
         "b", "1", IS("{'verdict_ref':'w'}", "<", INT_L("5")), "v", BOOL_T, "true"),
     "{'p':false}", "{'verdicts':[]}"},
    {"so its negation is true",
     P "," RULE("a", "0", REF("p"), "w", "{'base':'Int','min':1,'max':1}",
                "1") "," RULE("b", "1", NOT(IS("{'verdict_ref':'w'}", "<", INT_L("5"))),
                              "v", BOOL_T, "true"),
     "{'p':false}", "'type':'v'"},
    {"a payload built on an absent verdict is a fault",
     P "," RULE("a", "0", REF("p"), "w", "{'base':'Int','min':1,'max':1}",
                "1") "," RULE("b", "1", TRUE_P, "v", "{'base':'Int','min':1,'max':1}",
                              "{'verdict_ref':'w'}"),
     "{'p':false}", "absent_verdict"},
    {"13.3 a sum outside its bounds is an overflow",
     N "," WHEN(IS(SUM(REF("n"), "+", REF("n"), "{'base':'Int','min':0,'max':150}"),
                   ">", INT_L("0"))),
     "{'n':100}", "overflow"},
    {"13.2 a Decimal times n has digits(n) more digits",
     D "," WHEN(IS("{'left':" REF("d") ",'literal':99,'op':'*'}", ">", INT_L("0"))),
     "{'d':'99999.999'}", "'type':'v'"},
    {"13.4 a payload is rounded half to even",
     D "," RULE("r", "0", TRUE_P, "v", "{'base':'Decimal','precision':8,'scale':2}",
                REF("d")),
     "{'d':'0.125'}", "'value':'0.12'"},
    {"7.1 a payload may multiply facts",
     N "," RULE("r", "0", TRUE_P, "v", "{'base':'Int','min':0,'max':10000}",
                "{'left':" REF("n") ",'op':'*','right':" REF("n") "}"),
     "{'n':12}", "'value':144"},
    {"7.6 money's amount times a rate",
     D "," FACT("m", "{'base':'Money','currency':'USD'}") "," RULE(
         "r", "0", TRUE_P, "v", "{'base':'Decimal','precision':20,'scale':2}",
         "{'left':" FIELD("m", "amount") ",'op':'*','right':" REF("d") "}"),
     "{'d':'0.915','m':{'amount':'8500.00','currency':'USD'}}", "'value':'7777.50'"},
    {"DateTimes in other offsets are the same moment",
     AT "," AT2 "," WHEN(IS(REF("at"), "=", REF("at2"))),
     "{'at':'2024-01-01T01:00:00+01:00','at2':'2024-01-01T00:00:00Z'}", "'type':'v'"},
    {"a text beside a DateTime is one",
     AT "," WHEN(IS(TEXT_L("2024-01-01T00:00:00Z"), "<", REF("at"))),
     "{'at':'2024-01-01T00:00:00.000000001Z'}", "'type':'v'"},
    {"4.2 DateTime plus Duration",
     AT "," AT2 "," WHEN(IS("{'left':" REF("at") ",'op':'+','right':" DAYS("30") "}",
                            ">=", REF("at2"))),
     "{'at':'2024-02-01T00:00:00Z','at2':'2024-03-02T00:00:00Z'}", "'type':'v'"},
    {"a moment past the year 9999 is an overflow",
     AT "," WHEN(
         IS("{'left':" REF("at") ",'op':'+','right':" DAYS("30") "}", ">=", REF("at"))),
     "{'at':'9999-12-15T00:00:00Z'}", "overflow"},
    {"4.2 Durations compare across units",
     FACT("h", "{'base':'Duration','unit':'hours','min':0,'max':99}") "," WHEN(
         IS(REF("h"), "=", DAYS("2"))),
     "{'h':{'value':48}}", "'type':'v'"},
    {"records are equal field by field",
     REC("a") "," REC("b") "," WHEN(IS(REF("a"), "=", REF("b"))),
     "{'a':{'a':1,'b':true},'b':{'b':true,'a':1}}", "'type':'v'"},
    {"and unequal in one field",
     REC("a") "," REC("b") "," WHEN(IS(REF("a"), "=", REF("b"))),
     "{'a':{'a':1,'b':true},'b':{'b':true,'a':2}}", "{'verdicts':[]}"},
    {"4.4 another tag is a typed error",
     PAY "," WHEN(IS(OF(FIELD("u", "Card"), "no"), "=", INT_L("4"))),
     "{'u':{'tag':'Cash','payload':true}}", "tag_mismatch"},
    {"a tag check guards it",
     PAY "," WHEN("{'op':'and','left':" IS(
         FIELD("u", "tag"), "=",
         TEXT_L("Card")) ",'right':" IS(OF(FIELD("u", "Card"), "no"), "=",
                                        INT_L("4")) "}"),
     "{'u':{'tag':'Cash','payload':true}}", "{'verdicts':[]}"},
    {"len counts",
     LISTS "," WHEN(IS("{'op':'len','operand':" REF("xs") "}", "=", INT_L("2"))),
     "{'xs':[1,2]}", "'type':'v'"},
    {"an index past the end is a typed error",
     LISTS "," WHEN(IS("{'op':'index','operand':" REF("xs") ",'index':" INT_L("2") "}",
                       "=", INT_L("2"))),
     "{'xs':[1,2]}", "index_out_of_range"},
    {"a missing fact takes its default",
     "{'id':'p','kind':'Fact','source':'s','type':" BOOL_T ",'default':{'kind':"
     "'bool_literal','value':true}}," WHEN(REF("p")),
     "{}", "'type':'v'"},
    {"FL27 a record of terms equals one of the same parts",
     N "," P "," REC("a") "," WHEN(IS(REF("a"), "=", MADE_REC(INT_L("3"), REF("p")))),
     "{'a':{'a':3,'b':true},'n':3,'p':true}", "'facts_used':['a','p']"},
    {"FL27 and differs in one of them",
     N "," P "," REC("a") "," WHEN(IS(REF("a"), "!=", MADE_REC(INT_L("3"), REF("p")))),
     "{'a':{'a':3,'b':true},'n':3,'p':true}", "{'verdicts':[]}"},
    {"FL27 a list is as long as it is written",
     LISTS "," N "," WHEN(IS(REF("xs"), "=", MADE_XS(INT_L("1") "," INT_L("2")))),
     "{'n':2,'xs':[1,2,2]}", "{'verdicts':[]}"},
    {"FL27 an empty list equals an empty one",
     LISTS "," WHEN(IS(MADE_XS(""), "=", REF("xs"))), "{'xs':[]}", "'type':'v'"},
    {"FL27 a union of another tag is not equal, and no error",
     PAY "," WHEN(IS(REF("u"), "=", MADE_CARD(INT_L("4")))),
     "{'u':{'tag':'Cash','payload':true}}", "{'verdicts':[]}"},
    {"FL27 a union of the same tag and payload is",
     PAY "," WHEN(IS(REF("u"), "=", MADE_CARD(INT_L("4")))),
     "{'u':{'tag':'Card','payload':{'no':4}}}", "'facts_used':['u']"},
    {"FL27 a part that fails is a typed error, also where another part differs",
     LISTS "," P "," REC("a") "," WHEN(
         IS(REF("a"), "=",
            MADE_REC("{'op':'index','operand':" REF("xs") ",'index':" INT_L("0") "}",
                     REF("p")))),
     "{'a':{'a':3,'b':true},'p':false,'xs':[]}", "index_out_of_range"},
    {"FL27 a payload is a record with a list in it",
     LISTS "," N "," RULE(
         "r", "0", TRUE_P, "v", BOX_T,
         "{'record':{'d':" REF("n") ",'l':{'list':[" REF("n") "," INT_L("7") "]}}}"),
     "{'n':4,'xs':[]}",
     "{'payload':{'fields':{'d':{'kind':'decimal_value','value':'4'},'l':{'elements':[{"
     "'kind':'int_value','value':4},{'kind':'int_value','value':7}],'kind':"
     "'list_value'}},'kind':'record_value'},'provenance':{'facts_used':['n']"},
    {"FL27 a Decimal of a payload is rounded to its part",
     D "," RULE("r", "0", TRUE_P, "v", BOX_T,
                "{'record':{'d':" REF("d") ",'l':{'list':[]}}}"),
     "{'d':'2.345'}", "{'kind':'decimal_value','value':'2.34'}"},
    {"FL27 a part of a payload that does not fit is an overflow",
     D "," RULE("r", "0", TRUE_P, "v", BOX_T,
                "{'record':{'d':" REF("d") ",'l':{'list':[]}}}"),
     "{'d':'99999.9'}", "overflow"},
    {"FL27 in a condition nothing is rounded",
     D
     "," WHEN(IS("{'record':{'d':" REF("d") ",'l':{'list':[]}},'type':" BOX_T "}", "=",
                 "{'record':{'d':" DEC_L("2.34", "3",
                                         "2") ",'l':{'list':[]}},'type':" BOX_T "}")),
     "{'d':'2.345'}", "{'verdicts':[]}"},
    {"FL27 7.6 a higher stratum reads the fields of a verdict and compares it",
     N "," RULE(
         "r", "0", TRUE_P, "w", BOX_T,
         "{'record':{'d':" REF("n") ",'l':{'list':[" REF(
             "n") "]}}}") "," RULE("s", "1",
                                   "{'op':'and','left':" IS(
                                       OF("{'verdict_ref':'w'}", "d"), "=",
                                       INT_L(
                                           "4")) ",'right':" IS("{'verdict_ref':'w'}",
                                                                "=",
                                                                "{'record':{'d':" INT_L(
                                                                    "4") ",'l':{'list':"
                                                                         "[" REF(
                                                                             "n") "]}},"
                                                                                  "'typ"
                                                                                  "e'"
                                                                                  ":" BOX_T
                                                                                  "}") "}",
                                   "v", BOOL_T, "true"),
     "{'n':4}",
     "'provenance':{'facts_used':['n'],'rule':'s','stratum':1,'verdicts_used':['w']}"},
    {"FL27 a part that reads an absent verdict makes the comparison false",
     N
     "," RULE("r", "0", IS(REF("n"), ">", INT_L("50")), "w", BOX_T,
              "{'record':{'d':" INT_L(
                  "1") ",'l':{'list':[]}}}") "," RULE("s", "1",
                                                      IS("{'record':{'d':" OF(
                                                             "{'verdict_ref':'w'}",
                                                             "d") ",'l':{'list':[]}},'"
                                                                  "type':" BOX_T "}",
                                                         "!=",
                                                         "{'record':{'d':" REF(
                                                             "n") ",'l':{'list':[]}},'"
                                                                  "type':" BOX_T "}"),
                                                      "v", BOOL_T, "true"),
     "{'n':4}", "{'verdicts':[]}"},
    {"FL27 and in a payload it is a fault",
     N "," RULE("r", "0", IS(REF("n"), ">", INT_L("50")), "w", BOX_T,
                "{'record':{'d':" INT_L(
                    "1") ",'l':{'list':[]}}}") "," RULE("s", "1", TRUE_P, "v", BOX_T,
                                                        "{'record':{'d':" OF(
                                                            "{'verdict_ref':'w'}",
                                                            "d") ",'l':{'list':[]}}}"),
     "{'n':4}", "absent_verdict"},
    {"FL27 a record without fields",
     FACT("e", EMPTY_T) "," RULE(
         "r", "0", IS(REF("e"), "=", "{'record':{},'type':" EMPTY_T "}"), "w", EMPTY_T,
         "{'record':{}}") "," RULE("s", "1",
                                   IS("{'verdict_ref':'w'}", "=",
                                      "{'record':{},'type':" EMPTY_T "}"),
                                   "v", BOOL_T, "true"),
     "{'e':{}}", "'type':'v'"},
    {"FL27 made anew for each element of a quantifier",
     LISTS "," REC("a") "," P "," WHEN(
         ANY("x", REF("xs"), IS(REF("a"), "=", MADE_REC(REF("x"), REF("p"))))),
     "{'a':{'a':3,'b':true},'p':true,'xs':[1,2,3]}", "'facts_used':['xs','a','p']"},
    {"a fault in a stratum is never an absent verdict",
     LISTS "," P "," RULE(
         "a", "0",
         IS("{'op':'index','operand':" REF("xs") ",'index':" INT_L("0") "}", "=",
            INT_L("2")),
         "w", BOOL_T, "true") "," RULE("b", "1", NOT(HAVE("w")), "v", BOOL_T, "true"),
     "{'xs':[],'p':true}", "index_out_of_range"},
};

static void gives(void **state)
{
    const struct row *r = *state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    const ct_model *m = NULL;
    if (ct_load(&a, bundle_of(&a, r->constructs), MT_STR("b"), NULL, &ds, &m)) {
        print_error("%s\n", ds.items[0].message.ptr);
    }
    assert_non_null(m);
    const ct_program *p = ct_compile(&a, m);
    ct_facts *f = ct_facts_new(m);
    ct_verdicts *v = ct_verdicts_new(p);
    ct_fault fault = {0};
    mt_buf out = {0};
    if (ct_facts_read(f, quoted(&a, r->facts), NULL, false, &fault) == MT_OK &&
        ct_evaluate(p, f, v, &a, &fault) == MT_OK) {
        ct_verdicts_json(&out, v);
    } else {
        mt_buf_addz(&out, ct_fault_name(fault.kind));
        assert_true(fault.rule.len > 0);
    }
    mt_buf_addc(&out, '\0');
    if (!strstr(out.ptr, mt_str_dup(&a, quoted(&a, r->want)).ptr)) {
        print_error("got %s %s\n", out.ptr, fault.message.len ? fault.message.ptr : "");
        fail();
    }
    mt_buf_free(&out);
    ct_facts_free(f);
    ct_verdicts_free(v);
    mt_arena_free(&a);
}

static void the_closure_reaches_the_facts(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    const ct_model *m = NULL;
    mt_str text = bundle_of(
        &a, P "," Q "," RULE("a", "0", REF("q"), "w", BOOL_T, "true") "," RULE(
                "b", "1", "{'op':'and','left':" HAVE("w") ",'right':" REF("p") "}", "v",
                BOOL_T, "true"));
    assert_int_equal(ct_load(&a, text, MT_STR("b"), NULL, &ds, &m), MT_OK);
    const ct_program *p = ct_compile(&a, m);
    ct_facts *f = ct_facts_new(m);
    ct_verdicts *v = ct_verdicts_new(p);
    ct_fault fault;
    ct_facts_read(f, quoted(&a, "{'p':true,'q':true}"), NULL, true, &fault);
    assert_int_equal(ct_evaluate(p, f, v, &a, &fault), MT_OK);
    ct_used used = ct_verdict_used(&a, v, 1);
    assert_int_equal(used.fact_count, 1);
    assert_int_equal(used.verdict_count, 1);
    used = ct_used_closure(&a, &(ct_snapshot){p, f, v}, used);
    assert_int_equal(used.fact_count, 2);
    assert_int_equal(used.facts[0], 0);
    assert_int_equal(used.facts[1], 1);
    ct_facts_free(f);
    ct_verdicts_free(v);
    mt_arena_free(&a);
}

/* Texts of 64 and 512 bytes; a step is 256. */
#define T64  "tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt"
#define T512 T64 T64 T64 T64 T64 T64 T64 T64
#define TEXTS                                                                          \
    FACT("t", "{'base':'Text','max_length':1000}")                                     \
    "," FACT("u", "{'base':'Text','max_length':1000}")
#define WORDS                                                                          \
    FACT("ws", "{'base':'List','max':9,'element_type':{'base':'Record','fields':{"     \
               "'w':{'base':'Text','max_length':1000},"                                \
               "'ns':{'base':'List','max':9,'element_type':{'base':'Int','min':0,"     \
               "'max':9}}}}}")

/* How many steps: nodes of bodies, times elements, as often as they are come to. */
static const struct work {
    const char *name, *constructs, *facts;
    uint64_t steps, bound;
} WORK[] = {
    {"FS7_without_quantifiers_there_are_no_steps", P "," WHEN(REF("p")), "{'p':true}",
     0, 2},
    {"FS7_an_empty_list_takes_none",
     LISTS "," WHEN(ALL("x", REF("xs"), IS(REF("x"), ">", INT_L("5")))), "{'xs':[]}", 0,
     3},
    {"FS7_a_body_of_three_nodes_for_each_element",
     LISTS "," WHEN(ALL("x", REF("xs"), IS(REF("x"), "<", INT_L("9")))),
     "{'xs':[1,2,3]}", 9, 12},
    {"FS7_quantifiers_inside_each_other_multiply",
     LISTS
     "," WHEN(ALL("x", REF("xs"), ALL("y", REF("xs"), IS(REF("y"), "<", INT_L("9"))))),
     "{'xs':[1,2,3]}", 33, 36},
    {"FS7_who_stops_early_has_paid_for_the_list",
     LISTS "," WHEN(ANY("x", REF("xs"), IS(REF("x"), "<", INT_L("9")))),
     "{'xs':[1,2,3]}", 9, 12},
    {"FS7_what_is_not_come_to_takes_none",
     P "," LISTS "," WHEN("{'op':'and','left':" REF("p") ",'right':" ALL(
         "x", REF("xs"), IS(REF("x"), "<", INT_L("9"))) "}"),
     "{'p':false,'xs':[1,2,3]}", 0, 14},
    {"FS7_lists_that_are_compared_are_walked",
     LISTS "," WHEN(IS(REF("xs"), "=", REF("xs"))), "{'xs':[1,2,3]}", 3, 7},
    {"FS7_lists_inside_of_lists_that_are_compared_and_their_texts_too",
     WORDS "," WHEN(IS(REF("ws"), "=", REF("ws"))),
     "{'ws':[{'w':'" T512 "','ns':[1,2,3]},{'w':'','ns':[1]}]}", 8, 12},
    {"FS7_long_texts_that_are_compared_are_walked_each_time",
     TEXTS "," LISTS "," WHEN(ALL("x", REF("xs"), IS(REF("t"), "=", REF("u")))),
     "{'t':'" T512 "','u':'" T512 "','xs':[1,2,3]}", 15, 18},
    {"FS7_texts_that_are_not_equally_long_are_not_walked",
     TEXTS "," LISTS "," WHEN(ALL("x", REF("xs"), IS(REF("t"), "!=", REF("u")))),
     "{'t':'" T512 "','u':'" T512 T64 "','xs':[1,2,3]}", 9, 18},
    {"FS7_a_text_found_while_running_counts_as_declared",
     TEXTS "," WORDS "," WHEN(
         ALL("a", REF("ws"),
             ANY("b", REF("ws"), IS(FIELD("a", "w"), "=", FIELD("b", "w"))))),
     "{'t':'','u':'','ws':[{'w':'" T512 "','ns':[]}]}", 9, 25},
    {"FS7_a_list_found_while_running_counts_as_the_longest_there_is",
     WORDS "," WHEN(ALL("a", REF("ws"),
                        ALL("n", FIELD("a", "ns"), IS(REF("n"), "<", INT_L("9"))))),
     "{'ws':[{'w':'','ns':[1,2]},{'w':'','ns':[3]}]}", 15, 21},
    {"FS7_a_short_constant_is_compared_with_in_no_time",
     TEXTS "," LISTS "," WHEN(ALL("x", REF("xs"), IS(REF("t"), "!=", TEXT_L("short")))),
     "{'t':'" T512 "','u':'','xs':[1,2,3]}", 9, 12},
};

typedef struct clock {
    int asked, late_after;
} clock;

static bool is_late(void *state)
{
    clock *c = state;
    return ++c->asked > c->late_after;
}

static void takes(void **state)
{
    const struct work *r = *state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    const ct_model *m = NULL;
    assert_int_equal(
        ct_load(&a, bundle_of(&a, r->constructs), MT_STR("b"), NULL, &ds, &m), MT_OK);
    const ct_program *p = ct_compile(&a, m);
    ct_facts *f = ct_facts_new(m);
    ct_verdicts *v = ct_verdicts_new(p);
    ct_fault fault = {0};
    assert_int_equal(ct_facts_read(f, quoted(&a, r->facts), NULL, false, &fault),
                     MT_OK);
    assert_int_equal(ct_work_rules(p, f), r->bound);
    assert_true(ct_work_most(p) >= r->bound);
    ct_verdicts_limit(v, (ct_patience){.steps = r->steps});
    assert_int_equal(ct_evaluate(p, f, v, &a, &fault), MT_OK);
    if (r->steps) {
        ct_verdicts_limit(v, (ct_patience){.steps = r->steps - 1});
        assert_int_equal(ct_evaluate(p, f, v, &a, &fault), MT_E_LIMIT);
        assert_int_equal(fault.kind, CT_FAULT_BUDGET);
        assert_true(mt_str_is(fault.rule, "r"));
    }
    ct_facts_free(f);
    ct_verdicts_free(v);
    mt_arena_free(&a);
}

static void FS7_the_host_is_asked_whether_it_is_late(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    const ct_model *m = NULL;
    mt_str text = bundle_of(
        &a, LISTS "," WHEN(ALL(
                "a", REF("xs"),
                ALL("b", REF("xs"),
                    ALL("c", REF("xs"),
                        ALL("d", REF("xs"),
                            ALL("e", REF("xs"), IS(REF("a"), "<", INT_L("9")))))))));
    assert_int_equal(ct_load(&a, text, MT_STR("b"), NULL, &ds, &m), MT_OK);
    const ct_program *p = ct_compile(&a, m);
    ct_facts *f = ct_facts_new(m);
    ct_verdicts *v = ct_verdicts_new(p);
    ct_fault fault;
    clock c = {0, 1000};
    ct_patience patience = {UINT64_MAX / 2, is_late, &c};
    ct_verdicts_limit(v, patience);
    assert_int_equal(
        ct_facts_read(f, quoted(&a, "{'xs':[1,2,3,4,5,6,7,8,1]}"), NULL, true, &fault),
        MT_OK);
    assert_int_equal(ct_evaluate(p, f, v, &a, &fault), MT_OK);
    uint64_t all = ct_work_rules(p, f) - 3; /* three nodes are in no quantifier */
    ct_verdicts_limit(v, (ct_patience){.steps = all});
    assert_int_equal(ct_evaluate(p, f, v, &a, &fault), MT_OK);
    ct_verdicts_limit(v, (ct_patience){.steps = all - 1});
    assert_int_equal(ct_evaluate(p, f, v, &a, &fault), MT_E_LIMIT);
    ct_verdicts_limit(v, patience);
    assert_true(c.asked > 3 && c.asked < 100); /* 9^5 times 3, and a slice is 2^14 */
    c = (clock){0, 2};
    assert_int_equal(ct_evaluate(p, f, v, &a, &fault), MT_E_TIMEOUT);
    assert_int_equal(fault.kind, CT_FAULT_DEADLINE);
    assert_int_equal(c.asked, 3);
    ct_facts_free(f);
    ct_verdicts_free(v);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list l;
    rows_add(&l, ROWS, gives);
    rows_add(&l, WORK, takes);
    rows_test(&l, FS7_the_host_is_asked_whether_it_is_late);
    rows_test(&l, the_closure_reaches_the_facts);
    return rows_run(&l, "contract/eval");
}
