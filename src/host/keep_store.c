/* host/keep_store.c - an agent's memory in a store, beside what else a call writes.
 * Room: host.
 * Documents:
 *   agent          NAME             {"messages":N,"state":S}: tape and memory
 *   agent_message  NAME '/' number  {"direction":"in"|"out","line":…,"number":N}; tag
 *                                   NAME
 * A message that is received, what the agent says to it and the state after it are one
 * transaction, which somebody else began and ends: it is lent from
 * ho_keep_store_begin() to ho_keep_store_end(). The state's version tells whether
 * another node was faster. INVARIANT: nothing is committed outside a transaction that
 * was lent. */
#include <stdlib.h>

#include "base/json_write.h"
#include "host/keep.h"

#define KIND_STATE   MT_STR("agent")
#define KIND_MESSAGE MT_STR("agent_message")

typedef struct keep_store {
    ho_keep keep; /* first: the interface points here */
    mt_str name;
    int64_t version;  /* of the stored state that was read; -1: none stored */
    int64_t messages; /* stored by then */
    st_tx *tx;        /* lent; or NULL */
    int64_t now_ms;
    mt_buf text; /* of a document being written */
} keep_store;

/* ---- Writing ---- */

static mt_err put_message(keep_store *s, const char *direction, mt_str line)
{
    mt_arena a = {0};
    mt_buf_clear(&s->text);
    mt_jw w = mt_jw_start(&s->text, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "direction", mt_str_z(direction));
    mt_jw_key_str(&w, "line", line);
    mt_jw_key_i64(&w, "number", s->messages);
    mt_jw_end_object(&w);
    st_doc doc = {
        .kind = KIND_MESSAGE,
        .id = mt_strf(&a, "%.*s/%012lld", MT_ARG(s->name), (long long)s->messages++),
        .tag = s->name,
        .body = mt_buf_str(&s->text),
        .updated_ms = s->now_ms};
    mt_err err = st_doc_put(s->tx, &doc);
    mt_arena_free(&a);
    return err;
}

/* Calls, not relays, bring messages to an agent of a store: the stand stays in memory.
 */
static mt_err store_commit(ho_keep *k, mt_str state, mt_str lines,
                           const ho_stand *stand)
{
    keep_store *s = (keep_store *)k;
    mt_err err = s->tx ? MT_OK : MT_E_IO;
    for (mt_str rest = lines; rest.len && !err;) {
        mt_str line = mt_str_from(rest.ptr, mt_str_find(rest, '\n'));
        err = put_message(s, "out", line);
        rest = mt_str_skip(rest, line.len + 1);
    }
    if (!err) {
        ho_keep_remember(k, state, lines, stand);
    }
    return err;
}

static mt_err store_sent(ho_keep *k, size_t count)
{
    ho_keep_forget_sent(k, count); /* they are in the log, whoever carries them */
    return MT_OK;
}

static void store_close(ho_keep *k)
{
    mt_buf_free(&((keep_store *)k)->text);
}

/* Has nobody else kept a message since the state was read? */
static mt_err check_version(const keep_store *s, st_tx *tx)
{
    mt_arena a = {0};
    st_doc doc;
    mt_err err = st_doc_lock(tx, &a, KIND_STATE, s->name, &doc);
    int64_t stored = err == MT_E_NOTFOUND ? -1 : doc.version;
    mt_arena_free(&a);
    if (err && err != MT_E_NOTFOUND) {
        return err;
    }
    return stored == s->version ? MT_OK : MT_E_CONFLICT;
}

mt_err ho_keep_store_begin(ho_keep *k, st_tx *tx, int64_t now_ms, mt_str received)
{
    keep_store *s = (keep_store *)k;
    mt_err err = check_version(s, tx);
    if (err) {
        return err;
    }
    s->tx = tx;
    s->now_ms = now_ms;
    return put_message(s, "in", received);
}

mt_err ho_keep_store_end(ho_keep *k)
{
    keep_store *s = (keep_store *)k;
    mt_buf_clear(&s->text);
    mt_buf_addf(&s->text, "{\"messages\":%lld,\"state\":", (long long)s->messages);
    mt_buf_adds(&s->text, k->state.len ? mt_buf_str(&k->state) : MT_STR("null"));
    mt_buf_addc(&s->text, '}');
    st_doc doc = {.kind = KIND_STATE,
                  .id = s->name,
                  .body = mt_buf_str(&s->text),
                  .version = ++s->version,
                  .updated_ms = s->now_ms};
    mt_err err = st_doc_put(s->tx, &doc);
    s->tx = NULL;
    return err;
}

/* ---- Reading ---- */

/* MT_E_NOTFOUND: nothing is kept yet. */
static mt_err read_state(st_tx *tx, mt_str name, mt_buf *state, int64_t *version,
                         int64_t *messages)
{
    mt_arena a = {0};
    st_doc doc;
    mt_json body;
    mt_err err = st_doc_get(tx, &a, KIND_STATE, name, &doc);
    if (!err && (mt_json_read(&a, doc.body, NULL, &body, NULL) ||
                 mt_json_i64(mt_json_at(&body, "messages"), messages) ||
                 !mt_json_at(&body, "state"))) {
        err = MT_E_CORRUPT;
    }
    if (!err) {
        *version = doc.version;
        mt_json_write(state, mt_json_at(&body, "state"), false);
    }
    mt_arena_free(&a);
    return err;
}

mt_err ho_keep_open_store(mt_str name, st_tx *tx, ho_keep **out)
{
    keep_store *s = mt_xmalloc(sizeof *s);
    *s = (keep_store){
        .keep = {.commit = store_commit, .sent = store_sent, .close = store_close},
        .name = name,
        .version = -1};
    mt_err err = read_state(tx, name, &s->keep.state, &s->version, &s->messages);
    *out = &s->keep;
    if (err && err != MT_E_NOTFOUND) {
        ho_keep_close(*out);
        *out = NULL;
        return err;
    }
    return MT_OK;
}

int64_t ho_keep_messages(const ho_keep *k)
{
    return ((const keep_store *)k)->messages;
}

mt_err ho_keep_store_state(st_tx *tx, mt_str name, mt_buf *state)
{
    int64_t version, messages;
    mt_err err = read_state(tx, name, state, &version, &messages);
    if (err == MT_E_NOTFOUND) {
        mt_buf_addz(state, "null");
        return MT_OK;
    }
    return err;
}

mt_err ho_keep_store_log(st_tx *tx, mt_str name, st_page page, st_doc_walker *each,
                         void *state)
{
    return st_doc_walk(tx, KIND_MESSAGE, name, page, each, state);
}
