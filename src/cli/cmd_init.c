/* cli/cmd_init.c - motet init: a starter contract with a scenario.
 *
 * Writes only new files: what exists is never touched, and all names are looked at
 * before the first is written. The two texts below are checked by the tests: the
 * contract holds, the scenarios pass, and the formatter leaves it as it is. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "cli/commands.h"

/* clang-format off */
const cli_option CMD_INIT_OPTIONS[] = {
    {"json", NULL, "name the files in a JSON object"},
    {NULL, NULL, NULL},
};
/* clang-format on */

const char CMD_INIT_DETAILS[] =
    "Makes DIR and writes contract.tenor, a small contract that holds, and\n"
    "contract.scenarios.json, runs with the results they must have.\n"
    "Existing files are never overwritten.";

/* One of everything that a first contract needs: personas, a fact with and one without
 * a default, an entity, a rule, two operations and a flow that hands over. */
static const char CONTRACT[] =
    "// Purchases: small ones are approved at once, larger ones by a manager.\n"
    "// Check it with: motet check contract.tenor; run its scenarios with: motet test "
    ".\n"
    "\n"
    "persona employee\n"
    "persona manager\n"
    "\n"
    "fact amount {\n"
    "  type:   Money(\"USD\")\n"
    "  source: \"purchase_form.amount\"\n"
    "}\n"
    "\n"
    "fact self_service_limit {\n"
    "  type:    Money(\"USD\")\n"
    "  source:  \"policy.self_service_limit\"\n"
    "  default: Money { amount: \"500.00\", currency: \"USD\" }\n"
    "}\n"
    "\n"
    "entity Purchase {\n"
    "  states:      [requested, approved, refused]\n"
    "  initial:     requested\n"
    "  transitions: [(requested, approved), (requested, refused)]\n"
    "}\n"
    "\n"
    "rule small_purchase {\n"
    "  stratum: 0\n"
    "  when:    amount <= self_service_limit\n"
    "  produce: verdict within_limit { payload: Bool = true }\n"
    "}\n"
    "\n"
    "operation approve_own {\n"
    "  allowed_personas: [employee]\n"
    "  precondition:     verdict_present(within_limit)\n"
    "  effects:          [(Purchase, requested, approved)]\n"
    "  outcomes:         [approved]\n"
    "  error_contract:   [precondition_failed, persona_rejected]\n"
    "}\n"
    "\n"
    "operation decide {\n"
    "  allowed_personas: [manager]\n"
    "  precondition:     not verdict_present(within_limit)\n"
    "  effects: [\n"
    "    (Purchase, requested, approved, approved),\n"
    "    (Purchase, requested, refused, refused)\n"
    "  ]\n"
    "  outcomes:       [approved, refused]\n"
    "  error_contract: [precondition_failed, persona_rejected]\n"
    "}\n"
    "\n"
    "flow purchase {\n"
    "  snapshot: at_initiation\n"
    "  entry:    check_amount\n"
    "\n"
    "  steps: {\n"
    "    check_amount: BranchStep {\n"
    "      condition: verdict_present(within_limit)\n"
    "      persona:   employee\n"
    "      if_true:   self_service\n"
    "      if_false:  to_manager\n"
    "    }\n"
    "\n"
    "    self_service: OperationStep {\n"
    "      op:         approve_own\n"
    "      persona:    employee\n"
    "      outcomes:   { approved: Terminal(success) }\n"
    "      on_failure: Terminate(outcome: failure)\n"
    "    }\n"
    "\n"
    "    to_manager: HandoffStep {\n"
    "      from_persona: employee\n"
    "      to_persona:   manager\n"
    "      next:         manager_decides\n"
    "    }\n"
    "\n"
    "    manager_decides: OperationStep {\n"
    "      op:         decide\n"
    "      persona:    manager\n"
    "      outcomes:   { approved: Terminal(success), refused: Terminal(failure) }\n"
    "      on_failure: Terminate(outcome: failure)\n"
    "    }\n"
    "  }\n"
    "}\n";

static const char SCENARIO[] =
    "{\n"
    "  \"contract\": \"contract.tenor\",\n"
    "  \"given\": {\"states\": {\"Purchase\": \"requested\"}},\n"
    "  \"scenarios\": [\n"
    "    {\n"
    "      \"name\": \"a small purchase is approved at once\",\n"
    "      \"given\": {\"facts\": {\"amount\": {\"amount\": \"120.00\", \"currency\": "
    "\"USD\"}}},\n"
    "      \"when\": {\"persona\": \"employee\", \"flow\": \"purchase\"},\n"
    "      \"then\": {\n"
    "        \"verdicts\": [\"within_limit\"],\n"
    "        \"outcome\": \"success\",\n"
    "        \"states\": {\"Purchase\": \"approved\"}\n"
    "      }\n"
    "    },\n"
    "    {\n"
    "      \"name\": \"a manager refuses a large one\",\n"
    "      \"given\": {\"facts\": {\"amount\": {\"amount\": \"9000.00\", \"currency\": "
    "\"USD\"}}},\n"
    "      \"when\": {\"persona\": \"manager\", \"operation\": \"decide\", "
    "\"outcome\": \"refused\"},\n"
    "      \"then\": {\n"
    "        \"verdicts\": [],\n"
    "        \"outcome\": \"refused\",\n"
    "        \"states\": {\"Purchase\": \"refused\"}\n"
    "      }\n"
    "    }\n"
    "  ]\n"
    "}\n";

static const struct starter {
    const char *name, *text;
} STARTERS[] = {{"contract.tenor", CONTRACT}, {"contract.scenarios.json", SCENARIO}};

enum { STARTER_COUNT = sizeof STARTERS / sizeof *STARTERS };

/* All names are looked at before the first is written: it is all or nothing, but for
 * somebody who writes at the same moment. */
static int refuse_existing(const cli_args *args, mt_arena *a, const char *dir)
{
    for (size_t i = 0; i < STARTER_COUNT; i++) {
        mt_str path = mt_strf(a, "%s/%s", dir, STARTERS[i].name);
        if (access(path.ptr, F_OK) == 0) {
            return cli_fail(args, CLI_FAILS, "%s exists; nothing was written",
                            path.ptr);
        }
    }
    return CLI_HOLDS;
}

/* The first file that cannot be written ends it; those before it stay. */
static int write_starters(const cli_args *args, mt_arena *a, const char *dir)
{
    int code = CLI_HOLDS;
    for (size_t i = 0; !code && i < STARTER_COUNT; i++) {
        mt_str path = mt_strf(a, "%s/%s", dir, STARTERS[i].name);
        code = cli_write_text(args, path.ptr, mt_str_z(STARTERS[i].text));
    }
    return code;
}

/* Paths as the user would type them, then what to do next; with --json {"files": [PATH,
 * ...]}. */
static int report(const cli_args *args, mt_arena *a, const char *dir)
{
    mt_buf out = {0};
    mt_jw w = mt_jw_start(&out, true);
    bool json = cli_flag(args, "json");
    if (json) {
        mt_jw_begin_object(&w);
        mt_jw_keyz(&w, "files");
        mt_jw_begin_array(&w);
    }
    for (size_t i = 0; i < STARTER_COUNT; i++) {
        mt_str path = mt_strf(a, "%s/%s", dir, STARTERS[i].name);
        if (json) {
            mt_jw_str(&w, path);
        } else {
            mt_buf_addf(&out, "%.*s\n", MT_ARG(path));
        }
    }
    if (json) {
        mt_jw_end_array(&w);
        mt_jw_end_object(&w);
        mt_buf_addc(&out, '\n');
    } else {
        mt_buf_addf(&out, "next: motet check %s/contract.tenor, motet test %s\n", dir,
                    dir);
    }
    int code = cli_print(mt_buf_str(&out));
    mt_buf_free(&out);
    return code;
}

/* A directory that exists is welcome, only its files must be new. */
int cmd_init(const cli_args *args)
{
    const char *dir = args->operands[0];
    /* The user's umask decides, as for any directory of his. */
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        return cli_fail(args, CLI_WORLD, "cannot make %s: %s", dir, strerror(errno));
    }
    mt_arena arena = {0};
    int code = refuse_existing(args, &arena, dir);
    code = code ? code : write_starters(args, &arena, dir);
    code = code ? code : report(args, &arena, dir);
    mt_arena_free(&arena);
    return code;
}
