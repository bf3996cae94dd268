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

int main(void)
{
    rows_list list = {0};
    rows_add(&list, COLUMNS, is_of_kind);
    rows_add(&list, ASKED, is_asked_for);
    rows_test(&list, the_number_of_columns_has_an_edge);
    int failed = rows_run(&list, "connect/documents");
    mt_arena_free(&arena);
    return failed;
}
