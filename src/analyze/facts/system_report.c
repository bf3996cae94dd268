/* analyze/facts/system_report.c - what was found across members, in both forms.
 * Room: analyze. Text and JSON walk the same lists in the same order: authorities,
 * chains of triggers, shared entities. A shared entity whose members could not be
 * read has no `entity` and shows no states, which is not the same as reaching none.
 * Order is that of the System's declaration, so two runs print the same bytes.
 * Nothing can fail. */
#include "analyze/facts/system.h"

static mt_str member_id(const an_sys *s, uint32_t member)
{
    return s->members[member].id;
}

/* Chains are left out where paths of some member are not known; see an_sys_analysis. */
void an_sys_text(mt_buf *out, const an_sys_analysis *x)
{
    const an_sys *s = x->system;
    mt_buf_addf(out, "\nSystem %.*s\n", MT_ARG(s->id));
    for (uint32_t i = 0; i < x->authority_count; i++) {
        const an_sys_authority *a = &x->authorities[i];
        mt_buf_addf(out, "  %.*s has %u operation%s in %.*s\n",
                    MT_ARG(s->personas[a->persona].name), a->operations,
                    a->operations == 1 ? "" : "s", MT_ARG(member_id(s, a->member)));
    }
    for (uint32_t i = 0; i < s->trigger_count; i++) {
        const an_sys_trigger *t = &s->triggers[i];
        mt_buf_addf(out, "  %.*s.%.*s on %.*s starts %.*s.%.*s as %.*s",
                    MT_ARG(member_id(s, t->source)), MT_ARG(t->source_flow),
                    MT_ARG(t->on), MT_ARG(member_id(s, t->target)),
                    MT_ARG(t->target_flow), MT_ARG(t->persona));
        if (x->flows) {
            mt_buf_addz(out, ": ");
            an_count_text(out, x->chains[i].paths);
            mt_buf_addz(out, " paths through both");
        }
        mt_buf_addc(out, '\n');
    }
    for (uint32_t i = 0; i < s->entity_count; i++) {
        const ct_entity *e = x->entities[i].entity;
        mt_buf_addf(out, "  %.*s is brought to {", MT_ARG(s->entities[i].name));
        const char *comma = "";
        for (uint32_t k = 0; e && k < e->state_count; k++) {
            if (ct_bit(x->entities[i].reached, k)) {
                mt_buf_addf(out, "%s%.*s", comma, MT_ARG(e->states[k]));
                comma = ", ";
            }
        }
        mt_buf_addz(out, "} by all members together\n");
    }
}

static void authorities_json(mt_jw *w, const an_sys_analysis *x)
{
    const an_sys *s = x->system;
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < x->authority_count; i++) {
        const an_sys_authority *a = &x->authorities[i];
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "contract_id", member_id(s, a->member));
        mt_jw_key_i64(w, "operation_count", a->operations);
        mt_jw_key_str(w, "persona_id", s->personas[a->persona].name);
        mt_jw_key_str(w, "system_id", s->id);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* null and not false where the paths are not known. Counts are strings: they may have
 * hundreds of digits. */
static void chains_json(mt_jw *w, const an_sys_analysis *x)
{
    const an_sys *s = x->system;
    mt_buf digits = {0};
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < s->trigger_count; i++) {
        const an_sys_trigger *t = &s->triggers[i];
        mt_buf_clear(&digits);
        an_count_text(&digits, x->chains[i].paths);
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "can_fire");
        if (x->flows) {
            mt_jw_bool(w, x->chains[i].can_fire);
        } else {
            mt_jw_null(w);
        }
        mt_jw_key_str(w, "on", t->on);
        mt_jw_keyz(w, "path_count");
        if (x->flows) {
            mt_jw_str(w, mt_buf_str(&digits));
        } else {
            mt_jw_null(w);
        }
        mt_jw_key_str(w, "persona", t->persona);
        mt_jw_key_str(w, "source_contract", member_id(s, t->source));
        mt_jw_key_str(w, "source_flow", t->source_flow);
        mt_jw_key_str(w, "system_id", s->id);
        mt_jw_key_str(w, "target_contract", member_id(s, t->target));
        mt_jw_key_str(w, "target_flow", t->target_flow);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_buf_free(&digits);
}

static void entities_json(mt_jw *w, const an_sys_analysis *x)
{
    const an_sys *s = x->system;
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < s->entity_count; i++) {
        const ct_entity *e = x->entities[i].entity;
        mt_jw_key(w, s->entities[i].name);
        mt_jw_begin_object(w);
        mt_jw_keyz(w, "contracts");
        mt_jw_begin_array(w);
        for (uint32_t k = 0; k < s->entities[i].count; k++) {
            mt_jw_str(w, member_id(s, s->entities[i].members[k]));
        }
        mt_jw_end_array(w);
        mt_jw_keyz(w, "operated_states");
        mt_jw_begin_array(w);
        for (uint32_t k = 0; e && k < e->state_count; k++) {
            if (ct_bit(x->entities[i].reached, k)) {
                mt_jw_str(w, e->states[k]);
            }
        }
        mt_jw_end_array(w);
        mt_jw_end_object(w);
    }
    mt_jw_end_object(w);
}

void an_sys_json(mt_jw *w, const an_sys_analysis *x)
{
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "cross_contract_authorities");
    authorities_json(w, x);
    mt_jw_keyz(w, "cross_contract_paths");
    chains_json(w, x);
    mt_jw_keyz(w, "shared_entities");
    entities_json(w, x);
    mt_jw_key_str(w, "system_id", x->system->id);
    mt_jw_end_object(w);
}
