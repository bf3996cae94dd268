/* http/openapi.h - OpenAPI 3.1 of everything served.
 * Room: http.
 * Three sources, each said once: the table of routes (http/route.c), the schemas and
 * answers they name (http/api.json), and the types of the contracts
 * (ex_executor_api). */
#ifndef HT_OPENAPI_H
#define HT_OPENAPI_H

#include "exec/executor.h"

void ht_openapi_write(mt_buf *out, ex_executor *x);

#endif
