/* cli/cmd_lsp.c - motet lsp: the language server over standard input and output.
 *
 * Bytes that have come are fed to the server before it works, so that what became stale
 * while it worked costs nothing. Nothing but messages goes to standard output. With
 * --log every message is appended to a file, both ways.
 *
 * Ends with the editor's `exit`, or when standard input does. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/commands.h"
#include "http/config.h"
#include "lsp/lsp.h"
#include "os/sources.h"

/* clang-format off */
const cli_option CMD_LSP_OPTIONS[] = {
    {"stdio", NULL,   "over standard input and output, which is the only way there is"},
    {"log",   "FILE", "append every message to FILE"},
    {NULL, NULL, NULL},
};
const char CMD_LSP_DETAILS[] =
    "Speaks the Language Server Protocol (3.17). Editors start it themselves; docs/learn/editors.md\n"
    "says how for VS Code, Neovim and Emacs. It checks every contract that is open as motet check\n"
    "does, after each change, and knows names, types, places, layouts, pictures and questions; so it\n"
    "does for graphs, agents, scenarios and motet.yaml. Scenarios are run from the editor.\n"
    "Exit status 0: the editor ended it, 1: it ended without saying so.";
/* clang-format on */

enum {
    AT_ONCE = 1 << 16,
    MOST_DEPTH = 16,      /* of folders below the workspace */
    MOST_ENTRIES = 100000 /* of a workspace, looked at for one answer */
};

/* ---- files ---- */

typedef struct disk {
    os_sources sources;
    mt_provider below;
    mt_limits limits;
} disk;

static mt_err find_file(void *state, mt_arena *a, mt_str dir, mt_str path, mt_str *id,
                        mt_str *why)
{
    disk *d = state;
    return d->below.find(d->below.state, a, dir, path, id, why);
}

/* The bound on all files of one contract is for one contract; a server reads many. */
static mt_err read_file(void *state, mt_arena *a, mt_str id, size_t limit, mt_str *text,
                        mt_str *why)
{
    disk *d = state;
    d->sources.bytes_left = d->limits.source_total_bytes;
    return d->below.read(d->below.state, a, id, limit, text, why);
}

typedef struct walk {
    mt_arena arena;
    mt_str suffix;
    MT_VEC(mt_str) paths;
    size_t entries;
} walk;

static bool is_folder(const struct dirent *e)
{
    return e->d_type == DT_DIR && e->d_name[0] != '.' &&
           strcmp(e->d_name, "node_modules") != 0;
}

/* Links are not followed: a circle of them has no end. */
static void walk_folder(walk *w, mt_str folder, int depth)
{
    mt_arena *a = &w->arena;
    DIR *dir = depth < MOST_DEPTH ? opendir(mt_str_dup(a, folder).ptr) : NULL;
    struct dirent *e;
    while (dir && w->entries < MOST_ENTRIES && (e = readdir(dir))) {
        w->entries++;
        mt_str name = mt_str_z(e->d_name);
        if (is_folder(e)) {
            walk_folder(w, mt_path_join(a, folder, name), depth + 1);
        } else if (e->d_type == DT_REG && mt_str_ends(name, w->suffix)) {
            mt_vec_push(a, &w->paths, mt_path_join(a, folder, name));
        }
    }
    if (dir) {
        closedir(dir);
    }
}

/* In the order of their paths: a folder has its entries in an order of its own. */
static void list_files(void *state, mt_str folder, mt_str suffix, ls_each *each,
                       void *context)
{
    (void)state;
    walk w = {.suffix = suffix};
    walk_folder(&w, folder, 0);
    mt_str_sort(w.paths.items, w.paths.len);
    for (size_t i = 0; i < w.paths.len && each(context, w.paths.items[i]); i++) {
    }
    mt_arena_free(&w.arena);
}

/* ---- bytes ---- */

/* The editor is served also when the log cannot be written. */
static void note(FILE *log, const char *direction, mt_str bytes)
{
    if (log && bytes.len) {
        fprintf(log, "%s %.*s\n", direction, MT_ARG(bytes));
        fflush(log);
    }
}

static bool is_more_waiting(void)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&p, 1, 0) > 0 && p.revents & POLLIN;
}

/* False: standard input has ended. */
static bool take_in(ls_server *s, FILE *log)
{
    static char bytes[AT_ONCE];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n > 0) {
        note(log, "<-", mt_str_from(bytes, (size_t)n));
        ls_feed(s, mt_str_from(bytes, (size_t)n));
    }
    return n > 0 || (n < 0 && errno == EINTR);
}

static bool send_out(mt_buf *out, FILE *log)
{
    note(log, "->", mt_buf_str(out));
    for (size_t done = 0; done < out->len;) {
        ssize_t n = write(STDOUT_FILENO, out->ptr + done, out->len - done);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    mt_buf_clear(out);
    return true;
}

static int serve(ls_server *s, FILE *log)
{
    mt_buf out = {0};
    int code = CLI_FAILS;
    bool is_open = true, has_ended = false;
    while (is_open && !has_ended) {
        is_open = take_in(s, log);
        while (is_open && (ls_is_full(s) || !is_more_waiting()) && ls_work(s, &out)) {
            is_open = send_out(&out, log);
        }
        has_ended = ls_has_ended(s, &code);
    }
    /* what was said before the end is still heard */
    while (!has_ended && ls_work(s, &out)) {
        send_out(&out, log);
        has_ended = ls_has_ended(s, &code);
    }
    mt_buf_free(&out);
    return has_ended && !code ? CLI_HOLDS : CLI_FAILS;
}

int cmd_lsp(const cli_args *args)
{
    const char *path = cli_value(args, "log");
    FILE *log = path ? fopen(path, "ae") : NULL;
    if (path && !log) {
        return cli_fail(args, CLI_WORLD, "cannot write %s: %s", path, strerror(errno));
    }
    disk d = {.limits = cli_limits(args)};
    d.below = os_sources_provider(&d.sources, &d.limits);
    ls_world world = {.files = {&d, find_file, read_file},
                      .state = &d,
                      .list = list_files,
                      .limits = &d.limits,
                      .project = &HT_CONFIG_FORM};
    ls_server *s = ls_new(&world);
    int code = serve(s, log);
    ls_free(s);
    if (log) {
        fclose(log);
    }
    return code;
}
