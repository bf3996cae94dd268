/* agent/behaviour.c - see behaviour.h.
 *
 * Everything that decides what a peer hears must be in it: a key of the agent file
 * that is added to the reader and not here would change without its pin. For a handler
 * in a process that is the command and the digests of the files it names, which the
 * host computes (ag_digest).
 *
 * Order: digests of all groups first, since only they can fail; then rules and
 * settings. Values are borrowed from the file's tree; only objects are new, so the
 * result lives as long as both. What may fail: the digest of a file, with the host's
 * error. */
#include "agent/behaviour.h"

#include "agent/value.h"
#include "base/base64.h"
#include "base/vec.h"

/* An object in the making. */
typedef struct object {
    mt_arena *a;
    MT_VEC(mt_json_member) members;
} object;

static void add(object *o, const char *key, mt_json value)
{
    mt_vec_push(o->a, &o->members, ((mt_json_member){mt_str_z(key), value}));
}

static mt_json finished(const object *o)
{
    return ag_object_value(o->members.items, o->members.len);
}

/* ---- handlers ---- */

static mt_json command_of(mt_arena *a, const ag_group *g)
{
    mt_json *words = mt_new_array(a, mt_json, g->command_count);
    for (uint32_t i = 0; i < g->command_count; i++) {
        words[i] = ag_text_value(g->command[i]);
    }
    return ag_list_value(words, g->command_count);
}

/* Words of the command that are files of the agent, with their digests; others are the
 * system's. */
static mt_err files_of(mt_arena *a, const ag_group *g, ag_digest *digest, void *host,
                       mt_json *out)
{
    *out = ag_object_value(NULL, 0);
    for (uint32_t i = 0; i < g->command_count; i++) {
        mt_str text = {0};
        mt_err err = digest(host, g, i, &text);
        if (err) {
            return err;
        }
        if (text.ptr) {
            mt_json value = ag_text_value(text);
            *out = ag_with_member(a, out, g->command[i], &value);
        }
    }
    return MT_OK;
}

typedef struct work {
    mt_arena *a;
    const ag_file *file;
    mt_json *files; /* by group */
} work;

/* Everything that decides what the process is and how long it may take. */
static mt_json handler_of(const work *w, const ag_binding *b)
{
    const ag_group *g = b->group;
    object o = {.a = w->a};
    add(&o, "command", command_of(w->a, g));
    add(&o, "files", w->files[g - w->file->groups]);
    add(&o, "function", ag_text_value(b->function));
    add(&o, "group", ag_text_value(g->name));
    add(&o, "restarts", ag_i64_value(w->a, g->restarts));
    add(&o, "time_limit_ms", ag_i64_value(w->a, (int64_t)g->time_limit_ms));
    return finished(&o);
}

static mt_json rules_of(mt_arena *a, const mt_json *rules)
{
    object o = {.a = a};
    add(&o, "rules", *rules);
    return finished(&o);
}

static const mt_json *behaviour_of(const work *w, const ag_binding *b)
{
    mt_json *out = mt_new(w->a, mt_json);
    *out = b->group ? handler_of(w, b) : rules_of(w->a, b->rules);
    return out;
}

/* ---- the agent ---- */

/* How the tape begins and changes. */
static mt_json tape_of(mt_arena *a, const ag_file *f)
{
    object o = {.a = a};
    add(&o, "rule",
        ag_text_value(mt_str_z(f->agent.rule == AG_ADD ? "add" : "replace")));
    add(&o, "shape", ag_text_value(mt_str_z(ag_shape_name(f->shape))));
    if (f->start) {
        add(&o, "start", *f->start);
    }
    if (f->key.len) {
        add(&o, "key", ag_text_value(f->key));
    }
    if (f->reset_when_empty) {
        add(&o, "when_empty", ag_text_value(MT_STR("start")));
    }
    return finished(&o);
}

/* In compat mode the order of registration decides the order of calls; DNA sorts. */
static mt_json order_of(mt_arena *a, const ag_agent *g)
{
    MT_VEC(mt_json) names = {0};
    for (uint32_t i = 0; i < g->receiver_count; i++) {
        mt_str name = mt_strf(a, "receiver %.*s", MT_ARG(g->receivers[i].name));
        mt_vec_push(a, &names, ag_text_value(name));
    }
    for (uint32_t i = 0; i < g->sender_count; i++) {
        mt_str name = mt_strf(a, "sender %.*s", MT_ARG(g->senders[i].name));
        mt_vec_push(a, &names, ag_text_value(name));
    }
    return ag_list_value(names.items, names.len);
}

/* As agent files have them: how a route is read decides what it gates. */
static mt_json styles_of(mt_arena *a, const ag_styles *styles)
{
    mt_json *items = mt_new_array(a, mt_json, styles->count);
    for (size_t i = 0; i < styles->count; i++) {
        const ag_style *s = &styles->items[i];
        object o = {.a = a};
        add(&o, "left", ag_text_value(s->left));
        add(&o, "right", ag_text_value(s->right));
        add(&o, "separator", ag_text_value(s->separator));
        add(&o, "stem", ag_text_value(s->stem));
        add(&o, "tip", ag_text_value(s->tip));
        items[i] = finished(&o);
    }
    return ag_list_value(items, styles->count);
}

/* Whose messages are taken. Keys in one spelling. */
static mt_json identity_of(mt_arena *a, const ag_identity *id)
{
    object o = {.a = a};
    mt_json trust = ag_object_value(NULL, 0);
    for (uint32_t i = 0; i < id->trusted_count; i++) {
        mt_json key =
            ag_text_value(mt_base64(a, id->trusted[i].key.bytes, MT_SIGN_PUBLIC));
        trust = ag_with_member(a, &trust, id->trusted[i].name, &key);
    }
    if (id->pin_first) {
        add(&o, "pin", ag_text_value(MT_STR("first")));
    }
    add(&o, "required", ag_bool_value(id->required));
    add(&o, "room", ag_text_value(id->room));
    if (id->trusted_count) {
        add(&o, "trust", trust);
    }
    add(&o, "window_ms", ag_i64_value(a, (int64_t)id->window_ms));
    return finished(&o);
}

/* What is not of one registration. Members that do not apply are left out, so old pins
 * stay. */
static const mt_json *settings_of(mt_arena *a, const ag_file *f)
{
    object o = {.a = a};
    add(&o, "agent", ag_text_value(f->agent.name));
    add(&o, "mode", ag_text_value(mt_str_z(ag_mode_name(f->agent.mode))));
    add(&o, "tape", tape_of(a, f));
    if (f->agent.mode == AG_COMPAT) {
        add(&o, "order", order_of(a, &f->agent));
    }
    if (f->agent.flow_off) {
        add(&o, "flow", ag_bool_value(false));
    }
    if (f->identity) {
        add(&o, "identity", identity_of(a, f->identity));
    }
    if (f->memory) {
        add(&o, "memory", *f->memory);
    }
    if (f->seed.len) {
        add(&o, "seed", ag_text_value(f->seed));
    }
    if (f->agent.styles) {
        add(&o, "styles", styles_of(a, f->agent.styles));
    }
    mt_json *out = mt_new(a, mt_json);
    *out = finished(&o);
    return out;
}

/* What was read is shared and stays; the agent gets rows of its own. */
static void write_all(const work *w, ag_file *f)
{
    ag_agent *g = &f->agent;
    ag_receiver *receivers = mt_new_array(w->a, ag_receiver, g->receiver_count + 1u);
    ag_sender *senders = mt_new_array(w->a, ag_sender, g->sender_count + 1u);
    ag_hook *hooks = mt_new_array(w->a, ag_hook, g->hook_count + 1u);
    for (uint32_t i = 0; i < g->receiver_count; i++) {
        receivers[i] = g->receivers[i];
        receivers[i].behaviour = behaviour_of(w, &f->receivers[i]);
    }
    for (uint32_t i = 0; i < g->sender_count; i++) {
        senders[i] = g->senders[i];
        senders[i].behaviour = behaviour_of(w, &f->senders[i]);
    }
    for (uint32_t i = 0; i < g->hook_count; i++) {
        hooks[i] = g->hooks[i];
        hooks[i].behaviour = behaviour_of(w, &f->hooks[i]);
    }
    g->receivers = receivers;
    g->senders = senders;
    g->hooks = hooks;
    g->settings = settings_of(w->a, f);
}

/* Digests are taken once per group, not per registration: a group is one program for
 * all its handlers. A file that cannot be read leaves `file` unchanged. */
mt_err ag_behaviour_of(mt_arena *a, ag_file *file, ag_digest *digest, void *host)
{
    work w = {a, file, mt_new_array(a, mt_json, file->group_count)};
    for (uint32_t i = 0; i < file->group_count; i++) {
        mt_err err = files_of(a, &file->groups[i], digest, host, &w.files[i]);
        if (err) {
            return err;
        }
    }
    write_all(&w, file);
    return MT_OK;
}
