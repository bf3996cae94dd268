/* cli/named_versions.h - which versions of contracts the records of a ledger name.
 * Room: cli. */
#ifndef CLI_NAMED_VERSIONS_H
#define CLI_NAMED_VERSIONS_H

#include "base/json_read.h"
#include "base/map.h"
#include "base/vec.h"

typedef struct cli_named_version {
    mt_str contract, etag;
    uint64_t first, last;         /* records that name it */
    mt_str first_time, last_time; /* when they were written; may be empty */
} cli_named_version;

/* In order of the first record that names each; an all-zero one is empty. */
typedef struct cli_named {
    mt_arena arena, scratch;
    mt_map index; /* "contract\netag" -> place + 1 */
    MT_VEC(cli_named_version) list;
} cli_named;

/* Takes a record's body. */
void cli_named_note(cli_named *v, uint64_t seq, mt_str body);
void cli_named_free(cli_named *v);

#endif
