/* http/token.c - bearer tokens: made, split, compared, kept. Room: http. A token is
 * mt_ID_SECRET, both in lower-case hex. Whoever calls shows all of it; the store has
 * the document under ID with the SHA-256 of SECRET. So a stolen store opens no door,
 * and finding the document takes no search.
 *
 * INVARIANT: a secret is compared in constant time and its random bytes are wiped
 * where it was made. Expiry and revocation are looked at with the caller's clock, in
 * ht_token_lives(), after the secret. What may fail: a document that is not what
 * ht_token_write() writes is MT_E_CORRUPT and lets nobody in. */
#include "http/token.h"

#include <sodium.h>

#include "base/form.h"
#include "base/hash.h"
#include "base/json_write.h"

enum { GRAMMAR = 2 }; /* of personas and rights; documents from before have none */

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

static void start_random(void)
{
    if (sodium_init() < 0) {
        MT_BUG("libsodium cannot be used");
    }
}

/* Writes a new secret behind the id that stands in the text, and keeps its hash. The
 * text exists here and at the caller, who shows it once and wipes it. */
static void give_secret(mt_arena *a, ht_token *t, char text[HT_TOKEN_TEXT + 1])
{
    unsigned char random[HT_TOKEN_SECRET / 2];
    randombytes_buf(random, sizeof random);
    text[3 + HT_TOKEN_ID] = '_';
    mt_hex(random, sizeof random, text + 4 + HT_TOKEN_ID);
    text[HT_TOKEN_TEXT] = '\0';
    sodium_memzero(random, sizeof random);
    t->hash = mt_sha256_hex(
        a, mt_sha256_of(mt_str_from(text + 4 + HT_TOKEN_ID, HT_TOKEN_SECRET)));
}

/* The id is public and finds the row; only the hash of the secret is stored. */
void ht_token_make(mt_arena *a, ht_token *t, char text[HT_TOKEN_TEXT + 1])
{
    unsigned char random[HT_TOKEN_ID / 2];
    start_random();
    randombytes_buf(random, sizeof random);
    memcpy(text, "mt_", 3);
    mt_hex(random, sizeof random, text + 3);
    t->id = mt_str_dup(a, mt_str_from(text + 3, HT_TOKEN_ID));
    give_secret(a, t, text);
}

void ht_token_rotate(mt_arena *a, ht_token *t, int64_t until_ms,
                     char text[HT_TOKEN_TEXT + 1])
{
    start_random();
    memcpy(text, "mt_", 3);
    memcpy(text + 3, t->id.ptr, HT_TOKEN_ID);
    t->previous_hash = t->hash;
    t->previous_until_ms = until_ms;
    give_secret(a, t, text);
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

static bool is_hash_of(mt_str hash, mt_str secret)
{
    char hex[MT_SHA256_HEX];
    mt_sha256 digest = mt_sha256_of(secret);
    mt_hex(digest.bytes, MT_SHA256_BYTES, hex);
    return hash.len == MT_SHA256_HEX &&
           sodium_memcmp(hex, hash.ptr, MT_SHA256_HEX) == 0;
}

bool ht_token_fits(const ht_token *t, mt_str secret, int64_t now_ms)
{
    return is_hash_of(t->hash, secret) ||
           (now_ms < t->previous_until_ms && is_hash_of(t->previous_hash, secret));
}

bool ht_token_lives(const ht_token *t, int64_t now_ms)
{
    return !t->revoked_ms && !t->expired_ms &&
           (!t->expires_ms || now_ms < t->expires_ms);
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
    mt_jw_key_i64(&w, "actor", t->actor);
    mt_jw_key_i64(&w, "created_ms", t->created_ms);
    mt_jw_key_i64(&w, "expired_ms", t->expired_ms);
    mt_jw_key_i64(&w, "expires_ms", t->expires_ms);
    mt_jw_key_i64(&w, "grammar", GRAMMAR);
    mt_jw_key_str(&w, "hash", t->hash);
    mt_jw_key_str(&w, "name", t->name);
    mt_jw_keyz(&w, "personas");
    write_list(&w, t->personas, t->persona_count);
    if (t->previous_hash.len) {
        mt_jw_key_str(&w, "previous_hash", t->previous_hash);
        mt_jw_key_i64(&w, "previous_until_ms", t->previous_until_ms);
    }
    mt_jw_key_i64(&w, "revoked_ms", t->revoked_ms);
    mt_jw_keyz(&w, "rights");
    write_list(&w, t->rights, t->right_count);
    mt_jw_end_object(&w);
}

/* A stored document: numbers and lists as ht_token_write() writes them. */
typedef struct document {
    mt_str name, hash, previous_hash;
    const mt_json *personas, *rights;
    int64_t actor, created_ms, expired_ms, expires_ms, revoked_ms, previous_until_ms;
    int64_t grammar; /* 0: from before there was a number */
} document;

#define TIME(field)        MT_FORM_INT(document, field, #field, 0, INT64_MAX, MT_FORM_REQUIRED)
#define MAYBE(field, most) MT_FORM_INT(document, field, #field, 0, most, 0)
static const mt_form_row DOCUMENT[] = {
    MAYBE(actor, EX_ACTOR_MACHINE),
    MAYBE(expired_ms, INT64_MAX),
    MAYBE(grammar, INT64_MAX),
    MAYBE(previous_until_ms, INT64_MAX),
    MT_FORM_ROW(document, previous_hash, "previous_hash", MT_FORM_K_TEXT, MT_SHA256_HEX,
                MT_SHA256_HEX, 0),
    TIME(created_ms),
    TIME(expires_ms),
    TIME(revoked_ms),
    MT_FORM_ROW(document, hash, "hash", MT_FORM_K_TEXT, MT_SHA256_HEX, MT_SHA256_HEX,
                MT_FORM_REQUIRED),
    MT_FORM_TEXT(document, name, "name", 0),
    MT_FORM_TEXTS(document, personas, "personas", 0, INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_TEXTS(document, rights, "rights", 0, INT64_MAX, MT_FORM_REQUIRED),
};

/* With room for what a token from before has besides. */
static mt_str *copy_list(mt_arena *a, const mt_json *list, size_t *count)
{
    mt_str *to = mt_new_array(a, mt_str, list->count + 2);
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
    mt_str *rights = copy_list(a, d.rights, &out->right_count);
    if (!d.grammar) {
        rights[out->right_count++] = MT_STR("read");
        rights[out->right_count++] = MT_STR("evaluate");
    }
    out->rights = rights;
    out->actor = (ex_actor)d.actor;
    out->expired_ms = d.expired_ms;
    out->previous_until_ms = d.previous_until_ms;
    out->previous_hash = mt_str_dup(a, d.previous_hash);
    out->name = mt_str_dup(a, d.name);
    out->hash = mt_str_dup(a, d.hash);
    return MT_OK;
}
