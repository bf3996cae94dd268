/* bench/relay_process.h - a relay in a process of its own, and talking to it. */
#ifndef BENCH_RELAY_PROCESS_H
#define BENCH_RELAY_PROCESS_H

#include <sys/types.h>

#include "net/relay.h"
#include "os/address.h"

/* What cannot be done ends the benchmark, with errno's reason. */
_Noreturn void bench_die(const char *what);

/* Starts a relay on a free port of this machine, which *at gets. */
pid_t bench_relay_start(const nt_relay_config *config, os_address *at);

/* False: the peer is gone. */
bool bench_send_all(int fd, const char *from, size_t len);

#endif
