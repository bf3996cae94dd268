/* ledger/proof.c - proofs as documents: written, read, and held against checkpoints.
 * Room: ledger. INVARIANT: one proof has one text. What is read is written again and
 * compared with the canonical form of what came, so a member that is missing, that
 * belongs to the other kind, or that nobody knows, refuses the document; two readers
 * never see two meanings in one file.
 * May fail: reading, with MT_E_CORRUPT for whatever is wrong. Checking cannot fail:
 * it answers NULL or a sentence. Whether a checkpoint is signed, and by whom, was
 * decided by the caller. */
#include "ledger/proof.h"

#include "base/form.h"

void lg_path_write(mt_jw *w, const lg_proof *path)
{
    char hex[MT_SHA256_HEX];
    mt_jw_keyz(w, "hashes");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < path->count; i++) {
        mt_hex(path->hashes[i].bytes, MT_SHA256_BYTES, hex);
        mt_jw_str(w, mt_str_from(hex, sizeof hex));
    }
    mt_jw_end_array(w);
}

static void write_record(mt_jw *w, const lg_entry *record)
{
    mt_buf line = {0};
    lg_entry_write(&line, record);
    mt_jw_keyz(w, "record");
    /* Without the newline that ends a line of a ledger. */
    mt_jw_raw(w, mt_str_from(line.ptr, line.len - 1));
    mt_buf_free(&line);
}

void lg_statement_write(mt_buf *out, const lg_statement *s)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    /* ORDER: keys ascend, which is why the two kinds take turns here. */
    if (!s->inclusion) {
        mt_jw_key_i64(&w, "from", (int64_t)s->from);
    }
    lg_path_write(&w, s->path);
    mt_jw_key_str(&w, "proof",
                  s->inclusion ? MT_STR("inclusion") : MT_STR("consistency"));
    if (s->inclusion) {
        write_record(&w, &s->record);
        mt_jw_key_i64(&w, "size", (int64_t)s->size);
    } else {
        mt_jw_key_i64(&w, "to", (int64_t)s->size);
    }
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* ---- reading ---- */

mt_str lg_compact(mt_arena *a, const mt_json *node)
{
    mt_buf text = {0};
    mt_json_write(&text, node, false);
    mt_str kept = mt_str_dup(a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

/* What both kinds of proof may hold. What does not belong to a kind is found when the
 * statement is written again and compared. */
typedef struct document {
    int kind;
    const mt_json *hashes, *record;
    int64_t from, to, size; /* -1: not given */
} document;

enum { INCLUSION, CONSISTENCY };
static const char *const KINDS[] = {
    [INCLUSION] = "inclusion", [CONSISTENCY] = "consistency", NULL};
MT_TABLE_COVERS(KINDS, CONSISTENCY + 2);
static const mt_form_row DOCUMENT[] = {
    MT_FORM_CHOICE(document, kind, "proof", KINDS, MT_FORM_REQUIRED),
    MT_FORM_TEXTS(document, hashes, "hashes", 0, LG_PROOF_MOST, MT_FORM_REQUIRED),
    MT_FORM_OBJECT(document, record, "record", 0),
    MT_FORM_INT(document, from, "from", 0, INT64_MAX, 0),
    MT_FORM_INT(document, to, "to", 0, INT64_MAX, 0),
    MT_FORM_INT(document, size, "size", 0, INT64_MAX, 0),
};

bool lg_path_read(mt_arena *a, const mt_json *list, const lg_proof **out)
{
    lg_proof *path = mt_new(a, lg_proof);
    for (; path->count < list->count; path->count++) {
        if (!mt_unhex(mt_json_text(&list->as.items[path->count]),
                      path->hashes[path->count].bytes, MT_SHA256_BYTES)) {
            return false;
        }
    }
    *out = path;
    return true;
}

static bool read_parts(mt_arena *a, const mt_json *root, lg_statement *out)
{
    /* No row is required: which of them must be there depends on the kind. */
    document d = {.from = -1, .to = -1, .size = -1};
    mt_form form = {.arena = a, .what = "a proof"};
    if (!mt_form_read(&form, root, DOCUMENT, mt_form_count(DOCUMENT), &d) ||
        !lg_path_read(a, d.hashes, &out->path)) {
        return false;
    }
    out->inclusion = d.kind == INCLUSION;
    out->from = (uint64_t)d.from;
    out->size = (uint64_t)(out->inclusion ? d.size : d.to);
    return out->inclusion ? d.record && d.size >= 0 &&
                                !lg_entry_read(lg_compact(a, d.record), &out->record)
                          : d.from >= 0 && d.to >= 0;
}

mt_err lg_statement_read(mt_arena *a, mt_str text, lg_statement *out)
{
    mt_json root;
    mt_buf again = {0};
    *out = (lg_statement){0};
    bool good = !mt_json_read(a, text, NULL, &root, NULL) && read_parts(a, &root, out);
    if (good) {
        lg_statement_write(&again, out);
        good = mt_str_eq(mt_str_from(again.ptr, again.len - 1), lg_compact(a, &root));
    }
    mt_buf_free(&again);
    return good ? MT_OK : MT_E_CORRUPT;
}

/* ---- checking ---- */

static const char *inclusion_fault(const lg_statement *s, const lg_checkpoint *c)
{
    /* The leaf is made of the hash that the record says it has, so that must be its
     * own; else a changed body would ride on the proof of the true one. */
    mt_sha256 hash = lg_hash(&s->record.prev, s->record.body);
    if (memcmp(hash.bytes, s->record.hash.bytes, MT_SHA256_BYTES) != 0) {
        return "the record was changed";
    }
    mt_sha256 leaf = lg_leaf(&hash);
    return lg_check_inclusion(&c->root, c->size, s->record.seq, &leaf, s->path)
               ? NULL
               : "the record is not in the ledger of the checkpoint";
}

const char *lg_statement_fault(const lg_statement *s, const lg_checkpoint *earlier,
                               const lg_checkpoint *later)
{
    /* A path is a proof for exactly one size; with a checkpoint of another it means
     * nothing. */
    if (!later || later->size != s->size) {
        return "the proof is for a ledger of another size than the checkpoint";
    }
    if (s->inclusion) {
        return inclusion_fault(s, later);
    }
    if (!earlier || earlier->size != s->from) {
        return "no checkpoint of the earlier size was given";
    }
    return lg_check_consistency(&earlier->root, s->from, &later->root, s->size, s->path)
               ? NULL
               : "the later ledger does not begin with the earlier one";
}
