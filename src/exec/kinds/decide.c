/* exec/kinds/decide.c - decisions for others: asked, recorded, told.
 * Room: exec.
 * On the caller's thread (or a worker's) every question is decided by what would do the
 * thing (decide_one.c); in the group a record is written for each, and the answer is
 * made. Nothing else is ever written: no instance is claimed, nothing moves. A decision
 * is recorded before it is told, so that what was told is in the ledger, and one that
 * the ledger cannot take is not told.
 * INVARIANT: as many answers as questions, in their order, until the semantics end it.
 * May fail: as the questions do; the store. */
#include "exec/kinds/decide.h"

#include "exec/call/facts.h"
#include "exec/call/rights.h"
#include "exec/commit/answers.h"
#include "exec/commit/ledger.h"

/* Of one request. Each counts as a request of its own against the caller's quota. */
enum { ASKS_MOST = 1000 };

/* AuthZEN's words for when to stop: never, at the first denial, at the first
 * permission. */
typedef enum semantic { EXECUTE_ALL, DENY_ON_FIRST, PERMIT_ON_FIRST } semantic;

typedef struct asked {
    ex_decision *items;
    size_t count;
    bool many;
} asked;

/* ---- Told ---- */

/* A question that could not be decided has `error` and is denied all the same: who
 * enforces it must not let anybody through. */
static void context_json(mt_jw *w, const ex_job *job, const ex_decision *d)
{
    mt_jw_keyz(w, "context");
    mt_jw_begin_unsorted(w);
    if (d->fault_status) {
        mt_jw_keyz(w, "error");
        mt_jw_begin_object(w);
        mt_jw_key_str(w, "message", d->fault);
        mt_jw_key_i64(w, "status", d->fault_status);
        mt_jw_end_object(w);
    }
    if (d->told.len) {
        mt_jw_raw(w, d->told);
    }
    ex_reply_record(w, job, d->number);
    mt_jw_end_object(w);
}

static void members_json(mt_jw *w, const ex_job *job, const ex_decision *d)
{
    context_json(w, job, d);
    mt_jw_key_bool(w, "decision", d->allowed);
}

static void reply(ex_job *job, const asked *all)
{
    mt_jw w = ex_reply_with(job, 200);
    if (!all->many) {
        members_json(&w, job, &all->items[0]);
        ex_reply_end(&w);
        return;
    }
    mt_jw_keyz(&w, "evaluations");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < all->count; i++) {
        mt_jw_begin_object(&w);
        members_json(&w, job, &all->items[i]);
        mt_jw_end_object(&w);
    }
    mt_jw_end_array(&w);
    ex_reply_end(&w);
}

/* ---- Asked ---- */

/* What is promised is a record; before it is decided nobody knows whether there will
 * be one. */
static bool refused_receipt(ex_job *job, const ex_question *ask)
{
    return ask->more.receipt &&
           (!job->x->has_key || job->x->decisions != EX_DECISIONS_ALL) &&
           ex_refuse(job, EX_NOT_IMPLEMENTED,
                     job->x->has_key
                         ? "this server does not record every decision, so it gives no "
                           "receipts of them"
                         : "this server has no signing key, so it gives no receipts");
}

/* All that is wrong with it is told in one answer. */
static bool refused_ask(ex_job *job, const mt_json *body, ex_question *ask)
{
    mt_buf why = {0};
    bool good = ex_question_read(&job->arena, body, ask, &why) &&
                ex_question_whole(ask, EX_LACKS_NOTHING, &why);
    if (!good) {
        ex_refuse(job, EX_BAD_REQUEST, "%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return !good || refused_receipt(job, ask);
}

/* Facts that another process asserts meanwhile are seen as by one call. */
static asked *begin(ex_job *job, size_t count, bool many)
{
    asked *all = mt_new(&job->arena, asked);
    *all =
        (asked){.items = mt_new_array(&job->arena, ex_decision, count), .many = many};
    job->took_facts = true;
    job->facts_stamp = atomic_load(&job->x->facts_stamp);
    job->work = all;
    return all;
}

/* True: answered; else the committer has something to write. */
static bool finish(ex_job *job, const asked *all)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->items[i].record.len) {
            return false;
        }
    }
    reply(job, all);
    return true;
}

/* The job is done once more from its beginning, on a thread that may wait. */
static bool leave_to_worker(ex_job *job)
{
    job->elsewhere = true;
    return true;
}

/* A fault of the question itself is the answer, with its own status, and not a
 * denial. */
static bool decide_single(ex_job *job, const mt_json *body)
{
    ex_question ask = {0};
    if (refused_ask(job, body, &ask)) {
        return true;
    }
    asked *all = begin(job, 1, false);
    if (!ex_decide_one(job, &ask, true, &all->items[0])) {
        return leave_to_worker(job);
    }
    all->count = 1;
    job->request.receipt = ask.more.receipt;
    return all->items[0].fault_status || finish(job, all);
}

bool ex_decide_prepare(ex_job *job)
{
    mt_json body;
    return ex_refused_question_body(job, &body) || decide_single(job, &body);
}

/* ---- Many ---- */

/* The first word that fits; a word that nobody knows is refused rather than read as
 * execute_all, since it may have meant to stop earlier. */
static bool refused_semantic(ex_job *job, const mt_json *body, semantic *out)
{
    static const char *const WORDS[] = {[EXECUTE_ALL] = "execute_all",
                                        [DENY_ON_FIRST] = "deny_on_first_deny",
                                        [PERMIT_ON_FIRST] = "permit_on_first_permit"};
    MT_TABLE_COVERS(WORDS, PERMIT_ON_FIRST + 1);
    const mt_json *options = mt_json_at(body, "options");
    const mt_json *said = mt_json_at(options, "evaluations_semantic");
    *out = EXECUTE_ALL;
    for (int i = EXECUTE_ALL; said && i <= PERMIT_ON_FIRST; i++) {
        if (mt_json_is(said, MT_JSON_STRING) &&
            mt_str_eq(mt_json_text(said), mt_str_z(WORDS[i]))) {
            *out = (semantic)i;
            return false;
        }
    }
    bool object = !options || mt_json_is(options, MT_JSON_OBJECT);
    return (said || !object) &&
           ex_refuse(job, EX_BAD_REQUEST, "%s",
                     object ? "`options.evaluations_semantic` must be execute_all, "
                              "deny_on_first_deny or permit_on_first_permit"
                            : "`options` must be an object");
}

static bool refused_count(ex_job *job, size_t count)
{
    if (count > ASKS_MOST) {
        return ex_refuse(job, EX_TOO_LARGE, "`evaluations` has %zu items, at most %d",
                         count, ASKS_MOST);
    }
    return count > 1 && !job->saw_facts &&
           ex_refused_quota_of(job, EX_QUOTA_REQUESTS, count - 1, "more requests");
}

/* An item that cannot be read is denied by itself. */
static bool decide_item(ex_job *job, const mt_json *item, ex_question ask,
                        ex_decision *out)
{
    mt_buf why = {0};
    bool read = mt_json_is(item, MT_JSON_OBJECT);
    if (!read) {
        mt_buf_addz(&why, "an evaluation must be an object");
    }
    read = read && ex_question_read(&job->arena, item, &ask, &why) &&
           ex_question_whole(&ask, EX_LACKS_NOTHING, &why);
    if (read && ask.more.receipt) {
        read = false;
        mt_buf_addz(&why,
                    "the receipts of many decisions are fetched by their records");
    }
    bool here = true;
    *out = (ex_decision){.number = EX_NO_RECORD};
    if (!read) {
        ex_decide_none(out, 400, mt_str_dup(&job->arena, mt_buf_str(&why)));
    } else if (os_is_late(ex_deadline(job))) {
        ex_decide_none(out, 503, MT_STR("those before it took all of eval_ms"));
    } else {
        here = ex_decide_one(job, &ask, false, out);
    }
    mt_buf_free(&why);
    return here;
}

static bool ends(semantic s, const ex_decision *d)
{
    return (s == DENY_ON_FIRST && !d->allowed) || (s == PERMIT_ON_FIRST && d->allowed);
}

/* all->count grows before the item is decided, so that it is there whatever comes of
 * it. */
static bool decide_all(ex_job *job, const mt_json *list, const ex_question *usual,
                       semantic s)
{
    asked *all = begin(job, list->count, true);
    for (uint32_t i = 0; i < list->count; i++) {
        ex_decision *d = &all->items[all->count++];
        if (!decide_item(job, &list->as.items[i], *usual, d)) {
            return leave_to_worker(job);
        }
        if (ends(s, d)) {
            break;
        }
    }
    return finish(job, all);
}

/* Members beside `evaluations` are defaults of each; they need not be whole. */
static bool refused_defaults(ex_job *job, const mt_json *body, ex_question *out)
{
    mt_buf why = {0};
    bool good = ex_question_read(&job->arena, body, out, &why);
    if (!good) {
        ex_refuse(job, EX_BAD_REQUEST, "%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return !good;
}

/* Without `evaluations`, or with none in it, it is one question. */
bool ex_decide_many_prepare(ex_job *job)
{
    mt_json body;
    semantic s;
    ex_question usual = {0};
    if (ex_refused_question_body(job, &body)) {
        return true;
    }
    const mt_json *list = mt_json_at(&body, "evaluations");
    if (list && !mt_json_is(list, MT_JSON_ARRAY)) {
        return ex_refuse(job, EX_BAD_REQUEST, "`evaluations` must be a list");
    }
    if (refused_semantic(job, &body, &s)) {
        return true;
    }
    if (!list || !list->count) {
        return decide_single(job, &body);
    }
    return refused_count(job, list->count) || refused_defaults(job, &body, &usual) ||
           decide_all(job, list, &usual, s);
}

/* ---- In the group ---- */

/* Found by the contract and by the instances that were asked about. */
static mt_err record(ex_group *g, ex_decision *d)
{
    mt_jw w = ex_record_begin(g);
    mt_jw_raw(&w, d->record);
    ex_record_time(&w, g);
    ex_record r = {.kind = "decision", .contract = d->contract};
    ex_bound_subjects(g, d->bindings, &r);
    return ex_record_end(g, &w, &r, &d->number);
}

/* A recorded denial is a recorded refusal, and room in the ledger for good: all of an
 * answer's denials count at once, and an answer that is too much is not given. */
static size_t recorded_denials(const asked *all)
{
    size_t denied = 0;
    for (size_t i = 0; i < all->count; i++) {
        denied += all->items[i].record.len && !all->items[i].allowed;
    }
    return denied;
}

/* The answer is made last: what it says is written by then, in the same group. */
mt_err ex_decide_commit(ex_job *job, ex_group *g)
{
    asked *all = job->work;
    mt_err err = MT_OK;
    if (ex_refused_more(job, recorded_denials(all))) {
        return MT_OK;
    }
    for (size_t i = 0; i < all->count && !err; i++) {
        if (all->items[i].record.len) {
            err = record(g, &all->items[i]);
        }
    }
    if (!err) {
        reply(job, all);
    }
    return err;
}
