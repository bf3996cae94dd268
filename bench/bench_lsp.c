/* What an author waits for: lsp.keystroke, from a typed character to the diagnostics of
 * a contract of 10,000 lines with an import (99th of 100, in milliseconds);
 * lsp.complete likewise; lsp.memory, bytes held for each byte of text; lsp.start, from
 * the start of the program to the first diagnostics of escrow. The clock is the wall's:
 * that is what people wait by. */
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_write.h"
#include "bench.h"
#include "lsp/lsp.h"
#include "os/file.h"

enum { PARTS = 370, KEYS = 400, STARTS = 30 };

#define URI "file:///root.tenor"

/* ---- a large contract ---- */

static void write_contract(mt_buf *root, mt_buf *library)
{
    mt_buf_addz(library, "persona p\n");
    mt_buf_addz(root, "import \"library.tenor\"\n");
    for (int i = 0; i < PARTS; i++) {
        mt_buf_addf(
            library,
            "fact g%d {\n  type: Int(min: 0, max: 100)\n  source: \"s.g%d\"\n}\n", i,
            i);
        mt_buf_addf(root,
                    "fact f%d {\n  type: Bool\n  source: \"s.f%d\"\n}\n"
                    "rule r%d {\n  stratum: 0\n  when: f%d and g%d > 10\n"
                    "  produce: verdict v%d { payload: Bool = true }\n}\n",
                    i, i, i, i, i, i);
        mt_buf_addf(root,
                    "entity E%d {\n  states: [a, b]\n  initial: a\n"
                    "  transitions: [(a, b)]\n}\n"
                    "operation o%d {\n  allowed_personas: [p]\n"
                    "  precondition: verdict_present(v%d)\n  effects: [(E%d, a, b)]\n"
                    "  error_contract: [precondition_failed, persona_rejected]\n}\n",
                    i, i, i, i);
        mt_buf_addf(root,
                    "flow w%d {\n  snapshot: at_initiation\n  entry: s\n  steps: {\n"
                    "    s: OperationStep {\n      op: o%d\n      persona: p\n"
                    "      outcomes: { success: Terminal(success) }\n"
                    "      on_failure: Terminate(outcome: failure)\n    }\n  }\n}\n",
                    i, i);
    }
}

/* ---- a server ---- */

static void say(ls_server *s, mt_buf *out, mt_str body)
{
    mt_buf b = {0};
    mt_buf_addf(&b, "Content-Length: %zu\r\n\r\n", body.len);
    mt_buf_adds(&b, body);
    ls_feed(s, mt_buf_str(&b));
    mt_buf_clear(out);
    while (ls_work(s, out)) {
    }
    mt_buf_free(&b);
}

static void say_open(ls_server *s, mt_buf *out, const mt_buf *text)
{
    mt_buf b = {0};
    mt_buf_addz(&b,
                "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{"
                "\"textDocument\":{\"uri\":\"" URI "\",\"version\":1,\"text\":");
    mt_json_quote(&b, mt_buf_str(text));
    mt_buf_addz(&b, "}}}");
    say(s, out, mt_buf_str(&b));
    mt_buf_free(&b);
}

#define START                                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"             \
    "\"capabilities\":{}}}"

/* Every second time the character goes again, so the contract is whole half the time.
 */
static void type_character(ls_server *s, mt_buf *out, int number)
{
    char text[400];
    int len =
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didChange\","
                 "\"params\":{\"textDocument\":{\"uri\":\"" URI
                 "\",\"version\":%d},\"contentChanges\":[{\"range\":{\"start\":{"
                 "\"line\":5,\"character\":6},\"end\":{\"line\":5,\"character\":%d}},"
                 "\"text\":\"%s\"}]}}",
                 number + 2, number % 2 ? 7 : 6, number % 2 ? "" : "x");
    say(s, out, mt_str_from(text, (size_t)len));
}

static void complete(ls_server *s, mt_buf *out, int number)
{
    char text[300];
    int len = snprintf(
        text, sizeof text,
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"textDocument/completion\","
        "\"params\":{\"textDocument\":{\"uri\":\"" URI
        "\"},\"position\":{\"line\":7,\"character\":8}}}",
        number + 2);
    say(s, out, mt_str_from(text, (size_t)len));
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Milliseconds that 99 of 100 stay below. */
static double slowest(ls_server *s, void (*act)(ls_server *, mt_buf *, int))
{
    static double took[KEYS];
    mt_buf out = {0};
    for (int i = 0; i < KEYS; i++) {
        uint64_t began = bench_now();
        act(s, &out, i);
        took[i] = (double)(bench_now() - began) / 1e6;
        if (!out.len) {
            fprintf(stderr, "the server does not answer\n");
            exit(1);
        }
    }
    mt_buf_free(&out);
    qsort(took, KEYS, sizeof *took, compare);
    return took[KEYS * 99 / 100];
}

static size_t held(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static void measure_editing(void)
{
    mt_buf root = {0}, library = {0}, out = {0};
    write_contract(&root, &library);
    mt_memory_file file = {MT_STR("/library.tenor"), mt_buf_str(&library)};
    mt_memory files = {&file, 1};
    ls_world world = {.files = mt_memory_provider(&files)};
    ls_server *s = ls_new(&world);
    say(s, &out, MT_STR(START));
    size_t before = held();
    say_open(s, &out, &root);
    double keystroke = slowest(s, type_character);
    size_t after = held();
    double text = (double)(root.len + library.len);
    double completion = slowest(s, complete);
    bench_report("lsp.keystroke", keystroke, "ms", NULL, 0, 20, BENCH_LOWER);
    bench_report("lsp.complete", completion, "ms", NULL, 0, 10, BENCH_LOWER);
    bench_report("lsp.memory", (double)(after - before) / text, "times",
                 "bytes of text", text, 30, BENCH_LOWER);
    ls_free(s);
    mt_buf_free(&out);
    mt_buf_free(&root);
    mt_buf_free(&library);
}

/* ---- the program ---- */

/* Milliseconds from the start to the diagnostics. */
static double start_once(mt_str messages)
{
    int in[2], back[2];
    char bytes[1 << 16];
    size_t len = 0;
    if (pipe(in) || pipe(back)) {
        exit(1);
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, back[1], 1);
    posix_spawn_file_actions_addclose(&actions, in[1]);
    posix_spawn_file_actions_addclose(&actions, back[0]);
    char *argv[] = {(char *)(uintptr_t)MOTET, (char *)(uintptr_t) "lsp", NULL};
    pid_t pid;
    uint64_t began = bench_now();
    if (posix_spawn(&pid, MOTET, &actions, NULL, argv, environ) ||
        write(in[1], messages.ptr, messages.len) != (ssize_t)messages.len) {
        fprintf(stderr, "the server cannot be started\n");
        exit(1);
    }
    close(in[0]);
    close(back[1]);
    while (!memmem(bytes, len, "publishDiagnostics", 18)) {
        ssize_t n = read(back[0], bytes + len, sizeof bytes - len);
        if (n <= 0) {
            fprintf(stderr, "the server has ended\n");
            exit(1);
        }
        len += (size_t)n;
    }
    double took = (double)(bench_now() - began) / 1e6;
    close(in[1]);
    close(back[0]);
    waitpid(pid, NULL, 0);
    posix_spawn_file_actions_destroy(&actions);
    return took;
}

static void measure_start(void)
{
    static double took[STARTS];
    mt_arena a = {0};
    mt_str text;
    mt_buf open = {0}, all = {0};
    if (os_read_file(&a, EXAMPLES "/escrow/escrow.tenor", 1 << 20, &text)) {
        fprintf(stderr, "escrow is not there\n");
        exit(1);
    }
    mt_buf_addz(&open,
                "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{"
                "\"textDocument\":{\"uri\":\"file:///escrow.tenor\",\"version\":1,"
                "\"text\":");
    mt_json_quote(&open, text);
    mt_buf_addz(&open, "}}}");
    mt_buf_addf(&all, "Content-Length: %zu\r\n\r\n%s", sizeof START - 1, START);
    mt_buf_addf(&all, "Content-Length: %zu\r\n\r\n", open.len);
    mt_buf_adds(&all, mt_buf_str(&open));
    for (int i = 0; i < STARTS; i++) {
        took[i] = start_once(mt_buf_str(&all));
    }
    qsort(took, STARTS, sizeof *took, compare);
    bench_report("lsp.start", took[STARTS / 2], "ms", NULL, 0, 30, BENCH_LOWER);
    mt_buf_free(&open);
    mt_buf_free(&all);
    mt_arena_free(&a);
}

int main(void)
{
    measure_editing();
    measure_start();
    return 0;
}
