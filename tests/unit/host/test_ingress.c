/* Events from fixtures and drivers: what is read, and what is said about the rest. */
#include "../rows.h"

#include <stdio.h>

#include "host/graph_ingress.h"
#include "host/graph_source.h"

typedef struct row {
    const char *name, *text; /* a fixture, or what a driver says */
    const char *want;        /* part of the fault; NULL: an event */
} row;

#define START       "{\"kind\":\"episode_start\"}\n"
#define EVENT(more) START "{\"kind\":\"event\",\"event\":{\"type\":\"Pump\"" more "}}\n"

static const row FIXTURES[] = {
    {"an event needs a type only", EVENT(""), NULL},
    {"an episode may have a name",
     "{\"kind\":\"episode_start\",\"id\":\"E1\"}\n"
     "{\"kind\":\"event\",\"event\":{\"type\":\"Pump\"}}\n",
     NULL},
    {"null is no payload", EVENT(",\"payload\":null"), NULL},
    {"null is no semantic_kind", EVENT(",\"semantic_kind\":null"), NULL},
    {"a misspelt key has a suggestion", EVENT(",\"paylod\":{}"),
     "line 2: `event.paylod` is not a key of an event (did you mean "
     "`payload`?)"},
    {"a stranger has none", EVENT(",\"surprise\":1"),
     "line 2: `event.surprise` is not a key of an event"},
    {"a key beside the event is refused",
     START "{\"kind\":\"event\",\"event\":{\"type\":\"Pump\"},\"events\":1}\n",
     "line 2: `events` is not a key of an event line (did you mean `event`?)"},
    {"a key of an episode is refused", "{\"kind\":\"episode_start\",\"ids\":\"E1\"}\n",
     "line 1: `ids` is not a key of an episode_start line (did you mean `id`?)"},
    {"a line without a kind", "{}\n", "line 1: `kind` is missing"},
    {"a line that is a number", "7\n", "line 1: `kind` is missing"},
    {"a line of an unknown kind", "{\"kind\":\"episode_stat\"}\n",
     "line 1: `kind` must be `episode_start` or `event`, not `episode_stat` (did you "
     "mean `episode_start`?)"},
    {"a line without an event", START "{\"kind\":\"event\"}\n",
     "line 2: `event` is missing"},
    {"an event that is a list", START "{\"kind\":\"event\",\"event\":[]}\n",
     "line 2: `event` must be an object, not a list"},
    {"an event without a type", START "{\"kind\":\"event\",\"event\":{}}\n",
     "line 2: `event.type` is missing"},
    {"a type that nobody knows",
     START "{\"kind\":\"event\",\"event\":{\"type\":\"Tock\"}}\n",
     "line 2: `event.type` must be Pump, DataAvailable or Command"},
    {"an id that is empty", EVENT(",\"id\":\"\""),
     "line 2: `event.id` must not be empty"},
    {"an id that is a number", EVENT(",\"id\":7"),
     "line 2: `event.id` must be text, not a number"},
    {"a semantic_kind that is a number", EVENT(",\"semantic_kind\":7"),
     "line 2: `event.semantic_kind` must be text, not a number"},
    {"FG11_an_event_begins_its_episode",
     "{\"kind\":\"event\",\"event\":{\"type\":\"Pump\"}}", NULL},
    {"an event may have a time", EVENT(",\"at\":{\"secs\":1,\"nanos\":999999999}"),
     NULL},
    {"a time that is none", EVENT(",\"at\":{\"secs\":1,\"nanos\":1000000000}"),
     "line 2: `event.at.nanos`"},
};

#define HELLO       "{\"type\":\"hello\",\"protocol\":\"ergo-driver.v0\"}"
#define SENT(event) HELLO "\n{\"type\":\"event\",\"event\":{" event "}}"
#define AT(secs, nanos)                                                                \
    SENT("\"event_id\":\"e\",\"kind\":\"Command\",\"at\":{\"secs\":" secs              \
         ",\"nanos\":" nanos "}")

static const row DRIVERS[] = {
    {"a driver's event", AT("0", "0"), NULL},
    {"the greatest time", AT("9223372036854775807", "999999999"), NULL},
    {"a second more than the greatest", AT("9223372036854775808", "0"),
     "the driver sent a bad event: `event.at.secs` must be a whole number of at least "
     "0"},
    {"a second less than the least", AT("-1", "0"),
     "`event.at.secs` must be a whole number of at least 0"},
    {"a whole second of nanoseconds", AT("0", "1000000000"),
     "`event.at.nanos` must be a whole number from 0 to 999999999"},
    {"a nanosecond less than none", AT("0", "-1"),
     "`event.at.nanos` must be a whole number from 0 to 999999999"},
    {"half a nanosecond", AT("0", "0.5"),
     "`event.at.nanos` must be a whole number from 0 to 999999999"},
    {"an event without anything", SENT(""),
     "`event.event_id` is missing; `event.kind` is missing; `event.at` is missing"},
    {"a misspelt key of an event",
     SENT("\"event_id\":\"e\",\"kind\":\"Command\",\"at\":{\"secs\":0,\"nanos\":0},"
          "\"semantic_kid\":\"k\""),
     "`event.semantic_kid` is not a key of an event (did you mean"},
    {"a key that a time has not",
     SENT("\"event_id\":\"e\",\"kind\":\"Command\",\"at\":{\"secs\":0,\"nanos\":0,"
          "\"zone\":1}"),
     "`event.at.zone` is not a key of a time"},
    {"a frame without an event", HELLO "\n{\"type\":\"event\"}",
     "`event` must be an object, not absent"},
    {"a frame may say more than we know",
     "{\"type\":\"hello\",\"protocol\":\"ergo-driver.v0\",\"name\":\"d\"}\n"
     "{\"type\":\"event\",\"n\":1,\"event\":{\"event_id\":\"e\",\"kind\":\"Command\","
     "\"at\":{\"secs\":0,\"nanos\":0}}}",
     NULL},
    {"a frame without a type", HELLO "\n{}", "sent a bad line: `type` is missing"},
    {"a frame whose type is a number", HELLO "\n{\"type\":1}",
     "sent a bad line: `type` must be text, not a number"},
    {"a frame that is a list", HELLO "\n[]",
     "sent a bad line: a line must be an object, not a list"},
    {"a frame of an unknown type", HELLO "\n{\"type\":\"evnt\"}",
     "sent a frame of unknown type 'evnt'"},
    {"another protocol", "{\"type\":\"hello\",\"protocol\":\"ergo-driver.v9\"}",
     "does not speak ergo-driver.v0"},
    {"no protocol", "{\"type\":\"hello\"}", "does not speak ergo-driver.v0"},
    {"no hello", "{\"type\":\"end\"}", "did not begin with hello"},
    {"two hellos", HELLO "\n" HELLO, "said hello twice"},
};

/* The first thing that comes of it is an event, or the fault that is wanted. */
static void comes_as(ho_ingress *in, const char *want)
{
    ho_graph_event event;
    ho_ingress_result result = HO_INGRESS_WAIT;
    for (int i = 0; i < 50 && result == HO_INGRESS_WAIT; i++) {
        result = ho_ingress_next(in, 2000, &event);
    }
    mt_str said = ho_ingress_problem(in).message;
    if (!want) {
        assert_int_equal(result, HO_INGRESS_EVENT);
        assert_true(event.id.len > 0);
    } else if (result != HO_INGRESS_BROKEN ||
               !memmem(said.ptr, said.len, want, strlen(want))) {
        fail_msg("got  %.*s\nwant %s", MT_ARG(said), want);
    }
    ho_ingress_free(in);
}

static void a_fixture_comes_as(void **state)
{
    const row *r = *state;
    comes_as(ho_ingress_fixture(mt_str_z(r->text), false), r->want);
}

static void a_driver_comes_as(void **state)
{
    const row *r = *state;
    const char *argv[] = {"printf", "%s\n", r->text, NULL};
    comes_as(ho_ingress_process(argv), r->want);
}

static void the_greatest_time_is_kept_whole(void **state)
{
    (void)state;
    const char *argv[] = {"printf", "%s\n", AT("9223372036854775807", "999999999"),
                          NULL};
    ho_ingress *in = ho_ingress_process(argv);
    ho_graph_event event;
    ho_ingress_result result = HO_INGRESS_WAIT;
    for (int i = 0; i < 50 && result == HO_INGRESS_WAIT; i++) {
        result = ho_ingress_next(in, 2000, &event);
    }
    assert_int_equal(result, HO_INGRESS_EVENT);
    assert_int_equal(event.at.secs, INT64_MAX);
    assert_int_equal(event.at.nanos, 999999999);
    ho_ingress_free(in);
}

/* Settings of a source that cannot be read: the byte counts from one. */
static const row BROKEN[] = {
    {"settings that end too early", "{", "byte 2: "},
    {"settings that break off in a word", "{file: \"a", "byte 10: "},
    {"settings that are not there", "./no-such-source.yaml",
     "cannot read ./no-such-source.yaml: No such file or directory"},
};

static void settings_are_refused(void **state)
{
    const row *r = *state;
    ho_source *s;
    mt_buf why = {0};
    assert_true(ho_source_load(r->text, NULL, &s, &why) != MT_OK);
    assert_null(s);
    mt_str said = mt_buf_str(&why);
    said.len = said.len < strlen(r->want) ? said.len : strlen(r->want);
    assert_text(said, mt_str_z(r->want));
    mt_buf_free(&why);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, FIXTURES, a_fixture_comes_as);
    rows_add(&list, DRIVERS, a_driver_comes_as);
    rows_add(&list, BROKEN, settings_are_refused);
    rows_test(&list, the_greatest_time_is_kept_whole);
    return rows_run(&list, "host/ingress");
}
