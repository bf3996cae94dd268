/* Signed messages. The first byte chooses: what comes from outside, however it looks,
 * is not believed by one who trusts a key that never signed it; a message that was
 * signed and then changed is not believed either; memory of what was heard is read back
 * as it was written, whoever wrote it. */
#include <stddef.h>
#include <stdint.h>

#include "agent/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int64_t NOW = 1700000000000;
static mt_sign_key key;

static ag_verifier *verifier(ag_trusted *who, ag_identity *id)
{
    static const unsigned char seed[MT_SIGN_SEED] = {7};
    mt_sign_from_seed(seed, &key);
    *who = (ag_trusted){MT_STR("a"), key.open};
    *id = (ag_identity){.required = true,
                        .trusted = who,
                        .trusted_count = 1,
                        .window_ms = 1000,
                        .room = MT_STR("")};
    return ag_verifier_new(id);
}

static bool is_believed(ag_verifier *v, mt_arena *a, ag_mode mode, mt_str line)
{
    ag_inbound in;
    mt_str signer;
    mt_json_limits limits = {.bytes = 65536, .depth = 32};
    return !ag_frame_read(a, mode, line, &limits, &in) &&
           !ag_verify(v, a, &in, NOW, &signer);
}

/* A line as the relay brings it, signed by the one who is trusted. */
static void sign(mt_buf *out)
{
    mt_json payload = {.type = MT_JSON_STRING, .count = 2, .as.text = "hi"};
    ag_signer s = {.key = &key, .name = MT_STR("a"), .room = MT_STR("")};
    mt_buf line = {0};
    memset(s.session, 'b', 32);
    MT_ASSERT(ag_sign_message(&s, NOW, &payload, &line));
    mt_buf_addz(out, "{\"content\":");
    mt_json_quote(out, mt_str_from(line.ptr, line.len - 1));
    mt_buf_addz(out, ",\"remote_addr\":\"h:1\"}");
    mt_buf_free(&line);
}

/* Who is believed said "hi", whatever else was changed around that. */
static void check_changed(ag_verifier *v, mt_arena *a, mt_str changes)
{
    mt_buf line = {0};
    ag_inbound in;
    sign(&line);
    for (size_t i = 0; i + 1 < changes.len; i += 2) {
        line.ptr[(unsigned char)changes.ptr[i] * 2u % line.len] = changes.ptr[i + 1];
    }
    if (is_believed(v, a, AG_PROFILE, mt_buf_str(&line))) {
        MT_ASSERT(!ag_frame_read(a, AG_PROFILE, mt_buf_str(&line), NULL, &in));
        MT_ASSERT(mt_str_is(mt_json_text(&in.payload), "hi"));
    }
    mt_buf_free(&line);
}

static void check_memory(ag_verifier *v, ag_identity *id, mt_arena *a, mt_str text)
{
    mt_json rows, saved;
    mt_buf once = {0}, twice = {0};
    if (mt_json_read(a, text, NULL, &rows, NULL) || ag_verifier_load(v, &rows)) {
        return;
    }
    mt_jw w = mt_jw_start(&once, false);
    ag_verifier_save(v, &w);
    ag_verifier *other = ag_verifier_new(id);
    MT_ASSERT(!mt_json_read(a, mt_buf_str(&once), NULL, &saved, NULL));
    MT_ASSERT(!ag_verifier_load(other, &saved));
    w = mt_jw_start(&twice, false);
    ag_verifier_save(other, &w);
    MT_ASSERT(mt_str_eq(mt_buf_str(&once), mt_buf_str(&twice)));
    ag_verifier_free(other);
    mt_buf_free(&once);
    mt_buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    ag_trusted who;
    ag_identity id;
    if (!size || size > 65536) {
        return 0;
    }
    ag_verifier *v = verifier(&who, &id);
    mt_str input = mt_str_from((const char *)data + 1, size - 1);
    switch (data[0] % 3) {
    case 0:
        MT_ASSERT(!is_believed(v, &a, AG_PROFILE, input));
        MT_ASSERT(!is_believed(v, &a, AG_COMPAT, input));
        break;
    case 1: check_changed(v, &a, input); break;
    default: check_memory(v, &id, &a, input);
    }
    ag_verifier_free(v);
    mt_arena_free(&a);
    return 0;
}
