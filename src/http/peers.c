/* http/peers.c - connections: who may come, who has to go.
 *
 * Every connection is in one list by what it is doing (waiting, sending, reading,
 * served), oldest first, so a sweep looks only at the front of each. When the house is
 * nearly full, who has waited longest is sent away for a newcomer; places are kept
 * free because who is sent away is gone only a moment later. Per address, connections
 * and requests per minute are counted in a fixed table.
 *
 * Invariants: sending away is shutting the socket down; its owner sees the end and
 * calls ht_peers_remove(), so a descriptor is never closed here. All under one lock,
 * nothing waits under it. Two addresses that fall on one row of a full table go
 * uncounted, which errs on the side of service. */
#include "http/peers.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/map.h"

typedef struct list {
    ht_peer *first, *last;
    size_t count;
} list;

/* What one address has: connections and requests. A fixed table, found by hash; two
 * addresses that fall on one place share it only when the old one is idle, otherwise
 * the newcomer goes uncounted, which errs on the side of service. */
typedef struct address_row {
    unsigned char address[16];
    size_t connections;
    int64_t used_ms; /* when it was last asked about */
    os_rate rate;
} address_row;
enum { ROWS = 8192, PROBES = 8 };

struct ht_peers {
    ht_peer_limits limits;
    size_t spare; /* places kept free for newcomers */
    pthread_mutex_t lock;
    list lists[HT_DOINGS];
    ht_peer_counts counts;
    address_row *rows; /* NULL: nothing is counted by address */
};

/* Who is sent away is gone a moment later only, and newcomers come in batches: so room
 * is made before the house is full. */
static size_t spare_of(size_t connections)
{
    size_t spare = connections / 8 < 512 ? connections / 8 : 512;
    spare = spare > 64 ? spare : 64;
    return spare < connections / 2 ? spare : connections / 2;
}

/* A table of rows is made only when a limit needs one. It has a fixed size: an attacker
 * with many addresses cannot make it grow. */
ht_peers *ht_peers_new(const ht_peer_limits *limits)
{
    ht_peers *p = mt_xmalloc(sizeof *p);
    *p = (ht_peers){.limits = *limits, .spare = spare_of(limits->connections)};
    pthread_mutex_init(&p->lock, NULL);
    if (limits->per_address || limits->rate_per_minute) {
        p->rows = mt_xmalloc(ROWS * sizeof *p->rows);
        memset(p->rows, 0, ROWS * sizeof *p->rows);
    }
    return p;
}

void ht_peers_free(ht_peers *p)
{
    pthread_mutex_destroy(&p->lock);
    free(p->rows);
    free(p);
}

static void unlink_peer(list *l, ht_peer *peer)
{
    *(peer->prev ? &peer->prev->next : &l->first) = peer->next;
    *(peer->next ? &peer->next->prev : &l->last) = peer->prev;
    l->count--;
}

static void append_peer(list *l, ht_peer *peer)
{
    peer->prev = l->last;
    peer->next = NULL;
    *(l->last ? &l->last->next : &l->first) = peer;
    l->last = peer;
    l->count++;
}

/* One form for both families: IPv4 as ::ffff:a.b.c.d. Others, such as local sockets,
 * are all zeros and share a row. */
static void read_address(const struct sockaddr *from, unsigned char out[16])
{
    memset(out, 0, 16);
    if (from->sa_family == AF_INET6) {
        memcpy(out, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr, 16);
    } else if (from->sa_family == AF_INET) {
        memset(out + 10, 0xff, 2);
        memcpy(out + 12, &((const struct sockaddr_in *)(const void *)from)->sin_addr,
               4);
    }
}

static bool is_local(const unsigned char address[16])
{
    static const unsigned char SIX[16] = {[15] = 1};
    static const unsigned char FOUR[13] = {[10] = 0xff, [11] = 0xff, [12] = 127};
    return memcmp(address, SIX, 16) == 0 || memcmp(address, FOUR, 13) == 0;
}

/* With the lock held. NULL: nothing is counted by address, or all PROBES places are
 * busy. A row whose address has connections is never taken away from it; `used_ms` 0
 * means free, so a clock at 0 is stored as 1. */
static address_row *row_of(ht_peers *p, const unsigned char address[16], int64_t now_ms)
{
    if (!p->rows) {
        return NULL;
    }
    size_t hash = mt_hash(mt_str_from((const char *)address, 16));
    address_row *stale = NULL;
    for (size_t i = 0; i < PROBES; i++) {
        address_row *row = &p->rows[(hash + i) % ROWS];
        if (row->used_ms && memcmp(row->address, address, 16) == 0) {
            row->used_ms = now_ms;
            return row;
        }
        if (!stale && !row->connections &&
            (!row->used_ms || now_ms - row->used_ms > 60000)) {
            stale = row;
        }
    }
    if (stale) {
        *stale = (address_row){.used_ms = now_ms ? now_ms : 1};
        memcpy(stale->address, address, 16);
        os_rate_start(&stale->rate, p->limits.rate_per_minute, now_ms);
    }
    return stale;
}

/* With the lock held. Counts are of peers that are listed; one that was sent away still
 * counts until its owner removes it. */
static bool admit(ht_peers *p, const unsigned char address[16], int64_t now_ms)
{
    if (p->counts.open >= p->limits.connections) {
        return false;
    }
    const address_row *row = p->limits.per_address ? row_of(p, address, now_ms) : NULL;
    return !row || row->connections < p->limits.per_address;
}

bool ht_peers_admit(ht_peers *p, const struct sockaddr *from, int64_t now_ms)
{
    unsigned char address[16];
    read_address(from, address);
    pthread_mutex_lock(&p->lock);
    bool yes = admit(p, address, now_ms);
    p->counts.refused += !yes;
    pthread_mutex_unlock(&p->lock);
    return yes;
}

/* The owner of the socket sees its end and calls ht_peers_remove(). The descriptor is
 * valid while the peer is listed. */
static void send_away(ht_peers *p, ht_peer *peer)
{
    shutdown(peer->fd, SHUT_RDWR);
    /* Not looked at again: it is moved out of the way until its owner removes it. */
    unlink_peer(&p->lists[peer->doing], peer);
    peer->doing = HT_SERVED;
    append_peer(&p->lists[HT_SERVED], peer);
}

/* The list of those who wait is oldest first: who has waited longest goes. The peer is
 * freed by ht_peers_remove() only. */
ht_peer *ht_peers_add(ht_peers *p, int fd, const struct sockaddr *from, int64_t now_ms)
{
    ht_peer *peer = mt_xmalloc(sizeof *peer);
    *peer = (ht_peer){.fd = fd, .since_ms = now_ms};
    read_address(from, peer->address);
    peer->local = is_local(peer->address);
    pthread_mutex_lock(&p->lock);
    if (p->counts.open + p->spare >= p->limits.connections &&
        p->lists[HT_WAITING].first) {
        send_away(p, p->lists[HT_WAITING].first);
        p->counts.evicted++;
    }
    append_peer(&p->lists[HT_WAITING], peer);
    p->counts.open++;
    p->counts.accepted++;
    address_row *row = row_of(p, peer->address, now_ms);
    if (row) {
        row->connections++;
    }
    pthread_mutex_unlock(&p->lock);
    return peer;
}

/* The row's time becomes the peer's own, which is earlier; that only makes the row
 * free sooner. */
void ht_peers_remove(ht_peers *p, ht_peer *peer)
{
    pthread_mutex_lock(&p->lock);
    unlink_peer(&p->lists[peer->doing], peer);
    p->counts.open--;
    address_row *row = row_of(p, peer->address, peer->since_ms);
    if (row && row->connections) {
        row->connections--;
    }
    pthread_mutex_unlock(&p->lock);
    free(peer);
}

void ht_peers_now(ht_peers *p, ht_peer *peer, ht_doing doing, int64_t now_ms)
{
    pthread_mutex_lock(&p->lock);
    unlink_peer(&p->lists[peer->doing], peer);
    peer->doing = doing;
    peer->since_ms = now_ms;
    append_peer(&p->lists[doing], peer);
    pthread_mutex_unlock(&p->lock);
}

/* False: the answer is 429. A local peer may be a reverse proxy whose one address
 * stands for everybody, so it is limited only when the configuration says so. */
bool ht_peers_take(ht_peers *p, const ht_peer *peer, int64_t now_ms)
{
    if (!p->limits.rate_per_minute || (peer->local && !p->limits.rate_local)) {
        return true;
    }
    pthread_mutex_lock(&p->lock);
    address_row *row = row_of(p, peer->address, now_ms);
    bool yes = !row || os_rate_take(&row->rate, p->limits.rate_per_minute, now_ms);
    p->counts.limited += !yes;
    pthread_mutex_unlock(&p->lock);
    return yes;
}

/* Since every list is oldest first, a sweep costs what it sends away, not what is
 * open. */
size_t ht_peers_sweep(ht_peers *p, int64_t now_ms)
{
    size_t gone = 0;
    pthread_mutex_lock(&p->lock);
    for (int doing = 0; doing < HT_DOINGS; doing++) {
        int64_t allowed = (int64_t)p->limits.seconds[doing] * 1000;
        ht_peer *first = p->lists[doing].first;
        while (allowed && first && now_ms - first->since_ms > allowed) {
            send_away(p, first);
            first = p->lists[doing].first;
            gone++;
        }
    }
    p->counts.expired += gone;
    pthread_mutex_unlock(&p->lock);
    return gone;
}

void ht_peers_count(ht_peers *p, ht_peer_counts *out)
{
    pthread_mutex_lock(&p->lock);
    *out = p->counts;
    for (int doing = 0; doing < HT_DOINGS; doing++) {
        out->doing[doing] = p->lists[doing].count;
    }
    pthread_mutex_unlock(&p->lock);
}
