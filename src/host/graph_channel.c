#include "host/graph_channel.h"

ho_answer ho_accepted(const char *acceptance)
{
    return (ho_answer){.fate = HO_ACCEPTED, .acceptance = acceptance};
}

ho_answer ho_not_sent(ho_fate fate, const char *code, mt_str why)
{
    return (ho_answer){.fate = fate, .code = code, .why = why};
}

ho_answer ho_broke(const char *code, mt_str why)
{
    ho_answer answer = ho_not_sent(HO_FAILED, code, why);
    answer.broken = true;
    return answer;
}

void ho_letter_members(mt_buf *out, const ho_letter *letter)
{
    mt_buf_addz(out, "\"intent_id\":");
    mt_json_quote(out, letter->id);
    mt_buf_addz(out, ",\"kind\":");
    mt_json_quote(out, letter->kind);
    mt_buf_addz(out, ",\"fields\":");
    mt_buf_adds(out, letter->fields);
    mt_buf_addc(out, '}');
}
