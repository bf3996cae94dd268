#include "ledger/chain.h"

static void grow(lg_chain *c, const mt_sha256 *hash)
{
    c->head = *hash;
    lg_frontier_add(&c->tree, lg_leaf(hash));
}

lg_entry lg_chain_append(lg_chain *c, mt_str body)
{
    lg_entry e = {.seq = c->tree.size, .prev = c->head, .body = body};
    e.hash = lg_hash(&c->head, body);
    grow(c, &e.hash);
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
    grow(c, &hash);
    return MT_OK;
}

lg_checkpoint lg_chain_checkpoint(const lg_chain *c, mt_str domain)
{
    return (lg_checkpoint){.domain = domain,
                           .size = c->tree.size,
                           .head = c->head,
                           .root = lg_frontier_root(&c->tree)};
}
