/* base/limits.h - every limit at every door, in one table.
 * Room: base. May include base/ only.
 * A limit is named, configurable (`--limit NAME=VALUE`) and named again when hit.
 * To add one, add a row; the field, its default and its help text follow.
 *
 * Bytes bound memory, depths bound recursion, counts bound work. Work is counted
 * in steps wherever the same input must get the same answer on every machine;
 * milliseconds stand beside them for whoever waits. A bundle may nest deeper than
 * other JSON, for an expression of the source becomes several levels of it. */
#ifndef MT_BASE_LIMITS_H
#define MT_BASE_LIMITS_H

#include "base/str.h"

/* clang-format off */
#define MT_LIMIT_MAP(X)                                                               \
    X(source_bytes,     64u << 20, "bytes in one contract source file")               \
    X(source_total_bytes, 256u << 20, "bytes in all source files of one contract")    \
    X(source_files,     512,       "files reachable by imports from one root")        \
    X(source_depth,     200,       "nesting of expressions, types and steps")         \
    X(identifier_bytes, 4096,      "bytes in one identifier")                         \
    X(diagnostics,      200,       "diagnostics reported in one run")                 \
    X(json_bytes,       256u << 20,"bytes in one JSON document")                      \
    X(json_depth,       200,       "nesting of one JSON document")                   \
    X(bundle_depth,     2000,      "nesting of one interchange bundle")                    \
    X(yaml_bytes,       64u << 20, "bytes in one YAML document")                      \
    X(yaml_nodes,       8000000,   "values in one YAML document, aliases in full")    \
    X(agent_route_bytes, 65536,    "bytes in one route")                              \
    X(agent_route_depth, 16,       "nesting of lists in one route")                   \
    X(agent_registrations, 100000, "receivers, senders and hooks of one agent")       \
    X(agent_tape_nodes, 1u << 20,  "states on one tape")                              \
    X(agent_activations, 1u << 20, "receiver calls for one message")                  \
    X(agent_emissions,  65536,     "messages sent because of one message")            \
    X(agent_message_bytes, 1u << 20,"bytes in one agent message")                     \
    X(agent_waiting_bytes, 1u << 20,"bytes of data that wait for one timed sender")   \
    X(stratum,          1000000,   "highest stratum of a rule")                       \
    X(flow_depth,       256,       "nesting of sub-flows and parallel branches")      \
    X(flow_steps,       100000,    "steps in one run of a flow")                      \
    X(eval_steps,       100000000, "steps of quantifiers in one evaluation")          \
    X(eval_ms,          5000,      "milliseconds of one call's evaluations")          \
    X(batch_lines,      10000,     "lines of one batch of evaluations")               \
    X(batch_bytes,      64u << 20, "bytes of the answers to one batch")               \
    X(findings,         1000,      "findings of one code that an analysis lists")     \
    X(prove_steps,      20000000,  "steps of the solver for one question")            \
    X(prove_ms,         5000,      "milliseconds of the solver for one question")     \
    X(prove_megabytes,  2048,      "megabytes the solver may use")                    \
    X(prove_unfold,     2000,      "quantifier bodies written out for one question")  \
    X(reach_states,     250000,    "joint states of entities searched for one answer")  \
    X(graph_nodes,      1000000,   "nodes of one graph after expansion")              \
    X(graph_ports,      4096,      "ports or parameters of one cluster or primitive") \
    X(cluster_depth,    64,        "nesting of clusters")                            \
    X(ledger_line_bytes, 16u << 20, "bytes in one record of a ledger")                \
    X(log_bytes,        1u << 20,  "bytes of a server's log that wait to be written")  \
    X(mcp_bytes,        4u << 20,  "bytes in one message of the Model Context Protocol")  \
    X(guard_bytes,      64u << 20, "bytes in one message of a server behind a guard")     \
    X(connect_bytes,    16u << 20, "bytes of one document that motet connect reads")  \
    X(connect_places,   20000,     "values that such a document describes")           \
    X(whatif_flows,     1000000,   "flows under way at once in a replayed ledger")
/* clang-format on */

typedef struct mt_limits {
#define MT_LIMIT_FIELD(name, value, help) size_t name;
    MT_LIMIT_MAP(MT_LIMIT_FIELD)
#undef MT_LIMIT_FIELD
} mt_limits;

extern const mt_limits MT_LIMITS_DEFAULT;
/* The same as constants, for tables: MT_INITIAL_graph_ports. */
enum {
#define MT_LIMIT_INITIAL(name, value, help) MT_INITIAL_##name = (int)(value),
    MT_LIMIT_MAP(MT_LIMIT_INITIAL)
#undef MT_LIMIT_INITIAL
};

/* One row of the table, for help texts and configuration. */
typedef struct mt_limit_row {
    const char *name, *help;
    size_t initial, offset; /* of the field in mt_limits */
} mt_limit_row;
extern const mt_limit_row MT_LIMIT_ROWS[];
extern const size_t MT_LIMIT_ROW_COUNT;

/* More would overflow where limits are added up, and means "no limit" anyway. */
#define MT_LIMIT_MOST ((size_t)1 << (sizeof(size_t) == 8 ? 48 : 30))
/* The most a limit can be raised to: MT_LIMIT_MOST, or less. */
size_t mt_limit_most(mt_str name);
/* MT_E_NOTFOUND for an unknown name, MT_E_RANGE for zero and beyond the most. */
mt_err mt_limits_set(mt_limits *limits, mt_str name, size_t value);

#endif
