/* cli/connection.h - requests to one server, over a connection that is kept.
 * Room: cli. libcurl is loaded here, on first use. Answers are bounded in bytes and
 * time. A connection is used by one thread. */
#ifndef CLI_CONNECTION_H
#define CLI_CONNECTION_H

#include "cli/cli.h"

enum { CLI_CONNECTION_SECONDS = 120 };

/* --server, else $MOTET_SERVER, else http://127.0.0.1:8440. */
const char *cli_server_of(const cli_args *args);

typedef struct cli_connection {
    const char *server, *ca; /* as given; ca: NULL or a file */
    size_t seconds;          /* for one answer */
    /* Asked while an answer is waited for: true ends the waiting. NULL: never. */
    bool (*is_over)(void);
    void *curl;
} cli_connection;

/* CLI_HOLDS, or the exit status after saying what is missing. */
int cli_connect(const cli_args *args, cli_connection *out);
/* Also after cli_connect() failed. */
void cli_disconnect(cli_connection *c);

/* One request and its answer. What it is made of is borrowed until it was sent. */
typedef struct cli_exchange {
    const char *method;
    mt_str path, body; /* path: escaped already; body: ptr NULL sends none */
    mt_str token;      /* empty: none */
    void *fields;      /* header lines */
    mt_arena arena;
    long status; /* of HTTP */
    mt_buf answer;
    char why[256]; /* one sentence, when no answer came */
    bool refused;  /* nobody took the request: nothing can have come of it */
    bool late;     /* the time was over */
} cli_exchange;

/* The value must be such as a header may have. */
void cli_exchange_field(cli_exchange *x, const char *name, mt_str value);
/* False: no answer came. May be called again, to send the same once more. */
bool cli_exchange_run(cli_connection *c, cli_exchange *x);
/* Frees everything of the exchange; its parts that were borrowed stay the caller's. */
void cli_exchange_end(cli_exchange *x);

#endif
