#include "ledger/entry.h"

#include "base/json_canonical.h"

mt_sha256 lg_hash(const mt_sha256 *prev, mt_str body)
{
    return mt_sha256_of_two(mt_str_from((const char *)prev->bytes, MT_SHA256_BYTES),
                            body);
}

void lg_entry_write(mt_buf *out, const lg_entry *entry)
{
    mt_buf_addz(out, "{\"body\":");
    mt_buf_adds(out, entry->body);
    mt_buf_addz(out, ",\"hash\":\"");
    mt_buf_add_hex(out, entry->hash.bytes, MT_SHA256_BYTES);
    mt_buf_addz(out, "\",\"prev\":\"");
    mt_buf_add_hex(out, entry->prev.bytes, MT_SHA256_BYTES);
    mt_buf_addz(out, "\",\"seq\":");
    mt_buf_add_u64(out, entry->seq);
    mt_buf_addz(out, "}\n");
}

/* Takes `literal` off the end of *rest. */
static bool drop_end(mt_str *rest, mt_str literal)
{
    if (!mt_str_ends(*rest, literal)) {
        return false;
    }
    rest->len -= literal.len;
    return true;
}

static bool drop_digest(mt_str *rest, const char **out)
{
    if (rest->len < MT_SHA256_HEX) {
        return false;
    }
    rest->len -= MT_SHA256_HEX;
    *out = rest->ptr + rest->len;
    return true;
}

/* From the end of the line, where the number stands; one spelling only, without
 * leading zeros. */
static bool drop_number(mt_str *rest, uint64_t *out)
{
    size_t digits = 0;
    while (digits < rest->len && rest->ptr[rest->len - 1 - digits] >= '0' &&
           rest->ptr[rest->len - 1 - digits] <= '9') {
        digits++;
    }
    mt_str text = mt_str_skip(*rest, rest->len - digits);
    bool ok = digits > 0 && digits < 20 && (digits == 1 || text.ptr[0] != '0');
    *out = 0;
    for (size_t i = 0; ok && i < digits; i++) {
        *out = *out * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    rest->len -= digits;
    return ok;
}

/* From the end, because everything behind the body has a fixed layout. */
mt_err lg_line_split(mt_str line, lg_line *out)
{
    static const char START[] = "{\"body\":";
    mt_str rest = line;
    bool ok =
        drop_end(&rest, MT_STR("}")) && drop_number(&rest, &out->seq) &&
        drop_end(&rest, MT_STR("\",\"seq\":")) && drop_digest(&rest, &out->prev) &&
        drop_end(&rest, MT_STR("\",\"prev\":\"")) && drop_digest(&rest, &out->hash) &&
        drop_end(&rest, MT_STR(",\"hash\":\"")) && mt_str_starts(rest, mt_str_z(START));
    out->body = mt_str_skip(rest, sizeof START - 1);
    return ok ? MT_OK : MT_E_CORRUPT;
}

static bool lower_hex(const char *text, mt_sha256 *out)
{
    return mt_unhex_lower(mt_str_from(text, MT_SHA256_HEX), out->bytes,
                          MT_SHA256_BYTES);
}

mt_err lg_entry_read(mt_str line, lg_entry *out)
{
    lg_line parts;
    if (lg_line_split(line, &parts) || !lower_hex(parts.hash, &out->hash) ||
        !lower_hex(parts.prev, &out->prev)) {
        return MT_E_CORRUPT;
    }
    out->seq = parts.seq;
    out->body = parts.body;
    return MT_OK;
}

bool lg_body_check(mt_str body, lg_body *out)
{
    enum { KIND, KEY, DOMAIN, COUNT };
    mt_json_pick picks[COUNT] = {[KIND] = {.key = MT_STR_INIT("kind")},
                                 [KEY] = {.key = MT_STR_INIT("key")},
                                 [DOMAIN] = {.key = MT_STR_INIT("trust_domain")}};
    if (!mt_json_canonical(body, picks, COUNT)) {
        return false;
    }
    if (out) {
        *out = (lg_body){picks[KIND].value, picks[KEY].value, picks[DOMAIN].value};
    }
    return true;
}
