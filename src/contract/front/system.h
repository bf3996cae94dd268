/* contract/front/system.h - the members of a System.
 * Room: contract/front. */
#ifndef FR_FRONT_SYSTEM_H
#define FR_FRONT_SYSTEM_H

#include "contract/front/unit.h"

/* Opens and elaborates the members, unless the system itself has errors, and checks
 * what the system says about them. Fills u->members. */
void fr_elaborate_members(fr_unit *u);

#endif
