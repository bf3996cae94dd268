/* net/stats.h - what a relay counts, in one table.
 * Room: net. To count one more thing, add a row: the field, its metric and its help
 * text follow. Text form: Prometheus exposition 0.0.4, metrics in table order. */
#ifndef NT_STATS_H
#define NT_STATS_H

#include "base/str.h"

/* clang-format off */
#define NT_STAT_MAP(X)                                                                 \
    X(connections,       "gauge",   "Agents connected now.")                           \
    X(queued_bytes,      "gauge",   "Bytes waiting for agents that have not read them.") \
    X(slow_readers,      "gauge",   "Agents that read too slowly now.")                \
    X(quarantined,       "gauge",   "Addresses in quarantine now.")                    \
    X(accepted,          "counter", "Connections accepted.")                           \
    X(accept_errors,     "counter", "Times accepting a connection failed.")            \
    X(refused_full,      "counter", "Connections refused because the relay was full.") \
    X(refused_quarantine,"counter", "Connections refused from a quarantined address.") \
    X(lines_in,          "counter", "Lines received from agents.")                     \
    X(bytes_in,          "counter", "Bytes received from agents.")                     \
    X(lines_out,         "counter", "Lines handed to agents, once per recipient.")     \
    X(bytes_out,         "counter", "Bytes written to agents.")                        \
    X(lines_dropped,     "counter", "Lines not delivered to an agent that read too slowly.") \
    X(lines_oversize,    "counter", "Lines refused because they were too long.")       \
    X(lines_rate_limited,"counter", "Lines refused by the rate limit.")                \
    X(invalid_utf8,      "counter", "Connections closed over text that is not UTF-8.") \
    X(holds,             "counter", "Times reading was held back for a full agent.")   \
    X(closed_stalled,    "counter", "Connections closed because the agent never read.") \
    X(closed_idle,       "counter", "Connections closed because the agent was silent.") \
    X(quarantines,       "counter", "Addresses put in quarantine.")                    \
    X(tls_failures,      "counter", "TLS handshakes that failed or took too long.")    \
    X(log_errors,        "counter", "Times the message log could not be written.")     \
    X(bus_published,     "counter", "Lines published to the other relays.")            \
    X(bus_received,      "counter", "Lines received from the other relays.")           \
    X(bus_duplicates,    "counter", "Lines from other relays that had come before.")   \
    X(bus_lost,          "counter", "Lines of other relays that never came.")          \
    X(bus_malformed,     "counter", "Bus messages that are not a relay's.")             \
    X(bus_dropped,       "counter", "Lines the bus client dropped as slow consumer.")  \
    X(bus_slow_consumer, "counter", "Times this relay was a slow consumer of the bus.") \
    X(bus_disconnects,   "counter", "Times the connection to the bus was lost.")       \
    X(bus_errors,        "counter", "Lines that could not be published to the bus.")   \
    X(bus_resent,        "counter", "Lines published again after the bus was away.")   \
    X(bus_absent,        "counter", "Relays that did not come back to the bus in time.") \
    X(durable_agents,    "gauge",   "Agents with durable delivery now.")               \
    X(durable_stored,    "counter", "Lines the stream has stored.")                    \
    X(durable_refused,   "counter", "Lines the stream did not store at first.")        \
    X(durable_again,     "counter", "Lines sent again that were not acknowledged in time.")
/* clang-format on */

typedef struct nt_stats {
#define NT_STAT_FIELD(name, kind, help) uint64_t name;
    NT_STAT_MAP(NT_STAT_FIELD)
#undef NT_STAT_FIELD
} nt_stats;

/* Adds what the bus tells of to the counters. True when there is something to report;
 * `why` then says it. */
bool nt_stats_news(nt_stats *stats, const nt_stats *news, mt_buf *why);
/* Appends every metric as motet_relay_<name>. */
void nt_stats_print(mt_buf *out, const nt_stats *s);

#endif
