/* agent/route: grammar and canonical form (profile, section 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/route.h"
#include "tests_random.h"

typedef struct good {
    const char *name, *text, *canonical;
    uint32_t sources, labels, targets;
} good;

/* clang-format off */
static const good PROFILE[] = {
    {"MUST 3: one node is an object route", "A", "A", 1, 0, 0},
    {"MUST 3: several nodes are an object route", "A, B", "A,B", 2, 0, 0},
    {"MUST 3: an arrow has source, label and target", "A--[f]-->B", "A--[f]-->B", 1, 1, 1},
    {"each part may have several nodes", "A,B--[f,g]-->X,Y,Z", "A,B--[f,g]-->X,Y,Z", 2, 2, 3},
    {"MUST 3.1: white space is ignored between symbols", " A --[ f ]--> B ", "A--[f]-->B", 1, 1, 1},
    {"MUST 3.1: also inside the arrow", "A - - [f] - - > B", "A--[f]-->B", 1, 1, 1},
    {"MUST 3.1: also after a slash and before a list", "/ oneof ( A , B )", "/oneof(A,B)", 1, 0, 0},
    {"MUST 3.1: every white space counts, newlines too", "A\t,\n\v\f\rB", "A,B", 2, 0, 0},
    {"the bare arrow is a second style, written with brackets", "A-->B", "A--[]-->B", 1, 0, 1},
    {"an arrow without label and target is an object", "A--[]-->", "A", 1, 0, 0},
    {"a bare arrow without target is an object", "A-->", "A", 1, 0, 0},
    {"an initial arrow may have a label only", "--[f]-->", "--[f]-->", 0, 1, 0},
    {"an initial arrow may have a target only", "-->B", "--[]-->B", 0, 0, 1},
    {"a label without target stays an arrow", "A--[f]-->", "A--[f]-->", 1, 1, 0},
    {"list items are tokens, nested", "/oneof(/not(A,B),C)", "/oneof(/not(A,B),C)", 1, 0, 0},
    {"/all may be listed", "/not(/all)", "/not(/all)", 1, 0, 0},
    {"order and repeats are kept", "B,A,B", "B,A,B", 3, 0, 0},
    {"identifiers are ASCII words", "_a9,Z_", "_a9,Z_", 2, 0, 0},
};
static const good COMPAT[] = {
    {"empty tokens are dropped", "A,,B,", "A,B", 2, 0, 0},
    {"the empty route is an object", "", "", 0, 0, 0},
    {"separators alone are the empty route", " , , ", "", 0, 0, 0},
    {"a source of separators is empty", ", --> B", "--[]-->B", 0, 0, 1},
    {"a target of separators leaves an object", "A --> ,", "A", 1, 0, 0},
    {"a label of separators is empty", "A --[ , ]--> B", "A--[]-->B", 1, 0, 1},
    {"list items are raw text", "/not( x y , $ )", "/not(x y,$)", 1, 0, 0},
    {"empty lists are legal", "/oneof()", "/oneof()", 1, 0, 0},
    {"a form in a list is a literal", "/oneof(/all,B)", "/oneof(/all,B)", 1, 0, 0},
    {"newlines around the arrow are trimmed", "A\n-->\nB", "A--[]-->B", 1, 0, 1},
    {"names go on with Unicode letters and digits", "a\xc3\xa9\xd9\xa1", "a\xc3\xa9\xd9\xa1", 1, 0, 0},
    {"Unicode white space is trimmed", "\xc2\xa0" "A\xe3\x80\x80", "A", 1, 0, 0},
};

typedef struct bad {
    const char *name, *text;
    size_t offset;
} bad;
static const bad PROFILE_BAD[] = {
    {"MUST 3.2: an empty token is rejected where it should be", "A,,B", 2},
    {"MUST 3.2: also at the start", ",A", 0},
    {"MUST 3.2: also at the end", "A,", 2},
    {"MUST 3.2: also in a label", "A--[,]-->B", 4},
    {"MUST 3.2: also in a list", "/oneof(A,)", 9},
    {"a route with no part is rejected", "", 0},
    {"a route of white space is rejected", "  ", 2},
    {"an arrow with no part is rejected", "--[]-->", 7},
    {"a bare arrow with no part is rejected", "-->", 3},
    {"an empty list is rejected", "/oneof()", 7},
    {"an empty /not is rejected", "/not( )", 6},
    {"white space inside a name is refused", "A B", 1},
    {"white space inside a form's name is refused", "/o neof(A)", 2},
    {"an unknown form points at its slash", "A,/any", 2},
    {"forms are case sensitive", "/ALL", 0},
    {"/all takes no list", "/all()", 4},
    {"/not needs a list", "/not A", 4},
    {"identifiers do not start with a digit", "1A", 0},
    {"identifiers are ASCII", "A\xc3\xa9", 1},
    {"a dash too many", "A--->B", 3},
    {"a dash too few", "A->B", 2},
    {"a label that is not closed", "A--[f-->B", 5},
    {"a second arrow", "A-->B-->C", 5},
    {"a second label", "A--[f]--[g]-->B", 8},
    {"a list that is not closed", "/oneof(A", 8},
    {"text after the route", "A;", 1},
    {"a control character", "A\x01", 1},
};
static const bad COMPAT_BAD[] = {
    {"inner white space", "A B", 1},
    {"an arrow of nothing", "-->", 0},
    {"a labelled arrow of nothing", "--[f]-->", 0},
    {"a glyph with white space", "A - -> B", 1},
    {"two arrows", "A --> B --> C", 7},
    {"a newline inside a segment", "A\nB --> C", 1},
    {"an unknown form", "/foo", 0},
    {"a form with a list it does not take", "/all()", 0},
    {"invalid UTF-8", "A\xff", 1},
};
/* clang-format on */

static void parses(ag_mode mode, const good *g)
{
    mt_arena a = {0};
    ag_route r, again;
    assert_int_equal(ag_route_parse(&a, mode, NULL, mt_str_z(g->text), &r, NULL),
                     MT_OK);
    assert_string_equal(r.canonical.ptr, g->canonical);
    assert_int_equal(r.count[AG_SOURCE], g->sources);
    assert_int_equal(r.count[AG_LABEL], g->labels);
    assert_int_equal(r.count[AG_TARGET], g->targets);
    assert_int_equal(ag_route_parse(&a, mode, NULL, r.canonical, &again, NULL), MT_OK);
    assert_string_equal(again.canonical.ptr, g->canonical);
    mt_arena_free(&a);
}

static void parses_profile(void **state)
{
    parses(AG_PROFILE, *state);
}

static void parses_compat(void **state)
{
    parses(AG_COMPAT, *state);
}

static void rejects(ag_mode mode, const bad *b)
{
    mt_arena a = {0};
    ag_route r;
    ag_fault fault = {.offset = 99};
    assert_int_equal(ag_route_parse(&a, mode, NULL, mt_str_z(b->text), &r, &fault),
                     MT_E_SYNTAX);
    assert_int_equal(fault.offset, b->offset);
    assert_non_null(fault.message);
    mt_arena_free(&a);
}

static void rejects_profile(void **state)
{
    rejects(AG_PROFILE, *state);
}

static void rejects_compat(void **state)
{
    rejects(AG_COMPAT, *state);
}

static void limits_are_kept(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf text = {0};
    ag_route r;
    ag_fault fault;
    for (int i = 0; i < 40; i++) {
        mt_buf_addz(&text, "/not(");
    }
    mt_buf_addz(&text, "A");
    for (int i = 0; i < 40; i++) {
        mt_buf_addz(&text, ")");
    }
    assert_int_equal(
        ag_route_parse(&a, AG_PROFILE, NULL, mt_buf_str(&text), &r, &fault),
        MT_E_LIMIT);
    mt_buf_clear(&text);
    for (int i = 0; i < 40000; i++) {
        mt_buf_addz(&text, "A,");
    }
    mt_buf_addz(&text, "A");
    assert_int_equal(
        ag_route_parse(&a, AG_PROFILE, NULL, mt_buf_str(&text), &r, &fault),
        MT_E_LIMIT);
    assert_int_equal(ag_route_parse(&a, AG_COMPAT, NULL, mt_buf_str(&text), &r, &fault),
                     MT_E_LIMIT);
    mt_buf_free(&text);
    mt_arena_free(&a);
}

/* ---- parse after print is the identity ---- */

static void add_space(mt_buf *out)
{
    static const char *const SPACES[] = {"", "", "", " ", "\t", "\n ", "\r\n"};
    mt_buf_addz(out, SPACES[random_below(7)]);
}

/* The same route twice: as written, with white space, and canonical. */
static void add_both(mt_buf *written, mt_buf *canonical, const char *symbol)
{
    add_space(written);
    mt_buf_addz(written, symbol);
    mt_buf_addz(canonical, symbol);
}

static void random_list(mt_buf *w, mt_buf *c, int depth);

static void random_token(mt_buf *w, mt_buf *c, int depth)
{
    char name[12];
    uint32_t form = random_below(depth < 3 ? 6 : 4);
    size_t len = 1 + random_below(8);
    for (size_t i = 0; i < len; i++) {
        name[i] = "abcdefXYZ_0123456789"[random_below(i ? 20 : 10)];
    }
    name[len] = 0;
    if (form == 3) {
        add_both(w, c, "/");
        add_both(w, c, "all");
    } else if (form > 3) {
        add_both(w, c, "/");
        add_both(w, c, form == 4 ? "oneof" : "not");
        add_both(w, c, "(");
        random_list(w, c, depth + 1);
        add_both(w, c, ")");
    } else {
        add_both(w, c, name);
    }
}

static void random_list(mt_buf *w, mt_buf *c, int depth)
{
    uint32_t count = 1 + random_below(3);
    for (uint32_t i = 0; i < count; i++) {
        if (i) {
            add_both(w, c, ",");
        }
        random_token(w, c, depth);
    }
}

static void random_route(mt_buf *w, mt_buf *c)
{
    uint32_t parts = 1 + random_below(7); /* bits: source, label, target */
    if (parts & 1) {
        random_list(w, c, 0);
    }
    if (parts == 1) {
        return;
    }
    bool bare = !(parts & 2) && random_below(2);
    add_both(w, c, "-");
    add_both(w, c, "-");
    if (bare) {
        mt_buf_addz(c, "[]--");
    } else {
        add_both(w, c, "[");
        if (parts & 2) {
            random_list(w, c, 0);
        }
        add_both(w, c, "]");
        add_both(w, c, "-");
        add_both(w, c, "-");
    }
    add_both(w, c, ">");
    if (parts & 4) {
        random_list(w, c, 0);
    }
    add_space(w);
}

static void round_trips_100000_random_routes(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf written = {0}, canonical = {0};
    random_start();
    for (int i = 0; i < 100000; i++) {
        ag_route r, again;
        mt_buf_clear(&written);
        mt_buf_clear(&canonical);
        random_route(&written, &canonical);
        mt_arena_reset(&a);
        mt_str text = mt_buf_str(&written), want = mt_buf_str(&canonical);
        assert_int_equal(ag_route_parse(&a, AG_PROFILE, NULL, text, &r, NULL), MT_OK);
        assert_int_equal(r.canonical.len, want.len);
        assert_memory_equal(r.canonical.ptr, want.ptr, want.len);
        assert_int_equal(ag_route_parse(&a, AG_PROFILE, NULL, want, &again, NULL),
                         MT_OK);
        assert_true(mt_str_eq(again.canonical, want));
        assert_memory_equal(again.count, r.count, sizeof r.count);
    }
    mt_buf_free(&written);
    mt_buf_free(&canonical);
    mt_arena_free(&a);
}

/* A raw list item may hold an arrow; then the text can mean two things. A source of
 * separators alone leaves `--[f]-->`, which compat does not read. */
static bool ambiguous(const ag_route *r)
{
    if (ag_route_is_initial(r) && !r->count[AG_TARGET]) {
        return true;
    }
    for (uint32_t i = 0; i < ag_route_nodes(r); i++) {
        if (mt_str_find(r->nodes[i].text, '-') < r->nodes[i].text.len) {
            return true;
        }
    }
    return false;
}

/* Compat reads its own canonical texts back, whatever characters it was given. */
static void compat_round_trips_what_it_accepts(void **state)
{
    (void)state;
    static const char *const PIECES[] = {"A", "b1", "/all", "/not(", "/oneof(",
                                         ")", ",",  "--[",  "]-->",  "-->",
                                         " ", "\n", "x"};
    mt_arena a = {0};
    mt_buf text = {0};
    random_start();
    int accepted = 0;
    for (int i = 0; i < 100000; i++) {
        ag_route r, again;
        mt_buf_clear(&text);
        for (uint32_t k = random_below(9); k; k--) {
            mt_buf_addz(&text, PIECES[random_below(13)]);
        }
        mt_arena_reset(&a);
        if (!ag_route_parse(&a, AG_COMPAT, NULL, mt_buf_str(&text), &r, NULL) &&
            !ambiguous(&r)) {
            accepted++;
            assert_int_equal(
                ag_route_parse(&a, AG_COMPAT, NULL, r.canonical, &again, NULL), MT_OK);
            assert_true(mt_str_eq(r.canonical, again.canonical));
        }
    }
    assert_true(accepted > 1000);
    mt_buf_free(&text);
    mt_arena_free(&a);
}

static void other_styles_keep_their_spelling_in_compat(void **state)
{
    (void)state;
    mt_arena a = {0};
    ag_style styles[2] = {AG_STYLE};
    const char *why;
    assert_int_equal(ag_style_make(&a, MT_STR("~"), MT_STR("<"), MT_STR("|"),
                                   MT_STR(";"), MT_STR("}"), &styles[1], &why),
                     MT_OK);
    ag_styles both = {styles, 2};
    ag_route r;
    assert_int_equal(
        ag_route_parse(&a, AG_COMPAT, &both, MT_STR("A;B ~~< f |~~} C"), &r, NULL),
        MT_OK);
    assert_string_equal(r.canonical.ptr, "A;B~~<f|~~}C");
    assert_ptr_equal(r.style, &styles[1]);
    assert_int_equal(ag_style_make(&a, MT_STR("--"), MT_STR("["), MT_STR("]"),
                                   MT_STR(","), MT_STR(">"), &styles[1], &why),
                     MT_E_REJECTED);
    mt_arena_free(&a);
}

#define ROWS(table, test)                                                              \
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {                        \
        tests[count++] =                                                               \
            (struct CMUnitTest){table[i].name, test, NULL, NULL, unconst(&table[i])};  \
    }

static void *unconst(const void *p)
{
    union {
        const void *in;
        void *out;
    } u = {p};
    return u.out;
}

int main(void)
{
    static struct CMUnitTest tests[128];
    size_t count = 0;
    ROWS(PROFILE, parses_profile)
    ROWS(COMPAT, parses_compat)
    ROWS(PROFILE_BAD, rejects_profile)
    ROWS(COMPAT_BAD, rejects_compat)
    const struct CMUnitTest rest[] = {
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(round_trips_100000_random_routes),
        cmocka_unit_test(compat_round_trips_what_it_accepts),
        cmocka_unit_test(other_styles_keep_their_spelling_in_compat),
    };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        tests[count++] = rest[i];
    }
    return _cmocka_run_group_tests("route", tests, count, NULL, NULL);
}
