/* contract/front/emit.h - what the files of pass 6 share.
 * Room: contract/front.
 * Interchange is written directly: the keys of every node are known, so they stand in
 * sorted order in the source text here. */
#ifndef FR_WIRE_EMIT_H
#define FR_WIRE_EMIT_H

#include "contract/front/unit.h"
#include "contract/wire/round_text.h"

typedef struct fr_emit {
    fr_unit *u;
    mt_buf *b;
    const fr_file *file; /* whose provenance text is ready */
    mt_str provenance;   /* ,"provenance":{"file":"...","line": */
    bool extended;       /* a node beyond 1.0 was written */
} fr_emit;

/* A literal piece of JSON. */
#define FR_PUT(e, literal) mt_buf_add((e)->b, "" literal, sizeof(literal) - 1)

/* A quoted name; names need no escapes. */
static inline void fr_emit_name(fr_emit *e, fr_sym sym)
{
    fr_symbol s = e->u->syms.items[sym];
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
void fr_emit_text(fr_emit *e, mt_str text);
/* ["a","b"], in the order given. */
void fr_emit_names(fr_emit *e, const fr_names *names);
/* Written out, however deep; writes nothing once the buffer is full. */
void fr_emit_type(fr_emit *e, const fr_type *t);
/* {"amount":...,"currency":...}; with `kind` and rounded to cents as a value is. */
void fr_emit_money(fr_emit *e, const fr_expr *x, bool as_value, bool rounded);
/* {"kind":"decimal_value",...} of digits that are already as they are to be written. */
void fr_emit_decimal(fr_emit *e, mt_str text, uint32_t precision, uint32_t scale);
/* The default of a fact. */
void fr_emit_value(fr_emit *e, const fr_type *t, const fr_expr *x);
/* {"type":...,"value":...} of what a rule produces. */
void fr_emit_payload(fr_emit *e, const fr_type *t, const fr_expr *x);
/* A value inside a condition or a payload. Its type is there since pass 4. */
void fr_emit_term(fr_emit *e, const fr_expr *x);
/* A record, list or union of terms, whose type is known from its place. */
void fr_emit_structure(fr_emit *e, const fr_type *t, const fr_expr *x);
/* A condition: what is Bool and decides, as `when` and `precondition` have it. */
void fr_emit_condition(fr_emit *e, const fr_expr *x);
/* Whole constructs with their provenance, keys in byte order. */
void fr_emit_flow(fr_emit *e, const fr_flow *f);
void fr_emit_system(fr_emit *e, const fr_system *s);
/* ,"provenance":{...} of a construct */
void fr_emit_provenance(fr_emit *e, const fr_construct *c);

#endif
