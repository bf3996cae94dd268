/* contract/wire/admit.h - the one gate of interchange, whoever wrote it.
 * Room: contract. May include base/ and contract/ only.
 * Structure and version (validate.h), then references and types (model.h). A bundle we
 * wrote ourselves takes the same way, so that what elaborates is what validates and
 * loads: a fault found there is reported at the construct in its source.
 * Ownership: everything lives in the arena; texts are borrowed as long. */
#ifndef CT_WIRE_ADMIT_H
#define CT_WIRE_ADMIT_H

#include "contract/wire/model.h"
#include "contract/wire/validate.h"

typedef struct ct_admitted {
    ct_document document;
    const ct_model *model; /* NULL when rejected */
} ct_admitted;

/* A bundle or manifest from outside. MT_OK; MT_E_REJECTED, MT_E_VERSION: `ds` holds at
 * least one error. */
mt_err ct_admit(mt_arena *a, mt_str file, mt_str text, const mt_limits *limits,
                mt_diags *ds, ct_admitted *out);
/* What an elaboration wrote; of a System also what its members wrote. */
mt_err ct_admit_source(mt_arena *a, const ct_elaboration *e, const mt_limits *limits,
                       mt_diags *ds, ct_admitted *out);

#endif
