/* http/route.c - every path of the API, in one table, and how a request finds its
 * row.
 * Room: http. A row says who answers and describes itself for /openapi.json; nothing
 * about a route is written anywhere else. Matching goes by segments that were
 * percent-decoded before, so an id may contain a slash and never reaches into
 * another part of a path. */
#include "http/route.h"

#include <stdio.h>

/* clang-format off */
#define V1 "/v1"
#define CONTRACT V1 "/contracts/{contract}"
#define CALL(action) HT_CALL, EX_##action
#define PAGE(page) page, EX_ACTION_COUNT
#define LIST "after limit" /* the parameters of every list that has pages */

/* First line: method, pattern, what answers, flags, sentence. Second line, for the description: operationId,
 * body, answers, what of a contract has types of its own here, parameters; names are those of http/api.json.
 * ORDER: where two rows match one path, the one that says more comes first. */
const ht_route HT_ROUTES[] = {
    {"GET",    "/",                                         PAGE(HT_HOME),            HT_PUBLIC, "a page for people: what is served, what waits, what was decided",
     "home",              NULL,           "200:Home",                     NULL,        ""},
    {"GET",    "/studio",                                   PAGE(HT_STUDIO),          HT_PUBLIC, "on to /studio/, the page for authors and auditors",
     "studio",            NULL,           "200:StudioFile 303:Redirected", NULL,        ""},
    {"GET",    "/studio/{file}",                            PAGE(HT_STUDIO),          HT_PUBLIC, "a file of that page",
     "studioFile",        NULL,           "200:StudioFile 304:NotModified", NULL,      "If-None-Match"},
    {"GET",    "/.well-known/tenor",                        PAGE(HT_MANIFEST),        HT_PUBLIC, "the default contract's manifest",
     "manifest",          NULL,           "200:Manifest 304:NotModified", NULL,        "If-None-Match"},
    {"GET",    "/.well-known/authzen-configuration",        PAGE(HT_DECISION_POINT),  HT_PUBLIC, "where decisions are asked for (AuthZEN 1.0)",
     "decisionPoint",     NULL,           "200:DecisionPoint",            NULL,        ""},
    {"GET",    "/.well-known/agent-card.json",              PAGE(HT_CARD),            HT_PUBLIC, "what can be done here, as a card of A2A 1.0",
     "agentCard",         NULL,           "200:AgentCard",                NULL,        ""},
    {"GET",    "/healthz",                                  PAGE(HT_HEALTH),          HT_PUBLIC, "the process lives",
     "health",            NULL,           "200:Health",                   NULL,        ""},
    {"GET",    "/readyz",                                   PAGE(HT_READY),           HT_PUBLIC, "the store is reachable, calls are taken, and the ledger is the one that was signed",
     "ready",             NULL,           "200:Ready 503:NotReady",       NULL,        ""},
    {"GET",    "/metrics",                                  PAGE(HT_METRICS),         0,         "figures in Prometheus text",
     "metrics",           NULL,           "200:Metrics",                  NULL,        ""},
    {"GET",    "/openapi.json",                             PAGE(HT_OPENAPI),         HT_PUBLIC, "OpenAPI 3.1 of what is served",
     "openapi",           NULL,           "200:OpenApi",                  NULL,        ""},
    {"GET",    "/login",                                    PAGE(HT_LOGIN),           HT_PUBLIC, "log in with a browser: on to the identity provider",
     "login",             NULL,           "303:Redirected",               NULL,        "login.return login.provider"},
    {"GET",    "/callback",                                 PAGE(HT_CALLBACK),        HT_PUBLIC, "back from the identity provider",
     "callback",          NULL,           "303:Redirected",               NULL,        "login.code login.state"},
    {"POST",   "/logout",                                   PAGE(HT_LOGOUT),          0,         "end the session of a browser",
     "logout",            NULL,           "200:LoggedOut",                NULL,        "X-CSRF-Token"},
    {"GET",    "/session",                                  PAGE(HT_SESSION),         0,         "who calls, and what it was granted",
     "session",           NULL,           "200:Session",                  NULL,        ""},
    {"POST",   "/mcp/{contract}/{persona}",                 PAGE(HT_MCP),             HT_BODY,   "a message of the Model Context Protocol to the tools of a persona",
     "mcp",               "McpMessage",   "200:McpAnswer 202:McpTaken 400:McpRefused 404:McpRefused", NULL, "Idempotency-Key MCP-Protocol-Version Mcp-Method Mcp-Name"},
    {"GET",    "/.well-known/oauth-protected-resource/mcp/{contract}/{persona}", PAGE(HT_MCP_METADATA), HT_PUBLIC, "where clients of these tools get tokens (RFC 9728)",
     "resourceMetadata",  NULL,           "200:ResourceMetadata",         NULL,        ""},
    {"POST",   "/access/v1/evaluation",                     CALL(DECIDE),             HT_BODY | HT_ACCESS, "may somebody do something? (AuthZEN 1.0)",
     "decide",            "Question",     "200:Decided",                  NULL,        ""},
    {"POST",   "/access/v1/evaluations",                    CALL(DECIDE_MANY),        HT_BODY | HT_ACCESS, "the same many times at once",
     "decideMany",        "Questions",    "200:DecidedMany",              NULL,        ""},
    {"POST",   "/access/v1/search/subject",                 CALL(SEARCH_SUBJECT),     HT_BODY | HT_ACCESS, "who may do it",
     "searchSubjects",    "SearchSubject", "200:Found",                   NULL,        ""},
    {"POST",   "/access/v1/search/resource",                CALL(SEARCH_RESOURCE),    HT_BODY | HT_ACCESS, "on what may it be done",
     "searchResources",   "SearchResource", "200:Found",                  NULL,        ""},
    {"POST",   "/access/v1/search/action",                  CALL(SEARCH_ACTION),      HT_BODY | HT_ACCESS, "what may be done",
     "searchActions",     "SearchAction", "200:Found",                    NULL,        ""},
    {"GET",    V1 "/events",                                PAGE(HT_EVENTS),          0,         "server-sent events, one per ledger record",
     "events",            NULL,           "200:Events",                   NULL,        "Last-Event-ID event.from ledger.kind ledger.contract event.entity event.instance"},
    {"GET",    V1 "/contracts",                             CALL(CONTRACT_LIST),      0,         "the contracts served",
     "listContracts",     NULL,           "200:Contracts",                NULL,        ""},
    {"POST",   V1 "/contracts",                             CALL(CONTRACT_DEPLOY),    HT_BODY,   "deploy a version of a contract",
     "deploy",            "Deploy",       "200:Deployed 201:Deployed",    NULL,        ""},
    {"GET",    CONTRACT,                                    CALL(CONTRACT_GET),       0,         "one contract",
     "getContract",       NULL,           "200:Manifest 304:NotModified", NULL,        "etag If-None-Match"},
    {"GET",    CONTRACT "/.well-known/tenor",               PAGE(HT_MANIFEST),        HT_PUBLIC, "its manifest",
     "contractManifest",  NULL,           "200:Manifest 304:NotModified", NULL,        "If-None-Match"},
    {"GET",    CONTRACT "/versions",                        CALL(CONTRACT_VERSIONS),  0,         "its versions",
     "listVersions",      NULL,           "200:Versions",                 NULL,        LIST},
    {"GET",    CONTRACT "/migration",                       CALL(MIGRATION_GET),      0,         "the migration under way",
     "getMigration",      NULL,           "200:Migration",                NULL,        ""},
    {"POST",   CONTRACT "/migration/complete",              CALL(MIGRATION_COMPLETE), HT_BODY,   "end the migration under way",
     "completeMigration", "Nothing",      "200:MigrationEnded",           NULL,        ""},
    {"POST",   CONTRACT "/evaluate",                        CALL(EVALUATE),           HT_BODY,   "facts to verdicts",
     "evaluate",          "Evaluate",     "200:Evaluation",               "evaluate",  ""},
    {"POST",   CONTRACT "/evaluate/batch",                 CALL(EVALUATE_BATCH),     HT_BODY | HT_LINES, "many evaluations, one in each line",
     "evaluateBatch",     "Evaluate",     "200:Batch",                    "evaluate",  ""},
    {"POST",   CONTRACT "/partial",                        CALL(PARTIAL),            HT_BODY,   "what is left to decide where facts are not known",
     "evaluatePartly",    "Evaluate",     "200:Partial",                  "evaluate",  ""},
    {"POST",   CONTRACT "/actions",                         CALL(ACTIONS),            HT_BODY,   "what a persona may do now, and what blocks the rest",
     "actions",           "Act",          "200:Actions",                  "act",       ""},
    {"POST",   CONTRACT "/explain",                         CALL(EXPLAIN),            HT_BODY,   "why a verdict, an operation or a flow is as it is, down to facts",
     "explain",           "Explain",      "200:Explanation",              "explain",   ""},
    {"POST",   CONTRACT "/ask",                             CALL(ASK),                HT_BODY,   "what the contract can and can never do, with what shows it",
     "ask",               "Ask",          "200:Asked",                    NULL,        ""},
    {"GET",    CONTRACT "/facts",                           CALL(FACT_LIST),          0,         "facts asserted by hand",
     "listFacts",         NULL,           "200:Facts",                    NULL,        ""},
    {"PUT",    CONTRACT "/facts/{fact}",                    CALL(FACT_ASSERT),        HT_BODY,   "assert a fact of a manual source",
     "assertFact",        "Assert",       "200:Fact",                     "fact",      ""},
    {"DELETE", CONTRACT "/facts/{fact}",                    CALL(FACT_RETRACT),       0,         "retract it",
     "retractFact",       NULL,           "200:Fact",                     NULL,        ""},
    {"POST",   CONTRACT "/operations/{operation}",          CALL(OPERATION),          HT_BODY,   "execute an operation, or try it with dry_run",
     "operate",           "Operate",      "200:Operated",                 "operation", ""},
    {"POST",   CONTRACT "/flows/{flow}",                    CALL(FLOW_START),         HT_BODY,   "start a flow, or try it with dry_run",
     "startFlow",         "Start",        "200:FlowMoved",                "flow",      ""},
    {"GET",    CONTRACT "/instances",                       CALL(INSTANCE_LIST),      0,         "instances of all entities",
     "listAllInstances",  NULL,           "200:Instances",                NULL,        LIST " instance.state instance.deleted"},
    {"GET",    CONTRACT "/instances/{entity}",              CALL(INSTANCE_LIST),      0,         "instances of one entity",
     "listInstances",     NULL,           "200:Instances",                NULL,        LIST " instance.state instance.deleted"},
    {"POST",   CONTRACT "/instances/{entity}",              CALL(INSTANCE_CREATE),    HT_BODY,   "create an instance in its initial state",
     "createInstance",    "Create",       "201:InstanceMade",             "entity",    ""},
    {"GET",    CONTRACT "/instances/{entity}/{id}",         CALL(INSTANCE_GET),       0,         "one instance",
     "getInstance",       NULL,           "200:Instance",                 NULL,        ""},
    {"DELETE", CONTRACT "/instances/{entity}/{id}",         CALL(INSTANCE_DELETE),    0,         "delete it; its history stays",
     "deleteInstance",    NULL,           "200:InstanceGone",             NULL,        ""},
    {"GET",    CONTRACT "/instances/{entity}/{id}/history", CALL(INSTANCE_HISTORY),   0,         "its ledger records",
     "instanceHistory",   NULL,           "200:Records",                  NULL,        LIST},
    {"GET",    CONTRACT "/states",                         CALL(INSTANCE_COUNT),     0,         "how many instances are in each state",
     "countInstances",    NULL,           "200:StateCounts",              NULL,        ""},
    {"GET",    V1 "/flows",                                 CALL(FLOW_LIST),          0,         "flow executions",
     "listFlows",         NULL,           "200:Flows",                    NULL,        LIST " flow.contract etag flow.flow flow.status flow.outcome flow.persona flow.waiting_persona flow.in_flight"},
    {"GET",    V1 "/flows/{id}",                            CALL(FLOW_GET),           0,         "one flow execution",
     "getFlow",           NULL,           "200:Flow",                     NULL,        ""},
    {"POST",   V1 "/flows/{id}/resume",                     CALL(FLOW_RESUME),        HT_BODY,   "go on with a waiting flow",
     "resumeFlow",        "Resume",       "200:FlowMoved",                NULL,        ""},
    {"POST",   V1 "/flows/{id}/cancel",                     CALL(FLOW_CANCEL),        HT_BODY,   "cancel it",
     "cancelFlow",        "Cancel",       "200:Flow",                     NULL,        ""},
    {"GET",    V1 "/ledger",                                CALL(LEDGER_LIST),        0,         "ledger records",
     "listRecords",       NULL,           "200:Records",                  NULL,        LIST " ledger.kind ledger.contract ledger.flow ledger.subject ledger.from ledger.to ledger.from_ms ledger.to_ms ledger.order ledger.pending"},
    {"GET",    V1 "/ledger/checkpoint",                     CALL(LEDGER_CHECKPOINT),  0,         "the newest signed checkpoint",
     "getCheckpoint",     NULL,           "200:Checkpoint",               NULL,        ""},
    {"GET",    V1 "/ledger/checkpoint.note",                CALL(LEDGER_NOTE),        0,         "the newest checkpoint as a C2SP note, with its cosignatures",
     "getCheckpointNote", NULL,           "200:CheckpointNote",           NULL,        ""},
    {"GET",    V1 "/ledger/consistency",                    CALL(LEDGER_CONSISTENCY), 0,         "proof that one size of the ledger extends another",
     "proveConsistency",  NULL,           "200:Consistency",              NULL,        "ledger.from ledger.to"},
    {"GET",    V1 "/ledger/{id}",                           CALL(LEDGER_GET),         0,         "one record",
     "getRecord",         NULL,           "200:Record",                   NULL,        ""},
    {"GET",    V1 "/ledger/{id}/proof",                     CALL(LEDGER_PROOF),       0,         "proof that it is in the ledger",
     "proveRecord",       NULL,           "200:RecordProof",              NULL,        "ledger.size"},
    {"GET",    V1 "/ledger/{id}/receipt",                   CALL(LEDGER_RECEIPT),     0,         "a signed receipt for it, complete once a checkpoint covers it",
     "getReceipt",        NULL,           "200:ReceiptGiven",             NULL,        ""},
    {"GET",    V1 "/systems",                               CALL(SYSTEM_LIST),        0,         "the systems served",
     "listSystems",       NULL,           "200:Systems",                  NULL,        ""},
    {"GET",    V1 "/systems/{system}",                      CALL(SYSTEM_GET),         0,         "one system",
     "getSystem",         NULL,           "200:System",                   NULL,        ""},
    {"GET",    V1 "/systems/{system}/triggers",             CALL(TRIGGER_LIST),       0,         "its outbox of triggers",
     "listTriggers",      NULL,           "200:Triggers",                 NULL,        LIST " trigger.status"},
    {"GET",    V1 "/graphs",                                CALL(GRAPH_LIST),         0,         "the graphs served",
     "listGraphs",        NULL,           "200:Graphs",                   NULL,        ""},
    {"POST",   V1 "/graphs/{graph}/events",                 CALL(GRAPH_EVENT),        HT_BODY,   "give a graph an event",
     "giveEvent",         "GraphEvent",   "200:GraphAnswer",              NULL,        ""},
    {"GET",    V1 "/graphs/{graph}/context",                CALL(GRAPH_CONTEXT),      0,         "its context",
     "getContext",        NULL,           "200:GraphContext",             NULL,        "graph.key"},
    {"GET",    V1 "/graphs/{graph}/picture",                CALL(GRAPH_PICTURE),      0,         "its picture, and how often each node spoke",
     "getGraphPicture",   NULL,           "200:GraphPicture",             NULL,        "graph.format"},
    {"GET",    V1 "/graphs/{graph}/letters",                CALL(LETTER_LIST),        0,         "its intents that could not be delivered",
     "listLetters",       NULL,           "200:Letters",                  NULL,        LIST},
    {"POST",   V1 "/graphs/{graph}/letters/send",           CALL(LETTER_SEND),        HT_BODY,   "send one of them again",
     "sendLetter",        "LetterSend",   "200:LetterSent",               NULL,        ""},
    {"GET",    V1 "/graphs/{graph}/keys",                   CALL(GRAPH_KEYS),         0,         "the values of its key that have a history",
     "listKeys",          NULL,           "200:GraphKeys",                NULL,        LIST},
    {"GET",    V1 "/graphs/{graph}/captures",               CALL(CAPTURE_LIST),       0,         "its captures",
     "listCaptures",      NULL,           "200:Captures",                 NULL,        LIST " graph.key"},
    {"GET",    V1 "/graphs/{graph}/captures/{id}",          CALL(CAPTURE_GET),        0,         "one capture",
     "getCapture",        NULL,           "200:Capture",                  NULL,        ""},
    {"GET",    V1 "/agents",                                CALL(AGENT_LIST),         0,         "the agents served",
     "listAgents",        NULL,           "200:Agents",                   NULL,        ""},
    {"POST",   V1 "/agents/{agent}/messages",               CALL(AGENT_MESSAGE),      HT_BODY,   "give an agent a message",
     "giveMessage",       "AgentMessage", "200:AgentAnswer",              NULL,        ""},
    {"GET",    V1 "/agents/{agent}/messages",               CALL(AGENT_LOG),          0,         "its messages",
     "listMessages",      NULL,           "200:AgentLog",                 NULL,        LIST},
    {"GET",    V1 "/agents/{agent}/tape",                   CALL(AGENT_TAPE),         0,         "its tape",
     "getTape",           NULL,           "200:AgentTape",                NULL,        ""},
};
/* clang-format on */
const size_t HT_ROUTE_COUNT = sizeof HT_ROUTES / sizeof *HT_ROUTES;

/* Does the segment fit this part of a pattern? Parameters are kept in `out`. */
static bool fit(mt_str part, mt_str segment, ht_match *out)
{
    if (part.ptr[0] != '{') {
        return mt_str_eq(part, segment);
    }
    mt_str *to = mt_str_is(part, "{contract}") ? &out->contract
                 : mt_str_is(part, "{id}")     ? &out->id
                                               : &out->name;
    *to = segment;
    return true;
}

/* A pattern and a target match segment by segment; names in braces take one whole
 * segment. Both have to end together. */
static bool matches(const ht_route *route, const ht_target *t, ht_match *out)
{
    const char *p = route->pattern;
    size_t i = 0;
    if (!t->segment_count) {
        return strcmp(p, "/") == 0;
    }
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

/* Methods of one path are few and known, so the room of `allow` is enough. */
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
