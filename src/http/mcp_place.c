/* http/mcp_place.c - the address of a persona's tools, and of what is said about it.
 * Room: http. */
#include "base/percent.h"
#include "http/server_state.h"

/* A name or an address with its port, and nothing that ends a quotation. */
static bool is_plain_host(mt_str host)
{
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || strchr("-.:[]", c);
        if (!c || !plain) {
            return false;
        }
    }
    return host.len > 0;
}

/* As browsers and clients call this server: what the configuration says of it, or what
 * the request says. */
static void add_origin(mt_buf *out, const ht_request *r)
{
    const ht_options *o = &r->server->options;
    mt_str provider = au_login_provider(o->oidc, MT_STR(""));
    if (provider.ptr) {
        mt_buf_adds(out, au_login_origin(o->oidc, provider));
    } else {
        mt_buf_addf(
            out, "%s://%.*s", o->tls_cert.len ? "https" : "http",
            MT_ARG(is_plain_host(r->head.host) ? r->head.host : MT_STR("localhost")));
    }
}

void ht_mcp_place(mt_buf *out, const ht_request *r, const char *before)
{
    add_origin(out, r);
    mt_buf_addf(out, "%s/mcp/", before);
    mt_percent_segment(out, r->match.contract);
    mt_buf_addc(out, '/');
    mt_percent_segment(out, r->match.name);
}

mt_str ht_mcp_challenge(ht_request *r)
{
    mt_buf b = {0};
    if (!r->server->options.oidc || !r->match.route || r->match.route->page != HT_MCP) {
        return (mt_str){0};
    }
    mt_buf_addz(&b, ", resource_metadata=\"");
    ht_mcp_place(&b, r, "/.well-known/oauth-protected-resource");
    mt_buf_addc(&b, '"');
    mt_str text = mt_str_dup(&r->arena, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}
