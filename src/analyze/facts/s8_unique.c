/* analyze/facts/s8_unique.c - S8: one rule per verdict type.
 * Room: analyze. The loader refuses anything else; looked at again, so that the answer
 * is about the model at hand and not about who loaded it. */
#include "analyze/facts/analyzer.h"

void an_s8_unique(an_analyzer *z)
{
    const ct_model *m = z->an->model;
    mt_map rules = {0};
    z->an->verdicts_unique = true;
    for (uint32_t i = 0; i < m->rule_count; i++) {
        bool added;
        mt_map_entry *entry =
            mt_map_add(&z->scratch, &rules, m->rules[i].verdict, &added);
        if (added) {
            entry->value = i;
            continue;
        }
        an_report_finding(
            z, "S801", MT_WARNING, "Rule", m->rules[i].id, (mt_str){0},
            m->rules[i].origin, "produces verdict %.*s, and so does rule %.*s",
            MT_ARG(m->rules[i].verdict), MT_ARG(m->rules[entry->value].id));
    }
}
