/* agent/dna_diff.c - what changed between two agents, for those who talk to them, and
 * several agents as one; see dna.h.
 *
 * Two registrations are the same one when kind, route (or direction) and their turn
 * among such agree. Breaking is what a peer may notice: fewer messages are understood
 * or sent, in another order, or what is done with them changed. What only one of two
 * documents states cannot be compared, and that is said.
 *
 * Merging takes registrations of all agents in their order; two of one identity must
 * be the same, otherwise MT_E_CONFLICT with the name. Settings survive a merge only if
 * all agents have the same.
 *
 * Order of the report: what was there, in its order, then what is new. Everything
 * lives in the caller's arena. */
#include "agent/dna.h"
#include "agent/value.h"
#include "base/map.h"
#include "base/vec.h"

enum { NAMED_MOST = 100 };

/* A registration of any kind, seen alike. */
typedef struct seen {
    mt_str identity; /* kind, route, turn */
    const char *kind;
    mt_str route, module, function;
    ag_priority priority;
    const ag_sender *sender; /* NULL: no sender */
    const mt_json *behaviour;
    bool hook, other;
    bool label; /* its route is text that is not parsed */
} seen;

typedef struct seen_list {
    seen *items;
    size_t len, cap;
    mt_map index, turns; /* by identity; how many of such there were */
} seen_list;

static void see(mt_arena *a, seen_list *list, seen x)
{
    mt_str name = x.other ? mt_strf(a, "other %s", x.kind)
                          : mt_strf(a, "%s %.*s", x.kind, MT_ARG(x.route));
    bool added;
    mt_map_entry *turn = mt_map_add(a, &list->turns, name, &added);
    x.identity = mt_strf(a, "%.*s #%zu", MT_ARG(name), (size_t)turn->value++);
    mt_vec_push(a, list, x);
    mt_map_put(a, &list->index, x.identity, list->len);
}

/* An entry of other libraries that registers nothing: it is all behaviour. */
static seen other_entry(mt_arena *a, const mt_json *entry)
{
    return (seen){.kind = mt_str_dup(a, mt_json_text(mt_json_at(entry, "type"))).ptr,
                  .module = mt_json_text(mt_json_at(entry, "module")),
                  .function = mt_json_text(mt_json_at(entry, "fn_name")),
                  .behaviour = entry,
                  .other = true};
}

/* In the order of the documents: receivers, senders, hooks, others. */
static seen_list see_all(mt_arena *a, const ag_agent *agent)
{
    seen_list list = {0};
    for (uint32_t i = 0; i < agent->receiver_count; i++) {
        const ag_receiver *r = &agent->receivers[i];
        see(a, &list,
            (seen){.kind = "receiver",
                   .route = ag_known_route(r->parsed, &r->route, r->text),
                   .label = !r->parsed,
                   .module = r->module,
                   .function = r->name,
                   .behaviour = r->behaviour,
                   .priority = r->priority});
    }
    for (uint32_t i = 0; i < agent->sender_count; i++) {
        const ag_sender *s = &agent->senders[i];
        see(a, &list,
            (seen){.kind = "sender",
                   .route = ag_known_route(s->parsed, &s->route, s->text),
                   .label = !s->parsed,
                   .module = s->module,
                   .function = s->name,
                   .priority = s->priority,
                   .behaviour = s->behaviour,
                   .sender = s});
    }
    for (uint32_t i = 0; i < agent->hook_count; i++) {
        const ag_hook *h = &agent->hooks[i];
        see(a, &list,
            (seen){.kind = "hook",
                   .route = mt_str_z(ag_direction_name(h->direction)),
                   .module = h->module,
                   .function = h->name,
                   .priority = h->priority,
                   .behaviour = h->behaviour,
                   .hook = true});
    }
    for (uint32_t i = 0; i < agent->other_count; i++) {
        see(a, &list, other_entry(a, &agent->others[i]));
    }
    return list;
}

static const seen *find(const seen_list *list, mt_str identity)
{
    uintptr_t at = mt_map_get(&list->index, identity, 0);
    return at ? &list->items[at - 1] : NULL;
}

static void report(mt_arena *a, ag_dna_changes *out, char sign, bool breaking,
                   const seen *x, const char *why)
{
    mt_str what = mt_strf(a, "%s%s%.*s %.*s%s%.*s", x->kind, x->route.len ? " " : "",
                          MT_ARG(x->route), MT_ARG(x->module), x->module.len ? "." : "",
                          MT_ARG(x->function));
    mt_vec_push(a, out, ((ag_dna_change){sign, breaking, what, mt_str_z(why)}));
    out->breaking |= breaking;
}

/* ---- what is done ---- */

static bool same_value(mt_arena *a, const mt_json *x, const mt_json *y)
{
    return mt_str_eq(ag_value_text(a, x), ag_value_text(a, y));
}

/* Names of the members in which two objects differ, those of `x` first. */
static mt_str differing(mt_arena *a, const mt_json *x, const mt_json *y)
{
    mt_str names = {0};
    if ((uint64_t)x->count + y->count > NAMED_MOST) {
        return MT_STR("more members than can be listed");
    }
    for (uint32_t i = 0; i < x->count + y->count; i++) {
        bool first = i < x->count;
        mt_str key = first ? x->as.members[i].key : y->as.members[i - x->count].key;
        const mt_json *before = mt_json_get(x, key), *now = mt_json_get(y, key);
        if ((first || !before) && !same_value(a, before, now)) {
            names = mt_strf(a, "%.*s%s%.*s", MT_ARG(names), names.len ? ", " : "",
                            MT_ARG(key));
        }
    }
    return names;
}

/* What only one side states cannot be compared, and counts as breaking. */
static void diff_behaviour(mt_arena *a, const seen *x, const seen *y,
                           ag_dna_changes *out)
{
    const mt_json *before = x->behaviour, *now = y->behaviour;
    if (!before && !now) {
        out->silent++;
    } else if (!before || !now) {
        report(a, out, '~', true, y,
               before ? "the new document does not say what it does"
                      : "the old document does not say what it did");
    } else if (!same_value(a, before, now)) {
        mt_str names = differing(a, before, now);
        report(a, out, '~', true, y,
               mt_strf(a, "what it does changed: %.*s", MT_ARG(names)).ptr);
    }
}

static void diff_settings(mt_arena *a, const mt_json *before, const mt_json *now,
                          ag_dna_changes *out)
{
    out->silent_settings = !before || !now;
    if (!out->silent_settings && !same_value(a, before, now)) {
        mt_str names = differing(a, before, now);
        report(a, out, '~', true,
               &(seen){.kind = "agent", .function = MT_STR("settings")},
               mt_strf(a, "what it starts from changed: %.*s", MT_ARG(names)).ptr);
    }
}

/* ---- registrations ---- */

static bool has_trigger(const ag_sender *s, mt_str name)
{
    for (uint32_t i = 0; i < s->trigger_count; i++) {
        if (mt_str_eq(s->triggers[i], name)) {
            return true;
        }
    }
    return false;
}

/* Does everything that passed `before` still pass `after`? */
static bool covers_actions(const ag_sender *before, const ag_sender *after)
{
    return !after->has_actions ||
           (before->has_actions && (before->actions & ~after->actions) == 0);
}

/* Does the new filter let through all the old one did? No filter lets through
 * everything, so it covers any. */
static bool covers_triggers(const ag_sender *before, const ag_sender *after)
{
    if (!after->has_triggers) {
        return true;
    }
    for (uint32_t i = 0; i < before->trigger_count; i++) {
        if (!has_trigger(after, before->triggers[i])) {
            return false;
        }
    }
    return before->has_triggers;
}

static bool covers(const ag_sender *before, const ag_sender *after)
{
    return covers_actions(before, after) && covers_triggers(before, after);
}

/* Letting less through may break a peer that waits; letting more through may not. */
static void diff_senders(mt_arena *a, const seen *x, const seen *y, ag_dna_changes *out)
{
    const ag_sender *b = x->sender, *n = y->sender;
    if (!covers(b, n)) {
        report(a, out, '~', true, y, "its filters let less through than before");
    } else if (!covers(n, b)) {
        report(a, out, '~', false, y, "its filters let more through than before");
    }
    if (b->multi != n->multi) {
        report(a, out, '~', b->multi, y,
               b->multi ? "it no longer sends once per activation"
                        : "it may send once per activation");
    }
    if (b->every_ms != n->every_ms || b->once != n->once) {
        report(a, out, '~', true, y, "it sends at another interval");
    }
    if (!same_value(a, b->run_while, n->run_while)) {
        report(a, out, '~', true, y, "it runs while something else holds");
    }
    if (b->gated != n->gated) {
        report(a, out, '~', true, y,
               n->gated ? "its tape gates it now" : "its tape gates it no longer");
    }
    if (!same_value(a, b->when_data, n->when_data) ||
        !mt_str_eq(b->data_mode, n->data_mode)) {
        report(a, out, '~', true, y, "it is called for other data");
    }
    if (b->use_data != n->use_data) {
        report(a, out, '~', true, y, "it began, or ceased, to be given data");
    }
}

/* The name of the function alone breaks nobody. */
static void diff_one(mt_arena *a, const seen *x, const seen *y, ag_dna_changes *out)
{
    if (ag_priority_cmp(x->priority, y->priority)) {
        report(a, out, '~', true, y,
               "its priority, and so the order of calls, changed");
    }
    if (x->label != y->label) {
        report(a, out, '~', true, y,
               y->label ? "its route is not parsed any more"
                        : "its route was not parsed before");
    }
    if (!mt_str_eq(x->module, y->module) || !mt_str_eq(x->function, y->function)) {
        report(a, out, '~', false, y, "another function answers");
    }
    if (x->sender) {
        diff_senders(a, x, y, out);
    }
    diff_behaviour(a, x, y, out);
}

static const char *why_removed(const seen *x)
{
    return x->other    ? "what it did is no longer done"
           : x->hook   ? "messages pass unchecked and unchanged now"
           : x->sender ? "what it sent is no longer sent"
                       : "what it understood is no longer understood";
}

/* By identity, not by place. What was removed may break a peer; what was added breaks
 * nothing, except a hook, which may drop what passed before (§6.1). */
void ag_dna_diff(mt_arena *a, const ag_agent *before, const ag_agent *after,
                 ag_dna_changes *out)
{
    seen_list x = see_all(a, before), y = see_all(a, after);
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < x.len; i++) {
        const seen *now = find(&y, x.items[i].identity);
        if (now) {
            diff_one(a, &x.items[i], now, out);
        } else {
            report(a, out, '-', true, &x.items[i], why_removed(&x.items[i]));
        }
    }
    for (size_t i = 0; i < y.len; i++) {
        const seen *now = &y.items[i];
        if (!find(&x, now->identity)) {
            report(a, out, '+', now->hook || now->other, now,
                   now->hook    ? "it may drop or change messages"
                   : now->other ? "it may change what the agent does"
                                : "it adds to what was there");
        }
    }
    diff_settings(a, before->settings, after->settings, out);
}

/* ---- merging ---- */

typedef struct merging {
    mt_arena *a;
    mt_map known; /* kind, module, function to what is registered, as text */
    MT_VEC(ag_receiver) receivers;
    MT_VEC(ag_sender) senders;
    MT_VEC(ag_hook) hooks;
    MT_VEC(mt_json) others;
    mt_str why; /* the first conflict; empty: none */
} merging;

/* True: take it. A second one of the same identity must be the same. */
static bool take(merging *m, const char *kind, mt_str module, mt_str function,
                 const ag_agent *one)
{
    mt_str identity =
        mt_strf(m->a, "%s %.*s.%.*s", kind, MT_ARG(module), MT_ARG(function));
    mt_str text = ag_dna_text(m->a, one);
    bool added;
    mt_map_entry *e = mt_map_add(m->a, &m->known, identity, &added);
    if (added) {
        e->value = (uintptr_t)text.ptr;
        return true;
    }
    union {
        uintptr_t in;
        const char *out;
    } old = {e->value};
    if (!mt_str_eq(mt_str_z(old.out), text) && !m->why.len) {
        m->why = mt_strf(m->a, "two registrations are called %.*s and differ",
                         MT_ARG(identity));
    }
    return false;
}

/* Each registration is compared with a document of its own, so equal ones are taken
 * once. */
static void merge_one(merging *m, const ag_agent *from)
{
    for (uint32_t i = 0; i < from->receiver_count; i++) {
        const ag_receiver *r = &from->receivers[i];
        ag_agent one = {.mode = from->mode, .receivers = r, .receiver_count = 1};
        if (take(m, "receiver", r->module, r->name, &one)) {
            mt_vec_push(m->a, &m->receivers, *r);
        }
    }
    for (uint32_t i = 0; i < from->sender_count; i++) {
        const ag_sender *s = &from->senders[i];
        ag_agent one = {.mode = from->mode, .senders = s, .sender_count = 1};
        if (take(m, "sender", s->module, s->name, &one)) {
            mt_vec_push(m->a, &m->senders, *s);
        }
    }
    for (uint32_t i = 0; i < from->hook_count; i++) {
        const ag_hook *h = &from->hooks[i];
        ag_agent one = {.mode = from->mode, .hooks = h, .hook_count = 1};
        if (take(m, "hook", h->module, h->name, &one)) {
            mt_vec_push(m->a, &m->hooks, *h);
        }
    }
    for (uint32_t i = 0; i < from->other_count; i++) {
        bool added;
        mt_map_add(m->a, &m->known, ag_value_text(m->a, &from->others[i]), &added);
        if (added) {
            mt_vec_push(m->a, &m->others, from->others[i]);
        }
    }
}

static const mt_json *common_settings(mt_arena *a, const ag_agent *agents, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (!same_value(a, agents[0].settings, agents[i].settings)) {
            return NULL;
        }
    }
    return count ? agents[0].settings : NULL;
}

/* Registrations that are equal are taken once. Two that have one identity and differ
 * are a conflict: *why names them, and `out` is still filled for reports. */
mt_err ag_dna_merge(mt_arena *a, const ag_agent *agents, size_t count, ag_agent *out,
                    mt_str *why)
{
    merging m = {.a = a};
    for (size_t i = 0; i < count; i++) {
        merge_one(&m, &agents[i]);
    }
    *why = m.why;
    *out = (ag_agent){.name = count ? agents[0].name : MT_STR(""),
                      .mode = count ? agents[0].mode : AG_PROFILE,
                      .receivers = m.receivers.items,
                      .senders = m.senders.items,
                      .hooks = m.hooks.items,
                      .receiver_count = (uint32_t)m.receivers.len,
                      .sender_count = (uint32_t)m.senders.len,
                      .hook_count = (uint32_t)m.hooks.len,
                      .settings = common_settings(a, agents, count),
                      .others = m.others.items,
                      .other_count = (uint32_t)m.others.len};
    return m.why.len ? MT_E_CONFLICT : MT_OK;
}
