/* cli/topic.c - loading what is asked about.
 * Room: cli. */
#include "cli/topic.h"

int cli_union_of(const cli_args *args, cli_contract *c, an_union *out)
{
    aw_reply r = {0};
    return cli_reply(args, c, &r, aw_union_of(c, &r, out));
}

int cli_topic_open(const cli_args *args, const char *path, cli_topic *out)
{
    *out = (cli_topic){0};
    int code = cli_contract_load(args, path, false, &out->contract);
    return code ? cli_contract_report(args, &out->contract, code)
                : cli_union_of(args, &out->contract, &out->all);
}

void cli_topic_free(cli_topic *s)
{
    cli_contract_free(&s->contract);
}
