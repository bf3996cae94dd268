/* exec/contract/kept_facts.h - facts that were asserted and hold.
 * Room: exec. Threads: any. */
#ifndef EX_KEPT_FACTS_H
#define EX_KEPT_FACTS_H

#include "adapter/adapter.h"
#include "exec/executor.h"

#define EX_KIND_FACT MT_STR("fact") /* documents, see kept_facts.c */
mt_str ex_fact_key(mt_arena *a, mt_str contract, mt_str fact);
/* The one of a version's fact: ad_adapter_options.lookup_manual. */
mt_err ex_manual_lookup(void *version, mt_arena *a, uint32_t fact, ad_manual *out);
/* Reads them anew if they changed. */
mt_err ex_facts_reload(ex_executor *x, st_tx *tx);

#endif
