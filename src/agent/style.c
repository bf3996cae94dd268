/* agent/style.c - see style.h. */
#include "agent/style.h"

#include "base/utf8.h"

/* clang-format off */
const ag_style AG_STYLE = {
    .stem = MT_STR_INIT("-"), .left = MT_STR_INIT("["), .right = MT_STR_INIT("]"),
    .separator = MT_STR_INIT(","), .tip = MT_STR_INIT(">"),
    .open = MT_STR_INIT("--["), .close = MT_STR_INIT("]-->"), .bare = MT_STR_INIT("-->"),
};
/* clang-format on */
const ag_styles AG_STYLES = {&AG_STYLE, 1};

static bool contains(mt_str whole, mt_str part)
{
    return part.len <= whole.len &&
           memmem(whole.ptr, whole.len, part.ptr, part.len) != NULL;
}

/* Equal parts count as one; of two different ones neither may contain the other. */
static bool parts_overlap(const mt_str *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (!mt_str_eq(parts[i], parts[k]) && contains(parts[i], parts[k])) {
                return true;
            }
        }
    }
    return false;
}

/* Glyphs that contain each other could be read in two ways. */
static const char *fault_of(const ag_style *s, mt_str base)
{
    const mt_str parts[] = {base, s->left, s->right, s->tip};
    const mt_str banned[] = {s->stem,     s->left,     s->right,   s->tip,
                             MT_STR("("), MT_STR(")"), MT_STR("/")};
    if (!s->left.len || !s->right.len || !s->separator.len || !s->tip.len) {
        return "brackets, separator and tip must not be empty";
    }
    if (parts_overlap(parts, 4)) {
        return "one of stem, brackets and tip contains another";
    }
    for (size_t i = 0; i < sizeof banned / sizeof *banned; i++) {
        if (contains(s->separator, banned[i])) {
            return "the separator contains a character the style or tokens use";
        }
    }
    return NULL;
}

static mt_str join(mt_arena *a, mt_str x, mt_str y, mt_str z)
{
    return mt_strf(a, "%.*s%.*s%.*s", MT_ARG(x), MT_ARG(y), MT_ARG(z));
}

/* The marks are made once here; what would make two marks ambiguous is refused by
 * fault_of(). */
mt_err ag_style_make(mt_arena *a, mt_str stem, mt_str left, mt_str right,
                     mt_str separator, mt_str tip, ag_style *out, const char **why)
{
    *out = (ag_style){
        .stem = stem, .left = left, .right = right, .separator = separator, .tip = tip};
    if (mt_utf8_count(stem) != 1) {
        *why = "the stem must be one character";
        return MT_E_REJECTED;
    }
    mt_str base = join(a, stem, stem, MT_STR(""));
    *why = fault_of(out, base);
    if (*why) {
        return MT_E_REJECTED;
    }
    out->open = join(a, base, left, MT_STR(""));
    out->close = join(a, right, base, tip);
    out->bare = join(a, base, tip, MT_STR(""));
    return MT_OK;
}
