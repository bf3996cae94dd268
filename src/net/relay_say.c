/* net/relay_say.c - events for whoever watches the relay.
 * Room: net. */
#include "net/relay_state.h"

#include <stdio.h>

enum { REPORTS_PER_SECOND = 20 };

/* A misbehaving crowd must not flood the log: some lines a second, the rest counted. */
void nt_relay_say(nt_relay *r, const char *format, ...)
{
    if (!r->config.report) {
        return;
    }
    char text[512];
    if (r->now_ms - r->report_ms >= 1000) {
        r->report_ms = r->now_ms;
        r->reports = 0;
        if (r->suppressed) {
            snprintf(text, sizeof text, "%u more events not shown", r->suppressed);
            r->suppressed = 0;
            r->config.report(r->config.report_state, text);
        }
    }
    if (r->reports++ >= REPORTS_PER_SECOND) {
        r->suppressed++;
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->config.report(r->config.report_state, text);
}
