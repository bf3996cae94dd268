/* agent/dna.c - see dna.h: writing both forms, pinning, signing.
 *
 * The profile form is canonical JSON with registrations sorted, so two agents that
 * behave alike have one text and one pin, however they were written. The sdk form is
 * the array that existing agents exchange, with members in the order they expect.
 *
 * A signature covers the profile form, the profile's name and a version, behind a
 * prefix of its own, so it cannot be taken for a signature of anything else. The first
 * form of documents covered registrations only; it is recognised and refused with that
 * reason.
 *
 * Invariant: whatever ag_dna_read() keeps of a document is written here in profile
 * form, so the pin covers it. Nothing may fail but verifying (MT_E_CORRUPT with a
 * sentence). */
#include "agent/dna.h"

#include <stdlib.h>

#include "agent/chars.h"
#include "agent/value.h"
#include "base/hash.h"
#include "base/json_write.h"

static void write_priority(mt_jw *w, ag_priority p)
{
    mt_jw_keyz(w, "priority");
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < p.count; i++) {
        mt_jw_i64(w, p.items[i]);
    }
    mt_jw_end_array(w);
}

/* Sorted and without repeats: the order in which an author wrote filters means nothing
 * and must not change a pin. */
static void write_names(mt_arena *a, mt_jw *w, const mt_str *names, uint32_t count)
{
    mt_str *sorted = mt_new_array(a, mt_str, count);
    if (count) {
        memcpy(sorted, names, count * sizeof *names);
        mt_str_sort(sorted, count);
    }
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < count; i++) {
        if (!i || !mt_str_eq(sorted[i], sorted[i - 1])) {
            mt_jw_str(w, sorted[i]);
        }
    }
    mt_jw_end_array(w);
}

/* ORDER: names sorted. */
static void write_actions(mt_jw *w, const ag_sender *s, const char *const names[3])
{
    static const ag_action ORDER[] = {AG_MOVE, AG_STAY, AG_TEST};
    mt_jw_begin_array(w);
    for (size_t i = 0; i < 3; i++) {
        if ((s->actions >> ORDER[i]) & 1) {
            mt_jw_str(w, mt_str_z(names[i]));
        }
    }
    mt_jw_end_array(w);
}

/* ---- profile form: canonical JSON, registrations sorted ---- */

/* One registration of any kind, for sorting. */
typedef struct item {
    int kind; /* ORDER of the document: receiver, sender, hook */
    uint32_t index;
    ag_priority priority;
    mt_str route;
} item;

/* Equal ones keep registration order, because there it decides. */
static int by_order(const void *x, const void *y)
{
    const item *a = x, *b = y;
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    int d = ag_priority_cmp(a->priority, b->priority);
    d = d ? d : mt_str_cmp(a->route, b->route);
    return d ? d : (a->index > b->index) - (a->index < b->index);
}

/* One order for all kinds (§7), independent of the order of registration but for equal
 * ones. */
static item *sorted_items(mt_arena *a, const ag_agent *agent, size_t *count)
{
    *count = (size_t)agent->receiver_count + agent->sender_count + agent->hook_count;
    item *items = mt_new_array(a, item, *count), *at = items;
    for (uint32_t i = 0; i < agent->receiver_count; i++) {
        const ag_receiver *r = &agent->receivers[i];
        *at++ =
            (item){0, i, r->priority, ag_known_route(r->parsed, &r->route, r->text)};
    }
    for (uint32_t i = 0; i < agent->sender_count; i++) {
        const ag_sender *s = &agent->senders[i];
        *at++ =
            (item){1, i, s->priority, ag_known_route(s->parsed, &s->route, s->text)};
    }
    for (uint32_t i = 0; i < agent->hook_count; i++) {
        *at++ = (item){2, i, agent->hooks[i].priority,
                       mt_str_z(ag_direction_name(agent->hooks[i].direction))};
    }
    if (*count) {
        qsort(items, *count, sizeof *items, by_order);
    }
    return items;
}

static void write_behaviour(mt_jw *w, const mt_json *behaviour)
{
    if (behaviour) {
        mt_jw_keyz(w, "behaviour");
        mt_jw_json(w, behaviour);
    }
}

static void write_identity(mt_jw *w, mt_str function, const char *kind, mt_str module)
{
    mt_jw_key_str(w, "function", function);
    mt_jw_key_str(w, "kind", mt_str_z(kind));
    mt_jw_key_str(w, "module", module);
}

/* The route is then the text as it was written, which a reader must not parse. */
static void write_unparsed(mt_jw *w, bool parsed)
{
    if (!parsed) {
        mt_jw_key_bool(w, "unparsed", true);
    }
}

/* Keys ascend. null and [] are different filters: anything, and nothing (§6.4). */
static void write_sender(mt_arena *a, mt_jw *w, const ag_sender *s, mt_str route)
{
    static const char *const NAMES[] = {"MOVE", "STAY", "TEST"};
    if (s->once) {
        mt_jw_key_i64(w, "after_ms", (int64_t)s->every_ms);
    }
    write_behaviour(w, s->behaviour);
    if (s->data_mode.ptr) {
        mt_jw_key_str(w, "data_mode", s->data_mode);
    }
    if (s->every_ms && !s->once) {
        mt_jw_key_i64(w, "every_ms", (int64_t)s->every_ms);
    }
    mt_jw_key_str(w, "function", s->name);
    if (s->gated) {
        mt_jw_key_bool(w, "gated", true);
    }
    mt_jw_key_str(w, "kind", MT_STR("sender"));
    mt_jw_key_str(w, "module", s->module);
    mt_jw_key_bool(w, "multi", s->multi);
    mt_jw_keyz(w, "on_actions");
    if (s->has_actions) {
        write_actions(w, s, NAMES);
    } else {
        mt_jw_null(w);
    }
    mt_jw_keyz(w, "on_triggers");
    if (s->has_triggers) {
        write_names(a, w, s->triggers, s->trigger_count);
    } else {
        mt_jw_null(w);
    }
    write_priority(w, s->priority);
    mt_jw_key_str(w, "route", route);
    if (s->run_while) {
        mt_jw_keyz(w, "run_while");
        mt_jw_json(w, s->run_while);
    }
    write_unparsed(w, s->parsed);
    if (s->use_data) {
        mt_jw_key_bool(w, "use_data", true);
    }
    if (s->when_data) {
        mt_jw_keyz(w, "when_data");
        mt_jw_json(w, s->when_data);
    }
}

static void write_item(mt_arena *a, mt_jw *w, const ag_agent *agent, const item *x)
{
    mt_jw_begin_object(w);
    if (x->kind == 0) {
        const ag_receiver *r = &agent->receivers[x->index];
        write_behaviour(w, r->behaviour);
        write_identity(w, r->name, "receiver", r->module);
        write_priority(w, r->priority);
        mt_jw_key_str(w, "route", x->route);
        write_unparsed(w, r->parsed);
    } else if (x->kind == 1) {
        write_sender(a, w, &agent->senders[x->index], x->route);
    } else {
        const ag_hook *h = &agent->hooks[x->index];
        write_behaviour(w, h->behaviour);
        mt_jw_key_str(w, "direction", x->route);
        write_identity(w, h->name, "hook", h->module);
        write_priority(w, h->priority);
    }
    mt_jw_end_object(w);
}

static void write_others(mt_jw *w, const ag_agent *agent)
{
    for (uint32_t i = 0; i < agent->other_count; i++) {
        mt_jw_json(w, &agent->others[i]);
    }
}

/* The canonical form that pins and signatures are made of. Keys ascend. */
static void write_profile(mt_arena *a, mt_jw *w, const ag_agent *agent)
{
    size_t count;
    item *items = sorted_items(a, agent, &count);
    mt_jw_begin_object(w);
    mt_jw_key_str(w, "format", MT_STR(AG_DNA_FORMAT));
    if (agent->other_count) {
        mt_jw_keyz(w, "others");
        mt_jw_begin_array(w);
        write_others(w, agent);
        mt_jw_end_array(w);
    }
    mt_jw_key_str(w, "profile", MT_STR(AG_PROFILE_ID));
    mt_jw_keyz(w, "registrations");
    mt_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        write_item(a, w, agent, &items[i]);
    }
    mt_jw_end_array(w);
    if (agent->settings) {
        mt_jw_keyz(w, "settings");
        mt_jw_json(w, agent->settings);
    }
    mt_jw_end_object(w);
}

/* ---- sdk form: the array existing agents exchange, members in their order ---- */

/* Source of other libraries as it was; ours is the behaviour itself. */
static mt_str source_of(mt_arena *a, const mt_json *behaviour)
{
    const mt_json *foreign = mt_json_at(behaviour, "source");
    if (foreign) {
        return mt_json_text(foreign);
    }
    return behaviour ? ag_value_text(a, behaviour) : MT_STR("<source>");
}

static void write_origin(mt_arena *a, mt_jw *w, mt_str module, mt_str function,
                         const mt_json *behaviour)
{
    mt_jw_key_str(w, "source", source_of(a, behaviour));
    mt_jw_key_str(w, "module", module);
    mt_jw_key_str(w, "fn_name", function);
}

static void write_route(mt_arena *a, mt_jw *w, const char *type, mt_str text,
                        mt_str key)
{
    mt_jw_key_str(w, "type", mt_str_z(type));
    mt_jw_key_str(w, "route", ag_strip(text));
    mt_jw_key_str(w, "route_key", ag_squeeze(a, key));
}

/* run_while and when_data are callbacks of Python agents: as they were read. */
static void write_callback(mt_arena *a, mt_jw *w, const char *name,
                           const mt_json *behaviour)
{
    static const char *const PARTS[] = {"kind", "value", "name", "source"};
    for (size_t i = 0; i < 4; i++) {
        mt_str key = mt_strf(a, "%s_%s", name, PARTS[i]);
        const mt_json *value = mt_json_get(behaviour, key);
        mt_jw_key(w, key);
        if (value) {
            mt_jw_json(w, value);
        } else if (i == 0) {
            mt_jw_str(w, MT_STR("none"));
        } else {
            mt_jw_null(w);
        }
    }
}

/* Ours is true, false or a condition, which nothing but its text can say there. */
static void write_condition(mt_arena *a, mt_jw *w, const char *name,
                            const mt_json *condition)
{
    bool plain = mt_json_is(condition, MT_JSON_BOOL);
    mt_jw_key(w, mt_strf(a, "%s_kind", name));
    mt_jw_str(w, plain ? MT_STR("bool") : MT_STR("callable"));
    mt_jw_key(w, mt_strf(a, "%s_value", name));
    if (plain) {
        mt_jw_bool(w, condition->boolean);
    } else {
        mt_jw_null(w);
    }
    mt_jw_key(w, mt_strf(a, "%s_name", name));
    mt_jw_null(w);
    mt_jw_key(w, mt_strf(a, "%s_source", name));
    if (plain) {
        mt_jw_null(w);
    } else {
        mt_jw_str(w, ag_value_text(a, condition));
    }
}

/* What the SDK wrote is kept word for word where it is known; otherwise it follows from
 * the flags. */
static void write_data_mode(mt_jw *w, const ag_sender *s)
{
    const mt_json *mode = mt_json_at(s->behaviour, "data_mode");
    mt_jw_keyz(w, "data_mode");
    if (s->data_mode.ptr) {
        mt_jw_str(w, s->data_mode);
    } else if (mode) {
        mt_jw_json(w, mode);
    } else if (s->use_data) {
        mt_jw_str(w, MT_STR("live"));
    } else {
        mt_jw_null(w);
    }
}

/* Of our own agents: what the SDK has no words for. */
static void write_beyond_sdk(mt_jw *w, const ag_sender *s)
{
    if (s->behaviour && s->priority.count) {
        write_priority(w, s->priority);
    }
    if (s->once) {
        mt_jw_key_i64(w, "after_ms", (int64_t)s->every_ms);
    }
    if (s->gated) {
        mt_jw_key_bool(w, "gated", true);
    }
}

/* Member order is the SDK's own. */
static void write_sdk_sender(mt_arena *a, mt_jw *w, const ag_sender *s)
{
    static const char *const NAMES[] = {"Move", "Stay", "Test"};
    mt_jw_begin_unsorted(w);
    write_route(a, w, "send", s->text, ag_known_route(s->parsed, &s->route, s->text));
    mt_jw_key_bool(w, "multi", s->multi);
    mt_jw_key_bool(w, "use_data", s->use_data);
    write_data_mode(w, s);
    mt_jw_keyz(w, "every");
    if (mt_json_at(s->behaviour, "every")) {
        mt_jw_json(w, mt_json_at(s->behaviour, "every"));
    } else if (s->every_ms && !s->once) {
        mt_jw_raw(w, mt_strf(a, "%llu.%03llu", (unsigned long long)s->every_ms / 1000,
                             (unsigned long long)s->every_ms % 1000));
    } else {
        mt_jw_null(w);
    }
    if (s->run_while) {
        write_condition(a, w, "run_while", s->run_while);
    } else {
        write_callback(a, w, "run_while", s->behaviour);
    }
    if (s->when_data) {
        write_condition(a, w, "when_data", s->when_data);
    } else {
        write_callback(a, w, "when_data", s->behaviour);
    }
    mt_jw_keyz(w, "on_triggers");
    write_names(a, w, s->triggers, s->trigger_count);
    mt_jw_keyz(w, "on_actions");
    write_actions(w, s, NAMES);
    write_origin(a, w, s->module, s->name, s->behaviour);
    write_beyond_sdk(w, s);
    mt_jw_end_object(w);
}

/* In the order of registration, as the SDK enumerates them. */
static void write_sdk(mt_arena *a, mt_jw *w, const ag_agent *agent)
{
    mt_jw_begin_array(w);
    write_others(w, agent);
    for (uint32_t i = 0; i < agent->receiver_count; i++) {
        const ag_receiver *r = &agent->receivers[i];
        mt_jw_begin_unsorted(w);
        write_route(a, w, "receive", r->text,
                    ag_known_route(r->parsed, &r->route, r->text));
        write_priority(w, r->priority);
        write_origin(a, w, r->module, r->name, r->behaviour);
        mt_jw_end_object(w);
    }
    for (uint32_t i = 0; i < agent->sender_count; i++) {
        write_sdk_sender(a, w, &agent->senders[i]);
    }
    for (uint32_t i = 0; i < agent->hook_count; i++) {
        const ag_hook *h = &agent->hooks[i];
        mt_jw_begin_unsorted(w);
        mt_jw_key_str(w, "type", MT_STR("hook"));
        mt_jw_key_str(w, "direction",
                      h->direction == AG_SEND ? MT_STR("SEND") : MT_STR("RECEIVE"));
        write_priority(w, h->priority);
        write_origin(a, w, h->module, h->name, h->behaviour);
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
}

void ag_dna_write(mt_arena *a, const ag_agent *agent, ag_dna_form form, mt_buf *out)
{
    mt_jw w = mt_jw_start(out, false);
    (form == AG_DNA_SDK ? write_sdk : write_profile)(a, &w, agent);
}

/* ---- pin and signature ---- */

mt_str ag_dna_text(mt_arena *a, const ag_agent *agent)
{
    mt_buf out = {0};
    ag_dna_write(a, agent, AG_DNA_PROFILE, &out);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

/* The prefix says what the hash is of: those of the first form had none. */
static mt_str pin_of(mt_arena *a, mt_str canonical)
{
    return mt_strf(a, "dna2:sha256:%.*s",
                   MT_ARG(mt_sha256_hex(a, mt_sha256_of(canonical))));
}

static uint32_t silent(const mt_json *behaviour)
{
    return behaviour ? 0 : 1;
}

/* Registrations that say nothing about what they do; a pin over them proves less, and
 * callers say so. */
uint32_t ag_dna_silent(const ag_agent *agent)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < agent->receiver_count; i++) {
        count += silent(agent->receivers[i].behaviour);
    }
    for (uint32_t i = 0; i < agent->sender_count; i++) {
        count += silent(agent->senders[i].behaviour);
    }
    for (uint32_t i = 0; i < agent->hook_count; i++) {
        count += silent(agent->hooks[i].behaviour);
    }
    return count;
}

mt_str ag_dna_pin(mt_arena *a, const ag_agent *agent)
{
    return pin_of(a, ag_dna_text(a, agent));
}

/* What a signature covers. The prefix keeps it from meaning anything else. */
static mt_str signed_text(mt_arena *a, mt_str dna, mt_str profile, mt_str version)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, false);
    mt_buf_addz(&out, "motet-agent-dna-2\n");
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "dna");
    mt_jw_raw(&w, dna);
    mt_jw_key_str(&w, "profile", profile);
    mt_jw_key_str(&w, "version", version);
    mt_jw_end_object(&w);
    mt_str text = mt_str_dup(a, mt_buf_str(&out));
    mt_buf_free(&out);
    return text;
}

static mt_str hex_of(mt_arena *a, const unsigned char *bytes, size_t count)
{
    char *out = mt_alloc(a, 2 * count);
    mt_hex(bytes, count, out);
    return mt_str_from(out, 2 * count);
}

/* Signed are the DNA, the profile and the version together (§9), so none of them can be
 * exchanged under the signature. */
void ag_dna_sign(mt_arena *a, const ag_agent *agent, mt_str version,
                 const mt_sign_key *key, mt_buf *out)
{
    mt_str dna = ag_dna_text(a, agent);
    mt_signature s = mt_sign(key, signed_text(a, dna, MT_STR(AG_PROFILE_ID), version));
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "dna");
    mt_jw_raw(&w, dna);
    mt_jw_key_str(&w, "pin", pin_of(a, dna));
    mt_jw_key_str(&w, "profile", MT_STR(AG_PROFILE_ID));
    mt_jw_key_str(&w, "public_key", hex_of(a, key->open.bytes, MT_SIGN_PUBLIC));
    mt_jw_key_str(&w, "signature", hex_of(a, s.bytes, MT_SIGN_BYTES));
    mt_jw_key_str(&w, "version", version);
    mt_jw_end_object(&w);
}

static mt_err corrupt(const char **why, const char *message)
{
    *why = message;
    return MT_E_CORRUPT;
}

/* ORDER: form, key, pin, signature. The document's own text is not hashed but its value
 * written canonically, so white space does not matter. Without `expected` the key is
 * the document's own, and the caller has to say so. */
mt_err ag_dna_verify(mt_arena *a, const mt_json *document,
                     const mt_sign_public *expected, const char **why)
{
    const mt_json *dna = mt_json_at(document, "dna");
    mt_str profile = mt_json_text(mt_json_at(document, "profile"));
    mt_str version = mt_json_text(mt_json_at(document, "version"));
    mt_sign_public key;
    mt_signature signature;
    if (!dna || !mt_str_is(profile, AG_PROFILE_ID)) {
        return corrupt(why, "it is not signed DNA of this profile");
    }
    if (!mt_json_at(dna, "format")) {
        return corrupt(why,
                       "it was signed in the first form, which covers registrations "
                       "only and not what they do; sign the agent again");
    }
    if (!mt_unhex(mt_json_text(mt_json_at(document, "public_key")), key.bytes,
                  MT_SIGN_PUBLIC) ||
        !mt_unhex(mt_json_text(mt_json_at(document, "signature")), signature.bytes,
                  MT_SIGN_BYTES)) {
        return corrupt(why, "key or signature is malformed");
    }
    if (expected && memcmp(expected->bytes, key.bytes, MT_SIGN_PUBLIC) != 0) {
        return corrupt(why, "it is signed by another key");
    }
    mt_str text = ag_value_text(a, dna);
    if (!mt_str_eq(pin_of(a, text), mt_json_text(mt_json_at(document, "pin")))) {
        return corrupt(why, "the pin is not that of its DNA");
    }
    if (!mt_sign_verify(&key, signed_text(a, text, profile, version), &signature)) {
        return corrupt(why, "the signature does not verify");
    }
    return MT_OK;
}
