/* cli/report.c - what a running service says, on standard error.
 * Room: cli. */
#include <stdio.h>

#include "base/json_write.h"
#include "cli/cli.h"

void cli_report_text(void *state, const char *text)
{
    (void)state;
    fprintf(stderr, "motet: %s\n", text);
}

/* For hosts that log events; one object per line. Each is one call of stdio, so lines
 * of several threads do not mix. */
void cli_report_json(void *state, const char *text)
{
    (void)state;
    mt_buf line = {0};
    mt_jw w = mt_jw_start(&line, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "event", mt_str_z(text));
    mt_jw_end_object(&w);
    fprintf(stderr, "%.*s\n", MT_ARG(mt_buf_str(&line)));
    mt_buf_free(&line);
}
