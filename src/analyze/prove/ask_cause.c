/* analyze/prove/ask_cause.c - whose facts can make a verdict.
 *
 * A verdict is made of facts alone (7.3); no operation and no state leads to it. So who
 * can cause it are the sources of facts. A source can, if there are two fact sets that
 * differ only in what this source says, the verdict absent in one and present in the
 * other, and both evaluate without an error. That is asked of the solver as one claim
 * about two contracts: the second is the same with the facts of the source under other
 * names, so that they are free while all others are equal. A source that cannot is
 * proven so: whatever it says, the verdict stays.
 *
 * Facts belong to one source by its id, by the system they name, or by the whole text
 * where that is all there is. Who may speak for a source is not in a contract: rights
 * of tokens say it. */
#include "analyze/prove/ask_internal.h"

/* A source with what was found about it. `before`
 * and `after` are empty unless it is a cause. */
typedef struct origin {
    mt_str name;
    an_answer cause;
    mt_str before, after; /* fact sets, of a cause */
} origin;

/* One question. Sources are in the order in which facts first name them. */
typedef struct tracer {
    asker *k;
    uint32_t member, rule;
    const ct_model *m;
    mt_str *of; /* by fact: the name of its source */
    MT_VEC(origin) origins;
} tracer;

/* ---- sources ---- */

static mt_str source_name(tracer *x, const ct_fact *f)
{
    mt_json *tree = mt_new(x->k->a, mt_json);
    if (f->source_id != CT_NONE) {
        return x->m->sources[f->source_id].id;
    }
    if (mt_json_read(x->k->a, f->source, NULL, tree, NULL)) {
        return f->source;
    }
    mt_str system = mt_json_text(mt_json_at(tree, "system"));
    mt_str id = mt_json_text(mt_json_at(tree, "source_id"));
    return system.len ? system : id.len ? id : mt_json_text(tree);
}

static void list_sources(tracer *x)
{
    x->of = mt_new_array(x->k->a, mt_str, (size_t)x->m->fact_count + 1);
    for (uint32_t f = 0; f < x->m->fact_count; f++) {
        size_t i = 0;
        x->of[f] = source_name(x, &x->m->facts[f]);
        while (i < x->origins.len && !mt_str_eq(x->origins.items[i].name, x->of[f])) {
            i++;
        }
        if (i == x->origins.len) {
            mt_vec_push(x->k->a, &x->origins, ((origin){.name = x->of[f]}));
        }
    }
}

/* ---- the same contract with other names ---- */

/* A space is in no name of the language, so it is nobody else's:
 * "amount" and "amount before" are two facts for the solver,
 * which knows facts of two contracts as equal by their names. */
static mt_str other_name(tracer *x, mt_str fact)
{
    return mt_strf(x->k->a, "%.*s before", MT_ARG(fact));
}

/* The same contract, compiled again with the facts of this source under other names;
 * its rules are shared with the first, as expressions know facts by number. */
static const ct_program *renamed(tracer *x, mt_str source)
{
    mt_arena *a = x->k->a;
    ct_model *m = mt_new(a, ct_model);
    ct_fact *facts = mt_new_array(a, ct_fact, (size_t)x->m->fact_count + 1);
    *m = *x->m;
    m->facts = facts;
    m->names[CT_KIND_FACT] = (mt_map){0};
    for (uint32_t f = 0; f < m->fact_count; f++) {
        facts[f] = x->m->facts[f];
        if (mt_str_eq(x->of[f], source)) {
            facts[f].id = other_name(x, facts[f].id);
        }
        mt_map_put(a, &m->names[CT_KIND_FACT], facts[f].id, f + 1);
    }
    return ct_compile(a, m);
}

/* The fact set of one of the two, out of the one for both. */
static mt_str fact_set(tracer *x, const mt_json *both, mt_str source, bool before)
{
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    mt_jw_begin_unsorted(&w);
    for (uint32_t f = 0; f < x->m->fact_count; f++) {
        mt_str id = x->m->facts[f].id;
        bool other = before && mt_str_eq(x->of[f], source);
        const mt_json *v = mt_json_get(both, other ? other_name(x, id) : id);
        if (v) {
            mt_jw_key(&w, id);
            mt_jw_json(&w, v);
        }
    }
    mt_jw_end_object(&w);
    return ask_kept(x->k, &b);
}

/* A prover for each source: the second contract
 * differs. It is freed before the next one is made. */
static void judge_source(tracer *x, origin *o)
{
    mt_arena *a = x->k->a;
    const ct_program *second = renamed(x, o->name);
    an_prover *p =
        an_prover_new(x->k->q->u->members[x->member].program, second, &x->k->q->limits);
    const an_claim *absent =
        an_claim_and(a, an_claim_holds(a, AN_SECOND, NULL),
                     an_claim_not(a, an_claim_verdict(a, AN_SECOND, x->rule)));
    if (x->k->q->smt2) {
        an_prover_smt2(
            p, x->k->q->smt2,
            mt_strf(a, "source %.*s can make the difference", MT_ARG(o->name)));
    }
    o->cause = an_prove_possible(
        p, a, an_claim_and(a, an_claim_verdict(a, AN_FIRST, x->rule), absent));
    an_prover_free(p);
    mt_json both;
    if (o->cause.possible == AN_POSSIBLE &&
        !mt_json_read(a, o->cause.facts, NULL, &both, NULL)) {
        o->before = fact_set(x, &both, o->name, true);
        o->after = fact_set(x, &both, o->name, false);
    }
}

/* ---- replies ---- */

static void say_source(tracer *x, mt_jw *w, const origin *o)
{
    mt_buf *out = &x->k->text;
    const char *between = "";
    mt_buf_addf(out, "  %.*s (", MT_ARG(o->name));
    mt_jw_begin_object(w);
    mt_jw_keyz(w, "after");
    mt_jw_raw(w, o->after);
    mt_jw_keyz(w, "before");
    mt_jw_raw(w, o->before);
    mt_jw_keyz(w, "facts");
    mt_jw_begin_array(w);
    for (uint32_t f = 0; f < x->m->fact_count; f++) {
        if (mt_str_eq(x->of[f], o->name)) {
            mt_buf_addf(out, "%s%.*s", between, MT_ARG(x->m->facts[f].id));
            mt_jw_str(w, x->m->facts[f].id);
            between = ", ";
        }
    }
    mt_jw_end_array(w);
    mt_jw_key_str(w, "source", o->name);
    mt_jw_end_object(w);
    mt_buf_addf(out, ")\n    absent for: %.*s\n    present for: %.*s\n",
                MT_ARG(o->before), MT_ARG(o->after));
}

/* Names with this answer, as a list; how many. */
static uint32_t say_names(tracer *x, an_possible which, mt_jw *w)
{
    uint32_t count = 0;
    for (size_t i = 0; i < x->origins.len; i++) {
        if (x->origins.items[i].cause.possible == which) {
            mt_buf_addf(&x->k->text, "%s%.*s", count++ ? ", " : "",
                        MT_ARG(x->origins.items[i].name));
            mt_jw_str(w, x->origins.items[i].name);
        }
    }
    return count;
}

/* A line and a key for those with this answer, or neither:
 * what was begun is taken back if there are none. */
static void say_others(tracer *x, an_possible which, const char *lead, const char *key,
                       const char *tail)
{
    asker *k = x->k;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    size_t at = k->text.len;
    mt_buf_addz(&k->text, lead);
    mt_jw_begin_array(&w);
    uint32_t count = say_names(x, which, &w);
    mt_jw_end_array(&w);
    mt_str names = ask_kept(k, &b);
    if (count) {
        mt_buf_addf(&k->text, "%s\n", tail);
        ask_put(k, key, names);
    } else {
        k->text.len = at;
    }
}

/* Yes as soon as one source can, even if others
 * are open; no only if every one was proven. */
static an_reply_kind say_sources(tracer *x)
{
    asker *k = x->k;
    mt_buf b = {0};
    mt_jw w = mt_jw_start(&b, false);
    uint32_t can = 0;
    mt_str open = {0};
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < x->origins.len; i++) {
        const origin *o = &x->origins.items[i];
        if (o->cause.possible == AN_POSSIBLE) {
            say_source(x, &w, o);
            can++;
        } else if (o->cause.possible == AN_UNKNOWN) {
            open = o->cause.reason;
        }
    }
    mt_jw_end_array(&w);
    ask_put(k, "sources", ask_kept(k, &b));
    if (!can && open.len) {
        return ask_unknown(k, open);
    }
    if (!can) {
        mt_buf_addz(&k->text, "  nobody by itself\n");
    }
    say_others(x, AN_UNKNOWN, "  not decided: ", "undecided", "");
    say_others(
        x, AN_NEVER, "  not ", "cannot",
        ": whatever it says, with all else the same (proven for every fact set)");
    if (open.len) {
        ask_put_text(k, "reason", open);
    }
    k->proof = can ? "facts" : "proven";
    return can ? AN_REPLY_YES : AN_REPLY_NO;
}

an_reply_kind ask_reply_cause(asker *k, const ask_said *q)
{
    tracer x = {.k = k,
                .member = q->member,
                .rule = q->rule,
                .m = ask_model_of(k->q, q->member)};
    list_sources(&x);
    for (size_t i = 0; i < x.origins.len; i++) {
        judge_source(&x, &x.origins.items[i]);
    }
    return say_sources(&x);
}
