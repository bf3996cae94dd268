/* http/card.c - what this server says of itself to programs that find it: the metadata
 * of a policy decision point (AuthZEN 1.0) and an agent's card (A2A 1.0).
 * Room: http.
 * The card promises no binding of A2A, because none is served: supportedInterfaces is
 * empty, and an extension says where the API and the tools are that there are. Agents
 * are listed for who may talk to them. Nothing here can fail. */
#include "base/json_write.h"
#include "http/server_state.h"

/* ---- Where we are ---- */

static mt_str origin_of(ht_request *r)
{
    mt_buf text = {0};
    ht_origin_write(&text, r);
    mt_str origin = mt_str_dup(&r->arena, mt_buf_str(&text));
    mt_buf_free(&text);
    return origin;
}

static mt_str address(ht_request *r, const char *path)
{
    return mt_strf(&r->arena, "%.*s%s", MT_ARG(origin_of(r)), path);
}

/* ---- AuthZEN ---- */

enum MHD_Result ht_answer_decision_point(ht_request *r)
{
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "access_evaluation_endpoint",
                  address(r, "/access/v1/evaluation"));
    mt_jw_key_str(&w, "access_evaluations_endpoint",
                  address(r, "/access/v1/evaluations"));
    mt_jw_key_str(&w, "policy_decision_point", origin_of(r));
    mt_jw_key_str(&w, "search_action_endpoint", address(r, "/access/v1/search/action"));
    mt_jw_key_str(&w, "search_resource_endpoint",
                  address(r, "/access/v1/search/resource"));
    mt_jw_key_str(&w, "search_subject_endpoint",
                  address(r, "/access/v1/search/subject"));
    mt_jw_end_object(&w);
    return ht_answer_text(r, MHD_HTTP_OK, "application/json", &body);
}

/* ---- A2A ---- */

static void one_word(mt_jw *w, const char *word)
{
    mt_jw_begin_array(w);
    mt_jw_str(w, mt_str_z(word));
    mt_jw_end_array(w);
}

static void extension_json(mt_jw *w, ht_request *r)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "description",
                  MT_STR("No binding of A2A is served here. Skills are used through "
                         "the server's own HTTP API, which params.openapi describes, "
                         "or as tools of the Model Context Protocol at params.mcp."));
    mt_jw_keyz(w, "params");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "authzen", address(r, "/.well-known/authzen-configuration"));
    mt_jw_key_str(w, "mcp", address(r, "/mcp/{contract}/{persona}"));
    mt_jw_key_str(w, "openapi", address(r, "/openapi.json"));
    mt_jw_end_object(w);
    mt_jw_key_bool(w, "required", false);
    mt_jw_key_str(w, "uri", MT_STR("urn:motet:http-api"));
    mt_jw_end_object(w);
}

static void capabilities_json(mt_jw *w, ht_request *r)
{
    mt_jw_keyz(w, "capabilities");
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "extendedAgentCard", false);
    mt_jw_keyz(w, "extensions");
    mt_jw_begin_array(w);
    extension_json(w, r);
    mt_jw_end_array(w);
    mt_jw_key_bool(w, "pushNotifications", false);
    mt_jw_key_bool(w, "streaming", false);
    mt_jw_end_object(w);
}

/* Only what is known of whose it is. */
static void provider_json(mt_jw *w, ht_request *r)
{
    mt_str domain = ex_executor_domain(r->server->options.executor);
    if (domain.len && r->server->options.public_url.len) {
        mt_jw_keyz(w, "provider");
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "organization", domain);
        mt_jw_key_str(w, "url", origin_of(r));
        mt_jw_end_object(w);
    }
}

static void requirement_json(mt_jw *w, const char *scheme)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "schemes");
    mt_jw_begin_object(w);
    mt_jw_key(w, mt_str_z(scheme));
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "list");
    mt_jw_begin_array(w);
    mt_jw_end_array(w);
    mt_jw_end_object(w);
    mt_jw_end_object(w);
    mt_jw_end_object(w);
}

/* Each is enough by itself, but where a certificate is demanded of everybody. */
static void requirements_json(mt_jw *w, bool bearer, bool certificate)
{
    mt_jw_keyz(w, "securityRequirements");
    mt_jw_begin_array(w);
    if (bearer) {
        requirement_json(w, "bearer");
    }
    if (certificate) {
        requirement_json(w, "certificate");
    }
    mt_jw_end_array(w);
}

static void bearer_json(mt_jw *w, const ht_options *o)
{
    mt_jw_keyz(w, "bearer");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "httpAuthSecurityScheme");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "description",
                  o->oidc ? MT_STR("a token of this server, or a JWT of an identity "
                                   "provider it trusts")
                          : MT_STR("a token of this server"));
    mt_jw_key_str(w, "scheme", MT_STR("Bearer"));
    mt_jw_end_object(w);
    mt_jw_end_object(w);
}

static void certificate_json(mt_jw *w)
{
    mt_jw_keyz(w, "certificate");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "mtlsSecurityScheme");
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "description", MT_STR("a client certificate it trusts"));
    mt_jw_end_object(w);
    mt_jw_end_object(w);
}

/* As the server really asks for them; one without tokens asks for nothing. */
static void security_json(mt_jw *w, const ht_server *s)
{
    const ht_options *o = &s->options;
    bool closed = !ht_tokens_open_to_all(s->tokens);
    bool demanded = o->certificates && au_certificates_required(o->certificates);
    requirements_json(w, closed && !demanded, o->certificates != NULL);
    mt_jw_keyz(w, "securitySchemes");
    mt_jw_begin_object(w);
    if (closed && !demanded) {
        bearer_json(w, o);
    }
    if (o->certificates) {
        certificate_json(w);
    }
    mt_jw_end_object(w);
}

enum MHD_Result ht_answer_card(ht_request *r)
{
    ht_server *s = r->server;
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    capabilities_json(&w, r);
    mt_jw_keyz(&w, "defaultInputModes");
    one_word(&w, "application/json");
    mt_jw_keyz(&w, "defaultOutputModes");
    one_word(&w, "application/json");
    mt_jw_key_str(&w, "description",
                  MT_STR("Operations and flows under contract: who may do them, when, "
                         "and what they change is decided by the contracts served "
                         "here, and recorded."));
    mt_jw_key_str(&w, "documentationUrl", address(r, "/openapi.json"));
    mt_jw_key_str(&w, "name", MT_STR("Motet"));
    provider_json(&w, r);
    security_json(&w, s);
    mt_jw_keyz(&w, "skills");
    mt_jw_begin_array(&w);
    ex_executor_skills(s->options.executor, r->pass.caller, &w);
    mt_jw_end_array(&w);
    mt_jw_keyz(&w, "supportedInterfaces");
    mt_jw_begin_array(&w);
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "version", s->options.version);
    mt_jw_end_object(&w);
    return ht_answer_text(r, MHD_HTTP_OK, "application/json", &body);
}
