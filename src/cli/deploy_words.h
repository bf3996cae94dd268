/* cli/deploy_words.h - deployments in words.
 * Room: cli. Both are told from the server's answer (cli_teller). */
#ifndef CLI_DEPLOY_WORDS_H
#define CLI_DEPLOY_WORDS_H

#include "cli/client.h"

/* Of an answer that is not a problem, a simulation included. */
void cli_deploy_told(mt_buf *out, mt_arena *a, const mt_json *answer);
/* Of a problem: only the tables, since the sentence itself is told by who sent the
 * request. */
void cli_deploy_refused(mt_buf *out, mt_arena *a, const mt_json *problem);

#endif
