/* tests/unit/contract/random_source.c - random contract source.
 * Types, then facts, rules by stratum, entities, operations and flows, each knowing
 * what was declared before it, so that names resolve and types fit. Everything is
 * written as tokens with a demand on the gap before them; laying out comes last. */
#include "random_source.h"

#include <stdlib.h>

#include "base/vec.h"

enum { FIELDS = 3, PATH = 6, MANY = 8, VARIABLES = 8 };

typedef enum base {
    BOOL,
    INT,
    DECIMAL,
    TEXT,
    ENUM,
    DATE,
    DATETIME,
    MONEY,
    DURATION,
    RECORD,
    UNION,
    LIST,
    BASES
} base;

typedef struct type type;
struct type {
    base b;
    int64_t min, max; /* Int, Duration */
    unsigned p, s;    /* Decimal */
    int64_t length;   /* Text: characters; List: max */
    const char *name; /* currency, unit; a declared type's name, or NULL */
    int count;        /* fields, variants, enum values */
    const char *field[FIELDS];
    const type *of[FIELDS]; /* List: [0] */
};

typedef struct named {
    const char *name;
    const type *t;
    int64_t stratum; /* of a verdict */
} named;

/* What must stand before a token. */
typedef enum gap { FREE, GLUED, SPACED, FRESH } gap;

typedef struct token {
    const char *text;
    gap before;
} token;

typedef struct entity {
    const char *name;
    int states;
} entity;

typedef struct operation {
    const char *name;
    int entity, outcomes;
} operation;

typedef struct generator {
    mt_arena *a;
    uint64_t seed;
    bool edgy, wild; /* wild: every value may lie beyond its limit */
    int noise;       /* 0 one space, 1 some, 2 much */
    MT_VEC(token) out;
    const type *declared[MANY];
    named facts[MANY], verdicts[MANY], variables[VARIABLES];
    entity entities[MANY];
    operation operations[MANY];
    int types, fact_count, verdict_count, variable_count, entity_count, operation_count,
        flow_count, persona_count, source_count;
    int64_t stratum; /* of the rule being written */
    int names;
    bool in_payload, facts_only; /* no verdicts: the domain of a quantifier */
} generator;

uint64_t random_next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int below(generator *g, int n)
{
    return n > 0 ? (int)(random_next(&g->seed) % (uint64_t)n) : 0;
}

static bool chance(generator *g, int percent)
{
    return below(g, 100) < percent;
}

#define PICK(g, array) ((array)[below(g, (int)(sizeof(array) / sizeof *(array)))])

/* ---- Tokens ---- */

static void gapped(generator *g, gap before, const char *text)
{
    token t = {text, before};
    mt_vec_push(g->a, &g->out, t);
}

static void put(generator *g, const char *text)
{
    gapped(g, FREE, text);
}

/* Words separated by spaces, a token each. */
static void words(generator *g, const char *text)
{
    mt_str rest = mt_str_z(text);
    while (rest.len) {
        size_t end = mt_str_find(rest, ' ');
        put(g, mt_str_dup(g->a, mt_str_from(rest.ptr, end)).ptr);
        rest = mt_str_skip(rest, end < rest.len ? end + 1 : end);
    }
}

static void number(generator *g, int64_t n)
{
    put(g, mt_strf(g->a, "%lld", (long long)n).ptr);
}

static void quoted(generator *g, const char *text)
{
    put(g, mt_strf(g->a, "\"%s\"", text).ptr);
}

static void comma(generator *g, bool needed)
{
    if (needed || chance(g, 70)) {
        put(g, ",");
    }
}

static void key(generator *g, const char *name)
{
    put(g, name);
    put(g, ":");
}

/* A name of its own; `odd` ones are words the language also knows. */
static const char *fresh(generator *g, const char *stem, bool odd)
{
    static const char *const ODD[] = {"exists", "forall", "len",    "present", "type",
                                      "rule",   "fact",   "amount", "payload", "when",
                                      "über",   "名前",   "verdict"};
    int n = g->names++;
    if (odd && chance(g, 12)) {
        return mt_strf(g->a, "%s%s", PICK(g, ODD), n < 13 ? "" : "_").ptr;
    }
    return mt_strf(g->a, "%s%d", stem, n).ptr;
}

/* ---- Types ---- */

static const char *const UNITS[] = {"seconds", "minutes", "hours", "days"};
static const char *const CURRENCIES[] = {"USD", "EUR", "KWD"};

static type *new_type(generator *g, base b)
{
    type *t = mt_new(g->a, type);
    t->b = b;
    return t;
}

static int64_t edge(generator *g)
{
    static const int64_t EDGES[] = {0,          1,          -1,        9,
                                    10,         -10,        99,        100,
                                    INT32_MAX,  INT32_MIN,  INT64_MAX, INT64_MIN,
                                    4294967294, 4294967295, 4294967296};
    return PICK(g, EDGES);
}

static void bound(generator *g, type *t)
{
    t->min = g->edgy && chance(g, 40) ? edge(g) : -below(g, 100);
    t->max = g->edgy && chance(g, 40) ? edge(g) : below(g, 1000);
    if (t->min > t->max && !(g->wild && chance(g, 20))) {
        int64_t swap = t->min;
        t->min = t->max;
        t->max = swap;
    }
}

static void digits(generator *g, type *t)
{
    static const unsigned P[] = {1, 2, 5, 27, 28, 28, 29, 38, 60, 1000000, 1000001};
    t->p = g->edgy ? PICK(g, P) : (unsigned)below(g, 9) + 1;
    t->s = (unsigned)below(g, (int)(t->p < 60 ? t->p : 60) + 1);
    if (g->wild && chance(g, 10)) {
        t->s = t->p + 1;
    }
}

static int64_t length(generator *g)
{
    static const int64_t LENGTHS[] = {0,          1,          2,        4294967294,
                                      4294967295, 4294967296, INT64_MAX};
    return g->edgy && chance(g, 30) ? PICK(g, LENGTHS) : below(g, 20) + 1;
}

static const type *random_type(generator *g, int depth);

/* Fields of a record or variants of a union; their names may be any word. */
static void members(generator *g, type *t, int depth)
{
    static const char *const NAMES[] = {"a",       "b",       "in",     "and", "or",
                                        "not",     "exists",  "forall", "len", "x",
                                        "present", "stratum", "amount", "id"};
    t->count = g->edgy && chance(g, 10) ? 0 : below(g, FIELDS) + 1;
    int first = below(g, (int)(sizeof NAMES / sizeof *NAMES));
    for (int i = 0; i < t->count; i++) {
        t->field[i] = NAMES[(first + i) % (int)(sizeof NAMES / sizeof *NAMES)];
        t->of[i] = random_type(g, depth - 1);
    }
}

static const type *random_type(generator *g, int depth)
{
    if (depth > 0 && g->types && chance(g, 15)) {
        return g->declared[below(g, g->types)];
    }
    type *t = new_type(g, (base)below(g, depth > 0 ? BASES : RECORD));
    switch (t->b) {
    case INT: bound(g, t); break;
    case DECIMAL: digits(g, t); break;
    case TEXT: t->length = length(g); break;
    case ENUM:
        t->count = g->edgy && chance(g, 5) ? 0 : below(g, FIELDS) + 1;
        for (int i = 0; i < t->count; i++) {
            static const char *const VALUES[] = {"red", "g r", "\\\"q\\\"", "ü", ""};
            t->field[i] = VALUES[(below(g, 2) + i) % 5];
        }
        break;
    case MONEY: t->name = PICK(g, CURRENCIES); break;
    case DURATION:
        bound(g, t);
        t->name = PICK(g, UNITS);
        break;
    case RECORD:
    case UNION: members(g, t, depth); break;
    case LIST: do { t->of[0] = random_type(g, depth - 1);
        } while (t->of[0]->b == LIST);
        t->length = length(g);
        break;
    case BOOL:
    case DATE:
    case DATETIME:
    case BASES: break;
    }
    return t;
}

static void write_type(generator *g, const type *t);

static void write_members(generator *g, const type *t)
{
    put(g, "{");
    for (int i = 0; i < t->count; i++) {
        key(g, t->field[i]);
        write_type(g, t->of[i]);
        comma(g, false);
    }
    put(g, "}");
}

/* `{...}`, `({...})` or `(label: {...})`. */
static void write_structure(generator *g, const type *t)
{
    int form = below(g, 3);
    put(g, t->b == RECORD ? "Record" : "TaggedUnion");
    if (form) {
        put(g, "(");
    }
    if (form == 2) {
        key(g, t->b == RECORD ? "fields" : "variants");
    }
    write_members(g, t);
    if (form) {
        put(g, ")");
    }
}

static void write_pair(generator *g, const char *first, int64_t a, const char *second,
                       int64_t b)
{
    bool named_too = chance(g, 50);
    put(g, "(");
    if (named_too) {
        key(g, first);
    }
    number(g, a);
    comma(g, b < 0);
    if (named_too) {
        key(g, second);
    }
    number(g, b);
    put(g, ")");
}

static void write_enum(generator *g, const type *t)
{
    words(g, chance(g, 50) ? "Enum ( values : [" : "Enum ( [");
    for (int i = 0; i < t->count; i++) {
        quoted(g, t->field[i]);
        comma(g, false);
    }
    words(g, "] )");
}

static void write_duration(generator *g, const type *t)
{
    bool first = chance(g, 50);
    words(g, "Duration (");
    for (int i = 0; i < 2; i++) {
        if (first == (i == 0)) {
            key(g, "unit");
            quoted(g, t->name);
        } else {
            key(g, "min");
            number(g, t->min);
            put(g, ",");
            key(g, "max");
            number(g, t->max);
        }
        comma(g, false);
    }
    put(g, ")");
}

static void write_labelled(generator *g, const char *name, const char *label,
                           const char *value)
{
    put(g, name);
    put(g, "(");
    if (chance(g, 50)) {
        key(g, label);
    }
    put(g, value);
    put(g, ")");
}

static void write_type(generator *g, const type *t)
{
    static const char *const PLAIN[BASES] = {
        [BOOL] = "Bool", [DATE] = "Date", [DATETIME] = "DateTime"};
    if ((t->b == RECORD || t->b == UNION) && t->name) {
        put(g, t->name);
        return;
    }
    switch (t->b) {
    case INT:
        put(g, "Int");
        if (t->min != INT64_MIN || t->max != INT64_MAX) {
            write_pair(g, "min", t->min, "max", t->max);
        }
        break;
    case DECIMAL:
        put(g, "Decimal");
        write_pair(g, "precision", t->p, "scale", t->s);
        break;
    case TEXT:
        write_labelled(g, "Text", "max_length",
                       mt_strf(g->a, "%lld", (long long)t->length).ptr);
        break;
    case MONEY:
        write_labelled(g, "Money", "currency", mt_strf(g->a, "\"%s\"", t->name).ptr);
        break;
    case ENUM: write_enum(g, t); break;
    case DURATION: write_duration(g, t); break;
    case RECORD:
    case UNION: write_structure(g, t); break;
    case LIST:
        words(g, "List ( element_type :");
        write_type(g, t->of[0]);
        words(g, ", max :");
        number(g, t->length);
        put(g, ")");
        break;
    case BOOL:
    case DATE:
    case DATETIME:
    case BASES: put(g, PLAIN[t->b]); break;
    }
}

/* ---- Literals ---- */

static char digit(generator *g)
{
    return chance(g, 40) ? '9' : (char)('0' + below(g, 10));
}

/* A number with so many digits before and behind the dot. */
static const char *decimal(generator *g, unsigned whole, unsigned fraction)
{
    mt_buf b = {0};
    mt_buf_addz(&b, chance(g, 20) ? "-" : "");
    for (unsigned i = 0; i < whole; i++) {
        mt_buf_addc(&b, i ? digit(g) : (char)('1' + below(g, 9)));
    }
    mt_buf_addz(&b, whole ? "" : "0");
    mt_buf_addc(&b, '.');
    for (unsigned i = 0; i < fraction; i++) {
        mt_buf_addc(&b, digit(g));
    }
    mt_buf_addz(&b, fraction ? "" : "0");
    const char *text = mt_str_dup(g->a, mt_buf_str(&b)).ptr;
    mt_buf_free(&b);
    return text;
}

static unsigned span(generator *g, unsigned usual)
{
    static const unsigned EDGES[] = {0, 1, 27, 28, 29, 38};
    return g->edgy && chance(g, 25) ? PICK(g, EDGES) : usual;
}

static const char *decimal_of(generator *g, const type *t)
{
    unsigned whole = t->p > t->s ? t->p - t->s : 0;
    whole = whole > 40 ? 40 : whole;
    return decimal(g, span(g, (unsigned)below(g, (int)whole + 1)),
                   span(g, (unsigned)below(g, (int)t->s + 2)));
}

static int64_t int_of(generator *g, const type *t)
{
    if (g->wild && chance(g, 10)) {
        return edge(g);
    }
    uint64_t count = (uint64_t)t->max - (uint64_t)t->min + 1, r = random_next(&g->seed);
    switch (below(g, 3)) {
    case 0: return t->min;
    case 1: return t->max;
    default: return (int64_t)((uint64_t)t->min + (count ? r % count : r));
    }
}

static const char *time_text(generator *g, bool date)
{
    static const char *const DATES[] = {"2024-02-29", "0001-01-01", "9999-12-31",
                                        "2023-02-29", "0000-01-01", "2024-06-30"};
    static const char *const CLOCKS[] = {"T00:00:00Z",      "T23:59:59+23:59",
                                         "T00:00:00-23:59", "t12:30:00.123456789z",
                                         "T23:59:60Z",      "T10:00:00.1234567891Z",
                                         "T08:00:00+05:30", "T00:00:00.5+00:00"};
    const char *day = g->edgy ? PICK(g, DATES) : DATES[below(g, 3) ? 0 : 5];
    const char *clock = g->edgy ? PICK(g, CLOCKS) : CLOCKS[below(g, 2) ? 0 : 6];
    return date ? day : mt_strf(g->a, "%s%s", day, clock).ptr;
}

static void write_money(generator *g, const char *currency)
{
    const char *amount =
        decimal(g, span(g, (unsigned)below(g, 6)), span(g, (unsigned)below(g, 4)));
    words(g, "Money { amount :");
    if (chance(g, 60)) {
        quoted(g, amount);
    } else if (chance(g, 50)) {
        words(g, "Decimal (");
        put(g, amount);
        put(g, ")");
    } else {
        put(g, amount);
    }
    comma(g, false);
    key(g, "currency");
    quoted(g, currency);
    put(g, "}");
}

static void write_duration_literal(generator *g, int64_t n, const char *unit)
{
    words(g, "Duration { value :");
    number(g, n);
    comma(g, false);
    key(g, "unit");
    quoted(g, unit);
    put(g, "}");
}

static const char *characters(generator *g, int64_t most)
{
    static const char *const TEXTS[] = {
        "", "a", "ü", "日本", "a b", "\\\"", "// no", "abcdefghijklmnopqrstuvwxyz"};
    const char *text = PICK(g, TEXTS);
    return most >= 26 || g->wild ? text : most >= 3 ? TEXTS[below(g, 5)] : TEXTS[0];
}

static void write_decimal_literal(generator *g, const type *t)
{
    const char *text = decimal_of(g, t);
    int form = below(g, 6);
    if (form == 0) {
        words(g, "Decimal (");
        put(g, text);
        put(g, ")");
    } else if (form == 1) {
        quoted(g, text);
    } else if (form == 2 && t->p > t->s) {
        number(g, below(g, 10));
    } else {
        put(g, text);
    }
}

static void write_literal(generator *g, const type *t);

static void write_record_literal(generator *g, const type *t)
{
    put(g, "{");
    for (int i = 0; i < t->count; i++) {
        key(g, t->field[i]);
        write_literal(g, t->of[i]);
        comma(g, false);
    }
    put(g, "}");
}

static void write_union_literal(generator *g, const type *t)
{
    int i = below(g, t->count);
    put(g, t->count ? t->field[i] : "none");
    if (t->count && t->of[i]->b == RECORD && chance(g, 50)) {
        write_record_literal(g, t->of[i]);
        return;
    }
    put(g, "(");
    if (t->count) {
        write_literal(g, t->of[i]);
    } else {
        put(g, "1");
    }
    put(g, ")");
}

static void write_list_literal(generator *g, const type *t)
{
    int count = below(g, 4);
    put(g, "[");
    for (int i = 0; i < count && (i < t->length || g->wild); i++) {
        write_literal(g, t->of[0]);
        comma(g, true);
    }
    put(g, "]");
}

/* A default. */
static void write_literal(generator *g, const type *t)
{
    switch (t->b) {
    case BOOL: put(g, chance(g, 50) ? "true" : "false"); break;
    case INT: number(g, int_of(g, t)); break;
    case DECIMAL: write_decimal_literal(g, t); break;
    case TEXT: quoted(g, characters(g, t->length)); break;
    case ENUM: quoted(g, t->count ? t->field[below(g, t->count)] : "x"); break;
    case DATE: quoted(g, time_text(g, true)); break;
    case DATETIME: quoted(g, time_text(g, false)); break;
    case MONEY: write_money(g, t->name); break;
    case DURATION:
        if (chance(g, 20)) {
            number(g, int_of(g, t));
        } else {
            write_duration_literal(g, int_of(g, t),
                                   g->edgy && chance(g, 30) ? PICK(g, UNITS) : t->name);
        }
        break;
    case RECORD: write_record_literal(g, t); break;
    case UNION: write_union_literal(g, t); break;
    case LIST: write_list_literal(g, t); break;
    case BASES: break;
    }
}

/* ---- Terms ---- */

/* `root.field[index].field`, and its type. */
typedef struct path {
    const char *root;
    const type *t;
    struct {
        const char *field; /* NULL: an index */
        int index;
    } step[PATH];
    int len;
} path;

static bool pick_root(generator *g, path *p)
{
    int low = 0;
    while (low < g->verdict_count && g->verdicts[low].stratum < g->stratum &&
           !g->facts_only) {
        low++;
    }
    int all = g->fact_count + low + 2 * g->variable_count, at = below(g, all);
    if (!all) {
        return false;
    }
    const named *n = at < g->fact_count         ? &g->facts[at]
                     : at < g->fact_count + low ? &g->verdicts[at - g->fact_count]
                                                : NULL;
    if (!n) {
        n = &g->variables[(at - g->fact_count - low) / 2];
    }
    *p = (path){.root = n->name, .t = n->t};
    return true;
}

static bool drill(generator *g, path *p)
{
    static const type AMOUNT = {.b = DECIMAL, .p = 28, .s = 2};
    const type *t = p->t;
    if (p->len == PATH || chance(g, 15)) {
        return false;
    }
    if ((t->b == RECORD || t->b == UNION) && t->count) {
        int i = below(g, t->count);
        p->step[p->len++].field = t->field[i];
        p->t = t->of[i];
        return true;
    }
    if (t->b == LIST) {
        p->step[p->len].field = NULL;
        p->step[p->len++].index = below(g, 3);
        p->t = t->of[0];
        return true;
    }
    if (t->b == MONEY && chance(g, 20)) {
        p->step[p->len++].field = "amount";
        p->t = &AMOUNT;
        return true;
    }
    return false;
}

/* A path to a value of the base, or any value for BASES. */
static bool find_path(generator *g, base want, path *p)
{
    for (int i = 0; i < 12; i++) {
        if (!pick_root(g, p)) {
            return false;
        }
        do {
            if (p->t->b == want) {
                return true;
            }
        } while (drill(g, p));
        if (want == BASES) {
            return true;
        }
    }
    return false;
}

/* In the domain of a quantifier, and where its dot is glued, dots are glued. */
static void write_path(generator *g, const path *p, bool glued)
{
    gap dot = glued ? GLUED : FREE;
    put(g, p->root);
    for (int i = 0; i < p->len; i++) {
        if (p->step[i].field) {
            gapped(g, dot, ".");
            gapped(g, dot, p->step[i].field);
        } else {
            gapped(g, dot, "[");
            number(g, p->step[i].index);
            put(g, "]");
        }
    }
}

static void write_decimal_number(generator *g)
{
    put(g, decimal(g, span(g, (unsigned)below(g, 5)), span(g, (unsigned)below(g, 4))));
}

static void write_int_number(generator *g)
{
    number(g, g->edgy && chance(g, 20) ? edge(g) : below(g, 200) - 50);
}

static void write_number(generator *g, base b, int depth);

/* Behind a field of such a name a sign is read as part of the number. */
static bool ends_like_operator(const generator *g)
{
    static const char *const NAMES[] = {"and", "or", "not", "in"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (!strcmp(g->out.items[g->out.len - 1].text, NAMES[i])) {
            return true;
        }
    }
    return false;
}

static void write_sum(generator *g, base b, int depth)
{
    bool bracketed = chance(g, 40);
    if (bracketed) {
        put(g, "(");
    }
    write_number(g, b, depth - 1);
    put(g, chance(g, 60) || ends_like_operator(g) ? "+" : "-");
    write_number(g, b, depth - 1);
    if (bracketed) {
        put(g, ")");
    }
}

/* In a condition one factor is a literal. */
static void write_product(generator *g, base b)
{
    path p;
    if (!find_path(g, b, &p)) {
        write_int_number(g);
        return;
    }
    bool first = chance(g, 30);
    if (first) {
        write_int_number(g);
        put(g, chance(g, 50) ? "*" : "×");
    }
    write_path(g, &p, false);
    if (first) {
        return;
    }
    put(g, chance(g, 50) ? "*" : "×");
    if (g->in_payload && chance(g, 40)) {
        write_path(g, &p, false);
    } else if (b == DECIMAL && chance(g, 40)) {
        write_decimal_number(g);
    } else {
        write_int_number(g);
    }
}

/* A number as a value: INT or DECIMAL. */
static void write_number(generator *g, base b, int depth)
{
    path p;
    int form = below(g, depth > 0 ? 10 : 6);
    if (form < 3 && find_path(g, b, &p)) {
        write_path(g, &p, false);
    } else if (form == 3 && find_path(g, LIST, &p)) {
        words(g, "len (");
        write_path(g, &p, false);
        put(g, ")");
    } else if (form >= 8) {
        write_product(g, b);
    } else if (form >= 6) {
        write_sum(g, b, depth);
    } else if (b == DECIMAL && chance(g, 70)) {
        write_decimal_number(g);
    } else {
        write_int_number(g);
    }
}

/* ---- Structured values of terms ---- */

static void write_made(generator *g, const type *t, int depth);

/* A path whose values are all values of `t`. */
static bool find_part(generator *g, const type *t, path *p)
{
    if (!find_path(g, t->b, p)) {
        return false;
    }
    bool inside = t->b == INT && p->t->min >= t->min && p->t->max <= t->max;
    bool same = t->b == BOOL || t->b == DATE || t->b == DATETIME ||
                (t->b == MONEY && !strcmp(t->name, p->t->name));
    return p->t == t || inside || same;
}

/* A part: a term that always fits, a literal, or such a value again. Nothing is rounded
 * in a condition, and a Duration says its unit. */
static void write_part(generator *g, const type *t, int depth)
{
    path p;
    if (chance(g, 50) && find_part(g, t, &p)) {
        write_path(g, &p, false);
    } else if (t->b >= RECORD && depth) {
        write_made(g, t, depth - 1);
    } else if (t->b == DECIMAL) {
        put(g, decimal(g, t->p > t->s, t->s > 1 && t->s <= 28));
    } else if (t->b == DURATION) {
        write_duration_literal(g, int_of(g, t), t->name);
    } else if (t->b >= RECORD) {
        write_made(g, t, 0);
    } else {
        write_literal(g, t);
    }
}

static void write_made_record(generator *g, const type *t, int depth)
{
    put(g, "{");
    for (int i = 0; i < t->count; i++) {
        key(g, t->field[i]);
        write_part(g, t->of[i], depth);
        comma(g, false);
    }
    put(g, "}");
}

static void write_made(generator *g, const type *t, int depth)
{
    int count = t->b == LIST ? below(g, 4) : 0, i = below(g, t->count ? t->count : 1);
    if (t->b == RECORD) {
        if (t->name && chance(g, 30)) {
            put(g, t->name);
        }
        write_made_record(g, t, depth);
    } else if (t->b == LIST) {
        put(g, "[");
        for (int k = 0; k < count && (k < t->length || g->wild); k++) {
            write_part(g, t->of[0], depth);
            comma(g, true);
        }
        put(g, "]");
    } else if (!t->count) {
        words(g, "none ( 1 )");
    } else {
        put(g, t->field[i]);
        if (t->of[i]->b == RECORD && chance(g, 50)) {
            write_made_record(g, t->of[i], depth);
            return;
        }
        put(g, "(");
        write_part(g, t->of[i], depth);
        put(g, ")");
    }
}

/* A value beside one of type `t`. */
static void write_beside(generator *g, const type *t)
{
    path p;
    switch (t->b) {
    case INT:
    case DECIMAL: write_number(g, chance(g, 80) ? t->b : DECIMAL, 2); break;
    case MONEY:
        write_money(g, t->name);
        if (chance(g, 20)) {
            put(g, "+");
            write_money(g, t->name);
        }
        break;
    case DURATION:
        if (chance(g, 20) && find_path(g, DURATION, &p)) {
            write_path(g, &p, false);
            put(g, chance(g, 50) ? "+" : "-");
        }
        write_duration_literal(g, g->edgy ? edge(g) : below(g, 90), PICK(g, UNITS));
        break;
    case DATETIME:
        if (chance(g, 30) && find_path(g, DATETIME, &p)) {
            write_path(g, &p, false);
            put(g, "+");
            write_duration_literal(g, below(g, 90), PICK(g, UNITS));
            break;
        }
        quoted(g, time_text(g, false));
        break;
    case BOOL:
    case TEXT:
    case ENUM:
    case DATE: write_literal(g, t); break;
    case RECORD:
    case UNION:
    case LIST: write_made(g, t, 3); break;
    case BASES: put(g, "0"); break;
    }
}

/* ---- Conditions ---- */

static const char *comparison(generator *g, base b)
{
    static const char *const ORDER[] = {"=", "!=", "≠", "<", "<=", "≤", ">", ">=", "≥"};
    bool ordered = b == INT || b == DECIMAL || b == DATE || b == DATETIME ||
                   b == MONEY || b == DURATION;
    return ordered ? PICK(g, ORDER) : ORDER[below(g, 3)];
}

/* What follows the first operand of a comparison. */
static void write_rest(generator *g, const path *p)
{
    const type *t = p->t;
    put(g, comparison(g, t->b));
    if (chance(g, t->b >= RECORD ? 30 : 15)) {
        write_path(g, p, false);
    } else {
        write_beside(g, t);
    }
}

static void write_comparison(generator *g)
{
    path p;
    if (!find_path(g, BASES, &p)) {
        words(g, "1 < 2");
        return;
    }
    const type *t = p.t;
    if (t->b == UNION && chance(g, 50)) {
        write_path(g, &p, false);
        words(g, ". tag =");
        quoted(g, t->count ? t->field[below(g, t->count)] : "x");
    } else if (t->b == ENUM && chance(g, 30)) {
        write_path(g, &p, false);
        put(g, chance(g, 50) ? "in" : "∈");
        put(g, "[");
        for (int i = 0; i < t->count; i++) {
            quoted(g, chance(g, 5) ? "undeclared" : t->field[i]);
            comma(g, false);
        }
        put(g, "]");
    } else if (chance(g, 15)) { /* the literal first */
        write_beside(g, t);
        put(g, comparison(g, t->b));
        write_path(g, &p, false);
    } else {
        write_path(g, &p, false);
        write_rest(g, &p);
    }
}

static void write_condition(generator *g, int depth);

/* Both ways to write the separating dot: white space beside it, or glued to the bound
 * variable. */
static void write_quantifier(generator *g, int depth)
{
    path domain;
    g->facts_only = true;
    bool found = g->variable_count < VARIABLES && find_path(g, LIST, &domain);
    g->facts_only = false;
    if (!found) {
        write_comparison(g);
        return;
    }
    bool typed = chance(g, 20);
    const char *variable = fresh(g, "i", true);
    words(g, chance(g, 50) ? (chance(g, 50) ? "forall" : "∀")
                           : (chance(g, 50) ? "exists" : "∃"));
    put(g, variable);
    if (typed) {
        put(g, ":");
        write_type(g, domain.t->of[0]);
    }
    put(g, chance(g, 50) ? "in" : "∈");
    write_path(g, &domain, true);
    g->variables[g->variable_count++] = (named){variable, domain.t->of[0], 0};
    path body = {.root = variable, .t = domain.t->of[0]};
    if (!domain.len && chance(g, 25)) {
        gapped(g, GLUED, ".");
        gapped(g, GLUED, body.root);
        while (drill(g, &body)) {
        }
        for (int i = 0; i < body.len; i++) {
            gapped(g, GLUED, body.step[i].field ? "." : "[");
            gapped(g, GLUED, body.step[i].field ? body.step[i].field : "0");
            if (!body.step[i].field) {
                put(g, "]");
            }
        }
        write_rest(g, &body);
    } else {
        bool before = chance(g, 50);
        gapped(g, before ? SPACED : FREE, ".");
        size_t at = g->out.len;
        write_condition(g, depth - 1);
        g->out.items[at].before = before ? FREE : SPACED;
    }
    g->variable_count--;
}

/* Now and then a chain longer than source_depth: it does not nest in the source. */
static void write_chain(generator *g)
{
    int parts = 150 + below(g, 300);
    bool sum = chance(g, 30), all = chance(g, 50);
    for (int i = 0; i < parts; i++) {
        if (i) {
            put(g, sum ? "+" : all ? "and" : "or");
        }
        if (sum) {
            number(g, below(g, 1000));
        } else {
            number(g, i);
            put(g, "<");
            number(g, below(g, 1000));
        }
    }
    if (sum) {
        words(g, "> 0");
    }
}

static void write_junction(generator *g, int depth)
{
    static const char *const AND[] = {"and", "∧"}, *const OR[] = {"or", "∨"};
    int parts = below(g, 3) + 2;
    if (chance(g, 1)) {
        put(g, "(");
        write_chain(g);
        put(g, ")");
        return;
    }
    for (int i = 0; i < parts; i++) {
        if (i) {
            put(g, chance(g, 50) ? PICK(g, AND) : PICK(g, OR));
        }
        write_condition(g, depth - 1);
    }
}

static const named *low_verdict(generator *g)
{
    int low = 0;
    while (low < g->verdict_count && g->verdicts[low].stratum < g->stratum) {
        low++;
    }
    return low ? &g->verdicts[below(g, low)] : NULL;
}

static void write_presence(generator *g)
{
    const named *v = low_verdict(g);
    if (v && chance(g, 60)) {
        words(g, "verdict_present (");
        put(g, v->name);
        put(g, ")");
    } else if (v || g->fact_count) {
        put(g, "(");
        put(g, v ? v->name : g->facts[0].name);
        words(g, "present )");
    } else {
        put(g, "true");
    }
}

static void write_bracketed(generator *g, int depth)
{
    put(g, "(");
    write_condition(g, depth - 1);
    put(g, ")");
}

static void write_condition(generator *g, int depth)
{
    path p;
    int form = below(g, depth > 0 ? 100 : 30);
    if (form >= 75) {
        write_quantifier(g, depth);
    } else if (form >= 55) {
        write_junction(g, depth);
    } else if (form >= 45) {
        put(g, chance(g, 50) ? "not" : "¬");
        write_condition(g, depth - 1);
    } else if (form >= 35) {
        write_bracketed(g, depth);
    } else if (form >= 30) {
        write_presence(g);
    } else if (form >= 27 && find_path(g, BOOL, &p)) {
        put(g, "(");
        write_path(g, &p, false);
        put(g, ")");
    } else if (form == 26) {
        put(g, chance(g, 50) ? "true" : "false");
    } else {
        write_comparison(g);
    }
}

/* ---- Facts and rules ---- */

static void write_source_of(generator *g)
{
    switch (below(g, g->source_count ? 4 : 3)) {
    case 0: quoted(g, "system.field"); break;
    case 1:
        put(g, "sys");
        gapped(g, GLUED, ".");
        put(g, "field");
        break;
    case 2: words(g, "call ( a , b . c )"); break;
    default:
        put(g, mt_strf(g->a, "src%d", below(g, g->source_count)).ptr);
        words(g, "{ path :");
        quoted(g, "orders.{id}.total");
        put(g, "}");
    }
}

static void write_fact(generator *g)
{
    named f = {fresh(g, "f", true), random_type(g, 3), 0};
    bool first = chance(g, 50), has_default = chance(g, 40);
    gapped(g, FRESH, "fact");
    put(g, f.name);
    put(g, "{");
    for (int i = 0; i < 2; i++) {
        if (first == (i == 0)) {
            key(g, "type");
            write_type(g, f.t);
        } else {
            key(g, "source");
            write_source_of(g);
        }
    }
    if (has_default) {
        key(g, "default");
        write_literal(g, f.t);
    }
    put(g, "}");
    g->facts[g->fact_count++] = f;
}

static const type *any_int(generator *g)
{
    type *t = new_type(g, INT);
    t->min = INT64_MIN;
    t->max = INT64_MAX;
    return t;
}

/* The type and value of `payload: T = value`; gives the type. */
static const type *write_payload(generator *g)
{
    path p;
    const type *t;
    int form = below(g, 5);
    if (form == 0 && find_path(g, BASES, &p)) {
        write_type(g, p.t);
        put(g, "=");
        write_path(g, &p, false);
        return p.t;
    }
    if (form == 3 && find_path(g, BASES, &p) && p.t->b >= RECORD) {
        write_type(g, p.t);
        put(g, "=");
        write_made(g, p.t, 3);
        return p.t;
    }
    if (form <= 2) {
        t = chance(g, 50) ? any_int(g) : random_type(g, 0);
        write_type(g, t);
        put(g, "=");
        if (t->b == INT || t->b == DECIMAL) {
            write_number(g, t->b, 2);
        } else {
            write_beside(g, t);
        }
        return t;
    }
    t = new_type(g, BOOL);
    words(g, "Bool = true");
    return t;
}

/* `name(value)`, the type inferred; NULL: not known here. */
static const type *write_short_payload(generator *g)
{
    path p;
    int form = below(g, 4);
    if (form == 0 && find_path(g, BASES, &p)) {
        write_path(g, &p, false);
        return p.t;
    }
    if (form == 1) {
        quoted(g, characters(g, 100));
        return NULL;
    }
    if (form == 2) {
        write_number(g, chance(g, 50) ? INT : DECIMAL, 2);
        return NULL;
    }
    put(g, "true");
    return new_type(g, BOOL);
}

static int64_t next_stratum(generator *g)
{
    static const int64_t EDGES[] = {999999,     1000000,    1000001, 4294967294,
                                    4294967295, 4294967296, -1,      INT64_MAX};
    if (g->edgy && chance(g, 8)) {
        return PICK(g, EDGES);
    }
    return g->stratum < INT32_MAX ? g->stratum + below(g, 2) : g->stratum;
}

static void write_produce(generator *g)
{
    named v = {fresh(g, "v", true), NULL, g->stratum};
    key(g, "produce");
    g->in_payload = true;
    if (chance(g, 60)) {
        put(g, "verdict");
        put(g, v.name);
        words(g, "{ payload :");
        v.t = write_payload(g);
        put(g, "}");
    } else {
        put(g, v.name);
        put(g, "(");
        v.t = write_short_payload(g);
        put(g, ")");
    }
    g->in_payload = false;
    if (v.t) {
        g->verdicts[g->verdict_count++] = v;
    }
}

static void write_rule(generator *g)
{
    int64_t last = g->stratum;
    g->stratum = next_stratum(g);
    gapped(g, FRESH, "rule");
    put(g, fresh(g, "r", false));
    put(g, "{");
    bool first = chance(g, 80);
    if (first) {
        key(g, "stratum");
        number(g, g->stratum);
    }
    key(g, "when");
    write_condition(g, 4);
    write_produce(g);
    if (!first) {
        key(g, "stratum");
        number(g, g->stratum);
    }
    put(g, "}");
    g->stratum = g->stratum < last ? last : g->stratum;
}

/* ---- Entities, operations ---- */

static const char *state(generator *g, int n)
{
    return mt_strf(g->a, "s%d", n).ptr;
}

static void write_entity(generator *g)
{
    entity e = {fresh(g, "E", false), below(g, 3) + 2};
    gapped(g, FRESH, "entity");
    put(g, e.name);
    words(g, "{ states : [");
    for (int i = 0; i < e.states; i++) {
        put(g, state(g, i));
        comma(g, false);
    }
    words(g, "] initial : s0 transitions : [");
    for (int i = 0; i + 1 < e.states; i++) {
        put(g, "(");
        put(g, state(g, i));
        put(g, chance(g, 50) ? "," : chance(g, 50) ? "->" : "→");
        put(g, state(g, i + 1));
        put(g, ")");
        comma(g, false);
    }
    put(g, "]");
    if (g->entity_count && chance(g, 20)) {
        key(g, "parent");
        put(g, g->entities[0].name);
    }
    put(g, "}");
    g->entities[g->entity_count++] = e;
}

/* (E, a, b), (E, a, b, outcome), E: a -> b or E: a -> b -> outcome */
static void write_effect(generator *g, const entity *e, int from, const char *outcome)
{
    bool arrow = chance(g, 50);
    put(g, arrow ? e->name : "(");
    put(g, arrow ? ":" : e->name);
    if (!arrow) {
        put(g, ",");
    }
    put(g, state(g, from));
    put(g, arrow ? (chance(g, 50) ? "->" : "→") : ",");
    put(g, state(g, from + 1));
    if (outcome) {
        put(g, arrow ? "->" : ",");
        put(g, outcome);
    }
    put(g, arrow ? "" : ")");
    comma(g, true);
}

static const char *outcome_name(generator *g, int i)
{
    return mt_strf(g->a, "done%d", i).ptr;
}

static void write_names(generator *g, const char *field, const char *stem, int count)
{
    key(g, field);
    put(g, "[");
    for (int i = 0; i < count; i++) {
        put(g, mt_strf(g->a, "%s%d", stem, i).ptr);
        comma(g, false);
    }
    put(g, "]");
}

static void write_operation(generator *g)
{
    operation o = {fresh(g, "op", false), g->operation_count % g->entity_count,
                   below(g, 4)};
    const entity *e = &g->entities[o.entity];
    o.outcomes = o.outcomes > e->states - 1 ? e->states - 1 : o.outcomes;
    gapped(g, FRESH, "operation");
    put(g, o.name);
    put(g, "{");
    write_names(g, chance(g, 50) ? "allowed_personas" : "personas", "p",
                g->persona_count);
    key(g, chance(g, 50) ? "precondition" : "require");
    g->stratum = INT64_MAX;
    write_condition(g, 3);
    words(g, "effects : [");
    for (int i = 0; i < (o.outcomes > 1 ? o.outcomes : 1); i++) {
        write_effect(g, e, i, o.outcomes > 1 ? outcome_name(g, i) : NULL);
    }
    put(g, "]");
    if (o.outcomes) {
        write_names(g, "outcomes", "done", o.outcomes);
    }
    if (chance(g, 60)) {
        words(g, "error_contract : [ precondition_failed , persona_rejected ]");
    }
    put(g, "}");
    g->operations[g->operation_count++] = o;
}

/* ---- Flows ---- */

typedef struct steps {
    const char *prefix;
    int count, at; /* the step being written */
    int entity;    /* only operations on it; -1: any */
} steps;

static const char *persona(generator *g)
{
    return mt_strf(g->a, "p%d", below(g, g->persona_count)).ptr;
}

static const char *step_name(generator *g, const steps *s, int i)
{
    return mt_strf(g->a, "%s%d", s->prefix, i).ptr;
}

static void write_terminal(generator *g)
{
    static const char *const ENDS[] = {"success", "failure", "escalation", "other"};
    words(g, "Terminal (");
    put(g, PICK(g, ENDS));
    put(g, ")");
}

/* A step further on, or an end. */
static void write_target(generator *g, const steps *s)
{
    if (s->at + 1 < s->count && chance(g, 70)) {
        put(g, step_name(g, s, s->at + 1 + below(g, s->count - s->at - 1)));
    } else {
        write_terminal(g);
    }
}

static int pick_operation(generator *g, const steps *s)
{
    int first = below(g, g->operation_count);
    for (int i = 0; i < g->operation_count; i++) {
        int at = (first + i) % g->operation_count;
        if (s->entity < 0 || g->operations[at].entity == s->entity) {
            return at;
        }
    }
    return -1;
}

static void write_handler(generator *g, const steps *s)
{
    int op = pick_operation(g, s);
    switch (below(g, 4)) {
    case 0: write_terminal(g); return;
    case 1:
        if (s->at + 1 < s->count) {
            words(g, "Escalate (");
            key(g, chance(g, 50) ? "to" : "to_persona");
            put(g, persona(g));
            comma(g, false);
            key(g, "next");
            put(g, step_name(g, s, s->count - 1));
            put(g, ")");
            return;
        }
        break;
    case 2:
        if (op < 0) {
            break;
        }
        words(g, "Compensate ( steps : [ { op :");
        put(g, g->operations[op].name);
        comma(g, false);
        key(g, "persona");
        put(g, persona(g));
        comma(g, false);
        key(g, "on_failure");
        write_terminal(g);
        words(g, "} ]");
        comma(g, false);
        key(g, "then");
        write_terminal(g);
        put(g, ")");
        return;
    default: break;
    }
    words(g, "Terminate ( outcome :");
    put(g, "failure");
    put(g, ")");
}

static void write_operation_step(generator *g, const steps *s, int op)
{
    const operation *o = &g->operations[op];
    words(g, "OperationStep { op :");
    put(g, o->name);
    comma(g, false);
    key(g, "persona");
    put(g, persona(g));
    comma(g, false);
    words(g, "outcomes : {");
    for (int i = 0; i < (o->outcomes ? o->outcomes : 1); i++) {
        key(g, o->outcomes ? outcome_name(g, i) : "success");
        write_target(g, s);
        comma(g, false);
    }
    put(g, "}");
    key(g, "on_failure");
    write_handler(g, s);
    put(g, "}");
}

static void write_branch_step(generator *g, const steps *s)
{
    words(g, "BranchStep { condition :");
    write_condition(g, 2);
    key(g, "persona");
    put(g, persona(g));
    key(g, "if_true");
    write_target(g, s);
    comma(g, false);
    key(g, "if_false");
    write_target(g, s);
    put(g, "}");
}

static void write_handoff_step(generator *g, const steps *s)
{
    words(g, "HandoffStep {");
    key(g, "from_persona");
    put(g, persona(g));
    key(g, "to_persona");
    put(g, persona(g));
    key(g, "next");
    put(g, step_name(g, s, s->at + 1));
    put(g, "}");
}

static void write_subflow_step(generator *g, const steps *s)
{
    words(g, "SubFlowStep { flow :");
    put(g, mt_strf(g->a, "flow%d", below(g, g->flow_count)).ptr);
    key(g, "persona");
    put(g, persona(g));
    key(g, "on_success");
    write_target(g, s);
    key(g, "on_failure");
    write_handler(g, s);
    put(g, "}");
}

static void write_steps(generator *g, steps *s);

/* Two branches that touch different entities. */
static void write_parallel_step(generator *g, const steps *s)
{
    words(g, "ParallelStep { branches : [");
    for (int b = 0; b < 2; b++) {
        steps inner = {mt_strf(g->a, "%sb%d_", s->prefix, b).ptr, below(g, 2) + 1, 0,
                       b};
        words(g, "Branch { id :");
        put(g, mt_strf(g->a, "b%d", b).ptr);
        key(g, "entry");
        put(g, step_name(g, &inner, 0));
        comma(g, false);
        key(g, "steps");
        write_steps(g, &inner);
        put(g, "}");
        comma(g, false);
    }
    words(g, "] join : JoinPolicy { on_all_success :");
    write_target(g, s);
    key(g, "on_any_failure");
    words(g, "Terminate ( outcome : failure )");
    if (chance(g, 30)) {
        key(g, "on_all_complete");
        write_target(g, s);
    }
    words(g, "} }");
}

static void write_step(generator *g, const steps *s)
{
    int op = pick_operation(g, s);
    bool more = s->at + 1 < s->count;
    if (chance(g, 8)) {
        write_terminal(g);
        return;
    }
    switch (below(g, 6)) {
    case 0: write_branch_step(g, s); return;
    case 1:
        if (more) {
            write_handoff_step(g, s);
            return;
        }
        break;
    case 2:
        if (g->flow_count && s->entity < 0) {
            write_subflow_step(g, s);
            return;
        }
        break;
    case 3:
        if (g->entity_count > 1 && s->entity < 0) {
            write_parallel_step(g, s);
            return;
        }
        break;
    default: break;
    }
    if (op < 0) {
        write_branch_step(g, s);
    } else {
        write_operation_step(g, s, op);
    }
}

static void write_steps(generator *g, steps *s)
{
    put(g, "{");
    for (s->at = 0; s->at < s->count; s->at++) {
        key(g, step_name(g, s, s->at));
        write_step(g, s);
        comma(g, false);
    }
    put(g, "}");
}

static void write_flow(generator *g)
{
    steps s = {"step", below(g, 4) + 1, 0, -1};
    gapped(g, FRESH, "flow");
    put(g, mt_strf(g->a, "flow%d", g->flow_count).ptr);
    put(g, "{");
    if (!g->edgy || chance(g, 95)) {
        words(g, "snapshot : at_initiation");
    }
    words(g, "entry : step0 steps :");
    write_steps(g, &s);
    put(g, "}");
    g->flow_count++;
}

/* ---- Other constructs ---- */

static void write_typedecl(generator *g)
{
    type *t = new_type(g, chance(g, 60) ? RECORD : UNION);
    members(g, t, 2);
    t->name = fresh(g, "T", false);
    gapped(g, FRESH, "type");
    put(g, t->name);
    if (t->b == UNION || chance(g, 50)) {
        put(g, "=");
        put(g, t->b == RECORD ? "Record" : "TaggedUnion");
    }
    write_members(g, t);
    g->declared[g->types++] = t;
}

static void write_source(generator *g)
{
    gapped(g, FRESH, "source");
    put(g, mt_strf(g->a, "src%d", g->source_count++).ptr);
    put(g, "{");
    key(g, "protocol");
    if (chance(g, 50)) {
        words(g, "http base_url :");
        quoted(g, "https://x.example");
    } else {
        words(g, "x_our . bus");
    }
    if (chance(g, 40)) {
        key(g, "description");
        quoted(g, "// where it is");
    }
    put(g, "}");
}

static void write_system(generator *g)
{
    gapped(g, FRESH, "system");
    put(g, fresh(g, "Sys", false));
    words(g, "{ members : [ a :");
    quoted(g, "a.tenor");
    comma(g, false);
    key(g, "b");
    quoted(g, "b/b.tenor");
    words(g, "] shared_personas : [ { persona : p contracts : [ a , b ] } ]");
    if (chance(g, 50)) {
        words(g, "shared_entities : [ { entity : E , contracts : [ a b ] } ]");
    }
    words(g,
          "triggers : [ { source : a . f on : success target : b . g persona : p } ]");
    put(g, "}");
}

/* ---- Depth ---- */

static void repeat(generator *g, const char *text, int count)
{
    for (int i = 0; i < count; i++) {
        words(g, text);
    }
}

static void deep_flows(generator *g, int depth)
{
    words(g,
          "persona p0 entity E { states : [ s0 , s1 ] initial : s0 transitions : [ ( "
          "s0 , s1 ) ] } operation op { personas : [ p0 ] require : true effects : [ "
          "( E , s0 , s1 ) ] }");
    for (int i = 0; i <= depth; i++) {
        gapped(g, FRESH, "flow");
        put(g, mt_strf(g->a, "f%d", i).ptr);
        words(g, "{ snapshot : at_initiation entry : a steps : { a :");
        if (i == depth) {
            words(g,
                  "OperationStep { op : op persona : p0 outcomes : { success : "
                  "Terminal ( success ) } on_failure : Terminate ( outcome : failure "
                  ") } } }");
        } else {
            words(g, "SubFlowStep { flow :");
            put(g, mt_strf(g->a, "f%d", i + 1).ptr);
            words(g, "persona : p0 on_success : Terminal ( success ) on_failure : "
                     "Terminate ( outcome : failure ) } } }");
        }
    }
}

static void deep_parallel(generator *g, int depth)
{
    words(g, "persona p0 flow f { snapshot : at_initiation entry : s steps : {");
    repeat(g, "s : ParallelStep { branches : [ Branch { id : b entry : s steps : {",
           depth);
    words(g, "s : BranchStep { condition : true persona : p0 if_true : Terminal ( "
             "success ) if_false : Terminal ( failure ) }");
    repeat(g,
           "} } ] join : JoinPolicy { on_all_success : Terminal ( success ) "
           "on_any_failure : Terminate ( outcome : failure ) } }",
           depth);
    words(g, "} }");
}

/* A record in a record in a record, with a default or a chain of its fields. */
static void deep_record(generator *g, int depth, bool chain)
{
    words(g, "fact f { source : x . y type :");
    repeat(g, "Record { a :", depth);
    put(g, "Bool");
    repeat(g, "}", depth);
    if (!chain) {
        key(g, "default");
        repeat(g, "{ a :", depth);
        put(g, "true");
        repeat(g, "}", depth);
    }
    put(g, "}");
    gapped(g, FRESH, "rule");
    words(g, "r { stratum : 0 when :");
    put(g, chain ? "f" : "true");
    if (chain) {
        repeat(g, ". a", depth);
    }
    words(g, "produce : v ( true ) }");
}

static void deep_condition(generator *g, int depth)
{
    static const char *const OPEN[] = {"(", "not", "¬", "true and (", "false or"};
    int closing = 0;
    words(g, "rule r { stratum : 0 when :");
    for (int i = 0; i < depth; i++) {
        const char *open = PICK(g, OPEN);
        words(g, open);
        closing += strchr(open, '(') != NULL;
    }
    put(g, "true");
    repeat(g, ")", closing);
    words(g, "produce : v ( true ) }");
}

static void write_deep(generator *g)
{
    int depth = below(g, 2) ? 180 + below(g, 25) : 60 + below(g, 50);
    switch (below(g, 5)) {
    case 0: deep_flows(g, 250 + below(g, 10)); break;
    case 1: deep_parallel(g, depth); break;
    case 2: deep_record(g, depth, true); break;
    case 3: deep_record(g, depth, false); break;
    default: deep_condition(g, depth);
    }
}

/* ---- Layout ---- */

static bool is_wordish(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || (unsigned char)c >= 0x80;
}

/* Would the two be read as one token, or as others? */
static bool must_part(const char *a, const char *b)
{
    char last = *a ? a[strlen(a) - 1] : ' ';
    return (is_wordish(last) && is_wordish(*b)) || (last == '-' && *b == '>') ||
           (*b == '=' && strchr("<>!=", last)) || (last == '-' && *b == '-') ||
           (*b == '.' && (a[0] == '-' || (a[0] >= '0' && a[0] <= '9')));
}

static void white(generator *g, mt_buf *out)
{
    static const char *const PLAIN[] = {" ", "\n", "  ", "\t"};
    static const char *const NOISY[] = {
        " ",       "\n",         "\n\n\n",          "\t",          " // c\n",
        "/* b */", "\n// own\n", "\n/* m\n l */\n", "\r\n",        "\v\f",
        "　",      " ",          " /* \" } . */ ",  "// ∀ x . \n", " // tail  \t\r\n"};
    int count = g->noise ? below(g, 3) + 1 : 1;
    for (int i = 0; i < count; i++) {
        mt_buf_addz(out, !g->noise || chance(g, g->noise == 1 ? 85 : 30)
                             ? PICK(g, PLAIN)
                             : PICK(g, NOISY));
    }
}

static mt_str lay_out(generator *g)
{
    mt_buf out = {0};
    const char *last = "";
    for (size_t i = 0; i < g->out.len; i++) {
        const token *t = &g->out.items[i];
        if (!*t->text) {
            continue;
        }
        bool needed = t->before == SPACED || must_part(last, t->text);
        if (t->before == FRESH) {
            mt_buf_addz(&out, "\n");
        } else if (needed ||
                   (t->before == FREE && chance(g, g->noise == 2 ? 50 : 70))) {
            white(g, &out);
        }
        mt_buf_addz(&out, t->text);
        last = t->text;
    }
    if (g->noise && chance(g, 50)) {
        white(g, &out);
    }
    mt_str text = mt_str_dup(g->a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* One token that does not belong: taken away, doubled, or another put in its place. */
static void mutate(generator *g)
{
    if (g->out.len < 4) {
        return;
    }
    size_t at = random_next(&g->seed) % (g->out.len - 1),
           from = random_next(&g->seed) % g->out.len;
    token *items = g->out.items;
    switch (below(g, 4)) {
    case 0: items[at].text = ""; break;
    case 1: items[at].text = items[from].text; break;
    case 2: {
        const char *swap = items[at].text;
        items[at].text = items[at + 1].text;
        items[at + 1].text = swap;
        break;
    }
    default: items[at].text = mt_strf(g->a, "%lld", (long long)edge(g)).ptr;
    }
}

/* ---- Programs ---- */

static void times(generator *g, int count, void (*write)(generator *g))
{
    for (int i = 0; i < count; i++) {
        write(g);
    }
}

static void write_persona(generator *g)
{
    gapped(g, FRESH, "persona");
    put(g, mt_strf(g->a, "p%d", g->persona_count++).ptr);
}

static void write_contract(generator *g)
{
    int size = g->edgy ? 2 : 4;
    times(g, below(g, 2) + 1, write_persona);
    times(g, below(g, 3), write_source);
    times(g, below(g, 3), write_typedecl);
    times(g, below(g, size) + 1, write_fact);
    times(g, below(g, size + 1), write_rule);
    if (chance(g, 60)) {
        times(g, below(g, 3) + 1, write_entity);
        times(g, below(g, 4) + 1, write_operation);
        g->stratum = INT64_MAX;
        times(g, below(g, 3), write_flow);
    }
}

random_program random_source(mt_arena *a, uint64_t seed, random_source_kind kind)
{
    generator g = {.a = a, .seed = seed};
    random_program p = {.count = 1};
    g.edgy = kind == RANDOM_EDGY && chance(&g, 80);
    g.wild = g.edgy && chance(&g, 40);
    g.noise = below(&g, 3);
    if (chance(&g, 8)) { /* a library of types */
        write_typedecl(&g);
        p.files[p.count++] = (mt_memory_file){MT_STR("lib.tenor"), lay_out(&g)};
        g.out.len = 0;
        gapped(&g, FRESH, "import");
        quoted(&g, "lib.tenor");
    }
    if (p.count == 1 && chance(&g, 3)) {
        write_system(&g);
    } else if (chance(&g, g.edgy ? 3 : 1)) {
        write_deep(&g);
    } else {
        write_contract(&g);
    }
    if (kind == RANDOM_EDGY && chance(&g, 25)) {
        mutate(&g);
    }
    p.files[0] = (mt_memory_file){MT_STR("root.tenor"), lay_out(&g)};
    return p;
}
