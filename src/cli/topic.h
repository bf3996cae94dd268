/* cli/topic.h - what is asked about: a contract, or a System with its members.
 * Room: cli.
 * Ownership: everything lives in the topic until cli_topic_free(). */
#ifndef CLI_TOPIC_H
#define CLI_TOPIC_H

#include "answer/topic.h"
#include "cli/contract.h"

typedef struct cli_topic {
    cli_contract contract;
    an_union all;
} cli_topic;

/* CLI_HOLDS, or it was said what is wrong. `out` is to be freed in every case. */
int cli_topic_open(const cli_args *args, const char *path, cli_topic *out);
void cli_topic_free(cli_topic *s);

/* What a contract that is loaded is about; everything lives in its arena. CLI_HOLDS, or
 * it was said what is wrong. */
int cli_union_of(const cli_args *args, cli_contract *c, an_union *out);

#endif
