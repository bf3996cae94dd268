/* exec/evidence/trust.c - see trust.h.
 * What is attested is the bundle's etag, so whoever verifies reckons it again from
 * the bundle's bytes before a signature is looked at. The checks stand in one table;
 * the first that has something to say ends it, and its sentence is the finding.
 * INVARIANT: without a key from outside a verified manifest proves only that whoever
 * signed it also wrote the key into it; out->own_key says so and callers must tell.
 * May fail: MT_E_DENIED with out->problem, or the text is not a JSON object.
 * Everything lives in the arena. */
#include "exec/evidence/trust.h"

#include "base/base64.h"
#include "base/json_write.h"
#include "contract/elaborate.h"

ex_attestation ex_attest(mt_arena *a, mt_str bundle, const mt_sign_key *key,
                         mt_str domain)
{
    return (ex_attestation){.format = MT_STR(EX_ATTESTATION_FORMAT),
                            .domain = domain,
                            .signer = key->open,
                            .signature = mt_sign(key, ct_bundle_etag(a, bundle))};
}

bool ex_attestation_holds(mt_arena *a, const ex_attestation *t, mt_str bundle)
{
    return mt_sign_verify(&t->signer, ct_bundle_etag(a, bundle), &t->signature);
}

mt_str ex_trust_section(mt_arena *a, const ex_attestation *t)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "attestation_format", t->format);
    mt_jw_key_str(&w, "bundle_attestation",
                  mt_base64(a, t->signature.bytes, MT_SIGN_BYTES));
    mt_jw_key_str(&w, "signer_public_key",
                  mt_base64(a, t->signer.bytes, MT_SIGN_PUBLIC));
    if (t->domain.len) {
        mt_jw_key_str(&w, "trust_domain", t->domain);
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* ---- verifying ---- */

typedef struct check {
    mt_arena *a;
    const mt_json *manifest, *trust;
    const mt_sign_public *key;
    ex_trust_finding *out;
    mt_signature signature;
} check;

/* The string member, with ptr NULL when there is none. */
static mt_str member(const mt_json *object, mt_str key)
{
    const mt_json *node = mt_json_get(object, key);
    return mt_json_is(node, MT_JSON_STRING) ? mt_json_text(node) : (mt_str){0};
}

static mt_str check_format(check *c)
{
    c->trust = mt_json_at(c->manifest, "trust");
    if (!mt_json_is(c->trust, MT_JSON_OBJECT)) {
        return MT_STR("no trust section found");
    }
    mt_str format = member(c->trust, MT_STR("attestation_format"));
    if (!format.ptr) {
        return MT_STR("attestation_format missing from trust section");
    }
    if (!mt_str_is(format, EX_ATTESTATION_FORMAT)) {
        return mt_strf(c->a, "unrecognized attestation format: %.*s", MT_ARG(format));
    }
    c->out->domain = member(c->trust, MT_STR("trust_domain"));
    return (mt_str){0};
}

static mt_str check_key(check *c)
{
    if (c->key) {
        c->out->signer = *c->key;
        return (mt_str){0};
    }
    mt_str text = member(c->trust, MT_STR("signer_public_key"));
    /* Set before the key is read: a finding about a manifest's own key stays one. */
    c->out->own_key = true;
    if (!text.ptr) {
        return MT_STR("no public key available (provide --pubkey or ensure "
                      "signer_public_key is in trust section)");
    }
    return mt_unbase64(text, c->out->signer.bytes, MT_SIGN_PUBLIC)
               ? (mt_str){0}
               : MT_STR("signer_public_key is not the base64 of 32 bytes");
}

static mt_str check_attestation(check *c)
{
    mt_str text = member(c->trust, MT_STR("bundle_attestation"));
    if (!text.ptr) {
        return MT_STR("bundle_attestation missing from trust section");
    }
    return mt_unbase64(text, c->signature.bytes, MT_SIGN_BYTES)
               ? (mt_str){0}
               : MT_STR("bundle_attestation is not the base64 of 64 bytes");
}

static mt_str check_etag(check *c)
{
    const mt_json *bundle = mt_json_at(c->manifest, "bundle");
    mt_str stored = member(c->manifest, MT_STR("etag"));
    if (!mt_json_is(bundle, MT_JSON_OBJECT)) {
        return MT_STR("no bundle field found in signed bundle");
    }
    if (!stored.ptr) {
        return MT_STR("etag field missing from signed bundle");
    }
    mt_buf text = {0};
    /* Compact, whatever layout the file has: the etag is of the canonical bytes. */
    mt_json_write(&text, bundle, false);
    c->out->etag = ct_bundle_etag(c->a, mt_buf_str(&text));
    mt_buf_free(&text);
    return mt_str_eq(stored, c->out->etag)
               ? (mt_str){0}
               : mt_strf(c->a,
                         "etag mismatch: bundle content has been modified (stored: "
                         "%.*s, computed: %.*s)",
                         MT_ARG(stored), MT_ARG(c->out->etag));
}

static mt_str check_signature(check *c)
{
    return mt_sign_verify(&c->out->signer, c->out->etag, &c->signature)
               ? (mt_str){0}
               : MT_STR("invalid signature: it is not by this key, or not for this "
                        "bundle");
}

mt_err ex_trust_verify(mt_arena *a, mt_str manifest, const mt_sign_public *key,
                       const mt_limits *limits, ex_trust_finding *out)
{
    /* ORDER: the first problem found is the one that is told. */
    static mt_str (*const CHECKS[])(check *) = {
        check_format, check_key, check_attestation, check_etag, check_signature};
    limits = limits ? limits : &MT_LIMITS_DEFAULT;
    mt_json_limits bounds = {limits->json_bytes, limits->bundle_depth};
    mt_json root;
    check c = {.a = a, .manifest = &root, .key = key, .out = out};
    *out = (ex_trust_finding){0};
    mt_err err = mt_json_read(a, manifest, &bounds, &root, NULL);
    if (err || root.type != MT_JSON_OBJECT) {
        return err ? err : MT_E_SYNTAX;
    }
    for (size_t i = 0; i < sizeof CHECKS / sizeof *CHECKS && !out->problem.len; i++) {
        out->problem = CHECKS[i](&c);
    }
    return out->problem.len ? MT_E_DENIED : MT_OK;
}
