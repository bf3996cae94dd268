/* exec/contract/policy.c - what becomes of flows in flight when a version is deployed.
 * Room: exec. A policy is a word for all flows, or {"FLOW": word, "*": word}. */
#include "exec/contract/policy.h"

#include "base/vec.h"

an_policy ex_policy_for(const mt_json *policy, mt_str flow)
{
    if (mt_json_is(policy, MT_JSON_OBJECT)) {
        const mt_json *own = mt_json_get(policy, flow);
        policy = own ? own : mt_json_at(policy, "*");
    }
    for (int p = AN_BLUE_GREEN; p <= AN_ABORT; p++) {
        if (mt_str_eq(AN_POLICY_NAMES[p], mt_json_text(policy))) {
            return (an_policy)p;
        }
    }
    return AN_POLICY_NONE;
}

mt_err ex_policy_json(mt_buf *out, const mt_str *policies, size_t count, mt_str *bad)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_unsorted(&w);
    for (size_t i = 0; i < count; i++) {
        size_t equals = mt_str_find(policies[i], '=');
        bool own = equals < policies[i].len;
        mt_str word = own ? mt_str_skip(policies[i], equals + 1) : policies[i];
        mt_json tree = {
            .type = MT_JSON_STRING, .count = (uint32_t)word.len, .as.text = word.ptr};
        *bad = policies[i];
        if (ex_policy_for(&tree, (mt_str){0}) == AN_POLICY_NONE || (own && !equals)) {
            return MT_E_SYNTAX;
        }
        mt_jw_key(&w, own ? mt_str_from(policies[i].ptr, equals) : MT_STR("*"));
        mt_jw_str(&w, word);
    }
    mt_jw_end_object(&w);
    return MT_OK;
}

mt_str ex_no_policy(mt_arena *a, mt_str bad)
{
    return mt_strf(
        a,
        "'%.*s' is not a policy: blue_green, force_migrate or abort, alone or "
        "after FLOW=",
        MT_ARG(bad));
}

void ex_policy_members(mt_jw *w, const mt_json *policy)
{
    if (policy) {
        mt_jw_keyz(w, "policy");
        mt_jw_json(w, policy);
    }
}
