/* contract/wire/emit.h - what the files of pass 6 share.
 * Room: contract/wire. Reads contract/front's tree.
 * Interchange is written directly: the keys of every node are known, so they stand in
 * sorted order in the source text here. */
#ifndef CT_WIRE_EMIT_H
#define CT_WIRE_EMIT_H

#include "contract/front/unit.h"
#include "contract/wire/round_text.h"

typedef struct ct_emit {
    ct_unit *u;
    mt_buf *b;
    const ct_file *file; /* whose provenance text is ready */
    mt_str provenance;   /* ,"provenance":{"file":"...","line": */
    bool extended;       /* a node beyond 1.0 was written */
} ct_emit;

/* A literal piece of JSON. */
#define CT_PUT(e, literal) mt_buf_add((e)->b, "" literal, sizeof(literal) - 1)

/* A quoted name; names need no escapes. */
static inline void ct_emit_name(ct_emit *e, ct_sym sym)
{
    ct_symbol s = e->u->syms.items[sym];
    mt_buf *b = e->b;
    if (MT_UNLIKELY(!mt_buf_room(b, (size_t)s.len + 18))) {
        return;
    }
    char *out = b->ptr + b->len;
    out[0] = '"';
    if (s.len <= sizeof s.head) {
        memcpy(out + 1, &s.head, sizeof s.head); /* no call for short names */
    } else {
        memcpy(out + 1, s.ptr, s.len);
    }
    out[1 + s.len] = '"';
    b->len += (size_t)s.len + 2;
}

/* A quoted string value, escaped where needed. */
void ct_emit_text(ct_emit *e, mt_str text);
void ct_emit_names(ct_emit *e, const ct_names *names);
void ct_emit_type(ct_emit *e, const ct_type *t);
/* {"amount":...,"currency":...}; with `kind` and rounded to cents as a value is. */
void ct_emit_money(ct_emit *e, const ct_expr *x, bool as_value, bool rounded);
void ct_emit_decimal(ct_emit *e, mt_str text, uint32_t precision, uint32_t scale);
/* The default of a fact. */
void ct_emit_value(ct_emit *e, const ct_type *t, const ct_expr *x);
void ct_emit_payload(ct_emit *e, const ct_type *t, const ct_expr *x);
void ct_emit_term(ct_emit *e, const ct_expr *x);
void ct_emit_condition(ct_emit *e, const ct_expr *x);
void ct_emit_flow(ct_emit *e, const ct_flow *f);
void ct_emit_system(ct_emit *e, const ct_system *s);
/* ,"provenance":{...} of a construct */
void ct_emit_provenance(ct_emit *e, const ct_construct *c);

#endif
