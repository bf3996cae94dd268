/* motet_ledger_verify and motet_ledger_check: what a ledger is compared with, and what
 * of it is refused, whole and in pieces of any size; motet_proof_verify. The ledger,
 * its note and the cosignatures are made here with keys of fixed seeds. */
#include "../rows.h"
#include "base/json_write.h"
#include "ledger/note.h"
#include "ledger/proof.h"
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

/* ---- in pieces ---- */

static motet_answer *whole(mt_str text, mt_str options)
{
    motet_answer *a = NULL;
    (void)motet_ledger_verify((motet_str){text.ptr, text.len},
                              (motet_str){options.ptr, options.len}, &a);
    return a;
}

static motet_answer *in_pieces(mt_str text, mt_str options, size_t piece)
{
    motet_ledger_check *c = NULL;
    motet_answer *a = NULL;
    motet_status status =
        motet_ledger_check_new((motet_str){options.ptr, options.len}, &c);
    for (size_t at = 0; !status && at < text.len; at += piece) {
        size_t rest = text.len - at;
        status = motet_ledger_check_feed(
            c, (motet_str){text.ptr + at, rest < piece ? rest : piece});
    }
    assert_true(motet_ledger_check_bytes(c) <= text.len + 1);
    (void)motet_ledger_check_end(c, &a);
    assert_int_equal(motet_ledger_check_feed(c, (motet_str){"x", 1}), MOTET_E_USAGE);
    motet_ledger_check_free(c);
    return a;
}

static void assert_says(motet_str a, motet_str b)
{
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.ptr, b.ptr, a.len);
}

static void assert_same(mt_str text, mt_str options)
{
    motet_answer *want = whole(text, options);
    for (size_t piece = 1; piece <= text.len + 1; piece = piece * 2 + 1) {
        motet_answer *is = in_pieces(text, options, piece);
        assert_int_equal(motet_answer_code(is), motet_answer_code(want));
        assert_says(motet_answer_text(is), motet_answer_text(want));
        assert_says(motet_answer_message(is), motet_answer_message(want));
        motet_answer_free(is);
    }
    motet_answer_free(want);
}

/* The ledger as it is, cut off, with an empty line, with one changed byte. */
static void pieces_say_the_same(void **state)
{
    const struct row *row = *state;
    mt_buf options = options_of(row->options), hurt = {0};
    mt_str text = mt_buf_str(&ledger);
    assert_same(text, mt_buf_str(&options));
    assert_same(mt_str_from(text.ptr, text.len - 1), mt_buf_str(&options));
    assert_same(mt_str_from(text.ptr, text.len / 2), mt_buf_str(&options));
    mt_buf_adds(&hurt, text);
    mt_buf_addz(&hurt, "\n");
    assert_same(mt_buf_str(&hurt), mt_buf_str(&options));
    hurt.ptr[text.len / 2] ^= 1;
    assert_same(mt_buf_str(&hurt), mt_buf_str(&options));
    mt_buf_free(&hurt);
    mt_buf_free(&options);
}

static void lines_and_bytes_are_told(void **state)
{
    (void)state;
    motet_ledger_check *c = NULL;
    assert_int_equal(motet_ledger_check_new((motet_str){NULL, 0}, &c), MOTET_OK);
    size_t first = mt_str_find(mt_buf_str(&ledger), '\n') + 1;
    assert_int_equal(motet_ledger_check_feed(c, (motet_str){ledger.ptr, first + 7}),
                     MOTET_OK);
    assert_int_equal(motet_ledger_check_lines(c), 1);
    assert_int_equal(motet_ledger_check_bytes(c), first);
    motet_ledger_check_free(c); /* in the middle */
    motet_ledger_check_free(NULL);
    assert_int_equal(motet_ledger_check_lines(NULL), 0);
    assert_int_equal(motet_ledger_check_bytes(NULL), 0);
    assert_int_equal(motet_ledger_check_feed(NULL, (motet_str){"", 0}), MOTET_E_USAGE);
    motet_answer *a;
    assert_int_equal(motet_ledger_check_end(NULL, &a), MOTET_E_USAGE);
    assert_null(a);
}

/* What has no end is not gathered for ever. */
static void a_line_has_a_limit(void **state)
{
    (void)state;
    static const char MANY[1 << 20];
    motet_ledger_check *c = NULL;
    motet_answer *a = NULL;
    motet_status status = motet_ledger_check_new((motet_str){NULL, 0}, &c);
    for (int i = 0; i < 16; i++) {
        assert_int_equal(status, MOTET_OK);
        status = motet_ledger_check_feed(c, (motet_str){MANY, sizeof MANY});
    }
    assert_int_equal(status, MOTET_OK); /* exactly as much as is allowed */
    assert_int_equal(motet_ledger_check_feed(c, (motet_str){"x", 1}), MOTET_E_REJECTED);
    assert_int_equal(motet_ledger_check_end(c, &a), MOTET_E_REJECTED);
    assert_says(motet_answer_message(a),
                (motet_str){"line 1: more than 16777216 bytes", 32});
    motet_answer_free(a);
    motet_ledger_check_free(c);
}

/* ---- proofs ---- */

/* clang-format off */
static const struct proof_row {
    const char *name, *options;
    bool changed; /* one digit of the proof */
    int code;
    const char *want;
} PROOFS[] = {
    {"a proof holds", "{'checkpoints':['$checkpoint']}", false, 0, "{\"holds\": true, \"proof\": \"inclusion\"}\n"},
    {"a proof that was changed", "{'checkpoints':['$checkpoint']}", true, 1, "\"holds\": false"},
    {"of another key", "{'checkpoints':['$bare'],'keys':['$key1']}", false, 1, "a checkpoint is signed by another key"},
    {"of another domain", "{'checkpoints':['$bare'],'domain':'there'}", false, 1, "another trust domain than expected"},
    {"of its domain", "{'checkpoints':['$bare'],'domain':'here'}", false, 0, "true"},
    {"no proof without a checkpoint", "{}", false, 2, "checkpoints"},
    {"no proof with three", "{'checkpoints':['','','']}", false, 2, "checkpoints"},
    {"a checkpoint that is none", "{'checkpoints':['x']}", false, 1, "`checkpoints`: this is not a checkpoint"},
};
/* clang-format on */

static void make_proof(mt_buf *out)
{
    lg_entry e;
    lg_proof path;
    mt_sha256 leaves[RECORDS];
    mt_str rest = mt_buf_str(&ledger), second = {0};
    for (int i = 0; i < RECORDS; i++) {
        mt_str line = mt_str_from(rest.ptr, mt_str_find(rest, '\n'));
        assert_int_equal(lg_entry_read(line, &e), MT_OK);
        leaves[i] = lg_leaf(&e.hash);
        second = i == 1 ? line : second;
        rest = mt_str_skip(rest, line.len + 1);
    }
    lg_prove_inclusion(leaves, RECORDS, 1, &path);
    lg_statement s = {.inclusion = true, .size = RECORDS, .path = &path};
    assert_int_equal(lg_entry_read(second, &s.record), MT_OK);
    lg_statement_write(out, &s);
}

static void proves(void **state)
{
    const struct proof_row *row = *state;
    mt_buf options = options_of(row->options), proof = {0};
    motet_answer *a = NULL;
    make_proof(&proof);
    if (row->changed) {
        char *digit = memmem(proof.ptr, proof.len, "[\"", 2);
        digit += 2;
        *digit = *digit == '0' ? '1' : '0';
    }
    (void)motet_proof_verify((motet_str){proof.ptr, proof.len},
                             (motet_str){options.ptr, options.len}, &a);
    motet_str text = motet_answer_text(a);
    text = text.len ? text : motet_answer_message(a);
    if (motet_answer_code(a) != row->code ||
        !memmem(text.ptr, text.len, row->want, strlen(row->want))) {
        fail_msg("%d, %.*s", motet_answer_code(a), (int)text.len, text.ptr);
    }
    motet_answer_free(a);
    assert_int_equal(motet_proof_verify((motet_str){"{}", 2},
                                        (motet_str){options.ptr, options.len},
                                        &a) == MOTET_OK,
                     false);
    motet_answer_free(a);
    mt_buf_free(&proof);
    mt_buf_free(&options);
}

/* What has to be said with a receipt or a proof, and what is neither. */
static const struct asked_row {
    const char *name;
    motet_status (*verify)(motet_str text, motet_str options, motet_answer **out);
    const char *text, *options;
    int code;
    const char *want;
} ASKED[] = {
    {"whose receipt it is must be said", motet_receipt_verify, "{}", "{}", 2,
     "`keys` say whose receipt it must be"},
    {"no key is nobody's", motet_receipt_verify, "{}", "{'keys':[]}", 2,
     "`keys` say whose receipt it must be"},
    {"a key that is none", motet_receipt_verify, "{}", "{'keys':['k']}", 2,
     "`keys[0]` must be a public key: 64 hex digits or base64"},
    {"a ledger that is none", motet_receipt_verify, "{}",
     "{'keys':['$key1'],'ledger':'00'}", 2,
     "`ledger` takes the hash of a ledger's record 0: 64 hex digits"},
    {"a ledger of no text", motet_receipt_verify, "{}",
     "{'keys':['$key1'],'ledger':''}", 2,
     "`ledger` takes the hash of a ledger's record 0: 64 hex digits"},
    {"witnesses of no time", motet_receipt_verify, "{}",
     "{'keys':['$key1'],'witnesses':['$vkey1']}", 2,
     "`witnesses` need `now`, in seconds since 1970: a cosignature of a time that has "
     "not come does not count"},
    {"a quorum of nobody", motet_receipt_verify, "{}",
     "{'keys':['$key1'],'witness_quorum':1}", 2,
     "`witness_quorum` is from 1 to the number of `witnesses`"},
    {"nothing is no receipt", motet_receipt_verify, "", "{'keys':['$key1']}", 1,
     "line 1: this is not a receipt"},
    {"no receipt", motet_receipt_verify, "{}", "{'keys':['$key1']}", 1,
     "line 1: this is not a receipt"},
    {"no receipts", motet_receipt_verify, "{}\n{}\n",
     "{'keys':['$key1'],'ledger':'$key1'}", 1, "line 1: this is not a receipt"},
    {"a note is not asked for", motet_receipt_verify, "{}",
     "{'keys':['$key1'],'note':'x'}", 2,
     "`note` is not a key of the options (did you mean `now`?)"},
    {"what it is a proof of must be said", motet_proof_verify, "{}", "{}", 2,
     "`checkpoints` say what it is a proof of"},
    {"of one at least", motet_proof_verify, "{}", "{'checkpoints':[]}", 2,
     "`checkpoints` must have 1 to 2 items"},
    {"of two at most", motet_proof_verify, "{}", "{'checkpoints':['a','b','c']}", 2,
     "`checkpoints` must have 1 to 2 items"},
    {"a checkpoint that is none", motet_proof_verify, "{}", "{'checkpoints':['{}']}", 1,
     "`checkpoints`: this is not a checkpoint"},
    {"the second is none", motet_proof_verify, "{}", "{'checkpoints':['$bare','{}']}",
     1, "`checkpoints`: this is not a checkpoint"},
    {"no proof", motet_proof_verify, "{}", "{'checkpoints':['$bare']}", 1,
     "this is not a proof"},
    {"a proof's key that is none", motet_proof_verify, "{}",
     "{'keys':['$key1','$key1','k'],'checkpoints':['$bare']}", 2,
     "`keys[2]` must be a public key: 64 hex digits or base64"},
};

static void is_refused(void **state)
{
    const struct asked_row *row = *state;
    motet_answer *a;
    mt_buf options = options_of(row->options);
    motet_status status = row->verify((motet_str){row->text, strlen(row->text)},
                                      (motet_str){options.ptr, options.len}, &a);
    assert_int_equal(status, row->code == 2 ? MOTET_E_USAGE : MOTET_E_REJECTED);
    assert_int_equal(motet_answer_code(a), row->code);
    motet_str said = motet_answer_message(a);
    assert_text(mt_str_from(said.ptr, said.len), mt_str_z(row->want));
    assert_int_equal(motet_answer_text(a).len, 0);
    motet_answer_free(a);
    mt_buf_free(&options);
}

int main(void)
{
    rows_list l = {0};
    rows_add(&l, ROWS, verifies);
    rows_add(&l, ROWS, pieces_say_the_same);
    rows_add(&l, PROOFS, proves);
    rows_add(&l, ASKED, is_refused);
    rows_test(&l, lines_and_bytes_are_told);
    rows_test(&l, a_line_has_a_limit);
    return _cmocka_run_group_tests("api/ledger", l.tests, l.count, make_all, free_all);
}
