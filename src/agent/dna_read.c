/* agent/dna_read.c - DNA documents into agents; see dna.h. Codes AG2xx.
 * Both forms are read the same way; a table per form says how members are called.
 * Whatever of a document says what the agent does is kept, so that pins, differences
 * and signatures cover it: of the SDK's entries also what we cannot run. */
#include "agent/dna.h"

#include <math.h>

#include "agent/value.h"
#include "base/number.h"
#include "base/vec.h"

enum { EVERY_MOST_MS = 1000000000, SOURCE_DEPTH = 100 };

typedef struct reading {
    mt_arena *a;
    mt_str name, text;
    mt_diags *ds;
    ag_mode mode;
    bool strict; /* it says its format, so whatever that does not have is refused */
    MT_VEC(ag_receiver) receivers;
    MT_VEC(ag_sender) senders;
    MT_VEC(ag_hook) hooks;
    MT_VEC(mt_json) others;
    const mt_json *settings;
} reading;

static void complain(reading *r, const char *code, const mt_json *at, mt_str message)
{
    mt_diag d = {.severity = MT_ERROR,
                 .code = code,
                 .pass = -1,
                 .file = r->name,
                 .message = message};
    if (at && r->text.ptr) {
        mt_json_place(r->text, at->offset, &d.line, &d.column);
    }
    mt_diag_add(r->ds, &d);
}

static mt_str text_at(reading *r, const mt_json *object, const char *key, bool needed)
{
    const mt_json *v = mt_json_get(object, mt_str_z(key));
    if (!mt_json_is(v, MT_JSON_STRING) && (v || needed)) {
        complain(r, "AG201", v ? v : object, mt_strf(r->a, "`%s` must be a text", key));
    }
    return mt_json_is(v, MT_JSON_STRING) ? mt_json_text(v) : MT_STR("");
}

static ag_priority priority_at(reading *r, const mt_json *object)
{
    const mt_json *list = mt_json_at(object, "priority");
    uint32_t count = mt_json_is(list, MT_JSON_ARRAY) ? list->count : 0;
    int64_t *items = mt_new_array(r->a, int64_t, count);
    bool ok = !list || mt_json_is(list, MT_JSON_ARRAY);
    for (uint32_t i = 0; i < count; i++) {
        ok &= mt_json_i64(&list->as.items[i], &items[i]) == MT_OK;
    }
    if (!ok) {
        complain(r, "AG202", list,
                 MT_STR("`priority` must be a list of whole numbers"));
    }
    return (ag_priority){items, count};
}

/* An SDK document keeps routes that do not parse; a profile document has none. */
static bool route_at(reading *r, const mt_json *object, mt_str *text, ag_route *route)
{
    ag_fault fault = {0};
    *text = text_at(r, object, "route", true);
    if (!ag_route_parse(r->a, r->mode, NULL, *text, route, &fault)) {
        return true;
    }
    if (r->mode == AG_PROFILE) {
        complain(r, "AG203", mt_json_at(object, "route"),
                 mt_strf(r->a, "route `%.*s`, character %zu: %s", MT_ARG(*text),
                         fault.offset + 1, fault.message));
    }
    return false;
}

static bool flag_at(reading *r, const mt_json *object, const char *key)
{
    const mt_json *v = mt_json_get(object, mt_str_z(key));
    if (v && !mt_json_is(v, MT_JSON_BOOL)) {
        complain(r, "AG204", v, mt_strf(r->a, "`%s` must be true or false", key));
    }
    return v && v->boolean;
}

/* A filter: absent when null (profile) or, in the SDK's form, when empty. */
static const mt_json *filter_at(reading *r, const mt_json *object, const char *key)
{
    const mt_json *v = mt_json_get(object, mt_str_z(key));
    if (!v || mt_json_is(v, MT_JSON_NULL)) {
        return NULL;
    }
    if (!mt_json_is(v, MT_JSON_ARRAY)) {
        complain(r, "AG205", v, mt_strf(r->a, "`%s` must be a list or null", key));
        return NULL;
    }
    return r->mode == AG_COMPAT && !v->count ? NULL : v;
}

static void read_filters(reading *r, const mt_json *at, ag_sender *s)
{
    const mt_json *actions = filter_at(r, at, "on_actions");
    const mt_json *triggers = filter_at(r, at, "on_triggers");
    s->has_actions = actions != NULL;
    s->has_triggers = triggers != NULL;
    for (uint32_t i = 0; actions && i < actions->count; i++) {
        ag_action action;
        if (!ag_action_from(mt_json_text(&actions->as.items[i]), &action) ||
            action == AG_NONE || action == AG_EVENT) {
            complain(r, "AG206", &actions->as.items[i], MT_STR("no such action"));
        } else {
            s->actions |= (uint8_t)(1u << action);
        }
    }
    s->trigger_count = triggers ? triggers->count : 0;
    mt_str *names = mt_new_array(r->a, mt_str, s->trigger_count);
    for (uint32_t i = 0; i < s->trigger_count; i++) {
        names[i] = mt_json_text(&triggers->as.items[i]);
    }
    s->triggers = names;
}

/* --- what a registration does
 * -------------------------------------------------------------------- */

static const mt_json *object_at(reading *r, const mt_json *object, const char *key)
{
    const mt_json *v = mt_json_get(object, mt_str_z(key));
    if (v && !mt_json_is(v, MT_JSON_OBJECT)) {
        complain(r, "AG213", v, mt_strf(r->a, "`%s` must be an object", key));
        return NULL;
    }
    return v;
}

/* An object written as a text, as our own agents' behaviour is in the SDK's form. */
static const mt_json *object_in(reading *r, mt_str text)
{
    mt_json *tree = mt_new(r->a, mt_json);
    mt_json_limits limits = {.depth = SOURCE_DEPTH};
    bool is = text.len && text.ptr[0] == '{' &&
              !mt_json_read(r->a, text, &limits, tree, NULL) &&
              mt_json_is(tree, MT_JSON_OBJECT);
    return is ? tree : NULL;
}

static bool in_list(const char *const *names, mt_str name)
{
    while (*names && !mt_str_eq(mt_str_z(*names), name)) {
        names++;
    }
    return *names != NULL;
}

/* Is the member of an SDK entry written elsewhere in our form? */
static bool known_member(mt_str key, const ag_sender *s)
{
    static const char *const KNOWN[] = {
        "type",        "route",      "route_key", "priority", "multi",     "use_data",
        "on_triggers", "on_actions", "module",    "fn_name",  "direction", NULL};
    return in_list(KNOWN, key) || (s && s->every_ms && mt_str_is(key, "every")) ||
           (s && s->run_while && mt_str_starts(key, MT_STR("run_while_")));
}

/* Does it say that there is nothing to say? */
static bool says_nothing(const mt_json *value)
{
    static const char *const NOTHING[] = {"none", "live", "<source>", NULL};
    return mt_json_is(value, MT_JSON_NULL) ||
           (mt_json_is(value, MT_JSON_STRING) && in_list(NOTHING, mt_json_text(value)));
}

/* Everything that an entry of the SDK says and that we do not know by another name: its
 * source, callbacks, and what later versions may add. */
static const mt_json *foreign_behaviour(reading *r, const mt_json *at,
                                        const ag_sender *s)
{
    mt_json *out = mt_new(r->a, mt_json);
    mt_json_member *own = mt_new_array(r->a, mt_json_member, at->count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < at->count; i++) {
        const mt_json_member *m = &at->as.members[i];
        if (!known_member(m->key, s) && !says_nothing(&m->value)) {
            own[count++] = *m;
        }
    }
    *out = ag_object_value(own, count);
    return count ? out : NULL;
}

/* An entry is one of ours only if it says nothing beside its source: whatever else it
 * says would not be covered. */
static const mt_json *behaviour_at(reading *r, const mt_json *at, const ag_sender *s)
{
    if (r->mode == AG_PROFILE) {
        return object_at(r, at, "behaviour");
    }
    const mt_json *own = object_in(r, mt_json_text(mt_json_at(at, "source")));
    const mt_json *foreign = foreign_behaviour(r, at, s);
    bool ours =
        (mt_json_at(own, "rules") || mt_json_at(own, "command")) && foreign->count == 1;
    return ours ? own : foreign;
}

static bool silent_at(const mt_json *at, const char *key)
{
    const mt_json *value = mt_json_get(at, mt_str_z(key));
    return !value || says_nothing(value);
}

/* True, false, or a condition, as we write them; the SDK's callables are source, which
 * we only keep. */
static const mt_json *run_while_of_sdk(reading *r, const mt_json *at)
{
    const mt_json *value = mt_json_at(at, "run_while_value");
    mt_str kind = mt_json_text(mt_json_at(at, "run_while_kind"));
    if (!silent_at(at, "run_while_name")) {
        return NULL;
    }
    if (mt_str_is(kind, "callable") && silent_at(at, "run_while_value")) {
        return object_in(r, mt_json_text(mt_json_at(at, "run_while_source")));
    }
    return mt_str_is(kind, "bool") && mt_json_is(value, MT_JSON_BOOL) &&
                   silent_at(at, "run_while_source")
               ? value
               : NULL;
}

static const mt_json *run_while_at(reading *r, const mt_json *at)
{
    if (r->mode == AG_COMPAT) {
        return run_while_of_sdk(r, at);
    }
    const mt_json *run = mt_json_at(at, "run_while");
    return mt_json_is(run, MT_JSON_BOOL) ? run : object_at(r, at, "run_while");
}

static uint64_t bad_timer(reading *r, const mt_json *at, const char *message)
{
    complain(r, "AG215", at, mt_str_z(message));
    return 0;
}

/* Seconds; 0 when they are not whole milliseconds: then only their text is kept. */
static uint64_t every_of_sdk(reading *r, const mt_json *every)
{
    double seconds;
    if (!mt_json_is(every, MT_JSON_NUMBER) ||
        mt_number_parse(mt_json_text(every), &seconds) || !(seconds > 0) ||
        seconds > EVERY_MOST_MS / 1000) {
        return bad_timer(r, every, "`every` must be seconds, above 0 to 1000000");
    }
    double ms = seconds * 1000;
    return fabs(ms - round(ms)) < 1e-6 ? (uint64_t)round(ms) : 0;
}

static uint64_t every_at(reading *r, const mt_json *at)
{
    const mt_json *sdk = mt_json_at(at, "every"), *every = mt_json_at(at, "every_ms");
    int64_t n;
    if (r->mode == AG_COMPAT) {
        return sdk && !mt_json_is(sdk, MT_JSON_NULL) ? every_of_sdk(r, sdk) : 0;
    }
    if (!every) {
        return 0;
    }
    if (mt_json_i64(every, &n) || n < 1 || n > EVERY_MOST_MS) {
        return bad_timer(r, every,
                         "`every_ms` must be a whole number from 1 to 1000000000");
    }
    return (uint64_t)n;
}

/* --- registrations
 * -------------------------------------------------------------------------------- */

static void read_receiver(reading *r, const mt_json *at, mt_str function)
{
    ag_receiver *x = mt_vec_add(r->a, &r->receivers);
    *x = (ag_receiver){.name = function, .module = text_at(r, at, "module", false)};
    x->behaviour = behaviour_at(r, at, NULL);
    x->priority = priority_at(r, at);
    x->parsed = route_at(r, at, &x->text, &x->route);
}

static void read_sender(reading *r, const mt_json *at, mt_str function)
{
    ag_sender *x = mt_vec_add(r->a, &r->senders);
    *x = (ag_sender){.name = function, .module = text_at(r, at, "module", false)};
    x->priority = priority_at(r, at);
    x->parsed = route_at(r, at, &x->text, &x->route);
    read_filters(r, at, x);
    x->multi = flag_at(r, at, "multi");
    x->use_data = flag_at(r, at, "use_data");
    x->every_ms = every_at(r, at);
    x->run_while = run_while_at(r, at);
    x->behaviour = behaviour_at(r, at, x);
}

static void read_hook(reading *r, const mt_json *at, mt_str function)
{
    ag_hook *x = mt_vec_add(r->a, &r->hooks);
    mt_str direction = text_at(r, at, "direction", true);
    *x = (ag_hook){.name = function, .module = text_at(r, at, "module", false)};
    x->behaviour = behaviour_at(r, at, NULL);
    x->priority = priority_at(r, at);
    bool send = mt_str_is(direction, "send") || mt_str_is(direction, "SEND");
    if (!send && !mt_str_is(direction, "receive") && !mt_str_is(direction, "RECEIVE")) {
        complain(r, "AG207", at, MT_STR("a hook's direction is receive or send"));
    }
    x->direction = send ? AG_SEND : AG_RECEIVE;
}

enum { MEMBERS_MOST = 13 };

static const struct kind {
    mt_str profile, sdk;
    void (*read)(reading *, const mt_json *, mt_str);
    const char *members[MEMBERS_MOST]; /* of the profile's form */
} KINDS[] = {
    {MT_STR_INIT("receiver"),
     MT_STR_INIT("receive"),
     read_receiver,
     {"behaviour", "function", "kind", "module", "priority", "route", NULL}},
    {MT_STR_INIT("sender"),
     MT_STR_INIT("send"),
     read_sender,
     {"behaviour", "every_ms", "function", "kind", "module", "multi", "on_actions",
      "on_triggers", "priority", "route", "run_while", "use_data", NULL}},
    {MT_STR_INIT("hook"),
     MT_STR_INIT("hook"),
     read_hook,
     {"behaviour", "direction", "function", "kind", "module", "priority", NULL}},
};

/* What is not known is not covered by the pin, so nobody may put it there. */
static void refuse_strangers(reading *r, const mt_json *object,
                             const char *const *members)
{
    for (uint32_t i = 0; r->strict && i < object->count; i++) {
        mt_str key = object->as.members[i].key;
        if (!in_list(members, key)) {
            complain(r, "AG217", &object->as.members[i].value,
                     mt_strf(r->a, "`%.*s` is no member here", MT_ARG(key)));
        }
    }
}

/* The SDK's entries that register nothing: kept, because they are code as well. */
static bool is_other(mt_str kind)
{
    return mt_str_is(kind, "upload_states") || mt_str_is(kind, "download_states") ||
           mt_str_is(kind, "__context__");
}

static void read_entry(reading *r, const mt_json *at, bool sdk)
{
    if (!mt_json_is(at, MT_JSON_OBJECT)) {
        complain(r, "AG208", at, MT_STR("a registration is an object"));
        return;
    }
    mt_str kind = text_at(r, at, sdk ? "type" : "kind", true);
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (mt_str_eq(kind, sdk ? KINDS[i].sdk : KINDS[i].profile)) {
            refuse_strangers(r, at, KINDS[i].members);
            KINDS[i].read(r, at, text_at(r, at, sdk ? "fn_name" : "function", !sdk));
            return;
        }
    }
    if (sdk && is_other(kind)) {
        mt_vec_push(r->a, &r->others, *at);
    } else {
        complain(r, "AG209", at,
                 mt_strf(r->a, "`%.*s` is no kind of registration", MT_ARG(kind)));
    }
}

static const mt_json *few_enough(reading *r, const mt_json *list)
{
    if (list->count > MT_LIMITS_DEFAULT.agent_registrations) {
        complain(r, "AG212", list,
                 MT_STR("more than agent_registrations registrations"));
        return NULL;
    }
    return list;
}

static void read_others(reading *r, const mt_json *tree)
{
    const mt_json *list = mt_json_at(tree, "others");
    bool is_list = mt_json_is(list, MT_JSON_ARRAY);
    if (list && !is_list) {
        complain(r, "AG216", list, MT_STR("`others` must be a list"));
    }
    for (uint32_t i = 0; is_list && few_enough(r, list) && i < list->count; i++) {
        if (!is_other(mt_json_text(mt_json_at(&list->as.items[i], "type")))) {
            complain(r, "AG216", &list->as.items[i], MT_STR("no such entry"));
        }
        mt_vec_push(r->a, &r->others, list->as.items[i]);
    }
}

static const mt_json *entries_of(reading *r, const mt_json *tree)
{
    const mt_json *inner = mt_json_at(tree, "dna"); /* of a signed document */
    tree = inner ? inner : tree;
    if (mt_json_is(tree, MT_JSON_ARRAY)) {
        r->mode = AG_COMPAT;
        return few_enough(r, tree);
    }
    mt_str profile = mt_json_text(mt_json_at(tree, "profile"));
    const mt_json *list = mt_json_at(tree, "registrations");
    const mt_json *format = mt_json_at(tree, "format");
    if (format && !mt_str_is(mt_json_text(format), AG_DNA_FORMAT)) {
        complain(r, "AG214", format, MT_STR("`format` must be " AG_DNA_FORMAT));
    } else if (!mt_str_is(profile, AG_PROFILE_ID)) {
        complain(r, "AG210", tree,
                 mt_strf(r->a, "`profile` must be %s", AG_PROFILE_ID));
    } else if (!mt_json_is(list, MT_JSON_ARRAY)) {
        complain(r, "AG211", tree, MT_STR("`registrations` must be a list"));
    } else {
        static const char *const MEMBERS[] = {"format",        "others",   "profile",
                                              "registrations", "settings", NULL};
        r->strict = format != NULL;
        refuse_strangers(r, tree, MEMBERS);
        r->settings = object_at(r, tree, "settings");
        read_others(r, tree);
        return few_enough(r, list);
    }
    return NULL;
}

mt_err ag_dna_read(mt_arena *a, mt_str name, mt_str text, const mt_json *tree,
                   mt_diags *ds, ag_agent *out)
{
    reading r = {.a = a, .name = name, .text = text, .ds = ds};
    size_t before = ds->errors;
    memset(out, 0, sizeof *out);
    const mt_json *list = entries_of(&r, tree);
    for (uint32_t i = 0; list && i < list->count; i++) {
        read_entry(&r, &list->as.items[i], r.mode == AG_COMPAT);
    }
    *out = (ag_agent){.name = name,
                      .mode = r.mode,
                      .receivers = r.receivers.items,
                      .senders = r.senders.items,
                      .hooks = r.hooks.items,
                      .receiver_count = (uint32_t)r.receivers.len,
                      .sender_count = (uint32_t)r.senders.len,
                      .hook_count = (uint32_t)r.hooks.len,
                      .settings = r.settings,
                      .others = r.others.items,
                      .other_count = (uint32_t)r.others.len};
    return ds->errors > before ? MT_E_REJECTED : MT_OK;
}
