/* Requests: the first line, header fields and target as a peer may send them, through
 * everything that judges them before the executor is called. Whatever is let through
 * has one meaning: its segments are clean and its route's parameters are whole
 * segments.
 */
#include "base/utf8.h"
#include "http/head.h"
#include "http/route.h"
#include "http/token.h"

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

static void check_target(mt_arena *a, mt_str method, mt_str text)
{
    ht_target t;
    ht_match m;
    const char *why = NULL;
    if (ht_target_read(a, text, &t, &why)) {
        MT_ASSERT(why);
        return;
    }
    for (size_t i = 0; i < t.segment_count; i++) {
        check_text(t.segments[i], true);
    }
    for (size_t i = 0; i < t.query_count; i++) {
        check_text(t.query[i].name, false);
        check_text(t.query[i].value, false);
        MT_ASSERT(mt_str_eq(ht_target_param(&t, t.query[i].name), t.query[i].value));
    }
    ht_route_find(method, &t, &m);
    MT_ASSERT(!m.route || !m.allow[0]);
    MT_ASSERT(!m.route || m.route->page != HT_CALL ||
              m.route->action < RT_ACTION_COUNT);
}

static void check_head(mt_str rest)
{
    ht_head h = {0};
    while (rest.len) {
        mt_str line = take_line(&rest);
        size_t colon = mt_str_find(line, ':');
        ht_head_add(&h, mt_str_from(line.ptr, colon), mt_str_skip(line, colon + 1));
    }
    if (ht_head_check(&h)) {
        MT_ASSERT(!(h.content_length.ptr && h.transfer_encoding.ptr));
        (void)ht_head_length(&h, 0);
    }
    (void)ht_head_is_json(&h);
    (void)ht_head_has_etag(&h, MT_STR("abc"));
    (void)ht_head_host_is_local(&h);
    (void)ht_head_request_id_ok(&h);
    mt_str id, secret;
    if (ht_token_split(h.authorization, &id, &secret)) {
        MT_ASSERT(id.len == HT_TOKEN_ID && secret.len == HT_TOKEN_SECRET);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena arena = {0};
    mt_str rest = mt_str_from((const char *)data, size);
    mt_str line = take_line(&rest);
    size_t space = mt_str_find(line, ' ');
    check_target(&arena, mt_str_from(line.ptr, space), mt_str_skip(line, space + 1));
    check_head(rest);
    mt_arena_free(&arena);
    return 0;
}
