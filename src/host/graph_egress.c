/* host/graph_egress.c - intents to channels: tried again, given up, acknowledged.
 *
 * Channels are started before the first intent. ho_egress_send() gives one intent to
 * the channel of its kind and waits for what becomes of it; intents are never sent side
 * by side, so what was acknowledged is always known. What fails is tried again as often
 * as the channel's configuration says, after pauses that double; a channel that broke
 * is started again for it. What is refused is not.
 *
 * An intent that is given up goes to the file of dead letters, which then counts as its
 * acknowledgement, and the run goes on. Without such a file (or when it cannot be
 * written) all channels are killed, the problem is kept with its code, and the run ends
 * there.
 *
 * ho_egress_stop() asks each channel to end. Secrets: what a program says on its
 * standard error is shown only in a problem. */
#include "host/graph_egress.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "graph/value.h"
#include "host/graph_egress_internal.h"
#include "host/graph_letters.h"
#include "os/clock.h"

mt_str ho_egress_provenance(const ho_egress *e)
{
    return e->provenance;
}

static const ho_route *find_route(const ho_egress *e, mt_str kind)
{
    for (size_t i = 0; i < e->route_count; i++) {
        if (mt_str_eq(e->routes[i].kind, kind)) {
            return &e->routes[i];
        }
    }
    return NULL;
}

bool ho_egress_routes(const ho_egress *e, mt_str kind)
{
    return find_route(e, kind) != NULL;
}

size_t ho_egress_route_count(const ho_egress *e)
{
    return e->route_count;
}

mt_str ho_egress_route_at(const ho_egress *e, size_t index)
{
    return e->routes[index].kind;
}

void ho_egress_once(ho_egress *e, const ad_gate *gate)
{
    e->once = true;
    for (size_t i = 0; i < e->channel_count; i++) {
        e->channels[i].gate = gate;
    }
}

void ho_egress_stop_when(ho_egress *e, const volatile sig_atomic_t *stop)
{
    e->stop = stop;
}

bool ho_egress_prints(const ho_egress *e)
{
    for (size_t i = 0; i < e->channel_count; i++) {
        if (e->channels[i].kind == &HO_STDOUT_CHANNEL) {
            return true;
        }
    }
    return false;
}

uint64_t ho_egress_dead(const ho_egress *e)
{
    return e->dead;
}

/* ---- running ---- */

static void drop(ho_channel *c)
{
    c->kind->drop(c);
    c->running = false;
}

static void kill_all(ho_egress *e)
{
    for (size_t i = 0; i < e->channel_count; i++) {
        drop(&e->channels[i]);
    }
    e->running = false;
}

/* Notes what went wrong; what the channel last said goes with it. */
static void note_problem(ho_egress *e, const ho_channel *c, mt_str intent_id,
                         const ho_answer *answer)
{
    mt_arena *a = &e->problem_arena;
    mt_str said = ho_channel_said(c);
    mt_arena_reset(a);
    e->problem = (ho_egress_problem){
        .code = answer->code,
        .channel = c->id,
        .intent_id = mt_str_dup(a, intent_id),
        .message =
            mt_strf(a, "channel '%.*s' %.*s", MT_ARG(c->id), MT_ARG(answer->why)),
        .said = mt_str_dup(a, said),
        .refused = answer->fate == HO_REFUSED,
    };
}

static mt_err break_down(ho_egress *e)
{
    kill_all(e);
    return MT_E_CLOSED;
}

static mt_err start_channel(ho_egress *e, ho_channel *c, mt_arena *a, ho_answer *answer)
{
    mt_err err = c->running ? MT_OK : c->kind->start(c, a, answer);
    c->running = !err;
    if (err) {
        note_problem(e, c, MT_STR(""), answer);
        drop(c);
    }
    return err;
}

/* A channel whose letters can wait or be kept need not be there yet. */
static bool may_be_late(const ho_egress *e, const ho_channel *c)
{
    return !e->once && (c->attempts > 1 || e->dead_letters);
}

mt_err ho_egress_start(ho_egress *e)
{
    mt_arena scratch = {0};
    mt_err err = MT_OK;
    for (size_t i = 0; i < e->channel_count && !err && !e->running; i++) {
        ho_channel *c = &e->channels[i];
        ho_answer answer;
        err = start_channel(e, c, &scratch, &answer);
        err = err && may_be_late(e, c) ? MT_OK : err;
    }
    mt_arena_free(&scratch);
    e->running = !err;
    return err ? break_down(e) : MT_OK;
}

/* ---- one letter ---- */

static ho_letter letter_of(mt_arena *a, const gr_intent *intent)
{
    gr_effect_field *fields = mt_new_array(a, gr_effect_field, intent->field_count);
    mt_buf text = {0};
    for (uint32_t i = 0; i < intent->field_count; i++) {
        fields[i] = intent->fields[i];
    }
    mt_sort_by(fields, intent->field_count, name);
    mt_buf_addc(&text, '{');
    for (uint32_t i = 0; i < intent->field_count; i++) {
        mt_buf_addz(&text, i ? "," : "");
        mt_json_quote(&text, fields[i].name);
        mt_buf_addc(&text, ':');
        gr_value_plain_json(&text, &fields[i].value);
    }
    mt_buf_addc(&text, '}');
    ho_letter letter = {mt_str_dup(a, gr_intent_id(intent)),
                        mt_str_dup(a, intent->kind), mt_str_dup(a, mt_buf_str(&text))};
    mt_buf_free(&text);
    return letter;
}

static ho_answer try_once(ho_egress *e, ho_channel *c, mt_arena *a,
                          const ho_letter *letter, uint64_t timeout_ms)
{
    ho_answer answer = {0};
    if (start_channel(e, c, a, &answer)) {
        answer.fate = HO_FAILED;
        return answer;
    }
    answer = c->kind->send(c, a, letter, timeout_ms);
    if (answer.fate != HO_ACCEPTED) {
        note_problem(e, c, letter->id, &answer);
    }
    if (answer.broken) {
        drop(c);
    }
    return answer;
}

static bool told_to_stop(const ho_egress *e)
{
    return e->stop && *e->stop;
}

/* In slices, so that Ctrl-C need not wait for a long pause. */
static void rest(const ho_egress *e, uint64_t ms)
{
    enum { SLICE_MS = 50 };
    int64_t end = os_now_ms() + (int64_t)ms;
    for (int64_t left = (int64_t)ms; left > 0 && !told_to_stop(e);
         left = end - os_now_ms()) {
        poll(NULL, 0, left < SLICE_MS ? (int)left : SLICE_MS);
    }
}

/* Until it is taken, refused, or tried often enough. */
static ho_answer try_all(ho_egress *e, ho_channel *c, mt_arena *a,
                         const ho_letter *letter, uint64_t timeout_ms, uint32_t *tries)
{
    uint32_t most = e->once ? 1 : c->attempts;
    uint64_t pause = c->pause_ms;
    ho_answer answer = try_once(e, c, a, letter, timeout_ms);
    for (*tries = 1; answer.fate == HO_FAILED && *tries < most; ++*tries) {
        rest(e, pause < c->pause_most_ms ? pause : c->pause_most_ms);
        if (told_to_stop(e)) {
            e->problem.code = "host_stop_requested";
            break;
        }
        pause = pause < c->pause_most_ms ? pause * 2 : pause;
        answer = try_once(e, c, a, letter, timeout_ms);
    }
    return answer;
}

static gr_capture_ack ack_of(const ho_channel *c, const ho_letter *letter,
                             const ho_answer *answer)
{
    return (gr_capture_ack){
        .intent_id = letter->id,
        .channel = c->id,
        .status = MT_STR("accepted"),
        .acceptance = mt_str_z(answer->acceptance),
        .egress_ref = answer->reference,
    };
}

/* The file of dead letters has it now; the record says so. */
static mt_err bury(ho_egress *e, const ho_channel *c, const ho_letter *letter,
                   const ho_answer *answer, uint32_t tries, gr_capture_ack *ack)
{
    ho_dead_letter dead = {.letter = *letter,
                           .channel = c->id,
                           .code = mt_str_z(answer->code),
                           .reason = answer->why,
                           .attempts = tries};
    if (ho_letters_add(e->dead_letters, &dead)) {
        e->problem.message =
            mt_strf(&e->problem_arena, "%.*s; and %s cannot be written: %s",
                    MT_ARG(e->problem.message), e->dead_letters, strerror(errno));
        return MT_E_CLOSED;
    }
    e->dead++;
    *ack = (gr_capture_ack){
        .intent_id = letter->id,
        .channel = c->id,
        .status = answer->fate == HO_REFUSED ? MT_STR("rejected") : MT_STR("failed"),
        .acceptance = MT_STR("dead_letter"),
    };
    return MT_OK;
}

static mt_err send_letter(ho_egress *e, mt_arena *a, const ho_letter *letter,
                          bool may_bury, gr_capture_ack *ack)
{
    const ho_route *to = find_route(e, letter->kind);
    MT_ASSERT(to); /* HST-5 */
    ho_channel *c = &e->channels[to->channel];
    uint32_t tries;
    ho_answer answer = try_all(e, c, a, letter, to->timeout_ms, &tries);
    if (answer.fate == HO_ACCEPTED) {
        *ack = ack_of(c, letter, &answer);
        return MT_OK;
    }
    bool buries = may_bury && e->dead_letters && !told_to_stop(e);
    return buries && !bury(e, c, letter, &answer, tries, ack) ? MT_OK : MT_E_CLOSED;
}

mt_err ho_egress_send(ho_egress *e, mt_arena *a, const gr_intent *intent,
                      gr_capture_ack *ack)
{
    ho_letter letter = letter_of(a, intent);
    const ho_route *to = find_route(e, letter.kind);
    if (to && !e->running) {
        ho_answer answer = ho_broke("egress_io", MT_STR("is not running"));
        note_problem(e, &e->channels[to->channel], letter.id, &answer);
        return break_down(e);
    }
    mt_err err = send_letter(e, a, &letter, !e->once, ack);
    return err && !e->once ? break_down(e) : err;
}

mt_err ho_egress_resend(ho_egress *e, mt_arena *a, const ho_letter *letter,
                        gr_capture_ack *ack)
{
    return send_letter(e, a, letter, false, ack);
}

/* ---- the end ---- */

mt_err ho_egress_stop(ho_egress *e)
{
    mt_arena scratch = {0};
    mt_err err = MT_OK;
    for (size_t i = 0; e && e->running && i < e->channel_count && !err; i++) {
        ho_channel *c = &e->channels[i];
        ho_answer answer;
        err = c->running ? c->kind->stop(c, &scratch, &answer) : MT_OK;
        if (err) {
            note_problem(e, c, MT_STR(""), &answer);
        } else {
            c->running = false;
        }
    }
    if (e) {
        kill_all(e);
    }
    mt_arena_free(&scratch);
    return err;
}

ho_egress_problem ho_egress_last_problem(const ho_egress *e)
{
    return e->problem;
}

void ho_egress_free(ho_egress *e)
{
    if (e) {
        for (size_t i = 0; i < e->channel_count; i++) {
            if (e->channels[i].kind) { /* else its configuration was refused */
                drop(&e->channels[i]);
            }
        }
        mt_arena_free(&e->arena);
        mt_arena_free(&e->problem_arena);
        free(e);
    }
}
