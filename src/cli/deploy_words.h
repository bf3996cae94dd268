/* cli/deploy_words.h - deployments in words.
 * Room: cli. Both are told from the server's answer (cli_teller). */
#ifndef CLI_DEPLOY_WORDS_H
#define CLI_DEPLOY_WORDS_H

#include "cli/client.h"

void cli_deploy_told(mt_buf *out, mt_arena *a, const mt_json *answer);
void cli_deploy_refused(mt_buf *out, mt_arena *a, const mt_json *problem);

#endif
