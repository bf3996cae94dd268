/* What lang.h says of the constructs of nodes.def. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lang/lang.h"

static void a_construct_is_found_by_its_name(void **state)
{
    (void)state;
    for (unsigned k = 0; k < LN_CONSTRUCT_COUNT; k++) {
        assert_int_equal(ln_construct_named(mt_str_z(LN_CONSTRUCTS[k].name)), k);
    }
    assert_string_equal(LN_CONSTRUCTS[LN_CONSTRUCT_ENTITY].word, "entity");
    assert_string_equal(LN_CONSTRUCTS[LN_CONSTRUCT_ENTITY].many, "entities");
}

static void no_construct_is_found_by_another_name(void **state)
{
    (void)state;
    static const char *const OTHERS[] = {"", "fact", "Facts", "Fac", "TypeDecl"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        assert_int_equal(ln_construct_named(mt_str_z(OTHERS[i])), LN_CONSTRUCT_COUNT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_construct_is_found_by_its_name),
        cmocka_unit_test(no_construct_is_found_by_another_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
