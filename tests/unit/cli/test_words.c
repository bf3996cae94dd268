/* Decisions and deployments in words, and tables that fit. */
#include "../rows.h"

#include "cli/decision_words.h"
#include "cli/deploy_words.h"
#include "cli/table.h"

static const mt_json *json(mt_arena *a, const char *text)
{
    mt_json *tree = mt_new(a, mt_json);
    assert_int_equal(mt_json_read(a, mt_str_z(text), NULL, tree, NULL), MT_OK);
    return tree;
}

/* clang-format off */
#define BY "\"caller\":{\"id\":\"t-1\",\"name\":\"clerk 7\"}"
static const struct decision_row {
    const char *name, *decision;
    const char *want; /* who|as|what|on|result|why, then what it is */
} DECISIONS[] = {
    {"an operation that was done",
     "{\"kind\":\"operation\",\"operation\":\"pay\",\"persona\":\"boss\",\"bindings\":{\"Order\":\"o1\",\"Line\":\"l2\"},"
     "\"outcome\":\"paid\",\"caller\":{\"id\":\"t-1\",\"name\":\"clerk 7\",\"actor\":\"human\"}}",
     "clerk 7 (t-1), human|boss|operation pay|Order/o1, Line/l2|done: paid|, decides"},
    {"by somebody without a name of his own",
     "{\"kind\":\"operation\",\"operation\":\"pay\",\"asked_as\":\"clerk\",\"persona\":\"boss\",\"status\":\"ok\","
     "\"caller\":{\"id\":\"t-1\",\"name\":\"t-1\"}}",
     "t-1|clerk|operation pay||ok|, decides"},
    {"by nobody", "{\"kind\":\"flow_started\",\"flow\":\"settle\",\"entity\":\"Order\",\"instance\":\"o1\"}",
     "||flow begins: settle|Order/o1||"},
    {"a flow that waits says for whom",
     "{\"kind\":\"flow_waiting\",\"flow\":\"settle\",\"persona\":\"boss\",\"step\":\"second\",\"status\":\"x\"}",
     "||flow waits: settle||waits for boss at second|"},
    {"the end of a flow", "{\"kind\":\"flow_ended\",\"flow\":\"settle\",\"outcome\":\"success\",\"status\":\"x\"}",
     "||flow ends: settle||done: success|"},
    {"an operation that was refused",
     "{\"kind\":\"refusal\",\"operation\":\"pay\",\"flow\":\"f\"," BY ",\"outcome\":\"x\",\"refusal\":{\"code\":"
     "\"precondition_failed\",\"detail\":\"never said\",\"reasons\":[{\"condition\":\"a > 1\",\"value\":false,"
     "\"rests_on\":[\"a\",\"b\"]},{\"condition\":\"c\",\"value\":true,\"rests_on\":[]},{\"condition\":\"d\"}]}}",
     "clerk 7 (t-1)||operation pay||refused: precondition_failed|a > 1 is false (facts: a, b); c is true; d is false,"
     " decides, refused"},
    {"a tool that was refused",
     "{\"kind\":\"refusal\",\"tool\":\"shell\",\"refusal\":{\"code\":\"no\",\"detail\":\"because\"},\"error\":\"x\"}",
     "||tool shell||refused: no|because, refused"},
    {"a flow that was refused", "{\"kind\":\"refusal\",\"flow\":\"f\",\"refusal\":{\"code\":\"no\"},\"error\":\"world\"}",
     "||flow f||refused: no|world, refused"},
    {"a flow that was not resumed", "{\"kind\":\"refusal\",\"flow\":\"f\",\"execution\":\"e1\"}",
     "||resume flow f||| refused"},
    {"a question about an operation",
     "{\"kind\":\"decision\",\"operation\":\"pay\",\"flow\":\"f\",\"of_verdict\":\"v\"," BY
     ",\"asked_about\":{\"type\":\"user\",\"id\":\"u1\"}}",
     "clerk 7 (t-1)||asked whether user u1 may: operation pay||allowed|, decides"},
    {"a question about a flow",
     "{\"kind\":\"decision\",\"flow\":\"f\",\"of_verdict\":\"v\",\"asked_about\":{\"type\":\"user\",\"id\":\"u1\"},"
     "\"refusal\":{\"code\":\"persona_rejected\"}}",
     "||asked whether user u1 may: flow f||refused: persona_rejected|, refused"},
    {"a question about a verdict",
     "{\"kind\":\"decision\",\"of_verdict\":\"v\",\"asked_about\":{\"type\":\"user\",\"id\":\"u1\"}}",
     "||asked whether user u1 may: verdict v||allowed|"},
    {"a token and what it may",
     "{\"kind\":\"token_created\",\"token\":{\"id\":\"k1\",\"name\":\"ci\",\"personas\":[\"a\",\"b\"],\"rights\":[\"r\"],"
     "\"expires_at\":\"2027\"}}",
     "||token created: ci (k1)||personas a, b; rights r; until 2027|"},
    {"a token of rights alone", "{\"kind\":\"token_changed\",\"token\":{\"id\":\"k1\",\"rights\":[\"r\",\"s\"]}}",
     "||token changed: k1||rights r, s|"},
    {"a token that ends and may nothing", "{\"kind\":\"token_created\",\"token\":{\"id\":\"k1\",\"expires_at\":\"2027\"}}",
     "||token created: k1||until 2027|"},
    {"a token that ended", "{\"kind\":\"token_revoked\",\"token\":\"k1\",\"status\":\"revoked\"}",
     "||token revoked: k1||revoked|"},
    {"a tool that was let through", "{\"kind\":\"guard\",\"tool\":\"shell\",\"event\":\"allowed\",\"outcome\":\"x\"}",
     "||tool shell||allowed|"},
    {"an instance", "{\"kind\":\"instance_created\",\"entity\":\"Order\",\"instance\":\"o1\",\"bindings\":{}}",
     "||instance created|Order/o1||"},
    {"a fact", "{\"kind\":\"fact_asserted\",\"fact\":\"total\"}", "||fact asserted: total|||"},
    {"a contract", "{\"kind\":\"contract_deployed\",\"contract\":\"escrow\"}", "||contract deployed: escrow|||"},
    {"a key", "{\"kind\":\"key_added\"}", "||signing key added|||"},
    {"what a later version writes", "{\"kind\":\"moon_landed\",\"error\":\"far\"}", "||moon_landed|||far"},
};
/* clang-format on */

static void a_decision_is_told(void **state)
{
    const struct decision_row *r = *state;
    mt_arena a = {0};
    cli_decision d;
    cli_decision_read(&a, json(&a, r->decision), &d);
    assert_text(
        mt_strf(&a, "%.*s|%.*s|%.*s|%.*s|%.*s|%.*s%s%s%s", MT_ARG(d.who), MT_ARG(d.as),
                MT_ARG(d.what), MT_ARG(d.on), MT_ARG(d.result), MT_ARG(d.why),
                d.decides ? ", decides" : "",
                d.refused && (d.decides || d.why.len || d.result.len) ? "," : "",
                d.refused ? " refused" : ""),
        mt_str_z(r->want));
    mt_arena_free(&a);
}

static void what_a_terminal_would_obey_is_shown(void **state)
{
    (void)state;
    mt_buf out = {0};
    cli_add_plain(&out, MT_STR("a\x1b[1m\xc3\xa4"));
    assert_text(mt_buf_str(&out), MT_STR("a\\u001b[1m\xc3\xa4"));
    mt_buf_free(&out);
}

/* ---- Deployments ---- */

/* clang-format off */
static const struct deploy_row {
    const char *name, *answer, *want;
} DEPLOYED[] = {
    {"served already", "{\"status\":\"unchanged\",\"contract\":\"c\",\"etag\":\"e1\"}",
     "'c' is served like this already; nothing was changed\netag e1\n"},
    {"a first version", "{\"contract\":\"c\",\"etag\":\"e1\",\"instances\":{\"moved\":0}}",
     "added the contract 'c', version 1\netag e1\n"},
    {"a first version that is tried", "{\"contract\":\"c\",\"etag\":\"e1\",\"simulation\":true}",
     "would add the contract 'c', which is not served yet; nothing was changed\n"
     "to try a new version of a contract that is served, name it: --contract ID\netag e1\n"},
    {"another version",
     "{\"contract\":\"c\",\"etag\":\"e2\",\"from\":\"0123456789abcdef\",\"number\":3,\"class\":\"BREAKING\","
     "\"status\":\"active\",\"instances\":{\"moved\":2,\"left\":1},"
     "\"diff\":{\"added\":[{\"kind\":\"Fact\",\"id\":\"f\",\"class\":\"SAFE\"}],"
     "\"removed\":[{\"kind\":\"Rule\",\"id\":\"r\",\"class\":\"BREAKING\"}],"
     "\"changed\":[{\"kind\":\"Fact\",\"id\":\"g\",\"fields\":[{\"field\":\"source\",\"before\":\"a\",\"after\":\"b\","
     "\"class\":\"SAFE\"},{\"field\":\"default\",\"before\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\","
     "\"after\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\",\"class\":\"SAFE\"}]}]},"
     "\"flows\":[{\"flow\":\"settle\",\"id\":\"x1\",\"fate\":\"goes on\"},\"other\"]}",
     "deployed 'c' as version 3 over 0123456789ab: BREAKING, active\n"
     "KIND  NAME  FIELD    CHANGE   CLASS\n"
     "Fact  f              added    SAFE\n"
     "Rule  r              removed  BREAKING\n"
     "Fact  g     source   a -> b   SAFE\n"
     "Fact  g     default  changed  SAFE\n"
     "FLOW IN FLIGHT  EXECUTION  WHAT BECOMES OF IT\n"
     "settle          x1         goes on\n"
     "other\n"
     "2 instances move to another state\n"
     "1 instances stay in a removed state\n"
     "etag e2\n"},
    {"another version that is tried",
     "{\"contract\":\"c\",\"etag\":\"e2\",\"from\":\"0123\",\"class\":\"SAFE\",\"status\":\"checked\",\"simulation\":{}}",
     "would deploy a new version of 'c' over 0123: SAFE, checked; nothing was changed\netag e2\n"},
};
/* clang-format on */

static void a_deployment_is_told(void **state)
{
    const struct deploy_row *r = *state;
    mt_arena a = {0};
    mt_buf out = {0};
    cli_deploy_told(&out, &a, json(&a, r->answer));
    assert_text(mt_buf_str(&out), mt_str_z(r->want));
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static void a_refusal_shows_the_difference_too(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf out = {0};
    cli_deploy_refused(&out, &a,
                       json(&a, "{\"diff\":{\"removed\":[{\"kind\":\"Fact\",\"id\":"
                                "\"f\",\"class\":\"X\"}]},\"flows\":[\"settle\"]}"));
    assert_text(mt_buf_str(&out),
                MT_STR("KIND  NAME  FIELD  CHANGE   CLASS\n"
                       "Fact  f            removed  X\n"
                       "FLOW IN FLIGHT  EXECUTION  WHAT BECOMES OF IT\n"
                       "settle\n"));
    mt_buf_free(&out);
    mt_arena_free(&a);
}

/* ---- Tables ---- */

static const struct table_row {
    const char *name, *columns; /* $COLUMNS */
    unsigned whole;
    const char *cells[7]; /* three for a row */
    const char *want;
} TABLES[] = {
    {"nothing", "80", 0, {NULL}, ""},
    {"what fits is as wide as it is",
     "80",
     0,
     {"1", "two words", "x", "22", "", "a long one"},
     "A   B          C\n1   two words  x\n22             a long one\n"},
    {"just as wide as there is room",
     "40",
     0,
     {"0123456789", "0123456789", "0123456789 12345"},
     "A           B           C\n0123456789  0123456789  0123456789 12345\n"},
    {"one place too wide",
     "40",
     0,
     {"0123456789", "0123456789", "0123456789 123456"},
     "A           B           C\n0123456789  0123456789  0123456789\n"
     "                        123456\n"},
    {"broken at commas and slashes",
     "40",
     0,
     {"1", "2", "alpha,beta/gamma delta,epsilon/zeta eta"},
     "A  B  C\n1  2  alpha,beta/gamma delta,epsilon/\n      zeta eta\n"},
    {"an id is broken last",
     "40",
     4,
     {"abcdefghijklmnopqrstuvwx", "2", "0123456789abcdef0123456789"},
     "A          B  C\nabcdefghi  2  0123456789abcdef0123456789\njklmnopqr\nstuvwx\n"},
    {"but broken where nothing else is left",
     "40",
     4,
     {"1", "2", "0123456789012345678901234567890123456789"},
     "A  B  C\n1  2  0123456789012345678901234567890123\n      456789\n"},
    {"a window of three columns counts as forty",
     "3",
     0,
     {"1", "2", "0123456789 0123456789 0123456789 0123"},
     "A  B  C\n1  2  0123456789 0123456789 0123456789\n      0123\n"},
    {"letters are counted and what a terminal would obey is shown",
     "80",
     0,
     {"\xc3\xa4\xc3\xb6", "2", "\x1b"},
     "A   B  C\n\xc3\xa4\xc3\xb6  2  \\u001b\n"},
};

static void a_table_is_written(void **state)
{
    const struct table_row *r = *state;
    cli_table t = {.titles = {"A", "B", "C"}, .whole = r->whole};
    mt_buf out = {0};
    setenv("COLUMNS", r->columns, 1);
    for (size_t i = 0; i < 7 && r->cells[i]; i++) {
        cli_table_cell(&t, mt_str_z(r->cells[i]));
    }
    cli_table_write(&t, &out);
    assert_text(mt_buf_str(&out), mt_str_z(r->want));
    mt_buf_free(&out);
    cli_table_free(&t);
}

static void later_rows_have_the_widths_of_the_first(void **state)
{
    (void)state;
    cli_table t = {.titles = {"A", "B"}};
    mt_buf out = {0};
    setenv("COLUMNS", "80", 1);
    static const char *const CELLS[] = {"one", "two", "three", "4"};
    for (size_t i = 0; i < 4; i++) {
        cli_table_cell(&t, mt_str_z(CELLS[i]));
        if (i % 2) {
            cli_table_write(&t, &out);
        }
    }
    cli_table_write(&t, &out);
    assert_text(mt_buf_str(&out), MT_STR("A    B\none  two\nthr  4\nee\n"));
    assert_text(cli_table_time(&t.a, MT_STR("2026-03-01T12:00:05.123Z")),
                MT_STR("2026-03-01 12:00:05"));
    assert_text(cli_table_time(&t.a, MT_STR("2026-03-01T12")), MT_STR("2026-03-01 12"));
    mt_buf_free(&out);
    cli_table_free(&t);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, DECISIONS, a_decision_is_told);
    rows_test(&list, what_a_terminal_would_obey_is_shown);
    rows_add(&list, DEPLOYED, a_deployment_is_told);
    rows_test(&list, a_refusal_shows_the_difference_too);
    rows_add(&list, TABLES, a_table_is_written);
    rows_test(&list, later_rows_have_the_widths_of_the_first);
    return rows_run(&list, "cli/words");
}
