/* generate/names.c - see names.h.
 *
 * Names of a contract are mostly good names of every language, and stay as they are.
 * Nothing fails: what cannot be a name becomes one, and stays different from all other
 * names of its scope. The order of asking decides who gets the plain name, and it is
 * the order of the contract, so the same contract gives the same names. */
#include "generate/names.h"

const char *const GN_C_WORDS[] = {
    "auto",     "bool",     "break",   "case",    "char",     "const",     "continue",
    "default",  "do",       "double",  "else",    "enum",     "extern",    "false",
    "float",    "for",      "goto",    "if",      "inline",   "int",       "long",
    "register", "restrict", "return",  "short",   "signed",   "sizeof",    "static",
    "struct",   "switch",   "true",    "typedef", "union",    "unsigned",  "void",
    "volatile", "while",    "alignas", "alignof", "asm",      "nullptr",   "typeof",
    "linux",    "unix",     "given",   "NULL",    "class",    "new",       "delete",
    "template", "this",     "private", "public",  "operator", "namespace", NULL};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

mt_str gn_kept(mt_arena *a, mt_buf *b)
{
    mt_str text = mt_str_dup(a, mt_buf_str(b));
    mt_buf_free(b);
    return text;
}

mt_str gn_plain(mt_arena *a, mt_str text)
{
    mt_buf out = {0};
    if (!text.len || is_digit(text.ptr[0])) {
        mt_buf_addc(&out, 'n');
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        mt_buf_addc(&out, is_letter(c) || is_digit(c) ? c : '_');
    }
    return gn_kept(a, &out);
}

mt_str gn_upper(mt_arena *a, mt_str text)
{
    mt_str plain = gn_plain(a, text);
    char *at = mt_alloc(a, plain.len + 1);
    for (size_t i = 0; i < plain.len; i++) {
        char c = plain.ptr[i];
        at[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    return mt_str_from(at, plain.len);
}

/* Underscores go, and what follows one is in upper case; capitals stay where they are,
 * so camelCase keeps its humps. */
mt_str gn_camel(mt_arena *a, mt_str text)
{
    mt_str plain = gn_plain(a, text);
    mt_buf out = {0};
    bool up = true;
    for (size_t i = 0; i < plain.len; i++) {
        char c = plain.ptr[i];
        if (c == '_') {
            up = true;
            continue;
        }
        mt_buf_addc(&out, up && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
        up = false;
    }
    if (!out.len || is_digit(out.ptr[0])) {
        mt_str rest = gn_kept(a, &out);
        return mt_strf(a, "N%.*s", MT_ARG(rest));
    }
    return gn_kept(a, &out);
}

static bool is_word(const gn_scope *s, mt_str name)
{
    for (const char *const *w = s->words; w && *w; w++) {
        if (mt_str_eq(name, mt_str_z(*w))) {
            return true;
        }
    }
    return false;
}

/* `wanted`_2, `wanted`_3, …: a contract may have such a name itself, hence the map and
 * not a count per name. */
mt_str gn_unique(gn_scope *s, mt_str name)
{
    mt_str wanted = is_word(s, name) ? mt_strf(s->a, "%.*s_", MT_ARG(name)) : name;
    mt_str tried = wanted;
    bool added = false;
    for (unsigned n = 2; mt_map_add(s->a, &s->taken, tried, &added), !added; n++) {
        tried = mt_strf(s->a, "%.*s_%u", MT_ARG(wanted), n);
    }
    return tried;
}

/* An '@' that begins neither is kept: templates
 * have some in decorators and addresses. */
void gn_fill(mt_buf *out, const char *text, mt_str prefix, mt_str upper)
{
    for (const char *at; (at = strchr(text, '@')); text = at) {
        mt_buf_add(out, text, (size_t)(at - text));
        if (strncmp(at, "@p@", 3) == 0) {
            mt_buf_adds(out, prefix);
            at += 3;
        } else if (strncmp(at, "@P@", 3) == 0) {
            mt_buf_adds(out, upper);
            at += 3;
        } else {
            mt_buf_addc(out, *at++);
        }
    }
    mt_buf_addz(out, text);
}

void gn_remark(mt_buf *out, mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        mt_buf_addc(out, (unsigned char)c < ' ' ? ' ' : c);
        char after = i + 1 < text.len ? text.ptr[i + 1] : '\0';
        if ((c == '*' && after == '/') || (c == '/' && after == '*')) {
            mt_buf_addc(out, ' ');
        }
    }
}

/* Bytes beyond ASCII are escaped as well: the file is
 * ASCII, whatever a compiler takes its encoding for. */
void gn_literal(mt_buf *out, mt_str text)
{
    mt_buf_addc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '"' || c == '\\') {
            mt_buf_addf(out, "\\%c", c);
        } else if (c < ' ' || c > '~' || c == '?') {
            mt_buf_addf(out, "\\%03o", c);
        } else {
            mt_buf_addc(out, (char)c);
        }
    }
    mt_buf_addc(out, '"');
}
