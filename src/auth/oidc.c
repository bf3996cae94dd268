/* auth/oidc.c - see oidc.h. Room: auth.
 *
 * Order of a check: the token is read; its issuer chooses the provider; the provider's
 * algorithms, keys, audience and leeway judge it; rules make grants of its claims.
 * INVARIANT: nothing of the claims but `iss` is used before the signature is good.
 *
 * Keys are kept as one set that is replaced whole. An unknown key makes the provider be
 * asked again, at most every ASK_AGAIN_MS, so strangers cannot make us ask often; sets
 * older than KEYS_OLD_MS are asked for anew, so that a key that was taken back is gone
 * soon. If the provider cannot be asked the old keys stay.
 *
 * What may fail: the network (MT_E_IO, MT_E_DENIED), what the provider says
 * (MT_E_SYNTAX), what the token says (MT_E_REJECTED); one sentence each, no secret.
 *
 * Threads: settings never change after reading. Keys and the issuer's document
 * are under the provider's lock, which is held for a look-up or an exchange of
 * pointers, never while asking. Only au_oidc_tend(), au_oidc_ask() and the logins
 * ask, on threads that may wait; au_oidc_check() never does and answers
 * AU_ASK_FOR_KEYS in place of it. */
#include "auth/oidc.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "auth/fetch.h"
#include "auth/jwt.h"
#include "base/hash.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/secret.h"

#include <sodium.h>

/* PROVIDERS_MOST: a token is matched against all of them. NAME_MOST and SUBJECT_MOST
 * go into every record of the ledger; 255 is what OpenID Connect allows a subject. */
enum {
    ASK_AGAIN_MS = 10000,
    KEYS_OLD_MS = 300000,
    PROVIDERS_MOST = 16,
    NAME_MOST = 128,
    SUBJECT_MOST = 255,
    CA_MOST = 16 << 20
};

typedef struct login_settings {
    mt_str client_id, redirect_uri, scope;
    const mt_json *client_secret;
} login_settings;

typedef struct settings {
    mt_str name;
    mt_str issuer, jwks, ca_file;
    const mt_json *audience; /* text or a list */
    const mt_json *algorithms;
    int64_t leeway_seconds;
    int actor;
    au_rules rules;
    login_settings login;
} settings;

typedef struct provider {
    settings s;
    mt_str secret; /* of the client; empty: a public one */
    bool allowed[AU_ALG_COUNT];
    ad_gate gate;
    pthread_rwlock_t lock;             /* of what follows */
    au_keys *keys;                     /* NULL: not known yet */
    mt_str jwks_uri, authorize, token; /* of the issuer's document */
    mt_arena document;
    atomic_llong asked_ms; /* monotonic; 0: never */
    atomic_bool asking;
    const atomic_bool *ending; /* of all of them */
} provider;

struct au_oidc {
    mt_arena arena;
    atomic_bool ending;
    provider items[PROVIDERS_MOST];
    size_t count;
};

/* ---- The configuration ---- */

static const char *const ACTORS[] = {"human", "machine", "either", NULL};
enum { HUMAN, MACHINE, EITHER };

static const mt_form_row LOGIN[] = {
    MT_FORM_TEXT(login_settings, client_id, "client_id", MT_FORM_REQUIRED),
    MT_FORM_OBJECT(login_settings, client_secret, "client_secret", 0),
    MT_FORM_TEXT(login_settings, redirect_uri, "redirect_uri", MT_FORM_REQUIRED),
    MT_FORM_TEXT(login_settings, scope, "scope", 0),
};
static const mt_form_table LOGIN_TABLE =
    MT_FORM_TABLE("`login`", LOGIN, login_settings, NULL);

static const mt_form_row PROVIDER[] = {
    MT_FORM_LABEL(settings, name),
    MT_FORM_TEXT(settings, issuer, "issuer", MT_FORM_REQUIRED),
    MT_FORM_ANY(settings, audience, "audience", MT_FORM_REQUIRED),
    MT_FORM_TEXT(settings, jwks, "jwks", 0),
    MT_FORM_TEXT(settings, ca_file, "ca_file", 0),
    MT_FORM_TEXTS(settings, algorithms, "algorithms", 1, AU_ALG_COUNT, 0),
    MT_FORM_INT(settings, leeway_seconds, "leeway_seconds", 0, 300, 0),
    MT_FORM_CHOICE(settings, actor, "actor", ACTORS, 0),
    MT_FORM_EACH(settings, rules.items, rules.count, "rules", &AU_RULE, AU_RULES_MOST,
                 MT_FORM_REQUIRED),
    MT_FORM_INSIDE(settings, login, "login", &LOGIN_TABLE, 0),
};

/* Where in the configuration we are; every fault is told with it. */
typedef struct reading {
    au_telling telling;
    au_oidc *o;
    mt_str path; /* "oidc.NAME" */
    size_t offset;
} reading;

void au_tell(au_telling *t, mt_str key, size_t offset, mt_str what)
{
    t->faults++;
    t->in->fault(t->in->state, key, offset, what);
}

void au_tell_form(void *telling, const mt_form_fault *fault)
{
    mt_buf text = {0};
    mt_form_write(&text, fault);
    au_tell(telling, fault->path, fault->offset, mt_buf_str(&text));
    mt_buf_free(&text);
}

static void tell(reading *r, const char *key, const char *what)
{
    mt_str path =
        mt_strf(&r->o->arena, "%.*s%s%s", MT_ARG(r->path), *key ? "." : "", key);
    au_tell(&r->telling, path, r->offset, mt_str_z(what));
}

static void tell_rule(void *state, size_t rule, const char *what)
{
    char key[32];
    snprintf(key, sizeof key, "rules.%zu", rule);
    tell(state, key, what);
}

static bool is_name_of_us(const mt_json *node)
{
    return mt_json_is(node, MT_JSON_STRING) && mt_json_text(node).len;
}

/* A token must be for us, so there has to be a name of us: without one every token of
 * the provider would do. */
static bool is_audience(const mt_json *node)
{
    bool good = mt_json_is(node, MT_JSON_ARRAY) ? node->count > 0 : is_name_of_us(node);
    for (uint32_t i = 0; mt_json_is(node, MT_JSON_ARRAY) && i < node->count; i++) {
        good &= is_name_of_us(&node->as.items[i]);
    }
    return good;
}

/* Without a list all that we know. */
static void read_algorithms(reading *r, provider *p)
{
    const mt_json *list = p->s.algorithms;
    for (int i = 0; !list && i < AU_ALG_COUNT; i++) {
        p->allowed[i] = true;
    }
    for (uint32_t i = 0; list && i < list->count; i++) {
        int k = 0;
        while (AU_ALG_NAMES[k] && !mt_str_eq(mt_json_text(&list->as.items[i]),
                                             mt_str_z(AU_ALG_NAMES[k]))) {
            k++;
        }
        /* HS256 and `none` are not among them: a secret that is shared with every
         * verifier would make each of them an issuer. */
        if (k == AU_ALG_COUNT) {
            tell(r, "algorithms", "RS256, ES256 and EdDSA are the ones there are");
        } else {
            p->allowed[k] = true;
        }
    }
}

static bool is_url(mt_str text)
{
    return mt_str_starts(text, MT_STR("https://")) ||
           mt_str_starts(text, MT_STR("http://"));
}

/* 127.0.0.1.example is a name of somebody's. */
static bool is_loopback(mt_str host)
{
    char text[INET_ADDRSTRLEN];
    struct in_addr at;
    snprintf(text, sizeof text, "%.*s", MT_ARG(host));
    bool v4 = host.len < sizeof text && inet_pton(AF_INET, text, &at) == 1;
    return (v4 && mt_str_starts(host, MT_STR("127."))) || mt_str_is(host, "::1") ||
           mt_str_is(host, "localhost");
}

/* Tokens and codes travel there: in the open only on this machine. */
static bool is_safe(reading *r, mt_str text, ad_url *url)
{
    return ad_url_read(&r->o->arena, text, url) && !url->has_user &&
           (mt_str_starts(url->origin, MT_STR("https://")) || is_loopback(url->host));
}

/* The origins that this section names are named by it; others by `outgoing`. */
static void read_gate(reading *r, provider *p)
{
    mt_buf why = {0};
    mt_arena *a = &r->o->arena;
    ad_url url;
    if (ad_gate_read(a, mt_json_at(r->telling.in->all, "outgoing"), &p->gate, &why)) {
        mt_buf_clear(&why); /* told where `outgoing` is read */
        p->gate = (ad_gate){0};
    }
    /* Room for issuer and jwks. */
    mt_str *all = mt_new_array(a, mt_str, p->gate.origin_count + 2);
    for (size_t i = 0; i < p->gate.origin_count; i++) {
        all[i] = p->gate.origins[i];
    }
    if (is_safe(r, p->s.issuer, &url)) {
        all[p->gate.origin_count++] = url.origin;
    } else {
        tell(r, "issuer", "it is an https:// address (http:// only on this machine)");
    }
    if (is_url(p->s.jwks)) {
        if (is_safe(r, p->s.jwks, &url)) {
            all[p->gate.origin_count++] = url.origin;
        } else {
            tell(r, "jwks", "it is a file or an https:// address");
        }
    }
    p->gate.origins = all;
    mt_buf_free(&why);
}

/* Relative to the configuration, as every path in it. */
static mt_str beside(reading *r, mt_str name)
{
    return name.len && name.ptr[0] != '/' && r->telling.in->directory.len
               ? mt_strf(&r->o->arena, "%.*s%.*s", MT_ARG(r->telling.in->directory),
                         MT_ARG(name))
               : mt_str_dup(&r->o->arena, name);
}

/* Never in the configuration itself: a variable, or a file that others cannot read. */
static void read_secret(reading *r, provider *p)
{
    const mt_json *node = p->s.login.client_secret;
    mt_str variable = mt_json_text(mt_json_at(node, "env"));
    mt_str file = mt_json_text(mt_json_at(node, "file"));
    const char *why = NULL;
    mt_arena *a = &r->o->arena;
    if (node && !variable.len == !file.len) {
        why = "it is {env: NAME} or {file: PATH}";
    } else if (node) {
        why = os_secret_read(a, variable.len ? mt_str_dup(a, variable).ptr : NULL,
                             file.len ? beside(r, file).ptr : NULL, &p->secret);
    }
    if (why) {
        tell(r, "login.client_secret", why);
    }
}

static void read_login(reading *r, provider *p)
{
    ad_url url;
    if (!p->s.login.client_id.len) {
        return;
    }
    mt_str back = p->s.login.redirect_uri;
    if (!is_safe(r, back, &url) || !mt_str_ends(back, MT_STR("/callback")) ||
        mt_str_find(back, '?') < back.len || mt_str_find(back, '#') < back.len) {
        tell(r, "login.redirect_uri",
             "it is the https:// address of this server that browsers use, with "
             "/callback");
    }
    if (!p->s.login.scope.len) {
        p->s.login.scope = MT_STR("openid");
    }
    read_secret(r, p);
}

/* It stands in identities, before a colon: two must not look alike. */
static bool is_name(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (!plain) {
            return false;
        }
    }
    return text.len && text.len <= 63;
}

/* A token's issuer chooses the provider: with two of one issuer the second would judge
 * no token, and one person would be two. */
static void check_issuer(reading *r, const provider *p)
{
    for (const provider *other = r->o->items; other < p; other++) {
        if (mt_str_eq(other->s.issuer, p->s.issuer)) {
            tell(r, "issuer", "another provider has the same");
        }
    }
}

/* Files are there when the server starts; what they say later is asked for later. */
static void check_files(reading *r, const provider *p)
{
    mt_arena a = {0};
    mt_str text;
    au_keys *keys = NULL;
    bool file = p->s.jwks.len && !is_url(p->s.jwks);
    if (file && os_read_ready(&a, p->s.jwks.ptr, AU_JWKS_MOST, &text)) {
        tell(r, "jwks", "the file cannot be read");
    } else if (file && au_keys_read(text, &keys)) {
        tell(r, "jwks", "the file has no set of keys");
    }
    if (p->s.ca_file.len && os_read_ready(&a, p->s.ca_file.ptr, CA_MOST, &text)) {
        tell(r, "ca_file", "the file cannot be read");
    }
    au_keys_free(keys);
    mt_arena_free(&a);
}

/* All that is wrong with it is told; nothing is fetched here but files. */
static void read_provider(reading *r, const mt_json_member *m)
{
    /* A minute is what clocks of two well-kept machines may differ by. */
    static const settings USUAL = {.leeway_seconds = 60, .actor = EITHER};
    provider *p = &r->o->items[r->o->count];
    size_t before = r->telling.faults;
    r->path = mt_strf(&r->o->arena, "oidc.%.*s", MT_ARG(m->key));
    r->offset = m->value.offset;
    mt_form form = {.arena = &r->o->arena,
                    .path = r->path,
                    .what = "a provider",
                    .report = au_tell_form,
                    .state = &r->telling};
    *p = (provider){.s = USUAL, .ending = &r->o->ending};
    pthread_rwlock_init(&p->lock, NULL);
    /* Counted before it is read: au_oidc_free() then also frees one that has faults. */
    r->o->count++;
    (void)mt_form_read(&form, &m->value, PROVIDER, mt_form_count(PROVIDER), &p->s);
    p->s.name = m->key;
    /* What follows would tell consequences of the same fault. */
    if (r->telling.faults != before) {
        return;
    }
    if (!is_name(p->s.name)) {
        tell(r, "", "the name of a provider has letters, digits, - and _, 63 at most");
    }
    if (!is_audience(p->s.audience)) {
        tell(r, "audience", "it is text or a list of texts, none of them empty");
    }
    check_issuer(r, p);
    read_algorithms(r, p);
    read_gate(r, p);
    read_login(r, p);
    p->s.ca_file = beside(r, p->s.ca_file);
    p->s.jwks =
        is_url(p->s.jwks) ? mt_str_dup(&r->o->arena, p->s.jwks) : beside(r, p->s.jwks);
    check_files(r, p);
    (void)au_rules_check(&p->s.rules, r->telling.in->persona_known,
                         r->telling.in->right_known, tell_rule, r);
}

size_t au_oidc_read(const au_settings *in, au_oidc **out)
{
    const mt_json *all = mt_json_at(in->all, "oidc");
    *out = NULL;
    if (!mt_json_is(all, MT_JSON_OBJECT) || !all->count) {
        return 0;
    }
    au_oidc *o = mt_xmalloc(sizeof *o);
    *o = (au_oidc){0};
    reading r = {
        .telling = {.in = in}, .o = o, .path = MT_STR("oidc"), .offset = all->offset};
    if (all->count > PROVIDERS_MOST) {
        tell(&r, "", "there are more than 16 providers");
    }
    for (uint32_t i = 0; !r.telling.faults && i < all->count; i++) {
        read_provider(&r, &all->as.members[i]);
    }
    if (r.telling.faults) {
        au_oidc_free(o);
        return r.telling.faults;
    }
    *out = o;
    return 0;
}

void au_oidc_hang_up(au_oidc *o)
{
    atomic_store(&o->ending, true);
}

void au_oidc_free(au_oidc *o)
{
    for (size_t i = 0; o && i < o->count; i++) {
        provider *p = &o->items[i];
        au_keys_free(p->keys);
        mt_arena_free(&p->document);
        pthread_rwlock_destroy(&p->lock);
    }
    if (o) {
        mt_arena_free(&o->arena);
        free(o);
    }
}

/* ---- Asking ---- */

static mt_err get(const provider *p, mt_str url, size_t most, mt_buf *out, mt_buf *why)
{
    au_ask ask = {
        .url = url, .ca_file = p->s.ca_file, .most = most, .ending = p->ending};
    return au_fetch(&p->gate, &ask, out, why);
}

/* The issuer's own document (OpenID Connect Discovery): it must say that it is this
 * issuer's, and what it names is asked only within the gate. */
static mt_err discover(provider *p, mt_buf *why)
{
    mt_arena a = {0};
    mt_buf body = {0};
    mt_json tree;
    mt_str base = mt_str_trim(p->s.issuer, MT_STR("/"));
    mt_err err =
        get(p, mt_strf(&a, "%.*s/.well-known/openid-configuration", MT_ARG(base)),
            AU_JWKS_MOST, &body, why);
    mt_json_limits limits = {AU_JWKS_MOST, 16};
    if (!err &&
        (mt_json_read(&a, mt_str_dup(&a, mt_buf_str(&body)), &limits, &tree, NULL) ||
         !mt_str_eq(mt_json_text(mt_json_at(&tree, "issuer")), p->s.issuer))) {
        mt_buf_addz(why, "the issuer's document is not the issuer's");
        err = MT_E_SYNTAX;
    }
    if (!err) {
        pthread_rwlock_wrlock(&p->lock);
        mt_arena_free(&p->document);
        p->jwks_uri = mt_json_text(mt_json_at(&tree, "jwks_uri"));
        p->authorize = mt_json_text(mt_json_at(&tree, "authorization_endpoint"));
        p->token = mt_json_text(mt_json_at(&tree, "token_endpoint"));
        p->document = a;
        a = (mt_arena){0};
        pthread_rwlock_unlock(&p->lock);
    }
    mt_buf_free(&body);
    mt_arena_free(&a);
    return err;
}

/* What the document says, as it is now. */
static mt_str document_text(provider *p, mt_arena *a, const mt_str *of)
{
    pthread_rwlock_rdlock(&p->lock);
    mt_str text = mt_str_dup(a, *of);
    pthread_rwlock_unlock(&p->lock);
    return text;
}

static mt_err read_keys(provider *p, mt_arena *a, mt_buf *out, mt_buf *why)
{
    mt_str url = p->s.jwks;
    if (url.len && !is_url(url)) {
        mt_str text;
        mt_err err = os_read_ready(a, url.ptr, AU_JWKS_MOST, &text);
        if (err) {
            mt_buf_addf(why, "%.*s: %s", MT_ARG(url), mt_err_text(err));
            return err;
        }
        mt_buf_adds(out, text);
        return MT_OK;
    }
    mt_err err = url.len ? MT_OK : discover(p, why);
    if (!err && !url.len) {
        url = document_text(p, a, &p->jwks_uri);
    }
    return err ? err : get(p, url, AU_JWKS_MOST, out, why);
}

static mt_err ask_for_keys(provider *p, mt_buf *why)
{
    mt_arena a = {0};
    mt_buf body = {0};
    au_keys *keys = NULL;
    atomic_store(&p->asking, true);
    mt_err err = read_keys(p, &a, &body, why);
    if (!err && au_keys_read(mt_buf_str(&body), &keys)) {
        mt_buf_addf(why, "provider %.*s: that is not a set of keys", MT_ARG(p->s.name));
        err = MT_E_SYNTAX;
    }
    if (!err) {
        pthread_rwlock_wrlock(&p->lock);
        au_keys *old = p->keys;
        p->keys = keys;
        pthread_rwlock_unlock(&p->lock);
        au_keys_free(old);
    }
    /* Also after a failure: a provider that is down is not asked by every request. */
    atomic_store(&p->asked_ms, os_now_ms());
    atomic_store(&p->asking, false);
    mt_buf_free(&body);
    mt_arena_free(&a);
    return err;
}

static bool may_ask(const provider *p)
{
    long long asked = atomic_load(&p->asked_ms);
    return !asked || os_now_ms() - asked >= ASK_AGAIN_MS;
}

void au_oidc_tend(au_oidc *o, mt_buf *why)
{
    for (size_t i = 0; i < o->count; i++) {
        long long asked = atomic_load(&o->items[i].asked_ms);
        if (!asked || os_now_ms() - asked >= KEYS_OLD_MS) {
            (void)ask_for_keys(&o->items[i], why);
        }
    }
}

void au_oidc_look(au_oidc *o, void (*each)(void *state, const au_looked *l),
                  void *state)
{
    for (size_t i = 0; i < o->count; i++) {
        provider *p = &o->items[i];
        mt_buf why = {0};
        au_looked l = {.provider = p->s.name,
                       .file = p->s.jwks.len && !is_url(p->s.jwks)};
        l.err = ask_for_keys(p, &why);
        l.keys = l.err ? 0 : au_keys_count(p->keys);
        l.why = mt_buf_str(&why);
        each(state, &l);
        mt_buf_free(&why);
    }
}

/* ---- Judging ---- */

static provider *provider_of(au_oidc *o, const au_jwt *t)
{
    mt_str issuer = mt_json_text(mt_json_at(&t->claims, "iss"));
    for (size_t i = 0; i < o->count; i++) {
        if (issuer.len && mt_str_eq(o->items[i].s.issuer, issuer)) {
            return &o->items[i];
        }
    }
    return NULL;
}

static bool is_in(const mt_json *list, mt_str text)
{
    if (mt_json_is(list, MT_JSON_STRING)) {
        return mt_str_eq(mt_json_text(list), text);
    }
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        const mt_json *item = &list->as.items[i];
        if (mt_json_is(item, MT_JSON_STRING) && mt_str_eq(mt_json_text(item), text)) {
            return true;
        }
    }
    return false;
}

static bool is_for_us(const mt_json *aud, const mt_json *wanted)
{
    if (mt_json_is(wanted, MT_JSON_STRING)) {
        return is_in(aud, mt_json_text(wanted));
    }
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (is_in(aud, mt_json_text(&wanted->as.items[i]))) {
            return true;
        }
    }
    return false;
}

/* Seconds since 1970 (NumericDate); fractions are cut off. */
static bool read_date(const mt_json *node, int64_t *out)
{
    if (!mt_json_is(node, MT_JSON_NUMBER)) {
        return false;
    }
    mt_str text = mt_json_text(node);
    size_t dot = mt_str_find(text, '.');
    int64_t value = 0;
    for (size_t i = 0; i < dot; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || i > 11) {
            return false; /* negative, with an exponent, or beyond all dates */
        }
        value = value * 10 + (text.ptr[i] - '0');
    }
    *out = value;
    return dot > 0;
}

static const char *judge_time(const provider *p, const mt_json *claims, int64_t now_ms,
                              int64_t *until_ms)
{
    int64_t exp, nbf, now = now_ms / 1000, leeway = p->s.leeway_seconds;
    const mt_json *not_before = mt_json_at(claims, "nbf");
    if (!read_date(mt_json_at(claims, "exp"), &exp)) {
        return "it has no end (exp)";
    }
    if (now >= exp + leeway) {
        return "it has expired";
    }
    if (not_before && (!read_date(not_before, &nbf) || now + leeway < nbf)) {
        return "it is not good yet (nbf)";
    }
    *until_ms = (exp + leeway) * 1000;
    return NULL;
}

static bool is_printable(mt_str text, size_t most)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return text.len && text.len <= most;
}

static mt_str name_of(mt_arena *a, const mt_json *claims)
{
    static const char *const KEYS[] = {"name", "preferred_username", "email",
                                       "client_id"};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        const mt_json *value = mt_json_get(claims, mt_str_z(KEYS[i]));
        if (mt_json_is(value, MT_JSON_STRING) &&
            is_printable(mt_json_text(value), NAME_MOST)) {
            return mt_str_dup(a, mt_json_text(value));
        }
    }
    return (mt_str){0};
}

/* A token whose subject is the client itself was given to a program. */
static bool is_human(const provider *p, const mt_json *claims, mt_str subject)
{
    if (p->s.actor != EITHER) {
        return p->s.actor == HUMAN;
    }
    return !is_in(mt_json_at(claims, "client_id"), subject) &&
           !is_in(mt_json_at(claims, "azp"), subject);
}

static const char *judge_claims(provider *p, const au_jwt *t, const mt_json *audience,
                                int64_t now_ms, mt_arena *a, au_identity *out)
{
    const mt_json *claims = &t->claims, *sub = mt_json_at(claims, "sub");
    mt_str subject = mt_json_text(sub);
    const char *why = judge_time(p, claims, now_ms, &out->until_ms);
    if (why) {
        return why;
    }
    if (!is_for_us(mt_json_at(claims, "aud"), audience)) {
        return "it is for another audience";
    }
    if (!mt_json_is(sub, MT_JSON_STRING) || !is_printable(subject, SUBJECT_MOST)) {
        return "it has no subject that can be used";
    }
    out->id = mt_strf(a, "oidc:%.*s:%.*s", MT_ARG(p->s.name), MT_ARG(subject));
    out->name = name_of(a, claims);
    out->human = is_human(p, claims, subject);
    au_rules_apply(&p->s.rules, claims, a, &out->grants);
    return NULL;
}

static au_signed verify(provider *p, const au_jwt *t)
{
    pthread_rwlock_rdlock(&p->lock);
    au_signed found = au_keys_verify(p->keys, t);
    pthread_rwlock_unlock(&p->lock);
    return found;
}

au_verdict au_oidc_check(au_oidc *o, mt_str token, int64_t now_ms, mt_arena *a,
                         au_identity *out, const char **why)
{
    au_jwt t;
    *out = (au_identity){0};
    *why = au_jwt_read(a, token, &t);
    if (*why) {
        return AU_BAD;
    }
    provider *p = provider_of(o, &t);
    if (!p || !p->allowed[t.alg]) {
        *why = p ? "its algorithm is not allowed" : "its issuer is not known";
        return AU_BAD;
    }
    switch (verify(p, &t)) {
    case AU_KEY_UNKNOWN:
        *why = "its key is not known";
        /* While another request asks, this one waits with it and is judged again. */
        return may_ask(p) || atomic_load(&p->asking) ? AU_ASK_FOR_KEYS : AU_BAD;
    case AU_FORGED: *why = "its signature is wrong"; return AU_BAD;
    case AU_SIGNED: break;
    }
    *why = judge_claims(p, &t, p->s.audience, now_ms, a, out);
    return *why ? AU_BAD : AU_GOOD;
}

void au_oidc_ask(au_oidc *o, mt_str token, mt_buf *why)
{
    mt_arena a = {0};
    au_jwt t;
    provider *p = au_jwt_read(&a, token, &t) ? NULL : provider_of(o, &t);
    if (p && may_ask(p)) {
        (void)ask_for_keys(p, why);
    }
    mt_arena_free(&a);
}

/* ---- Logging in ---- */

static provider *named(const au_oidc *o, mt_str name)
{
    for (size_t i = 0; i < o->count; i++) {
        const provider *p = &o->items[i];
        if (p->s.login.client_id.len && (!name.len || mt_str_eq(p->s.name, name))) {
            return (provider *)(uintptr_t)p;
        }
    }
    return NULL;
}

size_t au_oidc_issuers(const au_oidc *o, mt_arena *a, const mt_str **out)
{
    size_t count = o ? o->count : 0;
    mt_str *issuers = mt_new_array(a, mt_str, count);
    for (size_t i = 0; i < count; i++) {
        issuers[i] = o->items[i].s.issuer;
    }
    *out = issuers;
    return count;
}

mt_str au_login_provider(const au_oidc *o, mt_str name)
{
    const provider *p = named(o, name);
    return p ? p->s.name : (mt_str){0};
}

mt_str au_login_origin(const au_oidc *o, mt_str name)
{
    const provider *p = named(o, name);
    mt_str all = p ? p->s.login.redirect_uri : MT_STR("/callback");
    return mt_str_from(all.ptr, all.len - strlen("/callback"));
}

/* As a form or a query has it: all but letters, digits and -._~ is escaped. */
static void add_escaped(mt_buf *out, mt_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
                     c == '~';
        if (plain) {
            mt_buf_addc(out, (char)c);
        } else {
            mt_buf_addf(out, "%%%02X", c);
        }
    }
}

static void add_field(mt_buf *out, const char *key, mt_str value)
{
    char last = out->len ? out->ptr[out->len - 1] : '?';
    mt_buf_addf(out, "%s%s=", last == '?' || last == '&' ? "" : "&", key);
    add_escaped(out, value);
}

/* Of basic authentication, where both are escaped (RFC 6749, 2.3.1). */
static mt_str escaped(mt_arena *a, mt_str text)
{
    mt_buf out = {0};
    add_escaped(&out, text);
    mt_str copy = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return copy;
}

static mt_str challenge_of(mt_arena *a, mt_str verifier)
{
    mt_sha256 digest = mt_sha256_of(verifier);
    size_t room = sodium_base64_encoded_len(sizeof digest.bytes,
                                            sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    char *text = mt_new_array(a, char, room);
    sodium_bin2base64(text, room, digest.bytes, sizeof digest.bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return mt_str_z(text);
}

mt_err au_login_begin(au_oidc *o, const au_login *l, mt_buf *url, mt_buf *why)
{
    mt_arena a = {0};
    provider *p = named(o, l->provider);
    if (!p) {
        return MT_E_NOTFOUND;
    }
    mt_str at = document_text(p, &a, &p->authorize);
    mt_err err = at.len ? MT_OK : discover(p, why);
    at = document_text(p, &a, &p->authorize);
    if (!err && !at.len) {
        mt_buf_addz(why, "the issuer's document names no place to log in");
        err = MT_E_SYNTAX;
    }
    if (!err) {
        mt_buf_adds(url, at);
        mt_buf_addz(url, mt_str_find(at, '?') < at.len ? "" : "?");
        add_field(url, "response_type", MT_STR("code"));
        add_field(url, "client_id", p->s.login.client_id);
        add_field(url, "redirect_uri", p->s.login.redirect_uri);
        add_field(url, "scope", p->s.login.scope);
        add_field(url, "state", l->state);
        add_field(url, "nonce", l->nonce);
        add_field(url, "code_challenge", challenge_of(&a, l->verifier));
        add_field(url, "code_challenge_method", MT_STR("S256"));
    }
    mt_arena_free(&a);
    return err;
}

static mt_err exchange(provider *p, const au_login *l, mt_str code, mt_arena *a,
                       mt_str *id_token, mt_buf *why)
{
    mt_buf form = {0}, body = {0};
    mt_json tree;
    add_field(&form, "grant_type", MT_STR("authorization_code"));
    add_field(&form, "code", code);
    add_field(&form, "redirect_uri", p->s.login.redirect_uri);
    add_field(&form, "code_verifier", l->verifier);
    if (!p->secret.len) {
        add_field(&form, "client_id", p->s.login.client_id);
    }
    au_ask ask = {.url = document_text(p, a, &p->token),
                  .form = mt_buf_str(&form),
                  .user =
                      p->secret.len ? escaped(a, p->s.login.client_id) : (mt_str){0},
                  .password = escaped(a, p->secret),
                  .ca_file = p->s.ca_file,
                  .most = AU_JWKS_MOST,
                  .ending = p->ending};
    mt_err err = au_fetch(&p->gate, &ask, &body, why);
    if (!err && mt_json_read(a, mt_str_dup(a, mt_buf_str(&body)), NULL, &tree, NULL)) {
        err = MT_E_SYNTAX;
    }
    *id_token = err ? (mt_str){0} : mt_json_text(mt_json_at(&tree, "id_token"));
    if (!err && !id_token->len) {
        mt_buf_addz(why, "the provider gave no id_token");
        err = MT_E_SYNTAX;
    }
    /* Code and verifier are a credential until the provider has seen them. */
    sodium_memzero(form.ptr, form.len);
    mt_buf_free(&form);
    mt_buf_free(&body);
    return err;
}

/* OpenID Connect Core, 3.1.3.7: it is for us, and of several audiences we are the one
 * it was given to; it answers this login and no other. */
static const char *judge_login(provider *p, const au_login *l, const au_jwt *t,
                               int64_t now_ms, mt_arena *a, au_identity *out)
{
    mt_json audience = {.type = MT_JSON_STRING,
                        .count = (uint32_t)p->s.login.client_id.len};
    audience.as.text = p->s.login.client_id.ptr;
    const mt_json *aud = mt_json_at(&t->claims, "aud");
    const mt_json *azp = mt_json_at(&t->claims, "azp");
    mt_str issuer = mt_json_text(mt_json_at(&t->claims, "iss"));
    /* The provider was chosen by the login here, not by the token. */
    if (!mt_str_eq(issuer, p->s.issuer)) {
        return "its issuer is another";
    }
    if (azp ? !is_in(azp, p->s.login.client_id)
            : mt_json_is(aud, MT_JSON_ARRAY) && aud->count > 1) {
        return "it was given to another client";
    }
    if (!is_in(mt_json_at(&t->claims, "nonce"), l->nonce)) {
        return "it answers another login (nonce)";
    }
    const char *why = judge_claims(p, t, &audience, now_ms, a, out);
    /* Somebody sat at a browser, whatever the token says about its client. */
    out->human = p->s.actor != MACHINE;
    return why;
}

mt_err au_login_end(au_oidc *o, const au_login *l, mt_str code, int64_t now_ms,
                    mt_arena *a, au_identity *out, mt_buf *why)
{
    provider *p = named(o, l->provider);
    mt_str text;
    au_jwt t;
    *out = (au_identity){0};
    mt_err err = p ? exchange(p, l, code, a, &text, why) : MT_E_NOTFOUND;
    if (err) {
        return err;
    }
    const char *fault = au_jwt_read(a, text, &t);
    if (!fault && !p->allowed[t.alg]) {
        fault = "its algorithm is not allowed";
    }
    if (!fault && verify(p, &t) == AU_KEY_UNKNOWN && may_ask(p)) {
        (void)ask_for_keys(p, why);
    }
    if (!fault && verify(p, &t) != AU_SIGNED) {
        fault = "its signature is wrong, or its key is not known";
    }
    fault = fault ? fault : judge_login(p, l, &t, now_ms, a, out);
    if (fault) {
        mt_buf_addf(why, "the id_token is refused: %s", fault);
    }
    return fault ? MT_E_REJECTED : MT_OK;
}
