/* contract/analyze/draw.h - pictures of a contract or a System, as descriptions.
 * Room: contract. May include base/ and contract/ only.
 * Here is decided what is drawn; base/picture.h writes it. Everything stands in the
 * order of its declaration, and a persona has the same colour in every picture of the
 * same subject. */
#ifndef CT_ANALYZE_DRAW_H
#define CT_ANALYZE_DRAW_H

#include "base/picture.h"
#include "contract/analyze/system.h"

/* ORDER CT_DRAW_NAMES. */
typedef enum ct_part {
    CT_DRAW_ENTITIES,  /* states, transitions by the operations that make them */
    CT_DRAW_AUTHORITY, /* personas and the operations they may perform */
    CT_DRAW_RULES,     /* facts, rules by stratum, verdicts */
    CT_DRAW_FLOWS,     /* steps in lanes, one per persona */
    CT_DRAW_SYSTEM     /* members, triggers, what members share; of a System only */
} ct_part;
enum { CT_PART_COUNT = CT_DRAW_SYSTEM + 1, CT_DRAW_ALL = (1 << CT_PART_COUNT) - 1 };
extern const char *const CT_PART_NAMES[CT_PART_COUNT];

/* "entities,flows" to a set of bits 1 << ct_part; 0: some name is none. */
uint32_t ct_parts_read(mt_str names);
/* What an analysis of these obligations can draw, and what drawing these parts needs
 * of an analysis: bits 1 << ct_obligation. */
uint32_t ct_parts_of(uint32_t obligations);
uint32_t ct_parts_need(uint32_t parts);

/* One of them is set. Of a System, members without analysis are left out. */
typedef struct ct_subject {
    const ct_analysis *contract;
    const ct_sys *system;
} ct_subject;

/* All parts in one picture. Of a System every shared entity is there once, and triggers
 * lead from the end of one flow to the start of another; with CT_DRAW_SYSTEM alone
 * flows and entities are single nodes. */
mt_picture ct_draw(mt_arena *a, const ct_subject *s, uint32_t parts);

/* A picture of its own for each entity and each flow, for authority, rules and the
 * System. `file` is a name without extension that is safe in any directory. Returns
 * false as soon as `page` does. */
typedef bool ct_draw_page(void *context, mt_str file, const mt_picture *p);
bool ct_draw_each(const ct_subject *s, uint32_t parts, ct_draw_page *page,
                  void *context);

#endif
