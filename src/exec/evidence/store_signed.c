/* exec/evidence/store_signed.c - are checkpoints, notes and their number all there?
 * Room: exec.
 * Every checkpoint is kept twice, as a row and as a note, and the rows are counted. Who
 * removes one of the three leaves the others. Who removes all that tells of one leaves
 * nothing here: the signer's memory and witnesses know of it (motet serve looks at
 * both).
 *
 * A note follows its checkpoint a moment later, so the newest may be without; programs
 * from before made none. After motet ledger accept rows may be gone rightly. May fail:
 * the store. */
#include "exec/evidence/notes.h"
#include "exec/evidence/store_check.h"

typedef struct signed_check {
    ex_checking *c;
    ex_sides s;
    int64_t newest; /* size of the largest checkpoint */
} signed_check;

static mt_str size_name(mt_arena *a, const char *what, int64_t size)
{
    return mt_strf(a, "%s over %lld records", what, (long long)size);
}

static mt_err look_at_row(void *state, int64_t size, mt_str text)
{
    (void)text;
    signed_check *x = state;
    mt_str note;
    bool due = x->s.newer_at && size >= (int64_t)x->s.newer_at && size < x->newest;
    mt_arena_reset(x->s.scratch);
    mt_err err =
        due ? ex_note_get(x->s.store, x->s.scratch, (uint64_t)size, &note) : MT_OK;
    if (err == MT_E_NOTFOUND) {
        ex_check_differs(x->c, "signed", size_name(x->s.scratch, "checkpoint", size),
                         "its note is missing");
        err = MT_OK;
    }
    return err;
}

static mt_err found(void *state, int64_t size, mt_str text)
{
    (void)size, (void)text;
    *(bool *)state = true;
    return MT_OK;
}

static mt_err look_at_note(void *state, const st_doc *row)
{
    signed_check *x = state;
    lg_note note;
    bool there = false;
    mt_arena_reset(x->s.scratch);
    if (lg_note_read(row->body, &note)) {
        return MT_OK; /* named with the chain */
    }
    int64_t size = (int64_t)note.head.size;
    mt_err err = st_checkpoint_walk(x->s.store, size - 1, size, found, &there);
    if (!err && !there) {
        ex_check_differs(x->c, "signed", size_name(x->s.scratch, "note", size),
                         "its checkpoint is missing");
    }
    return err;
}

static void check_count(signed_check *x, const st_ledger_bounds *b)
{
    bool counts = x->s.newer_at && b->largest >= (int64_t)x->s.newer_at;
    if (b->counted < 0 && counts) {
        ex_check_differs(x->c, "signed", MT_STR("checkpoints"),
                         "how many were made is not there any more");
    } else if (b->counted >= 0 && b->counted != b->checkpoints) {
        ex_check_differs(x->c, "signed", MT_STR("checkpoints"),
                         "%lld were made, and there are %lld", (long long)b->counted,
                         (long long)b->checkpoints);
    }
}

mt_err ex_check_signed(ex_checking *c)
{
    signed_check x = {.c = c, .s = ex_check_sides(c)};
    st_ledger_bounds b;
    mt_err err = st_ledger_bounds_get(x.s.store, &b);
    if (err || x.s.accepted) {
        return err;
    }
    check_count(&x, &b);
    x.newest = b.largest;
    err = st_checkpoint_walk(x.s.store, 0, INT64_MAX, look_at_row, &x);
    return err ? err
               : st_doc_walk(x.s.store, EX_KIND_NOTE, MT_STR(""), (st_page){0},
                             look_at_note, &x);
}
