/* runtime/adapter_http.c - facts from HTTP resources and GraphQL endpoints (libcurl).
 * Room: runtime.
 * One transfer per distinct question: facts that lie in one resource share it. Only
 * http and https are spoken; no cookies, no .netrc, no proxy from the environment. A
 * redirect is followed only when allowed, and never to another origin, so credentials
 * stay where they were meant to go. */
#include <stdlib.h>
#include <sys/socket.h>

#include "runtime/adapter_impl.h"
#include "runtime/clock.h"

enum { MOST_HEADER_BYTES = 64 * 1024, MOST_REDIRECTS = 10 };

/* One transfer. */
typedef struct transfer {
    CURL *easy;
    mt_buf body;
    size_t header_bytes;
    mt_str post; /* ptr NULL: GET */
    mt_str url;
    size_t redirects;
} transfer;

/* ---- Setting up ---- */

/* "https://host:1" of a URL; empty when it is no plain http(s) URL. */
static mt_str origin_of(mt_str url)
{
    mt_str rest = mt_str_starts(url, MT_STR("http://"))    ? mt_str_skip(url, 7)
                  : mt_str_starts(url, MT_STR("https://")) ? mt_str_skip(url, 8)
                                                           : (mt_str){0};
    size_t host = 0;
    while (host < rest.len && !strchr("/?#", rest.ptr[host])) {
        host++;
    }
    return host ? mt_str_from(url.ptr, (size_t)(rest.ptr - url.ptr) + host)
                : (mt_str){0};
}

static bool is_printable(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return true;
}

static bool check_url(rt_opening *o, const rt_source *s)
{
    mt_str origin = origin_of(s->base_url);
    if (!origin.len || !is_printable(s->base_url)) {
        return rt_source_fault(o, s, RT_F_SETTING,
                               "source '%.*s' needs an http or https URL",
                               MT_ARG(s->decl->id));
    }
    if (mt_str_find(origin, '@') < origin.len) {
        return rt_source_fault(
            o, s, RT_F_CREDENTIAL,
            "the URL of source '%.*s' has credentials in it: use auth",
            MT_ARG(s->decl->id));
    }
    bool has_query = mt_str_find(s->base_url, '?') < s->base_url.len ||
                     mt_str_find(s->base_url, '#') < s->base_url.len;
    if (has_query && s->kind == RT_HTTP) {
        return rt_source_fault(o, s, RT_F_SETTING,
                               "the base_url of source '%.*s' has a query or fragment",
                               MT_ARG(s->decl->id));
    }
    return true;
}

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

static void add_header(rt_source *s, mt_arena *a, mt_str name, mt_str value)
{
    mt_str line = mt_strf(a, "%.*s: %.*s", MT_ARG(name), MT_ARG(value));
    struct curl_slist *grown = curl_slist_append(s->header_list, line.ptr);
    MT_ASSERT(grown);
    s->header_list = grown;
    explicit_bzero((void *)(uintptr_t)line.ptr, line.len);
}

static bool auth_fault(rt_opening *o, const rt_source *s)
{
    return rt_source_fault(
        o, s, RT_F_CREDENTIAL,
        "auth of source '%.*s' must be none, {bearer: REF}, {basic: {user: NAME, "
        "password: REF}}, {header: NAME, value: REF} or {query: NAME, value: REF}",
        MT_ARG(s->decl->id));
}

static bool auth_bearer(rt_opening *o, rt_source *s, const mt_json *reference)
{
    mt_str token;
    if (!rt_secret_read(o, s, reference, "auth", &token)) {
        return false;
    }
    mt_buf value = {0};
    mt_buf_addf(&value, "Bearer %.*s", MT_ARG(token));
    add_header(s, &o->adapters->arena, MT_STR("Authorization"), mt_buf_str(&value));
    explicit_bzero(value.ptr, value.len);
    mt_buf_free(&value);
    return true;
}

static bool auth_basic(rt_opening *o, rt_source *s, const mt_json *basic)
{
    mt_str user = mt_json_text(mt_json_at(basic, "user"));
    if (!mt_json_is(basic, MT_JSON_OBJECT) || basic->count != 2 || !user.len) {
        return auth_fault(o, s);
    }
    s->user = mt_str_dup(&o->adapters->arena, user);
    return rt_secret_read(o, s, mt_json_at(basic, "password"), "auth", &s->password);
}

/* {header: NAME, value: REF} or {query: NAME, value: REF} */
static bool auth_named(rt_opening *o, rt_source *s, const mt_json *auth)
{
    const mt_json *header = mt_json_at(auth, "header");
    mt_str name = mt_json_text(header ? header : mt_json_at(auth, "query"));
    mt_str value;
    if (auth->count != 2 || !is_token(name)) {
        return auth_fault(o, s);
    }
    if (!rt_secret_read(o, s, mt_json_at(auth, "value"), "auth", &value)) {
        return false;
    }
    if (header) {
        add_header(s, &o->adapters->arena, name, value);
        return true;
    }
    mt_buf encoded = {0};
    mt_buf_addf(&encoded, "%.*s=", MT_ARG(name));
    size_t start = encoded.len;
    rt_percent_encode(&encoded, value);
    s->auth_query = mt_str_dup(&o->adapters->arena, mt_buf_str(&encoded));
    rt_secret_remember(o->adapters, mt_str_skip(s->auth_query, start));
    mt_buf_free(&encoded);
    return true;
}

static bool set_up_auth(rt_opening *o, rt_source *s)
{
    mt_str declared = mt_json_text(mt_json_at(&s->fields, "auth"));
    const mt_json *auth = s->auth;
    if (!auth && declared.len && !mt_str_is(declared, "none")) {
        return rt_source_fault(
            o, s, RT_F_CREDENTIAL,
            "source '%.*s' declares auth %.*s: configure auth, or auth: none",
            MT_ARG(s->decl->id), MT_ARG(declared));
    }
    if (!auth || mt_str_is(mt_json_text(auth), "none")) {
        return true;
    }
    if (mt_json_at(auth, "bearer") && auth->count == 1) {
        return auth_bearer(o, s, mt_json_at(auth, "bearer"));
    }
    if (mt_json_at(auth, "basic") && auth->count == 1) {
        return auth_basic(o, s, mt_json_at(auth, "basic"));
    }
    return mt_json_is(auth, MT_JSON_OBJECT) ? auth_named(o, s, auth) : auth_fault(o, s);
}

/* A plain text, or a credential by reference. */
static bool set_up_headers(rt_opening *o, rt_source *s)
{
    const mt_json *headers = s->headers;
    bool ok = !headers || mt_json_is(headers, MT_JSON_OBJECT);
    for (uint32_t i = 0; ok && headers && i < headers->count; i++) {
        const mt_json_member *m = &headers->as.members[i];
        mt_str value = mt_json_text(&m->value);
        ok = is_token(m->key);
        if (ok && mt_json_is(&m->value, MT_JSON_OBJECT)) {
            if (!rt_secret_read(o, s, &m->value, "a header", &value)) {
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
    return ok || rt_source_fault(o, s, RT_F_SETTING,
                                 "headers of source '%.*s' must be names and texts",
                                 MT_ARG(s->decl->id));
}

bool rt_http_set_up(rt_opening *o, rt_source *s)
{
    const char *field = s->kind == RT_HTTP ? "base_url" : "endpoint";
    if (!s->base_url.len) {
        mt_str declared = mt_json_text(mt_json_get(&s->fields, mt_str_z(field)));
        s->base_url = mt_str_dup(&o->adapters->arena, declared);
    }
    while (s->kind == RT_HTTP && mt_str_ends(s->base_url, MT_STR("/"))) {
        s->base_url.len--;
    }
    if (s->redirects > MOST_REDIRECTS) {
        return rt_source_fault(o, s, RT_F_SETTING,
                               "redirects of source '%.*s' may be %d at most",
                               MT_ARG(s->decl->id), MOST_REDIRECTS);
    }
    s->header_list = curl_slist_append(NULL, "Accept: application/json");
    MT_ASSERT(s->header_list);
    if (s->kind == RT_GRAPHQL) {
        add_header(s, &o->adapters->arena, MT_STR("Content-Type"),
                   MT_STR("application/json"));
    }
    return check_url(o, s) && set_up_auth(o, s) && set_up_headers(o, s);
}

void rt_http_close(rt_source *s)
{
    for (struct curl_slist *line = s->header_list; line; line = line->next) {
        explicit_bzero(line->data, strlen(line->data));
    }
    curl_slist_free_all(s->header_list);
    if (s->auth_query.len) {
        explicit_bzero((void *)(uintptr_t)s->auth_query.ptr, s->auth_query.len);
    }
}

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

bool rt_http_plan(rt_opening *o, const rt_source *s, rt_fact_plan *p)
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
              rt_template_parse(a, resource, &p->names, &p->resource) &&
              rt_selector_parse(a, select, &p->names, &p->select);
    return ok || rt_fact_fault(o, p, RT_F_FACT,
                               "resource or select of fact '%.*s' is malformed",
                               MT_ARG(p->fact->id));
}

/* ---- Transfers ---- */

static size_t take_body(char *bytes, size_t size, size_t count, void *state)
{
    transfer *t = state;
    mt_buf_add(&t->body, bytes, size * count);
    return t->body.full ? 0 : size * count;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *state)
{
    transfer *t = state;
    (void)bytes;
    t->header_bytes += size * count;
    return t->header_bytes > MOST_HEADER_BYTES ? 0 : size * count;
}

/* Not for our child processes: they are to see no conversation but their own. */
static curl_socket_t open_socket(void *state, curlsocktype purpose,
                                 struct curl_sockaddr *address)
{
    (void)state;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

#define SET(t, option, value)                                                          \
    MT_ASSERT(curl_easy_setopt((t)->easy, option, (value)) == CURLE_OK)

static void set_source(transfer *t, const rt_source *s)
{
    SET(t, CURLOPT_NOSIGNAL, 1L);
    SET(t, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(t, CURLOPT_PROTOCOLS_STR, "http,https");
    SET(t, CURLOPT_FOLLOWLOCATION, 0L);
    SET(t, CURLOPT_PROXY, s->proxy.len ? s->proxy.ptr : "");
    SET(t, CURLOPT_HTTPHEADER, s->header_list);
    SET(t, CURLOPT_USERAGENT, "motet");
    SET(t, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)s->max_bytes);
    if (s->ca_file.len) {
        SET(t, CURLOPT_CAINFO, s->ca_file.ptr);
    }
    if (s->user.len) {
        SET(t, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        SET(t, CURLOPT_USERNAME, s->user.ptr);
        SET(t, CURLOPT_PASSWORD, s->password.ptr);
    }
}

static void set_times(transfer *t, const rt_job *job)
{
    int64_t left = job->deadline - rt_now_ms();
    int64_t connect = (int64_t)job->source->connect_timeout;
    left = left > 0 ? left : 1;
    SET(t, CURLOPT_TIMEOUT_MS, (long)left);
    SET(t, CURLOPT_CONNECTTIMEOUT_MS, (long)(connect < left ? connect : left));
}

static void free_transfer(rt_job *job)
{
    transfer *t = job->state;
    if (t->easy) {
        curl_multi_remove_handle(job->fetching->multi, t->easy);
        curl_easy_cleanup(t->easy);
        t->easy = NULL;
    }
    mt_buf_free(&t->body);
    /* It may hold the credential of {query: …}. */
    explicit_bzero((void *)(uintptr_t)t->url.ptr, t->url.len);
}

static void give_up(rt_job *job)
{
    rt_answer_all(job, RT_FACT_TIMEOUT, "source '%.*s' did not answer in time",
                  MT_ARG(job->source->decl->id));
    free_transfer(job);
}

static void start(rt_job *job)
{
    transfer *t = job->state;
    t->easy = curl_easy_init();
    MT_ASSERT(t->easy);
    t->body = (mt_buf){.ceiling = job->source->max_bytes};
    t->header_bytes = 0;
    set_source(t, job->source);
    set_times(t, job);
    SET(t, CURLOPT_WRITEFUNCTION, take_body);
    SET(t, CURLOPT_WRITEDATA, t);
    SET(t, CURLOPT_HEADERFUNCTION, take_header);
    SET(t, CURLOPT_HEADERDATA, t);
    SET(t, CURLOPT_PRIVATE, job);
    if (t->post.ptr) {
        SET(t, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->post.len);
        SET(t, CURLOPT_POSTFIELDS, t->post.ptr);
    }
    if (curl_easy_setopt(t->easy, CURLOPT_URL, t->url.ptr) ||
        curl_multi_add_handle(job->fetching->multi, t->easy)) {
        rt_answer_all(job, RT_FACT_UNREACHABLE, "source '%.*s' cannot be asked",
                      MT_ARG(job->source->decl->id));
        free_transfer(job);
    }
}

static rt_job *add_transfer(rt_fetching *f, rt_source *s, rt_question *q, mt_str url,
                            mt_str post)
{
    rt_job *job = rt_job_add(f, s, &q, 1);
    transfer *t = mt_new(f->arena, transfer);
    *t = (transfer){.url = url, .post = post};
    job->state = t;
    job->give_up = give_up;
    return job;
}

/* The job of this source that asks the same already, or NULL. */
static rt_job *find_same(rt_fetching *f, const rt_source *s, mt_str url, mt_str post)
{
    for (size_t i = 0; i < f->jobs.len; i++) {
        rt_job *job = f->jobs.items[i];
        const transfer *t = job->state;
        if (job->source == s && mt_str_eq(t->url, url) && mt_str_eq(t->post, post)) {
            return job;
        }
    }
    return NULL;
}

static void join(rt_fetching *f, rt_job *job, rt_question *q)
{
    rt_question **more = mt_new_array(f->arena, rt_question *, job->count + 1);
    memcpy(more, job->questions, job->count * sizeof *more);
    more[job->count++] = q;
    job->questions = more;
}

static void ask(rt_fetching *f, rt_source *s, rt_question *q, mt_str url, mt_str post)
{
    rt_job *job = find_same(f, s, url, post);
    if (job) {
        join(f, job, q);
    } else {
        add_transfer(f, s, q, url, post);
    }
}

static void start_all(rt_fetching *f, const rt_source *s)
{
    int running;
    for (size_t i = 0; i < f->jobs.len; i++) {
        if (f->jobs.items[i]->source == s) {
            start(f->jobs.items[i]);
        }
    }
    curl_multi_perform(f->multi, &running); /* on their way while others are asked */
}

static mt_str url_of(rt_fetching *f, const rt_source *s, const rt_question *q)
{
    mt_buf url = {0};
    mt_buf_adds(&url, s->base_url);
    if (s->kind == RT_HTTP) {
        mt_buf_addc(&url, '/');
        rt_template_fill_url(&url, &q->plan->resource, q->values);
    }
    if (s->auth_query.len) {
        mt_buf_addc(&url, memchr(url.ptr, '?', url.len) ? '&' : '?');
        mt_buf_adds(&url, s->auth_query);
    }
    mt_str copy = mt_str_dup(f->arena, mt_buf_str(&url));
    explicit_bzero(url.ptr, url.len);
    mt_buf_free(&url);
    return copy;
}

void rt_http_ask(rt_fetching *f, rt_source *s, rt_question **questions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ask(f, s, questions[i], url_of(f, s, questions[i]), (mt_str){0});
    }
    start_all(f, s);
}

/* ---- Answers ---- */

static const struct {
    CURLcode code;
    rt_fact_error error;
} CURL_ERRORS[] = {
    {CURLE_OPERATION_TIMEDOUT, RT_FACT_TIMEOUT},
    {CURLE_FILESIZE_EXCEEDED, RT_FACT_TOO_LARGE},
    {CURLE_WRITE_ERROR, RT_FACT_TOO_LARGE}, /* only our limits refuse bytes */
    {CURLE_PARTIAL_FILE, RT_FACT_MALFORMED},
    {CURLE_GOT_NOTHING, RT_FACT_MALFORMED},
    {CURLE_RECV_ERROR, RT_FACT_MALFORMED},
    {CURLE_WEIRD_SERVER_REPLY, RT_FACT_MALFORMED},
    {CURLE_UNSUPPORTED_PROTOCOL, RT_FACT_MALFORMED},
    {CURLE_BAD_CONTENT_ENCODING, RT_FACT_MALFORMED},
};

static rt_fact_error error_of(CURLcode code)
{
    for (size_t i = 0; i < sizeof CURL_ERRORS / sizeof *CURL_ERRORS; i++) {
        if (CURL_ERRORS[i].code == code) {
            return CURL_ERRORS[i].error;
        }
    }
    return RT_FACT_UNREACHABLE;
}

/* Goes on where a redirect points, if that is allowed. */
static bool follow(rt_job *job)
{
    transfer *t = job->state;
    char *target = NULL;
    curl_easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, &target);
    mt_str url = mt_str_z(target);
    if (!target || t->redirects >= job->source->redirects ||
        !mt_str_eq(origin_of(url), origin_of(job->source->base_url)) || t->post.ptr) {
        return false;
    }
    url = mt_str_dup(job->fetching->arena, url);
    free_transfer(job);
    t->url = url;
    t->redirects++;
    start(job);
    return true;
}

static void read_graphql(rt_job *job, const mt_json *root, mt_str raw)
{
    const mt_json *errors = mt_json_at(root, "errors");
    if (mt_json_is(errors, MT_JSON_ARRAY) && errors->count) {
        mt_str message = mt_json_text(mt_json_at(&errors->as.items[0], "message"));
        message.len = message.len < 200 ? message.len : 200;
        rt_answer_all(job, RT_FACT_REFUSED, "source '%.*s' refused the query: %.*s",
                      MT_ARG(job->source->decl->id), MT_ARG(message));
        return;
    }
    const mt_json *data = mt_json_at(root, "data");
    for (size_t i = 0; i < job->count; i++) {
        rt_question *q = job->questions[i];
        rt_answer_json(job->fetching, q, rt_select(data, &q->plan->select, q->values),
                       raw);
    }
}

static void read_body(rt_job *job)
{
    transfer *t = job->state;
    mt_json root;
    mt_json_error error = {0};
    mt_str raw = mt_buf_str(&t->body);
    mt_json_limits limits = {.bytes = job->source->max_bytes};
    if (mt_json_read(job->fetching->arena, raw, &limits, &root, &error)) {
        rt_answer_all(job, RT_FACT_MALFORMED,
                      "the answer of source '%.*s' is no JSON: %s",
                      MT_ARG(job->source->decl->id), error.message);
        return;
    }
    if (job->source->kind == RT_GRAPHQL) {
        read_graphql(job, &root, raw);
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        rt_question *q = job->questions[i];
        rt_answer_json(job->fetching, q, rt_select(&root, &q->plan->select, q->values),
                       raw);
    }
}

static void read_status(rt_job *job, long status)
{
    mt_str id = job->source->decl->id;
    if (status >= 200 && status < 300) {
        read_body(job);
    } else if (status >= 300 && status < 400) {
        if (follow(job)) {
            return;
        }
        rt_answer_all(
            job, RT_FACT_REDIRECT,
            "source '%.*s' answered with a redirect (%ld) that is not followed",
            MT_ARG(id), status);
    } else {
        bool none = status == 404 || status == 410;
        rt_answer_all(job, none ? RT_FACT_NOT_FOUND : RT_FACT_STATUS,
                      "source '%.*s' answered with status %ld", MT_ARG(id), status);
    }
    job->done = true;
    free_transfer(job);
}

void rt_http_harvest(rt_fetching *f)
{
    int left;
    for (CURLMsg *m; (m = curl_multi_info_read(f->multi, &left));) {
        char *private = NULL;
        long status = 0;
        CURLcode code = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &private);
        curl_easy_getinfo(m->easy_handle, CURLINFO_RESPONSE_CODE, &status);
        rt_job *job = (rt_job *)(void *)private;
        if (code == CURLE_OK) {
            read_status(job, status);
        } else {
            rt_answer_all(job, error_of(code), "source '%.*s': %s",
                          MT_ARG(job->source->decl->id), curl_easy_strerror(code));
            free_transfer(job);
        }
    }
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

bool rt_graphql_plan(rt_opening *o, const rt_source *s, rt_fact_plan *p)
{
    mt_arena *a = &o->adapters->arena;
    mt_str select = p->select_text.len ? p->select_text : p->path_text;
    if (!p->query.len && !default_query(a, p->path_text, &p->query)) {
        return rt_fact_fault(o, p, RT_F_FACT,
                             "fact '%.*s' of graphql source '%.*s' needs a query",
                             MT_ARG(p->fact->id), MT_ARG(s->decl->id));
    }
    if (!rt_selector_parse(a, select, &p->names, &p->select)) {
        return rt_fact_fault(o, p, RT_F_FACT, "fact '%.*s' needs a select",
                             MT_ARG(p->fact->id));
    }
    return rt_plan_parameters(o, p);
}

static mt_str graphql_body(rt_fetching *f, const rt_question *q)
{
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "query", q->plan->query);
    mt_jw_keyz(&w, "variables");
    mt_jw_begin_object(&w);
    for (size_t i = 0; i < q->plan->bound_count; i++) {
        uint32_t name = q->plan->bound[i];
        mt_jw_key(&w, q->plan->names.items[name]);
        mt_jw_str(&w, q->values[name]);
    }
    mt_jw_end_object(&w);
    mt_jw_end_object(&w);
    mt_str copy = mt_str_dup(f->arena, mt_buf_str(&body));
    mt_buf_free(&body);
    return copy;
}

void rt_graphql_ask(rt_fetching *f, rt_source *s, rt_question **qs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ask(f, s, qs[i], url_of(f, s, qs[i]), graphql_body(f, qs[i]));
    }
    start_all(f, s);
}
