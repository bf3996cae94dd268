#include "ledger/verify.h"

typedef struct check {
    const lg_expectation *expect;
    lg_finding *found;
    mt_arena scratch;
} check;

static bool same(const mt_sha256 *a, const mt_sha256 *b)
{
    return memcmp(a->bytes, b->bytes, MT_SHA256_BYTES) == 0;
}

/* Does the ledger so far agree with a checkpoint of its size? */
static bool agrees(const lg_chain *chain, const lg_checkpoint *c)
{
    mt_sha256 root = lg_frontier_root(&chain->tree);
    return same(&chain->head, &c->head) && same(&root, &c->root);
}

static const char *signature_fault(const check *k, const lg_checkpoint *c)
{
    if (k->expect->key &&
        memcmp(k->expect->key->bytes, c->key.bytes, MT_SIGN_PUBLIC) != 0) {
        return "a checkpoint is signed by another key";
    }
    return lg_checkpoint_verify(c) ? NULL : "a checkpoint's signature is wrong";
}

static const char *checkpoint_fault(check *k, mt_str line)
{
    lg_checkpoint c;
    mt_arena_reset(&k->scratch);
    if (lg_checkpoint_read(&k->scratch, line, &c)) {
        return "this line is neither a record nor a checkpoint";
    }
    const char *fault = signature_fault(k, &c);
    if (fault) {
        return fault;
    }
    k->found->checkpoints++;
    if (c.size != k->found->end.tree.size) {
        return "a checkpoint is for another number of records";
    }
    return agrees(&k->found->end, &c) ? NULL
                                      : "the records do not agree with a checkpoint";
}

static const char *record_fault(check *k, const lg_entry *e)
{
    mt_arena_reset(&k->scratch);
    if (k->expect->check_bodies && !lg_body_check(&k->scratch, e->body)) {
        return "a record's body is not canonical JSON";
    }
    if (lg_chain_accept(&k->found->end, e)) {
        return "a record does not follow the one before it";
    }
    k->found->records++;
    const lg_checkpoint *t = k->expect->trusted;
    bool due = t && t->size == k->found->end.tree.size;
    return due && !agrees(&k->found->end, t)
               ? "the records do not agree with the trusted checkpoint"
               : NULL;
}

static const char *line_fault(check *k, mt_str line)
{
    lg_entry e;
    return lg_entry_read(line, &e) ? checkpoint_fault(k, line) : record_fault(k, &e);
}

static const char *end_fault(const check *k)
{
    const lg_checkpoint *t = k->expect->trusted;
    if (!t) {
        return NULL;
    }
    const char *fault = signature_fault(k, t);
    return fault                               ? fault
           : t->size > k->found->end.tree.size ? "records are missing at the end"
                                               : NULL;
}

mt_err lg_verify(mt_str text, const lg_expectation *expect, lg_finding *out)
{
    static const lg_expectation NOTHING = {0};
    check k = {.expect = expect ? expect : &NOTHING, .found = out};
    *out = (lg_finding){0};
    for (size_t number = 1; text.len && !out->problem; number++) {
        mt_str line = mt_str_from(text.ptr, mt_str_find(text, '\n'));
        out->problem =
            line.len == text.len ? "the last line is cut off" : line_fault(&k, line);
        out->line = out->problem ? number : 0;
        text = mt_str_skip(text, line.len + 1);
    }
    if (!out->problem) {
        out->problem = end_fault(&k);
    }
    mt_arena_free(&k.scratch);
    return out->problem ? MT_E_CORRUPT : MT_OK;
}
