/* connect/openapi.c - OpenAPI 3.0 and 3.1: what GET requests answer in JSON.
 *
 * For every path with a `get` the schema of its 2xx answer becomes a shape: $ref within
 * the document, allOf joined, oneOf and anyOf joined as far as they are objects. A $ref
 * that leads back to itself is "anything", so what is cyclic ends; what branches
 * without end runs into the number of values (limit connect_places) or CN_MOST_SCHEMA.
 *
 * The document is read with tolerance: a member that has another type than OpenAPI says
 * is taken as absent, a reference that leads nowhere as "anything". What may fail: it
 * is not OpenAPI 3, it has no paths, or a limit is met. Other methods than GET are not
 * looked at, because fetching a fact must not change anything. */
#include "base/form.h"
#include "base/map.h"
#include "connect/build.h"

/* `open` has an entry for every schema that is being read,
 * empty for one that is not a reference: its length is the
 * depth, and its texts are what must not be entered again. */
typedef struct reading {
    cn_build *b;
    const mt_json *root;
    mt_str open[CN_MOST_SCHEMA]; /* references that are being followed */
    size_t depth;
} reading;

/* ---- References ---- */

/* A step of a JSON pointer (RFC 6901): ~1 is '/', ~0 is '~'. */
static mt_str unescaped(mt_arena *a, mt_str step)
{
    mt_buf b = {0};
    for (size_t i = 0; i < step.len; i++) {
        bool tilde = step.ptr[i] == '~' && i + 1 < step.len;
        char c = tilde ? (step.ptr[i + 1] == '1' ? '/' : '~') : step.ptr[i];
        mt_buf_addc(&b, c);
        i += tilde;
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* "#/components/schemas/Order"; NULL for what is elsewhere or not there. */
static const mt_json *pointed(reading *r, mt_str ref)
{
    const mt_json *node = r->root;
    if (!mt_str_starts(ref, MT_STR("#/"))) {
        return NULL;
    }
    for (mt_str rest = mt_str_skip(ref, 2); node && rest.len;) {
        size_t slash = mt_str_find(rest, '/');
        node = mt_json_get(node, unescaped(r->b->arena, mt_str_from(rest.ptr, slash)));
        rest = mt_str_skip(rest, slash + 1);
    }
    return node;
}

/* A reference to what is not a schema: parameters, responses. One step is enough
 * for documents that mean well. */
static const mt_json *followed(reading *r, const mt_json *node)
{
    mt_str ref = mt_json_text(mt_json_at(node, "$ref"));
    return ref.len ? pointed(r, ref) : node;
}

/* ---- Schemas ---- */

static const cn_shape *read_schema(reading *r, const mt_json *schema);

typedef MT_VEC(cn_member) member_list;

/* Of two members with one name the first stays. */
static void join_members(cn_build *b, member_list *list, const cn_shape *from)
{
    for (size_t i = 0; i < from->member_count; i++) {
        bool there = false;
        for (size_t k = 0; k < list->len; k++) {
            there |= mt_str_eq(list->items[k].name, from->members[i].name);
        }
        if (!there) {
            mt_vec_push(b->arena, list, from->members[i]);
        }
    }
}

/* What people wrote of it, where units are often said. 300 bytes are enough for that;
 * the words of a note are compared with every fact. */
static mt_str note_of(const mt_json *schema)
{
    mt_str text = mt_text_at(schema, "description");
    text = text.len ? text : mt_text_at(schema, "title");
    text.len = text.len < 300 ? text.len : 300;
    return text;
}

/* Whether a member is required is not looked
 * at: `nullable` is what proposals warn of. */
static bool read_members(reading *r, const mt_json *schema, member_list *list)
{
    const mt_json *all = mt_json_at(schema, "properties");
    for (uint32_t i = 0; mt_json_is(all, MT_JSON_OBJECT) && i < all->count; i++) {
        const mt_json_member *m = &all->as.members[i];
        const cn_shape *shape = read_schema(r, &m->value);
        if (!shape) {
            return false;
        }
        mt_vec_push(r->b->arena, list,
                    ((cn_member){m->key, shape, note_of(&m->value)}));
    }
    return true;
}

/* "object", "null", …: `type` is a word or, from 3.1, a list of them. ["string",
 * "null"] is "string" and nullable; ["string", "integer"] is "any", which no branch
 * knows. `nullable` of 3.0 counts in both. */
static mt_str type_of(const mt_json *schema, bool *nullable)
{
    const mt_json *type = mt_json_at(schema, "type");
    mt_str found = mt_json_text(type);
    for (uint32_t i = 0; mt_json_is(type, MT_JSON_ARRAY) && i < type->count; i++) {
        mt_str one = mt_json_text(&type->as.items[i]);
        if (mt_str_is(one, "null")) {
            *nullable = true;
        } else {
            found = found.len ? MT_STR("any") : one;
        }
    }
    const mt_json *said = mt_json_at(schema, "nullable");
    *nullable |= mt_json_is(said, MT_JSON_BOOL) && said->boolean;
    return found;
}

/* Numbers in an `enum` are left out: a choice is
 * a word. null in it means that it may be null. */
static void read_choices(cn_build *b, const mt_json *schema, cn_shape *s)
{
    const mt_json *list = mt_json_at(schema, "enum");
    MT_VEC(mt_str) words = {0};
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        if (mt_json_is(&list->as.items[i], MT_JSON_STRING)) {
            mt_vec_push(b->arena, &words, mt_json_text(&list->as.items[i]));
        } else {
            s->nullable |= mt_json_is(&list->as.items[i], MT_JSON_NULL);
        }
    }
    if (words.len) {
        s->kind = CN_CHOICE;
        s->choices = words.items;
        s->choice_count = words.len;
    }
}

/* A pattern of digits with a point, as `^\d+\.\d{2}$`, means a decimal number in text.
 * One of digits only stays text: it is more often a number of an account than something
 * to count. Any other letter than the d of \d and the pattern is not understood. */
static void read_pattern(mt_str pattern, cn_shape *s)
{
    bool digits = false, point = false;
    for (size_t i = 0; i < pattern.len; i++) {
        char c = pattern.ptr[i];
        digits |= c == 'd' || c == '9';
        point |= c == '.';
        if (((c >= 'a' && c <= 'z') && c != 'd') || (c >= 'A' && c <= 'Z')) {
            return;
        }
    }
    if (digits) {
        s->kind = point ? CN_REAL : CN_TEXT;
        s->as_text = point;
    }
}

/* `format` first, then the pattern; an enum wins over both. */
static void read_text(cn_build *b, const mt_json *schema, cn_shape *s)
{
    int64_t most;
    s->kind = CN_TEXT;
    cn_named_kind(mt_text_at(schema, "format"), s);
    if (!mt_json_i64(mt_json_at(schema, "maxLength"), &most) && most > 0) {
        s->max_length = (size_t)most;
    }
    if (s->kind == CN_TEXT) {
        read_pattern(mt_text_at(schema, "pattern"), s);
    }
    read_choices(b, schema, s);
}

/* The range counts only with both ends: a fact's type has both, too. */
static void read_whole(const mt_json *schema, cn_shape *s)
{
    s->kind = CN_WHOLE;
    s->has_range = !mt_json_i64(mt_json_at(schema, "minimum"), &s->least) &&
                   !mt_json_i64(mt_json_at(schema, "maximum"), &s->most);
}

/* Parts of allOf, oneOf or anyOf: objects are joined, of others the
 * only one that is not null counts. `all` is true for allOf, where
 * a part that may be null does not make the whole so. Joining oneOf
 * says more than is certain, which only widens what is proposed. */
static bool read_parts(reading *r, const mt_json *parts, bool all, cn_shape *s,
                       member_list *list)
{
    const cn_shape *only = NULL;
    size_t others = 0;
    for (uint32_t i = 0; mt_json_is(parts, MT_JSON_ARRAY) && i < parts->count; i++) {
        const mt_json *part = &parts->as.items[i];
        if (mt_str_is(mt_text_at(part, "type"), "null")) {
            s->nullable = true;
            continue;
        }
        const cn_shape *shape = read_schema(r, part);
        if (!shape) {
            return false;
        }
        s->nullable |= shape->nullable && !all;
        if (shape->kind == CN_OBJECT) {
            s->kind = CN_OBJECT;
            join_members(r->b, list, shape);
        } else if (shape->kind != CN_ANY) {
            only = shape;
            others++;
        }
    }
    if (only && others == 1 && !list->len) {
        bool nullable = s->nullable || only->nullable;
        *s = *only;
        s->nullable = nullable;
    }
    return true;
}

/* Shape of a schema that is not a $ref. A schema with `properties`
 * is an object even if it does not say so. allOf, oneOf and anyOf
 * come last, as they may stand beside own members. */
static bool fill_shape(reading *r, const mt_json *schema, cn_shape *s)
{
    static const char *const JOINED[] = {"allOf", "oneOf", "anyOf"};
    member_list list = {0};
    mt_str type = type_of(schema, &s->nullable);
    if (mt_str_is(type, "object") || mt_json_at(schema, "properties")) {
        s->kind = CN_OBJECT;
    } else if (mt_str_is(type, "array")) {
        s->kind = CN_LIST;
        s->element = read_schema(r, mt_json_at(schema, "items"));
        return s->element != NULL;
    } else if (mt_str_is(type, "string")) {
        read_text(r->b, schema, s);
    } else if (mt_str_is(type, "integer")) {
        read_whole(schema, s);
    } else if (mt_str_is(type, "number")) {
        s->kind = CN_REAL;
    } else if (mt_str_is(type, "boolean")) {
        s->kind = CN_BOOL;
    } else {
        read_choices(r->b, schema, s);
    }
    if (!read_members(r, schema, &list)) {
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        const mt_json *parts = mt_json_get(schema, mt_str_z(JOINED[i]));
        if (parts && !read_parts(r, parts, i == 0, s, &list)) {
            return false;
        }
    }
    if (list.len) {
        s->members = list.items;
        s->member_count = list.len;
    }
    return true;
}

/* NULL after a fault. A schema that is absent, leads nowhere or
 * leads back to itself is CN_ANY. Every step of a chain of
 * references takes a shape and a level, so such a chain is bounded. */
static const cn_shape *read_schema(reading *r, const mt_json *schema)
{
    mt_str ref = mt_json_text(mt_json_at(schema, "$ref"));
    cn_shape *s = cn_shape_new(r->b, CN_ANY);
    if (!s || !schema) {
        return s;
    }
    for (size_t i = 0; ref.len && i < r->depth; i++) {
        if (mt_str_eq(r->open[i], ref)) {
            return s; /* it leads back to itself */
        }
    }
    if (r->depth == CN_MOST_SCHEMA) {
        cn_fault(r->b, MT_E_LIMIT, "schemas are nested more than %d deep",
                 CN_MOST_SCHEMA);
        return NULL;
    }
    r->open[r->depth++] = ref.len ? ref : MT_STR("");
    const mt_json *target = ref.len ? pointed(r, ref) : schema;
    const cn_shape *made = s;
    if (ref.len && target) {
        made = read_schema(r, target);
    } else if (target && !fill_shape(r, target, s)) {
        made = NULL;
    }
    r->depth--;
    return made;
}

/* ---- Requests ---- */

/* {"resource":"orders/{id}","select":"data.total"} */
static void write_settings(mt_buf *out, const cn_request *r, const mt_str *way,
                           size_t count, const cn_shape *leaf)
{
    mt_jw w = mt_jw_start(out, false);
    (void)leaf;
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "resource", *(const mt_str *)r->state);
    mt_jw_key_str(&w, "select", cn_dotted(r->build->arena, way, count));
    mt_jw_end_object(&w);
}

/* The schema of the first media type that is JSON: application/json; charset=utf-8,
 * application/problem+json, …. */
static const mt_json *json_schema(reading *r, const mt_json *response)
{
    const mt_json *content = mt_json_at(followed(r, response), "content");
    for (uint32_t i = 0; mt_json_is(content, MT_JSON_OBJECT) && i < content->count;
         i++) {
        mt_str type = content->as.members[i].key;
        type.len = mt_str_find(type, ';');
        if (mt_str_ends(type, MT_STR("/json")) || mt_str_ends(type, MT_STR("+json"))) {
            return mt_json_at(&content->as.members[i].value, "schema");
        }
    }
    return NULL;
}

/* The first of these answers that has JSON counts. `default` is mostly an error, but it
 * is all that some documents describe. */
static const mt_json *answer_schema(reading *r, const mt_json *get)
{
    static const char *const GOOD[] = {"200", "2XX", "2xx", "203", "default"};
    const mt_json *responses = mt_json_at(get, "responses"), *found = NULL;
    for (size_t i = 0; !found && i < sizeof GOOD / sizeof *GOOD; i++) {
        found = json_schema(r, mt_json_get(responses, mt_str_z(GOOD[i])));
    }
    return found;
}

typedef MT_VEC(mt_str) text_list;

/* "/orders/{id}/lines": steps in braces are parameters, the others names.
 */
static void split_path(mt_arena *a, mt_str path, text_list *names, text_list *params,
                       mt_buf *plain)
{
    for (mt_str rest = mt_str_skip(path, 1); rest.len;) {
        size_t slash = mt_str_find(rest, '/');
        mt_str step = mt_str_from(rest.ptr, slash);
        mt_buf_addz(plain, plain->len ? "/" : "");
        if (mt_str_starts(step, MT_STR("{")) && mt_str_ends(step, MT_STR("}"))) {
            mt_vec_push(a, params, mt_str_from(step.ptr + 1, step.len - 2));
            mt_buf_addz(plain, "{}");
        } else {
            mt_vec_push(a, names, step);
            mt_buf_adds(plain, step);
        }
        rest = mt_str_skip(rest, slash + 1);
    }
}

/* Parameters in the query that must be there are asked for, too:
 * `orders?customer={customer}`. Those in headers and cookies are not: `resource` has no
 * place for them. `seen` has those of the query that were met, also if they need not be
 * there: the first that is called so counts. */
static void add_query(reading *r, const mt_json *parameters, mt_map *seen,
                      mt_buf *resource, text_list *params)
{
    for (uint32_t i = 0; mt_json_is(parameters, MT_JSON_ARRAY) && i < parameters->count;
         i++) {
        const mt_json *p = followed(r, &parameters->as.items[i]);
        const mt_json *must = mt_json_at(p, "required");
        mt_str name = mt_text_at(p, "name");
        if (!mt_str_is(mt_text_at(p, "in"), "query") || !name.len ||
            mt_map_find(seen, name)) {
            continue;
        }
        mt_map_put(r->b->arena, seen, name, 1);
        if (!mt_json_is(must, MT_JSON_BOOL) || !must->boolean) {
            continue;
        }
        bool first = !memchr(resource->ptr, '?', resource->len);
        mt_buf_addf(resource, "%s%.*s={%.*s}", first ? "?" : "&", MT_ARG(name),
                    MT_ARG(name));
        mt_vec_push(r->b->arena, params, name);
    }
}

/* A path with a '?' or '#' of its own would make
 * another request than the document describes. */
static bool is_plain_path(mt_str path)
{
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] <= ' ' || path.ptr[i] == '#' || path.ptr[i] == '?') {
            return false;
        }
    }
    return mt_str_starts(path, MT_STR("/"));
}

/* A path that has no GET with JSON is passed over. Parameters of the path item and of
 * the operation are both asked for; of two with one name the operation's counts. */
static bool read_path(reading *r, mt_str path, const mt_json *item)
{
    mt_arena *a = r->b->arena;
    const mt_json *get = mt_json_at(item, "get");
    const mt_json *schema = answer_schema(r, get);
    text_list names = {0}, params = {0};
    mt_buf resource = {0}, plain = {0};
    mt_map seen = {0};
    if (!schema || !is_plain_path(path)) {
        return true;
    }
    const cn_shape *shape = read_schema(r, schema);
    mt_buf_adds(&resource, mt_str_skip(path, 1));
    split_path(a, path, &names, &params, &plain);
    add_query(r, mt_json_at(get, "parameters"), &seen, &resource, &params);
    add_query(r, mt_json_at(item, "parameters"), &seen, &resource, &params);
    mt_str text = mt_str_dup(a, mt_buf_str(&resource));
    cn_request q = {.build = r->b,
                    .shown = mt_strf(a, "GET /%.*s", MT_ARG(text)),
                    .path = mt_str_dup(a, mt_buf_str(&plain)),
                    .around = names.items,
                    .around_count = names.len,
                    .params = params.items,
                    .param_count = params.len,
                    .write = write_settings,
                    .state = &text};
    mt_buf_free(&resource);
    mt_buf_free(&plain);
    return shape && cn_add_places(&q, shape);
}

bool cn_read_openapi(cn_build *b, const mt_json *tree)
{
    reading r = {.b = b, .root = tree};
    const mt_json *paths = mt_json_at(tree, "paths");
    mt_str version = mt_text_at(tree, "openapi");
    if (!mt_str_starts(version, MT_STR("3."))) {
        return cn_fault(b, MT_E_SYNTAX, "it is not OpenAPI 3.0 or 3.1");
    }
    if (!mt_json_is(paths, MT_JSON_OBJECT)) {
        return cn_fault(b, MT_E_SYNTAX, "it has no paths");
    }
    for (uint32_t i = 0; i < paths->count; i++) {
        const mt_json_member *m = &paths->as.members[i];
        if (!read_path(&r, m->key, followed(&r, &m->value))) {
            return false;
        }
    }
    return true;
}
