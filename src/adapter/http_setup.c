/* adapter/http_setup.c - settings of HTTP and GraphQL sources, checked once:
 * addresses, credentials, headers, and what each fact asks for.
 *
 * The URL must be absolute, http or https, and without credentials in it. Where the
 * contract names the origin, the gate must list it; credentials that only the
 * configuration knows go only to an origin that the configuration names. Header names
 * and values are checked for characters that would end a header.
 *
 * A fact's path becomes a resource and a way into its answer (`orders/{id}.balance`),
 * or a GraphQL query with variables; settings may say both themselves. All faults are
 * diagnostics of the source or the fact; ad_http_close() wipes what holds a
 * credential. */
#include "adapter/impl.h"
#include "base/percent.h"

/* ---- Addresses ---- */

static bool is_printable(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return true;
}

/* Credentials in a URL would be logged with it. */
static bool check_url(ad_opening *o, ad_source *s)
{
    ad_url url;
    if (!is_printable(s->base_url) ||
        !ad_url_read(&o->adapters->arena, s->base_url, &url)) {
        return ad_source_fault(o, s, AD_F_SETTING,
                               "source '%.*s' needs an http or https URL",
                               MT_ARG(s->decl->id));
    }
    if (url.has_user) {
        return ad_source_fault(
            o, s, AD_F_CREDENTIAL,
            "the URL of source '%.*s' has credentials in it: use auth",
            MT_ARG(s->decl->id));
    }
    bool has_query = mt_str_find(s->base_url, '?') < s->base_url.len ||
                     mt_str_find(s->base_url, '#') < s->base_url.len;
    if (has_query && s->kind == AD_HTTP) {
        return ad_source_fault(o, s, AD_F_SETTING,
                               "the base_url of source '%.*s' has a query or fragment",
                               MT_ARG(s->decl->id));
    }
    if (url.has_path && s->kind == AD_GRPC) {
        return ad_source_fault(
            o, s, AD_F_SETTING,
            "the endpoint of source '%.*s' must be SCHEME://HOST:PORT",
            MT_ARG(s->decl->id));
    }
    s->origin = url.origin;
    s->peer = url.host;
    return true;
}

/* The operator's way out, and so an address of the configuration's. */
static bool check_proxy(ad_opening *o, ad_source *s)
{
    ad_url url;
    if (!s->proxy.len) {
        return true;
    }
    const char *scheme = strstr(s->proxy.ptr, "://"); /* libcurl knows several */
    mt_str text =
        mt_strf(&o->adapters->arena, "http://%s", scheme ? scheme + 3 : s->proxy.ptr);
    if (!ad_url_read(&o->adapters->arena, text, &url)) {
        return ad_source_fault(o, s, AD_F_SETTING,
                               "the proxy of source '%.*s' must be SCHEME://HOST:PORT",
                               MT_ARG(s->decl->id));
    }
    s->peer = url.host;
    return true;
}

/* A contract names an address, the configuration allows it; and what only the
 * configuration knows goes only where the configuration says. Without a gate the
 * contract is the caller's own, and so is what it says. */
static bool check_origin(ad_opening *o, ad_source *s)
{
    const char *setting = s->kind == AD_HTTP ? "base_url" : "endpoint";
    const ad_gate *gate = o->adapters->options.gate;
    bool secret = s->headers || (s->auth && !mt_str_is(mt_json_text(s->auth), "none"));
    if (!gate || s->origin_configured) {
        return true;
    }
    if (secret) {
        return ad_source_refuse(
            o, s,
            "source '%.*s' has auth or headers in the configuration, but only the "
            "contract says where they would go (%.*s): set %s of sources.%.*s",
            MT_ARG(s->decl->id), MT_ARG(s->origin), setting, MT_ARG(s->decl->id));
    }
    if (!ad_gate_origin(gate, s->origin)) {
        return ad_source_refuse(
            o, s,
            "source '%.*s' of the contract asks %.*s, an origin that the configuration "
            "does not allow: add it to outgoing.origins, or set %s of sources.%.*s",
            MT_ARG(s->decl->id), MT_ARG(s->origin), setting, MT_ARG(s->decl->id));
    }
    return true;
}

/* ---- Credentials and headers ---- */

/* Narrower than RFC 9110 on purpose: names that every proxy reads alike. */
static bool is_token(mt_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '-' && c != '_') {
            return false;
        }
    }
    return name.len > 0;
}

static void add_header(ad_source *s, mt_arena *a, mt_str name, mt_str value)
{
    mt_str line = mt_strf(a, "%.*s: %.*s", MT_ARG(name), MT_ARG(value));
    struct curl_slist *grown = curl_slist_append(s->header_list, line.ptr);
    MT_ASSERT(grown);
    s->header_list = grown;
    explicit_bzero((void *)(uintptr_t)line.ptr, line.len);
}

/* One of bearer, basic, header and query; value belongs to the last two. */
typedef struct auth {
    const mt_json *bearer, *basic, *value; /* credentials by reference */
    mt_str header, query;
} auth;

static const mt_form_row AUTH[] = {
    MT_FORM_ANY(auth, bearer, "bearer", 0),
    MT_FORM_OBJECT(auth, basic, "basic", 0),
    MT_FORM_NAME(auth, header, "header", INT64_MAX, 0),
    MT_FORM_NAME(auth, query, "query", INT64_MAX, 0),
    MT_FORM_ANY(auth, value, "value", 0),
};

typedef struct basic {
    const char *user;
    const mt_json *password;
} basic;

static const mt_form_row BASIC[] = {
    MT_FORM_ROW(basic, user, "user", MT_FORM_K_WORD, 1, INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_ANY(basic, password, "password", MT_FORM_REQUIRED),
};

static bool auth_fault(ad_opening *o, const ad_source *s)
{
    return ad_source_fault(
        o, s, AD_F_CREDENTIAL,
        "auth of source '%.*s' must be none, {bearer: REF}, {basic: {user: NAME, "
        "password: REF}}, {header: NAME, value: REF} or {query: NAME, value: REF}",
        MT_ARG(s->decl->id));
}

/* The header with the token lives until ad_http_close(), which wipes it; the copy made
 * here is wiped at once. */
static bool auth_bearer(ad_opening *o, ad_source *s, const mt_json *reference)
{
    mt_str token;
    if (!ad_secret_read(o, s, reference, "auth", &token)) {
        return false;
    }
    mt_buf value = {0};
    mt_buf_addf(&value, "Bearer %.*s", MT_ARG(token));
    add_header(s, &o->adapters->arena, MT_STR("Authorization"), mt_buf_str(&value));
    explicit_bzero(value.ptr, value.len);
    mt_buf_free(&value);
    return true;
}

static bool auth_basic(ad_opening *o, ad_source *s, const mt_json *given)
{
    basic found = {0};
    ad_subject subject = {.o = o, .source = s};
    mt_form form = ad_form(&subject, "auth.basic", "auth.basic");
    if (!mt_form_read(&form, given, BASIC, mt_form_count(BASIC), &found)) {
        return false;
    }
    s->user = mt_str_z(found.user);
    return ad_secret_read(o, s, found.password, "auth", &s->password);
}

/* {header: NAME, value: REF} or {query: NAME, value: REF} */
static bool auth_named(ad_opening *o, ad_source *s, const auth *given)
{
    bool header = given->header.len > 0;
    mt_str name = header ? given->header : given->query, value;
    if (!is_token(name)) {
        return ad_source_fault(o, s, AD_F_SETTING,
                               "'auth.%s' of source '%.*s' must be a name of letters, "
                               "digits, '-' and '_'",
                               header ? "header" : "query", MT_ARG(s->decl->id));
    }
    if (!ad_secret_read(o, s, given->value, "auth", &value)) {
        return false;
    }
    if (header) {
        add_header(s, &o->adapters->arena, name, value);
        return true;
    }
    mt_buf encoded = {0};
    mt_buf_addf(&encoded, "%.*s=", MT_ARG(name));
    size_t start = encoded.len;
    mt_percent_encode(&encoded, value);
    s->auth_query = mt_str_dup(&o->adapters->arena, mt_buf_str(&encoded));
    ad_secret_remember(o->adapters, mt_str_skip(s->auth_query, start));
    mt_buf_free(&encoded);
    return true;
}

static bool read_auth(ad_opening *o, ad_source *s)
{
    auth found = {0};
    ad_subject subject = {.o = o, .source = s};
    mt_form form = ad_form(&subject, "auth", "auth");
    if (!mt_json_is(s->auth, MT_JSON_OBJECT)) {
        return auth_fault(o, s);
    }
    if (!mt_form_read(&form, s->auth, AUTH, mt_form_count(AUTH), &found)) {
        return false;
    }
    bool named = found.header.len || found.query.len;
    int ways = !!found.bearer + !!found.basic + !!found.header.len + !!found.query.len;
    if (ways != 1 || named != (found.value != NULL)) {
        return auth_fault(o, s);
    }
    return found.bearer  ? auth_bearer(o, s, found.bearer)
           : found.basic ? auth_basic(o, s, found.basic)
                         : auth_named(o, s, &found);
}

/* A contract that declares auth must be given one, or told that there is none: silence
 * could be a slip. */
static bool set_up_auth(ad_opening *o, ad_source *s)
{
    mt_str declared = mt_json_text(mt_json_at(&s->fields, "auth"));
    if (!s->auth && declared.len && !mt_str_is(declared, "none")) {
        return ad_source_fault(
            o, s, AD_F_CREDENTIAL,
            "source '%.*s' declares auth %.*s: configure auth, or auth: none",
            MT_ARG(s->decl->id), MT_ARG(declared));
    }
    return !s->auth || mt_str_is(mt_json_text(s->auth), "none") || read_auth(o, s);
}

/* A plain text, or a credential by reference. */
static bool set_up_headers(ad_opening *o, ad_source *s)
{
    const mt_json *headers = s->headers;
    bool ok = true;
    for (uint32_t i = 0; ok && headers && i < headers->count; i++) {
        const mt_json_member *m = &headers->as.members[i];
        mt_str value = mt_json_text(&m->value);
        ok = is_token(m->key) && !mt_json_is(&m->value, MT_JSON_NULL) &&
             !mt_json_is(&m->value, MT_JSON_BOOL) &&
             !mt_json_is(&m->value, MT_JSON_ARRAY);
        if (ok && mt_json_is(&m->value, MT_JSON_OBJECT)) {
            if (!ad_secret_read(o, s, &m->value, "a header", &value)) {
                return false;
            }
        }
        for (size_t j = 0; j < value.len; j++) {
            ok = ok && (unsigned char)value.ptr[j] >= ' ';
        }
        if (ok && value.len) {
            add_header(s, &o->adapters->arena, m->key, value);
        }
    }
    return ok || ad_source_fault(o, s, AD_F_SETTING,
                                 "headers of source '%.*s' must be names and texts",
                                 MT_ARG(s->decl->id));
}

/* Headers that every request of a kind has. */
static const struct fixed {
    unsigned kinds; /* 1 << ad_adapter_kind */
    mt_str name, value;
} FIXED[] = {
    {1 << AD_HTTP | 1 << AD_GRAPHQL, MT_STR_INIT("Accept"),
     MT_STR_INIT("application/json")},
    {1 << AD_GRAPHQL, MT_STR_INIT("Content-Type"), MT_STR_INIT("application/json")},
    {1 << AD_GRPC, MT_STR_INIT("Content-Type"), MT_STR_INIT("application/grpc+proto")},
    {1 << AD_GRPC, MT_STR_INIT("TE"), MT_STR_INIT("trailers")},
    {1 << AD_GRPC, MT_STR_INIT("grpc-accept-encoding"), MT_STR_INIT("identity")},
};

/* ORDER: where it goes is decided before credentials are read. A source that is refused
 * needs none, and a secret that is not loaded cannot be sent to the wrong place. */
bool ad_http_set_up(ad_opening *o, ad_source *s)
{
    const char *field = s->kind == AD_HTTP ? "base_url" : "endpoint";
    s->origin_configured = s->base_url.len > 0;
    if (!s->origin_configured) {
        mt_str declared = mt_json_text(mt_json_get(&s->fields, mt_str_z(field)));
        s->base_url = mt_str_dup(&o->adapters->arena, declared);
    }
    if (s->kind == AD_GRPC) {
        s->base_url = ad_grpc_url(&o->adapters->arena, s->base_url);
    }
    while (s->kind == AD_HTTP && mt_str_ends(s->base_url, MT_STR("/"))) {
        s->base_url.len--;
    }
    if (!ad_source_waits(o, s)) {
        return false;
    }
    for (size_t i = 0; i < sizeof FIXED / sizeof *FIXED; i++) {
        if (FIXED[i].kinds >> s->kind & 1) {
            add_header(s, &o->adapters->arena, FIXED[i].name, FIXED[i].value);
        }
    }
    if (!check_url(o, s) || !check_proxy(o, s)) {
        return false;
    }
    bool allowed = check_origin(o, s);
    if (allowed && s->refused.len) {
        return true; /* it will not be asked, so it needs no credentials */
    }
    return set_up_auth(o, s) && set_up_headers(o, s) && allowed;
}

/* The list is allocated by the library, so the arena's wiping does not reach it. */
void ad_http_close(ad_source *s)
{
    for (struct curl_slist *line = s->header_list; line; line = line->next) {
        explicit_bzero(line->data, strlen(line->data));
    }
    if (s->header_list) {
        curl_slist_free_all(s->header_list);
    }
    if (s->auth_query.len) {
        explicit_bzero((void *)(uintptr_t)s->auth_query.ptr, s->auth_query.len);
    }
}

/* ---- What a fact asks for ---- */

/* Where the way into the answer begins: at the first dot behind the last slash and the
 * last {name}. */
static size_t resource_end(mt_str path)
{
    size_t last = path.len;
    while (last && path.ptr[last - 1] != '/' && path.ptr[last - 1] != '}') {
        last--;
    }
    return last + mt_str_find(mt_str_skip(path, last), '.');
}

/* Both `orders/{id}.balance` and `orders.{id}.balance` are the member `balance` of the
 * resource orders/{id}. */
static void split_path(mt_arena *a, mt_str path, mt_str *resource, mt_str *select)
{
    size_t end = resource_end(path);
    char *slashed = mt_alloc(a, end + 1);
    for (size_t i = 0; i < end; i++) {
        slashed[i] = path.ptr[i];
        if (slashed[i] == '.') {
            slashed[i] = '/';
        }
    }
    *resource = mt_str_from(slashed, end);
    *select = mt_str_skip(path, end + 1);
}

/* A fragment is refused: it never reaches the server, so it could only be a
 * misunderstanding. Parameters are escaped when the template is filled, hence a value
 * cannot leave its segment. */
bool ad_http_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p)
{
    mt_arena *a = &o->adapters->arena;
    mt_str resource = p->resource_text, select = p->select_text, rest;
    (void)s;
    if (!resource.len) {
        split_path(a, p->path_text, &resource, &rest);
        select = select.len ? select : rest;
    }
    if (mt_str_starts(resource, MT_STR("/"))) {
        resource = mt_str_skip(resource, 1);
    }
    bool ok = is_printable(resource) && mt_str_find(resource, '#') == resource.len &&
              ad_template_parse(a, resource, &p->names, &p->resource) &&
              ad_selector_parse(a, select, &p->names, &p->select);
    return ok || ad_fact_fault(o, p, AD_F_FACT,
                               "resource or select of fact '%.*s' is malformed",
                               MT_ARG(p->fact->id));
}

/* ---- GraphQL ---- */

/* `order.total` asks `{ order { total } }`. False when the path is not only names. */
static bool default_query(mt_arena *a, mt_str path, mt_str *out)
{
    mt_buf query = {0};
    size_t depth = 0;
    bool ok = path.len > 0;
    for (mt_str rest = path; ok && rest.len; depth++) {
        mt_str name = mt_str_from(rest.ptr, mt_str_find(rest, '.'));
        ok = is_token(name) && mt_str_find(name, '-') == name.len;
        mt_buf_addf(&query, "{ %.*s ", MT_ARG(name));
        rest = mt_str_skip(rest, name.len + 1);
    }
    while (depth--) {
        mt_buf_addz(&query, depth ? "} " : "}");
    }
    *out = mt_str_dup(a, mt_buf_str(&query));
    mt_buf_free(&query);
    return ok;
}

/* A path without a query gets one made from it; the same path then selects the
 * value. */
bool ad_graphql_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p)
{
    mt_arena *a = &o->adapters->arena;
    mt_str select = p->select_text.len ? p->select_text : p->path_text;
    if (!p->query.len && !default_query(a, p->path_text, &p->query)) {
        return ad_fact_fault(o, p, AD_F_FACT,
                             "fact '%.*s' of graphql source '%.*s' needs a query",
                             MT_ARG(p->fact->id), MT_ARG(s->decl->id));
    }
    if (!ad_selector_parse(a, select, &p->names, &p->select)) {
        return ad_fact_fault(o, p, AD_F_FACT, "fact '%.*s' needs a select",
                             MT_ARG(p->fact->id));
    }
    ad_plan_parameters(o, p);
    return true;
}
