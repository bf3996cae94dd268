#include "grown_store.h"

#include <stdio.h>
#include <stdlib.h>

#include "exec/evidence/record.h"
#include "ledger/chain.h"

enum { ID = 8, TEMPLATES = 4, BATCH = 500, IN_TRANSACTION = 20000 };

typedef struct growing {
    st_store *store;
    st_tx *tx;
    mt_arena keep, scratch; /* as long as the store; as long as a batch */
    mt_str scope, entity;
    char first[ID + 1];
    st_instance instance;
    st_record templates[TEMPLATES];
    size_t template_count;
    lg_chain chain;
    st_record rows[BATCH];
    size_t row_count, unwritten;
} growing;

static void must(mt_err err)
{
    if (err) {
        fprintf(stderr, "grown_store: %s\n", mt_err_text(err));
        exit(1);
    }
}

/* ---- What a server wrote ---- */

static mt_err take_template(void *state, const st_record *row)
{
    growing *g = state;
    if (g->template_count == TEMPLATES) {
        return MT_E_LIMIT;
    }
    st_record *r = &g->templates[g->template_count++];
    *r = *row;
    mt_str *texts[] = {&r->kind, &r->contract, &r->flow, &r->subject, &r->body};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = mt_str_dup(&g->keep, *texts[i]);
    }
    return MT_OK;
}

static void read_templates(growing *g)
{
    int64_t size;
    mt_str tail;
    must(st_begin(g->store, ST_READ, &g->tx));
    must(st_instance_get(g->tx, &g->keep, g->scope, g->entity,
                         mt_str_from(g->first, ID), &g->instance));
    st_record_filter f = {
        .subject = ex_subject(&g->keep, g->entity, mt_str_from(g->first, ID))};
    must(st_record_walk(g->tx, &f, (st_page){0}, take_template, g));
    must(st_ledger_tail(g->tx, &g->keep, &size, &tail));
    must(lg_chain_read(tail, (uint64_t)size, &g->chain));
    st_rollback(g->tx);
}

/* The text with the id of another instance wherever the first one's is. */
static mt_str about(growing *g, mt_str text, const char *id)
{
    mt_str copy = mt_str_dup(&g->scratch, text);
    char *at = (char *)(uintptr_t)copy.ptr;
    for (size_t i = 0; i + ID <= copy.len; i++) {
        if (memcmp(at + i, g->first, ID) == 0) {
            memcpy(at + i, id, ID);
        }
    }
    return copy;
}

/* ---- Writing ---- */

static void save_tail(growing *g)
{
    mt_buf tail = {0};
    lg_chain_write(&tail, &g->chain);
    must(st_ledger_set_tail(g->tx, (int64_t)g->chain.tree.size, mt_buf_str(&tail)));
    mt_buf_free(&tail);
}

static void write_rows(growing *g)
{
    must(st_ledger_add(g->tx, g->rows, g->row_count));
    g->unwritten += g->row_count;
    g->row_count = 0;
    mt_arena_reset(&g->scratch);
}

static void commit(growing *g)
{
    save_tail(g);
    must(st_commit(g->tx));
    must(st_begin(g->store, ST_WRITE, &g->tx));
    g->unwritten = 0;
}

static void add_record(growing *g, const st_record *template, const char *id)
{
    st_record row = *template;
    row.id = 0;
    row.subject = about(g, template->subject, id);
    row.body = about(g, template->body, id);
    mt_sha256 hash = lg_hash(&g->chain.head, row.body);
    must(ex_block_keep(g->tx, &g->chain, &hash));
    row.seq = (int64_t)g->chain.tree.size;
    row.hash =
        mt_str_dup(&g->scratch, mt_str_from((const char *)hash.bytes, MT_SHA256_BYTES));
    lg_chain_grow(&g->chain, &hash);
    g->rows[g->row_count++] = row;
    if (g->row_count == BATCH) {
        write_rows(g);
    }
    if (g->unwritten >= IN_TRANSACTION) {
        commit(g);
    }
}

static void add_instance(growing *g, const char *id)
{
    st_instance row = g->instance;
    row.id = mt_str_from(id, ID);
    must(st_instance_add(g->tx, &row));
}

void grown_store(const char *url, const char *scope, const char *entity,
                 size_t instances)
{
    growing *g = calloc(1, sizeof *g);
    mt_buf why = {0};
    g->scope = mt_str_z(scope);
    g->entity = mt_str_z(entity);
    snprintf(g->first, sizeof g->first, GROWN_ID, (size_t)0);
    must(st_open(url, NULL, &g->store, &why));
    read_templates(g);
    must(st_begin(g->store, ST_WRITE, &g->tx));
    for (size_t i = 1; i < instances; i++) {
        char id[32];
        snprintf(id, sizeof id, GROWN_ID, i);
        add_instance(g, id);
        for (size_t r = 0; r < g->template_count; r++) {
            add_record(g, &g->templates[r], id);
        }
    }
    if (g->row_count) {
        write_rows(g);
    }
    save_tail(g);
    must(st_commit(g->tx));
    st_close(g->store);
    mt_arena_free(&g->keep);
    mt_arena_free(&g->scratch);
    mt_buf_free(&why);
    free(g);
}
