/* graph/adapter.h - the contract between a graph and its host: context keys, event
 * kinds, accepted effects.
 * Room: graph. May include base/ only.
 * Rules ADP-1..19 when it is read, COMP-1..19 when it is composed with a graph, all
 * violations at once. Identity: "adapter:ID@VERSION;sha256:HEX" over the manifest with
 * sorted keys, absent optionals as null.
 * Ownership: an adapter owns its memory. Threads: immutable. */
#ifndef GR_ADAPTER_H
#define GR_ADAPTER_H

#include "graph/graph.h"
#include "graph/json_schema.h"
#include "graph/window.h"

typedef struct gr_context_key {
    mt_str name;
    gr_type type;
    bool required, writable, has_writable;
    mt_str description; /* ptr NULL: none */
    uint32_t at;
} gr_context_key;

typedef struct gr_adapter_schema {
    mt_str name;           /* event kind or effect */
    const mt_json *source; /* NULL: no payload_schema */
    gr_schema *schema;
    uint32_t at;
} gr_adapter_schema;

typedef struct gr_adapter {
    mt_arena arena;
    mt_str id, version, runtime_compatibility, capture_format;
    mt_str
        key; /* the payload field with a history for each value; empty: one for all */
    const gr_context_key *keys;
    const gr_adapter_schema *events, *effects;
    const mt_str *capture_fields;
    const gr_window_decl *windows; /* derived keys, which the host computes */
    const mt_json *windows_source; /* as they were written, for the identity */
    uint32_t key_count, event_count, effect_count, capture_field_count, window_count;
    bool has_accepts;
    mt_str fingerprint;
    mt_str file, text;
} gr_adapter;

/* The runtime version that runtime_compatibility is compared with. */
#define GR_RUNTIME_VERSION "0.1.0"

/* The keys of the file. */
extern const mt_form_table GR_ADAPTER_FORM;

/* MT_OK, or MT_E_REJECTED with every ADP violation in `ds`. */
mt_err gr_adapter_read(gr_text text, mt_diags *ds, gr_adapter **out);
void gr_adapter_free(gr_adapter *a);

/* Checks that the graph can run under the adapter (COMP-*): MT_OK or MT_E_REJECTED.
 * Keys made by derive_key need no declaration: they count as declared, writable and
 * optional. */
mt_err gr_adapter_compose(const gr_adapter *a, const gr_graph *g, mt_diags *ds);

/* Warns of what is legal and hardly meant: keys that nobody declares, and keys that
 * events do not let through (§6.3), so that what is written is never read. */
void gr_adapter_advise(const gr_adapter *a, const gr_graph *g, mt_diags *ds);
/* The same for one primitive without a graph; keys named by parameters that have no
 * default are not asked about. */
mt_err gr_adapter_compose_primitive(const gr_adapter *a, const gr_primitive *p,
                                    mt_diags *ds);

/* NULL when not declared. */
const gr_context_key *gr_adapter_key(const gr_adapter *a, mt_str name);
/* The window of that name, NULL when there is none. */
const gr_window_decl *gr_adapter_window(const gr_adapter *a, mt_str name);
const gr_adapter_schema *gr_adapter_event(const gr_adapter *a, mt_str kind);
const gr_adapter_schema *gr_adapter_effect(const gr_adapter *a, mt_str kind);
/* Is `key` a property of this event's schema? (The merge rule asks.) */
bool gr_adapter_event_allows(const gr_adapter_schema *event, mt_str key);

/* The fingerprint of an egress configuration, "epv1:sha256:...", over its canonical
 * compact JSON. */
mt_str gr_egress_provenance(mt_arena *a, mt_str canonical_json);

#endif
