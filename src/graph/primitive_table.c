#include "graph/primitive_table.h"

#include <string.h>

#define SOURCE(op, ...)                                                                \
    {                                                                                  \
        GR_OP_##op, GR_SOURCE, __VA_ARGS__                                             \
    }
#define COMPUTE(op, ...)                                                               \
    {                                                                                  \
        GR_OP_##op, GR_COMPUTE, __VA_ARGS__                                            \
    }
#define TRIGGER(op, ...)                                                               \
    {                                                                                  \
        GR_OP_##op, GR_TRIGGER, __VA_ARGS__                                            \
    }
#define ACTION(op, ...)                                                                \
    {                                                                                  \
        GR_OP_##op, GR_ACTION, __VA_ARGS__                                             \
    }

/* clang-format off */
const gr_standard_row GR_STANDARD[] = {
    SOURCE(CONSTANT, "number_source",  "", "value:number=0.0", "value:number<param.value", "",
           "The number given as parameter."),
    SOURCE(CONSTANT, "boolean_source", "", "value:bool=false", "value:bool<param.value", "",
           "The boolean given as parameter."),
    SOURCE(CONSTANT, "string_source",  "", "value:string=",    "value:string<param.value", "",
           "The text given as parameter."),
    SOURCE(CONTEXT, "context_number_source", "", "key:string=x", "value:number<context.$key", "number",
           "The number under a context key; 0.0 when it is absent or no number."),
    SOURCE(CONTEXT, "context_bool_source",   "", "key:string=x", "value:bool<context.$key",   "bool",
           "The boolean under a context key; false when it is absent or no boolean."),
    SOURCE(CONTEXT, "context_string_source", "", "key:string=x", "value:string<context.$key", "string",
           "The text under a context key; empty when it is absent or no text."),
    SOURCE(CONTEXT, "context_series_source", "", "key:string=x", "value:series<context.$key", "series",
           "The series under a context key; empty when it is absent or no series."),

    COMPUTE(CONSTANT, "const_number", "unit:number?", "value:number!", "value:number", "",
            "The number given as parameter; the input is not read."),
    COMPUTE(CONSTANT, "const_bool",   "unit:bool?",   "value:bool!",   "value:bool",   "",
            "The boolean given as parameter; the input is not read."),
    COMPUTE(ADD,      "add",      "a:number b:number", "", "result:number", "",
            "a + b; a result that is not finite ends the pass."),
    COMPUTE(SUBTRACT, "subtract", "a:number b:number", "", "result:number", "",
            "a - b; a result that is not finite ends the pass."),
    COMPUTE(MULTIPLY, "multiply", "a:number b:number", "", "result:number", "",
            "a * b; a result that is not finite ends the pass."),
    COMPUTE(DIVIDE,   "divide",   "a:number b:number", "", "result:number", "",
            "a / b; a zero divisor (DivisionByZero) or a result that is not finite (NonFiniteResult) ends the pass."),
    COMPUTE(SAFE_DIVIDE, "safe_divide", "a:number b:number", "fallback:number!", "result:number", "",
            "a / b, or the fallback when b is zero or the result is not finite."),
    COMPUTE(ABS,      "abs",      "value:number", "", "result:number", "", "The absolute value."),
    COMPUTE(NEGATE,   "negate",   "value:number", "", "result:number", "", "The value with its sign changed."),
    COMPUTE(MIN,      "min",      "a:number b:number", "", "result:number", "",
            "The smaller of a and b; -0.0 is smaller than 0.0."),
    COMPUTE(MAX,      "max",      "a:number b:number", "", "result:number", "",
            "The larger of a and b; 0.0 is larger than -0.0."),
    COMPUTE(GT,       "gt",       "a:number b:number", "", "result:bool", "", "a > b, exactly."),
    COMPUTE(GTE,      "gte",      "a:number b:number", "", "result:bool", "", "a >= b, exactly."),
    COMPUTE(LT,       "lt",       "a:number b:number", "", "result:bool", "", "a < b, exactly."),
    COMPUTE(LTE,      "lte",      "a:number b:number", "", "result:bool", "", "a <= b, exactly."),
    COMPUTE(EQ,       "eq",       "a:number b:number", "", "result:bool", "", "a = b, exactly; 0.0 equals -0.0."),
    COMPUTE(NEQ,      "neq",      "a:number b:number", "", "result:bool", "", "a differs from b."),
    COMPUTE(AND,      "and",      "a:bool b:bool", "", "result:bool", "", "Both."),
    COMPUTE(OR,       "or",       "a:bool b:bool", "", "result:bool", "", "At least one."),
    COMPUTE(NOT,      "not",      "value:bool",    "", "result:bool", "", "The opposite."),
    COMPUTE(SELECT,   "select",   "cond:bool when_true:number when_false:number", "", "result:number", "",
            "when_true if cond, else when_false; both were computed."),
    COMPUTE(SELECT,   "select_bool", "cond:bool when_true:bool when_false:bool", "", "result:bool", "",
            "when_true if cond, else when_false; both were computed."),
    COMPUTE(APPEND,   "append",   "series:series value:number", "", "result:series", "",
            "The series with the value behind its last element."),
    COMPUTE(WINDOW,   "window",   "series:series", "size:number=5.0", "result:series", "",
            "The last `size` elements; size is a positive integer."),
    COMPUTE(MEAN,     "mean",     "series:series", "", "result:number", "",
            "The arithmetic mean, 0.0 for an empty series; an overflow (NonFiniteResult) ends the pass."),
    COMPUTE(SUM,      "sum",      "series:series", "", "result:number", "",
            "The sum from left to right, 0.0 for an empty series; an overflow (NonFiniteResult) ends the pass."),
    COMPUTE(LEN,      "len",      "series:series", "", "result:number", "", "The number of elements."),

    TRIGGER(EMIT_IF_TRUE, "emit_if_true", "input:bool", "", "event:event", "", "Emitted if the input is true."),
    TRIGGER(EMIT_IF_EVENT_AND_TRUE, "emit_if_event_and_true", "event:event condition:bool", "", "event:event", "",
            "Emitted if the event was Emitted and the condition is true."),

    ACTION(ACTION, "ack_action",      "event:event", "accept:bool=true", "outcome:event", "",
           "Does nothing; Completed, or Rejected when accept is false."),
    ACTION(ACTION, "annotate_action", "event:event", "note:string=",     "outcome:event", "",
           "Does nothing and carries a note for the reader of the graph; Attempted."),
    ACTION(ACTION, "context_set_number", "event:event value:number", "key:string!", "outcome:event", "number",
           "Writes the number under the context key; Attempted."),
    ACTION(ACTION, "context_set_bool",   "event:event value:bool",   "key:string!", "outcome:event", "bool",
           "Writes the boolean under the context key; Attempted."),
    ACTION(ACTION, "context_set_string", "event:event value:string", "key:string!", "outcome:event", "string",
           "Writes the text under the context key; Attempted."),
    ACTION(ACTION, "context_set_series", "event:event value:series", "key:string!", "outcome:event", "series",
           "Writes the series under the context key; Attempted."),
};
/* clang-format on */

const size_t GR_STANDARD_COUNT = sizeof GR_STANDARD / sizeof *GR_STANDARD;

const char *gr_standard_version(const gr_standard_row *row)
{
    return strcmp(row->id, "divide") == 0 ? "0.2.0" : "0.1.0";
}
