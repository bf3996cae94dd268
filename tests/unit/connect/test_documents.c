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
    /* clang-format off */
    {"a key of two columns", CN_SQL,
     "CREATE TABLE s.orders (Id int, \"no\" text, at timestamp, total int, PRIMARY KEY (Id, \"no\"))", "orders.at",
     "{\"parameters\":[\"order_id\",\"no\"],\"query\":\"SELECT CAST(at AS text) || 'Z' FROM s.orders WHERE "
     "\\\"Id\\\" = CAST($1 AS bigint) AND no = $2\"}"},
    {"names that need quotes", CN_SQL,
     "CREATE TABLE \"1a\" (ID int PRIMARY KEY, \"a\"\"b\" int, \"2b\" int, \"\" int)", "1a.a\"b",
     "{\"parameters\":[\"1_a_id\"],\"query\":\"SELECT \\\"a\\\"\\\"b\\\" FROM \\\"1a\\\" WHERE \\\"ID\\\" = "
     "CAST($1 AS bigint)\"}"},
    {"a name that begins with a digit", CN_SQL, "CREATE TABLE a_1 (\"2b\" int, b2 int)", "a_1.2b",
     "{\"query\":\"SELECT \\\"2b\\\" FROM a_1\"}"},
    {"a name of letters, digits and a sign", CN_SQL, "CREATE TABLE az_09 (az_09 int)", "az_09.az_09",
     "{\"query\":\"SELECT az_09 FROM az_09\"}"},
    {"a name with the signs beside them", CN_SQL, "CREATE TABLE \"a`\" (\"z{\" int)", "a`.z{",
     "{\"query\":\"SELECT \\\"z{\\\" FROM \\\"a`\\\"\"}"},
    {"capitals need quotes", CN_SQL, "CREATE TABLE Orders (CustomerNo text PRIMARY KEY)", "Orders.CustomerNo",
     "{\"parameters\":[\"customer_no\"],\"query\":\"SELECT \\\"CustomerNo\\\" FROM \\\"Orders\\\" WHERE "
     "\\\"CustomerNo\\\" = $1\"}"},
    {"two of the query are joined", CN_OPENAPI, PATH(SHOP("true"), "{\"name\":\"at\",\"in\":\"query\",\"required\":true}"),
     "GET /orders?at={at}&shop={shop} total",
     "{\"resource\":\"orders?at={at}&shop={shop}\",\"select\":\"total\"}"},
    {"a query with variables", CN_GRAPHQL,
     "type Query { a(id: ID!, n: Int = 1, s: String!): A } type A { b: B } type B { t: Int u: [C!]! v(x: Int!): Int } type C { w: E x: Y } "
     "enum E { P } union Y = B", "query a.b",
     "{\"parameters\":[\"id\",\"s\"],\"query\":\"query($id: ID!, $s: String!) { a(id: $id, s: $s) { b { t u { "
     "w } } } }\",\"select\":\"a.b\"}"},
    {"a way inside with variables", CN_GRAPHQL,
     "type Query { a(id: ID!): A } type A { b: B } type B { t: Int }", "query a.b.t",
     "{\"parameters\":[\"id\"],\"query\":\"query($id: ID!) { a(id: $id) { b { t } } }\",\"select\":\"a.b.t\"}"},
    {"four steps are selected below an object, and no more", CN_GRAPHQL,
     "type Query { a: A } type A { x: Int b: B } type B { x: Int c: C } type C { x: Int d: D } type D { x: Int e: E } type E { x: Int }",
     "query a",
     "{\"query\":\"{ a { x b { x c { x d { x } } } } }\",\"select\":\"a\"}"},
    {"a method's request", CN_PROTO,
     "package p.q; service S { rpc Get(Q) returns (A); } message Q { string order_id = 2; string at = 3; int64 shop_code = 1; } "
     "message A { B b = 1; } message B { int32 n = 1; }", "p.q.S/Get b.n",
     "{\"method\":\"p.q.S/Get\",\"request\":{\"shop_code\":\"{shop_code}\",\"order_id\":\"{order_id}\"},\"select\":\"b.n\"}"},
    /* clang-format on */
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

#define TOTAL(name) MEMBERS("\"" name "\":{\"type\":\"integer\"}")
/* clang-format off */
#define B8 "(((((((("
#define E8 "))))))))"
#define B64 B8 B8 B8 B8 B8 B8 B8 B8
#define E64 E8 E8 E8 E8 E8 E8 E8 E8
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
    {"columns of every kind of type and of quotes", CN_SQL,
     "CREATE TEMPORARY TABLE IF NOT EXISTS db.\"My s\".\"T\"\"x\" (\"Id\" int, `b``c` smallint, [d e] nvarchar(12), "
     "_f$1 timestamp(3) with time zone, g timestamp without time zone, h double precision UNSIGNED, i character varying(7), "
     "j int signed, k decimal(9), l number(9,0), m dec(9, 1), n varchar(123456789), o varchar(1234567890), "
     "PRIMARY KEY (\"Id\", i))",

     "T\"x.Id: a whole number, from text (T\"x.Id {t_x_id} {i})\n"
     "T\"x.b`c: a whole number, or null, from text (T\"x.b`c {t_x_id} {i})\n"
     "T\"x.d e: text, or null, from text <=12 (T\"x.d e {t_x_id} {i})\n"
     "T\"x._f$1: a moment, or null, from text (T\"x._f$1 {t_x_id} {i})\n"
     "T\"x.g: a moment without a time zone, or null, from text (T\"x.g {t_x_id} {i})\n"
     "T\"x.h: a number, or null, from text (T\"x.h {t_x_id} {i})\n"
     "T\"x.i: text, from text <=7 (T\"x.i {t_x_id} {i})\n"
     "T\"x.j: a whole number, or null, from text (T\"x.j {t_x_id} {i})\n"
     "T\"x.k: a whole number, or null, from text (T\"x.k {t_x_id} {i})\n"
     "T\"x.l: a whole number, or null, from text (T\"x.l {t_x_id} {i})\n"
     "T\"x.m: a number, or null, from text (T\"x.m {t_x_id} {i})\n"
     "T\"x.n: text, or null, from text <=123456789 (T\"x.n {t_x_id} {i})\n"
     "T\"x.o: text, or null, from text <=123456789 (T\"x.o {t_x_id} {i})\n"},
    {"statements of every kind", CN_SQL,
     "CREATE UNLOGGED TABLE a (x int);; CREATE GLOBAL TEMP TABLE b (x int); CREATE LOCAL TABLE c (x text CHECK (y IN ('p')));"
     "CREATE VIEW v AS SELECT (1); CREATE TABLE d PARTITION OF a; INSERT INTO a VALUES ('x;y'); COMMENT ON TABLE a IS 'z';"
     "COMMENT ON COLUMN a.x IS NULL; COMMENT ON COLUMN s.b.x IS 'in days'; COMMENT ON COLUMN c.y IS 'none'; "
     "CREATE TYPE mood AS ENUM ('ok', 'bad'); CREATE TYPE pair AS (a int); CREATE TABLE e (x mood, y pair NOT NULL, z MOOD)",
     "a.x: a whole number, or null, from text (a.x)\n"
     "b.x: a whole number, or null, from text (b.x) in days\n"
     "c.x: text, or null, from text (c.x)\n"
     "e.x: one of several words, or null, from text ok|bad (e.x)\n"
     "e.y: anything, from text (e.y)\n"
     "e.z: anything, or null, from text (e.z)\n"},
    {"constraints of a table", CN_SQL,
     "CREATE TABLE t (a int NOT DEFERRABLE, b text DEFAULT 'x' COMMENT 'said' COMMENT 5, c text NULL, "
     "PRIMARY KEY (b), CONSTRAINT k FOREIGN KEY (a) REFERENCES u (a), UNIQUE KEY (c), EXCLUDE (a), LIKE x, "
     "CHECK (length(b) > 1 AND (c IN ('p', 'q') OR a IN (1, 2))), INDEX (a), \"check\" int, "
     "\"unique\" text CHECK (\"unique\" IN ('u')))",
     "t.a: a whole number, or null, from text (t.a {b})\n"
     "t.b: text, from text (t.b {b}) said\n"
     "t.c: one of several words, or null, from text p|q (t.c {b})\n"
     "t.check: a whole number, or null, from text (t.check {b})\n"
     "t.unique: one of several words, or null, from text u (t.unique {b})\n"},
    {"a key of eight columns is asked for", CN_SQL,
     "CREATE TABLE t (a int, b int, c int, d int, e int, f int, g int, h int, PRIMARY KEY (a, b, c, d, e, f, g, h))",
     "t.a: a whole number, from text (t.a {a} {b} {c} {d} {e} {f} {g} {h})\n"
     "t.b: a whole number, from text (t.b {a} {b} {c} {d} {e} {f} {g} {h})\n"
     "t.c: a whole number, from text (t.c {a} {b} {c} {d} {e} {f} {g} {h})\n"
     "t.d: a whole number, from text (t.d {a} {b} {c} {d} {e} {f} {g} {h})\n"
     "t.e: a whole number, from text (t.e {a} {b} {c} {d} {e} {f} {g} {h})\n"
     "t.f: a whole number, from text (t.f {a} {b} {c} {d} {e} {f} {g} {h})\n"
     "t.g: a whole number, from text (t.g {a} {b} {c} {d} {e} {f} {g} {h})\n"
     "t.h: a whole number, from text (t.h {a} {b} {c} {d} {e} {f} {g} {h})\n"},
    {"nobody asks by nine", CN_SQL,
     "CREATE TABLE t (a int, b int, c int, d int, e int, f int, g int, h int, i int, "
     "PRIMARY KEY (a, b, c, d, e, f, g, h, i)); CREATE TABLE u (a int)",
     "u.a: a whole number, or null, from text (u.a)\n"},
    {"sixty-four brackets in a default, and one more", CN_SQL,
     "CREATE TABLE t (a int DEFAULT " B64 "(1)" E64 ")",
     "line 1: here must be a closing bracket, and not so many"},
    {"sixty-four brackets", CN_SQL, "CREATE TABLE t (a int DEFAULT " B64 "1" E64 ", b int CHECK " B64 "1" E64 ")",
     "t.a: a whole number, or null, from text (t.a)\n"
     "t.b: a whole number, or null, from text (t.b)\n"},
    {"a check of too many", CN_SQL, "CREATE TABLE t (a int, CHECK " B64 "(1)" E64 ")",
     "line 1: here must be a closing bracket, and not so many"},
    {"faults say their line", CN_SQL, "-- a\nCREATE TABLE t (a int,\n b varchar(3",
     "line 3: here must be ')'"},
    {"a key that is not ended", CN_SQL, "CREATE TABLE t (a int,\n\nPRIMARY KEY (a, b",
     "line 3: here must be ')'"},
    {"a comment on nothing", CN_SQL, "COMMENT ON COLUMN 5",
     "line 1: here must be a name"},
    {"a comment on half a name", CN_SQL, "COMMENT ON COLUMN a.",

     "line 1: here must be a name"},
    {"a type with half a name", CN_SQL, "CREATE TABLE t (a s. (3))",
     "line 1: here must be a name"},
    {"types of every kind", CN_OPENAPI,
     API("\"loop\":{\"properties\":{\"in\":{\"$ref\":\"#/components/schemas/loop\"},\"n\":{\"type\":\"number\"}}},"
         "\"none\":{\"$ref\":\"#/components/schemas/missing\"}",
         MEMBERS("\"a\":{\"type\":[\"string\",\"null\"],\"maxLength\":0},\"b\":{\"type\":[\"integer\",\"string\"]},"
                 "\"c\":{\"type\":\"number\",\"nullable\":true},\"d\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
                 "\"e\":{\"type\":\"array\"},\"f\":{\"$ref\":\"#/components/schemas/loop\"},"
                 "\"g\":{\"$ref\":\"#/components/schemas/none\"},\"h\":{\"$ref\":\"other.json#/a\"},"
                 "\"i\":{\"enum\":[\"x\"],\"nullable\":false},\"j\":{\"type\":\"object\"},\"k\":{\"title\":\"in days\"},"
                 "\"l\":{\"type\":\"string\",\"format\":\"int64\",\"pattern\":\"^\\\\d.\\\\d$\"},"
                 "\"m\":{\"type\":\"string\",\"pattern\":\"^[0-9].A$\"},\"n\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":0},"
                 "\"o\":{\"type\":\"integer\",\"maximum\":7},\"\":{\"type\":\"integer\"},\"p}\":{\"type\":\"integer\"},"
                 "\"q\":{\"type\":[\"null\",\"integer\"],\"title\":\"t\",\"description\":\"d\"},"
                 "\"r\":{\"type\":\"string\",\"maxLength\":1,\"pattern\":\"^[.z]$\"},\"s\":{\"enum\":[1,2]}")),
     "GET /a a: text, or null (a.a)\n"
     "GET /a b: anything (a.b)\n"
     "GET /a c: a number, or null (a.c)\n"
     "GET /a d: a list (a.d)\n"
     "GET /a e: a list (a.e)\n"
     "GET /a f: an object (a.f)\n"
     "GET /a f.in: anything (a.f.in)\n"
     "GET /a f.n: a number (a.f.n)\n"
     "GET /a g: anything (a.g)\n"
     "GET /a h: anything (a.h)\n"
     "GET /a i: one of several words x (a.i)\n"
     "GET /a j: an object (a.j)\n"
     "GET /a k: anything (a.k) in days\n"
     "GET /a l: a whole number, as text (a.l)\n"
     "GET /a m: text (a.m)\n"
     "GET /a n: a whole number 0..0 (a.n)\n"
     "GET /a o: a whole number (a.o)\n"
     "GET /a q: a whole number, or null (a.q) d\n"
     "GET /a r: text <=1 (a.r)\n"
     "GET /a s: anything (a.s)\n"},
    {"parts beside members of one's own", CN_OPENAPI,
     API("",
         MEMBERS("\"a\":{\"properties\":{\"x\":{\"type\":\"integer\"}},\"allOf\":[" MEMBERS("\"x\":{\"type\":\"string\"},\"y\":{\"type\":\"string\"}")
                 ",{\"type\":\"string\"}]},\"b\":{\"oneOf\":[{},{\"type\":\"boolean\"},{\"type\":\"null\"}]},"
                 "\"c\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"integer\"}]},\"d\":{\"allOf\":[{\"type\":\"null\"}]},"
                 "\"e\":{\"type\":\"string\",\"oneOf\":5}")),
     "GET /a a: an object (a.a)\n"
     "GET /a a.x: a whole number (a.a.x)\n"
     "GET /a a.y: text (a.a.y)\n"
     "GET /a b: true or false, or null (a.b)\n"
     "GET /a c: anything (a.c)\n"
     "GET /a d: anything, or null (a.d)\n"
     "GET /a e: text (a.e)\n"},
    {"answers of every kind", CN_OPENAPI,
     "{\"openapi\":\"3.1.0\",\"paths\":{"
     "\"/xml\":{\"get\":{\"responses\":{\"200\":{\"content\":{\"text/xml\":{\"schema\":" TOTAL("a") "}}}}}},"
     "\"/vendor\":{\"get\":{\"responses\":{\"200\":{\"content\":{\"text/html\":{},\"application/hal+json; v=1\":{\"schema\":" TOTAL("b") "}}}}}},"
     "\"/default\":{\"get\":{\"responses\":{\"404\":{\"content\":{\"application/json\":{\"schema\":" TOTAL("x") "}}},"
     "\"default\":{\"content\":{\"application/json\":{\"schema\":" TOTAL("c") "}}}}}},"
     "\"/range\":{\"get\":{\"responses\":{\"default\":{\"content\":{\"application/json\":{\"schema\":" TOTAL("x") "}}},"
     "\"2XX\":{\"$ref\":\"#/components/responses/r\"}}}},"
     "\"/post\":{\"post\":{\"responses\":{\"200\":{\"content\":{\"application/json\":{\"schema\":" TOTAL("e") "}}}}}},"
     "\"/list\":{\"get\":{\"responses\":{\"200\":{\"content\":{\"application/json\":{\"schema\":{\"type\":\"array\"}}}}}}},"
     "\"/a?b\":{\"$ref\":\"#/components/p\"},\"/a#b\":{\"$ref\":\"#/components/p\"},\"/a b\":{\"$ref\":\"#/components/p\"},"
     "\"a\":{\"$ref\":\"#/components/p\"},\"/{x}/y/\":{\"$ref\":\"#/components/p\"},\"/\":{\"$ref\":\"#/components/p\"}},"
     "\"components\":{\"responses\":{\"r\":{\"content\":{\"application/json;charset=utf-8\":{\"schema\":" TOTAL("d") "}}}},"
     "\"p\":{\"get\":{\"responses\":{\"203\":{\"content\":{\"application/json\":{\"schema\":" TOTAL("f") "}}}}}}}}",

     "GET /vendor b: a whole number (vendor.b)\n"
     "GET /default c: a whole number (default.c)\n"
     "GET /range d: a whole number (range.d)\n"
     "GET /{x}/y/ f: a whole number ({}/y.f {x})\n"
     "GET / f: a whole number (.f)\n"},
    {"an older version", CN_OPENAPI, "{\"swagger\":\"2.0\",\"openapi\":\"2.0\",\"paths\":{}}",
     "it is not OpenAPI 3.0 or 3.1"},
    {"no paths", CN_OPENAPI, "{\"openapi\":\"3.0.0\",\"paths\":{}}",
     "it describes nothing that a fact could be taken from"},
    {"no YAML", CN_OPENAPI, "openapi: 3.0.0\npaths: [1\n",
     "3:1: it is not YAML: did not find expected ',' or ']'"},
    {"the answer to an introspection", CN_GRAPHQL,
     "{\"data\":{\"__schema\":{\"queryType\":{\"name\":\"Root\"},\"types\":["
     "{\"name\":\"Root\",\"fields\":["
     "{\"name\":\"order\",\"args\":[{\"name\":\"id\",\"type\":{\"kind\":\"NON_NULL\",\"ofType\":{\"kind\":\"SCALAR\",\"name\":\"ID\"}}},"
     "{\"name\":\"first\",\"type\":{\"kind\":\"NON_NULL\",\"ofType\":{\"name\":\"Int\"}},\"defaultValue\":\"10\"},"
     "{\"name\":\"last\",\"type\":{\"name\":\"Int\"},\"defaultValue\":null}],"
     "\"type\":{\"kind\":\"NON_NULL\",\"ofType\":{\"kind\":\"OBJECT\",\"name\":\"Order\"}}},"
     "{\"name\":\"some\",\"args\":[{\"name\":\"ids\",\"type\":{\"kind\":\"NON_NULL\",\"ofType\":{\"kind\":\"LIST\",\"ofType\":{\"name\":\"ID\"}}}}],"
     "\"type\":{\"kind\":\"OBJECT\",\"name\":\"Order\"}},"
     "{\"name\":\"named\",\"args\":[{\"name\":\"name\",\"type\":{\"kind\":\"NON_NULL\",\"ofType\":{\"name\":\"String\"}}}],\"type\":{\"name\":\"Int\"}},"
     "{\"name\":\"other\",\"args\":[{\"name\":\"n\",\"type\":{\"kind\":\"NON_NULL\",\"ofType\":{\"name\":\"Float\"}},\"defaultValue\":null}],\"type\":{\"name\":\"Int\"}}]},"
     "{\"name\":\"Order\",\"fields\":[{\"name\":\"total\",\"description\":\"in cents\",\"type\":{\"kind\":\"NON_NULL\",\"ofType\":{\"name\":\"Int\"}}},"
     "{\"name\":\"state\",\"type\":{\"name\":\"State\"}},"
     "{\"name\":\"tags\",\"type\":{\"kind\":\"NON_NULL\",\"ofType\":{\"kind\":\"LIST\",\"ofType\":{\"kind\":\"NON_NULL\",\"ofType\":{\"name\":\"String\"}}}}},"
     "{\"name\":\"page\",\"args\":[{\"name\":\"n\",\"type\":{\"kind\":\"NON_NULL\",\"ofType\":{\"name\":\"Int\"}}}],\"type\":{\"name\":\"Int\"}}]},"
     "{\"name\":\"State\",\"enumValues\":[{\"name\":\"OPEN\"},{\"name\":\"PAID\"}]}]}}}",
     "query order: an object (.order {id})\n"
     "query order.total: a whole number (.order.total {id}) in cents\n"
     "query order.state: one of several words, or null OPEN|PAID (.order.state {id})\n"
     "query order.tags: a list (.order.tags {id})\n"
     "query named: a whole number, or null (.named {name})\n"},
    {"an introspection as tools save it", CN_GRAPHQL,
     " {\"__schema\":{\"types\":[{\"name\":\"Query\",\"fields\":[{\"name\":\"a\",\"type\":{\"name\":\"Float\"}}]}]}}",
     "query a: a number, or null (.a)\n"},
    {"an answer to something else", CN_GRAPHQL, "{\"data\":{}}",
     "it is not the answer to an introspection"},
    {"a root without fields", CN_GRAPHQL, "enum Query { A } type A { a: Int }",
     "it has no type Query"},
    {"a root that is not there", CN_GRAPHQL, "schema { query: Root } type Query { a: Int }",
     "it has no type Query"},
    {"interfaces of a type", CN_GRAPHQL,
     "interface N @a { i: ID! } type Query implements & N & M @a(b: 1) { n: N! } type B implements N { i: ID! } type C",
     "query n: an object (.n)\n"
     "query n.i: text (.n.i)\n"},
    {"an interface that is none", CN_GRAPHQL, "type Query implements & { a: Int }",
     "line 1: here must be a name, not '{'"},
    {"eight lists are read", CN_GRAPHQL, "type Query { a: [[[[[[[[Int]]]]]]]]! }",
     "query a: a list (.a)\n"},
    {"nine are not", CN_GRAPHQL, "type Query { a: [[[[[[[[[Int]]]]]]]]] }",
     "line 1: here must be fewer lists, not 'Int'"},
    {"a fault in a later line", CN_GRAPHQL, "# one\ntype Query {\n  a: Int\n  b Int\n}",
     "line 4: here must be ':', not 'Int'"},
    {"names of scalars", CN_GRAPHQL,
     "type Query { a: DateTime b: BigDecimal! c: Local_Date d: ISO8601DateTime e: UUID f: Long g: Z1 h: Boolean! i: LocalDateTime }",
     "query a: a moment, or null (.a)\n"
     "query b: a number, as text (.b)\n"
     "query c: a date, or null (.c)\n"
     "query d: a moment, or null (.d)\n"
     "query e: text, or null (.e)\n"
     "query f: a whole number, or null (.f)\n"
     "query g: anything, or null (.g)\n"
     "query h: true or false (.h)\n"
     "query i: a moment without a time zone, or null (.i)\n"},
    {"methods and their messages", CN_PROTO,
     "syntax = \"proto3\"; package p; import \"google/protobuf/timestamp.proto\"; "
     "service S { rpc Get(Q) returns (A); rpc Watch(Q) returns (stream A); rpc Put(stream Q) returns (A); "
     "rpc All(E) returns (B); } message E {} enum State { OPEN = 0; PAID = 1; } "
     "message Q { string order_id = 1; int32 size = 2; string shopId = 3; bytes key = 4; repeated string ref_id = 5; "
     "int64 part_number = 6; string key_ref = 7; string zip_code = 8; string name = 9; bool id = 10; } "
     "message A { // in cents\n optional int64 total = 5; google.protobuf.Timestamp at = 1; State state = 2; "
     "repeated int32 counts = 3; map<string, int32> by = 4; B b = 6; double share = 7; bool is = 8; bytes raw = 9; "
     "A again = 10; oneof one { string x = 11; uint32 y = 12; } repeated B bs = 13; } "
     "message B { fixed64 n = 1; A a = 2; }",
     "p.S/Get at: a moment, or null (p.S/Get.at {order_id} {shopId} {part_number} {key_ref} {zip_code} "
     "{name})\n"
     "p.S/Get state: one of several words OPEN|PAID (p.S/Get.state {order_id} {shopId} {part_number} {key_ref} "
     "{zip_code} {name})\n"
     "p.S/Get counts: a list (p.S/Get.counts {order_id} {shopId} {part_number} {key_ref} {zip_code} {name})\n"
     "p.S/Get by: anything (p.S/Get.by {order_id} {shopId} {part_number} {key_ref} {zip_code} {name})\n"
     "p.S/Get total: a whole number, or null (p.S/Get.total {order_id} {shopId} {part_number} {key_ref} "
     "{zip_code} {name}) in cents\n"
     "p.S/Get b: an object, or null (p.S/Get.b {order_id} {shopId} {part_number} {key_ref} {zip_code} {name})\n"
     "p.S/Get b.n: a whole number (p.S/Get.b.n {order_id} {shopId} {part_number} {key_ref} {zip_code} {name})\n"
     "p.S/Get b.a: anything, or null (p.S/Get.b.a {order_id} {shopId} {part_number} {key_ref} {zip_code} "
     "{name})\n"
     "p.S/Get share: a number (p.S/Get.share {order_id} {shopId} {part_number} {key_ref} {zip_code} {name})\n"
     "p.S/Get is: true or false (p.S/Get.is {order_id} {shopId} {part_number} {key_ref} {zip_code} {name})\n"
     "p.S/Get raw: text (p.S/Get.raw {order_id} {shopId} {part_number} {key_ref} {zip_code} {name})\n"
     "p.S/Get again: anything, or null (p.S/Get.again {order_id} {shopId} {part_number} {key_ref} {zip_code} "
     "{name})\n"
     "p.S/Get x: text, or null (p.S/Get.x {order_id} {shopId} {part_number} {key_ref} {zip_code} {name})\n"
     "p.S/Get y: a whole number, or null (p.S/Get.y {order_id} {shopId} {part_number} {key_ref} {zip_code} "
     "{name})\n"
     "p.S/Get bs: a list (p.S/Get.bs {order_id} {shopId} {part_number} {key_ref} {zip_code} {name})\n"
     "p.S/All n: a whole number (p.S/All.n)\n"
     "p.S/All a: an object, or null (p.S/All.a)\n"
     "p.S/All a.at: a moment, or null (p.S/All.a.at)\n"
     "p.S/All a.state: one of several words OPEN|PAID (p.S/All.a.state)\n"
     "p.S/All a.counts: a list (p.S/All.a.counts)\n"
     "p.S/All a.by: anything (p.S/All.a.by)\n"
     "p.S/All a.total: a whole number, or null (p.S/All.a.total) in cents\n"
     "p.S/All a.b: anything, or null (p.S/All.a.b)\n"
     "p.S/All a.share: a number (p.S/All.a.share)\n"
     "p.S/All a.is: true or false (p.S/All.a.is)\n"
     "p.S/All a.raw: text (p.S/All.a.raw)\n"
     "p.S/All a.again: anything, or null (p.S/All.a.again)\n"
     "p.S/All a.x: text, or null (p.S/All.a.x)\n"
     "p.S/All a.y: a whole number, or null (p.S/All.a.y)\n"
     "p.S/All a.bs: a list (p.S/All.a.bs)\n"},
    {"every name of a scalar", CN_GRAPHQL,
     "type Query { date: date! localdate: localdate! datetime: datetime! timestamp: timestamp! "
     "timestamptz: timestamptz! instant: instant! offsetdatetime: offsetdatetime! "
     "iso8601datetime: iso8601datetime! localdatetime: localdatetime! duration: duration! "
     "decimal: decimal! bigdecimal: bigdecimal! money: money! numeric: numeric! long: long! "
     "bigint: bigint! int64: int64! uint64: uint64! unsignedint: unsignedint! "
     "positiveint: positiveint! nonnegativeint: nonnegativeint! uuid: uuid! url: url! uri: uri! "
     "email: email! emailaddress: emailaddress! currencycode: currencycode! "
     "countrycode: countrycode! }",
     "query date: a date (.date)\n"
     "query localdate: a date (.localdate)\n"
     "query datetime: a moment (.datetime)\n"
     "query timestamp: a moment (.timestamp)\n"
     "query timestamptz: a moment (.timestamptz)\n"
     "query instant: a moment (.instant)\n"
     "query offsetdatetime: a moment (.offsetdatetime)\n"
     "query iso8601datetime: a moment (.iso8601datetime)\n"
     "query localdatetime: a moment without a time zone (.localdatetime)\n"
     "query duration: an ISO 8601 duration (.duration)\n"
     "query decimal: a number, as text (.decimal)\n"
     "query bigdecimal: a number, as text (.bigdecimal)\n"
     "query money: a number, as text (.money)\n"
     "query numeric: a number, as text (.numeric)\n"
     "query long: a whole number (.long)\n"
     "query bigint: a whole number, as text (.bigint)\n"
     "query int64: a whole number, as text (.int64)\n"
     "query uint64: a whole number, as text (.uint64)\n"
     "query unsignedint: a whole number (.unsignedint)\n"
     "query positiveint: a whole number (.positiveint)\n"
     "query nonnegativeint: a whole number (.nonnegativeint)\n"
     "query uuid: text (.uuid)\n"
     "query url: text (.url)\n"
     "query uri: text (.uri)\n"
     "query email: text (.email)\n"
     "query emailaddress: text (.emailaddress)\n"
     "query currencycode: text (.currencycode)\n"
     "query countrycode: text (.countrycode)\n"},
    {"messages that are one value", CN_PROTO,
     "syntax = \"proto3\"; import \"google/type/money.proto\"; import \"google/type/date.proto\"; "
     "import \"google/protobuf/wrappers.proto\"; import \"google/protobuf/duration.proto\"; "
     "import \"google/protobuf/struct.proto\"; service S { rpc Get(Q) returns (A); } message Q {} "
     "message A { google.type.Money m = 1; google.type.Date d = 2; google.protobuf.Int64Value n = 3; "
     "google.protobuf.BoolValue b = 4; google.protobuf.Duration w = 5; google.protobuf.Value v = 6; }",
     "S/Get m: an object, or null (S/Get.m)\n"
     "S/Get d: an object, or null (S/Get.d)\n"
     "S/Get n: a whole number, or null (S/Get.n)\n"
     "S/Get b: true or false, or null (S/Get.b)\n"
     "S/Get w: an object, or null (S/Get.w)\n"
     "S/Get v: anything, or null (S/Get.v)\n"},
    {"methods without an answer", CN_PROTO, "service S { rpc Get(Q) returns (Q); } message Q {}",
     "it describes nothing that a fact could be taken from"},
    {"no proto", CN_PROTO, "service S {",
     "a:1: here must be ';', not ''"},
    {"bytes that are no text", CN_SQL, "CREATE TABLE t (\xff int)",
     "it is not UTF-8 at byte 16"},
    {"no format", CN_FORMAT_COUNT, "x",
     "it is none of OpenAPI 3, GraphQL, SQL and .proto"},
    {"no statement", CN_SQL, "SELECT 1",
     "it describes nothing that a fact could be taken from"},
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

/* clang-format off */
static const struct format_row {
    const char *name, *file, *text;
    cn_format format;
} FORMATS[] = {
    {"a name that ends in .proto", "a.proto", "openapi", CN_PROTO},
    {"a name that ends in .pb", "a.pb", "", CN_PROTO},
    {"a name that ends in .protoset", "a.protoset", "", CN_PROTO},
    {"a name that ends in .sql", "a.sql", "type Query", CN_SQL},
    {"a name that ends in .ddl", "a.ddl", "", CN_SQL},
    {"a name that ends in .graphql", "a.graphql", "create table", CN_GRAPHQL},
    {"a name that ends in .graphqls", "a.graphqls", "", CN_GRAPHQL},
    {"a name that ends in .gql", "a.gql", "", CN_GRAPHQL},
    {"the answer to an introspection", "a.json", "{\"openapi\":1,\"__schema\":{}}", CN_GRAPHQL},
    {"a word of OpenAPI", "a.yaml", "x\nOpenAPI: 3", CN_OPENAPI},
    {"a table", "a.txt", "\t\r\n\fCREATE Table t", CN_SQL},
    {"a table at the end", "a", "xcreate table", CN_SQL},
    {"half a word", "a", "create tabl", CN_FORMAT_COUNT},
    {"a syntax", "a", "syntax = \"proto3\";", CN_PROTO},
    {"a syntax without blanks", "a", "syntax=\"proto3\";", CN_PROTO},
    {"a root", "a", "type Query {", CN_GRAPHQL},
    {"a sign that no text has", "a", "openapi\x01", CN_PROTO},
    {"the last sign that no text has", "a", "openapi\x1f", CN_PROTO},
    {"nothing", "a.json", "", CN_FORMAT_COUNT},
    {"something else", "sql", "a", CN_FORMAT_COUNT},
};
/* clang-format on */

static void format_is_known(void **state)
{
    const struct format_row *row = *state;
    mt_str text = fenced(mt_str_z(row->text));
    assert_int_equal(cn_format_of(mt_str_z(row->file), text), row->format);
    fenced_free(text);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, TOLD, tells);
    rows_add(&list, FORMATS, format_is_known);
    rows_add(&list, COLUMNS, is_of_kind);
    rows_add(&list, ASKED, is_asked_for);
    rows_test(&list, the_number_of_columns_has_an_edge);
    int failed = rows_run(&list, "connect/documents");
    mt_arena_free(&arena);
    return failed;
}
