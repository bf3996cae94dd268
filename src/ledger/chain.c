#include "ledger/chain.h"

void lg_chain_grow(lg_chain *c, const mt_sha256 *hash)
{
    c->head = *hash;
    lg_frontier_add(&c->tree, lg_leaf(hash));
}

lg_entry lg_chain_append(lg_chain *c, mt_str body)
{
    lg_entry e = {.seq = c->tree.size, .prev = c->head, .body = body};
    e.hash = lg_hash(&c->head, body);
    lg_chain_grow(c, &e.hash);
    return e;
}

mt_err lg_chain_accept(lg_chain *c, const lg_entry *entry)
{
    mt_sha256 hash = lg_hash(&c->head, entry->body);
    bool next = entry->seq == c->tree.size &&
                memcmp(&entry->prev, &c->head, sizeof c->head) == 0 &&
                memcmp(&entry->hash, &hash, sizeof hash) == 0;
    if (!next) {
        return MT_E_CORRUPT;
    }
    lg_chain_grow(c, &hash);
    return MT_OK;
}

lg_checkpoint lg_chain_checkpoint(const lg_chain *c, mt_str domain)
{
    return (lg_checkpoint){.domain = domain,
                           .size = c->tree.size,
                           .head = c->head,
                           .root = lg_frontier_root(&c->tree)};
}

/* "SIZE HEAD ROOT...": the roots of the full subtrees, lowest first. */
void lg_chain_write(mt_buf *out, const lg_chain *c)
{
    char hex[MT_SHA256_HEX];
    mt_buf_add_u64(out, c->tree.size);
    mt_hex(c->head.bytes, MT_SHA256_BYTES, hex);
    mt_buf_addc(out, ' ');
    mt_buf_add(out, hex, sizeof hex);
    for (unsigned level = 0; level < 64; level++) {
        if (c->tree.size >> level & 1) {
            mt_hex(c->tree.roots[level].bytes, MT_SHA256_BYTES, hex);
            mt_buf_addc(out, ' ');
            mt_buf_add(out, hex, sizeof hex);
        }
    }
}

static bool take_size(mt_str *rest, uint64_t *out)
{
    size_t digits = mt_str_find(*rest, ' ');
    *out = 0;
    if (!digits || digits > 18 || digits == rest->len) {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        if (rest->ptr[i] < '0' || rest->ptr[i] > '9') {
            return false;
        }
        *out = *out * 10 + (uint64_t)(rest->ptr[i] - '0');
    }
    *rest = mt_str_skip(*rest, digits);
    return true;
}

static bool take_digest(mt_str *rest, mt_sha256 *out)
{
    if (rest->len < 1 + MT_SHA256_HEX || rest->ptr[0] != ' ' ||
        !mt_unhex(mt_str_from(rest->ptr + 1, MT_SHA256_HEX), out->bytes,
                  MT_SHA256_BYTES)) {
        return false;
    }
    *rest = mt_str_skip(*rest, 1 + MT_SHA256_HEX);
    return true;
}

mt_err lg_chain_read(mt_str text, lg_chain *out)
{
    mt_str rest = text;
    *out = (lg_chain){0};
    bool good = take_size(&rest, &out->tree.size) && take_digest(&rest, &out->head);
    for (unsigned level = 0; good && level < 64; level++) {
        if (out->tree.size >> level & 1) {
            good = take_digest(&rest, &out->tree.roots[level]);
        }
    }
    return good && !rest.len ? MT_OK : MT_E_CORRUPT;
}
