/* cli/cmd_fmt.c - motet fmt: contract source in its canonical layout.
 * Room: cli. Each file is read, laid out, checked against itself
 * (contract/front/format_check.c) and replaced whole; "-" goes to standard output. Exit
 * status 1 when a file does not parse, or with --check would change; 3 when one cannot
 * be read or written; the worst counts. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/commands.h"
#include "cli/show.h"
#include "contract/front/format.h"
#include "os/file.h"
#include "os/sources.h"

/* clang-format off */
const cli_option CMD_FMT_OPTIONS[] = {
    {"check", NULL, "change nothing; exit 1 and name the files that would change"},
    {"json",  NULL, "report as one JSON object"},
    {NULL, NULL, NULL},
};

const char CMD_FMT_DETAILS[] =
"Rewrites each file in place: two spaces per level, 88 columns, aligned values, one\n"
"empty line between constructs. Comments stay, and so does every token, so the\n"
"interchange changes in line numbers alone. Formatting twice changes nothing.\n"
"\"-\" formats standard input to standard output. A file that does not parse is\n"
"reported and left as it is.\n\n"
"Nothing is written before it is checked: the result has the same tokens and\n"
"comments, parses to the same tree and, where the file elaborates, gives the same\n"
"bundle; otherwise the file is left as it is (T620, a fault of motet).";
/* clang-format on */

typedef struct formatter {
    const cli_args *args;
    mt_limits limits;
    mt_arena names;         /* of `changed`; outlives each file */
    MT_VEC(mt_str) changed; /* files that are not as the formatter writes them */
    int code;               /* the worst so far */
} formatter;

/* Exit codes rise with what they mean, so the highest is the worst. */
static void worst(formatter *f, int code)
{
    f->code = code > f->code ? code : f->code;
}

static void show(const formatter *f, const mt_diags *ds, const char *path, mt_str text)
{
    mt_buf out = {0};
    cli_source source = {mt_str_z(path), text};
    cli_show_text(&out, ds, (cli_sources){&source, 1},
                  cli_wants_colour(f->args, STDERR_FILENO));
    fwrite(out.ptr, 1, out.len, stderr);
    mt_buf_free(&out);
}

/* With --check the file only counts as changed; nothing is written, and the exit code
 * says so. */
static void write_back(formatter *f, const char *path, mt_str text)
{
    mt_vec_push(&f->names, &f->changed, mt_str_z(path));
    if (cli_flag(f->args, "check")) {
        worst(f, CLI_FAILS);
    } else if (cli_rewrite(path, text) != MT_OK) {
        worst(f, cli_fail(f->args, CLI_WORLD, "cannot write %s: %s", path,
                          strerror(errno)));
    }
}

/* Text from stdin has no place, so its imports are not followed. */
static void format_text(formatter *f, mt_arena *a, const char *path, mt_str text)
{
    mt_diags ds = {.arena = a, .limit = f->limits.diagnostics};
    mt_str laid;
    os_sources sources = {0};
    mt_provider around = os_sources_provider(&sources, &f->limits);
    bool is_input = strcmp(path, "-") == 0;
    if (fr_format(a, mt_str_z(path), text, is_input ? NULL : &around, &f->limits, &ds,
                  &laid) != MT_OK) {
        if (sources.failure) { /* then what was checked is not known */
            worst(f, cli_fail(f->args, CLI_WORLD, "cannot read %s or what it imports",
                              path));
            return;
        }
        mt_diags_sort(&ds);
        show(f, &ds, path, text);
        worst(f, CLI_FAILS);
    } else if (is_input && !cli_flag(f->args, "check")) {
        worst(f, cli_print(laid));
    } else if (!mt_str_eq(laid, text)) {
        write_back(f, path, laid);
    }
}

/* A file that cannot be read does not stop the others. */
static void format_file(formatter *f, const char *path)
{
    mt_arena arena = {0};
    mt_str text;
    mt_err err = os_read_file(&arena, path, f->limits.source_bytes, &text);
    if (err == MT_E_LIMIT) {
        worst(f, cli_fail(f->args, CLI_FAILS,
                          "%s: more than %zu bytes (limit source_bytes)", path,
                          f->limits.source_bytes));
    } else if (err) {
        worst(f, cli_fail(f->args, CLI_WORLD, "cannot read %s: %s", path,
                          strerror(errno)));
    } else {
        format_text(f, &arena, path, text);
    }
    mt_arena_free(&arena);
}

/* What was changed, or with --check what would be. */
static int report(const formatter *f)
{
    mt_buf out = {0};
    if (cli_flag(f->args, "json")) {
        mt_jw w = mt_jw_start(&out, true);
        mt_jw_begin_object(&w);
        mt_jw_keyz(&w, "changed");
        mt_jw_begin_array(&w);
        for (size_t i = 0; i < f->changed.len; i++) {
            mt_jw_str(&w, f->changed.items[i]);
        }
        mt_jw_end_array(&w);
        mt_jw_key_i64(&w, "files", f->args->count);
        mt_jw_key_bool(&w, "holds", f->code == CLI_HOLDS);
        mt_jw_end_object(&w);
        mt_buf_addc(&out, '\n');
    } else {
        const char *what = cli_flag(f->args, "check") ? "would change" : "formatted";
        for (size_t i = 0; i < f->changed.len; i++) {
            mt_buf_addf(&out, "%.*s: %s\n", MT_ARG(f->changed.items[i]), what);
        }
    }
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* One file that cannot be formatted does not keep the others from it; the worst code is
 * the answer. */
int cmd_fmt(const cli_args *args)
{
    formatter f = {.args = args, .limits = cli_limits(args)};
    for (int i = 0; i < args->count; i++) {
        format_file(&f, args->operands[i]);
    }
    worst(&f, report(&f));
    mt_arena_free(&f.names);
    return f.code;
}
