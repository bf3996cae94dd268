/* cli/commands.h - what each command's file offers to the table in cli/commands.c.
 * Room: cli. A command with options declares CMD_<NAME>_OPTIONS beside its function.
 * Functions take parsed arguments and return an exit status (cli/cli.h); none of them
 * calls exit(). Operands are counted before they are called, so args->operands[least -
 * 1] is there. DETAILS are the paragraphs of `motet help NAME`. A name that ends in
 * COMMANDS is a table of subcommands and lies beside them. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/cli.h"

int cmd_actions(const cli_args *args);
int cmd_analyze(const cli_args *args);
int cmd_ask(const cli_args *args);
void cli_questions(mt_buf *out); /* what can be asked, for its help */
int cmd_check(const cli_args *args);
int cmd_completion(const cli_args *args);
int cmd_connect(const cli_args *args);
int cmd_elaborate(const cli_args *args);
int cmd_generate(const cli_args *args);
int cmd_eval(const cli_args *args);
int cmd_eval_flow(const cli_args *args);
int cmd_eval_partial(const cli_args *args);
int cmd_explain(const cli_args *args);
int cmd_fmt(const cli_args *args);
int cmd_help(const cli_args *args);
int cmd_init(const cli_args *args);
int cmd_repl(const cli_args *args);
int cmd_studio(const cli_args *args);
int cmd_test(const cli_args *args);
int cmd_validate(const cli_args *args);

extern const cli_option CMD_STUDIO_OPTIONS[];
extern const char CMD_STUDIO_DETAILS[];
extern const cli_option CMD_GENERATE_OPTIONS[];
extern const char CMD_GENERATE_DETAILS[];
extern const cli_option CMD_CHECK_OPTIONS[], CMD_ELABORATE_OPTIONS[],
    CMD_EVAL_OPTIONS[], CMD_FMT_OPTIONS[], CMD_INIT_OPTIONS[], CMD_TEST_OPTIONS[],
    CMD_VALIDATE_OPTIONS[];
extern const cli_option CMD_CONNECT_OPTIONS[];
extern const char CMD_CONNECT_DETAILS[];
extern const char CMD_CHECK_DETAILS[], CMD_COMPLETION_DETAILS[],
    CMD_ELABORATE_DETAILS[], CMD_EVAL_DETAILS[], CMD_FMT_DETAILS[], CMD_INIT_DETAILS[],
    CMD_TEST_DETAILS[], CMD_VALIDATE_DETAILS[];

extern const cli_option CMD_ACTIONS_OPTIONS[], CMD_ANALYZE_OPTIONS[], CMD_ASK_OPTIONS[],
    CMD_EXPLAIN_OPTIONS[], CMD_REPL_OPTIONS[];
extern const char CMD_ACTIONS_DETAILS[], CMD_ANALYZE_DETAILS[], CMD_ASK_DETAILS[],
    CMD_EXPLAIN_DETAILS[], CMD_REPL_DETAILS[];

/* Trust: who vouches for a bundle. */
int cmd_keygen(const cli_args *args);
int cmd_sign(const cli_args *args);
int cmd_verify(const cli_args *args);
extern const cli_option CMD_KEYGEN_OPTIONS[], CMD_SIGN_OPTIONS[], CMD_VERIFY_OPTIONS[];
extern const char CMD_KEYGEN_DETAILS[], CMD_SIGN_DETAILS[], CMD_VERIFY_DETAILS[];

/* motet store ...: the table is in cmd_store.c. */
extern const cli_command CMD_STORE_COMMANDS[];
int cmd_store_check(const cli_args *args);

/* motet witness ...: the table is in cmd_witness.c. */
extern const cli_command CMD_WITNESS_COMMANDS[];
int cmd_witness_key(const cli_args *args);
int cmd_witness_serve(const cli_args *args);
int cmd_witness_sign(const cli_args *args);

/* motet ledger ...: the table is in cmd_ledger.c. */
extern const cli_command CMD_LEDGER_COMMANDS[];
extern const cli_command CMD_RECEIPT_COMMANDS[];
int cmd_receipt_show(const cli_args *args);
int cmd_receipt_verify(const cli_args *args);
int cmd_audit(const cli_args *args);
extern const cli_option CMD_AUDIT_OPTIONS[];
extern const char CMD_AUDIT_DETAILS[];
int cmd_ledger_accept(const cli_args *args);
int cmd_ledger_export(const cli_args *args);
int cmd_ledger_prove(const cli_args *args);
int cmd_ledger_show(const cli_args *args);
int cmd_ledger_verify(const cli_args *args);
extern const cli_option CMD_LEDGER_ACCEPT_OPTIONS[];
extern const cli_option CMD_LEDGER_EXPORT_OPTIONS[], CMD_LEDGER_PROVE_OPTIONS[],
    CMD_LEDGER_SHOW_OPTIONS[], CMD_LEDGER_VERIFY_OPTIONS[];
extern const char CMD_LEDGER_ACCEPT_DETAILS[];
extern const char CMD_LEDGER_EXPORT_DETAILS[], CMD_LEDGER_PROVE_DETAILS[],
    CMD_LEDGER_SHOW_DETAILS[], CMD_LEDGER_VERIFY_DETAILS[];

int cmd_diff(const cli_args *args);
int cmd_doctor(const cli_args *args);
int cmd_migrate(const cli_args *args);
extern const cli_option CMD_DIFF_OPTIONS[], CMD_MIGRATE_OPTIONS[];
extern const cli_option CMD_DOCTOR_OPTIONS[];
extern const char CMD_DOCTOR_DETAILS[];
extern const char CMD_DIFF_DETAILS[], CMD_MIGRATE_DETAILS[];
int cmd_whatif(const cli_args *args);
extern const cli_option CMD_WHATIF_OPTIONS[];
extern const char CMD_WHATIF_DETAILS[];

/* motet guard ...: the table is in cmd_guard.c. */
extern const cli_command CMD_GUARD_COMMANDS[];
int cmd_guard_connect(const cli_args *args);
int cmd_guard_decide(const cli_args *args);
int cmd_guard_init(const cli_args *args);
int cmd_guard_pending(const cli_args *args);
int cmd_guard_resolve(const cli_args *args);
int cmd_guard_run(const cli_args *args);
int cmd_guard_suggest(const cli_args *args);
extern const cli_option CMD_GUARD_CONNECT_OPTIONS[], CMD_GUARD_DECIDE_OPTIONS[],
    CMD_GUARD_INIT_OPTIONS[], CMD_GUARD_RUN_OPTIONS[], CMD_GUARD_SUGGEST_OPTIONS[];
extern const char CMD_GUARD_CONNECT_DETAILS[], CMD_GUARD_DECIDE_DETAILS[],
    CMD_GUARD_INIT_DETAILS[], CMD_GUARD_RUN_DETAILS[], CMD_GUARD_SUGGEST_DETAILS[];

/* motet agent ...: the table is in cmd_agent.c. */
extern const cli_command CMD_AGENT_COMMANDS[];
int cmd_agent_compare(const cli_args *args);
int cmd_agent_harness(const cli_args *args);
int cmd_agent_route(const cli_args *args);
int cmd_agent_routes(const cli_args *args);
int cmd_agent_statement(const cli_args *args);
int cmd_agent_trace(const cli_args *args);
int cmd_agent_render(const cli_args *args);
int cmd_agent_chart(const cli_args *args);
int cmd_agent_scenario(const cli_args *args);
int cmd_agent_inspect(const cli_args *args);
int cmd_agent_init(const cli_args *args);
extern const cli_option CMD_AGENT_RENDER_OPTIONS[], CMD_AGENT_CHART_OPTIONS[],
    CMD_AGENT_SCENARIO_OPTIONS[], CMD_AGENT_INSPECT_OPTIONS[];
extern const char CMD_AGENT_RENDER_DETAILS[], CMD_AGENT_CHART_DETAILS[],
    CMD_AGENT_SCENARIO_DETAILS[], CMD_AGENT_INSPECT_DETAILS[];
extern const cli_command CMD_AGENT_DNA_COMMANDS[];
extern const cli_option CMD_AGENT_COMPARE_OPTIONS[], CMD_AGENT_ROUTE_OPTIONS[],
    CMD_AGENT_ROUTES_OPTIONS[], CMD_AGENT_TRACE_OPTIONS[];
#define CMD_AGENT_TRACE_DETAILS                                                        \
    "SCENARIO is JSON or YAML: an agent (or the path of its file) and messages. The "  \
    "trace is one JSON object per line, the same bytes on every run and in whatever "  \
    "order handlers answer."
#define CMD_AGENT_COMPARE_DETAILS                                                      \
    "Compared are fate, hooks, receivers, tape deltas, tapes and senders of each "     \
    "message and the final tape. Exit status 1: the traces diverge."
extern const cli_option CMD_AGENT_HARNESS_OPTIONS[];
#define CMD_AGENT_HARNESS_DETAILS                                                      \
    "Each line of standard input is one question {\"op\": ...}; each line of "         \
    "standard output is its answer, in the same order. Operations: parse, style, "     \
    "node, tokens, accepts, route_accepts, outcome, activations, tape, responds, "     \
    "triggers, hook_order, wrap, recover, cycle, dna. An answer has \"ok\"; a failed " \
    "one says why in \"error\"."
int cmd_agent_relay(const cli_args *args);
int cmd_agent_run(const cli_args *args);
extern const cli_option CMD_AGENT_RUN_OPTIONS[];
#define CMD_AGENT_RUN_DETAILS                                                          \
    "AGENT is an agent file, YAML or JSON. The agent connects to a relay, answers "    \
    "what "                                                                            \
    "it hears and comes back by itself when the connection breaks. With --state its "  \
    "tape, memory and unsent messages survive a crash.\n\n"                            \
    "SIGTERM and SIGINT end it after what is committed has been sent."
extern const cli_option CMD_AGENT_RELAY_OPTIONS[];
#define CMD_AGENT_RELAY_DETAILS                                                        \
    "Agents connect over TCP and send lines; every other agent hears them, each in "   \
    "an envelope with the sender's address. A reader that stalls slows nobody else. "  \
    "The first line on standard output says where agents connect.\n\n"                 \
    "SIGTERM and SIGINT stop the relay after it has told its agents."

/* motet graph ...: the table is in cmd_graph.c. */
extern const cli_command CMD_GRAPH_COMMANDS[], CMD_GRAPH_FIXTURE_COMMANDS[],
    CMD_GRAPH_LETTERS_COMMANDS[];
int cmd_graph_capture(const cli_args *args);
int cmd_graph_check(const cli_args *args);
int cmd_graph_explain(const cli_args *args);
int cmd_graph_init(const cli_args *args);
int cmd_graph_primitives(const cli_args *args);
int cmd_graph_render(const cli_args *args);
int cmd_graph_replay(const cli_args *args);
int cmd_graph_run(const cli_args *args);
int cmd_graph_whatif(const cli_args *args);
extern const cli_option CMD_GRAPH_CAPTURE_OPTIONS[], CMD_GRAPH_CHECK_OPTIONS[],
    CMD_GRAPH_EXPLAIN_OPTIONS[], CMD_GRAPH_PRIMITIVES_OPTIONS[],
    CMD_GRAPH_RENDER_OPTIONS[], CMD_GRAPH_REPLAY_OPTIONS[], CMD_GRAPH_RUN_OPTIONS[],
    CMD_GRAPH_WHATIF_OPTIONS[];
extern const char CMD_GRAPH_CAPTURE_DETAILS[], CMD_GRAPH_CHECK_DETAILS[],
    CMD_GRAPH_EXPLAIN_DETAILS[], CMD_GRAPH_RENDER_DETAILS[], CMD_GRAPH_REPLAY_DETAILS[],
    CMD_GRAPH_RUN_DETAILS[], CMD_GRAPH_WHATIF_DETAILS[];

/* Commands that talk to a running server. */
int cmd_deploy(const cli_args *args);
extern const cli_option CMD_DEPLOY_OPTIONS[];
extern const char CMD_DEPLOY_DETAILS[];
extern const cli_command CMD_FLOW_COMMANDS[], CMD_INSTANCE_COMMANDS[];

/* The server itself, and who may come in. */
int cmd_serve(const cli_args *args);
extern const cli_option CMD_SERVE_OPTIONS[];
extern const char CMD_SERVE_DETAILS[];
extern const cli_command CMD_TOKEN_COMMANDS[];
/* A contract as tools for an agent. */
int cmd_mcp(const cli_args *args);
extern const cli_option CMD_MCP_OPTIONS[];
extern const char CMD_MCP_DETAILS[];
/* The language server for editors. */
int cmd_lsp(const cli_args *args);
extern const cli_option CMD_LSP_OPTIONS[];
extern const char CMD_LSP_DETAILS[];

int cmd_backup(const cli_args *args);
extern const cli_option CMD_BACKUP_OPTIONS[];
extern const char CMD_BACKUP_DETAILS[];
int cmd_restore(const cli_args *args);
extern const cli_option CMD_RESTORE_OPTIONS[];
extern const char CMD_RESTORE_DETAILS[];

#endif
