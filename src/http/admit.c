/* http/admit.c - who is it? Bearer tokens of ours, tokens of a provider, cookies,
 * certificates: each becomes an identity here, and nowhere else.
 * Room: http.
 * ORDER: what a request says about itself comes before what its connection says: a
 * bearer token, then a cookie, then the certificate. A credential that is shown and is
 * not good refuses the request; it never falls back to the next.
 *
 * A token of a provider is checked once and then believed until it ends. If its key is
 * not known the provider is asked, on another thread, while the connection sleeps; then
 * it is judged again, and for good. */
#include <strings.h>
#include <time.h>

#include "auth/jwt.h"
#include "http/server_state.h"

#define COOKIE MT_STR("__Host-motet")

static int64_t wall_ms(void)
{
    return (int64_t)(os_clock_ns(CLOCK_REALTIME) / 1000000u);
}

static void log_refusal(const ht_request *r, const char *why)
{
    ht_log_text(r->server->options.log, HT_INFO, "credential_refused", "reason",
                mt_str_z(why));
}

static ht_verdict let_in(ht_request *r, ht_identity *who)
{
    r->pass = (ht_pass){.caller = ht_identity_caller(who), .identity = who};
    return HT_LET_IN;
}

/* ---- Tokens of a provider ---- */

static mt_str bearer_of(const ht_request *r)
{
    static const mt_str BEARER = MT_STR_INIT("Bearer ");
    mt_str all = r->head.authorization;
    return all.ptr && all.len > BEARER.len &&
                   strncasecmp(all.ptr, BEARER.ptr, BEARER.len) == 0
               ? mt_str_skip(all, BEARER.len)
               : (mt_str){0};
}

static ht_verdict check_jwt(ht_request *r, mt_str token)
{
    ht_server *s = r->server;
    au_identity who;
    const char *why;
    int64_t now = wall_ms();
    ht_identity *known = ht_believed_find(s->believed, token, now);
    if (known) {
        return let_in(r, known);
    }
    switch (au_oidc_check(s->options.oidc, token, now, &r->arena, &who, &why)) {
    case AU_GOOD: break;
    case AU_ASK_FOR_KEYS: return HT_ASK_PROVIDER;
    case AU_BAD: log_refusal(r, why); return HT_BAD_TOKEN;
    }
    ht_identity *made = ht_identity_new(&who, EX_BY_OIDC);
    ht_believed_add(s->believed, token, made);
    return let_in(r, made);
}

/* On the thread that asks providers. */
static void ask_for_keys(ht_request *r)
{
    mt_buf why = {0};
    au_oidc_ask(r->server->options.oidc, bearer_of(r), &why);
    if (why.len) {
        ht_log_text(r->server->options.log, HT_WARN, "provider_failed", "reason",
                    mt_buf_str(&why));
    }
    mt_buf_free(&why);
    ht_request_go_on_later(r, HT_ADMITTING);
}

bool ht_admit_later(ht_request *r)
{
    return ht_request_sleep(r, ask_for_keys);
}

/* ---- Cookies ---- */

static bool only_reads(const ht_request *r)
{
    return mt_str_is(r->method, "GET") || mt_str_is(r->method, "HEAD");
}

/* A browser sends the cookie whoever made the page. So what writes shows besides what
 * only our own page could read, and comes from no other page. */
static bool is_forged(const ht_request *r, const ht_text *csrf)
{
    return !only_reads(r) &&
           (!ht_text_is(csrf, r->head.csrf) || !ht_head_is_own_origin(&r->head));
}

static ht_verdict check_cookie(ht_request *r, mt_str cookie)
{
    ht_identity *who = ht_session_find(r->server->sessions, cookie, &r->csrf);
    if (!who || !ht_identity_lives(who, wall_ms())) {
        ht_identity_drop(who);
        return HT_NO_TOKEN; /* a browser keeps old cookies; it is to log in again */
    }
    r->by_cookie = true;
    if (is_forged(r, &r->csrf)) {
        ht_identity_drop(who);
        return HT_FORGED;
    }
    return let_in(r, who);
}

/* ---- Certificates ---- */

static void *session_of(const ht_request *r)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info ? info->tls_session : NULL;
}

/* Once for a connection; its certificate does not change. */
static au_shown look_at_certificate(ht_request *r)
{
    au_identity who;
    const char *why = NULL;
    ht_peer *peer = r->peer;
    void *session = session_of(r);
    if (!session || !peer) {
        return AU_NONE_SHOWN;
    }
    if (!peer->certificate_seen) {
        peer->certificate_seen = true;
        peer->shown = (int)au_certificate_check(r->server->options.certificates,
                                                session, &r->arena, &who, &why);
        if (peer->shown == AU_TRUSTED) {
            peer->certificate = ht_identity_new(&who, EX_BY_CERTIFICATE);
        } else if (peer->shown == AU_NOT_TRUSTED) {
            log_refusal(r, why);
        }
    }
    return (au_shown)peer->shown;
}

static ht_verdict check_certificate(ht_request *r)
{
    ht_identity *who = r->peer->certificate;
    return ht_identity_lives(who, wall_ms()) ? let_in(r, ht_identity_hold(who))
                                             : HT_BAD_CERTIFICATE;
}

/* ---- All of them ---- */

/* A certificate that is not trusted refuses the request, whatever else it shows. */
static bool refuses_connection(ht_request *r, au_shown *shown)
{
    const au_certificates *c = r->server->options.certificates;
    *shown = c ? look_at_certificate(r) : AU_NONE_SHOWN;
    return *shown == AU_NOT_TRUSTED ||
           (c && au_certificates_required(c) && *shown != AU_TRUSTED);
}

ht_verdict ht_admit(ht_request *r)
{
    ht_server *s = r->server;
    au_shown shown;
    if (refuses_connection(r, &shown)) {
        return HT_BAD_CERTIFICATE;
    }
    mt_str bearer = bearer_of(r);
    if (s->options.oidc && bearer.len && au_jwt_seems(bearer)) {
        return check_jwt(r, bearer);
    }
    mt_str cookie = r->head.authorization.ptr || !s->options.oidc
                        ? (mt_str){0}
                        : ht_head_cookie(&r->head, COOKIE);
    if (cookie.len) {
        return check_cookie(r, cookie);
    }
    if (!r->head.authorization.ptr && shown == AU_TRUSTED) {
        return check_certificate(r);
    }
    return ht_tokens_check(s->tokens, r->head.authorization, &r->pass);
}
