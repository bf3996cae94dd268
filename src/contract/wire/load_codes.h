/* contract/wire/load_codes.h - the loader's part of the table of codes.
 * Room: contract. May include base/ and contract/elaborate.h only. */
#ifndef CT_WIRE_LOAD_CODES_H
#define CT_WIRE_LOAD_CODES_H

#include "contract/elaborate.h"

/* The codes L101… in order; NULL past the end. */
const ct_code_info *ct_load_code_at(size_t index);

#endif
