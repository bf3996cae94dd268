/* api/eval.c - the public API's fact sets and verdicts.
 *
 * Facts come as JSON text, or typed: values are put one after the other, and a stack
 * of open values knows, from the declared types, what is due next and where it goes. A
 * value of another type is refused and the fault kept; every later call answers it
 * until motet_facts_begin(), so a caller may look once at the end.
 *
 * A fact set belongs to its contract; evaluating it with verdicts of another is
 * MOTET_E_USAGE. JSON that is handed out lives until the next call on the same object.
 * An object belongs to one thread at a time; a contract may be shared. */
#include <stdlib.h>

#include "answer/case.h"
#include "api/api.h"

/* Levels of a value, from the fact to its innermost part; more are refused in push().
 */
enum { MAX_OPEN = 256 };

/* A value being put: `left` more values of `type` (or the fields of a record). */
typedef struct open_value {
    const ct_type *type; /* of each element; of the record itself */
    ct_value *at;        /* where the next one goes; a record: its first slot */
    size_t left;
    bool is_record;
} open_value;

/* `err` starts as MT_E_USAGE, so a set that was never filled cannot be evaluated. */
struct motet_facts {
    const motet_contract *contract;
    ct_facts *facts;
    ct_fault fault;
    mt_err err;
    mt_str text;     /* that it was read from, the caller's; empty: it was put */
    mt_buf warnings; /* about that text, when they were asked for */
    bool filled;   /* by motet_facts_read() or motet_facts_end(), and not begun again */
    uint32_t fact; /* being put, CT_NONE when none is */
    ct_value *room; /* where the value of `fact` is built, in the set's arena */
    open_value open[MAX_OPEN]; /* from the fact itself to the value that is due */
    size_t depth;              /* how many of `open` are in use; 0: no value is due */
};

struct motet_verdicts {
    const motet_contract *contract;
    ct_verdicts *verdicts;
    mt_arena errors; /* texts of `fault`, until the next evaluation */
    ct_fault fault;
    mt_err err;
    mt_buf json; /* what was handed out last */
};

const ct_facts *api_facts_inside(const motet_facts *facts)
{
    return facts->facts;
}

const ct_verdicts *api_verdicts_inside(const motet_verdicts *verdicts)
{
    return verdicts->verdicts;
}

bool api_evaluated(const motet_contract *contract, const motet_facts *facts,
                   const motet_verdicts *verdicts)
{
    return facts && verdicts && facts->filled && verdicts->err == MT_OK &&
           facts->contract == contract && verdicts->contract == contract;
}

/* Borrows: valid until the set is filled or evaluated again. */
static motet_fault out_fault(const ct_fault *f)
{
    return (motet_fault){ct_fault_name(f->kind), api_out_str(f->path),
                         api_out_str(f->rule), api_out_str(f->message)};
}

/* ---- Fact sets ---- */

/* The contract must have been loaded without fault, since the layout of facts comes
 * from its model. */
motet_facts *motet_facts_new(const motet_contract *contract)
{
    if (!contract || !contract->program) {
        return NULL;
    }
    motet_facts *f = mt_xmalloc(sizeof *f);
    *f = (motet_facts){.contract = contract,
                       .facts = ct_facts_new(contract->model),
                       .fact = CT_NONE,
                       .err = MT_E_USAGE};
    return f;
}

void motet_facts_free(motet_facts *facts)
{
    if (facts) {
        ct_facts_free(facts->facts);
        mt_buf_free(&facts->warnings);
        free(facts);
    }
}

motet_fault motet_facts_fault(const motet_facts *facts)
{
    if (!facts) {
        return (motet_fault){"", {"", 0}, {"", 0}, {"", 0}};
    }
    return out_fault(&facts->fault);
}

/* What is refused is not passed over, so a strict reading leaves nothing to warn of. */
motet_str motet_facts_warnings(motet_facts *facts)
{
    if (!facts) {
        return (motet_str){"", 0};
    }
    aw_reply r = {0};
    mt_buf_clear(&facts->warnings);
    if (facts->text.len) {
        aw_warn_surplus(&r, facts->facts, facts->text, NULL);
    }
    api_join_lines(&facts->warnings, r.warnings.items, r.warnings.len);
    aw_reply_free(&r);
    return api_out_str(mt_buf_str(&facts->warnings));
}

motet_status motet_facts_read(motet_facts *facts, motet_str json, bool strict)
{
    if (!facts) {
        return MOTET_E_USAGE;
    }
    facts->err =
        ct_facts_read(facts->facts, api_in_str(json), NULL, strict, &facts->fault);
    facts->text = strict ? (mt_str){0} : api_in_str(json);
    facts->filled = facts->err == MT_OK;
    facts->fact = CT_NONE;
    facts->depth = 0;
    return (motet_status)facts->err;
}

/* The first fault stays; later ones follow from it. `message` is static or in the arena
 * of the fact set. */
static motet_status refuse(motet_facts *f, mt_err err, mt_str message)
{
    if (f->err == MT_OK) {
        f->err = err;
        f->fault = (ct_fault){.kind = CT_FAULT_TYPE_MISMATCH, .message = message};
        if (f->fact != CT_NONE) {
            f->fault.path = f->contract->model->facts[f->fact].id;
        }
    }
    return (motet_status)f->err;
}

/* Memory of the values before is kept for reuse and their content is void. */
void motet_facts_begin(motet_facts *facts)
{
    if (!facts) {
        return;
    }
    ct_facts_begin(facts->facts);
    facts->text = (mt_str){0};
    facts->fault = (ct_fault){0};
    facts->err = MT_OK;
    facts->filled = false;
    facts->fact = CT_NONE;
    facts->depth = 0;
}

/* The value is built beside the fact set and handed over when it is complete, so a fact
 * is never half set. */
motet_status motet_facts_name(motet_facts *f, const char *fact)
{
    if (!f) {
        return MOTET_E_USAGE;
    }
    const ct_model *m = f->contract->model;
    if (f->fact != CT_NONE) {
        return refuse(f, MT_E_USAGE, MT_STR("the value before is not complete"));
    }
    uint32_t index = ct_model_find(m, CT_KIND_FACT, mt_str_z(fact));
    if (index == CT_NONE) {
        return refuse(f, MT_E_NOTFOUND, MT_STR("the contract has no such fact"));
    }
    const ct_type *type = m->facts[index].type;
    f->filled = false;
    f->fact = index;
    f->room = mt_new_array(ct_facts_arena(f->facts), ct_value, type->slots + 1);
    f->open[0] = (open_value){type, f->room, 1, false};
    f->depth = 1;
    return (motet_status)f->err;
}

/* The type of the value that is due, NULL when none is. Fields come in byte order of
 * their names: `left` counts down, so count - left is the next one. */
static const ct_type *due(const motet_facts *f)
{
    if (f->err != MT_OK || !f->depth) {
        return NULL;
    }
    const open_value *o = &f->open[f->depth - 1];
    return o->is_record ? o->type->as.fields[o->type->count - o->left].type : o->type;
}

/* Only while a value is due. */
static ct_value *place(const motet_facts *f)
{
    const open_value *o = &f->open[f->depth - 1];
    return o->is_record ? o->at + o->type->as.fields[o->type->count - o->left].offset
                        : o->at;
}

/* One value is complete: so are those that waited for it alone. A container pushed with
 * nothing to follow has been taken off already, so what is on top is its parent.
 * Elements move on by their slots; fields are found by offset. Ranges and lengths are
 * checked by ct_facts_set(), once for the whole value (§4.3). */
static motet_status advance(motet_facts *f)
{
    while (f->depth) {
        open_value *o = &f->open[f->depth - 1];
        if (!o->is_record && o->left) {
            o->at += o->type->slots;
        }
        o->left -= o->left > 0;
        if (o->left) {
            return MOTET_OK;
        }
        f->depth--;
    }
    f->err = ct_facts_set(f->facts, f->fact, f->room, &f->fault);
    f->fact = CT_NONE;
    return (motet_status)f->err;
}

/* `fits`: a value of this kind is due. */
static motet_status put(motet_facts *f, bool fits, const ct_value *value)
{
    const ct_type *t = due(f);
    if (!t || !fits) {
        return refuse(
            f, t ? MT_E_TYPE : MT_E_USAGE,
            t ? mt_strf(ct_facts_arena(f->facts), "expected %s", LN_BASES[t->base].name)
              : MT_STR("no value is due here"));
    }
    *place(f) = *value;
    return advance(f);
}

motet_status motet_put_bool(motet_facts *facts, bool value)
{
    if (!facts) {
        return MOTET_E_USAGE;
    }
    const ct_type *t = due(facts);
    return put(facts, t && ct_held(t) == LN_BOOLEAN, &(ct_value){.boolean = value});
}

/* RANGED types are Int and Duration, the latter in the unit of its type; a Date is an
 * integer too but is put as text. */
motet_status motet_put_int(motet_facts *facts, int64_t value)
{
    if (!facts) {
        return MOTET_E_USAGE;
    }
    const ct_type *t = due(facts);
    return put(facts, t && ct_has(t, LN_RANGED), &(ct_value){.integer = value});
}

/* As text, because a double cannot hold most amounts. More than 28 digits behave as in
 * mt_decimal_parse(); the declared scale is checked by ct_facts_set(). */
static motet_status put_decimal(motet_facts *f, const char *text, unsigned trait)
{
    const ct_type *t = due(f);
    ct_value v = {0};
    if (f->err == MT_OK && mt_decimal_parse(mt_str_z(text), &v.decimal) != MT_OK) {
        return refuse(f, MT_E_TYPE, MT_STR("the text is not a decimal"));
    }
    return put(f, t && ct_held(t) == LN_DECIMAL && ct_has(t, trait), &v);
}

motet_status motet_put_decimal(motet_facts *facts, const char *value)
{
    if (!facts) {
        return MOTET_E_USAGE;
    }
    return put_decimal(facts, value, LN_NUMBER);
}

/* The currency is that of the declared type, so it is not asked for again. */
motet_status motet_put_money(motet_facts *facts, const char *amount)
{
    if (!facts) {
        return MOTET_E_USAGE;
    }
    return put_decimal(facts, amount, LN_CURRENCY);
}

/* Text as the type that is due reads it; false when it cannot. */
static bool text_value(motet_facts *f, const ct_type *t, mt_str text, ct_value *out)
{
    if (ct_held(t) == LN_CHOICE) {
        return (out->choice = ct_choice_find(t, text)) != CT_NONE;
    }
    if (ct_is_day(t)) {
        return ct_date_parse(text, &out->integer);
    }
    if (ct_held(t) == LN_TIME) {
        return ct_time_parse(text, &out->time);
    }
    out->text = mt_str_dup(ct_facts_arena(f->facts), text);
    return true;
}

/* One function for all that is written as text; which one is meant follows from the
 * type that is due. text_value() copies, so the caller's bytes may go. */
motet_status motet_put_text(motet_facts *facts, motet_str value)
{
    if (!facts) {
        return MOTET_E_USAGE;
    }
    const ct_type *t = due(facts);
    ct_value v = {0};
    mt_str text = api_in_str(value);
    if (t && !text_value(facts, t, text, &v)) {
        return refuse(facts, MT_E_TYPE,
                      mt_strf(ct_facts_arena(facts->facts), "no value of %s: %.*s",
                              LN_BASES[t->base].name, MT_ARG(text)));
    }
    return put(facts, t && (ct_held(t) == LN_TEXT || ct_has(t, LN_WRITTEN)), &v);
}

/* Opens a container; it is complete at once when nothing is to follow. `o.left` is 0
 * for an empty list and for a record without fields. */
static motet_status push(motet_facts *f, open_value o)
{
    if (f->depth == MAX_OPEN) {
        return refuse(f, MT_E_LIMIT, MT_STR("values nest too deeply"));
    }
    f->open[f->depth++] = o;
    if (!o.left) {
        f->depth--;
        return advance(f);
    }
    return MOTET_OK;
}

/* NULL with the fault set, or with the one that was set before. */
static const ct_type *due_as(motet_facts *f, ln_held held)
{
    const ct_type *t = due(f);
    if (t && ct_held(t) == held) {
        return t;
    }
    put(f, false, NULL); /* says what was due instead */
    return NULL;
}

/* The length is compared with the type's maximum before memory is taken, so a wrong
 * length cannot ask for more than the contract allows. 32 bits hold it: so do the
 * maxima of types. */
motet_status motet_put_list(motet_facts *facts, size_t length)
{
    if (!facts) {
        return MOTET_E_USAGE;
    }
    const ct_type *t = due_as(facts, LN_LIST);
    if (!t) {
        return (motet_status)facts->err;
    }
    if (length > t->as.list.max) {
        return refuse(facts, MT_E_RANGE, MT_STR("the list is longer than its max"));
    }
    const ct_type *element = t->as.list.element;
    ct_value *items =
        mt_new_array(ct_facts_arena(facts->facts), ct_value, length * element->slots);
    ct_value *v = place(facts);
    v->list.items = items;
    v->list.count = (uint32_t)length;
    return push(facts, (open_value){element, items, length, false});
}

/* A record lies inside its parent, so its fields are put where it stands and nothing is
 * allocated. */
motet_status motet_put_record(motet_facts *facts)
{
    if (!facts) {
        return MOTET_E_USAGE;
    }
    const ct_type *t = due_as(facts, LN_RECORD);
    return t ? push(facts, (open_value){t, place(facts), t->count, true})
             : (motet_status)facts->err;
}

/* The payload lies apart; only tag and address are in the parent
 * (contract/wire/value.h). */
motet_status motet_put_union(motet_facts *facts, const char *tag)
{
    if (!facts) {
        return MOTET_E_USAGE;
    }
    const ct_type *t = due_as(facts, LN_VARIANT);
    if (!t) {
        return (motet_status)facts->err;
    }
    uint32_t index = ct_field_find(t, mt_str_z(tag));
    if (index == CT_NONE) {
        return refuse(facts, MT_E_TYPE, MT_STR("the union has no such tag"));
    }
    const ct_type *inner = t->as.variants[index].type;
    ct_value *payload =
        mt_new_array(ct_facts_arena(facts->facts), ct_value, inner->slots + 1);
    ct_value *v = place(facts);
    v->variant.payload = payload;
    v->variant.tag = index;
    return push(facts, (open_value){inner, payload, 1, false});
}

/* Defaults are filled in here and facts that have none are reported (§5.2). */
motet_status motet_facts_end(motet_facts *facts)
{
    if (!facts) {
        return MOTET_E_USAGE;
    }
    if (facts->fact != CT_NONE) {
        return refuse(facts, MT_E_USAGE, MT_STR("the value is not complete"));
    }
    if (facts->err == MT_OK) {
        facts->err = ct_facts_end(facts->facts, &facts->fault);
    }
    facts->filled = facts->err == MT_OK;
    return (motet_status)facts->err;
}

/* ---- Verdicts ---- */

motet_verdicts *motet_verdicts_new(const motet_contract *contract)
{
    if (!contract || !contract->program) {
        return NULL;
    }
    motet_verdicts *v = mt_xmalloc(sizeof *v);
    *v = (motet_verdicts){.contract = contract,
                          .verdicts = ct_verdicts_new(contract->program),
                          .err = MT_E_USAGE};
    return v;
}

void motet_verdicts_free(motet_verdicts *verdicts)
{
    if (verdicts) {
        ct_verdicts_free(verdicts->verdicts);
        mt_arena_free(&verdicts->errors);
        mt_buf_free(&verdicts->json);
        free(verdicts);
    }
}

/* Facts of another contract have another layout; evaluating them would read at wrong
 * places, so they are refused as if the set was empty. */
motet_status motet_evaluate(const motet_facts *facts, motet_verdicts *v)
{
    if (!facts || !v) {
        return MOTET_E_USAGE;
    }
    mt_arena_reset(&v->errors);
    v->fault = (ct_fault){0};
    if (!facts->filled || facts->contract != v->contract) {
        v->err = MT_E_USAGE;
        v->fault.message = MT_STR("the fact set is not filled");
        return MOTET_E_USAGE;
    }
    v->err = ct_evaluate(v->contract->program, facts->facts, v->verdicts, &v->errors,
                         &v->fault);
    return (motet_status)v->err;
}

/* False also after a failed evaluation and for a name no rule produces; who has to tell
 * these apart asks for the status. */
bool motet_verdict_present(const motet_verdicts *verdicts, const char *name)
{
    if (!verdicts) {
        return false;
    }
    uint32_t rule =
        ct_model_find(verdicts->contract->model, CT_KIND_VERDICT, mt_str_z(name));
    return verdicts->err == MT_OK && rule != CT_NONE &&
           ct_verdict_present(verdicts->verdicts, rule);
}

/* Empty after a failed evaluation, never a part of the verdicts. */
motet_str motet_verdicts_json(motet_verdicts *verdicts)
{
    if (!verdicts) {
        return (motet_str){"", 0};
    }
    mt_buf_clear(&verdicts->json);
    if (verdicts->err == MT_OK) {
        ct_verdicts_json(&verdicts->json, verdicts->verdicts);
    }
    return api_out_str(mt_buf_str(&verdicts->json));
}

motet_fault motet_verdicts_fault(const motet_verdicts *verdicts)
{
    if (!verdicts) {
        return (motet_fault){"", {"", 0}, {"", 0}, {"", 0}};
    }
    return out_fault(&verdicts->fault);
}
