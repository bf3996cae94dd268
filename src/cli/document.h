/* cli/document.h - JSON or YAML documents for commands: reading, showing faults.
 * Room: cli.
 * Ownership: text and tree live in the arena given. */
#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H

#include "agent/agent_file.h"
#include "base/diag.h"
#include "base/json_read.h"
#include "cli/cli.h"
#include "os/report.h"

typedef struct cli_document {
    mt_str name, text;
    mt_json tree;
} cli_document;

/* Reads a file ("-": standard input); names that end in .yaml or .yml are YAML, others
 * JSON. CLI_HOLDS, or the exit code after the fault was shown. */
int cli_read_document(const cli_args *args, mt_arena *a, const char *path,
                      cli_document *out);
/* The same for an agent file, with the TRIGGERS file it may name. */
int cli_read_agent_document(const cli_args *args, mt_arena *a, const char *path,
                            cli_document *out);
/* Shows diagnostics about documents on stderr; returns CLI_FAILS. */
int cli_show_faults(const mt_diags *ds, const cli_document *documents, size_t count);

/* An agent: an agent file, a scenario's agent, or DNA in either form. For DNA only
 * `out->agent` is set. */
int cli_read_agent(const cli_args *args, mt_arena *a, const char *path, ag_file *out);
/* The same for DNA: with what the agent does, the files its handlers' commands name
 * included (docs/reference/agents.md says which). */
int cli_read_dna(const cli_args *args, mt_arena *a, const char *path, ag_agent *out);
/* The digests of the files that a group's command names, as the pin covers them, a line
 * for each word. */
mt_err cli_digest_group(mt_arena *a, const char *path, const ag_group *group,
                        mt_str *out);
/* What an author should know (agent/advice.h), each as one line for `report`, or, when
 * that is NULL, on stderr. Nothing for DNA. */
void cli_advise(mt_arena *a, const char *path, const ag_file *file, os_report *report);
/* A path that a document names, relative to that document. */
const char *cli_beside(mt_arena *a, mt_str document, mt_str path);

#endif
