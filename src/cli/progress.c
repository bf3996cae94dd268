/* cli/progress.c - see progress.h.
 * Room: cli. */
#include "cli/progress.h"

#include <stdio.h>

#include "os/clock.h"

enum { QUIET_MS = 2000, EVERY_MS = 1000 };

static volatile sig_atomic_t stop_asked;

/* The first signal asks, the second kills: SA_RESETHAND has put the default back. */
static void ask_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static int64_t now_ms(void)
{
    return (int64_t)(os_clock_ns(CLOCK_MONOTONIC_COARSE) / 1000000u);
}

/* `shown` is set so that the first line appears after QUIET_MS. */
void cli_progress_start(cli_progress *p, const cli_args *args)
{
    struct sigaction action = {.sa_handler = ask_stop, .sa_flags = (int)SA_RESETHAND};
    *p = (cli_progress){.args = args, .started = now_ms()};
    p->shown = p->started + QUIET_MS - EVERY_MS;
    stop_asked = 0;
    sigaction(SIGINT, &action, &p->old_int);
    sigaction(SIGTERM, &action, &p->old_term);
}

/* Called by analyses in their inner loops; false asks them to stop, after which they
 * tell what they know so far. The clock is the only cost. */
bool cli_progress_step(void *progress, const char *what, uint64_t done, uint64_t all)
{
    cli_progress *p = progress;
    int64_t now = now_ms();
    if (now - p->shown >= EVERY_MS) {
        p->shown = now;
        fprintf(stderr, "motet %s: %s, %llu", p->args->command->name, what,
                (unsigned long long)done);
        if (all) {
            fprintf(stderr, " of %llu", (unsigned long long)all);
        }
        fprintf(stderr, " after %lld s\n", (long long)((now - p->started) / 1000));
    }
    return !stop_asked;
}

void cli_progress_end(cli_progress *p)
{
    sigaction(SIGINT, &p->old_int, NULL);
    sigaction(SIGTERM, &p->old_term, NULL);
}
