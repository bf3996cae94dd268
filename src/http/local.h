/* http/local.h - Studio on files of this machine: what `motet studio` serves.
 * Room: http. Listens on 127.0.0.1 and nowhere else. The page itself is the same for
 * everybody; files, and what is asked about them, need a session.
 *
 * A session begins with the secret that the opener printed: it is good once. What the
 * page gets for it is in two halves, a cookie that scripts cannot read and a key that
 * the page sends in a header: a cookie goes to every port of this machine, so by itself
 * it would be known to other servers here. Every request must name this server as its
 * host, and come from no other page.
 * Threads: one for each connection, of which there are few. */
#ifndef HT_LOCAL_H
#define HT_LOCAL_H

#include "http/sessions.h"
#include "os/folder.h"

enum {
    HT_LOCAL_PORT = 8450,
    HT_LOCAL_FILES = 1000,           /* that the page has open */
    HT_LOCAL_FILE_BYTES = 4 << 20,   /* of one of them */
    HT_LOCAL_TOTAL_BYTES = 16 << 20, /* of all of them */
    HT_LOCAL_QUESTION_BYTES = 2000   /* of a question */
};

typedef struct ht_local ht_local;

typedef struct ht_local_options {
    const os_folder *folder; /* borrowed */
    mt_str root;             /* the file that was named; empty: the whole folder */
    /* Names of the files that are open: of the folder, or of the file with what it
     * imports. From any thread. */
    mt_err (*list)(void *state, mt_arena *a, os_folder_names *out);
    void *state;
    const char *program; /* `motet`: answers questions; NULL: they are not answered */
    unsigned ask_ms;     /* for one of them */
    const char *const *limits; /* NAME=VALUE, likewise; ends with NULL; NULL: none */
    size_t ask_memory;         /* bytes, likewise */
    unsigned port;             /* 0: any */
} ht_local_options;

/* Ends of names that are offered; ends with NULL. */
extern const char *const HT_LOCAL_SUFFIXES[];

/* MT_E_IO: `why` has a sentence; MT_E_EXISTS: the port is taken. */
mt_err ht_local_open(const ht_local_options *options, ht_local **out, mt_buf *why);
/* The address with the secret, which is good once. */
mt_str ht_local_address(const ht_local *s);
/* Ends what is being asked, and the threads. Accepts NULL. */
void ht_local_close(ht_local *s);

#endif
