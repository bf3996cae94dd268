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

#include "os/file.h"

/* A bundle of a System names its members' files, which are beside it. */
static bool read_member(void *args, const cli_contract *c, mt_arena *a, mt_str path,
                        mt_str *bundle)
{
    cli_contract other;
    mt_str beside = mt_str_dup(a, mt_path_join(a, mt_path_dir(c->path), path));
    int code = cli_contract_load(args, beside.ptr, false, &other);
    if (code == CLI_HOLDS) {
        *bundle = mt_str_dup(a, other.bundle);
    } else if (code == CLI_FAILS) {
        cli_contract_report(args, &other, code);
    }
    cli_contract_free(&other);
    /* A file that cannot be read is a member that is not there. */
    return code != CLI_FAILS;
}

/* A file that cannot be read is the world's fault, whatever the diagnostics say
 * besides. Rules and files live as long as the contract, which points into them. */
static int load_source(const cli_args *args, cli_contract *c, bool strict,
                       mt_str standard_input)
{
    os_sources *files = mt_new(&c->arena, os_sources);
    cli_lint *lint = mt_new(&c->arena, cli_lint);
    *files = (os_sources){.standard_input = standard_input};
    mt_provider provider = os_sources_provider(files, &c->limits);
    cli_lint_read(args, &c->arena, c->path, &c->ds, lint);
    ct_options options = {.strict = strict, .limits = &c->limits, .lint = &lint->rules};
    mt_err err = aw_contract_source(c, &provider, &options, &lint->config);
    bool world = err == MT_E_NOTFOUND || err == MT_E_IO || files->failure;
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
        aw_contract_unread(c, CT_CODE_BUNDLE_LIMIT,
                           mt_strf(&c->arena, "more than %zu bytes (limit json_bytes)",
                                   c->limits.json_bytes));
    } else {
        aw_contract_unread(c, CT_CODE_BUNDLE_READ,
                           mt_strf(&c->arena, "cannot open file: %s (os error %d)",
                                   strerror(errno), errno));
    }
    return err == MT_E_LIMIT ? CLI_FAILS : CLI_WORLD;
}

/* By name: .json is interchange, everything else is source. Standard input has no name,
 * so its first character decides. */
int cli_contract_load(const cli_args *args, const char *path, bool strict,
                      cli_contract *c)
{
    mt_limits limits = cli_limits(args);
    aw_contract_start(c, mt_str_z(path), &limits);
    c->member = read_member;
    c->member_state = (void *)(uintptr_t)args; /* only read */
    bool is_input = strcmp(path, "-") == 0;
    if (!is_input && !mt_str_ends(c->path, MT_STR(".json"))) {
        return load_source(args, c, strict, (mt_str){0});
    }
    mt_str text = {0};
    int code = read_whole(c, path, &text);
    if (code) {
        return code;
    }
    if (is_input && !aw_is_interchange(text)) {
        c->path = MT_STR(OS_STDIN_NAME);
        return load_source(args, c, strict, text);
    }
    c->path = is_input ? MT_STR("stdin.json") : c->path;
    return aw_contract_interchange(c, text) ? CLI_FAILS : CLI_HOLDS;
}

void cli_contract_free(cli_contract *c)
{
    aw_contract_free(c);
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
        aw_check_json(&out, c, code == CLI_HOLDS, cli_flag(args, "index"));
    } else {
        cli_contract_show_text(args, c);
    }
    int printed = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return printed ? printed : code;
}
