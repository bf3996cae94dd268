/* Handlers that answer, crash, hang or print garbage. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/handlers.h"

typedef struct stage {
    ag_file file;
    ag_group group;
    ag_binding binding;
    mt_str words[3];
    ho_handlers *handlers;
    mt_buf said;
} stage;

static void note(void *state, const char *text)
{
    mt_buf *said = state;
    mt_buf_addz(said, text);
    mt_buf_addc(said, '\n');
}

static void play(stage *s, const char *script, uint64_t limit_ms, uint32_t restarts)
{
    *s = (stage){.words = {MT_STR("sh"), MT_STR("-c"), mt_str_z(script)}};
    s->group = (ag_group){MT_STR("g"), s->words, 3, limit_ms, restarts};
    s->binding = (ag_binding){.group = &s->group, .function = MT_STR("f")};
    s->file.groups = &s->group;
    s->file.group_count = 1;
    s->file.receivers = s->file.senders = s->file.hooks = &s->binding;
    s->handlers = ho_handlers_new(&s->file, NULL, note, &s->said);
}

static ag_answer ask(stage *s, ag_call_kind kind)
{
    static const mt_json PAYLOAD = {
        .type = MT_JSON_STRING, .count = 2, .as.text = "hi"};
    static const ag_event CAUSE = {.action = AG_MOVE, .trigger = {"ok", 2}};
    ag_call call = {.kind = kind,
                    .key = MT_STR("k"),
                    .state = MT_STR("A"),
                    .payload = &PAYLOAD,
                    .cause = kind == AG_CALL_SENDER ? &CAUSE : NULL};
    ag_answer answer = {0};
    ho_handlers_begin(s->handlers);
    ho_handlers_call(s->handlers, &call, &answer);
    return answer;
}

static void end(stage *s)
{
    ho_handlers_free(s->handlers);
    mt_buf_free(&s->said);
}

static bool said(const stage *s, const char *words)
{
    return s->said.ptr && memmem(s->said.ptr, s->said.len, words, strlen(words));
}

/* Answers each line with $1 after its id. */
#define ANSWERING(rest)                                                                \
    "while read -r line; do id=${line##*\\\"id\\\":}; id=${id%%,*}; "                  \
    "printf '%s\\n' \"{\\\"id\\\":$id," rest "}\"; done"

static void a_receiver_answers_with_an_event(void **state)
{
    (void)state;
    stage s;
    play(&s,
         ANSWERING("\\\"action\\\":\\\"move\\\",\\\"trigger\\\":\\\"go\\\","
                   "\\\"data\\\":[1]"),
         2000, 0);
    for (int i = 0; i < 3; i++) {
        ag_answer a = ask(&s, AG_CALL_RECEIVER);
        assert_null(a.failed);
        assert_int_equal(a.event.action, AG_MOVE);
        assert_true(mt_str_is(a.event.trigger, "go"));
        assert_true(mt_json_is(a.event.data, MT_JSON_ARRAY));
    }
    end(&s);
}

static void senders_and_hooks_answer_with_a_payload_or_none(void **state)
{
    (void)state;
    stage s;
    play(&s, ANSWERING("\\\"payload\\\":{\\\"x\\\":1}"), 2000, 0);
    assert_true(mt_json_is(ask(&s, AG_CALL_SENDER).payload, MT_JSON_OBJECT));
    assert_true(mt_json_is(ask(&s, AG_CALL_RECEIVE_HOOK).payload, MT_JSON_OBJECT));
    end(&s);
    play(&s, ANSWERING("\\\"payload\\\":null"), 2000, 0);
    ag_answer a = ask(&s, AG_CALL_SEND_HOOK);
    assert_true(!a.failed && !a.payload);
    end(&s);
}

static void the_call_says_what_is_asked(void **state)
{
    (void)state;
    stage s;
    /* Gives the request back as the error text. */
    play(&s,
         "read -r l; e=$(printf %s \"$l\" | sed 's/\"/~/g'); "
         "printf '{\"id\":1,\"error\":\"%s\"}\\n' \"$e\"; read -r x",
         2000, 0);
    ag_answer a = ask(&s, AG_CALL_SENDER);
    assert_string_equal(a.failed,
                        "{~call~:~send~,~cause~:{~action~:~MOVE~,~trigger~:~ok~},"
                        "~function~:~f~,~id~:1,~key~:~k~,~payload~:~hi~}");
    end(&s);
}

/* What the program was told, as it comes back in its error text. */
static void is_told(const ag_call *call, const char *want)
{
    stage s;
    ag_answer answer = {0};
    play(&s,
         "read -r l; e=$(printf %s \"$l\" | sed 's/\"/~/g'); "
         "printf '{\"id\":1,\"error\":\"%s\"}\\n' \"$e\"; read -r x",
         2000, 0);
    ho_handlers_begin(s.handlers);
    ho_handlers_call(s.handlers, call, &answer);
    assert_string_equal(answer.failed, want);
    end(&s);
}

static void every_kind_of_call_says_what_it_has(void **state)
{
    (void)state;
    static const mt_json DATA = {.type = MT_JSON_BOOL, .boolean = true};
    static const ag_event CAUSE = {
        .action = AG_TEST, .trigger = {"t", 1}, .data = &DATA};
    ag_call call = {.kind = AG_CALL_RECEIVER,
                    .key = MT_STR("k"),
                    .state = MT_STR("A"),
                    .payload = &DATA};
    is_told(&call, "{~call~:~receive~,~function~:~f~,~id~:1,~key~:~k~,~payload~:true,"
                   "~state~:~A~}");
    call = (ag_call){.kind = AG_CALL_RECEIVER};
    is_told(&call, "{~call~:~receive~,~function~:~f~,~id~:1,~key~:null,~payload~:null,"
                   "~state~:null}");
    call = (ag_call){.kind = AG_CALL_SENDER, .cause = &CAUSE};
    is_told(&call, "{~call~:~send~,~cause~:{~action~:~TEST~,~data~:true,~trigger~:~t~},"
                   "~function~:~f~,~id~:1,~key~:null,~payload~:null}");
    call = (ag_call){.kind = AG_CALL_SENDER, .key = MT_STR("k")};
    is_told(&call, "{~call~:~send~,~cause~:null,~function~:~f~,~id~:1,~key~:~k~,"
                   "~payload~:null}");
    call = (ag_call){.kind = AG_CALL_RECEIVE_HOOK, .key = MT_STR("k")};
    is_told(&call, "{~call~:~hook~,~direction~:~receive~,~function~:~f~,~id~:1,"
                   "~payload~:null}");
    call = (ag_call){.kind = AG_CALL_SEND_HOOK, .state = MT_STR("A"), .payload = &DATA};
    is_told(&call, "{~call~:~hook~,~direction~:~send~,~function~:~f~,~id~:1,"
                   "~payload~:true}");
}

static void an_event_without_a_trigger_is_ok(void **state)
{
    (void)state;
    stage s;
    play(&s, ANSWERING("\\\"action\\\":\\\"test\\\""), 2000, 0);
    ag_answer a = ask(&s, AG_CALL_RECEIVER);
    assert_int_equal(a.event.action, AG_TEST);
    assert_true(mt_str_is(a.event.trigger, "ok"));
    assert_null(a.event.data);
    s.binding.group = NULL;
    assert_string_equal(ask(&s, AG_CALL_RECEIVER).failed, "nobody answers this call");
    end(&s);
}

/* Of what it complained about, the last line, and no more than 200 bytes of it. */
static void the_last_complaint_is_shown(void **state)
{
    (void)state;
    stage s;
    char want[300] = "handlers g: the handler died: ", line[260] = "";
    play(&s, "read -r l; echo first >&2; printf '%0250d\\n\\n' 7 >&2; exit 1", 2000, 0);
    assert_string_equal(ask(&s, AG_CALL_RECEIVER).failed, "the handler died");
    memset(line, '0', 200);
    strcat(strcat(want, line), "\n");
    assert_true(mt_str_eq(mt_buf_str(&s.said), mt_str_z(want)));
    end(&s);
}

static size_t count(const stage *s, const char *words)
{
    size_t n = 0;
    mt_str rest = mt_buf_str(&s->said);
    for (const char *at; (at = memmem(rest.ptr, rest.len, words, strlen(words)));) {
        n++;
        rest = mt_str_skip(rest, (size_t)(at - rest.ptr) + strlen(words));
    }
    return n;
}

static void garbage_is_shown_a_few_times_and_not_whole(void **state)
{
    (void)state;
    stage s;
    play(&s,
         "read -r l; for i in 1 2 3 4 5 6 7 8 9; do printf 'x%099d\\n' 7; done; "
         "echo '{\"id\":1}'; read -r l",
         2000, 0);
    assert_null(ask(&s, AG_CALL_RECEIVER).failed);
    char line[200] = "not an answer: x";
    memset(line + strlen(line), '0', 79);
    strcat(line, "\n");
    assert_int_equal(count(&s, line), 5);
    end(&s);
}

/* Two crashes are forgiven after it has answered well for long. */
static void a_program_that_works_again_is_forgiven(void **state)
{
    (void)state;
    stage s;
    char mark[] = "/tmp/motet-handlers-XXXXXX", script[400];
    int fd = mkstemp(mark);
    assert_true(fd >= 0);
    close(fd);
    snprintf(
        script, sizeof script,
        "while read -r line; do if [ -e %s ]; then exit 1; fi; "
        "id=${line##*\\\"id\\\":}; id=${id%%%%,*}; echo \"{\\\"id\\\":$id}\"; done",
        mark);
    play(&s, script, 5000, 1);
    assert_string_equal(ask(&s, AG_CALL_RECEIVER).failed, "the handler died");
    unlink(mark);
    for (int i = 0; i < 1000; i++) {
        assert_null(ask(&s, AG_CALL_RECEIVER).failed);
    }
    FILE *again = fopen(mark, "w");
    assert_non_null(again);
    fclose(again);
    assert_string_equal(ask(&s, AG_CALL_RECEIVER).failed, "the handler died");
    unlink(mark);
    assert_null(ask(&s, AG_CALL_RECEIVER).failed); /* not given up */
    end(&s);
}

static void garbage_is_skipped_and_reported(void **state)
{
    (void)state;
    stage s;
    play(&s,
         "read -r l; echo starting up; echo '[1,'; echo '{\"id\":77}'; "
         "printf '\\377\\n'; echo '{\"id\":1,\"action\":\"stay\"}'; read -r l",
         2000, 0);
    ag_answer a = ask(&s, AG_CALL_RECEIVER);
    assert_null(a.failed);
    assert_int_equal(a.event.action, AG_STAY);
    assert_true(said(&s, "not an answer: starting up"));
    end(&s);
}

static void endless_garbage_ends_the_child(void **state)
{
    (void)state;
    stage s;
    play(&s, "while :; do echo nonsense; done", 5000, 0);
    ag_answer a = ask(&s, AG_CALL_RECEIVER);
    assert_string_equal(a.failed, "the handler says too much that is not an answer");
    assert_string_equal(ask(&s, AG_CALL_RECEIVER).failed,
                        "the handler failed too often and was given up");
    end(&s);
}

static void an_unknown_action_fails_the_call_only(void **state)
{
    (void)state;
    stage s;
    play(&s, ANSWERING("\\\"action\\\":\\\"fly\\\""), 2000, 0);
    assert_string_equal(ask(&s, AG_CALL_RECEIVER).failed,
                        "the handler's answer: `action` must be move, stay or test");
    assert_string_equal(ask(&s, AG_CALL_RECEIVER).failed,
                        "the handler's answer: `action` must be move, stay or test");
    end(&s);
}

static void a_crash_fails_the_call_and_the_next_starts_anew(void **state)
{
    (void)state;
    stage s;
    play(&s, "read -r l; echo no good >&2; exit 3", 2000, 2);
    for (int i = 0; i < 3; i++) {
        ag_answer a = ask(&s, AG_CALL_RECEIVER);
        assert_string_equal(a.failed, "the handler died");
    }
    assert_true(said(&s, "the handler died: no good"));
    assert_string_equal(ask(&s, AG_CALL_RECEIVER).failed,
                        "the handler failed too often and was given up");
    end(&s);
}

/* The hanging child has a child of its own; both must go. */
static void a_hang_ends_in_time_with_the_whole_group(void **state)
{
    (void)state;
    stage s;
    char pidfile[] = "/tmp/motet-handlers-XXXXXX", script[200];
    int fd = mkstemp(pidfile);
    assert_true(fd >= 0);
    snprintf(script, sizeof script, "sleep 60 & echo $! > %s; wait", pidfile);
    play(&s, script, 300, 0);
    assert_string_equal(ask(&s, AG_CALL_RECEIVER).failed, "the handler took too long");
    char text[20] = "";
    assert_true(read(fd, text, sizeof text - 1) > 0);
    pid_t grandchild = (pid_t)atoi(text);
    for (int i = 0; i < 100 && kill(grandchild, 0) == 0; i++) {
        usleep(10000); /* init may take a moment to reap it */
    }
    FILE *status;
    snprintf(script, sizeof script, "/proc/%d/stat", (int)grandchild);
    status = fopen(script, "r");
    if (status) { /* gone, or dead and waiting for its reaper */
        char kind = 0;
        assert_int_equal(fscanf(status, "%*d (%*[^)]) %c", &kind), 1);
        assert_int_equal(kind, 'Z');
        fclose(status);
    }
    close(fd);
    unlink(pidfile);
    end(&s);
}

static void a_program_that_does_not_exist_is_said(void **state)
{
    (void)state;
    stage s;
    play(&s, "", 1000, 5);
    s.words[0] = MT_STR("/nonexistent/program");
    assert_string_equal(ask(&s, AG_CALL_RECEIVER).failed,
                        "the handler cannot be started");
    assert_true(said(&s, "cannot start"));
    end(&s);
}

static void a_handler_may_wish_to_travel_or_quit(void **state)
{
    (void)state;
    stage s;
    play(&s, ANSWERING("\\\"travel\\\":\\\"127.0.0.1:9\\\",\\\"quit\\\":true"), 2000,
         0);
    assert_null(ask(&s, AG_CALL_RECEIVER).failed);
    assert_string_equal(ho_handlers_wish(s.handlers)->travel, "127.0.0.1:9");
    assert_true(ho_handlers_wish(s.handlers)->quit);
    end(&s);
}

/* An answer with these members, and what the call fails with; NULL: it does not. */
static void answers_with(ag_call_kind kind, const char *members, const char *failed)
{
    stage s;
    char script[700];
    snprintf(script, sizeof script,
             "read -r l; printf '%%s\\n' '{\"id\":1%s}'; read -r l", members);
    play(&s, script, 2000, 0);
    ag_answer a = ask(&s, kind);
    if (failed) {
        assert_non_null(a.failed);
        assert_string_equal(a.failed, failed);
        assert_true(said(&s, failed));
    } else {
        assert_null(a.failed);
    }
    end(&s);
}

static void an_answer_of_the_wrong_kinds_fails_the_call(void **state)
{
    (void)state;
    answers_with(AG_CALL_RECEIVER, ",\"error\":{\"code\":7}",
                 "the handler's answer: `error` must be text, not an object");
    answers_with(AG_CALL_SENDER, ",\"quit\":\"yes\"",
                 "the handler's answer: `quit` must be true or false, not text");
    answers_with(AG_CALL_RECEIVER, ",\"action\":1",
                 "the handler's answer: `action` must be move, stay or test");
    answers_with(AG_CALL_RECEIVER, ",\"action\":\"move\",\"trigger\":[\"ok\"]",
                 "the handler's answer: `trigger` must be text, not a list");
    answers_with(
        AG_CALL_RECEIVER, ",\"travel\":false,\"quit\":1",
        "the handler's answer: `travel` must be text, not true or false; `quit` "
        "must be true or false, not a number");
}

static void null_is_the_same_as_absent(void **state)
{
    (void)state;
    answers_with(AG_CALL_RECEIVER,
                 ",\"action\":null,\"trigger\":null,\"data\":null,\"error\":null,"
                 "\"travel\":null,\"quit\":null,\"payload\":null",
                 NULL);
    answers_with(AG_CALL_SENDER, ",\"error\":\"\",\"travel\":\"\"", NULL);
}

/* The place to travel to has 255 bytes at most. */
static void a_journey_is_as_long_as_it_may_be(void **state)
{
    (void)state;
    char members[400], place[257] = "";
    memset(place, 'h', 255);
    snprintf(members, sizeof members, ",\"travel\":\"%s\"", place);
    answers_with(AG_CALL_RECEIVER, members, NULL);
    place[255] = 'h';
    snprintf(members, sizeof members, ",\"travel\":\"%s\"", place);
    answers_with(AG_CALL_RECEIVER, members,
                 "the handler's answer: `travel` must have 0 to 255 bytes");
}

static void a_key_nobody_knows_is_told_a_few_times(void **state)
{
    (void)state;
    stage s;
    play(&s, ANSWERING("\\\"acton\\\":\\\"move\\\""), 2000, 0);
    for (int i = 0; i < 7; i++) {
        assert_null(ask(&s, AG_CALL_RECEIVER).failed);
    }
    const char *want = "handlers g: `acton` is not a key of an answer (did you mean "
                       "`action`?)\n";
    assert_int_equal(count(&s, want), 5);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_receiver_answers_with_an_event),
        cmocka_unit_test(senders_and_hooks_answer_with_a_payload_or_none),
        cmocka_unit_test(the_call_says_what_is_asked),
        cmocka_unit_test(every_kind_of_call_says_what_it_has),
        cmocka_unit_test(an_event_without_a_trigger_is_ok),
        cmocka_unit_test(the_last_complaint_is_shown),
        cmocka_unit_test(garbage_is_shown_a_few_times_and_not_whole),
        cmocka_unit_test(a_program_that_works_again_is_forgiven),
        cmocka_unit_test(garbage_is_skipped_and_reported),
        cmocka_unit_test(endless_garbage_ends_the_child),
        cmocka_unit_test(an_unknown_action_fails_the_call_only),
        cmocka_unit_test(a_crash_fails_the_call_and_the_next_starts_anew),
        cmocka_unit_test(a_hang_ends_in_time_with_the_whole_group),
        cmocka_unit_test(a_program_that_does_not_exist_is_said),
        cmocka_unit_test(a_handler_may_wish_to_travel_or_quit),
        cmocka_unit_test(an_answer_of_the_wrong_kinds_fails_the_call),
        cmocka_unit_test(null_is_the_same_as_absent),
        cmocka_unit_test(a_journey_is_as_long_as_it_may_be),
        cmocka_unit_test(a_key_nobody_knows_is_told_a_few_times),
    };
    return cmocka_run_group_tests_name("handlers", tests, NULL, NULL);
}
