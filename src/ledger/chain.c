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

bool lg_chain_agrees(const lg_chain *c, const lg_checkpoint *point)
{
    mt_sha256 root = lg_frontier_root(&c->tree);
    return point->size == c->tree.size &&
           memcmp(&point->head, &c->head, sizeof c->head) == 0 &&
           memcmp(&point->root, &root, sizeof root) == 0;
}

lg_checkpoint lg_chain_checkpoint(const lg_chain *c, mt_str domain)
{
    return (lg_checkpoint){.domain = domain,
                           .size = c->tree.size,
                           .head = c->head,
                           .root = lg_frontier_root(&c->tree)};
}

void lg_chain_write(mt_buf *out, const lg_chain *c)
{
    if (!c->tree.size) {
        return;
    }
    mt_buf_add_hex(out, c->head.bytes, MT_SHA256_BYTES);
    for (unsigned level = 0; level < 64; level++) {
        if (c->tree.size >> level & 1) {
            mt_buf_addc(out, ' ');
            mt_buf_add_hex(out, c->tree.roots[level].bytes, MT_SHA256_BYTES);
        }
    }
}

static bool take_digest(mt_str *rest, mt_sha256 *out)
{
    bool good = rest->len >= MT_SHA256_HEX &&
                mt_unhex_lower(mt_str_from(rest->ptr, MT_SHA256_HEX), out->bytes,
                               MT_SHA256_BYTES);
    *rest = mt_str_skip(*rest, MT_SHA256_HEX);
    return good;
}

static bool take_space(mt_str *rest)
{
    bool good = rest->len && rest->ptr[0] == ' ';
    *rest = mt_str_skip(*rest, 1);
    return good;
}

mt_err lg_chain_read(mt_str text, uint64_t size, lg_chain *out)
{
    *out = (lg_chain){.tree.size = size};
    bool good = !size || take_digest(&text, &out->head);
    for (unsigned level = 0; good && level < 64; level++) {
        if (size >> level & 1) {
            good = take_space(&text) && take_digest(&text, &out->tree.roots[level]);
        }
    }
    return good && !text.len ? MT_OK : MT_E_CORRUPT;
}
