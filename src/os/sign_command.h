/* os/sign_command.h - a signing key that only a program can use: in a security module,
 * in a service for keys. Room: os. The program gets the bytes to be signed on its
 * standard input, all of them, and writes the Ed25519 signature to its standard output:
 * 64 bytes as they are, or as base64 or hex with or without a newline. Exit status 0.
 * It is started anew for each signature, in a process group of its own, and killed when
 * its time is over. What it gives is verified with the public key before anybody uses
 * it. Threads: any; signatures are made one after the other. */
#ifndef OS_SIGN_COMMAND_H
#define OS_SIGN_COMMAND_H

#include "base/sign.h"

typedef struct os_sign_command os_sign_command;

/* `argv` ends with NULL and lives as long as this. */
os_sign_command *os_sign_command_new(const char *const *argv, unsigned timeout_ms,
                                     const mt_sign_public *open);
/* The key: what it signs is signed by the program. Good while the command lives. */
void os_sign_command_key(const os_sign_command *c, mt_sign_key *out);
/* Appends why the last signature failed; nothing when it did not. */
void os_sign_command_why(os_sign_command *c, mt_buf *out);
/* Accepts NULL. */
void os_sign_command_free(os_sign_command *c);

#endif
