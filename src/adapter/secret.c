/* adapter/secret.c - credentials: read once, by reference, and kept in.
 * Room: adapter.
 * A configuration names an environment variable or a file; the value itself is in no
 * configuration, and whatever leaves an adapter as text goes through ad_redact(). */
#include "os/secret.h"
#include "adapter/impl.h"

enum { LEAST_REDACTED = 4 };

void ad_secret_remember(ad_adapters *a, mt_str secret)
{
    /* Shorter ones would take ordinary words out of texts. */
    if (secret.len >= LEAST_REDACTED) {
        mt_vec_push(&a->arena, &a->secrets, secret);
    }
}

/* Where a credential is; one of them. */
typedef struct reference_to {
    const char *variable, *file;
} reference_to;

/* The text of a secret is never part of a message; where it was looked for is. Control
 * characters are refused: in a header they would begin another one. */
bool ad_secret_read(ad_opening *o, const ad_source *s, const mt_json *reference,
                    const char *what, mt_str *out)
{
    static const mt_form_row ROWS[] = {
        MT_FORM_ROW(reference_to, variable, "env", MT_FORM_K_WORD, 1, INT64_MAX, 0),
        MT_FORM_ROW(reference_to, file, "file", MT_FORM_K_WORD, 1, INT64_MAX, 0),
    };
    reference_to found = {0};
    ad_subject subject = {.o = o, .source = s};
    mt_form form = ad_form(&subject, what, "a reference to a credential");
    const char *why = "";
    if (mt_json_is(reference, MT_JSON_OBJECT) &&
        !mt_form_read(&form, reference, ROWS, mt_form_count(ROWS), &found)) {
        return false;
    }
    bool variable = found.variable != NULL;
    if (variable == (found.file != NULL)) {
        return ad_source_fault(o, s, AD_F_CREDENTIAL,
                               "%s of source '%.*s' must be {env: NAME} or "
                               "{file: PATH}: credentials are not written into a "
                               "configuration",
                               what, MT_ARG(s->decl->id));
    }
    mt_str name = mt_str_z(variable ? found.variable : found.file);
    mt_arena *a = &o->adapters->arena;
    bool ok = variable ? os_secret_variable(a, found.variable, out, &why)
                       : os_secret_file(a, ad_beside(o, name).ptr, out, &why);
    if (!ok) {
        return ad_source_fault(
            o, s, AD_F_CREDENTIAL, "%s of source '%.*s': %s '%.*s' %s", what,
            MT_ARG(s->decl->id), variable ? "variable" : "file", MT_ARG(name), why);
    }
    ad_secret_remember(o->adapters, *out);
    return true;
}

/* The longest credential that stands at the start of the text. */
static size_t secret_at(const ad_adapters *a, mt_str text)
{
    size_t longest = 0;
    for (size_t i = 0; i < a->secrets.len; i++) {
        mt_str secret = a->secrets.items[i];
        if (secret.len > longest && mt_str_starts(text, secret)) {
            longest = secret.len;
        }
    }
    return longest;
}

/* Messages of libraries and servers may repeat what they were sent. Every secret is
 * looked for at every place: texts are short and secrets are few. */
mt_str ad_redact(const ad_adapters *a, mt_arena *arena, mt_str text)
{
    mt_buf out = {0};
    bool found = false;
    for (size_t i = 0; a->secrets.len && i < text.len;) {
        size_t length = secret_at(a, mt_str_skip(text, i));
        if (length) {
            mt_buf_addz(&out, "[secret]");
            found = true;
        } else {
            mt_buf_addc(&out, text.ptr[i]);
        }
        i += length ? length : 1;
    }
    mt_str result = found ? mt_str_dup(arena, mt_buf_str(&out)) : text;
    mt_buf_free(&out);
    return result;
}
