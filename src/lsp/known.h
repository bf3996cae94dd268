/* lsp/known.h - what can stand at a place of a graph, an agent, a scenario or a
 * project. Room: lsp. One list serves three questions: everything in it can be written
 * there (completion), the one that is written there says what it is (hover) and where
 * it comes from (definition). So nothing is offered that the others do not know.
 * Ownership: everything lives in the call's arena. */
#ifndef LS_KNOWN_H
#define LS_KNOWN_H

#include "lsp/data.h"
#include "lsp/spot.h"

/* Numbers of the protocol's CompletionItemKind. */
enum {
    LS_ITEM_METHOD = 2,
    LS_ITEM_FUNCTION = 3,
    LS_ITEM_FIELD = 5,
    LS_ITEM_VARIABLE = 6,
    LS_ITEM_CLASS = 7,
    LS_ITEM_INTERFACE = 8,
    LS_ITEM_MODULE = 9,
    LS_ITEM_PROPERTY = 10,
    LS_ITEM_KEYWORD = 14,
    LS_ITEM_SNIPPET = 15,
    LS_ITEM_FILE = 17,
    LS_ITEM_ENUM_MEMBER = 20,
    LS_ITEM_STRUCT = 22,
    LS_ITEM_EVENT = 23
};

typedef struct ls_known {
    mt_str name;
    mt_str also; /* another name that means it; empty: none */
    mt_str detail, words;
    int kind;
    const mt_form_row *row; /* of a key of the form; or NULL */
    mt_str file; /* where it comes from; empty: from nowhere that can be shown */
    ls_range at;
} ls_known;

/* What is asked about one place. */
typedef struct ls_inquiry {
    ls_call *c;
    mt_str path, text;
    ls_data_kind kind;
    ls_spot spot;
    ls_range part; /* of the spot: what would be replaced */
    MT_VEC(ls_known) found;
    bool is_open; /* other names may stand there as well */
} ls_inquiry;

/* False: nothing could stand at the offset. */
bool ls_inquire(ls_call *c, size_t offset, ls_inquiry *q);
/* The one whose name stands there; NULL: none. */
const ls_known *ls_known_here(const ls_inquiry *q);
/* The row of the key or value at the place; NULL: none says anything. */
const mt_form_row *ls_row_here(const ls_inquiry *q);

/* ---- for the files that know ---- */

/* The known of a fixed word. */
void ls_know_word(ls_inquiry *q, mt_str name, int kind, mt_str detail);
#define LS_KNOW_WORDS(q, kind, ...)                                                    \
    for (const char *const *ls_word = (const char *const[]){__VA_ARGS__, NULL};        \
         *ls_word; ls_word++)                                                          \
    ls_know_word((q), mt_str_z(*ls_word), (kind), (mt_str){0})

/* What is written in the document, and the key it stands under. */
typedef struct ls_gathered {
    mt_str owner, text;
    ls_range at;
} ls_gathered;
typedef MT_VEC(ls_gathered) ls_gathering;
/* All keys or all values of some text whose path is so. */
ls_gathering ls_gather(mt_arena *a, mt_str text, const char *pattern, bool keys);
/* The value of another key of the object the place is in; empty: none. */
mt_str ls_beside(const ls_inquiry *q, const char *key);
/* Narrows the part to the run of characters at the cursor that are none of these; the
 * text before it is given back. */
mt_str ls_narrow(ls_inquiry *q, const char *but);

/* known_graph.c */
void ls_know_primitives(ls_inquiry *q);
void ls_know_clusters(ls_inquiry *q);
void ls_know_nodes(ls_inquiry *q);
void ls_know_edge(ls_inquiry *q);
void ls_know_outlet(ls_inquiry *q);
void ls_know_ports(ls_inquiry *q);
void ls_know_inputs(ls_inquiry *q);
void ls_know_params(ls_inquiry *q);
void ls_know_param_value(ls_inquiry *q);
void ls_know_types(ls_inquiry *q);
void ls_know_param_types(ls_inquiry *q);
void ls_know_manifest_kinds(ls_inquiry *q);
void ls_know_own_params(ls_inquiry *q);
/* known_agent.c */
void ls_know_triggers(ls_inquiry *q);
void ls_know_routes(ls_inquiry *q);
void ls_know_states_of_tape(ls_inquiry *q);
void ls_know_actions(ls_inquiry *q);
void ls_know_groups(ls_inquiry *q);
/* known_contract.c */
void ls_know_given(ls_inquiry *q);
void ls_know_personas(ls_inquiry *q);
void ls_know_flows(ls_inquiry *q);
void ls_know_operations(ls_inquiry *q);
void ls_know_entities(ls_inquiry *q);
void ls_know_states(ls_inquiry *q);
void ls_know_verdicts(ls_inquiry *q);
void ls_know_outcomes(ls_inquiry *q);
void ls_know_endings(ls_inquiry *q);
void ls_know_steps(ls_inquiry *q);
void ls_know_condition(ls_inquiry *q);

#endif
