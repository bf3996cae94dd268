/* exec/openapi.c - OpenAPI 3.1 of everything served, typed from the contracts.
 * Room: exec.
 * Each operation, flow, fact and entity of each contract has a path of its own, with
 * the facts it takes as JSON Schema; what is the same for all contracts follows from a
 * table. INVARIANT: keys are in byte order, and a contract is described by the version
 * that is served when the document is asked for. Nothing here can fail. */
#include "exec/executor_internal.h"

/* ---- Types ---- */

static void schema(mt_jw *w, const ct_type *t);

static void word(mt_jw *w, const char *key, const char *value)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_str(w, mt_str_z(value));
}

static void constant(mt_jw *w, const char *key, mt_str value)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "const", value);
    mt_jw_end_object(w);
}

static void required(mt_jw *w, const char *first, const char *second)
{
    mt_jw_keyz(w, "required");
    mt_jw_begin_array(w);
    mt_jw_str(w, mt_str_z(first));
    if (second) {
        mt_jw_str(w, mt_str_z(second));
    }
    mt_jw_end_array(w);
}

static void decimal_members(mt_jw *w)
{
    word(w, "pattern", "^-?[0-9]+(\\.[0-9]+)?$");
    word(w, "type", "string");
}

static void money_members(mt_jw *w, const ct_type *t)
{
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "amount");
    mt_jw_begin_object(w);
    decimal_members(w);
    mt_jw_end_object(w);
    constant(w, "currency", t->as.currency);
    mt_jw_end_object(w);
    required(w, "amount", "currency");
    word(w, "type", "object");
}

static void range_members(mt_jw *w, const ct_type *t)
{
    mt_jw_key_i64(w, "maximum", t->as.range.max);
    mt_jw_key_i64(w, "minimum", t->as.range.min);
    word(w, "type", "integer");
}

static void duration_members(mt_jw *w, const ct_type *t)
{
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    constant(w, "unit", mt_str_z(CT_UNIT_NAMES[t->unit]));
    mt_jw_keyz(w, "value");
    mt_jw_begin_object(w);
    range_members(w, t);
    mt_jw_end_object(w);
    mt_jw_end_object(w);
    required(w, "value", NULL);
    word(w, "type", "object");
}

static void whole_members(mt_jw *w, const ct_type *t)
{
    if (ct_has(t, LN_UNIT)) {
        duration_members(w, t);
    } else if (ct_has(t, LN_RANGED)) {
        range_members(w, t);
    } else {
        word(w, "format", "date");
        word(w, "type", "string");
    }
}

static void record_members(mt_jw *w, const ct_type *t)
{
    mt_jw_keyz(w, "properties");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_jw_key(w, t->as.fields[i].name);
        schema(w, t->as.fields[i].type);
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "required");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_jw_str(w, t->as.fields[i].name);
    }
    mt_jw_end_array(w);
    word(w, "type", "object");
}

static void union_members(mt_jw *w, const ct_type *t)
{
    mt_jw_keyz(w, "oneOf");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "properties");
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "payload");
        schema(w, t->as.variants[i].type);
        constant(w, "tag", t->as.variants[i].name);
        mt_jw_end_object(w);
        required(w, "payload", "tag");
        word(w, "type", "object");
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* Bounded by the depth of the type, which the loader bounds. */
static void schema(mt_jw *w, const ct_type *t)
{
    mt_jw_begin_object(w);
    switch (ct_held(t)) {
    case LN_BOOLEAN: word(w, "type", "boolean"); break;
    case LN_INTEGER: whole_members(w, t); break;
    case LN_DECIMAL:
        if (ct_has(t, LN_CURRENCY)) {
            money_members(w, t);
        } else {
            decimal_members(w);
        }
        break;
    case LN_TEXT:
        mt_jw_key_i64(w, "maxLength", (int64_t)t->as.max_length);
        word(w, "type", "string");
        break;
    case LN_CHOICE:
        mt_jw_keyz(w, "enum");
        mt_jw_begin_array(w);
        for (uint32_t i = 0; i < t->count; i++) {
            mt_jw_str(w, t->as.values[i]);
        }
        mt_jw_end_array(w);
        break;
    case LN_TIME:
        word(w, "format", "date-time");
        word(w, "type", "string");
        break;
    case LN_RECORD: record_members(w, t); break;
    case LN_VARIANT: union_members(w, t); break;
    case LN_LIST:
        mt_jw_keyz(w, "items");
        schema(w, t->as.list.element);
        mt_jw_key_i64(w, "maxItems", (int64_t)t->as.list.max);
        word(w, "type", "array");
        break;
    }
    mt_jw_end_object(w);
}

/* ---- Bodies ---- */

static void facts_schema(mt_jw *w, const ct_model *m)
{
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "additionalProperties", false);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        mt_jw_key(w, m->facts[i].id);
        schema(w, m->facts[i].type);
    }
    mt_jw_end_object(w);
    word(w, "type", "object");
    mt_jw_end_object(w);
}

static void plain(mt_jw *w, const char *key, const char *type)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    word(w, "type", type);
    mt_jw_end_object(w);
}

static void reference(mt_jw *w, const char *key, mt_str to)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "$ref", to);
    mt_jw_end_object(w);
}

/* Which personas may call, and which entities must be bound. */
typedef struct subject {
    mt_arena *a;
    const ex_version *v;
    const uint64_t *personas; /* NULL: any */
    bool (*binds)(const struct subject *, uint32_t entity);
    uint32_t index;
    bool nobody;   /* no persona is needed */
    bool asks;     /* facts may be unknown */
    bool explains; /* one of verdict, operation and flow */
} subject;

static bool operation_binds(const subject *s, uint32_t entity)
{
    const ct_operation *op = &s->v->model->operations[s->index];
    for (uint32_t i = 0; i < op->effect_count; i++) {
        if (op->effects[i].entity == entity) {
            return true;
        }
    }
    return false;
}

static bool flow_binds(const subject *s, uint32_t entity)
{
    return ct_bit(s->v->plan->graphs[s->index].entities, entity);
}

static void bindings_schema(mt_jw *w, const subject *s)
{
    const ct_model *m = s->v->model;
    mt_jw_keyz(w, "bindings");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_unsorted(w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        mt_jw_key(w, m->entities[e].id);
        mt_jw_raw(w, MT_STR("{\"minLength\":1,\"type\":\"string\"}"));
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "required");
    mt_jw_begin_array(w);
    for (uint32_t e = 0; e < m->entity_count; e++) {
        if (s->binds && s->binds(s, e)) {
            mt_jw_str(w, m->entities[e].id);
        }
    }
    mt_jw_end_array(w);
    word(w, "type", "object");
    mt_jw_end_object(w);
}

static void persona_schema(mt_jw *w, const subject *s)
{
    const ct_model *m = s->v->model;
    mt_jw_keyz(w, "persona");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "enum");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->persona_count; i++) {
        if (!s->personas || ct_bit(s->personas, i)) {
            mt_jw_str(w, m->personas[i].id);
        }
    }
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

static mt_str facts_name(mt_arena *a, mt_str contract)
{
    mt_str name = mt_strf(a, "#/components/schemas/%.*s.facts", MT_ARG(contract));
    return name;
}

static void call_schema(mt_jw *w, const subject *s)
{
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "additionalProperties", false);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    bindings_schema(w, s);
    plain(w, "dry_run", "boolean");
    plain(w, "expected_versions", "object");
    reference(w, "facts", facts_name(s->a, s->v->contract));
    if (s->explains) {
        plain(w, "flow", "string");
        plain(w, "operation", "string");
    }
    mt_jw_keyz(w, "outcome");
    mt_jw_raw(w, MT_STR("{}"));
    plain(w, "params", "object");
    if (s->asks) {
        plain(w, "partial", "boolean");
    }
    persona_schema(w, s);
    if (s->asks) {
        mt_jw_keyz(w, "unknown");
        mt_jw_raw(w, MT_STR("{\"items\":{\"type\":\"string\"},\"type\":\"array\"}"));
    }
    if (s->explains) {
        plain(w, "verdict", "string");
    }
    mt_jw_end_object(w);
    if (!s->nobody) {
        required(w, "persona", NULL);
    }
    word(w, "type", "object");
    mt_jw_end_object(w);
}

/* ---- Paths ---- */

static void responses(mt_jw *w, const char *schema)
{
    mt_jw_keyz(w, "responses");
    mt_jw_raw(w, MT_STR("{\"200\":{\"content\":{\"application/json\":{\"schema\":"));
    mt_buf_addz(w->out, schema);
    mt_buf_adds(
        w->out,
        MT_STR("}},\"description\":\"done\"},\"default\":{"
               "\"content\":{\"application/problem+json\":{\"schema\":{\"$ref\":"
               "\"#/components/schemas/problem\"}}},\"description\":\"refused\"}"
               "}"));
}

static void begin_operation(mt_jw *w, mt_str path, const char *method)
{
    mt_jw_key(w, path);
    mt_jw_begin_object(w);
    mt_jw_key(w, mt_str_z(method));
    mt_jw_begin_object(w);
}

/* What an answer is that has no schema of its own. */
#define ANY_OBJECT "{\"type\":\"object\"}"

static void end_operation_with(mt_jw *w, mt_str summary, const char *schema)
{
    responses(w, schema);
    mt_jw_key_str(w, "summary", summary);
    mt_jw_end_object(w);
    mt_jw_end_object(w);
}

static void end_operation(mt_jw *w, mt_str summary)
{
    end_operation_with(w, summary, ANY_OBJECT);
}

static void begin_body(mt_jw *w)
{
    mt_jw_keyz(w, "requestBody");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "content");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "application/json");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "schema");
}

static void end_body(mt_jw *w)
{
    mt_jw_end_object(w);
    mt_jw_end_object(w);
    mt_jw_key_bool(w, "required", true);
    mt_jw_end_object(w);
}

static mt_str path_of(const subject *s, const char *kind, mt_str name)
{
    return mt_strf(s->a, "/v1/contracts/%.*s/%s%s%.*s", MT_ARG(s->v->contract), kind,
                   name.len ? "/" : "", MT_ARG(name));
}

static void call_path(mt_jw *w, const subject *s, const char *kind, mt_str name,
                      const char *what)
{
    begin_operation(w, path_of(s, kind, name), "post");
    begin_body(w);
    call_schema(w, s);
    end_body(w);
    end_operation(w, mt_strf(s->a, "%s%.*s", what, MT_ARG(name)));
}

static void fact_path(mt_jw *w, const subject *s, const ct_fact *f)
{
    begin_operation(w, path_of(s, "facts", f->id), "put");
    begin_body(w);
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "expires_at");
    mt_jw_raw(w, MT_STR("{\"format\":\"date-time\",\"type\":\"string\"}"));
    plain(w, "ttl_ms", "integer");
    mt_jw_keyz(w, "value");
    schema(w, f->type);
    mt_jw_end_object(w);
    required(w, "value", NULL);
    word(w, "type", "object");
    mt_jw_end_object(w);
    end_body(w);
    end_operation(w, mt_strf(s->a, "assert the fact %.*s", MT_ARG(f->id)));
}

static void entity_path(mt_jw *w, const subject *s, const ct_entity *e)
{
    begin_operation(w, path_of(s, "instances", e->id), "post");
    begin_body(w);
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    plain(w, "id", "string");
    constant(w, "state", e->states[e->initial]);
    mt_jw_end_object(w);
    word(w, "type", "object");
    mt_jw_end_object(w);
    end_body(w);
    end_operation(w, mt_strf(s->a, "create an instance of %.*s", MT_ARG(e->id)));
}

static void contract_paths(mt_jw *w, mt_arena *a, const ex_version *v)
{
    const ct_model *m = v->model;
    subject s = {.a = a, .v = v}, acts = {.a = a, .v = v, .asks = true};
    subject open = {.a = a, .v = v, .nobody = true, .asks = true}, why = open;
    why.explains = true;
    call_path(w, &open, "evaluate", MT_STR(""),
              "facts to verdicts, or what is left to decide");
    call_path(w, &acts, "actions", MT_STR(""), "what a persona may do now");
    call_path(w, &why, "explain", MT_STR(""), "why something is as it is");
    for (uint32_t i = 0; i < m->operation_count; i++) {
        subject op = {.a = a,
                      .v = v,
                      .personas = v->plan->ops[i].allowed,
                      .binds = operation_binds,
                      .index = i};
        call_path(w, &op, "operations", m->operations[i].id, "execute the operation ");
    }
    for (uint32_t i = 0; i < m->flow_count; i++) {
        subject flow = {.a = a, .v = v, .binds = flow_binds, .index = i};
        call_path(w, &flow, "flows", m->flows[i].id, "start the flow ");
    }
    for (uint32_t i = 0; i < m->fact_count; i++) {
        fact_path(w, &s, &m->facts[i]);
    }
    for (uint32_t i = 0; i < m->entity_count; i++) {
        entity_path(w, &s, &m->entities[i]);
    }
}

/* clang-format off */
#define SCHEMA(name) "{\"$ref\":\"#/components/schemas/" name "\"}"
#define LIST_OF(name) "{\"properties\":{\"items\":{\"items\":" SCHEMA(name) ",\"type\":\"array\"},\"next\":{\"type\":\"string\"}},\"type\":\"object\"}"
/* Columns: path, method, summary, schema of the answer, of the body (NULL: any, none). */
static const struct common { const char *path, *method, *summary, *answer, *body; } COMMON[] = {
    {"/.well-known/tenor",       "get",  "the default contract's manifest", NULL, NULL},
    {"/v1/contracts",            "get",  "the contracts served", NULL, NULL},
    {"/v1/flows",                "get",  "flow executions", LIST_OF("flow"), NULL},
    {"/v1/flows/{id}",           "get",  "one flow execution", SCHEMA("flow"), NULL},
    {"/v1/flows/{id}/resume",    "post", "go on with a waiting flow", SCHEMA("flow"), SCHEMA("resume")},
    {"/v1/flows/{id}/cancel",    "post", "cancel a flow", SCHEMA("flow"), NULL},
    {"/v1/ledger",               "get",  "ledger records", NULL, NULL},
    {"/v1/ledger/checkpoint",    "get",  "the newest signed checkpoint", NULL, NULL},
    {"/v1/ledger/consistency",   "get",  "proof that one size extends another", NULL, NULL},
    {"/v1/ledger/{id}",          "get",  "one record", NULL, NULL},
    {"/v1/ledger/{id}/proof",    "get",  "proof that a record is in the ledger", NULL, NULL},
    {"/v1/systems",              "get",  "the systems served", NULL, NULL},
};
/* clang-format on */

static void common_path(mt_jw *w, const struct common *c)
{
    begin_operation(w, mt_str_z(c->path), c->method);
    if (strstr(c->path, "{id}")) {
        mt_jw_keyz(w, "parameters");
        mt_jw_raw(w, MT_STR("[{\"in\":\"path\",\"name\":\"id\",\"required\":true,"
                            "\"schema\":{\"type\":\"string\"}}]"));
    }
    if (c->body) {
        mt_jw_keyz(w, "requestBody");
        mt_jw_raw(w, MT_STR("{\"content\":{\"application/json\":{\"schema\":"));
        mt_buf_addf(w->out, "%s}}}", c->body);
    }
    end_operation_with(w, mt_str_z(c->summary), c->answer ? c->answer : ANY_OBJECT);
}

/* ---- The document ---- */

/* clang-format off */
#define TEXT_SCHEMA "{\"type\":\"string\"}"
#define FLOW_SCHEMA \
    "{\"properties\":{\"contract\":" TEXT_SCHEMA ",\"etag\":" TEXT_SCHEMA ",\"flow\":" TEXT_SCHEMA \
    ",\"id\":" TEXT_SCHEMA ",\"outcome\":" TEXT_SCHEMA ",\"persona\":" TEXT_SCHEMA \
    ",\"status\":{\"enum\":[\"running\",\"waiting\",\"done\",\"failed\",\"cancelled\",\"aborted\"]}" \
    ",\"waiting\":{\"description\":\"while status is waiting: who is to resume it, and at an operation which outcomes can be named\"," \
    "\"properties\":{\"operation\":" TEXT_SCHEMA ",\"outcomes\":{\"items\":" TEXT_SCHEMA ",\"type\":\"array\"}" \
    ",\"persona\":" TEXT_SCHEMA ",\"step\":" TEXT_SCHEMA "},\"required\":[\"persona\",\"step\"],\"type\":\"object\"}}" \
    ",\"required\":[\"contract\",\"etag\",\"flow\",\"status\"],\"type\":\"object\"}"
#define RESUME_SCHEMA \
    "{\"additionalProperties\":false,\"properties\":{\"dry_run\":{\"type\":\"boolean\"}" \
    ",\"outcome\":{\"anyOf\":[" TEXT_SCHEMA ",{\"additionalProperties\":" TEXT_SCHEMA ",\"type\":\"object\"}]}" \
    ",\"persona\":" TEXT_SCHEMA ",\"reason\":" TEXT_SCHEMA "},\"type\":\"object\"}"
/* clang-format on */

static void components(mt_jw *w, mt_arena *a, ex_version *const *versions, size_t count)
{
    mt_jw_keyz(w, "components");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "schemas");
    mt_jw_begin_unsorted(w);
    mt_jw_keyz(w, "flow");
    mt_jw_raw(w, MT_STR(FLOW_SCHEMA));
    mt_jw_keyz(w, "problem");
    mt_jw_raw(w,
              MT_STR("{\"properties\":{\"code\":{\"type\":\"string\"},\"detail\":{"
                     "\"type\":\"string\"},\"status\":{\"type\":\"integer\"},"
                     "\"title\":{\"type\":\"string\"},\"type\":{\"type\":\"string\"}},"
                     "\"required\":[\"code\",\"detail\",\"status\",\"title\","
                     "\"type\"],\"type\":\"object\"}"));
    mt_jw_keyz(w, "resume");
    mt_jw_raw(w, MT_STR(RESUME_SCHEMA));
    for (size_t i = 0; i < count; i++) {
        mt_jw_key(w, mt_strf(a, "%.*s.facts", MT_ARG(versions[i]->contract)));
        facts_schema(w, versions[i]->model);
    }
    mt_jw_end_object(w);
    mt_jw_keyz(w, "securitySchemes");
    mt_jw_raw(w, MT_STR("{\"bearer\":{\"scheme\":\"bearer\",\"type\":\"http\"}}"));
    mt_jw_end_object(w);
}

static size_t current_versions(ex_executor *x, mt_arena *a, ex_version ***out)
{
    pthread_rwlock_rdlock(&x->contracts_lock);
    size_t count = x->contracts.len;
    *out = mt_new_array(a, ex_version *, count);
    for (size_t i = 0; i < count; i++) {
        ex_contract *c = (ex_contract *)x->contracts.entries[i].value;
        (*out)[i] = atomic_load(&c->current);
    }
    pthread_rwlock_unlock(&x->contracts_lock);
    return count;
}

void ex_executor_openapi(ex_executor *x, mt_buf *out)
{
    mt_arena a = {0};
    ex_version **versions;
    size_t count = current_versions(x, &a, &versions);
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    components(&w, &a, versions, count);
    mt_jw_keyz(&w, "info");
    mt_jw_raw(&w, MT_STR("{\"title\":\"motet\",\"version\":\"1\"}"));
    word(&w, "openapi", "3.1.0");
    mt_jw_keyz(&w, "paths");
    mt_jw_begin_unsorted(&w);
    for (size_t i = 0; i < sizeof COMMON / sizeof *COMMON; i++) {
        common_path(&w, &COMMON[i]);
    }
    for (size_t i = 0; i < count; i++) {
        contract_paths(&w, &a, versions[i]);
    }
    mt_jw_end_object(&w);
    mt_jw_keyz(&w, "security");
    mt_jw_raw(&w, MT_STR("[{\"bearer\":[]}]"));
    mt_jw_end_object(&w);
    mt_arena_free(&a);
}
