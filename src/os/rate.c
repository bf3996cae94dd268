#include "os/rate.h"

void os_rate_start(os_rate *r, unsigned per_minute, int64_t now_ms)
{
    *r = (os_rate){(int64_t)per_minute * 1000, now_ms};
}

bool os_rate_take(os_rate *r, unsigned per_minute, int64_t now_ms)
{
    if (!per_minute) {
        return true;
    }
    int64_t full = (int64_t)per_minute * 1000;
    int64_t passed = now_ms - r->at_ms < 60000 ? now_ms - r->at_ms : 60000;
    int64_t gained = passed * per_minute / 60;
    if (gained > 0) {
        r->tokens_milli =
            r->tokens_milli + gained < full ? r->tokens_milli + gained : full;
        r->at_ms = now_ms;
    }
    if (r->tokens_milli < 1000) {
        return false;
    }
    r->tokens_milli -= 1000;
    return true;
}
