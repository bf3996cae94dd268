/* host/graph_channel_ends.c - intents to a file, to standard output, to an address.
 *
 * A file and standard output get one JSON line for each intent. A line in a file is on
 * disk before it counts as accepted ("durable"), and an id that one of the last lines
 * has is not written again, so a run that was killed in between repeats nothing. What
 * standard output does with a line nobody knows: it is "written".
 *
 * A webhook is asked by POST, with the intent as JSON and its id as Idempotency-Key.
 * 2xx accepts; 408, 425, 429, 5xx and everything that goes wrong on the way may work
 * later; any other status refuses. Redirects are not followed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapter/post.h"
#include "base/map.h"
#include "host/graph_channel.h"
#include "os/file.h"
#include "os/secret.h"

static mt_str line_of(mt_buf *out, const ho_letter *letter)
{
    mt_buf_addc(out, '{');
    ho_letter_members(out, letter);
    mt_buf_addc(out, '\n');
    return mt_buf_str(out);
}

/* ---- file ---- */

enum { KNOWN_BYTES = 1 << 20, KNOWN_MOST = 100000 };

typedef struct out_file {
    int fd;
    mt_arena ids;
    mt_map known; /* ids of the last lines, and of what was written since */
} out_file;

static const mt_form_row FILE_ROWS[] = {
    MT_FORM_WORD(ho_channel, path, "path", MT_FORM_REQUIRED),
};

static void check_path(ho_channel *c, mt_form *f, const mt_json *at)
{
    if (!c->path[0]) {
        mt_form_say(f, MT_FORM_OUT_OF_RANGE, at, "path", "must name a file");
    }
}

static void path_identity(const ho_channel *c, mt_jw *w)
{
    mt_jw_key_str(w, "path", mt_str_z(c->path));
}

static void know(out_file *f, mt_str id)
{
    bool added;
    if (f->known.len >= KNOWN_MOST) { /* the oldest are long settled */
        mt_arena_free(&f->ids);
        f->known = (mt_map){0};
    }
    mt_map_add(&f->ids, &f->known, mt_str_dup(&f->ids, id), &added);
}

/* Lines that are not intents are somebody else's, and stay. */
static void know_lines(out_file *f, mt_arena *a, mt_str text)
{
    while (text.len) {
        mt_mark mark = mt_arena_mark(a);
        mt_str line = mt_str_from(text.ptr, mt_str_find(text, '\n'));
        mt_json node;
        if (!mt_json_read(a, line, NULL, &node, NULL)) {
            mt_str id = mt_text_at(&node, "intent_id");
            if (id.len) {
                know(f, id);
            }
        }
        text = mt_str_skip(text, line.len + 1);
        mt_arena_rewind(a, mark);
    }
}

/* A last line that a crash has torn is taken away: it was never acknowledged. */
static bool read_end(out_file *f, mt_arena *a)
{
    struct stat st;
    if (fstat(f->fd, &st) != 0) {
        return false;
    }
    if (!S_ISREG(st.st_mode)) {
        return true; /* a pipe or a device has no end */
    }
    if (os_cut_torn_line(f->fd) || fstat(f->fd, &st) != 0) {
        return false;
    }
    size_t most = st.st_size < KNOWN_BYTES ? (size_t)st.st_size : KNOWN_BYTES;
    char *bytes = mt_new_array(a, char, most + 1);
    if (pread(f->fd, bytes, most, st.st_size - (off_t)most) != (ssize_t)most) {
        return false;
    }
    know_lines(f, a, mt_str_from(bytes, most));
    return true;
}

static void drop_file(ho_channel *c)
{
    out_file *f = c->state;
    if (f) {
        if (f->fd >= 0) {
            close(f->fd);
        }
        mt_arena_free(&f->ids);
        free(f);
    }
    c->state = NULL;
}

static mt_err start_file(ho_channel *c, mt_arena *a, ho_answer *out)
{
    out_file *f = mt_xmalloc(sizeof *f);
    *f = (out_file){.fd = open(c->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644)};
    c->state = f;
    errno = f->fd < 0 ? errno : 0;
    if (f->fd < 0 || !read_end(f, a)) {
        *out = ho_broke("egress_io",
                        mt_strf(a, "cannot write %s: %s", c->path, strerror(errno)));
        return MT_E_CLOSED;
    }
    os_sync_name(c->path);
    return MT_OK;
}

/* What could not be written whole is taken back, so that the next try begins a line. */
static ho_answer send_file(ho_channel *c, mt_arena *a, const ho_letter *letter,
                           uint64_t timeout_ms)
{
    out_file *f = c->state;
    mt_buf line = {0};
    struct stat st;
    (void)timeout_ms;
    bool plain = fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode);
    const char *kept = plain ? "durable" : "written";
    if (mt_map_find(&f->known, letter->id)) {
        return ho_accepted(kept);
    }
    mt_err err = os_write_all(f->fd, line_of(&line, letter));
    mt_buf_free(&line);
    if (err || (plain && fdatasync(f->fd) != 0)) {
        mt_str why = mt_strf(a, "cannot write %s: %s", c->path, strerror(errno));
        bool undone = plain && ftruncate(f->fd, st.st_size) == 0;
        (void)undone; /* else the start of the next try finds it */
        return ho_broke("egress_io", why);
    }
    know(f, letter->id);
    return ho_accepted(kept);
}

static mt_err stop_file(ho_channel *c, mt_arena *a, ho_answer *out)
{
    (void)a, (void)out;
    drop_file(c);
    return MT_OK;
}

const ho_channel_kind HO_FILE_CHANNEL = {
    .name = "file",
    .rows = FILE_ROWS,
    .row_count = mt_form_count(FILE_ROWS),
    .attempts = 1,
    .check = check_path,
    .identity = path_identity,
    .start = start_file,
    .send = send_file,
    .stop = stop_file,
    .drop = drop_file,
};

/* ---- standard output ---- */

static void no_identity(const ho_channel *c, mt_jw *w)
{
    (void)c, (void)w;
}

static mt_err start_nothing(ho_channel *c, mt_arena *a, ho_answer *out)
{
    (void)c, (void)a, (void)out;
    return MT_OK;
}

static void drop_nothing(ho_channel *c)
{
    (void)c;
}

static ho_answer send_stdout(ho_channel *c, mt_arena *a, const ho_letter *letter,
                             uint64_t timeout_ms)
{
    mt_buf line = {0};
    (void)c, (void)timeout_ms;
    mt_err err = os_write_all(STDOUT_FILENO, line_of(&line, letter));
    mt_buf_free(&line);
    return err ? ho_not_sent(
                     HO_FAILED, "egress_io",
                     mt_strf(a, "cannot write standard output: %s", strerror(errno)))
               : ho_accepted("written");
}

const ho_channel_kind HO_STDOUT_CHANNEL = {
    .name = "stdout",
    .attempts = 1,
    .identity = no_identity,
    .start = start_nothing,
    .send = send_stdout,
    .stop = start_nothing,
    .drop = drop_nothing,
};

/* ---- webhook ---- */

enum { ANSWER_BYTES = 64 << 10 };

static const mt_form_row WEBHOOK_ROWS[] = {
    MT_FORM_WORD(ho_channel, url, "url", MT_FORM_REQUIRED),
    MT_FORM_WORD(ho_channel, ca, "ca", 0),
    MT_FORM_WORD(ho_channel, token_env, "token_env", 0),
    MT_FORM_WORD(ho_channel, token_file, "token_file", 0),
};

/* Whether the URL is one, is known where it is used: by libcurl, which is loaded late.
 */
static void check_webhook(ho_channel *c, mt_form *f, const mt_json *at)
{
    mt_str url = mt_str_z(c->url);
    if (!mt_str_starts(url, MT_STR("http://")) &&
        !mt_str_starts(url, MT_STR("https://"))) {
        mt_form_say(f, MT_FORM_OUT_OF_RANGE, at, "url",
                    "must begin with http:// or https://");
    }
    if (c->token_env && c->token_file) {
        mt_form_say(f, MT_FORM_OUT_OF_RANGE, at, "token_file",
                    "cannot stand beside `token_env`: one token is sent");
    }
}

static void webhook_identity(const ho_channel *c, mt_jw *w)
{
    mt_jw_key_str(w, "url", mt_str_z(c->url));
}

/* "Authorization: Bearer …", in `a`; NULL: no token is configured. */
static const char *read_token(const ho_channel *c, mt_arena *a, const char **field)
{
    mt_str token;
    *field = NULL;
    if (!c->token_env && !c->token_file) {
        return NULL;
    }
    const char *fault = os_secret_read(a, c->token_env, c->token_file, &token);
    *field = fault ? NULL : mt_strf(a, "Authorization: Bearer %.*s", MT_ARG(token)).ptr;
    return fault;
}

static mt_err start_webhook(ho_channel *c, mt_arena *a, ho_answer *out)
{
    const char *field;
    const char *fault = read_token(c, a, &field);
    if (fault) {
        *out = ho_broke("egress_io",
                        mt_strf(a, "has no token: %s %s",
                                c->token_env ? c->token_env : c->token_file, fault));
    }
    return fault ? MT_E_CLOSED : MT_OK;
}

static ho_answer status_says(mt_arena *a, long status)
{
    bool later = status == 408 || status == 425 || status == 429 || status >= 500;
    if (status >= 200 && status < 300) {
        return ho_accepted("durable");
    }
    return later
               ? ho_not_sent(HO_FAILED, "egress_io",
                             mt_strf(a, "answered with status %ld", status))
               : ho_not_sent(HO_REFUSED, "egress_refused",
                             mt_strf(a, "refused the intent with status %ld", status));
}

static ho_answer send_webhook(ho_channel *c, mt_arena *a, const ho_letter *letter,
                              uint64_t timeout_ms)
{
    mt_buf body = {0}, answer = {0}, why = {0};
    const char *headers[3] = {
        mt_strf(a, "Idempotency-Key: %.*s", MT_ARG(letter->id)).ptr, NULL, NULL};
    long status;
    if (read_token(c, a, &headers[1])) {
        return ho_broke("egress_io", MT_STR("has no token any more"));
    }
    mt_buf_addc(&body, '{');
    ho_letter_members(&body, letter);
    ad_post post = {.gate = c->gate,
                    .url = mt_str_z(c->url),
                    .type = "application/json",
                    .body = mt_buf_str(&body),
                    .headers = headers,
                    .ca_file = c->ca,
                    .timeout_ms =
                        timeout_ms > INT32_MAX ? INT32_MAX : (unsigned)timeout_ms,
                    .max_bytes = ANSWER_BYTES};
    mt_err err = ad_post_send(&post, &status, &answer, &why);
    /* An answer that is too long was an answer. */
    ho_answer said =
        !err || err == MT_E_LIMIT
            ? status_says(a, status)
            : ho_not_sent(err == MT_E_DENIED || err == MT_E_USAGE ? HO_REFUSED
                                                                  : HO_FAILED,
                          err == MT_E_TIMEOUT ? "egress_ack_timeout" : "egress_io",
                          mt_strf(a, "cannot be reached: %.*s", MT_ARG(why)));
    mt_buf_free(&body);
    mt_buf_free(&answer);
    mt_buf_free(&why);
    return said;
}

const ho_channel_kind HO_WEBHOOK_CHANNEL = {
    .name = "webhook",
    .rows = WEBHOOK_ROWS,
    .row_count = mt_form_count(WEBHOOK_ROWS),
    .attempts = 5,
    .check = check_webhook,
    .identity = webhook_identity,
    .start = start_webhook,
    .send = send_webhook,
    .stop = start_nothing,
    .drop = drop_nothing,
};
