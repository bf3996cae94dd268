/* analyze/prove/ask_words.c - a question cut into words, and names in it.
 *
 * The place of a token is kept, so a fault can be underlined in the question. Of
 * several faults the first counts. A name that is not there is answered with the
 * nearest of its kind.
 *
 * In a System a name may be written MEMBER.NAME. Without a member it must be one thing
 * in the whole System; otherwise the fault lists who has it. */
#include "analyze/prove/ask_internal.h"
#include "base/nearest.h"
#include "base/utf8.h"

/* A question is a sentence; more is not one, and the parser recurses over tokens. */
enum { MOST_TOKENS = 2000 };

/* ---- Tokens ---- */

/* ASCII only; a name with anything else is written in quotes. */
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
        k->fault_at = k->next;
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
bool ask_tokenise(asker *k, mt_str q)
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

/* A name in quotes may have any characters, and may be a word of the grammar. */
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

/* ---- Names ---- */

const char *ask_kind_name(ct_kind kind)
{
    static const char *const NAMES[] = {
        [CT_KIND_FACT] = "fact",           [CT_KIND_SOURCE] = "source",
        [CT_KIND_PERSONA] = "persona",     [CT_KIND_ENTITY] = "entity",
        [CT_KIND_RULE] = "rule",           [CT_KIND_VERDICT] = "verdict",
        [CT_KIND_OPERATION] = "operation", [CT_KIND_FLOW] = "flow",
    };
    MT_TABLE_COVERS(NAMES, CT_KIND_COUNT);
    return NAMES[kind];
}

const ct_model *ask_model_of(const an_asker *q, uint32_t member)
{
    const an_union_member *m = &q->u->members[member];
    return m->program ? ct_program_model(m->program) : NULL;
}

/* The number of a member's thing in the union. */
static uint32_t in_union(const an_asker *q, uint32_t member, ct_kind kind, uint32_t own)
{
    const an_union_member *m = &q->u->members[member];
    return kind == CT_KIND_PERSONA  ? m->personas[own]
           : kind == CT_KIND_ENTITY ? m->entities[own]
                                    : m->first_operation + own;
}

/* A contract that is not a System has one member
 * without a name, which nobody can write. */
static uint32_t member_named(const an_asker *q, mt_str name)
{
    for (uint32_t i = 0; q->u->system && i < q->u->member_count; i++) {
        if (mt_str_eq(q->u->members[i].id, name)) {
            return i;
        }
    }
    return CT_NONE;
}

/* CT_NONE also for a member whose contract is not there. */
static uint32_t find_in(const an_asker *q, uint32_t member, ct_kind kind, mt_str name)
{
    const ct_model *m = ask_model_of(q, member);
    return m ? ct_model_find(m, kind, name) : CT_NONE;
}

static bool is_word(const ask_token *t)
{
    return t->kind == ASK_WORD || t->kind == ASK_TEXT;
}

static bool is_dot(const ask_token *t)
{
    return t->kind == ASK_SIGN && mt_str_is(t->text, ".");
}

/* MEMBER.NAME; the tokens are taken only if it is one. */
static bool try_qualified(asker *k, ct_kind kind, uint32_t *member, uint32_t *own)
{
    const ask_token *t = ask_peek(k);
    if (!is_word(t) || !is_dot(&t[1]) || !is_word(&t[2])) {
        return false;
    }
    *member = member_named(k->q, t->text);
    *own = *member == CT_NONE ? CT_NONE : find_in(k->q, *member, kind, t[2].text);
    k->next += *own != CT_NONE ? 3 : 0;
    return *own != CT_NONE;
}

/* Kinds that members of a System can share; facts,
 * verdicts and flows are always a member's own. */
static bool is_unions(ct_kind kind)
{
    return kind == CT_KIND_PERSONA || kind == CT_KIND_ENTITY ||
           kind == CT_KIND_OPERATION;
}

/* Which member means it; more than one, and they do not mean the same: a fault. */
static bool try_bare(asker *k, ct_kind kind, uint32_t *member, uint32_t *own)
{
    const ask_token *t = ask_peek(k);
    *own = CT_NONE;
    for (uint32_t i = 0; is_word(t) && i < k->q->u->member_count; i++) {
        uint32_t at = find_in(k->q, i, kind, t->text);
        bool same = *own != CT_NONE && at != CT_NONE && is_unions(kind) &&
                    in_union(k->q, i, kind, at) == in_union(k->q, *member, kind, *own);
        if (at != CT_NONE && *own != CT_NONE && !same) {
            return ask_fault(k, t, "both %.*s and %.*s have %s '%.*s': write %.*s.%.*s",
                             MT_ARG(k->q->u->members[*member].id),
                             MT_ARG(k->q->u->members[i].id), ask_kind_name(kind),
                             MT_ARG(t->text), MT_ARG(k->q->u->members[i].id),
                             MT_ARG(t->text));
        }
        if (at != CT_NONE && *own == CT_NONE) {
            *member = i;
            *own = at;
        }
    }
    k->next += *own != CT_NONE;
    return *own != CT_NONE;
}

bool ask_try_member(asker *k, ct_kind kind, uint32_t *member, uint32_t *out)
{
    return try_qualified(k, kind, member, out) || try_bare(k, kind, member, out);
}

bool ask_try_union(asker *k, ct_kind kind, uint32_t *out)
{
    uint32_t member, own;
    if (!ask_try_member(k, kind, &member, &own)) {
        return false;
    }
    *out = in_union(k->q, member, kind, own);
    return true;
}

/* Over all members: the nearest name of the whole System. */
mt_str ask_hint(const asker *k, mt_str word, unsigned kinds)
{
    mt_nearest n = mt_nearest_to(word);
    for (uint32_t i = 0; i < k->q->u->member_count; i++) {
        const ct_model *m = ask_model_of(k->q, i);
        for (unsigned kind = 0; m && kind < CT_KIND_COUNT; kind++) {
            const mt_map *names = &m->names[kind];
            for (uint32_t e = 0; (kinds >> kind & 1) && e < names->len; e++) {
                mt_nearest_offer(&n, names->entries[e].key);
            }
        }
    }
    return n.best.len ? mt_strf(k->a, "; did you mean '%.*s'?", MT_ARG(n.best))
                      : MT_STR("");
}

/* The token is given back, so that `fault_at` is
 * the place of the wrong name and not behind it. */
bool ask_no_such(asker *k, ct_kind kind)
{
    ask_token name;
    if (!ask_want_name(k, &name)) {
        return false;
    }
    k->next--;
    return ask_fault(k, &name, "there is no %s '%.*s'%.*s", ask_kind_name(kind),
                     MT_ARG(name.text), MT_ARG(ask_hint(k, name.text, 1u << kind)));
}

bool ask_read_union(asker *k, ct_kind kind, uint32_t *out)
{
    return ask_try_union(k, kind, out) || ask_no_such(k, kind);
}

bool ask_read_member(asker *k, ct_kind kind, uint32_t *member, uint32_t *out)
{
    return ask_try_member(k, kind, member, out) || ask_no_such(k, kind);
}

bool ask_read_state(asker *k, uint32_t entity, uint32_t *out)
{
    ask_token name;
    const ct_entity *en = &k->q->plan->model->entities[entity];
    if (!ask_want_name(k, &name)) {
        return false;
    }
    *out = ct_state_find(en, name.text);
    if (*out != CT_NONE) {
        return true;
    }
    k->next--;
    mt_nearest n = mt_nearest_to(name.text);
    for (uint32_t i = 0; i < en->state_count; i++) {
        mt_nearest_offer(&n, en->states[i]);
    }
    return ask_fault(k, &name, "%.*s has no state '%.*s'%s%.*s%s", MT_ARG(en->id),
                     MT_ARG(name.text), n.best.len ? "; did you mean '" : "",
                     MT_ARG(n.best), n.best.len ? "'?" : "");
}

/* A wrong state is the caller's to report: a fact may have the name of the entity. */
bool ask_try_state(asker *k, uint32_t *entity, uint32_t *state)
{
    size_t at = k->next;
    if (ask_try_union(k, CT_KIND_ENTITY, entity) && ask_take(k, ".") &&
        is_word(ask_peek(k))) {
        *state =
            ct_state_find(&k->q->plan->model->entities[*entity], ask_peek(k)->text);
        k->next++;
        if (*state != CT_NONE) {
            return true;
        }
    }
    k->next = at;
    return false;
}
