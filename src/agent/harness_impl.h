/* agent/harness_impl.h - what the operations of the harness share.
 * Room: agent. May include base/ only. */
#ifndef AG_HARNESS_IMPL_H
#define AG_HARNESS_IMPL_H

#include "agent/cycle.h"
#include "agent/harness.h"
#include "base/json_write.h"

typedef struct ag_question {
    mt_arena *a;
    ag_mode mode;
    const mt_json *in;
    ag_styles styles; /* count 0: the canonical one */
    mt_jw *w;         /* the members of the answer after "ok" */
    mt_str error;     /* why it failed */
} ag_question;

typedef bool ag_operation(ag_question *q);
ag_operation ag_harness_cycle, ag_harness_dna, ag_harness_tape, ag_harness_activations;

/* Sets the error and returns false. */
bool ag_refuse(ag_question *q, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ag_write_priority(mt_jw *w, ag_priority p);
/* The `priority` of a registration; absent and null are none. */
bool ag_read_priority(ag_question *q, const mt_json *at, ag_priority *out);
/* The SDK's words for a route that does not parse. */
mt_str ag_sdk_complaint(mt_arena *a, mt_str route, const ag_fault *fault);
/* A tape as the application gives it; what cannot be one is an empty indexed tape. */
bool ag_read_tape(ag_question *q, const ag_program *p, const mt_json *value,
                  ag_tape **out);
/* The key with, and without, the prefix of the SDK's storage. */
mt_str ag_raw_key(mt_arena *a, const ag_tape *t, mt_str key);
void ag_write_key(mt_jw *w, mt_str key);

#endif
