/* adapter/cache.c - values of earlier fetches, for max_age and stale_for.
 *
 * A ring of entries with a hash table over it: the oldest entry gives way to the
 * newest, so neither many different parameters nor large values make it grow beyond
 * its bounds (entries, bytes, bytes of one entry). One lock; what is copied under it
 * is small.
 *
 * Keys are made by fetch.c of the fact and the values of its names. An answer that was
 * fetched earlier never replaces one fetched later, whoever comes last. A clock that
 * was put back makes everything too old rather than for ever young. Nothing fails:
 * what does not fit is not kept. */
#include <stdlib.h>

#include "adapter/impl.h"

enum { ENTRIES = 4096, BUCKETS = 8192, MOST_BYTES = 32 << 20, MOST_ENTRY = 1 << 20 };

typedef struct entry {
    char *block; /* the texts below, one after the other */
    mt_str key, value, response, digest;
    int64_t fetched_at;
    uint32_t next; /* in its bucket; index + 1 */
} entry;

struct ad_cache {
    pthread_mutex_t lock;
    entry entries[ENTRIES];
    uint32_t buckets[BUCKETS]; /* index + 1 */
    uint32_t oldest, count;
    size_t bytes;
};

ad_cache *ad_cache_new(void)
{
    ad_cache *c = mt_xmalloc(sizeof *c);
    memset(c, 0, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void ad_cache_free(ad_cache *c)
{
    if (c) {
        for (size_t i = 0; i < ENTRIES; i++) {
            free(c->entries[i].block);
        }
        pthread_mutex_destroy(&c->lock);
        free(c);
    }
}

static uint32_t *bucket_of(ad_cache *c, mt_str key)
{
    return &c->buckets[mt_hash(key) % BUCKETS];
}

static entry *find(ad_cache *c, mt_str key)
{
    for (uint32_t i = *bucket_of(c, key); i; i = c->entries[i - 1].next) {
        if (mt_str_eq(c->entries[i - 1].key, key)) {
            return &c->entries[i - 1];
        }
    }
    return NULL;
}

static size_t size_of(const entry *e)
{
    return e->key.len + e->value.len + e->response.len + e->digest.len;
}

static void empty(ad_cache *c, entry *e)
{
    c->bytes -= size_of(e);
    free(e->block);
    e->block = NULL;
    e->value = e->response = e->digest = (mt_str){0};
}

/* Entries are a ring: the oldest is the next to be overwritten. */
static void drop_oldest(ad_cache *c)
{
    uint32_t index = c->oldest;
    entry *e = &c->entries[index];
    uint32_t *link = bucket_of(c, e->key);
    while (*link != index + 1) {
        link = &c->entries[*link - 1].next;
    }
    *link = e->next;
    empty(c, e);
    *e = (entry){0};
    c->oldest = (index + 1) % ENTRIES;
    c->count--;
}

static mt_str put_text(char **at, mt_str text)
{
    char *start = *at;
    if (text.len) {
        memcpy(start, text.ptr, text.len);
    }
    *at += text.len;
    return mt_str_from(start, text.len);
}

/* Copies the texts of `from` into a block of their own. */
static void fill(ad_cache *c, entry *e, entry from)
{
    uint32_t next = e->next;
    char *at = mt_xmalloc(size_of(&from) + 1);
    *e = (entry){.block = at, .fetched_at = from.fetched_at, .next = next};
    e->key = put_text(&at, from.key);
    e->value = put_text(&at, from.value);
    e->response = put_text(&at, from.response);
    e->digest = put_text(&at, from.digest);
    c->bytes += size_of(e);
}

/* With the lock held, the key not being there. Entries and bytes are bounded by
 * dropping what was put first; reading does not make an entry younger. */
static void add(ad_cache *c, entry from)
{
    while (c->count == ENTRIES || (c->count && c->bytes > MOST_BYTES)) {
        drop_oldest(c);
    }
    uint32_t index = (c->oldest + c->count++) % ENTRIES;
    uint32_t *bucket = bucket_of(c, from.key);
    c->entries[index].next = *bucket;
    *bucket = index + 1;
    fill(c, &c->entries[index], from);
}

/* An answer larger than MOST_ENTRY is not kept at all, rather than driving everything
 * else out. A slower fetch of the same question must not replace a newer answer. */
void ad_cache_put(ad_cache *c, mt_str key, const ad_fact_answer *answer)
{
    entry from = {.key = key,
                  .value = answer->value,
                  .response = answer->response,
                  .digest = answer->digest,
                  .fetched_at = answer->fetched_at};
    if (size_of(&from) > MOST_ENTRY) {
        return;
    }
    pthread_mutex_lock(&c->lock);
    entry *e = find(c, key);
    if (!e) {
        add(c, from);
    } else if (e->fetched_at <= from.fetched_at) {
        empty(c, e);
        fill(c, e, from);
    }
    pthread_mutex_unlock(&c->lock);
}

/* The texts are copied into the caller's arena under the lock, since the entry may be
 * dropped the moment it is released. */
bool ad_cache_get(ad_cache *c, mt_arena *a, mt_str key, int64_t now, uint64_t max_age,
                  ad_fact_answer *answer)
{
    pthread_mutex_lock(&c->lock);
    const entry *e = find(c, key);
    /* A clock that was put back makes everything too old rather than for ever young. */
    bool fits = e && now >= e->fetched_at && (uint64_t)(now - e->fetched_at) <= max_age;
    if (fits) {
        answer->value = mt_str_dup(a, e->value);
        answer->response = mt_str_dup(a, e->response);
        answer->digest = mt_str_dup(a, e->digest);
        answer->fetched_at = e->fetched_at;
    }
    pthread_mutex_unlock(&c->lock);
    return fits;
}
