/* runtime/report.h - what a running service says, handed to whoever listens.
 * Room: runtime. */
#ifndef RT_REPORT_H
#define RT_REPORT_H

typedef void rt_report(void *state, const char *text);

/* One line, cut after 511 bytes. `report` NULL: nobody listens. */
void rt_say(rt_report *report, void *state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
