/* Tokens: made once, kept as a hash, judged without telling why. */
#include <stdio.h>

#include "../rows.h"
#include "fake_executor.h"
#include "http/token_table.h"

static char text[HT_TOKEN_TEXT + 1];
static const mt_str PERSONAS[] = {MT_STR_INIT("seller")};
static const mt_str RIGHTS[] = {MT_STR_INIT("instances:create")};

/* One token in the fake store; `change` may spoil it first. */
static ht_tokens *with_token(mt_arena *a, int64_t expires_ms, int64_t revoked_ms)
{
    ht_token t = {.name = MT_STR("Sam"),
                  .personas = PERSONAS,
                  .persona_count = 1,
                  .rights = RIGHTS,
                  .right_count = 1,
                  .created_ms = 5,
                  .expires_ms = expires_ms,
                  .revoked_ms = revoked_ms};
    mt_buf body = {0};
    fake_reset();
    ht_token_make(a, &t, text);
    ht_token_write(&body, &t);
    fake_tokens[0] = (fake_token){t.id, mt_str_dup(a, mt_buf_str(&body))};
    fake_token_count = 1;
    fake_stamp++;
    mt_buf_free(&body);
    ht_tokens *tokens;
    mt_buf why = {0};
    assert_int_equal(ht_tokens_open((st_store *)&fake, &tokens, &why), MT_OK);
    return tokens;
}

static ht_verdict show(ht_tokens *tokens, const char *scheme, const char *token)
{
    char header[256];
    ht_pass pass;
    snprintf(header, sizeof header, "%s %s", scheme, token);
    ht_verdict verdict = ht_tokens_check(tokens, mt_str_z(header), &pass);
    ht_pass_end(&pass);
    return verdict;
}

static void a_token_lets_its_holder_in(void **state)
{
    (void)state;
    mt_arena a = {0};
    ht_tokens *tokens = with_token(&a, 0, 0);
    ht_pass pass;
    mt_str header = mt_strf(&a, "Bearer %s", text);
    assert_int_equal(ht_tokens_check(tokens, header, &pass), HT_LET_IN);
    assert_text(pass.caller->name, MT_STR("Sam"));
    assert_text(pass.caller->personas[0], MT_STR("seller"));
    assert_text(pass.caller->rights[0], MT_STR("instances:create"));
    assert_int_equal(pass.caller->id.len, HT_TOKEN_ID);
    assert_false(pass.caller->anyone);
    ht_pass_end(&pass);
    assert_int_equal(show(tokens, "bearer", text), HT_LET_IN);
    assert_int_equal(ht_tokens_check(tokens, (mt_str){0}, &pass), HT_NO_TOKEN);
    ht_tokens_free(tokens);
    mt_arena_free(&a);
}

static void what_is_kept_has_no_secret(void **state)
{
    (void)state;
    mt_arena a = {0};
    ht_tokens *tokens = with_token(&a, 0, 0);
    assert_null(strstr(fake_tokens[0].body.ptr, text + 4 + HT_TOKEN_ID));
    ht_tokens_free(tokens);
    mt_arena_free(&a);
}

static void every_changed_character_is_refused(void **state)
{
    (void)state;
    mt_arena a = {0};
    ht_tokens *tokens = with_token(&a, 0, 0);
    for (size_t i = 0; i < HT_TOKEN_TEXT; i++) {
        char old = text[i];
        text[i] = old == '0' ? '1' : '0';
        assert_int_equal(show(tokens, "Bearer", text), HT_BAD_TOKEN);
        text[i] = old;
    }
    ht_tokens_free(tokens);
    mt_arena_free(&a);
}

static const struct shape {
    const char *name, *format;
} SHAPES[] = {
    {"a token without its scheme is refused", "%s"},
    {"a token under another scheme is refused", "Basic %s"},
    {"a token with a tail is refused", "Bearer %sx"},
    {"a token with a blank is refused", "Bearer  %s"},
    {"a token in quotes is refused", "Bearer \"%s\""},
};

static void shape_is_refused(void **state)
{
    const struct shape *row = *state;
    mt_arena a = {0};
    ht_tokens *tokens = with_token(&a, 0, 0);
    char header[256];
    ht_pass pass;
    const char *mark = strstr(row->format, "%s");
    snprintf(header, sizeof header, "%.*s%s%s", (int)(mark - row->format), row->format,
             text, mark + 2);
    assert_int_equal(ht_tokens_check(tokens, mt_str_z(header), &pass), HT_BAD_TOKEN);
    ht_tokens_free(tokens);
    mt_arena_free(&a);
}

static void an_expired_token_is_refused(void **state)
{
    (void)state;
    mt_arena a = {0};
    ht_tokens *tokens = with_token(&a, 1000, 0);
    assert_int_equal(show(tokens, "Bearer", text), HT_BAD_TOKEN);
    ht_tokens_free(tokens);
    mt_arena_free(&a);
}

static void a_revoked_token_is_refused_and_opens_nothing(void **state)
{
    (void)state;
    mt_arena a = {0};
    ht_tokens *tokens = with_token(&a, 0, 1000);
    assert_int_equal(show(tokens, "Bearer", text), HT_BAD_TOKEN);
    assert_false(ht_tokens_open_to_all(tokens));
    fake_token_count = 0; /* even if they all vanish */
    fake_stamp++;
    bool changed;
    assert_int_equal(ht_tokens_refresh(tokens, &changed), MT_OK);
    assert_true(changed);
    assert_false(ht_tokens_open_to_all(tokens));
    ht_tokens_free(tokens);
    mt_arena_free(&a);
}

static void a_damaged_token_lets_nobody_in(void **state)
{
    (void)state;
    mt_arena a = {0};
    ht_tokens *tokens = with_token(&a, 0, 0);
    fake_tokens[0].body = MT_STR("{\"name\":\"x\"}");
    fake_stamp++;
    bool changed;
    assert_int_equal(ht_tokens_refresh(tokens, &changed), MT_OK);
    assert_true(changed);
    assert_int_equal(show(tokens, "Bearer", text), HT_BAD_TOKEN);
    assert_false(ht_tokens_open_to_all(tokens));
    ht_tokens_free(tokens);
    mt_arena_free(&a);
}

static void without_tokens_everyone_is_let_in(void **state)
{
    (void)state;
    fake_reset();
    ht_tokens *tokens;
    mt_buf why = {0};
    ht_pass pass;
    assert_int_equal(ht_tokens_open((st_store *)&fake, &tokens, &why), MT_OK);
    assert_true(ht_tokens_open_to_all(tokens));
    assert_int_equal(ht_tokens_check(tokens, (mt_str){0}, &pass), HT_LET_IN);
    assert_true(pass.caller->anyone);
    ht_tokens_free(tokens);
}

/* A store that cannot be read opens nothing; later it leaves what is known. */
static void a_store_that_fails_opens_nothing(void **state)
{
    (void)state;
    mt_arena a = {0};
    ht_tokens *tokens = with_token(&a, 0, 0), *none = NULL;
    mt_buf why = {0};
    fake_store_fails = true;
    bool changed;
    assert_int_equal(ht_tokens_refresh(tokens, &changed), MT_E_IO);
    assert_false(changed);
    assert_int_equal(show(tokens, "Bearer", text), HT_LET_IN);
    assert_int_equal(ht_tokens_open((st_store *)&fake, &none, &why), MT_E_IO);
    fake_store_fails = false;
    assert_null(none);
    assert_true(mt_str_starts(mt_buf_str(&why), MT_STR("the tokens cannot be read: ")));
    assert_int_equal(fake_transactions, 0);
    ht_tokens_free(tokens);
    mt_buf_free(&why);
    mt_arena_free(&a);
}

static const struct life {
    const char *name;
    int64_t expires_ms, revoked_ms;
    bool lives; /* at the moment 1000 */
} LIVES[] = {
    {"one without an end lives", 0, 0, true},
    {"one lives until its end", 1001, 0, true},
    {"not at its end", 1000, 0, false},
    {"not after it", 999, 0, false},
    {"a revoked one does not", 0, 1, false},
    {"nor one revoked before its end", 2000, 1500, false},
};

static void life_is_judged(void **state)
{
    const struct life *row = *state;
    ht_token t = {.expires_ms = row->expires_ms, .revoked_ms = row->revoked_ms};
    assert_int_equal(ht_token_lives(&t, 1000), row->lives);
}

/* The document says so, whatever the clock says afterwards. */
static void FS18_a_token_seen_expired_stays_expired(void **state)
{
    (void)state;
    mt_arena a = {0};
    ht_tokens *tokens = with_token(&a, 1000, 0);
    ht_token kept;
    assert_int_equal(ht_token_read(&a, fake_tokens[0].id, fake_tokens[0].body, &kept),
                     MT_OK);
    assert_true(kept.expired_ms > 0);
    assert_false(ht_token_lives(&kept, 999)); /* the clock was set back */
    ht_tokens_free(tokens);
    mt_arena_free(&a);
}

static void a_rotated_token_has_two_secrets_for_a_while(void **state)
{
    (void)state;
    mt_arena a = {0};
    ht_token t = {.name = MT_STR("x")}, read;
    char first[HT_TOKEN_TEXT + 1], second[HT_TOKEN_TEXT + 1];
    mt_str id, old, new;
    mt_buf body = {0};
    ht_token_make(&a, &t, first);
    ht_token_rotate(&a, &t, 5000, second);
    ht_token_write(&body, &t);
    assert_int_equal(ht_token_read(&a, t.id, mt_buf_str(&body), &read), MT_OK);
    assert_true(ht_token_split(mt_str_z(first), &id, &old));
    assert_text(id, t.id);
    assert_true(ht_token_split(mt_str_z(second), &id, &new));
    assert_text(id, t.id);
    assert_true(ht_token_fits(&read, new, 9999));
    assert_true(ht_token_fits(&read, old, 4999));
    assert_false(ht_token_fits(&read, old, 5000));
    mt_buf_free(&body);
    mt_arena_free(&a);
}

/* Of a good token, one place becomes another character. */
static const struct place {
    const char *name;
    size_t at;
    char becomes;
    bool splits;
} PLACES[] = {
    {"an id may begin with any lower-case hex", 3, 'f', true},
    {"an id is hex from its first character on", 3, 'g', false},
    {"an id is hex to its last character", 2 + HT_TOKEN_ID, 'A', false},
    {"a blank is not hex", 3, ' ', false},
    {"an underscore stands between id and secret", 3 + HT_TOKEN_ID, '0', false},
    {"a secret is hex from its first character on", 4 + HT_TOKEN_ID, 'g', false},
    {"a secret is hex to its last character", HT_TOKEN_TEXT - 1, '/', false},
    {"a secret may end with any lower-case hex", HT_TOKEN_TEXT - 1, '9', true},
    {"a token begins with mt_", 0, 'M', false},
};

static void splits(void **state)
{
    const struct place *p = *state;
    mt_arena a = {0};
    ht_token t = {.name = MT_STR("x")};
    mt_str id, secret;
    ht_token_make(&a, &t, text);
    text[p->at] = p->becomes;
    assert_int_equal(ht_token_split(mt_str_z(text), &id, &secret), p->splits);
    mt_arena_free(&a);
}

static const struct right {
    const char *name, *text;
    bool known;
} KNOWN[] = {
    {"admin is a right", "admin", true},
    {"a fact is a right", "facts:amount", true},
    {"all facts are a right", "facts:*", true},
    {"deploying is a right", "deploy", true},
    {"overriding facts is a right", "facts:override", true},
    {"reading figures is a right", "metrics:read", true},
    {"a source is a right", "source:s", true},
    {"a graph is a right", "graphs:g", true},
    {"an agent is a right", "agents:a", true},
    {"no source is none", "source:", false},
    {"no agent is none", "agents:", false},
    {"more than a whole right is none", "deploys", false},
    {"no fact is none", "facts:", false},
    {"a persona is none", "seller", false},
    {"nothing is none", "", false},
    {"a right over one contract", "escrow/facts:credit_score", true},
    {"evaluate over one contract", "escrow/evaluate", true},
    {"a contract without a name is none", "/read", false},
    {"a contract without a right is none", "escrow/", false},
    {"metrics belong to no contract", "escrow/metrics:read", false},
    {"graphs belong to no contract", "escrow/graphs:pricing", false},
    {"a graph may have a slash", "graphs:a/b", true},
    {"a blank is none", "facts:a b", false},
};

static const struct persona {
    const char *name, *text;
    bool known;
} NAMED[] = {
    {"a persona", "seller", true},
    {"a persona of one contract", "escrow:seller", true},
    {"no contract", ":seller", false},
    {"no persona", "escrow:", false},
    {"no text", "", false},
};

static void persona_is_judged(void **state)
{
    const struct persona *row = *state;
    assert_int_equal(ex_persona_known(mt_str_z(row->text)), row->known);
}

/* Who has which grant may do what over which contract. */
static const struct covered {
    const char *name, *grant, *contract, *right;
    bool may;
} COVERED[] = {
    {"a right over all is over each", "evaluate", "a", "evaluate", true},
    {"a right over one is over it", "a/evaluate", "a", "evaluate", true},
    {"a right over one is not over another", "a/evaluate", "b", "evaluate", false},
    {"a right over one is not over all", "a/evaluate", "", "evaluate", false},
    {"a prefix is another contract", "a/evaluate", "aa", "evaluate", false},
    {"admin includes evaluate", "admin", "a", "evaluate", true},
    {"admin includes metrics", "admin", "", "metrics:read", true},
    {"admin of one contract does not", "a/admin", "", "metrics:read", false},
    {"admin of one contract reads its ledger", "a/admin", "a", "ledger:read", true},
    {"and no other", "a/admin", "b", "ledger:read", false},
    {"admin does not deploy", "admin", "a", "deploy", false},
    {"admin does not override", "admin", "a", "facts:override", false},
};

static void grant_covers(void **state)
{
    const struct covered *row = *state;
    mt_str grant = mt_str_z(row->grant);
    ex_caller who = {.rights = &grant, .right_count = 1};
    assert_int_equal(ex_caller_may(&who, mt_str_z(row->contract), mt_str_z(row->right)),
                     row->may);
}

static const struct held {
    const char *name, *grant, *contract, *persona;
    bool holds;
} HELD[] = {
    {"a persona of all is of each", "nurse", "vault", "nurse", true},
    {"a persona of one is of it", "ward:nurse", "ward", "nurse", true},
    {"a nurse of one contract is none of another", "ward:nurse", "vault", "nurse",
     false},
    {"another persona", "ward:nurse", "ward", "doctor", false},
    {"a contract with a colon", "a:b:nurse", "a:b", "nurse", true},
};

static void grant_holds(void **state)
{
    const struct held *row = *state;
    mt_str grant = mt_str_z(row->grant);
    ex_caller who = {.personas = &grant, .persona_count = 1};
    assert_int_equal(
        ex_caller_holds(&who, mt_str_z(row->contract), mt_str_z(row->persona)),
        row->holds);
}

static void right_is_judged(void **state)
{
    const struct right *row = *state;
    assert_int_equal(ex_right_known(mt_str_z(row->text)), row->known);
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define BODY(created, hash, personas)                                                  \
    "{\"created_ms\":" created ",\"expires_ms\":0,\"hash\":" hash                      \
    ",\"name\":\"x\",\"personas\":" personas ",\"revoked_ms\":0,\"rights\":[]}"

static const struct body_row {
    const char *name, *body;
    mt_err want;
} BODIES[] = {
    {"a stored token is read", BODY("5", "\"" HASH "\"", "[\"a\"]"), MT_OK},
    {"a moment at its most", BODY("9223372036854775807", "\"" HASH "\"", "[]"), MT_OK},
    {"a moment beyond", BODY("9223372036854775808", "\"" HASH "\"", "[]"),
     MT_E_CORRUPT},
    {"a moment before 1970", BODY("-1", "\"" HASH "\"", "[]"), MT_E_CORRUPT},
    {"a moment that is text", BODY("\"5\"", "\"" HASH "\"", "[]"), MT_E_CORRUPT},
    {"a hash one digit too long", BODY("5", "\"" HASH "0\"", "[]"), MT_E_CORRUPT},
    {"a hash that is a number", BODY("5", "1", "[]"), MT_E_CORRUPT},
    {"personas that are text", BODY("5", "\"" HASH "\"", "\"a\""), MT_E_CORRUPT},
    {"a persona that is a number", BODY("5", "\"" HASH "\"", "[1]"), MT_E_CORRUPT},
    {"nothing at all", "{}", MT_E_CORRUPT},
    {"a list", "[]", MT_E_CORRUPT},
};

static void a_document_is_read_or_corrupt(void **state)
{
    const struct body_row *row = *state;
    mt_arena a = {0};
    ht_token t;
    assert_int_equal(ht_token_read(&a, MT_STR("id"), mt_str_z(row->body), &t),
                     row->want);
    mt_arena_free(&a);
}

int main(void)
{
    rows_list list = {0};
    rows_test(&list, a_token_lets_its_holder_in);
    rows_test(&list, what_is_kept_has_no_secret);
    rows_test(&list, every_changed_character_is_refused);
    rows_add(&list, SHAPES, shape_is_refused);
    rows_test(&list, an_expired_token_is_refused);
    rows_test(&list, FS18_a_token_seen_expired_stays_expired);
    rows_test(&list, a_rotated_token_has_two_secrets_for_a_while);
    rows_test(&list, a_revoked_token_is_refused_and_opens_nothing);
    rows_test(&list, a_damaged_token_lets_nobody_in);
    rows_test(&list, without_tokens_everyone_is_let_in);
    rows_test(&list, a_store_that_fails_opens_nothing);
    rows_add(&list, LIVES, life_is_judged);
    rows_add(&list, PLACES, splits);
    rows_add(&list, KNOWN, right_is_judged);
    rows_add(&list, NAMED, persona_is_judged);
    rows_add(&list, COVERED, grant_covers);
    rows_add(&list, HELD, grant_holds);
    rows_add(&list, BODIES, a_document_is_read_or_corrupt);
    return rows_run(&list, "http/token");
}
