/* exec/open.c - the executor's life.
 * Room: exec.
 * Opening, in this order: the options and the configuration, the time, the key and its
 * place in the ledger, contracts, kept facts, graphs and agents,
 * threads, flows that were running. Closing stops who brings calls first (agents, the
 * outbox), waits until nothing is under way, then ends the threads.
 * May fail at every step; `why` has one sentence, and what was begun is closed. */
#include <stdio.h>
#include <stdlib.h>

#include "exec/call/states.h"
#include "exec/commit/answers.h"
#include "exec/commit/outbox.h"
#include "exec/commit/shadow.h"
#include "exec/commit/sign.h"
#include "exec/commit/tool_call.h"
#include "exec/contract/kept_facts.h"
#include "exec/contract/policy.h"
#include "exec/machine.h"
#include "exec/settings.h"
#include "exec/voices.h"
#include "os/clock.h"
#include "os/key_file.h"

enum { GROUP = 256, CHECKPOINT_EVERY = 1000, CHECKPOINT_SECONDS = 60 };

/* ---- Opening ---- */

/* What the caller owns may go when opening returns; only `settings` must live as long
 * as the executor. */
static void copy_options(ex_executor *x, const ex_executor_options *o)
{
    x->store = o->store;
    x->shared = st_is_shared(o->store);
    x->limits = o->limits ? *o->limits : MT_LIMITS_DEFAULT;
    x->default_contract = mt_str_dup(&x->arena, o->default_contract);
    x->trust_domain = mt_str_dup(&x->arena, o->trust_domain);
    x->origin = mt_str_dup(&x->arena, o->origin);
    x->aggressive = o->aggressive;
    mt_str *personas = mt_new_array(&x->arena, mt_str, o->auto_persona_count);
    for (size_t i = 0; i < o->auto_persona_count; i++) {
        personas[i] = mt_str_dup(&x->arena, o->auto_personas[i]);
    }
    x->auto_personas = personas;
    x->auto_persona_count = o->auto_persona_count;
    x->settings = o->settings;
    x->group = o->group ? o->group : GROUP;
    x->checkpoint_every = o->checkpoint_every ? o->checkpoint_every : CHECKPOINT_EVERY;
    x->checkpoint_seconds =
        o->checkpoint_seconds ? o->checkpoint_seconds : CHECKPOINT_SECONDS;
    x->memory = o->signing_key
                    ? ex_memory_path(&x->arena, o->signer_memory, o->signing_key)
                    : NULL;
    x->workers = o->workers;
    x->log = o->log;
    x->log_state = o->log_state;
}

/* The policies for files that differ from the store. */
static mt_err read_policies(ex_executor *x, const ex_executor_options *o, mt_buf *why)
{
    mt_buf text = {0};
    mt_str bad = {0};
    if (!o->policy_count) {
        return MT_OK;
    }
    mt_err err = ex_policy_json(&text, o->policies, o->policy_count, &bad);
    mt_json *tree = mt_new(&x->arena, mt_json);
    err = err ? err
              : mt_json_read(&x->arena, mt_str_dup(&x->arena, mt_buf_str(&text)), NULL,
                             tree, NULL);
    if (err) {
        mt_buf_adds(why, ex_no_policy(&x->arena, bad));
    }
    x->policy = tree;
    mt_buf_free(&text);
    return err ? MT_E_USAGE : MT_OK;
}

/* All at once and before anything can fail, so that drop_locks() always fits. */
static void make_locks(ex_executor *x)
{
    pthread_rwlock_init(&x->contracts_lock, NULL);
    pthread_mutex_init(&x->refresh_lock, NULL);
    pthread_mutex_init(&x->news_lock, NULL);
    pthread_mutex_init(&x->facts_lock, NULL);
    pthread_mutex_init(&x->asked_lock, NULL);
    os_trouble_make(&x->reads);
    os_trouble_make(&x->writes);
    os_trouble_make(&x->channels);
    pthread_mutex_init(&x->jobs_lock, NULL);
    pthread_mutex_init(&x->queue_lock, NULL);
    pthread_cond_init(&x->queue_more, NULL);
    pthread_cond_init(&x->queue_done, NULL);
    pthread_cond_init(&x->think_more, NULL);
    mt_cond_init(&x->pending_more);
    mt_cond_init(&x->outbox_more);
    ex_signing_make(&x->signing);
    pthread_mutex_init(&x->receipting.lock, NULL);
    mt_cond_init(&x->receipting.more);
}

/* No thread is left when this is called. */
static void drop_locks(ex_executor *x)
{
    pthread_rwlock_destroy(&x->contracts_lock);
    pthread_mutex_destroy(&x->refresh_lock);
    pthread_mutex_destroy(&x->news_lock);
    pthread_mutex_destroy(&x->facts_lock);
    pthread_mutex_destroy(&x->asked_lock);
    os_trouble_drop(&x->reads);
    os_trouble_drop(&x->writes);
    os_trouble_drop(&x->channels);
    pthread_mutex_destroy(&x->jobs_lock);
    pthread_mutex_destroy(&x->queue_lock);
    pthread_cond_destroy(&x->queue_more);
    pthread_cond_destroy(&x->queue_done);
    pthread_cond_destroy(&x->think_more);
    pthread_cond_destroy(&x->pending_more);
    pthread_cond_destroy(&x->outbox_more);
    ex_signing_drop(&x->signing);
    pthread_mutex_destroy(&x->receipting.lock);
    pthread_cond_destroy(&x->receipting.more);
}

/* Versions after graphs, the arena last: most of the rest lives in it. */
static void executor_free(ex_executor *x)
{
    ex_quotas_free(x->quotas);
    ex_jobs_free(x);
    ex_graphs_close(x);
    ex_contracts_close(x);
    ex_shadow_close(x);
    ex_cache_free(x->cache);
    ex_cache_free(x->guessing.seen);
    ct_run_free(&x->run);
    mt_arena_free(&x->facts_arena);
    ex_sources_free(x);
    mt_sign_wipe(&x->key);
    os_sign_command_free(x->elsewhere);
    drop_locks(x);
    mt_arena_free(&x->arena);
    free(x);
}

static mt_err take_time(void *state, const st_record *row)
{
    ex_executor *x = state;
    ex_now_at_least(x, row->time_ms);
    return MT_OK;
}

/* Time goes on from the last record, wherever the clock was put meanwhile. */
static mt_err load_time(ex_executor *x)
{
    st_tx *tx;
    st_record_filter newest = {.newest_first = true, .pending = true};
    mt_err err = st_begin(x->store, ST_READ, &tx);
    if (!err) {
        err = st_record_walk(tx, &newest, (st_page){.limit = 1}, take_time, x);
        st_rollback(tx);
    }
    return err;
}

static mt_err load_facts(ex_executor *x)
{
    st_tx *tx;
    x->facts_stamp = -1;
    mt_err err = st_begin(x->store, ST_READ, &tx);
    if (!err) {
        err = ex_facts_reload(x, tx);
        st_rollback(tx);
    }
    return err;
}

/* Each flag is set when its thread runs, so that closing joins only those. */
static mt_err start_threads(ex_executor *x)
{
    if (pthread_create(&x->committer, NULL, ex_committer, x)) {
        return MT_E_BUSY;
    }
    x->has_committer = true;
    if (x->shared && pthread_create(&x->sequencer, NULL, ex_sequencer, x)) {
        return MT_E_BUSY;
    }
    x->has_sequencer = x->shared;
    if (pthread_create(&x->outbox, NULL, ex_outbox, x)) {
        return MT_E_BUSY;
    }
    x->has_outbox = true;
    if (x->has_key) {
        x->receipting.has_thread =
            !pthread_create(&x->receipting.thread, NULL, ex_receipts, x);
    }
    mt_err err = !x->has_key                ? MT_OK
                 : x->receipting.has_thread ? ex_sign_start(x)
                                            : MT_E_BUSY;
    return err ? err : ex_watches_start(x);
}

/* The key is in a file, or a program has it. */
static mt_err read_key(ex_executor *x, const ex_executor_options *o, mt_buf *why)
{
    mt_err err = ex_sign_elsewhere_read(&x->arena, o->settings, &x->elsewhere, why);
    if (err || (!x->elsewhere && !o->signing_key)) {
        return err;
    }
    if (x->elsewhere && (o->signing_key || !o->signer_memory)) {
        mt_buf_addz(why, o->signing_key ? "signer and signing_key exclude each other"
                                        : "signer needs signer_memory: where the last "
                                          "checkpoint it signed is kept");
        return MT_E_REJECTED;
    }
    if (x->elsewhere) {
        os_sign_command_key(x->elsewhere, &x->key);
        x->memory = mt_str_dup(&x->arena, mt_str_z(o->signer_memory)).ptr;
    } else {
        err = os_key_read(o->signing_key, &x->key, why);
    }
    x->has_key = !err;
    return err;
}

mt_err ex_executor_open(const ex_executor_options *options, ex_executor **out,
                        mt_buf *why)
{
    ex_executor *x = mt_xmalloc(sizeof *x);
    memset(x, 0, sizeof *x);
    atomic_init(&x->ahead_ms, INT64_MIN);
    *out = NULL;
    make_locks(x);
    copy_options(x, options);
    mt_err err = ex_numbers_read(x, options, why);
    if (!err && ex_distinct_read(&x->arena, options->settings, ex_say_first, why,
                                 &x->distinct, &x->distinct_count)) {
        err = MT_E_REJECTED;
    }
    if (!err && ex_quotas_read(options->settings, ex_say_first, why, &x->quotas)) {
        err = MT_E_REJECTED;
    }
    if (!err && ex_bindings_check(&x->arena, options->settings, ex_say_first, why)) {
        err = MT_E_REJECTED;
    }
    err = err ? err : ex_outside_read(&x->arena, options, &x->outside, why);
    err = err ? err : read_policies(x, options, why);
    err = err ? err : ex_watches_open(x, options, why);
    err = err ? err : read_key(x, options, why);
    x->cache = x->shared ? NULL : ex_cache_new();
    x->guessing.seen = x->shared ? ex_cache_new() : NULL;
    err = err ? err : ex_clock_sync(x);
    err = err ? err : load_time(x);
    err = err ? err : ex_keys_open(x, options, why);
    err = err ? err : ex_contracts_open(x, options->files, why);
    err = err ? err : ex_claims_open(x);
    if (!err) {
        ex_distinct_warn(x);
    }
    err = err ? err : ex_shadow_open(x, options->shadow, why);
    err = err ? err : load_facts(x);
    err = err ? err : ex_graphs_open(x, why);
    err = err ? err : ex_agents_open(x, why);
    err = err ? err : start_threads(x);
    err = err ? err : ex_recover_flows(x, 0);
    err = err ? err : ex_feeds_start(x);
    if (err) {
        if (!why->len) {
            mt_buf_addf(why, "the executor cannot start: %s", mt_err_text(err));
        }
        ex_sign_fault(x, why, "; ");
        ex_executor_close(x);
        return err;
    }
    if (!x->has_key) {
        ex_log(x, 2, "ledger_unsigned",
               "there is no signing key: nobody signs for the ledger, and there are no "
               "receipts");
    }
    *out = x;
    return MT_OK;
}

bool ex_executor_has_key(ex_executor *x, const char *path, mt_buf *why)
{
    mt_sign_key found;
    if (os_key_read(path, &found, why)) {
        return false;
    }
    bool same = x->has_key && memcmp(&found.open, &x->key.open, sizeof found.open) == 0;
    mt_sign_wipe(&found);
    if (!same) {
        mt_buf_addz(why, "the file has another key than the one that signs; restart "
                         "with previous_signing_key to hand over");
    }
    return same;
}

/* ---- Closing ---- */

static void wait_until_idle(ex_executor *x)
{
    pthread_mutex_lock(&x->queue_lock);
    x->closing = true;
    while (x->has_committer && (x->first || x->running || x->thinking)) {
        pthread_cond_wait(&x->queue_done, &x->queue_lock);
    }
    x->stopped = true;
    pthread_cond_broadcast(&x->queue_more);
    pthread_cond_broadcast(&x->pending_more);
    pthread_mutex_unlock(&x->queue_lock);
}

/* What it has begun is finished; the rest waits in the store. */
static void stop_outbox(ex_executor *x)
{
    if (x->has_outbox) {
        pthread_mutex_lock(&x->queue_lock);
        x->outbox_stop = true;
        pthread_cond_broadcast(&x->outbox_more);
        pthread_mutex_unlock(&x->queue_lock);
        pthread_join(x->outbox, NULL);
    }
}

/* After the last record was chained, so that whoever still waits gets a receipt. */
static void stop_receipts(ex_executor *x)
{
    ex_receipting *r = &x->receipting;
    if (r->has_thread) {
        pthread_mutex_lock(&r->lock);
        r->stop = true;
        pthread_cond_signal(&r->more);
        pthread_mutex_unlock(&r->lock);
        pthread_join(r->thread, NULL);
    }
}

void ex_executor_close(ex_executor *x)
{
    if (!x) {
        return;
    }
    ex_feeds_stop(x);
    ex_agents_close(x);
    stop_outbox(x);
    wait_until_idle(x);
    ex_thinkers_stop(x);
    if (x->has_committer) {
        pthread_join(x->committer, NULL);
    }
    if (x->has_sequencer) {
        pthread_join(x->sequencer, NULL);
    }
    stop_receipts(x);
    ex_sign_close(x); /* it wakes the watches, so it ends before them */
    ex_watches_close(x);
    executor_free(x);
}
