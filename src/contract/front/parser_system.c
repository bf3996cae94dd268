/* contract/front/parser_system.c - systems. */
#include "contract/front/parser.h"

static bool read_member(ct_parser *p, void *node)
{
    ct_system *s = node;
    ct_system_member m;
    if (!ct_take_word(p, &m.id) || !ct_take(p, CT_T_COLON) ||
        !ct_take_str(p, &m.path)) {
        return false;
    }
    *mt_vec_add(p->a, &s->members) = m;
    return true;
}

/* An entry of shared_personas or shared_entities; `word` names the shared thing. */
static ct_field_result read_shared_field(ct_parser *p, ct_shared *s, ct_sym word,
                                         ct_sym field)
{
    if (field == word) {
        return CT_READ(ct_take_word(p, &s->name));
    }
    if (field == CT_W_contracts) {
        return CT_READ(ct_take_words(p, &s->contracts));
    }
    return CT_FIELD_UNKNOWN;
}

static ct_field_result read_persona_field(ct_parser *p, void *node, ct_sym field,
                                          ct_tok tok)
{
    (void)tok;
    return read_shared_field(p, node, CT_W_persona, field);
}

static ct_field_result read_entity_field(ct_parser *p, void *node, ct_sym field,
                                         ct_tok tok)
{
    (void)tok;
    return read_shared_field(p, node, CT_W_entity, field);
}

static bool read_shared(ct_parser *p, ct_shared_list *list, const ct_body *body)
{
    ct_shared s = {.tok = ct_here(p), .name.sym = CT_W_empty};
    ct_seen seen = {0};
    if (!ct_take(p, CT_T_LBRACE) || !ct_read_body(p, body, &s, &seen)) {
        return false;
    }
    *mt_vec_add(p->a, list) = s;
    return true;
}

static bool read_shared_persona(ct_parser *p, void *list)
{
    static const ct_body BODY = {.unknown = "shared_personas field",
                                 .read = read_persona_field,
                                 .close = CT_T_RBRACE,
                                 .commas = true};
    return read_shared(p, list, &BODY);
}

static bool read_shared_entity(ct_parser *p, void *list)
{
    static const ct_body BODY = {.unknown = "shared_entities field",
                                 .read = read_entity_field,
                                 .close = CT_T_RBRACE,
                                 .commas = true};
    return read_shared(p, list, &BODY);
}

/* contract.flow */
static bool take_flow_path(ct_parser *p, const char *message, ct_name *contract,
                           ct_name *flow)
{
    if (!ct_take_word(p, contract)) {
        return false;
    }
    if (!ct_accept(p, CT_T_DOT)) {
        return ct_syntax(p, message, NULL);
    }
    return ct_take_word(p, flow);
}

static ct_field_result read_trigger_field(ct_parser *p, void *node, ct_sym field,
                                          ct_tok tok)
{
    (void)tok;
    ct_trigger *t = node;
    switch (field) {
    case CT_W_source:
        return CT_READ(take_flow_path(p,
                                      "expected '.' after source contract in trigger",
                                      &t->source_contract, &t->source_flow));
    case CT_W_target:
        return CT_READ(take_flow_path(p,
                                      "expected '.' after target contract in trigger",
                                      &t->target_contract, &t->target_flow));
    case CT_W_on: return CT_READ(ct_take_word(p, &t->on));
    case CT_W_persona: return CT_READ(ct_take_word(p, &t->persona));
    default: return CT_FIELD_UNKNOWN;
    }
}

static bool read_trigger(ct_parser *p, void *node)
{
    static const ct_body BODY = {.unknown = "trigger field",
                                 .read = read_trigger_field,
                                 .close = CT_T_RBRACE,
                                 .commas = true};
    ct_system *s = node;
    ct_name none = {.sym = CT_W_empty, .tok = ct_here(p)};
    ct_trigger t = {ct_here(p), none, none, none, none, none, none};
    ct_seen seen = {0};
    if (!ct_take(p, CT_T_LBRACE) || !ct_read_body(p, &BODY, &t, &seen)) {
        return false;
    }
    *mt_vec_add(p->a, &s->triggers) = t;
    return true;
}

static ct_field_result read_system_field(ct_parser *p, void *node, ct_sym field,
                                         ct_tok tok)
{
    (void)tok;
    ct_system *s = node;
    switch (field) {
    case CT_W_members: return CT_READ(ct_read_list(p, read_member, s));
    case CT_W_shared_personas:
        return CT_READ(ct_read_list(p, read_shared_persona, &s->personas));
    case CT_W_shared_entities:
        return CT_READ(ct_read_list(p, read_shared_entity, &s->entities));
    case CT_W_triggers: return CT_READ(ct_read_list(p, read_trigger, s));
    default: return CT_FIELD_UNKNOWN;
    }
}

ct_construct *ct_parse_system(ct_parser *p)
{
    static const ct_body BODY = {
        .what = "System", .read = read_system_field, .close = CT_T_RBRACE};
    ct_construct *c = ct_new_construct(p, CT_SYSTEM, sizeof(ct_system));
    ct_seen seen = {0};
    if (!c->broken) {
        c->broken =
            !ct_take(p, CT_T_LBRACE) || !ct_read_body(p, &BODY, c, &seen) || p->broken;
    }
    return c;
}
