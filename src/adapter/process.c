/* adapter/process.c - facts from a child process that speaks JSON lines.
 *
 * For protocols nothing else here speaks: x_…, grpc, other databases. One line out per
 * fact, one line back, in any order:
 *
 *     {"fact":"score","fields":{…},"params":{"id":"7"},"path":"risk.7.score",
 *      "protocol":"x_risk","request":1,"source":"risk_engine"}
 *     {"request":1,"value":12}    or    {"request":1,"error":"text"}
 *
 * A process serves one fetch at a time and is kept for the next; one that broke the
 * rules or was not heard of in time is killed. One that died while idle is replaced.
 * Request numbers are never used twice, so a late answer of an earlier fetch cannot
 * pass for one of this.
 *
 * The environment of a process is what the configuration names and a few usual
 * variables: credentials of other sources are not its business. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "adapter/impl.h"
#include "os/clock.h"
#include "os/process.h"

typedef struct server {
    os_child *child;
    int64_t asked; /* requests so far: an id is never used twice */
} server;

typedef struct dialogue {
    server *server;
    size_t open; /* questions without an answer */
    bool reused, heard;
} dialogue;

/* ---- Setting up ---- */

/* What every process is given, if the host has it: nothing of it is a secret. */
static const char *const USUAL[] = {"PATH", "HOME", "LANG", "TZ"};
enum { USUAL_COUNT = sizeof USUAL / sizeof *USUAL };

static void pass_on(mt_arena *a, const char *name, const char **list, size_t *count)
{
    const char *value = getenv(name);
    if (value) {
        list[(*count)++] = mt_strf(a, "%s=%s", name, value).ptr;
    }
}

/* The environment of the host holds what is not the process's business (credentials of
 * other sources, of the store): it gets what the configuration names. */
static bool set_environment(ad_opening *o, ad_source *s)
{
    mt_arena *a = &o->adapters->arena;
    size_t count = 0;
    const char **list =
        mt_new_array(a, const char *, USUAL_COUNT + s->variables.count + 1);
    for (size_t i = 0; i < USUAL_COUNT; i++) {
        pass_on(a, USUAL[i], list, &count);
    }
    for (size_t i = 0; i < s->variables.count; i++) {
        const char *name = s->variables.items[i];
        if (strchr(name, '=')) {
            return ad_source_fault(o, s, AD_F_SETTING,
                                   "environment of source '%.*s' must be a list of "
                                   "names of variables",
                                   MT_ARG(s->decl->id));
        }
        if (!getenv(name)) {
            return ad_source_fault(o, s, AD_F_CREDENTIAL,
                                   "the variable %s for source '%.*s' is not set", name,
                                   MT_ARG(s->decl->id));
        }
        pass_on(a, name, list, &count);
    }
    s->process_environment = list;
    return true;
}

/* Nothing is started yet. The provenance names the program, so that two adapters by
 * process can be told apart (§5.3). */
bool ad_process_set_up(ad_opening *o, ad_source *s)
{
    mt_arena *a = &o->adapters->arena;
    mt_str program = mt_str_z(s->command.items[0]);
    if (!program.len) {
        return ad_source_fault(o, s, AD_F_SETTING,
                               "'command' of source '%.*s' must begin with a program",
                               MT_ARG(s->decl->id));
    }
    if (!set_environment(o, s) || !ad_source_waits(o, s)) {
        return false;
    }
    s->adapter_id = mt_strf(a, "motet.process/%.*s", MT_ARG(mt_str_basename(program)));
    ad_pool_init(&s->pool, a, s->connections);
    s->has_pool = true;
    return true;
}

bool ad_process_plan(ad_opening *o, const ad_source *s, ad_fact_plan *p)
{
    (void)s;
    ad_plan_parameters(o, p);
    return true;
}

static void close_server(void *thing)
{
    server *v = thing;
    os_child_free(v->child);
    free(v);
}

void ad_process_close(ad_source *s)
{
    if (s->has_pool) {
        ad_pool_free(&s->pool, close_server);
    }
}

/* ---- The dialogue ---- */

static void end(ad_job *job, bool keep)
{
    dialogue *d = job->state;
    if (!keep && d->server) {
        close_server(d->server);
        d->server = NULL;
    }
    ad_pool_give(&job->source->pool, d->server);
    job->done = true;
}

static void broken(ad_job *job, ad_fact_error error, const char *what)
{
    ad_answer_all(job, error, "the process of source '%.*s' %s",
                  MT_ARG(job->source->decl->id), what);
    end(job, false);
}

static void give_up(ad_job *job)
{
    broken(job, AD_FACT_TIMEOUT, "did not answer in time");
}

/* One line per question; the number of the request comes back in the answer, so that a
 * late answer to an earlier question is not taken for this one. */
static void write_request(mt_buf *out, const ad_source *s, const ad_question *q,
                          int64_t request)
{
    const ad_fact_plan *p = q->plan;
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "fact", p->fact->id);
    mt_jw_keyz(&w, "fields");
    mt_jw_raw(&w, s->decl->fields);
    mt_jw_keyz(&w, "params");
    mt_jw_begin_unsorted(&w);
    for (size_t i = 0; i < p->names.len; i++) {
        mt_jw_key(&w, p->names.items[i]);
        mt_jw_str(&w, q->values[i]);
    }
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "path", q->answer->path);
    mt_jw_key_str(&w, "protocol", s->decl->protocol);
    mt_jw_key_i64(&w, "request", request);
    mt_jw_key_str(&w, "source", s->decl->id);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* The child gets the usual and the listed variables only (set_environment), and a line
 * of its answer is bounded by max_bytes. */
static bool start_server(ad_job *job)
{
    dialogue *d = job->state;
    const ad_source *s = job->source;
    os_child_options options = {
        .argv = s->command.items,
        .directory = s->working_directory.ptr,
        .environment = s->process_environment,
        .wants_stdin = true,
        .max_line = s->max_bytes,
    };
    os_child *child;
    if (os_child_start(&options, &child)) {
        return false;
    }
    d->server = mt_xmalloc(sizeof *d->server);
    *d->server = (server){.child = child};
    d->reused = false;
    return true;
}

/* Sends every question. MT_E_CLOSED when nobody listens. */
static mt_err send_all(ad_job *job)
{
    dialogue *d = job->state;
    mt_buf lines = {0};
    int64_t left = job->deadline - os_now_ms();
    for (size_t i = 0; i < job->count; i++) {
        write_request(&lines, job->source, job->questions[i],
                      d->server->asked + (int64_t)i + 1);
    }
    mt_err err = os_child_write(d->server->child, mt_buf_str(&lines),
                                (int)(left > 0 ? left : 0));
    mt_buf_free(&lines);
    d->open = job->count;
    job->fd = os_child_fd(d->server->child);
    job->events = POLLIN;
    return err;
}

/* A server that was kept and has died meanwhile is started once more; a fresh one that
 * dies is an error. */
static void begin(ad_job *job)
{
    dialogue *d = job->state;
    mt_err err = d->server ? send_all(job) : MT_E_CLOSED;
    if (err == MT_E_CLOSED && (!d->server || d->reused)) {
        if (d->server) {
            close_server(d->server);
            d->server = NULL;
        }
        if (!start_server(job)) {
            broken(job, AD_FACT_UNREACHABLE, "cannot be started");
            return;
        }
        err = send_all(job);
    }
    if (err) {
        broken(job, err == MT_E_TIMEOUT ? AD_FACT_TIMEOUT : AD_FACT_UNREACHABLE,
               "does not listen");
    }
}

/* False: the line is not an answer to an open question. */
static bool take_line(ad_job *job, mt_str line)
{
    dialogue *d = job->state;
    ad_fetching *f = job->fetching;
    mt_json root;
    int64_t request;
    mt_json_limits limits = {.bytes = job->source->max_bytes};
    if (mt_json_read(f->arena, line, &limits, &root, NULL) ||
        mt_json_i64(mt_json_at(&root, "request"), &request) ||
        request <= d->server->asked ||
        request > d->server->asked + (int64_t)job->count) {
        return false;
    }
    ad_question *q = job->questions[request - d->server->asked - 1];
    const mt_json *value = mt_json_at(&root, "value");
    const mt_json *error = mt_json_at(&root, "error");
    if (q->done || !value == !error) {
        return false;
    }
    mt_str why = mt_json_text(error);
    if (error) {
        why.len = why.len < 200 ? why.len : 200;
        ad_answer_error(
            f, q, mt_str_is(why, "not_found") ? AD_FACT_NOT_FOUND : AD_FACT_REFUSED,
            "source '%.*s' has no value for fact '%.*s': %.*s",
            MT_ARG(job->source->decl->id), MT_ARG(q->plan->fact->id), MT_ARG(why));
    } else {
        ad_answer_json(f, q, value, line);
    }
    d->open--;
    return true;
}

/* Answers may come in any order; a line that is not one ends the dialogue, since what
 * follows it cannot be trusted. */
static void step(ad_job *job)
{
    dialogue *d = job->state;
    mt_str line;
    mt_err err;
    while (d->open && !(err = os_child_read_line(d->server->child, 0, &line))) {
        d->heard = true;
        if (!take_line(job, line)) {
            broken(job, AD_FACT_MALFORMED, "wrote a line that is not an answer");
            return;
        }
    }
    if (!d->open) {
        d->server->asked += (int64_t)job->count;
        end(job, true);
    } else if (err == MT_E_LIMIT) {
        broken(job, AD_FACT_TOO_LARGE, "wrote a line longer than max_bytes");
    } else if (err != MT_E_TIMEOUT && d->reused && !d->heard) {
        begin(job); /* the pipe took our lines, but nobody was there any more */
    } else if (err != MT_E_TIMEOUT) {
        broken(job, AD_FACT_UNREACHABLE, "ended without an answer");
    }
}

/* Processes are kept running between fetches. One that was idle may have ended; then a
 * fresh one is started once. */
void ad_process_ask(ad_fetching *f, ad_source *s, ad_question **qs, size_t count)
{
    void *idle;
    if (ad_fetching_take(f, &s->pool, ad_source_deadline(f, s), &idle)) {
        ad_answer_each(f, qs, count, AD_FACT_TIMEOUT,
                       "source '%.*s': all processes are busy", MT_ARG(s->decl->id));
        return;
    }
    ad_job *job = ad_job_add(f, s, qs, count);
    dialogue *d = mt_new(f->arena, dialogue);
    *d = (dialogue){.server = idle, .reused = idle != NULL};
    job->state = d;
    job->step = step;
    job->give_up = give_up;
    begin(job);
}
