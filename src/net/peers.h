/* net/peers.h - the other relays on a bus: who is there, and how far each was heard.
 * Room: net. Pure: times are given.
 * A relay numbers its lines, so a listener knows what came twice and what never came.
 * It also says now and then that it is there, and how far it has heard each of the
 * others: after the bus was away, lines are published again from where the others
 * stopped.
 *
 * Presence, on a subject of its own: NODE KIND LAST FIRST REFUSED (NODE NUMBER)*
 * KIND is `ask`: I have just come (back), tell me where you are and publish again what
 * I missed; `here`: I am there; or `gone`: I am leaving. LAST is the last line I have
 * published, FIRST the oldest I could publish again, REFUSED how many I had no room for
 * and will never publish. Then, how far I have heard whom; who asks for the first time
 * leaves that out, because what it has not heard yet is on its way, and not missed.
 * Relays that say nothing of the kind are heard, and not waited for. */
#ifndef NT_PEERS_H
#define NT_PEERS_H

#include "base/str.h"

enum {
    NT_NODE_BYTES = 8,
    NT_NODE_TEXT = 2 * NT_NODE_BYTES,
    NT_PEERS_MOST = 256,      /* remembered; the longest unheard is forgotten */
    NT_PEER_BEAT_MS = 1000,   /* how often a relay says that it is there */
    NT_PEER_SILENT_MS = 5000, /* after so long a silence it is gone */
    NT_PEER_BACK_MS = 10000,  /* for the others to come back to a bus that was away */
    NT_PEER_CATCH_UP_MS = NT_PEER_BACK_MS + 2000
};

typedef struct nt_peer {
    char name[NT_NODE_TEXT];
    bool heard;          /* a line of it came: `number` is the last */
    bool announced;      /* it said where it was before any line came: `number` */
    bool there;          /* it has spoken since we are on the bus */
    uint64_t number;     /* of its lines */
    uint64_t refused;    /* as it last said */
    uint64_t used;       /* for choosing whom to forget */
    int64_t alive_ms;    /* when it last said that it is there; 0: never, or gone */
    int64_t catch_up_ms; /* until then it may publish again what we missed; 0: no */
} nt_peer;

typedef struct nt_peers {
    nt_peer items[NT_PEERS_MOST];
    size_t count;
    uint64_t clock;   /* grows with every look; who was seen last */
    bool was_cut_off; /* so there may be lines that we missed */
} nt_peers;

/* A line came. NEW: deliver it; `lost` lines before it never came. AGAIN: it had come.
 * EARLY: it will come again, after those that are missing before it. */
typedef enum nt_heard { NT_LINE_NEW, NT_LINE_AGAIN, NT_LINE_EARLY } nt_heard;
/* New, heard before, or too early while the peer repeats what we missed; *lost counts
 * a gap. */
nt_heard nt_peers_line(nt_peers *p, const char *name, uint64_t number, int64_t now_ms,
                       uint64_t *lost);

typedef enum nt_presence_kind { NT_ASK, NT_HERE, NT_GONE } nt_presence_kind;

/* What a presence message means to us. */
typedef struct nt_presence {
    nt_presence_kind kind;
    bool heard_us;   /* it says how far it has heard us: */
    uint64_t number; /* so far */
    uint64_t lost;   /* lines it has refused since it last spoke */
} nt_presence;

/* What a relay says of its own lines. */
typedef struct nt_standing {
    uint64_t last, first,
        refused; /* its newest line, the oldest it can repeat, those it refused */
} nt_standing;

/* Takes one; `self` is our own name. False: it is none. */
bool nt_peers_presence(nt_peers *p, const char *self, mt_str text, int64_t now_ms,
                       nt_presence *out);
/* Writes ours. */
void nt_peers_announce(const nt_peers *p, nt_presence_kind kind, const char *self,
                       nt_standing standing, mt_buf *out);

/* We are cut off from the bus: nobody is known to hear us any more. */
void nt_peers_cut_off(nt_peers *p, int64_t now_ms);
/* We are back: the others may publish again what we missed. */
void nt_peers_back(nt_peers *p, int64_t now_ms);
/* Have all who were there before spoken again? */
bool nt_peers_all_there(const nt_peers *p);
/* Waits no longer for those who have not; returns how many they are. */
uint64_t nt_peers_give_up(nt_peers *p);
/* Forgets those who have been silent for too long. */
void nt_peers_sweep(nt_peers *p, int64_t now_ms);

#endif
