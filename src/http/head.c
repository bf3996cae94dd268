/* http/head.c - header fields, judged. Pure.
 *
 * ht_head_add() sees every field and keeps those that decide something (HT_FIELD_MAP);
 * ht_head_check() then judges what they say together: length or transfer coding, no
 * content coding, the form of an idempotency key. Where there are no tokens, host and
 * origin tell the owner of the machine from a page in the owner's browser; the
 * functions at the end answer that.
 *
 * Invariants: the first fault is the one that is told; a field that decides something
 * is taken once. Nothing fails but by being refused. Values are borrowed from the
 * connection. */
#include "http/head.h"

#include <stddef.h>
#include <stdio.h>
#include <strings.h>

static const struct field {
    mt_str name;
    size_t offset;
} FIELDS[] = {
#define FIELD_ROW(field, name) {MT_STR_INIT(name), offsetof(ht_head, field)},
    HT_FIELD_MAP(FIELD_ROW)
#undef FIELD_ROW
};

/* The first fault is told; later ones often follow from it. */
void ht_head_fault(ht_head *h, const char *text)
{
    h->fault = h->fault ? h->fault : text;
}

static bool same_name(mt_str a, mt_str b)
{
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

/* The token of RFC 9110: anything else in a name could be read differently by a proxy
 * before us. */
static bool is_token(mt_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c <= ' ' || c >= 0x7f || memchr("()<>@,;:\\\"/[]?={}", c, 17)) {
            return false;
        }
    }
    return s.len > 0;
}

/* Line ends and NUL in a value are how one answer or log line becomes two. */
static bool is_clean(mt_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

/* Counts before it looks, so that a client pays for unknown fields as well. A field of
 * the table given twice is refused, as is done with two lengths: which one counts is
 * what request smuggling plays with. */
void ht_head_add(ht_head *h, mt_str name, mt_str value)
{
    if (++h->fields > HT_HEAD_FIELDS) {
        ht_head_fault(h, "there are too many header fields");
        return;
    }
    if (!is_token(name)) {
        ht_head_fault(h, "the name of a header field is malformed");
    }
    if (!is_clean(value)) {
        ht_head_fault(h, "a header field has a control character");
    }
    if (same_name(name, MT_STR("traceparent"))) { /* decides nothing: not refused */
        h->traceparent = h->traceparent.ptr ? MT_STR("") : value;
    }
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
        if (same_name(name, FIELDS[i].name)) {
            mt_str *to = (mt_str *)(void *)((char *)h + FIELDS[i].offset);
            if (to->ptr) {
                ht_head_fault(h,
                              "a header field that may be given once is given twice");
            }
            *to = value.ptr ? value : MT_STR("");
            return;
        }
    }
}

/* At most 15 digits, so the number fits in 64 bits without a check later. */
static bool is_digits(mt_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') {
            return false;
        }
    }
    return s.len > 0 && s.len <= 15;
}

static bool is_printable(mt_str s, size_t most)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '!' || s.ptr[i] > '~') {
            return false;
        }
    }
    return s.len > 0 && s.len <= most;
}

/* After the last field. A length beside a transfer coding is the other half of request
 * smuggling and is refused whatever the two say. */
bool ht_head_check(ht_head *h)
{
    if (h->content_length.ptr && h->transfer_encoding.ptr) {
        ht_head_fault(h, "a request has a length or a transfer coding, not both");
    }
    if (h->content_length.ptr && !is_digits(h->content_length)) {
        ht_head_fault(h, "the content length is malformed");
    }
    if (h->transfer_encoding.ptr &&
        !same_name(h->transfer_encoding, MT_STR("chunked"))) {
        ht_head_fault(h, "the only transfer coding understood is chunked");
    }
    if (h->content_encoding.ptr &&
        !same_name(h->content_encoding, MT_STR("identity"))) {
        ht_head_fault(h, "bodies are taken as they are, without a content coding");
    }
    if (h->idempotency_key.ptr && !is_printable(h->idempotency_key, HT_KEY_BYTES)) {
        ht_head_fault(h, "an idempotency key is 1 to 255 printable ASCII characters");
    }
    return !h->fault;
}

/* The digits have been checked by ht_head_check(), and there are at most 15 of them. */
size_t ht_head_length(const ht_head *h, size_t otherwise)
{
    if (!h->content_length.ptr) {
        return otherwise;
    }
    size_t length = 0;
    for (size_t i = 0; i < h->content_length.len; i++) {
        length = length * 10 + (size_t)(h->content_length.ptr[i] - '0');
    }
    return length;
}

#define BLANKS MT_STR(" \t")

static bool is_type(const ht_head *h, mt_str wanted)
{
    mt_str type = h->content_type;
    size_t end = mt_str_find(type, ';');
    mt_str rest = mt_str_trim(mt_str_skip(type, end + 1), BLANKS);
    type = mt_str_trim(mt_str_from(type.ptr, end), BLANKS);
    return same_name(type, wanted) &&
           (!rest.len || same_name(rest, MT_STR("charset=utf-8")) ||
            same_name(rest, MT_STR("charset=\"utf-8\"")));
}

bool ht_head_is_json(const ht_head *h)
{
    return is_type(h, MT_STR("application/json"));
}

bool ht_head_is_lines(const ht_head *h)
{
    return is_type(h, MT_STR("application/jsonl")) ||
           is_type(h, MT_STR("application/x-ndjson"));
}

/* Weak comparison, as If-None-Match asks for. Quotes may be missing: some clients send
 * back what a JSON body showed them. */
static bool etag_is(mt_str written, mt_str etag)
{
    if (mt_str_starts(written, MT_STR("W/"))) {
        written = mt_str_skip(written, 2);
    }
    if (written.len >= 2 && written.ptr[0] == '"' &&
        written.ptr[written.len - 1] == '"') {
        written = mt_str_from(written.ptr + 1, written.len - 2);
    }
    return mt_str_eq(written, etag);
}

/* A list by commas. Etags of ours have none inside, so splitting is exact. */
bool ht_head_has_etag(const ht_head *h, mt_str etag)
{
    for (mt_str rest = h->if_none_match; rest.len;) {
        size_t end = mt_str_find(rest, ',');
        mt_str one = mt_str_trim(mt_str_from(rest.ptr, end), BLANKS);
        if (mt_str_is(one, "*") || etag_is(one, etag)) {
            return true;
        }
        rest = mt_str_skip(rest, end + 1);
    }
    return false;
}

/* Against DNS rebinding: a page of a foreign name that resolves to this machine still
 * sends that name in Host. */
bool ht_head_host_is_local(const ht_head *h)
{
    static const mt_str NAMES[] = {MT_STR_INIT("localhost"), MT_STR_INIT("127.0.0.1"),
                                   MT_STR_INIT("[::1]")};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        mt_str name = NAMES[i], host = h->host;
        if (host.len >= name.len && strncasecmp(host.ptr, name.ptr, name.len) == 0) {
            mt_str rest = mt_str_skip(host, name.len);
            if (!rest.len || (rest.ptr[0] == ':' && is_digits(mt_str_skip(rest, 1)))) {
                return true;
            }
        }
    }
    return false;
}

/* Browsers leave out the port that is meant without one. */
bool ht_head_host_is(const ht_head *h, mt_str name, unsigned port)
{
    enum { HTTP_PORT = 80 };
    char digits[16];
    mt_str host = h->host, rest = mt_str_skip(host, name.len);
    snprintf(digits, sizeof digits, ":%u", port);
    return host.len >= name.len && strncasecmp(host.ptr, name.ptr, name.len) == 0 &&
           (rest.len ? mt_str_eq(rest, mt_str_z(digits)) : port == HTTP_PORT);
}

/* An address, unlike a name, cannot be pointed elsewhere by whoever owns a domain. */
bool ht_head_host_is_address(const ht_head *h)
{
    mt_str host = h->host;
    if (host.len && host.ptr[0] == '[') {
        return true;
    }
    host = mt_str_from(host.ptr, mt_str_find(host, ':'));
    for (size_t i = 0; i < host.len; i++) {
        if (host.ptr[i] != '.' && (host.ptr[i] < '0' || host.ptr[i] > '9')) {
            return false;
        }
    }
    return host.len > 0;
}

bool ht_head_is_from_page(const ht_head *h)
{
    return h->origin.ptr || h->sec_fetch_site.ptr;
}

static mt_str without_scheme(mt_str origin)
{
    size_t skip = mt_str_starts(origin, MT_STR("http://"))    ? 7
                  : mt_str_starts(origin, MT_STR("https://")) ? 8
                                                              : origin.len;
    return mt_str_skip(origin, skip);
}

bool ht_head_is_own_origin(const ht_head *h)
{
    mt_str site = h->sec_fetch_site, from = without_scheme(h->origin);
    bool site_ok =
        !site.ptr || mt_str_is(site, "same-origin") || mt_str_is(site, "none");
    return site_ok && (!h->origin.ptr || (from.len && same_name(from, h->host)));
}

mt_str ht_head_cookie(const ht_head *h, mt_str name)
{
    mt_str rest = h->cookie, found = {0};
    while (rest.len) {
        size_t end = mt_str_find(rest, ';');
        mt_str one = mt_str_trim(mt_str_from(rest.ptr, end), MT_STR(" "));
        size_t sign = mt_str_find(one, '=');
        if (sign < one.len && mt_str_eq(mt_str_from(one.ptr, sign), name)) {
            if (found.ptr) {
                return (mt_str){0};
            }
            found = mt_str_skip(one, sign + 1);
        }
        rest = mt_str_skip(rest, end < rest.len ? end + 1 : end);
    }
    return found;
}

/* The id is echoed in a header and written into logs; hence the narrow alphabet. */
bool ht_head_request_id_ok(const ht_head *h)
{
    mt_str id = h->request_id;
    for (size_t i = 0; i < id.len; i++) {
        char c = id.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.')) {
            return false;
        }
    }
    return id.len > 0 && id.len <= HT_REQUEST_ID_BYTES;
}
