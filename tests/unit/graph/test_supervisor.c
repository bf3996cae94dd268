/* The supervisor's decisions, one test per statement SUP-1..7 and SUP-TICK-1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "graph/supervisor.h"

enum { LOG = 64 };

/* A host that logs which event ran and ends each run as scripted. */
typedef struct fake {
    const char *ran[LOG];
    uint32_t attempts[LOG];
    size_t runs;
    gr_termination script[LOG]; /* how run number n ends */
    int kept;
} fake;

static gr_termination run(void *state, void *handle, uint32_t attempt)
{
    fake *f = state;
    f->ran[f->runs] = handle;
    f->attempts[f->runs] = attempt;
    return f->script[f->runs++];
}

static void *keep(void *state, void *handle)
{
    ((fake *)state)->kept++;
    return handle;
}

static void drop(void *state, void *kept)
{
    (void)kept;
    ((fake *)state)->kept--;
}

static gr_supervisor *supervisor(fake *f, gr_constraints limits)
{
    return gr_supervisor_new(limits, (gr_supervisor_host){f, run, keep, drop});
}

static gr_decision send(gr_supervisor *s, gr_signal_kind kind, char *name,
                        uint64_t secs)
{
    gr_signal e = {.id = mt_str_z(name), .kind = kind, .at = {secs, 0}, .handle = name};
    return gr_supervise(s, &e);
}

static const gr_constraints NONE = {0};
static const gr_constraints ONE_PER_TEN = {.max_per_window = {true, 1},
                                           .rate_window = {true, {10, 0}}};
static const gr_constraints SATURATED = {.max_in_flight = {true, 0}};

static void runs_data_and_commands_at_once(void **state)
{
    (void)state;
    fake f = {0};
    gr_supervisor *s = supervisor(&f, NONE);
    char a[] = "a", b[] = "b";
    gr_decision first = send(s, GR_DATA_AVAILABLE, a, 0);
    gr_decision second = send(s, GR_COMMAND, b, 0);
    assert_int_equal(first.verdict, GR_INVOKE);
    assert_int_equal(first.episode_id, 0);
    assert_int_equal(second.episode_id, 1);
    assert_int_equal(first.termination.end, GR_END_COMPLETED);
    assert_int_equal(f.runs, 2);
    gr_supervisor_free(s);
}

static void SUP_TICK_1_a_pump_never_runs_for_itself(void **state)
{
    (void)state;
    fake f = {0};
    gr_supervisor *s = supervisor(&f, NONE);
    char p[] = "p";
    gr_decision d = send(s, GR_PUMP, p, 5);
    assert_int_equal(d.verdict, GR_DEFER);
    assert_false(d.schedule_at.set);
    assert_false(d.ran);
    assert_int_equal(f.runs, 0);
    assert_int_equal(gr_supervisor_deferred(s), 0);
    gr_supervisor_free(s);
}

static void SUP_TICK_1_a_pump_releases_the_event_that_was_deferred(void **state)
{
    (void)state;
    fake f = {0};
    gr_supervisor *s = supervisor(&f, ONE_PER_TEN);
    char a[] = "a", b[] = "b", p[] = "p";
    send(s, GR_DATA_AVAILABLE, a, 0);
    gr_decision held = send(s, GR_DATA_AVAILABLE, b, 4);
    assert_int_equal(held.verdict, GR_DEFER);
    assert_int_equal(held.schedule_at.at.secs, 10);
    gr_decision early = send(s, GR_PUMP, p, 9);
    assert_false(early.schedule_at.set);
    gr_decision due = send(s, GR_PUMP, p, 10);
    assert_int_equal(due.verdict, GR_INVOKE);
    assert_int_equal(due.episode_id, held.episode_id);
    assert_string_equal(f.ran[1], "b");
    assert_int_equal(f.kept, 0);
    gr_supervisor_free(s);
}

static void a_pump_releases_one_episode_only_in_order(void **state)
{
    (void)state;
    fake f = {0};
    gr_supervisor *s = supervisor(&f, ONE_PER_TEN);
    char a[] = "a", b[] = "b", c[] = "c", p[] = "p";
    send(s, GR_DATA_AVAILABLE, a, 0);
    send(s, GR_DATA_AVAILABLE, b, 1);
    send(s, GR_DATA_AVAILABLE, c, 2);
    assert_int_equal(send(s, GR_PUMP, p, 10).verdict, GR_INVOKE);
    gr_decision again = send(s, GR_PUMP, p, 11);
    assert_int_equal(again.verdict, GR_DEFER);
    assert_int_equal(again.schedule_at.at.secs, 20);
    assert_int_equal(send(s, GR_PUMP, p, 20).verdict, GR_INVOKE);
    assert_string_equal(f.ran[1], "b");
    assert_string_equal(f.ran[2], "c");
    gr_supervisor_free(s);
}

static void a_saturated_supervisor_defers_everything(void **state)
{
    (void)state;
    fake f = {0};
    gr_supervisor *s = supervisor(&f, SATURATED);
    char a[] = "a", p[] = "p";
    gr_decision d = send(s, GR_DATA_AVAILABLE, a, 7);
    assert_int_equal(d.verdict, GR_DEFER);
    assert_int_equal(d.schedule_at.at.secs, 7);
    assert_int_equal(send(s, GR_PUMP, p, 9).schedule_at.at.secs, 9);
    assert_int_equal(f.runs, 0);
    gr_supervisor_free(s);
    assert_int_equal(f.kept, 0);
}

static void SUP_4_retries_are_mechanical(void **state)
{
    (void)state;
    static const struct {
        gr_termination end;
        uint32_t expected_retries;
    } ROWS[] = {
        {{GR_END_TIMED_OUT, 0}, 2},
        {{GR_END_FAILED, GR_FAILURE_NETWORK_TIMEOUT}, 2},
        {{GR_END_FAILED, GR_FAILURE_ADAPTER_UNAVAILABLE}, 2},
        {{GR_END_FAILED, GR_FAILURE_RUNTIME_ERROR}, 2},
        {{GR_END_FAILED, GR_FAILURE_SEMANTIC_ERROR}, 0},
        {{GR_END_FAILED, GR_FAILURE_VALIDATION_FAILED}, 0},
        {{GR_END_COMPLETED, 0}, 0},
        {{GR_END_ABORTED, 0}, 0},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        fake f = {0};
        for (size_t n = 0; n < LOG; n++) {
            f.script[n] = ROWS[i].end;
        }
        gr_supervisor *s = supervisor(&f, (gr_constraints){.max_retries = 2});
        char a[] = "a";
        gr_decision d = send(s, GR_DATA_AVAILABLE, a, 0);
        assert_int_equal(d.retry_count, ROWS[i].expected_retries);
        assert_int_equal(f.runs, ROWS[i].expected_retries + 1);
        assert_true(gr_termination_equal(d.termination, ROWS[i].end));
        gr_supervisor_free(s);
    }
}

static void SUP_4_stops_retrying_when_it_succeeds(void **state)
{
    (void)state;
    fake f = {.script = {{GR_END_TIMED_OUT, 0}, {GR_END_COMPLETED, 0}}};
    gr_supervisor *s = supervisor(&f, (gr_constraints){.max_retries = 9});
    char a[] = "a";
    gr_decision d = send(s, GR_DATA_AVAILABLE, a, 0);
    assert_int_equal(d.retry_count, 1);
    assert_int_equal(f.attempts[1], 1);
    assert_int_equal(d.termination.end, GR_END_COMPLETED);
    gr_supervisor_free(s);
}

static void a_zero_deadline_aborts_before_running(void **state)
{
    (void)state;
    fake f = {0};
    gr_supervisor *s = supervisor(&f, (gr_constraints){.deadline = {true, {0, 0}}});
    char a[] = "a";
    gr_decision d = send(s, GR_DATA_AVAILABLE, a, 0);
    assert_int_equal(d.verdict, GR_INVOKE);
    assert_int_equal(d.termination.end, GR_END_ABORTED);
    assert_int_equal(f.runs, 0);
    gr_supervisor_free(s);
}

static void a_filtered_event_is_skipped(void **state)
{
    (void)state;
    fake f = {0};
    gr_supervisor *s = supervisor(&f, NONE);
    gr_signal e = {.id = MT_STR("a"), .kind = GR_DATA_AVAILABLE, .filtered = true};
    gr_decision d = gr_supervise(s, &e);
    assert_int_equal(d.verdict, GR_SKIP);
    assert_false(d.ran);
    assert_int_equal(f.runs, 0);
    gr_supervisor_free(s);
}

static void time_never_runs_backwards(void **state)
{
    (void)state;
    fake f = {0};
    gr_supervisor *s = supervisor(&f, ONE_PER_TEN);
    char a[] = "a", b[] = "b";
    send(s, GR_DATA_AVAILABLE, a, 100);
    gr_decision d = send(s, GR_DATA_AVAILABLE, b, 3);
    assert_int_equal(d.schedule_at.at.secs, 110);
    gr_supervisor_free(s);
}

/* When the second of two events may run: window and first event in nanoseconds. */
static const struct carry {
    const char *name;
    gr_time first, window, want;
} CARRIES[] = {
    {"less than a second is not carried",
     {1, 500000000},
     {0, 499999999},
     {1, 999999999}},
    {"exactly a second is carried", {1, 500000000}, {0, 500000000}, {2, 0}},
    {"more than a second is carried", {1, 500000000}, {0, 500000001}, {2, 1}},
    {"the last nanoseconds of two seconds",
     {1, 999999999},
     {1, 999999999},
     {3, 999999998}},
};

static gr_decision at_time(gr_supervisor *s, char *name, gr_time at)
{
    gr_signal e = {
        .id = mt_str_z(name), .kind = GR_DATA_AVAILABLE, .at = at, .handle = name};
    return gr_supervise(s, &e);
}

static void nanoseconds_are_carried(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CARRIES / sizeof *CARRIES; i++) {
        fake f = {0};
        gr_constraints one = {.max_per_window = {true, 1},
                              .rate_window = {true, CARRIES[i].window}};
        gr_supervisor *s = supervisor(&f, one);
        char a[] = "a", b[] = "b";
        at_time(s, a, CARRIES[i].first);
        gr_time got = at_time(s, b, CARRIES[i].first).schedule_at.at;
        assert_int_equal(got.secs, CARRIES[i].want.secs);
        assert_int_equal(got.nanos, CARRIES[i].want.nanos);
        gr_supervisor_free(s);
    }
}

/* At the end of the window the next may run, a nanosecond before it may not. */
static void a_window_ends_to_the_nanosecond(void **state)
{
    (void)state;
    gr_constraints one = {.max_per_window = {true, 1},
                          .rate_window = {true, {0, 600000000}}};
    char a[] = "a", b[] = "b";
    for (uint32_t early = 0; early < 2; early++) {
        fake f = {0};
        gr_supervisor *s = supervisor(&f, one);
        at_time(s, a, (gr_time){1, 500000000});
        gr_decision d = at_time(s, b, (gr_time){2, 100000000 - early});
        assert_int_equal(d.verdict, early ? GR_DEFER : GR_INVOKE);
        gr_supervisor_free(s);
    }
}

static void the_end_of_time_does_not_wrap(void **state)
{
    (void)state;
    fake f = {0};
    gr_supervisor *s = supervisor(&f, ONE_PER_TEN);
    char a[] = "a", b[] = "b";
    send(s, GR_DATA_AVAILABLE, a, UINT64_MAX);
    gr_decision d = send(s, GR_DATA_AVAILABLE, b, UINT64_MAX);
    assert_true(d.schedule_at.at.secs == UINT64_MAX);
    gr_supervisor_free(s);
}

static bool same(const gr_decision *a, const gr_decision *b)
{
    return a->verdict == b->verdict && a->schedule_at.set == b->schedule_at.set &&
           (!a->schedule_at.set ||
            gr_time_cmp(a->schedule_at.at, b->schedule_at.at) == 0) &&
           a->episode_id == b->episode_id && a->ran == b->ran;
}

/* The same events and constraints, and terminations, give the same decisions. */
static void SUP_3_decisions_are_replayable(void **state)
{
    (void)state;
    gr_decision logs[2][200];
    for (int round = 0; round < 2; round++) {
        fake f = {0};
        gr_supervisor *s =
            supervisor(&f, (gr_constraints){.max_per_window = {true, 3},
                                            .rate_window = {true, {2, 500000000}}});
        uint32_t random = 12345;
        char name[] = "e";
        for (size_t i = 0; i < 200; i++) {
            random = random * 1664525u + 1013904223u;
            f.runs = 0;
            logs[round][i] = send(s, (gr_signal_kind)(random >> 16) % 3, name, i / 3);
        }
        gr_supervisor_free(s);
        assert_int_equal(f.kept, 0);
    }
    for (size_t i = 0; i < 200; i++) {
        assert_true(same(&logs[0][i], &logs[1][i]));
    }
}

static void names_are_those_of_captures(void **state)
{
    (void)state;
    gr_signal_kind kind;
    assert_true(gr_signal_kind_parse(MT_STR("Tick"), &kind));
    assert_int_equal(kind, GR_PUMP);
    assert_false(gr_signal_kind_parse(MT_STR("tick"), &kind));
    gr_verdict verdict;
    assert_true(gr_verdict_parse(MT_STR("Defer"), &verdict));
    assert_int_equal(verdict, GR_DEFER);
    gr_end end;
    assert_true(gr_end_parse(MT_STR("TimedOut"), &end));
    assert_int_equal(end, GR_END_TIMED_OUT);
    for (int i = 0; i < GR_FAILURE_COUNT; i++) {
        gr_failure fault;
        assert_true(gr_failure_parse(mt_str_z(gr_failure_name((gr_failure)i)), &fault));
        assert_int_equal(fault, i);
    }
}

/* One that followed the records, and one that took over, decide as the first would. */
static void who_follows_or_takes_over_decides_alike(void **state)
{
    (void)state;
    static char name[] = "e";
    enum { ROUNDS = 300, EVENTS = 60 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        srandom(round + 1);
        gr_constraints limits = {.max_per_window = {true, 1 + (uint64_t)random() % 3},
                                 .rate_window = {true, {(uint64_t)random() % 9, 5}}};
        fake f[3] = {0};
        mt_arena a = {0};
        gr_supervisor *first = supervisor(&f[0], limits);
        gr_supervisor *follower = supervisor(&f[1], NONE);
        gr_supervisor *heir = NULL;
        uint64_t shift = 0, secs = 0;
        long turn = random() % EVENTS;
        gr_supervisor_free(follower);
        follower = supervisor(&f[1], limits);
        for (long i = 0; i < EVENTS; i++) {
            secs += (uint64_t)random() % 4;
            uint64_t late = (uint64_t)random() % 8; /* events come out of order */
            gr_signal e = {.kind = (gr_signal_kind)(random() % 3),
                           .at = {secs > late ? secs - late : 0, 0},
                           .filtered = random() % 10 == 0,
                           .handle = name};
            f[0].runs = f[1].runs = f[2].runs = 0;
            if (i == turn) {
                gr_supervisor_state s = gr_supervisor_state_of(first, &a);
                heir = supervisor(&f[2], limits);
                gr_supervisor_restore(heir, &s);
            }
            gr_decision was = gr_supervise(first, &e);
            if (i < turn) {
                assert_true(gr_supervisor_follow(follower, &e, &was));
                assert_int_equal(gr_supervisor_deferred(follower),
                                 gr_supervisor_deferred(first));
                continue;
            }
            gr_decision is = gr_supervise(follower, &e);
            assert_int_equal(is.verdict, was.verdict);
            assert_true(is.episode_id == was.episode_id);
            gr_decision heirs = gr_supervise(heir, &e);
            assert_int_equal(heirs.verdict, was.verdict);
            assert_int_equal(heirs.schedule_at.set, was.schedule_at.set);
            assert_int_equal(gr_time_cmp(heirs.schedule_at.at, was.schedule_at.at), 0);
            shift = shift > heirs.episode_id ? shift : heirs.episode_id;
        }
        assert_true(shift < EVENTS);
        gr_supervisor_free(first);
        gr_supervisor_free(follower);
        f[2].kept += (int)gr_supervisor_deferred(heir); /* it took what it dropped */
        gr_supervisor_free(heir);
        assert_int_equal(f[0].kept, 0);
        assert_int_equal(f[1].kept, 0);
        mt_arena_free(&a);
    }
}

static void what_nobody_decided_is_not_followed(void **state)
{
    (void)state;
    fake f = {0};
    gr_supervisor *s = supervisor(&f, ONE_PER_TEN);
    gr_signal pump = {.kind = GR_PUMP}, data = {.kind = GR_DATA_AVAILABLE};
    gr_decision run_nothing = {.verdict = GR_INVOKE, .ran = true};
    gr_decision again = {.verdict = GR_DEFER, .schedule_at = {true, {1, 0}}};
    gr_decision never = {.verdict = GR_DEFER};
    assert_false(gr_supervisor_follow(s, &pump, &run_nothing));
    assert_false(gr_supervisor_follow(s, &pump, &again));
    assert_false(gr_supervisor_follow(s, &data, &never));
    assert_true(gr_supervisor_follow(s, &pump, &never));
    gr_supervisor_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_data_and_commands_at_once),
        cmocka_unit_test(SUP_TICK_1_a_pump_never_runs_for_itself),
        cmocka_unit_test(SUP_TICK_1_a_pump_releases_the_event_that_was_deferred),
        cmocka_unit_test(a_pump_releases_one_episode_only_in_order),
        cmocka_unit_test(a_saturated_supervisor_defers_everything),
        cmocka_unit_test(SUP_4_retries_are_mechanical),
        cmocka_unit_test(SUP_4_stops_retrying_when_it_succeeds),
        cmocka_unit_test(a_zero_deadline_aborts_before_running),
        cmocka_unit_test(a_filtered_event_is_skipped),
        cmocka_unit_test(time_never_runs_backwards),
        cmocka_unit_test(nanoseconds_are_carried),
        cmocka_unit_test(a_window_ends_to_the_nanosecond),
        cmocka_unit_test(the_end_of_time_does_not_wrap),
        cmocka_unit_test(SUP_3_decisions_are_replayable),
        cmocka_unit_test(names_are_those_of_captures),
        cmocka_unit_test(who_follows_or_takes_over_decides_alike),
        cmocka_unit_test(what_nobody_decided_is_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
