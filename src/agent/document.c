#include "agent/document.h"

/* Without the text of the document, as for values made in memory, a fault has no
 * line. */
void ag_complain(const ag_document *d, const char *code, const mt_json *at,
                 mt_str message, const char *hint)
{
    mt_diag diag = {.severity = MT_ERROR,
                    .code = code,
                    .pass = -1,
                    .file = d->name,
                    .message = message,
                    .hint = mt_str_z(hint)};
    if (at && d->text.ptr) {
        mt_json_place(d->text, at->offset, &diag.line, &diag.column);
    }
    mt_diag_add(d->ds, &diag);
}

static void hear(void *state, const mt_form_fault *fault)
{
    const ag_document *d = state;
    mt_diag diag = mt_form_diag(fault, d->code(fault), d->name, d->text);
    if (fault->wrong == MT_FORM_UNKNOWN_KEY && !diag.hint.len) {
        diag.hint = mt_str_z(d->keys);
    }
    mt_diag_add(d->ds, &diag);
}

mt_form ag_form(ag_document *d, const char *what)
{
    return (mt_form){.arena = d->a, .what = what, .report = hear, .state = d};
}

/* One number is a list of one. All items are looked at, so that one message covers the
 * list. */
bool ag_read_numbers(mt_form *f, const mt_form_row *row, const mt_json *v, void *to)
{
    bool list = mt_json_is(v, MT_JSON_ARRAY), good = true;
    uint32_t count = list ? v->count : 1;
    int64_t *items = mt_new_array(f->arena, int64_t, count);
    for (uint32_t i = 0; i < count; i++) {
        good &= mt_json_i64(list ? &v->as.items[i] : v, &items[i]) == MT_OK;
    }
    if (!good) {
        return mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key,
                           "must be a whole number or a list of them");
    }
    *(ag_priority *)to = (ag_priority){items, count};
    return true;
}
