/* http/figures.c - what the front door counts and measures, and all figures together.
 * Room: http.
 * Requests are measured by route, contract and outcome. What a client sends never
 * becomes a label: routes are those of the table, contracts those the executor knows,
 * and after SERIES_FREE series further contracts are counted as "other", so the number
 * of series has an end. Refusals are counted by their code, which is a word of ours.
 *
 * Invariant: a series, once made, stays where it is until the server is freed; looking
 * one up takes a lock for a moment, counting takes none. Nothing here can fail. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/map.h"
#include "http/server_state.h"

enum {
    SLOTS = 1024,      /* of the table, a power of two */
    SERIES_FREE = 384, /* series of contracts by name */
    CODES_MOST = 96
};

typedef enum outcome { DONE, REFUSED, FAILED, OUTCOMES } outcome;
static const char *const OUTCOME_NAMES[] = {
    [DONE] = "done",
    [REFUSED] = "refused",
    [FAILED] = "failed",
};
MT_TABLE_COVERS(OUTCOME_NAMES, OUTCOMES);

typedef struct series {
    const ht_route *route; /* NULL: none was found */
    mt_str contract;       /* empty: none */
    outcome outcome;
    mt_times times;
} series;

struct ht_figures {
    pthread_mutex_t lock;
    mt_arena arena;
    series *slots[SLOTS];
    size_t count;
    struct {
        const char *code; /* static */
        atomic_ullong count;
    } codes[CODES_MOST];
    size_t code_count;
    int64_t began_s; /* of the process, as near as we know */
};

ht_figures *ht_figures_new(void)
{
    ht_figures *f = mt_xmalloc(sizeof *f);
    memset(f, 0, sizeof *f);
    pthread_mutex_init(&f->lock, NULL);
    f->began_s = (int64_t)time(NULL);
    return f;
}

void ht_figures_free(ht_figures *f)
{
    if (f) {
        pthread_mutex_destroy(&f->lock);
        mt_arena_free(&f->arena);
        free(f);
    }
}

/* ---- Requests ---- */

static outcome outcome_of(int status)
{
    return status >= 500 ? FAILED : status >= 400 ? REFUSED : DONE;
}

static size_t slot_of(const ht_figures *f, const ht_route *route, mt_str contract,
                      outcome o)
{
    size_t at = (size_t)mt_hash(contract) ^ ((uintptr_t)route >> 3) * 31 ^ (size_t)o;
    for (at &= SLOTS - 1; f->slots[at]; at = (at + 1) & (SLOTS - 1)) {
        const series *s = f->slots[at];
        if (s->route == route && s->outcome == o && mt_str_eq(s->contract, contract)) {
            break;
        }
    }
    return at;
}

/* Routes, outcomes and one more contract are fewer than SLOTS - SERIES_FREE. */
static series *series_of(ht_figures *f, const ht_route *route, mt_str contract,
                         outcome o)
{
    size_t at = slot_of(f, route, contract, o);
    if (!f->slots[at] && contract.len && f->count >= SERIES_FREE) {
        contract = MT_STR("other");
        at = slot_of(f, route, contract, o);
    }
    if (!f->slots[at]) {
        series *s = mt_new(&f->arena, series);
        s->route = route;
        s->contract = mt_str_dup(&f->arena, contract);
        s->outcome = o;
        f->slots[at] = s;
        f->count++;
    }
    return f->slots[at];
}

void ht_figures_request(ht_figures *f, const ht_route *route, mt_str contract,
                        int status, uint64_t ns)
{
    pthread_mutex_lock(&f->lock);
    series *s = series_of(f, route, contract, outcome_of(status));
    pthread_mutex_unlock(&f->lock);
    mt_times_add(&s->times, ns);
}

void ht_figures_refusal(ht_figures *f, const char *code)
{
    size_t i = 0;
    pthread_mutex_lock(&f->lock);
    while (i < f->code_count && strcmp(f->codes[i].code, code) != 0) {
        i++;
    }
    if (i == f->code_count && i < CODES_MOST) {
        f->codes[f->code_count++].code = code;
    }
    pthread_mutex_unlock(&f->lock);
    if (i < CODES_MOST) {
        atomic_fetch_add_explicit(&f->codes[i].count, 1, memory_order_relaxed);
    }
}

static void tell_series(mt_figures *to, const series *s)
{
    mt_label labels[] = {
        {"method", mt_str_z(s->route ? s->route->method : "")},
        {"route", mt_str_z(s->route ? s->route->pattern : "")},
        {"contract", s->contract},
        {"outcome", mt_str_z(OUTCOME_NAMES[s->outcome])},
    };
    to->times(to, labels, sizeof labels / sizeof *labels, &s->times);
}

static void tell_requests(ht_figures *f, mt_figures *to)
{
    pthread_mutex_lock(&f->lock);
    mt_family(to, MT_HISTOGRAM, "http_request_seconds",
              "How long requests took, by route, contract and outcome.");
    for (size_t i = 0; i < SLOTS; i++) {
        if (f->slots[i]) {
            tell_series(to, f->slots[i]);
        }
    }
    mt_family(to, MT_COUNTER, "refusals_total", "Requests refused, by code.");
    for (size_t i = 0; i < f->code_count; i++) {
        mt_figure_of(to, "code", mt_str_z(f->codes[i].code),
                     (double)atomic_load(&f->codes[i].count));
    }
    pthread_mutex_unlock(&f->lock);
}

/* ---- The process ---- */

static double resident_bytes(void)
{
    char text[64] = "";
    unsigned long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file) {
        char *read = fgets(text, sizeof text, file);
        (void)fclose(file);
        if (read && sscanf(read, "%lu %lu", &all, &resident) == 2) {
            return (double)resident * (double)sysconf(_SC_PAGESIZE);
        }
    }
    return 0;
}

/* Without the one that counts, and the two names every directory has. */
static double open_files(void)
{
    double count = -3;
    DIR *dir = opendir("/proc/self/fd");
    if (!dir) {
        return 0;
    }
    while (readdir(dir)) {
        count++;
    }
    closedir(dir);
    return count;
}

static double cpu_seconds(void)
{
    struct rusage use;
    if (getrusage(RUSAGE_SELF, &use) != 0) {
        return 0;
    }
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static void tell_process(const ht_figures *f, mt_figures *to)
{
    struct rlimit files = {0};
    (void)getrlimit(RLIMIT_NOFILE, &files);
    mt_family(to, MT_COUNTER, "process_cpu_seconds_total", "Time on processors.");
    mt_figure(to, cpu_seconds());
    mt_gauge(to, "process_resident_memory_bytes", "Memory that is resident.",
             resident_bytes());
    mt_gauge(to, "process_open_fds", "Open file descriptors.", open_files());
    mt_gauge(to, "process_max_fds", "File descriptors there may be.",
             (double)files.rlim_cur);
    mt_gauge(to, "process_start_time_seconds", "When it began, since 1970 UTC.",
             (double)f->began_s);
}

/* ---- All of them ---- */

static void tell_connections(ht_server *s, mt_figures *f)
{
    ht_peer_counts c;
    ht_peers_count(s->peers, &c);
    mt_gauge(f, "http_connections", "open connections", (double)c.open);
    mt_counter(f, "http_connections_total", "connections taken", c.accepted);
    mt_counter(f, "http_connections_refused_total",
               "connections refused because of a limit", c.refused);
    mt_counter(f, "http_connections_expired_total",
               "connections closed because they took too long", c.expired);
    mt_counter(f, "http_connections_evicted_total",
               "idle connections closed for newcomers", c.evicted);
    mt_counter(f, "http_requests_limited_total", "requests refused because of the rate",
               c.limited);
}

static void tell_answers(ht_server *s, mt_figures *f)
{
    mt_counter(f, "http_requests_total", "requests received",
               atomic_load(&s->requests));
    mt_family(f, MT_COUNTER, "http_answers_total", "answers by class of status");
    for (int class = 2; class < 6; class ++) {
        char text[4] = {(char)('0' + class), 'x', 'x', '\0'};
        mt_figure_of(f, "class", mt_str_z(text),
                     (double)atomic_load(&s->answered[class]));
    }
    mt_gauge(f, "http_calls_under_way", "calls not answered yet",
             (double)atomic_load(&s->under_way));
}

/* The executor may be closed once the server drains, so nothing is asked of it then. */
void ht_server_tell(void *server, mt_figures *f)
{
    ht_server *s = server;
    tell_answers(s, f);
    mt_counter(f, "http_unauthorized_total",
               "requests without a token, or with one that is not good",
               atomic_load(&s->unauthorized));
    mt_counter(f, "http_malformed_total", "requests that cannot be read",
               atomic_load(&s->malformed));
    tell_connections(s, f);
    mt_gauge(f, "http_event_streams", "open event streams",
             (double)ht_streams_count(s->streams));
    mt_gauge(f, "http_worker_queue", "calls that wait for a worker",
             (double)ht_workers_waiting(s->workers));
    mt_counter(f, "http_log_lines_dropped_total",
               "lines of the log that could not be written",
               ht_log_dropped(s->options.log));
    tell_requests(s->figures, f);
    tell_process(s->figures, f);
    if (s->exporter) {
        tr_exporter_figures(s->exporter, f);
    }
    pthread_mutex_lock(&s->tell_lock);
    if (!atomic_load(&s->draining)) {
        ex_executor_figures(s->options.executor, f);
    }
    pthread_mutex_unlock(&s->tell_lock);
}
