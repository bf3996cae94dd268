/* Writes random contracts and fact sets, for what is compared with the engine from
 * outside.
 *
 *     random_contracts SEED COUNT SETS
 *
 * One line each: {"bundle":…,"facts":[text…]}. Every third has flows of every kind and
 * facts of Bool; the others have facts of all types, and one fact set in eight is at
 * fault. */
#include <stdio.h>
#include <stdlib.h>

#include "../unit/contract/random_contract.h"
#include "../unit/contract/random_flow.h"
#include "base/json_write.h"

static void flow_facts(mt_buf *out)
{
    mt_buf_addc(out, '{');
    for (int i = 0; i < FACTS; i++) {
        mt_buf_addf(out, "%s\"f%d\":%s", i ? "," : "", i, draw(2) ? "true" : "false");
    }
    mt_buf_addc(out, '}');
}

static void with_flows(mt_buf *out, uint64_t seed, int sets)
{
    mt_buf bundle = {0}, facts = {0};
    seed_state = seed;
    make_contract(&bundle);
    mt_buf_addz(out, "{\"bundle\":");
    mt_buf_adds(out, mt_buf_str(&bundle));
    mt_buf_addz(out, ",\"facts\":[");
    for (int i = 0; i < sets; i++) {
        mt_buf_clear(&facts);
        flow_facts(&facts);
        mt_buf_addz(out, i ? "," : "");
        mt_json_quote(out, mt_buf_str(&facts));
    }
    mt_buf_addz(out, "]}\n");
    mt_buf_free(&bundle);
    mt_buf_free(&facts);
}

static void with_types(mt_buf *out, uint64_t seed, int sets)
{
    mt_arena a = {0};
    random_contract *c = random_contract_new(&a, seed);
    mt_buf_addz(out, "{\"bundle\":");
    mt_buf_adds(out, random_bundle(c));
    mt_buf_addz(out, ",\"facts\":[");
    for (int i = 0; i < sets; i++) {
        mt_buf_addz(out, i ? "," : "");
        mt_json_quote(out, random_facts(c));
    }
    mt_buf_addz(out, "]}\n");
    mt_arena_free(&a);
}

int main(int count, char **words)
{
    if (count != 4) {
        return 2;
    }
    uint64_t seed = strtoull(words[1], NULL, 10);
    int contracts = atoi(words[2]), sets = atoi(words[3]);
    mt_buf out = {0};
    for (int i = 0; i < contracts; i++) {
        mt_buf_clear(&out);
        (i % 3 == 2 ? with_flows : with_types)(&out, seed + (uint64_t)i, sets);
        fwrite(out.ptr, 1, out.len, stdout);
    }
    mt_buf_free(&out);
    return 0;
}
