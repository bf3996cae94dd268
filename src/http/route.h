/* http/route.h - which method and path means what: one table.
 * Room: http. Pure. A row names an action of exec/executor.h or a page of our own, and
 * what is described of it (http/openapi.h): schemas, answers and parameters by their
 * names in http/api.json. docs/reference/http-api.md is checked against both.
 * Addresses of tenants, /t/TENANT/v1/…, are free: no pattern begins with /t, and the
 * description names paths relative to its server's URL. */
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
    HT_HOME,
    HT_LOGIN,
    HT_CALLBACK,
    HT_LOGOUT,
    HT_SESSION,
    HT_MCP,
    HT_MCP_METADATA,
    HT_DECISION_POINT,
    HT_CARD,
    HT_STUDIO
} ht_page;

enum {
    HT_PUBLIC = 1, /* needs no token */
    HT_BODY = 2,   /* takes a JSON body */
    HT_LINES = 4,  /* takes lines of JSON, and answers with lines */
    HT_ACCESS = 8  /* of AuthZEN: another type of body is 400, any request id is kept */
};

typedef struct ht_route {
    const char *method, *pattern; /* {contract}, {id}, and any other for the name */
    ht_page page;
    ex_action action; /* of HT_CALL */
    unsigned flags;
    const char *summary;
    const char *name;  /* operationId */
    const char *takes; /* schema of the body, or NULL */
    const char *gives; /* "200:Answer 201:Answer" */
    const char *own;   /* kind of what has types of its own (ex_api_see), or NULL */
    const char *query; /* parameters, header fields too: "after limit" */
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
