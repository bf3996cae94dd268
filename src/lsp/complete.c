/* lsp/complete.c - what can stand at a place.
 *
 * The text around the cursor is seldom whole, so the place is found from the tokens
 * before it: which brackets are open, which construct or step they belong to, which
 * field the cursor is in. Names come from the last view that could be read whole.
 *
 * PLACES says which names a field takes. Which fields a step, a handler or a type has
 * follows from nodes.def; BODIES has what the source writes otherwise, and a test holds
 * all of it against the shapes. What is offered is not filtered by what has been typed:
 * editors do that, and better. */
#include "contract/front/parser.h"
#include "contract/front/types.h"
#include "lang/shape.h"
#include "lsp/known.h"

/* ---- what can be offered ---- */

enum {
    FACTS = 1 << 0,
    VERDICTS = 1 << 1,
    PERSONAS = 1 << 2,
    OPERATIONS = 1 << 3,
    FLOWS = 1 << 4,
    ENTITIES = 1 << 5,
    SOURCES = 1 << 6,
    TYPES = 1 << 7,
    STEPS = 1 << 8,      /* of this flow */
    STATES = 1 << 9,     /* of this entity, or of the one named before */
    OUTCOMES = 1 << 10,  /* of the operation this step performs */
    LOGIC = 1 << 11,     /* and, or, not, … */
    TERMINALS = 1 << 12, /* Terminal(…) */
    HANDLERS = 1 << 13,
    BOOLEANS = 1 << 14,
    RULES = 1 << 15,
    STEP_KINDS = 1 << 16,
    PROTOCOLS = 1 << 17,
    MOMENTS = 1 << 18,  /* at_initiation */
    ERRORS = 1 << 19,   /* what an operation can fail with */
    INITIALS = 1 << 20, /* values of this fact */
    CONDITION = FACTS | VERDICTS | LOGIC
};

typedef struct place {
    const char *field;
    unsigned offers;
} place;

static const place PLACES[] = {
    {"type", TYPES},
    {"element_type", TYPES},
    {"source", SOURCES},
    {"default", INITIALS},
    {"when", CONDITION},
    {"precondition", CONDITION},
    {"require", CONDITION},
    {"condition", CONDITION},
    {"produce", VERDICTS},
    {"verdict", VERDICTS},
    {"payload", TYPES | FACTS},
    {"allowed_personas", PERSONAS},
    {"personas", PERSONAS},
    {"persona", PERSONAS},
    {"from_persona", PERSONAS},
    {"to_persona", PERSONAS},
    {"to", PERSONAS},
    {"effects", ENTITIES | STATES},
    {"initial", STATES},
    {"transitions", STATES},
    {"parent", ENTITIES},
    {"op", OPERATIONS},
    {"flow", FLOWS},
    {"entry", STEPS},
    {"next", STEPS},
    {"if_true", STEPS | TERMINALS},
    {"if_false", STEPS | TERMINALS},
    {"on_success", STEPS | TERMINALS},
    {"on_all_success", STEPS | TERMINALS},
    {"on_all_complete", STEPS | TERMINALS},
    {"on_failure", HANDLERS | TERMINALS},
    {"on_any_failure", HANDLERS},
    {"then", TERMINALS},
    {"outcomes", OUTCOMES},
    {"error_contract", ERRORS},
    {"snapshot", MOMENTS},
    {"protocol", PROTOCOLS},
};

/* Fields in the order in which people write them, and by the words of the source where
 * these are not the keys of interchange. */
typedef struct body {
    const char *word;
    const char *fields[10];
} body;

static const body BODIES[] = {
    {"fact", {"type", "source", "default"}},
    {"source",
     {"protocol", "description", "base_url", "endpoint", "dialect", "auth",
      "schema_ref", "proto_ref"}},
    {"entity", {"states", "initial", "transitions", "parent"}},
    {"rule", {"stratum", "when", "produce"}},
    {"operation",
     {"allowed_personas", "precondition", "effects", "outcomes", "error_contract"}},
    {"flow", {"snapshot", "entry", "steps"}},
    {"system", {"members", "shared_personas", "shared_entities", "triggers"}},
    {"shared_personas", {"persona", "contracts"}},
    {"shared_entities", {"entity", "contracts"}},
    {"triggers", {"source", "on", "target", "persona"}},
    {"JoinPolicy", {"on_all_success", "on_any_failure", "on_all_complete"}},
    {"Branch", {"id", "entry", "steps"}},
    {"Compensation", {"op", "persona", "on_failure"}}, /* an item of Compensate.steps */
    {"Escalate", {"to", "next"}},
    {"Money", {"amount", "currency"}}, /* of the type and of a value */
    {"Duration", {"value", "unit", "min", "max"}},
    {"Record", {NULL}}, /* the names are the author's own */
    {"TaggedUnion", {NULL}},
};

typedef struct snippet {
    const char *word, *text;
} snippet;

static const snippet CONSTRUCTS[] = {
    {"fact", "fact ${1:name} {\n  type:   ${2:Bool}\n  source: \"${3:where.from}\"\n}"},
    {"entity",
     "entity ${1:Name} {\n  states:      [${2:open}, ${3:closed}]\n"
     "  initial:     ${2:open}\n  transitions: [(${2:open}, ${3:closed})]\n}"},
    {"rule", "rule ${1:name} {\n  stratum: ${2:0}\n  when:    ${3:condition}\n"
             "  produce: verdict ${4:verdict} { payload: Bool = true }\n}"},
    {"operation", "operation ${1:name} {\n  allowed_personas: [${2:persona}]\n"
                  "  precondition:     ${3:verdict_present(verdict)}\n"
                  "  effects:          [(${4:Entity}, ${5:from}, ${6:to})]\n"
                  "  error_contract:   [precondition_failed]\n}"},
    {"persona", "persona ${1:name}"},
    {"flow",
     "flow ${1:name} {\n  snapshot: at_initiation\n  entry:    ${2:step}\n  steps: {\n"
     "    ${2:step}: OperationStep {\n      op:         ${3:operation}\n"
     "      persona:    ${4:persona}\n      outcomes:   { success: Terminal(success) "
     "}\n"
     "      on_failure: Terminate(outcome: failure)\n    }\n  }\n}"},
    {"type", "type ${1:Name} {\n  ${2:field}: ${3:Bool}\n}"},
    {"source", "source ${1:name} {\n  protocol: ${2:http}\n  base_url: \"${3}\"\n}"},
    {"import", "import \"${1:file.tenor}\""},
    {"system", "system ${1:Name} {\n  members: [${2:member}: \"${3:file.tenor}\"]\n}"},
};

/* ---- one answer ---- */

typedef struct completer {
    ls_call *c;
    ls_view *v;
    const fr_unit *u; /* NULL: nothing is known */
    fr_symbols syms;
    fr_tokens tokens;
    mt_map told;
} completer;

static void offer(completer *x, mt_str label, int kind, mt_str detail)
{
    bool is_new;
    mt_map_add(x->c->a, &x->told, mt_str_dup(x->c->a, label), &is_new);
    if (!is_new || !label.len) {
        return;
    }
    mt_jw *w = x->c->w;
    mt_jw_begin_object(w);
    if (detail.len) {
        mt_jw_key_str(w, "detail", detail);
    }
    mt_jw_key_i64(w, "kind", kind);
    mt_jw_key_str(w, "label", label);
    mt_jw_end_object(w);
}

static void offer_words(completer *x, const char *const *words, size_t count, int kind)
{
    for (size_t i = 0; i < count; i++) {
        offer(x, mt_str_z(words[i]), kind, (mt_str){0});
    }
}

#define OFFER_WORDS(x, kind, ...)                                                      \
    offer_words((x), (const char *const[]){__VA_ARGS__},                               \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (kind))

/* `text` is a snippet; editors without them get its word. */
static void offer_snippet(completer *x, const char *label, mt_str text)
{
    bool is_new;
    mt_map_add(x->c->a, &x->told, mt_str_z(label), &is_new);
    if (!is_new) {
        return;
    }
    mt_jw *w = x->c->w;
    mt_jw_begin_object(w);
    if (x->c->s->has_snippets) {
        mt_jw_key_str(w, "insertText", text);
        mt_jw_key_i64(w, "insertTextFormat", 2);
    }
    mt_jw_key_i64(w, "kind", LS_ITEM_SNIPPET);
    mt_jw_key_str(w, "label", mt_str_z(label));
    mt_jw_end_object(w);
}

/* ---- names ---- */

static mt_str type_words(completer *x, const fr_construct *k)
{
    const fr_type *t =
        k->kind == FR_FACT ? ((const fr_fact *)(const void *)k)->type : NULL;
    return t && t->base < LN_BASE_COUNT && !k->broken ? fr_type_spell(x->u, x->c->a, t)
                                                      : (mt_str){0};
}

static void offer_kind(completer *x, fr_kind kind, int item)
{
    for (size_t i = 0; x->u && i < x->u->kinds[kind].len; i++) {
        const fr_construct *k = x->u->kinds[kind].items[i];
        offer(x, fr_str(x->u, k->id), item, type_words(x, k));
    }
}

static void offer_verdicts(completer *x)
{
    for (size_t i = 0; x->u && i < x->u->kinds[FR_RULE].len; i++) {
        const fr_rule *r = (const fr_rule *)(const void *)x->u->kinds[FR_RULE].items[i];
        if (!r->head.broken && r->verdict.sym != FR_W_none &&
            r->verdict.sym != FR_W_empty) {
            offer(x, fr_str(x->u, r->verdict.sym), LS_ITEM_EVENT,
                  mt_strf(x->c->a, "verdict of stratum %lld", (long long)r->stratum));
        }
    }
}

static void offer_names(completer *x, const fr_names *names, int kind, mt_str detail)
{
    for (size_t i = 0; i < names->len; i++) {
        offer(x, fr_str(x->u, names->items[i].sym), kind, detail);
    }
}

static const fr_construct *find(const completer *x, fr_kind kind, mt_str name)
{
    return ls_construct_named(x->u, kind, name);
}

/* ---- where the cursor is ---- */

/* One open bracket and what stands before it. */
typedef struct level {
    fr_tok bracket;
    mt_str word;  /* "fact", "OperationStep", "Money"; empty: a plain bracket */
    mt_str name;  /* of a construct or step */
    mt_str field; /* the last `field:` in it; empty: none, or its value is over */
    fr_tok field_tok;
} level;

enum { MOST_LEVELS = 64 };

typedef struct where {
    level levels[MOST_LEVELS];
    size_t depth;
    fr_tok last; /* the last token that ends before the word at the cursor */
    bool has_last;
} where;

static mt_str text_of(const completer *x, fr_tok tok)
{
    const fr_token *t = &x->tokens.items[tok];
    mt_str text = x->c->doc->lines.text;
    return mt_str_from(text.ptr + t->start, fr_token_len(text, t));
}

static bool is_kind(const completer *x, fr_tok tok, fr_token_kind kind)
{
    return x->tokens.items[tok].kind == (uint8_t)kind;
}

/* The words before an opening bracket: `fact amount {`, `pay: OperationStep {`. */
static level open_level(const completer *x, fr_tok at)
{
    level l = {.bracket = at};
    if (!at || !is_kind(x, at - 1, FR_T_WORD)) {
        return l;
    }
    mt_str before = text_of(x, at - 1);
    if (at >= 2 && is_kind(x, at - 2, FR_T_WORD) &&
        fr_is_construct_word(x->tokens.items[at - 2].sym)) {
        l.word = text_of(x, at - 2);
        l.name = before;
        return l;
    }
    l.word = before;
    if (at >= 3 && is_kind(x, at - 2, FR_T_COLON) && is_kind(x, at - 3, FR_T_WORD)) {
        l.name = text_of(x, at - 3);
    }
    return l;
}

/* Is there a line end between two tokens? A value ends with its line, unless a bracket
 * or an operator says that it goes on. */
static bool ends_value(const completer *x, fr_tok tok)
{
    fr_token_kind k = (fr_token_kind)x->tokens.items[tok].kind;
    return k == FR_T_WORD || k == FR_T_STR || k == FR_T_INT || k == FR_T_FLOAT ||
           k == FR_T_RBRACE || k == FR_T_RBRACKET || k == FR_T_RPAREN;
}

static where find_place(completer *x)
{
    where w = {0};
    size_t cursor = x->c->offset;
    mt_str text = x->c->doc->lines.text;
    while (cursor && (text.ptr[cursor - 1] == '_' ||
                      (text.ptr[cursor - 1] >= '0' && text.ptr[cursor - 1] <= '9') ||
                      ((text.ptr[cursor - 1] | 32) >= 'a' &&
                       (text.ptr[cursor - 1] | 32) <= 'z'))) {
        cursor--;
    }
    for (fr_tok at = 0; at + 1 < x->tokens.count; at++) {
        const fr_token *t = &x->tokens.items[at];
        if (t->start + fr_token_len(text, t) > cursor) {
            break;
        }
        if (t->kind == FR_T_COMMENT) {
            continue;
        }
        int nest = FR_NEST[t->kind];
        if (nest > 0 && w.depth < MOST_LEVELS) {
            w.levels[w.depth++] = open_level(x, at);
        } else if (nest < 0 && w.depth) {
            w.depth--;
        } else if (t->kind == FR_T_COLON && at && is_kind(x, at - 1, FR_T_WORD) &&
                   w.depth) {
            w.levels[w.depth - 1].field = text_of(x, at - 1);
            w.levels[w.depth - 1].field_tok = at;
        }
        w.last = at;
        w.has_last = true;
    }
    /* Behind a whole value, on a line of its own, a new field begins. */
    if (w.depth && w.has_last && w.levels[w.depth - 1].field.len &&
        w.last > w.levels[w.depth - 1].field_tok && ends_value(x, w.last)) {
        const fr_token *t = &x->tokens.items[w.last];
        size_t end = t->start + fr_token_len(text, t);
        for (size_t i = end; i < cursor; i++) {
            if (text.ptr[i] == '\n') {
                w.levels[w.depth - 1].field = (mt_str){0};
                break;
            }
        }
    }
    return w;
}

/* The innermost level whose word is this; NULL if none. */
static const level *inside(const where *w, const char *word)
{
    for (size_t i = w->depth; i-- > 0;) {
        if (mt_str_eq(w->levels[i].word, mt_str_z(word))) {
            return &w->levels[i];
        }
    }
    return NULL;
}

/* ---- what a place takes ---- */

/* Of an effect: the entity that stands before, in the same brackets. */
static const fr_construct *entity_before(const completer *x, const where *w, fr_tok *at)
{
    const level *l = w->depth ? &w->levels[w->depth - 1] : NULL;
    for (*at = w->last + 1; w->has_last && l && (*at)-- > l->bracket + 1;) {
        const fr_construct *k =
            is_kind(x, *at, FR_T_WORD) ? find(x, FR_ENTITY, text_of(x, *at)) : NULL;
        if (k || is_kind(x, *at, FR_T_RPAREN)) {
            return k;
        }
    }
    return NULL;
}

/* The state that stands before the cursor in a pair: `open,` or `open ->`; 0: none. */
static fr_sym state_before(const completer *x, const where *w, const fr_entity *e,
                           fr_tok first)
{
    bool is_pair =
        w->has_last && w->last > first + 1 &&
        (is_kind(x, w->last, FR_T_COMMA) || is_kind(x, w->last, FR_T_ARROW)) &&
        is_kind(x, w->last - 1, FR_T_WORD);
    fr_sym name = is_pair ? fr_symbol_find(&x->u->syms, text_of(x, w->last - 1)) : 0;
    for (size_t i = 0; name && i < e->states.len; i++) {
        if (e->states.items[i].sym == name) {
            return name;
        }
    }
    return 0;
}

/* Those that a transition leads to from a state; all, where it leads nowhere. */
static void offer_next_states(completer *x, const fr_entity *e, fr_sym from,
                              mt_str detail)
{
    bool any = false;
    for (size_t i = 0; from && i < e->transitions.len; i++) {
        if (e->transitions.items[i].from.sym == from) {
            offer(x, fr_str(x->u, e->transitions.items[i].to.sym), LS_ITEM_ENUM_MEMBER,
                  mt_strf(x->c->a, "state after %.*s", FR_ARG(x->u, from)));
            any = true;
        }
    }
    if (!any) {
        offer_names(x, &e->states, LS_ITEM_ENUM_MEMBER, detail);
    }
}

static void offer_states(completer *x, const where *w)
{
    const level *own = inside(w, "entity");
    const fr_construct *k = own ? find(x, FR_ENTITY, own->name) : NULL;
    const fr_entity *e = (const fr_entity *)(const void *)k;
    fr_tok at = 0;
    if (own) {
        if (e) {
            offer_names(x, &e->states, LS_ITEM_ENUM_MEMBER, MT_STR("state"));
        }
        return;
    }
    k = entity_before(x, w, &at);
    e = (const fr_entity *)(const void *)k;
    if (e) {
        offer_next_states(x, e, state_before(x, w, e, at),
                          mt_strf(x->c->a, "state of %.*s", FR_ARG(x->u, k->id)));
    }
}

/* ---- steps ---- */

/* `steps: {` directly inside the bracket; 0: it is not there. */
static fr_tok steps_in(const completer *x, fr_tok open)
{
    int depth = 0;
    for (fr_tok at = open; at + 2 < x->tokens.count; at++) {
        depth += FR_NEST[x->tokens.items[at].kind];
        if (depth <= 0) {
            break;
        }
        if (depth == 1 && is_kind(x, at, FR_T_WORD) && is_kind(x, at + 1, FR_T_COLON) &&
            is_kind(x, at + 2, FR_T_LBRACE) && mt_str_is(text_of(x, at), "steps")) {
            return at + 2;
        }
    }
    return 0;
}

/* The names of the steps around the cursor, those of a parallel branch alone: as they
 * are written now, for a step is often named before it is there. */
static void offer_steps(completer *x, const where *w)
{
    fr_tok open = 0;
    for (size_t i = w->depth; !open && i-- > 0;) {
        const level *l = &w->levels[i];
        if (mt_str_is(l->word, "flow") || mt_str_is(l->word, "Branch")) {
            open = steps_in(x, l->bracket);
        }
    }
    const level *flow = inside(w, "flow");
    const fr_construct *k = flow && !open ? find(x, FR_FLOW, flow->name) : NULL;
    const fr_flow *f = (const fr_flow *)(const void *)k;
    for (size_t i = 0; f && i < f->steps.len; i++) {
        offer(x, fr_str(x->u, f->steps.items[i]->id.sym), LS_ITEM_FIELD,
              MT_STR("step"));
    }
    int depth = 0;
    for (fr_tok at = open; open && at + 1 < x->tokens.count; at++) {
        depth += FR_NEST[x->tokens.items[at].kind];
        if (depth <= 0) {
            break;
        }
        if (depth == 1 && is_kind(x, at, FR_T_WORD) && is_kind(x, at + 1, FR_T_COLON)) {
            offer(x, text_of(x, at), LS_ITEM_FIELD, MT_STR("step"));
        }
    }
}

/* The value of a field that was written before in the same body. */
static mt_str written(const completer *x, const level *l, const char *field,
                      fr_tok last)
{
    for (fr_tok at = l->bracket + 1; at + 2 <= last; at++) {
        if (is_kind(x, at, FR_T_WORD) && is_kind(x, at + 1, FR_T_COLON) &&
            is_kind(x, at + 2, FR_T_WORD) &&
            mt_str_eq(text_of(x, at), mt_str_z(field))) {
            return text_of(x, at + 2);
        }
    }
    return (mt_str){0};
}

static void offer_outcomes(completer *x, const where *w)
{
    const level *step = inside(w, "OperationStep");
    mt_str op = step ? written(x, step, "op", w->last) : (mt_str){0};
    const fr_construct *k = op.len ? find(x, FR_OPERATION, op) : NULL;
    const fr_operation *o = (const fr_operation *)(const void *)k;
    if (o && o->outcomes.len) {
        offer_names(x, &o->outcomes, LS_ITEM_ENUM_MEMBER, MT_STR("outcome"));
    } else {
        OFFER_WORDS(x, LS_ITEM_ENUM_MEMBER, "success");
    }
}

/* `op: pay persona: |`: whom the operation allows; false: it is not known. */
static bool offer_allowed(completer *x, const where *w)
{
    const level *l = w->depth ? &w->levels[w->depth - 1] : NULL;
    mt_str op = l && mt_str_is(l->field, "persona") ? written(x, l, "op", w->last)
                                                    : (mt_str){0};
    const fr_construct *k = op.len ? find(x, FR_OPERATION, op) : NULL;
    const fr_operation *o = (const fr_operation *)(const void *)k;
    if (!o || !o->personas.len) {
        return false;
    }
    offer_names(x, &o->personas, LS_ITEM_INTERFACE,
                mt_strf(x->c->a, "may %.*s", MT_ARG(op)));
    return true;
}

static void offer_initials(completer *x, const where *w);

static void offer_set(completer *x, const where *w, unsigned set)
{
    static const struct {
        unsigned bit;
        fr_kind kind;
        int item;
    } KINDS[] = {
        {FACTS, FR_FACT, LS_ITEM_VARIABLE},
        {PERSONAS, FR_PERSONA, LS_ITEM_INTERFACE},
        {OPERATIONS, FR_OPERATION, LS_ITEM_METHOD},
        {FLOWS, FR_FLOW, LS_ITEM_METHOD},
        {ENTITIES, FR_ENTITY, LS_ITEM_CLASS},
        {SOURCES, FR_SOURCE, LS_ITEM_MODULE},
        {TYPES, FR_TYPEDECL, LS_ITEM_STRUCT},
        {RULES, FR_RULE, LS_ITEM_FUNCTION},
    };
    if (set & STATES) {
        offer_states(x, w);
    }
    if (set & STEPS) {
        offer_steps(x, w);
    }
    if (set & OUTCOMES) {
        offer_outcomes(x, w);
    }
    if (set & PERSONAS && offer_allowed(x, w)) {
        set &= ~(unsigned)PERSONAS;
    }
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (set & KINDS[i].bit) {
            offer_kind(x, KINDS[i].kind, KINDS[i].item);
        }
    }
    if (set & VERDICTS) {
        offer_verdicts(x);
    }
    for (size_t i = 0; set & TYPES && i < LN_BASE_COUNT; i++) {
        offer(x, mt_str_z(LN_BASES[i].name), LS_ITEM_STRUCT, (mt_str){0});
    }
    if (set & LOGIC) {
        OFFER_WORDS(x, LS_ITEM_KEYWORD, "and", "or", "not", "forall", "exists", "in",
                    "true", "false");
        offer_snippet(x, "verdict_present", MT_STR("verdict_present(${1:verdict})"));
        offer_snippet(x, "len", MT_STR("len(${1:list})"));
    }
    if (set & BOOLEANS) {
        OFFER_WORDS(x, LS_ITEM_KEYWORD, "true", "false");
    }
    if (set & INITIALS) {
        offer_initials(x, w);
    }
    if (set & ERRORS) {
        OFFER_WORDS(x, LS_ITEM_ENUM_MEMBER, "precondition_failed", "persona_rejected");
    }
    if (set & TERMINALS) {
        offer_snippet(x, "Terminal", MT_STR("Terminal(${1:success})"));
    }
    if (set & HANDLERS) {
        offer_snippet(x, "Terminate", MT_STR("Terminate(outcome: ${1:failure})"));
        offer_snippet(x, "Compensate",
                      MT_STR("Compensate(\n  steps: [{ op: ${1:operation}, persona: "
                             "${2:persona}, on_failure: Terminal(${3:failure}) }],\n  "
                             "then: Terminal(${3:failure})\n)"));
        offer_snippet(x, "Escalate",
                      MT_STR("Escalate(to: ${1:persona}, next: ${2:step})"));
    }
    if (set & PROTOCOLS) {
        OFFER_WORDS(x, LS_ITEM_ENUM_MEMBER, "http", "database", "graphql", "grpc",
                    "static", "manual");
    }
    if (set & MOMENTS) {
        OFFER_WORDS(x, LS_ITEM_ENUM_MEMBER, "at_initiation");
    }
    for (size_t i = 0; set & STEP_KINDS && i < LN_STEP_COUNT; i++) {
        offer(x, mt_str_z(LN_STEPS[i].name), LS_ITEM_KEYWORD, (mt_str){0});
    }
}

static const place *place_of(mt_str field)
{
    for (size_t i = 0; field.len && i < sizeof PLACES / sizeof *PLACES; i++) {
        if (mt_str_eq(field, mt_str_z(PLACES[i].field))) {
            return &PLACES[i];
        }
    }
    return NULL;
}

/* A comma behind a value ends it where fields are written, as a line does. */
static bool is_over(const completer *x, const where *w, const level *l)
{
    return l->word.len && l->field.len && w->has_last && w->last > l->field_tok + 1 &&
           is_kind(x, w->last, FR_T_COMMA);
}

/* Unless it is written already. */
static void offer_field(completer *x, const where *w, const level *l, const char *field)
{
    bool is_there = false;
    for (fr_tok at = l->bracket + 1; w->has_last && at < w->last; at++) {
        is_there |= is_kind(x, at, FR_T_WORD) && is_kind(x, at + 1, FR_T_COLON) &&
                    mt_str_eq(text_of(x, at), mt_str_z(field));
    }
    if (!is_there) {
        offer(x, mt_str_z(field), LS_ITEM_FIELD, MT_STR("field"));
    }
}

static const body *body_of(mt_str word)
{
    for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++) {
        if (mt_str_eq(word, mt_str_z(BODIES[i].word))) {
            return &BODIES[i];
        }
    }
    return NULL;
}

static void offer_fields(completer *x, const where *w, const level *l)
{
    const ln_shape *const families[] = {LN_SHAPE_STEP, LN_SHAPE_HANDLER, LN_SHAPE_TYPE};
    const body *b = body_of(l->word);
    const ln_case *c = NULL;
    for (size_t i = 0; !b && !c && i < sizeof families / sizeof *families; i++) {
        c = ln_case_find(families[i], l->word);
    }
    for (const char *const *f = b ? b->fields : NULL; f && *f; f++) {
        offer_field(x, w, l, *f);
    }
    for (const ln_field *f = c ? c->fields : NULL; f && f->key; f++) {
        offer_field(x, w, l, f->key);
    }
}

/* `triggers: [{ |` and `Compensate(steps: [{ |`: the objects of a list are called by
 * its field. Empty: it is not such a place. */
static mt_str item_word(const completer *x, const where *w)
{
    const level *l = &w->levels[w->depth - 1];
    const level *list = w->depth > 2 ? l - 2 : NULL;
    if (!list || l->word.len || l->field.len || !is_kind(x, l->bracket, FR_T_LBRACE)) {
        return (mt_str){0};
    }
    if (mt_str_is(list->word, "Compensate") && mt_str_is(list->field, "steps")) {
        return MT_STR("Compensation");
    }
    return inside(w, "system") ? list->field : (mt_str){0};
}

static const fr_type *fact_type(const completer *x, mt_str name)
{
    const fr_construct *k = find(x, FR_FACT, name);
    return k && !k->broken ? ((const fr_fact *)(const void *)k)->type : NULL;
}

/* A sign, or the word for it. */
static bool is_said(const completer *x, fr_tok tok, fr_token_kind kind, fr_sym word)
{
    return is_kind(x, tok, kind) ||
           (is_kind(x, tok, FR_T_WORD) && x->tokens.items[tok].sym == word);
}

/* `forall NAME in FACT` that stands before: an element of the list. */
static const fr_type *variable_type(const completer *x, mt_str name, fr_tok before)
{
    for (fr_tok at = before; at-- > 1;) {
        bool binds = (is_said(x, at - 1, FR_T_FORALL, FR_W_forall) ||
                      is_said(x, at - 1, FR_T_EXISTS, FR_W_exists)) &&
                     is_said(x, at + 1, FR_T_IN, FR_W_in) &&
                     is_kind(x, at + 2, FR_T_WORD);
        if (binds && mt_str_eq(text_of(x, at), name)) {
            const fr_type *t = fact_type(x, text_of(x, at + 2));
            return t && fr_holds(t, LN_LIST) ? t->element : NULL;
        }
    }
    return NULL;
}

static const fr_type *verdict_type(const completer *x, mt_str name)
{
    fr_sym sym = fr_symbol_find(&x->u->syms, name);
    const fr_rule *r = sym ? fr_find_verdict(x->u, sym) : NULL;
    return r && !r->head.broken ? r->payload_type : NULL;
}

/* Of a name in a condition: bound variables, facts and verdicts, in this order. */
static const fr_type *named_type(const completer *x, fr_tok tok)
{
    mt_str name = text_of(x, tok);
    const fr_type *t = variable_type(x, name, tok);
    t = t ? t : fact_type(x, name);
    return t ? t : verdict_type(x, name);
}

/* The type of a path of names before a dot: fact.field.field. */
static const fr_type *type_before(const completer *x, fr_tok dot)
{
    fr_tok first = dot;
    while (first >= 3 && is_kind(x, first - 1, FR_T_WORD) &&
           is_kind(x, first - 2, FR_T_DOT)) {
        first -= 2;
    }
    if (!first || !is_kind(x, first - 1, FR_T_WORD)) {
        return NULL;
    }
    const fr_type *t = named_type(x, first - 1);
    for (fr_tok at = first; t && at < dot; at += 2) {
        fr_sym name = fr_symbol_find(&x->u->syms, text_of(x, at + 1));
        t = name ? fr_type_field_of(x->u, t, name) : NULL;
    }
    return t;
}

static void offer_parts(completer *x, const fr_type *t)
{
    if (t && fr_has(t, LN_CURRENCY)) {
        OFFER_WORDS(x, LS_ITEM_FIELD, "amount", "currency");
    }
    for (uint32_t i = 0; t && fr_has(t, LN_PARTED) && i < t->field_count; i++) {
        offer(x, fr_str(x->u, t->fields[i].name), LS_ITEM_FIELD,
              fr_type_spell(x->u, x->c->a, t->fields[i].type));
    }
}

static void offer_choices(completer *x, const fr_type *t)
{
    for (uint32_t i = 0; i < t->value_count; i++) {
        offer(x, mt_strf(x->c->a, "\"%.*s\"", FR_ARG(x->u, t->values[i])),
              LS_ITEM_ENUM_MEMBER, (mt_str){0});
    }
}

/* The name before the operator, or before `in [`, whose values are wanted; 0: none. */
static fr_tok compared(const completer *x, const where *w)
{
    fr_tok at = w->has_last ? w->last : 0;
    bool is_sign = is_kind(x, at, FR_T_EQ) || is_kind(x, at, FR_T_NEQ);
    const level *l = w->depth ? &w->levels[w->depth - 1] : NULL;
    if (!is_sign && l && is_kind(x, l->bracket, FR_T_LBRACKET) && l->bracket > 1 &&
        is_said(x, l->bracket - 1, FR_T_IN, FR_W_in)) {
        at = l->bracket - 1;
        is_sign = true;
    }
    return is_sign && at && is_kind(x, at - 1, FR_T_WORD) ? at - 1 : 0;
}

/* `fact = "`: the values of an Enum that stands before the operator. */
static bool offer_values(completer *x, const where *w)
{
    fr_tok name = compared(x, w);
    if (!name) {
        return false;
    }
    const fr_type *t;
    if (name >= 2 && is_kind(x, name - 1, FR_T_DOT)) {
        const fr_type *of = type_before(x, name - 1);
        fr_sym field = of ? fr_symbol_find(&x->u->syms, text_of(x, name)) : 0;
        t = field ? fr_type_field_of(x->u, of, field) : NULL;
    } else {
        t = named_type(x, name);
    }
    if (!t || !fr_holds(t, LN_CHOICE)) {
        return false;
    }
    offer_choices(x, t);
    return true;
}

/* What the fact's type has. */
static void offer_initials(completer *x, const where *w)
{
    const level *fact = inside(w, "fact");
    const fr_type *t = fact && x->u ? fact_type(x, fact->name) : NULL;
    if (t && fr_holds(t, LN_CHOICE)) {
        offer_choices(x, t);
    } else if (!t || fr_holds(t, LN_BOOLEAN)) {
        OFFER_WORDS(x, LS_ITEM_KEYWORD, "true", "false");
    }
}

/* ---- files ---- */

typedef struct file_search {
    completer *x;
    size_t folder, left;
} file_search;

static bool offer_file(void *context, mt_str path)
{
    file_search *f = context;
    if (!mt_str_eq(path, f->x->c->doc->path)) {
        offer(f->x, mt_str_skip(path, f->folder + 1), LS_ITEM_FILE, (mt_str){0});
    }
    return --f->left > 0;
}

/* `import "`: contracts below the folder, which are the ones that may be imported. */
static bool offer_imports(completer *x)
{
    enum { MOST_FILES = 200 };
    const ls_server *s = x->c->s;
    mt_str text = x->c->doc->lines.text, dir = mt_path_dir(x->c->doc->path);
    size_t at = x->c->offset;
    while (at && text.ptr[at - 1] != '\n' && text.ptr[at - 1] != '"') {
        at--;
    }
    mt_str before = mt_str_trim(mt_str_from(text.ptr, at ? at - 1 : 0), MT_STR(" \t"));
    bool is_import =
        at && text.ptr[at - 1] == '"' && mt_str_ends(before, MT_STR("import"));
    file_search f = {x, dir.len, MOST_FILES};
    if (is_import && s->world.list && dir.len) {
        s->world.list(s->world.state, dir, MT_STR(".tenor"), offer_file, &f);
    }
    return is_import;
}

static void offer_all(completer *x)
{
    where w = find_place(x);
    if (offer_imports(x)) {
        return;
    }
    if (!w.depth) {
        for (size_t i = 0; i < sizeof CONSTRUCTS / sizeof *CONSTRUCTS; i++) {
            offer_snippet(x, CONSTRUCTS[i].word, mt_str_z(CONSTRUCTS[i].text));
        }
        return;
    }
    if (x->u && w.has_last && is_kind(x, w.last, FR_T_DOT)) {
        offer_parts(x, type_before(x, w.last));
        return;
    }
    if (x->u && offer_values(x, &w)) {
        return;
    }
    const level *l = &w.levels[w.depth - 1];
    if (mt_str_is(l->word, "verdict_present")) {
        offer_set(x, &w, VERDICTS);
        return;
    }
    /* a bracket without a word of its own belongs to the field around it */
    const level *of = l;
    size_t depth = w.depth;
    while (!of->word.len && !place_of(of->field) && depth > 1) {
        of = &w.levels[--depth - 1];
    }
    mt_str item = item_word(x, &w);
    if (item.len) {
        level named = *l;
        named.word = item;
        offer_fields(x, &w, &named);
        return;
    }
    /* `steps: { a: |` and `outcomes: { success: |`: the names are the author's own */
    mt_str around =
        !l->word.len && w.depth > 1 ? w.levels[w.depth - 2].field : (mt_str){0};
    if (l->field.len && mt_str_is(around, "steps")) {
        offer_set(x, &w, STEP_KINDS);
        return;
    }
    if (l->field.len && mt_str_is(around, "outcomes")) {
        offer_set(x, &w, STEPS | TERMINALS);
        return;
    }
    const place *p = place_of(of->field);
    if (p && !is_over(x, &w, l)) {
        offer_set(x, &w, p->offers);
    } else {
        offer_fields(x, &w, l);
    }
}

void ls_complete(ls_call *c)
{
    completer x = {.c = c, .v = ls_view_good(c->s, c->doc)};
    x.u = x.v->e ? x.v->e->unit : NULL;
    fr_symbols_init(&x.syms, c->a);
    fr_lex(c->a, &x.syms, c->doc->lines.text, c->s->limits, FR_LEX_COMMENTS, &x.tokens);
    mt_jw_begin_object(c->w);
    mt_jw_key_bool(c->w, "isIncomplete", false);
    mt_jw_keyz(c->w, "items");
    mt_jw_begin_array(c->w);
    offer_all(&x);
    mt_jw_end_array(c->w);
    mt_jw_end_object(c->w);
}
