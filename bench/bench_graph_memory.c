/* graph.memory: what a run of a million events holds at most, in megabytes: `motet
 * graph run` from a fixture to a capture, as its users start it. */
#include "bench.h"

#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EVENTS = 1000000 };

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void write_fixture(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) {
        die(path);
    }
    for (int i = 0; i < EVENTS; i++) {
        fprintf(f,
                "{\"kind\":\"event\",\"event\":{\"type\":\"DataAvailable\",\"id\":"
                "\"reading-%d\",\"semantic_kind\":\"reading\",\"payload\":{\"reading\":"
                "%d.25}}}\n",
                i, i % 60);
    }
    if (fclose(f) != 0) {
        die(path);
    }
}

/* Exits unless the program says that all is well; its peak in megabytes. */
static double run(const char *const *words)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    struct rusage used;
    char *argv[16] = {0}; /* exec wants them writable */
    pid_t pid;
    int status;
    for (size_t i = 0; words[i]; i++) {
        argv[i] = strdup(words[i]);
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid, MOTET, &actions, NULL, argv, environ) != 0 ||
        wait4(pid, &status, 0, &used) != pid || status != 0) {
        die(words[2]);
    }
    posix_spawn_file_actions_destroy(&actions);
    for (size_t i = 0; argv[i]; i++) {
        free(argv[i]);
    }
    return (double)used.ru_maxrss / 1024;
}

static void in_new_directory(char *directory)
{
    strcpy(directory, "bench-memory-XXXXXX");
    if (!mkdtemp(directory)) {
        die(directory);
    }
    const char *const init[] = {MOTET, "graph", "init", "p", NULL};
    if (chdir(directory) != 0) {
        die(directory);
    }
    (void)run(init);
    if (chdir("p") != 0) {
        die("p");
    }
}

int main(void)
{
    char directory[64], command[96];
    in_new_directory(directory);
    write_fixture("million.jsonl");
    const char *const words[] = {
        MOTET,       "graph",        "run",       "graph.yaml",
        "--adapter", "adapter.yaml", "--fixture", "million.jsonl",
        "--capture", "c.json",       NULL};
    const char *const again[] = {MOTET,       "graph",        "replay",
                                 "c.json",    "--graph",      "graph.yaml",
                                 "--adapter", "adapter.yaml", NULL};
    bench_report("graph.memory", run(words), "MB", NULL, NAN, 150, BENCH_LOWER);
    bench_report("graph.replay_memory", run(again), "MB", NULL, NAN, 150, BENCH_LOWER);
    snprintf(command, sizeof command, "cd ../.. && rm -rf %s", directory);
    return system(command) == 0 ? 0 : 1;
}
