/* analyze/version/diff_words.c - values, types, conditions and steps in the language.
 *
 * A value is written by the shape nodes.def gives it. Most shapes follow one rule:
 * lists are [a, b], maps and objects { key: value }, cases of a family Name(key:
 * value). FORMS has those that the language writes in another way: conditions with as
 * few parentheses as they need, money with its currency behind it, transitions as
 * pairs. Without a shape, or where the value has not the one it should have, its own
 * JSON type decides, so everything can be written.
 *
 * Names are bare where they are names and quoted where they are text: inside types and
 * values, and wherever they are not made of letters, digits and underscores.
 *
 * Nothing can fail. Recursion follows the JSON trees, whose depth the reader bounds. */
#include "analyze/version/diff_words_internal.h"

typedef void say_form(mt_buf *out, const ln_shape *shape, const mt_json *value);

static void say(mt_buf *out, const ln_shape *shape, const mt_json *value, bool quoted);

/* ---- Scalars ---- */

static bool is_name(mt_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            !(c >= '0' && c <= '9') && c != '_') {
            return false;
        }
    }
    return s.len > 0;
}

void an_say_text(mt_buf *out, mt_str s, bool quoted)
{
    if (quoted || !is_name(s)) {
        mt_json_quote(out, s);
    } else {
        mt_buf_adds(out, s);
    }
}

void an_say_scalar(mt_buf *out, const mt_json *v, bool quoted)
{
    switch ((mt_json_type)v->type) {
    case MT_JSON_STRING: an_say_text(out, mt_json_text(v), quoted); break;
    case MT_JSON_NUMBER: mt_buf_adds(out, mt_json_text(v)); break;
    case MT_JSON_BOOL: mt_buf_addz(out, v->boolean ? "true" : "false"); break;
    case MT_JSON_NULL: mt_buf_addz(out, "nothing"); break;
    case MT_JSON_ARRAY:
    case MT_JSON_OBJECT: MT_BUG("no scalar");
    }
}

/* ---- Lists, maps and objects ---- */

static const ln_field *field_named(const ln_field *fields, mt_str key)
{
    for (const ln_field *f = fields; f && f->key; f++) {
        if (mt_str_eq(key, mt_str_z(f->key))) {
            return f;
        }
    }
    return NULL;
}

const ln_case *an_words_case(const ln_shape *shape, const mt_json *value)
{
    return shape && shape->kind == LN_SHAPE_FAMILY
               ? ln_case_find(shape,
                              mt_json_text(mt_json_get(value, mt_str_z(shape->key))))
               : NULL;
}

static const char *case_text(const ln_shape *shape, const mt_json *value)
{
    const ln_case *one = an_words_case(shape, value);
    return one ? one->text : "";
}

const ln_shape *an_words_member(const ln_shape *shape, const mt_json *value, mt_str key)
{
    if (!shape || shape->kind == LN_SHAPE_MAP) {
        return shape ? shape->element : NULL;
    }
    const ln_case *one = an_words_case(shape, value);
    const ln_field *f = field_named(shape->fields, key);
    f = f || !one ? f : field_named(one->fields, key);
    return f ? f->shape : NULL;
}

/* Where a construct is written is not part of it. */
static bool is_noise(mt_str key)
{
    return mt_str_is(key, "provenance") || mt_str_is(key, "line");
}

typedef struct members {
    mt_buf *out;
    const ln_shape *shape;
    const mt_json *value;
    bool quoted;
    const char *between; /* before the next one */
} members;

static void say_member(members *m, mt_str key, const mt_json *value)
{
    mt_buf_addz(m->out, m->between);
    m->between = ", ";
    an_say_text(m->out, key, false);
    mt_buf_addz(m->out, ": ");
    say(m->out, an_words_member(m->shape, m->value, key), value, m->quoted);
}

static void say_fields(members *m, const ln_field *fields)
{
    for (const ln_field *f = fields; f && f->key; f++) {
        const mt_json *value = mt_json_get(m->value, mt_str_z(f->key));
        if (value && !is_noise(mt_str_z(f->key))) {
            say_member(m, mt_str_z(f->key), value);
        }
    }
}

/* In the order of nodes.def, then those it does not know in the order of the value. */
static void say_members(members *m)
{
    const ln_case *one = an_words_case(m->shape, m->value);
    const ln_field *common = m->shape ? m->shape->fields : NULL;
    const ln_field *own = one ? one->fields : NULL;
    say_fields(m, common);
    say_fields(m, own);
    for (uint32_t i = 0; i < m->value->count; i++) {
        mt_str key = m->value->as.members[i].key;
        bool is_tag = one && mt_str_eq(key, mt_str_z(m->shape->key));
        if (!is_tag && !is_noise(key) && !field_named(common, key) &&
            !field_named(own, key)) {
            say_member(m, key, &m->value->as.members[i].value);
        }
    }
}

void an_say_braced(mt_buf *out, const ln_shape *shape, const mt_json *value,
                   bool quoted)
{
    members m = {out, shape, value, quoted, "{ "};
    say_members(&m);
    mt_buf_addz(out, *m.between == ',' ? " }" : "{}");
}

/* Name(key: value, …); without fields only the name. */
static void say_call(mt_buf *out, const ln_shape *shape, const mt_json *value,
                     bool quoted)
{
    members m = {out, shape, value, quoted, "("};
    mt_buf_addz(out, case_text(shape, value));
    say_members(&m);
    mt_buf_addz(out, *m.between == ',' ? ")" : "");
}

static void say_list(mt_buf *out, const ln_shape *element, const mt_json *list,
                     bool quoted)
{
    mt_buf_addc(out, '[');
    for (uint32_t i = 0; i < list->count; i++) {
        mt_buf_addz(out, i ? ", " : "");
        say(out, element, &list->as.items[i], quoted);
    }
    mt_buf_addc(out, ']');
}

/* ---- What the language writes in its own way ---- */

/* Int(min: 0, max: 9); a type whose only parameter is a map has braces instead. */
static void form_type(mt_buf *out, const ln_shape *shape, const mt_json *value)
{
    const ln_case *one = an_words_case(shape, value);
    const ln_field *f = one ? one->fields : NULL;
    if (!f || !f->key || f[1].key || f->shape->kind != LN_SHAPE_MAP) {
        say_call(out, shape, value, true);
        return;
    }
    const mt_json *parts = mt_json_get(value, mt_str_z(f->key));
    mt_buf_addf(out, "%s ", case_text(shape, value));
    say(out, f->shape, parts ? parts : &(mt_json){.type = MT_JSON_OBJECT}, true);
}

static void form_call(mt_buf *out, const ln_shape *shape, const mt_json *value)
{
    say_call(out, shape, value, false);
}

static void form_terminal(mt_buf *out, const ln_shape *shape, const mt_json *value)
{
    (void)shape;
    mt_buf_addz(out, "Terminal(");
    an_words(out, NULL, mt_json_at(value, "outcome"));
    mt_buf_addc(out, ')');
}

/* id: OperationStep { … } */
static void form_step(mt_buf *out, const ln_shape *shape, const mt_json *value)
{
    const ln_case *one = an_words_case(shape, value);
    members m = {out, shape, value, false, " { "};
    an_words(out, NULL, mt_json_at(value, "id"));
    mt_buf_addf(out, ": %s", case_text(shape, value));
    say_fields(&m, one ? one->fields : NULL);
    mt_buf_addz(out, *m.between == ',' ? " }" : "");
}

/* (a, b): the values without their names. */
static void form_tuple(mt_buf *out, const ln_shape *shape, const mt_json *value)
{
    const char *between = "(";
    for (const ln_field *f = shape->fields; f->key; f++) {
        const mt_json *part = mt_json_get(value, mt_str_z(f->key));
        if (part) {
            mt_buf_addz(out, between);
            say(out, f->shape, part, false);
            between = ", ";
        }
    }
    mt_buf_addz(out, *between == ',' ? ")" : "()");
}

/* orders { path: "…" } */
static void form_source(mt_buf *out, const ln_shape *shape, const mt_json *value)
{
    (void)shape;
    an_words(out, NULL, mt_json_at(value, "source_id"));
    mt_buf_addz(out, " { path: ");
    an_words(out, NULL, mt_json_at(value, "path"));
    mt_buf_addz(out, " }");
}

/* "system.field", as it is written */
static void form_freetext(mt_buf *out, const ln_shape *shape, const mt_json *value)
{
    (void)shape;
    mt_buf text = {0};
    mt_buf_addf(&text, "%.*s.%.*s", MT_ARG(mt_json_text(mt_json_at(value, "system"))),
                MT_ARG(mt_json_text(mt_json_at(value, "field"))));
    mt_json_quote(out, mt_buf_str(&text));
    mt_buf_free(&text);
}

/* orders: "orders.tenor" */
static void form_member(mt_buf *out, const ln_shape *shape, const mt_json *value)
{
    (void)shape;
    an_words(out, NULL, mt_json_at(value, "id"));
    mt_buf_addz(out, ": ");
    an_words(out, NULL, mt_json_at(value, "path"));
}

/* Shapes by their id in nodes.def. Those of families are used only for a value whose
 * case is known. */
/* clang-format off */
static const struct form_row {
    const char *id;
    say_form *say;
} FORMS[] = {
    {"TYPE", form_type}, {"VALUE", an_say_value}, {"AMOUNT", an_say_value},
    {"EXPRESSION", an_say_condition},
    {"STEP", form_step}, {"HANDLER", form_call}, {"TERMINAL", form_terminal},
    {"TRANSITION", form_tuple}, {"EFFECT", form_tuple},
    {"STRUCTURED", form_source}, {"FREETEXT", form_freetext}, {"MEMBER", form_member},
};
/* clang-format on */

static say_form *form_of(const ln_shape *shape, const mt_json *value)
{
    bool usable = shape && shape->id && value->type == MT_JSON_OBJECT &&
                  (shape->kind != LN_SHAPE_FAMILY || an_words_case(shape, value));
    for (size_t i = 0; usable && i < sizeof FORMS / sizeof *FORMS; i++) {
        if (!strcmp(FORMS[i].id, shape->id)) {
            return FORMS[i].say;
        }
    }
    return NULL;
}

/* ---- Any value ---- */

static bool test_holds(const ln_when *w, const mt_json *value)
{
    switch (w->test) {
    case LN_IS_TEXT: return value->type == MT_JSON_STRING;
    case LN_IS_SCALAR: return an_is_scalar(value);
    case LN_HAS_KEY: return mt_json_get(value, mt_str_z(w->key)) != NULL;
    case LN_IS_OBJECT: return value->type == MT_JSON_OBJECT;
    }
    MT_BUG("unknown test");
}

/* EXPRESSION is a choice with a form of its own. */
const ln_shape *an_words_chosen(const ln_shape *shape, const mt_json *value)
{
    while (shape && shape->kind == LN_SHAPE_CHOICE && !form_of(shape, value)) {
        const ln_when *w = shape->whens;
        while (w->shape && !test_holds(w, value)) {
            w++;
        }
        shape = w->shape;
    }
    return shape;
}

static void say(mt_buf *out, const ln_shape *shape, const mt_json *value, bool quoted)
{
    quoted |= shape && shape->kind == LN_SHAPE_CHOICE && shape->is_value;
    shape = an_words_chosen(shape, value);
    say_form *form = form_of(shape, value);
    if (form) {
        form(out, shape, value);
    } else if (value->type == MT_JSON_ARRAY) {
        say_list(out, shape ? shape->element : NULL, value, quoted);
    } else if (value->type != MT_JSON_OBJECT) {
        an_say_scalar(out, value, quoted);
    } else if (an_words_case(shape, value)) {
        say_call(out, shape, value, quoted);
    } else {
        an_say_braced(out, shape, value, quoted);
    }
}

void an_words(mt_buf *out, const ln_shape *shape, const mt_json *value)
{
    if (value) {
        say(out, shape, value, false);
    } else {
        mt_buf_addz(out, "nothing");
    }
}

const ln_shape *an_words_shape(mt_str kind, mt_str field)
{
    const ln_field *list = field_named(LN_SHAPE_BUNDLE->fields, MT_STR("constructs"));
    const ln_case *one = list ? ln_case_find(list->shape->element, kind) : NULL;
    const ln_field *fields = one ? one->fields : NULL;
    const ln_shape *shape = NULL;
    while (fields) {
        mt_str key = {field.ptr, mt_str_find(field, '.')};
        const ln_field *f = field_named(fields, key);
        shape = f ? f->shape : NULL;
        field = mt_str_skip(field, key.len + 1);
        fields = shape && field.len ? shape->fields : NULL;
    }
    return field.len ? NULL : shape;
}
