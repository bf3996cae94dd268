/* connect/words.c - words, what they stand for, and how much they say. Room: connect.
 *
 * To teach it a synonym, add a word to a row of SYNONYMS. Words of one row mean nearly
 * the same in names of fields; a row is worth less than equality, so that a better name
 * wins. A word may be in several rows, and rows are not joined through it: `opened` is
 * like `created` and like `open`, but these two are not alike.
 *
 * A word is split off, put into lower case and looked up once, when it is made. Two are
 * compared as they are, then by the bits of their rows and, only for what is left, by
 * how many letters differ. Nothing here can fail. */
#include "connect/words.h"

#include "base/nearest.h"

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Bytes of UTF-8 beyond ASCII count as small
 * letters: a name is not split inside them. */
static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A word ends where a capital follows a small letter, or where the last of several
 * capitals begins a word (HTTPStatus), or where digits begin. */
static bool ends_word(mt_str s, size_t i)
{
    char c = s.ptr[i], after = i + 1 < s.len ? s.ptr[i + 1] : 0;
    char later = i + 2 < s.len ? s.ptr[i + 2] : 0;
    return (is_lower(c) && (is_upper(after) || is_digit(after))) ||
           (is_digit(c) && !is_digit(after)) ||
           (is_upper(c) && is_upper(after) && is_lower(later));
}

bool cn_words_have(const cn_words *w, const char *word)
{
    for (size_t i = 0; i < w->len; i++) {
        if (mt_str_eq(w->items[i].text, mt_str_z(word))) {
            return true;
        }
    }
    return false;
}

/* clang-format off */
static const char *const SYNONYMS[] = {
    "amount amt sum total value", "balance bal", "quantity qty count", "price cost rate",
    "currency ccy curr", "customer client buyer purchaser cust consumer",
    "seller vendor supplier merchant", "account acct", "address addr",
    "status state stage phase", "created creation opened placed issued registered",
    "updated modified changed", "start begin from starts effective",
    "end finish until expiry expires expiration expire ends", "due deadline payable",
    "identifier id uuid key", "number num no nr", "percent percentage pct",
    "maximum max limit cap ceiling threshold upper", "minimum min floor lower",
    "description desc text", "name title label", "email mail", "phone telephone tel mobile",
    "employee staff worker", "shipment delivery shipping parcel consignment",
    "shipped dispatched sent", "delivered received arrived", "invoice bill",
    "paid settled", "payment settlement", "cancelled canceled void", "approved accepted confirmed",
    "rejected declined denied refused", "active enabled", "verified validated checked",
    "score rating grade points", "weight mass", "stock inventory available", "days day",
    "hours hour hrs", "minutes minute mins", "seconds second secs sec", "birth dob born",
    "postcode zip postal", "tax vat", "discount rebate reduction", "order purchase",
    "product item sku article", "date day on", "time at timestamp ts datetime moment instant",
    "risk hazard", "level tier class", "category kind type", "country nation",
    "credit loan", "credit lending", "debt liability owed outstanding", "income salary earnings wage",
    "policy insurance", "claim case", "doctor physician practitioner", "patient subject",
    "temperature temp", "length duration period term", "notice warning", "blocked frozen suspended locked",
    "open opened", "closed ended", "return returned refund", "last latest most recent", "first initial",
    "remaining left rest", "required needed mandatory", "user person member", "owner holder proprietor",
    "approver reviewer", "signed executed", "contract agreement",
};
/* Words that say little about which value is meant. */
static const char *const NOISE[] = {
    "is", "has", "was", "the", "of", "a", "an", "in", "for", "to", "by", "and", "data", "info",
    "information", "details", "detail", "get", "fetch", "read", "api", "v1", "v2", "v", "list",
    "response", "reply", "result", "results", "items", "edges", "node", "attributes", "resource",
    "record", "object", "entity", "current", "flag", "value", "field", "service", "view", "tbl",
};
/* clang-format on */

/* Is the word one of those in the text? */
static bool is_among(const char *text, mt_str word)
{
    for (const char *p = text; *p;) {
        size_t len = strcspn(p, " ");
        if (mt_str_eq(mt_str_from(p, len), word)) {
            return true;
        }
        p += len + (p[len] == ' ');
    }
    return false;
}

/* Without the s of a plural: not for `address`,
 * `status` and `basis`, nor for `is` and `gas`. */
static mt_str stem(mt_str w)
{
    if (w.len > 3 && mt_str_ends(w, MT_STR("s")) && !mt_str_ends(w, MT_STR("ss")) &&
        !mt_str_ends(w, MT_STR("us")) && !mt_str_ends(w, MT_STR("is"))) {
        w.len--;
    }
    return w;
}

/* entries and entry, statuses and status. */
static bool is_plural(mt_str many, mt_str one)
{
    return (mt_str_ends(many, MT_STR("ies")) && mt_str_ends(one, MT_STR("y")) &&
            many.len == one.len + 2 && memcmp(many.ptr, one.ptr, one.len - 1) == 0) ||
           (mt_str_ends(many, MT_STR("es")) && many.len == one.len + 2 &&
            memcmp(many.ptr, one.ptr, one.len) == 0);
}

_Static_assert(sizeof SYNONYMS / sizeof *SYNONYMS <= 128, "a bit for each row");

/* The word with its rows and weight. A word
 * that says little is not nothing: 150 of 1000. */
static cn_word known(mt_str text)
{
    enum { NOISY = 150, FULL = 1000 };
    cn_word w = {.text = text, .weight = FULL};
    for (size_t i = 0; i < sizeof SYNONYMS / sizeof *SYNONYMS; i++) {
        if (is_among(SYNONYMS[i], text) || is_among(SYNONYMS[i], stem(text))) {
            w.rows[i / 64] |= (uint64_t)1 << i % 64;
        }
    }
    for (size_t i = 0; i < sizeof NOISE / sizeof *NOISE; i++) {
        if (mt_str_eq(text, mt_str_z(NOISE[i]))) {
            w.weight = NOISY;
        }
    }
    return w;
}

/* A copy in lower case, so that the name may go and comparing needs no folding. */
static void add_word(mt_arena *a, cn_words *w, mt_str word)
{
    char *to = mt_alloc(a, word.len + 1);
    for (size_t i = 0; i < word.len; i++) {
        to[i] = (char)(is_upper(word.ptr[i]) ? word.ptr[i] | 0x20 : word.ptr[i]);
    }
    to[word.len] = '\0';
    mt_vec_push(a, w, known(mt_str_from(to, word.len)));
}

/* Signs and spaces separate words and are in
 * none, so a whole note can be given as well. */
void cn_words_add(mt_arena *a, cn_words *w, mt_str name)
{
    size_t from = 0;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = is_upper(c) || is_lower(c) || is_digit(c);
        if (letter && !ends_word(name, i) && i + 1 < name.len) {
            continue;
        }
        size_t end = i + letter;
        if (end > from) {
            add_word(a, w, mt_str_from(name.ptr + from, end - from));
        }
        from = i + 1;
    }
}

/* In the order of what it costs and of what it is worth. ABBREVIATED is a beginning of
 * at least three letters that leaves out two or more (`acc`, `account`); SLIP is a
 * mistyped word of at least five, as mt_nearest_of() would suggest it. */
unsigned cn_alike(const cn_word *one, const cn_word *other)
{
    enum { SAME = 1000, SYNONYM = 800, ABBREVIATED = 700, SLIP = 650 };
    mt_str a = one->text, b = other->text;
    if (mt_str_eq(a, b) || mt_str_eq(stem(a), stem(b)) || is_plural(a, b) ||
        is_plural(b, a)) {
        return SAME;
    }
    if ((one->rows[0] & other->rows[0]) || (one->rows[1] & other->rows[1])) {
        return SYNONYM;
    }
    mt_str shorter = a.len < b.len ? a : b, longer = a.len < b.len ? b : a;
    if (shorter.len >= 3 && longer.len >= shorter.len + 2 &&
        mt_str_starts(longer, shorter)) {
        return ABBREVIATED;
    }
    if (shorter.len < 5) {
        return 0;
    }
    mt_nearest n = mt_nearest_to(a);
    mt_nearest_offer(&n, b);
    return n.best.len ? SLIP : 0;
}

/* Each word of `of` counts with its best likeness in
 * `in`; a word of `in` may be used several times. */
unsigned cn_covered(const cn_words *of, const cn_words *in)
{
    uint64_t whole = 0, found = 0;
    for (size_t i = 0; i < of->len; i++) {
        unsigned best = 0, weight = of->items[i].weight;
        for (size_t k = 0; k < in->len && best < 1000; k++) {
            unsigned like = cn_alike(&of->items[i], &in->items[k]);
            best = like > best ? like : best;
        }
        whole += weight;
        found += (uint64_t)weight * best / 1000;
    }
    return whole ? (unsigned)(found * 1000 / whole) : 0;
}

mt_str cn_snake(mt_arena *a, mt_str name)
{
    cn_words w = {0};
    mt_buf b = {0};
    cn_words_add(a, &w, name);
    for (size_t i = 0; i < w.len; i++) {
        mt_buf_addz(&b, i ? "_" : "");
        mt_buf_adds(&b, w.items[i].text);
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}

mt_str cn_singular(mt_arena *a, mt_str name)
{
    if (mt_str_ends(name, MT_STR("ies")) && name.len > 4) {
        return mt_strf(a, "%.*sy", (int)name.len - 3, name.ptr);
    }
    if (mt_str_ends(name, MT_STR("sses")) || mt_str_ends(name, MT_STR("uses")) ||
        mt_str_ends(name, MT_STR("xes"))) {
        return mt_str_from(name.ptr, name.len - 2);
    }
    return stem(name);
}
