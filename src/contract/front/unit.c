/* contract/front/unit.c - reporting, and small things every pass needs. */
#include "contract/front/unit.h"

#include <stdlib.h>

#include "base/utf8.h"

const char *ct_kind_name(ct_kind kind)
{
    static const char *const NAMES[] = {
        [CT_IMPORT] = "Import",       [CT_TYPEDECL] = "TypeDecl", [CT_FACT] = "Fact",
        [CT_SOURCE] = "Source",       [CT_ENTITY] = "Entity",     [CT_RULE] = "Rule",
        [CT_OPERATION] = "Operation", [CT_PERSONA] = "Persona",   [CT_FLOW] = "Flow",
        [CT_SYSTEM] = "System",
    };
    return NAMES[kind];
}

/* The list a diagnostic goes to, and how severe it is there. */
static mt_diags *list_of(ct_unit *u, ct_code code, bool late, mt_severity *severity)
{
    *severity = MT_ERROR;
    switch (ct_code_level(code)) {
    case CT_SUITE: return late ? &u->later : u->first;
    case CT_SPEC: return &u->later;
    case CT_TOLERATED:
        if (u->options.strict) {
            return &u->later;
        }
        *severity = MT_WARNING;
        break;
    case CT_WARN: *severity = MT_WARNING; break;
    case CT_NOTE: *severity = MT_NOTE; break;
    }
    return u->options.no_warnings ? NULL : &u->remarks;
}

static bool is_full(const mt_diags *ds)
{
    return ds->limit && ds->len >= ds->limit;
}

/* Column and length in characters of text[start..start+len). */
static void place_in(mt_str text, size_t start, size_t len, mt_diag *d)
{
    size_t line = start;
    while (line && text.ptr[line - 1] != '\n') {
        line--;
    }
    d->column = (uint32_t)mt_utf8_count(mt_str_from(text.ptr + line, start - line)) + 1;
    d->length = (uint32_t)mt_utf8_count(mt_str_from(text.ptr + start, len));
}

static void add(ct_unit *u, ct_code code, bool late, mt_diag *d, const char *hint)
{
    mt_diags *list = list_of(u, code, late, &d->severity);
    const ct_code_info *info = ct_code_at((size_t)code);
    d->code = info->code;
    d->pass = ct_code_pass(code);
    d->hint = mt_str_z(hint ? hint : info->hint);
    if (list) {
        mt_diag_add(list, d);
    }
}

void ct_report(ct_unit *u, ct_code code, ct_place at, const char *format, ...)
{
    mt_diag d = {.file = at.file->path, .field = at.field};
    mt_severity severity;
    const mt_diags *list = list_of(u, code, at.late, &severity);
    if (list && !is_full(list)) {
        const ct_token *t = ct_token_at(at.file, at.tok);
        d.line = t->line;
        place_in(at.file->text, t->start, ct_token_len(at.file->text, t), &d);
        va_list args;
        va_start(args, format);
        d.message = mt_strfv(u->keep, format, args);
        va_end(args);
    }
    if (at.construct) {
        d.construct_kind = mt_str_z(ct_kind_name((ct_kind)at.construct->kind));
        d.construct_id = ct_str(u, at.construct->id);
    }
    add(u, code, at.late, &d, at.hint);
}

void ct_report_file(ct_unit *u, ct_code code, mt_str file, const char *format, ...)
{
    mt_diag d = {.file = file};
    va_list args;
    va_start(args, format);
    d.message = mt_strfv(u->keep, format, args);
    va_end(args);
    add(u, code, false, &d, NULL);
}

void ct_report_lex(ct_unit *u, const ct_file *file, const ct_lex_fault *fault)
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

bool ct_refused(const ct_unit *u)
{
    return u->first->errors || u->later.errors;
}

int ct_sym_cmp(const ct_unit *u, ct_sym a, ct_sym b)
{
    return a == b ? 0 : mt_str_cmp(ct_str(u, a), ct_str(u, b));
}

static int compare_numbers(const void *a, const void *b)
{
    ct_sym x = *(const ct_sym *)a, y = *(const ct_sym *)b;
    return x < y ? -1 : x > y;
}

ct_sym *ct_sorted_syms(mt_arena *a, const ct_sym *syms, size_t count)
{
    ct_sym *sorted = mt_alloc(a, mt_array_bytes(count, sizeof *sorted));
    if (count) {
        memcpy(sorted, syms, count * sizeof *sorted);
    }
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    return sorted;
}

bool ct_sym_in(const ct_sym *sorted, size_t count, ct_sym sym)
{
    return count && bsearch(&sym, sorted, count, sizeof sym, compare_numbers) != NULL;
}

bool ct_names_have(ct_unit *u, ct_names *names, ct_sym sym)
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
        ct_sym *all = mt_new_array(u->keep, ct_sym, names->len);
        for (size_t i = 0; i < names->len; i++) {
            all[i] = names->items[i].sym;
        }
        names->sorted = ct_sorted_syms(u->keep, all, names->len);
    }
    return ct_sym_in(names->sorted, names->len, sym);
}

/* Sorting compares the first eight bytes as a number and only then the whole id. */
typedef struct sort_key {
    uint64_t prefix;
    ct_construct *construct;
} sort_key;

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
    return ct_sym_cmp(unit, x->construct->id, y->construct->id);
}

static bool is_sorted(const ct_unit *u, ct_construct *const *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (ct_sym_cmp(u, items[i - 1]->id, items[i]->id) > 0) {
            return false;
        }
    }
    return true;
}

static void insertion_sort(const ct_unit *u, ct_construct **items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        ct_construct *c = items[i];
        size_t at = i;
        for (; at && ct_sym_cmp(u, items[at - 1]->id, c->id) > 0; at--) {
            items[at] = items[at - 1];
        }
        items[at] = c;
    }
}

void ct_sort_by_id(const ct_unit *u, ct_construct **items, size_t count)
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
        keys[i] = (sort_key){prefix_of(ct_str(u, items[i]->id)), items[i]};
    }
    qsort_r(keys, count, sizeof *keys, compare_keys, (void *)(uintptr_t)u);
    for (size_t i = 0; i < count; i++) {
        items[i] = keys[i].construct;
    }
    mt_arena_rewind(u->keep, mark);
}

mt_str ct_list_text(const ct_unit *u, const ct_names *names)
{
    enum { SHOWN = 1000 };
    mt_buf b = {0};
    mt_buf_addc(&b, '[');
    for (size_t i = 0; i < names->len && i < SHOWN; i++) {
        mt_buf_addz(&b, i ? ", " : "");
        mt_buf_adds(&b, ct_str(u, names->items[i].sym));
    }
    mt_buf_addc(&b, ']');
    mt_str text = mt_str_dup(u->keep, mt_buf_str(&b));
    mt_buf_free(&b);
    return text;
}
