/* runtime/address.h - host and port as text, and the sockets behind them.
 * Room: runtime. IPv4 is written "127.0.0.1:8888", IPv6 "[::1]:8888". */
#ifndef RT_ADDRESS_H
#define RT_ADDRESS_H

#include <sys/socket.h>

#include "base/str.h"

enum { RT_ADDRESS_TEXT = 80, RT_HOST_TEXT = 256 };

typedef struct rt_address {
    struct sockaddr_storage at;
    socklen_t len;
} rt_address;

/* Splits "host:port" (brackets around an IPv6 host). False when it is malformed. */
bool rt_address_split(const char *text, char host[RT_HOST_TEXT], char port[8]);
/* Resolves "host:port"; MT_E_USAGE when malformed, MT_E_NOTFOUND when unknown. */
mt_err rt_address_find(const char *text, rt_address *out);
size_t rt_address_print(const rt_address *a, char out[RT_ADDRESS_TEXT]);
/* The host part alone, without port: what quarantine goes by. */
size_t rt_address_print_host(const rt_address *a, char out[RT_ADDRESS_TEXT]);

/* A non-blocking listening socket, -1 with errno set on failure. */
int rt_listen(const rt_address *a, int backlog);
/* A non-blocking socket whose connection has been started, or -1. */
int rt_connect(const rt_address *a);
/* Where a socket is bound. */
mt_err rt_address_of(int fd, rt_address *out);

#endif
