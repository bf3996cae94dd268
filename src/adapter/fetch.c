/* adapter/fetch.c - facts from their sources, all of one request together.
 *
 * Order: every fact becomes a question (names of its path filled from parameters and
 * bindings, then the cache is asked); questions of one source go to its adapter
 * together; what has to be waited for becomes a job, and one loop drives all jobs and
 * transfers until each is done or late; at the end policies are applied to what failed
 * (a stale value, the contract's default, or the error).
 *
 * Invariants: every question gets exactly one answer; the deadline of the fetch bounds
 * all of them, each source has its own within it; a value is brought into the form of
 * the fact's type here, and only the evaluator judges it. A name that would make
 * another resource of a path (empty, a dot, a NUL) is refused.
 *
 * What may fail is an answer: ad_fact_error with a sentence that names fact and source
 * and no credential. Memory is the caller's arena. A thread that waits for a pooled
 * connection drives its other jobs meanwhile. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "adapter/impl.h"
#include "os/clock.h"

enum {
    MOST_VALUE_BYTES = 4096, /* of a {name} */
};

/* ---- Names ---- */

static bool same_letters(mt_str a, mt_str b)
{
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

/* `order`, `Order` and `order_id` all mean the instance of entity Order. */
static bool names_entity(mt_str name, mt_str entity)
{
    mt_str id = MT_STR("_id");
    return same_letters(name, entity) ||
           (mt_str_ends(name, id) &&
            same_letters(mt_str_from(name.ptr, name.len - id.len), entity));
}

/* The instance of the entity that the configuration or the name itself names, else the
 * one instance all entities are bound to. */
static mt_str bound_instance(const ad_fetching *f, const ad_source *s, mt_str name)
{
    const ct_model *m = f->adapters->model;
    const mt_str *instances = f->fetch->instances;
    mt_str said = mt_json_text(mt_json_get(s->instances, name));
    mt_str only = {0};
    bool several = false;
    for (uint32_t i = 0; instances && i < m->entity_count; i++) {
        mt_str entity = m->entities[i].id;
        if (said.len ? mt_str_eq(said, entity)
                     : instances[i].ptr && names_entity(name, entity)) {
            return instances[i];
        }
        if (instances[i].ptr) {
            several |= only.ptr && !mt_str_eq(only, instances[i]);
            only = instances[i];
        }
    }
    return several || said.len ? mt_str_z(NULL) : only;
}

static mt_str value_of(const ad_fetching *f, const ad_source *s, mt_str name)
{
    for (size_t i = 0; i < f->fetch->param_count; i++) {
        if (mt_str_eq(f->fetch->params[i].name, name)) {
            mt_str value = f->fetch->params[i].value;
            return value.ptr ? value : MT_STR("");
        }
    }
    return bound_instance(f, s, name);
}

/* An empty segment or a dot would be another resource, a NUL would end text early. */
static bool is_usable(mt_str value)
{
    return value.len && value.len <= MOST_VALUE_BYTES && !mt_str_is(value, ".") &&
           !mt_str_is(value, "..") && !memchr(value.ptr, 0, value.len);
}

/* Values end up in URLs and queries, so what could change their meaning is refused
 * here, once for all kinds. */
static bool fill_names(ad_fetching *f, ad_question *q)
{
    const ad_names *names = &q->plan->names;
    q->values = mt_new_array(f->arena, mt_str, names->len + 1);
    for (size_t i = 0; i < names->len; i++) {
        q->values[i] = value_of(f, q->plan->source, names->items[i]);
        if (!q->values[i].ptr || !is_usable(q->values[i])) {
            bool missing = !q->values[i].ptr;
            ad_answer_error(
                f, q, missing ? AD_FACT_PARAM_MISSING : AD_FACT_PARAM_REFUSED,
                "fact '%.*s' needs a %s for {%.*s}", MT_ARG(q->plan->fact->id),
                missing ? "parameter or one bound instance"
                        : "value that is not empty, a dot, too long or "
                          "with NUL",
                MT_ARG(names->items[i]));
            return false;
        }
    }
    return true;
}

/* What the answer depends on: the fact and the values of its names. */
static mt_str cache_key(ad_fetching *f, const ad_question *q)
{
    mt_buf key = {0};
    mt_buf_add_u64(&key, q->plan->index);
    for (size_t i = 0; i < q->plan->names.len; i++) {
        mt_buf_addc(&key, 0);
        mt_buf_adds(&key, q->values[i]);
    }
    mt_str copy = mt_str_dup(f->arena, mt_buf_str(&key));
    mt_buf_free(&key);
    return copy;
}

/* What can be answered without asking anybody is answered at once: no source, a
 * parameter missing or refused, a cached answer young enough. Values of parameters are
 * checked before any of them reaches a path. */
static void begin_question(ad_fetching *f, ad_question *q, uint32_t fact,
                           ad_fact_answer *answer)
{
    *q = (ad_question){.plan = &f->adapters->plans[fact], .answer = answer};
    *answer = (ad_fact_answer){.fact = fact};
    const ad_source *s = q->plan->source;
    if (!s) {
        answer->error = AD_FACT_NO_SOURCE;
        answer->message = mt_strf(f->arena, "fact '%.*s' has no structured source",
                                  MT_ARG(f->adapters->model->facts[fact].id));
        q->done = true;
        return;
    }
    answer->adapter_id = s->adapter_id;
    if (!fill_names(f, q)) {
        return;
    }
    mt_buf path = {0};
    ad_template_fill(&path, &q->plan->path, q->values);
    answer->path = mt_str_dup(f->arena, mt_buf_str(&path));
    mt_buf_free(&path);
    q->key = cache_key(f, q);
    if (s->max_age && s->kind != AD_MANUAL &&
        ad_cache_get(f->adapters->cache, f->arena, q->key, f->wall_ms, s->max_age,
                     answer)) {
        q->done = answer->cached = true;
    }
}

/* ---- Policies ---- */

/* A request without what it must have is the caller's fault, not the source's. */
static bool is_callers(ad_fact_error error)
{
    return error == AD_FACT_PARAM_MISSING || error == AD_FACT_PARAM_REFUSED ||
           error == AD_FACT_NO_SOURCE;
}

/* Only for a source that fails, and only as old as its settings allow; the answer says
 * that it is stale. */
static bool try_stale(ad_fetching *f, ad_question *q)
{
    const ad_source *s = q->plan->source;
    ad_fact_answer *to = q->answer;
    /* A source that says "there is none" is not a source that fails. */
    if (s->on_error != AD_ON_ERROR_STALE || to->error == AD_FACT_NOT_FOUND ||
        !ad_cache_get(f->adapters->cache, f->arena, q->key, f->wall_ms,
                      s->max_age + s->stale_for, to)) {
        return false;
    }
    to->error = AD_FACT_OK;
    to->cached = to->stale = true;
    return true;
}

static bool may_default(const ad_fact_plan *p)
{
    const ad_source *s = p->source;
    bool implied = s->kind == AD_MANUAL && !s->on_error_given;
    return p->fact->otherwise && (implied || s->on_error == AD_ON_ERROR_DEFAULT);
}

/* ORDER of what helps: a fresh answer is kept for others; a failed source may be
 * covered by a stale one, then by the contract's default. What the caller did wrong is
 * never covered (§5.2: a missing fact is an error, not a guess). */
static void finish(ad_fetching *f, ad_question *q)
{
    ad_fact_answer *to = q->answer;
    const ad_source *s = q->plan->source;
    MT_ASSERT(q->done);
    if (to->error == AD_FACT_OK) {
        bool keep = (s->max_age || s->stale_for) && s->kind != AD_MANUAL;
        if (keep && !to->cached) {
            ad_cache_put(f->adapters->cache, q->key, to);
        }
    } else if (!is_callers(to->error) && !try_stale(f, q)) {
        to->use_default = may_default(q->plan);
    }
}

/* ---- All together ---- */

/* The open questions of one source, at the front of `group`. */
static size_t gather(ad_question *questions, size_t count, const ad_source *s,
                     ad_question **group)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (!questions[i].done && questions[i].plan->source == s) {
            group[found++] = &questions[i];
        }
    }
    return found;
}

static void ask(ad_fetching *f, ad_source *s, ad_question **questions, size_t count)
{
    int64_t now = f->fetch->asked ? (int64_t)os_clock_ns(CLOCK_REALTIME) : 0;
    for (size_t i = 0; i < count; i++) {
        questions[i]->began_ns = now;
    }
    if (s->refused.len) {
        ad_answer_each(f, questions, count, AD_FACT_NOT_ALLOWED, "%.*s",
                       MT_ARG(s->refused));
    } else {
        AD_ADAPTERS[s->kind].ask(f, s, questions, count);
    }
}

/* Kind by kind, in the order of the table: those that can be waited for together are
 * begun first. */
static void ask_all(ad_fetching *f, ad_question *questions)
{
    ad_adapters *a = f->adapters;
    size_t count = f->fetch->fact_count;
    ad_question **group = mt_new_array(f->arena, ad_question *, count + 1);
    for (int kind = 0; kind < AD_ADAPTER_COUNT; kind++) {
        for (size_t i = 0; i < a->source_count; i++) {
            ad_source *s = &a->sources[i];
            size_t found = s->decl && (int)s->kind == kind
                               ? gather(questions, count, s, group)
                               : 0;
            if (found) {
                ask(f, s, group, found);
            }
        }
    }
}

static bool any_open(const ad_question *questions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!questions[i].done) {
            return true;
        }
    }
    return false;
}

/* Did the source fail? It does not where it says that there is nothing, or where the
 * question is at fault. */
static bool is_sources(ad_fact_error error)
{
    return error == AD_FACT_UNREACHABLE || error == AD_FACT_TIMEOUT ||
           error == AD_FACT_TOO_LARGE || error == AD_FACT_STATUS ||
           error == AD_FACT_REDIRECT || error == AD_FACT_MALFORMED ||
           error == AD_FACT_REFUSED;
}

/* From its first question to its last answer. */
static void tell_source(const ad_fetching *f, const ad_question *questions,
                        const ad_source *s)
{
    ad_asked what = {.source = s->decl->id};
    for (size_t i = 0; i < f->fetch->fact_count; i++) {
        const ad_question *q = &questions[i];
        if (q->plan->source != s || !q->began_ns) {
            continue;
        }
        bool first = !what.began_ns;
        what.began_ns =
            first || q->began_ns < what.began_ns ? q->began_ns : what.began_ns;
        what.ended_ns = q->ended_ns > what.ended_ns ? q->ended_ns : what.ended_ns;
        if (is_sources(q->answer->error)) {
            what.failed = q->answer->error;
        }
    }
    if (what.began_ns) {
        f->fetch->asked(f->fetch->asked_state, &what);
    }
}

static void tell_asked(const ad_fetching *f, const ad_question *questions)
{
    const ad_adapters *a = f->adapters;
    for (size_t i = 0; f->fetch->asked && i < a->source_count; i++) {
        if (a->sources[i].decl && a->sources[i].kind != AD_MANUAL) {
            tell_source(f, questions, &a->sources[i]);
        }
    }
}

/* One clock reading for all ages, so answers of one fetch are judged alike. Questions
 * that wait for somebody are awaited together; the whole takes as long as the slowest,
 * at most until fetch->deadline. */
void ad_adapters_fetch(ad_adapters *a, const ad_fetch *fetch, mt_arena *arena,
                       ad_fact_answer *answers)
{
    size_t count = fetch->fact_count;
    ad_fetching f = {.adapters = a,
                     .fetch = fetch,
                     .arena = arena,
                     .wall_ms = ad_adapters_wall_ms(a)};
    ad_question *questions = mt_new_array(arena, ad_question, count + 1);
    for (size_t i = 0; i < count; i++) {
        begin_question(&f, &questions[i], fetch->facts[i], &answers[i]);
    }
    if (any_open(questions, count)) {
        f.multi = ad_multi_take(a);
        ask_all(&f, questions);
        if (f.jobs.len) {
            ad_fetching_wait(&f);
        }
        ad_multi_give(a, f.multi);
        tell_asked(&f, questions); /* before stale answers hide what failed */
    }
    for (size_t i = 0; i < count; i++) {
        finish(&f, &questions[i]);
    }
}
