// Written by sdk/generate.py from the routes of the serverDO NOT EDIT.

package motet

import (
	"context"
	"net/url"
)

var routes = map[string]route{
	"manifest":          {method: "GET", path: "/.well-known/tenor"},
	"decisionPoint":     {method: "GET", path: "/.well-known/authzen-configuration"},
	"agentCard":         {method: "GET", path: "/.well-known/agent-card.json"},
	"health":            {method: "GET", path: "/healthz"},
	"ready":             {method: "GET", path: "/readyz"},
	"metrics":           {method: "GET", path: "/metrics", text: true},
	"openapi":           {method: "GET", path: "/openapi.json"},
	"session":           {method: "GET", path: "/session"},
	"decide":            {method: "POST", path: "/access/v1/evaluation", writes: true},
	"decideMany":        {method: "POST", path: "/access/v1/evaluations", writes: true},
	"searchSubjects":    {method: "POST", path: "/access/v1/search/subject"},
	"searchResources":   {method: "POST", path: "/access/v1/search/resource"},
	"searchActions":     {method: "POST", path: "/access/v1/search/action"},
	"listContracts":     {method: "GET", path: "/v1/contracts"},
	"deploy":            {method: "POST", path: "/v1/contracts", writes: true},
	"getContract":       {method: "GET", path: "/v1/contracts/{contract}"},
	"contractManifest":  {method: "GET", path: "/v1/contracts/{contract}/.well-known/tenor"},
	"listVersions":      {method: "GET", path: "/v1/contracts/{contract}/versions"},
	"getMigration":      {method: "GET", path: "/v1/contracts/{contract}/migration"},
	"completeMigration": {method: "POST", path: "/v1/contracts/{contract}/migration/complete", writes: true},
	"evaluate":          {method: "POST", path: "/v1/contracts/{contract}/evaluate"},
	"evaluateBatch":     {method: "POST", path: "/v1/contracts/{contract}/evaluate/batch", lines: true},
	"evaluatePartly":    {method: "POST", path: "/v1/contracts/{contract}/partial"},
	"actions":           {method: "POST", path: "/v1/contracts/{contract}/actions"},
	"explain":           {method: "POST", path: "/v1/contracts/{contract}/explain"},
	"ask":               {method: "POST", path: "/v1/contracts/{contract}/ask"},
	"listFacts":         {method: "GET", path: "/v1/contracts/{contract}/facts"},
	"assertFact":        {method: "PUT", path: "/v1/contracts/{contract}/facts/{fact}", writes: true},
	"retractFact":       {method: "DELETE", path: "/v1/contracts/{contract}/facts/{fact}", writes: true},
	"operate":           {method: "POST", path: "/v1/contracts/{contract}/operations/{operation}", writes: true},
	"startFlow":         {method: "POST", path: "/v1/contracts/{contract}/flows/{flow}", writes: true},
	"listAllInstances":  {method: "GET", path: "/v1/contracts/{contract}/instances"},
	"listInstances":     {method: "GET", path: "/v1/contracts/{contract}/instances/{entity}"},
	"createInstance":    {method: "POST", path: "/v1/contracts/{contract}/instances/{entity}", writes: true},
	"getInstance":       {method: "GET", path: "/v1/contracts/{contract}/instances/{entity}/{id}"},
	"deleteInstance":    {method: "DELETE", path: "/v1/contracts/{contract}/instances/{entity}/{id}", writes: true},
	"instanceHistory":   {method: "GET", path: "/v1/contracts/{contract}/instances/{entity}/{id}/history"},
	"countInstances":    {method: "GET", path: "/v1/contracts/{contract}/states"},
	"listFlows":         {method: "GET", path: "/v1/flows"},
	"getFlow":           {method: "GET", path: "/v1/flows/{id}"},
	"resumeFlow":        {method: "POST", path: "/v1/flows/{id}/resume", writes: true},
	"cancelFlow":        {method: "POST", path: "/v1/flows/{id}/cancel", writes: true},
	"listRecords":       {method: "GET", path: "/v1/ledger"},
	"getCheckpoint":     {method: "GET", path: "/v1/ledger/checkpoint"},
	"getCheckpointNote": {method: "GET", path: "/v1/ledger/checkpoint.note", text: true},
	"proveConsistency":  {method: "GET", path: "/v1/ledger/consistency"},
	"getRecord":         {method: "GET", path: "/v1/ledger/{id}"},
	"proveRecord":       {method: "GET", path: "/v1/ledger/{id}/proof"},
	"getReceipt":        {method: "GET", path: "/v1/ledger/{id}/receipt"},
	"listSystems":       {method: "GET", path: "/v1/systems"},
	"getSystem":         {method: "GET", path: "/v1/systems/{system}"},
	"listTriggers":      {method: "GET", path: "/v1/systems/{system}/triggers"},
	"listGraphs":        {method: "GET", path: "/v1/graphs"},
	"giveEvent":         {method: "POST", path: "/v1/graphs/{graph}/events", writes: true},
	"getContext":        {method: "GET", path: "/v1/graphs/{graph}/context"},
	"getGraphPicture":   {method: "GET", path: "/v1/graphs/{graph}/picture"},
	"listLetters":       {method: "GET", path: "/v1/graphs/{graph}/letters"},
	"sendLetter":        {method: "POST", path: "/v1/graphs/{graph}/letters/send", writes: true},
	"listKeys":          {method: "GET", path: "/v1/graphs/{graph}/keys"},
	"listCaptures":      {method: "GET", path: "/v1/graphs/{graph}/captures"},
	"getCapture":        {method: "GET", path: "/v1/graphs/{graph}/captures/{id}"},
	"listAgents":        {method: "GET", path: "/v1/agents"},
	"giveMessage":       {method: "POST", path: "/v1/agents/{agent}/messages", writes: true},
	"listMessages":      {method: "GET", path: "/v1/agents/{agent}/messages"},
	"getTape":           {method: "GET", path: "/v1/agents/{agent}/tape"},
}

// Manifest: The default contract's manifest.
func (c *Client) Manifest(ctx context.Context, options ...CallOption) (answer Manifest, err error) {
	err = c.call(ctx, routes["manifest"], []string{}, nil, nil, &answer, options)
	return
}

// DecisionPoint: Where decisions are asked for (AuthZEN 1.0).
func (c *Client) DecisionPoint(ctx context.Context, options ...CallOption) (answer DecisionPoint, err error) {
	err = c.call(ctx, routes["decisionPoint"], []string{}, nil, nil, &answer, options)
	return
}

// AgentCard: What can be done here, as a card of A2A 1.0.
func (c *Client) AgentCard(ctx context.Context, options ...CallOption) (answer AgentCard, err error) {
	err = c.call(ctx, routes["agentCard"], []string{}, nil, nil, &answer, options)
	return
}

// Health: The process lives.
func (c *Client) Health(ctx context.Context, options ...CallOption) (answer Status, err error) {
	err = c.call(ctx, routes["health"], []string{}, nil, nil, &answer, options)
	return
}

// Ready: The store is reachable, calls are taken, and the ledger is the one that was signed.
func (c *Client) Ready(ctx context.Context, options ...CallOption) (answer Status, err error) {
	err = c.call(ctx, routes["ready"], []string{}, nil, nil, &answer, options)
	return
}

// Metrics: Figures in Prometheus text.
func (c *Client) Metrics(ctx context.Context, options ...CallOption) (answer string, err error) {
	err = c.call(ctx, routes["metrics"], []string{}, nil, nil, &answer, options)
	return
}

// Openapi: OpenAPI 3.1 of what is served.
func (c *Client) Openapi(ctx context.Context, options ...CallOption) (answer map[string]any, err error) {
	err = c.call(ctx, routes["openapi"], []string{}, nil, nil, &answer, options)
	return
}

// Session: Who calls, and what it was granted.
func (c *Client) Session(ctx context.Context, options ...CallOption) (answer Session, err error) {
	err = c.call(ctx, routes["session"], []string{}, nil, nil, &answer, options)
	return
}

// Decide: May somebody do something? (AuthZEN 1.0).
func (c *Client) Decide(ctx context.Context, body Question, options ...CallOption) (answer Decision, err error) {
	err = c.call(ctx, routes["decide"], []string{}, nil, body, &answer, options)
	return
}

// DecideMany: The same many times at once.
func (c *Client) DecideMany(ctx context.Context, body map[string]any, options ...CallOption) (answer Decisions, err error) {
	err = c.call(ctx, routes["decideMany"], []string{}, nil, body, &answer, options)
	return
}

// SearchSubjects: Who may do it.
func (c *Client) SearchSubjects(ctx context.Context, body SearchSubject, options ...CallOption) (answer SearchResults, err error) {
	err = c.call(ctx, routes["searchSubjects"], []string{}, nil, body, &answer, options)
	return
}

// SearchResources: On what may it be done.
func (c *Client) SearchResources(ctx context.Context, body SearchResource, options ...CallOption) (answer SearchResults, err error) {
	err = c.call(ctx, routes["searchResources"], []string{}, nil, body, &answer, options)
	return
}

// SearchActions: What may be done.
func (c *Client) SearchActions(ctx context.Context, body SearchAction, options ...CallOption) (answer SearchResults, err error) {
	err = c.call(ctx, routes["searchActions"], []string{}, nil, body, &answer, options)
	return
}

// ListContracts: The contracts served.
func (c *Client) ListContracts(ctx context.Context, options ...CallOption) (answer ContractList, err error) {
	err = c.call(ctx, routes["listContracts"], []string{}, nil, nil, &answer, options)
	return
}

// Deploy: Deploy a version of a contract.
func (c *Client) Deploy(ctx context.Context, body Deploy, options ...CallOption) (answer Deployment, err error) {
	err = c.call(ctx, routes["deploy"], []string{}, nil, body, &answer, options)
	return
}

// GetContractQuery narrows GetContract; what is empty does not.
type GetContractQuery struct {
	// Of this version.
	Etag string
}

func (q GetContractQuery) values() url.Values {
	v := url.Values{}
	setText(v, "etag", q.Etag)
	return v
}

// GetContract: One contract.
func (c *Client) GetContract(ctx context.Context, contract string, query GetContractQuery, options ...CallOption) (answer Manifest, err error) {
	err = c.call(ctx, routes["getContract"], []string{contract}, query.values(), nil, &answer, options)
	return
}

// ContractManifest: Its manifest.
func (c *Client) ContractManifest(ctx context.Context, contract string, options ...CallOption) (answer Manifest, err error) {
	err = c.call(ctx, routes["contractManifest"], []string{contract}, nil, nil, &answer, options)
	return
}

// ListVersionsQuery narrows ListVersions; what is empty does not.
type ListVersionsQuery struct {
	// The list goes on from here: the `next` of the page before.
	After string
	// Items of a page at most.
	Limit *int64
}

func (q ListVersionsQuery) values() url.Values {
	v := url.Values{}
	setText(v, "after", q.After)
	setWhole(v, "limit", q.Limit)
	return v
}

// ListVersions: Its versions.
func (c *Client) ListVersions(ctx context.Context, contract string, query ListVersionsQuery, options ...CallOption) (answer VersionList, err error) {
	err = c.call(ctx, routes["listVersions"], []string{contract}, query.values(), nil, &answer, options)
	return
}

// GetMigration: The migration under way.
func (c *Client) GetMigration(ctx context.Context, contract string, options ...CallOption) (answer Migration, err error) {
	err = c.call(ctx, routes["getMigration"], []string{contract}, nil, nil, &answer, options)
	return
}

// CompleteMigration: End the migration under way.
func (c *Client) CompleteMigration(ctx context.Context, contract string, body map[string]any, options ...CallOption) (answer MigrationAnswer, err error) {
	err = c.call(ctx, routes["completeMigration"], []string{contract}, nil, body, &answer, options)
	return
}

// Evaluate: Facts to verdicts.
func (c *Client) Evaluate(ctx context.Context, contract string, body Evaluate, options ...CallOption) (answer Evaluation, err error) {
	err = c.call(ctx, routes["evaluate"], []string{contract}, nil, body, &answer, options)
	return
}

// EvaluateBatch: Many evaluations, one in each line.
func (c *Client) EvaluateBatch(ctx context.Context, contract string, lines []Evaluate, options ...CallOption) (answer []BatchLine, err error) {
	err = c.call(ctx, routes["evaluateBatch"], []string{contract}, nil, lines, &answer, options)
	return
}

// EvaluatePartly: What is left to decide where facts are not known.
func (c *Client) EvaluatePartly(ctx context.Context, contract string, body Evaluate, options ...CallOption) (answer Partial, err error) {
	err = c.call(ctx, routes["evaluatePartly"], []string{contract}, nil, body, &answer, options)
	return
}

// Actions: What a persona may do now, and what blocks the rest.
func (c *Client) Actions(ctx context.Context, contract string, body Act, options ...CallOption) (answer Actions, err error) {
	err = c.call(ctx, routes["actions"], []string{contract}, nil, body, &answer, options)
	return
}

// Explain: Why a verdict, an operation or a flow is as it is, down to facts.
func (c *Client) Explain(ctx context.Context, contract string, body Explain, options ...CallOption) (answer Explanation, err error) {
	err = c.call(ctx, routes["explain"], []string{contract}, nil, body, &answer, options)
	return
}

// Ask: What the contract can and can never do, with what shows it.
func (c *Client) Ask(ctx context.Context, contract string, body Ask, options ...CallOption) (answer AskAnswer, err error) {
	err = c.call(ctx, routes["ask"], []string{contract}, nil, body, &answer, options)
	return
}

// ListFacts: Facts asserted by hand.
func (c *Client) ListFacts(ctx context.Context, contract string, options ...CallOption) (answer FactList, err error) {
	err = c.call(ctx, routes["listFacts"], []string{contract}, nil, nil, &answer, options)
	return
}

// AssertFact: Assert a fact of a manual source.
func (c *Client) AssertFact(ctx context.Context, contract string, fact string, body Assert, options ...CallOption) (answer FactAnswer, err error) {
	err = c.call(ctx, routes["assertFact"], []string{contract, fact}, nil, body, &answer, options)
	return
}

// RetractFact: Retract it.
func (c *Client) RetractFact(ctx context.Context, contract string, fact string, options ...CallOption) (answer FactAnswer, err error) {
	err = c.call(ctx, routes["retractFact"], []string{contract, fact}, nil, nil, &answer, options)
	return
}

// Operate: Execute an operation, or try it with dry_run.
func (c *Client) Operate(ctx context.Context, contract string, operation string, body Operate, options ...CallOption) (answer OperationAnswer, err error) {
	err = c.call(ctx, routes["operate"], []string{contract, operation}, nil, body, &answer, options)
	return
}

// StartFlow: Start a flow, or try it with dry_run.
func (c *Client) StartFlow(ctx context.Context, contract string, flow string, body Start, options ...CallOption) (answer FlowAnswer, err error) {
	err = c.call(ctx, routes["startFlow"], []string{contract, flow}, nil, body, &answer, options)
	return
}

// ListAllInstancesQuery narrows ListAllInstances; what is empty does not.
type ListAllInstancesQuery struct {
	// The list goes on from here: the `next` of the page before.
	After string
	// Items of a page at most.
	Limit *int64
	// Only instances in this state.
	State string
	// Deleted instances, too.
	Deleted string
}

func (q ListAllInstancesQuery) values() url.Values {
	v := url.Values{}
	setText(v, "after", q.After)
	setWhole(v, "limit", q.Limit)
	setText(v, "state", q.State)
	setText(v, "deleted", q.Deleted)
	return v
}

// ListAllInstances: Instances of all entities.
func (c *Client) ListAllInstances(ctx context.Context, contract string, query ListAllInstancesQuery, options ...CallOption) (answer InstanceList, err error) {
	err = c.call(ctx, routes["listAllInstances"], []string{contract}, query.values(), nil, &answer, options)
	return
}

// ListInstancesQuery narrows ListInstances; what is empty does not.
type ListInstancesQuery struct {
	// The list goes on from here: the `next` of the page before.
	After string
	// Items of a page at most.
	Limit *int64
	// Only instances in this state.
	State string
	// Deleted instances, too.
	Deleted string
}

func (q ListInstancesQuery) values() url.Values {
	v := url.Values{}
	setText(v, "after", q.After)
	setWhole(v, "limit", q.Limit)
	setText(v, "state", q.State)
	setText(v, "deleted", q.Deleted)
	return v
}

// ListInstances: Instances of one entity.
func (c *Client) ListInstances(ctx context.Context, contract string, entity string, query ListInstancesQuery, options ...CallOption) (answer InstanceList, err error) {
	err = c.call(ctx, routes["listInstances"], []string{contract, entity}, query.values(), nil, &answer, options)
	return
}

// CreateInstance: Create an instance in its initial state.
func (c *Client) CreateInstance(ctx context.Context, contract string, entity string, body Create, options ...CallOption) (answer Instance, err error) {
	err = c.call(ctx, routes["createInstance"], []string{contract, entity}, nil, body, &answer, options)
	return
}

// GetInstance: One instance.
func (c *Client) GetInstance(ctx context.Context, contract string, entity string, id string, options ...CallOption) (answer Instance, err error) {
	err = c.call(ctx, routes["getInstance"], []string{contract, entity, id}, nil, nil, &answer, options)
	return
}

// DeleteInstance: Delete it; its history stays.
func (c *Client) DeleteInstance(ctx context.Context, contract string, entity string, id string, options ...CallOption) (answer Instance, err error) {
	err = c.call(ctx, routes["deleteInstance"], []string{contract, entity, id}, nil, nil, &answer, options)
	return
}

// InstanceHistoryQuery narrows InstanceHistory; what is empty does not.
type InstanceHistoryQuery struct {
	// The list goes on from here: the `next` of the page before.
	After string
	// Items of a page at most.
	Limit *int64
}

func (q InstanceHistoryQuery) values() url.Values {
	v := url.Values{}
	setText(v, "after", q.After)
	setWhole(v, "limit", q.Limit)
	return v
}

// InstanceHistory: Its ledger records.
func (c *Client) InstanceHistory(ctx context.Context, contract string, entity string, id string, query InstanceHistoryQuery, options ...CallOption) (answer RecordList, err error) {
	err = c.call(ctx, routes["instanceHistory"], []string{contract, entity, id}, query.values(), nil, &answer, options)
	return
}

// CountInstances: How many instances are in each state.
func (c *Client) CountInstances(ctx context.Context, contract string, options ...CallOption) (answer StateCounts, err error) {
	err = c.call(ctx, routes["countInstances"], []string{contract}, nil, nil, &answer, options)
	return
}

// ListFlowsQuery narrows ListFlows; what is empty does not.
type ListFlowsQuery struct {
	// The list goes on from here: the `next` of the page before.
	After string
	// Items of a page at most.
	Limit *int64
	// Only flows of this contract.
	Contract string
	// Of this version.
	Etag string
	// Only executions of this flow.
	Flow string
	// Only executions of this status.
	Status string
	// Only executions that ended so.
	Outcome string
	// Only executions that this persona began.
	Persona string
	// Only executions that wait for this persona.
	WaitingPersona string
	// Only executions that have not ended.
	InFlight string
}

func (q ListFlowsQuery) values() url.Values {
	v := url.Values{}
	setText(v, "after", q.After)
	setWhole(v, "limit", q.Limit)
	setText(v, "contract", q.Contract)
	setText(v, "etag", q.Etag)
	setText(v, "flow", q.Flow)
	setText(v, "status", q.Status)
	setText(v, "outcome", q.Outcome)
	setText(v, "persona", q.Persona)
	setText(v, "waiting_persona", q.WaitingPersona)
	setText(v, "in_flight", q.InFlight)
	return v
}

// ListFlows: Flow executions.
func (c *Client) ListFlows(ctx context.Context, query ListFlowsQuery, options ...CallOption) (answer FlowList, err error) {
	err = c.call(ctx, routes["listFlows"], []string{}, query.values(), nil, &answer, options)
	return
}

// GetFlow: One flow execution.
func (c *Client) GetFlow(ctx context.Context, id string, options ...CallOption) (answer Flow, err error) {
	err = c.call(ctx, routes["getFlow"], []string{id}, nil, nil, &answer, options)
	return
}

// ResumeFlow: Go on with a waiting flow.
func (c *Client) ResumeFlow(ctx context.Context, id string, body Resume, options ...CallOption) (answer FlowAnswer, err error) {
	err = c.call(ctx, routes["resumeFlow"], []string{id}, nil, body, &answer, options)
	return
}

// CancelFlow: Cancel it.
func (c *Client) CancelFlow(ctx context.Context, id string, body Cancel, options ...CallOption) (answer Flow, err error) {
	err = c.call(ctx, routes["cancelFlow"], []string{id}, nil, body, &answer, options)
	return
}

// ListRecordsQuery narrows ListRecords; what is empty does not.
type ListRecordsQuery struct {
	// The list goes on from here: the `next` of the page before.
	After string
	// Items of a page at most.
	Limit *int64
	// Only records of this kind.
	Kind string
	// Only records of this contract.
	Contract string
	// Only records of this flow execution.
	Flow string
	// Only records about this subject.
	Subject string
	// From this place in the ledger.
	From *int64
	// Up to this place in the ledger, without it; 0 is the end.
	To *int64
	// From this moment, in milliseconds since 1970.
	FromMs *int64
	// Before this moment, in milliseconds since 1970; 0 is the end.
	ToMs *int64
	// Oldest or newest first.
	Order string
	// Records that are durable and not chained yet, too.
	Pending string
}

func (q ListRecordsQuery) values() url.Values {
	v := url.Values{}
	setText(v, "after", q.After)
	setWhole(v, "limit", q.Limit)
	setText(v, "kind", q.Kind)
	setText(v, "contract", q.Contract)
	setText(v, "flow", q.Flow)
	setText(v, "subject", q.Subject)
	setWhole(v, "from", q.From)
	setWhole(v, "to", q.To)
	setWhole(v, "from_ms", q.FromMs)
	setWhole(v, "to_ms", q.ToMs)
	setText(v, "order", q.Order)
	setText(v, "pending", q.Pending)
	return v
}

// ListRecords: Ledger records.
func (c *Client) ListRecords(ctx context.Context, query ListRecordsQuery, options ...CallOption) (answer RecordList, err error) {
	err = c.call(ctx, routes["listRecords"], []string{}, query.values(), nil, &answer, options)
	return
}

// GetCheckpoint: The newest signed checkpoint.
func (c *Client) GetCheckpoint(ctx context.Context, options ...CallOption) (answer CheckpointAnswer, err error) {
	err = c.call(ctx, routes["getCheckpoint"], []string{}, nil, nil, &answer, options)
	return
}

// GetCheckpointNote: The newest checkpoint as a C2SP note, with its cosignatures.
func (c *Client) GetCheckpointNote(ctx context.Context, options ...CallOption) (answer string, err error) {
	err = c.call(ctx, routes["getCheckpointNote"], []string{}, nil, nil, &answer, options)
	return
}

// ProveConsistencyQuery narrows ProveConsistency; what is empty does not.
type ProveConsistencyQuery struct {
	// From this place in the ledger.
	From *int64
	// Up to this place in the ledger, without it; 0 is the end.
	To *int64
}

func (q ProveConsistencyQuery) values() url.Values {
	v := url.Values{}
	setWhole(v, "from", q.From)
	setWhole(v, "to", q.To)
	return v
}

// ProveConsistency: Proof that one size of the ledger extends another.
func (c *Client) ProveConsistency(ctx context.Context, query ProveConsistencyQuery, options ...CallOption) (answer ConsistencyProof, err error) {
	err = c.call(ctx, routes["proveConsistency"], []string{}, query.values(), nil, &answer, options)
	return
}

// GetRecord: One record.
func (c *Client) GetRecord(ctx context.Context, id string, options ...CallOption) (answer Record, err error) {
	err = c.call(ctx, routes["getRecord"], []string{id}, nil, nil, &answer, options)
	return
}

// ProveRecordQuery narrows ProveRecord; what is empty does not.
type ProveRecordQuery struct {
	// The proof is for the ledger when it had so many records.
	Size *int64
}

func (q ProveRecordQuery) values() url.Values {
	v := url.Values{}
	setWhole(v, "size", q.Size)
	return v
}

// ProveRecord: Proof that it is in the ledger.
func (c *Client) ProveRecord(ctx context.Context, id string, query ProveRecordQuery, options ...CallOption) (answer InclusionProof, err error) {
	err = c.call(ctx, routes["proveRecord"], []string{id}, query.values(), nil, &answer, options)
	return
}

// GetReceipt: A signed receipt for it, complete once a checkpoint covers it.
func (c *Client) GetReceipt(ctx context.Context, id string, options ...CallOption) (answer Receipt, err error) {
	err = c.call(ctx, routes["getReceipt"], []string{id}, nil, nil, &answer, options)
	return
}

// ListSystems: The systems served.
func (c *Client) ListSystems(ctx context.Context, options ...CallOption) (answer SystemList, err error) {
	err = c.call(ctx, routes["listSystems"], []string{}, nil, nil, &answer, options)
	return
}

// GetSystem: One system.
func (c *Client) GetSystem(ctx context.Context, system string, options ...CallOption) (answer System, err error) {
	err = c.call(ctx, routes["getSystem"], []string{system}, nil, nil, &answer, options)
	return
}

// ListTriggersQuery narrows ListTriggers; what is empty does not.
type ListTriggersQuery struct {
	// The list goes on from here: the `next` of the page before.
	After string
	// Items of a page at most.
	Limit *int64
	// Only triggers of this status.
	Status string
}

func (q ListTriggersQuery) values() url.Values {
	v := url.Values{}
	setText(v, "after", q.After)
	setWhole(v, "limit", q.Limit)
	setText(v, "status", q.Status)
	return v
}

// ListTriggers: Its outbox of triggers.
func (c *Client) ListTriggers(ctx context.Context, system string, query ListTriggersQuery, options ...CallOption) (answer TriggerList, err error) {
	err = c.call(ctx, routes["listTriggers"], []string{system}, query.values(), nil, &answer, options)
	return
}

// ListGraphs: The graphs served.
func (c *Client) ListGraphs(ctx context.Context, options ...CallOption) (answer GraphList, err error) {
	err = c.call(ctx, routes["listGraphs"], []string{}, nil, nil, &answer, options)
	return
}

// GiveEvent: Give a graph an event.
func (c *Client) GiveEvent(ctx context.Context, graph string, body GraphEvent, options ...CallOption) (answer GraphAnswer, err error) {
	err = c.call(ctx, routes["giveEvent"], []string{graph}, nil, body, &answer, options)
	return
}

// GetContextQuery narrows GetContext; what is empty does not.
type GetContextQuery struct {
	// Of a graph with a key: whose history.
	Key string
}

func (q GetContextQuery) values() url.Values {
	v := url.Values{}
	setText(v, "key", q.Key)
	return v
}

// GetContext: Its context.
func (c *Client) GetContext(ctx context.Context, graph string, query GetContextQuery, options ...CallOption) (answer GraphContext, err error) {
	err = c.call(ctx, routes["getContext"], []string{graph}, query.values(), nil, &answer, options)
	return
}

// GetGraphPictureQuery narrows GetGraphPicture; what is empty does not.
type GetGraphPictureQuery struct {
	// Json, mermaid or dot (json).
	Format string
}

func (q GetGraphPictureQuery) values() url.Values {
	v := url.Values{}
	setText(v, "format", q.Format)
	return v
}

// GetGraphPicture: Its picture, and how often each node spoke.
func (c *Client) GetGraphPicture(ctx context.Context, graph string, query GetGraphPictureQuery, options ...CallOption) (answer GraphPicture, err error) {
	err = c.call(ctx, routes["getGraphPicture"], []string{graph}, query.values(), nil, &answer, options)
	return
}

// ListLettersQuery narrows ListLetters; what is empty does not.
type ListLettersQuery struct {
	// The list goes on from here: the `next` of the page before.
	After string
	// Items of a page at most.
	Limit *int64
}

func (q ListLettersQuery) values() url.Values {
	v := url.Values{}
	setText(v, "after", q.After)
	setWhole(v, "limit", q.Limit)
	return v
}

// ListLetters: Its intents that could not be delivered.
func (c *Client) ListLetters(ctx context.Context, graph string, query ListLettersQuery, options ...CallOption) (answer LetterList, err error) {
	err = c.call(ctx, routes["listLetters"], []string{graph}, query.values(), nil, &answer, options)
	return
}

// SendLetter: Send one of them again.
func (c *Client) SendLetter(ctx context.Context, graph string, body LetterSend, options ...CallOption) (answer LetterSent, err error) {
	err = c.call(ctx, routes["sendLetter"], []string{graph}, nil, body, &answer, options)
	return
}

// ListKeysQuery narrows ListKeys; what is empty does not.
type ListKeysQuery struct {
	// The list goes on from here: the `next` of the page before.
	After string
	// Items of a page at most.
	Limit *int64
}

func (q ListKeysQuery) values() url.Values {
	v := url.Values{}
	setText(v, "after", q.After)
	setWhole(v, "limit", q.Limit)
	return v
}

// ListKeys: The values of its key that have a history.
func (c *Client) ListKeys(ctx context.Context, graph string, query ListKeysQuery, options ...CallOption) (answer GraphKeyList, err error) {
	err = c.call(ctx, routes["listKeys"], []string{graph}, query.values(), nil, &answer, options)
	return
}

// ListCapturesQuery narrows ListCaptures; what is empty does not.
type ListCapturesQuery struct {
	// The list goes on from here: the `next` of the page before.
	After string
	// Items of a page at most.
	Limit *int64
	// Of a graph with a key: whose history.
	Key string
}

func (q ListCapturesQuery) values() url.Values {
	v := url.Values{}
	setText(v, "after", q.After)
	setWhole(v, "limit", q.Limit)
	setText(v, "key", q.Key)
	return v
}

// ListCaptures: Its captures.
func (c *Client) ListCaptures(ctx context.Context, graph string, query ListCapturesQuery, options ...CallOption) (answer CaptureList, err error) {
	err = c.call(ctx, routes["listCaptures"], []string{graph}, query.values(), nil, &answer, options)
	return
}

// GetCapture: One capture.
func (c *Client) GetCapture(ctx context.Context, graph string, id string, options ...CallOption) (answer map[string]any, err error) {
	err = c.call(ctx, routes["getCapture"], []string{graph, id}, nil, nil, &answer, options)
	return
}

// ListAgents: The agents served.
func (c *Client) ListAgents(ctx context.Context, options ...CallOption) (answer AgentList, err error) {
	err = c.call(ctx, routes["listAgents"], []string{}, nil, nil, &answer, options)
	return
}

// GiveMessage: Give an agent a message.
func (c *Client) GiveMessage(ctx context.Context, agent string, body map[string]any, options ...CallOption) (answer AgentAnswer, err error) {
	err = c.call(ctx, routes["giveMessage"], []string{agent}, nil, body, &answer, options)
	return
}

// ListMessagesQuery narrows ListMessages; what is empty does not.
type ListMessagesQuery struct {
	// The list goes on from here: the `next` of the page before.
	After string
	// Items of a page at most.
	Limit *int64
}

func (q ListMessagesQuery) values() url.Values {
	v := url.Values{}
	setText(v, "after", q.After)
	setWhole(v, "limit", q.Limit)
	return v
}

// ListMessages: Its messages.
func (c *Client) ListMessages(ctx context.Context, agent string, query ListMessagesQuery, options ...CallOption) (answer AgentMessageList, err error) {
	err = c.call(ctx, routes["listMessages"], []string{agent}, query.values(), nil, &answer, options)
	return
}

// GetTape: Its tape.
func (c *Client) GetTape(ctx context.Context, agent string, options ...CallOption) (answer AgentTape, err error) {
	err = c.call(ctx, routes["getTape"], []string{agent}, nil, nil, &answer, options)
	return
}
