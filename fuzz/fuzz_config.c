/* Configuration files: any bytes are read or refused with a line, never believed. */
#include "http/config.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_one(mt_str text, bool yaml)
{
    mt_arena arena = {0};
    mt_buf faults = {0};
    ht_config config = HT_CONFIG_DEFAULT;
    mt_err err = ht_config_read(&arena, MT_STR("c"), text, yaml, &config, &faults);
    MT_ASSERT((err == MT_OK) == (faults.len == 0));
    MT_ASSERT(err == MT_OK || err == MT_E_REJECTED);
    if (err == MT_OK) {
        MT_ASSERT(config.threads >= 1 && config.threads <= 256);
        MT_ASSERT(config.listen && config.store && config.log);
        (void)ht_config_check(&config, &faults);
    }
    mt_buf_free(&faults);
    mt_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_str text = mt_str_from((const char *)data, size);
    read_one(text, true);
    read_one(text, false);
    return 0;
}
