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
 * What a fault becomes (a diagnostic with a code, a refused request) is the caller's:
 * it gives mt_form.report. Ownership: texts borrow from the tree, messages live in the
 * form's arena. */
#ifndef MT_BASE_FORM_H
#define MT_BASE_FORM_H

#include "base/json_read.h"

typedef enum mt_form_kind {
    MT_FORM_K_TEXT,   /* mt_str; least and most count bytes */
    MT_FORM_K_WORD,   /* const char *, a text without a NUL byte, copied */
    MT_FORM_K_FLAG,   /* bool */
    MT_FORM_K_INT,    /* int64_t, a whole number */
    MT_FORM_K_SIZE,   /* size_t, a whole number */
    MT_FORM_K_COUNT,  /* unsigned, a whole number */
    MT_FORM_K_SPAN,   /* uint64_t milliseconds, written "250ms", "5s", "2m", "1h" */
    MT_FORM_K_CHOICE, /* int, the index of one of `choices` */
    MT_FORM_K_TEXTS,  /* const mt_json *, a list of texts; least and most count items */
    MT_FORM_K_WORDS,  /* mt_form_words, the same without NUL bytes, copied */
    MT_FORM_K_LIST,   /* const mt_json *; least and most count items */
    MT_FORM_K_OBJECT, /* const mt_json * */
    MT_FORM_K_ANY,    /* const mt_json * */
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

typedef struct mt_form_row {
    const char *key;
    mt_form_kind kind;
    unsigned flags;
    size_t offset;              /* of the field in the structure that is filled */
    int64_t least, most;        /* see the kinds */
    const char *const *choices; /* ends with NULL */
} mt_form_row;

/* clang-format off */
#define MT_FORM_ROW(type, field, key, kind, least, most, flags) \
    {key, kind, flags, offsetof(type, field), least, most, NULL}
#define MT_FORM_TEXT(type, field, key, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_TEXT, 0, INT64_MAX, flags)
#define MT_FORM_NAME(type, field, key, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_TEXT, 1, most, flags)
#define MT_FORM_WORD(type, field, key, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_WORD, 0, INT64_MAX, flags)
#define MT_FORM_FLAG(type, field, key, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_FLAG, 0, 0, flags)
#define MT_FORM_INT(type, field, key, least, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_INT, least, most, flags)
#define MT_FORM_SIZE(type, field, key, least, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_SIZE, least, most, flags)
#define MT_FORM_COUNT(type, field, key, least, most, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_COUNT, least, most, flags)
#define MT_FORM_SPAN(type, field, key, least_ms, most_ms, flags) \
    MT_FORM_ROW(type, field, key, MT_FORM_K_SPAN, least_ms, most_ms, flags)
#define MT_FORM_CHOICE(type, field, key, names, flags) \
    {key, MT_FORM_K_CHOICE, flags, offsetof(type, field), 0, 0, names}
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
/* clang-format on */
#define mt_form_count(rows) (sizeof(rows) / sizeof *(rows))

typedef enum mt_form_wrong {
    MT_FORM_MISSING,
    MT_FORM_WRONG_KIND,
    MT_FORM_OUT_OF_RANGE, /* of a number, a text's length, a list's items, a choice */
    MT_FORM_UNKNOWN_KEY
} mt_form_wrong;

typedef struct mt_form_fault {
    mt_form_wrong wrong;
    size_t offset;  /* of the value, or of the object that lacks the key */
    mt_str path;    /* senders[2].every_ms */
    mt_str key;     /* every_ms */
    mt_str said;    /* must be a whole number from 1 to 9 */
    mt_str message; /* `senders[2].every_ms` must be a whole number from 1 to 9 */
    mt_str hint;    /* did you mean `every_ms`? or empty */
} mt_form_fault;

typedef struct mt_form {
    mt_arena *arena;
    mt_str path;      /* where we are: "" or senders[2] */
    const char *what; /* what has the keys: "a sender" */
    void (*report)(void *state, const mt_form_fault *fault);
    void *state;
} mt_form;

/* Fills *out by the rows. False when anything was reported. */
bool mt_form_read(mt_form *f, const mt_json *object, const mt_form_row *rows,
                  size_t count, void *out);
/* The same for one key, where a table would be one row long. */
bool mt_form_field(mt_form *f, const mt_json *object, const mt_form_row *row,
                   void *out);
/* Reports keys that are in no row; the rest of what mt_form_read() does. */
bool mt_form_keys(mt_form *f, const mt_json *object, const mt_form_row *rows,
                  size_t count);

/* A form for what is inside: of the member `key`, of the item `index` of it. */
mt_form mt_form_inside(const mt_form *f, const char *key, const char *what);
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
/* For mt_form.report with a buffer as the state: sentences, "; " between them. */
void mt_form_join(void *buf, const mt_form_fault *fault);

/* What a value is, in words: "text", "a number", "a list" ... */
const char *mt_form_name(const mt_json *node);

#endif
