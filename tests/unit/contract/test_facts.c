/* Fact assembly: what is accepted and how it is kept; what is refused, with its path.
 */
#include "../rows.h"
#include "bundle_text.h"
#include "contract/eval/surplus.h"

#define INT_T   "{'base':'Int','min':0,'max':5}"
#define DEC_T   "{'base':'Decimal','precision':5,'scale':2}"
#define TEXT_T  "{'base':'Text','max_length':3}"
#define ENUM_T  "{'base':'Enum','values':['a','b']}"
#define MONEY_T "{'base':'Money','currency':'USD'}"
#define HOURS_T "{'base':'Duration','unit':'hours','min':0,'max':9}"
#define UNION_T                                                                        \
    "{'base':'TaggedUnion','variants':{'Card':" TEXT_T ",'Cash':" BOOL_T "}}"
#define PAID_T                                                                         \
    "{'base':'TaggedUnion','variants':{'Paid':{'base':'Record','fields':{'n':" INT_T   \
    "}}}}"
#define ITEMS_T                                                                        \
    "{'base':'List','max':3,'element_type':{'base':'Record','fields':{'amount'"        \
    ":" MONEY_T ",'n':" INT_T "}}}"
#define ITEM(n, currency)                                                              \
    "{'n':" n ",'amount':{'amount':'1','currency':'" currency "'}}"

static const struct accepted {
    const char *name, *type, *json, *kept;
} ACCEPTED[] = {
    {"a Bool", BOOL_T, "true", "true"},
    {"the largest Int of the range", INT_T, "5", "5"},
    {"a Decimal as text keeps its scale", DEC_T, "'1.50'", "'1.50'"},
    {"a Decimal as an object", DEC_T, "{'value':'1.5'}", "'1.5'"},
    {"a Decimal as an exact number", DEC_T, "1.25", "'1.25'"},
    {"zeros beyond the scale are exact", DEC_T, "'1.25000'", "'1.25000'"},
    {"zero has no sign", DEC_T, "'-0.00'", "'0.00'"},
    {"Text is measured in characters", TEXT_T, "'\xc3\xa9\xc3\xa9\xc3\xa9'",
     "'\xc3\xa9\xc3\xa9\xc3\xa9'"},
    {"escapes are decoded", TEXT_T, "'\\u00e9\\n'", "'\xc3\xa9\\n'"},
    {"an Enum value", ENUM_T, "'b'", "'b'"},
    {"a leap day", "{'base':'Date'}", "'2024-02-29'", "'2024-02-29'"},
    {"the first and the last year", "{'base':'Date'}", "'0001-01-01'", "'0001-01-01'"},
    {"E6 a DateTime is normalised to UTC", "{'base':'DateTime'}",
     "'2024-01-01T00:30:00+02:00'", "'2023-12-31T22:30:00Z'"},
    {"nanoseconds are kept", "{'base':'DateTime'}", "'2024-01-01T00:00:00.000000001Z'",
     "'2024-01-01T00:00:00.000000001Z'"},
    {"trailing zeros of a fraction are not", "{'base':'DateTime'}",
     "'2024-01-01T00:00:00.500Z'", "'2024-01-01T00:00:00.5Z'"},
    {"money of the type's currency", MONEY_T, "{'amount':'5.00','currency':'USD'}",
     "'5.00','currency':'USD'"},
    {"money with an amount of its own form", MONEY_T,
     "{'amount':{'value':'5'},'currency':'USD'}", "'5','currency':'USD'"},
    {"FE16_money of 28 digits", MONEY_T,
     "{'amount':'1000000000000000000000000000.00','currency':'USD'}", "'1000"},
    {"a Duration in its unit", HOURS_T, "{'value':3,'unit':'hours'}", "3"},
    {"a union whose payload comes first", UNION_T, "{'payload':'xy','tag':'Card'}",
     "'xy'},'tag':'Card'"},
    {"an empty list", ITEMS_T, "[]", "[]"},
    {"a list of records, fields in any order", ITEMS_T, "[" ITEM("1", "USD") "]",
     "'1','currency':'USD'"},
    {"a surplus field is dropped", ITEMS_T,
     "[{'n':1,'x':[1,{}],'amount':{'amount':'1','currency':'USD'}}]", "'value':1"},
};

static const struct refused {
    const char *name, *type, *json;
    ct_fault_kind kind;
    const char *path;
} REFUSED[] = {
    {"a missing fact", BOOL_T, "", CT_FAULT_MISSING_FACT, "f"},
    {"null", BOOL_T, "null", CT_FAULT_TYPE_MISMATCH, "f"},
    {"an Int above its range", INT_T, "6", CT_FAULT_TYPE_MISMATCH, "f"},
    {"an Int with a fraction", INT_T, "3.0", CT_FAULT_TYPE_MISMATCH, "f"},
    {"an Int beyond 64 bits", INT_T, "99999999999999999999", CT_FAULT_TYPE_MISMATCH,
     "f"},
    {"too many fraction digits", DEC_T, "'1.255'", CT_FAULT_TYPE_MISMATCH, "f"},
    {"too many digits in all", DEC_T, "'1000.00'", CT_FAULT_TYPE_MISMATCH, "f"},
    {"digits that only rounding would hide", DEC_T,
     "'1.00000000000000000000000000000000001'", CT_FAULT_TYPE_MISMATCH, "f"},
    {"a Decimal with an exponent", DEC_T, "1e1", CT_FAULT_TYPE_MISMATCH, "f"},
    {"Text that is too long", TEXT_T, "'abcd'", CT_FAULT_TYPE_MISMATCH, "f"},
    {"an unknown Enum value", ENUM_T, "'c'", CT_FAULT_INVALID_ENUM, "f"},
    {"a day that does not exist", "{'base':'Date'}", "'2023-02-29'",
     CT_FAULT_INVALID_DATE, "f"},
    {"year zero", "{'base':'Date'}", "'0000-01-01'", CT_FAULT_INVALID_DATE, "f"},
    {"a DateTime without an offset", "{'base':'DateTime'}", "'2024-01-01T00:00:00'",
     CT_FAULT_INVALID_DATE, "f"},
    {"a leap second", "{'base':'DateTime'}", "'2024-01-01T00:00:60Z'",
     CT_FAULT_INVALID_DATE, "f"},
    {"an offset of a whole day", "{'base':'DateTime'}", "'2024-01-01T00:00:00+24:00'",
     CT_FAULT_INVALID_DATE, "f"},
    {"a DateTime whose UTC leaves year 9999", "{'base':'DateTime'}",
     "'9999-12-31T23:59:59-01:00'", CT_FAULT_INVALID_DATE, "f"},
    {"another currency", MONEY_T, "{'amount':'1','currency':'EUR'}", CT_FAULT_CURRENCY,
     "f.currency"},
    {"FE13_money without a currency", MONEY_T, "{'amount':'1'}", CT_FAULT_MISSING_FIELD,
     "f"},
    {"FE16_money of 29 digits", MONEY_T,
     "{'amount':'10000000000000000000000000000','currency':'USD'}",
     CT_FAULT_TYPE_MISMATCH, "f.amount"},
    {"FE16_money of 29 digits with a fraction", MONEY_T,
     "{'amount':'1000000000000000000000000000.5','currency':'USD'}",
     CT_FAULT_TYPE_MISMATCH, "f.amount"},
    {"money is not rounded", MONEY_T,
     "{'amount':'0.00000000000000000000000000001','currency':'USD'}",
     CT_FAULT_TYPE_MISMATCH, "f.amount"},
    {"FE16_a Decimal of 29 digits", "{'base':'Decimal','precision':38,'scale':0}",
     "'10000000000000000000000000000'", CT_FAULT_TYPE_MISMATCH, "f"},
    {"money without an amount", MONEY_T, "{'currency':'USD'}", CT_FAULT_MISSING_FIELD,
     "f"},
    {"a Duration in another unit", HOURS_T, "{'value':3,'unit':'days'}",
     CT_FAULT_INVALID_UNIT, "f"},
    {"a Duration out of range", HOURS_T, "{'value':10}", CT_FAULT_TYPE_MISMATCH, "f"},
    {"an unknown tag", UNION_T, "{'tag':'Coin','payload':1}", CT_FAULT_INVALID_TAG,
     "f"},
    {"a payload of another variant", UNION_T, "{'tag':'Cash','payload':'x'}",
     CT_FAULT_TYPE_MISMATCH, "f.payload"},
    {"a list longer than its max", ITEMS_T,
     "[" ITEM("1", "USD") "," ITEM("1", "USD") "," ITEM("1", "USD") "," ITEM("1",
                                                                             "USD") "]",
     CT_FAULT_LIST_OVERFLOW, "f"},
    {"the currency of the third element", ITEMS_T,
     "[" ITEM("1", "USD") "," ITEM("2", "USD") "," ITEM("3", "EUR") "]",
     CT_FAULT_CURRENCY, "f[2].amount.currency"},
    {"a field that is missing", ITEMS_T, "[{'n':1}]", CT_FAULT_MISSING_FIELD, "f[0]"},
    {"a fact given twice", BOOL_T, "true,'f':true", CT_FAULT_DUPLICATE, ""},
    {"a field given twice", ITEMS_T, "[{'n':1,'n':1,'amount':{'amount':'1'}}]",
     CT_FAULT_DUPLICATE, "f[0]"},
    {"an unknown field given twice", ITEMS_T,
     "[{'q':1,'q':1,'n':1,'amount':{'amount':'1'}}]", CT_FAULT_DUPLICATE, "f[0]"},
    {"text that is not JSON", ITEMS_T, "[{'n':}]", CT_FAULT_SYNTAX, "f[0].n"},
};

/* Where the fault is and what is said. */
static const struct told {
    const char *name, *type, *json, *path, *said;
} TOLD[] = {
    /* clang-format off */
    {"an Int below its range", INT_T, "-1", "f", "type mismatch for fact 'f': expected Int(0, 5), got -1"},
    {"an Int above its range", INT_T, "6", "f", "type mismatch for fact 'f': expected Int(0, 5), got 6"},
    {"a text for an Int", INT_T, "'1'", "f", "type mismatch for fact 'f': expected Int, got string"},
    {"an object for an Int", INT_T, "{}", "f", "type mismatch for fact 'f': expected Int, got object"},
    {"a number for a Text", TEXT_T, "7", "f", "type mismatch for fact 'f': expected Text, got number"},
    {"a Text that is too long", TEXT_T, "'abcd'", "f", "type mismatch for fact 'f': expected Text(max_length=3), got text of length 4"},
    {"a text for a Bool", BOOL_T, "'true'", "f", "type mismatch for fact 'f': expected Bool, got string"},
    {"null for a Bool", BOOL_T, "null", "f", "type mismatch for fact 'f': expected Bool, got null"},
    {"a list for a Bool", BOOL_T, "[true]", "f", "type mismatch for fact 'f': expected Bool, got array"},
    {"a value no Enum has", ENUM_T, "'c'", "f", "invalid enum value for fact 'f': 'c', valid: [\"a\", \"b\"]"},
    {"a number for an Enum", ENUM_T, "1", "f", "type mismatch for fact 'f': expected Enum, got number"},
    {"a number for a date", "{'base':'Date'}", "1", "f", "type mismatch for fact 'f': expected Date, got number"},
    {"a day that is none", "{'base':'Date'}", "'2023-02-30'", "f", "fact 'f': invalid Date format '2023-02-30', expected ISO 8601 (YYYY-MM-DD)"},
    {"a moment without its offset", "{'base':'DateTime'}", "'2024-01-01T00:00:00'", "f", "fact 'f': invalid DateTime format '2024-01-01T00:00:00', expected RFC 3339 with an offset (YYYY-MM-DDThh:mm:ssZ)"},
    {"a number for a moment", "{'base':'DateTime'}", "7", "f", "type mismatch for fact 'f': expected DateTime, got number"},
    {"an amount that is none", MONEY_T, "{'amount':'x','currency':'USD'}", "f.amount", "type mismatch for fact 'f.amount': expected Decimal, got x"},
    {"money that is a number", MONEY_T, "5", "f", "type mismatch for fact 'f': expected Money, got number"},
    {"an amount twice", MONEY_T, "{'amount':'1','amount':'1','currency':'USD'}", "f.amount", "fact 'f.amount': duplicate key 'amount'"},
    {"a currency twice", MONEY_T, "{'amount':'1','currency':'USD','currency':'USD'}", "f.currency", "fact 'f.currency': duplicate key 'currency'"},
    {"a currency that is a number", MONEY_T, "{'amount':'1','currency':7}", "f.currency", "type mismatch for fact 'f.currency': expected Text, got number"},
    {"another currency", MONEY_T, "{'amount':'1','currency':'EUR'}", "f.currency", "fact 'f.currency': expected currency USD, got EUR"},
    {"money without its currency", MONEY_T, "{'amount':'1'}", "f", "fact 'f': field 'currency' is missing"},
    {"money without its amount", MONEY_T, "{'currency':'USD'}", "f", "fact 'f': field 'amount' is missing"},
    {"a Decimal that is none", DEC_T, "'1.x'", "f", "type mismatch for fact 'f': expected Decimal(5, 2), got 1.x"},
    {"a Decimal of an object without its value", DEC_T, "{'scale':2}", "f", "type mismatch for fact 'f': expected Decimal, got object"},
    {"a Decimal whose value comes twice", DEC_T, "{'value':'1','value':'1'}", "f", "fact 'f': duplicate key 'value'"},
    {"a Decimal with a digit too many", DEC_T, "'1000.00'", "f", "type mismatch for fact 'f': expected Decimal(5, 2), got 1000.00"},
    {"a Decimal that is a Bool", DEC_T, "true", "f", "type mismatch for fact 'f': expected Decimal, got boolean"},
    {"a Duration without its value", HOURS_T, "{'unit':'hours'}", "f", "fact 'f': field 'value' is missing"},
    {"a Duration whose value comes twice", HOURS_T, "{'value':1,'value':1}", "f", "fact 'f': duplicate key 'value'"},
    {"a Duration whose unit comes twice", HOURS_T, "{'unit':'hours','value':1,'unit':'hours'}", "f", "fact 'f': duplicate key 'unit'"},
    {"a Duration in another unit", HOURS_T, "{'value':1,'unit':'days'}", "f", "fact 'f': Duration unit is 'days', the contract counts in hours"},
    {"a Duration that is too long", HOURS_T, "{'value':10}", "f", "type mismatch for fact 'f': expected Duration(hours, 0, 9), got 10"},
    {"a Duration that is a number", HOURS_T, "3", "f", "type mismatch for fact 'f': expected Duration, got number"},
    {"a union without its tag", UNION_T, "{'payload':true}", "f", "fact 'f': field 'tag' is missing"},
    {"a union without its payload", UNION_T, "{'tag':'Cash'}", "f", "fact 'f': field 'payload' is missing"},
    {"a union of nothing", UNION_T, "{}", "f", "fact 'f': field 'tag' is missing"},
    {"a union whose tag comes twice", UNION_T, "{'tag':'Cash','tag':'Cash','payload':true}", "f", "fact 'f': duplicate key 'tag'"},
    {"a union whose payload comes twice", UNION_T, "{'tag':'Cash','payload':true,'payload':true}", "f", "fact 'f': duplicate key 'payload'"},
    {"a union whose early payload comes twice", UNION_T, "{'payload':true,'payload':true,'tag':'Cash'}", "f", "fact 'f': duplicate key 'payload'"},
    {"a union whose early payload is of another variant", UNION_T, "{'payload':7,'tag':'Cash'}", "f.payload", "type mismatch for fact 'f.payload': expected Bool, got number"},
    {"a union with a tag it has not", UNION_T, "{'tag':'Coin','payload':1}", "f", "fact 'f': no variant 'Coin'"},
    {"a union that is a text", UNION_T, "'Cash'", "f", "type mismatch for fact 'f': expected TaggedUnion, got string"},
    {"a list that is an object", ITEMS_T, "{}", "f", "type mismatch for fact 'f': expected List, got object"},
    {"a record that is a list", ITEMS_T, "[[]]", "f[0]", "type mismatch for fact 'f[0]': expected Record, got array"},
    {"a record without one field", ITEMS_T, "[{'amount':{'amount':'1','currency':'USD'}}]", "f[0]", "fact 'f[0]': field 'n' is missing"},
    {"a record without any field", ITEMS_T, "[{}]", "f[0]", "fact 'f[0]': field 'amount' is missing"},
    {"a field twice", ITEMS_T, "[{'n':1,'n':1}]", "f[0]", "fact 'f[0]': duplicate key 'n'"},
    {"a field of the second element", ITEMS_T, "[" ITEM("1", "USD") "," ITEM("6", "USD") "]", "f[1].n", "type mismatch for fact 'f[1].n': expected Int(0, 5), got 6"},
    {"a list with one too many", ITEMS_T, "[" ITEM("1", "USD") "," ITEM("1", "USD") "," ITEM("1", "USD") ",1]", "f", "list fact 'f' has 4 elements, max is 3"},
    {"a fact twice", BOOL_T, "true,'f':true", "", "facts: duplicate key 'f'"},
    {"no fact", BOOL_T, "", "f", "missing required fact: f"},
    /* clang-format on */
};

typedef struct fixture {
    mt_arena a;
    const ct_model *m;
    ct_facts *f;
} fixture;

static fixture with_type(const char *type)
{
    fixture x = {0};
    mt_diags ds = {.arena = &x.a};
    mt_str fact =
        mt_strf(&x.a, "{'id':'f','kind':'Fact','source':'s','type':%s}", type);
    assert_int_equal(
        ct_load(&x.a, bundle_of(&x.a, fact.ptr), MT_STR("b"), NULL, &ds, &x.m), MT_OK);
    x.f = ct_facts_new(x.m);
    return x;
}

static void done(fixture *x)
{
    ct_facts_free(x->f);
    mt_arena_free(&x->a);
}

static mt_str facts_of(fixture *x, const char *json)
{
    mt_str value = quoted(&x->a, json);
    return value.len ? mt_strf(&x->a, "{\"f\": %.*s, \"other\": 1}", MT_ARG(value))
                     : MT_STR("{}");
}

static void is_accepted(void **state)
{
    const struct accepted *r = *state;
    fixture x = with_type(r->type);
    ct_fault fault;
    assert_int_equal(ct_facts_read(x.f, facts_of(&x, r->json), NULL, false, &fault),
                     MT_OK);
    mt_buf out = {0};
    ct_value_json(&out, x.m->facts[0].type, ct_facts_value(x.f, 0));
    mt_buf_addc(&out, '\0');
    assert_non_null(strstr(out.ptr, mt_str_dup(&x.a, quoted(&x.a, r->kept)).ptr));
    assert_true(ct_facts_external(x.f, 0));
    mt_buf_free(&out);
    done(&x);
}

static void is_refused(void **state)
{
    const struct refused *r = *state;
    fixture x = with_type(r->type);
    ct_fault fault;
    mt_err want = r->kind == CT_FAULT_SYNTAX  ? MT_E_SYNTAX
                  : r->kind == CT_FAULT_LIMIT ? MT_E_LIMIT
                                              : MT_E_TYPE;
    assert_int_equal(ct_facts_read(x.f, facts_of(&x, r->json), NULL, false, &fault),
                     want);
    assert_string_equal(ct_fault_name(fault.kind), ct_fault_name(r->kind));
    assert_string_equal(mt_str_dup(&x.a, fault.path).ptr, r->path);
    assert_true(fault.message.len > 0);
    done(&x);
}

static void is_said(void **state)
{
    const struct told *r = *state;
    fixture x = with_type(r->type);
    ct_fault fault;
    assert_int_equal(ct_facts_read(x.f, facts_of(&x, r->json), NULL, false, &fault),
                     MT_E_TYPE);
    assert_text(fault.path, mt_str_z(r->path));
    assert_text(fault.message, mt_str_z(r->said));
    done(&x);
}

/* A text that is too long or too deep is no syntax error, and the other way round. */
static void a_limit_is_told_apart_from_a_fault(void **state)
{
    (void)state;
    fixture x = with_type(BOOL_T);
    ct_fault fault;
    mt_limits limits = MT_LIMITS_DEFAULT;
    mt_str facts = MT_STR("{\"f\": true}");
    limits.json_bytes = facts.len;
    assert_int_equal(ct_facts_read(x.f, facts, &limits, false, &fault), MT_OK);
    limits.json_bytes = facts.len - 1;
    assert_int_equal(ct_facts_read(x.f, facts, &limits, false, &fault), MT_E_LIMIT);
    assert_int_equal(fault.kind, CT_FAULT_LIMIT);
    assert_int_equal(ct_facts_read(x.f, MT_STR("{\"f\": tru}"), NULL, false, &fault),
                     MT_E_SYNTAX);
    assert_int_equal(fault.kind, CT_FAULT_SYNTAX);
    done(&x);
}

static void surplus_facts_are_refused_only_when_asked(void **state)
{
    (void)state;
    fixture x = with_type(BOOL_T);
    ct_fault fault;
    mt_str facts = facts_of(&x, "true");
    assert_int_equal(ct_facts_read(x.f, facts, NULL, false, &fault), MT_OK);
    assert_int_equal(ct_facts_read(x.f, facts, NULL, true, &fault), MT_E_TYPE);
    assert_int_equal(fault.kind, CT_FAULT_SURPLUS_FACT);
    assert_string_equal(mt_str_dup(&x.a, fault.path).ptr, "other");
    done(&x);
}

/* What is passed over is told, and refused when asked: one row, both ways. `said` is
 * all that is told; empty: nothing is, and strictly it is accepted, too. */
static const struct unknown {
    const char *name, *type, *facts, *said, *path;
} UNKNOWN[] = {
    {"FU20_an_unknown_fact_is_named_with_the_nearest", BOOL_T, "{'f':true,'ff':1}",
     "the contract has no fact 'ff'; did you mean 'f'?", "ff"},
    {"FU20_an_unknown_fact_that_is_near_to_nothing", BOOL_T, "{'f':true,'weather':1}",
     "the contract has no fact 'weather'", "weather"},
    {"FU20_an_unknown_field_of_a_record", ITEMS_T,
     "{'f':[" ITEM("1", "USD") ",{'n':2,'amont':0,'amount':{'amount':'1',"
                               "'currency':'USD'}}]}",
     "fact 'f[1]' has no field 'amont'; did you mean 'amount'?", "f[1].amont"},
    {"FU20_an_unknown_key_of_money", MONEY_T,
     "{'f':{'amount':'1','currency':'USD','curency':'EUR'}}",
     "fact 'f' has no field 'curency'; did you mean 'currency'?", "f.curency"},
    {"FU20_an_unknown_key_of_an_amount", MONEY_T,
     "{'f':{'amount':{'value':'1','valeu':'2'},'currency':'USD'}}",
     "fact 'f.amount' has no field 'valeu'; did you mean 'value'?", "f.amount.valeu"},
    {"FU20_an_unknown_key_of_a_duration", HOURS_T, "{'f':{'value':1,'units':'days'}}",
     "fact 'f' has no field 'units'; did you mean 'unit'?", "f.units"},
    {"FU20_an_unknown_key_of_a_decimal", DEC_T, "{'f':{'value':'1','scael':2}}",
     "fact 'f' has no field 'scael'; did you mean 'scale'?", "f.scael"},
    {"FU20_an_unknown_key_of_a_union", UNION_T,
     "{'f':{'payloads':1,'tag':'Cash','payload':true}}",
     "fact 'f' has no field 'payloads'; did you mean 'payload'?", "f.payloads"},
    {"FU20_an_unknown_field_of_a_payload", PAID_T,
     "{'f':{'tag':'Paid','payload':{'n':1,'nn':2}}}",
     "fact 'f.payload' has no field 'nn'; did you mean 'n'?", "f.payload.nn"},
    {"FU20_an_unknown_field_of_a_payload_that_comes_first", PAID_T,
     "{'f':{'payload':{'n':1,'nn':2},'tag':'Paid'}}",
     "fact 'f.payload' has no field 'nn'; did you mean 'n'?", NULL},
    {"the interchange's own form is known", MONEY_T,
     "{'f':{'kind':'money_value','amount':{'kind':'decimal_value','precision':5,"
     "'scale':2,'value':'1.00'},'currency':'USD'}}",
     "", NULL},
    {"FU20_marks_that_turn_the_direction_are_escaped", BOOL_T,
     "{'f':true,'\xe2\x80\xae\\u001b[2Jx':1}",
     "the contract has no fact '\\u202e\\u001b[2Jx'", "\\u202e\\u001b[2Jx"},
    {"FU20_what_follows_a_zero_is_told", BOOL_T, "{'f':true,'fact\\u0000s':1}",
     "the contract has no fact 'fact\\u0000s'", "fact\\u0000s"},
};

static void is_told(void **state)
{
    const struct unknown *r = *state;
    fixture x = with_type(r->type);
    ct_fault fault;
    mt_str facts = quoted(&x.a, r->facts);
    ct_surplus s = {.arena = &x.a};
    assert_int_equal(ct_facts_read(x.f, facts, NULL, false, &fault), MT_OK);
    assert_int_equal(ct_facts_surplus(x.f), *r->said ? 1 : 0);
    ct_surplus_add(&s, x.f, facts, NULL, MT_STR(""));
    assert_int_equal(s.len, *r->said ? 1 : 0);
    assert_int_equal(s.count, s.len);
    assert_text(s.len ? s.told[0] : MT_STR(""), mt_str_z(r->said));
    assert_text(ct_surplus_more(&s), MT_STR(""));
    assert_int_equal(ct_facts_read(x.f, facts, NULL, true, &fault),
                     *r->said ? MT_E_TYPE : MT_OK);
    if (r->path) {
        const char *near = strstr(r->said, "; did you mean");
        assert_int_equal(fault.kind, CT_FAULT_SURPLUS_FACT);
        assert_text(fault.path, mt_str_z(r->path));
        assert_text(fault.message,
                    mt_strf(&x.a, "unknown fact: %s%s", r->path, near ? near : ""));
    }
    done(&x);
}

/* As many as are told, and one more; then so many that making a sentence of each, or
 * looking for a near name for each, would be seen. */
static void FU20_a_million_unknown_facts_are_counted(void **state)
{
    (void)state;
    static const size_t COUNTS[] = {CT_SURPLUS_TOLD, CT_SURPLUS_TOLD + 1, 1000000};
    for (size_t n = 0; n < 3; n++) {
        fixture x = with_type(BOOL_T);
        ct_fault fault;
        ct_surplus s = {.arena = &x.a};
        mt_buf b = {0};
        mt_buf_addz(&b, "{\"f\":true");
        for (size_t i = 0; i < COUNTS[n]; i++) {
            mt_buf_addf(&b, ",\"u%zu\":0", i);
        }
        mt_buf_addc(&b, '}');
        assert_int_equal(ct_facts_read(x.f, mt_buf_str(&b), NULL, false, &fault),
                         MT_OK);
        ct_surplus_add(&s, x.f, mt_buf_str(&b), NULL, MT_STR("line 1: "));
        assert_int_equal(s.len, CT_SURPLUS_TOLD);
        assert_int_equal(s.count, COUNTS[n]);
        assert_text(s.told[1], MT_STR("line 1: the contract has no fact 'u1'"));
        /* The next set is only counted. */
        ct_surplus_add(&s, x.f, mt_buf_str(&b), NULL, MT_STR(""));
        assert_int_equal(s.count, 2 * COUNTS[n]);
        assert_text(ct_surplus_more(&s),
                    mt_strf(&x.a, "and %zu more names that the contract does not have",
                            2 * COUNTS[n] - CT_SURPLUS_TOLD));
        mt_buf_free(&b);
        done(&x);
    }
}

/* The reader leaves a value at its first fault; what comes behind is told all the same.
 */
static void FU20_a_field_behind_a_fault_is_told(void **state)
{
    (void)state;
    fixture x = with_type(ITEMS_T);
    ct_fault fault;
    ct_surplus s = {.arena = &x.a};
    mt_str facts = quoted(&x.a, "{'f':[{'n':'x','amont':1}]}");
    assert_int_equal(ct_facts_read(x.f, facts, NULL, false, &fault), MT_E_TYPE);
    ct_surplus_add(&s, x.f, facts, NULL, MT_STR(""));
    assert_int_equal(s.len, 1);
    assert_text(s.told[0],
                MT_STR("fact 'f[0]' has no field 'amont'; did you mean 'amount'?"));
    facts = quoted(&x.a, "{'f':[]}");
    assert_int_equal(ct_facts_read(x.f, facts, NULL, false, &fault), MT_OK);
    assert_int_equal(ct_facts_surplus(x.f), 0);
    done(&x);
}

static void FU20_a_very_long_name_is_cut(void **state)
{
    (void)state;
    fixture x = with_type(BOOL_T);
    ct_fault fault;
    ct_surplus s = {.arena = &x.a};
    mt_buf b = {0};
    mt_buf_addz(&b, "{\"f\":true,\"");
    for (size_t i = 0; i < 1000000; i++) {
        mt_buf_addz(&b, "é");
    }
    mt_buf_addz(&b, "\":1}");
    assert_int_equal(ct_facts_read(x.f, mt_buf_str(&b), NULL, false, &fault), MT_OK);
    ct_surplus_add(&s, x.f, mt_buf_str(&b), NULL, MT_STR(""));
    assert_int_equal(s.len, 1);
    assert_true(mt_str_ends(s.told[0], MT_STR("é…'")));
    assert_true(s.told[0].len < 200);
    assert_int_equal(ct_facts_read(x.f, mt_buf_str(&b), NULL, true, &fault), MT_E_TYPE);
    assert_true(fault.message.len < 200);
    mt_buf_free(&b);
    done(&x);
}

static void a_megabyte_of_text_is_measured(void **state)
{
    (void)state;
    fixture x = with_type("{'base':'Text','max_length':1000000}");
    for (size_t len = 1000000; len <= 1000001; len++) {
        mt_buf b = {0};
        mt_buf_addz(&b, "{\"f\":\"");
        for (size_t i = 0; i < len; i++) {
            mt_buf_addc(&b, 'x');
        }
        mt_buf_addz(&b, "\"}");
        ct_fault fault;
        assert_int_equal(ct_facts_read(x.f, mt_buf_str(&b), NULL, false, &fault),
                         len == 1000000 ? MT_OK : MT_E_TYPE);
        mt_buf_free(&b);
    }
    done(&x);
}

static void a_typed_list_is_as_long_as_its_type_allows(void **state)
{
    (void)state;
    fixture x = with_type("{'base':'List','element_type':{'base':'Bool'},'max':2}");
    ct_fault fault = {0};
    ct_value items[3] = {{.boolean = true}, {.boolean = true}, {.boolean = true}};
    for (uint32_t count = 0; count <= 3; count++) {
        ct_value list = {.list = {items, count}};
        ct_facts_begin(x.f);
        assert_int_equal(ct_facts_set(x.f, 0, &list, &fault),
                         count <= 2 ? MT_OK : MT_E_TYPE);
    }
    assert_int_equal(fault.kind, CT_FAULT_LIST_OVERFLOW);
    done(&x);
}

static void typed_values_are_checked_like_json(void **state)
{
    (void)state;
    fixture x = with_type(ITEMS_T);
    ct_fault fault = {0};
    ct_value item[2] = {{.decimal = {.lo = 1}}, {.integer = 6}};
    ct_value list = {.list = {item, 1}};
    ct_facts_begin(x.f);
    assert_int_equal(ct_facts_set(x.f, 0, &list, &fault), MT_E_TYPE);
    assert_string_equal(mt_str_dup(&x.a, fault.path).ptr, "f[0].n");
    item[1].integer = 5;
    assert_int_equal(ct_facts_set(x.f, 0, &list, &fault), MT_OK);
    assert_int_equal(ct_facts_end(x.f, &fault), MT_OK);
    done(&x);
}

static ct_value card[1] = {{.text = MT_STR_INIT("abcd")}};

/* What the library or an adapter hands over. */
enum { FITS = -1 };
static const struct typed {
    const char *name, *type;
    ct_value value;
    int kind;
    const char *path, *message;
} TYPED[] = {
    {"typed: the first day", "{'base':'Date'}", {.integer = -719162}, FITS, "", ""},
    {"typed: the last day", "{'base':'Date'}", {.integer = 2932896}, FITS, "", ""},
    {"typed: the day before the first",
     "{'base':'Date'}",
     {.integer = -719163},
     CT_FAULT_INVALID_DATE,
     "f",
     "fact 'f': Date outside the years 0001 to 9999"},
    {"typed: the day after the last",
     "{'base':'Date'}",
     {.integer = 2932897},
     CT_FAULT_INVALID_DATE,
     "f",
     "fact 'f': Date outside the years 0001 to 9999"},
    {"typed: a day whose seconds would be no number",
     "{'base':'Date'}",
     {.integer = INT64_MAX / 1000},
     CT_FAULT_INVALID_DATE,
     "f",
     "fact 'f': Date outside the years 0001 to 9999"},
    {"typed: a day as long ago",
     "{'base':'Date'}",
     {.integer = INT64_MIN / 1000},
     CT_FAULT_INVALID_DATE,
     "f",
     "fact 'f': Date outside the years 0001 to 9999"},
    {"typed: the last nanosecond",
     "{'base':'DateTime'}",
     {.time = {0, 999999999}},
     FITS,
     "",
     ""},
    {"typed: a nanosecond too much",
     "{'base':'DateTime'}",
     {.time = {0, 1000000000}},
     CT_FAULT_INVALID_DATE,
     "f",
     "fact 'f': DateTime outside the years 0001 to 9999"},
    {"typed: the first second after the last year",
     "{'base':'DateTime'}",
     {.time = {253402300800, 0}},
     CT_FAULT_INVALID_DATE,
     "f",
     "fact 'f': DateTime outside the years 0001 to 9999"},
    {"typed: the smallest Int", INT_T, {.integer = 0}, FITS, "", ""},
    {"typed: an Int below its range",
     INT_T,
     {.integer = -1},
     CT_FAULT_TYPE_MISMATCH,
     "f",
     "type mismatch for fact 'f': expected Int(0, 5), got -1"},
    {"typed: a Decimal that fits",
     DEC_T,
     {.decimal = {.lo = 99999, .scale = 2}},
     FITS,
     "",
     ""},
    {"typed: a digit too many",
     DEC_T,
     {.decimal = {.lo = 100000, .scale = 2}},
     CT_FAULT_TYPE_MISMATCH,
     "f",
     "type mismatch for fact 'f': expected Decimal(5, 2), got 1000.00"},
    {"typed: a scale that no decimal has",
     DEC_T,
     {.decimal = {.lo = 1, .scale = 29}},
     CT_FAULT_TYPE_MISMATCH,
     "f",
     "type mismatch for fact 'f': expected Decimal(5, 2), got no decimal"},
    {"typed: a zero with a sign",
     DEC_T,
     {.decimal = {.negative = true}},
     CT_FAULT_TYPE_MISMATCH,
     "f",
     "type mismatch for fact 'f': expected Decimal(5, 2), got no decimal"},
    {"typed: more digits than a decimal has",
     MONEY_T,
     {.decimal = {.lo = UINT64_MAX, .hi = UINT32_MAX}},
     CT_FAULT_TYPE_MISMATCH,
     "f",
     "type mismatch for fact 'f': expected Money(USD), got no decimal"},
    {"typed: money of any size",
     MONEY_T,
     {.decimal = {.lo = UINT64_MAX, .scale = 4}},
     FITS,
     "",
     ""},
    {"typed: Text in characters",
     TEXT_T,
     {.text = MT_STR_INIT("\xc3\xa9\xc3\xa9\xc3\xa9")},
     FITS,
     "",
     ""},
    {"typed: Text that is too long",
     TEXT_T,
     {.text = MT_STR_INIT("abcd")},
     CT_FAULT_TYPE_MISMATCH,
     "f",
     "type mismatch for fact 'f': expected Text(max_length=3), got text of length 4"},
    {"typed: Text that is none",
     TEXT_T,
     {.text = MT_STR_INIT("\xff")},
     CT_FAULT_TYPE_MISMATCH,
     "f",
     "type mismatch for fact 'f': expected Text(max_length=3), got invalid UTF-8"},
    {"typed: the last choice", ENUM_T, {.choice = 1}, FITS, "", ""},
    {"typed: a choice there is not",
     ENUM_T,
     {.choice = 2},
     CT_FAULT_INVALID_ENUM,
     "f",
     "invalid enum value for fact 'f': number 2, valid: [\"a\", \"b\"]"},
    {"typed: a variant there is not",
     UNION_T,
     {.variant = {.tag = 2, .payload = card}},
     CT_FAULT_INVALID_TAG,
     "f",
     "fact 'f': no variant number 2"},
    {"typed: a payload that does not fit",
     UNION_T,
     {.variant = {.tag = 0, .payload = card}},
     CT_FAULT_TYPE_MISMATCH,
     "f.payload",
     "type mismatch for fact 'f.payload': expected Text(max_length=3), got text of "
     "length 4"},
};

static void a_typed_value_is_judged(void **state)
{
    const struct typed *r = *state;
    fixture x = with_type(r->type);
    ct_fault fault = {0};
    ct_facts_begin(x.f);
    assert_int_equal(ct_facts_set(x.f, 0, &r->value, &fault),
                     r->kind == FITS ? MT_OK : MT_E_TYPE);
    assert_int_equal(ct_facts_end(x.f, &fault), r->kind == FITS ? MT_OK : MT_E_TYPE);
    if (r->kind != FITS) {
        ct_facts_begin(x.f);
        ct_facts_set(x.f, 0, &r->value, &fault);
        assert_int_equal(fault.kind, r->kind);
        assert_text(fault.path, mt_str_z(r->path));
        assert_text(fault.message, mt_str_z(r->message));
    }
    done(&x);
}

int main(void)
{
    static rows_list l;
    rows_add(&l, TYPED, a_typed_value_is_judged);
    rows_add(&l, ACCEPTED, is_accepted);
    rows_add(&l, REFUSED, is_refused);
    rows_add(&l, TOLD, is_said);
    rows_test(&l, a_limit_is_told_apart_from_a_fault);
    rows_test(&l, surplus_facts_are_refused_only_when_asked);
    rows_add(&l, UNKNOWN, is_told);
    rows_test(&l, FU20_a_million_unknown_facts_are_counted);
    rows_test(&l, FU20_a_field_behind_a_fault_is_told);
    rows_test(&l, FU20_a_very_long_name_is_cut);
    rows_test(&l, a_megabyte_of_text_is_measured);
    rows_test(&l, a_typed_list_is_as_long_as_its_type_allows);
    rows_test(&l, typed_values_are_checked_like_json);
    return rows_run(&l, "contract/facts");
}
