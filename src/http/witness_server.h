/* http/witness_server.h - a witness that listens: POST /add-checkpoint of
 * c2sp.org/tlog-witness, and GET / for people.
 * Room: http. One thread answers all requests, one after the other, so what is compared
 * and what is remembered are one step. */
#ifndef HT_WITNESS_SERVER_H
#define HT_WITNESS_SERVER_H

#include "exec/evidence/witness.h"
#include "http/log.h"

typedef struct ht_witness_server ht_witness_server;

typedef struct ht_witness_options {
    ex_witness *witness; /* borrowed */
    ht_log *log;
    const char *listen; /* HOST:PORT */
    mt_str about;       /* what GET / begins with */
} ht_witness_options;

mt_err ht_witness_open(const ht_witness_options *options, ht_witness_server **out,
                       mt_buf *why);
/* HOST:PORT, the port as the system gave it. */
const char *ht_witness_address(const ht_witness_server *s);
/* Ends the thread; whoever was being answered is. */
void ht_witness_close(ht_witness_server *s);

#endif
