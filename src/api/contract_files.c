/* api/contract_files.c - contracts from the file system. The build for WebAssembly
 * (tools/wasm) leaves this file out. */
#include <errno.h>

#include "api/api.h"
#include "os/file.h"
#include "os/sources.h"

/* A name that ends in .json is interchange: told by the name and not by the content,
 * for a source file may be anything while it is being edited. */
motet_status motet_contract_open(const char *path, motet_contract **out)
{
    motet_contract *c = *out = api_contract_new(path, NULL);
    mt_arena *a = &c->x.arena;
    if (mt_str_ends(c->x.path, MT_STR(".json"))) {
        mt_str text;
        mt_err err = os_read_file(a, c->x.path.ptr, c->x.limits.json_bytes, &text);
        if (err) {
            aw_contract_unread(
                &c->x, CT_CODE_BUNDLE_READ,
                mt_strf(a, "cannot open file: %s",
                        err == MT_E_LIMIT ? mt_err_text(err) : strerror(errno)));
        }
        err = err ? err : aw_contract_interchange(&c->x, text);
        return api_contract_finish(c, err);
    }
    os_sources sources = {0};
    mt_provider files = os_sources_provider(&sources, &c->x.limits);
    return api_contract_finish(c, aw_contract_source(&c->x, &files, NULL, NULL));
}
