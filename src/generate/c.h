/* generate/c.h - the parts of the C target. Room: generate,
 * private to it. A ct_value is a slot of 16 bytes; the
 * structs of the header are laid out in such slots, so that a
 * struct of facts is the very array that the evaluator reads.
 * Order: names are reserved, the header is written (which
 * gives types their names), then the source (which gives them
 * numbers). Each part only appends to `header` or `source`. */
#ifndef GN_C_H
#define GN_C_H

#include "base/vec.h"
#include "contract/eval/program_internal.h"
#include "contract/flow/plan.h"
#include "generate/generate.h"
#include "generate/names.h"

/* One generation. Lives on the stack of gn_c_generate(); everything it points to is in
 * the arena, but for the two buffers, whose text gn_kept() takes at the end. */
typedef struct gn_c {
    mt_arena *a;
    const gn_input *in;
    const ct_model *m;       /* with the conditions of rules among its conditions */
    const ct_program *p;     /* of it */
    const ct_plan *plan;     /* NULL: there is nothing to act on */
    uint32_t own_conditions; /* the first so many are of the contract itself */
    mt_str prefix, upper;
    gn_scope globals;     /* names of the header */
    mt_map types;         /* address of a type -> its number + 1 */
    mt_map type_names;    /* address of a type -> its name in the header */
    MT_VEC(mt_str) names; /* of the types in type_names */
    uint32_t type_count, value_count;
    mt_buf header, source;
} gn_c;

/* c_types.c: the structs of facts and payloads, into the header. The first also appends
 * the assertions about their layout to `source`, which must be empty then:
 * gn_c_generate() takes them out before the source is begun. The last needs a plan. */
void gn_c_header_types(gn_c *c);
void gn_c_verdict_header(gn_c *c);
void gn_c_act_header(gn_c *c);
/* c_tables.c: model, program and plan as constants, into the source. gn_c_plan() refers
 * to the tables of the other, and needs a plan. */
void gn_c_tables(gn_c *c);
void gn_c_plan(gn_c *c);
/* c_code.c: rules and conditions as functions, into
 * the source, after the tables that they name. */
void gn_c_code(gn_c *c);

/* Bytes of a pointer, as a key: types of a model are known by their address. The key
 * itself is in the arena, for a map borrows it. */
mt_str gn_c_key(gn_c *c, const void *of);
/* {"text", 4} */
void gn_c_text(mt_buf *out, mt_str text);

/* Row of GN_TARGETS: two files, or 0 when the
 * prefix is taken or no plan can be made. */
size_t gn_c_generate(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files);

#endif
