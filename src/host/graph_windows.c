/* host/graph_windows.c - the windows of an adapter, kept by the host.
 * Room: host. An event is added to every window and then each says its value, in the
 * order of their declarations; the values join the payload under their names.
 * Windows that compare texts have no memory and are not saved.
 * INVARIANT: the same events in the same order give the same values, bit for bit,
 * also when the run was interrupted: what is saved is enough to go on. A window that
 * was declared otherwise when it was saved begins anew, and so does one whose state
 * cannot be read. Nothing here can fail. */
#include "host/graph_windows.h"

#include <stdlib.h>

#include "base/number.h"

struct ho_windows {
    const gr_adapter *adapter;
    gr_window **windows; /* per declaration; NULL: it compares texts */
};

ho_windows *ho_windows_new(const gr_adapter *adapter)
{
    if (!adapter || !adapter->window_count) {
        return NULL;
    }
    ho_windows *w = mt_xmalloc(sizeof *w);
    *w = (ho_windows){
        adapter, mt_xmalloc(mt_array_bytes(adapter->window_count, sizeof *w->windows))};
    for (uint32_t i = 0; i < adapter->window_count; i++) {
        const gr_window_decl *d = &adapter->windows[i];
        w->windows[i] = gr_take_type(d->take) == GR_BOOL ? NULL : gr_window_new(d);
    }
    return w;
}

void ho_windows_free(ho_windows *w)
{
    if (w) {
        for (uint32_t i = 0; i < w->adapter->window_count; i++) {
            gr_window_free(w->windows[i]);
        }
        free(w->windows);
        free(w);
    }
}

static bool number_of(const mt_json *node, double *out)
{
    return mt_json_is(node, MT_JSON_NUMBER) &&
           !mt_number_parse(mt_json_text(node), out);
}

/* What window i says at this event; false: nothing. */
static bool member_of(ho_windows *w, mt_arena *a, uint32_t i, gr_time at,
                      const mt_json *payload, mt_json_member *out)
{
    const gr_window_decl *d = &w->adapter->windows[i];
    const mt_json *of = d->of.len ? mt_json_get(payload, d->of) : NULL;
    /* A window of no field counts events: each is worth one. */
    double x = 1;
    out->key = d->name;
    if (!w->windows[i]) {
        bool is = mt_json_is(of, MT_JSON_STRING) && gr_window_text(d, mt_json_text(of));
        out->value = (mt_json){.type = MT_JSON_BOOL, .boolean = is};
        return true;
    }
    bool there = !d->of.len || number_of(of, &x);
    /* Also without a value: time went on, and what is too old has to leave. */
    gr_window_add(w->windows[i], at, there ? &x : NULL);
    if (!gr_window_value(w->windows[i], &x)) {
        return false;
    }
    char *text = mt_alloc(a, MT_NUMBER_TEXT);
    size_t len = mt_number_print(x, text);
    out->value =
        (mt_json){.type = MT_JSON_NUMBER, .count = (uint32_t)len, .as.text = text};
    return true;
}

mt_json ho_windows_apply(ho_windows *w, mt_arena *a, gr_time at, const mt_json *payload)
{
    uint32_t count = payload->count, most = count + w->adapter->window_count;
    mt_json_member *members = mt_new_array(a, mt_json_member, most);
    if (count) {
        memcpy(members, payload->as.members, count * sizeof *members);
    }
    for (uint32_t i = 0; i < w->adapter->window_count; i++) {
        count += member_of(w, a, i, at, payload, &members[count]);
    }
    mt_sort_by(members, count, key);
    return (mt_json){.type = MT_JSON_OBJECT, .count = count, .as.members = members};
}

mt_json ho_windows_strip(const ho_windows *w, mt_arena *a, const mt_json *payload)
{
    mt_json out = {.type = MT_JSON_OBJECT};
    mt_json_member *members = mt_new_array(a, mt_json_member, payload->count);
    for (uint32_t i = 0; i < payload->count; i++) {
        if (!gr_adapter_window(w->adapter, payload->as.members[i].key)) {
            members[out.count++] = payload->as.members[i];
        }
    }
    out.as.members = members;
    return out;
}

/* ---- saved ---- */

/* What a window is, as text: a saved one fits only the same. */
static void add_kind(mt_buf *out, const gr_window_decl *d)
{
    /* %a, so that two numbers are the same text only when they are the same number. */
    mt_buf_addf(out, "%s %.*s %u %llu %llu %u %u %a %a", gr_take_name(d->take),
                MT_ARG(d->of), d->events, (unsigned long long)d->span_ms,
                (unsigned long long)d->lateness_ms, d->most, d->back, d->alpha, d->q);
}

void ho_windows_save(const ho_windows *w, mt_buf *out)
{
    mt_buf kind = {0};
    mt_jw j = mt_jw_start(out, false);
    mt_jw_begin_unsorted(&j);
    for (uint32_t i = 0; i < w->adapter->window_count; i++) {
        if (!w->windows[i]) {
            continue;
        }
        mt_buf_clear(&kind);
        add_kind(&kind, &w->adapter->windows[i]);
        mt_jw_key(&j, w->adapter->windows[i].name);
        mt_jw_begin_object(&j);
        mt_jw_key_str(&j, "kind", mt_buf_str(&kind));
        mt_jw_keyz(&j, "state");
        gr_window_save(w->windows[i], &j);
        mt_jw_end_object(&j);
    }
    mt_jw_end_object(&j);
    mt_buf_free(&kind);
}

void ho_windows_load(ho_windows *w, const mt_json *saved)
{
    mt_buf kind = {0};
    for (uint32_t i = 0; i < w->adapter->window_count; i++) {
        const gr_window_decl *d = &w->adapter->windows[i];
        const mt_json *one = w->windows[i] ? mt_json_get(saved, d->name) : NULL;
        mt_buf_clear(&kind);
        add_kind(&kind, d);
        if (one &&
            mt_str_eq(mt_json_text(mt_json_at(one, "kind")), mt_buf_str(&kind)) &&
            !gr_window_load(w->windows[i], mt_json_at(one, "state"))) {
            gr_window_free(w->windows[i]); /* half read */
            w->windows[i] = gr_window_new(d);
        }
    }
    mt_buf_free(&kind);
}
