/* agent/agent_file.c - see agent_file.h: reading and checking.
 * Diagnostics have codes AG1xx. Every key is known or refused; every fault of the file
 * is reported, not only the first. */
#include "agent/agent_file.h"

#include "agent/template.h"
#include "agent/value.h"
#include "base/vec.h"

typedef struct reading {
    mt_arena *a;
    mt_str name, text;
    mt_diags *ds;
    ag_file *file;
    const mt_json *triggers; /* declared names; NULL: any */
} reading;

typedef enum role { ROLE_RECEIVER, ROLE_SENDER, ROLE_HOOK } role;
static const char *const ROLES[] = {"receiver", "sender", "hook"};

static void complain(reading *r, const char *code, const mt_json *at, mt_str message,
                     const char *hint)
{
    mt_diag d = {.severity = MT_ERROR,
                 .code = code,
                 .pass = -1,
                 .file = r->name,
                 .message = message,
                 .hint = mt_str_z(hint)};
    if (at && r->text.ptr) {
        mt_json_place(r->text, at->offset, &d.line, &d.column);
    }
    mt_diag_add(r->ds, &d);
}

static void wrong_type(reading *r, const mt_json *at, const char *what,
                       const char *wanted)
{
    complain(
        r, "AG101", at,
        mt_strf(r->a, "`%s` must be %s, not %s", what, wanted, mt_json_type_name(at)),
        "");
}

static bool listed(const char *const *names, mt_str name)
{
    for (; *names; names++) {
        if (mt_str_eq(mt_str_z(*names), name)) {
            return true;
        }
    }
    return false;
}

static void check_keys(reading *r, const mt_json *object, const char *const *names,
                       const char *what)
{
    for (uint32_t i = 0; i < object->count; i++) {
        const mt_json_member *m = &object->as.members[i];
        if (!listed(names, m->key)) {
            complain(r, "AG102", &m->value,
                     mt_strf(r->a, "%s has no key `%.*s`", what, MT_ARG(m->key)),
                     "docs/agents.md lists the keys");
        }
    }
}

static mt_str text_at(reading *r, const mt_json *object, const char *key, mt_str none)
{
    const mt_json *v = mt_json_get(object, mt_str_z(key));
    if (!v) {
        return none;
    }
    if (!mt_json_is(v, MT_JSON_STRING)) {
        wrong_type(r, v, key, "a text");
        return none;
    }
    return mt_json_text(v);
}

static bool bool_at(reading *r, const mt_json *object, const char *key)
{
    const mt_json *v = mt_json_get(object, mt_str_z(key));
    if (v && !mt_json_is(v, MT_JSON_BOOL)) {
        wrong_type(r, v, key, "true or false");
    }
    return v && v->boolean;
}

static uint64_t number_at(reading *r, const mt_json *object, const char *key,
                          int64_t least, uint64_t none)
{
    const mt_json *v = mt_json_get(object, mt_str_z(key));
    int64_t n;
    if (!v) {
        return none;
    }
    if (mt_json_i64(v, &n) || n < least || n > 1000000000) {
        wrong_type(
            r, v, key,
            mt_strf(r->a, "a whole number from %lld to 1000000000", (long long)least)
                .ptr);
        return none;
    }
    return (uint64_t)n;
}

/* The list under a key; an absent one is empty. */
static const mt_json *list_at(reading *r, const mt_json *object, const char *key)
{
    static const mt_json EMPTY = {.type = MT_JSON_ARRAY};
    const mt_json *v = mt_json_get(object, mt_str_z(key));
    if (v && !mt_json_is(v, MT_JSON_ARRAY)) {
        wrong_type(r, v, key, "a list");
        return &EMPTY;
    }
    return v ? v : &EMPTY;
}

static ag_priority priority_at(reading *r, const mt_json *object)
{
    const mt_json *list = list_at(r, object, "priority");
    int64_t *items = mt_new_array(r->a, int64_t, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        if (mt_json_i64(&list->as.items[i], &items[i])) {
            wrong_type(r, &list->as.items[i], "priority", "a list of whole numbers");
        }
    }
    return (ag_priority){items, list->count};
}

/* --- routes
 * ------------------------------------------------------------------------------ */

/* Column of the fault inside the route's text, for one-line texts. */
static void bad_route(reading *r, const mt_json *at, mt_str text, const ag_fault *fault)
{
    complain(
        r, "AG110", at,
        mt_strf(r->a, "route `%.*s`, character %zu: %s", MT_ARG(text),
                fault->offset + 1, fault->message),
        "a route is `A`, `A --> B` or `A --[f]--> B`, with lists A,B and the forms "
        "/all, /oneof(A,B), /not(A,B)");
}

static bool route_at(reading *r, const mt_json *object, mt_str *text, ag_route *route)
{
    const mt_json *v = mt_json_at(object, "route");
    ag_fault fault;
    if (!v) {
        complain(r, "AG111", object, MT_STR("a `route` is missing"), "");
        return false;
    }
    *text = text_at(r, object, "route", MT_STR(""));
    ag_mode mode = r->file->agent.mode;
    if (!ag_route_parse(r->a, mode, r->file->agent.styles, *text, route, &fault)) {
        return true;
    }
    if (mode == AG_PROFILE) {
        bad_route(r, v, *text, &fault);
    }
    return false;
}

/* --- triggers
 * ------------------------------------------------------------------------------ */

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

static void check_trigger(reading *r, const mt_json *at, mt_str name)
{
    if (r->triggers && !in_tree(r->triggers, name)) {
        complain(r, "AG112", at,
                 mt_strf(r->a, "`%.*s` is none of the agent's triggers", MT_ARG(name)),
                 "add it under `triggers`, or correct the name");
    }
}

/* --- rules
 * ------------------------------------------------------------------------------------
 */

static void check_template(reading *r, const mt_json *rule, const char *key)
{
    const mt_json *v = mt_json_get(rule, mt_str_z(key)), *where = v;
    const char *fault = v ? ag_check_template(r->a, v, &where) : NULL;
    if (fault) {
        complain(r, "AG120", where, mt_str_z(fault), "");
    }
}

static void check_object(reading *r, const mt_json *rule, const char *key)
{
    const mt_json *v = mt_json_get(rule, mt_str_z(key));
    if (v && !mt_json_is(v, MT_JSON_OBJECT)) {
        wrong_type(r, v, key, "an object");
    } else {
        check_template(r, rule, key);
    }
}

static void check_counts(reading *r, const mt_json *rule)
{
    const mt_json *v = mt_json_at(rule, "count");
    int64_t n;
    if (v && !mt_json_is(v, MT_JSON_OBJECT)) {
        wrong_type(r, v, "count", "an object");
        return;
    }
    for (uint32_t i = 0; v && i < v->count; i++) {
        if (mt_json_i64(&v->as.members[i].value, &n)) {
            wrong_type(r, &v->as.members[i].value, "count", "whole numbers");
        }
    }
}

static void check_action(reading *r, const mt_json *rule)
{
    const mt_json *v = mt_json_at(rule, "do");
    ag_action action;
    if (!v) {
        complain(r, "AG121", rule, MT_STR("the rule does not say what to `do`"),
                 "`do: move`, `stay`, `test` or `none`");
    } else if (!ag_action_from(mt_json_text(v), &action) || action == AG_EVENT) {
        complain(r, "AG121", v,
                 mt_strf(r->a, "`%.*s` is no action", MT_ARG(mt_json_text(v))),
                 "`move`, `stay`, `test` or `none`");
    }
    const mt_json *trigger = mt_json_at(rule, "trigger");
    if (trigger) {
        check_trigger(r, trigger, text_at(r, rule, "trigger", MT_STR("")));
    }
}

static void check_rule(reading *r, role as, const mt_json *rule)
{
    const mt_json *when = mt_json_at(rule, "when"), *where = when;
    const char *fault = when ? ag_check_condition(r->a, when, &where) : NULL;
    if (fault) {
        complain(r, "AG122", where, mt_str_z(fault), "");
    }
    check_object(r, rule, "remember");
    check_object(r, rule, "set");
    check_counts(r, rule);
    check_template(r, rule, "data");
    check_template(r, rule, "message");
    check_template(r, rule, "replace");
    text_at(r, rule, "fail", MT_STR(""));
    bool_at(r, rule, "drop");
    if (as == ROLE_RECEIVER && !mt_json_at(rule, "fail")) {
        check_action(r, rule);
    }
}

/* ORDER role */
static const char *const RULE_KEYS[][14] = {
    {"when", "do", "trigger", "data", "remember", "count", "fail", NULL},
    {"when", "message", "remember", "count", "fail", NULL},
    {"when", "drop", "set", "replace", "remember", "count", "fail", NULL},
};
static const char *const OWN_KEYS[][24] = {
    {"name", "module", "route", "priority", "rules", "handler", "when", "do", "trigger",
     "data", "remember", "count", "fail", "note", NULL},
    {"name", "module", "route", "priority", "rules", "handler", "when", "message",
     "remember", "count", "fail", "on_actions", "on_triggers", "multi", "use_data",
     "every_ms", "run_while", "note", NULL},
    {"name", "module", "direction", "priority", "rules", "handler", "when", "drop",
     "set", "replace", "remember", "count", "fail", "note", NULL},
};

/* A registration that is its own rule: what of it belongs to the rule. */
static const mt_json *one_rule(reading *r, role as, const mt_json *registration)
{
    uint32_t count = 0;
    mt_json_member *own = mt_new_array(r->a, mt_json_member, registration->count);
    for (uint32_t i = 0; i < registration->count; i++) {
        if (listed(RULE_KEYS[as], registration->as.members[i].key)) {
            own[count++] = registration->as.members[i];
        }
    }
    mt_json *rule = mt_new(r->a, mt_json), *list = mt_new(r->a, mt_json);
    *rule = ag_object_value(own, count);
    *list = ag_list_value(rule, 1);
    list->offset = rule->offset = registration->offset;
    return list;
}

static void check_rules(reading *r, role as, const mt_json *rules)
{
    for (uint32_t i = 0; i < rules->count; i++) {
        const mt_json *rule = &rules->as.items[i];
        if (!mt_json_is(rule, MT_JSON_OBJECT)) {
            wrong_type(r, rule, "rules", "a list of objects");
            continue;
        }
        check_keys(r, rule, RULE_KEYS[as], "a rule");
        check_rule(r, as, rule);
    }
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
static ag_binding external(reading *r, const mt_json *at, mt_str handler, mt_str own)
{
    ag_binding b = {.function = own};
    size_t dot = mt_str_find(handler, '.');
    b.group = find_group(r, mt_str_from(handler.ptr, dot));
    if (dot < handler.len) {
        b.function = mt_str_skip(handler, dot + 1);
    }
    if (!b.group) {
        complain(
            r, "AG130", at,
            mt_strf(r->a, "`%.*s` names no group under `handlers`", MT_ARG(handler)),
            "");
    }
    return b;
}

static ag_binding binding_of(reading *r, role as, const mt_json *registration,
                             mt_str own)
{
    const mt_json *handler = mt_json_at(registration, "handler");
    if (handler) {
        return external(r, handler, text_at(r, registration, "handler", MT_STR("")),
                        own);
    }
    const mt_json *rules = mt_json_at(registration, "rules");
    if (rules) {
        rules = list_at(r, registration, "rules");
        check_rules(r, as, rules);
    } else {
        rules = one_rule(r, as, registration);
        check_rule(r, as, registration);
    }
    return (ag_binding){.rules = rules, .function = own};
}

/* --- registrations
 * --------------------------------------------------------------------------- */

static mt_str name_of(reading *r, role as, const mt_json *registration, uint32_t i)
{
    return text_at(r, registration, "name", mt_strf(r->a, "%s%u", ROLES[as], i));
}

static bool usable(reading *r, role as, const mt_json *registration)
{
    if (!mt_json_is(registration, MT_JSON_OBJECT)) {
        wrong_type(r, registration, ROLES[as], "an object");
        return false;
    }
    check_keys(r, registration, OWN_KEYS[as], ROLES[as]);
    return true;
}

static void read_receivers(reading *r, const mt_json *list)
{
    ag_receiver *out = mt_new_array(r->a, ag_receiver, list->count);
    ag_binding *bind = mt_new_array(r->a, ag_binding, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *at = &list->as.items[i];
        if (!usable(r, ROLE_RECEIVER, at)) {
            continue;
        }
        out[i].name = name_of(r, ROLE_RECEIVER, at, i);
        out[i].module = text_at(r, at, "module", r->file->agent.name);
        out[i].priority = priority_at(r, at);
        out[i].parsed = route_at(r, at, &out[i].text, &out[i].route);
        bind[i] = binding_of(r, ROLE_RECEIVER, at, out[i].name);
    }
    r->file->agent.receivers = out;
    r->file->agent.receiver_count = list->count;
    r->file->receivers = bind;
}

static void read_actions(reading *r, const mt_json *at, ag_sender *s)
{
    const mt_json *list = list_at(r, at, "on_actions");
    s->has_actions = mt_json_at(at, "on_actions") != NULL;
    for (uint32_t i = 0; i < list->count; i++) {
        ag_action action;
        mt_str name = mt_json_text(&list->as.items[i]);
        if (!ag_action_from(name, &action) || action == AG_NONE || action == AG_EVENT) {
            complain(r, "AG121", &list->as.items[i],
                     mt_strf(r->a, "`%.*s` is no action", MT_ARG(name)),
                     "`move`, `stay` or `test`");
        } else {
            s->actions |= (uint8_t)(1u << action);
        }
    }
}

static void read_triggers(reading *r, const mt_json *at, ag_sender *s)
{
    const mt_json *list = list_at(r, at, "on_triggers");
    mt_str *names = mt_new_array(r->a, mt_str, list->count);
    s->has_triggers = mt_json_at(at, "on_triggers") != NULL;
    for (uint32_t i = 0; i < list->count; i++) {
        names[i] = mt_json_text(&list->as.items[i]);
        check_trigger(r, &list->as.items[i], names[i]);
    }
    s->triggers = names;
    s->trigger_count = list->count;
}

static void read_timer(reading *r, const mt_json *at, ag_sender *s)
{
    const mt_json *run = mt_json_at(at, "run_while"), *where = run;
    s->every_ms = number_at(r, at, "every_ms", 1, 0);
    if (run && !mt_json_at(at, "every_ms")) {
        complain(r, "AG123", run, MT_STR("`run_while` is for timed senders"),
                 "add `every_ms`, or leave it out");
    }
    const char *fault = run && !mt_json_is(run, MT_JSON_BOOL)
                            ? ag_check_condition(r->a, run, &where)
                            : NULL;
    if (fault) {
        complain(r, "AG122", where, mt_str_z(fault), "");
    }
    s->run_while = run;
}

static void read_senders(reading *r, const mt_json *list)
{
    ag_sender *out = mt_new_array(r->a, ag_sender, list->count);
    ag_binding *bind = mt_new_array(r->a, ag_binding, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *at = &list->as.items[i];
        if (!usable(r, ROLE_SENDER, at)) {
            continue;
        }
        ag_sender *s = &out[i];
        s->name = name_of(r, ROLE_SENDER, at, i);
        s->module = text_at(r, at, "module", r->file->agent.name);
        s->priority = priority_at(r, at);
        s->parsed = route_at(r, at, &s->text, &s->route);
        read_actions(r, at, s);
        read_triggers(r, at, s);
        s->multi = bool_at(r, at, "multi");
        s->use_data = bool_at(r, at, "use_data");
        read_timer(r, at, s);
        bind[i] = binding_of(r, ROLE_SENDER, at, s->name);
        bind[i].message = mt_json_at(at, "message");
    }
    r->file->agent.senders = out;
    r->file->agent.sender_count = list->count;
    r->file->senders = bind;
}

static void read_hooks(reading *r, const mt_json *list)
{
    ag_hook *out = mt_new_array(r->a, ag_hook, list->count);
    ag_binding *bind = mt_new_array(r->a, ag_binding, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const mt_json *at = &list->as.items[i];
        if (!usable(r, ROLE_HOOK, at)) {
            continue;
        }
        mt_str direction = text_at(r, at, "direction", MT_STR(""));
        if (!mt_str_is(direction, "receive") && !mt_str_is(direction, "send")) {
            complain(r, "AG113", at, MT_STR("a hook needs a `direction`"),
                     "`receive` or `send`");
        }
        out[i].direction = mt_str_is(direction, "send") ? AG_SEND : AG_RECEIVE;
        out[i].name = name_of(r, ROLE_HOOK, at, i);
        out[i].module = text_at(r, at, "module", r->file->agent.name);
        out[i].priority = priority_at(r, at);
        bind[i] = binding_of(r, ROLE_HOOK, at, out[i].name);
    }
    r->file->agent.hooks = out;
    r->file->agent.hook_count = list->count;
    r->file->hooks = bind;
}

/* --- the rest of the file
 * ------------------------------------------------------------------------- */

static void read_group(reading *r, const mt_json_member *m, ag_group *g)
{
    static const char *const KEYS[] = {"command", "time_limit_ms", "restarts", "note",
                                       NULL};
    g->name = m->key;
    if (!mt_json_is(&m->value, MT_JSON_OBJECT)) {
        wrong_type(r, &m->value, "handlers", "an object of groups");
        return;
    }
    check_keys(r, &m->value, KEYS, "a handler group");
    const mt_json *command = list_at(r, &m->value, "command");
    mt_str *words = mt_new_array(r->a, mt_str, command->count);
    for (uint32_t i = 0; i < command->count; i++) {
        words[i] = mt_json_text(&command->as.items[i]);
    }
    if (!command->count) {
        complain(r, "AG131", &m->value, MT_STR("a handler group needs a `command`"),
                 "`command: [python3, handlers.py]`");
    }
    g->command = words;
    g->command_count = command->count;
    g->time_limit_ms = number_at(r, &m->value, "time_limit_ms", 1, 1000);
    g->restarts = (uint32_t)number_at(r, &m->value, "restarts", 0, 3);
}

static void read_groups(reading *r, const mt_json *tree)
{
    const mt_json *groups = mt_json_at(tree, "handlers");
    if (!groups) {
        return;
    }
    if (!mt_json_is(groups, MT_JSON_OBJECT)) {
        wrong_type(r, groups, "handlers", "an object");
        return;
    }
    ag_group *out = mt_new_array(r->a, ag_group, groups->count);
    for (uint32_t i = 0; i < groups->count; i++) {
        read_group(r, &groups->as.members[i], &out[i]);
    }
    r->file->groups = out;
    r->file->group_count = groups->count;
}

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

static void read_start(reading *r, const mt_json *start)
{
    if (start && !start_fits(r->file, start)) {
        complain(
            r, "AG140", start, MT_STR("`start` does not fit the tape's shape"),
            "a text or list; for an indexed tape without `key`, an object of them");
        return;
    }
    r->file->start = start;
}

static void read_tape(reading *r, const mt_json *tree)
{
    static const char *const KEYS[] = {"shape", "rule",       "start",
                                       "key",   "when_empty", NULL};
    const mt_json *tape = mt_json_at(tree, "tape");
    ag_file *f = r->file;
    f->shape = AG_MANY;
    if (!tape) {
        return;
    }
    if (!mt_json_is(tape, MT_JSON_OBJECT)) {
        wrong_type(r, tape, "tape", "an object");
        return;
    }
    check_keys(r, tape, KEYS, "`tape`");
    if (!ag_shape_from(text_at(r, tape, "shape", MT_STR("many")), &f->shape)) {
        complain(r, "AG141", tape, MT_STR("`shape` names no tape shape"),
                 "single, many, index-single or index-many");
    }
    mt_str rule = text_at(r, tape, "rule", MT_STR("replace"));
    if (!mt_str_is(rule, "replace") && !mt_str_is(rule, "add")) {
        complain(r, "AG142", tape, MT_STR("`rule` names no tape rule"),
                 "replace or add");
    }
    f->agent.rule = mt_str_is(rule, "add") ? AG_ADD : AG_REPLACE;
    f->key = text_at(r, tape, "key", MT_STR(""));
    if (f->key.len && !ag_shape_indexed(f->shape)) {
        complain(r, "AG143", tape, MT_STR("only an indexed tape has a `key`"),
                 "use `shape: index-many`, or leave `key` out");
    }
    f->reset_when_empty =
        mt_str_is(text_at(r, tape, "when_empty", MT_STR("")), "start");
    read_start(r, mt_json_at(tape, "start"));
}

static void read_head(reading *r, const mt_json *tree)
{
    static const char *const KEYS[] = {
        "agent", "profile",   "mode",    "flow",  "tape",     "triggers", "memory",
        "seed",  "receivers", "senders", "hooks", "handlers", "note",     NULL};
    ag_file *f = r->file;
    check_keys(r, tree, KEYS, "an agent file");
    f->agent.name = text_at(r, tree, "agent", mt_str_stem(mt_str_basename(r->name)));
    f->seed = text_at(r, tree, "seed", MT_STR(""));
    mt_str profile = text_at(r, tree, "profile", MT_STR(AG_PROFILE_ID));
    if (!mt_str_is(profile, AG_PROFILE_ID)) {
        complain(r, "AG103", mt_json_at(tree, "profile"),
                 mt_strf(r->a, "profile `%.*s` is not supported", MT_ARG(profile)),
                 "this build knows " AG_PROFILE_ID);
    }
    if (!ag_mode_from(text_at(r, tree, "mode", MT_STR("profile")), &f->agent.mode)) {
        complain(r, "AG104", mt_json_at(tree, "mode"), MT_STR("no such mode"),
                 "profile or compat");
    }
    const mt_json *flow = mt_json_at(tree, "flow");
    f->agent.flow_off = mt_json_is(flow, MT_JSON_BOOL) && !flow->boolean;
    f->memory = mt_json_at(tree, "memory");
    if (f->memory && !mt_json_is(f->memory, MT_JSON_OBJECT)) {
        wrong_type(r, f->memory, "memory", "an object");
    }
    r->triggers = mt_json_at(tree, "triggers");
}

static bool too_many(reading *r, const mt_json *tree)
{
    size_t count = (size_t)list_at(r, tree, "receivers")->count +
                   list_at(r, tree, "senders")->count +
                   list_at(r, tree, "hooks")->count;
    if (count <= MT_LIMITS_DEFAULT.agent_registrations) {
        return false;
    }
    complain(r, "AG105", NULL, MT_STR("more than agent_registrations registrations"),
             "");
    return true;
}

mt_err ag_file_read(mt_arena *a, mt_str name, mt_str text, const mt_json *tree,
                    mt_diags *ds, ag_file *out)
{
    reading r = {.a = a, .name = name, .text = text, .ds = ds, .file = out};
    size_t before = ds->errors;
    memset(out, 0, sizeof *out);
    if (!mt_json_is(tree, MT_JSON_OBJECT)) {
        complain(&r, "AG100", tree, MT_STR("an agent file is an object"),
                 "it has receivers, senders and hooks");
        return MT_E_REJECTED;
    }
    if (too_many(&r, tree)) {
        return MT_E_REJECTED;
    }
    read_head(&r, tree);
    read_tape(&r, tree);
    read_groups(&r, tree);
    read_receivers(&r, list_at(&r, tree, "receivers"));
    read_senders(&r, list_at(&r, tree, "senders"));
    read_hooks(&r, list_at(&r, tree, "hooks"));
    return ds->errors > before ? MT_E_REJECTED : MT_OK;
}
