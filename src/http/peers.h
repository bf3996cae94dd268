/* http/peers.h - the open connections: how many, what each is doing, since when.
 * Room: http. Every connection is in the list of what it does, oldest first, so finding
 * who took too long, or who may be sent away for a newcomer, is looking at the front.
 *
 *   waiting   no complete request head since it connected or was answered. Bytes that
 *             trickle in change nothing: the time counts from the beginning.
 *   sending   its head is there, its body is still coming
 *   served    a call is under way or a stream is open: nobody hurries it
 *   reading   it is being answered
 *
 * When the house is nearly full the connection that waited longest is closed for each
 * newcomer, so idle connections never keep others out.
 * Threads: any. */
#ifndef HT_PEERS_H
#define HT_PEERS_H

#include <sys/socket.h>

#include "base/str.h"
#include "os/rate.h"

typedef enum ht_doing { HT_WAITING, HT_SENDING, HT_SERVED, HT_READING } ht_doing;
enum { HT_DOINGS = 4 };

typedef struct ht_peers ht_peers;

typedef struct ht_peer {
    struct ht_peer *prev, *next;
    ht_doing doing;
    int fd;     /* shut down here, closed by the library */
    bool local; /* from this machine itself */
    int64_t since_ms;
    unsigned char address[16]; /* IPv6, or IPv4 mapped into it */
    /* Of the connection's owner, who drops it: whom its certificate names. */
    struct ht_identity *certificate;
    bool certificate_seen;
    int shown; /* au_shown */
} ht_peer;

typedef struct ht_peer_limits {
    size_t connections;
    size_t per_address;          /* 0: no limit */
    unsigned rate_per_minute;    /* requests from one address; 0: no limit */
    bool rate_local;             /* also from this machine itself */
    unsigned seconds[HT_DOINGS]; /* allowed for each; 0: for ever */
} ht_peer_limits;

ht_peers *ht_peers_new(const ht_peer_limits *limits);
void ht_peers_free(ht_peers *p);

/* May somebody from this address connect? */
bool ht_peers_admit(ht_peers *p, const struct sockaddr *from, int64_t now_ms);
/* A connection has been made (it is then waiting), and has ended. */
ht_peer *ht_peers_add(ht_peers *p, int fd, const struct sockaddr *from, int64_t now_ms);
/* Its socket is closed; the peer is freed. */
void ht_peers_remove(ht_peers *p, ht_peer *peer);
/* What it does from now on, which decides how long it may. */
void ht_peers_now(ht_peers *p, ht_peer *peer, ht_doing doing, int64_t now_ms);
/* May it make one more request? */
bool ht_peers_take(ht_peers *p, const ht_peer *peer, int64_t now_ms);
/* Shuts down who took too long; returns how many. */
size_t ht_peers_sweep(ht_peers *p, int64_t now_ms);

typedef struct ht_peer_counts {
    size_t open, doing[HT_DOINGS];
    uint64_t accepted, refused, expired, evicted, limited;
} ht_peer_counts;
void ht_peers_count(ht_peers *p, ht_peer_counts *out);

#endif
