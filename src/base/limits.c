#include "base/limits.h"

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

mt_err mt_limits_set(mt_limits *limits, mt_str name, size_t value)
{
    for (size_t i = 0; i < MT_LIMIT_ROW_COUNT; i++) {
        if (mt_str_eq(mt_str_z(MT_LIMIT_ROWS[i].name), name)) {
            if (!value || value > MT_LIMIT_MOST) {
                return MT_E_RANGE;
            }
            memcpy((char *)limits + MT_LIMIT_ROWS[i].offset, &value, sizeof value);
            return MT_OK;
        }
    }
    return MT_E_NOTFOUND;
}
