/* api/api.h - what is behind the handles of motet.h.
 * Room: runtime, private to api_*.c. */
#ifndef API_API_H
#define API_API_H

#include "contract/eval/facts.h"
#include "contract/eval/program.h"
#include "motet.h"

struct motet_contract {
    mt_arena arena; /* everything below lives here */
    mt_diags ds;    /* faults and warnings; no more are added after loading */
    const motet_str *messages; /* one per diagnostic */
    mt_str bundle;         /* compact interchange; empty when it was refused early */
    const ct_model *model; /* NULL when refused */
    const ct_program *program; /* NULL when refused, or when there is no model */
};

/* What is inside a fact set and a set of verdicts. */
const ct_facts *api_facts_inside(const motet_facts *facts);
const ct_verdicts *api_verdicts_inside(const motet_verdicts *verdicts);

static inline mt_str api_in_str(motet_str s)
{
    return mt_str_from(s.ptr, s.len);
}

/* Never NULL: an embedder may print what it gets without a check. */
static inline motet_str api_out_str(mt_str s)
{
    return (motet_str){s.ptr ? s.ptr : "", s.len};
}

#endif
