/* exec/evidence/store_check.c - see store_check.h.
 *
 * Order: Systems (who shares what); all records, chained and queued, each checked
 * against the chain and its own columns, its meaning taken over into the store of what
 * is expected; then the table of subjects, instances, flows and documents of both
 * stores side by side.
 *
 * INVARIANT: the store itself is only read, in one transaction, so that a server may go
 * on beside it. What is expected comes from bodies of records alone.
 * A chain that does not hold is one difference, and nothing after it is believed: the
 * check ends there.
 * May fail: the store, the directory for temporary files. */
#include "exec/evidence/store_checking.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/vec.h"
#include "exec/evidence/guarded.h"
#include "exec/evidence/notes.h"
#include "exec/evidence/record.h"
#include "ledger/chain.h"

enum { PAGE = 500, COMMIT_EVERY = 20000, PUT_OFF_MS = 300000 };

/* ---- Systems ---- */

static mt_err take_system(void *state, const st_doc *row)
{
    ex_checking *c = state;
    mt_json *tree = mt_new(&c->keep, mt_json);
    if (mt_json_read(&c->keep, mt_str_dup(&c->keep, row->body), NULL, tree, NULL)) {
        ex_check_differs(c, "documents", row->id, "a System that cannot be read");
        return MT_OK;
    }
    const mt_json *list = mt_json_at(tree, "constructs");
    for (uint32_t i = 0; mt_json_is(list, MT_JSON_ARRAY) && i < list->count; i++) {
        const mt_json *d = &list->as.items[i];
        if (mt_str_is(mt_json_text(mt_json_at(d, "kind")), "System")) {
            sharing s = {mt_json_text(mt_json_at(d, "id")), d};
            mt_vec_push(&c->keep, &c->systems, s);
        }
    }
    return MT_OK;
}

/* ---- The chain ---- */

static mt_str seq_name(mt_arena *a, int64_t seq)
{
    return mt_strf(a, "record %lld", (long long)seq);
}

/* The root of a block that has just become full. */
static mt_err check_block(ex_checking *c)
{
    uint64_t size = c->chain.tree.size;
    char id[24], hex[MT_SHA256_HEX];
    st_doc doc;
    if (size % EX_BLOCK) {
        return MT_OK;
    }
    size_t n = ex_block_id(size / EX_BLOCK - 1, id);
    mt_err err =
        st_doc_get(c->tx, &c->scratch, EX_KIND_BLOCK, mt_str_from(id, n), &doc);
    mt_hex(c->block.bytes, MT_SHA256_BYTES, hex);
    if (err == MT_E_NOTFOUND ||
        (!err && !mt_str_eq(doc.body, mt_str_from(hex, sizeof hex)))) {
        ex_check_differs(c, "documents",
                         mt_strf(&c->scratch, "ledger.block/%.*s", (int)n, id),
                         err ? "it is missing: proofs cannot be made"
                             : "it is not the root of its records");
    }
    return err == MT_E_NOTFOUND ? MT_OK : err;
}

/* The next that can be compared; MT_E_CLOSED ends the walk there. */
static mt_err take_note(void *state, const st_doc *row)
{
    ex_checking *c = state;
    lg_note note;
    mt_err err = lg_note_read(row->body, &note);
    mt_str id = mt_strf(&c->scratch, "%020llu", (unsigned long long)note.head.size);
    if (err || !mt_str_eq(row->id, id)) {
        ex_check_differs(c, "documents",
                         mt_strf(&c->scratch, "ledger.note/%.*s", MT_ARG(row->id)),
                         err ? "it is not a note" : "it is a note of another size");
        return MT_OK;
    }
    c->next_note = note.head;
    return MT_E_CLOSED;
}

/* 0: the first. */
static mt_err fetch_note(ex_checking *c, uint64_t after)
{
    mt_str id =
        after ? mt_strf(&c->scratch, "%020llu", (unsigned long long)after) : MT_STR("");
    c->next_note = (lg_head){0};
    mt_err err =
        st_doc_walk(c->tx, EX_KIND_NOTE, MT_STR(""), (st_page){id, 0}, take_note, c);
    return err == MT_E_CLOSED ? MT_OK : err;
}

static mt_err check_note(ex_checking *c)
{
    uint64_t size = c->chain.tree.size;
    if (c->next_note.size != size) {
        return MT_OK;
    }
    mt_sha256 root = lg_frontier_root(&c->chain.tree);
    if (memcmp(root.bytes, c->next_note.root.bytes, MT_SHA256_BYTES) != 0) {
        ex_check_differs(
            c, "documents",
            mt_strf(&c->scratch, "ledger.note/%020llu", (unsigned long long)size),
            "it is not of these records");
    }
    return fetch_note(c, size);
}

/* False: the chain does not go on here. */
static bool follows(ex_checking *c, const st_record *row)
{
    lg_entry e = {.seq = (uint64_t)row->seq, .prev = c->chain.head, .body = row->body};
    if (row->hash.len == MT_SHA256_BYTES) {
        memcpy(e.hash.bytes, row->hash.ptr, MT_SHA256_BYTES);
    }
    /* Before the record is taken in: afterwards the subtree of the block is joined
     * with the ones to its left. */
    if ((c->chain.tree.size + 1) % EX_BLOCK == 0) {
        c->block =
            lg_frontier_subtree(&c->chain.tree, lg_leaf(&e.hash), EX_BLOCK_LEVELS);
    }
    if (!lg_chain_accept(&c->chain, &e)) {
        return true;
    }
    c->broken = true;
    ex_check_differs(c, "chain", seq_name(&c->scratch, (int64_t)c->chain.tree.size),
                     row->seq != (int64_t)c->chain.tree.size
                         ? "it is missing"
                         : "it is not as it was written");
    return false;
}

static mt_err write_on(ex_checking *c)
{
    if (++c->unwritten < COMMIT_EVERY) {
        return MT_OK;
    }
    c->unwritten = 0;
    mt_err err = st_commit(c->et);
    /* Ended by the commit, whatever came of it; close_expected() must not end it
     * twice. */
    c->et = NULL;
    return err ? err : st_begin(c->expected, ST_WRITE, &c->et);
}

/* MT_E_CORRUPT ends the walk after the chain broke. */
static mt_err take_record(void *state, const st_record *row)
{
    ex_checking *c = state;
    mt_json body;
    mt_arena_reset(&c->scratch);
    if (row->seq >= 0 && !follows(c, row)) {
        return MT_E_CORRUPT;
    }
    mt_err err = row->seq >= 0 ? check_block(c) : MT_OK;
    err = err || row->seq < 0 ? err : check_note(c);
    if (err) {
        return err;
    }
    if (mt_json_read(&c->scratch, mt_str_dup(&c->scratch, row->body), NULL, &body,
                     NULL)) {
        ex_check_differs(c, "chain", seq_name(&c->scratch, row->seq),
                         "its body is not JSON");
        return MT_OK;
    }
    ex_check_index(c, c->tx, &c->scratch, row, &body);
    err = ex_expect_subjects(c, c->tx, c->et, &c->scratch, row, &body);
    c->newer_at = c->newer && !c->newer_at ? c->chain.tree.size : c->newer_at;
    err = err ? err : ex_expect_record(c, c->et, &c->scratch, row, &body);
    err = err ? err : write_on(c);
    return err ? err : ex_check_progress(c, "records", ++c->out->records, c->all);
}

static mt_err check_end(ex_checking *c)
{
    mt_buf due = {0};
    int64_t size = 0;
    mt_str tail;
    mt_err err = st_ledger_tail(c->tx, &c->scratch, &size, &tail);
    lg_chain_write(&due, &c->chain);
    if (!err &&
        ((uint64_t)size != c->chain.tree.size || !mt_str_eq(tail, mt_buf_str(&due)))) {
        ex_check_differs(c, "chain", MT_STR("the end"),
                         "the head of the chain says %lld records, and there are %llu",
                         (long long)size, (unsigned long long)c->chain.tree.size);
    }
    if (!err && c->next_note.size > c->chain.tree.size) {
        ex_check_differs(c, "documents", MT_STR("ledger.note"),
                         "one is over %llu records, and there are %llu",
                         (unsigned long long)c->next_note.size,
                         (unsigned long long)c->chain.tree.size);
    }
    mt_buf_free(&due);
    return err;
}

static mt_err read_records(ex_checking *c)
{
    st_record_filter all = {.pending = true};
    int64_t size = 0;
    mt_str tail;
    mt_err err = st_ledger_tail(c->tx, &c->keep, &size, &tail);
    c->all = (uint64_t)size;
    err = err ? err : fetch_note(c, 0);
    err = err ? err : st_record_walk(c->tx, &all, (st_page){0}, take_record, c);
    if (c->broken) {
        return MT_OK;
    }
    return err ? err : check_end(c);
}

/* ---- Instances ---- */

typedef struct instances {
    st_tx *tx;
    mt_arena a; /* of the page */
    st_instance *rows;
    size_t at, count;
    bool ended;
} instances;

/* The row at hand, or NULL at the end. */
static mt_err instance_at(instances *s, const st_instance **out)
{
    *out = NULL;
    if (s->at == s->count && !s->ended) {
        st_instance last = {0};
        mt_arena keys = {0};
        if (s->count) {
            last = s->rows[s->count - 1];
            /* The key of the last row lives in the page that is about to be given
             * up. */
            last.scope = mt_str_dup(&keys, last.scope);
            last.entity = mt_str_dup(&keys, last.entity);
            last.id = mt_str_dup(&keys, last.id);
        }
        mt_arena_reset(&s->a);
        mt_err err = st_instances_page(s->tx, &s->a, &last, PAGE, &s->rows, &s->count);
        mt_arena_free(&keys);
        s->at = 0;
        s->ended = s->count < PAGE;
        if (err) {
            return err;
        }
    }
    *out = s->at < s->count ? &s->rows[s->at] : NULL;
    return MT_OK;
}

static int by_key(const st_instance *a, const st_instance *b)
{
    if (!a || !b) {
        return a ? -1 : 1;
    }
    int order = mt_str_cmp(a->scope, b->scope);
    order = order ? order : mt_str_cmp(a->entity, b->entity);
    return order ? order : mt_str_cmp(a->id, b->id);
}

static void compare_instance(ex_checking *c, mt_str name, const st_instance *is,
                             const st_instance *must)
{
    int64_t n = must->updated_ms;
    mt_str who = ex_check_says(&c->scratch, n);
    ex_check_same(c, "instances", name, "state", is->state, must->state, n);
    ex_check_same(c, "instances", name, "last operation", is->last_operation,
                  must->last_operation, n);
    ex_check_same(c, "instances", name, "last flow", is->last_flow, must->last_flow, n);
    if (is->version != must->version) {
        ex_check_differs(c, "instances", name, "version is %lld, the records make %lld",
                         (long long)is->version, (long long)must->version);
    }
    if (is->deleted != must->deleted) {
        ex_check_differs(c, "instances", name, "it is %sdeleted, %.*s otherwise",
                         is->deleted ? "" : "not ", MT_ARG(who));
    }
}

static mt_err check_instances(ex_checking *c)
{
    instances is = {.tx = c->tx}, must = {.tx = c->et};
    const st_instance *a, *b;
    mt_err err = MT_OK;
    while (!(err = instance_at(&is, &a)) && !(err = instance_at(&must, &b)) &&
           (a || b)) {
        /* Both sides are sorted alike, so one walk finds what is missing on either. */
        int order = by_key(a, b);
        const st_instance *at = order <= 0 ? a : b;
        mt_arena_reset(&c->scratch);
        mt_str name = mt_strf(&c->scratch, "%.*s %.*s/%.*s", MT_ARG(at->scope),
                              MT_ARG(at->entity), MT_ARG(at->id));
        if (order < 0) {
            ex_check_differs(c, "instances", name, "no record created it");
        } else if (order > 0) {
            mt_str who = ex_check_says(&c->scratch, b->updated_ms);
            ex_check_differs(c, "instances", name, "it is missing, %.*s it is there",
                             MT_ARG(who));
        } else {
            compare_instance(c, name, a, b);
        }
        is.at += order <= 0;
        must.at += order >= 0;
        err = ex_check_progress(c, "instances", ++c->out->instances, 0);
        if (err) {
            break;
        }
    }
    mt_arena_free(&is.a);
    mt_arena_free(&must.a);
    return err;
}

/* ---- Flows ---- */

typedef struct flows {
    st_tx *tx;
    mt_arena a; /* of the page */
    MT_VEC(st_flow) rows;
    size_t at;
    bool ended;
} flows;

static mt_err take_flow(void *state, const st_flow *row)
{
    flows *s = state;
    mt_arena *a = &s->a;
    st_flow f = *row;
    mt_str *texts[] = {&f.id,           &f.contract,        &f.etag,
                       &f.flow,         &f.persona,         &f.initiator,
                       &f.status,       &f.outcome,         &f.facts,
                       &f.waiting_step, &f.waiting_persona, &f.bindings};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = mt_str_dup(a, *texts[i]);
    }
    mt_vec_push(a, &s->rows, f);
    return MT_OK;
}

static mt_err flow_at(flows *s, const st_flow **out)
{
    *out = NULL;
    if (s->at == s->rows.len && !s->ended) {
        mt_arena keys = {0};
        mt_str last = s->rows.len ? mt_str_dup(&keys, s->rows.items[s->rows.len - 1].id)
                                  : (mt_str){0};
        st_flow_filter any = {0};
        mt_arena_reset(&s->a);
        memset(&s->rows, 0, sizeof s->rows);
        mt_err err = st_flow_walk(s->tx, &any, (st_page){last, PAGE}, take_flow, s);
        mt_arena_free(&keys);
        s->at = 0;
        s->ended = s->rows.len < PAGE;
        if (err) {
            return err;
        }
    }
    *out = s->at < s->rows.len ? &s->rows.items[s->at] : NULL;
    return MT_OK;
}

/* Equal as values, whatever the order of members. */
static bool same_json(mt_arena *a, mt_str x, mt_str y)
{
    mt_json one, two;
    return mt_str_eq(x, y) ||
           (!mt_json_read(a, x, NULL, &one, NULL) &&
            !mt_json_read(a, y, NULL, &two, NULL) && mt_json_equal(&one, &two));
}

static void compare_json(ex_checking *c, mt_str name, const char *what, mt_str is,
                         mt_str must, int64_t number)
{
    if (!same_json(&c->scratch, is, must)) {
        mt_str who = ex_check_says(&c->scratch, number);
        ex_check_differs(c, "flows", name, "%s are %.*s, %.*s %.*s", what, MT_ARG(is),
                         MT_ARG(who), MT_ARG(must));
    }
}

static bool under_way(mt_str status)
{
    return mt_str_is(status, "running") || mt_str_is(status, "waiting");
}

/* A flow that was taken up and has done nothing yet runs, and no record says so; one
 * that was moved to another version waits at a step of that one, which only later
 * records of it name. What has ended waits for nobody. */
static void compare_status(ex_checking *c, mt_str name, const st_flow *is,
                           const st_flow *must)
{
    int64_t n = must->updated_ms;
    bool open = under_way(must->status);
    bool taken_up = open && mt_str_is(is->status, "running");
    if (!taken_up) {
        ex_check_same(c, "flows", name, "status", is->status, must->status, n);
    }
    ex_check_same(c, "flows", name, "outcome", is->outcome, must->outcome, n);
    bool known = mt_str_is(is->status, "waiting") && must->waiting_step.len;
    if (known || !under_way(is->status)) {
        ex_check_same(c, "flows", name, "the step it waits at", is->waiting_step,
                      must->waiting_step, n);
        ex_check_same(c, "flows", name, "the persona it waits for", is->waiting_persona,
                      must->waiting_persona, n);
    }
}

static void compare_flow(ex_checking *c, mt_str name, const st_flow *is,
                         const st_flow *must)
{
    int64_t n = must->updated_ms;
    ex_check_same(c, "flows", name, "contract", is->contract, must->contract, n);
    ex_check_same(c, "flows", name, "version", is->etag, must->etag, n);
    ex_check_same(c, "flows", name, "flow", is->flow, must->flow, n);
    ex_check_same(c, "flows", name, "persona", is->persona, must->persona, n);
    ex_check_same(c, "flows", name, "initiator", is->initiator, must->initiator, n);
    compare_json(c, name, "bindings", is->bindings, must->bindings, n);
    compare_json(c, name, "facts", is->facts, must->facts, n);
    compare_status(c, name, is, must);
}

static mt_err check_flows(ex_checking *c)
{
    flows is = {.tx = c->tx}, must = {.tx = c->et};
    const st_flow *a, *b;
    mt_err err = MT_OK;
    while (!(err = flow_at(&is, &a)) && !(err = flow_at(&must, &b)) && (a || b)) {
        int order = !a ? 1 : !b ? -1 : mt_str_cmp(a->id, b->id);
        mt_str name = order <= 0 ? a->id : b->id;
        mt_arena_reset(&c->scratch);
        if (order < 0) {
            ex_check_differs(c, "flows", name, "no record started it");
        } else if (order > 0) {
            mt_str who = ex_check_says(&c->scratch, b->updated_ms);
            ex_check_differs(c, "flows", name, "it is missing, %.*s it is there",
                             MT_ARG(who));
        } else {
            compare_flow(c, name, a, b);
        }
        is.at += order <= 0;
        must.at += order >= 0;
        err = ex_check_progress(c, "flows", ++c->out->flows, 0);
        if (err) {
            break;
        }
    }
    mt_arena_free(&is.a);
    mt_arena_free(&must.a);
    return err;
}

/* ---- Documents ---- */

typedef void compare_doc(ex_checking *c, mt_str name, const st_doc *is,
                         const st_doc *must);

typedef struct documents {
    ex_checking *c;
    mt_str kind;
    compare_doc *compare;
    bool reverse; /* of those that are expected: is it there at all? */
} documents;

static mt_str doc_name(ex_checking *c, const st_doc *row)
{
    return mt_strf(&c->scratch, "%.*s/%.*s", MT_ARG(row->kind), MT_ARG(row->id));
}

/* What is looked up by its key needs no order of both sides. */
static mt_err look_at_doc(void *state, const st_doc *row)
{
    documents *d = state;
    ex_checking *c = d->c;
    st_doc other;
    mt_arena_reset(&c->scratch);
    mt_str name = doc_name(c, row);
    mt_err err =
        st_doc_get(d->reverse ? c->tx : c->et, &c->scratch, d->kind, row->id, &other);
    if (err && err != MT_E_NOTFOUND) {
        return err;
    }
    if (err) {
        mt_str who =
            d->reverse ? ex_check_says(&c->scratch, row->updated_ms) : (mt_str){0};
        ex_check_differs(c, "documents", name,
                         d->reverse ? "it is missing, %.*s it is there"
                                    : "no record made it%.*s",
                         MT_ARG(who));
    } else if (!d->reverse) {
        ex_check_same(c, "documents", name, "what it is listed under", row->tag,
                      other.tag, other.updated_ms);
        d->compare(c, name, row, &other);
    }
    return d->reverse ? MT_OK : ex_check_counted(c);
}

static mt_err check_kind(ex_checking *c, mt_str kind, compare_doc *compare)
{
    documents there = {c, kind, compare, false}, due = {c, kind, compare, true};
    mt_err err =
        st_doc_walk(c->tx, kind, MT_STR(""), (st_page){0}, look_at_doc, &there);
    return err ? err
               : st_doc_walk(c->et, kind, MT_STR(""), (st_page){0}, look_at_doc, &due);
}

/* When it was asserted is at the latest when its record was written. */
static void compare_fact(ex_checking *c, mt_str name, const st_doc *is,
                         const st_doc *must)
{
    mt_arena *a = &c->scratch;
    mt_json one, two;
    int64_t at = 0, latest = 0, n = must->updated_ms;
    if (mt_json_read(a, mt_str_dup(a, is->body), NULL, &one, NULL) ||
        mt_json_read(a, mt_str_dup(a, must->body), NULL, &two, NULL)) {
        ex_check_differs(c, "documents", name, "it cannot be read");
        return;
    }
    ex_check_member(c, name, "value", ex_check_text(a, mt_json_at(&one, "value")),
                    ex_check_text(a, mt_json_at(&two, "value")), n);
    ex_check_member(c, name, "who asserted it",
                    mt_json_text(mt_json_at(&one, "asserted_by")),
                    mt_json_text(mt_json_at(&two, "asserted_by")), n);
    ex_check_member(c, name, "its expiry", ex_check_moment(a, &one, "expires_ms"),
                    mt_json_text(mt_json_at(&two, "expires_at")), n);
    bool good = !mt_json_i64(mt_json_at(&one, "asserted_ms"), &at) &&
                !mt_json_i64(mt_json_at(&two, "asserted_ms"), &latest);
    if (!good || at > latest) {
        mt_str who = ex_check_says(a, n);
        ex_check_differs(c, "documents", name,
                         "it says it was asserted later than %.*s", MT_ARG(who));
    }
}

static bool read_both(mt_arena *a, const st_doc *is, const st_doc *must, mt_json *one,
                      mt_json *two)
{
    return !mt_json_read(a, mt_str_dup(a, is->body), NULL, one, NULL) &&
           !mt_json_read(a, mt_str_dup(a, must->body), NULL, two, NULL);
}

/* A moment that was taken together with its record's. Where nodes share a store, or
 * did before it was copied, the record's may have been put off a little
 * (exec/commit/ledger.c), never the other way. */
static void compare_moment(ex_checking *c, mt_str name, const char *what,
                           const mt_json *is, const mt_json *must, int64_t n)
{
    int64_t at = 0, due = 0;
    bool good = !mt_json_i64(is, &at) && !mt_json_i64(must, &due);
    if (!good || at > due || at < due - PUT_OFF_MS) {
        mt_str who = ex_check_says(&c->scratch, n);
        ex_check_differs(c, "documents", name, "%s is %lld, %.*s %lld", what,
                         (long long)at, MT_ARG(who), (long long)due);
    }
}

/* A version is known by the hash of its bundle; records from before have no number. */
static void compare_version(ex_checking *c, mt_str name, const st_doc *is,
                            const st_doc *must)
{
    mt_arena *a = &c->scratch;
    mt_json one, two;
    int64_t n = must->updated_ms, number = 0, due = 0;
    if (!read_both(a, is, must, &one, &two)) {
        ex_check_differs(c, "documents", name, "it cannot be read");
        return;
    }
    mt_str bundle = ex_check_text(a, mt_json_at(&one, "bundle"));
    if (!mt_str_eq(mt_sha256_hex(a, mt_sha256_of(bundle)), mt_str_basename(must->id))) {
        ex_check_differs(c, "documents", name,
                         "its bundle is another one than its name says");
    }
    mt_json_i64(mt_json_at(&one, "number"), &number);
    mt_json_i64(mt_json_at(&two, "number"), &due);
    if (due && number != due) {
        mt_str who = ex_check_says(a, n);
        ex_check_differs(c, "documents", name, "its number is %lld, %.*s %lld",
                         (long long)number, MT_ARG(who), (long long)due);
    }
    compare_moment(c, name, "when it was deployed", mt_json_at(&one, "deployed_ms"),
                   mt_json_at(&two, "deployed_ms"), n);
}

/* What the ledger has of a migration: states that were removed only since its records
 * tell them. */
static void compare_migration(ex_checking *c, mt_str name, const st_doc *is,
                              const st_doc *must)
{
    static const char *const MEMBERS[] = {"from", "policy",    "status",
                                          "to",   "state_map", "removed"};
    enum { COUNT = sizeof MEMBERS / sizeof *MEMBERS };
    mt_arena *a = &c->scratch;
    mt_json one, two;
    int64_t n = must->updated_ms;
    if (!read_both(a, is, must, &one, &two)) {
        ex_check_differs(c, "documents", name, "it cannot be read");
        return;
    }
    size_t told = mt_json_at(&two, "removed") ? COUNT : COUNT - 2;
    for (size_t i = 0; i < told; i++) {
        mt_str key = mt_str_z(MEMBERS[i]);
        mt_str there = ex_check_text(a, mt_json_get(&one, key));
        mt_str due = ex_check_text(a, mt_json_get(&two, key));
        if (!same_json(a, there, due)) {
            ex_check_member(c, name, MEMBERS[i], there, due, n);
        }
    }
    compare_moment(c, name, "when it began", mt_json_at(&one, "started_ms"),
                   mt_json_at(&two, "started_ms"), n);
}

static void compare_current(ex_checking *c, mt_str name, const st_doc *is,
                            const st_doc *must)
{
    mt_json tree;
    mt_str text = mt_str_dup(&c->scratch, is->body);
    mt_str etag = mt_json_read(&c->scratch, text, NULL, &tree, NULL)
                      ? (mt_str){0}
                      : mt_json_text(mt_json_at(&tree, "etag"));
    ex_check_member(c, name, "the version served", etag, must->body, must->updated_ms);
}

static mt_err check_documents(ex_checking *c)
{
    mt_err err = check_kind(c, EX_EXPECT_FACT, compare_fact);
    err = err ? err : check_kind(c, EX_EXPECT_VERSION, compare_version);
    err = err ? err : check_kind(c, EX_EXPECT_MIGRATION, compare_migration);
    err = err ? err : check_kind(c, EX_EXPECT_CURRENT, compare_current);
    err = err ? err : check_kind(c, EX_GUARDED_KIND, ex_compare_guarded);
    return err ? err : check_kind(c, EX_CLAIM_KIND, ex_compare_claim);
}

/* ---- The whole ---- */

static mt_err open_expected(ex_checking *c)
{
    const char *where = c->o->scratch ? c->o->scratch : getenv("TMPDIR");
    st_options options = {.pool = 1};
    mt_str path = mt_strf(&c->keep, "%s/motet-check-XXXXXX", where ? where : "/tmp");
    if (path.len >= sizeof c->directory) {
        mt_buf_addz(c->why,
                    "the name of the directory for temporary files is too long");
        return MT_E_LIMIT;
    }
    memcpy(c->directory, path.ptr, path.len + 1);
    if (!mkdtemp(c->directory)) {
        mt_buf_addf(c->why, "no directory for temporary files can be made in %s: %s",
                    where ? where : "/tmp", strerror(errno));
        c->directory[0] = '\0';
        return MT_E_IO;
    }
    mt_str url = mt_strf(&c->keep, "sqlite:%s/expected.db", c->directory);
    mt_err err = st_open(url.ptr, &options, &c->expected, c->why);
    return err ? err : st_begin(c->expected, ST_WRITE, &c->et);
}

static void close_expected(ex_checking *c)
{
    /* By name, so that nothing is ever removed that this check did not make. */
    static const char *const FILES[] = {"expected.db", "expected.db-wal",
                                        "expected.db-shm", "expected.db.lock"};
    st_rollback(c->et);
    if (c->expected) {
        st_close(c->expected);
    }
    for (size_t i = 0; c->directory[0] && i < sizeof FILES / sizeof *FILES; i++) {
        (void)unlink(mt_strf(&c->keep, "%s/%s", c->directory, FILES[i]).ptr);
    }
    if (c->directory[0]) {
        (void)rmdir(c->directory);
    }
}

static mt_err check_all(ex_checking *c)
{
    mt_err err =
        st_doc_walk(c->tx, MT_STR("system"), MT_STR(""), (st_page){0}, take_system, c);
    err = err ? err : read_records(c);
    if (err || c->broken) {
        return err;
    }
    err = ex_check_subjects(c, c->tx, c->et);
    err = err ? err : check_instances(c);
    err = err ? err : check_flows(c);
    err = err ? err : check_documents(c);
    err = err ? err : ex_check_signed(c);
    return err ? err : ex_check_identities(c);
}

mt_err ex_store_check(const ex_check_options *options, ex_check_result *out,
                      mt_buf *why)
{
    *out = (ex_check_result){0};
    ex_checking c = {.o = options, .out = out, .why = why};
    mt_err err = open_expected(&c);
    err = err ? err : st_begin(options->store, ST_READ, &c.tx);
    err = err ? err : check_all(&c);
    /* What failed may have said why already. */
    if (err && !why->len) {
        mt_str said = c.tx ? st_why(c.tx) : (mt_str){0};
        mt_buf_addf(why, "%s%s%.*s",
                    err == MT_E_CLOSED ? "stopped before its end" : mt_err_text(err),
                    said.len ? ": " : "", MT_ARG(said));
    }
    st_rollback(c.tx);
    close_expected(&c);
    mt_arena_free(&c.scratch);
    mt_arena_free(&c.keep);
    return err;
}
