/* adapter/gate.h - where a server may connect to on behalf of a contract.
 * Room: adapter. Pure, apart from libcurl's reading of URLs, so that what is judged is
 * what is asked.
 *
 * Who may deploy a contract writes its URLs, so a contract decides nothing here: the
 * configuration does. It names origins (scheme, host and port), and an origin nobody
 * named is not asked. A name can lead anywhere and change its mind, so the address that
 * is being connected to is judged, too: it must be public, or in a network that the
 * configuration lists, or be written in the named origin itself.
 *
 * Whatever in this process fetches something from an address that is not the
 * operator's own writing goes through here: ad_gate_origin() before, ad_gate_address()
 * at the socket.
 * Ownership: texts live in the arena given. Threads: any, once it is read. */
#ifndef AD_GATE_H
#define AD_GATE_H

#include <sys/socket.h>

#include "base/json_read.h"

/* A URL taken apart by libcurl. */
typedef struct ad_url {
    mt_str origin; /* "https://host" or "http://host:81": lower case, no usual port */
    mt_str host;   /* "example.org", "127.0.0.1", "::1" */
    bool has_user; /* a name or a password stands in it */
    bool has_path; /* more than "/", or a query or a fragment */
} ad_url;

/* False when it is not a plain http or https URL. */
bool ad_url_read(mt_arena *a, mt_str text, ad_url *out);

/* A range of addresses; IPv4 as IPv6 sees it, ::ffff:a.b.c.d. */
typedef struct ad_network {
    unsigned char address[16];
    unsigned bits;
} ad_network;

/* "10.0.0.0/8", "fd00::/8", or one address. False when it is malformed or has bits
 * beyond its length. */
bool ad_network_read(mt_str text, ad_network *out);

typedef struct ad_gate {
    const mt_str *origins;
    size_t origin_count;
    const ad_network *networks;
    size_t network_count;
} ad_gate;

/* `outgoing` of a configuration: {origins: […], networks: […]}; NULL: nothing is
 * listed. MT_E_REJECTED: `why` gets one sentence. */
mt_err ad_gate_read(mt_arena *a, const mt_json *outgoing, ad_gate *out, mt_buf *why);

/* Does the configuration list this origin (as ad_url_read() writes it)? */
bool ad_gate_origin(const ad_gate *g, mt_str origin);
/* May a connection to `host`, of an origin that the configuration names, go to this
 * address? */
bool ad_gate_address(const ad_gate *g, mt_str host, const struct sockaddr *at);

#endif
