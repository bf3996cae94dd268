/* auth/rules.c - claims in, grants out.
 * Room: auth. Reading goes by ROWS; au_rules_check() refuses what rows cannot say,
 * when the configuration is read, so that applying cannot fail. Applying goes
 * through all rules and adds up what fitting ones grant: there is no order and no
 * denial, so adding a rule never takes anything away.
 * INVARIANT: a claim that is absent or of another kind grants nothing. Each grant is
 * listed once; the arrays are as long as all rules together, which bounds them. */
#include "auth/rules.h"

static const mt_form_row ROWS[] = {
    MT_FORM_ANY(au_rule, claim, "claim", 0),
    MT_FORM_TEXT(au_rule, equals, "equals", 0),
    MT_FORM_TEXT(au_rule, contains, "contains", 0),
    MT_FORM_STRS(au_rule, personas, persona_count, "personas", AU_GRANTS_MOST, 0),
    MT_FORM_STRS(au_rule, rights, right_count, "rights", AU_GRANTS_MOST, 0),
};
const mt_form_table AU_RULE = MT_FORM_TABLE("a rule", ROWS, au_rule, NULL);

/* ---- Reading ---- */

static bool is_path(const mt_json *claim)
{
    if (mt_json_is(claim, MT_JSON_STRING)) {
        return mt_json_text(claim).len > 0;
    }
    bool good = mt_json_is(claim, MT_JSON_ARRAY) && claim->count;
    for (uint32_t i = 0; good && i < claim->count; i++) {
        good = mt_json_is(&claim->as.items[i], MT_JSON_STRING);
    }
    return good;
}

/* A claim without a comparison would grant to nobody, and a comparison without a claim
 * to everybody; both are slips. */
static const char *fault_of(const au_rule *r)
{
    if (!r->claim) {
        return r->equals.ptr || r->contains.ptr
                   ? "`equals` and `contains` need a `claim`"
                   : NULL;
    }
    return !is_path(r->claim) ? "`claim` is a name or a list of names"
           : !r->equals.ptr == !r->contains.ptr
               ? "a `claim` is compared by `equals` or by `contains`"
           : !r->equals.len && !r->contains.len
               ? "a `claim` is compared with text; what is missing may be an empty one"
               : NULL;
}

/* By form: whether a contract has the persona is asked when it is used. */
static bool all_known(const mt_str *list, size_t count, bool (*known)(mt_str text))
{
    for (size_t i = 0; i < count; i++) {
        if (!known(list[i])) {
            return false;
        }
    }
    return true;
}

bool au_rules_check(const au_rules *r, bool (*persona_known)(mt_str text),
                    bool (*right_known)(mt_str text),
                    void (*tell)(void *state, size_t rule, const char *what),
                    void *state)
{
    bool good = true;
    for (size_t i = 0; i < r->count; i++) {
        const au_rule *one = &r->items[i];
        const char *fault = fault_of(one);
        if (!fault && !all_known(one->personas, one->persona_count, persona_known)) {
            fault = "a persona is PERSONA or CONTRACT:PERSONA";
        }
        if (!fault && !all_known(one->rights, one->right_count, right_known)) {
            fault = "there is no such right (docs/rights.md)";
        }
        /* A rule without grants is more likely a misspelt key than an intention. */
        if (!fault && !one->persona_count && !one->right_count) {
            fault = "it grants nothing";
        }
        if (fault) {
            tell(state, i, fault);
            good = false;
        }
    }
    return good;
}

/* ---- Applying ---- */

/* A list of names leads inside: ["realm_access", "roles"]. NULL: it is not there. */
static const mt_json *value_at(const mt_json *claims, const mt_json *path)
{
    if (mt_json_is(path, MT_JSON_STRING)) {
        return mt_json_get(claims, mt_json_text(path));
    }
    for (uint32_t i = 0; claims && i < path->count; i++) {
        claims = mt_json_is(claims, MT_JSON_OBJECT)
                     ? mt_json_get(claims, mt_json_text(&path->as.items[i]))
                     : NULL;
    }
    return claims;
}

/* Texts as they are; true and false by their names. Numbers have more than one
 * spelling and equal nothing. */
static bool is_text(const mt_json *value, mt_str text)
{
    if (mt_json_is(value, MT_JSON_BOOL)) {
        return mt_str_eq(text, mt_str_z(value->boolean ? "true" : "false"));
    }
    return mt_json_is(value, MT_JSON_STRING) && mt_str_eq(mt_json_text(value), text);
}

static bool has_word(mt_str words, mt_str word)
{
    while (words.len) {
        size_t end = mt_str_find(words, ' ');
        if (mt_str_eq(mt_str_from(words.ptr, end), word)) {
            return true;
        }
        words = mt_str_skip(words, end < words.len ? end + 1 : end);
    }
    return false;
}

static bool contains(const mt_json *value, mt_str text)
{
    for (uint32_t i = 0; mt_json_is(value, MT_JSON_ARRAY) && i < value->count; i++) {
        if (is_text(&value->as.items[i], text)) {
            return true;
        }
    }
    return mt_json_is(value, MT_JSON_STRING) && has_word(mt_json_text(value), text);
}

static bool fits(const au_rule *r, const mt_json *claims)
{
    const mt_json *value = r->claim ? value_at(claims, r->claim) : NULL;
    return !r->claim || (value && (r->equals.ptr ? is_text(value, r->equals)
                                                 : contains(value, r->contains)));
}

static size_t add_once(mt_str *to, size_t n, const mt_str *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < n && !mt_str_eq(to[k], list[i])) {
            k++;
        }
        if (k == n) {
            to[n++] = list[i];
        }
    }
    return n;
}

void au_rules_apply(const au_rules *r, const mt_json *claims, mt_arena *a,
                    au_grants *out)
{
    size_t personas = 0, rights = 0;
    for (size_t i = 0; i < r->count; i++) {
        personas += r->items[i].persona_count;
        rights += r->items[i].right_count;
    }
    mt_str *p = mt_new_array(a, mt_str, personas), *q = mt_new_array(a, mt_str, rights);
    *out = (au_grants){.personas = p, .rights = q};
    for (size_t i = 0; i < r->count; i++) {
        const au_rule *one = &r->items[i];
        if (fits(one, claims)) {
            out->persona_count =
                add_once(p, out->persona_count, one->personas, one->persona_count);
            out->right_count =
                add_once(q, out->right_count, one->rights, one->right_count);
        }
    }
}
