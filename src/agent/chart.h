/* agent/chart.h - a conversation as a sequence diagram, from the traces of those in it.
 * Room: agent. May include base/ only; pure: texts in, text out.
 * What an agent heard names its sender by an address. Where the trace of another agent
 * says that it sent just that, the address is that agent, from then on. */
#ifndef AG_CHART_H
#define AG_CHART_H

#include "base/str.h"

typedef enum ag_chart_form { AG_CHART_MERMAID, AG_CHART_TEXT } ag_chart_form;

/* Appends the diagram of `count` traces (agent/trace.h). MT_E_SYNTAX with *why (in
 * `a`): one of them is not the trace of an agent at work. */
mt_err ag_chart(mt_arena *a, const mt_str *traces, size_t count, ag_chart_form form,
                mt_buf *out, mt_str *why);

#endif
