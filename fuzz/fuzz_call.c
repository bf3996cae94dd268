/* fuzz/fuzz_call.c - any bytes as the body of a call to the executor. The first byte
 * picks the action; what an answer must be is in served.c. */
#include "served.h"

#define CALL(action, contract, name)                                                   \
    {                                                                                  \
        EX_##action, MT_STR_INIT(contract), MT_STR_INIT(name)                          \
    }

/* ORDER fuzz/corpus/call: seeds name a row by its number. */
static const struct {
    ex_action action;
    mt_str contract, name; /* or the id of a flow */
} CALLS[] = {
    CALL(EVALUATE, "", ""),
    CALL(ACTIONS, "", ""),
    CALL(OPERATION, "", "go"),
    CALL(FLOW_START, "", "f"),
    CALL(FACT_ASSERT, "", "m"),
    CALL(INSTANCE_CREATE, "", "Dot"),
    CALL(FLOW_RESUME, "", "last"),
    CALL(FLOW_CANCEL, "", "last"),
    CALL(CONTRACT_DEPLOY, "", ""),
    CALL(MIGRATION_COMPLETE, "", ""),
    CALL(GRAPH_EVENT, "", "fx"),
    CALL(AGENT_MESSAGE, "", "seller"),
    CALL(EVALUATE, "escrow", ""),
    CALL(ACTIONS, "escrow", ""),
    CALL(OPERATION, "escrow", "release_escrow"),
    CALL(FLOW_START, "escrow", "standard_release"),
    CALL(FLOW_START, "order_mgmt", "order_processing"),
    CALL(FACT_ASSERT, "fulfillment", "parcel_weight_grams"),
    CALL(FLOW_START, "", "two"),
    CALL(DECIDE, "", ""),
    CALL(DECIDE_MANY, "", ""),
    CALL(SEARCH_SUBJECT, "", ""),
    CALL(SEARCH_RESOURCE, "", ""),
    CALL(SEARCH_ACTION, "", ""),
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ex_caller WHO = {.anyone = true};
    if (!size || size > 1 << 16) {
        return 0;
    }
    size_t pick = data[0] % (sizeof CALLS / sizeof *CALLS);
    mt_str name = CALLS[pick].name;
    ex_call call = {.action = CALLS[pick].action,
                    .caller = &WHO,
                    .contract = CALLS[pick].contract,
                    .name = name,
                    .id = mt_str_is(name, "last") ? name : (mt_str){0},
                    .body = mt_str_from((const char *)data + 1, size - 1)};
    served_open();
    served_ask(&call);
    return 0;
}
