/* guard/desk.c - one call of a tool, as calls of the executor.
 * Room: guard.
 * A call becomes the request of its operation or flow: persona, bindings and facts, as
 * the map says. Where the map makes instances, a dry run says first whether it is only
 * the instance that is missing: what is refused anyway makes none. Then the executor
 * decides, and its answer is waited for; it comes from another thread.
 * INVARIANT: `goes_on` without an answer of the executor that is durable does not
 * exist: whatever fails is a fault, and a fault does not go on. */
#include <pthread.h>

#include "base/hash.h"
#include "base/json_write.h"
#include "guard/guard.h"

/* ---- Asking the executor ---- */

typedef struct waiting {
    pthread_mutex_t lock;
    pthread_cond_t given;
    bool here;
    int status;
    mt_buf body;
} waiting;

/* Woken when the lock is free: who wakes while it is held has the other wait again.
 * Therefore what is waited with must outlive the wait (ask()). */
static void give(void *state, ex_reply *reply)
{
    waiting *w = state;
    pthread_mutex_lock(&w->lock);
    w->status = reply->status;
    w->body = reply->body;
    reply->body = (mt_buf){0};
    w->here = true;
    pthread_mutex_unlock(&w->lock);
    pthread_cond_signal(&w->given);
}

/* Its answer, in `a`; *tree is null when it is not JSON. */
static int ask(const gd_desk *d, mt_arena *a, const ex_call *call, mt_json *tree,
               mt_str *text)
{
    static _Thread_local waiting w = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                      .given = PTHREAD_COND_INITIALIZER};
    w.here = false; /* nobody else knows of it now */
    ex_executor_call(d->executor, call, give, &w);
    pthread_mutex_lock(&w.lock);
    while (!w.here) {
        pthread_cond_wait(&w.given, &w.lock);
    }
    pthread_mutex_unlock(&w.lock);
    *text = mt_str_dup(a, mt_buf_str(&w.body));
    mt_buf_free(&w.body);
    *tree = (mt_json){.type = MT_JSON_NULL};
    if (mt_json_read(a, *text, NULL, tree, NULL)) {
        *tree = (mt_json){.type = MT_JSON_NULL};
    }
    return w.status;
}

/* ---- Requests ---- */

/* A row of the map names one of the two. */
static mt_str meaning(const gd_tool *t)
{
    return t->flow.len ? t->flow : t->operation;
}

/* What is not in the arguments, or cannot be an id, is left out: the executor then says
 * which binding is missing. */
static void write_bindings(mt_jw *w, mt_arena *a, const gd_tool *t,
                           const mt_json *arguments)
{
    mt_jw_keyz(w, "bindings");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < t->bind_count; i++) {
        mt_str id;
        if (gd_bind_id(a, &t->binds[i], arguments, &id)) {
            mt_jw_key(w, t->binds[i].name);
            mt_jw_str(w, id);
        }
    }
    mt_jw_end_object(w);
}

/* A fact that is not in the arguments is left out, so its default or its source
 * counts. */
static void write_facts(mt_jw *w, const gd_tool *t, const mt_json *arguments)
{
    mt_buf value = {0};
    mt_jw_keyz(w, "facts");
    mt_jw_begin_unsorted(w);
    for (uint32_t i = 0; i < t->fact_count; i++) {
        mt_buf_clear(&value);
        if (gd_value_write(&value, &t->facts[i], arguments)) {
            mt_jw_key(w, t->facts[i].name);
            mt_jw_raw(w, mt_buf_str(&value));
        }
    }
    mt_jw_end_object(w);
    mt_buf_free(&value);
}

/* Keys ascend. A dry run asks for no receipt, since there is no record of it. */
static mt_str request(const gd_desk *d, mt_arena *a, const gd_tool *t,
                      const mt_json *arguments, bool dry_run)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    if (t) {
        write_bindings(&w, a, t, arguments);
    }
    if (dry_run) {
        mt_jw_key_bool(&w, "dry_run", true);
    }
    if (t) {
        write_facts(&w, t, arguments);
    }
    mt_jw_key_str(&w, "persona", d->persona);
    if (d->receipts && !dry_run) {
        mt_jw_key_bool(&w, "receipt", true);
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* {"bytes","sha256","text"}: what is long is known by its hash alone. */
static mt_str kept(const gd_desk *d, mt_arena *a, mt_str raw)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_i64(&w, "bytes", (int64_t)raw.len);
    mt_jw_key_str(&w, "sha256", mt_sha256_hex(a, mt_sha256_of(raw)));
    if (raw.len <= d->map->record_bytes) {
        mt_jw_key_str(&w, "text", raw);
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* ---- Words ---- */

/* "- amount <= limit is false; it rests on amount, limit". Names come from a contract,
 * but values may come from an agent, so all of it is shown escaped. */
static void add_reason(mt_buf *out, const mt_json *reason)
{
    const mt_json *rests = mt_json_at(reason, "rests_on");
    const mt_json *held = mt_json_at(reason, "value");
    mt_buf_addz(out, "\n- ");
    mt_json_show(out, mt_text_at(reason, "condition"));
    mt_buf_addz(out, mt_json_is(held, MT_JSON_BOOL) && held->boolean ? " is true"
                                                                     : " is false");
    for (uint32_t i = 0; mt_json_is(rests, MT_JSON_ARRAY) && i < rests->count; i++) {
        mt_buf_addz(out, i ? ", " : "; it rests on ");
        mt_json_show(out, mt_json_text(&rests->as.items[i]));
    }
}

/* "Refused (precondition_failed): ...", then a line for each reason: read by models and
 * people alike. */
static mt_str words_of(mt_arena *a, const mt_json *problem, const char *before)
{
    mt_buf out = {0};
    const mt_json *reasons = mt_json_at(problem, "reasons");
    mt_str code = mt_text_at(problem, "code"), detail = mt_text_at(problem, "detail");
    mt_buf_addz(&out, before);
    mt_buf_addz(&out, " (");
    mt_json_show(&out, code);
    mt_buf_addz(&out, "): ");
    mt_json_show(&out, detail);
    for (uint32_t i = 0; mt_json_is(reasons, MT_JSON_ARRAY) && i < reasons->count;
         i++) {
        add_reason(&out, &reasons->as.items[i]);
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* ---- What `_meta` says ---- */

/* As tools of `motet mcp` have it: the record and its receipt, or that it is queued. */
static mt_str meta_of(mt_arena *a, const mt_json *said)
{
    static const char *const FLOW[] = {"flow", "id", "status", "waiting"};
    static const char *const KEYS[] = {"queued", "receipt", "record"};
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    if (mt_json_is(said, MT_JSON_OBJECT) && mt_json_at(said, "id")) {
        mt_jw_keyz(&w, "motet/flow");
        mt_jw_begin_object(&w);
        for (size_t i = 0; i < sizeof FLOW / sizeof *FLOW; i++) {
            const mt_json *v = mt_json_get(said, mt_str_z(FLOW[i]));
            if (v) {
                mt_jw_key(&w, mt_str_z(FLOW[i]));
                mt_jw_json(&w, v);
            }
        }
        mt_jw_end_object(&w);
    }
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        const mt_json *v = mt_json_get(said, mt_str_z(KEYS[i]));
        if (v) {
            mt_jw_key(&w, mt_strf(a, "motet/%s", KEYS[i]));
            mt_jw_json(&w, v);
        }
    }
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* ---- Instances that are made ---- */

static bool makes(const gd_tool *t)
{
    bool any = false;
    for (uint32_t i = 0; t && i < t->bind_count; i++) {
        any |= t->binds[i].create;
    }
    return any;
}

static void make(const gd_desk *d, mt_arena *a, const gd_bind *b, mt_str id)
{
    mt_json tree;
    mt_str text;
    mt_buf body = {0};
    mt_jw w = mt_jw_start(&body, false);
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "id", id);
    mt_jw_end_object(&w);
    ex_call call = {.action = EX_INSTANCE_CREATE,
                    .caller = d->caller,
                    .contract = d->contract,
                    .name = b->name,
                    .body = mt_buf_str(&body)};
    (void)ask(d, a, &call, &tree, &text); /* what it lacks, the decision says */
    mt_buf_free(&body);
}

/* Entities of which this call makes the instance if there is none. */
static void note_makes(mt_arena *a, const gd_tool *t, ex_guarded *out)
{
    mt_str *makes = mt_new_array(a, mt_str, t->bind_count);
    out->makes = makes;
    for (uint32_t i = 0; i < t->bind_count; i++) {
        if (t->binds[i].create) {
            makes[out->make_count++] = t->binds[i].name;
        }
    }
}

/* Would it be allowed if they were there? Which outcome it is may be told later. */
static bool is_worth_making(const gd_desk *d, mt_arena *a, const ex_call *call,
                            const ex_guarded *guarded)
{
    mt_json said;
    mt_str text;
    bool outcome_later = guarded->outcome_later && !guarded->commits_before;
    ex_guarded assumed = {.makes = guarded->makes,
                          .make_count = guarded->make_count,
                          .outcome_later = outcome_later};
    ex_call asked = *call;
    asked.guarded = &assumed;
    return ask(d, a, &asked, &said, &text) == 200 ||
           (outcome_later && mt_str_is(mt_text_at(&said, "code"), "ambiguous_outcome"));
}

/* As often as there are bindings at most: a dry run names one missing instance. */
static void make_missing(const gd_desk *d, mt_arena *a, const gd_tool *t,
                         const mt_json *arguments, const ex_guarded *guarded)
{
    ex_call call = {.action = t->flow.len ? EX_FLOW_START : EX_OPERATION,
                    .caller = d->caller,
                    .contract = d->contract,
                    .name = meaning(t),
                    .body = request(d, a, t, arguments, true)};
    for (uint32_t tries = 0; tries < t->bind_count; tries++) {
        mt_json said;
        mt_str text, id;
        (void)ask(d, a, &call, &said, &text);
        if (!mt_str_is(mt_text_at(&said, "code"), "unknown_instance") ||
            (!tries && !is_worth_making(d, a, &call, guarded))) {
            return;
        }
        mt_str entity = mt_text_at(&said, "entity");
        for (uint32_t i = 0; i < t->bind_count; i++) {
            if (t->binds[i].create && mt_str_eq(t->binds[i].name, entity) &&
                gd_bind_id(a, &t->binds[i], arguments, &id)) {
                make(d, a, &t->binds[i], id);
            }
        }
    }
}

/* ---- Begin ---- */

/* Statuses by which the contract, the states or the rights say no. Everything else (a
 * body that is too large, a store that is gone) is a fault. */
static bool is_refusal(int status)
{
    return status == 403 || status == 404 || status == 409 || status == 422;
}

/* The receipt has a place of its own. */
static mt_str without_receipt(mt_arena *a, const mt_json *problem, mt_str text)
{
    mt_buf out = {0};
    if (!mt_json_at(problem, "receipt")) {
        return text;
    }
    gd_copy(&out, text, problem, "receipt", (mt_str){0});
    text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* The quota of refusals, a store that is gone, facts that cannot be had: not a refusal
 * of the contract, and no permission either. */
static gd_decision decision_of(const gd_desk *d, mt_arena *a, int status,
                               const mt_json *said, mt_str text)
{
    gd_decision out = {.refused = is_refusal(status)};
    if (status == 200) {
        out.call = mt_str_dup(a, mt_text_at(said, "call"));
        out.goes_on = true;
        return out;
    }
    out.fault = !out.refused;
    out.goes_on = out.refused && d->observes;
    out.problem =
        mt_json_is(said, MT_JSON_OBJECT) ? without_receipt(a, said, text) : (mt_str){0};
    out.meta = meta_of(a, said);
    out.words = words_of(a, said, out.fault ? "Not decided" : "Refused");
    return out;
}

/* A tool without a row is asked about as well: the refusal, or that it passed, is
 * recorded. `commits_before`: the effects are done with the permission, as the map says
 * or because nobody will tell how it ended. */
gd_decision gd_begin(const gd_desk *d, mt_arena *a, const gd_call *c)
{
    const gd_tool *t = gd_map_tool(d->map, c->tool);
    mt_json said;
    mt_str text;
    ex_guarded guarded = {.tool = c->tool,
                          .arguments = kept(d, a, c->raw.len ? c->raw : MT_STR("{}")),
                          .commits_before = t && (t->commit || c->closes),
                          .closes = c->closes,
                          .outcome_later = t && t->result.outcome,
                          .observes = d->observes,
                          .passes = !t && d->map->unmapped};
    if (makes(t)) {
        note_makes(a, t, &guarded);
        make_missing(d, a, t, c->arguments, &guarded);
    }
    ex_call call = {.action = t && t->flow.len ? EX_GUARD_FLOW : EX_GUARD_BEGIN,
                    .caller = d->caller,
                    .contract = d->contract,
                    .name = t ? meaning(t) : (mt_str){0},
                    .body = request(d, a, t, c->arguments, false),
                    .guarded = &guarded};
    int status = ask(d, a, &call, &said, &text);
    gd_decision out = decision_of(d, a, status, &said, text);
    if (c->closes) {
        out.call = (mt_str){0};
    }
    return out;
}

/* ---- End ---- */

/* The outcome as JSON: named by somebody, or found in the result; of a flow it may be
 * one for each step. Empty: whichever matches. */
static mt_str outcome_of(mt_arena *a, const gd_tool *t, const gd_end_of *e)
{
    mt_buf value = {0};
    mt_json tree;
    bool named = e->outcome.len > 0;
    if (named) {
        mt_json_quote(&value, e->outcome);
    } else if (t && t->result.outcome && e->result &&
               gd_value_write(&value, t->result.outcome, e->result) &&
               !mt_json_read(a, mt_str_dup(a, mt_buf_str(&value)), NULL, &tree, NULL)) {
        named = mt_json_text(&tree).len || (t->flow.len && tree.type == MT_JSON_OBJECT);
    }
    mt_str found = named ? mt_str_dup(a, mt_buf_str(&value)) : (mt_str){0};
    mt_buf_free(&value);
    return found;
}

/* Without an outcome the executor takes the one that matches. */
static mt_str end_body(const gd_desk *d, mt_arena *a, mt_str outcome)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_jw_begin_object(&w);
    if (outcome.len) {
        mt_jw_keyz(&w, "outcome");
        mt_jw_raw(&w, outcome);
    }
    if (d->receipts) {
        mt_jw_key_bool(&w, "receipt", true);
    }
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* What the result says is known from now on. One that does not fit its type is not. */
static void state_facts(const gd_desk *d, mt_arena *a, const gd_tool *t,
                        const mt_json *result)
{
    mt_buf body = {0};
    for (uint32_t i = 0; t && result && i < t->result.fact_count; i++) {
        mt_json tree;
        mt_str text;
        mt_buf_clear(&body);
        mt_buf_addz(&body, "{\"value\":");
        if (!gd_value_write(&body, &t->result.facts[i], result)) {
            continue;
        }
        mt_buf_addc(&body, '}');
        ex_call call = {.action = EX_FACT_ASSERT,
                        .caller = d->caller,
                        .contract = d->contract,
                        .name = t->result.facts[i].name,
                        .body = mt_buf_str(&body)};
        (void)ask(d, a, &call, &tree, &text);
    }
    mt_buf_free(&body);
}

/* Facts are stated only after a call that is settled as done: what a failed tool says
 * is not known to be so. */
bool gd_end(const gd_desk *d, mt_arena *a, const gd_end_of *e, gd_ended *out)
{
    const gd_tool *t = d->map ? gd_map_tool(d->map, e->tool) : NULL;
    mt_json said;
    mt_str text;
    ex_guarded guarded = {.tool = e->tool, .ended = e->ended, .why = e->why};
    guarded.result = e->raw.len ? kept(d, a, e->raw) : (mt_str){0};
    ex_call call = {.action = EX_GUARD_END,
                    .caller = d->caller,
                    .contract = d->contract,
                    .id = e->call,
                    .body = end_body(d, a, outcome_of(a, t, e)),
                    .guarded = &guarded};
    int status = ask(d, a, &call, &said, &text);
    mt_str now = mt_text_at(&said, "status");
    bool settled = status == 200 && !mt_str_is(now, "outcome_unknown");
    out->words = status == 200 ? now : words_of(a, &said, "Not recorded");
    out->meta = status == 200 ? meta_of(a, &said) : (mt_str){0};
    if (settled && e->ended == EX_ENDED_DONE) {
        state_facts(d, a, t, e->result);
    }
    return settled;
}
