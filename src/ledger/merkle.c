/* ledger/merkle.c - the tree of RFC 6962 over record hashes: growing, proving,
 * checking.
 *
 * A frontier holds the roots of the complete subtrees, one per set bit of the size;
 * adding a leaf merges those of equal height, like a carry. That is all a server
 * keeps: 64 hashes for any size.
 *
 * A proof is planned first, as the ranges of leaves whose hashes it needs
 * (plan_path(), plan_extension()), and filled in one pass over the leaves in order
 * (lg_prover_add()), so a prover never holds the leaves themselves. Ranges of a plan
 * do not overlap; one frontier is enough to hash them one after another.
 *
 * Checking follows RFC 9162, 2.1.3.2 and 2.1.4.2, step by step, and never trusts a
 * count in a proof: a hash too many or too few is a wrong proof. Leaves and nodes are
 * hashed with different first bytes, so one cannot pass for the other.
 *
 * Nothing allocates and nothing fails; a check answers true or false. Asking for a
 * leaf that is not there is our own fault (MT_ASSERT). */
#include "ledger/merkle.h"

/* The tag is what keeps leaves and inner nodes apart (RFC 6962, 2.1). */
static mt_sha256 hash_parts(char tag, const mt_sha256 *a, const mt_sha256 *b)
{
    char bytes[1 + 2 * MT_SHA256_BYTES];
    size_t len = 1 + MT_SHA256_BYTES;
    bytes[0] = tag;
    memcpy(bytes + 1, a->bytes, MT_SHA256_BYTES);
    if (b) {
        memcpy(bytes + len, b->bytes, MT_SHA256_BYTES);
        len += MT_SHA256_BYTES;
    }
    return mt_sha256_of(mt_str_from(bytes, len));
}

mt_sha256 lg_leaf(const mt_sha256 *record_hash)
{
    return hash_parts(0, record_hash, NULL);
}

static mt_sha256 node(const mt_sha256 *left, const mt_sha256 *right)
{
    return hash_parts(1, left, right);
}

static bool same(const mt_sha256 *a, const mt_sha256 *b)
{
    return memcmp(a->bytes, b->bytes, MT_SHA256_BYTES) == 0;
}

/* ---- growing ---- */

void lg_frontier_add(lg_frontier *f, mt_sha256 leaf)
{
    unsigned level = 0;
    for (; f->size >> level & 1; level++) {
        leaf = node(&f->roots[level], &leaf);
    }
    f->roots[level] = leaf;
    f->size++;
}

mt_sha256 lg_frontier_subtree(const lg_frontier *f, mt_sha256 leaf, unsigned levels)
{
    for (unsigned level = 0; level < levels; level++) {
        leaf = node(&f->roots[level], &leaf);
    }
    return leaf;
}

mt_sha256 lg_frontier_root(const lg_frontier *f)
{
    if (!f->size) {
        return mt_sha256_of((mt_str){"", 0});
    }
    mt_sha256 root = {{0}};
    bool any = false;
    for (unsigned level = 0; level < 64; level++) {
        if (f->size >> level & 1) {
            root = any ? node(&f->roots[level], &root) : f->roots[level];
            any = true;
        }
    }
    return root;
}

/* ---- proving ---- */

/* The largest power of two below n (n > 1). */
static uint64_t split(uint64_t n)
{
    return (uint64_t)1 << (63 - __builtin_clzll(n - 1));
}

mt_sha256 lg_root(const mt_sha256 *leaves, uint64_t size)
{
    lg_frontier f = {0};
    for (uint64_t i = 0; i < size; i++) {
        lg_frontier_add(&f, leaves[i]);
    }
    return lg_frontier_root(&f);
}

static void push(lg_prover *p, uint64_t from, uint64_t to)
{
    p->ranges[p->proof.count].from = from;
    p->ranges[p->proof.count].to = to;
    p->proof.count++;
}

/* Recursion is as deep as the tree: at most 64. */
static void plan_path(lg_prover *p, uint64_t from, uint64_t to, uint64_t index)
{
    if (to - from <= 1) {
        return;
    }
    uint64_t middle = from + split(to - from);
    if (index < middle) {
        plan_path(p, from, middle, index);
        push(p, middle, to);
    } else {
        plan_path(p, middle, to, index);
        push(p, from, middle);
    }
}

void lg_prover_inclusion(lg_prover *p, uint64_t size, uint64_t index)
{
    MT_ASSERT(index < size);
    *p = (lg_prover){.size = size};
    plan_path(p, 0, size, index);
}

/* RFC 6962 SUBPROOF: `whole` while the earlier tree is a complete subtree here. */
static void plan_extension(lg_prover *p, uint64_t from, uint64_t earlier, uint64_t to,
                           bool whole)
{
    if (earlier == to) {
        if (!whole) {
            push(p, from, to);
        }
        return;
    }
    uint64_t middle = from + split(to - from);
    if (earlier <= middle) {
        plan_extension(p, from, earlier, middle, whole);
        push(p, middle, to);
    } else {
        plan_extension(p, middle, earlier, to, false);
        push(p, from, middle);
    }
}

void lg_prover_consistency(lg_prover *p, uint64_t earlier, uint64_t size)
{
    MT_ASSERT(earlier <= size);
    *p = (lg_prover){.size = size};
    if (earlier && earlier < size) {
        plan_extension(p, 0, earlier, size, true);
    }
}

static bool within(const lg_prover *p, size_t range)
{
    return p->next >= p->ranges[range].from && p->next < p->ranges[range].to;
}

bool lg_prover_add(lg_prover *p, const mt_sha256 *leaf)
{
    if (p->next >= p->size) {
        return true;
    }
    size_t r = p->current;
    if (r >= p->proof.count || !within(p, r)) {
        for (r = 0; r < p->proof.count && !within(p, r); r++) {
        }
        p->current = r;
        p->tree = (lg_frontier){0};
    }
    if (r < p->proof.count) {
        lg_frontier_add(&p->tree, *leaf);
        if (p->next + 1 == p->ranges[r].to) {
            p->proof.hashes[r] = lg_frontier_root(&p->tree);
        }
    }
    p->next++;
    return p->next == p->size;
}

static void run(lg_prover *p, const mt_sha256 *leaves, lg_proof *out)
{
    for (uint64_t i = 0; i < p->size; i++) {
        lg_prover_add(p, &leaves[i]);
    }
    *out = p->proof;
}

void lg_prove_inclusion(const mt_sha256 *leaves, uint64_t size, uint64_t index,
                        lg_proof *out)
{
    lg_prover p;
    lg_prover_inclusion(&p, size, index);
    run(&p, leaves, out);
}

void lg_prove_consistency(const mt_sha256 *leaves, uint64_t earlier, uint64_t size,
                          lg_proof *out)
{
    lg_prover p;
    lg_prover_consistency(&p, earlier, size);
    run(&p, leaves, out);
}

/* ---- checking (RFC 9162, 2.1.3.2 and 2.1.4.2) ---- */

bool lg_check_inclusion(const mt_sha256 *root, uint64_t size, uint64_t index,
                        const mt_sha256 *leaf, const lg_proof *proof)
{
    if (index >= size) {
        return false;
    }
    uint64_t fn = index, sn = size - 1;
    mt_sha256 r = *leaf;
    for (size_t i = 0; i < proof->count; i++) {
        if (!sn) {
            return false;
        }
        if ((fn & 1) || fn == sn) {
            r = node(&proof->hashes[i], &r);
            while (fn && !(fn & 1)) {
                fn >>= 1;
                sn >>= 1;
            }
        } else {
            r = node(&r, &proof->hashes[i]);
        }
        fn >>= 1;
        sn >>= 1;
    }
    return !sn && same(&r, root);
}

/* RFC 9162, 2.1.4.2, for 0 < earlier < size: one walk that makes both roots, the
 * earlier one and the later. */
static bool check_extension(const mt_sha256 *earlier_root, uint64_t earlier,
                            const mt_sha256 *root, uint64_t size, const lg_proof *proof)
{
    uint64_t fn = earlier - 1, sn = size - 1;
    size_t at = 0;
    for (; fn & 1; fn >>= 1, sn >>= 1) {
    }
    /* A complete earlier tree is its own first hash. */
    bool complete = (earlier & (earlier - 1)) == 0;
    if (!complete && !proof->count) {
        return false;
    }
    mt_sha256 fr = complete ? *earlier_root : proof->hashes[at++];
    mt_sha256 sr = fr;
    for (; at < proof->count; at++) {
        const mt_sha256 *c = &proof->hashes[at];
        if (!sn) {
            return false;
        }
        if ((fn & 1) || fn == sn) {
            fr = node(c, &fr);
            sr = node(c, &sr);
            while (fn && !(fn & 1)) {
                fn >>= 1;
                sn >>= 1;
            }
        } else {
            sr = node(&sr, c);
        }
        fn >>= 1;
        sn >>= 1;
    }
    return !sn && same(&fr, earlier_root) && same(&sr, root);
}

bool lg_check_consistency(const mt_sha256 *earlier_root, uint64_t earlier,
                          const mt_sha256 *root, uint64_t size, const lg_proof *proof)
{
    if (earlier > size) {
        return false;
    }
    if (earlier == size) {
        return !proof->count && same(earlier_root, root);
    }
    if (!earlier) {
        return !proof->count; /* anything extends the empty log */
    }
    return check_extension(earlier_root, earlier, root, size, proof);
}
