/* exec/commit/guess.c - groups that lock nothing first: one journey to a shared store.
 * Room: exec.
 *
 * A group that locks has to wait for the locked states before it can decide, so it
 * makes two journeys. But mostly this process wrote those states itself a moment ago.
 * So a group of operations is tried on states as they were last known here, and what it
 * depended on is proven where it is written, in the same journey and before the commit:
 *
 *     hold     the lock on contracts, shared, as every group has it
 *     rows     each only if it still has the version that was known
 *     prove    stamps of contracts and of asserted facts are those that were known;
 *              nobody drew a number of a record since those of this group were drawn
 *     records  and answers, whose keys nobody may have used
 *
 * If one of them fails, the store fails the transaction, and the group is done once
 * more with locks: nobody is answered before the group is durable, so nobody saw the
 * guess.
 *
 * INVARIANT: what is guessed is only what a written row proves. A row that is read and
 * does not move (so mostly a refusal), a rule about people, a held instance, a shadow:
 * done with locks.
 * INVARIANT: records have numbers in the order of their commits. Numbers are drawn
 * ahead of time, in blocks; whoever draws after that, here or elsewhere, spoils the
 * rest of the block (`last_value` is not its end any more), so numbers of a block that
 * proves good are above all that were used before. INVARIANT: numbers that are still
 * there belong to a draw that is durable or under way; one that failed might be drawn
 * again by others after a crash of the database.
 *
 * Several nodes that write spoil each other's blocks. Then guesses fail, and each
 * failure doubles the number of groups that do not try. */
#include "exec/commit/guess.h"

#include "exec/call/facts.h"
#include "exec/call/states.h"
#include "exec/commit/distinct.h"

enum { DRAW_LEAST = 64, DRAW_MOST = 4096, PAUSE_MOST = 255 };

static size_t left(const st_id_block *b)
{
    return b->last >= b->first ? (size_t)(b->last - b->first) + 1 : 0;
}

static void wait_longer(ex_guessing *s)
{
    s->pause = s->pause ? 2 * s->pause : 1;
    s->pause = s->pause < PAUSE_MOST ? s->pause : PAUSE_MOST;
    s->rest = s->pause;
}

static bool may_guess(ex_job *job)
{
    return ex_handler_of(job)->guesses && !job->resumed && !job->internal &&
           !ex_distinct_applies(job, job->request.persona);
}

/* May groups like this one guess at all? */
static bool suits(const ex_group *g, ex_job **jobs, size_t n)
{
    const ex_executor *x = g->x;
    bool may = x->guessing.seen && !x->shadow && atomic_load(&x->facts_stamp) >= 0 &&
               !atomic_load_explicit(&x->has_claims, memory_order_relaxed);
    for (size_t i = 0; i < n && may; i++) {
        may = may_guess(jobs[i]);
    }
    return may;
}

static bool take_rows(ex_group *g)
{
    bool known = g->rows.len > 0;
    for (size_t i = 0; i < g->rows.len && known; i++) {
        ex_row *r = &g->rows.items[i];
        known = ex_cache_get(g->x->guessing.seen, g->arena, &r->row, &r->row) &&
                !r->row.deleted;
        r->found = known;
        r->stored = r->row.version;
    }
    return known;
}

static void let_go(ex_group *g)
{
    for (size_t i = 0; i < g->rows.len; i++) {
        const st_instance *row = &g->rows.items[i].row;
        g->rows.items[i] = (ex_row){
            .row = {.scope = row->scope, .entity = row->entity, .id = row->id}};
    }
}

static bool facts_are_known(ex_group *g, ex_job **jobs, size_t n)
{
    bool fresh = true;
    for (size_t i = 0; i < n && fresh; i++) {
        ex_facts_mark(jobs[i], g->stamps[EX_STAMP_FACTS]);
        fresh = !jobs[i]->stale;
        jobs[i]->stale = false;
    }
    return fresh;
}

bool ex_guess_may(const ex_group *g, ex_job **jobs, size_t n)
{
    ex_guessing *s = &g->x->guessing;
    if (!suits(g, jobs, n)) {
        return false;
    }
    bool rests = s->rest > 0;
    s->rest -= rests;
    return !rests;
}

void ex_guess(ex_group *g, ex_job **jobs, size_t n)
{
    ex_guessing *s = &g->x->guessing;
    ex_contracts_known(g->x, g->stamps);
    if (left(&s->block) < n || !facts_are_known(g, jobs, n) || !take_rows(g)) {
        let_go(g);
        return;
    }
    st_record_ids_use(g->tx, s->block.first, (uint32_t)n);
    g->guessed = true;
}

/* The numbers of the group itself spoil what is left of the block. If nobody used any
 * of it, drawing was in vain. */
static void spoil(ex_guessing *s, size_t n)
{
    if (left(&s->block) == s->draw && s->draw) {
        wait_longer(s);
    }
    s->draw = left(&s->block) < n ? s->draw : 0;
    s->block = (st_id_block){1, 0};
}

/* A block that was used up is followed by a larger one. */
mt_err ex_guess_draw_soon(ex_group *g, ex_job **jobs, size_t n)
{
    ex_guessing *s = &g->x->guessing;
    spoil(s, n);
    if (s->rest || !suits(g, jobs, n)) {
        return MT_OK;
    }
    s->draw = s->draw ? 2 * s->draw : DRAW_LEAST;
    s->draw = s->draw < DRAW_MOST ? s->draw : DRAW_MOST;
    g->drew = true;
    return st_record_block_soon(g->tx, s->draw, &s->block);
}

bool ex_guess_stands(const ex_group *g)
{
    bool stands = true;
    for (size_t i = 0; i < g->rows.len && stands; i++) {
        stands = g->rows.items[i].changed;
    }
    return stands;
}

mt_err ex_guess_hold(ex_group *g)
{
    return ex_contracts_share(g->tx);
}

mt_err ex_guess_prove(ex_group *g)
{
    return ex_contracts_prove(g->tx, g->stamps, g->x->guessing.block.last);
}

void ex_guess_sent(ex_group *g, size_t n)
{
    ex_guessing *s = &g->x->guessing;
    s->block.first += g->guessed ? (int64_t)n : 0;
    for (size_t i = 0; s->seen && i < g->rows.len; i++) {
        ex_cache_drop(s->seen, &g->rows.items[i].row);
    }
}

void ex_guess_durable(const ex_group *g)
{
    ex_guessing *s = &g->x->guessing;
    for (size_t i = 0; s->seen && i < g->rows.len; i++) {
        if (g->rows.items[i].found) {
            ex_cache_put(s->seen, &g->rows.items[i].row);
        }
    }
    if (g->guessed) {
        s->pause /= 2;
        atomic_fetch_add_explicit(&g->x->metrics.guessed, 1, memory_order_relaxed);
    }
}

void ex_guess_forget(ex_executor *x)
{
    x->guessing.block = (st_id_block){1, 0};
    x->guessing.draw = 0;
}

void ex_guess_failed(ex_executor *x)
{
    ex_guess_forget(x);
    wait_longer(&x->guessing);
}
