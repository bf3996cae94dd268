#include "ledger/proof.h"

#include "base/json_write.h"

static void write_hashes(mt_jw *w, const lg_proof *path)
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
    mt_jw_raw(w, mt_str_from(line.ptr, line.len - 1));
    mt_buf_free(&line);
}

void lg_statement_write(mt_buf *out, const lg_statement *s)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    if (!s->inclusion) {
        mt_jw_key_i64(&w, "from", (int64_t)s->from);
    }
    write_hashes(&w, s->path);
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

static mt_str compact(mt_arena *a, const mt_json *node)
{
    mt_buf text = {0};
    mt_json_write(&text, node, false);
    mt_str kept = mt_str_dup(a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

static bool read_natural(const mt_json *node, uint64_t *out)
{
    int64_t value;
    if (mt_json_i64(node, &value) || value < 0) {
        return false;
    }
    *out = (uint64_t)value;
    return true;
}

static bool read_hashes(mt_arena *a, const mt_json *list, lg_statement *out)
{
    lg_proof *path = mt_new(a, lg_proof);
    if (!mt_json_is(list, MT_JSON_ARRAY) || list->count > LG_PROOF_MOST) {
        return false;
    }
    for (; path->count < list->count; path->count++) {
        const mt_json *item = &list->as.items[path->count];
        if (!mt_json_is(item, MT_JSON_STRING) ||
            !mt_unhex(mt_json_text(item), path->hashes[path->count].bytes,
                      MT_SHA256_BYTES)) {
            return false;
        }
    }
    out->path = path;
    return true;
}

static bool read_parts(mt_arena *a, const mt_json *root, lg_statement *out)
{
    mt_str kind = mt_json_text(mt_json_at(root, "proof"));
    const mt_json *record = mt_json_at(root, "record");
    out->inclusion = mt_str_is(kind, "inclusion");
    if (!read_hashes(a, mt_json_at(root, "hashes"), out)) {
        return false;
    }
    if (out->inclusion) {
        return mt_json_is(record, MT_JSON_OBJECT) &&
               read_natural(mt_json_at(root, "size"), &out->size) &&
               !lg_entry_read(compact(a, record), &out->record);
    }
    return mt_str_is(kind, "consistency") &&
           read_natural(mt_json_at(root, "from"), &out->from) &&
           read_natural(mt_json_at(root, "to"), &out->size);
}

mt_err lg_statement_read(mt_arena *a, mt_str text, lg_statement *out)
{
    mt_json root;
    mt_buf again = {0};
    *out = (lg_statement){0};
    bool good = !mt_json_read(a, text, NULL, &root, NULL) &&
                root.type == MT_JSON_OBJECT && read_parts(a, &root, out);
    if (good) {
        lg_statement_write(&again, out);
        good = mt_str_eq(mt_str_from(again.ptr, again.len - 1), compact(a, &root));
    }
    mt_buf_free(&again);
    return good ? MT_OK : MT_E_CORRUPT;
}

/* ---- checking ---- */

static const char *inclusion_fault(const lg_statement *s, const lg_checkpoint *c)
{
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
