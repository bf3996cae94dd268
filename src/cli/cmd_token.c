/* cli/cmd_token.c - motet token: who may come in.
 *
 * Works on the store itself, beside a running server, which sees the change within a
 * second (documents have stamps). The secret is shown once, when it is made; the store
 * keeps its hash. A token has personas and rights; none of the rights lets it act as a
 * persona.
 *
 * Listing walks in pages and never shows a secret. Revoking writes a mark and keeps
 * the row, so the ledger's names stay explainable. Whatever is done to a token is
 * queued for the ledger in the same transaction (http/token_store.h). */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sodium.h>

#include "base/duration.h"
#include "base/json_write.h"
#include "cli/commands.h"
#include "cli/table.h"
#include "contract/wire/calendar.h"
#include "http/config.h"
#include "http/token_store.h"

#define STORE_OPTION                                                                   \
    {                                                                                  \
        "store", "URL", "where everything is kept (sqlite:motet.db)"                   \
    }

/* clang-format off */
static const cli_option CREATE_OPTIONS[] = {
    STORE_OPTION,
    {"name",    "TEXT",     "whose token it is"},
    {"persona", "NAME",     "may act as this persona: PERSONA of every contract, CONTRACT:PERSONA of one; may be repeated"},
    {"right",   "RIGHT",    "has this right: RIGHT over every contract, CONTRACT/RIGHT over one; may be repeated"},
    {"expires", "DURATION", "good for so long (90d, 12h, 30m); never ends if not given"},
    {"actor",   "WHO",      "human or machine: who uses it, in every record"},
    {"json",    NULL,       "print a JSON object"},
    {NULL, NULL, NULL},
};
static const cli_option GRANT_OPTIONS[] = {
    STORE_OPTION,
    {"persona",    "NAME",     "add this persona; may be repeated"},
    {"no-persona", "NAME",     "take it away; may be repeated"},
    {"right",      "RIGHT",    "add this right; may be repeated"},
    {"no-right",   "RIGHT",    "take it away; may be repeated"},
    {"expires",    "DURATION", "good for so long from now (90d, 12h), or never"},
    {NULL, NULL, NULL},
};
static const cli_option ROTATE_OPTIONS[] = {
    STORE_OPTION,
    {"keep", "DURATION", "the old secret stays good for so long (1h; 0: not at all)"},
    {"json", NULL,       "print a JSON object"},
    {NULL, NULL, NULL},
};
static const cli_option LIST_OPTIONS[] = {
    STORE_OPTION,
    {"json", NULL, "print a JSON object"},
    {NULL, NULL, NULL},
};
static const char GRAMMAR[] =
    "Rights: read, evaluate, decide, deploy, instances:create, instances:delete, "
    "facts:NAME (or *), source:NAME, facts:override, ledger:read, admin, each also for one contract "
    "(escrow/facts:credit_score); metrics:read, graphs:NAME, agents:NAME. A persona of one "
    "contract is escrow:buyer. admin includes read, evaluate, ledger:read, metrics:read and "
    "cancelling flows, and nothing else; no right lets a token act as a persona.";
static const cli_option REVOKE_OPTIONS[] = {STORE_OPTION, {NULL, NULL, NULL}};
/* clang-format on */

enum { MOST = 1000 }; /* personas or rights of a token, tokens of a page */

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Beside a running server: shared_tool asks for no lock of an owner, and the server
 * finds the change at its next reading. */
static int open_store(const cli_args *args, st_store **out)
{
    const char *url = cli_value(args, "store");
    st_options options = {.pool = 1, .shared_tool = true};
    mt_buf why = {0};
    mt_err err = st_open(url ? url : HT_CONFIG_DEFAULT.store, &options, out, &why);
    int code = CLI_HOLDS;
    if (err) {
        code = cli_fail(args, CLI_WORLD, "%.*s", MT_ARG(mt_buf_str(&why)));
    }
    mt_buf_free(&why);
    return code;
}

static int store_fault(const cli_args *args, mt_err err)
{
    return cli_fail(args, CLI_WORLD, "the store: %s", mt_err_text(err));
}

/* A token that is told to open more than it can hold would open less than was asked. */
static int gather(const cli_args *args, mt_arena *a, const char *option,
                  const mt_str **out, size_t *count)
{
    mt_str *list = mt_new_array(a, mt_str, MOST);
    *out = list;
    *count = 0;
    for (const char *value; (value = cli_value_at(args, option, (int)*count));) {
        if (*count == MOST) {
            return cli_fail(args, CLI_USAGE, "--%s may be given %d times at most",
                            option, MOST);
        }
        list[(*count)++] = mt_str_z(value);
    }
    return CLI_HOLDS;
}

/* "90d" beside what base/duration.h reads. *out is a moment in milliseconds since 1970.
 * False: it is not a time, it is nothing, or it is beyond all reason. */
static bool read_expiry(const char *text, int64_t now, int64_t *out)
{
    uint64_t milliseconds;
    mt_str span = mt_str_z(text);
    if (span.len > 1 && span.ptr[span.len - 1] == 'd') {
        char hours[32];
        int len = snprintf(hours, sizeof hours, "%.*sh", (int)span.len - 1, span.ptr);
        /* Bounded before the multiplication, so that 24 times as much still
         * fits. */
        if (mt_duration_parse(mt_str_from(hours, (size_t)len), &milliseconds) ||
            milliseconds > INT64_MAX / 64) {
            return false;
        }
        milliseconds *= 24;
    } else if (mt_duration_parse(span, &milliseconds)) {
        return false;
    }
    *out = now + (int64_t)milliseconds;
    /* 2^50 ms are more than 30,000 years; beyond that somebody mistyped. */
    return milliseconds > 0 && milliseconds < (uint64_t)1 << 50;
}

/* Grants are checked by their form: what contract, fact or graph they are about may be
 * deployed later. */
static int check_grants(const cli_args *args, const ht_token *t)
{
    for (size_t i = 0; i < t->persona_count; i++) {
        if (!ex_persona_known(t->personas[i])) {
            return cli_fail(args, CLI_USAGE,
                            "%.*s is not a persona (PERSONA or CONTRACT:PERSONA)",
                            MT_ARG(t->personas[i]));
        }
    }
    for (size_t i = 0; i < t->right_count; i++) {
        if (!ex_right_known(t->rights[i])) {
            return cli_fail(args, CLI_USAGE, "there is no right %.*s",
                            MT_ARG(t->rights[i]));
        }
    }
    return CLI_HOLDS;
}

/* On standard error, so that what is printed stays the token alone. "motet: admin
 * includes read, evaluate, ...": who grants one right should know what comes with
 * it. */
static void say_what_is_included(const ht_token *t)
{
    for (size_t i = 0; i < t->right_count; i++) {
        const char *more = ex_right_includes(t->rights[i]);
        if (more) {
            fprintf(stderr, "motet: %.*s includes %s\n", MT_ARG(t->rights[i]), more);
        }
    }
}

/* Without --actor nobody claims to know, and records say nothing about it. */
static int read_actor(const cli_args *args, ht_token *t)
{
    const char *text = cli_value(args, "actor");
    if (!text) {
        return CLI_HOLDS;
    }
    t->actor = strcmp(text, "human") == 0     ? EX_ACTOR_HUMAN
               : strcmp(text, "machine") == 0 ? EX_ACTOR_MACHINE
                                              : EX_ACTOR_UNKNOWN;
    return t->actor ? CLI_HOLDS
                    : cli_fail(args, CLI_USAGE, "--actor is human or machine");
}

/* created_ms is taken once, so that --expires counts from the same moment. */
static int read_token(const cli_args *args, mt_arena *a, ht_token *t)
{
    const char *expires = cli_value(args, "expires"), *name = cli_value(args, "name");
    *t = (ht_token){.name = mt_str_z(name ? name : ""), .created_ms = now_ms()};
    int code = gather(args, a, "persona", &t->personas, &t->persona_count);
    code = code ? code : gather(args, a, "right", &t->rights, &t->right_count);
    code = code ? code : check_grants(args, t);
    code = code ? code : read_actor(args, t);
    if (code) {
        return code;
    }
    if (!t->persona_count && !t->right_count) {
        return cli_fail(args, CLI_USAGE,
                        "a token without --persona and --right opens nothing");
    }
    if (expires && !read_expiry(expires, t->created_ms, &t->expires_ms)) {
        return cli_fail(args, CLI_USAGE, "--expires takes a time such as 90d or 12h");
    }
    return CLI_HOLDS;
}

/* The only time the secret is seen; the buffer is wiped because freed memory is given
 * to others. */
static int show_secret(const cli_args *args, const ht_token *t, const char *text)
{
    mt_buf out = {0};
    if (cli_flag(args, "json")) {
        mt_jw w = mt_jw_start(&out, false);
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "id", t->id);
        mt_jw_key_str(&w, "token", mt_str_z(text));
        mt_jw_end_object(&w);
    } else {
        mt_buf_addz(&out, text);
    }
    mt_buf_addc(&out, '\n');
    int code = cli_print(mt_buf_str(&out));
    sodium_memzero(out.ptr, out.len);
    mt_buf_free(&out);
    return code;
}

/* Version 0: the row must be new. The record of it is part of the same transaction. */
static mt_err put_new(st_store *store, const ht_token *t)
{
    st_tx *tx;
    mt_err err = st_begin(store, ST_WRITE, &tx);
    if (err) {
        return err;
    }
    ht_token_change made = {.kind = "token_created"};
    err = ht_token_change_put(tx, t, 0, &made, now_ms());
    if (err) {
        st_rollback(tx);
        return err;
    }
    return st_commit(tx);
}

/* The token is shown after it is durable: a secret that opens nothing would be worse
 * than none. */
static int create(const cli_args *args)
{
    mt_arena arena = {0};
    ht_token t;
    st_store *store = NULL;
    char text[HT_TOKEN_TEXT + 1];
    int code = read_token(args, &arena, &t);
    code = code ? code : open_store(args, &store);
    if (!code) {
        ht_token_make(&arena, &t, text);
        mt_err err = put_new(store, &t);
        if (!err) {
            say_what_is_included(&t);
        }
        code = err ? store_fault(args, err) : show_secret(args, &t, text);
        sodium_memzero(text, sizeof text);
        st_close(store);
    }
    mt_arena_free(&arena);
    return code;
}

/* ---- Changing one ---- */

/* What a command does to a token. False: nothing is to be changed, `code` says why. */
typedef struct changing {
    const cli_args *args;
    mt_arena arena;
    const char *kind, *what; /* of the record */
    bool (*change)(struct changing *c, ht_token *t);
    int code;
    char secret[HT_TOKEN_TEXT + 1]; /* of a rotation */
    ht_token after;
} changing;

/* Reads and writes in one transaction; somebody who was faster all the same is found by
 * the version, so a revocation is not undone by an older copy. */
static mt_err change_in(changing *c, st_tx *tx, mt_str id)
{
    ht_token before;
    int64_t version;
    mt_err err = ht_token_find(tx, &c->arena, id, &before, &version);
    c->after = before;
    if (err || !c->change(c, &c->after)) {
        return err;
    }
    ht_token_change record = {c->kind, c->what, &before};
    return ht_token_change_put(tx, &c->after, version + 1, &record, now_ms());
}

/* Tried again when somebody else changed the token in between: then it is read anew,
 * and what both wanted is kept. */
static mt_err change_it(changing *c, st_store *store, mt_str id)
{
    enum { TRIES = 8 };
    mt_err err = MT_E_CONFLICT;
    for (int i = 0; i < TRIES && err == MT_E_CONFLICT; i++) {
        st_tx *tx;
        err = st_begin(store, ST_WRITE, &tx);
        if (err) {
            return err;
        }
        err = change_in(c, tx, id);
        if (err || c->code) {
            st_rollback(tx);
        } else {
            err = st_commit(tx);
        }
    }
    return err;
}

/* A whole token is cut down to its id, so the secret goes into no message. */
static int change(changing *c)
{
    const cli_args *args = c->args;
    st_store *store;
    mt_str id = mt_str_z(args->operands[0]), secret;
    (void)ht_token_split(id, &id, &secret); /* a whole token will do, too */
    int code = open_store(args, &store);
    if (!code) {
        mt_err err = change_it(c, store, id);
        code = err == MT_E_NOTFOUND
                   ? cli_fail(args, CLI_FAILS, "there is no token %.*s", MT_ARG(id))
               : err ? store_fault(args, err)
                     : c->code;
        st_close(store);
    }
    return code;
}

/* True after saying so: a revoked token stays revoked. */
static bool has_ended(changing *c, const ht_token *t)
{
    if (t->revoked_ms) {
        c->code = cli_fail(c->args, CLI_FAILS,
                           "the token %.*s is revoked; make another", MT_ARG(t->id));
    }
    return t->revoked_ms != 0;
}

/* ---- grant ---- */

static bool is_in(const mt_str *list, size_t count, mt_str text)
{
    for (size_t i = 0; i < count; i++) {
        if (mt_str_eq(list[i], text)) {
            return true;
        }
    }
    return false;
}

/* What it has, without what is taken away, and what is added behind it. Each is there
 * once. What is taken away wins over what is added in the same command. */
static void regrant(mt_arena *a, const mt_str **list, size_t *count, const mt_str *add,
                    size_t add_count, const mt_str *drop, size_t drop_count)
{
    mt_str *kept = mt_new_array(a, mt_str, *count + add_count);
    size_t n = 0;
    for (size_t i = 0; i < *count + add_count; i++) {
        mt_str one = i < *count ? (*list)[i] : add[i - *count];
        if (!is_in(drop, drop_count, one) && !is_in(kept, n, one)) {
            kept[n++] = one;
        }
    }
    *list = kept;
    *count = n;
}

/* One list of a token: what --OPTION adds and --no-OPTION takes away. */
static bool regrant_from(changing *c, const char *option, const char *no_option,
                         const mt_str **list, size_t *count)
{
    const mt_str *add, *drop;
    size_t add_count, drop_count;
    c->code = gather(c->args, &c->arena, option, &add, &add_count);
    c->code =
        c->code ? c->code : gather(c->args, &c->arena, no_option, &drop, &drop_count);
    if (!c->code) {
        regrant(&c->arena, list, count, add, add_count, drop, drop_count);
    }
    return !c->code;
}

/* "never" takes the end away; a token that has expired can be given a new one. */
static bool regrant_expiry(changing *c, ht_token *t)
{
    const char *text = cli_value(c->args, "expires");
    if (text && strcmp(text, "never") == 0) {
        t->expires_ms = t->expired_ms = 0;
    } else if (text && !read_expiry(text, now_ms(), &t->expires_ms)) {
        c->code = cli_fail(c->args, CLI_USAGE,
                           "--expires takes a time such as 90d or 12h, or never");
    } else if (text) {
        t->expired_ms = 0;
    }
    return !c->code;
}

static bool grant_change(changing *c, ht_token *t)
{
    if (has_ended(c, t) ||
        !regrant_from(c, "persona", "no-persona", &t->personas, &t->persona_count) ||
        !regrant_from(c, "right", "no-right", &t->rights, &t->right_count) ||
        !regrant_expiry(c, t)) {
        return false;
    }
    c->code = check_grants(c->args, t);
    if (!c->code && !t->persona_count && !t->right_count) {
        c->code = cli_fail(c->args, CLI_USAGE,
                           "nothing would be left; motet token revoke %.*s says so",
                           MT_ARG(t->id));
    }
    return !c->code;
}

/* By the table of options, so that a new one counts by itself. */
static bool says_something(const cli_args *args)
{
    for (const cli_option *o = GRANT_OPTIONS; o->name; o++) {
        if (strcmp(o->name, "store") != 0 && cli_value(args, o->name)) {
            return true;
        }
    }
    return false;
}

/* What is included is said of the token as it is afterwards. */
static int grant(const cli_args *args)
{
    changing c = {
        .args = args, .kind = "token_changed", .what = "grant", .change = grant_change};
    if (!says_something(args)) {
        return cli_fail(args, CLI_USAGE, "say what to grant or to take away");
    }
    int code = change(&c);
    if (!code) {
        say_what_is_included(&c.after);
    }
    mt_arena_free(&c.arena);
    return code;
}

/* ---- rotate ---- */

/* `until` is when the old secret ends; with --keep 0 that is now. */
static bool rotate_change(changing *c, ht_token *t)
{
    const char *keep = cli_value(c->args, "keep");
    int64_t until = now_ms();
    if (has_ended(c, t)) {
        return false;
    }
    if (strcmp(keep ? keep : "1h", "0") != 0 &&
        !read_expiry(keep ? keep : "1h", until, &until)) {
        c->code = cli_fail(c->args, CLI_USAGE,
                           "--keep takes a time such as 12h, or 0 for at once");
        return false;
    }
    ht_token_rotate(&c->arena, t, until, c->secret);
    return true;
}

static int rotate(const cli_args *args)
{
    changing c = {.args = args,
                  .kind = "token_changed",
                  .what = "rotate",
                  .change = rotate_change};
    int code = change(&c);
    code = code ? code : show_secret(args, &c.after, c.secret);
    sodium_memzero(c.secret, sizeof c.secret);
    mt_arena_free(&c.arena);
    return code;
}

/* ---- revoke ---- */

/* Revoking twice changes nothing and keeps the first time. */
static bool revoke_change(changing *c, ht_token *t)
{
    (void)c;
    bool first = !t->revoked_ms;
    t->revoked_ms = first ? now_ms() : t->revoked_ms;
    return first;
}

static int revoke(const cli_args *args)
{
    changing c = {.args = args, .kind = "token_revoked", .change = revoke_change};
    int code = change(&c);
    mt_arena_free(&c.arena);
    return code;
}

/* ---- list ---- */

typedef struct listing {
    mt_arena arena; /* tokens of all pages */
    mt_buf out;
    mt_jw w;
    bool json;
    uint32_t count; /* rows of the current page */
    mt_str last;    /* id of the last row: where the next page begins */
    int64_t now;    /* one moment for all, to say what has expired */
    cli_table table;
} listing;

/* Revoked comes before expired: it is what somebody decided. */
static const char *state_of(const ht_token *t, int64_t now)
{
    return t->revoked_ms                           ? "revoked"
           : t->expired_ms                         ? "expired"
           : t->expires_ms && t->expires_ms <= now ? "expired"
                                                   : "good";
}

static void add_names(cli_table *t, const mt_str *names, size_t count)
{
    mt_buf b = {0};
    for (size_t i = 0; i < count; i++) {
        mt_buf_addf(&b, "%s%.*s", i ? ", " : "", MT_ARG(names[i]));
    }
    cli_table_cell(t, mt_buf_str(&b));
    mt_buf_free(&b);
}

static void add_expiry(cli_table *t, const ht_token *token)
{
    char text[CT_TIME_TEXT];
    ct_time end = {token->expires_ms / 1000, 0};
    size_t len = token->expires_ms ? ct_time_print(end, text) : 0;
    cli_table_cell(t, len ? cli_table_time(&t->a, mt_str_from(text, len))
                          : MT_STR("never"));
}

static void add_row(cli_table *table, const ht_token *t, int64_t now)
{
    cli_table_cell(table, t->id);
    cli_table_cell(table, t->name);
    cli_table_cell(table, mt_str_z(state_of(t, now)));
    add_expiry(table, t);
    add_names(table, t->personas, t->persona_count);
    add_names(table, t->rights, t->right_count);
}

static void add_name_list(mt_jw *w, const mt_str *names, size_t count)
{
    mt_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        mt_jw_str(w, names[i]);
    }
    mt_jw_end_array(w);
}

/* Times in milliseconds since 1970; 0: never, or not. */
static void add_object(listing *l, const ht_token *t)
{
    mt_jw *w = &l->w;
    mt_jw_begin_object(w);
    mt_jw_key_i64(w, "created_ms", t->created_ms);
    mt_jw_key_i64(w, "expires_ms", t->expires_ms);
    mt_jw_key_str(w, "id", t->id);
    mt_jw_key_str(w, "name", t->name);
    mt_jw_keyz(w, "personas");
    add_name_list(w, t->personas, t->persona_count);
    mt_jw_key_i64(w, "revoked_ms", t->revoked_ms);
    mt_jw_keyz(w, "rights");
    add_name_list(w, t->rights, t->right_count);
    mt_jw_key_str(w, "state", mt_str_z(state_of(t, l->now)));
    mt_jw_end_object(w);
}

/* A row that cannot be read ends the list with an error instead of being left out:
 * somebody counts on seeing every token. */
static mt_err add_token(void *state, const st_doc *row)
{
    listing *l = state;
    ht_token t;
    l->count++;
    l->last = mt_str_dup(&l->arena, row->id);
    if (ht_token_read(&l->arena, row->id, row->body, &t)) {
        return MT_E_CORRUPT;
    }
    if (l->json) {
        add_object(l, &t);
        return MT_OK;
    }
    add_row(&l->table, &t, l->now);
    return MT_OK;
}

/* Pages in one transaction: what is listed was there at one moment. */
static mt_err walk_tokens(st_store *store, listing *l)
{
    st_tx *tx;
    mt_err err = st_begin(store, ST_READ, &tx);
    if (err) {
        return err;
    }
    l->last = MT_STR("");
    do {
        st_page page = {.after = l->last, .limit = MOST};
        l->count = 0;
        err = st_doc_walk(tx, HT_TOKEN_KIND, MT_STR(""), page, add_token, l);
    } while (!err && l->count == MOST);
    st_rollback(tx);
    return err;
}

/* JSON is complete also after an error, but not printed then: half a list of who may
 * come in would be taken for the whole. */
static int list(const cli_args *args)
{
    st_store *store;
    int code = open_store(args, &store);
    if (code) {
        return code;
    }
    listing l = {
        .json = cli_flag(args, "json"),
        .now = now_ms(),
        .table = {.titles = {"ID", "NAME", "STATE", "EXPIRES", "PERSONAS", "RIGHTS"},
                  .whole = 1u << 0}};
    l.w = mt_jw_start(&l.out, false);
    if (l.json) {
        mt_jw_begin_object(&l.w);
        mt_jw_keyz(&l.w, "tokens");
        mt_jw_begin_array(&l.w);
    }
    mt_err err = walk_tokens(store, &l);
    if (l.json) {
        mt_jw_end_array(&l.w);
        mt_jw_end_object(&l.w);
        mt_buf_addc(&l.out, '\n');
    }
    cli_table_write(&l.table, &l.out);
    code = err ? store_fault(args, err) : cli_print(mt_buf_str(&l.out));
    st_close(store);
    cli_table_free(&l.table);
    mt_buf_free(&l.out);
    mt_arena_free(&l.arena);
    return code;
}

/* clang-format off */
const cli_command CMD_TOKEN_COMMANDS[] = {
    {"create", "", "Make a token and show it, once", create, CREATE_OPTIONS, NULL, 0, 0, GRAMMAR},
    {"grant", "ID", "Change what a token may do, within a second", grant, GRANT_OPTIONS, NULL, 1, 1,
     GRAMMAR},
    {"rotate", "ID", "Give a token a new secret and show it, once", rotate, ROTATE_OPTIONS, NULL, 1, 1,
     "What it may do stays. The old secret is good for an hour, or as long as --keep says, so that "
     "whoever uses it can change over."},
    {"list", "", "List tokens, never their secrets", list, LIST_OPTIONS, NULL, 0, 0, NULL},
    {"revoke", "ID", "Make a token useless, within a second", revoke, REVOKE_OPTIONS, NULL,
     1, 1, NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */
