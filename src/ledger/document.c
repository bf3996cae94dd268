#include "ledger/document.h"

#include "ledger/entry.h"

static const mt_str START = MT_STR_INIT("{\"document\":");
static const mt_str MIDDLE = MT_STR_INIT(",\"sha256\":\"");
static const mt_str END = MT_STR_INIT("\"}");

void lg_document_write(mt_buf *out, mt_str body)
{
    char hex[MT_SHA256_HEX];
    mt_sha256 digest = mt_sha256_of(body);
    mt_hex(digest.bytes, MT_SHA256_BYTES, hex);
    mt_buf_adds(out, START);
    mt_buf_adds(out, body);
    mt_buf_adds(out, MIDDLE);
    mt_buf_adds(out, mt_str_from(hex, sizeof hex));
    mt_buf_adds(out, END);
    mt_buf_addc(out, '\n');
}

bool lg_is_document(mt_str line)
{
    return mt_str_starts(line, START);
}

mt_err lg_document_read(mt_str line, mt_str *body, mt_str *digest)
{
    size_t around = START.len + MIDDLE.len + MT_SHA256_HEX + END.len;
    if (!lg_is_document(line) || line.len <= around) {
        return MT_E_CORRUPT;
    }
    mt_str rest = mt_str_skip(line, START.len);
    *body = mt_str_from(rest.ptr, line.len - around);
    rest = mt_str_skip(rest, body->len);
    *digest = mt_str_from(rest.ptr + MIDDLE.len, MT_SHA256_HEX);
    char hex[MT_SHA256_HEX];
    mt_sha256 made = mt_sha256_of(*body);
    mt_hex(made.bytes, MT_SHA256_BYTES, hex);
    bool good = mt_str_starts(rest, MIDDLE) && mt_str_ends(rest, END) &&
                mt_str_eq(*digest, mt_str_from(hex, sizeof hex)) &&
                lg_body_check(*body, NULL);
    return good ? MT_OK : MT_E_CORRUPT;
}
