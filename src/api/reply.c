/* api/reply.c - answers as callers hold them, and options that are given as JSON.
 *
 * An answer is a reply that has come to its end, with one arena and four texts: the
 * answer itself, messages and warnings for people, the fault of facts as JSON. Its
 * texts live until it is freed. */
#include <stdlib.h>

#include "api/api.h"

struct motet_answer {
    aw_reply reply;
    mt_buf message;  /* the reply's, as one text */
    mt_buf warnings; /* likewise */
    int code;
};

void api_join_lines(mt_buf *out, const mt_str *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mt_buf_addz(out, i ? "\n" : "");
        mt_buf_adds(out, lines[i]);
    }
}

motet_answer *api_answer_new(aw_reply *reply, int code)
{
    motet_answer *a = mt_xmalloc(sizeof *a);
    *a = (motet_answer){.reply = *reply, .code = code};
    *reply = (aw_reply){0};
    api_join_lines(&a->message, a->reply.messages.items, a->reply.messages.len);
    api_join_lines(&a->warnings, a->reply.warnings.items, a->reply.warnings.len);
    return a;
}

/* With messages there is no answer. A code of AW_FAILS alone is MOTET_OK: the question
 * was answered, and the answer is no. */
motet_status api_answer_status(const motet_answer *a)
{
    return a->code == AW_USAGE                                        ? MOTET_E_USAGE
           : a->reply.refused || a->message.len || a->reply.fault.len ? MOTET_E_REJECTED
                                                                      : MOTET_OK;
}

motet_status api_answer(aw_reply *r, int code, motet_answer **out)
{
    *out = api_answer_new(r, code);
    return api_answer_status(*out);
}

motet_str motet_answer_text(const motet_answer *answer)
{
    if (!answer) {
        return (motet_str){"", 0};
    }
    return api_out_str(mt_buf_str(&answer->reply.text));
}

int motet_answer_code(const motet_answer *answer)
{
    if (!answer) {
        return AW_USAGE;
    }
    return answer->code;
}

motet_str motet_answer_message(const motet_answer *answer)
{
    if (!answer) {
        return (motet_str){"", 0};
    }
    return api_out_str(mt_buf_str(&answer->message));
}

motet_str motet_answer_warnings(const motet_answer *answer)
{
    if (!answer) {
        return (motet_str){"", 0};
    }
    return api_out_str(mt_buf_str(&answer->warnings));
}

motet_str motet_answer_fault(const motet_answer *answer)
{
    if (!answer) {
        return (motet_str){"", 0};
    }
    return api_out_str(mt_buf_str(&answer->reply.fault));
}

void motet_answer_free(motet_answer *answer)
{
    if (answer) {
        aw_reply_free(&answer->reply);
        mt_buf_free(&answer->message);
        mt_buf_free(&answer->warnings);
        free(answer);
    }
}

/* ---- Options ---- */

/* mt_form.report: everything that is wrong with the options becomes a message. */
static void say_fault(void *reply, const mt_form_fault *fault)
{
    mt_buf text = {0};
    mt_form_write(&text, fault);
    aw_fail(reply, AW_USAGE, "%.*s", MT_ARG(mt_buf_str(&text)));
    mt_buf_free(&text);
}

const void *api_command_named(const void *table, size_t rows, size_t row_size,
                              const char *name, const char *subject, bool there,
                              aw_reply *r)
{
    for (size_t i = 0; there && name && i < rows; i++) {
        const api_command *row = (const void *)((const char *)table + i * row_size);
        if (strcmp(name, row->name) == 0) {
            return row;
        }
    }
    aw_fail(r, AW_USAGE, "there is no %s", there ? "such command" : subject);
    return NULL;
}

/* Texts borrow from a copy in the reply's arena: the caller's may go. */
int api_form_read(const char *what, mt_arena *a, mt_str text, const mt_form_row *rows,
                  size_t count, void *out, aw_reply *r)
{
    mt_json *tree = mt_new(a, mt_json);
    mt_json_error error = {0};
    mt_form form = {.arena = a, .what = what, .report = say_fault, .state = r};
    if (mt_json_read(a, mt_str_dup(a, text), NULL, tree, &error)) {
        return aw_fail(r, AW_USAGE, "%s are not JSON: %s%s%.*s at byte %zu", what,
                       error.message, error.detail.len ? " " : "", MT_ARG(error.detail),
                       error.offset);
    }
    if (!mt_json_is(tree, MT_JSON_OBJECT)) {
        return aw_fail(r, AW_USAGE, "%s are not a JSON object", what);
    }
    return mt_form_read(&form, tree, rows, count, out) ? AW_HOLDS : AW_USAGE;
}

int api_options_read(motet_str text, const mt_form_row *rows, size_t count, void *out,
                     aw_reply *r)
{
    return text.len ? api_form_read("the options", &r->arena, api_in_str(text), rows,
                                    count, out, r)
                    : AW_HOLDS;
}
