/* graph/effect.h - what an episode asks the host to do once it has ended.
 * Room: graph. May include base/ only.
 * JSON, compact, in this order: {"kind":K,"writes":[{"key":K,"value":V}],"intents":
 * [{"kind":K,"intent_id":I,"fields":[{"name":N,"value":V}]}]}, `intents` left out when
 * empty, values tagged. The effect hash is the SHA-256 of exactly those bytes.
 * Ownership: effects live in their episode until its next run. */
#ifndef GR_EFFECT_H
#define GR_EFFECT_H

#include "base/hash.h"
#include "graph/value.h"

#define GR_SET_CONTEXT "set_context"

enum { GR_INTENT_ID_LEN = 12 + MT_SHA256_HEX }; /* "eid1:sha256:" and the digest */

typedef struct gr_effect_write {
    mt_str key;
    gr_value value;
} gr_effect_write;

typedef struct gr_effect_field {
    mt_str name;
    gr_value value;
} gr_effect_field;

typedef struct gr_intent {
    mt_str kind;
    char id[GR_INTENT_ID_LEN]; /* no terminating NUL */
    const gr_effect_field *fields;
    uint32_t field_count;
} gr_intent;

typedef struct gr_effect {
    mt_str kind;                   /* set_context, or the intent's */
    const gr_effect_write *writes; /* set_context only */
    const gr_intent *intent;       /* NULL for set_context */
    uint32_t write_count;
    uint32_t node; /* the Action, index into the graph's nodes */
} gr_effect;

static inline mt_str gr_intent_id(const gr_intent *i)
{
    return mt_str_from(i->id, GR_INTENT_ID_LEN);
}

/* eid1: six strings, each after its length as u32 big-endian; ordinal in decimal. */
void gr_intent_id_of(mt_str graph_id, mt_str event_id, mt_str node_id, mt_str kind,
                     uint32_t ordinal, char out[GR_INTENT_ID_LEN]);

/* The bytes that are hashed and compared in replays. */
void gr_effect_json(mt_buf *out, const gr_effect *e);
/* Lower-case hex; `scratch` is overwritten. */
void gr_effect_hash(const gr_effect *e, mt_buf *scratch, char out[MT_SHA256_HEX]);
/* Reads what gr_effect_json() writes. False when it is not exactly of that shape. */
bool gr_effect_from_json(mt_arena *a, const mt_json *node, gr_effect *out);

#endif
