/* analyze/prove/prove_witness.c - from a model of the formulas to a fact set, and what
 * the evaluator says to it.
 *
 * Every fact that was asked about is written with the value the model gives it, others
 * with the plainest one, facts with defaults that nobody asked about not at all.
 * Numbers of texts become texts again; one that stands for no text that was met
 * becomes a, b, c, and so on, none of which occurs in the contracts.
 *
 * Confirming: each side reads the fact set as JSON and evaluates it, then the claim is
 * decided from verdicts and conditions. So a witness passes through the same door as a
 * user's facts, and an error in the translation can make an answer unknown, not wrong.
 */
#include "analyze/prove/prove_internal.h"
#include "base/json_write.h"
#include "contract/wire/currency.h"

typedef struct writer {
    an_prover *p;
    Z3_model model; /* NULL: the plainest values */
    mt_jw w;
    mt_map others; /* texts that stand for no text that was met: code -> text */
} writer;

static void write_sym(writer *w, const ct_type *t, const pv_sym *s);

/* The decimal text of a formula's value. With completion: what the model leaves open
 * gets some value. */
static mt_str value_text(writer *w, Z3_ast v)
{
    Z3_ast out;
    if (!v || !Z3_model_eval(w->p->z, w->model, v, true, &out)) {
        return MT_STR("0");
    }
    return mt_str_dup(&w->p->tmp, mt_str_z(Z3_get_numeral_string(w->p->z, out)));
}

/* 0 where the value does not fit 64 bits; the
 * types that are read so never have such values. */
static int64_t value_int(writer *w, Z3_ast v)
{
    Z3_ast out;
    int64_t n = 0;
    if (v && Z3_model_eval(w->p->z, w->model, v, true, &out)) {
        (void)Z3_get_numeral_int64(w->p->z, out, &n);
    }
    return n;
}

static bool value_bool(writer *w, Z3_ast v)
{
    Z3_ast out;
    return v && Z3_model_eval(w->p->z, w->model, v, true, &out) &&
           Z3_get_bool_value(w->p->z, out) == Z3_L_TRUE;
}

/* Digits with the point put in, without needless zeros beyond `keep` digits. */
static void write_decimal(writer *w, mt_str digits, unsigned scale, unsigned keep)
{
    bool negative = digits.len && digits.ptr[0] == '-';
    mt_str body = mt_str_skip(digits, negative);
    mt_buf b = {0};
    mt_buf_addz(&b, negative ? "-" : "");
    for (size_t i = body.len; i <= scale; i++) {
        mt_buf_addc(&b, '0');
    }
    mt_buf_adds(&b, body);
    size_t end = b.len;
    unsigned shown = scale;
    while (shown > keep && b.ptr[end - 1] == '0') {
        end--;
        shown--;
    }
    size_t point = b.len - scale;
    mt_str text = shown ? mt_strf(&w->p->tmp, "%.*s.%.*s", (int)point, b.ptr,
                                  (int)shown, b.ptr + point)
                        : mt_strf(&w->p->tmp, "%.*s", (int)point, b.ptr);
    mt_jw_str(&w->w, text);
    mt_buf_free(&b);
}

/* At least the digits of the currency, for the reader's eye. */
static void write_money(writer *w, const ct_type *t, const pv_sym *s)
{
    unsigned digits = ct_currency_digits(t->as.currency);
    mt_jw_begin_object(&w->w);
    mt_jw_keyz(&w->w, "amount");
    write_decimal(w, s ? value_text(w, s->v) : MT_STR("0"), s ? s->scale : digits,
                  digits);
    mt_jw_key_str(&w->w, "currency", t->as.currency);
    mt_jw_end_object(&w->w);
}

static void write_duration(writer *w, const ct_type *t, int64_t n)
{
    mt_jw_begin_object(&w->w);
    mt_jw_key_str(&w->w, "unit", mt_str_z(CT_UNIT_NAMES[t->unit]));
    mt_jw_key_i64(&w->w, "value", n);
    mt_jw_end_object(&w->w);
}

/* Text that is none of those met: a, b, … z, ba, … */
static mt_str other_text(writer *w, mt_str code)
{
    bool added;
    mt_map_entry *e = mt_map_add(&w->p->tmp, &w->others, code, &added);
    uint32_t n = (uint32_t)(e - w->others.entries);
    if (!added) {
        return *(mt_str *)e->value;
    }
    for (uint32_t skip = 0;; skip++) {
        char text[16], *at = text + sizeof text;
        uint32_t rest = n + skip;
        do {
            *--at = (char)('a' + rest % 26);
            rest /= 26;
        } while (rest);
        mt_str try = mt_str_from(at, (size_t)(text + sizeof text - at));
        bool used = mt_map_find(&w->p->texts, try) != NULL;
        for (uint32_t i = 0; i < w->others.len && !used; i++) {
            uintptr_t value = w->others.entries[i].value;
            used = value && mt_str_eq(*(mt_str *)value, try);
        }
        if (!used) {
            mt_str *kept = mt_new(&w->p->tmp, mt_str);
            *kept = mt_str_dup(&w->p->tmp, try);
            e->value = (uintptr_t)kept;
            return *kept;
        }
    }
}

/* Codes are positions in the list of texts; larger numbers stand for texts that differ
 * from all of them and from each other. */
static mt_str text_of(writer *w, Z3_ast v)
{
    mt_str code = value_text(w, v);
    uint64_t n = 0;
    for (size_t i = 0; i < code.len && code.len < 12; i++) {
        n = n * 10 + (unsigned)(code.ptr[i] - '0');
    }
    bool met = code.len < 12 && n < w->p->text_list.len;
    return met ? w->p->text_list.items[n] : other_text(w, code);
}

/* Nanoseconds of years 1 to 9999 need more than 64 bits. Seconds are rounded down, so
 * the rest is not negative. */
static void write_time(writer *w, mt_str digits)
{
    __extension__ typedef __int128 wide;
    wide n = 0;
    bool negative = digits.ptr[0] == '-';
    for (size_t i = negative; i < digits.len; i++) {
        n = n * 10 + (digits.ptr[i] - '0');
    }
    n = negative ? -n : n;
    wide unit = 1000000000, seconds = n / unit - (n % unit < 0);
    char text[CT_TIME_TEXT];
    ct_time t = {(int64_t)seconds, (uint32_t)(n - seconds * unit)};
    mt_jw_str(&w->w, mt_str_from(text, ct_time_print(t, text)));
}

static void write_date(writer *w, int64_t days)
{
    char text[CT_DATE_TEXT];
    mt_jw_str(&w->w, mt_str_from(text, ct_date_print(days, text)));
}

/* Elements behind those that are written out repeat the last one, as the formulas
 * assume. */
static void write_list(writer *w, const ct_type *t, const pv_sym *s)
{
    int64_t n = s ? value_int(w, s->v) : 0;
    mt_jw_begin_array(&w->w);
    for (int64_t i = 0; i < n; i++) {
        const pv_sym *part = NULL;
        if (s->count) {
            part = s->parts[i < (int64_t)s->count ? (uint32_t)i : s->count - 1];
        }
        write_sym(w, t->as.list.element, part);
    }
    mt_jw_end_array(&w->w);
}

/* Bounds allow tags of the union only; should the solver give another, the first one is
 * written then, and the evaluator has the last word. */
static void write_union(writer *w, const ct_type *t, const pv_sym *s)
{
    uint32_t tag = s ? ct_field_find(t, text_of(w, s->v)) : 0;
    tag = tag == CT_NONE ? 0 : tag;
    mt_jw_begin_object(&w->w);
    mt_jw_keyz(&w->w, "payload");
    write_sym(w, t->as.variants[tag].type, s ? s->parts[tag] : NULL);
    mt_jw_key_str(&w->w, "tag", t->as.variants[tag].name);
    mt_jw_end_object(&w->w);
}

static void write_record(writer *w, const ct_type *t, const pv_sym *s)
{
    mt_jw_begin_unsorted(&w->w);
    for (uint32_t i = 0; i < t->count; i++) {
        mt_jw_key(&w->w, t->as.fields[i].name);
        write_sym(w, t->as.fields[i].type, s ? s->parts[i] : NULL);
    }
    mt_jw_end_object(&w->w);
}

static int64_t nearest_to_zero(const ct_type *t)
{
    return t->as.range.min > 0   ? t->as.range.min
           : t->as.range.max < 0 ? t->as.range.max
                                 : 0;
}

static void write_whole(writer *w, const ct_type *t, const pv_sym *s)
{
    if (ct_is_day(t)) {
        write_date(w, s ? value_int(w, s->v) : PV_PLAIN_DAY);
        return;
    }
    int64_t n = s ? value_int(w, s->v) : nearest_to_zero(t);
    if (ct_has(t, LN_UNIT)) {
        write_duration(w, t, n);
    } else {
        mt_jw_i64(&w->w, n);
    }
}

/* `s` NULL: nobody asked about the value, the plainest will do. */
static void write_sym(writer *w, const ct_type *t, const pv_sym *s)
{
    Z3_ast v = s ? s->v : NULL;
    switch (ct_held(t)) {
    case LN_BOOLEAN: mt_jw_bool(&w->w, value_bool(w, v)); break;
    case LN_INTEGER: write_whole(w, t, s); break;
    case LN_DECIMAL:
        if (ct_has(t, LN_CURRENCY)) {
            write_money(w, t, s);
        } else {
            write_decimal(w, s ? value_text(w, v) : MT_STR("0"),
                          s ? s->scale : t->as.decimal.scale, t->as.decimal.scale);
        }
        break;
    case LN_TEXT: mt_jw_str(&w->w, s ? text_of(w, v) : MT_STR("")); break;
    case LN_CHOICE: mt_jw_str(&w->w, s ? text_of(w, v) : t->as.values[0]); break;
    case LN_TIME: write_time(w, s ? value_text(w, v) : MT_STR(PV_PLAIN_NANOS)); break;
    case LN_RECORD: write_record(w, t, s); break;
    case LN_VARIANT: write_union(w, t, s); break;
    case LN_LIST: write_list(w, t, s); break;
    }
}

/* Members are in the order of the facts; one that
 * the question has fixed is written as it was given. */
mt_str pv_witness(an_prover *p, mt_arena *a, Z3_model model)
{
    mt_buf out = {0};
    writer w = {.p = p, .model = model, .w = mt_jw_start(&out, false)};
    mt_jw_begin_unsorted(&w.w);
    for (size_t i = 0; i < p->facts.len; i++) {
        const pv_fact *f = &p->facts.items[i];
        if (f->fixed) {
            mt_buf value = {0};
            ct_value_plain(&value, f->type, f->fixed);
            mt_jw_key(&w.w, f->id);
            mt_jw_raw(&w.w, mt_buf_str(&value));
            mt_buf_free(&value);
        } else if ((f->s || !f->otherwise) && !f->left_out) {
            mt_jw_key(&w.w, f->id);
            write_sym(&w, f->type, f->s);
        }
    }
    mt_jw_end_object(&w.w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* ---- Confirming ---- */

/* What the evaluator says of one fact set, side
 * by side. `known` because claims share parts. */
typedef struct judge {
    an_prover *p;
    bool sound[2];  /* the side evaluated without a fault */
    mt_str rule[2]; /* else: the rule that had it */
    ct_fault fault;
    mt_map known; /* by claim: 1 false, 2 true */
} judge;

static bool is_true(judge *j, const an_claim *c);

/* As new_formula() in prove.c means it, but asked of the evaluator. */
static bool find_out(judge *j, const an_claim *c)
{
    bool holds = false;
    const pv_side *s = &j->p->sides[c->side];
    ct_snapshot snapshot = {s->program, s->facts, s->verdicts};
    switch (c->op) {
    case PV_NOT: return !is_true(j, c->x);
    case PV_AND: return is_true(j, c->x) && is_true(j, c->y);
    case PV_OR: return is_true(j, c->x) || is_true(j, c->y);
    case PV_FAULTS:
        return !j->sound[c->side] &&
               mt_str_eq(j->rule[c->side], s->model->rules[c->rule].id);
    case PV_HOLDS:
        return j->sound[c->side] &&
               (!c->predicate || (ct_holds_expr(&snapshot, c->predicate, &holds,
                                                &j->p->tmp, NULL, &j->fault) == MT_OK &&
                                  holds));
    }
    MT_BUG("unknown kind of claim");
}

static bool is_true(judge *j, const an_claim *c)
{
    bool added;
    uintptr_t known = *pv_claim_note(&j->p->tmp, &j->known, c, &added);
    if (!known) {
        known = find_out(j, c) ? 2 : 1;
        *pv_claim_note(&j->p->tmp, &j->known, c, &added) = known;
    }
    return known == 2;
}

/* False also for facts that a side refuses to
 * read: then the witness is not a legal fact set. */
bool pv_confirm(an_prover *p, const an_claim *claim, mt_str facts)
{
    judge j = {.p = p};
    for (unsigned i = 0; i < p->side_count; i++) {
        pv_side *s = &p->sides[i];
        if (ct_facts_read(s->facts, facts, &p->limits, false, &j.fault) != MT_OK) {
            return false;
        }
        j.sound[i] =
            ct_evaluate(s->program, s->facts, s->verdicts, &p->tmp, &j.fault) == MT_OK;
        j.rule[i] = j.fault.rule;
    }
    return is_true(&j, claim);
}
