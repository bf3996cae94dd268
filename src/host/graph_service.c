/* host/graph_service.c - a served graph, its memory in the store.
 *
 * An event: lock the head, read what others wrote since, open the next capture when
 * the open one is full or of another graph or other limits, step the host, write what
 * the step became. The host is a reading of the store and is thrown away whenever it
 * may have read something that was not committed.
 *
 * In the store a graph has a head (which capture is open, how many lines, digest of
 * the last), captures, their lines, context values, ids of events by their digest, and
 * intents, which the outbox delivers after the commit.
 *
 * INVARIANT: the head's lock is held from the first read to the commit, so the ids
 * that are looked up and the lines that are read cannot change meanwhile, on any node.
 * INVARIANT: a capture, with what it took over, can be replayed without another one.
 *
 * May fail: the store (the transaction is rolled back by the caller), and lines that
 * are not what a step writes (MT_E_CORRUPT). */
#include <stdlib.h>

#include "host/graph_service_internal.h"
#include "host/graph_windows.h"

ho_source **ho_graph_service_sources(ho_graph_service *g, size_t *count)
{
    *count = g->source_count;
    return g->sources;
}

/* ---- names in the store ---- */

static mt_str capture_id(mt_arena *a, const ho_graph_service *g, int64_t number)
{
    return mt_strf(a, "%.*s.%06lld", MT_ARG(g->lane->history), (long long)number);
}

static mt_str line_id(mt_arena *a, mt_str capture, int64_t number)
{
    return mt_strf(a, "%.*s/%08lld", MT_ARG(capture), (long long)number);
}

/* Its digest, because an id may be longer than a key. */
static mt_str used_id(mt_arena *a, const ho_graph_service *g, mt_str event_id)
{
    mt_str digest = mt_sha256_hex(a, mt_sha256_of(event_id));
    return mt_strf(a, "%.*s/%.*s", MT_ARG(g->name), MT_ARG(digest));
}

/* ---- event ids ---- */

static mt_err was_used(void *state, mt_str event_id, bool *again)
{
    ho_graph_service *g = state;
    st_doc row;
    mt_err err = st_doc_get(g->tx, &g->scratch, MT_STR("graph_event"),
                            used_id(&g->scratch, g, event_id), &row);
    *again = !err;
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* Clocks of two machines differ: an event that was committed at once may seem to have
 * been committed before it was stored. */
enum { SKEW_MS = 5 * 60 * 1000 };

static mt_err was_used_since(void *state, mt_str event_id, gr_time since, bool *again)
{
    ho_graph_service *g = state;
    st_doc row;
    mt_err err = st_doc_get(g->tx, &g->scratch, MT_STR("graph_event"),
                            used_id(&g->scratch, g, event_id), &row);
    int64_t since_ms = (int64_t)since.secs * 1000 + since.nanos / 1000000;
    *again = !err && row.updated_ms + SKEW_MS >= since_ms;
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

static mt_err keep_id(ho_graph_service *g, st_tx *tx, mt_str event_id, mt_str line,
                      int64_t now_ms)
{
    mt_buf_clear(&g->text);
    mt_json_quote(&g->text, line);
    st_doc doc = {.kind = MT_STR("graph_event"),
                  .id = used_id(&g->scratch, g, event_id),
                  .body = mt_buf_str(&g->text),
                  .updated_ms = now_ms};
    /* One head's lock does not keep another node from the same id in another history:
     * there, the row itself must be new. */
    return g->lane == &g->whole ? st_doc_set(tx, &doc) : st_doc_put(tx, &doc);
}

typedef struct noting {
    ho_graph_service *g;
    st_tx *tx;
    int64_t now_ms;
    mt_str capture; /* the last one noted */
    uint32_t captures;
} noting;

static mt_err note_line_id(void *state, const st_doc *row)
{
    noting *n = state;
    mt_arena keep = {0}, tree = {0};
    gr_journal_record r;
    gr_capture_fault fault;
    mt_mark mark = mt_arena_mark(&n->g->scratch);
    mt_err err =
        gr_journal_read(&keep, &tree, mt_str_trim(row->body, MT_STR("\n")), &r, &fault);
    if (!err && r.kind != GR_JOURNAL_STEP) {
        err = MT_E_CORRUPT;
    }
    err = err ? err : keep_id(n->g, n->tx, r.event.id, row->id, n->now_ms);
    mt_arena_rewind(&n->g->scratch, mark);
    mt_arena_free(&keep);
    mt_arena_free(&tree);
    return err;
}

static mt_err note_capture_ids(void *state, const st_doc *row)
{
    noting *n = state;
    st_page all = {.limit = UINT32_MAX};
    n->capture = mt_str_dup(&n->g->scratch, row->id);
    n->captures++;
    return st_doc_walk(n->tx, MT_STR("capture_line"), n->capture, all, note_line_id, n);
}

/* The ids of every event there has been, for a store whose head does not say that they
 * are noted. Noting one twice changes nothing. */
static mt_err note_ids(noting *n, uint32_t captures)
{
    st_page page = {.after = n->capture, .limit = captures};
    n->captures = 0;
    return st_doc_walk(n->tx, MT_STR("capture"), n->g->name, page, note_capture_ids, n);
}

/* ---- the host ---- */

static mt_err new_host(ho_graph_service *g, const gr_capture_carried *carried,
                       mt_diags *ds)
{
    ho_graph_options options = g->options;
    options.context = g->lane->context = ho_context_in_memory();
    options.carried = carried;
    mt_err err = ho_graph_host_new(&options, ds, &g->lane->host);
    if (err) {
        ho_graph_service_forget(g);
    }
    return err;
}

/* What its configuration names was read; a host must be possible. */
static mt_err try_host(ho_graph_service *g, mt_diags *ds)
{
    g->ran = mt_new_array(&g->arena, atomic_ullong, g->files.graph->node_count);
    g->spoke = mt_new_array(&g->arena, atomic_ullong, g->files.graph->node_count);
    g->options.graph = g->files.graph;
    g->options.adapter = g->files.adapter;
    g->options.primitives = g->files.own_used;
    g->options.egress = g->files.egress;
    g->options.hold_intents = true;
    g->options.production = true;
    g->options.ids = (ho_event_ids){g, was_used, was_used_since};
    mt_err err = new_host(g, NULL, ds);
    ho_graph_service_forget(g);
    return err;
}

static mt_err open_service(ho_graph_service *g, const mt_json *config,
                           const mt_limits *limits, const struct ad_gate *gate,
                           mt_buf *why)
{
    mt_arena notes = {0};
    mt_diags ds = {.arena = &notes, .limit = limits->diagnostics};
    mt_err err = ho_graph_service_configure(g, config, limits, &ds, why);
    if (!err && g->files.egress) {
        ho_egress_once(g->files.egress, gate); /* the outbox tries again */
    }
    err = err ? err : try_host(g, &ds);
    for (size_t i = 0; i < ds.len; i++) {
        mt_buf_addf(why, "%s%.*s", i ? "; " : "", MT_ARG(ds.items[i].message));
    }
    mt_arena_free(&notes);
    return err;
}

mt_err ho_graph_service_open(mt_str name, const mt_json *config,
                             const mt_limits *limits, const struct ad_gate *gate,
                             ho_graph_service **out, mt_buf *why)
{
    ho_graph_service *g = mt_xmalloc(sizeof *g);
    *g = (ho_graph_service){0};
    g->name = g->whole.history = mt_str_dup(&g->arena, name);
    g->lane = &g->whole;
    mt_err err =
        open_service(g, config, limits ? limits : &MT_LIMITS_DEFAULT, gate, why);
    if (err) {
        ho_graph_service_close(g);
        g = NULL;
    }
    *out = g;
    return err;
}

static void forget_lane(lane *l)
{
    ho_graph_host_free(l->host);
    if (l->context.free) {
        l->context.free(l->context.state);
    }
    l->host = NULL;
    l->context = (ho_context){0};
}

void ho_graph_service_forget(ho_graph_service *g)
{
    forget_lane(g->lane);
}

/* ---- lanes ---- */

/* Beyond so many, what was read is let go; the store has it. */
enum { LANES_MOST = 1000 };

mt_str ho_graph_service_key(const ho_graph_service *g)
{
    return g->files.adapter ? g->files.adapter->key : (mt_str){0};
}

static void drop_lanes(ho_graph_service *g)
{
    g->lane = &g->whole;
    for (uint32_t i = 0; i < g->lanes.len; i++) {
        forget_lane((lane *)g->lanes.entries[i].value);
    }
    g->lanes = (mt_map){0};
    mt_arena_free(&g->lanes_arena);
}

static lane *new_lane(ho_graph_service *g, mt_str history, mt_str key)
{
    bool added;
    lane *fresh = mt_new(&g->lanes_arena, lane);
    fresh->history = mt_str_dup(&g->lanes_arena, history);
    fresh->key = mt_str_dup(&g->lanes_arena, key);
    mt_map_add(&g->lanes_arena, &g->lanes, fresh->history, &added)->value =
        (uintptr_t)fresh;
    return fresh;
}

static void enter_lane(ho_graph_service *g, mt_str key)
{
    mt_str history = ho_graph_service_history(g, &g->scratch, key);
    const mt_map_entry *known = mt_map_find(&g->lanes, history);
    if (!known && g->lanes.len >= LANES_MOST) {
        drop_lanes(g);
    }
    g->lane = known ? (lane *)known->value : new_lane(g, history, key);
}

void ho_graph_service_close(ho_graph_service *g)
{
    if (!g) {
        return;
    }
    drop_lanes(g);
    forget_lane(&g->whole);
    if (g->files.egress) {
        (void)ho_egress_stop(g->files.egress);
    }
    for (size_t i = 0; i < g->source_count; i++) {
        ho_source_free(g->sources[i]);
    }
    ho_graph_files_free(&g->files);
    mt_arena_free(&g->scratch);
    mt_buf_free(&g->text);
    mt_arena_free(&g->arena);
    free(g);
}

mt_str ho_graph_service_name(const ho_graph_service *g)
{
    return g->name;
}

const gr_graph *ho_graph_service_graph(const ho_graph_service *g)
{
    return g->files.graph;
}

mt_str ho_graph_service_primitives(const ho_graph_service *g)
{
    return g->files.own_used;
}

/* ---- reading what the store knows ---- */

typedef struct head {
    st_doc doc;
    int64_t capture, events;
    mt_str last;                /* digest of the last line */
    bool fresh;                 /* nothing is stored yet */
    bool noted;                 /* the ids of all events are */
    bool opens;                 /* this event begins a capture */
    bool reread;                /* what others wrote was read, rows that lack or not */
    gr_capture_carried carried; /* of the one that it begins */
    mt_str windows;             /* likewise, as JSON; empty: none */
} head;

static mt_err lock_head(ho_graph_service *g, st_tx *tx, head *out)
{
    mt_json body;
    *out = (head){0};
    mt_err err =
        st_doc_lock(tx, &g->scratch, MT_STR("graph"), g->lane->history, &out->doc);
    if (err == MT_E_NOTFOUND) {
        out->fresh = true;
        return MT_OK;
    }
    if (err) {
        return err;
    }
    if (mt_json_read(&g->scratch, out->doc.body, NULL, &body, NULL) ||
        mt_json_i64(mt_json_at(&body, "capture"), &out->capture) ||
        mt_json_i64(mt_json_at(&body, "events"), &out->events)) {
        return MT_E_CORRUPT;
    }
    out->last = mt_json_text(mt_json_at(&body, "last"));
    out->noted = mt_json_at(&body, "ids") != NULL;
    return out->last.len == MT_SHA256_HEX ? MT_OK : MT_E_CORRUPT;
}

static void note_line(ho_graph_service *g, mt_str line)
{
    mt_hex(mt_sha256_of(line).bytes, MT_SHA256_BYTES, g->lane->last);
    g->lane->events++;
}

/* A stored value is {"Number":1.0} and the like: the one member's value is plain. */
static mt_err put_context(void *state, const st_doc *row)
{
    ho_graph_service *g = state;
    mt_arena a = {0};
    mt_json node;
    gr_effect_write write = {.key = mt_str_skip(row->id, g->lane->history.len + 1)};
    mt_err err = mt_json_read(&a, row->body, NULL, &node, NULL);
    if (!err && (node.type != MT_JSON_OBJECT || node.count != 1 ||
                 !gr_value_from_json(&a, &node.as.members[0].value, &write.value))) {
        err = MT_E_CORRUPT;
    }
    err = err ? err : g->lane->context.apply(g->lane->context.state, &write, 1);
    mt_arena_free(&a);
    return err;
}

static mt_err follow_line(void *state, const st_doc *row)
{
    ho_graph_service *g = state;
    mt_arena keep = {0}, tree = {0};
    gr_journal_record r;
    gr_capture_fault fault;
    mt_str line = mt_str_trim(row->body, MT_STR("\n"));
    mt_err err = gr_journal_read(&keep, &tree, line, &r, &fault);
    if (!err && r.kind != GR_JOURNAL_STEP) {
        err = MT_E_CORRUPT;
    }
    err = err ? err : ho_graph_host_follow(g->lane->host, &r.event, &r.decision);
    note_line(g, row->body);
    mt_arena_free(&keep);
    mt_arena_free(&tree);
    return err;
}

static mt_err read_lines(ho_graph_service *g, st_tx *tx)
{
    mt_str capture = capture_id(&g->scratch, g, g->lane->capture);
    st_page page = {.limit = UINT32_MAX};
    if (g->lane->events) {
        page.after = line_id(&g->scratch, capture, g->lane->events - 1);
    }
    return st_doc_walk(tx, MT_STR("capture_line"), capture, page, follow_line, g);
}

/* A host as it was before the first line of the capture. */
static mt_err rebuild(ho_graph_service *g, st_tx *tx, const head *h,
                      const gr_capture_carried *carried)
{
    mt_diags ds = {.arena = &g->scratch, .limit = 10};
    ho_graph_service_forget(g);
    mt_err err = new_host(g, carried, &ds);
    g->lane->capture = h->capture;
    g->lane->events = 0;
    st_page all = {.limit = UINT32_MAX};
    err = err ? err
              : st_doc_walk(tx, MT_STR("graph_context"), g->lane->history, all,
                            put_context, g);
    return err;
}

/* ---- windows: as they were before the first line of the open capture ---- */

static mt_err put_windows(ho_graph_service *g, st_tx *tx, const head *h, int64_t now_ms)
{
    if (!h->windows.len) {
        return MT_OK;
    }
    mt_buf_clear(&g->text);
    mt_buf_addf(&g->text, "{\"capture\":%lld,\"windows\":%.*s}", (long long)h->capture,
                MT_ARG(h->windows));
    return st_doc_set(tx, &(st_doc){.kind = MT_STR("graph_windows"),
                                    .id = g->lane->history,
                                    .tag = g->name,
                                    .body = mt_buf_str(&g->text),
                                    .updated_ms = now_ms});
}

/* None are stored where none were declared when the capture began. */
static mt_err get_windows(ho_graph_service *g, st_tx *tx, const head *h)
{
    ho_windows *w = ho_graph_host_windows(g->lane->host);
    st_doc doc;
    mt_json body;
    int64_t capture;
    mt_err err =
        w ? st_doc_get(tx, &g->scratch, MT_STR("graph_windows"), g->lane->history, &doc)
          : MT_E_NOTFOUND;
    if (err) {
        return err == MT_E_NOTFOUND ? MT_OK : err;
    }
    if (mt_json_read(&g->scratch, doc.body, NULL, &body, NULL) ||
        mt_json_i64(mt_json_at(&body, "capture"), &capture)) {
        return MT_E_CORRUPT;
    }
    if (capture == h->capture) {
        ho_windows_load(w, mt_json_at(&body, "windows"));
    }
    return MT_OK;
}

/* What the host that read the capture before knows, as text. */
static mt_str saved_windows(ho_graph_service *g)
{
    ho_windows *w = g->lane->host ? ho_graph_host_windows(g->lane->host) : NULL;
    if (!w) {
        return (mt_str){0};
    }
    mt_buf_clear(&g->text);
    ho_windows_save(w, &g->text);
    return mt_str_dup(&g->scratch, mt_buf_str(&g->text));
}

/* Reads the open capture's beginning. *same: it is one of this very graph, adapter and
 * limits, so this event belongs into it. */
static mt_err reopen(ho_graph_service *g, st_tx *tx, const head *h, bool *same)
{
    mt_buf journal = {0}, mine = {0};
    gr_capture c;
    gr_capture_fault fault;
    mt_err err =
        ho_graph_journal(g->lane->history, tx, &g->scratch,
                         capture_id(&g->scratch, g, h->capture), false, &journal);
    err = err ? err : gr_capture_read(&g->scratch, mt_buf_str(&journal), &c, &fault);
    err = err ? err : rebuild(g, tx, h, &c.carried);
    err = err ? err : get_windows(g, tx, h);
    if (!err) {
        gr_capture_head now = ho_graph_host_head(g->lane->host);
        gr_journal_head(&mine, &now);
        *same = mt_str_starts(mt_buf_str(&journal), mt_buf_str(&mine));
    }
    mt_buf_free(&journal);
    mt_buf_free(&mine);
    return err;
}

/* ---- writing ---- */

static mt_err put_head(ho_graph_service *g, st_tx *tx, const head *h, int64_t capture,
                       int64_t events, const char *last, int64_t now_ms)
{
    mt_buf_clear(&g->text);
    mt_buf_addf(&g->text,
                "{\"capture\":%lld,\"events\":%lld,\"ids\":true,\"last\":\"%.*s\"}",
                (long long)capture, (long long)events, MT_SHA256_HEX, last);
    return st_doc_put(tx, &(st_doc){.kind = MT_STR("graph"),
                                    .id = g->lane->history,
                                    .body = mt_buf_str(&g->text),
                                    .version = h->fresh ? 0 : h->doc.version + 1,
                                    .updated_ms = now_ms});
}

/* A new capture; it is written with its first event, never alone. The host has read
 * the one before, if there is one. */
static mt_err begin_capture(ho_graph_service *g, st_tx *tx, head *h)
{
    if (!h->fresh) {
        h->carried = ho_graph_host_carry(g->lane->host, &g->scratch);
    }
    h->windows = saved_windows(g);
    h->capture++;
    h->events = 0;
    h->opens = true;
    mt_err err = rebuild(g, tx, h, gr_carries(&h->carried) ? &h->carried : NULL);
    mt_json saved;
    if (!err && h->windows.len && ho_graph_host_windows(g->lane->host) &&
        !mt_json_read(&g->scratch, h->windows, NULL, &saved, NULL)) {
        ho_windows_load(ho_graph_host_windows(g->lane->host), &saved);
    }
    return err;
}

static mt_err put_line(ho_graph_service *g, st_tx *tx, mt_str kind, mt_str capture,
                       int64_t number, int64_t now_ms)
{
    return st_doc_put(tx, &(st_doc){.kind = kind,
                                    .id = line_id(&g->scratch, capture, number),
                                    .tag = capture,
                                    .body = mt_buf_str(&g->text),
                                    .updated_ms = now_ms});
}

static mt_err put_carried(ho_graph_service *g, st_tx *tx, const gr_capture_carried *c,
                          mt_str capture, int64_t now_ms)
{
    static const mt_str KIND = MT_STR_INIT("capture_carried");
    mt_buf_clear(&g->text);
    gr_journal_carried(&g->text, c);
    mt_err err = put_line(g, tx, KIND, capture, 0, now_ms);
    for (size_t i = 0; i < c->waiting_count && !err; i++) {
        mt_buf_clear(&g->text);
        gr_journal_waiting(&g->text, &c->waiting[i]);
        err = put_line(g, tx, KIND, capture, (int64_t)i + 1, now_ms);
    }
    return err;
}

static mt_err put_capture(ho_graph_service *g, st_tx *tx, const head *h, mt_str id,
                          int64_t now_ms)
{
    gr_capture_head first = ho_graph_host_head(g->lane->host);
    mt_buf_clear(&g->text);
    gr_journal_head(&g->text, &first);
    mt_err err = st_doc_put(tx, &(st_doc){.kind = MT_STR("capture"),
                                          .id = id,
                                          .tag = g->lane->history,
                                          .body = mt_buf_str(&g->text),
                                          .updated_ms = now_ms});
    return err || !gr_carries(&h->carried)
               ? err
               : put_carried(g, tx, &h->carried, id, now_ms);
}

/* Is what the host knows the beginning of what the store has? A step whose transaction
 * was rolled back is not, whoever wrote in its place. */
static mt_err has_read(ho_graph_service *g, st_tx *tx, const head *h, bool *yes)
{
    *yes = false;
    if (!g->lane->host || g->lane->capture != h->capture ||
        g->lane->events > h->events) {
        return MT_OK;
    }
    st_doc line;
    char last[MT_SHA256_HEX];
    mt_str mine = mt_str_from(g->lane->last, sizeof g->lane->last);
    if (!g->lane->events || g->lane->events == h->events) {
        *yes = !g->lane->events || mt_str_eq(mine, h->last);
        return MT_OK;
    }
    mt_str capture = capture_id(&g->scratch, g, g->lane->capture);
    mt_err err = st_doc_get(tx, &g->scratch, MT_STR("capture_line"),
                            line_id(&g->scratch, capture, g->lane->events - 1), &line);
    if (!err) {
        mt_hex(mt_sha256_of(line.body).bytes, MT_SHA256_BYTES, last);
        *yes = mt_str_eq(mine, mt_str_from(last, sizeof last));
    }
    return err;
}

/* Before an event of a store that another version wrote to last. */
static mt_err note_if_needed(ho_graph_service *g, st_tx *tx, const head *h,
                             int64_t now_ms)
{
    noting n = {.g = g, .tx = tx, .now_ms = now_ms};
    return h->fresh || h->noted ? MT_OK : note_ids(&n, UINT32_MAX);
}

/* The host has read everything the store has, and a capture is open. */
static mt_err catch_up(ho_graph_service *g, st_tx *tx, int64_t now_ms, head *h)
{
    bool known = false, same = true;
    mt_err err = lock_head(g, tx, h);
    err = err ? err : note_if_needed(g, tx, h, now_ms);
    if (err || h->fresh) {
        return err ? err : begin_capture(g, tx, h);
    }
    err = has_read(g, tx, h, &known);
    if (!err && !known) {
        err = reopen(g, tx, h, &same);
    }
    h->reread = g->lane->events < h->events;
    if (!err && h->reread) {
        err = read_lines(g, tx);
    }
    return err || (same && h->events < HO_CAPTURE_EVENTS) ? err
                                                          : begin_capture(g, tx, h);
}

static mt_err keep_writes(ho_graph_service *g, st_tx *tx, const gr_effect *e,
                          int64_t now_ms)
{
    mt_err err = MT_OK;
    for (uint32_t i = 0; i < e->write_count && !err; i++) {
        mt_buf_clear(&g->text);
        gr_value_json(&g->text, &e->writes[i].value);
        err = st_doc_set(tx, &(st_doc){.kind = MT_STR("graph_context"),
                                       .id = mt_strf(&g->scratch, "%.*s/%.*s",
                                                     MT_ARG(g->lane->history),
                                                     MT_ARG(e->writes[i].key)),
                                       .tag = g->lane->history,
                                       .body = mt_buf_str(&g->text),
                                       .updated_ms = now_ms});
    }
    return err;
}

static mt_err keep_intent(ho_graph_service *g, st_tx *tx, const gr_effect *e,
                          mt_str capture, int64_t now_ms)
{
    if (!e->intent) {
        return MT_OK;
    }
    mt_buf_clear(&g->text);
    mt_jw w = mt_jw_start(&g->text, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "capture", capture);
    mt_jw_keyz(&w, "fields");
    mt_jw_begin_unsorted(&w);
    for (uint32_t i = 0; i < e->intent->field_count; i++) {
        mt_buf value = {0};
        gr_value_plain_json(&value, &e->intent->fields[i].value);
        mt_jw_key(&w, e->intent->fields[i].name);
        mt_jw_raw(&w, mt_buf_str(&value));
        mt_buf_free(&value);
    }
    mt_jw_end_object(&w);
    mt_jw_key_str(&w, "graph", g->name);
    mt_jw_key_str(&w, "intent_id", gr_intent_id(e->intent));
    mt_jw_key_str(&w, "kind", e->intent->kind);
    mt_jw_key_str(&w, "type", MT_STR("intent"));
    mt_jw_end_object(&w);
    mt_str id = mt_strf(&g->scratch, "%.*s/%.*s", MT_ARG(capture),
                        MT_ARG(gr_intent_id(e->intent)));
    return st_trigger_add(tx, &(st_trigger){.id = id,
                                            .status = MT_STR("pending"),
                                            .body = mt_buf_str(&g->text),
                                            .due_ms = now_ms,
                                            .created_ms = now_ms});
}

static mt_err keep_step(ho_graph_service *g, st_tx *tx, const head *h, int64_t now_ms,
                        const ho_graph_done *done)
{
    const ho_graph_step *step = &done->step;
    mt_err err = h->opens ? put_capture(g, tx, h, done->capture, now_ms) : MT_OK;
    err = err || !h->opens ? err : put_windows(g, tx, h, now_ms);
    mt_buf_clear(&g->text);
    gr_journal_step(&g->text, &step->event, &step->decision);
    note_line(g, mt_buf_str(&g->text));
    err = err ? err
              : put_line(g, tx, MT_STR("capture_line"), done->capture, done->number,
                         now_ms);
    if (!err && !step->again) {
        err = keep_id(g, tx, step->event.id,
                      line_id(&g->scratch, done->capture, done->number), now_ms);
    }
    for (size_t i = 0; i < step->decision.effect_count && !err; i++) {
        const gr_effect *e = &step->episode->effects[i];
        err = keep_writes(g, tx, e, now_ms);
        err = err ? err : keep_intent(g, tx, e, done->capture, now_ms);
    }
    return err ? err
               : put_head(g, tx, h, g->lane->capture, g->lane->events, g->lane->last,
                          now_ms);
}

static mt_err refused(ho_graph_service *g, const head *h, ho_graph_done *done)
{
    done->refused = true;
    done->problem = ho_graph_host_problem(g->lane->host);
    done->problem.message = mt_str_dup(&g->scratch, done->problem.message);
    /* The new capture is not written, and a refusal after the supervisor decided
     * leaves it ahead of the journal. */
    if (h->opens || strncmp(done->problem.code, "host.", 5) != 0) {
        ho_graph_service_forget(g);
    }
    return MT_OK;
}

/* Two a node; a step that is rolled back later stays counted. */
static void count_nodes(ho_graph_service *g, const ho_graph_step *step)
{
    const gr_episode *e = step->episode;
    atomic_fetch_add_explicit(&g->seen, 1, memory_order_relaxed);
    for (uint32_t i = 0; e && i < e->ran; i++) {
        const gr_value *said = &e->slots[e->graph->nodes[i].slot];
        bool spoke = said->type == GR_EVENT && said->as.event != GR_NOT_EMITTED &&
                     said->as.event != GR_SKIPPED;
        atomic_fetch_add_explicit(&g->ran[i], 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&g->spoke[i], spoke, memory_order_relaxed);
    }
}

ho_node_count ho_graph_service_count(const ho_graph_service *g, uint32_t node)
{
    const gr_manifest *m = &g->files.graph->nodes[node].primitive->manifest;
    return (ho_node_count){atomic_load_explicit(&g->ran[node], memory_order_relaxed),
                           atomic_load_explicit(&g->spoke[node], memory_order_relaxed),
                           m->output_count && m->outputs[0].type == GR_EVENT};
}

uint64_t ho_graph_service_seen(const ho_graph_service *g)
{
    return atomic_load_explicit(&g->seen, memory_order_relaxed);
}

/* Whose event it is. True: nobody's, and it is refused. */
static bool lacks_key(ho_graph_service *g, const ho_graph_event *event,
                      ho_graph_done *done)
{
    mt_str name = ho_graph_service_key(g), key;
    if (!name.len) {
        return false;
    }
    if (!ho_graph_key_of(event->payload, name, &key)) {
        done->refused = true;
        done->problem = (ho_graph_problem){
            "host.missing_key",
            mt_strf(&g->scratch, "the event has no '%.*s', text of 1 to 1000 bytes",
                    MT_ARG(name))};
        return true;
    }
    enter_lane(g, key);
    return false;
}

bool ho_graph_service_pumps(const ho_graph_service *g)
{
    return g->pumps;
}

/* The host has read what the store has. */
static mt_err step_event(ho_graph_service *g, st_tx *tx, int64_t now_ms, const head *h,
                         const ho_graph_event *event, ho_graph_done *done)
{
    int64_t due = ho_lane_due(g);
    g->tx = tx;
    mt_err err = ho_graph_host_step(g->lane->host, event, &done->step);
    g->tx = NULL;
    if (err) {
        return err == MT_E_REJECTED ? refused(g, h, done) : err;
    }
    count_nodes(g, &done->step);
    done->capture = capture_id(&g->scratch, g, g->lane->capture);
    done->number = g->lane->events;
    err = keep_step(g, tx, h, now_ms, done);
    return err ? err : ho_lane_due_changed(g, tx, due, h->reread, now_ms);
}

mt_err ho_graph_service_event(ho_graph_service *g, st_tx *tx, int64_t now_ms,
                              const ho_graph_event *event, ho_graph_done *done)
{
    head h;
    *done = (ho_graph_done){0};
    mt_arena_reset(&g->scratch); /* histories keep their names elsewhere */
    if (lacks_key(g, event, done)) {
        return MT_OK;
    }
    mt_err err = catch_up(g, tx, now_ms, &h);
    return err ? err : step_event(g, tx, now_ms, &h, event, done);
}

/* ---- pumps of the host's own ---- */

/* Episodes are counted anew in each capture, and ids are used once in the graph. The
 * payload says whose history it is. */
static void name_pump(ho_graph_service *g, ho_graph_event *pump)
{
    mt_str key = g->lane->key;
    mt_str id = mt_strf(&g->scratch, "%.*s:%lld", MT_ARG(pump->id),
                        (long long)g->lane->capture);
    pump->id = ho_graph_pump_name(&g->scratch, id, key);
    pump->payload =
        key.len ? ho_graph_key_payload(&g->scratch, ho_graph_service_key(g), key)
                : NULL;
}

/* Somebody else was faster, or the row was wrong. */
static mt_err nothing_due(ho_graph_service *g, const head *h, ho_graph_done *done)
{
    done->refused = true;
    done->problem = (ho_graph_problem){"host.nothing_due", MT_STR("nothing is due")};
    if (h && h->opens) {
        ho_graph_service_forget(g); /* the new capture is not written */
    }
    return MT_OK;
}

mt_err ho_graph_service_pump(ho_graph_service *g, st_tx *tx, int64_t now_ms, mt_str row,
                             ho_graph_done *done)
{
    head h;
    ho_graph_event pump;
    mt_str key;
    *done = (ho_graph_done){0};
    mt_arena_reset(&g->scratch);
    mt_err err = ho_due_key(g, tx, row, &key);
    if (err) {
        return err == MT_E_NOTFOUND ? nothing_due(g, NULL, done) : err;
    }
    if (key.len) {
        enter_lane(g, key);
    }
    err = catch_up(g, tx, now_ms, &h);
    err = err ? err : ho_lane_due_mend(g, tx, row, now_ms);
    if (err) {
        return err;
    }
    if (!ho_graph_host_due(g->lane->host, HO_DUE_AT, gr_time_of_ms((uint64_t)now_ms),
                           &pump)) {
        return nothing_due(g, &h, done);
    }
    name_pump(g, &pump);
    return step_event(g, tx, now_ms, &h, &pump, done);
}

/* ---- a store of an older version ---- */

/* One transaction: `captures` more of them, or the rest and that they are noted. */
static mt_err prepare_some(noting *n, bool *ready)
{
    head h;
    char last[MT_SHA256_HEX];
    enum { CAPTURES = 1 };
    mt_arena_reset(&n->g->scratch);
    mt_str so_far = n->capture;
    mt_err err = lock_head(n->g, n->tx, &h);
    *ready = !err && (h.fresh || h.noted);
    if (err || *ready) {
        return err;
    }
    n->capture = so_far;
    err = note_ids(n, CAPTURES);
    if (err || n->captures == CAPTURES) {
        return err;
    }
    *ready = true;
    memcpy(last, h.last.ptr, sizeof last);
    /* The open one again: between two transactions it may have grown. */
    st_doc open = {.id = capture_id(&n->g->scratch, n->g, h.capture)};
    err = note_capture_ids(n, &open);
    return err ? err : put_head(n->g, n->tx, &h, h.capture, h.events, last, n->now_ms);
}

static mt_err prepare_ids(ho_graph_service *g, st_store *store, int64_t now_ms)
{
    mt_arena mine = {0};
    noting n = {.g = g, .now_ms = now_ms};
    bool ready = ho_graph_service_key(g).len > 0; /* no older version had them */
    mt_err err = MT_OK;
    while (!err && !ready) {
        err = st_begin(store, ST_WRITE, &n.tx);
        if (err) {
            break;
        }
        err = prepare_some(&n, &ready);
        n.capture = mt_str_dup(&mine, n.capture);
        if (err) {
            st_rollback(n.tx);
        } else {
            err = st_commit(n.tx);
        }
    }
    mt_arena_free(&mine);
    return err;
}

/* Histories whose rows of graph_due are missing, some at a time. */
enum { DUES = 100 };
typedef struct dues {
    ho_graph_service *g;
    st_tx *tx;
    int64_t now_ms;
    mt_arena arena; /* one transaction */
    mt_str keys[DUES];
    size_t count;
    mt_buf last; /* history */
} dues;

static mt_err take_key(void *state, mt_str history, mt_str key, mt_str capture)
{
    dues *d = state;
    (void)capture;
    mt_buf_clear(&d->last);
    mt_buf_adds(&d->last, history);
    d->keys[d->count++] = mt_str_dup(&d->arena, key);
    return MT_OK;
}

/* What is damaged does not keep the others from being served; who asks for it is told,
 * and a row comes with the next event that it takes. */
static mt_err note_due(dues *d, mt_str key)
{
    head h;
    mt_arena_reset(&d->g->scratch);
    if (ho_graph_service_key(d->g).len) {
        if (!key.len) {
            return MT_OK; /* of another key of the adapter, or damaged */
        }
        enter_lane(d->g, key);
    }
    mt_err err = catch_up(d->g, d->tx, d->now_ms, &h);
    err = err ? err : ho_lane_due_changed(d->g, d->tx, HO_NEVER_DUE, false, d->now_ms);
    if (!err && h.opens) {
        ho_graph_service_forget(d->g); /* the new capture is not written */
    }
    if (err == MT_E_CORRUPT) {
        ho_graph_service_forget(d->g);
        err = MT_OK;
    }
    return err;
}

/* One transaction: some more of them, or the rest and that they are noted. */
static mt_err note_some_dues(dues *d, bool *ready)
{
    ho_graph_service *g = d->g;
    static const mt_str KIND = MT_STR_INIT("graph_dues");
    st_page page = {.after = mt_buf_str(&d->last), .limit = DUES};
    st_doc marker;
    d->count = 0;
    mt_err err = st_doc_get(d->tx, &d->arena, KIND, g->name, &marker);
    *ready = !err;
    if (err != MT_E_NOTFOUND) {
        return err;
    }
    err = ho_graph_service_key(g).len
              ? ho_graph_service_whole_keys(g, d->tx, page, take_key, d)
              : take_key(d, g->name, (mt_str){0}, (mt_str){0});
    for (size_t i = 0; i < d->count && !err; i++) {
        err = note_due(d, d->keys[i]);
    }
    *ready = d->count < DUES;
    return err || !*ready ? err
                          : st_doc_set(d->tx, &(st_doc){.kind = KIND,
                                                        .id = g->name,
                                                        .body = MT_STR("true"),
                                                        .updated_ms = d->now_ms});
}

static mt_err prepare_dues(ho_graph_service *g, st_store *store, int64_t now_ms)
{
    dues d = {.g = g, .now_ms = now_ms};
    bool ready = !g->pumps;
    mt_err err = MT_OK;
    while (!err && !ready && !(err = st_begin(store, ST_WRITE, &d.tx))) {
        err = note_some_dues(&d, &ready);
        if (err) {
            st_rollback(d.tx);
        } else {
            err = st_commit(d.tx);
        }
        mt_arena_reset(&d.arena);
    }
    mt_arena_free(&d.arena);
    mt_buf_free(&d.last);
    return err;
}

mt_err ho_graph_service_prepare(ho_graph_service *g, st_store *store, int64_t now_ms)
{
    mt_err err = prepare_ids(g, store, now_ms);
    return err ? err : prepare_dues(g, store, now_ms);
}

/* ---- intents ---- */

mt_err ho_graph_service_deliver(ho_graph_service *g, const mt_json *body, mt_buf *ack,
                                mt_buf *why)
{
    mt_arena a = {0};
    const mt_json *fields = mt_json_at(body, "fields");
    mt_str id = mt_json_text(mt_json_at(body, "intent_id"));
    gr_intent intent = {.kind = mt_json_text(mt_json_at(body, "kind"))};
    gr_capture_ack got;
    if (!g->files.egress || !ho_egress_routes(g->files.egress, intent.kind) ||
        id.len != GR_INTENT_ID_LEN || !mt_json_is(fields, MT_JSON_OBJECT)) {
        mt_buf_addf(why, "no channel takes the intent '%.*s'", MT_ARG(intent.kind));
        return MT_E_REJECTED;
    }
    memcpy(intent.id, id.ptr, GR_INTENT_ID_LEN);
    gr_effect_field *list = mt_new_array(&a, gr_effect_field, fields->count);
    mt_err err = MT_OK;
    for (uint32_t i = 0; i < fields->count && !err; i++) {
        list[i].name = fields->as.members[i].key;
        err = gr_value_from_json(&a, &fields->as.members[i].value, &list[i].value)
                  ? MT_OK
                  : MT_E_REJECTED;
    }
    intent.fields = list;
    intent.field_count = fields->count;
    err = err ? err : ho_egress_start(g->files.egress);
    err = err ? err : ho_egress_send(g->files.egress, &a, &intent, &got);
    if (err) {
        ho_egress_problem p = ho_egress_last_problem(g->files.egress);
        mt_buf_adds(why, p.message);
        err = err == MT_E_REJECTED || p.refused ? MT_E_REJECTED : MT_E_CLOSED;
    } else {
        mt_jw w = mt_jw_start(ack, false);
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "acceptance", got.acceptance);
        mt_jw_key_str(&w, "channel", got.channel);
        if (got.egress_ref.ptr) {
            mt_jw_key_str(&w, "egress_ref", got.egress_ref);
        }
        mt_jw_key_str(&w, "intent_id", id);
        mt_jw_key_str(&w, "status", got.status);
        mt_jw_end_object(&w);
    }
    mt_arena_free(&a);
    return err;
}
