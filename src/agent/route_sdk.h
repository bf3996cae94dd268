/* agent/route_sdk.h - routes as the existing SDK reads them (compat mode).
 * Room: agent. May include base/ only. Private to route.c. */
#ifndef AG_ROUTE_SDK_H
#define AG_ROUTE_SDK_H

#include "agent/route.h"

mt_err ag_route_parse_sdk(mt_arena *a, const ag_styles *styles, mt_str text,
                          ag_route *out, ag_fault *fault);
mt_err ag_node_parse_sdk(mt_arena *a, mt_str text, ag_node *out, ag_fault *fault);

/* Message of a piece that fails the outer filter, before it is read as a node. */
extern const char AG_NO_TOKEN[];

#endif
