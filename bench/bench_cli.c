/* What every command pays before it does anything: `motet --version`, in milliseconds
 * of processor time above an empty C program, the least of many starts of each in turn.
 */
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { STARTS = 200 };

static double milliseconds(struct timeval t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

/* Milliseconds of processor time of one run, everything written thrown away. */
static double start(const char *program, const char *word)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    char *argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)word, NULL};
    pid_t pid = 0;
    int status = 0;
    struct rusage used = {0};
    if (posix_spawn(&pid, program, &actions, NULL, argv, environ) != 0 ||
        wait4(pid, &status, 0, &used) != pid || status != 0) {
        fprintf(stderr, "%s cannot be run\n", program);
        exit(1);
    }
    posix_spawn_file_actions_destroy(&actions);
    return milliseconds(used.ru_utime) + milliseconds(used.ru_stime);
}

int main(void)
{
    double empty = INFINITY, motet = INFINITY;
    for (int i = 0; i < STARTS; i++) {
        empty = fmin(empty, start(EMPTY, NULL));
        motet = fmin(motet, start(MOTET, "--version"));
    }
    bench_report("cli.start", motet - empty, "ms", "an empty program", empty, 3,
                 BENCH_LOWER);
    return 0;
}
