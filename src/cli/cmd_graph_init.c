/* cli/cmd_graph_init.c - motet graph init: a project that runs at once.
 * Room: cli. The texts show one of everything that a first graph needs: a Source
 * that is fed by events, one that is fed by memory, a Trigger as the gate, an Action
 * that writes, an adapter that declares all of it, a fixture to run and a README
 * with the three commands. A test runs what is written here. */
#include <errno.h>
#include <sys/stat.h>

#include "cli/commands.h"

/* clang-format off */
static const struct {
    const char *name, *text;
} FILES[] = {
    {"graph.yaml",
     "# Counts the readings above a threshold and remembers the count.\n"
     "kind: cluster\n"
     "id: alarm\n"
     "version: \"1.0.0\"\n"
     "nodes:\n"
     "  reading:   { impl: context_number_source@0.1.0, params: { key: reading } }\n"
     "  count:     { impl: context_number_source@0.1.0, params: { key: count } }\n"
     "  threshold: { impl: const_number@0.1.0, params: { value: 30.0 } }\n"
     "  one:       { impl: const_number@0.1.0, params: { value: 1.0 } }\n"
     "  high:      { impl: gt@0.1.0 }\n"
     "  next:      { impl: add@0.1.0 }\n"
     "  on_high:   { impl: emit_if_true@0.1.0 }\n"
     "  remember:  { impl: context_set_number@0.1.0, params: { key: count } }\n"
     "edges:\n"
     "  - reading.value -> high.a\n"
     "  - threshold.value -> high.b\n"
     "  - count.value -> next.a\n"
     "  - one.value -> next.b\n"
     "  - high.result -> on_high.input\n"
     "  - on_high.event -> remember.event\n"
     "  - next.result -> remember.value\n"
     "outputs:\n"
     "  count: next.result\n"},
    {"adapter.yaml",
     "# What may come in, what is remembered, what may go out.\n"
     "kind: adapter\n"
     "id: sensor\n"
     "version: \"1.0.0\"\n"
     "runtime_compatibility: \"0.1.0\"\n"
     "context_keys:\n"
     "  - { name: reading, type: Number, required: true, writable: false }\n"
     "  - { name: count, type: Number, required: false, writable: true }\n"
     "event_kinds:\n"
     "  - name: reading\n"
     "    payload_schema:\n"
     "      type: object\n"
     "      additionalProperties: false\n"
     "      required: [reading]\n"
     "      properties:\n"
     "        reading: { type: number }\n"
     "        count: { type: number }\n"
     "accepts:\n"
     "  effects:\n"
     "    - name: set_context\n"
     "      payload_schema:\n"
     "        type: object\n"
     "        additionalProperties: false\n"
     "        properties:\n"
     "          count: { type: number }\n"
     "capture:\n"
     "  format_version: \"1\"\n"
     "  fields: [event.reading]\n"},
    {"fixture.jsonl",
     "{\"kind\":\"episode_start\",\"id\":\"morning\"}\n"
     "{\"kind\":\"event\",\"event\":{\"type\":\"DataAvailable\",\"semantic_kind\":"
     "\"reading\",\"payload\":{\"reading\":21.5}}}\n"
     "{\"kind\":\"event\",\"event\":{\"type\":\"DataAvailable\",\"semantic_kind\":"
     "\"reading\",\"payload\":{\"reading\":31.0}}}\n"
     "{\"kind\":\"event\",\"event\":{\"type\":\"DataAvailable\",\"semantic_kind\":"
     "\"reading\",\"payload\":{\"reading\":35.2}}}\n"},
    {"README.md",
     "# alarm\n\n"
     "    motet graph check graph.yaml --adapter adapter.yaml\n"
     "    motet graph run graph.yaml --adapter adapter.yaml --fixture fixture.jsonl "
     "--capture capture.json --json\n"
     "    motet graph replay capture.json --graph graph.yaml --adapter adapter.yaml\n"},
};
/* clang-format on */

/* The directory must be new, so no file of anybody is overwritten. What was written
 * before an error stays, for the user to look at. */
int cmd_graph_init(const cli_args *args)
{
    const char *directory = args->operands[0];
    mt_arena a = {0};
    int code = CLI_HOLDS;
    if (mkdir(directory, 0755) != 0) {
        code = errno == EEXIST
                   ? cli_fail(args, CLI_FAILS, "%s exists already", directory)
                   : cli_fail(args, CLI_WORLD, "cannot make %s: %s", directory,
                              strerror(errno));
    }
    for (size_t i = 0; !code && i < sizeof FILES / sizeof *FILES; i++) {
        mt_str path = mt_strf(&a, "%s/%s", directory, FILES[i].name);
        code = cli_write_text(args, path.ptr, mt_str_z(FILES[i].text));
    }
    if (!code) {
        code = cli_print(mt_strf(&a,
                                 "%s is ready. Try:\n  cd %s\n"
                                 "  motet graph run graph.yaml --adapter adapter.yaml "
                                 "--fixture fixture.jsonl --json\n",
                                 directory, directory));
    }
    mt_arena_free(&a);
    return code;
}
