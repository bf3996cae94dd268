/* trace/settings.c - `otlp` of the configuration.
 * Room: trace. A header's value is a credential more often than not, so it is a
 * reference, {env: NAME} or {file: PATH}, or text that everyone may read. Order: the
 * rows, then the address, then the headers, whose secrets are read here and now: a
 * server that starts without its credential would only be noticed by the traces that
 * are missing.
 * May fail: only by form->report, for each fault. Messages name a variable or a file
 * and never what is in it. */
#include <string.h>

#include "os/address.h"
#include "os/secret.h"
#include "trace/exporter.h"

/* queue: a trace takes some 700 bytes, so this is a few megabytes. */
static const tr_settings USUAL = {
    .service = "motet",
    .sample = 1,
    .queue = 8192,
    .timeout_ms = 10000,
    .every_ms = 1000,
    .metrics_ms = 15000,
};

/* clang-format off */
static const mt_form_row ROWS[] = {
    MT_FORM_ROW(tr_settings, endpoint, "endpoint", MT_FORM_K_WORD, 1, 2048, MT_FORM_REQUIRED),
    MT_FORM_OBJECT(tr_settings, given, "headers", 0),
    MT_FORM_ROW(tr_settings, service, "service", MT_FORM_K_WORD, 1, 255, 0),
    MT_FORM_ROW(tr_settings, ca_file, "ca_file", MT_FORM_K_WORD, 1, 4096, 0),
    MT_FORM_U32(tr_settings, sample, "sample", 0, 1000000, 0),
    MT_FORM_U32(tr_settings, queue, "queue", 64, 1 << 20, 0),
    MT_FORM_U32(tr_settings, timeout_ms, "timeout_ms", 10, 600000, 0),
    MT_FORM_U32(tr_settings, every_ms, "every_ms", 10, 600000, 0),
    MT_FORM_U32(tr_settings, metrics_ms, "metrics_ms", 0, 86400000, 0),
};
/* clang-format on */

typedef struct reference {
    const char *variable, *file;
} reference;

static const mt_form_row REFERENCE[] = {
    MT_FORM_ROW(reference, variable, "env", MT_FORM_K_WORD, 1, INT64_MAX, 0),
    MT_FORM_ROW(reference, file, "file", MT_FORM_K_WORD, 1, INT64_MAX, 0),
};

static bool wrong(mt_form *form, const mt_json *at, const char *key, const char *what)
{
    return mt_form_say(form, MT_FORM_WRONG_KIND, at, key, "%s", what);
}

static bool is_name(mt_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        /* RFC 9110, 5.6.2: what a token may not have. */
        if (c <= ' ' || c >= 0x7f || memchr("()<>@,;:\\\"/[]?={}", c, 17)) {
            return false;
        }
    }
    return name.len > 0;
}

/* A newline in a value would begin a header of its own. */
static bool is_plain(mt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return text.len > 0;
}

/* Paths are those of the file of settings, wherever the server was started. */
static const char *beside(mt_arena *a, mt_str directory, const char *file)
{
    return file[0] == '/' ? file : mt_strf(a, "%.*s%s", MT_ARG(directory), file).ptr;
}

static bool read_value(mt_form *form, const mt_json *given, mt_str directory,
                       mt_str *out)
{
    reference r = {0};
    if (mt_json_is(given, MT_JSON_STRING)) {
        *out = mt_json_text(given);
        return is_plain(*out) ||
               wrong(form, given, "headers", "must be printable text");
    }
    if (!mt_form_read(form, given, REFERENCE, mt_form_count(REFERENCE), &r)) {
        return false;
    }
    if ((r.variable != NULL) == (r.file != NULL)) {
        return wrong(form, given, "headers",
                     "must be text, {env: NAME} or {file: PATH}");
    }
    const char *why =
        os_secret_read(form->arena, r.variable,
                       r.file ? beside(form->arena, directory, r.file) : NULL, out);
    return !why ||
           mt_form_say(form, MT_FORM_WRONG_KIND, given, "headers",
                       "names a %s '%s' that %s", r.variable ? "variable" : "file",
                       r.variable ? r.variable : r.file, why);
}

static bool read_headers(mt_form *form, mt_str directory, tr_settings *s)
{
    uint32_t count = s->given ? s->given->count : 0;
    mt_str *lines = mt_new_array(form->arena, mt_str, count + 1);
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        const mt_json_member *m = &s->given->as.members[i];
        mt_str value = {0};
        if (!is_name(m->key)) {
            good = wrong(form, &m->value, "headers", "has a malformed name");
        } else if (read_value(form, &m->value, directory, &value)) {
            lines[i] =
                mt_strf(form->arena, "%.*s: %.*s", MT_ARG(m->key), MT_ARG(value));
        } else {
            good = false;
        }
    }
    s->headers = lines;
    s->header_count = count;
    return good;
}

/* HOST, HOST:PORT, [IPv6] or [IPv6]:PORT. */
static bool is_place(mt_arena *a, mt_str place)
{
    bool bracketed = place.len && place.ptr[0] == '[';
    size_t host = bracketed ? mt_str_find(place, ']') + 1 : mt_str_find(place, ':');
    const char *port = host < place.len ? "" : ":0";
    char name[OS_HOST_TEXT], digits[8];
    return os_address_split(mt_strf(a, "%.*s%s", MT_ARG(place), port).ptr, name,
                            digits);
}

/* A credential in the address would be in `ps`, in messages and in logs. */
static bool check_endpoint(mt_form *form, const mt_json *otlp, const tr_settings *s)
{
    mt_str url = mt_str_z(s->endpoint);
    size_t scheme = mt_str_starts(url, MT_STR("http://"))    ? 7
                    : mt_str_starts(url, MT_STR("https://")) ? 8
                                                             : 0;
    mt_str host = mt_str_skip(url, scheme);
    const mt_json *at = mt_json_at(otlp, "endpoint");
    if (!scheme || !host.len || host.ptr[0] == '/' || !is_plain(url)) {
        return wrong(form, at, "endpoint",
                     "must be http://HOST:PORT or https://HOST:PORT");
    }
    if (mt_str_find(url, '?') < url.len || mt_str_find(url, '#') < url.len) {
        return wrong(form, at, "endpoint", "must not have a query or a fragment");
    }
    host = mt_str_from(host.ptr, mt_str_find(host, '/'));
    if (mt_str_find(host, '@') < host.len) {
        return wrong(form, at, "endpoint",
                     "must not have credentials: they go into `headers`");
    }
    return is_place(form->arena, host) ||
           wrong(form, at, "endpoint", "has no HOST, HOST:PORT or [IPv6]:PORT");
}

bool tr_settings_read(mt_form *form, const mt_json *otlp, mt_str directory,
                      tr_settings *out)
{
    *out = USUAL;
    if (!mt_form_read(form, otlp, ROWS, mt_form_count(ROWS), out)) {
        return false;
    }
    if (out->ca_file) {
        out->ca_file = beside(form->arena, directory, out->ca_file);
    }
    /* Headers are read also when the address is wrong: all faults in one run. */
    bool good = check_endpoint(form, otlp, out);
    return read_headers(form, directory, out) && good;
}
