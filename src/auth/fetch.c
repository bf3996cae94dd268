/* auth/fetch.c - one answer from a provider, through the one outgoing gate.
 * Room: auth. The URL comes from what a provider says about itself, so it is
 * foreign: its origin must be listed, and the address that its name leads to is
 * judged at the moment of connecting. A check before that could be led elsewhere by
 * a name that changes. Redirects and proxies are off, for both would decide where
 * the request goes.
 * May fail as fetch.h says. Messages name the origin and never the URL or the
 * answer: either may have a code or a secret in it. */
#include "auth/fetch.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/late_curl.h"

/* Somebody who signs in may be waiting for it. */
enum { CONNECT_MS = 3000, ALL_MS = 8000 };

typedef struct transfer {
    const ad_gate *gate;
    mt_str host;
    mt_buf *out;
    size_t most;
    bool kept_in, too_long;
} transfer;

/* Where a name leads is known only here. */
static curl_socket_t open_socket(void *state, curlsocktype purpose,
                                 struct curl_sockaddr *address)
{
    transfer *t = state;
    (void)purpose;
    if (!ad_gate_address(t->gate, t->host, &address->addr)) {
        t->kept_in = true;
        errno = EACCES;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* Less than it was given ends the transfer: the answer is bounded, whoever sends it. */
static size_t take(char *data, size_t size, size_t count, void *state)
{
    transfer *t = state;
    size_t n = size * count;
    if (t->out->len + n > t->most) {
        t->too_long = true;
        return 0;
    }
    mt_buf_add(t->out, data, n);
    return n;
}

/* The library asks at least once a second. */
static int is_to_end(void *state, curl_off_t down, curl_off_t now_down, curl_off_t up,
                     curl_off_t now_up)
{
    const atomic_bool *ending = state;
    (void)down, (void)now_down, (void)up, (void)now_up;
    return atomic_load(ending);
}

#define SET(option, value) (void)curl_easy_setopt(easy, option, (value))

static void set_up(CURL *easy, const au_ask *ask, transfer *t)
{
    SET(CURLOPT_URL, ask->url.ptr);
    /* Without it the library uses alarm signals for its time-outs, which threads
     * share. */
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, t);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    /* An empty proxy overrides those of the environment, an empty list its
     * exceptions. */
    SET(CURLOPT_NOPROXY, "");
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_USERAGENT, "motet");
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_TIMEOUT_MS, (long)ALL_MS);
    SET(CURLOPT_WRITEFUNCTION, take);
    SET(CURLOPT_WRITEDATA, t);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, is_to_end);
    SET(CURLOPT_XFERINFODATA, (void *)(uintptr_t)ask->ending);
    if (ask->ca_file.len) {
        SET(CURLOPT_CAINFO, ask->ca_file.ptr);
    }
    if (ask->form.len) {
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)ask->form.len);
        SET(CURLOPT_POSTFIELDS, ask->form.ptr);
    }
    if (ask->user.len) {
        SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        SET(CURLOPT_USERNAME, ask->user.ptr);
        SET(CURLOPT_PASSWORD, ask->password.ptr);
    }
}

/* ORDER: an address that was held back first, since the library then only knows that it
 * could not connect. */
static mt_err perform(CURL *easy, const transfer *t, mt_str origin, mt_buf *why)
{
    long status = 0;
    CURLcode code = curl_easy_perform(easy);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (t->kept_in) {
        mt_buf_addf(why, "%.*s leads to an address that `outgoing` does not list",
                    MT_ARG(origin));
        return MT_E_DENIED;
    }
    if (code != CURLE_OK) {
        mt_buf_addf(why, "%.*s: %s", MT_ARG(origin),
                    t->too_long ? "the answer is too long" : curl_easy_strerror(code));
        return MT_E_IO;
    }
    if (status != 200) {
        mt_buf_addf(why, "%.*s answered %ld", MT_ARG(origin), status);
        return MT_E_IO;
    }
    return MT_OK;
}

mt_err au_fetch(const ad_gate *gate, const au_ask *ask, mt_buf *out, mt_buf *why)
{
    mt_arena a = {0};
    ad_url url;
    const char *missing = mt_late_load(&mt_late_curl);
    if (missing) {
        mt_buf_addz(why, missing);
        return MT_E_IO;
    }
    mt_err err = MT_OK;
    if (!ad_url_read(&a, ask->url, &url) || url.has_user ||
        !ad_gate_origin(gate, url.origin)) {
        mt_buf_addz(why, "it is not of an origin that the configuration names");
        err = MT_E_DENIED;
    }
    CURL *easy = err ? NULL : curl_easy_init();
    if (easy) {
        transfer t = {.gate = gate, .host = url.host, .out = out, .most = ask->most};
        set_up(easy, ask, &t);
        err = perform(easy, &t, url.origin, why);
        curl_easy_cleanup(easy);
    } else {
        err = err ? err : MT_E_IO;
    }
    mt_arena_free(&a);
    return err;
}
