/* agent/identity.c - see identity.h.
 *
 * Verifying goes from cheap to dear: form, room, time, whether the key is believed,
 * whether the message was heard before, and only then the signature. Nothing is
 * remembered of a message whose signature does not verify, so nobody can use up the
 * room that others need.
 *
 * Replays: per key and session the highest count is kept and which of the WINDOW counts
 * below it were heard; older ones are refused. A session is forgotten once its last
 * message is older than the window of time, because then the time alone refuses it. A
 * key has at most SESSIONS of them: a new one takes the place of the one that is silent
 * longest, but only of one that is already too old; otherwise it is refused.
 *
 * INVARIANT: what is accepted is accepted once, also across a restart, as long as what
 * is remembered is kept together with what the message led to. What may fail: loading
 * (MT_E_SYNTAX). */
#include "agent/identity.h"

#include <stdlib.h>

#include "agent/value.h"
#include "base/base64.h"
#include "base/form.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"

/* WINDOW: how far messages of one session may overtake each other. SESSIONS: a
 * session is one run of an agent, and so many within the window of time are enough
 * for one that restarts. KEYS_MOST bounds memory where anybody may come with a new
 * key. */
enum {
    WINDOW = 1024,
    WORDS = WINDOW / 64,
    SESSIONS = 16,
    NAME_MOST = 200,
    KEYS_MOST = 4096
};
/* So that no signature over something else can be passed off as a message. */
#define PREFIX "motet-agent-message-1\n"

/* Counts of one session that were heard. Bit k of `heard`: highest - k. */
typedef struct session {
    unsigned char id[16];
    uint64_t highest;
    uint64_t heard[WORDS];
    int64_t last_ms; /* time of its latest message */
} session;

typedef struct peer {
    mt_sign_public key;
    mt_str name; /* that it was pinned to; ptr NULL: none */
    session sessions[SESSIONS];
    uint32_t session_count;
} peer;

struct ag_verifier {
    const ag_identity *identity;
    mt_arena arena;
    mt_map by_key;  /* 32 bytes to peer + 1 */
    mt_map by_name; /* pinned name to peer + 1 */
    peer *peers;
    size_t len, cap;
};

bool ag_key_read(mt_str text, mt_sign_public *out)
{
    return mt_unhex(text, out->bytes, MT_SIGN_PUBLIC) ||
           mt_unbase64(text, out->bytes, MT_SIGN_PUBLIC);
}

/* ---- what is signed ---- */

/* The members of "_signed" that the signature covers, and the payload. Keys ascend. */
typedef struct claim {
    mt_str as, room, session;
    int64_t at, n;
} claim;

static void signed_text(mt_buf *out, const claim *c, const mt_json *payload)
{
    mt_buf_addz(out, PREFIX);
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "as", c->as);
    mt_jw_key_i64(&w, "at", c->at);
    mt_jw_key_i64(&w, "n", c->n);
    mt_jw_keyz(&w, "payload");
    mt_jw_json(&w, payload);
    mt_jw_key_str(&w, "room", c->room);
    mt_jw_key_str(&w, "session", c->session);
    mt_jw_end_object(&w);
}

/* A key that could not sign gives zeros, and those must not be sent. */
static bool is_zero(const mt_signature *s)
{
    unsigned char any = 0;
    for (size_t i = 0; i < MT_SIGN_BYTES; i++) {
        any |= s->bytes[i];
    }
    return !any;
}

bool ag_sign_message(ag_signer *s, int64_t now_ms, const mt_json *payload, mt_buf *out)
{
    mt_arena a = {0};
    mt_buf text = {0};
    claim c = {s->name, s->room, mt_str_z(s->session), now_ms, (int64_t)s->count + 1};
    signed_text(&text, &c, payload);
    mt_signature signature = mt_sign(s->key, mt_buf_str(&text));
    bool good = !is_zero(&signature);
    if (good) {
        mt_buf_clear(&text);
        mt_jw w = mt_jw_start(&text, false);
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "as", c.as);
        mt_jw_key_i64(&w, "at", c.at);
        mt_jw_key_str(&w, "key", mt_base64(&a, s->key->open.bytes, MT_SIGN_PUBLIC));
        mt_jw_key_i64(&w, "n", c.n);
        mt_jw_key_str(&w, "room", c.room);
        mt_jw_key_str(&w, "session", c.session);
        mt_jw_key_str(&w, "signature", mt_base64(&a, signature.bytes, MT_SIGN_BYTES));
        mt_jw_end_object(&w);
        ag_frame_signed(out, payload, mt_buf_str(&text));
        s->count++;
    }
    mt_buf_free(&text);
    mt_arena_free(&a);
    return good;
}

/* ---- peers ---- */

ag_verifier *ag_verifier_new(const ag_identity *identity)
{
    ag_verifier *v = mt_xmalloc(sizeof *v);
    *v = (ag_verifier){.identity = identity};
    return v;
}

void ag_verifier_free(ag_verifier *v)
{
    if (v) {
        mt_arena_free(&v->arena);
        free(v->peers);
        free(v);
    }
}

static mt_str key_text(const mt_sign_public *key)
{
    return mt_str_from((const char *)key->bytes, MT_SIGN_PUBLIC);
}

static peer *find_peer(const ag_verifier *v, const mt_sign_public *key)
{
    uintptr_t at = mt_map_get(&v->by_key, key_text(key), 0);
    return at ? &v->peers[at - 1] : NULL;
}

/* Peers move when the array grows: maps have numbers, never pointers. */
static peer *make_peer(ag_verifier *v, const mt_sign_public *key)
{
    peer *p = find_peer(v, key);
    if (p) {
        return p;
    }
    if (v->len == v->cap) {
        v->cap = v->cap ? v->cap * 2 : 8;
        v->peers = mt_xrealloc(v->peers, v->cap * sizeof *v->peers);
    }
    p = &v->peers[v->len++];
    *p = (peer){.key = *key};
    mt_map_put(&v->arena, &v->by_key, mt_str_dup(&v->arena, key_text(key)), v->len);
    return p;
}

static void pin(ag_verifier *v, peer *p, mt_str name)
{
    if (!p->name.ptr) {
        p->name = mt_str_dup(&v->arena, name);
        mt_map_put(&v->arena, &v->by_name, p->name, (uintptr_t)(p - v->peers) + 1);
    }
}

static const ag_trusted *trusted_as(const ag_identity *id, const mt_sign_public *key)
{
    for (uint32_t i = 0; i < id->trusted_count; i++) {
        if (memcmp(id->trusted[i].key.bytes, key->bytes, MT_SIGN_PUBLIC) == 0) {
            return &id->trusted[i];
        }
    }
    return NULL;
}

/* ---- replays ---- */

static session *find_session(peer *p, const unsigned char id[16])
{
    for (uint32_t i = 0; p && i < p->session_count; i++) {
        if (memcmp(p->sessions[i].id, id, 16) == 0) {
            return &p->sessions[i];
        }
    }
    return NULL;
}

static bool was_heard(const session *s, uint64_t n)
{
    uint64_t back = s->highest - n;
    return n <= s->highest &&
           (back >= WINDOW || (s->heard[back / 64] >> (back % 64) & 1));
}

static void shift(session *s, uint64_t by)
{
    for (int i = WORDS - 1; i >= 0; i--) {
        int64_t from = i - (int64_t)(by / 64);
        uint64_t high = from >= 0 ? s->heard[from] << (by % 64) : 0;
        uint64_t low = from >= 1 && by % 64 ? s->heard[from - 1] >> (64 - by % 64) : 0;
        s->heard[i] = high | low;
    }
}

static void hear(session *s, uint64_t n, int64_t at_ms)
{
    if (n > s->highest) {
        uint64_t by = n - s->highest;
        if (by < WINDOW) {
            shift(s, by);
        } else {
            memset(s->heard, 0, sizeof s->heard);
        }
        s->highest = n;
    }
    uint64_t back = s->highest - n;
    s->heard[back / 64] |= (uint64_t)1 << (back % 64);
    s->last_ms = at_ms > s->last_ms ? at_ms : s->last_ms;
}

/* A place for a new session: free, or that of one whose messages the time refuses. */
static session *free_place(peer *p, int64_t now_ms, uint64_t window_ms)
{
    session *oldest = NULL;
    if (p->session_count < SESSIONS) {
        return &p->sessions[p->session_count];
    }
    for (uint32_t i = 0; i < SESSIONS; i++) {
        if (!oldest || p->sessions[i].last_ms < oldest->last_ms) {
            oldest = &p->sessions[i];
        }
    }
    return now_ms - oldest->last_ms > (int64_t)window_ms ? oldest : NULL;
}

/* ---- verifying ---- */

typedef struct reading {
    claim claim;
    mt_sign_public key;
    mt_signature signature;
    unsigned char session[16];
} reading;

typedef struct envelope {
    claim claim;
    mt_str key, signature;
} envelope;

static const mt_form_row ENVELOPE[] = {
    MT_FORM_ROW(envelope, claim.as, "as", MT_FORM_K_TEXT, 0, NAME_MOST,
                MT_FORM_REQUIRED),
    MT_FORM_TEXT(envelope, claim.room, "room", MT_FORM_REQUIRED),
    MT_FORM_TEXT(envelope, claim.session, "session", MT_FORM_REQUIRED),
    MT_FORM_INT(envelope, claim.at, "at", 0, INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_INT(envelope, claim.n, "n", 1, INT64_MAX, MT_FORM_REQUIRED),
    MT_FORM_TEXT(envelope, key, "key", MT_FORM_REQUIRED),
    MT_FORM_TEXT(envelope, signature, "signature", MT_FORM_REQUIRED),
};

/* Nobody is told which part a stranger got wrong, so nobody listens to the form. */
static bool read_claim(mt_arena *a, const mt_json *s, reading *r)
{
    envelope e = {0};
    mt_form form = {.arena = a, .what = "a signature", .unknown = MT_FORM_ALLOWED};
    bool good = mt_form_read(&form, s, ENVELOPE, mt_form_count(ENVELOPE), &e);
    r->claim = e.claim;
    return good && mt_unhex_lower(e.claim.session, r->session, 16) &&
           mt_unbase64(e.key, r->key.bytes, MT_SIGN_PUBLIC) &&
           mt_unbase64(e.signature, r->signature.bytes, MT_SIGN_BYTES);
}

static const char *judge_time(const ag_identity *id, const claim *c, int64_t now_ms)
{
    int64_t window = (int64_t)id->window_ms;
    if (c->at < now_ms - window) {
        return "it is older than the window allows";
    }
    return c->at > now_ms + window ? "it is from the future" : NULL;
}

/* Listed keys first; else the pin of the name it signs as. */
static const char *judge_key(const ag_verifier *v, const reading *r)
{
    const ag_identity *id = v->identity;
    const peer *p = find_peer(v, &r->key);
    if (trusted_as(id, &r->key)) {
        return NULL;
    }
    if (!id->pin_first) {
        /* Without a list and without pins every key is believed: a signature then
         * only says that it was the same one as before. */
        return id->trusted_count ? "its key is not one of those that are trusted"
                                 : NULL;
    }
    for (uint32_t i = 0; i < id->trusted_count; i++) {
        if (mt_str_eq(id->trusted[i].name, r->claim.as)) {
            return "another key has the name it signs as";
        }
    }
    uintptr_t owner = mt_map_get(&v->by_name, r->claim.as, 0);
    if (owner && &v->peers[owner - 1] != p) {
        return "another key has the name it signs as";
    }
    return p && p->name.ptr && !mt_str_eq(p->name, r->claim.as)
               ? "its key has another name"
               : NULL;
}

static const char *judge_replay(ag_verifier *v, const reading *r, int64_t now_ms)
{
    peer *p = find_peer(v, &r->key);
    session *s = find_session(p, r->session);
    if (!p) {
        return v->len < KEYS_MOST ? NULL : "too many keys have been heard";
    }
    if (s) {
        return was_heard(s, (uint64_t)r->claim.n) ? "it was heard before" : NULL;
    }
    return free_place(p, now_ms, v->identity->window_ms)
               ? NULL
               : "its key has begun too many sessions";
}

static bool verifies(const reading *r, const mt_json *payload)
{
    mt_buf text = {0};
    signed_text(&text, &r->claim, payload);
    bool good = mt_sign_verify(&r->key, mt_buf_str(&text), &r->signature);
    mt_buf_free(&text);
    return good;
}

static void take_note(ag_verifier *v, const reading *r, int64_t now_ms)
{
    peer *p = make_peer(v, &r->key);
    session *s = find_session(p, r->session);
    if (!s) {
        s = free_place(p, now_ms, v->identity->window_ms);
        MT_ASSERT(s); /* judge_replay() found it */
        p->session_count += s == &p->sessions[p->session_count];
        *s = (session){0};
        memcpy(s->id, r->session, sizeof s->id);
    }
    hear(s, (uint64_t)r->claim.n, r->claim.at);
    if (v->identity->pin_first && !trusted_as(v->identity, &r->key)) {
        pin(v, p, r->claim.as);
    }
}

static mt_str name_of(const ag_verifier *v, mt_arena *a, const mt_sign_public *key)
{
    const ag_trusted *t = trusted_as(v->identity, key);
    const peer *p = find_peer(v, key);
    return t                  ? t->name
           : p && p->name.ptr ? p->name
                              : mt_base64(a, key->bytes, MT_SIGN_PUBLIC);
}

const char *ag_verify(ag_verifier *v, mt_arena *a, const ag_inbound *in, int64_t now_ms,
                      mt_str *signer)
{
    reading r;
    const char *why;
    *signer = (mt_str){0};
    if (!in->is_signed) {
        return v->identity->required ? "it is not signed" : NULL;
    }
    if (!read_claim(a, &in->signature, &r)) {
        return "what it is signed with is malformed";
    }
    if (!mt_str_eq(r.claim.room, v->identity->room)) {
        return "it was signed for another room";
    }
    if ((why = judge_time(v->identity, &r.claim, now_ms)) || (why = judge_key(v, &r)) ||
        (why = judge_replay(v, &r, now_ms))) {
        return why;
    }
    if (!verifies(&r, &in->payload)) {
        return "its signature does not verify";
    }
    /* Only now: see the head of the file. */
    take_note(v, &r, now_ms);
    *signer = name_of(v, a, &r.key);
    return NULL;
}

/* ---- saving ---- */

bool ag_verifier_has_any(const ag_verifier *v)
{
    return v->len > 0;
}

/* [id, highest, latest time, heard as hex] */
static void save_session(mt_jw *w, const session *s)
{
    char id[32], heard[16 * WORDS];
    mt_hex(s->id, sizeof s->id, id);
    for (size_t i = 0; i < WORDS; i++) {
        unsigned char bytes[8];
        for (size_t k = 0; k < 8; k++) {
            bytes[k] = (unsigned char)(s->heard[i] >> (8 * k));
        }
        mt_hex(bytes, sizeof bytes, heard + 16 * i);
    }
    mt_jw_begin_array(w);
    mt_jw_str(w, mt_str_from(id, sizeof id));
    mt_jw_i64(w, (int64_t)s->highest);
    mt_jw_i64(w, s->last_ms);
    mt_jw_str(w, mt_str_from(heard, sizeof heard));
    mt_jw_end_array(w);
}

void ag_verifier_save(const ag_verifier *v, mt_jw *w)
{
    mt_arena a = {0};
    mt_jw_begin_array(w);
    for (size_t i = 0; i < v->len; i++) {
        const peer *p = &v->peers[i];
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "key", mt_base64(&a, p->key.bytes, MT_SIGN_PUBLIC));
        if (p->name.ptr) {
            mt_jw_key_str(w, "name", p->name);
        }
        mt_jw_keyz(w, "sessions");
        mt_jw_begin_array(w);
        for (uint32_t k = 0; k < p->session_count; k++) {
            save_session(w, &p->sessions[k]);
        }
        mt_jw_end_array(w);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_arena_free(&a);
}

static bool load_session(const mt_json *row, session *s)
{
    unsigned char bytes[8 * WORDS];
    int64_t highest;
    *s = (session){0};
    if (!mt_json_is(row, MT_JSON_ARRAY) || row->count != 4 ||
        !mt_unhex_lower(mt_json_text(&row->as.items[0]), s->id, sizeof s->id) ||
        mt_json_i64(&row->as.items[1], &highest) || highest < 1 ||
        mt_json_i64(&row->as.items[2], &s->last_ms) ||
        !mt_unhex_lower(mt_json_text(&row->as.items[3]), bytes, sizeof bytes)) {
        return false;
    }
    s->highest = (uint64_t)highest;
    for (size_t i = 0; i < sizeof bytes; i++) {
        s->heard[i / 8] |= (uint64_t)bytes[i] << (8 * (i % 8));
    }
    return true;
}

static bool load_peer(ag_verifier *v, const mt_json *row)
{
    mt_sign_public key;
    const mt_json *sessions = mt_json_at(row, "sessions");
    const mt_json *name = mt_json_at(row, "name");
    if (!ag_key_read(mt_json_text(mt_json_at(row, "key")), &key) ||
        !mt_json_is(sessions, MT_JSON_ARRAY) || sessions->count > SESSIONS ||
        find_peer(v, &key)) {
        return false;
    }
    peer *p = make_peer(v, &key);
    if (mt_json_is(name, MT_JSON_STRING)) {
        pin(v, p, mt_json_text(name));
    }
    for (; p->session_count < sessions->count; p->session_count++) {
        if (!load_session(&sessions->as.items[p->session_count],
                          &p->sessions[p->session_count])) {
            return false;
        }
    }
    return true;
}

mt_err ag_verifier_load(ag_verifier *v, const mt_json *rows)
{
    if (rows && (!mt_json_is(rows, MT_JSON_ARRAY) || rows->count > KEYS_MOST)) {
        return MT_E_SYNTAX;
    }
    for (uint32_t i = 0; rows && i < rows->count; i++) {
        if (!load_peer(v, &rows->as.items[i])) {
            return MT_E_SYNTAX;
        }
    }
    return MT_OK;
}
