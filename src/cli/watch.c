#include "cli/watch.h"

#include <errno.h>
#include <poll.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

enum { SETTLE_MS = 30, FILES = 4096 };

static volatile sig_atomic_t stop_asked;

/* Nothing but a flag; ppoll() comes back with EINTR. */
static void ask_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

/* inotify gives a directory one number however often it is added, so number and name
 * identify a file. */
static bool is_watched(const cli_watch *w, int directory, mt_str name)
{
    for (size_t i = 0; i < w->files.len; i++) {
        const cli_watched *f = &w->files.items[i];
        if (f->directory == directory && mt_str_eq(f->name, name)) {
            return true;
        }
    }
    return false;
}

/* The directory is watched and not the file: editors replace a file by renaming, and a
 * watch on the old one would go deaf. */
void cli_watch_add(cli_watch *w, mt_str path)
{
    mt_str name = mt_str_basename(path);
    size_t dir_len = path.len - name.len;
    mt_str dir =
        dir_len ? mt_str_dup(&w->arena, mt_str_from(path.ptr, dir_len)) : MT_STR(".");
    int id = inotify_add_watch(w->fd, dir.ptr,
                               IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_CREATE);
    if (id >= 0 && w->files.len < FILES && !is_watched(w, id, name)) {
        cli_watched file = {id, mt_str_dup(&w->arena, name)};
        mt_vec_push(&w->arena, &w->files, file);
    }
}

/* The old handlers are kept, so that the caller has its signals back afterwards. */
mt_err cli_watch_start(cli_watch *w, mt_str path)
{
    *w = (cli_watch){.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
    if (w->fd < 0) {
        return MT_E_IO;
    }
    cli_watch_add(w, path);
    if (!w->files.len) {
        int why = errno;
        close(w->fd);
        mt_arena_free(&w->arena);
        errno = why;
        return MT_E_IO;
    }
    stop_asked = 0;
    struct sigaction action = {.sa_handler = ask_stop};
    sigaction(SIGINT, &action, &w->old_int);
    sigaction(SIGTERM, &action, &w->old_term);
    return MT_OK;
}

/* Reads what is pending; true if one of our files is in it. */
static bool drain(cli_watch *w)
{
    _Alignas(struct inotify_event) char buffer[8192];
    bool ours = false;
    for (;;) {
        ssize_t got = read(w->fd, buffer, sizeof buffer);
        if (got <= 0) {
            return ours;
        }
        for (char *at = buffer; at < buffer + got;) {
            const struct inotify_event *event = (const void *)at;
            mt_str name = event->len ? mt_str_z(event->name) : MT_STR("");
            ours =
                ours || (event->mask & IN_Q_OVERFLOW) || is_watched(w, event->wd, name);
            at += sizeof *event + event->len;
        }
    }
}

/* Events of other files in the directory are drained and do not count. After a change
 * it waits SETTLE_MS and drains again, since one save is several events. */
bool cli_watch_wait(cli_watch *w)
{
    struct pollfd ready = {.fd = w->fd, .events = POLLIN};
    /* The mask closes the gap between looking at stop_asked and sleeping. */
    sigset_t blocked, old;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &old);
    bool changed = false;
    while (!stop_asked && !changed) {
        int n = ppoll(&ready, 1, NULL, &old);
        if (n > 0) {
            changed = drain(w);
        } else if (n < 0 && errno != EINTR) {
            break;
        }
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    if (changed) { /* one save is several events */
        struct timespec settle = {0, SETTLE_MS * 1000000L};
        nanosleep(&settle, NULL);
        drain(w);
    }
    return changed && !stop_asked;
}

/* The watches go with the descriptor. */
void cli_watch_stop(cli_watch *w)
{
    sigaction(SIGINT, &w->old_int, NULL);
    sigaction(SIGTERM, &w->old_term, NULL);
    close(w->fd);
    mt_arena_free(&w->arena);
}
