/* agent/node.h - one state token, and whether a gate accepts a state.
 * Room: agent. May include base/ only.
 * Forms: `A` (plain), `/all`, `/oneof(A,B)`, `/not(A,B)`. In profile mode list items
 * are tokens again (nested to a limited depth); in compat mode they are raw text, kept
 * as plain items.
 * Ownership: texts and items live in the arena the node was parsed into. */
#ifndef AG_NODE_H
#define AG_NODE_H

#include "base/str.h"

/* What the profile calls its identifier, and the only value we produce for it. */
#define AG_PROFILE_ID "summoner-standard-profile/0.1"

/* profile: the document. compat: as the existing SDK answers. */
typedef enum ag_mode { AG_PROFILE, AG_COMPAT } ag_mode;
const char *ag_mode_name(ag_mode mode);
bool ag_mode_from(mt_str name, ag_mode *out);

typedef enum ag_kind { AG_PLAIN, AG_ALL, AG_ONEOF, AG_NOT } ag_kind;

typedef struct ag_node ag_node;
struct ag_node {
    mt_str text;          /* canonical; for a plain node, its identifier */
    const ag_node *items; /* of AG_ONEOF and AG_NOT, in written order */
    uint32_t count;
    uint8_t kind; /* ag_kind */
};

/* Where text stops being a token or a route. */
typedef struct ag_fault {
    size_t offset;       /* in bytes */
    const char *message; /* static text, lower case, no full stop */
    mt_str token;        /* compat: the piece that is not a token */
} ag_fault;

/* One token. MT_E_SYNTAX or MT_E_LIMIT with *fault set (fault may be NULL). */
mt_err ag_node_parse(mt_arena *a, ag_mode mode, mt_str text, ag_node *out,
                     ag_fault *fault);

/* accepts(gate, state), section 4 of the profile. Profile mode: `/all` accepts
 * everything, a plain gate its own identifier, `/oneof` and `/not` plain states by
 * membership, and also the state written exactly like them. Compat mode: could both
 * denote a common name, except that `/not` accepts every state that is not plain. */
bool ag_accepts(ag_mode mode, const ag_node *gate, const ag_node *state);

#endif
