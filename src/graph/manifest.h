/* graph/manifest.h - what a primitive declares about itself, and its rules.
 * Room: graph. May include base/ only.
 * One struct for the four kinds; what a kind does not have stays empty. File form: YAML
 * or JSON, docs/graphs.md. Rules: SRC-*, CMP-*, TRG-*, ACT-*, each reported with its id
 * as diagnostic code, the path in `field` and the remedy in `hint`.
 * Ownership: a manifest lives in the arena it was read into. */
#ifndef GR_MANIFEST_H
#define GR_MANIFEST_H

#include "base/form.h"
#include "graph/value.h"

typedef enum gr_kind { GR_SOURCE, GR_COMPUTE, GR_TRIGGER, GR_ACTION } gr_kind;

/* "source", ...; "Source", ... */
const char *gr_kind_name(gr_kind kind);
const char *gr_kind_title(gr_kind kind);

/* `at` is an offset in the file's text, 0 where there is none. */
typedef struct gr_port {
    mt_str name;
    gr_type type; /* GR_NONE: the file says something else */
    bool required;
    bool multiple; /* cardinality other than single */
    mt_str from;   /* file sources: "context.KEY" or "param.NAME" */
    uint32_t at;
} gr_port;

typedef struct gr_param {
    mt_str name;
    gr_param_type type;
    gr_literal initial; /* GR_P_NONE: no default */
    bool required;
    mt_str bounds; /* free text, shown and never evaluated */
    uint32_t at;
} gr_param;

/* A context key a Source reads. `name` may be "$param". */
typedef struct gr_need {
    mt_str name;
    gr_type type;
    bool required; /* a pass without it is a fault */
    uint32_t at;
} gr_need;

typedef struct gr_write {
    mt_str name; /* key, or "$param" */
    gr_type type;
    mt_str from; /* input port; for a mirror write the intent's field */
    uint32_t at;
} gr_write;

typedef struct gr_field {
    mt_str name;
    gr_type type;
    mt_str from_input, from_param; /* one of them */
    uint32_t at;
} gr_field;

typedef struct gr_intent_decl {
    mt_str name;
    const gr_field *fields;
    const gr_write *mirrors; /* context writes that go with it */
    uint32_t field_count, mirror_count;
    uint32_t at;
} gr_intent_decl;

typedef struct gr_manifest {
    mt_str id, version;
    gr_kind kind;
    mt_str summary; /* what it does, one sentence: `motet graph primitives` prints it */
    const gr_port *inputs, *outputs;
    const gr_param *params;
    const gr_need *needs;          /* Source */
    const gr_write *writes;        /* Action */
    const gr_intent_decl *intents; /* Action */
    uint32_t input_count, output_count, param_count, need_count, write_count,
        intent_count;
    /* Promises, as the rules read them. */
    bool deterministic, continuous, side_effects, state_allowed, state_resettable,
        errors_allowed, errors_deterministic, retryable;
    gr_event outcome;  /* file actions: what an executed one reports */
    mt_str expression; /* file computes and triggers: see graph/expression.h */
    mt_str body;       /* or the cluster that realises them, "id@selector" */
    mt_str file, text; /* for places; empty when it was built in C */
} gr_manifest;

/* The keys of the file. */
extern const mt_form_table GR_MANIFEST_FORM;

/* Reads a manifest of any kind. MT_E_REJECTED with diagnostics when it cannot be read
 * or breaks a rule (all of its violations are reported). */
mt_err gr_manifest_read(mt_arena *a, mt_str file, mt_str text, mt_diags *ds,
                        gr_manifest *out);
/* The same from a tree whose offsets refer to `text`. */
mt_err gr_manifest_from_json(mt_arena *a, mt_str file, mt_str text, const mt_json *root,
                             mt_diags *ds, gr_manifest *out);
/* Every rule a manifest can break by itself. True when none is. */
bool gr_manifest_check(const gr_manifest *m, mt_diags *ds);

/* Does it say itself what it does? Otherwise a host has to bring the code. */
bool gr_manifest_says(const gr_manifest *m);

/* Index by name, -1 if absent. */
int gr_input_index(const gr_manifest *m, mt_str name);
int gr_output_index(const gr_manifest *m, mt_str name);
int gr_param_index(const gr_manifest *m, mt_str name);

/* ^[a-z][a-z0-9_]*$ */
bool gr_id_ok(mt_str id);

#endif
