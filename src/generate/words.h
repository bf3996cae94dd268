/* generate/words.h - what the targets for people's languages share.
 * Room: generate, private to it. Types, documents of constructs and lists of names, in
 * the order of the contract.
 *
 * A type is spelled twice in these languages: as facts are given,
 * `gn_spell()`, by the language's gn_speller; and as payloads of verdicts
 * are answered, with a `kind`, which each language does by a function
 * `result()` of its own. All texts live in the arena of the file. */
#ifndef GN_WORDS_H
#define GN_WORDS_H

#include "base/vec.h"
#include "generate/generate.h"
#include "generate/names.h"

typedef struct gn_file_of gn_file_of;

/* How a language spells the types of facts. Those with parts get a
 * name, from `path`, and put their declaration into `declarations`:
 * parts before wholes, because they are spelled first. */
typedef struct gn_speller {
    mt_str (*record)(gn_file_of *f, const ct_type *t, mt_str path);
    mt_str (*variant)(gn_file_of *f, const ct_type *t, mt_str path);
    mt_str (*other)(gn_file_of *f, const ct_type *t, mt_str path);
    const char *list, *list_end; /* around the type of an element */
} gn_speller;

/* One file being written. gn_begin() makes it, gn_end() frees its buffers. */
struct gn_file_of {
    mt_arena *a;
    const gn_input *in;
    const ct_model *m;
    gn_scope names; /* of the file */
    mt_map known;   /* address of a type -> index in `spelled`, + 1 */
    MT_VEC(mt_str) spelled;
    mt_buf declarations; /* types that have a name */
    mt_buf out;
    const gn_speller *speller; /* NULL: types are not spelled */
};

typedef MT_VEC(mt_str) gn_texts;

gn_file_of gn_begin(mt_arena *a, const gn_input *in, const char *const *words,
                    const gn_speller *speller);
/* The file is complete. What is still in `declarations` is dropped, so it must have
 * been moved to `out` before. */
gn_file gn_end(gn_file_of *f, mt_str name);

/* A name for `path` that the file does not
 * have yet: EscrowAmount. gn_path: path_more. */
mt_str gn_type_name(gn_file_of *f, mt_str path);
mt_str gn_path(gn_file_of *f, mt_str path, mt_str more);
/* The type of a value as facts are given; one that needs a declaration gets it. A type
 * that was spelled before keeps its name, whatever `path` says now. */
mt_str gn_spell(gn_file_of *f, const ct_type *t, mt_str path);

/* "a" | "b", each quoted as JSON, with `between`; `none` where there is none. Text in
 * JSON's quotes reads the same in TypeScript, Python and Go. */
mt_str gn_quoted(gn_file_of *f, const mt_str *texts, size_t count, const char *between,
                 const char *none);
mt_str gn_quote(gn_file_of *f, mt_str text);

/* One line each, of what the contract says, safe inside a comment. */
mt_str gn_about_fact(gn_file_of *f, uint32_t fact);
mt_str gn_about_rule(gn_file_of *f, uint32_t rule);
mt_str gn_about_operation(gn_file_of *f, uint32_t operation);
mt_str gn_about_flow(gn_file_of *f, uint32_t flow);

gn_texts gn_operation_personas(gn_file_of *f, uint32_t operation);
/* The entities it can change. */
gn_texts gn_operation_entities(gn_file_of *f, uint32_t operation);
/* The outcomes that a flow can end with, each
 * once, also those of its handlers of failures. */
gn_texts gn_flow_outcomes(gn_file_of *f, uint32_t flow);
gn_texts gn_personas(gn_file_of *f);
gn_texts gn_entities(gn_file_of *f);

/* "bool_value": what a result of the type calls itself. */
const char *gn_kind_of(const ct_type *t);

size_t gn_json_schema(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files);
size_t gn_typescript(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files);
size_t gn_python(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files);
size_t gn_go(mt_arena *a, const gn_input *in, mt_diags *ds, gn_file *files);

#endif
