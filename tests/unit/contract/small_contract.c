#include "small_contract.h"

typedef enum base {
    BOOL,
    INT,
    ENUM,
    HOURS,
    NUMBERS,
    RECORD,
    ROWS,
    UNION,
    MONEY,
    TEXT
} base;

typedef struct kind {
    base b;
    const char *type;
    const char *values[24];
    bool sampled;
} kind;

static const kind KINDS[] = {
    {BOOL, "Bool", {"false", "true"}, false},
    {INT, "Int(min: 0, max: 2)", {"0", "1", "2"}, false},
    {INT, "Int(min: -1, max: 1)", {"-1", "0", "1"}, false},
    {ENUM, "Enum([\"a\", \"b\", \"c\"])", {"\"a\"", "\"b\"", "\"c\""}, false},
    {HOURS,
     "Duration(unit: \"hours\", min: 0, max: 2)",
     {"{\"unit\":\"hours\",\"value\":0}", "{\"unit\":\"hours\",\"value\":1}",
      "{\"unit\":\"hours\",\"value\":2}"},
     false},
    {NUMBERS,
     "List(element_type: Int(min: 0, max: 1), max: 2)",
     {"[]", "[0]", "[1]", "[0,0]", "[0,1]", "[1,0]", "[1,1]"},
     false},
    {RECORD,
     "Record { a: Bool, n: Int(min: 0, max: 1) }",
     {"{\"a\":false,\"n\":0}", "{\"a\":false,\"n\":1}", "{\"a\":true,\"n\":0}",
      "{\"a\":true,\"n\":1}"},
     false},
    {ROWS,
     "List(element_type: Record { a: Bool, n: Int(min: 0, max: 1) }, max: 1)",
     {"[]", "[{\"a\":false,\"n\":0}]", "[{\"a\":false,\"n\":1}]",
      "[{\"a\":true,\"n\":0}]", "[{\"a\":true,\"n\":1}]"},
     false},
    {UNION,
     "TaggedUnion { num: Int(min: 0, max: 1), flag: Bool }",
     {"{\"payload\":0,\"tag\":\"num\"}", "{\"payload\":1,\"tag\":\"num\"}",
      "{\"payload\":false,\"tag\":\"flag\"}", "{\"payload\":true,\"tag\":\"flag\"}"},
     false},
    {ROWS,
     "List(element_type: Record { a: Bool, n: Int(min: 0, max: 1) }, max: 3)",
     {"[]", "[{\"a\":true,\"n\":0}]", "[{\"a\":false,\"n\":1},{\"a\":true,\"n\":0}]",
      "[{\"a\":true,\"n\":1},{\"a\":true,\"n\":0},{\"a\":false,\"n\":0}]"},
     true},
    {MONEY,
     "Money(currency: \"EUR\")",
     {"{\"amount\":\"-0.01\",\"currency\":\"EUR\"}",
      "{\"amount\":\"0\",\"currency\":\"EUR\"}",
      "{\"amount\":\"1.50\",\"currency\":\"EUR\"}",
      "{\"amount\":\"1.505\",\"currency\":\"EUR\"}"},
     true},
    {TEXT, "Text(max_length: 4)", {"\"\"", "\"x\"", "\"q\\\"z\""}, true},
};
enum { ALL_KINDS = sizeof KINDS / sizeof *KINDS, WHOLE_KINDS = 9 };

typedef struct maker {
    mt_arena *a;
    small_contract *c;
    const kind *facts[SMALL_FACTS];
    int stratum;
    int depth; /* variables: x0, x1 */
    base over[4];
    bool int_payload[SMALL_RULES], decimal_payload[SMALL_RULES];
    bool made_payload[SMALL_RULES]; /* MADE, below */
    bool facts_only;                /* terms read no verdict */
} maker;

uint64_t small_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t below(maker *m, uint32_t n)
{
    return (uint32_t)(small_random(&m->c->seed) % n);
}

static bool one_in(maker *m, uint32_t n)
{
    return below(m, n) == 0;
}

static mt_str condition(maker *m, int levels);

/* A fact of the base, or empty. */
static mt_str fact_of(maker *m, base b)
{
    uint32_t from = below(m, m->c->fact_count);
    for (uint32_t i = 0; i < m->c->fact_count; i++) {
        uint32_t at = (from + i) % m->c->fact_count;
        if (m->facts[at]->b == b) {
            return m->c->facts[at].name;
        }
    }
    return MT_STR("");
}

static mt_str variable_over(maker *m, base list)
{
    for (int i = m->depth; i-- > 0;) {
        if (m->over[i] == list) {
            return mt_strf(m->a, "x%d", i);
        }
    }
    return MT_STR("");
}

/* The verdict of a lower stratum; NULL name: none. */
static mt_str verdict_below(maker *m, bool with_int)
{
    for (uint32_t i = m->c->rule_count; i-- > 0;) {
        if (m->c->rules[i].stratum < m->stratum && (!with_int || m->int_payload[i]) &&
            !one_in(m, 4)) {
            return mt_strf(m->a, "v%u", i);
        }
    }
    return MT_STR("");
}

static mt_str decimal_below(maker *m)
{
    for (uint32_t i = 0; i < m->c->rule_count; i++) {
        if (m->c->rules[i].stratum < m->stratum && m->decimal_payload[i]) {
            return mt_strf(m->a, "v%u", i);
        }
    }
    return MT_STR("");
}

/* The payload type of rules that write a record out. */
#define MADE                                                                           \
    "Record { a: Bool, l: List(element_type: Int(min: -9, max: 9), max: 2), "          \
    "n: Int(min: -1000, max: 1000) }"

static mt_str made_below(maker *m)
{
    for (uint32_t i = 0; i < m->c->rule_count; i++) {
        if (m->c->rules[i].stratum < m->stratum && m->made_payload[i]) {
            return mt_strf(m->a, "v%u", i);
        }
    }
    return MT_STR("");
}

static const char *OPS[] = {"=", "!=", "<", "<=", ">", ">="};

static mt_str int_term(maker *m, int levels)
{
    mt_str t = {0}, u = {0};
    switch (below(m, 11)) {
    case 0:
    case 1:
    case 2: t = fact_of(m, INT); break;
    case 3:
        t = fact_of(m, RECORD);
        t = t.len ? mt_strf(m->a, "%.*s.n", MT_ARG(t)) : t;
        break;
    case 4:
        t = variable_over(m, NUMBERS);
        if (!t.len && (t = variable_over(m, ROWS)).len) {
            t = mt_strf(m->a, "%.*s.n", MT_ARG(t));
        }
        break;
    case 5:
        t = fact_of(m, UNION);
        t = t.len ? mt_strf(m->a, "%.*s.num", MT_ARG(t)) : t;
        break;
    case 6:
        t = fact_of(m, one_in(m, 2) ? NUMBERS : ROWS);
        t = t.len ? mt_strf(m->a, "len(%.*s)", MT_ARG(t)) : t;
        break;
    case 7:
        t = fact_of(m, NUMBERS);
        t = t.len ? mt_strf(m->a, "%.*s[%u]", MT_ARG(t), below(m, 3)) : t;
        break;
    case 8:
        t = m->facts_only ? t : verdict_below(m, true);
        if (!t.len && !m->facts_only && (t = made_below(m)).len) {
            t = mt_strf(m->a, "%.*s.%s", MT_ARG(t), one_in(m, 2) ? "n" : "l[0]");
        }
        break;
    case 9:
        if (levels) {
            t = int_term(m, levels - 1);
            u = int_term(m, levels - 1);
            t = t.len && u.len ? mt_strf(m->a, "(%.*s %s %.*s)", MT_ARG(t),
                                         one_in(m, 2) ? "+" : "-", MT_ARG(u))
                               : t;
        }
        break;
    default:
        t = levels ? int_term(m, levels - 1) : t;
        t = t.len ? mt_strf(m->a, "%.*s * %u", MT_ARG(t), below(m, 3)) : t;
        break;
    }
    return t;
}

static mt_str compare_ints(maker *m)
{
    mt_str x = one_in(m, 12) ? decimal_below(m) : int_term(m, 1);
    mt_str y = one_in(m, 3) ? int_term(m, 1) : (mt_str){0};
    const char *op = OPS[below(m, 6)];
    if (!x.len) {
        return x;
    }
    if (y.len) {
        return mt_strf(m->a, "%.*s %s %.*s", MT_ARG(x), op, MT_ARG(y));
    }
    int n = (int)below(m, 5) - 1;
    if (one_in(m, 12)) {
        return mt_strf(m->a, "%.*s %s %d.5", MT_ARG(x), op, n < 0 ? 0 : n);
    }
    return one_in(m, 5) ? mt_strf(m->a, "%d %s %.*s", n, op, MT_ARG(x))
                        : mt_strf(m->a, "%.*s %s %d", MT_ARG(x), op, n);
}

static mt_str compare_same(maker *m, base b, const char *const *literals,
                           uint32_t count, bool ordered)
{
    mt_str x = fact_of(m, b), y = one_in(m, 4) ? fact_of(m, b) : (mt_str){0};
    const char *op = OPS[below(m, ordered ? 6 : 2)];
    if (!x.len) {
        return x;
    }
    return y.len
               ? mt_strf(m->a, "%.*s %s %.*s", MT_ARG(x), op, MT_ARG(y))
               : mt_strf(m->a, "%.*s %s %s", MT_ARG(x), op, literals[below(m, count)]);
}

static mt_str quantified(maker *m, int levels)
{
    base over = one_in(m, 2) ? NUMBERS : ROWS;
    mt_str list = fact_of(m, over);
    if (!list.len || m->depth > 1) {
        return MT_STR("");
    }
    m->over[m->depth++] = over;
    mt_str body = condition(m, levels);
    m->depth--;
    return mt_strf(m->a, "(%s x%d in %.*s . %.*s)", one_in(m, 2) ? "forall" : "exists",
                   m->depth, MT_ARG(list), MT_ARG(body));
}

static mt_str bool_term(maker *m)
{
    mt_str t = {0};
    switch (below(m, 5)) {
    case 0:
        t = fact_of(m, RECORD);
        t = t.len ? mt_strf(m->a, "%.*s.a", MT_ARG(t)) : t;
        break;
    case 1:
        t = variable_over(m, ROWS);
        t = t.len ? mt_strf(m->a, "%.*s.a", MT_ARG(t)) : t;
        break;
    case 2:
        t = fact_of(m, UNION);
        t = t.len ? mt_strf(m->a, "%.*s.flag", MT_ARG(t)) : t;
        break;
    default: t = fact_of(m, BOOL); break;
    }
    if (!t.len || one_in(m, 2)) {
        return t;
    }
    return mt_strf(m->a, "%.*s %s %s", MT_ARG(t), OPS[below(m, 2)],
                   one_in(m, 2) ? "true" : "false");
}

/* ---- Structured values ---- */

/* A whole number that is 0 or 1, whatever the facts are; some of them may fail. */
static mt_str small_part(maker *m)
{
    mt_str t = {0};
    switch (below(m, 5)) {
    case 0:
        t = fact_of(m, RECORD);
        t = t.len ? mt_strf(m->a, "%.*s.n", MT_ARG(t)) : t;
        break;
    case 1:
        t = fact_of(m, NUMBERS);
        t = t.len ? mt_strf(m->a, "%.*s[%u]", MT_ARG(t), below(m, 2)) : t;
        break;
    case 2:
        t = fact_of(m, UNION);
        t = t.len ? mt_strf(m->a, "%.*s.num", MT_ARG(t)) : t;
        break;
    case 3: t = variable_over(m, NUMBERS); break;
    default: break;
    }
    return t.len ? t : one_in(m, 2) ? MT_STR("0") : MT_STR("1");
}

static mt_str bool_part(maker *m)
{
    mt_str t = one_in(m, 2) ? fact_of(m, BOOL) : (mt_str){0};
    return t.len ? t : one_in(m, 2) ? MT_STR("true") : MT_STR("false");
}

static mt_str made_record(maker *m)
{
    mt_str a = bool_part(m), n = small_part(m);
    return one_in(m, 2) ? mt_strf(m->a, "{ a: %.*s, n: %.*s }", MT_ARG(a), MT_ARG(n))
                        : mt_strf(m->a, "{ n: %.*s, a: %.*s }", MT_ARG(n), MT_ARG(a));
}

/* A value of the fact's type, written out. */
static mt_str made(maker *m, base b)
{
    mt_str x, y;
    switch (b) {
    case RECORD: return made_record(m);
    case NUMBERS:
        x = small_part(m);
        y = small_part(m);
        return one_in(m, 4)   ? MT_STR("[]")
               : one_in(m, 2) ? mt_strf(m->a, "[%.*s]", MT_ARG(x))
                              : mt_strf(m->a, "[%.*s, %.*s]", MT_ARG(x), MT_ARG(y));
    case ROWS:
        x = made_record(m);
        return one_in(m, 4) ? MT_STR("[]") : mt_strf(m->a, "[%.*s]", MT_ARG(x));
    case UNION:
        x = small_part(m);
        y = bool_part(m);
        return one_in(m, 2) ? mt_strf(m->a, "num(%.*s)", MT_ARG(x))
                            : mt_strf(m->a, "flag(%.*s)", MT_ARG(y));
    case BOOL:
    case INT:
    case ENUM:
    case HOURS:
    case MONEY:
    case TEXT: break;
    }
    return MT_STR("");
}

static mt_str whole_record(maker *m, mt_str n)
{
    mt_str a = bool_part(m), l = made(m, NUMBERS);
    return mt_strf(m->a, "{ a: %.*s, l: %.*s, n: %.*s }", MT_ARG(a), MT_ARG(l),
                   MT_ARG(n));
}

static mt_str compare_made(maker *m)
{
    static const base BASES[] = {RECORD, NUMBERS, ROWS, UNION};
    base b = BASES[below(m, 4)];
    mt_str x = fact_of(m, b), v = one_in(m, 3) ? made_below(m) : (mt_str){0};
    mt_str y = v.len ? whole_record(m, small_part(m)) : made(m, b);
    x = v.len ? v : x;
    const char *op = OPS[below(m, 2)];
    if (!x.len) {
        return x;
    }
    return one_in(m, 4) ? mt_strf(m->a, "%.*s %s %.*s", MT_ARG(y), op, MT_ARG(x))
                        : mt_strf(m->a, "%.*s %s %.*s", MT_ARG(x), op, MT_ARG(y));
}

static mt_str atom(maker *m)
{
    static const char *const ENUMS[] = {"\"a\"", "\"b\"", "\"c\""};
    static const char *const HOURS_TEXT[] = {
        "Duration { value: 1, unit: \"hours\" }",
        "Duration { value: 90, unit: \"minutes\" }",
        "Duration { value: 2, unit: \"hours\" }"};
    static const char *const AMOUNTS[] = {
        "Money { amount: \"0\", currency: \"EUR\" }",
        "Money { amount: \"1.50\", currency: \"EUR\" }"};
    static const char *const TEXTS[] = {"\"\"", "\"x\"", "\"q\\\"z\""};
    static const char *const TAGS[] = {"\"num\"", "\"flag\""};
    mt_str t = {0};
    switch (below(m, 15)) {
    case 0:
    case 1:
    case 2:
    case 3: t = compare_ints(m); break;
    case 4:
    case 5: t = bool_term(m); break;
    case 6: t = compare_same(m, ENUM, ENUMS, 3, false); break;
    case 7: t = compare_same(m, HOURS, HOURS_TEXT, 3, true); break;
    case 8: t = compare_same(m, MONEY, AMOUNTS, 2, true); break;
    case 9: t = compare_same(m, TEXT, TEXTS, 3, false); break;
    case 10:
        t = fact_of(m, UNION);
        t = t.len ? mt_strf(m->a, "%.*s.tag %s %s", MT_ARG(t), OPS[below(m, 2)],
                            TAGS[below(m, 2)])
                  : t;
        break;
    case 11:
        t = verdict_below(m, false);
        t = t.len ? mt_strf(m->a, "verdict_present(%.*s)", MT_ARG(t)) : t;
        break;
    case 12:
    case 13: t = compare_made(m); break;
    default: {
        base b = one_in(m, 2) ? RECORD : NUMBERS;
        mt_str x = fact_of(m, b), y = fact_of(m, b);
        t = x.len
                ? mt_strf(m->a, "%.*s %s %.*s", MT_ARG(x), OPS[below(m, 2)], MT_ARG(y))
                : x;
    }
    }
    return t;
}

static mt_str condition(maker *m, int levels)
{
    uint32_t pick = below(m, 10);
    if (levels && pick < 5) {
        mt_str x = condition(m, levels - 1), y = condition(m, levels - 1);
        return mt_strf(m->a, "(%.*s %s %.*s)", MT_ARG(x), pick < 3 ? "and" : "or",
                       MT_ARG(y));
    }
    if (levels && pick == 5) {
        mt_str x = condition(m, levels - 1);
        return mt_strf(m->a, "not (%.*s)", MT_ARG(x));
    }
    mt_str t = levels && pick == 6 ? quantified(m, levels - 1) : MT_STR("");
    for (int tries = 0; !t.len && tries < 8; tries++) {
        t = atom(m);
    }
    return t.len ? t : one_in(m, 2) ? MT_STR("true") : MT_STR("false");
}

static void add_fact(maker *m, const kind *k)
{
    uint32_t i = m->c->fact_count++;
    uint32_t n = 0;
    while (n < 24 && k->values[n]) {
        n++;
    }
    mt_str *values = mt_new_array(m->a, mt_str, n);
    for (uint32_t v = 0; v < n; v++) {
        values[v] = mt_str_z(k->values[v]);
    }
    m->facts[i] = k;
    m->c->facts[i] = (small_fact){.name = mt_strf(m->a, "f%u", i),
                                  .type = mt_str_z(k->type),
                                  .values = values,
                                  .count = n,
                                  .sampled = k->sampled};
}

static void add_rule(maker *m)
{
    uint32_t i = m->c->rule_count;
    m->stratum = (int)i;
    small_rule *r = &m->c->rules[i];
    r->name = mt_strf(m->a, "v%u", i);
    r->stratum = m->stratum;
    r->when = condition(m, 1 + (int)below(m, 3));
    m->facts_only = true;
    mt_str term = one_in(m, 2) ? int_term(m, 1) : (mt_str){0};
    m->facts_only = false;
    mt_str lower = one_in(m, 4) ? verdict_below(m, true) : (mt_str){0};
    term = lower.len ? lower : term;
    bool narrow = term.len && one_in(m, 4);
    m->made_payload[i] = !narrow && one_in(m, 3);
    m->int_payload[i] = term.len && !narrow && !m->made_payload[i];
    m->decimal_payload[i] = narrow;
    mt_str whole = whole_record(m, term.len ? term : MT_STR("1"));
    r->payload =
        m->made_payload[i] ? mt_strf(m->a, MADE " = %.*s", MT_ARG(whole))
        : narrow
            ? mt_strf(m->a, "Decimal(precision: 9, scale: 0) = %.*s * 4", MT_ARG(term))
        : term.len ? mt_strf(m->a, "Int(min: -1000, max: 1000) = %.*s", MT_ARG(term))
                   : MT_STR("Bool = true");
    m->c->rule_count++;
}

small_contract small_contract_new(mt_arena *a, uint64_t seed, bool whole)
{
    small_contract c = {.seed = seed};
    maker m = {.a = a, .c = &c};
    uint32_t facts = 2 + below(&m, SMALL_FACTS - 1), rules = 1 + below(&m, SMALL_RULES);
    for (uint32_t i = 0; i < facts; i++) {
        add_fact(&m, &KINDS[below(&m, whole ? WHOLE_KINDS : ALL_KINDS)]);
    }
    for (uint32_t i = 0; i < rules; i++) {
        add_rule(&m);
    }
    return c;
}

small_contract small_contract_of(mt_arena *a, const char *facts,
                                 const char *const *rules)
{
    static const char LETTERS[] = "bi_ehlrtu"; /* ORDER KINDS */
    small_contract c = {.seed = 1};
    maker m = {.a = a, .c = &c};
    for (; *facts; facts++) {
        add_fact(&m, &KINDS[strchr(LETTERS, *facts) - LETTERS]);
    }
    for (; *rules; rules++) {
        mt_str text = mt_str_z(*rules);
        size_t bar = mt_str_find(text, '|');
        uint32_t i = c.rule_count++;
        c.rules[i] = (small_rule){.name = mt_strf(a, "v%u", i),
                                  .stratum = (int)i,
                                  .when = mt_str_dup(a, mt_str_from(text.ptr, bar)),
                                  .payload = bar < text.len ? mt_str_skip(text, bar + 1)
                                                            : MT_STR("Bool = true")};
    }
    return c;
}

mt_str small_source(mt_arena *a, const small_contract *c, const mt_str *whens,
                    const mt_str *payloads)
{
    mt_buf b = {0};
    for (uint32_t i = 0; i < c->fact_count; i++) {
        mt_buf_addf(&b, "fact %.*s { type: %.*s source: \"s\" }\n",
                    MT_ARG(c->facts[i].name), MT_ARG(c->facts[i].type));
    }
    for (uint32_t i = 0; i < c->rule_count; i++) {
        const small_rule *r = &c->rules[i];
        mt_str when = whens && whens[i].len ? whens[i] : r->when;
        mt_str payload = payloads && payloads[i].len ? payloads[i] : r->payload;
        mt_buf_addf(&b,
                    "rule %.*s { stratum: %d when: %.*s produce: verdict %.*s { "
                    "payload: %.*s } }\n",
                    MT_ARG(r->name), r->stratum, MT_ARG(when), MT_ARG(r->name),
                    MT_ARG(payload));
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

mt_str small_facts(mt_arena *a, const small_contract *c, const uint32_t *chosen)
{
    mt_buf b = {0};
    for (uint32_t i = 0; i < c->fact_count; i++) {
        mt_buf_addf(&b, "%s\"%.*s\":%.*s", i ? "," : "{", MT_ARG(c->facts[i].name),
                    MT_ARG(c->facts[i].values[chosen[i]]));
    }
    mt_buf_addc(&b, '}');
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

bool small_next(const small_contract *c, const bool *moves, uint32_t *chosen)
{
    for (uint32_t i = 0; i < c->fact_count; i++) {
        if (!moves[i]) {
            continue;
        }
        if (++chosen[i] < c->facts[i].count) {
            return true;
        }
        chosen[i] = 0;
    }
    return false;
}
