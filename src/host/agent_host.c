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
    uint32_t *send_hooks;      /* in the order they run */
    uint32_t send_hook_count;
    int64_t *due_ms; /* of each sender; timed ones only */
};

#define SAY(x, ...) os_say((x)->options.report, (x)->options.report_state, __VA_ARGS__)

/* ---- calls ---- */

/* Declarative first, else the child process. */
static void answer_call(ho_agent *x, const ag_call *call, ag_answer *answer)
{
    if (!ag_actor_answer(x->actor, call, answer)) {
        ho_handlers_call(x->handlers, call, answer);
    }
}

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

/* For messages of timed senders, which have no cycle: the same hooks in the same
 * order. */
static const mt_json *through_hooks(ho_agent *x, const mt_json *payload)
{
    for (uint32_t i = 0; payload && i < x->send_hook_count; i++) {
        ag_call call = {
            .kind = AG_CALL_SEND_HOOK, .index = x->send_hooks[i], .payload = payload};
        ag_answer answer = {0};
        answer_call(x, &call, &answer);
        if (answer.failed) {
            x->counts.failed++;
            SAY(x, "a send hook failed: %.200s", answer.failed);
        }
        payload = answer.failed ? NULL : answer.payload;
    }
    return payload;
}

/* A handler outside is asked only for data that its sender wants. */
static void answer_tick(ho_agent *x, const ag_call *call, ag_answer *answer)
{
    if (!ag_actor_answer(x->actor, call, answer)) {
        ag_call asked = *call;
        bool gated = x->options.file->agent.senders[call->index].gated;
        asked.key = gated ? call->key : AG_NULL_KEY; /* a clock has no key */
        memset(answer, 0, sizeof *answer);
        ho_handlers_call(x->handlers, &asked, answer);
    }
}

/* NULL: it has nothing to say, or failed, which is not the same to the counts. */
static const mt_json *tick_message(ho_agent *x, const ag_call *call)
{
    if (!x->options.file->senders[call->index].group) {
        return ag_actor_tick(x->actor, call);
    }
    ag_answer answer = {0};
    answer_tick(x, call, &answer);
    if (answer.failed) {
        x->counts.failed++;
        SAY(x, "a timed sender failed: %.200s", answer.failed);
    }
    return answer.failed ? NULL : answer.payload;
}

/* A list from a sender that may send many is one message for each item. */
static void fire_once(ho_agent *x, const ag_call *call)
{
    const ag_sender *sender = &x->options.file->agent.senders[call->index];
    mt_arena_reset(&x->message);
    ho_handlers_begin(x->handlers);
    const mt_json *message = tick_message(x, call);
    bool many = sender->multi;
    if (many) {
        const char *failed = NULL;
        message = ag_many(&x->message, x->options.file->agent.mode, message, &failed);
        many = mt_json_is(message, MT_JSON_ARRAY);
        x->counts.failed += failed != NULL;
    }
    uint32_t count = many ? message->count : message ? 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *out = through_hooks(x, many ? &message->as.items[i] : message);
        if (out) {
            ho_watch_tick(x->options.watch, sender->name, out);
            emit(x, out);
        }
    }
}

static void fire(ho_agent *x, uint32_t sender)
{
    const ag_call *calls;
    uint32_t count = ag_actor_tick_begin(x->actor, sender, &calls);
    for (uint32_t i = 0; i < count; i++) {
        fire_once(x, &calls[i]);
    }
    ag_actor_tick_end(x->actor, sender);
    x->changed = true;
}

/* When a clock that has just begun to run is due: at once, and one that fires once
 * after its time. */
static void set_clock(ho_agent *x, uint32_t sender, int64_t now_ms)
{
    const ag_sender *s = &x->options.file->agent.senders[sender];
    if (!x->due_ms[sender]) {
        x->due_ms[sender] = now_ms + (s->once ? (int64_t)s->every_ms : 0);
    }
}

int64_t ho_agent_tick(ho_agent *x, int64_t now_ms)
{
    const ag_agent *agent = &x->options.file->agent;
    int64_t next = -1;
    for (uint32_t i = 0; i < agent->sender_count; i++) {
        if (ag_actor_ticks(x->actor, i)) {
            set_clock(x, i, now_ms);
        }
        if (ag_actor_ticks(x->actor, i) && now_ms >= x->due_ms[i]) {
            if (!ho_agent_is_full(x)) {
                fire(x, i);
            }
            /* Missed ticks are not caught up. */
            x->due_ms[i] = now_ms + (int64_t)agent->senders[i].every_ms;
        }
        if (!ag_actor_ticks(x->actor, i)) {
            x->due_ms[i] = 0; /* its clock stands */
            continue;
        }
        int64_t left = x->due_ms[i] - now_ms;
        next = next < 0 || left < next ? left : next;
    }
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
    const ag_agent *agent = &options->file->agent;
    ho_agent *x = mt_xmalloc(sizeof *x);
    *x = (ho_agent){.options = *options,
                    .limits = options->limits ? *options->limits : MT_LIMITS_DEFAULT};
    x->actor = ag_actor_new(options->file, &x->limits);
    x->handlers = ho_handlers_new(options->file, options->directory, options->report,
                                  options->report_state);
    ho_handlers_guard(x->handlers, options->guard, options->guard_state);
    x->send_hooks =
        mt_xmalloc(mt_array_bytes(agent->hook_count + 1u, sizeof(uint32_t)));
    x->send_hook_count = ag_hook_order(agent->mode, agent->hooks, agent->hook_count,
                                       AG_SEND, x->send_hooks);
    x->due_ms = mt_xmalloc(mt_array_bytes(agent->sender_count + 1u, sizeof(int64_t)));
    memset(x->due_ms, 0, mt_array_bytes(agent->sender_count + 1u, sizeof(int64_t)));
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
    ag_actor_free(x->actor);
    ho_keep_close(x->options.keep);
    mt_arena_free(&x->message);
    mt_buf_free(&x->fresh);
    mt_buf_free(&x->state);
    free(x->send_hooks);
    free(x->due_ms);
    free(x);
}
