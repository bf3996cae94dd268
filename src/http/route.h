/* http/route.h - which method and path means what: one table.
 * Room: http. Pure. A row names an action of exec/executor.h or a page of our own;
 * docs/http-api.md shows the same table and a test compares the two. */
#ifndef HT_ROUTE_H
#define HT_ROUTE_H

#include "http/path.h"

/* What the front door answers by itself. */
typedef enum ht_page {
    HT_CALL, /* nothing: the executor's action */
    HT_HEALTH,
    HT_READY,
    HT_METRICS,
    HT_OPENAPI,
    HT_MANIFEST,
    HT_EVENTS,
    HT_LOGIN,
    HT_CALLBACK,
    HT_LOGOUT,
    HT_SESSION
} ht_page;

enum {
    HT_PUBLIC = 1, /* needs no token */
    HT_BODY = 2    /* takes a JSON body */
};

typedef struct ht_route {
    const char *method, *pattern; /* segments {c}, {n}, {i} take any text */
    ht_page page;
    ex_action action; /* of HT_CALL */
    unsigned flags;
    const char *summary;
} ht_route;

extern const ht_route HT_ROUTES[];
extern const size_t HT_ROUTE_COUNT;

typedef struct ht_match {
    const ht_route *route; /* NULL: no such path, or not with this method */
    mt_str contract, name, id;
    char allow[64]; /* methods the path has, "GET, HEAD, OPTIONS"; "" : no such path */
} ht_match;

/* HEAD matches GET. */
void ht_route_find(mt_str method, const ht_target *target, ht_match *out);

#endif
