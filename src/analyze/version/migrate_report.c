/* analyze/version/migrate_report.c - a migration plan as JSON and as text.
 *
 * JSON has everything: the diff, per flow type what touches it, per flow under way its
 * obstacles and notes with the condition (FMC1 to FMC7) each belongs to, and how
 * states are mapped. Text has what a person decides on: the policy that is recommended
 * and why, then the flows that stand in its way.
 *
 * Keys are in byte order, lists in the order of the plan. Nothing can fail. */
#include "analyze/version/diff_report.h"
#include "analyze/version/migrate.h"

/* ---- JSON ---- */

/* A note has no condition and no layer: it stands in nobody's way. */
static void obstacle_json(mt_jw *w, const an_obstacle *o, bool note)
{
    mt_jw_begin_object(w);
    if (!note) {
        mt_jw_key_str(w, "condition", mt_str_z(o->condition));
    }
    mt_jw_key_str(w, "flow", o->flow);
    if (o->inherited) {
        mt_jw_key_bool(w, "inherited", true);
    }
    if (!note) {
        mt_jw_key_str(w, "kind", mt_str_z(an_obstacle_name(o->kind)));
        mt_jw_key_i64(w, "layer", o->layer);
    }
    mt_jw_key_str(w, "reason", o->reason);
    mt_jw_key_str(w, "step", o->step);
    mt_jw_key_str(w, "subject", o->subject);
    mt_jw_end_object(w);
}

/* Notes and obstacles are one kind of row, so a reader needs one parser for both. */
static void obstacles_json(mt_jw *w, const an_obstacles *list, bool notes)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < list->len; i++) {
        obstacle_json(w, &list->items[i], notes);
    }
    mt_jw_end_array(w);
}

static void compatibility_members(mt_jw *w, const an_compatibility *c)
{
    mt_jw_key_bool(w, "compatible", c->compatible);
    mt_jw_keyz(w, "layer_results");
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "layer1_verdict_isolation", c->passes[0]);
    mt_jw_key_bool(w, "layer2_entity_state", c->passes[1]);
    mt_jw_key_bool(w, "layer3_structure", c->passes[2]);
    mt_jw_end_object(w);
    mt_jw_keyz(w, "notes");
    obstacles_json(w, &c->notes, true);
    mt_jw_keyz(w, "obstacles");
    obstacles_json(w, &c->obstacles, false);
}

void an_compatibility_json(mt_jw *w, const an_compatibility *c)
{
    mt_jw_begin_object(w);
    compatibility_members(w, c);
    mt_jw_end_object(w);
}

static void touches_json(mt_jw *w, const an_touches *list)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < list->len; i++) {
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "construct_id", list->items[i].entry->id);
        mt_jw_key_str(w, "construct_kind", list->items[i].entry->kind);
        mt_jw_key_str(w, "step", list->items[i].step);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

/* The step where a run stands: of its innermost frame. */
static mt_str stands_at(const ct_run *run)
{
    uint32_t undo;
    uint32_t step = ct_run_next(run, &undo);
    return step == CT_NONE ? (mt_str){0} : run->plan->steps[step].id;
}

/* aborted_by_policy: under the policy `abort` it would be, since it can meet a breaking
 * change. */
static void flight_json(mt_jw *w, const an_migration *m, const an_flight *f)
{
    mt_jw_begin_object(w);
    mt_jw_key_bool(w, "aborted_by_policy", f->touches.len > 0);
    mt_jw_keyz(w, "compatibility");
    an_compatibility_json(w, &f->compat);
    mt_jw_key_str(w, "flow_id", f->run->plan->graphs[f->run->flow].id);
    mt_jw_key_str(w, "instance_id", f->id);
    mt_jw_key_str(w, "policy", AN_POLICY_NAMES[f->policy]);
    mt_jw_key_str(w, "position", stands_at(f->run));
    mt_jw_keyz(w, "touches");
    touches_json(w, &f->touches);
    if (m->options.only_worse) {
        mt_jw_key_bool(w, "worse", f->compat.worse);
    }
    mt_jw_end_object(w);
}

static void flow_json(mt_jw *w, const an_migration *m, const an_flow_advice *f)
{
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "compatible_instances", f->compatible);
    mt_jw_key_str(w, "flow_id", m->old->graphs[f->flow].id);
    mt_jw_key_i64(w, "instances", f->flights);
    mt_jw_key_str(w, "policy", AN_POLICY_NAMES[f->policy]);
    mt_jw_key_str(w, "reason", f->reason);
    mt_jw_keyz(w, "touches");
    touches_json(w, &f->touches);
    mt_jw_end_object(w);
}

static void moves_json(mt_jw *w, const an_migration *m)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->move_count; i++) {
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "entity_id", m->moves[i].entity);
        mt_jw_key_str(w, "from_state", m->moves[i].from);
        mt_jw_keyz(w, "suggested_state");
        if (m->moves[i].to.len) {
            mt_jw_str(w, m->moves[i].to);
        } else {
            mt_jw_null(w);
        }
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

void an_migration_json(mt_jw *w, const an_migration *m)
{
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "analysis",
                  m->options.aggressive ? MT_STR("aggressive")
                                        : MT_STR("conservative"));
    mt_jw_keyz(w, "diff");
    an_diff_json(w, m->diff);
    mt_jw_keyz(w, "entity_state_mappings");
    moves_json(w, m);
    mt_jw_keyz(w, "flow_compatibility");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->flight_count; i++) {
        flight_json(w, m, &m->flights[i]);
    }
    mt_jw_end_array(w);
    mt_jw_keyz(w, "flow_types");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->old->model->flow_count; i++) {
        flow_json(w, m, &m->flows[i]);
    }
    mt_jw_end_array(w);
    mt_jw_key_bool(w, "policy_required", m->diff->policy_required);
    mt_jw_key_str(w, "reason", m->reason);
    mt_jw_key_str(w, "recommended_policy", AN_POLICY_NAMES[m->policy]);
    if (m->options.only_worse) {
        mt_jw_key_i64(w, "worse", m->worse);
    }
    mt_jw_end_object(w);
}

/* ---- Text ---- */

static void touches_text(mt_buf *out, const an_touches *list)
{
    for (size_t i = 0; i < list->len; i++) {
        const an_touch *t = &list->items[i];
        mt_buf_addf(out, "      meets %.*s %.*s", MT_ARG(t->entry->kind),
                    MT_ARG(t->entry->id));
        if (t->step.len) {
            mt_buf_addf(out, " at %.*s", MT_ARG(t->step));
        }
        mt_buf_addc(out, '\n');
    }
}

static void flows_text(mt_buf *out, const an_migration *m)
{
    mt_buf_addz(out, "\nFlow types:\n");
    for (uint32_t i = 0; i < m->old->model->flow_count; i++) {
        const an_flow_advice *f = &m->flows[i];
        mt_buf_addf(out, "  %.*s: %.*s\n      %.*s\n",
                    MT_ARG(m->old->graphs[f->flow].id),
                    MT_ARG(AN_POLICY_NAMES[f->policy]), MT_ARG(f->reason));
        touches_text(out, &f->touches);
    }
}

static void obstacle_text(mt_buf *out, const an_obstacle *o)
{
    mt_buf_addf(out, "      layer %u, %s", o->layer, o->condition);
    if (o->step.len) {
        mt_buf_addf(out, ", step %.*s", MT_ARG(o->step));
    }
    mt_buf_addf(out, ": %.*s\n", MT_ARG(o->reason));
}

/* Obstacles that the old version has, too, are counted and not told. */
static void obstacles_text(mt_buf *out, const an_obstacles *list)
{
    size_t inherited = 0;
    for (size_t i = 0; i < list->len; i++) {
        inherited += list->items[i].inherited;
        if (!list->items[i].inherited) {
            obstacle_text(out, &list->items[i]);
        }
    }
    if (inherited) {
        mt_buf_addf(out, "      %zu more as under the old version\n", inherited);
    }
}

static void flight_text(mt_buf *out, const an_flight *f, const char *judgement)
{
    mt_buf_addf(out, "  %.*s: %.*s at %.*s: %s\n", MT_ARG(f->id),
                MT_ARG(f->run->plan->graphs[f->run->flow].id),
                MT_ARG(stands_at(f->run)), judgement);
    obstacles_text(out, &f->compat.obstacles);
    for (size_t i = 0; i < f->compat.notes.len; i++) {
        mt_buf_addf(out, "      note: %.*s\n", MT_ARG(f->compat.notes.items[i].reason));
    }
    if (f->touches.len) {
        mt_buf_addz(out, "      the policy abort would end it\n");
    }
}

/* Instances that are worse off, then how many are not. */
static void worse_text(mt_buf *out, const an_migration *m)
{
    for (uint32_t i = 0; i < m->flight_count; i++) {
        if (m->flights[i].compat.worse) {
            flight_text(out, &m->flights[i], "WORSE");
        }
    }
    mt_buf_addf(out, "  %u of %u worse off under the new version; %u compatible",
                m->worse, m->flight_count, m->flight_count - m->incompatible);
    /* Whoever is stuck under either version is not a reason against the new one. */
    if (m->incompatible > m->worse) {
        mt_buf_addf(out, ", %u meet only what the old version has, too",
                    m->incompatible - m->worse);
    }
    mt_buf_addc(out, '\n');
}

static void flights_text(mt_buf *out, const an_migration *m)
{
    if (!m->flight_count) {
        return;
    }
    mt_buf_addf(out, "\nInstances (%s analysis):\n",
                m->options.aggressive ? "aggressive" : "conservative");
    if (m->options.only_worse) {
        worse_text(out, m);
        return;
    }
    for (uint32_t i = 0; i < m->flight_count; i++) {
        bool good = m->flights[i].compat.compatible;
        flight_text(out, &m->flights[i], good ? "compatible" : "INCOMPATIBLE");
    }
    if (m->incompatible && m->incompatible < m->flight_count) {
        mt_buf_addz(out,
                    "\nCoexistence: new flows and compatible instances use the new "
                    "version, the others\nend under the old one.\n");
    }
}

static void moves_text(mt_buf *out, const an_migration *m)
{
    if (!m->move_count) {
        return;
    }
    mt_buf_addz(out, "\nInstances in these states must be moved before the transition "
                     "ends:\n");
    for (uint32_t i = 0; i < m->move_count; i++) {
        const an_state_move *v = &m->moves[i];
        mt_buf_addf(out, "  %.*s: %.*s -> %.*s\n", MT_ARG(v->entity), MT_ARG(v->from),
                    MT_ARG(v->to.len ? v->to : MT_STR("? (decide)")));
    }
}

void an_migration_text(mt_buf *out, const an_migration *m)
{
    mt_buf_addf(out, "Migration: %.*s -> %.*s\n", MT_ARG(m->diff->old_id),
                MT_ARG(m->diff->new_id));
    an_diff_text_by_class(out, m->diff);
    mt_buf_addf(out, "\nRecommended policy: %.*s\n  %.*s\n",
                MT_ARG(AN_POLICY_NAMES[m->policy]), MT_ARG(m->reason));
    flows_text(out, m);
    flights_text(out, m);
    moves_text(out, m);
}
