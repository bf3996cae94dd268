/* connect/proto.c - unary methods of a .proto file and what their answers have.
 * Room: connect. The request is made of the fields that look like an identity.
 *
 * Order: for each method without streams the fields of its request are
 * chosen, its answer becomes a shape, and the shape's fields become places.
 * Messages that the adapter knows (Money, Date, Timestamp, wrappers) are
 * one value, not objects with parts. A message that contains itself is
 * "anything" inside, so what is cyclic ends. What may fail: too many values
 * (limit connect_places); the text itself was read by pb_read() before. */
#include "connect/build.h"
#include "connect/words.h"

/* The messages that are being read, so that none is entered twice on one way. */
typedef struct walk {
    cn_build *b;
    const pb_message *open[CN_MOST_DEPTH + 2];
    size_t depth;
} walk;

/* What write_settings() needs of one method;
 * `fields` and the request's params go together. */
typedef struct call {
    const pb_method *method;
    const pb_field *const *fields; /* of the request */
    size_t count;
} call;

static const cn_shape *shape_of(walk *w, const pb_field *f);

/* Messages that adapters make into one value of
 * a fact's type, by the name that fit.c has. */
static const struct known {
    mt_str message, name;
} KNOWN[] = {
    {MT_STR_INIT("google.type.Money"), MT_STR_INIT("Money")},
    {MT_STR_INIT("google.type.Date"), MT_STR_INIT("Date")},
    {MT_STR_INIT("google.type.Decimal"), MT_STR_INIT("Decimal")},
    {MT_STR_INIT("google.protobuf.Duration"), MT_STR_INIT("Duration")},
};

/* Also sets `known`, but reads the fields
 * nevertheless: they are what a Record is made from. */
static bool fill_message(walk *w, const pb_message *m, cn_shape *s)
{
    MT_VEC(cn_member) members = {0};
    s->kind = CN_OBJECT;
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        if (mt_str_eq(m->name, KNOWN[i].message)) {
            s->known = KNOWN[i].name;
        }
    }
    w->open[w->depth++] = m;
    for (size_t i = 0; i < m->count; i++) {
        const cn_shape *shape = shape_of(w, &m->fields[i]);
        if (!shape) {
            return false;
        }
        mt_vec_push(w->b->arena, &members,
                    ((cn_member){m->fields[i].name, shape, m->fields[i].comment}));
    }
    w->depth--;
    s->members = members.items;
    s->member_count = members.len;
    return true;
}

static void fill_enum(cn_build *b, const pb_enum *e, cn_shape *s)
{
    mt_str *names = mt_new_array(b->arena, mt_str, e->count + 1);
    for (size_t i = 0; i < e->count; i++) {
        names[i] = e->values[i].name;
    }
    s->kind = CN_CHOICE;
    s->choices = names;
    s->choice_count = e->count;
}

/* Whole numbers of 64 bits are text in JSON, but the adapter gives an Int the number.
 */
static cn_kind kind_of(pb_kind kind)
{
    switch (kind) {
    case PB_BOOL: return CN_BOOL;
    case PB_DOUBLE:
    case PB_FLOAT: return CN_REAL;
    case PB_STRING:
    case PB_BYTES: return CN_TEXT;
    case PB_INT64:
    case PB_UINT64:
    case PB_INT32:
    case PB_UINT32:
    case PB_FIXED64:
    case PB_FIXED32:
    case PB_SFIXED32:
    case PB_SFIXED64:
    case PB_SINT32:
    case PB_SINT64: return CN_WHOLE;
    case PB_ENUM:
    case PB_MESSAGE:
    case PB_GROUP: break;
    }
    return CN_ANY;
}

/* Well-known types first (pb_known): JSON does not write them
 * as objects. A wrapper such as Int64Value is what it wraps;
 * Struct and Value stay "anything". True without a fault. */
static bool fill_known(walk *w, const pb_field *f, cn_shape *s)
{
    const pb_message *m = f->message;
    switch (pb_known_of(m)) {
    case PB_TIMESTAMP: s->kind = CN_MOMENT; return true;
    case PB_DURATION:
        s->kind = CN_OBJECT;
        s->known = MT_STR("Duration");
        return true;
    case PB_INSIDE:
        if (m->count == 1 && !m->fields[0].message) {
            s->kind = kind_of(m->fields[0].kind);
        }
        return true;
    case PB_PLAIN: break;
    }
    for (size_t i = 0; i < w->depth; i++) {
        if (w->open[i] == m) {
            return true; /* it contains itself */
        }
    }
    return w->depth > CN_MOST_DEPTH || fill_message(w, m, s);
}

/* NULL after a fault. A map is "anything": its
 * keys are data, so there are no names in it. */
static const cn_shape *shape_of(walk *w, const pb_field *f)
{
    cn_shape *s = cn_shape_new(w->b, kind_of(f->kind));
    if (!s || pb_is_map(f)) {
        return s;
    }
    if (f->message && !fill_known(w, f, s)) {
        return NULL;
    }
    if (f->choices) {
        fill_enum(w->b, f->choices, s);
    }
    s->nullable = f->presence;
    if (f->repeated) {
        cn_shape *list = cn_shape_new(w->b, CN_LIST);
        if (list) {
            list->element = s;
        }
        return list;
    }
    return s;
}

/* {"method":"bank.Accounts/Get","request":{"account_id":"{account_id}"},"select":"balance"}
 * The request keeps the order of the message's
 * fields, hence the object that is not sorted. */
static void write_settings(mt_buf *out, const cn_request *r, const mt_str *way,
                           size_t count, const cn_shape *leaf)
{
    const call *c = r->state;
    mt_arena *a = r->build->arena;
    mt_jw w = mt_jw_start(out, false);
    (void)leaf;
    mt_jw_begin_object(&w);
    mt_jw_key_str(
        &w, "method",
        mt_strf(a, "%.*s/%.*s", MT_ARG(c->method->service), MT_ARG(c->method->name)));
    mt_jw_keyz(&w, "request");
    mt_jw_begin_unsorted(&w);
    for (size_t i = 0; i < c->count; i++) {
        mt_jw_key(&w, c->fields[i]->name);
        mt_jw_str(&w, mt_strf(a, "{%.*s}", MT_ARG(r->params[i])));
    }
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "select", cn_dotted(a, way, count));
    mt_jw_end_object(&w);
}

/* Names that choose a thing. What else a request has (a page size, a mask) has a
 * default in proto3 and is left out. */
static bool is_identity(mt_str name)
{
    return mt_str_is(name, "id") || mt_str_ends(name, MT_STR("_id")) ||
           mt_str_is(name, "name") || mt_str_ends(name, MT_STR("_number")) ||
           mt_str_ends(name, MT_STR("_code")) || mt_str_ends(name, MT_STR("Id")) ||
           mt_str_is(name, "key") || mt_str_ends(name, MT_STR("_ref"));
}

static bool is_askable(const pb_field *f)
{
    return !f->repeated && (f->kind == PB_STRING || kind_of(f->kind) == CN_WHOLE);
}

typedef MT_VEC(const pb_field *) field_list;

/* A request with a single field that can be asked for needs no telling name. */
static void choose_fields(mt_arena *a, const pb_message *m, field_list *out)
{
    const pb_field *only = NULL;
    size_t askable = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (is_askable(&m->fields[i])) {
            only = &m->fields[i];
            askable++;
            if (is_identity(m->fields[i].name)) {
                mt_vec_push(a, out, &m->fields[i]);
            }
        }
    }
    if (!out->len && askable == 1) {
        mt_vec_push(a, out, only);
    }
}

/* The names around a place are service, method and answer,
 * without packages: OrderService, GetOrder, Order. The answer's
 * own message is never one value, even if it is a Money. */
static bool read_method(cn_build *b, const pb_method *m)
{
    mt_arena *a = b->arena;
    field_list fields = {0};
    walk w = {.b = b};
    choose_fields(a, m->input, &fields);
    mt_str *params = mt_new_array(a, mt_str, fields.len + 1);
    for (size_t i = 0; i < fields.len; i++) {
        params[i] = fields.items[i]->name;
    }
    cn_shape *answer = cn_shape_new(b, CN_OBJECT);
    if (!answer || !fill_message(&w, m->output, answer)) {
        return false;
    }
    mt_str around[3] = {mt_str_basename(m->service), m->name, m->output->name};
    for (size_t i = 0; i < 3; i++) { /* without the package */
        const char *dot = memrchr(around[i].ptr, '.', around[i].len);
        around[i] =
            dot ? mt_str_skip(around[i], (size_t)(dot + 1 - around[i].ptr)) : around[i];
    }
    call c = {m, fields.items, fields.len};
    mt_str path = mt_strf(a, "%.*s/%.*s", MT_ARG(m->service), MT_ARG(m->name));
    cn_request r = {.build = b,
                    .shown = path,
                    .path = path,
                    .around = around,
                    .around_count = 3,
                    .params = params,
                    .param_count = fields.len,
                    .write = write_settings,
                    .state = &c};
    answer->known = (mt_str){0};
    return cn_add_places(&r, answer);
}

bool cn_read_proto(cn_build *b, const pb_schema *schema)
{
    for (size_t i = 0; i < schema->method_count; i++) {
        if (!schema->methods[i].streams && !read_method(b, &schema->methods[i])) {
            return false;
        }
    }
    return true;
}
