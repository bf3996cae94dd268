/* exec/kinds.c - the table of kinds: what is done for each action, and by whom.
 * Room: exec. The only file outside kinds/ that knows them. To serve another action,
 * add its row; a kind never calls another. */
#include "exec/kinds/agent.h"
#include "exec/kinds/contract.h"
#include "exec/kinds/deploy.h"
#include "exec/kinds/evaluate.h"
#include "exec/kinds/explain.h"
#include "exec/kinds/fact.h"
#include "exec/kinds/flow.h"
#include "exec/kinds/graph.h"
#include "exec/kinds/instance.h"
#include "exec/kinds/ledger.h"
#include "exec/kinds/operation.h"
#include "exec/kinds/system.h"

/* A row without prepare() is not served. */
const ex_handler EX_HANDLERS[EX_ACTION_COUNT] = {
    [EX_CONTRACT_LIST] = {.prepare = ex_contract_list},
    [EX_CONTRACT_GET] = {.prepare = ex_contract_get},
    [EX_CONTRACT_VERSIONS] = {.prepare = ex_contract_versions},
    [EX_CONTRACT_DEPLOY] = {.prepare = ex_deploy_prepare,
                            .commit = ex_deploy_commit,
                            .alone = true,
                            .slow = true},
    [EX_MIGRATION_GET] = {.prepare = ex_migration_get},
    [EX_MIGRATION_COMPLETE] = {.prepare = ex_migration_complete_prepare,
                               .commit = ex_migration_complete_commit,
                               .alone = true},
    [EX_EVALUATE] = {.prepare = ex_evaluate},
    [EX_PARTIAL] = {.prepare = ex_partial},
    [EX_EVALUATE_BATCH] = {.prepare = ex_evaluate_batch, .slow = true},
    [EX_ACTIONS] = {.prepare = ex_actions},
    [EX_EXPLAIN] = {.prepare = ex_explain, .slow = true},
    [EX_FACT_LIST] = {.prepare = ex_fact_list},
    [EX_FACT_ASSERT] = {.prepare = ex_fact_assert_prepare,
                        .commit = ex_fact_assert_commit},
    [EX_FACT_RETRACT] = {.prepare = ex_fact_retract_prepare,
                         .commit = ex_fact_retract_commit},
    [EX_OPERATION] = {.prepare = ex_operation_prepare,
                      .claim = ex_operation_claim,
                      .commit = ex_operation_commit,
                      .overlaps = true},
    [EX_FLOW_START] = {.prepare = ex_flow_start_prepare,
                       .claim = ex_flow_start_claim,
                       .commit = ex_flow_start_commit,
                       .think = ex_flow_think,
                       .overlaps = true},
    [EX_FLOW_LIST] = {.prepare = ex_flow_list},
    [EX_FLOW_GET] = {.prepare = ex_flow_get},
    [EX_FLOW_RESUME] = {.prepare = ex_flow_resume_prepare,
                        .claim = ex_flow_resume_claim,
                        .commit = ex_flow_resume_commit,
                        .think = ex_flow_think,
                        .overlaps = true},
    [EX_FLOW_CANCEL] = {.prepare = ex_flow_cancel_prepare,
                        .commit = ex_flow_cancel_commit,
                        .overlaps = true},
    [EX_INSTANCE_CREATE] = {.prepare = ex_instance_create_prepare,
                            .claim = ex_instance_claim,
                            .commit = ex_instance_create_commit,
                            .overlaps = true},
    [EX_INSTANCE_LIST] = {.prepare = ex_instance_list},
    [EX_INSTANCE_COUNT] = {.prepare = ex_instance_count},
    [EX_INSTANCE_GET] = {.prepare = ex_instance_get},
    [EX_INSTANCE_HISTORY] = {.prepare = ex_instance_history},
    [EX_INSTANCE_DELETE] = {.prepare = ex_instance_delete_prepare,
                            .claim = ex_instance_claim,
                            .commit = ex_instance_delete_commit,
                            .overlaps = true},
    [EX_LEDGER_LIST] = {.prepare = ex_ledger_list},
    [EX_LEDGER_GET] = {.prepare = ex_ledger_get},
    [EX_LEDGER_RECEIPT] = {.prepare = ex_ledger_receipt},
    [EX_LEDGER_PROOF] = {.prepare = ex_ledger_proof},
    [EX_LEDGER_CHECKPOINT] = {.prepare = ex_ledger_checkpoint},
    [EX_LEDGER_NOTE] = {.prepare = ex_ledger_note},
    [EX_LEDGER_CONSISTENCY] = {.prepare = ex_ledger_consistency},
    [EX_SYSTEM_LIST] = {.prepare = ex_system_list},
    [EX_SYSTEM_GET] = {.prepare = ex_system_get},
    [EX_TRIGGER_LIST] = {.prepare = ex_trigger_list},
    [EX_GRAPH_LIST] = {.prepare = ex_graph_list},
    [EX_GRAPH_EVENT] = {.prepare = ex_graph_event_prepare,
                        .commit = ex_graph_event_commit},
    [EX_GRAPH_CONTEXT] = {.prepare = ex_graph_context},
    [EX_CAPTURE_LIST] = {.prepare = ex_capture_list},
    [EX_CAPTURE_GET] = {.prepare = ex_capture_get},
    [EX_AGENT_LIST] = {.prepare = ex_agent_list},
    [EX_AGENT_MESSAGE] = {.prepare = ex_agent_message_prepare,
                          .commit = ex_agent_message_commit,
                          .queue = ex_agent_message_queue},
    [EX_AGENT_TAPE] = {.prepare = ex_agent_tape},
    [EX_AGENT_LOG] = {.prepare = ex_agent_log},
};
