/* connect/shape.c - shapes and places that all readers make. Room: connect.
 *
 * Both limits of this room are kept here: the number of shapes and that of places, each
 * at most connect_places. A place for SQL is made in sql.c, since a table has no answer
 * with members inside members. */
#include "connect/build.h"
#include "connect/words.h"

const char *const CN_FORMAT_NAMES[CN_FORMAT_COUNT] = {
#define CN_FORMAT_NAME(ID, name, protocol) name,
    CN_FORMAT_MAP(CN_FORMAT_NAME)};
const char *const CN_FORMAT_PROTOCOLS[CN_FORMAT_COUNT] = {
#define CN_FORMAT_PROTOCOL(ID, name, protocol) protocol,
    CN_FORMAT_MAP(CN_FORMAT_PROTOCOL)};

const char *const CN_KIND_NAMES[CN_KIND_COUNT] = {
    [CN_BOOL] = "true or false",
    [CN_WHOLE] = "a whole number",
    [CN_REAL] = "a number",
    [CN_TEXT] = "text",
    [CN_DATE] = "a date",
    [CN_MOMENT] = "a moment",
    [CN_LOCAL] = "a moment without a time zone",
    [CN_SPAN] = "an ISO 8601 duration",
    [CN_CHOICE] = "one of several words",
    [CN_OBJECT] = "an object",
    [CN_LIST] = "a list",
    [CN_ANY] = "anything",
};

bool cn_fault(cn_build *b, mt_err err, const char *format, ...)
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

static bool too_many(cn_build *b)
{
    return cn_fault(b, MT_E_LIMIT, "it describes more than %zu values (limit %s)",
                    b->limits->connect_places, "connect_places");
}

cn_shape *cn_shape_new(cn_build *b, cn_kind kind)
{
    if (b->err || ++b->shapes > b->limits->connect_places) {
        too_many(b);
        return NULL;
    }
    cn_shape *s = mt_new(b->arena, cn_shape);
    s->kind = kind;
    return s;
}

mt_str cn_dotted(mt_arena *a, const mt_str *way, size_t count)
{
    mt_buf b = {0};
    for (size_t i = 0; i < count; i++) {
        mt_buf_addz(&b, i ? "." : "");
        mt_buf_adds(&b, way[i]);
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* Called once for each place: the settings differ
 * by the way, and for GraphQL by the query. */
static mt_str settings_of(const cn_request *r, const mt_str *way, size_t count,
                          const cn_shape *leaf)
{
    mt_buf b = {0};
    r->write(&b, r, way, count, leaf);
    mt_str text = mt_str_dup(r->build->arena, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

/* INVARIANT: name_count is at least 1, as `way`
 * has at least one step; match.c relies on it. */
static bool add_place(const cn_request *r, const cn_shape *shape, const mt_str *way,
                      size_t count, mt_str note)
{
    cn_build *b = r->build;
    mt_arena *a = b->arena;
    if (b->places.len >= b->limits->connect_places) {
        return too_many(b);
    }
    mt_str *names = mt_new_array(a, mt_str, r->around_count + count + 1);
    if (r->around_count) {
        memcpy(names, r->around, r->around_count * sizeof *names);
    }
    memcpy(names + r->around_count, way, count * sizeof *names);
    mt_str select = cn_dotted(a, way, count);
    cn_place p = {
        .shape = shape,
        .shown = mt_strf(a, "%.*s %.*s", MT_ARG(r->shown), MT_ARG(select)),
        .names = names,
        .name_count = r->around_count + count,
        .around = r->around_count,
        .settings = settings_of(r, way, count, shape),
        .params = r->params,
        .param_count = r->param_count,
        .path = mt_strf(a, "%.*s.%.*s", MT_ARG(r->path), MT_ARG(select)),
        .note = note,
    };
    mt_vec_push(a, &b->places, p);
    return true;
}

/* A dot in a name would lead elsewhere: adapters split at dots. A brace would be taken
 * for a parameter. Such members are passed over, with everything inside them. */
static bool can_be_named(mt_str name)
{
    return name.len && mt_str_find(name, '.') == name.len &&
           mt_str_find(name, '{') == name.len && mt_str_find(name, '}') == name.len;
}

/* `way` is one array for the whole walk: what is behind `depth` belongs to deeper
 * steps. A known message (Money, …) is one value; its members are not offered. */
static bool add_inside(const cn_request *r, const cn_shape *s, mt_str *way,
                       size_t depth)
{
    for (size_t i = 0; i < s->member_count && depth < CN_MOST_DEPTH; i++) {
        const cn_member *m = &s->members[i];
        if (!can_be_named(m->name)) {
            continue;
        }
        way[depth] = m->name;
        if (!add_place(r, m->shape, way, depth + 1, m->note) ||
            (m->shape->kind == CN_OBJECT && !m->shape->known.len &&
             !add_inside(r, m->shape, way, depth + 1))) {
            return false;
        }
    }
    return true;
}

bool cn_add_places(const cn_request *r, const cn_shape *answer)
{
    mt_str way[CN_MOST_DEPTH];
    return answer->kind != CN_OBJECT || add_inside(r, answer, way, 0);
}

/* ---- Kinds by name ---- */

/* Formats of JSON Schema and names that servers commonly give to scalars of their own.
 * as_text: JSON would lose digits of such numbers, so they are written as text. */
static const struct named {
    const char *name; /* in lower case, without signs */
    cn_kind kind;
    bool as_text;
} NAMED[] = {
    {"date", CN_DATE, false},
    {"localdate", CN_DATE, false},
    {"datetime", CN_MOMENT, false},
    {"timestamp", CN_MOMENT, false},
    {"timestamptz", CN_MOMENT, false},
    {"instant", CN_MOMENT, false},
    {"offsetdatetime", CN_MOMENT, false},
    {"iso8601datetime", CN_MOMENT, false},
    {"localdatetime", CN_LOCAL, false},
    {"duration", CN_SPAN, false},
    {"decimal", CN_REAL, true},
    {"bigdecimal", CN_REAL, true},
    {"money", CN_REAL, true},
    {"numeric", CN_REAL, true},
    {"long", CN_WHOLE, false},
    {"bigint", CN_WHOLE, true},
    {"int64", CN_WHOLE, true},
    {"uint64", CN_WHOLE, true},
    {"unsignedint", CN_WHOLE, false},
    {"positiveint", CN_WHOLE, false},
    {"nonnegativeint", CN_WHOLE, false},
    {"uuid", CN_TEXT, false},
    {"url", CN_TEXT, false},
    {"uri", CN_TEXT, false},
    {"email", CN_TEXT, false},
    {"emailaddress", CN_TEXT, false},
    {"currencycode", CN_TEXT, false},
    {"countrycode", CN_TEXT, false},
};

/* Letters and digits count, in lower case: date-time, DateTime, date_time. Of longer
 * names the first 32 are compared, and no row is so long. */
bool cn_named_kind(mt_str name, cn_shape *shape)
{
    char plain[32];
    size_t len = 0;
    for (size_t i = 0; i < name.len && len < sizeof plain; i++) {
        char c = name.ptr[i];
        if (c >= 'A' && c <= 'Z') {
            plain[len++] = (char)(c | 0x20);
        } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            plain[len++] = c;
        }
    }
    for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++) {
        if (mt_str_eq(mt_str_from(plain, len), mt_str_z(NAMED[i].name))) {
            shape->kind = NAMED[i].kind;
            shape->as_text = NAMED[i].as_text;
            return true;
        }
    }
    return false;
}
