/* http/people.h - whom decisions are asked about: subjects of AuthZEN
 * (docs/reference/authzen.md). Room: http. A subject becomes personas:
 *
 *     token     the id of a token of the store: what it was granted, while it is good
 *     TYPE      what the rules of `authzen.subjects.TYPE` grant it; they look at the
 *               subject as at a provider's claims (auth/rules.h): id, properties
 *
 * `persona` is the executor's own. Immutable once read. Threads: any. */
#ifndef HT_PEOPLE_H
#define HT_PEOPLE_H

#include "auth/rules.h"
#include "http/token_table.h"

typedef struct ht_people ht_people;

/* `authzen` of the configuration; *out is NULL when there is none, or faults, whose
 * number comes back. */
size_t ht_people_read(const au_settings *in, ht_people **out);
void ht_people_free(ht_people *p); /* NULL is fine */

/* Both may be NULL. */
typedef struct ht_known {
    const ht_people *people;
    ht_tokens *tokens;
} ht_known;
/* For ex_people; `known` is an ht_known. */
void ht_people_find(void *known, mt_arena *a, const mt_json *subject,
                    ex_subject_of *out);
mt_err ht_people_list(void *known, mt_arena *a, mt_str type, const mt_str **ids,
                      size_t *count);

#endif
