/* agent/node, agent/program: acceptance (profile, section 4), naive and compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "agent/program.h"
#include "base/vec.h"

/* ---- the oracle: forms as sets over a finite alphabet, written from the text ---- */

/* Names a to e and one nobody mentions; a form is the set of names it accepts. */
enum { NAMES = 6 };

static unsigned denotes(const ag_node *n)
{
    unsigned all = (1u << NAMES) - 1, set = 0;
    if (n->kind == AG_ALL) {
        return all;
    }
    if (n->kind == AG_PLAIN) {
        return 1u << (n->text.ptr[0] - 'a');
    }
    for (uint32_t i = 0; i < n->count; i++) {
        set |= denotes(&n->items[i]);
    }
    return n->kind == AG_NOT ? all & ~set : set;
}

static bool profile_oracle(const ag_node *gate, const ag_node *state)
{
    if (gate->kind == AG_ALL) {
        return true;
    }
    if (state->kind == AG_PLAIN) {
        return denotes(gate) & denotes(state);
    }
    return mt_str_eq(gate->text, state->text);
}

/* The table of the existing SDK: rows gate, columns state. */
static bool compat_oracle(const ag_node *gate, const ag_node *state)
{
    unsigned g = 0, s = 0;
    for (uint32_t i = 0; i < gate->count; i++) {
        g |= 1u << (gate->items[i].text.ptr[0] - 'a');
    }
    for (uint32_t i = 0; i < state->count; i++) {
        s |= 1u << (state->items[i].text.ptr[0] - 'a');
    }
    unsigned plain_g = gate->kind == AG_PLAIN ? denotes(gate) : 0;
    unsigned plain_s = state->kind == AG_PLAIN ? denotes(state) : 0;
    static const int ROW[] = {
        [AG_PLAIN] = 0, [AG_ALL] = 1, [AG_NOT] = 2, [AG_ONEOF] = 3};
    const bool table[4][4] = {
        {plain_g == plain_s, true, !(plain_g & s), (plain_g & s) != 0},
        {true, true, true, true},
        {!(plain_s & g), true, true, true},
        {(plain_s & g) != 0, true, (g & ~s) != 0, (g & s) != 0},
    };
    return table[ROW[gate->kind]][ROW[state->kind]];
}

/* ---- the universe ---- */

typedef struct universe {
    mt_arena a;
    MT_VEC(ag_node) nodes;
} universe;

static void add(universe *u, ag_mode mode, const char *text)
{
    ag_node n;
    mt_str kept = mt_str_dup(&u->a, mt_str_z(text));
    assert_int_equal(ag_node_parse(&u->a, mode, kept, &n, NULL), MT_OK);
    mt_vec_push(&u->a, &u->nodes, n);
}

static void add_lists(universe *u, ag_mode mode)
{
    static const char *const FORMS[] = {"/oneof", "/not"};
    for (int f = 0; f < 2; f++) {
        for (int i = 0; i < 5; i++) {
            char text[64];
            snprintf(text, sizeof text, "%s(%c)", FORMS[f], 'a' + i);
            add(u, mode, text);
            for (int k = 0; k < 5; k++) {
                snprintf(text, sizeof text, "%s(%c,%c)", FORMS[f], 'a' + i, 'a' + k);
                add(u, mode, text);
            }
        }
    }
}

static universe make_universe(ag_mode mode)
{
    universe u = {0};
    for (char c = 'a'; c < 'a' + NAMES; c++) {
        add(&u, mode, (char[]){c, 0});
    }
    add(&u, mode, "/all");
    add_lists(&u, mode);
    if (mode == AG_PROFILE) {
        static const char *const NESTED[] = {
            "/oneof(/not(a),a)",     "/oneof(/not(a,b),c)",
            "/not(/not(a))",         "/not(/oneof(a,b),c)",
            "/oneof(/all)",          "/not(/all)",
            "/not(/not(/not(a,b)))", "/oneof(a,/oneof(b,/not(c)))"};
        for (size_t i = 0; i < 8; i++) {
            add(&u, mode, NESTED[i]);
        }
    } else {
        add(&u, mode, "/oneof()");
        add(&u, mode, "/not()");
    }
    return u;
}

static void equals_the_oracle(ag_mode mode,
                              bool (*oracle)(const ag_node *, const ag_node *))
{
    universe u = make_universe(mode);
    for (size_t g = 0; g < u.nodes.len; g++) {
        for (size_t s = 0; s < u.nodes.len; s++) {
            const ag_node *gate = &u.nodes.items[g], *state = &u.nodes.items[s];
            if (ag_accepts(mode, gate, state) != oracle(gate, state)) {
                print_error("%.*s accepts %.*s\n", MT_ARG(gate->text),
                            MT_ARG(state->text));
                fail();
            }
        }
    }
    mt_arena_free(&u.a);
}

static void profile_equals_the_oracle_on_all_pairs(void **state)
{
    (void)state;
    equals_the_oracle(AG_PROFILE, profile_oracle);
}

static void compat_equals_the_oracle_on_all_pairs(void **state)
{
    (void)state;
    equals_the_oracle(AG_COMPAT, compat_oracle);
}

/* Compiled gates give the same answers, for states the program knows and others. */
static void compiled_equals_naive(ag_mode mode)
{
    universe u = make_universe(mode);
    ag_receiver *receivers = mt_new_array(&u.a, ag_receiver, u.nodes.len);
    for (size_t i = 0; i < u.nodes.len; i++) {
        receivers[i].parsed = true;
        assert_int_equal(ag_route_parse(&u.a, mode, NULL, u.nodes.items[i].text,
                                        &receivers[i].route, NULL),
                         MT_OK);
    }
    ag_agent agent = {
        .mode = mode, .receivers = receivers, .receiver_count = (uint32_t)u.nodes.len};
    ag_program *p = ag_program_new(&agent, NULL);
    ag_node stranger;
    assert_int_equal(ag_node_parse(&u.a, mode, MT_STR("zz"), &stranger, NULL), MT_OK);
    for (size_t g = 0; g < u.nodes.len; g++) {
        const ag_gate *gate =
            ag_program_gate(p, ag_program_symbol(p, u.nodes.items[g].text));
        for (size_t s = 0; s < u.nodes.len; s++) {
            assert_int_equal(
                ag_gate_accepts(gate, ag_program_symbol(p, u.nodes.items[s].text)),
                ag_accepts(mode, &u.nodes.items[g], &u.nodes.items[s]));
        }
        assert_int_equal(ag_gate_accepts(gate, ag_program_symbol(p, MT_STR("zz"))),
                         ag_accepts(mode, &u.nodes.items[g], &stranger));
    }
    ag_program_free(p);
    mt_arena_free(&u.a);
}

static void compiled_gates_equal_naive_ones(void **state)
{
    (void)state;
    compiled_equals_naive(AG_PROFILE);
    compiled_equals_naive(AG_COMPAT);
}

/* ---- the MUSTs of section 4, one by one ---- */

typedef struct pair {
    const char *name, *gate, *state;
    bool want;
} pair;

/* clang-format off */
static const pair PAIRS[] = {
    {"MUST 4: a plain gate matches the same identifier", "A", "A", true},
    {"MUST 4: a plain gate matches no other identifier", "A", "B", false},
    {"MUST 4: /all matches a plain node", "/all", "A", true},
    {"MUST 4: /all matches any node", "/all", "/not(A)", true},
    {"MUST 4: /oneof matches what it lists", "/oneof(A,B)", "B", true},
    {"MUST 4: /oneof matches nothing else", "/oneof(A,B)", "C", false},
    {"MUST 4: /not matches what it does not list", "/not(A,B)", "C", true},
    {"MUST 4: /not does not match what it lists", "/not(A,B)", "A", false},
    {"a plain gate matches no form", "A", "/all", false},
    {"/oneof accepts the state written like it", "/oneof(A,B)", "/oneof(A,B)", true},
    {"/oneof accepts no other form", "/oneof(A,B)", "/oneof(B,A)", false},
    {"/not accepts no other form", "/not(A)", "/oneof(B)", false},
    {"identifiers are case sensitive", "A", "a", false},
};
/* clang-format on */

static void accepts_as_written(void **state)
{
    const pair *p = *state;
    mt_arena a = {0};
    ag_node g, s;
    assert_int_equal(ag_node_parse(&a, AG_PROFILE, mt_str_z(p->gate), &g, NULL), MT_OK);
    assert_int_equal(ag_node_parse(&a, AG_PROFILE, mt_str_z(p->state), &s, NULL),
                     MT_OK);
    assert_int_equal(ag_accepts(AG_PROFILE, &g, &s), p->want);
    mt_arena_free(&a);
}

typedef struct outcome {
    const char *name, *route;
    ag_action action;
    const char *want;
} outcome;

/* clang-format off */
static const outcome OUTCOMES[] = {
    {"MUST 6.3: TEST on an object activates nothing", "A,B", AG_TEST, ""},
    {"MUST 6.3: STAY on an object activates its sources", "A,B", AG_STAY, "A,B"},
    {"MUST 6.3: MOVE on an object activates its sources", "A,B", AG_MOVE, "A,B"},
    {"MUST 6.3: TEST on an arrow activates its labels", "A--[f,g]-->B", AG_TEST, "f,g"},
    {"MUST 6.3: STAY on an arrow activates its sources", "A,C--[f]-->B", AG_STAY, "A,C"},
    {"MUST 6.3: MOVE on an arrow activates labels and targets", "A--[f]-->B,C", AG_MOVE, "f,B,C"},
    {"STAY on an initial arrow activates nothing", "--[f]-->B", AG_STAY, ""},
    {"an arrow without label and target is an object", "A-->", AG_MOVE, "A"},
    {"no answer activates nothing", "A--[f]-->B", AG_NONE, ""},
};
/* clang-format on */

static void activates(void **state)
{
    const outcome *o = *state;
    mt_arena a = {0};
    mt_buf got = {0};
    ag_route r;
    uint32_t count;
    assert_int_equal(ag_route_parse(&a, AG_PROFILE, NULL, mt_str_z(o->route), &r, NULL),
                     MT_OK);
    const ag_node *nodes = ag_route_activates(&r, o->action, &count);
    for (uint32_t i = 0; i < count; i++) {
        mt_buf_addz(&got, i ? "," : "");
        mt_buf_adds(&got, nodes[i].text);
    }
    mt_buf_addc(&got, 0);
    assert_string_equal(got.ptr, o->want);
    mt_buf_free(&got);
    mt_arena_free(&a);
}

static void *unconst(const void *p)
{
    union {
        const void *in;
        void *out;
    } u = {p};
    return u.out;
}

int main(void)
{
    struct CMUnitTest tests[64];
    size_t count = 0;
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        tests[count++] = (struct CMUnitTest){PAIRS[i].name, accepts_as_written, NULL,
                                             NULL, unconst(&PAIRS[i])};
    }
    for (size_t i = 0; i < sizeof OUTCOMES / sizeof *OUTCOMES; i++) {
        tests[count++] = (struct CMUnitTest){OUTCOMES[i].name, activates, NULL, NULL,
                                             unconst(&OUTCOMES[i])};
    }
    const struct CMUnitTest rest[] = {
        cmocka_unit_test(profile_equals_the_oracle_on_all_pairs),
        cmocka_unit_test(compat_equals_the_oracle_on_all_pairs),
        cmocka_unit_test(compiled_gates_equal_naive_ones),
    };
    for (size_t i = 0; i < 3; i++) {
        tests[count++] = rest[i];
    }
    return _cmocka_run_group_tests("accepts", tests, count, NULL, NULL);
}
