/* adapter/post.c - one request to an address that the operator's configuration
 * names.
 * Room: adapter. The order of trust: the URL is ours, the name server is not, the
 * answer is not. So the gate judges the address at the moment of connecting, header
 * and body have ceilings that end the transfer where they are crossed, and nothing
 * leads the request elsewhere (no redirect, no proxy).
 * May fail as post.h says; `kept_in` and `too_long` remember what a callback did,
 * since the library only tells that some callback ended it. Threads: every call has
 * its own handle; only loading the library is shared. */
#include "adapter/post.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "base/late_curl.h"

/* Headers are not kept, but an endless one would keep the thread until the time is
 * up. */
enum { HEADER_BYTES = 64 << 10 };

typedef struct sending {
    const ad_post *post;
    ad_url url;
    mt_buf *answer;
    size_t header_bytes;
    bool kept_in, too_long;
} sending;

static size_t take_body(char *bytes, size_t size, size_t count, void *state)
{
    sending *s = state;
    s->too_long = s->answer->len + size * count > s->post->max_bytes;
    if (s->too_long) {
        return 0;
    }
    mt_buf_add(s->answer, bytes, size * count);
    return size * count;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *state)
{
    sending *s = state;
    (void)bytes;
    s->header_bytes += size * count;
    return s->header_bytes > HEADER_BYTES ? 0 : size * count;
}

/* The last moment before a connection, and the only one that knows where it goes. */
static curl_socket_t open_socket(void *state, curlsocktype purpose,
                                 struct curl_sockaddr *address)
{
    sending *s = state;
    (void)purpose;
    if (s->post->gate && !ad_gate_address(s->post->gate, s->url.host, &address->addr)) {
        s->kept_in = true;
        errno = EACCES;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* Called once a second at least; anything but 0 ends the transfer. */
static int look_for_stop(void *state, curl_off_t a, curl_off_t b, curl_off_t c,
                         curl_off_t d)
{
    const sending *s = state;
    (void)a, (void)b, (void)c, (void)d;
    return s->post->stop && atomic_load(s->post->stop);
}

#define SET(option, value)                                                             \
    MT_ASSERT(curl_easy_setopt(easy, option, (value)) == CURLE_OK)

static void set_up(CURL *easy, sending *s, struct curl_slist *fields, const char *url)
{
    const ad_post *p = s->post;
    SET(CURLOPT_URL, url);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2); /* at least */
    SET(CURLOPT_USERAGENT, "motet");
    SET(CURLOPT_HTTPHEADER, fields);
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDS, p->body.ptr);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)p->body.len);
    SET(CURLOPT_TIMEOUT_MS, (long)p->timeout_ms);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, s);
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, s);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, s);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, look_for_stop);
    SET(CURLOPT_XFERINFODATA, s);
    if (p->ca_file) {
        SET(CURLOPT_CAINFO, p->ca_file);
    }
}

static mt_err judge(const sending *s, CURLcode code, mt_buf *why)
{
    if (code == CURLE_OK) {
        return MT_OK;
    }
    if (s->kept_in) {
        mt_buf_addf(why,
                    "its address is neither public nor in `outgoing.networks`, so it "
                    "is not connected to");
        return MT_E_DENIED;
    }
    mt_buf_addz(why, s->too_long ? "the answer is too long" : curl_easy_strerror(code));
    return s->too_long                         ? MT_E_LIMIT
           : code == CURLE_OPERATION_TIMEDOUT  ? MT_E_TIMEOUT
           : code == CURLE_ABORTED_BY_CALLBACK ? MT_E_CLOSED
                                               : MT_E_IO;
}

static void start_curl(void)
{
    curl_global_init(CURL_GLOBAL_ALL);
}

static mt_err send_it(sending *s, CURL *easy, mt_arena *a, long *status, mt_buf *why)
{
    mt_str type = mt_strf(a, "Content-Type: %s", s->post->type);
    struct curl_slist *fields = curl_slist_append(NULL, type.ptr);
    /* The library asks "Expect: 100-continue" before a large body and waits a second
     * for servers that do not answer it. An empty field takes the header out. */
    fields = fields ? curl_slist_append(fields, "Expect:") : NULL;
    for (const char *const *h = s->post->headers; h && *h && fields; h++) {
        fields = curl_slist_append(fields, *h);
    }
    set_up(easy, s, fields, mt_str_dup(a, s->post->url).ptr);
    CURLcode code = curl_easy_perform(easy);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, status);
    curl_slist_free_all(fields);
    return judge(s, code, why);
}

mt_err ad_post_send(const ad_post *post, long *status, mt_buf *answer, mt_buf *why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    mt_arena a = {0};
    sending s = {.post = post, .answer = answer};
    const char *missing = mt_late_load(&mt_late_curl);
    *status = 0;
    if (missing) {
        mt_buf_addz(why, missing);
        return MT_E_IO;
    }
    /* Not safe while other threads use the library, so it comes before the first
     * handle. */
    pthread_once(&once, start_curl);
    mt_err err = MT_E_IO;
    if (!ad_url_read(&a, post->url, &s.url) || s.url.has_user) {
        mt_buf_addz(why, "it is not a plain http or https address");
        err = MT_E_USAGE;
    } else {
        CURL *easy = curl_easy_init();
        err = easy ? send_it(&s, easy, &a, status, why) : MT_E_IO;
        if (easy) {
            curl_easy_cleanup(easy);
        }
    }
    mt_arena_free(&a);
    return err;
}
