/* fuzz/fuzz_elaborate.c - any text through all passes.
 * The input is one file or several, separated by lines that are `//// NAME`; the first
 * is the root. Properties: a bundle goes through the gate that bundles from outside go
 * through, laying it out keeps its meaning, elaborating again gives the same bytes, a
 * refusal has at least one error, places and edits lie in their texts. */
#include "base/utf8.h"
#include "contract/front/index.h"
#include "contract/wire/admit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 8 };

static size_t split(mt_arena *a, mt_str text, mt_memory_file *files)
{
    size_t count = 0, start = 0;
    mt_str name = MT_STR("root.tenor");
    for (size_t i = 0; i <= text.len && count < MAX_FILES; i++) {
        mt_str rest = mt_str_skip(text, i);
        bool mark = mt_str_starts(rest, MT_STR("\n//// "));
        if (!mark && i < text.len) {
            continue;
        }
        /* Exactly the bytes, so that a read past them is seen. */
        char *copy = mt_alloc(a, i - start + 16);
        memcpy(copy, text.ptr + start, i - start);
        files[count++] = (mt_memory_file){name, mt_str_from(copy, i - start)};
        if (mark) {
            rest = mt_str_skip(rest, 6);
            name = mt_str_from(rest.ptr, mt_str_find(rest, '\n'));
            start = i = i + 6 + name.len;
        }
    }
    return count;
}

static mt_str text_of(const ct_elaboration *e, mt_str path)
{
    for (size_t i = 0; i < e->source_count; i++) {
        if (mt_str_eq(e->sources[i].path, path)) {
            return e->sources[i].text;
        }
    }
    mt_str text = {0};
    for (size_t i = 0; !text.ptr && i < e->member_count; i++) {
        text = e->members[i].contract ? text_of(e->members[i].contract, path) : text;
    }
    return text;
}

/* What is said lies in a text, its words are UTF-8, and so is what an edit leaves. */
static void check_diagnostics(const ct_elaboration *e, const mt_diags *ds)
{
    for (size_t i = 0; i < ds->len; i++) {
        const mt_diag *d = &ds->items[i];
        MT_ASSERT(mt_utf8_check(d->message) == d->message.len);
        MT_ASSERT(mt_utf8_check(d->hint) == d->hint.len);
        MT_ASSERT(!d->end_line || d->end_line > d->line ||
                  (d->end_line == d->line && d->end_column >= d->column));
        if (d->fix) {
            mt_str text = text_of(e, d->fix->edit.file);
            size_t end = d->fix->edit.offset + d->fix->edit.length;
            MT_ASSERT(!text.ptr || end <= text.len);
            MT_ASSERT(mt_utf8_check(d->fix->edit.text) == d->fix->edit.text.len);
        }
    }
}

/* Every mention lies in its text and leads to a place in one. */
static void check_index(mt_arena *a, const ct_elaboration *e)
{
    const fr_mention *all;
    size_t count = fr_index(a, e, &all);
    for (size_t i = 0; i < count; i++) {
        mt_str from = text_of(e, all[i].at.file),
               to = text_of(e, all[i].definition.file);
        MT_ASSERT(from.ptr && all[i].at.offset + all[i].at.length <= from.len);
        MT_ASSERT(to.ptr &&
                  all[i].definition.offset + all[i].definition.length <= to.len);
    }
}

static mt_str run(mt_arena *a, const mt_memory *memory, bool strict)
{
    mt_provider files = mt_memory_provider(memory);
    mt_diags ds = {.arena = a};
    ct_options options = {.strict = strict};
    const ct_elaboration *e;
    mt_err err = ct_elaborate(a, MT_STR("root.tenor"), &files, &options, &ds, &e);
    MT_ASSERT((err == MT_OK) == (ct_first_error(&ds) == NULL));
    MT_ASSERT((err == MT_OK) == (e->bundle.len > 0));
    check_diagnostics(e, &ds);
    check_index(a, e);
    if (err == MT_OK) {
        mt_diags gate = {.arena = a};
        ct_admitted admitted;
        MT_ASSERT(ct_admit_source(a, e, NULL, &gate, &admitted) == MT_OK);
    } else {
        mt_json json;
        mt_str text = ct_error_json(a, ct_first_error(&ds), false);
        MT_ASSERT(mt_json_read(a, text, NULL, &json, NULL) == MT_OK);
        const mt_edit *edits;
        if (e->source_count) {
            ct_fix_strata(a, e, &edits);
        }
    }
    return e->bundle;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_memory_file files[MAX_FILES];
    mt_memory memory = {files, split(&a, mt_str_from((const char *)data, size), files)};
    mt_str bundle = run(&a, &memory, false);
    if (bundle.len) {
        mt_json compact, pretty;
        mt_json_limits deep = {.depth = MT_LIMITS_DEFAULT.bundle_depth};
        MT_ASSERT(mt_json_read(&a, bundle, &deep, &compact, NULL) == MT_OK);
        mt_str laid_out = ct_json_pretty(&a, bundle);
        MT_ASSERT(mt_json_read(&a, laid_out, &deep, &pretty, NULL) == MT_OK);
        MT_ASSERT(mt_json_equal(&compact, &pretty));
        MT_ASSERT(mt_str_eq(run(&a, &memory, false), bundle));
    }
    mt_str strict = run(&a, &memory, true);
    MT_ASSERT(!strict.len || mt_str_eq(strict, bundle));
    mt_arena_free(&a);
    return 0;
}
