/* contract/analyze/draw.c - what is drawn of a contract or a System.
 * Room: contract.
 * A scene is one picture being made: first every persona gets its colour, then the
 * parts are added, each by its own file (draw_entity.c, draw_flow.c, draw_rules.c),
 * triggers last, since they lead from flow to flow. Nothing here can fail. */
#include <stdlib.h>

#include "contract/analyze/draw_internal.h"
#include "contract/flow/text.h"

const char *const CT_PART_NAMES[CT_PART_COUNT] = {
    [CT_DRAW_ENTITIES] = "entities", [CT_DRAW_AUTHORITY] = "authority",
    [CT_DRAW_RULES] = "rules",       [CT_DRAW_FLOWS] = "flows",
    [CT_DRAW_SYSTEM] = "system",
};

/* Which obligations a part belongs to: any of them draws it. */
static const uint32_t OBLIGATIONS[CT_PART_COUNT] = {
    [CT_DRAW_ENTITIES] = 1 << CT_S1 | 1 << CT_S2 | 1 << CT_S3A,
    [CT_DRAW_AUTHORITY] = 1 << CT_S4,
    [CT_DRAW_RULES] = 1 << CT_S5,
    [CT_DRAW_FLOWS] = 1 << CT_S6,
    [CT_DRAW_SYSTEM] = 1 << CT_S6,
};

static uint32_t part_named(mt_str name)
{
    for (uint32_t i = 0; i < CT_PART_COUNT; i++) {
        if (mt_str_eq(name, mt_str_z(CT_PART_NAMES[i]))) {
            return 1u << i;
        }
    }
    return 0;
}

uint32_t ct_parts_read(mt_str names)
{
    for (uint32_t set = 0;;) {
        size_t comma = mt_str_find(names, ',');
        uint32_t part = part_named(mt_str_from(names.ptr, comma));
        set |= part;
        if (!part || comma == names.len) {
            return part ? set : 0;
        }
        names = mt_str_skip(names, comma + 1);
    }
}

uint32_t ct_parts_of(uint32_t obligations)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < CT_PART_COUNT; i++) {
        set |= OBLIGATIONS[i] & obligations ? 1u << i : 0;
    }
    return set;
}

uint32_t ct_parts_need(uint32_t parts)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < CT_PART_COUNT; i++) {
        set |= (parts >> i) & 1 ? OBLIGATIONS[i] : 0;
    }
    return set;
}

/* ---- order ---- */

typedef struct placed {
    const ct_origin *origin;
    uint32_t index;
} placed;

static int by_place(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    int order = mt_str_cmp(x->origin->file, y->origin->file);
    if (!order) {
        order =
            (x->origin->line > y->origin->line) - (x->origin->line < y->origin->line);
    }
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

const uint32_t *ct_draw_order(mt_arena *a, const void *items, size_t size,
                              size_t origin, uint32_t count)
{
    placed *list = mt_new_array(a, placed, count + 1);
    uint32_t *order = mt_new_array(a, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const char *item = (const char *)items + i * size;
        list[i] = (placed){(const ct_origin *)(const void *)(item + origin), i};
    }
    qsort(list, count, sizeof *list, by_place);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = list[i].index;
    }
    return order;
}

/* ---- texts ---- */

mt_str ct_draw_name(ct_scene *x, const ct_actor *who, const char *format, ...)
{
    va_list args;
    mt_buf name = {0};
    if (who && who->id.len) {
        mt_buf_addf(&name, "%.*s/", MT_ARG(who->id));
    }
    va_start(args, format);
    mt_buf_addfv(&name, format, args);
    va_end(args);
    return mt_picture_keep(x->a, &name);
}

uint32_t ct_draw_box(ct_scene *x, const ct_actor *who, mt_str name, mt_str title)
{
    mt_str label = who && who->id.len
                       ? mt_strf(x->a, "%.*s: %.*s", MT_ARG(who->id), MT_ARG(title))
                       : title;
    mt_picture_group group = {.name = name,
                              .label = label,
                              .parent = who ? who->box : MT_PICTURE_NONE,
                              .persona = MT_PICTURE_NONE};
    return mt_picture_add_group(x->p, group);
}

void ct_draw_effects(mt_buf *out, const ct_model *m, uint32_t op)
{
    for (uint32_t i = 0; i < m->operations[op].effect_count; i++) {
        const ct_effect *f = &m->operations[op].effects[i];
        const ct_entity *e = &m->entities[f->entity];
        mt_buf_addf(out, "\n%.*s: %.*s → %.*s", MT_ARG(e->id),
                    MT_ARG(e->states[f->from]), MT_ARG(e->states[f->to]));
    }
}

mt_str ct_draw_operation_tip(ct_scene *x, const ct_actor *who, uint32_t op)
{
    const ct_model *m = who->an->model;
    const ct_operation *o = &m->operations[op];
    mt_buf text = {0};
    mt_buf_addf(&text, "%.*s", MT_ARG(o->id));
    for (uint32_t i = 0; i < o->persona_count; i++) {
        mt_buf_addf(&text, "%s%.*s", i ? ", " : " by ",
                    MT_ARG(m->personas[o->personas[i]].id));
    }
    if (o->precondition) {
        mt_buf_addz(&text, "\nwhen ");
        ct_expr_text(&text, m, o->precondition);
    }
    ct_draw_effects(&text, m, op);
    return mt_picture_keep(x->a, &text);
}

uint32_t ct_draw_operation_colour(const ct_actor *who, uint32_t op)
{
    const ct_operation *o = &who->an->model->operations[op];
    return o->persona_count == 1 ? who->colour[o->personas[0]] : MT_PICTURE_NONE;
}

/* ---- the scene ---- */

static uint32_t shared_by(const ct_scene *x, const ct_actor *who,
                          const ct_sys_shared *list, uint32_t count, mt_str name)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < list[i].count && mt_str_eq(list[i].name, name); k++) {
            if (&x->actors[list[i].members[k]] == who) {
                return i;
            }
        }
    }
    return CT_NONE;
}

uint32_t ct_draw_shared(const ct_scene *x, const ct_actor *who, uint32_t entity)
{
    const ct_sys *s = x->system;
    return s ? shared_by(x, who, s->entities, s->entity_count,
                         who->an->model->entities[entity].id)
             : CT_NONE;
}

uint32_t ct_draw_shared_persona(const ct_scene *x, const ct_actor *who,
                                uint32_t persona)
{
    const ct_sys *s = x->system;
    return s ? shared_by(x, who, s->personas, s->persona_count,
                         who->an->model->personas[persona].id)
             : CT_NONE;
}

static void colour_personas(ct_scene *x, ct_actor *who)
{
    const ct_model *m = who->an->model;
    uint32_t *colour = mt_new_array(x->a, uint32_t, m->persona_count + 1);
    const uint32_t *order =
        ct_in_order(x->a, ct_persona, m->personas, m->persona_count);
    for (uint32_t i = 0; i < m->persona_count; i++) {
        colour[order[i]] = mt_picture_persona(x->p, m->personas[order[i]].id);
    }
    who->colour = colour;
}

/* `size` bytes of MT_PICTURE_NONE. */
static void *none_of(mt_arena *a, size_t count, size_t size)
{
    return memset(mt_new_array(a, char, (count + 1) * size), 0xff, (count + 1) * size);
}

static void prepare(ct_scene *x, ct_actor *who)
{
    const ct_plan *plan = who->an->plan;
    const ct_model *m = who->an->model;
    colour_personas(x, who);
    who->begin = none_of(x->a, m->flow_count, sizeof *who->begin);
    who->steps = none_of(x->a, plan->step_count, sizeof *who->steps);
    who->lanes = none_of(x->a, m->persona_count, sizeof *who->lanes);
    who->ends = none_of(x->a, plan->terminal_count, sizeof *who->ends);
}

static ct_scene scene_new(mt_arena *a, mt_picture *p, const ct_subject *s)
{
    ct_scene x = {.a = a, .p = p, .system = s->system};
    x.actor_count = s->system ? s->system->member_count : 1;
    x.actors = mt_new_array(a, ct_actor, x.actor_count + 1);
    *p = mt_picture_new(a, s->system ? s->system->id : s->contract->model->id);
    for (uint32_t i = 0; s->system && i < s->system->persona_count; i++) {
        mt_picture_persona(p, s->system->personas[i].name);
    }
    for (uint32_t i = 0; i < x.actor_count; i++) {
        x.actors[i].an = s->system ? s->system->members[i].an : s->contract;
        x.actors[i].id = s->system ? s->system->members[i].id : (mt_str){0};
        x.actors[i].box = MT_PICTURE_NONE;
        if (x.actors[i].an) {
            prepare(&x, &x.actors[i]);
        }
    }
    uint32_t triggers = s->system ? s->system->trigger_count : 0;
    x.fires = none_of(a, triggers, sizeof *x.fires);
    return x;
}

static bool has(uint32_t parts, ct_part part)
{
    return (parts >> part) & 1;
}

/* A box around what is a member's own. */
static void box_member(ct_scene *x, uint32_t index)
{
    const ct_sys_member *m = &x->system->members[index];
    ct_actor *who = &x->actors[index];
    mt_picture_group box = {
        .name = mt_strf(x->a, "member/%.*s", MT_ARG(m->id)),
        .label = m->id,
        .tooltip = mt_strf(x->a, "member %.*s: %.*s", MT_ARG(m->id), MT_ARG(m->path)),
        .parent = MT_PICTURE_NONE,
        .persona = MT_PICTURE_NONE};
    who->box = mt_picture_add_group(x->p, box);
    if (!who->an) {
        mt_picture_node missing = {.name = ct_draw_name(x, who, "missing"),
                                   .label = MT_STR("its contract is not there"),
                                   .group = who->box,
                                   .persona = MT_PICTURE_NONE,
                                   .role = MT_ROLE_FLOW,
                                   .faded = true};
        mt_picture_add_node(x->p, missing);
    }
}

static void draw_contract(ct_scene *x, ct_actor *who, uint32_t parts)
{
    const ct_model *m = who->an->model;
    const uint32_t *entities =
        ct_in_order(x->a, ct_entity, m->entities, m->entity_count);
    const uint32_t *flows = ct_in_order(x->a, ct_flow, m->flows, m->flow_count);
    for (uint32_t i = 0; has(parts, CT_DRAW_ENTITIES) && i < m->entity_count; i++) {
        if (ct_draw_shared(x, who, entities[i]) == CT_NONE) {
            ct_draw_entity(x, who, entities[i]);
        }
    }
    if (has(parts, CT_DRAW_AUTHORITY)) {
        ct_draw_authority(x, who);
    }
    if (has(parts, CT_DRAW_RULES) && m->rule_count) {
        ct_draw_rules(x, who);
    }
    for (uint32_t i = 0; has(parts, CT_DRAW_FLOWS) && i < m->flow_count; i++) {
        ct_draw_flow(x, who, flows[i]);
    }
}

mt_picture ct_draw(mt_arena *a, const ct_subject *s, uint32_t parts)
{
    mt_picture p;
    ct_scene x = scene_new(a, &p, s);
    bool system = s->system && has(parts, CT_DRAW_SYSTEM);
    for (uint32_t i = 0;
         s->system && has(parts, CT_DRAW_ENTITIES) && i < s->system->entity_count;
         i++) {
        ct_draw_shared_entity(&x, i);
    }
    for (uint32_t i = 0; i < x.actor_count; i++) {
        if (system) {
            box_member(&x, i);
        }
        if (x.actors[i].an) {
            draw_contract(&x, &x.actors[i], parts);
        }
    }
    if (system) {
        ct_draw_outline(&x, !has(parts, CT_DRAW_ENTITIES), !has(parts, CT_DRAW_FLOWS));
        ct_draw_triggers(&x);
    }
    return p;
}

/* ---- one picture each ---- */

typedef struct book {
    const ct_subject *s;
    ct_draw_page *page;
    void *context;
    mt_arena a; /* of the names */
    mt_map names;
} book;

/* Letters, digits, '-', '_' and '.', not too long, and no two alike even where case
 * does not count. */
static mt_str file_name(book *b, const ct_actor *who, const char *kind, mt_str id)
{
    enum { LONGEST = 100 };
    mt_buf name = {0};
    bool added = false;
    if (who && who->id.len) {
        mt_buf_addf(&name, "%.*s.", MT_ARG(who->id));
    }
    mt_buf_addf(&name, "%s%s%.*s", kind, id.len ? "-" : "", MT_ARG(id));
    name.len = name.len > LONGEST ? LONGEST : name.len;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool kept =
            letter || (c >= '0' && c <= '9') || c == '-' || c == '_' || (c == '.' && i);
        name.ptr[i] = kept ? c : '_';
    }
    mt_str file = mt_str_dup(&b->a, mt_buf_str(&name));
    for (uint32_t i = 1; !added; i++) {
        mt_str free =
            i > 1 ? mt_strf(&b->a, "%.*s-%u", MT_ARG(mt_buf_str(&name)), i) : file;
        char *lower = mt_new_array(&b->a, char, free.len + 1);
        for (size_t k = 0; k < free.len; k++) {
            char c = free.ptr[k];
            lower[k] = (char)(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
        }
        mt_map_add(&b->a, &b->names, mt_str_from(lower, free.len), &added);
        file = free;
    }
    mt_buf_free(&name);
    return file;
}

/* One page: what `what` and `index` say, of one contract or of the System. */
static bool draw_page(book *b, uint32_t actor, ct_part what, uint32_t index,
                      const char *kind, mt_str id)
{
    mt_arena a = {0};
    mt_picture p;
    ct_scene x = scene_new(&a, &p, b->s);
    ct_actor *who = actor == CT_NONE ? NULL : &x.actors[actor];
    if (what == CT_DRAW_SYSTEM) {
        p = ct_draw(&a, b->s, 1u << CT_DRAW_SYSTEM);
    } else if (what == CT_DRAW_AUTHORITY) {
        ct_draw_authority(&x, who);
    } else if (what == CT_DRAW_RULES) {
        ct_draw_rules(&x, who);
    } else if (what == CT_DRAW_FLOWS) {
        ct_draw_flow(&x, who, index);
    } else if (who) {
        ct_draw_entity(&x, who, index);
    } else {
        ct_draw_shared_entity(&x, index);
    }
    bool go_on = b->page(b->context, file_name(b, who, kind, id), &p);
    mt_arena_free(&a);
    return go_on;
}

static bool contract_pages(book *b, ct_scene *x, uint32_t actor, uint32_t parts)
{
    const ct_actor *who = &x->actors[actor];
    const ct_model *m = who->an->model;
    const uint32_t *entities =
        ct_in_order(x->a, ct_entity, m->entities, m->entity_count);
    const uint32_t *flows = ct_in_order(x->a, ct_flow, m->flows, m->flow_count);
    bool go_on = true;
    for (uint32_t i = 0; go_on && has(parts, CT_DRAW_ENTITIES) && i < m->entity_count;
         i++) {
        uint32_t e = entities[i];
        go_on = ct_draw_shared(x, who, e) != CT_NONE ||
                draw_page(b, actor, CT_DRAW_ENTITIES, e, "entity", m->entities[e].id);
    }
    if (go_on && has(parts, CT_DRAW_AUTHORITY)) {
        go_on = draw_page(b, actor, CT_DRAW_AUTHORITY, 0, "authority", (mt_str){0});
    }
    if (go_on && has(parts, CT_DRAW_RULES) && m->rule_count) {
        go_on = draw_page(b, actor, CT_DRAW_RULES, 0, "rules", (mt_str){0});
    }
    for (uint32_t i = 0; go_on && has(parts, CT_DRAW_FLOWS) && i < m->flow_count; i++) {
        go_on =
            draw_page(b, actor, CT_DRAW_FLOWS, flows[i], "flow", m->flows[flows[i]].id);
    }
    return go_on;
}

bool ct_draw_each(const ct_subject *s, uint32_t parts, ct_draw_page *page,
                  void *context)
{
    book b = {.s = s, .page = page, .context = context};
    mt_picture p;
    ct_scene x = scene_new(&b.a, &p, s);
    bool go_on = true;
    if (s->system && has(parts, CT_DRAW_SYSTEM)) {
        go_on = draw_page(&b, CT_NONE, CT_DRAW_SYSTEM, 0, "system", s->system->id);
    }
    for (uint32_t i = 0; go_on && s->system && has(parts, CT_DRAW_ENTITIES) &&
                         i < s->system->entity_count;
         i++) {
        go_on = draw_page(&b, CT_NONE, CT_DRAW_ENTITIES, i, "entity",
                          s->system->entities[i].name);
    }
    for (uint32_t i = 0; go_on && i < x.actor_count; i++) {
        go_on = !x.actors[i].an || contract_pages(&b, &x, i, parts);
    }
    mt_arena_free(&b.a);
    return go_on;
}
