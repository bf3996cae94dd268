/* adapter/http.c - facts from HTTP resources and GraphQL endpoints (libcurl); transfers
 * for gRPC, too, whose messages are the business of grpc.c.
 *
 * One transfer per distinct question: facts that lie in one resource share it. Only
 * http and https are spoken; no cookies, no .netrc, no proxy from the environment. A
 * redirect is followed only when allowed, and never to another origin, so credentials
 * stay where they were meant to go.
 *
 * Order: URLs are made from the plan, equal ones joined, transfers started on the
 * fetch's multi handle; ad_http_harvest() takes those that ended: a redirect begins
 * the next transfer of the same job, a status other than 2xx is an error, a body is
 * read as JSON and each question's value selected from it.
 *
 * Bounds: bytes of body and headers, time to connect and for the whole, number of
 * redirects. The gate judges every address when the socket is opened; a transfer that
 * was kept in says so. Credentials are in header lines and a query part that no
 * message shows. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "adapter/impl.h"
#include "os/clock.h"

enum { MOST_HEADER_BYTES = 64 * 1024, FRAME_HEAD = 5 /* of a gRPC message */ };
#define MOST_WAIT 99999999 /* eight digits, as gRPC has it */

/* One transfer. */
typedef struct transfer {
    CURL *easy;
    mt_buf body, head; /* of the answer; head of gRPC only */
    size_t header_bytes;
    mt_str post; /* ptr NULL: GET */
    mt_str url;
    size_t redirects;
    const ad_source *source;
    bool connecting, kept_in;   /* to some address; from some address */
    struct curl_slist *headers; /* its own, or NULL: those of the source */
} transfer;

/* ---- Transfers ---- */

static size_t take_body(char *bytes, size_t size, size_t count, void *state)
{
    transfer *t = state;
    mt_buf_add(&t->body, bytes, size * count);
    if (t->source->kind == AD_GRPC && t->body.len >= FRAME_HEAD) {
        const unsigned char *b = (const unsigned char *)t->body.ptr;
        size_t len = (size_t)b[1] << 24 | (size_t)b[2] << 16 | (size_t)b[3] << 8 | b[4];
        t->body.full |= len > t->source->max_bytes; /* it need not be waited for */
    }
    return t->body.full ? 0 : size * count;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *state)
{
    transfer *t = state;
    t->header_bytes += size * count;
    if (t->source->kind == AD_GRPC && t->header_bytes <= MOST_HEADER_BYTES) {
        mt_buf_add(&t->head, bytes, size * count);
    }
    return t->header_bytes > MOST_HEADER_BYTES ? 0 : size * count;
}

/* The last moment before a connection, and the only one that knows where it goes: names
 * may have changed, and the gate judges the address itself. Not for our child
 * processes: they are to see no conversation but their own. */
static curl_socket_t open_socket(void *state, curlsocktype purpose,
                                 struct curl_sockaddr *address)
{
    transfer *t = state;
    const ad_gate *gate = t->source->adapters->options.gate;
    (void)purpose;
    if (gate && !ad_gate_address(gate, t->source->peer, &address->addr)) {
        t->kept_in = true;
        errno = EACCES;
        return CURL_SOCKET_BAD;
    }
    t->connecting = true;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

#define SET(t, option, value)                                                          \
    MT_ASSERT(curl_easy_setopt((t)->easy, option, (value)) == CURLE_OK)

/* max_bytes is what a message may have. */
static size_t most_bytes(const ad_source *s)
{
    return s->max_bytes + (s->kind == AD_GRPC ? FRAME_HEAD : 0);
}

/* Redirects are not libcurl's business (follow() decides), proxies are not the
 * environment's, and every socket is opened by open_socket(), which looks at the
 * address. */
static void set_source(transfer *t, const ad_source *s)
{
    SET(t, CURLOPT_NOSIGNAL, 1L);
    SET(t, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(t, CURLOPT_OPENSOCKETDATA, t);
    SET(t, CURLOPT_PROTOCOLS_STR, "http,https");
    SET(t, CURLOPT_FOLLOWLOCATION, 0L);
    SET(t, CURLOPT_PROXY, s->proxy.len ? s->proxy.ptr : "");
    SET(t, CURLOPT_NOPROXY, ""); /* nor from the environment */
    SET(t, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2); /* at least */
    SET(t, CURLOPT_HTTPHEADER, t->headers ? t->headers : s->header_list);
    SET(t, CURLOPT_USERAGENT, "motet");
    SET(t, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)most_bytes(s));
    if (s->kind == AD_GRPC) {
        SET(t, CURLOPT_HTTP_VERSION,
            mt_str_starts(s->origin, MT_STR("https:"))
                ? (long)CURL_HTTP_VERSION_2TLS
                : (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
    }
    if (s->ca_file.len) {
        SET(t, CURLOPT_CAINFO, s->ca_file.ptr);
    }
    if (s->user.len) {
        SET(t, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        SET(t, CURLOPT_USERNAME, s->user.ptr);
        SET(t, CURLOPT_PASSWORD, s->password.ptr);
    }
}

static void set_times(transfer *t, const ad_job *job)
{
    int64_t left = job->deadline - os_now_ms();
    int64_t connect = (int64_t)job->source->connect_timeout;
    left = left > 0 ? left : 1;
    SET(t, CURLOPT_TIMEOUT_MS, (long)left);
    SET(t, CURLOPT_CONNECTTIMEOUT_MS, (long)(connect < left ? connect : left));
}

/* Removed from the multi handle before it is freed; the other order leaves the library
 * with a pointer to it. */
static void free_transfer(ad_job *job)
{
    transfer *t = job->state;
    if (t->easy) {
        curl_multi_remove_handle(job->fetching->multi, t->easy);
        curl_easy_cleanup(t->easy);
        t->easy = NULL;
    }
    curl_slist_free_all(t->headers);
    t->headers = NULL;
    mt_buf_free(&t->body);
    mt_buf_free(&t->head);
    /* It may hold the credential of {query: …}. */
    explicit_bzero((void *)(uintptr_t)t->url.ptr, t->url.len);
}

static void give_up(ad_job *job)
{
    ad_answer_all(job, AD_FACT_TIMEOUT, "source '%.*s' did not answer in time",
                  MT_ARG(job->source->decl->id));
    free_transfer(job);
}

/* Of the origin that the source was set up for. What follows a '?' may be a credential
 * and is not copied. */
static bool is_own(const ad_job *job, mt_str url)
{
    ad_url read;
    mt_str start = mt_str_from(url.ptr, mt_str_find(url, '?'));
    return ad_url_read(job->fetching->arena, start, &read) &&
           mt_str_eq(read.origin, job->source->origin);
}

/* The source's own, with what differs from request to request: the trace it is part of,
 * and for gRPC how long the caller waits. NULL: there is nothing of that. */
static struct curl_slist *own_headers(const ad_job *job)
{
    mt_str parent = job->fetching->fetch->traceparent;
    bool waits = job->source->kind == AD_GRPC;
    struct curl_slist *list = NULL;
    if (!parent.len && !waits) {
        return NULL;
    }
    for (struct curl_slist *h = job->source->header_list; h; h = h->next) {
        list = curl_slist_append(list, h->data);
    }
    if (waits) {
        int64_t left = job->deadline - os_now_ms();
        mt_str line = mt_strf(job->fetching->arena, "grpc-timeout: %lldm",
                              (long long)(left < 1           ? 1
                                          : left > MOST_WAIT ? MOST_WAIT
                                                             : left));
        list = curl_slist_append(list, line.ptr);
    }
    if (parent.len) {
        mt_str line =
            mt_strf(job->fetching->arena, "traceparent: %.*s", MT_ARG(parent));
        list = curl_slist_append(list, line.ptr);
    }
    return list;
}

/* Also for a second try after a redirect: nothing of the first answer may remain. */
static void start(ad_job *job)
{
    transfer *t = job->state;
    t->easy = curl_easy_init();
    MT_ASSERT(t->easy);
    t->body = (mt_buf){.ceiling = most_bytes(job->source)};
    mt_buf_clear(&t->head);
    t->header_bytes = 0;
    t->connecting = t->kept_in = false;
    t->headers = own_headers(job);
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
    if (!is_own(job, t->url) || curl_easy_setopt(t->easy, CURLOPT_URL, t->url.ptr) ||
        curl_multi_add_handle(job->fetching->multi, t->easy)) {
        ad_answer_all(job, AD_FACT_UNREACHABLE, "source '%.*s' cannot be asked",
                      MT_ARG(job->source->decl->id));
        free_transfer(job);
    }
}

/* ---- Answers ---- */

static const struct {
    CURLcode code;
    ad_fact_error error;
} CURL_ERRORS[] = {
    {CURLE_OPERATION_TIMEDOUT, AD_FACT_TIMEOUT},
    {CURLE_FILESIZE_EXCEEDED, AD_FACT_TOO_LARGE},
    {CURLE_WRITE_ERROR, AD_FACT_TOO_LARGE}, /* only our limits refuse bytes */
    {CURLE_PARTIAL_FILE, AD_FACT_MALFORMED},
    {CURLE_GOT_NOTHING, AD_FACT_MALFORMED},
    {CURLE_RECV_ERROR, AD_FACT_MALFORMED},
    {CURLE_WEIRD_SERVER_REPLY, AD_FACT_MALFORMED},
    {CURLE_UNSUPPORTED_PROTOCOL, AD_FACT_MALFORMED},
    {CURLE_BAD_CONTENT_ENCODING, AD_FACT_MALFORMED},
    {CURLE_HTTP2, AD_FACT_MALFORMED},
    {CURLE_HTTP2_STREAM, AD_FACT_MALFORMED},
};

static ad_fact_error error_of(CURLcode code)
{
    for (size_t i = 0; i < sizeof CURL_ERRORS / sizeof *CURL_ERRORS; i++) {
        if (CURL_ERRORS[i].code == code) {
            return CURL_ERRORS[i].error;
        }
    }
    return AD_FACT_UNREACHABLE;
}

/* Goes on where a redirect points, if that is allowed. */
static bool follow(ad_job *job)
{
    transfer *t = job->state;
    char *target = NULL;
    curl_easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, &target);
    mt_str url = mt_str_z(target);
    if (!target || t->redirects >= job->source->redirects || !is_own(job, url) ||
        t->post.ptr) {
        return false;
    }
    url = mt_str_dup(job->fetching->arena, url);
    free_transfer(job);
    t->url = url;
    t->redirects++;
    start(job);
    return true;
}

/* One error refuses all: with errors, data may be null in places that look like
 * answers. */
static void read_graphql(ad_job *job, const mt_json *root, mt_str raw)
{
    const mt_json *errors = mt_json_at(root, "errors");
    if (mt_json_is(errors, MT_JSON_ARRAY) && errors->count) {
        mt_str message = mt_json_text(mt_json_at(&errors->as.items[0], "message"));
        message.len = message.len < 200 ? message.len : 200;
        ad_answer_all(job, AD_FACT_REFUSED, "source '%.*s' refused the query: %.*s",
                      MT_ARG(job->source->decl->id), MT_ARG(message));
        return;
    }
    const mt_json *data = mt_json_at(root, "data");
    for (size_t i = 0; i < job->count; i++) {
        ad_question *q = job->questions[i];
        ad_answer_json(job->fetching, q, ad_select(data, &q->plan->select, q->values),
                       raw);
    }
}

/* One answer for all questions of the job, since they asked for the same resource; each
 * selects its own part. The bytes are recorded as they came (§5.3). */
static void read_body(ad_job *job)
{
    transfer *t = job->state;
    mt_json root;
    mt_json_error error = {0};
    mt_str raw = mt_buf_str(&t->body);
    mt_json_limits limits = {.bytes = job->source->max_bytes};
    if (mt_json_read(job->fetching->arena, raw, &limits, &root, &error)) {
        ad_answer_all(job, AD_FACT_MALFORMED,
                      "the answer of source '%.*s' is not JSON: %s",
                      MT_ARG(job->source->decl->id), error.message);
        return;
    }
    if (job->source->kind == AD_GRAPHQL) {
        read_graphql(job, &root, raw);
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        ad_question *q = job->questions[i];
        ad_answer_json(job->fetching, q, ad_select(&root, &q->plan->select, q->values),
                       raw);
    }
}

/* Only 2xx is read; a redirect is followed if the origin is allowed, everything else
 * is an error by its class. */
static void read_status(ad_job *job, long status)
{
    mt_str id = job->source->decl->id;
    if (status >= 200 && status < 300) {
        read_body(job);
    } else if (status >= 300 && status < 400) {
        if (follow(job)) {
            return;
        }
        ad_answer_all(
            job, AD_FACT_REDIRECT,
            "source '%.*s' answered with a redirect (%ld) that is not followed",
            MT_ARG(id), status);
    } else {
        bool none = status == 404 || status == 410;
        ad_answer_all(job, none ? AD_FACT_NOT_FOUND : AD_FACT_STATUS,
                      "source '%.*s' answered with status %ld", MT_ARG(id), status);
    }
    job->done = true;
    free_transfer(job);
}

/* `kept_in`: the address was refused by the gate, which libcurl only knows as "could
 * not connect". */
static void transferred(ad_job *job, CURLcode code)
{
    const transfer *t = job->state;
    mt_str id = job->source->decl->id;
    long status = 0;
    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK && job->source->kind == AD_GRPC) {
        long version = 0;
        curl_easy_getinfo(t->easy, CURLINFO_HTTP_VERSION, &version);
        ad_grpc_read(job, &(ad_reply){status, version == CURL_HTTP_VERSION_2_0,
                                      mt_buf_str(&t->head), mt_buf_str(&t->body)});
        job->done = true;
        free_transfer(job);
        return;
    }
    if (code == CURLE_OK) {
        read_status(job, status);
        return;
    }
    if (t->kept_in && !t->connecting) {
        ad_answer_all(job, AD_FACT_NOT_ALLOWED,
                      "source '%.*s': the address of %.*s is not a public one and "
                      "not in outgoing.networks of the configuration",
                      MT_ARG(id), MT_ARG(job->source->peer));
    } else {
        ad_answer_all(job, error_of(code), "source '%.*s': %s", MT_ARG(id),
                      curl_easy_strerror(code));
    }
    free_transfer(job);
}

/* ---- Asking ---- */

static ad_job *add_transfer(ad_fetching *f, ad_source *s, ad_question *q, mt_str url,
                            mt_str post)
{
    ad_job *job = ad_job_add(f, s, &q, 1);
    transfer *t = mt_new(f->arena, transfer);
    *t = (transfer){.url = url, .post = post, .source = s};
    job->state = t;
    job->give_up = give_up;
    job->transferred = transferred;
    return job;
}

/* The job of this source that asks the same already, or NULL. */
static ad_job *find_same(ad_fetching *f, const ad_source *s, mt_str url, mt_str post)
{
    for (size_t i = 0; i < f->jobs.len; i++) {
        ad_job *job = f->jobs.items[i];
        const transfer *t = job->state;
        if (job->source == s && mt_str_eq(t->url, url) && mt_str_eq(t->post, post)) {
            return job;
        }
    }
    return NULL;
}

static void join(ad_fetching *f, ad_job *job, ad_question *q)
{
    ad_question **more = mt_new_array(f->arena, ad_question *, job->count + 1);
    memcpy(more, job->questions, job->count * sizeof *more);
    more[job->count++] = q;
    job->questions = more;
}

void ad_http_post(ad_fetching *f, ad_source *s, ad_question *q, mt_str url, mt_str post)
{
    ad_job *job = find_same(f, s, url, post);
    if (job) {
        join(f, job, q);
    } else {
        add_transfer(f, s, q, url, post);
    }
}

void ad_http_start(ad_fetching *f, const ad_source *s)
{
    int running;
    for (size_t i = 0; i < f->jobs.len; i++) {
        if (f->jobs.items[i]->source == s) {
            start(f->jobs.items[i]);
        }
    }
    curl_multi_perform(f->multi, &running); /* on their way while others are asked */
}

/* May hold a key in its query, so the buffer is wiped; the copy lives in the fetch's
 * arena. */
static mt_str url_of(ad_fetching *f, const ad_source *s, const ad_question *q)
{
    mt_buf url = {0};
    mt_buf_adds(&url, s->base_url);
    if (s->kind == AD_HTTP) {
        mt_buf_addc(&url, '/');
        ad_template_fill_url(&url, &q->plan->resource, q->values);
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

void ad_http_ask(ad_fetching *f, ad_source *s, ad_question **questions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ad_http_post(f, s, questions[i], url_of(f, s, questions[i]), (mt_str){0});
    }
    ad_http_start(f, s);
}

/* ---- GraphQL ---- */

/* The query is the author's; values go into variables, never into its text, so a
 * parameter cannot change what is asked. */
static mt_str graphql_body(ad_fetching *f, const ad_question *q)
{
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "query", q->plan->query);
    mt_jw_keyz(&w, "variables");
    mt_jw_begin_unsorted(&w);
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

void ad_graphql_ask(ad_fetching *f, ad_source *s, ad_question **qs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ad_http_post(f, s, qs[i], url_of(f, s, qs[i]), graphql_body(f, qs[i]));
    }
    ad_http_start(f, s);
}
