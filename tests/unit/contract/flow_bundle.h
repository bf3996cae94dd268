/* tests/unit/contract/flow_bundle.h - contracts in a few lines of macros. Bundles are
 * written with ' for " and may end lists with a comma. Shared by unit tests, the fuzz
 * target of positions and the benchmark. */
#ifndef FLOW_BUNDLE_H
#define FLOW_BUNDLE_H

#include "base/str.h"

/* A bundle is one literal, longer than the 4095 bytes every compiler must take. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

#define WRITTEN "'provenance':{'file':'t.tenor','line':1},'tenor':'1.0'"
#define BUNDLE(constructs)                                                             \
    "{'constructs':[" constructs                                                       \
    "],'id':'t','kind':'Bundle','tenor':'1.0','tenor_version':'1.0.0'}"
#define PERSONA(id) "{'id':'" id "','kind':'Persona'," WRITTEN "},"
#define FACT(id, type)                                                                 \
    "{'id':'" id "','kind':'Fact','source':'s'," WRITTEN ",'type':" type "},"
#define FACT_DEFAULT(id, type, value)                                                  \
    "{'default':" value ",'id':'" id "','kind':'Fact','source':'s'," WRITTEN           \
    ",'type':" type "},"
#define BOOL "{'base':'Bool'}"
#define ENTITY(id, initial, states, transitions)                                       \
    "{'id':'" id "','initial':'" initial "','kind':'Entity','states':[" states         \
    "]," WRITTEN ",'transitions':[" transitions "]},"
#define ARC(from, to) "{'from':'" from "','to':'" to "'},"
#define IS_TRUE(fact)                                                                  \
    "{'left':{'fact_ref':'" fact                                                       \
    "'},'op':'=','right':{'literal':true,'type':{'base':'Bool'}}}"
#define RULE(id, stratum, verdict, when)                                               \
    "{'body':{'produce':{'payload':{'type':{'base':'Bool'},'value':true},"             \
    "'verdict_type':'" verdict "'},'when':" when "},'id':'" id                         \
    "','kind':'Rule','stratum':" #stratum "," WRITTEN "},"
#define PRESENT(verdict) "{'verdict_present':'" verdict "'}"
#define AND(a, b)        "{'left':" a ",'op':'and','right':" b "}"
#define OR(a, b)         "{'left':" a ",'op':'or','right':" b "}"
#define NOT(a)           "{'op':'not','operand':" a "}"
#define EFFECT(entity, from, to)                                                       \
    "{'entity_id':'" entity "','from':'" from "','to':'" to "'},"
#define EFFECT_FOR(entity, from, to, outcome)                                          \
    "{'entity_id':'" entity "','from':'" from "','outcome':'" outcome "','to':'" to    \
    "'},"
#define OPERATION(id, personas, precondition, effects, outcomes, errors)               \
    "{'allowed_personas':[" personas "],'effects':[" effects                           \
    "],'error_contract':[" errors "],'id':'" id                                        \
    "','kind':'Operation','outcomes':[" outcomes "],'precondition':" precondition      \
    "," WRITTEN "},"
#define FLOW(id, entry, steps)                                                         \
    "{'entry':'" entry "','id':'" id                                                   \
    "','kind':'Flow','snapshot':'at_initiation','steps':[" steps "]," WRITTEN "},"
#define TERMINAL(outcome)  "{'kind':'Terminal','outcome':'" outcome "'}"
#define TERMINATE(outcome) "{'kind':'Terminate','outcome':'" outcome "'}"
#define ESCALATE(persona, next)                                                        \
    "{'kind':'Escalate','next':'" next "','to_persona':'" persona "'}"
#define COMPENSATE(steps, outcome)                                                     \
    "{'kind':'Compensate','steps':[" steps "],'then':" TERMINAL(outcome) "}"
#define UNDO(op, persona, outcome)                                                     \
    "{'on_failure':" TERMINAL(outcome) ",'op':'" op "','persona':'" persona "'},"
#define OP_STEP(id, op, persona, outcomes, handler)                                    \
    "{'id':'" id "','kind':'OperationStep','on_failure':" handler ",'op':'" op         \
    "','outcomes':{" outcomes "},'persona':'" persona "'},"
#define ON(outcome, target) "'" outcome "':" target ","
#define STEP(id)            "'" id "'"
#define BRANCH_STEP(id, persona, condition, yes, no)                                   \
    "{'condition':" condition ",'id':'" id "','if_false':" no ",'if_true':" yes        \
    ",'kind':'BranchStep','persona':'" persona "'},"
#define HANDOFF_STEP(id, from, to, next)                                               \
    "{'from_persona':'" from "','id':'" id "','kind':'HandoffStep','next':'" next      \
    "','to_persona':'" to "'},"
#define SUBFLOW_STEP(id, flow, persona, target, handler)                               \
    "{'flow':'" flow "','id':'" id "','kind':'SubFlowStep','on_failure':" handler      \
    ",'on_success':" target ",'persona':'" persona "'},"
#define PARALLEL_STEP(id, branches, join)                                              \
    "{'branches':[" branches "],'id':'" id "','join':{" join "},'kind':'ParallelStep'" \
    "},"
#define BRANCH(id, entry, steps)                                                       \
    "{'entry':'" entry "','id':'" id "','steps':[" steps "]},"

/* ' becomes ", a comma before a closing bracket goes. */
static inline mt_str fixture_json(mt_arena *a, const char *text)
{
    size_t len = strlen(text), n = 0;
    char *out = mt_alloc(a, len + 1);
    for (size_t i = 0; i < len; i++) {
        char next = i + 1 < len ? text[i + 1] : '\0';
        if (text[i] == ',' && (next == ']' || next == '}')) {
            continue;
        }
        out[n++] = text[i] == '\'' ? '"' : text[i];
    }
    out[n] = '\0';
    return (mt_str){out, n};
}

#endif
