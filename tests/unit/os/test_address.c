/* Host and port as text. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
    struct CMUnitTest tests[COUNT + 3] = {
        cmocka_unit_test(a_host_name_longer_than_any_is_refused),
        cmocka_unit_test(what_is_found_is_printed_as_it_was),
        cmocka_unit_test(FA12_a_vanished_peer_is_asked_for),
    };
    for (size_t i = 0; i < COUNT; i++) {
        tests[3 + i] =
            (struct CMUnitTest){ROWS[i].text[0] ? ROWS[i].text : "empty", splits, NULL,
                                NULL, (void *)(uintptr_t)&ROWS[i]};
    }
    return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
