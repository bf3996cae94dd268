/* Groups that lock nothing first (exec/commit/guess.c): one journey to a shared store,
 * and whatever others did meanwhile counts all the same. On every store; a store of
 * one's own never guesses, and answers alike. */
#include "exec/executor_internal.h"

#include "exec_fixture.h"

static const char WHEEL[] =
    "persona driver\n"
    "source desk { protocol: manual }\n"
    "fact go { type: Bool source: desk { path: \"go\" } }\n"
    "entity Wheel { states: [n, e] initial: n transitions: [(n, e), (e, n)] }\n"
    "entity Brake { states: [off, on] initial: off transitions: [(off, on)] }\n"
    "operation turn { allowed_personas: [driver] precondition: go = true\n"
    "  effects: [(Wheel, n, e), (Wheel, e, n)] }\n"
    "operation north { allowed_personas: [driver] precondition: go = true\n"
    "  effects: [(Wheel, e, n)] }\n";

#define DRIVE "{\"persona\":\"driver\",\"bindings\":{\"Wheel\":\"w\"}}"
#define OTHER "{\"persona\":\"driver\",\"bindings\":{\"Wheel\":\"v\"}}"
#define BOTH  "{\"persona\":\"driver\",\"bindings\":{\"Wheel\":\"w\",\"Brake\":\"b\"}}"

typedef struct pair {
    desk one, two;
} pair;

static void assert_go(desk *d, const char *value)
{
    char body[64];
    snprintf(body, sizeof body, "{\"value\":%s}", value);
    ask(d, &ANYONE, EX_FACT_ASSERT, "go", "", body);
    expect(d, 200);
}

/* Two nodes; on a file, which has one writer, one that is both. */
static pair nodes_of(void **state, const char *contract)
{
    pair p = {.one = desk_open(state, contract_file("wheel.tenor", contract), NULL)};
    create(&p.one, "Wheel", "w");
    create(&p.one, "Brake", "b");
    assert_go(&p.one, "true");
    p.two = st_is_shared(p.one.store) ? desk_on(again(state, NULL), NULL, NULL) : p.one;
    if (p.two.store == p.one.store) {
        p.two.arena = (mt_arena){0}; /* answers have a room of their own all the same */
    }
    return p;
}

static pair nodes(void **state)
{
    return nodes_of(state, WHEEL);
}

static void close_nodes(pair *p)
{
    if (p->two.store != p->one.store) {
        desk_close(&p->two);
    } else {
        mt_arena_free(&p->two.arena);
    }
    desk_close(&p->one);
}

static unsigned long long guessed(const desk *d)
{
    return atomic_load(&d->x->metrics.guessed);
}

static int64_t number_of(const mt_json *r)
{
    const mt_json *n = at(r, "queued") ? at(r, "queued") : at(r, "record");
    return strtoll(mt_json_text(n).ptr, NULL, 10);
}

/* Turns until this node guesses, which it does sooner or later on a shared store. The
 * wheel has turned an even number of times. */
static void turn_until_guessed(desk *d)
{
    unsigned long long before = guessed(d);
    for (int i = 0;
         i < 600 && st_is_shared(d->store) && (i % 2 || guessed(d) == before); i++) {
        ask(d, &ANYONE, EX_OPERATION, "turn", "", DRIVE);
        expect(d, 200);
    }
    assert_int_equal(guessed(d) > before, st_is_shared(d->store));
}

static void a_node_alone_makes_one_journey(void **state)
{
    pair p = nodes(state);
    for (int i = 0; i < 100; i++) {
        ask(&p.one, &ANYONE, EX_OPERATION, "turn", "", DRIVE);
        expect(&p.one, 200);
    }
    assert_true(guessed(&p.one) > 80 || !st_is_shared(p.one.store));
    assert_int_equal(records(&p.one, "operation"), 100);
    const mt_json *r = ask(&p.one, &ANYONE, EX_INSTANCE_GET, "Wheel", "w", "");
    assert_at(r, "version", "100");
    close_nodes(&p);
}

/* The other node moved the wheel: what this one knows is old. */
static void what_another_node_moved_is_seen(void **state)
{
    pair p = nodes(state);
    for (int i = 0; i < 8; i++) {
        turn_until_guessed(&p.one);
        ask(&p.two, &ANYONE, EX_OPERATION, "turn", "", DRIVE); /* now e */
        expect(&p.two, 200);
        ask(&p.one, &ANYONE, EX_OPERATION, "north", "", DRIVE);
        expect(&p.one, 200);
        ask(&p.one, &ANYONE, EX_OPERATION, "north", "", DRIVE);
        expect(&p.one, 409);
        assert_state(&p.two, "Wheel", "w", "n");
    }
    close_nodes(&p);
}

/* Refused on an old state would be a lie: the wheel has moved to where it may. */
static void nobody_is_refused_on_an_old_state(void **state)
{
    pair p = nodes(state);
    turn_until_guessed(&p.one);
    ask(&p.two, &ANYONE, EX_OPERATION, "turn", "", DRIVE);
    expect(&p.two, 200);
    ask(&p.one, &ANYONE, EX_OPERATION, "north", "", DRIVE); /* it knew n */
    expect(&p.one, 200);
    close_nodes(&p);
}

/* Numbers drawn ahead are not used once others have drawn, whatever they are about. */
static void numbers_are_in_the_order_of_the_answers(void **state)
{
    pair p = nodes(state);
    create(&p.one, "Wheel", "v");
    for (int i = 0; i < 8; i++) {
        turn_until_guessed(&p.one);
        int64_t first =
            number_of(ask(&p.two, &ANYONE, EX_OPERATION, "turn", "", OTHER));
        expect(&p.two, 200);
        int64_t second =
            number_of(ask(&p.one, &ANYONE, EX_OPERATION, "turn", "", DRIVE));
        expect(&p.one, 200);
        assert_true(second > first);
        ask(&p.one, &ANYONE, EX_OPERATION, "turn", "", DRIVE);
    }
    close_nodes(&p);
}

static void a_fact_asserted_elsewhere_counts_at_once(void **state)
{
    pair p = nodes(state);
    turn_until_guessed(&p.one);
    assert_go(&p.two, "false");
    const mt_json *r = ask(&p.one, &ANYONE, EX_OPERATION, "turn", "", DRIVE);
    expect_code(&p.one, r, 422, "precondition_failed");
    assert_state(&p.one, "Wheel", "w", "n");
    close_nodes(&p);
}

/* With the longest list the rules would hold up everybody, so a call that has to be
 * thought about again goes to a worker. */
static void a_fact_asserted_elsewhere_counts_where_rules_may_take_long(void **state)
{
    static const char LONG[] =
        "fact rows { type: List(element_type: Int(min: 0, max: 9), max: 400)\n"
        "  source: desk { path: \"rows\" } }\n"
        "rule pairs { stratum: 0 when: forall a in rows . forall b in rows . a + b >= "
        "0\n"
        "  produce: fine(true) }\n";
    char text[sizeof WHEEL + sizeof LONG];
    snprintf(text, sizeof text, "%s%s", WHEEL, LONG);
    pair p = nodes_of(state, text);
    assert_true(atomic_load(&p.one.x->may_be_long));
    ask(&p.one, &ANYONE, EX_FACT_ASSERT, "rows", "", "{\"value\":[1,2]}");
    expect(&p.one, 200);
    for (int i = 0; i < 4; i++) {
        ask(&p.one, &ANYONE, EX_OPERATION, "turn", "", DRIVE);
        expect(&p.one, 200);
        assert_go(&p.two, "false");
        const mt_json *r = ask(&p.one, &ANYONE, EX_OPERATION, "turn", "", DRIVE);
        expect_code(&p.one, r, 422, "precondition_failed");
        assert_go(&p.two, "true");
    }
    assert_state(&p.one, "Wheel", "w", "n");
    close_nodes(&p);
}

static void a_contract_deployed_elsewhere_counts_at_once(void **state)
{
    pair p = nodes(state);
    turn_until_guessed(&p.one);
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "contract", MT_STR("wheel"));
    mt_jw_key_str(&w, "source",
                  mt_strf(&p.two.arena, "%s%s", WHEEL,
                          "operation halt { allowed_personas: [driver] precondition: "
                          "go = true effects: [(Brake, off, on)] }\n"));
    mt_jw_end_object(&w);
    mt_buf_addc(&body, 0);
    ask(&p.two, &ANYONE, EX_CONTRACT_DEPLOY, "", "", body.ptr);
    expect(&p.two, 200);
    mt_buf_free(&body);
    /* This node may still have prepared it with the old version: then it is told. */
    const mt_json *r = ask(&p.one, &ANYONE, EX_OPERATION, "turn", "", DRIVE);
    if (p.one.status != 200) {
        expect_code(&p.one, r, 409, "contract_changed");
        ask(&p.one, &ANYONE, EX_OPERATION, "turn", "", DRIVE);
        expect(&p.one, 200);
    }
    ask(&p.one, &ANYONE, EX_OPERATION, "halt", "", BOTH);
    expect(&p.one, 200);
    close_nodes(&p);
}

static void a_key_that_was_used_is_answered_again(void **state)
{
    pair p = nodes(state);
    turn_until_guessed(&p.one);
    for (int i = 0; i < 6; i++) {
        char key[16];
        snprintf(key, sizeof key, "key-%d", i);
        ask_once(&p.one, &ANYONE, EX_OPERATION, "turn", DRIVE, key);
        expect(&p.one, 200);
        assert_false(p.one.replayed);
        desk *d = i % 2 ? &p.one : &p.two;
        ask_once(d, &ANYONE, EX_OPERATION, "turn", DRIVE, key);
        expect(d, 200);
        assert_true(d->replayed);
    }
    assert_state(&p.one, "Wheel", "w", "n");
    close_nodes(&p);
}

/* A row that is bound and does not move is proven by nothing that is written. */
static void what_does_not_move_is_locked(void **state)
{
    pair p = nodes(state);
    turn_until_guessed(&p.one);
    unsigned long long before = guessed(&p.one);
    for (int i = 0; i < 10; i++) {
        ask(&p.one, &ANYONE, EX_OPERATION, "turn", "", BOTH);
        expect(&p.one, 200);
    }
    assert_int_equal(guessed(&p.one), before);
    close_nodes(&p);
}

int main(void)
{
    static rows_list l;
    both(&l, a_node_alone_makes_one_journey);
    both(&l, what_another_node_moved_is_seen);
    both(&l, nobody_is_refused_on_an_old_state);
    both(&l, numbers_are_in_the_order_of_the_answers);
    both(&l, a_fact_asserted_elsewhere_counts_at_once);
    both(&l, a_fact_asserted_elsewhere_counts_where_rules_may_take_long);
    both(&l, a_contract_deployed_elsewhere_counts_at_once);
    both(&l, a_key_that_was_used_is_answered_again);
    both(&l, what_does_not_move_is_locked);
    int failed = rows_run(&l, "exec/executor_guess");
    backends_stop();
    return failed;
}
