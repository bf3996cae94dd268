/* What documents offer: the kind of each place, and how it is asked for. */
#include "../rows.h"

#include "connect/document.h"

static mt_arena arena;

/* NULL: the document has no such place. */
static const cn_place *place_in(cn_format format, const char *text, const char *shown)
{
    mt_buf why = {0};
    cn_document d;
    mt_limits limits = MT_LIMITS_DEFAULT;
    assert_int_equal(cn_read(&arena, format, MT_STR("a"), mt_str_z(text), &limits, NULL,
                             NULL, &why, &d),
                     MT_OK);
    mt_buf_free(&why);
    for (size_t i = 0; i < d.count; i++) {
        if (mt_str_eq(d.places[i].shown, mt_str_z(shown))) {
            return &d.places[i];
        }
    }
    return NULL;
}

static const struct column_row {
    const char *name, *type;
    cn_kind kind;
} COLUMNS[] = {
    {"a float's size counts bits", "float(53)", CN_REAL},
    {"whatever its letters", "FLOAT(24)", CN_REAL},
    {"a double has digits behind the point", "double precision", CN_REAL},
    {"a decimal without a scale is whole", "numeric(12)", CN_WHOLE},
    {"a scale of zero is whole", "DECIMAL(12, 0)", CN_WHOLE},
    {"a scale is not", "numeric(12, 2)", CN_REAL},
    {"no size says nothing", "numeric", CN_REAL},
    {"an array is not its element", "int[]", CN_ANY},
    {"nor one with a size", "int[3]", CN_ANY},
    {"nor one of two dimensions", "int[3][3]", CN_ANY},
    {"nor one of the standard", "int ARRAY[4]", CN_ANY},
    {"nor one without a size", "numeric(12) array", CN_ANY},
    {"an enum has words", "colour", CN_CHOICE},
    {"an array of enums has none", "colour[]", CN_ANY},
    {"nor has one with a size", "colour[2] NOT NULL", CN_ANY},
};

static void is_of_kind(void **state)
{
    const struct column_row *row = *state;
    mt_str text = mt_strf(&arena,
                          "CREATE TYPE colour AS ENUM ('red', 'blue');"
                          "CREATE TABLE t (id int PRIMARY KEY, c %s);%c",
                          row->type, 0);
    const cn_place *p = place_in(CN_SQL, text.ptr, "t.c");
    assert_non_null(p);
    assert_string_equal(CN_KIND_NAMES[p->shape->kind], CN_KIND_NAMES[row->kind]);
}

/* The least limit that lets a text through has no more places than it; one below it
 * says so. */
static void the_number_of_columns_has_an_edge(void **state)
{
    static const char TEXT[] = "CREATE TYPE e AS ENUM ('a');"
                               "CREATE TABLE t (id int PRIMARY KEY, a e, b e);"
                               "CREATE TABLE u (id int PRIMARY KEY);";
    mt_limits limits = MT_LIMITS_DEFAULT;
    cn_document d;
    (void)state;
    for (limits.connect_places = 0; limits.connect_places <= 5;
         limits.connect_places++) {
        mt_buf why = {0};
        mt_err err = cn_read(&arena, CN_SQL, MT_STR("a"), mt_str_z(TEXT), &limits, NULL,
                             NULL, &why, &d);
        assert_int_equal(err, limits.connect_places < 5 ? MT_E_LIMIT : MT_OK);
        assert_int_equal(why.len > 0, err != MT_OK);
        mt_buf_free(&why);
    }
    assert_int_equal(d.count, 4);
}

/* A document of one path with these parameters of the path and of its GET. */
#define PATH(path, get)                                                                \
    "{\"openapi\":\"3.0.0\",\"paths\":{\"/orders\":{\"parameters\":[" path             \
    "],\"get\":{\"parameters\":[" get                                                  \
    "],\"responses\":{\"200\":{\"content\":{\"application/json\":{\"schema\":"         \
    "{\"properties\":{\"total\":{\"type\":\"integer\"}}}}}}}}}},"                      \
    "\"components\":{\"parameters\":{\"shop\":" SHOP("true") "}}}"
#define SHOP(must) "{\"name\":\"shop\",\"in\":\"query\",\"required\":" must "}"

static const struct asked_row {
    const char *name;
    cn_format format;
    const char *text, *shown, *settings;
} ASKED[] = {
    {"a parameter of the path item", CN_OPENAPI, PATH(SHOP("true"), ""),
     "GET /orders?shop={shop} total",
     "{\"resource\":\"orders?shop={shop}\",\"select\":\"total\"}"},
    {"the same of the operation", CN_OPENAPI, PATH("", SHOP("true")),
     "GET /orders?shop={shop} total",
     "{\"resource\":\"orders?shop={shop}\",\"select\":\"total\"}"},
    {"of both it is one", CN_OPENAPI, PATH(SHOP("true"), SHOP("true")),
     "GET /orders?shop={shop} total",
     "{\"resource\":\"orders?shop={shop}\",\"select\":\"total\"}"},
    {"by a reference it is, too", CN_OPENAPI,
     PATH(SHOP("true"), "{\"$ref\":\"#/components/parameters/shop\"}"),
     "GET /orders?shop={shop} total",
     "{\"resource\":\"orders?shop={shop}\",\"select\":\"total\"}"},
    {"what the operation says counts", CN_OPENAPI, PATH(SHOP("true"), SHOP("false")),
     "GET /orders total", "{\"resource\":\"orders\",\"select\":\"total\"}"},
    {"a header of that name is another", CN_OPENAPI,
     PATH(SHOP("true"), "{\"name\":\"shop\",\"in\":\"header\",\"required\":true}"),
     "GET /orders?shop={shop} total",
     "{\"resource\":\"orders?shop={shop}\",\"select\":\"total\"}"},
    {"an object is asked for by its members", CN_GRAPHQL,
     "type Query { a: A } type A { total: Int b: B } type B { name: String }",
     "query a", "{\"query\":\"{ a { total b { name } } }\",\"select\":\"a\"}"},
    {"but not by one that leads back", CN_GRAPHQL,
     "type Query { a: A } type A { total: Int b: B } type B { a: A c: C } type C { a: "
     "A }",
     "query a", "{\"query\":\"{ a { total } }\",\"select\":\"a\"}"},
    {"nor in a list", CN_GRAPHQL,
     "type Query { a: A } type A { b: [B!] total: Int } type B { a: [A] }", "query a",
     "{\"query\":\"{ a { total } }\",\"select\":\"a\"}"},
};

static void is_asked_for(void **state)
{
    const struct asked_row *row = *state;
    const cn_place *p = place_in(row->format, row->text, row->shown);
    assert_non_null(p);
    assert_text(p->settings, mt_str_z(row->settings));
}

/* Everything that is known of a place, on one line. */
static void tell_place(mt_buf *out, const cn_place *p)
{
    const cn_shape *s = p->shape;
    mt_buf_addf(out, "%.*s: %s%s%s%s", MT_ARG(p->shown), CN_KIND_NAMES[s->kind],
                s->nullable ? ", or null" : "", s->as_text ? ", as text" : "",
                s->from_text ? ", from text" : "");
    if (s->has_range) {
        mt_buf_addf(out, " %lld..%lld", (long long)s->least, (long long)s->most);
    }
    if (s->max_length) {
        mt_buf_addf(out, " <=%zu", s->max_length);
    }
    for (size_t i = 0; i < s->choice_count; i++) {
        mt_buf_addf(out, "%s%.*s", i ? "|" : " ", MT_ARG(s->choices[i]));
    }
    mt_buf_addf(out, " (%.*s", MT_ARG(p->path));
    for (size_t i = 0; i < p->param_count; i++) {
        mt_buf_addf(out, " {%.*s}", MT_ARG(p->params[i]));
    }
    mt_buf_addf(out, ")%s%.*s\n", p->note.len ? " " : "", MT_ARG(p->note));
}

#define API(schemas, answer)                                                           \
    "{\"openapi\":\"3.0.0\",\"paths\":{\"/a\":{\"get\":{\"responses\":{\"200\":"       \
    "{\"content\":{\"application/json\":{\"schema\":" answer "}}}}}}},"                \
    "\"components\":{\"schemas\":{" schemas "}}}"
#define MEMBERS(members) "{\"properties\":{" members "}}"

/* clang-format off */
static const struct told_row {
    const char *name;
    cn_format format;
    const char *text, *told;
} TOLD[] = {
    {"extensions of a type join it, however many", CN_GRAPHQL,
     "type Query { a: A! } type A { one: Int! } extend type A { two: Int! three: Int! } "
     "extend type A { four: Int! } extend type B { x: Int } extend type Query { b: Float! }",
     "query a: an object (.a)\n"
     "query a.one: a whole number (.a.one)\n"
     "query a.two: a whole number (.a.two)\n"
     "query a.three: a whole number (.a.three)\n"
     "query a.four: a whole number (.a.four)\n"
     "query b: a number (.b)\n"},
    {"descriptions in one line and in many, with quotes inside", CN_GRAPHQL,
     "type Query { \"say \\\"it\\\" now\" a: Int! \"\"\"two \"words\" here\"\"\" b: Int! }",
     "query a: a whole number (.a) say \\\"it\\\" now\n"
     "query b: a whole number (.b) two \"words\" here\n"},
    {"descriptions that end in a quote, and empty ones", CN_GRAPHQL,
     "type Query { \"say \\\"it\\\"\" a: Int! \"\" b: Int! \"\"\"\"\"\" c: Int! }",
     "query a: a whole number (.a) say \\\"it\\\"\n"
     "query b: a whole number (.b)\n"
     "query c: a whole number (.c)\n"},
    {"comments, commas and lists of lists", CN_GRAPHQL,
     "# first\n# second\ntype Query { a: Int!, # third\n b: [[Int!]!]!, c: [Int] }",
     "query a: a whole number (.a)\n"
     "query b: a list (.b)\n"
     "query c: a list, or null (.c)\n"},
    {"arguments with values of every kind, and directives", CN_GRAPHQL,
     "type Query { a(x: Int = -1, y: Float = 1.5, z: [Int] = [1, 2], o: In = {p: 1}, "
     "id: ID! @d(a: [1]), s: String!): A! } type A { t: Int! @old }",
     "query a: an object (.a {id} {s})\n"
     "query a.t: a whole number (.a.t {id} {s})\n"},
    {"what needs more than text is not offered", CN_GRAPHQL,
     "type Query { a(n: Int!): Int b(l: [ID!]!): Int c(i: In!): Int d(s: String): Int }",
     "query d: a whole number, or null (.d)\n"},
    {"what needs arguments inside is not offered", CN_GRAPHQL,
     "type Query { a: A! } type A { b(x: Int!): Int c(x: Int): Int d: Int }",
     "query a: an object (.a)\n"
     "query a.c: a whole number, or null (.a.c)\n"
     "query a.d: a whole number, or null (.a.d)\n"},
    {"the root has the name that the schema gives it", CN_GRAPHQL,
     "schema @a { mutation: M query: Root } type Root { a: Int } type Query { b: Int } "
     "type M { c: Int }",
     "query a: a whole number, or null (.a)\n"},
    {"other definitions are passed over", CN_GRAPHQL,
     "directive @a(b: Int) on FIELD input I { a: Int = 3 } union U = A | B scalar S "
     "enum E { \"one\" RED @x BLUE } interface N { i: Int } type Query { e: E! s: S! u: U }",
     "query e: one of several words RED|BLUE (.e)\n"
     "query s: anything (.s)\n"
     "query u: anything, or null (.u)\n"},
    {"parts of a schema are one value", CN_OPENAPI,
     API("\"a/b~c\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9}",
         MEMBERS("\"one\":{\"oneOf\":[{\"type\":\"null\"},{\"type\":\"string\",\"maxLength\":5}]},"
                 "\"ref\":{\"$ref\":\"#/components/schemas/a~1b~0c\"},"
                 "\"two\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]},"
                 "\"all\":{\"allOf\":[{\"type\":\"string\",\"nullable\":true}]},"
                 "\"any\":{\"anyOf\":[{\"type\":\"string\",\"nullable\":true}]},"
                 "\"both\":{\"allOf\":[" MEMBERS("\"x\":{\"type\":\"boolean\"}") ","
                 MEMBERS("\"y\":{\"type\":\"boolean\"}") "]}")),
     "GET /a one: text, or null <=5 (a.one)\n"
     "GET /a ref: a whole number 1..9 (a.ref)\n"
     "GET /a two: anything (a.two)\n"
     "GET /a all: text, or null (a.all)\n"
     "GET /a any: text, or null (a.any)\n"
     "GET /a both: an object (a.both)\n"
     "GET /a both.x: true or false (a.both.x)\n"
     "GET /a both.y: true or false (a.both.y)\n"},
    {"words and patterns", CN_OPENAPI,
     API("", MEMBERS("\"e\":{\"type\":\"string\",\"enum\":[\"a\",null,\"b\",3]},"
                     "\"m\":{\"type\":\"string\",\"pattern\":\"^\\\\d+\\\\.\\\\d{2}$\"},"
                     "\"n\":{\"type\":\"string\",\"pattern\":\"^[0-9]+$\"},"
                     "\"w\":{\"type\":\"string\",\"pattern\":\"^[a-z.9]+$\"},"
                     "\"half\":{\"type\":\"integer\",\"minimum\":1},"
                     "\"a.b\":{\"type\":\"integer\"},\"{c}\":{\"type\":\"integer\"},"
                     "\"day\":{\"type\":\"string\",\"format\":\"date\",\"description\":\"when\"}")),
     "GET /a e: one of several words, or null a|b (a.e)\n"
     "GET /a m: a number, as text (a.m)\n"
     "GET /a n: text (a.n)\n"
     "GET /a w: text (a.w)\n"
     "GET /a half: a whole number (a.half)\n"
     "GET /a day: a date (a.day) when\n"},
    {"eight names lead inside, and no more", CN_OPENAPI,
     API("",
         MEMBERS("\"a\":" MEMBERS("\"b\":" MEMBERS("\"c\":" MEMBERS("\"d\":" MEMBERS("\"e\":"
         MEMBERS("\"f\":" MEMBERS("\"g\":" MEMBERS("\"h\":" MEMBERS("\"i\":" "{\"type\":\"integer\"}")))))))))),
     "GET /a a: an object (a.a)\n"
     "GET /a a.b: an object (a.a.b)\n"
     "GET /a a.b.c: an object (a.a.b.c)\n"
     "GET /a a.b.c.d: an object (a.a.b.c.d)\n"
     "GET /a a.b.c.d.e: an object (a.a.b.c.d.e)\n"
     "GET /a a.b.c.d.e.f: an object (a.a.b.c.d.e.f)\n"
     "GET /a a.b.c.d.e.f.g: an object (a.a.b.c.d.e.f.g)\n"
     "GET /a a.b.c.d.e.f.g.h: an object (a.a.b.c.d.e.f.g.h)\n"},
    {"a path without a plain answer is passed over", CN_OPENAPI,
     "{\"openapi\":\"3.0.0\",\"paths\":{\"x\":1,\"/none\":{\"get\":{\"responses\":{}}},"
     "\"/b\":{\"get\":{\"responses\":{\"200\":{\"content\":{\"application/json\":{\"schema\":"
     MEMBERS("\"t\":{\"type\":\"integer\"}") "}}}}}}}}",
     "GET /b t: a whole number (b.t)\n"},
    {"an extension of a type that is not ended", CN_GRAPHQL, "type Query { a: Int } extend type A { b: [Int }",
     "line 1: here must be ']', not '}'"},
    {"an argument that is none", CN_GRAPHQL, "type Query { a(: Int): Int }",
     "line 1: here must be a name, not ':'"},
    {"a value that is not ended", CN_GRAPHQL, "type Query { a(x: In = {p: [1}): Int",
     "line 1: here must be a name, not ':'"},
    {"a directive without a name", CN_GRAPHQL, "type Query { a: Int @() }",
     "line 1: here must be a name, not '('"},
    {"an enum without its words", CN_GRAPHQL, "enum E type Query { a: E }",
     "line 1: here must be an enum, not 'type'"},
    {"a word of an enum that is none", CN_GRAPHQL, "enum E { RED = } type Query { a: E }",
     "line 1: here must be a name, not '='"},
    {"a root that is none", CN_GRAPHQL, "schema { query Root } type Root { a: Int }",
     "line 1: here must be a root, not 'Root'"},
    {"roots without a brace", CN_GRAPHQL, "schema query: Root type Root { a: Int }",
     "line 1: here must be '{', not 'query'"},
    {"a field without a type", CN_GRAPHQL, "type Query { a }",
     "line 1: here must be ':', not '}'"},
    {"a string that is not ended", CN_GRAPHQL, "type Query { \"a: Int }",
     "line 1: here must be a name, not ''"},
    {"a definition that is none", CN_GRAPHQL, "kind Query { a: Int }",
     "line 1: here must be a definition, not 'Query'"},
    {"an input that is not ended", CN_GRAPHQL, "input I { a: Int type Query { a: Int }",
     "line 1: here must be a closing bracket, not ''"},
    {"a table that is not ended", CN_SQL, "CREATE TABLE t (id int PRIMARY KEY, c text",
     "line 1: here must be ',' or ')'"},
    {"columns without a comma", CN_SQL, "CREATE TABLE t (id int, (c) text)",
     "line 1: here must be a name"},
    {"a check that is not ended", CN_SQL, "CREATE TABLE t (id int CHECK (id IN ('a')",
     "line 1: here must be a closing bracket, and not so many"},
    {"words that are none", CN_SQL, "CREATE TABLE t (id int, c enum(1, 2))",
     "t.id: a whole number, or null, from text (t.id)\n"
     "t.c: anything, or null, from text (t.c)\n"},
    {"an enum without words", CN_SQL, "CREATE TYPE e AS ENUM 5; CREATE TABLE t (id int)",
     "t.id: a whole number, or null, from text (t.id)\n"},
    {"a table without a name", CN_SQL, "CREATE TABLE (id int)",
     "line 1: here must be a name"},
    {"a default that is not ended", CN_SQL, "CREATE TABLE t (id int DEFAULT ((1), c text)",
     "line 1: here must be ',' or ')'"},
    {"text that is not ended", CN_SQL, "CREATE TABLE t (id int DEFAULT 'a, c text)",
     "line 1: here must be ',' or ')'"},
    {"no document", CN_OPENAPI, "{\"openapi\":\"3.0.0\"}",
     "it has no paths"},
    {"no JSON", CN_OPENAPI, "{\"openapi\":",
     "1:12: it is not JSON: unexpected end of the text"},
    {"comments of both kinds", CN_SQL,
     "/* a * b ** */ CREATE TABLE t ( -- c\n id int /* d */ PRIMARY KEY, c text /**/ ); /* open",
     "t.id: a whole number, from text (t.id {t_id})\n"
     "t.c: text, or null, from text (t.c {t_id})\n"},
    {"columns with constraints of every kind", CN_SQL,
     "CREATE TABLE IF NOT EXISTS s.t (id int PRIMARY KEY, a int NOT NULL DEFAULT (1 + (2)), "
     "b text COMMENT 'what b is', c enum('x', 'y') NOT NULL, d text CHECK (d IN ('p', 'q')), "
     "e varchar(20) DEFAULT 'z' UNIQUE, f, CHECK (a > 0), UNIQUE (a, b), "
     "CONSTRAINT k CHECK (e IN ('m', 'n')));"
     "COMMENT ON COLUMN s.t.a IS 'how many'; CREATE TABLE u AS SELECT 1; "
     "CREATE INDEX i ON t (a); CREATE TYPE pair AS (x int, y int);",
     "t.id: a whole number, from text (t.id {t_id})\n"
     "t.a: a whole number, from text (t.a {t_id}) how many\n"
     "t.b: text, or null, from text (t.b {t_id}) what b is\n"
     "t.c: one of several words, from text x|y (t.c {t_id})\n"
     "t.d: one of several words, or null, from text p|q (t.d {t_id})\n"
     "t.e: one of several words, or null, from text <=20 m|n (t.e {t_id})\n"
     "t.f: anything, or null, from text (t.f {t_id})\n"},
};
/* clang-format on */

static void tells(void **state)
{
    const struct told_row *row = *state;
    mt_buf why = {0}, told = {0};
    cn_document d;
    mt_limits limits = MT_LIMITS_DEFAULT;
    mt_str text = fenced(mt_str_z(row->text));
    mt_err err =
        cn_read(&arena, row->format, MT_STR("a"), text, &limits, NULL, NULL, &why, &d);
    for (size_t i = 0; !err && i < d.count; i++) {
        tell_place(&told, &d.places[i]);
    }
    assert_text(err ? mt_buf_str(&why) : mt_buf_str(&told), mt_str_z(row->told));
    mt_buf_free(&why);
    mt_buf_free(&told);
    fenced_free(text);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, TOLD, tells);
    rows_add(&list, COLUMNS, is_of_kind);
    rows_add(&list, ASKED, is_asked_for);
    rows_test(&list, the_number_of_columns_has_an_edge);
    int failed = rows_run(&list, "connect/documents");
    mt_arena_free(&arena);
    return failed;
}
