/* guard/init.h - a contract, a map and scenarios for a server that has none.
 * Room: guard. What a server says about its tools is a proposal by a stranger: names
 * become names of the language, words become one line of a comment. */
#ifndef GD_INIT_H
#define GD_INIT_H

#include "base/json_read.h"
#include "os/process.h"

/* Asks a server for all its tools, in the older revision. Each is an object that has a
 * name; they live in `a`. MT_E_NOTFOUND, MT_E_IO: it cannot be started; MT_E_TIMEOUT,
 * MT_E_CLOSED, MT_E_SYNTAX, MT_E_LIMIT: it does not answer, ends, or says something
 * else; *why says it in a sentence. */
typedef struct gd_tools {
    const mt_json **items;
    size_t count;
    size_t left_out; /* they have no name that can be written down */
} gd_tools;
mt_err gd_ask_tools(mt_arena *a, const char *const *command, unsigned timeout_ms,
                    size_t most_bytes, gd_tools *out, mt_buf *why);

/* Can it be written down as it is? Printable ASCII, 128 characters at most, which is
 * what the protocol advises and more. */
bool gd_is_writable(mt_str name);
/* A tool's name as a name of the language. */
mt_str gd_plain_name(mt_arena *a, mt_str name);
/* Is an argument of this name a path? By how it ends: path, file_path, filePath. */
bool gd_is_path(mt_str name);

/* The three files. */
void gd_init_contract(mt_buf *out, mt_arena *a, const gd_tools *tools);
void gd_init_map(mt_buf *out, mt_arena *a, const gd_tools *tools);
void gd_init_scenarios(mt_buf *out, mt_arena *a, const gd_tools *tools);

#endif
