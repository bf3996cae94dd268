/* Layout changes nothing but white space: random programs of every construct and
 * nesting, laid out with noise, give the same characters, the same faults and the same
 * bundle before and after, and formatting twice is formatting once.
 * 10,000 programs, 2,000 under sanitizers; MOTET_SOAK=1 runs 100,000. MOTET_SEED
 * chooses others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../many.h"
#include "contract/front/format.h"
#include "random_source.h"

static struct {
    uint64_t formatted, elaborated, refused;
} seen;

/* What the formatted programs have to contain, each more than once. */
static struct {
    const char *text;
    uint64_t count;
} SEEN[] = {
    {"import", 0},
    {"type T", 0},
    {"persona", 0},
    {"source src", 0},
    {"fact", 0},
    {"entity", 0},
    {"rule", 0},
    {"operation", 0},
    {"flow", 0},
    {"system", 0},
    {"triggers:", 0},
    {"shared_entities:", 0},
    {"forall", 0},
    {"∀", 0},
    {"exists", 0},
    {"∃", 0},
    {" in ", 0},
    {" ∈ ", 0},
    {" . forall ", 0},
    {" . exists ", 0},
    {" . ∀ ", 0},
    {" . not ", 0},
    {" . ¬", 0},
    {" . (", 0},
    {"∧", 0},
    {"∨", 0},
    {"¬", 0},
    {"≤", 0},
    {"≥", 0},
    {"≠", 0},
    {"×", 0},
    {" in [", 0},
    {"len(", 0},
    {".tag", 0},
    {"[0].", 0},
    {" present", 0},
    {"verdict_present(", 0},
    {"Money {", 0},
    {"Duration {", 0},
    {"Decimal(", 0},
    {"TaggedUnion", 0},
    {"Record", 0},
    {"List(", 0},
    {"Enum(", 0},
    {" -> ", 0},
    {" → ", 0},
    {"personas:", 0},
    {"require:", 0},
    {"OperationStep", 0},
    {"BranchStep", 0},
    {"HandoffStep", 0},
    {"SubFlowStep", 0},
    {"ParallelStep", 0},
    {"JoinPolicy", 0},
    {"Compensate(", 0},
    {"Escalate(", 0},
    {"Terminate(", 0},
    {"verdict v", 0},
    {"default:", 0},
    {"//", 0},
    {"/*", 0},
    {"call(", 0},
};

static void look_at(mt_str text)
{
    for (size_t i = 0; i < sizeof SEEN / sizeof *SEEN; i++) {
        SEEN[i].count +=
            memmem(text.ptr, text.len, SEEN[i].text, strlen(SEEN[i].text)) != NULL;
    }
}

static void show(uint64_t seed, const char *what, mt_str before, mt_str after)
{
    fprintf(stderr, "seed %llu: %s\n--- before\n%.*s\n--- after\n%.*s\n",
            (unsigned long long)seed, what, MT_ARG(before), MT_ARG(after));
    fail();
}

/* ---- Characters ---- */

/* The length of the white space at p, 0 if there is none. */
static size_t space_at(const char *p, const char *end)
{
    static const char *const WIDE[] = {"\u3000", "\u00a0"};
    if (strchr(" \t\r\n\v\f", *p) && *p) {
        return 1;
    }
    for (size_t i = 0; i < sizeof WIDE / sizeof *WIDE; i++) {
        size_t len = strlen(WIDE[i]);
        if ((size_t)(end - p) >= len && memcmp(p, WIDE[i], len) == 0) {
            return len;
        }
    }
    return 0;
}

static mt_str without_space(mt_arena *a, mt_str text)
{
    char *out = mt_alloc(a, text.len + 1);
    size_t len = 0;
    const char *end = text.ptr + text.len;
    for (const char *p = text.ptr; p < end;) {
        size_t space = space_at(p, end);
        if (!space) {
            out[len++] = *p;
        }
        p += space ? space : 1;
    }
    return mt_str_from(out, len);
}

/* ---- Meaning ---- */

/* The bundle with every line number made 0; the codes of the faults if there is none.
 */
static mt_str meaning(mt_arena *a, random_program p, mt_str text, bool *holds)
{
    p.files[0].text = text;
    mt_memory memory = {p.files, p.count};
    mt_provider files = mt_memory_provider(&memory);
    mt_diags ds = {.arena = a};
    const ct_elaboration *e = NULL;
    mt_buf out = {0};
    *holds = ct_elaborate(a, p.files[0].path, &files, NULL, &ds, &e) == MT_OK;
    for (size_t i = 0; i < ds.len; i++) {
        mt_buf_addf(&out, "%s ", ds.items[i].code);
    }
    for (size_t i = 0; i < e->bundle.len; i++) {
        mt_buf_addc(&out, e->bundle.ptr[i]);
        bool line = i >= 7 && memcmp(e->bundle.ptr + i - 6, "\"line\":", 7) == 0;
        while (line && strchr("0123456789", e->bundle.ptr[i + 1])) {
            i++;
        }
    }
    mt_str kept = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

static mt_err format(mt_arena *a, random_program p, mt_str text, mt_str *out,
                     const char **code)
{
    mt_memory memory = {p.files, p.count};
    mt_provider files = mt_memory_provider(&memory);
    mt_diags ds = {.arena = a};
    mt_err err = fr_format(a, p.files[0].path, text, &files, NULL, &ds, out);
    *code = ds.len ? mt_strf(a, "%s %.*s, line %u", ds.items[0].code,
                             MT_ARG(ds.items[0].message), ds.items[0].line)
                         .ptr
                   : "";
    return err;
}

static void check(uint64_t seed, random_source_kind kind)
{
    mt_arena a = {0};
    random_program p = random_source(&a, seed, kind);
    mt_str text = p.files[0].text, once = {0}, twice = {0};
    const char *code;
    bool held, holds;
    if (format(&a, p, text, &once, &code) != MT_OK) {
        seen.refused++;
        bool deep = strstr(code, "T018 nested deeper than") == code;
        if (strstr(code, FR_CODE_LAYOUT) == code || (kind == RANDOM_PLAIN && !deep)) {
            show(seed, code, text, MT_STR("refused"));
        }
        mt_arena_free(&a);
        return;
    }
    mt_str before = meaning(&a, p, text, &held), after = meaning(&a, p, once, &holds);
    if (!mt_str_eq(before, after)) {
        show(seed, "another program", text, once);
    }
    if (!mt_str_eq(without_space(&a, text), without_space(&a, once))) {
        show(seed, "more than white space moved", text, once);
    }
    if (format(&a, p, once, &twice, &code) != MT_OK || !mt_str_eq(once, twice)) {
        show(seed, "twice is not once", once, twice);
    }
    look_at(once);
    seen.formatted++;
    seen.elaborated += held;
    mt_arena_free(&a);
}

static void FL1_layout_keeps_the_program(void **state)
{
    (void)state;
    uint64_t seed = many_from(20260301);
    uint64_t programs = many_of(100000);
    for (uint64_t i = 0; i < programs; i++) {
        check(seed + i, i % 4 ? RANDOM_PLAIN : RANDOM_EDGY);
    }
    print_message("seed %llu: %llu formatted, %llu of them elaborate, %llu refused\n",
                  (unsigned long long)seed, (unsigned long long)seen.formatted,
                  (unsigned long long)seen.elaborated,
                  (unsigned long long)seen.refused);
    /* The cases must be worth something. */
    assert_true(seen.formatted * 10 > programs * 8);
    assert_true(seen.elaborated * 2 > programs);
    for (size_t i = 0; i < sizeof SEEN / sizeof *SEEN; i++) {
        if (SEEN[i].count < 2) {
            fail_msg("no program with %s", SEEN[i].text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(FL1_layout_keeps_the_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
