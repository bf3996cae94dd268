/* exec/call/dry_run.c - was a dry run asked for? Room: exec. Knows text alone: whoever
 * refuses a body without a call asks it, too. */
#include "base/json_pull.h"
#include "exec/executor.h"

/* What is malformed further on, or cut off, was asked for as a dry run all the same. */
bool ex_asks_dry_run(mt_str body)
{
    mt_arena a = {0};
    mt_jp j;
    bool said = false;
    if (mt_jp_start(&j, &a, body, NULL) && mt_jp_object(&j)) {
        for (mt_str key; mt_jp_key(&j, &key);) {
            if (!mt_str_is(key, "dry_run") || mt_jp_type(&j) != MT_JSON_BOOL) {
                mt_jp_skip(&j);
            } else {
                mt_jp_bool(&j, &said);
            }
        }
    }
    mt_arena_free(&a);
    return said;
}
