#include "contract/eval/fault.h"

static const char *const NAMES[CT_FAULT_COUNT] = {
#define CT_FAULT_NAME(name, text) text,
    CT_FAULT_MAP(CT_FAULT_NAME)
#undef CT_FAULT_NAME
};

const char *ct_fault_name(ct_fault_kind kind)
{
    return (unsigned)kind < CT_FAULT_COUNT ? NAMES[kind] : "unknown";
}
