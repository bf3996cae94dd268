/* cli/cmd_studio.c - motet studio: the page on files of this machine.
 *
 * The operand is a folder (all contracts, bundles, facts and scenarios in it are open)
 * or a file (it and what it imports, found again at every look, so a new import is open
 * too). What may not be is said before anything listens. Then: listen, print the
 * address, open a browser if there is a desktop, wait for a signal.
 *
 * A browser is given a file that leads to the address, not the address: arguments of
 * programs are seen by everybody on the machine, and who comes first has the session.
 *
 * Exit status 0 ended as told, 1 the file cannot be shown, 2 used wrongly, 3 the
 * machine failed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "cli/contract.h"
#include "http/local.h"
#include "http/studio.h"
#include "os/file.h"
#include "os/process.h"

/* clang-format off */
const cli_option CMD_STUDIO_OPTIONS[] = {
    {"port",    "N",    "listen on this port of 127.0.0.1 (8450, or any if that is taken; 0: any)"},
    {"open",    NULL,   "open a browser, also where no desktop is seen"},
    {"no-open", NULL,   "open none; the address is printed in any case"},
    {"ask-seconds", "N", "how long a question that needs the solver may take (60)"},
    {NULL, NULL, NULL},
};
const char CMD_STUDIO_DETAILS[] =
"Opens Studio on a folder (the current one, if none is named) or on a contract with\n"
"what it imports. Ctrl+S in the page saves to disk; a file that somebody else changed\n"
"meanwhile is not overwritten unseen, and the page says so.\n\n"
"It listens on this machine only. The address that is printed has a secret that is\n"
"good once: the browser that opens it first has the files, and nobody after it.\n"
"Only files that end in .tenor, .json, .yaml or .yml below the folder are read and\n"
"written; links are not followed. Ctrl+C ends it.";
/* clang-format on */

/* Under a sanitizer the program takes terabytes of addresses, and hardly any memory. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

enum {
    ASK_SECONDS = 60,
    ASK_SECONDS_MOST = 3600,
    ASK_GIGABYTES = 4,
    PORT_MOST = 65535
};

typedef struct session {
    const cli_args *args;
    mt_arena arena;
    os_folder folder;
    mt_str root;    /* in the folder; empty: all of it */
    ht_local *page; /* NULL until it listens */
    char program[PATH_MAX];
    char leads[PATH_MAX]; /* the file for the browser; empty: none */
} session;

/* ---- What is open ---- */

static mt_err list_one(void *state, mt_arena *a, os_folder_names *out)
{
    session *s = state;
    (void)a;
    *out = (os_folder_names){.items = &s->root, .count = 1};
    return MT_OK;
}

/* The file and what it imports. What the elaborator could not find is not there. */
static mt_err list_imports(void *state, mt_arena *a, os_folder_names *out)
{
    const session *s = state;
    mt_str before = mt_strf(a, "%s/", s->folder.path.ptr);
    mt_str path = mt_strf(a, "%s%s", before.ptr, s->root.ptr);
    MT_VEC(mt_str) names = {0};
    mt_vec_push(a, &names, s->root);
    cli_contract c;
    (void)cli_contract_load(s->args, path.ptr, false, &c);
    for (size_t i = 0; i < c.sources.len && names.len < HT_LOCAL_FILES; i++) {
        mt_str name = c.sources.items[i].name;
        mt_str below = mt_str_skip(name, before.len);
        if (mt_str_starts(name, before) && mt_str_ends(name, MT_STR(".tenor")) &&
            !mt_str_eq(below, s->root)) {
            mt_vec_push(a, &names, mt_str_dup(a, below));
        }
    }
    cli_contract_free(&c);
    *out = (os_folder_names){.items = names.items, .count = names.len};
    return MT_OK;
}

static mt_err list_folder(void *state, mt_arena *a, os_folder_names *out)
{
    const session *s = state;
    return os_folder_list(&s->folder, a, HT_LOCAL_SUFFIXES, HT_LOCAL_FILES, out);
}

static int check_folder(session *s)
{
    os_folder_names names;
    if (list_folder(s, &s->arena, &names)) {
        return cli_fail(s->args, CLI_WORLD, "%s: %s", s->folder.path.ptr,
                        strerror(errno));
    }
    return !names.cut
               ? CLI_HOLDS
               : cli_fail(
                     s->args, CLI_USAGE,
                     "%s has more than %d files that Studio opens; name a folder in "
                     "it, or a contract",
                     s->folder.path.ptr, HT_LOCAL_FILES);
}

static int check_file(session *s, const char *given)
{
    mt_str text;
    mt_err err =
        os_folder_read(&s->folder, &s->arena, s->root, HT_LOCAL_FILE_BYTES, &text);
    if (err) {
        return err == MT_E_LIMIT
                   ? cli_fail(s->args, CLI_FAILS,
                              "%s is larger than 4 MB; motet check reads it", given)
                   : cli_fail(s->args, CLI_WORLD, "%s: %s", given,
                              err == MT_E_USAGE ? os_folder_name_fault(s->root)
                                                : cli_why(err));
    }
    return mt_utf8_check(text) == text.len
               ? CLI_HOLDS
               : cli_fail(s->args, CLI_FAILS, "%s is not UTF-8 (at byte %zu)", given,
                          mt_utf8_check(text));
}

static int open_file(session *s, const char *given, const char *real)
{
    mt_str path = mt_str_z(real);
    mt_str directory = mt_str_dup(&s->arena, mt_path_dir(path));
    s->root = mt_str_dup(&s->arena, mt_str_basename(path));
    if (!mt_str_ends(s->root, MT_STR(".tenor")) &&
        !mt_str_ends(s->root, MT_STR(".json"))) {
        return cli_fail(s->args, CLI_USAGE,
                        "%s is not a contract (.tenor) or a bundle (.json); name its "
                        "folder for the rest",
                        given);
    }
    if (os_folder_open(&s->arena, directory.ptr, &s->folder)) {
        return cli_fail(s->args, CLI_WORLD, "%s: %s", given, strerror(errno));
    }
    return check_file(s, given);
}

static int open_place(session *s, const char *given)
{
    struct stat st;
    char real[PATH_MAX];
    if (!realpath(given, real) || stat(real, &st) != 0) {
        return cli_fail(s->args, CLI_WORLD, "%s: %s", given, strerror(errno));
    }
    if (!S_ISDIR(st.st_mode)) {
        return open_file(s, given, real);
    }
    if (os_folder_open(&s->arena, real, &s->folder)) {
        return cli_fail(s->args, CLI_WORLD, "%s: %s", given, strerror(errno));
    }
    return check_folder(s);
}

/* ---- Listening ---- */

/* Questions are answered by this very program, so by the same version. */
static const char *own_program(session *s)
{
    ssize_t len = readlink("/proc/self/exe", s->program, sizeof s->program - 1);
    s->program[len > 0 ? len : 0] = '\0';
    return len > 0 ? s->program : NULL;
}

/* Those of the command line count for questions. */
static const char *const *limits_of(session *s)
{
    MT_VEC(const char *) given = {0};
    const char *one;
    for (int i = 0; (one = cli_value_at(s->args, "limit", i)); i++) {
        mt_vec_push(&s->arena, &given, one);
    }
    mt_vec_push(&s->arena, &given, NULL);
    return given.items;
}

/* A port that was asked for is that port or none; the usual one gives way. */
static int listen_on(session *s, size_t port, size_t ask_seconds)
{
    bool chosen = cli_flag(s->args, "port");
    mt_buf why = {0};
    ht_local_options o = {.folder = &s->folder,
                          .root = s->root,
                          .list = !s->root.len ? list_folder
                                  : mt_str_ends(s->root, MT_STR(".json"))
                                      ? list_one /* a bundle imports nothing */
                                      : list_imports,
                          .state = s,
                          .program = own_program(s),
                          .ask_ms = (unsigned)ask_seconds * 1000,
                          .limits = limits_of(s),
                          .ask_memory = SANITIZED ? 0 : (size_t)ASK_GIGABYTES << 30,
                          .port = (unsigned)port};
    mt_err err = ht_local_open(&o, &s->page, &why);
    if (err == MT_E_EXISTS && !chosen) {
        mt_buf_clear(&why);
        o.port = 0;
        err = ht_local_open(&o, &s->page, &why);
    }
    int code = err ? cli_fail(s->args, CLI_WORLD, "%.*s", MT_ARG(mt_buf_str(&why)))
                   : CLI_HOLDS;
    mt_buf_free(&why);
    return code;
}

static int say_where(const session *s)
{
    mt_buf line = {0};
    mt_str address = ht_local_address(s->page);
    mt_buf_addf(&line, "studio on %s%s%s\n  %.*s\n", s->folder.path.ptr,
                s->root.len ? "/" : "", s->root.len ? s->root.ptr : "",
                MT_ARG(address));
    mt_buf_addz(&line,
                "The address is good once, on this machine only. Ctrl+C ends.\n");
    int code = cli_print(mt_buf_str(&line));
    mt_buf_free(&line);
    return code;
}

/* ---- The browser ---- */

static bool wants_browser(const cli_args *args)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    bool desktop = (x && *x) || (wayland && *wayland);
    return !cli_flag(args, "no-open") && (cli_flag(args, "open") || desktop);
}

static bool write_lead(session *s)
{
    const char *place = getenv("XDG_RUNTIME_DIR");
    snprintf(s->leads, sizeof s->leads, "%s/motet-studio-XXXXXX.html",
             place && *place ? place : P_tmpdir);
    int fd = mkostemps(s->leads, 5, O_CLOEXEC); /* mode 0600 */
    if (fd < 0) {
        s->leads[0] = '\0';
        return false;
    }
    mt_str address = ht_local_address(s->page);
    mt_str page = mt_strf(&s->arena,
                          "<!doctype html><meta charset=\"utf-8\"><title>Studio</title>"
                          "<meta http-equiv=\"refresh\" content=\"0;url=%.*s\">"
                          "<a href=\"%.*s\">Studio</a>\n",
                          MT_ARG(address), MT_ARG(address));
    bool good = os_write_all(fd, page) == MT_OK;
    close(fd);
    return good;
}

/* Whatever goes wrong here, the address was printed. */
static void open_browser(session *s)
{
    const char *const argv[] = {"xdg-open", s->leads, NULL};
    if (wants_browser(s->args) && (!write_lead(s) || os_detach(argv))) {
        fprintf(stderr, "motet studio: no browser could be opened (xdg-open); open the "
                        "address yourself\n");
    }
}

/* ---- The command ---- */

static int run(session *s, const sigset_t *signals)
{
    size_t port = HT_LOCAL_PORT, seconds = ASK_SECONDS;
    int which;
    if (!cli_number(s->args, "port", PORT_MOST, &port) ||
        !cli_number(s->args, "ask-seconds", ASK_SECONDS_MOST, &seconds)) {
        return CLI_USAGE;
    }
    if (!seconds) {
        return cli_fail(s->args, CLI_USAGE, "--ask-seconds is a number from 1 to %d",
                        ASK_SECONDS_MOST);
    }
    int code = open_place(s, s->args->count ? s->args->operands[0] : ".");
    code = code ? code : listen_on(s, port, seconds);
    code = code ? code : say_where(s);
    if (!code) {
        open_browser(s);
        sigwait(signals, &which);
    }
    return code;
}

static void end(session *s)
{
    ht_local_close(s->page);
    if (s->leads[0]) {
        unlink(s->leads);
    }
    os_folder_close(&s->folder);
    mt_arena_free(&s->arena);
}

int cmd_studio(const cli_args *args)
{
    session s = {.args = args, .folder = {.fd = -1}};
    sigset_t signals;
    if (cli_flag(args, "open") && cli_flag(args, "no-open")) {
        return cli_fail(args, CLI_USAGE, "--open and --no-open contradict each other");
    }
    if (!ht_studio_is_there()) {
        return cli_fail(
            args, CLI_WORLD,
            "this program was built without Studio: `make studio` builds it, "
            "where npm is there, then `make`");
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    /* Before any thread is made, so that all of them leave signals to us. */
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    int code = run(&s, &signals);
    end(&s);
    return code;
}
