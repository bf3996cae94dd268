/* contract/flow/position_names.h - words shared by writing and reading a position.
 * Room: contract. Private to flow/position_*.c. */
#ifndef CT_FLOW_POSITION_NAMES_H
#define CT_FLOW_POSITION_NAMES_H

#include "base/str.h"

enum { CT_POSITION_VERSION = 1 };

extern const mt_str CT_STATUS_NAMES[]; /* ORDER ct_run_status */
extern const mt_str CT_PHASE_NAMES[];  /* ORDER ct_phase */

#endif
