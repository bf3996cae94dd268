/* .proto text: what is read and what is refused, limits at their edge; messages both
 * ways. */
#include "../rows.h"

#include "base/json_write.h"
#include "proto/message.h"
#include "proto/wire.h"

static mt_arena arena;

static const pb_schema *read_schema(mt_str text, mt_buf *why)
{
    const pb_schema *schema = NULL;
    pb_read(&arena, MT_STR("a.proto"), text, NULL, NULL, why, &schema);
    return schema;
}

static const struct text_row {
    const char *name, *text, *why; /* NULL: it is read */
} TEXTS[] = {
    {"nothing is a schema", "", NULL},
    {"an edition is read", "edition = \"2023\"; message A { int32 a = 1; }", NULL},
    {"options are read over",
     "message A { option (x.y) = { a: [1, 2] b { c: 3 } }; int32 a = 1 [(z) = {d: "
     "\"}\"}]; }",
     NULL},
    {"numbers may be hexadecimal and octal",
     "message A { int32 a = 0x10; int32 b = 017; }", NULL},
    {"a map is read", "message A { map<string, A> m = 1; }", NULL},
    {"a message may be called map", "message A { map m = 1; } message map {}", NULL},
    {"a type is found outwards", "package a.b; message C { D d = 1; } message D {}",
     NULL},
    {"the largest number of a field", "message A { int32 a = 536870911; }", NULL},
    {"one beyond it", "message A { int32 a = 536870912; }",
     "a number within its range"},
    {"a field has a number", "message A { int32 a; }", "here must be '='"},
    {"a number twice", "message A { int32 a = 1; int32 b = 1; }", "the number 1 twice"},
    {"a field twice", "message A { int32 a = 1; int32 a = 2; }", "has a field twice"},
    {"a message twice", "message A {} enum A { B = 0; }", "'A' is declared twice"},
    {"a type that is not there", "message A { B b = 1; }",
     "the type 'B' of field 'A.b'"},
    {"a method's message", "service S { rpc M(A) returns (A); }",
     "'A' of method 'S/M'"},
    {"a group", "message A { optional group B = 1 {} }", "groups are not read"},
    {"keys of maps", "message A { map<double, int32> m = 1; }",
     "whole numbers, bool or"},
    {"an enum without values", "enum E {}", "an enum has values"},
    {"a message without its end", "message A { int32 a = 1;", "a message is not ended"},
    {"another syntax", "syntax = \"proto4\";", "\"proto2\" or \"proto3\""},
    {"an import that leads outside", "import \"a/../../b.proto\";", "leads outside"},
    {"an import that is not there", "import \"b.proto\";", "the import 'b.proto'"},
    {"a feature that does not change the bytes",
     "edition = \"2023\"; message A { int32 a = 1 [features.(x.y).z = 1]; }", NULL},
    {"groups of an edition",
     "edition = \"2023\"; message A { A a = 1 [features.message_encoding = DELIMITED]; "
     "}",
     "groups are not read"},
    {"groups of a whole edition",
     "edition = \"2023\"; option features.message_encoding = DELIMITED;",
     "groups are not read"},
    {"features together",
     "edition = \"2023\"; option features = { field_presence: IMPLICIT };",
     "features are read one by one"},
    {"features of a field together",
     "edition = \"2023\"; message A { int32 a = 1 [features = {}]; }",
     "features are read one by one"},
    {"features behind what they are about",
     "edition = \"2023\"; message A {} option features.field_presence = IMPLICIT;",
     "features must stand before the messages"},
    {"neither text nor a set", "\x01\x02", "neither .proto text nor a descriptor set"},
};

static void is_read_or_refused(void **state)
{
    const struct text_row *row = *state;
    mt_buf why = {0};
    mt_str text = fenced(mt_str_z(row->text));
    const pb_schema *schema = read_schema(text, &why);
    mt_buf_addc(&why, '\0');
    assert_int_equal(schema != NULL, row->why == NULL);
    if (row->why) {
        assert_non_null(strstr(why.ptr, row->why));
    }
    mt_buf_free(&why);
    fenced_free(text);
}

/* `count` messages inside each other. */
static bool nests(size_t count)
{
    mt_buf text = {0}, why = {0};
    for (size_t i = 0; i < count; i++) {
        mt_buf_addz(&text, "message A { ");
    }
    for (size_t i = 0; i < count; i++) {
        mt_buf_addz(&text, "} ");
    }
    bool good = read_schema(mt_str_dup(&arena, mt_buf_str(&text)), &why) != NULL;
    mt_buf_free(&text);
    mt_buf_free(&why);
    return good;
}

static void nesting_has_an_edge(void **state)
{
    (void)state;
    assert_true(nests(PB_MOST_NESTING));
    assert_false(nests(PB_MOST_NESTING + 1));
}

static bool names(int length)
{
    mt_buf why = {0};
    mt_str text = mt_strf(&arena, "message %0*d {}", length, 0);
    ((char *)(uintptr_t)text.ptr)[8] = 'A';
    bool good = read_schema(text, &why) != NULL;
    mt_buf_free(&why);
    return good;
}

static void names_have_an_edge(void **state)
{
    (void)state;
    assert_true(names(PB_MOST_NAME));
    assert_false(names(PB_MOST_NAME + 1));
}

/* A message inside itself, `depth` times. */
static mt_err decodes(size_t depth)
{
    mt_buf why = {0}, bytes = {0};
    mt_json tree;
    const char *reason;
    const pb_schema *s = read_schema(MT_STR("message A { optional A a = 1; }"), &why);
    for (size_t i = 0; i < depth; i++) {
        mt_buf outer = {0};
        mt_buf_addc(&outer, 0x0a);
        for (size_t len = bytes.len; len > 127; len >>= 7) {
            mt_buf_addc(&outer, (char)(len | 0x80));
        }
        mt_buf_addc(&outer, (char)(bytes.len > 127 ? bytes.len >> 7 : bytes.len));
        mt_buf_adds(&outer, mt_buf_str(&bytes));
        mt_buf_free(&bytes);
        bytes = outer;
    }
    mt_err err = pb_decode(&arena, s->messages[0], mt_buf_str(&bytes), &tree, &reason);
    mt_buf_free(&bytes);
    mt_buf_free(&why);
    return err;
}

static void depth_of_messages_has_an_edge(void **state)
{
    (void)state;
    assert_int_equal(decodes(PB_MOST_DEPTH), MT_OK);
    assert_int_equal(decodes(PB_MOST_DEPTH + 1), MT_E_LIMIT);
}

static const char LAYOUT[] =
    "syntax = \"proto3\"; import \"google/protobuf/wrappers.proto\";"
    "message M { int64 big = 1; sint32 small = 2; repeated int32 many = 3; bytes raw = "
    "4;"
    " optional bool flag = 5; enum E { NONE = 0; SOME = 1; } E e = 6; float f = 7;"
    " oneof o { string a = 8; int32 b = 9; } google.protobuf.StringValue w = 10;"
    " map<string, int32> m = 11; uint32 plain_name = 12; }";

static const struct message_row {
    const char *name, *json, *back; /* NULL: it is refused */
} MESSAGES[] = {
    {"nothing has defaults", "{}",
     "{\"big\":\"0\",\"e\":\"NONE\",\"f\":0.0,\"m\":{},\"many\":[],\"plain_name\":0,"
     "\"raw\":\"\","
     "\"small\":0}"},
    {"numbers of 64 bits are text", "{\"big\":-9223372036854775808}",
     "{\"big\":\"-9223372036854775808\",\"e\":\"NONE\",\"f\":0.0,\"m\":{},\"many\":[],"
     "\"plain_name\":0,\"raw\":\"\",\"small\":0}"},
    {"everything else",
     "{\"small\":\"-5\",\"many\":[1,-1],\"raw\":\"AP8=\",\"flag\":false,\"e\":\"SOME\","
     "\"f\":0.1,"
     "\"b\":7,\"w\":\"x\",\"m\":{\"k\":1},\"plainName\":3}",
     "{\"b\":7,\"big\":\"0\",\"e\":\"SOME\",\"f\":0.1,\"flag\":false,\"m\":{\"k\":1},"
     "\"many\":[1,-1],"
     "\"plain_name\":3,\"raw\":\"AP8=\",\"small\":-5,\"w\":\"x\"}"},
    {"a number beyond 64 bits", "{\"big\":9223372036854775808}", NULL},
    {"a number beyond 32 bits", "{\"small\":2147483648}", NULL},
    {"a negative one where there is none", "{\"plain_name\":-1}", NULL},
    {"a value that no enum has", "{\"e\":\"OTHER\"}", NULL},
    {"bytes that are not base64", "{\"raw\":\"A\"}", NULL},
    {"bytes that are only padding", "{\"raw\":\"==\"}", NULL},
    {"bytes with padding too early", "{\"raw\":\"a==\"}", NULL},
    {"four signs of padding", "{\"raw\":\"====\"}", NULL},
    {"the largest float", "{\"f\":3.4028235e38}",
     "{\"big\":\"0\",\"e\":\"NONE\",\"f\":3.4028235e38,\"m\":{},\"many\":[],\"plain_"
     "name\":0,\"raw\":\"\",\"small\":0}"},
    {"a float beyond the largest", "{\"f\":3.4028236e38}", NULL},
    {"a float that only a double has", "{\"f\":1e300}", NULL},
    {"a number beyond doubles", "{\"f\":1e400}", NULL},
    {"what is not a number is text", "{\"f\":\"NaN\"}",
     "{\"big\":\"0\",\"e\":\"NONE\",\"f\":\"NaN\",\"m\":{},\"many\":[],\"plain_name\":"
     "0,\"raw\":\"\",\"small\":0}"},
    {"infinity is text", "{\"f\":\"Infinity\"}",
     "{\"big\":\"0\",\"e\":\"NONE\",\"f\":\"Infinity\",\"m\":{},\"many\":[],\"plain_"
     "name\":0,\"raw\":\"\",\"small\":0}"},
    {"and so is its opposite", "{\"f\":\"-Infinity\"}",
     "{\"big\":\"0\",\"e\":\"NONE\",\"f\":\"-Infinity\",\"m\":{},\"many\":[],\"plain_"
     "name\":0,\"raw\":\"\",\"small\":0}"},
    {"other words are no numbers", "{\"f\":\"inf\"}", NULL},
    {"a field that is not there", "{\"none\":1}", NULL},
    {"a list that is not one", "{\"many\":1}", NULL},
};

static void goes_both_ways(void **state)
{
    const struct message_row *row = *state;
    mt_buf why = {0}, bytes = {0}, back = {0};
    mt_json given, got;
    const char *reason;
    const pb_schema *s = read_schema(mt_str_z(LAYOUT), &why);
    const pb_message *m = pb_message_find(s, MT_STR(".M"));
    assert_int_equal(mt_json_read(&arena, mt_str_z(row->json), NULL, &given, NULL),
                     MT_OK);
    assert_int_equal(pb_encode(&bytes, m, &given, &why) == MT_OK, row->back != NULL);
    assert_int_equal(why.len > 0, row->back == NULL);
    if (row->back) {
        assert_int_equal(pb_decode(&arena, m, mt_buf_str(&bytes), &got, &reason),
                         MT_OK);
        mt_json_write(&back, &got, false);
        assert_text(mt_buf_str(&back), mt_str_z(row->back));
    }
    mt_buf_free(&why);
    mt_buf_free(&bytes);
    mt_buf_free(&back);
}

static void put_number(mt_buf *out, uint32_t number, uint64_t value)
{
    pb_put_tag(out, number, PB_VARINT);
    pb_put_varint(out, value);
}

/* options { features { feature: value } }, or nothing without a feature. */
static void put_features(mt_buf *out, uint32_t number, uint32_t feature, uint64_t value)
{
    mt_buf features = {0}, options = {0};
    if (feature) {
        put_number(&features, feature, value);
        pb_put_span(&options, number, mt_buf_str(&features));
        pb_put_span(out, 8, mt_buf_str(&options));
    }
    mt_buf_free(&features);
    mt_buf_free(&options);
}

/* A set with the edition's message M { int32 a = 1; }, and one feature of the file and
 * of the field each: 1 is field_presence, 5 message_encoding. */
static mt_str edition_set(uint32_t of_file, uint64_t first, uint32_t of_field,
                          uint64_t second)
{
    mt_buf field = {0}, message = {0}, file = {0}, set = {0};
    pb_put_span(&field, 1, MT_STR("a"));
    put_number(&field, 3, 1);
    put_number(&field, 4, 1);
    put_number(&field, 5, PB_INT32);
    put_features(&field, 21, of_field, second);
    pb_put_span(&message, 1, MT_STR("M"));
    pb_put_span(&message, 2, mt_buf_str(&field));
    pb_put_span(&file, 1, MT_STR("a.proto"));
    pb_put_span(&file, 4, mt_buf_str(&message));
    put_features(&file, 50, of_file, first);
    pb_put_span(&file, 12, MT_STR("editions"));
    pb_put_span(&set, 1, mt_buf_str(&file));
    mt_str bytes = mt_str_dup(&arena, mt_buf_str(&set));
    mt_buf_free(&field);
    mt_buf_free(&message);
    mt_buf_free(&file);
    mt_buf_free(&set);
    return bytes;
}

/* What a field that was not sent is. 2 means IMPLICIT, or DELIMITED. */
static const struct absent_row {
    const char *name, *text; /* NULL: the set of these features */
    uint32_t of_file, of_field;
    uint64_t first, second;
    const char *want; /* NULL: it is refused */
} ABSENT[] = {
    {"proto3 has a default", "syntax = \"proto3\"; message M { int32 a = 1; }", 0, 0, 0,
     0, "{\"a\":0}"},
    {"an edition has none", "edition = \"2023\"; message M { int32 a = 1; }", 0, 0, 0,
     0, "{}"},
    {"a field of it may",
     "edition = \"2023\"; message M { int32 a = 1 [deprecated = true, "
     "features.field_presence = IMPLICIT]; int32 b = 2; }",
     0, 0, 0, 0, "{\"a\":0}"},
    {"all of a file may",
     "edition = \"2023\"; option features.field_presence = IMPLICIT;"
     "message M { int32 a = 1; int32 b = 2 [features.field_presence = EXPLICIT]; }",
     0, 0, 0, 0, "{\"a\":0}"},
    {"not in a oneof",
     "edition = \"2023\"; option features.field_presence = IMPLICIT;"
     "message M { oneof o { int32 a = 1; } }",
     0, 0, 0, 0, "{}"},
    {"an option of somebody's is another thing",
     "edition = \"2023\"; message M { int32 a = 1 [(x).features.field_presence = "
     "IMPLICIT]; }",
     0, 0, 0, 0, "{}"},
    {"a set of an edition has none", NULL, 0, 0, 0, 0, "{}"},
    {"a field of it may, too", NULL, 0, 1, 0, 2, "{\"a\":0}"},
    {"and all of a file", NULL, 1, 0, 2, 0, "{\"a\":0}"},
    {"but for one field", NULL, 1, 1, 2, 1, "{}"},
    {"groups of a field are refused", NULL, 0, 5, 0, 2, NULL},
    {"groups of a file are refused", NULL, 5, 0, 2, 0, NULL},
};

static void is_absent_or_default(void **state)
{
    const struct absent_row *row = *state;
    mt_buf why = {0}, back = {0};
    mt_json got;
    const char *reason;
    const pb_schema *s = read_schema(
        row->text ? mt_str_z(row->text)
                  : edition_set(row->of_file, row->first, row->of_field, row->second),
        &why);
    assert_int_equal(s != NULL, row->want != NULL);
    if (s) {
        assert_int_equal(pb_decode(&arena, s->messages[0], MT_STR(""), &got, &reason),
                         MT_OK);
        mt_json_write(&back, &got, false);
        assert_text(mt_buf_str(&back), mt_str_z(row->want));
    }
    mt_buf_free(&why);
    mt_buf_free(&back);
}

static const struct method_row {
    const char *name;
    const char *services[3]; /* in this order */
    const char *path, *found;
} METHODS[] = {
    {"by its full name", {"a.S"}, "a.S/M", "a.S"},
    {"as HTTP/2 has it", {"a.S"}, "/a.S/M", "a.S"},
    {"by its short name", {"a.S"}, "S/M", "a.S"},
    {"two short names are none", {"a.S", "b.S"}, "S/M", NULL},
    {"a full name before two short ones", {"S", "a.S", "b.S"}, "S/M", "S"},
    {"a full name between them", {"a.S", "S", "b.S"}, "S/M", "S"},
    {"a full name behind them", {"a.S", "b.S", "S"}, "S/M", "S"},
    {"half a name is none", {"a.TS"}, "S/M", NULL},
};

static void is_found(void **state)
{
    const struct method_row *row = *state;
    pb_method methods[3] = {0};
    pb_schema s = {.methods = methods};
    for (; s.method_count < 3 && row->services[s.method_count]; s.method_count++) {
        methods[s.method_count].service = mt_str_z(row->services[s.method_count]);
        methods[s.method_count].name = MT_STR("M");
    }
    const pb_method *m = pb_method_find(&s, mt_str_z(row->path));
    assert_int_equal(m != NULL, row->found != NULL);
    if (m) {
        assert_text(m->service, mt_str_z(row->found));
    }
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, TEXTS, is_read_or_refused);
    rows_test(&list, nesting_has_an_edge);
    rows_test(&list, names_have_an_edge);
    rows_test(&list, depth_of_messages_has_an_edge);
    rows_add(&list, MESSAGES, goes_both_ways);
    rows_add(&list, ABSENT, is_absent_or_default);
    rows_add(&list, METHODS, is_found);
    int failed = rows_run(&list, "proto/proto");
    mt_arena_free(&arena);
    return failed;
}
