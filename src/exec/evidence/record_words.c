/* exec/evidence/record_words.c - what happened, who did it, and why, from a body.
 *
 * Kinds that people ask about have a sentence of their own, a row of KINDS; any other
 * record is told by its members, so that a kind added later is shown, too. Members of
 * `provenance` count as the body's own. INVARIANT: what a terminal would obey is
 * escaped; what stands in a record was written by somebody else. Nothing can fail: a
 * member that is not there is left out. */
#include "exec/evidence/record_words.h"

#include "base/form.h"
#include "base/hash.h"
#include "base/json_write.h"
#include "base/sign.h"
#include "os/key_file.h"

/* ---- Values ---- */

static void add_items(mt_buf *out, const mt_json *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        mt_buf_addz(out, i ? ", " : "");
        ex_plain_value(out, &list->as.items[i]);
    }
}

static void add_members(mt_buf *out, const mt_json *object)
{
    for (uint32_t i = 0; i < object->count; i++) {
        mt_buf_addz(out, i ? ", " : "");
        mt_json_show(out, object->as.members[i].key);
        mt_buf_addz(out, " ");
        ex_plain_value(out, &object->as.members[i].value);
    }
}

/* Money is told as people write it: a record with exactly an amount and a currency. */
void ex_plain_value(mt_buf *out, const mt_json *value)
{
    mt_str amount = mt_text_at(value, "amount"),
           currency = mt_text_at(value, "currency");
    if (mt_json_is(value, MT_JSON_STRING)) {
        mt_json_show(out, mt_json_text(value));
    } else if (mt_json_is(value, MT_JSON_OBJECT) && value->count == 2 && amount.len &&
               currency.len) {
        mt_json_show(out, amount);
        mt_buf_addc(out, ' ');
        mt_json_show(out, currency);
    } else if (mt_json_is(value, MT_JSON_ARRAY)) {
        mt_buf_addc(out, '[');
        add_items(out, value);
        mt_buf_addc(out, ']');
    } else if (mt_json_is(value, MT_JSON_OBJECT)) {
        mt_buf_addc(out, '{');
        add_members(out, value);
        mt_buf_addc(out, '}');
    } else if (value) {
        mt_json_write(out, value, false);
    }
}

/* ---- What ---- */

static void add_named(mt_buf *out, const char *before, const mt_json *body,
                      const char *key)
{
    mt_str text = mt_text_at(body, key);
    if (text.len) {
        mt_buf_addz(out, before);
        mt_json_show(out, text);
    }
}

static void add_move(mt_buf *out, mt_str entity, mt_str id, const mt_json *from,
                     const mt_json *to)
{
    mt_buf_addc(out, ' ');
    mt_json_show(out, entity);
    mt_buf_addc(out, ' ');
    mt_json_show(out, id);
    mt_buf_addc(out, ' ');
    ex_plain_value(out, from);
    mt_buf_addz(out, " -> ");
    ex_plain_value(out, to);
}

/* {"Entity": {"id": "state"}} before and after, side by side; of older records
 * {"Entity": "state"}, the id being the bound one. */
static void add_moves(mt_buf *out, const mt_json *p)
{
    const mt_json *before = mt_json_at(p, "state_before");
    const mt_json *after = mt_json_at(p, "state_after");
    /* The first move comes behind the operation's name, every other behind a comma. */
    char gap = ':';
    for (uint32_t e = 0; mt_json_is(after, MT_JSON_OBJECT) && e < after->count; e++) {
        const mt_json_member *entity = &after->as.members[e];
        const mt_json *old = mt_json_get(before, entity->key);
        bool flat = !mt_json_is(&entity->value, MT_JSON_OBJECT);
        for (uint32_t i = 0; i < (flat ? 1 : entity->value.count); i++) {
            const mt_json_member *one = flat ? entity : &entity->value.as.members[i];
            const mt_json *bound = mt_json_at(p, "instance_binding");
            mt_str id = flat ? mt_json_text(mt_json_get(bound, entity->key)) : one->key;
            mt_buf_addc(out, gap);
            add_move(out, entity->key, id, flat ? old : mt_json_get(old, id),
                     &one->value);
            gap = ',';
        }
    }
}

static void tell_operation(mt_buf *out, const mt_json *body)
{
    const mt_json *p = mt_json_at(body, "provenance");
    p = p ? p : body;
    add_named(out, "", p, mt_json_at(p, "op") ? "op" : "operation");
    add_moves(out, p);
    add_named(out, " (", p, "outcome");
    mt_buf_addz(out, mt_text_at(p, "outcome").len ? ")" : "");
    add_named(out, " in flow ", body, "flow");
}

static void tell_instance(mt_buf *out, const mt_json *body)
{
    add_named(out, "", body, "entity");
    add_named(out, " ", body, "instance");
    add_named(out, " ", body, "state_before");
    add_named(out, " -> ", body, "state_after");
    add_named(out, " is ", body, "state");
}

static void tell_flow(mt_buf *out, const mt_json *body)
{
    add_named(out, "", body, "flow");
    add_named(out, " ", body, "execution");
    add_named(out, " at step ", body, "step");
    add_named(out, " waits for ",
              mt_str_is(mt_text_at(body, "kind"), "flow_waiting") ? body : NULL,
              "persona");
    add_named(out, ": ", body, "status");
    add_named(out, " (", body, "outcome");
    mt_buf_addz(out, mt_text_at(body, "outcome").len ? ")" : "");
    add_named(out, ", ", body, "error");
}

static void tell_fact(mt_buf *out, const mt_json *body)
{
    const mt_json *value = mt_json_at(body, "value");
    add_named(out, "", body, "fact");
    if (value) {
        mt_buf_addz(out, " is ");
        ex_plain_value(out, value);
    }
    add_named(out, " until ", body, "expires_at");
}

static void tell_contract(mt_buf *out, const mt_json *body)
{
    const mt_json *number = mt_json_at(body, "number");
    mt_buf_addz(out, "version ");
    ex_plain_value(out, number);
    add_named(out, ", ", body, "class");
    add_named(out, ", ", body, "status");
}

/* What was asked for, why not in one word, and of which instances. */
static void tell_refusal(mt_buf *out, const mt_json *body)
{
    const mt_json *bound = mt_json_at(body, "bindings");
    add_named(out, "", body, mt_json_at(body, "operation") ? "operation" : "flow");
    add_named(out, " ", body, "execution");
    add_named(out, ": refused, ", mt_json_at(body, "refusal"), "code");
    if (mt_json_is(bound, MT_JSON_OBJECT) && bound->count) {
        mt_buf_addz(out, " (");
        add_members(out, bound);
        mt_buf_addc(out, ')');
    }
}

/* Who was asked about, for what, and the answer; why not in one word. */
static void tell_decision(mt_buf *out, const mt_json *body)
{
    const mt_json *about = mt_json_at(body, "asked_about");
    const mt_json *allowed = mt_json_at(body, "allowed");
    add_named(out, "may ", about, "type");
    add_named(out, " ", about, "id");
    add_named(out, " ", body, "operation");
    add_named(out, " begin ", body, "flow");
    add_named(out, " by verdict ", body, "of_verdict");
    mt_buf_addz(out, mt_json_is(allowed, MT_JSON_BOOL) && allowed->boolean ? ": yes"
                                                                           : ": no");
    add_named(out, ", ", mt_json_at(body, "refusal"), "code");
}

static void add_list(mt_buf *out, const char *before, const mt_json *list)
{
    if (mt_json_is(list, MT_JSON_ARRAY) && list->count) {
        mt_buf_addz(out, before);
        add_items(out, list);
    }
}

static void tell_token(mt_buf *out, const mt_json *body)
{
    const mt_json *token = mt_json_at(body, "token");
    add_named(out, "", token, "id");
    add_named(out, " ", token, "name");
    add_named(out, ", ", body, "what");
    add_list(out, ", personas ", mt_json_at(token, "personas"));
    add_list(out, ", rights ", mt_json_at(token, "rights"));
    add_named(out, " until ", token, "expires_at");
}

/* What the rows of a listing say elsewhere, or is the same in every record. */
static bool is_told(mt_str key)
{
    static const char *const TOLD[] = {"caller",   "contract",   "etag",
                                       "facts",    "kind",       "time",
                                       "verdicts", "provenance", "trust_domain"};
    for (size_t i = 0; i < sizeof TOLD / sizeof *TOLD; i++) {
        if (mt_str_eq(key, mt_str_z(TOLD[i]))) {
            return true;
        }
    }
    return false;
}

/* A key is told by its fingerprint, as everywhere (docs/reference/ledger.md). */
static void add_member(mt_buf *out, const mt_json_member *m)
{
    mt_sign_public key;
    char name[MT_SIGN_NAME];
    mt_json_show(out, m->key);
    mt_buf_addc(out, ' ');
    if (mt_str_is(m->key, "key") &&
        mt_unhex_lower(mt_json_text(&m->value), key.bytes, MT_SIGN_PUBLIC)) {
        mt_sign_name(&key, name);
        mt_buf_addz(out, name);
    } else {
        ex_plain_value(out, &m->value);
    }
}

static void tell_any(mt_buf *out, const mt_json *body)
{
    const char *gap = "";
    for (uint32_t i = 0; mt_json_is(body, MT_JSON_OBJECT) && i < body->count; i++) {
        if (!is_told(body->as.members[i].key)) {
            mt_buf_addz(out, gap);
            add_member(out, &body->as.members[i]);
            gap = ", ";
        }
    }
}

/* A tool that is called elsewhere: allowed, passed, done, failed, outcome_unknown. */
static void tell_guard(mt_buf *out, const mt_json *body)
{
    const mt_json *guard = mt_json_at(body, "guard");
    const mt_json *bound = mt_json_at(body, "bindings");
    add_named(out, "tool ", guard, "tool");
    add_named(out, ": ", guard, "event");
    add_named(out, ", ", guard, "why");
    add_named(out, " (call ", guard, "call");
    mt_buf_addz(out, mt_text_at(guard, "call").len ? ")" : "");
    if (mt_json_is(bound, MT_JSON_OBJECT) && bound->count) {
        mt_buf_addz(out, " on ");
        add_members(out, bound);
    }
}

static const struct kind {
    const char *name;
    void (*tell)(mt_buf *out, const mt_json *body);
} KINDS[] = {
    {"operation", tell_operation},
    {"instance_created", tell_instance},
    {"instance_deleted", tell_instance},
    {"instance_migrated", tell_instance},
    {"effect", tell_instance},
    {"flow_started", tell_flow},
    {"flow_waiting", tell_flow},
    {"flow_ended", tell_flow},
    {"fact_asserted", tell_fact},
    {"fact_retracted", tell_fact},
    {"contract_deployed", tell_contract},
    {"refusal", tell_refusal},
    {"decision", tell_decision},
    {"guard", tell_guard},
    {"token_created", tell_token},
    {"token_changed", tell_token},
    {"token_revoked", tell_token},
};

void ex_record_what(mt_buf *out, const mt_json *body)
{
    mt_str name = mt_text_at(body, "kind");
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (mt_str_eq(name, mt_str_z(KINDS[i].name))) {
            KINDS[i].tell(out, body);
            return;
        }
    }
    tell_any(out, body);
}

void ex_record_who(mt_buf *out, const mt_json *body)
{
    const mt_json *caller = mt_json_at(body, "caller");
    mt_str persona = mt_text_at(mt_json_at(body, "provenance"), "persona");
    mt_str name = mt_text_at(caller, "name");
    /* There `persona` is whom the flow waits for, not who did something. */
    bool waits = mt_str_is(mt_text_at(body, "kind"), "flow_waiting");
    persona = persona.len || waits ? persona : mt_text_at(body, "persona");
    name = name.len ? name : mt_text_at(caller, "id");
    mt_json_show(out, persona.len ? persona : name);
    if (persona.len && name.len) {
        mt_buf_addz(out, " (");
        mt_json_show(out, name);
        mt_buf_addc(out, ')');
    }
}

/* ---- Why ---- */

/* "given with the call", "assumed by the contract", "fetched by ...". */
static void add_origin(mt_buf *out, const mt_json *fact)
{
    mt_str adapter = mt_text_at(fact, "adapter_id"),
           by = mt_text_at(fact, "asserted_by");
    if (by.len) {
        mt_buf_addz(out, ", asserted by ");
        mt_json_show(out, by);
    } else if (adapter.len) {
        mt_buf_addz(out, ", fetched by ");
        mt_json_show(out, adapter);
    } else if (mt_str_is(mt_text_at(fact, "assertion_source"), "contract")) {
        mt_buf_addz(out, ", the contract's default");
    } else {
        mt_buf_addz(out, ", given with the call");
    }
}

static bool has_item(const mt_json *list, mt_str text)
{
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        if (mt_str_eq(mt_json_text(&list->as.items[i]), text)) {
            return true;
        }
    }
    return false;
}

static void add_fact(mt_buf *out, mt_str id, const mt_json *value,
                     const mt_json *origin)
{
    mt_buf_addz(out, "fact ");
    mt_json_show(out, id);
    mt_buf_addz(out, " was ");
    ex_plain_value(out, value);
    if (origin) {
        add_origin(out, origin);
    }
    mt_buf_addc(out, '\n');
}

/* A list of FactProvenance (§5.3), or {"fact": value}. Only those that had a part in
 * it, where the record says which. */
static void add_facts(mt_buf *out, const mt_json *facts, const mt_json *used)
{
    bool list = mt_json_is(facts, MT_JSON_ARRAY);
    bool any = list || mt_json_is(facts, MT_JSON_OBJECT);
    for (uint32_t i = 0; any && i < facts->count; i++) {
        const mt_json *one = list ? &facts->as.items[i] : &facts->as.members[i].value;
        mt_str id = list ? mt_text_at(one, "id") : facts->as.members[i].key;
        if (!used || has_item(used, id)) {
            add_fact(out, id, list ? mt_json_at(one, "value") : one, list ? one : NULL);
        }
    }
}

static void add_verdicts(mt_buf *out, const mt_json *names)
{
    for (uint32_t i = 0; mt_json_is(names, MT_JSON_ARRAY) && i < names->count; i++) {
        mt_buf_addz(out, "verdict ");
        ex_plain_value(out, &names->as.items[i]);
        mt_buf_addz(out, " was present\n");
    }
}

static void add_reason(mt_buf *out, const mt_json *reason)
{
    const mt_json *condition = mt_json_at(reason, "condition");
    const mt_json *value = mt_json_at(reason, "value");
    const mt_json *facts = mt_json_at(reason, "rests_on");
    ex_plain_value(out, condition ? condition : reason);
    mt_buf_addz(out, mt_json_is(value, MT_JSON_BOOL) && value->boolean
                         ? " held"
                         : " did not hold");
    if (mt_json_is(facts, MT_JSON_ARRAY) && facts->count) {
        mt_buf_addz(out, ", which rests on ");
        add_items(out, facts);
    }
    mt_buf_addc(out, '\n');
}

/* The sentence that the caller got, and the conditions that decided: texts, or objects
 * that have one. */
static void add_refusal(mt_buf *out, const mt_json *said)
{
    const mt_json *reasons = mt_json_at(said, "reasons");
    if (mt_text_at(said, "detail").len) {
        mt_json_show(out, mt_text_at(said, "detail"));
        mt_buf_addc(out, '\n');
    }
    for (uint32_t i = 0; mt_json_is(reasons, MT_JSON_ARRAY) && i < reasons->count;
         i++) {
        add_reason(out, &reasons->as.items[i]);
    }
}

void ex_record_why(mt_buf *out, const mt_json *body)
{
    const mt_json *p = mt_json_at(body, "provenance");
    const mt_json *verdicts = mt_json_at(p, "verdicts_used");
    const mt_json *refusal = mt_json_at(body, "refusal");
    add_refusal(out, refusal ? refusal : body);
    add_verdicts(out, verdicts ? verdicts : mt_json_at(body, "verdicts"));
    add_facts(out, mt_json_at(body, "facts"), mt_json_at(p, "facts_used"));
    /* Facts of a flow are frozen when it begins and recorded once (§11). */
    if (p && !mt_json_at(body, "facts") && mt_text_at(body, "execution").len) {
        mt_buf_addz(out, "the facts are those of the record that began the execution ");
        mt_json_show(out, mt_text_at(body, "execution"));
        mt_buf_addc(out, '\n');
    }
}
