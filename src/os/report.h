/* os/report.h - what a running service says, handed to whoever listens.
 * Room: os. */
#ifndef OS_REPORT_H
#define OS_REPORT_H

typedef void os_report(void *state, const char *text);

/* One line, cut after 511 bytes. `report` NULL: nobody listens. */
void os_say(os_report *report, void *state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
