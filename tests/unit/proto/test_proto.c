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
    {"eight is no octal digit", "message A { int32 a = 08; }",
     "a number within its range"},
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
    {"an import of a name", "import b;", "here must be the name of a file"},
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
    {"a feature of a field without a value",
     "edition = \"2023\"; message A { int32 a = 1 [features.field_presence]; }",
     "here must be '=', not ']'"},
    {"features behind what they are about",
     "edition = \"2023\"; message A {} option features.field_presence = IMPLICIT;",
     "features must stand before the messages"},
    {"an open quote in an option", "option x = \"a;\nmessage A {}",
     "a quote is not closed"},
    {"an open quote in a field's options", "message A { int32 a = 1 [x = 'a]; }",
     "a quote is not closed"},
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
    {"an enum's value by its number", "{\"e\":1}",
     "{\"big\":\"0\",\"e\":\"SOME\",\"f\":0.0,\"m\":{},\"many\":[],\"plain_name\":0,"
     "\"raw\":\"\",\"small\":0}"},
    {"and below zero", "{\"e\":-2147483648}",
     "{\"big\":\"0\",\"e\":-2147483648,\"f\":0.0,\"m\":{},\"many\":[],\"plain_name\":0,"
     "\"raw\":\"\",\"small\":0}"},
    {"and beyond", "{\"e\":-2147483649}", NULL},
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

/* What is a message, an enum or a service has bytes; a number there is somebody else's.
 */
static void numbers_in_place_of_declarations_are_passed_over(void **state)
{
    (void)state;
    for (uint32_t number = 4; number <= 6; number++) {
        mt_buf message = {0}, file = {0}, set = {0}, why = {0};
        put_number(&file, number, 1);
        pb_put_span(&file, 1, MT_STR("a.proto"));
        pb_put_span(&message, 1, MT_STR("M"));
        pb_put_span(&file, 4, mt_buf_str(&message));
        put_number(&file, number, 1);
        pb_put_span(&set, 1, mt_buf_str(&file));
        const pb_schema *s = read_schema(mt_buf_str(&set), &why);
        assert_text(mt_buf_str(&why), MT_STR(""));
        assert_non_null(s);
        assert_int_equal(s->message_count, 1);
        assert_int_equal(s->method_count, 0);
        mt_buf_free(&message);
        mt_buf_free(&file);
        mt_buf_free(&set);
        mt_buf_free(&why);
    }
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

static void tell_message(mt_buf *out, const pb_message *m)
{
    mt_buf_addf(out, "%.*s%s\n", MT_ARG(m->name), m->is_map_entry ? " (map)" : "");
    for (size_t i = 0; i < m->count; i++) {
        const pb_field *f = &m->fields[i];
        mt_buf_addf(out, " %u %.*s/%.*s %s%s%.*s%s%s", f->number, MT_ARG(f->name),
                    MT_ARG(f->json_name), f->repeated ? "*" : "",
                    PB_KIND_NAMES[f->kind] ? PB_KIND_NAMES[f->kind] : "",
                    MT_ARG(f->message   ? f->message->name
                           : f->choices ? f->choices->name
                                        : MT_STR("")),
                    f->presence ? "?" : "", f->oneof ? " of one" : "");
        for (size_t k = 0; f->choices && k < f->choices->count; k++) {
            mt_buf_addf(out, " %.*s=%d", MT_ARG(f->choices->values[k].name),
                        f->choices->values[k].number);
        }
        mt_buf_addf(out, "%s%.*s\n", f->comment.len ? " // " : "", MT_ARG(f->comment));
    }
}

#define X10  "xxxxxxxxxx"
#define X50  X10 X10 X10 X10 X10
#define LONG X50 X50 X50 X50 X50 X10 X10 X10 X10 "xxxxxxxxx"
#define O7   "((((((("
#define C7   ")))))))"
#define O63  O7 O7 O7 O7 O7 O7 O7 O7 O7
#define C63  C7 C7 C7 C7 C7 C7 C7 C7 C7
#define O64  O63 "("
#define C64  C63 ")"
/* clang-format off */
static const struct told_row {
    const char *name, *text, *told; /* or why not */
} TOLD[] = {
    {"comments of both kinds stand beside what follows",
     "syntax = \"proto3\"; /* a ** b */ message A { // first\n // one\n int32 a = 1; /* two */ int32 b = 2;"
     " /**/ int32 c = 3; } /* open",
     "A\n"
     " 1 a/a int32 // one\n"
     " 2 b/b int32 // two\n"
     " 3 c/c int32\n"},
    {"quotes of both kinds, with quotes inside",
     "option a = \"x\\\"y\"; option b = 'x\\'y'; message A { int32 a_b = 1 [(c) = \"}\", json_name = \"z\"]; }",
     "A\n"
     " 1 a_b/z int32?\n"},
    {"enums with options, reserved values and negative ones",
     "enum E { option allow_alias = true; ; reserved 4, 5 to 9; NONE = 0; SOME = -1 [deprecated = true];"
     " LEAST = -2147483648; MOST = 2147483647; }; message A { E e = 1; }",
     "A\n"
     " 1 e/e E? NONE=0 SOME=-1 LEAST=-2147483648 MOST=2147483647\n"},
    {"a value beyond an enum", "enum E { A = 2147483648; }",
     "a.proto:1: here must be a number within its range, not '2147483648'"},
    {"a value below an enum", "enum E { A = -2147483649; }",
     "a.proto:1: here must be a number within its range, not '2147483649'"},
    {"a oneof with an option", "message A { oneof o { option (a) = 1; int32 x = 1; B y = 2; } ; int32 z = 3; }"
     " message B { option deprecated = true; reserved 1, 2; extensions 100 to max; ; extend A { } }",
     "A\n"
     " 1 x/x int32? of one\n"
     " 2 y/y B? of one\n"
     " 3 z/z int32?\n"
     "B\n"},
    {"what is inside, and maps", "package p; message A { message B { enum E { X = 0; } E e = 1; } B b = 1;"
     " map<int64, B> m = 2; repeated string s = 3; .p.A.B c = 4; }",
     "p.A.B\n"
     " 1 e/e p.A.B.E? X=0\n"
     "p.A.m.entry (map)\n"
     " 1 key/key int64\n"
     " 2 value/value p.A.B?\n"
     "p.A\n"
     " 1 b/b p.A.B?\n"
     " 2 m/m *p.A.m.entry\n"
     " 3 s/s *string\n"
     " 4 c/c p.A.B?\n"},
    {"methods", "service S { option (a) = 1; ; rpc One(A) returns (A); /* two */ rpc Two(stream A) returns (A) {"
     " option (b) = {c: 1}; } rpc Three(A) returns (stream A); rpc stream(stream) returns (.A); }; message A {}"
     " message stream {}",
     "A\n"
     "stream\n"
     "S/One A A\n"
     "S/Two A A streams // two\n"
     "S/Three A A streams\n"
     "S/stream stream A\n"},
    {"a comment is not cut inside a character",
     "message A { /* " LONG "\xc3\xa9 */ int32 a = 1; // behind\n }",
     "A\n"
     " 1 a/a int32? // xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"},
    {"a comment of one more", "message A { /* " LONG "xx */ int32 a = 1; }",
     "A\n"
     " 1 a/a int32? // xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"},
    {"a comment of three hundred bytes",
     "message A { /* " LONG "x */ int32 a = 1; }",
     "A\n"
     " 1 a/a int32? // xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"},
    {"names with dots at both ends", "package a.b; message C { .a.b.C c = 1; b.C d = 2; C e = 3; a.b.C f = 4; }",
     "a.b.C\n"
     " 1 c/c a.b.C?\n"
     " 2 d/d a.b.C?\n"
     " 3 e/e a.b.C?\n"
     " 4 f/f a.b.C?\n"},
    {"camel case of names", "message A { int32 a_b = 1; int32 _c_d = 2; int32 e__f_1g = 3; int32 h_ = 4; int32 I_J = 5; }",
     "A\n"
     " 1 a_b/aB int32?\n"
     " 2 _c_d/CD int32?\n"
     " 3 e__f_1g/eF1g int32?\n"
     " 4 h_/h int32?\n"
     " 5 I_J/IJ int32?\n"},
    {"a name that is broken by a line", "message A { a.\nB c = 1; }", "a.proto:2: a name must not be broken, not 'c'"},
    {"a name that is broken by a blank", "message A { a. B c = 1; }", "a.proto:1: a name must not be broken, not 'c'"},
    {"a map of floats", "message A { map<float, string> m = 1; }",
     "a.proto:1: a map has whole numbers, bool or string as keys, not 'm'"},
    {"a map of messages as keys", "message A { map<A, string> m = 1; }",
     "a.proto:1: a map has whole numbers, bool or string as keys, not 'm'"},
    {"the number 0", "message A { int32 a = 0; }",
     "a.proto:1: the number of a field is not zero, not ';'"},
    {"a number with a letter", "message A { int32 a = 1a; }",
     "a.proto:1: here must be a number within its range, not '1a'"},
    {"hexadecimal digits", "message A { int32 a = 0Xaf; int32 b = 0xAF1; }", "A\n"
     " 175 a/a int32?\n"
     " 2801 b/b int32?\n"},
    {"a hexadecimal number without digits", "message A { int32 a = 0x; }",
     "a.proto:1: here must be a number within its range, not '0x'"},
    {"one with a letter too far", "message A { int32 a = 0x1g; }",
     "a.proto:1: here must be a number within its range, not '0x1g'"},
    {"a bracket that was never opened", "option a = 1);", "a.proto:1: a bracket was never opened, not ')'"},
    {"brackets nested sixty-four deep", "option a = " O64 C64 "; message A { int32 a = 1 [b = " O63 C63 "]; }", "A\n"
     " 1 a/a int32?\n"},
    {"brackets of a statement nested deeper", "option a = " O64 "(1)" C64 ";", "brackets are nested more than 64 deep"},
    {"brackets of a field nested deeper", "message A { int32 a = 1 [b = " O63 "(1)" C63 "]; }", "brackets are nested more than 64 deep"},
    {"a field's method type that is no message", "enum E { A = 0; } service S { rpc M(E) returns (E); }", "the message 'E' of method 'S/M' is unknown"},
    {"presence of what is repeated or optional",
     "syntax = \"proto3\"; message A { repeated int32 a = 1; optional int32 b = 2; int32 c = 3; A d = 4; oneof o { int32 e = 5; } }",
     "A\n"
     " 1 a/a *int32\n"
     " 2 b/b int32?\n"
     " 3 c/c int32\n"
     " 4 d/d A?\n"
     " 5 e/e int32? of one\n"},
    {"a line of a fault", "message A {\n\n  int32 a = ; }",
     "a.proto:3: here must be a number within its range, not ';'"},
    {"a long word in a fault", "message A { int32 a = " "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz" "; }",
     "a.proto:1: here must be a number within its range, not 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn'"},
    {"a field by the name of another declaration", "message A { int32 B = 1; message B {} } message C { A.B b = 1; }", "A.B\n"
     "A\n"
     " 1 B/B int32?\n"
     "C\n"
     " 1 b/b A.B?\n"},
    {"a byte that is no UTF-8", "message A {} // \xff", "a.proto is not UTF-8 at byte 16"},
    {"a sign of its own", "message A {} \x01", "it is neither .proto text nor a descriptor set"},
    {"an import from the root", "import \"/a.proto\";", "the import '/a.proto' leads outside"},
    {"an import of here", "import \"a/./b.proto\";", "the import 'a/./b.proto' leads outside"},
    {"an import with a backslash", "import \"a\\\\b.proto\";", "the import 'a\\\\b.proto' leads outside"},
    {"an import with an empty step", "import \"a//b.proto\";", "the import 'a//b.proto' leads outside"},
    {"an import without a name", "import \"\";", "the import '' leads outside"},
    {"an import twice", "import \"google/protobuf/duration.proto\"; import \"google/protobuf/duration.proto\";",
     "google.protobuf.Duration\n"
     " 1 seconds/seconds int64\n"
     " 2 nanos/nanos int32\n"},
    {"an import that is weak", "import weak \"google/protobuf/timestamp.proto\"; message A { google.protobuf.Timestamp t = 1; }",
     "A\n"
     " 1 t/t google.protobuf.Timestamp?\n"
     "google.protobuf.Timestamp\n"
     " 1 seconds/seconds int64\n"
     " 2 nanos/nanos int32\n"},
    {"a method without what it returns", "service S { rpc M(A) (A); } message A {}",
     "a.proto:1: here must be returns, not '('"},
    {"a method without brackets", "service S { rpc M A returns (A); } message A {}",
     "a.proto:1: here must be '(', not 'A'"},
    {"a service without a name", "service { }",
     "a.proto:1: here must be a name of at most 255 bytes, not '{'"},
    {"a service with something else", "service S { message A {} }",
     "a.proto:1: here must be ';', not 'message'"},
    {"a message without a name", "message { }",
     "a.proto:1: here must be a name of at most 255 bytes, not '{'"},
    {"an enum without a name", "enum { A = 0; }",
     "a.proto:1: here must be a name of at most 255 bytes, not '{'"},
    {"a value without a number", "enum E { A; }",
     "a.proto:1: here must be '=', not ';'"},
    {"an option that is not ended", "enum E { option a = {",
     "a.proto:1: a statement is not ended, not ''"},
    {"a oneof without a name", "message A { oneof { int32 a = 1; } }",
     "a.proto:1: here must be a name of at most 255 bytes, not '{'"},
    {"a oneof that is not ended", "message A { oneof o { int32 a = 1; ",
     "a.proto:1: here must be a name of at most 255 bytes, not ''"},
    {"a field without a name", "message A { int32 = 1; }",
     "a.proto:1: here must be a name of at most 255 bytes, not '='"},
    {"a map without a value", "message A { map<string> m = 1; }",
     "a.proto:1: here must be ',', not '>'"},
    {"a map of bytes", "message A { map<bytes, string> m = 1; }",
     "a.proto:1: a map has whole numbers, bool or string as keys, not 'm'"},
};

static const char WIRE[] =
    "syntax = \"proto2\"; import \"google/protobuf/duration.proto\"; import \"google/protobuf/timestamp.proto\";"
    "message M { repeated fixed32 f = 1 [packed = true]; repeated fixed64 g = 2 [packed = true];"
    " repeated sint32 s = 3 [packed = true]; enum E { ONE = 1; MINUS = -1; } optional E e = 4;"
    " optional google.protobuf.Duration d = 5; optional google.protobuf.Timestamp t = 6; optional string x = 7; }";

static const struct bytes_row {
    const char *name, *hex, *json; /* or why not */
} BYTES[] = {
    {"packed numbers of four bytes", "0a 08 01 00 00 00 ff ff ff ff",
     "{\"f\":[1,4294967295],\"g\":[],\"s\":[]}"},
    {"packed numbers of eight bytes", "12 08 ff ff ff ff ff ff ff ff",
     "{\"f\":[],\"g\":[\"18446744073709551615\"],\"s\":[]}"},
    {"packed numbers that wander", "1a 03 01 02 03",
     "{\"f\":[],\"g\":[],\"s\":[-1,1,-2]}"},
    {"a packed number that is cut short", "0a 07 01 00 00 00 ff ff ff",
     "a packed list is cut short"},
    {"a packed varint that is cut short", "1a 01 80",
     "a packed list is cut short"},
    {"a value with a sign", "20 ff ff ff ff ff ff ff ff ff 01",
     "{\"e\":\"MINUS\",\"f\":[],\"g\":[],\"s\":[]}"},
    {"a value that the enum has not", "20 07",
     "{\"e\":7,\"f\":[],\"g\":[],\"s\":[]}"},
    {"a duration", "2a 05 08 03 10 80 0a",
     "{\"d\":\"3.00000128s\",\"f\":[],\"g\":[],\"s\":[]}"},
    {"a duration back in time",
     "2a 16 08 fd ff ff ff ff ff ff ff ff 01 10 ff ff ff ff ff ff ff ff ff 01",
     "{\"d\":\"-3.000000001s\",\"f\":[],\"g\":[],\"s\":[]}"},
    {"a duration of two signs", "2a 0d 08 03 10 ff ff ff ff ff ff ff ff ff 01",
     "a Duration is out of its range"},
    {"nothing lasts as long", "2a 07 08 81 bc ae ce 97 09",
     "a Duration is out of its range"},
    {"the longest of all", "2a 07 08 80 bc ae ce 97 09",
     "{\"d\":\"315576000000s\",\"f\":[],\"g\":[],\"s\":[]}"},
    {"a moment", "32 02 08 01",
     "{\"f\":[],\"g\":[],\"s\":[],\"t\":\"1970-01-01T00:00:01Z\"}"},
    {"a group is passed over", "43 08 01 4b 10 02 4c 44 3a 01 61",
     "{\"f\":[],\"g\":[],\"s\":[],\"x\":\"a\"}"},
    {"the end of another group", "43 08 01 4c",
     "it is cut short or not a message"},
    {"a group that is not ended", "43 08 01",
     "it is cut short or not a message"},
    {"an end without a group", "44",
     "it is cut short or not a message"},
    {"a number of eleven bytes", "20 ff ff ff ff ff ff ff ff ff ff 01",
     "it is cut short or not a message"},
    {"a number beyond 64 bits", "20 ff ff ff ff ff ff ff ff ff 02", "it is cut short or not a message"},
    {"field number 0", "00 01",
     "it is cut short or not a message"},
    {"text that is cut short", "3a 05 61",
     "it is cut short or not a message"},
    {"text that is no UTF-8", "3a 01 ff",
     "a string is not UTF-8"},
    {"a moment in the year 10000", "32 07 08 80 83 d1 ff af 07", "a Timestamp is outside of the years 1 to 9999"},
    {"the last moment", "32 0d 08 ff 82 d1 ff af 07 10 ff 93 eb dc 03",
     "{\"f\":[],\"g\":[],\"s\":[],\"t\":\"9999-12-31T23:59:59.999999999Z\"}"},
    {"a moment of a thousand million nanos", "32 06 10 80 94 eb dc 03", "a Timestamp is outside of the years 1 to 9999"},
    {"a moment of less than no nanos", "32 0b 10 ff ff ff ff ff ff ff ff ff 01", "a Timestamp is outside of the years 1 to 9999"},
    {"a duration of a thousand million nanos", "2a 06 10 80 94 eb dc 03", "a Duration is out of its range"},
    {"a duration of two parts", "2a 02 08 03 2a 02 10 01", "{\"d\":\"3.000000001s\",\"f\":[],\"g\":[],\"s\":[]}"},
    {"a duration of two signs, the other way", "2a 0d 08 fd ff ff ff ff ff ff ff ff 01 10 01", "a Duration is out of its range"},
    {"a number where text belongs is unknown", "38 01 2d 01 00 00 00", "{\"f\":[],\"g\":[],\"s\":[]}"},
    {"packed and single numbers together", "18 01 1a 02 02 03 18 04", "{\"f\":[],\"g\":[],\"s\":[-1,1,-2,2]}"},
    {"a varint of a fixed number's place is unknown", "08 01", "{\"f\":[],\"g\":[],\"s\":[]}"},
    {"a list of numbers of eight bytes, one by one", "11 01 00 00 00 00 00 00 00 11 02 00 00 00 00 00 00 00", "{\"f\":[],\"g\":[\"1\",\"2\"],\"s\":[]}"},
    {"a wire type that is none", "3e", "it is cut short or not a message"},
    {"text twice is the last", "3a 01 61 3a 01 62",
     "{\"f\":[],\"g\":[],\"s\":[],\"x\":\"b\"}"},
};
/* clang-format on */

static void tells(void **state)
{
    const struct told_row *row = *state;
    mt_buf out = {0};
    const pb_schema *s = read_schema(mt_str_z(row->text), &out);
    assert_int_equal(s != NULL, out.len == 0);
    for (size_t i = 0; s && i < s->message_count; i++) {
        tell_message(&out, s->messages[i]);
    }
    for (size_t i = 0; s && i < s->method_count; i++) {
        const pb_method *m = &s->methods[i];
        mt_buf_addf(&out, "%.*s/%.*s %.*s %.*s%s%s%.*s\n", MT_ARG(m->service),
                    MT_ARG(m->name), MT_ARG(m->input->name), MT_ARG(m->output->name),
                    m->streams ? " streams" : "", m->comment.len ? " // " : "",
                    MT_ARG(m->comment));
    }
    assert_text(mt_buf_str(&out), mt_str_z(row->told));
    mt_buf_free(&out);
}

/* A text that ends too early is refused, and no schema is made of what was good. */
static void no_text_may_end_here(void **state)
{
    /* clang-format off */
    static const char *const ENDS[] = {
        "enum",
        "enum E",
        "enum E {",
        "enum E { A",
        "enum E { A =",
        "enum E { A = -",
        "enum E { A = 1",
        "enum E { option",
        "message",
        "message A",
        "message A { oneof",
        "message A { oneof o",
        "message A { oneof o {",
        "message A { oneof o { int32",
        "message A { map",
        "message A { map<",
        "message A { map<string",
        "message A { map<string, A",
        "message A { map<string, A>",
        "message A { map<string, A> m",
        "message A { int32 a = 1",
        "message A { int32 a = 1 [",
        "message A { int32 a = 1 [b",
        "message A { int32 a = 1 [b = 1",
        "message A { repeated",
        "message A { reserved 1",
        "service",
        "service S",
        "service S {",
        "service S { rpc",
        "service S { rpc M",
        "service S { rpc M(",
        "service S { rpc M(stream",
        "service S { rpc M(A",
        "service S { rpc M(A)",
        "service S { rpc M(A) returns",
        "service S { rpc M(A) returns (A)",
        "service S { rpc M(A) returns (A) {",
        "import",
        "import public",
        "import \"a.proto\"",
        "package",
        "package a.",
        "package a",
        "syntax",
        "syntax =",
        "syntax = \"proto3\"",
        "edition",
        "edition =",
        "option",
        "option a",
        "option a =",
        "option a = {",
        "extend A {",
    };
    /* clang-format on */
    (void)state;
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        mt_buf why = {0};
        mt_str text = mt_strf(&arena, "message Z {} %s", ENDS[i]);
        if (read_schema(text, &why) || !why.len) {
            fail_msg("%s", ENDS[i]);
        }
        mt_buf_free(&why);
    }
}

static void bytes_are_read(void **state)
{
    const struct bytes_row *row = *state;
    mt_buf why = {0}, bytes = {0}, out = {0};
    mt_json got;
    const char *reason = "";
    const pb_schema *s = read_schema(mt_str_z(WIRE), &why);
    for (const char *at = row->hex; *at; at += at[2] ? 3 : 2) {
        mt_buf_addc(&bytes, (char)strtoul(at, NULL, 16));
    }
    mt_str fence = fenced(mt_buf_str(&bytes));
    if (pb_decode(&arena, pb_message_find(s, MT_STR("M")), fence, &got, &reason)) {
        mt_buf_addz(&out, reason);
    } else {
        mt_json_write(&out, &got, false);
    }
    assert_text(mt_buf_str(&out), mt_str_z(row->json));
    fenced_free(fence);
    mt_buf_free(&why);
    mt_buf_free(&bytes);
    mt_buf_free(&out);
}

/* Groups inside each other, which are passed over. */
static void depth_of_groups_has_an_edge(void **state)
{
    mt_buf why = {0};
    const pb_schema *s = read_schema(mt_str_z(WIRE), &why);
    bool before = true;
    size_t edges = 0;
    (void)state;
    for (size_t depth = 1; depth < 200; depth++) {
        mt_buf bytes = {0};
        mt_json got;
        const char *reason;
        for (size_t i = 0; i < 2 * depth; i++) {
            mt_buf_addc(&bytes, i < depth ? 0x43 : 0x44);
        }
        bool good = !pb_decode(&arena, pb_message_find(s, MT_STR("M")),
                               mt_buf_str(&bytes), &got, &reason);
        edges += good != before;
        before = good;
        mt_buf_free(&bytes);
    }
    assert_int_equal(edges, 1);
    assert_false(before);
    mt_buf_free(&why);
}

/* ---- Sets ---- */

/* Everything of a set that has a name or parts. */
typedef enum set_part {
    OF_SET,
    OF_FILE,
    OF_MESSAGE,
    OF_FIELD,
    OF_ENUM,
    OF_VALUE,
    OF_SERVICE,
    OF_METHOD,
    OF_INPUT,
    OF_OUTPUT,
    OF_PACKAGE,
    OF_NOTHING,
    OF_REQUESTS, /* the method streams them */
    OF_ANSWERS,
    OF_ODD /* all of them have parts of another kind, too, which say nothing */
} set_part;

/* One part has this name instead of its own. */
typedef struct renamed {
    set_part part;
    mt_str name;
} renamed;

static void put_name(mt_buf *out, uint32_t number, const renamed *r, set_part part,
                     const char *own)
{
    pb_put_span(out, number, r->part == part ? r->name : mt_str_z(own));
}

/* Texts where numbers belong (each digit of `texts`), numbers where texts do. */
static void put_odd(mt_buf *out, set_part broken, const char *texts,
                    const char *numbers)
{
    for (; broken == OF_ODD && *texts; texts++) {
        pb_put_span(out, (uint32_t)(*texts - '0'), MT_STR("x"));
    }
    for (; broken == OF_ODD && *numbers; numbers++) {
        put_number(out, (uint32_t)(*numbers - '0'), 1);
    }
}

/* Ends a part, `broken` with a tag that nothing follows, and puts it into another. */
static void put_part(mt_buf *into, uint32_t number, mt_buf *part, bool broken)
{
    if (broken) {
        mt_buf_addc(part, 0x0a);
    }
    pb_put_span(into, number, mt_buf_str(part));
    mt_buf_free(part);
}

/* enum E { V = 0; } message N { message M { int32 f = 1; } }
 * service S { rpc R(N) returns (N); } */
static mt_str small_set(const renamed *r, set_part broken)
{
    mt_buf value = {0}, e = {0}, field = {0}, m = {0}, n = {0}, method = {0},
           service = {0}, file = {0}, set = {0};
    put_name(&value, 1, r, OF_VALUE, "V");
    put_number(&value, 2, 0);
    put_odd(&value, broken, "2", "1");
    put_name(&e, 1, r, OF_ENUM, "E");
    put_odd(&e, broken, "", "12");
    put_part(&e, 2, &value, broken == OF_VALUE);
    put_name(&field, 1, r, OF_FIELD, "f");
    put_number(&field, 3, 1);
    put_number(&field, 4, 1);
    put_number(&field, 5, PB_INT32);
    put_odd(&method, broken, "56", "123");
    put_odd(&field, broken, "3459", "168");
    put_name(&m, 1, r, OF_MESSAGE, "M");
    put_part(&m, 2, &field, broken == OF_FIELD);
    pb_put_span(&n, 1, MT_STR("N"));
    put_odd(&m, broken, "", "12347");
    put_name(&method, 1, r, OF_METHOD, "R");
    put_name(&method, 2, r, OF_INPUT, ".N");
    put_name(&method, 3, r, OF_OUTPUT, ".N");
    put_number(&method, 5, broken == OF_REQUESTS);
    put_number(&method, 6, broken == OF_ANSWERS);
    put_name(&service, 1, r, OF_SERVICE, "S");
    put_odd(&service, broken, "", "12");
    put_part(&service, 2, &method, broken == OF_METHOD);
    pb_put_span(&file, 1, MT_STR("a.proto"));
    put_odd(&file, broken, "", "1234568");
    if (r->part == OF_PACKAGE) {
        pb_put_span(&file, 2, r->name);
    }
    put_part(&file, 4, &m, broken == OF_MESSAGE);
    put_part(&file, 4, &n, false);
    put_part(&file, 5, &e, broken == OF_ENUM);
    put_part(&file, 6, &service, broken == OF_SERVICE);
    put_part(&set, 1, &file, broken == OF_FILE);
    if (broken == OF_SET) {
        mt_buf_addc(&set, 0x0a);
    }
    mt_str bytes = mt_str_dup(&arena, mt_buf_str(&set));
    mt_buf_free(&set);
    return bytes;
}

#define NO_SET "it is neither .proto text nor a descriptor set"

static void reads_set(const renamed *r, set_part broken, const char *want)
{
    mt_buf why = {0};
    mt_str bytes = fenced(small_set(r, broken));
    const pb_schema *s = read_schema(bytes, &why);
    assert_text(mt_buf_str(&why), mt_str_z(want));
    assert_int_equal(s != NULL, !*want);
    mt_buf_free(&why);
    fenced_free(bytes);
}

static void a_name_of_a_set_is_text_and_has_an_edge(void **state)
{
    static char text[PB_MOST_PATH + 1];
    (void)state;
    memset(text, 'a', sizeof text);
    for (set_part part = OF_MESSAGE; part <= OF_OUTPUT; part++) {
        const mt_str BAD[] = {MT_STR(""), MT_STR("a\xff"),
                              mt_str_from(text, PB_MOST_PATH + 1)};
        for (size_t i = 0; i < rows_count(BAD); i++) {
            reads_set(&(renamed){part, BAD[i]}, OF_NOTHING, NO_SET);
        }
        if (part < OF_INPUT) {
            reads_set(&(renamed){part, mt_str_from(text, PB_MOST_PATH)}, OF_NOTHING,
                      "");
        }
    }
    reads_set(&(renamed){OF_PACKAGE, MT_STR("\xff")}, OF_NOTHING, NO_SET);
}

static void a_part_of_a_set_that_breaks_off_is_refused(void **state)
{
    (void)state;
    reads_set(&(renamed){OF_NOTHING, {0}}, OF_NOTHING, "");
    for (set_part part = OF_SET; part <= OF_METHOD; part++) {
        reads_set(&(renamed){OF_NOTHING, {0}}, part, NO_SET);
    }
}

static void a_method_of_a_set_streams_in_either_direction(void **state)
{
    (void)state;
    mt_buf why = {0};
    for (set_part part = OF_NOTHING; part <= OF_ANSWERS; part++) {
        mt_str bytes = small_set(&(renamed){OF_NOTHING, {0}}, part);
        const pb_schema *s = read_schema(bytes, &why);
        assert_text(mt_buf_str(&why), MT_STR(""));
        assert_int_equal(s->methods[0].streams, part != OF_NOTHING);
    }
    mt_buf_free(&why);
}

static void parts_of_another_kind_are_passed_over(void **state)
{
    (void)state;
    mt_buf why = {0}, odd = {0}, plain = {0};
    for (int i = 0; i < 2; i++) {
        mt_str bytes = small_set(&(renamed){OF_NOTHING, {0}}, i ? OF_ODD : OF_NOTHING);
        const pb_schema *s = read_schema(bytes, &why);
        assert_text(mt_buf_str(&why), MT_STR(""));
        assert_int_equal(s->message_count, 2);
        assert_int_equal(s->method_count, 1);
        assert_false(s->methods[0].streams);
        for (size_t k = 0; k < s->message_count; k++) {
            tell_message(i ? &odd : &plain, s->messages[k]);
        }
    }
    assert_text(mt_buf_str(&odd), mt_buf_str(&plain));
    mt_buf_free(&why);
    mt_buf_free(&odd);
    mt_buf_free(&plain);
}

/* A set of so many files, each with nothing but its name. */
static mt_err reads_files(unsigned count, mt_buf *why)
{
    mt_buf set = {0};
    const pb_schema *schema;
    for (unsigned i = 0; i < count; i++) {
        mt_buf file = {0};
        pb_put_span(&file, 1, mt_strf(&arena, "%u.proto", i));
        put_part(&set, 1, &file, false);
    }
    mt_err err =
        pb_read(&arena, MT_STR("a.pb"), mt_buf_str(&set), NULL, NULL, why, &schema);
    mt_buf_free(&set);
    return err;
}

static void the_number_of_files_has_an_edge(void **state)
{
    (void)state;
    mt_buf why = {0};
    unsigned most = 0;
    while (most < 2 * PB_MOST_FILES && !reads_files(most + 1, &why)) {
        most++;
    }
    assert_in_range(most, PB_MOST_FILES - 1, PB_MOST_FILES + 1);
    assert_text(mt_buf_str(&why), MT_STR("it has more than 200 files"));
    mt_buf_free(&why);
}

/* clang-format off */
static const char KINDS[] =
    "syntax = \"proto2\"; import \"google/protobuf/duration.proto\"; import \"google/protobuf/timestamp.proto\";"
    "import \"google/protobuf/struct.proto\"; import \"google/protobuf/wrappers.proto\"; package p;"
    "enum E { ONE = 1; LEAST = -2147483648; }"
    "message M { optional double d = 1; optional float f = 2; optional int64 l = 3; optional uint64 ul = 4;"
    " optional int32 i = 5; optional fixed64 x = 6; optional fixed32 u = 7; optional bool b = 8; optional string s = 9;"
    " optional bytes y = 10; optional uint32 ui = 11; optional sfixed32 si = 12; optional sfixed64 sl = 13;"
    " optional sint32 zi = 14; optional sint64 zl = 15; optional E e = 16; optional M m = 17;"
    " optional google.protobuf.Timestamp t = 18; optional google.protobuf.Duration w = 19;"
    " optional google.protobuf.Int64Value v = 20; optional google.protobuf.Value any = 21; }"
    "message R { repeated bool bs = 1; map<bool, int32> by = 2; map<sint32, M> ms = 3; repeated M many = 4;"
    " repeated E es = 5 [packed = true]; }"
    "message O { oneof one { string a = 1; M m = 2; } oneof two { int32 c = 3; int32 d = 4; } }";

/* The message as JSON, then as bytes, or why not; read back it is `back`, NULL: the same. */
static const struct written_row {
    const char *name, *message, *json, *hex, *back;
} WRITTEN[] = {
    {"the least numbers", "M",
     "{\"i\":-2147483648,\"l\":\"-9223372036854775808\",\"si\":-2147483648,\"sl\":\"-9223372036854775808\","
     "\"zi\":-2147483648,\"zl\":\"-9223372036854775808\"}",

     "2880808080f8ffffffff011880808080808080808001650000008069000000000000008070ffffffff0f78ffffffffffffffffff01", NULL},
    {"the largest numbers", "M",
     "{\"i\":2147483647,\"l\":\"9223372036854775807\",\"si\":2147483647,\"sl\":\"9223372036854775807\","
     "\"u\":4294967295,\"ui\":4294967295,\"ul\":\"18446744073709551615\",\"x\":\"18446744073709551615\","
     "\"zi\":2147483647,\"zl\":\"9223372036854775807\"}",
     "28ffffffff0718ffffffffffffffff7f65ffffff7f69ffffffffffffff7f3dffffffff58ffffffff0f20ffffffffffffffffff0131ffffffffffffffff70feffffff0f78feffffffffffffffff01", NULL},
    {"nothing of each", "M",
     "{\"b\":false,\"d\":0.0,\"f\":0.0,\"i\":0,\"l\":\"0\",\"m\":{},\"s\":\"\",\"si\":0,\"sl\":\"0\",\"u\":0,\"ui\":0,\"ul\":\"0\",\"x\":\"0\",\"y\":\"\",\"zi\":0,\"zl\":\"0\"}",
     "40000900000000000000001500000000280018008a01004a0065000000006900000000000000003d0000000058002000310000000000000000520070007800", NULL},
    {"nothing with a sign", "M", "{\"i\":\"-0\",\"u\":\"-0\",\"zl\":\"-0\"}", "28003d000000007800", "{\"i\":0,\"u\":0,\"zl\":\"0\"}"},
    {"numbers with a fraction", "M", "{\"d\":0.1,\"f\":16777216}", "099a9999999999b93f150000804b", "{\"d\":0.1,\"f\":16777216.0}"},
    {"floats of many digits", "M", "{\"d\":1.7976931348623157e308,\"f\":0.123456789}", "09ffffffffffffef7f15ead6fc3d", "{\"d\":1.7976931348623157e308,\"f\":0.12345679}"},
    {"truths as text", "M", "{\"b\":\"true\",\"m\":{\"b\":\"false\",\"m\":{\"b\":true}}}", "40018a010740008a01024001", "{\"b\":true,\"m\":{\"b\":false,\"m\":{\"b\":true}}}"},
    {"a number for text", "M", "{\"s\":1.50}", "4a04312e3530", "{\"s\":\"1.50\"}"},
    {"bytes with one, two and no signs of padding", "M", "{\"m\":{\"m\":{\"y\":\"AAAA\"},\"y\":\"AAA=\"},\"y\":\"/w==\"}", "8a010c8a01055203000000520200005201ff", NULL},
    {"values of an enum", "M", "{\"e\":\"LEAST\",\"m\":{\"e\":\"ONE\",\"m\":{\"e\":2147483647}}}",
     "800180808080f8ffffffff018a010d8001018a01078001ffffffff07", NULL},
    {"a moment of another zone", "M", "{\"t\":\"2026-01-02T03:04:05.000000006+01:00\"}", "9201080895cfdcca061006", "{\"t\":\"2026-01-02T02:04:05.000000006Z\"}"},
    {"a moment by its parts", "M", "{\"t\":{\"nanos\":999999999,\"seconds\":-1}}", "92011110ff93ebdc0308ffffffffffffffffff01", "{\"t\":\"1969-12-31T23:59:59.999999999Z\"}"},
    {"a duration by its parts", "M", "{\"w\":{\"nanos\":-500000000}}", "9a010b1080b6ca91feffffffff01", "{\"w\":\"-0.5s\"}"},
    {"a duration of nothing", "M", "{\"w\":{}}", "9a0100", "{\"w\":\"0s\"}"},
    {"the shortest beyond nothing", "M", "{\"w\":{\"nanos\":999999999,\"seconds\":100}}", "9a010810ff93ebdc030864", "{\"w\":\"100.999999999s\"}"},
    {"the longest back in time", "M", "{\"w\":{\"nanos\":-999999999,\"seconds\":-315576000000}}",
     "9a01161081ec94a3fcffffffff010880c4d1b1e8f6ffffff01", "{\"w\":\"-315576000000.999999999s\"}"},
    {"what a wrapper holds", "M", "{\"v\":\"-5\"}", "a2010b08fbffffffffffffffff01", NULL},
    {"null is left out", "M", "{\"any\":null,\"d\":null,\"m\":null,\"v\":null}", "", "{}"},
    {"lists and maps", "R",
     "{\"bs\":[true,false,true],\"by\":{\"false\":1,\"true\":2},\"es\":[\"ONE\",\"LEAST\",\"ONE\"],\"many\":[{},{\"i\":1}],\"ms\":{\"-1\":{\"i\":1},\"7\":{}}}",
     "08010800080112040800100112040801100228012880808080f8ffffffff0128012200220228011a060801120228011a04080e1200", NULL},
    {"empty lists and maps", "R", "{\"bs\":[],\"by\":{},\"es\":[],\"many\":[],\"ms\":{}}", "", NULL},
    {"one of several", "O", "{\"a\":\"x\",\"c\":1}", "0a01781801", NULL},
    {"the last of several", "O", "{\"a\":\"x\",\"c\":1,\"d\":2,\"m\":{}}", "0a0178180120021200", "{\"d\":2,\"m\":{}}"},
    {"a number beyond its type", "M", "{\"i\":2147483648}", "field 'i' is beyond the numbers of its type", NULL},
    {"one below it", "M", "{\"i\":-2147483649}", "field 'i' is beyond the numbers of its type", NULL},
    {"one beyond 64 bits", "M", "{\"ul\":\"18446744073709551616\"}", "field 'ul' must be a whole number", NULL},
    {"one of a digit too many", "M", "{\"ul\":\"184467440737095516150\"}", "field 'ul' must be a whole number", NULL},
    {"a negative one without a sign", "M", "{\"ui\":-1}", "field 'ui' is beyond the numbers of its type", NULL},
    {"a fraction for a whole number", "M", "{\"i\":1.5}", "field 'i' must be a whole number", NULL},
    {"signs around the digits", "M", "{\"i\":\"1:\"}", "field 'i' must be a whole number", NULL},
    {"no digits", "M", "{\"i\":\"\"}", "field 'i' must be a whole number", NULL},
    {"a sign only", "M", "{\"i\":\"-\"}", "field 'i' must be a whole number", NULL},
    {"a float beyond its type", "M", "{\"f\":1e39}", "field 'f' is beyond the numbers of its type", NULL},
    {"text for a number", "M", "{\"d\":\"x\"}", "field 'd' must be a number", NULL},
    {"a number for a truth", "M", "{\"b\":1}", "field 'b' must be true or false", NULL},
    {"a word for a truth", "M", "{\"b\":\"yes\"}", "field 'b' must be true or false", NULL},
    {"a truth for text", "M", "{\"s\":true}", "field 's' must be text", NULL},
    {"bytes of three signs", "M", "{\"y\":\"AAA\"}", "field 'y' must be bytes in base64", NULL},
    {"bytes of other signs", "M", "{\"y\":\"A-A=\"}", "field 'y' must be bytes in base64", NULL},
    {"a word that its enum has not", "M", "{\"e\":\"TWO\"}", "field 'e' must be one of its enum's values", NULL},
    {"a number that no enum has", "M", "{\"e\":2147483648}", "field 'e' must be one of its enum's values", NULL},
    {"a list for a message", "M", "{\"m\":[1]}",
     "a 'p.M' must be an object, or a moment of RFC 3339", NULL},
    {"a word for a moment", "M", "{\"t\":\"today\"}",
     "a 'google.protobuf.Timestamp' must be an object, or a moment of RFC 3339", NULL},
    {"text for a duration", "M", "{\"w\":\"1s\"}",
     "a 'google.protobuf.Duration' must be an object, or a moment of RFC 3339", NULL},
    {"what may be anything", "M", "{\"any\":1}", "field 'null_value' is of a type that is not sent", NULL},
    {"null inside a list", "R", "{\"bs\":[null]}", "field 'bs' must be true or false", NULL},
    {"a value for a list", "R", "{\"bs\":true}", "field 'bs' must be a list", NULL},
    {"a list for a map", "R", "{\"by\":[]}", "field 'by' must be an object", NULL},
    {"a key of a map that is none", "R", "{\"by\":{\"yes\":1}}", "field 'key' must be true or false", NULL},
    {"a value of a map that is none", "R", "{\"by\":{\"true\":\"x\"}}", "field 'value' must be a whole number", NULL},
    {"a field inside that is not there", "R", "{\"many\":[{},{\"none\":1}]}", "message 'p.M' has no field 'none'", NULL},
};
/* clang-format on */

static void is_written(void **state)
{
    const struct written_row *row = *state;
    mt_buf why = {0}, bytes = {0}, told = {0}, back = {0};
    mt_json given, got;
    const char *reason;
    const pb_schema *s = read_schema(mt_str_z(KINDS), &why);
    assert_text(mt_buf_str(&why), MT_STR(""));
    const pb_message *m = pb_message_find(s, mt_strf(&arena, "p.%s", row->message));
    assert_int_equal(mt_json_read(&arena, mt_str_z(row->json), NULL, &given, NULL),
                     MT_OK);
    mt_err err = pb_encode(&bytes, m, &given, &why);
    for (size_t i = 0; !err && i < bytes.len; i++) {
        mt_buf_addf(&told, "%02x", (unsigned char)bytes.ptr[i]);
    }
    assert_text(err ? mt_buf_str(&why) : mt_buf_str(&told), mt_str_z(row->hex));
    if (!err) {
        assert_int_equal(pb_decode(&arena, m, mt_buf_str(&bytes), &got, &reason),
                         MT_OK);
        mt_json_write(&back, &got, false);
        assert_text(mt_buf_str(&back), mt_str_z(row->back ? row->back : row->json));
    }
    mt_buf_free(&why);
    mt_buf_free(&bytes);
    mt_buf_free(&told);
    mt_buf_free(&back);
}

/* Of two entries with one key the last counts, wherever the others stand. */
static void the_last_entry_of_a_key_counts(void **state)
{
    (void)state;
    mt_buf why = {0}, back = {0};
    mt_json got;
    const char *reason;
    const pb_schema *s = read_schema(mt_str_z(KINDS), &why);
    static const char BYTES_OF_MAP[] =
        "\x12\x04\x08\x01\x10\x05\x12\x04\x08\x00\x10\x06"
        "\x12\x04\x08\x01\x10\x07\x12\x04\x08\x00\x10\x03";
    assert_int_equal(pb_decode(&arena, pb_message_find(s, MT_STR("p.R")),
                               mt_str_from(BYTES_OF_MAP, sizeof BYTES_OF_MAP - 1), &got,
                               &reason),
                     MT_OK);
    mt_json_write(&back, mt_json_at(&got, "by"), false);
    assert_text(mt_buf_str(&back), MT_STR("{\"false\":3,\"true\":7}"));
    mt_buf_free(&why);
    mt_buf_free(&back);
}

static mt_err encodes(size_t depth)
{
    mt_buf why = {0}, text = {0}, out = {0};
    mt_json given;
    const pb_schema *s = read_schema(mt_str_z(KINDS), &why);
    for (size_t i = 0; i < depth; i++) {
        mt_buf_addz(&text, "{\"m\":");
    }
    mt_buf_addz(&text, "{}");
    for (size_t i = 0; i < depth; i++) {
        mt_buf_addc(&text, '}');
    }
    mt_json_limits limits = {.depth = 1000};
    assert_int_equal(mt_json_read(&arena, mt_buf_str(&text), &limits, &given, NULL),
                     MT_OK);
    mt_err err = pb_encode(&out, pb_message_find(s, MT_STR("p.M")), &given, &why);
    assert_text(mt_buf_str(&why), err ? MT_STR("it is nested too deep") : MT_STR(""));
    mt_buf_free(&why);
    mt_buf_free(&text);
    mt_buf_free(&out);
    return err;
}

static void what_is_sent_has_the_same_edge(void **state)
{
    (void)state;
    assert_int_equal(encodes(PB_MOST_DEPTH), MT_OK);
    assert_int_equal(encodes(PB_MOST_DEPTH + 1), MT_E_LIMIT);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, TOLD, tells);
    rows_add(&list, BYTES, bytes_are_read);
    rows_test(&list, depth_of_groups_has_an_edge);
    rows_test(&list, no_text_may_end_here);
    rows_add(&list, TEXTS, is_read_or_refused);
    rows_test(&list, nesting_has_an_edge);
    rows_test(&list, names_have_an_edge);
    rows_test(&list, depth_of_messages_has_an_edge);
    rows_add(&list, MESSAGES, goes_both_ways);
    rows_add(&list, WRITTEN, is_written);
    rows_test(&list, the_last_entry_of_a_key_counts);
    rows_test(&list, what_is_sent_has_the_same_edge);
    rows_add(&list, ABSENT, is_absent_or_default);
    rows_test(&list, numbers_in_place_of_declarations_are_passed_over);
    rows_add(&list, METHODS, is_found);
    rows_test(&list, a_name_of_a_set_is_text_and_has_an_edge);
    rows_test(&list, a_part_of_a_set_that_breaks_off_is_refused);
    rows_test(&list, a_method_of_a_set_streams_in_either_direction);
    rows_test(&list, parts_of_another_kind_are_passed_over);
    rows_test(&list, the_number_of_files_has_an_edge);
    int failed = rows_run(&list, "proto/proto");
    mt_arena_free(&arena);
    return failed;
}
