/* tool/turn.c - one message on its way: calls, their answers, and the end of it.
 * Room: tool.
 * A turn begins with a message and ends with done(). In between each step either has
 * its result or asks the executor for something, whose answer comes on any thread, the
 * committer's too: what follows there only reads and writes text, and calls that take
 * long go to a worker (must_not_linger). A turn belongs to one thread at a time. What
 * writes goes with a key, if there is one (docs/adr/0022-mcp.md). */
#include <stdlib.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "tool/turn.h"

mt_str tl_persona(const tl_turn *t)
{
    return t->visit->persona;
}

/* As in paths of HTTP: UTF-8 without control characters. */
bool tl_is_name(mt_str text)
{
    enum { MOST = 4096 };
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return text.len && text.len <= MOST && mt_utf8_check(text) == text.len;
}

/* ---- Keys ---- */

/* Shorter than the 255 of HTTP's Idempotency-Key:
 * key_with_input() may add 17 characters. */
enum { KEY_BYTES = 200 };

static bool is_printable(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '!' || text.ptr[i] > '~') {
            return false;
        }
    }
    return text.len > 0;
}

/* A digest, so that an id of any length and content becomes a key of 64 characters. */
mt_str tl_session_key(mt_arena *a, const tl_session *s, mt_str id)
{
    char hex[2 * MT_SHA256_BYTES];
    mt_sha256 digest = mt_sha256_of_two(mt_str_z(s->nonce), id);
    mt_hex(digest.bytes, MT_SHA256_BYTES, hex);
    return mt_str_dup(a, mt_str_from(hex, sizeof hex));
}

/* Named by the caller; or, where ids are used once in a session, the session and the
 * id. */
static mt_str key_of(tl_turn *t)
{
    mt_str given = mt_json_text(mt_json_get(t->m.meta, MT_STR("motet/callId")));
    const tl_session *s = t->visit->session;
    if (given.len) {
        return given;
    }
    if (t->visit->key.len) {
        return t->visit->key;
    }
    if (!s || t->m.revision != MC_2025_11_25) {
        return (mt_str){0};
    }
    return tl_session_key(&t->arena, s, t->m.id);
}

/* An outcome that was asked for and given is another request than the first, and one
 * for another step is another again. */
static mt_str key_with_input(tl_turn *t, mt_str key)
{
    char hex[2 * MT_SHA256_BYTES];
    if (!key.len || !tl_outcome_given(t).ptr) {
        return key;
    }
    mt_sha256 digest = mt_sha256_of(t->asked);
    mt_hex(digest.bytes, MT_SHA256_BYTES, hex);
    return mt_strf(&t->arena, "%.*s/%.16s", MT_ARG(key), hex);
}

bool tl_spoilt_key(tl_turn *t)
{
    const mt_json *given = mt_json_get(t->m.meta, MT_STR("motet/callId"));
    mt_str text = mt_json_text(given);
    bool good = !given || (mt_json_is(given, MT_JSON_STRING) && text.len <= KEY_BYTES &&
                           is_printable(text));
    if (!good) {
        mc_spoil(&t->m, MC_BAD_PARAMS,
                 MT_STR("motet/callId in `_meta` must be 1 to 200 printable characters "
                        "of ASCII"),
                 (mt_str){0});
    }
    return !good;
}

/* ---- Calls ---- */

mt_str tl_keep(tl_turn *t, mt_buf *b)
{
    mt_str text = mt_str_dup(&t->arena, mt_buf_str(b));
    mt_buf_free(b);
    return text;
}

/* Calls that change something: the others need no key, as they may be repeated. */
static bool writes(ex_action a)
{
    return a == EX_OPERATION || a == EX_FLOW_START || a == EX_FLOW_RESUME ||
           a == EX_FLOW_CANCEL;
}

void tl_call(tl_turn *t, ex_action action, mt_str name, mt_str id, mt_str body,
             void (*then)(tl_turn *t))
{
    t->calls = true;
    t->then = then;
    t->call = (ex_call){.action = action,
                        .caller = &t->as,
                        .contract = t->visit->contract,
                        .name = name,
                        .id = id,
                        .body = body,
                        .trace = t->visit->trace,
                        .must_not_linger = true};
    if (writes(action)) {
        /* As the path of HTTP would say it: a key is the caller's, wherever it calls.
         */
        mt_str head = mt_strf(&t->arena, "mcp %.*s %.*s %d %.*s %.*s\n",
                              MT_ARG(t->visit->contract), MT_ARG(t->visit->persona),
                              (int)action, MT_ARG(name), MT_ARG(id));
        mt_sha256 digest = mt_sha256_of_two(head, body);
        mt_hex(digest.bytes, MT_SHA256_BYTES, t->digest);
        t->call.idempotency_key = key_with_input(t, key_of(t));
        t->call.request_digest = mt_str_from(t->digest, sizeof t->digest);
    }
}

/* The executor's answer, on any thread. `then` may
 * set another call; tl_go_on() makes it or ends. */
static void heard(void *state, ex_reply *reply)
{
    tl_turn *t = state;
    mt_json *tree = mt_new(&t->arena, mt_json);
    t->status = reply->status;
    t->replayed = reply->replayed;
    t->reply_text = tl_keep(t, &reply->body);
    t->reply = mt_json_read(&t->arena, t->reply_text, NULL, tree, NULL) ? NULL : tree;
    t->calls = false;
    t->then(t);
    tl_go_on(t);
}

/* ---- Turns ---- */

/* A notification has an empty body. The buffer is
 * freed even if done() moved it out: it is empty then. */
static void finish(tl_turn *t)
{
    mt_buf body = {0};
    if (t->m.kind == MC_FAULTY) {
        mc_refuse(&body, &t->m);
    } else if (t->m.kind == MC_REQUEST) {
        mc_result r = {t->type, mt_buf_str(&t->members), mt_buf_str(&t->meta)};
        mc_answer(&body, &t->desk->server, &t->m, &r);
    }
    t->done(t->state, mc_status(&t->m), &body);
    mt_buf_free(&body);
    mt_buf_free(&t->members);
    mt_buf_free(&t->meta);
    mt_arena_free(&t->arena);
    free(t);
}

/* Once the call is given away the turn may be over at any moment. */
void tl_go_on(tl_turn *t)
{
    if (t->calls) {
        ex_executor_call(t->desk->executor, &t->call, heard, t);
    } else {
        finish(t);
    }
}
