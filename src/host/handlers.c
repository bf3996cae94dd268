/* host/handlers.c - handlers of agents as child processes: one line out, one line
 * back.
 *
 * A group of handlers is one process, started when it is first needed and kept. A call
 * is a line with an id; the answer must have the same id. Lines that are not an answer
 * are skipped up to a bound and some of them reported: programs print things. A
 * process that dies, is silent too long or talks too much is ended, and the call fails
 * with that reason; it is started again with the next call, as often as its group
 * allows, and good answers give the restarts back.
 *
 * Answers are read by the rows of a form: a value of the wrong kind fails the call, a
 * key nobody knows is told. They may carry wishes (travel, quit), which the runner
 * looks at, and live until ho_handlers_begin() of the next message. One thread. */
#include "host/handlers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/handler.h"
#include "os/clock.h"
#include "os/process.h"

enum {
    GARBAGE_MOST = 100,    /* lines skipped while waiting for one answer */
    GARBAGE_SHOWN = 5,     /* of them, reported */
    STOP_MS = 500,         /* for a child to end by itself */
    WARNED_MOST = 5,       /* keys nobody knows that are told, of each group */
    FORGIVEN_AFTER = 1000, /* good answers that give the restarts back */
    ANSWER_DEPTH = 200
};

typedef struct group {
    const ag_group *row;
    os_child *child; /* NULL: not running */
    uint32_t failures;
    uint32_t good;   /* answers in a row */
    uint32_t warned; /* of keys nobody knows */
} group;

struct ho_handlers {
    const ag_file *file;
    const char *directory;
    os_report *report;
    void *report_state;
    group *groups;
    int64_t next_id; /* of calls; answers must have it */
    mt_arena arena;  /* of the answers to one message */
    mt_buf request;
    ho_wish wish;
    ho_guard *guard; /* asked before a start; NULL: nobody is */
    void *guard_state;
    char about[HO_MESSAGE_TEXT]; /* the message calls are about; "": it has no name */
};

ho_handlers *ho_handlers_new(const ag_file *file, const char *directory,
                             os_report *report, void *report_state)
{
    ho_handlers *h = mt_xmalloc(sizeof *h);
    *h = (ho_handlers){.file = file,
                       .directory = directory,
                       .report = report,
                       .report_state = report_state};
    h->groups = mt_xmalloc(mt_array_bytes(file->group_count + 1u, sizeof *h->groups));
    for (uint32_t i = 0; i < file->group_count; i++) {
        h->groups[i] = (group){.row = &file->groups[i]};
    }
    return h;
}

void ho_handlers_guard(ho_handlers *h, ho_guard *guard, void *state)
{
    h->guard = guard;
    h->guard_state = state;
}

void ho_handlers_begin(ho_handlers *h)
{
    mt_arena_reset(&h->arena);
    h->about[0] = '\0';
}

void ho_handlers_about(ho_handlers *h, mt_str message)
{
    snprintf(h->about, sizeof h->about, "%.*s", MT_ARG(message));
}

ho_wish *ho_handlers_wish(ho_handlers *h)
{
    return &h->wish;
}

__attribute__((format(printf, 3, 4))) static void say(ho_handlers *h, const group *g,
                                                      const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    os_say(h->report, h->report_state, "handlers %.*s: %s", MT_ARG(g->row->name), text);
}

/* ---- the child ---- */

static void end_child(group *g)
{
    os_child_free(g->child); /* kills the whole process group */
    g->child = NULL;
    g->failures++;
    g->good = 0;
}

/* Why a call fails, in the arena, so that traces can hold it. */
static const char *failure(ho_handlers *h, group *g, const char *why)
{
    mt_str last = os_child_complaint(g->child);
    while (last.len && last.ptr[last.len - 1] == '\n') {
        last.len--;
    }
    for (size_t at; (at = mt_str_find(last, '\n')) < last.len;) {
        last = mt_str_skip(last, at + 1);
    }
    last.len = last.len < 200 ? last.len : 200;
    say(h, g, "%s%s%.*s", why, last.len ? ": " : "", MT_ARG(last));
    end_child(g);
    return why;
}

static const char **words_of(ho_handlers *h, const ag_group *row)
{
    const char **argv = mt_new_array(&h->arena, const char *, row->command_count + 1u);
    for (uint32_t i = 0; i < row->command_count; i++) {
        argv[i] = mt_str_dup(&h->arena, row->command[i]).ptr;
    }
    return argv;
}

/* NULL, or why there is no child. */
static const char *need_child(ho_handlers *h, group *g)
{
    if (g->child) {
        return NULL;
    }
    if (g->failures > g->row->restarts) {
        return "the handler failed too often and was given up";
    }
    const char *why = h->guard ? h->guard(h->guard_state, g->row) : NULL;
    if (why) {
        say(h, g, "not started: %s", why);
        return why;
    }
    os_child_options options = {
        .argv = words_of(h, g->row), .directory = h->directory, .wants_stdin = true};
    if (os_child_start(&options, &g->child)) {
        say(h, g, "cannot start: %s", strerror(errno));
        g->failures = g->row->restarts + 1;
        return "the handler cannot be started";
    }
    return NULL;
}

/* ---- the answer ---- */

static int time_limit_ms(const group *g)
{
    const uint64_t most = 1u << 30;
    return (int)(g->row->time_limit_ms < most ? g->row->time_limit_ms : most);
}

/* Is this line the answer to call `id`? Its tree lives in the arena. */
static const mt_json *read_answer(ho_handlers *h, mt_str line, int64_t id)
{
    mt_mark mark = mt_arena_mark(&h->arena);
    mt_json *tree = mt_new(&h->arena, mt_json);
    mt_json_limits limits = {.depth = ANSWER_DEPTH};
    int64_t given;
    if (mt_json_read(&h->arena, mt_str_dup(&h->arena, line), &limits, tree, NULL) ||
        mt_json_i64(mt_json_at(tree, "id"), &given) || given != id) {
        mt_arena_rewind(&h->arena, mark);
        return NULL;
    }
    return tree;
}

/* The answer, or NULL and why there is none. */
static const mt_json *await(ho_handlers *h, group *g, int64_t id, const char **failed)
{
    int64_t end = os_now_ms() + time_limit_ms(g);
    for (int garbage = 0; garbage <= GARBAGE_MOST; garbage++) {
        int64_t left = end - os_now_ms();
        mt_str line;
        mt_err err =
            left > 0 ? os_child_read_line(g->child, (int)left, &line) : MT_E_TIMEOUT;
        if (err) {
            *failed = failure(h, g,
                              err == MT_E_TIMEOUT ? "the handler took too long"
                              : err == MT_E_LIMIT ? "the handler's answer is too long"
                                                  : "the handler died");
            return NULL;
        }
        const mt_json *answer = read_answer(h, line, id);
        if (answer) {
            return answer;
        }
        if (garbage < GARBAGE_SHOWN) {
            say(h, g, "not an answer: %.*s", (int)(line.len < 80 ? line.len : 80),
                line.ptr);
        }
    }
    *failed = failure(h, g, "the handler says too much that is not an answer");
    return NULL;
}

typedef struct judging {
    ho_handlers *h;
    group *g;
    mt_buf wrong;
} judging;

/* A key nobody knows is told a few times; anything else fails the call. */
static void judge(void *state, const mt_form_fault *fault)
{
    judging *j = state;
    if (!fault->warning) {
        mt_form_join(&j->wrong, fault);
    } else if (j->g->warned < WARNED_MOST) {
        mt_buf text = {0};
        j->g->warned++;
        mt_form_write(&text, fault);
        say(j->h, j->g, "%.*s", MT_ARG(text));
        mt_buf_free(&text);
    }
}

/* NULL, or what is wrong with the answer. */
static const char *read_reply(ho_handlers *h, group *g, const mt_json *answer,
                              ag_reply *out)
{
    judging j = {.h = h, .g = g};
    mt_form form = {.arena = &h->arena,
                    .what = "an answer",
                    .report = judge,
                    .state = &j,
                    .unknown = MT_FORM_WARNED};
    const char *why = NULL;
    if (!ag_reply_read(&form, answer, out)) {
        why = mt_strf(&h->arena, "the handler's answer: %.*s", MT_ARG(j.wrong)).ptr;
    }
    mt_buf_free(&j.wrong);
    return why;
}

static void take_wishes(ho_handlers *h, const ag_reply *r)
{
    h->wish.quit |= r->quit;
    if (r->travel && *r->travel) {
        memcpy(h->wish.travel, r->travel, strlen(r->travel) + 1);
    }
}

/* An error in an answer is the handler's word and not a failure of the process. */
static const char *failure_of(ho_handlers *h, group *g, const mt_json *answer,
                              ag_reply *out)
{
    const char *why = read_reply(h, g, answer, out);
    if (!why && out->error.len) {
        why = mt_str_dup(&h->arena, out->error).ptr;
    }
    if (why) {
        say(h, g, "%.200s", why);
    }
    return why;
}

static void take_answer(ho_handlers *h, group *g, const ag_call *call,
                        const mt_json *answer, ag_answer *out)
{
    ag_reply r = {.action = AG_NONE};
    if (++g->good >= FORGIVEN_AFTER) {
        g->failures = 0;
    }
    out->failed = failure_of(h, g, answer, &r);
    take_wishes(h, &r);
    if (out->failed) {
        return;
    }
    ag_reply_answer(call, &r, out);
}

void ho_handlers_call(void *handlers, const ag_call *call, ag_answer *answer)
{
    ho_handlers *h = handlers;
    const ag_binding *b = ag_binding_of(h->file, call);
    if (!b->group) {
        answer->failed = "nobody answers this call";
        return;
    }
    group *g = &h->groups[b->group - h->file->groups];
    answer->failed = need_child(h, g);
    if (answer->failed) {
        return;
    }
    int64_t id = ++h->next_id;
    mt_buf_clear(&h->request);
    ag_call_write(&h->request, call, b->function, id, mt_str_z(h->about));
    if (os_child_write(g->child, mt_buf_str(&h->request), time_limit_ms(g))) {
        answer->failed = failure(h, g, "the handler does not listen");
        return;
    }
    const mt_json *tree = await(h, g, id, &answer->failed);
    if (tree) {
        take_answer(h, g, call, tree, answer);
    }
}

void ho_handlers_free(ho_handlers *h)
{
    if (!h) {
        return;
    }
    for (uint32_t i = 0; i < h->file->group_count; i++) {
        os_child *child = h->groups[i].child;
        if (child) {
            int status;
            os_child_close_stdin(child);
            os_child_stop(child, STOP_MS, &status);
            os_child_free(child);
        }
    }
    mt_buf_free(&h->request);
    mt_arena_free(&h->arena);
    free(h->groups);
    free(h);
}
