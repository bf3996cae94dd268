/* analyze/explain/draw.c - what is drawn of a contract or a System.
 *
 * A scene is one picture being made (draw_scene.c): first every persona gets its
 * colour, then the parts are added, each by its own file (draw_entity.c, draw_flow.c,
 * draw_rules.c), triggers last, since they lead from flow to flow.
 *
 * A part is asked for by name, or because an obligation needs it (OBLIGATIONS); both
 * tables are indexed by an_part. The same parts are drawn in two ways: all in one
 * picture (an_draw()), or one picture for each entity, flow and map (an_draw_each()),
 * where the caller gets the pictures one after the other, each in an arena that is
 * freed before the next.
 *
 * Order is that of the declarations, and colours follow personas, so one contract
 * looks the same in every picture. Names of files are made of letters, digits and a
 * few signs, and no two are alike even where case does not count. Nothing can fail; a
 * caller that has had enough says so by its answer. */
#include "analyze/explain/draw_internal.h"

const char *const AN_PART_NAMES[AN_PART_COUNT] = {
    [AN_DRAW_ENTITIES] = "entities", [AN_DRAW_AUTHORITY] = "authority",
    [AN_DRAW_RULES] = "rules",       [AN_DRAW_FLOWS] = "flows",
    [AN_DRAW_SYSTEM] = "system",
};

/* Which obligations a part belongs to: any of them draws it. */
static const uint32_t OBLIGATIONS[AN_PART_COUNT] = {
    [AN_DRAW_ENTITIES] = 1 << AN_S1 | 1 << AN_S2 | 1 << AN_S3A,
    [AN_DRAW_AUTHORITY] = 1 << AN_S4,
    [AN_DRAW_RULES] = 1 << AN_S5,
    [AN_DRAW_FLOWS] = 1 << AN_S6,
    [AN_DRAW_SYSTEM] = 1 << AN_S6,
};

/* 0 is not a part, so it says "unknown". */
static uint32_t part_named(mt_str name)
{
    for (uint32_t i = 0; i < AN_PART_COUNT; i++) {
        if (mt_str_eq(name, mt_str_z(AN_PART_NAMES[i]))) {
            return 1u << i;
        }
    }
    return 0;
}

/* All or nothing: one unknown name makes the answer 0, and the caller lists the
 * names. */
uint32_t an_parts_read(mt_str names)
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

uint32_t an_parts_of(uint32_t obligations)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < AN_PART_COUNT; i++) {
        set |= OBLIGATIONS[i] & obligations ? 1u << i : 0;
    }
    return set;
}

/* More than strictly needed, where a part belongs to several obligations. */
uint32_t an_parts_need(uint32_t parts)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < AN_PART_COUNT; i++) {
        set |= (parts >> i) & 1 ? OBLIGATIONS[i] : 0;
    }
    return set;
}

/* ---- one picture ---- */

/* `parts` is a set of bits 1 << an_part, as everywhere in this file. */
static bool has(uint32_t parts, an_part part)
{
    return (parts >> part) & 1;
}

/* A box around what is a member's own. */
static void box_member(an_scene *x, uint32_t index)
{
    const an_sys_member *m = &x->system->members[index];
    an_actor *who = &x->actors[index];
    mt_picture_group box = {
        .name = mt_strf(x->a, "member/%.*s", MT_ARG(m->id)),
        .label = m->id,
        .tooltip = mt_strf(x->a, "member %.*s: %.*s", MT_ARG(m->id), MT_ARG(m->path)),
        .parent = MT_PICTURE_NONE,
        .persona = MT_PICTURE_NONE};
    who->box = mt_picture_add_group(x->p, box);
    if (!who->an) {
        mt_picture_node missing = {.name = an_draw_name(x, who, "missing"),
                                   .label = MT_STR("its contract is not there"),
                                   .group = who->box,
                                   .persona = MT_PICTURE_NONE,
                                   .role = MT_ROLE_FLOW,
                                   .faded = true};
        mt_picture_add_node(x->p, missing);
    }
}

/* Entities that a System shares are drawn once, by the System. */
static void draw_contract(an_scene *x, an_actor *who, uint32_t parts)
{
    const ct_model *m = who->an->model;
    const uint32_t *entities =
        an_in_order(x->a, ct_entity, m->entities, m->entity_count);
    const uint32_t *flows = an_in_order(x->a, ct_flow, m->flows, m->flow_count);
    for (uint32_t i = 0; has(parts, AN_DRAW_ENTITIES) && i < m->entity_count; i++) {
        if (an_draw_shared(x, who, entities[i]) == CT_NONE) {
            an_draw_entity(x, who, entities[i]);
        }
    }
    if (has(parts, AN_DRAW_AUTHORITY)) {
        an_draw_authority(x, who);
    }
    if (has(parts, AN_DRAW_RULES) && m->rule_count) {
        an_draw_rules(x, who);
    }
    for (uint32_t i = 0; has(parts, AN_DRAW_FLOWS) && i < m->flow_count; i++) {
        an_draw_flow(x, who, flows[i]);
    }
}

/* Shared entities come first and lie outside of every member's box. What the outline
 * draws depends on what is drawn in full already. */
mt_picture an_draw(mt_arena *a, const an_subject *s, uint32_t parts)
{
    mt_picture p;
    an_scene x = an_scene_new(a, &p, s);
    bool system = s->system && has(parts, AN_DRAW_SYSTEM);
    for (uint32_t i = 0;
         s->system && has(parts, AN_DRAW_ENTITIES) && i < s->system->entity_count;
         i++) {
        an_draw_shared_entity(&x, i);
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
        an_draw_outline(&x, !has(parts, AN_DRAW_ENTITIES), !has(parts, AN_DRAW_FLOWS));
        an_draw_triggers(&x);
    }
    return p;
}

/* ---- one picture each ---- */

/* The names of all pages so far, in lower case, for file systems that do not tell cases
 * apart. */
typedef struct book {
    const an_subject *s;
    an_draw_page *page;
    void *context;
    mt_arena a; /* of the names */
    mt_map names;
} book;

/* Letters, digits, '-', '_' and '.', not too long, and no two alike even where case
 * does not count. A leading dot is replaced, so no page is a hidden file, and so is
 * every slash: a name cannot leave the directory it is written to. Cut before numbers
 * are added. */
static mt_str file_name(book *b, const an_actor *who, const char *kind, mt_str id)
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

/* One page: what `what` and `index` say, of one contract or of the System. A scene of
 * its own for each page, so that colours are given anew and are the same. */
static bool draw_page(book *b, uint32_t actor, an_part what, uint32_t index,
                      const char *kind, mt_str id)
{
    mt_arena a = {0};
    mt_picture p;
    an_scene x = an_scene_new(&a, &p, b->s);
    an_actor *who = actor == CT_NONE ? NULL : &x.actors[actor];
    if (what == AN_DRAW_SYSTEM) {
        p = an_draw(&a, b->s, 1u << AN_DRAW_SYSTEM);
    } else if (what == AN_DRAW_AUTHORITY) {
        an_draw_authority(&x, who);
    } else if (what == AN_DRAW_RULES) {
        an_draw_rules(&x, who);
    } else if (what == AN_DRAW_FLOWS) {
        an_draw_flow(&x, who, index);
    } else if (who) {
        an_draw_entity(&x, who, index);
    } else {
        an_draw_shared_entity(&x, index);
    }
    bool go_on = b->page(b->context, file_name(b, who, kind, id), &p);
    mt_arena_free(&a);
    return go_on;
}

/* One page per thing that has one; `go_on` is false when the reader wants no more. */
static bool contract_pages(book *b, an_scene *x, uint32_t actor, uint32_t parts)
{
    const an_actor *who = &x->actors[actor];
    const ct_model *m = who->an->model;
    const uint32_t *entities =
        an_in_order(x->a, ct_entity, m->entities, m->entity_count);
    const uint32_t *flows = an_in_order(x->a, ct_flow, m->flows, m->flow_count);
    bool go_on = true;
    for (uint32_t i = 0; go_on && has(parts, AN_DRAW_ENTITIES) && i < m->entity_count;
         i++) {
        uint32_t e = entities[i];
        go_on = an_draw_shared(x, who, e) != CT_NONE ||
                draw_page(b, actor, AN_DRAW_ENTITIES, e, "entity", m->entities[e].id);
    }
    if (go_on && has(parts, AN_DRAW_AUTHORITY)) {
        go_on = draw_page(b, actor, AN_DRAW_AUTHORITY, 0, "authority", (mt_str){0});
    }
    if (go_on && has(parts, AN_DRAW_RULES) && m->rule_count) {
        go_on = draw_page(b, actor, AN_DRAW_RULES, 0, "rules", (mt_str){0});
    }
    for (uint32_t i = 0; go_on && has(parts, AN_DRAW_FLOWS) && i < m->flow_count; i++) {
        go_on =
            draw_page(b, actor, AN_DRAW_FLOWS, flows[i], "flow", m->flows[flows[i]].id);
    }
    return go_on;
}

bool an_draw_each(const an_subject *s, uint32_t parts, an_draw_page *page,
                  void *context)
{
    book b = {.s = s, .page = page, .context = context};
    mt_picture p;
    an_scene x = an_scene_new(&b.a, &p, s);
    bool go_on = true;
    if (s->system && has(parts, AN_DRAW_SYSTEM)) {
        go_on = draw_page(&b, CT_NONE, AN_DRAW_SYSTEM, 0, "system", s->system->id);
    }
    for (uint32_t i = 0; go_on && s->system && has(parts, AN_DRAW_ENTITIES) &&
                         i < s->system->entity_count;
         i++) {
        go_on = draw_page(&b, CT_NONE, AN_DRAW_ENTITIES, i, "entity",
                          s->system->entities[i].name);
    }
    for (uint32_t i = 0; go_on && i < x.actor_count; i++) {
        go_on = !x.actors[i].an || contract_pages(&b, &x, i, parts);
    }
    mt_arena_free(&b.a);
    return go_on;
}
