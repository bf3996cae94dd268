/* Bytes of messages: whatever they are, they are refused or become JSON; and JSON that
 * can be sent is read back as the same JSON. */
#include <stddef.h>
#include <stdint.h>

#include "base/json_write.h"
#include "proto/message.h"

static const char LAYOUT[] =
    "syntax=\"proto3\";import \"google/protobuf/timestamp.proto\";"
    "import \"google/protobuf/duration.proto\";import "
    "\"google/protobuf/wrappers.proto\";"
    "import \"google/protobuf/struct.proto\";enum E{A=0;B=1;C=-1;}"
    "message M{double f1=1;float f2=2;int64 f3=3;uint64 f4=4;int32 f5=5;fixed64 f6=6;"
    "fixed32 f7=7;bool f8=8;string f9=9;bytes f10=10;uint32 f11=11;E f12=12;"
    "sfixed32 f13=13;sfixed64 f14=14;sint32 f15=15;sint64 f16=16;M f17=17;"
    "repeated int32 f18=18;repeated M f19=19;map<string,int64> f20=20;"
    "map<int32,E> f21=21;oneof o{string f22=22;int64 f23=23;M f24=24;}"
    "optional int32 f25=25;google.protobuf.Timestamp f26=26;"
    "google.protobuf.Duration f27=27;google.protobuf.Int64Value f28=28;"
    "google.protobuf.Struct f29=29;repeated double f30=30;}";

/* Durations and Struct are read, never sent; null stands for what is not there. */
static void round_trip(mt_arena *a, const pb_message *m, const mt_json *tree)
{
    mt_buf bytes = {0}, why = {0};
    mt_json again;
    const char *reason;
    if (!pb_encode(&bytes, m, tree, &why)) {
        mt_err err = pb_decode(a, m, mt_buf_str(&bytes), &again, &reason);
        MT_ASSERT(err == MT_OK || err == MT_E_LIMIT);
        MT_ASSERT(err || mt_json_equal(tree, &again));
    } else {
        MT_ASSERT(why.len);
    }
    mt_buf_free(&bytes);
    mt_buf_free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_buf why = {0}, text = {0};
    const pb_schema *schema;
    const char *reason;
    mt_json tree, again;
    MT_ASSERT(!pb_read(&a, MT_STR("m"), mt_str_z(LAYOUT), NULL, NULL, &why, &schema));
    const pb_message *m = pb_message_find(schema, MT_STR("M"));
    mt_err err =
        pb_decode(&a, m, mt_str_from((const char *)data, size), &tree, &reason);
    MT_ASSERT(!err == !reason);
    if (!err) {
        mt_json_write(&text, &tree, false);
        MT_ASSERT(mt_json_read(&a, mt_buf_str(&text), NULL, &again, NULL) == MT_OK);
        round_trip(&a, m, &tree);
    }
    mt_buf_free(&why);
    mt_buf_free(&text);
    mt_arena_free(&a);
    return 0;
}
