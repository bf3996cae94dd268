/* analyze/explain/draw_internal.h - what the files draw*.c share.
 * Room: analyze. Private to analyze/draw*.c. */
#ifndef AN_ANALYZE_DRAW_INTERNAL_H
#define AN_ANALYZE_DRAW_INTERNAL_H

#include <stddef.h>

#include "analyze/explain/draw.h"

/* A node or group that was made for this flow or graph; for any other it is none. */
typedef struct an_made {
    uint32_t owner, index;
} an_made;

/* One contract of the subject. */
typedef struct an_actor {
    mt_str id;              /* of the member; empty: the contract is not a member */
    const an_analysis *an;  /* NULL: not there */
    uint32_t box;           /* the member's group, or MT_PICTURE_NONE */
    const uint32_t *colour; /* per persona of the model: index in the picture */
    uint32_t *begin;        /* per flow: where a trigger leads; MT_PICTURE_NONE */
    uint32_t *steps;        /* per step of the plan: its node */
    an_made *lanes, *ends;  /* per persona, of a flow; per terminal, of a graph */
} an_actor;

typedef struct an_scene {
    mt_arena *a;
    mt_picture *p;
    const an_sys *system; /* NULL: a contract */
    an_actor *actors;     /* as the members of the System */
    uint32_t actor_count;
    uint32_t *fires; /* per trigger: the node it starts from; MT_PICTURE_NONE */
} an_scene;

/* An empty picture in which every persona has its colour, and what is needed to fill
 * it. */
an_scene an_scene_new(mt_arena *a, mt_picture *p, const an_subject *s);

/* The place among the System's shared entities or personas, or CT_NONE. */
uint32_t an_draw_shared(const an_scene *x, const an_actor *who, uint32_t entity);
/* CT_NONE when the persona is the actor's own. */
uint32_t an_draw_shared_persona(const an_scene *x, const an_actor *who,
                                uint32_t persona);

/* Names and titles of a member's things say whose they are. */
mt_str an_draw_name(an_scene *x, const an_actor *who, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A group for one thing of an actor, inside the actor's own box if it has one. */
uint32_t an_draw_box(an_scene *x, const an_actor *who, mt_str name, mt_str title);

/* Indices in the order of declaration: by file and line, then as in the bundle. */
const uint32_t *an_draw_order(mt_arena *a, const void *items, size_t size,
                              size_t origin, uint32_t count);
#define an_in_order(a, T, items, count)                                                \
    an_draw_order((a), (items), sizeof(T), offsetof(T, origin), (count))

/* "when <precondition>", who may do it, and what it moves, a line each. */
mt_str an_draw_operation_tip(an_scene *x, const an_actor *who, uint32_t op);
/* "Order: open → paid", a line for each effect. */
void an_draw_effects(mt_buf *out, const ct_model *m, uint32_t op);
/* The one persona of the operation as a colour, or MT_PICTURE_NONE. */
uint32_t an_draw_operation_colour(const an_actor *who, uint32_t op);

void an_draw_entity(an_scene *x, const an_actor *who, uint32_t entity);
void an_draw_shared_entity(an_scene *x, uint32_t shared);
/* A persona that several members share is drawn once. */
void an_draw_authority(an_scene *x, const an_actor *who);
void an_draw_rules(an_scene *x, const an_actor *who);
void an_draw_flow(an_scene *x, an_actor *who, uint32_t flow);
/* Entities, flows or both as single nodes. */
void an_draw_outline(an_scene *x, bool entities, bool flows);
/* Between flows that are drawn, whole or as single nodes. */
void an_draw_triggers(an_scene *x);

#endif
