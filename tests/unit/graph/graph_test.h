/* What the graph tests share: loading from text, running, reading diagnostics. */
#ifndef GRAPH_TEST_H
#define GRAPH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "graph/execute.h"
#include "graph/graph.h"

/* Everything one test holds; gt_end() releases it. */
typedef struct gt {
    mt_arena arena;
    mt_diags ds;
    gr_registry *registry;
    gr_graph *graph;
    gr_episode *episode;
    const gr_text *files; /* clusters that can be found, by file name "ID.yaml" */
    size_t file_count;
    gr_value *context;
    const mt_limits *limits; /* NULL: the default ones */
} gt;

gt *gt_begin(void);
void gt_end(gt *t);
/* Registers a manifest; true when it was accepted. */
bool gt_manifest(gt *t, const char *text);
/* Loads; true when the graph is valid. Diagnostics collect in t->ds. */
bool gt_load(gt *t, const char *text);
/* Loads, or fails the test and prints the diagnostics. */
void gt_must_load(gt *t, const char *text);
/* Sets a context key by name (ignored when no Source reads it). */
void gt_set(gt *t, const char *key, gr_value v);
void gt_clear(gt *t);
/* One pass. */
gr_fault_code gt_run(gt *t, const char *event_id);
/* A pass whose set_context effects are put into the context for the next one. */
gr_fault_code gt_episode(gt *t, const char *event_id);
/* The value of PATH's output; the node is named by authoring path or runtime id. */
const gr_value *gt_value(gt *t, const char *path, const char *port);
gr_event gt_event(gt *t, const char *path, const char *port);
/* All effects as JSON, one after the other, in the arena. */
const char *gt_effects(gt *t);
/* "V.2 V.5": the codes of all errors, in order, each once. */
const char *gt_codes(gt *t);
bool gt_has_code(gt *t, const char *code);
void gt_print(gt *t);

#endif
