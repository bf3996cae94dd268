/* Reasons and changes against brute force: every fact set of small domains is tried, by
 * the naive evaluator, which shares no code with the engine. A reason is enough: the
 * condition comes to the same wherever its parts are as they are. It is minimal:
 * without any part it is not enough. All minimal ones are there. A change of facts
 * makes the condition hold, and no change of fewer facts does. */
#include "../many.h"
#include "prove_fixture.h"

#include "../contract/naive.h"
#include "../contract/small_contract.h"
#include "analyze/prove/reasons.h"
#include "contract/reduce/source.h"

enum { MOST_SETS = 260, MOST_ATOMS = 24 };

static struct {
    uint64_t contracts, reasons, parts, changes, never, skipped, unknown;
} seen;

typedef struct table {
    uint64_t seed;
    mt_arena a;
    small_contract c;
    mt_str condition;
    side s;
    mt_str facts[MOST_SETS];
    uint32_t chosen[MOST_SETS][SMALL_FACTS];
    size_t sets;
    char value[MOST_SETS]; /* of the condition: T, F, E; X: a rule fails */
    mt_str texts[MOST_ATOMS];
    char values[MOST_ATOMS][MOST_SETS];
    size_t atoms;
} table;

static mt_json read_json(mt_arena *a, mt_str text)
{
    mt_json_limits limits = {0, 2000};
    mt_json json;
    assert_int_equal(mt_json_read(a, text, &limits, &json, NULL), MT_OK);
    return json;
}

/* The contract without operations and with one more rule: what its condition comes to.
 */
static void values_of(table *t, mt_str condition, char *out)
{
    mt_str source = small_source(&t->a, &t->c, NULL, NULL);
    source = mt_strf(&t->a,
                     "%.*srule zz { stratum: 15 when: %.*s produce: verdict zz { "
                     "payload: Bool = true } }\n",
                     MT_ARG(source), MT_ARG(condition));
    mt_json bundle = read_json(&t->a, bundle_of_source(&t->a, source));
    for (size_t i = 0; i < t->sets; i++) {
        mt_mark mark = mt_arena_mark(&t->a);
        mt_json facts = read_json(&t->a, t->facts[i]);
        naive_result r = naive_evaluate(&t->a, &bundle, &facts);
        bool holds = !r.fault && memmem(r.json.ptr, r.json.len, "\"zz\"", 4) != NULL;
        out[i] = r.fault ? (mt_str_is(r.where, "zz") ? 'E' : 'X') : holds ? 'T' : 'F';
        mt_arena_rewind(&t->a, mark);
    }
}

/* The number of the atom's row. */
static size_t row_of(table *t, const ct_expr *e)
{
    mt_buf b = {0};
    ct_expr_source(&b, t->s.model, e);
    mt_str text = mt_str_dup(&t->a, mt_buf_str(&b));
    mt_buf_free(&b);
    for (size_t i = 0; i < t->atoms; i++) {
        if (mt_str_eq(t->texts[i], text)) {
            return i;
        }
    }
    assert_true(t->atoms < MOST_ATOMS);
    t->texts[t->atoms] = text;
    values_of(t, text, t->values[t->atoms]);
    return t->atoms++;
}

typedef struct part {
    size_t row;
    char value;
} part;

/* Does the condition come to the same wherever the parts of the mask do? */
static bool enough(const table *t, const part *parts, size_t count, uint32_t mask,
                   char value)
{
    for (size_t i = 0; i < t->sets; i++) {
        bool agrees = t->value[i] != 'X';
        for (size_t k = 0; k < count && agrees; k++) {
            agrees = !(mask >> k & 1) || t->values[parts[k].row][i] == parts[k].value;
        }
        if (agrees && t->value[i] != value) {
            return false;
        }
    }
    return true;
}

static void wrong(const table *t, mt_str facts, const char *what)
{
    fprintf(stderr, "seed %llu: %s\ncondition %.*s\nfacts %.*s\n%.*s\n",
            (unsigned long long)t->seed, what, MT_ARG(t->condition), MT_ARG(facts),
            MT_ARG(small_source(&(mt_arena){0}, &t->c, NULL, NULL)));
    for (size_t i = 0; i < t->atoms; i++) {
        fprintf(stderr, "  %.*s\n", MT_ARG(t->texts[i]));
    }
    fail();
}

static size_t parts_of(table *t, const ct_reason *r, size_t count, part *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = (part){row_of(t, r[i].atom), r[i].value ? 'T' : 'F'};
    }
    return count;
}

/* ---- The reason that reading the condition gives ---- */

static void check_why(table *t, size_t set, const ct_snapshot *s)
{
    ct_reasons reasons;
    ct_fault fault;
    bool value;
    part parts[MOST_ATOMS];
    assert_int_equal(ct_why(&t->a, s, precondition(&t->s), &value, &reasons, &fault),
                     MT_OK);
    assert_int_equal(value ? 'T' : 'F', t->value[set]);
    size_t n = parts_of(t, reasons.items, reasons.len, parts);
    if (!enough(t, parts, n, UINT32_MAX, t->value[set])) {
        wrong(t, t->facts[set], "FE12: the reason is not enough");
    }
    seen.parts += n;
}

/* ---- All minimal reasons ---- */

static uint32_t mask_of(const part *all, size_t count, const part *some, size_t n)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < count; k++) {
            if (all[k].row == some[i].row && all[k].value == some[i].value) {
                mask |= 1u << k;
            }
        }
    }
    return mask;
}

static void check_minimal(table *t, size_t set, const an_reasons *r)
{
    part all[MOST_ATOMS], parts[MOST_ATOMS];
    uint32_t masks[64];
    size_t count = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        size_t n = parts_of(t, r->items[i].parts, r->items[i].count, parts);
        for (size_t k = 0; k < n; k++) {
            if (!mask_of(all, count, &parts[k], 1)) {
                all[count++] = parts[k];
            }
        }
    }
    for (uint32_t i = 0; i < r->count; i++) {
        size_t n = parts_of(t, r->items[i].parts, r->items[i].count, parts);
        masks[i] = mask_of(all, count, parts, n);
        if (!enough(t, all, count, masks[i], t->value[set])) {
            wrong(t, t->facts[set], "a reason is not enough");
        }
        for (size_t k = 0; k < count; k++) {
            if ((masks[i] >> k & 1) &&
                enough(t, all, count, masks[i] & ~(1u << k), t->value[set])) {
                wrong(t, t->facts[set], "a reason is not minimal");
            }
        }
    }
    /* Every set of these parts that is enough holds one that is listed. */
    for (uint32_t mask = 0; r->all && count < 9 && mask < 1u << count; mask++) {
        bool listed = false;
        for (uint32_t i = 0; i < r->count; i++) {
            listed |= (masks[i] & mask) == masks[i];
        }
        if (!listed && enough(t, all, count, mask, t->value[set])) {
            wrong(t, t->facts[set], "a reason is missing");
        }
    }
    seen.reasons += r->count;
}

static void check_reasons(table *t, size_t set, an_prover *p, const ct_snapshot *s)
{
    an_reasons r;
    ct_fault fault;
    assert_int_equal(an_reasons_of(p, &t->a, s, precondition(&t->s), &r, &fault),
                     MT_OK);
    assert_int_equal(r.value ? 'T' : 'F', t->value[set]);
    seen.unknown += !r.all;
    assert_true(r.count > 0 || !r.all);
    check_minimal(t, set, &r);
}

/* ---- Changes ---- */

static uint32_t differing(const table *t, size_t x, size_t y)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < t->c.fact_count; i++) {
        mask |= (uint32_t)(t->chosen[x][i] != t->chosen[y][i]) << i;
    }
    return mask;
}

/* The number of the fact set that this JSON is. */
static size_t set_of(table *t, mt_str facts)
{
    mt_json given = read_json(&t->a, facts);
    for (size_t i = 0; i < t->sets; i++) {
        mt_json one = read_json(&t->a, t->facts[i]);
        if (mt_json_equal(&given, &one)) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void check_change(table *t, size_t set, const an_changes *c)
{
    uint32_t fewest = UINT32_MAX;
    for (size_t i = 0; i < t->sets; i++) {
        uint32_t n = (uint32_t)__builtin_popcount(differing(t, set, i));
        fewest = t->value[i] == 'T' && n < fewest ? n : fewest;
    }
    if ((fewest == UINT32_MAX) != (c->possible == AN_NEVER)) {
        wrong(t, t->facts[set], "whether a change helps");
    }
    seen.never += fewest == UINT32_MAX;
    uint32_t masks[64];
    for (uint32_t i = 0; i < c->count; i++) {
        size_t to = set_of(t, c->items[i].facts);
        if (to == SIZE_MAX || t->value[to] != 'T') {
            wrong(t, c->items[i].facts, "a change does not make it hold");
        }
        masks[i] = differing(t, set, to);
        if ((uint32_t)__builtin_popcount(masks[i]) != fewest ||
            c->items[i].count != fewest || !c->smallest) {
            wrong(t, c->items[i].facts, "a change is not the smallest");
        }
        seen.changes++;
    }
    /* All sets of facts of that size. */
    for (size_t i = 0; i < t->sets; i++) {
        uint32_t mask = differing(t, set, i);
        bool listed = false;
        for (uint32_t k = 0; k < c->count; k++) {
            listed |= masks[k] == mask;
        }
        if (t->value[i] == 'T' && (uint32_t)__builtin_popcount(mask) == fewest &&
            !listed) {
            wrong(t, t->facts[i], "a change is missing");
        }
    }
}

/* ---- Contracts ---- */

/* All fact sets; false: too many, or the last rule's condition is none to ask about. */
static bool fill(table *t)
{
    uint32_t chosen[SMALL_FACTS] = {0};
    bool all[SMALL_FACTS] = {true, true, true, true, true};
    do {
        if (t->sets == MOST_SETS) {
            return false;
        }
        memcpy(t->chosen[t->sets], chosen, sizeof chosen);
        t->facts[t->sets++] = small_facts(&t->a, &t->c, chosen);
    } while (small_next(&t->c, all, chosen));
    t->condition = t->c.rules[t->c.rule_count - 1].when;
    t->c.rule_count--;
    values_of(t, t->condition, t->value);
    return true;
}

static void ask(table *t, size_t set, an_prover *p)
{
    ct_snapshot s = {t->s.program, t->s.facts, t->s.verdicts};
    int runs_so = runs(&t->s, &t->a, t->facts[set]);
    if (t->value[set] == 'X' || t->value[set] == 'E') {
        assert_int_equal(runs_so, -1);
        return;
    }
    if (runs_so != (t->value[set] == 'T')) {
        wrong(t, t->facts[set], "the engine says otherwise");
    }
    t->atoms = 0;
    check_why(t, set, &s);
    check_reasons(t, set, p, &s);
    if (t->value[set] == 'F') {
        an_changes c = an_changes_for(p, &t->a, &s, precondition(&t->s));
        if (c.possible == AN_UNKNOWN || c.reason.len) {
            seen.unknown++;
        } else {
            check_change(t, set, &c);
        }
    }
}

/* Asks about so many fact sets of the table, all of them or some by chance. */
static void ask_table(table *t, size_t most)
{
    if (!fill(t)) {
        seen.skipped++;
        return;
    }
    mt_str rules = small_source(&t->a, &t->c, NULL, NULL);
    t->s = side_of(&t->a, rules.ptr, t->condition.ptr);
    an_prover *p = an_prover_new(t->s.program, NULL, NULL);
    for (size_t i = 0; i < most && i < t->sets; i++) {
        bool each = most >= t->sets;
        ask(t, each ? i : (size_t)(small_random(&t->c.seed) % t->sets), p);
    }
    assert_int_equal(an_prover_disagreements(p), 0);
    an_prover_free(p);
    side_free(&t->s);
    seen.contracts++;
}

static void try_contract(uint64_t seed)
{
    table *t = calloc(1, sizeof *t);
    t->seed = seed;
    t->c = small_contract_new(&t->a, seed, true);
    ask_table(t, 2);
    mt_arena_free(&t->a);
    free(t);
}

/* ---- Conditions that are written ---- */

typedef struct written {
    const char *name, *facts;
    const char *rules[SMALL_RULES + 1]; /* the last is the condition */
} written;

static const written WRITTEN[] = {
    {"FE12: the list whose element decides", "lb", {"forall x0 in f0 . f1"}},
    {"FE12: an absent verdict decides before the element is read",
     "lb",
     {"f1|Int(min: 0, max: 9) = 1", "forall x0 in f0 . v0 = x0"}},
    {"one element of several", "lb", {"exists x0 in f0 . x0 = 1 and f1"}},
    {"a part that may fail comes first", "lb", {"f0[0] = 1 and f1"}},
    {"either would do, but the first may fail", "lb", {"f0[0] = 1 or f1"}},
    {"either would do, but the longer one may fail",
     "lbb",
     {"(f0[0] = 1 or f1) and f2"}},
    {"a rule that may fail stands in the way",
     "bub",
     {"f0 and f1.num > 0", "f0 or f2"}},
    {"through verdicts",
     "ibb",
     {"f0 > 0", "verdict_present(v0) and f1", "verdict_present(v1) or f2"}},
    {"parts that imply each other", "ib", {"f0 > 0 and f0 > 1 and f1"}},
    {"parts that exclude each other", "e", {"f0 = \"a\" or f0 = \"b\""}},
    {"no change helps", "ib", {"f0 > 1 and f0 < 1 and f1"}},
};

static void a_written_one(void **state)
{
    const written *w = *state;
    table *t = calloc(1, sizeof *t);
    t->c = small_contract_of(&t->a, w->facts, w->rules);
    ask_table(t, MOST_SETS);
    mt_arena_free(&t->a);
    free(t);
}

static void reasons_and_changes_are_exact(void **state)
{
    (void)state;
    uint64_t seed = many_from(20260501), count = many_of(20000);
    uint64_t last =
        seen.contracts + count; /* those too large to try out do not count */
    for (uint64_t i = 0; seen.contracts < last && i < count * 4; i++) {
        try_contract(seed + i);
    }
    assert_int_equal(seen.contracts, last);
    print_message("seed %llu: %llu contracts (%llu too large), %llu reasons, %llu "
                  "changes, %llu times none, %llu unknown\n",
                  (unsigned long long)seed, (unsigned long long)seen.contracts,
                  (unsigned long long)seen.skipped, (unsigned long long)seen.reasons,
                  (unsigned long long)seen.changes, (unsigned long long)seen.never,
                  (unsigned long long)seen.unknown);
    assert_true(seen.reasons > seen.contracts && seen.changes > 10);
    assert_true(seen.unknown * 50 < seen.contracts);
}

int main(void)
{
    enum { COUNT = sizeof WRITTEN / sizeof *WRITTEN };
    struct CMUnitTest tests[COUNT + 1];
    for (size_t i = 0; i < COUNT; i++) {
        tests[i] = (struct CMUnitTest){.name = WRITTEN[i].name,
                                       .test_func = a_written_one,
                                       .initial_state = (void *)(uintptr_t)&WRITTEN[i]};
    }
    tests[COUNT] = (struct CMUnitTest){.name = "reasons_and_changes_are_exact",
                                       .test_func = reasons_and_changes_are_exact};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
