/* host/graph_channel_process.c - programs that take intents.
 *
 * `process` is one program for the whole run that speaks lines (ergo-egress.v1): it
 * says `ready` with the kinds it takes, is given one intent at a time and acknowledges
 * it: "accepted", or, as a negative acknowledgement, "rejected" (it does not want it)
 * or "failed" (it may work later). Whatever else it says breaks it.
 *
 * `command` is a program that is started for each intent, which is on its standard
 * input. Exit status 0 accepts, 65 refuses (EX_DATAERR of sysexits.h), anything else,
 * a signal or no end in time means that it may work later.
 *
 * Secrets: what a program says on its standard error is kept for the terminal. */
#include <errno.h>
#include <stdlib.h>

#include "host/graph_channel.h"
#include "os/clock.h"
#include "os/process.h"

enum { READY_MS = 5000, END_MS = 5000, STRAY_MS = 20, WRITE_MS = 5000, REFUSES = 65 };
enum { MOST_WORDS = 4096 };

#define PROTOCOL "ergo-egress.v1"

static const mt_form_row ROWS[] = {
    MT_FORM_WORDS(ho_channel, command, "command", 1, MOST_WORDS, MT_FORM_REQUIRED),
};

static bool is_blank(const char *word)
{
    return word[strspn(word, " \t")] == '\0';
}

static void check_command(ho_channel *c, mt_form *f, const mt_json *at)
{
    if (is_blank(c->command.items[0])) {
        mt_form_say(f, MT_FORM_OUT_OF_RANGE, at, "command",
                    "must begin with a program");
    }
}

static void identity(const ho_channel *c, mt_jw *w)
{
    mt_jw_keyz(w, "command");
    mt_jw_begin_array(w);
    for (size_t n = 0; n < c->command.count; n++) {
        mt_jw_str(w, mt_str_z(c->command.items[n]));
    }
    mt_jw_end_array(w);
}

static void drop_child(ho_channel *c)
{
    os_child_free(c->state);
    c->state = NULL;
}

mt_str ho_channel_said(const ho_channel *c)
{
    bool program = c->kind == &HO_PROCESS_CHANNEL || c->kind == &HO_COMMAND_CHANNEL;
    return program && c->state ? os_child_complaint(c->state) : (mt_str){0};
}

static mt_err start_child(ho_channel *c, ho_answer *out)
{
    os_child *child;
    os_child_options o = {.argv = c->command.items, .wants_stdin = true};
    if (os_child_start(&o, &child)) {
        *out = ho_broke("egress_io", mt_str_z(strerror(errno)));
        return MT_E_CLOSED;
    }
    c->state = child;
    return MT_OK;
}

/* ---- one program that stays ---- */

/* The next line as an object, within `ms`; MT_E_CLOSED and *out otherwise. */
static mt_err read_frame(ho_channel *c, mt_arena *a, uint64_t ms, mt_json *frame,
                         ho_answer *out)
{
    mt_str line;
    int timeout = ms > INT32_MAX ? INT32_MAX : (int)ms;
    mt_err err = os_child_read_line(c->state, timeout, &line);
    if (err == MT_E_TIMEOUT) {
        *out = ho_broke("egress_ack_timeout", MT_STR("did not answer in time"));
    } else if (err == MT_E_LIMIT) {
        *out = ho_broke("egress_protocol_violation",
                        MT_STR("sent a line that is too long"));
    } else if (err) {
        *out = ho_broke("egress_io", MT_STR("ended"));
    } else if (mt_json_read(a, mt_str_dup(a, line), NULL, frame, NULL) ||
               frame->type != MT_JSON_OBJECT) {
        *out = ho_broke("egress_protocol_violation",
                        MT_STR("sent a line that is not a JSON object"));
        err = MT_E_CLOSED;
    }
    return err ? MT_E_CLOSED : MT_OK;
}

static bool listed(const mt_json *list, mt_str kind)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (mt_str_eq(mt_json_text(&list->as.items[i]), kind)) {
            return true;
        }
    }
    return false;
}

static const char *ready_fault(const ho_channel *c, const mt_json *frame)
{
    const mt_json *kinds = mt_json_at(frame, "handled_kinds");
    if (!mt_str_is(mt_json_text(mt_json_at(frame, "type")), "ready") ||
        !mt_str_is(mt_json_text(mt_json_at(frame, "protocol")), PROTOCOL) ||
        !mt_json_is(kinds, MT_JSON_ARRAY)) {
        return "did not say ready in protocol " PROTOCOL;
    }
    for (uint32_t i = 0; i < kinds->count; i++) {
        mt_json rest = {.type = MT_JSON_ARRAY, .count = i, .as.items = kinds->as.items};
        if (listed(&rest, mt_json_text(&kinds->as.items[i]))) {
            return "names a kind twice";
        }
    }
    for (size_t i = 0; i < c->kind_count; i++) {
        if (!listed(kinds, c->kinds[i])) {
            return "does not handle a kind that is routed to it";
        }
    }
    return NULL;
}

static mt_err start_process(ho_channel *c, mt_arena *a, ho_answer *out)
{
    mt_json frame;
    mt_err err = start_child(c, out);
    err = err ? err : read_frame(c, a, READY_MS, &frame, out);
    const char *fault = err ? NULL : ready_fault(c, &frame);
    if (fault) {
        *out = ho_broke("egress_protocol_violation", mt_str_z(fault));
        err = MT_E_CLOSED;
    }
    return err;
}

/* Its status, if the frame is an acknowledgement of this letter at all. */
static mt_str status_of(const mt_json *frame, mt_str id)
{
    bool its = mt_str_is(mt_json_text(mt_json_at(frame, "type")), "intent_ack") &&
               mt_str_eq(mt_json_text(mt_json_at(frame, "intent_id")), id);
    return its ? mt_json_text(mt_json_at(frame, "status")) : (mt_str){0};
}

/* A reason is the channel's own words about the intent, not its standard error. */
static mt_str reason_of(mt_arena *a, const char *did, const mt_json *frame)
{
    mt_str reason = mt_json_text(mt_json_at(frame, "reason"));
    return mt_strf(a, "%s%s%.*s", did, reason.len ? ": " : "", MT_ARG(reason));
}

static ho_answer judge(mt_arena *a, const mt_json *frame, mt_str id)
{
    mt_str status = status_of(frame, id);
    const mt_json *reference = mt_json_at(frame, "egress_ref");
    if (mt_str_is(status, "rejected")) {
        return ho_not_sent(HO_REFUSED, "egress_refused",
                           reason_of(a, "refused the intent", frame));
    }
    if (mt_str_is(status, "failed")) {
        return ho_not_sent(HO_FAILED, "egress_io",
                           reason_of(a, "could not take the intent", frame));
    }
    if (!mt_str_is(status, "accepted") ||
        !mt_str_is(mt_json_text(mt_json_at(frame, "acceptance")), "durable")) {
        return ho_broke(
            "egress_protocol_violation",
            MT_STR("answered something else than this intent's acknowledgement"));
    }
    ho_answer answer = ho_accepted("durable");
    if (mt_json_is(reference, MT_JSON_STRING)) {
        answer.reference = mt_json_text(reference);
    }
    return answer;
}

static ho_answer send_process(ho_channel *c, mt_arena *a, const ho_letter *letter,
                              uint64_t timeout_ms)
{
    mt_buf line = {0};
    mt_json frame;
    ho_answer answer;
    mt_buf_addz(&line, "{\"type\":\"intent\",");
    ho_letter_members(&line, letter);
    mt_buf_addc(&line, '\n');
    mt_err err = os_child_write(c->state, mt_buf_str(&line), WRITE_MS);
    mt_buf_free(&line);
    if (err) {
        return ho_broke("egress_io", MT_STR("does not take its intents"));
    }
    err = read_frame(c, a, timeout_ms, &frame, &answer);
    return err ? answer : judge(a, &frame, letter->id);
}

/* A quiet end: no stray output, then `end`, then its exit in time. */
static mt_err stop_process(ho_channel *c, mt_arena *a, ho_answer *out)
{
    mt_str line;
    (void)a;
    mt_err stray = os_child_read_line(c->state, STRAY_MS, &line);
    if (stray == MT_OK || stray == MT_E_CLOSED) {
        *out = stray ? ho_broke("egress_io", MT_STR("ended before it was asked to"))
                     : ho_broke("egress_protocol_violation",
                                MT_STR("said something nobody asked for"));
        return MT_E_CLOSED;
    }
    (void)os_child_write(c->state, MT_STR("{\"type\":\"end\"}\n"), END_MS);
    os_child_close_stdin(c->state);
    if (!os_child_stop(c->state, END_MS, NULL)) {
        *out = ho_broke("egress_io", MT_STR("did not end when asked to"));
        return MT_E_CLOSED;
    }
    drop_child(c);
    return MT_OK;
}

const ho_channel_kind HO_PROCESS_CHANNEL = {
    .name = "process",
    .rows = ROWS,
    .row_count = mt_form_count(ROWS),
    .attempts = 1,
    .check = check_command,
    .identity = identity,
    .start = start_process,
    .send = send_process,
    .stop = stop_process,
    .drop = drop_child,
};

/* ---- a program for each intent ---- */

/* What it says on its standard output is not for us; it is read so that it can end. */
static bool ends_in_time(os_child *child, int64_t until)
{
    mt_err err = MT_OK;
    mt_str line;
    while (err == MT_OK) {
        int64_t left = until - os_now_ms();
        err = left > 0 ? os_child_read_line(
                             child, left > INT32_MAX ? INT32_MAX : (int)left, &line)
                       : MT_E_TIMEOUT;
    }
    return err != MT_E_TIMEOUT;
}

static ho_answer status_says(mt_arena *a, int status)
{
    if (status == 0) {
        return ho_accepted("durable");
    }
    return status == REFUSES
               ? ho_not_sent(HO_REFUSED, "egress_refused",
                             MT_STR("refused the intent (exit status 65)"))
               : ho_not_sent(HO_FAILED, "egress_io",
                             mt_strf(a, "ended with status %d", status));
}

static ho_answer send_command(ho_channel *c, mt_arena *a, const ho_letter *letter,
                              uint64_t timeout_ms)
{
    ho_answer answer;
    mt_buf text = {0};
    int64_t most = timeout_ms > INT32_MAX ? INT32_MAX : (int64_t)timeout_ms;
    int64_t until = os_now_ms() + most;
    int status = 0;
    drop_child(c); /* the one before was kept for its last words */
    if (start_child(c, &answer)) {
        return answer;
    }
    mt_buf_addc(&text, '{');
    ho_letter_members(&text, letter);
    mt_buf_addc(&text, '\n');
    /* One that does not read its intent is judged by its exit status alone. */
    (void)os_child_write(c->state, mt_buf_str(&text), (int)most);
    mt_buf_free(&text);
    os_child_close_stdin(c->state);
    bool ended = ends_in_time(c->state, until);
    int64_t left = until - os_now_ms();
    if (!ended || !os_child_stop(c->state, left > 0 ? (int)left : 0, &status)) {
        os_child_kill(c->state);
        return ho_not_sent(HO_FAILED, "egress_ack_timeout",
                           MT_STR("did not end in time"));
    }
    return status_says(a, status);
}

static mt_err start_nothing(ho_channel *c, mt_arena *a, ho_answer *out)
{
    (void)c, (void)a, (void)out;
    return MT_OK;
}

static mt_err stop_command(ho_channel *c, mt_arena *a, ho_answer *out)
{
    (void)a, (void)out;
    drop_child(c);
    return MT_OK;
}

const ho_channel_kind HO_COMMAND_CHANNEL = {
    .name = "command",
    .rows = ROWS,
    .row_count = mt_form_count(ROWS),
    .attempts = 5,
    .check = check_command,
    .identity = identity,
    .start = start_nothing,
    .send = send_command,
    .stop = stop_command,
    .drop = drop_child,
};
