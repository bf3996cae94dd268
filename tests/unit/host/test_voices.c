/* Graphs and agents in the store: what commits together, survives together. The same
 * tests on every backend. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../store/store_fixture.h"

#include "base/yaml_read.h"
#include "host/agent_service.h"
#include "host/graph_files.h"
#include "host/graph_replay.h"
#include "host/graph_service.h"

#ifndef EXAMPLES
#define EXAMPLES "examples" /* the build gives the full path */
#endif

static mt_arena arena;

static const mt_json *yaml(const char *text)
{
    mt_json *tree = mt_new(&arena, mt_json);
    assert_fine(mt_yaml_read(&arena, mt_str_z(text), NULL, tree, NULL));
    return tree;
}

/* ---- graphs ---- */

#define CROSSOVER EXAMPLES "/crossover/"

static ho_graph_service *graph_service(const char *egress)
{
    mt_buf why = {0};
    ho_graph_service *g;
    mt_str config = mt_strf(&arena,
                            "graph: " CROSSOVER "crossover.yaml\n"
                            "adapter: " CROSSOVER "adapter.yaml\n"
                            "egress: %s\n",
                            egress ? egress : CROSSOVER "egress.yaml");
    mt_err err =
        ho_graph_service_open(MT_STR("fx"), yaml(config.ptr), NULL, NULL, &g, &why);
    if (err) {
        fail_msg("%.*s", MT_ARG(why));
    }
    mt_buf_free(&why);
    return g;
}

/* The price of event n: a slow wave, so that the averages cross now and then. */
static double price(int n)
{
    int turn = n % 40;
    return 1.1 + 0.001 * (turn < 20 ? turn : 40 - turn);
}

static mt_err send_price(ho_graph_service *g, st_tx *tx, int n, ho_graph_done *done)
{
    mt_json *payload = mt_new(&arena, mt_json);
    mt_str text = mt_strf(&arena, "{\"close\":%.5f,\"spread\":0.0002}", price(n));
    assert_fine(mt_json_read(&arena, text, NULL, payload, NULL));
    ho_graph_event event = {.id = mt_strf(&arena, "e%d", n),
                            .kind = GR_DATA_AVAILABLE,
                            .at = {1700000000u + (unsigned)n, 0},
                            .semantic_kind = MT_STR("price"),
                            .payload = payload};
    return ho_graph_service_event(g, tx, n, &event, done);
}

static void commit_price(ho_graph_service *g, st_store *s, int n)
{
    ho_graph_done done;
    st_tx *tx = begin(s, ST_WRITE);
    assert_fine(send_price(g, tx, n, &done));
    assert_false(done.refused);
    assert_fine(st_commit(tx));
}

static mt_str capture_text(ho_graph_service *g, st_store *s, const char *id)
{
    mt_buf text = {0};
    st_tx *tx = begin(s, ST_READ);
    assert_fine(ho_graph_service_capture(g, tx, mt_str_z(id), &text));
    st_rollback(tx);
    mt_str kept = mt_str_dup(&arena, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

static mt_str context_text(ho_graph_service *g, st_store *s)
{
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    st_tx *tx = begin(s, ST_READ);
    assert_fine(ho_graph_service_context(tx, ho_graph_service_name(g), &w));
    st_rollback(tx);
    mt_str kept = mt_str_dup(&arena, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* The capture replays without a difference, and has `events` events. */
static void assert_replays(ho_graph_service *g, mt_str text, size_t events)
{
    gr_capture_reader *capture;
    gr_capture_fault fault;
    assert_fine(gr_capture_open(&arena, gr_bytes_of(&text), 0, &capture, &fault));
    assert_int_equal(gr_capture_events(capture), events);
    mt_diags ds = {.arena = &arena};
    ho_graph_files files;
    ho_graph_paths paths = {.graph = CROSSOVER "crossover.yaml",
                            .adapter = CROSSOVER "adapter.yaml"};
    assert_fine(ho_graph_files_load(&paths, &MT_LIMITS_DEFAULT, &ds, &files));
    ho_replay_result result = {0};
    ho_replay_options options = {.graph = ho_graph_service_graph(g),
                                 .adapter = files.adapter};
    mt_err err = ho_replay(&arena, capture, &options, &result);
    if (err) {
        fail_msg("%s: %.*s", result.divergence.code, MT_ARG(result.divergence.message));
    }
    gr_capture_close(capture);
    ho_graph_files_free(&files);
}

enum { EVENTS = 120 };

/* What an uninterrupted service makes of the same events. */
static void run_plain(st_store *s, mt_str *capture, mt_str *context)
{
    ho_graph_service *g = graph_service(NULL);
    for (int n = 0; n < EVENTS; n++) {
        commit_price(g, s, n);
    }
    *capture = capture_text(g, s, "fx.000001");
    *context = context_text(g, s);
    assert_replays(g, *capture, EVENTS);
    ho_graph_service_close(g);
}

static void a_graph_goes_on_after_a_restart(void **state)
{
    mt_str capture, context;
    st_store *s = fresh(state);
    run_plain(s, &capture, &context);
    st_close(s);
    s = fresh(state);
    ho_graph_service *g = graph_service(NULL);
    for (int n = 0; n < EVENTS; n++) {
        if (n % 7 == 3) {
            ho_graph_service_close(g);
            g = graph_service(NULL);
        }
        commit_price(g, s, n);
    }
    assert_text(capture_text(g, s, "fx.000001"), capture);
    assert_text(context_text(g, s), context);
    ho_graph_service_close(g);
    st_close(s);
}

static void two_nodes_share_one_graph(void **state)
{
    mt_str capture, context;
    st_store *s = fresh(state);
    run_plain(s, &capture, &context);
    st_close(s);
    s = fresh(state);
    ho_graph_service *nodes[2] = {graph_service(NULL), graph_service(NULL)};
    for (int n = 0; n < EVENTS; n++) {
        commit_price(nodes[(n / 3 + n) % 2], s, n);
    }
    assert_text(capture_text(nodes[0], s, "fx.000001"), capture);
    assert_text(context_text(nodes[1], s), context);
    ho_graph_service_close(nodes[0]);
    ho_graph_service_close(nodes[1]);
    st_close(s);
}

static void an_event_rolled_back_never_was(void **state)
{
    mt_str capture, context;
    st_store *s = fresh(state);
    run_plain(s, &capture, &context);
    st_close(s);
    s = fresh(state);
    ho_graph_service *g = graph_service(NULL), *other = graph_service(NULL);
    for (int n = 0; n < EVENTS; n++) {
        if (n % 5 == 0) {
            ho_graph_done done;
            st_tx *tx = begin(s, ST_WRITE);
            assert_fine(send_price(g, tx, n + 17, &done));
            st_rollback(tx);
        }
        /* After a rollback it finds out by itself, even when others wrote since. */
        commit_price(n % 15 ? g : other, s, n);
    }
    assert_text(capture_text(g, s, "fx.000001"), capture);
    assert_text(context_text(g, s), context);
    ho_graph_service_close(other);
    ho_graph_service_close(g);
    st_close(s);
}

static void a_refused_event_leaves_nothing(void **state)
{
    st_store *s = fresh(state);
    ho_graph_service *g = graph_service(NULL);
    const char *bad[] = {"{}", "{\"close\":\"x\",\"spread\":1}",
                         "{\"close\":1,\"spread\":1,\"other\":2}"};
    for (size_t i = 0; i < 6; i++) {
        mt_json payload;
        ho_graph_done done;
        assert_fine(mt_json_read(&arena, mt_str_z(bad[i % 3]), NULL, &payload, NULL));
        ho_graph_event event = {.id = MT_STR("bad"),
                                .kind = GR_DATA_AVAILABLE,
                                .semantic_kind = MT_STR("price"),
                                .payload = &payload};
        st_tx *tx = begin(s, ST_WRITE);
        assert_fine(ho_graph_service_event(g, tx, 1, &event, &done));
        assert_true(done.refused);
        assert_string_equal(done.problem.code, "host.event_build_failed");
        assert_fine(st_commit(tx));
        if (i == 2) {
            commit_price(g, s, 0);
        }
    }
    ho_graph_done done;
    st_tx *tx = begin(s, ST_WRITE);
    assert_fine(send_price(g, tx, 0, &done));
    assert_true(done.refused);
    assert_string_equal(done.problem.code, "host.duplicate_event_id");
    assert_fine(st_commit(tx));
    assert_replays(g, capture_text(g, s, "fx.000001"), 1);
    ho_graph_service_close(g);
    st_close(s);
}

static void intents_wait_in_the_outbox_and_are_sent_from_there(void **state)
{
    st_store *s = fresh(state);
    FILE *f = fopen(temp_path("egress.yaml"), "we");
    assert_non_null(f);
    fprintf(f,
            "default_ack_timeout: 5s\nchannels:\n  broker:\n    type: process\n"
            "    command: [python3, \"" CROSSOVER "broker.py\", \"%s\"]\n"
            "routes:\n  place_order:\n    channel: broker\n",
            temp_path("orders.jsonl"));
    fclose(f);
    ho_graph_service *g = graph_service(temp_path("egress.yaml"));
    for (int n = 0; n < EVENTS; n++) {
        commit_price(g, s, n);
    }
    st_trigger *due;
    size_t count;
    st_tx *tx = begin(s, ST_WRITE);
    assert_fine(st_trigger_take(tx, EVENTS, 100, &arena, &due, &count));
    st_rollback(tx);
    assert_true(count >= 2);
    for (size_t i = 0; i < count; i++) {
        mt_json body;
        mt_buf ack = {0}, why = {0};
        assert_fine(mt_json_read(&arena, due[i].body, NULL, &body, NULL));
        mt_err err = ho_graph_service_deliver(g, &body, &ack, &why);
        if (err) {
            fail_msg("%.*s", MT_ARG(why));
        }
        assert_non_null(memmem(ack.ptr, ack.len, "\"durable\"", 9));
        mt_buf_free(&ack);
        mt_buf_free(&why);
    }
    ho_graph_service_close(g);
    st_close(s);
}

/* ---- a history for each key ---- */

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* A graph that acknowledges each event, of whatever account. */
static ho_graph_service *keyed_service(mt_str name, const char *more)
{
    char directory[] = "/tmp/motet-voices-XXXXXX";
    mt_buf why = {0};
    ho_graph_service *g;
    assert_non_null(mkdtemp(directory));
    mt_str graph = mt_strf(&arena, "%s/g.yaml", directory);
    mt_str adapter = mt_strf(&arena, "%s/a.yaml", directory);
    write_text(graph.ptr, "{kind: cluster, id: g, version: 1.0.0, nodes: {\n"
                          "yes: {impl: const_bool@*, params: {value: true}},\n"
                          "t: {impl: emit_if_true@*}, ok: {impl: ack_action@*}},\n"
                          "edges: [yes.value -> t.input, t.event -> ok.event]}\n");
    write_text(adapter.ptr,
               "{kind: adapter, id: a, version: 1.0.0, runtime_compatibility: 0.1.0,\n"
               "key: account, context_keys: [{name: account, type: String, required: "
               "true, writable: false}],\n"
               "event_kinds: [{name: e, payload_schema: {type: object, required: "
               "[account], properties: {account: {type: string}}, "
               "additionalProperties: false}}],\n"
               "capture: {format_version: '1', fields: [event.e]}}\n");
    mt_str config =
        mt_strf(&arena, "{graph: %s, adapter: %s%s}", graph.ptr, adapter.ptr, more);
    if (ho_graph_service_open(name, yaml(config.ptr), NULL, NULL, &g, &why)) {
        fail_msg("%.*s", MT_ARG(why));
    }
    unlink(graph.ptr);
    unlink(adapter.ptr);
    rmdir(directory);
    return g;
}

static void send_entry(ho_graph_service *g, st_store *s, const char *account, int n)
{
    ho_graph_done done;
    mt_json *payload = mt_new(&arena, mt_json);
    mt_str text = mt_strf(&arena, "{\"account\":\"%s\"}", account);
    assert_fine(mt_json_read(&arena, text, NULL, payload, NULL));
    ho_graph_event event = {.id = mt_strf(&arena, "e%d", n),
                            .kind = GR_DATA_AVAILABLE,
                            .semantic_kind = MT_STR("e"),
                            .payload = payload};
    st_tx *tx = begin(s, ST_WRITE);
    assert_fine(ho_graph_service_event(g, tx, n, &event, &done));
    assert_false(done.refused);
    assert_fine(st_commit(tx));
}

typedef struct listed {
    char keys[8];
    size_t count;
    mt_str last;
} listed;

static mt_err note_key(void *state, mt_str history, mt_str key, mt_str capture)
{
    listed *l = state;
    assert_int_equal(key.len, 1);
    assert_true(mt_str_starts(capture, history));
    l->keys[l->count++] = key.ptr[0];
    l->last = mt_str_dup(&arena, history);
    return MT_OK;
}

/* In the order of digests, which is none that people know, but always the same. */
static void keys_are_listed_page_by_page(void **state)
{
    st_store *s = fresh(state);
    ho_graph_service *g = keyed_service(MT_STR("k"), ""),
                     *other = keyed_service(MT_STR("k0"), "");
    static const char *const ACCOUNTS[] = {"c", "a", "e", "b", "d", "a", "c"};
    listed whole = {0}, paged = {0}, none = {0};
    for (int i = 0; i < 7; i++) {
        send_entry(g, s, ACCOUNTS[i], i);
    }
    send_entry(other, s, "z", 0);
    st_tx *tx = begin(s, ST_READ);
    assert_fine(
        ho_graph_service_keys(g, tx, (st_page){.limit = 100}, note_key, &whole));
    assert_int_equal(whole.count, 5);
    for (const char *c = "abcde"; *c; c++) {
        assert_non_null(memchr(whole.keys, *c, 5));
    }
    for (size_t before = 1; before != paged.count;) {
        before = paged.count;
        st_page page = {.after = paged.last, .limit = 2};
        assert_fine(ho_graph_service_keys(g, tx, page, note_key, &paged));
    }
    assert_int_equal(paged.count, 5);
    assert_memory_equal(paged.keys, whole.keys, 5);
    assert_int_equal(
        ho_graph_service_keys(other, tx, (st_page){paged.last, 2}, note_key, &none),
        MT_E_RANGE);
    st_rollback(tx);
    ho_graph_service_close(g);
    ho_graph_service_close(other);
    st_close(s);
}

typedef struct due_rows {
    mt_str rows[8];
    size_t count;
} due_rows;

static mt_err note_due_row(void *state, mt_str row)
{
    due_rows *d = state;
    d->rows[d->count++] = mt_str_dup(&arena, row);
    return MT_OK;
}

static due_rows dues(ho_graph_service *g, st_store *s, int64_t now_ms, st_page page)
{
    due_rows d = {0};
    st_tx *tx = begin(s, ST_READ);
    assert_fine(ho_graph_service_dues(g, tx, now_ms, page, note_due_row, &d));
    st_rollback(tx);
    return d;
}

/* What was pumped, or the code of its refusal. */
static mt_str pumped(ho_graph_service *g, st_store *s, int64_t now_ms, mt_str row,
                     bool commit)
{
    ho_graph_done done;
    st_tx *tx = begin(s, ST_WRITE);
    assert_fine(ho_graph_service_pump(g, tx, now_ms, row, &done));
    mt_str said = mt_str_dup(&arena, done.refused ? mt_str_z(done.problem.code)
                                                  : done.step.event.id);
    if (commit) {
        assert_fine(st_commit(tx));
    } else {
        st_rollback(tx);
        ho_graph_service_forget(g);
    }
    return said;
}

/* Of the moment 0, one run a second: the second event of an account waits until
 * 1000 ms, to the millisecond. */
static void a_key_is_due_at_its_time_and_not_before(void **state)
{
    st_store *s = fresh(state);
    static const char LIMITS[] = ", pump: true, max_per_window: 1, rate_window: 1s";
    ho_graph_service *g = keyed_service(MT_STR("k"), LIMITS),
                     *other = keyed_service(MT_STR("k0"), LIMITS);
    st_page all = {.limit = 8};
    static const char *const ACCOUNTS[] = {"a", "b", "c", "a", "b", "a"};
    assert_fine(ho_graph_service_prepare(g, s, 0));
    for (int i = 0; i < 6; i++) {
        send_entry(g, s, ACCOUNTS[i], i);
    }
    assert_int_equal(dues(g, s, 999, all).count, 0);
    due_rows two = dues(g, s, 1000, all);
    assert_int_equal(two.count, 2);
    assert_int_equal(dues(other, s, 1000, all).count, 0);
    assert_int_equal(dues(g, s, 1000, (st_page){.limit = 1}).count, 1);
    assert_int_equal(dues(g, s, 1000, (st_page){two.rows[0], 8}).count, 1);
    assert_text(pumped(g, s, 999, two.rows[0], true), MT_STR("host.nothing_due"));
    assert_text(pumped(other, s, 1000, two.rows[0], true), MT_STR("host.nothing_due"));
    /* Rolled back, nothing happened: the same pump comes again, with the same id. */
    for (int i = 0; i < 2; i++) {
        mt_str first = pumped(g, s, 1000, two.rows[i], false);
        assert_true(mt_str_starts(first, MT_STR("pump:1:1.000000000:1:")));
        assert_text(pumped(g, s, 1000, two.rows[i], true), first);
    }
    /* The third of `a` was put off to that time, too; the second has taken it. */
    assert_int_equal(dues(g, s, 1999, all).count, 0);
    due_rows one = dues(g, s, 2000, all);
    assert_int_equal(one.count, 1);
    assert_text(pumped(g, s, 1999, one.rows[0], true), MT_STR("host.nothing_due"));
    assert_text(pumped(g, s, 2000, one.rows[0], true),
                MT_STR("pump:2:2.000000000:1:a"));
    assert_int_equal(dues(g, s, INT64_MAX / 2, all).count, 0);
    ho_graph_service_close(g);
    ho_graph_service_close(other);
    st_close(s);
}

/* ---- agents ---- */

static ho_agent_service *agent_service(void)
{
    mt_buf why = {0};
    ho_agent_service *x;
    mt_err err = ho_agent_service_open(MT_STR("seller"),
                                       yaml("file: " EXAMPLES "/agents/seller.yaml"),
                                       NULL, NULL, NULL, &x, &why);
    if (err) {
        fail_msg("%.*s", MT_ARG(why));
    }
    mt_buf_free(&why);
    return x;
}

static mt_err say(ho_agent_service *x, st_store *s, const char *line, bool commit,
                  mt_str *sent)
{
    ho_agent_done done;
    mt_err err = ho_agent_service_receive(x, s, mt_str_z(line), &done);
    if (err) {
        return err;
    }
    *sent = mt_str_dup(&arena, done.sent);
    st_tx *tx = begin(s, ST_WRITE);
    err = ho_agent_service_keep(x, tx, 1, &done);
    if (err || !commit) {
        st_rollback(tx);
        ho_agent_service_forget(x);
        return err;
    }
    return st_commit(tx);
}

static mt_str tape_text(ho_agent_service *x, st_store *s)
{
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    st_tx *tx = begin(s, ST_READ);
    assert_fine(ho_agent_service_tape(x, tx, &w));
    st_rollback(tx);
    mt_str kept = mt_str_dup(&arena, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

static const char HELLO[] =
    "{\"remote_addr\":\"127.0.0.1:1\",\"content\":{\"from\":\"b1\",\"to\":null,"
    "\"intent\":\"register\"}}";

static void an_agents_tape_is_what_was_committed(void **state)
{
    mt_str sent, again;
    st_store *s = fresh(state);
    ho_agent_service *x = agent_service();
    assert_text(tape_text(x, s), MT_STR("null"));
    assert_fine(say(x, s, HELLO, false, &sent));
    assert_text(tape_text(x, s), MT_STR("null"));
    assert_fine(say(x, s, HELLO, true, &again));
    mt_str tape = tape_text(x, s);
    assert_true(tape.len > 4);
    ho_agent_service_close(x);
    x = agent_service();
    assert_text(tape_text(x, s), tape);
    assert_err(say(x, s, "\xff\xfe", true, &sent), MT_E_SYNTAX);
    assert_text(tape_text(x, s), tape);
    ho_agent_service_close(x);
    st_close(s);
}

static mt_err add_body(void *state, const st_doc *row)
{
    mt_buf_adds(state, row->body);
    return MT_OK;
}

static void of_two_nodes_the_slower_sees_a_conflict(void **state)
{
    mt_str sent;
    ho_agent_done first, second;
    st_store *s = fresh(state);
    ho_agent_service *a = agent_service(), *b = agent_service();
    assert_fine(say(a, s, HELLO, true, &sent));
    assert_fine(ho_agent_service_receive(a, s, mt_str_z(HELLO), &first));
    assert_fine(ho_agent_service_receive(b, s, mt_str_z(HELLO), &second));
    st_tx *tx = begin(s, ST_WRITE);
    assert_fine(ho_agent_service_keep(a, tx, 1, &first));
    assert_fine(st_commit(tx));
    tx = begin(s, ST_WRITE);
    assert_err(ho_agent_service_keep(b, tx, 1, &second), MT_E_CONFLICT);
    st_rollback(tx);
    ho_agent_service_forget(b);
    assert_fine(say(b, s, HELLO, true, &sent));
    mt_buf text = {0};
    tx = begin(s, ST_READ);
    assert_fine(ho_agent_service_log(a, tx, (st_page){.limit = 100}, add_body, &text));
    st_rollback(tx);
    size_t in = 0;
    for (const char *p = text.ptr;
         (p = memmem(p, (size_t)(text.ptr + text.len - p), "\"in\"", 4)); p++) {
        in++;
    }
    assert_int_equal(in, 3);
    mt_buf_free(&text);
    ho_agent_service_close(a);
    ho_agent_service_close(b);
    st_close(s);
}

static size_t messages(ho_agent_service *x, st_store *s)
{
    mt_buf text = {0};
    st_tx *tx = begin(s, ST_READ);
    assert_fine(ho_agent_service_log(x, tx, (st_page){.limit = 100}, add_body, &text));
    st_rollback(tx);
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        count += text.ptr[i] == '{' && !memcmp(text.ptr + i, "{\"direction\"", 12);
    }
    mt_buf_free(&text);
    return count;
}

static void a_cycle_is_written_in_one_transaction_only(void **state)
{
    mt_str sent;
    ho_agent_done done;
    st_store *s = fresh(state);
    ho_agent_service *x = agent_service();
    assert_fine(ho_agent_service_receive(x, s, mt_str_z(HELLO), &done));
    st_tx *tx = begin(s, ST_WRITE);
    assert_fine(ho_agent_service_keep(x, tx, 1, &done));
    size_t lines = 0;
    for (size_t i = 0; i < done.sent.len; i++) {
        lines += done.sent.ptr[i] == '\n';
    }
    st_rollback(tx);
    /* The committer tries again; what was said then is known to the agent as sent. */
    tx = begin(s, ST_WRITE);
    assert_err(ho_agent_service_keep(x, tx, 1, &done), MT_E_CONFLICT);
    st_rollback(tx);
    ho_agent_service_forget(x);
    assert_int_equal(messages(x, s), 0);
    assert_fine(say(x, s, HELLO, true, &sent));
    assert_int_equal(messages(x, s), 1 + lines);
    ho_agent_service_close(x);
    st_close(s);
}

int main(void)
{
    static rows_list tests;
    backends_start();
    both(&tests, a_graph_goes_on_after_a_restart);
    both(&tests, two_nodes_share_one_graph);
    both(&tests, an_event_rolled_back_never_was);
    both(&tests, a_refused_event_leaves_nothing);
    both(&tests, intents_wait_in_the_outbox_and_are_sent_from_there);
    both(&tests, keys_are_listed_page_by_page);
    both(&tests, a_key_is_due_at_its_time_and_not_before);
    both(&tests, an_agents_tape_is_what_was_committed);
    both(&tests, of_two_nodes_the_slower_sees_a_conflict);
    both(&tests, a_cycle_is_written_in_one_transaction_only);
    int failed = rows_run(&tests, "host/voices");
    backends_stop();
    mt_arena_free(&arena);
    return failed;
}
