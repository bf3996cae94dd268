/* schema/interchange-schema.json is what nodes.def says; MOTET_UPDATE_GOLDEN=1 rewrites
 * it. */
#include "../rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "lang/schema.h"

static void read_file(mt_buf *out)
{
    FILE *f = fopen(SCHEMA, "rb");
    assert_non_null(f);
    for (int c = fgetc(f); c != EOF; c = fgetc(f)) {
        mt_buf_addc(out, (char)c);
    }
    assert_int_equal(fclose(f), 0);
}

static void rewrite_file(mt_str text)
{
    FILE *f = fopen(SCHEMA, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text.ptr, 1, text.len, f), text.len);
    assert_int_equal(fclose(f), 0);
}

static void the_schema_in_the_tree_is_the_one_nodes_def_gives(void **state)
{
    (void)state;
    mt_buf want = {0}, have = {0};
    ln_schema_write(&want);
    if (getenv("MOTET_UPDATE_GOLDEN")) {
        rewrite_file(mt_buf_str(&want));
    }
    read_file(&have);
    assert_true(mt_str_eq(mt_buf_str(&want), mt_buf_str(&have)));
    mt_buf_free(&want);
    mt_buf_free(&have);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_in_the_tree_is_the_one_nodes_def_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
