/* net/bus.h - many relays joined over NATS.
 * Room: net. Every relay publishes the wrapped lines of its own agents under one
 * subject and hears those of the others.
 * Message: NODE SP NUMBER SP LINE, where NODE is the publishing relay's random name,
 * NUMBER counts its lines from 1, LINE is as the agents get it, without newline. The
 * number shows what came twice (dropped) and what never came (counted as lost).
 * After the bus was away, lines wait until the other relays are back, and those that
 * were lost on their way are published again: see bus.c, and peers.h for what relays
 * say. Threads: lines come in on a thread of libnats and wait, bounded, for
 * nt_bus_take(); when they are not taken, libnats drops at its pending limit, and that
 * is counted. */
#ifndef NT_BUS_H
#define NT_BUS_H

#include "net/stats.h"

typedef struct nt_bus nt_bus;

/* `pending`: how many lines may wait in the client library; `line_limit`: the longest
 * line taken. MT_E_IO with `why` when the server cannot be reached. */
mt_err nt_bus_open(const char *url, const char *room, size_t pending, size_t line_limit,
                   nt_bus **out, mt_buf *why);
/* Readable when nt_bus_take() has something. */
int nt_bus_fd(const nt_bus *b);
/* Publishes wrapped lines, each with its newline. Returns how many could not be. */
uint64_t nt_bus_publish(nt_bus *b, mt_str lines);
/* Sends what was published on its way; never blocks. */
void nt_bus_flush(nt_bus *b);
/* Appends at most about `room` bytes of lines, newlines included; counts them. */
uint64_t nt_bus_take(nt_bus *b, mt_buf *out, size_t room);
/* Adds what happened since the last call to the counters. True when there is something
 * to report; `why` then says it. */
bool nt_bus_news(nt_bus *b, nt_stats *stats, mt_buf *why);
void nt_bus_close(nt_bus *b);

#endif
