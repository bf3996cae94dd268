/* net/relay_log.c - the optional append-only log of everything relayed.
 * Room: net. One line per message: {"at":"2026-01-31T12:00:00.000Z", then the members
 * of the relayed line. A log that cannot be written is counted and reported; agents
 * still hear each other. */
#include "net/relay_state.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

static void add_time(mt_buf *out)
{
    struct timespec now;
    struct tm day;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &day);
    mt_buf_addf(out, "{\"at\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ\",",
                day.tm_year + 1900, day.tm_mon + 1, day.tm_mday, day.tm_hour,
                day.tm_min, day.tm_sec, now.tv_nsec / 1000000);
}

static bool append(int fd, mt_str text, bool *torn)
{
    while (text.len) {
        ssize_t n = write(fd, text.ptr, text.len);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        text = mt_str_skip(text, n > 0 ? (size_t)n : 0);
        *torn = text.len > 0;
    }
    return true;
}

void nt_relay_log(nt_relay *r)
{
    mt_str rest = mt_buf_str(&r->batch);
    mt_buf stamp = {0};
    add_time(&stamp);
    mt_buf_clear(&r->log_text);
    if (r->log_torn) {
        mt_buf_addc(&r->log_text, '\n');
    }
    while (rest.len) {
        size_t end = mt_str_find(rest, '\n') + 1;
        mt_buf_adds(&r->log_text, mt_buf_str(&stamp));
        mt_buf_add(&r->log_text, rest.ptr + 1, end - 1); /* without its brace */
        rest = mt_str_skip(rest, end);
    }
    if (!append(r->log_fd, mt_buf_str(&r->log_text), &r->log_torn)) {
        r->stats.log_errors++;
        nt_relay_say(r, "cannot write the message log: %s", strerror(errno));
    }
    mt_buf_free(&stamp);
}
