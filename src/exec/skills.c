/* exec/skills.c - what can be done here, in words, for a card of A2A 1.0.
 * Room: exec. Operations and flows of every contract that is served, told by what the
 * contract itself says (who, when, what changes), and the agents that the caller may
 * talk to: that they are there is nobody else's business. Nothing here can fail. */
#include "contract/flow/text.h"
#include "exec/executor_internal.h"
#include "exec/voices.h"
#include "host/agent_service.h"

typedef struct skills {
    const ex_executor *x;
    const ex_caller *who; /* NULL: a stranger */
    mt_jw *w;
    mt_arena a;
    mt_buf text;
} skills;

static void write_skill(skills *s, mt_str group, const char *kind, mt_str name)
{
    mt_jw *w = s->w;
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "description", mt_buf_str(&s->text));
    mt_jw_key_str(w, "id",
                  mt_strf(&s->a, "%.*s.%s.%.*s", MT_ARG(group), kind, MT_ARG(name)));
    mt_jw_key_str(w, "name", name);
    mt_jw_keyz(w, "tags");
    mt_jw_begin_array(w);
    mt_jw_str(w, mt_str_z(kind));
    mt_jw_str(w, group);
    mt_jw_end_array(w);
    mt_jw_end_object(w);
    mt_buf_clear(&s->text);
}

/* ---- Contracts ---- */

static void tell_personas(mt_buf *out, const ct_model *m, const ct_operation *op)
{
    for (uint32_t i = 0; i < op->persona_count; i++) {
        mt_buf_addf(out, "%s%.*s", i ? ", " : "By ",
                    MT_ARG(m->personas[op->personas[i]].id));
    }
    mt_buf_addz(out, op->persona_count ? ". " : "By nobody. ");
}

static void tell_effects(mt_buf *out, const ct_model *m, const ct_operation *op)
{
    for (uint32_t i = 0; i < op->effect_count; i++) {
        const ct_effect *e = &op->effects[i];
        const ct_entity *entity = &m->entities[e->entity];
        mt_buf_addf(out, "%s%.*s %.*s -> %.*s", i ? ", " : " Changes ",
                    MT_ARG(entity->id), MT_ARG(entity->states[e->from]),
                    MT_ARG(entity->states[e->to]));
    }
    mt_buf_addz(out, op->effect_count ? "." : "");
}

/* Conditions are what a manifest says, and strangers read that of the default contract
 * alone. */
static bool may_know_when(const skills *s, const ex_version *v)
{
    return s->who || mt_str_eq(v->contract, s->x->default_contract);
}

static void operation_skill(skills *s, const ex_version *v, const ct_operation *op)
{
    mt_buf_addf(&s->text, "Operation of the contract %.*s. ", MT_ARG(v->contract));
    tell_personas(&s->text, v->model, op);
    if (op->precondition && may_know_when(s, v)) {
        mt_buf_addz(&s->text, "Requires ");
        ct_expr_text(&s->text, v->model, op->precondition);
        mt_buf_addc(&s->text, '.');
    }
    tell_effects(&s->text, v->model, op);
    write_skill(s, v->contract, "operation", op->id);
}

static void flow_skill(skills *s, const ex_version *v, const ct_flow *f)
{
    const ct_model *m = v->model;
    mt_buf_addf(&s->text, "Flow of the contract %.*s, of %u step%s.",
                MT_ARG(v->contract), f->steps.count, f->steps.count == 1 ? "" : "s");
    const ct_step *first = &f->steps.items[f->steps.entry];
    if (first->does == LN_OPERATES && first->persona != CT_NONE) {
        mt_buf_addf(&s->text, " Begins with %.*s by %.*s.",
                    MT_ARG(m->operations[first->what].id),
                    MT_ARG(m->personas[first->persona].id));
    }
    write_skill(s, v->contract, "flow", f->id);
}

static void contract_skills(skills *s, const ex_version *v)
{
    for (uint32_t i = 0; i < v->model->operation_count; i++) {
        operation_skill(s, v, &v->model->operations[i]);
    }
    for (uint32_t i = 0; i < v->model->flow_count; i++) {
        flow_skill(s, v, &v->model->flows[i]);
    }
}

/* ---- Agents ---- */

static bool may_use(skills *s, mt_str agent)
{
    return s->who && (ex_caller_may(s->who, (mt_str){0}, MT_STR("admin")) ||
                      ex_caller_may(s->who, (mt_str){0},
                                    mt_strf(&s->a, "agents:%.*s", MT_ARG(agent))));
}

static void agent_skills(skills *s)
{
    for (size_t i = 0; i < s->x->agents.len; i++) {
        mt_str name = ho_agent_service_name(s->x->agents.items[i]->service);
        if (may_use(s, name)) {
            mt_buf_addf(&s->text, "Takes messages, and answers by its routes.");
            write_skill(s, MT_STR("agents"), "agent", name);
        }
    }
}

mt_str ex_executor_domain(const ex_executor *x)
{
    return x->trust_domain;
}

void ex_executor_skills(ex_executor *x, const ex_caller *who, mt_jw *w)
{
    skills s = {.x = x, .who = who, .w = w};
    ex_version **versions;
    size_t count = ex_current_versions(x, &s.a, &versions);
    for (size_t i = 0; i < count; i++) {
        contract_skills(&s, versions[i]);
    }
    agent_skills(&s);
    mt_buf_free(&s.text);
    mt_arena_free(&s.a);
}
