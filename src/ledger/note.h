/* ledger/note.h - a tree head as text that programs of others read and sign.
 * Room: ledger. May include base/ only.
 * The formats are C2SP's: signed-note, tlog-checkpoint, tlog-cosignature (c2sp.org). A
 * note is text, a blank line, and signature lines. The text of a checkpoint:
 *
 *     ORIGIN         which log
 *     SIZE           how many records, decimal
 *     ROOT           base64 of the root of the tree (ledger/merkle.h, RFC 6962)
 *
 * and perhaps more lines, which are signed and mean nothing here. A signature line:
 *
 *     — NAME base64(key id, 4 bytes, then the signature)
 *
 * The log signs the text itself (type 1). A witness signs "cosignature/v1\ntime T\n"
 * before the text, with T in front of its signature as 8 bytes (type 4): that at T the
 * largest head of this log it has seen, and that follows from all it saw before, is
 * this one.
 *
 * The same key may sign these texts and the lines of ledger/checkpoint.h: those begin
 * with a brace, and an origin must not.
 * Ownership: what is read borrows from the text that was read. */
#ifndef LG_NOTE_H
#define LG_NOTE_H

#include "base/sign.h"
#include "ledger/merkle.h"

enum {
    LG_NOTE_BYTES = 1 << 16,   /* of a note at most */
    LG_NOTE_SIGNATURES = 64,   /* lines at most; the format asks for 16 at least */
    LG_NAME_BYTES = 255,       /* of a name or origin at most */
    LG_SIGNATURE_BYTES = 6000, /* behind the key id; others have large ones */
    LG_AHEAD_SECONDS = 300,    /* that a witness's clock may be ahead of ours */
};

/* ---- Keys ---- */

typedef enum lg_key_type { LG_LOG_KEY = 1, LG_WITNESS_KEY = 4 } lg_key_type;

/* Whose signature is looked for. */
typedef struct lg_note_key {
    mt_str name; /* empty: whatever name stands in the line */
    lg_key_type type;
    mt_sign_public key;
} lg_note_key;

/* Text of 1 to LG_NAME_BYTES bytes without control characters, Unicode spaces, '+';
 * it does not begin with a brace and is not the first line of another signed text. */
bool lg_name_is_good(mt_str name);
/* The name of a log for which none was chosen: "motet-ledger/" and the first 32 hex
 * digits of the hash of its record 0, which no other ledger has. */
enum { LG_MADE_NAME = 13 + 32 };
mt_str lg_made_name(const mt_sha256 *first, char out[LG_MADE_NAME]);
/* The first 4 bytes of SHA-256(name, newline, type, key). */
uint32_t lg_note_key_id(const lg_note_key *key);
/* NAME+ID+KEY: the id in hex, KEY base64 of the type and the key. */
void lg_note_key_write(mt_buf *out, const lg_note_key *key);
/* MT_E_SYNTAX: it is none, or its id is another key's. The name is borrowed. */
mt_err lg_note_key_read(mt_str text, lg_note_key *out);

/* ---- Heads ---- */

typedef struct lg_head {
    mt_str origin;
    uint64_t size;
    mt_sha256 root;
} lg_head;

/* Decimal digits without a leading zero, at most INT64_MAX. */
bool lg_size_read(mt_str digits, uint64_t *out);
/* The next line without its newline, taken from `rest`. False: it has no end. */
bool lg_line_take(mt_str *rest, mt_str *line);
/* Appends the three lines. */
void lg_head_write(mt_buf *out, const lg_head *head);

typedef struct lg_note {
    mt_str text;       /* what is signed, with its last newline */
    mt_str signatures; /* the lines behind the blank one */
    lg_head head;
} lg_note;

/* MT_E_SYNTAX: it is not a checkpoint in this format. Nothing is verified. */
mt_err lg_note_read(mt_str note, lg_note *out);

/* ---- Signatures ---- */

/* Appends a line of this key over these bytes: for the log the text of the note; for a
 * witness the text that lg_cosigned_text() makes, `time` being what stands in it. */
void lg_note_add_line(mt_buf *out, const lg_note_key *key, int64_t time,
                      const mt_signature *signature);
/* Appends what a witness signs: two lines, then the text of the note. */
void lg_cosigned_text(mt_buf *out, int64_t time, mt_str text);

/* Both at once, with the key in hand. */
void lg_note_sign(mt_buf *out, mt_str name, mt_str text, const mt_sign_key *key);
void lg_note_cosign(mt_buf *out, mt_str name, mt_str text, int64_t time,
                    const mt_sign_key *key);

typedef enum lg_signed {
    LG_NOT_SIGNED, /* no line of this key */
    LG_SIGNED,
    LG_AHEAD, /* signed, but only at a time that has not come: see below */
    LG_FORGED /* a line says it is of this key, and is not: the note must not be used */
} lg_signed;

/* Is one of these lines a signature over `text` by this key? *time, of a cosignature:
 * the latest of them; may be NULL. Lines of other keys are not looked at. */
lg_signed lg_note_signed(mt_str text, mt_str lines, const lg_note_key *key,
                         int64_t *time);
/* The same of a witness, for whoever counts witnesses: a cosignature says "this is the
 * largest I have seen at that time", so one of a time that is more than
 * LG_AHEAD_SECONDS later than `now` (seconds since 1970) says nothing yet. LG_AHEAD
 * when there is no other. *time: the latest of those that count. */
lg_signed lg_note_cosigned(mt_str text, mt_str lines, const lg_note_key *key,
                           int64_t now, int64_t *time);
/* The first of these lines that says it is of this key, with its newline; empty: none
 * does. */
mt_str lg_note_line_of(mt_str lines, const lg_note_key *key);
/* Are these signature lines, each well-formed, and not too many? None are. */
bool lg_note_lines_are_good(mt_str lines);

#endif
