/* host/graph_own.c - what a user's primitive sees.
 *
 * Inputs, parameters and context are shown as motet_value, outputs are copied into the
 * pass at once. Indexes come from foreign code and are answered with nothing when they
 * are out of range. A function that leaves the arithmetic of the processor changed
 * would change every number after it, so that is put right and ends the pass.
 *
 * What a primitive does wrong beyond that cannot be caught: it is in this process. */
#include "host/graph_own.h"

#include <fenv.h>

#include "base/utf8.h"

_Static_assert((int)MOTET_EVENT == (int)GR_EVENT, "types follow gr_type");
_Static_assert((int)MOTET_SKIPPED == (int)GR_SKIPPED, "events follow gr_event");

/* ---- values ---- */

motet_value ho_own_out(const gr_value *v)
{
    motet_value out = {.type = (motet_type)v->type};
    switch ((gr_type)v->type) {
    case GR_NUMBER: out.number = v->as.number; break;
    case GR_BOOL: out.boolean = v->as.boolean != 0; break;
    case GR_EVENT: out.event = (motet_event)v->as.event; break;
    case GR_SERIES:
        out.series = v->as.series;
        out.len = v->len;
        break;
    case GR_STRING:
        out.text = v->as.text;
        out.len = v->len;
        break;
    case GR_NONE: break;
    }
    return out;
}

gr_value ho_own_in(motet_value v)
{
    if (v.len > UINT32_MAX) {
        return (gr_value){.type = GR_NONE};
    }
    switch (v.type) {
    case MOTET_NUMBER: return gr_number(v.number);
    case MOTET_BOOL: return gr_bool(v.boolean);
    case MOTET_EVENT: return gr_event_value((gr_event)v.event);
    case MOTET_SERIES: return gr_series(v.series, v.series ? v.len : 0);
    case MOTET_STRING: return gr_string(mt_str_from(v.text, v.text ? v.len : 0));
    case MOTET_NONE: break;
    }
    return (gr_value){.type = GR_NONE};
}

/* ---- a call ---- */

/* What a primitive gets to see, on the stack of ho_own_run(): it is void after the
 * call. */
struct motet_call {
    gr_call *call;
    const gr_manifest *manifest;
};

static motet_value value_at(const gr_value *values, size_t count, size_t index)
{
    return index < count ? ho_own_out(&values[index])
                         : (motet_value){.type = MOTET_NONE};
}

motet_value motet_call_input(const motet_call *call, size_t index)
{
    return value_at(call->call->inputs, call->manifest->input_count, index);
}

motet_value motet_call_param(const motet_call *call, size_t index)
{
    return value_at(call->call->params, call->manifest->param_count, index);
}

motet_value motet_call_context(const motet_call *call, size_t index)
{
    return value_at(call->call->context, call->manifest->need_count, index);
}

/* Copied into the pass's arena, so the primitive may give a buffer of its own stack.
 * The kernel checks type and finiteness after the call. */
void motet_call_output(motet_call *call, size_t index, motet_value value)
{
    if (index < call->manifest->output_count) {
        call->call->outputs[index] = gr_value_dup(call->call->arena, ho_own_in(value));
    }
}

void motet_call_error(motet_call *call, const char *text)
{
    call->call->error = text;
}

/* How the processor rounds and treats the smallest numbers, without the flags of what
 * has happened. */
static unsigned arithmetic(void)
{
#if defined(__SSE2__)
    return __builtin_ia32_stmxcsr() & ~0x3fu;
#else
    return (unsigned)fegetround();
#endif
}

static bool restore_arithmetic(gr_call *call)
{
    fesetenv(FE_DFL_ENV);
    call->error = "the primitive changed the rounding of the processor";
    return false;
}

/* What it says goes into answers and logs, which are UTF-8. */
static void check_words(gr_call *call)
{
    mt_str said = mt_str_z(call->error);
    if (mt_utf8_check(said) != said.len) {
        call->error = "the primitive refused, with words that are not UTF-8";
    }
}

bool ho_own_run(void *function, gr_call *call)
{
    const ho_own_function *f = function;
    motet_call shown = {call, call->manifest};
    unsigned before = arithmetic();
    bool ran = f->run(f->user, &shown);
    if (!ran) {
        check_words(call);
    }
    return arithmetic() == before ? ran : restore_arithmetic(call);
}
