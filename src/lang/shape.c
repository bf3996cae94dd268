/* lang/shape.c - the nodes of nodes.def as shapes.
 * nodes.def is read three times: for the names of the shapes, which refer to each other
 * in circles; for their fields and alternatives; for the shapes themselves. */
#include "lang/shape.h"

/* clang-format off */

static const ln_shape LN_STRING = {.kind = LN_SHAPE_STRING};
static const ln_shape LN_INTEGER = {.kind = LN_SHAPE_INT};
static const ln_shape LN_NATURAL = {.kind = LN_SHAPE_INT, .is_natural = true};
static const ln_shape LN_BOOLEAN = {.kind = LN_SHAPE_BOOL};
static const ln_shape LN_ANY = {.kind = LN_SHAPE_ANY};
static const ln_shape LN_VERSION = {
    .kind = LN_SHAPE_STRING,
    .pattern = "^1\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$"};

#define DECLARE(ID) static const ln_shape LN_##ID;
#define OBJECT(ID, name) DECLARE(ID)
#define FAMILY(ID, name, key) DECLARE(ID)
#define CHOICE(ID, name) DECLARE(ID)
#define LIST(ID, OF) DECLARE(ID)
#define MAP(ID, OF) DECLARE(ID)
#define WORDS(ID, ...) DECLARE(ID)
#include "lang/nodes.def"

#define OBJECT(ID, name) static const ln_field FIELDS_##ID[] = {
#define FAMILY(ID, name, key) static const ln_field FIELDS_##ID[] = {
#define CASE(FAMILY, ID, text, since) static const ln_field FIELDS_##FAMILY##_##ID[] = {
#define NEED(key, SHAPE) {key, &LN_##SHAPE, LN_NEED, NULL},
#define FORM(key, SHAPE) {key, &LN_##SHAPE, LN_FORM, NULL},
#define MAY(key, SHAPE) {key, &LN_##SHAPE, LN_MAY, NULL},
#define UNLESS(other, key, SHAPE) {key, &LN_##SHAPE, LN_UNLESS, other},
#define CHOICE(ID, name) static const ln_when WHENS_##ID[] = {
#define WHEN_TEXT(SHAPE) {&LN_##SHAPE, LN_IS_TEXT, NULL},
#define WHEN_SCALAR(SHAPE) {&LN_##SHAPE, LN_IS_SCALAR, NULL},
#define WHEN_KEY(key, SHAPE) {&LN_##SHAPE, LN_HAS_KEY, key},
#define WHEN_OBJECT(SHAPE) {&LN_##SHAPE, LN_IS_OBJECT, NULL},
#define WORDS(ID, ...) static const char *const WORDS_##ID[] = {__VA_ARGS__, NULL};
#define END {0}};
#include "lang/nodes.def"

/* The numbers of the cases: a family's first case takes the number FIRST_ of it. */
enum {
#define FAMILY(ID, name, key) FIRST_##ID, BEFORE_##ID = FIRST_##ID - 1,
#define CASE(FAMILY, ID, text, since) CASE_##FAMILY##_##ID,
#include "lang/nodes.def"
    CASE_COUNT
};

static const ln_case CASES[CASE_COUNT + 1] = {
#define CASE(FAMILY, ID, text, since) \
    [CASE_##FAMILY##_##ID] = {&LN_##FAMILY, text, FIELDS_##FAMILY##_##ID, since},
#include "lang/nodes.def"
};

#define SHAPE(ID, ...) static const ln_shape LN_##ID = {.id = #ID, __VA_ARGS__};
#define OBJECT(ID, text) \
    SHAPE(ID, .kind = LN_SHAPE_OBJECT, .name = text, .fields = FIELDS_##ID)
#define FAMILY(ID, text, tag) \
    SHAPE(ID, .kind = LN_SHAPE_FAMILY, .name = text, .fields = FIELDS_##ID, .key = tag, \
          .cases = &CASES[FIRST_##ID])
#define CHOICE(ID, text) \
    SHAPE(ID, .kind = LN_SHAPE_CHOICE, .name = text, .whens = WHENS_##ID)
#define LIST(ID, OF) SHAPE(ID, .kind = LN_SHAPE_LIST, .element = &LN_##OF)
#define MAP(ID, OF) SHAPE(ID, .kind = LN_SHAPE_MAP, .element = &LN_##OF)
#define WORDS(ID, ...) SHAPE(ID, .kind = LN_SHAPE_STRING, .words = WORDS_##ID)
#include "lang/nodes.def"

/* clang-format on */

const ln_shape *const LN_SHAPE_BUNDLE = &LN_BUNDLE;
const ln_shape *const LN_SHAPE_MANIFEST = &LN_MANIFEST;

const ln_case *ln_case_find(const ln_shape *family, mt_str text)
{
    for (const ln_case *c = family->cases; c->family == family; c++) {
        if (mt_str_eq(text, mt_str_z(c->text))) {
            return c;
        }
    }
    return NULL;
}
