/* net/stats.c - see stats.h. */
#include "net/stats.h"

bool nt_stats_news(nt_stats *stats, const nt_stats *news, mt_buf *why)
{
    const struct {
        uint64_t count, *total;
        const char *text; /* NULL: counted, not worth a line */
    } rows[] = {
        {news->bus_slow_consumer, &stats->bus_slow_consumer, "times a slow consumer"},
        {news->bus_dropped, &stats->bus_dropped, "lines dropped"},
        {news->bus_lost, &stats->bus_lost, "lines of other relays lost"},
        {news->bus_duplicates, &stats->bus_duplicates, "lines came twice"},
        {news->bus_malformed, &stats->bus_malformed, "messages are not a relay's"},
        {news->bus_errors, &stats->bus_errors, "lines could not be published"},
        {news->bus_resent, &stats->bus_resent, "lines published again"},
        {news->bus_absent, &stats->bus_absent, "relays did not come back"},
        {news->bus_disconnects, &stats->bus_disconnects, "times disconnected"},
        {news->durable_stored, &stats->durable_stored, NULL},
        {news->durable_refused, &stats->durable_refused, "lines not stored at first"},
        {news->durable_again, &stats->durable_again, "lines not acknowledged in time"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i].total += rows[i].count;
        if (rows[i].count && rows[i].text) {
            mt_buf_addf(why, "%s%llu %s",
                        why->len ? ", " : "bus: ", (unsigned long long)rows[i].count,
                        rows[i].text);
        }
    }
    return why->len > 0;
}

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
