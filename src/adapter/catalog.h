/* adapter/catalog.h - the tables of a live database, written as CREATE TABLE.
 * Room: adapter. For tools that look at a schema; nothing is fetched from the tables.
 */
#ifndef AD_CATALOG_H
#define AD_CATALOG_H

#include "base/str.h"

/* Is it "sqlite:PATH" or "postgresql://…" (or "postgres://…")? */
bool ad_catalog_is(mt_str url);
/* MT_OK: *ddl is set, in the arena. Otherwise `why` gets one sentence, without the URL,
 * which may have a password. The database is opened for reading only. */
mt_err ad_catalog_read(mt_arena *a, mt_str url, size_t most, mt_str *ddl, mt_buf *why);

#endif
