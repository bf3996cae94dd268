/* Connections: counted, timed, and sent away for newcomers. */
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../rows.h"
#include "http/peers.h"

typedef struct guest {
    ht_peer *peer;
    int here, there; /* the two ends */
} guest;

static struct sockaddr_in from_address(uint32_t host)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    at.sin_addr.s_addr = htonl(host);
    return at;
}

static guest come_in(ht_peers *p, uint32_t host, int64_t now_ms)
{
    int ends[2];
    struct sockaddr_in at = from_address(host);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ht_peer *peer = ht_peers_add(p, ends[0], (const struct sockaddr *)&at, now_ms);
    return (guest){peer, ends[0], ends[1]};
}

static void go(ht_peers *p, guest *g)
{
    ht_peers_remove(p, g->peer);
    close(g->here);
    close(g->there);
}

static bool is_shut(const guest *g)
{
    char byte;
    return recv(g->there, &byte, 1, MSG_DONTWAIT) == 0;
}

static void who_waits_too_long_is_sent_away(void **state)
{
    (void)state;
    ht_peer_limits limits = {.connections = 10, .seconds = {[HT_WAITING] = 5}};
    ht_peers *p = ht_peers_new(&limits);
    guest a = come_in(p, 1, 1000), b = come_in(p, 1, 2000);
    ht_peers_now(p, a.peer, HT_SERVED, 3000);
    assert_int_equal(ht_peers_sweep(p, 7000), 0);
    assert_int_equal(ht_peers_sweep(p, 7001), 1);
    assert_true(is_shut(&b));
    assert_false(is_shut(&a)); /* being served is never too long */
    assert_int_equal(ht_peers_sweep(p, 99999), 0);
    go(p, &a);
    go(p, &b);
    ht_peers_free(p);
}

static void the_longest_idle_makes_room(void **state)
{
    (void)state;
    ht_peer_limits limits = {.connections = 16};
    ht_peers *p = ht_peers_new(&limits);
    guest g[9];
    for (int i = 0; i < 8; i++) {
        g[i] = come_in(p, 1, i);
    }
    ht_peers_now(p, g[0].peer, HT_SENDING, 20);
    g[8] = come_in(p, 1, 30);
    assert_false(is_shut(&g[0]));
    assert_true(is_shut(&g[1]));
    assert_false(is_shut(&g[2]));
    ht_peer_counts counts;
    ht_peers_count(p, &counts);
    assert_int_equal(counts.evicted, 1);
    for (int i = 0; i < 9; i++) {
        go(p, &g[i]);
    }
    ht_peers_count(p, &counts);
    assert_int_equal(counts.open, 0);
    ht_peers_free(p);
}

static void a_full_house_admits_nobody(void **state)
{
    (void)state;
    ht_peer_limits limits = {.connections = 2};
    ht_peers *p = ht_peers_new(&limits);
    guest a = come_in(p, 1, 0), b = come_in(p, 1, 0);
    struct sockaddr_in at = from_address(2);
    assert_false(ht_peers_admit(p, (const struct sockaddr *)&at, 0));
    go(p, &a);
    assert_true(ht_peers_admit(p, (const struct sockaddr *)&at, 0));
    go(p, &b);
    ht_peers_free(p);
}

static void one_address_has_its_share_only(void **state)
{
    (void)state;
    ht_peer_limits limits = {.connections = 100, .per_address = 2};
    ht_peers *p = ht_peers_new(&limits);
    guest a = come_in(p, 0x0a000001, 1), b = come_in(p, 0x0a000001, 1);
    struct sockaddr_in same = from_address(0x0a000001),
                       other = from_address(0x0a000002);
    assert_false(ht_peers_admit(p, (const struct sockaddr *)&same, 1));
    assert_true(ht_peers_admit(p, (const struct sockaddr *)&other, 1));
    go(p, &a);
    assert_true(ht_peers_admit(p, (const struct sockaddr *)&same, 1));
    go(p, &b);
    ht_peers_free(p);
}

static void requests_are_counted_by_address(void **state)
{
    (void)state;
    ht_peer_limits limits = {.connections = 100, .rate_per_minute = 60};
    ht_peers *p = ht_peers_new(&limits);
    guest a = come_in(p, 0x0a000001, 1), b = come_in(p, 0x0a000001, 1);
    guest c = come_in(p, 0x0a000002, 1), local = come_in(p, 0x7f000001, 1);
    int given = 0;
    for (int i = 0; i < 100; i++) {
        given += ht_peers_take(p, i % 2 ? a.peer : b.peer, 1);
        assert_true(ht_peers_take(p, local.peer, 1));
    }
    assert_int_equal(given, 60);
    assert_true(ht_peers_take(p, c.peer, 1));
    assert_true(ht_peers_take(p, a.peer, 1002));
    go(p, &a);
    go(p, &b);
    go(p, &c);
    go(p, &local);
    ht_peers_free(p);
}

/* Everything that happens is counted once, and what they do now. */
static void everything_is_counted(void **state)
{
    (void)state;
    ht_peer_limits limits = {.connections = 4,
                             .per_address = 3,
                             .rate_per_minute = 2,
                             .rate_local = true,
                             .seconds = {[HT_WAITING] = 5, [HT_SENDING] = 5}};
    ht_peers *p = ht_peers_new(&limits);
    struct sockaddr_in one = from_address(0x7f000001), two = from_address(2);
    const struct sockaddr *first = (const struct sockaddr *)&one;
    const struct sockaddr *second = (const struct sockaddr *)&two;
    guest a = come_in(p, 0x7f000001, 1), b = come_in(p, 0x7f000001, 1);
    assert_true(ht_peers_admit(p, first, 1));
    guest c = come_in(p, 0x7f000001, 1);
    assert_false(ht_peers_admit(p, first, 1)); /* its share is used up */
    assert_true(ht_peers_admit(p, second, 1));
    for (int i = 0; i < 4; i++) { /* this machine is limited, too */
        assert_int_equal(ht_peers_take(p, a.peer, 1), i < 2);
    }
    ht_peers_now(p, a.peer, HT_SENDING, 2000);
    ht_peers_now(p, b.peer, HT_SERVED, 2000);
    ht_peer_counts counts;
    ht_peers_count(p, &counts);
    assert_int_equal(counts.open, 3);
    assert_int_equal(counts.accepted, 3);
    assert_int_equal(counts.refused, 1);
    assert_int_equal(counts.limited, 2);
    assert_int_equal(counts.expired, 0);
    assert_int_equal(counts.doing[HT_WAITING], 1);
    assert_int_equal(counts.doing[HT_SENDING], 1);
    assert_int_equal(counts.doing[HT_SERVED], 1);
    assert_int_equal(ht_peers_sweep(p, 5001), 0);
    assert_int_equal(ht_peers_sweep(p, 5002), 1);
    assert_int_equal(ht_peers_sweep(p, 7000), 0);
    assert_int_equal(ht_peers_sweep(p, 7001), 1);
    ht_peers_count(p, &counts);
    assert_int_equal(counts.expired, 2);
    assert_int_equal(counts.open, 3); /* until their owners see it */
    assert_int_equal(counts.doing[HT_SERVED], 3);
    go(p, &a);
    go(p, &b);
    go(p, &c);
    ht_peers_count(p, &counts);
    assert_int_equal(counts.open, 0);
    assert_int_equal(counts.accepted, 3);
    ht_peers_free(p);
}

/* An address of the sixth version that stands for one of the fourth is the same one. */
static void both_versions_of_an_address_are_one(void **state)
{
    (void)state;
    ht_peer_limits limits = {.connections = 10, .per_address = 1};
    ht_peers *p = ht_peers_new(&limits);
    guest a = come_in(p, 0x0a000001, 1);
    struct sockaddr_in6 same = {.sin6_family = AF_INET6}, other = same;
    same.sin6_addr.s6_addr[10] = same.sin6_addr.s6_addr[11] = 0xff;
    same.sin6_addr.s6_addr[12] = 10;
    same.sin6_addr.s6_addr[15] = 1;
    other.sin6_addr.s6_addr[15] = 7;
    assert_false(ht_peers_admit(p, (const struct sockaddr *)&same, 1));
    assert_true(ht_peers_admit(p, (const struct sockaddr *)&other, 1));
    go(p, &a);
    ht_peers_free(p);
}

int main(void)
{
    rows_list list = {0};
    rows_test(&list, everything_is_counted);
    rows_test(&list, both_versions_of_an_address_are_one);
    rows_test(&list, who_waits_too_long_is_sent_away);
    rows_test(&list, the_longest_idle_makes_room);
    rows_test(&list, a_full_house_admits_nobody);
    rows_test(&list, one_address_has_its_share_only);
    rows_test(&list, requests_are_counted_by_address);
    return rows_run(&list, "http/peers");
}
