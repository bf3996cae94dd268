/* bench/bench_diff.c - comparing two versions of a large contract.
 * prove.diff_large: two bundles of 1 MB each, from text to the classified diff; one
 * construct in twenty changed, one in fifty removed, as many added, the rest moved. */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/version/diff.h"
#include "bench.h"

enum { BYTES = 1 << 20 };

typedef struct work {
    mt_buf texts[2];
    mt_arena a;
    uint32_t entries;
} work;

static void stop(const char *why)
{
    fprintf(stderr, "bench_diff: %s\n", why);
    exit(1);
}

static void add_operation(mt_buf *out, unsigned i, unsigned version)
{
    bool changed = version && i % 20 == 0;
    mt_buf_addf(out,
                "%s{\"allowed_personas\":[\"buyer\",\"seller\"],\"effects\":[{"
                "\"entity_id\":\"Order%u\",\"from\":\"draft\",\"to\":\"sent\"}],"
                "\"error_contract\":[\"precondition_failed\"],\"id\":\"operation_%u\","
                "\"kind\":\"Operation\",\"outcomes\":[\"done\"],\"precondition\":{"
                "\"left\":{\"verdict_present\":\"approved\"},\"op\":\"and\",\"right\":{"
                "\"left\":{\"fact_ref\":\"amount\"},\"op\":\"<=\",\"right\":{"
                "\"literal\":%u,\"type\":{\"base\":\"Int\",\"max\":%u,\"min\":%u}}}},"
                "\"provenance\":{\"file\":\"large.tenor\",\"line\":%u},\"tenor\":"
                "\"1.0\"}",
                i ? "," : "", i % 50, i, i + changed, i + changed, i + changed,
                i * 8 + version);
}

static void add_version(mt_buf *out, unsigned version)
{
    mt_buf_addz(out, "{\"constructs\":[");
    for (unsigned i = 0; out->len < BYTES; i++) {
        add_operation(out, version && i % 50 == 1 ? i + 1000000 : i, version);
    }
    mt_buf_addz(out, "],\"id\":\"large\",\"kind\":\"Bundle\",\"tenor\":\"1.0\","
                     "\"tenor_version\":\"1.0.0\"}");
}

static void diff_once(work *w)
{
    mt_json trees[2];
    mt_arena_reset(&w->a);
    for (int i = 0; i < 2; i++) {
        if (mt_json_read(&w->a, mt_buf_str(&w->texts[i]), NULL, &trees[i], NULL)) {
            stop("a bundle is no JSON");
        }
    }
    const an_diff *d = an_diff_bundles(&w->a, (an_diff_side){&trees[0], NULL},
                                       (an_diff_side){&trees[1], NULL});
    w->entries = d->entry_count;
    bench_keep(d);
}

static void diff(void *state, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        diff_once(state);
    }
}

int main(void)
{
    work w = {0};
    add_version(&w.texts[0], 0);
    add_version(&w.texts[1], 1);
    diff_once(&w);
    if (w.entries < 150 || w.entries > 500) {
        stop("the versions do not differ as they should");
    }
    bench_report("prove.diff_large", bench_ns(diff, &w) / 1e6, "ms", NULL, 0, 15,
                 BENCH_LOWER);
    mt_buf_free(&w.texts[0]);
    mt_buf_free(&w.texts[1]);
    mt_arena_free(&w.a);
    return 0;
}
