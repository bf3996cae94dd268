/* cli/document.c - see document.h.
 *
 * Agent files, scenarios and DNA come as JSON or YAML, told by the suffix. An agent
 * may be the document itself, or be named by a scenario beside it; paths in a document
 * are relative to the document. For DNA, the files that a handler's command names are
 * hashed if they lie beside the agent; a program found on the PATH belongs to the
 * system.
 *
 * Faults of syntax are shown like diagnostics of contracts, with the line. */
#include "cli/document.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "agent/advice.h"
#include "agent/behaviour.h"
#include "agent/dna.h"
#include "agent/scenario.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/yaml_read.h"
#include "cli/show.h"
#include "host/agent_triggers.h"
#include "os/file.h"

enum { HANDLER_BYTES = 64 << 20 };

int cli_show_faults(const mt_diags *ds, const cli_document *documents, size_t count)
{
    cli_source *sources = mt_new_array(ds->arena, cli_source, count);
    mt_buf out = {0};
    for (size_t i = 0; i < count; i++) {
        sources[i] = (cli_source){documents[i].name, documents[i].text};
    }
    cli_show_text(&out, ds, (cli_sources){sources, count}, cli_colour(2));
    fwrite(out.ptr, 1, out.len, stderr);
    mt_buf_free(&out);
    return CLI_FAILS;
}

static int show_syntax(mt_arena *a, const cli_document *d, const mt_json_error *e)
{
    mt_diags ds = {.arena = a};
    mt_diag fault = {
        .severity = MT_ERROR, .code = "AG001", .pass = -1, .file = d->name};
    mt_json_place(d->text, e->offset, &fault.line, &fault.column);
    fault.message =
        mt_strf(a, "%s%s%.*s", e->message, e->detail.len ? " " : "", MT_ARG(e->detail));
    mt_diag_add(&ds, &fault);
    return cli_show_faults(&ds, d, 1);
}

/* A document stays whole in memory beside its tree, since faults show the line they are
 * in. */
int cli_read_document(const cli_args *args, mt_arena *a, const char *path,
                      cli_document *out)
{
    mt_json_error fault = {0};
    int code = cli_read_text(args, a, path, MT_LIMITS_DEFAULT.json_bytes, &out->text);
    out->name = mt_str_dup(a, mt_str_z(path));
    if (code) {
        return code;
    }
    mt_err err = cli_is_yaml(path)
                     ? mt_yaml_read(a, out->text, NULL, &out->tree, &fault)
                     : mt_json_read(a, out->text, NULL, &out->tree, &fault);
    return err ? show_syntax(a, out, &fault) : CLI_HOLDS;
}

/* The directory part of the document is put before a relative path; nothing is
 * resolved, so links keep their meaning. */
const char *cli_beside(mt_arena *a, mt_str document, mt_str path)
{
    mt_str base = mt_str_basename(document);
    if (path.ptr[0] == '/') {
        return mt_str_dup(a, path).ptr;
    }
    return mt_strf(a, "%.*s%.*s", (int)(document.len - base.len), document.ptr,
                   MT_ARG(path))
        .ptr;
}

/* The lines of the TRIGGERS file that the agent names, in place of its name. */
static int read_triggers(const cli_args *args, mt_arena *a, cli_document *agent)
{
    mt_buf why = {0};
    mt_err err = ho_agent_triggers(a, agent->name.ptr, &agent->tree, &why);
    int code =
        err ? cli_fail(args, CLI_WORLD, "%.*s", MT_ARG(mt_buf_str(&why))) : CLI_HOLDS;
    mt_buf_free(&why);
    return code;
}

int cli_read_agent_document(const cli_args *args, mt_arena *a, const char *path,
                            cli_document *out)
{
    int code = cli_read_document(args, a, path, out);
    return code ? code : read_triggers(args, a, out);
}

/* The agent a scenario stands on: its own file, or the scenario itself. */
static int agent_document(const cli_args *args, mt_arena *a,
                          const cli_document *scenario, cli_document *out)
{
    mt_str path = ag_scenario_agent(&scenario->tree);
    const mt_json *inside = mt_json_at(&scenario->tree, "agent");
    if (path.len) {
        return cli_read_agent_document(args, a, cli_beside(a, scenario->name, path),
                                       out);
    }
    *out = *scenario;
    out->tree = inside ? *inside : scenario->tree;
    return read_triggers(args, a, out);
}

/* By members, not by name: DNA is passed around in files of any name. */
static bool is_dna(const mt_json *tree)
{
    return mt_json_is(tree, MT_JSON_ARRAY) || mt_json_at(tree, "registrations") ||
           mt_json_at(tree, "dna");
}

/* `from`: the document the agent is written in; left alone when that is DNA. */
static int read_agent(const cli_args *args, mt_arena *a, const char *path, ag_file *out,
                      mt_str *from)
{
    cli_document document, agent;
    mt_diags ds = {.arena = a};
    int code = cli_read_document(args, a, path, &document);
    if (code) {
        return code;
    }
    memset(out, 0, sizeof *out);
    if (is_dna(&document.tree)) {
        return ag_dna_read(a, document.name, document.text, &document.tree, &ds,
                           &out->agent)
                   ? cli_show_faults(&ds, &document, 1)
                   : CLI_HOLDS;
    }
    agent = document;
    code = mt_json_at(&document.tree, "messages")
               ? agent_document(args, a, &document, &agent)
               : read_triggers(args, a, &agent);
    if (code) {
        return code;
    }
    *from = agent.name;
    return ag_file_read(a, agent.name, agent.text, &agent.tree, &ds, out)
               ? cli_show_faults(&ds, &agent, 1)
               : CLI_HOLDS;
}

int cli_read_agent(const cli_args *args, mt_arena *a, const char *path, ag_file *out)
{
    mt_str from;
    return read_agent(args, a, path, out, &from);
}

void cli_advise(mt_arena *a, const char *path, const ag_file *file, os_report *report)
{
    mt_diags ds = {.arena = a};
    if (file->agent.receiver_count && !file->receivers) {
        return;
    }
    ag_advise(a, file, mt_str_z(path), &ds);
    if (!report && ds.len) {
        cli_show_faults(&ds, NULL, 0);
    }
    for (size_t i = 0; report && i < ds.len; i++) {
        const mt_diag *d = &ds.items[i];
        report(NULL, mt_strf(a, "warning[%s]: %.*s; %.*s", d->code, MT_ARG(d->message),
                             MT_ARG(d->hint))
                         .ptr);
    }
}

/* ---- what an agent's handlers are ---- */

typedef struct beside {
    mt_arena *a;
    mt_str document;  /* whose directory paths are relative to; ptr NULL: it was DNA */
    const char *path; /* looked at last */
} beside;

/* A handler's program belongs to the agent when it lies beside it; one that is found on
 * the PATH, or by an absolute name, belongs to the system. */
static bool of_the_system(mt_str word, uint32_t index)
{
    return index == 0 && (mt_str_find(word, '/') == word.len || word.ptr[0] == '/');
}

/* A handler's behaviour is pinned by the bytes of the files its command names, as far
 * as they lie beside the document; programs of the system are left to the system. The
 * bytes are dropped at once, only the digest stays. */
static mt_err digest_file(void *host, const ag_group *group, uint32_t index,
                          mt_str *out)
{
    beside *b = host;
    struct stat info;
    mt_str word = group->command[index], bytes;
    *out = (mt_str){0};
    if (!word.len || of_the_system(word, index)) {
        return MT_OK;
    }
    b->path = cli_beside(b->a, b->document, word);
    if (stat(b->path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return MT_OK;
    }
    mt_arena held = {0};
    mt_err err = os_read_file(&held, b->path, HANDLER_BYTES, &bytes);
    if (!err) {
        mt_str hex = mt_sha256_hex(b->a, mt_sha256_of(bytes));
        *out = mt_strf(b->a, "sha256:%.*s", MT_ARG(hex));
    }
    mt_arena_free(&held);
    return err;
}

mt_err cli_digest_group(mt_arena *a, const char *path, const ag_group *group,
                        mt_str *out)
{
    beside b = {.a = a, .document = mt_str_z(path)};
    mt_buf all = {0};
    mt_err err = MT_OK;
    for (uint32_t i = 0; i < group->command_count && !err; i++) {
        mt_str one;
        err = digest_file(&b, group, i, &one);
        mt_buf_adds(&all, one);
        mt_buf_addc(&all, '\n');
    }
    *out = mt_str_dup(a, mt_buf_str(&all));
    mt_buf_free(&all);
    return err;
}

/* DNA given as DNA keeps what it says; nothing is digested again, the files may not be
 * here. */
int cli_read_dna(const cli_args *args, mt_arena *a, const char *path, ag_agent *out)
{
    ag_file file = {0};
    beside b = {.a = a};
    int code = read_agent(args, a, path, &file, &b.document);
    mt_err err = !code && b.document.ptr /* NULL: it is DNA already */
                     ? ag_behaviour_of(a, &file, digest_file, &b)
                     : MT_OK;
    *out = file.agent;
    return err ? cli_fail(args, CLI_WORLD,
                          "cannot read %s, which a handler's command names: %s", b.path,
                          cli_why(err))
               : code;
}
