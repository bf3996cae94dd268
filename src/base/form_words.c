#include "base/form.h"

mt_str mt_form_choices(mt_arena *a, const char *const *choices)
{
    mt_buf text = {0};
    for (size_t i = 0; choices[i]; i++) {
        mt_buf_addf(&text, "%s`%s`",
                    !i               ? ""
                    : choices[i + 1] ? ", "
                                     : " or ",
                    choices[i]);
    }
    mt_str kept = mt_str_dup(a, mt_buf_str(&text));
    mt_buf_free(&text);
    return kept;
}

static mt_str number_words(mt_arena *a, const mt_form_row *row)
{
    return row->most == INT64_MAX
               ? mt_strf(a, "a whole number of at least %lld", (long long)row->least)
               : mt_strf(a, "a whole number from %lld to %lld", (long long)row->least,
                         (long long)row->most);
}

mt_str mt_form_expects(mt_arena *a, const mt_form_row *row)
{
    switch (row->kind) {
    case MT_FORM_K_TEXT:
    case MT_FORM_K_WORD:
    case MT_FORM_K_CHOICE:
        return row->choices ? mt_form_choices(a, row->choices) : MT_STR("text");
    case MT_FORM_K_FLAG:
    case MT_FORM_K_SAYS: return MT_STR("true or false");
    case MT_FORM_K_INT:
    case MT_FORM_K_SIZE:
    case MT_FORM_K_U32:
    case MT_FORM_K_U64: return number_words(a, row);
    case MT_FORM_K_SPAN: return MT_STR("a time such as 250ms, 5s, 2m or 1h");
    case MT_FORM_K_TEXTS:
    case MT_FORM_K_WORDS:
    case MT_FORM_K_STRS: return MT_STR("a list of texts");
    case MT_FORM_K_LIST:
    case MT_FORM_K_EACH:
        return row->table ? mt_strf(a, "a list, each %s", row->table->what)
                          : MT_STR("a list");
    case MT_FORM_K_MAP:
        return mt_strf(a, "an object, each name with %s", row->table->what);
    case MT_FORM_K_OBJECT:
    case MT_FORM_K_INSIDE: return MT_STR("an object");
    case MT_FORM_K_OWN:
        return row->read == mt_form_ignore ? MT_STR("anything: it is for people")
                                           : MT_STR("a value");
    case MT_FORM_K_ANY:
    case MT_FORM_K_RAW:
    case MT_FORM_K_LABEL:
    case MT_FORM_K_PLACE:
    case MT_FORM_KIND_COUNT: break;
    }
    return MT_STR("a value");
}

const mt_form_row *mt_form_find(const mt_form_table *table, mt_str key)
{
    for (size_t i = 0; table && i < table->count; i++) {
        const char *own = table->rows[i].key;
        if (own && mt_str_eq(mt_str_z(own), key)) {
            return &table->rows[i];
        }
    }
    return NULL;
}
