/* Checkpoints as C2SP notes: bytes that an independent reader wrote
 * (tests/e2e/notes.py) are read and written alike; nothing malformed passes; every
 * changed byte is found. */
#include "../rows.h"
#include "ledger/note.h"

#define ORIGIN "example.org/payments"
#define TEXT   ORIGIN "\n20852163\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n"
#define LOG_LINE                                                                       \
    "\xE2\x80\x94 " ORIGIN " S51jZO5FqBSkxmvtt/qQBTBIIKoa7sOCJYEu76p4eZf8yxYN0QpSajnm" \
    "83vo5Ycf8/W5CcJh9OYnQWF0HXK7fah1dwo=\n"
#define WITNESS "witness.example/w1"
#define WITNESS_LINE                                                                   \
    "\xE2\x80\x94 " WITNESS " IDJKvgAAAABkGFDLDV3o3eALUDyyyPhEuzgUGfvvjMeKIZxIlrnu8oW" \
    "eilG+LwsJB5jPaG8/VMAiTqr6h/2/59ZL/WTFfZfOxdfWCQ==\n"
#define NOTE        TEXT "\n" LOG_LINE
#define LOG_KEY     ORIGIN "+4b9d6364+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
#define WITNESS_KEY WITNESS "+20324abe+BCmsuuFBvMrwsi4alNNNC8c2HlJtC/4SyJeUvJMilm3X"

enum { TIME = 1679315147 };

static mt_sign_key key_from(unsigned char first)
{
    unsigned char seed[MT_SIGN_SEED];
    mt_sign_key key;
    for (int i = 0; i < MT_SIGN_SEED; i++) {
        seed[i] = (unsigned char)(first + i);
    }
    mt_sign_from_seed(seed, &key);
    return key;
}

static lg_note_key vkey(const char *text)
{
    lg_note_key k;
    assert_int_equal(lg_note_key_read(mt_str_z(text), &k), MT_OK);
    return k;
}

static void wrote(mt_buf *got, const char *want)
{
    assert_text(mt_buf_str(got), mt_str_z(want));
    mt_buf_free(got);
}

static void a_note_has_the_bytes_of_the_specification(void **state)
{
    (void)state;
    mt_sign_key log = key_from(0), witness = key_from(32);
    lg_note note;
    mt_buf text = {0}, line = {0}, cosignature = {0};
    assert_int_equal(lg_note_read(MT_STR(NOTE), &note), MT_OK);
    assert_true(mt_str_is(note.head.origin, ORIGIN));
    assert_true(note.head.size == 20852163);
    lg_head_write(&text, &note.head);
    wrote(&text, TEXT);
    lg_note_sign(&line, MT_STR(ORIGIN), note.text, &log);
    wrote(&line, LOG_LINE);
    lg_note_cosign(&cosignature, MT_STR(WITNESS), note.text, TIME, &witness);
    wrote(&cosignature, WITNESS_LINE);
}

static void keys_have_the_bytes_of_the_specification(void **state)
{
    (void)state;
    static const char *const KEYS[] = {LOG_KEY, WITNESS_KEY};
    for (int i = 0; i < 2; i++) {
        lg_note_key k = vkey(KEYS[i]);
        mt_buf again = {0};
        assert_int_equal(k.type, i ? LG_WITNESS_KEY : LG_LOG_KEY);
        lg_note_key_write(&again, &k);
        wrote(&again, KEYS[i]);
    }
}

static void signatures_are_found_among_others(void **state)
{
    (void)state;
    lg_note_key log = vkey(LOG_KEY), witness = vkey(WITNESS_KEY);
    mt_str both = MT_STR(WITNESS_LINE LOG_LINE);
    int64_t time = -1;
    assert_int_equal(lg_note_signed(MT_STR(TEXT), both, &log, NULL), LG_SIGNED);
    assert_int_equal(lg_note_signed(MT_STR(TEXT), both, &witness, &time), LG_SIGNED);
    assert_true(time == TIME);
    assert_int_equal(lg_note_signed(MT_STR(TEXT), MT_STR(LOG_LINE), &witness, &time),
                     LG_NOT_SIGNED);
    witness.name = (mt_str){0}; /* whatever it calls itself */
    assert_int_equal(lg_note_signed(MT_STR(TEXT), both, &witness, NULL), LG_SIGNED);
    witness.name = MT_STR("witness.example/w2");
    assert_int_equal(lg_note_signed(MT_STR(TEXT), both, &witness, NULL), LG_NOT_SIGNED);
    log.type = LG_WITNESS_KEY; /* another type has another id */
    assert_int_equal(lg_note_signed(MT_STR(TEXT), both, &log, NULL), LG_NOT_SIGNED);
}

/* Never signed, whichever bit of the note is turned. */
/* Five minutes ahead of the reader's clock at most; the log's own line has no time. */
static void a_cosignature_of_the_future_does_not_count(void **state)
{
    (void)state;
    mt_sign_key witness = key_from(32);
    lg_note_key by = {MT_STR(WITNESS), LG_WITNESS_KEY, witness.open};
    mt_buf lines = {0};
    int64_t time;
    lg_note_cosign(&lines, by.name, MT_STR(TEXT), TIME, &witness);
    mt_str one = mt_buf_str(&lines);
    for (int ahead = 299; ahead <= 301; ahead++) {
        assert_int_equal(lg_note_cosigned(MT_STR(TEXT), one, &by, TIME - ahead, &time),
                         ahead <= 300 ? LG_SIGNED : LG_AHEAD);
        assert_true(time == (ahead <= 300 ? TIME : 0));
    }
    assert_int_equal(lg_note_cosigned(MT_STR(TEXT), one, &by, INT64_MAX, &time),
                     LG_SIGNED);
    assert_int_equal(lg_note_signed(MT_STR(TEXT), one, &by, &time), LG_SIGNED);
    /* One that counts is enough, before or behind; its time is told. */
    lg_note_cosign(&lines, by.name, MT_STR(TEXT), TIME - 500, &witness);
    lg_note_cosign(&lines, by.name, MT_STR(TEXT), INT64_MAX, &witness);
    assert_int_equal(
        lg_note_cosigned(MT_STR(TEXT), mt_buf_str(&lines), &by, TIME - 400, &time),
        LG_SIGNED);
    assert_true(time == TIME - 500);
    mt_buf_free(&lines);
}

static void every_changed_bit_is_found(void **state)
{
    (void)state;
    static const char GOOD[] = NOTE WITNESS_LINE;
    lg_note_key log = vkey(LOG_KEY), witness = vkey(WITNESS_KEY);
    char bad[sizeof GOOD];
    for (size_t bit = 0; bit < (sizeof GOOD - 1) * 8; bit++) {
        lg_note n;
        memcpy(bad, GOOD, sizeof GOOD);
        bad[bit / 8] = (char)(bad[bit / 8] ^ (1 << bit % 8));
        bool both = !lg_note_read(mt_str_from(bad, sizeof GOOD - 1), &n) &&
                    lg_note_signed(n.text, n.signatures, &log, NULL) == LG_SIGNED &&
                    lg_note_signed(n.text, n.signatures, &witness, NULL) == LG_SIGNED;
        assert_false(both);
    }
}

/* A second line of a known key that does not verify spoils the first. */
static void one_forged_line_spoils_a_note(void **state)
{
    (void)state;
    lg_note_key log = vkey(LOG_KEY);
    mt_str other = MT_STR("x\n1\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n");
    mt_sign_key key = key_from(0);
    mt_buf lines = {0};
    mt_buf_addz(&lines, LOG_LINE);
    lg_note_sign(&lines, MT_STR(ORIGIN), other, &key);
    assert_int_equal(lg_note_signed(MT_STR(TEXT), mt_buf_str(&lines), &log, NULL),
                     LG_FORGED);
    mt_buf_free(&lines);
}

typedef struct row {
    const char *name, *text;
    bool good;
} row;

/* clang-format off */
static const row NOTES[] = {
    {"a note", NOTE, true},
    {"more lines mean nothing", TEXT "more\n\n" LOG_LINE, true},
    {"the empty tree", "x\n0\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n\n" LOG_LINE,
     true},
    {"the largest size", "x\n9223372036854775807\n"
     "SBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n\n" LOG_LINE, true},
    {"a size beyond it", "x\n9223372036854775808\n"
     "SBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n\n" LOG_LINE, false},
    {"nothing", "", false},
    {"a newline", "\n", false},
    {"two newlines", "\n\n", false},
    {"no signature", TEXT "\n", false},
    {"no blank line", TEXT LOG_LINE, false},
    {"two lines", "x\n1\n\n" LOG_LINE, false},
    {"a leading zero", "x\n01\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n\n" LOG_LINE,
     false},
    {"a sign", "x\n+1\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n\n" LOG_LINE, false},
    {"the sign behind 9 in a size", "x\n1:\n"
     "SBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n\n" LOG_LINE, false},
    {"the sign before 0 in a size", "x\n1/\n"
     "SBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n\n" LOG_LINE, false},
    {"every digit in a size", "x\n1023456789\n"
     "SBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n\n" LOG_LINE, true},
    {"a short root", "x\n1\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2\n\n" LOG_LINE, false},
    {"a root without padding",
     "x\n1\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I\n\n" LOG_LINE, false},
    {"a carriage return", "x\r\n1\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n\n" LOG_LINE,
     false},
    {"malformed UTF-8", "\xFF\n1\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n\n" LOG_LINE,
     false},
    {"an empty origin", "\n1\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n\n" LOG_LINE,
     false},
    {"a line without a name", TEXT "\n\xE2\x80\x94  AAAAAAA=\n", false},
    {"a line with a plain dash", TEXT "\n- a AAAAAAA=\n", false},
    {"a signature of one byte", TEXT "\n\xE2\x80\x94 a AAAAAAA=\n", true},
    {"a signature of none", TEXT "\n\xE2\x80\x94 a AAAAAA==\n", false},
    {"a signature that is not base64", TEXT "\n\xE2\x80\x94 a AAAA*AA=\n", false},
    {"text behind the last line", NOTE "x", false},
};
/* clang-format on */

static void notes_are_read_strictly(void **state)
{
    const row *r = *state;
    lg_note n;
    mt_str text = fenced(mt_str_z(r->text));
    assert_int_equal(lg_note_read(text, &n) == MT_OK, r->good);
    fenced_free(text);
}

static void as_many_signatures_as_the_limit_and_no_more(void **state)
{
    (void)state;
    mt_buf note = {0};
    lg_note n;
    mt_buf_addz(&note, TEXT "\n");
    for (int i = 0; i < LG_NOTE_SIGNATURES; i++) {
        mt_buf_addz(&note, LOG_LINE);
    }
    assert_int_equal(lg_note_read(mt_buf_str(&note), &n), MT_OK);
    mt_buf_addz(&note, LOG_LINE);
    assert_int_equal(lg_note_read(mt_buf_str(&note), &n), MT_E_SYNTAX);
    mt_buf_free(&note);
}

static void names_are_judged(void **state)
{
    (void)state;
    char longest[LG_NAME_BYTES + 1];
    memset(longest, 'a', sizeof longest);
    assert_true(lg_name_is_good(mt_str_from(longest, LG_NAME_BYTES)));
    assert_false(lg_name_is_good(mt_str_from(longest, LG_NAME_BYTES + 1)));
    assert_true(lg_name_is_good(MT_STR("b\xC3\xBC\x63her.example/log")));
    static const char *const BAD[] = {"",     "a b",      "a+b",           "a\tb",
                                      "a\nb", "\xC2\xA0", "a\xE2\x80\x83", "{\"a\":1}",
                                      "\x7F", "\xC3",     "cosignature/v1"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        assert_false(lg_name_is_good(mt_str_z(BAD[i])));
    }
}

static void keys_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "",
        "a",
        "a+b",
        "a+4b9d6364+",
        "+4b9d6364+AQ==",
        "another.example+4b9d6364+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        ORIGIN "+4B9D6364+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        ORIGIN "+4b9d6364+AgOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
        LOG_KEY " ",
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        lg_note_key k;
        assert_int_equal(lg_note_key_read(mt_str_z(BAD[i]), &k), MT_E_SYNTAX);
    }
}

int main(void)
{
    rows_list list = {0};
    rows_test(&list, a_note_has_the_bytes_of_the_specification);
    rows_test(&list, keys_have_the_bytes_of_the_specification);
    rows_test(&list, signatures_are_found_among_others);
    rows_test(&list, a_cosignature_of_the_future_does_not_count);
    rows_test(&list, every_changed_bit_is_found);
    rows_test(&list, one_forged_line_spoils_a_note);
    rows_add(&list, NOTES, notes_are_read_strictly);
    rows_test(&list, as_many_signatures_as_the_limit_and_no_more);
    rows_test(&list, names_are_judged);
    rows_test(&list, keys_that_are_none_are_refused);
    return rows_run(&list, "ledger/note");
}
