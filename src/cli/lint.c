/* cli/lint.c - reads levels of warnings from motet.yaml and the options.
 *
 *     lint:
 *       allow: [T703]
 *       deny: [T702]
 *
 * The file is the one beside the contract; a server's configuration may be the same
 * file, so other keys are nobody's business here. The options come after it and win.
 * A code nobody knows is a warning with the nearest one, and so is anything else that
 * cannot be understood: a level never makes a command fail by itself. */
#include "cli/lint.h"

#include <errno.h>

#include "base/form.h"
#include "base/vec.h"
#include "base/yaml_read.h"
#include "os/file.h"

static const char CONFIG[] = "motet.yaml";
enum { MOST_BYTES = 1 << 20, MOST_CODES = 1000 };

static const char *const VERBS[] = {
    [CT_LINT_ALLOW] = "allow", [CT_LINT_WARN] = "warn", [CT_LINT_DENY] = "deny"};
MT_TABLE_COVERS(VERBS, CT_LINT_DENY + 1);

typedef struct reader {
    mt_arena *a;
    mt_diags *ds;
    mt_str file, text; /* what is read: motet.yaml, or the contract for options */
    MT_VEC(ct_lint_rule) rules;
} reader;

static void warn(reader *r, size_t offset, mt_str message, mt_str hint)
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

static void add(reader *r, mt_str code, ct_lint_level level, size_t offset,
                const char *where)
{
    mt_str hint, fault = ct_lint_fault(r->a, code, &hint);
    if (fault.len) {
        warn(r, offset, mt_strf(r->a, "%s: %.*s", where, MT_ARG(fault)), hint);
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

static void say_fault(void *state, const mt_form_fault *fault)
{
    reader *r = state;
    bool ours =
        mt_str_is(fault->path, "lint") || mt_str_starts(fault->path, MT_STR("lint."));
    if (ours) {
        mt_diag d = mt_form_diag(fault, CT_CODE_LINT, r->file, r->text);
        d.severity = MT_WARNING;
        d.pass = -1;
        mt_diag_add(r->ds, &d);
    }
}

static void read_tree(reader *r, const mt_json *tree)
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
            mt_str where = mt_strf(r->a, "lint.%s", VERBS[level]);
            add(r, mt_json_text(code), (ct_lint_level)level, code->offset, where.ptr);
        }
    }
}

static void read_config(reader *r, mt_str contract)
{
    mt_str base = mt_str_basename(contract);
    mt_str path =
        mt_strf(r->a, "%.*s%s", (int)(contract.len - base.len), contract.ptr, CONFIG);
    mt_err err = os_read_file(r->a, path.ptr, MOST_BYTES, &r->text);
    if (err) {
        r->text = (mt_str){0};
        if (err == MT_E_LIMIT || (errno != ENOENT && errno != ENOTDIR)) {
            warn(r, 0, mt_strf(r->a, "%.*s cannot be read", MT_ARG(path)), MT_STR(""));
        }
        return; /* most contracts have none */
    }
    mt_json tree;
    mt_json_error error = {0};
    r->file = path;
    if (mt_yaml_read(r->a, r->text, NULL, &tree, &error) == MT_OK) {
        read_tree(r, &tree);
    } else {
        warn(r, error.offset,
             mt_strf(r->a, "%s cannot be read: %s", CONFIG,
                     error.message ? error.message : "it is not YAML"),
             MT_STR("levels of warnings are taken from it"));
    }
}

/* ---- options ---- */

/* Other commands neither show all warnings nor refuse a contract because of one. */
static bool has_levels(const cli_args *args)
{
    for (const cli_option *o = args->command->options; o && o->name; o++) {
        if (strcmp(o->name, VERBS[CT_LINT_ALLOW]) == 0) {
            return true;
        }
    }
    return false;
}

static void read_codes(reader *r, const char *value, ct_lint_level level)
{
    mt_str where = mt_strf(r->a, "--%s %s", VERBS[level], value),
           rest = mt_str_z(value);
    while (rest.len) {
        size_t len = mt_str_find(rest, ',');
        mt_str code = mt_str_trim(mt_str_from(rest.ptr, len), MT_STR(" "));
        if (code.len) {
            add(r, code, level, 0, where.ptr);
        }
        rest = mt_str_skip(rest, len + 1);
    }
}

static void read_options(reader *r, const cli_args *args)
{
    for (int i = 0; i < args->given_count; i++) {
        const char *name = args->given[2 * i], *value = args->given[2 * i + 1];
        for (int level = CT_LINT_ALLOW; value && level <= CT_LINT_DENY; level++) {
            if (strcmp(name, VERBS[level]) == 0) {
                read_codes(r, value, (ct_lint_level)level);
            }
        }
    }
}

void cli_lint_read(const cli_args *args, mt_arena *a, mt_str path, mt_diags *ds,
                   cli_lint *out)
{
    reader r = {.a = a, .ds = ds, .file = path};
    *out = (cli_lint){0};
    if (!has_levels(args)) {
        return;
    }
    read_config(&r, path);
    if (r.text.ptr) {
        out->config = (cli_source){r.file, r.text};
    }
    r.file = path;
    r.text = (mt_str){0};
    read_options(&r, args);
    out->rules = (ct_lint){r.rules.items, r.rules.len};
}
