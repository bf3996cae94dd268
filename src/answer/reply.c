#include "answer/reply.h"

#include <stdarg.h>

int aw_fail(aw_reply *r, int code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    mt_vec_push(&r->arena, &r->messages, mt_strfv(&r->arena, format, list));
    va_end(list);
    return code;
}

void aw_warn(aw_reply *r, mt_str sentence)
{
    mt_vec_push(&r->arena, &r->warnings, sentence);
}

int aw_refused(aw_reply *r)
{
    r->refused = true;
    return AW_FAILS;
}

void aw_reply_free(aw_reply *r)
{
    mt_buf_free(&r->text);
    mt_buf_free(&r->fault);
    mt_arena_free(&r->arena);
    *r = (aw_reply){0};
}
