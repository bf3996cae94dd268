/* Which origins and addresses a contract may have fetched. */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "../rows.h"
#include "adapter/gate.h"
#include "base/json_read.h"

static struct sockaddr_storage address_of(const char *text)
{
    struct sockaddr_storage out = {0};
    struct sockaddr_in *four = (struct sockaddr_in *)&out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&out;
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        out.ss_family = AF_INET;
    } else if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
        out.ss_family = AF_INET6;
    }
    return out;
}

/* May a name lead there when nothing is listed? */
static bool is_public(const struct sockaddr_storage *at)
{
    ad_gate none = {0};
    return ad_gate_address(&none, MT_STR("a.example"), (const struct sockaddr *)at);
}

static const struct at {
    const char *name; /* the address */
    bool public;
} ADDRESSES[] = {
    {"8.8.8.8", true},
    {"1.0.0.1", true},
    {"0.0.0.0", false},
    {"0.255.255.255", false},
    {"9.255.255.255", true},
    {"10.0.0.0", false},
    {"10.255.255.255", false},
    {"11.0.0.0", true},
    {"100.63.255.255", true},
    {"100.64.0.0", false},
    {"100.127.255.255", false},
    {"100.128.0.0", true},
    {"126.255.255.255", true},
    {"127.0.0.1", false},
    {"127.255.255.254", false},
    {"128.0.0.0", true},
    {"169.253.255.255", true},
    {"169.254.169.254", false},
    {"169.255.0.0", true},
    {"172.15.255.255", true},
    {"172.16.0.0", false},
    {"172.31.255.255", false},
    {"172.32.0.0", true},
    {"192.0.0.1", false},
    {"192.0.1.0", true},
    {"192.0.2.1", false},
    {"192.88.99.1", false},
    {"192.167.255.255", true},
    {"192.168.0.0", false},
    {"192.168.255.255", false},
    {"192.169.0.0", true},
    {"198.17.255.255", true},
    {"198.18.0.0", false},
    {"198.19.255.255", false},
    {"198.20.0.0", true},
    {"198.51.100.7", false},
    {"203.0.113.7", false},
    {"223.255.255.255", true},
    {"224.0.0.1", false},
    {"239.255.255.255", false},
    {"240.0.0.1", false},
    {"255.255.255.255", false},
    {"::", false},
    {"::1", false},
    {"::127.0.0.1", false},
    {"::8.8.8.8", false},
    {"::ffff:8.8.8.8", true},
    {"::ffff:127.0.0.1", false},
    {"::ffff:10.1.2.3", false},
    {"::ffff:169.254.169.254", false},
    {"::ffff:0:127.0.0.1", false},
    {"64:ff9b::8.8.8.8", false},
    {"64:ff9b::127.0.0.1", false},
    {"64:ff9b:1::1", false},
    {"100::1", false},
    {"1fff:ffff::1", false},
    {"2000::1", true},
    {"2001::1", false},
    {"2001:1ff::1", false},
    {"2001:200::1", true},
    {"2001:db8::1", false},
    {"2001:db9::1", true},
    {"2002:7f00:1::", false},
    {"2003::1", true},
    {"2606:4700::1111", true},
    {"3ffe::1", true},
    {"3fff::1", false},
    {"3fff:1000::1", true},
    {"4000::1", false},
    {"5f00::1", false},
    {"fc00::1", false},
    {"fdff::1", false},
    {"fe80::1", false},
    {"fec0::1", false},
    {"ff02::1", false},
};

static void is_public_or_not(void **state)
{
    const struct at *row = *state;
    struct sockaddr_storage at = address_of(row->name);
    assert_int_equal(is_public(&at), row->public);
}

static const struct network {
    const char *name, *inside, *outside; /* inside NULL: refused */
} NETWORKS[] = {
    {"10.0.0.0/8", "10.255.0.1", "11.0.0.0"},
    {"10.0.0.0/9", "10.127.255.255", "10.128.0.0"},
    {"192.168.1.4", "192.168.1.4", "192.168.1.5"},
    {"192.168.1.4/30", "::ffff:192.168.1.7", "192.168.1.8"},
    {"0.0.0.0/0", "127.0.0.1", "::1"},
    {"::/0", "127.0.0.1", NULL},
    {"::1", "::1", "::2"},
    {"fd00::/8", "fdff::1", "fc00::1"},
    {"64:ff9b::/96", "64:ff9b::10.0.0.1", "64:ff9b:1::1"},
    {"::ffff:10.0.0.0/104", "10.1.1.1", "11.1.1.1"},
    {"10.0.0.1/8", NULL, NULL},
    {"10.0.0.0/33", NULL, NULL},
    {"10.0.0.0/", NULL, NULL},
    {"10.0.0.0/8x", NULL, NULL},
    {"10.0.0.0/0008", NULL, NULL},
    {"10.0.0.0/-8", NULL, NULL},
    {"10.0.0", NULL, NULL},
    {"fd00::/129", NULL, NULL},
    {"fe80::1%lo", NULL, NULL},
    {"localhost", NULL, NULL},
    {"/8", NULL, NULL},
    {"", NULL, NULL},
};

static void network_holds(void **state)
{
    const struct network *row = *state;
    ad_network n;
    assert_int_equal(ad_network_read(mt_str_z(row->name), &n), row->inside != NULL);
    if (!row->inside) {
        return;
    }
    ad_gate gate = {.networks = &n, .network_count = 1};
    struct sockaddr_storage at = address_of(row->inside);
    assert_true(ad_gate_address(&gate, MT_STR("x"), (struct sockaddr *)&at));
    at = address_of(row->outside ? row->outside : row->inside);
    assert_int_equal(ad_gate_address(&gate, MT_STR("x"), (struct sockaddr *)&at),
                     !row->outside || is_public(&at));
}

static const struct written {
    const char *name, *host, *at;
    bool allowed;
} WRITTEN[] = {
    {"an address that is named is meant", "127.0.0.1", "127.0.0.1", true},
    {"and no other", "127.0.0.1", "127.0.0.2", false},
    {"as it is mapped", "127.0.0.1", "::ffff:127.0.0.1", true},
    {"or written mapped", "::ffff:10.0.0.1", "10.0.0.1", true},
    {"of IPv6, too", "fd00::1", "fd00:0::1", true},
    {"with the name of its link", "fe80::1%eth0", "fe80::1", true},
    {"localhost is this machine", "localhost", "127.0.0.1", true},
    {"in IPv6, too", "localhost", "::1", true},
    {"and nothing else", "localhost", "10.0.0.1", false},
    {"a name under it is a name", "a.localhost", "127.0.0.1", false},
    {"a name is no address", "10.0.0.1.example", "10.0.0.1", false},
    {"no name is no address", "", "127.0.0.1", false},
};

static void is_what_was_written(void **state)
{
    const struct written *row = *state;
    ad_gate none = {0};
    struct sockaddr_storage at = address_of(row->at);
    assert_int_equal(
        ad_gate_address(&none, mt_str_z(row->host), (struct sockaddr *)&at),
        row->allowed);
}

static const struct url {
    const char *name, *origin, *host; /* origin NULL: refused */
    bool user, path;
} URLS[] = {
    {"https://a.example", "https://a.example", "a.example", false, false},
    {"HTTPS://A.Example:443/", "https://a.example", "a.example", false, false},
    {"http://a.example:80", "http://a.example", "a.example", false, false},
    {"http://a.example:443/x", "http://a.example:443", "a.example", false, true},
    {"http://a.example?q", "http://a.example", "a.example", false, true},
    {"http://a.example#f", "http://a.example", "a.example", false, true},
    {"http://[::1]:81/", "http://[::1]:81", "::1", false, false},
    {"http://2130706433/", "http://127.0.0.1", "127.0.0.1", false, false},
    {"http://0x7f.1/", "http://127.0.0.1", "127.0.0.1", false, false},
    {"http://u:p@a.example/", "http://a.example", "a.example", true, false},
    {"http://a.example:80@b.example/", "http://b.example", "b.example", true, false},
    {"ftp://a.example/", NULL, NULL, false, false},
    {"file:///etc/passwd", NULL, NULL, false, false},
    {"gopher://a.example/", NULL, NULL, false, false},
    {"a.example", NULL, NULL, false, false},
    {"//a.example", NULL, NULL, false, false},
    {"http://", NULL, NULL, false, false},
    {"http://a.example:99999/", NULL, NULL, false, false},
    {"http://a.example /", NULL, NULL, false, false},
    {"http://a.example\r\nX: y", NULL, NULL, false, false},
    {"", NULL, NULL, false, false},
};

static void url_is_taken_apart(void **state)
{
    const struct url *row = *state;
    mt_arena a = {0};
    ad_url url = {0};
    assert_int_equal(ad_url_read(&a, mt_str_z(row->name), &url), row->origin != NULL);
    if (row->origin) {
        assert_text(url.origin, mt_str_z(row->origin));
        assert_text(url.host, mt_str_z(row->host));
        assert_int_equal(url.has_user, row->user);
        assert_int_equal(url.has_path, row->path);
    }
    mt_arena_free(&a);
}

static void a_family_that_is_none_is_refused(void **state)
{
    (void)state;
    ad_network all;
    struct sockaddr_storage at = {.ss_family = AF_UNIX};
    assert_true(ad_network_read(MT_STR("::/0"), &all));
    ad_gate gate = {.networks = &all, .network_count = 1};
    assert_false(ad_gate_address(&gate, MT_STR("x"), (struct sockaddr *)&at));
    assert_false(is_public(&at));
}

static void origins_are_compared_whole(void **state)
{
    (void)state;
    mt_arena a = {0};
    mt_json tree;
    mt_buf why = {0};
    ad_gate gate;
    assert_int_equal(mt_json_read(&a,
                                  MT_STR("{\"origins\":[\"HTTPS://a.example:443/\"]}"),
                                  NULL, &tree, NULL),
                     MT_OK);
    assert_int_equal(ad_gate_read(&a, &tree, &gate, &why), MT_OK);
    assert_true(ad_gate_origin(&gate, MT_STR("https://a.example")));
    assert_false(ad_gate_origin(&gate, MT_STR("http://a.example")));
    assert_false(ad_gate_origin(&gate, MT_STR("https://a.example:444")));
    assert_false(ad_gate_origin(&gate, MT_STR("https://b.a.example")));
    assert_false(ad_gate_origin(&gate, MT_STR("")));
    assert_int_equal(ad_gate_read(&a, NULL, &gate, &why), MT_OK);
    assert_false(ad_gate_origin(&gate, MT_STR("https://a.example")));
    mt_buf_free(&why);
    mt_arena_free(&a);
}

static const struct config {
    const char *name, *why; /* why NULL: accepted */
} CONFIGS[] = {
    {"{}", NULL},
    {"{\"origins\":[],\"networks\":[]}", NULL},
    {"{\"origins\":[\"http://a\"],\"networks\":[\"::1\",\"10.0.0.0/8\"]}", NULL},
    {"[]", "object"},
    {"{\"origin\":[]}", "is not a key"},
    {"{\"origins\":{}}", "list of texts"},
    {"{\"networks\":\"10.0.0.0/8\"}", "list of texts"},
    {"{\"origins\":[3]}", "list of texts"},
    {"{\"origins\":[\"*\"]}", "not an origin"},
    {"{\"origins\":[\"https://a/b\"]}", "not an origin"},
    {"{\"origins\":[\"https://u@a\"]}", "not an origin"},
    {"{\"origins\":[\"http://a\\u0000b\"]}", "not an origin"},
    {"{\"networks\":[null]}", "list of texts"},
    {"{\"networks\":[\"10.0.0.0/8\",\"10.0.0.1/8\"]}", "not a network"},
};

static void configuration_is_read(void **state)
{
    const struct config *row = *state;
    mt_arena a = {0};
    mt_json tree;
    mt_buf why = {0};
    ad_gate gate;
    assert_int_equal(mt_json_read(&a, mt_str_z(row->name), NULL, &tree, NULL), MT_OK);
    mt_err err = ad_gate_read(&a, &tree, &gate, &why);
    assert_int_equal(err, row->why ? MT_E_REJECTED : MT_OK);
    mt_buf_addc(&why, 0);
    assert_true(!row->why || strstr(why.ptr, row->why));
    mt_buf_free(&why);
    mt_arena_free(&a);
}

static mt_err read_many(size_t count)
{
    mt_arena a = {0};
    mt_buf text = {0}, why = {0};
    mt_json tree;
    ad_gate gate;
    mt_buf_addz(&text, "{\"networks\":[");
    for (size_t i = 0; i < count; i++) {
        mt_buf_addz(&text, i ? ",\"::1\"" : "\"::1\"");
    }
    mt_buf_addz(&text, "]}");
    assert_int_equal(mt_json_read(&a, mt_buf_str(&text), NULL, &tree, NULL), MT_OK);
    mt_err err = ad_gate_read(&a, &tree, &gate, &why);
    mt_buf_free(&text);
    mt_buf_free(&why);
    mt_arena_free(&a);
    return err;
}

static void a_thousand_are_listed_and_no_more(void **state)
{
    (void)state;
    assert_int_equal(read_many(1000), MT_OK);
    assert_int_equal(read_many(1001), MT_E_REJECTED);
}

int main(void)
{
    rows_list list = {0};
    rows_add(&list, ADDRESSES, is_public_or_not);
    rows_add(&list, NETWORKS, network_holds);
    rows_add(&list, WRITTEN, is_what_was_written);
    rows_add(&list, URLS, url_is_taken_apart);
    rows_add(&list, CONFIGS, configuration_is_read);
    rows_test(&list, a_family_that_is_none_is_refused);
    rows_test(&list, origins_are_compared_whole);
    rows_test(&list, a_thousand_are_listed_and_no_more);
    return rows_run(&list, "adapter/gate");
}
