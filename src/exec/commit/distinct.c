/* exec/commit/distinct.c - personas that one identity cannot both act as.
 * Room: exec.
 * The configuration names them by contract (distinct_rules.c). Acting on an instance is
 * an operation that changes it; acting on a flow is beginning it, or an operation in
 * it. Who has acted as one persona of a rule is refused as another, on the same
 * instance or flow.
 *
 * It is decided in the group's transaction, with the rows of instances and flows
 * locked, so of two requests at two nodes the second sees the first. What was done
 * stands in the ledger; a document of kind "acts" for each instance and flow is its
 * index, {"acts":{PERSONA:{IDENTITY:RECORD}},"covers":[PERSONA],"upto":RECORD}. What
 * the ledger has behind `upto` is read besides: a rule may have been away for a while,
 * here or at another node, and nobody kept the index then. A rule that is newer than
 * the document finds a persona that the document does not cover, and the whole ledger
 * is read. Personas the server acts as by itself (auto_personas) are nobody's: their
 * acts are in the index, as in the ledger, and forbid nothing.
 *
 * INVARIANT: a document is written in the transaction that does the act. May fail: the
 * store. */
#include "exec/commit/distinct.h"

#include "base/vec.h"
#include "exec/call/problem.h"
#include "exec/evidence/acts.h"

/* ---- Rules ---- */

static bool has(const ex_distinct *d, mt_str persona)
{
    for (size_t i = 0; i < d->count; i++) {
        if (mt_str_eq(d->personas[i], persona)) {
            return true;
        }
    }
    return false;
}

/* The rules that are about this persona; `from` is where to look on. NULL: no more. */
static const ex_distinct *next_rule(const ex_job *job, mt_str persona, size_t *from)
{
    const ex_executor *x = job->x;
    for (; *from < x->distinct_count; (*from)++) {
        const ex_distinct *d = &x->distinct[*from];
        if (mt_str_eq(d->contract, job->v->contract) && has(d, persona)) {
            return &x->distinct[(*from)++];
        }
    }
    return NULL;
}

/* What the server does by itself is nobody's act. */
static bool is_auto(const ex_job *job, mt_str persona)
{
    return ex_personas_cover(job->x->auto_personas, job->x->auto_persona_count,
                             job->v->contract, persona);
}

static bool is_ruled(const ex_job *job, mt_str persona)
{
    size_t from = 0;
    return job->x->distinct_count && next_rule(job, persona, &from);
}

bool ex_distinct_applies(const ex_job *job, mt_str persona)
{
    return is_ruled(job, persona) && !is_auto(job, persona);
}

/* ---- What was done ---- */

/* One instance or one flow, and who has acted on it. */
typedef struct subject {
    mt_arena *a;
    const ex_job *job;
    mt_str flow;           /* empty: an instance */
    mt_str scope, name;    /* of an instance: "Entity/id" */
    mt_str id;             /* of the document */
    mt_map acts;           /* "PERSONA\nIDENTITY" -> record */
    const mt_json *covers; /* names in the document; NULL: there is none */
    int64_t upto;          /* the document has all acts up to this record */
} subject;

static mt_str key_of(const subject *s, mt_str persona, mt_str identity)
{
    return mt_strf(s->a, "%.*s\n%.*s", MT_ARG(persona), MT_ARG(identity));
}

static subject subject_of(mt_arena *a, const ex_job *job, mt_str flow, mt_str scope,
                          mt_str name)
{
    subject s = {.a = a,
                 .job = job,
                 .flow = flow,
                 .scope = scope,
                 .name = name,
                 .upto = EX_NO_RECORD};
    s.id = flow.len ? ex_acts_of_flow(a, flow)
                    : ex_acts_of_instance(a, job->v->contract, scope, name);
    return s;
}

/* How records are named here: by their place, or on a shared store by what they were
 * queued as, which stays good when they are chained (ex_record_end()). */
static int64_t number_of(const subject *s, const st_record *r)
{
    return s->job->x->shared ? r->id : r->seq;
}

/* The first record of an act is the one that is named. */
static void note(subject *s, mt_str persona, mt_str identity, int64_t record)
{
    bool added;
    mt_str key = key_of(s, persona, identity);
    mt_map_entry *entry = mt_map_add(s->a, &s->acts, key, &added);
    if (added) {
        entry->value = (uintptr_t)record;
    }
}

/* One that does not say how far it speaks, in numbers of this kind of store, is made
 * again from the ledger. */
static void read_document(subject *s, mt_str body)
{
    mt_json *tree = mt_new(s->a, mt_json);
    if (mt_json_read(s->a, body, NULL, tree, NULL) ||
        mt_json_i64(mt_json_get(tree, ex_acts_upto(s->job->x->shared)), &s->upto)) {
        return;
    }
    const mt_json *acts = mt_json_at(tree, "acts");
    for (uint32_t i = 0; mt_json_is(acts, MT_JSON_OBJECT) && i < acts->count; i++) {
        const mt_json *who = &acts->as.members[i].value;
        for (uint32_t k = 0; mt_json_is(who, MT_JSON_OBJECT) && k < who->count; k++) {
            int64_t record = 0;
            mt_json_i64(&who->as.members[k].value, &record);
            note(s, acts->as.members[i].key, who->as.members[k].key, record);
        }
    }
    s->covers = mt_json_at(tree, "covers");
}

static bool is_covered(const subject *s, mt_str persona)
{
    for (uint32_t i = 0; mt_json_is(s->covers, MT_JSON_ARRAY) && i < s->covers->count;
         i++) {
        if (mt_str_eq(mt_json_text(&s->covers->as.items[i]), persona)) {
            return true;
        }
    }
    return false;
}

/* All personas of the contract's rules. */
static bool is_whole(const subject *s)
{
    const ex_executor *x = s->job->x;
    for (size_t i = 0; i < x->distinct_count; i++) {
        const ex_distinct *d = &x->distinct[i];
        for (size_t k = 0; mt_str_eq(d->contract, s->job->v->contract) && k < d->count;
             k++) {
            if (!is_covered(s, d->personas[k])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- From the ledger ---- */

typedef struct history {
    subject *s;
    MT_VEC(int64_t) of; /* records that small ones point to */
} history;

/* A record is found under everything it binds; an instance was acted on if it changed.
 */
static bool acts_on(const subject *s, const mt_json *body)
{
    size_t slash = mt_str_find(s->name, '/');
    const mt_json *after = mt_json_at(mt_json_at(body, "provenance"), "state_after");
    const mt_json *ids = mt_json_get(after, mt_str_from(s->name.ptr, slash));
    return s->flow.len || mt_json_get(ids, mt_str_skip(s->name, slash + 1));
}

/* A record that cannot be read, or names no persona or caller, is nobody's act. */
static void take_act(subject *s, const st_record *r)
{
    mt_json body;
    if (mt_json_read(s->a, mt_str_dup(s->a, r->body), NULL, &body, NULL) ||
        !acts_on(s, &body)) {
        return;
    }
    mt_str persona = mt_json_text(mt_json_at(&body, "persona"));
    if (!persona.len) {
        persona = mt_json_text(mt_json_at(mt_json_at(&body, "provenance"), "persona"));
    }
    mt_str who = mt_json_text(mt_json_at(mt_json_at(&body, "caller"), "id"));
    if (persona.len && who.len) {
        note(s, persona, who, number_of(s, r));
    }
}

/* Small records of kind `effect` point to the one that says who acted; these are read
 * when the walk is over. */
static mt_err look_at(void *state, const st_record *r)
{
    history *h = state;
    mt_json body;
    int64_t of;
    if (mt_str_is(r->kind, "operation") || mt_str_is(r->kind, "flow_started")) {
        take_act(h->s, r);
    } else if (mt_str_is(r->kind, "effect") &&
               !mt_json_read(h->s->a, mt_str_dup(h->s->a, r->body), NULL, &body,
                             NULL) &&
               !mt_json_i64(mt_json_at(&body, "of"), &of)) {
        mt_vec_push(h->s->a, &h->of, of);
    }
    return MT_OK;
}

/* The place behind what the document has. Records of one subject have numbers in the
 * order of their commits; one that waits to be chained has no place yet, and may get
 * one at any moment: then all is read. */
static mt_err first_unread(const subject *s, st_tx *tx, int64_t *from)
{
    st_record r = {.seq = s->upto};
    bool known = s->upto != EX_NO_RECORD && is_whole(s);
    mt_err err =
        known && s->job->x->shared ? st_record_get(tx, s->a, s->upto, &r) : MT_OK;
    known = known && !err && r.seq >= 0 && r.seq < INT64_MAX;
    *from = known ? r.seq + 1 : 0;
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* An instance is the contract's alone, or that of a System: then members write about
 * it, and the personas of a rule are those of this contract. */
static mt_err read_ledger(subject *s, st_tx *tx)
{
    history h = {.s = s};
    int64_t from;
    mt_err err = first_unread(s, tx, &from);
    st_record_filter f = {.contract = s->job->v->contract,
                          .from_seq = from,
                          .flow = s->flow,
                          .subject = s->flow.len ? (mt_str){0} : s->name,
                          .pending = true};
    err = err ? err : st_record_walk(tx, &f, (st_page){.limit = 0}, look_at, &h);
    for (size_t i = 0; i < h.of.len && !err; i++) {
        st_record r;
        err = st_record_get(tx, s->a, h.of.items[i], &r);
        if (!err) {
            take_act(s, &r);
        }
        err = err == MT_E_NOTFOUND ? MT_OK : err;
    }
    return err;
}

/* The index first, then what the ledger has behind it. */
static mt_err load(subject *s, st_tx *tx, bool lock)
{
    st_doc doc;
    mt_err err = lock ? st_doc_lock(tx, s->a, EX_ACTS_KIND, s->id, &doc)
                      : st_doc_get(tx, s->a, EX_ACTS_KIND, s->id, &doc);
    if (!err) {
        read_document(s, doc.body);
    }
    err = err == MT_E_NOTFOUND ? MT_OK : err;
    return err ? err : read_ledger(s, tx);
}

/* ---- Kept ---- */

static void write_acts(mt_jw *w, const subject *s)
{
    uint32_t n = s->acts.len;
    mt_map_entry *list = mt_new_array(s->a, mt_map_entry, n);
    mt_str open = {0};
    for (uint32_t i = 0; i < n; i++) {
        list[i] = s->acts.entries[i];
    }
    mt_sort_by(list, n, key);
    mt_jw_begin_object(w);
    for (uint32_t i = 0; i < n; i++) {
        size_t end = mt_str_find(list[i].key, '\n');
        mt_str persona = mt_str_from(list[i].key.ptr, end);
        if (!open.ptr || !mt_str_eq(open, persona)) {
            if (open.ptr) {
                mt_jw_end_object(w);
            }
            mt_jw_key(w, persona);
            mt_jw_begin_object(w);
            open = persona;
        }
        mt_jw_key(w, mt_str_skip(list[i].key, end + 1));
        mt_jw_i64(w, (int64_t)list[i].value);
    }
    if (open.ptr) {
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
}

static void write_covers(mt_jw *w, const subject *s)
{
    const ex_executor *x = s->job->x;
    mt_jw_begin_array(w);
    for (size_t i = 0; i < x->distinct_count; i++) {
        const ex_distinct *d = &x->distinct[i];
        for (size_t k = 0; mt_str_eq(d->contract, s->job->v->contract) && k < d->count;
             k++) {
            mt_jw_str(w, d->personas[k]);
        }
    }
    mt_jw_end_array(w);
}

static mt_err keep(const subject *s, ex_group *g)
{
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "acts");
    write_acts(&w, s);
    mt_jw_keyz(&w, "covers");
    write_covers(&w, s);
    mt_jw_key(&w, ex_acts_upto(s->job->x->shared));
    mt_jw_i64(&w, s->upto);
    mt_jw_end_object(&w);
    st_doc doc = {.kind = EX_ACTS_KIND,
                  .id = s->id,
                  .tag = s->job->v->contract,
                  .body = mt_buf_str(&body),
                  .updated_ms = g->now_ms};
    mt_err err = st_doc_set(g->tx, &doc);
    mt_buf_free(&body);
    return err;
}

/* ---- Deciding ---- */

static void compare(const subject *s, mt_str persona, mt_str identity, ex_other *out)
{
    size_t from = 0;
    const ex_distinct *d;
    while (!out->persona.len && (d = next_rule(s->job, persona, &from))) {
        for (size_t i = 0; i < d->count && !out->persona.len; i++) {
            int64_t record = (int64_t)mt_map_get(
                &s->acts, key_of(s, d->personas[i], identity), (uintptr_t)EX_NO_RECORD);
            if (record != EX_NO_RECORD && !mt_str_eq(d->personas[i], persona) &&
                !is_auto(s->job, d->personas[i])) {
                *out = (ex_other){
                    d->personas[i],
                    s->flow.len ? mt_strf(s->a, "flow '%.*s'", MT_ARG(s->flow))
                                : mt_strf(s->a, "instance '%.*s'", MT_ARG(s->name)),
                    record};
            }
        }
    }
}

static mt_err look(subject *s, st_tx *tx, const ex_act *act, bool lock, ex_other *out)
{
    mt_err err = load(s, tx, lock);
    if (!err) {
        compare(s, act->persona, act->who, out);
    }
    return err;
}

/* Is the entity one that the operation may change? */
static bool changes(const ex_job *job, const ex_act *act, uint32_t entity)
{
    const ct_operation *op =
        act->op == CT_NONE ? NULL : &job->v->model->operations[act->op];
    for (uint32_t i = 0; op && i < op->effect_count; i++) {
        if (op->effects[i].entity == entity) {
            return true;
        }
    }
    return false;
}

mt_err ex_distinct_look(const ex_job *job, mt_arena *a, st_tx *tx, const ex_act *act,
                        bool lock, ex_other *out)
{
    const ct_model *m = job->v->model;
    mt_err err = MT_OK;
    *out = (ex_other){0};
    if (act->flow.len) {
        subject s = subject_of(a, job, act->flow, (mt_str){0}, (mt_str){0});
        err = look(&s, tx, act, lock, out);
    }
    for (uint32_t e = 0; e < m->entity_count && !err && !out->persona.len; e++) {
        if (job->snap->instances[e].ptr && changes(job, act, e)) {
            subject s =
                subject_of(a, job, (mt_str){0}, job->v->scopes[e],
                           ex_subject(a, m->entities[e].id, job->snap->instances[e]));
            err = look(&s, tx, act, lock, out);
        }
    }
    return err;
}

static mt_err add(subject *s, ex_group *g, const ex_act *act, int64_t record)
{
    mt_err err = load(s, g->tx, true);
    note(s, act->persona, act->who, record);
    s->upto = record;
    return err ? err : keep(s, g);
}

mt_err ex_distinct_note(const ex_job *job, ex_group *g, const ex_act *act,
                        const ct_change *done, uint32_t count, int64_t record)
{
    const ct_model *m = job->v->model;
    mt_err err = MT_OK;
    if (!is_ruled(job, act->persona)) {
        return MT_OK;
    }
    if (act->flow.len) {
        subject s = subject_of(g->arena, job, act->flow, (mt_str){0}, (mt_str){0});
        err = add(&s, g, act, record);
    }
    for (uint32_t i = 0; i < count && !err; i++) {
        uint32_t e = done[i].entity;
        subject s = subject_of(
            g->arena, job, (mt_str){0}, job->v->scopes[e],
            ex_subject(g->arena, m->entities[e].id, job->snap->instances[e]));
        err = add(&s, g, act, record);
    }
    return err;
}

static void refuse_other(ex_job *job, mt_str persona, const ex_other *other)
{
    mt_jw w = ex_problem_open(
        job, EX_NOT_DISTINCT,
        mt_strf(
            &job->arena,
            "the caller has acted as '%.*s' on %.*s (record %s%lld), so it cannot act "
            "as '%.*s'",
            MT_ARG(other->persona), MT_ARG(other->on), job->x->shared ? "q" : "",
            (long long)other->record, MT_ARG(persona)));
    mt_jw_keyz(&w, "other");
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "persona", other->persona);
    ex_reply_record(&w, job, other->record);
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "persona", persona);
    ex_problem_close(&w);
}

mt_err ex_distinct_refused(ex_job *job, st_tx *tx, const ex_act *act, bool lock)
{
    ex_other other;
    st_tx *own = NULL;
    if (!ex_distinct_applies(job, act->persona)) {
        return MT_OK;
    }
    mt_err err = tx ? MT_OK : st_begin(job->x->store, ST_READ, &own);
    err = err ? err
              : ex_distinct_look(job, &job->arena, tx ? tx : own, act, lock && tx,
                                 &other);
    st_rollback(own);
    if (!err && other.persona.len) {
        refuse_other(job, act->persona, &other);
    }
    return err;
}
