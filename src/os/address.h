/* os/address.h - host and port as text, and the sockets behind them.
 * Room: os. IPv4 is written "127.0.0.1:8888", IPv6 "[::1]:8888". */
#ifndef OS_ADDRESS_H
#define OS_ADDRESS_H

#include <sys/socket.h>

#include "base/str.h"

enum { OS_ADDRESS_TEXT = 80, OS_HOST_TEXT = 256 };

typedef struct os_address {
    struct sockaddr_storage at;
    socklen_t len;
} os_address;

/* Splits "host:port" (brackets around an IPv6 host). False when it is malformed. */
bool os_address_split(const char *text, char host[OS_HOST_TEXT], char port[8]);
/* Resolves "host:port"; MT_E_USAGE when malformed, MT_E_NOTFOUND when unknown. */
mt_err os_address_find(const char *text, os_address *out);
size_t os_address_print(const os_address *a, char out[OS_ADDRESS_TEXT]);
/* The host part alone, without port: what quarantine goes by. */
size_t os_address_print_host(const os_address *a, char out[OS_ADDRESS_TEXT]);

/* A non-blocking listening socket, -1 with errno set on failure. */
int os_listen(const os_address *a, int backlog);
/* A non-blocking socket whose connection has been started, or -1. */
int os_connect(const os_address *a);
/* A peer that has vanished without a word is noticed: it is asked after 15 s of silence
 * and given up 15 s later. What was written and is not taken by the peer's machine, or
 * by a program there that does not read, ends the connection after `unread_ms`; 0: the
 * system's default. */
void os_keep_alive(int fd, unsigned unread_ms);
/* Where a socket is bound. */
mt_err os_address_of(int fd, os_address *out);

#endif
