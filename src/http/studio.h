/* http/studio.h - the files of the page under /studio/, as they are in the program.
 * Room: http. They were compressed when the page was built (studio/, tools/studio) and
 * are served as they are: every browser takes gzip. A program that was built without
 * them has none, and says so. */
#ifndef HT_STUDIO_H
#define HT_STUDIO_H

#include "base/str.h"

typedef struct ht_file {
    const char *name, *type; /* "index.html", "text/html; charset=utf-8" */
    const char *etag;        /* without quotes; stands for the bytes */
    const unsigned char *bytes;
    size_t len;
    bool lasts; /* its name changes with its bytes, so it may be kept for ever */
} ht_file;

/* Written by studio_embed.py. */
extern const ht_file HT_STUDIO_FILES[];
extern const size_t HT_STUDIO_COUNT;

/* NULL: there is no file of this name. */
const ht_file *ht_studio_find(mt_str name);
/* Was the program built with the page? */
bool ht_studio_is_there(void);
/* What a browser may do with the page: run what came from here, the engine in
 * WebAssembly included, and talk to nobody else. */
extern const char HT_STUDIO_POLICY[];
/* The answer with the file; `known`: that the browser has it. NULL: no memory. */
struct MHD_Response;
struct MHD_Response *ht_studio_response(const ht_file *f, bool known);
/* The target as routes know it: a folder is its index. */
mt_str ht_studio_target(mt_str uri);

#endif
