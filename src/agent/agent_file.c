/* agent/agent_file.c - see agent_file.h: reading and checking.
 *
 * First the head, the tape and the groups of handlers, because registrations refer to
 * them; then receivers, senders and hooks, each by the table of its role. A
 * registration without `rules` and `handler` is its own rule, so its table has a rule's
 * keys too. INVARIANT: every key is known or refused; every fault of the file is
 * reported, not only the first (codes AG1xx). What is refused leaves its default
 * behind, so that the rest can be read. May fail: only by reporting; then nothing of
 * the file may be used. */
#include "agent/agent_file.h"

#include "agent/document.h"
#include "agent/template.h"
#include "agent/triggers.h"
#include "agent/value.h"

typedef struct reading {
    ag_document doc;
    mt_form form;
    ag_file *file;
    const mt_json *triggers; /* declared names; NULL: any */
    ag_triggers named;       /* the same, where they are the lines of a TRIGGERS file */
} reading;

typedef enum role { ROLE_RECEIVER, ROLE_SENDER, ROLE_HOOK, ROLE_COUNT } role;
static const char *const ROLES[] = {
    [ROLE_RECEIVER] = "receiver", [ROLE_SENDER] = "sender", [ROLE_HOOK] = "hook"};
MT_TABLE_COVERS(ROLES, ROLE_COUNT);
enum { MOST_MS = 1000000000, MOST_RESTARTS = 1000000000 };

static void complain(reading *r, const char *code, const mt_json *at, mt_str message,
                     const char *hint)
{
    ag_complain(&r->doc, code, at, message, hint);
}

/* ---- Rules and registrations ---- */

/* One of them as written; its role's table says which keys it may have. */
typedef struct draft {
    const mt_json *when, *remember, *count; /* of every rule */
    mt_str fail;
    const mt_json *action, *data; /* of a receiver's */
    mt_str trigger;
    const mt_json *message;       /* of a sender's */
    const mt_json *set, *replace; /* of a hook's */
    bool drop;
    mt_str name, module; /* of every registration */
    ag_priority priority;
    const mt_json *rules, *handler;
    mt_str handler_name;
    mt_str route, direction;
    const mt_json *on_actions, *on_triggers, *run_while, *when_data; /* of a sender */
    mt_str data_mode;
    bool multi, use_data, gated;
    uint64_t every_ms, after_ms;
} draft;

/* clang-format off */
#define ANY_RULE \
    MT_FORM_ANY(draft, when, "when", 0), \
    MT_FORM_OBJECT(draft, remember, "remember", 0), \
    MT_FORM_OBJECT(draft, count, "count", 0), \
    MT_FORM_TEXT(draft, fail, "fail", 0)
#define RECEIVER_RULE \
    ANY_RULE, \
    MT_FORM_ANY(draft, action, "do", 0), \
    MT_FORM_TEXT(draft, trigger, "trigger", 0), \
    MT_FORM_ANY(draft, data, "data", 0)
#define SENDER_RULE \
    ANY_RULE, \
    MT_FORM_ANY(draft, message, "message", 0)
#define HOOK_RULE \
    ANY_RULE, \
    MT_FORM_FLAG(draft, drop, "drop", 0), \
    MT_FORM_OBJECT(draft, set, "set", 0), \
    MT_FORM_ANY(draft, replace, "replace", 0)
#define REGISTRATION(rule) \
    MT_FORM_TEXT(draft, name, "name", 0), \
    MT_FORM_TEXT(draft, module, "module", 0), \
    MT_FORM_OWN(draft, priority, "priority", ag_read_numbers, 0), \
    MT_FORM_LIST_OF(draft, rules, "rules", rule, 0, UINT32_MAX, 0), \
    MT_FORM_ANY(draft, handler, "handler", 0), \
    MT_FORM_TEXT(draft, handler_name, "handler", 0), \
    MT_FORM_NOTE("note")
/* clang-format on */

static const mt_form_row RECEIVER_RULE_ROWS[] = {RECEIVER_RULE};
static const mt_form_row SENDER_RULE_ROWS[] = {SENDER_RULE};
static const mt_form_row HOOK_RULE_ROWS[] = {HOOK_RULE};
static const mt_form_table RULES[] = {
    [ROLE_RECEIVER] = MT_FORM_TABLE("a rule", RECEIVER_RULE_ROWS, draft, NULL),
    [ROLE_SENDER] = MT_FORM_TABLE("a rule", SENDER_RULE_ROWS, draft, NULL),
    [ROLE_HOOK] = MT_FORM_TABLE("a rule", HOOK_RULE_ROWS, draft, NULL),
};

static const char *const DIRECTIONS[] = {"receive", "send", NULL};
static const char *const DATA_MODES[] = {"live", "snapshot", NULL};

static const mt_form_row RECEIVER_ROWS[] = {
    REGISTRATION(&RULES[ROLE_RECEIVER]),
    RECEIVER_RULE,
    MT_FORM_TEXT(draft, route, "route", 0),
};
static const mt_form_row SENDER_ROWS[] = {
    REGISTRATION(&RULES[ROLE_SENDER]),
    SENDER_RULE,
    MT_FORM_TEXT(draft, route, "route", 0),
    MT_FORM_LIST(draft, on_actions, "on_actions", 0, UINT32_MAX, 0),
    MT_FORM_LIST(draft, on_triggers, "on_triggers", 0, UINT32_MAX, 0),
    MT_FORM_FLAG(draft, multi, "multi", 0),
    MT_FORM_FLAG(draft, use_data, "use_data", 0),
    MT_FORM_U64(draft, every_ms, "every_ms", 1, MOST_MS, 0),
    MT_FORM_U64(draft, after_ms, "after_ms", 1, MOST_MS, 0),
    MT_FORM_FLAG(draft, gated, "gated", 0),
    MT_FORM_ANY(draft, run_while, "run_while", 0),
    MT_FORM_ANY(draft, when_data, "when_data", 0),
    MT_FORM_ONE_OF(draft, data_mode, "data_mode", DATA_MODES, 0),
};
static const mt_form_row HOOK_ROWS[] = {
    REGISTRATION(&RULES[ROLE_HOOK]),
    HOOK_RULE,
    MT_FORM_ONE_OF(draft, direction, "direction", DIRECTIONS, 0),
};
static const mt_form_table OWN[] = {
    [ROLE_RECEIVER] = MT_FORM_TABLE("a receiver", RECEIVER_ROWS, draft, NULL),
    [ROLE_SENDER] = MT_FORM_TABLE("a sender", SENDER_ROWS, draft, NULL),
    [ROLE_HOOK] = MT_FORM_TABLE("a hook", HOOK_ROWS, draft, NULL),
};
_Static_assert(mt_form_count(RULES) == ROLE_COUNT && mt_form_count(OWN) == ROLE_COUNT,
               "a table per role");

/* ---- Triggers ---- */

/* Triggers are a tree of objects whose leaves may be lists; a name counts wherever it
 * stands. Depth is bounded by the reader of the document. */
static bool in_tree(const mt_json *tree, mt_str name)
{
    if (mt_json_is(tree, MT_JSON_ARRAY)) {
        for (uint32_t i = 0; i < tree->count; i++) {
            if (mt_str_eq(mt_json_text(&tree->as.items[i]), name)) {
                return true;
            }
        }
        return false;
    }
    for (uint32_t i = 0; mt_json_is(tree, MT_JSON_OBJECT) && i < tree->count; i++) {
        if (mt_str_eq(tree->as.members[i].key, name) ||
            in_tree(&tree->as.members[i].value, name)) {
            return true;
        }
    }
    return false;
}

static bool is_declared(const reading *r, mt_str name)
{
    return mt_json_is(r->triggers, MT_JSON_STRING)
               ? ag_trigger_find(&r->named, name) != NULL
               : in_tree(r->triggers, name);
}

/* Text is the lines of a TRIGGERS file; a host has put them in place of its name. */
static void take_declared(reading *r, const mt_json *triggers)
{
    mt_str text = mt_json_text(triggers), why = {0};
    r->triggers = triggers;
    if (!mt_json_is(triggers, MT_JSON_STRING)) {
        return;
    }
    if (mt_str_find(text, '\n') == text.len) {
        why = MT_STR("a file of triggers cannot be read here");
    } else {
        ag_triggers_read(r->doc.a, text, &r->named, &why);
    }
    if (why.len) {
        complain(r, "AG114", triggers,
                 mt_strf(r->doc.a, "`triggers`: %.*s", MT_ARG(why)),
                 "one name per line, children indented below their parent");
    }
}

static void check_trigger(reading *r, const mt_json *at, mt_str name)
{
    if (r->triggers && !is_declared(r, name)) {
        complain(
            r, "AG112", at,
            mt_strf(r->doc.a, "`%.*s` is none of the agent's triggers", MT_ARG(name)),
            "add it under `triggers`, or correct the name");
    }
}

/* ---- Rules ---- */

static void check_template(reading *r, const mt_json *v)
{
    const mt_json *where = v;
    const char *fault = v ? ag_check_template(r->doc.a, v, &where) : NULL;
    if (fault) {
        complain(r, "AG120", where, mt_str_z(fault), "");
    }
}

static void check_condition(reading *r, const mt_json *v)
{
    const mt_json *where = v;
    const char *fault = v ? ag_check_condition(r->doc.a, v, &where) : NULL;
    if (fault) {
        complain(r, "AG122", where, mt_str_z(fault), "");
    }
}

/* Counts are looked at here because a form checks members by name, and these names are
 * the author's. */
static void check_counts(mt_form *f, const mt_json *counts)
{
    mt_form in = mt_form_inside(f, "count", "`count`");
    int64_t n;
    for (uint32_t i = 0; counts && i < counts->count; i++) {
        const mt_json_member *m = &counts->as.members[i];
        if (mt_json_i64(&m->value, &n)) {
            mt_form one = mt_form_member(&in, m->key, "a count");
            mt_form_say(&one, MT_FORM_WRONG_KIND, &m->value, "",
                        "must be a whole number, not %s", mt_form_name(&m->value));
        }
    }
}

/* §6.3. The bare event exists in compat only and cannot be written as a rule. */
static void check_action(reading *r, const mt_json *rule, const draft *d)
{
    mt_str name = mt_json_text(d->action);
    ag_action action;
    if (!d->action) {
        complain(r, "AG121", rule, MT_STR("the rule does not say what to `do`"),
                 "`do: move`, `stay`, `test` or `none`");
    } else if (!ag_action_from(name, &action) || action == AG_EVENT) {
        complain(r, "AG121", d->action,
                 mt_strf(r->doc.a, "`%.*s` is not an action", MT_ARG(name)),
                 "`move`, `stay`, `test` or `none`");
    }
    const mt_json *trigger = mt_json_at(rule, "trigger");
    if (trigger) {
        check_trigger(r, trigger, d->trigger);
    }
}

/* Everything a template or a condition names is checked now, so that a message cannot
 * fail for a misspelt path. */
static void check_rule(reading *r, role as, mt_form *f, const mt_json *rule,
                       const draft *d)
{
    check_condition(r, d->when);
    check_template(r, d->remember);
    check_template(r, d->set);
    check_counts(f, d->count);
    check_template(r, d->data);
    check_template(r, d->message);
    check_template(r, d->replace);
    if (as == ROLE_RECEIVER && !mt_json_at(rule, "fail")) {
        check_action(r, rule, d);
    }
}

static void check_rules(reading *r, role as, mt_form *f, const mt_json *rules)
{
    for (uint32_t i = 0; i < rules->count; i++) {
        const mt_json *rule = &rules->as.items[i];
        draft d = {0};
        mt_form in = mt_form_item(f, "rules", i, RULES[as].what);
        mt_form_read(&in, rule, RULES[as].rows, RULES[as].count, &d);
        if (mt_json_is(rule, MT_JSON_OBJECT)) {
            check_rule(r, as, &in, rule, &d);
        }
    }
}

/* A registration that is its own rule: what of it belongs to the rule. */
static const mt_json *one_rule(reading *r, role as, const mt_json *registration)
{
    uint32_t count = 0;
    mt_json_member *own = mt_new_array(r->doc.a, mt_json_member, registration->count);
    for (uint32_t i = 0; i < registration->count; i++) {
        const mt_json_member *m = &registration->as.members[i];
        if (mt_form_knows(RULES[as].rows, RULES[as].count, m->key)) {
            own[count++] = *m;
        }
    }
    mt_json *rule = mt_new(r->doc.a, mt_json), *list = mt_new(r->doc.a, mt_json);
    *rule = ag_object_value(own, count);
    *list = ag_list_value(rule, 1);
    list->offset = rule->offset = registration->offset;
    return list;
}

static const ag_group *find_group(const reading *r, mt_str name)
{
    for (uint32_t i = 0; i < r->file->group_count; i++) {
        if (mt_str_eq(r->file->groups[i].name, name)) {
            return &r->file->groups[i];
        }
    }
    return NULL;
}

/* `handler: group` or `handler: group.function`. */
static ag_binding external(reading *r, const draft *d)
{
    ag_binding b = {.function = d->name, .message = d->message};
    mt_str handler = d->handler_name;
    size_t dot = mt_str_find(handler, '.');
    b.group = find_group(r, mt_str_from(handler.ptr, dot));
    if (dot < handler.len) {
        b.function = mt_str_skip(handler, dot + 1);
    }
    if (!b.group) {
        complain(r, "AG130", d->handler,
                 mt_strf(r->doc.a, "`%.*s` names no group under `handlers`",
                         MT_ARG(handler)),
                 "");
    }
    return b;
}

/* A handler process, a list of rules, or the registration itself as the only rule;
 * exactly one of them answers a call. */
static ag_binding binding_of(reading *r, role as, mt_form *f,
                             const mt_json *registration, const draft *d)
{
    if (d->handler) {
        return external(r, d);
    }
    if (d->rules) {
        check_rules(r, as, f, d->rules);
    } else if (!mt_json_at(registration, "rules")) {
        check_rule(r, as, f, registration, d);
    }
    return (ag_binding){.rules = d->rules ? d->rules : one_rule(r, as, registration),
                        .function = d->name,
                        .message = d->message};
}

/* ---- Registrations ---- */

/* Column of the fault inside the route's text, for one-line texts. */
static void bad_route(reading *r, const mt_json *at, mt_str text, const ag_fault *fault)
{
    complain(
        r, "AG110", at,
        mt_strf(r->doc.a, "route `%.*s`, character %zu: %s", MT_ARG(text),
                fault->offset + 1, fault->message),
        "a route is `A`, `A --> B` or `A --[f]--> B`, with lists A,B and the forms "
        "/all, /oneof(A,B), /not(A,B)");
}

/* In compat mode a route that does not parse is kept as text and never fires, as the
 * SDK does; in the profile it is a fault (§3). */
static bool parse_route(reading *r, const mt_json *registration, mt_str text,
                        ag_route *route)
{
    const mt_json *v = mt_json_at(registration, "route");
    ag_mode mode = r->file->agent.mode;
    ag_fault fault;
    if (!v) {
        complain(r, "AG111", registration, MT_STR("a `route` is missing"), "");
        return false;
    }
    if (mode == AG_COMPAT && r->file->agent.flow_off) {
        return false; /* a label */
    }
    if (!ag_route_parse(r->doc.a, mode, r->file->agent.styles, text, route, &fault)) {
        return true;
    }
    if (mode == AG_PROFILE) {
        bad_route(r, v, text, &fault);
    }
    return false;
}

static void take_receiver(reading *r, const mt_json *at, const draft *d, void *to)
{
    ag_receiver *out = to;
    *out = (ag_receiver){.name = d->name,
                         .module = d->module,
                         .priority = d->priority,
                         .text = d->route};
    out->parsed = parse_route(r, at, d->route, &out->route);
}

/* No list at all means that actions are not filtered; in the profile an empty one lets
 * nothing through (§6.4). */
static void take_actions(reading *r, const mt_json *list, ag_sender *s)
{
    s->has_actions = list != NULL;
    for (uint32_t i = 0; list && i < list->count; i++) {
        ag_action action;
        mt_str name = mt_json_text(&list->as.items[i]);
        if (!ag_action_from(name, &action) || action == AG_NONE || action == AG_EVENT) {
            complain(r, "AG121", &list->as.items[i],
                     mt_strf(r->doc.a, "`%.*s` is not an action", MT_ARG(name)),
                     "`move`, `stay` or `test`");
        } else {
            s->actions |= (uint8_t)(1u << action);
        }
    }
}

/* An absent list and an empty one differ, as for actions. */
static void take_triggers(reading *r, const mt_json *list, ag_sender *s)
{
    s->has_triggers = list != NULL;
    s->trigger_count = list ? list->count : 0;
    mt_str *names = mt_new_array(r->doc.a, mt_str, s->trigger_count);
    for (uint32_t i = 0; i < s->trigger_count; i++) {
        names[i] = mt_json_text(&list->as.items[i]);
        check_trigger(r, &list->as.items[i], names[i]);
    }
    s->triggers = names;
}

static void check_timer(reading *r, const mt_json *at, const draft *d)
{
    bool timed = mt_json_at(at, "every_ms") || mt_json_at(at, "after_ms");
    const mt_json *run = d->run_while;
    if ((run || d->gated) && !timed) {
        complain(
            r, "AG123", run ? run : at,
            mt_strf(r->doc.a, "`%s` is for timed senders", run ? "run_while" : "gated"),
            "add `every_ms` or `after_ms`, or leave it out");
    }
    if (d->every_ms && d->after_ms) {
        complain(r, "AG124", at, MT_STR("a timed sender fires again, or once"),
                 "`every_ms` or `after_ms`, not both");
    }
    if (d->gated && (d->use_data || r->file->agent.mode == AG_COMPAT)) {
        complain(r, "AG125", at,
                 d->use_data ? MT_STR("a gated sender has no outcome to take data from")
                             : MT_STR("in compat mode the tape gates no timed sender"),
                 d->use_data ? "leave out `gated` or `use_data`"
                             : "leave out `gated`, or say `mode: profile`");
    }
    if (!mt_json_is(run, MT_JSON_BOOL)) {
        check_condition(r, run);
    }
}

static void check_data(reading *r, const mt_json *at, const draft *d)
{
    bool known = !d->data_mode.ptr || mt_str_is(d->data_mode, "live") ||
                 mt_str_is(d->data_mode, "snapshot");
    if ((d->when_data || d->data_mode.ptr) && !d->use_data) {
        complain(r, "AG126", at,
                 MT_STR("`when_data` and `data_mode` are for senders that use data"),
                 "add `use_data: true`, or leave them out");
    }
    if (!known) {
        complain(r, "AG127", mt_json_at(at, "data_mode"),
                 MT_STR("`data_mode` names no way to hand over data"),
                 "live or snapshot");
    }
    check_condition(r, d->when_data);
}

static void take_sender(reading *r, const mt_json *at, const draft *d, void *to)
{
    ag_sender *out = to;
    *out = (ag_sender){.name = d->name,
                       .module = d->module,
                       .priority = d->priority,
                       .text = d->route,
                       .multi = d->multi,
                       .use_data = d->use_data,
                       .every_ms = d->after_ms ? d->after_ms : d->every_ms,
                       .once = d->after_ms > 0,
                       .gated = d->gated,
                       .run_while = d->run_while,
                       .when_data = d->when_data,
                       .data_mode = d->data_mode};
    out->parsed = parse_route(r, at, d->route, &out->route);
    take_actions(r, d->on_actions, out);
    take_triggers(r, d->on_triggers, out);
    check_timer(r, at, d);
    check_data(r, at, d);
}

/* A hook without a good direction is kept as a receive hook, only so that later checks
 * go on; the file is refused all the same. */
static void take_hook(reading *r, const mt_json *at, const draft *d, void *to)
{
    bool send = mt_str_is(d->direction, "send");
    if (!send && !mt_str_is(d->direction, "receive")) {
        complain(r, "AG113", at, MT_STR("a hook needs a `direction`"),
                 "`receive` or `send`");
    }
    *(ag_hook *)to = (ag_hook){.direction = send ? AG_SEND : AG_RECEIVE,
                               .name = d->name,
                               .module = d->module,
                               .priority = d->priority};
}

static void (*const TAKE[])(reading *, const mt_json *, const draft *, void *) = {
    [ROLE_RECEIVER] = take_receiver,
    [ROLE_SENDER] = take_sender,
    [ROLE_HOOK] = take_hook,
};
_Static_assert(mt_form_count(TAKE) == ROLE_COUNT, "one per role");

/* Reads a role's list into `out`, whose items have `size` bytes. */
static const ag_binding *read_role(reading *r, role as, const mt_json *list, char *out,
                                   size_t size)
{
    ag_binding *bind = mt_new_array(r->doc.a, ag_binding, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *at = &list->as.items[i];
        draft d = {.module = r->file->agent.name};
        mt_form in = r->form; /* the place says which one, the path begins anew */
        in.what = OWN[as].what;
        mt_form_read(&in, at, OWN[as].rows, OWN[as].count, &d);
        if (!mt_json_is(at, MT_JSON_OBJECT)) {
            continue;
        }
        if (!mt_json_is(mt_json_at(at, "name"), MT_JSON_STRING)) {
            d.name = mt_strf(r->doc.a, "%s%u", ROLES[as], i);
        }
        TAKE[as](r, at, &d, out + i * size);
        bind[i] = binding_of(r, as, &in, at, &d);
    }
    return bind;
}

/* ---- Handlers and the tape ---- */

typedef struct draft_group {
    ag_group group;
    const mt_json *command;
    uint32_t at;
} draft_group;

static const mt_form_row GROUP_ROWS[] = {
    MT_FORM_LABEL(draft_group, group.name),
    MT_FORM_LIST(draft_group, command, "command", 0, UINT32_MAX, 0),
    MT_FORM_U64(draft_group, group.time_limit_ms, "time_limit_ms", 1, MOST_MS, 0),
    MT_FORM_U32(draft_group, group.restarts, "restarts", 0, MOST_RESTARTS, 0),
    MT_FORM_NOTE("note"),
};
static const draft_group NEW_GROUP = {
    .group = {.time_limit_ms = AG_HANDLER_MS, .restarts = 3}};
static const mt_form_table GROUP =
    MT_FORM_TABLE("a handler group", GROUP_ROWS, draft_group, &NEW_GROUP);

/* The words are executed without a shell, so nothing in them is interpreted. */
static ag_group take_group(reading *r, const draft_group *d, const mt_json *at)
{
    ag_group g = d->group;
    g.command_count = d->command ? d->command->count : 0;
    mt_str *words = mt_new_array(r->doc.a, mt_str, g.command_count);
    for (uint32_t i = 0; i < g.command_count; i++) {
        words[i] = mt_json_text(&d->command->as.items[i]);
    }
    if (!g.command_count) {
        complain(r, "AG131", at, MT_STR("a handler group needs a `command`"),
                 "`command: [python3, handlers.py]`");
    }
    g.command = words;
    return g;
}

typedef struct draft_tape {
    mt_str shape, rule, key, when_empty;
    const mt_json *start;
} draft_tape;

static const char *const SHAPES[] = {"single", "many", "index-single", "index-many",
                                     NULL};
static const char *const TAPE_RULES[] = {"replace", "add", NULL};
static const char *const WHEN_EMPTY[] = {"start", NULL};
static const mt_form_row TAPE_ROWS[] = {
    MT_FORM_ONE_OF(draft_tape, shape, "shape", SHAPES, 0),
    MT_FORM_ONE_OF(draft_tape, rule, "rule", TAPE_RULES, 0),
    MT_FORM_ANY(draft_tape, start, "start", 0),
    MT_FORM_TEXT(draft_tape, key, "key", 0),
    MT_FORM_ONE_OF(draft_tape, when_empty, "when_empty", WHEN_EMPTY, 0),
};
static const mt_form_table TAPE = MT_FORM_TABLE("`tape`", TAPE_ROWS, draft_tape, NULL);

static bool start_fits(const ag_file *f, const mt_json *start)
{
    ag_shape shape;
    if (ag_tape_shape_of(start, &shape)) {
        return false;
    }
    /* With a key per message, `start` is what each new key holds. */
    return f->key.len ? !ag_shape_indexed(shape)
                      : ag_shape_indexed(shape) == ag_shape_indexed(f->shape);
}

static void take_start(reading *r, const mt_json *start)
{
    if (start && !start_fits(r->file, start)) {
        complain(
            r, "AG140", start, MT_STR("`start` does not fit the tape's shape"),
            "text or a list; for an indexed tape without `key`, an object of them");
        return;
    }
    r->file->start = start;
}

/* `at` is the tape's own place, for messages. The rule decides whether nodes are added
 * or replace what the key held (§6.3 leaves it open). */
static void take_tape(reading *r, const mt_json *at, const draft_tape *d)
{
    ag_file *f = r->file;
    f->shape = AG_MANY;
    if (!ag_shape_from(d->shape, &f->shape)) {
        complain(r, "AG141", at, MT_STR("`shape` names no tape shape"),
                 "single, many, index-single or index-many");
    }
    if (!mt_str_is(d->rule, "replace") && !mt_str_is(d->rule, "add")) {
        complain(r, "AG142", at, MT_STR("`rule` names no tape rule"), "replace or add");
    }
    f->agent.rule = mt_str_is(d->rule, "add") ? AG_ADD : AG_REPLACE;
    f->key = d->key;
    if (f->key.len && !ag_shape_indexed(f->shape)) {
        complain(r, "AG143", at, MT_STR("only an indexed tape has a `key`"),
                 "use `shape: index-many`, or leave `key` out");
    }
    f->reset_when_empty = mt_str_is(d->when_empty, "start");
    take_start(r, d->start);
}

/* ---- Identity ---- */

enum { MOST_TRUSTED = 4096 };

typedef struct draft_identity {
    ag_identity identity;
    mt_str pin;
    const mt_json *trust;
} draft_identity;

static const mt_form_row IDENTITY_ROWS[] = {
    MT_FORM_FLAG(draft_identity, identity.required, "required", 0),
    MT_FORM_TEXT(draft_identity, pin, "pin", 0),
    MT_FORM_OBJECT(draft_identity, trust, "trust", 0),
    MT_FORM_U64(draft_identity, identity.window_ms, "window_ms", AG_WINDOW_LEAST_MS,
                AG_WINDOW_MOST_MS, 0),
    MT_FORM_TEXT(draft_identity, identity.room, "room", 0),
    MT_FORM_NOTE("note"),
};
static const draft_identity NEW_IDENTITY = {
    .identity = {.required = true, .window_ms = AG_WINDOW_MS}};
static const mt_form_table IDENTITY =
    MT_FORM_TABLE("`identity`", IDENTITY_ROWS, draft_identity, &NEW_IDENTITY);

static void take_trust(reading *r, const mt_json *trust, ag_identity *out)
{
    uint32_t count = trust ? trust->count : 0;
    ag_trusted *list = mt_new_array(r->doc.a, ag_trusted, count);
    if (count > MOST_TRUSTED) {
        complain(r, "AG162", trust, MT_STR("more than 4096 keys are trusted"), "");
        count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const mt_json_member *m = &trust->as.members[i];
        list[i].name = m->key;
        if (!ag_key_read(mt_json_text(&m->value), &list[i].key)) {
            complain(r, "AG160", &m->value,
                     mt_strf(r->doc.a, "the key of `%.*s` is not a public key",
                             MT_ARG(m->key)),
                     "64 hex digits or base64, as motet agent dna keygen prints it");
        }
    }
    out->trusted = list;
    out->trusted_count = count;
}

/* `trust` with nobody in it would let everybody in, which nobody means. */
static void take_identity(reading *r, const mt_json *at, const draft_identity *d)
{
    ag_identity *out = mt_new(r->doc.a, ag_identity);
    *out = d->identity;
    out->pin_first = mt_str_is(d->pin, "first");
    if (d->pin.ptr && !out->pin_first) {
        complain(r, "AG161", mt_json_at(at, "pin"),
                 MT_STR("`pin` names no way to pin keys"),
                 "first: the first key that signs as a name has that name");
    }
    if (d->trust && !d->trust->count) {
        complain(r, "AG162", d->trust, MT_STR("`trust` names nobody"),
                 "leave it out to take whoever signs");
    }
    take_trust(r, d->trust, out);
    r->file->identity = out;
}

/* ---- The file ---- */

enum { MOST_STYLES = 16 };

typedef struct draft_style {
    mt_str stem, left, right, separator, tip;
} draft_style;

static const mt_form_row STYLE_ROWS[] = {
    MT_FORM_TEXT(draft_style, stem, "stem", MT_FORM_REQUIRED),
    MT_FORM_TEXT(draft_style, left, "left", MT_FORM_REQUIRED),
    MT_FORM_TEXT(draft_style, right, "right", MT_FORM_REQUIRED),
    MT_FORM_TEXT(draft_style, separator, "separator", MT_FORM_REQUIRED),
    MT_FORM_TEXT(draft_style, tip, "tip", MT_FORM_REQUIRED),
};
static const mt_form_table STYLE =
    MT_FORM_TABLE("an arrow style", STYLE_ROWS, draft_style, NULL);

typedef struct draft_file {
    mt_str name, profile, mode, seed;
    bool flow;
    draft_tape tape;
    const mt_json *triggers, *memory;
    const draft_group *groups;
    uint32_t group_count;
    const draft_style *styles;
    uint32_t style_count;
    draft_identity identity;
    const mt_json *registrations[ROLE_COUNT];
} draft_file;

static const char *const MODES[] = {"profile", "compat", NULL};
static const mt_form_row FILE_ROWS[] = {
    MT_FORM_TEXT(draft_file, name, "agent", 0),
    MT_FORM_TEXT(draft_file, profile, "profile", 0),
    MT_FORM_ONE_OF(draft_file, mode, "mode", MODES, 0),
    MT_FORM_FLAG(draft_file, flow, "flow", 0),
    MT_FORM_INSIDE(draft_file, tape, "tape", &TAPE, 0),
    MT_FORM_ANY(draft_file, triggers, "triggers", 0),
    MT_FORM_OBJECT(draft_file, memory, "memory", 0),
    MT_FORM_TEXT(draft_file, seed, "seed", 0),
    MT_FORM_LIST_OF(draft_file, registrations[ROLE_RECEIVER], "receivers",
                    &OWN[ROLE_RECEIVER], 0, UINT32_MAX, 0),
    MT_FORM_LIST_OF(draft_file, registrations[ROLE_SENDER], "senders",
                    &OWN[ROLE_SENDER], 0, UINT32_MAX, 0),
    MT_FORM_LIST_OF(draft_file, registrations[ROLE_HOOK], "hooks", &OWN[ROLE_HOOK], 0,
                    UINT32_MAX, 0),
    MT_FORM_MAP(draft_file, groups, group_count, "handlers", &GROUP, UINT32_MAX, 0),
    MT_FORM_INSIDE(draft_file, identity, "identity", &IDENTITY, 0),
    MT_FORM_EACH(draft_file, styles, style_count, "styles", &STYLE, MOST_STYLES, 0),
    MT_FORM_NOTE("note"),
};
const mt_form_table AG_FILE_FORM =
    MT_FORM_TABLE("an agent", FILE_ROWS, draft_file, NULL);

/* A profile that is not known is refused: what its rules mean cannot be guessed. */
static void take_head(reading *r, const mt_json *tree, const draft_file *d)
{
    ag_file *f = r->file;
    f->agent.name = d->name;
    f->seed = d->seed;
    if (!mt_str_is(d->profile, AG_PROFILE_ID)) {
        complain(
            r, "AG103", mt_json_at(tree, "profile"),
            mt_strf(r->doc.a, "profile `%.*s` is not supported", MT_ARG(d->profile)),
            "this build knows " AG_PROFILE_ID);
    }
    if (!ag_mode_from(d->mode, &f->agent.mode)) {
        complain(r, "AG104", mt_json_at(tree, "mode"), MT_STR("no such mode"),
                 "profile or compat");
    }
    f->agent.flow_off = !d->flow;
    f->memory = d->memory;
    take_declared(r, d->triggers);
}

/* Compat only: the profile has one style, in which its canonical texts are written. */
static void take_styles(reading *r, const mt_json *tree, const draft_file *d)
{
    const mt_json *list = mt_json_at(tree, "styles");
    ag_style *items = mt_new_array(r->doc.a, ag_style, d->style_count);
    if (d->style_count && r->file->agent.mode == AG_PROFILE) {
        complain(r, "AG106", list, MT_STR("other arrow styles are for compat mode"),
                 "write --[label]--> or -->, or say `mode: compat`");
        return;
    }
    for (uint32_t i = 0; i < d->style_count; i++) {
        const draft_style *s = &d->styles[i];
        const char *why = NULL;
        if (ag_style_make(r->doc.a, s->stem, s->left, s->right, s->separator, s->tip,
                          &items[i], &why)) {
            complain(r, "AG107", &list->as.items[i],
                     mt_strf(r->doc.a, "this is not an arrow style: %s", why),
                     "{stem: \"-\", left: \"[\", right: \"]\", separator: \",\", "
                     "tip: \">\"}");
            return;
        }
    }
    if (d->style_count) {
        ag_styles *styles = mt_new(r->doc.a, ag_styles);
        *styles = (ag_styles){items, d->style_count};
        r->file->agent.styles = styles;
    }
}

static void take_groups(reading *r, const mt_json *tree, const draft_file *d)
{
    const mt_json *groups = mt_json_at(tree, "handlers");
    ag_group *out = mt_new_array(r->doc.a, ag_group, d->group_count);
    for (uint32_t i = 0; i < d->group_count; i++) {
        out[i] = take_group(r, &d->groups[i], &groups->as.members[i].value);
    }
    r->file->groups = out;
    r->file->group_count = d->group_count;
}

/* The lists that are there, and no more of their items than a limit allows. */
static bool settle_lists(reading *r, draft_file *d)
{
    static const mt_json EMPTY = {.type = MT_JSON_ARRAY};
    size_t count = 0;
    for (role as = 0; as < ROLE_COUNT; as++) {
        d->registrations[as] = d->registrations[as] ? d->registrations[as] : &EMPTY;
        count += d->registrations[as]->count;
    }
    if (count > MT_LIMITS_DEFAULT.agent_registrations) {
        complain(r, "AG105", NULL,
                 MT_STR("more than agent_registrations registrations"), "");
        return false;
    }
    return true;
}

/* Bindings stand in lists of their own, parallel to the registrations: the engine knows
 * routes, only hosts know what answers. */
static void take_registrations(reading *r, const draft_file *d)
{
    const mt_json *receivers = d->registrations[ROLE_RECEIVER];
    const mt_json *senders = d->registrations[ROLE_SENDER];
    const mt_json *hooks = d->registrations[ROLE_HOOK];
    ag_receiver *in = mt_new_array(r->doc.a, ag_receiver, receivers->count);
    ag_sender *out = mt_new_array(r->doc.a, ag_sender, senders->count);
    ag_hook *between = mt_new_array(r->doc.a, ag_hook, hooks->count);
    ag_file *f = r->file;
    f->receivers = read_role(r, ROLE_RECEIVER, receivers, (char *)in, sizeof *in);
    f->senders = read_role(r, ROLE_SENDER, senders, (char *)out, sizeof *out);
    f->hooks = read_role(r, ROLE_HOOK, hooks, (char *)between, sizeof *between);
    f->agent.receivers = in;
    f->agent.receiver_count = receivers->count;
    f->agent.senders = out;
    f->agent.sender_count = senders->count;
    f->agent.hooks = between;
    f->agent.hook_count = hooks->count;
}

static const char *code_of(const mt_form_fault *fault)
{
    return fault->wrong == MT_FORM_UNKNOWN_KEY ? "AG102" : "AG101";
}

/* All faults are told before the answer. On MT_E_REJECTED `out` may be half filled; it
 * points into `a` and needs no freeing. */
mt_err ag_file_read(mt_arena *a, mt_str name, mt_str text, const mt_json *tree,
                    mt_diags *ds, ag_file *out)
{
    reading r = {
        .doc = {a, name, text, ds, code_of, "docs/reference/agents.md lists the keys"},
        .file = out};
    draft_file d = {.name = mt_str_stem(mt_str_basename(name)),
                    .profile = MT_STR(AG_PROFILE_ID),
                    .mode = MT_STR("profile"),
                    .flow = true,
                    .tape = {.shape = MT_STR("many"), .rule = MT_STR("replace")},
                    .identity = NEW_IDENTITY};
    size_t before = ds->errors;
    memset(out, 0, sizeof *out);
    if (!mt_json_is(tree, MT_JSON_OBJECT)) {
        complain(&r, "AG100", tree, MT_STR("an agent file is an object"),
                 "it has receivers, senders and hooks");
        return MT_E_REJECTED;
    }
    r.form = ag_form(&r.doc, "an agent file");
    mt_form_read(&r.form, tree, FILE_ROWS, mt_form_count(FILE_ROWS), &d);
    if (!settle_lists(&r, &d)) {
        return MT_E_REJECTED;
    }
    take_head(&r, tree, &d);
    take_styles(&r, tree, &d);
    take_tape(&r, mt_json_at(tree, "tape"), &d.tape);
    take_groups(&r, tree, &d);
    if (mt_json_is(mt_json_at(tree, "identity"), MT_JSON_OBJECT)) {
        take_identity(&r, mt_json_at(tree, "identity"), &d.identity);
    }
    take_registrations(&r, &d);
    return ds->errors > before ? MT_E_REJECTED : MT_OK;
}
