/* base/form.h - reading foreign JSON and YAML: one way, one wording.
 * Room: base. May include base/ only.
 *
 * What a file, a request or a configuration may hold is a table: a row per key with its
 * kind, its least and most, and where its value goes. mt_form_read() goes through the
 * object once and reports everything that is wrong with it:
 *
 *     static const mt_form_row SENDER[] = {
 *         MT_FORM_TEXT(sender, route, "route", MT_FORM_REQUIRED),
 *         MT_FORM_INT(sender, every_ms, "every_ms", 1, 86400000, 0),
 *     };
 *     sender s = SENDER_DEFAULT;
 *     bool good = mt_form_read(&form, node, SENDER, mt_form_count(SENDER), &s);
 *
 * A number has a least and a most, or it cannot be read. A key nobody knows is reported
 * with the nearest known one. What is absent or wrong leaves the field as it was.
 * Objects inside objects, lists and maps of them have tables of their own, so one call
 * reads a whole document; what a table cannot say is a row with a reader of its own.
 * What a fault becomes (a diagnostic with a code, a refused request) is the caller's:
 * it gives mt_form.report. Ownership: texts borrow from the tree, arrays and messages
 * live in the form's arena. Nothing is allocated for values that are good, but arrays
 * and words. */
#ifndef MT_BASE_FORM_H
#define MT_BASE_FORM_H

#include "base/diag.h"
#include "base/json_read.h"

typedef struct mt_form mt_form;
typedef struct mt_form_row mt_form_row;
typedef struct mt_form_table mt_form_table;

typedef enum mt_form_kind {
    MT_FORM_K_TEXT,   /* mt_str; least and most count bytes */
    MT_FORM_K_WORD,   /* const char *, text without a NUL byte, copied */
    MT_FORM_K_FLAG,   /* bool */
    MT_FORM_K_SAYS,   /* int, 1 or 0; what it was before shows that nothing was said */
    MT_FORM_K_INT,    /* int64_t, a whole number */
    MT_FORM_K_SIZE,   /* size_t, a whole number */
    MT_FORM_K_U32,    /* uint32_t, a whole number */
    MT_FORM_K_U64,    /* uint64_t, a whole number */
    MT_FORM_K_SPAN,   /* uint64_t milliseconds, written "250ms", "5s", "2m", "1h" */
    MT_FORM_K_CHOICE, /* int, the index of one of `choices` */
    MT_FORM_K_TEXTS,  /* const mt_json *, a list of texts; least and most count items */
    MT_FORM_K_WORDS,  /* mt_form_words, the same without NUL bytes, copied */
    MT_FORM_K_LIST,   /* const mt_json *; least and most count items */
    MT_FORM_K_OBJECT, /* const mt_json * */
    MT_FORM_K_ANY,    /* const mt_json * */
    MT_FORM_K_RAW,    /* mt_str, the value as JSON text */
    MT_FORM_K_STRS,   /* const mt_str * and its count: a list of texts */
    MT_FORM_K_INSIDE, /* an object that `table` describes, in a structure or our own */
    MT_FORM_K_EACH,   /* const TYPE * and its count: a list of objects */
    MT_FORM_K_MAP,    /* const TYPE * and its count: an object of named objects */
    MT_FORM_K_OWN,    /* whatever `read` makes of it */
    MT_FORM_K_LABEL,  /* without a key: mt_str, the name that a map gives the object */
    MT_FORM_K_PLACE,  /* without a key: uint32_t, where the object begins */
    MT_FORM_KIND_COUNT
} mt_form_kind;

typedef struct mt_form_words {
    const char **items; /* ends with NULL */
    size_t count;
} mt_form_words;

enum {
    MT_FORM_REQUIRED = 1, /* absent is a fault */
    MT_FORM_NULLABLE = 2  /* null is the same as absent */
};

/* False: it has reported why. It writes *to only when it returns true. */
typedef bool mt_form_reader(mt_form *f, const mt_form_row *row, const mt_json *v,
                            void *to);

struct mt_form_row {
    const char *key; /* NULL: it is about the object itself */
    size_t length;   /* of the key; 0: not counted yet */
    mt_form_kind kind;
    unsigned flags;
    size_t offset;              /* of the field in the structure that is filled */
    int64_t least, most;        /* see the kinds */
    const char *const *choices; /* ends with NULL; of text: told, not checked */
    size_t count_offset;        /* of the uint32_t beside an array */
    const mt_form_table *table; /* of the object, or of each of them */
    mt_form_reader *read;
    const char *about; /* what it is for, in a line; NULL: not said */
};

/* What an object may hold, for rows that lead inside. */
struct mt_form_table {
    const char *what; /* "a sender" */
    const mt_form_row *rows;
    size_t count;
    size_t size;         /* of a structure, where an array of them is made */
    const void *initial; /* what each is before it is read; NULL: zero */
};

/* clang-format off */
#define MT_FORM_KEY(name) .key = name, .length = sizeof(name) - 1
#define MT_FORM_ROW(type, field, name, its_kind, its_least, its_most, its_flags) \
    {MT_FORM_KEY(name), .kind = its_kind, .flags = its_flags, \
     .offset = offsetof(type, field), .least = its_least, .most = its_most}
#define MT_FORM_TEXT(type, field, key, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_TEXT, 0, INT64_MAX, flags)
#define MT_FORM_NAME(type, field, key, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_TEXT, 1, most, flags)
#define MT_FORM_WORD(type, field, key, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_WORD, 0, INT64_MAX, flags)
#define MT_FORM_FLAG(type, field, key, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_FLAG, 0, 0, flags)
#define MT_FORM_SAYS(type, field, key, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_SAYS, 0, 0, flags)
#define MT_FORM_INT(type, field, key, least, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_INT, least, most, flags)
#define MT_FORM_SIZE(type, field, key, least, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_SIZE, least, most, flags)
#define MT_FORM_SPAN(type, field, key, least_ms, most_ms, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_SPAN, least_ms, most_ms, flags)
#define MT_FORM_U32(type, field, key, least, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_U32, least, most, flags)
#define MT_FORM_U64(type, field, key, least, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_U64, least, most, flags)
#define MT_FORM_CHOICE(type, field, name, names, its_flags) \
    {MT_FORM_KEY(name), .kind = MT_FORM_K_CHOICE, .flags = its_flags, \
     .offset = offsetof(type, field), .choices = names}
#define MT_FORM_TEXTS(type, field, key, least, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_TEXTS, least, most, flags)
#define MT_FORM_WORDS(type, field, key, least, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_WORDS, least, most, flags)
#define MT_FORM_LIST(type, field, key, least, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_LIST, least, most, flags)
#define MT_FORM_OBJECT(type, field, key, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_OBJECT, 0, 0, flags)
#define MT_FORM_ANY(type, field, key, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_ANY, 0, 0, flags)
#define MT_FORM_RAW(type, field, key, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_RAW, 0, 0, flags)
/* `count` is the field beside `field` that has the number of items. It is 32 bits wide,
 * or this does not compile: writing half of a wider one works on one byte order only. */
#define MT_FORM_COUNT_AT(type, its_count) \
    offsetof(type, its_count) + \
        0 * sizeof(char[sizeof(((type *)0)->its_count) == sizeof(uint32_t) ? 1 : -1])
#define MT_FORM_MANY(type, field, its_count, name, its_kind, its_table, its_most, \
                     its_flags) \
    {MT_FORM_KEY(name), .kind = its_kind, .flags = its_flags, \
     .offset = offsetof(type, field), .most = its_most, \
     .count_offset = MT_FORM_COUNT_AT(type, its_count), .table = its_table}
#define MT_FORM_STRS(type, field, count, key, most, flags) \
    MT_FORM_MANY(type, field, count, key, MT_FORM_K_STRS, NULL, most, flags)
#define MT_FORM_EACH(type, field, count, key, table, most, flags) \
    MT_FORM_MANY(type, field, count, key, MT_FORM_K_EACH, table, most, flags)
#define MT_FORM_MAP(type, field, count, key, table, most, flags) \
    MT_FORM_MANY(type, field, count, key, MT_FORM_K_MAP, table, most, flags)
#define MT_FORM_INSIDE(type, field, name, its_table, its_flags) \
    {MT_FORM_KEY(name), .kind = MT_FORM_K_INSIDE, .flags = its_flags, \
     .offset = offsetof(type, field), .table = its_table}
/* An object inside whose fields are in the same structure. */
#define MT_FORM_PART(name, its_table, its_flags) \
    {MT_FORM_KEY(name), .kind = MT_FORM_K_INSIDE, .flags = its_flags, .table = its_table}
#define MT_FORM_OWN(type, field, name, reader, its_flags) \
    {MT_FORM_KEY(name), .kind = MT_FORM_K_OWN, .flags = its_flags, \
     .offset = offsetof(type, field), .most = INT64_MAX, .read = reader}
/* Rows that besides say what may stand inside, or which words, for whoever asks about
 * the form (an editor); reading it is the caller's. */
#define MT_FORM_LIST_OF(type, field, name, its_table, its_least, its_most, its_flags) \
    {MT_FORM_KEY(name), .kind = MT_FORM_K_LIST, .flags = its_flags, \
     .offset = offsetof(type, field), .least = its_least, .most = its_most, \
     .table = its_table}
#define MT_FORM_OBJECT_OF(type, field, name, its_table, its_flags) \
    {MT_FORM_KEY(name), .kind = MT_FORM_K_OBJECT, .flags = its_flags, \
     .offset = offsetof(type, field), .table = its_table}
#define MT_FORM_ANY_OF(type, field, name, its_table, its_flags) \
    {MT_FORM_KEY(name), .kind = MT_FORM_K_ANY, .flags = its_flags, \
     .offset = offsetof(type, field), .table = its_table}
#define MT_FORM_ONE_OF(type, field, name, names, its_flags) \
    {MT_FORM_KEY(name), .kind = MT_FORM_K_TEXT, .flags = its_flags, \
     .offset = offsetof(type, field), .most = INT64_MAX, .choices = names}
/* A key that may stand there and means nothing to us. */
#define MT_FORM_NOTE(name) {MT_FORM_KEY(name), .kind = MT_FORM_K_OWN, .read = mt_form_ignore}
#define MT_FORM_LABEL(type, field) \
    {.kind = MT_FORM_K_LABEL, .offset = offsetof(type, field)}
#define MT_FORM_PLACE(type, field) \
    {.kind = MT_FORM_K_PLACE, .offset = offsetof(type, field)}
#define MT_FORM_TABLE(its_what, its_rows, type, its_initial) \
    {.what = its_what, .rows = its_rows, .count = mt_form_count(its_rows), \
     .size = sizeof(type), .initial = its_initial}
/* clang-format on */
#define mt_form_count(rows) (sizeof(rows) / sizeof *(rows))

typedef enum mt_form_wrong {
    MT_FORM_MISSING,
    MT_FORM_WRONG_KIND,
    MT_FORM_OUT_OF_RANGE, /* of a number, the length of text, a list's items, a choice
                           */
    MT_FORM_UNKNOWN_KEY
} mt_form_wrong;

typedef struct mt_form_fault {
    mt_form_wrong wrong;
    bool warning;           /* what has it is good nevertheless */
    size_t offset;          /* of the value, or of the object that lacks the key */
    const mt_json *node;    /* that value or object */
    const mt_form_row *row; /* that lacks its key; NULL where it is not that */
    mt_str path;            /* senders[2].every_ms */
    mt_str key;             /* every_ms */
    mt_str said;            /* must be a whole number from 1 to 9 */
    mt_str message;   /* `senders[2].every_ms` must be a whole number from 1 to 9 */
    mt_str hint;      /* did you mean `every_ms`? or empty */
    const char *what; /* what has the keys: "a sender" */
} mt_form_fault;

/* What a key is that no row knows: a fault, a warning, or nobody's business. */
typedef enum mt_form_unknown {
    MT_FORM_REFUSED,
    MT_FORM_WARNED,
    MT_FORM_ALLOWED
} mt_form_unknown;

struct mt_form {
    mt_arena *arena;
    mt_str path;      /* where we are: "" or senders[2]; of the outermost form */
    const char *what; /* what has the keys: "a sender" */
    void (*report)(void *state, const mt_form_fault *fault); /* NULL: nobody listens */
    void *state;
    mt_form_unknown unknown;
    /* Of a form inside: the one around it, and its name or place there. */
    const mt_form *around;
    mt_str name;
    size_t index;
    bool is_item;
};

/* Fills *out by the rows. False when anything but a warning was reported. */
bool mt_form_read(mt_form *f, const mt_json *object, const mt_form_row *rows,
                  size_t count, void *out);
/* The same for one key, where a table would be one row long. */
bool mt_form_field(mt_form *f, const mt_json *object, const mt_form_row *row,
                   void *out);
/* Reports keys that are in no row; the rest of what mt_form_read() does. */
bool mt_form_keys(mt_form *f, const mt_json *object, const mt_form_row *rows,
                  size_t count);

/* Is it the key of a row? */
bool mt_form_knows(const mt_form_row *rows, size_t count, mt_str key);
/* "did you mean `KEY`?", or empty when no row has a key near to it. */
mt_str mt_form_hint(mt_arena *a, const mt_form_row *rows, size_t count, mt_str key);

/* A form for what is inside: of the member `key`, of the item `index` of it. The form
 * around it must live as long. An item of a list without a name has the key "". */
mt_form mt_form_inside(const mt_form *f, const char *key, const char *what);
mt_form mt_form_member(const mt_form *f, mt_str key, const char *what);
mt_form mt_form_item(const mt_form *f, const char *key, size_t index, const char *what);

/* Reports a fault of the caller's own in the same words: `path.key` MESSAGE. False. */
bool mt_form_say(mt_form *f, mt_form_wrong wrong, const mt_json *at, const char *key,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Faults that are kept, for a caller that wants them all before it says anything:
 * .report = mt_form_keep, .state = the list. */
typedef struct mt_form_faults {
    mt_arena *arena;
    mt_form_fault *items;
    size_t len, cap;
} mt_form_faults;
void mt_form_keep(void *faults, const mt_form_fault *fault);
/* In the order of their places, those of one place as they came. */
void mt_form_sort(mt_form_faults *faults);
/* A fault in one sentence, with its hint in brackets. */
void mt_form_write(mt_buf *out, const mt_form_fault *fault);
/* The same without its path, for a caller that has put it in front. */
void mt_form_write_said(mt_buf *out, const mt_form_fault *fault);
/* For mt_form.report with a buffer as the state: sentences, "; " between them. */
void mt_form_join(void *buf, const mt_form_fault *fault);

/* The reader of MT_FORM_NOTE(): whatever it is, it is good. */
mt_form_reader mt_form_ignore;
/* For readers that begin with text; `to` is an mt_str. */
mt_form_reader mt_form_text;

/* The fault as a diagnostic about the file, with its place in the file's text (empty:
 * none is known). An unknown key's place is the key's, not its value's. */
mt_diag mt_form_diag(const mt_form_fault *fault, const char *code, mt_str file,
                     mt_str text);

/* What the value of a row must be, in words: "a whole number from 1 to 9". */
mt_str mt_form_expects(mt_arena *a, const mt_form_row *row);
/* "`a`, `b` or `c`" */
mt_str mt_form_choices(mt_arena *a, const char *const *choices);
/* The row of a key; NULL: the table has none. */
const mt_form_row *mt_form_find(const mt_form_table *table, mt_str key);

/* What a value is, in words: "text", "a number", "a list" ... */
const char *mt_form_name(const mt_json *node);

/* For what was written by ourselves and is only shown: the text of a member, or empty.
 */
static inline mt_str mt_text_at(const mt_json *object, const char *key)
{
    return mt_json_text(mt_json_get(object, mt_str_z(key)));
}

#endif
