/* graph/value.h - what flows along an edge, and what a parameter holds.
 * Room: graph. May include base/ only.
 * JSON, tagged: {"Number":1.0} {"Series":[1.0]} {"Bool":true} {"String":"s"}; plain:
 * 1.0 [1.0] true "s". Numbers are written with the shortest digits that read back.
 * Ownership: a value borrows its series and text; who made it says how long. */
#ifndef GR_VALUE_H
#define GR_VALUE_H

#include "base/json_read.h"
#include "base/str.h"

typedef enum gr_type {
    GR_NONE, /* nothing is there: an unconnected input, an absent context key */
    GR_NUMBER,
    GR_SERIES,
    GR_BOOL,
    GR_STRING,
    GR_EVENT
} gr_type;

/* Two families: what a Trigger says, and what became of an Action. */
typedef enum gr_event {
    /* A Trigger's: it says nothing in this pass. */
    GR_NOT_EMITTED,
    GR_EMITTED,
    /* ORDER: from here to GR_FAILED what an Action that ran may report; manifests
     * name them. */
    GR_ATTEMPTED,
    GR_COMPLETED,
    GR_REJECTED,
    GR_CANCELLED,
    GR_FAILED,
    /* The gate did not open, so the Action did not run. */
    GR_SKIPPED
} gr_event;

typedef struct gr_value {
    union {
        double number;
        const double *series;
        const char *text;
        uint64_t boolean; /* 0 or 1 */
        uint64_t event;   /* gr_event */
    } as;
    uint32_t len;  /* elements of a series, bytes of text */
    uint32_t type; /* gr_type */
} gr_value;

static inline gr_value gr_number(double n)
{
    return (gr_value){.as.number = n, .type = GR_NUMBER};
}

static inline gr_value gr_bool(bool b)
{
    return (gr_value){.as.boolean = b, .type = GR_BOOL};
}

static inline gr_value gr_string(mt_str s)
{
    return (gr_value){.as.text = s.ptr, .len = (uint32_t)s.len, .type = GR_STRING};
}

static inline gr_value gr_series(const double *items, size_t len)
{
    return (gr_value){.as.series = items, .len = (uint32_t)len, .type = GR_SERIES};
}

static inline gr_value gr_event_value(gr_event e)
{
    return (gr_value){.as.event = e, .type = GR_EVENT};
}

static inline mt_str gr_text_of(const gr_value *v)
{
    return mt_str_from(v->as.text, v->len);
}

/* "Number", "Series", "Bool", "String", "Event"; "none". */
const char *gr_type_name(gr_type type);
/* Any case; GR_NONE when it is none of the five. */
gr_type gr_type_of(mt_str name);
/* "Emitted", "Skipped", ... */
const char *gr_event_name(gr_event event);
/* 0.0, empty series, false, "": what a source gives for an absent optional key. */
gr_value gr_type_zero(gr_type type);

/* Neither NaN nor infinite, in every element of a series. True for other types. */
bool gr_value_finite(const gr_value *v);
/* Same type and same bits (-0.0 differs from 0.0). */
bool gr_value_same(const gr_value *a, const gr_value *b);
/* Copies series and text into the arena. */
gr_value gr_value_dup(mt_arena *a, gr_value v);

void gr_value_json(mt_buf *out, const gr_value *v);       /* tagged */
void gr_value_plain_json(mt_buf *out, const gr_value *v); /* events as their name */
/* Number, string, bool and all-number array become values (series in the arena); false
 * for everything else and for numbers that are not finite doubles. */
bool gr_value_from_json(mt_arena *a, const mt_json *node, gr_value *out);

/* Appends the text of a finite double: "1.0", "1e16", "1.5e-7", "-0.0". */
void gr_number_text(mt_buf *out, double n);

/* ---- parameters ---- */

typedef enum gr_param_type {
    GR_P_NONE,
    GR_P_INT,
    GR_P_NUMBER,
    GR_P_BOOL,
    GR_P_STRING,
    GR_P_ENUM
} gr_param_type;

/* What is set follows from `type`. */
typedef struct gr_literal {
    gr_param_type type; /* GR_P_NONE: not given */
    int64_t integer;
    double number;
    bool boolean;
    bool derived; /* made by derive_key from the authoring path */
    mt_str text;  /* String and Enum */
} gr_literal;

const char *gr_param_type_name(gr_param_type type); /* "Int", ... */
gr_param_type gr_param_type_of(mt_str name);
/* Untyped literal: integer is Int, fraction or exponent is Number. MT_E_TYPE for null,
 * array and object; MT_E_RANGE for what is not a finite double or an int64. */
mt_err gr_literal_from_json(const mt_json *node, gr_literal *out);
/* {"kind":"Number","value":3.5} */
void gr_literal_json(mt_buf *out, const gr_literal *l);
/* The literal as a parameter of `type`: Int widens to Number, String serves as Enum.
 * MT_E_TYPE; MT_E_RANGE when an Int has no exact double (beyond 2^53). */
mt_err gr_literal_cast(const gr_literal *l, gr_param_type type, gr_literal *out);
/* The value a node sees: Int as Number, Enum as String. */
gr_value gr_literal_value(const gr_literal *l);

#endif
