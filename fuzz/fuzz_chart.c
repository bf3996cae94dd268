/* Charts of conversations: traces of agents, divided by NUL, become the same chart each
 * time; a chart says nothing where it says why it cannot be drawn, and no text of a
 * message begins a line of its own. */
#include <stddef.h>
#include <stdint.h>

#include "agent/chart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TRACES = 4 };

static void check_mermaid(mt_str chart)
{
    MT_ASSERT(mt_str_starts(chart, MT_STR("sequenceDiagram\n")));
    for (mt_str rest = chart; rest.len;) {
        size_t end = mt_str_find(rest, '\n');
        MT_ASSERT(end < rest.len && rest.ptr[0] != '%' && rest.ptr[0] != '<');
        rest = mt_str_skip(rest, end + 1);
    }
}

static void check(const mt_str *traces, size_t count, ag_chart_form form)
{
    mt_arena a = {0};
    mt_buf once = {0}, twice = {0};
    mt_str why = {0};
    mt_err err = ag_chart(&a, traces, count, form, &once, &why);
    MT_ASSERT(ag_chart(&a, traces, count, form, &twice, &why) == err);
    MT_ASSERT(mt_str_eq(mt_buf_str(&once), mt_buf_str(&twice)));
    MT_ASSERT(!err || why.len);
    if (!err && form == AG_CHART_MERMAID) {
        check_mermaid(mt_buf_str(&once));
    }
    mt_buf_free(&once);
    mt_buf_free(&twice);
    mt_arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mt_str traces[TRACES], rest = mt_str_from((const char *)data, size);
    size_t count = 0;
    while (rest.len && count < TRACES) {
        traces[count] = mt_str_from(rest.ptr, mt_str_find(rest, '\0'));
        rest = mt_str_skip(rest, traces[count++].len + 1);
    }
    check(traces, count, AG_CHART_MERMAID);
    check(traces, count, AG_CHART_TEXT);
    return 0;
}
