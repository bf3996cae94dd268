/* http/openapi.c - the description of the API, put together when it is asked for.
 *
 * Every row of the table of routes becomes an operation: its path, parameters, body and
 * answers are references to components, which stand in http/api.json or follow from
 * it: one response for each problem and answer there. Where a contract has types of its
 * own, the path is written once more with the contract's names in it and the body
 * typed: a client generated from the document then knows facts, personas and bindings.
 *
 * In this order: components (those of the file, those of the contracts), paths as they
 * are, paths of the contracts. INVARIANT: a name in the table that the file does not
 * have is our fault (a test looks at each). Nothing here can fail. */
#include "http/openapi.h"

#include <stdlib.h>

#include "base/form.h"
#include "base/json_write.h"
#include "base/vec.h"
#include "http/route.h"

extern const unsigned char HT_API[];
extern const unsigned long HT_API_BYTES;

/* One thing of a contract that has types of its own. */
typedef struct item {
    mt_str kind, contract, name;
} item;

typedef struct document {
    mt_arena a;
    mt_jw *w;
    mt_json api;
    MT_VEC(item) items;
} document;

/* ---- Small parts ---- */

static const mt_json *part(const document *d, const char *section, mt_str name)
{
    const mt_json *all = mt_json_get(&d->api, mt_str_z(section));
    const mt_json *found = mt_json_get(all, name);
    if (!found) {
        /* Not a 500: a document that lacks a part would break clients far away from
         * here. */
        MT_BUG("http/api.json lacks what a route names");
    }
    return found;
}

static void reference(document *d, const char *section, mt_str name)
{
    mt_jw_begin_object(d->w);
    mt_jw_key_str(d->w, "$ref",
                  mt_strf(&d->a, "#/components/%s/%.*s", section, MT_ARG(name)));
    mt_jw_end_object(d->w);
}

/* The next word; *rest goes on behind it. Empty: there is none.
 * Lists in the table of routes are words with blanks between, so that a row stays
 * one line. */
static mt_str next_word(mt_str *rest)
{
    mt_str word = mt_str_from(rest->ptr, mt_str_find(*rest, ' '));
    *rest = mt_str_skip(*rest, word.len + 1);
    return word;
}

static bool writes(const ht_route *r)
{
    static const bool WRITES[] = {
#define WRITES_ROW(name, writes) writes,
        EX_ACTION_MAP(WRITES_ROW)
#undef WRITES_ROW
    };
    return r->page == HT_CALL && WRITES[r->action];
}

/* ---- Components ---- */

static void header_names(document *d, const mt_json *names)
{
    mt_jw_keyz(d->w, "headers");
    mt_jw_begin_unsorted(d->w);
    for (uint32_t i = 0; names && i < names->count; i++) {
        mt_str name = mt_json_text(&names->as.items[i]);
        mt_jw_key(d->w, name);
        reference(d, "headers", name);
    }
    mt_jw_keyz(d->w, "X-Request-Id");
    reference(d, "headers", MT_STR("X-Request-Id"));
    mt_jw_end_object(d->w);
}

#define PROBLEM_TYPE "application/problem+json"

static void one_content(document *d, mt_str type, mt_str schema, const mt_json *example)
{
    mt_jw_key(d->w, type);
    mt_jw_begin_object(d->w);
    if (example) {
        mt_jw_keyz(d->w, "example");
        mt_jw_json(d->w, example);
    }
    mt_jw_keyz(d->w, "schema");
    reference(d, "schemas", schema);
    mt_jw_end_object(d->w);
}

static void content(document *d, mt_str type, mt_str schema, const mt_json *example)
{
    mt_jw_keyz(d->w, "content");
    mt_jw_begin_object(d->w);
    one_content(d, type, schema, example);
    mt_jw_end_object(d->w);
}

/* A refusal of a protocol inside ours, or one of our own. */
static void content_or_problem(document *d, mt_str schema)
{
    mt_jw_keyz(d->w, "content");
    mt_jw_begin_object(d->w);
    one_content(d, MT_STR("application/json"), schema, NULL);
    one_content(d, MT_STR(PROBLEM_TYPE), MT_STR("Problem"), NULL);
    mt_jw_end_object(d->w);
}

static void answer_component(document *d, const mt_json *answer)
{
    mt_str type = mt_text_at(answer, "type"), schema = mt_text_at(answer, "schema");
    mt_jw_begin_object(d->w);
    if (mt_json_at(answer, "or_problem")) {
        content_or_problem(d, schema);
    } else if (schema.len) {
        content(d, type.len ? type : MT_STR("application/json"), schema,
                mt_json_at(answer, "example"));
    }
    mt_jw_key_str(d->w, "description", mt_text_at(answer, "description"));
    header_names(d, mt_json_at(answer, "headers"));
    mt_jw_end_object(d->w);
}

static void problem_component(document *d, const mt_json *problem)
{
    mt_jw_begin_object(d->w);
    content(d, MT_STR(PROBLEM_TYPE), MT_STR("Problem"), NULL);
    mt_jw_key_str(d->w, "description", mt_text_at(problem, "description"));
    header_names(d, mt_json_at(problem, "headers"));
    mt_jw_end_object(d->w);
}

static void responses(document *d)
{
    const mt_json *answers = mt_json_at(&d->api, "answers");
    const mt_json *problems = mt_json_at(&d->api, "problems");
    mt_jw_keyz(d->w, "responses");
    mt_jw_begin_unsorted(d->w);
    for (uint32_t i = 0; i < answers->count; i++) {
        mt_jw_key(d->w, answers->as.members[i].key);
        answer_component(d, &answers->as.members[i].value);
    }
    for (uint32_t i = 0; i < problems->count; i++) {
        mt_jw_key(d->w, mt_text_at(&problems->as.members[i].value, "name"));
        problem_component(d, &problems->as.members[i].value);
    }
    mt_jw_end_object(d->w);
}

static void see_item(void *state, mt_str kind, mt_str contract, mt_str name)
{
    document *d = state;
    item i = {mt_str_dup(&d->a, kind), mt_str_dup(&d->a, contract),
              mt_str_dup(&d->a, name)};
    mt_vec_push(&d->a, &d->items, i);
}

/* The front door's own (http/api.json) and those of the executor. */
static void code_schema(document *d)
{
    const mt_json *own = mt_json_at(&d->api, "codes");
    mt_jw_begin_object(d->w);
    mt_jw_key_str(d->w, "description", MT_STR("what went wrong; more may be added"));
    mt_jw_keyz(d->w, "examples");
    mt_jw_begin_array(d->w);
    for (uint32_t i = 0; i < own->count; i++) {
        mt_jw_json(d->w, &own->as.items[i]);
    }
    ex_problem_codes(d->w);
    mt_jw_end_array(d->w);
    mt_jw_key_str(d->w, "type", MT_STR("string"));
    mt_jw_end_object(d->w);
}

static void schemas(document *d, ex_executor *x)
{
    const mt_json *common = mt_json_at(&d->api, "schemas");
    mt_jw_keyz(d->w, "schemas");
    mt_jw_begin_unsorted(d->w);
    mt_jw_keyz(d->w, "ProblemCode");
    code_schema(d);
    for (uint32_t i = 0; i < common->count; i++) {
        mt_jw_key(d->w, common->as.members[i].key);
        mt_jw_json(d->w, &common->as.members[i].value);
    }
    ex_executor_api(x, d->w, see_item, d);
    mt_jw_end_object(d->w);
}

static void components(document *d, ex_executor *x)
{
    mt_jw_keyz(d->w, "components");
    mt_jw_begin_object(d->w);
    mt_jw_keyz(d->w, "headers");
    mt_jw_json(d->w, mt_json_at(&d->api, "headers"));
    mt_jw_keyz(d->w, "parameters");
    mt_jw_json(d->w, mt_json_at(&d->api, "parameters"));
    responses(d);
    schemas(d, x);
    mt_jw_keyz(d->w, "securitySchemes");
    mt_jw_raw(d->w, MT_STR("{\"bearer\":{\"description\":\"a token of motet token "
                           "create, or of an identity provider that the server "
                           "knows\",\"scheme\":\"bearer\",\"type\":\"http\"},"
                           "\"certificate\":{\"description\":\"a client certificate "
                           "that the server trusts\",\"type\":\"mutualTLS\"},"
                           "\"session\":{\"description\":\"of a browser that came by "
                           "/login; what writes needs X-CSRF-Token, too\","
                           "\"in\":\"cookie\",\"name\":\"__Host-motet\","
                           "\"type\":\"apiKey\"}}"));
    mt_jw_end_object(d->w);
}

/* ---- Operations ---- */

/* Of the item's own path its contract and name stand in it. */
static void path_parameters(document *d, const ht_route *r, const item *own)
{
    for (const char *p = strchr(r->pattern, '{'); p; p = strchr(p, '{')) {
        const char *end = strchr(++p, '}');
        mt_str name = mt_str_from(p, (size_t)(end - p));
        /* An instance's id is nobody's type; it stays a parameter. */
        if (!own || mt_str_is(name, "id")) {
            reference(d, "parameters", name);
        }
    }
}

static void parameters(document *d, const ht_route *r, const item *own)
{
    mt_str rest = mt_str_z(r->query);
    mt_jw_keyz(d->w, "parameters");
    mt_jw_begin_array(d->w);
    path_parameters(d, r, own);
    for (mt_str name = next_word(&rest); name.len; name = next_word(&rest)) {
        (void)part(d, "parameters", name);
        reference(d, "parameters", name);
    }
    if (writes(r)) {
        reference(d, "parameters", MT_STR("Idempotency-Key"));
    }
    mt_jw_end_array(d->w);
}

static mt_str own_schema(document *d, const item *i)
{
    return mt_strf(&d->a, "%.*s.%.*s%s%.*s", MT_ARG(i->contract), MT_ARG(i->kind),
                   i->name.len ? "." : "", MT_ARG(i->name));
}

/* An example of one contract is not one of another: only what is said of all has it. */
static void body(document *d, const ht_route *r, const item *own)
{
    bool typed = own && r->own;
    const mt_json *said = part(d, "bodies", mt_str_z(r->takes));
    mt_str schema = typed ? own_schema(d, own) : mt_str_z(r->takes);
    mt_str type =
        r->flags & HT_LINES ? MT_STR("application/jsonl") : MT_STR("application/json");
    mt_jw_keyz(d->w, "requestBody");
    mt_jw_begin_object(d->w);
    content(d, type, schema, typed ? NULL : mt_json_at(said, "example"));
    mt_jw_keyz(d->w, "required");
    mt_jw_json(d->w, mt_json_at(said, "required"));
    mt_jw_end_object(d->w);
}

/* Which problems a route can answer with follows from what it is.
 * A claim that is checked: every answer that any test gets is held against it. */
static bool can_be(const ht_route *r, mt_str status)
{
    bool token = !(r->flags & HT_PUBLIC), takes = r->takes != NULL;
    bool looks = token || r->page == HT_HOME || r->page == HT_CARD ||
                 r->page == HT_MANIFEST ||
                 r->page == HT_OPENAPI; /* at a token, if only to show more */
    bool named = strchr(r->pattern, '{') != NULL, call = r->page == HT_CALL;
    bool login = r->page == HT_LOGIN || r->page == HT_CALLBACK; /* asks a provider */
    const struct {
        const char *status;
        bool can;
    } WHEN[] = {
        {"400", true},
        {"401", looks},
        {"403", token},
        {"404", named || call || login},
        {"409", call && (named || writes(r))},
        {"413", takes || call},
        {"415", takes},
        {"422", writes(r) || takes},
        {"429", true},
        {"502", (takes && call) || login},
        {"503", true},
        {"default", true},
    };
    for (size_t i = 0; i < sizeof WHEN / sizeof *WHEN; i++) {
        if (mt_str_eq(status, mt_str_z(WHEN[i].status))) {
            return WHEN[i].can;
        }
    }
    MT_BUG("http/api.json has a problem that no route knows");
}

static void answers(document *d, const ht_route *r)
{
    const mt_json *problems = mt_json_at(&d->api, "problems");
    mt_str rest = mt_str_z(r->gives);
    mt_jw_keyz(d->w, "responses");
    mt_jw_begin_unsorted(d->w);
    for (mt_str one = next_word(&rest); one.len; one = next_word(&rest)) {
        /* "200:Flow" is a status and the name of an answer. */
        mt_str name = mt_str_skip(one, 4);
        (void)part(d, "answers", name);
        mt_jw_key(d->w, mt_str_from(one.ptr, 3));
        reference(d, "responses", name);
    }
    for (uint32_t i = 0; i < problems->count; i++) {
        mt_str status = problems->as.members[i].key;
        if (can_be(r, status) &&
            !strstr(r->gives, mt_strf(&d->a, "%.*s:", MT_ARG(status)).ptr)) {
            mt_jw_key(d->w, status);
            reference(d, "responses",
                      mt_text_at(&problems->as.members[i].value, "name"));
        }
    }
    mt_jw_end_object(d->w);
}

/* What comes after /v1/, or the server itself. */
static mt_str tag_of(const ht_route *r)
{
    if (strncmp(r->pattern, "/v1/", 4) != 0) {
        return MT_STR("server");
    }
    const char *from = r->pattern + 4;
    return mt_str_from(from, strcspn(from, "/"));
}

static mt_str lower(document *d, const char *method)
{
    mt_str text = mt_strf(&d->a, "%s", method);
    for (char *p = (char *)(uintptr_t)text.ptr; *p; p++) {
        *p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
    }
    return text;
}

static void operation_id(document *d, const ht_route *r, const item *own)
{
    mt_str id = mt_str_z(r->name);
    if (own) {
        id = mt_strf(&d->a, "%s_%.*s%s%.*s", r->name, MT_ARG(own->contract),
                     own->name.len ? "_" : "", MT_ARG(own->name));
    }
    mt_jw_key_str(d->w, "operationId", id);
}

static void operation(document *d, const ht_route *r, const item *own)
{
    mt_jw_key(d->w, lower(d, r->method));
    mt_jw_begin_object(d->w);
    operation_id(d, r, own);
    parameters(d, r, own);
    if (r->takes) {
        body(d, r, own);
    }
    answers(d, r);
    if (r->flags & HT_PUBLIC) {
        mt_jw_keyz(d->w, "security");
        mt_jw_raw(d->w, MT_STR("[]"));
    }
    mt_jw_key_str(d->w, "summary", mt_str_z(r->summary));
    mt_jw_keyz(d->w, "tags");
    mt_jw_begin_array(d->w);
    mt_jw_str(d->w, tag_of(r));
    mt_jw_end_array(d->w);
    mt_jw_end_object(d->w);
}

/* ---- Paths ---- */

/* All methods of one path, from its first row on. */
static void path(document *d, size_t first, mt_str text, const item *own)
{
    mt_jw_key(d->w, text);
    mt_jw_begin_unsorted(d->w);
    for (size_t i = first; i < HT_ROUTE_COUNT; i++) {
        if (strcmp(HT_ROUTES[i].pattern, HT_ROUTES[first].pattern) == 0) {
            operation(d, &HT_ROUTES[i], own);
        }
    }
    mt_jw_end_object(d->w);
}

static bool is_first(size_t row)
{
    for (size_t i = 0; i < row; i++) {
        if (strcmp(HT_ROUTES[i].pattern, HT_ROUTES[row].pattern) == 0) {
            return false;
        }
    }
    return true;
}

/* The kind of what the path has types for; NULL: of nothing. */
static const char *kind_of(size_t row)
{
    for (size_t i = row; i < HT_ROUTE_COUNT; i++) {
        if (HT_ROUTES[i].own &&
            strcmp(HT_ROUTES[i].pattern, HT_ROUTES[row].pattern) == 0) {
            return HT_ROUTES[i].own;
        }
    }
    return NULL;
}

/* The pattern with the item's names in place of {contract} and what follows it. */
static mt_str path_of(document *d, const char *pattern, const item *own)
{
    mt_buf b = {0};
    for (const char *p = pattern; *p; p++) {
        bool contract = strncmp(p, "{contract}", 10) == 0;
        if (*p == '{') {
            mt_buf_adds(&b, contract ? own->contract : own->name);
            p = strchr(p, '}');
        } else {
            mt_buf_addc(&b, *p);
        }
    }
    mt_str text = mt_str_dup(&d->a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

static void own_paths(document *d, size_t row, const char *kind)
{
    for (size_t i = 0; kind && i < d->items.len; i++) {
        const item *own = &d->items.items[i];
        if (mt_str_eq(own->kind, mt_str_z(kind))) {
            path(d, row, path_of(d, HT_ROUTES[row].pattern, own), own);
        }
    }
}

static void paths(document *d)
{
    mt_jw_keyz(d->w, "paths");
    mt_jw_begin_unsorted(d->w);
    for (size_t i = 0; i < HT_ROUTE_COUNT; i++) {
        if (is_first(i)) {
            path(d, i, mt_str_z(HT_ROUTES[i].pattern), NULL);
            own_paths(d, i, kind_of(i));
        }
    }
    mt_jw_end_object(d->w);
}

/* ---- The document ---- */

/* Paths are relative to the server's URL: behind another prefix they stay the same. */
#define INFO                                                                           \
    "{\"description\":\"Contracts that run: what may happen, who may do it, and why. " \
    "Problems are RFC 9457; `code` is stable.\",\"license\":{\"identifier\":"          \
    "\"Apache-2.0\",\"name\":\"Apache 2.0\"},\"title\":\"motet\",\"version\":\"1\"}"
#define SERVERS "[{\"description\":\"this server\",\"url\":\"/\"}]"

void ht_openapi_write(mt_buf *out, ex_executor *x)
{
    mt_jw w = mt_jw_start(out, false);
    document d = {.w = &w};
    mt_str text = mt_str_from((const char *)HT_API, HT_API_BYTES);
    if (mt_json_read(&d.a, text, NULL, &d.api, NULL)) {
        MT_BUG("http/api.json is not JSON");
    }
    mt_jw_begin_object(&w);
    components(&d, x);
    mt_jw_keyz(&w, "info");
    mt_jw_raw(&w, MT_STR(INFO));
    mt_jw_key_str(&w, "openapi", MT_STR("3.1.0"));
    paths(&d);
    mt_jw_keyz(&w, "security");
    mt_jw_raw(&w, MT_STR("[{\"bearer\":[]},{\"certificate\":[]},{\"session\":[]}]"));
    mt_jw_keyz(&w, "servers");
    mt_jw_raw(&w, MT_STR(SERVERS));
    mt_jw_keyz(&w, "tags");
    mt_jw_json(&w, mt_json_at(&d.api, "tags"));
    mt_jw_end_object(&w);
    mt_arena_free(&d.a);
}
