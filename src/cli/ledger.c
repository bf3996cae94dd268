/* cli/ledger.c - a ledger to read: a file, standard input, or the rows of a store.
 *
 * All commands on ledgers open one of these and get lines from the same kind of source
 * (ledger/source.h). A store is opened read only and beside a running server; nothing
 * is claimed. Some commands read twice: cli_ledger_rewind() needs a real file then.
 *
 * The end of the lines is not a fault; a cut line and one that is too long are, with
 * file and line number, and so is the world. Keys and checkpoints given by option are
 * read here as well: a checkpoint must verify before anybody uses it. */
#include "cli/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/keys.h"
#include "ledger/document.h"

/* Who shows or proves records has no use for what they name. */
static mt_err next_but_documents(void *state, mt_str *line)
{
    cli_ledger *l = state;
    mt_err err;
    do {
        err = l->lines.next(l->lines.state, line);
    } while (!err && lg_is_document(*line));
    return err;
}

void cli_ledger_with_documents(cli_ledger *l)
{
    l->source = l->lines;
}

/* Lines longer than the limit are refused by the reader before they are held in
 * memory. */
static void start_file(cli_ledger *l)
{
    l->file = lg_file_new(l->fd, l->line_limit);
    l->lines = lg_file_source(l->file);
    l->source = (lg_source){l, next_but_documents};
}

/* "-" is duplicated, so closing the ledger never closes standard input. */
static int open_file(const cli_args *args, cli_ledger *l)
{
    if (!args->count) {
        return cli_fail(args, CLI_USAGE, "the file of a ledger or --store is needed");
    }
    l->name = args->operands[0];
    l->operands = 1;
    l->fd = strcmp(l->name, "-") == 0 ? dup(STDIN_FILENO)
                                      : open(l->name, O_RDONLY | O_CLOEXEC);
    if (l->fd < 0) {
        return cli_fail(args, CLI_WORLD, "%s: %s", l->name, strerror(errno));
    }
    posix_fadvise(l->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    start_file(l);
    return CLI_HOLDS;
}

/* errno is cleared, because cli_why() would show that of an earlier call. */
static int start_rows(const cli_args *args, cli_ledger *l)
{
    errno = 0;
    mt_err err = ex_ledger_open(l->store, l->from, &l->rows);
    if (err) {
        return cli_fail(args, CLI_WORLD, "%s: %s", l->name, cli_why(err));
    }
    l->source = l->lines = ex_ledger_source(l->rows);
    return CLI_HOLDS;
}

/* Beside a running server as well: nothing is written and nothing claimed. */
static int open_store(const cli_args *args, const char *url, cli_ledger *l)
{
    st_options options = {.read_only = true, .must_exist = true};
    mt_buf why = {0};
    if (st_open(url, &options, &l->store, &why)) {
        int code = cli_fail(args, CLI_WORLD, "%.*s", MT_ARG(mt_buf_str(&why)));
        mt_buf_free(&why);
        return code;
    }
    mt_buf_free(&why);
    l->name = st_shown_url(l->store).ptr;
    return start_rows(args, l);
}

int cli_ledger_open(const cli_args *args, uint64_t from, cli_ledger *l)
{
    const char *url = cli_value(args, "store");
    *l = (cli_ledger){
        .fd = -1, .from = from, .line_limit = cli_limits(args).ledger_line_bytes};
    return url ? open_store(args, url, l) : open_file(args, l);
}

/* For commands that read twice. A pipe cannot be rewound and is refused in words; on a
 * store the reading begins anew. */
int cli_ledger_rewind(const cli_args *args, cli_ledger *l)
{
    if (l->store) {
        ex_ledger_close(l->rows);
        return start_rows(args, l);
    }
    if (lseek(l->fd, 0, SEEK_SET) < 0) {
        return cli_fail(args, CLI_WORLD, "%s must be a file, it is read twice: %s",
                        l->name, strerror(errno));
    }
    lg_file_free(l->file);
    start_file(l);
    return CLI_HOLDS;
}

/* Safe after a failed opening: rows, store and file are NULL then. */
void cli_ledger_close(cli_ledger *l)
{
    ex_ledger_close(l->rows);
    if (l->store) {
        st_close(l->store);
    }
    lg_file_free(l->file);
    if (l->fd >= 0) {
        close(l->fd);
    }
}

/* What the end of reading means: NOTFOUND is the good end. A line cut off is damage of
 * the ledger, an error of reading is not. */
int cli_ledger_stop(const cli_args *args, const cli_ledger *l, mt_err err,
                    uint64_t line)
{
    unsigned long long at = line;
    switch ((int)err) {
    case MT_OK:
    case MT_E_NOTFOUND: return CLI_HOLDS;
    case MT_E_CORRUPT:
        return cli_fail(args, CLI_FAILS, "%s, line %llu: the line is cut off", l->name,
                        at);
    case MT_E_LIMIT:
        return cli_fail(args, CLI_FAILS,
                        "%s, line %llu: more than %zu bytes (limit ledger_line_bytes)",
                        l->name, at, l->line_limit);
    default: return cli_fail(args, CLI_WORLD, "%s: %s", l->name, cli_why(err));
    }
}

/* Damage and a disk that fails look alike to the verifier; f->world tells them
 * apart. */
int cli_ledger_fault(const cli_args *args, const cli_ledger *l, const lg_finding *f)
{
    if (!f->problem) {
        return CLI_HOLDS;
    }
    if (f->world) {
        return cli_ledger_stop(args, l, f->world, f->line);
    }
    mt_buf place = {0};
    mt_buf_addf(&place, "%s", l->name);
    if (f->line) {
        mt_buf_addf(&place, ", line %llu", (unsigned long long)f->line);
    }
    if (f->about_record) {
        mt_buf_addf(&place, ", record %llu", (unsigned long long)f->seq);
    }
    int code =
        cli_fail(args, CLI_FAILS, "%.*s: %s", MT_ARG(mt_buf_str(&place)), f->problem);
    mt_buf_free(&place);
    return code;
}

/* For a store only: what its own tail says is compared with the end that was verified.
 * A file has nothing to compare with. */
void cli_ledger_compare(cli_ledger *l, lg_finding *f)
{
    if (f->problem || !l->rows) {
        return;
    }
    mt_err err = ex_ledger_compare(l->rows, &f->end, &f->problem);
    f->seq = f->end.tree.size;
    f->about_record = f->problem != NULL;
    if (err) {
        f->problem = "the ledger cannot be read on";
        f->world = err;
    }
}

/* The signature is checked by the key that the checkpoint itself names; whose key that
 * is, is for the caller to ask. */
int cli_read_checkpoint(const cli_args *args, mt_arena *a, const char *path,
                        lg_checkpoint *out)
{
    mt_str text;
    int code = cli_read_text(args, a, path, 1 << 16, &text);
    if (code) {
        return code;
    }
    text.len -= text.len && text.ptr[text.len - 1] == '\n';
    if (lg_checkpoint_read(a, text, out)) {
        return cli_fail(args, CLI_FAILS, "%s: this is not a checkpoint", path);
    }
    return lg_checkpoint_verify(out)
               ? CLI_HOLDS
               : cli_fail(args, CLI_FAILS, "%s: the signature is wrong", path);
}

int cli_read_publics(const cli_args *args, mt_arena *a, const mt_sign_public **keys,
                     size_t *count)
{
    MT_VEC(mt_sign_public) all = {0};
    for (int i = 0;; i++) {
        mt_sign_public key;
        bool given;
        int code = cli_read_public_at(args, "key", i, &key, &given);
        if (code) {
            return code;
        }
        if (!given) {
            break;
        }
        mt_vec_push(a, &all, key);
    }
    *keys = all.items;
    *count = all.len;
    return CLI_HOLDS;
}
