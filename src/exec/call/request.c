/* exec/call/request.c - bodies and queries: read once, refused with a reason.
 * Room: exec. Bodies are read with a cursor; facts and values stay text, because the
 * contract's types say how to read them. A member nobody knows is refused: a misspelt
 * `expected_versions` must not be ignored. */
#include "base/json_pull.h"
#include "contract/flow/states.h"
#include "exec/call/call.h"

/* ---- Bodies -----------------------------------------------------------------------
 */

typedef enum member_kind { TEXT, RAW, OBJECT, ANY, FLAG, NUMBER, TIME } member_kind;

/* clang-format off */
static const struct member {
    mt_str name;
    member_kind kind;
    size_t offset;
    int64_t least, most; /* NUMBER */
} MEMBERS[] = {
#define MEMBER(text, kind, field) {MT_STR_INIT(text), kind, offsetof(ex_request, field), 0, 0}
#define NUMBER_MEMBER(text, field, least, most) \
    {MT_STR_INIT(text), NUMBER, offsetof(ex_request, field), least, most}
    MEMBER("persona",           TEXT,   persona),
    MEMBER("facts",             RAW,    facts),
    MEMBER("bindings",          OBJECT, bindings),
    MEMBER("params",            OBJECT, params),
    MEMBER("outcome",           ANY,    outcome),
    MEMBER("dry_run",           FLAG,   dry_run),
    MEMBER("expected_versions", OBJECT, expected),
    MEMBER("id",                TEXT,   id),
    MEMBER("value",             RAW,    value),
    MEMBER("expires_at",        TIME,   expires_ms),
    NUMBER_MEMBER("ttl_ms", ttl_ms, 1, EX_TTL_MOST_MS),
    MEMBER("reason",            TEXT,   reason),
    MEMBER("flows",             ANY,    flows),
    MEMBER("state",             TEXT,   state),
    MEMBER("bundle",            RAW,    bundle),
    MEMBER("source",            TEXT,   source),
    MEMBER("contract",          TEXT,   contract),
    MEMBER("policy",            ANY,    policy),
    MEMBER("state_map",         OBJECT, state_map),
#undef MEMBER
#undef NUMBER_MEMBER
};
/* clang-format on */
enum { MEMBER_COUNT = sizeof MEMBERS / sizeof *MEMBERS };

static bool read_time(mt_jp *j, int64_t *ms)
{
    mt_str text;
    ct_time t;
    if (!mt_jp_str(j, &text)) {
        return false;
    }
    if (!ct_time_parse(text, &t)) {
        return mt_jp_fail(j, MT_E_TYPE, text.ptr, "expected a date and time");
    }
    *ms = t.seconds * 1000 + t.nanos / 1000000;
    *ms = *ms ? *ms : -1; /* 0 is for "not given" */
    return true;
}

/* Whole, and within the row's bounds: 1e999 and 2^63 are refused like -5. */
static bool read_number(mt_jp *j, const struct member *m, int64_t *out)
{
    const char *start = j->p;
    if (mt_jp_type(j) != MT_JSON_NUMBER) {
        return mt_jp_mismatch(j, MT_JSON_NUMBER);
    }
    mt_jp probe = *j;
    bool fits = mt_jp_i64(&probe, out) && *out >= m->least && *out <= m->most;
    if (!fits) {
        mt_str what = mt_strf(j->arena, "expected a whole number from %lld to %lld",
                              (long long)m->least, (long long)m->most);
        return mt_jp_fail(j, MT_E_RANGE, start, what.ptr);
    }
    *j = probe;
    return true;
}

static bool read_member(mt_jp *j, const struct member *m, void *at)
{
    const char *start = j->p;
    member_kind kind = m->kind;
    switch (kind) {
    case TEXT: return mt_jp_str(j, at);
    case FLAG: return mt_jp_bool(j, at);
    case NUMBER: return read_number(j, m, at);
    case TIME: return read_time(j, at);
    case RAW:
        if (!mt_jp_skip(j)) {
            return false;
        }
        *(mt_str *)at = mt_str_from(start, (size_t)(j->p - start));
        return true;
    case OBJECT:
    case ANY: {
        if (kind == OBJECT && mt_jp_type(j) != MT_JSON_OBJECT) {
            return mt_jp_mismatch(j, MT_JSON_OBJECT);
        }
        mt_json *tree = mt_new(j->arena, mt_json);
        *(const mt_json **)at = tree;
        return mt_jp_tree(j, tree);
    }
    }
    return false;
}

static const struct member *find_member(mt_str key)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        if (mt_str_eq(MEMBERS[i].name, key)) {
            return &MEMBERS[i];
        }
    }
    return NULL;
}

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

bool ex_refused_request(ex_job *job)
{
    mt_str body = job->call->body;
    mt_jp j;
    mt_str key = {0};
    uint32_t seen = 0;
    if (!body.len) {
        return false;
    }
    mt_json_limits limits = {job->x->limits.json_bytes, job->x->limits.json_depth};
    mt_jp_start(&j, &job->arena, body, &limits);
    mt_jp_object(&j);
    while (mt_jp_key(&j, &key)) {
        const struct member *m = find_member(key);
        if (!m) {
            return ex_refuse(job, EX_BAD_REQUEST,
                             "the body has an unknown member '%.*s'", MT_ARG(key));
        }
        uint32_t bit = (uint32_t)1 << (m - MEMBERS);
        if (seen & bit) {
            mt_jp_duplicate(&j, key);
            break;
        }
        seen |= bit;
        if (!read_member(&j, m, (char *)&job->request + m->offset)) {
            break;
        }
    }
    mt_jp probe = j;
    if (mt_jp_finish(&probe, NULL)) {
        return refuse_body(job, &j, key);
    }
    job->simulation = job->request.dry_run;
    return false;
}

/* ---- Queries ----------------------------------------------------------------------
 */

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

/* ---- Names ------------------------------------------------------------------------
 */

bool ex_refused_contract(ex_job *job)
{
    job->v = ex_current(job->x, job->call->contract);
    return job->v ? false
                  : ex_refuse(job, EX_UNKNOWN_CONTRACT, "no contract '%.*s' is served",
                              MT_ARG(job->call->contract));
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
            return ex_refuse(job, EX_INVALID_BINDING,
                             "entity '%.*s' must be bound to the id of an instance",
                             MT_ARG(b->key));
        }
        job->snap->instances[entity] = id;
    }
    return false;
}
