/* http/studio.c - the files of the page under /studio/: found and answered.
 * Room: http. Nothing is read or copied: the bytes are in the program, and the library
 * sends them from there. */
#include "http/studio.h"

#include <stdio.h>

#include "http/server_state.h"

#define FOLDER "/studio/"

const char HT_STUDIO_POLICY[] =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

/* A dozen files: a table is enough. */
const ht_file *ht_studio_find(mt_str name)
{
    for (size_t i = 0; i < HT_STUDIO_COUNT; i++) {
        if (mt_str_eq(name, mt_str_z(HT_STUDIO_FILES[i].name))) {
            return &HT_STUDIO_FILES[i];
        }
    }
    return NULL;
}

bool ht_studio_is_there(void)
{
    return HT_STUDIO_COUNT > 0;
}

mt_str ht_studio_target(mt_str uri)
{
    return mt_str_is(uri, FOLDER) ? MT_STR(FOLDER "index.html") : uri;
}

static enum MHD_Result answer_missing(ht_request *r)
{
    return ht_answer_problem(r, MHD_HTTP_NOT_FOUND, "not_found",
                             ht_studio_is_there()
                                 ? "the page has no such file"
                                 : "this program was built without Studio: `make "
                                   "studio` builds it, where npm is there");
}

static void add(struct MHD_Response *answer, const char *name, const char *value)
{
    MHD_add_response_header(answer, name, value);
}

static void add_etag(struct MHD_Response *answer, const ht_file *f)
{
    char quoted[128];
    snprintf(quoted, sizeof quoted, "\"%s\"", f->etag);
    add(answer, "ETag", quoted);
}

/* The library takes a pointer to what it may change elsewhere; here it does not. */
struct MHD_Response *ht_studio_response(const ht_file *f, bool known)
{
    struct MHD_Response *answer = MHD_create_response_from_buffer(
        known ? 0 : f->len, (void *)(uintptr_t)f->bytes, MHD_RESPMEM_PERSISTENT);
    if (answer) {
        add(answer, "Content-Type", f->type);
        add(answer, "Content-Encoding", "gzip");
        add_etag(answer, f);
        add(answer, "Cache-Control",
            f->lasts ? "public, max-age=31536000, immutable" : "no-cache");
        add(answer, "Content-Security-Policy", HT_STUDIO_POLICY);
        add(answer, "Cross-Origin-Resource-Policy", "same-origin");
        add(answer, "Referrer-Policy", "no-referrer");
        add(answer, "X-Content-Type-Options", "nosniff");
        add(answer, "X-Frame-Options", "DENY");
    }
    return answer;
}

enum MHD_Result ht_studio_answer(ht_request *r)
{
    if (!r->match.name.len) { /* relative, so that it holds behind a prefix, too */
        mt_buf body = {0};
        mt_buf_addz(&body, "{}");
        r->redirect = MT_STR("studio/");
        return ht_answer_text(r, MHD_HTTP_SEE_OTHER, "application/json", &body);
    }
    const ht_file *f = ht_studio_find(r->match.name);
    if (!f) {
        return answer_missing(r);
    }
    bool known = ht_head_has_etag(&r->head, mt_str_z(f->etag));
    return ht_answer_queue(r, known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK,
                           ht_studio_response(f, known));
}
