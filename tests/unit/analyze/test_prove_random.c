/* test_prove_random.c - random pairs of predicates: the proof against brute force.
 * Every pair is over a few small facts; all their fact sets are evaluated, so the
 * relation is known. MOTET_SOAK=1: 10,000 pairs; MOTET_SEED: another start. */
#include "../contract/random_contract.h"
#include "../many.h"
#include "prove_fixture.h"

typedef struct rng {
    uint64_t state;
} rng;

static uint32_t below(rng *r, uint32_t n)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) % n);
}

/* ---- Facts and all their values ---- */

enum { N, M, B, C, ITEMS, D, T, U, CASH, LIMIT, FLAGS, KINDS };

/* clang-format off */
static const char *const DECLARED[KINDS] = {
    [N] = "fact n { type: Int(0, 3) source: \"s\" }\n",
    [M] = "fact m { type: Int(-1, 1) source: \"s\" }\n",
    [B] = "fact b { type: Bool source: \"s\" }\n",
    [C] = "fact c { type: Enum([\"red\", \"blue\"]) source: \"s\" }\n",
    [ITEMS] = "type Item { v: Int(0, 1) ok: Bool } fact items { type: List(element_type: Item, max: 2) source: \"s\" }\n",
    [D] = "fact d { type: Decimal(1, 1) source: \"s\" }\n",
    [T] = "fact t { type: Text(max_length: 2) source: \"s\" }\n",
    [U] = "fact u { type: Text(max_length: 2) source: \"s\" }\n",
    [CASH] = "fact cash { type: Money(\"USD\") source: \"s\" }\n",
    [LIMIT] = "fact limit { type: Money(\"USD\") source: \"s\" }\n",
    /* Longer than lists that are written out: elements stand for others. */
    [FLAGS] = "type Flag { on: Bool } fact flags { type: List(element_type: Flag, max: 7) source: \"s\" }\n",
};
/* Every value; of Text and Money, which have too many, two between any two that the
 * predicates name: as many as there are facts of the type. */
#define CASHES "0.00", "0.50", "1.00", "1.003", "1.006", "1.01", "1.30", "1.60", "2.00", "3.00", "4.00"
static const char *const NAMES[KINDS] = {"n", "m", "b", "c", "items", "d", "t", "u", "cash", "limit", "flags"};
static const char *const VALUES[KINDS][24] = {
    [N] = {"0", "1", "2", "3"},
    [M] = {"-1", "0", "1"},
    [B] = {"false", "true"},
    [C] = {"\"red\"", "\"blue\""},
    [D] = {"\"-0.9\"", "\"-0.8\"", "\"-0.7\"", "\"-0.6\"", "\"-0.5\"", "\"-0.4\"", "\"-0.3\"", "\"-0.2\"", "\"-0.1\"", "\"0\"",
           "\"0.1\"", "\"0.2\"", "\"0.3\"", "\"0.4\"", "\"0.5\"", "\"0.6\"", "\"0.7\"", "\"0.8\"", "\"0.9\""},
    [T] = {"\"\"", "\"a\"", "\"ab\"", "\"q\"", "\"r\""},
    [U] = {"\"\"", "\"a\"", "\"ab\"", "\"q\"", "\"r\""},
};
static const char *const MONEY[] = {CASHES};
/* clang-format on */
enum { MONEY_COUNT = sizeof MONEY / sizeof *MONEY, ITEM_LISTS = 21, FLAG_LISTS = 255 };

static uint32_t value_count(int kind)
{
    uint32_t n = 0;
    if (kind == ITEMS) {
        return ITEM_LISTS;
    }
    if (kind == CASH || kind == LIMIT) {
        return MONEY_COUNT;
    }
    if (kind == FLAGS) {
        return FLAG_LISTS;
    }
    while (VALUES[kind][n]) {
        n++;
    }
    return n;
}

static void item_text(mt_buf *b, uint32_t n)
{
    mt_buf_addf(b, "{\"ok\":%s,\"v\":%u}", n & 1 ? "true" : "false", n >> 1);
}

/* 0: empty, 1-4: one element, 5-20: two. */
static void list_text(mt_buf *b, uint32_t n)
{
    mt_buf_addc(b, '[');
    if (n) {
        item_text(b, (n - 1) & 3);
    }
    if (n >= 5) {
        mt_buf_addc(b, ',');
        item_text(b, (n - 5) >> 2);
    }
    mt_buf_addc(b, ']');
}

/* n + 1 in binary behind its leading one: every list of at most seven. */
static void flags_text(mt_buf *b, uint32_t n)
{
    int bits = 31 - __builtin_clz(n + 1);
    mt_buf_addc(b, '[');
    for (int i = bits - 1; i >= 0; i--) {
        mt_buf_addf(b, "{\"on\":%s}%s", (n + 1) >> i & 1 ? "true" : "false",
                    i ? "," : "");
    }
    mt_buf_addc(b, ']');
}

static void value_text(mt_buf *b, int kind, uint32_t n)
{
    if (kind == FLAGS) {
        flags_text(b, n);
    } else if (kind == ITEMS) {
        list_text(b, n);
    } else if (kind == CASH || kind == LIMIT) {
        mt_buf_addf(b, "{\"amount\":\"%s\",\"currency\":\"USD\"}", MONEY[n]);
    } else {
        mt_buf_addz(b, VALUES[kind][n]);
    }
}

/* ---- Random contracts ---- */

typedef struct maker {
    rng r;
    bool has[KINDS];
    bool in_item;      /* `i` is bound */
    bool in_flag;      /* `j` is bound */
    bool summed;       /* money was added: its candidates are not all there are */
    uint32_t verdicts; /* that may be read: v0, v1; payload p0 goes with v0 */
    mt_buf b;
} maker;

static const char *const OPS[] = {"=", "!=", "<", "<=", ">", ">="};

static const char *op(maker *k)
{
    return OPS[below(&k->r, 6)];
}

static void predicate(maker *k, uint32_t depth);

static void whole(maker *k)
{
    const char *const SUMS[] = {"n + m", "n - m", "n * 2", "m * 3", "n + n"};
    if (k->in_item && below(&k->r, 3) == 0) {
        mt_buf_addz(&k->b, "i.v");
    } else if (k->has[N] && k->has[M] && below(&k->r, 2)) {
        mt_buf_addz(&k->b, SUMS[below(&k->r, 5)]);
    } else if (k->has[ITEMS] && below(&k->r, 3) == 0) {
        mt_buf_addz(&k->b, below(&k->r, 2) ? "len(items)" : "items[1].v");
    } else if (k->has[N]) {
        mt_buf_addz(&k->b, "n");
    } else if (k->has[M]) {
        mt_buf_addz(&k->b, "m");
    } else {
        mt_buf_addz(&k->b, "1");
    }
}

static void flag_atom(maker *k)
{
    static const char *const ATOMS[] = {"flags[0].on", "flags[2].on", "flags[n].on"};
    uint32_t which = below(&k->r, k->has[N] ? 4 : 3);
    if (k->in_flag && below(&k->r, 2)) {
        mt_buf_addz(&k->b, "j.on");
    } else if (which) {
        mt_buf_addz(&k->b, ATOMS[which - 1]);
    } else {
        const char *compare = op(k);
        mt_buf_addf(&k->b, "len(flags) %s %u", compare, below(&k->r, 9));
    }
}

/* An item that is written out; v is 0 or 1, whatever the facts are. */
static void item(maker *k)
{
    mt_buf_addf(&k->b, "{ ok: %s, v: %s }",
                k->has[B] && below(&k->r, 2) ? "b"
                : below(&k->r, 2)            ? "true"
                                             : "false",
                k->in_item && below(&k->r, 2) ? "i.v"
                : below(&k->r, 3) == 0        ? "items[0].v"
                : below(&k->r, 2)             ? "1"
                                              : "0");
}

static void item_atom(maker *k)
{
    uint32_t count = below(&k->r, 3);
    if (k->in_item && below(&k->r, 2)) {
        mt_buf_addf(&k->b, "i %s ", OPS[below(&k->r, 2)]);
        item(k);
        return;
    }
    mt_buf_addf(&k->b, "items %s [", OPS[below(&k->r, 2)]);
    for (uint32_t i = 0; i < count; i++) {
        mt_buf_addz(&k->b, i ? ", " : "");
        item(k);
    }
    mt_buf_addc(&k->b, ']');
}

/* Verdict v1 is a record, see rule(). */
static void record_atom(maker *k)
{
    if (below(&k->r, 2)) {
        mt_buf_addf(&k->b, "v1.n %s %u", op(k), below(&k->r, 5));
    } else {
        mt_buf_addf(&k->b, "v1 %s { l: [%s], n: %u }", OPS[below(&k->r, 2)],
                    below(&k->r, 3) == 0           ? ""
                    : k->has[N] && below(&k->r, 2) ? "n"
                                                   : "1",
                    below(&k->r, 4));
    }
}

static void atom(maker *k)
{
    int kind = (int)below(&k->r, KINDS + 1);
    if (kind == ITEMS && k->has[ITEMS] && below(&k->r, 2)) {
        item_atom(k);
        return;
    }
    if (kind == KINDS && k->verdicts == 2 && below(&k->r, 2)) {
        record_atom(k);
        return;
    }
    if (k->has[FLAGS] && (kind == FLAGS || k->in_flag)) {
        flag_atom(k);
        return;
    }
    if (kind == KINDS && k->verdicts) {
        uint32_t v = below(&k->r, k->verdicts + 1);
        if (v == k->verdicts) {
            mt_buf_addf(&k->b, "v0 %s %u", op(k), below(&k->r, 4));
        } else {
            mt_buf_addf(&k->b, "verdict_present(v%u)", v);
        }
    } else if (kind == B && k->has[B]) {
        mt_buf_addz(&k->b, "b");
    } else if (kind == C && k->has[C]) {
        mt_buf_addf(&k->b, "c %s \"%s\"", OPS[below(&k->r, 2)],
                    below(&k->r, 2) ? "red" : "blue");
    } else if (kind == D && k->has[D]) {
        mt_buf_addf(&k->b, "d %s %s", below(&k->r, 2) ? "* 3" : "+ 0.5", op(k));
        mt_buf_addf(&k->b, " %u.%u", below(&k->r, 2), below(&k->r, 100));
    } else if (kind == T && k->has[T]) {
        mt_buf_addf(&k->b, "t %s %s", OPS[below(&k->r, 2)],
                    k->has[U] && below(&k->r, 2) ? "u" : "\"ab\"");
    } else if (kind == U && k->has[U]) {
        mt_buf_addf(&k->b, "u %s \"%s\"", OPS[below(&k->r, 2)],
                    below(&k->r, 2) ? "a" : "abc");
    } else if (kind == CASH && k->has[CASH]) {
        static const char *const LITERALS[] = {"1.00", "1.01", "2.00"};
        if (k->has[LIMIT] && below(&k->r, 4) == 0) {
            k->summed = true;
            mt_buf_addf(&k->b,
                        "cash + limit %s Money { amount: Decimal(2.00), currency: "
                        "\"USD\" }",
                        op(k));
        } else if (k->has[LIMIT] && below(&k->r, 2)) {
            mt_buf_addf(&k->b, "cash %s limit", op(k));
        } else {
            mt_buf_addf(&k->b, "%s %s Money { amount: Decimal(%s), currency: \"USD\" }",
                        k->has[LIMIT] && below(&k->r, 2) ? "limit" : "cash", op(k),
                        LITERALS[below(&k->r, 3)]);
        }
    } else if (k->in_item && below(&k->r, 2)) {
        mt_buf_addz(&k->b, "i.ok");
    } else {
        whole(k);
        mt_buf_addf(&k->b, " %s ", op(k));
        if (below(&k->r, 3)) {
            mt_buf_addf(&k->b, "%u", below(&k->r, 4));
        } else {
            whole(k);
        }
    }
}

static void quantifier(maker *k, uint32_t depth)
{
    mt_buf_addf(&k->b, "(%s i in items . ", below(&k->r, 2) ? "forall" : "exists");
    k->in_item = true;
    predicate(k, depth);
    k->in_item = false;
    mt_buf_addc(&k->b, ')');
}

static void flag_quantifier(maker *k, uint32_t depth)
{
    mt_buf_addf(&k->b, "(%s j in flags . ", below(&k->r, 2) ? "forall" : "exists");
    k->in_flag = true;
    predicate(k, depth);
    k->in_flag = false;
    mt_buf_addc(&k->b, ')');
}

static void predicate(maker *k, uint32_t depth)
{
    uint32_t what = depth ? below(&k->r, 6) : 5;
    if (what == 4 && k->has[FLAGS] && !k->in_flag) {
        flag_quantifier(k, depth - 1);
        return;
    }
    if (what == 0) {
        mt_buf_addz(&k->b, "(not ");
        predicate(k, depth - 1);
        mt_buf_addc(&k->b, ')');
    } else if (what <= 2) {
        mt_buf_addc(&k->b, '(');
        predicate(k, depth - 1);
        mt_buf_addz(&k->b, what == 1 ? " and " : " or ");
        predicate(k, depth - 1);
        mt_buf_addc(&k->b, ')');
    } else if (what == 3 && k->has[ITEMS] && !k->in_item) {
        quantifier(k, depth - 1);
    } else {
        atom(k);
    }
}

#define RECORD "Record { l: List(element_type: Int(0, 3), max: 1), n: Int(0, 6) }"

static void rule(maker *k, uint32_t n)
{
    const char *payload = n == 0 && k->has[N]   ? "Int(0, 6) = n * 2"
                          : n == 0 && k->has[D] ? "Decimal(1, 0) = d"
                          : n == 0              ? "Int(0, 9) = 1"
                          : k->has[N]           ? RECORD " = { n: n * 2, l: [n] }"
                                                : RECORD " = { l: [], n: 1 }";
    mt_buf_addf(&k->b, "rule r%u { stratum: %u when: ", n, n);
    predicate(k, 2);
    mt_buf_addf(&k->b, " produce: verdict v%u { payload: %s } }\n", n, payload);
    k->verdicts = n + 1;
}

/* A precondition that is related to the one before, or any. */
static mt_str contract(maker *k, mt_arena *a, mt_str before, mt_str *condition)
{
    k->b.len = 0;
    k->verdicts = 0;
    for (int i = 0; i < KINDS; i++) {
        mt_buf_addz(&k->b, k->has[i] ? DECLARED[i] : "");
    }
    for (uint32_t i = 0; i < 2; i++) {
        rule(k, i);
    }
    mt_str declared = mt_str_dup(a, mt_buf_str(&k->b));
    k->b.len = 0;
    uint32_t how = before.len ? below(&k->r, 4) : 3;
    if (how == 0) {
        mt_buf_adds(&k->b, before);
    } else if (how < 3) {
        mt_buf_addf(&k->b, "(%.*s) %s ", MT_ARG(before), how == 1 ? "and" : "or");
    }
    if (how) {
        predicate(k, 3);
    }
    *condition = mt_str_dup(a, mt_buf_str(&k->b));
    return declared;
}

/* ---- Brute force ---- */

static an_relation by_force(maker *k, mt_arena *a, side *x, side *y)
{
    int kinds[KINDS], count = 0;
    uint32_t at[KINDS] = {0};
    bool more = false, less = false;
    for (int i = 0; i < KINDS; i++) {
        if (k->has[i]) {
            kinds[count++] = i;
        }
    }
    for (bool again = true; again;) {
        mt_mark mark = mt_arena_mark(a);
        k->b.len = 0;
        for (int i = 0; i < count; i++) {
            mt_buf_addf(&k->b, "%s\"%s\":", i ? "," : "{", NAMES[kinds[i]]);
            value_text(&k->b, kinds[i], at[i]);
        }
        mt_buf_addc(&k->b, '}');
        bool was = runs(x, a, mt_buf_str(&k->b)) == 1;
        bool is = runs(y, a, mt_buf_str(&k->b)) == 1;
        more |= is && !was;
        less |= was && !is;
        again = false;
        for (int i = 0; i < count && !again; i++) {
            again = ++at[i] < value_count(kinds[i]);
            at[i] = again ? at[i] : 0;
        }
        mt_arena_rewind(a, mark);
    }
    return more && less ? AN_REL_NEITHER
           : more       ? AN_REL_WEAKER
           : less       ? AN_REL_STRONGER
                        : AN_REL_EQUAL;
}

/* Two to four facts whose fact sets can be counted. */
static void choose_facts(maker *k)
{
    uint32_t sets = 1;
    memset(k->has, 0, sizeof k->has);
    for (uint32_t tries = 2 + below(&k->r, 3); tries; tries--) {
        int kind = (int)below(&k->r, KINDS);
        if (!k->has[kind] && sets * value_count(kind) <= 1500) {
            k->has[kind] = true;
            sets *= value_count(kind);
        }
    }
    k->has[CASH] |= k->has[LIMIT];
    k->summed = false;
}

static void check_pair(maker *k, uint32_t seen[5])
{
    mt_arena a = {0};
    mt_str old, now;
    choose_facts(k);
    mt_str before = contract(k, &a, MT_STR(""), &old);
    mt_str after = contract(k, &a, old, &now);
    side x = side_of(&a, before.ptr, old.ptr), y = side_of(&a, after.ptr, now.ptr);
    an_prover *p = an_prover_new(x.program, y.program, NULL);
    an_prover_plain(p, below(&k->r, 4) == 0);
    an_comparison c = an_prove_compare(p, &a, precondition(&x), precondition(&y));
    an_relation want = by_force(k, &a, &x, &y);
    bool gained =
        c.gained.possible != AN_POSSIBLE ||
        (runs(&y, &a, c.gained.facts) == 1 && runs(&x, &a, c.gained.facts) != 1);
    bool lost = c.lost.possible != AN_POSSIBLE ||
                (runs(&x, &a, c.lost.facts) == 1 && runs(&y, &a, c.lost.facts) != 1);
    bool gains = want == AN_REL_WEAKER || want == AN_REL_NEITHER;
    bool loses = want == AN_REL_STRONGER || want == AN_REL_NEITHER;
    bool wrong = k->summed ? (gains && c.gained.possible == AN_NEVER) ||
                                 (loses && c.lost.possible == AN_NEVER)
                           : c.relation != want;
    if (wrong || !gained || !lost || an_prover_disagreements(p)) {
        print_error("%s by proof, %s by force\n%s%s\n%s%s\n%.*s %.*s / %.*s %.*s\n",
                    AN_RELATION_NAMES[c.relation], AN_RELATION_NAMES[want], before.ptr,
                    old.ptr, after.ptr, now.ptr, MT_ARG(c.gained.facts),
                    MT_ARG(c.gained.reason), MT_ARG(c.lost.facts),
                    MT_ARG(c.lost.reason));
        fail();
    }
    seen[c.relation]++;
    an_prover_free(p);
    side_free(&x);
    side_free(&y);
    mt_arena_free(&a);
}

static void random_pairs_agree_with_brute_force(void **state)
{
    (void)state;
    uint64_t first = many_from(1);
    unsigned pairs = (unsigned)many_or(10000, 300);
    uint32_t seen[5] = {0};
    print_message("seed %llu, %u pairs\n", (unsigned long long)first, pairs);
    for (unsigned i = 0; i < pairs; i++) {
        maker k = {.r = {first * 1000003 + i}};
        check_pair(&k, seen);
        mt_buf_free(&k.b);
    }
    print_message("equal %u, weaker %u, stronger %u, neither %u\n", seen[0], seen[1],
                  seen[2], seen[3]);
    for (int i = 0; i < 4; i++) {
        assert_true(seen[i] > 0);
    }
}

/* ---- Contracts of every type ---- */

enum { MOST_RULES = 6, FACT_SETS = 60 };

typedef struct tally {
    unsigned never, possible, unknown;
} tally;

/* Present, absent and present without the next: each a claim about rule i. */
static const an_claim *claim_about(mt_arena *a, uint32_t rules, uint32_t rule,
                                   uint32_t kind)
{
    const an_claim *present = an_claim_verdict(a, AN_FIRST, rule);
    const an_claim *next = an_claim_verdict(a, AN_FIRST, (rule + 1) % rules);
    if (kind == 0) {
        return present;
    }
    return kind == 1 ? an_claim_and(a, an_claim_holds(a, AN_FIRST, NULL),
                                    an_claim_not(a, present))
                     : an_claim_and(a, present, an_claim_not(a, next));
}

static bool claim_is_true(const ct_verdicts *v, uint32_t rules, uint32_t rule,
                          uint32_t kind)
{
    bool present = ct_verdict_present(v, rule);
    bool next = ct_verdict_present(v, (rule + 1) % rules);
    return kind == 0 ? present : kind == 1 ? !present : present && !next;
}

static void check_contract(uint64_t seed, tally *t)
{
    mt_arena a = {0};
    random_contract *c = random_contract_new(&a, seed);
    mt_str bundle = random_bundle(c);
    side s = side_of_bundle(&a, bundle);
    uint32_t rules =
        s.model->rule_count < MOST_RULES ? s.model->rule_count : MOST_RULES;
    mt_limits limits = MT_LIMITS_DEFAULT;
    limits.prove_ms = 1000; /* of a contract that is hard */
    an_prover *p = an_prover_new(s.program, NULL, &limits);
    an_prover_plain(p, seed % 3 == 0);
    an_possible said[MOST_RULES][3];
    for (uint32_t i = 0; i < rules; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            an_answer found = an_prove_possible(p, &a, claim_about(&a, rules, i, k));
            said[i][k] = found.possible;
            t->never += found.possible == AN_NEVER;
            t->possible += found.possible == AN_POSSIBLE;
            t->unknown += found.possible == AN_UNKNOWN;
        }
    }
    for (int n = 0; n < FACT_SETS; n++) {
        ct_fault fault;
        mt_str facts = random_facts(c);
        if (ct_facts_read(s.facts, facts, NULL, false, &fault) != MT_OK ||
            ct_evaluate(s.program, s.facts, s.verdicts, &a, &fault) != MT_OK) {
            continue;
        }
        for (uint32_t i = 0; i < rules * 3; i++) {
            if (said[i / 3][i % 3] == AN_NEVER &&
                claim_is_true(s.verdicts, rules, i / 3, i % 3)) {
                print_error("seed %llu: rule %u, claim %u was proven to be never true\n"
                            "%.*s\n%.*s\n",
                            (unsigned long long)seed, i / 3, i % 3, MT_ARG(bundle),
                            MT_ARG(facts));
                fail();
            }
        }
    }
    if (an_prover_disagreements(p)) {
        print_error("seed %llu: %u fact sets refused by the evaluator\n%.*s\n",
                    (unsigned long long)seed, an_prover_disagreements(p),
                    MT_ARG(bundle));
        fail();
    }
    an_prover_free(p);
    side_free(&s);
    mt_arena_free(&a);
}

static void no_fact_set_contradicts_a_proof(void **state)
{
    (void)state;
    uint64_t first = many_from(1);
    unsigned contracts = (unsigned)many_or(1000, 60);
    tally t = {0};
    for (unsigned i = 0; i < contracts; i++) {
        check_contract(first * 7919 + i, &t);
    }
    print_message("never %u, possible %u, unknown %u\n", t.never, t.possible,
                  t.unknown);
    assert_true(t.never > 0 && t.possible > t.unknown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs_agree_with_brute_force),
        cmocka_unit_test(no_fact_set_contradicts_a_proof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
