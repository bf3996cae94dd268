/* Proposals for the facts of a source, and what a person does with them: reviews,
 * settings by hand, configurations. */
#include "connect_fixture.h"

#include "base/yaml_read.h"
#include "connect/config.h"
#include "connect/review.h"
#include "connect/yaml.h"

static mt_arena arena;

#define NUMBER(name, path)                                                             \
    "fact " name " { type: Int(0, 9) source: s { path: \"" path "\" } }\n"
#define PERHAPS(name, path)                                                            \
    "fact " name " { type: Int(0, 9) source: s { path: \"" path "\" } default: 1 }\n"
#define ENTITY(name)                                                                   \
    "entity " name " { states: [a, b] initial: a transitions: [(a, b)] }\n"
#define SHOP                                                                           \
    "paths:\n  /shops/{shop}/orders/{id}:\n    get: {responses: {200: {content: "      \
    "{application/json: {schema: "
#define YAML(members) "openapi: 3.0.0\n" SHOP "{properties: {" members "}}}}}}}\n"

/* clang-format off */
static const struct matched_row {
    const char *name;
    cn_format format;
    const char *facts, *document, *told;
} MATCHED[] = {
    {"a declared path is certain, whatever it is called", CN_SQL,
     NUMBER("x", "orders.total"), "CREATE TABLE orders (id int PRIMARY KEY, total int NOT NULL, x int NOT NULL)",
     "x:\n"
     "  high 1000 orders.total {\"parameters\":[\"order_id\"],\"query\":\"SELECT total FROM orders WHERE id "
     "= CAST($1 AS bigint)\"}; it is the path that the contract declares; a number\n"
     "  high 990 orders.x {\"parameters\":[\"order_id\"],\"query\":\"SELECT x FROM orders WHERE id = CAST($1 "
     "AS bigint)\"}; names share: x, orders; a number\n"},
    {"a value that may be missing is told where there is no default", CN_SQL,
     NUMBER("total", "orders.total") PERHAPS("weight", "orders.weight"),
     "CREATE TABLE orders (id int PRIMARY KEY, total int, weight int)",
     "total:\n"
     "  high 1000 orders.total {\"parameters\":[\"order_id\"],\"query\":\"SELECT total FROM orders WHERE id "
     "= CAST($1 AS bigint)\"}; it is the path that the contract declares; a number; it may be missing, and "
     "the fact has no default\n"
     "weight:\n"
     "  high 1000 orders.weight {\"parameters\":[\"order_id\"],\"query\":\"SELECT weight FROM orders WHERE "
     "id = CAST($1 AS bigint)\"}; it is the path that the contract declares; a number\n"},
    {"the best four, the best first", CN_SQL,
     NUMBER("order_total", "a"),
     "CREATE TABLE t (order_amount int NOT NULL, total int NOT NULL, order_total int NOT NULL, amount int NOT NULL, "
     "orders_sum int NOT NULL, weight int NOT NULL)",
     "order_total:\n"
     "  high 990 t.order_total {\"query\":\"SELECT order_total FROM t\"}; names share: order, total; a "
     "number\n"
     "  high 900 t.order_amount {\"query\":\"SELECT order_amount FROM t\"}; names share: order, amount; a "
     "number\n"
     "  high 900 t.orders_sum {\"query\":\"SELECT orders_sum FROM t\"}; names share: orders, sum; a number\n"
     "  medium 700 t.total {\"query\":\"SELECT total FROM t\"}; names share: total; a number\n"},
    {"what comes nearest by name but does not fit", CN_SQL,
     NUMBER("order_total", "a") NUMBER("colour", "a"),
     "CREATE TABLE orders (amount text, order_total text, total text)",
     "colour:\n"
     "order_total: not orders.order_total: text cannot be the fact's type\n"},
    {"what lies deeper and is not spoken of is less", CN_OPENAPI,
     NUMBER("total", "a") NUMBER("shop_total", "a"),
     YAML("bill: {properties: {total: {type: integer}}}, total: {type: integer}"),
     "shop_total:\n"
     "  medium 913 GET /shops/{shop}/orders/{id} total "
     "{\"resource\":\"shops/{shop}/orders/{id}\",\"select\":\"total\"}; names share: total, shops; a number; "
     "nearly as good: GET /shops/{shop}/orders/{id} bill.total\n"
     "  medium 888 GET /shops/{shop}/orders/{id} bill.total "
     "{\"resource\":\"shops/{shop}/orders/{id}\",\"select\":\"bill.total\"}; names share: total, shops; a "
     "number; nearly as good: GET /shops/{shop}/orders/{id} total\n"
     "total:\n"
     "  medium 988 GET /shops/{shop}/orders/{id} total "
     "{\"resource\":\"shops/{shop}/orders/{id}\",\"select\":\"total\"}; names share: total; a number; nearly "
     "as good: GET /shops/{shop}/orders/{id} bill.total\n"
     "  medium 963 GET /shops/{shop}/orders/{id} bill.total "
     "{\"resource\":\"shops/{shop}/orders/{id}\",\"select\":\"bill.total\"}; names share: total; a number; "
     "nearly as good: GET /shops/{shop}/orders/{id} total\n"},
    {"of equals the one that asks less", CN_OPENAPI, NUMBER("total", "a"),
     "openapi: 3.0.0\npaths:\n  /a/{x}:\n    get: {responses: {200: {content: {application/json: {schema: "
     "{properties: {total: {type: integer}}}}}}}}\n  /a/b/c:\n    get: {responses: {200: {content: {application/json: "
     "{schema: {properties: {total: {type: integer}}}}}}}}\n  /b:\n    get: {responses: {200: {content: "
     "{application/json: {schema: {properties: {total: {type: integer}}}}}}}}\n",
     "total:\n"
     "  medium 990 GET /b total {\"resource\":\"b\",\"select\":\"total\"}; names share: total; a number; "
     "nearly as good: GET /a/b/c total\n"
     "  medium 990 GET /a/b/c total {\"resource\":\"a/b/c\",\"select\":\"total\"}; names share: total; a "
     "number; nearly as good: GET /b total\n"
     "  high 990 GET /a/{x} total {\"resource\":\"a/{x}\",\"select\":\"total\"}; names share: total; a "
     "number\n"},
    {"a plural, a synonym and an abbreviation", CN_GRAPHQL,
     NUMBER("items", "a") NUMBER("customer_weight", "a") NUMBER("account", "a"),
     "type Query { item: Int! client_weight: Int! acc: Int! }",
     "account:\n"
     "  medium 700 query acc {\"query\":\"{ acc }\",\"select\":\"acc\"}; names share: acc; a number\n"
     "customer_weight:\n"
     "  high 900 query client_weight {\"query\":\"{ client_weight }\",\"select\":\"client_weight\"}; names "
     "share: client, weight; a number\n"
     "items:\n"
     "  high 990 query item {\"query\":\"{ item }\",\"select\":\"item\"}; names share: item; a number\n"},
    {"what the path's steps say besides the name", CN_GRAPHQL,
     NUMBER("x", "bill.total") NUMBER("y", "order.total"),
     "type Query { order: Order! bill: Bill! } type Order { total: Int! } type Bill { total: Int! }",
     "x:\n"
     "  high 1000 query bill.total {\"query\":\"{ bill { total } }\",\"select\":\"bill.total\"}; it is the "
     "path that the contract declares; a number\n"
     "  high 825 query order.total {\"query\":\"{ order { total } }\",\"select\":\"order.total\"}; names "
     "share: total; a number\n"
     "y:\n"
     "  high 1000 query order.total {\"query\":\"{ order { total } }\",\"select\":\"order.total\"}; it is "
     "the path that the contract declares; a number\n"
     "  high 825 query bill.total {\"query\":\"{ bill { total } }\",\"select\":\"bill.total\"}; names share: "
     "total; a number\n"},
    {"entities of parameters by their names", CN_OPENAPI,
     ENTITY("Customer") ENTITY("Order") NUMBER("total", "shops/{order}/orders/{no}.total"),
     YAML("total: {type: integer}"),
     "total:\n"
     "  high 1000 GET /shops/{shop}/orders/{id} total "
     "{\"resource\":\"shops/{order}/orders/{no}\",\"select\":\"total\"}; it is the path that the contract "
     "declares; a number\n"
     "no is Order\n"},
    {"entities that nothing speaks of", CN_OPENAPI,
     ENTITY("Bill") ENTITY("Customer") NUMBER("total", "total"),
     YAML("total: {type: integer}"),
     "total:\n"
     "  high 988 GET /shops/{shop}/orders/{id} total "
     "{\"resource\":\"shops/{shop}/orders/{id}\",\"select\":\"total\"}; names share: total; a number\n"},
    {"a single entity is meant by every parameter", CN_OPENAPI,
     ENTITY("Bill") NUMBER("total", "total"),
     YAML("total: {type: integer}"),
     "total:\n"
     "  high 988 GET /shops/{shop}/orders/{id} total "
     "{\"resource\":\"shops/{shop}/orders/{id}\",\"select\":\"total\"}; names share: total; a number\n"
     "shop is Bill\n"
     "id is Bill\n"},
    {"another source's facts are left out", CN_SQL,
     "source t { protocol: database dialect: sqlite }\n"
     "fact other { type: Int(0, 9) source: t { path: \"a.total\" } }\n" NUMBER("total", "a.total"),
     "CREATE TABLE a (total int NOT NULL)",
     "total:\n"
     "  high 1000 a.total {\"query\":\"SELECT total FROM a\"}; it is the path that the contract declares; a "
     "number\n"},
};
/* clang-format on */

static cn_matches matches_of(const struct matched_row *row, const ct_model **model,
                             cn_document *document)
{
    mt_str text = mt_strf(&arena,
                          "source s { protocol: http base_url: \"http://x\" }\n%s"
                          "rule r { stratum: 0 when: true produce: r(true) }\n",
                          row->facts);
    cn_matches found;
    *model = contract_of(&arena, text);
    *document = document_of(&arena, row->format, mt_str_z(row->document));
    cn_match(&arena, *model, 0, document, &found);
    return found;
}

static void is_proposed(void **state)
{
    const struct matched_row *row = *state;
    const ct_model *m;
    cn_document d;
    cn_matches found = matches_of(row, &m, &d);
    mt_buf told = {0};
    for (size_t i = 0; i < found.count; i++) {
        const cn_match_of *f = &found.facts[i];
        mt_buf_addf(&told, "%.*s:%s%.*s\n", MT_ARG(m->facts[f->fact].id),
                    f->nearest.len ? " not " : "", MT_ARG(f->nearest));
        for (size_t k = 0; k < f->count; k++) {
            const cn_proposal *p = &f->proposals[k];
            mt_buf_addf(&told, "  %s %u %.*s %.*s", CN_LEVEL_NAMES[p->level], p->score,
                        MT_ARG(p->place->shown), MT_ARG(p->settings));
            for (size_t n = 0; n < p->reason_count; n++) {
                mt_buf_addf(&told, "; %.*s", MT_ARG(p->reasons[n]));
            }
            mt_buf_addc(&told, '\n');
        }
    }
    for (size_t i = 0; i < found.instance_count; i++) {
        mt_buf_addf(&told, "%.*s is %.*s\n", MT_ARG(found.instances[i].name),
                    MT_ARG(found.instances[i].entity));
    }
    assert_text(mt_buf_str(&told), mt_str_z(row->told));
    mt_buf_free(&told);
}

/* A review as it is written, with everything that it may have. */
static void a_review_is_written_and_read(void **state)
{
    static const struct matched_row ROW = {
        .format = CN_OPENAPI,
        .facts = ENTITY("Bill") NUMBER("total", "a") NUMBER("colour", "a")
            NUMBER("weight", "shops/{a}/orders/{b}.weight") NUMBER("no", "word"),
        .document = YAML("total: {type: integer}, sum: {type: integer}, "
                         "weight: {type: string, format: int64}, word: {}")};
    static const char WANT[] =
        "# What motet connect proposes. Nothing of it is used before it is applied:\n"
        "#   motet connect CONTRACT --apply THIS --config CONFIG\n"
        "# writes the settings of every fact that says `accept: true`. Look at each;\n"
        "# change `accept` and `settings`, or take settings from `instead`.\n"
        "review: 1\n"
        "contract: \"c\"\n"
        "sources:\n"
        "  s:\n"
        "    document: \"a: b.yaml\"\n"
        "    format: openapi\n"
        "    instances:\n"
        "      shop: Bill\n"
        "      id: Bill\n"
        "      a: Bill\n"
        "      b: Bill\n"
        "    facts:\n"
        "      colour:\n"
        "        accept: false\n"
        "        type: \"Int(0, 9)\"\n"
        "        nothing: \"no name in the document is near\"\n"
        "      \"no\":\n"
        "        accept: false\n"
        "        type: \"Int(0, 9)\"\n"
        "        nothing: \"GET /shops/{shop}/orders/{id} word: anything cannot be the "
        "fact's type\"\n"
        "      total:\n"
        "        accept: true\n"
        "        type: \"Int(0, 9)\"\n"
        "        place: \"GET /shops/{shop}/orders/{id} total\"\n"
        "        confidence: high\n"
        "        score: 988\n"
        "        settings: "
        "{\"resource\":\"shops/{shop}/orders/{id}\",\"select\":\"total\"}\n"
        "        because:\n"
        "          - \"names share: total\"\n"
        "          - \"a number\"\n"
        "        instead:\n"
        "          -\n"
        "            place: \"GET /shops/{shop}/orders/{id} sum\"\n"
        "            confidence: high\n"
        "            score: 788\n"
        "            settings: "
        "{\"resource\":\"shops/{shop}/orders/{id}\",\"select\":\"sum\"}\n"
        "            because:\n"
        "              - \"names share: sum\"\n"
        "              - \"a number\"\n"
        "      weight:\n"
        "        accept: true\n"
        "        type: \"Int(0, 9)\"\n"
        "        place: \"GET /shops/{shop}/orders/{id} weight\"\n"
        "        confidence: high\n"
        "        score: 960\n"
        "        settings: "
        "{\"convert\":{\"number\":true},\"resource\":\"shops/{a}/orders/"
        "{b}\",\"select\":\"weight\"}\n"
        "        because:\n"
        "          - \"it is the path that the contract declares\"\n"
        "          - \"a whole number written as text\"\n";
    const ct_model *m;
    cn_document d;
    (void)state;
    cn_reviewed list[2] = {{.document = MT_STR("a: b.yaml"), .format = CN_OPENAPI}};
    list[0].matches = matches_of(&ROW, &m, &d);
    mt_buf out = {0};
    cn_review_write(&out, m, list, 1);
    assert_text(mt_buf_str(&out), mt_str_z(WANT));
    mt_json tree;
    cn_review review;
    mt_form form = {.arena = &arena};
    assert_int_equal(mt_yaml_read(&arena, mt_buf_str(&out), NULL, &tree, NULL), MT_OK);
    assert_true(cn_review_read(&form, &tree, &review));
    mt_buf told = {0};
    mt_buf_addf(&told, "%d %.*s %u %.*s %.*s %d:", (int)review.version,
                MT_ARG(review.contract), review.source_count,
                MT_ARG(review.sources[0].source), MT_ARG(review.sources[0].document),
                review.sources[0].format);
    for (uint32_t i = 0; i < review.sources[0].fact_count; i++) {
        const cn_decided *f = &review.sources[0].facts[i];
        mt_buf why = {0};
        mt_buf_addf(&told, " %.*s%s", MT_ARG(f->fact), f->accept ? "+" : "-");
        if (f->settings) {
            assert_true(
                cn_review_check(&arena, &d, m->facts[0].type, f->settings, &why));
        }
        mt_buf_free(&why);
    }
    assert_text(mt_buf_str(&told),
                MT_STR("1 c 1 s a: b.yaml 0: colour- no- total+ weight+"));
    mt_buf_free(&told);
    mt_buf_clear(&out);
    cn_review_write(&out, m, list, 0);
    assert_true(mt_str_ends(mt_buf_str(&out),
                            MT_STR("review: 1\ncontract: \"c\"\nsources: {}\n")));
    mt_buf_free(&out);
}

/* clang-format off */
#define GOT "'resource':'shops/{shop}/orders/{id}','select':'total'"
#define ASKED "'parameters':['id'],'query':'query($id: ID!) { order(id: $id) { total } }','select':'order.total'"
static const char NO_PLACE[] = "the document has no such place, so its type cannot be checked; "
                               "write it into the configuration by hand";
static const struct checked_row {
    const char *name;
    cn_format format;
    const char *settings, *why; /* ' for "; NULL: it is good */
} CHECKED[] = {
    {"settings as they are proposed", CN_OPENAPI, "{" GOT "}", NULL},
    {"names of one's own", CN_OPENAPI, "{'resource':'shops/{a_b}/orders/{c}','select':'total'}", NULL},
    {"one name for two", CN_OPENAPI, "{'resource':'shops/{a}/orders/{a}','select':'total'}", NULL},
    {"keys in another order", CN_OPENAPI, "{'select':'total','resource':'shops/{shop}/orders/{id}'}", NULL},
    {"a conversion that leads there", CN_OPENAPI, "{'convert':{'shift':1}," GOT "}", NULL},
    {"one that does not", CN_OPENAPI, "{'convert':{'unit':'days'}," GOT "}",
     "a whole number with this conversion does not give the fact's type"},
    {"a name left out", CN_OPENAPI, "{'resource':'shops/{shop}/orders/','select':'total'}", NO_PLACE},
    {"a value for a name", CN_OPENAPI, "{'resource':'shops/7/orders/{id}','select':'total'}", NO_PLACE},
    {"empty braces", CN_OPENAPI, "{'resource':'shops/{}/orders/{id}','select':'total'}", NULL},
    {"a name with a blank", CN_OPENAPI, "{'resource':'shops/{a b}/orders/{id}','select':'total'}", NO_PLACE},
    {"a name that is not closed", CN_OPENAPI, "{'resource':'shops/{a/orders/{id','select':'total'}", NO_PLACE},
    {"another member", CN_OPENAPI, "{'resource':'shops/{shop}/orders/{id}','select':'colour'}", NO_PLACE},
    {"a setting more", CN_OPENAPI, "{'resource':'shops/{shop}/orders/{id}','select':'total','x':1}", NO_PLACE},
    {"a setting less", CN_OPENAPI, "{'select':'total'}", NO_PLACE},
    {"a query", CN_GRAPHQL, "{" ASKED "}", NULL},
    {"a query for something else", CN_GRAPHQL,
     "{'parameters':['id'],'query':'query($id: ID!) { order(id: $id) { name } }','select':'order.total'}", NO_PLACE},
    {"a value of another kind", CN_GRAPHQL,
     "{'parameters':['id'],'query':'query($id: ID!) { order(id: $id) { name } }','select':'order.name'}",
     "text does not give the fact's type"},
};
/* clang-format on */

static mt_str with_quotes(const char *text)
{
    mt_str copy = mt_strf(&arena, "%s", text);
    for (size_t i = 0; i < copy.len; i++) {
        if (copy.ptr[i] == '\'') {
            ((char *)(uintptr_t)copy.ptr)[i] = '"';
        }
    }
    return copy;
}

static void is_checked(void **state)
{
    const struct checked_row *row = *state;
    const ct_model *m = contract_of(
        &arena, MT_STR("source s { protocol: http base_url: \"http://x\" }\n" NUMBER(
                    "x", "a") "rule r { stratum: 0 when: true produce: r(true) }\n"));
    cn_document d = document_of(
        &arena, row->format,
        row->format == CN_OPENAPI
            ? MT_STR(YAML("total: {type: integer}"))
            : MT_STR("type Query { order(id: ID!): Order! } type Order { total: Int! "
                     "name: String! }"));
    mt_json settings;
    mt_buf why = {0};
    assert_int_equal(
        mt_json_read(&arena, with_quotes(row->settings), NULL, &settings, NULL), MT_OK);
    bool good = cn_review_check(&arena, &d, m->facts[0].type, &settings, &why);
    assert_text(mt_buf_str(&why), mt_str_z(row->why ? row->why : ""));
    assert_int_equal(good, row->why == NULL);
    mt_buf_free(&why);
}

/* clang-format off */
static const struct patched_row {
    const char *name, *before, *changed, *after; /* ' for " in `changed` */
} PATCHED[] = {
    {"an empty file", "", "{'a':{'x':1}}", "sources:\n  a:\n    x: 1\n"},
    {"a file without sources", "log: json # z\n", "{'a':{'x':1}}", "log: json # z\nsources:\n  a:\n    x: 1\n"},
    {"a last line without an end", "log: json", "{'a':{'x':1}}", "log: json\nsources:\n  a:\n    x: 1\n"},
    {"sources that have none", "sources:\nlog: json\n", "{'a':{'x':1}}", "sources:\n  a:\n    x: 1\nlog: json\n"},
    {"sources at the end", "log: json\nsources:", "{'a':{'x':1}}", "log: json\nsources:\n  a:\n    x: 1\n"},
    {"a source more, below the others", "sources:\n    b:\n        y: 2 # two\n\n# log\nlog: json\n", "{'a':{'x':1}}",
     "sources:\n    b:\n        y: 2 # two\n    a:\n      x: 1\n\n# log\nlog: json\n"},
    {"a source anew, between others", "sources:\n  # first\n  b: {y: 2}\n  a:\n    # gone\n    y: 1\n    z: 2\n\n  # last\n  c:\n    z: 3\nlog: json\n",
     "{'a':{'x':1}}", "sources:\n  # first\n  b: {y: 2}\n  a:\n    x: 1\n\n  # last\n  c:\n    z: 3\nlog: json\n"},
    {"a key in quotes", "'sources':\n  \"a\":\n    y: 1\n  'b':\n    y: 2\n", "{'b':{'x':1},'a':{'x':2}}",
     "'sources':\n  a:\n    x: 2\n  b:\n    x: 1\n"},
    {"a key that begins alike", "sources2: 1\nsources:\n  ab:\n    y: 1\n  a-b: {y: 2}\n", "{'a':{'x':1}}",
     "sources2: 1\nsources:\n  ab:\n    y: 1\n  a-b: {y: 2}\n  a:\n    x: 1\n"},
    {"a key further in", "other:\n  sources:\n    a: 1\nsources:\n  b:\n    a:\n      y: 1\n", "{'a':{'x':1}}",
     "other:\n  sources:\n    a: 1\nsources:\n  b:\n    a:\n      y: 1\n  a:\n    x: 1\n"},
    {"two at once", "sources:\n  a: {y: 1}\n", "{'a':{'x':1},'b':{'x':2}}", "sources:\n  a:\n    x: 1\n  b:\n    x: 2\n"},
    {"flow style is written anew", "# top\nsources: {b: {y: 2}} # end\nlog: json\n", "{'a':{'x':1}}",
     "# top\nsources:\n  b:\n    \"y\": 2\n  a:\n    x: 1\nlog: json\n"},
    {"what is deeper than the settings of a fact is in one line",
     "", "{'a':{'facts':{'total':{'select':'a.b','convert':{'shift':-2,'l':[1,'x y',[],{}]}}},'n':{},'l':['a','1',true,null,1.50]}}",
     "sources:\n  a:\n    facts:\n      total:\n        select: a.b\n        convert: {shift: -2, l: [1, \"x y\", [], {}]}\n"
     "    \"n\": {}\n    l: [a, \"1\", true, null, 1.50]\n"},
    {"text that YAML would take for something else",
     "", "{'a':{'a':'','b':'yes','c':'No','d':'~x','e':'1a','f':'-a','g':'.a','h':'/a','i':'a/b.c-d_e1','j':'ON','k':'nu','l':'null','m':'a:b','n':'N','aa':'no1'}}",
     "sources:\n  a:\n    a: \"\"\n    b: \"yes\"\n    c: \"No\"\n    d: \"~x\"\n    e: \"1a\"\n    f: \"-a\"\n    g: \".a\"\n    h: \"/a\"\n"
     "    i: a/b.c-d_e1\n    j: \"ON\"\n    k: nu\n    l: \"null\"\n    m: \"a:b\"\n    \"n\": \"N\"\n    aa: no1\n"},
    {"a list is no configuration", "[1]\n", "{'a':{}}", "it is not a YAML object"},
    {"nor is what cannot be read", "a: [1\n", "{'a':{}}", "it is not a YAML object"},
    {"sources by a name of YAML", "x: &s {a: {y: 1}}\nsources: *s\n", "{'a':{'x':1}}", "x: &s {a: {y: 1}}\nsources:\n  a:\n    x: 1\n"},
    {"sources that are no object", "sources: 3\n", "{'a':{'x':1}}", "sources:\n  a:\n    x: 1\n"},
    {"a file in braces", "{log: json, sources: {a: {y: 1}}}\n", "{'a':{'x':1}}",
     "its sources are written in a way that cannot be kept"},
};
/* clang-format on */

static void is_patched(void **state)
{
    const struct patched_row *row = *state;
    mt_json changed;
    mt_buf out = {0}, why = {0};
    mt_str before = fenced(mt_str_z(row->before));
    assert_int_equal(
        mt_json_read(&arena, with_quotes(row->changed), NULL, &changed, NULL), MT_OK);
    mt_err err = cn_config_patch(&arena, before, &changed, &out, &why);
    assert_text(err ? mt_buf_str(&why) : mt_buf_str(&out), mt_str_z(row->after));
    assert_int_equal(out.len > 0, !err);
    mt_buf_free(&out);
    mt_buf_free(&why);
    fenced_free(before);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, MATCHED, is_proposed);
    rows_test(&list, a_review_is_written_and_read);
    rows_add(&list, CHECKED, is_checked);
    rows_add(&list, PATCHED, is_patched);
    int failed = rows_run(&list, "connect/review");
    mt_arena_free(&arena);
    return failed;
}
