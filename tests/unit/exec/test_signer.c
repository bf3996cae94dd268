/* The signer: how much of a ledger it reads again, what it remembers, what it signs. */
#include <stdio.h>
#include <unistd.h>

#include "../rows.h"
#include "exec/evidence/ledger_store.h"
#include "exec/evidence/signer.h"
#include "ledger/verify.h"

static char dir[] = "/tmp/motet-signer-XXXXXX";
static char url[80], path[64], memory[64];
static mt_sign_key key;

typedef struct row {
    const char *name;
    int records, changed; /* changed: the body of this record, its hash is left; -1 */
    bool alone;           /* the memory is a checkpoint without the chain */
    mt_err want;
} row;

static const row ROWS[] = {
    {"a ledger as it was signed is good", EX_SIGNER_WHOLE, -1, false, MT_OK},
    {"a changed record is found while all are read", EX_SIGNER_WHOLE, 5, false,
     MT_E_DENIED},
    {"one more, and the signed part is taken by its hash", EX_SIGNER_WHOLE + 1, 5,
     false, MT_OK},
    {"but what is behind the memory is always read", EX_SIGNER_WHOLE + 1,
     EX_SIGNER_WHOLE, false, MT_E_DENIED},
    {"a checkpoint alone has all of it read again", EX_SIGNER_WHOLE + 1, 5, true,
     MT_E_DENIED},
    {"a checkpoint alone is a memory", EX_SIGNER_WHOLE + 1, -1, true, MT_OK},
};

static mt_err put(st_tx *tx, lg_chain *chain, int n, bool changed)
{
    char body[64];
    snprintf(body, sizeof body, "{\"kind\":\"k\",\"n\":%d}", n);
    lg_entry e = lg_chain_append(chain, mt_str_z(body));
    st_record r = {.seq = (int64_t)e.seq,
                   .kind = MT_STR("k"),
                   .body = changed ? MT_STR("{\"kind\":\"x\"}") : e.body,
                   .hash = mt_str_from((const char *)e.hash.bytes, MT_SHA256_BYTES)};
    return st_ledger_add(tx, &r, 1);
}

/* All but the last record are signed for, and remembered. */
static void remember(st_tx *tx, const lg_chain *chain, bool alone)
{
    mt_buf line = {0}, why = {0};
    ex_memory m = {.chain = *chain, .has_chain = !alone};
    m.point = lg_chain_checkpoint(chain, MT_STR(""));
    lg_checkpoint_sign(&m.point, &key);
    lg_checkpoint_write(&line, &m.point);
    assert_int_equal(st_checkpoint_add(tx, (int64_t)m.point.size, mt_buf_str(&line)),
                     MT_OK);
    assert_int_equal(ex_memory_write(memory, &m, &why), MT_OK);
    mt_buf_free(&line);
    mt_buf_free(&why);
}

static st_store *make(const row *r)
{
    mt_buf why = {0}, tail = {0};
    st_store *s;
    st_tx *tx;
    lg_chain chain = {0};
    unlink(path);
    assert_int_equal(st_open(url, NULL, &s, &why), MT_OK);
    assert_int_equal(st_begin(s, ST_WRITE, &tx), MT_OK);
    for (int i = 0; i < r->records; i++) {
        if (i == r->records - 1) {
            remember(tx, &chain, r->alone);
        }
        assert_int_equal(put(tx, &chain, i, i == r->changed), MT_OK);
    }
    lg_chain_write(&tail, &chain);
    assert_int_equal(st_ledger_set_tail(tx, r->records, mt_buf_str(&tail)), MT_OK);
    assert_int_equal(st_commit(tx), MT_OK);
    mt_buf_free(&tail);
    mt_buf_free(&why);
    return s;
}

static void looks(void **state)
{
    const row *r = *state;
    mt_arena a = {0};
    mt_buf why = {0};
    ex_sight seen;
    ex_signer s = {.store = make(r), .key = &key, .memory = memory};
    mt_err err = ex_signer_look(&s, true, &a, &seen, &why);
    if (err != r->want) {
        fail_msg("%s: %.*s", mt_err_name(err), MT_ARG(mt_buf_str(&why)));
    }
    if (!err) {
        assert_int_equal(seen.signed_to, r->records - 1);
        assert_int_equal(ex_signer_sign(&s, &seen, &why), MT_OK);
        assert_int_equal(ex_signer_look(&s, false, &a, &seen, &why), MT_OK);
        assert_int_equal(seen.signed_to, r->records);
        assert_int_equal(seen.memory.point.size, r->records);
        assert_false(seen.missing || seen.behind || seen.revoked);
    }
    st_close(s.store);
    mt_buf_free(&why);
    mt_arena_free(&a);
}

/* NULL: the records, the checkpoints and their count agree. */
static const char *ledger_fault(st_store *store)
{
    ex_ledger *ledger;
    lg_finding f;
    lg_expectation expect = {0};
    assert_int_equal(ex_ledger_open(store, 0, &ledger), MT_OK);
    lg_source source = ex_ledger_source(ledger);
    lg_verify_source(&source, &expect, &f);
    if (!f.problem) {
        assert_int_equal(ex_ledger_compare(ledger, &f.end, &f.problem), MT_OK);
    }
    ex_ledger_close(ledger);
    return f.problem;
}

/* Somebody took the row away and left the count. */
static void puts_back_a_missing_checkpoint_and_its_count(void **state)
{
    (void)state;
    const row r = {.records = 5, .changed = -1};
    mt_arena a = {0};
    mt_buf why = {0};
    ex_sight seen;
    st_tx *tx;
    ex_signer s = {.store = make(&r), .key = &key, .memory = memory};
    assert_null(ledger_fault(s.store));
    assert_int_equal(st_begin(s.store, ST_WRITE, &tx), MT_OK);
    assert_int_equal(st_checkpoint_drop(tx, r.records - 1), MT_OK);
    assert_int_equal(st_commit(tx), MT_OK);
    assert_non_null(ledger_fault(s.store));
    assert_int_equal(ex_signer_look(&s, true, &a, &seen, &why), MT_OK);
    assert_true(seen.missing);
    assert_int_equal(ex_signer_put_back(&s, &seen.memory, &why), MT_OK);
    assert_null(ledger_fault(s.store));
    assert_int_equal(ex_signer_look(&s, true, &a, &seen, &why), MT_OK);
    assert_false(seen.missing);
    st_close(s.store);
    mt_buf_free(&why);
    mt_arena_free(&a);
}

int main(void)
{
    static rows_list l;
    if (!mkdtemp(dir)) {
        return 1;
    }
    snprintf(path, sizeof path, "%s/s.db", dir);
    snprintf(url, sizeof url, "sqlite:%s", path);
    snprintf(memory, sizeof memory, "%s/memory", dir);
    mt_sign_generate(&key);
    rows_add(&l, ROWS, looks);
    rows_test(&l, puts_back_a_missing_checkpoint_and_its_count);
    int failed = rows_run(&l, "exec/signer");
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command) || failed;
}
