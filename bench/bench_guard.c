/* What a guard costs: guard.added, the median of what one call of a tool takes longer
 * with `motet guard run` before the server than without, in microseconds; on a store in
 * memory, where nobody waits for a disk, and beside it on one that is durable. Called
 * one after the other, so that nothing is hidden. guard.decide: a hook, from the start
 * of the process to its end, in milliseconds, the median, with its durable record.
 *
 *     bench_guard          measures
 *     bench_guard serve    is the server: answers each line that has an id */
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { CALLS = 3000, WARM = 200, HOOKS = 60, LINE = 4096, PATHS = 512 };

static const char CONTRACT[] =
    "persona agent\n"
    "entity File { states: [open, sealed] initial: open "
    "transitions: [(open, open), (open, sealed)] }\n"
    "fact inside { type: Bool source: \"arguments.path\" default: false }\n"
    "fact size { type: Int(min: 0, max: 1000000) source: \"arguments.content\" "
    "default: 0 }\n"
    "operation write { allowed_personas: [agent] precondition: inside and size <= 100 "
    "effects: [(File, open, open)] error_contract: [precondition_failed] }\n";
static const char MAP[] =
    "persona: agent\ntools:\n  write:\n    operation: write\n"
    "    bindings: {File: {from: path, as: path, create: true}}\n"
    "    facts: {inside: {from: path, under: [/srv]}, size: {from: content, as: "
    "length}}\n";
static const char CALL[] =
    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":"
    "\"write\",\"arguments\":{\"path\":\"/srv/a\",\"content\":\"hello\"}}}\n";

/* ---- The server ---- */

static int serve(void)
{
    char line[LINE];
    while (fgets(line, sizeof line, stdin)) {
        const char *id = strstr(line, "\"id\":");
        if (id) {
            printf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"content\":[{\"type\":"
                   "\"text\",\"text\":\"done\"}]}}\n",
                   atoi(id + 5));
            fflush(stdout);
        }
    }
    return 0;
}

/* ---- Calls ---- */

static void fail(const char *what)
{
    fprintf(stderr, "bench_guard: %s\n", what);
    exit(1);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

/* A child with its standard input and output. */
static pid_t start(const char *const *argv, FILE **to, FILE **from)
{
    int in[2], out[2];
    pid_t pid = 0;
    posix_spawn_file_actions_t actions;
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
        fail("no pipes");
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    if (posix_spawn(&pid, argv[0], &actions, NULL, (char **)(uintptr_t)argv, environ)) {
        fail("the program cannot be run");
    }
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    *to = fdopen(in[1], "w");
    *from = fdopen(out[0], "r");
    return pid;
}

static double call_us(const char *const *argv)
{
    static double took[CALLS];
    FILE *to, *from;
    char line[LINE];
    pid_t pid = start(argv, &to, &from);
    for (int i = 0; i < WARM + CALLS; i++) {
        uint64_t since = bench_now();
        fprintf(to, CALL, i + 1);
        fflush(to);
        if (!fgets(line, sizeof line, from) || !strstr(line, "\"done\"")) {
            fail("a call was not answered as it should be");
        }
        if (i >= WARM) {
            took[i - WARM] = (double)(bench_now() - since) / 1e3;
        }
    }
    fclose(to);
    fclose(from);
    waitpid(pid, NULL, 0);
    return median(took, CALLS);
}

/* ---- Hooks ---- */

static double hook_ms(const char *const *argv, const char *input)
{
    static double took[HOOKS];
    for (int i = 0; i < HOOKS; i++) {
        posix_spawn_file_actions_t actions;
        pid_t pid = 0;
        int status;
        uint64_t since = bench_now();
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
        if (posix_spawn(&pid, argv[0], &actions, NULL, (char **)(uintptr_t)argv,
                        environ) ||
            waitpid(pid, &status, 0) != pid || status != 0) {
            fail("a hook did not allow what it should");
        }
        took[i] = (double)(bench_now() - since) / 1e6;
        posix_spawn_file_actions_destroy(&actions);
    }
    return median(took, HOOKS);
}

/* ---- All of it ---- */

static void put(const char *directory, const char *name, const char *text,
                char path[PATHS])
{
    snprintf(path, PATHS, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) {
        fail("a file cannot be written");
    }
}

static void sweep(const char *directory, const char *const *names)
{
    char path[PATHS];
    for (size_t i = 0; names[i]; i++) {
        snprintf(path, PATHS, "%s/%s", directory, names[i]);
        unlink(path);
    }
    rmdir(directory);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return serve();
    }
    static const char *const FILES[] = {
        "c.tenor",      "map.yaml",     "call.json",     "store.db",
        "store.db-wal", "store.db-shm", "store.db.lock", NULL};
    char disk[] = "bench-guard-XXXXXX", memory[] = "/dev/shm/bench-guard-XXXXXX";
    char contract[PATHS], map[PATHS], call[PATHS], on_disk[PATHS], in_memory[PATHS];
    if (!mkdtemp(disk) || !mkdtemp(memory)) {
        fail("no directory can be had");
    }
    put(disk, "c.tenor", CONTRACT, contract);
    put(disk, "map.yaml", MAP, map);
    put(disk, "call.json",
        "{\"tool_name\":\"write\",\"tool_input\":{\"path\":\"/srv/a\",\"content\":"
        "\"hello\"}}",
        call);
    snprintf(on_disk, PATHS, "sqlite:%s/store.db", disk);
    snprintf(in_memory, PATHS, "sqlite:%s/store.db", memory);
    const char *const alone[] = {argv[0], "serve", NULL};
    const char *guarded[] = {MOTET,   "guard", "run",     "--contract", contract,
                             "--map", map,     "--store", in_memory,    "--",
                             argv[0], "serve", NULL};
    const char *const hook[] = {MOTET,   "guard", "decide",  "--contract", contract,
                                "--map", map,     "--store", on_disk,      NULL};
    double direct = call_us(alone);
    double added = call_us(guarded) - direct;
    guarded[8] = on_disk;
    double durable = call_us(guarded) - direct;
    bench_report("guard.added", added, "us", "the server alone", direct, 300,
                 BENCH_LOWER);
    bench_report("guard.added.durable", durable, "us", "the server alone", direct, NAN,
                 BENCH_LOWER);
    bench_report("guard.decide", hook_ms(hook, call), "ms", NULL, 0, 15, BENCH_LOWER);
    sweep(disk, FILES);
    sweep(memory, FILES);
    return 0;
}
