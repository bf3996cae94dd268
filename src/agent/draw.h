/* agent/draw.h - the picture of what an agent registers (base/picture.h).
 * Room: agent. May include base/ only. */
#ifndef AG_DRAW_H
#define AG_DRAW_H

#include "agent/agent_file.h"
#include "base/picture.h"

/* States, the receivers that lead from one to the next, and the senders that hear them.
 * Start marks are at the states of the start tape, if the file has one, and at timed
 * senders. */
mt_picture ag_draw(mt_arena *a, const ag_file *file);

#endif
