/* Which grants cover what, and how identities are shown, as docs/reference/rights.md
 * has it; identities as flows write them down. */
#include "../rows.h"
#include "exec/call/rights.h"

/* clang-format off */
static const struct may_row {
    const char *name, *grant, *contract, *right;
    bool may, somewhere;
} MAYS[] = {
    {"a right over every contract", "read", "a", "read", true, true},
    {"a right over one", "a/read", "a", "read", true, true},
    {"not over another", "a/read", "b", "read", false, true},
    {"not over what begins alike", "a/read", "ab", "read", false, true},
    {"another right", "read", "a", "evaluate", false, false},
    {"admin reads", "admin", "a", "read", true, true},
    {"admin evaluates", "admin", "a", "evaluate", true, true},
    {"admin reads the ledger", "admin", "a", "ledger:read", true, true},
    {"admin reads metrics", "admin", "", "metrics:read", true, true},
    {"admin is admin", "admin", "a", "admin", true, true},
    {"admin does not deploy", "admin", "a", "deploy", false, false},
    {"admin does not decide", "admin", "a", "decide", false, false},
    {"admin does not make instances", "admin", "a", "instances:create", false, false},
    {"admin does not delete instances", "admin", "a", "instances:delete", false, false},
    {"admin does not override facts", "admin", "a", "facts:override", false, false},
    {"admin asserts no fact", "admin", "a", "facts:f", false, false},
    {"admin works on no graph", "admin", "", "graphs:g", false, false},
    {"admin works on no agent", "admin", "", "agents:g", false, false},
    {"an admin of one contract reads it", "a/admin", "a", "read", true, true},
    {"but no other", "a/admin", "b", "read", false, true},
    {"nor what belongs to none", "a/admin", "a", "metrics:read", false, false},
    {"a graph by its name", "graphs:g", "", "graphs:g", true, true},
    {"not another graph", "graphs:g", "", "graphs:h", false, false},
    {"a slash behind a colon is of the name", "graphs:a/b", "", "graphs:a/b", true, true},
    {"and names no contract", "graphs:a/b", "graphs:a", "graphs:a/b", true, true},
};

static const struct fact_row {
    const char *name, *grant, *contract, *fact, *system;
    bool granted;
} FACTS[] = {
    {"all facts", "facts:*", "a", "f", "s", true},
    {"all facts of one contract", "a/facts:*", "a", "f", "s", true},
    {"and of no other", "a/facts:*", "b", "f", "s", false},
    {"one fact", "facts:f", "a", "f", "s", true},
    {"another fact", "facts:f", "a", "g", "s", false},
    {"a fact that begins alike", "facts:f", "a", "ff", "s", false},
    {"a fact with less", "facts:ff", "a", "f", "s", false},
    {"one source", "source:s", "a", "f", "s", true},
    {"one source of one contract", "a/source:s", "a", "f", "s", true},
    {"one source of another", "b/source:s", "a", "f", "s", false},
    {"another source", "source:s", "a", "f", "t", false},
    {"a fact is no source", "source:f", "a", "f", "s", false},
    {"a source is no fact", "facts:s", "a", "f", "s", false},
    {"to override is no right over the fact of that name", "facts:override", "a", "override", "s", false},
    {"admin has none", "admin", "a", "f", "s", false},
};

static const struct concern_row {
    const char *name, *persona, *right, *contract;
    bool concerns;
} CONCERNS[] = {
    {"nothing", NULL, NULL, "a", false},
    {"a persona of it", "a:boss", NULL, "a", true},
    {"a persona of another", "b:boss", NULL, "a", false},
    {"a persona of every contract that has it", "boss", NULL, "a", false},
    {"a right over every contract", NULL, "read", "a", true},
    {"who may read every contract has to do with all", NULL, "read", "", true},
    {"a right over it", NULL, "a/read", "a", true},
    {"a right over another", NULL, "b/read", "a", false},
    {"a fact of it", NULL, "a/facts:f", "a", true},
    {"all facts", NULL, "facts:*", "a", true},
    {"a fact of some contract", NULL, "facts:f", "a", false},
    {"a source of some contract", NULL, "source:s", "a", false},
    {"metrics are of no contract", NULL, "metrics:read", "a", false},
    {"a graph is of no contract", NULL, "graphs:g", "a", false},
    {"no right at all", NULL, "fly", "a", false},
};

static const struct persona_row {
    const char *name, *grant, *contract, *persona;
    bool covers;
} PERSONAS[] = {
    {"of every contract", "boss", "a", "boss", true},
    {"of one", "a:boss", "a", "boss", true},
    {"of another", "a:boss", "b", "boss", false},
    {"another persona", "a:boss", "a", "clerk", false},
    {"a persona that begins alike", "a:boss", "a", "bos", false},
    {"a contract with a colon", "x:a:boss", "x:a", "boss", true},
    {"not of its last part", "x:a:boss", "a", "boss", false},
};

/* As answers show it, and as a flow writes it down. */
static const struct identity_row {
    const char *name, *shown, *written;
    ex_caller who;
} IDENTITIES[] = {
    {"a person", "{'actor':'human','id':'oidc:corp:ada','known_by':'oidc','name':'Ada'}",
     "{'actor':1,'anyone':false,'known_by':2,'name':'Ada','personas':['a','b:c'],'token':'oidc:corp:ada'}",
     {.id = MT_STR_INIT("oidc:corp:ada"), .by = EX_BY_OIDC, .name = MT_STR_INIT("Ada"), .actor = EX_ACTOR_HUMAN,
      .personas = (const mt_str[]){MT_STR_INIT("a"), MT_STR_INIT("b:c")}, .persona_count = 2}},
    {"a program", "{'actor':'machine','id':'t1','known_by':'token'}",
     "{'actor':2,'anyone':false,'known_by':1,'name':'','personas':[],'token':'t1'}",
     {.id = MT_STR_INIT("t1"), .by = EX_BY_TOKEN, .actor = EX_ACTOR_MACHINE}},
    {"a certificate", "{'id':'c','known_by':'certificate'}", "{'actor':0,'anyone':false,'known_by':3,'name':'','personas':[],'token':'c'}",
     {.id = MT_STR_INIT("c"), .by = EX_BY_CERTIFICATE}},
    {"the server itself", "{'id':'start','known_by':'system'}", "{'actor':0,'anyone':false,'known_by':4,'name':'','personas':[],'token':'start'}",
     {.id = MT_STR_INIT("start"), .by = EX_BY_SYSTEM}},
    {"the user of the machine", "{'id':'uid:0','known_by':'operator'}", "{'actor':0,'anyone':false,'known_by':5,'name':'','personas':[],'token':'uid:0'}",
     {.id = MT_STR_INIT("uid:0"), .by = EX_BY_OPERATOR}},
    {"nobody", "{'id':'anonymous','known_by':'none'}", "{'actor':0,'anyone':true,'known_by':0,'name':'','personas':[],'token':''}", {.anyone = true}},
};

/* What older rows do not have, and what no row should have. */
static const struct written_row {
    const char *name, *text;
    ex_known_by by;
    ex_actor actor;
    bool anyone;
} WRITTEN[] = {
    {"before there were other ways", "{}", EX_BY_TOKEN, EX_ACTOR_UNKNOWN, false},
    {"the last of each", "{'known_by':5,'actor':2}", EX_BY_OPERATOR, EX_ACTOR_MACHINE, false},
    {"one beyond", "{'known_by':6,'actor':3}", EX_BY_TOKEN, EX_ACTOR_UNKNOWN, false},
    {"the first of each", "{'known_by':0,'actor':0,'anyone':true}", EX_BY_NOTHING, EX_ACTOR_UNKNOWN, true},
    {"one before", "{'known_by':-1,'actor':-1}", EX_BY_TOKEN, EX_ACTOR_UNKNOWN, false},
    {"no numbers", "{'known_by':'oidc','actor':'human','anyone':1,'personas':{'a':1}}", EX_BY_TOKEN, EX_ACTOR_UNKNOWN, false},
};
/* clang-format on */

static mt_str quoted(mt_arena *a, const char *text)
{
    char *copy = (char *)(uintptr_t)mt_strf(a, "%s", text).ptr;
    for (char *at = copy; *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    return mt_str_z(copy);
}

static void is_shown_and_written_down(void **state)
{
    const struct identity_row *r = *state;
    mt_arena a = {0};
    mt_buf shown = {0}, written = {0}, again = {0};
    mt_json tree;
    mt_jw w = mt_jw_start(&shown, false);
    ex_identity_json(&w, &r->who);
    assert_text(mt_buf_str(&shown), quoted(&a, r->shown));
    w = mt_jw_start(&written, false);
    ex_acting_json(&w, &r->who);
    assert_text(mt_buf_str(&written), quoted(&a, r->written));
    assert_int_equal(mt_json_read(&a, mt_buf_str(&written), NULL, &tree, NULL), MT_OK);
    w = mt_jw_start(&again, false);
    ex_acting_json(&w, ex_acting_read(&a, &tree));
    assert_text(mt_buf_str(&again), mt_buf_str(&written));
    mt_buf_free(&shown);
    mt_buf_free(&written);
    mt_buf_free(&again);
    mt_arena_free(&a);
}

static void what_was_written_is_read(void **state)
{
    const struct written_row *r = *state;
    mt_arena a = {0};
    mt_json tree;
    assert_int_equal(mt_json_read(&a, quoted(&a, r->text), NULL, &tree, NULL), MT_OK);
    const ex_caller *who = ex_acting_read(&a, &tree);
    assert_int_equal(who->by, r->by);
    assert_int_equal(who->actor, r->actor);
    assert_int_equal(who->anyone, r->anyone);
    assert_int_equal(who->persona_count, 0);
    mt_arena_free(&a);
}

static ex_caller holding(const mt_str *persona, const mt_str *right)
{
    return (ex_caller){.personas = persona,
                       .persona_count = persona->len > 0,
                       .rights = right,
                       .right_count = right->len > 0};
}

static mt_str text_or_none(const char *text)
{
    return text ? mt_str_z(text) : (mt_str){0};
}

/* Who may do anything may do this, and a grant before it takes nothing away. */
static void may_do(void **state)
{
    const struct may_row *r = *state;
    mt_str none = {0}, rights[] = {MT_STR("agents:other"), mt_str_z(r->grant)};
    ex_caller who = holding(&none, &rights[1]), anyone = {.anyone = true};
    for (int i = 0; i < 2; i++) {
        mt_str contract = mt_str_z(r->contract), right = mt_str_z(r->right);
        assert_int_equal(ex_caller_may(&who, contract, right), r->may);
        assert_int_equal(ex_caller_may_somewhere(&who, right), r->somewhere);
        assert_true(ex_caller_may(&anyone, contract, right));
        assert_true(ex_caller_may_somewhere(&anyone, right));
        who.rights = rights;
        who.right_count = 2;
    }
}

static void grants_a_fact(void **state)
{
    const struct fact_row *r = *state;
    mt_str none = {0}, rights[] = {MT_STR("facts:override"), mt_str_z(r->grant)};
    mt_str contract = mt_str_z(r->contract), fact = mt_str_z(r->fact),
           system = mt_str_z(r->system);
    ex_caller who = holding(&none, &rights[1]), anyone = {.anyone = true};
    assert_int_equal(ex_fact_granted(&who, contract, fact, system), r->granted);
    who.rights = rights;
    who.right_count = 2;
    assert_int_equal(ex_fact_granted(&who, contract, fact, system), r->granted);
    assert_true(ex_fact_granted(&anyone, contract, fact, system));
}

static void concerns(void **state)
{
    const struct concern_row *r = *state;
    mt_str persona = text_or_none(r->persona), right = text_or_none(r->right);
    ex_caller who = holding(&persona, &right), anyone = {.anyone = true};
    assert_int_equal(ex_caller_concerns(&who, mt_str_z(r->contract)), r->concerns);
    assert_true(ex_caller_concerns(&anyone, mt_str_z(r->contract)));
}

static void covers(void **state)
{
    const struct persona_row *r = *state;
    mt_str none = {0}, grants[] = {MT_STR("a:other"), mt_str_z(r->grant)};
    mt_str contract = mt_str_z(r->contract), persona = mt_str_z(r->persona);
    ex_caller who = holding(&grants[1], &none), anyone = {.anyone = true};
    assert_int_equal(ex_persona_covers(grants[1], contract, persona), r->covers);
    assert_int_equal(ex_personas_cover(grants, 2, contract, persona), r->covers);
    assert_int_equal(ex_caller_holds(&who, contract, persona), r->covers);
    assert_true(ex_caller_holds(&anyone, contract, persona));
}

/* The system of a fact is what its source says, or what precedes the dot of a text. */
static void a_fact_is_of_the_system_of_its_source(void **state)
{
#define FACT(id, source)                                                               \
    "{\"id\":\"" id "\",\"kind\":\"Fact\",\"provenance\":{\"file\":\"f\",\"line\":1}," \
    "\"source\":" source ",\"tenor\":\"1.0\",\"type\":{\"base\":\"Bool\"}}"
    static const char BUNDLE[] =
        "{\"constructs\":[" FACT("a", "{\"field\":\"f\",\"system\":\"bank\"}") "," FACT(
            "b",
            "\"bank.rate.x\"") "," FACT("c",
                                        "\"bank\"") "," FACT("d",
                                                             "\"banks.rate\"") "],"
                                                                               "\"id\":"
                                                                               "\"c\","
                                                                               "\"kind"
                                                                               "\":"
                                                                               "\"Bundl"
                                                                               "e\","
                                                                               "\"tenor"
                                                                               "\":\"1."
                                                                               "0\","
                                                                               "\"tenor"
                                                                               "_versio"
                                                                               "n\":"
                                                                               "\"1.0."
                                                                               "0\"}";
    (void)state;
    mt_arena a = {0};
    mt_diags ds = {.arena = &a};
    mt_str none = {0}, rights[] = {MT_STR("source:bank"), MT_STR("c/source:banks")};
    ex_caller who = holding(&none, &rights[0]), other = holding(&none, &rights[1]);
    ex_version v = {.contract = MT_STR("c")};
    assert_int_equal(
        ct_load(&a, mt_str_z(BUNDLE), MT_STR("f"), &MT_LIMITS_DEFAULT, &ds, &v.model),
        MT_OK);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(ex_may_assert(&who, &v, i), i < 3);
        assert_int_equal(ex_may_assert(&other, &v, i), i == 3);
    }
    mt_arena_free(&a);
}

/* The right that is asked for in an answer is one that would have been enough. */
static void what_is_lacking_is_named_as_it_is_granted(void **state)
{
    (void)state;
    mt_arena a = {0};
    assert_text(ex_fact_right(&a, MT_STR("price")), MT_STR("facts:price"));
    assert_text(ex_fact_right(&a, MT_STR("override")), MT_STR("facts:*"));
    assert_non_null(ex_right_includes(MT_STR("admin")));
    assert_non_null(ex_right_includes(MT_STR("a/admin")));
    assert_null(ex_right_includes(MT_STR("read")));
    assert_null(ex_right_includes(MT_STR("graphs:a/admin")));
    mt_arena_free(&a);
}

int main(void)
{
    rows_list l = {0};
    rows_add(&l, MAYS, may_do);
    rows_add(&l, FACTS, grants_a_fact);
    rows_add(&l, CONCERNS, concerns);
    rows_add(&l, PERSONAS, covers);
    rows_add(&l, IDENTITIES, is_shown_and_written_down);
    rows_add(&l, WRITTEN, what_was_written_is_read);
    rows_test(&l, a_fact_is_of_the_system_of_its_source);
    rows_test(&l, what_is_lacking_is_named_as_it_is_granted);
    return rows_run(&l, "exec/grant");
}
