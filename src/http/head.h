/* http/head.h - the header fields we look at, and the games we refuse.
 * Room: http. Pure. A field that decides something (who, how long, which host) may be
 * there once only; names are tokens, values have no control characters. A request with
 * both a length and a transfer coding is refused, as is any coding but "chunked": two
 * servers must never disagree on where a request ends.
 * Ownership: values borrow. */
#ifndef HT_HEAD_H
#define HT_HEAD_H

#include "base/str.h"

/* Columns: field of ht_head, name in lower case. Each at most once. */
/* clang-format off */
#define HT_FIELD_MAP(X)                       \
    X(host,              "host")              \
    X(authorization,     "authorization")     \
    X(content_type,      "content-type")      \
    X(content_length,    "content-length")    \
    X(transfer_encoding, "transfer-encoding") \
    X(content_encoding,  "content-encoding")  \
    X(idempotency_key,   "idempotency-key")   \
    X(if_match,          "if-match")          \
    X(if_none_match,     "if-none-match")     \
    X(last_event_id,     "last-event-id")     \
    X(origin,            "origin")            \
    X(sec_fetch_site,    "sec-fetch-site")    \
    X(cookie,            "cookie")            \
    X(csrf,              "x-csrf-token")      \
    X(mcp_version,       "mcp-protocol-version") \
    X(mcp_method,        "mcp-method")        \
    X(mcp_name,          "mcp-name")          \
    X(request_id,        "x-request-id")
/* clang-format on */

typedef struct ht_head {
#define HT_FIELD_MEMBER(field, name) mt_str field;
    HT_FIELD_MAP(HT_FIELD_MEMBER)
#undef HT_FIELD_MEMBER
    mt_str traceparent; /* of a trace; empty when it is given twice */
    size_t fields;
    const char *fault; /* the first thing wrong, a static sentence; NULL: nothing */
} ht_head;

enum { HT_HEAD_FIELDS = 100, HT_KEY_BYTES = 255, HT_REQUEST_ID_BYTES = 64 };

void ht_head_add(ht_head *h, mt_str name, mt_str value);
/* Something else is wrong with the head; `text` is static. */
void ht_head_fault(ht_head *h, const char *text);
/* After the last field: what must hold between fields. False: h->fault says why. */
bool ht_head_check(ht_head *h);
/* The announced length, or `otherwise`. */
size_t ht_head_length(const ht_head *h, size_t otherwise);
/* Is the content type application/json, in UTF-8 if it says? */
bool ht_head_is_json(const ht_head *h);
/* Lines of it: application/jsonl, or x-ndjson. */
bool ht_head_is_lines(const ht_head *h);
/* Does If-None-Match name this etag (given without quotes)? */
bool ht_head_has_etag(const ht_head *h, mt_str etag);
/* Is the host a name of this machine for itself, with or without a port? */
bool ht_head_host_is_local(const ht_head *h);
/* Is it this name with this port, or without one where 80 is meant? */
bool ht_head_host_is(const ht_head *h, mt_str name, unsigned port);
/* Is the host an address, which no name can be made to lead to? */
bool ht_head_host_is_address(const ht_head *h);
/* Does a browser say where the page is from that sends this? */
bool ht_head_is_from_page(const ht_head *h);
/* Was it sent by a program, or by a page that came from this very host? A browser says
 * where a page is from: Origin must then be `Host`, Sec-Fetch-Site same-origin or none.
 */
bool ht_head_is_own_origin(const ht_head *h);
/* The value of one cookie; empty: it is not there, or more than once. */
mt_str ht_head_cookie(const ht_head *h, mt_str name);
/* A Request-Id fit to be repeated in answers and logs. */
bool ht_head_request_id_ok(const ht_head *h);

#endif
