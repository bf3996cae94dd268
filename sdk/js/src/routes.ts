/* Types and routes of the HTTP API. Written by sdk/generate.py from the routes of the server. Do not edit. */
import type { CallOptions, Route } from "./wire.js";

export interface Act {
  bindings?: Bindings;
  facts?: Facts;
  flows?: Names;
  params?: Params;
  partial?: boolean;
  persona: string;
  unknown?: Names;
}

export interface Action {
  description?: string;
  entry_operation_id?: string;
  flow_id: string;
  instance_bindings?: Bound;
  persona_id: string;
  verdict_summary?: AnyObject;
}

export interface AgentAnswer {
  agent: string;
  cycle: AnyObject;
  message: number;
  queued?: number;
  receipt?: ReceiptOrNone;
  record?: number;
  sent: Array<unknown>;
}

/** An AgentCard of A2A 1.0. */
export interface AgentCard {
  capabilities: AnyObject;
  defaultInputModes: Names;
  defaultOutputModes: Names;
  description: string;
  documentationUrl?: string;
  name: string;
  provider?: AnyObject;
  securityRequirements?: Array<AnyObject>;
  securitySchemes?: AnyObject;
  skills: Array<AgentCardSkillsItem>;
  /** Bindings of A2A that are served: none. */
  supportedInterfaces: Array<AnyObject>;
  version: string;
}

export interface AgentCardSkillsItem {
  description: string;
  id: string;
  name: string;
  tags: Names;
}

export interface AgentList {
  items: Array<AgentListItemsItem>;
}

export interface AgentListItemsItem {
  id: string;
}

export interface AgentMessageList {
  items: Array<AnyObject>;
  next?: string;
}

export interface AgentTape {
  agent: string;
  state: AnyObject;
}

export interface Ask {
  question: string;
}

export interface AskAnswer {
  answer: "yes" | "no" | "unknown";
  contract: string;
  etag: string;
  question: string;
  shown: { [name: string]: unknown };
  text: string;
}

export interface Assert {
  expires_at?: Time;
  ttl_ms?: number;
  value: Value;
}

/** One line for each of the request, in its order; it has an evaluation or a problem. */
export interface BatchLine {
  evaluation?: Evaluation;
  /** Which line of the request it answers. */
  line: number;
  problem?: Problem;
  /** As if the line had been a request of its own. */
  status: number;
}

export interface BecauseItem {
  /** A comparison, the presence of a verdict, a quantifier. */
  atom: string;
  /** The facts it read, with their values; null: not known. */
  facts: { [name: string]: unknown };
  /** What it came out as. */
  value: boolean;
  verdicts: Array<ToldVerdict>;
}

export interface BlockReason {
  current_state?: string;
  entity_id?: string;
  false_parts?: Array<BlockReasonFalsePartsItem>;
  message?: string;
  missing_verdicts?: Names;
  operation_id?: string;
  outcome?: string;
  required_state?: string;
  required_states?: Names;
  type: string;
}

export interface BlockReasonFalsePartsItem {
  part: string;
  value: boolean;
}

export interface Cancel {
  reason?: string;
}

export interface CaptureList {
  items: Array<CaptureListItemsItem>;
  next?: string;
}

export interface CaptureListItemsItem {
  id: string;
}

export interface Change {
  entity_id: string;
  from: string;
  instance_id: string;
  to: string;
}

export interface ChangedConstruct {
  class: string;
  fields: Array<FieldChange>;
  id: string;
  kind: string;
}

export interface CheckpointAnswer {
  root: string;
  signed?: AnyObject;
  size: number;
}

export interface ConsistencyProof {
  from: number;
  hashes: Hashes;
  proof: string;
  to: number;
}

export interface Contract {
  default: boolean;
  deployed_at: Time;
  entities: Names;
  etag: string;
  facts: Names;
  flows: Names;
  id: string;
  operations: Names;
  personas: Names;
  version: number;
}

export interface ContractList {
  items: Array<Contract>;
}

export interface Create {
  /** Up to 256 bytes of text without control characters; made by the server if not given. */
  id?: string;
  /** The initial state, if given. */
  state?: string;
}

export interface Decision {
  context: DecisionContext;
  decision: boolean;
}

export interface DecisionContext {
  code?: ProblemCode;
  contract?: string;
  error?: DecisionContextError;
  etag?: string;
  persona?: string;
  queued?: number;
  reason_admin?: AnyObject;
  reason_user?: AnyObject;
  reasons?: Array<FalsePart>;
  receipt?: ReceiptOrNone;
  record?: number;
}

export interface DecisionContextError {
  message: string;
  status: number;
}

export interface DecisionPoint {
  access_evaluation_endpoint: string;
  access_evaluations_endpoint?: string;
  policy_decision_point: string;
  search_action_endpoint?: string;
  search_resource_endpoint?: string;
  search_subject_endpoint?: string;
}

export interface Decisions2 {
  evaluations: Array<Decision>;
}

/** A bundle, or a source with the contract's name. */
export interface Deploy {
  /** Interchange, or a manifest with it. */
  bundle?: { [name: string]: unknown };
  contract?: string;
  dry_run?: boolean;
  invariants?: Names;
  policy?: Policy | { [name: string]: Policy };
  /** Text of a .tenor file. */
  source?: string;
  /** By entity: the new state for each removed one. */
  state_map?: { [name: string]: { [name: string]: string } };
}

export interface Deployment {
  analysis?: string;
  class?: string;
  contract: string;
  diff?: Diff;
  etag: string;
  fates?: { [name: string]: number };
  flows?: Array<FlowFate>;
  from?: string;
  infrastructure?: Array<AnyObject>;
  instances?: InstanceFates;
  number?: number;
  queued?: number;
  receipt?: ReceiptOrNone;
  record?: number;
  simulation?: boolean;
  status: "complete" | "migrating" | "unchanged";
  triggers_failed?: number;
}

export interface Diagnostic {
  code: string;
  column: number;
  hint?: string;
  line: number;
  message: string;
  severity: string;
}

/** As `motet diff --json` shows it. */
export interface Diff {
  added: Array<AnyObject>;
  changed: Array<ChangedConstruct>;
  class: string;
  new: string;
  old: string;
  operator_notice: boolean;
  policy_required: boolean;
  removed: Array<AnyObject>;
  summary: { [name: string]: number };
}

export interface Evaluate {
  bindings?: Bindings;
  facts?: Facts;
  params?: Params;
  /** Every fact that nobody gives and that has no default is unknown. */
  partial?: boolean;
  unknown?: Names;
}

/** One of verdict, operation and flow; flow needs persona. */
export interface Explain {
  bindings?: Bindings;
  facts?: Facts;
  flow?: string;
  operation?: string;
  params?: Params;
  partial?: boolean;
  persona?: string;
  unknown?: Names;
  verdict?: string;
}

/** Of a verdict, an operation or a flow. */
export interface Explanation {
  because?: Because;
  blocked?: Array<ExplanationBlockedItem>;
  condition?: string;
  depends_on?: Array<ToldVerdict>;
  error?: string;
  flow?: string;
  /** Facts that are unknown here because the caller may not read them. */
  hidden?: Names;
  message?: string;
  open?: boolean;
  operation?: string;
  operations?: Array<ExplanationOperationsItem>;
  persona?: string;
  personas?: Names;
  precondition?: string;
  present?: boolean;
  rule?: string;
  stratum?: number;
  verdict?: string;
  why?: Why;
}

export interface ExplanationBlockedItem {
  because?: Because;
  entity?: string;
  instances?: number;
  message?: string;
  operation?: string;
  state?: string;
  type: string;
  why?: Why;
}

export interface ExplanationOperationsItem {
  because: Because;
  operation: string;
}

export interface Fact {
  asserted?: FactAsserted;
  default?: Value;
  /** An adapter gets it from its source. */
  fetched: boolean;
  id: string;
  /** Where the contract says it comes from. */
  source: unknown;
  type: string;
}

export interface FactAnswer {
  contract: string;
  expires_at?: Time;
  fact: string;
  queued?: number;
  receipt?: ReceiptOrNone;
  record?: number;
  value?: Value;
}

export interface FactAsserted {
  at: Time;
  by?: string;
  expired: boolean;
  expires_at?: Time;
  value?: Value;
}

export interface FactFault {
  detail: string;
  fact: string;
  fault: string;
}

export interface FactList {
  items: Array<Fact>;
}

export interface FalsePart {
  condition: string;
  facts: Names;
  rests_on: Names;
  value: boolean;
  verdicts: Names;
}

export interface FieldChange {
  /** Its new value. */
  after?: unknown;
  /** Its old value. */
  before?: unknown;
  changes: Array<AnyObject>;
  class: string;
  field: string;
}

export interface Flow {
  bindings: Bindings;
  contract: string;
  etag: string;
  extra?: AnyObject;
  facts?: Facts;
  flow: string;
  id: string;
  initiator: string;
  outcome?: string;
  persona: string;
  position?: AnyObject;
  queued?: number;
  receipt?: ReceiptOrNone;
  record?: number;
  started_at: Time;
  status: FlowStatus;
  updated_at: Time;
  waiting?: Waiting;
}

/** What this call did; of one that is answered again, how the execution stands by then. */
export interface FlowAnswer {
  bindings?: Bindings;
  changes?: Array<Change>;
  contract: string;
  error?: string;
  etag: string;
  flow: string;
  id?: string;
  initiator?: string;
  outcome?: string;
  persona?: string;
  provenance?: Array<AnyObject>;
  queued?: number;
  receipt?: ReceiptOrNone;
  record?: number;
  simulation?: boolean;
  started_at?: Time;
  status: FlowStatus;
  steps?: Array<FlowStep>;
  updated_at?: Time;
  waiting?: Waiting;
}

export interface FlowFate {
  changes?: Array<AnyObject>;
  compatibility?: AnyObject;
  etag: string;
  fate: string;
  flow: string;
  id: string;
  policy?: string;
}

export interface FlowList {
  items: Array<Flow>;
  next?: string;
}

export interface FlowStep {
  instance_bindings?: Bindings;
  result: string;
  step_id: string;
  step_type: string;
}

export interface GraphAnswer {
  capture: string;
  decision: string;
  effects: Array<GraphAnswerEffectsItem>;
  event: string;
  fault?: string;
  graph: string;
  kind: string;
  number: number;
  outcomes: Array<AnyObject>;
  payload_hash: string;
  queued?: number;
  receipt?: ReceiptOrNone;
  record?: number;
  termination?: string | { [name: string]: unknown } | null;
}

export interface GraphAnswerEffectsItem {
  effect: AnyObject;
  hash: string;
}

export interface GraphContext {
  context: AnyObject;
  graph: string;
}

export interface GraphEvent {
  /** Its time: {secs, nanos} since 1970, or RFC 3339 text with an offset. */
  at?: AnyObject | string;
  id?: string;
  kind?: "Pump" | "DataAvailable" | "Command";
  /** What the graph's context keys are read from. */
  payload?: unknown;
  semantic_kind?: string;
}

export interface GraphKeyList {
  items: Array<GraphKeyListItemsItem>;
  next?: string;
}

export interface GraphKeyListItemsItem {
  capture: string;
  key: string;
}

export interface GraphList {
  items: Array<GraphListItemsItem>;
}

export interface GraphListItemsItem {
  graph: string;
  id: string;
  primitives?: string;
  runtime_provenance: string;
}

export interface GraphPicture {
  events: number;
  graph: string;
  nodes: Array<GraphPictureNodesItem>;
  picture?: AnyObject;
  text?: string;
}

export interface GraphPictureNodesItem {
  id: string;
  path: string;
  ran: number;
  spoke?: number;
}

/** Who it was; records of before say id and name alone. */
export interface Identity {
  /** Absent: not known. */
  actor?: "human" | "machine";
  id: string;
  known_by?: "certificate" | "none" | "oidc" | "operator" | "system" | "token";
  name?: string;
}

/** `motet ledger verify --proof` takes it as it is. */
export interface InclusionProof {
  hashes: Hashes;
  proof: string;
  record: AnyObject;
  size: number;
}

export interface Instance {
  contract?: string;
  created_at: Time;
  deleted?: boolean;
  entity: string;
  id: string;
  last_flow?: string;
  last_operation?: string;
  queued?: number;
  receipt?: ReceiptOrNone;
  record?: number;
  state: string;
  updated_at: Time;
  version: number;
}

export interface InstanceFate {
  entity: string;
  flow?: string;
  id: string;
  moved: boolean;
  state: string;
  to?: string;
}

export interface InstanceFates {
  items: Array<InstanceFate>;
  left: number;
  moved: number;
}

export interface InstanceList {
  items: Array<Instance>;
  next?: string;
}

export interface Letter {
  attempts: number;
  capture: string;
  fields: AnyObject;
  id: string;
  intent_id: string;
  kind: string;
  reason: string;
}

export interface LetterList {
  items: Array<Letter>;
  next?: string;
}

export interface LetterSend {
  id: string;
}

export interface LetterSent {
  graph: string;
  id: string;
  intent_id: string;
  queued?: number;
  receipt?: ReceiptOrNone;
  record?: number;
  status: string;
}

export interface Manifest {
  bundle: AnyObject;
  capabilities?: AnyObject;
  etag: string;
  tenor: string;
  trust?: AnyObject;
}

export interface Migration {
  contract: string;
  etag: string;
  flows: Array<MigrationFlowsItem>;
  flows_left: number;
  from?: string;
  instances: Array<MigrationInstancesItem>;
  instances_left: number;
  policy?: Policy | { [name: string]: Policy };
  state_map?: AnyObject;
  status: string;
}

export interface MigrationAnswer {
  contract: string;
  etag: string;
  fates?: { [name: string]: number };
  flows?: Array<FlowFate>;
  instances?: InstanceFates;
  queued?: number;
  receipt?: ReceiptOrNone;
  record?: number;
  simulation?: boolean;
  status: string;
}

export interface MigrationFlowsItem {
  etag: string;
  flow: string;
  id: string;
  status: string;
}

export interface MigrationInstancesItem {
  entity: string;
  id: string;
  state: string;
}

export interface Operate {
  bindings?: Bindings;
  dry_run?: boolean;
  expected_versions?: ExpectedVersions;
  facts?: Facts;
  outcome?: string;
  params?: Params;
  persona: string;
  receipt?: boolean;
}

export interface OperationAnswer {
  changes: Array<Change>;
  contract: string;
  etag: string;
  operation: string;
  outcome: string;
  persona: string;
  provenance: OperationProvenance;
  queued?: number;
  receipt?: ReceiptOrNone;
  record?: number;
  simulation?: boolean;
  versions: { [name: string]: number };
}

/** §9.5 of the Tenor specification. */
export interface OperationProvenance {
  facts_used: Names;
  instance_binding: Bindings;
  kind: string;
  op: string;
  outcome: string;
  persona: string;
  simulation?: boolean;
  state_after: States;
  state_before: States;
  verdicts_used: Names;
}

/** What is left to decide where facts are unknown. */
export interface Partial {
  contract: string;
  etag: string;
  /** Facts that are unknown here because the caller may not read them. */
  hidden?: Names;
  operations: Array<PartialOperation>;
  unknown: Names;
  verdicts: Array<PartialVerdict>;
}

export interface PartialActions {
  flows: Array<PartialActionsFlowsItem>;
  persona_id: string;
  unknown: Names;
}

export interface PartialActionsFlowsItem {
  blocked?: Array<AnyObject>;
  condition?: string;
  facts?: Names;
  flow: string;
  operations?: Names;
  state: string;
}

export interface PartialOperation {
  condition?: string;
  error?: string;
  facts?: Names;
  operation: string;
  precondition: "refused" | "holds" | "depends" | "error";
}

/** A verdict where facts are unknown. */
export interface PartialVerdict {
  /** What it depends on. */
  condition?: string;
  facts?: Names;
  payload?: AnyObject;
  payload_term?: string;
  rule: string;
  state: "absent" | "present" | "depends" | "fails";
  stratum: number;
  type: string;
}

/** RFC 9457. Programs look at code, which is stable. */
export interface Problem {
  class?: string;
  code: ProblemCode;
  contract?: string;
  detail?: string;
  diagnostics?: Array<Diagnostic>;
  diff?: Diff;
  entity?: string;
  execution?: string;
  expected?: number | Names;
  fact?: string;
  fates?: { [name: string]: number };
  fault?: string;
  flow?: string;
  flows?: Array<string | FlowFate>;
  from?: string;
  further?: Array<FactFault>;
  instance?: string;
  instances?: InstanceFates;
  invariants?: Array<AnyObject>;
  /** The rights that are missing, as they would be granted. */
  needs?: Array<string>;
  operation?: string;
  /** What the caller did as another persona. */
  other?: ProblemOther;
  outcomes?: Names;
  persona?: string;
  queued?: number;
  reason?: string;
  reasons?: Array<FalsePart>;
  receipt?: ReceiptOrNone;
  record?: number;
  request_id?: string;
  rule?: string;
  simulation?: boolean;
  state?: string;
  status: number;
  step?: string;
  title: string;
  type: string;
  undeclared?: boolean;
  version?: number;
}

/** What the caller did as another persona. */
export interface ProblemOther {
  persona: string;
  queued?: number;
  record?: number;
}

export interface Question {
  action: QuestionAction;
  context?: QuestionContext;
  resource: QuestionThing;
  subject: QuestionThing;
}

export interface QuestionAction {
  /** Of an operation, a flow or a verdict. */
  name: string;
  /** Members with the name of a fact are that fact. */
  properties?: { [name: string]: unknown } | null;
}

export interface QuestionThing {
  id: string;
  /** Members with the name of a fact are that fact. */
  properties?: { [name: string]: unknown } | null;
  type: string;
}

/** A smallest set of parts that decides, whatever the others are. */
export interface Reason {
  parts: Array<ReasonPartsItem>;
  rests_on: Names;
}

export interface ReasonPartsItem {
  condition: string;
  facts: { [name: string]: unknown };
  value: boolean;
}

/** Signed by the server; `motet receipt verify` checks it offline. With checkpoint and hashes it is complete. */
export interface Receipt {
  checkpoint?: AnyObject;
  hashes?: Hashes;
  key: string;
  origin?: string;
  promise: ReceiptPromise;
  signature: string;
  witnesses?: Names;
}

export interface ReceiptPromise {
  decision: AnyObject;
  domain: string;
  hash: string;
  ledger: string;
  origin?: string;
  record: number;
}

export interface Record {
  body?: RecordBody;
  hash?: string;
  queued?: number;
  /** Its place in the chain; absent until it is chained. */
  seq?: number;
}

/** By kind; docs/internals/executor.md lists the members. */
export interface RecordBody {
  caller?: Identity;
  contract?: string;
  etag?: string;
  kind: string;
  time: Time;
  trust_domain?: string;
}

export interface RecordList {
  items: Array<Record>;
  next?: string;
}

/** These facts would have to change, all others staying as they are. */
export interface Remedy {
  /** It comes out otherwise exactly while this holds. */
  condition: string;
  facts: Names;
}

export interface ResourceMetadata {
  authorization_servers: Array<string>;
  bearer_methods_supported?: Array<string>;
  resource: string;
}

export interface Resume {
  dry_run?: boolean;
  outcome?: Outcome;
  persona?: string;
  receipt?: boolean;
}

export interface SearchAction {
  context?: QuestionContext;
  page?: SearchPage;
  resource: QuestionThing;
  subject: QuestionThing;
}

export interface SearchResource {
  action: SearchResourceAction;
  context?: QuestionContext;
  page?: SearchPage;
  resource: SearchResourceResource;
  subject: QuestionThing;
}

export interface SearchResourceAction {
  /** Of an operation, a flow or a verdict. */
  name: string;
  /** Members with the name of a fact are that fact. */
  properties?: { [name: string]: unknown } | null;
}

export interface SearchResourceResource {
  id?: string;
  /** Members with the name of a fact are that fact. */
  properties?: { [name: string]: unknown } | null;
  type: string;
}

export interface SearchResults {
  page?: SearchResultsPage;
  results: Array<SearchResultsResultsItem>;
}

export interface SearchResultsPage {
  next_token: string;
}

export interface SearchResultsResultsItem {
  id?: string;
  name?: string;
  type?: string;
}

export interface SearchSubject {
  action: SearchSubjectAction;
  context?: QuestionContext;
  page?: SearchPage;
  resource: QuestionThing;
  subject: SearchSubjectSubject;
}

export interface SearchSubjectAction {
  /** Of an operation, a flow or a verdict. */
  name: string;
  /** Members with the name of a fact are that fact. */
  properties?: { [name: string]: unknown } | null;
}

export interface SearchSubjectSubject {
  id?: string;
  /** Members with the name of a fact are that fact. */
  properties?: { [name: string]: unknown } | null;
  type: string;
}

export interface Session {
  actor: "human" | "machine" | "unknown";
  /** What writes of this browser's session have to show. */
  csrf?: string;
  id: string;
  known_by: "certificate" | "none" | "oidc" | "system" | "token";
  name: string;
  personas: Names;
  rights: Names;
}

export interface Start {
  bindings?: Bindings;
  dry_run?: boolean;
  expected_versions?: ExpectedVersions;
  facts?: Facts;
  outcome?: Outcome;
  params?: Params;
  persona: string;
  receipt?: boolean;
}

/** How many instances are in each state. */
export interface StateCounts {
  contract: string;
  items: Array<StateCountsItemsItem>;
  /** True: so many instances that not all were counted. */
  more?: boolean;
}

export interface StateCountsItemsItem {
  count: number;
  entity: string;
  state: string;
}

export interface Status {
  reason?: string;
  status: "alive" | "ready" | "unavailable";
}

export interface System {
  bundle: AnyObject;
  id: string;
}

export interface SystemList {
  items: Array<SystemListItemsItem>;
}

export interface SystemListItemsItem {
  id: string;
  members: Array<AnyObject>;
}

export interface ToldVerdict {
  because?: Because;
  condition?: string;
  depends_on?: Array<ToldVerdict>;
  present?: boolean;
  rule: string;
  stratum: number;
  verdict: string;
}

/** A condition and its parts, down to facts. */
export interface Tree {
  condition: string;
  of: "and" | "or" | "not" | "forall" | "exists" | "verdict" | "atom";
  parts?: Array<Tree>;
  /** Absent: it has no value. */
  value?: boolean;
  verdict?: string;
}

export interface Trigger {
  attempts: number;
  id: string;
  source_contract: string;
  source_execution: string;
  source_flow: string;
  status: string;
  target_contract: string;
  target_flow: string;
}

export interface TriggerList {
  items: Array<Trigger>;
  next?: string;
}

export interface Verdict {
  payload: AnyObject;
  provenance: VerdictProvenance;
  /** The verdict's name. */
  type: string;
}

export interface VerdictProvenance {
  facts_used: Names;
  rule: string;
  stratum: number;
  verdicts_used: Names;
}

export interface Version {
  current: boolean;
  deployed_at: Time;
  etag: string;
  version: number;
}

export interface VersionList {
  items: Array<Version>;
  next?: string;
}

/** While status is waiting: who is to resume it, and at an operation which outcomes can be named. */
export interface Waiting {
  operation?: string;
  outcomes?: Names;
  persona: string;
  step: string;
}

export interface WholeActions {
  actions: Array<Action>;
  blocked_actions: Array<WholeActionsBlockedActionsItem>;
  current_verdicts: Array<AnyObject>;
  persona_id: string;
}

export interface WholeActionsBlockedActionsItem {
  flow_id: string;
  instance_bindings: Bound;
  reason: BlockReason;
}

export interface WholeEvaluation {
  contract: string;
  etag: string;
  verdicts: Array<Verdict>;
}

/** Everything there is to say about the condition. */
export interface Why {
  /** What would have to change for it to come out otherwise. */
  changes: Array<Remedy>;
  /** Every smallest reason. */
  reasons: Array<Reason>;
  /** There are more than are shown. */
  reasons_left_out?: boolean;
  tree: Tree;
}

/** The second form if `partial` or `unknown` was given. */
export type Actions = WholeActions | PartialActions;
export type AgentMessage = { [name: string]: unknown };
export type AnyObject = { [name: string]: unknown };
export type Because = Array<BecauseItem>;
/** The instance of each entity. */
export type Bindings = { [name: string]: string };
/** By entity: the instances it is about. */
export type Bound = { [name: string]: Names };
export type Capture = AnyObject;
export type Decisions = Decision | Decisions2;
/** The second form if `partial` or `unknown` was given, or the caller may not read all facts. */
export type Evaluation = WholeEvaluation | Partial;
/** By entity: refused if an instance has another version by now. */
export type ExpectedVersions = { [name: string]: number };
/** Facts by their ids; each contract has this with its types, as CONTRACT.facts. */
export type Facts = { [name: string]: Value };
export type FlowStatus = "running" | "waiting" | "done" | "failed" | "cancelled" | "aborted";
export type Hashes = Array<string>;
export type McpMessage = { [name: string]: unknown };
export type Names = Array<string>;
export type Nothing = { [name: string]: unknown };
/** An outcome by name, or by step. */
export type Outcome = string | { [name: string]: string };
/** Values for {name} in paths of sources. */
export type Params = { [name: string]: string | number | boolean };
export type Policy = "blue_green" | "force_migrate" | "abort";
/** What went wrong; more may be added. */
export type ProblemCode = string;
/** Members with the name of a fact are that fact. */
export type QuestionContext = { [name: string]: unknown } | null;
/** One question, or many with what they have in common. */
export type Questions = { [name: string]: unknown };
/** Null: not ready in time, to be fetched later. */
export type ReceiptOrNone = Receipt | null;
export type SearchPage = { [name: string]: unknown };
/** By entity and instance. */
export type States = { [name: string]: { [name: string]: string } };
export type Text = string;
export type Time = string;
/** A value as facts are given: JSON of the fact's type. */
export type Value = unknown;

export const ROUTES = {
  manifest: { method: "GET", path: "/.well-known/tenor" },
  decisionPoint: { method: "GET", path: "/.well-known/authzen-configuration" },
  agentCard: { method: "GET", path: "/.well-known/agent-card.json" },
  health: { method: "GET", path: "/healthz" },
  ready: { method: "GET", path: "/readyz" },
  metrics: { method: "GET", path: "/metrics", text: true },
  openapi: { method: "GET", path: "/openapi.json" },
  session: { method: "GET", path: "/session" },
  decide: { method: "POST", path: "/access/v1/evaluation", writes: true },
  decideMany: { method: "POST", path: "/access/v1/evaluations", writes: true },
  searchSubjects: { method: "POST", path: "/access/v1/search/subject" },
  searchResources: { method: "POST", path: "/access/v1/search/resource" },
  searchActions: { method: "POST", path: "/access/v1/search/action" },
  listContracts: { method: "GET", path: "/v1/contracts" },
  deploy: { method: "POST", path: "/v1/contracts", writes: true },
  getContract: { method: "GET", path: "/v1/contracts/{contract}" },
  contractManifest: { method: "GET", path: "/v1/contracts/{contract}/.well-known/tenor" },
  listVersions: { method: "GET", path: "/v1/contracts/{contract}/versions" },
  getMigration: { method: "GET", path: "/v1/contracts/{contract}/migration" },
  completeMigration: { method: "POST", path: "/v1/contracts/{contract}/migration/complete", writes: true },
  evaluate: { method: "POST", path: "/v1/contracts/{contract}/evaluate" },
  evaluateBatch: { method: "POST", path: "/v1/contracts/{contract}/evaluate/batch", lines: true },
  evaluatePartly: { method: "POST", path: "/v1/contracts/{contract}/partial" },
  actions: { method: "POST", path: "/v1/contracts/{contract}/actions" },
  explain: { method: "POST", path: "/v1/contracts/{contract}/explain" },
  ask: { method: "POST", path: "/v1/contracts/{contract}/ask" },
  listFacts: { method: "GET", path: "/v1/contracts/{contract}/facts" },
  assertFact: { method: "PUT", path: "/v1/contracts/{contract}/facts/{fact}", writes: true },
  retractFact: { method: "DELETE", path: "/v1/contracts/{contract}/facts/{fact}", writes: true },
  operate: { method: "POST", path: "/v1/contracts/{contract}/operations/{operation}", writes: true },
  startFlow: { method: "POST", path: "/v1/contracts/{contract}/flows/{flow}", writes: true },
  listAllInstances: { method: "GET", path: "/v1/contracts/{contract}/instances" },
  listInstances: { method: "GET", path: "/v1/contracts/{contract}/instances/{entity}" },
  createInstance: { method: "POST", path: "/v1/contracts/{contract}/instances/{entity}", writes: true },
  getInstance: { method: "GET", path: "/v1/contracts/{contract}/instances/{entity}/{id}" },
  deleteInstance: { method: "DELETE", path: "/v1/contracts/{contract}/instances/{entity}/{id}", writes: true },
  instanceHistory: { method: "GET", path: "/v1/contracts/{contract}/instances/{entity}/{id}/history" },
  countInstances: { method: "GET", path: "/v1/contracts/{contract}/states" },
  listFlows: { method: "GET", path: "/v1/flows" },
  getFlow: { method: "GET", path: "/v1/flows/{id}" },
  resumeFlow: { method: "POST", path: "/v1/flows/{id}/resume", writes: true },
  cancelFlow: { method: "POST", path: "/v1/flows/{id}/cancel", writes: true },
  listRecords: { method: "GET", path: "/v1/ledger" },
  getCheckpoint: { method: "GET", path: "/v1/ledger/checkpoint" },
  getCheckpointNote: { method: "GET", path: "/v1/ledger/checkpoint.note", text: true },
  proveConsistency: { method: "GET", path: "/v1/ledger/consistency" },
  getRecord: { method: "GET", path: "/v1/ledger/{id}" },
  proveRecord: { method: "GET", path: "/v1/ledger/{id}/proof" },
  getReceipt: { method: "GET", path: "/v1/ledger/{id}/receipt" },
  listSystems: { method: "GET", path: "/v1/systems" },
  getSystem: { method: "GET", path: "/v1/systems/{system}" },
  listTriggers: { method: "GET", path: "/v1/systems/{system}/triggers" },
  listGraphs: { method: "GET", path: "/v1/graphs" },
  giveEvent: { method: "POST", path: "/v1/graphs/{graph}/events", writes: true },
  getContext: { method: "GET", path: "/v1/graphs/{graph}/context" },
  getGraphPicture: { method: "GET", path: "/v1/graphs/{graph}/picture" },
  listLetters: { method: "GET", path: "/v1/graphs/{graph}/letters" },
  sendLetter: { method: "POST", path: "/v1/graphs/{graph}/letters/send", writes: true },
  listKeys: { method: "GET", path: "/v1/graphs/{graph}/keys" },
  listCaptures: { method: "GET", path: "/v1/graphs/{graph}/captures" },
  getCapture: { method: "GET", path: "/v1/graphs/{graph}/captures/{id}" },
  listAgents: { method: "GET", path: "/v1/agents" },
  giveMessage: { method: "POST", path: "/v1/agents/{agent}/messages", writes: true },
  listMessages: { method: "GET", path: "/v1/agents/{agent}/messages" },
  getTape: { method: "GET", path: "/v1/agents/{agent}/tape" },
} satisfies { [name: string]: Route };

/** One method for each route. */
export abstract class Routes {
  abstract call(route: Route, places: string[], query: object, body: unknown, options?: CallOptions): Promise<unknown>;

  /** The default contract's manifest. */
  async manifest(options?: CallOptions): Promise<Manifest> {
    return (await this.call(ROUTES.manifest, [], {}, undefined, options)) as Manifest;
  }

  /** Where decisions are asked for (AuthZEN 1.0). */
  async decisionPoint(options?: CallOptions): Promise<DecisionPoint> {
    return (await this.call(ROUTES.decisionPoint, [], {}, undefined, options)) as DecisionPoint;
  }

  /** What can be done here, as a card of A2A 1.0. */
  async agentCard(options?: CallOptions): Promise<AgentCard> {
    return (await this.call(ROUTES.agentCard, [], {}, undefined, options)) as AgentCard;
  }

  /** The process lives. */
  async health(options?: CallOptions): Promise<Status> {
    return (await this.call(ROUTES.health, [], {}, undefined, options)) as Status;
  }

  /** The store is reachable, calls are taken, and the ledger is the one that was signed. */
  async ready(options?: CallOptions): Promise<Status> {
    return (await this.call(ROUTES.ready, [], {}, undefined, options)) as Status;
  }

  /** Figures in Prometheus text. */
  async metrics(options?: CallOptions): Promise<string> {
    return (await this.call(ROUTES.metrics, [], {}, undefined, options)) as string;
  }

  /** OpenAPI 3.1 of what is served. */
  async openapi(options?: CallOptions): Promise<AnyObject> {
    return (await this.call(ROUTES.openapi, [], {}, undefined, options)) as AnyObject;
  }

  /** Who calls, and what it was granted. */
  async session(options?: CallOptions): Promise<Session> {
    return (await this.call(ROUTES.session, [], {}, undefined, options)) as Session;
  }

  /** May somebody do something? (AuthZEN 1.0). */
  async decide(body: Question, options?: CallOptions): Promise<Decision> {
    return (await this.call(ROUTES.decide, [], {}, body, options)) as Decision;
  }

  /** The same many times at once. */
  async decideMany(body: Questions = {}, options?: CallOptions): Promise<Decisions> {
    return (await this.call(ROUTES.decideMany, [], {}, body, options)) as Decisions;
  }

  /** Who may do it. */
  async searchSubjects(body: SearchSubject, options?: CallOptions): Promise<SearchResults> {
    return (await this.call(ROUTES.searchSubjects, [], {}, body, options)) as SearchResults;
  }

  /** On what may it be done. */
  async searchResources(body: SearchResource, options?: CallOptions): Promise<SearchResults> {
    return (await this.call(ROUTES.searchResources, [], {}, body, options)) as SearchResults;
  }

  /** What may be done. */
  async searchActions(body: SearchAction, options?: CallOptions): Promise<SearchResults> {
    return (await this.call(ROUTES.searchActions, [], {}, body, options)) as SearchResults;
  }

  /** The contracts served. */
  async listContracts(options?: CallOptions): Promise<ContractList> {
    return (await this.call(ROUTES.listContracts, [], {}, undefined, options)) as ContractList;
  }

  /** Deploy a version of a contract. */
  async deploy(body: Deploy = {}, options?: CallOptions): Promise<Deployment> {
    return (await this.call(ROUTES.deploy, [], {}, body, options)) as Deployment;
  }

  /** One contract. */
  async getContract(contract: string, query: { etag?: string } = {}, options?: CallOptions): Promise<Manifest> {
    return (await this.call(ROUTES.getContract, [contract], query, undefined, options)) as Manifest;
  }

  /** Its manifest. */
  async contractManifest(contract: string, options?: CallOptions): Promise<Manifest> {
    return (await this.call(ROUTES.contractManifest, [contract], {}, undefined, options)) as Manifest;
  }

  /** Its versions. */
  async listVersions(contract: string, query: { after?: string; limit?: number } = {}, options?: CallOptions): Promise<VersionList> {
    return (await this.call(ROUTES.listVersions, [contract], query, undefined, options)) as VersionList;
  }

  /** The migration under way. */
  async getMigration(contract: string, options?: CallOptions): Promise<Migration> {
    return (await this.call(ROUTES.getMigration, [contract], {}, undefined, options)) as Migration;
  }

  /** End the migration under way. */
  async completeMigration(contract: string, body: Nothing = {}, options?: CallOptions): Promise<MigrationAnswer> {
    return (await this.call(ROUTES.completeMigration, [contract], {}, body, options)) as MigrationAnswer;
  }

  /** Facts to verdicts. */
  async evaluate(contract: string, body: Evaluate = {}, options?: CallOptions): Promise<Evaluation> {
    return (await this.call(ROUTES.evaluate, [contract], {}, body, options)) as Evaluation;
  }

  /** Many evaluations, one in each line. */
  async evaluateBatch(contract: string, lines: Array<Evaluate>, options?: CallOptions): Promise<Array<BatchLine>> {
    return (await this.call(ROUTES.evaluateBatch, [contract], {}, lines, options)) as Array<BatchLine>;
  }

  /** What is left to decide where facts are not known. */
  async evaluatePartly(contract: string, body: Evaluate = {}, options?: CallOptions): Promise<Partial> {
    return (await this.call(ROUTES.evaluatePartly, [contract], {}, body, options)) as Partial;
  }

  /** What a persona may do now, and what blocks the rest. */
  async actions(contract: string, body: Act, options?: CallOptions): Promise<Actions> {
    return (await this.call(ROUTES.actions, [contract], {}, body, options)) as Actions;
  }

  /** Why a verdict, an operation or a flow is as it is, down to facts. */
  async explain(contract: string, body: Explain = {}, options?: CallOptions): Promise<Explanation> {
    return (await this.call(ROUTES.explain, [contract], {}, body, options)) as Explanation;
  }

  /** What the contract can and can never do, with what shows it. */
  async ask(contract: string, body: Ask, options?: CallOptions): Promise<AskAnswer> {
    return (await this.call(ROUTES.ask, [contract], {}, body, options)) as AskAnswer;
  }

  /** Facts asserted by hand. */
  async listFacts(contract: string, options?: CallOptions): Promise<FactList> {
    return (await this.call(ROUTES.listFacts, [contract], {}, undefined, options)) as FactList;
  }

  /** Assert a fact of a manual source. */
  async assertFact(contract: string, fact: string, body: Assert, options?: CallOptions): Promise<FactAnswer> {
    return (await this.call(ROUTES.assertFact, [contract, fact], {}, body, options)) as FactAnswer;
  }

  /** Retract it. */
  async retractFact(contract: string, fact: string, options?: CallOptions): Promise<FactAnswer> {
    return (await this.call(ROUTES.retractFact, [contract, fact], {}, undefined, options)) as FactAnswer;
  }

  /** Execute an operation, or try it with dry_run. */
  async operate(contract: string, operation: string, body: Operate, options?: CallOptions): Promise<OperationAnswer> {
    return (await this.call(ROUTES.operate, [contract, operation], {}, body, options)) as OperationAnswer;
  }

  /** Start a flow, or try it with dry_run. */
  async startFlow(contract: string, flow: string, body: Start, options?: CallOptions): Promise<FlowAnswer> {
    return (await this.call(ROUTES.startFlow, [contract, flow], {}, body, options)) as FlowAnswer;
  }

  /** Instances of all entities. */
  async listAllInstances(contract: string, query: { after?: string; limit?: number; state?: string; deleted?: "false" | "true" } = {}, options?: CallOptions): Promise<InstanceList> {
    return (await this.call(ROUTES.listAllInstances, [contract], query, undefined, options)) as InstanceList;
  }

  /** Instances of one entity. */
  async listInstances(contract: string, entity: string, query: { after?: string; limit?: number; state?: string; deleted?: "false" | "true" } = {}, options?: CallOptions): Promise<InstanceList> {
    return (await this.call(ROUTES.listInstances, [contract, entity], query, undefined, options)) as InstanceList;
  }

  /** Create an instance in its initial state. */
  async createInstance(contract: string, entity: string, body: Create = {}, options?: CallOptions): Promise<Instance> {
    return (await this.call(ROUTES.createInstance, [contract, entity], {}, body, options)) as Instance;
  }

  /** One instance. */
  async getInstance(contract: string, entity: string, id: string, options?: CallOptions): Promise<Instance> {
    return (await this.call(ROUTES.getInstance, [contract, entity, id], {}, undefined, options)) as Instance;
  }

  /** Delete it; its history stays. */
  async deleteInstance(contract: string, entity: string, id: string, options?: CallOptions): Promise<Instance> {
    return (await this.call(ROUTES.deleteInstance, [contract, entity, id], {}, undefined, options)) as Instance;
  }

  /** Its ledger records. */
  async instanceHistory(contract: string, entity: string, id: string, query: { after?: string; limit?: number } = {}, options?: CallOptions): Promise<RecordList> {
    return (await this.call(ROUTES.instanceHistory, [contract, entity, id], query, undefined, options)) as RecordList;
  }

  /** How many instances are in each state. */
  async countInstances(contract: string, options?: CallOptions): Promise<StateCounts> {
    return (await this.call(ROUTES.countInstances, [contract], {}, undefined, options)) as StateCounts;
  }

  /** Flow executions. */
  async listFlows(query: { after?: string; limit?: number; contract?: string; etag?: string; flow?: string; status?: string; outcome?: string; persona?: string; waiting_persona?: string; in_flight?: "false" | "true" } = {}, options?: CallOptions): Promise<FlowList> {
    return (await this.call(ROUTES.listFlows, [], query, undefined, options)) as FlowList;
  }

  /** One flow execution. */
  async getFlow(id: string, options?: CallOptions): Promise<Flow> {
    return (await this.call(ROUTES.getFlow, [id], {}, undefined, options)) as Flow;
  }

  /** Go on with a waiting flow. */
  async resumeFlow(id: string, body: Resume = {}, options?: CallOptions): Promise<FlowAnswer> {
    return (await this.call(ROUTES.resumeFlow, [id], {}, body, options)) as FlowAnswer;
  }

  /** Cancel it. */
  async cancelFlow(id: string, body: Cancel = {}, options?: CallOptions): Promise<Flow> {
    return (await this.call(ROUTES.cancelFlow, [id], {}, body, options)) as Flow;
  }

  /** Ledger records. */
  async listRecords(query: { after?: string; limit?: number; kind?: string; contract?: string; flow?: string; subject?: string; from?: number; to?: number; from_ms?: number; to_ms?: number; order?: "asc" | "desc"; pending?: "false" | "true" } = {}, options?: CallOptions): Promise<RecordList> {
    return (await this.call(ROUTES.listRecords, [], query, undefined, options)) as RecordList;
  }

  /** The newest signed checkpoint. */
  async getCheckpoint(options?: CallOptions): Promise<CheckpointAnswer> {
    return (await this.call(ROUTES.getCheckpoint, [], {}, undefined, options)) as CheckpointAnswer;
  }

  /** The newest checkpoint as a C2SP note, with its cosignatures. */
  async getCheckpointNote(options?: CallOptions): Promise<string> {
    return (await this.call(ROUTES.getCheckpointNote, [], {}, undefined, options)) as string;
  }

  /** Proof that one size of the ledger extends another. */
  async proveConsistency(query: { from?: number; to?: number } = {}, options?: CallOptions): Promise<ConsistencyProof> {
    return (await this.call(ROUTES.proveConsistency, [], query, undefined, options)) as ConsistencyProof;
  }

  /** One record. */
  async getRecord(id: string, options?: CallOptions): Promise<Record> {
    return (await this.call(ROUTES.getRecord, [id], {}, undefined, options)) as Record;
  }

  /** Proof that it is in the ledger. */
  async proveRecord(id: string, query: { size?: number } = {}, options?: CallOptions): Promise<InclusionProof> {
    return (await this.call(ROUTES.proveRecord, [id], query, undefined, options)) as InclusionProof;
  }

  /** A signed receipt for it, complete once a checkpoint covers it. */
  async getReceipt(id: string, options?: CallOptions): Promise<Receipt> {
    return (await this.call(ROUTES.getReceipt, [id], {}, undefined, options)) as Receipt;
  }

  /** The systems served. */
  async listSystems(options?: CallOptions): Promise<SystemList> {
    return (await this.call(ROUTES.listSystems, [], {}, undefined, options)) as SystemList;
  }

  /** One system. */
  async getSystem(system: string, options?: CallOptions): Promise<System> {
    return (await this.call(ROUTES.getSystem, [system], {}, undefined, options)) as System;
  }

  /** Its outbox of triggers. */
  async listTriggers(system: string, query: { after?: string; limit?: number; status?: string } = {}, options?: CallOptions): Promise<TriggerList> {
    return (await this.call(ROUTES.listTriggers, [system], query, undefined, options)) as TriggerList;
  }

  /** The graphs served. */
  async listGraphs(options?: CallOptions): Promise<GraphList> {
    return (await this.call(ROUTES.listGraphs, [], {}, undefined, options)) as GraphList;
  }

  /** Give a graph an event. */
  async giveEvent(graph: string, body: GraphEvent = {}, options?: CallOptions): Promise<GraphAnswer> {
    return (await this.call(ROUTES.giveEvent, [graph], {}, body, options)) as GraphAnswer;
  }

  /** Its context. */
  async getContext(graph: string, query: { key?: string } = {}, options?: CallOptions): Promise<GraphContext> {
    return (await this.call(ROUTES.getContext, [graph], query, undefined, options)) as GraphContext;
  }

  /** Its picture, and how often each node spoke. */
  async getGraphPicture(graph: string, query: { format?: "json" | "mermaid" | "dot" } = {}, options?: CallOptions): Promise<GraphPicture> {
    return (await this.call(ROUTES.getGraphPicture, [graph], query, undefined, options)) as GraphPicture;
  }

  /** Its intents that could not be delivered. */
  async listLetters(graph: string, query: { after?: string; limit?: number } = {}, options?: CallOptions): Promise<LetterList> {
    return (await this.call(ROUTES.listLetters, [graph], query, undefined, options)) as LetterList;
  }

  /** Send one of them again. */
  async sendLetter(graph: string, body: LetterSend, options?: CallOptions): Promise<LetterSent> {
    return (await this.call(ROUTES.sendLetter, [graph], {}, body, options)) as LetterSent;
  }

  /** The values of its key that have a history. */
  async listKeys(graph: string, query: { after?: string; limit?: number } = {}, options?: CallOptions): Promise<GraphKeyList> {
    return (await this.call(ROUTES.listKeys, [graph], query, undefined, options)) as GraphKeyList;
  }

  /** Its captures. */
  async listCaptures(graph: string, query: { after?: string; limit?: number; key?: string } = {}, options?: CallOptions): Promise<CaptureList> {
    return (await this.call(ROUTES.listCaptures, [graph], query, undefined, options)) as CaptureList;
  }

  /** One capture. */
  async getCapture(graph: string, id: string, options?: CallOptions): Promise<Capture> {
    return (await this.call(ROUTES.getCapture, [graph, id], {}, undefined, options)) as Capture;
  }

  /** The agents served. */
  async listAgents(options?: CallOptions): Promise<AgentList> {
    return (await this.call(ROUTES.listAgents, [], {}, undefined, options)) as AgentList;
  }

  /** Give an agent a message. */
  async giveMessage(agent: string, body: AgentMessage = {}, options?: CallOptions): Promise<AgentAnswer> {
    return (await this.call(ROUTES.giveMessage, [agent], {}, body, options)) as AgentAnswer;
  }

  /** Its messages. */
  async listMessages(agent: string, query: { after?: string; limit?: number } = {}, options?: CallOptions): Promise<AgentMessageList> {
    return (await this.call(ROUTES.listMessages, [agent], query, undefined, options)) as AgentMessageList;
  }

  /** Its tape. */
  async getTape(agent: string, options?: CallOptions): Promise<AgentTape> {
    return (await this.call(ROUTES.getTape, [agent], {}, undefined, options)) as AgentTape;
  }
}
