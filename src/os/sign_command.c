/* os/sign_command.c - see sign_command.h.
 *
 * A program that has hung would hold up everybody who comes after it as long again; so
 * for a moment after a time-out nobody asks it. Whatever goes wrong is one sentence,
 * without what the program was given.
 * May fail: everything the program does. */
#include "os/sign_command.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/hash.h"
#include "os/clock.h"
#include "os/process.h"

enum { ANSWER_BYTES = 4096, GRACE_MS = 200, AFTER_TIMEOUT_MS = 3000 };

struct os_sign_command {
    const char *const *argv;
    unsigned timeout_ms;
    mt_sign_public open;
    mt_sign_elsewhere elsewhere;
    pthread_mutex_t lock; /* of all that follows, and one signature at a time */
    int64_t rests_until;  /* after a time-out; 0: it does not */
    mt_buf why;
};

static bool complain(os_sign_command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool complain(os_sign_command *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_buf_clear(&c->why);
    mt_buf_addf(&c->why, "%s ", c->argv[0]);
    mt_buf_addfv(&c->why, format, args);
    va_end(args);
    return false;
}

static int left(int64_t end)
{
    int64_t ms = end - os_now_ms();
    return ms > 0 ? (int)ms : 0;
}

/* All of its standard output: lines with their newlines, and what follows the last. */
static mt_err read_all(os_child *child, int64_t end, mt_buf *out)
{
    mt_str line;
    mt_err err;
    while (!(err = os_child_read_line(child, left(end), &line)) &&
           out->len <= ANSWER_BYTES) {
        mt_buf_adds(out, line);
        mt_buf_addc(out, '\n');
    }
    if (err == MT_E_CLOSED) {
        mt_buf_adds(out, os_child_rest(child));
        err = MT_OK;
    }
    return out->len > ANSWER_BYTES ? MT_E_LIMIT : err;
}

static bool read_signature(mt_str answer, mt_signature *out)
{
    mt_str text = mt_str_trim(answer, MT_STR(" \r\n\t"));
    if (answer.len == MT_SIGN_BYTES) {
        memcpy(out->bytes, answer.ptr, MT_SIGN_BYTES);
        return true;
    }
    return mt_unbase64(text, out->bytes, MT_SIGN_BYTES) ||
           mt_unhex(text, out->bytes, MT_SIGN_BYTES);
}

/* What a program says when it fails is for the log: its last line, shortened. */
static bool failed(os_sign_command *c, const os_child *child, int status)
{
    mt_str said = mt_str_trim(os_child_complaint(child), MT_STR(" \r\n\t"));
    for (size_t i = said.len; i-- > 0;) {
        if (said.ptr[i] == '\n') {
            said = mt_str_skip(said, i + 1);
            break;
        }
    }
    said.len = said.len > 200 ? 200 : said.len;
    return complain(c, "ended with status %d%s%.*s", status, said.len ? ": " : "",
                    MT_ARG(said));
}

static bool late(os_sign_command *c)
{
    c->rests_until = os_now_ms() + AFTER_TIMEOUT_MS;
    return complain(c, "did not sign within %u ms", c->timeout_ms);
}

static bool talk(os_sign_command *c, os_child *child, mt_str message, mt_signature *out)
{
    int64_t end = os_now_ms() + c->timeout_ms;
    mt_buf answer = {0};
    int status = 0;
    mt_err err = os_child_write(child, message, left(end));
    os_child_close_stdin(child);
    if (err == MT_OK || err == MT_E_CLOSED) { /* it may know enough without reading */
        err = read_all(child, end, &answer);
    }
    bool ended = !err && os_child_stop(child, left(end) + GRACE_MS, &status);
    bool good = false;
    if (err == MT_E_TIMEOUT || (!err && !ended)) {
        late(c);
    } else if (err) {
        complain(c, "gave an answer that is too long");
    } else if (status) {
        failed(c, child, status);
    } else if (!read_signature(mt_buf_str(&answer), out)) {
        complain(c, "gave something else than a signature of 64 bytes");
    } else {
        good = mt_sign_verify(&c->open, message, out) ||
               complain(c, "gave a signature that is not by the public key");
    }
    mt_buf_free(&answer);
    return good;
}

static bool sign(void *state, mt_str message, mt_signature *out)
{
    os_sign_command *c = state;
    os_child *child = NULL;
    os_child_options options = {
        .argv = c->argv, .wants_stdin = true, .max_line = ANSWER_BYTES};
    bool good = false;
    pthread_mutex_lock(&c->lock);
    if (os_now_ms() < c->rests_until) {
        pthread_mutex_unlock(&c->lock);
        return false; /* why stays */
    }
    mt_buf_clear(&c->why);
    if (os_child_start(&options, &child)) {
        complain(c, "cannot be started: %s", strerror(errno));
    } else {
        good = talk(c, child, message, out);
    }
    os_child_free(child);
    pthread_mutex_unlock(&c->lock);
    return good;
}

os_sign_command *os_sign_command_new(const char *const *argv, unsigned timeout_ms,
                                     const mt_sign_public *open)
{
    os_sign_command *c = mt_xmalloc(sizeof *c);
    *c = (os_sign_command){.argv = argv, .timeout_ms = timeout_ms, .open = *open};
    c->elsewhere = (mt_sign_elsewhere){sign, c};
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void os_sign_command_key(const os_sign_command *c, mt_sign_key *out)
{
    *out = (mt_sign_key){.open = c->open, .elsewhere = &c->elsewhere};
}

void os_sign_command_why(os_sign_command *c, mt_buf *out)
{
    pthread_mutex_lock(&c->lock);
    mt_buf_adds(out, mt_buf_str(&c->why));
    pthread_mutex_unlock(&c->lock);
}

void os_sign_command_free(os_sign_command *c)
{
    if (c) {
        pthread_mutex_destroy(&c->lock);
        mt_buf_free(&c->why);
        free(c);
    }
}
