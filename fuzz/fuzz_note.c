/* Notes, keys and requests to a witness, whatever comes over the wire: what is read is
 * written back with the same bytes, and nothing is called signed that nobody signed. */
#include <stdlib.h>

#include "ledger/witness.h"

static void expect(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void try_key(mt_str text)
{
    lg_note_key key;
    mt_buf again = {0};
    if (!lg_note_key_read(text, &key)) {
        lg_note_key_write(&again, &key);
        expect(mt_str_eq(mt_buf_str(&again), text));
    }
    mt_buf_free(&again);
}

/* A key of our own has signed nothing of it. */
static void try_note(mt_str text)
{
    lg_note n;
    mt_buf again = {0};
    unsigned char seed[MT_SIGN_SEED] = {7};
    mt_sign_key key;
    if (lg_note_read(text, &n)) {
        return;
    }
    lg_head_write(&again, &n.head);
    expect(mt_str_starts(n.text, mt_buf_str(&again)));
    expect(n.text.len + 1 + n.signatures.len == text.len);
    mt_sign_from_seed(seed, &key);
    lg_note_key log = {(mt_str){0}, LG_LOG_KEY, key.open};
    lg_note_key witness = {(mt_str){0}, LG_WITNESS_KEY, key.open};
    expect(lg_note_signed(n.text, n.signatures, &log, NULL) != LG_SIGNED);
    expect(lg_note_signed(n.text, n.signatures, &witness, NULL) != LG_SIGNED);
    mt_buf_free(&again);
}

static void try_request(mt_str text)
{
    lg_witness_request r;
    mt_buf again = {0};
    if (!lg_witness_request_read(text, &r)) {
        mt_str note = mt_str_from(r.note.text.ptr,
                                  (size_t)(text.ptr + text.len - r.note.text.ptr));
        lg_witness_request_write(&again, r.old, &r.proof, note);
        expect(mt_str_eq(mt_buf_str(&again), text));
    }
    mt_buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_str text = mt_str_from((const char *)data, size);
    try_key(text);
    try_note(text);
    try_request(text);
    return 0;
}
