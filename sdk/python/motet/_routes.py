"""One method for each route of the HTTP API, for both kinds of client.

Written by sdk/generate.py from the routes of the server. Do not edit.
"""
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from . import types as t
from ._wire import CallOptions, Route, body_of

ROUTES: Dict[str, Route] = {
    "manifest": Route("GET", "/.well-known/tenor"),
    "decisionPoint": Route("GET", "/.well-known/authzen-configuration"),
    "agentCard": Route("GET", "/.well-known/agent-card.json"),
    "health": Route("GET", "/healthz"),
    "ready": Route("GET", "/readyz"),
    "metrics": Route("GET", "/metrics", text=True),
    "openapi": Route("GET", "/openapi.json"),
    "session": Route("GET", "/session"),
    "decide": Route("POST", "/access/v1/evaluation", writes=True),
    "decideMany": Route("POST", "/access/v1/evaluations", writes=True),
    "searchSubjects": Route("POST", "/access/v1/search/subject"),
    "searchResources": Route("POST", "/access/v1/search/resource"),
    "searchActions": Route("POST", "/access/v1/search/action"),
    "listContracts": Route("GET", "/v1/contracts"),
    "deploy": Route("POST", "/v1/contracts", writes=True),
    "getContract": Route("GET", "/v1/contracts/{contract}"),
    "contractManifest": Route("GET", "/v1/contracts/{contract}/.well-known/tenor"),
    "listVersions": Route("GET", "/v1/contracts/{contract}/versions"),
    "getMigration": Route("GET", "/v1/contracts/{contract}/migration"),
    "completeMigration": Route("POST", "/v1/contracts/{contract}/migration/complete", writes=True),
    "evaluate": Route("POST", "/v1/contracts/{contract}/evaluate"),
    "evaluateBatch": Route("POST", "/v1/contracts/{contract}/evaluate/batch", lines=True),
    "evaluatePartly": Route("POST", "/v1/contracts/{contract}/partial"),
    "actions": Route("POST", "/v1/contracts/{contract}/actions"),
    "explain": Route("POST", "/v1/contracts/{contract}/explain"),
    "ask": Route("POST", "/v1/contracts/{contract}/ask"),
    "listFacts": Route("GET", "/v1/contracts/{contract}/facts"),
    "assertFact": Route("PUT", "/v1/contracts/{contract}/facts/{fact}", writes=True),
    "retractFact": Route("DELETE", "/v1/contracts/{contract}/facts/{fact}", writes=True),
    "operate": Route("POST", "/v1/contracts/{contract}/operations/{operation}", writes=True),
    "startFlow": Route("POST", "/v1/contracts/{contract}/flows/{flow}", writes=True),
    "listAllInstances": Route("GET", "/v1/contracts/{contract}/instances"),
    "listInstances": Route("GET", "/v1/contracts/{contract}/instances/{entity}"),
    "createInstance": Route("POST", "/v1/contracts/{contract}/instances/{entity}", writes=True),
    "getInstance": Route("GET", "/v1/contracts/{contract}/instances/{entity}/{id}"),
    "deleteInstance": Route("DELETE", "/v1/contracts/{contract}/instances/{entity}/{id}", writes=True),
    "instanceHistory": Route("GET", "/v1/contracts/{contract}/instances/{entity}/{id}/history"),
    "countInstances": Route("GET", "/v1/contracts/{contract}/states"),
    "listFlows": Route("GET", "/v1/flows"),
    "getFlow": Route("GET", "/v1/flows/{id}"),
    "resumeFlow": Route("POST", "/v1/flows/{id}/resume", writes=True),
    "cancelFlow": Route("POST", "/v1/flows/{id}/cancel", writes=True),
    "listRecords": Route("GET", "/v1/ledger"),
    "getCheckpoint": Route("GET", "/v1/ledger/checkpoint"),
    "getCheckpointNote": Route("GET", "/v1/ledger/checkpoint.note", text=True),
    "proveConsistency": Route("GET", "/v1/ledger/consistency"),
    "getRecord": Route("GET", "/v1/ledger/{id}"),
    "proveRecord": Route("GET", "/v1/ledger/{id}/proof"),
    "getReceipt": Route("GET", "/v1/ledger/{id}/receipt"),
    "listSystems": Route("GET", "/v1/systems"),
    "getSystem": Route("GET", "/v1/systems/{system}"),
    "listTriggers": Route("GET", "/v1/systems/{system}/triggers"),
    "listGraphs": Route("GET", "/v1/graphs"),
    "giveEvent": Route("POST", "/v1/graphs/{graph}/events", writes=True),
    "getContext": Route("GET", "/v1/graphs/{graph}/context"),
    "getGraphPicture": Route("GET", "/v1/graphs/{graph}/picture"),
    "listLetters": Route("GET", "/v1/graphs/{graph}/letters"),
    "sendLetter": Route("POST", "/v1/graphs/{graph}/letters/send", writes=True),
    "listKeys": Route("GET", "/v1/graphs/{graph}/keys"),
    "listCaptures": Route("GET", "/v1/graphs/{graph}/captures"),
    "getCapture": Route("GET", "/v1/graphs/{graph}/captures/{id}"),
    "listAgents": Route("GET", "/v1/agents"),
    "giveMessage": Route("POST", "/v1/agents/{agent}/messages", writes=True),
    "listMessages": Route("GET", "/v1/agents/{agent}/messages"),
    "getTape": Route("GET", "/v1/agents/{agent}/tape"),
}


class Routes:
    """What a `Client` can ask for."""

    def call(self, name: str, places: List[str], query: Dict[str, Any], body: Any,
             options: Optional[CallOptions]) -> Any:
        raise NotImplementedError

    def manifest(self,
            *,
            call: Optional[CallOptions] = None) -> t.Manifest:
        """The default contract's manifest."""
        got: t.Manifest = self.call("manifest", [], {},
            None, call)
        return got

    def decision_point(self,
            *,
            call: Optional[CallOptions] = None) -> t.DecisionPoint:
        """Where decisions are asked for (AuthZEN 1.0)."""
        got: t.DecisionPoint = self.call("decisionPoint", [], {},
            None, call)
        return got

    def agent_card(self,
            *,
            call: Optional[CallOptions] = None) -> t.AgentCard:
        """What can be done here, as a card of A2A 1.0."""
        got: t.AgentCard = self.call("agentCard", [], {},
            None, call)
        return got

    def health(self,
            *,
            call: Optional[CallOptions] = None) -> t.Status:
        """The process lives."""
        got: t.Status = self.call("health", [], {},
            None, call)
        return got

    def ready(self,
            *,
            call: Optional[CallOptions] = None) -> t.Status:
        """The store is reachable, calls are taken, and the ledger is the one that was signed."""
        got: t.Status = self.call("ready", [], {},
            None, call)
        return got

    def metrics(self,
            *,
            call: Optional[CallOptions] = None) -> str:
        """Figures in Prometheus text."""
        got: str = self.call("metrics", [], {},
            None, call)
        return got

    def openapi(self,
            *,
            call: Optional[CallOptions] = None) -> t.AnyObject:
        """OpenAPI 3.1 of what is served."""
        got: t.AnyObject = self.call("openapi", [], {},
            None, call)
        return got

    def session(self,
            *,
            call: Optional[CallOptions] = None) -> t.Session:
        """Who calls, and what it was granted."""
        got: t.Session = self.call("session", [], {},
            None, call)
        return got

    def decide(self,
            *,
            action: t.QuestionAction,
            resource: t.QuestionThing,
            subject: t.QuestionThing,
            context: Optional[t.QuestionContext] = None,
            call: Optional[CallOptions] = None) -> t.Decision:
        """May somebody do something? (AuthZEN 1.0)."""
        got: t.Decision = self.call("decide", [], {},
            body_of({"action": action, "context": context, "resource": resource, "subject": subject}), call)
        return got

    def decide_many(self,
            body: Optional[Dict[str, Any]] = None,
            *,
            call: Optional[CallOptions] = None) -> t.Decisions:
        """The same many times at once."""
        got: t.Decisions = self.call("decideMany", [], {},
            body or {}, call)
        return got

    def search_subjects(self,
            *,
            action: t.SearchSubjectAction,
            resource: t.QuestionThing,
            subject: t.SearchSubjectSubject,
            context: Optional[t.QuestionContext] = None,
            page: Optional[t.SearchPage] = None,
            call: Optional[CallOptions] = None) -> t.SearchResults:
        """Who may do it."""
        got: t.SearchResults = self.call("searchSubjects", [], {},
            body_of({"action": action, "context": context, "page": page, "resource": resource, "subject": subject}), call)
        return got

    def search_resources(self,
            *,
            action: t.SearchResourceAction,
            resource: t.SearchResourceResource,
            subject: t.QuestionThing,
            context: Optional[t.QuestionContext] = None,
            page: Optional[t.SearchPage] = None,
            call: Optional[CallOptions] = None) -> t.SearchResults:
        """On what may it be done."""
        got: t.SearchResults = self.call("searchResources", [], {},
            body_of({"action": action, "context": context, "page": page, "resource": resource, "subject": subject}), call)
        return got

    def search_actions(self,
            *,
            resource: t.QuestionThing,
            subject: t.QuestionThing,
            context: Optional[t.QuestionContext] = None,
            page: Optional[t.SearchPage] = None,
            call: Optional[CallOptions] = None) -> t.SearchResults:
        """What may be done."""
        got: t.SearchResults = self.call("searchActions", [], {},
            body_of({"context": context, "page": page, "resource": resource, "subject": subject}), call)
        return got

    def list_contracts(self,
            *,
            call: Optional[CallOptions] = None) -> t.ContractList:
        """The contracts served."""
        got: t.ContractList = self.call("listContracts", [], {},
            None, call)
        return got

    def deploy(self,
            *,
            bundle: Optional[Dict[str, Any]] = None,
            contract: Optional[str] = None,
            dry_run: Optional[bool] = None,
            invariants: Optional[t.Names] = None,
            policy: Optional[Union[t.Policy, Dict[str, t.Policy]]] = None,
            source: Optional[str] = None,
            state_map: Optional[Dict[str, Dict[str, str]]] = None,
            call: Optional[CallOptions] = None) -> t.Deployment:
        """Deploy a version of a contract."""
        got: t.Deployment = self.call("deploy", [], {},
            body_of({"bundle": bundle, "contract": contract, "dry_run": dry_run, "invariants": invariants, "policy": policy, "source": source, "state_map": state_map}), call)
        return got

    def get_contract(self,
            contract: str,
            *,
            etag: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.Manifest:
        """One contract."""
        got: t.Manifest = self.call("getContract", [contract], {"etag": etag},
            None, call)
        return got

    def contract_manifest(self,
            contract: str,
            *,
            call: Optional[CallOptions] = None) -> t.Manifest:
        """Its manifest."""
        got: t.Manifest = self.call("contractManifest", [contract], {},
            None, call)
        return got

    def list_versions(self,
            contract: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.VersionList:
        """Its versions."""
        got: t.VersionList = self.call("listVersions", [contract], {"after": after, "limit": limit},
            None, call)
        return got

    def get_migration(self,
            contract: str,
            *,
            call: Optional[CallOptions] = None) -> t.Migration:
        """The migration under way."""
        got: t.Migration = self.call("getMigration", [contract], {},
            None, call)
        return got

    def complete_migration(self,
            contract: str,
            body: Optional[Dict[str, Any]] = None,
            *,
            call: Optional[CallOptions] = None) -> t.MigrationAnswer:
        """End the migration under way."""
        got: t.MigrationAnswer = self.call("completeMigration", [contract], {},
            body or {}, call)
        return got

    def evaluate(self,
            contract: str,
            *,
            bindings: Optional[t.Bindings] = None,
            facts: Optional[t.Facts] = None,
            params: Optional[t.Params] = None,
            partial: Optional[bool] = None,
            unknown: Optional[t.Names] = None,
            call: Optional[CallOptions] = None) -> t.Evaluation:
        """Facts to verdicts."""
        got: t.Evaluation = self.call("evaluate", [contract], {},
            body_of({"bindings": bindings, "facts": facts, "params": params, "partial": partial, "unknown": unknown}), call)
        return got

    def evaluate_batch(self,
            contract: str,
            lines: List[t.Evaluate],
            *,
            call: Optional[CallOptions] = None) -> List[t.BatchLine]:
        """Many evaluations, one in each line."""
        got: List[t.BatchLine] = self.call("evaluateBatch", [contract], {},
            lines, call)
        return got

    def evaluate_partly(self,
            contract: str,
            *,
            bindings: Optional[t.Bindings] = None,
            facts: Optional[t.Facts] = None,
            params: Optional[t.Params] = None,
            partial: Optional[bool] = None,
            unknown: Optional[t.Names] = None,
            call: Optional[CallOptions] = None) -> t.Partial:
        """What is left to decide where facts are not known."""
        got: t.Partial = self.call("evaluatePartly", [contract], {},
            body_of({"bindings": bindings, "facts": facts, "params": params, "partial": partial, "unknown": unknown}), call)
        return got

    def actions(self,
            contract: str,
            *,
            persona: str,
            bindings: Optional[t.Bindings] = None,
            facts: Optional[t.Facts] = None,
            flows: Optional[t.Names] = None,
            params: Optional[t.Params] = None,
            partial: Optional[bool] = None,
            unknown: Optional[t.Names] = None,
            call: Optional[CallOptions] = None) -> t.Actions:
        """What a persona may do now, and what blocks the rest."""
        got: t.Actions = self.call("actions", [contract], {},
            body_of({"bindings": bindings, "facts": facts, "flows": flows, "params": params, "partial": partial, "persona": persona, "unknown": unknown}), call)
        return got

    def explain(self,
            contract: str,
            *,
            bindings: Optional[t.Bindings] = None,
            facts: Optional[t.Facts] = None,
            flow: Optional[str] = None,
            operation: Optional[str] = None,
            params: Optional[t.Params] = None,
            partial: Optional[bool] = None,
            persona: Optional[str] = None,
            unknown: Optional[t.Names] = None,
            verdict: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.Explanation:
        """Why a verdict, an operation or a flow is as it is, down to facts."""
        got: t.Explanation = self.call("explain", [contract], {},
            body_of({"bindings": bindings, "facts": facts, "flow": flow, "operation": operation, "params": params, "partial": partial, "persona": persona, "unknown": unknown, "verdict": verdict}), call)
        return got

    def ask(self,
            contract: str,
            *,
            question: str,
            call: Optional[CallOptions] = None) -> t.AskAnswer:
        """What the contract can and can never do, with what shows it."""
        got: t.AskAnswer = self.call("ask", [contract], {},
            body_of({"question": question}), call)
        return got

    def list_facts(self,
            contract: str,
            *,
            call: Optional[CallOptions] = None) -> t.FactList:
        """Facts asserted by hand."""
        got: t.FactList = self.call("listFacts", [contract], {},
            None, call)
        return got

    def assert_fact(self,
            contract: str,
            fact: str,
            *,
            value: t.Value,
            expires_at: Optional[t.Time] = None,
            ttl_ms: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.FactAnswer:
        """Assert a fact of a manual source."""
        got: t.FactAnswer = self.call("assertFact", [contract, fact], {},
            body_of({"expires_at": expires_at, "ttl_ms": ttl_ms, "value": value}), call)
        return got

    def retract_fact(self,
            contract: str,
            fact: str,
            *,
            call: Optional[CallOptions] = None) -> t.FactAnswer:
        """Retract it."""
        got: t.FactAnswer = self.call("retractFact", [contract, fact], {},
            None, call)
        return got

    def operate(self,
            contract: str,
            operation: str,
            *,
            persona: str,
            bindings: Optional[t.Bindings] = None,
            dry_run: Optional[bool] = None,
            expected_versions: Optional[t.ExpectedVersions] = None,
            facts: Optional[t.Facts] = None,
            outcome: Optional[str] = None,
            params: Optional[t.Params] = None,
            receipt: Optional[bool] = None,
            call: Optional[CallOptions] = None) -> t.OperationAnswer:
        """Execute an operation, or try it with dry_run."""
        got: t.OperationAnswer = self.call("operate", [contract, operation], {},
            body_of({"bindings": bindings, "dry_run": dry_run, "expected_versions": expected_versions, "facts": facts, "outcome": outcome, "params": params, "persona": persona, "receipt": receipt}), call)
        return got

    def start_flow(self,
            contract: str,
            flow: str,
            *,
            persona: str,
            bindings: Optional[t.Bindings] = None,
            dry_run: Optional[bool] = None,
            expected_versions: Optional[t.ExpectedVersions] = None,
            facts: Optional[t.Facts] = None,
            outcome: Optional[t.Outcome] = None,
            params: Optional[t.Params] = None,
            receipt: Optional[bool] = None,
            call: Optional[CallOptions] = None) -> t.FlowAnswer:
        """Start a flow, or try it with dry_run."""
        got: t.FlowAnswer = self.call("startFlow", [contract, flow], {},
            body_of({"bindings": bindings, "dry_run": dry_run, "expected_versions": expected_versions, "facts": facts, "outcome": outcome, "params": params, "persona": persona, "receipt": receipt}), call)
        return got

    def list_all_instances(self,
            contract: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            state: Optional[str] = None,
            deleted: Optional[Literal["false", "true"]] = None,
            call: Optional[CallOptions] = None) -> t.InstanceList:
        """Instances of all entities."""
        got: t.InstanceList = self.call("listAllInstances", [contract], {"after": after, "limit": limit, "state": state, "deleted": deleted},
            None, call)
        return got

    def list_instances(self,
            contract: str,
            entity: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            state: Optional[str] = None,
            deleted: Optional[Literal["false", "true"]] = None,
            call: Optional[CallOptions] = None) -> t.InstanceList:
        """Instances of one entity."""
        got: t.InstanceList = self.call("listInstances", [contract, entity], {"after": after, "limit": limit, "state": state, "deleted": deleted},
            None, call)
        return got

    def create_instance(self,
            contract: str,
            entity: str,
            *,
            id: Optional[str] = None,
            state: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.Instance:
        """Create an instance in its initial state."""
        got: t.Instance = self.call("createInstance", [contract, entity], {},
            body_of({"id": id, "state": state}), call)
        return got

    def get_instance(self,
            contract: str,
            entity: str,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Instance:
        """One instance."""
        got: t.Instance = self.call("getInstance", [contract, entity, id], {},
            None, call)
        return got

    def delete_instance(self,
            contract: str,
            entity: str,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Instance:
        """Delete it; its history stays."""
        got: t.Instance = self.call("deleteInstance", [contract, entity, id], {},
            None, call)
        return got

    def instance_history(self,
            contract: str,
            entity: str,
            id: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.RecordList:
        """Its ledger records."""
        got: t.RecordList = self.call("instanceHistory", [contract, entity, id], {"after": after, "limit": limit},
            None, call)
        return got

    def count_instances(self,
            contract: str,
            *,
            call: Optional[CallOptions] = None) -> t.StateCounts:
        """How many instances are in each state."""
        got: t.StateCounts = self.call("countInstances", [contract], {},
            None, call)
        return got

    def list_flows(self,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            contract: Optional[str] = None,
            etag: Optional[str] = None,
            flow: Optional[str] = None,
            status: Optional[str] = None,
            outcome: Optional[str] = None,
            persona: Optional[str] = None,
            waiting_persona: Optional[str] = None,
            in_flight: Optional[Literal["false", "true"]] = None,
            call: Optional[CallOptions] = None) -> t.FlowList:
        """Flow executions."""
        got: t.FlowList = self.call("listFlows", [], {"after": after, "limit": limit, "contract": contract, "etag": etag, "flow": flow, "status": status, "outcome": outcome, "persona": persona, "waiting_persona": waiting_persona, "in_flight": in_flight},
            None, call)
        return got

    def get_flow(self,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Flow:
        """One flow execution."""
        got: t.Flow = self.call("getFlow", [id], {},
            None, call)
        return got

    def resume_flow(self,
            id: str,
            *,
            dry_run: Optional[bool] = None,
            outcome: Optional[t.Outcome] = None,
            persona: Optional[str] = None,
            receipt: Optional[bool] = None,
            call: Optional[CallOptions] = None) -> t.FlowAnswer:
        """Go on with a waiting flow."""
        got: t.FlowAnswer = self.call("resumeFlow", [id], {},
            body_of({"dry_run": dry_run, "outcome": outcome, "persona": persona, "receipt": receipt}), call)
        return got

    def cancel_flow(self,
            id: str,
            *,
            reason: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.Flow:
        """Cancel it."""
        got: t.Flow = self.call("cancelFlow", [id], {},
            body_of({"reason": reason}), call)
        return got

    def list_records(self,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            kind: Optional[str] = None,
            contract: Optional[str] = None,
            flow: Optional[str] = None,
            subject: Optional[str] = None,
            from_: Optional[int] = None,
            to: Optional[int] = None,
            from_ms: Optional[int] = None,
            to_ms: Optional[int] = None,
            order: Optional[Literal["asc", "desc"]] = None,
            pending: Optional[Literal["false", "true"]] = None,
            call: Optional[CallOptions] = None) -> t.RecordList:
        """Ledger records."""
        got: t.RecordList = self.call("listRecords", [], {"after": after, "limit": limit, "kind": kind, "contract": contract, "flow": flow, "subject": subject, "from": from_, "to": to, "from_ms": from_ms, "to_ms": to_ms, "order": order, "pending": pending},
            None, call)
        return got

    def get_checkpoint(self,
            *,
            call: Optional[CallOptions] = None) -> t.CheckpointAnswer:
        """The newest signed checkpoint."""
        got: t.CheckpointAnswer = self.call("getCheckpoint", [], {},
            None, call)
        return got

    def get_checkpoint_note(self,
            *,
            call: Optional[CallOptions] = None) -> str:
        """The newest checkpoint as a C2SP note, with its cosignatures."""
        got: str = self.call("getCheckpointNote", [], {},
            None, call)
        return got

    def prove_consistency(self,
            *,
            from_: Optional[int] = None,
            to: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.ConsistencyProof:
        """Proof that one size of the ledger extends another."""
        got: t.ConsistencyProof = self.call("proveConsistency", [], {"from": from_, "to": to},
            None, call)
        return got

    def get_record(self,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Record:
        """One record."""
        got: t.Record = self.call("getRecord", [id], {},
            None, call)
        return got

    def prove_record(self,
            id: str,
            *,
            size: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.InclusionProof:
        """Proof that it is in the ledger."""
        got: t.InclusionProof = self.call("proveRecord", [id], {"size": size},
            None, call)
        return got

    def get_receipt(self,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Receipt:
        """A signed receipt for it, complete once a checkpoint covers it."""
        got: t.Receipt = self.call("getReceipt", [id], {},
            None, call)
        return got

    def list_systems(self,
            *,
            call: Optional[CallOptions] = None) -> t.SystemList:
        """The systems served."""
        got: t.SystemList = self.call("listSystems", [], {},
            None, call)
        return got

    def get_system(self,
            system: str,
            *,
            call: Optional[CallOptions] = None) -> t.System:
        """One system."""
        got: t.System = self.call("getSystem", [system], {},
            None, call)
        return got

    def list_triggers(self,
            system: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            status: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.TriggerList:
        """Its outbox of triggers."""
        got: t.TriggerList = self.call("listTriggers", [system], {"after": after, "limit": limit, "status": status},
            None, call)
        return got

    def list_graphs(self,
            *,
            call: Optional[CallOptions] = None) -> t.GraphList:
        """The graphs served."""
        got: t.GraphList = self.call("listGraphs", [], {},
            None, call)
        return got

    def give_event(self,
            graph: str,
            *,
            at: Optional[Union[t.AnyObject, str]] = None,
            id: Optional[str] = None,
            kind: Optional[Literal["Pump", "DataAvailable", "Command"]] = None,
            payload: Optional[Any] = None,
            semantic_kind: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.GraphAnswer:
        """Give a graph an event."""
        got: t.GraphAnswer = self.call("giveEvent", [graph], {},
            body_of({"at": at, "id": id, "kind": kind, "payload": payload, "semantic_kind": semantic_kind}), call)
        return got

    def get_context(self,
            graph: str,
            *,
            key: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.GraphContext:
        """Its context."""
        got: t.GraphContext = self.call("getContext", [graph], {"key": key},
            None, call)
        return got

    def get_graph_picture(self,
            graph: str,
            *,
            format: Optional[Literal["json", "mermaid", "dot"]] = None,
            call: Optional[CallOptions] = None) -> t.GraphPicture:
        """Its picture, and how often each node spoke."""
        got: t.GraphPicture = self.call("getGraphPicture", [graph], {"format": format},
            None, call)
        return got

    def list_letters(self,
            graph: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.LetterList:
        """Its intents that could not be delivered."""
        got: t.LetterList = self.call("listLetters", [graph], {"after": after, "limit": limit},
            None, call)
        return got

    def send_letter(self,
            graph: str,
            *,
            id: str,
            call: Optional[CallOptions] = None) -> t.LetterSent:
        """Send one of them again."""
        got: t.LetterSent = self.call("sendLetter", [graph], {},
            body_of({"id": id}), call)
        return got

    def list_keys(self,
            graph: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.GraphKeyList:
        """The values of its key that have a history."""
        got: t.GraphKeyList = self.call("listKeys", [graph], {"after": after, "limit": limit},
            None, call)
        return got

    def list_captures(self,
            graph: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            key: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.CaptureList:
        """Its captures."""
        got: t.CaptureList = self.call("listCaptures", [graph], {"after": after, "limit": limit, "key": key},
            None, call)
        return got

    def get_capture(self,
            graph: str,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Capture:
        """One capture."""
        got: t.Capture = self.call("getCapture", [graph, id], {},
            None, call)
        return got

    def list_agents(self,
            *,
            call: Optional[CallOptions] = None) -> t.AgentList:
        """The agents served."""
        got: t.AgentList = self.call("listAgents", [], {},
            None, call)
        return got

    def give_message(self,
            agent: str,
            body: Optional[Dict[str, Any]] = None,
            *,
            call: Optional[CallOptions] = None) -> t.AgentAnswer:
        """Give an agent a message."""
        got: t.AgentAnswer = self.call("giveMessage", [agent], {},
            body or {}, call)
        return got

    def list_messages(self,
            agent: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.AgentMessageList:
        """Its messages."""
        got: t.AgentMessageList = self.call("listMessages", [agent], {"after": after, "limit": limit},
            None, call)
        return got

    def get_tape(self,
            agent: str,
            *,
            call: Optional[CallOptions] = None) -> t.AgentTape:
        """Its tape."""
        got: t.AgentTape = self.call("getTape", [agent], {},
            None, call)
        return got


class AsyncRoutes:
    """What an `AsyncClient` can ask for."""

    async def call(self, name: str, places: List[str], query: Dict[str, Any], body: Any,
             options: Optional[CallOptions]) -> Any:
        raise NotImplementedError

    async def manifest(self,
            *,
            call: Optional[CallOptions] = None) -> t.Manifest:
        """The default contract's manifest."""
        got: t.Manifest = await self.call("manifest", [], {},
            None, call)
        return got

    async def decision_point(self,
            *,
            call: Optional[CallOptions] = None) -> t.DecisionPoint:
        """Where decisions are asked for (AuthZEN 1.0)."""
        got: t.DecisionPoint = await self.call("decisionPoint", [], {},
            None, call)
        return got

    async def agent_card(self,
            *,
            call: Optional[CallOptions] = None) -> t.AgentCard:
        """What can be done here, as a card of A2A 1.0."""
        got: t.AgentCard = await self.call("agentCard", [], {},
            None, call)
        return got

    async def health(self,
            *,
            call: Optional[CallOptions] = None) -> t.Status:
        """The process lives."""
        got: t.Status = await self.call("health", [], {},
            None, call)
        return got

    async def ready(self,
            *,
            call: Optional[CallOptions] = None) -> t.Status:
        """The store is reachable, calls are taken, and the ledger is the one that was signed."""
        got: t.Status = await self.call("ready", [], {},
            None, call)
        return got

    async def metrics(self,
            *,
            call: Optional[CallOptions] = None) -> str:
        """Figures in Prometheus text."""
        got: str = await self.call("metrics", [], {},
            None, call)
        return got

    async def openapi(self,
            *,
            call: Optional[CallOptions] = None) -> t.AnyObject:
        """OpenAPI 3.1 of what is served."""
        got: t.AnyObject = await self.call("openapi", [], {},
            None, call)
        return got

    async def session(self,
            *,
            call: Optional[CallOptions] = None) -> t.Session:
        """Who calls, and what it was granted."""
        got: t.Session = await self.call("session", [], {},
            None, call)
        return got

    async def decide(self,
            *,
            action: t.QuestionAction,
            resource: t.QuestionThing,
            subject: t.QuestionThing,
            context: Optional[t.QuestionContext] = None,
            call: Optional[CallOptions] = None) -> t.Decision:
        """May somebody do something? (AuthZEN 1.0)."""
        got: t.Decision = await self.call("decide", [], {},
            body_of({"action": action, "context": context, "resource": resource, "subject": subject}), call)
        return got

    async def decide_many(self,
            body: Optional[Dict[str, Any]] = None,
            *,
            call: Optional[CallOptions] = None) -> t.Decisions:
        """The same many times at once."""
        got: t.Decisions = await self.call("decideMany", [], {},
            body or {}, call)
        return got

    async def search_subjects(self,
            *,
            action: t.SearchSubjectAction,
            resource: t.QuestionThing,
            subject: t.SearchSubjectSubject,
            context: Optional[t.QuestionContext] = None,
            page: Optional[t.SearchPage] = None,
            call: Optional[CallOptions] = None) -> t.SearchResults:
        """Who may do it."""
        got: t.SearchResults = await self.call("searchSubjects", [], {},
            body_of({"action": action, "context": context, "page": page, "resource": resource, "subject": subject}), call)
        return got

    async def search_resources(self,
            *,
            action: t.SearchResourceAction,
            resource: t.SearchResourceResource,
            subject: t.QuestionThing,
            context: Optional[t.QuestionContext] = None,
            page: Optional[t.SearchPage] = None,
            call: Optional[CallOptions] = None) -> t.SearchResults:
        """On what may it be done."""
        got: t.SearchResults = await self.call("searchResources", [], {},
            body_of({"action": action, "context": context, "page": page, "resource": resource, "subject": subject}), call)
        return got

    async def search_actions(self,
            *,
            resource: t.QuestionThing,
            subject: t.QuestionThing,
            context: Optional[t.QuestionContext] = None,
            page: Optional[t.SearchPage] = None,
            call: Optional[CallOptions] = None) -> t.SearchResults:
        """What may be done."""
        got: t.SearchResults = await self.call("searchActions", [], {},
            body_of({"context": context, "page": page, "resource": resource, "subject": subject}), call)
        return got

    async def list_contracts(self,
            *,
            call: Optional[CallOptions] = None) -> t.ContractList:
        """The contracts served."""
        got: t.ContractList = await self.call("listContracts", [], {},
            None, call)
        return got

    async def deploy(self,
            *,
            bundle: Optional[Dict[str, Any]] = None,
            contract: Optional[str] = None,
            dry_run: Optional[bool] = None,
            invariants: Optional[t.Names] = None,
            policy: Optional[Union[t.Policy, Dict[str, t.Policy]]] = None,
            source: Optional[str] = None,
            state_map: Optional[Dict[str, Dict[str, str]]] = None,
            call: Optional[CallOptions] = None) -> t.Deployment:
        """Deploy a version of a contract."""
        got: t.Deployment = await self.call("deploy", [], {},
            body_of({"bundle": bundle, "contract": contract, "dry_run": dry_run, "invariants": invariants, "policy": policy, "source": source, "state_map": state_map}), call)
        return got

    async def get_contract(self,
            contract: str,
            *,
            etag: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.Manifest:
        """One contract."""
        got: t.Manifest = await self.call("getContract", [contract], {"etag": etag},
            None, call)
        return got

    async def contract_manifest(self,
            contract: str,
            *,
            call: Optional[CallOptions] = None) -> t.Manifest:
        """Its manifest."""
        got: t.Manifest = await self.call("contractManifest", [contract], {},
            None, call)
        return got

    async def list_versions(self,
            contract: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.VersionList:
        """Its versions."""
        got: t.VersionList = await self.call("listVersions", [contract], {"after": after, "limit": limit},
            None, call)
        return got

    async def get_migration(self,
            contract: str,
            *,
            call: Optional[CallOptions] = None) -> t.Migration:
        """The migration under way."""
        got: t.Migration = await self.call("getMigration", [contract], {},
            None, call)
        return got

    async def complete_migration(self,
            contract: str,
            body: Optional[Dict[str, Any]] = None,
            *,
            call: Optional[CallOptions] = None) -> t.MigrationAnswer:
        """End the migration under way."""
        got: t.MigrationAnswer = await self.call("completeMigration", [contract], {},
            body or {}, call)
        return got

    async def evaluate(self,
            contract: str,
            *,
            bindings: Optional[t.Bindings] = None,
            facts: Optional[t.Facts] = None,
            params: Optional[t.Params] = None,
            partial: Optional[bool] = None,
            unknown: Optional[t.Names] = None,
            call: Optional[CallOptions] = None) -> t.Evaluation:
        """Facts to verdicts."""
        got: t.Evaluation = await self.call("evaluate", [contract], {},
            body_of({"bindings": bindings, "facts": facts, "params": params, "partial": partial, "unknown": unknown}), call)
        return got

    async def evaluate_batch(self,
            contract: str,
            lines: List[t.Evaluate],
            *,
            call: Optional[CallOptions] = None) -> List[t.BatchLine]:
        """Many evaluations, one in each line."""
        got: List[t.BatchLine] = await self.call("evaluateBatch", [contract], {},
            lines, call)
        return got

    async def evaluate_partly(self,
            contract: str,
            *,
            bindings: Optional[t.Bindings] = None,
            facts: Optional[t.Facts] = None,
            params: Optional[t.Params] = None,
            partial: Optional[bool] = None,
            unknown: Optional[t.Names] = None,
            call: Optional[CallOptions] = None) -> t.Partial:
        """What is left to decide where facts are not known."""
        got: t.Partial = await self.call("evaluatePartly", [contract], {},
            body_of({"bindings": bindings, "facts": facts, "params": params, "partial": partial, "unknown": unknown}), call)
        return got

    async def actions(self,
            contract: str,
            *,
            persona: str,
            bindings: Optional[t.Bindings] = None,
            facts: Optional[t.Facts] = None,
            flows: Optional[t.Names] = None,
            params: Optional[t.Params] = None,
            partial: Optional[bool] = None,
            unknown: Optional[t.Names] = None,
            call: Optional[CallOptions] = None) -> t.Actions:
        """What a persona may do now, and what blocks the rest."""
        got: t.Actions = await self.call("actions", [contract], {},
            body_of({"bindings": bindings, "facts": facts, "flows": flows, "params": params, "partial": partial, "persona": persona, "unknown": unknown}), call)
        return got

    async def explain(self,
            contract: str,
            *,
            bindings: Optional[t.Bindings] = None,
            facts: Optional[t.Facts] = None,
            flow: Optional[str] = None,
            operation: Optional[str] = None,
            params: Optional[t.Params] = None,
            partial: Optional[bool] = None,
            persona: Optional[str] = None,
            unknown: Optional[t.Names] = None,
            verdict: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.Explanation:
        """Why a verdict, an operation or a flow is as it is, down to facts."""
        got: t.Explanation = await self.call("explain", [contract], {},
            body_of({"bindings": bindings, "facts": facts, "flow": flow, "operation": operation, "params": params, "partial": partial, "persona": persona, "unknown": unknown, "verdict": verdict}), call)
        return got

    async def ask(self,
            contract: str,
            *,
            question: str,
            call: Optional[CallOptions] = None) -> t.AskAnswer:
        """What the contract can and can never do, with what shows it."""
        got: t.AskAnswer = await self.call("ask", [contract], {},
            body_of({"question": question}), call)
        return got

    async def list_facts(self,
            contract: str,
            *,
            call: Optional[CallOptions] = None) -> t.FactList:
        """Facts asserted by hand."""
        got: t.FactList = await self.call("listFacts", [contract], {},
            None, call)
        return got

    async def assert_fact(self,
            contract: str,
            fact: str,
            *,
            value: t.Value,
            expires_at: Optional[t.Time] = None,
            ttl_ms: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.FactAnswer:
        """Assert a fact of a manual source."""
        got: t.FactAnswer = await self.call("assertFact", [contract, fact], {},
            body_of({"expires_at": expires_at, "ttl_ms": ttl_ms, "value": value}), call)
        return got

    async def retract_fact(self,
            contract: str,
            fact: str,
            *,
            call: Optional[CallOptions] = None) -> t.FactAnswer:
        """Retract it."""
        got: t.FactAnswer = await self.call("retractFact", [contract, fact], {},
            None, call)
        return got

    async def operate(self,
            contract: str,
            operation: str,
            *,
            persona: str,
            bindings: Optional[t.Bindings] = None,
            dry_run: Optional[bool] = None,
            expected_versions: Optional[t.ExpectedVersions] = None,
            facts: Optional[t.Facts] = None,
            outcome: Optional[str] = None,
            params: Optional[t.Params] = None,
            receipt: Optional[bool] = None,
            call: Optional[CallOptions] = None) -> t.OperationAnswer:
        """Execute an operation, or try it with dry_run."""
        got: t.OperationAnswer = await self.call("operate", [contract, operation], {},
            body_of({"bindings": bindings, "dry_run": dry_run, "expected_versions": expected_versions, "facts": facts, "outcome": outcome, "params": params, "persona": persona, "receipt": receipt}), call)
        return got

    async def start_flow(self,
            contract: str,
            flow: str,
            *,
            persona: str,
            bindings: Optional[t.Bindings] = None,
            dry_run: Optional[bool] = None,
            expected_versions: Optional[t.ExpectedVersions] = None,
            facts: Optional[t.Facts] = None,
            outcome: Optional[t.Outcome] = None,
            params: Optional[t.Params] = None,
            receipt: Optional[bool] = None,
            call: Optional[CallOptions] = None) -> t.FlowAnswer:
        """Start a flow, or try it with dry_run."""
        got: t.FlowAnswer = await self.call("startFlow", [contract, flow], {},
            body_of({"bindings": bindings, "dry_run": dry_run, "expected_versions": expected_versions, "facts": facts, "outcome": outcome, "params": params, "persona": persona, "receipt": receipt}), call)
        return got

    async def list_all_instances(self,
            contract: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            state: Optional[str] = None,
            deleted: Optional[Literal["false", "true"]] = None,
            call: Optional[CallOptions] = None) -> t.InstanceList:
        """Instances of all entities."""
        got: t.InstanceList = await self.call("listAllInstances", [contract], {"after": after, "limit": limit, "state": state, "deleted": deleted},
            None, call)
        return got

    async def list_instances(self,
            contract: str,
            entity: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            state: Optional[str] = None,
            deleted: Optional[Literal["false", "true"]] = None,
            call: Optional[CallOptions] = None) -> t.InstanceList:
        """Instances of one entity."""
        got: t.InstanceList = await self.call("listInstances", [contract, entity], {"after": after, "limit": limit, "state": state, "deleted": deleted},
            None, call)
        return got

    async def create_instance(self,
            contract: str,
            entity: str,
            *,
            id: Optional[str] = None,
            state: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.Instance:
        """Create an instance in its initial state."""
        got: t.Instance = await self.call("createInstance", [contract, entity], {},
            body_of({"id": id, "state": state}), call)
        return got

    async def get_instance(self,
            contract: str,
            entity: str,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Instance:
        """One instance."""
        got: t.Instance = await self.call("getInstance", [contract, entity, id], {},
            None, call)
        return got

    async def delete_instance(self,
            contract: str,
            entity: str,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Instance:
        """Delete it; its history stays."""
        got: t.Instance = await self.call("deleteInstance", [contract, entity, id], {},
            None, call)
        return got

    async def instance_history(self,
            contract: str,
            entity: str,
            id: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.RecordList:
        """Its ledger records."""
        got: t.RecordList = await self.call("instanceHistory", [contract, entity, id], {"after": after, "limit": limit},
            None, call)
        return got

    async def count_instances(self,
            contract: str,
            *,
            call: Optional[CallOptions] = None) -> t.StateCounts:
        """How many instances are in each state."""
        got: t.StateCounts = await self.call("countInstances", [contract], {},
            None, call)
        return got

    async def list_flows(self,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            contract: Optional[str] = None,
            etag: Optional[str] = None,
            flow: Optional[str] = None,
            status: Optional[str] = None,
            outcome: Optional[str] = None,
            persona: Optional[str] = None,
            waiting_persona: Optional[str] = None,
            in_flight: Optional[Literal["false", "true"]] = None,
            call: Optional[CallOptions] = None) -> t.FlowList:
        """Flow executions."""
        got: t.FlowList = await self.call("listFlows", [], {"after": after, "limit": limit, "contract": contract, "etag": etag, "flow": flow, "status": status, "outcome": outcome, "persona": persona, "waiting_persona": waiting_persona, "in_flight": in_flight},
            None, call)
        return got

    async def get_flow(self,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Flow:
        """One flow execution."""
        got: t.Flow = await self.call("getFlow", [id], {},
            None, call)
        return got

    async def resume_flow(self,
            id: str,
            *,
            dry_run: Optional[bool] = None,
            outcome: Optional[t.Outcome] = None,
            persona: Optional[str] = None,
            receipt: Optional[bool] = None,
            call: Optional[CallOptions] = None) -> t.FlowAnswer:
        """Go on with a waiting flow."""
        got: t.FlowAnswer = await self.call("resumeFlow", [id], {},
            body_of({"dry_run": dry_run, "outcome": outcome, "persona": persona, "receipt": receipt}), call)
        return got

    async def cancel_flow(self,
            id: str,
            *,
            reason: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.Flow:
        """Cancel it."""
        got: t.Flow = await self.call("cancelFlow", [id], {},
            body_of({"reason": reason}), call)
        return got

    async def list_records(self,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            kind: Optional[str] = None,
            contract: Optional[str] = None,
            flow: Optional[str] = None,
            subject: Optional[str] = None,
            from_: Optional[int] = None,
            to: Optional[int] = None,
            from_ms: Optional[int] = None,
            to_ms: Optional[int] = None,
            order: Optional[Literal["asc", "desc"]] = None,
            pending: Optional[Literal["false", "true"]] = None,
            call: Optional[CallOptions] = None) -> t.RecordList:
        """Ledger records."""
        got: t.RecordList = await self.call("listRecords", [], {"after": after, "limit": limit, "kind": kind, "contract": contract, "flow": flow, "subject": subject, "from": from_, "to": to, "from_ms": from_ms, "to_ms": to_ms, "order": order, "pending": pending},
            None, call)
        return got

    async def get_checkpoint(self,
            *,
            call: Optional[CallOptions] = None) -> t.CheckpointAnswer:
        """The newest signed checkpoint."""
        got: t.CheckpointAnswer = await self.call("getCheckpoint", [], {},
            None, call)
        return got

    async def get_checkpoint_note(self,
            *,
            call: Optional[CallOptions] = None) -> str:
        """The newest checkpoint as a C2SP note, with its cosignatures."""
        got: str = await self.call("getCheckpointNote", [], {},
            None, call)
        return got

    async def prove_consistency(self,
            *,
            from_: Optional[int] = None,
            to: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.ConsistencyProof:
        """Proof that one size of the ledger extends another."""
        got: t.ConsistencyProof = await self.call("proveConsistency", [], {"from": from_, "to": to},
            None, call)
        return got

    async def get_record(self,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Record:
        """One record."""
        got: t.Record = await self.call("getRecord", [id], {},
            None, call)
        return got

    async def prove_record(self,
            id: str,
            *,
            size: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.InclusionProof:
        """Proof that it is in the ledger."""
        got: t.InclusionProof = await self.call("proveRecord", [id], {"size": size},
            None, call)
        return got

    async def get_receipt(self,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Receipt:
        """A signed receipt for it, complete once a checkpoint covers it."""
        got: t.Receipt = await self.call("getReceipt", [id], {},
            None, call)
        return got

    async def list_systems(self,
            *,
            call: Optional[CallOptions] = None) -> t.SystemList:
        """The systems served."""
        got: t.SystemList = await self.call("listSystems", [], {},
            None, call)
        return got

    async def get_system(self,
            system: str,
            *,
            call: Optional[CallOptions] = None) -> t.System:
        """One system."""
        got: t.System = await self.call("getSystem", [system], {},
            None, call)
        return got

    async def list_triggers(self,
            system: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            status: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.TriggerList:
        """Its outbox of triggers."""
        got: t.TriggerList = await self.call("listTriggers", [system], {"after": after, "limit": limit, "status": status},
            None, call)
        return got

    async def list_graphs(self,
            *,
            call: Optional[CallOptions] = None) -> t.GraphList:
        """The graphs served."""
        got: t.GraphList = await self.call("listGraphs", [], {},
            None, call)
        return got

    async def give_event(self,
            graph: str,
            *,
            at: Optional[Union[t.AnyObject, str]] = None,
            id: Optional[str] = None,
            kind: Optional[Literal["Pump", "DataAvailable", "Command"]] = None,
            payload: Optional[Any] = None,
            semantic_kind: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.GraphAnswer:
        """Give a graph an event."""
        got: t.GraphAnswer = await self.call("giveEvent", [graph], {},
            body_of({"at": at, "id": id, "kind": kind, "payload": payload, "semantic_kind": semantic_kind}), call)
        return got

    async def get_context(self,
            graph: str,
            *,
            key: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.GraphContext:
        """Its context."""
        got: t.GraphContext = await self.call("getContext", [graph], {"key": key},
            None, call)
        return got

    async def get_graph_picture(self,
            graph: str,
            *,
            format: Optional[Literal["json", "mermaid", "dot"]] = None,
            call: Optional[CallOptions] = None) -> t.GraphPicture:
        """Its picture, and how often each node spoke."""
        got: t.GraphPicture = await self.call("getGraphPicture", [graph], {"format": format},
            None, call)
        return got

    async def list_letters(self,
            graph: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.LetterList:
        """Its intents that could not be delivered."""
        got: t.LetterList = await self.call("listLetters", [graph], {"after": after, "limit": limit},
            None, call)
        return got

    async def send_letter(self,
            graph: str,
            *,
            id: str,
            call: Optional[CallOptions] = None) -> t.LetterSent:
        """Send one of them again."""
        got: t.LetterSent = await self.call("sendLetter", [graph], {},
            body_of({"id": id}), call)
        return got

    async def list_keys(self,
            graph: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.GraphKeyList:
        """The values of its key that have a history."""
        got: t.GraphKeyList = await self.call("listKeys", [graph], {"after": after, "limit": limit},
            None, call)
        return got

    async def list_captures(self,
            graph: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            key: Optional[str] = None,
            call: Optional[CallOptions] = None) -> t.CaptureList:
        """Its captures."""
        got: t.CaptureList = await self.call("listCaptures", [graph], {"after": after, "limit": limit, "key": key},
            None, call)
        return got

    async def get_capture(self,
            graph: str,
            id: str,
            *,
            call: Optional[CallOptions] = None) -> t.Capture:
        """One capture."""
        got: t.Capture = await self.call("getCapture", [graph, id], {},
            None, call)
        return got

    async def list_agents(self,
            *,
            call: Optional[CallOptions] = None) -> t.AgentList:
        """The agents served."""
        got: t.AgentList = await self.call("listAgents", [], {},
            None, call)
        return got

    async def give_message(self,
            agent: str,
            body: Optional[Dict[str, Any]] = None,
            *,
            call: Optional[CallOptions] = None) -> t.AgentAnswer:
        """Give an agent a message."""
        got: t.AgentAnswer = await self.call("giveMessage", [agent], {},
            body or {}, call)
        return got

    async def list_messages(self,
            agent: str,
            *,
            after: Optional[str] = None,
            limit: Optional[int] = None,
            call: Optional[CallOptions] = None) -> t.AgentMessageList:
        """Its messages."""
        got: t.AgentMessageList = await self.call("listMessages", [agent], {"after": after, "limit": limit},
            None, call)
        return got

    async def get_tape(self,
            agent: str,
            *,
            call: Optional[CallOptions] = None) -> t.AgentTape:
        """Its tape."""
        got: t.AgentTape = await self.call("getTape", [agent], {},
            None, call)
        return got
