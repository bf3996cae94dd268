/* net/runner_durable.c - see runner_durable.h.
 *
 * Out: unsent lines get their numbers when they are framed for the relay, and stay with
 * the agent until the relay says that they are kept. In: what the agent has committed
 * is acknowledged, never more. An agent that is full takes no message but must hear
 * what is kept, or it would be full for ever: messages wait in `held`, of which the
 * relay's window allows only so many.
 *
 * Invariant: `framed` bytes are the first of the agent's unsent lines, and `number` is
 * that of their last. */
#include "net/runner_durable.h"

#include <stdlib.h>

#include "base/hash.h"

enum { PORTION_BYTES = 1 << 16, NAME_BYTES = HO_SENDER_TEXT / 2 };

#define SAY(p, ...) os_say((p)->report, (p)->report_state, __VA_ARGS__)

static mt_err take_new_name(ho_agent *agent)
{
    unsigned char bytes[NAME_BYTES];
    ho_stand stand = *ho_agent_stand(agent);
    arc4random_buf(bytes, sizeof bytes);
    mt_hex(bytes, sizeof bytes, stand.sender);
    ho_agent_stand_at(agent, &stand);
    return ho_agent_commit(agent);
}

mt_err nt_pledge_open(nt_pledge *p, ho_agent *agent)
{
    (void)p;
    return ho_agent_stand(agent)->sender[0] ? MT_OK : take_new_name(agent);
}

void nt_pledge_begin(nt_pledge *p, const ho_agent *agent)
{
    const ho_stand *stand = ho_agent_stand(agent);
    nt_hello hello = p->hello;
    memcpy(hello.id, stand->sender, sizeof hello.id);
    if (stand->stream[0] && hello.from != NT_FROM_NONE) {
        memcpy(hello.stream, stand->stream, sizeof hello.stream);
        hello.from = NT_FROM_AFTER;
        hello.after = stand->seq;
    }
    p->welcomed = false;
    p->written = p->framed = 0;
    mt_buf_clear(&p->held); /* they come again */
    mt_buf_clear(&p->out);
    nt_hello_write(&p->out, &hello);
}

/* ---- what the relay says ---- */

static size_t count_lines(mt_str text)
{
    size_t lines = 0;
    for (; text.len; lines++) {
        text = mt_str_skip(text, mt_str_find(text, '\n') + 1);
    }
    return lines;
}

/* All up to `number` are kept: the agent may forget them. */
static void forget(nt_pledge *p, ho_agent *agent, uint64_t number)
{
    uint64_t done = ho_agent_sent_ever(agent);
    if (number <= done) {
        return;
    }
    size_t before = ho_agent_unsent(agent).len;
    ho_agent_sent(agent, (size_t)(number - done));
    size_t bytes = before - ho_agent_unsent(agent).len;
    p->framed -= bytes < p->framed ? bytes : p->framed;
}

static void take_place(nt_pledge *p, ho_agent *agent, const nt_said *said)
{
    ho_stand stand = *ho_agent_stand(agent);
    if (stand.stream[0] && strcmp(stand.stream, said->stream) != 0) {
        SAY(p, "the relay's stream is another than before; hearing it from its start");
    } else if (stand.stream[0] && said->after < stand.seq) {
        SAY(p, "the relay's stream has lost its end: back from %llu to %llu",
            (unsigned long long)stand.seq, (unsigned long long)said->after);
    }
    if (said->first > said->after + 1) {
        SAY(p, "%llu messages are no longer there",
            (unsigned long long)(said->first - said->after - 1));
    }
    memcpy(stand.stream, said->stream, sizeof stand.stream);
    stand.seq = said->after;
    ho_agent_stand_at(agent, &stand);
    p->acked = said->after;
}

static const char *welcomed(nt_pledge *p, ho_agent *agent, const nt_said *said)
{
    size_t unsent = count_lines(ho_agent_unsent(agent));
    if (said->number > ho_agent_sent_ever(agent) + unsent) {
        SAY(p, "the relay has messages that this state knows nothing of; its numbers "
               "begin anew under another name");
        return take_new_name(agent) ? "the agent's state cannot be kept"
                                    : "the state is older than its messages";
    }
    take_place(p, agent, said);
    forget(p, agent, said->number);
    p->number = ho_agent_sent_ever(agent);
    p->welcomed = true;
    return NULL;
}

static void take_held(nt_pledge *p, ho_agent *agent)
{
    mt_str rest = mt_buf_str(&p->held);
    while (rest.len && !ho_agent_is_full(agent)) {
        mt_str line = mt_str_from(rest.ptr, mt_str_find(rest, '\n'));
        ho_agent_receive(agent, line);
        rest = mt_str_skip(rest, line.len + 1);
    }
    if (rest.len) {
        memmove(p->held.ptr, rest.ptr, rest.len);
    }
    p->held.len = rest.len;
}

const char *nt_pledge_hear(nt_pledge *p, ho_agent *agent, mt_str line)
{
    nt_said said;
    if (!nt_said_read(line, &said)) {
        return "the relay said something that is not known here";
    }
    if (said.kind == NT_REFUSED) {
        SAY(p, "the relay refuses: %s", said.why);
        return "refused";
    }
    if (said.kind == NT_WELCOME) {
        return p->welcomed ? "the relay said welcome twice" : welcomed(p, agent, &said);
    }
    forget(p, agent, said.number);
    take_held(p, agent);
    return NULL;
}

/* Before the welcome there are none, only warnings, which are the operator's. */
void nt_pledge_message(nt_pledge *p, ho_agent *agent, mt_str line)
{
    if (!p->welcomed) {
        SAY(p, "before the welcome: %.*s", (int)(line.len < 200 ? line.len : 200),
            line.ptr);
    } else if (p->held.len || ho_agent_is_full(agent)) {
        mt_buf_adds(&p->held, line);
        mt_buf_addc(&p->held, '\n');
    } else {
        ho_agent_receive(agent, line);
    }
}

/* ---- what the relay is told ---- */

static void frame_next(nt_pledge *p, mt_str rest)
{
    mt_str line = mt_str_from(rest.ptr, mt_str_find(rest, '\n') + 1);
    mt_buf_add_u64(&p->out, ++p->number);
    mt_buf_addc(&p->out, ' ');
    mt_buf_adds(&p->out, line);
    p->framed += line.len;
}

mt_str nt_pledge_unwritten(nt_pledge *p, const ho_agent *agent)
{
    uint64_t seq = ho_agent_stand(agent)->seq;
    if (p->written == p->out.len) {
        mt_buf_clear(&p->out);
        p->written = 0;
    }
    if (p->welcomed && !p->out.len) {
        mt_str rest = mt_str_skip(ho_agent_unsent(agent), p->framed);
        if (seq > p->acked) {
            mt_buf_addf(&p->out, "ack %llu\n", (unsigned long long)seq);
            p->acked = seq;
        }
        while (rest.len && p->out.len < PORTION_BYTES) {
            frame_next(p, rest);
            rest = mt_str_skip(ho_agent_unsent(agent), p->framed);
        }
    }
    return mt_str_skip(mt_buf_str(&p->out), p->written);
}

void nt_pledge_wrote(nt_pledge *p, size_t bytes)
{
    p->written += bytes;
}

void nt_pledge_free(nt_pledge *p)
{
    mt_buf_free(&p->out);
    mt_buf_free(&p->held);
}
