/* Context keys as people are shown them. */
#include "../rows.h"

#include "graph/graph.h"

typedef struct row {
    const char *name, *key, *want;
} row;

/* clang-format off */
static const row ROWS[] = {
    {"a_key_that_was_declared",       "total",                                  "total"},
    {"a_slot_of_a_cluster",           "__ergo/4:main/4:once/9:has_fired",       "once.has_fired"},
    {"a_slot_of_a_cluster_in_one",    "__ergo/5:watch/4:high/10:goes_above/4:edge/4:last", "high/edge.last"},
    {"a_slot_of_the_graph_itself",    "__ergo/4:main/5:total",                  "main.total"},
    {"a_name_with_signs",             "__ergo/3:a/b/3:1:2/1:s",                 "1:2.s"},
    {"the_prefix_alone",              "__ergo",                                 "__ergo"},
    {"one_segment",                   "__ergo/1:a",                             "__ergo/1:a"},
    {"empty_segments",                "__ergo/0:/0:",                           "__ergo/0:/0:"},
    {"a_segment_that_is_too_long",    "__ergo/1:a/9:b",                         "__ergo/1:a/9:b"},
    {"a_segment_of_the_right_length", "__ergo/1:a/1:b",                         "a.b"},
    {"a_length_beyond_all",           "__ergo/99999999999999999999:a/1:b",      "__ergo/99999999999999999999:a/1:b"},
    {"no_length",                     "__ergo/:a/1:b",                          "__ergo/:a/1:b"},
    {"no_slash",                      "__ergoX1:a/1:b",                         "__ergoX1:a/1:b"},
    {"nothing",                       "",                                       ""},
};
/* clang-format on */

static void is_shown(void **state)
{
    const row *r = *state;
    mt_buf out = {0};
    mt_buf_addz(&out, "> "); /* what is there stays */
    gr_key_words(&out, mt_str_z(r->key));
    mt_buf_addc(&out, '\0');
    assert_string_equal(out.ptr + 2, r->want);
    mt_buf_free(&out);
}

int main(void)
{
    static rows_list list;
    rows_add(&list, ROWS, is_shown);
    return rows_run(&list, "graph/names");
}
