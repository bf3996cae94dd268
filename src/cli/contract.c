/* cli/contract.c - reads a contract for a command and reports its faults.
 *
 * A path ending in .json is interchange, everything else is source; standard input is
 * told by its first character. Both end at the same gate (contract/wire/admit.h), so a
 * command never sees a model that was not validated. Faults of the world (a file that
 * cannot be read) become diagnostics as well, so every fault is shown in one form.
 *
 * The exit status is kept apart from the report: 1 the contract does not hold, 3 the
 * world failed. The contract owns its arena, its texts and diagnostics;
 * cli_contract_free() releases all. */
#include "cli/contract.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "contract/front/index.h"
#include "os/file.h"

/* White space may stand before JSON. Source never begins with a brace. */
static bool begins_with_brace(mt_str text)
{
    while (text.len && strchr(" \t\r\n", text.ptr[0])) {
        text = mt_str_skip(text, 1);
    }
    return text.len && text.ptr[0] == '{';
}

/* A fault of a whole file, in the words every unreadable file gets. */
static void add_file_error(cli_contract *c, const char *code, mt_str message)
{
    mt_diag d = {.severity = MT_ERROR,
                 .code = code,
                 .pass = 1,
                 .file = c->path,
                 .message = message};
    mt_diag_add(&c->ds, &d);
}

static void set_sources(cli_contract *c, const cli_source *items, size_t len)
{
    c->sources = (cli_sources){items, len};
}

/* The object the conformance suite compares; only the first error is in it (§14.3). */
static void take_error(cli_contract *c)
{
    const mt_diag *first = ct_first_error(&c->ds);
    if (first) {
        c->error = ct_error_json(&c->arena, first, false);
    }
}

/* Interchange of other elaborators takes the same gate as our own. */
static int load_interchange(cli_contract *c, mt_str text)
{
    cli_source *source = mt_new(&c->arena, cli_source);
    *source = (cli_source){c->path, text};
    set_sources(c, source, 1);
    mt_err err = ct_admit(&c->arena, c->path, text, &c->limits, &c->ds, &c->admitted);
    take_error(c);
    c->bundle = err ? (mt_str){0} : c->admitted.document.bundle;
    c->is_manifest = c->admitted.document.is_manifest;
    return err ? CLI_FAILS : CLI_HOLDS;
}

/* Members are contracts of their own with files of their own, at any depth. */
static size_t count_sources(const ct_elaboration *e)
{
    size_t n = e->source_count;
    for (size_t i = 0; i < e->member_count; i++) {
        n += e->members[i].contract ? count_sources(e->members[i].contract) : 0;
    }
    return n;
}

/* The same walk as count_sources(), so the array fits. */
static cli_source *add_sources(cli_source *at, const ct_elaboration *e)
{
    for (size_t i = 0; i < e->source_count; i++) {
        *at++ = (cli_source){e->sources[i].path, e->sources[i].text};
    }
    for (size_t i = 0; i < e->member_count; i++) {
        at = e->members[i].contract ? add_sources(at, e->members[i].contract) : at;
    }
    return at;
}

/* What was elaborated is then admitted like any other bundle, so what checks is what
 * runs. A file that cannot be read is the world's fault, whatever the diagnostics say
 * besides. */
static int load_source(const cli_args *args, cli_contract *c, bool strict)
{
    mt_provider provider = os_sources_provider(&c->files, &c->limits);
    cli_lint_read(args, &c->arena, c->path, &c->ds, &c->lint);
    ct_options options = {
        .strict = strict, .limits = &c->limits, .lint = &c->lint.rules};
    mt_err err = ct_elaborate(&c->arena, c->path, &provider, &options, &c->ds, &c->e);
    if (!err) {
        err = ct_admit_source(&c->arena, c->e, &c->limits, &c->ds, &c->admitted);
    }
    take_error(c);
    mt_diags_sort(&c->ds);
    if (c->e) {
        size_t n = count_sources(c->e);
        cli_source *items = mt_new_array(&c->arena, cli_source, n + 1);
        add_sources(items, c->e);
        items[n] = c->lint.config; /* faults of it are shown, too */
        set_sources(c, items, n + (c->lint.config.name.len > 0));
        c->bundle = err ? (mt_str){0} : c->e->bundle;
    }
    bool world = err == MT_E_NOTFOUND || err == MT_E_IO || c->files.failure;
    return world && err ? CLI_WORLD : err ? CLI_FAILS : CLI_HOLDS;
}

/* The whole text of an interchange file; a fault of the world becomes an error. */
static int read_whole(cli_contract *c, const char *path, mt_str *text)
{
    mt_err err = os_read_file(&c->arena, path, c->limits.json_bytes, text);
    if (!err) {
        return CLI_HOLDS;
    }
    if (err == MT_E_LIMIT) {
        add_file_error(c, CT_CODE_BUNDLE_LIMIT,
                       mt_strf(&c->arena, "more than %zu bytes (limit json_bytes)",
                               c->limits.json_bytes));
    } else {
        add_file_error(c, CT_CODE_BUNDLE_READ,
                       mt_strf(&c->arena, "cannot open file: %s (os error %d)",
                               strerror(errno), errno));
    }
    take_error(c);
    return err == MT_E_LIMIT ? CLI_FAILS : CLI_WORLD;
}

/* By name: .json is interchange, everything else is source. Standard input has no name,
 * so its first character decides. */
int cli_contract_load(const cli_args *args, const char *path, bool strict,
                      cli_contract *c)
{
    *c = (cli_contract){.limits = cli_limits(args), .path = mt_str_z(path)};
    c->ds.arena = &c->arena;
    c->ds.limit = c->limits.diagnostics;
    bool is_input = strcmp(path, "-") == 0;
    if (!is_input && !mt_str_ends(c->path, MT_STR(".json"))) {
        return load_source(args, c, strict);
    }
    mt_str text = {0};
    int code = read_whole(c, path, &text);
    if (code) {
        return code;
    }
    if (is_input && !begins_with_brace(text)) {
        c->files.standard_input = text;
        c->path = MT_STR(OS_STDIN_NAME);
        return load_source(args, c, strict);
    }
    c->path = is_input ? MT_STR("stdin.json") : c->path;
    return load_interchange(c, text);
}

void cli_contract_free(cli_contract *c)
{
    mt_arena_free(&c->arena);
}

static void site_keys(mt_jw *w, const fr_site *s)
{
    mt_jw_key_i64(w, "column", s->column);
    mt_jw_key_i64(w, "end_column", s->end_column);
    mt_jw_key_i64(w, "end_line", s->end_line);
    mt_jw_key_str(w, "file", s->file);
    mt_jw_key_i64(w, "line", s->line);
}

/* What each name means; a definition leads to itself. */
static void index_report(mt_jw *w, const ct_elaboration *e)
{
    mt_arena scratch = {0};
    const fr_mention *all = NULL;
    size_t count = e ? fr_index(&scratch, e, &all) : 0;
    mt_jw_keyz(w, "index");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "at");
        mt_jw_begin_object(w);
        site_keys(w, &all[i].at);
        mt_jw_end_object(w);
        mt_jw_keyz(w, "definition");
        mt_jw_begin_object(w);
        site_keys(w, &all[i].definition);
        mt_jw_end_object(w);
        mt_jw_key_str(w, "id", all[i].id);
        mt_jw_key_bool(w, "is_definition", all[i].is_definition);
        mt_jw_key_str(w, "kind", mt_str_z(fr_named_text(all[i].kind)));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_arena_free(&scratch);
}

static void json_report(const cli_args *args, mt_buf *out, const cli_contract *c,
                        int code)
{
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    cli_show_json_keys(&w, &c->ds, c->error);
    mt_jw_key_str(&w, "file", c->path);
    mt_jw_key_bool(&w, "holds", code == CLI_HOLDS);
    if (cli_flag(args, "index")) {
        index_report(&w, c->e);
    }
    mt_jw_key_i64(&w, "warnings", (int64_t)c->ds.warnings);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* The counts of errors and warnings are not touched: notes are in neither. */
void cli_contract_drop_notes(cli_contract *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->ds.len; i++) {
        if (c->ds.items[i].severity != MT_NOTE) {
            c->ds.items[kept++] = c->ds.items[i];
        }
    }
    c->ds.len = kept;
}

void cli_contract_show_text(const cli_args *args, const cli_contract *c)
{
    mt_buf out = {0};
    cli_show_text(&out, &c->ds, c->sources, cli_wants_colour(args, STDERR_FILENO));
    fwrite(out.ptr, 1, out.len, stderr);
    mt_buf_free(&out);
}

/* One report for both results; stdout is for programs, stderr for people. `code` is
 * kept unless writing failed. */
int cli_contract_report(const cli_args *args, const cli_contract *c, int code)
{
    mt_buf out = {0};
    if (cli_flag(args, "sarif")) {
        cli_show_sarif(&out, &c->ds, c->sources);
    } else if (cli_flag(args, "json")) {
        json_report(args, &out, c, code);
    } else {
        cli_contract_show_text(args, c);
    }
    int printed = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return printed ? printed : code;
}
