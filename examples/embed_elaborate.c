/* examples/embed_elaborate.c - contract source in memory to interchange, and what an
 * editor would show for a mistake. Prints the bundle; exits 1 if anything is not as the
 * comments say. */
#include <motet.h>
#include <stdio.h>
#include <string.h>

static motet_str text_of(const char *text)
{
    return (motet_str){text, strlen(text)};
}

static void show(const motet_contract *contract)
{
    motet_diagnostic d = {.size = sizeof d};
    for (size_t i = 0; motet_contract_diagnostic(contract, i, &d); i++) {
        fprintf(stderr, "%.*s:%u:%u: %s %s: %.*s\n", (int)d.file.len, d.file.ptr,
                d.line, d.column, d.severity, d.code, (int)d.message.len,
                d.message.ptr);
    }
}

/* Two files: the root imports its types from the other. */
static int elaborate_good(void)
{
    const motet_file files[] = {
        {"order.tenor", text_of("import \"lib/types.tenor\"\n"
                                "fact order { type: Order source: \"shop.order\" }\n"
                                "rule paid {\n"
                                "  stratum: 0\n"
                                "  when:    order.paid = true\n"
                                "  produce: verdict can_ship { payload: Bool = true }\n"
                                "}\n")},
        {"lib/types.tenor", text_of("type Order { paid: Bool }\n")},
    };
    motet_contract *contract;
    motet_status status = motet_contract_load_files(files, 2, &contract);
    motet_str bundle = motet_contract_bundle(contract);
    show(contract); /* a warning: nothing reads the verdict */
    printf("%.*s\n", (int)bundle.len, bundle.ptr);
    motet_contract_free(contract);
    return status == MOTET_OK ? 0 : 1;
}

/* A name that is declared nowhere: refused, with the place. */
static int elaborate_bad(void)
{
    motet_contract *contract;
    motet_diagnostic d = {.size = sizeof d};
    motet_status status = motet_contract_load(
        text_of("rule r {\n  stratum: 0\n  when: nobody = 1\n"
                "  produce: verdict v { payload: Bool = true }\n}\n"),
        "bad.tenor", &contract);
    bool ok = status == MOTET_E_REJECTED &&
              motet_contract_diagnostic(contract, 0, &d) &&
              strcmp(d.code, "T403") == 0 && d.line == 3 && d.column == 9;
    show(contract);
    motet_contract_free(contract);
    return ok ? 0 : 1;
}

int main(void)
{
    return elaborate_good() | elaborate_bad();
}
