/* http/origin.c - where clients reach this server, for what it says of itself.
 * Room: http. What the setting `public_url` says, or where browsers come back to after
 * a login, or what the request called us. */
#include "http/server_state.h"

/* A name or an address with its port, and nothing that ends a quotation. */
static bool is_plain_host(mt_str host)
{
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || (c && strchr("-.:[]", c));
        if (!plain) {
            return false;
        }
    }
    return host.len > 0;
}

void ht_origin_write(mt_buf *out, const ht_request *r)
{
    const ht_options *o = &r->server->options;
    mt_str provider = o->oidc ? au_login_provider(o->oidc, MT_STR("")) : (mt_str){0};
    mt_str host =
        is_plain_host(r->head.host) ? r->head.host : mt_str_z(r->server->address);
    if (o->public_url.len) {
        mt_buf_adds(out, mt_str_trim(o->public_url, MT_STR("/")));
    } else if (provider.ptr) {
        mt_buf_adds(out, au_login_origin(o->oidc, provider));
    } else {
        mt_buf_addf(out, "%s://%.*s", o->tls_cert.len ? "https" : "http", MT_ARG(host));
    }
}
