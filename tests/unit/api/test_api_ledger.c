/* motet_ledger_verify: what a ledger is compared with, and what of it is refused. The
 * ledger, its note and the cosignatures are made here with keys of fixed seeds. */
#include "../rows.h"
#include "base/json_write.h"
#include "ledger/note.h"
#include "ledger/verify.h"

#include <motet.h>

#define ORIGIN "example.org/log"

enum { RECORDS = 3, NOW = 1700000000 };

static mt_sign_key log_key, one, two;
static mt_buf ledger, note, checkpoint, vkeys[3];

/* ---- what the options of a row stand for ---- */

static mt_sign_key key_from(unsigned char first)
{
    unsigned char seed[MT_SIGN_SEED];
    mt_sign_key key;
    memset(seed, first, sizeof seed);
    mt_sign_from_seed(seed, &key);
    return key;
}

static void make_vkey(mt_buf *out, const char *name, lg_key_type type,
                      const mt_sign_key *key)
{
    lg_note_key k = {mt_str_z(name), type, key->open};
    lg_note_key_write(out, &k);
}

/* Records, one checkpoint behind the last; the note is of the same head. */
static int make_all(void **state)
{
    (void)state;
    lg_chain chain = {0};
    log_key = key_from(1);
    one = key_from(2);
    two = key_from(3);
    for (int i = 0; i < RECORDS; i++) {
        lg_entry e = lg_chain_append(
            &chain, MT_STR("{\"kind\":\"test\",\"trust_domain\":\"here\"}"));
        lg_entry_write(&ledger, &e);
    }
    lg_checkpoint last = lg_chain_checkpoint(&chain, MT_STR("here"));
    lg_checkpoint_sign(&last, &log_key);
    lg_checkpoint_write(&checkpoint, &last);
    mt_buf_adds(&ledger, mt_buf_str(&checkpoint));
    lg_head head = {MT_STR(ORIGIN), RECORDS, lg_frontier_root(&chain.tree)};
    lg_head_write(&note, &head);
    make_vkey(&vkeys[0], ORIGIN, LG_LOG_KEY, &log_key);
    make_vkey(&vkeys[1], "one", LG_WITNESS_KEY, &one);
    make_vkey(&vkeys[2], "two", LG_WITNESS_KEY, &two);
    return 0;
}

static int free_all(void **state)
{
    (void)state;
    mt_buf *all[] = {&ledger, &note, &checkpoint, &vkeys[0], &vkeys[1], &vkeys[2]};
    for (size_t i = 0; i < rows_count(all); i++) {
        mt_buf_free(all[i]);
    }
    return 0;
}

/* Signed by the log, then by the witnesses of `by`: 1, 2 or, in an hour, a for 1 and b
 * for 2. */
static void add_note(mt_buf *out, const char *by)
{
    mt_str text = mt_buf_str(&note);
    mt_buf_adds(out, text);
    mt_buf_addc(out, '\n');
    lg_note_sign(out, MT_STR(ORIGIN), text, &log_key);
    for (; *by; by++) {
        bool first = *by == '1' || *by == 'a';
        int64_t time = *by == 'a' || *by == 'b' ? NOW + 3600 : NOW;
        lg_note_cosign(out, first ? MT_STR("one") : MT_STR("two"), text, time,
                       first ? &one : &two);
    }
}

static void add_named(mt_buf *out, mt_str name)
{
    char hex[2 * MT_SIGN_PUBLIC];
    char by[8] = {0};
    if (mt_str_starts(name, MT_STR("note"))) {
        memcpy(by, name.ptr + 4, name.len - 4);
        add_note(out, by);
    } else if (mt_str_is(name, "checkpoint")) {
        mt_buf_adds(out, mt_buf_str(&checkpoint));
    } else if (mt_str_is(name, "bare")) {
        mt_buf_adds(out, mt_str_from(checkpoint.ptr, checkpoint.len - 1));
    } else if (mt_str_is(name, "key1")) {
        mt_hex(one.open.bytes, MT_SIGN_PUBLIC, hex);
        mt_buf_adds(out, mt_str_from(hex, sizeof hex));
    } else {
        assert_true(mt_str_starts(name, MT_STR("vkey")));
        mt_buf_adds(out, mt_buf_str(&vkeys[name.ptr[4] - '0']));
    }
}

/* 'x' is a JSON string x; '$x' what add_named() makes of x. */
static mt_buf options_of(const char *text)
{
    mt_buf out = {0};
    for (mt_str rest = mt_str_z(text); rest.len;) {
        if (rest.ptr[0] != '\'') {
            mt_buf_addc(&out, rest.ptr[0]);
            rest = mt_str_skip(rest, 1);
            continue;
        }
        rest = mt_str_skip(rest, 1);
        mt_str inside = mt_str_from(rest.ptr, mt_str_find(rest, '\''));
        mt_buf value = {0};
        if (inside.len && inside.ptr[0] == '$') {
            add_named(&value, mt_str_skip(inside, 1));
        } else {
            mt_buf_adds(&value, inside);
        }
        mt_jw w = mt_jw_start(&out, false);
        mt_jw_str(&w, mt_buf_str(&value));
        mt_buf_free(&value);
        rest = mt_str_skip(rest, inside.len + 1);
    }
    return out;
}

/* clang-format off */
#define AT   "'now':1700000000"
#define BOTH "'witnesses':['$vkey1','$vkey2']," AT
#define FEW  "the note is not co-signed by "
#define EARLY ": a cosignature of a time that has not come does not count"

static const struct row {
    const char *name, *options;
    int code;
    const char *want; /* in the text when it holds, otherwise the message */
} ROWS[] = {
    {"nothing is asked", "{}", 0, "\"checkpoints\": 1"},
    {"one witness", "{'note':'$note1','witnesses':['$vkey1']," AT "}", 0, "\"witnesses\": 1"},
    {"two witnesses", "{'note':'$note12'," BOTH "}", 0, "\"witnesses\": 2"},
    {"how large it was", "{'note':'$note1','witnesses':['$vkey1']," AT "}", 0, "\"witnessed\": 3"},
    {"a key without a name", "{'note':'$note1','witnesses':['$key1']," AT "}", 0, "\"witnesses\": 1"},
    {"all are wanted", "{'note':'$note1'," BOTH "}", 1, FEW "2 of these 2 witnesses"},
    {"a quorum of one", "{'note':'$note1','witness_quorum':1," BOTH "}", 0, "\"witnesses\": 1"},
    {"a quorum of two", "{'note':'$note1','witness_quorum':2," BOTH "}", 1, FEW "2 of these 2 witnesses"},
    {"a quorum of all", "{'note':'$note12','witness_quorum':2," BOTH "}", 0, "\"witnesses\": 2"},
    {"a quorum above all", "{'note':'$note12','witness_quorum':3," BOTH "}", 2, "`witness_quorum` is from 1 to the number of `witnesses`"},
    {"nobody signed", "{'note':'$note','witnesses':['$vkey1']," AT "}", 1, FEW "1 of these 1 witnesses"},
    {"another signed", "{'note':'$note2','witnesses':['$vkey1']," AT "}", 1, FEW "1 of these 1 witnesses"},
    {"signed in an hour", "{'note':'$notea','witnesses':['$vkey1']," AT "}", 1, FEW "1 of these 1 witnesses" EARLY},
    {"one of two in an hour", "{'note':'$note1b','witness_quorum':1," BOTH "}", 0, "\"witnesses_ahead\": 1"},
    {"one key twice", "{'note':'$note12','witnesses':['$vkey1','$vkey1']," AT "}", 2, "`witnesses` has one key twice"},
    {"one key twice, once without its name", "{'note':'$note12','witnesses':['$vkey2','$vkey1','$key1']," AT "}", 2,
     "`witnesses` has one key twice"},
    {"the log is no witness", "{'note':'$note1','witnesses':['$vkey0']," AT "}", 2, "`witnesses[0]` must be NAME+ID+KEY or a key"},
    {"the second is no key", "{'note':'$note1','witnesses':['$vkey1','one']," AT "}", 2, "`witnesses[1]` must be NAME+ID+KEY or a key"},
    {"nobody says what time it is", "{'note':'$note1','witnesses':['$vkey1']}", 2,
     "`witnesses` need `now`, in seconds since 1970" EARLY},
    {"1970 is a time", "{'note':'$note1','witnesses':['$vkey1'],'now':0}", 1, FEW "1 of these 1 witnesses" EARLY},
    {"five minutes ahead count", "{'note':'$note1','witnesses':['$vkey1'],'now':1699999700}", 0, "\"witnesses\": 1"},
    {"more do not", "{'note':'$note1','witnesses':['$vkey1'],'now':1699999699}", 1, FEW "1 of these 1 witnesses" EARLY},
    {"witnesses without a note", "{'witnesses':['$vkey1']," AT "}", 2, "`witnesses` and `origin` need `note`"},
    {"an origin without a note", "{'origin':'" ORIGIN "'}", 2, "`witnesses` and `origin` need `note`"},
    {"a note for nothing", "{'note':'$note1'}", 2, "`note` needs `witnesses` or `origin`"},
    {"its log", "{'note':'$note','origin':'" ORIGIN "'}", 0, "\"origin\": \"" ORIGIN "\""},
    {"another log", "{'note':'$note','origin':'example.org/other'}", 1, "its note is of another log than `origin`"},
    {"no note", "{'note':'x','origin':'" ORIGIN "'}", 1,
     "`note`: this is not a checkpoint in the format of c2sp.org/tlog-checkpoint"},
    {"a checkpoint", "{'checkpoint':'$bare'}", 0, "\"records\": 3"},
    {"a checkpoint with its line end", "{'checkpoint':'$checkpoint'}", 0, "\"records\": 3"},
    {"an empty checkpoint", "{'checkpoint':''}", 1, "`checkpoint`: this is not a checkpoint"},
    {"no checkpoint", "{'checkpoint':'{}'}", 1, "`checkpoint`: this is not a checkpoint"},
    {"a key that is none", "{'keys':['$key1','k']}", 2, "`keys[1]` must be a public key: 64 hex digits or base64"},
};
/* clang-format on */

static void verifies(void **state)
{
    const struct row *row = *state;
    mt_buf options = options_of(row->options);
    motet_answer *a = NULL;
    motet_status status = motet_ledger_verify(
        (motet_str){ledger.ptr, ledger.len}, (motet_str){options.ptr, options.len}, &a);
    assert_int_equal(status == MOTET_OK, row->code == 0);
    motet_str text = row->code ? motet_answer_message(a) : motet_answer_text(a);
    if (motet_answer_code(a) != row->code ||
        !memmem(text.ptr, text.len, row->want, strlen(row->want))) {
        fail_msg("%d, %.*s", motet_answer_code(a), (int)text.len, text.ptr);
    }
    motet_answer_free(a);
    mt_buf_free(&options);
}

int main(void)
{
    rows_list l = {0};
    rows_add(&l, ROWS, verifies);
    return _cmocka_run_group_tests("api/ledger", l.tests, l.count, make_all, free_all);
}
