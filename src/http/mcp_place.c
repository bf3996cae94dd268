/* http/mcp_place.c - the address of a persona's tools, and of what is said about it.
 * Room: http. */
#include "base/percent.h"
#include "http/server_state.h"

void ht_mcp_place(mt_buf *out, const ht_request *r, const char *before)
{
    ht_origin_write(out, r);
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
