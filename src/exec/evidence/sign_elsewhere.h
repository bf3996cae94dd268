/* exec/evidence/sign_elsewhere.h - `signer` of the configuration: a program signs.
 * Room: exec. {command: [PROGRAM, ...], key: PUBLIC KEY, timeout_ms: 10000}. */
#ifndef EX_SIGN_ELSEWHERE_H
#define EX_SIGN_ELSEWHERE_H

#include "base/json_read.h"
#include "os/sign_command.h"

/* NULL and MT_OK: there is no such setting. MT_E_REJECTED: `why` says all that is
 * wrong. The arena must live as long as the command. */
mt_err ex_sign_elsewhere_read(mt_arena *a, const mt_json *settings,
                              os_sign_command **out, mt_buf *why);

#endif
