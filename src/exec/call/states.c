/* exec/call/states.c - states of instances in memory, so that reading one costs no
 * transaction.
 * Room: exec. Only on a store that belongs to this process: then the committer knows
 * of every change and publishes it here once it is durable. What a reader read from the
 * store is taken only if nothing was published in between, so an older state can never
 * replace a newer one. A fixed number of places, one per hash: full is never an issue.
 */
#include <stdlib.h>

#include "exec/call/problem.h"
#include "exec/call/states.h"

enum { PLACES = 1 << 16, LOCKS = 64, TEXT_MOST = 512 };

typedef struct place {
    char *text; /* scope \0 entity \0 id \0 state */
    uint64_t hash;
    uint32_t key_len, state_len;
    int64_t version;
    bool deleted;
} place;

struct ex_cache {
    pthread_mutex_t locks[LOCKS];
    atomic_ullong stamp;
    place places[PLACES];
};

ex_cache *ex_cache_new(void)
{
    ex_cache *c = mt_xmalloc(sizeof *c);
    memset(c, 0, sizeof *c);
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&c->locks[i], NULL);
    }
    return c;
}

void ex_cache_free(ex_cache *c)
{
    if (!c) {
        return;
    }
    for (size_t i = 0; i < PLACES; i++) {
        free(c->places[i].text);
    }
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_destroy(&c->locks[i]);
    }
    free(c);
}

/* A number that changes with every publication; see offer(). */
static uint64_t stamp_now(ex_cache *c)
{
    return atomic_load(&c->stamp);
}

/* The key as one text; false: too long to be kept. */
static bool key_text(const st_instance *k, char out[TEXT_MOST], uint32_t *len)
{
    const mt_str parts[] = {k->scope, k->entity, k->id};
    size_t n = 0;
    for (int i = 0; i < 3; i++) {
        if (n + parts[i].len + 1 > TEXT_MOST) {
            return false;
        }
        memcpy(out + n, parts[i].ptr, parts[i].len);
        n += parts[i].len;
        out[n++] = '\0';
    }
    *len = (uint32_t)n;
    return true;
}

static pthread_mutex_t *lock_of(ex_cache *c, uint64_t hash)
{
    pthread_mutex_t *lock = &c->locks[hash % LOCKS];
    pthread_mutex_lock(lock);
    return lock;
}

static bool is_place(const place *p, uint64_t hash, const char *key, uint32_t len)
{
    return p->text && p->hash == hash && p->key_len == len &&
           memcmp(p->text, key, len) == 0;
}

bool ex_cache_get(ex_cache *c, mt_arena *a, const st_instance *key, st_instance *out)
{
    char text[TEXT_MOST];
    uint32_t len;
    if (!key_text(key, text, &len)) {
        return false;
    }
    uint64_t hash = mt_hash(mt_str_from(text, len));
    pthread_mutex_t *lock = lock_of(c, hash);
    const place *p = &c->places[hash % PLACES];
    bool found = is_place(p, hash, text, len);
    if (found) {
        *out = *key;
        out->state = mt_str_dup(a, mt_str_from(p->text + len, p->state_len));
        out->version = p->version;
        out->deleted = p->deleted;
    }
    pthread_mutex_unlock(lock);
    return found;
}

static void fill(place *p, uint64_t hash, const char *key, uint32_t len,
                 const st_instance *row)
{
    char *text = mt_xrealloc(p->text, len + row->state.len + 1);
    memcpy(text, key, len);
    memcpy(text + len, row->state.ptr, row->state.len);
    *p = (place){text, hash, len, (uint32_t)row->state.len, row->version, row->deleted};
}

void ex_cache_put(ex_cache *c, const st_instance *row)
{
    char text[TEXT_MOST];
    uint32_t len;
    if (!key_text(row, text, &len)) {
        return;
    }
    uint64_t hash = mt_hash(mt_str_from(text, len));
    pthread_mutex_t *lock = lock_of(c, hash);
    atomic_fetch_add(&c->stamp, 1);
    fill(&c->places[hash % PLACES], hash, text, len, row);
    pthread_mutex_unlock(lock);
}

void ex_cache_drop(ex_cache *c, const st_instance *row)
{
    char text[TEXT_MOST];
    uint32_t len;
    if (!key_text(row, text, &len)) {
        return;
    }
    uint64_t hash = mt_hash(mt_str_from(text, len));
    pthread_mutex_t *lock = lock_of(c, hash);
    place *p = &c->places[hash % PLACES];
    if (is_place(p, hash, text, len)) {
        free(p->text);
        *p = (place){0};
    }
    pthread_mutex_unlock(lock);
}

/* What a reader read, unless something was published since `stamp`. */
static void offer(ex_cache *c, const st_instance *row, uint64_t stamp)
{
    char text[TEXT_MOST];
    uint32_t len;
    if (!key_text(row, text, &len)) {
        return;
    }
    uint64_t hash = mt_hash(mt_str_from(text, len));
    pthread_mutex_t *lock = lock_of(c, hash);
    if (atomic_load(&c->stamp) == stamp) {
        fill(&c->places[hash % PLACES], hash, text, len, row);
    }
    pthread_mutex_unlock(lock);
}

/* ---- Reading for a dry run ---- */

/* One instance from the store, without a lock. A deleted one is not there. */
static mt_err read_one(ex_job *job, st_tx **tx, st_instance *row, bool *found)
{
    ex_executor *x = job->x;
    mt_err err = MT_OK;
    *found = false;
    if (x->cache && ex_cache_get(x->cache, &job->arena, row, row)) {
        *found = !row->deleted;
        return MT_OK;
    }
    uint64_t stamp = x->cache ? stamp_now(x->cache) : 0;
    if (!*tx) {
        err = st_begin(x->store, ST_READ, tx);
    } else if (x->cache) {
        stamp = UINT64_MAX; /* the transaction may be older than the stamp */
    }
    if (!err) {
        err = st_instance_get(*tx, &job->arena, row->scope, row->entity, row->id, row);
    }
    if (!err) {
        *found = !row->deleted;
        if (x->cache) {
            offer(x->cache, row, stamp);
        }
    }
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* A version without the state serves instances that wait for a migration to move them:
 * they are there, and nothing can be done with them. */
uint32_t ex_state_known(ex_job *job, uint32_t entity, mt_str state)
{
    uint32_t known = ct_state_find(&job->v->model->entities[entity], state);
    if (known == CT_NONE) {
        job->lost = entity;
        job->lost_state = mt_str_dup(&job->arena, state);
    }
    return known;
}

bool ex_refused_removed(ex_job *job, uint32_t entity)
{
    if (!job->lost_state.ptr || job->lost != entity) {
        return false;
    }
    mt_str name = job->v->model->entities[entity].id;
    mt_str id = job->snap->instances[entity];
    mt_jw w = ex_problem_open(
        job, EX_REMOVED_STATE,
        mt_strf(
            &job->arena,
            "instance '%.*s' of entity '%.*s' is in state '%.*s', which this version "
            "of the contract does not have; a migration has to move it",
            MT_ARG(id), MT_ARG(name), MT_ARG(job->lost_state)));
    mt_jw_key_str(&w, "entity", name);
    mt_jw_key_str(&w, "instance", id);
    mt_jw_key_str(&w, "state", job->lost_state);
    return ex_problem_close(&w);
}

mt_err ex_states_read(ex_job *job)
{
    const ct_model *m = job->v->model;
    st_tx *tx = NULL;
    mt_err err = MT_OK;
    for (uint32_t e = 0; e < m->entity_count && !err; e++) {
        if (!job->snap->instances[e].ptr) {
            continue;
        }
        st_instance row = {.scope = job->v->scopes[e],
                           .entity = m->entities[e].id,
                           .id = job->snap->instances[e]};
        bool found;
        err = read_one(job, &tx, &row, &found);
        job->snap->states[e] =
            !err && found ? ex_state_known(job, e, row.state) : CT_NONE;
        job->snap->versions[e] = row.version;
    }
    if (tx) {
        st_rollback(tx);
    }
    return err;
}

void ex_states_assume(ex_job *job)
{
    const ex_guarded *c = job->call->guarded;
    for (uint32_t i = 0; c && i < c->make_count; i++) {
        uint32_t e = ct_model_find(job->v->model, CT_KIND_ENTITY, c->makes[i]);
        if (e != CT_NONE && job->snap->instances[e].ptr &&
            job->snap->states[e] == CT_NONE) {
            job->snap->states[e] = job->v->model->entities[e].initial;
        }
    }
}
