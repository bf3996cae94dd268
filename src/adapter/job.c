/* adapter/job.c - what is under way in a fetch, and the one wait for all of it.
 * Room: adapter.
 *
 * A job is driven by its file descriptor, or, as a transfer, by libcurl's multi handle,
 * which also does the waiting; so whoever waits needs libcurl (ad_source_waits()).
 * Order of a turn: transfers, then the steps of the other jobs, then sleep until
 * something is ready or the nearest deadline.
 * Invariant: every job ends, at its deadline by give_up; a multi handle is used by one
 * fetch at a time. Nothing here can fail. */
#include <poll.h>

#include "adapter/impl.h"
#include "os/clock.h"

enum {
    TICK_MS = 50,  /* a job is looked at that often, whatever its fd says */
    SLICE_MS = 20, /* of waiting for a connection */
    KEPT_MULTIS = 64,
    HOST_CONNECTIONS = 8
};

/* ---- libcurl ---- */

static void start_curl(void)
{
    curl_global_init(CURL_GLOBAL_ALL);
}

bool ad_source_waits(ad_opening *o, const ad_source *s)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!ad_source_loads(o, s, &mt_late_curl)) {
        return false;
    }
    pthread_once(&once, start_curl);
    o->adapters->waits = true;
    return true;
}

/* ---- Jobs ---- */

/* The source's time-out begins here, after a place in its pool was found; waiting for
 * the place had the same bound. The deadline of the whole fetch holds for both. */
ad_job *ad_job_add(ad_fetching *f, ad_source *s, ad_question **questions, size_t count)
{
    ad_job *job = mt_new(f->arena, ad_job);
    *job = (ad_job){.fetching = f, .source = s, .count = count, .fd = -1};
    job->questions = mt_new_array(f->arena, ad_question *, count);
    memcpy(job->questions, questions, count * sizeof *questions);
    job->deadline = ad_source_deadline(f, s);
    mt_vec_push(f->arena, &f->jobs, job);
    return job;
}

/* The earlier of the source's own time-out and that of the whole request. */
int64_t ad_source_deadline(const ad_fetching *f, const ad_source *s)
{
    int64_t own = os_now_ms() + (int64_t)s->timeout;
    return own < f->fetch->deadline ? own : f->fetch->deadline;
}

/* Lets every job that is not driven by curl take a step; how long all may sleep. */
static int step_jobs(ad_fetching *f, size_t *open)
{
    int64_t now = os_now_ms(), sleep = TICK_MS;
    *open = 0;
    for (size_t i = 0; i < f->jobs.len; i++) {
        ad_job *job = f->jobs.items[i];
        if (!job->done && job->step) {
            job->step(job);
        }
        if (!job->done && now >= job->deadline) {
            job->give_up(job);
        }
        if (!job->done) {
            (*open)++;
            sleep = job->deadline - now < sleep ? job->deadline - now : sleep;
        }
    }
    return (int)(sleep < 0 ? 0 : sleep);
}

/* Tells the jobs whose transfers have ended. */
static void harvest(ad_fetching *f)
{
    int left;
    for (CURLMsg *m; (m = curl_multi_info_read(f->multi, &left));) {
        char *private = NULL;
        CURLcode code = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &private);
        ad_job *job = (ad_job *)(void *)private;
        job->transferred(job, code);
    }
}

static void drive_transfers(ad_fetching *f)
{
    int running;
    if (f->multi) {
        curl_multi_perform(f->multi, &running);
        harvest(f);
    }
}

void ad_fetching_drive(ad_fetching *f)
{
    size_t open;
    drive_transfers(f);
    step_jobs(f, &open);
}

/* While it waits for a place, transfers that are under way are driven: otherwise the
 * holder of the place might be one of our own jobs, and nobody would finish it. */
mt_err ad_fetching_take(ad_fetching *f, ad_pool *p, int64_t deadline, void **out)
{
    for (;;) {
        int64_t slice = os_now_ms() + SLICE_MS;
        bool last = slice >= deadline;
        if (ad_pool_take(p, last ? deadline : slice, out) == MT_OK) {
            return MT_OK;
        }
        if (last) {
            return MT_E_TIMEOUT;
        }
        ad_fetching_drive(f);
    }
}

/* One loop for transfers, databases and processes: the library's poll takes our
 * descriptors beside its own. Every job has a deadline, so the loop ends. */
void ad_fetching_wait(ad_fetching *f)
{
    struct curl_waitfd *fds = mt_new_array(f->arena, struct curl_waitfd, f->jobs.len);
    for (;;) {
        size_t open;
        drive_transfers(f);
        int sleep = step_jobs(f, &open);
        if (!open) {
            return;
        }
        unsigned count = 0;
        for (size_t i = 0; i < f->jobs.len; i++) {
            const ad_job *job = f->jobs.items[i];
            if (!job->done && job->fd >= 0) {
                short wait = (short)(job->events & POLLIN ? CURL_WAIT_POLLIN : 0);
                wait |= (short)(job->events & POLLOUT ? CURL_WAIT_POLLOUT : 0);
                fds[count++] = (struct curl_waitfd){job->fd, wait, 0};
            }
        }
        curl_multi_poll(f->multi, fds, count, sleep, NULL);
    }
}

/* ---- Multi handles: each has its connections, one fetch uses one at a time ---- */

/* NULL when no source of these adapters ever waits. Handles are reused because they
 * hold open connections. */
CURLM *ad_multi_take(ad_adapters *a)
{
    CURLM *multi = NULL;
    if (!a->waits) {
        return NULL;
    }
    pthread_mutex_lock(&a->lock);
    if (a->multi_count) {
        multi = a->multis[--a->multi_count];
    }
    pthread_mutex_unlock(&a->lock);
    if (!multi) {
        multi = curl_multi_init();
        MT_ASSERT(multi);
        curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)HOST_CONNECTIONS);
    }
    return multi;
}

void ad_multi_give(ad_adapters *a, CURLM *multi)
{
    if (!multi) {
        return;
    }
    pthread_mutex_lock(&a->lock);
    if (!a->multis) {
        a->multis = mt_xmalloc(KEPT_MULTIS * sizeof(CURLM *));
    }
    if (a->multi_count < KEPT_MULTIS) {
        a->multis[a->multi_count++] = multi;
        multi = NULL;
    }
    pthread_mutex_unlock(&a->lock);
    if (multi) {
        curl_multi_cleanup(multi);
    }
}
