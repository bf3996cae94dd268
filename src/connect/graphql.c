/* connect/graphql.c - GraphQL, as schema text (SDL) or as the answer to introspection.
 *
 * Both become the same list of types. From the root of queries every field whose
 * arguments can be given as text (ID, String) is a request; fields of objects inside
 * that need no arguments are its places. A type that is met again on the way is not
 * entered, so what is cyclic ends.
 *
 * Order: all definitions are read first, because SDL may use a type before it defines
 * it; then add_roots() walks. Interfaces are read as objects; unions, inputs and
 * directives are passed over, and a field whose type is a union is "anything". Only the
 * walk recurses, at most CN_MOST_DEPTH deep; brackets are counted. What may fail: the
 * syntax (with the line), no root of queries, too many fields or types. */
#include "base/form.h"
#include "base/map.h"
#include "connect/build.h"

/* Lists around one name in SDL; in an introspection lists and non-nulls together. */
enum { MOST_TYPE_DEPTH = 8 };

/* An argument of a field. One with a default is not
 * required: a query may leave it out, and so do ours. */
typedef struct argument {
    mt_str name, type; /* as a query declares it: "ID!" */
    bool required, is_text;
} argument;

typedef struct field {
    mt_str name, type; /* the type inside lists and non-null */
    bool list, nullable;
    const argument *arguments;
    size_t argument_count;
    mt_str note;
} field;

/* A definition. `fields` and `choices` are
 * both empty for a scalar of the schema's own. */
typedef struct type {
    mt_str name;
    field *fields; /* NULL: a scalar or an enum */
    size_t count, cap;
    const mt_str *choices;
    size_t choice_count;
} type;

typedef struct schema {
    cn_build *b;
    MT_VEC(type) types;
    mt_map named; /* index + 1 */
    mt_str query;
} schema;

/* Adds a definition, or the fields of an `extend type` to the one
 * that came first. That the extension itself stays in `types`,
 * too, without a name in the map, only counts for the limit. */
static bool add_type(schema *s, const type *t)
{
    bool added;
    mt_map_entry *e = mt_map_add(s->b->arena, &s->named, t->name, &added);
    if (s->types.len >= s->b->limits->connect_places) {
        return cn_fault(s->b, MT_E_LIMIT, "it has more than %zu types (limit %s)",
                        s->b->limits->connect_places, "connect_places");
    }
    mt_vec_push(s->b->arena, &s->types, *t);
    if (added) {
        e->value = s->types.len;
    } else if (t->count) { /* extend type: its fields join the others */
        type *old = &s->types.items[e->value - 1];
        size_t count = old->count + t->count;
        if (count > old->cap) { /* twice as much, or many small ones would add up */
            field *all = mt_new_array(s->b->arena, field, 2 * count);
            if (old->count) {
                memcpy(all, old->fields, old->count * sizeof *all);
            }
            old->fields = all;
            old->cap = 2 * count;
        }
        memcpy(old->fields + old->count, t->fields, t->count * sizeof *t->fields);
        old->count = count;
    }
    return true;
}

static const type *find_type(const schema *s, mt_str name)
{
    uintptr_t at = mt_map_get(&s->named, name, 0);
    return at ? &s->types.items[at - 1] : NULL;
}

/* ---- Text ---- */

typedef struct reader {
    schema *s;
    mt_str rest, token; /* a name, a sign, or a string with its quotes */
    mt_str note;        /* the description before the token */
    const char *start;
} reader;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
}

/* From the opening quote to behind the closing one; to the end
 * of the text when nothing closes it, and then the next token,
 * which is empty, is a fault wherever something is due. */
static size_t string_length(mt_str s)
{
    bool block = mt_str_starts(s, MT_STR("\"\"\""));
    for (size_t i = block ? 3 : 1; i < s.len; i++) {
        if (s.ptr[i] == '\\') {
            i++;
        } else if (block ? mt_str_starts(mt_str_skip(s, i), MT_STR("\"\"\""))
                         : s.ptr[i] == '"') {
            return i + (block ? 3 : 1);
        }
    }
    return s.len;
}

/* The next token; an empty one at the end of the text. Commas are white space in
 * GraphQL, and a sign that is unknown becomes a token of one byte, so every call but
 * the last gets further. */
static void next(reader *r)
{
    for (;;) {
        size_t i = 0;
        while (i < r->rest.len && strchr(" \t\r\n,", r->rest.ptr[i])) {
            i++;
        }
        r->rest = mt_str_skip(r->rest, i);
        if (r->rest.len && r->rest.ptr[0] == '#') {
            r->rest = mt_str_skip(r->rest, mt_str_find(r->rest, '\n'));
            continue;
        }
        break;
    }
    size_t len = r->rest.len > 0;
    if (len && is_letter(r->rest.ptr[0])) {
        while (len < r->rest.len && is_letter(r->rest.ptr[len])) {
            len++;
        }
    } else if (len && r->rest.ptr[0] == '"') {
        len = string_length(r->rest);
    } else if (mt_str_starts(r->rest, MT_STR("..."))) {
        len = 3;
    }
    r->token = mt_str_from(r->rest.ptr, len);
    r->rest = mt_str_skip(r->rest, len);
}

static bool at_sign(const reader *r, char sign)
{
    return r->token.len == 1 && r->token.ptr[0] == sign;
}

static bool take(reader *r, char sign)
{
    bool there = at_sign(r, sign);
    if (there) {
        next(r);
    }
    return there;
}

/* A fault with the line where the token ends; lines are counted only now. */
static bool syntax(reader *r, const char *what)
{
    size_t line = 1;
    for (const char *p = r->start; p < r->rest.ptr; p++) {
        line += *p == '\n';
    }
    mt_str seen = r->token;
    seen.len = seen.len < 40 ? seen.len : 40;
    return cn_fault(r->s->b, MT_E_SYNTAX, "line %zu: here must be %s, not '%.*s'", line,
                    what, MT_ARG(seen));
}

static bool take_name(reader *r, mt_str *out)
{
    if (!r->token.len || !is_letter(r->token.ptr[0])) {
        return syntax(r, "a name");
    }
    *out = r->token;
    next(r);
    return true;
}

/* Between its quotes, of which there are three or one on each side; what is not closed
 * ends with the text. */
static mt_str inside_quotes(mt_str string)
{
    mt_str quotes =
        mt_str_starts(string, MT_STR("\"\"\"")) ? MT_STR("\"\"\"") : MT_STR("\"");
    mt_str inside = mt_str_skip(string, quotes.len);
    if (mt_str_ends(inside, quotes)) {
        inside.len -= quotes.len;
    }
    return inside;
}

/* A description stands before what it describes. */
static mt_str take_note(reader *r)
{
    mt_str note = {0};
    if (r->token.len && r->token.ptr[0] == '"') {
        note = mt_str_trim(inside_quotes(r->token), MT_STR(" \t\r\n"));
        note.len = note.len < 300 ? note.len : 300;
        next(r);
    }
    return note;
}

/* What a default, a directive's arguments or a body has,
 * brackets balanced. The token must be the opening one. Kinds
 * of brackets are not told apart: the text is only passed over. */
static bool pass_brackets(reader *r)
{
    size_t depth = 0;
    do {
        if (!r->token.len) {
            return syntax(r, "a closing bracket");
        }
        char c = r->token.len == 1 ? r->token.ptr[0] : 0;
        depth += c == '(' || c == '{' || c == '[';
        depth -= c == ')' || c == '}' || c == ']';
        next(r);
    } while (depth);
    return true;
}

static bool pass_directives(reader *r)
{
    mt_str name;
    while (take(r, '@')) {
        if (!take_name(r, &name) || (at_sign(r, '(') && !pass_brackets(r))) {
            return false;
        }
    }
    return true;
}

/* Type!, [Type!]!, …: the name inside, whether a list is around it. */
static bool read_type(reader *r, mt_str *name, bool *list, bool *required)
{
    size_t depth = 0;
    *list = false;
    while (take(r, '[')) {
        *list = true;
        if (++depth > MOST_TYPE_DEPTH) {
            return syntax(r, "fewer lists");
        }
    }
    if (!take_name(r, name)) {
        return false;
    }
    *required = take(r, '!');
    while (depth--) {
        if (!take(r, ']')) {
            return syntax(r, "']'");
        }
        *required = take(r, '!');
    }
    return true;
}

typedef MT_VEC(argument) argument_list;

/* `(id: ID!, first: Int = 10 @deprecated)`. A list is never text, even one of ID:
 * adapters fill a variable with one value. */
static bool read_arguments(reader *r, argument_list *list)
{
    if (!take(r, '(')) {
        return true;
    }
    while (!take(r, ')')) {
        argument a = {0};
        mt_str name;
        bool many = false;
        take_note(r);
        if (!take_name(r, &a.name) || !take(r, ':') ||
            !read_type(r, &name, &many, &a.required)) {
            return syntax(r, "an argument");
        }
        a.is_text = !many && (mt_str_is(name, "ID") || mt_str_is(name, "String"));
        a.type = mt_strf(r->s->b->arena, "%.*s%s", MT_ARG(name), a.required ? "!" : "");
        if (take(r, '=')) {
            a.required = false;
            bool bracket = at_sign(r, '[') || at_sign(r, '{');
            if (bracket && !pass_brackets(r)) {
                return false;
            }
            if (!bracket) {
                take(r, '-');
                next(r);
                if (take(r, '.')) { /* a fraction */
                    next(r);
                }
            }
        }
        if (!pass_directives(r)) {
            return false;
        }
        mt_vec_push(r->s->b->arena, list, a);
    }
    return true;
}

/* `{ total: Money! lines(first: Int): [Line] }`. Each field
 * counts as a shape, although the shape is not used: a document
 * of very many fields meets its limit here, before the walk. */
static bool read_fields(reader *r, type *t)
{
    MT_VEC(field) fields = {0};
    if (!take(r, '{')) {
        return true;
    }
    while (!take(r, '}')) {
        field f = {.note = take_note(r)};
        argument_list arguments = {0};
        bool required = false;
        if (!take_name(r, &f.name) || !read_arguments(r, &arguments)) {
            return false;
        }
        if (!take(r, ':')) {
            return syntax(r, "':'");
        }
        if (!read_type(r, &f.type, &f.list, &required) || !pass_directives(r) ||
            !cn_shape_new(r->s->b, CN_ANY)) {
            return false;
        }
        f.nullable = !required;
        f.arguments = arguments.items;
        f.argument_count = arguments.len;
        mt_vec_push(r->s->b->arena, &fields, f);
    }
    t->fields = fields.items;
    t->count = fields.len;
    return true;
}

/* implements A & B */
static bool pass_interfaces(reader *r)
{
    mt_str name;
    if (!mt_str_is(r->token, "implements")) {
        return true;
    }
    next(r);
    take(r, '&');
    do {
        if (!take_name(r, &name)) {
            return false;
        }
    } while (take(r, '&'));
    return true;
}

static bool read_object(reader *r)
{
    type t = {0};
    return take_name(r, &t.name) && pass_interfaces(r) && pass_directives(r) &&
           read_fields(r, &t) && add_type(r->s, &t);
}

/* `enum Status { OPEN PAID @deprecated }`; descriptions of values are passed over. */
static bool read_enum(reader *r)
{
    type t = {0};
    MT_VEC(mt_str) values = {0};
    if (!take_name(r, &t.name) || !pass_directives(r) || !take(r, '{')) {
        return syntax(r, "an enum");
    }
    while (!take(r, '}')) {
        mt_str value;
        take_note(r);
        if (!take_name(r, &value) || !pass_directives(r)) {
            return false;
        }
        mt_vec_push(r->s->b->arena, &values, value);
    }
    t.choices = values.items;
    t.choice_count = values.len;
    return add_type(r->s, &t);
}

/* schema { query: Root } */
static bool read_roots(reader *r)
{
    mt_str name, root;
    if (!pass_directives(r) || !take(r, '{')) {
        return syntax(r, "'{'");
    }
    while (!take(r, '}')) {
        if (!take_name(r, &name) || !take(r, ':') || !take_name(r, &root)) {
            return syntax(r, "a root");
        }
        if (mt_str_is(name, "query")) {
            r->s->query = root;
        }
    }
    return true;
}

/* input, union, scalar, directive: to the next definition. */
static bool pass_definition(reader *r)
{
    static const char *const STARTS[] = {"type",   "interface", "enum",
                                         "input",  "union",     "scalar",
                                         "schema", "directive", "extend"};
    while (r->token.len && r->token.ptr[0] != '"') {
        for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++) {
            if (mt_str_eq(r->token, mt_str_z(STARTS[i]))) {
                return true;
            }
        }
        if (at_sign(r, '{') || at_sign(r, '(')) {
            if (!pass_brackets(r)) {
                return false;
            }
        } else {
            next(r);
        }
    }
    return true;
}

/* `extend` is read like the definition itself; add_type() joins what has the same name.
 * An `extend enum` after its enum has no effect: only fields are joined. */
static bool read_definition(reader *r)
{
    mt_str word;
    take_note(r);
    if (mt_str_is(r->token, "extend")) {
        next(r);
    }
    if (!take_name(r, &word)) {
        return false;
    }
    return mt_str_is(word, "type") || mt_str_is(word, "interface") ? read_object(r)
           : mt_str_is(word, "enum")                               ? read_enum(r)
           : mt_str_is(word, "schema")                             ? read_roots(r)
           : mt_str_is(word, "input") || mt_str_is(word, "union") ||
                   mt_str_is(word, "scalar") || mt_str_is(word, "directive")
               ? pass_definition(r)
               : syntax(r, "a definition");
}

/* ---- Introspection ---- */

/* The name inside NON_NULL and LIST: {"kind": "NON_NULL",
 * "ofType": {"kind": "LIST", …}}. One that is nested deeper than
 * MOST_TYPE_DEPTH has no name, so its type is found nowhere. */
static const mt_json *unwrap(const mt_json *t, bool *list, bool *required)
{
    *list = false;
    *required = mt_str_is(mt_text_at(t, "kind"), "NON_NULL");
    for (int i = 0;
         i < MOST_TYPE_DEPTH && mt_json_is(mt_json_at(t, "ofType"), MT_JSON_OBJECT);
         i++) {
        *list |= mt_str_is(mt_text_at(t, "kind"), "LIST");
        t = mt_json_at(t, "ofType");
    }
    return t;
}

/* As read_arguments() has it. A defaultValue is text or null in an introspection. */
static argument argument_of(schema *s, const mt_json *node)
{
    bool list, required;
    const mt_json *t = unwrap(mt_json_at(node, "type"), &list, &required);
    mt_str name = mt_text_at(t, "name");
    const mt_json *otherwise = mt_json_at(node, "defaultValue");
    return (argument){
        .name = mt_text_at(node, "name"),
        .type = mt_strf(s->b->arena, "%.*s%s", MT_ARG(name), required ? "!" : ""),
        .required = required && !mt_json_is(otherwise, MT_JSON_STRING),
        .is_text = !list && (mt_str_is(name, "ID") || mt_str_is(name, "String"))};
}

/* One of `types` of an introspection. Members that are missing or of another type count
 * as absent: the answer is somebody else's, and what it does not say is not offered. */
static bool type_of_json(schema *s, const mt_json *node)
{
    cn_build *b = s->b;
    const mt_json *fields = mt_json_at(node, "fields");
    const mt_json *values = mt_json_at(node, "enumValues");
    type t = {.name = mt_text_at(node, "name")};
    MT_VEC(field) list = {0};
    MT_VEC(mt_str) choices = {0};
    for (uint32_t i = 0; mt_json_is(fields, MT_JSON_ARRAY) && i < fields->count; i++) {
        const mt_json *one = &fields->as.items[i], *args = mt_json_at(one, "args");
        argument_list arguments = {0};
        field f = {.name = mt_text_at(one, "name"),
                   .note = mt_text_at(one, "description")};
        bool required;
        f.type =
            mt_text_at(unwrap(mt_json_at(one, "type"), &f.list, &required), "name");
        f.nullable = !required;
        for (uint32_t k = 0; mt_json_is(args, MT_JSON_ARRAY) && k < args->count; k++) {
            mt_vec_push(b->arena, &arguments, argument_of(s, &args->as.items[k]));
        }
        f.arguments = arguments.items;
        f.argument_count = arguments.len;
        f.note.len = f.note.len < 300 ? f.note.len : 300;
        if (!cn_shape_new(b, CN_ANY)) {
            return false;
        }
        mt_vec_push(b->arena, &list, f);
    }
    for (uint32_t i = 0; mt_json_is(values, MT_JSON_ARRAY) && i < values->count; i++) {
        mt_vec_push(b->arena, &choices, mt_text_at(&values->as.items[i], "name"));
    }
    t.fields = list.items;
    t.count = list.len;
    t.choices = choices.items;
    t.choice_count = choices.len;
    return add_type(s, &t);
}

/* ---- Places ---- */

/* The way from a root to where shape_of() stands:
 * types that are open are not entered again. */
typedef struct walk {
    const schema *s;
    const type *open[CN_MOST_DEPTH + 2];
    size_t depth;
} walk;

/* A field inside the answer that needs arguments cannot
 * be asked for: {names} fill only those of the root. */
static bool needs_arguments(const field *f)
{
    for (size_t i = 0; i < f->argument_count; i++) {
        if (f->arguments[i].required) {
            return true;
        }
    }
    return false;
}

static const cn_shape *shape_of(walk *w, const field *f);

/* False after a fault. The type is open while its fields are read. */
static bool fill_object(walk *w, const type *t, cn_shape *s)
{
    cn_build *b = w->s->b;
    MT_VEC(cn_member) members = {0};
    w->open[w->depth++] = t;
    for (size_t i = 0; i < t->count; i++) {
        if (needs_arguments(&t->fields[i])) {
            continue;
        }
        const cn_shape *shape = shape_of(w, &t->fields[i]);
        if (!shape) {
            return false;
        }
        mt_vec_push(b->arena, &members,
                    ((cn_member){t->fields[i].name, shape, t->fields[i].note}));
    }
    w->depth--;
    s->kind = CN_OBJECT;
    s->members = members.items;
    s->member_count = members.len;
    return true;
}

/* Int, Float and so on; then an enum; then what the name of
 * a custom scalar suggests (DateTime, BigDecimal, …). `t`
 * is NULL for a type that is not defined in the document. */
static void fill_scalar(const type *t, mt_str name, cn_shape *s)
{
    static const struct {
        const char *name;
        cn_kind kind;
    } BUILT_IN[] = {{"Int", CN_WHOLE},
                    {"Float", CN_REAL},
                    {"String", CN_TEXT},
                    {"Boolean", CN_BOOL},
                    {"ID", CN_TEXT}};
    for (size_t i = 0; i < sizeof BUILT_IN / sizeof *BUILT_IN; i++) {
        if (mt_str_eq(name, mt_str_z(BUILT_IN[i].name))) {
            s->kind = BUILT_IN[i].kind;
            return;
        }
    }
    if (t && t->choice_count) {
        s->kind = CN_CHOICE;
        s->choices = t->choices;
        s->choice_count = t->choice_count;
        return;
    }
    cn_named_kind(name, s);
}

/* NULL after a fault. A type that is open already, or lies deeper than CN_MOST_DEPTH,
 * is "anything", which nothing fits. */
static const cn_shape *shape_of(walk *w, const field *f)
{
    const type *t = find_type(w->s, f->type);
    cn_shape *s = cn_shape_new(w->s->b, CN_ANY);
    if (!s) {
        return NULL;
    }
    for (size_t i = 0; t && i < w->depth; i++) {
        if (w->open[i] == t) {
            return s;
        }
    }
    if (t && t->fields && w->depth < CN_MOST_DEPTH) {
        if (!fill_object(w, t, s)) {
            return NULL;
        }
    } else if (!t || !t->fields) {
        fill_scalar(t, f->type, s);
    }
    s->nullable = f->nullable;
    if (f->list) {
        cn_shape *list = cn_shape_new(w->s->b, CN_LIST);
        if (list) {
            list->element = s;
            list->nullable = f->nullable;
        }
        return list;
    }
    return s;
}

/* What a query must ask for to get an object: all scalars in it, or
 * its fields. An object has to be selected by its fields in GraphQL.
 * Objects more than three levels further in are left out, so that a
 * query for a large type stays one that a person can read. False, and nothing is
 * written, when nothing can be asked for: an empty one is not valid. */
static bool write_selection(mt_buf *out, const cn_shape *s, size_t depth)
{
    size_t start = out->len;
    bool any = false;
    s = s->kind == CN_LIST && s->element ? s->element : s;
    if (s->kind != CN_OBJECT) {
        return s->kind != CN_ANY;
    }
    mt_buf_addz(out, " {");
    for (size_t i = 0; depth <= 3 && i < s->member_count; i++) {
        size_t before = out->len;
        mt_buf_addc(out, ' ');
        mt_buf_adds(out, s->members[i].name);
        bool asked = write_selection(out, s->members[i].shape, depth + 1);
        out->len = asked ? out->len : before;
        any |= asked;
    }
    mt_buf_addz(out, " }");
    out->len = any ? out->len : start;
    return any;
}

/* For the root order(id: ID!) and the way order, total:
 *   {"parameters":["id"],"query":"query($id: ID!) { order(id: $id) { total } }",
 *    "select":"order.total"}
 * `way` has the root's name first, so braces are opened from its second step on. */
static void write_settings(mt_buf *out, const cn_request *r, const mt_str *way,
                           size_t count, const cn_shape *leaf)
{
    const field *root = r->state;
    mt_buf query = {0}, given = {0}, declared = {0};
    mt_jw w = mt_jw_start(out, false);
    for (size_t i = 0; i < root->argument_count; i++) {
        const argument *a = &root->arguments[i];
        if (a->required) {
            const char *comma = given.len ? ", " : "";
            mt_buf_addf(&declared, "%s$%.*s: %.*s", comma, MT_ARG(a->name),
                        MT_ARG(a->type));
            mt_buf_addf(&given, "%s%.*s: $%.*s", comma, MT_ARG(a->name),
                        MT_ARG(a->name));
        }
    }
    if (declared.len) {
        mt_buf_addf(&query, "query(%.*s) ", MT_ARG(mt_buf_str(&declared)));
    }
    mt_buf_addf(&query, "{ %.*s", MT_ARG(root->name));
    if (given.len) {
        mt_buf_addf(&query, "(%.*s)", MT_ARG(mt_buf_str(&given)));
    }
    for (size_t i = 1; i < count; i++) {
        mt_buf_addf(&query, " { %.*s", MT_ARG(way[i]));
    }
    write_selection(&query, leaf, 0);
    for (size_t i = 0; i < count; i++) {
        mt_buf_addz(&query, " }");
    }
    mt_jw_begin_object(&w);
    if (r->param_count) {
        mt_jw_keyz(&w, "parameters");
        mt_jw_begin_array(&w);
        for (size_t i = 0; i < r->param_count; i++) {
            mt_jw_str(&w, r->params[i]);
        }
        mt_jw_end_array(&w);
    }
    mt_jw_key_str(&w, "query", mt_buf_str(&query));
    mt_jw_key_str(&w, "select", cn_dotted(r->build->arena, way, count));
    mt_jw_end_object(&w);
    mt_buf_free(&query);
    mt_buf_free(&given);
    mt_buf_free(&declared);
}

/* One field of the root; its own name is the first of every way, which is why its shape
 * is put inside an object with one member. */
static bool read_root(const schema *s, const field *f)
{
    mt_arena *a = s->b->arena;
    walk w = {.s = s};
    MT_VEC(mt_str) params = {0};
    for (size_t i = 0; i < f->argument_count; i++) {
        if (f->arguments[i].required && !f->arguments[i].is_text) {
            return true; /* a variable of that type cannot be given */
        }
        if (f->arguments[i].required) {
            mt_vec_push(a, &params, f->arguments[i].name);
        }
    }
    const cn_shape *shape = shape_of(&w, f);
    cn_shape *around = shape ? cn_shape_new(s->b, CN_OBJECT) : NULL;
    if (!around) {
        return false;
    }
    cn_member *only = mt_new(a, cn_member);
    *only = (cn_member){f->name, shape, f->note};
    around->members = only;
    around->member_count = 1;
    cn_request r = {.build = s->b,
                    .shown = MT_STR("query"),
                    .path = MT_STR(""),
                    .params = params.items,
                    .param_count = params.len,
                    .write = write_settings,
                    .state = f};
    return cn_add_places(&r, around);
}

/* The type that `schema { query: … }` or `queryType`
 * names; Query, where nothing names one. */
static bool add_roots(schema *s)
{
    const type *root = find_type(s, s->query.len ? s->query : MT_STR("Query"));
    if (!root || !root->fields) {
        return cn_fault(s->b, MT_E_SYNTAX, "it has no type Query");
    }
    for (size_t i = 0; i < root->count; i++) {
        if (!read_root(s, &root->fields[i])) {
            return false;
        }
    }
    return true;
}

bool cn_read_graphql_text(cn_build *b, mt_str text)
{
    schema s = {.b = b};
    reader r = {.s = &s, .rest = text, .start = text.ptr};
    for (next(&r); r.token.len;) {
        if (!read_definition(&r)) {
            return false;
        }
    }
    return add_roots(&s);
}

/* {"data": {"__schema": …}} as servers answer, or {"__schema": …} as tools save it. */
bool cn_read_graphql_json(cn_build *b, const mt_json *tree)
{
    schema s = {.b = b};
    const mt_json *data = mt_json_at(tree, "data");
    const mt_json *found = mt_json_at(data ? data : tree, "__schema");
    const mt_json *types = mt_json_at(found, "types");
    if (!mt_json_is(types, MT_JSON_ARRAY)) {
        return cn_fault(b, MT_E_SYNTAX, "it is not the answer to an introspection");
    }
    s.query = mt_text_at(mt_json_at(found, "queryType"), "name");
    for (uint32_t i = 0; i < types->count; i++) {
        if (!type_of_json(&s, &types->as.items[i])) {
            return false;
        }
    }
    return add_roots(&s);
}
