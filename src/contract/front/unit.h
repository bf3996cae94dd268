/* contract/front/unit.h - one contract on its way through the passes.
 * Room: contract/front.
 * Ownership: everything lives in `keep`. */
#ifndef CT_FRONT_UNIT_H
#define CT_FRONT_UNIT_H

#include "contract/elaborate.h"
#include "contract/front/ast.h"

/* What a symbol names, per kind: index + 1 in the unit's list of that kind. */
typedef struct ct_index_entry {
    uint32_t of[CT_KIND_COUNT];
    uint32_t verdict; /* index + 1 of the first rule that produces it */
} ct_index_entry;

typedef struct ct_unit {
    mt_arena *keep;
    const ct_provider *provider;
    const mt_limits *limits;
    ct_options options;
    ct_symbols syms;
    MT_VEC(ct_file *) files;
    mt_str sandbox; /* directory imports must stay in */

    MT_VEC(ct_construct *) all; /* bundle order: imports before their importer */
    struct {
        ct_construct **items; /* bundle order */
        size_t len, cap;
    } kinds[CT_KIND_COUNT];

    ct_index_entry *index; /* by symbol */
    uint32_t index_len;
    /* Scratch by symbol: valid when `stamp` is the current one, see ct_new_stamp(). */
    struct ct_mark {
        uint32_t stamp, value;
    } * marks;
    uint32_t stamp;

    mt_diags *first;  /* the caller's list: errors in the suite's order */
    mt_diags later;   /* further errors, appended at the end */
    mt_diags remarks; /* warnings and notes, appended last */
    bool incomplete;  /* something did not parse: do not report unknown names */
    bool damaged;     /* some construct did not parse: no warnings */
    bool extended;    /* the bundle needs a node that 1.0 does not have */
    bool has_personas;
    const struct ct_member *members; /* of a System */
    size_t member_count;
    const ct_elaboration **member_results; /* as declared, for pass 5 */
} ct_unit;

/* Where a diagnostic points. */
typedef struct ct_place {
    const ct_file *file;
    ct_tok tok;
    const ct_construct *construct; /* NULL: none */
    mt_str field;                  /* ptr NULL: none */
    const char *hint;              /* NULL: the row's */
    bool late; /* the suite does not look here: report after its errors */
} ct_place;

#define CT_FIELD(literal) MT_STR(literal)
/* A token of a construct, about one of its fields. */
static inline ct_place ct_at(const ct_construct *c, ct_tok tok, mt_str field)
{
    return (ct_place){c->file, tok, c, field, NULL, false};
}

void ct_report(ct_unit *u, ct_code code, ct_place at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* For faults of a whole file, whose name is shown as it is. */
void ct_report_file(ct_unit *u, ct_code code, mt_str file, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* For faults of the lexer, which knows offsets and its own message. */
void ct_report_lex(ct_unit *u, const ct_file *file, const ct_lex_fault *fault);
/* Was anything reported that refuses the contract? */
bool ct_refused(const ct_unit *u);
const char *ct_kind_name(ct_kind kind);

static inline mt_str ct_str(const ct_unit *u, ct_sym sym)
{
    return ct_text(&u->syms, sym);
}

/* printf("%.*s", CT_ARG(u, sym)) */
#define CT_ARG(u, sym) MT_ARG(ct_str((u), (sym)))

static inline const ct_token *ct_token_at(const ct_file *f, ct_tok tok)
{
    return &f->tokens.items[tok];
}

static inline uint32_t ct_line(const ct_file *f, ct_tok tok)
{
    return f->tokens.items[tok].line;
}

/* The construct of a kind that `sym` names, NULL if there is none. */
static inline void *ct_find(const ct_unit *u, ct_kind kind, ct_sym sym)
{
    uint32_t at = sym < u->index_len ? u->index[sym].of[kind] : 0;
    return at ? u->kinds[kind].items[at - 1] : NULL;
}

/* The rule that produces the verdict, NULL if none does. */
static inline ct_rule *ct_find_verdict(const ct_unit *u, ct_sym sym)
{
    uint32_t at = sym < u->index_len ? u->index[sym].verdict : 0;
    return at ? (ct_rule *)(void *)u->kinds[CT_RULE].items[at - 1] : NULL;
}

/* A set of symbols for a while: forgets all marks. */
static inline void ct_new_stamp(ct_unit *u)
{
    u->stamp++;
}

/* Adds `sym`; false if it was in the set already. */
static inline bool ct_mark_new(ct_unit *u, ct_sym sym, uint32_t value)
{
    bool added = u->marks[sym].stamp != u->stamp;
    if (added) {
        u->marks[sym] = (struct ct_mark){u->stamp, value};
    }
    return added;
}

static inline bool ct_is_marked(const ct_unit *u, ct_sym sym)
{
    return u->marks[sym].stamp == u->stamp;
}

/* Is `sym` among the names? Sorts large lists once. */
bool ct_names_have(ct_unit *u, ct_names *names, ct_sym sym);
/* Is `sym` in sorted[0..count)? */
bool ct_sym_in(const ct_sym *sorted, size_t count, ct_sym sym);
/* A copy in order of the numbers. */
ct_sym *ct_sorted_syms(mt_arena *a, const ct_sym *syms, size_t count);

/* Byte order of two symbols. */
int ct_sym_cmp(const ct_unit *u, ct_sym a, ct_sym b);
/* Sorts constructs by id. */
void ct_sort_by_id(const ct_unit *u, ct_construct **items, size_t count);
/* [a, b, c] for messages; long lists are cut. */
mt_str ct_list_text(const ct_unit *u, const ct_names *names);

/* As ct_elaborate(), for a file whose id is known; `path` is what users call it. */
mt_err ct_elaborate_named(mt_arena *keep, mt_str id, mt_str path,
                          const ct_provider *files, const ct_options *opts,
                          mt_diags *ds, const ct_elaboration **out);

/* ---- the passes, in their order ---- */

/* Parses one file into `u`; its imports are constructs for pass 1 to follow. */
void ct_parse(ct_unit *u, ct_file *file, ct_construct ***constructs, size_t *count);
/* `id` is empty when it has yet to be found. */
mt_err ct_pass1_bundle(ct_unit *u, mt_str id, mt_str path);
void ct_pass2_index(ct_unit *u);
void ct_pass3_types(ct_unit *u);
void ct_pass4_check(ct_unit *u);
void ct_pass5_validate(ct_unit *u);
void ct_warn(ct_unit *u);
/* The compact bundle; empty after CT_E_OUTPUT_LIMIT. */
mt_str ct_pass6_emit(ct_unit *u);

#endif
