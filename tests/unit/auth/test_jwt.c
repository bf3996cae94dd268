/* Tokens that are none, and sets of keys. Signatures are tried against a real provider
 * in tests/e2e/test_oidc.py; here is the token of RFC 8037 A.4 (Ed25519). */
#include "../rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "auth/jwt.h"

#define HEAD   "eyJhbGciOiJFZERTQSJ9" /* {"alg":"EdDSA"} */
#define CLAIMS "eyJzdWIiOiJ4In0"      /* {"sub":"x"} */

static const struct shape {
    const char *name, *text;
    bool good;
} SHAPES[] = {
    {"three parts are a token", HEAD "." CLAIMS ".AAAA", true},
    {"two are none", HEAD "." CLAIMS, false},
    {"four are none", HEAD "." CLAIMS ".AA.AA", false},
    {"a signature is needed", HEAD "." CLAIMS ".", false},
    {"padding is none of base64url", HEAD "." CLAIMS ".AA==", false},
    {"nor is the other alphabet", HEAD "." CLAIMS ".+/+/", false},
    {"bits that mean nothing are refused", HEAD "." CLAIMS ".AB", false},
    {"bytes beyond ASCII are no digits", HEAD "." CLAIMS ".AAA\xc7", false},
    {"nor in the claims", HEAD ".eyJzdWIiOiJ4In\xb0.AAAA", false},
    {"blanks are refused", HEAD "." CLAIMS ". AAAA", false},
    {"a list is no header", "W10." CLAIMS ".AAAA", false},
    {"a list is no claims", HEAD ".W10.AAAA", false},
    {"alg none", "eyJhbGciOiJub25lIn0." CLAIMS ".AAAA", false},
    {"alg HS256", "eyJhbGciOiJIUzI1NiJ9." CLAIMS ".AAAA", false},
    {"alg in another case", "eyJhbGciOiJlZGRzYSJ9." CLAIMS ".AAAA", false},
    {"no alg", "e30." CLAIMS ".AAAA", false},
    {"alg twice", "eyJhbGciOiJFZERTQSIsImFsZyI6IkVkRFNBIn0." CLAIMS ".AAAA", false},
    {"typ JWT", "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9." CLAIMS ".AAAA", true},
    {"typ of an access token",
     "eyJhbGciOiJFZERTQSIsInR5cCI6ImFwcGxpY2F0aW9uL0FUK2p3dCJ9." CLAIMS ".AAAA", true},
    {"typ of a logout",
     "eyJhbGciOiJFZERTQSIsInR5cCI6ImxvZ291dCtqd3QifQ." CLAIMS ".AAAA", false},
    {"typ of an event",
     "eyJhbGciOiJFZERTQSIsInR5cCI6InNlY2V2ZW50K2p3dCJ9." CLAIMS ".AAAA", false},
    {"typ empty", "eyJhbGciOiJFZERTQSIsInR5cCI6IiJ9." CLAIMS ".AAAA", false},
    {"typ that begins so", "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVHgifQ." CLAIMS ".AAAA",
     false},
    {"a critical extension", "eyJhbGciOiJFZERTQSIsImNyaXQiOltdfQ." CLAIMS ".AAAA",
     false},
};

static void shape_is_judged(void **state)
{
    const struct shape *row = *state;
    mt_arena a = {0};
    au_jwt t;
    assert_int_equal(au_jwt_read(&a, mt_str_z(row->text), &t) == NULL, row->good);
    mt_arena_free(&a);
}

/* At the limit and one beyond it. */
static void a_token_has_8192_bytes_at_most(void **state)
{
    (void)state;
    mt_arena a = {0};
    au_jwt t;
    size_t fixed = strlen(HEAD "." CLAIMS ".");
    char *text = malloc(AU_JWT_MOST + 8);
    memcpy(text, HEAD "." CLAIMS ".", fixed);
    memset(text + fixed, 'A', AU_JWT_MOST + 8 - fixed);
    size_t at = fixed + (AU_JWT_MOST - fixed) / 4 * 4; /* whole groups of base64 */
    assert_null(au_jwt_read(&a, mt_str_from(text, at), &t));
    assert_non_null(au_jwt_read(&a, mt_str_from(text, AU_JWT_MOST + 1), &t));
    free(text);
    mt_arena_free(&a);
}

#define X "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" /* RFC 8037, A.2 */
#define SIGNED                                                                         \
    "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."                        \
    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_"  \
    "MuM0KAg"

/* Nobody has the other half of these: they are numbers of their length. */
#define A32       "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define F32       "________________________________"
#define N2048     "gAAAAAAAAAAAAAAA" A32 A32 A32 A32 A32 A32 A32 A32 A32 A32 "AAAAAQ"
#define N2047     "f_______________" F32 F32 F32 F32 F32 F32 F32 F32 F32 F32 "_____w"
#define RSA(n, e) "{\"kty\":\"RSA\",\"n\":\"" n "\",\"e\":\"" e "\"}"
#define EC_X      "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU" /* RFC 7515, A.3 */
#define EC_Y      "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
#define EC_KEY                                                                         \
    "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" EC_X "\",\"y\":\"" EC_Y    \
    "\"}]}"

static const struct set {
    const char *name, *text;
    int count; /* -1: refused */
} SETS[] = {
    {"a key", "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" X "\"}]}", 1},
    {"no keys", "{\"keys\":[]}", 0},
    {"no set", "{\"key\":[]}", -1},
    {"a list", "[]", -1},
    {"not JSON", "keys", -1},
    {"a shared secret is none", "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}", 0},
    {"for encrypting only",
     "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"use\":\"enc\",\"x\":\"" X
     "\"}]}",
     0},
    {"for signing only",
     "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"key_ops\":[\"sign\"],\"x\":\"" X
     "\"}]}",
     0},
    {"for another algorithm",
     "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"alg\":\"ES256\",\"x\":\"" X
     "\"}]}",
     0},
    {"of another curve",
     "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"" X "\"}]}", 0},
    {"too short", "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"}]}",
     0},
    {"a point off the curve",
     "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" X "\",\"y\":\"" X "\"}]}",
     0},
    {"an RSA key", "{\"keys\":[" RSA(N2048, "AQAB") "]}", 1},
    {"an RSA key of a bit less", "{\"keys\":[" RSA(N2047, "AQAB") "]}", 0},
    {"an RSA key with the exponent 3", "{\"keys\":[" RSA(N2048, "Aw") "]}", 1},
    {"with 1, which signs nothing", "{\"keys\":[" RSA(N2048, "AQ") "]}", 0},
    {"with an even one", "{\"keys\":[" RSA(N2048, "AQAA") "]}", 0},
    {"with none", "{\"keys\":[" RSA(N2048, "") "]}", 0},
    {"with one of eight bytes", "{\"keys\":[" RSA(N2048, "AQAAAAAAAAE") "]}", 1},
    {"with one of nine", "{\"keys\":[" RSA(N2048, "AQAAAAAAAAAB") "]}", 0},
    {"without a modulus", "{\"keys\":[" RSA("", "AQAB") "]}", 0},
    {"one of several is a key",
     "{\"keys\":[3,{\"kty\":\"oct\"}," RSA(N2048, "AQAB") ",{}]}", 1},
    {"a point of P-256", EC_KEY, 1},
    {"a point whose half is too short",
     "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" EC_X
     "\",\"y\":\"AAAA\"}]}",
     0},
    {"a point whose other half is too short",
     "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AAAA\",\"y\":\"" EC_Y
     "\"}]}",
     0},
    {"a point of another curve",
     "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-384\",\"x\":\"" EC_X "\",\"y\":\"" EC_Y
     "\"}]}",
     0},
    {"an RSA key of 32 bits",
     "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"_____w\",\"e\":\"AQAB\"}]}", 0},
};

static void set_is_read(void **state)
{
    const struct set *row = *state;
    au_keys *k = NULL;
    mt_err err = au_keys_read(mt_str_z(row->text), &k);
    assert_int_equal(err ? -1 : (int)au_keys_count(k), row->count);
    au_keys_free(k);
}

static void a_set_has_64_keys_at_most(void **state)
{
    (void)state;
    for (int count = AU_KEYS_MOST; count <= AU_KEYS_MOST + 1; count++) {
        mt_buf text = {0};
        au_keys *k = NULL;
        mt_buf_addz(&text, "{\"keys\":[");
        for (int i = 0; i < count; i++) {
            mt_buf_addf(&text,
                        "%s{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" X "\"}",
                        i ? "," : "");
        }
        mt_buf_addz(&text, "]}");
        assert_int_equal(au_keys_read(mt_buf_str(&text), &k),
                         count > AU_KEYS_MOST ? MT_E_LIMIT : MT_OK);
        au_keys_free(k);
        mt_buf_free(&text);
    }
}

/* The payload of the RFC's example is no object, so its signature is asked about alone.
 */
static void the_example_of_rfc_8037_is_signed(void **state)
{
    (void)state;
    mt_arena a = {0};
    au_keys *k;
    au_jwt t;
    assert_int_equal(au_keys_read(mt_str_z(SETS[0].text), &k), MT_OK);
    mt_str all = mt_str_z(SIGNED), like = mt_str_z(HEAD "." CLAIMS ".");
    size_t last =
        mt_str_find(mt_str_skip(all, strlen(HEAD) + 1), '.') + strlen(HEAD) + 1;
    mt_str whole =
        mt_strf(&a, "%.*s%.*s", MT_ARG(like), MT_ARG(mt_str_skip(all, last + 1)));
    assert_null(au_jwt_read(&a, whole, &t));
    assert_int_equal(au_keys_verify(k, &t), AU_FORGED);
    t.signed_by = mt_str_from(all.ptr, last);
    assert_int_equal(au_keys_verify(k, &t), AU_SIGNED);
    t.kid = MT_STR("another"); /* the key has no id: it may be this one */
    assert_int_equal(au_keys_verify(k, &t), AU_SIGNED);
    t.alg = AU_RS256;
    assert_int_equal(au_keys_verify(k, &t), AU_KEY_UNKNOWN);
    assert_int_equal(au_keys_verify(NULL, &t), AU_KEY_UNKNOWN);
    au_keys_free(k);
    mt_arena_free(&a);
}

/* RFC 7515, A.3. */
#define EC_SIGNED                                                                      \
    "eyJhbGciOiJFUzI1NiJ9."                                                            \
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19y" \
    "b290Ijp0cnVlfQ"                                                                   \
    ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-" \
    "Kg6NU1Q"

static void a_signature_of_p_256_has_one_spelling(void **state)
{
    (void)state;
    mt_arena a = {0};
    au_keys *k;
    au_jwt t;
    assert_int_equal(au_keys_read(MT_STR(EC_KEY), &k), MT_OK);
    assert_null(au_jwt_read(&a, MT_STR(EC_SIGNED), &t));
    assert_int_equal(au_keys_verify(k, &t), AU_SIGNED);
    mt_str whole = t.signature, half = mt_str_skip(whole, 32);
    t.signature = mt_str_from(whole.ptr, 63);
    assert_int_equal(au_keys_verify(k, &t), AU_FORGED);
    t.signature = mt_strf(&a, "%.*s%c%.*s", 32, whole.ptr, 0, MT_ARG(half));
    assert_int_equal(t.signature.len, 65); /* the same two numbers, a zero before one */
    assert_int_equal(au_keys_verify(k, &t), AU_FORGED);
    t.signature = whole;
    assert_int_equal(au_keys_verify(k, &t), AU_SIGNED);
    au_keys_free(k);
    mt_arena_free(&a);
}

int main(void)
{
    rows_list list = {0};
    rows_test(&list, a_signature_of_p_256_has_one_spelling);
    rows_add(&list, SHAPES, shape_is_judged);
    rows_test(&list, a_token_has_8192_bytes_at_most);
    rows_add(&list, SETS, set_is_read);
    rows_test(&list, a_set_has_64_keys_at_most);
    rows_test(&list, the_example_of_rfc_8037_is_signed);
    return rows_run(&list, "auth/jwt");
}
