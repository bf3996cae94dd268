/* exec/call/request.c - bodies and queries: read once, refused with a reason.
 * Room: exec.
 * Bodies are read by the rows of a form, from the text (base/form_pull.h); facts and
 * values stay text, because the contract's types say how to read them. A member nobody
 * knows is refused: a misspelt `expected_versions` must not be ignored. Then come the
 * names in it that only the contract knows: the contract itself, bindings.
 * May fail: whatever the caller sent, with its place in the body. */
#include "exec/call/request.h"

#include "base/form_pull.h"
#include "contract/flow/states.h"

/* ---- Bodies ---- */

static const mt_form_row MEMBERS[] = {
    MT_FORM_TEXT(ex_request, persona, "persona", 0),
    MT_FORM_RAW(ex_request, facts, "facts", 0),
    MT_FORM_OBJECT(ex_request, bindings, "bindings", 0),
    MT_FORM_OBJECT(ex_request, params, "params", 0),
    MT_FORM_ANY(ex_request, outcome, "outcome", 0),
    MT_FORM_FLAG(ex_request, dry_run, "dry_run", 0),
    MT_FORM_FLAG(ex_request, receipt, "receipt", 0),
    MT_FORM_OBJECT(ex_request, expected, "expected_versions", 0),
    MT_FORM_TEXT(ex_request, id, "id", 0),
    MT_FORM_RAW(ex_request, value, "value", 0),
    MT_FORM_TEXT(ex_request, expires_at, "expires_at", 0),
    MT_FORM_INT(ex_request, ttl_ms, "ttl_ms", 1, EX_TTL_MOST_MS, 0),
    MT_FORM_TEXT(ex_request, reason, "reason", 0),
    MT_FORM_ANY(ex_request, flows, "flows", 0),
    MT_FORM_ANY(ex_request, unknown, "unknown", 0),
    MT_FORM_FLAG(ex_request, partial, "partial", 0),
    MT_FORM_TEXT(ex_request, verdict, "verdict", 0),
    MT_FORM_TEXT(ex_request, operation, "operation", 0),
    MT_FORM_TEXT(ex_request, flow, "flow", 0),
    MT_FORM_TEXT(ex_request, state, "state", 0),
    MT_FORM_RAW(ex_request, bundle, "bundle", 0),
    MT_FORM_TEXT(ex_request, source, "source", 0),
    MT_FORM_TEXT(ex_request, contract, "contract", 0),
    MT_FORM_ANY(ex_request, policy, "policy", 0),
    MT_FORM_OBJECT(ex_request, state_map, "state_map", 0),
    MT_FORM_ANY(ex_request, invariants, "invariants", 0),
};

static bool refuse_body(ex_job *job, mt_jp *j, mt_str member)
{
    mt_json_error error = {0};
    mt_err err = mt_jp_finish(j, &error);
    uint32_t line, column;
    mt_json_place(job->call->body, error.offset, &line, &column);
    return ex_refuse(job, err == MT_E_LIMIT ? EX_TOO_LARGE : EX_BAD_REQUEST,
                     "body, line %u, column %u%s%.*s: %s%s%.*s", line, column,
                     member.len ? ", member " : "", MT_ARG(member),
                     error.message ? error.message : "malformed",
                     error.detail.len ? " " : "", MT_ARG(error.detail));
}

bool ex_refused_body(ex_job *job, const mt_form_row *rows, size_t count, void *out)
{
    mt_jp j;
    mt_str key;
    if (!job->call->body.len) {
        return false;
    }
    mt_json_limits limits = {job->x->limits.json_bytes, job->x->limits.json_depth};
    mt_jp_start(&j, &job->arena, job->call->body, &limits);
    mt_err err = mt_form_pull(&j, rows, count, out, &key);
    if (err == MT_E_NOTFOUND) {
        mt_str hint = mt_form_hint(&job->arena, rows, count, key);
        return ex_refuse(job, EX_BAD_REQUEST,
                         "the body has an unknown member '%.*s'%s%.*s%s", MT_ARG(key),
                         hint.len ? " (" : "", MT_ARG(hint), hint.len ? ")" : "");
    }
    return err && refuse_body(job, &j, key);
}

/* 0 is for "not given". */
static bool refused_time(ex_job *job)
{
    ct_time t;
    ex_request *r = &job->request;
    if (!r->expires_at.ptr) {
        return false;
    }
    if (!ct_time_parse(r->expires_at, &t)) {
        return ex_refuse(job, EX_BAD_REQUEST, "`expires_at` must be a date and time");
    }
    r->expires_ms = t.seconds * 1000 + t.nanos / 1000000;
    r->expires_ms = r->expires_ms ? r->expires_ms : -1;
    return false;
}

/* Who demands a receipt must not find the request done without one. */
static bool refused_receipt(ex_job *job)
{
    return job->request.receipt && !job->x->has_key &&
           ex_refuse(job, EX_NOT_IMPLEMENTED,
                     "this server has no signing key, so it gives no receipts");
}

bool ex_refused_request(ex_job *job)
{
    if (ex_refused_body(job, MEMBERS, mt_form_count(MEMBERS), &job->request) ||
        refused_time(job)) {
        return true;
    }
    job->was_read = true;
    job->simulation = job->request.dry_run;
    return refused_receipt(job);
}

/* ---- Queries ---- */

mt_str ex_query(const ex_job *job, const char *name)
{
    mt_str wanted = mt_str_z(name);
    for (size_t i = 0; i < job->call->query_count; i++) {
        if (mt_str_eq(job->call->query[i].name, wanted)) {
            return job->call->query[i].value;
        }
    }
    return (mt_str){0};
}

bool ex_refused_number(ex_job *job, const char *name, int64_t least, int64_t most,
                       int64_t otherwise, int64_t *out)
{
    mt_str text = ex_query(job, name);
    *out = otherwise;
    if (!text.ptr) {
        return false;
    }
    mt_json number = {
        .type = MT_JSON_NUMBER, .count = (uint32_t)text.len, .as.text = text.ptr};
    bool digits = text.len && text.len < 20;
    for (size_t i = 0; i < text.len && digits; i++) {
        digits = text.ptr[i] >= '0' && text.ptr[i] <= '9';
    }
    if (!digits || mt_json_i64(&number, out) || *out < least || *out > most) {
        return ex_refuse(job, EX_BAD_REQUEST,
                         "query parameter '%s' must be a number from %lld to %lld",
                         name, (long long)least, (long long)most);
    }
    return false;
}

/* A word that is neither is refused: a filter that is passed over answers another
 * question. */
bool ex_refused_choice(ex_job *job, const char *name, const char *usual,
                       const char *other, bool *is_other)
{
    mt_str text = ex_query(job, name);
    *is_other = mt_str_eq(text, mt_str_z(other));
    if (text.ptr && !*is_other && !mt_str_eq(text, mt_str_z(usual))) {
        return ex_refuse(job, EX_BAD_REQUEST, "query parameter '%s' must be %s or %s",
                         name, usual, other);
    }
    return false;
}

bool ex_refused_page(ex_job *job, st_page *out)
{
    int64_t limit;
    if (ex_refused_number(job, "limit", 1, EX_PAGE_MOST, EX_PAGE_USUAL, &limit)) {
        return true;
    }
    mt_str after = ex_query(job, "after");
    *out = (st_page){after.ptr ? after : MT_STR(""), (uint32_t)limit};
    return false;
}

/* ---- Names ---- */

bool ex_refused_contract(ex_job *job)
{
    job->v = ex_current(job->x, job->call->contract);
    return job->v ? false
                  : ex_refuse(job, EX_UNKNOWN_CONTRACT, "no contract '%.*s' is served",
                              MT_ARG(job->call->contract));
}

/* `entity` is one that the contract declares. */
static bool refuse_unbound(ex_job *job, mt_str entity)
{
    mt_jw w = ex_problem_open(
        job, EX_INVALID_BINDING,
        mt_strf(&job->arena, "entity '%.*s' must be bound to the id of an instance",
                MT_ARG(entity)));
    mt_jw_key_str(&w, "entity", entity);
    return ex_problem_close(&w);
}

bool ex_refused_bindings(ex_job *job)
{
    const ct_model *m = job->v->model;
    const mt_json *given = job->request.bindings;
    for (uint32_t i = 0; given && i < given->count; i++) {
        const mt_json_member *b = &given->as.members[i];
        uint32_t entity = ct_model_find(m, CT_KIND_ENTITY, b->key);
        mt_str id = mt_json_text(&b->value);
        if (entity == CT_NONE) {
            return ex_refuse(job, EX_INVALID_BINDING,
                             "the contract has no entity '%.*s'", MT_ARG(b->key));
        }
        if (!mt_json_is(&b->value, MT_JSON_STRING) || !id.len) {
            return refuse_unbound(job, b->key);
        }
        job->snap->instances[entity] = id;
    }
    return false;
}
