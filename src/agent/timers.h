/* agent/timers.h - which timed senders wait, which are armed, and what they will tell.
 * Room: agent. May include base/ only; pure: who looks at a clock is the host.
 * A timed sender (`every_ms`) without filters follows its clock alone. One with filters
 * waits until a receiver on a compatible route gives an outcome they let through: that
 * arms it, and it stays armed until its `run_while` does not hold. More outcomes do not
 * arm it twice. With `use_data` each outcome's data waits for the next tick.
 * Ownership: copies what it keeps. One thread at a time. */
#ifndef AG_TIMERS_H
#define AG_TIMERS_H

#include "agent/cycle.h"
#include "base/json_write.h"

typedef struct ag_timers ag_timers;

ag_timers *ag_timers_new(const ag_agent *agent, const mt_limits *limits);
void ag_timers_free(ag_timers *t);

/* After a cycle: arms what its outcomes arm. Returns how many data found no room
 * (limit agent_waiting_bytes, per sender) and are lost. */
uint32_t ag_timers_arm(ag_timers *t, const ag_record *record);
bool ag_timer_armed(const ag_timers *t, uint32_t sender);
/* Forgets what waits, too. */
void ag_timer_disarm(ag_timers *t, uint32_t sender);

/* One that fires once has fired: with filters it waits to be armed again, without it is
 * done for good. */
void ag_timer_fired(ag_timers *t, uint32_t sender);
bool ag_timer_done(const ag_timers *t, uint32_t sender);

/* use_data: the outcomes whose data wait; valid until ag_timer_told(). */
uint32_t ag_timer_waiting(const ag_timers *t, uint32_t sender, const ag_event **out);
/* What waited was told; the timer stays armed. */
void ag_timer_told(ag_timers *t, uint32_t sender);

bool ag_timers_any_armed(const ag_timers *t);
/* A list with one row per armed sender, and back. A row whose sender the agent no
 * longer has is dropped: there is nothing left that could fire. MT_E_SYNTAX. */
void ag_timers_save(const ag_timers *t, mt_jw *w);
/* The same for those that are done for good. */
bool ag_timers_any_done(const ag_timers *t);
void ag_timers_save_done(const ag_timers *t, mt_jw *w);
mt_err ag_timers_load_done(ag_timers *t, const mt_json *rows);
/* Rows of senders that are gone are passed over. */
mt_err ag_timers_load(ag_timers *t, const mt_json *rows);

#endif
