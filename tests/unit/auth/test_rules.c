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

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ROWS, rule_fits);
    return rows_run(&list, "auth/rules");
}
