/* proto/read_set.c - a FileDescriptorSet, as `protoc --descriptor_set_out` writes it.
 * Room: proto.
 *
 * The numbers are those of google/protobuf/descriptor.proto. Each function reads one of
 * its messages, part by part, and passes over what it does not need. The set must have
 * every file that its files import (protoc --include_imports), but for Google's own and
 * those that the loader has as text.
 *
 * A part whose wire type is not that of its field is passed over like an unknown one;
 * what must be there (names, numbers, types) is asked for at the end of each function.
 * Names must be UTF-8, because they are shown to people. Comments are not in a set that
 * protoc writes without being asked, and are not read. */
#include "base/utf8.h"
#include "proto/build.h"
#include "proto/wire.h"

typedef struct scope {
    pb_build *b;
    mt_str name;   /* package or message around it */
    bool implicit; /* proto3, or so says an edition: a scalar without presence */
    size_t depth;
} scope;

/* One sentence for every broken byte: who has such a file has to make it again, and
 * would not be helped by the place. */
static bool bad_set(pb_build *b)
{
    return pb_fault(b, MT_E_SYNTAX, "it is neither .proto text nor a descriptor set");
}

static bool good_name(pb_build *b, mt_str name)
{
    return (name.len && name.len <= PB_MOST_PATH && mt_utf8_check(name) == name.len) ||
           bad_set(b);
}

static bool read_enum_value(pb_build *b, mt_str bytes, pb_enum_value *out)
{
    pb_part p;
    bool bad = false;
    while (pb_next(&bytes, &p, &bad)) {
        if (p.number == 1 && p.wire == PB_SPAN) {
            out->name = p.span;
        } else if (p.number == 2 && p.wire == PB_VARINT) {
            out->number = (int32_t)p.value;
        }
    }
    return (!bad || bad_set(b)) && good_name(b, out->name) && pb_count(b);
}

/* Values are not checked to be different: the
 * first of a number is the one that is shown. */
static bool read_enum(const scope *s, mt_str bytes)
{
    pb_part p;
    bool bad = false;
    mt_str name = {0};
    MT_VEC(pb_enum_value) values = {0};
    while (pb_next(&bytes, &p, &bad)) {
        if (p.wire != PB_SPAN) {
            continue;
        }
        if (p.number == 1) {
            name = p.span;
        } else if (p.number == 2) {
            pb_enum_value value = {0};
            if (!read_enum_value(s->b, p.span, &value)) {
                return false;
            }
            mt_vec_push(s->b->arena, &values, value);
        }
    }
    if (bad || !good_name(s->b, name)) {
        return bad_set(s->b);
    }
    pb_enum *e = mt_new(s->b->arena, pb_enum);
    *e = (pb_enum){pb_join(s->b->arena, s->name, name), values.items, values.len};
    return pb_add_enum(s->b, e);
}

/* google.protobuf.FeatureSet: of an edition's features only two change what is read,
 * and both are of files and fields alone. */
enum {
    FILE_FEATURES = 50,
    FIELD_FEATURES = 21,
    FIELD_PRESENCE = 1,
    IMPLICIT = 2,
    MESSAGE_ENCODING = 5,
    DELIMITED = 2
};

/* What the options say of one feature; 0: nothing. */
static uint64_t feature_in(mt_str options, uint32_t features, uint32_t feature)
{
    pb_part p, inside;
    bool bad = false;
    uint64_t value = 0;
    while (pb_next(&options, &p, &bad)) {
        mt_str rest = p.number == features && p.wire == PB_SPAN ? p.span : (mt_str){0};
        while (pb_next(&rest, &inside, &bad)) {
            bool said = inside.number == feature && inside.wire == PB_VARINT;
            value = said ? inside.value : value;
        }
    }
    return value;
}

/* Label 3 is repeated; a oneof gives presence, and so does `optional` of proto3, which
 * protoc writes as a oneof of its own. `oneof` is the index of the set plus one,
 * bounded, because decoding allocates by it. */
static bool read_field(const scope *s, mt_str bytes, pb_field *f)
{
    pb_part p;
    bool bad = false;
    mt_str options = {0};
    while (pb_next(&bytes, &p, &bad)) {
        uint64_t key = (uint64_t)p.number << 3 | (unsigned)p.wire;
        switch (key) {
        case 1 << 3 | PB_SPAN: f->name = p.span; break;
        case 3 << 3 | PB_VARINT: f->number = (uint32_t)p.value; break;
        case 4 << 3 | PB_VARINT: f->repeated = p.value == 3; break;
        case 5 << 3 | PB_VARINT:
            f->kind = p.value < PB_KIND_COUNT ? (pb_kind)p.value : PB_GROUP;
            break;
        case 6 << 3 | PB_SPAN: f->type_name = p.span; break;
        case 8 << 3 | PB_SPAN: options = p.span; break;
        case 9 << 3 | PB_VARINT:
            f->oneof = p.value < PB_MOST_THINGS ? (uint32_t)p.value + 1 : 0;
            break;
        case 10 << 3 | PB_SPAN: f->json_name = p.span; break;
        default: break;
        }
    }
    if (bad || !f->number || !f->kind || !good_name(s->b, f->name)) {
        return bad_set(s->b);
    }
    if (f->kind == PB_GROUP ||
        feature_in(options, FIELD_FEATURES, MESSAGE_ENCODING) == DELIMITED) {
        return pb_fault(s->b, MT_E_SYNTAX, "field '%.*s' is a group", MT_ARG(f->name));
    }
    bool named = f->kind == PB_MESSAGE || f->kind == PB_ENUM;
    if (named != (f->type_name.len > 0)) {
        return bad_set(s->b);
    }
    uint64_t presence = feature_in(options, FIELD_FEATURES, FIELD_PRESENCE);
    bool implicit = presence ? presence == IMPLICIT : s->implicit;
    f->presence = !f->repeated && (!implicit || f->oneof);
    if (!f->json_name.len || mt_utf8_check(f->json_name) != f->json_name.len) {
        f->json_name = pb_camel(s->b->arena, f->name);
    }
    return pb_count(s->b);
}

/* MessageOptions.map_entry. link.c asks for the key and the value as well. */
static bool is_map_entry(mt_str options)
{
    pb_part p;
    bool bad = false, entry = false;
    while (pb_next(&options, &p, &bad)) {
        entry = entry || (p.number == 7 && p.wire == PB_VARINT && p.value);
    }
    return entry && !bad;
}

/* Before everything else of a message or a service: what is inside needs the name
 * around it, and the name may come last. */
static mt_str name_of(mt_str bytes)
{
    pb_part p;
    bool bad = false;
    mt_str name = {0};
    while (pb_next(&bytes, &p, &bad)) {
        name = p.number == 1 && p.wire == PB_SPAN ? p.span : name;
    }
    return name;
}

/* Messages inside it are added before it. Recursion is bounded by PB_MOST_NESTING. */
static bool read_message(const scope *around, mt_str bytes)
{
    pb_build *b = around->b;
    pb_part p;
    bool bad = false, good = true;
    mt_str name = name_of(bytes);
    MT_VEC(pb_field) fields = {0};
    if (!good_name(b, name)) {
        return false;
    }
    if (around->depth == PB_MOST_NESTING) {
        return pb_fault(b, MT_E_LIMIT, "messages are nested more than %d deep",
                        PB_MOST_NESTING);
    }
    pb_message *m = mt_new(b->arena, pb_message);
    scope s = {b, pb_join(b->arena, around->name, name), around->implicit,
               around->depth + 1};
    m->name = s.name;
    while (good && pb_next(&bytes, &p, &bad)) {
        if (p.wire != PB_SPAN) {
            continue;
        }
        if (p.number == 2) {
            pb_field field = {0};
            good = read_field(&s, p.span, &field);
            m->oneofs = field.oneof > m->oneofs ? field.oneof : m->oneofs;
            mt_vec_push(b->arena, &fields, field);
        } else if (p.number == 3) {
            good = read_message(&s, p.span);
        } else if (p.number == 4) {
            good = read_enum(&s, p.span);
        } else if (p.number == 7) {
            m->is_map_entry |= is_map_entry(p.span);
        }
    }
    m->fields = fields.items;
    m->count = fields.len;
    return good && (!bad || bad_set(b)) &&
           pb_sort_fields(b, m->name, fields.items, fields.len) && pb_add_message(b, m);
}

static bool read_method(pb_build *b, mt_str service, mt_str bytes)
{
    pb_part p;
    bool bad = false;
    pb_method m = {.service = service};
    while (pb_next(&bytes, &p, &bad)) {
        if (p.wire == PB_SPAN && p.number == 1) {
            m.name = p.span;
        } else if (p.wire == PB_SPAN && p.number == 2) {
            m.input_name = p.span;
        } else if (p.wire == PB_SPAN && p.number == 3) {
            m.output_name = p.span;
        } else if (p.wire == PB_VARINT && (p.number == 5 || p.number == 6)) {
            m.streams |= p.value != 0;
        }
    }
    mt_vec_push(b->arena, &b->methods, m);
    return (!bad || bad_set(b)) && good_name(b, m.name) && good_name(b, m.input_name) &&
           good_name(b, m.output_name) && pb_count(b);
}

static bool read_service(const scope *s, mt_str bytes)
{
    pb_part p;
    bool bad = false, good = true;
    mt_str name = name_of(bytes);
    if (!good_name(s->b, name)) {
        return false;
    }
    name = pb_join(s->b->arena, s->name, name);
    while (good && pb_next(&bytes, &p, &bad)) {
        if (p.wire == PB_SPAN && p.number == 2) {
            good = read_method(s->b, name, p.span);
        }
    }
    return good && (!bad || bad_set(s->b));
}

/* What a file's options say of all its fields. */
static bool read_features(scope *s, mt_str options)
{
    s->implicit |= feature_in(options, FILE_FEATURES, FIELD_PRESENCE) == IMPLICIT;
    return feature_in(options, FILE_FEATURES, MESSAGE_ENCODING) != DELIMITED ||
           pb_fault(s->b, MT_E_SYNTAX, "its messages are groups");
}

/* Package and syntax may stand behind the messages they are about. */
static bool read_file(pb_build *b, mt_str bytes)
{
    pb_part p;
    bool bad = false, good = true;
    scope s = {.b = b};
    for (mt_str rest = bytes; pb_next(&rest, &p, &bad);) {
        if (p.wire == PB_SPAN && p.number == 2) {
            s.name = p.span;
        } else if (p.wire == PB_SPAN && p.number == 12) {
            s.implicit |= mt_str_is(p.span, "proto3");
        } else if (p.wire == PB_SPAN && p.number == 1) {
            mt_vec_push(b->arena, &b->files, p.span);
        } else if (p.wire == PB_SPAN && p.number == 3) {
            mt_vec_push(b->arena, &b->waiting, p.span);
        } else if (p.wire == PB_SPAN && p.number == 8 && !read_features(&s, p.span)) {
            return false;
        }
    }
    if (bad || mt_utf8_check(s.name) != s.name.len) {
        return bad_set(b);
    }
    while (good && pb_next(&bytes, &p, &bad)) {
        if (p.wire != PB_SPAN) {
            continue;
        }
        good = p.number == 4   ? read_message(&s, p.span)
               : p.number == 5 ? read_enum(&s, p.span)
               : p.number == 6 ? read_service(&s, p.span)
                               : true;
    }
    return good;
}

/* Nothing but files may be in a set: other bytes are most likely not a set at all. */
bool pb_read_set(pb_build *b, mt_str bytes)
{
    pb_part p;
    bool bad = false, any = false;
    while (pb_next(&bytes, &p, &bad)) {
        if (p.number != 1 || p.wire != PB_SPAN) {
            return bad_set(b);
        }
        any = true;
        if (b->files.len > PB_MOST_FILES) {
            return pb_fault(b, MT_E_LIMIT, "it has more than %d files", PB_MOST_FILES);
        }
        if (!read_file(b, p.span)) {
            return false;
        }
    }
    return (any && !bad) || bad_set(b);
}
