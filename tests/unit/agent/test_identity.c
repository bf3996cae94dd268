/* agent/identity: who is believed, and that nothing is believed twice. */
#include "../rows.h"
#include "agent/identity.h"
#include "agent/value.h"

static const int64_t NOW = 1700000000000;
static mt_arena arena;
static mt_sign_key key, other;

static ag_signer signer_of(const mt_sign_key *k, const char *name, char session)
{
    ag_signer s = {.key = k, .name = mt_str_z(name), .room = MT_STR("")};
    memset(s.session, session, 32);
    return s;
}

/* A line as a relay brings it, opened. */
static ag_inbound message(ag_signer *s, int64_t at, const char *payload)
{
    mt_buf line = {0};
    mt_json value;
    ag_inbound in = {0};
    assert_int_equal(mt_json_read(&arena, mt_str_z(payload), NULL, &value, NULL),
                     MT_OK);
    assert_true(ag_sign_message(s, at, &value, &line));
    mt_buf whole = {0};
    mt_jw w = mt_jw_start(&whole, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "content", mt_str_from(line.ptr, line.len - 1));
    mt_jw_key_str(&w, "remote_addr", MT_STR("h:1"));
    mt_jw_end_object(&w);
    assert_int_equal(ag_frame_read(&arena, AG_PROFILE,
                                   mt_str_dup(&arena, mt_buf_str(&whole)), NULL, &in),
                     MT_OK);
    assert_true(in.is_signed);
    mt_buf_free(&line);
    mt_buf_free(&whole);
    return in;
}

static const char *judged(ag_verifier *v, const ag_inbound *in, int64_t now)
{
    mt_str signer;
    return ag_verify(v, &arena, in, now, &signer);
}

static ag_identity anybody(void)
{
    return (ag_identity){.required = true, .window_ms = 1000, .room = MT_STR("")};
}

static void a_message_is_taken_once(void **state)
{
    (void)state;
    ag_identity id = anybody();
    ag_verifier *v = ag_verifier_new(&id);
    ag_signer s = signer_of(&key, "a", 'a');
    ag_inbound in = message(&s, NOW, "{\"x\":1.50,\"y\":\"\xc3\xa9\"}");
    assert_null(judged(v, &in, NOW));
    assert_string_equal(judged(v, &in, NOW), "it was heard before");
    ag_verifier_free(v);
}

static void the_window_of_time_has_two_ends(void **state)
{
    (void)state;
    ag_identity id = anybody();
    ag_verifier *v = ag_verifier_new(&id);
    ag_signer s = signer_of(&key, "a", 'a');
    const int64_t good[] = {NOW, NOW - 1000, NOW + 1000};
    const int64_t bad[] = {NOW - 1001, NOW + 1001};
    for (int i = 0; i < 3; i++) {
        ag_inbound in = message(&s, good[i], "1");
        assert_null(judged(v, &in, NOW));
    }
    for (int i = 0; i < 2; i++) {
        ag_inbound in = message(&s, bad[i], "1");
        assert_non_null(judged(v, &in, NOW));
    }
    ag_verifier_free(v);
}

static void counts_may_come_late_but_not_too_late(void **state)
{
    (void)state;
    enum { WINDOW = 1024 };
    ag_identity id = anybody();
    ag_verifier *v = ag_verifier_new(&id);
    ag_signer s = signer_of(&key, "a", 'a');
    const uint64_t far = 5000;
    s.count = far - 1;
    ag_inbound last = message(&s, NOW, "1");
    assert_null(judged(v, &last, NOW));
    for (uint64_t back = WINDOW + 1; back > 0; back--) { /* the oldest first */
        s.count = far - back - 1;
        ag_inbound in = message(&s, NOW, "1");
        const char *why = judged(v, &in, NOW);
        assert_int_equal(why != NULL, back >= WINDOW);
        assert_non_null(judged(v, &in, NOW));
    }
    s.count = far + 1; /* a gap of one, then what was in it */
    ag_inbound next = message(&s, NOW, "1");
    assert_null(judged(v, &next, NOW));
    s.count = far;
    ag_inbound between = message(&s, NOW, "1");
    assert_null(judged(v, &between, NOW));
    assert_non_null(judged(v, &between, NOW));
    assert_non_null(judged(v, &last, NOW));
    ag_verifier_free(v);
}

static void a_far_jump_forgets_nothing_that_matters(void **state)
{
    (void)state;
    ag_identity id = anybody();
    ag_verifier *v = ag_verifier_new(&id);
    ag_signer s = signer_of(&key, "a", 'a');
    ag_inbound first = message(&s, NOW, "1");
    assert_null(judged(v, &first, NOW));
    const uint64_t jumps[] = {64, 65, 128, 1023, 1024, 1025, 100000};
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        uint64_t before = s.count;
        s.count += jumps[i] - 1;
        ag_inbound in = message(&s, NOW, "1");
        assert_null(judged(v, &in, NOW));
        s.count = before - 1; /* the one before the jump */
        ag_inbound again = message(&s, NOW, "1");
        assert_non_null(judged(v, &again, NOW));
        s.count = before + jumps[i];
    }
    ag_verifier_free(v);
}

static void a_key_has_so_many_sessions_at_a_time(void **state)
{
    (void)state;
    ag_identity id = anybody();
    ag_verifier *v = ag_verifier_new(&id);
    for (int i = 0; i < 17; i++) {
        ag_signer s = signer_of(&key, "a", "0123456789abcdefg"[i]);
        memset(s.session, i < 16 ? "0123456789abcdef"[i] : '0', 32);
        s.session[0] = i < 16 ? s.session[0] : '1';
        ag_inbound in = message(&s, NOW, "1");
        assert_int_equal(judged(v, &in, NOW) != NULL, i == 16);
        if (i == 16) { /* when the others are too old to be replayed, there is room */
            ag_inbound later = message(&s, NOW + 1001, "1");
            assert_null(judged(v, &later, NOW + 1001));
        }
    }
    ag_verifier_free(v);
}

static void only_listed_keys_are_taken(void **state)
{
    (void)state;
    ag_trusted list[] = {{MT_STR_INIT("alice"), {{0}}}};
    list[0].key = key.open;
    ag_identity id = anybody();
    id.trusted = list;
    id.trusted_count = 1;
    ag_verifier *v = ag_verifier_new(&id);
    ag_signer a = signer_of(&key, "whatever", 'a'), b = signer_of(&other, "alice", 'b');
    ag_inbound in = message(&a, NOW, "1");
    mt_str signer;
    assert_null(ag_verify(v, &arena, &in, NOW, &signer));
    assert_true(mt_str_is(signer, "alice"));
    in = message(&b, NOW, "1");
    assert_non_null(judged(v, &in, NOW));
    ag_verifier_free(v);
}

static void the_first_key_of_a_name_keeps_it(void **state)
{
    (void)state;
    ag_identity id = anybody();
    id.pin_first = true;
    ag_verifier *v = ag_verifier_new(&id);
    ag_signer a = signer_of(&key, "alice", 'a'), b = signer_of(&other, "alice", 'b');
    ag_signer c = signer_of(&key, "bob", 'c');
    ag_inbound in = message(&a, NOW, "1");
    assert_null(judged(v, &in, NOW));
    in = message(&b, NOW, "1");
    assert_string_equal(judged(v, &in, NOW), "another key has the name it signs as");
    in = message(&c, NOW, "1");
    assert_string_equal(judged(v, &in, NOW), "its key has another name");
    ag_verifier_free(v);
}

static void every_part_is_covered(void **state)
{
    (void)state;
    static const char *const PARTS[] = {"as", "at", "n", "room", "session"};
    ag_identity id = anybody();
    for (size_t i = 0; i < 6; i++) {
        ag_verifier *v = ag_verifier_new(&id);
        ag_signer s = signer_of(&key, "a", 'a');
        ag_inbound in = message(&s, NOW, "{\"x\":1}");
        mt_json changed[] = {
            {.type = MT_JSON_STRING, .count = 1, .as.text = "b"},
            {.type = MT_JSON_NUMBER, .count = 13, .as.text = "1700000000001"},
            {.type = MT_JSON_NUMBER, .count = 1, .as.text = "2"},
            {.type = MT_JSON_STRING, .count = 1, .as.text = "r"},
            {.type = MT_JSON_STRING,
             .count = 32,
             .as.text = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}};
        if (i < 5) {
            in.signature =
                ag_with_member(&arena, &in.signature, mt_str_z(PARTS[i]), &changed[i]);
        } else {
            in.payload = changed[0];
        }
        assert_non_null(judged(v, &in, NOW));
        assert_false(ag_verifier_has_any(v)); /* nothing is remembered of it */
        ag_verifier_free(v);
    }
}

static void what_is_remembered_survives(void **state)
{
    (void)state;
    ag_identity id = anybody();
    id.pin_first = true;
    ag_verifier *v = ag_verifier_new(&id), *u = ag_verifier_new(&id);
    ag_signer a = signer_of(&key, "alice", 'a'), b = signer_of(&other, "alice", 'b');
    a.count = 70;
    ag_inbound in = message(&a, NOW, "1");
    a.count = 3;
    ag_inbound early = message(&a, NOW, "1");
    assert_null(judged(v, &in, NOW));
    mt_buf text = {0}, again = {0};
    mt_json rows;
    mt_jw w = mt_jw_start(&text, false), w2 = mt_jw_start(&again, false);
    ag_verifier_save(v, &w);
    assert_int_equal(mt_json_read(&arena, mt_buf_str(&text), NULL, &rows, NULL), MT_OK);
    assert_int_equal(ag_verifier_load(u, &rows), MT_OK);
    ag_verifier_save(u, &w2);
    assert_true(mt_str_eq(mt_buf_str(&text), mt_buf_str(&again)));
    assert_non_null(judged(u, &in, NOW));
    assert_null(judged(u, &early, NOW));
    in = message(&b, NOW, "1");
    assert_non_null(judged(u, &in, NOW));
    assert_int_equal(ag_verifier_load(u, &rows), MT_E_SYNTAX); /* twice the same key */
    mt_buf_free(&text);
    mt_buf_free(&again);
    ag_verifier_free(v);
    ag_verifier_free(u);
}

int main(void)
{
    rows_list list = {0};
    mt_sign_generate(&key);
    mt_sign_generate(&other);
    rows_test(&list, a_message_is_taken_once);
    rows_test(&list, the_window_of_time_has_two_ends);
    rows_test(&list, counts_may_come_late_but_not_too_late);
    rows_test(&list, a_far_jump_forgets_nothing_that_matters);
    rows_test(&list, a_key_has_so_many_sessions_at_a_time);
    rows_test(&list, only_listed_keys_are_taken);
    rows_test(&list, the_first_key_of_a_name_keeps_it);
    rows_test(&list, every_part_is_covered);
    rows_test(&list, what_is_remembered_survives);
    int code = rows_run(&list, "agent/identity");
    mt_arena_free(&arena);
    return code;
}
