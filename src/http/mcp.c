/* http/mcp.c - the Model Context Protocol over HTTP: one route for each persona of each
 * contract, and what its clients have to know to be let in (RFC 9728).
 * Room: http.
 * A message is a POST and its answer one JSON object; there are no sessions and no
 * streams, so GET and DELETE are 405 by the table of routes. A page of another origin
 * is refused whoever its browser is. Contract or persona unknown, or a persona that the
 * caller does not hold: the same 403. What a message means is the room tool's. */
#include "http/server_state.h"

/* ---- Messages ---- */

static void heard(void *state, int status, mt_buf *body)
{
    ht_request *r = state;
    ex_reply reply = {.status = status, .body = *body};
    *body = (mt_buf){0};
    r->heard(r, &reply);
}

static void refuse(ht_request *r, const char *code, const char *detail)
{
    ex_reply reply = {.status = MHD_HTTP_FORBIDDEN, .problem = true, .code = code};
    ht_problem_write(&reply.body, reply.status, code, mt_str_z(detail), r->id);
    r->heard(r, &reply);
}

/* White space around a value is not part of it (RFC 9110, 5.5). */
static mt_str value_of(mt_str field)
{
    return field.ptr ? mt_str_trim(field, MT_STR(" \t")) : field;
}

/* Everything is borrowed from the request, which lives until it is answered. */
void ht_mcp_hear(ht_request *r, void (*done)(ht_request *r, ex_reply *reply))
{
    const ht_head *h = &r->head;
    r->heard = done;
    r->visit = (tl_visit){.caller = r->pass.caller,
                          .contract = r->match.contract,
                          .persona = r->match.name,
                          .key = h->idempotency_key,
                          .door = {.http = true,
                                   .limits = &r->server->options.message,
                                   .version = value_of(h->mcp_version),
                                   .method = value_of(h->mcp_method),
                                   .named = value_of(h->mcp_name)},
                          .trace = r->trace.known ? &r->trace : NULL};
    if (!ht_head_is_own_origin(h)) {
        refuse(r, "cross_origin",
               "messages are not taken from a page of another origin");
    } else if (!tl_admits(r->server->tools, &r->visit)) {
        refuse(r, "forbidden",
               "there is no such persona, or the caller does not hold it");
    } else {
        tl_hear(r->server->tools, &r->visit, mt_buf_str(&r->body), heard, r);
    }
}

/* ---- Where tokens come from ---- */

/* The same for every name, so that it tells nobody which there are. */
enum MHD_Result ht_mcp_metadata(ht_request *r)
{
    mt_buf body = {0}, place = {0};
    const mt_str *issuers;
    size_t count = au_oidc_issuers(r->server->options.oidc, &r->arena, &issuers);
    if (!count) {
        return ht_answer_problem(r, MHD_HTTP_NOT_FOUND, "not_found",
                                 "no identity provider is configured");
    }
    ht_mcp_place(&place, r, "");
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "authorization_servers");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < count; i++) {
        mt_jw_str(&w, issuers[i]);
    }
    mt_jw_end_array(&w);
    mt_jw_keyz(&w, "bearer_methods_supported");
    mt_jw_raw(&w, MT_STR("[\"header\"]"));
    mt_jw_key_str(&w, "resource", mt_buf_str(&place));
    mt_jw_end_object(&w);
    mt_buf_free(&place);
    return ht_answer_text(r, MHD_HTTP_OK, "application/json", &body);
}
