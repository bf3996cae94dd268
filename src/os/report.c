#include "os/report.h"

#include <stdarg.h>
#include <stdio.h>

void os_say(os_report *report, void *state, const char *format, ...)
{
    char text[512];
    va_list args;
    if (!report) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report(state, text);
}
