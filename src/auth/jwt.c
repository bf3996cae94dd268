/* auth/jwt.c - JSON Web Tokens and sets of keys. Room: auth.
 *
 * Order: three parts, each base64url without padding and in its one spelling; the
 * header (alg, kid, crit), the claims; then keys. A key is tried only if its kind fits
 * the algorithm, its `use`, `alg` and `key_ops` allow it, and, where both have one, its
 * id is the token's. INVARIANT: a key has one algorithm, by its kind; so no token can
 * make an RSA key verify anything but RS256. RSA keys have 2048 bits or more.
 *
 * What may fail: reading, with a word for the log; nothing of a token is in it. */
#include "auth/jwt.h"

#include <stdlib.h>
#include <strings.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "base/base64.h"
#include "base/form.h"
#include "base/sign.h"

const char *const AU_ALG_NAMES[AU_ALG_COUNT + 1] = {"RS256", "ES256", "EdDSA", NULL};

/* The most is for the time a verification takes: whoever serves keys must not be
 * able to make every check slow. */
enum { RSA_LEAST_BITS = 2048, RSA_MOST_BITS = 16384, P256 = 32 };

/* ---- Tokens ---- */

/* Only whether it could be one: tokens of our own have no two dots, so it is known who
 * has to judge a credential before anything is decoded. */
bool au_jwt_seems(mt_str text)
{
    size_t dots = 0;
    for (size_t i = 0; i < text.len; i++) {
        dots += text.ptr[i] == '.';
    }
    return dots == 2 && text.len > 2;
}

typedef struct header {
    mt_str alg, kid, typ;
    const mt_json *crit;
} header;

static const mt_form_row HEADER[] = {
    MT_FORM_TEXT(header, alg, "alg", MT_FORM_REQUIRED),
    MT_FORM_TEXT(header, kid, "kid", 0),
    MT_FORM_TEXT(header, typ, "typ", 0),
    MT_FORM_ANY(header, crit, "crit", 0),
};

static bool read_object(mt_arena *a, mt_str part, mt_json *out)
{
    mt_str text = mt_unbase64url(a, part);
    mt_json_limits limits = {AU_JWT_MOST, 16};
    return text.ptr && !mt_json_read(a, text, &limits, out, NULL) &&
           mt_json_is(out, MT_JSON_OBJECT);
}

/* RFC 8725, 3.11: what an issuer signed for something else (a logout, an event, a proof
 * of possession) says so, and is nobody's credential. */
static bool is_of_kind(mt_str typ)
{
    static const char *const KINDS[] = {"JWT", "at+jwt"};
    static const char FRONT[] = "application/";
    size_t front = sizeof FRONT - 1;
    if (typ.len > front && strncasecmp(typ.ptr, FRONT, front) == 0) {
        typ = mt_str_skip(typ, front);
    }
    bool is = !typ.ptr;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS && !is; i++) {
        is =
            typ.len == strlen(KINDS[i]) && strncasecmp(typ.ptr, KINDS[i], typ.len) == 0;
    }
    return is;
}

static const char *read_header(mt_arena *a, mt_str part, au_jwt *out)
{
    mt_json tree;
    header h = {0};
    mt_form form = {.arena = a, .what = "a header", .unknown = MT_FORM_ALLOWED};
    if (!read_object(a, part, &tree) ||
        !mt_form_read(&form, &tree, HEADER, mt_form_count(HEADER), &h)) {
        return "its header is malformed";
    }
    /* RFC 7515, 4.1.11: an extension that is critical and not understood refuses the
     * token. None is understood, so an empty list is refused as well. */
    if (h.crit) {
        return "its header demands an extension";
    }
    if (!is_of_kind(h.typ)) {
        return "it is a token for something else";
    }
    out->kid = h.kid;
    for (int i = 0; i < AU_ALG_COUNT; i++) {
        if (mt_str_eq(h.alg, mt_str_z(AU_ALG_NAMES[i]))) {
            out->alg = (au_alg)i;
            return NULL;
        }
    }
    return "its algorithm is not allowed";
}

const char *au_jwt_read(mt_arena *a, mt_str text, au_jwt *out)
{
    *out = (au_jwt){0};
    if (text.len > AU_JWT_MOST) {
        return "it is too long";
    }
    size_t first = mt_str_find(text, '.');
    mt_str rest = mt_str_skip(text, first + 1);
    size_t second = mt_str_find(rest, '.');
    if (!au_jwt_seems(text)) {
        return "it does not have three parts";
    }
    const char *why = read_header(a, mt_str_from(text.ptr, first), out);
    if (why) {
        return why;
    }
    if (!read_object(a, mt_str_from(rest.ptr, second), &out->claims)) {
        return "its claims are malformed";
    }
    out->signature = mt_unbase64url(a, mt_str_skip(rest, second + 1));
    /* The very bytes that came, not what they decode to. */
    out->signed_by = mt_str_from(text.ptr, first + 1 + second);
    return out->signature.len ? NULL : "it is not signed";
}

/* ---- Keys ---- */

typedef struct key {
    mt_str kid;
    au_alg alg;
    EVP_PKEY *pkey;         /* RS256, ES256 */
    mt_sign_public ed25519; /* EdDSA */
} key;

struct au_keys {
    mt_arena arena;
    size_t count;
    key items[AU_KEYS_MOST];
};

typedef struct jwk {
    mt_str kty, kid, use, alg, crv, n, e, x, y;
    const mt_json *key_ops;
} jwk;

#define FIELD(name) MT_FORM_TEXT(jwk, name, #name, 0)
static const mt_form_row JWK[] = {
    MT_FORM_TEXT(jwk, kty, "kty", MT_FORM_REQUIRED),
    FIELD(kid),
    FIELD(use),
    FIELD(alg),
    FIELD(crv),
    FIELD(n),
    FIELD(e),
    FIELD(x),
    FIELD(y),
    MT_FORM_ANY(jwk, key_ops, "key_ops", 0),
};

/* NULL where libcrypto does not take the parts. The key is the caller's to free. */
static EVP_PKEY *make_key(const char *kind, OSSL_PARAM_BLD *parts)
{
    EVP_PKEY *made = NULL;
    OSSL_PARAM *params = parts ? OSSL_PARAM_BLD_to_param(parts) : NULL;
    EVP_PKEY_CTX *c = params ? EVP_PKEY_CTX_new_from_name(NULL, kind, NULL) : NULL;
    if (!c || EVP_PKEY_fromdata_init(c) != 1 ||
        EVP_PKEY_fromdata(c, &made, EVP_PKEY_PUBLIC_KEY, params) != 1) {
        made = NULL;
    }
    EVP_PKEY_CTX_free(c);
    OSSL_PARAM_free(params);
    return made;
}

static BIGNUM *number_of(mt_str bytes)
{
    return BN_bin2bn((const unsigned char *)bytes.ptr, (int)bytes.len, NULL);
}

static EVP_PKEY *rsa_key(mt_arena *a, const jwk *j)
{
    mt_str n = mt_unbase64url(a, j->n), e = mt_unbase64url(a, j->e);
    if (!n.len || !e.len || n.len > RSA_MOST_BITS / 8 || e.len > 8) {
        return NULL;
    }
    BIGNUM *modulus = number_of(n), *exponent = number_of(e);
    OSSL_PARAM_BLD *parts = OSSL_PARAM_BLD_new();
    EVP_PKEY *made = NULL;
    if (modulus && exponent && parts && BN_num_bits(modulus) >= RSA_LEAST_BITS &&
        BN_is_odd(exponent) && !BN_is_one(exponent) &&
        OSSL_PARAM_BLD_push_BN(parts, OSSL_PKEY_PARAM_RSA_N, modulus) &&
        OSSL_PARAM_BLD_push_BN(parts, OSSL_PKEY_PARAM_RSA_E, exponent)) {
        made = make_key("RSA", parts);
    }
    OSSL_PARAM_BLD_free(parts);
    BN_free(modulus);
    BN_free(exponent);
    return made;
}

/* libcrypto refuses a point that is not on the curve. */
static EVP_PKEY *ec_key(mt_arena *a, const jwk *j)
{
    mt_str x = mt_unbase64url(a, j->x), y = mt_unbase64url(a, j->y);
    unsigned char point[1 + 2 * P256] = {4};
    if (!mt_str_is(j->crv, "P-256") || x.len != P256 || y.len != P256) {
        return NULL;
    }
    memcpy(point + 1, x.ptr, P256);
    memcpy(point + 1 + P256, y.ptr, P256);
    OSSL_PARAM_BLD *parts = OSSL_PARAM_BLD_new();
    EVP_PKEY *made = NULL;
    if (parts &&
        OSSL_PARAM_BLD_push_utf8_string(parts, OSSL_PKEY_PARAM_GROUP_NAME, "P-256",
                                        0) &&
        OSSL_PARAM_BLD_push_octet_string(parts, OSSL_PKEY_PARAM_PUB_KEY, point,
                                         sizeof point)) {
        made = make_key("EC", parts);
    }
    OSSL_PARAM_BLD_free(parts);
    return made;
}

static bool ed_key(mt_arena *a, const jwk *j, mt_sign_public *out)
{
    mt_str x = mt_unbase64url(a, j->x);
    bool good = mt_str_is(j->crv, "Ed25519") && x.len == sizeof out->bytes;
    if (good) {
        memcpy(out->bytes, x.ptr, sizeof out->bytes);
    }
    return good;
}

/* Without `use` and `key_ops` a key is for everything. */
static bool may_verify(const jwk *j)
{
    bool may = !j->key_ops;
    for (uint32_t i = 0; mt_json_is(j->key_ops, MT_JSON_ARRAY) && i < j->key_ops->count;
         i++) {
        may |= mt_str_is(mt_json_text(&j->key_ops->as.items[i]), "verify");
    }
    return may && (!j->use.ptr || mt_str_is(j->use, "sig"));
}

/* False: not a key that we can use. */
static bool make(mt_arena *a, const jwk *j, key *out)
{
    *out = (key){.kid = mt_str_dup(a, j->kid)};
    bool made = false;
    if (mt_str_is(j->kty, "RSA")) {
        out->alg = AU_RS256;
        made = (out->pkey = rsa_key(a, j)) != NULL;
    } else if (mt_str_is(j->kty, "EC")) {
        out->alg = AU_ES256;
        made = (out->pkey = ec_key(a, j)) != NULL;
    } else if (mt_str_is(j->kty, "OKP")) {
        out->alg = AU_EDDSA;
        made = ed_key(a, j, &out->ed25519);
    }
    return made && (!j->alg.ptr || mt_str_eq(j->alg, mt_str_z(AU_ALG_NAMES[out->alg])));
}

static void add_key(au_keys *k, const mt_json *node)
{
    jwk j = {0};
    mt_form form = {.arena = &k->arena, .what = "a key", .unknown = MT_FORM_ALLOWED};
    key *next = &k->items[k->count];
    if (!mt_json_is(node, MT_JSON_OBJECT) ||
        !mt_form_read(&form, node, JWK, mt_form_count(JWK), &j) || !may_verify(&j)) {
        return;
    }
    /* A key that cannot be used is passed over: sets of providers have keys for
     * encryption and kinds that are yet to come. */
    if (make(&k->arena, &j, next)) {
        k->count++;
    } else {
        /* It may have been made and then not fit its `alg`. */
        EVP_PKEY_free(next->pkey);
    }
}

mt_err au_keys_read(mt_str text, au_keys **out)
{
    mt_json tree;
    mt_json_limits limits = {AU_JWKS_MOST, 16};
    au_keys *k = mt_xmalloc(sizeof *k);
    *k = (au_keys){0};
    mt_err err =
        mt_json_read(&k->arena, mt_str_dup(&k->arena, text), &limits, &tree, NULL);
    const mt_json *list =
        err || !mt_json_is(&tree, MT_JSON_OBJECT) ? NULL : mt_json_at(&tree, "keys");
    err = !mt_json_is(list, MT_JSON_ARRAY) ? MT_E_SYNTAX
          : list->count > AU_KEYS_MOST     ? MT_E_LIMIT
                                           : MT_OK;
    for (uint32_t i = 0; !err && i < list->count; i++) {
        add_key(k, &list->as.items[i]);
    }
    if (err) {
        au_keys_free(k);
        return err;
    }
    *out = k;
    return MT_OK;
}

void au_keys_free(au_keys *k)
{
    for (size_t i = 0; k && i < k->count; i++) {
        EVP_PKEY_free(k->items[i].pkey);
    }
    if (k) {
        mt_arena_free(&k->arena);
        free(k);
    }
}

size_t au_keys_count(const au_keys *k)
{
    return k->count;
}

/* ---- Signatures ---- */

static bool verify_with(EVP_PKEY *pkey, mt_str message, const unsigned char *signature,
                        size_t len)
{
    EVP_MD_CTX *c = EVP_MD_CTX_new();
    bool good = c && EVP_DigestVerifyInit(c, NULL, EVP_sha256(), NULL, pkey) == 1 &&
                EVP_DigestVerify(c, signature, len, (const unsigned char *)message.ptr,
                                 message.len) == 1;
    EVP_MD_CTX_free(c);
    return good;
}

/* A token has r and s side by side, libcrypto wants them in DER. */
static bool verify_es256(EVP_PKEY *pkey, mt_str message, mt_str signature)
{
    if (signature.len != 2 * P256) {
        return false;
    }
    unsigned char *der = NULL;
    BIGNUM *r = number_of(mt_str_from(signature.ptr, P256));
    BIGNUM *s = number_of(mt_str_skip(signature, P256));
    ECDSA_SIG *pair = ECDSA_SIG_new();
    bool good = false;
    if (r && s && pair && ECDSA_SIG_set0(pair, r, s)) {
        r = s = NULL; /* the pair's */
        int len = i2d_ECDSA_SIG(pair, &der);
        good = len > 0 && verify_with(pkey, message, der, (size_t)len);
    }
    OPENSSL_free(der);
    ECDSA_SIG_free(pair);
    BN_free(r);
    BN_free(s);
    return good;
}

static bool verify_eddsa(const mt_sign_public *open, mt_str message, mt_str signature)
{
    mt_signature s;
    if (signature.len != sizeof s.bytes) {
        return false;
    }
    memcpy(s.bytes, signature.ptr, sizeof s.bytes);
    return mt_sign_verify(open, message, &s);
}

static bool verify(const key *k, const au_jwt *t)
{
    switch (k->alg) {
    case AU_RS256:
        return verify_with(k->pkey, t->signed_by,
                           (const unsigned char *)t->signature.ptr, t->signature.len);
    case AU_ES256: return verify_es256(k->pkey, t->signed_by, t->signature);
    case AU_EDDSA: return verify_eddsa(&k->ed25519, t->signed_by, t->signature);
    case AU_ALG_COUNT: break;
    }
    return false;
}

/* A token without an id is tried with every key that fits, of which there are few. */
au_signed au_keys_verify(const au_keys *k, const au_jwt *t)
{
    au_signed found = AU_KEY_UNKNOWN;
    for (size_t i = 0; k && i < k->count; i++) {
        const key *one = &k->items[i];
        if (one->alg != t->alg ||
            (t->kid.len && one->kid.len && !mt_str_eq(one->kid, t->kid))) {
            continue;
        }
        if (verify(one, t)) {
            return AU_SIGNED;
        }
        found = AU_FORGED;
    }
    return found;
}
