#include "exec/evidence/sign_elsewhere.h"

#include "base/form.h"
#include "os/key_file.h"

enum { USUAL_MS = 10000 };

typedef struct setting {
    mt_form_words command;
    const char *key;
    int64_t timeout_ms;
} setting;

static const mt_form_row ROWS[] = {
    MT_FORM_WORDS(setting, command, "command", 1, 1000, MT_FORM_REQUIRED),
    MT_FORM_WORD(setting, key, "key", MT_FORM_REQUIRED),
    MT_FORM_INT(setting, timeout_ms, "timeout_ms", 1, 600000, 0),
};

mt_err ex_sign_elsewhere_read(mt_arena *a, const mt_json *settings,
                              os_sign_command **out, mt_buf *why)
{
    const mt_json *at = mt_json_at(settings, "signer");
    setting s = {.timeout_ms = USUAL_MS};
    mt_sign_public open;
    mt_form form = {.arena = a,
                    .path = MT_STR("signer"),
                    .what = "`signer`",
                    .report = mt_form_join,
                    .state = why};
    *out = NULL;
    if (!at) {
        return MT_OK;
    }
    if (!mt_form_read(&form, at, ROWS, mt_form_count(ROWS), &s)) {
        return MT_E_REJECTED;
    }
    mt_buf key = {0};
    mt_err err = os_key_public(s.key, &open, &key);
    if (err) {
        mt_buf_addf(why, "signer.key: %.*s%s", MT_ARG(mt_buf_str(&key)),
                    key.len ? "" : "it is neither a public key nor a file with one");
    } else {
        *out = os_sign_command_new(s.command.items, (unsigned)s.timeout_ms, &open);
    }
    mt_buf_free(&key);
    return err ? MT_E_REJECTED : MT_OK;
}
