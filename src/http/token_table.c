/* http/token_table.c - who may come in: the tokens of the store, as one table that is
 * replaced.
 *
 * The house keeper reads all tokens again when the documents' stamp has grown, makes a
 * new table and installs it; requests hold the table they began with (a count of
 * holders), so nothing is freed under them. A token is found by its id, and its secret
 * compared by hash in constant time.
 *
 * Without any token the server is open to everyone on this machine; `closed` is set
 * when the first token was seen and never unset, so deleting all tokens does not open
 * a server that was closed. A document that cannot be read closes it as well.
 *
 * What may fail: reading the store at opening, which ends it; later the old table
 * stays. */
#include "http/token_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "base/map.h"
#include "http/token_store.h"

typedef struct entry {
    ht_token token;
    ex_caller caller;
    int64_t version; /* of its document */
} entry;

/* Never changes once made; lives while anyone holds it. */
typedef struct ht_token_table {
    atomic_uint holders; /* requests, and the owner */
    mt_arena arena;
    mt_map by_id; /* id -> entry * */
    int64_t stamp;
    bool damaged; /* a document could not be read: nobody gets in by being open */
} ht_token_table;

struct ht_tokens {
    st_store *store;
    pthread_mutex_t lock; /* of `table` */
    ht_token_table *table;
    atomic_bool closed;     /* tokens have been seen */
    atomic_llong latest_ms; /* the latest time anybody here has seen */
};

static const ex_caller ANYONE = {.name = MT_STR_INIT("anyone"), .anyone = true};

static void drop(ht_token_table *table)
{
    if (table && atomic_fetch_sub(&table->holders, 1) == 1) {
        mt_arena_free(&table->arena);
        free(table);
    }
}

typedef struct reading {
    ht_token_table *table;
    uint32_t count; /* rows of this page */
    mt_str last;
} reading;

/* The id of every row is kept, damaged or not, since it is where the next page
 * begins. */
static mt_err keep_token(void *state, const st_doc *row)
{
    reading *r = state;
    ht_token_table *table = r->table;
    r->count++;
    r->last = mt_str_dup(&table->arena, row->id);
    entry *e = mt_new(&table->arena, entry);
    if (ht_token_read(&table->arena, row->id, row->body, &e->token)) {
        table->damaged = true;
        return MT_OK; /* a damaged token lets nobody in */
    }
    e->version = row->version;
    e->caller = (ex_caller){.id = e->token.id,
                            .by = EX_BY_TOKEN,
                            .actor = e->token.actor,
                            .name = e->token.name,
                            .personas = e->token.personas,
                            .persona_count = e->token.persona_count,
                            .rights = e->token.rights,
                            .right_count = e->token.right_count};
    mt_map_put(&table->arena, &table->by_id, e->token.id, (uintptr_t)e);
    return MT_OK;
}

/* By pages inside one transaction, so the table is one state of the store. */
static mt_err read_all(st_tx *tx, ht_token_table *table)
{
    enum { PAGE = 1000 };
    reading r = {.table = table, .last = MT_STR("")};
    do {
        st_page page = {.after = r.last, .limit = PAGE};
        r.count = 0;
        mt_err err = st_doc_walk(tx, HT_TOKEN_KIND, MT_STR(""), page, keep_token, &r);
        if (err) {
            return err;
        }
    } while (r.count == PAGE);
    return MT_OK;
}

static ht_token_table *new_table(void)
{
    ht_token_table *table = mt_xmalloc(sizeof *table);
    *table = (ht_token_table){.stamp = -1};
    atomic_init(&table->holders, 1);
    return table;
}

/* Once tokens were seen the server is closed to strangers for good: if all of them are
 * deleted, nobody gets in, instead of everybody. A damaged row counts as seen. */
static void install(ht_tokens *t, ht_token_table *table)
{
    if (table->by_id.len || table->damaged) {
        atomic_store(&t->closed, true);
    }
    pthread_mutex_lock(&t->lock);
    ht_token_table *old = t->table;
    t->table = table;
    pthread_mutex_unlock(&t->lock);
    drop(old);
}

/* Only the thread that refreshes replaces t->table, so it may read it. */
static mt_err refresh(ht_tokens *t, st_tx *tx)
{
    int64_t stamp;
    mt_err err = st_doc_stamp(tx, HT_TOKEN_KIND, &stamp);
    if (err || stamp == t->table->stamp) {
        return err;
    }
    ht_token_table *table = new_table();
    table->stamp = stamp;
    err = read_all(tx, table);
    if (err) {
        drop(table);
        return err;
    }
    install(t, table);
    return MT_OK;
}

/* The wall clock, which does not go back here: a token that was refused as expired is
 * not let in when somebody sets the clock. */
static int64_t wall_ms(ht_tokens *t)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    long long ms = (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    long long latest = atomic_load_explicit(&t->latest_ms, memory_order_relaxed);
    while (latest < ms && !atomic_compare_exchange_weak(&t->latest_ms, &latest, ms)) {
    }
    return latest < ms ? ms : latest;
}

/* The mark is in the store, so another node and the next start know it as well. Others
 * may have changed the token since it was read: their version stands, and what is left
 * is done with the next refresh. */
static mt_err mark_one(st_tx *tx, const entry *e, int64_t now)
{
    ht_token token = e->token;
    token.expired_ms = now;
    mt_err err = ht_token_put(tx, &token, e->version + 1, now);
    return err == MT_E_CONFLICT ? MT_OK : err;
}

static bool is_to_be_marked(const ht_token *k, int64_t now)
{
    return k->expires_ms && k->expires_ms <= now && !k->expired_ms && !k->revoked_ms;
}

/* Some at a time; the rest with the next refresh, which has read the table again. */
static mt_err mark_expired(ht_tokens *t)
{
    enum { AT_ONCE = 256 };
    const mt_map *all = &t->table->by_id;
    int64_t now = wall_ms(t);
    st_tx *tx = NULL;
    size_t marked = 0;
    mt_err err = MT_OK;
    for (uint32_t i = 0; i < all->len && marked < AT_ONCE && !err; i++) {
        const entry *e = (const entry *)all->entries[i].value;
        if (is_to_be_marked(&e->token, now)) {
            err = tx ? MT_OK : st_begin(t->store, ST_WRITE, &tx);
            err = err ? err : mark_one(tx, e, now);
            marked++;
        }
    }
    if (!tx || !err) {
        return tx ? st_commit(tx) : err;
    }
    st_rollback(tx);
    return err;
}

/* A store that fails leaves the old table in place: those who had a valid token go
 * on. */
mt_err ht_tokens_refresh(ht_tokens *t, bool *changed)
{
    st_tx *tx;
    int64_t before = t->table->stamp;
    *changed = false;
    mt_err err = t->store ? st_begin(t->store, ST_READ, &tx) : MT_OK;
    if (err || !t->store) {
        return err;
    }
    err = refresh(t, tx);
    st_rollback(tx);
    *changed = t->table->stamp != before;
    return err ? err : mark_expired(t);
}

/* MT_OK needs one good reading: a server that cannot read its tokens must not start as
 * if there were none. */
mt_err ht_tokens_open(st_store *store, ht_tokens **out, mt_buf *why)
{
    ht_tokens *t = mt_xmalloc(sizeof *t);
    *t = (ht_tokens){.store = store, .table = new_table()};
    atomic_init(&t->closed, false);
    atomic_init(&t->latest_ms, 0);
    pthread_mutex_init(&t->lock, NULL);
    bool changed;
    mt_err err = ht_tokens_refresh(t, &changed);
    if (err) {
        mt_buf_addf(why, "the tokens cannot be read: %s", mt_err_text(err));
        ht_tokens_free(t);
        return err;
    }
    *out = t;
    return MT_OK;
}

void ht_tokens_free(ht_tokens *t)
{
    if (t) {
        drop(t->table);
        pthread_mutex_destroy(&t->lock);
        free(t);
    }
}

void ht_tokens_close(ht_tokens *t)
{
    atomic_store(&t->closed, true);
}

bool ht_tokens_open_to_all(ht_tokens *t)
{
    return !atomic_load(&t->closed);
}

static ht_token_table *hold(ht_tokens *t)
{
    pthread_mutex_lock(&t->lock);
    ht_token_table *table = t->table;
    atomic_fetch_add(&table->holders, 1);
    pthread_mutex_unlock(&t->lock);
    return table;
}

static const entry *entry_of(const ht_token_table *table, mt_str id)
{
    return (const entry *)mt_map_get(&table->by_id, id, 0);
}

bool ht_tokens_still(ht_tokens *t, const ht_pass *p)
{
    if (p->identity) {
        return ht_identity_lives(p->identity, wall_ms(t));
    }
    if (!p->table) {
        return ht_tokens_open_to_all(t);
    }
    ht_token_table *table = hold(t);
    const entry *e = entry_of(table, p->caller->id);
    bool yes = e && e->version == p->version && ht_token_lives(&e->token, wall_ms(t));
    drop(table);
    return yes;
}

void ht_tokens_granted(ht_tokens *t, mt_arena *a, mt_str id, ex_subject_of *out)
{
    ht_token_table *table = hold(t);
    const entry *e = entry_of(table, id);
    *out = (ex_subject_of){0};
    if (e && ht_token_lives(&e->token, wall_ms(t))) {
        mt_str *personas = mt_new_array(a, mt_str, e->token.persona_count + 1);
        for (size_t i = 0; i < e->token.persona_count; i++) {
            personas[i] = mt_str_dup(a, e->token.personas[i]);
        }
        *out = (ex_subject_of){.id = mt_str_dup(a, e->token.id),
                               .personas = personas,
                               .persona_count = e->token.persona_count};
    }
    drop(table);
}

/* One answer for unknown, wrong, expired and revoked: the caller does not learn which
 * ids exist. A pass holds the table, so that a refresh does not free it under a
 * request. */
static ht_verdict check_token(ht_tokens *t, mt_str text, ht_pass *out)
{
    mt_str id, secret;
    if (!ht_token_split(text, &id, &secret)) {
        return HT_BAD_TOKEN;
    }
    ht_token_table *table = hold(t);
    const entry *e = entry_of(table, id);
    int64_t now = wall_ms(t);
    if (!e || !ht_token_fits(&e->token, secret, now) ||
        !ht_token_lives(&e->token, now)) {
        drop(table);
        return HT_BAD_TOKEN;
    }
    *out = (ht_pass){.caller = &e->caller, .table = table, .version = e->version};
    return HT_LET_IN;
}

/* The scheme is compared without case (RFC 9110), the token with it. */
ht_verdict ht_tokens_check(ht_tokens *t, mt_str authorization, ht_pass *out)
{
    static const mt_str BEARER = MT_STR_INIT("Bearer ");
    *out = (ht_pass){0};
    if (ht_tokens_open_to_all(t)) {
        out->caller = &ANYONE;
        return HT_LET_IN;
    }
    if (!authorization.ptr) {
        return HT_NO_TOKEN;
    }
    if (authorization.len < BEARER.len ||
        strncasecmp(authorization.ptr, BEARER.ptr, BEARER.len) != 0) {
        return HT_BAD_TOKEN;
    }
    return check_token(t, mt_str_skip(authorization, BEARER.len), out);
}

ht_pass ht_pass_again(const ht_pass *p)
{
    if (p->table) {
        atomic_fetch_add(&p->table->holders, 1);
    }
    if (p->identity) {
        ht_identity_hold(p->identity);
    }
    return *p;
}

void ht_pass_end(ht_pass *p)
{
    drop(p->table);
    ht_identity_drop(p->identity);
    *p = (ht_pass){0};
}
