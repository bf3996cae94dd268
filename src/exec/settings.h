/* exec/settings.h - what the configuration says: all that is wrong with it, and its
 * values.
 * Room: exec. Private to exec/. */
#ifndef EX_SETTINGS_H
#define EX_SETTINGS_H

#include "base/json_read.h"
#include "contract/wire/model.h"
#include "exec/executor.h"

typedef struct ex_distinct ex_distinct;
typedef struct ex_quotas ex_quotas;
typedef struct ex_witness_of ex_witness_of;

/* The numbers under `executor` in the configuration: all that is wrong with them, or
 * read into the executor. MT_E_REJECTED: `why` has the first that is wrong. */
size_t ex_numbers_check(const mt_json *settings, ex_config_fault *fault, void *state);
mt_err ex_numbers_read(ex_executor *x, const ex_executor_options *o, mt_buf *why);
/* An ex_config_fault for opening: `why`, an mt_buf, gets the first. */
void ex_say_first(void *why, mt_str key, size_t offset, mt_str reason);
/* `witnesses` of the configuration: how many things are wrong with it. */
size_t ex_witnesses_read(mt_arena *a, const ex_executor_options *o, ex_witness_of **out,
                         size_t *count, ex_config_fault *fault, void *state);
/* `distinct` of the configuration. How many faults there are. */
size_t ex_distinct_read(mt_arena *a, const mt_json *settings, ex_config_fault *fault,
                        void *state, const ex_distinct **out, size_t *count);
/* Rules that separate nobody, since they name a contract or a persona that is not
 * there, or a persona that the server acts as by itself. */
typedef struct ex_rule_judge {
    mt_arena *arena;
    const ct_model *(*model_of)(void *state, mt_str contract); /* NULL: none */
    void (*told)(void *state, mt_str contract, mt_str what);
    void *state;
    const mt_str *auto_personas;
    size_t auto_persona_count;
} ex_rule_judge;
void ex_distinct_judge(const ex_rule_judge *j, const ex_distinct *all, size_t count);
/* The log says which they are: a contract may be deployed later. */
void ex_distinct_warn(ex_executor *x);
/* `systems` of the configuration: how many things are wrong with its shape. */
size_t ex_bindings_check(mt_arena *a, const mt_json *settings, ex_config_fault *fault,
                         void *state);
/* The instance it gives for an entity of a member; empty: none. */
mt_str ex_binding_of(const mt_json *settings, mt_str system, mt_str member,
                     mt_str entity);
/* `quotas` of the configuration, likewise; *out is to be freed in any case. */
size_t ex_quotas_read(const mt_json *settings, ex_config_fault *fault, void *state,
                      ex_quotas **out);
void ex_quotas_free(ex_quotas *q);

#endif
