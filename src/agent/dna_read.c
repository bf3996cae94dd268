/* agent/dna_read.c - DNA documents into agents; see dna.h. Codes AG2xx.
 *
 * First the form of the document, our own or the SDK's, which is a bare list; then its
 * entries one by one, by the table of their kind. Both forms are read by the same
 * tables but for the members that each calls by another name.
 * INVARIANT: whatever of a document says what the agent does is kept, so that pins,
 * differences and signatures cover it: of the SDK's entries also what we cannot run. A
 * document that says its format has no member that we do not know.
 * May fail: only by reporting; then nothing of the document may be used. */
#include "agent/dna.h"

#include <math.h>

#include "agent/document.h"
#include "agent/value.h"
#include "base/number.h"
#include "base/vec.h"

enum { EVERY_MOST_MS = 1000000000, SOURCE_DEPTH = 100 };

typedef struct reading {
    ag_document doc;
    ag_mode mode;
    bool strict; /* it says its format, so whatever that does not have is refused */
    MT_VEC(ag_receiver) receivers;
    MT_VEC(ag_sender) senders;
    MT_VEC(ag_hook) hooks;
    MT_VEC(mt_json) others;
    const mt_json *settings;
    ag_mode route_mode;      /* how routes are read: by the document's settings */
    const ag_styles *styles; /* NULL: the canonical one */
} reading;

static void complain(reading *r, const char *code, const mt_json *at, mt_str message)
{
    ag_complain(&r->doc, code, at, message, "");
}

/* ---- The form ---- */

/* An entry of either form. */
typedef struct draft {
    mt_str function, module, route, direction;
    ag_priority priority;
    const mt_json *behaviour, *on_actions, *on_triggers, *run_while, *when_data;
    mt_str data_mode;
    bool multi, use_data, gated;
    bool unparsed; /* ours: the route is text that is not to be parsed */
    uint64_t every_ms, after_ms;
} draft;

/* True, false or a condition. */
static bool read_run_while(mt_form *f, const mt_form_row *row, const mt_json *v,
                           void *to)
{
    if (!mt_json_is(v, MT_JSON_BOOL) && !mt_json_is(v, MT_JSON_OBJECT)) {
        return mt_form_say(f, MT_FORM_WRONG_KIND, v, row->key,
                           "must be an object, not %s", mt_form_name(v));
    }
    *(const mt_json **)to = v;
    return true;
}

/* clang-format off */
#define ANY_ENTRY \
    MT_FORM_TEXT(draft, module, "module", 0), \
    MT_FORM_OWN(draft, priority, "priority", ag_read_numbers, 0)
#define ANY_ROUTE \
    MT_FORM_TEXT(draft, route, "route", MT_FORM_REQUIRED)
#define OUR_ROUTE \
    ANY_ROUTE, \
    MT_FORM_FLAG(draft, unparsed, "unparsed", 0)
#define ANY_SENDER \
    MT_FORM_LIST(draft, on_actions, "on_actions", 0, UINT32_MAX, MT_FORM_NULLABLE), \
    MT_FORM_LIST(draft, on_triggers, "on_triggers", 0, UINT32_MAX, MT_FORM_NULLABLE), \
    MT_FORM_FLAG(draft, multi, "multi", 0), \
    MT_FORM_FLAG(draft, use_data, "use_data", 0), \
    MT_FORM_FLAG(draft, gated, "gated", 0), \
    MT_FORM_U64(draft, after_ms, "after_ms", 1, EVERY_MOST_MS, 0)
#define ANY_HOOK \
    MT_FORM_TEXT(draft, direction, "direction", MT_FORM_REQUIRED)
#define OUR_ENTRY \
    ANY_ENTRY, \
    MT_FORM_NOTE("kind"), /* read before, to choose the table */ \
    MT_FORM_TEXT(draft, function, "function", MT_FORM_REQUIRED), \
    MT_FORM_OBJECT(draft, behaviour, "behaviour", 0)
#define SDK_ENTRY \
    ANY_ENTRY, \
    MT_FORM_TEXT(draft, function, "fn_name", 0)
/* clang-format on */

static const mt_form_row RECEIVER[] = {OUR_ENTRY, OUR_ROUTE};
static const mt_form_row SENDER[] = {
    OUR_ENTRY,
    OUR_ROUTE,
    ANY_SENDER,
    MT_FORM_U64(draft, every_ms, "every_ms", 1, EVERY_MOST_MS, 0),
    MT_FORM_OWN(draft, run_while, "run_while", read_run_while, 0),
    MT_FORM_OBJECT(draft, when_data, "when_data", 0),
    MT_FORM_TEXT(draft, data_mode, "data_mode", 0),
};
static const mt_form_row HOOK[] = {OUR_ENTRY, ANY_HOOK};
static const mt_form_row SDK_RECEIVER[] = {SDK_ENTRY, ANY_ROUTE};
static const mt_form_row SDK_SENDER[] = {SDK_ENTRY, ANY_ROUTE, ANY_SENDER};
static const mt_form_row SDK_HOOK[] = {SDK_ENTRY, ANY_HOOK};

/* Faults have a code for each kind of value, by the member that has it. */
static const char *code_of(const mt_form_fault *fault)
{
    static const struct {
        const char *key, *code;
    } CODES[] = {
        {"priority", "AG202"},   {"multi", "AG204"},       {"use_data", "AG204"},
        {"on_actions", "AG205"}, {"on_triggers", "AG205"}, {"behaviour", "AG213"},
        {"run_while", "AG213"},  {"settings", "AG213"},    {"every_ms", "AG215"},
        {"when_data", "AG213"},  {"gated", "AG204"},       {"after_ms", "AG215"},
    };
    if (fault->wrong == MT_FORM_UNKNOWN_KEY) {
        return "AG217";
    }
    for (size_t i = 0; i < mt_form_count(CODES); i++) {
        if (mt_str_eq(fault->key, mt_str_z(CODES[i].key))) {
            return CODES[i].code;
        }
    }
    return "AG201";
}

/* What is not known is not covered by the pin, so nobody may put it there. */
static mt_form form_of(reading *r, const char *what)
{
    mt_form f = ag_form(&r->doc, what);
    f.unknown = r->strict ? MT_FORM_REFUSED : MT_FORM_ALLOWED;
    return f;
}

/* ---- What a registration does ---- */

/* An object written as text, as our own agents' behaviour is in the SDK's form. */
static const mt_json *object_in(reading *r, mt_str text)
{
    mt_json *tree = mt_new(r->doc.a, mt_json);
    mt_json_limits limits = {.depth = SOURCE_DEPTH};
    bool is = text.len && text.ptr[0] == '{' &&
              !mt_json_read(r->doc.a, text, &limits, tree, NULL) &&
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
        "type",      "route",       "route_key",  "priority", "multi",
        "use_data",  "on_triggers", "on_actions", "module",   "fn_name",
        "direction", "gated",       "after_ms",   NULL};
    return in_list(KNOWN, key) || (s && s->every_ms && mt_str_is(key, "every")) ||
           (s && s->data_mode.ptr && mt_str_is(key, "data_mode")) ||
           (s && s->when_data && mt_str_starts(key, MT_STR("when_data_"))) ||
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
    mt_json *out = mt_new(r->doc.a, mt_json);
    mt_json_member *own = mt_new_array(r->doc.a, mt_json_member, at->count);
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
static const mt_json *behaviour_of(reading *r, const mt_json *at, const draft *d,
                                   const ag_sender *s)
{
    if (r->mode == AG_PROFILE) {
        return d->behaviour;
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
 * we only keep. `name` is run_while or when_data. */
static const mt_json *condition_of_sdk(reading *r, const mt_json *at, const char *name)
{
    const char *value_key = mt_strf(r->doc.a, "%s_value", name).ptr;
    const char *source_key = mt_strf(r->doc.a, "%s_source", name).ptr;
    const mt_json *value = mt_json_get(at, mt_str_z(value_key));
    mt_str kind = mt_json_text(mt_json_get(at, mt_strf(r->doc.a, "%s_kind", name)));
    if (!silent_at(at, mt_strf(r->doc.a, "%s_name", name).ptr)) {
        return NULL;
    }
    if (mt_str_is(kind, "callable") && silent_at(at, value_key)) {
        return object_in(r, mt_json_text(mt_json_get(at, mt_str_z(source_key))));
    }
    return mt_str_is(kind, "bool") && mt_json_is(value, MT_JSON_BOOL) &&
                   silent_at(at, source_key)
               ? value
               : NULL;
}

/* Of our own agents alone, so that what others mean by it stays where it was. */
static mt_str data_mode_of_sdk(reading *r, const mt_json *at)
{
    const mt_json *own = object_in(r, mt_json_text(mt_json_at(at, "source")));
    const mt_json *mode = mt_json_at(at, "data_mode");
    bool ours = mt_json_at(own, "rules") || mt_json_at(own, "command");
    return ours && mt_json_is(mode, MT_JSON_STRING) && !says_nothing(mode)
               ? mt_json_text(mode)
               : (mt_str){0};
}

/* Seconds; 0 when they are not whole milliseconds: then only their text is kept. */
static uint64_t every_of_sdk(reading *r, const mt_json *at)
{
    const mt_json *every = mt_json_at(at, "every");
    double seconds;
    if (!every || mt_json_is(every, MT_JSON_NULL)) {
        return 0;
    }
    if (!mt_json_is(every, MT_JSON_NUMBER) ||
        mt_number_parse(mt_json_text(every), &seconds) || !(seconds > 0) ||
        seconds > EVERY_MOST_MS / 1000) {
        complain(r, "AG215", every,
                 MT_STR("`every` must be seconds, above 0 to 1000000"));
        return 0;
    }
    double ms = seconds * 1000;
    return fabs(ms - round(ms)) < 1e-6 ? (uint64_t)round(ms) : 0;
}

/* ---- Registrations ---- */

/* An SDK document keeps routes that do not parse; a profile document has none but those
 * that it says are not parsed. */
static bool parse_route(reading *r, const mt_json *at, const draft *d, ag_route *route)
{
    ag_fault fault = {0};
    mt_str text = d->route;
    if (d->unparsed) {
        return false;
    }
    if (!ag_route_parse(r->doc.a, r->route_mode, r->styles, text, route, &fault)) {
        return true;
    }
    if (r->mode == AG_PROFILE) { /* a document of ours says which it does not parse */
        complain(r, "AG203", mt_json_at(at, "route"),
                 mt_strf(r->doc.a, "route `%.*s`, character %zu: %s", MT_ARG(text),
                         fault.offset + 1, fault.message));
    }
    return false;
}

/* A filter is absent when null (profile) or, in the SDK's form, when empty. */
static const mt_json *filter(const reading *r, const mt_json *list)
{
    return r->mode == AG_COMPAT && list && !list->count ? NULL : list;
}

/* Unknown actions are faults here too: DNA comes from others, and a filter that is half
 * understood would let through the wrong messages. */
static void take_filters(reading *r, const draft *d, ag_sender *s)
{
    const mt_json *actions = filter(r, d->on_actions);
    const mt_json *triggers = filter(r, d->on_triggers);
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
    mt_str *names = mt_new_array(r->doc.a, mt_str, s->trigger_count);
    for (uint32_t i = 0; i < s->trigger_count; i++) {
        names[i] = mt_json_text(&triggers->as.items[i]);
    }
    s->triggers = names;
}

static void take_receiver(reading *r, const mt_json *at, const draft *d)
{
    ag_receiver *x = mt_vec_add(r->doc.a, &r->receivers);
    *x = (ag_receiver){.name = d->function,
                       .module = d->module,
                       .priority = d->priority,
                       .text = d->route,
                       .behaviour = behaviour_of(r, at, d, NULL)};
    x->parsed = parse_route(r, at, d, &x->route);
}

/* The SDK writes periods in seconds and conditions as code; both are translated as far
 * as they can be, the rest is kept as behaviour. */
static void take_sender(reading *r, const mt_json *at, const draft *d)
{
    bool sdk = r->mode == AG_COMPAT;
    ag_sender *x = mt_vec_add(r->doc.a, &r->senders);
    *x = (ag_sender){.name = d->function,
                     .module = d->module,
                     .priority = d->priority,
                     .text = d->route,
                     .multi = d->multi,
                     .use_data = d->use_data};
    x->parsed = parse_route(r, at, d, &x->route);
    take_filters(r, d, x);
    x->every_ms = sdk ? every_of_sdk(r, at) : d->every_ms;
    x->every_ms = d->after_ms ? d->after_ms : x->every_ms;
    x->once = d->after_ms > 0;
    x->gated = d->gated;
    x->run_while = sdk ? condition_of_sdk(r, at, "run_while") : d->run_while;
    x->when_data = sdk ? condition_of_sdk(r, at, "when_data") : d->when_data;
    x->data_mode = sdk ? data_mode_of_sdk(r, at) : d->data_mode;
    x->behaviour = behaviour_of(r, at, d, x);
}

/* Both spellings of a direction are read: the profile's and the SDK's. */
static void take_hook(reading *r, const mt_json *at, const draft *d)
{
    ag_hook *x = mt_vec_add(r->doc.a, &r->hooks);
    bool send = mt_str_is(d->direction, "send") || mt_str_is(d->direction, "SEND");
    *x = (ag_hook){.name = d->function,
                   .module = d->module,
                   .priority = d->priority,
                   .direction = send ? AG_SEND : AG_RECEIVE,
                   .behaviour = behaviour_of(r, at, d, NULL)};
    if (!send && !mt_str_is(d->direction, "receive") &&
        !mt_str_is(d->direction, "RECEIVE")) {
        complain(r, "AG207", at, MT_STR("a hook's direction is receive or send"));
    }
}

static const struct kind {
    mt_str profile, sdk;
    void (*take)(reading *, const mt_json *, const draft *);
    mt_form_table ours, theirs;
} KINDS[] = {
    {MT_STR_INIT("receiver"), MT_STR_INIT("receive"), take_receiver,
     MT_FORM_TABLE("a receiver", RECEIVER, draft, NULL),
     MT_FORM_TABLE("a receiver", SDK_RECEIVER, draft, NULL)},
    {MT_STR_INIT("sender"), MT_STR_INIT("send"), take_sender,
     MT_FORM_TABLE("a sender", SENDER, draft, NULL),
     MT_FORM_TABLE("a sender", SDK_SENDER, draft, NULL)},
    {MT_STR_INIT("hook"), MT_STR_INIT("hook"), take_hook,
     MT_FORM_TABLE("a hook", HOOK, draft, NULL),
     MT_FORM_TABLE("a hook", SDK_HOOK, draft, NULL)},
};

/* The SDK's entries that register nothing: kept, because they are code as well. */
static bool is_other(mt_str kind)
{
    return mt_str_is(kind, "upload_states") || mt_str_is(kind, "download_states") ||
           mt_str_is(kind, "__context__");
}

/* The kind decides which form the entry is read by, so it is read alone and first. */
static mt_str kind_of(reading *r, const mt_json *at, bool sdk)
{
    mt_form f = form_of(r, "a registration");
    mt_form_row row = {.key = sdk ? "type" : "kind",
                       .kind = MT_FORM_K_TEXT,
                       .flags = MT_FORM_REQUIRED,
                       .most = INT64_MAX};
    mt_str kind = MT_STR("");
    mt_form_field(&f, at, &row, &kind);
    return kind;
}

/* Entries the SDK knows and the engine does not are kept as they are, so that writing
 * them again loses nothing. */
static void read_entry(reading *r, const mt_json *at, bool sdk)
{
    if (!mt_json_is(at, MT_JSON_OBJECT)) {
        complain(r, "AG208", at, MT_STR("a registration is an object"));
        return;
    }
    mt_str kind = kind_of(r, at, sdk);
    for (size_t i = 0; i < mt_form_count(KINDS); i++) {
        if (mt_str_eq(kind, sdk ? KINDS[i].sdk : KINDS[i].profile)) {
            const mt_form_table *table = sdk ? &KINDS[i].theirs : &KINDS[i].ours;
            mt_form f = form_of(r, table->what);
            draft d = {0};
            mt_form_read(&f, at, table->rows, table->count, &d);
            KINDS[i].take(r, at, &d);
            return;
        }
    }
    if (sdk && is_other(kind)) {
        mt_vec_push(r->doc.a, &r->others, *at);
    } else {
        complain(
            r, "AG209", at,
            mt_strf(r->doc.a, "`%.*s` is not a kind of registration", MT_ARG(kind)));
    }
}

/* ---- The document ---- */

static const mt_json *few_enough(reading *r, const mt_json *list)
{
    if (list->count > MT_LIMITS_DEFAULT.agent_registrations) {
        complain(r, "AG212", list,
                 MT_STR("more than agent_registrations registrations"));
        return NULL;
    }
    return list;
}

typedef struct document {
    const mt_json *others, *settings;
} document;

static const mt_form_row DOCUMENT[] = {
    MT_FORM_NOTE("format"), /* these three are read before: they say which form it is */
    MT_FORM_NOTE("profile"),
    MT_FORM_NOTE("registrations"),
    MT_FORM_ANY(document, others, "others", 0),
    MT_FORM_OBJECT(document, settings, "settings", 0),
};

static void read_others(reading *r, const mt_json *list)
{
    bool is_list = mt_json_is(list, MT_JSON_ARRAY);
    if (list && !is_list) {
        complain(r, "AG216", list, MT_STR("`others` must be a list"));
    }
    for (uint32_t i = 0; is_list && few_enough(r, list) && i < list->count; i++) {
        if (!is_other(mt_json_text(mt_json_at(&list->as.items[i], "type")))) {
            complain(r, "AG216", &list->as.items[i], MT_STR("no such entry"));
        }
        mt_vec_push(r->doc.a, &r->others, list->as.items[i]);
    }
}

/* Settings say how the agent's own file was read; its routes are read alike. */
static void take_route_mode(reading *r, const mt_json *settings)
{
    const mt_json *list = mt_json_at(settings, "styles");
    uint32_t count = mt_json_is(list, MT_JSON_ARRAY) ? list->count : 0;
    ag_mode_from(mt_json_text(mt_json_at(settings, "mode")), &r->route_mode);
    ag_style *items = mt_new_array(r->doc.a, ag_style, count);
    for (uint32_t i = 0; i < count; i++) {
        const mt_json *at = &list->as.items[i];
        const char *why = NULL;
        if (ag_style_make(r->doc.a, mt_json_text(mt_json_at(at, "stem")),
                          mt_json_text(mt_json_at(at, "left")),
                          mt_json_text(mt_json_at(at, "right")),
                          mt_json_text(mt_json_at(at, "separator")),
                          mt_json_text(mt_json_at(at, "tip")), &items[i], &why)) {
            complain(r, "AG218", at,
                     mt_strf(r->doc.a, "this is not an arrow style: %s", why));
            return;
        }
    }
    if (count) {
        ag_styles *styles = mt_new(r->doc.a, ag_styles);
        *styles = (ag_styles){items, count};
        r->styles = styles;
    }
}

/* Three documents: a list (SDK), an object of the profile, or either inside a signed
 * one. Only a document that states its format is read strictly. */
static const mt_json *entries_of(reading *r, const mt_json *tree)
{
    const mt_json *inner = mt_json_at(tree, "dna"); /* of a signed document */
    tree = inner ? inner : tree;
    if (mt_json_is(tree, MT_JSON_ARRAY)) {
        r->mode = r->route_mode = AG_COMPAT;
        return few_enough(r, tree);
    }
    const mt_json *format = mt_json_at(tree, "format");
    const mt_json *list = mt_json_at(tree, "registrations");
    if (format && !mt_str_is(mt_json_text(format), AG_DNA_FORMAT)) {
        complain(r, "AG214", format, MT_STR("`format` must be " AG_DNA_FORMAT));
    } else if (!mt_str_is(mt_json_text(mt_json_at(tree, "profile")), AG_PROFILE_ID)) {
        complain(r, "AG210", tree, MT_STR("`profile` must be " AG_PROFILE_ID));
    } else if (!mt_json_is(list, MT_JSON_ARRAY)) {
        complain(r, "AG211", tree, MT_STR("`registrations` must be a list"));
    } else {
        document d = {0};
        r->strict = format != NULL;
        mt_form f = form_of(r, "a DNA document");
        mt_form_read(&f, tree, DOCUMENT, mt_form_count(DOCUMENT), &d);
        r->settings = d.settings;
        take_route_mode(r, d.settings);
        read_others(r, d.others);
        return few_enough(r, list);
    }
    return NULL;
}

/* Nothing is verified here, not even of a signed document; that is ag_dna_verify(). The
 * number of entries is bounded before any is read. */
mt_err ag_dna_read(mt_arena *a, mt_str name, mt_str text, const mt_json *tree,
                   mt_diags *ds, ag_agent *out)
{
    reading r = {.doc = {a, name, text, ds, code_of, ""}};
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
