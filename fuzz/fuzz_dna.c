/* fuzz/fuzz_dna.c - DNA documents: whatever is read is written canonically, reads back
 * the same, has no difference from itself and merges with itself; harness lines always
 * get an answer. */
#include <stddef.h>
#include <stdint.h>

#include "agent/dna.h"
#include "agent/harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_dna(mt_arena *a, mt_str text, ag_agent *out)
{
    mt_json *tree = mt_new(a, mt_json);
    mt_diags ds = {.arena = a};
    return !mt_json_read(a, text, NULL, tree, NULL) &&
           !ag_dna_read(a, MT_STR("fuzz"), text, tree, &ds, out);
}

static void check_dna(mt_arena *a, mt_str text)
{
    ag_agent agent, again, merged;
    mt_buf once = {0}, twice = {0};
    ag_dna_changes changes;
    mt_str why;
    if (!read_dna(a, text, &agent)) {
        return;
    }
    ag_dna_write(a, &agent, AG_DNA_PROFILE, &once);
    ag_dna_write(a, &agent, AG_DNA_SDK, &twice);
    mt_buf_clear(&twice);
    if (agent.mode == AG_PROFILE) {
        MT_ASSERT(read_dna(a, mt_buf_str(&once), &again));
        ag_dna_write(a, &again, AG_DNA_PROFILE, &twice);
        MT_ASSERT(mt_str_eq(mt_buf_str(&once), mt_buf_str(&twice)));
    }
    ag_dna_diff(a, &agent, &agent, &changes);
    MT_ASSERT(changes.len == 0);
    ag_dna_merge(a, (ag_agent[]){agent, agent}, 2, &merged, &why);
    mt_buf_free(&once);
    mt_buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_arena a = {0};
    mt_buf out = {0};
    mt_str text = mt_str_from((const char *)data, size);
    check_dna(&a, text);
    ag_harness_line(AG_COMPAT, text, &out);
    MT_ASSERT(out.len && out.ptr[out.len - 1] == '\n');
    ag_harness_line(AG_PROFILE, text, &out);
    mt_buf_free(&out);
    mt_arena_free(&a);
    return 0;
}
