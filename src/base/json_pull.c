/* base/json_pull.c - reading JSON piece by piece, without a tree.
 *
 * The caller knows what it expects (an object, this key, a number) and asks for it;
 * json_pull.h has the fast ways of all questions inline, and this file the ways with
 * something unusual: white space, escapes, the wrong type, the end of the text.
 *
 * Invariant: the cursor stands at the next token, white space skipped. After the first
 * fault the end of the text moves to the cursor, so that every later question finds
 * nothing and answers false; callers need not look after each call and ask
 * mt_jp_finish() once. Only the first fault is kept, with its offset.
 *
 * Duplicate keys are the caller's to see (mt_jp_duplicate()), because only the caller
 * knows which keys it has had; unknown ones are remembered in a map by
 * mt_jp_unknown().
 *
 * What may fail: MT_E_SYNTAX for text that is not JSON, MT_E_TYPE for JSON of another
 * type, MT_E_LIMIT for bytes or depth. Strings without escapes borrow from the text,
 * others are decoded into the arena. */
#include "base/json_pull.h"

bool mt_jp_start(mt_jp *j, mt_arena *a, mt_str text, const mt_json_limits *limits)
{
    mt_json_limits l = mt_json_limits_of(limits);
    mt_str input = text.ptr ? text : MT_STR("");
    *j = (mt_jp){.p = input.ptr,
                 .end = input.ptr + input.len,
                 .begin = input.ptr,
                 .arena = a,
                 .max_depth = l.depth};
    mt_err err;
    const char *wrong = mt_json_check_start(input, l.bytes, &err);
    if (wrong) {
        return mt_jp_fail(j, err, input.ptr, wrong);
    }
    j->p = mt_scan_space(j->p, j->end);
    return true;
}

mt_err mt_jp_finish(mt_jp *j, mt_json_error *error)
{
    if (!j->err && j->depth) {
        mt_jp_fail(j, MT_E_SYNTAX, j->p, MT_SCAN_COMMA);
    }
    if (!j->err && j->p != j->end) {
        mt_jp_fail(j, MT_E_SYNTAX, j->p, MT_SCAN_TRAILING);
    }
    if (j->err && error) {
        *error = j->error;
    }
    return j->err;
}

/* The end moves to the cursor, so that whatever is asked next finds nothing. */
void mt_jp_set_fault(mt_jp *j, mt_err err, const char *at, const char *message)
{
    if (!j->err) {
        j->err = err;
        j->error = (mt_json_error){(size_t)(at - j->begin), message, {0}};
    }
    j->end = j->p;
}

bool mt_jp_duplicate(mt_jp *j, mt_str key)
{
    bool first = !j->err;
    mt_jp_fail(j, MT_E_SYNTAX, j->key_at, MT_SCAN_DUPLICATE);
    if (first) {
        j->error.detail = key;
    }
    return false;
}

void mt_jp_set_mismatch(mt_jp *j, mt_json_type expected)
{
    static const char *const MESSAGES[] = {
        [MT_JSON_NULL] = "expected null",       [MT_JSON_BOOL] = "expected a boolean",
        [MT_JSON_NUMBER] = "expected a number", [MT_JSON_STRING] = "expected a string",
        [MT_JSON_ARRAY] = "expected an array",  [MT_JSON_OBJECT] = "expected an object",
    };
    MT_TABLE_COVERS(MESSAGES, MT_JSON_OBJECT + 1);
    if (j->p == j->end) {
        mt_jp_set_fault(j, MT_E_SYNTAX, j->p, MT_SCAN_END);
        return;
    }
    /* What is not a value at all is a fault of the text, not of the type. */
    mt_jp probe = *j;
    if (mt_jp_skip(&probe)) {
        mt_jp_set_fault(j, MT_E_TYPE, j->p, MESSAGES[expected]);
    } else {
        *j = probe;
    }
}

static bool at(const mt_jp *j, char c)
{
    return j->p < j->end && *j->p == c;
}

/* A token that ends before p was read: the cursor moves to the next. */
static bool move(mt_jp *j, const char *p)
{
    j->p = mt_scan_space(p, j->end);
    return true;
}

bool mt_jp_open_slow(mt_jp *j, mt_json_type type)
{
    if (!at(j, type == MT_JSON_OBJECT ? '{' : '[')) {
        return mt_jp_mismatch(j, type);
    }
    if (j->depth == j->max_depth) {
        return mt_jp_fail(j, MT_E_LIMIT, j->p, MT_SCAN_DEPTH);
    }
    j->depth++;
    j->first = true;
    move(j, j->p + 1);
    /* Refused here, so that a comma seen later always stands between two children. */
    return at(j, ',') ? mt_jp_fail(j, MT_E_SYNTAX, j->p, MT_SCAN_VALUE) : true;
}

/* Is there another child? Reads the comma, or the closing bracket. */
static bool more(mt_jp *j, char closing)
{
    if (j->p == j->end) {
        return mt_jp_fail(j, MT_E_SYNTAX, j->p, MT_SCAN_END);
    }
    bool first = j->first;
    j->first = false;
    if (*j->p == closing) {
        MT_ASSERT(j->depth > 0);
        j->depth--;
        move(j, j->p + 1);
        return false;
    }
    if (first) {
        return true;
    }
    return *j->p == ',' ? move(j, j->p + 1)
                        : mt_jp_fail(j, MT_E_SYNTAX, j->p, MT_SCAN_COMMA);
}

bool mt_jp_item_slow(mt_jp *j)
{
    return more(j, ']');
}

/* Reads a string and leaves the cursor right behind it. */
static bool read_string(mt_jp *j, mt_str *out)
{
    const char *start = j->p + 1;
    bool escaped = false;
    mt_scan_fault fault;
    const char *quote = mt_scan_string(start, j->end, &escaped, &fault);
    if (!quote) {
        return mt_jp_fail(j, MT_E_SYNTAX, fault.at, fault.message);
    }
    *out = mt_str_from(start, (size_t)(quote - start));
    if (escaped) {
        char *decoded = mt_alloc(j->arena, out->len);
        *out = mt_str_from(decoded, mt_scan_unescape(*out, decoded));
    }
    return move(j, quote + 1);
}

bool mt_jp_key_slow(mt_jp *j, mt_str *key)
{
    if (!more(j, '}')) {
        return false;
    }
    j->key_at = j->p;
    if (!at(j, '"')) {
        return mt_jp_fail(j, MT_E_SYNTAX, j->p, MT_SCAN_KEY);
    }
    if (!read_string(j, key)) {
        return false;
    }
    return at(j, ':') ? move(j, j->p + 1)
                      : mt_jp_fail(j, MT_E_SYNTAX, j->p, MT_SCAN_COLON);
}

bool mt_jp_str_slow(mt_jp *j, mt_str *out)
{
    return at(j, '"') ? read_string(j, out) : mt_jp_mismatch(j, MT_JSON_STRING);
}

static bool at_number(const mt_jp *j)
{
    return at(j, '-') || (j->p < j->end && (unsigned)(*j->p - '0') < 10);
}

bool mt_jp_number_slow(mt_jp *j, mt_str *out)
{
    if (!at_number(j)) {
        return mt_jp_mismatch(j, MT_JSON_NUMBER);
    }
    mt_scan_fault fault;
    const char *stop = mt_scan_number(j->p, j->end, &fault);
    if (!stop) {
        return mt_jp_fail(j, MT_E_SYNTAX, fault.at, fault.message);
    }
    *out = mt_str_from(j->p, (size_t)(stop - j->p));
    return move(j, stop);
}

static bool read_word(mt_jp *j, mt_str word)
{
    mt_scan_fault fault;
    const char *next = mt_scan_word(j->p, j->end, word, &fault);
    return next ? move(j, next) : mt_jp_fail(j, MT_E_SYNTAX, fault.at, fault.message);
}

bool mt_jp_bool_slow(mt_jp *j, bool *out)
{
    if (!at(j, 't') && !at(j, 'f')) {
        return mt_jp_mismatch(j, MT_JSON_BOOL);
    }
    bool value = *j->p == 't';
    if (!read_word(j, value ? MT_STR("true") : MT_STR("false"))) {
        return false;
    }
    *out = value;
    return true;
}

bool mt_jp_null(mt_jp *j)
{
    return at(j, 'n') ? read_word(j, MT_STR("null")) : mt_jp_mismatch(j, MT_JSON_NULL);
}

bool mt_jp_i64(mt_jp *j, int64_t *out)
{
    const char *start = j->p;
    mt_str text;
    if (!mt_jp_number(j, &text)) {
        return false;
    }
    mt_json node = {
        .type = MT_JSON_NUMBER, .count = (uint32_t)text.len, .as.text = text.ptr};
    mt_err err = mt_json_i64(&node, out);
    if (err) {
        return mt_jp_fail(j, err, start,
                          err == MT_E_RANGE ? "integer does not fit 64 bits"
                                            : "expected an integer");
    }
    return true;
}

bool mt_jp_tree(mt_jp *j, mt_json *out)
{
    if (j->err) {
        return false;
    }
    size_t at = mt_jp_offset(j);
    mt_json_error error;
    mt_str text = {j->begin, (size_t)(j->end - j->begin)};
    mt_err err =
        mt_json_read_part(j->arena, text, &at, j->max_depth - j->depth, out, &error);
    if (err) {
        mt_jp_fail(j, err, j->p, error.message);
        j->error = error;
        return false;
    }
    return move(j, j->begin + at);
}

/* What is skipped is checked as strictly as what is read. */
static bool skip_container(mt_jp *j)
{
    mt_mark mark = mt_arena_mark(j->arena);
    mt_json unused;
    bool ok = mt_jp_tree(j, &unused);
    if (ok) { /* an error's detail may live there */
        mt_arena_rewind(j->arena, mark);
    }
    return ok;
}

bool mt_jp_skip(mt_jp *j)
{
    mt_str text;
    if (j->p == j->end) {
        return mt_jp_fail(j, MT_E_SYNTAX, j->p, MT_SCAN_END);
    }
    if (*j->p == '"') {
        return mt_jp_str(j, &text);
    }
    if (at_number(j)) {
        return mt_jp_number(j, &text);
    }
    return skip_container(j);
}

bool mt_jp_unknown(mt_jp *j, mt_map *seen, mt_str key)
{
    bool added;
    mt_map_add(j->arena, seen, key, &added);
    return added ? mt_jp_skip(j) : mt_jp_duplicate(j, key);
}
