/* adapter/gate.c - origins and addresses, judged.
 *
 * A contract comes from outside and names addresses; the configuration decides where
 * the server goes. An origin (scheme, host, port) must be listed; an address that a
 * name resolved to must be public or in a listed network, unless the configuration
 * wrote the address itself. The judgement is made at the last moment, on the address
 * the socket will connect to.
 *
 * Invariants: addresses are compared as 16 bytes, IPv4 as ::ffff:a.b.c.d, so a mapped
 * address is the IPv4 address it stands for. Of IPv6 only what is routed as global
 * unicast is public; whatever carries an IPv4 address in disguise (NAT64, 6to4,
 * Teredo) is not, since who translates it decides where it leads. What cannot be read
 * is not allowed.
 *
 * What may fail: reading a configuration, with a sentence; nothing else. */
#include "adapter/gate.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/form.h"
#include "base/late_curl.h"

/* ---- Addresses ---- */

static const unsigned char MAPPED[12] = {[10] = 0xff, [11] = 0xff};

static void map_four(const struct in_addr *four, unsigned char out[16])
{
    memcpy(out, MAPPED, sizeof MAPPED);
    memcpy(out + sizeof MAPPED, four, 4);
}

/* False: neither IPv4 nor IPv6, which the gate never lets through. */
static bool bytes_of(const struct sockaddr *at, unsigned char out[16])
{
    if (at->sa_family == AF_INET) {
        map_four(&((const struct sockaddr_in *)(const void *)at)->sin_addr, out);
        return true;
    }
    if (at->sa_family == AF_INET6) {
        memcpy(out, &((const struct sockaddr_in6 *)(const void *)at)->sin6_addr, 16);
        return true;
    }
    return false;
}

/* An address as text, without brackets; what follows a '%' names a link. */
static bool read_address(mt_str text, unsigned char out[16], bool *four)
{
    char plain[INET6_ADDRSTRLEN];
    struct in_addr small;
    size_t len = mt_str_find(text, '%');
    if (!len || len >= sizeof plain || memchr(text.ptr, 0, len)) {
        return false;
    }
    memcpy(plain, text.ptr, len);
    plain[len] = '\0';
    *four = inet_pton(AF_INET, plain, &small) == 1;
    if (*four) {
        map_four(&small, out);
    }
    return *four || inet_pton(AF_INET6, plain, out) == 1;
}

static bool bit_of(const unsigned char bytes[16], unsigned n)
{
    return bytes[n / 8] >> (7 - n % 8) & 1;
}

static bool contains(const ad_network *n, const unsigned char bytes[16])
{
    unsigned whole = n->bits / 8;
    bool same = memcmp(n->address, bytes, whole) == 0;
    for (unsigned i = whole * 8; same && i < n->bits; i++) {
        same = bit_of(n->address, i) == bit_of(bytes, i);
    }
    return same;
}

/* One to three digits, so the number cannot overflow before it is compared. */
static bool read_bits(mt_str text, unsigned most, unsigned *out)
{
    unsigned value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || i > 2) {
            return false;
        }
        value = value * 10 + (unsigned)(text.ptr[i] - '0');
    }
    *out = value;
    return text.len && value <= most;
}

/* An IPv4 network is one inside ::ffff:0:0/96, hence 96 bits more. Bits beyond the
 * length are refused: whoever writes 10.0.0.1/8 meant something else. */
bool ad_network_read(mt_str text, ad_network *out)
{
    size_t slash = mt_str_find(text, '/');
    bool four = false;
    if (mt_str_find(text, '%') < text.len ||
        !read_address(mt_str_from(text.ptr, slash), out->address, &four)) {
        return false;
    }
    unsigned most = four ? 32 : 128, bits = most;
    if (slash < text.len && !read_bits(mt_str_skip(text, slash + 1), most, &bits)) {
        return false;
    }
    out->bits = bits + 128 - most;
    bool rest = false;
    for (unsigned i = out->bits; i < 128; i++) {
        rest |= bit_of(out->address, i);
    }
    return !rest;
}

/* What is not the internet at large, within 0.0.0.0/0 and 2000::/3 (the registries of
 * special purposes, RFC 6890 and after). All of IPv6 outside of the latter is not
 * either: loopback, mapped, NAT64, unique local, link local, multicast. */
static const char *const SPECIAL[] = {
    "0.0.0.0/8",       /* this network; reaches loopback */
    "10.0.0.0/8",      /* private */
    "100.64.0.0/10",   /* a provider's own */
    "127.0.0.0/8",     /* loopback */
    "169.254.0.0/16",  /* link local, and the clouds' metadata */
    "172.16.0.0/12",   /* private */
    "192.0.0.0/24",    /* protocol assignments */
    "192.0.2.0/24",    /* documentation */
    "192.88.99.0/24",  /* relays of 6to4 */
    "192.168.0.0/16",  /* private */
    "198.18.0.0/15",   /* benchmarks */
    "198.51.100.0/24", /* documentation */
    "203.0.113.0/24",  /* documentation */
    "224.0.0.0/3",     /* multicast, reserved, broadcast */
    "2001::/23",       /* protocol assignments, Teredo among them */
    "2001:db8::/32",   /* documentation */
    "2002::/16",       /* 6to4 */
    "3fff::/20",       /* documentation */
};

/* By what is known to be public, not by what is known to be private: a range nobody
 * thought of is closed. Addresses that carry another one inside (6to4, Teredo) are in
 * SPECIAL for that reason. */
static bool is_public(const unsigned char bytes[16])
{
    bool four = memcmp(bytes, MAPPED, sizeof MAPPED) == 0;
    if (!four && bytes[0] >> 5 != 1) { /* 2000::/3 */
        return false;
    }
    for (size_t i = 0; i < sizeof SPECIAL / sizeof *SPECIAL; i++) {
        ad_network n;
        MT_ASSERT(ad_network_read(mt_str_z(SPECIAL[i]), &n));
        if (contains(&n, bytes)) {
            return false;
        }
    }
    return true;
}

static bool is_loopback(const unsigned char bytes[16])
{
    static const unsigned char SIX[16] = {[15] = 1};
    return memcmp(bytes, SIX, 16) == 0 ||
           (memcmp(bytes, MAPPED, sizeof MAPPED) == 0 && bytes[12] == 127);
}

/* The host says itself which address it means. */
static bool is_written(mt_str host, const unsigned char bytes[16])
{
    unsigned char written[16];
    bool four;
    return mt_str_is(host, "localhost")
               ? is_loopback(bytes)
               : read_address(host, written, &four) && memcmp(written, bytes, 16) == 0;
}

/* Asked with the address the connection really goes to, after the name was resolved: a
 * name that resolves to a private address the second time (DNS rebinding) is stopped
 * here, not by looking at the URL. */
bool ad_gate_address(const ad_gate *g, mt_str host, const struct sockaddr *at)
{
    unsigned char bytes[16];
    if (!bytes_of(at, bytes)) {
        return false;
    }
    for (size_t i = 0; i < g->network_count; i++) {
        if (contains(&g->networks[i], bytes)) {
            return true;
        }
    }
    return is_public(bytes) || is_written(host, bytes);
}

/* ---- URLs ---- */

/* A part of the URL in the arena, in lower case; empty when it is not there. */
static mt_str part_of(CURLU *u, mt_arena *a, CURLUPart part, unsigned flags)
{
    char *text = NULL;
    if (curl_url_get(u, part, &text, flags) != CURLUE_OK) {
        return (mt_str){0};
    }
    mt_str copy = mt_str_dup(a, mt_str_z(text));
    char *bytes = (char *)(uintptr_t)copy.ptr;
    for (size_t i = 0; i < copy.len; i++) {
        bytes[i] =
            (char)(bytes[i] >= 'A' && bytes[i] <= 'Z' ? bytes[i] | 0x20 : bytes[i]);
    }
    curl_free(text);
    return copy;
}

/* Default ports are left out, so that an origin has one spelling. */
static bool take_apart(CURLU *u, mt_arena *a, ad_url *out)
{
    mt_str scheme = part_of(u, a, CURLUPART_SCHEME, 0);
    mt_str host = part_of(u, a, CURLUPART_HOST, 0);
    mt_str port = part_of(u, a, CURLUPART_PORT, CURLU_NO_DEFAULT_PORT);
    mt_str path = part_of(u, a, CURLUPART_PATH, 0);
    if ((!mt_str_is(scheme, "http") && !mt_str_is(scheme, "https")) || !host.len) {
        return false;
    }
    bool bracketed = host.ptr[0] == '[';
    *out = (ad_url){
        .origin = mt_strf(a, "%.*s://%.*s%s%.*s", MT_ARG(scheme), MT_ARG(host),
                          port.len ? ":" : "", MT_ARG(port)),
        .host = bracketed ? mt_str_from(host.ptr + 1, host.len - 2) : host,
        .has_user = part_of(u, a, CURLUPART_USER, 0).ptr ||
                    part_of(u, a, CURLUPART_PASSWORD, 0).ptr,
        .has_path = path.len > 1 || part_of(u, a, CURLUPART_QUERY, 0).ptr ||
                    part_of(u, a, CURLUPART_FRAGMENT, 0).ptr,
    };
    return true;
}

static bool is_printable(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return text.len > 0;
}

/* Taken apart by the library that will also go there: two parsers that disagree about a
 * URL would be a way around the gate. */
bool ad_url_read(mt_arena *a, mt_str text, ad_url *out)
{
    if (!is_printable(text) || mt_late_load(&mt_late_curl)) {
        return false;
    }
    CURLU *u = curl_url();
    bool ok = u &&
              curl_url_set(u, CURLUPART_URL, mt_str_dup(a, text).ptr, 0) == CURLUE_OK &&
              take_apart(u, a, out);
    curl_url_cleanup(u);
    return ok;
}

bool ad_gate_origin(const ad_gate *g, mt_str origin)
{
    for (size_t i = 0; i < g->origin_count; i++) {
        if (mt_str_eq(g->origins[i], origin)) {
            return true;
        }
    }
    return false;
}

/* ---- The configuration ---- */

enum { MOST_LISTED = 1000 };

typedef struct lists {
    const mt_json *origins, *networks;
} lists;

static const mt_form_row OUTGOING[] = {
    MT_FORM_TEXTS(lists, origins, "origins", 0, MOST_LISTED, 0),
    MT_FORM_TEXTS(lists, networks, "networks", 0, MOST_LISTED, 0),
};

/* An origin with a path or a user would look stricter than it is, and is refused. */
static bool read_origins(mt_form *f, const mt_json *list, ad_gate *out)
{
    mt_str *origins = mt_new_array(f->arena, mt_str, list->count);
    bool good = true;
    const char *missing = list->count ? mt_late_load(&mt_late_curl) : NULL;
    if (missing) {
        return mt_form_say(f, MT_FORM_WRONG_KIND, list, "origins", "cannot be used: %s",
                           missing);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        mt_str text = mt_json_text(&list->as.items[i]);
        ad_url url;
        if (!ad_url_read(f->arena, text, &url) || url.has_user || url.has_path) {
            good = mt_form_say(f, MT_FORM_WRONG_KIND, &list->as.items[i], "origins",
                               "has '%.*s', which is not an origin: "
                               "http(s)://HOST[:PORT], without a path",
                               MT_ARG(text));
            continue;
        }
        origins[i] = url.origin;
    }
    out->origins = origins;
    out->origin_count = list->count;
    return good;
}

/* All faults are told, so `networks` is filled even where one is wrong; the caller
 * discards it then. */
static bool read_networks(mt_form *f, const mt_json *list, ad_gate *out)
{
    ad_network *networks = mt_new_array(f->arena, ad_network, list->count);
    bool good = true;
    for (uint32_t i = 0; i < list->count; i++) {
        mt_str text = mt_json_text(&list->as.items[i]);
        if (!ad_network_read(text, &networks[i])) {
            good = mt_form_say(f, MT_FORM_WRONG_KIND, &list->as.items[i], "networks",
                               "has '%.*s', which is not a network: ADDRESS/BITS, "
                               "without bits beyond its length",
                               MT_ARG(text));
        }
    }
    out->networks = networks;
    out->network_count = list->count;
    return good;
}

/* Without `outgoing` no origin and no private network is let through. */
mt_err ad_gate_read(mt_arena *a, const mt_json *outgoing, ad_gate *out, mt_buf *why)
{
    lists found = {0};
    mt_form f = {.arena = a,
                 .path = MT_STR("outgoing"),
                 .what = "`outgoing`",
                 .report = mt_form_join,
                 .state = why};
    *out = (ad_gate){0};
    bool good = !outgoing ||
                mt_form_read(&f, outgoing, OUTGOING, mt_form_count(OUTGOING), &found);
    good &= !found.origins || read_origins(&f, found.origins, out);
    good &= !found.networks || read_networks(&f, found.networks, out);
    return good ? MT_OK : MT_E_REJECTED;
}
