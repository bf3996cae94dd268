/* cli/repl.h - a contract by hand: what the lines of `motet repl` do.
 * Room: cli.
 * The session knows nothing of terminals: a line goes in, text comes out. So it is the
 * same typed, piped or tested. */
#ifndef CLI_REPL_H
#define CLI_REPL_H

#include "base/map.h"
#include "cli/engine.h"
#include "contract/reduce/partial.h"

typedef struct cli_repl {
    cli_engine *engine;  /* borrowed; its states and binding are the session's */
    mt_arena arena;      /* what was typed and is kept */
    mt_str *facts;       /* JSON per fact; ptr NULL: not given */
    ct_facts *probe;     /* to look at one value alone */
    ct_partial *partial; /* what they decide while some are missing */
    bool *unknown;       /* by fact, for it */
    uint8_t *shown;      /* ct_partly by rule, as it was shown last */
    bool evaluated;      /* all facts are there and have verdicts */
    bool done;           /* `quit` was said */
} cli_repl;

typedef struct cli_repl_command {
    const char *name, *arguments;
    /* What each word behind it is, for completion: f fact, = a value of it, e entity, w
     * flow, p persona, o outcome, x verdict or flow. */
    const char *takes;
    const char *help;
    void (*run)(cli_repl *r, mt_str rest, mt_buf *out);
} cli_repl_command;

/* Ends with a row whose name is NULL. */
extern const cli_repl_command CLI_REPL_COMMANDS[];

/* The engine is borrowed; facts start empty, states initial. Greets. */
void cli_repl_start(cli_repl *r, cli_engine *e, mt_buf *out);
/* Takes the facts of a map. false: something is wrong with some of them, which is said;
 * the others are taken. */
bool cli_repl_facts(cli_repl *r, const mt_json *tree, mt_buf *out);
/* The first verdicts, or what is missing. */
void cli_repl_begin(cli_repl *r, mt_buf *out);
/* The engine stays its owner's. */
void cli_repl_free(cli_repl *r);
/* One line; r->done after `quit`. */
void cli_repl_line(cli_repl *r, mt_str line, mt_buf *out);
/* The n-th word that may follow `before` (the line up to the word) and begins with
 * `word`; ptr NULL past the end. */
mt_str cli_repl_complete(const cli_repl *r, mt_str before, mt_str word, size_t n);

#endif
