/* tool/desk.c - who comes in, as whom, and which method a message asks for.
 * Room: tool. The tools of a persona are worked out once for each version of a contract
 * and kept with the desk: turns borrow them, they borrow the version's plan, and the
 * executor, too, keeps every version that it has loaded.
 * INVARIANT: the caller that the executor sees holds the visit's persona and no other.
 *
 * Order of a message: it is read (mc_read), its key looked at, contract and persona
 * found anew, the caller narrowed, the method run. A message that is not a request gets
 * no method, but ends its turn like any other. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/hash.h"
#include "tool/turn.h"

tl_desk *tl_desk_new(ex_executor *x, const char *version)
{
    tl_desk *d = mt_xmalloc(sizeof *d);
    *d = (tl_desk){.executor = x, .server = {MT_STR("motet"), mt_str_z(version)}};
    pthread_mutex_init(&d->lock, NULL);
    return d;
}

void tl_desk_free(tl_desk *d)
{
    if (d) {
        pthread_mutex_destroy(&d->lock);
        mt_arena_free(&d->arena);
        free(d);
    }
}

/* ---- Who comes in ---- */

/* Personas that are only named somewhere count where none is declared at all. */
static uint32_t persona_of(const ex_view *view, mt_str name)
{
    return ct_model_find(view->plan->model, CT_KIND_PERSONA, name);
}

bool tl_admits(tl_desk *d, const tl_visit *v)
{
    ex_view view;
    return ex_view_of(d->executor, v->contract, &view) &&
           mt_str_eq(view.contract, v->contract) &&
           persona_of(&view, v->persona) != CT_NONE &&
           ex_caller_holds(v->caller, v->contract, v->persona);
}

/* Made under the lock: two visitors that come at
 * once wait for one analysis and do not make two. */
static const tl_set *set_of(tl_desk *d, const ex_view *view, mt_str persona)
{
    bool added;
    mt_arena tmp = {0};
    mt_str key = mt_strf(&tmp, "%.*s %.*s %.*s", MT_ARG(view->etag),
                         MT_ARG(view->contract), MT_ARG(persona));
    pthread_mutex_lock(&d->lock);
    mt_map_entry *e = mt_map_find(&d->sets, key);
    if (!e) {
        e = mt_map_add(&d->arena, &d->sets, mt_str_dup(&d->arena, key), &added);
        e->value = (uintptr_t)tl_set_make(&d->arena, view, persona_of(view, persona));
    }
    const tl_set *s = (const tl_set *)e->value;
    pthread_mutex_unlock(&d->lock);
    mt_arena_free(&tmp);
    return s;
}

void tl_names(tl_desk *d, mt_str contract, mt_str persona, mt_buf *out)
{
    ex_view view;
    if (!ex_view_of(d->executor, contract, &view) ||
        persona_of(&view, persona) == CT_NONE) {
        return;
    }
    const tl_set *s = set_of(d, &view, persona);
    for (size_t i = 0; i < s->count; i++) {
        mt_buf_adds(out, s->tools[i].name);
        mt_buf_addc(out, '\n');
    }
}

/* Where everybody may do everything, this is what is left of it: all but overriding
 * what a source serves, and changing what is there. */
static const mt_str OPEN_RIGHTS[] = {MT_STR_INIT("facts:*"), MT_STR_INIT("evaluate"),
                                     MT_STR_INIT("read"), MT_STR_INIT("ledger:read")};

/* The executor judges by what a caller holds. A persona that the visitor does not act
 * as is taken away, so that no argument of a tool can make use of it. Its rights stay
 * its own; who may do everything gets OPEN_RIGHTS instead. */
static void narrow(tl_turn *t)
{
    const ex_caller *who = t->visit->caller;
    mt_str *persona = mt_new(&t->arena, mt_str);
    *persona = mt_strf(&t->arena, "%.*s:%.*s", MT_ARG(t->visit->contract),
                       MT_ARG(t->visit->persona));
    t->as = *who;
    t->as.personas = persona;
    t->as.persona_count = 1;
    t->as.anyone = false;
    if (who->anyone) {
        t->as.rights = OPEN_RIGHTS;
        t->as.right_count = sizeof OPEN_RIGHTS / sizeof *OPEN_RIGHTS;
    }
}

void tl_session_begin(tl_session *s)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        MT_BUG("no randomness");
    }
    mt_hex(bytes, sizeof bytes, s->nonce);
    s->nonce[32] = '\0';
    s->began = false;
}

/* ---- Methods ---- */

/* `initialize` of the older revision, `server/discover` of the newer: the same answer.
 * In the older one a session begins, and with it a new nonce. */
static void start(tl_turn *t)
{
    mt_buf words = {0};
    mt_buf_addf(&words,
                "You act as the persona %.*s of the contract %.*s, and as nobody else. "
                "Tools named like operations and flows do things for good; dry_run "
                "tries one, actions says what is possible now, why says what stands in "
                "the way. A refusal tells what would have to change.",
                MT_ARG(tl_persona(t)), MT_ARG(t->view.contract));
    mc_members_of_start(&t->members, &t->desk->server, &t->m, mt_buf_str(&words));
    mt_buf_free(&words);
    if (t->visit->session && t->m.method == MC_INITIALIZE) {
        tl_session_begin(t->visit->session); /* ids may begin at 1 again */
        t->visit->session->began = true;
    }
}

/* The empty result: a ping, and notifications that ask for nothing. */
static void nothing(tl_turn *t)
{
    (void)t;
}

static void (*const METHODS[MC_METHOD_COUNT])(tl_turn *t) = {
    [MC_INITIALIZE] = start,
    [MC_INITIALIZED] = nothing,
    [MC_CANCELLED] = nothing,
    [MC_PING] = nothing,
    [MC_DISCOVER] = start,
    [MC_TOOLS_LIST] = tl_tools_list,
    [MC_TOOLS_CALL] = tl_tools_call,
    [MC_RESOURCES_LIST] = tl_resources_list,
    [MC_TEMPLATES_LIST] = tl_templates_list,
    [MC_RESOURCES_READ] = tl_resources_read,
    [MC_TASKS_GET] = tl_tasks_get,
    [MC_TASKS_UPDATE] = tl_tasks_update,
    [MC_TASKS_CANCEL] = tl_tasks_cancel,
};

/* A persona can go with a new version while its visitors are there. */
static bool lost(tl_turn *t)
{
    bool here = ex_view_of(t->desk->executor, t->visit->contract, &t->view) &&
                persona_of(&t->view, tl_persona(t)) != CT_NONE;
    if (!here) {
        mc_spoil(&t->m, MC_INTERNAL,
                 MT_STR("the contract has no such persona any more"), (mt_str){0});
    }
    return !here;
}

/* The turn belongs to itself from tl_go_on()
 * on, which may have freed it when it returns. */
void tl_hear(tl_desk *d, const tl_visit *v, mt_str text, tl_done *done, void *state)
{
    tl_turn *t = mt_xmalloc(sizeof *t);
    *t = (tl_turn){
        .desk = d, .visit = v, .done = done, .state = state, .type = "complete"};
    mc_door door = v->door;
    door.began = v->session && v->session->began;
    mc_read(&t->arena, text, &door, &t->m);
    if (t->m.kind == MC_REQUEST && !tl_spoilt_key(t) && !lost(t)) {
        narrow(t);
        t->set = set_of(d, &t->view, tl_persona(t));
        METHODS[t->m.method](t);
    }
    tl_go_on(t);
}
