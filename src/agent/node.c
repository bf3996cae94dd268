/* agent/node.c - see node.h: acceptance. Parsing is in route.c and route_sdk.c. */
#include "agent/node.h"

const char *ag_mode_name(ag_mode mode)
{
    return mode == AG_COMPAT ? "compat" : "profile";
}

bool ag_mode_from(mt_str name, ag_mode *out)
{
    bool compat = mt_str_is(name, "compat");
    *out = compat ? AG_COMPAT : AG_PROFILE;
    return compat || mt_str_is(name, "profile");
}

static bool listed(const ag_node *list, mt_str name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (mt_str_eq(list->items[i].text, name)) {
            return true;
        }
    }
    return false;
}

/* Profile: does the token accept the plain state `name`? Depth is bounded by the
 * parser. */
static bool accepts_plain(const ag_node *gate, mt_str name)
{
    switch ((ag_kind)gate->kind) {
    case AG_ALL: return true;
    case AG_PLAIN: return mt_str_eq(gate->text, name);
    case AG_ONEOF:
    case AG_NOT: break;
    }
    for (uint32_t i = 0; i < gate->count; i++) {
        if (accepts_plain(&gate->items[i], name)) {
            return gate->kind == AG_ONEOF;
        }
    }
    return gate->kind == AG_NOT;
}

static bool profile_accepts(const ag_node *gate, const ag_node *state)
{
    if (gate->kind == AG_ALL) {
        return true;
    }
    if (state->kind == AG_PLAIN) {
        return accepts_plain(gate, state->text);
    }
    return gate->kind != AG_PLAIN && mt_str_eq(gate->text, state->text);
}

/* Is some item of `gate` listed (wanted true) or not listed (false) in `state`? */
static bool some_item(const ag_node *gate, const ag_node *state, bool wanted)
{
    for (uint32_t i = 0; i < gate->count; i++) {
        if (listed(state, gate->items[i].text) == wanted) {
            return true;
        }
    }
    return false;
}

/* As the existing library decides it, odd cases included; the profile's rule is
 * elsewhere. */
static bool compat_accepts(const ag_node *gate, const ag_node *state)
{
    if (gate->kind == AG_ALL || state->kind == AG_ALL) {
        return true;
    }
    bool plain = state->kind == AG_PLAIN;
    switch ((ag_kind)gate->kind) {
    case AG_PLAIN:
        return plain ? mt_str_eq(gate->text, state->text)
                     : listed(state, gate->text) == (state->kind == AG_ONEOF);
    case AG_NOT: return !plain || !listed(gate, state->text);
    case AG_ONEOF:
        return plain ? listed(gate, state->text)
                     : some_item(gate, state, state->kind == AG_ONEOF);
    case AG_ALL: break;
    }
    return true;
}

bool ag_accepts(ag_mode mode, const ag_node *gate, const ag_node *state)
{
    return mode == AG_COMPAT ? compat_accepts(gate, state)
                             : profile_accepts(gate, state);
}
