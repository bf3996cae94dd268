/* agent/timers.c - see timers.h.
 *
 * A timed sender that waits for events is armed by them: what would have called
 * another sender is kept (its data, if it uses data) until its clock comes round.
 * ag_timers_arm() takes the record of a finished message, ag_timer_waiting() shows
 * what to tell, ag_timer_told() forgets it.
 *
 * Invariant: only senders for which ag_sender_waits() are ever armed, and only armed
 * ones have data waiting. Data that wait are bounded in bytes (agent_waiting_bytes);
 * what has no room is lost and counted. A saved row names its sender by place, name
 * and route: after the file was edited, name and route decide.
 *
 * What may fail: loading (MT_E_SYNTAX, MT_E_LIMIT). Data are copied into the timer's
 * arena. */
#include "agent/timers.h"

#include <stdlib.h>

#include "agent/value.h"
#include "base/vec.h"

typedef struct timer {
    bool armed;
    bool done;      /* it fires once, and did */
    uint32_t heard; /* activation of this cycle whose outcome it has, + 1 */
    size_t bytes;   /* of the data that wait */
    mt_arena arena; /* of the data */
    MT_VEC(ag_event) waiting;
} timer;

struct ag_timers {
    const ag_agent *agent;
    size_t most_bytes; /* limit agent_waiting_bytes */
    timer *items;      /* by sender */
};

/* One timer per sender, used or not, so a sender's number is its timer's. */
ag_timers *ag_timers_new(const ag_agent *agent, const mt_limits *limits)
{
    ag_timers *t = mt_xmalloc(sizeof *t);
    size_t bytes = mt_array_bytes(agent->sender_count + 1u, sizeof *t->items);
    *t = (ag_timers){.agent = agent,
                     .most_bytes =
                         (limits ? limits : &MT_LIMITS_DEFAULT)->agent_waiting_bytes,
                     .items = mt_xmalloc(bytes)};
    memset(t->items, 0, bytes);
    return t;
}

void ag_timers_free(ag_timers *t)
{
    if (t) {
        for (uint32_t i = 0; i < t->agent->sender_count; i++) {
            mt_arena_free(&t->items[i].arena);
        }
        free(t->items);
        free(t);
    }
}

/* ---- arming ---- */

static size_t size_of(const mt_json *data)
{
    mt_arena a = {0};
    size_t size = ag_value_text(&a, data).len;
    mt_arena_free(&a);
    return size;
}

/* False: there is no room. */
static bool keep(const ag_timers *t, timer *x, const ag_event *event)
{
    static const mt_json NOTHING = {.type = MT_JSON_NULL};
    const mt_json *data = event->data ? event->data : &NOTHING;
    size_t size = size_of(data) + event->trigger.len;
    if (x->bytes + size > t->most_bytes) {
        return false;
    }
    x->bytes += size;
    mt_json *copy = mt_new(&x->arena, mt_json);
    *copy = ag_copy_value(&x->arena, data);
    mt_vec_push(&x->arena, &x->waiting,
                ((ag_event){.action = event->action,
                            .trigger = mt_str_dup(&x->arena, event->trigger),
                            .data = copy}));
    return true;
}

/* `heard` keeps one activation from arming a timer twice. What does not fit into
 * agent_waiting_bytes is counted and told, since it is lost. */
uint32_t ag_timers_arm(ag_timers *t, const ag_record *record)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i < record->arm_count; i++) {
        t->items[record->arms[i].sender].heard = 0;
    }
    for (uint32_t i = 0; i < record->arm_count; i++) {
        const ag_arm *arm = &record->arms[i];
        timer *x = &t->items[arm->sender];
        if (x->heard == arm->activation + 1) {
            continue; /* found through two nodes */
        }
        x->heard = arm->activation + 1;
        x->armed = true;
        if (t->agent->senders[arm->sender].use_data) {
            lost += !keep(t, x, &record->activations[arm->activation].event);
        }
    }
    return lost;
}

bool ag_timer_armed(const ag_timers *t, uint32_t sender)
{
    return t->items[sender].armed;
}

uint32_t ag_timer_waiting(const ag_timers *t, uint32_t sender, const ag_event **out)
{
    *out = t->items[sender].waiting.items;
    return (uint32_t)t->items[sender].waiting.len;
}

void ag_timer_told(ag_timers *t, uint32_t sender)
{
    timer *x = &t->items[sender];
    memset(&x->waiting, 0, sizeof x->waiting);
    mt_arena_reset(&x->arena);
    x->bytes = 0;
}

void ag_timer_disarm(ag_timers *t, uint32_t sender)
{
    ag_timer_told(t, sender);
    t->items[sender].armed = false;
}

void ag_timer_fired(ag_timers *t, uint32_t sender)
{
    if (ag_sender_waits(t->agent, &t->agent->senders[sender])) {
        ag_timer_disarm(t, sender);
    } else {
        t->items[sender].done = true;
    }
}

bool ag_timer_done(const ag_timers *t, uint32_t sender)
{
    return t->items[sender].done;
}

/* ---- saving ---- */

static mt_str route_of(const ag_sender *s)
{
    return ag_known_route(s->parsed, &s->route, s->text);
}

static bool is_one(const ag_sender *s, const mt_json *row)
{
    return mt_str_eq(s->name, mt_json_text(mt_json_at(row, "sender"))) &&
           mt_str_eq(route_of(s), mt_json_text(mt_json_at(row, "route")));
}

bool ag_timers_any_done(const ag_timers *t)
{
    for (uint32_t i = 0; i < t->agent->sender_count; i++) {
        if (t->items[i].done) {
            return true;
        }
    }
    return false;
}

void ag_timers_save_done(const ag_timers *t, mt_jw *w)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < t->agent->sender_count; i++) {
        if (t->items[i].done) {
            mt_jw_begin_object(w);
            mt_jw_key_str(w, "route", route_of(&t->agent->senders[i]));
            mt_jw_key_str(w, "sender", t->agent->senders[i].name);
            mt_jw_end_object(w);
        }
    }
    mt_jw_end_array(w);
}

/* Of several with one name and route the first that is not done is meant: they stand in
 * their order. */
static void load_done(ag_timers *t, const mt_json *row)
{
    for (uint32_t i = 0; i < t->agent->sender_count; i++) {
        const ag_sender *s = &t->agent->senders[i];
        if (s->once && !t->items[i].done && !ag_sender_waits(t->agent, s) &&
            is_one(s, row)) {
            t->items[i].done = true;
            return;
        }
    }
}

mt_err ag_timers_load_done(ag_timers *t, const mt_json *rows)
{
    if (rows && !mt_json_is(rows, MT_JSON_ARRAY)) {
        return MT_E_SYNTAX;
    }
    for (uint32_t i = 0; rows && i < rows->count; i++) {
        if (!mt_json_is(&rows->as.items[i], MT_JSON_OBJECT)) {
            return MT_E_SYNTAX;
        }
        load_done(t, &rows->as.items[i]);
    }
    return MT_OK;
}

bool ag_timers_any_armed(const ag_timers *t)
{
    for (uint32_t i = 0; i < t->agent->sender_count; i++) {
        if (t->items[i].armed) {
            return true;
        }
    }
    return false;
}

static void save_event(mt_jw *w, const ag_event *e)
{
    mt_jw_begin_array(w);
    mt_jw_str(w, mt_str_z(ag_action_name(e->action)));
    mt_jw_str(w, e->trigger);
    mt_jw_json(w, e->data);
    mt_jw_end_array(w);
}

/* By place, name and route: see find_timer(). */
static void save_timer(const ag_timers *t, uint32_t i, mt_jw *w)
{
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "index", i);
    mt_jw_key_str(w, "route", route_of(&t->agent->senders[i]));
    mt_jw_key_str(w, "sender", t->agent->senders[i].name);
    mt_jw_keyz(w, "waiting");
    mt_jw_begin_array(w);
    for (size_t k = 0; k < t->items[i].waiting.len; k++) {
        save_event(w, &t->items[i].waiting.items[k]);
    }
    mt_jw_end_array(w);
    mt_jw_end_object(w);
}

void ag_timers_save(const ag_timers *t, mt_jw *w)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < t->agent->sender_count; i++) {
        if (t->items[i].armed) {
            save_timer(t, i, w);
        }
    }
    mt_jw_end_array(w);
}

static bool is_meant(const ag_timers *t, const mt_json *row, uint32_t sender)
{
    const ag_sender *s = &t->agent->senders[sender];
    return ag_sender_waits(t->agent, s) && !t->items[sender].armed && is_one(s, row);
}

/* After a change of the file a sender may stand elsewhere; its recorded place is tried
 * first, then its identity. */
static timer *find_timer(ag_timers *t, const mt_json *row, int64_t place)
{
    uint32_t count = t->agent->sender_count;
    if (place >= 0 && place < (int64_t)count && is_meant(t, row, (uint32_t)place)) {
        return &t->items[place];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_meant(t, row, i)) {
            return &t->items[i];
        }
    }
    return NULL;
}

/* Data that no longer have room are a limit, not a loss: they were promised. */
static mt_err load_event(const ag_timers *t, timer *x, const mt_json *row)
{
    ag_event e = {0};
    if (!mt_json_is(row, MT_JSON_ARRAY) || row->count != 3 ||
        !ag_action_from(mt_json_text(&row->as.items[0]), &e.action) ||
        !mt_json_is(&row->as.items[1], MT_JSON_STRING)) {
        return MT_E_SYNTAX;
    }
    e.trigger = mt_json_text(&row->as.items[1]);
    e.data = &row->as.items[2];
    return keep(t, x, &e) ? MT_OK : MT_E_LIMIT;
}

/* A sender that is gone is passed over with its data. */
static mt_err load_timer(ag_timers *t, const mt_json *row)
{
    int64_t place;
    const mt_json *waiting = mt_json_at(row, "waiting");
    if (mt_json_i64(mt_json_at(row, "index"), &place) ||
        !mt_json_is(waiting, MT_JSON_ARRAY)) {
        return MT_E_SYNTAX;
    }
    timer *x = find_timer(t, row, place);
    mt_err err = MT_OK;
    for (uint32_t i = 0; x && i < waiting->count && !err; i++) {
        err = load_event(t, x, &waiting->as.items[i]);
    }
    if (x) {
        x->armed = true;
    }
    return err;
}

mt_err ag_timers_load(ag_timers *t, const mt_json *rows)
{
    mt_err err = rows && !mt_json_is(rows, MT_JSON_ARRAY) ? MT_E_SYNTAX : MT_OK;
    for (uint32_t i = 0; rows && !err && i < rows->count; i++) {
        err = load_timer(t, &rows->as.items[i]);
    }
    return err;
}
