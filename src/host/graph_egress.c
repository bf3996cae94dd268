/* host/graph_egress.c - channels: child processes that take a graph's intents.
 *
 * The configuration says which channel takes which kind of intent and how long its
 * acknowledgement may take; read and checked once, hashed in one spelling as the
 * egress provenance. Channels are started before the first intent and must say `ready`
 * with the kinds they take.
 *
 * ho_egress_send() writes one intent as a line and waits for its acknowledgement;
 * intents are never sent side by side, so what was acknowledged is always known. The
 * first thing that goes wrong (a dead channel, another answer, a timeout) kills all
 * channels and is kept as the problem with its code; the run ends there.
 *
 * ho_egress_stop() asks each channel to end, demands silence and an exit status of 0.
 * Secrets: a channel's standard error is shown only in a problem. */
#include "host/graph_egress.h"

#include <errno.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/form.h"
#include "base/json_write.h"
#include "base/yaml_read.h"
#include "graph/adapter.h"
#include "os/process.h"

/* READY_MS: an interpreter may have to start. STRAY_MS: what a channel said without
 * being asked is in the pipe already. The others: a channel that does its work is
 * done in far less. */
enum { READY_MS = 5000, END_MS = 5000, STRAY_MS = 20, WRITE_MS = 5000 };

#define PROTOCOL "ergo-egress.v1"

typedef struct channel {
    mt_str id;
    const char **argv; /* ends with NULL */
    size_t argc;
    os_child *child; /* NULL: not running */
} channel;

typedef struct route {
    mt_str kind;
    uint32_t channel;
    uint64_t timeout_ms; /* of this route, or the default */
    bool own_timeout;
} route;

struct ho_egress {
    mt_arena arena; /* configuration */
    channel *channels;
    route *routes;
    size_t channel_count, route_count;
    uint64_t default_timeout_ms;
    mt_str provenance;
    bool running;
    mt_buf line;
    mt_arena problem_arena;
    ho_egress_problem problem;
};

/* ---- configuration ---- */

typedef struct reading {
    ho_egress *e;
    mt_diags *ds;
    mt_str file, text;
} reading;

enum { MOST_WORDS = 4096 };
/* Ten years, as for windows: no timer overflows, and nobody means more. */
#define ACK_MOST_MS ((int64_t)3660 * 24 * 3600 * 1000)

typedef struct document {
    uint64_t default_timeout_ms;
    const mt_json *channels, *routes;
} document;
static const mt_form_row DOCUMENT[] = {
    MT_FORM_SPAN(document, default_timeout_ms, "default_ack_timeout", 1, ACK_MOST_MS,
                 MT_FORM_REQUIRED),
    MT_FORM_OBJECT(document, channels, "channels", 0),
    MT_FORM_OBJECT(document, routes, "routes", 0),
};

typedef struct channel_entry {
    int type;
    mt_form_words command;
} channel_entry;
static const char *const TYPES[] = {"process", NULL};
static const mt_form_row CHANNEL[] = {
    MT_FORM_CHOICE(channel_entry, type, "type", TYPES, MT_FORM_REQUIRED),
    MT_FORM_WORDS(channel_entry, command, "command", 1, MOST_WORDS, MT_FORM_REQUIRED),
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

static bool is_blank(const char *word)
{
    return word[strspn(word, " \t")] == '\0';
}

static void read_channel(mt_form *f, const mt_json_member *m, channel *out)
{
    channel_entry entry = {0};
    if (!m->key.len) {
        mt_form_say(f, MT_FORM_MISSING, &m->value, "", "needs an id");
    }
    if (!mt_form_read(f, &m->value, CHANNEL, mt_form_count(CHANNEL), &entry)) {
        return;
    }
    if (is_blank(entry.command.items[0])) {
        mt_form_say(f, MT_FORM_OUT_OF_RANGE, &m->value, "command",
                    "must begin with a program");
    }
    out->argv = entry.command.items;
    out->argc = entry.command.count;
}

static void read_route(mt_form *f, const mt_json_member *m, const ho_egress *e,
                       route *out)
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
    e->channels = mt_new_array(&e->arena, channel, count);
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
    e->routes = mt_new_array(&e->arena, route, count);
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
    /* Channels and routes are read after a fault as well, so that one run tells all. */
    (void)mt_form_read(&form, root, DOCUMENT, mt_form_count(DOCUMENT), &found);
    r->e->default_timeout_ms = found.default_timeout_ms;
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

/* The identity covers the configuration in one spelling, whatever the file's. */
static void make_provenance(ho_egress *e)
{
    mt_buf text = {0};
    mt_jw w = mt_jw_start(&text, false);
    mt_jw_begin_unsorted(&w);
    /* ORDER: these keys are not in byte order and never will be: other bytes are
     * another fingerprint, and captures have the old one. */
    mt_jw_keyz(&w, "default_ack_timeout");
    print_duration(&w, e->default_timeout_ms);
    mt_jw_keyz(&w, "channels");
    mt_jw_begin_unsorted(&w);
    for (size_t i = 0; i < e->channel_count; i++) {
        mt_jw_key(&w, e->channels[i].id);
        mt_jw_begin_unsorted(&w);
        mt_jw_key_str(&w, "type", MT_STR("process"));
        mt_jw_keyz(&w, "command");
        mt_jw_begin_array(&w);
        for (size_t n = 0; n < e->channels[i].argc; n++) {
            mt_jw_str(&w, mt_str_z(e->channels[i].argv[n]));
        }
        mt_jw_end_array(&w);
        mt_jw_end_object(&w);
    }
    mt_jw_end_object(&w);
    mt_jw_keyz(&w, "routes");
    mt_jw_begin_unsorted(&w);
    for (size_t i = 0; i < e->route_count; i++) {
        mt_jw_key(&w, e->routes[i].kind);
        mt_jw_begin_unsorted(&w);
        mt_jw_key_str(&w, "channel", e->channels[e->routes[i].channel].id);
        mt_jw_keyz(&w, "ack_timeout");
        if (e->routes[i].own_timeout) {
            print_duration(&w, e->routes[i].timeout_ms);
        } else {
            mt_jw_null(&w);
        }
        mt_jw_end_object(&w);
    }
    mt_jw_end_object(&w);
    mt_jw_end_object(&w);
    e->provenance = gr_egress_provenance(&e->arena, mt_buf_str(&text));
    mt_buf_free(&text);
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
    *out = e;
    return MT_OK;
}

mt_str ho_egress_provenance(const ho_egress *e)
{
    return e->provenance;
}

static const route *find_route(const ho_egress *e, mt_str kind)
{
    for (size_t i = 0; i < e->route_count; i++) {
        if (mt_str_eq(e->routes[i].kind, kind)) {
            return &e->routes[i];
        }
    }
    return NULL;
}

bool ho_egress_routes(const ho_egress *e, mt_str kind)
{
    return find_route(e, kind) != NULL;
}

size_t ho_egress_route_count(const ho_egress *e)
{
    return e->route_count;
}

mt_str ho_egress_route_at(const ho_egress *e, size_t index)
{
    return e->routes[index].kind;
}

/* ---- running ---- */

static void kill_all(ho_egress *e)
{
    for (size_t i = 0; i < e->channel_count; i++) {
        os_child_free(e->channels[i].child);
        e->channels[i].child = NULL;
    }
    e->running = false;
}

/* Notes what went wrong and kills every channel. */
static mt_err break_down(ho_egress *e, const channel *c, const char *code,
                         mt_str intent_id, const char *what)
{
    mt_str last = c->child ? os_child_complaint(c->child) : (mt_str){0};
    mt_arena *a = &e->problem_arena;
    mt_arena_reset(a);
    e->problem = (ho_egress_problem){
        .code = code,
        .channel = c->id,
        .intent_id = mt_str_dup(a, intent_id),
        .message = mt_strf(a, "channel '%.*s' %s", MT_ARG(c->id), what),
        .said = mt_str_dup(a, last),
    };
    kill_all(e);
    return MT_E_CLOSED;
}

/* The next line as an object, within `ms`. NULL and the problem noted otherwise. */
static mt_err read_frame(ho_egress *e, channel *c, mt_arena *a, uint64_t ms,
                         mt_str intent_id, mt_json *out)
{
    mt_str line;
    /* A wait counts milliseconds in an int: 24 days at most. */
    int timeout = ms > INT32_MAX ? INT32_MAX : (int)ms;
    mt_err err = os_child_read_line(c->child, timeout, &line);
    if (err == MT_E_TIMEOUT) {
        return break_down(e, c, "egress_ack_timeout", intent_id,
                          "did not answer in time");
    }
    if (err == MT_E_LIMIT) {
        return break_down(e, c, "egress_protocol_violation", intent_id,
                          "sent a line that is too long");
    }
    if (err) {
        return break_down(e, c, "egress_io", intent_id, "ended");
    }
    if (mt_json_read(a, mt_str_dup(a, line), NULL, out, NULL) ||
        out->type != MT_JSON_OBJECT) {
        return break_down(e, c, "egress_protocol_violation", intent_id,
                          "sent a line that is not a JSON object");
    }
    return MT_OK;
}

static bool listed(const mt_json *list, mt_str kind)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (mt_str_eq(mt_json_text(&list->as.items[i]), kind)) {
            return true;
        }
    }
    return false;
}

static const char *ready_fault(const ho_egress *e, uint32_t index, const mt_json *frame)
{
    const mt_json *kinds = mt_json_at(frame, "handled_kinds");
    if (!mt_str_is(mt_json_text(mt_json_at(frame, "type")), "ready") ||
        !mt_str_is(mt_json_text(mt_json_at(frame, "protocol")), PROTOCOL) ||
        !mt_json_is(kinds, MT_JSON_ARRAY)) {
        return "did not say ready in protocol " PROTOCOL;
    }
    for (uint32_t i = 0; i < kinds->count; i++) {
        /* The kinds before this one, as a list that borrows. */
        mt_json rest = {.type = MT_JSON_ARRAY, .count = i, .as.items = kinds->as.items};
        if (listed(&rest, mt_json_text(&kinds->as.items[i]))) {
            return "names a kind twice";
        }
    }
    for (size_t i = 0; i < e->route_count; i++) {
        if (e->routes[i].channel == index && !listed(kinds, e->routes[i].kind)) {
            return "does not handle a kind that is routed to it";
        }
    }
    return NULL;
}

static mt_err start_channel(ho_egress *e, uint32_t index)
{
    channel *c = &e->channels[index];
    mt_arena scratch = {0};
    mt_json frame;
    os_child_options o = {.argv = c->argv, .wants_stdin = true};
    if (os_child_start(&o, &c->child)) {
        return break_down(e, c, "egress_io", MT_STR(""), strerror(errno));
    }
    mt_err err = read_frame(e, c, &scratch, READY_MS, MT_STR(""), &frame);
    const char *fault = err ? NULL : ready_fault(e, index, &frame);
    if (fault) {
        err = break_down(e, c, "egress_protocol_violation", MT_STR(""), fault);
    }
    mt_arena_free(&scratch);
    return err;
}

mt_err ho_egress_start(ho_egress *e)
{
    mt_err err = MT_OK;
    if (e->running) {
        return MT_OK;
    }
    for (uint32_t i = 0; i < e->channel_count && !err; i++) {
        err = start_channel(e, i);
    }
    e->running = !err;
    return err;
}

static mt_str intent_line(ho_egress *e, mt_arena *a, const gr_intent *intent)
{
    gr_effect_field *fields = mt_new_array(a, gr_effect_field, intent->field_count);
    for (uint32_t i = 0; i < intent->field_count; i++) {
        fields[i] = intent->fields[i];
    }
    mt_sort_by(fields, intent->field_count, name);
    mt_buf_clear(&e->line);
    mt_buf_addz(&e->line, "{\"type\":\"intent\",\"intent_id\":");
    mt_json_quote(&e->line, gr_intent_id(intent));
    mt_buf_addz(&e->line, ",\"kind\":");
    mt_json_quote(&e->line, intent->kind);
    mt_buf_addz(&e->line, ",\"fields\":{");
    for (uint32_t i = 0; i < intent->field_count; i++) {
        if (i) {
            mt_buf_addc(&e->line, ',');
        }
        mt_json_quote(&e->line, fields[i].name);
        mt_buf_addc(&e->line, ':');
        gr_value_plain_json(&e->line, &fields[i].value);
    }
    mt_buf_addz(&e->line, "}}\n");
    return mt_buf_str(&e->line);
}

static bool accepted(const mt_json *frame, mt_str intent_id)
{
    return mt_str_is(mt_json_text(mt_json_at(frame, "type")), "intent_ack") &&
           mt_str_eq(mt_json_text(mt_json_at(frame, "intent_id")), intent_id) &&
           mt_str_is(mt_json_text(mt_json_at(frame, "status")), "accepted") &&
           mt_str_is(mt_json_text(mt_json_at(frame, "acceptance")), "durable");
}

mt_err ho_egress_send(ho_egress *e, mt_arena *a, const gr_intent *intent,
                      gr_capture_ack *ack)
{
    const route *to = find_route(e, intent->kind);
    if (!to) {
        /* Checked when the graph was set up under this configuration. */
        MT_BUG("an intent without a route (HST-5)");
    }
    channel *c = &e->channels[to->channel];
    mt_str id = mt_str_dup(a, gr_intent_id(intent));
    mt_json frame;
    if (!c->child) {
        return break_down(e, c, "egress_io", id, "is not running");
    }
    if (os_child_write(c->child, intent_line(e, a, intent), WRITE_MS)) {
        return break_down(e, c, "egress_io", id, "does not take its intents");
    }
    mt_err err = read_frame(e, c, a, to->timeout_ms, id, &frame);
    if (err) {
        return err;
    }
    if (!accepted(&frame, id)) {
        return break_down(e, c, "egress_protocol_violation", id,
                          "answered something else than this intent's acknowledgement");
    }
    /* What the channel calls it, for whoever looks for it there; need not be given. */
    const mt_json *reference = mt_json_at(&frame, "egress_ref");
    *ack = (gr_capture_ack){
        .intent_id = id,
        .channel = c->id,
        .status = MT_STR("accepted"),
        .acceptance = MT_STR("durable"),
        .egress_ref = mt_json_is(reference, MT_JSON_STRING) ? mt_json_text(reference)
                                                            : (mt_str){0},
    };
    return MT_OK;
}

/* One channel's quiet end: no stray output, then `end`, then its exit in time. */
static mt_err stop_channel(ho_egress *e, channel *c)
{
    mt_str line;
    mt_err stray = os_child_read_line(c->child, STRAY_MS, &line);
    if (stray == MT_OK) {
        return break_down(e, c, "egress_protocol_violation", MT_STR(""),
                          "said something nobody asked for");
    }
    if (stray == MT_E_CLOSED) {
        return break_down(e, c, "egress_io", MT_STR(""),
                          "ended before it was asked to");
    }
    (void)os_child_write(c->child, MT_STR("{\"type\":\"end\"}\n"), END_MS);
    os_child_close_stdin(c->child);
    if (!os_child_stop(c->child, END_MS, NULL)) {
        return break_down(e, c, "egress_io", MT_STR(""), "did not end when asked to");
    }
    os_child_free(c->child);
    c->child = NULL;
    return MT_OK;
}

mt_err ho_egress_stop(ho_egress *e)
{
    mt_err err = MT_OK;
    for (size_t i = 0; e && e->running && i < e->channel_count && !err; i++) {
        err = stop_channel(e, &e->channels[i]);
    }
    if (e) {
        kill_all(e);
    }
    return err;
}

ho_egress_problem ho_egress_last_problem(const ho_egress *e)
{
    return e->problem;
}

void ho_egress_free(ho_egress *e)
{
    if (e) {
        kill_all(e);
        mt_buf_free(&e->line);
        mt_arena_free(&e->arena);
        mt_arena_free(&e->problem_arena);
        free(e);
    }
}
