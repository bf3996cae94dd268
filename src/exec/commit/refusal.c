/* exec/commit/refusal.c - what was refused is a record, too.
 * Room: exec.
 * A refused operation, flow or resumption tells what somebody tried and why it was not
 * allowed; who audits a ledger needs it as much as what was done. It is written in the
 * group in which it was decided, beside everything else: what was refused without a
 * look at a state waits for the committer, too. What is not a decision of the contract
 * is not written: requests that cannot be read, what the world or a limit of the server
 * prevented, and whatever says "ask again".
 * How much is told is a setting: reasons (names that the contract declares, no values,
 * no member that a client made up), all (what the caller was told, and the facts), or
 * nothing.
 * Each counts against its caller's quota (call/quota.c).
 * INVARIANT: a repeated request with a key finds its first answer, so it is written
 * once. May fail: the store. */
#include "exec/call/facts.h"
#include "exec/call/rights.h"
#include "exec/commit/answers.h"
#include "exec/commit/ledger.h"
#include "exec/evidence/decision.h"

/* ---- Which ---- */

/* Statuses of refusals that a contract, its states or the caller's rights decided; of
 * them, these did not. */
static bool is_decision(int status, ex_problem p)
{
    static const ex_problem OTHERS[] = {EX_UNKNOWN_CONTRACT,  EX_UNKNOWN_RECORD,
                                        EX_UNKNOWN_EXECUTION, EX_CONTRACT_CHANGED,
                                        EX_CONFLICT,          EX_NOT_CHAINED,
                                        EX_EVALUATION_BUDGET, EX_IDEMPOTENCY_MISMATCH};
    bool other = status != 403 && status != 404 && status != 409 && status != 422;
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS && !other; i++) {
        other = p == OTHERS[i];
    }
    return !other;
}

static bool is_operation(const ex_job *job)
{
    return job->call->action == EX_OPERATION || job->call->action == EX_GUARD_BEGIN;
}

bool ex_refusal_due(const ex_job *job)
{
    ex_action action = job->call->action;
    bool ours = is_operation(job) || action == EX_GUARD_FLOW ||
                action == EX_FLOW_START || action == EX_FLOW_RESUME;
    return ours && job->reply.problem && !job->simulation && !job->internal &&
           !job->resumed && !job->reply.replayed &&
           job->x->refusals != EX_REFUSALS_NONE &&
           is_decision(job->reply.status, (ex_problem)job->problem);
}

/* ---- What was asked ---- */

typedef struct asked {
    const ex_version *v; /* NULL: only the flow's row is known */
    const st_flow *row;  /* of a flow that was to go on, or NULL */
    mt_str contract, etag;
    mt_str bindings; /* JSON */
} asked;

/* Entities in the contract's order, so that their names ascend where it is sorted. What
 * no entity or no text is was not bound. */
static mt_str bindings_text(const ex_job *job, mt_arena *a)
{
    const ct_model *m = job->v->model;
    const mt_json *given = job->request.bindings;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_unsorted(&w);
    for (uint32_t e = 0; given && e < m->entity_count; e++) {
        const mt_json *id = mt_json_get(given, m->entities[e].id);
        if (mt_json_is(id, MT_JSON_STRING)) {
            mt_jw_key(&w, m->entities[e].id);
            mt_jw_str(&w, mt_json_text(id));
        }
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* False: not even the contract is known. */
static bool find_asked(ex_job *job, ex_group *g, asked *out)
{
    bool resume = job->call->action == EX_FLOW_RESUME;
    const ex_flow_row *f = resume ? ex_flow_of(g, job->call->id) : NULL;
    *out = (asked){.v = job->v, .row = f && f->found ? &f->row : NULL};
    if (out->row) {
        out->contract = out->row->contract;
        out->etag = out->row->etag;
        out->bindings = out->row->bindings;
    } else if (job->v) {
        out->contract = job->v->contract;
        out->etag = job->v->etag;
        out->bindings = bindings_text(job, g->arena);
    }
    return out->contract.len > 0;
}

/* ---- Why ---- */

/* Behind "name" or ".name", the type of that field of a record; NULL: it has none. */
static const ct_type *field_type(const ct_type *t, mt_str name)
{
    for (uint32_t i = 0; ct_held(t) == LN_RECORD && i < t->count; i++) {
        if (mt_str_eq(t->as.fields[i].name, name)) {
            return t->as.fields[i].type;
        }
    }
    return NULL;
}

static size_t name_length(mt_str path)
{
    size_t len = 0;
    while (len < path.len && path.ptr[len] != '.' && path.ptr[len] != '[') {
        len++;
    }
    return len;
}

/* How much of "fact.field[3].other" the contract declares: the rest are members that a
 * client made up, and what it writes there is not ours to keep for ever. */
static mt_str declared_part(const ct_model *m, mt_str path)
{
    size_t end = name_length(path);
    uint32_t fact = ct_model_find(m, CT_KIND_FACT, mt_str_from(path.ptr, end));
    const ct_type *t = fact == CT_NONE ? NULL : m->facts[fact].type;
    size_t declared = t ? end : 0;
    while (t && end < path.len) {
        mt_str rest = mt_str_skip(path, end);
        if (rest.ptr[0] == '[') {
            end += mt_str_find(rest, ']') + 1;
            t = ct_held(t) == LN_LIST ? t->as.list.element : NULL;
        } else {
            size_t len = name_length(mt_str_skip(rest, 1));
            end += 1 + len;
            t = field_type(t, mt_str_from(rest.ptr + 1, len));
        }
        declared = t && end <= path.len ? end : declared;
    }
    return mt_str_from(path.ptr, declared);
}

/* Reasons without values of facts, and of names only those that the contract has. */
static mt_json reasons(const ex_job *job, mt_arena *a, const mt_json *problem)
{
    mt_json said = ex_refusal_without_values(a, problem);
    mt_json_member *kept = mt_new_array(a, mt_json_member, said.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < said.count; i++) {
        mt_json_member m = said.as.members[i];
        if (mt_str_is(m.key, "fact") && mt_json_is(&m.value, MT_JSON_STRING)) {
            mt_str path = job->v ? declared_part(job->v->model, mt_json_text(&m.value))
                                 : (mt_str){0};
            if (!path.len) {
                continue;
            }
            m.value.as.text = path.ptr;
            m.value.count = (uint32_t)path.len;
        }
        kept[count++] = m;
    }
    said.as.members = kept;
    said.count = count;
    return said;
}

/* Of what the caller is told, as much as the setting wants. */
static mt_json why(const ex_job *job, mt_arena *a, const mt_json *problem)
{
    static const char *const NOT_EVEN[] = {"operation", "simulation", "title", "type",
                                           NULL};
    return job->x->refusals == EX_REFUSALS_ALL ? ex_members_but(a, problem, NOT_EVEN)
                                               : reasons(job, a, problem);
}

void ex_refusal_json(mt_jw *w, const ex_job *job, mt_arena *a)
{
    mt_json problem;
    mt_buf text = {0};
    mt_jw_keyz(w, "refusal");
    if (!mt_json_read(a, mt_str_dup(a, mt_buf_str(&job->reply.body)), NULL, &problem,
                      NULL)) {
        mt_json said = why(job, a, &problem);
        mt_json_write(&text, &said, false);
    }
    mt_jw_raw(w, text.len ? mt_buf_str(&text) : MT_STR("{}"));
    mt_buf_free(&text);
}

/* ---- The record ---- */

/* The problem's last member: which record says it. */
static void tell_number(ex_job *job, int64_t number)
{
    mt_buf *body = &job->reply.body;
    body->len--; /* the brace */
    mt_buf_addf(body, ",\"%s\":%lld}", job->x->shared ? "queued" : "record",
                (long long)number);
}

static void members_json(mt_jw *w, ex_job *job, ex_group *g, const asked *a)
{
    bool all = job->x->refusals == EX_REFUSALS_ALL;
    mt_jw_keyz(w, "bindings");
    mt_jw_raw(w, a->bindings);
    ex_caller_json(w, job);
    mt_jw_key_str(w, "contract", a->contract);
    mt_jw_key_str(w, "etag", a->etag);
    if (a->row) {
        mt_jw_key_str(w, "execution", a->row->id);
    }
    if (all && a->v && job->snap && job->has_facts) {
        mt_jw_keyz(w, "facts");
        ex_fact_provenance(w, a->v, job->snap);
    }
    if (!is_operation(job)) {
        mt_jw_key_str(w, "flow", a->row ? a->row->flow : job->call->name);
    }
    if (job->guard_json.len) {
        mt_jw_keyz(w, "guard");
        mt_jw_raw(w, job->guard_json);
    }
    mt_jw_key_str(w, "kind", MT_STR("refusal"));
    if (is_operation(job) && job->call->name.len) {
        mt_jw_key_str(w, "operation", job->call->name);
    }
    if (job->request.persona.len) {
        mt_jw_key_str(w, "persona", job->request.persona);
    }
    ex_refusal_json(w, job, g->arena);
    ex_record_time(w, g);
}

/* A record is room in the ledger for good: whoever has used up its share of it is
 * refused for that reason instead, and nothing is written. */
bool ex_refused_more(ex_job *job, size_t count)
{
    job->counted =
        job->counted || !count ||
        !ex_refused_quota_of(job, EX_QUOTA_REFUSALS, count, "recorded refusals");
    return !job->counted;
}

mt_err ex_refusal_record(ex_job *job, ex_group *g)
{
    asked a;
    int64_t number;
    if (!find_asked(job, g, &a) || !job->reply.body.len || ex_refused_more(job, 1)) {
        return MT_OK;
    }
    mt_jw w = ex_record_begin(g);
    members_json(&w, job, g, &a);
    ex_record r = {.kind = "refusal",
                   .contract = a.contract,
                   .flow = a.row ? a.row->id : (mt_str){0},
                   .unsorted = !a.v || !a.v->sorted};
    ex_bound_subjects(g, a.bindings, &r);
    mt_err err = ex_record_end(g, &w, &r, &number);
    if (!err) {
        tell_number(job, number);
        atomic_fetch_add_explicit(&job->x->metrics.refusals, 1, memory_order_relaxed);
    }
    return err;
}
