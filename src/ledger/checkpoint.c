#include "ledger/checkpoint.h"

#include "base/json_write.h"

static void key_hex(mt_jw *w, mt_str key, const unsigned char *bytes, size_t count)
{
    char hex[2 * MT_SIGN_BYTES];
    mt_hex(bytes, count, hex);
    mt_jw_key(w, key);
    mt_jw_str(w, mt_str_from(hex, 2 * count));
}

/* The bytes that are signed. */
static void write_statement(mt_jw *w, const lg_checkpoint *c)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "domain", c->domain);
    key_hex(w, MT_STR("head"), c->head.bytes, MT_SHA256_BYTES);
    key_hex(w, MT_STR("root"), c->root.bytes, MT_SHA256_BYTES);
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
    key_hex(&w, MT_STR("key"), c->key.bytes, MT_SIGN_PUBLIC);
    key_hex(&w, MT_STR("signature"), c->signature.bytes, MT_SIGN_BYTES);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

static bool read_hex(const mt_json *object, mt_str key, unsigned char *out,
                     size_t count)
{
    const mt_json *node = mt_json_get(object, key);
    return mt_json_is(node, MT_JSON_STRING) && mt_unhex(mt_json_text(node), out, count);
}

static bool read_parts(mt_arena *a, const mt_json *root, lg_checkpoint *out)
{
    const mt_json *inner = mt_json_at(root, "checkpoint");
    const mt_json *domain = mt_json_at(inner, "domain");
    int64_t size;
    if (!mt_json_is(domain, MT_JSON_STRING) ||
        mt_json_i64(mt_json_at(inner, "size"), &size) || size < 0) {
        return false;
    }
    out->domain = mt_str_dup(a, mt_json_text(domain));
    out->size = (uint64_t)size;
    return read_hex(inner, MT_STR("head"), out->head.bytes, MT_SHA256_BYTES) &&
           read_hex(inner, MT_STR("root"), out->root.bytes, MT_SHA256_BYTES) &&
           read_hex(root, MT_STR("key"), out->key.bytes, MT_SIGN_PUBLIC) &&
           read_hex(root, MT_STR("signature"), out->signature.bytes, MT_SIGN_BYTES);
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
