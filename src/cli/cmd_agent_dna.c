/* cli/cmd_agent_dna.c - motet agent dna: an agent's registrations as a document.
 *
 * One function per subcommand, and the table of them at the end. All take an agent
 * file, a scenario or DNA in either form, by cli_read_dna(). `diff` exits with 1 when
 * something breaks those who talk to the agent; `verify` when the signature, the pin
 * or the version is another.
 *
 * Documents that do not say what their registrations do (made elsewhere) are named by
 * less; that is said on standard error and changes no exit status. Secret keys are
 * written to new files only, with mode 0600. */
#include <stdio.h>

#include "agent/dna.h"
#include "base/hash.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/keys.h"
#include "os/key_file.h"

/* clang-format off */
static const cli_option FORM_OPTIONS[] = {
    {"form", "FORM", "profile (default) or sdk"},
    {NULL, NULL, NULL},
};
static const cli_option DIFF_OPTIONS[] = {
    {"json", NULL, "one JSON object per change"},
    {NULL, NULL, NULL},
};
static const cli_option SIGN_OPTIONS[] = {
    {"key",     "FILE", "secret key, from motet agent dna keygen"},
    {"version", "TEXT", "version of the agent, covered by the signature"},
    {NULL, NULL, NULL},
};
static const cli_option VERIFY_OPTIONS[] = {
    {"key",     "HEX",  "the public key it must be signed with"},
    {"pin",     "PIN",  "the pin it must have"},
    {"version", "TEXT", "the version it must have"},
    {NULL, NULL, NULL},
};
/* clang-format on */

/* The default is the profile's form, which is the one that is signed. */
static bool form_of(const cli_args *args, ag_dna_form *out)
{
    const char *form = cli_value(args, "form");
    *out = form && strcmp(form, "sdk") == 0 ? AG_DNA_SDK : AG_DNA_PROFILE;
    return !form || *out == AG_DNA_SDK || strcmp(form, "profile") == 0;
}

/* A line end after the document, which is not part of what a pin or signature
 * covers. */
static int print_dna(mt_arena *a, const ag_agent *agent, ag_dna_form form)
{
    mt_buf out = {0};
    ag_dna_write(a, agent, form, &out);
    mt_buf_addc(&out, '\n');
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* Reads every operand. */
static int read_agents(const cli_args *args, mt_arena *a, ag_agent *agents)
{
    int code = CLI_HOLDS;
    for (int i = 0; i < args->count && !code; i++) {
        code = cli_read_dna(args, a, args->operands[i], &agents[i]);
    }
    return code;
}

/* A document that does not say what its registrations do is named by less. */
static void note_silence(const ag_agent *agent, const char *what)
{
    uint32_t silent = ag_dna_silent(agent);
    if (silent) {
        fprintf(stderr,
                "note: registrations that do not say what they do: %u; %s them as "
                "registered "
                "only\n",
                silent, what);
    }
}

static int run_show(const cli_args *args)
{
    mt_arena a = {0};
    ag_agent agent;
    ag_dna_form form;
    if (!form_of(args, &form)) {
        return cli_fail(args, CLI_USAGE, "--form is profile or sdk");
    }
    int code = read_agents(args, &a, &agent);
    code = code ? code : print_dna(&a, &agent, form);
    mt_arena_free(&a);
    return code;
}

/* Reading is the check: whatever is wrong was reported with its place. */
static int run_validate(const cli_args *args)
{
    mt_arena a = {0};
    ag_agent agent;
    int code = read_agents(args, &a, &agent);
    if (!code) {
        code = cli_print(mt_strf(&a, "%u receivers, %u senders, %u hooks\n",
                                 agent.receiver_count, agent.sender_count,
                                 agent.hook_count));
    }
    mt_arena_free(&a);
    return code;
}

/* The pin covers what the document says; what it is silent about is told on stderr, so
 * that nobody takes the pin for more. */
static int run_pin(const cli_args *args)
{
    mt_arena a = {0};
    ag_agent agent;
    int code = read_agents(args, &a, &agent);
    if (!code) {
        note_silence(&agent, "the pin names");
        code = cli_print(mt_strf(&a, "%.*s\n", MT_ARG(ag_dna_pin(&a, &agent))));
    }
    mt_arena_free(&a);
    return code;
}

/* One line per change, in both forms, so that lines can be counted and searched. */
static void show_change(mt_buf *out, const ag_dna_change *c, bool json)
{
    if (!json) {
        mt_buf_addf(out, "%c %-8s %.*s: %.*s\n", c->sign,
                    c->breaking ? "BREAKING" : "ok", MT_ARG(c->what), MT_ARG(c->why));
        return;
    }
    mt_jw w = mt_jw_start(out, false);
    mt_jw_begin_object(&w);
    mt_jw_key_bool(&w, "breaking", c->breaking);
    mt_jw_key_str(&w, "change",
                  c->sign == '+'   ? MT_STR("added")
                  : c->sign == '-' ? MT_STR("removed")
                                   : MT_STR("changed"));
    mt_jw_key_str(&w, "what", c->what);
    mt_jw_key_str(&w, "why", c->why);
    mt_jw_end_object(&w);
    mt_buf_addc(out, '\n');
}

/* Notes and not differences: silence on both sides is neither same nor changed. */
static void note_uncompared(const ag_dna_changes *changes)
{
    if (changes->silent) {
        fprintf(stderr,
                "note: not compared: registrations of which neither document says what "
                "they do: %u\n",
                changes->silent);
    }
    if (changes->silent_settings) {
        fprintf(stderr, "note: not compared: name, mode, tape and memory; not both "
                        "documents state them\n");
    }
}

/* Exit status 1 when a change is breaking: for use in a pipeline. */
static int run_diff(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf out = {0};
    ag_agent agents[2];
    ag_dna_changes changes = {0};
    int code = read_agents(args, &a, agents);
    if (!code) {
        ag_dna_diff(&a, &agents[0], &agents[1], &changes);
        note_uncompared(&changes);
        for (size_t i = 0; i < changes.len; i++) {
            show_change(&out, &changes.items[i], cli_flag(args, "json"));
        }
        code = cli_print(mt_buf_str(&out));
    }
    code = !code && changes.breaking ? CLI_FAILS : code;
    mt_buf_free(&out);
    mt_arena_free(&a);
    return code;
}

/* What cannot be merged is for people to decide; `why` says what it is. */
static int run_merge(const cli_args *args)
{
    mt_arena a = {0};
    ag_agent merged, *agents = mt_new_array(&a, ag_agent, (size_t)args->count);
    ag_dna_form form;
    mt_str why;
    if (!form_of(args, &form)) {
        mt_arena_free(&a);
        return cli_fail(args, CLI_USAGE, "--form is profile or sdk");
    }
    int code = read_agents(args, &a, agents);
    if (!code && ag_dna_merge(&a, agents, (size_t)args->count, &merged, &why)) {
        code = cli_fail(args, CLI_FAILS, "%.*s", MT_ARG(why));
    }
    code = code ? code : print_dna(&a, &merged, form);
    mt_arena_free(&a);
    return code;
}

/* ---- keys and signatures ---- */

/* What exists is never replaced: a lost key cannot be had back. */
static int run_keygen(const cli_args *args)
{
    mt_sign_key key;
    mt_buf why = {0};
    char open[2 * MT_SIGN_PUBLIC + 1];
    /* The public half is kept before the key is wiped; only it is printed. */
    mt_sign_generate(&key);
    mt_hex(key.open.bytes, MT_SIGN_PUBLIC, open);
    open[sizeof open - 1] = '\n';
    mt_err err = os_key_write(args->operands[0], &key, &why);
    mt_sign_wipe(&key);
    int code = cli_key_code(args, err, &why);
    return code ? code : cli_print(mt_str_from(open, sizeof open));
}

/* Says on stderr when registrations are covered as registered only. */
static int run_sign(const cli_args *args)
{
    mt_arena a = {0};
    mt_buf out = {0};
    ag_agent agent;
    mt_sign_key key;
    const char *version = cli_value(args, "version");
    int code = read_agents(args, &a, &agent);
    code = code ? code : cli_read_key(args, "key", &key);
    if (!code) {
        note_silence(&agent, "the signature covers");
        ag_dna_sign(&a, &agent, mt_str_z(version ? version : ""), &key, &out);
        mt_sign_wipe(&key);
        mt_buf_addc(&out, '\n');
        code = cli_print(mt_buf_str(&out));
    }
    mt_buf_free(&out);
    mt_arena_free(&a);
    return code;
}

/* An option's value must be the document's member. */
static int must_be(const cli_args *args, const mt_json *document, const char *name)
{
    const char *wanted = cli_value(args, name);
    mt_str found = mt_json_text(mt_json_get(document, mt_str_z(name)));
    /* Pins of the first form began with sha256:, later ones do not: a match would mean
     * less than it seems, so they are refused by their form. */
    if (wanted && strcmp(name, "pin") == 0 && strncmp(wanted, "sha256:", 7) == 0) {
        return cli_fail(
            args, CLI_FAILS,
            "%s is a pin of the first form, which named registrations only and "
            "not what they do; review the agent and pin it again: its pin is "
            "%.*s",
            wanted, MT_ARG(found));
    }
    if (wanted && !mt_str_eq(mt_str_z(wanted), found)) {
        return found.len ? cli_fail(args, CLI_FAILS, "its %s is %.*s, not %s", name,
                                    MT_ARG(found), wanted)
                         : cli_fail(args, CLI_FAILS, "it has no %s", name);
    }
    return CLI_HOLDS;
}

/* Without --key the signature must only agree with itself; with it, the signer must be
 * this one. */
static int verify(const cli_args *args, mt_arena *a, const cli_document *d)
{
    const char *why = NULL;
    mt_sign_public key;
    bool demanded;
    mt_diags ds = {.arena = a};
    ag_agent agent;
    int code = cli_read_public(args, "key", &key, &demanded);
    if (code) {
        return code;
    }
    if (ag_dna_verify(a, &d->tree, demanded ? &key : NULL, &why)) {
        return cli_fail(args, CLI_FAILS, "%.*s: %s", MT_ARG(d->name), why);
    }
    /* Verified first and read afterwards: nothing of a document is looked at before its
     * signature is known to hold. */
    if (ag_dna_read(a, d->name, d->text, &d->tree, &ds, &agent)) {
        return cli_show_faults(&ds, d, 1);
    }
    code = must_be(args, &d->tree, "pin");
    code = code ? code : must_be(args, &d->tree, "version");
    if (!code) {
        note_silence(&agent, "the signature covers");
    }
    return code ? code
                : cli_print(mt_strf(a, "verified: %.*s\n",
                                    MT_ARG(mt_json_text(mt_json_at(&d->tree, "pin")))));
}

static int run_verify(const cli_args *args)
{
    mt_arena a = {0};
    cli_document document;
    int code = cli_read_document(args, &a, args->operands[0], &document);
    code = code ? code : verify(args, &a, &document);
    mt_arena_free(&a);
    return code;
}

/* clang-format off */
const cli_command CMD_AGENT_DNA_COMMANDS[] = {
    {"show", "AGENT", "Print what an agent registers and does, canonical", run_show,
     FORM_OPTIONS, NULL, 1, 1, "AGENT is an agent file, a scenario, or DNA in either form."},
    {"validate", "DNA", "Check a document and count its registrations", run_validate,
     NULL, NULL, 1, 1, NULL},
    {"diff", "OLD NEW", "Say what changed, and what of it breaks those who talk to it",
     run_diff, DIFF_OPTIONS, NULL, 2, 2, "Exit status 1: something breaks."},
    {"merge", "DNA...", "Join the registrations of several agents", run_merge,
     FORM_OPTIONS, NULL, 1, -1, NULL},
    {"pin", "AGENT", "Print the hash that names exactly this behaviour", run_pin,
     NULL, NULL, 1, 1, NULL},
    {"keygen", "FILE", "Write a new signing key, print its public half", run_keygen,
     NULL, NULL, 1, 1, NULL},
    {"sign", "AGENT", "Print signed DNA", run_sign, SIGN_OPTIONS, NULL, 1, 1, NULL},
    {"verify", "FILE", "Check a signed document", run_verify, VERIFY_OPTIONS, NULL, 1, 1,
     NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */
