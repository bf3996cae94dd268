/* cli/topic.h - what is asked about: a contract, or a System with its members.
 * Room: cli.
 * Ownership: everything lives in the topic until cli_topic_free(). */
#ifndef CLI_TOPIC_H
#define CLI_TOPIC_H

#include "analyze/facts/union.h"
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

/* The System of a contract's bundle; *out NULL: it is none. CLI_FAILS: it is not whole,
 * which was said. */
int cli_system_of(const cli_args *args, mt_arena *a, const cli_contract *c,
                  an_sys **out);
/* The bundle of a member: elaborated with the System's source, or read from beside its
 * bundle. *bundle is empty when there is no such file. */
int cli_member_bundle(const cli_args *args, mt_arena *a, const cli_contract *c,
                      const an_sys_member *m, mt_str *bundle);

#endif
