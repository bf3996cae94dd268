"""Types of what the HTTP API takes and answers.

Written by sdk/generate.py from the routes of the server. Do not edit.
"""
from typing import Any, Dict, List, Literal, NotRequired, Optional, TypedDict, Union


Act = TypedDict("Act", {
    "bindings": NotRequired["Bindings"],
    "facts": NotRequired["Facts"],
    "flows": NotRequired["Names"],
    "params": NotRequired["Params"],
    "partial": NotRequired[bool],
    "persona": str,
    "unknown": NotRequired["Names"],
})

Action = TypedDict("Action", {
    "description": NotRequired[str],
    "entry_operation_id": NotRequired[str],
    "flow_id": str,
    "instance_bindings": NotRequired["Bound"],
    "persona_id": str,
    "verdict_summary": NotRequired["AnyObject"],
})

AgentAnswer = TypedDict("AgentAnswer", {
    "agent": str,
    "cycle": "AnyObject",
    "message": int,
    "queued": NotRequired[int],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
    "sent": List[Any],
})

# An AgentCard of A2A 1.0.
AgentCard = TypedDict("AgentCard", {
    "capabilities": "AnyObject",
    "defaultInputModes": "Names",
    "defaultOutputModes": "Names",
    "description": str,
    "documentationUrl": NotRequired[str],
    "name": str,
    "provider": NotRequired["AnyObject"],
    "securityRequirements": NotRequired["List[AnyObject]"],
    "securitySchemes": NotRequired["AnyObject"],
    "skills": "List[AgentCardSkillsItem]",
    "supportedInterfaces": "List[AnyObject]",
    "version": str,
})

AgentCardSkillsItem = TypedDict("AgentCardSkillsItem", {
    "description": str,
    "id": str,
    "name": str,
    "tags": "Names",
})

AgentList = TypedDict("AgentList", {
    "items": "List[AgentListItemsItem]",
})

AgentListItemsItem = TypedDict("AgentListItemsItem", {
    "id": str,
})

AgentMessageList = TypedDict("AgentMessageList", {
    "items": "List[AnyObject]",
    "next": NotRequired[str],
})

AgentTape = TypedDict("AgentTape", {
    "agent": str,
    "state": "AnyObject",
})

Ask = TypedDict("Ask", {
    "question": str,
})

AskAnswer = TypedDict("AskAnswer", {
    "answer": Literal["yes", "no", "unknown"],
    "contract": str,
    "etag": str,
    "question": str,
    "shown": Dict[str, Any],
    "text": str,
})

Assert = TypedDict("Assert", {
    "expires_at": NotRequired["Time"],
    "ttl_ms": NotRequired[int],
    "value": "Value",
})

# One line for each of the request, in its order; it has an evaluation or a problem.
BatchLine = TypedDict("BatchLine", {
    "evaluation": NotRequired["Evaluation"],
    "line": int,
    "problem": NotRequired["Problem"],
    "status": int,
})

BecauseItem = TypedDict("BecauseItem", {
    "atom": str,
    "facts": Dict[str, Any],
    "value": bool,
    "verdicts": "List[ToldVerdict]",
})

BlockReason = TypedDict("BlockReason", {
    "current_state": NotRequired[str],
    "entity_id": NotRequired[str],
    "false_parts": NotRequired["List[BlockReasonFalsePartsItem]"],
    "message": NotRequired[str],
    "missing_verdicts": NotRequired["Names"],
    "operation_id": NotRequired[str],
    "outcome": NotRequired[str],
    "required_state": NotRequired[str],
    "required_states": NotRequired["Names"],
    "type": str,
})

BlockReasonFalsePartsItem = TypedDict("BlockReasonFalsePartsItem", {
    "part": str,
    "value": bool,
})

Cancel = TypedDict("Cancel", {
    "reason": NotRequired[str],
})

CaptureList = TypedDict("CaptureList", {
    "items": "List[CaptureListItemsItem]",
    "next": NotRequired[str],
})

CaptureListItemsItem = TypedDict("CaptureListItemsItem", {
    "id": str,
})

Change = TypedDict("Change", {
    "entity_id": str,
    "from": str,
    "instance_id": str,
    "to": str,
})

ChangedConstruct = TypedDict("ChangedConstruct", {
    "class": str,
    "fields": "List[FieldChange]",
    "id": str,
    "kind": str,
})

CheckpointAnswer = TypedDict("CheckpointAnswer", {
    "root": str,
    "signed": NotRequired["AnyObject"],
    "size": int,
})

ConsistencyProof = TypedDict("ConsistencyProof", {
    "from": int,
    "hashes": "Hashes",
    "proof": str,
    "to": int,
})

Contract = TypedDict("Contract", {
    "default": bool,
    "deployed_at": "Time",
    "entities": "Names",
    "etag": str,
    "facts": "Names",
    "flows": "Names",
    "id": str,
    "operations": "Names",
    "personas": "Names",
    "version": int,
})

ContractList = TypedDict("ContractList", {
    "items": "List[Contract]",
})

Create = TypedDict("Create", {
    "id": NotRequired[str],
    "state": NotRequired[str],
})

Decision = TypedDict("Decision", {
    "context": "DecisionContext",
    "decision": bool,
})

DecisionContext = TypedDict("DecisionContext", {
    "code": NotRequired["ProblemCode"],
    "contract": NotRequired[str],
    "error": NotRequired["DecisionContextError"],
    "etag": NotRequired[str],
    "persona": NotRequired[str],
    "queued": NotRequired[int],
    "reason_admin": NotRequired["AnyObject"],
    "reason_user": NotRequired["AnyObject"],
    "reasons": NotRequired["List[FalsePart]"],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
})

DecisionContextError = TypedDict("DecisionContextError", {
    "message": str,
    "status": int,
})

DecisionPoint = TypedDict("DecisionPoint", {
    "access_evaluation_endpoint": str,
    "access_evaluations_endpoint": NotRequired[str],
    "policy_decision_point": str,
    "search_action_endpoint": NotRequired[str],
    "search_resource_endpoint": NotRequired[str],
    "search_subject_endpoint": NotRequired[str],
})

Decisions2 = TypedDict("Decisions2", {
    "evaluations": "List[Decision]",
})

# A bundle, or a source with the contract's name.
Deploy = TypedDict("Deploy", {
    "bundle": NotRequired[Dict[str, Any]],
    "contract": NotRequired[str],
    "dry_run": NotRequired[bool],
    "invariants": NotRequired["Names"],
    "policy": NotRequired["Union[Policy, Dict[str, Policy]]"],
    "source": NotRequired[str],
    "state_map": NotRequired[Dict[str, Dict[str, str]]],
})

Deployment = TypedDict("Deployment", {
    "analysis": NotRequired[str],
    "class": NotRequired[str],
    "contract": str,
    "diff": NotRequired["Diff"],
    "etag": str,
    "fates": NotRequired[Dict[str, int]],
    "flows": NotRequired["List[FlowFate]"],
    "from": NotRequired[str],
    "infrastructure": NotRequired["List[AnyObject]"],
    "instances": NotRequired["InstanceFates"],
    "number": NotRequired[int],
    "queued": NotRequired[int],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
    "simulation": NotRequired[bool],
    "status": Literal["complete", "migrating", "unchanged"],
    "triggers_failed": NotRequired[int],
})

Diagnostic = TypedDict("Diagnostic", {
    "code": str,
    "column": int,
    "hint": NotRequired[str],
    "line": int,
    "message": str,
    "severity": str,
})

# As `motet diff --json` shows it.
Diff = TypedDict("Diff", {
    "added": "List[AnyObject]",
    "changed": "List[ChangedConstruct]",
    "class": str,
    "new": str,
    "old": str,
    "operator_notice": bool,
    "policy_required": bool,
    "removed": "List[AnyObject]",
    "summary": Dict[str, int],
})

Evaluate = TypedDict("Evaluate", {
    "bindings": NotRequired["Bindings"],
    "facts": NotRequired["Facts"],
    "params": NotRequired["Params"],
    "partial": NotRequired[bool],
    "unknown": NotRequired["Names"],
})

# One of verdict, operation and flow; flow needs persona.
Explain = TypedDict("Explain", {
    "bindings": NotRequired["Bindings"],
    "facts": NotRequired["Facts"],
    "flow": NotRequired[str],
    "operation": NotRequired[str],
    "params": NotRequired["Params"],
    "partial": NotRequired[bool],
    "persona": NotRequired[str],
    "unknown": NotRequired["Names"],
    "verdict": NotRequired[str],
})

# Of a verdict, an operation or a flow.
Explanation = TypedDict("Explanation", {
    "because": NotRequired["Because"],
    "blocked": NotRequired["List[ExplanationBlockedItem]"],
    "condition": NotRequired[str],
    "depends_on": NotRequired["List[ToldVerdict]"],
    "error": NotRequired[str],
    "flow": NotRequired[str],
    "hidden": NotRequired["Names"],
    "message": NotRequired[str],
    "open": NotRequired[bool],
    "operation": NotRequired[str],
    "operations": NotRequired["List[ExplanationOperationsItem]"],
    "persona": NotRequired[str],
    "personas": NotRequired["Names"],
    "precondition": NotRequired[str],
    "present": NotRequired[bool],
    "rule": NotRequired[str],
    "stratum": NotRequired[int],
    "verdict": NotRequired[str],
    "why": NotRequired["Why"],
})

ExplanationBlockedItem = TypedDict("ExplanationBlockedItem", {
    "because": NotRequired["Because"],
    "entity": NotRequired[str],
    "instances": NotRequired[int],
    "message": NotRequired[str],
    "operation": NotRequired[str],
    "state": NotRequired[str],
    "type": str,
    "why": NotRequired["Why"],
})

ExplanationOperationsItem = TypedDict("ExplanationOperationsItem", {
    "because": "Because",
    "operation": str,
})

Fact = TypedDict("Fact", {
    "asserted": NotRequired["FactAsserted"],
    "default": NotRequired["Value"],
    "fetched": bool,
    "id": str,
    "source": Any,
    "type": str,
})

FactAnswer = TypedDict("FactAnswer", {
    "contract": str,
    "expires_at": NotRequired["Time"],
    "fact": str,
    "queued": NotRequired[int],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
    "value": NotRequired["Value"],
})

FactAsserted = TypedDict("FactAsserted", {
    "at": "Time",
    "by": NotRequired[str],
    "expired": bool,
    "expires_at": NotRequired["Time"],
    "value": NotRequired["Value"],
})

FactFault = TypedDict("FactFault", {
    "detail": str,
    "fact": str,
    "fault": str,
})

FactList = TypedDict("FactList", {
    "items": "List[Fact]",
})

FalsePart = TypedDict("FalsePart", {
    "condition": str,
    "facts": "Names",
    "rests_on": "Names",
    "value": bool,
    "verdicts": "Names",
})

FieldChange = TypedDict("FieldChange", {
    "after": NotRequired[Any],
    "before": NotRequired[Any],
    "changes": "List[AnyObject]",
    "class": str,
    "field": str,
})

Flow = TypedDict("Flow", {
    "bindings": "Bindings",
    "contract": str,
    "etag": str,
    "extra": NotRequired["AnyObject"],
    "facts": NotRequired["Facts"],
    "flow": str,
    "id": str,
    "initiator": str,
    "outcome": NotRequired[str],
    "persona": str,
    "position": NotRequired["AnyObject"],
    "queued": NotRequired[int],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
    "started_at": "Time",
    "status": "FlowStatus",
    "updated_at": "Time",
    "waiting": NotRequired["Waiting"],
})

# What this call did; of one that is answered again, how the execution stands by then.
FlowAnswer = TypedDict("FlowAnswer", {
    "bindings": NotRequired["Bindings"],
    "changes": NotRequired["List[Change]"],
    "contract": str,
    "error": NotRequired[str],
    "etag": str,
    "flow": str,
    "id": NotRequired[str],
    "initiator": NotRequired[str],
    "outcome": NotRequired[str],
    "persona": NotRequired[str],
    "provenance": NotRequired["List[AnyObject]"],
    "queued": NotRequired[int],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
    "simulation": NotRequired[bool],
    "started_at": NotRequired["Time"],
    "status": "FlowStatus",
    "steps": NotRequired["List[FlowStep]"],
    "updated_at": NotRequired["Time"],
    "waiting": NotRequired["Waiting"],
})

FlowFate = TypedDict("FlowFate", {
    "changes": NotRequired["List[AnyObject]"],
    "compatibility": NotRequired["AnyObject"],
    "etag": str,
    "fate": str,
    "flow": str,
    "id": str,
    "policy": NotRequired[str],
})

FlowList = TypedDict("FlowList", {
    "items": "List[Flow]",
    "next": NotRequired[str],
})

FlowStep = TypedDict("FlowStep", {
    "instance_bindings": NotRequired["Bindings"],
    "result": str,
    "step_id": str,
    "step_type": str,
})

GraphAnswer = TypedDict("GraphAnswer", {
    "capture": str,
    "decision": str,
    "effects": "List[GraphAnswerEffectsItem]",
    "event": str,
    "fault": NotRequired[str],
    "graph": str,
    "kind": str,
    "number": int,
    "outcomes": "List[AnyObject]",
    "payload_hash": str,
    "queued": NotRequired[int],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
    "termination": NotRequired[Optional[Union[str, Dict[str, Any]]]],
})

GraphAnswerEffectsItem = TypedDict("GraphAnswerEffectsItem", {
    "effect": "AnyObject",
    "hash": str,
})

GraphContext = TypedDict("GraphContext", {
    "context": "AnyObject",
    "graph": str,
})

GraphEvent = TypedDict("GraphEvent", {
    "at": NotRequired["Union[AnyObject, str]"],
    "id": NotRequired[str],
    "kind": NotRequired[Literal["Pump", "DataAvailable", "Command"]],
    "payload": NotRequired[Any],
    "semantic_kind": NotRequired[str],
})

GraphKeyList = TypedDict("GraphKeyList", {
    "items": "List[GraphKeyListItemsItem]",
    "next": NotRequired[str],
})

GraphKeyListItemsItem = TypedDict("GraphKeyListItemsItem", {
    "capture": str,
    "key": str,
})

GraphList = TypedDict("GraphList", {
    "items": "List[GraphListItemsItem]",
})

GraphListItemsItem = TypedDict("GraphListItemsItem", {
    "graph": str,
    "id": str,
    "primitives": NotRequired[str],
    "runtime_provenance": str,
})

GraphPicture = TypedDict("GraphPicture", {
    "events": int,
    "graph": str,
    "nodes": "List[GraphPictureNodesItem]",
    "picture": NotRequired["AnyObject"],
    "text": NotRequired[str],
})

GraphPictureNodesItem = TypedDict("GraphPictureNodesItem", {
    "id": str,
    "path": str,
    "ran": int,
    "spoke": NotRequired[int],
})

# Who it was; records of before say id and name alone.
Identity = TypedDict("Identity", {
    "actor": NotRequired[Literal["human", "machine"]],
    "id": str,
    "known_by": NotRequired[Literal["certificate", "none", "oidc", "operator", "system", "token"]],
    "name": NotRequired[str],
})

# `motet ledger verify --proof` takes it as it is.
InclusionProof = TypedDict("InclusionProof", {
    "hashes": "Hashes",
    "proof": str,
    "record": "AnyObject",
    "size": int,
})

Instance = TypedDict("Instance", {
    "contract": NotRequired[str],
    "created_at": "Time",
    "deleted": NotRequired[bool],
    "entity": str,
    "id": str,
    "last_flow": NotRequired[str],
    "last_operation": NotRequired[str],
    "queued": NotRequired[int],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
    "state": str,
    "updated_at": "Time",
    "version": int,
})

InstanceFate = TypedDict("InstanceFate", {
    "entity": str,
    "flow": NotRequired[str],
    "id": str,
    "moved": bool,
    "state": str,
    "to": NotRequired[str],
})

InstanceFates = TypedDict("InstanceFates", {
    "items": "List[InstanceFate]",
    "left": int,
    "moved": int,
})

InstanceList = TypedDict("InstanceList", {
    "items": "List[Instance]",
    "next": NotRequired[str],
})

Letter = TypedDict("Letter", {
    "attempts": int,
    "capture": str,
    "fields": "AnyObject",
    "id": str,
    "intent_id": str,
    "kind": str,
    "reason": str,
})

LetterList = TypedDict("LetterList", {
    "items": "List[Letter]",
    "next": NotRequired[str],
})

LetterSend = TypedDict("LetterSend", {
    "id": str,
})

LetterSent = TypedDict("LetterSent", {
    "graph": str,
    "id": str,
    "intent_id": str,
    "queued": NotRequired[int],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
    "status": str,
})

Manifest = TypedDict("Manifest", {
    "bundle": "AnyObject",
    "capabilities": NotRequired["AnyObject"],
    "etag": str,
    "tenor": str,
    "trust": NotRequired["AnyObject"],
})

Migration = TypedDict("Migration", {
    "contract": str,
    "etag": str,
    "flows": "List[MigrationFlowsItem]",
    "flows_left": int,
    "from": NotRequired[str],
    "instances": "List[MigrationInstancesItem]",
    "instances_left": int,
    "policy": NotRequired["Union[Policy, Dict[str, Policy]]"],
    "state_map": NotRequired["AnyObject"],
    "status": str,
})

MigrationAnswer = TypedDict("MigrationAnswer", {
    "contract": str,
    "etag": str,
    "fates": NotRequired[Dict[str, int]],
    "flows": NotRequired["List[FlowFate]"],
    "instances": NotRequired["InstanceFates"],
    "queued": NotRequired[int],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
    "simulation": NotRequired[bool],
    "status": str,
})

MigrationFlowsItem = TypedDict("MigrationFlowsItem", {
    "etag": str,
    "flow": str,
    "id": str,
    "status": str,
})

MigrationInstancesItem = TypedDict("MigrationInstancesItem", {
    "entity": str,
    "id": str,
    "state": str,
})

Operate = TypedDict("Operate", {
    "bindings": NotRequired["Bindings"],
    "dry_run": NotRequired[bool],
    "expected_versions": NotRequired["ExpectedVersions"],
    "facts": NotRequired["Facts"],
    "outcome": NotRequired[str],
    "params": NotRequired["Params"],
    "persona": str,
    "receipt": NotRequired[bool],
})

OperationAnswer = TypedDict("OperationAnswer", {
    "changes": "List[Change]",
    "contract": str,
    "etag": str,
    "operation": str,
    "outcome": str,
    "persona": str,
    "provenance": "OperationProvenance",
    "queued": NotRequired[int],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
    "simulation": NotRequired[bool],
    "versions": Dict[str, int],
})

# §9.5 of the Tenor specification.
OperationProvenance = TypedDict("OperationProvenance", {
    "facts_used": "Names",
    "instance_binding": "Bindings",
    "kind": str,
    "op": str,
    "outcome": str,
    "persona": str,
    "simulation": NotRequired[bool],
    "state_after": "States",
    "state_before": "States",
    "verdicts_used": "Names",
})

# What is left to decide where facts are unknown.
Partial = TypedDict("Partial", {
    "contract": str,
    "etag": str,
    "hidden": NotRequired["Names"],
    "operations": "List[PartialOperation]",
    "unknown": "Names",
    "verdicts": "List[PartialVerdict]",
})

PartialActions = TypedDict("PartialActions", {
    "flows": "List[PartialActionsFlowsItem]",
    "persona_id": str,
    "unknown": "Names",
})

PartialActionsFlowsItem = TypedDict("PartialActionsFlowsItem", {
    "blocked": NotRequired["List[AnyObject]"],
    "condition": NotRequired[str],
    "facts": NotRequired["Names"],
    "flow": str,
    "operations": NotRequired["Names"],
    "state": str,
})

PartialOperation = TypedDict("PartialOperation", {
    "condition": NotRequired[str],
    "error": NotRequired[str],
    "facts": NotRequired["Names"],
    "operation": str,
    "precondition": Literal["refused", "holds", "depends", "error"],
})

# A verdict where facts are unknown.
PartialVerdict = TypedDict("PartialVerdict", {
    "condition": NotRequired[str],
    "facts": NotRequired["Names"],
    "payload": NotRequired["AnyObject"],
    "payload_term": NotRequired[str],
    "rule": str,
    "state": Literal["absent", "present", "depends", "fails"],
    "stratum": int,
    "type": str,
})

# RFC 9457. Programs look at code, which is stable.
Problem = TypedDict("Problem", {
    "class": NotRequired[str],
    "code": "ProblemCode",
    "contract": NotRequired[str],
    "detail": NotRequired[str],
    "diagnostics": NotRequired["List[Diagnostic]"],
    "diff": NotRequired["Diff"],
    "entity": NotRequired[str],
    "execution": NotRequired[str],
    "expected": NotRequired["Union[int, Names]"],
    "fact": NotRequired[str],
    "fates": NotRequired[Dict[str, int]],
    "fault": NotRequired[str],
    "flow": NotRequired[str],
    "flows": NotRequired["List[Union[str, FlowFate]]"],
    "from": NotRequired[str],
    "further": NotRequired["List[FactFault]"],
    "instance": NotRequired[str],
    "instances": NotRequired["InstanceFates"],
    "invariants": NotRequired["List[AnyObject]"],
    "needs": NotRequired[List[str]],
    "operation": NotRequired[str],
    "other": NotRequired["ProblemOther"],
    "outcomes": NotRequired["Names"],
    "persona": NotRequired[str],
    "queued": NotRequired[int],
    "reason": NotRequired[str],
    "reasons": NotRequired["List[FalsePart]"],
    "receipt": NotRequired["ReceiptOrNone"],
    "record": NotRequired[int],
    "request_id": NotRequired[str],
    "rule": NotRequired[str],
    "simulation": NotRequired[bool],
    "state": NotRequired[str],
    "status": int,
    "step": NotRequired[str],
    "title": str,
    "type": str,
    "undeclared": NotRequired[bool],
    "version": NotRequired[int],
})

# What the caller did as another persona.
ProblemOther = TypedDict("ProblemOther", {
    "persona": str,
    "queued": NotRequired[int],
    "record": NotRequired[int],
})

Question = TypedDict("Question", {
    "action": "QuestionAction",
    "context": NotRequired["QuestionContext"],
    "resource": "QuestionThing",
    "subject": "QuestionThing",
})

QuestionAction = TypedDict("QuestionAction", {
    "name": str,
    "properties": NotRequired[Optional[Dict[str, Any]]],
})

QuestionThing = TypedDict("QuestionThing", {
    "id": str,
    "properties": NotRequired[Optional[Dict[str, Any]]],
    "type": str,
})

# A smallest set of parts that decides, whatever the others are.
Reason = TypedDict("Reason", {
    "parts": "List[ReasonPartsItem]",
    "rests_on": "Names",
})

ReasonPartsItem = TypedDict("ReasonPartsItem", {
    "condition": str,
    "facts": Dict[str, Any],
    "value": bool,
})

# Signed by the server; `motet receipt verify` checks it offline. With checkpoint and hashes it is complete.
Receipt = TypedDict("Receipt", {
    "checkpoint": NotRequired["AnyObject"],
    "hashes": NotRequired["Hashes"],
    "key": str,
    "origin": NotRequired[str],
    "promise": "ReceiptPromise",
    "signature": str,
    "witnesses": NotRequired["Names"],
})

ReceiptPromise = TypedDict("ReceiptPromise", {
    "decision": "AnyObject",
    "domain": str,
    "hash": str,
    "ledger": str,
    "origin": NotRequired[str],
    "record": int,
})

Record = TypedDict("Record", {
    "body": NotRequired["RecordBody"],
    "hash": NotRequired[str],
    "queued": NotRequired[int],
    "seq": NotRequired[int],
})

# By kind; docs/internals/executor.md lists the members.
RecordBody = TypedDict("RecordBody", {
    "caller": NotRequired["Identity"],
    "contract": NotRequired[str],
    "etag": NotRequired[str],
    "kind": str,
    "time": "Time",
    "trust_domain": NotRequired[str],
})

RecordList = TypedDict("RecordList", {
    "items": "List[Record]",
    "next": NotRequired[str],
})

# These facts would have to change, all others staying as they are.
Remedy = TypedDict("Remedy", {
    "condition": str,
    "facts": "Names",
})

ResourceMetadata = TypedDict("ResourceMetadata", {
    "authorization_servers": List[str],
    "bearer_methods_supported": NotRequired[List[str]],
    "resource": str,
})

Resume = TypedDict("Resume", {
    "dry_run": NotRequired[bool],
    "outcome": NotRequired["Outcome"],
    "persona": NotRequired[str],
    "receipt": NotRequired[bool],
})

SearchAction = TypedDict("SearchAction", {
    "context": NotRequired["QuestionContext"],
    "page": NotRequired["SearchPage"],
    "resource": "QuestionThing",
    "subject": "QuestionThing",
})

SearchResource = TypedDict("SearchResource", {
    "action": "SearchResourceAction",
    "context": NotRequired["QuestionContext"],
    "page": NotRequired["SearchPage"],
    "resource": "SearchResourceResource",
    "subject": "QuestionThing",
})

SearchResourceAction = TypedDict("SearchResourceAction", {
    "name": str,
    "properties": NotRequired[Optional[Dict[str, Any]]],
})

SearchResourceResource = TypedDict("SearchResourceResource", {
    "id": NotRequired[str],
    "properties": NotRequired[Optional[Dict[str, Any]]],
    "type": str,
})

SearchResults = TypedDict("SearchResults", {
    "page": NotRequired["SearchResultsPage"],
    "results": "List[SearchResultsResultsItem]",
})

SearchResultsPage = TypedDict("SearchResultsPage", {
    "next_token": str,
})

SearchResultsResultsItem = TypedDict("SearchResultsResultsItem", {
    "id": NotRequired[str],
    "name": NotRequired[str],
    "type": NotRequired[str],
})

SearchSubject = TypedDict("SearchSubject", {
    "action": "SearchSubjectAction",
    "context": NotRequired["QuestionContext"],
    "page": NotRequired["SearchPage"],
    "resource": "QuestionThing",
    "subject": "SearchSubjectSubject",
})

SearchSubjectAction = TypedDict("SearchSubjectAction", {
    "name": str,
    "properties": NotRequired[Optional[Dict[str, Any]]],
})

SearchSubjectSubject = TypedDict("SearchSubjectSubject", {
    "id": NotRequired[str],
    "properties": NotRequired[Optional[Dict[str, Any]]],
    "type": str,
})

Session = TypedDict("Session", {
    "actor": Literal["human", "machine", "unknown"],
    "csrf": NotRequired[str],
    "id": str,
    "known_by": Literal["certificate", "none", "oidc", "system", "token"],
    "name": str,
    "personas": "Names",
    "rights": "Names",
})

Start = TypedDict("Start", {
    "bindings": NotRequired["Bindings"],
    "dry_run": NotRequired[bool],
    "expected_versions": NotRequired["ExpectedVersions"],
    "facts": NotRequired["Facts"],
    "outcome": NotRequired["Outcome"],
    "params": NotRequired["Params"],
    "persona": str,
    "receipt": NotRequired[bool],
})

# How many instances are in each state.
StateCounts = TypedDict("StateCounts", {
    "contract": str,
    "items": "List[StateCountsItemsItem]",
    "more": NotRequired[bool],
})

StateCountsItemsItem = TypedDict("StateCountsItemsItem", {
    "count": int,
    "entity": str,
    "state": str,
})

Status = TypedDict("Status", {
    "reason": NotRequired[str],
    "status": Literal["alive", "ready", "unavailable"],
})

System = TypedDict("System", {
    "bundle": "AnyObject",
    "id": str,
})

SystemList = TypedDict("SystemList", {
    "items": "List[SystemListItemsItem]",
})

SystemListItemsItem = TypedDict("SystemListItemsItem", {
    "id": str,
    "members": "List[AnyObject]",
})

ToldVerdict = TypedDict("ToldVerdict", {
    "because": NotRequired["Because"],
    "condition": NotRequired[str],
    "depends_on": NotRequired["List[ToldVerdict]"],
    "present": NotRequired[bool],
    "rule": str,
    "stratum": int,
    "verdict": str,
})

# A condition and its parts, down to facts.
Tree = TypedDict("Tree", {
    "condition": str,
    "of": Literal["and", "or", "not", "forall", "exists", "verdict", "atom"],
    "parts": NotRequired["List[Tree]"],
    "value": NotRequired[bool],
    "verdict": NotRequired[str],
})

Trigger = TypedDict("Trigger", {
    "attempts": int,
    "id": str,
    "source_contract": str,
    "source_execution": str,
    "source_flow": str,
    "status": str,
    "target_contract": str,
    "target_flow": str,
})

TriggerList = TypedDict("TriggerList", {
    "items": "List[Trigger]",
    "next": NotRequired[str],
})

Verdict = TypedDict("Verdict", {
    "payload": "AnyObject",
    "provenance": "VerdictProvenance",
    "type": str,
})

VerdictProvenance = TypedDict("VerdictProvenance", {
    "facts_used": "Names",
    "rule": str,
    "stratum": int,
    "verdicts_used": "Names",
})

Version = TypedDict("Version", {
    "current": bool,
    "deployed_at": "Time",
    "etag": str,
    "version": int,
})

VersionList = TypedDict("VersionList", {
    "items": "List[Version]",
    "next": NotRequired[str],
})

# While status is waiting: who is to resume it, and at an operation which outcomes can be named.
Waiting = TypedDict("Waiting", {
    "operation": NotRequired[str],
    "outcomes": NotRequired["Names"],
    "persona": str,
    "step": str,
})

WholeActions = TypedDict("WholeActions", {
    "actions": "List[Action]",
    "blocked_actions": "List[WholeActionsBlockedActionsItem]",
    "current_verdicts": "List[AnyObject]",
    "persona_id": str,
})

WholeActionsBlockedActionsItem = TypedDict("WholeActionsBlockedActionsItem", {
    "flow_id": str,
    "instance_bindings": "Bound",
    "reason": "BlockReason",
})

WholeEvaluation = TypedDict("WholeEvaluation", {
    "contract": str,
    "etag": str,
    "verdicts": "List[Verdict]",
})

# Everything there is to say about the condition.
Why = TypedDict("Why", {
    "changes": "List[Remedy]",
    "reasons": "List[Reason]",
    "reasons_left_out": NotRequired[bool],
    "tree": "Tree",
})

AnyObject = Dict[str, Any]
Names = List[str]
# By entity: the instances it is about.
Bound = Dict[str, Names]
# The second form if `partial` or `unknown` was given.
Actions = Union[WholeActions, PartialActions]
AgentMessage = Dict[str, Any]
Because = List[BecauseItem]
# The instance of each entity.
Bindings = Dict[str, str]
Capture = AnyObject
Hashes = List[str]
# What went wrong; more may be added.
ProblemCode = str
# Null: not ready in time, to be fetched later.
ReceiptOrNone = Optional[Receipt]
Decisions = Union[Decision, Decisions2]
# The second form if `partial` or `unknown` was given, or the caller may not read all facts.
Evaluation = Union[WholeEvaluation, Partial]
# By entity: refused if an instance has another version by now.
ExpectedVersions = Dict[str, int]
# A value as facts are given: JSON of the fact's type.
Value = Any
# Facts by their ids; each contract has this with its types, as CONTRACT.facts.
Facts = Dict[str, Value]
FlowStatus = Literal["running", "waiting", "done", "failed", "cancelled", "aborted"]
McpMessage = Dict[str, Any]
Nothing = Dict[str, Any]
# An outcome by name, or by step.
Outcome = Union[str, Dict[str, str]]
# Values for {name} in paths of sources.
Params = Dict[str, Union[str, float, bool]]
Policy = Literal["blue_green", "force_migrate", "abort"]
# Members with the name of a fact are that fact.
QuestionContext = Optional[Dict[str, Any]]
# One question, or many with what they have in common.
Questions = Dict[str, Any]
SearchPage = Dict[str, Any]
# By entity and instance.
States = Dict[str, Dict[str, str]]
Text = str
Time = str
