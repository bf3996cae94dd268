#include "lang/lang.h"

/* Each table below is one reading of nodes.def with one macro defined; entries are
 * placed by enumerator, so order and completeness follow from the file. */
const ln_base_facts LN_BASES[LN_BASE_COUNT] = {
#define X_BASE(ID, text, HELD, TRAITS, result)                                         \
    [LN_BASE_##ID] = {text, LN_##HELD, TRAITS},
#include "lang/nodes.def"
};

const ln_step_facts LN_STEPS[LN_STEP_COUNT] = {
#define X_STEP(ID, text, DOES, word, phrase)                                           \
    [LN_STEP_##ID] = {text, LN_##DOES, word, phrase},
#include "lang/nodes.def"
};

const ln_construct_facts LN_CONSTRUCTS[LN_CONSTRUCT_COUNT] = {
#define X_CONSTRUCT(ID, text, word, many) [LN_CONSTRUCT_##ID] = {text, #word, #many},
#include "lang/nodes.def"
};

ln_construct ln_construct_named(mt_str name)
{
    int kind = 0;
    while (kind < LN_CONSTRUCT_COUNT &&
           !mt_str_eq(name, mt_str_z(LN_CONSTRUCTS[kind].name))) {
        kind++;
    }
    return (ln_construct)kind;
}
