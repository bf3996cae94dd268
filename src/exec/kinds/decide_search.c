/* exec/kinds/decide_search.c - who may, on what, and what: searches of AuthZEN.
 * Room: exec. A search is the question asked of every candidate there is, so its answer
 * is exact for the moment it is given: subjects (of types that can be listed),
 * instances, operations, flows and verdicts. A page looks at so many candidates, and
 * its token says which question it goes on with and where. Where a candidate cannot be
 * decided the search is refused instead of answered in part. Nothing is recorded:
 * nobody was let through. Always on a worker. May fail: as the question does; the
 * store. */
#include "exec/call/facts.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"
#include "exec/kinds/decide.h"

enum { LIMIT_MOST = INT32_MAX, NO_LIMIT = -1, PRINT_BYTES = 8 };

typedef struct page {
    mt_str token;
    int64_t limit; /* NO_LIMIT: not given */
} page;

static const mt_form_row PAGE[] = {
    MT_FORM_TEXT(page, token, "token", MT_FORM_NULLABLE),
    MT_FORM_INT(page, limit, "limit", 0, LIMIT_MOST, MT_FORM_NULLABLE),
};

typedef struct search {
    ex_job *job;
    ex_question ask;
    page page;
    mt_str print; /* of what is asked: begins each token, so that it fits no other */
    mt_str after; /* where the page begins, from its token; empty: with the first */
    mt_jw w;      /* inside `results` */
    bool refused; /* one could not be decided: the job is answered so */
} search;

/* ---- Asked ---- */

/* Of everything that must stay the same from page to page. */
static mt_str print_of(ex_job *job, const mt_json *body, const page *p)
{
    static const char *const PARTS[] = {"action", "context", "resource", "subject"};
    mt_buf text = {0};
    mt_buf_addf(&text, "%d %lld", (int)job->call->action, (long long)p->limit);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        const mt_json *part = mt_json_get(body, mt_str_z(PARTS[i]));
        mt_buf_addc(&text, '\n');
        if (part) {
            mt_json_write(&text, part, false);
        }
    }
    mt_str hex = mt_sha256_hex(&job->arena, mt_sha256_of(mt_buf_str(&text)));
    mt_buf_free(&text);
    return mt_strf(&job->arena, "%.*s.", PRINT_BYTES * 2, hex.ptr);
}

/* A token of another question, or of another page size, is refused: its place would
 * mean something else here. */
static bool refused_token(search *s)
{
    mt_str token = s->page.token;
    if (token.len && !mt_str_starts(token, s->print)) {
        return ex_refuse(s->job, EX_BAD_REQUEST,
                         "`page.token` is not one of this question: everything else "
                         "stays as it was from page to page");
    }
    s->after = token.len ? mt_str_skip(token, s->print.len) : (mt_str){0};
    return false;
}

/* True: the job was answered. */
static bool refused_search(ex_job *job, ex_lacks lacks, search *s)
{
    mt_json body;
    mt_buf why = {0};
    *s = (search){.job = job, .page.limit = NO_LIMIT};
    if (ex_refused_question_body(job, &body)) {
        return true;
    }
    const mt_json *paged = mt_json_at(&body, "page");
    mt_form form = {.arena = &job->arena,
                    .path = MT_STR("page"),
                    .what = "`page`",
                    .report = mt_form_join,
                    .state = &why,
                    .unknown = MT_FORM_ALLOWED};
    bool good =
        ex_question_read(&job->arena, &body, &s->ask, &why) &&
        ex_question_whole(&s->ask, lacks, &why) &&
        (!paged || mt_form_read(&form, paged, PAGE, mt_form_count(PAGE), &s->page));
    if (!good) {
        ex_refuse(job, EX_BAD_REQUEST, "%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    if (good) {
        s->print = print_of(job, &body, &s->page);
    }
    return !good || refused_token(s);
}

/* The member `page`, where there may be another: `next` is what begins there, or ptr
 * NULL. */
static void write_page(search *s, mt_str next)
{
    mt_arena *a = &s->job->arena;
    mt_jw_keyz(&s->w, "page");
    mt_jw_begin_object(&s->w);
    mt_jw_key_str(&s->w, "next_token",
                  next.ptr ? mt_strf(a, "%.*s%.*s", MT_ARG(s->print), MT_ARG(next))
                           : MT_STR(""));
    mt_jw_end_object(&s->w);
}

/* Of a list that is there whole: which part of it the page has. All of it, unless the
 * caller wants pages. */
static bool refused_part(search *s, size_t count, size_t *from, size_t *to)
{
    uint64_t at = 0;
    for (size_t i = 0; i < s->after.len; i++) {
        char c = s->after.ptr[i];
        at = c >= '0' && c <= '9' && at <= count ? at * 10 + (uint64_t)(c - '0')
                                                 : UINT64_MAX;
    }
    if (at > count) {
        return ex_refuse(s->job, EX_BAD_REQUEST, "`page.token` is not one of ours");
    }
    uint64_t left = count - at, limit = (uint64_t)s->page.limit;
    *from = at;
    *to = s->page.limit == NO_LIMIT || left <= limit ? count : at + limit;
    return false;
}

static void write_part(search *s, size_t count, size_t to)
{
    if (s->page.limit != NO_LIMIT || s->page.token.len) {
        write_page(s, to < count ? mt_strf(&s->job->arena, "%zu", to) : (mt_str){0});
    }
    mt_jw_keyz(&s->w, "results");
    mt_jw_begin_array(&s->w);
}

/* Candidates are requests like any other; the first was counted when the call came. */
static bool refused_many(ex_job *job, size_t count)
{
    return count > 1 && !job->saw_facts &&
           ex_refused_quota_of(job, EX_QUOTA_REQUESTS, count - 1, "more requests");
}

/* Facts are seen as of one moment for all candidates, and one deadline bounds them
 * together. */
static void begin(search *s)
{
    s->job->took_facts = true;
    s->job->facts_stamp = atomic_load(&s->job->x->facts_stamp);
    (void)ex_deadline(s->job);
    s->w = ex_reply_with(s->job, 200);
}

/* May it, with this candidate put into the question? The reply that was begun goes on
 * behind it, or is a problem. */
static bool may(search *s)
{
    mt_arena *a = &s->job->arena;
    if (os_is_late(ex_deadline(s->job))) {
        s->refused = ex_refuse(s->job, EX_EVALUATION_DEADLINE,
                               "the candidates before took all of eval_ms (%zu)",
                               s->job->x->limits.eval_ms);
        return false;
    }
    ex_decision d;
    mt_buf begun = s->job->reply.body;
    mt_mark m = mt_arena_mark(a);
    s->job->reply.body = (mt_buf){0};
    s->job->elsewhere = !ex_decide_one(s->job, &s->ask, true, &d);
    s->refused = s->job->elsewhere || d.fault_status;
    if (s->refused) {
        mt_buf_free(&begun);
    } else {
        mt_buf_free(&s->job->reply.body);
        s->job->reply.body = begun;
        mt_arena_rewind(a, m);
    }
    return !s->refused && d.allowed;
}

/* A refusal has replaced what was written of the results. */
static bool end(search *s)
{
    if (!s->refused) {
        mt_jw_end_array(&s->w);
        ex_reply_end(&s->w);
    }
    return true;
}

/* ---- Subjects ---- */

/* Personas of the contract, if it is there. */
static void list_personas(search *s, const mt_str **ids, size_t *count)
{
    mt_str contract, entity;
    ex_question_resource(s->job->x, s->ask.resource.type, &contract, &entity);
    const ex_version *v = ex_current(s->job->x, contract);
    uint32_t n = v ? v->model->persona_count : 0;
    mt_str *list = mt_new_array(&s->job->arena, mt_str, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        list[i] = v->model->personas[i].id;
    }
    *ids = list;
    *count = n;
}

/* A type that nobody knows has no subjects, and the search finds none; one that is
 * known and cannot be listed is refused, since "nobody" would be wrong. */
static bool refused_list(search *s, const mt_str **ids, size_t *count)
{
    mt_str type = s->ask.subject.type;
    const ex_people *people = s->job->call->people;
    *count = 0;
    if (mt_str_is(type, "persona")) {
        list_personas(s, ids, count);
        return false;
    }
    mt_err err = people ? people->list(people->state, &s->job->arena, type, ids, count)
                        : MT_E_NOTFOUND;
    return err == MT_E_RANGE &&
           ex_refuse(s->job, EX_NOT_IMPLEMENTED,
                     "subjects of type '%.*s' cannot be listed: who they are is known "
                     "only when they come",
                     MT_ARG(type));
}

static void thing_json(mt_jw *w, const ex_thing *t)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "id", t->id);
    mt_jw_key_str(w, "type", t->type);
    mt_jw_end_object(w);
}

bool ex_search_subject(ex_job *job)
{
    search s;
    const mt_str *ids = NULL;
    size_t count, from = 0, to = 0;
    if (refused_search(job, EX_LACKS_SUBJECT, &s) || ex_refused_to_ask(job, &s.ask) ||
        refused_list(&s, &ids, &count) || refused_part(&s, count, &from, &to) ||
        refused_many(job, to - from)) {
        return true;
    }
    begin(&s);
    write_part(&s, count, to);
    for (size_t i = from; i < to && !s.refused; i++) {
        s.ask.subject.id = ids[i];
        if (may(&s)) {
            thing_json(&s.w, &s.ask.subject);
        }
    }
    return end(&s);
}

/* ---- Resources ---- */

typedef struct ids {
    mt_arena *a;
    MT_VEC(mt_str) all;
} ids;

static mt_err keep_id(void *state, const st_instance *row)
{
    ids *l = state;
    mt_str id = mt_str_dup(l->a, row->id);
    mt_vec_push(l->a, &l->all, id);
    return MT_OK;
}

/* One more than the page has, to know whether there is another. */
static mt_err read_ids(search *s, uint32_t limit, ids *out)
{
    ex_job *job = s->job;
    mt_str contract, entity;
    ex_question_resource(job->x, s->ask.resource.type, &contract, &entity);
    const ex_version *v = ex_current(job->x, contract);
    uint32_t e = v ? ct_model_find(v->model, CT_KIND_ENTITY, entity) : CT_NONE;
    st_tx *tx;
    *out = (ids){.a = &job->arena};
    if (e == CT_NONE) {
        return MT_OK;
    }
    mt_err err = st_begin(job->x->store, ST_READ, &tx);
    if (!err) {
        st_instance_filter f = {.scope = v->scopes[e], .entity = entity};
        st_page p = {s->after, limit + 1};
        err = st_instance_walk(tx, &f, p, keep_id, out);
        st_rollback(tx);
    }
    return err;
}

/* Where a page ends is an instance, and those are for whom the contract concerns: a
 * token may ask about itself over every one. */
static bool refused_places(ex_job *job, const ex_question *ask)
{
    mt_str contract, entity;
    ex_question_resource(job->x, ask->resource.type, &contract, &entity);
    return !ex_may_see(job, contract) &&
           ex_refused_without(job, contract, MT_STR("decide"));
}

/* The token is the id of the last instance looked at, so a page goes on behind it
 * whatever was created or deleted meanwhile. */
bool ex_search_resource(ex_job *job)
{
    search s;
    ids l;
    if (refused_search(job, EX_LACKS_RESOURCE, &s) || ex_refused_to_ask(job, &s.ask) ||
        refused_places(job, &s.ask)) {
        return true;
    }
    uint32_t limit = s.page.limit == NO_LIMIT      ? EX_PAGE_USUAL
                     : s.page.limit < EX_PAGE_MOST ? (uint32_t)s.page.limit
                                                   : EX_PAGE_MOST;
    mt_err err = read_ids(&s, limit, &l);
    size_t count = l.all.len < limit ? l.all.len : limit;
    if (err || refused_many(job, count)) {
        return err ? ex_refuse_store(job, err) : true;
    }
    begin(&s);
    bool more = l.all.len > count;
    mt_str last = count ? l.all.items[count - 1] : s.after;
    write_page(&s, more ? (mt_str){last.ptr ? last.ptr : "", last.len} : (mt_str){0});
    mt_jw_keyz(&s.w, "results");
    mt_jw_begin_array(&s.w);
    for (size_t i = 0; i < count && !s.refused; i++) {
        s.ask.resource.id = l.all.items[i];
        if (may(&s)) {
            thing_json(&s.w, &s.ask.resource);
        }
    }
    return end(&s);
}

/* ---- Actions ---- */

typedef struct of_kind {
    ct_kind kind;
    const char *prefix;
} of_kind;

/* As `evaluation` finds it: the first kind that has the name. */
static mt_str name_for(search *s, const ct_model *m, const of_kind *k, mt_str id)
{
    bool taken =
        (k->kind != CT_KIND_OPERATION &&
         ct_model_find(m, CT_KIND_OPERATION, id) != CT_NONE) ||
        (k->kind == CT_KIND_VERDICT && ct_model_find(m, CT_KIND_FLOW, id) != CT_NONE);
    return taken ? mt_strf(&s->job->arena, "%s%.*s", k->prefix, MT_ARG(id)) : id;
}

/* `skip` and `most` are of this kind. */
static void search_kind(search *s, const ct_model *m, const of_kind *k, size_t skip,
                        size_t most)
{
    const mt_map *names = &m->names[k->kind];
    for (size_t i = skip; i < names->len && i < most && !s->refused; i++) {
        s->ask.action.name = name_for(s, m, k, names->entries[i].key);
        if (may(s)) {
            mt_jw_begin_object(&s->w);
            mt_jw_key_str(&s->w, "name", s->ask.action.name);
            mt_jw_end_object(&s->w);
        }
    }
}

/* Verdicts for who may ask for them. */
static size_t kinds_for(const ex_job *job, mt_str contract)
{
    return ex_caller_may(job->call->caller, contract, MT_STR("evaluate")) ? 3 : 2;
}

/* Operations, flows and verdicts are counted through as one list; `from` and `to` move
 * along with each kind. */
bool ex_search_action(ex_job *job)
{
    static const of_kind KINDS[] = {{CT_KIND_OPERATION, "operation:"},
                                    {CT_KIND_FLOW, "flow:"},
                                    {CT_KIND_VERDICT, "verdict:"}};
    search s;
    mt_str contract, entity;
    if (refused_search(job, EX_LACKS_ACTION, &s) || ex_refused_to_ask(job, &s.ask)) {
        return true;
    }
    ex_question_resource(job->x, s.ask.resource.type, &contract, &entity);
    const ex_version *v = ex_current(job->x, contract);
    size_t kinds = v ? kinds_for(job, contract) : 0, count = 0;
    for (size_t i = 0; i < kinds; i++) {
        count += v->model->names[KINDS[i].kind].len;
    }
    size_t from = 0, to = 0;
    if (refused_part(&s, count, &from, &to) || refused_many(job, to - from)) {
        return true;
    }
    begin(&s);
    write_part(&s, count, to);
    for (size_t i = 0; i < kinds; i++) {
        size_t len = v->model->names[KINDS[i].kind].len;
        search_kind(&s, v->model, &KINDS[i], from, to);
        from = from > len ? from - len : 0;
        to = to > len ? to - len : 0;
    }
    return end(&s);
}
