/* contract/front/parser_construct.c - a file of constructs, and all constructs that
 * are no flow or system. */
#include "contract/front/parser.h"

static bool open_body(ct_parser *p, const ct_construct *c)
{
    return !c->broken && ct_take(p, CT_T_LBRACE);
}

/* Reads the body; false if the construct cannot be used. */
static bool read_construct(ct_parser *p, ct_construct *c, const ct_body *body,
                           ct_seen *seen)
{
    return open_body(p, c) && ct_read_body(p, body, c, seen) && !p->broken;
}

/* Reports the first required field that is missing, at the token behind the body. */
static bool require(ct_parser *p, const ct_seen *seen, const char *what, ct_sym field)
{
    return ct_was_seen(seen, field) ||
           ct_missing(p, ct_here(p), what,
                      mt_strf(p->a, "'%.*s'", CT_ARG(p->u, field)).ptr);
}

/* ---- import, persona, type ---- */

static ct_construct *parse_import(ct_parser *p)
{
    ct_construct *c = &mt_new(p->a, ct_import)->head;
    ct_name path = {0};
    c->kind = CT_IMPORT;
    c->file = p->file;
    c->tok = ct_here(p);
    ct_advance(p);
    c->broken = !ct_take_str(p, &path);
    c->id = path.sym;
    c->id_tok = path.tok;
    return c;
}

static ct_construct *parse_persona(ct_parser *p)
{
    return ct_new_construct(p, CT_PERSONA, sizeof(ct_persona));
}

static void refuse_scalar_name(ct_parser *p, const ct_construct *c, const ct_type *t)
{
    if (t->base != CT_TYPE_RECORD && t->base != CT_TYPE_UNION) {
        ct_report(p->u, CT_E_TYPE_NOT_NAMED, ct_at(c, t->tok, CT_FIELD("type")),
                  "type '%.*s' is no Record or TaggedUnion; only these can be named",
                  CT_ARG(p->u, c->id));
    }
}

static ct_construct *parse_typedecl(ct_parser *p)
{
    ct_construct *c = ct_new_construct(p, CT_TYPEDECL, sizeof(ct_typedecl));
    ct_typedecl *decl = (ct_typedecl *)c;
    if (c->broken) {
        return c;
    }
    if (ct_accept(p, CT_T_EQ)) {
        decl->type = ct_parse_type(p);
        if (decl->type) {
            refuse_scalar_name(p, c, decl->type);
        }
    } else {
        decl->type = ct_parse_fields(p, CT_TYPE_RECORD);
    }
    c->broken = !decl->type;
    return c;
}

/* ---- fact ---- */

/* a.b(c).d without quotes: the text as written, up to the end of the chain. */
static bool take_bare_source(ct_parser *p, ct_name *out)
{
    const ct_token *from = p->t;
    ct_advance(p);
    for (;;) {
        if (ct_peek(p) == CT_T_DOT && ct_peek_at(p, 1) == CT_T_WORD) {
            ct_advance(p);
            ct_advance(p);
        } else if (ct_peek(p) == CT_T_LPAREN) {
            ct_advance(p);
            while (ct_peek(p) == CT_T_WORD || ct_peek(p) == CT_T_COMMA ||
                   ct_peek(p) == CT_T_DOT) {
                ct_advance(p);
            }
            if (!ct_take(p, CT_T_RPAREN)) {
                return false;
            }
        } else {
            break;
        }
    }
    const ct_token *last = p->t - 1;
    size_t end = last->start + ct_token_len(p->file->text, last);
    mt_str text = mt_str_from(p->file->text.ptr + from->start, end - from->start);
    *out = (ct_name){ct_intern(&p->u->syms, text), (ct_tok)(from - p->first)};
    return true;
}

static bool take_source(ct_parser *p, ct_fact *f)
{
    f->structured = false;
    if (ct_peek(p) != CT_T_WORD) {
        return ct_take_str(p, &f->source);
    }
    if (ct_peek_at(p, 1) == CT_T_DOT || ct_peek_at(p, 1) == CT_T_LPAREN) {
        return take_bare_source(p, &f->source);
    }
    f->structured = true;
    return ct_take_word(p, &f->source) && ct_take(p, CT_T_LBRACE) &&
           ct_take_the_word(p, CT_W_path) && ct_take(p, CT_T_COLON) &&
           ct_take_str(p, &f->path) && ct_take(p, CT_T_RBRACE);
}

static ct_field_result read_fact_field(ct_parser *p, void *node, ct_sym field,
                                       ct_tok tok)
{
    (void)tok;
    ct_fact *f = node;
    switch (field) {
    case CT_W_type: return CT_READ((f->type = ct_parse_type(p)) != NULL);
    case CT_W_source: return CT_READ(take_source(p, f));
    case CT_W_default: return CT_READ((f->initial = ct_parse_literal(p)) != NULL);
    default: return CT_FIELD_UNKNOWN;
    }
}

static ct_construct *parse_fact(ct_parser *p)
{
    static const ct_body BODY = {
        .what = "Fact", .read = read_fact_field, .close = CT_T_RBRACE};
    ct_construct *c = ct_new_construct(p, CT_FACT, sizeof(ct_fact));
    ct_seen seen = {0};
    c->broken = !read_construct(p, c, &BODY, &seen) ||
                !require(p, &seen, "Fact", CT_W_type) ||
                !require(p, &seen, "Fact", CT_W_source);
    return c;
}

/* ---- source ---- */

static bool take_protocol(ct_parser *p, ct_source_decl *s)
{
    const ct_token *from = p->t;
    ct_name word;
    if (!ct_take_word(p, &word)) {
        return false;
    }
    s->protocol = word.sym;
    if (ct_peek(p) != CT_T_DOT) {
        return true;
    }
    mt_buf tag = {0};
    mt_buf_adds(&tag, ct_str(p->u, from->sym));
    bool ok = true;
    while (ok && ct_accept(p, CT_T_DOT)) {
        ok = ct_take_word(p, &word);
        mt_buf_addc(&tag, '.');
        mt_buf_adds(&tag, ok ? ct_str(p->u, word.sym) : MT_STR(""));
    }
    s->protocol = ct_intern(&p->u->syms, mt_str_dup(p->a, mt_buf_str(&tag)));
    mt_buf_free(&tag);
    return ok;
}

static ct_field_result read_source_field(ct_parser *p, void *node, ct_sym field,
                                         ct_tok tok)
{
    ct_source_decl *s = node;
    ct_name value;
    if (field == CT_W_protocol) {
        return CT_READ(take_protocol(p, s));
    }
    if (field == CT_W_description) {
        bool ok = ct_take_str(p, &value);
        s->description = ok ? value.sym : CT_W_none;
        return CT_READ(ok);
    }
    if (ct_peek(p) == CT_T_WORD) {
        ct_take_word(p, &value);
    } else if (!ct_take_str(p, &value)) {
        return CT_FIELD_FAILED;
    }
    *mt_vec_add(p->a, &s->fields) =
        (ct_source_field){.name = {field, tok}, .value = value.sym};
    return CT_FIELD_OK;
}

static ct_construct *parse_source(ct_parser *p)
{
    static const ct_body BODY = {
        .what = "Source", .read = read_source_field, .close = CT_T_RBRACE};
    ct_construct *c = ct_new_construct(p, CT_SOURCE, sizeof(ct_source_decl));
    ct_seen seen = {0};
    c->broken = !read_construct(p, c, &BODY, &seen) ||
                !require(p, &seen, "Source", CT_W_protocol);
    return c;
}

/* ---- entity ---- */

static bool read_transition(ct_parser *p, void *node)
{
    ct_entity *e = node;
    ct_transition t = {.tok = ct_here(p)};
    if (!ct_take(p, CT_T_LPAREN) || !ct_take_word(p, &t.from)) {
        return false;
    }
    if (!ct_accept(p, CT_T_COMMA) && !ct_accept(p, CT_T_ARROW)) {
        return ct_expected(p, "',' or '->'/'->'''");
    }
    if (!ct_take_word(p, &t.to) || !ct_take(p, CT_T_RPAREN)) {
        return false;
    }
    *mt_vec_add(p->a, &e->transitions) = t;
    return true;
}

static ct_field_result read_entity_field(ct_parser *p, void *node, ct_sym field,
                                         ct_tok tok)
{
    ct_entity *e = node;
    switch (field) {
    case CT_W_states: e->states_tok = tok; return CT_READ(ct_take_words(p, &e->states));
    case CT_W_initial:
        e->initial_tok = tok;
        e->has_initial = true;
        return CT_READ(ct_take_word(p, &e->initial));
    case CT_W_parent: e->parent_tok = tok; return CT_READ(ct_take_word(p, &e->parent));
    case CT_W_transitions:
        e->transitions.len = 0;
        return CT_READ(ct_read_list(p, read_transition, e));
    default: return CT_FIELD_UNKNOWN;
    }
}

static ct_construct *parse_entity(ct_parser *p)
{
    static const ct_body BODY = {
        .what = "Entity", .read = read_entity_field, .close = CT_T_RBRACE};
    ct_construct *c = ct_new_construct(p, CT_ENTITY, sizeof(ct_entity));
    ct_seen seen = {0};
    ((ct_entity *)c)->initial.sym = CT_W_empty;
    c->broken = !read_construct(p, c, &BODY, &seen);
    return c;
}

/* ---- rule ---- */

/* verdict v { payload: T = value } */
static bool take_long_produce(ct_parser *p, ct_rule *r)
{
    if (!ct_take_the_word(p, CT_W_verdict) || !ct_take_word(p, &r->verdict)) {
        return false;
    }
    if (!ct_take(p, CT_T_LBRACE) || !ct_take_the_word(p, CT_W_payload) ||
        !ct_take(p, CT_T_COLON)) {
        return false;
    }
    r->payload_type = ct_parse_type(p);
    if (!r->payload_type || !ct_take(p, CT_T_EQ)) {
        return false;
    }
    r->payload = ct_parse_term(p);
    return r->payload && ct_take(p, CT_T_RBRACE);
}

/* v(value) */
static bool take_short_produce(ct_parser *p, ct_rule *r)
{
    r->payload_type = NULL;
    ct_take_word(p, &r->verdict);
    ct_advance(p);
    r->payload = ct_parse_term(p);
    return r->payload && ct_take(p, CT_T_RPAREN);
}

static bool take_produce(ct_parser *p, ct_rule *r)
{
    bool is_short = ct_peek(p) == CT_T_WORD && ct_peek_at(p, 1) == CT_T_LPAREN;
    return is_short ? take_short_produce(p, r) : take_long_produce(p, r);
}

static ct_field_result read_rule_field(ct_parser *p, void *node, ct_sym field,
                                       ct_tok tok)
{
    ct_rule *r = node;
    switch (field) {
    case CT_W_stratum:
        r->stratum_tok = tok;
        r->stratum_value_tok = ct_here(p);
        return CT_READ(ct_take_int(p, &r->stratum));
    case CT_W_when: return CT_READ((r->when = ct_parse_expr(p)) != NULL);
    case CT_W_produce: r->produce_tok = tok; return CT_READ(take_produce(p, r));
    default: return CT_FIELD_UNKNOWN;
    }
}

static ct_construct *parse_rule(ct_parser *p)
{
    static const ct_body BODY = {
        .what = "Rule", .read = read_rule_field, .close = CT_T_RBRACE};
    ct_construct *c = ct_new_construct(p, CT_RULE, sizeof(ct_rule));
    ct_seen seen = {0};
    c->broken = !read_construct(p, c, &BODY, &seen) ||
                !require(p, &seen, "Rule", CT_W_stratum) ||
                !require(p, &seen, "Rule", CT_W_when);
    return c;
}

/* ---- operation ---- */

static bool refuse_wildcard(ct_parser *p)
{
    return ct_expected_hint(
        p, "identifier",
        "there are no wildcards: write one effect for each state the "
        "operation may start from");
}

static bool take_state(ct_parser *p, ct_name *out)
{
    return ct_peek(p) == CT_T_STAR ? refuse_wildcard(p) : ct_take_word(p, out);
}

/* (Entity, from, to) or (Entity, from, to, outcome) */
static bool take_tuple_effect(ct_parser *p, ct_effect *e)
{
    ct_advance(p);
    if (!ct_take_word(p, &e->entity) || !ct_take(p, CT_T_COMMA) ||
        !take_state(p, &e->from) || !ct_take(p, CT_T_COMMA) || !take_state(p, &e->to)) {
        return false;
    }
    if (ct_peek(p) == CT_T_COMMA && ct_peek_at(p, 1) == CT_T_WORD) {
        ct_advance(p);
        ct_take_word(p, &e->outcome);
    }
    return ct_take(p, CT_T_RPAREN);
}

static bool take_arrow(ct_parser *p)
{
    return ct_accept(p, CT_T_ARROW) || ct_expected(p, "'->'");
}

/* Entity: from -> to or Entity: from -> to -> outcome */
static bool take_arrow_effect(ct_parser *p, ct_effect *e)
{
    if (!ct_take_word(p, &e->entity) || !ct_take(p, CT_T_COLON) ||
        !take_state(p, &e->from) || !take_arrow(p) || !take_state(p, &e->to)) {
        return false;
    }
    return !ct_accept(p, CT_T_ARROW) || ct_take_word(p, &e->outcome);
}

static bool read_effect(ct_parser *p, void *node)
{
    ct_operation *op = node;
    ct_effect e = {.tok = ct_here(p)};
    bool arrow = ct_peek(p) == CT_T_WORD && ct_peek_at(p, 1) == CT_T_COLON;
    if (!arrow && ct_peek(p) != CT_T_LPAREN) {
        return ct_take(p, CT_T_LPAREN);
    }
    if (!(arrow ? take_arrow_effect(p, &e) : take_tuple_effect(p, &e))) {
        return false;
    }
    *mt_vec_add(p->a, &op->effects) = e;
    return true;
}

static ct_field_result read_operation_field(ct_parser *p, void *node, ct_sym field,
                                            ct_tok tok)
{
    ct_operation *o = node;
    switch (field) {
    case CT_W_allowed_personas:
    case CT_W_personas:
        o->personas_tok = tok;
        o->has_personas = true;
        return CT_READ(ct_take_words(p, &o->personas));
    case CT_W_precondition:
    case CT_W_require: return CT_READ((o->precondition = ct_parse_expr(p)) != NULL);
    case CT_W_effects:
        o->effects.len = 0;
        return CT_READ(ct_read_list(p, read_effect, o));
    case CT_W_error_contract:
        o->errors_tok = tok;
        o->has_errors = true;
        return CT_READ(ct_take_words(p, &o->errors));
    case CT_W_outcomes:
        o->outcomes_tok = tok;
        return CT_READ(ct_take_words(p, &o->outcomes));
    default: return CT_FIELD_UNKNOWN;
    }
}

static ct_construct *parse_operation(ct_parser *p)
{
    static const ct_body BODY = {
        .what = "Operation", .read = read_operation_field, .close = CT_T_RBRACE};
    ct_construct *c = ct_new_construct(p, CT_OPERATION, sizeof(ct_operation));
    ct_seen seen = {0};
    c->broken = !read_construct(p, c, &BODY, &seen);
    if (!c->broken && !((ct_operation *)c)->precondition) {
        c->broken = !require(p, &seen, "Operation", CT_W_precondition);
    }
    return c;
}

/* ---- a file ---- */

static ct_construct *parse_construct(ct_parser *p)
{
    switch (p->t->sym) {
    case CT_W_import: return parse_import(p);
    case CT_W_type: return parse_typedecl(p);
    case CT_W_fact: return parse_fact(p);
    case CT_W_source: return parse_source(p);
    case CT_W_entity: return parse_entity(p);
    case CT_W_rule: return parse_rule(p);
    case CT_W_operation: return parse_operation(p);
    case CT_W_persona: return parse_persona(p);
    case CT_W_flow: return ct_parse_flow(p);
    default: return ct_parse_system(p);
    }
}

static void skip_to_construct(ct_parser *p)
{
    while (ct_peek(p) != CT_T_EOF && !ct_at_construct(p)) {
        ct_advance(p);
    }
}

/* Reports what stands where a construct should, and skips it. */
static void refuse_toplevel(ct_parser *p)
{
    ct_place at = {.file = p->file, .tok = ct_here(p)};
    if (ct_peek(p) == CT_T_WORD) {
        ct_report(p->u, CT_E_PARSE_TOPLEVEL, at, "unexpected token '%.*s'",
                  CT_ARG(p->u, p->t->sym));
    } else if (ct_peek(p) != CT_T_BAD) {
        ct_report(p->u, CT_E_PARSE_KEYWORD, at, "expected construct keyword, got %.*s",
                  MT_ARG(ct_found_debug(p->a, &p->u->syms, p->t)));
    }
    const ct_token *stray = p->t;
    ct_advance(p);
    skip_to_construct(p);
    /* A stray character hides nothing; more may have been a declaration. */
    p->u->incomplete |= stray->kind != CT_T_BAD || p->t > stray + 1;
}

/* C-SYS-05, then C-SYS-04. */
static void check_system_file(ct_parser *p, ct_construct **items, size_t count)
{
    const ct_construct *system = NULL;
    for (size_t i = 0; i < count; i++) {
        if (items[i]->kind != CT_SYSTEM) {
            continue;
        }
        if (system) {
            ct_report(p->u, CT_E_SYSTEM_TWICE,
                      (ct_place){.file = p->file, .tok = items[i]->tok},
                      "multiple System declarations in a single file");
        }
        system = items[i];
    }
    p->file->is_system = system != NULL;
    for (size_t i = 0; system && i < count; i++) {
        if (items[i]->kind != CT_SYSTEM && items[i]->kind != CT_IMPORT) {
            ct_report(p->u, CT_E_SYSTEM_MIXED,
                      (ct_place){.file = p->file, .tok = items[i]->tok},
                      "System files may not contain contract constructs");
            return;
        }
    }
}

void ct_parse(ct_unit *u, ct_file *file, ct_construct ***constructs, size_t *count)
{
    ct_parser p = {.u = u,
                   .file = file,
                   .a = u->keep,
                   .first = file->tokens.items,
                   .t = file->tokens.items};
    struct {
        ct_construct **items;
        size_t len, cap;
    } list = {0};
    while (ct_peek(&p) != CT_T_EOF) {
        if (ct_peek(&p) != CT_T_WORD || !ct_is_construct_word(p.t->sym)) {
            refuse_toplevel(&p);
            continue;
        }
        p.broken = false;
        p.depth = 0;
        p.nest = 0;
        ct_construct *c = parse_construct(&p);
        *mt_vec_add(p.a, &list) = c;
        if (c->broken) {
            u->damaged = true;
            u->incomplete |= !c->id;
            if (p.nest != 0 || ct_peek(&p) != CT_T_WORD) {
                skip_to_construct(&p);
            }
        }
    }
    check_system_file(&p, list.items, list.len);
    *constructs = list.items;
    *count = list.len;
}
