/* cli/cmd_store.c - motet store check: the rest of a store against its ledger.
 *
 * Differences are printed as they are found, a line each, so that memory does not grow
 * with them; the last line says how much was compared. Exit status 0 everything agrees,
 * 1 it does not, 2 used wrongly, 3 the store cannot be read. Beside a running server:
 * nothing is claimed and nothing written but temporary files. */
#include <errno.h>
#include <stdio.h>

#include "base/json_write.h"
#include "cli/commands.h"
#include "cli/decision_words.h"
#include "cli/progress.h"
#include "exec/evidence/store_check.h"
#include "http/config.h"

/* clang-format off */
static const cli_option CHECK_OPTIONS[] = {
    {"store", "URL", "the store to look at (sqlite:motet.db)"},
    {"tmp",   "DIR", "where temporary files go ($TMPDIR, /tmp)"},
    {"json",  NULL,  "print each difference and the summary as a line of JSON"},
    {NULL, NULL, NULL},
};

static const char CHECK_DETAILS[] =
"Works out from the records of the ledger which instances, flows, facts asserted by\n"
"hand and versions of contracts there must be, and names everything in the store that\n"
"differs: states, versions, bindings, frozen facts, and everything that records, done\n"
"and refused, are found by. Not compared, as the ledger does not have it: the position\n"
"inside a flow, the outbox, kept answers, the numbers under which records were queued,\n"
"tokens, Systems, contexts of graphs, tapes of agents. Signatures are verified by motet\n"
"ledger verify. Memory is bounded; temporary files take about half the room of the\n"
"store.";

const cli_command CMD_STORE_COMMANDS[] = {
    {"check", NULL, "Compare instances, flows and documents with the ledger",
     cmd_store_check, CHECK_OPTIONS, NULL, 0, 0, CHECK_DETAILS},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */

typedef struct telling {
    bool json;
    int code; /* of printing */
} telling;

/* "PART: NAME: what differs", with parts such as chain and documents. Names and
 * texts come from the store: nothing in them reaches a terminal as a command. */
static void print_difference(void *state, mt_str part, mt_str name, mt_str text)
{
    telling *t = state;
    mt_buf line = {0};
    if (t->json) {
        mt_jw w = mt_jw_start(&line, false);
        mt_jw_begin_object(&w);
        mt_jw_key_str(&w, "difference", text);
        mt_jw_key_str(&w, "name", name);
        mt_jw_key_str(&w, "part", part);
        mt_jw_end_object(&w);
        mt_buf_addc(&line, '\n');
    } else {
        mt_buf_addf(&line, "%.*s: ", MT_ARG(part));
        cli_add_plain(&line, name);
        mt_buf_addz(&line, ": ");
        cli_add_plain(&line, text);
        mt_buf_addc(&line, '\n');
    }
    int code = cli_print(mt_buf_str(&line));
    /* A reader that went away (`| head`) is remembered, the check goes on to its
     * summary. */
    t->code = t->code ? t->code : code;
    mt_buf_free(&line);
}

static void write_json(mt_buf *out, const ex_check_result *r)
{
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_bool(&w, "agrees", !r->differences);
    mt_jw_key_i64(&w, "differences", (int64_t)r->differences);
    mt_jw_key_i64(&w, "documents", (int64_t)r->documents);
    mt_jw_key_i64(&w, "flows", (int64_t)r->flows);
    mt_jw_key_i64(&w, "instances", (int64_t)r->instances);
    mt_jw_key_i64(&w, "records", (int64_t)r->records);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void write_text(mt_buf *out, const ex_check_result *r)
{
    unsigned long long n[] = {r->records, r->instances, r->flows, r->documents,
                              r->differences};
    mt_buf_addf(out,
                "compared: %llu record%s, %llu instance%s, %llu flow%s, %llu "
                "document%s; ",
                n[0], plural(n[0]), n[1], plural(n[1]), n[2], plural(n[2]), n[3],
                plural(n[3]));
    if (r->differences) {
        mt_buf_addf(out, "%llu difference%s\n", n[4], plural(n[4]));
    } else {
        mt_buf_addz(out, "they agree with the ledger\n");
    }
}

/* A failed print outweighs differences: who reads an exit status 1 must be able to rely
 * on the lines before it. */
static int print_summary(const telling *t, const ex_check_result *r)
{
    mt_buf out = {0};
    if (t->json) {
        write_json(&out, r);
    } else {
        write_text(&out, r);
    }
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code ? code : t->code ? t->code : r->differences ? CLI_FAILS : CLI_HOLDS;
}

/* Progress is shown on standard error, where that is a terminal. */
static int check(const cli_args *args, st_store *store)
{
    telling t = {.json = cli_flag(args, "json")};
    cli_progress progress;
    mt_buf why = {0};
    ex_check_result r;
    ex_check_options o = {.store = store,
                          .scratch = cli_value(args, "tmp"),
                          .found = print_difference,
                          .found_state = &t,
                          .progress = cli_progress_step,
                          .progress_state = &progress};
    cli_progress_start(&progress, args);
    mt_err err = ex_store_check(&o, &r, &why);
    cli_progress_end(&progress);
    int code = err ? cli_fail(args, CLI_WORLD, "%.*s", MT_ARG(mt_buf_str(&why)))
                   : print_summary(&t, &r);
    mt_buf_free(&why);
    return code;
}

int cmd_store_check(const cli_args *args)
{
    const char *url = cli_value(args, "store");
    /* must_exist: a misspelt URL must not become an empty store, for that agrees. */
    st_options options = {.pool = 1, .read_only = true, .must_exist = true};
    mt_buf why = {0};
    st_store *store = NULL;
    int code = CLI_HOLDS;
    if (st_open(url ? url : HT_CONFIG_DEFAULT.store, &options, &store, &why)) {
        code = cli_fail(args, CLI_WORLD, "%.*s", MT_ARG(mt_buf_str(&why)));
    } else {
        code = check(args, store);
        st_close(store);
    }
    mt_buf_free(&why);
    return code;
}
