/* auth/rules.h - from what somebody vouches for to what is granted: one table of rules.
 * Room: auth. Pure. Claims of a token and fields of a certificate are one JSON object;
 * a rule looks at one value of it:
 *
 *     {claim: groups, contains: buyers, personas: ["escrow:buyer"], rights: [...]}
 *     {claim: [realm_access, roles], contains: admin, rights: [admin]}
 *     {rights: [read]}
 *
 * `claim` is a name, or a list of names that lead inside objects. `equals` is the value
 * itself; `contains` an item of a list, or one of the words of text with blanks (as
 * `scope` has them). Without a claim the rule fits everybody. Everything that fitting
 * rules grant is granted.
 * Ownership: rules borrow from the tree they were read from. */
#ifndef AU_RULES_H
#define AU_RULES_H

#include "base/form.h"

typedef struct au_rule {
    const mt_json *claim; /* NULL: fits everybody */
    mt_str equals, contains;
    const mt_str *personas, *rights;
    uint32_t persona_count, right_count; /* as forms write them */
} au_rule;

typedef struct au_rules {
    const au_rule *items;
    uint32_t count;
} au_rules;

enum { AU_RULES_MOST = 1000, AU_GRANTS_MOST = 1000 };

/* For a form with a row MT_FORM_EACH(…, &AU_RULE, AU_RULES_MOST, …). */
extern const mt_form_table AU_RULE;
/* What no row can say; true: all are good. `tell` hears of each fault. */
bool au_rules_check(const au_rules *r, bool (*persona_known)(mt_str text),
                    bool (*right_known)(mt_str text),
                    void (*tell)(void *state, size_t rule, const char *what),
                    void *state);

typedef struct au_grants {
    const mt_str *personas, *rights;
    size_t persona_count, right_count;
} au_grants;
/* Lists live in the arena, texts in the rules; each grant once. */
void au_rules_apply(const au_rules *r, const mt_json *claims, mt_arena *a,
                    au_grants *out);

#endif
