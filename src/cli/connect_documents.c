/* cli/connect_documents.c - documents for motet connect: files and live catalogs.
 * Room: cli. Order: the bytes are read (a file, or what a live catalog says, as SQL),
 * the format is found by name and content unless it was said, then connect/ reads it.
 * Nothing is fetched over the network but catalogs. Passwords stand in the addresses of
 * those, so messages show only what is before the first colon. Exit status 1 for a
 * document with faults or one that is too large, 2 for an http address, 3 for what
 * cannot be read. */
#include "adapter/catalog.h"
#include "cli/connect.h"
#include "os/file.h"

/* Imports of .proto text lie below the directory of the file, or above it as far as the
 * import's own directories say: bank/accounts.proto may import bank/types.proto. At
 * most 8 directories up, so that a deep path does not make a long search. */
static mt_err load_beside(void *state, mt_arena *a, mt_str name, mt_str *text)
{
    mt_str dir = *(const mt_str *)state;
    mt_err err = MT_E_NOTFOUND;
    for (int up = 0; up < 8 && err == MT_E_NOTFOUND; up++) {
        mt_str path = mt_strf(a, "%.*s%.*s", MT_ARG(dir), MT_ARG(name));
        err = os_read_file(a, path.ptr, PB_MOST_BYTES, text);
        if (!dir.len) {
            break;
        }
        dir.len--;
        while (dir.len && dir.ptr[dir.len - 1] != '/') {
            dir.len--;
        }
    }
    return err;
}

/* A live catalog becomes the text of CREATE statements, so it is read like a file of
 * SQL. */
static int read_bytes(const cli_args *args, mt_arena *a, const mt_limits *limits,
                      mt_str name, mt_str *out)
{
    mt_buf why = {0};
    mt_err err = MT_OK;
    if (!ad_catalog_is(name)) {
        if (mt_str_starts(name, MT_STR("http://")) ||
            mt_str_starts(name, MT_STR("https://"))) {
            return cli_fail(
                args, CLI_USAGE,
                "%.*s: documents are not fetched: save it and give the file "
                "with --from",
                MT_ARG(name));
        }
        err = os_read_file(a, name.ptr, limits->connect_bytes, out);
        if (err == MT_E_LIMIT) {
            mt_buf_addf(&why, "it has more than %zu bytes (limit connect_bytes)",
                        limits->connect_bytes);
        } else if (err) {
            mt_buf_addz(&why, cli_why(err));
        }
    } else {
        err = ad_catalog_read(a, name, limits->connect_bytes, out, &why);
        name = mt_str_from(name.ptr, mt_str_find(name, ':')); /* no password is shown */
    }
    int code = err ? cli_fail(args, err == MT_E_LIMIT ? CLI_FAILS : CLI_WORLD,
                              "%.*s: %.*s", MT_ARG(name), MT_ARG(mt_buf_str(&why)))
                   : CLI_HOLDS;
    mt_buf_free(&why);
    return code;
}

int cli_connect_read(const cli_args *args, mt_arena *a, const mt_limits *limits,
                     mt_str name, cn_format expected, cn_document *out)
{
    mt_str bytes, base = mt_str_basename(name);
    mt_str dir = mt_str_from(name.ptr, name.len - base.len);
    mt_buf why = {0};
    bool live = ad_catalog_is(name);
    int code = read_bytes(args, a, limits, name, &bytes);
    if (code) {
        return code;
    }
    cn_format format = live                          ? CN_SQL
                       : expected != CN_FORMAT_COUNT ? expected
                                                     : cn_format_of(base, bytes);
    mt_err err = cn_read(a, format, base, bytes, limits, load_beside, &dir, &why, out);
    if (err) {
        mt_str shown = live ? mt_str_from(name.ptr, mt_str_find(name, ':')) : name;
        code = cli_fail(args, CLI_FAILS, "%.*s: %.*s", MT_ARG(shown),
                        MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return code;
}
