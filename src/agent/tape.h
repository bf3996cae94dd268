/* agent/tape.h - the active states, by key, with an index from state to keys.
 * Room: agent. May include base/ only.
 * Shapes: single and many hold one list; the indexed ones a list per key. Initial
 * routes keep theirs under the null key, which sorts before every other.
 * Ownership: a tape owns its keys and states; it borrows the program. One thread. */
#ifndef AG_TAPE_H
#define AG_TAPE_H

#include "agent/program.h"
#include "base/json_write.h"

typedef struct ag_tape ag_tape;

/* A key; ptr NULL is the null key. The list of a single or many tape has AG_LIST. */
extern const mt_str AG_LIST;
#define AG_NULL_KEY ((mt_str){NULL, 0})

/* The program is borrowed; it says which states are known. */
ag_tape *ag_tape_new(const ag_program *p, ag_shape shape);
void ag_tape_free(ag_tape *t);
ag_shape ag_tape_shape(const ag_tape *t);
/* Total of states held. */
size_t ag_tape_size(const ag_tape *t);
size_t ag_tape_keys(const ag_tape *t);
/* The keys in the order they came; the array lives in `a`. */
const mt_str *ag_tape_key_list(const ag_tape *t, mt_arena *a, size_t *count);
bool ag_tape_has(const ag_tape *t, mt_str key);
/* The canonical texts under a key, in order; *count 0 when there is no such key. Valid
 * until the tape changes; the array lives in `a`. */
const mt_str *ag_tape_states(const ag_tape *t, mt_arena *a, mt_str key, size_t *count);

/* Makes the key hold exactly these states, adding the key. MT_E_SYNTAX for text that
 * is not a token, MT_E_LIMIT when the tape would hold too many; then nothing changes.
 */
mt_err ag_tape_set(ag_tape *t, mt_str key, const mt_str *states, size_t count);
/* Forgets a key. */
void ag_tape_remove(ag_tape *t, mt_str key);

/* The application's form: text, list, or object of key to text or list; the null key's
 * states follow in the list (single, many) or are the member `null` of the stored
 * form. mt_json in, canonical JSON out. `shape` is found by looking. */
mt_err ag_tape_shape_of(const mt_json *value, ag_shape *out);
/* A tape as a file or a peer writes it; keys that are there already are replaced. */
mt_err ag_tape_read(ag_tape *t, const mt_json *value);
/* Canonical encoding of traces: sorted list of texts, or sorted list of [key, texts].
 */
void ag_tape_write(const ag_tape *t, mt_jw *w);
/* Everything, order kept, so that reading it back gives the same tape:
 * {"shape":…,"keys":[[key or null,[text…]]…]}. */
void ag_tape_save(const ag_tape *t, mt_jw *w);
/* What ag_tape_save() wrote: order of insertion and null key as they were. */
mt_err ag_tape_load(ag_tape *t, const mt_json *saved);

#endif
