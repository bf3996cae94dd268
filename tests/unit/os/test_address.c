/* Host and port as text. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/address.h"

static const struct row {
    const char *text, *host, *port; /* host NULL: refused */
} ROWS[] = {
    {"127.0.0.1:8888", "127.0.0.1", "8888"},
    {"localhost:1", "localhost", "1"},
    {"[::1]:65535", "::1", "65535"},
    {"[fe80::1]:0", "fe80::1", "0"},
    {"::1:80", NULL, NULL}, /* ambiguous without brackets */
    {"host", NULL, NULL},
    {"host:", NULL, NULL},
    {":80", NULL, NULL},
    {"", NULL, NULL},
    {"host:65536", NULL, NULL},
    {"host:123456", NULL, NULL},
    {"host:-1", NULL, NULL},
    {"host:8o", NULL, NULL},
    {"host: 80", NULL, NULL},
    {"host:65535", "host", "65535"},
    {"host:00080", "host", "00080"},
    {"host:/0", NULL, NULL},
    {"host::0", NULL, NULL},
    {"[x:80", NULL, NULL},
    {"[::1:80", NULL, NULL},
    {"[]:80", NULL, NULL},
};

static void splits(void **state)
{
    const struct row *r = *state;
    char host[OS_HOST_TEXT], port[8];
    bool ok = os_address_split(r->text, host, port);
    assert_int_equal(ok, r->host != NULL);
    if (ok) {
        assert_string_equal(host, r->host);
        assert_string_equal(port, r->port);
    }
}

static void a_host_name_longer_than_any_is_refused(void **state)
{
    (void)state;
    char text[400], host[OS_HOST_TEXT], port[8];
    memset(text, 'a', 300);
    strcpy(text + 300, ":80");
    assert_false(os_address_split(text, host, port));
}

static void what_is_found_is_printed_as_it_was(void **state)
{
    (void)state;
    const char *texts[] = {"127.0.0.1:8888", "[::1]:9"};
    for (size_t i = 0; i < 2; i++) {
        os_address address;
        char out[OS_ADDRESS_TEXT];
        if (os_address_find(texts[i], &address) == MT_OK) { /* IPv6 may be missing */
            assert_int_equal(os_address_print(&address, out), strlen(texts[i]));
            assert_string_equal(out, texts[i]);
        } else {
            assert_int_equal(i, 1);
        }
    }
    os_address address;
    assert_int_equal(os_address_find("nonsense", &address), MT_E_USAGE);
}

static void the_longest_host_name_is_split(void **state)
{
    (void)state;
    char text[OS_HOST_TEXT + 8], host[OS_HOST_TEXT], port[8];
    memset(text, 'a', sizeof text);
    strcpy(text + OS_HOST_TEXT - 1, ":80");
    assert_true(os_address_split(text, host, port));
    assert_int_equal(strlen(host), OS_HOST_TEXT - 1);
    memset(text, 'a', OS_HOST_TEXT);
    strcpy(text + OS_HOST_TEXT, ":80");
    assert_false(os_address_split(text, host, port));
}

static int option(int fd, int level, int name);

/* Both ends: they never wait, are inherited by nobody, and send at once. */
static void who_listens_is_found_by_who_connects(void **state)
{
    (void)state;
    os_address address, other;
    char out[OS_ADDRESS_TEXT], host[OS_ADDRESS_TEXT];
    assert_int_equal(os_address_find("127.0.0.1:0", &address), MT_OK);
    int listening = os_listen(&address, 4);
    assert_true(listening >= 0);
    assert_int_equal(option(listening, SOL_SOCKET, SO_REUSEADDR), 1);
    assert_int_equal(os_address_of(listening, &address), MT_OK);
    assert_int_equal(os_address_print_host(&address, host), strlen("127.0.0.1"));
    assert_string_equal(host, "127.0.0.1");
    os_address_print(&address, out);
    assert_memory_equal(out, "127.0.0.1:", 10);
    assert_true(atoi(out + 10) > 0);
    int fd = os_connect(&address);
    assert_true(fd >= 0);
    int ends[] = {listening, fd};
    for (size_t i = 0; i < 2; i++) {
        assert_true(fcntl(ends[i], F_GETFL) & O_NONBLOCK);
        assert_true(fcntl(ends[i], F_GETFD) & FD_CLOEXEC);
        assert_true(option(ends[i], IPPROTO_TCP, TCP_NODELAY));
    }
    assert_int_equal(os_address_of(fd, &other), MT_OK);
    assert_int_equal(other.at.ss_family, AF_INET);
    assert_int_equal(os_listen(&address, 4), -1);
    assert_int_equal(errno, EADDRINUSE);
    close(fd);
    close(listening);
    /* Nothing listens there any more. */
    fd = os_connect(&address);
    assert_true(fd >= 0 || errno == ECONNREFUSED);
    if (fd >= 0) {
        assert_int_equal(option(fd, SOL_SOCKET, SO_ERROR), ECONNREFUSED);
        close(fd);
    }
    assert_int_equal(os_address_of(-1, &other), MT_E_IO);
    other.at.ss_family = AF_UNIX;
    assert_int_equal(os_address_print_host(&other, host), strlen("unknown"));
    assert_string_equal(host, "unknown");
}

static int option(int fd, int level, int name)
{
    int value = -1;
    socklen_t len = sizeof value;
    assert_int_equal(getsockopt(fd, level, name, &value, &len), 0);
    return value;
}

static void FA12_a_vanished_peer_is_asked_for(void **state)
{
    (void)state;
    int fd = socket(AF_INET, SOCK_STREAM, 0), other = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0 && other >= 0);
    os_keep_alive(fd, 1234);
    assert_int_equal(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
    assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), 15);
    assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), 5);
    assert_int_equal(option(fd, IPPROTO_TCP, TCP_KEEPCNT), 3);
    assert_int_equal(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 1234);
    os_keep_alive(other, 0);
    assert_int_equal(option(other, IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
    close(fd);
    close(other);
}

int main(void)
{
    enum { COUNT = sizeof ROWS / sizeof *ROWS };
    struct CMUnitTest tests[COUNT + 5] = {
        cmocka_unit_test(a_host_name_longer_than_any_is_refused),
        cmocka_unit_test(what_is_found_is_printed_as_it_was),
        cmocka_unit_test(the_longest_host_name_is_split),
        cmocka_unit_test(who_listens_is_found_by_who_connects),
        cmocka_unit_test(FA12_a_vanished_peer_is_asked_for),
    };
    for (size_t i = 0; i < COUNT; i++) {
        tests[5 + i] =
            (struct CMUnitTest){ROWS[i].text[0] ? ROWS[i].text : "empty", splits, NULL,
                                NULL, (void *)(uintptr_t)&ROWS[i]};
    }
    return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
