/* Channels that take a graph's intents: what they say, and what is said of them. */
#include "../rows.h"

#include <sys/wait.h>
#include <unistd.h>

#include "host/graph_egress.h"

#define ID                                                                             \
    "eid1:sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define READY(kinds)                                                                   \
    "{\"type\":\"ready\",\"protocol\":\"ergo-egress.v1\",\"handled_kinds\":[" kinds "]}"
#define GOOD READY("\"pay\"")
#define ACK(more)                                                                      \
    "{\"type\":\"intent_ack\",\"intent_id\":\"" ID "\",\"status\":\"accepted\","       \
    "\"acceptance\":\"durable\"" more "}"
#define BAD_READY "channel 'c' did not say ready in protocol ergo-egress.v1"
#define NOT_ITS   "channel 'c' answered something else than this intent's acknowledgement"

static const struct row {
    const char *name;
    const char *ready, *answer; /* what the channel says; NULL: it ends instead */
    const char *last;           /* said when it was asked to end; NULL: nothing */
    const char *code, *why;     /* of the problem; NULL: none */
} ROWS[] = {
    {"an intent is acknowledged", GOOD, ACK(""), NULL, NULL, NULL},
    {"one kind more does no harm", READY("\"x\",\"pay\""), ACK(""), NULL, NULL, NULL},
    {"a reference is kept", GOOD, ACK(",\"egress_ref\":\"r1\""), NULL, NULL, NULL},
    {"a channel that ends at once", NULL, NULL, NULL, "egress_io", "channel 'c' ended"},
    {"a channel that says something else", "{\"type\":\"hello\"}", NULL, NULL,
     "egress_protocol_violation", BAD_READY},
    {"another protocol",
     "{\"type\":\"ready\",\"protocol\":\"v0\",\"handled_kinds\":[\"pay\"]}", NULL, NULL,
     "egress_protocol_violation", BAD_READY},
    {"no kinds", "{\"type\":\"ready\",\"protocol\":\"ergo-egress.v1\"}", NULL, NULL,
     "egress_protocol_violation", BAD_READY},
    {"a kind twice", READY("\"pay\",\"x\",\"pay\""), NULL, NULL,
     "egress_protocol_violation", "channel 'c' names a kind twice"},
    {"not the kind it is to take", READY("\"x\""), NULL, NULL,
     "egress_protocol_violation",
     "channel 'c' does not handle a kind that is routed to it"},
    {"a line that is no JSON", "ready", NULL, NULL, "egress_protocol_violation",
     "channel 'c' sent a line that is not a JSON object"},
    {"a line that is a list", "[]", NULL, NULL, "egress_protocol_violation",
     "channel 'c' sent a line that is not a JSON object"},
    {"a channel that ends instead of answering", GOOD, NULL, NULL, "egress_io",
     "channel 'c' ended"},
    {"an answer of another type", GOOD,
     "{\"type\":\"ack\",\"intent_id\":\"" ID
     "\",\"status\":\"accepted\",\"acceptance\":\"durable\"}",
     NULL, "egress_protocol_violation", NOT_ITS},
    {"an answer to another intent", GOOD,
     "{\"type\":\"intent_ack\",\"intent_id\":\"x\",\"status\":\"accepted\","
     "\"acceptance\":\"durable\"}",
     NULL, "egress_protocol_violation", NOT_ITS},
    {"an intent that is refused", GOOD,
     "{\"type\":\"intent_ack\",\"intent_id\":\"" ID
     "\",\"status\":\"refused\",\"acceptance\":\"durable\"}",
     NULL, "egress_protocol_violation", NOT_ITS},
    {"an intent that is not kept", GOOD,
     "{\"type\":\"intent_ack\",\"intent_id\":\"" ID
     "\",\"status\":\"accepted\",\"acceptance\":\"maybe\"}",
     NULL, "egress_protocol_violation", NOT_ITS},
    {"a word too many", GOOD, ACK("") "\n{}", NULL, "egress_protocol_violation",
     "channel 'c' said something nobody asked for"},
    {"a last word is not heard", GOOD, ACK(""), "{}", NULL, NULL},
};

static mt_arena arena;

static ho_egress *open_egress(const char *script, const char *timeout)
{
    ho_egress *e = NULL;
    mt_diags ds = {.arena = &arena};
    mt_str quoted = mt_str_z(script);
    mt_buf text = {0};
    mt_buf_addf(&text,
                "default_ack_timeout: %s\nchannels: {c: {type: process, command: "
                "[sh, -c, \"",
                timeout);
    for (size_t i = 0; i < quoted.len; i++) {
        mt_buf_addz(&text, quoted.ptr[i] == '"' || quoted.ptr[i] == '\\' ? "\\" : "");
        mt_buf_addc(&text, quoted.ptr[i] == '\n' ? ' ' : quoted.ptr[i]);
    }
    mt_buf_addz(&text, "\"]}}\nroutes: {pay: {channel: c}}\n");
    mt_err err = ho_egress_read(MT_STR("e.yaml"), mt_buf_str(&text), &ds, &e);
    mt_buf_free(&text);
    assert_int_equal(err, MT_OK);
    return e;
}

static gr_intent an_intent(void)
{
    static const gr_effect_field FIELDS[] = {
        {MT_STR_INIT("to"), {.as.text = "a\"b", .len = 3, .type = GR_STRING}},
        {MT_STR_INIT("amount"), {.as.number = 2.5, .type = GR_NUMBER}},
    };
    gr_intent i = {.kind = MT_STR("pay"), .fields = FIELDS, .field_count = 2};
    memcpy(i.id, ID, GR_INTENT_ID_LEN);
    return i;
}

/* It reads what it is told, so that what it says is an answer. */
static mt_str script_of(const struct row *row)
{
    mt_buf s = {0};
    if (row->ready) {
        mt_buf_addf(&s, "echo '%s'; read -r x; ", row->ready);
    }
    for (const char *at = row->answer; at;) {
        const char *end = strchr(at, '\n');
        mt_buf_addf(&s, "echo '%.*s'; ", end ? (int)(end - at) : (int)strlen(at), at);
        at = end ? end + 1 : NULL;
    }
    mt_buf_addf(&s, "%s", row->answer ? "read -r x; " : "");
    mt_buf_addf(&s, row->last ? "echo '%s'" : "true", row->last ? row->last : "");
    mt_str script = mt_str_dup(&arena, mt_buf_str(&s));
    mt_buf_free(&s);
    return script;
}

static void goes_well_or_is_told(void **state)
{
    const struct row *row = *state;
    ho_egress *e = open_egress(script_of(row).ptr, "10s");
    gr_intent intent = an_intent();
    gr_capture_ack ack = {0};
    mt_err err = ho_egress_start(e);
    bool started = !err;
    err = err ? err : ho_egress_send(e, &arena, &intent, &ack);
    bool sent = !err;
    err = err ? err : ho_egress_stop(e);
    ho_egress_problem p = ho_egress_last_problem(e);
    assert_int_equal(err, row->code ? MT_E_CLOSED : MT_OK);
    if (row->code) {
        assert_string_equal(p.code, row->code);
        assert_text(p.message, mt_str_z(row->why));
        assert_text(p.channel, MT_STR("c"));
        assert_text(p.intent_id, started && !sent ? MT_STR(ID) : MT_STR(""));
        /* And nothing runs any more. */
        assert_int_equal(ho_egress_send(e, &arena, &intent, &ack), MT_E_CLOSED);
        assert_text(ho_egress_last_problem(e).message,
                    MT_STR("channel 'c' is not running"));
    } else {
        assert_text(ack.intent_id, MT_STR(ID));
        assert_text(ack.channel, MT_STR("c"));
        assert_text(ack.status, MT_STR("accepted"));
        assert_text(ack.acceptance, MT_STR("durable"));
        assert_text(ack.egress_ref,
                    strstr(row->answer, "r1") ? MT_STR("r1") : MT_STR(""));
    }
    ho_egress_free(e);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left behind */
}

/* The channel answers with what it was told, as its reference. */
static void an_intent_is_one_line(void **state)
{
    (void)state;
    ho_egress *e = open_egress("echo '" GOOD "'; read -r x; case \"$x\" in "
                               "'{\"type\":\"intent\",\"intent_id\":\"" ID
                               "\",\"kind\":\"pay\",\"fields\":"
                               "{\"amount\":2.5,\"to\":\"a\\\"b\"}}') echo '" ACK(
                                   "") "';; *) echo \"$x\" >&2; "
                                       "echo no;; esac; read -r x; case \"$x\" in "
                                       "'{\"type\":\"end\"}') true;; "
                                       "*) sleep 60;; esac",
                               "10s");
    gr_intent intent = an_intent();
    gr_capture_ack ack = {0};
    assert_int_equal(ho_egress_start(e), MT_OK);
    assert_int_equal(ho_egress_start(e), MT_OK); /* once is enough */
    if (ho_egress_send(e, &arena, &intent, &ack)) {
        fail_msg("%.*s", MT_ARG(ho_egress_last_problem(e).message));
    }
    assert_int_equal(ho_egress_stop(e), MT_OK);
    assert_int_equal(ho_egress_stop(e), MT_OK);
    assert_int_equal(ho_egress_stop(NULL), MT_OK);
    ho_egress_free(e);
}

static void a_channel_that_does_not_answer_is_killed(void **state)
{
    (void)state;
    ho_egress *e =
        open_egress("echo '" GOOD "'; echo oh dear >&2; exec sleep 60", "50ms");
    gr_intent intent = an_intent();
    gr_capture_ack ack = {0};
    assert_int_equal(ho_egress_start(e), MT_OK);
    assert_int_equal(ho_egress_send(e, &arena, &intent, &ack), MT_E_CLOSED);
    ho_egress_problem p = ho_egress_last_problem(e);
    assert_string_equal(p.code, "egress_ack_timeout");
    assert_text(p.message, MT_STR("channel 'c' did not answer in time"));
    assert_text(p.said, MT_STR("oh dear\n"));
    ho_egress_free(e);
}

static void a_channel_that_left_is_noticed_at_the_end(void **state)
{
    (void)state;
    ho_egress *e =
        open_egress("echo '" GOOD "'; read -r x; echo '" ACK("") "'; exec >&-", "10s");
    gr_intent intent = an_intent();
    gr_capture_ack ack = {0};
    assert_int_equal(ho_egress_start(e), MT_OK);
    assert_int_equal(ho_egress_send(e, &arena, &intent, &ack), MT_OK);
    usleep(300000); /* it has nothing left to do but to end */
    assert_int_equal(ho_egress_stop(e), MT_E_CLOSED);
    assert_string_equal(ho_egress_last_problem(e).code, "egress_io");
    assert_text(ho_egress_last_problem(e).message,
                MT_STR("channel 'c' ended before it was asked to"));
    ho_egress_free(e);
}

static void a_program_that_is_not_there(void **state)
{
    (void)state;
    ho_egress *e = NULL;
    mt_diags ds = {.arena = &arena};
    mt_str text = MT_STR("default_ack_timeout: 1s\nchannels: {c: {type: process, "
                         "command: [/nowhere/at/all]}}\n");
    assert_int_equal(ho_egress_read(MT_STR("e"), text, &ds, &e), MT_OK);
    assert_int_equal(ho_egress_start(e), MT_E_CLOSED);
    assert_string_equal(ho_egress_last_problem(e).code, "egress_io");
    ho_egress_free(e);
}

static mt_str provenance_of(const char *text)
{
    ho_egress *e = NULL;
    mt_diags ds = {.arena = &arena};
    assert_int_equal(ho_egress_read(MT_STR("e"), mt_str_z(text), &ds, &e), MT_OK);
    mt_str p = mt_str_dup(&arena, ho_egress_provenance(e));
    ho_egress_free(e);
    return p;
}

#define CONFIG(timeout, id, words, kind, more)                                         \
    "{default_ack_timeout: " timeout ", channels: {" id                                \
    ": {type: process, command: [" words "]}}, routes: {" kind ": {channel: " id more  \
    "}}}"

/* Whatever says something else has another identity; another spelling has not. */
static void every_setting_is_in_the_identity(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        CONFIG("5s", "c", "cat", "k", ""),
        CONFIG("6s", "c", "cat", "k", ""),
        CONFIG("5s", "d", "cat", "k", ""),
        CONFIG("5s", "c", "tac", "k", ""),
        CONFIG("5s", "c", "cat, x", "k", ""),
        CONFIG("5s", "c", "cat", "l", ""),
        CONFIG("5s", "c", "cat", "k", ", ack_timeout: 5s"),
        CONFIG("5s", "c", "cat", "k", ", ack_timeout: 6s"),
    };
    mt_str all[rows_count(TEXTS)];
    for (size_t i = 0; i < rows_count(TEXTS); i++) {
        all[i] = provenance_of(TEXTS[i]);
        assert_true(mt_str_starts(all[i], MT_STR("epv1:sha256:")));
        for (size_t n = 0; n < i; n++) {
            assert_false(mt_str_eq(all[i], all[n]));
        }
    }
    assert_text(provenance_of("{\"routes\":{\"k\":{\"channel\":\"c\"}},\"channels\":"
                              "{\"c\":{\"command\":[\"cat\"],\"type\":\"process\"}},"
                              "\"default_ack_timeout\":\"5000ms\"}"),
                all[0]);
}

static void routes_are_found_by_kind(void **state)
{
    (void)state;
    ho_egress *e = NULL;
    mt_diags ds = {.arena = &arena};
    mt_str text = MT_STR("{default_ack_timeout: 1s, channels: {c: {type: process, "
                         "command: [x]}}, routes: {b: {channel: c}, a: {channel: c}}}");
    assert_int_equal(ho_egress_read(MT_STR("e"), text, &ds, &e), MT_OK);
    assert_true(ho_egress_routes(e, MT_STR("a")));
    assert_true(ho_egress_routes(e, MT_STR("b")));
    assert_false(ho_egress_routes(e, MT_STR("c")));
    assert_text(ho_egress_route_at(e, 0), MT_STR("a"));
    assert_text(ho_egress_route_at(e, 1), MT_STR("b"));
    ho_egress_free(e);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, goes_well_or_is_told);
    rows_test(&list, an_intent_is_one_line);
    rows_test(&list, a_channel_that_does_not_answer_is_killed);
    rows_test(&list, a_channel_that_left_is_noticed_at_the_end);
    rows_test(&list, a_program_that_is_not_there);
    rows_test(&list, every_setting_is_in_the_identity);
    rows_test(&list, routes_are_found_by_kind);
    int failed = rows_run(&list, "host/egress");
    mt_arena_free(&arena);
    return failed;
}
