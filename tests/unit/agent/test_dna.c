/* What has changed between two agents, what two have in common, and what is read of a
 * document of others. */
#include "../rows.h"

#include "agent/dna.h"
#include "agent/value.h"
#include "base/json_read.h"

#define DOCUMENT(rest)                                                                 \
    "{\"format\":\"motet-agent-dna/2\",\"profile\":\"summoner-standard-profile/"       \
    "0.1\"" rest "}"

static mt_err read(mt_arena *a, const char *text, ag_agent *out, mt_buf *told)
{
    mt_json *tree = mt_new(a, mt_json);
    mt_diags ds = {.arena = a};
    mt_str copy = mt_str_dup(a, mt_str_z(text));
    if (mt_json_read(a, copy, NULL, tree, NULL)) {
        fail_msg("not JSON: %s", text);
    }
    mt_err err = ag_dna_read(a, MT_STR("x"), copy, tree, &ds, out);
    for (size_t i = 0; i < ds.len; i++) {
        mt_buf_addf(told, "%s: %.*s\n", ds.items[i].code, MT_ARG(ds.items[i].message));
    }
    return err;
}

/* ---- Differences ---- */

/* clang-format off */
#define RULES "\"behaviour\":{\"rules\":[]}"
#define SENDER(more) \
    "{\"kind\":\"sender\",\"module\":\"m\",\"function\":\"f\",\"route\":\"A\",\"priority\":[],\"multi\":false," \
    "\"on_actions\":null,\"on_triggers\":null" more "}"
#define FILTERED(actions, triggers) \
    "{\"kind\":\"sender\",\"module\":\"m\",\"function\":\"f\",\"route\":\"A\",\"priority\":[],\"multi\":false," \
    "\"on_actions\":" actions ",\"on_triggers\":" triggers "," RULES "}"
#define RECEIVER(function, more) \
    "{\"kind\":\"receiver\",\"module\":\"m\",\"function\":\"" function "\",\"route\":\"A\",\"priority\":[]" more "}"
#define HOOK(direction) \
    "{\"kind\":\"hook\",\"module\":\"m\",\"function\":\"h\",\"direction\":\"" direction "\",\"priority\":[]," RULES "}"
#define UP "{\"type\":\"upload_states\",\"source\":\"x\"}"
#define LESS "~! sender A m.f: its filters let less through than before\n"
#define MORE "~ sender A m.f: its filters let more through than before\n"

static const struct diff_row {
    const char *name, *before, *after; /* registrations */
    const char *want; /* "SIGN[!] WHAT: WHY" of each; !: breaking */
} DIFFS[] = {
    {"nothing has changed", RECEIVER("f", "," RULES), RECEIVER("f", "," RULES), ""},
    {"what neither says is silent", RECEIVER("f", ""), RECEIVER("f", ""), "1 silent\n"},
    {"only the old one says", RECEIVER("f", "," RULES), RECEIVER("f", ""),
     "~! receiver A m.f: the new document does not say what it does\n"},
    {"only the new one says", RECEIVER("f", ""), RECEIVER("f", "," RULES),
     "~! receiver A m.f: the old document does not say what it did\n"},
    {"it does something else", RECEIVER("f", ",\"behaviour\":{\"a\":1,\"b\":2,\"c\":3}"),
     RECEIVER("f", ",\"behaviour\":{\"b\":2,\"c\":4,\"d\":5}"),
     "~! receiver A m.f: what it does changed: a, c, d\n"},
    {"another function", RECEIVER("f", "," RULES), RECEIVER("g", "," RULES),
     "~ receiver A m.g: another function answers\n"},
    {"a receiver less", RECEIVER("f", "," RULES), "", "-! receiver A m.f: what it understood is no longer understood\n"},
    {"a receiver more", "", RECEIVER("f", "," RULES), "+ receiver A m.f: it adds to what was there\n"},
    {"a sender less", SENDER("," RULES), "", "-! sender A m.f: what it sent is no longer sent\n"},
    {"a hook less", HOOK("send"), "", "-! hook send m.h: messages pass unchecked and unchanged now\n"},
    {"a hook more", "", HOOK("receive"), "+! hook receive m.h: it may drop or change messages\n"},
    {"a filter of actions", FILTERED("null", "null"), FILTERED("[\"MOVE\"]", "null"), LESS},
    {"no filter of actions any more", FILTERED("[\"MOVE\"]", "null"), FILTERED("null", "null"), MORE},
    {"an action less", FILTERED("[\"MOVE\",\"STAY\"]", "null"), FILTERED("[\"MOVE\"]", "null"), LESS},
    {"an action more", FILTERED("[\"MOVE\"]", "null"), FILTERED("[\"MOVE\",\"STAY\"]", "null"), MORE},
    {"another action", FILTERED("[\"MOVE\"]", "null"), FILTERED("[\"STAY\"]", "null"), LESS},
    {"the same actions in another order", FILTERED("[\"MOVE\",\"STAY\"]", "null"), FILTERED("[\"STAY\",\"MOVE\"]", "null"),
     ""},
    {"a filter of triggers", FILTERED("null", "null"), FILTERED("null", "[\"ok\"]"), LESS},
    {"no filter of triggers any more", FILTERED("null", "[\"ok\"]"), FILTERED("null", "null"), MORE},
    {"a trigger less", FILTERED("null", "[\"ok\",\"no\"]"), FILTERED("null", "[\"no\"]"), LESS},
    {"a trigger more", FILTERED("null", "[\"no\"]"), FILTERED("null", "[\"ok\",\"no\"]"), MORE},
    {"an action more and a trigger less", FILTERED("[\"MOVE\"]", "[\"ok\"]"), FILTERED("null", "[]"), LESS},
    {"all else of a sender",
     SENDER(",\"every_ms\":5,\"run_while\":true," RULES),
     "{\"kind\":\"sender\",\"module\":\"m\",\"function\":\"f\",\"route\":\"A\",\"priority\":[1],\"multi\":true,\"use_data\":true,"
     "\"every_ms\":6,\"run_while\":false,\"gated\":true,\"when_data\":{\"a\":1},\"data_mode\":\"live\","
     "\"on_actions\":null,\"on_triggers\":null," RULES "}",
     "~! sender A m.f: its priority, and so the order of calls, changed\n"
     "~ sender A m.f: it may send once per activation\n"
     "~! sender A m.f: it sends at another interval\n"
     "~! sender A m.f: it runs while something else holds\n"
     "~! sender A m.f: its tape gates it now\n"
     "~! sender A m.f: it is called for other data\n"
     "~! sender A m.f: it began, or ceased, to be given data\n"},
    {"once is another interval", SENDER(",\"every_ms\":5," RULES), SENDER(",\"after_ms\":5," RULES),
     "~! sender A m.f: it sends at another interval\n"},
    {"gated no longer", SENDER(",\"every_ms\":5,\"gated\":true," RULES), SENDER(",\"every_ms\":5," RULES),
     "~! sender A m.f: its tape gates it no longer\n"},
    {"given in another way", SENDER(",\"use_data\":true,\"data_mode\":\"live\"," RULES),
     SENDER(",\"use_data\":true,\"data_mode\":\"snapshot\"," RULES), "~! sender A m.f: it is called for other data\n"},
};
/* clang-format on */

static void show(mt_buf *out, const ag_dna_changes *c)
{
    bool breaking = false;
    for (size_t i = 0; i < c->len; i++) {
        mt_buf_addf(out, "%c%s %.*s: %.*s\n", c->items[i].sign,
                    c->items[i].breaking ? "!" : "", MT_ARG(c->items[i].what),
                    MT_ARG(c->items[i].why));
        breaking |= c->items[i].breaking;
    }
    assert_int_equal(c->breaking, breaking);
    if (c->silent) {
        mt_buf_addf(out, "%u silent\n", c->silent);
    }
}

static void differ(mt_arena *a, const char *before, const char *after, mt_buf *out)
{
    ag_agent x, y;
    ag_dna_changes c;
    mt_buf told = {0};
    mt_err err = read(a, before, &x, &told);
    err = err ? err : read(a, after, &y, &told);
    assert_text(mt_buf_str(&told), MT_STR(""));
    assert_int_equal(err, MT_OK);
    ag_dna_diff(a, &x, &y, &c);
    show(out, &c);
    mt_buf_free(&told);
}

static const char *document(mt_arena *a, const char *registrations, const char *rest)
{
    return mt_strf(a, DOCUMENT(",\"registrations\":[%s]%s"), registrations, rest).ptr;
}

static void a_difference_is_told(void **state)
{
    const struct diff_row *r = *state;
    mt_arena a = {0};
    mt_buf out = {0};
    differ(&a, document(&a, r->before, ",\"settings\":{\"a\":1}"),
           document(&a, r->after, ",\"settings\":{\"a\":1}"), &out);
    assert_text(mt_buf_str(&out), mt_str_z(r->want));
    mt_buf_free(&out);
    mt_arena_free(&a);
}

static void what_an_agent_starts_from_is_compared(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf out = {0};
    differ(&a, document(&a, "", ",\"settings\":{\"a\":1,\"b\":2}"),
           document(&a, "", ",\"settings\":{\"b\":3,\"c\":4},\"others\":[" UP "]"),
           &out);
    assert_text(mt_buf_str(&out),
                MT_STR("+! upload_states : it may change what the agent does\n"
                       "~! agent settings: what it starts from changed: a, b, c\n"));
    mt_buf_free(&out);
    mt_arena_free(&a);
}

/* ---- Together ---- */

static void two_agents_become_one(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_buf told = {0};
    ag_agent both[3], out;
    mt_str why;
    static const char SETTINGS[] = ",\"settings\":{\"a\":1},\"others\":[" UP "]";
    assert_int_equal(
        read(&a, document(&a, RECEIVER("f", "," RULES), SETTINGS), &both[0], &told),
        MT_OK);
    assert_int_equal(
        read(&a,
             document(&a,
                      SENDER("," RULES) "," RECEIVER("f", "," RULES) "," HOOK("send"),
                      SETTINGS),
             &both[1], &told),
        MT_OK);
    assert_int_equal(ag_dna_merge(&a, both, 2, &out, &why), MT_OK);
    assert_int_equal(why.len, 0);
    assert_int_equal(out.receiver_count, 1);
    assert_int_equal(out.sender_count, 1);
    assert_int_equal(out.hook_count, 1);
    assert_int_equal(out.other_count, 1);
    assert_non_null(out.settings);
    assert_text(out.name, MT_STR("x"));
    assert_int_equal(out.mode, AG_PROFILE);
    /* Others that start from something else, and one that differs. */
    assert_int_equal(
        read(&a, document(&a, RECEIVER("f", ",\"behaviour\":{\"rules\":[1]}"), ""),
             &both[2], &told),
        MT_OK);
    assert_int_equal(ag_dna_merge(&a, both, 3, &out, &why), MT_E_CONFLICT);
    assert_text(why, MT_STR("two registrations are called receiver m.f and differ"));
    assert_null(out.settings);
    assert_int_equal(out.receiver_count, 1);
    assert_int_equal(ag_dna_merge(&a, NULL, 0, &out, &why), MT_OK);
    assert_null(out.settings);
    assert_text(out.name, MT_STR(""));
    mt_buf_free(&told);
    mt_arena_free(&a);
}

/* ---- Documents of others ---- */

/* clang-format off */
#define SDK(more) \
    "[{\"type\":\"send\",\"route\":\"A\",\"module\":\"m\",\"fn_name\":\"f\",\"priority\":[],\"multi\":false," \
    "\"on_triggers\":[],\"on_actions\":[]" more "}]"
#define OWN ",\"source\":\"{\\\"rules\\\":[]}\""

static const struct read_row {
    const char *name, *text;
    const char *want; /* of its registration: `every once gated run_while when_data mode behaviour`, or faults */
} READS[] = {
    {"code of others is kept", SDK(",\"source\":\"def f(): pass\""), "0 - - - - - {\"source\":\"def f(): pass\"}"},
    {"our own rules are understood", SDK(OWN), "0 - - - - - {\"rules\":[]}"},
    {"but not with something beside", SDK(OWN ",\"note\":1"), "0 - - - - - {\"note\":1,\"source\":\"{\\\"rules\\\":[]}\"}"},
    {"what says nothing is left out", SDK(",\"source\":\"<source>\",\"a\":null,\"b\":\"none\",\"c\":\"live\""), "0 - - - - - -"},
    {"seconds become milliseconds", SDK(OWN ",\"every\":1.5"), "1500 - - - - - {\"rules\":[]}"},
    {"what is no whole millisecond is kept", SDK(",\"every\":0.0001"), "0 - - - - - {\"every\":0.0001}"},
    {"a period of nothing", SDK(",\"every\":0"), "AG215: `every` must be seconds, above 0 to 1000000\n"},
    {"the longest period", SDK(OWN ",\"every\":1000000"), "1000000000 - - - - - {\"rules\":[]}"},
    {"one beyond it", SDK(",\"every\":1000001"), "AG215: `every` must be seconds, above 0 to 1000000\n"},
    {"a period that is text", SDK(",\"every\":\"1\""), "AG215: `every` must be seconds, above 0 to 1000000\n"},
    {"a condition that is true", SDK(OWN ",\"run_while_kind\":\"bool\",\"run_while_value\":true"), "0 - - true - - {\"rules\":[]}"},
    {"a condition of ours",
     SDK(OWN ",\"when_data_kind\":\"callable\",\"when_data_source\":\"{\\\"a\\\":1}\",\"data_mode\":\"snapshot\""),
     "0 - - - {\"a\":1} snapshot {\"rules\":[]}"},
    {"a condition with a name is code of others",
     SDK(",\"run_while_kind\":\"bool\",\"run_while_name\":\"g\",\"run_while_value\":true"),
     "0 - - - - - {\"run_while_kind\":\"bool\",\"run_while_name\":\"g\",\"run_while_value\":true}"},
    {"no list", "7", "AG210: `profile` must be summoner-standard-profile/0.1\n"},
    {"no registration", "[7]", "AG208: a registration is an object\n"},
    {"no kind", "[{\"type\":\"fly\"}]", "AG209: `fly` is not a kind of registration\n"},
    {"another format", "{\"format\":\"x\"}", "AG214: `format` must be motet-agent-dna/2\n"},
    {"no registrations", DOCUMENT(""), "AG211: `registrations` must be a list\n"},
    {"others that are none", DOCUMENT(",\"registrations\":[],\"others\":7"), "AG216: `others` must be a list\n"},
    {"another that is none", DOCUMENT(",\"registrations\":[],\"others\":[{\"type\":\"x\"}]"), "AG216: no such entry\n"},
    {"no such action", DOCUMENT(",\"registrations\":[" FILTERED("[\"FLY\",\"MOVE\",\"NONE\"]", "null") "]"),
     "AG206: no such action\nAG206: no such action\n"},
    {"a hook in no direction", DOCUMENT(",\"registrations\":[" HOOK("up") "]"), "AG207: a hook's direction is receive or send\n"},
    {"a sender that is gated and runs once", DOCUMENT(",\"registrations\":[" SENDER(",\"after_ms\":7,\"gated\":true") "]"),
     "7 once gated - - - -"},
};
/* clang-format on */

static mt_str value(mt_arena *a, const mt_json *v)
{
    return v ? ag_value_text(a, v) : MT_STR("-");
}

static void a_document_is_read(void **state)
{
    const struct read_row *r = *state;
    mt_arena a = {0};
    mt_buf told = {0};
    ag_agent x;
    mt_err err = read(&a, r->text, &x, &told);
    assert_int_equal(err, told.len ? MT_E_REJECTED : MT_OK);
    if (!told.len) {
        assert_int_equal(x.sender_count, 1);
        const ag_sender *s = x.senders;
        mt_buf_addf(&told, "%llu %s %s %.*s %.*s %.*s %.*s",
                    (unsigned long long)s->every_ms, s->once ? "once" : "-",
                    s->gated ? "gated" : "-", MT_ARG(value(&a, s->run_while)),
                    MT_ARG(value(&a, s->when_data)),
                    MT_ARG(s->data_mode.ptr ? s->data_mode : MT_STR("-")),
                    MT_ARG(value(&a, s->behaviour)));
    }
    assert_text(mt_buf_str(&told), mt_str_z(r->want));
    mt_buf_free(&told);
    mt_arena_free(&a);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, DIFFS, a_difference_is_told);
    rows_test(&list, what_an_agent_starts_from_is_compared);
    rows_test(&list, two_agents_become_one);
    rows_add(&list, READS, a_document_is_read);
    return rows_run(&list, "agent/dna");
}
