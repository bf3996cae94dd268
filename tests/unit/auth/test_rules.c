/* What claims make of rules. */
#include "../rows.h"

#include "auth/rules.h"

static const struct row {
    const char *name, *rule, *claims;
    bool fits;
} ROWS[] = {
    {"without a claim it fits everybody", "{}", "{}", true},
    {"equal text", "{\"claim\":\"a\",\"equals\":\"x\"}", "{\"a\":\"x\"}", true},
    {"other text", "{\"claim\":\"a\",\"equals\":\"x\"}", "{\"a\":\"xx\"}", false},
    {"no such claim", "{\"claim\":\"a\",\"equals\":\"x\"}", "{\"b\":\"x\"}", false},
    {"equal is not contained", "{\"claim\":\"a\",\"equals\":\"x\"}", "{\"a\":[\"x\"]}",
     false},
    {"a list contains", "{\"claim\":\"a\",\"contains\":\"x\"}", "{\"a\":[\"y\",\"x\"]}",
     true},
    {"a list does not", "{\"claim\":\"a\",\"contains\":\"x\"}", "{\"a\":[\"xy\"]}",
     false},
    {"not one level deeper", "{\"claim\":\"a\",\"contains\":\"x\"}",
     "{\"a\":[[\"x\"]]}", false},
    {"words of text", "{\"claim\":\"scope\",\"contains\":\"b\"}",
     "{\"scope\":\"a b c\"}", true},
    {"parts of words are none", "{\"claim\":\"scope\",\"contains\":\"b\"}",
     "{\"scope\":\"ab bc\"}", false},
    {"a truth by its name", "{\"claim\":\"a\",\"equals\":\"true\"}", "{\"a\":true}",
     true},
    {"a number equals nothing", "{\"claim\":\"a\",\"equals\":\"1\"}", "{\"a\":1}",
     false},
    {"a name with a dot is one name", "{\"claim\":\"a.b\",\"equals\":\"x\"}",
     "{\"a\":{\"b\":\"x\"}}", false},
    {"a list of names leads inside", "{\"claim\":[\"a\",\"b\"],\"equals\":\"x\"}",
     "{\"a\":{\"b\":\"x\"}}", true},
    {"words at both ends", "{\"claim\":\"s\",\"contains\":\"c\"}", "{\"s\":\"a b c\"}",
     true},
    {"the first of words", "{\"claim\":\"s\",\"contains\":\"a\"}", "{\"s\":\"a b\"}",
     true},
    {"the only word", "{\"claim\":\"s\",\"contains\":\"a\"}", "{\"s\":\"a\"}", true},
    {"no words", "{\"claim\":\"s\",\"contains\":\"a\"}", "{\"s\":\"\"}", false},
    {"words behind two blanks", "{\"claim\":\"s\",\"contains\":\"b\"}",
     "{\"s\":\"a  b\"}", true},
    {"the first of a list", "{\"claim\":\"a\",\"contains\":\"x\"}",
     "{\"a\":[\"x\",\"y\"]}", true},
    {"an empty list", "{\"claim\":\"a\",\"contains\":\"x\"}", "{\"a\":[]}", false},
    {"an object contains nothing", "{\"claim\":\"a\",\"contains\":\"x\"}",
     "{\"a\":{\"x\":\"x\"}}", false},
    {"a truth in a list", "{\"claim\":\"a\",\"contains\":\"false\"}",
     "{\"a\":[true,false]}", true},
    {"a number in a list", "{\"claim\":\"a\",\"contains\":\"1\"}", "{\"a\":[1]}",
     false},
    {"not true", "{\"claim\":\"a\",\"equals\":\"false\"}", "{\"a\":false}", true},
    {"true is not false", "{\"claim\":\"a\",\"equals\":\"true\"}", "{\"a\":false}",
     false},
    {"a truth contains nothing", "{\"claim\":\"a\",\"contains\":\"true\"}",
     "{\"a\":true}", false},
    {"null equals nothing", "{\"claim\":\"a\",\"equals\":\"null\"}", "{\"a\":null}",
     false},
    {"a list of one name", "{\"claim\":[\"a\"],\"equals\":\"x\"}", "{\"a\":\"x\"}",
     true},
    {"a list that leads nowhere", "{\"claim\":[\"a\",\"b\",\"c\"],\"equals\":\"x\"}",
     "{\"a\":{}}", false},
    {"a list that leads through text", "{\"claim\":[\"a\",\"b\"],\"equals\":\"x\"}",
     "{\"a\":\"x\"}", false},
    {"and not through lists", "{\"claim\":[\"a\",\"b\"],\"equals\":\"x\"}",
     "{\"a\":[{\"b\":\"x\"}]}", false},
};

static mt_str said(const mt_json *rule, const char *key)
{
    const mt_json *value = mt_json_get(rule, mt_str_z(key));
    return value ? mt_json_text(value) : (mt_str){0};
}

static void rule_fits(void **state)
{
    const struct row *row = *state;
    mt_arena a = {0};
    mt_json rule, claims;
    static const mt_str RIGHT = MT_STR_INIT("read");
    assert_int_equal(mt_json_read(&a, mt_str_z(row->rule), NULL, &rule, NULL), MT_OK);
    assert_int_equal(mt_json_read(&a, mt_str_z(row->claims), NULL, &claims, NULL),
                     MT_OK);
    au_rule one = {.claim = mt_json_at(&rule, "claim"),
                   .equals = said(&rule, "equals"),
                   .contains = said(&rule, "contains"),
                   .rights = &RIGHT,
                   .right_count = 1};
    au_rule twice[] = {one, one}; /* a grant is given once */
    au_rules rules = {twice, 2};
    au_grants out;
    au_rules_apply(&rules, &claims, &a, &out);
    assert_int_equal(out.right_count, row->fits ? 1 : 0);
    assert_int_equal(out.persona_count, 0);
    mt_arena_free(&a);
}

/* Rules as a configuration has them, and what is said of each; an empty text: nothing.
 */
static const struct checked_row {
    const char *name, *rule, *told;
} CHECKED[] = {
    {"a right for everybody", "{\"rights\":[\"read\"]}", ""},
    {"a persona by a claim",
     "{\"claim\":\"a\",\"equals\":\"x\",\"personas\":[\"clerk\"]}", ""},
    {"a claim inside",
     "{\"claim\":[\"a\",\"b\"],\"contains\":\"x\",\"rights\":[\"read\"]}", ""},
    {"a comparison without a claim", "{\"equals\":\"x\",\"rights\":[\"read\"]}",
     "`equals` and `contains` need a `claim`"},
    {"the other without a claim", "{\"contains\":\"x\",\"rights\":[\"read\"]}",
     "`equals` and `contains` need a `claim`"},
    {"a claim that is not compared", "{\"claim\":\"a\",\"rights\":[\"read\"]}",
     "a `claim` is compared by `equals` or by `contains`"},
    {"a claim that is compared twice",
     "{\"claim\":\"a\",\"equals\":\"x\",\"contains\":\"x\",\"rights\":[\"read\"]}",
     "a `claim` is compared by `equals` or by `contains`"},
    {"a claim that equals nothing",
     "{\"claim\":\"a\",\"equals\":\"\",\"rights\":[\"read\"]}",
     "a `claim` is compared with text; what is missing may be an empty one"},
    {"a claim that contains nothing",
     "{\"claim\":\"a\",\"contains\":\"\",\"rights\":[\"read\"]}",
     "a `claim` is compared with text; what is missing may be an empty one"},
    {"a claim without a name",
     "{\"claim\":\"\",\"equals\":\"x\",\"rights\":[\"read\"]}",
     "`claim` is a name or a list of names"},
    {"a claim of no names", "{\"claim\":[],\"equals\":\"x\",\"rights\":[\"read\"]}",
     "`claim` is a name or a list of names"},
    {"a claim that is a number", "{\"claim\":5,\"equals\":\"x\",\"rights\":[\"read\"]}",
     "`claim` is a name or a list of names"},
    {"a claim with a number first",
     "{\"claim\":[5,\"a\"],\"equals\":\"x\",\"rights\":[\"read\"]}",
     "`claim` is a name or a list of names"},
    {"a claim with a number last",
     "{\"claim\":[\"a\",5],\"equals\":\"x\",\"rights\":[\"read\"]}",
     "`claim` is a name or a list of names"},
    {"an unknown persona", "{\"personas\":[\"clerk\",\"read\"]}",
     "a persona is PERSONA or CONTRACT:PERSONA"},
    {"an unknown right", "{\"rights\":[\"clerk\",\"read\"]}",
     "there is no such right (docs/reference/rights.md)"},
    {"an unknown right behind a persona",
     "{\"personas\":[\"clerk\"],\"rights\":[\"x\"]}",
     "there is no such right (docs/reference/rights.md)"},
    {"no grants", "{\"claim\":\"a\",\"equals\":\"x\"}", "it grants nothing"},
    {"empty grants", "{\"personas\":[],\"rights\":[]}", "it grants nothing"},
};

static bool is_clerk(mt_str text)
{
    return mt_str_is(text, "clerk");
}

static bool is_read(mt_str text)
{
    return mt_str_is(text, "read");
}

static void tell(void *state, size_t rule, const char *what)
{
    mt_buf_addf(state, "%zu: %s\n", rule, what);
}

static void rule_is_checked(void **state)
{
    const struct checked_row *row = *state;
    mt_arena a = {0};
    mt_buf told = {0};
    mt_json tree;
    au_rule items[3] = {{0}};
    static const mt_str RIGHT = MT_STR_INIT("read");
    mt_form form = {.arena = &a};
    assert_int_equal(mt_json_read(&a, mt_str_z(row->rule), NULL, &tree, NULL), MT_OK);
    assert_true(mt_form_read(&form, &tree, AU_RULE.rows, AU_RULE.count, &items[1]));
    items[0] = items[2] = (au_rule){.rights = &RIGHT, .right_count = 1};
    au_rules rules = {items, 3};
    assert_int_equal(au_rules_check(&rules, is_clerk, is_read, tell, &told),
                     !*row->told);
    assert_text(mt_buf_str(&told),
                *row->told ? mt_strf(&a, "1: %s\n", row->told) : MT_STR(""));
    mt_buf_free(&told);
    mt_arena_free(&a);
}

/* What fitting rules grant is added up, each once and in their order. */
static void grants_are_added_up(void **state)
{
    (void)state;
    static const mt_str A[] = {MT_STR_INIT("a"), MT_STR_INIT("b")},
                        B[] = {MT_STR_INIT("b"), MT_STR_INIT("c")};
    mt_arena a = {0};
    mt_json name = {.type = MT_JSON_STRING, .count = 1, .as.text = "x"}, claims;
    assert_int_equal(mt_json_read(&a, MT_STR("{\"x\":\"y\"}"), NULL, &claims, NULL),
                     MT_OK);
    au_rule items[] = {
        {.personas = A, .persona_count = 2, .rights = B, .right_count = 2},
        {.claim = &name, .equals = MT_STR("z"), .rights = A, .right_count = 2},
        {.claim = &name,
         .equals = MT_STR("y"),
         .personas = B,
         .persona_count = 2,
         .rights = B,
         .right_count = 1},
    };
    au_rules rules = {items, 3};
    au_grants out;
    mt_buf told = {0};
    au_rules_apply(&rules, &claims, &a, &out);
    for (size_t i = 0; i < out.persona_count; i++) {
        mt_buf_adds(&told, out.personas[i]);
    }
    mt_buf_addc(&told, ' ');
    for (size_t i = 0; i < out.right_count; i++) {
        mt_buf_adds(&told, out.rights[i]);
    }
    assert_text(mt_buf_str(&told), MT_STR("abc bc"));
    mt_buf_free(&told);
    mt_arena_free(&a);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, rule_fits);
    rows_add(&list, CHECKED, rule_is_checked);
    rows_test(&list, grants_are_added_up);
    return rows_run(&list, "auth/rules");
}
