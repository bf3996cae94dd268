/* agent/route.c - routes of the profile: one pass over the characters.
 *
 *     route := [list] [arrow]          at least one part not empty
 *     arrow := "--" ( "[" [list] "]" "--" )? ">" [list]
 *     list  := token ("," token)*
 *     token := name | "/all" | "/oneof(" list ")" | "/not(" list ")"
 *
 * White space is skipped between any two symbols, also inside the arrow, and refused
 * between two characters of names, where skipping it would join them.
 *
 * The canonical text is written as the route is read, and node texts point into it;
 * one allocation per route, of a size known before. Lists that are read lie on the C
 * stack while they are short.
 *
 * What may fail: MT_E_SYNTAX with offset and message of the first fault, MT_E_LIMIT
 * for text or a nesting beyond the limits. *out is then not to be used. Which nodes
 * an action activates (ag_route_activates()) is the profile's table: STAY the sources,
 * MOVE labels and targets, TEST the labels. */
#include "agent/route.h"

#include "agent/chars.h"
#include "agent/route_sdk.h"
#include "base/limits.h"
#include "base/vec.h"

/* Nodes of one list while it is read: on the stack first, then in the arena. */
enum { NEAR_NODES = 24 };
typedef struct node_list {
    ag_node *items;
    size_t len, cap;
    ag_node near[NEAR_NODES];
} node_list;

typedef struct reader {
    mt_arena *arena;
    const char *at, *end;
    char *out; /* end of the canonical text so far */
    uint32_t depth;
    const char *message; /* the fault, at `at` */
    bool limit;
} reader;

static void list_start(node_list *list)
{
    list->items = list->near;
    list->len = 0;
    list->cap = NEAR_NODES;
}

static const ag_node *list_keep(mt_arena *a, const node_list *list)
{
    ag_node *kept = mt_alloc(a, list->len * sizeof *kept);
    memcpy(kept, list->items, list->len * sizeof *kept);
    return kept;
}

static bool fail(reader *r, const char *message)
{
    r->message = message;
    return false;
}

static inline void skip_space(reader *r)
{
    while (r->at < r->end && ag_is_space(*r->at)) {
        r->at++;
    }
}

/* The next symbol's first character, 0 at the end. */
static inline char peek(reader *r)
{
    skip_space(r);
    return r->at < r->end ? *r->at : 0;
}

/* Copies a name to the canonical text; white space may not continue it. */
static inline bool read_name(reader *r, mt_str *name)
{
    char *start = r->out;
    do {
        *r->out++ = *r->at++;
    } while (r->at < r->end && ag_is_word(*r->at));
    *name = mt_str_from(start, (size_t)(r->out - start));
    if (r->at < r->end && ag_is_space(*r->at)) {
        const char *gap = r->at;
        skip_space(r);
        if (r->at < r->end && ag_is_word(*r->at)) {
            r->at = gap;
            return fail(r, "white space inside a name, or a missing comma");
        }
    }
    return true;
}

static bool read_list(reader *r, node_list *list);

/* The canonical text is written while reading, without white space, into one buffer.
 * Depth is counted here, so nesting cannot exhaust the stack. */
static bool read_items(reader *r, ag_node *node)
{
    if (++r->depth > MT_LIMITS_DEFAULT.agent_route_depth) {
        r->limit = true;
        return fail(r, "lists are nested too deeply");
    }
    *r->out++ = '(';
    r->at++;
    node_list items;
    list_start(&items);
    if (peek(r) == ')') {
        return fail(r, "an empty list accepts nothing useful; name a state");
    }
    if (!read_list(r, &items)) {
        return false;
    }
    if (peek(r) != ')') {
        return fail(r, "expected , or ) here");
    }
    *r->out++ = ')';
    r->at++;
    r->depth--;
    node->items = list_keep(r->arena, &items);
    node->count = (uint32_t)items.len;
    return true;
}

/* /all, /oneof(…) and /not(…), §4. The node's text points into the canonical text. */
static bool read_form(reader *r, ag_node *node)
{
    char *start = r->out;
    const char *slash = r->at++;
    *r->out++ = '/';
    if (!ag_is_start(peek(r))) {
        return fail(r, "expected all, oneof or not after /");
    }
    mt_str name;
    if (!read_name(r, &name)) {
        return false;
    }
    if (mt_str_is(name, "all")) {
        node->kind = AG_ALL;
    } else if (mt_str_is(name, "oneof") || mt_str_is(name, "not")) {
        node->kind = name.len == 5 ? AG_ONEOF : AG_NOT;
        if (peek(r) != '(') {
            return fail(r, "expected ( and a list of tokens here");
        }
        if (!read_items(r, node)) {
            return false;
        }
    } else {
        r->at = slash;
        return fail(r, "unknown form; there are /all, /oneof(...) and /not(...)");
    }
    node->text = mt_str_from(start, (size_t)(r->out - start));
    return true;
}

/* The fast way first: nearly all tokens are plain names. */
static inline bool read_token(reader *r, ag_node *node)
{
    char c = peek(r);
    node->items = NULL;
    node->count = 0;
    if (MT_LIKELY(ag_is_start(c))) {
        node->kind = AG_PLAIN;
        return read_name(r, &node->text);
    }
    if (c == '/') {
        return read_form(r, node);
    }
    return fail(r, c == ',' || r->at == r->end ? "a token is missing here"
                                               : "a token cannot start here");
}

static bool read_list(reader *r, node_list *list)
{
    for (;;) {
        ag_node *node = mt_vec_add(r->arena, list);
        if (!read_token(r, node)) {
            return false;
        }
        if (peek(r) != ',') {
            return true;
        }
        r->at++;
        *r->out++ = ',';
    }
}

/* The characters of an arrow, with white space between them. */
static bool read_symbols(reader *r, const char *symbols, const char *message)
{
    for (; *symbols; symbols++) {
        if (peek(r) != *symbols) {
            return fail(r, message);
        }
        r->at++;
    }
    return true;
}

static inline void put(reader *r, mt_str s)
{
    memcpy(r->out, s.ptr, s.len);
    r->out += s.len;
}

static bool starts_list(char c)
{
    return c == '/' || c == ',' || ag_is_word(c);
}

static bool read_label(reader *r, node_list *list)
{
    r->at++;
    if (peek(r) != ']' && !read_list(r, list)) {
        return false;
    }
    return read_symbols(r, "]-->", "expected ]--> to close the label here");
}

/* The arrow from its first stem on. */
static bool read_arrow(reader *r, node_list *list, uint32_t *labels)
{
    size_t before = list->len;
    if (!read_symbols(r, "--", "expected --> or --[ here")) {
        return false;
    }
    put(r, AG_STYLE.open);
    char c = peek(r);
    if (c == '[') {
        if (!read_label(r, list)) {
            return false;
        }
    } else if (c == '>') {
        r->at++;
    } else {
        return fail(r, "expected > or [ after -- here");
    }
    put(r, AG_STYLE.close);
    *labels = (uint32_t)(list->len - before);
    return !starts_list(peek(r)) || read_list(r, list);
}

/* An arrow without label and target is the object of its source and loses its arrow.
 * Trailing bytes and NUL are refused: nothing of a route is silently left out. */
static bool read_route(reader *r, node_list *list, ag_route *out)
{
    char c = peek(r);
    if (starts_list(c) && !read_list(r, list)) {
        return false;
    }
    out->count[AG_SOURCE] = (uint32_t)list->len;
    char *source_end = r->out;
    if (peek(r) == '-') {
        out->style = &AG_STYLE;
        if (!read_arrow(r, list, &out->count[AG_LABEL])) {
            return false;
        }
        out->count[AG_TARGET] =
            (uint32_t)list->len - out->count[AG_SOURCE] - out->count[AG_LABEL];
    }
    if (peek(r)) {
        return fail(r, "this character cannot follow");
    }
    if (r->at < r->end) {
        return fail(r, "a NUL character cannot stand in a route");
    }
    if (!list->len) {
        return fail(r, "a route needs at least one state");
    }
    if (!ag_route_is_arrow(out)) {
        r->out = source_end; /* A--[]--> is the object A */
    }
    return true;
}

static mt_err too_long(ag_fault *fault)
{
    if (fault) {
        *fault = (ag_fault){.offset = MT_LIMITS_DEFAULT.agent_route_bytes,
                            .message =
                                "the route is longer than the limit agent_route_bytes"};
    }
    return MT_E_LIMIT;
}

static mt_err refused(const reader *r, mt_str text, ag_fault *fault)
{
    if (fault) {
        *fault =
            (ag_fault){.offset = (size_t)(r->at - text.ptr), .message = r->message};
    }
    return r->limit ? MT_E_LIMIT : MT_E_SYNTAX;
}

/* Room for the canonical text: an unlabelled arrow grows by its brackets. */
static reader reader_at(mt_arena *a, mt_str text)
{
    return (reader){.arena = a,
                    .at = text.ptr,
                    .end = text.ptr + text.len,
                    .out = mt_alloc(a, text.len + AG_STYLE.close.len + 1)};
}

/* Bytes are bounded before anything is allocated. On an error *out may be half filled;
 * `fault` has the place in bytes. */
mt_err ag_route_parse(mt_arena *a, ag_mode mode, const ag_styles *styles, mt_str text,
                      ag_route *out, ag_fault *fault)
{
    if (text.len > MT_LIMITS_DEFAULT.agent_route_bytes) {
        return too_long(fault);
    }
    if (mode == AG_COMPAT) {
        return ag_route_parse_sdk(a, styles ? styles : &AG_STYLES, text, out, fault);
    }
    reader r = reader_at(a, text);
    char *canonical = r.out;
    node_list list;
    list_start(&list);
    out->style = NULL;
    memset(out->count, 0, sizeof out->count);
    if (!read_route(&r, &list, out)) {
        return refused(&r, text, fault);
    }
    out->nodes = list_keep(a, &list);
    *r.out = 0;
    out->canonical = mt_str_from(canonical, (size_t)(r.out - canonical));
    return MT_OK;
}

mt_err ag_node_parse(mt_arena *a, ag_mode mode, mt_str text, ag_node *out,
                     ag_fault *fault)
{
    if (text.len > MT_LIMITS_DEFAULT.agent_route_bytes) {
        return too_long(fault);
    }
    if (mode == AG_COMPAT) {
        return ag_node_parse_sdk(a, text, out, fault);
    }
    reader r = reader_at(a, text);
    if (!read_token(&r, out)) {
        return refused(&r, text, fault);
    }
    if (peek(&r) || r.at < r.end) {
        fail(&r, "this character cannot follow");
        return refused(&r, text, fault);
    }
    return MT_OK;
}

/* Part by part: each node of the sender has to accept some node of the receiver's same
 * part (§6.4). Empty parts of the sender ask for nothing. */
bool ag_route_accepts(ag_mode mode, const ag_route *sender, const ag_route *receiver)
{
    for (ag_part part = AG_SOURCE; part < AG_PARTS; part++) {
        const ag_node *gates = ag_route_part(sender, part);
        const ag_node *states = ag_route_part(receiver, part);
        for (uint32_t g = 0; g < sender->count[part]; g++) {
            uint32_t s = 0;
            while (s < receiver->count[part] &&
                   !ag_accepts(mode, &gates[g], &states[s])) {
                s++;
            }
            if (s == receiver->count[part]) {
                return false;
            }
        }
    }
    return true;
}

static const char *const ACTIONS[] = {
    [AG_NONE] = "NONE", [AG_TEST] = "TEST",   [AG_STAY] = "STAY",
    [AG_MOVE] = "MOVE", [AG_EVENT] = "EVENT",
};
MT_TABLE_COVERS(ACTIONS, AG_EVENT + 1);

const char *ag_action_name(ag_action action)
{
    return ACTIONS[action];
}

bool ag_action_from(mt_str name, ag_action *out)
{
    for (int i = 0; i <= AG_EVENT; i++) {
        if (name.len == strlen(ACTIONS[i]) &&
            strncasecmp(name.ptr, ACTIONS[i], name.len) == 0) {
            *out = (ag_action)i;
            return true;
        }
    }
    return false;
}

/* The table of §6.3. The result is a stretch of r->nodes, never a copy. */
const ag_node *ag_route_activates(const ag_route *r, ag_action action, uint32_t *count)
{
    bool arrow = ag_route_is_arrow(r);
    *count = 0;
    switch (action) {
    case AG_NONE: return r->nodes;
    case AG_EVENT: /* compat: the bare event of an object route activates its source */
        *count = arrow ? 0 : r->count[AG_SOURCE];
        return r->nodes;
    case AG_STAY: *count = r->count[AG_SOURCE]; return r->nodes;
    case AG_MOVE:
        *count = arrow ? r->count[AG_LABEL] + r->count[AG_TARGET] : r->count[AG_SOURCE];
        return arrow ? r->nodes + r->count[AG_SOURCE] : r->nodes;
    case AG_TEST: *count = r->count[AG_LABEL]; return r->nodes + r->count[AG_SOURCE];
    }
    return r->nodes;
}
