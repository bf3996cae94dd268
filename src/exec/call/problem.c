/* exec/call/problem.c - what goes wrong, as RFC 9457 problem details.
 * Room: exec. Every problem has `type`, `title`, `status`, `code` and `detail`; some
 * have members of their own. docs/internals/executor.md lists them. */
#include "exec/call/problem.h"

#include "exec/machine.h"

static const struct row {
    int status;
    bool kept;
    mt_str code, title;
} ROWS[] = {
#define EX_PROBLEM_ROW(name, status, kept, code, title)                                \
    {status, kept, MT_STR_INIT(code), MT_STR_INIT(title)},
    EX_PROBLEM_MAP(EX_PROBLEM_ROW)
#undef EX_PROBLEM_ROW
};

/* E13: what is refused before the body was read to its end is an answer to a dry run
 * all the same, if the body says so. Long bodies are on a worker here (door.c). */
static bool asked_dry_run(const ex_job *job)
{
    return !job->was_read && job->call->body.len && ex_asks_dry_run(job->call->body);
}

mt_jw ex_problem_open(ex_job *job, ex_problem p, mt_str detail)
{
    const struct row *r = &ROWS[p];
    mt_jw w = ex_reply_with(job, r->status);
    job->reply.problem = true;
    job->reply.code = r->code.ptr;
    job->problem = (int)p;
    job->kept = r->kept;
    job->simulation = job->simulation || asked_dry_run(job);
    mt_jw_unsorted(&w); /* what a problem has of its own comes last */
    mt_jw_key_str(&w, "code", r->code);
    mt_jw_key_str(&w, "detail", detail);
    mt_jw_key_i64(&w, "status", r->status);
    mt_jw_key_str(&w, "title", r->title);
    mt_jw_key_str(&w, "type",
                  mt_strf(&job->arena, "urn:motet:problem:%.*s", MT_ARG(r->code)));
    if (job->simulation) {
        mt_jw_key_bool(&w, "simulation", true);
    }
    return w;
}

bool ex_problem_close(mt_jw *w)
{
    ex_reply_end(w);
    return true;
}

bool ex_refuse(ex_job *job, ex_problem p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str detail = mt_strfv(&job->arena, format, args);
    va_end(args);
    mt_jw w = ex_problem_open(job, p, detail);
    return ex_problem_close(&w);
}

/* What the store does not even take as a parameter is the caller's fault. */
bool ex_refuse_store(ex_job *job, mt_err err)
{
    if (err == MT_E_LIMIT || err == MT_E_TYPE) {
        return ex_refuse(job, EX_BAD_REQUEST,
                         "a name, an id or a parameter is longer than the store takes");
    }
    if (!job->in_group) { /* what writes has been told already */
        ex_store_read(job->x, err, (mt_str){0});
    }
    return ex_refuse(job, EX_STORE_UNAVAILABLE, "nothing was done: %s",
                     mt_err_text(err));
}
