/* http/token.c - bearer tokens: made, split, compared, kept. Room: http. A token is
 * mt_ID_SECRET, both in lower-case hex. Whoever calls shows all of it; the store has
 * the document under ID with the SHA-256 of SECRET. So a stolen store opens no door,
 * and finding the document takes no search.
 *
 * INVARIANT: a secret is compared in constant time and its random bytes are wiped
 * where it was made. Expiry and revocation are looked at with the caller's clock, in
 * ht_token_lives(), after the secret. What may fail: a document that is not what
 * ht_token_write() writes is MT_E_CORRUPT and lets nobody in. Rights are checked by
 * name when a token is made (ht_right_known), so a misspelt right is not granted
 * silently. */
#include "http/token.h"

#include <sodium.h>

#include "base/form.h"
#include "base/hash.h"
#include "base/json_write.h"

static bool is_hex(mt_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
            return false;
        }
    }
    return true;
}

/* The id is public and finds the row; only the hash of the secret is stored. The text
 * exists here and at the caller, who shows it once and wipes it. */
void ht_token_make(mt_arena *a, ht_token *t, char text[HT_TOKEN_TEXT + 1])
{
    unsigned char random[(HT_TOKEN_ID + HT_TOKEN_SECRET) / 2];
    if (sodium_init() < 0) {
        MT_BUG("libsodium cannot be used");
    }
    randombytes_buf(random, sizeof random);
    memcpy(text, "mt_", 3);
    mt_hex(random, HT_TOKEN_ID / 2, text + 3);
    text[3 + HT_TOKEN_ID] = '_';
    mt_hex(random + HT_TOKEN_ID / 2, HT_TOKEN_SECRET / 2, text + 4 + HT_TOKEN_ID);
    text[HT_TOKEN_TEXT] = '\0';
    sodium_memzero(random, sizeof random);
    t->id = mt_str_dup(a, mt_str_from(text + 3, HT_TOKEN_ID));
    t->hash = mt_sha256_hex(
        a, mt_sha256_of(mt_str_from(text + 4 + HT_TOKEN_ID, HT_TOKEN_SECRET)));
}

bool ht_token_split(mt_str text, mt_str *id, mt_str *secret)
{
    if (text.len != HT_TOKEN_TEXT || memcmp(text.ptr, "mt_", 3) != 0 ||
        text.ptr[3 + HT_TOKEN_ID] != '_') {
        return false;
    }
    *id = mt_str_from(text.ptr + 3, HT_TOKEN_ID);
    *secret = mt_str_from(text.ptr + 4 + HT_TOKEN_ID, HT_TOKEN_SECRET);
    return is_hex(*id) && is_hex(*secret);
}

bool ht_token_fits(const ht_token *t, mt_str secret)
{
    char hex[MT_SHA256_HEX];
    mt_sha256 digest = mt_sha256_of(secret);
    mt_hex(digest.bytes, MT_SHA256_BYTES, hex);
    return t->hash.len == MT_SHA256_HEX &&
           sodium_memcmp(hex, t->hash.ptr, MT_SHA256_HEX) == 0;
}

bool ht_token_lives(const ht_token *t, int64_t now_ms)
{
    return !t->revoked_ms && (!t->expires_ms || now_ms < t->expires_ms);
}

/* Rights end in a name only where they are about one fact, source, graph or agent; what
 * "facts:" is followed by is not looked up, since contracts come and go. */
bool ht_right_known(mt_str right)
{
    static const mt_str WHOLE[] = {MT_STR_INIT("admin"),
                                   MT_STR_INIT("deploy"),
                                   MT_STR_INIT("instances:create"),
                                   MT_STR_INIT("instances:delete"),
                                   MT_STR_INIT("facts:override"),
                                   MT_STR_INIT("ledger:read"),
                                   MT_STR_INIT("metrics:read")};
    static const mt_str BEGIN[] = {MT_STR_INIT("facts:"), MT_STR_INIT("source:"),
                                   MT_STR_INIT("graphs:"), MT_STR_INIT("agents:")};
    for (size_t i = 0; i < sizeof WHOLE / sizeof *WHOLE; i++) {
        if (mt_str_eq(right, WHOLE[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof BEGIN / sizeof *BEGIN; i++) {
        if (mt_str_starts(right, BEGIN[i]) && right.len > BEGIN[i].len) {
            return true;
        }
    }
    return false;
}

static void write_list(mt_jw *w, const mt_str *items, size_t count)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        mt_jw_str(w, items[i]);
    }
    mt_jw_end_array(w);
}

/* Sorted keys. The secret cannot be written because it is not here. */
void ht_token_write(mt_buf *out, const ht_token *t)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "created_ms", t->created_ms);
    mt_jw_key_i64(&w, "expires_ms", t->expires_ms);
    mt_jw_key_str(&w, "hash", t->hash);
    mt_jw_key_str(&w, "name", t->name);
    mt_jw_keyz(&w, "personas");
    write_list(&w, t->personas, t->persona_count);
    mt_jw_key_i64(&w, "revoked_ms", t->revoked_ms);
    mt_jw_keyz(&w, "rights");
    write_list(&w, t->rights, t->right_count);
    mt_jw_end_object(&w);
}

/* A stored document: numbers and lists as ht_token_write() writes them. */
typedef struct document {
    mt_str name, hash;
    const mt_json *personas, *rights;
    int64_t created_ms, expires_ms, revoked_ms;
} document;

#define TIME(field) MT_FORM_INT(document, field, #field, 0, INT64_MAX, MT_FORM_REQUIRED)
static const mt_form_row DOCUMENT[] = {
    TIME(created_ms),
    TIME(expires_ms),
    TIME(revoked_ms),
    MT_FORM_ROW(document, hash, "hash", MT_FORM_K_TEXT, MT_SHA256_HEX, MT_SHA256_HEX,
                MT_FORM_REQUIRED),
    MT_FORM_TEXT(document, name, "name", 0),
    MT_FORM_TEXTS(document, personas, "personas", 0, INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_TEXTS(document, rights, "rights", 0, INT64_MAX, MT_FORM_REQUIRED),
};

static const mt_str *copy_list(mt_arena *a, const mt_json *list, size_t *count)
{
    mt_str *to = mt_new_array(a, mt_str, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        to[i] = mt_str_dup(a, mt_json_text(&list->as.items[i]));
    }
    *count = list->count;
    return to;
}

/* Members it does not know are allowed: a newer program may have written the row, and a
 * node that cannot read a token would lock its holder out. */
mt_err ht_token_read(mt_arena *a, mt_str id, mt_str body, ht_token *out)
{
    mt_json tree;
    document d = {0};
    mt_form form = {.arena = a, .what = "a token", .unknown = MT_FORM_ALLOWED};
    *out = (ht_token){.id = mt_str_dup(a, id)};
    if (mt_json_read(a, body, NULL, &tree, NULL) ||
        !mt_form_read(&form, &tree, DOCUMENT, mt_form_count(DOCUMENT), &d)) {
        return MT_E_CORRUPT;
    }
    out->created_ms = d.created_ms;
    out->expires_ms = d.expires_ms;
    out->revoked_ms = d.revoked_ms;
    out->personas = copy_list(a, d.personas, &out->persona_count);
    out->rights = copy_list(a, d.rights, &out->right_count);
    out->name = mt_str_dup(a, d.name);
    out->hash = mt_str_dup(a, d.hash);
    return MT_OK;
}
