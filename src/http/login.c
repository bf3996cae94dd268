/* http/login.c - people log in with a browser: the code flow of OpenID Connect.
 * Room: http.
 *
 *     GET /login      remembers a login, sends the browser to the provider
 *     GET /callback   the browser is back with a code: exchanged for who it is
 *     GET /session    who am I, and what writes have to show
 *     POST /logout    ends the session
 *
 * A login is known by its state, is good once and for ten minutes, and belongs to the
 * browser that began it (a cookie of its own), so nobody can be logged in as another.
 * The code is useless without the verifier, which stays here (PKCE); the token that
 * comes for it must name the login's nonce. The cookie of a session has nothing in it.
 * What asks the provider runs on the thread for that. */
#include <stdio.h>
#include <time.h>

#include "base/json_write.h"
#include "http/server_state.h"

#define LOGIN_COOKIE   "__Host-motet-login"
#define SESSION_COOKIE "__Host-motet"
#define KEPT_IN        "; Path=/; Secure; HttpOnly; SameSite=Lax"

static void set_cookie(ht_request *r, const char *name, const char *value,
                       unsigned seconds)
{
    if (r->cookie_count < sizeof r->cookies / sizeof *r->cookies) {
        r->cookies[r->cookie_count++] =
            mt_strf(&r->arena, "%s=%s; Max-Age=%u" KEPT_IN, name, value, seconds);
    }
}

/* ---- Answers of errands ---- */

static void answer_problem(ht_request *r, int status, const char *code,
                           const char *detail)
{
    ex_reply reply = {.status = status, .problem = true};
    ht_problem_write(&reply.body, status, code, mt_str_z(detail), r->id);
    ht_request_done(r, &reply);
}

static void answer_redirect(ht_request *r, mt_str to)
{
    ex_reply reply = {.status = MHD_HTTP_SEE_OTHER};
    r->redirect = to;
    mt_buf_addz(&reply.body, "{}");
    ht_request_done(r, &reply);
}

static void log_failure(const ht_request *r, mt_buf *why)
{
    ht_log_text(r->server->options.log, HT_WARN, "login_failed", "reason",
                mt_buf_str(why));
    mt_buf_free(why);
}

/* ---- /login ---- */

/* A path of this server and nothing else: "//other" and "/\other" lead away. */
static mt_str path_back(const ht_request *r)
{
    mt_str back = ht_target_param(&r->target, MT_STR("return"));
    bool good = back.len && back.ptr[0] == '/' && back.len < HT_RETURN_MOST;
    for (size_t i = 0; i < back.len && good; i++) {
        unsigned char c = (unsigned char)back.ptr[i];
        good = c > ' ' && c < 0x7f && c != '\\' && !(i == 1 && c == '/');
    }
    return good ? back : MT_STR("/");
}

static void begin(ht_request *r)
{
    ht_server *s = r->server;
    mt_buf url = {0}, why = {0};
    ht_login l;
    mt_str provider = au_login_provider(
        s->options.oidc, ht_target_param(&r->target, MT_STR("provider")));
    if (!provider.ptr || !ht_login_begin(s->sessions, provider, path_back(r), &l)) {
        answer_problem(r, MHD_HTTP_NOT_FOUND, "not_found",
                       "no such provider lets people log in");
        return;
    }
    au_login to = {.provider = provider,
                   .state = mt_str_z(l.state.text),
                   .nonce = mt_str_z(l.nonce.text),
                   .verifier = mt_str_z(l.verifier.text)};
    if (au_login_begin(s->options.oidc, &to, &url, &why)) {
        log_failure(r, &why);
        answer_problem(r, MHD_HTTP_BAD_GATEWAY, "provider_failed",
                       "the provider cannot be asked");
    } else {
        set_cookie(r, LOGIN_COOKIE, l.cookie.text, HT_LOGIN_SECONDS);
        answer_redirect(r, mt_str_dup(&r->arena, mt_buf_str(&url)));
        mt_buf_free(&why);
    }
    mt_buf_free(&url);
}

/* ---- /callback ---- */

static void log_in(ht_request *r, au_identity *who, const ht_login *l)
{
    ht_text cookie;
    int64_t now = (int64_t)(os_clock_ns(CLOCK_REALTIME) / 1000000u);
    /* The session's end instead of the token's: ht_identity_lives() asks for it, of
     * each request and of streams that are open. */
    who->until_ms = now + (int64_t)HT_SESSION_SECONDS * 1000;
    ht_identity *made = ht_identity_new(who, EX_BY_OIDC);
    ht_session_begin(r->server->sessions, made, &cookie);
    ht_identity_drop(made);
    set_cookie(r, LOGIN_COOKIE, "", 0);
    set_cookie(r, SESSION_COOKIE, cookie.text, HT_SESSION_SECONDS);
    answer_redirect(r, mt_str_dup(&r->arena, mt_str_z(l->back)));
}

static void finish(ht_request *r)
{
    ht_server *s = r->server;
    mt_buf why = {0};
    ht_login l;
    au_identity who;
    mt_str code = ht_target_param(&r->target, MT_STR("code"));
    mt_str state = ht_target_param(&r->target, MT_STR("state"));
    mt_str cookie = ht_head_cookie(&r->head, mt_str_z(LOGIN_COOKIE));
    if (!code.len || !state.len || !ht_login_take(s->sessions, state, cookie, &l)) {
        answer_problem(
            r, MHD_HTTP_BAD_REQUEST, "login_unknown",
            "no login of this browser waits for that; begin again at /login");
        return;
    }
    au_login to = {.provider = mt_str_z(l.provider),
                   .state = mt_str_z(l.state.text),
                   .nonce = mt_str_z(l.nonce.text),
                   .verifier = mt_str_z(l.verifier.text)};
    int64_t now = (int64_t)(os_clock_ns(CLOCK_REALTIME) / 1000000u);
    if (au_login_end(s->options.oidc, &to, code, now, &r->arena, &who, &why)) {
        log_failure(r, &why);
        answer_problem(r, MHD_HTTP_BAD_GATEWAY, "login_failed",
                       "the provider did not confirm the login");
        return;
    }
    mt_buf_free(&why);
    log_in(r, &who, &l);
}

/* ---- The routes ---- */

static enum MHD_Result answer_errand(ht_request *r, void (*errand)(ht_request *r))
{
    if (!r->server->options.oidc) {
        return ht_answer_problem(r, MHD_HTTP_NOT_FOUND, "not_found",
                                 "nobody logs in here: no provider is configured");
    }
    return ht_request_sleep(r, errand)
               ? MHD_YES
               : ht_answer_problem(r, MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
                                   "too many logins are waiting");
}

static void write_texts(mt_jw *w, const char *key, const mt_str *list, size_t count)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        mt_jw_str(w, list[i]);
    }
    mt_jw_end_array(w);
}

/* Only a page of this server can read the answer, so what is in it proves that a
 * request comes from such a page. */
static enum MHD_Result answer_session(ht_request *r)
{
    static const char *const ACTORS[] = {[EX_ACTOR_UNKNOWN] = "unknown",
                                         [EX_ACTOR_HUMAN] = "human",
                                         [EX_ACTOR_MACHINE] = "machine"};
    MT_TABLE_COVERS(ACTORS, EX_ACTOR_MACHINE + 1);
    const ex_caller *who = r->pass.caller;
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "actor", mt_str_z(ACTORS[who->actor]));
    if (r->by_cookie) {
        mt_jw_key_str(&w, "csrf", mt_str_z(r->csrf.text));
    }
    mt_jw_key_str(&w, "id", who->id.len ? who->id : MT_STR("anonymous"));
    mt_jw_key_str(&w, "known_by", mt_str_z(ex_known_by_name(who->by)));
    mt_jw_key_str(&w, "name", who->name);
    write_texts(&w, "personas", who->personas, who->persona_count);
    write_texts(&w, "rights", who->rights, who->right_count);
    mt_jw_end_object(&w);
    return ht_answer_text(r, MHD_HTTP_OK, "application/json", &out);
}

static enum MHD_Result answer_logout(ht_request *r)
{
    mt_buf out = {0};
    if (r->by_cookie) {
        ht_session_end(r->server->sessions,
                       ht_head_cookie(&r->head, mt_str_z(SESSION_COOKIE)));
        set_cookie(r, SESSION_COOKIE, "", 0);
    }
    mt_buf_addz(&out, "{}");
    return ht_answer_text(r, MHD_HTTP_OK, "application/json", &out);
}

enum MHD_Result ht_login_answer(ht_request *r)
{
    switch ((int)r->match.route->page) {
    case HT_LOGIN: return answer_errand(r, begin);
    case HT_CALLBACK: return answer_errand(r, finish);
    case HT_LOGOUT: return answer_logout(r);
    default: return answer_session(r);
    }
}
