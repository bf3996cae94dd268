/* host/graph_egress_config.c - where intents go, as a file says it.
 *
 * One object: how long an acknowledgement may take, where letters go that nobody takes,
 * channels by their ids, routes by the kinds of intents. A channel's kind has rows of
 * its own behind those that all have. Everything that is wrong is reported at once. The
 * identity (epv1) is the hash of one spelling of it.
 *
 * May fail: MT_E_REJECTED with diagnostics; nothing is started and no file is opened.
 */
#include <stdlib.h>

#include "base/duration.h"
#include "base/yaml_read.h"
#include "graph/adapter.h"
#include "host/graph_egress_internal.h"

typedef struct reading {
    ho_egress *e;
    mt_diags *ds;
    mt_str file, text;
} reading;

#define ACK_MOST_MS ((int64_t)3660 * 24 * 3600 * 1000)
enum {
    ATTEMPTS_MOST = 1000,
    PAUSE_MS = 500, /* before the second attempt; it doubles */
    PAUSE_LONGEST_MS = 60000,
    PAUSE_MOST_MS = 24 * 3600 * 1000
};

typedef struct document {
    uint64_t default_timeout_ms;
    const char *dead_letters;
    const mt_json *channels, *routes;
} document;
static const mt_form_row DOCUMENT[] = {
    MT_FORM_SPAN(document, default_timeout_ms, "default_ack_timeout", 1, ACK_MOST_MS,
                 MT_FORM_REQUIRED),
    MT_FORM_WORD(document, dead_letters, "dead_letters", 0),
    MT_FORM_OBJECT(document, channels, "channels", 0),
    MT_FORM_OBJECT(document, routes, "routes", 0),
};

static const ho_channel_kind *const KINDS[] = {
    &HO_PROCESS_CHANNEL, &HO_COMMAND_CHANNEL, &HO_WEBHOOK_CHANNEL,
    &HO_FILE_CHANNEL,    &HO_STDOUT_CHANNEL,  &HO_NATS_CHANNEL,
};
/* ORDER as KINDS. */
static const char *const TYPES[] = {"process", "command", "webhook", "file",
                                    "stdout",  "nats",    NULL};
_Static_assert(mt_form_count(KINDS) + 1 == mt_form_count(TYPES), "one name per kind");

/* What every channel may say, whatever its kind. */
static const mt_form_row COMMON[] = {
    MT_FORM_NOTE("type"),
    MT_FORM_U32(ho_channel, attempts, "attempts", 1, ATTEMPTS_MOST, 0),
    MT_FORM_SPAN(ho_channel, pause_ms, "pause", 1, PAUSE_MOST_MS, 0),
    MT_FORM_SPAN(ho_channel, pause_most_ms, "pause_most", 1, PAUSE_MOST_MS, 0),
};

typedef struct route_entry {
    mt_str channel;
    uint64_t timeout_ms; /* 0: the default */
} route_entry;
static const mt_form_row ROUTE[] = {
    MT_FORM_TEXT(route_entry, channel, "channel", MT_FORM_REQUIRED),
    MT_FORM_SPAN(route_entry, timeout_ms, "ack_timeout", 1, ACK_MOST_MS,
                 MT_FORM_NULLABLE),
};

/* Texts are copied: a configuration that is refused goes before its diagnostics. */
static void complain(void *state, const mt_form_fault *fault)
{
    reading *r = state;
    mt_diag d = mt_form_diag(fault, "egress.config_invalid", r->file, r->text);
    d.field = mt_str_dup(r->ds->arena, fault->path);
    d.message = mt_str_dup(r->ds->arena, fault->message);
    d.hint = mt_str_dup(r->ds->arena, fault->hint);
    mt_diag_add(r->ds, &d);
}

/* Its kind decides which keys there are. NULL: it has been reported. */
static const ho_channel_kind *read_kind(mt_form *f, const mt_json *node)
{
    static const mt_form_row TYPE = {MT_FORM_KEY("type"), .kind = MT_FORM_K_CHOICE,
                                     .flags = MT_FORM_REQUIRED, .choices = TYPES};
    int type = 0;
    return mt_form_field(f, node, &TYPE, &type) ? KINDS[type] : NULL;
}

static void read_channel(mt_form *f, const mt_json_member *m, ho_channel *out)
{
    mt_form_row rows[16];
    if (!m->key.len) {
        mt_form_say(f, MT_FORM_MISSING, &m->value, "", "needs an id");
    }
    out->kind = read_kind(f, &m->value);
    if (!out->kind) {
        return;
    }
    size_t common = mt_form_count(COMMON), count = common + out->kind->row_count;
    MT_ASSERT(count <= mt_form_count(rows));
    memcpy(rows, COMMON, sizeof COMMON);
    if (out->kind->row_count) {
        memcpy(rows + common, out->kind->rows, out->kind->row_count * sizeof *rows);
    }
    out->attempts = out->kind->attempts;
    out->pause_ms = PAUSE_MS;
    out->pause_most_ms = PAUSE_LONGEST_MS;
    if (mt_form_read(f, &m->value, rows, count, out) && out->kind->check) {
        out->kind->check(out, f, &m->value);
    }
}

static void read_route(mt_form *f, const mt_json_member *m, const ho_egress *e,
                       ho_route *out)
{
    route_entry entry = {0};
    if (!mt_form_read(f, &m->value, ROUTE, mt_form_count(ROUTE), &entry)) {
        return;
    }
    out->own_timeout = entry.timeout_ms > 0;
    out->timeout_ms = out->own_timeout ? entry.timeout_ms : e->default_timeout_ms;
    for (uint32_t i = 0; i < e->channel_count; i++) {
        if (mt_str_eq(e->channels[i].id, entry.channel)) {
            out->channel = i;
            return;
        }
    }
    mt_form_say(f, MT_FORM_OUT_OF_RANGE, &m->value, "channel",
                "must be a declared channel, not `%.*s`", MT_ARG(entry.channel));
}

/* The members of an object, sorted; an absent one has none. */
static const mt_json_member **members_of(ho_egress *e, const mt_json *node,
                                         size_t *count)
{
    *count = node ? node->count : 0;
    const mt_json_member **order =
        mt_new_array(&e->arena, const mt_json_member *, *count + 1);
    if (*count) {
        mt_json_sort(node, order);
    }
    return order;
}

/* A form for one of `channels` or `routes`, which are named by their keys. */
static mt_form form_of(const mt_form *f, mt_str name, const char *what)
{
    return mt_form_inside(f, mt_str_dup(f->arena, name).ptr, what);
}

static void read_channels(mt_form *f, ho_egress *e, const mt_json *channels)
{
    mt_form in = mt_form_inside(f, "channels", "channels");
    size_t count;
    const mt_json_member **order = members_of(e, channels, &count);
    e->channels = mt_new_array(&e->arena, ho_channel, count);
    for (; e->channel_count < count; e->channel_count++) {
        const mt_json_member *m = order[e->channel_count];
        mt_form one = form_of(&in, m->key, "a channel");
        e->channels[e->channel_count].id = mt_str_dup(&e->arena, m->key);
        read_channel(&one, m, &e->channels[e->channel_count]);
    }
}

static void read_routes(mt_form *f, ho_egress *e, const mt_json *routes)
{
    mt_form in = mt_form_inside(f, "routes", "routes");
    size_t count;
    const mt_json_member **order = members_of(e, routes, &count);
    e->routes = mt_new_array(&e->arena, ho_route, count);
    for (; e->route_count < count; e->route_count++) {
        const mt_json_member *m = order[e->route_count];
        mt_form one = form_of(&in, m->key, "a route");
        e->routes[e->route_count].kind = mt_str_dup(&e->arena, m->key);
        read_route(&one, m, e, &e->routes[e->route_count]);
    }
}

static void read_config(reading *r, const mt_json *root)
{
    document found = {0};
    mt_form form = {.arena = &r->e->arena,
                    .what = "an egress configuration",
                    .report = complain,
                    .state = r};
    (void)mt_form_read(&form, root, DOCUMENT, mt_form_count(DOCUMENT), &found);
    r->e->default_timeout_ms = found.default_timeout_ms;
    r->e->dead_letters = found.dead_letters;
    read_channels(&form, r->e, found.channels);
    read_routes(&form, r->e, found.routes);
}

static void print_duration(mt_jw *w, uint64_t ms)
{
    mt_buf text = {0};
    mt_duration_print(&text, ms);
    mt_jw_str(w, mt_buf_str(&text));
    mt_buf_free(&text);
}

static void channel_identity(mt_jw *w, const ho_channel *c)
{
    mt_jw_begin_unsorted(w);
    mt_jw_key_str(w, "type", mt_str_z(c->kind->name));
    c->kind->identity(c, w);
    mt_jw_end_object(w);
}

static void route_identity(mt_jw *w, const ho_egress *e, const ho_route *r)
{
    mt_jw_begin_unsorted(w);
    mt_jw_key_str(w, "channel", e->channels[r->channel].id);
    mt_jw_keyz(w, "ack_timeout");
    if (r->own_timeout) {
        print_duration(w, r->timeout_ms);
    } else {
        mt_jw_null(w);
    }
    mt_jw_end_object(w);
}

/* The identity covers the configuration in one spelling, whatever the file's: where
 * intents go, not how often it is tried. */
static void make_provenance(ho_egress *e)
{
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    mt_jw_begin_unsorted(&w);
    mt_jw_keyz(&w, "default_ack_timeout");
    print_duration(&w, e->default_timeout_ms);
    mt_jw_keyz(&w, "channels");
    mt_jw_begin_unsorted(&w);
    for (size_t i = 0; i < e->channel_count; i++) {
        mt_jw_key(&w, e->channels[i].id);
        channel_identity(&w, &e->channels[i]);
    }
    mt_jw_end_object(&w);
    mt_jw_keyz(&w, "routes");
    mt_jw_begin_unsorted(&w);
    for (size_t i = 0; i < e->route_count; i++) {
        mt_jw_key(&w, e->routes[i].kind);
        route_identity(&w, e, &e->routes[i]);
    }
    mt_jw_end_object(&w);
    mt_jw_end_object(&w);
    e->provenance = gr_egress_provenance(&e->arena, mt_buf_str(&text));
    mt_buf_free(&text);
}

/* Each channel knows the kinds that are routed to it. */
static void tell_kinds(ho_egress *e)
{
    for (uint32_t c = 0; c < e->channel_count; c++) {
        mt_str *kinds = mt_new_array(&e->arena, mt_str, e->route_count);
        size_t count = 0;
        for (size_t i = 0; i < e->route_count; i++) {
            if (e->routes[i].channel == c) {
                kinds[count++] = e->routes[i].kind;
            }
        }
        e->channels[c].kinds = kinds;
        e->channels[c].kind_count = count;
    }
}

mt_err ho_egress_read(mt_str file, mt_str text, mt_diags *ds, ho_egress **out)
{
    size_t before = ds->errors;
    ho_egress *e = mt_xmalloc(sizeof *e);
    *e = (ho_egress){0};
    reading r = {e, ds, file, text};
    mt_json root;
    mt_json_error why;
    if (mt_yaml_read(&e->arena, text, NULL, &root, &why)) {
        mt_json at = {.offset = (uint32_t)why.offset};
        complain(&r, &(mt_form_fault){.wrong = MT_FORM_WRONG_KIND,
                                      .offset = why.offset,
                                      .node = &at,
                                      .path = MT_STR("$"),
                                      .message = mt_str_z(why.message)});
    } else {
        read_config(&r, &root);
    }
    if (ds->errors > before) {
        ho_egress_free(e);
        *out = NULL;
        return MT_E_REJECTED;
    }
    make_provenance(e);
    tell_kinds(e);
    *out = e;
    return MT_OK;
}
