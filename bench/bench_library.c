/* How much a program carries along: bytes of the shared library without its symbols for
 * debuggers (lib.size), beside libsqlite3, the anchor of libraries that are everywhere;
 * and one evaluation through the public functions (lib.eval). */
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "motet.h"

static double bytes_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (double)st.st_size : NAN;
}

static double stripped(const char *path)
{
    char copy[] = "/tmp/motet-bench-XXXXXX";
    int fd = mkstemp(copy), status = 1;
    char *argv[] = {(char *)(uintptr_t) "strip", (char *)(uintptr_t) "-o", copy,
                    (char *)(uintptr_t)path, NULL};
    pid_t pid = 0;
    if (fd < 0 || posix_spawnp(&pid, "strip", NULL, NULL, argv, environ) != 0 ||
        waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "%s cannot be stripped\n", path);
        exit(1);
    }
    double size = bytes_of(copy);
    close(fd);
    unlink(copy);
    return size;
}

typedef struct work {
    motet_facts *facts;
    motet_verdicts *verdicts;
    motet_str json;
} work;

static void evaluate(void *state, uint64_t n)
{
    work *w = state;
    for (uint64_t i = 0; i < n; i++) {
        (void)motet_facts_read(w->facts, w->json, true);
        (void)motet_evaluate(w->facts, w->verdicts);
        bench_keep(motet_verdicts_json(w->verdicts).ptr);
    }
}

int main(void)
{
    static char text[1 << 16];
    motet_contract *c;
    FILE *f = fopen(FACTS, "r");
    size_t len = f ? fread(text, 1, sizeof text, f) : 0;
    if (!len || motet_contract_open(CONTRACT, &c)) {
        fprintf(stderr, "the escrow cannot be read\n");
        return 1;
    }
    fclose(f);
    work w = {motet_facts_new(c), motet_verdicts_new(c), {text, len}};
    bench_report("lib.eval", bench_ns(evaluate, &w) / 1e3, "us", NULL, NAN, NAN,
                 BENCH_LOWER);
    bench_report("lib.size", stripped(LIBRARY), "bytes", "libsqlite3.so.0",
                 bytes_of(SQLITE), NAN, BENCH_LOWER);
    motet_verdicts_free(w.verdicts);
    motet_facts_free(w.facts);
    motet_contract_free(c);
    return 0;
}
