/* analyze/explain/draw.h - pictures of a contract or a System, as descriptions.
 * Room: analyze. May include base/ and contract/ only.
 * Here is decided what is drawn; base/picture.h writes it. Everything stands in the
 * order of its declaration, and a persona has the same colour in every picture of the
 * same subject. */
#ifndef AN_ANALYZE_DRAW_H
#define AN_ANALYZE_DRAW_H

#include "analyze/facts/system.h"
#include "base/picture.h"

/* ORDER AN_DRAW_NAMES. */
typedef enum an_part {
    AN_DRAW_ENTITIES,  /* states, transitions by the operations that make them */
    AN_DRAW_AUTHORITY, /* personas and the operations they may perform */
    AN_DRAW_RULES,     /* facts, rules by stratum, verdicts */
    AN_DRAW_FLOWS,     /* steps in lanes, one per persona */
    AN_DRAW_SYSTEM     /* members, triggers, what members share; of a System only */
} an_part;
enum { AN_PART_COUNT = AN_DRAW_SYSTEM + 1 };
extern const char *const AN_PART_NAMES[AN_PART_COUNT];

/* "entities,flows" to a set of bits 1 << an_part; 0: some name is none. */
uint32_t an_parts_read(mt_str names);
/* What an analysis of these obligations can draw, and what drawing these parts needs
 * of an analysis: bits 1 << an_obligation. */
uint32_t an_parts_of(uint32_t obligations);
uint32_t an_parts_need(uint32_t parts);

/* One of them is set. Of a System, members without analysis are left out. */
typedef struct an_subject {
    const an_analysis *contract;
    const an_sys *system;
} an_subject;

/* All parts in one picture. Of a System every shared entity is there once, and triggers
 * lead from the end of one flow to the start of another; with AN_DRAW_SYSTEM alone
 * flows and entities are single nodes. */
mt_picture an_draw(mt_arena *a, const an_subject *s, uint32_t parts);

/* A picture of its own for each entity and each flow, for authority, rules and the
 * System. `file` is a name without extension that is safe in any directory. Returns
 * false as soon as `page` does. */
typedef bool an_draw_page(void *context, mt_str file, const mt_picture *p);
bool an_draw_each(const an_subject *s, uint32_t parts, an_draw_page *page,
                  void *context);

#endif
