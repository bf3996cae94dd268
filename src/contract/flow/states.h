/* contract/flow/states.h - which instances exist and in which state each of them is.
 * Room: contract. May include base/ and contract/ only.
 * The EntityStateMap of the specification. As JSON {"Order":{"ord-1":"draft"}}, or
 * {"Order":"draft"} for the single instance "_default".
 * Ownership: all of it lives in the arena it was made with; instance names read from
 * JSON borrow from the tree. Sealed, it is immutable and may be shared. */
#ifndef CT_FLOW_STATES_H
#define CT_FLOW_STATES_H

#include "base/json_write.h"
#include "base/vec.h"
#include "contract/wire/model.h"

#define CT_DEFAULT_INSTANCE MT_STR("_default")

typedef struct ct_instance {
    mt_str id;
    uint32_t state; /* index in its entity */
} ct_instance;

/* Instances of one entity, in byte order of their names once sealed. */
typedef struct ct_instances {
    ct_instance *items; /* sorted by id once it is sealed */
    size_t len, cap;
} ct_instances;

typedef struct ct_states {
    const ct_model *model;
    ct_instances *entities; /* one per entity of the model */
} ct_states;

/* No instance at all. */
ct_states ct_states_new(mt_arena *a, const ct_model *m);
/* Adds an instance or changes its state; the last word counts. */
void ct_states_put(mt_arena *a, ct_states *s, uint32_t entity, mt_str id,
                   uint32_t state);
/* Sorts and removes what was overwritten. Call before reading. */
void ct_states_seal(ct_states *s);
/* Gives every entity that has no instance its "_default" one in the initial state. */
void ct_states_add_initial(mt_arena *a, ct_states *s);

/* Adds what the JSON says. MT_E_TYPE, MT_E_NOTFOUND: *why is one sentence in `a`. */
mt_err ct_states_read(mt_arena *a, ct_states *s, const mt_json *json, mt_str *why);
/* Adds "E=state" or "E/instance=state". */
mt_err ct_states_read_text(mt_arena *a, ct_states *s, mt_str text, mt_str *why);

/* The instance's state, CT_NONE if it does not exist. */
uint32_t ct_states_get(const ct_states *s, uint32_t entity, mt_str id);
void ct_states_json(mt_jw *w, const ct_states *s);

/* Which instance stands for each entity in one run. */
typedef struct ct_binding {
    mt_str *instances; /* per entity; ptr NULL: none */
    uint32_t *states;  /* per entity: of that instance, CT_NONE: none or absent */
} ct_binding;

/* Nothing is bound yet; ct_binding_resolve() fills in states. */
ct_binding ct_binding_new(mt_arena *a, const ct_model *m);
/* "E=instance". */
mt_err ct_binding_read_text(mt_arena *a, ct_binding *b, const ct_model *m, mt_str text,
                            mt_str *why);
/* {"E":"instance"}. */
mt_err ct_binding_read(mt_arena *a, ct_binding *b, const ct_model *m,
                       const mt_json *json, mt_str *why);
/* Looks the bound instances up. An entity that is not bound gets "_default" when there
 * is such an instance and `defaults` asks for it. */
void ct_binding_resolve(ct_binding *b, const ct_states *s, bool defaults);

#endif
