/* What is wrong with the configuration of an executor: all of it, each with its place.
 * Behind each fault the row has how the text at its offset begins. */
#include "../rows.h"
#include "contract/wire/model.h"
#include "exec/commit/distinct.h"
#include "exec/executor_internal.h"
#include "exec/settings.h"
#include "exec/threads.h"
#include "ledger/note.h"

static mt_arena arena;
static mt_str vkeys[4]; /* of a log, of the witnesses one and two; two's key alone */

static int make_keys(void **state)
{
    (void)state;
    for (unsigned char i = 0; i < 3; i++) {
        static const char *const NAMES[] = {"log", "one", "two"};
        unsigned char seed[MT_SIGN_SEED];
        mt_sign_key key;
        mt_buf text = {0};
        memset(seed, i + 1, sizeof seed);
        mt_sign_from_seed(seed, &key);
        lg_note_key k = {mt_str_z(NAMES[i]), i ? LG_WITNESS_KEY : LG_LOG_KEY, key.open};
        lg_note_key_write(&text, &k);
        vkeys[i] = mt_str_dup(&arena, mt_buf_str(&text));
        mt_buf_free(&text);
        if (i == 2) {
            char hex[2 * MT_SIGN_PUBLIC];
            mt_hex(key.open.bytes, MT_SIGN_PUBLIC, hex);
            vkeys[3] = mt_str_dup(&arena, mt_str_from(hex, sizeof hex));
        }
    }
    return 0;
}

static int free_keys(void **state)
{
    (void)state;
    mt_arena_free(&arena);
    return 0;
}

/* ' for ", $0 to $3 for the keys. */
static mt_str text_of(const char *text)
{
    mt_buf b = {0};
    for (; *text; text++) {
        if (*text == '$') {
            mt_buf_adds(&b, vkeys[*++text - '0']);
        } else {
            mt_buf_addc(&b, *text == '\'' ? '"' : *text);
        }
    }
    mt_str copy = mt_str_dup(&arena, mt_buf_str(&b));
    mt_buf_free(&b);
    return copy;
}

/* ---- Faults ---- */

typedef struct hearing {
    mt_str text;
    mt_buf said;
    size_t count;
} hearing;

static void hear(void *state, mt_str key, size_t offset, mt_str reason)
{
    hearing *h = state;
    mt_str at =
        offset == EX_NO_PLACE ? MT_STR("nowhere") : mt_str_skip(h->text, offset);
    at.len = at.len < 7 ? at.len : 7;
    mt_buf_addf(&h->said, "%.*s: %.*s <%.*s>\n", MT_ARG(key), MT_ARG(reason),
                MT_ARG(at));
    h->count++;
}

static size_t read_numbers(const mt_json *settings, hearing *h)
{
    return ex_numbers_check(settings, hear, h);
}

static size_t read_quotas(const mt_json *settings, hearing *h)
{
    ex_quotas *q;
    size_t count = ex_quotas_read(settings, hear, h, &q);
    ex_quotas_free(q);
    return count;
}

static size_t read_distinct(const mt_json *settings, hearing *h)
{
    const ex_distinct *rules;
    size_t rule_count,
        count = ex_distinct_read(&arena, settings, hear, h, &rules, &rule_count);
    for (size_t i = 0; i < rule_count; i++) {
        mt_buf_addf(&h->said, "%.*s", MT_ARG(rules[i].contract));
        for (size_t k = 0; k < rules[i].count; k++) {
            mt_buf_addf(&h->said, " %.*s", MT_ARG(rules[i].personas[k]));
        }
        mt_buf_addc(&h->said, '\n');
    }
    return count;
}

static size_t read_bindings(const mt_json *settings, hearing *h)
{
    mt_str given = ex_binding_of(settings, MT_STR("s"), MT_STR("m"), MT_STR("E"));
    mt_buf_adds(&h->said, given);
    mt_buf_addz(&h->said, given.len ? "\n" : "");
    return ex_bindings_check(&arena, settings, hear, h);
}

static size_t read_some_witnesses(const mt_json *settings, hearing *h, size_t quorum,
                                  const char *key)
{
    ex_executor_options o = {
        .settings = settings, .witness_quorum = quorum, .signing_key = key};
    ex_witness_of *all;
    size_t n, count = ex_witnesses_read(&arena, &o, &all, &n, hear, h);
    for (size_t i = 0; !count && i < n; i++) {
        mt_buf_addf(&h->said, "%.*s %.*s %s %u\n", MT_ARG(all[i].key.name),
                    MT_ARG(all[i].url), all[i].ca ? all[i].ca : "-", all[i].timeout_ms);
    }
    return count;
}

static size_t read_witnesses(const mt_json *settings, hearing *h)
{
    return read_some_witnesses(settings, h, 0, "k");
}

static size_t read_unsigned(const mt_json *settings, hearing *h)
{
    return read_some_witnesses(settings, h, 0, NULL);
}

static size_t read_quorum_of_two(const mt_json *settings, hearing *h)
{
    return read_some_witnesses(settings, h, 2, "k");
}

/* clang-format off */
#define WHOLE(path, most, at) path ": it is a whole number from 1 to " most " <" at ">\n"
#define LISTS "it is a list of personas, or a list of such lists, each with two or more different names"
#define URL "'url':'http://w'"

static const struct row {
    const char *name;
    size_t (*read)(const mt_json *settings, hearing *h);
    const char *text, *want;
} ROWS[] = {
    {"no settings", read_numbers, "{}", ""},
    {"each number at its least", read_numbers,
     "{'executor':{'answer_days':1,'clock_skew_ms':1,'eval_ms':1,'eval_steps':1,'flow_turn':1,'trigger_attempts':1,'trigger_pause_ms':1}}", ""},
    {"each number at its most", read_numbers,
     "{'executor':{'answer_days':3660,'clock_skew_ms':86400000,'eval_ms':600000,'eval_steps':4000000000,'flow_turn':100000,"
     "'trigger_attempts':1000,'trigger_pause_ms':60000,'refusals':'none','decisions':'none'}}", ""},
    {"each number beyond", read_numbers,
     "{'executor':{'answer_days':3661,'clock_skew_ms':86400001,'eval_ms':600001,'eval_steps':4000000001,'flow_turn':100001,"
     "'trigger_attempts':1001,'trigger_pause_ms':60001}}",
     WHOLE("executor.answer_days", "3660", "3661,\"c") WHOLE("executor.clock_skew_ms", "86400000", "8640000")
     WHOLE("executor.eval_ms", "600000", "600001,") WHOLE("executor.eval_steps", "4000000000", "4000000")
     WHOLE("executor.flow_turn", "100000", "100001,") WHOLE("executor.trigger_attempts", "1000", "1001,\"t")
     WHOLE("executor.trigger_pause_ms", "60000", "60001}}")},
    {"each number below", read_numbers,
     "{'executor':{'answer_days':0,'clock_skew_ms':0,'eval_ms':0,'eval_steps':0,'flow_turn':0,'trigger_attempts':0,'trigger_pause_ms':0}}",
     WHOLE("executor.answer_days", "3660", "0,\"cloc") WHOLE("executor.clock_skew_ms", "86400000", "0,\"eval")
     WHOLE("executor.eval_ms", "600000", "0,\"eval") WHOLE("executor.eval_steps", "4000000000", "0,\"flow")
     WHOLE("executor.flow_turn", "100000", "0,\"trig") WHOLE("executor.trigger_attempts", "1000", "0,\"trig")
     WHOLE("executor.trigger_pause_ms", "60000", "0}}")},
    {"other words", read_numbers, "{'executor':{'refusals':'some','decisions':1,'anser_days':1,'x':2}}",
     "executor.decisions: it is `all`, `denied` or `none` <1,\"anse>\nexecutor.refusals: it is `reasons`, `all` or `none` <\"some\",>\n"
     "executor.anser_days: there is no such setting; did you mean `answer_days`? <1,\"x\":2>\nexecutor.x: there is no such setting <2}}>\n"},
    {"all words", read_numbers, "{'executor':{'refusals':'reasons','decisions':'denied'}}", ""},
    {"settings that are none", read_numbers, "{'executor':[]}", "executor: must be an object, not a list <[]}>\n"},

    {"no quotas", read_quotas, "{}", ""},
    {"quotas at their limits", read_quotas,
     "{'quotas':{'requests_per_minute':1,'instances_per_day':1000000000,'answers_per_day':1,'refusals_per_day':1,'streams':1,"
     "'identities':{'a':{'streams':1000000000},'b':{}}}}", ""},
    {"quotas beyond", read_quotas,
     "{'quotas':{'requests_per_minute':0,'instances_per_day':1000000001,'answers_per_day':'1','stream':1,'identities':{'a':{'streams':0},'b':7,'c':{'x':1}}}}",
     WHOLE("quotas.requests_per_minute", "1000000000", "0,\"inst") WHOLE("quotas.instances_per_day", "1000000000", "1000000")
     WHOLE("quotas.answers_per_day", "1000000000", "\"1\",\"st")
     "quotas.stream: there is no such quota; did you mean `streams`? <1,\"iden>\n"
     WHOLE("quotas.identities.a.streams", "1000000000", "0},\"b\":") "quotas.identities.b: must be an object, not a number <7,\"c\":{>\n"
     "quotas.identities.c.x: there is no such quota <1}}}}>\n"},
    {"quotas that are none", read_quotas, "{'quotas':5}", "quotas: must be an object, not a number <5}>\n"},

    {"no rules", read_distinct, "{}", ""},
    {"one rule", read_distinct, "{'distinct':{'c':['a','b']}}", "c a b\n"},
    {"rules of two contracts", read_distinct, "{'distinct':{'c':[['a','b'],['b','x','y']],'d':['a','b']}}", "c a b\nc b x y\nd a b\n"},
    {"a rule about one", read_distinct, "{'distinct':{'c':['a'],'d':['a','b']}}", "distinct.c: " LISTS " <[\"a\"],\">\nd a b\n"},
    {"a name twice", read_distinct, "{'distinct':{'c':[['a','b'],['a','b','a']]}}", "distinct.c: " LISTS " <[\"a\",\"b>\nc a b\n"},
    {"no names", read_distinct, "{'distinct':{'c':['a',''],'d':['a',1],'e':[],'f':'a','g':[['a','b'],'c']}}",
     "distinct.c: " LISTS " <[\"a\",\"\">\ndistinct.d: " LISTS " <[\"a\",1]>\ndistinct.e: " LISTS " <[],\"f\":>\n"
     "distinct.f: " LISTS " <\"a\",\"g\">\ndistinct.g: " LISTS " <\"c\"]}}>\ng a b\n"},

    {"no bindings", read_bindings, "{'systems':{'s':{}}}", ""},
    {"a binding", read_bindings, "{'systems':{'r':{},'s':{'bindings':{'l':{'E':'x'},'m':{'D':'y','E':'e1'}}}}}", "e1\n"},
    {"a binding of another System", read_bindings, "{'systems':{'r':{'bindings':{'m':{'E':'e1'}}}}}", ""},
    {"an empty binding is none", read_bindings, "{'systems':{'s':{'bindings':{'m':{'E':''}}}}}", ""},
    {"bindings of another shape", read_bindings,
     "{'systems':{'q':{'bindings':[]},'r':7,'s':{'bindings':{'l':[],'m':{'D':'x','G':1,'F':null}}},'t':{'binding':{}}}}",
     "systems.q.bindings: it must be an object, not a list <[]},\"r\">\nsystems.r: it must be an object, not a number <7,\"s\":{>\n"
     "systems.s.bindings.l: it must have an instance for each entity <[],\"m\":>\nsystems.s.bindings.m.G: it must be the name of an instance <1,\"F\":n>\n"
     "systems.s.bindings.m.F: it must be the name of an instance <null}}}>\n"
     "systems.t.binding: it is not a key of a System; did you mean `bindings`? <{}}}}>\n"},

    {"no witnesses", read_witnesses, "{}", ""},
    {"no witnesses need no key", read_unsigned, "{}", ""},
    {"witnesses", read_witnesses,
     "{'witnesses':[{'name':'one','url':'https://w/','key':'$1','ca':'f.pem','timeout_ms':7},{'name':'any'," URL ",'key':'$3'}]}",
     "one https://w/add-checkpoint f.pem 7\nany http://w/add-checkpoint - 10000\n"},
    {"a quorum of all", read_quorum_of_two,
     "{'witnesses':[{'name':'one'," URL ",'key':'$1'},{'name':'two'," URL ",'key':'$2'}]}",
     "one http://w/add-checkpoint - 10000\ntwo http://w/add-checkpoint - 10000\n"},
    {"a quorum of more", read_quorum_of_two, "{'witnesses':[{'name':'one'," URL ",'key':'$1'}]}",
     "witness_quorum: there are 1 witnesses <nowhere>\n"},
    {"witnesses of what nobody signs", read_unsigned, "{'witnesses':[{'name':'one'," URL ",'key':'$1'}]}",
     "witnesses: nothing is signed without a signing key, so nothing can be co-signed <[{\"name>\n"},
    {"witnesses of what another program signs", read_unsigned, "{'signer':{},'witnesses':[{'name':'one'," URL ",'key':'$1'}]}",
     "one http://w/add-checkpoint - 10000\n"},
    {"one witness twice", read_witnesses,
     "{'witnesses':[{'name':'two'," URL ",'key':'$2'},{'name':'two'," URL ",'key':'$2'},{'name':'other'," URL ",'key':'$3'}]}",
     "witnesses[1]: another witness has this `name` <{\"name\">\nwitnesses[2]: another witness has this `key` <{\"name\">\n"
     "witnesses[2]: another witness has this `key` <{\"name\">\n"},
    {"what is wrong with each", read_witnesses,
     "{'witnesses':[{'name':'log'," URL ",'key':'$0'},{'name':'two'," URL ",'key':'$1'},{'name':'a b'," URL ",'key':'$3'},"
     "{'name':'x'," URL ",'key':'/no/file'},{'name':'y','url':'ftp://w','key':'$3'},{'name':'z','url':'http://me@w','key':'$3'},"
     "{'name':'v'," URL ",'key':'$3','timeout_ms':600001}]}",
     "witnesses[0]: `key` is the key of a log <{\"name\">\nwitnesses[1]: `name` is not the name in `key` <{\"name\">\n"
     "witnesses[2]: `name` is text without spaces, plus signs and control characters <{\"name\">\n"
     "witnesses[3]: `key` is NAME+ID+KEY (motet witness key), a public key, or a file with one <{\"name\">\n"
     "witnesses[4]: `url` is a plain http or https address <{\"name\">\nwitnesses[5]: `url` is a plain http or https address <{\"name\">\n"
     "witnesses[6].timeout_ms: must be a whole number from 1 to 600000 <600001}>\n"},
};
/* clang-format on */

static void is_told(void **state)
{
    const struct row *r = *state;
    hearing h = {.text = text_of(r->text)};
    mt_json settings;
    assert_int_equal(mt_json_read(&arena, h.text, NULL, &settings, NULL), MT_OK);
    size_t count = r->read(&settings, &h);
    assert_text(mt_buf_str(&h.said), mt_str_z(r->want));
    assert_int_equal(count, h.count);
    mt_buf_free(&h.said);
}

/* ---- Numbers that are taken ---- */

static void numbers_are_taken(void **state)
{
    (void)state;
    mt_buf why = {0};
    mt_json settings;
    ex_executor_options o = {.settings = &settings};
    ex_executor x = {.limits = MT_LIMITS_DEFAULT};
    mt_json_read(&arena, MT_STR("{}"), NULL, &settings, NULL);
    assert_int_equal(ex_numbers_read(&x, &o, &why), MT_OK);
    assert_int_equal(x.answer_days, 7);
    assert_int_equal(x.clock_skew_ms, 1000);
    assert_int_equal(x.flow_turn, 256);
    assert_int_equal(x.trigger_attempts, 8);
    assert_int_equal(x.trigger_pause_ms, 500);
    assert_int_equal(x.refusals, EX_REFUSALS_REASONS);
    assert_int_equal(x.decisions, EX_DECISIONS_ALL);
    assert_int_equal(x.limits.eval_ms, MT_LIMITS_DEFAULT.eval_ms);
    assert_int_equal(x.limits.eval_steps, MT_LIMITS_DEFAULT.eval_steps);
    mt_json_read(
        &arena,
        text_of(
            "{'executor':{'answer_days':2,'clock_skew_ms':3,'eval_ms':4,'eval_steps':5,"
            "'flow_turn':6,'trigger_attempts':7,'trigger_pause_ms':8,"
            "'refusals':'all','decisions':'denied'}}"),
        NULL, &settings, NULL);
    assert_int_equal(ex_numbers_read(&x, &o, &why), MT_OK);
    assert_int_equal(x.answer_days, 2);
    assert_int_equal(x.clock_skew_ms, 3);
    assert_int_equal(x.limits.eval_ms, 4);
    assert_int_equal(x.limits.eval_steps, 5);
    assert_int_equal(x.flow_turn, 6);
    assert_int_equal(x.trigger_attempts, 7);
    assert_int_equal(x.trigger_pause_ms, 8);
    assert_int_equal(x.refusals, EX_REFUSALS_ALL);
    assert_int_equal(x.decisions, EX_DECISIONS_DENIED);
    /* An option that was given wins over the file. */
    x.limits.eval_ms = 40;
    x.limits.eval_steps = 50;
    assert_int_equal(ex_numbers_read(&x, &o, &why), MT_OK);
    assert_int_equal(x.limits.eval_ms, 40);
    assert_int_equal(x.limits.eval_steps, 50);
    /* The first that is wrong is said, and nothing is taken. */
    mt_json_read(&arena,
                 text_of("{'executor':{'answer_days':9,'flow_turn':0,'refusals':0}}"),
                 NULL, &settings, NULL);
    assert_int_equal(ex_numbers_read(&x, &o, &why), MT_E_REJECTED);
    assert_text(mt_buf_str(&why),
                MT_STR("executor.flow_turn: it is a whole number from 1 to 100000"));
    assert_int_equal(x.answer_days, 2);
    mt_buf_free(&why);
}

/* ---- Rules that keep nobody apart ---- */

static const ct_model *model_of(void *state, mt_str contract)
{
    return mt_str_is(contract, "c") ? state : NULL;
}

static mt_buf judged;

static void hear_rule(void *state, mt_str contract, mt_str what)
{
    (void)state;
    mt_buf_addf(&judged, "%.*s: %.*s\n", MT_ARG(contract), MT_ARG(what));
}

static void rules_that_keep_nobody_apart_are_told(void **state)
{
    (void)state;
    mt_diags ds = {.arena = &arena};
    const ct_model *m;
    mt_str bundle = text_of("{'constructs':[{'id':'approver','kind':'Persona','"
                            "provenance':{'file':'a','line':1},"
                            "'tenor':'1.0'},{'id':'requester','kind':'Persona','"
                            "provenance':{'file':'a','line':1},"
                            "'tenor':'1.0'}],'id':'c','kind':'Bundle','tenor':'1.0','"
                            "tenor_version':'1.0.0'}");
    assert_int_equal(ct_load(&arena, bundle, MT_STR("a"), &MT_LIMITS_DEFAULT, &ds, &m),
                     MT_OK);
    const mt_str good[] = {MT_STR("approver"), MT_STR("requester")};
    const mt_str bad[] = {MT_STR("aprover"), MT_STR("requester"),
                          MT_STR("nobody_at_all")};
    const mt_str autos[] = {MT_STR("d:approver"), MT_STR("c:requester")};
    const ex_distinct all[] = {
        {MT_STR("c"), good, 2}, {MT_STR("c"), bad, 3}, {MT_STR("d"), good, 2}};
    ex_rule_judge j = {.arena = &arena,
                       .model_of = model_of,
                       .told = hear_rule,
                       .state = (void *)(uintptr_t)m};
    ex_distinct_judge(&j, all, 3);
    assert_text(
        mt_buf_str(&judged),
        MT_STR("c: the contract has no persona 'aprover' (did you mean 'approver'?)\n"
               "c: the contract has no persona 'nobody_at_all'\n"
               "d: there is no contract of this name\n"));
    mt_buf_clear(&judged);
    j.auto_personas = autos;
    j.auto_persona_count = 2;
    ex_distinct_judge(&j, all, 1);
    assert_text(
        mt_buf_str(&judged),
        MT_STR("c: 'requester' is one of auto_personas, which act for nobody\n"));
    mt_buf_free(&judged);
}

int main(void)
{
    rows_list l = {0};
    rows_add(&l, ROWS, is_told);
    rows_test(&l, numbers_are_taken);
    rows_test(&l, rules_that_keep_nobody_apart_are_told);
    return _cmocka_run_group_tests("exec/settings", l.tests, l.count, make_keys,
                                   free_keys);
}
