/* agent/advice.c - see advice.h.
 *
 * Nothing is concluded from the rules' text: an actor of its own is put on each state
 * that a route names, is given one message that has nothing to do with it, and what
 * happened is told. So a warning is never wrong, though not every trap is found: a hook
 * that drops such a message, or a handler outside, ends the trial.
 *
 * Bounded: MOST_STATES states, one warning for all that are lost. Nothing can fail. */
#include "agent/advice.h"

#include "agent/value.h"
#include "base/map.h"

enum { MOST_STATES = 1000, MOST_NAMED = 8 };
static const mt_str KEY = MT_STR_INIT("somebody");

typedef struct trial {
    mt_arena *a;
    const ag_file *file;
    ag_actor *actor;
    mt_map seen; /* states that were tried */
    mt_buf lost; /* names of those that were emptied */
    uint32_t lost_count;
} trial;

/* An object with one member, around another value. */
static const mt_json *around(mt_arena *a, mt_str key, const mt_json *inner)
{
    mt_json *out = mt_new(a, mt_json);
    mt_json_member *member = mt_new(a, mt_json_member);
    *member = (mt_json_member){key, *inner};
    *out = ag_object_value(member, 1);
    return out;
}

/* Such that the tape's key is KEY: content.a.b is {"a":{"b":KEY}}. */
static const mt_json *content_with_key(mt_arena *a, mt_str path)
{
    size_t dot = mt_str_find(path, '.');
    if (dot == path.len) {
        mt_json *key = mt_new(a, mt_json);
        *key = ag_text_value(KEY);
        return key;
    }
    mt_str rest = mt_str_skip(path, dot + 1);
    mt_str step = mt_str_from(rest.ptr, mt_str_find(rest, '.'));
    return around(a, step, content_with_key(a, rest));
}

/* About nothing the agent knows, but from the right key where there is one. */
static const mt_json *unrelated_message(const trial *t)
{
    const mt_json words = ag_text_value(MT_STR("\x01 nothing this agent awaits"));
    mt_str path = t->file->key;
    bool in_content = mt_str_starts(path, MT_STR("content."));
    return ag_payload(t->a, KEY, in_content ? content_with_key(t->a, path) : &words);
}

static void fails(void *host, const ag_call *call, ag_answer *answer)
{
    (void)host;
    (void)call;
    answer->failed = "not asked";
}

/* Did receivers run, and none had anything to say? What a rule gave up on purpose is
 * the author's business. */
static bool nobody_answered(const ag_cycle *c)
{
    ag_record r = ag_cycle_record(c);
    for (uint32_t i = 0; i < r.activation_count; i++) {
        if (r.activations[i].failed || r.activations[i].event.action != AG_NONE) {
            return false;
        }
    }
    return r.activation_count > 0;
}

/* Puts the agent on one state and sends it the message. */
static void try_state(trial *t, mt_str state)
{
    bool indexed = ag_shape_indexed(t->file->shape), added;
    mt_str key = indexed ? KEY : AG_LIST;
    ag_tape *tape = ag_actor_tape(t->actor);
    size_t left;
    mt_map_add(t->a, &t->seen, state, &added);
    if (!added || t->seen.len > MOST_STATES || ag_tape_set(tape, key, &state, 1)) {
        return;
    }
    ag_actor_run(t->actor, unrelated_message(t), fails, NULL);
    ag_tape_states(tape, t->a, key, &left);
    if (!left && nobody_answered(ag_actor_cycle(t->actor)) &&
        t->lost_count++ < MOST_NAMED) {
        mt_buf_addf(&t->lost, "%s`%.*s`", t->lost.len ? ", " : "", MT_ARG(state));
    }
    ag_tape_remove(tape, key);
}

static void try_all(trial *t)
{
    const ag_agent *agent = &t->file->agent;
    for (uint32_t i = 0; i < agent->receiver_count; i++) {
        const ag_receiver *r = &agent->receivers[i];
        for (uint32_t k = 0; r->parsed && k < r->route.count[AG_SOURCE]; k++) {
            if (r->route.nodes[k].kind == AG_PLAIN) {
                try_state(t, r->route.nodes[k].text);
            }
        }
    }
}

static void warn(mt_diags *ds, mt_str name, const char *code, mt_str message,
                 const char *hint)
{
    mt_diag_add(ds, &(mt_diag){.severity = MT_WARNING,
                               .code = code,
                               .pass = -1,
                               .file = name,
                               .message = message,
                               .hint = mt_str_z(hint)});
}

static void advise_on_losses(mt_arena *a, const ag_file *file, mt_str name,
                             mt_diags *ds)
{
    trial t = {.a = a, .file = file, .actor = ag_actor_new(file, NULL)};
    try_all(&t);
    if (t.lost_count) {
        warn(
            ds, name, "AG150",
            mt_strf(a,
                    "a message that no rule is about takes %.*s%s off the tape, and "
                    "no receiver answers there any more",
                    MT_ARG(mt_buf_str(&t.lost)),
                    t.lost_count > MOST_NAMED ? " and more" : ""),
            "end the rules with `{do: stay}`, or say `when_empty: start` under `tape`");
    }
    mt_buf_free(&t.lost);
    ag_actor_free(t.actor);
}

void ag_advise(mt_arena *a, const ag_file *file, mt_str name, mt_diags *ds)
{
    bool compat = file->agent.mode == AG_COMPAT;
    if (!compat && file->agent.flow_off) {
        warn(ds, name, "AG151", MT_STR("`flow: false` means nothing in profile mode"),
             "leave it out, or say `mode: compat`");
    }
    if (compat ? !file->agent.flow_off : file->agent.rule == AG_REPLACE) {
        advise_on_losses(a, file, name, ds);
    }
}
