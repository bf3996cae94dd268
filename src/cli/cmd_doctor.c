/* cli/cmd_doctor.c - motet doctor: is this machine ready to serve, and stays it so?
 *
 * One row of CHECKS after the other looks at one thing: configuration, store, disk,
 * clock, keys, certificate, who is let in and who vouches for them, sources, collector,
 * witnesses, open files.
 * Each says what it found, good or not, and what to do about it; none stops the next.
 *
 * Invariants: nothing is written, nothing is started, no credential is sent or shown; a
 * store is opened for reading, beside a running server. Whoever does not answer is
 * waited for REACH_MS at most, a provider that is asked for its keys for a few seconds.
 *
 * Exit: 0 nothing is wrong (warnings are told), 1 something is, 3 somebody who is
 * needed does not answer and nothing else is wrong. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "cli/serve_reload.h"
#include "http/tls.h"
#include "http/token.h"
#include "os/address.h"
#include "os/file.h"
#include "os/key_file.h"
#include "os/secret.h"
#include "store/store.h"

/* clang-format off */
const cli_option CMD_DOCTOR_OPTIONS[] = {
    {"config",     "FILE", "the settings of motet serve (YAML or JSON)"},
    {"store",      "URL",  "where everything is kept (sqlite:motet.db)"},
    {"store-file", "FILE", "a private file that has the URL"},
    {"json",       NULL,   "print the findings as JSON"},
    {NULL, NULL, NULL},
};
/* clang-format on */
const char CMD_DOCTOR_DETAILS[] =
    "Looks at what a server needs: configuration, store, disk, clock, keys and their "
    "modes, certificate, tokens, identity providers, authorities of client "
    "certificates, sources, collector, witnesses, open files. Every "
    "finding says what to do. Nothing is changed, and it may run beside the server.\n\n"
    "Exit 0: nothing is wrong; 1: something is; 3: somebody who is needed does not "
    "answer.";

/* REACH_MS: long enough for a machine on another continent, short enough to wait for
 * a dozen that are silent. OWN_FILES: as http/server.c reckons, beside connections.
 * CERT_DAYS: when certificates of 90 days are usually renewed. PEM_BYTES: a chain is a
 * few kilobytes; whatever is larger is another file. DISK_LEAST_MB: below it a busy
 * store may be full before anyone looks. */
enum {
    REACH_MS = 2000,
    OWN_FILES = 128,
    CERT_DAYS = 30,
    PEM_BYTES = 1 << 20,
    DISK_LEAST_MB = 100,
    DISK_USUAL_MB = 1024
};

/* ORDER: LEVELS. WARNING: it works today, and may stop. UNREACHABLE: nothing here is
 * wrong, as far as can be seen, but somebody else is silent. */
typedef enum level { GOOD, WARNING, WRONG, UNREACHABLE } level;
static const char *const LEVELS[] = {
    [GOOD] = "ok",
    [WARNING] = "warning",
    [WRONG] = "wrong",
    [UNREACHABLE] = "unreachable",
};
MT_TABLE_COVERS(LEVELS, UNREACHABLE + 1);

/* Advice is empty where there is nothing to do; it is one of our own texts and outlives
 * everything. */
typedef struct finding {
    const char *check;
    level level;
    mt_str message, advice;
} finding;

typedef struct doctor {
    const cli_args *args;
    mt_arena arena;
    mt_limits limits;
    ht_config config;
    st_store *store;   /* NULL: it could not be opened */
    const char *check; /* the one at work */
    MT_VEC(finding) findings;
} doctor;

__attribute__((format(printf, 4, 5))) static void
say(doctor *d, level l, const char *advice, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    finding f = {.check = d->check,
                 .level = l,
                 .message = mt_strfv(&d->arena, format, args),
                 .advice = mt_str_z(advice)};
    va_end(args);
    mt_vec_push(&d->arena, &d->findings, f);
}

/* ---- Configuration and store ---- */

/* Faults are told as one finding. The checks after it run all the same, so a slip in
 * one line does not hide a full disk. */
static void check_config(doctor *d)
{
    mt_buf faults = {0};
    if (serve_settings(&d->arena, d->args, &d->limits, &d->config, &faults)) {
        mt_str text = mt_str_trim(mt_buf_str(&faults), MT_STR("\n"));
        say(d, WRONG, "motet serve --check-config tells all of it", "%.*s",
            MT_ARG(text));
    } else {
        const char *path = cli_value(d->args, "config");
        say(d, GOOD, "", "%s", path ? path : "no file: the usual settings");
    }
    mt_buf_free(&faults);
}

/* False: it was told, and there is no store to look at. */
static bool read_url(doctor *d)
{
    mt_str url;
    /* A URL in a file is for passwords; it is read as the server will, with the mode
     * checked, and never printed. */
    if (!d->config.store_file) {
        return true;
    }
    const char *why = os_secret_read(&d->arena, NULL, d->config.store_file, &url);
    if (why) {
        say(d, WRONG, "the file has the URL and nothing else, mode 600", "%s %s",
            d->config.store_file, why);
        return false;
    }
    d->config.store = mt_str_dup(&d->arena, url).ptr;
    return true;
}

/* A store of another version or one that is damaged is wrong here; everything else may
 * be the network or a database that is down. */
static void check_store(doctor *d)
{
    st_options options = {.pool = 1, .read_only = true, .must_exist = true};
    mt_buf why = {0};
    if (!read_url(d)) {
        return;
    }
    mt_err err = st_open(d->config.store, &options, &d->store, &why);
    if (err) {
        say(d, err == MT_E_VERSION || err == MT_E_CORRUPT ? WRONG : UNREACHABLE,
            "motet serve makes a store that is not there; check address, name, "
            "password "
            "and rights of one that should be",
            "%.*s", MT_ARG(mt_buf_str(&why)));
    } else {
        say(d, GOOD, "", "%.*s", MT_ARG(st_describe(d->store)));
    }
    mt_buf_free(&why);
}

/* ---- Disk ---- */

/* The directory that a file is in, or will be. */
static const char *directory_of(doctor *d, const char *path)
{
    mt_str name = mt_str_z(path);
    mt_str dir = mt_str_from(name.ptr, name.len - mt_str_basename(name).len);
    return dir.len ? mt_str_dup(&d->arena, dir).ptr : ".";
}

/* Free space and the right to write are two findings: a disk may have plenty of the
 * first and none of the second. */
static void check_space(doctor *d, const char *path)
{
    uint64_t bytes;
    const char *dir = directory_of(d, path);
    if (os_disk_free(dir, &bytes)) {
        say(d, WRONG, "make the directory, or give another path", "%s: %s", dir,
            strerror(errno));
        return;
    }
    unsigned long long mb = bytes / (1024 * 1024);
    level l = mb < DISK_LEAST_MB ? WRONG : mb < DISK_USUAL_MB ? WARNING : GOOD;
    say(d, l, l == GOOD ? "" : "make room: a store that is full answers 503",
        "%s has %llu MB free", dir, mb);
    if (access(dir, W_OK) != 0) {
        say(d, WRONG, "the server's user must be able to write there",
            "%s cannot be written", dir);
    }
}

static void check_disk(doctor *d)
{
    mt_str url = mt_str_z(d->config.store);
    if (mt_str_starts(url, MT_STR("postgres"))) {
        say(d, GOOD, "", "the store is a database; look at the disk of its server");
        return;
    }
    check_space(d, mt_str_starts(url, MT_STR("sqlite:")) ? url.ptr + 7 : url.ptr);
}

/* ---- Clock ---- */

static mt_err take_time(void *state, const st_record *row)
{
    *(int64_t *)state = row->time_ms;
    return MT_OK;
}

/* When the newest record was written, those that are not in the chain yet included; 0:
 * there is none, or it cannot be read (check_store has told then). */
static int64_t last_record_ms(st_store *store)
{
    st_tx *tx;
    int64_t ms = 0;
    st_record_filter newest = {.newest_first = true, .pending = true};
    if (!st_begin(store, ST_READ, &tx)) {
        (void)st_record_walk(tx, &newest, (st_page){.limit = 1}, take_time, &ms);
        st_rollback(tx);
    }
    return ms;
}

/* The newest record is compared first: with a clock behind it the next record would be
 * dated before the last. */
static void check_clock(doctor *d)
{
    struct timex state = {0};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    int64_t last = d->store ? last_record_ms(d->store) : 0;
    /* A second is what two machines may differ by; more means that records would go
     * backwards in time. */
    if (last > now_ms + 1000) {
        say(d, WRONG, "set the clock: expiry of tokens and facts goes by it",
            "the last record is %lld s ahead of this clock",
            (long long)(last - now_ms) / 1000);
    }
    if (adjtimex(&state) == TIME_ERROR || (state.status & STA_UNSYNC)) {
        say(d, WARNING, "run an NTP client (systemd-timesyncd, chrony)",
            "the clock is not known to be synchronised");
    } else {
        say(d, GOOD, "", "the clock is synchronised");
    }
}

/* ---- Keys and certificate ---- */

/* The key is read as the server will, with the file's mode checked, and wiped at once;
 * shown is only the name of its public half. */
static void check_key_file(doctor *d, const char *name, const char *path)
{
    mt_sign_key key;
    mt_buf why = {0};
    if (os_key_read(path, &key, &why)) {
        say(d, WRONG, "motet keygen makes one; mode 600, owned by the server's user",
            "%s: %.*s", name, MT_ARG(mt_buf_str(&why)));
    } else {
        char shown[MT_SIGN_NAME];
        mt_sign_name(&key.open, shown);
        mt_sign_wipe(&key);
        say(d, GOOD, "", "%s: %s, key %s", name, path, shown);
    }
    mt_buf_free(&why);
}

/* No key at all is a warning: whoever runs a test needs none, but an unsigned ledger
 * can be written anew by who has the store. */
static void check_keys(doctor *d)
{
    const ht_config *c = &d->config;
    if (c->signing_key) {
        check_key_file(d, "signing_key", c->signing_key);
    } else {
        say(d, WARNING, "motet keygen, then signing_key: FILE",
            "no signing_key: the ledger is signed by nobody");
    }
    if (c->previous_signing_key) {
        check_key_file(d, "previous_signing_key", c->previous_signing_key);
    }
}

static void check_mode(doctor *d, const char *path)
{
    if (os_secret_exposed(path)) {
        say(d, WRONG, "chmod 600, or 640 with a group of its own",
            "%s can be read or changed by others", path);
    }
}

/* An expired certificate, or a key of another one, is refused by ht_tls_check() as the
 * server would refuse it; what is left is how long it stays good. */
static void check_certificate(doctor *d)
{
    mt_str cert, key;
    mt_buf why = {0};
    int64_t until = 0;
    const ht_config *c = &d->config;
    if (!c->tls_cert || !c->tls_key) {
        say(d, GOOD, "", "without TLS");
        return;
    }
    check_mode(d, c->tls_key);
    if (os_read_ready(&d->arena, c->tls_cert, PEM_BYTES, &cert) ||
        os_read_ready(&d->arena, c->tls_key, PEM_BYTES, &key)) {
        say(d, WRONG, "check path and rights", "%s or %s cannot be read", c->tls_cert,
            c->tls_key);
        return;
    }
    if (ht_tls_check(cert, key, &until, &why)) {
        say(d, WRONG, "a chain in order (own certificate first) and its key, both PEM",
            "%.*s", MT_ARG(mt_buf_str(&why)));
    } else {
        long long days = ((long long)until - (long long)time(NULL)) / 86400;
        say(d, days < CERT_DAYS ? WARNING : GOOD,
            days < CERT_DAYS ? "renew it, then send SIGHUP to the server" : "",
            "the certificate is good for %lld days", days);
    }
    mt_buf_free(&why);
}

/* ---- Who is let in ---- */

static mt_err count_one(void *state, const st_doc *row)
{
    (void)row;
    ++*(int64_t *)state;
    return MT_OK;
}

/* 0, 1 or 2: only whether there are any is asked, so no more rows are read. */
static int64_t token_count(st_store *store)
{
    st_tx *tx;
    int64_t count = 0;
    if (!st_begin(store, ST_READ, &tx)) {
        (void)st_doc_walk(tx, HT_TOKEN_KIND, MT_STR(""), (st_page){.limit = 2},
                          count_one, &count);
        st_rollback(tx);
    }
    return count;
}

/* Without a store nothing can be said about tokens, and nothing is. */
static void check_door(doctor *d)
{
    os_address at;
    const char *listen = d->config.listen;
    if (os_address_find(listen, &at)) {
        say(d, WRONG, "listen: HOST:PORT", "%s cannot be listened on", listen);
        return;
    }
    bool tokens = d->store && token_count(d->store) > 0;
    if (d->store && !tokens) {
        say(d, WARNING, "motet token create",
            "there are no tokens: whoever reaches %s "
            "may do everything",
            listen);
    } else {
        say(d, GOOD, "", "%s", listen);
    }
}

/* ---- Who vouches for them ---- */

static void say_identity_fault(void *state, mt_str key, size_t offset, mt_str reason)
{
    (void)offset;
    say(state, WRONG, "docs/rights.md has the settings", "%.*s: %.*s", MT_ARG(key),
        MT_ARG(reason));
}

/* Whoever answers with nonsense, or whose keys are a file that cannot be read, is
 * wrong; who does not answer may only be down. */
static void say_provider(void *state, const au_looked *l)
{
    doctor *d = state;
    mt_str name = l->provider;
    if (l->err) {
        bool silent = !l->file && l->err != MT_E_SYNTAX && l->err != MT_E_DENIED;
        say(d, silent ? UNREACHABLE : WRONG,
            silent ? "is it up, and does a firewall let this machine through?"
                   : "jwks is a JWK set, in a file or at an address that may be asked",
            "provider %.*s: %.*s", MT_ARG(name),
            MT_ARG(l->why.len ? l->why : mt_str_z(mt_err_text(l->err))));
    } else if (!l->keys) {
        say(d, WRONG, "RS256, ES256 and EdDSA keys for signatures can be used",
            "provider %.*s has no key that can be used", MT_ARG(name));
    } else {
        say(d, GOOD, "", "provider %.*s has %zu key%s", MT_ARG(name), l->keys,
            l->keys == 1 ? "" : "s");
    }
}

/* `first` and `last`: when the first and the last of them expires. As long as one is
 * good clients can come in, so only the last makes it wrong. */
static void say_authorities(doctor *d, const au_certificates *c)
{
    int64_t first, last, now = (int64_t)time(NULL);
    size_t count = au_certificates_until(c, &first, &last);
    long long days = (long long)((first - now) / 86400);
    if (last < now) {
        say(d, WRONG, "put one that is good into certificates.ca, and restart",
            "no authority of client certificates is good any more");
    } else {
        say(d, days < CERT_DAYS ? WARNING : GOOD,
            days < CERT_DAYS ? "clients of it are refused from then on: renew it, and "
                               "restart"
                             : "",
            "%zu authorit%s of client certificates; the first is good for %lld days",
            count, count == 1 ? "y" : "ies", days);
    }
}

/* Faults of the sections are told as they are read; what is good is then tried. */
static void check_identities(doctor *d)
{
    au_settings in = {.all = d->config.all,
                      .directory = serve_directory(d->args),
                      .persona_known = ex_persona_known,
                      .right_known = ex_right_known,
                      .fault = say_identity_fault,
                      .state = d};
    au_oidc *oidc = NULL;
    au_certificates *certificates = NULL;
    if (!d->config.oidc && !d->config.certificates) {
        say(d, GOOD, "", "nobody else vouches for callers");
        return;
    }
    (void)au_oidc_read(&in, &oidc);
    (void)au_certificates_read(&in, &certificates);
    if (oidc) {
        au_oidc_look(oidc, say_provider, d);
    }
    if (certificates) {
        say_authorities(d, certificates);
    }
    au_oidc_free(oidc);
    au_certificates_free(certificates);
}

/* ---- Others ---- */

/* Is somebody there? Nothing is sent. */
static bool answers(const char *host_port)
{
    os_address at;
    if (os_address_find(host_port, &at)) {
        return false;
    }
    int fd = os_connect(&at);
    if (fd < 0) {
        return false;
    }
    struct pollfd waits = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t len = sizeof error;
    bool ready = poll(&waits, 1, REACH_MS) == 1 &&
                 getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && !error;
    close(fd);
    return ready;
}

/* HOST:PORT of a URL; a name or password in it is left out. */
static mt_str origin_of(doctor *d, mt_str url)
{
    bool tls = mt_str_starts(url, MT_STR("https://"));
    if (!tls && !mt_str_starts(url, MT_STR("http://"))) {
        return (mt_str){0};
    }
    mt_str host = mt_str_skip(url, tls ? 8 : 7);
    size_t end = 0;
    while (end < host.len && !strchr("/?#", host.ptr[end])) {
        end++;
    }
    host = mt_str_from(host.ptr, end);
    size_t at = mt_str_find(host, '@');
    host = at < host.len ? mt_str_skip(host, at + 1) : host;
    size_t colon = host.len;
    while (colon && host.ptr[colon - 1] != ':' && host.ptr[colon - 1] != ']') {
        colon--;
    }
    bool port = colon && host.ptr[colon - 1] == ':';
    return port ? mt_str_dup(&d->arena, host)
                : mt_strf(&d->arena, "%.*s:%d", MT_ARG(host), tls ? 443 : 80);
}

/* Reached means that a connection was accepted; what is said over it is not tried,
 * since a request may cost or change something. */
static void reach(doctor *d, mt_str name, mt_str url)
{
    mt_str origin = origin_of(d, url);
    if (!origin.len) {
        say(d, WRONG, "http://HOST:PORT or https://HOST:PORT", "%.*s has no address",
            MT_ARG(name));
    } else if (answers(origin.ptr)) {
        say(d, GOOD, "", "%.*s answers at %s", MT_ARG(name), origin.ptr);
    } else {
        say(d, UNREACHABLE, "is it up, and does a firewall let this machine through?",
            "%.*s does not answer at %s", MT_ARG(name), origin.ptr);
    }
}

/* Sources without a base_url (files, databases) are not reached over HTTP and are
 * passed over. */
static void check_sources(doctor *d)
{
    const mt_json *all = d->config.sources;
    bool any = false;
    for (uint32_t i = 0; mt_json_is(all, MT_JSON_OBJECT) && i < all->count; i++) {
        const mt_json_member *m = &all->as.members[i];
        mt_str url = mt_json_text(mt_json_at(&m->value, "base_url"));
        if (url.len) {
            any = true;
            reach(d, m->key, url);
        }
    }
    if (!any) {
        say(d, GOOD, "", "no source over HTTP is configured");
    }
}

static void check_collector(doctor *d)
{
    mt_str url = mt_json_text(mt_json_at(d->config.otlp, "endpoint"));
    if (url.len) {
        reach(d, MT_STR("the collector"), url);
    } else {
        say(d, GOOD, "", "no collector is configured");
    }
}

/* Those that are reached over HTTP; a list, or an object of named ones. */
static void check_witnesses(doctor *d)
{
    const mt_json *all = mt_json_at(d->config.all, "witnesses");
    bool list = mt_json_is(all, MT_JSON_ARRAY);
    bool any = false;
    for (uint32_t i = 0;
         all && (list || mt_json_is(all, MT_JSON_OBJECT)) && i < all->count; i++) {
        const mt_json *w = list ? &all->as.items[i] : &all->as.members[i].value;
        mt_str url = mt_json_text(mt_json_at(w, "url"));
        mt_str name = mt_json_text(mt_json_at(w, "name"));
        if (url.len) {
            any = true;
            reach(d, name.len ? name : MT_STR("a witness"), url);
        }
    }
    if (!any) {
        say(d, GOOD, "", "no witness over HTTP is configured");
    }
}

/* ---- Limits ---- */

/* A warning and not wrong: the server starts all the same, with as many connections as
 * fit (fewer_connections in its log). */
static void check_files(doctor *d)
{
    struct rlimit files;
    /* The hard limit: the server raises its soft one up to that by itself. */
    rlim_t wanted = d->config.max_connections + OWN_FILES;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return;
    }
    if (files.rlim_max < wanted) {
        say(d, WARNING,
            "raise it (LimitNOFILE= of systemd, ulimit -n) or lower "
            "max_connections",
            "%llu files may be open, %llu connections want %llu",
            (unsigned long long)files.rlim_max,
            (unsigned long long)d->config.max_connections, (unsigned long long)wanted);
    } else {
        say(d, GOOD, "", "%llu files may be open", (unsigned long long)files.rlim_max);
    }
}

/* ---- All of it ---- */

/* ORDER: settings before what they name, the store before who asks it. */
static const struct {
    const char *name;
    void (*look)(doctor *d);
} CHECKS[] = {
    {"config", check_config},       {"store", check_store},
    {"disk", check_disk},           {"clock", check_clock},
    {"keys", check_keys},           {"certificate", check_certificate},
    {"door", check_door},           {"identities", check_identities},
    {"sources", check_sources},     {"collector", check_collector},
    {"witnesses", check_witnesses}, {"files", check_files},
};

/* Something wrong outweighs somebody who is silent: mending comes before waiting. */
static level worst_of(const doctor *d)
{
    bool wrong = false, silent = false, warned = false;
    for (size_t i = 0; i < d->findings.len; i++) {
        wrong |= d->findings.items[i].level == WRONG;
        silent |= d->findings.items[i].level == UNREACHABLE;
        warned |= d->findings.items[i].level == WARNING;
    }
    return wrong ? WRONG : silent ? UNREACHABLE : warned ? WARNING : GOOD;
}

static void write_json(const doctor *d, mt_buf *out)
{
    mt_jw w = mt_jw_start(out, true);
    mt_jw_begin_object(&w);
    mt_jw_keyz(&w, "findings");
    mt_jw_begin_array(&w);
    for (size_t i = 0; i < d->findings.len; i++) {
        const finding *f = &d->findings.items[i];
        mt_jw_begin_object(&w);
        if (f->advice.len) {
            mt_jw_key_str(&w, "advice", f->advice);
        }
        mt_jw_key_str(&w, "check", mt_str_z(f->check));
        mt_jw_key_str(&w, "level", mt_str_z(LEVELS[f->level]));
        mt_jw_key_str(&w, "message", f->message);
        mt_jw_end_object(&w);
    }
    mt_jw_end_array(&w);
    mt_jw_key_str(&w, "status", mt_str_z(LEVELS[worst_of(d)]));
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* "ok           clock        the clock is synchronised"; advice is indented below the
 * message. */
static void write_text(const doctor *d, mt_buf *out)
{
    for (size_t i = 0; i < d->findings.len; i++) {
        const finding *f = &d->findings.items[i];
        mt_buf_addf(out, "%-11s  %-11s  %.*s\n", LEVELS[f->level], f->check,
                    MT_ARG(f->message));
        if (f->advice.len) {
            mt_buf_addf(out, "%26s%.*s\n", "", MT_ARG(f->advice));
        }
    }
}

/* Every check runs, whatever those before it found. When printing fails its code is
 * returned, whatever was found. */
int cmd_doctor(const cli_args *args)
{
    doctor d = {.args = args, .limits = cli_limits(args), .config = HT_CONFIG_DEFAULT};
    mt_buf out = {0};
    for (size_t i = 0; i < sizeof CHECKS / sizeof *CHECKS; i++) {
        d.check = CHECKS[i].name;
        CHECKS[i].look(&d);
    }
    (cli_flag(args, "json") ? write_json : write_text)(&d, &out);
    int code = cli_print(mt_buf_str(&out));
    level worst = worst_of(&d);
    mt_buf_free(&out);
    if (d.store) {
        st_close(d.store);
    }
    mt_arena_free(&d.arena);
    return code                   ? code
           : worst == WRONG       ? CLI_FAILS
           : worst == UNREACHABLE ? CLI_WORLD
                                  : CLI_HOLDS;
}
