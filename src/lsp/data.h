/* lsp/data.h - what is wrong with documents that are data and not a contract.
 * Room: lsp. */
#ifndef LS_DATA_H
#define LS_DATA_H

#include "lsp/server.h"

/* The code of a document that is neither YAML nor JSON, or names a file that cannot be
 * read. */
#define LS_CODE_DATA "YAML"

/* Adds to `ds` what the commands for such a file would say of it. */
void ls_check_data(ls_server *s, mt_str path, mt_str text, mt_diags *ds);

#endif
