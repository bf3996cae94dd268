#include "net/guard.h"

#include <stdlib.h>

void nt_guard_free(nt_guard *g)
{
    free(g->entries);
    g->entries = NULL;
    g->len = 0;
}

static bool exempt(mt_str host)
{
    return mt_str_is(host, "127.0.0.1") || mt_str_is(host, "::1") ||
           host.len >= NT_GUARD_HOST;
}

static nt_guard_entry *find(const nt_guard *g, mt_str host)
{
    for (size_t i = 0; i < g->len; i++) {
        if (mt_str_eq(mt_str_z(g->entries[i].host), host)) {
            return &g->entries[i];
        }
    }
    return NULL;
}

static nt_guard_entry *oldest(nt_guard *g)
{
    nt_guard_entry *found = &g->entries[0];
    for (size_t i = 1; i < g->len; i++) {
        if (g->entries[i].last_ms < found->last_ms) {
            found = &g->entries[i];
        }
    }
    return found;
}

static nt_guard_entry *find_or_add(nt_guard *g, mt_str host)
{
    nt_guard_entry *e = find(g, host);
    if (e) {
        return e;
    }
    if (!g->entries) {
        g->entries = mt_xmalloc(NT_GUARD_ENTRIES * sizeof *g->entries);
    }
    e = g->len < NT_GUARD_ENTRIES ? &g->entries[g->len++] : oldest(g);
    *e = (nt_guard_entry){0};
    memcpy(e->host, host.ptr, host.len);
    return e;
}

bool nt_guard_strike(nt_guard *g, mt_str host, int64_t now_ms)
{
    if (!g->cooldown_ms || exempt(host)) {
        return false;
    }
    nt_guard_entry *e = find_or_add(g, host);
    if (now_ms - e->last_ms > NT_STRIKE_WINDOW_MS) {
        e->strikes = 0;
    }
    e->last_ms = now_ms;
    if (++e->strikes < g->strikes || e->until_ms > now_ms) {
        return false;
    }
    e->until_ms = now_ms + g->cooldown_ms;
    e->strikes = 0;
    return true;
}

bool nt_guard_is_out(nt_guard *g, mt_str host, int64_t now_ms)
{
    const nt_guard_entry *e = find(g, host);
    return e && e->until_ms > now_ms;
}

size_t nt_guard_sweep(nt_guard *g, int64_t now_ms)
{
    size_t out = 0;
    for (size_t i = 0; i < g->len;) {
        nt_guard_entry *e = &g->entries[i];
        if (e->until_ms <= now_ms && now_ms - e->last_ms > NT_STRIKE_WINDOW_MS) {
            *e = g->entries[--g->len];
            continue;
        }
        out += e->until_ms > now_ms;
        i++;
    }
    return out;
}
