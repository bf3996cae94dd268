/* exec/api.c - what calls of each contract take, as JSON Schema.
 * Room: exec.
 * Types are the contract room's (contract/wire/type_schema.h); here are the bodies: of
 * evaluate, actions and explain, and of each operation, flow, fact and entity. Whoever
 * describes an API (http/openapi.c) is told which there are, and refers to them by
 * CONTRACT.KIND or CONTRACT.KIND.NAME. INVARIANT: a contract is described by the
 * version that is served when it is asked for. Nothing here can fail. */
#include "contract/reduce/holes.h"
#include "contract/wire/type_schema.h"
#include "exec/call/request.h"
#include "exec/call/rights.h"

/* ---- Bodies ---- */

/* Some value of each fact: what the text of one looks like. */
static void facts_example(mt_jw *w, mt_arena *a, const ct_model *m)
{
    mt_jw_keyz(w, "examples");
    mt_jw_begin_array(w);
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        mt_jw_key(w, m->facts[i].id);
        /* Sets the comma; the value is written behind it without a copy. */
        mt_jw_raw(w, MT_STR(""));
        ct_value_plain(w->out, m->facts[i].type, ct_some_value(a, m->facts[i].type));
    }
    mt_jw_end_object(w);
    mt_jw_end_array(w);
}

static void facts_schema(mt_jw *w, mt_arena *a, const ct_model *m)
{
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "additionalProperties", false);
    facts_example(w, a, m);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        mt_jw_key(w, m->facts[i].id);
        ct_type_schema(w, m->facts[i].type);
    }
    mt_jw_end_object(w);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

static void plain(mt_jw *w, const char *key, const char *type)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    ct_schema_word(w, "type", type);
    mt_jw_end_object(w);
}

static void reference(mt_jw *w, const char *key, mt_str to)
{
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "$ref", to);
    mt_jw_end_object(w);
}

/* What a body has. */
enum {
    ACTS = 1,     /* persona, and must have it */
    TRIES = 2,    /* dry_run, expected_versions, outcome */
    ASKS = 4,     /* partial, unknown */
    EXPLAINS = 8, /* persona, and one of verdict, operation and flow */
    CHOOSES = 16  /* flows */
};

/* Which personas may call, and which entities must be bound. */
typedef struct subject {
    mt_arena *a;
    const ex_version *v;
    const uint64_t *personas; /* NULL: any */
    bool (*binds)(const struct subject *, uint32_t entity);
    uint32_t index;
    unsigned has;
    const char *outcome; /* its schema */
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
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

static void persona_schema(mt_jw *w, const subject *s)
{
    const ct_model *m = s->v->model;
    mt_jw_keyz(w, "persona");
    mt_jw_begin_object(w);
    if (m->persona_count) { /* an enumeration of nothing is not a schema */
        mt_jw_keyz(w, "enum");
        mt_jw_begin_array(w);
        for (uint32_t i = 0; i < m->persona_count; i++) {
            if (!s->personas || ct_bit(s->personas, i)) {
                mt_jw_str(w, m->personas[i].id);
            }
        }
        mt_jw_end_array(w);
    }
    ct_schema_word(w, "type", "string");
    mt_jw_end_object(w);
}

static void name_of_one(mt_jw *w, const char *key, const ct_model *m, ct_kind kind)
{
    const mt_map *names = &m->names[kind];
    mt_jw_key(w, mt_str_z(key));
    mt_jw_begin_object(w);
    if (names->len) {
        mt_jw_keyz(w, "enum");
        mt_jw_begin_array(w);
        for (uint32_t i = 0; i < names->len; i++) {
            mt_jw_str(w, names->entries[i].key);
        }
        mt_jw_end_array(w);
    }
    ct_schema_word(w, "type", "string");
    mt_jw_end_object(w);
}

#define COMMON(name) MT_STR("#/components/schemas/" name)

/* Members in byte order. */
static void members(mt_jw *w, const subject *s)
{
    const ct_model *m = s->v->model;
    bindings_schema(w, s);
    if (s->has & TRIES) {
        plain(w, "dry_run", "boolean");
        reference(w, "expected_versions", COMMON("ExpectedVersions"));
    }
    reference(w, "facts",
              mt_strf(s->a, "#/components/schemas/%.*s.facts", MT_ARG(s->v->contract)));
    if (s->has & EXPLAINS) {
        name_of_one(w, "flow", m, CT_KIND_FLOW);
    }
    if (s->has & CHOOSES) {
        reference(w, "flows", COMMON("Names"));
    }
    if (s->has & EXPLAINS) {
        name_of_one(w, "operation", m, CT_KIND_OPERATION);
    }
    if (s->has & TRIES) {
        mt_jw_keyz(w, "outcome");
        mt_jw_raw(w, mt_str_z(s->outcome));
    }
    reference(w, "params", COMMON("Params"));
    if (s->has & ASKS) {
        plain(w, "partial", "boolean");
    }
    if (s->has & (ACTS | EXPLAINS)) {
        persona_schema(w, s);
    }
    if (s->has & TRIES) {
        plain(w, "receipt", "boolean");
    }
    if (s->has & ASKS) {
        reference(w, "unknown", COMMON("Names"));
    }
    if (s->has & EXPLAINS) {
        name_of_one(w, "verdict", m, CT_KIND_VERDICT);
    }
}

static void call_schema(mt_jw *w, const subject *s)
{
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "additionalProperties", false);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    members(w, s);
    mt_jw_end_object(w);
    if (s->has & ACTS) {
        ct_schema_required(w, "persona", s->binds ? "bindings" : NULL);
    }
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

static void fact_schema(mt_jw *w, const ct_fact *f)
{
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "additionalProperties", false);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    reference(w, "expires_at", COMMON("Time"));
    mt_jw_keyz(w, "ttl_ms");
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "maximum", EX_TTL_MOST_MS);
    mt_jw_key_i64(w, "minimum", 1);
    ct_schema_word(w, "type", "integer");
    mt_jw_end_object(w);
    mt_jw_keyz(w, "value");
    ct_type_schema(w, f->type);
    mt_jw_end_object(w);
    ct_schema_required(w, "value", NULL);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

static void entity_schema(mt_jw *w, const ct_entity *e)
{
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "additionalProperties", false);
    mt_jw_keyz(w, "properties");
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "id");
    mt_jw_raw(w, MT_STR("{\"maxLength\":256,\"minLength\":1,\"type\":\"string\"}"));
    ct_schema_constant(w, "state", e->states[e->initial]);
    mt_jw_end_object(w);
    ct_schema_word(w, "type", "object");
    mt_jw_end_object(w);
}

/* ---- Contracts ---- */

/* Who listens, and what of. */
typedef struct teller {
    mt_jw *w;
    mt_arena *a;
    const ex_version *v;
    ex_api_see *see;
    void *state;
} teller;

/* Tells of the thing; its schema is to follow. */
static void begin(const teller *t, const char *kind, mt_str name)
{
    mt_jw_key(t->w, mt_strf(t->a, "%.*s.%s%s%.*s", MT_ARG(t->v->contract), kind,
                            name.len ? "." : "", MT_ARG(name)));
    t->see(t->state, mt_str_z(kind), t->v->contract, name);
}

#define TEXT_OUTCOME "{\"type\":\"string\"}"
#define ANY_OUTCOME  "{\"$ref\":\"#/components/schemas/Outcome\"}"

static void tell_calls(const teller *t)
{
    const ct_model *m = t->v->model;
    for (uint32_t i = 0; i < m->operation_count; i++) {
        subject s = {.a = t->a,
                     .v = t->v,
                     .personas = t->v->plan->ops[i].allowed,
                     .binds = operation_binds,
                     .index = i,
                     .has = ACTS | TRIES,
                     .outcome = TEXT_OUTCOME};
        begin(t, "operation", m->operations[i].id);
        call_schema(t->w, &s);
    }
    for (uint32_t i = 0; i < m->flow_count; i++) {
        subject s = {.a = t->a,
                     .v = t->v,
                     .binds = flow_binds,
                     .index = i,
                     .has = ACTS | TRIES,
                     .outcome = ANY_OUTCOME};
        begin(t, "flow", m->flows[i].id);
        call_schema(t->w, &s);
    }
}

static void tell_contract(const teller *t)
{
    static const struct {
        const char *kind;
        unsigned has;
    } QUESTIONS[] = {{"act", ACTS | ASKS | CHOOSES},
                     {"evaluate", ASKS},
                     {"explain", ASKS | EXPLAINS}};
    const ct_model *m = t->v->model;
    begin(t, "facts", MT_STR(""));
    facts_schema(t->w, t->a, m);
    for (size_t i = 0; i < sizeof QUESTIONS / sizeof *QUESTIONS; i++) {
        subject s = {.a = t->a, .v = t->v, .has = QUESTIONS[i].has};
        begin(t, QUESTIONS[i].kind, MT_STR(""));
        call_schema(t->w, &s);
    }
    tell_calls(t);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        begin(t, "fact", m->facts[i].id);
        fact_schema(t->w, &m->facts[i]);
    }
    for (uint32_t i = 0; i < m->entity_count; i++) {
        begin(t, "entity", m->entities[i].id);
        entity_schema(t->w, &m->entities[i]);
    }
}

/* A version that was served stays until the executor is closed, so pointers may be
 * used after the lock is given back. */
size_t ex_current_versions(ex_executor *x, mt_arena *a, ex_version ***out)
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

void ex_executor_api(ex_executor *x, mt_jw *w, ex_api_see *see, void *state)
{
    mt_arena a = {0};
    ex_version **versions;
    size_t count = ex_current_versions(x, &a, &versions);
    for (size_t i = 0; i < count; i++) {
        tell_contract(&(teller){w, &a, versions[i], see, state});
    }
    mt_arena_free(&a);
}

/* Each once: some problems share a code. */
void ex_problem_codes(mt_jw *w)
{
    static const char *const CODES[] = {
#define EX_CODE(name, status, kept, code, title) code,
        EX_PROBLEM_MAP(EX_CODE)
#undef EX_CODE
    };
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++) {
        /* ORDER EX_PROBLEM_MAP: problems that share a code stand side by side. */
        if (!i || strcmp(CODES[i], CODES[i - 1]) != 0) {
            mt_jw_str(w, mt_str_z(CODES[i]));
        }
    }
}

/* ---- A contract as it is served now ---- */

bool ex_view_of(ex_executor *x, mt_str contract, ex_view *out)
{
    const ex_version *v = ex_current(x, contract);
    *out = v ? (ex_view){v->contract, v->etag, v->plan, v} : (ex_view){0};
    return v != NULL;
}

bool ex_view_may_give(const ex_view *view, const ex_caller *who, uint32_t fact)
{
    return ex_may_give(who, view->version, fact);
}
