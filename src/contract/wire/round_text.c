/* contract/wire/round_text.c - decimal texts of any length, rounded half to even.
 * Defaults are carried as text: more digits may be declared than can be computed with.
 */
#include "contract/wire/round_text.h"

/* Does the dropped part round the kept digits up? Half to even (§13.4): exactly one
 * half goes to the even neighbour. `dropped` is not empty; it has at least one digit,
 * because rounding was needed. */
static bool rounds_up(mt_str dropped, char last_kept)
{
    if (dropped.ptr[0] != '5') {
        return dropped.ptr[0] > '5';
    }
    for (size_t i = 1; i < dropped.len; i++) {
        if (dropped.ptr[i] != '0') {
            return true;
        }
    }
    return (last_kept - '0') % 2 == 1;
}

/* Adds one in the last place of digits[0..len), skipping a dot; true: a 1 is due in
 * front. */
static bool carry(char *digits, size_t len)
{
    for (size_t i = len; i-- > 0;) {
        if (digits[i] == '.') {
            continue;
        }
        if (digits[i] != '9') {
            digits[i]++;
            return false;
        }
        digits[i] = '0';
    }
    return true;
}

/* Zeros are added and never taken away here, so the value stays as written. */
static mt_str pad(mt_arena *a, mt_str text, bool has_dot, size_t zeros)
{
    char *out = mt_alloc(a, text.len + zeros + 2);
    memcpy(out, text.ptr, text.len);
    size_t len = text.len;
    if (!has_dot && zeros) {
        out[len++] = '.';
    }
    memset(out + len, '0', zeros);
    len += zeros;
    if (len && zeros == 0 && out[len - 1] == '.') {
        len--; /* "5." with scale 0 */
    }
    return mt_str_from(out, len);
}

static bool is_zero(mt_str digits)
{
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] != '0' && digits.ptr[i] != '.') {
            return false;
        }
    }
    return true;
}

/* `text` is an optional minus and digits with at most one dot. Works on text because a
 * declared scale may exceed the 28 digits of mt_decimal. Zero has no sign (§13.6). */
mt_str ct_round_text(mt_arena *a, mt_str text, uint32_t scale)
{
    bool negative = text.len && text.ptr[0] == '-';
    mt_str digits = mt_str_skip(text, negative);
    if (negative && is_zero(digits)) {
        return ct_round_text(a, digits, scale);
    }
    size_t dot = mt_str_find(digits, '.');
    bool has_dot = dot < digits.len;
    size_t fraction = has_dot ? digits.len - dot - 1 : 0;
    if (fraction <= scale) {
        return pad(a, text, has_dot, scale - fraction);
    }
    size_t kept = scale ? dot + 1 + scale : dot;
    mt_str dropped = mt_str_skip(digits, dot + 1 + scale);
    char *out = mt_alloc(a, kept + 3);
    char *number = out + 2; /* room for a sign and a carried 1 */
    memcpy(number, digits.ptr, kept);
    char last = kept ? number[kept - 1] : '0';
    if (rounds_up(dropped, last) && carry(number, kept)) {
        *--number = '1';
        kept++;
    }
    if (negative && !is_zero(mt_str_from(number, kept))) {
        *--number = '-';
        kept++;
    }
    return mt_str_from(number, kept);
}

/* Zeros before the first digit of the whole part and behind the last of the fraction
 * add nothing to a value. */
static mt_str without_zeros(mt_str text)
{
    text = mt_str_skip(text, text.len && text.ptr[0] == '-');
    while (text.len && text.ptr[0] == '0') {
        text = mt_str_skip(text, 1);
    }
    bool fraction = mt_str_find(text, '.') < text.len;
    while (fraction && text.ptr[text.len - 1] == '0') {
        text.len--;
    }
    return text;
}

/* Zeros between the dot and the first digit are not significant, but count for the
 * scale. §13.6 bounds both by 28. */
bool ct_exact_decimal(mt_str text)
{
    if (MT_LIKELY(text.len <= MT_DECIMAL_DIGITS)) {
        return true; /* there are no more digits than bytes */
    }
    text = without_zeros(text);
    size_t dot = mt_str_find(text, '.');
    size_t scale = dot < text.len ? text.len - dot - 1 : 0, zeros = 0;
    while (!dot && zeros < scale && text.ptr[1 + zeros] == '0') {
        zeros++;
    }
    return scale <= MT_DECIMAL_MAX_SCALE && dot + scale - zeros <= MT_DECIMAL_DIGITS;
}

bool ct_computed_decimal(mt_arena *a, mt_str text, mt_decimal *out)
{
    mt_str digits = without_zeros(text);
    size_t whole = mt_str_find(digits, '.');
    if (whole > MT_DECIMAL_DIGITS) {
        return false;
    }
    if (!ct_exact_decimal(text) && mt_decimal_parse(text, out) != MT_E_SYNTAX) {
        text = ct_round_text(a, text, (uint32_t)(MT_DECIMAL_DIGITS - whole));
    }
    return mt_decimal_parse(text, out) == MT_OK;
}
