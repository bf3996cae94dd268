/* contract/front/unit.c - reporting, and small things every pass needs.
 *
 * A report goes to one of two lists: the first one, whose first error is what the
 * suite compares, and the later one, for what the specification demands beyond it;
 * some codes are warnings unless the run is strict. When a list is full (limit
 * diagnostics) a report is only counted and its text not made.
 *
 * Place and length are in characters and found from the token. Sorting by id compares
 * the first eight bytes as a number and only then the whole text: contracts have
 * thousands of ids. */
#include "contract/front/unit.h"

#include <stdlib.h>

#include "base/utf8.h"

const char *fr_kind_name(fr_kind kind)
{
    static const char *const NAMES[] = {
        [FR_IMPORT] = "Import",       [FR_TYPEDECL] = "TypeDecl", [FR_FACT] = "Fact",
        [FR_SOURCE] = "Source",       [FR_ENTITY] = "Entity",     [FR_RULE] = "Rule",
        [FR_OPERATION] = "Operation", [FR_PERSONA] = "Persona",   [FR_FLOW] = "Flow",
        [FR_SYSTEM] = "System",
    };
    return NAMES[kind];
}

/* The list a diagnostic goes to, and how severe it is there. NULL: nobody wants to see
 * it. Order inside a list is the order of the passes; a late report never comes before
 * one the suite knows, whatever pass made it. */
static mt_diags *list_of(fr_unit *u, fr_code code, bool late, mt_severity *severity)
{
    *severity = MT_ERROR;
    switch (fr_code_level(code)) {
    case FR_SUITE: return late ? &u->later : u->first;
    case FR_SPEC: return &u->later;
    case FR_TOLERATED:
        if (u->options.strict) {
            return &u->later;
        }
        *severity = MT_WARNING;
        break;
    case FR_WARN: *severity = MT_WARNING; break;
    case FR_NOTE: *severity = MT_NOTE; break;
    }
    return u->options.no_warnings ? NULL : &u->remarks;
}

static bool is_full(const mt_diags *ds)
{
    return ds->limit && ds->len >= ds->limit;
}

/* Column and length in characters of text[start..start+len). Searches backwards for the
 * beginning of the line: tokens have no column, since only reports need one. */
static void place_in(mt_str text, size_t start, size_t len, mt_diag *d)
{
    size_t line = start;
    while (line && text.ptr[line - 1] != '\n') {
        line--;
    }
    d->column = (uint32_t)mt_utf8_count(mt_str_from(text.ptr + line, start - line)) + 1;
    d->length = (uint32_t)mt_utf8_count(mt_str_from(text.ptr + start, len));
}

/* Pass and the usual hint come from the table of codes, so a code means the same
 * wherever it is reported. */
static void add(fr_unit *u, fr_code code, bool late, mt_diag *d, const char *hint)
{
    mt_diags *list = list_of(u, code, late, &d->severity);
    const ct_code_info *info = ct_code_at((size_t)code);
    d->code = info->code;
    d->pass = fr_code_pass(code);
    d->hint = mt_str_z(hint ? hint : info->hint);
    if (list) {
        mt_diag_add(list, d);
    }
}

/* §14.3: kind and id of the construct, field, file, line and words for the author. A
 * full list still counts, so the caller learns how many there were. */
void fr_report(fr_unit *u, fr_code code, fr_place at, const char *format, ...)
{
    mt_diag d = {.file = at.file->path, .field = at.field};
    mt_severity severity;
    const mt_diags *list = list_of(u, code, at.late, &severity);
    if (list && !is_full(list)) {
        const fr_token *t = fr_token_at(at.file, at.tok);
        d.line = t->line;
        place_in(at.file->text, t->start, fr_token_len(at.file->text, t), &d);
        va_list args;
        va_start(args, format);
        d.message = mt_strfv(u->keep, format, args);
        va_end(args);
    }
    if (at.construct) {
        d.construct_kind = mt_str_z(fr_kind_name((fr_kind)at.construct->kind));
        d.construct_id = fr_str(u, at.construct->id);
    }
    add(u, code, at.late, &d, at.hint);
}

void fr_report_file(fr_unit *u, fr_code code, mt_str file, const char *format, ...)
{
    mt_diag d = {.file = file};
    va_list args;
    va_start(args, format);
    d.message = mt_strfv(u->keep, format, args);
    va_end(args);
    add(u, code, false, &d, NULL);
}

/* A byte-order mark looks like an empty place to the author, hence the hint. */
void fr_report_lex(fr_unit *u, const fr_file *file, const fr_lex_fault *fault)
{
    mt_diag d = {.file = file->path, .line = fault->line, .message = fault->message};
    const char *hint = NULL;
    place_in(file->text, fault->start, fault->len, &d);
    if (fault->start == 0 && fault->len == 3 &&
        (unsigned char)file->text.ptr[0] == 0xEF) {
        hint = "the file begins with a byte-order mark: save it as UTF-8 without one";
    }
    add(u, fault->code, false, &d, hint);
}

/* Remarks do not count; in a strict run tolerated faults are in `later` and do. */
bool fr_refused(const fr_unit *u)
{
    return u->first->errors || u->later.errors;
}

/* By text, never by number: numbers depend on the order of appearance, and what is
 * written or reported must not (§14.1). */
int fr_sym_cmp(const fr_unit *u, fr_sym a, fr_sym b)
{
    return a == b ? 0 : mt_str_cmp(fr_str(u, a), fr_str(u, b));
}

static int compare_numbers(const void *a, const void *b)
{
    fr_sym x = *(const fr_sym *)a, y = *(const fr_sym *)b;
    return x < y ? -1 : x > y;
}

/* By number, which is enough to search and to find doubles; nothing of this order
 * shows. */
fr_sym *fr_sorted_syms(mt_arena *a, const fr_sym *syms, size_t count)
{
    fr_sym *sorted = mt_alloc(a, mt_array_bytes(count, sizeof *sorted));
    if (count) {
        memcpy(sorted, syms, count * sizeof *sorted);
    }
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    return sorted;
}

bool fr_sym_in(const fr_sym *sorted, size_t count, fr_sym sym)
{
    return count && bsearch(&sym, sorted, count, sizeof sym, compare_numbers) != NULL;
}

/* Short lists are searched as they are; a list of thousands is sorted once and then
 * searched by halves, so asking for each of its names stays cheap. */
bool fr_names_have(fr_unit *u, fr_names *names, fr_sym sym)
{
    enum { FEW = 16 };
    if (names->len <= FEW) {
        for (size_t i = 0; i < names->len; i++) {
            if (names->items[i].sym == sym) {
                return true;
            }
        }
        return false;
    }
    if (!names->sorted) {
        fr_sym *all = mt_new_array(u->keep, fr_sym, names->len);
        for (size_t i = 0; i < names->len; i++) {
            all[i] = names->items[i].sym;
        }
        names->sorted = fr_sorted_syms(u->keep, all, names->len);
    }
    return fr_sym_in(names->sorted, names->len, sym);
}

/* Sorting compares the first eight bytes as a number and only then the whole id. */
typedef struct sort_key {
    uint64_t prefix;
    fr_construct *construct;
} sort_key;

/* Big-endian, so that the order of numbers is the order of bytes; a shorter id has
 * zeros behind it and comes first, as byte order wants. */
static uint64_t prefix_of(mt_str s)
{
    uint64_t word = 0;
    memcpy(&word, s.ptr, s.len < 8 ? s.len : 8);
    return __builtin_bswap64(word);
}

static int compare_keys(const void *a, const void *b, void *unit)
{
    const sort_key *x = a, *y = b;
    if (x->prefix != y->prefix) {
        return x->prefix < y->prefix ? -1 : 1;
    }
    return fr_sym_cmp(unit, x->construct->id, y->construct->id);
}

/* Generated contracts are often in order already. */
static bool is_sorted(const fr_unit *u, fr_construct *const *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (fr_sym_cmp(u, items[i - 1]->id, items[i]->id) > 0) {
            return false;
        }
    }
    return true;
}

static void insertion_sort(const fr_unit *u, fr_construct **items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        fr_construct *c = items[i];
        size_t at = i;
        for (; at && fr_sym_cmp(u, items[at - 1]->id, c->id) > 0; at--) {
            items[at] = items[at - 1];
        }
        items[at] = c;
    }
}

/* Equal ids are a fault that was reported, so their order among themselves is not seen
 * in a bundle. */
void fr_sort_by_id(const fr_unit *u, fr_construct **items, size_t count)
{
    enum { FEW = 12 };
    if (is_sorted(u, items, count)) {
        return;
    }
    if (count <= FEW) {
        insertion_sort(u, items, count);
        return;
    }
    mt_mark mark = mt_arena_mark(u->keep);
    sort_key *keys = mt_alloc(u->keep, mt_array_bytes(count, sizeof *keys));
    for (size_t i = 0; i < count; i++) {
        keys[i] = (sort_key){prefix_of(fr_str(u, items[i]->id)), items[i]};
    }
    qsort_r(keys, count, sizeof *keys, compare_keys, (void *)(uintptr_t)u);
    for (size_t i = 0; i < count; i++) {
        items[i] = keys[i].construct;
    }
    mt_arena_rewind(u->keep, mark);
}

mt_str fr_list_text(const fr_unit *u, const fr_names *names)
{
    enum { SHOWN = 1000 };
    mt_buf b = {0};
    mt_buf_addc(&b, '[');
    for (size_t i = 0; i < names->len && i < SHOWN; i++) {
        mt_buf_addz(&b, i ? ", " : "");
        mt_buf_adds(&b, fr_str(u, names->items[i].sym));
    }
    mt_buf_addc(&b, ']');
    mt_str text = mt_str_dup(u->keep, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}
