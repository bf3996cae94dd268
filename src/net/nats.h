/* net/nats.h - what every connection of a relay to NATS has in common.
 * Room: net; private to bus.c and durable.c. */
#ifndef NT_NATS_H
#define NT_NATS_H

#include "base/late_nats.h"
#include "base/str.h"

enum { NT_NATS_CONNECT_MS = 3000, NT_NATS_RECONNECT_MS = 250 };

/* Is this a room, and is the library there? `why` says why not. */
mt_err nt_nats_ready(const char *room, mt_buf *why);
/* Tries for ever to come back, and keeps nothing of its own meanwhile. */
natsStatus nt_nats_options(natsOptions *options, const char *url);

#endif
