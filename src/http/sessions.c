/* http/sessions.c - see sessions.h. Room: http.
 * Two tables of the same make: rows found by a digest, each with an end on the
 * monotonic clock. A full table loses what is over, or else what would end first.
 * INVARIANT: a cookie itself is kept nowhere, except that of a login until it is taken.
 * Threads: any; one lock over both tables, never held while anybody is asked. What
 * is random comes from the system (32 bytes, so guessing is out of question), and
 * comparisons take the same time wherever the difference is.
 * Rows are in memory of this node only: a restart ends all sessions, which costs
 * people one more login and nobody a secret on a disk. */
#include "http/sessions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/hash.h"
#include "os/clock.h"

typedef struct row {
    struct row *next; /* in its bucket */
    mt_sha256 key;
    int64_t end_ms;
    ht_identity *who; /* of a session */
    ht_text csrf;
    ht_login login; /* of a login */
} row;

/* The key is a digest, so its first bytes spread evenly and nobody can choose a
 * bucket. */
enum { BUCKETS = 4096 };

typedef struct table {
    row *buckets[BUCKETS];
    size_t count, most;
} table;

struct ht_sessions {
    pthread_mutex_t lock;
    table logins, sessions;
};

ht_sessions *ht_sessions_new(void)
{
    ht_sessions *s = mt_xmalloc(sizeof *s);
    memset(s, 0, sizeof *s);
    s->logins.most = HT_LOGINS_MOST;
    s->sessions.most = HT_SESSIONS_MOST;
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void free_row(row *r)
{
    if (r->who) {
        /* Requests and streams that hold it see from now on that it is over. */
        ht_identity_end(r->who);
        ht_identity_drop(r->who);
    }
    sodium_memzero(r, sizeof *r);
    free(r);
}

static row **place_of(table *t, const mt_sha256 *key)
{
    size_t bucket = ((size_t)key->bytes[0] << 8 | key->bytes[1]) % BUCKETS;
    row **at = &t->buckets[bucket];
    while (*at && sodium_memcmp((*at)->key.bytes, key->bytes, MT_SHA256_BYTES) != 0) {
        at = &(*at)->next;
    }
    return at;
}

static void take_out(table *t, row **at)
{
    row *r = *at;
    *at = r->next;
    r->next = NULL;
    t->count--;
}

/* The row that ends first goes; those that are over are among them.
 * All rows are looked at, which happens only when the table is full. */
static void make_room(table *t)
{
    row **first = NULL;
    if (t->count < t->most) {
        return;
    }
    for (size_t i = 0; i < BUCKETS; i++) {
        for (row **at = &t->buckets[i]; *at; at = &(*at)->next) {
            first = !first || (*at)->end_ms < (*first)->end_ms ? at : first;
        }
    }
    if (first) {
        row *r = *first;
        take_out(t, first);
        free_row(r);
    }
}

static row *add(table *t, mt_str text, int64_t seconds)
{
    mt_sha256 key = mt_sha256_of(text);
    make_room(t);
    row *r = mt_xmalloc(sizeof *r);
    *r = (row){.key = key, .end_ms = os_now_ms() + seconds * 1000};
    row **at = place_of(t, &key);
    r->next = *at;
    *at = r;
    t->count++;
    return r;
}

/* NULL: there is none, or it is over and gone. */
static row **find(table *t, mt_str text)
{
    mt_sha256 key = mt_sha256_of(text);
    row **at = place_of(t, &key);
    if (*at && (*at)->end_ms <= os_now_ms()) {
        row *over = *at;
        take_out(t, at);
        free_row(over);
        return NULL;
    }
    return *at ? at : NULL;
}

static void drop_all(table *t)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        while (t->buckets[i]) {
            row *r = t->buckets[i];
            take_out(t, &t->buckets[i]);
            free_row(r);
        }
    }
}

void ht_sessions_free(ht_sessions *s)
{
    if (s) {
        drop_all(&s->logins);
        drop_all(&s->sessions);
        pthread_mutex_destroy(&s->lock);
        free(s);
    }
}

void ht_text_make(ht_text *out)
{
    unsigned char bytes[32];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2base64(out->text, sizeof out->text, bytes, sizeof bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(bytes, sizeof bytes);
}

bool ht_text_is(const ht_text *t, mt_str shown)
{
    return shown.len == HT_COOKIE_TEXT &&
           sodium_memcmp(t->text, shown.ptr, HT_COOKIE_TEXT) == 0;
}

/* ---- Logins ---- */

static bool keep_text(char *room, size_t size, mt_str text)
{
    if (text.len >= size) {
        return false;
    }
    memcpy(room, text.ptr, text.len);
    room[text.len] = '\0';
    return true;
}

bool ht_login_begin(ht_sessions *s, mt_str provider, mt_str back, ht_login *out)
{
    *out = (ht_login){0};
    if (!keep_text(out->provider, sizeof out->provider, provider) ||
        !keep_text(out->back, sizeof out->back, back)) {
        return false;
    }
    ht_text_make(&out->state);
    ht_text_make(&out->nonce);
    ht_text_make(&out->verifier);
    ht_text_make(&out->cookie);
    pthread_mutex_lock(&s->lock);
    add(&s->logins, mt_str_z(out->state.text), HT_LOGIN_SECONDS)->login = *out;
    pthread_mutex_unlock(&s->lock);
    return true;
}

bool ht_login_take(ht_sessions *s, mt_str state, mt_str cookie, ht_login *out)
{
    pthread_mutex_lock(&s->lock);
    row **at = find(&s->logins, state);
    /* `state` came by the address, the cookie by the browser: only who began the
     * login has both. A wrong cookie leaves the row, so strangers cannot end a
     * login. */
    bool good = at && ht_text_is(&(*at)->login.cookie, cookie);
    if (good) {
        row *r = *at;
        *out = r->login;
        take_out(&s->logins, at);
        free_row(r);
    }
    pthread_mutex_unlock(&s->lock);
    return good;
}

/* ---- Sessions ---- */

void ht_session_begin(ht_sessions *s, ht_identity *who, ht_text *cookie)
{
    ht_text_make(cookie);
    pthread_mutex_lock(&s->lock);
    row *r = add(&s->sessions, mt_str_z(cookie->text), HT_SESSION_SECONDS);
    ht_text_make(&r->csrf);
    r->who = ht_identity_hold(who);
    pthread_mutex_unlock(&s->lock);
}

ht_identity *ht_session_find(ht_sessions *s, mt_str cookie, ht_text *csrf)
{
    ht_identity *who = NULL;
    pthread_mutex_lock(&s->lock);
    row **at = find(&s->sessions, cookie);
    if (at) {
        who = ht_identity_hold((*at)->who);
        *csrf = (*at)->csrf;
    }
    pthread_mutex_unlock(&s->lock);
    return who;
}

void ht_session_end(ht_sessions *s, mt_str cookie)
{
    pthread_mutex_lock(&s->lock);
    row **at = find(&s->sessions, cookie);
    if (at) {
        row *r = *at;
        take_out(&s->sessions, at);
        free_row(r);
    }
    pthread_mutex_unlock(&s->lock);
}
