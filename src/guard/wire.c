/* guard/wire.c - messages as text: what is passed on stays as it was written.
 * Room: guard. A message gets another id, a list loses some of its items; the bytes of
 * everything else are those that came. Every text here was read as JSON before. */
#include "guard/guard.h"

#include "base/json_write.h"

static bool is_between(char c)
{
    return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* INVARIANT: the text is JSON, so brackets outside of texts are balanced. */
mt_str gd_raw(mt_str text, const mt_json *value)
{
    const char *from = text.ptr + value->offset, *end = text.ptr + text.len, *p = from;
    size_t depth = 0;
    bool inside = false;
    for (bool over = false; p < end && !over; p += !over) {
        char c = *p;
        bool closes = !inside && (c == '}' || c == ']');
        if (inside && c == '\\') {
            p++;
        } else if (c == '"') {
            inside = !inside;
        } else if (!inside && (c == '{' || c == '[')) {
            depth++;
        } else if (closes && depth) {
            depth--;
        } else if (closes || (!inside && !depth && is_between(c))) {
            break; /* behind a number or a word */
        }
        over = !depth && !inside && (c == '"' || closes);
        p += over;
    }
    return mt_str_from(from, (size_t)(p - from));
}

/* Between tokens JSON may have a carriage return, and there are servers that take it
 * for the end of a line: inside one message they would find another. Text has none. */
mt_str gd_one_line(mt_arena *a, mt_str text)
{
    if (mt_str_find(text, '\r') == text.len) {
        return text;
    }
    char *copy = mt_alloc(a, text.len + 1);
    for (size_t i = 0; i < text.len; i++) {
        copy[i] = text.ptr[i] == '\r' ? ' ' : text.ptr[i];
    }
    return mt_str_from(copy, text.len);
}

/* The next letter in lower case. Two letters that are not of ASCII are the same as one
 * that is, where case does not count: the long s, and the sign of Kelvin. */
static char next_folded(mt_str *s)
{
    static const mt_str LONG_S = MT_STR_INIT("\xc5\xbf"),
                        KELVIN = MT_STR_INIT("\xe2\x84\xaa");
    bool long_s = mt_str_starts(*s, LONG_S), kelvin = mt_str_starts(*s, KELVIN);
    char c = s->ptr[0];
    *s = mt_str_skip(*s, long_s ? LONG_S.len : kelvin ? KELVIN.len : 1);
    return long_s                 ? 's'
           : kelvin               ? 'k'
           : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a')
                                  : c;
}

bool gd_is_twin(mt_str a, mt_str b)
{
    bool alike = !mt_str_eq(a, b);
    while (alike && a.len && b.len) {
        alike = next_folded(&a) == next_folded(&b);
    }
    return alike && !a.len && !b.len;
}

mt_str gd_twin_of(const mt_json *object, const char *const *names)
{
    for (uint32_t i = 0; mt_json_is(object, MT_JSON_OBJECT) && i < object->count; i++) {
        mt_str key = object->as.members[i].key;
        for (const char *const *name = names; *name; name++) {
            if (gd_is_twin(key, mt_str_z(*name))) {
                return key;
            }
        }
    }
    return (mt_str){0};
}

void gd_copy(mt_buf *out, mt_str text, const mt_json *object, const char *member,
             mt_str with)
{
    const char *gap = "";
    mt_buf_addc(out, '{');
    for (uint32_t i = 0; i < object->count; i++) {
        const mt_json_member *m = &object->as.members[i];
        bool other = !mt_str_eq(m->key, mt_str_z(member));
        if (other || with.len) {
            mt_buf_addz(out, gap);
            mt_json_quote(out, m->key);
            mt_buf_addc(out, ':');
            mt_buf_adds(out, other ? gd_raw(text, &m->value) : with);
            gap = ",";
        }
    }
    mt_buf_addc(out, '}');
}

/* What only a guard says: another server's word under these names is not ours. */
static bool is_ours(mt_str key)
{
    static const char *const OURS[] = {"motet/flow", "motet/queued", "motet/receipt",
                                       "motet/record"};
    for (size_t i = 0; i < sizeof OURS / sizeof *OURS; i++) {
        if (mt_str_eq(key, mt_str_z(OURS[i]))) {
            return true;
        }
    }
    return false;
}

/* How many of its members only a guard may say. */
static uint32_t count_ours(const mt_json *meta)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < meta->count; i++) {
        n += is_ours(meta->as.members[i].key);
    }
    return n;
}

/* Members of ours, if there are any, behind the others. */
static void write_meta(mt_buf *out, mt_str text, const mt_json *meta, mt_str members)
{
    mt_str raw = gd_raw(text, meta);
    uint32_t ours = count_ours(meta);
    if (!ours) { /* as it is, but for its last brace */
        mt_buf_adds(out, mt_str_from(raw.ptr, raw.len - 1));
    } else {
        mt_buf_addc(out, '{');
    }
    for (uint32_t i = 0, n = 0; ours && i < meta->count; i++) {
        const mt_json_member *m = &meta->as.members[i];
        if (!is_ours(m->key)) {
            mt_buf_addz(out, n++ ? "," : "");
            mt_json_quote(out, m->key);
            mt_buf_addc(out, ':');
            mt_buf_adds(out, gd_raw(text, &m->value));
        }
    }
    mt_buf_addz(out, members.len && meta->count > ours ? "," : "");
    mt_buf_adds(out, members);
    mt_buf_addc(out, '}');
}

/* Three cases: nothing to add and nothing of ours to take out; a `_meta` that is there;
 * none yet. In all of them the rest of the object keeps its bytes. */
void gd_with_meta(mt_buf *out, mt_str text, const mt_json *object, mt_str members)
{
    mt_str raw = gd_raw(text, object);
    const mt_json *meta = mt_json_at(object, "_meta");
    if (!mt_json_is(object, MT_JSON_OBJECT) ||
        (meta && !mt_json_is(meta, MT_JSON_OBJECT)) ||
        (!members.len && !(meta && count_ours(meta)))) {
        mt_buf_adds(out, raw);
    } else if (meta) {
        size_t before = meta->offset - object->offset;
        size_t end = before + gd_raw(text, meta).len;
        mt_buf_adds(out, mt_str_from(raw.ptr, before));
        write_meta(out, text, meta, members);
        mt_buf_adds(out, mt_str_skip(raw, end));
    } else {
        mt_buf_adds(out, mt_str_from(raw.ptr, raw.len - 1));
        mt_buf_addz(out, object->count ? ",\"_meta\":{" : "\"_meta\":{");
        mt_buf_adds(out, members);
        mt_buf_addz(out, "}}");
    }
}

void gd_with_id(mt_buf *out, mt_str text, const mt_json *all, mt_str id)
{
    gd_copy(out, text, all, "id", id);
}
