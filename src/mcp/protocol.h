/* mcp/protocol.h - the Model Context Protocol, revisions 2025-11-25 and 2026-07-28.
 * Room: mcp. Pure. May include base/ only.
 *
 * MC_METHOD_MAP and MC_FAULT_MAP are the protocol: what can be asked, in which
 * revision, and what a fault is called there. mc_read() reads one JSON-RPC message and
 * judges it by them; mc_answer() and mc_refuse() write what goes back, with the members
 * that the message's revision wants.
 *
 * The older revision begins with `initialize`, the newer says version and capabilities
 * in `_meta` of every request. A message is of the newer one if its `_meta` has a
 * version, or a header says so; both may come on one connection.
 * Ownership: a message borrows from its text and lives in the arena given. */
#ifndef MC_PROTOCOL_H
#define MC_PROTOCOL_H

#include "base/json_write.h"

typedef enum mc_revision {
    MC_2025_11_25,
    MC_2026_07_28,
    MC_REVISION_COUNT
} mc_revision;
mt_str mc_revision_name(mc_revision r);

enum {
    MC_OLDER = 1 << MC_2025_11_25,
    MC_NEWER = 1 << MC_2026_07_28,
    MC_BOTH = MC_OLDER | MC_NEWER
};

/* Columns: name, method, the revisions that have it, the form of its parameters (see
 * protocol.c), the parameter that the header Mcp-Name repeats (or NULL), how long its
 * result may be kept in ms (-1: it is not a kind that says so), what its client has to
 * be able to do. Names that begin with notifications/ have no answer. */
/* clang-format off */
#define MC_METHOD_MAP(X)                                                                             \
    X(INITIALIZE,     "initialize",                MC_OLDER, START,   NULL,     -1,    MC_CAN_NOTHING) \
    X(INITIALIZED,    "notifications/initialized", MC_OLDER, NOTHING, NULL,     -1,    MC_CAN_NOTHING) \
    X(CANCELLED,      "notifications/cancelled",   MC_BOTH,  NOTHING, NULL,     -1,    MC_CAN_NOTHING) \
    X(PING,           "ping",                      MC_OLDER, NOTHING, NULL,     -1,    MC_CAN_NOTHING) \
    X(DISCOVER,       "server/discover",           MC_NEWER, NOTHING, NULL,     60000, MC_CAN_NOTHING) \
    X(TOOLS_LIST,     "tools/list",                MC_BOTH,  PAGE,    NULL,     60000, MC_CAN_NOTHING) \
    X(TOOLS_CALL,     "tools/call",                MC_BOTH,  CALL,    "name",   -1,    MC_CAN_NOTHING) \
    X(RESOURCES_LIST, "resources/list",            MC_BOTH,  PAGE,    NULL,     60000, MC_CAN_NOTHING) \
    X(TEMPLATES_LIST, "resources/templates/list",  MC_BOTH,  PAGE,    NULL,     60000, MC_CAN_NOTHING) \
    X(RESOURCES_READ, "resources/read",            MC_BOTH,  READ,    "uri",    0,     MC_CAN_NOTHING) \
    X(TASKS_GET,      "tasks/get",                 MC_NEWER, TASK,    "taskId", -1,    MC_CAN_TASKS)   \
    X(TASKS_UPDATE,   "tasks/update",              MC_NEWER, UPDATE,  "taskId", -1,    MC_CAN_TASKS)   \
    X(TASKS_CANCEL,   "tasks/cancel",              MC_NEWER, TASK,    "taskId", -1,    MC_CAN_TASKS)

/* Columns: name, code in the older and in the newer revision, HTTP status likewise. */
#define MC_FAULT_MAP(X)                                       \
    X(NOT_JSON,       -32700, -32700, 400, 400)               \
    X(NOT_A_MESSAGE,  -32600, -32600, 400, 400)               \
    X(NO_SUCH_METHOD, -32601, -32601, 200, 404)               \
    X(NO_META,        -32602, -32602, 400, 400)               \
    X(BAD_PARAMS,     -32602, -32602, 200, 200)               \
    X(NO_RESOURCE,    -32002, -32602, 200, 200)               \
    X(INTERNAL,       -32603, -32603, 200, 200)               \
    X(WRONG_HEADER,   -32020, -32020, 400, 400)               \
    X(CANNOT,         -32021, -32021, 400, 400)               \
    X(UNSUPPORTED,    -32022, -32022, 400, 400)
/* clang-format on */

typedef enum mc_method {
#define MC_METHOD_ENUM(id, ...) MC_##id,
    MC_METHOD_MAP(MC_METHOD_ENUM)
#undef MC_METHOD_ENUM
        MC_METHOD_COUNT
} mc_method;

typedef enum mc_fault {
    MC_NO_FAULT,
#define MC_FAULT_ENUM(id, ...) MC_##id,
    MC_FAULT_MAP(MC_FAULT_ENUM)
#undef MC_FAULT_ENUM
        MC_FAULT_COUNT
} mc_fault;

/* What a client says that it can do. */
typedef enum mc_ability {
    MC_CAN_NOTHING = 0,
    MC_CAN_BE_ASKED = 1, /* elicitation, by a form */
    MC_CAN_TASKS = 2     /* io.modelcontextprotocol/tasks */
} mc_ability;

/* What a request asks with; ptr NULL, NULL: not given. */
typedef struct mc_params {
    mt_str name, uri, task, cursor;
    const mt_json *arguments, *input; /* objects; input: answers to input requests */
    mt_str state;                     /* what an input request gave to be kept */
    mt_str version;                   /* that `initialize` asks for */
    const mt_json *capabilities;      /* likewise */
} mc_params;

/* How a message came. */
typedef struct mc_door {
    bool http;                     /* the header fields count; ptr NULL: absent */
    mt_str version, method, named; /* MCP-Protocol-Version, Mcp-Method, Mcp-Name */
    bool began;                    /* `initialize` was answered on this connection */
    const mt_json_limits *limits;  /* NULL: the defaults */
} mc_door;

typedef enum mc_kind { MC_REQUEST, MC_NOTIFICATION, MC_RESPONSE, MC_FAULTY } mc_kind;

typedef struct mc_message {
    mc_kind kind;
    mt_str id; /* as JSON text; empty: none, or it could not be read */
    mc_method method;
    mc_revision revision;
    bool http;
    const mt_json *meta; /* `_meta` of the parameters, or NULL */
    unsigned can;        /* mc_ability; nothing in the older revision */
    mc_params params;
    /* MC_FAULTY */
    mc_fault fault;
    mt_str why;  /* one sentence */
    mt_str data; /* JSON, or empty */
} mc_message;

/* Reads one message. MC_FAULTY is answered with mc_refuse(), unless it is about a
 * notification, which has no answer: then it is MC_NOTIFICATION, and nothing is done.
 */
void mc_read(mt_arena *a, mt_str text, const mc_door *door, mc_message *out);

/* The envelope alone, for who passes messages on: neither revision nor method nor
 * parameters are judged. `m` has kind, id, revision and `_meta`; MC_FAULTY as above. */
typedef struct mc_envelope {
    mc_message m;
    const mt_json *all;                     /* the object; NULL: it is none */
    mt_str method;                          /* of a request or a notification */
    const mt_json *params, *result, *error; /* or NULL */
} mc_envelope;
void mc_open(mt_arena *a, mt_str text, const mt_json_limits *limits, mc_envelope *out);

/* The message is refused after all, with this fault. `data`: JSON, or empty. */
void mc_spoil(mc_message *m, mc_fault fault, mt_str why, mt_str data);

/* Who answers, as every result says. */
typedef struct mc_server {
    mt_str name, version;
} mc_server;

/* A result: members of the object as JSON text without braces, `meta` likewise. */
typedef struct mc_result {
    const char *type; /* "complete", "input_required", "task" */
    mt_str members, meta;
} mc_result;

/* The whole response. */
void mc_answer(mt_buf *out, const mc_server *s, const mc_message *m,
               const mc_result *r);
/* The error response of an MC_FAULTY message. */
void mc_refuse(mt_buf *out, const mc_message *m);
/* The HTTP status of what answers the message; 202 where nothing does. */
int mc_status(const mc_message *m);

/* `initialize` and `server/discover` are the protocol's own, but for these texts:
 * members for a result. */
void mc_members_of_start(mt_buf *out, const mc_server *s, const mc_message *m,
                         mt_str instructions);

/* A header's value that may be written =?base64?…?=: decoded in `a`. False: it is
 * malformed. */
bool mc_header_text(mt_arena *a, mt_str value, mt_str *out);
/* The other way round: as it is where a header may have it so, else encoded. */
mt_str mc_header_value(mt_arena *a, mt_str text);

/* For who sends the message on over HTTP. */
/* Its method, and what Mcp-Name has to say of it; ptr NULL: nothing. */
mt_str mc_method_name(const mc_message *m);
mt_str mc_named(const mc_message *m);
/* Can the same message be sent twice and mean the same as once? */
bool mc_only_asks(const mc_message *m);

#endif
