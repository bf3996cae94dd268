/* graph/adapter_window.h - the windows an adapter declares: their form and their rules.
 * Room: graph. Internal to it. */
#ifndef GR_ADAPTER_WINDOW_H
#define GR_ADAPTER_WINDOW_H

#include "graph/adapter_check.h"

/* A window as it is written. */
typedef struct gr_window_draft {
    mt_str name, of, take, text;
    const mt_json *over, *lateness, *most, *back, *alpha, *q;
    const mt_str *texts;
    uint32_t text_count;
    uint32_t at;
} gr_window_draft;

extern const mt_form_table GR_WINDOW_TABLE;

/* Takes the drafts over into the adapter, whose keys and events are there already;
 * false: rules WIN-* are broken and reported. */
bool gr_windows_settle(gr_adapter *ad, const gr_window_draft *drafts, uint32_t count,
                       const gr_subject *s);

#endif
