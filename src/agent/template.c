/* agent/template.c - see template.h.
 *
 * Three small languages over one scope. Paths: a root (ROOTS) and steps by member or
 * index. Templates: any JSON whose texts may hold {{path}}, {{path + 1}}; text that
 * is nothing but one hole becomes the value itself, of any type. Conditions: an object
 * of paths and what they must be, with operators (OPERATORS) and all, any, none.
 *
 * What is not there is null in a template and fails every condition but `exists:
 * false` and `not`. Numbers are compared and added as whole numbers; anything else
 * compares with nothing.
 *
 * Checking (ag_check_template(), ag_check_condition()) happens when a file is read, so
 * nothing can fail at work. `fresh` counts its draws in the scope; all else reads
 * only. Depth is bounded by the reader that made the JSON. */
#include "agent/template.h"

#include "agent/value.h"
#include "base/decimal.h"
#include "base/hash.h"
#include "base/json_write.h"
#include "base/vec.h"

/* ---- paths ---- */

static const mt_json *kept(mt_arena *a, mt_json value)
{
    mt_json *out = mt_new(a, mt_json);
    *out = value;
    return out;
}

/* Message content: the member `content` of a relayed message, else the message. */
static const mt_json *content_of(const mt_json *message)
{
    const mt_json *inner = mt_json_at(message, "content");
    return inner ? inner : message;
}

/* Ten digits that depend on nothing but the scope's entropy and how many were drawn. */
static const mt_json *draw(mt_arena *a, ag_scope *s)
{
    mt_str seed = mt_strf(a, "%.*s#%u", MT_ARG(s->entropy), s->drawn++);
    mt_sha256 digest = mt_sha256_of(seed);
    uint64_t number = 0;
    for (int i = 0; i < 8; i++) {
        number = number << 8 | digest.bytes[i];
    }
    return kept(a, ag_text_value(mt_strf(a, "%010llu",
                                         (unsigned long long)(number % 10000000000u))));
}

static const mt_json *text_or_null(mt_arena *a, mt_str text)
{
    return text.ptr ? kept(a, ag_text_value(text)) : NULL;
}

static const mt_json *root_message(mt_arena *a, ag_scope *s)
{
    (void)a;
    return s->message;
}
static const mt_json *root_content(mt_arena *a, ag_scope *s)
{
    (void)a;
    return content_of(s->message);
}
static const mt_json *root_from(mt_arena *a, ag_scope *s)
{
    (void)a;
    return mt_json_at(s->message, "remote_addr");
}
static const mt_json *root_memory(mt_arena *a, ag_scope *s)
{
    (void)a;
    return s->memory;
}
static const mt_json *root_data(mt_arena *a, ag_scope *s)
{
    (void)a;
    return s->data;
}
static const mt_json *root_key(mt_arena *a, ag_scope *s)
{
    return text_or_null(a, s->key);
}
static const mt_json *root_state(mt_arena *a, ag_scope *s)
{
    return text_or_null(a, s->state);
}
static const mt_json *root_agent(mt_arena *a, ag_scope *s)
{
    return text_or_null(a, s->agent);
}
static const mt_json *root_trigger(mt_arena *a, ag_scope *s)
{
    return text_or_null(a, s->trigger);
}
static const mt_json *root_action(mt_arena *a, ag_scope *s)
{
    return s->action ? text_or_null(a, mt_str_z(ag_action_name(s->action))) : NULL;
}

static const struct root {
    mt_str name;
    const mt_json *(*get)(mt_arena *, ag_scope *);
} ROOTS[] = {
    {MT_STR_INIT("content"), root_content}, {MT_STR_INIT("from"), root_from},
    {MT_STR_INIT("message"), root_message}, {MT_STR_INIT("memory"), root_memory},
    {MT_STR_INIT("data"), root_data},       {MT_STR_INIT("key"), root_key},
    {MT_STR_INIT("state"), root_state},     {MT_STR_INIT("agent"), root_agent},
    {MT_STR_INIT("trigger"), root_trigger}, {MT_STR_INIT("action"), root_action},
    {MT_STR_INIT("fresh"), draw},
};

static const struct root *find_root(mt_str path, mt_str *rest)
{
    mt_str name = mt_str_from(path.ptr, mt_str_find(path, '.'));
    *rest = mt_str_skip(path, name.len + 1);
    for (size_t i = 0; i < sizeof ROOTS / sizeof *ROOTS; i++) {
        if (mt_str_eq(ROOTS[i].name, name)) {
            return &ROOTS[i];
        }
    }
    return NULL;
}

/* Digits as an index, SIZE_MAX when they are none. */
static size_t index_of(mt_str step)
{
    size_t n = 0;
    for (size_t i = 0; i < step.len; i++) {
        if (step.ptr[i] < '0' || step.ptr[i] > '9' || step.len > 9) {
            return SIZE_MAX;
        }
        n = n * 10 + (size_t)(step.ptr[i] - '0');
    }
    return step.len ? n : SIZE_MAX;
}

static const mt_json *step_into(const mt_json *value, mt_str step)
{
    if (mt_json_is(value, MT_JSON_ARRAY)) {
        size_t i = index_of(step);
        return i < value->count ? &value->as.items[i] : NULL;
    }
    return mt_json_get(value, step);
}

/* NULL: there is nothing at that path, which is not an error: conditions ask whether
 * something is there. */
const mt_json *ag_lookup(mt_arena *a, ag_scope *scope, mt_str path)
{
    mt_str rest;
    const struct root *root = find_root(path, &rest);
    const mt_json *value = root ? root->get(a, scope) : NULL;
    while (value && rest.len) {
        mt_str step = mt_str_from(rest.ptr, mt_str_find(rest, '.'));
        value = step_into(value, step);
        rest = mt_str_skip(rest, step.len + 1);
    }
    return value;
}

/* ---- expressions ---- */

/* `left + right`, `left - right`, or a path alone. */
static char split_expression(mt_str text, mt_str *left, mt_str *right)
{
    text = mt_str_trim(text, MT_STR(" "));
    for (size_t i = 1; i + 2 < text.len; i++) {
        char c = text.ptr[i];
        if ((c == '+' || c == '-') && text.ptr[i - 1] == ' ' &&
            text.ptr[i + 1] == ' ') {
            *left = mt_str_trim(mt_str_from(text.ptr, i), MT_STR(" "));
            *right = mt_str_trim(mt_str_skip(text, i + 1), MT_STR(" "));
            return c;
        }
    }
    *left = text;
    return 0;
}

static bool number_at(mt_arena *a, ag_scope *s, mt_str term, mt_decimal *out)
{
    if (mt_decimal_parse(term, out) == MT_OK) {
        return true;
    }
    const mt_json *value = ag_lookup(a, s, term);
    return mt_json_is(value, MT_JSON_NUMBER) &&
           mt_decimal_parse(mt_json_text(value), out) == MT_OK;
}

/* Exact: decimals, not doubles. NULL when a side is not a number. */
static const mt_json *evaluate(mt_arena *a, ag_scope *s, mt_str text)
{
    mt_str left, right;
    char op = split_expression(text, &left, &right);
    if (!op) {
        return ag_lookup(a, s, left);
    }
    mt_decimal x, y, z;
    if (!number_at(a, s, left, &x) || !number_at(a, s, right, &y) ||
        (op == '+' ? mt_decimal_add : mt_decimal_sub)(x, y, &z)) {
        return NULL;
    }
    char digits[MT_DECIMAL_TEXT];
    size_t len = mt_decimal_print(z, digits);
    return kept(a, ag_number_value(mt_str_dup(a, mt_str_from(digits, len))));
}

/* ---- templates ---- */

/* The next {{…}} at or after `from`: *start at its braces, *inside between them. */
static bool next_hole(mt_str text, size_t from, size_t *start, mt_str *inside)
{
    for (size_t i = from; i + 1 < text.len; i++) {
        if (text.ptr[i] != '{' || text.ptr[i + 1] != '{') {
            continue;
        }
        for (size_t end = i + 2; end + 1 < text.len; end++) {
            if (text.ptr[end] == '}' && text.ptr[end + 1] == '}') {
                *start = i;
                *inside = mt_str_from(text.ptr + i + 2, end - i - 2);
                return true;
            }
        }
    }
    return false;
}

static void add_as_text(mt_buf *out, const mt_json *value)
{
    if (mt_json_is(value, MT_JSON_STRING)) {
        mt_buf_adds(out, mt_json_text(value));
    } else if (value) {
        mt_json_write(out, value, false);
    }
}

/* One hole and nothing else gives the value itself, of any type; otherwise everything
 * becomes text. */
static mt_json render_text(mt_arena *a, ag_scope *s, mt_str text)
{
    size_t start, at = 0;
    mt_str inside;
    if (!next_hole(text, 0, &start, &inside)) {
        return ag_text_value(text);
    }
    if (start == 0 && inside.len + 4 == text.len) {
        const mt_json *value = evaluate(a, s, inside);
        return value ? *value : ag_null_value();
    }
    mt_buf out = {0};
    while (next_hole(text, at, &start, &inside)) {
        mt_buf_add(&out, text.ptr + at, start - at);
        add_as_text(&out, evaluate(a, s, inside));
        at = start + inside.len + 4;
    }
    mt_buf_adds(&out, mt_str_skip(text, at));
    mt_json value = ag_text_value(mt_str_dup(a, mt_buf_str(&out)));
    mt_buf_free(&out);
    return value;
}

/* A new value in `a`; strings without a placeholder are shared with the template. */
mt_json ag_render(mt_arena *a, ag_scope *scope, const mt_json *template)
{
    if (mt_json_is(template, MT_JSON_STRING)) {
        return render_text(a, scope, mt_json_text(template));
    }
    if (mt_json_is(template, MT_JSON_ARRAY)) {
        mt_json *items = mt_new_array(a, mt_json, template->count);
        for (uint32_t i = 0; i < template->count; i++) {
            items[i] = ag_render(a, scope, &template->as.items[i]);
        }
        return ag_list_value(items, template->count);
    }
    if (mt_json_is(template, MT_JSON_OBJECT)) {
        mt_json_member *members = mt_new_array(a, mt_json_member, template->count);
        for (uint32_t i = 0; i < template->count; i++) {
            members[i].key = template->as.members[i].key;
            members[i].value = ag_render(a, scope, &template->as.members[i].value);
        }
        return ag_object_value(members, template->count);
    }
    return *template;
}

/* ---- conditions ---- */

static bool op_is(const mt_json *value, const mt_json *wanted)
{
    return value && mt_json_equal(value, wanted);
}
static bool op_not(const mt_json *value, const mt_json *wanted)
{
    return !op_is(value, wanted);
}
static bool op_exists(const mt_json *value, const mt_json *wanted)
{
    return (value && !mt_json_is(value, MT_JSON_NULL)) == wanted->boolean;
}
static bool op_in(const mt_json *value, const mt_json *wanted)
{
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (op_is(value, &wanted->as.items[i])) {
            return true;
        }
    }
    return false;
}
static bool op_contains(const mt_json *value, const mt_json *wanted)
{
    if (mt_json_is(value, MT_JSON_ARRAY)) {
        return op_in(wanted, value);
    }
    mt_str whole = mt_json_text(value), part = mt_json_text(wanted);
    return mt_json_is(value, MT_JSON_STRING) && mt_json_is(wanted, MT_JSON_STRING) &&
           part.len <= whole.len &&
           (!part.len || memmem(whole.ptr, whole.len, part.ptr, part.len));
}
static bool op_starts(const mt_json *value, const mt_json *wanted)
{
    return mt_json_is(value, MT_JSON_STRING) && mt_json_is(wanted, MT_JSON_STRING) &&
           mt_str_starts(mt_json_text(value), mt_json_text(wanted));
}
/* Numbers only; anything else compares with nothing. */
static bool compared(const mt_json *value, const mt_json *wanted, int *sign)
{
    mt_decimal x, y;
    if (!mt_json_is(value, MT_JSON_NUMBER) || !mt_json_is(wanted, MT_JSON_NUMBER) ||
        mt_decimal_parse(mt_json_text(value), &x) ||
        mt_decimal_parse(mt_json_text(wanted), &y)) {
        return false;
    }
    *sign = mt_decimal_cmp(x, y);
    return true;
}
static bool op_above(const mt_json *value, const mt_json *wanted)
{
    int sign;
    return compared(value, wanted, &sign) && sign > 0;
}
static bool op_below(const mt_json *value, const mt_json *wanted)
{
    int sign;
    return compared(value, wanted, &sign) && sign < 0;
}
static bool op_at_least(const mt_json *value, const mt_json *wanted)
{
    int sign;
    return compared(value, wanted, &sign) && sign >= 0;
}
static bool op_at_most(const mt_json *value, const mt_json *wanted)
{
    int sign;
    return compared(value, wanted, &sign) && sign <= 0;
}

static const struct operator_row {
    mt_str name;
    bool (*holds)(const mt_json *value, const mt_json *wanted);
} OPERATORS[] = {
    {MT_STR_INIT("is"), op_is},
    {MT_STR_INIT("not"), op_not},
    {MT_STR_INIT("in"), op_in},
    {MT_STR_INIT("exists"), op_exists},
    {MT_STR_INIT("contains"), op_contains},
    {MT_STR_INIT("starts"), op_starts},
    {MT_STR_INIT("above"), op_above},
    {MT_STR_INIT("below"), op_below},
    {MT_STR_INIT("at_least"), op_at_least},
    {MT_STR_INIT("at_most"), op_at_most},
};

static const struct operator_row *find_operator(mt_str name)
{
    for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS; i++) {
        if (mt_str_eq(OPERATORS[i].name, name)) {
            return &OPERATORS[i];
        }
    }
    return NULL;
}

/* All operators must hold; a value that is not an object is compared with `is`. */
static bool holds_at(mt_arena *a, ag_scope *s, mt_str path, const mt_json *wanted)
{
    const mt_json *value = ag_lookup(a, s, path);
    if (!mt_json_is(wanted, MT_JSON_OBJECT)) {
        mt_json filled = ag_render(a, s, wanted);
        return op_is(value, &filled);
    }
    for (uint32_t i = 0; i < wanted->count; i++) {
        const struct operator_row *op = find_operator(wanted->as.members[i].key);
        mt_json filled = ag_render(a, s, &wanted->as.members[i].value);
        if (!op || !op->holds(value, &filled)) {
            return false;
        }
    }
    return true;
}

static uint32_t count_holding(mt_arena *a, ag_scope *s, const mt_json *list)
{
    uint32_t holding = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        holding += ag_holds(a, s, &list->as.items[i]);
    }
    return holding;
}

/* Depth is bounded by the reader that made the condition. */
bool ag_holds(mt_arena *a, ag_scope *scope, const mt_json *condition)
{
    for (uint32_t i = 0; condition && i < condition->count; i++) {
        mt_str key = condition->as.members[i].key;
        const mt_json *value = &condition->as.members[i].value;
        bool holds;
        if (mt_str_is(key, "all")) {
            holds = count_holding(a, scope, value) == value->count;
        } else if (mt_str_is(key, "any")) {
            holds = count_holding(a, scope, value) > 0;
        } else if (mt_str_is(key, "none")) {
            holds = count_holding(a, scope, value) == 0;
        } else {
            holds = holds_at(a, scope, key, value);
        }
        if (!holds) {
            return false;
        }
    }
    return true;
}

/* ---- checks ---- */

/* NULL: it is one. */
static const char *unknown_root(mt_arena *a, mt_str path)
{
    mt_str rest;
    if (find_root(path, &rest)) {
        return NULL;
    }
    return mt_strf(a,
                   "`%.*s` is not a path; paths start with content, from, message, "
                   "memory, data, key, state, agent, action, trigger or fresh",
                   MT_ARG(path))
        .ptr;
}

static const char *check_term(mt_arena *a, mt_str term)
{
    mt_decimal number;
    return mt_decimal_parse(term, &number) == MT_OK ? NULL : unknown_root(a, term);
}

/* The first fault of the text, NULL for none. */
static const char *check_text(mt_arena *a, mt_str text)
{
    size_t start, at = 0;
    mt_str inside, left, right;
    const char *fault = NULL;
    while (!fault && next_hole(text, at, &start, &inside)) {
        char op = split_expression(inside, &left, &right);
        fault = op ? check_term(a, left) : unknown_root(a, left);
        if (!fault && op) {
            fault = check_term(a, right);
        }
        at = start + inside.len + 4;
    }
    return fault;
}

/* The first fault, and *where it stands. Recursion is as deep as the document's reader
 * allowed. */
const char *ag_check_template(mt_arena *a, const mt_json *template,
                              const mt_json **where)
{
    const char *fault = NULL;
    if (mt_json_is(template, MT_JSON_STRING)) {
        *where = template;
        return check_text(a, mt_json_text(template));
    }
    for (uint32_t i = 0;
         !fault && mt_json_is(template, MT_JSON_ARRAY) && i < template->count; i++) {
        fault = ag_check_template(a, &template->as.items[i], where);
    }
    for (uint32_t i = 0;
         !fault && mt_json_is(template, MT_JSON_OBJECT) && i < template->count; i++) {
        fault = ag_check_template(a, &template->as.members[i].value, where);
    }
    return fault;
}

/* Names, and what each takes; values themselves are templates. */
static const char *check_operators(mt_arena *a, const mt_json *wanted,
                                   const mt_json **where)
{
    for (uint32_t i = 0; i < wanted->count; i++) {
        const mt_json_member *m = &wanted->as.members[i];
        *where = &m->value;
        if (!find_operator(m->key)) {
            return mt_strf(a, "`%.*s` is not an operator", MT_ARG(m->key)).ptr;
        }
        if ((mt_str_is(m->key, "in") && !mt_json_is(&m->value, MT_JSON_ARRAY)) ||
            (mt_str_is(m->key, "exists") && !mt_json_is(&m->value, MT_JSON_BOOL))) {
            return mt_strf(a, "`%.*s` takes a %s", MT_ARG(m->key),
                           m->key.len == 2 ? "list" : "boolean")
                .ptr;
        }
        const char *fault = ag_check_template(a, &m->value, where);
        if (fault) {
            return fault;
        }
    }
    return NULL;
}

static const char *check_list(mt_arena *a, const mt_json *list, const mt_json **where)
{
    *where = list;
    const char *fault =
        mt_json_is(list, MT_JSON_ARRAY) ? NULL : "a list of conditions is needed here";
    for (uint32_t i = 0; !fault && i < list->count; i++) {
        fault = ag_check_condition(a, &list->as.items[i], where);
    }
    return fault;
}

/* Keys are paths, or all, any and none with conditions inside. What it accepts,
 * ag_holds() evaluates without a fault. */
const char *ag_check_condition(mt_arena *a, const mt_json *condition,
                               const mt_json **where)
{
    *where = condition;
    const char *fault = mt_json_is(condition, MT_JSON_OBJECT)
                            ? NULL
                            : "a condition is an object of path and value";
    for (uint32_t i = 0; !fault && i < condition->count; i++) {
        const mt_json_member *m = &condition->as.members[i];
        *where = &m->value;
        if (mt_str_is(m->key, "all") || mt_str_is(m->key, "any") ||
            mt_str_is(m->key, "none")) {
            fault = check_list(a, &m->value, where);
        } else if (!(fault = unknown_root(a, m->key))) {
            fault = mt_json_is(&m->value, MT_JSON_OBJECT)
                        ? check_operators(a, &m->value, where)
                        : ag_check_template(a, &m->value, where);
        }
    }
    return fault;
}
