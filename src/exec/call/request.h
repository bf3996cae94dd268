/* exec/call/request.h - bodies and queries.
 * Room: exec. */
#ifndef EX_REQUEST_H
#define EX_REQUEST_H

#include "base/form.h"
#include "exec/call/problem.h"

/* The longest that an asserted fact can be said to hold; without `ttl_ms` it holds
 * until it is retracted. */
#define EX_TTL_MOST_MS (INT64_C(3660) * 24 * 3600 * 1000)
/* Reads a body by the rows of its form; no body, no members. */
bool ex_refused_body(ex_job *job, const mt_form_row *rows, size_t count, void *out);
/* Reads the body that most calls have, into job->request. */
bool ex_refused_request(ex_job *job);
enum { EX_PAGE_USUAL = 100, EX_PAGE_MOST = 1000 };
/* A parameter of the query; ptr NULL: not given. */
mt_str ex_query(const ex_job *job, const char *name);
/* A number of the query within [least, most]. */
bool ex_refused_number(ex_job *job, const char *name, int64_t least, int64_t most,
                       int64_t otherwise, int64_t *out);
/* One of two words of the query; not given is the usual one. */
bool ex_refused_choice(ex_job *job, const char *name, const char *usual,
                       const char *other, bool *is_other);
/* The page that `after` and `limit` of the query ask for. */
bool ex_refused_page(ex_job *job, st_page *out);
/* Finds the call's contract (job->v). */
bool ex_refused_contract(ex_job *job);
/* Fills the snap's instances from the request's bindings. */
bool ex_refused_bindings(ex_job *job);

#endif
