/* contract/front/parser_construct.c - a file of constructs, and all constructs that
 * are neither flow nor system.
 *
 * One function per construct: it reads its head, its body through a table of fields,
 * then says which required field is missing. Both spellings of effects and of
 * `produce` are read here and become one tree. A source without quotes is taken as the
 * text that was written, since white space in it counts.
 *
 * fr_parse() goes through the file once; what stands where a construct should is
 * reported and skipped. Rules about whole files (a System stands alone) are checked at
 * the end. */
#include "contract/front/parser.h"
#include "contract/front/suggest.h"

/* Nothing is taken when the head failed, so recovery starts where the fault was. */
static bool open_body(fr_parser *p, const fr_construct *c)
{
    return !c->broken && fr_take(p, FR_T_LBRACE);
}

/* Reads the body; false if the construct cannot be used. A body that ended may still
 * have had faults inside, which p->broken remembers. */
static bool read_construct(fr_parser *p, fr_construct *c, const fr_body *body,
                           fr_seen *seen)
{
    return open_body(p, c) && fr_read_body(p, body, c, seen) && !p->broken;
}

/* Reports the first required field that is missing; people see it at keyword and name.
 */
static bool require(fr_parser *p, const fr_seen *seen, const char *what, fr_sym field)
{
    const fr_construct *c = p->construct;
    fr_lack lack = {what, c->id, field, {c->tok, c->id_tok}};
    return fr_was_seen(seen, field) || fr_missing(p, fr_here(p), &lack);
}

/* ---- import, persona, type ---- */

/* Its id is the path, as it was written; pass 1 resolves it. */
static fr_construct *parse_import(fr_parser *p)
{
    fr_construct *c = &mt_new(p->a, fr_import)->head;
    fr_name path = {0};
    c->kind = FR_IMPORT;
    c->file = p->file;
    c->tok = fr_here(p);
    p->construct = c;
    fr_advance(p);
    c->broken = !fr_take_str(p, &path);
    c->id = path.sym;
    c->id_tok = path.tok;
    return c;
}

/* A name and nothing else (§8.1). */
static fr_construct *parse_persona(fr_parser *p)
{
    return fr_new_construct(p, FR_PERSONA, sizeof(fr_persona));
}

/* §4.5, by form: a type that is itself a name is refused as well, whatever it stands
 * for. */
static void refuse_scalar_name(fr_parser *p, const fr_construct *c, const fr_type *t)
{
    if (!fr_has(t, LN_PARTED)) {
        fr_report(p->u, FR_E_TYPE_NOT_NAMED, fr_at(c, t->tok, FR_FIELD("type")),
                  "type '%.*s' is not a Record or TaggedUnion; only these can be named",
                  FR_ARG(p->u, c->id));
    }
}

/* Two forms: `type T = ...` names a type, `type T { ... }` is a record. */
static fr_construct *parse_typedecl(fr_parser *p)
{
    fr_construct *c = fr_new_construct(p, FR_TYPEDECL, sizeof(fr_typedecl));
    fr_typedecl *decl = (fr_typedecl *)c;
    if (c->broken) {
        return c;
    }
    if (fr_accept(p, FR_T_EQ)) {
        decl->type = fr_parse_type(p);
        if (decl->type) {
            refuse_scalar_name(p, c, decl->type);
        }
    } else {
        decl->type = fr_parse_record(p);
    }
    c->broken = !decl->type;
    return c;
}

/* ---- fact ---- */

/* a.b(c).d without quotes: the text as written, up to the end of the chain. */
static bool take_bare_source(fr_parser *p, fr_name *out)
{
    const fr_token *from = p->t;
    fr_advance(p);
    for (;;) {
        if (fr_peek(p) == FR_T_DOT && fr_peek_at(p, 1) == FR_T_WORD) {
            fr_advance(p);
            fr_advance(p);
        } else if (fr_peek(p) == FR_T_LPAREN) {
            fr_advance(p);
            while (fr_peek(p) == FR_T_WORD || fr_peek(p) == FR_T_COMMA ||
                   fr_peek(p) == FR_T_DOT) {
                fr_advance(p);
            }
            if (!fr_take(p, FR_T_RPAREN)) {
                return false;
            }
        } else {
            break;
        }
    }
    const fr_token *last = p->t - 1;
    size_t end = last->start + fr_token_len(p->file->text, last);
    mt_str text = mt_str_from(p->file->text.ptr + from->start, end - from->start);
    *out = (fr_name){fr_intern(&p->u->syms, text), (fr_tok)(from - p->first)};
    return true;
}

/* Three spellings (§5.1): text in quotes, a chain without quotes, or a declared source
 * with a path. A word with a dot or parenthesis behind it is a chain; with a brace it
 * must be the structured form, and everything else is reported as that. */
static bool take_source(fr_parser *p, fr_fact *f)
{
    f->structured = false;
    if (fr_peek(p) != FR_T_WORD) {
        return fr_take_str(p, &f->source);
    }
    if (fr_peek_at(p, 1) == FR_T_DOT || fr_peek_at(p, 1) == FR_T_LPAREN) {
        return take_bare_source(p, &f->source);
    }
    f->structured = true;
    return fr_take_word(p, &f->source) && fr_take(p, FR_T_LBRACE) &&
           fr_take_the_word(p, FR_W_path) && fr_take(p, FR_T_COLON) &&
           fr_take_str(p, &f->path) && fr_take(p, FR_T_RBRACE);
}

static fr_field_result read_fact_field(fr_parser *p, void *node, fr_sym field,
                                       fr_tok tok)
{
    (void)tok;
    fr_fact *f = node;
    switch (field) {
    case FR_W_type: return FR_READ((f->type = fr_parse_type(p)) != NULL);
    case FR_W_source: return FR_READ(take_source(p, f));
    case FR_W_default: return FR_READ((f->initial = fr_parse_literal(p)) != NULL);
    default: return FR_FIELD_UNKNOWN;
    }
}

/* One missing field is reported, the type before the source. */
static fr_construct *parse_fact(fr_parser *p)
{
    static const fr_sym FIELDS[] = {FR_W_type, FR_W_source, FR_W_default, FR_W_none};
    static const fr_body BODY = {.what = "Fact",
                                 .fields = FIELDS,
                                 .read = read_fact_field,
                                 .close = FR_T_RBRACE};
    fr_construct *c = fr_new_construct(p, FR_FACT, sizeof(fr_fact));
    fr_seen seen = {0};
    c->broken = !read_construct(p, c, &BODY, &seen) ||
                !require(p, &seen, "Fact", FR_W_type) ||
                !require(p, &seen, "Fact", FR_W_source);
    return c;
}

/* ---- source ---- */

/* A tag may have dots (x_internal.event_bus); its parts become one word. */
static bool take_protocol(fr_parser *p, fr_source_decl *s)
{
    const fr_token *from = p->t;
    fr_name word;
    if (!fr_take_word(p, &word)) {
        return false;
    }
    s->protocol = word.sym;
    if (fr_peek(p) != FR_T_DOT) {
        return true;
    }
    mt_buf tag = {0};
    mt_buf_adds(&tag, fr_str(p->u, from->sym));
    bool ok = true;
    while (ok && fr_accept(p, FR_T_DOT)) {
        ok = fr_take_word(p, &word);
        mt_buf_addc(&tag, '.');
        mt_buf_adds(&tag, ok ? fr_str(p->u, word.sym) : MT_STR(""));
    }
    s->protocol = fr_intern(&p->u->syms, mt_str_dup(p->a, mt_buf_str(&tag)));
    mt_buf_free(&tag);
    return ok;
}

/* Any field is known here: which ones a protocol needs is C-SRC-03, in pass 5. A value
 * is a word or text; a number is not (C-SRC-05). */
static fr_field_result read_source_field(fr_parser *p, void *node, fr_sym field,
                                         fr_tok tok)
{
    fr_source_decl *s = node;
    fr_name value;
    if (field == FR_W_protocol) {
        s->protocol_span.first = fr_here(p);
        bool ok = take_protocol(p, s);
        s->protocol_span.last = fr_here(p) - 1;
        return FR_READ(ok);
    }
    if (field == FR_W_description) {
        bool ok = fr_take_str(p, &value);
        s->description = ok ? value.sym : FR_W_none;
        return FR_READ(ok);
    }
    if (fr_peek(p) == FR_T_WORD) {
        fr_take_word(p, &value);
    } else if (!fr_take_str(p, &value)) {
        return FR_FIELD_FAILED;
    }
    *mt_vec_add(p->a, &s->fields) =
        (fr_source_field){.name = {field, tok}, .value = value.sym};
    return FR_FIELD_OK;
}

static fr_construct *parse_source(fr_parser *p)
{
    static const fr_body BODY = {
        .what = "Source", .read = read_source_field, .close = FR_T_RBRACE};
    fr_construct *c = fr_new_construct(p, FR_SOURCE, sizeof(fr_source_decl));
    fr_seen seen = {0};
    c->broken = !read_construct(p, c, &BODY, &seen) ||
                !require(p, &seen, "Source", FR_W_protocol);
    return c;
}

/* ---- entity ---- */

/* Both spellings, (a, b) and (a -> b). */
static bool read_transition(fr_parser *p, void *node)
{
    fr_entity *e = node;
    fr_transition t = {.tok = fr_here(p)};
    if (!fr_take(p, FR_T_LPAREN) || !fr_take_word(p, &t.from)) {
        return false;
    }
    static const char SEPARATOR[] = "',' or '->'/'->'''";
    if (!fr_accept(p, FR_T_COMMA) && !fr_accept(p, FR_T_ARROW) &&
        !fr_slip_no_comma(p, SEPARATOR)) {
        return fr_expected(p, SEPARATOR);
    }
    if (!fr_take_word(p, &t.to) || !fr_take(p, FR_T_RPAREN)) {
        return false;
    }
    *mt_vec_add(p->a, &e->transitions) = t;
    return true;
}

/* A field that is given again replaces the one before, its list included. */
static fr_field_result read_entity_field(fr_parser *p, void *node, fr_sym field,
                                         fr_tok tok)
{
    fr_entity *e = node;
    switch (field) {
    case FR_W_states: e->states_tok = tok; return FR_READ(fr_take_words(p, &e->states));
    case FR_W_initial:
        e->initial_tok = tok;
        e->has_initial = true;
        return FR_READ(fr_take_word(p, &e->initial));
    case FR_W_parent: e->parent_tok = tok; return FR_READ(fr_take_word(p, &e->parent));
    case FR_W_transitions:
        e->transitions.len = 0;
        return FR_READ(fr_read_list(p, read_transition, e));
    default: return FR_FIELD_UNKNOWN;
    }
}

/* No field is required here: pass 5 reports what an entity lacks, in its own words and
 * at its own place. */
static fr_construct *parse_entity(fr_parser *p)
{
    static const fr_sym FIELDS[] = {FR_W_states, FR_W_initial, FR_W_transitions,
                                    FR_W_parent, FR_W_none};
    static const fr_body BODY = {.what = "Entity",
                                 .fields = FIELDS,
                                 .read = read_entity_field,
                                 .close = FR_T_RBRACE};
    fr_construct *c = fr_new_construct(p, FR_ENTITY, sizeof(fr_entity));
    fr_seen seen = {0};
    ((fr_entity *)c)->initial.sym = FR_W_empty;
    c->broken = !read_construct(p, c, &BODY, &seen);
    return c;
}

/* ---- rule ---- */

/* verdict v { payload: T = value }. The interchange's own spelling, with the type of
 * the payload. */
static bool take_long_produce(fr_parser *p, fr_rule *r)
{
    if (!fr_take_the_word(p, FR_W_verdict) || !fr_take_word(p, &r->verdict)) {
        return false;
    }
    if (!fr_take(p, FR_T_LBRACE) || !fr_take_the_word(p, FR_W_payload) ||
        !fr_take(p, FR_T_COLON)) {
        return false;
    }
    r->payload_type = fr_parse_type(p);
    if (!r->payload_type || !fr_take(p, FR_T_EQ)) {
        return false;
    }
    r->payload = fr_parse_term(p);
    return r->payload && fr_take(p, FR_T_RBRACE);
}

/* v(value). The type is inferred in pass 4. The caller has seen the word and the
 * parenthesis. */
static bool take_short_produce(fr_parser *p, fr_rule *r)
{
    r->payload_type = NULL;
    fr_take_word(p, &r->verdict);
    fr_advance(p);
    r->payload = fr_parse_term(p);
    return r->payload && fr_take(p, FR_T_RPAREN);
}

static bool take_produce(fr_parser *p, fr_rule *r)
{
    bool is_short = fr_peek(p) == FR_T_WORD && fr_peek_at(p, 1) == FR_T_LPAREN;
    return is_short ? take_short_produce(p, r) : take_long_produce(p, r);
}

/* The stratum is read as any integer, a negative one too: that it must not be less than
 * 0 is for pass 5 (§7.3), which says so at the value. */
static fr_field_result read_rule_field(fr_parser *p, void *node, fr_sym field,
                                       fr_tok tok)
{
    fr_rule *r = node;
    switch (field) {
    case FR_W_stratum:
        r->stratum_tok = tok;
        r->stratum_value_tok = fr_here(p);
        return FR_READ(fr_take_int(p, &r->stratum));
    case FR_W_when: return FR_READ((r->when = fr_parse_expr(p)) != NULL);
    case FR_W_produce: r->produce_tok = tok; return FR_READ(take_produce(p, r));
    default: return FR_FIELD_UNKNOWN;
    }
}

/* `produce` is not required here; pass 4 reports a rule without it. */
static fr_construct *parse_rule(fr_parser *p)
{
    static const fr_sym FIELDS[] = {FR_W_stratum, FR_W_when, FR_W_produce, FR_W_none};
    static const fr_body BODY = {.what = "Rule",
                                 .fields = FIELDS,
                                 .read = read_rule_field,
                                 .close = FR_T_RBRACE};
    fr_construct *c = fr_new_construct(p, FR_RULE, sizeof(fr_rule));
    fr_seen seen = {0};
    c->broken = !read_construct(p, c, &BODY, &seen) ||
                !require(p, &seen, "Rule", FR_W_stratum) ||
                !require(p, &seen, "Rule", FR_W_when);
    return c;
}

/* ---- operation ---- */

/* §9.4.1: a star would hide from which states an operation may start. */
static bool refuse_wildcard(fr_parser *p)
{
    return fr_expected_hint(
        p, "identifier",
        "there are no wildcards: write one effect for each state the "
        "operation may start from");
}

static bool take_state(fr_parser *p, fr_name *out)
{
    return fr_peek(p) == FR_T_STAR ? refuse_wildcard(p) : fr_take_word(p, out);
}

static bool take_comma(fr_parser *p)
{
    return fr_accept(p, FR_T_COMMA) || fr_slip_no_comma(p, "','") ||
           fr_take(p, FR_T_COMMA);
}

/* (Entity, from, to) or (Entity, from, to, outcome). A comma may also stand before the
 * closing parenthesis, hence the look behind it. */
static bool take_tuple_effect(fr_parser *p, fr_effect *e)
{
    fr_advance(p);
    if (!fr_take_word(p, &e->entity) || !take_comma(p) || !take_state(p, &e->from) ||
        !take_comma(p) || !take_state(p, &e->to)) {
        return false;
    }
    if (fr_peek(p) == FR_T_COMMA && fr_peek_at(p, 1) == FR_T_WORD) {
        fr_advance(p);
        fr_take_word(p, &e->outcome);
    }
    if (fr_peek(p) == FR_T_COMMA && fr_peek_at(p, 1) == FR_T_RPAREN) {
        fr_slip_comma(p, "')'");
    }
    return fr_take(p, FR_T_RPAREN);
}

static bool take_arrow(fr_parser *p)
{
    return fr_accept(p, FR_T_ARROW) || fr_slip_arrow(p) || fr_expected(p, "'->'");
}

/* Entity: from -> to or Entity: from -> to -> outcome */
static bool take_arrow_effect(fr_parser *p, fr_effect *e)
{
    if (!fr_take_word(p, &e->entity) || !fr_take(p, FR_T_COLON) ||
        !take_state(p, &e->from) || !take_arrow(p) || !take_state(p, &e->to)) {
        return false;
    }
    return !fr_accept(p, FR_T_ARROW) || fr_take_word(p, &e->outcome);
}

/* What begins neither form is reported as a missing parenthesis, the older spelling. */
static bool read_effect(fr_parser *p, void *node)
{
    fr_operation *op = node;
    fr_effect e = {.tok = fr_here(p)};
    bool arrow = fr_peek(p) == FR_T_WORD && fr_peek_at(p, 1) == FR_T_COLON;
    if (!arrow && fr_peek(p) != FR_T_LPAREN) {
        return fr_take(p, FR_T_LPAREN);
    }
    if (!(arrow ? take_arrow_effect(p, &e) : take_tuple_effect(p, &e))) {
        return false;
    }
    *mt_vec_add(p->a, &op->effects) = e;
    return true;
}

/* Short spellings of the newer surface syntax stand beside the long ones. */
static fr_field_result read_operation_field(fr_parser *p, void *node, fr_sym field,
                                            fr_tok tok)
{
    fr_operation *o = node;
    switch (field) {
    case FR_W_allowed_personas:
    case FR_W_personas:
        o->personas_tok = tok;
        o->has_personas = true;
        return FR_READ(fr_take_words(p, &o->personas));
    case FR_W_precondition:
    case FR_W_require: return FR_READ((o->precondition = fr_parse_expr(p)) != NULL);
    case FR_W_effects:
        o->effects.len = 0;
        return FR_READ(fr_read_list(p, read_effect, o));
    case FR_W_error_contract:
        o->errors_tok = tok;
        o->has_errors = true;
        return FR_READ(fr_take_words(p, &o->errors));
    case FR_W_outcomes:
        o->outcomes_tok = tok;
        return FR_READ(fr_take_words(p, &o->outcomes));
    default: return FR_FIELD_UNKNOWN;
    }
}

/* Personas, effects and outcomes may be missing as far as the grammar goes; pass 5 says
 * which are needed (§9.4). */
static fr_construct *parse_operation(fr_parser *p)
{
    static const fr_sym FIELDS[] = {
        FR_W_allowed_personas, FR_W_precondition, FR_W_effects, FR_W_outcomes,
        FR_W_error_contract,   FR_W_personas,     FR_W_require, FR_W_none};
    static const fr_body BODY = {.what = "Operation",
                                 .fields = FIELDS,
                                 .read = read_operation_field,
                                 .close = FR_T_RBRACE};
    fr_construct *c = fr_new_construct(p, FR_OPERATION, sizeof(fr_operation));
    fr_seen seen = {0};
    c->broken = !read_construct(p, c, &BODY, &seen);
    if (!c->broken && !((fr_operation *)c)->precondition) {
        c->broken = !require(p, &seen, "Operation", FR_W_precondition);
    }
    return c;
}

/* ---- a file ---- */

/* By the word alone: no construct begins with two. */
static fr_construct *parse_construct(fr_parser *p, fr_sym keyword)
{
    static fr_construct *(*const PARSERS[])(fr_parser *) = {
        [FR_PERSONA] = parse_persona, [FR_SOURCE] = parse_source,
        [FR_FACT] = parse_fact,       [FR_ENTITY] = parse_entity,
        [FR_RULE] = parse_rule,       [FR_OPERATION] = parse_operation,
        [FR_FLOW] = fr_parse_flow,    [FR_SYSTEM] = fr_parse_system,
        [FR_IMPORT] = parse_import,   [FR_TYPEDECL] = parse_typedecl,
    };
    MT_TABLE_COVERS(PARSERS, FR_KIND_COUNT);
    return PARSERS[keyword - FR_W_FIRST_CONSTRUCT](p);
}

/* Ends at the end of the file at the latest. */
static void skip_to_construct(fr_parser *p)
{
    while (fr_peek(p) != FR_T_EOF && !fr_at_construct(p)) {
        fr_advance(p);
    }
}

/* A persona has no body (§8.1); people give it one. */
static bool is_persona_body(const fr_parser *p)
{
    return fr_peek(p) == FR_T_LBRACE && p->construct &&
           p->construct->kind == FR_PERSONA && p->construct->id_tok + 1 == fr_here(p);
}

/* The word's own place, without the construct before it. */
static fr_place stray_place(fr_parser *p)
{
    fr_place at = {.file = p->file, .tok = fr_here(p)};
    if (is_persona_body(p)) {
        fr_tok last = fr_closing(p->file, at.tok);
        at.exact.fix = fr_fix(p->u, p->file, at.tok, last, MT_STR(""), true);
        at.hint = "a persona is a name and has no body; remove the braces";
    }
    return at;
}

static const fr_sym KEYWORDS[] = {
    FR_W_import,    FR_W_type,    FR_W_fact, FR_W_source, FR_W_entity, FR_W_rule,
    FR_W_operation, FR_W_persona, FR_W_flow, FR_W_system, FR_W_none};

/* The keyword that was meant, or none. Only before what a head looks like: a name and
 * a brace. */
static fr_sym misspelt_keyword(fr_parser *p, fr_place *at)
{
    *at = fr_meant_word(p->u, *at, KEYWORDS, (fr_name){p->t->sym, at->tok});
    bool head = fr_peek_at(p, 1) == FR_T_WORD && fr_peek_at(p, 2) == FR_T_LBRACE;
    return head && at->exact.fix ? fr_symbol_find(&p->u->syms, at->exact.fix->edit.text)
                                 : FR_W_none;
}

/* Skips what stands there, to the next construct. A stray character and the body of a
 * persona hide nothing; more may have been a declaration. */
static void skip_stray(fr_parser *p)
{
    bool hides_nothing = fr_peek(p) == FR_T_BAD || is_persona_body(p);
    if (is_persona_body(p)) {
        p->t = &p->first[fr_closing(p->file, fr_here(p))];
    }
    fr_advance(p);
    const fr_token *behind = p->t;
    skip_to_construct(p);
    p->u->incomplete |= !hides_nothing || p->t > behind;
}

/* Reports what stands where a construct should, and skips it; gives the keyword if it
 * is only misspelt. */
static fr_sym refuse_toplevel(fr_parser *p)
{
    fr_place at = stray_place(p);
    fr_sym meant = FR_W_none;
    if (fr_peek(p) == FR_T_WORD) {
        meant = misspelt_keyword(p, &at);
        fr_report(p->u, FR_E_PARSE_TOPLEVEL, at, "unexpected token '%.*s'",
                  FR_ARG(p->u, p->t->sym));
    } else if (!fr_was_reported(p)) {
        at.exact.message =
            fr_said(p->u, "expected a construct, found %.*s",
                    MT_ARG(fr_found_words(p->a, &p->u->syms, p->file->text, p->t)));
        fr_report(p->u, FR_E_PARSE_KEYWORD, at, "expected construct keyword, got %.*s",
                  MT_ARG(fr_found_debug(p->a, &p->u->syms, p->t)));
    }
    if (!meant) {
        skip_stray(p);
    }
    return meant;
}

/* C-SYS-05, then C-SYS-04. Only the first foreign construct is reported, and imports
 * are let through. */
static void check_system_file(fr_parser *p, fr_construct **items, size_t count)
{
    const fr_construct *system = NULL;
    for (size_t i = 0; i < count; i++) {
        if (items[i]->kind != FR_SYSTEM) {
            continue;
        }
        if (system) {
            fr_report(p->u, FR_E_SYSTEM_TWICE,
                      (fr_place){.file = p->file, .tok = items[i]->tok},
                      "multiple System declarations in a single file");
        }
        system = items[i];
    }
    p->file->is_system = system != NULL;
    for (size_t i = 0; system && i < count; i++) {
        if (items[i]->kind != FR_SYSTEM && items[i]->kind != FR_IMPORT) {
            fr_report(p->u, FR_E_SYSTEM_MIXED,
                      (fr_place){.file = p->file, .tok = items[i]->tok},
                      "System files may not contain contract constructs");
            return;
        }
    }
}

/* Broken constructs stay in the list, with their names, so that references to them are
 * not reported as unknown. Without a name that cannot be known, and `incomplete`
 * silences the search for unknown names altogether. */
void fr_parse(fr_unit *u, fr_file *file, fr_construct ***constructs, size_t *count)
{
    fr_parser p = {.u = u,
                   .file = file,
                   .a = u->keep,
                   .first = file->tokens.items,
                   .t = file->tokens.items};
    struct {
        fr_construct **items;
        size_t len, cap;
    } list = {0};
    while (fr_peek(&p) != FR_T_EOF) {
        fr_sym keyword = p.t->sym;
        if (fr_peek(&p) != FR_T_WORD || !fr_is_construct_word(keyword)) {
            keyword = refuse_toplevel(&p);
            if (!keyword) {
                continue;
            }
        }
        p.broken = false;
        p.depth = 0;
        p.nest = 0;
        p.path = NULL;
        fr_construct *c = parse_construct(&p, keyword);
        *mt_vec_add(p.a, &list) = c;
        if (c->broken) {
            u->damaged = true;
            u->incomplete |= !c->id;
            if (p.nest != 0 || fr_peek(&p) != FR_T_WORD) {
                skip_to_construct(&p);
            }
        }
    }
    check_system_file(&p, list.items, list.len);
    *constructs = list.items;
    *count = list.len;
}
