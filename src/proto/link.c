/* proto/link.c - names of types become pointers, by the scopes they stand in.
 * Room: proto.
 *
 * Order: fields, then map entries, then methods. Only here it is known whether a name
 * means a message or an enum, and with it whether the field has presence: a single
 * message always has. What may fail: a name that no file declares. */
#include "proto/build.h"

static const pb_named *find(const pb_build *b, mt_str name)
{
    uintptr_t at = mt_map_get(&b->named, name, 0);
    return at ? &b->names.items[at - 1] : NULL;
}

/* From the innermost scope outwards: `Money` inside bank.v1.Account is
 * bank.v1.Account.Money, bank.v1.Money, bank.Money or Money. */
static const pb_named *resolve(pb_build *b, mt_str scope, mt_str name)
{
    if (mt_str_starts(name, MT_STR("."))) {
        return find(b, mt_str_skip(name, 1));
    }
    for (;;) {
        mt_mark mark = mt_arena_mark(b->arena);
        const pb_named *found = find(b, pb_join(b->arena, scope, name));
        mt_arena_rewind(b->arena, mark);
        if (found || !scope.len) {
            return found;
        }
        while (scope.len && scope.ptr[scope.len - 1] != '.') {
            scope.len--;
        }
        scope.len -= scope.len > 0;
    }
}

/* `scope` is the full name of the message. PB_MESSAGE was a guess of the readers for
 * every type with a name; now it is the truth. */
static bool link_field(pb_build *b, mt_str scope, pb_field *f)
{
    if (!f->type_name.len) {
        return true;
    }
    const pb_named *named = resolve(b, scope, f->type_name);
    if (!named) {
        return pb_fault(b, MT_E_SYNTAX,
                        "the type '%.*s' of field '%.*s.%.*s' is unknown",
                        MT_ARG(f->type_name), MT_ARG(scope), MT_ARG(f->name));
    }
    f->message = named->message;
    f->choices = named->choices;
    f->kind = named->message ? PB_MESSAGE : PB_ENUM;
    f->presence = f->presence || (named->message && !f->repeated);
    return true;
}

/* A method's types are looked for from its service outwards. NULL after a fault. */
static const pb_message *link_type(pb_build *b, const pb_method *m, mt_str name)
{
    const pb_named *named = resolve(b, m->service, name);
    if (!named || !named->message) {
        pb_fault(b, MT_E_SYNTAX, "the message '%.*s' of method '%.*s/%.*s' is unknown",
                 MT_ARG(name), MT_ARG(m->service), MT_ARG(m->name));
        return NULL;
    }
    return named->message;
}

/* An entry that lacks its key or value (a set
 * may say anything) is not taken for a map's. */
bool pb_link(pb_build *b, pb_schema *out)
{
    for (size_t i = 0; i < b->messages.len; i++) {
        const pb_message *m = b->messages.items[i];
        for (size_t k = 0; k < m->count; k++) {
            /* The message is still ours to finish. */
            if (!link_field(b, m->name, (pb_field *)(uintptr_t)&m->fields[k])) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < b->messages.len; i++) {
        pb_message *m = b->messages.items[i];
        m->is_map_entry &= pb_field_numbered(m, 1) && pb_field_numbered(m, 2);
    }
    for (size_t i = 0; i < b->methods.len; i++) {
        pb_method *m = &b->methods.items[i];
        m->input = link_type(b, m, m->input_name);
        m->output = link_type(b, m, m->output_name);
        if (!m->input || !m->output) {
            return false;
        }
    }
    *out = (pb_schema){.messages = (const pb_message *const *)b->messages.items,
                       .message_count = b->messages.len,
                       .methods = b->methods.items,
                       .method_count = b->methods.len};
    return true;
}
