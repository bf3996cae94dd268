/* host/graph_ingress_impl.h - what is behind an ingress.
 * Room: host, private to graph_ingress*.c. A fixture in memory is in graph_ingress.c
 * and touches nothing of the machine; files, programs and sources are kinds of their
 * own. */
#ifndef HO_GRAPH_INGRESS_IMPL_H
#define HO_GRAPH_INGRESS_IMPL_H

#include "base/form.h"
#include "host/graph_ingress.h"

/* What differs. Members may be NULL: then it is as with a fixture in memory. */
typedef struct ho_ingress_kind {
    ho_ingress_result (*next)(ho_ingress *in, int timeout_ms, ho_graph_event *event);
    /* The next line of a fixture; false at the end, or when it cannot be read. */
    bool (*line)(ho_ingress *in, mt_str *line);
    /* After the last line: why it is not the end; NULL: it is. */
    const char *(*torn)(const ho_ingress *in);
    mt_err (*settle)(ho_ingress *in, ho_settled how, const char *code, mt_str reason);
    bool (*waits)(const ho_ingress *in);
    void (*free)(ho_ingress *in);
} ho_ingress_kind;

struct ho_ingress {
    const ho_ingress_kind *kind;
    void *state;    /* the kind's */
    mt_arena arena; /* the current event */
    mt_arena fault_arena;
    ho_ingress_fault fault;
    mt_buf why;  /* what the last form has found wrong */
    mt_str rest; /* of a fixture in memory */
    size_t line_number;
    bool with_adapter;
    uint64_t events, episodes,
        events_in_episode; /* ids that are left out are numbered by these */
    bool broken;           /* `fault` says why, and stays */
};

/* An ingress of a kind; all else zero. */
ho_ingress *ho_ingress_new(const ho_ingress_kind *kind, void *state);
/* Says why it is broken; HO_INGRESS_BROKEN. */
ho_ingress_result ho_ingress_broken(ho_ingress *in, const char *code,
                                    const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A form whose faults are in in->why. */
mt_form ho_ingress_form(ho_ingress *in, const char *what);

/* Readers of rows that events of all kinds have. */
mt_form_reader ho_event_kind_read, ho_event_at_read;
/* clang-format off */
#define HO_ANY_EVENT \
    MT_FORM_TEXT(ho_graph_event, semantic_kind, "semantic_kind", MT_FORM_NULLABLE), \
    MT_FORM_ANY(ho_graph_event, payload, "payload", MT_FORM_NULLABLE)
/* clang-format on */

#endif
