/* lsp/mend_declare.c - a name that is used and not declared: its declaration.
 *
 * Personas and facts stand behind the last of their kind in the document, or before
 * the construct that wants them; states, transitions and outcomes in the list of the
 * construct they belong to, which may be in another file. */
#include "lsp/mend.h"

/* ---- where ---- */

/* Behind the last construct of the kind in the document, else before the one that the
 * place is in. */
static ls_mend_edit put_construct(const ls_mender *m, fr_kind kind, size_t offset,
                                  mt_str text)
{
    const fr_unit *u = m->v->e->unit;
    mt_arena *a = m->c->a;
    const fr_construct *last = NULL;
    for (size_t i = 0; i < u->kinds[kind].len; i++) {
        const fr_construct *k = u->kinds[kind].items[i];
        last = mt_str_eq(k->file->path, m->c->doc->path) ? k : last;
    }
    if (last) {
        size_t end = ls_span_range(last->file, fr_construct_span(last)).to;
        return (ls_mend_edit){
            m->c->doc->path, {end, end}, mt_strf(a, "\n%.*s", MT_ARG(text))};
    }
    const fr_construct *k = ls_construct_at(m->v, m->c->doc->path, offset);
    size_t at = k ? ls_span_range(k->file, fr_construct_span(k)).from : 0;
    return (ls_mend_edit){
        m->c->doc->path, {at, at}, mt_strf(a, "%.*s\n", MT_ARG(text))};
}

/* Into the list of a field, or the field with it. */
static ls_mend_edit put_in_list(const ls_mender *m, const fr_construct *k,
                                const char *field, mt_str item, mt_str first)
{
    fr_tok open = ls_token_body(k->file, k->id_tok);
    fr_tok list = open ? ls_token_field(k->file, open, mt_str_z(field)) : 0;
    return !open  ? (ls_mend_edit){0}
           : list ? ls_put_item(m->c->a, k->file, list, item)
                  : ls_put_field(m->c->a, k->file, open, mt_str_z(field),
                                 mt_strf(m->c->a, "[%.*s]", MT_ARG(first)));
}

static void offer(const ls_mender *m, mt_str title, const ls_mend_edit *edits,
                  size_t count)
{
    bool is_whole = count > 0;
    for (size_t i = 0; i < count; i++) {
        is_whole &= edits[i].file.len > 0;
    }
    if (is_whole) {
        ls_mend(m, "quickfix", false, title, edits, count);
    }
}

/* ---- what ---- */

static void declare_persona(const ls_mender *m, const mt_diag *d, mt_str name)
{
    (void)d;
    ls_mend_edit e = put_construct(m, FR_PERSONA, m->asked.from,
                                   mt_strf(m->c->a, "persona %.*s", MT_ARG(name)));
    offer(m, mt_strf(m->c->a, "Declare persona '%.*s'", MT_ARG(name)), &e, 1);
}

static void declare_fact(const ls_mender *m, const mt_diag *d, mt_str name)
{
    (void)d;
    mt_str text = mt_strf(m->c->a, "fact %.*s { type: Bool source: \"where.%.*s\" }",
                          MT_ARG(name), MT_ARG(name));
    ls_mend_edit e = put_construct(m, FR_FACT, m->asked.from, text);
    offer(m, mt_strf(m->c->a, "Declare fact '%.*s'", MT_ARG(name)), &e, 1);
}

static void declare_state(const ls_mender *m, const mt_diag *d, mt_str name)
{
    const fr_construct *k =
        ls_construct_named(m->v->e->unit, FR_ENTITY, d->construct_id);
    if (k) {
        ls_mend_edit e = put_in_list(m, k, "states", name, name);
        offer(m,
              mt_strf(m->c->a, "Declare state '%.*s' of %.*s", MT_ARG(name),
                      MT_ARG(d->construct_id)),
              &e, 1);
    }
}

static bool has_state(const fr_entity *e, fr_sym name)
{
    for (size_t i = 0; i < e->states.len; i++) {
        if (e->states.items[i].sym == name) {
            return true;
        }
    }
    return false;
}

/* The effect that the diagnostic is about: it holds the place. */
static const fr_effect *effect_at(const fr_operation *op, size_t offset)
{
    for (size_t i = op->effects.len; i-- > 0;) {
        const fr_effect *e = &op->effects.items[i];
        if (fr_token_at(op->head.file, e->tok)->start <= offset) {
            return e;
        }
    }
    return NULL;
}

/* A transition, with the states it needs, so that the effect is one. */
static void declare_transition(const ls_mender *m, const mt_diag *d, mt_str name)
{
    (void)name;
    const fr_unit *u = m->v->e->unit;
    const fr_construct *k = ls_construct_named(u, FR_OPERATION, d->construct_id);
    size_t offset = ls_diag_range(&m->c->doc->lines, d).from;
    const fr_effect *e =
        k ? effect_at((const fr_operation *)(const void *)k, offset) : NULL;
    const fr_construct *of =
        e ? ls_construct_named(u, FR_ENTITY, fr_str(u, e->entity.sym)) : NULL;
    const fr_entity *entity = (const fr_entity *)(const void *)of;
    ls_mend_edit edits[2];
    size_t count = 0;
    if (!entity) {
        return;
    }
    bool knows_from = has_state(entity, e->from.sym),
         knows_to = has_state(entity, e->to.sym);
    mt_str missing = fr_str(u, knows_from ? e->to.sym : e->from.sym);
    if (!knows_from && !knows_to) {
        return;
    }
    if (!knows_from || !knows_to) {
        edits[count++] = put_in_list(m, of, "states", missing, missing);
    }
    mt_str pair =
        mt_strf(m->c->a, "(%.*s, %.*s)", FR_ARG(u, e->from.sym), FR_ARG(u, e->to.sym));
    edits[count++] = put_in_list(m, of, "transitions", pair, pair);
    if (count == 2 && edits[1].at.from < edits[0].at.from) {
        ls_mend_edit first = edits[1];
        edits[1] = edits[0];
        edits[0] = first;
    }
    offer(m,
          mt_strf(m->c->a, "Declare transition %.*s of %.*s", MT_ARG(pair),
                  FR_ARG(u, e->entity.sym)),
          edits, count);
}

static void declare_outcome_of(const ls_mender *m, mt_str operation, mt_str name)
{
    const fr_unit *u = m->v->e->unit;
    const fr_construct *k = ls_construct_named(u, FR_OPERATION, operation);
    const fr_operation *op = (const fr_operation *)(const void *)k;
    if (!op) {
        return;
    }
    /* an operation without outcomes has one, `success`, which flows may name */
    bool is_named = false;
    for (size_t i = 0; i < op->effects.len; i++) {
        is_named |= op->effects.items[i].outcome.sym != FR_W_none;
    }
    mt_str first = is_named ? name : mt_strf(m->c->a, "success, %.*s", MT_ARG(name));
    ls_mend_edit e = put_in_list(m, k, "outcomes", name, first);
    offer(m,
          mt_strf(m->c->a, "Declare outcome '%.*s' of %.*s", MT_ARG(name),
                  MT_ARG(operation)),
          &e, 1);
}

static void declare_outcome(const ls_mender *m, const mt_diag *d, mt_str name)
{
    declare_outcome_of(m, d->construct_id, name);
}

static void declare_outcome_of_step(const ls_mender *m, const mt_diag *d, mt_str name)
{
    const fr_unit *u = m->v->e->unit;
    const fr_step *s = ls_step_of(u, d);
    if (s) {
        declare_outcome_of(m, fr_str(u, s->op.sym), name);
    }
}

void ls_mend_declare(const ls_mender *m, const mt_diag *d)
{
    static const struct {
        const char *code;
        void (*declare)(const ls_mender *m, const mt_diag *d, mt_str name);
    } CODES[] = {{"T522", declare_persona},    {"T545", declare_persona},
                 {"T564", declare_persona},    {"T403", declare_fact},
                 {"T502", declare_state},      {"T503", declare_state},
                 {"T527", declare_transition}, {"T525", declare_outcome},
                 {"T530", declare_outcome},    {"T544", declare_outcome_of_step}};
    const fr_file *f = ls_view_file(m->v, d->file);
    ls_range r = ls_diag_range(&m->c->doc->lines, d);
    fr_tok tok = f ? ls_token_from(f, r.from) : 0;
    bool is_word = f && ls_token_is(f, tok, FR_T_WORD) && ls_token_end(f, tok) == r.to;
    for (size_t i = 0; f && i < sizeof CODES / sizeof *CODES; i++) {
        bool is_free = CODES[i].declare == declare_transition;
        if (strcmp(d->code, CODES[i].code) == 0 && (is_word || is_free)) {
            CODES[i].declare(m, d, is_word ? ls_token_text(f, tok) : (mt_str){0});
        }
    }
}
