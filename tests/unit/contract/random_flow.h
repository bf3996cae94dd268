/* tests/unit/contract/random_flow.h - random contracts with flows of every kind.
 * Sub-flows, parallel branches with every join, compensation, escalation, operations
 * with two outcomes. Set seed_state, then make_contract(). */
#ifndef RANDOM_FLOW_H
#define RANDOM_FLOW_H

#include <stdio.h>
#include <string.h>

#include "base/str.h"

enum { ENTITIES = 4, STATES = 3, FACTS = 4, RULES = 4, OPS = 8, FLOWS = 3 };

static uint64_t seed_state;

static inline uint32_t draw(uint32_t below)
{
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed_state >> 33) % below);
}

/* ---- making contracts ---- */

static inline void predicate(mt_buf *out, int depth, bool verdicts)
{
    uint32_t kind = depth ? draw(6) : 4 + draw(2);
    if (kind == 5 && !verdicts) {
        kind = 4;
    }
    switch (kind) {
    case 0:
    case 1:
        mt_buf_addz(out, "{\"left\":");
        predicate(out, depth - 1, verdicts);
        mt_buf_addf(out, ",\"op\":\"%s\",\"right\":", kind ? "or" : "and");
        predicate(out, depth - 1, verdicts);
        mt_buf_addz(out, "}");
        break;
    case 2:
        mt_buf_addz(out, "{\"op\":\"not\",\"operand\":");
        predicate(out, depth - 1, verdicts);
        mt_buf_addz(out, "}");
        break;
    case 3:
    case 4:
        mt_buf_addf(
            out,
            "{\"left\":{\"fact_ref\":\"f%u\"},\"op\":\"=\",\"right\":{\"literal\""
            ":%s,\"type\":{\"base\":\"Bool\"}}}",
            draw(FACTS), draw(2) ? "true" : "false");
        break;
    default: mt_buf_addf(out, "{\"verdict_present\":\"v%u\"}", draw(RULES));
    }
}

#define TAIL ",\"provenance\":{\"file\":\"r\",\"line\":1},\"tenor\":\"1.0\"}"

static inline void constructs(mt_buf *out)
{
    mt_buf_addz(out, "{\"id\":\"p0\",\"kind\":\"Persona\"" TAIL
                     ",{\"id\":\"p1\",\"kind\":\"Persona\"" TAIL);
    for (int i = 0; i < FACTS; i++) {
        mt_buf_addf(out,
                    ",{\"id\":\"f%d\",\"kind\":\"Fact\",\"source\":\"s\",\"type\":"
                    "{\"base\":\"Bool\"}" TAIL,
                    i);
    }
    for (int i = 0; i < ENTITIES; i++) {
        mt_buf_addf(
            out,
            ",{\"id\":\"E%d\",\"initial\":\"s0\",\"kind\":\"Entity\",\"states\":"
            "[\"s0\",\"s1\",\"s2\"],\"transitions\":[",
            i);
        for (int a = 0; a < STATES * STATES; a++) {
            mt_buf_addf(out, "%s{\"from\":\"s%d\",\"to\":\"s%d\"}", a ? "," : "",
                        a / STATES, a % STATES);
        }
        mt_buf_addz(out, "]" TAIL);
    }
    for (int i = 0; i < RULES; i++) {
        mt_buf_addz(out, ",{\"body\":{\"produce\":{\"payload\":{\"type\":{\"base\":"
                         "\"Bool\"},\"value\":true},");
        mt_buf_addf(out, "\"verdict_type\":\"v%d\"},\"when\":", i);
        predicate(out, 2, false);
        mt_buf_addf(out, "},\"id\":\"r%d\",\"kind\":\"Rule\",\"stratum\":0" TAIL, i);
    }
}

/* Operation i works on entity i % ENTITIES only, so that branches can be kept apart. */
static inline void operation(mt_buf *out, int i)
{
    bool two = draw(3) == 0;
    mt_buf_addf(out, ",{\"allowed_personas\":[\"p%u\"%s],\"effects\":[", draw(2),
                draw(2) ? "" : ",\"p0\"");
    uint32_t effects = draw(4);
    effects = two && !effects ? 2 : effects;
    bool used[2][STATES] = {{false}};
    bool first = true;
    for (uint32_t e = 0; e < effects; e++) {
        uint32_t from = draw(STATES), outcome = two ? draw(2) : 0;
        if (used[outcome][from]) {
            continue;
        }
        used[outcome][from] = true;
        mt_buf_addf(out, "%s{\"entity_id\":\"E%d\",\"from\":\"s%u\"", first ? "" : ",",
                    i % ENTITIES, from);
        if (two) {
            mt_buf_addf(out, ",\"outcome\":\"o%u\"", outcome);
        }
        mt_buf_addf(out, ",\"to\":\"s%u\"}", draw(STATES));
        first = false;
    }
    mt_buf_addf(out,
                "],\"error_contract\":[],\"id\":\"op%d\",\"kind\":\"Operation\","
                "\"outcomes\":[\"o0\"%s],\"precondition\":",
                i, two ? ",\"o1\"" : "");
    predicate(out, 2, true);
    mt_buf_addz(out, TAIL);
}

typedef struct maker {
    mt_buf *out;
    bool two[OPS];    /* has the operation a second outcome? */
    int flow;         /* flows below this one may be called */
    int first, count; /* entities that may be touched */
} maker;

static inline void terminal(mt_buf *out)
{
    static const char *const NAMES[] = {"success", "failure", "escalation", "other"};
    mt_buf_addf(out, "{\"kind\":\"Terminal\",\"outcome\":\"%s\"}", NAMES[draw(4)]);
}

/* A later step of the same list, or the end. */
static inline void target(maker *m, const char *prefix, int at, int count)
{
    if (at + 1 < count && draw(4)) {
        mt_buf_addf(m->out, "\"%s%d\"", prefix,
                    at + 1 + (int)draw((uint32_t)(count - at - 1)));
    } else {
        terminal(m->out);
    }
}

static inline int pick_op(maker *m)
{
    int entity = m->first + (int)draw((uint32_t)m->count);
    return entity + (draw(2) ? ENTITIES : 0);
}

static inline void handler(maker *m, const char *prefix, int at, int count)
{
    uint32_t kind = draw(3);
    if (kind == 1 && at + 1 < count) {
        mt_buf_addf(m->out,
                    "{\"kind\":\"Escalate\",\"next\":\"%s%d\",\"to_persona\":\"p1\"}",
                    prefix, at + 1);
    } else if (kind == 2) {
        mt_buf_addz(m->out, "{\"kind\":\"Compensate\",\"steps\":[");
        uint32_t n = 1 + draw(2);
        for (uint32_t i = 0; i < n; i++) {
            mt_buf_addf(m->out, "%s{\"on_failure\":", i ? "," : "");
            terminal(m->out);
            mt_buf_addf(m->out, ",\"op\":\"op%d\",\"persona\":\"p%u\"}", pick_op(m),
                        draw(2));
        }
        mt_buf_addz(m->out, "],\"then\":");
        terminal(m->out);
        mt_buf_addz(m->out, "}");
    } else {
        mt_buf_addz(m->out, "{\"kind\":\"Terminate\",\"outcome\":\"failure\"}");
    }
}

static inline void steps(maker *m, const char *prefix, int count, int depth);

static inline void parallel(maker *m, const char *prefix, int at, int count, int depth)
{
    int first = m->first, all = m->count;
    mt_buf_addz(m->out, "{\"branches\":[");
    for (int b = 0; b < 2; b++) {
        char inner[64];
        snprintf(inner, sizeof inner, "%s%db%dx", prefix, at, b);
        m->first = first + b * (all / 2);
        m->count = all / 2;
        int n = 1 + (int)draw(3);
        mt_buf_addf(m->out, "%s{\"entry\":\"%s0\",\"id\":\"b%d\",\"steps\":[",
                    b ? "," : "", inner, b);
        steps(m, inner, n, depth - 1);
        mt_buf_addz(m->out, "]}");
    }
    m->first = first;
    m->count = all;
    mt_buf_addf(m->out, "],\"id\":\"%s%d\",\"join\":{", prefix, at);
    uint32_t given = 1 + draw(7);
    const char *comma = "";
    if (given & 1) {
        mt_buf_addz(m->out, "\"on_all_complete\":");
        target(m, prefix, at, count);
        comma = ",";
    }
    if (given & 2) {
        mt_buf_addf(m->out, "%s\"on_all_success\":", comma);
        target(m, prefix, at, count);
        comma = ",";
    }
    if (given & 4) {
        mt_buf_addf(m->out, "%s\"on_any_failure\":", comma);
        handler(m, prefix, at, count);
    }
    mt_buf_addz(m->out, "},\"kind\":\"ParallelStep\"}");
}

static inline void step(maker *m, const char *prefix, int at, int count, int depth)
{
    uint32_t kind = draw(10);
    bool whole = m->first == 0 && m->count == ENTITIES;
    if (draw(12) == 0) { /* an end with a name, also where the flow begins */
        static const char *const NAMES[] = {"success", "failure", "other"};
        mt_buf_addf(m->out,
                    "{\"id\":\"%s%d\",\"kind\":\"Terminal\",\"outcome\":\"%s\"}",
                    prefix, at, NAMES[draw(3)]);
    } else if (kind == 0 && at + 1 < count) {
        mt_buf_addf(m->out,
                    "{\"from_persona\":\"p0\",\"id\":\"%s%d\",\"kind\":\"HandoffStep\","
                    "\"next\":\"%s%d\",\"to_persona\":\"p1\"}",
                    prefix, at, prefix, at + 1);
    } else if (kind <= 2) {
        mt_buf_addz(m->out, "{\"condition\":");
        predicate(m->out, 2, true);
        mt_buf_addf(m->out, ",\"id\":\"%s%d\",\"if_false\":", prefix, at);
        target(m, prefix, at, count);
        mt_buf_addz(m->out, ",\"if_true\":");
        target(m, prefix, at, count);
        mt_buf_addz(m->out, ",\"kind\":\"BranchStep\",\"persona\":\"p0\"}");
    } else if (kind == 3 && m->flow && whole) {
        mt_buf_addf(m->out,
                    "{\"flow\":\"w%u\",\"id\":\"%s%d\",\"kind\":\"SubFlowStep\","
                    "\"on_failure\":",
                    draw((uint32_t)m->flow), prefix, at);
        handler(m, prefix, at, count);
        mt_buf_addz(m->out, ",\"on_success\":");
        target(m, prefix, at, count);
        mt_buf_addz(m->out, ",\"persona\":\"p1\"}");
    } else if (kind == 4 && depth && m->count >= 2) {
        parallel(m, prefix, at, count, depth);
    } else {
        int op = pick_op(m);
        mt_buf_addf(
            m->out,
            "{\"id\":\"%s%d\",\"kind\":\"OperationStep\",\"on_failure\":", prefix, at);
        handler(m, prefix, at, count);
        mt_buf_addf(m->out, ",\"op\":\"op%d\",\"outcomes\":{\"o0\":", op);
        target(m, prefix, at, count);
        if (m->two[op]) {
            mt_buf_addz(m->out, ",\"o1\":");
            target(m, prefix, at, count);
        }
        mt_buf_addf(m->out, "},\"persona\":\"p%u\"}", draw(2));
    }
}

static inline void steps(maker *m, const char *prefix, int count, int depth)
{
    for (int i = 0; i < count; i++) {
        mt_buf_addz(m->out, i ? "," : "");
        step(m, prefix, i, count, depth);
    }
}

static inline void make_contract(mt_buf *out)
{
    mt_buf_clear(out);
    mt_buf_addz(out, "{\"constructs\":[");
    constructs(out);
    maker m = {.out = out};
    for (int i = 0; i < OPS; i++) {
        size_t at = out->len;
        operation(out, i);
        m.two[i] = memmem(out->ptr + at, out->len - at, "\"o0\",\"o1\"", 9) != NULL;
    }
    for (m.flow = 0; m.flow < FLOWS; m.flow++) {
        mt_buf_addf(out,
                    ",{\"entry\":\"t0\",\"id\":\"w%d\",\"kind\":\"Flow\",\"snapshot\":"
                    "\"at_initiation\",\"steps\":[",
                    m.flow);
        m.first = 0;
        m.count = ENTITIES;
        steps(&m, "t", 1 + (int)draw(6), 2);
        mt_buf_addz(out, "]" TAIL);
    }
    mt_buf_addz(out, "],\"id\":\"random\",\"kind\":\"Bundle\",\"tenor\":\"1.0\","
                     "\"tenor_version\":\"1.1.0\"}");
}

#endif
