/* contract/front/unit.c - small things every pass needs: names of kinds and sets of
 * symbols. Nothing fails. */
#include "contract/front/unit.h"

#include <stdlib.h>

const char *fr_kind_name(fr_kind kind)
{
    return kind == FR_IMPORT     ? "Import"
           : kind == FR_TYPEDECL ? "TypeDecl"
                                 : LN_CONSTRUCTS[kind].name;
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
