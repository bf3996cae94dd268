/* cli/decision_words.c - a decision in words for people.
 * Room: cli. Each function below answers one question about a record: who, as whom,
 * what, on what, with which result, why. Absent members give empty text, never a
 * placeholder, so that a reader can tell "not said". A kind without a row in KINDS
 * shows its own name: records of newer versions stay readable.
 * Texts are foreign. Nothing is escaped here; whoever prints uses cli_add_plain()
 * for a terminal and HTML escapes for a page. Nothing can fail. */
#include "cli/decision_words.h"

#include "base/form.h"
#include "base/str.h"
#include "base/utf8.h"

void cli_add_plain(mt_buf *out, mt_str text)
{
    while (text.len) {
        text = mt_str_skip(text, mt_utf8_show(out, text));
    }
}

/* Keeps the text in the arena and frees the buffer. */
static mt_str done(mt_arena *a, mt_buf *text)
{
    mt_str kept = mt_str_dup(a, mt_buf_str(text));
    mt_buf_free(text);
    return kept;
}

/* "clerk 7 (t-1a2b), human": the name first, as people know it, then what proves it. */
static mt_str who_of(mt_arena *a, const mt_json *d)
{
    const mt_json *caller = mt_json_at(d, "caller");
    mt_str id = mt_text_at(caller, "id"), name = mt_text_at(caller, "name");
    mt_str actor =
        mt_text_at(caller, "actor"); /* human or machine, where that is known */
    mt_str who = name.len && !mt_str_eq(name, id)
                     ? mt_strf(a, "%.*s (%.*s)", MT_ARG(name), MT_ARG(id))
                     : id;
    return actor.len ? mt_strf(a, "%.*s, %.*s", MT_ARG(who), MT_ARG(actor)) : who;
}

/* Bindings of an operation or a flow; of a record about one instance, that one. */
static mt_str on_of(mt_arena *a, const mt_json *d)
{
    mt_buf text = {0};
    const mt_json *bound = mt_json_at(d, "bindings");
    for (uint32_t i = 0; mt_json_is(bound, MT_JSON_OBJECT) && i < bound->count; i++) {
        const mt_json_member *m = &bound->as.members[i];
        mt_buf_addf(&text, "%s%.*s/%.*s", i ? ", " : "", MT_ARG(m->key),
                    MT_ARG(mt_json_text(&m->value)));
    }
    mt_str entity = mt_text_at(d, "entity"), id = mt_text_at(d, "instance");
    if (!text.len && entity.len) {
        mt_buf_addf(&text, "%.*s/%.*s", MT_ARG(entity), MT_ARG(id));
    }
    return done(a, &text);
}

/* What each kind is about, and the member that says which. */
static const struct {
    const char *kind, *words, *member;
} KINDS[] = {
    {"operation", "operation", "operation"},
    {"guard", "tool", "tool"},
    {"flow_started", "flow begins:", "flow"},
    {"flow_waiting", "flow waits:", "flow"},
    {"flow_ended", "flow ends:", "flow"},
    {"instance_created", "instance created", NULL},
    {"instance_deleted", "instance deleted", NULL},
    {"instance_migrated", "instance migrated", NULL},
    {"contract_deployed", "contract deployed:", "contract"},
    {"fact_asserted", "fact asserted:", "fact"},
    {"fact_retracted", "fact retracted:", "fact"},
    {"token_created", "token created:", "token"},
    {"token_changed", "token changed:", "token"},
    {"token_revoked", "token revoked:", "token"},
    {"key_added", "signing key added", NULL},
    {"key_revoked", "signing key revoked", NULL},
    {"ledger_accepted", "ledger accepted by an operator", NULL},
};

/* What it is about; a token by its name and public half. */
static mt_str named(mt_arena *a, const mt_json *d, const char *key)
{
    const mt_json *of = key ? mt_json_get(d, mt_str_z(key)) : NULL;
    mt_str name = mt_text_at(of, "name"), id = mt_text_at(of, "id");
    return !mt_json_is(of, MT_JSON_OBJECT) ? mt_json_text(of)
           : name.len ? mt_strf(a, "%.*s (%.*s)", MT_ARG(name), MT_ARG(id))
                      : id;
}

/* A question about somebody else. */
static mt_str asked_of(mt_arena *a, const mt_json *d)
{
    const mt_json *about = mt_json_at(d, "asked_about");
    mt_str op = mt_text_at(d, "operation"), flow = mt_text_at(d, "flow");
    mt_str what = op.len ? op : flow.len ? flow : mt_text_at(d, "of_verdict");
    return mt_strf(a, "asked whether %.*s %.*s may: %s %.*s",
                   MT_ARG(mt_text_at(about, "type")), MT_ARG(mt_text_at(about, "id")),
                   op.len     ? "operation"
                   : flow.len ? "flow"
                              : "verdict",
                   MT_ARG(what));
}

/* A refusal has no kind of its own matter: what was asked for tells. */
static mt_str what_of(mt_arena *a, const mt_json *d, mt_str kind)
{
    if (mt_str_is(kind, "refusal")) {
        mt_str op = mt_text_at(d, "operation"), flow = mt_text_at(d, "flow");
        mt_str tool = mt_text_at(d, "tool");
        return op.len     ? mt_strf(a, "operation %.*s", MT_ARG(op))
               : tool.len ? mt_strf(a, "tool %.*s", MT_ARG(tool))
               : mt_json_at(d, "execution")
                   ? mt_strf(a, "resume flow %.*s", MT_ARG(flow))
                   : mt_strf(a, "flow %.*s", MT_ARG(flow));
    }
    if (mt_str_is(kind, "decision")) {
        return asked_of(a, d);
    }
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (mt_str_eq(kind, mt_str_z(KINDS[i].kind))) {
            mt_str of = named(a, d, KINDS[i].member);
            return mt_strf(a, "%s%s%.*s", KINDS[i].words, of.len ? " " : "",
                           MT_ARG(of));
        }
    }
    return kind;
}

static void add_names(mt_buf *out, const char *before, const mt_json *list)
{
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        mt_buf_addf(out, "%s%.*s", i ? ", " : before,
                    MT_ARG(mt_json_text(&list->as.items[i])));
    }
}

/* What a token was granted. */
static mt_str grants_of(mt_arena *a, const mt_json *token)
{
    mt_buf text = {0};
    add_names(&text, "personas ", mt_json_at(token, "personas"));
    add_names(&text, text.len ? "; rights " : "rights ", mt_json_at(token, "rights"));
    if (mt_text_at(token, "expires_at").len) {
        mt_buf_addf(&text, "%suntil %.*s", text.len ? "; " : "",
                    MT_ARG(mt_text_at(token, "expires_at")));
    }
    return done(a, &text);
}

/* In the order of the most telling: grants of a token, event of a guard, refusal, what
 * a flow waits for, outcome, status. */
static mt_str result_of(mt_arena *a, const mt_json *d, mt_str kind)
{
    if (mt_str_is(kind, "token_created") || mt_str_is(kind, "token_changed")) {
        return grants_of(a, mt_json_at(d, "token"));
    }
    if (mt_str_is(kind, "guard")) {
        return mt_text_at(d, "event");
    }
    const mt_json *refusal = mt_json_at(d, "refusal");
    mt_str outcome = mt_text_at(d, "outcome"), status = mt_text_at(d, "status");
    if (mt_str_is(kind, "decision") && !refusal) {
        return MT_STR("allowed");
    }
    if (refusal) {
        return mt_strf(a, "refused: %.*s", MT_ARG(mt_text_at(refusal, "code")));
    }
    if (mt_str_is(kind, "flow_waiting")) {
        return mt_strf(a, "waits for %.*s at %.*s", MT_ARG(mt_text_at(d, "persona")),
                       MT_ARG(mt_text_at(d, "step")));
    }
    return outcome.len ? mt_strf(a, "done: %.*s", MT_ARG(outcome)) : status;
}

/* " (facts: a, b)": what would have to be otherwise. */
static void add_facts(mt_buf *out, const mt_json *names)
{
    bool any = mt_json_is(names, MT_JSON_ARRAY) && names->count;
    for (uint32_t i = 0; any && i < names->count; i++) {
        mt_buf_addf(out, "%s%.*s",
                    i ? ", " : " (facts: ", MT_ARG(mt_json_text(&names->as.items[i])));
    }
    mt_buf_addz(out, any ? ")" : "");
}

/* Every condition that was not as it had to be; else the sentence the caller got. */
static mt_str why_of(mt_arena *a, const mt_json *d)
{
    mt_buf text = {0};
    const mt_json *refusal = mt_json_at(d, "refusal");
    const mt_json *reasons = refusal ? mt_json_at(refusal, "reasons") : NULL;
    for (uint32_t i = 0; mt_json_is(reasons, MT_JSON_ARRAY) && i < reasons->count;
         i++) {
        const mt_json *one = &reasons->as.items[i];
        const mt_json *value = mt_json_at(one, "value");
        bool is_true = mt_json_is(value, MT_JSON_BOOL) && value->boolean;
        mt_buf_addf(&text, "%s%.*s is %s", i ? "; " : "",
                    MT_ARG(mt_text_at(one, "condition")), is_true ? "true" : "false");
        add_facts(&text, mt_json_at(one, "rests_on"));
    }
    if (!text.len && refusal) {
        mt_buf_adds(&text, mt_text_at(refusal, "detail"));
    }
    if (!text.len) {
        mt_buf_adds(&text, mt_text_at(d, "error"));
    }
    return done(a, &text);
}

/* A record counts as a decision when somebody asked for it; what the server did by
 * itself has no caller. */
void cli_decision_read(mt_arena *a, const mt_json *decision, cli_decision *out)
{
    mt_str kind = mt_text_at(decision, "kind"), as = mt_text_at(decision, "asked_as");
    bool waits = mt_str_is(kind, "flow_waiting"); /* there it is who it waits for */
    *out = (cli_decision){
        .time = mt_text_at(decision, "time"),
        .kind = kind,
        .contract = mt_text_at(decision, "contract"),
        .etag = mt_text_at(decision, "etag"),
        .who = who_of(a, decision),
        .as = as.len || waits ? as : mt_text_at(decision, "persona"),
        .what = what_of(a, decision, kind),
        .on = on_of(a, decision),
        .result = result_of(a, decision, kind),
        .why = why_of(a, decision),
        .refused = mt_str_is(kind, "refusal") ||
                   (mt_str_is(kind, "decision") && mt_json_at(decision, "refusal")),
        .decides = mt_json_at(decision, "caller") != NULL,
    };
}
