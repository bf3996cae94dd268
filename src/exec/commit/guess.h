/* exec/commit/guess.h - groups that lock nothing first.
 * Room: exec. */
#ifndef EX_GUESS_H
#define EX_GUESS_H

#include "exec/commit/commit.h"

/* May the group guess? Then its jobs claim, and it takes the instances as they were
 * last known (g->guessed), or they have to be locked. */
bool ex_guess_may(const ex_group *g, ex_job **jobs, size_t n);
void ex_guess(ex_group *g, ex_job **jobs, size_t n);
/* Has numbers for guesses to come drawn, behind those of this group. */
mt_err ex_guess_draw_soon(ex_group *g, ex_job **jobs, size_t n);
/* Is it a guess that can be proven when it is written? */
bool ex_guess_stands(const ex_group *g);
/* Before rows are written, and behind them. */
mt_err ex_guess_hold(ex_group *g);
mt_err ex_guess_prove(ex_group *g);
/* The group is under way: its rows are not known until it is durable. */
void ex_guess_sent(ex_group *g, size_t n);
void ex_guess_durable(const ex_group *g);
/* Whatever was known or drawn may be wrong. */
void ex_guess_forget(ex_executor *x);
/* A guess was wrong, and that cost a journey: the next ones wait. */
void ex_guess_failed(ex_executor *x);

#endif
