/* answer/lint.c - reads levels of warnings.
 *
 *     lint:
 *       allow: [T703]
 *       deny: [T702]
 *
 * A server's configuration may be the same file, so other keys are nobody's business
 * here. A code nobody knows is a warning with the nearest one, and so is anything else
 * that cannot be understood: a level never makes anybody fail by itself. */
#include "answer/lint.h"

#include "base/form.h"
#include "base/yaml_read.h"

enum { MOST_CODES = 1000 };

/* SPARSE: nobody writes that a level is the usual one. */
const char *const AW_LINT_VERBS[AW_LINT_VERB_COUNT] = {
    [CT_LINT_ALLOW] = "allow", [CT_LINT_WARN] = "warn", [CT_LINT_DENY] = "deny"};

void aw_lint_warn(aw_lint *r, size_t offset, mt_str message, mt_str hint)
{
    mt_diag d = {.severity = MT_WARNING,
                 .code = CT_CODE_LINT,
                 .pass = -1,
                 .file = r->file,
                 .message = message,
                 .hint = hint};
    if (r->text.len) {
        mt_json_place(r->text, offset, &d.line, &d.column);
    }
    mt_diag_add(r->ds, &d);
}

static void add(aw_lint *r, mt_str code, ct_lint_level level, size_t offset,
                const char *where)
{
    mt_str hint, fault = ct_lint_fault(r->a, code, &hint);
    if (fault.len) {
        aw_lint_warn(r, offset, mt_strf(r->a, "%s: %.*s", where, MT_ARG(fault)), hint);
        return;
    }
    mt_vec_push(r->a, &r->rules, ((ct_lint_rule){code, level}));
}

/* ---- motet.yaml ---- */

typedef struct levels {
    const mt_json *codes[CT_LINT_DENY + 1]; /* lists of text, or NULL */
} levels;

static const mt_form_row LEVELS[] = {
    MT_FORM_TEXTS(levels, codes[CT_LINT_ALLOW], "allow", 0, MOST_CODES, 0),
    MT_FORM_TEXTS(levels, codes[CT_LINT_WARN], "warn", 0, MOST_CODES, 0),
    MT_FORM_TEXTS(levels, codes[CT_LINT_DENY], "deny", 0, MOST_CODES, 0),
};
static const mt_form_table LINT =
    MT_FORM_TABLE("the levels of warnings", LEVELS, levels, NULL);
static const mt_form_row ROWS[] = {
    MT_FORM_PART("lint", &LINT, MT_FORM_NULLABLE),
};
const mt_form_table AW_PROJECT_FORM = MT_FORM_TABLE("a project", ROWS, levels, NULL);

static void say_fault(void *state, const mt_form_fault *fault)
{
    aw_lint *r = state;
    bool ours =
        mt_str_is(fault->path, "lint") || mt_str_starts(fault->path, MT_STR("lint."));
    if (ours) {
        mt_diag d = mt_form_diag(fault, CT_CODE_LINT, r->file, r->text);
        d.severity = MT_WARNING;
        d.pass = -1;
        mt_diag_add(r->ds, &d);
    }
}

static void read_tree(aw_lint *r, const mt_json *tree)
{
    levels found = {0};
    mt_form form = {.arena = r->a,
                    .what = "a project",
                    .report = say_fault,
                    .state = r,
                    .unknown = MT_FORM_REFUSED};
    if (!mt_json_is(tree, MT_JSON_OBJECT)) {
        return;
    }
    (void)mt_form_read(&form, tree, ROWS, mt_form_count(ROWS), &found);
    for (int level = CT_LINT_ALLOW; level <= CT_LINT_DENY; level++) {
        const mt_json *codes = found.codes[level];
        for (uint32_t i = 0; codes && i < codes->count; i++) {
            const mt_json *code = &codes->as.items[i];
            mt_str where = mt_strf(r->a, "lint.%s", AW_LINT_VERBS[level]);
            add(r, mt_json_text(code), (ct_lint_level)level, code->offset, where.ptr);
        }
    }
}

void aw_lint_config(aw_lint *r, mt_str path, mt_str text)
{
    mt_json tree;
    mt_json_error error = {0};
    r->file = path;
    r->text = text;
    if (mt_yaml_read(r->a, text, NULL, &tree, &error) == MT_OK) {
        read_tree(r, &tree);
    } else {
        aw_lint_warn(r, error.offset,
                     mt_strf(r->a, AW_LINT_FILE " cannot be read: %s",
                             error.message ? error.message : "it is not YAML"),
                     MT_STR("levels of warnings are taken from it"));
    }
    r->text = (mt_str){0};
}

void aw_lint_codes(aw_lint *r, ct_lint_level level, const char *where, mt_str codes)
{
    while (codes.len) {
        size_t len = mt_str_find(codes, ',');
        mt_str code = mt_str_trim(mt_str_from(codes.ptr, len), MT_STR(" "));
        if (code.len) {
            add(r, code, level, 0, where);
        }
        codes = mt_str_skip(codes, len + 1);
    }
}
