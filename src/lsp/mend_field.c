/* lsp/mend_field.c - a field that is missing: the field, with a value that is a start.
 *
 * A value is taken from the contract where it has one that fits (its first persona, the
 * states its transitions name), else from FIELDS. A field that is there and lacks an
 * entry (an outcome that is not handled, an error that is not listed) gets the entry.
 */
#include "lsp/mend.h"

/* ---- values ---- */

static mt_str first_of(const ls_mender *m, fr_kind kind)
{
    const fr_unit *u = m->v->e->unit;
    return u->kinds[kind].len ? fr_str(u, u->kinds[kind].items[0]->id) : (mt_str){0};
}

static mt_str in_brackets(mt_arena *a, mt_str name)
{
    return name.len ? mt_strf(a, "[%.*s]", MT_ARG(name)) : (mt_str){0};
}

static mt_str some_persona(const ls_mender *m, const mt_diag *d)
{
    const fr_unit *u = m->v->e->unit;
    const fr_step *s = ls_step_of(u, d);
    const fr_construct *k =
        s ? ls_construct_named(u, FR_OPERATION, fr_str(u, s->op.sym)) : NULL;
    const fr_operation *op = (const fr_operation *)(const void *)k;
    return op && op->personas.len ? fr_str(u, op->personas.items[0].sym)
                                  : first_of(m, FR_PERSONA);
}

static mt_str some_personas(const ls_mender *m, const mt_diag *d)
{
    (void)d;
    return in_brackets(m->c->a, first_of(m, FR_PERSONA));
}

static mt_str some_operation(const ls_mender *m, const mt_diag *d)
{
    (void)d;
    return first_of(m, FR_OPERATION);
}

static mt_str some_step(const ls_mender *m, const mt_diag *d)
{
    const fr_unit *u = m->v->e->unit;
    const fr_construct *k = ls_construct_named(u, FR_FLOW, d->construct_id);
    const fr_flow *f = (const fr_flow *)(const void *)k;
    return f && f->steps.len ? fr_str(u, f->steps.items[0]->id.sym) : (mt_str){0};
}

static const fr_entity *entity_of(const ls_mender *m, const mt_diag *d)
{
    const fr_construct *k =
        ls_construct_named(m->v->e->unit, FR_ENTITY, d->construct_id);
    return (const fr_entity *)(const void *)k;
}

static mt_str some_state(const ls_mender *m, const mt_diag *d)
{
    const fr_entity *e = entity_of(m, d);
    return e && e->states.len ? fr_str(m->v->e->unit, e->states.items[0].sym)
                              : (mt_str){0};
}

static void add_state(mt_buf *out, const fr_unit *u, fr_sym state)
{
    mt_str name = fr_str(u, state), all = mt_buf_str(out);
    for (mt_str rest = all; rest.len;) {
        size_t end = mt_str_find(rest, ',');
        mt_str one = mt_str_trim(mt_str_from(rest.ptr, end), MT_STR("[ "));
        if (mt_str_eq(one, name)) {
            return;
        }
        rest = mt_str_skip(rest, end + 1);
    }
    if (name.len) {
        mt_buf_addf(out, "%s%.*s", all.len > 1 ? ", " : "", MT_ARG(name));
    }
}

/* Those that the rest of the entity speaks of. */
static mt_str all_states(const ls_mender *m, const mt_diag *d)
{
    const fr_entity *e = entity_of(m, d);
    mt_buf out = {0};
    mt_buf_addc(&out, '[');
    if (e && e->has_initial) {
        add_state(&out, m->v->e->unit, e->initial.sym);
    }
    for (size_t i = 0; e && i < e->transitions.len; i++) {
        add_state(&out, m->v->e->unit, e->transitions.items[i].from.sym);
        add_state(&out, m->v->e->unit, e->transitions.items[i].to.sym);
    }
    mt_buf_addz(&out, out.len == 1 ? "open]" : "]");
    mt_str kept = mt_str_dup(m->c->a, mt_buf_str(&out));
    mt_buf_free(&out);
    return kept;
}

static mt_str own_verdict(const ls_mender *m, const mt_diag *d)
{
    return mt_strf(m->c->a, "verdict %.*s_holds { payload: Bool = true }",
                   MT_ARG(d->construct_id));
}

static mt_str own_source(const ls_mender *m, const mt_diag *d)
{
    return mt_strf(m->c->a, "\"where.%.*s\"", MT_ARG(d->construct_id));
}

/* Every outcome of the step's operation ends the flow. */
static mt_str all_outcomes(const ls_mender *m, const mt_diag *d)
{
    const fr_unit *u = m->v->e->unit;
    const fr_step *s = ls_step_of(u, d);
    const fr_construct *k =
        s ? ls_construct_named(u, FR_OPERATION, fr_str(u, s->op.sym)) : NULL;
    const fr_operation *op = (const fr_operation *)(const void *)k;
    mt_buf out = {0};
    for (size_t i = 0; op && i < op->outcomes.len; i++) {
        mt_buf_addf(&out, "%s%.*s: Terminal(success)", i ? ", " : "",
                    FR_ARG(u, op->outcomes.items[i].sym));
    }
    if (!out.len) {
        mt_buf_addz(&out, "success: Terminal(success)");
    }
    mt_str text = mt_strf(m->c->a, "{ %.*s }", MT_ARG(mt_buf_str(&out)));
    mt_buf_free(&out);
    return text;
}

typedef struct field_row {
    const char *field, *text;
    mt_str (*make)(const ls_mender *m, const mt_diag *d);
} field_row;

static const field_row FIELDS[] = {
    {"type", "Bool", NULL},
    {"source", NULL, own_source},
    {"states", NULL, all_states},
    {"initial", NULL, some_state},
    {"stratum", "0", NULL},
    {"when", "true", NULL},
    {"produce", NULL, own_verdict},
    {"allowed_personas", NULL, some_personas},
    {"precondition", "true", NULL},
    {"error_contract", "[precondition_failed, persona_rejected]", NULL},
    {"snapshot", "at_initiation", NULL},
    {"entry", NULL, some_step},
    {"op", NULL, some_operation},
    {"persona", NULL, some_persona},
    {"from_persona", NULL, some_persona},
    {"to_persona", NULL, some_persona},
    {"outcomes", NULL, all_outcomes},
    {"on_failure", "Terminate(outcome: failure)", NULL},
    {"condition", "true", NULL},
    {"if_true", "Terminal(success)", NULL},
    {"if_false", "Terminal(failure)", NULL},
    {"on_success", "Terminal(success)", NULL},
    {"next", NULL, some_step},
    {"join",
     "JoinPolicy { on_all_success: Terminal(success) on_any_failure: "
     "Terminate(outcome: failure) }",
     NULL},
    {"element_type", "Bool", NULL},
    {"value", "1", NULL},
    {"unit", "\"days\"", NULL},
    {"base_url", "\"https://example.com\"", NULL},
    {"endpoint", "\"https://example.com\"", NULL},
    {"dialect", "\"postgresql\"", NULL},
};

static mt_str value_of(const ls_mender *m, const mt_diag *d, mt_str field)
{
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
        const field_row *r = &FIELDS[i];
        if (mt_str_eq(field, mt_str_z(r->field))) {
            return r->make ? r->make(m, d) : mt_str_z(r->text);
        }
    }
    return (mt_str){0};
}

/* ---- entries ---- */

/* What stands in the n-th pair of quotes of a message. */
static mt_str quoted(mt_str message, int n)
{
    while (message.len) {
        size_t from = mt_str_find(message, '\'');
        message = mt_str_skip(message, from + 1);
        size_t to = mt_str_find(message, '\'');
        if (n-- == 0) {
            return mt_str_from(message.ptr, to);
        }
        message = mt_str_skip(message, to + 1);
    }
    return (mt_str){0};
}

/* Faults of a field that is there but not complete: which name of the message it
 * lacks, and how that is written. */
static bool mend_entry(const ls_mender *m, const mt_diag *d, const fr_file *f,
                       fr_tok value)
{
    static const struct {
        const char *code;
        int name;
        const char *before, *behind;
    } ENTRIES[] = {{"T532", 1, "", ""}, {"T543", 2, "", ": Terminal(success)"}};
    for (size_t i = 0; i < sizeof ENTRIES / sizeof *ENTRIES; i++) {
        mt_str name = quoted(d->message, ENTRIES[i].name);
        if (strcmp(d->code, ENTRIES[i].code) == 0 && name.len) {
            mt_str item = mt_strf(m->c->a, "%s%.*s%s", ENTRIES[i].before, MT_ARG(name),
                                  ENTRIES[i].behind);
            ls_mend_edit e = ls_put_item(m->c->a, f, value, item);
            ls_mend(m, "quickfix", false, mt_strf(m->c->a, "Add '%.*s'", MT_ARG(item)),
                    &e, 1);
            return true;
        }
    }
    return false;
}

/* ---- the action ---- */

/* Codes that say that a field is not there, or not all of it. */
static bool is_about_fields(const char *code)
{
    static const char *const CODES[] = {"T014", "T502", "T505", "T513", "T521",
                                        "T532", "T540", "T541", "T543", "T546",
                                        "T559", "T563", "T572"};
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++) {
        if (strcmp(code, CODES[i]) == 0) {
            return true;
        }
    }
    return false;
}

static mt_str last_part(mt_str path)
{
    size_t at = path.len;
    while (at && path.ptr[at - 1] != '.') {
        at--;
    }
    return mt_str_skip(path, at);
}

void ls_mend_field(const ls_mender *m, const mt_diag *d)
{
    const fr_file *f = ls_view_file(m->v, d->file);
    mt_str field = last_part(d->field);
    if (!f || !field.len || !is_about_fields(d->code)) {
        return;
    }
    ls_range at = ls_diag_range(&m->c->doc->lines, d);
    fr_tok name = ls_token_from(f, at.from);
    bool is_field = mt_str_eq(ls_token_text(f, name), field) &&
                    ls_token_is(f, name + 1, FR_T_COLON);
    fr_tok open = is_field ? 0 : ls_token_body(f, name);
    fr_tok there = is_field ? name + 2 : open ? ls_token_field(f, open, field) : 0;
    if (there && mend_entry(m, d, f, there)) {
        return;
    }
    mt_str value = value_of(m, d, field);
    if (!open || there || !value.len) {
        return;
    }
    ls_mend_edit e = ls_put_field(m->c->a, f, open, field, value);
    ls_mend(m, "quickfix", true,
            mt_strf(m->c->a, "Add '%.*s: %.*s'", MT_ARG(field), MT_ARG(value)), &e, 1);
}
