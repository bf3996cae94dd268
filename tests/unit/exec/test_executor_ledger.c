/* The ledger as the executor writes and shows it, on every store. */
#include "exec_fixture.h"

#include <time.h>
#include <unistd.h>

#include "exec/evidence/ledger_store.h"
#include "ledger/proof.h"
#include "ledger/verify.h"
#include "os/key_file.h"

static const char DOT[] =
    "persona p\nfact f { type: Bool source: \"a.b\" default: true }\n"
    "entity Dot { states: [a, b] initial: a transitions: [(a, b)] "
    "}\noperation go { allowed_personas: [p] precondition: f = true "
    "effects: [(Dot, a, b)] }\n";

static void ignore_answer(void *state, ex_reply *reply)
{
    if (reply->status != 201) {
        *(int *)state = reply->status;
    }
}

/* Many records in few groups: nobody waits for an answer. */
static void grow(desk *d, unsigned from, unsigned count)
{
    enum { SLICE = 1000 };
    static ex_call calls[SLICE];
    static char bodies[SLICE][32];
    int bad = 0;
    for (unsigned done = 0; done < count; done += SLICE) {
        unsigned n = count - done < SLICE ? count - done : SLICE;
        for (unsigned i = 0; i < n; i++) {
            snprintf(bodies[i], sizeof bodies[i], "{\"id\":\"d%u\"}", from + done + i);
            calls[i] = (ex_call){.action = EX_INSTANCE_CREATE,
                                 .caller = &ANYONE,
                                 .name = MT_STR("Dot"),
                                 .body = mt_str_z(bodies[i])};
        }
        for (unsigned i = 0; i + 1 < n; i++) {
            ex_executor_call(d->x, &calls[i], ignore_answer, &bad);
        }
        ask_call(d, &calls[n - 1]); /* the last is answered last */
        assert_int_equal(bad, 0);
    }
}

static uint64_t chained_size(desk *d)
{
    const mt_json *r = ask(d, &ANYONE, EX_LEDGER_CHECKPOINT, "", "", "");
    expect(d, 200);
    int64_t size = 0;
    assert_fine(mt_json_i64(at(r, "size"), &size));
    return (uint64_t)size;
}

static void wait_for(desk *d, uint64_t size)
{
    for (int i = 0; i < 500 && chained_size(d) < size; i++) {
        usleep(10000);
    }
    assert_int_equal(chained_size(d), size);
}

static lg_statement statement_of(desk *d)
{
    lg_statement s;
    assert_fine(lg_statement_read(&d->arena, d->text, &s));
    return s;
}

/* All leaves, straight from the store. */
typedef struct leaves {
    mt_sha256 items[4000];
    uint64_t count;
} leaves;

static mt_err take_leaf(void *state, const st_record *row)
{
    leaves *l = state;
    mt_sha256 hash;
    memcpy(hash.bytes, row->hash.ptr, MT_SHA256_BYTES);
    l->items[l->count++] = lg_leaf(&hash);
    return MT_OK;
}

static leaves *all_leaves(desk *d)
{
    static leaves l;
    l.count = 0;
    st_tx *tx = begin(d->store, ST_READ);
    st_record_filter f = {0};
    assert_fine(st_record_walk(tx, &f, (st_page){.limit = 4000}, take_leaf, &l));
    st_rollback(tx);
    return &l;
}

static void assert_inclusion(desk *d, const leaves *l, uint64_t seq, uint64_t size)
{
    char id[24], text[24];
    snprintf(id, sizeof id, "%llu", (unsigned long long)seq);
    snprintf(text, sizeof text, "%llu", (unsigned long long)size);
    ad_param q[] = {{MT_STR("size"), mt_str_z(text)}};
    ask_query(d, EX_LEDGER_PROOF, "", id, q, 1);
    expect(d, 200);
    lg_statement s = statement_of(d);
    lg_checkpoint point = {.size = size, .root = lg_root(l->items, size)};
    assert_int_equal(s.record.seq, seq);
    assert_null(lg_statement_fault(&s, NULL, &point));
}

static void assert_consistency(desk *d, const leaves *l, uint64_t from, uint64_t to)
{
    char a[24], b[24];
    snprintf(a, sizeof a, "%llu", (unsigned long long)from);
    snprintf(b, sizeof b, "%llu", (unsigned long long)to);
    ad_param q[] = {{MT_STR("from"), mt_str_z(a)}, {MT_STR("to"), mt_str_z(b)}};
    ask_query(d, EX_LEDGER_CONSISTENCY, "", "", q, 2);
    expect(d, 200);
    lg_statement s = statement_of(d);
    lg_checkpoint before = {.size = from, .root = lg_root(l->items, from)};
    lg_checkpoint now = {.size = to, .root = lg_root(l->items, to)};
    if (lg_statement_fault(&s, &before, &now)) {
        fail_msg("from %s to %s does not check", a, b);
    }
}

static void E19_proofs_convince_a_third_party(void **state)
{
    desk d = desk_open(state, contract_file("dot.tenor", DOT), NULL);
    grow(&d, 0, 1299);
    wait_for(&d, 1300);
    const leaves *l = all_leaves(&d);
    assert_int_equal(l->count, 1300);
    static const uint64_t SIZES[] = {1,   2,   3,   255, 256,  257,  300,  511,
                                     512, 513, 640, 767, 1023, 1024, 1025, 1300};
    for (size_t i = 0; i < rows_count(SIZES); i++) {
        uint64_t size = SIZES[i];
        assert_inclusion(&d, l, 0, size);
        assert_inclusion(&d, l, size / 2, size);
        assert_inclusion(&d, l, size - 1, size);
        for (size_t k = 0; k <= i; k++) {
            assert_consistency(&d, l, SIZES[k], size);
        }
        for (uint64_t from = size > 9 ? size - 9 : 1; from < size; from++) {
            assert_consistency(&d, l, from, size);
        }
    }
    assert_consistency(&d, l, 384, 1300);
    assert_consistency(&d, l, 288, 300);
    assert_consistency(&d, l, 300, 512);
    expect_code(&d, ask(&d, &ANYONE, EX_LEDGER_PROOF, "", "999999", ""), 404,
                "unknown_record");
    expect_code(&d, ask(&d, &ANYONE, EX_LEDGER_GET, "", "1x", ""), 404,
                "unknown_record");
    expect_code(&d, ask(&d, &SELLER, EX_LEDGER_LIST, "", "", ""), 403, "forbidden");
    desk_close(&d);
}

static void E19_the_ledger_is_chained_signed_and_verifies(void **state)
{
    const char *path = temp_path("ledger.secret");
    mt_sign_key key;
    mt_buf why = {0};
    mt_sign_generate(&key);
    unlink(path);
    assert_fine(os_key_write(path, &key, &why));
    ex_executor_options o = {
        .signing_key = path, .checkpoint_every = 100, .trust_domain = MT_STR("a.b")};
    desk d = desk_open(state, contract_file("dot.tenor", DOT), &o);
    grow(&d, 0, 348); /* behind the key and the contract */
    wait_for(&d, 350);
    /* It goes on after a restart, and is signed when it closes. */
    d = desk_again(state, &d, &o);
    grow(&d, 1000, 50);
    wait_for(&d, 400);
    d = desk_again(state, &d, &o);
    const mt_json *r = ask(&d, &ANYONE, EX_LEDGER_CHECKPOINT, "", "", "");
    assert_at(r, "signed.checkpoint.size", "400");
    ex_ledger *ledger;
    lg_finding found;
    assert_fine(ex_ledger_open(d.store, 0, &ledger));
    lg_source source = ex_ledger_source(ledger);
    lg_expectation expected = {.keys = &key.open, .key_count = 1};
    if (lg_verify_source(&source, &expected, &found)) {
        fail_msg("line %zu: %s", found.line, found.problem);
    }
    assert_int_equal(found.records, 400);
    assert_true(found.checkpoints >= 2);
    ex_ledger_close(ledger);
    desk_close(&d);
    mt_buf_free(&why);
}

static void lists_have_pages_and_filters(void **state)
{
    desk d = desk_open(state, contract_file("dot.tenor", DOT), NULL);
    grow(&d, 0, 250);
    wait_for(&d, 251);
    mt_str after = MT_STR("");
    uint32_t seen = 0;
    do {
        ad_param q[] = {{MT_STR("limit"), MT_STR("100")}, {MT_STR("after"), after}};
        const mt_json *r = ask_query(&d, EX_LEDGER_LIST, "", "", q, 2);
        expect(&d, 200);
        seen += count_at(r, "items");
        after = mt_json_text(at(r, "next"));
    } while (after.len);
    assert_int_equal(seen, 251);
    ad_param newest[] = {{MT_STR("order"), MT_STR("desc")},
                         {MT_STR("limit"), MT_STR("1")}};
    const mt_json *r = ask_query(&d, EX_LEDGER_LIST, "", "", newest, 2);
    assert_at(r, "items.0.seq", "250");
    ad_param subject[] = {{MT_STR("subject"), MT_STR("Dot/d7")}};
    r = ask_query(&d, EX_LEDGER_LIST, "", "", subject, 1);
    assert_int_equal(count_at(r, "items"), 1);
    ad_param range[] = {{MT_STR("from"), MT_STR("10")}, {MT_STR("to"), MT_STR("20")}};
    r = ask_query(&d, EX_LEDGER_LIST, "", "", range, 2);
    assert_int_equal(count_at(r, "items"), 10);
    ad_param bad[] = {{MT_STR("limit"), MT_STR("0")}};
    expect_code(&d, ask_query(&d, EX_LEDGER_LIST, "", "", bad, 1), 400, "bad_request");
    ad_param worse[] = {{MT_STR("after"), MT_STR("x")}};
    expect_code(&d, ask_query(&d, EX_LEDGER_LIST, "", "", worse, 1), 400,
                "bad_request");
    desk_close(&d);
}

static void time_does_not_go_back_with_the_clock(void **state)
{
    desk d = desk_open(state, contract_file("dot.tenor", DOT), NULL);
    desk_close(&d);
    st_store *s = again(state, NULL);
    st_tx *tx = begin(s, ST_WRITE);
    st_record row = {.kind = MT_STR("note"),
                     .time_ms = ((int64_t)time(NULL) + 3600) * 1000,
                     .body = MT_STR("{\"kind\":\"note\"}")};
    assert_fine(st_pending_add(tx, &row, 1));
    assert_fine(st_commit(tx));
    /* As if the clock had been an hour ahead when that was written. */
    d = desk_on(s, NULL, NULL);
    const mt_json *r =
        ask(&d, &ANYONE, EX_INSTANCE_CREATE, "Dot", "", "{\"id\":\"x\"}");
    expect(&d, 201);
    int64_t record;
    bool queued = st_is_shared(d.store);
    assert_fine(mt_json_i64(at(r, queued ? "queued" : "record"), &record));
    st_record got;
    tx = begin(d.store, ST_READ);
    assert_fine(queued ? st_record_get(tx, &d.arena, record, &got)
                       : st_record_at(tx, &d.arena, record, &got));
    st_rollback(tx);
    assert_true(got.time_ms >= row.time_ms);
    desk_close(&d);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void a_long_ledger_opens_at_once(void **state)
{
    desk d = desk_open(state, contract_file("dot.tenor", DOT), NULL);
    unsigned count = (unsigned)soak_or(1000000, 20000);
    grow(&d, 0, count);
    desk_close(&d);
    double before = now();
    d = desk_on(again(state, NULL), NULL, NULL);
    double took = now() - before;
    print_message("%u records: open in %.3f s\n", count, took);
    assert_true(took < 1.0);
    create(&d, "Dot", "one-more");
    desk_close(&d);
}

int main(void)
{
    static rows_list l;
    both(&l, E19_proofs_convince_a_third_party);
    both(&l, E19_the_ledger_is_chained_signed_and_verifies);
    both(&l, lists_have_pages_and_filters);
    both(&l, time_does_not_go_back_with_the_clock);
    both(&l, a_long_ledger_opens_at_once);
    int failed = rows_run(&l, "exec/executor_ledger");
    backends_stop();
    return failed;
}
