/* host.c - a program that runs a graph itself, with an own primitive in it.
 *
 *     cc -o host host.c $(pkg-config --cflags --libs motet)
 *     ./host graph.yaml adapter.yaml slope.so
 *
 * Each line of the standard input is one reading. What happens is in host.journal; at
 * the end it becomes capture.json, which `motet graph replay` verifies as well. */
#include <motet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static motet_str read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 20);
    if (!f || !text) {
        perror(path);
        exit(3);
    }
    size_t len = fread(text, 1, 1 << 20, f);
    fclose(f);
    return (motet_str){text, len};
}

static int complain(const char *what, motet_status status, motet_str why)
{
    fprintf(stderr, "%s: %s\n  %.*s\n", what, motet_status_text(status), (int)why.len,
            why.ptr);
    return 1;
}

static motet_status one_reading(motet_graph_host *host, unsigned number,
                                const char *line)
{
    char id[32];
    snprintf(id, sizeof id, "reading-%u", number);
    motet_graph_event event = {.size = sizeof event,
                               .id = {id, strlen(id)},
                               .secs = number,
                               .semantic_kind = {"reading", 7},
                               .payload = {line, strcspn(line, "\n")}};
    return motet_graph_host_step(host, &event);
}

static int run(const motet_graph *graph)
{
    motet_graph_host *host;
    motet_replay *replay = NULL;
    char line[256];
    motet_status status =
        motet_graph_host_open(graph, NULL, "host.journal", false, &host);
    for (unsigned n = 1; !status && fgets(line, sizeof line, stdin); n++) {
        status = one_reading(host, n, line);
        if (motet_graph_host_value(host, "on_steep", "event").event == MOTET_EMITTED) {
            printf("reading %u rises by %g\n", n,
                   motet_graph_host_context(host, "alarm").number);
        }
    }
    status = status ? status : motet_graph_host_capture(host, "capture.json");
    int code = status ? complain("run", status, motet_graph_host_message(host)) : 0;
    motet_graph_host_free(host);
    if (!code && (status = motet_graph_replay(graph, "capture.json", &replay))) {
        code = complain("replay", status, motet_replay_message(replay));
    } else if (!code) {
        printf("%u events replayed\n", (unsigned)motet_replay_events(replay));
    }
    motet_replay_free(replay);
    return code;
}

int main(int argc, char **argv)
{
    motet_primitives *primitives = motet_primitives_new();
    motet_graph *graph = NULL;
    motet_status status;
    int code = 2;
    if (argc != 4) {
        fprintf(stderr, "usage: host GRAPH ADAPTER PRIMITIVES.so < READINGS\n");
    } else if ((status = motet_primitives_load(primitives, argv[3]))) {
        code = complain(argv[3], status, motet_primitives_message(primitives, 0));
    } else if ((status = motet_graph_load(primitives, read_file(argv[1]), argv[1],
                                          &graph)) ||
               (status = motet_graph_adapt(graph, read_file(argv[2]), argv[2]))) {
        code = complain(argv[1], status, motet_graph_message(graph, 0));
    } else {
        code = run(graph);
    }
    motet_graph_free(graph);
    motet_primitives_free(primitives);
    return code;
}
