/* The ledger of a store, line for line what an exported file has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "exec/evidence/ledger_store.h"
#include "ledger/chain.h"
#include "ledger/verify.h"

enum { RECORDS = 2345 };

static char dir[] = "/tmp/motet-ledger-XXXXXX";
static st_store *store;
static mt_buf whole;               /* the file it must be */
static size_t starts[RECORDS + 1]; /* where each record's line begins in it */

/* Checkpoints at odd places: at a page's end, twice in a row, at the very end. */
static bool signs_after(int seq)
{
    return seq == 0 || seq == 1 || seq == 998 || seq == 999 || seq == 1000 ||
           seq % 700 == 699 || seq == RECORDS - 1;
}

static mt_err put(st_tx *tx, lg_chain *chain, int i, const mt_sign_key *key)
{
    char body[64];
    snprintf(body, sizeof body, "{\"kind\":\"k\",\"n\":%d}", i);
    lg_entry e = lg_chain_append(chain, mt_str_z(body));
    st_record row = {.seq = (int64_t)e.seq,
                     .kind = MT_STR("k"),
                     .body = e.body,
                     .hash = mt_str_from((const char *)e.hash.bytes, MT_SHA256_BYTES)};
    starts[i] = whole.len;
    lg_entry_write(&whole, &e);
    mt_err err = st_ledger_add(tx, &row, 1);
    if (!err && signs_after(i)) {
        mt_buf line = {0};
        lg_checkpoint c = lg_chain_checkpoint(chain, MT_STR(""));
        lg_checkpoint_sign(&c, key);
        lg_checkpoint_write(&line, &c);
        mt_buf_adds(&whole, mt_buf_str(&line));
        err = st_checkpoint_add(tx, (int64_t)c.size, mt_buf_str(&line));
        mt_buf_free(&line);
    }
    return err;
}

static int make(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf why = {0};
    st_tx *tx;
    lg_chain chain = {0};
    mt_sign_key key;
    mt_sign_generate(&key);
    if (!mkdtemp(dir) ||
        st_open(mt_strf(&a, "sqlite:%s/s.db", dir).ptr, NULL, &store, &why) ||
        st_begin(store, ST_WRITE, &tx)) {
        return -1;
    }
    for (int i = 0; i < RECORDS; i++) {
        assert_int_equal(put(tx, &chain, i, &key), MT_OK);
    }
    starts[RECORDS] = whole.len;
    mt_buf_free(&why);
    mt_arena_free(&a);
    return (int)st_commit(tx);
}

static int drop(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf_free(&whole);
    st_close(store);
    const char *command = mt_strf(&a, "rm -r %s", dir).ptr;
    int code = system(command);
    mt_arena_free(&a);
    return code;
}

static void read_all(uint64_t from, mt_buf *out)
{
    ex_ledger *l;
    mt_str line;
    mt_err err;
    assert_int_equal(ex_ledger_open(store, from, &l), MT_OK);
    lg_source source = ex_ledger_source(l);
    while (!(err = source.next(source.state, &line))) {
        mt_buf_adds(out, line);
        mt_buf_addc(out, '\n');
    }
    assert_int_equal(err, MT_E_NOTFOUND);
    ex_ledger_close(l);
}

static void E19_a_store_gives_the_lines_of_its_export(void **state)
{
    (void)state;
    mt_buf lines = {0};
    lg_finding found;
    read_all(0, &lines);
    assert_int_equal(lines.len, whole.len);
    assert_memory_equal(lines.ptr, whole.ptr, whole.len);
    assert_int_equal(lg_verify(mt_buf_str(&lines), NULL, &found), MT_OK);
    assert_int_equal(found.attested, RECORDS);
    mt_buf_free(&lines);
}

static void reading_can_begin_anywhere(void **state)
{
    (void)state;
    static const uint64_t FROM[] = {1, 999, 1000, 1001, 2000, RECORDS - 1, RECORDS};
    for (size_t i = 0; i < sizeof FROM / sizeof *FROM; i++) {
        mt_buf lines = {0};
        read_all(FROM[i], &lines);
        mt_str rest = mt_str_skip(mt_buf_str(&whole), starts[FROM[i]]);
        assert_true(mt_str_eq(mt_buf_str(&lines), rest));
        mt_buf_free(&lines);
    }
    mt_buf none = {0};
    read_all(RECORDS + 5, &none);
    assert_int_equal(none.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(E19_a_store_gives_the_lines_of_its_export),
        cmocka_unit_test(reading_can_begin_anywhere),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
