/* contract/eval/report.c - verdicts as JSON, in the suite's form, keys sorted.
 *
 * What of a verdict's text does not depend on the facts is made once, when the program
 * is compiled: printing is then copying. That is the name, the stratum, the payload if
 * it is constant, and the provenance if every reading is certain (CT_TRACE_STATIC).
 *
 * Verdicts are printed in order of their rules, which is declaration order inside each
 * stratum; facts and verdicts used are printed in the order they were read, each once.
 *
 * Nothing fails and nothing allocates but the buffer. The prepared parts live as long
 * as the program. */
#include "base/json_write.h"
#include "contract/eval/program_internal.h"

static mt_str keep_text(mt_arena *keep, mt_buf *b)
{
    mt_str text = mt_str_dup(keep, mt_buf_str(b));
    mt_buf_clear(b);
    return text;
}

static mt_str fact_name(const ct_model *m, uint32_t index)
{
    return m->facts[index].id;
}

static mt_str verdict_name(const ct_model *m, uint32_t index)
{
    return m->rules[index].verdict;
}

static void add_names(mt_buf *b, const ct_model *m, const uint32_t *indices,
                      uint32_t count, mt_str (*name)(const ct_model *, uint32_t))
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) {
            mt_buf_addc(b, ',');
        }
        mt_json_quote(b, name(m, indices[i]));
    }
}

static const mt_str BEFORE_USED = MT_STR_INIT(",\"provenance\":{\"facts_used\":[");

/* Everything that does not depend on the facts, cut where something that does is put
 * in. */
static void prepare_rule(mt_arena *keep, mt_buf *b, const ct_program *p, uint32_t rule,
                         ct_json_parts *out)
{
    const ct_rule *r = &p->model->rules[rule];
    const ct_piece *piece = &p->rules[rule];
    const ct_insn *last = &p->code[piece->end - 1];
    if (last->op == CT_CODE_PRODUCE && last->a_base == CT_AT_CONSTANTS) {
        mt_buf_adds(b, MT_STR("{\"payload\":"));
        ct_value_json(b, r->payload_type, p->constants + last->a);
        out->payload = keep_text(keep, b);
    }
    mt_buf_addz(b, "],\"rule\":");
    mt_json_quote(b, r->id);
    mt_buf_addf(b, ",\"stratum\":%u,\"verdicts_used\":[", r->stratum);
    out->between = keep_text(keep, b);
    mt_buf_addz(b, "]},\"type\":");
    mt_json_quote(b, r->verdict);
    mt_buf_addc(b, '}');
    out->end = keep_text(keep, b);
    if (piece->trace == CT_TRACE_STATIC) {
        ct_used used = ct_piece_used(keep, p, piece, 0, NULL);
        mt_buf_adds(b, BEFORE_USED);
        add_names(b, p->model, used.facts, used.fact_count, fact_name);
        mt_buf_adds(b, out->between);
        add_names(b, p->model, used.verdicts, used.verdict_count, verdict_name);
        mt_buf_adds(b, out->end);
        out->used = keep_text(keep, b);
    }
}

void ct_prepare_json(mt_arena *keep, ct_program *p)
{
    ct_json_parts *parts = mt_new_array(keep, ct_json_parts, p->model->rule_count);
    mt_buf b = {0};
    for (uint32_t i = 0; i < p->model->rule_count; i++) {
        prepare_rule(keep, &b, p, i, &parts[i]);
    }
    mt_buf_free(&b);
    p->json = parts;
}

/* Did an earlier place that was touched read the same thing? */
static bool repeats(const ct_site *sites, uint64_t mask, uint32_t at)
{
    for (uint64_t bits = mask & (((uint64_t)1 << at) - 1); bits; bits &= bits - 1) {
        const ct_site *s = &sites[__builtin_ctzll(bits)];
        if (s->is_verdict == sites[at].is_verdict && s->index == sites[at].index) {
            return true;
        }
    }
    return false;
}

/* The name alone; whether it is a fact or a verdict shows in which list it stands. */
static void add_site(mt_buf *out, const ct_model *m, const ct_site *s, bool *first)
{
    if (!*first) {
        mt_buf_addc(out, ',');
    }
    *first = false;
    mt_json_quote(out,
                  s->is_verdict ? verdict_name(m, s->index) : fact_name(m, s->index));
}

/* The facts or the verdicts among what a rule read, nothing allocated. */
static void add_read(mt_buf *out, const ct_verdicts *v, uint32_t rule, bool verdicts)
{
    const ct_program *p = v->program;
    const ct_piece *piece = &p->rules[rule];
    const ct_site *sites = p->sites + piece->first_site;
    const uint32_t *order = v->order + piece->order_at;
    uint64_t mask = v->used[rule];
    bool first = true;
    if (piece->trace == CT_TRACE_ORDER) {
        for (uint32_t i = 1; i <= order[0]; i++) {
            if (sites[order[i]].is_verdict == verdicts) {
                add_site(out, p->model, &sites[order[i]], &first);
            }
        }
        return;
    }
    for (uint64_t bits = mask; bits; bits &= bits - 1) {
        uint32_t at = (uint32_t)__builtin_ctzll(bits);
        if (sites[at].is_verdict == verdicts && !repeats(sites, mask, at)) {
            add_site(out, p->model, &sites[at], &first);
        }
    }
}

/* Provenance that depends on the path taken. */
static void add_used(mt_buf *out, const ct_verdicts *v, uint32_t rule,
                     const ct_json_parts *parts)
{
    mt_buf_adds(out, BEFORE_USED);
    add_read(out, v, rule, false);
    mt_buf_adds(out, parts->between);
    add_read(out, v, rule, true);
    mt_buf_adds(out, parts->end);
}

/* Prepared pieces and what differs, in turn. */
static void add_verdict(mt_buf *out, const ct_verdicts *v, uint32_t rule)
{
    const ct_program *p = v->program;
    const ct_json_parts *parts = &p->json[rule];
    if (parts->payload.len) {
        mt_buf_adds(out, parts->payload);
    } else {
        mt_buf_adds(out, MT_STR("{\"payload\":"));
        ct_value_json(out, p->model->rules[rule].payload_type, v->payload[rule]);
    }
    if (parts->used.len) {
        mt_buf_adds(out, parts->used);
    } else {
        add_used(out, v, rule, parts);
    }
}

void ct_verdicts_json_array(mt_buf *out, const ct_verdicts *v)
{
    bool first = true;
    mt_buf_addc(out, '[');
    for (uint32_t word = 0; word < v->program->present_words; word++) {
        for (uint64_t bits = v->present[word]; bits; bits &= bits - 1) {
            if (!first) {
                mt_buf_addc(out, ',');
            }
            first = false;
            add_verdict(out, v, word * 64 + (uint32_t)__builtin_ctzll(bits));
        }
    }
    mt_buf_addc(out, ']');
}

void ct_verdicts_json(mt_buf *out, const ct_verdicts *v)
{
    mt_buf_adds(out, MT_STR("{\"verdicts\":"));
    ct_verdicts_json_array(out, v);
    mt_buf_addc(out, '}');
}

void ct_facts_json(mt_jw *w, const ct_facts *facts)
{
    const ct_model *m = facts->model;
    mt_buf value = {0};
    mt_jw_begin_array(w);
    for (uint32_t i = 0; i < m->fact_count; i++) {
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "assertion_source",
                      facts->given[i] ? MT_STR("external") : MT_STR("contract"));
        mt_jw_key_str(w, "id", m->facts[i].id);
        mt_jw_keyz(w, "source");
        mt_jw_raw(w, m->facts[i].source);
        mt_jw_keyz(w, "value");
        mt_buf_clear(&value);
        ct_value_json(&value, m->facts[i].type, ct_facts_value(facts, i));
        mt_jw_raw(w, mt_buf_str(&value));
        mt_jw_end_object(w);
    }
    mt_jw_end_array(w);
    mt_buf_free(&value);
}

void ct_evaluation_json(mt_buf *out, const ct_facts *facts, const ct_verdicts *v)
{
    mt_buf verdicts = {0};
    mt_jw w = mt_jw_start(out, false);
    ct_verdicts_json_array(&verdicts, v);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "provenance");
    mt_jw_begin_object(&w);
    mt_jw_key_str(&w, "contract", facts->model->id);
    mt_jw_keyz(&w, "facts");
    ct_facts_json(&w, facts);
    mt_jw_end_object(&w);
    mt_jw_keyz(&w, "verdicts");
    mt_jw_raw(&w, mt_buf_str(&verdicts));
    mt_jw_end_object(&w);
    mt_buf_free(&verdicts);
}

/* ---- Faults ---- */

static void fault_details(mt_jw *w, const ct_fault *f)
{
    mt_jw_keyz(w, "details");
    mt_jw_begin_object(w);
    if (f->path.len) {
        mt_jw_key_str(w, "path", f->path);
    }
    if (f->rule.len) {
        mt_jw_key_str(w, "rule", f->rule);
    }
    mt_jw_key_str(w, "type", mt_str_z(ct_fault_name(f->kind)));
    mt_jw_end_object(w);
    mt_jw_key_str(w, "error", f->message);
}

/* One object on one line: every line of facts has one line of answer. The
 * first fault as it always was; further facts at fault under a key of their own. */
void ct_fault_json(mt_buf *out, const ct_fault *f)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    fault_details(&w, f);
    if (f->next) {
        mt_jw_keyz(&w, "further");
        mt_jw_begin_array(&w);
        for (const ct_fault *more = f->next; more; more = more->next) {
            mt_jw_begin_object(&w);
            fault_details(&w, more);
            mt_jw_end_object(&w);
        }
        mt_jw_end_array(&w);
    }
    mt_jw_end_object(&w);
}
