/* agent/template.h - the little language of agent files: paths, templates, conditions.
 * Room: agent. May include base/ only; pure.
 * Path: names and list indexes with dots between, from a root: content, from, message,
 * memory, data, key, state, agent, action, trigger, fresh.
 * Template: any JSON value; in its texts `{{path}}` stands for a value (the whole text:
 * the value itself), `{{path + 5}}` and `{{path - memory.step}}` for a number.
 * Condition: {path: value or {operator: value}, …}, all must hold; `all`, `any` and
 * `none` take lists of conditions. */
#ifndef AG_TEMPLATE_H
#define AG_TEMPLATE_H

#include "agent/route.h"
#include "base/json_read.h"

typedef struct ag_scope {
    const mt_json *message; /* payload; NULL: none */
    const mt_json *memory;  /* object or NULL */
    const mt_json *data;    /* of the event; NULL: none */
    mt_str key, state, agent, trigger;
    ag_action action;
    mt_str entropy; /* what {{fresh}} is derived from */
    uint32_t drawn; /* how many were, so that each is another */
} ag_scope;

/* The value at a path; NULL: there is none. */
const mt_json *ag_lookup(mt_arena *a, ag_scope *scope, mt_str path);
/* A template filled in. What a path does not find becomes null (in text: nothing). */
mt_json ag_render(mt_arena *a, ag_scope *scope, const mt_json *template);
/* NULL holds. */
bool ag_holds(mt_arena *a, ag_scope *scope, const mt_json *condition);

/* Static check when a file is read: NULL or what is wrong (in `a`), *where the node. */
const char *ag_check_condition(mt_arena *a, const mt_json *condition,
                               const mt_json **where);
/* NULL, or what is wrong, with *where in the template. */
const char *ag_check_template(mt_arena *a, const mt_json *template,
                              const mt_json **where);

#endif
