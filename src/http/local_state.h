/* http/local_state.h - what the files of the local Studio share. Nobody else includes
 * it. Room: http. */
#ifndef HT_LOCAL_STATE_H
#define HT_LOCAL_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/form.h"
#include "base/json_write.h"
#include "base/late_microhttpd.h"
#include "base/vec.h"
#include "http/head.h"
#include "http/local.h"
#include "http/peers.h"

typedef struct ht_local_route ht_local_route;

/* One request, from its head to its answer. */
typedef struct ht_visit {
    ht_local *server;
    struct MHD_Connection *connection;
    ht_peer *peer;
    const ht_local_route *route;
    mt_arena arena;
    ht_head head;
    mt_buf body;
    mt_buf out;         /* the answer's, JSON */
    const char *cookie; /* that the answer sets; NULL: none */
} ht_visit;

/* What was found in a file, and the mark that it had then. */
typedef struct ht_seen {
    mt_str path, etag;
    const char *why; /* it is not offered; NULL: it is */
    os_file_mark mark;
} ht_seen;

struct ht_local {
    ht_local_options o;
    struct MHD_Daemon *daemon;
    ht_peers *peers;
    unsigned port;
    pthread_mutex_t lock; /* of the session and `open` */
    ht_text secret, cookie, key;
    bool used; /* the secret was exchanged for a session */
    /* Likewise: offered until the end. New files, though nothing may import them yet,
     * and what the file that was named imported once: while one types, an import may
     * be gone for a moment. */
    MT_VEC(mt_str) open;
    pthread_mutex_t write;   /* compare and write are one step */
    pthread_mutex_t looking; /* held while files are looked at; of these three: */
    mt_arena seen_arena;
    ht_seen *seen; /* by the last look: what has the same mark is not read again */
    size_t seen_count;
    pthread_mutex_t asking;    /* held by whoever is answered */
    atomic_uint_fast64_t turn; /* of the last question: whoever has another one stops */
    atomic_bool stopping;
    mt_str address;
    mt_arena arena;
};

/* Answers: a status and JSON. A problem is {"code":…,"detail":…}. */
int ht_local_problem(ht_visit *v, int status, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The body, by a form; false: it is not one. */
bool ht_local_form(ht_visit *v, const mt_form_row *rows, size_t count, void *out);

/* http/local_files.c */
int ht_local_list(ht_visit *v);
int ht_local_read(ht_visit *v);
int ht_local_save(ht_visit *v);

/* http/local_ask.c */
int ht_local_ask(ht_visit *v);
/* Whatever is being asked ends now, and nothing more is. */
void ht_local_ask_stop(ht_local *s);

#endif
