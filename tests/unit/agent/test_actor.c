/* agent/actor: an agent saved in the middle of a conversation goes on where it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/agent_file.h"
#include "agent/value.h"

static const char AGENT[] =
    "{\"agent\":\"counter\",\"seed\":\"s\",\"memory\":{\"n\":0},"
    "\"tape\":{\"shape\":\"index-many\",\"key\":\"content.from\",\"start\":[\"A\"]},"
    "\"receivers\":[{\"route\":\"A--[f]-->B\",\"do\":\"move\",\"count\":{\"n\":1},"
    "\"remember\":{\"last\":\"{{fresh}}\"}},"
    "{\"route\":\"B--[g]-->A\",\"do\":\"move\",\"count\":{\"n\":1}}],"
    "\"senders\":[{\"route\":\"/all\",\"message\":\"{{key}} {{memory.n}} "
    "{{memory.last}}\"}]}";

static void read_agent(mt_arena *a, ag_file *file)
{
    mt_json *tree = mt_new(a, mt_json);
    mt_diags ds = {.arena = a};
    mt_str text = mt_str_z(AGENT);
    assert_int_equal(mt_json_read(a, text, NULL, tree, NULL), MT_OK);
    assert_int_equal(ag_file_read(a, MT_STR("t"), text, tree, &ds, file), MT_OK);
}

/* Message number i comes from one of three peers. */
static void hear(mt_arena *a, ag_actor *x, uint32_t i, mt_buf *heard)
{
    mt_json_member *from = mt_new(a, mt_json_member);
    *from = (mt_json_member){MT_STR("from"), ag_text_value(mt_strf(a, "p%u", i % 3))};
    mt_json content = ag_object_value(from, 1);
    ag_actor_run(x, ag_payload(a, MT_STR("h:1"), &content), NULL, NULL);
    const ag_cycle *c = ag_actor_cycle(x);
    for (uint32_t e = 0; e < ag_cycle_emissions(c); e++) {
        mt_json_write(heard, ag_cycle_emission(c, e), false);
    }
}

static void a_saved_agent_goes_on_where_it_was(void **state)
{
    (void)state;
    mt_arena a = {0};
    ag_file file;
    read_agent(&a, &file);
    for (uint32_t cut = 0; cut <= 12; cut++) {
        mt_buf whole = {0}, pieces = {0}, saved = {0};
        ag_actor *x = ag_actor_new(&file, NULL), *y = ag_actor_new(&file, NULL);
        ag_actor *z = ag_actor_new(&file, NULL);
        mt_json tree;
        for (uint32_t i = 0; i < 12; i++) {
            hear(&a, x, i, &whole);
        }
        for (uint32_t i = 0; i < cut; i++) {
            hear(&a, y, i, &pieces);
        }
        ag_actor_save(y, &saved);
        mt_str text = mt_str_dup(&a, mt_buf_str(&saved));
        assert_int_equal(mt_json_read(&a, text, NULL, &tree, NULL), MT_OK);
        assert_int_equal(ag_actor_load(z, &tree), MT_OK);
        for (uint32_t i = cut; i < 12; i++) {
            hear(&a, z, i, &pieces);
        }
        assert_true(whole.len > 100);
        assert_true(mt_str_eq(mt_buf_str(&whole), mt_buf_str(&pieces)));
        ag_actor_free(x);
        ag_actor_free(y);
        ag_actor_free(z);
        mt_buf_free(&whole);
        mt_buf_free(&pieces);
        mt_buf_free(&saved);
    }
    mt_arena_free(&a);
}

static void what_is_no_saved_agent_is_refused(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "{}",
        "[]",
        "{\"memory\":[],\"messages\":-1,\"tape\":{}}",
        "{\"memory\":[1],\"messages\":1,\"tape\":{\"keys\":[],\"shape\":\"index-many\"}"
        "}",
        "{\"memory\":[],\"messages\":1,\"tape\":{\"keys\":[],\"shape\":\"many\"}}",
        "{\"memory\":[],\"messages\":1,\"tape\":{\"keys\":[[1,[]]],\"shape\":\"index-"
        "many\"}}",
        "{\"memory\":[],\"messages\":1,\"tape\":{\"keys\":[[\"k\",[\"A B\"]]],"
        "\"shape\":\"index-many\"}}"};
    mt_arena a = {0};
    ag_file file;
    read_agent(&a, &file);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        ag_actor *x = ag_actor_new(&file, NULL);
        mt_json tree;
        assert_int_equal(mt_json_read(&a, mt_str_z(BAD[i]), NULL, &tree, NULL), MT_OK);
        assert_int_not_equal(ag_actor_load(x, &tree), MT_OK);
        ag_actor_free(x);
    }
    mt_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_agent_goes_on_where_it_was),
        cmocka_unit_test(what_is_no_saved_agent_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
