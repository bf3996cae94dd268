/* connect/sql.c - tables as CREATE TABLE describes them; live catalogs are written as
 * such text first.
 *
 * Read are CREATE TABLE, CREATE TYPE … AS ENUM, CHECK (column IN (…)) and COMMENT ON
 * COLUMN; every other statement is passed over. A column is a place, asked for by the
 * primary key of its table: SELECT column FROM table WHERE key = $1.
 *
 * Order: all statements first, then places, because a type or a comment may come after
 * the table. The reader knows no dialect: it takes the quotes of all of them ("a", `a`,
 * [a]) and passes over words that it does not know, so a clause of one database is not
 * a fault. Names keep the letters they are written with. What may fail: a bracket that
 * is not closed, a name that is missing where one must be, too many columns. */
#include "base/map.h"
#include "connect/build.h"
#include "connect/words.h"

/* Brackets inside each other in a CHECK or a default; columns of one primary key. */
enum { MOST_BRACKETS = 64, MOST_KEYS = 8 };

/* T_QUOTED is a quoted name, T_TEXT a quoted text, both without quotes; T_NUMBER is
 * whatever begins with a digit; T_SIGN is one byte. */
typedef enum token_kind {
    T_END,
    T_NAME,
    T_QUOTED,
    T_TEXT,
    T_NUMBER,
    T_SIGN
} token_kind;

typedef struct column {
    mt_str name;
    cn_shape *shape;
    mt_str note;
    mt_str type; /* an enum's name, to be found at the end */
    bool is_key;
    bool is_scaled; /* its second size is the digits behind the point */
} column;

typedef struct table {
    mt_str name, schema;
    column *columns;
    size_t count;
    mt_str from; /* " FROM table WHERE key = $1" */
} table;

typedef struct reader {
    cn_build *b;
    mt_str rest;
    token_kind kind;
    mt_str token;
    const char *start;
    MT_VEC(table) tables;
    mt_map enums;   /* name -> cn_shape with choices */
    mt_map columns; /* "table.column" -> column */
} reader;

/* ---- Tokens ---- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* White space and both kinds of comments. A
 * comment that is not closed goes to the end. */
static size_t pass_space(mt_str s)
{
    size_t i = 0;
    for (;;) {
        while (i < s.len && strchr(" \t\r\n\f", s.ptr[i])) {
            i++;
        }
        mt_str rest = mt_str_skip(s, i);
        if (mt_str_starts(rest, MT_STR("--"))) {
            i += mt_str_find(rest, '\n');
        } else if (mt_str_starts(rest, MT_STR("/*"))) {
            size_t end = 2;
            while (end + 1 < rest.len && memcmp(rest.ptr + end, "*/", 2)) {
                end++;
            }
            i += end + 2 < rest.len ? end + 2 : rest.len;
        } else {
            return i;
        }
    }
}

/* The end of what begins with a quote; a doubled quote stands for itself. */
static size_t quoted_length(mt_str s, char close)
{
    for (size_t i = 1; i < s.len; i++) {
        if (s.ptr[i] == close) {
            if (i + 1 < s.len && s.ptr[i + 1] == close) {
                i++;
                continue;
            }
            return i + 1;
        }
    }
    return s.len;
}

/* Without its quotes; doubled ones inside are one. */
static mt_str unquoted(mt_arena *a, mt_str inside, char close)
{
    if (mt_str_find(inside, close) == inside.len) {
        return inside;
    }
    char *to = mt_alloc(a, inside.len);
    size_t len = 0;
    for (size_t i = 0; i < inside.len; i++) {
        to[len++] = inside.ptr[i];
        i += inside.ptr[i] == close && i + 1 < inside.len && inside.ptr[i + 1] == close;
    }
    return mt_str_from(to, len);
}

/* The next token. A quote that is not closed takes the rest of the text. A sign that is
 * unknown is a token of one byte, so every call before the end gets further. */
static void next(reader *r)
{
    r->rest = mt_str_skip(r->rest, pass_space(r->rest));
    mt_str s = r->rest;
    char c = s.len ? s.ptr[0] : 0;
    size_t len = s.len > 0;
    r->kind = s.len ? T_SIGN : T_END;
    if (c == '\'' || c == '"' || c == '`' || c == '[') {
        char close = c == '[' ? ']' : c;
        len = quoted_length(s, close);
        r->kind = c == '\'' ? T_TEXT : T_QUOTED;
        r->token =
            unquoted(r->b->arena, mt_str_from(s.ptr + 1, len > 1 ? len - 2 : 0), close);
        r->rest = mt_str_skip(s, len);
        return;
    }
    if (s.len && is_word(c)) {
        while (len < s.len && is_word(s.ptr[len])) {
            len++;
        }
        r->kind = c >= '0' && c <= '9' ? T_NUMBER : T_NAME;
    }
    r->token = mt_str_from(s.ptr, len);
    r->rest = mt_str_skip(s, len);
}

static bool at_sign(const reader *r, char sign)
{
    return r->kind == T_SIGN && r->token.ptr[0] == sign;
}

/* In letters of either case. */
static bool is_named(mt_str name, const char *word)
{
    return name.len == strlen(word) && !strncasecmp(name.ptr, word, name.len);
}

static bool at_word(const reader *r, const char *word)
{
    return r->kind == T_NAME && is_named(r->token, word);
}

static bool take_sign(reader *r, char sign)
{
    bool there = at_sign(r, sign);
    if (there) {
        next(r);
    }
    return there;
}

/* Key words are known in letters of either case, and only where they are not quoted. */
static bool take_word(reader *r, const char *word)
{
    bool there = at_word(r, word);
    if (there) {
        next(r);
    }
    return there;
}

static bool syntax(reader *r, const char *what)
{
    size_t line = 1;
    for (const char *p = r->start; p < r->rest.ptr; p++) {
        line += *p == '\n';
    }
    return cn_fault(r->b, MT_E_SYNTAX, "line %zu: here must be %s", line, what);
}

static bool take_name(reader *r, mt_str *out)
{
    if (r->kind != T_NAME && r->kind != T_QUOTED) {
        return syntax(r, "a name");
    }
    *out = r->token;
    next(r);
    return true;
}

/* schema.name; of database.schema.name the last two are kept. */
static bool take_path(reader *r, mt_str *schema, mt_str *name)
{
    *schema = (mt_str){0};
    if (!take_name(r, name)) {
        return false;
    }
    while (take_sign(r, '.')) {
        *schema = *name;
        if (!take_name(r, name)) {
            return false;
        }
    }
    return true;
}

/* From '(' to behind its ')'. The token must be the '('. */
static bool pass_brackets(reader *r)
{
    size_t depth = 0;
    do {
        depth += at_sign(r, '(');
        depth -= at_sign(r, ')');
        if (r->kind == T_END || depth > MOST_BRACKETS) {
            return syntax(r, "a closing bracket, and not so many");
        }
        next(r);
    } while (depth);
    return true;
}

/* To behind the next ';'. A ';' inside the body of a function, $$ … $$, ends it early;
 * what then follows is passed over as a statement of its own. */
static bool pass_statement(reader *r)
{
    while (r->kind != T_END && !at_sign(r, ';')) {
        next(r);
    }
    take_sign(r, ';');
    return true;
}

/* ---- Types ---- */

/* Names of types in PostgreSQL, SQLite, MySQL, SQL Server and the
 * standard. Of CN_ANY nothing is said that a comparison could
 * use. A name that is missing may be an enum of the document. */
static const struct sql_type {
    const char *name;
    cn_kind kind;
} TYPES[] = {
    {"bool", CN_BOOL},      {"boolean", CN_BOOL},       {"bit", CN_BOOL},
    {"int", CN_WHOLE},      {"integer", CN_WHOLE},      {"int2", CN_WHOLE},
    {"int4", CN_WHOLE},     {"int8", CN_WHOLE},         {"bigint", CN_WHOLE},
    {"smallint", CN_WHOLE}, {"tinyint", CN_WHOLE},      {"mediumint", CN_WHOLE},
    {"serial", CN_WHOLE},   {"bigserial", CN_WHOLE},    {"smallserial", CN_WHOLE},
    {"numeric", CN_REAL},   {"decimal", CN_REAL},       {"dec", CN_REAL},
    {"real", CN_REAL},      {"double", CN_REAL},        {"float", CN_REAL},
    {"float4", CN_REAL},    {"float8", CN_REAL},        {"number", CN_REAL},
    {"text", CN_TEXT},      {"varchar", CN_TEXT},       {"character", CN_TEXT},
    {"char", CN_TEXT},      {"citext", CN_TEXT},        {"clob", CN_TEXT},
    {"nvarchar", CN_TEXT},  {"uuid", CN_TEXT},          {"string", CN_TEXT},
    {"date", CN_DATE},      {"timestamptz", CN_MOMENT}, {"timestamp", CN_LOCAL},
    {"datetime", CN_LOCAL}, {"json", CN_ANY},           {"jsonb", CN_ANY},
    {"bytea", CN_ANY},      {"blob", CN_ANY},           {"interval", CN_ANY},
    {"money", CN_ANY},      {"time", CN_ANY},           {"inet", CN_ANY},
};

static bool find_kind(mt_str name, cn_kind *out)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        if (is_named(name, TYPES[i].name)) {
            *out = TYPES[i].kind;
            return true;
        }
    }
    return false;
}

/* Not of a float, whose only size is its precision in bits. */
static bool is_scaled(mt_str name)
{
    return is_named(name, "numeric") || is_named(name, "decimal") ||
           is_named(name, "dec") || is_named(name, "number");
}

/* Only the first nine digits count: a size is
 * never so large, and the sum must not overflow. */
static size_t number_of(mt_str text)
{
    size_t value = 0;
    for (size_t i = 0; i < text.len && i < 9; i++) {
        value = text.ptr[i] >= '0' && text.ptr[i] <= '9'
                    ? value * 10 + (size_t)(text.ptr[i] - '0')
                    : 0;
    }
    return value;
}

/* varchar(40), numeric(12, 2): a scale of zero is a whole number. */
static bool read_size(reader *r, const column *c)
{
    cn_shape *s = c->shape;
    size_t sizes[2] = {0}, count = 0;
    if (!at_sign(r, '(')) {
        return true;
    }
    for (next(r); !take_sign(r, ')'); next(r)) {
        if (r->kind == T_END) {
            return syntax(r, "')'");
        }
        if (r->kind == T_NUMBER && count < 2) {
            sizes[count++] = number_of(r->token);
        }
    }
    if (s->kind == CN_TEXT) {
        s->max_length = sizes[0];
    } else if (c->is_scaled && s->kind == CN_REAL && count && !sizes[1]) {
        s->kind = CN_WHOLE;
    }
    return true;
}

/* int[], int[3], int ARRAY[3]: the brackets are read as the quotes of a name. Of an
 * array nothing is said, also if its elements are an enum's. */
static bool take_array(reader *r, column *c)
{
    bool brackets = r->kind == T_QUOTED;
    for (size_t i = 0; brackets && i < r->token.len; i++) {
        brackets = r->token.ptr[i] >= '0' && r->token.ptr[i] <= '9';
    }
    if (!brackets && !at_word(r, "array")) {
        return false;
    }
    c->shape->kind = CN_ANY;
    c->type = (mt_str){0};
    next(r);
    return true;
}

/* with time zone, without time zone, precision, varying, unsigned, [] */
static bool read_rest_of_type(reader *r, column *c)
{
    for (;;) {
        if (take_word(r, "with")) {
            c->shape->kind = c->shape->kind == CN_LOCAL ? CN_MOMENT : c->shape->kind;
        } else if (at_sign(r, '(')) {
            if (!read_size(r, c)) {
                return false;
            }
        } else if (!take_array(r, c) && !take_word(r, "without") &&
                   !take_word(r, "time") && !take_word(r, "zone") &&
                   !take_word(r, "local") && !take_word(r, "precision") &&
                   !take_word(r, "varying") && !take_word(r, "unsigned") &&
                   !take_word(r, "signed")) {
            return true;
        }
    }
}

/* ('open', 'paid'): the words of an enum. Everything that is not text between the
 * brackets is passed over. Without words the shape stays as it is. */
static bool read_texts(reader *r, cn_shape *s)
{
    MT_VEC(mt_str) texts = {0};
    if (!take_sign(r, '(')) {
        return true;
    }
    while (!take_sign(r, ')')) {
        if (r->kind == T_END) {
            return syntax(r, "')'");
        }
        if (r->kind == T_TEXT) {
            mt_vec_push(r->b->arena, &texts, r->token);
        }
        next(r);
    }
    if (texts.len) {
        s->kind = CN_CHOICE;
        s->choices = texts.items;
        s->choice_count = texts.len;
    }
    return true;
}

/* A type that is not in TYPES is remembered by
 * name until all CREATE TYPE have been read. */
static bool read_type(reader *r, column *c)
{
    mt_str schema, name;
    if (r->kind != T_NAME && r->kind != T_QUOTED) {
        return true; /* SQLite needs none */
    }
    if (!take_path(r, &schema, &name)) {
        return false;
    }
    bool listed = mt_str_is(name, "enum") || mt_str_is(name, "ENUM");
    if (listed && !read_texts(r, c->shape)) {
        return false;
    }
    if (!listed && !find_kind(name, &c->shape->kind)) {
        c->type = name;
    }
    c->is_scaled = is_scaled(name);
    return read_rest_of_type(r, c);
}

/* ---- Tables ---- */

/* CHECK (status IN ('a', 'b')): the words of a column. The column is the last name
 * before IN that is one of `names`; what else the condition says is passed over. */
static bool read_check(reader *r, const mt_map *names)
{
    size_t depth = 0;
    cn_shape *about = NULL;
    do {
        depth += at_sign(r, '(');
        depth -= at_sign(r, ')');
        if (r->kind == T_END || depth > MOST_BRACKETS) {
            return syntax(r, "a closing bracket, and not so many");
        }
        if (r->kind == T_NAME || r->kind == T_QUOTED) {
            const mt_map_entry *e = mt_map_find(names, r->token);
            about = e ? (cn_shape *)e->value : about;
        }
        bool in = at_word(r, "in");
        next(r);
        if (in && about && at_sign(r, '(') && !read_texts(r, about)) {
            return false;
        }
    } while (depth);
    return true;
}

static bool at_constraint_end(const reader *r)
{
    return r->kind == T_END || at_sign(r, ',') || at_sign(r, ')');
}

/* `status TEXT NOT NULL DEFAULT 'open' CHECK (…)`: name, type, then constraints in any
 * order, of which the unknown ones are passed over. All columns are `from_text`, as
 * databases answer with text. */
static bool read_column(reader *r, column *c)
{
    c->shape = cn_shape_new(r->b, CN_ANY);
    if (!c->shape) {
        return false;
    }
    c->shape->nullable = c->shape->from_text = true;
    if (!take_name(r, &c->name) || !read_type(r, c)) {
        return false;
    }
    while (!at_constraint_end(r)) {
        if (take_word(r, "not")) {
            c->shape->nullable &= !at_word(r, "null");
        } else if (take_word(r, "primary")) {
            c->is_key = true;
            c->shape->nullable = false;
        } else if (take_word(r, "check")) {
            mt_map own = {0};
            mt_map_put(r->b->arena, &own, c->name, (uintptr_t)c->shape);
            if (!read_check(r, &own)) {
                return false;
            }
        } else if (take_word(r, "comment")) {
            c->note = r->kind == T_TEXT ? r->token : c->note;
        } else if (at_sign(r, '(')) {
            if (!pass_brackets(r)) {
                return false;
            }
        } else {
            next(r);
        }
    }
    return true;
}

/* The columns of the table that is being read, found by name for its constraints. */
typedef struct column_list {
    column *items;
    size_t len, cap;
    mt_map shapes; /* by name */
    mt_map places; /* index + 1, by name */
} column_list;

/* PRIMARY KEY (a, b), after the word PRIMARY. */
static bool read_key(reader *r, column_list *list)
{
    take_word(r, "key");
    if (!take_sign(r, '(')) {
        return true;
    }
    while (!take_sign(r, ')')) {
        uintptr_t at = mt_map_get(&list->places, r->token, 0);
        if (at) {
            list->items[at - 1].is_key = true;
            list->items[at - 1].shape->nullable = false;
        }
        if (r->kind == T_END) {
            return syntax(r, "')'");
        }
        next(r);
    }
    return true;
}

/* A constraint of the table; false in *found when it is a column. */
static bool read_constraint(reader *r, column_list *list, bool *found)
{
    static const char *const WORDS[] = {"constraint", "primary", "unique",
                                        "foreign",    "check",   "exclude",
                                        "key",        "index",   "like"};
    *found = false;
    for (size_t i = 0; r->kind == T_NAME && i < sizeof WORDS / sizeof *WORDS; i++) {
        *found |= at_word(r, WORDS[i]);
    }
    while (*found && !at_constraint_end(r)) {
        bool good = true;
        if (take_word(r, "primary")) {
            good = read_key(r, list);
        } else if (take_word(r, "check")) {
            good = read_check(r, &list->shapes);
        } else if (at_sign(r, '(')) {
            good = pass_brackets(r);
        } else {
            next(r);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

/* The columns are in the map only when the vector
 * does not grow any more: it holds pointers into it. */
static bool read_table(reader *r)
{
    table t = {0};
    column_list list = {0};
    if (take_word(r, "if")) {
        take_word(r, "not");
        take_word(r, "exists");
    }
    if (!take_path(r, &t.schema, &t.name)) {
        return false;
    }
    if (!take_sign(r, '(')) {
        return pass_statement(r); /* AS SELECT, PARTITION OF */
    }
    while (!take_sign(r, ')')) {
        bool constraint;
        if (!read_constraint(r, &list, &constraint)) {
            return false;
        }
        if (!constraint) {
            column c = {0};
            if (!read_column(r, &c)) {
                return false;
            }
            mt_vec_push(r->b->arena, &list, c);
            mt_map_put(r->b->arena, &list.shapes, c.name, (uintptr_t)c.shape);
            mt_map_put(r->b->arena, &list.places, c.name, list.len);
        }
        if (!take_sign(r, ',') && !at_sign(r, ')')) {
            return syntax(r, "',' or ')'");
        }
    }
    t.columns = list.items;
    t.count = list.len;
    for (size_t i = 0; i < t.count; i++) {
        mt_map_put(r->b->arena, &r->columns,
                   mt_strf(r->b->arena, "%.*s.%.*s", MT_ARG(t.name),
                           MT_ARG(t.columns[i].name)),
                   (uintptr_t)&t.columns[i]);
    }
    mt_vec_push(r->b->arena, &r->tables, t);
    return pass_statement(r);
}

/* Other types (composite ones, domains) are
 * passed over; their columns stay "anything". */
static bool read_enum(reader *r)
{
    mt_str schema, name;
    if (!take_path(r, &schema, &name)) {
        return false;
    }
    if (take_word(r, "as") && take_word(r, "enum")) {
        cn_shape *s = cn_shape_new(r->b, CN_ANY);
        if (!s || !read_texts(r, s)) {
            return false;
        }
        mt_map_put(r->b->arena, &r->enums, name, (uintptr_t)s);
    }
    return pass_statement(r);
}

/* COMMENT ON COLUMN table.column IS 'text'. The schema before the table is not
 * compared: of two tables of one name the later has the comments of both. */
static bool read_comment(reader *r)
{
    mt_str names[2], about, name = {0};
    if (!take_word(r, "on") || !take_word(r, "column")) {
        return pass_statement(r);
    }
    about = (mt_str){0};
    names[0] = names[1] = about;
    if (!take_name(r, &name)) {
        return false;
    }
    names[1] = name;
    while (take_sign(r, '.')) {
        names[0] = names[1];
        if (!take_name(r, &names[1])) {
            return false;
        }
    }
    if (take_word(r, "is") && r->kind == T_TEXT) {
        about = r->token;
        about.len = about.len < 300 ? about.len : 300;
    }
    mt_mark mark = mt_arena_mark(r->b->arena);
    const mt_map_entry *e =
        mt_map_find(&r->columns, mt_strf(r->b->arena, "%.*s.%.*s", MT_ARG(names[0]),
                                         MT_ARG(names[1])));
    mt_arena_rewind(r->b->arena, mark);
    if (e) {
        ((column *)e->value)->note = about;
    }
    return pass_statement(r);
}

/* Words between CREATE and TABLE say how it is stored, not what is in it. */
static bool read_statement(reader *r)
{
    if (take_word(r, "create")) {
        while (take_word(r, "temporary") || take_word(r, "temp") ||
               take_word(r, "unlogged") || take_word(r, "global") ||
               take_word(r, "local")) {
        }
        return take_word(r, "table")  ? read_table(r)
               : take_word(r, "type") ? read_enum(r)
                                      : pass_statement(r);
    }
    return take_word(r, "comment") ? read_comment(r) : pass_statement(r);
}

/* ---- Places ---- */

/* Plain lower-case names stand for themselves in every dialect. */
static void put_name(mt_buf *out, mt_str name)
{
    bool plain = name.len && !(name.ptr[0] >= '0' && name.ptr[0] <= '9');
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        plain &= (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
    }
    if (plain) {
        mt_buf_adds(out, name);
        return;
    }
    mt_buf_addc(out, '"');
    for (size_t i = 0; i < name.len; i++) {
        mt_buf_addc(out, name.ptr[i]);
        if (name.ptr[i] == '"') {
            mt_buf_addc(out, '"');
        }
    }
    mt_buf_addc(out, '"');
}

/* " FROM table WHERE key = $1", the same for every column of the table. */
static mt_str from_of(mt_arena *a, const table *t)
{
    mt_buf b = {0};
    size_t number = 0;
    mt_buf_addz(&b, " FROM ");
    if (t->schema.len) {
        put_name(&b, t->schema);
        mt_buf_addc(&b, '.');
    }
    put_name(&b, t->name);
    for (size_t i = 0; i < t->count; i++) {
        if (t->columns[i].is_key) {
            bool whole = t->columns[i].shape->kind == CN_WHOLE;
            mt_buf_addz(&b, number++ ? " AND " : " WHERE ");
            put_name(&b, t->columns[i].name);
            mt_buf_addf(&b, whole ? " = CAST($%zu AS bigint)" : " = $%zu", number);
        }
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* {"parameters":["order_id"],"query":"SELECT total
 * FROM orders WHERE id = CAST($1 AS bigint)"} */
static mt_str settings_of(mt_arena *a, const table *t, mt_str expression,
                          const mt_str *params, size_t count)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    if (count) {
        mt_jw_keyz(&w, "parameters");
        mt_jw_begin_array(&w);
        for (size_t i = 0; i < count; i++) {
            mt_jw_str(&w, params[i]);
        }
        mt_jw_end_array(&w);
    }
    mt_jw_key_str(&w, "query",
                  mt_strf(a, "SELECT %.*s%.*s", MT_ARG(expression), MT_ARG(t->from)));
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* `id` of orders is called order_id, so that it means an entity Order. */
static mt_str param_name(mt_arena *a, const table *t, mt_str key)
{
    if (!mt_str_is(key, "id") && !mt_str_is(key, "ID") && !mt_str_is(key, "Id")) {
        return cn_snake(a, key);
    }
    return mt_strf(a, "%.*s_id", MT_ARG(cn_singular(a, cn_snake(a, t->name))));
}

/* A moment that has no zone is taken as UTC, which the proposal says. */
static mt_str expression_of(mt_arena *a, const column *c)
{
    mt_buf b = {0};
    bool local = c->shape->kind == CN_LOCAL;
    mt_buf_addz(&b, local ? "CAST(" : "");
    put_name(&b, c->name);
    mt_buf_addz(&b, local ? " AS text) || 'Z'" : "");
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* Now the enums are known, whatever came first in the text. Every column has a shape,
 * and shapes are counted, so there cannot be too many places. */
static void add_column(reader *r, const table *t, const column *c, const mt_str *params,
                       size_t count)
{
    mt_arena *a = r->b->arena;
    mt_str *names = mt_new_array(a, mt_str, 2);
    names[0] = t->name;
    names[1] = c->name;
    if (c->type.len) {
        const cn_shape *found =
            (const cn_shape *)mt_map_get(&r->enums, c->type, (uintptr_t)NULL);
        if (found) {
            c->shape->kind = CN_CHOICE;
            c->shape->choices = found->choices;
            c->shape->choice_count = found->choice_count;
        }
    }
    cn_place p = {.shape = c->shape,
                  .shown = mt_strf(a, "%.*s.%.*s", MT_ARG(t->name), MT_ARG(c->name)),
                  .names = names,
                  .name_count = 2,
                  .around = 1,
                  .settings = settings_of(a, t, expression_of(a, c), params, count),
                  .params = params,
                  .param_count = count,
                  .path = mt_strf(a, "%.*s.%.*s", MT_ARG(t->name), MT_ARG(c->name)),
                  .note = c->note};
    mt_vec_push(a, &r->b->places, p);
}

/* A table without a primary key is offered
 * without parameters: it may have a single row. */
static void add_table(reader *r, table *t)
{
    mt_arena *a = r->b->arena;
    t->from = from_of(a, t);
    MT_VEC(mt_str) params = {0};
    for (size_t i = 0; i < t->count; i++) {
        if (t->columns[i].is_key && params.len == MOST_KEYS) {
            return; /* nobody asks by so many */
        }
        if (t->columns[i].is_key) {
            mt_vec_push(a, &params, param_name(a, t, t->columns[i].name));
        }
    }
    for (size_t i = 0; i < t->count; i++) {
        add_column(r, t, &t->columns[i], params.items, params.len);
    }
}

bool cn_read_sql(cn_build *b, mt_str text)
{
    reader r = {.b = b, .rest = text, .start = text.ptr};
    for (next(&r); r.kind != T_END;) {
        if (!read_statement(&r)) {
            return false;
        }
    }
    for (size_t i = 0; i < r.tables.len; i++) {
        add_table(&r, &r.tables.items[i]);
    }
    return true;
}
