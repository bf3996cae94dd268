/* cli/serve_reload.c - SIGHUP: what a running server reads again.
 * Room: cli. ORDER: the file is read and checked whole before anything of it is
 * used, so a file with one fault changes nothing. Then the log level, the
 * certificate, a look at the signing key, and last the names of all settings that
 * differ and need a restart. Every step is logged under a stable event name; none
 * ends the server.
 * INVARIANT: `running` keeps pointing at texts that live as long as the server. The
 * new settings live in an arena that ends with this call, which is why the level is
 * taken by its static name. */
#include "cli/serve_reload.h"

#include <errno.h>

#include "http/tls.h"
#include "os/file.h"
#include "os/secret.h"

/* A chain is a few kilobytes; what is larger is another file. */
enum { PEM_BYTES = 1 << 20 };

/* Paths in the configuration are relative to it. */
mt_str serve_directory(const cli_args *args)
{
    const char *path = cli_value(args, "config");
    mt_str name = mt_str_z(path ? path : "");
    return mt_str_from(name.ptr, name.len - mt_str_basename(name).len);
}

int serve_options(mt_arena *a, const cli_args *args, ht_config *config)
{
    bool listed = false, declared = false;
    for (int i = 0; i < args->given_count; i++) {
        const char *name = args->given[2 * i], *value = args->given[2 * i + 1];
        if (strcmp(name, "auto-persona") == 0 && !listed) {
            config->auto_personas = (ht_list){0}; /* options replace, not add */
            listed = true;
        }
        if (strcmp(name, "policy") == 0 && !declared) {
            config->policies = (ht_list){0};
            declared = true;
        }
        if (ht_config_set(a, config, name, value) == MT_E_RANGE) {
            return i;
        }
    }
    if (args->count) {
        const char **files = mt_new_array(a, const char *, (size_t)args->count + 1);
        memcpy(files, args->operands, (size_t)args->count * sizeof *files);
        config->files = (ht_list){files, (size_t)args->count};
    }
    return -1;
}

mt_err serve_settings(mt_arena *a, const cli_args *args, const mt_limits *limits,
                      ht_config *out, mt_buf *faults)
{
    const char *path = cli_value(args, "config");
    mt_str text, name = mt_str_z(path ? path : "");
    *out = HT_CONFIG_DEFAULT;
    if (path && os_read_file(a, path, limits->yaml_bytes, &text)) {
        mt_buf_addf(faults, "%s cannot be read: %s\n", path, strerror(errno));
        return MT_E_IO;
    }
    mt_err err = path ? ht_config_read(a, name, text,
                                       !mt_str_ends(name, MT_STR(".json")), out, faults)
                      : MT_OK;
    /* Options after the file: whoever typed one meant it to win. */
    int bad = err ? -1 : serve_options(a, args, out);
    if (bad >= 0) {
        mt_buf_addf(faults, "--%s: %s is out of range\n", args->given[2 * bad],
                    args->given[2 * bad + 1]);
        err = MT_E_RANGE;
    }
    return err ? err : ht_config_check(out, faults);
}

static void say(const serve_reloading *r, ht_level level, const char *event,
                const char *key, mt_str text)
{
    ht_log_text(r->log, level, event, key, mt_str_trim(text, MT_STR("\n")));
}

/* False: the old certificate stays in use, and the log says why. */
static bool read_pem(const serve_reloading *r, mt_arena *a, const char *path,
                     mt_str *out)
{
    if (!os_read_ready(a, path, PEM_BYTES, out)) {
        return true;
    }
    mt_str why = mt_strf(a, "%s cannot be read: %s", path, strerror(errno));
    say(r, HT_ERROR, "certificate_kept", "reason", why);
    return false;
}

/* As when it starts: a key that others can read is refused, also after a renewal. */
static bool is_private(const serve_reloading *r, mt_arena *a, const char *path)
{
    const char *exposed = os_secret_exposed(path);
    if (exposed) {
        say(r, HT_ERROR, "certificate_kept", "reason",
            mt_strf(a, "%s %s", path, exposed));
    }
    return !exposed;
}

static void reload_certificate(const serve_reloading *r, mt_arena *a,
                               const ht_config *now)
{
    mt_str cert, key;
    mt_buf why = {0};
    if (!r->running->tls_cert || !now->tls_cert || !now->tls_key ||
        !is_private(r, a, now->tls_key) || !read_pem(r, a, now->tls_cert, &cert) ||
        !read_pem(r, a, now->tls_key, &key)) {
        return;
    }
    if (ht_server_certify(r->server, cert, key, &why)) {
        say(r, HT_ERROR, "certificate_kept", "reason", mt_buf_str(&why));
    } else {
        say(r, HT_INFO, "certificate_reloaded", "file", mt_str_z(now->tls_cert));
    }
    mt_buf_free(&why);
}

/* A ledger that goes on with another key needs the old one to hand it over, which is
 * done when the server starts. */
static void look_at_signing_key(const serve_reloading *r, const ht_config *now)
{
    mt_buf why = {0};
    if (now->signing_key && !ex_executor_has_key(r->executor, now->signing_key, &why)) {
        say(r, HT_WARN, "signing_key_kept", "reason", mt_buf_str(&why));
    }
    mt_buf_free(&why);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_list(const ht_list *a, const ht_list *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        same = same_text(a->items[i], b->items[i]);
    }
    return same;
}

/* Compared as values, so another layout of the file is not a change. */
static bool same_tree(const mt_json *a, const mt_json *b)
{
    return a == b || (a && b && mt_json_equal(a, b));
}

/* By the table of settings, so a new one is compared without a line here. */
static bool differs(const ht_setting *s, const ht_config *a, const ht_config *b)
{
    const char *x = (const char *)a + s->offset, *y = (const char *)b + s->offset;
    switch (s->kind) {
    case HT_TEXT:
        return !same_text(*(const char *const *)(const void *)x,
                          *(const char *const *)(const void *)y);
    case HT_COUNT:
        return *(const size_t *)(const void *)x != *(const size_t *)(const void *)y;
    case HT_FLAG: return *(const bool *)x != *(const bool *)y;
    case HT_LIST:
        return !same_list((const ht_list *)(const void *)x,
                          (const ht_list *)(const void *)y);
    case HT_TREE:
    case HT_ROWS:
        return !same_tree(*(const mt_json *const *)(const void *)x,
                          *(const mt_json *const *)(const void *)y);
    }
    return false;
}

/* `store` too: of a URL in a file the running settings have the text and the new
 * ones do not, so the two differ though nobody changed it. */
static bool is_reloaded(const serve_reloading *r, const ht_config *now, const char *key)
{
    bool certified = r->running->tls_cert && now->tls_cert; /* before and after */
    return strcmp(key, "log_level") == 0 || strcmp(key, "store") == 0 ||
           (certified && strcmp(key, "tls_cert") == 0) ||
           (certified && strcmp(key, "tls_key") == 0);
}

/* Faults are not told here: a section that has any counts as changed. */
static void no_fault(void *state, mt_str key, size_t offset, mt_str reason)
{
    (void)state, (void)key, (void)offset, (void)reason;
}

static bool any_name(mt_str text)
{
    (void)text;
    return true;
}

/* Whom clients' certificates are trusted for is read at the start: another authority
 * behind the same name would otherwise be waited for in vain. */
static bool authority_changed(const serve_reloading *r, const ht_config *now)
{
    au_certificates *fresh = NULL;
    au_settings in = {.all = now->all,
                      .directory = serve_directory(r->args),
                      .persona_known = any_name,
                      .right_known = any_name,
                      .fault = no_fault};
    if (!r->certificates || !now->certificates) {
        return false; /* the section itself changed */
    }
    bool changed = au_certificates_read(&in, &fresh) ||
                   !mt_str_eq(au_certificates_trusted(fresh),
                              au_certificates_trusted(r->certificates));
    au_certificates_free(fresh);
    return changed;
}

/* Whoever changed more than can be reloaded is told so, a line for each. */
static void name_the_rest(const serve_reloading *r, const ht_config *now)
{
    bool section = false;
    for (size_t i = 0; i < HT_SETTING_COUNT; i++) {
        const ht_setting *s = &HT_SETTINGS[i];
        if (!is_reloaded(r, now, s->key) && differs(s, r->running, now)) {
            say(r, HT_WARN, "restart_needed", "setting", mt_str_z(s->key));
            section = section || strcmp(s->key, "certificates") == 0;
        }
    }
    if (!section && authority_changed(r, now)) {
        say(r, HT_WARN, "restart_needed", "setting", MT_STR("certificates.ca"));
    }
}

/* The names of levels are static. */
static const char *level_named(const char *name)
{
    ht_level level = HT_INFO;
    (void)ht_level_read(mt_str_z(name), &level);
    return ht_level_name(level);
}

static void reload_level(const serve_reloading *r, const ht_config *now)
{
    ht_level level = HT_INFO;
    (void)ht_level_read(mt_str_z(now->log_level), &level);
    atomic_store(&r->log->least, (int)level);
    r->running->log_level = level_named(now->log_level);
}

void serve_reload(const serve_reloading *r)
{
    mt_arena a = {0};
    mt_buf faults = {0};
    ht_config now;
    if (serve_settings(&a, r->args, r->limits, &now, &faults)) {
        say(r, HT_ERROR, "reload_refused", "reason", mt_buf_str(&faults));
    } else {
        reload_level(r, &now);
        reload_certificate(r, &a, &now);
        look_at_signing_key(r, &now);
        name_the_rest(r, &now);
        say(r, HT_INFO, "reloaded", "log_level", mt_str_z(r->running->log_level));
    }
    mt_buf_free(&faults);
    mt_arena_free(&a);
}
