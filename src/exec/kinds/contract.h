/* exec/kinds/contract.h - contracts, read.
 * Room: exec, private to kinds/contract*.c and the table of kinds. */
#ifndef EX_KIND_CONTRACT_H
#define EX_KIND_CONTRACT_H

#include "exec/call/call.h"

bool ex_contract_list(ex_job *job);
bool ex_contract_get(ex_job *job);
bool ex_contract_versions(ex_job *job);

#endif
