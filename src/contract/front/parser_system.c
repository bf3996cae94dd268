/* contract/front/parser_system.c - systems (§12.1).
 *
 * A body of four lists: members, shared personas, shared entities, triggers. Names stay
 * words here; whether a member, a flow or a persona exists is for pass 5, after members
 * are elaborated. Parts that are missing are the empty word and are reported there too.
 *
 * Faults are reported as in every body, and the next field is read. */
#include "contract/front/parser.h"

/* Doubles are found in pass 5 (C-SYS-01); files are opened after it. */
static bool read_member(fr_parser *p, void *node)
{
    fr_system *s = node;
    fr_system_member m;
    if (!fr_take_word(p, &m.id) || !fr_take(p, FR_T_COLON) ||
        !fr_take_str(p, &m.path)) {
        return false;
    }
    *mt_vec_add(p->a, &s->members) = m;
    return true;
}

/* An entry of shared_personas or shared_entities; `word` names the shared thing. */
static fr_field_result read_shared_field(fr_parser *p, fr_shared *s, fr_sym word,
                                         fr_sym field)
{
    if (field == word) {
        return FR_READ(fr_take_word(p, &s->name));
    }
    if (field == FR_W_contracts) {
        return FR_READ(fr_take_words(p, &s->contracts));
    }
    return FR_FIELD_UNKNOWN;
}

static fr_field_result read_persona_field(fr_parser *p, void *node, fr_sym field,
                                          fr_tok tok)
{
    (void)tok;
    return read_shared_field(p, node, FR_W_persona, field);
}

static fr_field_result read_entity_field(fr_parser *p, void *node, fr_sym field,
                                         fr_tok tok)
{
    (void)tok;
    return read_shared_field(p, node, FR_W_entity, field);
}

/* A missing name stays the empty word, which pass 5 reports. */
static bool read_shared(fr_parser *p, fr_shared_list *list, const fr_body *body)
{
    fr_shared s = {.tok = fr_here(p), .name.sym = FR_W_empty};
    fr_seen seen = {0};
    if (!fr_take(p, FR_T_LBRACE) || !fr_read_body(p, body, &s, &seen)) {
        return false;
    }
    *mt_vec_add(p->a, list) = s;
    return true;
}

/* One of two tables of the same form: fields of the two lists differ in one word, and
 * the suite names the list in its message. */
static bool read_shared_persona(fr_parser *p, void *list)
{
    static const fr_sym FIELDS[] = {FR_W_persona, FR_W_contracts, FR_W_none};
    static const fr_body BODY = {.unknown = "shared_personas field",
                                 .fields = FIELDS,
                                 .read = read_persona_field,
                                 .close = FR_T_RBRACE,
                                 .commas = true};
    return read_shared(p, list, &BODY);
}

static bool read_shared_entity(fr_parser *p, void *list)
{
    static const fr_sym FIELDS[] = {FR_W_entity, FR_W_contracts, FR_W_none};
    static const fr_body BODY = {.unknown = "shared_entities field",
                                 .fields = FIELDS,
                                 .read = read_entity_field,
                                 .close = FR_T_RBRACE,
                                 .commas = true};
    return read_shared(p, list, &BODY);
}

/* contract.flow. `message` names the side, because the suite tells them apart. */
static bool take_flow_path(fr_parser *p, const char *message, fr_name *contract,
                           fr_name *flow)
{
    if (!fr_take_word(p, contract)) {
        return false;
    }
    if (!fr_accept(p, FR_T_DOT)) {
        return fr_syntax(p, message, NULL);
    }
    return fr_take_word(p, flow);
}

/* Whether contracts, flows and personas exist, and whether `on` is an outcome, is pass
 * 5's question. */
static fr_field_result read_trigger_field(fr_parser *p, void *node, fr_sym field,
                                          fr_tok tok)
{
    (void)tok;
    fr_trigger *t = node;
    switch (field) {
    case FR_W_source:
        return FR_READ(take_flow_path(p,
                                      "expected '.' after source contract in trigger",
                                      &t->source_contract, &t->source_flow));
    case FR_W_target:
        return FR_READ(take_flow_path(p,
                                      "expected '.' after target contract in trigger",
                                      &t->target_contract, &t->target_flow));
    case FR_W_on: return FR_READ(fr_take_word(p, &t->on));
    case FR_W_persona: return FR_READ(fr_take_word(p, &t->persona));
    default: return FR_FIELD_UNKNOWN;
    }
}

/* Names that are missing have the place of the brace, so their faults have a line. */
static bool read_trigger(fr_parser *p, void *node)
{
    static const fr_sym FIELDS[] = {FR_W_source, FR_W_on, FR_W_target, FR_W_persona,
                                    FR_W_none};
    static const fr_body BODY = {.unknown = "trigger field",
                                 .fields = FIELDS,
                                 .read = read_trigger_field,
                                 .close = FR_T_RBRACE,
                                 .commas = true};
    fr_system *s = node;
    fr_name none = {.sym = FR_W_empty, .tok = fr_here(p)};
    fr_trigger t = {fr_here(p), none, none, none, none, none, none};
    fr_seen seen = {0};
    if (!fr_take(p, FR_T_LBRACE) || !fr_read_body(p, &BODY, &t, &seen)) {
        return false;
    }
    *mt_vec_add(p->a, &s->triggers) = t;
    return true;
}

static fr_field_result read_system_field(fr_parser *p, void *node, fr_sym field,
                                         fr_tok tok)
{
    (void)tok;
    fr_system *s = node;
    switch (field) {
    case FR_W_members: return FR_READ(fr_read_list(p, read_member, s));
    case FR_W_shared_personas:
        return FR_READ(fr_read_list(p, read_shared_persona, &s->personas));
    case FR_W_shared_entities:
        return FR_READ(fr_read_list(p, read_shared_entity, &s->entities));
    case FR_W_triggers: return FR_READ(fr_read_list(p, read_trigger, s));
    default: return FR_FIELD_UNKNOWN;
    }
}

/* A System of no members is grammatical; whether the file holds anything else is asked
 * when all of it was read (C-SYS-04). */
fr_construct *fr_parse_system(fr_parser *p)
{
    static const fr_sym FIELDS[] = {FR_W_members, FR_W_shared_personas,
                                    FR_W_shared_entities, FR_W_triggers, FR_W_none};
    static const fr_body BODY = {.what = "System",
                                 .fields = FIELDS,
                                 .read = read_system_field,
                                 .close = FR_T_RBRACE};
    fr_construct *c = fr_new_construct(p, FR_SYSTEM, sizeof(fr_system));
    fr_seen seen = {0};
    if (!c->broken) {
        c->broken =
            !fr_take(p, FR_T_LBRACE) || !fr_read_body(p, &BODY, c, &seen) || p->broken;
    }
    return c;
}
