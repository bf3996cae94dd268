/* exec/evidence/notes.c - see notes.h.
 *
 * Reading goes by the order of ids: a size has 20 digits, so documents come in order of
 * size. A note counts with a witness when the line verifies with the key that was asked
 * for; what stands in the store besides is not looked at.
 * May fail: the store. */
#include "exec/evidence/notes.h"

#include "base/form.h"
#include "base/json_write.h"

/* PAGE: more cosignatures of one size than witnesses can be configured. FIRST_STEP, in
 * records: how far back is looked first. */
enum { PAGE = 256, FIRST_STEP = 10000 };

mt_err ex_log_origin(st_tx *tx, mt_arena *a, mt_str configured, mt_str *out)
{
    st_record first;
    if (configured.len) {
        *out = configured;
        return MT_OK;
    }
    mt_err err = st_record_at(tx, a, 0, &first);
    if (!err && first.hash.len != MT_SHA256_BYTES) {
        err = MT_E_CORRUPT;
    }
    if (!err) {
        char name[LG_MADE_NAME];
        mt_sha256 hash;
        memcpy(hash.bytes, first.hash.ptr, MT_SHA256_BYTES);
        *out = mt_str_dup(a, lg_made_name(&hash, name));
    }
    return err;
}

/* ---- Notes ---- */

bool ex_note_make(mt_buf *out, mt_str origin, const lg_checkpoint *point,
                  const mt_sign_key *key)
{
    lg_head head = {origin, point->size, point->root};
    lg_note_key open = {origin, LG_LOG_KEY, key->open};
    mt_buf text = {0}, line = {0};
    lg_head_write(&text, &head);
    lg_note_sign(&line, origin, mt_buf_str(&text), key);
    bool good =
        /* Verified at once: a note that does not hold would be stored for ever and
         * refused by every witness. */
        lg_note_signed(mt_buf_str(&text), mt_buf_str(&line), &open, NULL) == LG_SIGNED;
    mt_buf_adds(out, mt_buf_str(&text));
    mt_buf_addc(out, '\n');
    mt_buf_adds(out, mt_buf_str(&line));
    mt_buf_free(&text);
    mt_buf_free(&line);
    return good;
}

static mt_str size_id(mt_arena *a, uint64_t size)
{
    return mt_strf(a, "%020llu", (unsigned long long)size);
}

mt_err ex_note_get(st_tx *tx, mt_arena *a, uint64_t size, mt_str *note)
{
    st_doc doc;
    mt_err err = st_doc_get(tx, a, EX_KIND_NOTE, size_id(a, size), &doc);
    *note = err ? (mt_str){0} : doc.body;
    return err;
}

mt_err ex_note_put(st_tx *tx, mt_arena *a, uint64_t size, mt_str note)
{
    st_doc doc = {.kind = EX_KIND_NOTE, .id = size_id(a, size), .body = note};
    return st_doc_set(tx, &doc);
}

/* ---- Cosignatures ---- */

typedef struct gathering {
    mt_arena *a;
    mt_str size; /* 20 digits */
    mt_buf lines;
} gathering;

/* MT_E_CLOSED ends the walk: the next size begins. */
static mt_err take_line(void *state, const st_doc *row)
{
    gathering *g = state;
    if (!mt_str_starts(row->id, g->size)) {
        return MT_E_CLOSED;
    }
    mt_buf_adds(&g->lines, row->body);
    return MT_OK;
}

mt_err ex_cosignatures_get(st_tx *tx, mt_arena *a, uint64_t size, mt_str *lines)
{
    gathering g = {.a = a, .size = size_id(a, size)};
    /* Ids are SIZE/WITNESS; no id is "SIZE/" itself, so nothing is passed over. */
    mt_str after = mt_strf(a, "%.*s/", MT_ARG(g.size));
    mt_err err = st_doc_walk(tx, EX_KIND_COSIGNATURE, MT_STR(""),
                             (st_page){after, PAGE}, take_line, &g);
    *lines = mt_str_dup(a, mt_buf_str(&g.lines));
    mt_buf_free(&g.lines);
    return err == MT_E_CLOSED ? MT_OK : err;
}

static mt_str witnessed_json(mt_arena *a, uint64_t size, int64_t time)
{
    return mt_strf(a, "{\"size\":%llu,\"time\":%lld}", (unsigned long long)size,
                   (long long)time);
}

mt_err ex_cosignature_put(st_tx *tx, mt_arena *a, mt_str witness, uint64_t size,
                          int64_t time, mt_str line)
{
    mt_str id = size_id(a, size);
    st_doc doc = {.kind = EX_KIND_COSIGNATURE,
                  .id = mt_strf(a, "%.*s/%.*s", MT_ARG(id), MT_ARG(witness)),
                  .body = line};
    st_doc last = {
        .kind = EX_KIND_WITNESS, .id = witness, .body = witnessed_json(a, size, time)};
    mt_err err = st_doc_set(tx, &doc);
    return err ? err : st_doc_set(tx, &last);
}

static const mt_form_row WITNESSED[] = {
    MT_FORM_U64(ex_witnessed, size, "size", 0, INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_INT(ex_witnessed, time, "time", 0, INT64_MAX, MT_FORM_REQUIRED),
};

mt_err ex_witnessed_get(st_tx *tx, mt_arena *a, mt_str witness, ex_witnessed *out)
{
    st_doc doc;
    mt_json tree;
    mt_form form = {.arena = a, .what = "what a witness signed"};
    *out = (ex_witnessed){0};
    mt_err err = st_doc_get(tx, a, EX_KIND_WITNESS, witness, &doc);
    if (err) {
        return err;
    }
    bool good = !mt_json_read(a, doc.body, NULL, &tree, NULL) &&
                mt_form_read(&form, &tree, WITNESSED, mt_form_count(WITNESSED), out);
    /* A row that cannot be read only costs one proof from the beginning. */
    return good ? MT_OK : MT_E_NOTFOUND;
}

/* ---- With a quorum ---- */

typedef struct choosing {
    st_tx *tx;
    mt_arena *a;
    mt_arena scratch; /* of one note */
    const lg_cosigners *by;
    size_t ahead; /* the most of any note */
    bool newest, found;
    lg_cosigned_note *out;
} choosing;

/* Is this one signed by enough of them? What is ahead is told when none is. */
static bool has_quorum(choosing *c, lg_cosigned_note *got)
{
    bool enough = lg_note_lines_are_good(got->lines) &&
                  lg_cosigned_count(got, c->by) >= c->by->quorum;
    c->ahead = got->ahead > c->ahead ? got->ahead : c->ahead;
    return enough;
}

static mt_err judge_note(void *state, const st_doc *row)
{
    choosing *c = state;
    lg_cosigned_note got = {.note = row->body};
    mt_arena_reset(&c->scratch);
    if (lg_note_read(row->body, &got.read)) {
        return MT_OK;
    }
    mt_err err =
        ex_cosignatures_get(c->tx, &c->scratch, got.read.head.size, &got.lines);
    if (err || !has_quorum(c, &got)) {
        return err;
    }
    c->found = true;
    *c->out = got;
    c->out->note = mt_str_dup(c->a, got.note);
    c->out->lines = mt_str_dup(c->a, got.lines);
    (void)lg_note_read(c->out->note, &c->out->read); /* borrows from the copy */
    return c->newest ? MT_OK : MT_E_CLOSED;
}

static mt_err walk_notes(choosing *c, int64_t after)
{
    mt_err err =
        st_doc_walk(c->tx, EX_KIND_NOTE, MT_STR(""),
                    (st_page){.after = size_id(c->a, (uint64_t)after)}, judge_note, c);
    return err == MT_E_CLOSED ? MT_OK : err;
}

/* From the end backwards, in steps that grow: the newest is almost always near. */
static mt_err walk_back(choosing *c, int64_t seq)
{
    int64_t size = 0, step = FIRST_STEP;
    mt_str tail;
    mt_err err = st_ledger_tail(c->tx, c->a, &size, &tail);
    for (int64_t from = size; !err && !c->found && from > seq; step *= 8) {
        from = size - step > seq ? size - step : seq;
        err = walk_notes(c, from);
    }
    return err;
}

mt_err ex_cosigned_find(st_tx *tx, mt_arena *a, int64_t seq, bool newest,
                        const lg_cosigners *by, lg_cosigned_note *out)
{
    choosing c = {.tx = tx, .a = a, .by = by, .newest = newest, .out = out};
    *out = (lg_cosigned_note){0};
    mt_err err = newest ? walk_back(&c, seq) : walk_notes(&c, seq);
    out->ahead = c.found ? out->ahead : c.ahead;
    mt_arena_free(&c.scratch);
    return err ? err : c.found ? MT_OK : MT_E_NOTFOUND;
}
