/* lsp/data.h - what is wrong with documents that are data and not a contract.
 * Room: lsp. */
#ifndef LS_DATA_H
#define LS_DATA_H

#include "base/form.h"
#include "graph/graph.h"
#include "lsp/server.h"

/* The code of a document that is neither YAML nor JSON, or names a file that cannot be
 * read. */
#define LS_CODE_DATA "YAML"

/* The code of what a scenario file has wrong. */
#define LS_CODE_SCENARIO "SCENARIO"

/* ORDER ls_data_form() */
typedef enum ls_data_kind {
    LS_DATA_OTHER, /* of other programs */
    LS_DATA_CLUSTER,
    LS_DATA_MANIFEST,
    LS_DATA_ADAPTER,
    LS_DATA_AGENT,
    LS_DATA_SCRIPT,    /* a scenario of an agent */
    LS_DATA_SCENARIOS, /* of a contract */
    LS_DATA_PROJECT,   /* motet.yaml */
    LS_DATA_KINDS
} ls_data_kind;

/* By its name and its outermost keys, so also while it is broken. */
ls_data_kind ls_data_kind_of(mt_str path, mt_str text);
/* The keys it may have; NULL: nobody knows. A project's are in the world's table, too.
 */
const mt_form_table *ls_data_form(ls_data_kind kind);

/* Adds to `ds` what the commands for such a file would say of it; the files that were
 * looked for are noted in the document. */
void ls_check_data(ls_server *s, ls_document *d, mt_str text, mt_diags *ds);

/* "." where the path has no folder. */
mt_str ls_folder_of(mt_str path);
/* The text of a file by its name beside `path`; false: it cannot be read. */
bool ls_read_beside(ls_server *s, mt_arena *a, mt_str path, mt_str name, mt_str *text);
/* The contract that a scenario file is about, whether it is there or not; `named` is
 * what stands under `contract`, or empty. */
mt_str ls_contract_of(mt_arena *a, mt_str path, mt_str named);

/* What a graph in the folder of `path` can use: standard, and manifests/ beside it
 * without `path` itself. To be released with gr_registry_free(). */
gr_registry *ls_registry_for(ls_server *s, mt_arena *a, mt_str path);
/* The texts that may define a cluster, as the host finds them. */
gr_text *ls_find_cluster(ls_server *s, mt_arena *a, mt_str id, mt_str from,
                         size_t *count);

/* data_ask.c: what contracts have in navigate.c, hover.c and complete.c. */
void ls_data_complete(ls_call *c);
void ls_data_hover(ls_call *c);
void ls_data_definition(ls_call *c);
void ls_data_links(ls_call *c);
/* lens.c */
void ls_data_lens(ls_call *c);
/* data_refs.c */
void ls_data_references(ls_call *c);
void ls_data_highlight(ls_call *c);
void ls_data_prepare_rename(ls_call *c);
void ls_data_rename(ls_call *c);
void ls_data_symbols(ls_call *c);

#endif
