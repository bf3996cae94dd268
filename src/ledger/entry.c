#include "ledger/entry.h"

#include "base/json_write.h"

mt_sha256 lg_hash(const mt_sha256 *prev, mt_str body)
{
    return mt_sha256_of_two(mt_str_from((const char *)prev->bytes, MT_SHA256_BYTES),
                            body);
}

static void add_hex(mt_buf *out, const mt_sha256 *digest)
{
    char hex[MT_SHA256_HEX];
    mt_hex(digest->bytes, MT_SHA256_BYTES, hex);
    mt_buf_add(out, hex, sizeof hex);
}

void lg_entry_write(mt_buf *out, const lg_entry *entry)
{
    mt_buf_addz(out, "{\"body\":");
    mt_buf_adds(out, entry->body);
    mt_buf_addz(out, ",\"hash\":\"");
    add_hex(out, &entry->hash);
    mt_buf_addz(out, "\",\"prev\":\"");
    add_hex(out, &entry->prev);
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

static bool drop_hex(mt_str *rest, mt_sha256 *out)
{
    if (rest->len < MT_SHA256_HEX) {
        return false;
    }
    mt_str hex = mt_str_skip(*rest, rest->len - MT_SHA256_HEX);
    for (size_t i = 0; i < hex.len; i++) {
        if (hex.ptr[i] >= 'A' && hex.ptr[i] <= 'F') {
            return false; /* one spelling only */
        }
    }
    rest->len -= MT_SHA256_HEX;
    return mt_unhex(hex, out->bytes, MT_SHA256_BYTES);
}

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
mt_err lg_entry_read(mt_str line, lg_entry *out)
{
    static const char START[] = "{\"body\":";
    mt_str rest = line;
    bool ok = drop_end(&rest, MT_STR("}")) && drop_number(&rest, &out->seq) &&
              drop_end(&rest, MT_STR("\",\"seq\":")) && drop_hex(&rest, &out->prev) &&
              drop_end(&rest, MT_STR("\",\"prev\":\"")) &&
              drop_hex(&rest, &out->hash) && drop_end(&rest, MT_STR(",\"hash\":\"")) &&
              mt_str_starts(rest, mt_str_z(START));
    out->body = mt_str_skip(rest, sizeof START - 1);
    return ok ? MT_OK : MT_E_CORRUPT;
}

bool lg_body_check(mt_arena *scratch, mt_str body)
{
    mt_json node;
    mt_buf again = {0};
    bool good =
        !mt_json_read(scratch, body, NULL, &node, NULL) && node.type == MT_JSON_OBJECT;
    if (good) {
        mt_json_write(&again, &node, false);
        good = mt_str_eq(mt_buf_str(&again), body);
    }
    mt_buf_free(&again);
    return good;
}
