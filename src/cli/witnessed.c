/* cli/witnessed.c - what witnesses have signed, found for commands on a ledger.
 * Room: cli. First the options: which keys, and how many of them are enough. Then
 * the note: of --note, or the newest of the store that enough of them co-signed.
 * What it says of size and root is then what the records are compared with, so a log
 * that shows different histories to different readers is caught.
 * INVARIANT: without --witness nothing here changes what a command finds. Fewer
 * signatures than asked for is CLI_FAILS, a ledger that does not hold; a store that
 * does not answer is CLI_WORLD. Keys and texts live in the caller's arena. */
#include "cli/witnessed.h"

#include <errno.h>
#include <time.h>

#include "base/json_write.h"
#include "cli/notes.h"
#include "contract/wire/value.h"

/* Every key is tried on the signature lines of every note that is looked at, so a
 * command line cannot name any number of them. */
enum { WITNESSES_MOST = 64 };

static int read_keys(const cli_args *args, mt_arena *a, lg_note_key **keys,
                     cli_witnessed *out)
{
    int code = CLI_HOLDS, count = 0;
    while (cli_value_at(args, "witness", count)) {
        count++;
    }
    if (count > WITNESSES_MOST) {
        return cli_fail(args, CLI_USAGE, "--witness is given at most %d times",
                        WITNESSES_MOST);
    }
    *keys = mt_new_array(a, lg_note_key, (size_t)count + 1);
    for (int i = 0; !code && i < count; i++) {
        code = cli_read_note_key(args, a, "witness", i, LG_WITNESS_KEY, &(*keys)[i]);
        /* One key given twice would count as two of a quorum. */
        for (int k = 0; !code && k < i; k++) {
            if (memcmp(&(*keys)[k].key, &(*keys)[i].key, sizeof(*keys)[k].key) == 0) {
                code = cli_fail(args, CLI_USAGE, "--witness names one key twice");
            }
        }
    }
    /* All of them, until --witness-quorum says that fewer are enough. */
    out->witnesses = out->quorum = (size_t)count;
    out->wanted = count > 0;
    return code;
}

/* One witness must be asked for at least: a quorum of none demands nothing. */
static int read_quorum(const cli_args *args, cli_witnessed *out)
{
    if (!cli_number(args, "witness-quorum", WITNESSES_MOST, &out->quorum)) {
        return CLI_USAGE;
    }
    bool given = cli_value(args, "witness-quorum") != NULL;
    return given && (!out->quorum || out->quorum > out->witnesses)
               ? cli_fail(args, CLI_USAGE,
                          "--witness-quorum is from 1 to the number of --witness, "
                          "which is %zu",
                          out->witnesses)
               : CLI_HOLDS;
}

int cli_witnesses_wanted(const cli_args *args, mt_arena *a, lg_note_key **keys,
                         cli_witnessed *out)
{
    int code = read_keys(args, a, keys, out);
    return code ? code : read_quorum(args, out);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Says which of three it is: nothing is signed, too few have signed, or they have
 * signed with clocks that are ahead. */
static int too_few(const cli_args *args, const cli_witnessed *w)
{
    if (!w->witnesses) {
        return cli_fail(args, CLI_FAILS, "the ledger has no signed note yet");
    }
    return w->got.ahead
               ? cli_fail(
                     args, CLI_FAILS,
                     "no checkpoint is co-signed by %zu of these %zu witnesses: "
                     "%zu signed at a time that has not come, which does not count",
                     w->quorum, w->witnesses, w->got.ahead)
               : cli_fail(args, CLI_FAILS,
                          "no checkpoint is co-signed by %zu of these %zu witnesses",
                          w->quorum, w->witnesses);
}

/* The time is now: what was signed later than that does not count. */
static lg_cosigners cosigners(const cli_witnessed *w, const lg_note_key *keys)
{
    return (lg_cosigners){keys, w->witnesses, w->quorum, (int64_t)time(NULL)};
}

static int from_file(const cli_args *args, mt_arena *a, const char *path,
                     const lg_note_key *keys, cli_witnessed *w)
{
    lg_cosigned_note *got = &w->got;
    lg_cosigners by = cosigners(w, keys);
    int code = cli_read_input(args, a, path, LG_NOTE_BYTES, &got->note);
    if (code) {
        return code;
    }
    if (lg_note_read(got->note, &got->read)) {
        return cli_fail(args, CLI_FAILS,
                        "%s: this is not a checkpoint in the format "
                        "of c2sp.org/tlog-checkpoint",
                        path);
    }
    /* A note in a file carries log and witness signatures in one block; in the store
     * the cosignatures are kept apart. */
    got->lines = got->read.signatures;
    return lg_cosigned_count(got, &by) < w->quorum ? too_few(args, w) : CLI_HOLDS;
}

static int world(const cli_args *args, const cli_ledger *l, mt_err err)
{
    /* cli_why() prefers errno where it is set; what stands in it now is of another
     * call. */
    errno = 0;
    return cli_fail(args, CLI_WORLD, "%s: %s", l->name, cli_why(err));
}

/* The newest that enough have signed, which need not be the newest there is. */
static int from_store(const cli_args *args, mt_arena *a, const cli_ledger *l,
                      const lg_note_key *keys, cli_witnessed *w)
{
    st_tx *tx;
    lg_cosigners by = cosigners(w, keys);
    mt_err err = st_begin(l->store, ST_READ, &tx);
    if (err) {
        return world(args, l, err);
    }
    err = ex_cosigned_find(tx, a, 0, true, &by, &w->got);
    st_rollback(tx);
    return err == MT_E_NOTFOUND ? too_few(args, w)
           : err                ? world(args, l, err)
                                : CLI_HOLDS;
}

/* That a key of the ledger signed under this name is for whoever reads the records. */
static int check_origin(const cli_args *args, const cli_witnessed *w)
{
    mt_str is = w->got.read.head.origin;
    if (!w->origin || mt_str_eq(is, mt_str_z(w->origin))) {
        return CLI_HOLDS;
    }
    mt_buf shown = {0};
    mt_json_show(&shown, is);
    int code = cli_fail(args, CLI_FAILS, "its note is of the log '%.*s', not of '%s'",
                        MT_ARG(mt_buf_str(&shown)), w->origin);
    mt_buf_free(&shown);
    return code;
}

/* expect->witnessed stays NULL where nobody asked, and then only the ledger itself
 * counts. */
int cli_witnessed_find(const cli_args *args, mt_arena *a, const cli_ledger *l,
                       cli_witnessed *out, lg_expectation *expect)
{
    lg_note_key *keys = NULL;
    const char *path = cli_value(args, "note");
    *out = (cli_witnessed){.origin = cli_value(args, "origin")};
    int code = cli_witnesses_wanted(args, a, &keys, out);
    if (code || (!out->wanted && !out->origin)) {
        return code   ? code
               : path ? cli_fail(args, CLI_USAGE,
                                 "--note needs --witness KEY or --origin "
                                 "NAME")
                      : CLI_HOLDS;
    }
    code = path       ? from_file(args, a, path, keys, out)
           : l->store ? from_store(args, a, l, keys, out)
                      : cli_fail(args, CLI_USAGE,
                                 "--%s needs --note FILE (motet ledger export "
                                 "--note), or --store",
                                 out->wanted ? "witness" : "origin");
    code = code ? code : check_origin(args, out);
    expect->witnessed = code ? NULL : &out->got.read;
    return code;
}

/* For records that were verified against the note: a ledger shorter than what was
 * witnessed is refused before, so the subtraction cannot wrap. */
static void add_witnessed(mt_buf *out, const cli_witnessed *w, uint64_t records)
{
    char time[CT_TIME_TEXT];
    unsigned long long size = w->got.read.head.size, rest = records - size;
    ct_time t = {w->got.time, 0};
    size_t len = ct_time_print(t, time);
    mt_buf_addf(out, "witnessed: %llu record%s by %zu of %zu, at %.*s\n", size,
                plural(size), w->got.count, w->witnesses, (int)len, time);
    if (w->got.ahead) {
        mt_buf_addf(out, "not counted: %zu that signed at a time that has not come\n",
                    w->got.ahead);
    }
    if (rest) {
        mt_buf_addf(out, "not witnessed yet: the last %llu record%s\n", rest,
                    plural(rest));
    }
}

void cli_witnessed_text(mt_buf *out, const cli_witnessed *w, uint64_t records)
{
    if (w->origin) {
        mt_buf_addf(out, "log: %s\n", w->origin);
    }
    if (w->wanted) {
        add_witnessed(out, w, records);
    }
}

int cli_newest_note(const cli_args *args, mt_arena *a, const cli_ledger *l, mt_str *out)
{
    st_tx *tx;
    lg_cosigned_note got;
    lg_cosigners nobody = {0};
    if (!l->store) {
        return cli_fail(args, CLI_USAGE, "--note needs --store URL");
    }
    mt_err err = st_begin(l->store, ST_READ, &tx);
    if (err) {
        return world(args, l, err);
    }
    err = ex_cosigned_find(tx, a, 0, true, &nobody, &got);
    st_rollback(tx);
    *out =
        err ? (mt_str){0} : mt_strf(a, "%.*s%.*s", MT_ARG(got.note), MT_ARG(got.lines));
    return err == MT_E_NOTFOUND
               ? cli_fail(args, CLI_FAILS, "the ledger has no signed note yet")
           : err ? world(args, l, err)
                 : CLI_HOLDS;
}
