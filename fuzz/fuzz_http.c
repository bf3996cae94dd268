/* Requests: the first line, header fields, an empty line and a body as a peer may send
 * them, through everything that judges them and on to the executor when they are let
 * in. Whatever is let through has one meaning: its segments are clean and its route's
 * parameters are whole segments.
 *
 * Tokens are random, so no seed can have one: "Bearer clerk" and "Bearer admin" stand
 * for the tokens that the target makes at its start; everything else is judged as it
 * is. A line "---" ends a request, and another may follow: what comes of one is there
 * for the next. What an answer of the executor must be is in served.c. */
#include <string.h>

#include "base/utf8.h"
#include "http/head.h"
#include "http/route.h"
#include "http/token_table.h"
#include "served.h"

enum { REQUESTS = 8 }; /* and the last one, at most */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static mt_str take_line(mt_str *rest)
{
    size_t end = mt_str_find(*rest, '\n');
    mt_str line = mt_str_from(rest->ptr, end);
    *rest = mt_str_skip(*rest, end + 1);
    return line;
}

static void check_text(mt_str s, bool segment)
{
    MT_ASSERT(mt_utf8_check(s) == s.len);
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        MT_ASSERT(c >= ' ' && c != 0x7f);
        MT_ASSERT(!segment || (c != '/' && c != '\\'));
    }
    MT_ASSERT(!segment || (s.len && !mt_str_is(s, ".") && !mt_str_is(s, "..")));
}

/* The route of a clean target, or none. */
static void check_target(mt_arena *a, mt_str method, mt_str text, ht_target *t,
                         ht_match *m)
{
    const char *why = NULL;
    if (ht_target_read(a, text, t, &why)) {
        MT_ASSERT(why);
        return;
    }
    for (size_t i = 0; i < t->segment_count; i++) {
        check_text(t->segments[i], true);
    }
    for (size_t i = 0; i < t->query_count; i++) {
        check_text(t->query[i].name, false);
        check_text(t->query[i].value, false);
        MT_ASSERT(mt_str_eq(ht_target_param(t, t->query[i].name), t->query[i].value));
    }
    ht_route_find(method, t, m);
    MT_ASSERT(!m->route || !m->allow[0]);
    MT_ASSERT(!m->route || m->route->page != HT_CALL ||
              m->route->action < EX_ACTION_COUNT);
}

/* Takes the lines up to the empty one. False: refused. */
static bool check_head(mt_str *rest, ht_head *h)
{
    for (mt_str line; rest->len && (line = take_line(rest)).len;) {
        size_t colon = mt_str_find(line, ':');
        mt_str value = mt_str_skip(line, colon + 1);
        value = value.len && value.ptr[0] == ' ' ? mt_str_skip(value, 1) : value;
        ht_head_add(h, mt_str_from(line.ptr, colon), value);
    }
    bool good = ht_head_check(h);
    if (good) {
        MT_ASSERT(!(h->content_length.ptr && h->transfer_encoding.ptr));
        (void)ht_head_length(h, 0);
    }
    (void)ht_head_has_etag(h, MT_STR("abc"));
    (void)ht_head_request_id_ok(h);
    mt_str id, secret;
    if (ht_token_split(h->authorization, &id, &secret)) {
        MT_ASSERT(id.len == HT_TOKEN_ID && secret.len == HT_TOKEN_SECRET);
    }
    (void)ht_head_host_is_local(h);
    return good;
}

/* ---- Who comes ---- */

static const struct {
    mt_str name;
    mt_str personas[8], rights[10];
    size_t persona_count, right_count;
} CALLERS[] = {
    {MT_STR_INIT("Bearer clerk"),
     {MT_STR_INIT("p"), MT_STR_INIT("seller"), MT_STR_INIT("buyer")},
     {MT_STR_INIT("source:a"), MT_STR_INIT("instances:create")},
     3,
     2},
    {MT_STR_INIT("Bearer admin"),
     {MT_STR_INIT("p"), MT_STR_INIT("q"), MT_STR_INIT("admin"),
      MT_STR_INIT("escrow_agent"), MT_STR_INIT("compliance_officer"),
      MT_STR_INIT("warehouse_ops")},
     {MT_STR_INIT("admin"), MT_STR_INIT("deploy"), MT_STR_INIT("facts:*"),
      MT_STR_INIT("instances:create"), MT_STR_INIT("instances:delete"),
      MT_STR_INIT("ledger:read"), MT_STR_INIT("graphs:fx"),
      MT_STR_INIT("agents:seller")},
     6,
     8},
};
enum { CALLER_COUNT = sizeof CALLERS / sizeof *CALLERS };

static char secrets[CALLER_COUNT][sizeof "Bearer " + HT_TOKEN_TEXT];

static void put_token(st_store *store, size_t i)
{
    mt_arena a = {0};
    mt_buf body = {0};
    st_tx *tx;
    ht_token t = {.name = CALLERS[i].name,
                  .personas = CALLERS[i].personas,
                  .persona_count = CALLERS[i].persona_count,
                  .rights = CALLERS[i].rights,
                  .right_count = CALLERS[i].right_count};
    memcpy(secrets[i], "Bearer ", 7);
    ht_token_make(&a, &t, secrets[i] + 7);
    ht_token_write(&body, &t);
    st_doc row = {.kind = HT_TOKEN_KIND, .id = t.id, .body = mt_buf_str(&body)};
    MT_ASSERT(!st_begin(store, ST_WRITE, &tx) && !st_doc_put(tx, &row));
    MT_ASSERT(!st_commit(tx));
    mt_buf_free(&body);
    mt_arena_free(&a);
}

static ht_tokens *tokens(const served *s)
{
    static ht_tokens *all;
    static unsigned round;
    if (round != s->round) {
        mt_buf why = {0};
        round = s->round;
        ht_tokens_free(all);
        for (size_t i = 0; i < CALLER_COUNT; i++) {
            put_token(s->store, i);
        }
        MT_ASSERT(!ht_tokens_open(s->store, &all, &why));
    }
    return all;
}

static mt_str shown(mt_str authorization)
{
    for (size_t i = 0; i < CALLER_COUNT; i++) {
        if (mt_str_eq(authorization, CALLERS[i].name)) {
            return mt_str_z(secrets[i]);
        }
    }
    return authorization;
}

/* ---- What is called ---- */

static void call(const ht_target *t, const ht_match *m, const ht_head *h, mt_str body)
{
    ht_pass pass;
    ht_tokens *all = tokens(served_open());
    mt_str authorization = shown(h->authorization);
    if (ht_tokens_check(all, authorization, &pass) != HT_LET_IN) {
        MT_ASSERT(mt_str_eq(authorization, h->authorization));
        return;
    }
    ex_call c = {.action = m->route->action,
                 .caller = pass.caller,
                 .contract = m->contract,
                 .name = m->name,
                 .id = m->id,
                 .body = m->route->flags & HT_BODY ? body : (mt_str){0},
                 .idempotency_key = h->idempotency_key,
                 .request_digest = h->idempotency_key,
                 .query = t->query,
                 .query_count = t->query_count};
    served_ask(&c);
    ht_pass_end(&pass);
}

static void handle(mt_str rest)
{
    mt_arena arena = {0};
    ht_target t = {0};
    ht_match m = {0};
    ht_head h = {0};
    mt_str line = take_line(&rest);
    size_t space = mt_str_find(line, ' ');
    check_target(&arena, mt_str_from(line.ptr, space), mt_str_skip(line, space + 1), &t,
                 &m);
    bool good = check_head(&rest, &h);
    bool json = ht_head_is_json(&h);
    if (good && m.route && m.route->page == HT_CALL && (json || !rest.len)) {
        call(&t, &m, &h, rest);
    }
    mt_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mt_str END = MT_STR_INIT("\n---\n");
    mt_str rest = mt_str_from((const char *)data, size);
    for (int i = 0; i < REQUESTS; i++) {
        const char *end = memmem(rest.ptr, rest.len, END.ptr, END.len);
        if (!end) {
            break;
        }
        mt_str one = mt_str_from(rest.ptr, (size_t)(end - rest.ptr));
        handle(one);
        rest = mt_str_skip(rest, one.len + END.len);
    }
    handle(rest);
    return 0;
}
