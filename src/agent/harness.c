/* agent/harness.c - see harness.h: the operations on routes, nodes and triggers, and
 * which operation a line asks for.
 *
 * A line is parsed, its styles are read, then the operation of its name runs and writes
 * its answer behind "ok": true.
 * INVARIANT: one answer per line; of an operation that fails nothing stays written but
 * why. Members that an operation does not know are nobody's business, because recorded
 * questions have them.
 * May fail: a question of another shape, a route or token that does not parse. */
#include "agent/harness.h"

#include <stdlib.h>

#include "agent/document.h"
#include "agent/harness_impl.h"
#include "agent/message.h"
#include "agent/python.h"
#include "agent/route_sdk.h"
#include "agent/triggers.h"
#include "agent/value.h"
#include "base/vec.h"

bool ag_refuse(ag_question *q, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    q->error = mt_strfv(q->a, format, args);
    va_end(args);
    return false;
}

/* Word for word what the SDK says, because traces of both are compared as text. */
mt_str ag_sdk_complaint(mt_arena *a, mt_str route, const ag_fault *fault)
{
    mt_buf out = {0};
    if (!fault->token.ptr) {
        return mt_strf(a, "ValueError: %s", fault->message);
    }
    bool outer = fault->message == AG_NO_TOKEN;
    mt_buf_addz(&out, outer ? "ValueError: Invalid token "
                            : "ValueError: Invalid syntax for token: ");
    ag_py_repr(&out, fault->token);
    if (outer) {
        mt_buf_addz(&out, " in route ");
        ag_py_repr(&out, route);
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static bool parse_for(ag_question *q, mt_str text, ag_route *out)
{
    ag_fault fault = {0};
    mt_err err = ag_route_parse(q->a, q->mode, q->styles.count ? &q->styles : NULL,
                                text, out, &fault);
    return !err || ag_refuse(q, "character %zu: %s", fault.offset + 1, fault.message);
}

static void write_nodes(mt_jw *w, const ag_node *nodes, uint32_t count)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < count; i++) {
        mt_jw_str(w, nodes[i].text);
    }
    mt_jw_end_array(w);
}

void ag_write_priority(mt_jw *w, ag_priority p)
{
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < p.count; i++) {
        mt_jw_i64(w, p.items[i]);
    }
    mt_jw_end_array(w);
}

static void refuse_fault(void *state, const mt_form_fault *fault)
{
    ag_refuse(state, "%.*s", MT_ARG(fault->message));
}

bool ag_read_priority(ag_question *q, const mt_json *at, ag_priority *out)
{
    static const mt_form_row PRIORITY = {.key = "priority",
                                         .kind = MT_FORM_K_OWN,
                                         .flags = MT_FORM_NULLABLE,
                                         .read = ag_read_numbers};
    mt_form f = {.arena = q->a, .report = refuse_fault, .state = q};
    *out = (ag_priority){0};
    return mt_form_field(&f, at, &PRIORITY, out);
}

static bool text_of(ag_question *q, const char *name, mt_str *out)
{
    mt_form f = {.arena = q->a, .report = refuse_fault, .state = q};
    mt_form_row row = {.key = name,
                       .kind = MT_FORM_K_TEXT,
                       .flags = MT_FORM_REQUIRED,
                       .most = INT64_MAX};
    return mt_form_field(&f, q->in, &row, out);
}

/* ---- parse, style, node, tokens ---- */

static void write_style(mt_jw *w, const ag_style *s)
{
    if (!s) {
        mt_jw_null(w);
        return;
    }
    mt_jw_begin_array(w);
    mt_jw_str(w, s->stem);
    mt_jw_begin_array(w);
    mt_jw_str(w, s->left);
    mt_jw_str(w, s->right);
    mt_jw_end_array(w);
    mt_jw_str(w, s->separator);
    mt_jw_str(w, s->tip);
    mt_jw_end_array(w);
}

/* The order of the parts is the SDK's: stem, brackets, separator, tip. */
static bool read_style(ag_question *q, const mt_json *v, ag_style *out)
{
    const mt_json *pair = v && v->count == 4 ? &v->as.items[1] : NULL;
    const char *why = NULL;
    if (!mt_json_is(v, MT_JSON_ARRAY) || !mt_json_is(pair, MT_JSON_ARRAY) ||
        pair->count != 2) {
        return ag_refuse(q, "a style is [stem, [left, right], separator, tip]");
    }
    const mt_json *parts[] = {&v->as.items[0], &pair->as.items[0], &pair->as.items[1],
                              &v->as.items[2], &v->as.items[3]};
    for (size_t i = 0; i < 5; i++) {
        if (!mt_json_is(parts[i], MT_JSON_STRING)) {
            return ag_refuse(q, "the parts of a style are texts");
        }
    }
    return !ag_style_make(q->a, mt_json_text(parts[0]), mt_json_text(parts[1]),
                          mt_json_text(parts[2]), mt_json_text(parts[3]),
                          mt_json_text(parts[4]), out, &why) ||
           ag_refuse(q, "%s", why);
}

/* An empty list of styles is not the default list: no arrow can be written at all then.
 * Bytes 0xff do not occur in UTF-8, so nothing matches them. */
static bool read_styles(ag_question *q)
{
    const mt_json *list = mt_json_at(q->in, "styles");
    if (!mt_json_is(list, MT_JSON_ARRAY) || q->mode == AG_PROFILE) {
        return true;
    }
    ag_style *styles = mt_new_array(q->a, ag_style, list->count + 1);
    for (uint32_t i = 0; i < list->count; i++) {
        if (!read_style(q, &list->as.items[i], &styles[i])) {
            return false;
        }
    }
    q->styles = (ag_styles){styles, list->count};
    if (!list->count) { /* no style at all: one that no text can match */
        styles[0] = AG_STYLE;
        styles[0].open = styles[0].close = styles[0].bare = MT_STR("\xff\xff");
        q->styles.count = 1;
    }
    return true;
}

/* Parses what it has written once more: the round trip of §8 is part of the answer. */
static bool op_parse(ag_question *q)
{
    mt_str text;
    ag_route r, again;
    if (!text_of(q, "route", &text) || !parse_for(q, text, &r)) {
        return false;
    }
    static const char *const NAMES[] = {
        [AG_SOURCE] = "source", [AG_LABEL] = "label", [AG_TARGET] = "target"};
    MT_TABLE_COVERS(NAMES, AG_PARTS);
    for (ag_part p = AG_SOURCE; p < AG_PARTS; p++) {
        mt_jw_key(q->w, mt_str_z(NAMES[p]));
        write_nodes(q->w, ag_route_part(&r, p), r.count[p]);
    }
    bool same =
        parse_for(q, r.canonical, &again) && mt_str_eq(again.canonical, r.canonical);
    mt_jw_key_str(q->w, "canonical", r.canonical);
    mt_jw_key_str(q->w, "kind",
                  ag_route_is_arrow(&r) ? MT_STR("arrow") : MT_STR("object"));
    mt_jw_key_bool(q->w, "initial", ag_route_is_initial(&r));
    mt_jw_key_bool(q->w, "has_label", r.count[AG_LABEL] > 0);
    mt_jw_keyz(q->w, "style");
    write_style(q->w, r.style);
    mt_jw_key_bool(q->w, "roundtrip", same);
    return true;
}

static bool op_style(ag_question *q)
{
    ag_style style;
    return read_style(q, mt_json_at(q->in, "style"), &style);
}

static bool parse_node(ag_question *q, mt_str text, ag_node *out)
{
    ag_fault fault = {0};
    return !ag_node_parse(q->a, q->mode, text, out, &fault) ||
           ag_refuse(q, "character %zu: %s", fault.offset + 1, fault.message);
}

static bool op_node(ag_question *q)
{
    static const char *const KINDS[] = {
        [AG_PLAIN] = "plain",
        [AG_ALL] = "all",
        [AG_ONEOF] = "oneof",
        [AG_NOT] = "not",
    };
    MT_TABLE_COVERS(KINDS, AG_NOT + 1);
    mt_str text;
    ag_node n;
    if (!text_of(q, "expr", &text) || !parse_node(q, text, &n)) {
        return false;
    }
    mt_jw_key_str(q->w, "kind", mt_str_z(KINDS[n.kind]));
    mt_jw_keyz(q->w, "values");
    if (n.kind == AG_ALL) {
        mt_jw_null(q->w);
    } else if (n.kind == AG_PLAIN) {
        write_nodes(q->w, &n, 1);
    } else {
        write_nodes(q->w, n.items, n.count);
    }
    mt_jw_key_str(q->w, "str", n.text);
    return true;
}

/* In the profile there is no list of tokens apart from a route, so one is parsed and
 * its nodes are shown; an arrow in it is refused after the fact. */
static bool op_tokens(ag_question *q)
{
    mt_str text, separator = MT_STR(",");
    const mt_json *given = mt_json_at(q->in, "separator");
    given = given ? given : mt_json_at(q->in, "sep");
    if (!text_of(q, "text", &text)) {
        return false;
    }
    if (mt_json_is(given, MT_JSON_STRING)) {
        separator = mt_json_text(given);
    }
    if (q->mode == AG_PROFILE) {
        ag_route r;
        if (!parse_for(q, text, &r)) {
            return false;
        }
        mt_jw_keyz(q->w, "tokens");
        write_nodes(q->w, r.nodes, ag_route_nodes(&r));
        return !r.style || ag_refuse(q, "a list of tokens has no arrow");
    }
    ag_pieces pieces = {0};
    ag_split_tokens(q->a, text, separator, &pieces);
    mt_jw_keyz(q->w, "tokens");
    mt_jw_begin_array(q->w);
    for (size_t i = 0; i < pieces.len; i++) {
        mt_jw_str(q->w, pieces.items[i]);
    }
    mt_jw_end_array(q->w);
    return true;
}

/* ---- accepts, route_accepts, outcome ---- */

static bool op_accepts(ag_question *q)
{
    mt_str gate, state;
    ag_node g, s;
    if (!text_of(q, "gate", &gate) || !text_of(q, "state", &state) ||
        !parse_node(q, gate, &g) || !parse_node(q, state, &s)) {
        return false;
    }
    mt_jw_key_bool(q->w, "result", ag_accepts(q->mode, &g, &s));
    return true;
}

static bool op_route_accepts(ag_question *q)
{
    mt_str sender, receiver;
    ag_route s, r;
    if (!text_of(q, "sender", &sender) || !text_of(q, "receiver", &receiver) ||
        !parse_for(q, sender, &s) || !parse_for(q, receiver, &r)) {
        return false;
    }
    mt_jw_key_bool(q->w, "result", ag_route_accepts(q->mode, &s, &r));
    return true;
}

/* §6.3 asked for one route and one action, without a tape. */
static bool op_outcome(ag_question *q)
{
    mt_str text, name;
    ag_route r;
    ag_action action;
    uint32_t count;
    if (!text_of(q, "route", &text) || !parse_for(q, text, &r)) {
        return false;
    }
    const mt_json *given = mt_json_at(q->in, "action");
    name = mt_json_is(given, MT_JSON_STRING) ? mt_json_text(given) : MT_STR("NONE");
    if (!ag_action_from(name, &action) ||
        (action == AG_EVENT && q->mode == AG_PROFILE)) {
        return ag_refuse(q, "no such action");
    }
    const ag_node *nodes = ag_route_activates(&r, action, &count);
    mt_jw_key_str(q->w, "route", r.canonical);
    mt_jw_key_str(q->w, "kind",
                  ag_route_is_arrow(&r) ? MT_STR("arrow") : MT_STR("object"));
    mt_jw_keyz(q->w, "activated");
    write_nodes(q->w, nodes, count);
    return true;
}

/* ---- triggers, responds ---- */

static bool read_triggers(ag_question *q, ag_triggers *out)
{
    const mt_json *tree = mt_json_at(q->in, "tree"), *text = mt_json_at(q->in, "text");
    mt_str why = MT_STR("no triggers given");
    mt_err err = MT_E_SYNTAX;
    if (mt_json_is(text, MT_JSON_STRING)) {
        err = ag_triggers_read(q->a, mt_json_text(text), out, &why);
    } else if (tree) {
        err = ag_triggers_from_tree(q->a, tree, out, &why);
    }
    return !err || ag_refuse(q, "%.*s", MT_ARG(why));
}

static void write_signal(mt_jw *w, const ag_trigger *t)
{
    mt_jw_begin_array(w);
    mt_jw_str(w, t->name);
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < t->depth; i++) {
        mt_jw_i64(w, t->path[i]);
    }
    mt_jw_end_array(w);
    mt_jw_end_array(w);
}

static int by_name(const void *x, const void *y)
{
    const ag_trigger *a = *(const ag_trigger *const *)x;
    const ag_trigger *b = *(const ag_trigger *const *)y;
    return mt_str_cmp(a->name, b->name);
}

/* A name that occurs twice in the tree is shown once, as ag_trigger_find() finds it. */
static void write_attributes(ag_question *q, const ag_triggers *t)
{
    const ag_trigger **kept = mt_new_array(q->a, const ag_trigger *, t->len);
    size_t count = 0;
    for (size_t i = 0; i < t->len; i++) {
        if (ag_trigger_find(t, t->items[i].name) == &t->items[i]) {
            kept[count++] = &t->items[i];
        }
    }
    if (count) {
        qsort(kept, count, sizeof *kept, by_name);
    }
    mt_jw_keyz(q->w, "attributes");
    mt_jw_begin_array(q->w);
    for (size_t i = 0; i < count; i++) {
        write_signal(q->w, kept[i]);
    }
    mt_jw_end_array(q->w);
}

/* Quadratic in the number of triggers, which a question keeps small; the tree's depth
 * bounds the recursion. */
static void write_tree(mt_jw *w, const ag_triggers *t, uint32_t parent)
{
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < t->len; i++) {
        if (t->items[i].parent == parent) {
            mt_jw_key(w, t->items[i].name);
            if (t->items[i].children) {
                write_tree(w, t, i);
            } else {
                mt_jw_null(w);
            }
        }
    }
    mt_jw_end_object(w);
}

/* A trigger covers those below it; equal ones cover each other. */
static void write_relation(mt_jw *w, const ag_trigger *a, const ag_trigger *b)
{
    bool down = ag_trigger_covers(a, b), up = ag_trigger_covers(b, a);
    /* ORDER NAMES, the comparisons of the SDK. */
    const bool holds[] = {down && !up, up && !down, down, up, down && up};
    static const char *const NAMES[] = {">", "<", ">=", "<=", "=="};
    mt_jw_begin_array(w);
    mt_jw_str(w, a->name);
    mt_jw_str(w, b->name);
    mt_jw_begin_unsorted(w);
    for (size_t i = 0; i < 5; i++) {
        mt_jw_key(w, mt_str_z(NAMES[i]));
        mt_jw_bool(w, holds[i]);
    }
    mt_jw_end_object(w);
    mt_jw_end_array(w);
}

static bool write_relations(ag_question *q, const ag_triggers *t, const mt_json *pairs)
{
    mt_jw_keyz(q->w, "compare");
    mt_jw_begin_array(q->w);
    for (uint32_t i = 0; i < pairs->count; i++) {
        const mt_json *pair = &pairs->as.items[i];
        if (!mt_json_is(pair, MT_JSON_ARRAY) || pair->count != 2) {
            return ag_refuse(q, "`compare` is a list of pairs");
        }
        const ag_trigger *a = ag_trigger_find(t, mt_json_text(&pair->as.items[0]));
        const ag_trigger *b = ag_trigger_find(t, mt_json_text(&pair->as.items[1]));
        if (!a || !b) {
            return ag_refuse(q, "no such trigger");
        }
        write_relation(q->w, a, b);
    }
    mt_jw_end_array(q->w);
    return true;
}

static bool op_triggers(ag_question *q)
{
    ag_triggers t = {0};
    if (!read_triggers(q, &t)) {
        return false;
    }
    mt_jw_keyz(q->w, "signals");
    mt_jw_begin_array(q->w);
    for (size_t i = 0; i < t.len; i++) {
        write_signal(q->w, &t.items[i]);
    }
    mt_jw_end_array(q->w);
    write_attributes(q, &t);
    mt_jw_keyz(q->w, "tree");
    write_tree(q->w, &t, UINT32_MAX);
    const mt_json *pairs = mt_json_at(q->in, "compare");
    return !mt_json_is(pairs, MT_JSON_ARRAY) || write_relations(q, &t, pairs);
}

/* Every name must be one of the tree's; equal paths make equal triggers. */
static bool named_triggers(ag_question *q, const ag_triggers *t, const mt_json *list,
                           ag_sender *s)
{
    uint32_t count = mt_json_is(list, MT_JSON_ARRAY) ? list->count : 0;
    mt_str *names = mt_new_array(q->a, mt_str, count);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = mt_json_text(&list->as.items[i]);
        if (!ag_trigger_find(t, names[i])) {
            return ag_refuse(q, "no trigger `%.*s`", MT_ARG(names[i]));
        }
    }
    s->triggers = names;
    s->trigger_count = count;
    s->has_triggers = mt_json_is(list, MT_JSON_ARRAY);
    return true;
}

/* In the harness any action may be a filter, compat's bare event included. */
static bool named_actions(ag_question *q, const mt_json *list, ag_sender *s)
{
    s->has_actions = mt_json_is(list, MT_JSON_ARRAY);
    for (uint32_t i = 0; s->has_actions && i < list->count; i++) {
        ag_action action;
        if (!ag_action_from(mt_json_text(&list->as.items[i]), &action)) {
            return ag_refuse(q, "no such action");
        }
        s->actions |= (uint8_t)(1u << action);
    }
    return true;
}

static bool op_responds(ag_question *q)
{
    ag_triggers t = {0};
    ag_sender s = {0};
    ag_event event = {0};
    const mt_json *action = mt_json_at(q->in, "action");
    const mt_json *trigger = mt_json_at(q->in, "trigger");
    if (!read_triggers(q, &t) || !named_actions(q, mt_json_at(q->in, "actions"), &s) ||
        !named_triggers(q, &t, mt_json_at(q->in, "triggers"), &s)) {
        return false;
    }
    if (mt_json_is(action, MT_JSON_STRING) &&
        !ag_action_from(mt_json_text(action), &event.action)) {
        return ag_refuse(q, "no such action");
    }
    event.trigger = event.action == AG_NONE ? (mt_str){0} : mt_json_text(trigger);
    if (event.trigger.len && !ag_trigger_find(&t, event.trigger)) {
        return ag_refuse(q, "no trigger `%.*s`", MT_ARG(event.trigger));
    }
    bool reactive = q->mode == AG_COMPAT ? s.actions || s.trigger_count
                                         : s.has_actions || s.has_triggers;
    mt_jw_key_bool(q->w, "result", ag_sender_matches(q->mode, &s, &event));
    mt_jw_key_bool(q->w, "reactive", reactive);
    return true;
}

/* ---- hook_order, wrap, recover ---- */

static bool text_first(const mt_json *p)
{
    return p->count && mt_json_is(&p->as.items[0], MT_JSON_STRING);
}

/* Tuples that start with text come first; *mixed when text meets a number.
 * Of tuples that agree as far as the shorter goes, the shorter comes first, as in
 * Python. */
static int compare_tuples(const mt_json *a, const mt_json *b, bool *mixed)
{
    if (text_first(a) != text_first(b)) {
        return text_first(a) ? -1 : 1;
    }
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        const mt_json *x = &a->as.items[i], *y = &b->as.items[i];
        int64_t m, n;
        if (x->type != y->type) {
            *mixed = true;
            return 0;
        }
        if (mt_json_is(x, MT_JSON_STRING)) {
            int c = mt_str_cmp(mt_json_text(x), mt_json_text(y));
            if (c) {
                return c;
            }
            continue;
        }
        if (mt_json_i64(x, &m) || mt_json_i64(y, &n)) {
            *mixed = true;
            return 0;
        }
        if (m != n) {
            return m < n ? -1 : 1;
        }
    }
    return (a->count > b->count) - (a->count < b->count);
}

/* Insertion keeps equal priorities in the order given. Tuples of numbers and texts
 * cannot be ordered, in the SDK neither. */
static bool op_hook_order(ag_question *q)
{
    const mt_json *list = mt_json_at(q->in, "priorities");
    bool mixed = false;
    if (!mt_json_is(list, MT_JSON_ARRAY)) {
        return ag_refuse(q, "`priorities` is a list of tuples");
    }
    uint32_t *order = mt_new_array(q->a, uint32_t, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        if (!mt_json_is(&list->as.items[i], MT_JSON_ARRAY)) {
            return ag_refuse(q, "a priority is a list");
        }
        uint32_t at = i;
        while (at && compare_tuples(&list->as.items[order[at - 1]], &list->as.items[i],
                                    &mixed) > 0) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
    if (mixed || (q->mode == AG_PROFILE && list->count &&
                  text_first(&list->as.items[order[0]]))) {
        return ag_refuse(q, "priorities are whole numbers");
    }
    mt_jw_keyz(q->w, "order");
    mt_jw_begin_array(q->w);
    for (uint32_t i = 0; i < list->count; i++) {
        mt_jw_i64(q->w, order[i]);
    }
    mt_jw_end_array(q->w);
    return true;
}

/* Versions the SDK's envelope accepts; others make it fail, and so do we. */
static bool registered_version(mt_str version)
{
    static const char *const VERSIONS[] = {"0.0.1", "1.0.0", "1.0.1", "1.1.0",
                                           "1.1.1", "1.2.0", "1.3.0"};
    for (size_t i = 0; i < sizeof VERSIONS / sizeof *VERSIONS; i++) {
        if (mt_str_eq(mt_str_z(VERSIONS[i]), version)) {
            return true;
        }
    }
    return false;
}

/* Members in the SDK's order; the line is compared as text. */
static bool op_wrap(ag_question *q)
{
    const mt_json *payload = mt_json_at(q->in, "payload");
    const mt_json *given = mt_json_at(q->in, "version");
    mt_str version = mt_json_is(given, MT_JSON_STRING) ? mt_json_text(given)
                                                       : MT_STR(AG_WIRE_VERSION);
    if (!registered_version(version)) {
        return ag_refuse(q, "version `%.*s` is not registered", MT_ARG(version));
    }
    mt_json null = ag_null_value();
    payload = payload ? payload : &null;
    mt_json_member members[] = {{MT_STR("_version"), ag_text_value(version)},
                                {MT_STR("_payload"), *payload},
                                {MT_STR("_type"), ag_py_type(q->a, payload)}};
    mt_json envelope = ag_object_value(members, 3);
    mt_buf line = {0};
    ag_py_dumps(&line, &envelope);
    mt_buf_addc(&line, '\n');
    mt_jw_key_str(q->w, "line", mt_buf_str(&line));
    mt_buf_free(&line);
    return true;
}

/* Profile: what our own runtime makes of the line; texts stay as they are. */
static bool recover_profile(ag_question *q, mt_str line, mt_json *out)
{
    ag_inbound in;
    line.len -= line.len && line.ptr[line.len - 1] == '\n';
    if (ag_frame_read(q->a, AG_PROFILE, line, NULL, &in)) {
        return ag_refuse(q, "the line is too long, too deep or not UTF-8");
    }
    *out = *ag_payload(q->a, in.address, &in.payload);
    return true;
}

/* The payload is shown with its members in the order they came, since the SDK keeps
 * it. */
static bool op_recover(ag_question *q)
{
    mt_str line;
    mt_json payload;
    if (!text_of(q, "line", &line)) {
        return false;
    }
    if (q->mode == AG_COMPAT) {
        payload = ag_py_recover(q->a, line);
    } else if (!recover_profile(q, line, &payload)) {
        return false;
    }
    mt_buf text = {0};
    ag_py_dumps(&text, &payload); /* member order is kept */
    mt_jw_keyz(q->w, "payload");
    mt_jw_raw(q->w, mt_buf_str(&text));
    mt_buf_free(&text);
    return true;
}

/* ---- dispatch ---- */

static const struct row {
    mt_str name;
    ag_operation *run;
} OPERATIONS[] = {
    {MT_STR_INIT("parse"), op_parse},
    {MT_STR_INIT("style"), op_style},
    {MT_STR_INIT("node"), op_node},
    {MT_STR_INIT("tokens"), op_tokens},
    {MT_STR_INIT("accepts"), op_accepts},
    {MT_STR_INIT("route_accepts"), op_route_accepts},
    {MT_STR_INIT("outcome"), op_outcome},
    {MT_STR_INIT("activations"), ag_harness_activations},
    {MT_STR_INIT("tape"), ag_harness_tape},
    {MT_STR_INIT("responds"), op_responds},
    {MT_STR_INIT("triggers"), op_triggers},
    {MT_STR_INIT("hook_order"), op_hook_order},
    {MT_STR_INIT("wrap"), op_wrap},
    {MT_STR_INIT("recover"), op_recover},
    {MT_STR_INIT("cycle"), ag_harness_cycle},
    {MT_STR_INIT("dna"), ag_harness_dna},
};

static bool answer(ag_question *q, mt_str line)
{
    mt_json *in = mt_new(q->a, mt_json);
    mt_json_error fault;
    q->in = in;
    if (mt_json_read(q->a, line, NULL, in, &fault)) {
        return ag_refuse(q, "no JSON at byte %zu: %s", fault.offset, fault.message);
    }
    mt_str op = mt_json_text(mt_json_at(in, "op"));
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; i++) {
        if (mt_str_eq(OPERATIONS[i].name, op)) {
            return read_styles(q) && OPERATIONS[i].run(q);
        }
    }
    return ag_refuse(q, "no operation `%.*s`", MT_ARG(op));
}

/* Success is written optimistically; a refusal takes back what there is of it. One
 * question is one arena. */
void ag_harness_line(ag_mode mode, mt_str line, mt_buf *out)
{
    mt_arena a = {0};
    size_t start = out->len;
    mt_jw w = mt_jw_start(out, false);
    ag_question q = {.a = &a, .mode = mode, .w = &w};
    mt_jw_begin_unsorted(&w);
    mt_jw_key_bool(&w, "ok", true);
    if (!answer(&q, line)) {
        out->len = start; /* forget what was written of a success */
        w = mt_jw_start(out, false);
        mt_jw_begin_unsorted(&w);
        mt_jw_key_bool(&w, "ok", false);
        mt_jw_key_str(&w, "error", q.error);
    }
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
    mt_arena_free(&a);
}
