/* guard/map.h - which tool is which operation or flow, and where bindings and facts
 * come from.
 * Room: guard. Reads a tree (YAML or JSON) by tables, then holds it against a contract.
 * docs/how-to/guard.md has the whole of it. Ownership: texts borrow from the tree,
 * arrays live in the arena. */
#ifndef GD_MAP_H
#define GD_MAP_H

#include "base/form.h"
#include "exec/executor.h"

/* How a value is made of what the path leads to. */
typedef enum gd_as {
    GD_AS_VALUE,   /* as it is */
    GD_AS_TEXT,    /* text; a number or a flag as it is written */
    GD_AS_PATH,    /* text, a path without ".", ".." and "//" */
    GD_AS_LENGTH,  /* bytes of text */
    GD_AS_COUNT,   /* items of a list, members of an object */
    GD_AS_PRESENT, /* is it there? */
    GD_AS_COUNT_OF_THEM
} gd_as;

/* One value: a fact, an outcome. */
typedef struct gd_value {
    mt_str name;              /* of the fact */
    mt_str from;              /* "path", "options.depth"; empty: everything */
    int as;                   /* gd_as */
    const mt_json *under;     /* texts: is the path inside one of these? Bool */
    const mt_json *matches;   /* texts: does one of these patterns match? Bool */
    const mt_json *value;     /* always this */
    const mt_json *otherwise; /* if it is not there */
} gd_value;

/* An entity and which instance of it. */
typedef struct gd_bind {
    mt_str name; /* of the entity */
    mt_str from, id;
    int as;
    bool create; /* in its initial state, if there is none yet */
} gd_bind;

typedef struct gd_result {
    mt_str on_error; /* the outcome of a tool error; empty: the call has failed */
    const gd_value *outcome; /* NULL: the only one, or the one that matches */
    gd_value outcome_room;
    bool has_outcome;
    const gd_value *facts; /* stated afterwards */
    uint32_t fact_count;
} gd_result;

typedef struct gd_tool {
    mt_str name, operation, flow; /* one of the two */
    int commit;                   /* 0: after the call; 1: before */
    uint64_t timeout_ms;          /* 0: as all others */
    const gd_bind *binds;
    uint32_t bind_count;
    const gd_value *facts;
    uint32_t fact_count;
    gd_result result;
    /* Once it was held against a contract. */
    bool never; /* the persona can never do it */
} gd_tool;

typedef struct gd_map {
    mt_str contract, persona;
    const mt_json *identities; /* {IDENTITY: PERSONA}, or NULL */
    int unmapped;              /* 0: refused; 1: allowed */
    uint64_t timeout_ms;
    size_t record_bytes; /* arguments and results up to here are in the record */
    gd_tool *tools;
    uint32_t tool_count;
} gd_map;

/* All faults go to the form's report. False: there were some. */
bool gd_map_read(mt_form *f, const mt_json *tree, gd_map *out);
/* Its names are those of the contract, and everything that an operation changes is
 * bound. `persona` is who calls. */
bool gd_map_check(mt_form *f, const mt_json *tree, gd_map *m, const ex_view *view,
                  mt_str persona);
/* Whom the map says that this identity is; empty: nobody. */
mt_str gd_map_persona(const gd_map *m, mt_str identity);
gd_tool *gd_map_tool(const gd_map *m, mt_str name);

/* ---- Values (value.c) ---- */

/* The value as JSON; null, which fits no type, if it is there and cannot be had so.
 * False: it is not there. */
bool gd_value_write(mt_buf *out, const gd_value *v, const mt_json *from);
/* The same name but for the case of letters, as some servers read it, and not equal. */
bool gd_is_twin(mt_str a, mt_str b);
/* The id of an instance. False: there is none. */
bool gd_bind_id(mt_arena *a, const gd_bind *b, const mt_json *from, mt_str *out);
/* The path without ".", "..", and empty parts; it does not ask the file system. */
mt_str gd_path_plain(mt_arena *a, mt_str path);
/* `*` any characters but a slash, `**` any, `?` one but a slash. */
bool gd_matches(mt_str pattern, mt_str text);

#endif
