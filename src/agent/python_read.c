/* agent/python_read.c - JSON text as Python's json.loads() takes it.
 *
 * Strict JSON is read by base. What that refuses is read once more here, by the wider
 * rules of Python: NaN, Infinity and -Infinity are numbers; of a key that is there
 * twice the last value counts, at the place of the first; half of a surrogate pair may
 * stand alone.
 *
 * Order: base's reader, then one recursive walk over the text. INVARIANT: with
 * AG_PY_AS_JSON everything in the result can be written as JSON again.
 * May fail: MT_E_SYNTAX for what Python refuses too, MT_E_LIMIT for what is deeper or
 * longer than allowed. Texts that base reads may borrow from the input,
 * those read here are copied. */
#include "agent/python.h"
#include "agent/value.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"

typedef struct text_reader {
    mt_arena *a;
    const char *at, *end;
    size_t depth, most;
    ag_py_form form;
    mt_err err;
} text_reader;

static bool fail(text_reader *r, mt_err err)
{
    r->err = r->err ? r->err : err;
    return false;
}

static void skip_space(text_reader *r)
{
    while (r->at < r->end &&
           (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) {
        r->at++;
    }
}

static bool take_char(text_reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c) {
        return false;
    }
    r->at++;
    return true;
}

static bool take_word(text_reader *r, mt_str word)
{
    if ((size_t)(r->end - r->at) < word.len || memcmp(r->at, word.ptr, word.len) != 0) {
        return false;
    }
    r->at += word.len;
    return true;
}

/* ---- texts ---- */

static bool take_hex(text_reader *r, uint32_t *out)
{
    *out = 0;
    if (r->end - r->at < 4) {
        return fail(r, MT_E_SYNTAX);
    }
    for (int i = 0; i < 4; i++, r->at++) {
        char c = *r->at;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) {
            return fail(r, MT_E_SYNTAX);
        }
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

/* Half of a pair: as Python has it, three bytes that are not UTF-8, or the sign for
 * what cannot be shown. */
static void add_unit(const text_reader *r, mt_buf *out, uint32_t c)
{
    char bytes[4];
    bool half = c >= 0xD800 && c < 0xE000;
    if (half && r->form == AG_PY_AS_IS) {
        mt_buf_addc(out, (char)(0xE0 | c >> 12));
        mt_buf_addc(out, (char)(0x80 | (c >> 6 & 0x3F)));
        mt_buf_addc(out, (char)(0x80 | (c & 0x3F)));
        return;
    }
    mt_buf_add(out, bytes, mt_utf8_encode(half ? 0xFFFD : c, bytes));
}

/* After \u. A first half joins the second that follows it. */
static bool take_unicode(text_reader *r, mt_buf *out)
{
    uint32_t c, low;
    if (!take_hex(r, &c)) {
        return false;
    }
    const char *before = r->at;
    if (c >= 0xD800 && c < 0xDC00 && take_word(r, MT_STR("\\u"))) {
        if (!take_hex(r, &low)) {
            return false;
        }
        if (low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10 | (low - 0xDC00));
        } else {
            r->at = before;
        }
    }
    add_unit(r, out, c);
    return true;
}

/* After the backslash. */
static bool take_escape(text_reader *r, mt_buf *out)
{
    /* Pairs: the letter behind the backslash, and what it stands for. */
    static const char NAMED[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    if (r->at == r->end) {
        return fail(r, MT_E_SYNTAX);
    }
    char c = *r->at++;
    if (c == 'u') {
        return take_unicode(r, out);
    }
    for (const char *p = NAMED; *p; p += 2) {
        if (*p == c) {
            mt_buf_addc(out, p[1]);
            return true;
        }
    }
    return fail(r, MT_E_SYNTAX);
}

/* After the opening quote. */
static bool take_text(text_reader *r, mt_str *out)
{
    mt_buf text = {0};
    while (r->at < r->end && *r->at != '"') {
        char c = *r->at++;
        if ((unsigned char)c < 0x20) {
            fail(r, MT_E_SYNTAX);
            break;
        }
        if (c != '\\') {
            mt_buf_addc(&text, c);
        } else if (!take_escape(r, &text)) {
            break;
        }
    }
    if (r->at < r->end) {
        r->at++; /* the closing quote */
    } else {
        fail(r, MT_E_SYNTAX);
    }
    *out = mt_str_dup(r->a, mt_buf_str(&text));
    mt_buf_free(&text);
    return !r->err;
}

/* ---- numbers ---- */

static size_t digits_at(const char *p, const char *end)
{
    const char *start = p;
    while (p < end && *p >= '0' && *p <= '9') {
        p++;
    }
    return (size_t)(p - start);
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?; what follows is not its business. */
static bool take_number(text_reader *r, mt_json *out)
{
    const char *p = r->at + (r->at < r->end && *r->at == '-');
    size_t whole = digits_at(p, r->end);
    if (!whole) {
        return fail(r, MT_E_SYNTAX);
    }
    p += *p == '0' ? 1 : whole;
    size_t fraction = p < r->end && *p == '.' ? digits_at(p + 1, r->end) : 0;
    p += fraction ? fraction + 1 : 0;
    if (p < r->end && (*p == 'e' || *p == 'E')) {
        const char *e = p + 1;
        e += e < r->end && (*e == '+' || *e == '-');
        size_t exponent = digits_at(e, r->end);
        p = exponent ? e + exponent : p;
    }
    *out = ag_number_value(mt_str_from(r->at, (size_t)(p - r->at)));
    r->at = p;
    return true;
}

static bool take_special(text_reader *r, mt_json *out)
{
    static const mt_str WORDS[] = {MT_STR_INIT("NaN"), MT_STR_INIT("Infinity"),
                                   MT_STR_INIT("-Infinity")};
    for (size_t i = 0; i < 3; i++) {
        if (take_word(r, WORDS[i])) {
            *out = r->form == AG_PY_AS_IS ? ag_number_value(WORDS[i])
                                          : ag_text_value(WORDS[i]);
            return true;
        }
    }
    return false;
}

/* ---- values ---- */

static bool take_value(text_reader *r, mt_json *out);

static bool take_list(text_reader *r, mt_json *out)
{
    MT_VEC(mt_json) items = {0};
    if (!take_char(r, ']')) {
        do {
            mt_json item;
            if (!take_value(r, &item)) {
                return false;
            }
            mt_vec_push(r->a, &items, item);
        } while (take_char(r, ','));
        if (!take_char(r, ']')) {
            return fail(r, MT_E_SYNTAX);
        }
    }
    *out = ag_list_value(items.items, items.len);
    return true;
}

/* The last value of a key, at the place of the first. */
static bool take_object(text_reader *r, mt_json *out)
{
    MT_VEC(mt_json_member) members = {0};
    mt_map places = {0};
    if (!take_char(r, '}')) {
        do {
            mt_json_member m;
            bool added;
            if (!take_char(r, '"') || !take_text(r, &m.key) || !take_char(r, ':') ||
                !take_value(r, &m.value)) {
                return fail(r, MT_E_SYNTAX);
            }
            mt_map_entry *e = mt_map_add(r->a, &places, m.key, &added);
            if (added) {
                e->value = members.len;
                mt_vec_push(r->a, &members, m);
            } else {
                members.items[e->value].value = m.value;
            }
        } while (take_char(r, ','));
        if (!take_char(r, '}')) {
            return fail(r, MT_E_SYNTAX);
        }
    }
    *out = ag_object_value(members.items, members.len);
    return true;
}

static bool take_container(text_reader *r, mt_json *out)
{
    bool list = *r->at++ == '[';
    if (r->depth == r->most) {
        return fail(r, MT_E_LIMIT);
    }
    r->depth++;
    bool ok = list ? take_list(r, out) : take_object(r, out);
    r->depth--;
    return ok;
}

static bool take_value(text_reader *r, mt_json *out)
{
    skip_space(r);
    if (r->at == r->end) {
        return fail(r, MT_E_SYNTAX);
    }
    if (*r->at == '[' || *r->at == '{') {
        return take_container(r, out);
    }
    if (*r->at == '"') {
        mt_str text;
        r->at++;
        if (!take_text(r, &text)) {
            return false;
        }
        *out = ag_text_value(text);
        return true;
    }
    if (take_word(r, MT_STR("null"))) {
        *out = ag_null_value();
        return true;
    }
    bool yes = take_word(r, MT_STR("true"));
    if (yes || take_word(r, MT_STR("false"))) {
        *out = ag_bool_value(yes);
        return true;
    }
    return take_special(r, out) || take_number(r, out);
}

mt_err ag_py_loads(mt_arena *a, mt_str text, const mt_json_limits *limits,
                   ag_py_form form, mt_json *out)
{
    mt_err err = mt_json_read(a, text, limits, out, NULL);
    if (err != MT_E_SYNTAX || !text.len) {
        return err;
    }
    size_t most =
        limits && limits->depth ? limits->depth : MT_LIMITS_DEFAULT.json_depth;
    text_reader r = {.a = a,
                     .at = text.ptr,
                     .end = text.ptr + text.len,
                     .most = most < MT_JSON_MAX_DEPTH ? most : MT_JSON_MAX_DEPTH,
                     .form = form};
    bool ok = take_value(&r, out);
    skip_space(&r);
    return ok && r.at == r.end ? MT_OK : r.err ? r.err : MT_E_SYNTAX;
}
