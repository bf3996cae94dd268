/* exec/kinds/ledger.h - the ledger, read.
 * Room: exec, private to kinds/ledger*.c and the table of kinds. */
#ifndef EX_KIND_LEDGER_H
#define EX_KIND_LEDGER_H

#include "exec/call/call.h"

bool ex_ledger_list(ex_job *job);
bool ex_ledger_get(ex_job *job);
bool ex_ledger_proof(ex_job *job);
bool ex_ledger_receipt(ex_job *job);
bool ex_ledger_checkpoint(ex_job *job);
bool ex_ledger_note(ex_job *job);
bool ex_ledger_consistency(ex_job *job);

#endif
