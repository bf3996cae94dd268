/* examples/evaluate.c - evaluate one fact set with a contract through the C API.
 * Usage: evaluate CONTRACT FACTS.json */
#include <motet.h>
#include <stdio.h>
#include <stdlib.h>

static motet_str read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(3);
    }
    static char text[1 << 20];
    size_t len = fread(text, 1, sizeof text, f);
    fclose(f);
    return (motet_str){text, len};
}

static int show_faults(const motet_contract *contract, motet_status status)
{
    for (size_t i = 0; motet_contract_message(contract, i).len; i++) {
        motet_str line = motet_contract_message(contract, i);
        fprintf(stderr, "%.*s\n", (int)line.len, line.ptr);
    }
    fprintf(stderr, "evaluate: %s\n", motet_status_text(status));
    return 1;
}

static int show_fault(motet_fault fault)
{
    fprintf(stderr, "%s: %.*s\n", fault.kind, (int)fault.message.len,
            fault.message.ptr);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: evaluate CONTRACT FACTS.json\n");
        return 2;
    }
    motet_contract *contract;
    motet_status status = motet_contract_open(argv[1], &contract);
    if (status != MOTET_OK) {
        int code = show_faults(contract, status);
        motet_contract_free(contract);
        return code;
    }
    motet_facts *facts = motet_facts_new(contract);
    motet_verdicts *verdicts = motet_verdicts_new(contract);
    int code = 0;
    if (motet_facts_read(facts, read_file(argv[2]), false) != MOTET_OK) {
        code = show_fault(motet_facts_fault(facts));
    } else if (motet_evaluate(facts, verdicts) != MOTET_OK) {
        code = show_fault(motet_verdicts_fault(verdicts));
    } else {
        motet_str json = motet_verdicts_json(verdicts);
        printf("%.*s\n", (int)json.len, json.ptr);
    }
    motet_verdicts_free(verdicts);
    motet_facts_free(facts);
    motet_contract_free(contract);
    return code;
}
