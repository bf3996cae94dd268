/* contract/front/unit.h - one contract on its way through the passes.
 * Room: contract/front.
 * Ownership: everything lives in `keep`. */
#ifndef FR_FRONT_UNIT_H
#define FR_FRONT_UNIT_H

#include "contract/elaborate.h"
#include "contract/front/ast.h"

/* What a symbol names, per kind: index + 1 in the unit's list of that kind. By symbol
 * and not by hash: symbols are dense numbers, so a look-up is an array access. */
typedef struct fr_index_entry {
    uint32_t of[FR_KIND_COUNT];
    uint32_t verdict; /* index + 1 of the first rule that produces it */
} fr_index_entry;

/* A pass reads what those before it left and adds to it; see elaborate.c for which
 * passes run after a fault. */
typedef struct fr_unit {
    mt_arena *keep;
    const mt_provider *provider;
    const mt_limits *limits;
    ct_options options;
    fr_symbols syms;
    MT_VEC(fr_file *) files; /* each file once, in the order it was first met */
    mt_str sandbox;          /* directory imports must stay in */

    MT_VEC(fr_construct *) all; /* bundle order: imports before their importer */
    struct {
        fr_construct **items; /* bundle order */
        size_t len, cap;
    } kinds[FR_KIND_COUNT];

    fr_index_entry *index; /* by symbol */
    uint32_t index_len;
    /* Scratch by symbol: valid when `stamp` is the current one, see fr_new_stamp(). */
    struct fr_mark {
        uint32_t stamp, value;
    } * marks;
    uint32_t stamp;

    mt_diags *first;  /* the caller's list: errors in the suite's order */
    mt_diags later;   /* further errors, appended at the end */
    mt_diags remarks; /* warnings and notes, appended last */
    uint32_t guesses; /* names that were compared for "did you mean", see suggest.c */
    bool incomplete;  /* something did not parse: do not report unknown names */
    bool damaged;     /* some construct did not parse: no warnings */
    bool extended;    /* the bundle needs a node that 1.0 does not have */
    bool has_personas;
    bool is_member; /* of a System that is elaborated: never entered if it is one */
    const struct ct_member *members; /* of a System */
    size_t member_count;
    const ct_elaboration **member_results; /* as declared, for pass 5 */
} fr_unit;

#define FR_FIELD(literal) MT_STR(literal)

/* Was anything reported that refuses the contract? */
bool fr_refused(const fr_unit *u);
const char *fr_kind_name(fr_kind kind);

static inline mt_str fr_str(const fr_unit *u, fr_sym sym)
{
    return fr_text(&u->syms, sym);
}

/* printf("%.*s", FR_ARG(u, sym)) */
#define FR_ARG(u, sym) MT_ARG(fr_str((u), (sym)))

static inline const fr_token *fr_token_at(const fr_file *f, fr_tok tok)
{
    return &f->tokens.items[tok];
}

static inline uint32_t fr_line(const fr_file *f, fr_tok tok)
{
    return f->tokens.items[tok].line;
}

/* Asks memory for the line that is `offset` bytes behind `p`, which need not be there:
 * only a hint. Always inlined, as its callers are: compilers drop calls of functions
 * that do nothing else. */
#define FR_HINT static inline __attribute__((always_inline))
FR_HINT void fr_ask(const void *p, size_t offset)
{
    __builtin_prefetch((const void *)((uintptr_t)p + offset));
}

/* Asks for the first `bytes` of the construct that a walk over items[0..count) comes to
 * `ahead` steps from now. The tree of a large contract is not in the caches, a walk
 * leaves out other kinds, and waiting for a construct takes longer than looking at it.
 * What belongs to a construct lies behind it, as the parser made it. The numbers that
 * callers give are measured (bench/bench_elaborate.c): a walk that does little for each
 * looks further ahead. */
FR_HINT void fr_ask_ahead(fr_construct *const *items, size_t count, size_t at,
                          size_t ahead, size_t bytes)
{
    enum { LINE = 64 };
    for (size_t i = 0; ahead < count - at && i < bytes; i += LINE) {
        fr_ask(items[at + ahead], i);
    }
}

/* The construct of a kind that `sym` names, NULL if there is none. */
static inline void *fr_find(const fr_unit *u, fr_kind kind, fr_sym sym)
{
    uint32_t at = sym < u->index_len ? u->index[sym].of[kind] : 0;
    return at ? u->kinds[kind].items[at - 1] : NULL;
}

/* The rule that produces the verdict, NULL if none does. */
static inline fr_rule *fr_find_verdict(const fr_unit *u, fr_sym sym)
{
    uint32_t at = sym < u->index_len ? u->index[sym].verdict : 0;
    return at ? (fr_rule *)(void *)u->kinds[FR_RULE].items[at - 1] : NULL;
}

/* A set of symbols for a while: forgets all marks. */
static inline void fr_new_stamp(fr_unit *u)
{
    u->stamp++;
}

/* Adds `sym`; false if it was in the set already. */
static inline bool fr_mark_new(fr_unit *u, fr_sym sym, uint32_t value)
{
    bool added = u->marks[sym].stamp != u->stamp;
    if (added) {
        u->marks[sym] = (struct fr_mark){u->stamp, value};
    }
    return added;
}

static inline bool fr_is_marked(const fr_unit *u, fr_sym sym)
{
    return u->marks[sym].stamp == u->stamp;
}

/* Is `sym` among the names? Sorts large lists once. */
bool fr_names_have(fr_unit *u, fr_names *names, fr_sym sym);
/* Is `sym` in sorted[0..count)? */
bool fr_sym_in(const fr_sym *sorted, size_t count, fr_sym sym);
/* A copy in order of the numbers. */
fr_sym *fr_sorted_syms(mt_arena *a, const fr_sym *syms, size_t count);

/* Byte order of two symbols. */
int fr_sym_cmp(const fr_unit *u, fr_sym a, fr_sym b);
/* Sorts constructs by id, rules by stratum. Of equal ones the first stays first. */
void fr_sort_by_id(const fr_unit *u, fr_construct **items, size_t count);
void fr_sort_by_stratum(const fr_unit *u, fr_construct **rules, size_t count);
/* [a, b, c] for messages; long lists are cut. */
mt_str fr_list_text(const fr_unit *u, const fr_names *names);

/* As ct_elaborate(), for a file whose id is known; `path` is what users call it. */
mt_err fr_elaborate_named(mt_arena *keep, mt_str id, mt_str path,
                          const mt_provider *files, const ct_options *opts,
                          mt_diags *ds, const ct_elaboration **out);

/* A token, or a run of them, and what is said about it. */
#include "contract/front/report.h"

/* ---- the passes, in their order ---- */

/* Parses one file into `u`; its imports are constructs for pass 1 to follow. */
void fr_parse(fr_unit *u, fr_file *file, fr_construct ***constructs, size_t *count);
/* `id` is empty when it has yet to be found. */
mt_err fr_pass1_bundle(fr_unit *u, mt_str id, mt_str path);
void fr_pass2_index(fr_unit *u);
void fr_pass3_types(fr_unit *u);
void fr_pass4_check(fr_unit *u);
void fr_pass5_validate(fr_unit *u);
void fr_warn(fr_unit *u);
/* The compact bundle; empty after FR_E_OUTPUT_LIMIT. */
mt_str fr_pass6_emit(fr_unit *u);

#endif
