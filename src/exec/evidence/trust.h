/* exec/evidence/trust.h - who vouches for a bundle: attestations and their
 * verification. Room: exec. The message that is signed is the etag as text: the 64
 * lower-case hex digits of the SHA-256 of the compact bundle, so a signature covers
 * every byte of the contract. In a manifest it stands as "trust":
 * {"attestation_format": "ed25519-detached", "bundle_attestation": BASE64,
 * "signer_public_key": BASE64, "trust_domain": TEXT}. Verifying needs the manifest and
 * the signer's public key, nothing else. */
#ifndef EX_TRUST_H
#define EX_TRUST_H

#include "base/json_read.h"
#include "base/limits.h"
#include "base/sign.h"

#define EX_ATTESTATION_FORMAT "ed25519-detached"

/* A statement that this signer saw exactly the bundle with this etag. */
typedef struct ex_attestation {
    mt_str format; /* EX_ATTESTATION_FORMAT unless the user insisted */
    mt_str domain; /* the trust domain; empty: none declared */
    mt_sign_public signer;
    mt_signature signature;
} ex_attestation;

/* Attests a compact bundle. `domain` is kept, not copied. */
ex_attestation ex_attest(mt_arena *a, mt_str bundle, const mt_sign_key *key,
                         mt_str domain);
/* Is it about this bundle, and by its signer? */
bool ex_attestation_holds(mt_arena *a, const ex_attestation *t, mt_str bundle);

/* The value of "trust" in a manifest, compact, in the arena. */
mt_str ex_trust_section(mt_arena *a, const ex_attestation *t);

/* What a verified (or refused) manifest said. */
typedef struct ex_trust_finding {
    mt_str etag;           /* recomputed; empty when it never came to that */
    mt_str domain;         /* as claimed; empty: none */
    mt_sign_public signer; /* whose key it was checked with */
    bool own_key;          /* that key came from the manifest itself */
    mt_str problem;        /* why not; empty: verified */
} ex_trust_finding;

/* Checks a whole manifest text. `key` is the signer's; NULL takes the manifest's own
 * word for it. MT_OK; MT_E_DENIED: read, but not verified, out->problem says why;
 * MT_E_SYNTAX, MT_E_LIMIT: it is not a JSON object. `limits` may be NULL. */
mt_err ex_trust_verify(mt_arena *a, mt_str manifest, const mt_sign_public *key,
                       const mt_limits *limits, ex_trust_finding *out);

#endif
