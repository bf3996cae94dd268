/* Capture v3 and journal: what is written reads back, what is broken is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "graph/capture.h"

static const gr_capture_head HEAD = {
    .graph_id = MT_STR_INIT("g"),
    .config = {.max_per_window = {true, 3},
               .rate_window = {true, {1, 5}},
               .max_retries = 2},
    .adapter_provenance = MT_STR_INIT("none"),
    .runtime_provenance = MT_STR_INIT("rpv1:sha256:00"),
};

static const gr_capture_event EVENT = {
    .id = MT_STR_INIT("e\"1"),
    .kind = GR_DATA_AVAILABLE,
    .at = {18446744073709551615u, 999999999},
    .payload = MT_STR_INIT("{\"x\":1.0,\"y\":[1.5,2.0]}"),
    .payload_hash = MT_STR_INIT("aa"),
};

static const gr_capture_effect EFFECTS[] = {
    {MT_STR_INIT("{\"kind\":\"set_context\",\"writes\":[{\"key\":\"x\",\"value\":"
                 "{\"Number\":1.0}}]}"),
     MT_STR_INIT("bb")},
    {MT_STR_INIT("{\"kind\":\"order\",\"writes\":[],\"intents\":[{\"kind\":\"order\","
                 "\"intent_id\":\"i\",\"fields\":[{\"name\":\"q\",\"value\":"
                 "{\"Series\":[1.0]}}]}]}"),
     MT_STR_INIT("cc")},
};
static const gr_capture_ack ACKS[] = {
    {MT_STR_INIT("i"), MT_STR_INIT("broker"), MT_STR_INIT("accepted"),
     MT_STR_INIT("durable"), MT_STR_INIT("ref-9")},
};

static gr_capture_decision decision(bool dispatched)
{
    gr_capture_decision d = {
        .event_id = EVENT.id,
        .decision = {.verdict = GR_INVOKE,
                     .schedule_at = {true, {7, 8}},
                     .episode_id = 3,
                     .ran = true,
                     .termination = {GR_END_FAILED, GR_FAILURE_SEMANTIC_ERROR},
                     .retry_count = 1},
        .effects = EFFECTS,
        .effect_count = 2,
    };
    if (dispatched) {
        d.acks = ACKS;
        d.ack_count = 1;
        d.interruption = MT_STR("egress dispatch failed: late");
    }
    return d;
}

static void assert_str(mt_str got, mt_str want)
{
    if (!mt_str_eq(got, want)) {
        fail_msg("got '%.*s', want '%.*s'", MT_ARG(got), MT_ARG(want));
    }
}

static void assert_complete(const gr_capture *c)
{
    assert_str(c->version, MT_STR("v3"));
    assert_str(c->head.graph_id, HEAD.graph_id);
    assert_false(c->head.config.max_in_flight.set);
    assert_int_equal(c->head.config.max_per_window.count, 3);
    assert_int_equal(c->head.config.rate_window.at.nanos, 5);
    assert_int_equal(c->head.config.max_retries, 2);
    assert_null(c->head.egress_provenance.ptr);
    assert_int_equal(c->events.len, 1);
    const gr_capture_event *e = &c->events.items[0];
    assert_str(e->id, EVENT.id);
    assert_true(e->at.secs == EVENT.at.secs && e->at.nanos == EVENT.at.nanos);
    assert_str(e->payload, EVENT.payload);
    assert_str(e->payload_hash, EVENT.payload_hash);
    assert_int_equal(c->decisions.len, 1);
    const gr_capture_decision *d = &c->decisions.items[0];
    assert_int_equal(d->decision.schedule_at.at.secs, 7);
    assert_int_equal(d->decision.episode_id, 3);
    assert_true(d->decision.ran);
    assert_int_equal(d->decision.termination.fault, GR_FAILURE_SEMANTIC_ERROR);
    assert_int_equal(d->decision.retry_count, 1);
    assert_int_equal(d->effect_count, 2);
    assert_str(d->effects[0].effect, EFFECTS[0].effect);
    assert_str(d->effects[1].effect, EFFECTS[1].effect);
    assert_str(d->effects[1].hash, MT_STR("cc"));
    assert_int_equal(d->ack_count, 1);
    assert_str(d->acks[0].egress_ref, MT_STR("ref-9"));
    assert_str(d->interruption, MT_STR("egress dispatch failed: late"));
}

static void write_v3(mt_buf *out, bool pretty)
{
    gr_capture_event event = EVENT;
    gr_capture_decision d = decision(true);
    gr_capture c = {.version = MT_STR("v3"), .head = HEAD};
    c.events.items = &event;
    c.events.len = 1;
    c.decisions.items = &d;
    c.decisions.len = 1;
    gr_capture_write(out, &c, pretty);
}

static void write_journal(mt_buf *out)
{
    gr_capture_decision before = decision(false), after = decision(true);
    gr_journal_head(out, &HEAD);
    gr_journal_step(out, &EVENT, &before);
    gr_journal_acks(out, &after);
}

static void reads_back_what_was_written(void **state)
{
    (void)state;
    for (int form = 0; form < 3; form++) {
        mt_arena a = {0};
        mt_buf text = {0};
        gr_capture c;
        gr_capture_fault fault;
        if (form < 2) {
            write_v3(&text, form == 1);
        } else {
            write_journal(&text);
        }
        mt_err err = gr_capture_read(&a, mt_buf_str(&text), &c, &fault);
        if (err) {
            fail_msg("form %d: %.*s %.*s", form, MT_ARG(fault.path),
                     MT_ARG(fault.message));
        }
        assert_complete(&c);
        mt_buf_free(&text);
        mt_arena_free(&a);
    }
}

/* A run killed at any moment: every prefix of a journal that has its head reads as the
 * steps that were complete. */
static void a_journal_cut_anywhere_reads_up_to_the_cut(void **state)
{
    (void)state;
    mt_buf text = {0};
    write_journal(&text);
    size_t head = mt_str_find(mt_buf_str(&text), '\n') + 1;
    size_t step = head + mt_str_find(mt_str_skip(mt_buf_str(&text), head), '\n') + 1;
    for (size_t cut = head; cut <= text.len; cut++) {
        mt_arena a = {0};
        gr_capture c;
        gr_capture_fault fault;
        assert_int_equal(gr_capture_read(&a, mt_str_from(text.ptr, cut), &c, &fault),
                         MT_OK);
        assert_int_equal(c.events.len, cut >= step ? 1 : 0);
        assert_int_equal(c.truncated, cut != head && cut != step && cut != text.len);
        mt_arena_free(&a);
    }
    mt_buf_free(&text);
}

/* Every prefix and every changed byte of a v3 document: refused or read, no crash. */
static void broken_documents_never_crash(void **state)
{
    (void)state;
    mt_buf text = {0};
    write_v3(&text, false);
    for (size_t i = 0; i < text.len - 1; i++) {
        mt_arena a = {0};
        gr_capture c;
        gr_capture_fault fault;
        assert_int_not_equal(gr_capture_read(&a, mt_str_from(text.ptr, i), &c, &fault),
                             MT_OK);
        char was = text.ptr[i];
        text.ptr[i] = (char)(was ^ 0x11);
        (void)gr_capture_read(&a, mt_buf_str(&text), &c, &fault);
        text.ptr[i] = was;
        mt_arena_free(&a);
    }
    mt_buf_free(&text);
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *path, *message;
    } ROWS[] = {
        {"[]", "$", "must be an object"},
        {"{\"surprise\":1}", "surprise", "is not a field of a capture"},
        {"{\"capture_version\":3}", "capture_version", "must be a string"},
        {"{\"capture_version\":\"v3\",\"graph_id\":\"g\",\"config\":{\"max_retries\":0}"
         ","
         "\"adapter_provenance\":\"none\",\"runtime_provenance\":\"r\",\"events\":[{}],"
         "\"decisions\":[]}",
         "$.events[0].event_id", "must be a string"},
        {"{\"journal\":\"motet-graph/2\"}\n{}\n", "line 1", NULL},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        mt_arena a = {0};
        gr_capture c;
        gr_capture_fault fault;
        assert_int_not_equal(gr_capture_read(&a, mt_str_z(ROWS[i].text), &c, &fault),
                             MT_OK);
        assert_str(fault.path, mt_str_z(ROWS[i].path));
        if (ROWS[i].message) {
            assert_str(fault.message, mt_str_z(ROWS[i].message));
        }
        mt_arena_free(&a);
    }
}

static void nothing_follows_a_document(void **state)
{
    (void)state;
    static const mt_str ROWS[] = {MT_STR_INIT(" \n\t\r"), MT_STR_INIT("\0"),
                                  MT_STR_INIT("\n\0more"), MT_STR_INIT("x"),
                                  MT_STR_INIT("{}")};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        mt_arena a = {0};
        mt_buf text = {0};
        gr_capture c;
        gr_capture_fault fault;
        write_v3(&text, false);
        mt_buf_adds(&text, ROWS[i]);
        assert_int_equal(gr_capture_read(&a, mt_buf_str(&text), &c, &fault),
                         i ? MT_E_SYNTAX : MT_OK);
        mt_buf_free(&text);
        mt_arena_free(&a);
    }
}

static const gr_time RUNS[] = {{3, 0}, {4, 1}};
static const gr_capture_waiting WAITING[] = {
    {MT_STR_INIT("w1"), {9, 0}, MT_STR_INIT("{\"x\":1}"), MT_STR_INIT("dd")},
    {MT_STR_INIT("w\n2"), {10, 0}, {0}, MT_STR_INIT("ee")},
};
static const gr_capture_carried CARRIED = {{5, 6}, RUNS, 2, WAITING, 2};

static void write_carried(mt_buf *out, int form)
{
    gr_capture_decision d = decision(false);
    if (form < 2) {
        gr_capture_writer w = gr_capture_begin(out, &HEAD, &CARRIED, form == 1);
        gr_capture_add_event(&w, &EVENT);
        gr_capture_turn(&w);
        gr_capture_add_decision(&w, &d);
        gr_capture_end(&w, &HEAD);
        return;
    }
    gr_journal_head(out, &HEAD);
    gr_journal_carried(out, &CARRIED);
    gr_journal_waiting(out, &WAITING[0]);
    gr_journal_waiting(out, &WAITING[1]);
    gr_journal_step(out, &EVENT, &d);
}

static void what_was_carried_over_reads_back(void **state)
{
    (void)state;
    for (int form = 0; form < 3; form++) {
        mt_arena a = {0};
        mt_buf text = {0};
        gr_capture c;
        gr_capture_fault fault;
        write_carried(&text, form);
        assert_int_equal(gr_capture_read(&a, mt_buf_str(&text), &c, &fault), MT_OK);
        assert_int_equal(c.carried.now.nanos, 6);
        assert_int_equal(c.carried.run_count, 2);
        assert_int_equal(c.carried.runs[1].nanos, 1);
        assert_int_equal(c.carried.waiting_count, 2);
        for (size_t i = 0; i < 2; i++) {
            assert_str(c.carried.waiting[i].event_id, WAITING[i].event_id);
            assert_str(c.carried.waiting[i].payload, WAITING[i].payload);
            assert_str(c.carried.waiting[i].payload_hash, WAITING[i].payload_hash);
            assert_true(c.carried.waiting[i].schedule_at.secs == 9 + i);
        }
        assert_int_equal(c.events.len, 1);
        mt_buf_free(&text);
        mt_arena_free(&a);
    }
}

/* A byte at a time, so that every item lies across the edge of a window. */
static mt_err trickle(void *state, uint64_t at, char *to, size_t most, size_t *got)
{
    const mt_str *text = state;
    *got = at < text->len && most > 0;
    if (*got) {
        *to = text->ptr[at];
    }
    return MT_OK;
}

static void an_event_at_a_time_is_the_same_as_all_at_once(void **state)
{
    (void)state;
    for (int form = 0; form < 3; form++) {
        mt_arena a = {0};
        mt_buf text = {0};
        gr_capture_reader *r;
        gr_capture_event e;
        gr_capture_decision d;
        gr_capture_fault fault;
        write_carried(&text, form);
        mt_str bytes = mt_buf_str(&text);
        assert_int_equal(
            gr_capture_open(&a, (gr_bytes){&bytes, trickle}, 0, &r, &fault), MT_OK);
        for (int pass = 0; pass < 2; pass++) {
            assert_int_equal(gr_capture_start_of(r)->carried.waiting_count, 2);
            assert_int_equal(gr_capture_next(r, &e, &d, &fault), MT_OK);
            assert_str(e.payload, EVENT.payload);
            assert_str(d.effects[1].effect, EFFECTS[1].effect);
            assert_int_equal(gr_capture_next(r, &e, &d, &fault), MT_E_NOTFOUND);
            assert_int_equal(gr_capture_events(r), 1);
            assert_false(gr_capture_truncated(r));
            gr_capture_rewind(r);
        }
        gr_capture_close(r);
        mt_buf_free(&text);
        mt_arena_free(&a);
    }
}

static mt_err open_bounded(mt_arena *a, mt_str *text, size_t most)
{
    gr_capture_reader *r;
    gr_capture_event e;
    gr_capture_decision d;
    gr_capture_fault fault;
    mt_err err = gr_capture_open(a, gr_bytes_of(text), most, &r, &fault);
    if (!err) {
        err = gr_capture_next(r, &e, &d, &fault);
        gr_capture_close(r);
    }
    return err;
}

/* The bound is that of the largest item, not of the text. */
static void an_item_may_be_as_large_as_the_bound(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf text = {0};
    gr_capture_decision d = decision(false);
    gr_journal_head(&text, &HEAD);
    size_t head = text.len;
    gr_journal_step(&text, &EVENT, &d);
    mt_str bytes = mt_buf_str(&text);
    size_t line = text.len - head - 1;
    assert_true(line > head);
    assert_int_equal(open_bounded(&a, &bytes, line), MT_OK);
    assert_int_equal(open_bounded(&a, &bytes, line - 1), MT_E_LIMIT);
    mt_buf_free(&text);
    mt_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_what_was_written),
        cmocka_unit_test(a_journal_cut_anywhere_reads_up_to_the_cut),
        cmocka_unit_test(broken_documents_never_crash),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(nothing_follows_a_document),
        cmocka_unit_test(what_was_carried_over_reads_back),
        cmocka_unit_test(an_event_at_a_time_is_the_same_as_all_at_once),
        cmocka_unit_test(an_item_may_be_as_large_as_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
