/* proto/schema.c - reading a schema with its imports, and looking things up in it.
 * Room: proto.
 *
 * Order of pb_read(): the first file, by text or as a set; then imports
 * until none waits, each once, so that circles end; then link.c. A file
 * is known by the name of its import alone. What may fail: everything
 * that the readers refuse, an import that leads outside or is not
 * found, a limit. Looking up cannot fail and does not allocate. */
#include <stdlib.h>

#include "proto/build.h"

/* SPARSE: groups, messages and enums are named by their own names. */
const char *const PB_KIND_NAMES[PB_KIND_COUNT] = {
    [PB_DOUBLE] = "double",     [PB_FLOAT] = "float",   [PB_INT64] = "int64",
    [PB_UINT64] = "uint64",     [PB_INT32] = "int32",   [PB_FIXED64] = "fixed64",
    [PB_FIXED32] = "fixed32",   [PB_BOOL] = "bool",     [PB_STRING] = "string",
    [PB_BYTES] = "bytes",       [PB_UINT32] = "uint32", [PB_SFIXED32] = "sfixed32",
    [PB_SFIXED64] = "sfixed64", [PB_SINT32] = "sint32", [PB_SINT64] = "sint64",
};

/* ---- While reading ---- */

bool pb_fault(pb_build *b, mt_err err, const char *format, ...)
{
    if (!b->err) {
        va_list args;
        va_start(args, format);
        mt_buf_addfv(b->why, format, args);
        va_end(args);
        b->err = err;
    }
    return false;
}

bool pb_count(pb_build *b)
{
    return ++b->things <= PB_MOST_THINGS ||
           pb_fault(b, MT_E_LIMIT, "it has more than %d messages, fields and values",
                    PB_MOST_THINGS);
}

mt_str pb_join(mt_arena *a, mt_str outer, mt_str name)
{
    return outer.len ? mt_strf(a, "%.*s.%.*s", MT_ARG(outer), MT_ARG(name)) : name;
}

/* The map has the index plus one, so that 0 can mean "not there". */
static bool add_name(pb_build *b, mt_str name, pb_named what)
{
    bool added;
    if (name.len > PB_MOST_PATH) {
        return pb_fault(b, MT_E_LIMIT, "a full name is longer than %d bytes",
                        PB_MOST_PATH);
    }
    mt_map_entry *e = mt_map_add(b->arena, &b->named, name, &added);
    if (!added) {
        return pb_fault(b, MT_E_SYNTAX, "'%.*s' is declared twice", MT_ARG(name));
    }
    mt_vec_push(b->arena, &b->names, what);
    e->value = b->names.len;
    return true;
}

bool pb_add_message(pb_build *b, pb_message *m)
{
    mt_vec_push(b->arena, &b->messages, m);
    return pb_count(b) && add_name(b, m->name, (pb_named){.message = m});
}

bool pb_add_enum(pb_build *b, pb_enum *e)
{
    return pb_count(b) && add_name(b, e->name, (pb_named){.choices = e});
}

mt_str pb_camel(mt_arena *a, mt_str name)
{
    char *to = mt_alloc(a, name.len + 1);
    size_t len = 0;
    bool upper = false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '_') {
            upper = true;
            continue;
        }
        to[len++] = (char)(upper && c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        upper = false;
    }
    to[len] = '\0';
    return mt_str_from(to, len);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = ((const pb_field *)a)->number, y = ((const pb_field *)b)->number;
    return (x > y) - (x < y);
}

bool pb_sort_fields(pb_build *b, mt_str message, pb_field *fields, size_t count)
{
    if (count) {
        qsort(fields, count, sizeof *fields, by_number);
    }
    for (size_t i = 1; i < count; i++) {
        if (fields[i].number == fields[i - 1].number) {
            return pb_fault(b, MT_E_SYNTAX, "message '%.*s' has the number %u twice",
                            MT_ARG(message), fields[i].number);
        }
    }
    mt_map names = {0};
    bool added = true;
    for (size_t i = 0; i < count && added; i++) {
        mt_map_add(b->arena, &names, fields[i].name, &added);
    }
    return added || pb_fault(b, MT_E_SYNTAX, "message '%.*s' has a field twice",
                             MT_ARG(message));
}

/* ---- The files ---- */

/* Text has no control characters but white space; the tags of a descriptor set are
 * some. */
static bool is_text(mt_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.ptr[i];
        if (c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f') {
            return false;
        }
    }
    return true;
}

/* The name of an import becomes a path for the loader:
 * relative, without empty steps, '.', '..', backslashes and NUL
 * bytes, so that it cannot lead out of where the loader looks. */
static bool is_inside(mt_str name)
{
    bool good = name.len && name.ptr[0] != '/' && mt_str_find(name, '\\') == name.len &&
                mt_str_find(name, '\0') == name.len;
    for (mt_str rest = name; good && rest.len;) {
        size_t slash = mt_str_find(rest, '/');
        mt_str step = mt_str_from(rest.ptr, slash);
        good = step.len && !mt_str_is(step, "..") && !mt_str_is(step, ".");
        rest = mt_str_skip(rest, slash + 1);
    }
    return good;
}

/* Google's own are taken from here: those of google/protobuf
 * always, because pb_known_of() relies on their fields, the
 * others only if the loader does not have them. */
static mt_err load(pb_build *b, mt_str name, pb_loader *loader, void *state,
                   mt_str *out)
{
    mt_str known = pb_known_file(name);
    if (known.ptr && mt_str_starts(name, MT_STR("google/protobuf/"))) {
        *out = known;
        return MT_OK;
    }
    mt_err err = loader ? loader(state, b->arena, name, out) : MT_E_NOTFOUND;
    if (err && known.ptr) {
        *out = known;
        err = MT_OK;
    }
    return err;
}

/* The file is marked before it is read: it may import itself through others. */
static bool read_imports(pb_build *b, pb_loader *loader, void *state)
{
    while (b->waiting.len) {
        mt_str text, name = b->waiting.items[--b->waiting.len];
        if (!is_inside(name)) {
            return pb_fault(b, MT_E_SYNTAX, "the import '%.*s' leads outside",
                            MT_ARG(name));
        }
        bool again = false;
        for (size_t i = 0; i < b->files.len; i++) {
            again |= mt_str_eq(b->files.items[i], name);
        }
        if (again) {
            continue;
        }
        mt_vec_push(b->arena, &b->files, name);
        if (b->files.len > PB_MOST_FILES) {
            return pb_fault(b, MT_E_LIMIT, "more than %d files are imported",
                            PB_MOST_FILES);
        }
        mt_err err = load(b, name, loader, state, &text);
        if (err) {
            return pb_fault(b, err, "the import '%.*s': %s", MT_ARG(name),
                            mt_err_text(err));
        }
        if (!pb_read_text(b, name, text)) {
            return false;
        }
    }
    return true;
}

mt_err pb_read(mt_arena *a, mt_str name, mt_str bytes, pb_loader *loader, void *state,
               mt_buf *why, const pb_schema **out)
{
    pb_build b = {.arena = a, .why = why};
    pb_schema *schema = mt_new(a, pb_schema);
    if (bytes.len > PB_MOST_BYTES) {
        pb_fault(&b, MT_E_LIMIT, "it has more than %d bytes", PB_MOST_BYTES);
        return b.err;
    }
    mt_vec_push(a, &b.files, name);
    bool good = is_text(bytes) ? pb_read_text(&b, name, bytes) : pb_read_set(&b, bytes);
    good = good && read_imports(&b, loader, state) && pb_link(&b, schema);
    *out = good ? schema : NULL;
    return b.err;
}

/* ---- Looking up ---- */

const pb_message *pb_message_find(const pb_schema *s, mt_str name)
{
    name = mt_str_starts(name, MT_STR(".")) ? mt_str_skip(name, 1) : name;
    for (size_t i = 0; i < s->message_count; i++) {
        if (mt_str_eq(s->messages[i]->name, name)) {
            return s->messages[i];
        }
    }
    return NULL;
}

/* "Accounts" means "bank.v1.Accounts" if no other package has one. */
static bool is_service(mt_str full, mt_str name)
{
    return mt_str_eq(full, name) ||
           (full.len > name.len && full.ptr[full.len - name.len - 1] == '.' &&
            mt_str_ends(full, name));
}

/* A full name ends the search when it is met, wherever it stands; of short ones there
 * must be only one. */
const pb_method *pb_method_find(const pb_schema *s, mt_str path)
{
    path = mt_str_starts(path, MT_STR("/")) ? mt_str_skip(path, 1) : path;
    size_t slash = mt_str_find(path, '/');
    mt_str service = mt_str_from(path.ptr, slash), name = mt_str_skip(path, slash + 1);
    const pb_method *found = NULL;
    size_t count = 0;
    for (size_t i = 0; service.len && i < s->method_count; i++) {
        const pb_method *m = &s->methods[i];
        if (!mt_str_eq(m->name, name) || !is_service(m->service, service)) {
            continue;
        }
        if (mt_str_eq(m->service, service)) {
            return m;
        }
        found = m;
        count++;
    }
    return count == 1 ? found : NULL;
}

const pb_field *pb_field_find(const pb_message *m, mt_str name)
{
    for (size_t i = 0; i < m->count; i++) {
        if (mt_str_eq(m->fields[i].name, name) ||
            mt_str_eq(m->fields[i].json_name, name)) {
            return &m->fields[i];
        }
    }
    return NULL;
}

const pb_field *pb_field_numbered(const pb_message *m, uint64_t number)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->fields[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < m->count && m->fields[low].number == number ? &m->fields[low] : NULL;
}

const pb_enum_value *pb_enum_named(const pb_enum *e, mt_str name)
{
    for (size_t i = 0; i < e->count; i++) {
        if (mt_str_eq(e->values[i].name, name)) {
            return &e->values[i];
        }
    }
    return NULL;
}
