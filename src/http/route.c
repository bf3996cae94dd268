#include "http/route.h"

#include <stdio.h>

/* clang-format off */
#define V1 "/v1"
#define CONTRACT V1 "/contracts/{c}"
#define CALL(action) HT_CALL, EX_##action
#define PAGE(page) page, EX_ACTION_COUNT

/* ORDER: where two rows match one path, the one that says more comes first. */
const ht_route HT_ROUTES[] = {
    {"GET",    "/.well-known/tenor",                  PAGE(HT_MANIFEST),         HT_PUBLIC, "the default contract's manifest"},
    {"GET",    "/healthz",                            PAGE(HT_HEALTH),           HT_PUBLIC, "the process lives"},
    {"GET",    "/readyz",                             PAGE(HT_READY),            HT_PUBLIC, "the store is reachable, calls are taken, and the ledger is the one that was signed"},
    {"GET",    "/metrics",                            PAGE(HT_METRICS),          0,         "figures in Prometheus text"},
    {"GET",    "/openapi.json",                       PAGE(HT_OPENAPI),          HT_PUBLIC, "OpenAPI 3.1 of what is served"},
    {"GET",    "/login",                              PAGE(HT_LOGIN),            HT_PUBLIC, "log in with a browser: on to the identity provider"},
    {"GET",    "/callback",                           PAGE(HT_CALLBACK),         HT_PUBLIC, "back from the identity provider"},
    {"POST",   "/logout",                             PAGE(HT_LOGOUT),           0,         "end the session of a browser"},
    {"GET",    "/session",                            PAGE(HT_SESSION),          0,         "who calls, and what it was granted"},
    {"GET",    V1 "/events",                          PAGE(HT_EVENTS),           0,         "server-sent events, one per ledger record"},
    {"GET",    V1 "/contracts",                       CALL(CONTRACT_LIST),       0,         "the contracts served"},
    {"POST",   V1 "/contracts",                       CALL(CONTRACT_DEPLOY),     HT_BODY,   "deploy a version of a contract"},
    {"GET",    CONTRACT,                              CALL(CONTRACT_GET),        0,         "one contract"},
    {"GET",    CONTRACT "/.well-known/tenor",         PAGE(HT_MANIFEST),         HT_PUBLIC, "its manifest"},
    {"GET",    CONTRACT "/versions",                  CALL(CONTRACT_VERSIONS),   0,         "its versions"},
    {"GET",    CONTRACT "/migration",                 CALL(MIGRATION_GET),       0,         "the migration under way"},
    {"POST",   CONTRACT "/migration/complete",        CALL(MIGRATION_COMPLETE),  HT_BODY,   "end the migration under way"},
    {"POST",   CONTRACT "/evaluate",                  CALL(EVALUATE),            HT_BODY,   "facts to verdicts"},
    {"POST",   CONTRACT "/actions",                   CALL(ACTIONS),             HT_BODY,   "what a persona may do now, and what blocks the rest"},
    {"POST",   CONTRACT "/explain",                   CALL(EXPLAIN),             HT_BODY,   "why a verdict, an operation or a flow is as it is, down to facts"},
    {"GET",    CONTRACT "/facts",                     CALL(FACT_LIST),           0,         "facts asserted by hand"},
    {"PUT",    CONTRACT "/facts/{n}",                 CALL(FACT_ASSERT),         HT_BODY,   "assert a fact of a manual source"},
    {"DELETE", CONTRACT "/facts/{n}",                 CALL(FACT_RETRACT),        0,         "retract it"},
    {"POST",   CONTRACT "/operations/{n}",            CALL(OPERATION),           HT_BODY,   "execute an operation, or try it with dry_run"},
    {"POST",   CONTRACT "/flows/{n}",                 CALL(FLOW_START),          HT_BODY,   "start a flow, or try it with dry_run"},
    {"GET",    CONTRACT "/instances",                 CALL(INSTANCE_LIST),       0,         "instances of all entities"},
    {"GET",    CONTRACT "/instances/{n}",             CALL(INSTANCE_LIST),       0,         "instances of one entity"},
    {"POST",   CONTRACT "/instances/{n}",             CALL(INSTANCE_CREATE),     HT_BODY,   "create an instance in its initial state"},
    {"GET",    CONTRACT "/instances/{n}/{i}",         CALL(INSTANCE_GET),        0,         "one instance"},
    {"DELETE", CONTRACT "/instances/{n}/{i}",         CALL(INSTANCE_DELETE),     0,         "delete it; its history stays"},
    {"GET",    CONTRACT "/instances/{n}/{i}/history", CALL(INSTANCE_HISTORY),    0,         "its ledger records"},
    {"GET",    V1 "/flows",                           CALL(FLOW_LIST),           0,         "flow executions"},
    {"GET",    V1 "/flows/{i}",                       CALL(FLOW_GET),            0,         "one flow execution"},
    {"POST",   V1 "/flows/{i}/resume",                CALL(FLOW_RESUME),         HT_BODY,   "go on with a waiting flow"},
    {"POST",   V1 "/flows/{i}/cancel",                CALL(FLOW_CANCEL),         HT_BODY,   "cancel it"},
    {"GET",    V1 "/ledger",                          CALL(LEDGER_LIST),         0,         "ledger records"},
    {"GET",    V1 "/ledger/checkpoint",               CALL(LEDGER_CHECKPOINT),   0,         "the newest signed checkpoint"},
    {"GET",    V1 "/ledger/consistency",              CALL(LEDGER_CONSISTENCY),  0,         "proof that one size of the ledger extends another"},
    {"GET",    V1 "/ledger/{i}",                      CALL(LEDGER_GET),          0,         "one record"},
    {"GET",    V1 "/ledger/{i}/proof",                CALL(LEDGER_PROOF),        0,         "proof that it is in the ledger"},
    {"GET",    V1 "/systems",                         CALL(SYSTEM_LIST),         0,         "the systems served"},
    {"GET",    V1 "/systems/{n}",                     CALL(SYSTEM_GET),          0,         "one system"},
    {"GET",    V1 "/systems/{n}/triggers",            CALL(TRIGGER_LIST),        0,         "its outbox of triggers"},
    {"GET",    V1 "/graphs",                          CALL(GRAPH_LIST),          0,         "the graphs served"},
    {"POST",   V1 "/graphs/{n}/events",               CALL(GRAPH_EVENT),         HT_BODY,   "give a graph an event"},
    {"GET",    V1 "/graphs/{n}/context",              CALL(GRAPH_CONTEXT),       0,         "its context"},
    {"GET",    V1 "/graphs/{n}/captures",             CALL(CAPTURE_LIST),        0,         "its captures"},
    {"GET",    V1 "/graphs/{n}/captures/{i}",         CALL(CAPTURE_GET),         0,         "one capture"},
    {"GET",    V1 "/agents",                          CALL(AGENT_LIST),          0,         "the agents served"},
    {"POST",   V1 "/agents/{n}/messages",             CALL(AGENT_MESSAGE),       HT_BODY,   "give an agent a message"},
    {"GET",    V1 "/agents/{n}/messages",             CALL(AGENT_LOG),           0,         "its messages"},
    {"GET",    V1 "/agents/{n}/tape",                 CALL(AGENT_TAPE),          0,         "its tape"},
};
/* clang-format on */
const size_t HT_ROUTE_COUNT = sizeof HT_ROUTES / sizeof *HT_ROUTES;

/* Does the segment fit this part of a pattern? Parameters are kept in `out`. */
static bool fit(mt_str part, mt_str segment, ht_match *out)
{
    if (part.ptr[0] != '{') {
        return mt_str_eq(part, segment);
    }
    mt_str *to = part.ptr[1] == 'c'   ? &out->contract
                 : part.ptr[1] == 'n' ? &out->name
                                      : &out->id;
    *to = segment;
    return true;
}

/* A pattern and a target match segment by segment; names in braces take one whole
 * segment. Both have to end together. */
static bool matches(const ht_route *route, const ht_target *t, ht_match *out)
{
    const char *p = route->pattern;
    size_t i = 0;
    for (; *p == '/' && i < t->segment_count; i++) {
        const char *start = p + 1;
        for (p = start; *p && *p != '/'; p++) {
        }
        if (!fit(mt_str_from(start, (size_t)(p - start)), t->segments[i], out)) {
            return false;
        }
    }
    return !*p && i == t->segment_count;
}

static void add_allowed(ht_match *m, const char *method)
{
    size_t len = strlen(m->allow);
    snprintf(m->allow + len, sizeof m->allow - len, "%s%s", len ? ", " : "", method);
    if (strcmp(method, "GET") == 0) {
        add_allowed(m, "HEAD");
    }
}

/* A path that is known by another method is 405 and lists what it has, so the search
 * goes on after a mismatch. HEAD takes the way of GET; the library leaves out the body.
 * Linear: the table has a few dozen rows. */
void ht_route_find(mt_str method, const ht_target *target, ht_match *out)
{
    if (mt_str_is(method, "HEAD")) {
        method = MT_STR("GET");
    }
    *out = (ht_match){0};
    for (size_t i = 0; i < HT_ROUTE_COUNT; i++) {
        ht_match m = {0};
        if (!matches(&HT_ROUTES[i], target, &m)) {
            continue;
        }
        if (mt_str_eq(method, mt_str_z(HT_ROUTES[i].method))) {
            *out = m;
            out->route = &HT_ROUTES[i];
            return;
        }
        add_allowed(out, HT_ROUTES[i].method);
    }
    if (out->allow[0]) {
        add_allowed(out, "OPTIONS");
    }
}
