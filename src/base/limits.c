#include "base/limits.h"

#include "base/json_read.h"

const mt_limits MT_LIMITS_DEFAULT = {
#define MT_LIMIT_DEFAULT(name, value, help) .name = (value),
    MT_LIMIT_MAP(MT_LIMIT_DEFAULT)
#undef MT_LIMIT_DEFAULT
};

const mt_limit_row MT_LIMIT_ROWS[] = {
#define MT_LIMIT_ROW(name, value, help) {#name, help, value, offsetof(mt_limits, name)},
    MT_LIMIT_MAP(MT_LIMIT_ROW)
#undef MT_LIMIT_ROW
};
const size_t MT_LIMIT_ROW_COUNT = sizeof MT_LIMIT_ROWS / sizeof *MT_LIMIT_ROWS;

/* Limits that cannot be raised at will: what they bound is kept in 32 bits, or followed
 * by functions that call themselves. */
static const struct {
    const char *name;
    size_t most;
} MOST[] = {
    {"json_depth", MT_JSON_MAX_DEPTH},
    {"bundle_depth", MT_JSON_MAX_DEPTH},
    {"stratum", UINT32_MAX - 1},
    {"flow_depth", 512},
};

size_t mt_limit_most(mt_str name)
{
    for (size_t i = 0; i < sizeof MOST / sizeof *MOST; i++) {
        if (mt_str_eq(mt_str_z(MOST[i].name), name)) {
            return MOST[i].most;
        }
    }
    return MT_LIMIT_MOST;
}

mt_err mt_limits_set(mt_limits *limits, mt_str name, size_t value)
{
    for (size_t i = 0; i < MT_LIMIT_ROW_COUNT; i++) {
        if (mt_str_eq(mt_str_z(MT_LIMIT_ROWS[i].name), name)) {
            if (!value || value > mt_limit_most(name)) {
                return MT_E_RANGE;
            }
            memcpy((char *)limits + MT_LIMIT_ROWS[i].offset, &value, sizeof value);
            return MT_OK;
        }
    }
    return MT_E_NOTFOUND;
}
