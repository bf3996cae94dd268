/* cli/graph_stored.c - a capture that a server keeps in its store, as a file.
 * Room: cli. The store is opened for reading only, so it may be in use. The file is
 * written with mode 600, since a capture has whatever the events had. Exit status 1
 * when there is no such capture, 2 for a number that is not one, 3 when store or file
 * fails. */
#include "cli/graph_stored.h"

#include <errno.h>
#include <stdlib.h>

#include "host/graph_service.h"
#include "os/file.h"

/* 0: the last one. */
static bool read_number(const cli_args *args, int64_t *out)
{
    const char *text = cli_value(args, "number");
    char *end;
    errno = 0;
    *out = text ? strtoll(text, &end, 10) : 0;
    bool good = !text || (!errno && !*end && end != text && *out >= 1);
    if (!good) {
        cli_fail(args, CLI_USAGE, "--number needs a whole number from 1, not '%s'",
                 text);
    }
    return good;
}

/* A graph without keys has one history; with keys each has its own, and --key says
 * which. */
static int read_journal(const cli_args *args, st_store *store, const char *graph,
                        int64_t number, mt_buf *journal)
{
    st_tx *tx;
    mt_err err = st_begin(store, ST_READ, &tx);
    if (!err) {
        err = ho_graph_stored_journal(
            tx, mt_str_z(graph), mt_str_z(cli_value(args, "key")), number, journal);
        st_rollback(tx);
    }
    if (err == MT_E_NOTFOUND) {
        const char *key = cli_value(args, "key");
        return cli_fail(args, CLI_FAILS,
                        "the store has no such capture of graph '%s'%s%s", graph,
                        key ? " and key " : "", key ? key : "");
    }
    return err ? cli_fail(args, CLI_WORLD, "the store cannot be read: %s",
                          mt_err_text(err))
               : CLI_HOLDS;
}

int cli_graph_stored(const cli_args *args, const char *graph, const char *path)
{
    st_options options = {.pool = 1, .read_only = true, .must_exist = true};
    st_store *store = NULL;
    mt_buf why = {0}, journal = {0};
    int64_t number;
    if (!read_number(args, &number)) {
        return CLI_USAGE;
    }
    int code = CLI_HOLDS;
    if (st_open(cli_value(args, "store"), &options, &store, &why)) {
        code = cli_fail(args, CLI_WORLD, "%.*s", MT_ARG(why));
    }
    code = code ? code : read_journal(args, store, graph, number, &journal);
    if (!code && os_write_file(path, mt_buf_str(&journal), 0600)) {
        code = cli_fail(args, CLI_WORLD, "cannot write %s: %s", path, strerror(errno));
    }
    if (store) {
        st_close(store);
    }
    mt_buf_free(&why);
    mt_buf_free(&journal);
    return code;
}
