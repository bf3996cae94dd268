/* lsp/known_agent.c - routes, triggers, actions and handlers of agents.
 *
 * States and labels are not declared anywhere: they are the words of the routes. A
 * receiver's route is where one comes from, since only receivers move a tape. */
#include "agent/route.h"
#include "lsp/known.h"

static const char ROUTE_SIGNS[] = " \t,()[]-<>=/";

static bool is_known(const ls_inquiry *q, mt_str name)
{
    for (size_t i = 0; i < q->found.len; i++) {
        if (mt_str_eq(q->found.items[i].name, name)) {
            return true;
        }
    }
    return false;
}

static void know_once(ls_inquiry *q, mt_str name, int kind, const char *what,
                      mt_str file, ls_range at)
{
    if (!name.len || is_known(q, name)) {
        return;
    }
    ls_know_word(q, mt_str_dup(q->c->a, name), kind, mt_str_z(what));
    ls_known *k = &q->found.items[q->found.len - 1];
    k->words = mt_strf(q->c->a, "**%s** `%.*s`\n", what, MT_ARG(name));
    k->file = file;
    k->at = at;
}

/* ---- routes ---- */

static void know_words(ls_inquiry *q, mt_str file, const ls_gathered *route)
{
    mt_str text = route->text;
    for (size_t at = 0; at < text.len;) {
        size_t from = at;
        while (at < text.len && !strchr(ROUTE_SIGNS, text.ptr[at])) {
            at++;
        }
        ls_range r = {route->at.from + from, route->at.from + at};
        bool is_own = mt_str_eq(file, q->path) && r.from == q->part.from;
        if (!is_own) {
            know_once(q, mt_str_from(text.ptr + from, at - from), LS_ITEM_VARIABLE,
                      "state", file, r);
        }
        at += at == from || at < text.len;
    }
}

static void know_all_words(ls_inquiry *q, mt_str file, mt_str text)
{
    static const char *const ROUTES[] = {"/receivers/#/route", "/senders/#/route",
                                         "/tape/start", "/tape/start/#"};
    for (size_t i = 0; i < sizeof ROUTES / sizeof *ROUTES; i++) {
        ls_gathering all = ls_gather(q->c->a, text, ROUTES[i], false);
        for (size_t k = 0; k < all.len; k++) {
            know_words(q, file, &all.items[k]);
        }
    }
}

void ls_know_routes(ls_inquiry *q)
{
    mt_str before = ls_narrow(q, ROUTE_SIGNS);
    bool is_form = before.len && before.ptr[before.len - 1] == '/';
    if (is_form) {
        LS_KNOW_WORDS(q, LS_ITEM_KEYWORD, "all", "oneof", "not");
        return;
    }
    know_all_words(q, q->path, q->text);
}

/* Of a scenario the agent's, whose file it names. */
void ls_know_states_of_tape(ls_inquiry *q)
{
    ls_gathering agent = ls_gather(q->c->a, q->text, "/agent", false);
    mt_str text;
    if (q->kind == LS_DATA_SCRIPT && agent.len &&
        ls_read_beside(q->c->s, q->c->a, q->path, agent.items[0].text, &text)) {
        know_all_words(
            q, mt_path_join(q->c->a, ls_folder_of(q->path), agent.items[0].text), text);
    } else {
        know_all_words(q, q->path, q->text);
    }
}

/* ---- triggers ---- */

static bool know_declared(void *context, const ls_spot *s)
{
    ls_inquiry *q = context;
    bool is_one = s->depth > 1 && mt_str_is(s->path[0].key, "triggers") &&
                  (s->is_key || s->path[s->depth - 1].is_item);
    if (is_one) {
        know_once(q, s->text, LS_ITEM_EVENT, "trigger", q->path, s->range);
    }
    return true;
}

/* Where none is declared any will do: those that others have. */
static bool know_used(void *context, const ls_spot *s)
{
    ls_inquiry *q = context;
    bool is_one = !s->is_key && (ls_spot_is(s, "#/trigger") ||
                                 ls_spot_is(s, "/senders/#/on_triggers/#"));
    if (is_one && s->range.from != q->spot.range.from) {
        know_once(q, s->text, LS_ITEM_EVENT, "trigger", q->path, s->range);
    }
    return true;
}

void ls_know_triggers(ls_inquiry *q)
{
    ls_spots(q->text, know_declared, q);
    if (!q->found.len) {
        ls_spots(q->text, know_used, q);
        q->is_open = true;
    }
}

/* ---- the rest ---- */

void ls_know_actions(ls_inquiry *q)
{
    /* SPARSE: an event is not an answer of a handler. */
    static const char *const WORDS[] = {
        [AG_NONE] = "none", [AG_TEST] = "test", [AG_STAY] = "stay", [AG_MOVE] = "move"};
    bool is_sender = ls_spot_is(&q->spot, "on_actions/#");
    for (ag_action a = is_sender ? AG_TEST : AG_NONE; a <= AG_MOVE; a++) {
        ls_know_word(q, mt_str_z(WORDS[a]), LS_ITEM_ENUM_MEMBER, (mt_str){0});
    }
}

void ls_know_groups(ls_inquiry *q)
{
    ls_gathering all = ls_gather(q->c->a, q->text, "/handlers/*", true);
    ls_narrow(q, ".");
    for (size_t i = 0; i < all.len; i++) {
        know_once(q, all.items[i].text, LS_ITEM_MODULE, "handler group", q->path,
                  all.items[i].at);
    }
}
