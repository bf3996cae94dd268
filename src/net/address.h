/* net/address.h - host and port as text, and the sockets behind them.
 * Room: net. IPv4 is written "127.0.0.1:8888", IPv6 "[::1]:8888". */
#ifndef NT_ADDRESS_H
#define NT_ADDRESS_H

#include <sys/socket.h>

#include "base/str.h"

enum { NT_ADDRESS_TEXT = 80, NT_HOST_TEXT = 256 };

typedef struct nt_address {
    struct sockaddr_storage at;
    socklen_t len;
} nt_address;

/* Splits "host:port" (brackets around an IPv6 host). False when it is malformed. */
bool nt_address_split(const char *text, char host[NT_HOST_TEXT], char port[8]);
/* Resolves "host:port"; MT_E_USAGE when malformed, MT_E_NOTFOUND when unknown. */
mt_err nt_address_find(const char *text, nt_address *out);
size_t nt_address_print(const nt_address *a, char out[NT_ADDRESS_TEXT]);
/* The host part alone, without port: what quarantine goes by. */
size_t nt_address_print_host(const nt_address *a, char out[NT_ADDRESS_TEXT]);

/* A non-blocking listening socket, -1 with errno set on failure. */
int nt_listen(const nt_address *a, int backlog);
/* A non-blocking socket whose connection has been started, or -1. */
int nt_connect(const nt_address *a);
/* Where a socket is bound. */
mt_err nt_address_of(int fd, nt_address *out);

#endif
