/* Every check of the language in one process: tests/language/checks, as
 * tests/e2e/test_language.py tells. accepted.tenor elaborates; refused.tenor is refused
 * with the error, the code and the hint of refused.json. All that is said of both, with
 * places, advice and repairs, is in tests/language/said.txt; MOTET_UPDATE_GOLDEN=1
 * writes it anew. */
#include <dirent.h>
#include <sys/stat.h>

#include "../rows.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "elaborate_fixture.h"

enum { MOST_FILES = 16, MOST_CASES = 1000 };

typedef struct folder {
    mt_memory_file files[MOST_FILES];
    size_t count;
} folder;

static mt_arena arena;
static const char *names[MOST_CASES];
static mt_buf told;

static mt_str text_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = mt_alloc(&arena, 1 << 16);
    size_t len = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    text[len] = '\0';
    return mt_str_from(text, len);
}

/* The sources below a directory, by their paths from there. */
static void gather(folder *out, mt_str dir, mt_str prefix)
{
    DIR *d = opendir(dir.ptr);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        mt_str path = mt_strf(&arena, "%s/%s", dir.ptr, e->d_name);
        mt_str name = mt_strf(&arena, "%.*s%s", MT_ARG(prefix), e->d_name);
        struct stat st;
        assert_int_equal(stat(path.ptr, &st), 0);
        if (e->d_name[0] == '.') {
            continue;
        }
        if (S_ISDIR(st.st_mode)) {
            gather(out, path, mt_strf(&arena, "%s/", name.ptr));
        } else {
            assert_true(out->count < MOST_FILES);
            out->files[out->count++] = (mt_memory_file){name, text_of(path.ptr)};
        }
    }
    closedir(d);
}

static elaborated elaborate_named(const folder *f, const char *root)
{
    folder first = *f;
    for (size_t i = 0; i < first.count; i++) {
        if (mt_str_eq(first.files[i].path, mt_str_z(root))) {
            mt_memory_file swap = first.files[0];
            first.files[0] = first.files[i];
            first.files[i] = swap;
        }
    }
    assert_true(mt_str_eq(first.files[0].path, mt_str_z(root)));
    return elaborate_files(first.files, first.count, false);
}

static mt_str canonical(mt_str json)
{
    mt_json tree;
    mt_buf out = {0};
    assert_int_equal(mt_json_read(&arena, json, NULL, &tree, NULL), MT_OK);
    mt_json_write(&out, &tree, false);
    mt_str kept = mt_str_dup(&arena, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

static void assert_refused(const elaborated *r, mt_str expected)
{
    mt_json want;
    assert_int_equal(mt_json_read(&arena, expected, NULL, &want, NULL), MT_OK);
    const mt_diag *d = ct_first_error(&r->ds);
    assert_non_null(d);
    const mt_json *error = mt_json_at(&want, "error"),
                  *code = mt_json_at(&want, "code"), *hint = mt_json_at(&want, "hint");
    if (error) {
        mt_buf text = {0};
        mt_json_write(&text, error, false);
        assert_text(canonical(ct_error_json(&arena, d, false)), mt_buf_str(&text));
        mt_buf_free(&text);
    }
    if (code) {
        assert_text(mt_str_z(d->code), mt_json_text(code));
    }
    if (hint) {
        mt_str said = mt_strf(&arena, "%.*s", MT_ARG(d->hint));
        mt_str part = mt_strf(&arena, "%.*s", MT_ARG(mt_json_text(hint)));
        assert_non_null(strstr(said.ptr, part.ptr));
    }
}

static void tell_place(uint32_t line, uint32_t column, uint32_t end_line,
                       uint32_t end_column)
{
    mt_buf_addf(&told, "%u:%u-%u:%u", line, column, end_line, end_column);
}

static void tell_fix(const mt_fix *fix)
{
    mt_buf_addf(&told, "    %s ", fix->sure ? "write" : "perhaps");
    tell_place(fix->edit.line, fix->edit.column, fix->edit.end_line,
               fix->edit.end_column);
    mt_buf_addf(&told, " \"%.*s\"\n", MT_ARG(fix->edit.text));
}

static void tell(const char *file, const elaborated *r)
{
    mt_buf_addf(&told, "%s: %zu errors, %zu warnings\n", file, r->ds.errors,
                r->ds.warnings);
    for (size_t i = 0; i < r->ds.len; i++) {
        const mt_diag *d = &r->ds.items[i];
        mt_buf_addf(&told, "  %s %s %.*s:", mt_severity_name(d->severity), d->code,
                    MT_ARG(d->file));
        tell_place(d->line, d->column, d->end_line, d->end_column);
        mt_buf_addf(&told, " +%u %.*s %.*s.%.*s\n    %.*s\n", d->length,
                    MT_ARG(d->construct_kind), MT_ARG(d->construct_id),
                    MT_ARG(d->field), MT_ARG(d->message));
        if (d->hint.len) {
            mt_buf_addf(&told, "    hint: %.*s\n", MT_ARG(d->hint));
        }
        if (d->fix) {
            tell_fix(d->fix);
        }
    }
}

static void all_is_told_as_before(void **state)
{
    (void)state;
    FILE *f = fopen(LANGUAGE "/said.txt", getenv("MOTET_UPDATE_GOLDEN") ? "w+" : "r");
    assert_non_null(f);
    if (getenv("MOTET_UPDATE_GOLDEN")) {
        fwrite(told.ptr, 1, told.len, f);
        rewind(f);
    }
    mt_str rest = mt_buf_str(&told);
    char line[4096];
    for (unsigned number = 1; fgets(line, sizeof line, f); number++) {
        mt_str want = mt_str_z(line);
        if (!mt_str_starts(rest, want)) {
            fail_msg("said.txt:%u: %snow %.200s", number, line, rest.ptr);
        }
        rest = mt_str_skip(rest, want.len);
    }
    fclose(f);
    assert_int_equal(rest.len, 0);
}

static void holds_or_is_refused(void **state)
{
    folder f = {0};
    mt_buf_addf(&told, "\n%s\n", (const char *)*state);
    mt_str dir = mt_strf(&arena, LANGUAGE "/checks/%s", (const char *)*state);
    gather(&f, dir, MT_STR(""));
    elaborated r = elaborate_named(&f, "accepted.tenor");
    if (r.err) {
        fail_msg("%.*s", MT_ARG(ct_first_error(&r.ds)->message));
    }
    tell("accepted", &r);
    done(&r);
    r = elaborate_named(&f, "refused.tenor");
    assert_int_equal(r.err, MT_E_REJECTED);
    assert_refused(&r, text_of(mt_strf(&arena, "%s/refused.json", dir.ptr).ptr));
    tell("refused", &r);
    done(&r);
    mt_arena_reset(&arena);
}

/* In memory there is nothing outside. */
static bool leaves_its_directory(const char *name)
{
    return strstr(name, "import_escapes") != NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int main(void)
{
    static struct CMUnitTest tests[MOST_CASES];
    size_t count = 0;
    DIR *d = opendir(LANGUAGE "/checks");
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] != '.' && !leaves_its_directory(e->d_name) &&
            count + 1 < MOST_CASES) {
            names[count++] = strdup(e->d_name);
        }
    }
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        tests[i] = (struct CMUnitTest){names[i], holds_or_is_refused, NULL, NULL,
                                       (void *)(uintptr_t)names[i]};
    }
    tests[count] = (struct CMUnitTest)cmocka_unit_test(all_is_told_as_before);
    int failed = count < 300 ? 1
                             : _cmocka_run_group_tests("contract/language", tests,
                                                       count + 1, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        free((void *)(uintptr_t)names[i]);
    }
    if (d) {
        closedir(d);
    }
    mt_buf_free(&told);
    mt_arena_free(&arena);
    return failed;
}
