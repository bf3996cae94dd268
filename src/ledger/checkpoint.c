#include "ledger/checkpoint.h"

#include "base/form.h"
#include "base/json_write.h"

/* The bytes that are signed. */
static void write_statement(mt_jw *w, const lg_checkpoint *c)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "domain", c->domain);
    mt_jw_key_hex(w, "head", c->head.bytes, MT_SHA256_BYTES);
    mt_jw_key_hex(w, "root", c->root.bytes, MT_SHA256_BYTES);
    mt_jw_key_i64(w, "size", (int64_t)c->size);
    mt_jw_end_object(w);
}

static mt_buf statement(const lg_checkpoint *c)
{
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    write_statement(&w, c);
    return text;
}

void lg_checkpoint_sign(lg_checkpoint *c, const mt_sign_key *key)
{
    mt_buf text = statement(c);
    c->key = key->open;
    c->signature = mt_sign(key, mt_buf_str(&text));
    mt_buf_free(&text);
}

bool lg_checkpoint_verify(const lg_checkpoint *c)
{
    mt_buf text = statement(c);
    bool good = mt_sign_verify(&c->key, mt_buf_str(&text), &c->signature);
    mt_buf_free(&text);
    return good;
}

void lg_checkpoint_write(mt_buf *out, const lg_checkpoint *c)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "checkpoint");
    write_statement(&w, c);
    mt_jw_key_hex(&w, "key", c->key.bytes, MT_SIGN_PUBLIC);
    mt_jw_key_hex(&w, "signature", c->signature.bytes, MT_SIGN_BYTES);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* A fixed number of bytes as hex; `most` of the row. */
static bool read_hex(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    return (mt_json_is(v, MT_JSON_STRING) &&
            mt_unhex(mt_json_text(v), to, (size_t)row->most)) ||
           mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key, "must be hex");
}

#define HEX(field, name, bytes)                                                        \
    {                                                                                  \
        .key = name, .kind = MT_FORM_K_OWN, .flags = MT_FORM_REQUIRED,                 \
        .offset = offsetof(lg_checkpoint, field), .most = bytes, .read = read_hex      \
    }
static const mt_form_row STATEMENT_ROWS[] = {
    MT_FORM_TEXT(lg_checkpoint, domain, "domain", MT_FORM_REQUIRED),
    HEX(head, "head", MT_SHA256_BYTES),
    HEX(root, "root", MT_SHA256_BYTES),
    MT_FORM_U64(lg_checkpoint, size, "size", 0, INT64_MAX, MT_FORM_REQUIRED),
};
static const mt_form_table STATEMENT =
    MT_FORM_TABLE("a checkpoint", STATEMENT_ROWS, lg_checkpoint, NULL);
static const mt_form_row LINE[] = {
    MT_FORM_PART("checkpoint", &STATEMENT, MT_FORM_REQUIRED),
    HEX(key, "key", MT_SIGN_PUBLIC),
    HEX(signature, "signature", MT_SIGN_BYTES),
};

static bool read_parts(mt_arena *a, const mt_json *root, lg_checkpoint *out)
{
    mt_form form = {.arena = a, .what = "a checkpoint"};
    bool good = mt_form_read(&form, root, LINE, mt_form_count(LINE), out);
    out->domain = mt_str_dup(a, good ? out->domain : MT_STR(""));
    return good;
}

mt_err lg_checkpoint_read(mt_arena *a, mt_str line, lg_checkpoint *out)
{
    mt_json root;
    mt_buf again = {0};
    bool good = !mt_json_read(a, line, NULL, &root, NULL) && read_parts(a, &root, out);
    if (good) {
        lg_checkpoint_write(&again, out);
        good = mt_str_eq(mt_str_from(again.ptr, again.len - 1), line);
    }
    mt_buf_free(&again);
    return good ? MT_OK : MT_E_CORRUPT;
}
