/* contract/front/system.h - the members of a System.
 * Room: contract/front. */
#ifndef CT_FRONT_SYSTEM_H
#define CT_FRONT_SYSTEM_H

#include "contract/front/unit.h"

/* Opens and elaborates the members, unless the system itself has errors, and checks
 * what the system says about them. Fills u->members. */
void ct_elaborate_members(ct_unit *u);

#endif
