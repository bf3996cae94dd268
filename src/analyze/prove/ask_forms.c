/* analyze/prove/ask_forms.c - the table of questions read as a grammar.
 *
 * A form is its text: words in small letters stand for themselves, words in capitals
 * for what a reader of SLOTS takes. A question is tried with every form whose words it
 * has, in their order, the one with most words first; the first that reads all of it
 * wins. If none does, the fault of the one that came furthest is said; if no form has
 * its words, the likeliest one is suggested.
 *
 * "with N instances" may end every question that is about states. Nothing is decided
 * here. */
#include "analyze/prove/ask_internal.h"
#include "base/nearest.h"

static const char *const TEXTS[AN_QUESTION_COUNT] = {
#define TEXT(name, text, example, means) [AN_ASK_##name] = text,
    AN_QUESTION_MAP(TEXT)
#undef TEXT
};

/* Those that are about facts alone, or that count instances themselves. */
static bool is_about_states(an_question form)
{
    return form != AN_ASK_WHEN_IS && form != AN_ASK_WHEN_CAN && form != AN_ASK_CAUSE &&
           form != AN_ASK_EVERY_FLOW && form != AN_ASK_FLOW;
}

/* ---- what stands for a word in capitals ---- */

/* A persona of that name is meant, where there is one. */
static bool read_persona(asker *k, ask_said *q)
{
    q->persona = CT_NONE;
    return ask_try_union(k, CT_KIND_PERSONA, &q->persona) || ask_take(k, "anyone") ||
           ask_read_union(k, CT_KIND_PERSONA, &q->persona);
}

static bool read_state_of(asker *k, ask_goal *g)
{
    return ask_read_union(k, CT_KIND_ENTITY, &g->entity) && ask_want(k, ".") &&
           ask_read_state(k, g->entity, &g->to);
}

/* The entity of the goal is the first that the
 * operation moves: it is what a way is shown by. */
static bool read_performed(asker *k, ask_goal *g)
{
    if (!ask_read_union(k, CT_KIND_OPERATION, &g->operation)) {
        return false;
    }
    const ct_operation *op = &k->q->plan->model->operations[g->operation];
    g->entity = op->effect_count ? op->effects[0].entity : CT_NONE;
    return true;
}

/* At most two: no form has more, and goals[] has room for two. */
static ask_goal *new_goal(ask_said *q)
{
    ask_goal *g = &q->goals[q->goal_count++];
    *g = (ask_goal){CT_NONE, CT_NONE, CT_NONE, CT_NONE};
    return g;
}

static bool read_goal(asker *k, ask_said *q)
{
    ask_goal *g = new_goal(q);
    if (ask_take(k, "perform")) {
        return read_performed(k, g);
    }
    if (ask_take(k, "move")) {
        return ask_read_union(k, CT_KIND_ENTITY, &g->entity) && ask_want(k, "from") &&
               ask_read_state(k, g->entity, &g->from) && ask_want(k, "to") &&
               ask_read_state(k, g->entity, &g->to);
    }
    const ask_token *t = ask_peek(k);
    return ask_take(k, "reach")
               ? read_state_of(k, g)
               : ask_fault(k, t, "expected 'reach', 'move' or 'perform', got '%.*s'",
                           MT_ARG(t->text));
}

/* An operation; otherwise a state that is entered. */
static bool read_event(asker *k, ask_said *q)
{
    ask_goal *g = new_goal(q);
    uint32_t entity;
    size_t at = k->next;
    bool dotted = ask_try_union(k, CT_KIND_ENTITY, &entity) && ask_take(k, ".");
    k->next = at;
    return dotted ? read_state_of(k, g) : read_performed(k, g);
}

static bool read_operation(asker *k, ask_said *q)
{
    return read_performed(k, new_goal(q));
}

static bool read_condition(asker *k, ask_said *q)
{
    const ct_expr *e = ask_condition(k);
    q->conditions[q->condition_count++] = e;
    return e != NULL;
}

static bool read_entity(asker *k, ask_said *q)
{
    return ask_read_union(k, CT_KIND_ENTITY, &q->entity);
}

static bool read_flow(asker *k, ask_said *q)
{
    return ask_read_member(k, CT_KIND_FLOW, &q->member, &q->flow);
}

/* The word may stand before the name. */
static bool read_verdict(asker *k, ask_said *q)
{
    size_t at = k->next;
    if (ask_take(k, "verdict") && ask_peek(k)->kind == ASK_END) {
        k->next = at;
    }
    return ask_read_member(k, CT_KIND_VERDICT, &q->member, &q->rule);
}

/* What a word in capitals is read by. Adding a form with a new one needs a row here. */
typedef struct slot {
    const char *name;
    bool (*read)(asker *k, ask_said *q);
} slot;

static const slot SLOTS[] = {
    {"PERSONA", read_persona}, {"GOAL", read_goal},
    {"EVENT", read_event},     {"CONDITION", read_condition},
    {"ENTITY", read_entity},   {"OPERATION", read_operation},
    {"FLOW", read_flow},       {"VERDICT", read_verdict},
};

/* ---- words of a form ---- */

/* The next word of the text; false: there is none. */
static bool next_word(mt_str *rest, mt_str *word)
{
    *rest = mt_str_trim(*rest, MT_STR(" "));
    size_t end = mt_str_find(*rest, ' ');
    *word = mt_str_from(rest->ptr, end);
    *rest = mt_str_skip(*rest, end);
    return word->len > 0;
}

static const slot *slot_named(mt_str word)
{
    for (size_t i = 0; i < sizeof SLOTS / sizeof *SLOTS; i++) {
        if (mt_str_eq(word, mt_str_z(SLOTS[i].name))) {
            return &SLOTS[i];
        }
    }
    return NULL;
}

/* A goal begins with one of its own words. */
static bool is_word_of(mt_str word, const ask_token *t)
{
    if (mt_str_is(word, "GOAL")) {
        return mt_str_is(t->text, "reach") || mt_str_is(t->text, "move") ||
               mt_str_is(t->text, "perform");
    }
    return mt_str_eq(word, t->text);
}

/* A mistyped word of the form, so that a suggestion can be made of it. */
static bool is_near(mt_str word, const ask_token *t)
{
    static const char *const GOALS[] = {"reach", "move", "perform"};
    mt_nearest n = mt_nearest_to(t->text);
    if (!mt_str_is(word, "GOAL")) {
        mt_nearest_offer(&n, word);
        return n.best.len > 0;
    }
    for (size_t i = 0; i < sizeof GOALS / sizeof *GOALS; i++) {
        mt_nearest_offer(&n, mt_str_z(GOALS[i]));
    }
    return n.best.len > 0;
}

/* How many words of the form the question has, in order; `all`: every one. Near ones
 * count half, if they are wanted. */
static unsigned words_met(const asker *k, an_question f, bool near, bool *all)
{
    mt_str rest = mt_str_z(TEXTS[f]), word;
    size_t at = k->next;
    unsigned score = 0;
    *all = true;
    while (next_word(&rest, &word)) {
        if (slot_named(word) && !mt_str_is(word, "GOAL")) {
            continue;
        }
        size_t i = at, half = 0;
        while (i < k->tokens.len && !(k->tokens.items[i].kind == ASK_WORD &&
                                      is_word_of(word, &k->tokens.items[i]))) {
            if (near && !half && k->tokens.items[i].kind == ASK_WORD &&
                is_near(word, &k->tokens.items[i])) {
                half = i + 1;
            }
            i++;
        }
        if (i < k->tokens.len) {
            at = i + 1;
            score += 2;
        } else {
            at = half ? half : at;
            score += half ? 1 : 0;
            *all = false;
        }
    }
    return score;
}

/* ---- reading by a form ---- */

/* with N instances */
static bool read_instances(asker *k, ask_said *q)
{
    if (!is_about_states(q->form) || !ask_take(k, "with")) {
        return true;
    }
    const ask_token *t = ask_peek(k);
    bool digit = t->kind == ASK_NUMBER && t->text.len == 1 && t->text.ptr[0] > '0';
    if (!digit) {
        return ask_fault(k, t,
                         "expected a number of instances from 1 to %d, got '%.*s'",
                         AN_MOST_INSTANCES, MT_ARG(t->text));
    }
    q->instances = (uint32_t)(t->text.ptr[0] - '0');
    k->next++;
    return ask_take(k, "instance") || ask_want(k, "instances");
}

/* The whole question by one form, from a clean
 * ask_said on. False: the fault is in k->error. */
static bool read_by(asker *k, an_question f, ask_said *q)
{
    mt_str rest = mt_str_z(TEXTS[f]), word;
    *q = (ask_said){.form = f,
                    .persona = CT_NONE,
                    .entity = CT_NONE,
                    .rule = CT_NONE,
                    .flow = CT_NONE,
                    .member = CT_NONE,
                    .instances = k->q->instances};
    while (next_word(&rest, &word)) {
        const slot *s = slot_named(word);
        if (!(s ? s->read(k, q) : ask_want(k, mt_str_dup(k->a, word).ptr))) {
            return false;
        }
    }
    return read_instances(k, q) && ask_at_end(k);
}

/* What an attempt changed is forgotten, but its fault. */
static asker before(const asker *k)
{
    asker copy = *k;
    copy.atoms.len = 0;
    return copy;
}

/* The form whose words the question has most of, near ones too; how much. */
static unsigned likeliest(const asker *k, an_question *best)
{
    unsigned most = 0;
    bool all;
    for (int f = 0; f < AN_QUESTION_COUNT; f++) {
        unsigned score = words_met(k, (an_question)f, true, &all);
        if (score > most) {
            most = score;
            *best = (an_question)f;
        }
    }
    return most;
}

/* No form has its words. */
static bool suggest(asker *k)
{
    an_question best = AN_ASK_CAN;
    if (!likeliest(k, &best)) {
        return ask_fault(k, ask_peek(k),
                         "a question begins with can, who, what, when, is, never, "
                         "always, every, flow, from, nobody or why; motet ask --help "
                         "lists them");
    }
    ask_said ignored;
    asker look = before(k);
    read_by(&look, best, &ignored);
    k->next = look.fault_at;
    return ask_fault(k, &(ask_token){.at = look.place}, "%.*s; did you mean: %s",
                     MT_ARG(look.error), TEXTS[best]);
}

/* One has, but does not read it; another is nearer. */
static bool refuse(asker *k, const asker *worst, an_question form)
{
    an_question best = AN_ASK_CAN;
    bool all;
    k->error = worst->error;
    k->place = worst->place;
    if (likeliest(k, &best) > words_met(k, form, false, &all)) {
        k->error =
            mt_strf(k->a, "%.*s; did you mean: %s", MT_ARG(k->error), TEXTS[best]);
    }
    return false;
}

/* The forms that have all their words there, the one with most words first. */
static size_t candidates(const asker *k, an_question *out)
{
    unsigned score[AN_QUESTION_COUNT];
    size_t count = 0;
    for (int f = 0; f < AN_QUESTION_COUNT; f++) {
        bool all;
        unsigned met = words_met(k, (an_question)f, false, &all);
        size_t i = count;
        if (!all || f == AN_ASK_WHY_NOT) {
            continue;
        }
        for (; i > 0 && score[i - 1] < met; i--) {
            score[i] = score[i - 1];
            out[i] = out[i - 1];
        }
        score[i] = met;
        out[i] = (an_question)f;
        count++;
    }
    return count;
}

/* "why not" stands before another question, once. */
bool ask_read(asker *k, ask_said *out)
{
    an_question forms[AN_QUESTION_COUNT], furthest = AN_QUESTION_COUNT;
    asker worst = {0};
    if (ask_take(k, "why")) {
        k->why = true;
        if (!ask_want(k, "not")) {
            return false;
        }
    }
    size_t count = candidates(k, forms);
    for (size_t i = 0; i < count; i++) {
        asker look = before(k);
        if (read_by(&look, forms[i], out)) {
            *k = look;
            return true;
        }
        if (!i || look.fault_at > worst.fault_at) {
            worst = look;
            furthest = forms[i];
        }
    }
    return count ? refuse(k, &worst, furthest) : suggest(k);
}
