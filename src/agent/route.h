/* agent/route.h - routes: parsing, canonical text, compatibility, activation.
 * Room: agent. May include base/ only.
 * A route has three lists of nodes: source, label, target. Without label and target it
 * is an object route, with either an arrow; an arrow without source is initial.
 * Ownership: everything lives in the arena given to ag_route_parse(). */
#ifndef AG_ROUTE_H
#define AG_ROUTE_H

#include "agent/style.h"

typedef enum ag_part { AG_SOURCE, AG_LABEL, AG_TARGET, AG_PARTS } ag_part;

typedef struct ag_route {
    mt_str canonical;
    const ag_node *nodes;     /* sources, labels, targets, in written order */
    uint32_t count[AG_PARTS]; /* of each part */
    const ag_style *style;    /* the arrow that was written; NULL: none was */
} ag_route;

static inline const ag_node *ag_route_part(const ag_route *r, ag_part part)
{
    uint32_t first = part == AG_SOURCE ? 0 : r->count[AG_SOURCE];
    first += part == AG_TARGET ? r->count[AG_LABEL] : 0;
    return first ? r->nodes + first : r->nodes;
}

static inline uint32_t ag_route_nodes(const ag_route *r)
{
    return r->count[AG_SOURCE] + r->count[AG_LABEL] + r->count[AG_TARGET];
}

static inline bool ag_route_is_arrow(const ag_route *r)
{
    return r->count[AG_LABEL] || r->count[AG_TARGET];
}

static inline bool ag_route_is_initial(const ag_route *r)
{
    return ag_route_is_arrow(r) && !r->count[AG_SOURCE];
}

/* `styles` NULL means AG_STYLES; profile mode has no other. MT_E_SYNTAX or MT_E_LIMIT
 * with *fault pointing at the first character that does not fit (may be NULL). */
mt_err ag_route_parse(mt_arena *a, ag_mode mode, const ag_styles *styles, mt_str text,
                      ag_route *out, ag_fault *fault);

/* Is the sender's route compatible with the receiver's: does, part by part, every node
 * of the sender accept some node of the receiver? */
bool ag_route_accepts(ag_mode mode, const ag_route *sender, const ag_route *receiver);

/* What a receiver answered. AG_EVENT is compat's bare event base class. */
typedef enum ag_action { AG_NONE, AG_TEST, AG_STAY, AG_MOVE, AG_EVENT } ag_action;
/* "TEST"; "NONE" for AG_NONE. */
const char *ag_action_name(ag_action action);
/* MOVE, Move or move. */
bool ag_action_from(mt_str name, ag_action *out);

/* The nodes the action activates (section 6.3): *count nodes from the returned one. */
const ag_node *ag_route_activates(const ag_route *r, ag_action action, uint32_t *count);

/* Splits at `separator` (one character; a longer one never splits) outside
 * parentheses, trims, drops empty pieces. The SDK's tokeniser, for compat mode. */
typedef struct ag_pieces {
    mt_str *items;
    size_t len, cap;
} ag_pieces;
void ag_split_tokens(mt_arena *a, mt_str text, mt_str separator, ag_pieces *out);

#endif
