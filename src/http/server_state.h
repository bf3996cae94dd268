/* http/server_state.h - what the files of the server share. Nobody else includes it.
 * Room: http. */
#ifndef HT_SERVER_STATE_H
#define HT_SERVER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/late_microhttpd.h"
#include "http/head.h"
#include "http/route.h"
#include "http/server.h"
#include "http/sessions.h"
#include "http/tls.h"
#include "os/clock.h"
#include "tool/tool.h"

typedef struct ht_request ht_request;
typedef struct ht_streams ht_streams;
typedef struct ht_workers ht_workers;
typedef struct ht_figures ht_figures;
typedef struct ht_outside ht_outside;

/* Where a request is. The word changes hands between the network thread and the thread
 * that answers: whoever comes second goes on. */
enum {
    HT_NEW,       /* head not seen yet */
    HT_TAKING,    /* head accepted, body coming */
    HT_CALLING,   /* given to the executor, still on its caller's stack */
    HT_SUSPENDED, /* the connection sleeps until the reply */
    HT_ADMITTING, /* the provider was asked: who is it? for the last time */
    HT_DONE       /* reply is there */
};

struct ht_request {
    ht_server *server;
    ht_request *next; /* in the pool, or among those waiting for a worker */
    struct MHD_Connection *connection;
    ht_peer *peer;
    atomic_int stage;
    mt_arena arena;
    mt_str method, uri;
    ht_target target;
    ht_match match;
    ht_head head;
    ht_pass pass;
    bool by_cookie; /* the pass is a browser's */
    ht_text csrf;   /* of its session */
    mt_str redirect, cookies[2];
    size_t cookie_count;
    void (*errand)(ht_request *r); /* on the thread that asks providers */
    bool asked;                    /* it was asked once for this request */
    mt_buf body;
    size_t body_dropped; /* bytes of a body that is too large */
    ex_call call;
    tl_visit visit; /* of a message to an agent's tools, and who hears its answer */
    void (*heard)(ht_request *r, ex_reply *reply);
    char digest[64];
    char id[HT_REQUEST_ID_BYTES + 1];
    int64_t began_ns;
    int status;       /* answered with */
    const char *code; /* of the problem it was answered with; NULL: none */
    tr_trace trace;
    ex_reply reply;
};

struct ht_server {
    ht_options options;
    struct MHD_Daemon *daemon;
    MHD_socket listener; /* given back by the daemon, closed after it */
    ht_peers *peers;
    ht_tokens *tokens;
    ht_known known; /* whom decisions are asked about */
    ex_people ask;  /* the same, for the executor */
    ht_streams *streams;
    ht_workers *workers;
    ht_figures *figures;
    tl_desk *tools;
    ht_tls *tls;               /* NULL: without TLS */
    tr_exporter *exporter;     /* NULL: nothing is sent */
    pthread_mutex_t tell_lock; /* while the executor tells its figures */
    ht_outside *outside;       /* NULL: no providers */
    ht_believed *believed;     /* likewise */
    ht_sessions *sessions;     /* likewise */
    bool started_open;         /* without tokens when it began */
    char address[96];
    atomic_bool stopping;
    atomic_bool draining;
    pthread_t keeper; /* keeps house */
    bool keeper_runs;
    pthread_mutex_t lock; /* of `pool` and `wake` */
    pthread_cond_t wake;
    ht_request *pool;
    size_t pooled;
    uint64_t id_start;
    atomic_uint_fast64_t id_next;
    atomic_uint_fast64_t requests, calls, answered[6]; /* [n]: nxx */
    atomic_uint_fast64_t unauthorized, malformed;      /* answered with 401, 400 */
    atomic_size_t under_way;                           /* calls not yet answered */
};

static inline int64_t ht_now_ms(void)
{
    return (int64_t)(os_clock_ns(CLOCK_MONOTONIC_COARSE) / 1000000u);
}

/* http/request.c: what libmicrohttpd calls. */
void *ht_request_begin(void *server, const char *uri, struct MHD_Connection *c);
enum MHD_Result ht_request_go_on(void *server, struct MHD_Connection *c,
                                 const char *url, const char *method,
                                 const char *version, const char *data, size_t *size,
                                 void **state);
void ht_request_end(void *server, struct MHD_Connection *c, void **state,
                    enum MHD_RequestTerminationCode code);
void ht_request_free(ht_request *r);
/* Runs the call of a request; on a network thread or a worker. */
void ht_request_call(ht_request *r);

/* Gives the reply of a request that sleeps, from any thread. */
void ht_request_done(ht_request *r, ex_reply *reply);
/* The same with the answer that the server is stopping. */
void ht_request_turn_away(ht_request *r);

/* http/admit.c */
ht_verdict ht_admit(ht_request *r);
/* After HT_ASK_PROVIDER. False: too many wait. */
bool ht_admit_later(ht_request *r);

/* http/login.c */
enum MHD_Result ht_login_answer(ht_request *r);

/* http/outside.c */
/* `turn_away`: for those who still wait when it ends. */
ht_outside *ht_outside_start(ht_server *s, void (*turn_away)(ht_request *r));
/* Puts the connection to sleep and gives the request to the thread that asks providers;
 * false: too many wait. The errand ends with ht_request_done(), or with the request
 * going on at this stage. */
bool ht_request_sleep(ht_request *r, void (*errand)(ht_request *r));
void ht_request_go_on_later(ht_request *r, int stage);
/* Whoever still waited has an answer then. */
void ht_outside_stop(ht_outside *o);

/* http/answer.c */
enum MHD_Result ht_answer_reply(ht_request *r);
enum MHD_Result ht_answer_problem(ht_request *r, int status, const char *code,
                                  const char *detail);
/* Moves `body` out. `type`: the content type. */
enum MHD_Result ht_answer_text(ht_request *r, int status, const char *type,
                               mt_buf *body);
/* Adds what every answer has and queues it; drops the response. */
enum MHD_Result ht_answer_queue(ht_request *r, int status, struct MHD_Response *answer);
/* Appends a problem of RFC 9457. */
/* The caller lacks a right, which the problem names. */
enum MHD_Result ht_answer_without(ht_request *r, const char *right);
void ht_problem_write(mt_buf *out, int status, const char *code, mt_str detail,
                      const char *request_id);

/* http/pages.c: what the front door answers by itself. */
enum MHD_Result ht_page_answer(ht_request *r);

/* http/mcp.c: hears a message, on a network thread or a worker; where a client of it
 * gets tokens, as a page, and as the rest of a WWW-Authenticate. */
void ht_mcp_hear(ht_request *r, void (*done)(ht_request *r, ex_reply *reply));
enum MHD_Result ht_mcp_metadata(ht_request *r);

/* http/mcp_place.c: the address of the tools that the request is about, with `before`
 * in front of its path; the rest of a WWW-Authenticate, or empty. */
void ht_mcp_place(mt_buf *out, const ht_request *r, const char *before);
mt_str ht_mcp_challenge(ht_request *r);

/* http/origin.c: "https://motet.example", as clients call this server. */
void ht_origin_write(mt_buf *out, const ht_request *r);

/* http/card.c */
enum MHD_Result ht_answer_decision_point(ht_request *r);
enum MHD_Result ht_answer_card(ht_request *r);
/* A file of the page under /studio/. */
enum MHD_Result ht_studio_answer(ht_request *r);

/* http/events.c */
ht_streams *ht_streams_new(ht_server *s);
void ht_streams_free(ht_streams *s);
enum MHD_Result ht_events_answer(ht_request *r);
/* Reads what is new and wakes who waits for it; from the house keeper. */
void ht_streams_tend(ht_streams *s, int64_t now_ms);
void ht_streams_end(ht_streams *s);
size_t ht_streams_count(ht_streams *s);

/* http/workers.c */
ht_workers *ht_workers_start(ht_server *s, unsigned count);
/* False: too many wait already. */
bool ht_workers_give(ht_workers *w, ht_request *r);
void ht_workers_stop(ht_workers *w);
void ht_workers_free(ht_workers *w);
/* Accepts NULL. */
size_t ht_workers_waiting(ht_workers *w);

/* http/figures.c */
ht_figures *ht_figures_new(void);
void ht_figures_free(ht_figures *f);
/* A request was answered. `contract`: one the executor knows, or empty. */
void ht_figures_request(ht_figures *f, const ht_route *route, mt_str contract,
                        int status, uint64_t ns);
/* `code` is static. */
void ht_figures_refusal(ht_figures *f, const char *code);
/* All figures of the server and of what is behind it. */
void ht_server_tell(void *server, mt_figures *f);

#endif
