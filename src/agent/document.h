/* agent/document.h - an agent's file while it is read: where faults are reported.
 * Room: agent. May include base/ only.
 * Agent files, DNA and scenarios have their own codes and one way to say a fault.
 * Ownership: messages live in the document's arena. */
#ifndef AG_DOCUMENT_H
#define AG_DOCUMENT_H

#include "agent/hook.h"
#include "base/form.h"

typedef struct ag_document {
    mt_arena *a;
    mt_str name, text; /* text empty: no lines are known */
    mt_diags *ds;
    const char *(*code)(const mt_form_fault *fault); /* of a fault of its form */
    const char *keys; /* what to do about a key that is near to none */
} ag_document;

/* A fault of the document's own; `at` may be NULL, `hint` empty. */
void ag_complain(const ag_document *d, const char *code, const mt_json *at,
                 mt_str message, const char *hint);
/* A form whose faults are diagnostics about the document. */
mt_form ag_form(ag_document *d, const char *what);

/* For rows: ag_priority, a whole number or a list of them. */
mt_form_reader ag_read_numbers;

#endif
