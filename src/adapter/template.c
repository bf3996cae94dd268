/* adapter/template.c - texts with {name}, and ways into a JSON answer.
 * Room: adapter. */
#include "adapter/impl.h"
#include "base/percent.h"

uint32_t ad_name_index(mt_arena *a, ad_names *names, mt_str name)
{
    for (size_t i = 0; i < names->len; i++) {
        if (mt_str_eq(names->items[i], name)) {
            return (uint32_t)i;
        }
    }
    mt_vec_push(a, names, name);
    return (uint32_t)(names->len - 1);
}

typedef MT_VEC(ad_piece) piece_list;

static void add_literal(mt_arena *a, piece_list *list, mt_str text)
{
    if (text.len) {
        mt_vec_push(a, list, ((ad_piece){text, CT_NONE}));
    }
}

/* Names are shared by all templates of a fact: each has one index, and so one value.
 * Braces cannot be escaped; neither paths nor documents need one. */
bool ad_template_parse(mt_arena *a, mt_str text, ad_names *names, ad_template *out)
{
    piece_list list = {0};
    for (;;) {
        size_t open = mt_str_find(text, '{');
        add_literal(a, &list, mt_str_from(text.ptr, open));
        if (open == text.len) {
            break;
        }
        text = mt_str_skip(text, open + 1);
        size_t close = mt_str_find(text, '}');
        if (close == text.len || close == 0) {
            return false;
        }
        uint32_t name = ad_name_index(a, names, mt_str_from(text.ptr, close));
        mt_vec_push(a, &list, ((ad_piece){{0}, name}));
        text = mt_str_skip(text, close + 1);
    }
    *out = (ad_template){list.items, list.len};
    return true;
}

void ad_template_fill(mt_buf *out, const ad_template *t, const mt_str *values)
{
    for (size_t i = 0; i < t->count; i++) {
        const ad_piece *p = &t->pieces[i];
        mt_buf_adds(out, p->name == CT_NONE ? p->text : values[p->name]);
    }
}

/* Only values are escaped, the author's text is taken as it is. */
void ad_template_fill_url(mt_buf *out, const ad_template *t, const mt_str *values)
{
    for (size_t i = 0; i < t->count; i++) {
        const ad_piece *p = &t->pieces[i];
        if (p->name == CT_NONE) {
            mt_buf_adds(out, p->text);
        } else {
            mt_percent_encode(out, values[p->name]);
        }
    }
}

/* "a.b.{id}". An empty text selects the whole document; empty steps are refused. */
bool ad_selector_parse(mt_arena *a, mt_str text, ad_names *names, ad_selector *out)
{
    MT_VEC(ad_template) steps = {0};
    while (text.len) {
        size_t dot = mt_str_find(text, '.');
        if (dot == 0 || dot + 1 == text.len ||
            !ad_template_parse(a, mt_str_from(text.ptr, dot), names,
                               mt_vec_add(a, &steps))) {
            return false;
        }
        text = mt_str_skip(text, dot + 1);
    }
    *out = (ad_selector){steps.items, steps.len};
    return true;
}

/* An array's element by its number, written without sign or leading zeros. */
static const mt_json *element(const mt_json *array, mt_str step)
{
    size_t index = 0;
    if (!step.len || step.len > 9 || (step.len > 1 && step.ptr[0] == '0')) {
        return NULL;
    }
    for (size_t i = 0; i < step.len; i++) {
        if (step.ptr[i] < '0' || step.ptr[i] > '9') {
            return NULL;
        }
        index = index * 10 + (size_t)(step.ptr[i] - '0');
    }
    return index < array->count ? &array->as.items[index] : NULL;
}

/* NULL as soon as a step leads nowhere. An array takes the step as an index, an object
 * as a key. */
const mt_json *ad_select(const mt_json *root, const ad_selector *s,
                         const mt_str *values)
{
    mt_buf step = {0};
    for (size_t i = 0; i < s->count && root; i++) {
        mt_buf_clear(&step);
        ad_template_fill(&step, &s->steps[i], values);
        root = mt_json_is(root, MT_JSON_ARRAY) ? element(root, mt_buf_str(&step))
                                               : mt_json_get(root, mt_buf_str(&step));
    }
    mt_buf_free(&step);
    return root;
}
