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

void gd_with_id(mt_buf *out, mt_str text, const mt_json *all, mt_str id)
{
    gd_copy(out, text, all, "id", id);
}
