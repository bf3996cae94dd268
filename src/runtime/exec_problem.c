/* runtime/exec_problem.c - what goes wrong, as RFC 9457 problem details.
 * Room: runtime. Every problem has `type`, `title`, `status`, `code` and `detail`; some
 * have members of their own. docs/executor.md lists them. */
#include "runtime/exec.h"

static const struct row {
    int status;
    bool kept;
    mt_str code, title;
} ROWS[] = {
#define RX_PROBLEM_ROW(name, status, kept, code, title)                                \
    {status, kept, MT_STR_INIT(code), MT_STR_INIT(title)},
    RX_PROBLEM_MAP(RX_PROBLEM_ROW)
#undef RX_PROBLEM_ROW
};

mt_jw rx_problem_open(rx_job *job, rx_problem p, mt_str detail)
{
    const struct row *r = &ROWS[p];
    mt_jw w = rx_reply(job, r->status);
    job->reply.problem = true;
    job->kept = r->kept;
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

bool rx_problem_close(mt_jw *w)
{
    rx_reply_end(w);
    return true;
}

bool rx_refuse(rx_job *job, rx_problem p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mt_str detail = mt_strfv(&job->arena, format, args);
    va_end(args);
    mt_jw w = rx_problem_open(job, p, detail);
    return rx_problem_close(&w);
}

bool rx_refuse_store(rx_job *job, mt_err err)
{
    return rx_refuse(job, RX_STORE_UNAVAILABLE, "nothing was done: %s",
                     mt_err_text(err));
}
