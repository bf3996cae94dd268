/* agent/automaton.h - the routes of an agent as an automaton (base/picture.h).
 * Room: agent. May include base/ only; pure.
 * States are nodes, receivers are the edges between them; a trace paints the edges that
 * were taken. agent/draw.h draws registrations instead, senders included. */
#ifndef AG_AUTOMATON_H
#define AG_AUTOMATON_H

#include "agent/agent_file.h"
#include "base/picture.h"

/* How often each receiver answered what, by the traces of an agent. */
typedef struct ag_taken ag_taken;

/* Adds what a trace says to *taken (NULL: made anew). MT_E_SYNTAX with *why (in `a`):
 * it is not a trace. */
mt_err ag_taken_read(mt_arena *a, mt_str trace, ag_taken **taken, mt_str *why);

/* `taken` NULL: nothing is painted. */
mt_picture ag_draw_automaton(mt_arena *a, const ag_file *file, const ag_taken *taken);

#endif
