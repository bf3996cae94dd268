#include "net/stats.h"

static void print_one(mt_buf *out, const char *name, const char *kind, const char *help,
                      uint64_t value)
{
    /* By convention a counter's name ends in _total. */
    const char *suffix = strcmp(kind, "counter") == 0 ? "_total" : "";
    mt_buf_addf(out, "# HELP motet_relay_%s%s %s\n", name, suffix, help);
    mt_buf_addf(out, "# TYPE motet_relay_%s%s %s\n", name, suffix, kind);
    mt_buf_addf(out, "motet_relay_%s%s ", name, suffix);
    mt_buf_add_u64(out, value);
    mt_buf_addc(out, '\n');
}

void nt_stats_print(mt_buf *out, const nt_stats *s)
{
#define NT_STAT_PRINT(name, kind, help) print_one(out, #name, kind, help, s->name);
    NT_STAT_MAP(NT_STAT_PRINT)
#undef NT_STAT_PRINT
}
