/* proto/read_text.c - .proto text: proto2, proto3 and editions.
 *
 * One token of look-ahead, one function per statement. What does not change how bytes
 * are read is passed over with its brackets balanced: options (but for the features of
 * an edition that do), extensions, reserved ranges, bodies of methods. A comment beside
 * or before a field is kept in one line, for people and for motet connect.
 *
 * Invariants: nesting is counted (PB_MOST_NESTING for messages, MOST_BRACKETS for what
 * is passed over), things are counted by pb_count(), and every loop takes a token or
 * ends. Faults say the line. */
#include "base/utf8.h"
#include "proto/build.h"

enum { MOST_BRACKETS = 64, MOST_COMMENT = 300 };
#define MOST_NUMBER ((uint64_t)(1 << 29) - 1)

typedef enum token_kind { T_END, T_WORD, T_NUMBER, T_TEXT, T_SIGN } token_kind;

/* One file. INVARIANT: `token` is the token ahead, which nobody has taken yet, and
 * `rest` what is behind it. */
typedef struct reader {
    pb_build *b;
    mt_str file, rest;
    const char *start; /* of the text, to count lines */
    token_kind kind;   /* of the token ahead */
    mt_str token;      /* text without its quotes, not decoded */
    mt_str comment;    /* the last one before the token ahead */
    mt_str package;
    bool implicit; /* proto3, or so says an edition: scalars without presence */
    size_t before; /* messages of the files before it */
} reader;

/* ---- Tokens ---- */

/* FILE:LINE: what, not 'TOKEN'. The line is counted only now. */
static bool fault(reader *r, const char *what)
{
    size_t line = 1;
    for (const char *p = r->start; p < r->token.ptr; p++) {
        line += *p == '\n';
    }
    mt_str seen = r->token;
    seen.len = seen.len < 40 ? seen.len : 40;
    return pb_fault(r->b, MT_E_SYNTAX, "%.*s:%zu: %s, not '%.*s'", MT_ARG(r->file),
                    line, what, MT_ARG(seen));
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What a comment says, without its signs and the white space around it. Cut to
 * MOST_COMMENT bytes, and then back to a whole character. */
static mt_str said_in(mt_str comment)
{
    comment = mt_str_trim(comment, MT_STR("/* \t\r\n"));
    comment.len = comment.len < MOST_COMMENT ? comment.len : MOST_COMMENT;
    while (comment.len && mt_utf8_check(comment) != comment.len) {
        comment.len--;
    }
    return comment;
}

/* A comment that is not closed goes to the end of the text. */
static size_t comment_length(mt_str s)
{
    if (s.ptr[1] == '/') {
        return mt_str_find(s, '\n');
    }
    for (size_t i = 3; i < s.len; i++) {
        if (s.ptr[i - 1] == '*' && s.ptr[i] == '/') {
            return i + 1;
        }
    }
    return s.len;
}

/* The last comment before the token is kept; those before it are forgotten. */
static void pass_space(reader *r)
{
    for (;;) {
        size_t i = 0;
        while (i < r->rest.len && strchr(" \t\r\n\f", r->rest.ptr[i])) {
            i++;
        }
        r->rest = mt_str_skip(r->rest, i);
        if (r->rest.len < 2 || r->rest.ptr[0] != '/' ||
            (r->rest.ptr[1] != '/' && r->rest.ptr[1] != '*')) {
            return;
        }
        size_t len = comment_length(r->rest);
        r->comment = said_in(mt_str_from(r->rest.ptr, len));
        r->rest = mt_str_skip(r->rest, len);
    }
}

/* 0: it is not closed on its line. A backslash takes the next character with it. */
static size_t quoted_length(mt_str s)
{
    for (size_t i = 1; i < s.len && s.ptr[i] != '\n'; i++) {
        if (s.ptr[i] == '\\') {
            i++;
        } else if (s.ptr[i] == s.ptr[0]) {
            return i + 1;
        }
    }
    return 0;
}

static size_t word_length(mt_str s)
{
    size_t len = 0;
    while (len < s.len && (is_letter(s.ptr[len]) || is_digit(s.ptr[len]))) {
        len++;
    }
    return len;
}

/* A quote that is not closed is a sign, which no statement allows: open_quote(). */
static void next(reader *r)
{
    r->comment = (mt_str){0};
    pass_space(r);
    mt_str s = r->rest;
    size_t len = 1;
    r->kind = T_SIGN;
    if (!s.len) {
        r->kind = T_END;
        r->token = s;
        return;
    }
    if (is_letter(s.ptr[0])) {
        r->kind = T_WORD;
        len = word_length(s);
    } else if (is_digit(s.ptr[0])) {
        r->kind = T_NUMBER;
        len = word_length(s);
    } else if ((s.ptr[0] == '"' || s.ptr[0] == '\'') && quoted_length(s)) {
        len = quoted_length(s);
        r->kind = T_TEXT;
        r->token = mt_str_from(s.ptr + 1, len - 2);
        r->rest = mt_str_skip(s, len);
        return;
    }
    r->token = mt_str_from(s.ptr, len);
    r->rest = mt_str_skip(s, len);
}

static bool is_sign(const reader *r, char sign)
{
    return r->kind == T_SIGN && r->token.ptr[0] == sign;
}

static bool open_quote(const reader *r)
{
    return is_sign(r, '"') || is_sign(r, '\'');
}

static bool is_word(const reader *r, const char *word)
{
    return r->kind == T_WORD && mt_str_eq(r->token, mt_str_z(word));
}

static bool take_sign(reader *r, char sign)
{
    bool there = is_sign(r, sign);
    if (there) {
        next(r);
    }
    return there;
}

static bool take_word(reader *r, const char *word)
{
    bool there = is_word(r, word);
    if (there) {
        next(r);
    }
    return there;
}

/* want_: the token must be there, else the fault is said. take_: it is taken if it is
 * there. is_: it is only looked at. */
static bool want_sign(reader *r, char sign)
{
    char what[] = "here must be 'x'";
    what[sizeof what - 3] = sign;
    return take_sign(r, sign) || fault(r, what);
}

static bool want_word(reader *r, mt_str *out)
{
    if (r->kind != T_WORD || r->token.len > PB_MOST_NAME) {
        return fault(r, "here must be a name of at most 255 bytes");
    }
    *out = r->token;
    next(r);
    return true;
}

/* Decimal, hexadecimal or octal, as the language has it. */
static bool want_number(reader *r, uint64_t most, uint64_t *out)
{
    mt_str s = r->token;
    unsigned base = 10;
    uint64_t value = 0;
    bool good = r->kind == T_NUMBER;
    if (good && s.len > 1 && s.ptr[0] == '0') {
        base = s.ptr[1] == 'x' || s.ptr[1] == 'X' ? 16 : 8;
        s = mt_str_skip(s, base == 16 ? 2 : 1);
        good = s.len > 0;
    }
    for (size_t i = 0; good && i < s.len; i++) {
        char c = (char)(s.ptr[i] | 0x20);
        unsigned digit = is_digit(s.ptr[i])     ? (unsigned)(s.ptr[i] - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 99;
        value = value * base + digit;
        good = digit < base && value <= most;
    }
    if (!good) {
        return fault(r, "here must be a number within its range");
    }
    *out = value;
    next(r);
    return true;
}

/* "a.b.C", ".a.B": words and dots without white space in between are one name here. */
static bool want_name(reader *r, mt_str *out)
{
    const char *from = r->token.ptr;
    take_sign(r, '.');
    mt_str word = {0};
    size_t len;
    do {
        if (!want_word(r, &word)) {
            return false;
        }
        len = (size_t)(word.ptr + word.len - from);
    } while (take_sign(r, '.'));
    *out = mt_str_from(from, len);
    return mt_utf8_check(*out) == len && !memchr(from, '\n', len) &&
                   !memchr(from, ' ', len)
               ? true
               : fault(r, "a name must not be broken");
}

/* To the end of a statement: a ';' outside of brackets, or the '}' of a body. */
static bool pass_statement(reader *r)
{
    size_t depth = 0;
    for (;; next(r)) {
        if (r->kind == T_END) {
            return fault(r, "a statement is not ended");
        }
        if (open_quote(r)) {
            return fault(r, "a quote is not closed");
        }
        if (r->kind != T_SIGN) {
            continue;
        }
        char c = r->token.ptr[0];
        if (c == '{' || c == '[' || c == '(') {
            if (++depth > MOST_BRACKETS) {
                return pb_fault(r->b, MT_E_LIMIT,
                                "brackets are nested more than %d deep", MOST_BRACKETS);
            }
        } else if (c == '}' || c == ']' || c == ')') {
            if (!depth) {
                return fault(r, "a bracket was never opened");
            }
            if (!--depth && c == '}') {
                next(r);
                take_sign(r, ';');
                return true;
            }
        } else if (c == ';' && !depth) {
            next(r);
            return true;
        }
    }
}

/* ---- Fields ---- */

/* features.field_presence = IMPLICIT, from its first word to before its value. What
 * else an edition has changes neither bytes nor presence, but for groups. */
static bool read_feature(reader *r, bool *implicit)
{
    next(r);
    if (!take_sign(r, '.')) {
        return fault(r, "features are read one by one, here must be '.'");
    }
    bool presence = take_word(r, "field_presence");
    if (!presence && !take_word(r, "message_encoding")) {
        return true;
    }
    if (!want_sign(r, '=')) {
        return false;
    }
    *implicit = presence ? is_word(r, "IMPLICIT") : *implicit;
    return presence || !is_word(r, "DELIMITED") || fault(r, "groups are not read");
}

/* Of a field, whose presence is known but for this. */
static bool read_field_feature(reader *r, pb_field *f)
{
    bool implicit = !f->presence, good = read_feature(r, &implicit);
    f->presence = !f->repeated && (!implicit || f->oneof);
    return good;
}

/* "[json_name = "x", deprecated = true, (own).option = {…}]" */
static bool read_options(reader *r, pb_field *f)
{
    size_t depth = 0;
    char before = 0; /* the sign before the token */
    if (!is_sign(r, '[')) {
        return true;
    }
    for (;;) {
        bool begins = depth == 1 && f && (before == '[' || before == ',');
        bool named = begins && is_word(r, "json_name");
        if (begins && is_word(r, "features") && !read_field_feature(r, f)) {
            return false;
        }
        if (r->kind == T_END) {
            return fault(r, "a bracket is not closed");
        }
        if (open_quote(r)) {
            return fault(r, "a quote is not closed");
        }
        char c = r->kind == T_SIGN ? r->token.ptr[0] : 0;
        before = c;
        depth += c == '[' || c == '{' || c == '(';
        depth -= c == ']' || c == '}' || c == ')';
        next(r);
        if (!depth) {
            return true;
        }
        if (named && take_sign(r, '=') && r->kind == T_TEXT) {
            f->json_name = r->token;
        }
        if (depth > MOST_BRACKETS) {
            return pb_fault(r->b, MT_E_LIMIT, "brackets are nested more than %d deep",
                            MOST_BRACKETS);
        }
    }
}

/* Words of the language, such as int64, cannot
 * be names of messages; all others are one. */
static pb_kind kind_named(mt_str name)
{
    for (int k = PB_DOUBLE; k < PB_KIND_COUNT; k++) {
        if (PB_KIND_NAMES[k] && mt_str_eq(mt_str_z(PB_KIND_NAMES[k]), name)) {
            return (pb_kind)k;
        }
    }
    return PB_MESSAGE; /* until it is linked */
}

typedef MT_VEC(pb_field) field_list;

static void set_type(pb_field *f, mt_str type)
{
    f->kind = kind_named(type);
    f->type_name = f->kind == PB_MESSAGE ? type : (mt_str){0};
}

/* NAME = NUMBER [options] ; the type was read before. The comment before the field wins
 * over the one behind it. */
static bool end_field(reader *r, field_list *list, pb_field *f)
{
    uint64_t number;
    if (!want_word(r, &f->name) || !want_sign(r, '=') ||
        !want_number(r, MOST_NUMBER, &number)) {
        return false;
    }
    if (!number) {
        return fault(r, "the number of a field is not zero");
    }
    f->number = (uint32_t)number;
    if (!read_options(r, f)) {
        return false;
    }
    if (!is_sign(r, ';')) {
        return fault(r, "here must be ';'");
    }
    next(r);
    if (r->comment.len && !f->comment.len) {
        f->comment = r->comment; /* behind it, perhaps before the next: a hint only */
    }
    if (!f->json_name.len) {
        f->json_name = pb_camel(r->b->arena, f->name);
    }
    mt_vec_push(r->b->arena, list, *f);
    return pb_count(r->b);
}

/* map<string, Account> accounts = 3; is a repeated message with
 * the fields key and value. Its name, accounts.entry inside the
 * message, is one that files have no reason to declare. */
static bool read_map(reader *r, mt_str scope, field_list *list)
{
    mt_arena *a = r->b->arena;
    mt_str key, value;
    pb_field f = {.kind = PB_MESSAGE, .repeated = true, .comment = r->comment};
    next(r);
    if (!want_sign(r, '<') || !want_name(r, &key) || !want_sign(r, ',') ||
        !want_name(r, &value) || !want_sign(r, '>')) {
        return false;
    }
    pb_kind key_kind = kind_named(key);
    if (key_kind == PB_MESSAGE || key_kind == PB_DOUBLE || key_kind == PB_FLOAT ||
        key_kind == PB_BYTES) {
        return fault(r, "a map has whole numbers, bool or string as keys");
    }
    if (!end_field(r, list, &f)) {
        return false;
    }
    pb_field *inside = mt_new_array(a, pb_field, 2);
    inside[0] =
        (pb_field){.name = MT_STR("key"), .json_name = MT_STR("key"), .number = 1};
    inside[1] =
        (pb_field){.name = MT_STR("value"), .json_name = MT_STR("value"), .number = 2};
    set_type(&inside[0], key);
    set_type(&inside[1], value);
    pb_message *entry = mt_new(a, pb_message);
    mt_str name =
        mt_strf(a, "%.*s.entry", MT_ARG(f.name)); /* no word, so never taken */
    *entry = (pb_message){pb_join(a, scope, name), inside, 2, 0, true};
    list->items[list->len - 1].type_name = mt_strf(a, ".%.*s", MT_ARG(entry->name));
    return pb_add_message(r->b, entry);
}

/* [repeated|optional|required] TYPE …. `map` may also be the
 * name of a message, hence the look at what follows. In proto3
 * a scalar has presence only with `optional` or inside a oneof. */
static bool read_field(reader *r, mt_str scope, field_list *list, uint32_t oneof)
{
    pb_field f = {.comment = r->comment, .oneof = oneof};
    mt_str type;
    bool labelled = false;
    if (is_word(r, "map") &&
        mt_str_starts(mt_str_trim(r->rest, MT_STR(" \t\r\n")), MT_STR("<"))) {
        return read_map(r, scope, list);
    }
    if (!oneof) {
        f.repeated = take_word(r, "repeated");
        labelled = f.repeated || take_word(r, "optional") || take_word(r, "required");
    }
    f.presence = !f.repeated && (labelled || oneof || !r->implicit);
    if (is_word(r, "group")) {
        return fault(r, "groups are not read");
    }
    if (!want_name(r, &type)) {
        return false;
    }
    set_type(&f, type);
    return end_field(r, list, &f);
}

/* ---- Declarations ---- */

/* enum Status { ACTIVE = 0; FROZEN = 1 [deprecated = true];
 * }. Values live in the enum here, not in the scope around it
 * as the language has it: nothing looks them up by full name. */
static bool read_enum(reader *r, mt_str scope)
{
    mt_str name, value_name;
    uint64_t number;
    MT_VEC(pb_enum_value) values = {0};
    next(r);
    if (!want_word(r, &name) || !want_sign(r, '{')) {
        return false;
    }
    while (!take_sign(r, '}')) {
        if (take_sign(r, ';')) {
            continue;
        }
        if (is_word(r, "option") || is_word(r, "reserved")) {
            if (!pass_statement(r)) {
                return false;
            }
            continue;
        }
        if (!want_word(r, &value_name) || !want_sign(r, '=')) {
            return false;
        }
        bool negative = take_sign(r, '-');
        if (!want_number(r, (uint64_t)INT32_MAX + negative, &number) ||
            !read_options(r, NULL) || !want_sign(r, ';') || !pb_count(r->b)) {
            return false;
        }
        int64_t value = negative ? -(int64_t)number : (int64_t)number;
        mt_vec_push(r->b->arena, &values,
                    ((pb_enum_value){value_name, (int32_t)value}));
    }
    take_sign(r, ';');
    pb_enum *e = mt_new(r->b->arena, pb_enum);
    *e = (pb_enum){pb_join(r->b->arena, scope, name), values.items, values.len};
    return (values.len || fault(r, "an enum has values")) && pb_add_enum(r->b, e);
}

static bool read_message(reader *r, mt_str scope, size_t depth);

/* Its number within the message is that of the fields before it, and one more: two that
 * have fields never share it, and it is never more than m->oneofs. */
static bool read_oneof(reader *r, mt_str scope, field_list *list)
{
    uint32_t number = (uint32_t)list->len + 1;
    mt_str name;
    next(r);
    if (!want_word(r, &name) || !want_sign(r, '{')) {
        return false;
    }
    while (!take_sign(r, '}')) {
        bool good = is_word(r, "option") ? pass_statement(r)
                                         : read_field(r, scope, list, number);
        if (!good) {
            return false;
        }
    }
    take_sign(r, ';');
    return true;
}

/* `message` and the others are words of their own only where a name and '{' or the like
 * follow; a field of such a type does not occur in practice. */
static bool read_member(reader *r, mt_str scope, size_t depth, field_list *list)
{
    static const char *const PASSED[] = {"option", "extensions", "reserved", "extend"};
    for (size_t i = 0; i < sizeof PASSED / sizeof *PASSED; i++) {
        if (is_word(r, PASSED[i])) {
            return pass_statement(r);
        }
    }
    return is_word(r, "message") ? read_message(r, scope, depth + 1)
           : is_word(r, "enum")  ? read_enum(r, scope)
           : is_word(r, "oneof") ? read_oneof(r, scope, list)
           : take_sign(r, ';')   ? true
                                 : read_field(r, scope, list, 0);
}

/* The message is added after those inside it; link.c does not mind the order. */
static bool read_message(reader *r, mt_str scope, size_t depth)
{
    mt_str name;
    field_list fields = {0};
    pb_message *m = mt_new(r->b->arena, pb_message);
    next(r);
    if (depth > PB_MOST_NESTING) {
        return pb_fault(r->b, MT_E_LIMIT, "messages are nested more than %d deep",
                        PB_MOST_NESTING);
    }
    if (!want_word(r, &name) || !want_sign(r, '{')) {
        return false;
    }
    m->name = pb_join(r->b->arena, scope, name);
    while (!take_sign(r, '}')) {
        if (r->kind == T_END) {
            return fault(r, "a message is not ended");
        }
        if (!read_member(r, m->name, depth, &fields)) {
            return false;
        }
    }
    m->fields = fields.items;
    m->count = fields.len;
    m->oneofs = (uint32_t)fields.len + 1;
    return pb_sort_fields(r->b, m->name, fields.items, fields.len) &&
           pb_add_message(r->b, m);
}

/* (stream? NAME) */
static bool read_type(reader *r, pb_method *m, mt_str *name)
{
    if (!want_sign(r, '(')) {
        return false;
    }
    if (is_word(r, "stream") && !mt_str_starts(r->rest, MT_STR(")")) &&
        !mt_str_starts(r->rest, MT_STR("."))) {
        m->streams = true;
        next(r);
    }
    return want_name(r, name) && want_sign(r, ')');
}

static bool read_method(reader *r, mt_str service)
{
    pb_method m = {.service = service, .comment = r->comment};
    next(r);
    if (!want_word(r, &m.name) || !read_type(r, &m, &m.input_name)) {
        return false;
    }
    if (!take_word(r, "returns")) {
        return fault(r, "here must be returns");
    }
    if (!read_type(r, &m, &m.output_name)) {
        return false;
    }
    mt_vec_push(r->b->arena, &r->b->methods, m);
    bool ended = is_sign(r, '{') ? pass_statement(r) : want_sign(r, ';');
    return ended && pb_count(r->b);
}

static bool read_service(reader *r)
{
    mt_str name;
    next(r);
    if (!want_word(r, &name) || !want_sign(r, '{')) {
        return false;
    }
    name = pb_join(r->b->arena, r->package, name);
    while (!take_sign(r, '}')) {
        bool good = is_word(r, "rpc")      ? read_method(r, name)
                    : is_word(r, "option") ? pass_statement(r)
                                           : want_sign(r, ';');
        if (!good) {
            return false;
        }
    }
    take_sign(r, ';');
    return true;
}

/* public and weak change nothing here: all files share one space of names. */
static bool read_import(reader *r)
{
    next(r);
    if (!take_word(r, "public")) {
        take_word(r, "weak");
    }
    if (r->kind != T_TEXT) {
        return fault(r, "here must be the name of a file");
    }
    mt_vec_push(r->b->arena, &r->b->waiting, r->token);
    next(r);
    return want_sign(r, ';');
}

static bool read_package(reader *r)
{
    next(r);
    return want_name(r, &r->package) && want_sign(r, ';');
}

/* syntax = "proto3"; */
static bool read_syntax(reader *r)
{
    next(r);
    if (!want_sign(r, '=')) {
        return false;
    }
    if (r->kind != T_TEXT ||
        (!mt_str_is(r->token, "proto2") && !mt_str_is(r->token, "proto3"))) {
        return fault(r, "the syntax must be \"proto2\" or \"proto3\"");
    }
    r->implicit = mt_str_is(r->token, "proto3");
    next(r);
    return want_sign(r, ';');
}

/* A feature counts for what is behind it, so one that comes late would be true of half
 * of the file: that is refused. */
static bool read_file_option(reader *r)
{
    bool implicit = r->implicit;
    next(r);
    if (is_word(r, "features") && !read_feature(r, &implicit)) {
        return false;
    }
    if (implicit != r->implicit && r->b->messages.len > r->before) {
        return fault(r, "features must stand before the messages");
    }
    r->implicit = implicit;
    return pass_statement(r);
}

/* An edition is read like proto2: its fields have presence unless a feature says
 * otherwise. */
static bool read_top(reader *r)
{
    return is_word(r, "message")   ? read_message(r, r->package, 1)
           : is_word(r, "enum")    ? read_enum(r, r->package)
           : is_word(r, "service") ? read_service(r)
           : is_word(r, "import")  ? read_import(r)
           : is_word(r, "package") ? read_package(r)
           : is_word(r, "syntax")  ? read_syntax(r)
           : is_word(r, "option")  ? read_file_option(r)
           : is_word(r, "edition") || is_word(r, "extend") ? pass_statement(r)
                                                           : want_sign(r, ';');
}

bool pb_read_text(pb_build *b, mt_str file, mt_str text)
{
    reader r = {.b = b,
                .file = file,
                .rest = text,
                .start = text.ptr,
                .before = b->messages.len};
    if (text.len > PB_MOST_BYTES) {
        return pb_fault(b, MT_E_LIMIT, "%.*s has more than %d bytes", MT_ARG(file),
                        PB_MOST_BYTES);
    }
    size_t bad = mt_utf8_check(text);
    if (bad != text.len) {
        return pb_fault(b, MT_E_SYNTAX, "%.*s is not UTF-8 at byte %zu", MT_ARG(file),
                        bad);
    }
    for (next(&r); r.kind != T_END;) {
        if (!read_top(&r)) {
            return false;
        }
    }
    return true;
}
