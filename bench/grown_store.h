/* bench/grown_store.h - a store as it is after years, written in a minute.
 * The server is not asked: rows and records are written through the store's own calls,
 * thousands in a transaction, each a copy of what a server wrote for one instance. What
 * comes out is a store that `motet ledger verify` and `motet store check` find good. */
#ifndef GROWN_STORE_H
#define GROWN_STORE_H

#include <stddef.h>

/* The id of the n-th instance; all are equally long. */
#define GROWN_ID "i%07zu"

/* In the store is one instance, the one with number 0, made by a server and changed
 * once; `scope` and `entity` are its key. Makes `instances` of it, and as many records
 * as it has for each of them. */
void grown_store(const char *url, const char *scope, const char *entity,
                 size_t instances);

#endif
