/* fuzz/fuzz_bundle.c - any bytes as a bundle: refused with a diagnostic, or loaded into
 * a model that compiles. What ct_validate() finds good is loaded without a second look
 * at its form, and what that accepts is accepted by ct_load(), too. */
#include "contract/eval/program.h"
#include "contract/wire/admit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_diags ds = {.arena = &a, .limit = 50};
    const ct_model *m = NULL;
    mt_str text = mt_str_from((const char *)data, size);
    mt_err err = ct_load(&a, text, MT_STR("fuzz"), NULL, &ds, &m);
    MT_ASSERT((err == MT_OK) == (m != NULL));
    MT_ASSERT((err == MT_OK) == (ds.errors == 0));
    if (m) {
        ct_compile(&a, m);
    }
    ct_admitted admitted;
    mt_diags faults = {.arena = &a, .limit = 50};
    mt_err strict = ct_admit(&a, MT_STR("fuzz"), text, NULL, &faults, &admitted);
    MT_ASSERT((strict == MT_OK) == (faults.errors == 0));
    MT_ASSERT(strict || admitted.document.is_manifest || !err);
    mt_arena_free(&a);
    return 0;
}
