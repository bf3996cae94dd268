/* cli/invariants.c - reading scenario files, and asking what they promise.
 * Room: cli. An invariant is a question of `motet ask` whose answer must be yes. It
 * stands in the scenario file beside its contract, so that `motet check` and `motet
 * test` decide the same promises. Everything but yes is an error: no (S341), not
 * decided (S342), not understood (S343).
 * May fail: the file, with its place; a file that is not there promises nothing.
 * What is read lives in the caller's arena, the text too, for the line of each
 * question is shown. */
#include "cli/invariants.h"

#include <errno.h>
#include <unistd.h>

#include "answer/scenarios.h"
#include "cli/topic.h"
#include "os/file.h"

static const char *const ENDINGS[] = {".scenarios.yaml", ".scenarios.yml",
                                      ".scenarios.json"};

/* The double ending keeps other YAML files of a directory from being read as tests. */
bool cli_is_scenario_file(mt_str name)
{
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        if (mt_str_ends(name, mt_str_z(ENDINGS[i]))) {
            return true;
        }
    }
    return false;
}

/* *text is set as soon as the file was read: by that a caller tells text that is wrong
 * from a file that could not be read. */
bool cli_scenarios_load(mt_arena *a, mt_str path, const mt_limits *limits,
                        ct_scenarios *out, mt_str *text, mt_buf *why)
{
    if (os_read_file(a, path.ptr, limits->json_bytes, text)) {
        mt_buf_addf(why, "%.*s: %s\n", MT_ARG(path), strerror(errno));
        return false;
    }
    return aw_scenarios_parse(a, path, *text, out, why);
}

/* NAME.scenarios.* beside NAME.tenor or NAME.json; empty: there is none.
 * The first of ENDINGS that exists. */
static mt_str file_beside(mt_arena *a, mt_str contract)
{
    size_t dot = contract.len;
    while (dot > 0 && contract.ptr[dot - 1] != '.' && contract.ptr[dot - 1] != '/') {
        dot--;
    }
    bool named = dot > 0 && contract.ptr[dot - 1] == '.';
    mt_str stem = mt_str_from(contract.ptr, named ? dot - 1 : contract.len);
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        mt_str path = mt_strf(a, "%.*s%s", MT_ARG(stem), ENDINGS[i]);
        if (access(path.ptr, F_OK) == 0) {
            return path;
        }
    }
    return MT_STR("");
}

/* One place more than needed, so that an empty list is an array, too. */
static void take(cli_invariants *out, const mt_json *list)
{
    size_t count = list ? list->count : 0;
    out->items = mt_new_array(out->arena, an_invariant, count + 1);
    out->lines = mt_new_array(out->arena, uint32_t, count + 1);
    out->len = count;
    for (size_t i = 0; i < count; i++) {
        uint32_t column;
        out->items[i].question = mt_json_text(&list->as.items[i]);
        mt_json_place(out->text, list->as.items[i].offset, &out->lines[i], &column);
    }
}

int cli_invariants_read(const cli_args *args, mt_arena *a, mt_str contract,
                        cli_invariants *out)
{
    const char *given = cli_value(args, "scenarios");
    mt_limits limits = cli_limits(args);
    ct_scenarios file;
    mt_buf why = {0};
    *out = (cli_invariants){.arena = a};
    out->path = given ? mt_str_dup(a, mt_str_z(given)) : file_beside(a, contract);
    if (!out->path.len) {
        return CLI_HOLDS;
    }
    int code = CLI_HOLDS;
    if (cli_scenarios_load(a, out->path, &limits, &file, &out->text, &why)) {
        take(out, file.invariants);
    } else {
        /* Where there is text it is wrong; otherwise it could not be read. */
        code = cli_fail(args, out->text.ptr ? CLI_FAILS : CLI_WORLD, "%.*s",
                        MT_ARG(mt_str_trim(mt_buf_str(&why), MT_STR("\n"))));
    }
    mt_buf_free(&why);
    return code;
}

size_t cli_invariants_ask(cli_invariants *list, const an_union *u,
                          const mt_limits *limits)
{
    if (!list->len) {
        return 0;
    }
    an_asker *q = an_asker_new(u, limits);
    size_t broken = an_invariants_ask(q, list->arena, list->items, list->len);
    an_asker_free(q);
    return broken;
}

/* ---- as diagnostics ---- */

/* Lines become parts of one: a hint is one line. */
static mt_str joined(mt_arena *a, mt_str text)
{
    mt_buf b = {0};
    while (text.len) {
        size_t end = mt_str_find(text, '\n');
        mt_str line = mt_str_trim(mt_str_from(text.ptr, end), MT_STR(" "));
        mt_buf_addf(&b, "%s%.*s", b.len ? "; " : "", MT_ARG(line));
        text = mt_str_skip(text, end + 1);
    }
    mt_str kept = mt_str_dup(a, mt_buf_str(&b));
    mt_buf_free(&b);
    return kept;
}

/* The first line of the answer is the message, the rest its hint. `pass` -1: it is not
 * a fault of any pass of the elaborator. */
static void add_diagnostic(cli_contract *c, const cli_invariants *list, size_t i)
{
    /* SPARSE: what holds is not told. */
    static const char *const CODES[] = {
        [AN_REPLY_NO] = "S341", [AN_REPLY_UNKNOWN] = "S342", [AN_REPLY_FAULT] = "S343"};
    MT_TABLE_COVERS(CODES, AN_REPLY_FAULT + 1);
    mt_buf text = {0};
    an_invariant_text(&text, &list->items[i]);
    mt_str all = mt_str_dup(&c->arena, mt_buf_str(&text));
    size_t end = mt_str_find(all, '\n');
    mt_diag d = {.severity = MT_ERROR,
                 .code = CODES[list->items[i].reply.kind],
                 .pass = -1,
                 .file = list->path,
                 .line = list->lines[i],
                 .construct_kind = MT_STR("Invariant"),
                 .construct_id = list->items[i].question,
                 .message = mt_str_from(all.ptr, end),
                 .hint = joined(&c->arena, mt_str_skip(all, end + 1))};
    mt_diag_add(&c->ds, &d);
    mt_buf_free(&text);
}

/* So that the line is shown, and --watch sees the file change. */
static void add_source(cli_contract *c, const cli_invariants *list)
{
    cli_source *items = mt_new_array(&c->arena, cli_source, c->sources.len + 1);
    if (c->sources.len) {
        memcpy(items, c->sources.items, c->sources.len * sizeof *items);
    }
    items[c->sources.len] = (cli_source){list->path, list->text};
    c->sources = (cli_sources){items, c->sources.len + 1};
}

/* Deciding may take as long as the limits of the solver allow. */
int cli_invariants_check(const cli_args *args, cli_contract *c)
{
    cli_invariants list;
    an_union all;
    int code = cli_invariants_read(args, &c->arena, c->path, &list);
    if (code || !list.len) {
        return code;
    }
    add_source(c, &list);
    code = cli_union_of(args, c, &all);
    if (!code && cli_invariants_ask(&list, &all, &c->limits)) {
        code = CLI_FAILS;
        for (size_t i = 0; i < list.len; i++) {
            if (list.items[i].reply.kind != AN_REPLY_YES) {
                add_diagnostic(c, &list, i);
            }
        }
    }
    return code;
}
