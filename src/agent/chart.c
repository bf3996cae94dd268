/* agent/chart.c - see chart.h.
 *
 * In this order: every trace is read into moments (heard, sent); addresses are matched
 * with agents; what was heard is matched with what was sent; the moments of all traces
 * are merged; then they are written.
 *
 * Merging goes by time, but a message is never heard before it was sent, however coarse
 * or wrong the clocks are, and the moments of one agent keep their order. An arrow is
 * drawn where a message was heard, since only that is known to have arrived; what was
 * sent and heard by none of the traces is an arrow to the relay. Participants stand in
 * the order in which they first say or hear something.
 *
 * What may fail: a line that is not a record. Payloads are cut to a line; no text of
 * theirs can end or begin a line of the diagram. */
#include "agent/chart.h"

#include "agent/value.h"
#include "base/map.h"
#include "base/picture.h"
#include "base/vec.h"

enum { SHOWN = 60 }; /* characters of a payload */

/* Something that happened at one agent. */
typedef struct moment {
    mt_str at;      /* time as text: texts of one form order like times */
    uint32_t who;   /* trace */
    mt_str from;    /* heard: its address; ptr NULL: the agent itself sent it */
    mt_str said;    /* canonical JSON */
    mt_str note;    /* heard: what the receivers made of it */
    bool arrived;   /* sent: some other trace heard it */
    bool merged;    /* it has its place */
    uint32_t same;  /* sent: the next that sent the same text, + 1 */
    uint32_t cause; /* heard: the moment that sent it, + 1; 0: of no trace */
} moment;

typedef struct chart {
    mt_arena *a;
    mt_str *names; /* by trace */
    size_t count;
    MT_VEC(moment) moments;
    mt_map addresses;  /* address to trace + 1 */
    mt_map sent, last; /* text to the first and the last moment that sent it, + 1 */
    mt_map told; /* listener, sender and text to the sending that was heard last, + 1 */
    uint32_t *order; /* moments, merged */
} chart;

/* ---- reading ---- */

static mt_str content_text(const chart *c, const mt_json *payload)
{
    const mt_json *content = mt_json_at(payload, "content");
    return ag_value_text(c->a, content ? content : payload);
}

/* "on_confirm MOVE, keep STAY"; receivers that said nothing are left out. */
static mt_str note_of(const chart *c, const mt_json *receivers)
{
    mt_buf text = {0};
    for (uint32_t i = 0; mt_json_is(receivers, MT_JSON_ARRAY) && i < receivers->count;
         i++) {
        const mt_json *r = &receivers->as.items[i];
        mt_str action = mt_json_text(mt_json_at(r, "action"));
        if (!mt_str_is(action, "NONE")) {
            mt_buf_addf(&text, "%s%.*s %.*s", text.len ? ", " : "",
                        MT_ARG(mt_json_text(mt_json_at(r, "name"))), MT_ARG(action));
        }
    }
    return mt_picture_keep(c->a, &text);
}

/* A clock that went back does not change the order of one agent's moments. */
static mt_str time_of(const chart *c, uint32_t who, const mt_json *record)
{
    mt_str at = mt_json_text(mt_json_at(record, "at"));
    const moment *last = c->moments.len ? &c->moments.items[c->moments.len - 1] : NULL;
    return last && last->who == who && mt_str_cmp(last->at, at) > 0 ? last->at : at;
}

static moment *add_moment(chart *c, uint32_t who, const mt_json *record)
{
    mt_str at = time_of(c, who, record);
    moment *m = mt_vec_add(c->a, &c->moments);
    *m = (moment){.at = at, .who = who};
    return m;
}

static void add_sent(chart *c, uint32_t who, const mt_json *record,
                     const mt_json *payload)
{
    moment *m = add_moment(c, who, record);
    m->said = ag_value_text(c->a, payload);
    uintptr_t before = mt_map_get(&c->last, m->said, 0);
    if (before) {
        c->moments.items[before - 1].same = (uint32_t)c->moments.len;
    } else {
        mt_map_put(c->a, &c->sent, m->said, c->moments.len);
    }
    mt_map_put(c->a, &c->last, m->said, c->moments.len);
}

/* The moments that sent this text, one after the other; NULL: no more. */
static moment *next_sent(const chart *c, uintptr_t place)
{
    return place ? &c->moments.items[place - 1] : NULL;
}

static void add_emissions(chart *c, uint32_t who, const mt_json *record)
{
    const mt_json *senders = mt_json_at(record, "senders");
    for (uint32_t i = 0; mt_json_is(senders, MT_JSON_ARRAY) && i < senders->count;
         i++) {
        const mt_json *sent = mt_json_at(&senders->as.items[i], "emissions");
        for (uint32_t k = 0; mt_json_is(sent, MT_JSON_ARRAY) && k < sent->count; k++) {
            const mt_json *payload = mt_json_at(&sent->as.items[k], "payload");
            if (payload && !mt_json_is(payload, MT_JSON_NULL)) {
                add_sent(c, who, record, payload);
            }
        }
    }
}

static bool take_record(chart *c, uint32_t who, const mt_json *record)
{
    mt_str kind = mt_json_text(mt_json_at(record, "record"));
    if (mt_str_is(kind, "header")) {
        c->names[who] = mt_json_text(mt_json_at(record, "agent"));
    } else if (mt_str_is(kind, "tick")) {
        add_sent(c, who, record, mt_json_at(record, "payload"));
    } else if (mt_str_is(kind, "message")) {
        const mt_json *heard = mt_json_at(record, "heard");
        if (!heard) {
            return false;
        }
        moment *m = add_moment(c, who, record);
        m->from = mt_json_text(mt_json_at(heard, "remote_addr"));
        m->from = m->from.len ? m->from : MT_STR("relay");
        m->said = content_text(c, heard);
        m->note = note_of(c, mt_json_at(record, "receivers"));
        add_emissions(c, who, record);
    }
    return kind.len > 0;
}

static mt_err read_trace(chart *c, uint32_t who, mt_str text, mt_str *why)
{
    for (uint32_t number = 1; text.len; number++) {
        size_t length = mt_str_find(text, '\n');
        mt_json record;
        mt_str line = mt_str_from(text.ptr, length);
        text = mt_str_skip(text, length + 1);
        if (line.len && (mt_json_read(c->a, line, NULL, &record, NULL) ||
                         !take_record(c, who, &record))) {
            *why = mt_strf(c->a,
                           "line %u is not of the trace of an agent at work (motet "
                           "agent run --trace)",
                           number);
            return MT_E_SYNTAX;
        }
    }
    return MT_OK;
}

/* ---- who is who ---- */

/* An address belongs to the agent that sent what was heard from it, if that is one
 * agent only. */
static void match(chart *c, const moment *heard)
{
    uint32_t found = UINT32_MAX, count = 0;
    uintptr_t place = mt_map_get(&c->sent, heard->said, 0);
    for (const moment *m; (m = next_sent(c, place)); place = m->same) {
        if (m->who != heard->who) {
            count += m->who != found;
            found = m->who;
        }
    }
    if (count == 1) {
        mt_map_put(c->a, &c->addresses, heard->from, found + 1);
    }
}

/* The next sending of this text by that agent, behind `place`; 0: there is none. */
static uint32_t next_of(const chart *c, uintptr_t place, uint32_t who)
{
    const moment *m;
    while ((m = next_sent(c, place)) && m->who != who) {
        place = m->same;
    }
    return (uint32_t)place;
}

/* What a listener hears for the second time was sent for the second time. */
static void find_cause(chart *c, moment *heard)
{
    uintptr_t sender = mt_map_get(&c->addresses, heard->from, 0);
    bool added;
    if (!sender) {
        return;
    }
    mt_str key =
        mt_strf(c->a, "%u %u %.*s", heard->who, (unsigned)sender, MT_ARG(heard->said));
    mt_map_entry *e = mt_map_add(c->a, &c->told, key, &added);
    uintptr_t from = added ? mt_map_get(&c->sent, heard->said, 0)
                           : c->moments.items[e->value - 1].same;
    heard->cause = next_of(c, from, (uint32_t)sender - 1);
    if (heard->cause) {
        e->value = heard->cause;
        c->moments.items[heard->cause - 1].arrived = true;
    } else if (added) {
        e->value = (uintptr_t)(heard - c->moments.items) + 1; /* its `same` is 0 */
    }
}

static void find_names(chart *c)
{
    for (size_t i = 0; i < c->moments.len; i++) {
        const moment *m = &c->moments.items[i];
        if (m->from.ptr && !mt_map_find(&c->addresses, m->from)) {
            match(c, m);
        }
    }
    for (size_t i = 0; i < c->moments.len; i++) {
        if (c->moments.items[i].from.ptr) {
            find_cause(c, &c->moments.items[i]);
        }
    }
}

/* ---- merging ---- */

static bool may_follow(const chart *c, const moment *m)
{
    return !m->cause || c->moments.items[m->cause - 1].merged;
}

/* Of the moments that are next in their traces, the earliest that may follow; where
 * clocks contradict each other, the earliest. UINT32_MAX: there is none. */
static uint32_t pick(const chart *c, const uint32_t *next, const uint32_t *end)
{
    uint32_t best = UINT32_MAX;
    bool best_may = false;
    for (size_t i = 0; i < c->count; i++) {
        if (next[i] == end[i]) {
            continue;
        }
        const moment *m = &c->moments.items[next[i]];
        bool may = may_follow(c, m);
        bool first =
            best == UINT32_MAX || (may && !best_may) ||
            (may == best_may && mt_str_cmp(m->at, c->moments.items[best].at) < 0);
        best = first ? next[i] : best;
        best_may = first ? may : best_may;
    }
    return best;
}

/* The moments of a trace stand together, in their order. */
static void merge(chart *c)
{
    uint32_t *next = mt_new_array(c->a, uint32_t, c->count + 1);
    uint32_t *end = mt_new_array(c->a, uint32_t, c->count + 1);
    uint32_t count = 0, at;
    for (uint32_t i = 0; i < c->moments.len; i++) {
        uint32_t who = c->moments.items[i].who;
        next[who] = end[who] ? next[who] : i;
        end[who] = i + 1;
    }
    c->order = mt_new_array(c->a, uint32_t, c->moments.len + 1);
    while ((at = pick(c, next, end)) != UINT32_MAX) {
        c->moments.items[at].merged = true;
        next[c->moments.items[at].who]++;
        c->order[count++] = at;
    }
}

/* ---- writing ---- */

static mt_str name_of(const chart *c, const moment *m)
{
    uintptr_t known = m->from.ptr ? mt_map_get(&c->addresses, m->from, 0) : m->who + 1u;
    return known ? c->names[known - 1] : m->from;
}

/* Without what would end the line or mean something to Mermaid. */
static mt_str plain(const chart *c, mt_str text)
{
    mt_str cut = mt_picture_text(c->a, text, SHOWN);
    char *out = mt_alloc(c->a, cut.len + 1);
    for (size_t i = 0; i < cut.len; i++) {
        char ch = cut.ptr[i];
        out[i] = ch == '\n' || ch == '\r' ? ' ' : ch == ';' || ch == '#' ? ',' : ch;
    }
    out[cut.len] = 0;
    return mt_str_from(out, cut.len);
}

/* Mermaid's participants have names of their own, p0, p1, …, so that no agent's name
 * can be syntax. */
static uint32_t participant(chart *c, mt_map *known, mt_str name, mt_buf *heads)
{
    bool added;
    mt_map_entry *e = mt_map_add(c->a, known, name, &added);
    if (added) {
        e->value = known->len - 1;
        mt_buf_addf(heads, "    participant p%u as %.*s\n", (unsigned)e->value,
                    MT_ARG(plain(c, name)));
    }
    return (uint32_t)e->value;
}

static void write_mermaid(chart *c, mt_buf *out)
{
    mt_map known = {0};
    mt_buf lines = {0}, heads = {0};
    for (size_t i = 0; i < c->moments.len; i++) {
        const moment *m = &c->moments.items[c->order[i]];
        if (!m->from.ptr && m->arrived) {
            continue; /* drawn where it was heard */
        }
        uint32_t from = participant(c, &known, name_of(c, m), &heads);
        uint32_t to = participant(
            c, &known, m->from.ptr ? c->names[m->who] : MT_STR("relay"), &heads);
        mt_buf_addf(&lines, "    p%u->>p%u: %.*s\n", from, to,
                    MT_ARG(plain(c, m->said)));
        if (m->note.len) {
            mt_buf_addf(&lines, "    Note over p%u: %.*s\n", to,
                        MT_ARG(plain(c, m->note)));
        }
    }
    mt_buf_addz(out, "sequenceDiagram\n");
    mt_buf_adds(out, mt_buf_str(&heads));
    mt_buf_adds(out, mt_buf_str(&lines));
    mt_buf_free(&heads);
    mt_buf_free(&lines);
}

static void write_text(const chart *c, mt_buf *out)
{
    for (size_t i = 0; i < c->moments.len; i++) {
        const moment *m = &c->moments.items[c->order[i]];
        if (m->from.ptr || !m->arrived) {
            mt_str to = m->from.ptr ? c->names[m->who] : MT_STR("relay");
            mt_buf_addf(out, "%.*s  %.*s -> %.*s: %.*s%s%.*s%s\n", MT_ARG(m->at),
                        MT_ARG(name_of(c, m)), MT_ARG(to), MT_ARG(plain(c, m->said)),
                        m->note.len ? "  [" : "", MT_ARG(plain(c, m->note)),
                        m->note.len ? "]" : "");
        }
    }
}

mt_err ag_chart(mt_arena *a, const mt_str *traces, size_t count, ag_chart_form form,
                mt_buf *out, mt_str *why)
{
    chart c = {.a = a, .names = mt_new_array(a, mt_str, count), .count = count};
    for (size_t i = 0; i < count; i++) {
        mt_str fault = {0};
        if (read_trace(&c, (uint32_t)i, traces[i], &fault)) {
            *why = mt_strf(a, "trace %zu: %.*s", i + 1, MT_ARG(fault));
            return MT_E_SYNTAX;
        }
    }
    find_names(&c);
    merge(&c);
    if (form == AG_CHART_MERMAID) {
        write_mermaid(&c, out);
    } else {
        write_text(&c, out);
    }
    return MT_OK;
}
