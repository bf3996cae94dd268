/* auth/certificate.c - see certificate.h. Room: auth.
 * An identity is issuer and subject together: two authorities may both have a
 * "CN=till". Its id is a digest of both, so that it is short and has no characters of
 * theirs; its name is the subject. A chain that GnuTLS does not accept, for whatever
 * reason, is not trusted.
 *
 * Reading the configuration tells all faults at once and makes nothing when there
 * is one. Afterwards settings never change, so threads share them without a lock. A
 * certificate is checked once per connection, after the handshake, in the arena of
 * its caller. Names in it are foreign: what has a NUL inside or is too long is left
 * out, never cut, for half of a name may be somebody else's. */
#include "auth/certificate.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/json_write.h"
#include "base/late_gnutls.h"
#include "os/file.h"

/* PEM_MOST: a bundle of every public authority is a quarter of it. TEXT_MOST: names
 * are read into the stack. NAMES_MOST: a certificate is chosen by whoever shows it. */
enum { PEM_MOST = 1 << 20, TEXT_MOST = 1024, NAMES_MOST = 64 };

typedef struct settings {
    const char *ca;
    bool required;
    int actor;
    au_rules rules;
} settings;

struct au_certificates {
    mt_arena arena;
    settings s;
    mt_str trusted;
};

/* ---- The configuration ---- */

static const char *const ACTORS[] = {"human", "machine", NULL};

static const mt_form_row ROWS[] = {
    MT_FORM_WORD(settings, ca, "ca", MT_FORM_REQUIRED),
    MT_FORM_FLAG(settings, required, "required", 0),
    MT_FORM_CHOICE(settings, actor, "actor", ACTORS, 0),
    MT_FORM_EACH(settings, rules.items, rules.count, "rules", &AU_RULE, AU_RULES_MOST,
                 MT_FORM_REQUIRED),
};

typedef struct reading {
    au_telling telling;
    const mt_json *node;
    au_certificates *c;
    const char *missing; /* why the library is not there; NULL: it is */
} reading;

static void tell(reading *r, mt_str key, mt_str what)
{
    au_tell(&r->telling, key, r->node->offset, what);
}

static void tell_rule(void *state, size_t rule, const char *what)
{
    reading *r = state;
    tell(r, mt_strf(&r->c->arena, "certificates.rules.%zu", rule), mt_str_z(what));
}

/* 0: there is none. `first` and `last`: when the first and the last of them expires,
 * seconds since 1970. */
static size_t look_at(mt_str pem, int64_t *first, int64_t *last)
{
    gnutls_x509_crt_t *list = NULL;
    unsigned count = 0;
    gnutls_datum_t text = {(unsigned char *)(uintptr_t)pem.ptr, (unsigned)pem.len};
    *first = INT64_MAX;
    *last = INT64_MIN;
    if (gnutls_x509_crt_list_import2(&list, &count, &text, GNUTLS_X509_FMT_PEM, 0) <
        0) {
        return 0;
    }
    for (unsigned i = 0; i < count; i++) {
        int64_t until = (int64_t)gnutls_x509_crt_get_expiration_time(list[i]);
        *first = until < *first ? until : *first;
        *last = until > *last ? until : *last;
        gnutls_x509_crt_deinit(list[i]);
    }
    if (count) {
        free(list); /* the library's allocator is malloc() */
    }
    return count;
}

static bool has_certificates(mt_str pem)
{
    int64_t first, last;
    return look_at(pem, &first, &last) > 0;
}

size_t au_certificates_until(const au_certificates *c, int64_t *first, int64_t *last)
{
    return look_at(c->trusted, first, last);
}

static void read_trusted(reading *r)
{
    au_certificates *c = r->c;
    mt_str path =
        c->s.ca[0] == '/' || !r->telling.in->directory.len
            ? mt_str_z(c->s.ca)
            : mt_strf(&c->arena, "%.*s%s", MT_ARG(r->telling.in->directory), c->s.ca);
    mt_err err = os_read_ready(&c->arena, path.ptr, PEM_MOST, &c->trusted);
    if (err) {
        tell(r, MT_STR("certificates.ca"),
             mt_strf(&c->arena, "%.*s: %s", MT_ARG(path), mt_err_text(err)));
    } else if (!r->missing && !has_certificates(c->trusted)) {
        tell(r, MT_STR("certificates.ca"),
             mt_strf(&c->arena, "%.*s has no certificate in PEM", MT_ARG(path)));
    }
}

size_t au_certificates_read(const au_settings *in, au_certificates **out)
{
    const mt_json *node = mt_json_at(in->all, "certificates");
    *out = NULL;
    if (!mt_json_is(node, MT_JSON_OBJECT)) {
        return 0;
    }
    au_certificates *c = mt_xmalloc(sizeof *c);
    /* A certificate is a machine's unless the configuration says otherwise. */
    *c = (au_certificates){.s = {.actor = 1}};
    reading r = {.telling = {.in = in}, .node = node, .c = c};
    mt_form form = {.arena = &c->arena,
                    .path = MT_STR("certificates"),
                    .what = "`certificates`",
                    .report = au_tell_form,
                    .state = &r.telling};
    /* Said once; the rest is still read, so that one run tells every fault of the
     * file. */
    r.missing = mt_late_load(&mt_late_gnutls);
    if (r.missing) {
        tell(&r, MT_STR("certificates"), mt_str_z(r.missing));
    }
    if (mt_form_read(&form, node, ROWS, mt_form_count(ROWS), &c->s)) {
        read_trusted(&r);
        (void)au_rules_check(&c->s.rules, in->persona_known, in->right_known, tell_rule,
                             &r);
    }
    if (r.telling.faults) {
        au_certificates_free(c);
        return r.telling.faults;
    }
    *out = c;
    return 0;
}

void au_certificates_free(au_certificates *c)
{
    if (c) {
        mt_arena_free(&c->arena);
        free(c);
    }
}

mt_str au_certificates_trusted(const au_certificates *c)
{
    return c->trusted;
}

bool au_certificates_required(const au_certificates *c)
{
    return c->s.required;
}

/* ---- A certificate ---- */

/* Text of a name, or empty: with a NUL inside, or too long, it is none. */
static mt_str text_of(mt_arena *a, const char *bytes, size_t len)
{
    return len && len < TEXT_MOST && !memchr(bytes, 0, len)
               ? mt_str_dup(a, mt_str_from(bytes, len))
               : (mt_str){0};
}

static mt_str subject_of(mt_arena *a, gnutls_x509_crt_t crt)
{
    char text[TEXT_MOST];
    size_t len = sizeof text;
    return gnutls_x509_crt_get_dn(crt, text, &len) == 0 ? text_of(a, text, len)
                                                        : (mt_str){0};
}

static mt_str issuer_of(mt_arena *a, gnutls_x509_crt_t crt)
{
    char text[TEXT_MOST];
    size_t len = sizeof text;
    return gnutls_x509_crt_get_issuer_dn(crt, text, &len) == 0 ? text_of(a, text, len)
                                                               : (mt_str){0};
}

/* Empty where there are several: an authority may have looked at another one. */
static mt_str common_name_of(mt_arena *a, gnutls_x509_crt_t crt)
{
    char text[TEXT_MOST], other[TEXT_MOST];
    size_t len = sizeof text, other_len = sizeof other;
    int found = gnutls_x509_crt_get_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, 0,
                                              text, &len);
    int second = gnutls_x509_crt_get_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 1, 0,
                                               other, &other_len);
    return found == 0 && second == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE
               ? text_of(a, text, len)
               : (mt_str){0};
}

/* Alternative names of one kind. */
static void add_names(mt_jw *w, mt_arena *a, gnutls_x509_crt_t crt, const char *key,
                      int kind)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_array(w);
    for (unsigned i = 0; i < NAMES_MOST; i++) {
        char text[TEXT_MOST];
        size_t len = sizeof text;
        int found = gnutls_x509_crt_get_subject_alt_name(crt, i, text, &len, NULL);
        if (found == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE) {
            break;
        }
        mt_str name = found == kind ? text_of(a, text, len) : (mt_str){0};
        if (name.len) {
            mt_jw_str(w, name);
        }
    }
    mt_jw_end_array(w);
}

/* `said`: the same as text. */
static bool read_claims(mt_arena *a, gnutls_x509_crt_t crt, mt_str issuer,
                        mt_str subject, mt_json *out, mt_str *said)
{
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    mt_jw_begin_object(&w);
    /* ORDER: keys ascend. They are what `claim` of a rule may name. */
    mt_jw_key_str(&w, "cn", common_name_of(a, crt));
    add_names(&w, a, crt, "dns", GNUTLS_SAN_DNSNAME);
    add_names(&w, a, crt, "email", GNUTLS_SAN_RFC822NAME);
    mt_jw_key_str(&w, "issuer", issuer);
    mt_jw_key_str(&w, "subject", subject);
    add_names(&w, a, crt, "uri", GNUTLS_SAN_URI);
    mt_jw_end_object(&w);
    *said = mt_str_dup(a, mt_buf_str(&text));
    mt_err err = mt_json_read(a, *said, NULL, out, NULL);
    mt_buf_free(&text);
    return !err;
}

static bool has_other_names(const mt_json *claims)
{
    static const char *const LISTS[] = {"dns", "email", "uri"};
    bool has = false;
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++) {
        has = has || mt_json_get(claims, mt_str_z(LISTS[i]))->count;
    }
    return has;
}

/* NULL, or why not. Names are compared as the authority wrote them. */
static const char *identify(const au_certificates *c, gnutls_x509_crt_t crt,
                            mt_arena *a, au_identity *out)
{
    mt_json claims;
    mt_str said;
    mt_str issuer = issuer_of(a, crt), subject = subject_of(a, crt);
    time_t until = gnutls_x509_crt_get_expiration_time(crt);
    if (!issuer.len || !subject.len || until <= 0 ||
        !read_claims(a, crt, issuer, subject, &claims, &said)) {
        return "it has no names that can be used";
    }
    /* Alternative names count: an authority of workloads (SPIFFE) gives all of them the
     * same subject, and they are not one and the same. */
    mt_str names = has_other_names(&claims)
                       ? said
                       : mt_strf(a, "%.*s\n%.*s", MT_ARG(issuer), MT_ARG(subject));
    mt_str digest = mt_sha256_hex(a, mt_sha256_of(names));
    /* 128 bits: nobody finds other names with this id. */
    out->id = mt_strf(a, "certificate:%.32s", digest.ptr);
    out->name = subject;
    out->human = c->s.actor == 0;
    out->until_ms = (int64_t)until * 1000;
    au_rules_apply(&c->s.rules, &claims, a, &out->grants);
    return NULL;
}

/* Trusted by ours, in time, and meant for clients. */
static bool is_trusted(gnutls_session_t session)
{
    gnutls_typed_vdata_st purpose = {
        .type = GNUTLS_DT_KEY_PURPOSE_OID,
        .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT};
    /* Not trusted, if the library should not write it. */
    unsigned status = ~0u;
    return gnutls_certificate_verify_peers(session, &purpose, 1, &status) == 0 &&
           status == 0;
}

au_shown au_certificate_check(const au_certificates *c, void *of, mt_arena *a,
                              au_identity *out, const char **why)
{
    gnutls_session_t session = of;
    unsigned count = 0;
    gnutls_x509_crt_t crt;
    *out = (au_identity){0};
    *why = mt_late_load(&mt_late_gnutls);
    if (*why) {
        return AU_NOT_TRUSTED;
    }
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
    /* Whether that is enough is the caller's question (au_certificates_required()). */
    if (!chain || !count) {
        return AU_NONE_SHOWN;
    }
    if (gnutls_certificate_type_get(session) != GNUTLS_CRT_X509 ||
        !is_trusted(session) || gnutls_x509_crt_init(&crt) != 0) {
        *why = "its chain is not trusted";
        return AU_NOT_TRUSTED;
    }
    *why = gnutls_x509_crt_import(crt, &chain[0], GNUTLS_X509_FMT_DER) == 0
               ? identify(c, crt, a, out)
               : "it cannot be read";
    gnutls_x509_crt_deinit(crt);
    return *why ? AU_NOT_TRUSTED : AU_TRUSTED;
}
