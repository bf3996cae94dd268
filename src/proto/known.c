/* proto/known.c - the files of Google's that many others import, as far as fields go,
 * and what JSON makes of their messages. Room: proto.
 *
 * They are built in so that a .proto file can be used as it is found, without the
 * include directory of a compiler. A file that is missing here has to be beside the
 * importing one; to add one, add a row with its messages, and a row to MESSAGES if JSON
 * writes it otherwise. */
#include "proto/build.h"

static const struct known_file {
    const char *name, *text;
} FILES[] = {
    {"google/protobuf/timestamp.proto",
     "syntax=\"proto3\";package google.protobuf;"
     "message Timestamp{int64 seconds=1;int32 nanos=2;}"},
    {"google/protobuf/duration.proto",
     "syntax=\"proto3\";package google.protobuf;"
     "message Duration{int64 seconds=1;int32 nanos=2;}"},
    {"google/protobuf/empty.proto",
     "syntax=\"proto3\";package google.protobuf;message Empty{}"},
    {"google/protobuf/any.proto", "syntax=\"proto3\";package google.protobuf;"
                                  "message Any{string type_url=1;bytes value=2;}"},
    {"google/protobuf/field_mask.proto", "syntax=\"proto3\";package google.protobuf;"
                                         "message FieldMask{repeated string paths=1;}"},
    {"google/protobuf/struct.proto",
     "syntax=\"proto3\";package google.protobuf;"
     "message Struct{map<string,Value> fields=1;}"
     "message Value{oneof kind{NullValue null_value=1;double number_value=2;"
     "string string_value=3;bool bool_value=4;Struct struct_value=5;"
     "ListValue list_value=6;}}"
     "enum NullValue{NULL_VALUE=0;}"
     "message ListValue{repeated Value values=1;}"},
    {"google/protobuf/wrappers.proto",
     "syntax=\"proto3\";package google.protobuf;"
     "message DoubleValue{double value=1;}message FloatValue{float value=1;}"
     "message Int64Value{int64 value=1;}message UInt64Value{uint64 value=1;}"
     "message Int32Value{int32 value=1;}message UInt32Value{uint32 value=1;}"
     "message BoolValue{bool value=1;}message StringValue{string value=1;}"
     "message BytesValue{bytes value=1;}"},
    /* Only options come from these, and options are read over. */
    {"google/protobuf/descriptor.proto", "syntax=\"proto3\";package google.protobuf;"},
    {"google/api/annotations.proto", "syntax=\"proto3\";package google.api;"},
    {"google/api/field_behavior.proto", "syntax=\"proto3\";package google.api;"},
    {"google/api/resource.proto", "syntax=\"proto3\";package google.api;"},
    {"google/api/client.proto", "syntax=\"proto3\";package google.api;"},
    {"google/type/money.proto",
     "syntax=\"proto3\";package google.type;"
     "message Money{string currency_code=1;int64 units=2;int32 nanos=3;}"},
    {"google/type/date.proto", "syntax=\"proto3\";package google.type;"
                               "message Date{int32 year=1;int32 month=2;int32 day=3;}"},
    {"google/type/decimal.proto",
     "syntax=\"proto3\";package google.type;message Decimal{string value=1;}"},
};

mt_str pb_known_file(mt_str name)
{
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        if (mt_str_eq(mt_str_z(FILES[i].name), name)) {
            return mt_str_z(FILES[i].text);
        }
    }
    return (mt_str){0};
}

/* google.type.Money and Date are not here: JSON writes them as objects. What facts make
 * of them is for the adapter. */
static const struct known_message {
    mt_str name;
    pb_known known;
} MESSAGES[] = {
    {MT_STR_INIT("google.protobuf.Timestamp"), PB_TIMESTAMP},
    {MT_STR_INIT("google.protobuf.Duration"), PB_DURATION},
    {MT_STR_INIT("google.protobuf.DoubleValue"), PB_INSIDE},
    {MT_STR_INIT("google.protobuf.FloatValue"), PB_INSIDE},
    {MT_STR_INIT("google.protobuf.Int64Value"), PB_INSIDE},
    {MT_STR_INIT("google.protobuf.UInt64Value"), PB_INSIDE},
    {MT_STR_INIT("google.protobuf.Int32Value"), PB_INSIDE},
    {MT_STR_INIT("google.protobuf.UInt32Value"), PB_INSIDE},
    {MT_STR_INIT("google.protobuf.BoolValue"), PB_INSIDE},
    {MT_STR_INIT("google.protobuf.StringValue"), PB_INSIDE},
    {MT_STR_INIT("google.protobuf.BytesValue"), PB_INSIDE},
    {MT_STR_INIT("google.protobuf.Struct"), PB_INSIDE},
    {MT_STR_INIT("google.protobuf.ListValue"), PB_INSIDE},
    {MT_STR_INIT("google.protobuf.Value"), PB_INSIDE},
};

/* A file of one's own may declare a message of such a name; only one that has the
 * fields is taken for it. */
static bool has_fields(const pb_message *m, pb_known known)
{
    const pb_field *first = pb_field_numbered(m, 1), *second = pb_field_numbered(m, 2);
    if (known == PB_INSIDE) {
        return m->count > 0;
    }
    return m->count == 2 && first && second && first->kind == PB_INT64 &&
           second->kind == PB_INT32 && !first->repeated && !second->repeated;
}

pb_known pb_known_of(const pb_message *m)
{
    if (!mt_str_starts(m->name, MT_STR("google.protobuf."))) {
        return PB_PLAIN;
    }
    for (size_t i = 0; i < sizeof MESSAGES / sizeof *MESSAGES; i++) {
        if (mt_str_eq(MESSAGES[i].name, m->name) && has_fields(m, MESSAGES[i].known)) {
            return MESSAGES[i].known;
        }
    }
    return PB_PLAIN;
}
