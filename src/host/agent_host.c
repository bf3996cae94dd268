/* host/agent_host.c - an agent that must not forget: messages in, tape and messages
 * out, kept together.
 *
 * Order of a message: the line is opened (agent/frame.h), the cycle runs with
 * declarative handlers first and child processes for the rest, what it emits is
 * collected as lines. ho_agent_commit() saves state and lines in one step of the keep;
 * only then ho_agent_unsent() shows them to the sender, and ho_agent_sent() notes how
 * many are out. So after a crash a message is sent twice at most, never lost, and
 * never sent without the state that made it.
 *
 * Several messages may share a commit; `changed` says that one is due. Above
 * UNSENT_MOST the agent is full and the caller stops reading. Timed senders run by
 * ho_agent_tick(): missed ticks are not caught up.
 *
 * What may fail: committing (the caller must stop), opening (with a sentence). A line
 * that cannot be read and a handler that fails are counted and reported, and the agent
 * goes on. An agent belongs to one thread; it owns its keep. */
#include "host/agent_host.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/message.h"
#include "agent/ticks.h"
#include "base/hash.h"
#include "base/json_write.h"
#include "base/vec.h"
#include "os/clock.h"
#include "os/file.h"

/* Above the first, the agent takes no more messages; above the second, what one message
 * still wants sent is not. */
enum { UNSENT_MOST = 8 << 20, FRESH_MOST = 64 << 20, REASONS = 16 };

struct ho_agent {
    ho_agent_options options;
    mt_limits limits;
    ag_actor *actor;
    ho_handlers *handlers;
    ho_agent_counts counts;
    mt_arena message; /* of the line being handled */
    mt_buf fresh;     /* lines to be committed */
    mt_buf state;
    ag_signer signer;          /* used where there is a key */
    const char *told[REASONS]; /* why messages were refused, as far as it was said */
    bool changed;              /* since the last commit */
    ho_stand stand;            /* with a durable relay; may be ahead of what is kept */
    ag_ticks *ticks;
};

#define SAY(x, ...) os_say((x)->options.report, (x)->options.report_state, __VA_ARGS__)

/* Signatures are of the time that others have, too. */
static int64_t wall_ms(void)
{
    return (int64_t)(os_clock_ns(CLOCK_REALTIME) / 1000000u);
}

/* A message that is too long, or one too many, is taken back whole and reported; the
 * others of the cycle are sent. */
static void emit(ho_agent *x, const mt_json *payload)
{
    size_t before = x->fresh.len;
    if (!x->signer.key) {
        ag_frame_message(&x->fresh, payload);
    } else if (!ag_sign_message(&x->signer, wall_ms(), payload, &x->fresh)) {
        x->counts.failed++;
        SAY(x, "a message was not sent: the key does not sign");
        return;
    }
    size_t size = x->fresh.len - before;
    bool long_one = size > x->limits.agent_message_bytes;
    if (long_one || x->fresh.len > FRESH_MOST) {
        x->fresh.len = before;
        x->counts.failed++;
        SAY(x, "a message of %zu bytes was not sent: %s", size,
            long_one ? "limit agent_message_bytes" : "too many at once");
        return;
    }
    x->counts.sent++;
}

/* ---- a message ---- */

/* Receivers that failed are counted; triggers that end or move the agent become
 * wishes, which the runner looks at after the commit. */
static void take_triggers(ho_agent *x, const ag_record *record)
{
    ho_wish *wish = ho_handlers_wish(x->handlers);
    for (uint32_t i = 0; i < record->activation_count; i++) {
        const ag_activation *a = &record->activations[i];
        if (a->failed) {
            x->counts.failed++;
            SAY(x, "a receiver failed: %.200s", a->failed);
            continue;
        }
        if (x->options.quit_on &&
            mt_str_eq(a->event.trigger, mt_str_z(x->options.quit_on))) {
            wish->quit = true;
        }
        for (const char *const *p = x->options.travel_on; p && *p; p += 2) {
            if (mt_str_eq(a->event.trigger, mt_str_z(p[0]))) {
                snprintf(wish->travel, sizeof wish->travel, "%s", p[1]);
            }
        }
    }
}

/* What a cycle did, in counts and reports. Nothing here can undo it. */
static void take_record(ho_agent *x)
{
    const ag_cycle *cycle = ag_actor_cycle(x->actor);
    ag_record record = ag_cycle_record(cycle);
    take_triggers(x, &record);
    if (ag_actor_timed_lost(x->actor)) {
        x->counts.failed++;
        SAY(x,
            "limit agent_waiting_bytes was hit; a timed sender will not tell of %u "
            "outcomes",
            ag_actor_timed_lost(x->actor));
    }
    for (uint32_t i = 0; i < record.send_count; i++) {
        if (record.sends[i].failed) {
            x->counts.failed++;
            SAY(x, "a sender failed: %.200s", record.sends[i].failed);
        }
    }
    switch (ag_cycle_fate(cycle)) {
    case AG_FINISHED: break;
    case AG_DROPPED: x->counts.dropped++; break;
    case AG_HOOK_FAILED:
        x->counts.failed++;
        SAY(x, "a hook failed; the message was dropped");
        break;
    case AG_OVER_LIMIT:
        x->counts.failed++;
        SAY(x, "limit %s was hit; the message went no further",
            record.limit ? record.limit : "unknown");
        break;
    }
    for (uint32_t i = 0; i < ag_cycle_emissions(cycle); i++) {
        emit(x, ag_cycle_emission(cycle, i));
    }
}

static mt_json text_node(mt_str text)
{
    return (mt_json){.type = MT_JSON_STRING,
                     .count = (uint32_t)text.len,
                     .as.text = text.ptr ? text.ptr : ""};
}

/* What handlers see: {"content":P,"remote_addr":A}, as agents in other languages do;
 * a line that named nobody is itself. */
static mt_json as_payload(ho_agent *x, const ag_inbound *in, mt_str signer)
{
    if (!in->relayed) {
        return in->payload;
    }
    mt_json_member *members = mt_new_array(&x->message, mt_json_member, 3);
    members[0] = (mt_json_member){MT_STR("content"), in->payload};
    members[1] = (mt_json_member){MT_STR("remote_addr"), text_node(in->address)};
    members[2] = (mt_json_member){MT_STR("signer"), text_node(signer)};
    return (mt_json){
        .type = MT_JSON_OBJECT, .count = signer.ptr ? 3 : 2, .as.members = members};
}

/* Every refusal in the log would let anybody fill it: each reason is told once, and
 * then how many there are as they double. Reasons are static texts. */
static bool is_new_reason(ho_agent *x, const char *why)
{
    for (size_t i = 0; i < REASONS; i++) {
        if (x->told[i] == why) {
            return false;
        }
        if (!x->told[i]) {
            x->told[i] = why;
            return true;
        }
    }
    return false;
}

/* What the relay itself says is not a message of anybody: it is told, never handed
 * over where messages must be signed. */
static bool refused(ho_agent *x, const ag_inbound *in, mt_str *signer)
{
    const char *why = ag_actor_verify(x->actor, &x->message, in, wall_ms(), signer);
    uint64_t count = x->counts.refused += why != NULL;
    if (why && (is_new_reason(x, why) || !(count & (count - 1)))) {
        SAY(x, "messages refused so far: %llu; the last, from %.*s: %s",
            (unsigned long long)count,
            MT_ARG(in->relayed ? in->address : MT_STR("the relay")), why);
    }
    return why != NULL;
}

static void answer_external(void *host, const ag_call *call, ag_answer *answer)
{
    ho_agent *x = host;
    ho_handlers_call(x->handlers, call, answer);
}

/* A durable relay's message that has had its effects is not looked at again. */
static bool came_again(ho_agent *x, const ag_inbound *in)
{
    if (!in->sequence || !x->stand.stream[0]) {
        return false;
    }
    if (in->sequence <= x->stand.seq) {
        x->counts.again++;
        return true;
    }
    x->stand.seq = in->sequence;
    x->changed = true;
    return false;
}

/* What handlers do outside may be done twice: by this name the outside can tell. */
static void name_message(ho_agent *x, const ag_inbound *in)
{
    if (in->sequence && x->stand.stream[0]) {
        char name[HO_MESSAGE_TEXT];
        int len = snprintf(name, sizeof name, "%s.%llu", x->stand.stream,
                           (unsigned long long)in->sequence);
        ho_handlers_about(x->handlers, mt_str_from(name, (size_t)len));
    }
}

void ho_agent_receive(ho_agent *x, mt_str line)
{
    mt_arena_reset(&x->message);
    ag_inbound in;
    mt_json_limits limits = {.bytes = x->limits.agent_message_bytes};
    mt_err err = ag_frame_read(&x->message, x->options.file->agent.mode,
                               mt_str_dup(&x->message, line), &limits, &in);
    x->counts.received++;
    if (err) {
        x->counts.unreadable++;
        SAY(x, "a line could not be read: %s", mt_err_text(err));
        return;
    }
    mt_str signer;
    if (came_again(x, &in) || refused(x, &in, &signer)) {
        return;
    }
    mt_json *payload = mt_new(&x->message, mt_json);
    *payload = as_payload(x, &in, signer);
    ho_handlers_begin(x->handlers);
    name_message(x, &in);
    ag_actor_begin(x->actor, payload);
    ho_watch_before(x->options.watch, x->actor);
    ag_actor_calls(x->actor, answer_external, x);
    ho_watch_message(x->options.watch, x->actor, payload);
    ag_actor_end(x->actor);
    take_record(x);
    x->changed = true;
}

/* ---- timed senders ---- */

static void tick_begin(void *state)
{
    ho_agent *x = state;
    mt_arena_reset(&x->message);
    ho_handlers_begin(x->handlers);
}

static void tick_emit(void *state, const ag_sender *sender, const mt_json *out)
{
    ho_agent *x = state;
    ho_watch_tick(x->options.watch, sender->name, out);
    emit(x, out);
}

static void tick_failed(void *state, const char *what, const char *why)
{
    ho_agent *x = state;
    x->counts.failed++;
    if (why) {
        SAY(x, "%s failed: %.200s", what, why);
    }
}

static bool tick_full(void *state)
{
    return ho_agent_is_full(state);
}

int64_t ho_agent_tick(ho_agent *x, int64_t now_ms)
{
    ag_tick_host host = {.state = x,
                         .begin = tick_begin,
                         .call = answer_external,
                         .emit = tick_emit,
                         .failed = tick_failed,
                         .full = tick_full};
    bool fired = false;
    int64_t next = ag_ticks_run(x->ticks, now_ms, &x->message, &host, &fired);
    x->changed |= fired;
    return next;
}

/* ---- what must not be forgotten ---- */

static void write_download(ho_agent *x)
{
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    ag_tape_write(ag_actor_tape(x->actor), &w);
    mt_buf_addc(&text, '\n');
    if (os_write_file(x->options.download, mt_buf_str(&text), 0600)) {
        SAY(x, "cannot write %s", x->options.download);
    }
    mt_buf_free(&text);
}

static bool same_stand(const ho_stand *a, const ho_stand *b)
{
    return a->seq == b->seq && strcmp(a->stream, b->stream) == 0 &&
           strcmp(a->sender, b->sender) == 0;
}

mt_err ho_agent_commit(ho_agent *x)
{
    if (!x->changed) {
        return MT_OK;
    }
    mt_buf_clear(&x->state);
    ag_actor_save(x->actor, &x->state);
    mt_str state = mt_buf_str(&x->state);
    bool same = mt_str_eq(state, mt_buf_str(&x->options.keep->state));
    bool moved = !same_stand(&x->stand, &x->options.keep->stand);
    if (!same || x->fresh.len || moved) {
        mt_err err =
            x->options.keep->commit(x->options.keep, same ? (mt_str){0} : state,
                                    mt_buf_str(&x->fresh), moved ? &x->stand : NULL);
        if (err) {
            return err;
        }
        x->counts.commits++;
    }
    mt_buf_clear(&x->fresh);
    x->changed = false;
    if (!same && x->options.download) {
        write_download(x);
    }
    return MT_OK;
}

mt_str ho_agent_unsent(const ho_agent *x)
{
    return mt_buf_str(&x->options.keep->unsent);
}

uint64_t ho_agent_sent_ever(const ho_agent *x)
{
    return x->options.keep->done;
}

const ho_stand *ho_agent_stand(const ho_agent *x)
{
    return &x->options.keep->stand;
}

void ho_agent_stand_at(ho_agent *x, const ho_stand *stand)
{
    x->stand = *stand;
    x->changed = true;
}

void ho_agent_sent(ho_agent *x, size_t lines)
{
    if (lines && x->options.keep->sent(x->options.keep, lines)) {
        SAY(x, "cannot note what was sent; it may be sent again after a restart");
    }
}

bool ho_agent_is_full(const ho_agent *x)
{
    return x->options.keep->unsent.len + x->fresh.len > UNSENT_MOST;
}

ho_wish *ho_agent_wish(ho_agent *x)
{
    return ho_handlers_wish(x->handlers);
}

ho_agent_counts ho_agent_count(const ho_agent *x)
{
    return x->counts;
}

ag_actor *ho_agent_actor(ho_agent *x)
{
    return x->actor;
}

/* Keys ascend. */
void ho_agent_snapshot(const ho_agent *x, mt_jw *w)
{
    const ho_agent_counts *c = &x->counts;
    mt_buf state = {0};
    ag_actor_save(x->actor, &state);
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "counts");
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "again", (int64_t)c->again);
    mt_jw_key_i64(w, "commits", (int64_t)c->commits);
    mt_jw_key_i64(w, "dropped", (int64_t)c->dropped);
    mt_jw_key_i64(w, "failed", (int64_t)c->failed);
    mt_jw_key_i64(w, "received", (int64_t)c->received);
    mt_jw_key_i64(w, "refused", (int64_t)c->refused);
    mt_jw_key_i64(w, "sent", (int64_t)c->sent);
    mt_jw_key_i64(w, "unreadable", (int64_t)c->unreadable);
    mt_jw_end_object(w);
    mt_jw_keyz(w, "state");
    mt_jw_raw(w, mt_buf_str(&state));
    mt_jw_key_i64(w, "unsent_bytes", (int64_t)x->options.keep->unsent.len);
    mt_jw_end_object(w);
    mt_buf_free(&state);
}

/* ---- opening ---- */

/* State that does not fit this agent file is an error: starting afresh would forget
 * it. */
static mt_err load_kept(ho_agent *x, mt_buf *why)
{
    const ho_keep *keep = x->options.keep;
    if (!keep->state.len) {
        return MT_OK;
    }
    mt_arena a = {0};
    mt_json saved;
    mt_err err = mt_json_read(&a, mt_buf_str(&keep->state), NULL, &saved, NULL);
    err = err ? err : ag_actor_load(x->actor, &saved);
    mt_arena_free(&a);
    if (err) {
        mt_buf_addf(why, "the kept state does not fit this agent: %s",
                    mt_err_text(err));
        return MT_E_CORRUPT;
    }
    return MT_OK;
}

/* Replaces what was kept, and is itself kept before the first message. */
static mt_err load_upload(ho_agent *x, mt_buf *why)
{
    if (!x->options.upload) {
        return MT_OK;
    }
    mt_err err = ag_tape_read(ag_actor_tape(x->actor), x->options.upload);
    if (err) {
        mt_buf_addf(why, "the uploaded tape does not fit this agent: %s",
                    mt_err_text(err));
    }
    x->changed = true;
    return err;
}

/* A session of its own for each start, so that counts never come twice. */
static void make_signer(ho_agent *x)
{
    const ag_identity *identity = x->options.file->identity;
    unsigned char random[16];
    arc4random_buf(random, sizeof random);
    x->signer = (ag_signer){.key = x->options.sign_key,
                            .name = x->options.file->agent.name,
                            .room = identity ? identity->room : MT_STR("")};
    mt_hex(random, sizeof random, x->signer.session);
}

mt_err ho_agent_open(const ho_agent_options *options, ho_agent **out, mt_buf *why)
{
    ho_agent *x = mt_xmalloc(sizeof *x);
    *x = (ho_agent){.options = *options,
                    .limits = options->limits ? *options->limits : MT_LIMITS_DEFAULT};
    x->actor = ag_actor_new(options->file, &x->limits);
    x->handlers = ho_handlers_new(options->file, options->directory, options->report,
                                  options->report_state);
    ho_handlers_guard(x->handlers, options->guard, options->guard_state);
    x->ticks = ag_ticks_new(options->file, x->actor);
    make_signer(x);
    x->stand = options->keep->stand;
    mt_err err = load_kept(x, why);
    err = err ? err : load_upload(x, why);
    err = err ? err : ho_agent_commit(x);
    if (err) {
        ho_agent_free(x);
        x = NULL;
    }
    *out = x;
    return err;
}

void ho_agent_free(ho_agent *x)
{
    if (!x) {
        return;
    }
    ho_handlers_free(x->handlers);
    ag_ticks_free(x->ticks);
    ag_actor_free(x->actor);
    ho_keep_close(x->options.keep);
    mt_arena_free(&x->message);
    mt_buf_free(&x->fresh);
    mt_buf_free(&x->state);
    free(x);
}
