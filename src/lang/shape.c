/* lang/shape.c - the nodes of nodes.def as shapes.
 * nodes.def is read three times: for the names of the shapes, which refer to each other
 * in circles; for their fields and alternatives; for the shapes themselves.
 *
 * INVARIANT: cases of a family stand in a row in CASES, in the order of
 * nodes.def; the next family, or the empty row at the end, ends it. Whoever walks
 * cases compares `family`. Nothing is built at run time: all of it is constant data. */
#include "lang/shape.h"

/* clang-format off */

static const ln_shape SHAPE_STRING = {.kind = LN_SHAPE_STRING};
static const ln_shape SHAPE_INTEGER = {.kind = LN_SHAPE_INT};
static const ln_shape SHAPE_NATURAL = {.kind = LN_SHAPE_INT, .is_natural = true};
static const ln_shape SHAPE_BOOLEAN = {.kind = LN_SHAPE_BOOL};
static const ln_shape SHAPE_ANY = {.kind = LN_SHAPE_ANY};
static const ln_shape SHAPE_VERSION = {
    .kind = LN_SHAPE_STRING,
    .pattern = "^1\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$"};

#define DECLARE(ID) static const ln_shape SHAPE_##ID;
#define X_OBJECT(ID, name) DECLARE(ID)
#define X_FAMILY(ID, name, key) DECLARE(ID)
#define X_CHOICE(ID, name) DECLARE(ID)
#define X_LIST(ID, OF) DECLARE(ID)
#define X_MAP(ID, OF) DECLARE(ID)
#define X_WORDS(ID, ...) DECLARE(ID)
#include "lang/nodes.def"

#define X_OBJECT(ID, name) static const ln_field FIELDS_##ID[] = {
#define X_FAMILY(ID, name, key) static const ln_field FIELDS_##ID[] = {
#define X_CASE(FAMILY, ID, text, since) static const ln_field FIELDS_##FAMILY##_##ID[] = {
#define X_NEED(key, SHAPE) {key, &SHAPE_##SHAPE, LN_NEED, NULL},
#define X_FORM(key, SHAPE) {key, &SHAPE_##SHAPE, LN_FORM, NULL},
#define X_MAY(key, SHAPE) {key, &SHAPE_##SHAPE, LN_MAY, NULL},
#define X_UNLESS(other, key, SHAPE) {key, &SHAPE_##SHAPE, LN_UNLESS, other},
#define X_CHOICE(ID, name) static const ln_when WHENS_##ID[] = {
#define X_WHEN_TEXT(SHAPE) {&SHAPE_##SHAPE, LN_IS_TEXT, NULL},
#define X_WHEN_SCALAR(SHAPE) {&SHAPE_##SHAPE, LN_IS_SCALAR, NULL},
#define X_WHEN_KEY(key, SHAPE) {&SHAPE_##SHAPE, LN_HAS_KEY, key},
#define X_WHEN_OBJECT(SHAPE) {&SHAPE_##SHAPE, LN_IS_OBJECT, NULL},
#define X_WORDS(ID, ...) static const char *const WORDS_##ID[] = {__VA_ARGS__, NULL};
#define X_END {0}};
#include "lang/nodes.def"

/* The numbers of the cases: a family's first case takes the number FIRST_ of it. */
enum {
#define X_FAMILY(ID, name, key) FIRST_##ID, BEFORE_##ID = FIRST_##ID - 1,
#define X_CASE(FAMILY, ID, text, since) CASE_##FAMILY##_##ID,
#include "lang/nodes.def"
    CASE_COUNT
};

static const ln_case CASES[CASE_COUNT + 1] = {
#define X_CASE(FAMILY, ID, text, since) \
    [CASE_##FAMILY##_##ID] = {&SHAPE_##FAMILY, text, FIELDS_##FAMILY##_##ID, since},
#include "lang/nodes.def"
};

#define SHAPE(ID, ...) static const ln_shape SHAPE_##ID = {.id = #ID, __VA_ARGS__};
#define X_OBJECT(ID, text) \
    SHAPE(ID, .kind = LN_SHAPE_OBJECT, .name = text, .fields = FIELDS_##ID)
#define X_FAMILY(ID, text, tag) \
    SHAPE(ID, .kind = LN_SHAPE_FAMILY, .name = text, .fields = FIELDS_##ID, .key = tag, \
          .cases = &CASES[FIRST_##ID])
#define X_CHOICE(ID, text) \
    SHAPE(ID, .kind = LN_SHAPE_CHOICE, .name = text, .whens = WHENS_##ID)
#define X_VALUE(ID, text) \
    SHAPE(ID, .kind = LN_SHAPE_CHOICE, .name = text, .whens = WHENS_##ID, .is_value = true)
#define X_LIST(ID, OF) SHAPE(ID, .kind = LN_SHAPE_LIST, .element = &SHAPE_##OF)
#define X_MAP(ID, OF) SHAPE(ID, .kind = LN_SHAPE_MAP, .element = &SHAPE_##OF)
#define X_WORDS(ID, ...) SHAPE(ID, .kind = LN_SHAPE_STRING, .words = WORDS_##ID)
#include "lang/nodes.def"

/* clang-format on */

const ln_shape *const LN_SHAPE_BUNDLE = &SHAPE_BUNDLE;
const ln_shape *const LN_SHAPE_MANIFEST = &SHAPE_MANIFEST;
const ln_shape *const LN_SHAPE_CONSTRUCT = &SHAPE_CONSTRUCT;
const ln_shape *const LN_SHAPE_EXPRESSION = &SHAPE_EXPRESSION;
const ln_shape *const LN_SHAPE_HANDLER = &SHAPE_HANDLER;
const ln_shape *const LN_SHAPE_STEP = &SHAPE_STEP;
const ln_shape *const LN_SHAPE_TYPE = &SHAPE_TYPE;

const ln_case *ln_case_find(const ln_shape *family, mt_str text)
{
    for (const ln_case *c = family->cases; c->family == family; c++) {
        if (mt_str_eq(text, mt_str_z(c->text))) {
            return c;
        }
    }
    return NULL;
}

static bool has_field(const ln_field *fields, const char *key)
{
    for (; fields && fields->key; fields++) {
        if (!strcmp(fields->key, key) ||
            (fields->other && !strcmp(fields->other, key))) {
            return true;
        }
    }
    return false;
}

/* Of a family the fields of all cases count, so that the case need not be known. */
bool ln_when_excludes(const ln_when *when, const ln_when *rival)
{
    const ln_shape *s = when->shape;
    if (when->test != LN_HAS_KEY || rival->test != LN_HAS_KEY || when == rival ||
        has_field(s->fields, rival->key)) {
        return false;
    }
    for (const ln_case *c = s->cases; c && c->family == s; c++) {
        if (has_field(c->fields, rival->key)) {
            return false;
        }
    }
    return true;
}
