/* analyze/prove/ask.c - reading a question, and the answers about conditions.
 *
 * `motet ask` understands a few sentences: "can X hold", "is X always", "is X
 * possible", "is X implied by Y", "when is X", "who can reach ...", "can P perform
 * ...". The question is cut into tokens, dispatch() looks at the first ones, and each
 * form reads the rest by ask_condition.c or ask_reach.c. The place of a token is kept,
 * so a fault can be underlined in the question.
 *
 * A reply is yes, no or unknown, as text and as JSON, and says what it rests on:
 * `proof` names the method, `facts` an example that the evaluator has confirmed,
 * `covers` what was searched, `reason` why it is unknown. "No" is said only when the
 * solver has proven it or a complete search found nothing.
 *
 * What may fail: a question that cannot be read is AN_REPLY_FAULT with a message and a
 * place; only the first fault is kept. Everything lives in the caller's arena. */
#include "analyze/prove/ask_internal.h"
#include "base/utf8.h"
#include "contract/flow/text.h"

/* A question is a sentence; more is not one, and the parser recurses over tokens. */
enum { MOST_TOKENS = 2000 };

/* ---- Words ---- */

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Later faults follow from the first, and one place can be underlined. */
bool ask_fault(asker *k, const ask_token *at, const char *format, ...)
{
    va_list args;
    if (!k->error.len) {
        va_start(args, format);
        k->error = mt_strfv(k->a, format, args);
        va_end(args);
        k->place = at->at;
    }
    return false;
}

/* A dot is part of the number only before a digit, as in the language itself. */
static size_t number_end(mt_str q, size_t i)
{
    i += q.ptr[i] == '-';
    while (i < q.len && (is_digit(q.ptr[i]) || (q.ptr[i] == '.' && i + 1 < q.len &&
                                                is_digit(q.ptr[i + 1])))) {
        i++;
    }
    return i;
}

/* The token at i; its end is returned. 0: nothing begins here, or text without its
 * closing quote. Longer signs stand before their beginnings in SIGNS. */
static size_t scan(mt_str q, size_t i, ask_token *t)
{
    static const char *const SIGNS[] = {"<=", ">=", "!=", "=", "<", ">", "(", ")", "."};
    size_t end = i;
    t->at = i;
    bool minus = q.ptr[i] == '-' && i + 1 < q.len && is_digit(q.ptr[i + 1]);
    if (is_digit(q.ptr[i]) || minus) {
        t->kind = ASK_NUMBER;
        end = number_end(q, i);
    } else if (is_name_byte(q.ptr[i])) {
        t->kind = ASK_WORD;
        while (end < q.len && is_name_byte(q.ptr[end])) {
            end++;
        }
    } else if (q.ptr[i] == '"') {
        size_t length = mt_str_find(mt_str_skip(q, i + 1), '"');
        t->kind = ASK_TEXT;
        t->text = mt_str_from(q.ptr + i + 1, length);
        return i + 1 + length < q.len ? i + length + 2 : 0;
    } else {
        t->kind = ASK_SIGN;
        for (size_t s = 0; s < sizeof SIGNS / sizeof *SIGNS && end == i; s++) {
            end += mt_str_starts(mt_str_skip(q, i), mt_str_z(SIGNS[s]))
                       ? strlen(SIGNS[s])
                       : 0;
        }
    }
    t->text = mt_str_from(q.ptr + i, end - i);
    return end > i ? end : 0;
}

/* A question mark at the end is good style and means nothing. The last token is
 * ASK_END, so looking one ahead is always allowed. */
static bool tokenise(asker *k, mt_str q)
{
    size_t whole = mt_utf8_check(q);
    if (whole != q.len) {
        return ask_fault(k, &(ask_token){.at = whole}, "this is not UTF-8");
    }
    q = mt_str_trim(q, MT_STR(" \t\r\n?"));
    for (size_t i = 0; i < q.len;) {
        ask_token t = {0};
        if (q.ptr[i] == ' ' || q.ptr[i] == '\t' || q.ptr[i] == '\n') {
            i++;
            continue;
        }
        size_t end = scan(q, i, &t);
        if (!end || k->tokens.len == MOST_TOKENS) {
            return ask_fault(k, &t,
                             end ? "the question is too long"
                                 : "this is not part of a question");
        }
        mt_vec_push(k->a, &k->tokens, t);
        i = end;
    }
    mt_vec_push(k->a, &k->tokens,
                ((ask_token){.kind = ASK_END, .text = MT_STR("the end"), .at = q.len}));
    return true;
}

const ask_token *ask_peek(const asker *k)
{
    return &k->tokens.items[k->next];
}

/* Text in quotes is never a word of the grammar: a fact may be called "hold". */
bool ask_take(asker *k, const char *word)
{
    const ask_token *t = ask_peek(k);
    bool same = (t->kind == ASK_WORD || t->kind == ASK_SIGN) &&
                mt_str_eq(t->text, mt_str_z(word));
    k->next += same;
    return same;
}

bool ask_want(asker *k, const char *word)
{
    const ask_token *t = ask_peek(k);
    return ask_take(k, word) ||
           ask_fault(k, t, "expected '%s', got '%.*s'", word, MT_ARG(t->text));
}

bool ask_want_name(asker *k, ask_token *out)
{
    *out = *ask_peek(k);
    if (out->kind != ASK_WORD && out->kind != ASK_TEXT) {
        return ask_fault(k, out, "expected a name, got '%.*s'", MT_ARG(out->text));
    }
    k->next++;
    return true;
}

bool ask_at_end(asker *k)
{
    const ask_token *t = ask_peek(k);
    return t->kind == ASK_END || ask_fault(k, t, "'%.*s' is too much", MT_ARG(t->text));
}

/* ---- Replies ---- */

static const char *const REPLY_NAMES[] = {
    [AN_REPLY_YES] = "yes",
    [AN_REPLY_NO] = "no",
    [AN_REPLY_UNKNOWN] = "unknown",
};
MT_TABLE_COVERS(REPLY_NAMES, AN_REPLY_FAULT); /* which has no name */

static void expr_text(asker *k, const ct_expr *e, mt_str *out)
{
    mt_buf b = {0};
    ct_expr_text(&b, k->m, e);
    *out = mt_str_dup(k->a, mt_buf_str(&b));
    mt_buf_free(&b);
}

static void say_facts(asker *k, const char *label, mt_str facts)
{
    if (facts.len) {
        mt_buf_addf(&k->text, "  %s: %.*s\n", label, MT_ARG(facts));
        k->facts = facts;
    }
}

an_reply_kind ask_unknown(asker *k, mt_str reason)
{
    mt_buf_addf(&k->text, "unknown: %.*s\n", MT_ARG(reason));
    k->proof = "none";
    k->reason = reason;
    return AN_REPLY_UNKNOWN;
}

/* Is there a fact set for the claim? `yes` and `no` are what to say. `wanted` turns the
 * question round: "always" asks whether the opposite is possible. An example is shown
 * in both cases, since it either proves the yes or refutes. */
static an_reply_kind say_possible(asker *k, const an_claim *claim, bool wanted,
                                  const char *label)
{
    an_answer found = an_prove_possible(k->p, k->a, claim);
    if (found.possible == AN_UNKNOWN) {
        return ask_unknown(k, found.reason);
    }
    bool yes = (found.possible == AN_POSSIBLE) == wanted;
    mt_buf_addf(&k->text, "%s%s\n", yes ? "yes" : "no",
                found.possible == AN_NEVER ? " (proven for every fact set)" : "");
    say_facts(k, label, found.facts);
    k->proof = found.possible == AN_NEVER ? "proven" : "facts";
    return yes ? AN_REPLY_YES : AN_REPLY_NO;
}

/* ---- Questions ---- */

/* By, and not what, for some fact set: if that is impossible, it is implied. */
static an_reply_kind implied(asker *k, const ct_expr *what)
{
    const ct_expr *by = ask_condition(k);
    if (!by || !ask_at_end(k)) {
        return AN_REPLY_FAULT;
    }
    const an_claim *not_so =
        an_claim_and(k->a, an_claim_holds(k->a, AN_FIRST, by),
                     an_claim_not(k->a, an_claim_holds(k->a, AN_FIRST, what)));
    return say_possible(k, not_so, false, "not for");
}

static an_reply_kind ask_is(asker *k)
{
    const ct_expr *what = ask_condition(k);
    if (!what) {
        return AN_REPLY_FAULT;
    }
    const an_claim *holds = an_claim_holds(k->a, AN_FIRST, what);
    if (ask_take(k, "implied")) {
        return ask_want(k, "by") ? implied(k, what) : AN_REPLY_FAULT;
    }
    if (ask_take(k, "possible")) {
        return ask_at_end(k) ? say_possible(k, holds, true, "for") : AN_REPLY_FAULT;
    }
    if (ask_want(k, "always") && ask_at_end(k)) {
        return say_possible(k, an_claim_not(k->a, holds), false, "not for");
    }
    return AN_REPLY_FAULT;
}

static an_reply_kind can_hold(asker *k)
{
    const ct_expr *what = ask_condition(k);
    if (!what || !ask_want(k, "hold") || !ask_at_end(k)) {
        return AN_REPLY_FAULT;
    }
    return say_possible(k, an_claim_holds(k->a, AN_FIRST, what), true, "for");
}

/* A condition that was shortened without proof is shown with that remark. */
static an_reply_kind say_condition(asker *k, const ask_weakest *w)
{
    mt_str text = MT_STR("always");
    if (w->fails == AN_POSSIBLE || w->fails == AN_UNKNOWN) {
        expr_text(k, w->condition, &text);
    }
    mt_buf_addf(&k->text, "%s%.*s\n",
                w->exact ? "" : "not proven to be the same: ", MT_ARG(text));
    say_facts(k, "for example", w->facts);
    k->condition = text;
    k->proof = w->exact ? "proven" : "none";
    return AN_REPLY_YES;
}

/* "is" and "can" mean the same here. */
static an_reply_kind ask_when(asker *k)
{
    if (!ask_take(k, "is") && !ask_want(k, "can")) {
        return AN_REPLY_FAULT;
    }
    const ct_expr *what = ask_condition(k);
    if (!what || !ask_at_end(k)) {
        return AN_REPLY_FAULT;
    }
    ask_weakest w = ask_weakest_of(k, what);
    if (w.holds == AN_POSSIBLE) {
        return say_condition(k, &w);
    }
    if (w.holds == AN_UNKNOWN) {
        return ask_unknown(k, w.reason);
    }
    mt_buf_addz(&k->text, "never (proven for every fact set)\n");
    k->condition = MT_STR("never");
    k->proof = "proven";
    return AN_REPLY_NO;
}

/* "can" is two questions: with a persona behind it about authority, otherwise about a
 * condition. */
static an_reply_kind dispatch(asker *k)
{
    const ask_token *first = ask_peek(k);
    if (ask_take(k, "is")) {
        return ask_is(k);
    }
    if (ask_take(k, "when")) {
        return ask_when(k);
    }
    if (ask_take(k, "who")) {
        return ask_want(k, "can") ? ask_persona(k, true) : AN_REPLY_FAULT;
    }
    if (ask_take(k, "can")) {
        return ask_is_persona(k) ? ask_persona(k, false) : can_hold(k);
    }
    ask_fault(k, first, "a question begins with can, who, when or is");
    return AN_REPLY_FAULT;
}

static void raw(mt_jw *w, mt_str key, mt_str json)
{
    if (json.len) {
        mt_jw_key(w, key);
        mt_jw_raw(w, json);
    }
}

static void text(mt_jw *w, mt_str key, mt_str value)
{
    if (value.len) {
        mt_jw_key(w, key);
        mt_jw_str(w, value);
    }
}

/* Keys are in byte order; those without a value are left out. */
static mt_str reply_json(asker *k, an_reply_kind kind, mt_str question)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_object(&w);
    raw(&w, MT_STR("alone"), k->alone);
    text(&w, MT_STR("condition"), k->condition);
    raw(&w, MT_STR("covers"), k->covers);
    raw(&w, MT_STR("facts"), k->facts);
    raw(&w, MT_STR("path"), k->path);
    raw(&w, MT_STR("personas"), k->personas);
    text(&w, MT_STR("proof"), mt_str_z(k->proof));
    text(&w, MT_STR("question"), question);
    text(&w, MT_STR("reason"), k->reason);
    text(&w, MT_STR("reply"), mt_str_z(REPLY_NAMES[kind]));
    raw(&w, MT_STR("undecided"), k->undecided);
    raw(&w, MT_STR("ways"), k->ways);
    mt_jw_end_object(&w);
    mt_str json = mt_str_dup(k->a, mt_buf_str(&b));
    mt_buf_free(&b);
    return json;
}

/* A fault wins over a reply that was made before it was noticed. */
an_reply an_ask(mt_arena *a, an_prover *p, const ct_program *program, mt_str question)
{
    asker k = {.a = a, .p = p, .program = program, .m = ct_program_model(program)};
    an_reply r = {.kind = AN_REPLY_FAULT};
    if (tokenise(&k, question)) {
        r.kind = dispatch(&k);
    }
    if (r.kind == AN_REPLY_FAULT || k.error.len) {
        r = (an_reply){.kind = AN_REPLY_FAULT, .text = k.error, .place = k.place};
    } else {
        r.text = mt_str_dup(a, mt_buf_str(&k.text));
        r.json = reply_json(&k, r.kind, question);
    }
    mt_buf_free(&k.text);
    return r;
}
