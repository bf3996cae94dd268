/* os/key_file.h - Ed25519 keys in files.
 * Room: os.
 * Secret: PREFIX.secret, base64 of the 32-byte seed, mode 0600. Public: PREFIX.pub,
 * base64 of the public key, mode 0644. No newline is written, one is read; 64 hex
 * digits are read too. A secret that group or others may read is refused, as it is a
 * secret no more. Ownership: a key is wiped by whoever read it, with mt_sign_wipe(). */
#ifndef OS_KEY_FILE_H
#define OS_KEY_FILE_H

#include "base/sign.h"

/* A new pair of files; what exists is never replaced. MT_E_EXISTS, MT_E_IO; *why says
 * it in a sentence. Nothing is left behind on failure. */
mt_err os_key_create(const char *prefix, mt_sign_public *out, mt_buf *why);
/* Only the secret, under its own name. */
mt_err os_key_write(const char *path, const mt_sign_key *key, mt_buf *why);

/* MT_E_NOTFOUND, MT_E_IO; MT_E_DENIED: others may read it; MT_E_SYNTAX: no key. */
mt_err os_key_read(const char *path, mt_sign_key *out, mt_buf *why);
/* A public key as text (64 hex digits or base64), or the name of a file with it. */
mt_err os_key_public(const char *text_or_path, mt_sign_public *out, mt_buf *why);

#endif
