// Written by sdk/generate.py from the routes of the serverDO NOT EDIT.

package motet

// Act is a type of the HTTP API.
type Act struct {
	Bindings map[string]string `json:"bindings,omitempty"`
	Facts    map[string]any    `json:"facts,omitempty"`
	Flows    []string          `json:"flows,omitempty"`
	Params   map[string]any    `json:"params,omitempty"`
	Partial  bool              `json:"partial,omitempty"`
	Persona  string            `json:"persona"`
	Unknown  []string          `json:"unknown,omitempty"`
}

// Action is a type of the HTTP API.
type Action struct {
	Description      *string             `json:"description,omitempty"`
	EntryOperationId *string             `json:"entry_operation_id,omitempty"`
	FlowId           string              `json:"flow_id"`
	InstanceBindings map[string][]string `json:"instance_bindings,omitempty"`
	PersonaId        string              `json:"persona_id"`
	VerdictSummary   map[string]any      `json:"verdict_summary,omitempty"`
}

// AgentAnswer is a type of the HTTP API.
type AgentAnswer struct {
	Agent   string         `json:"agent"`
	Cycle   map[string]any `json:"cycle"`
	Message int64          `json:"message"`
	Queued  *int64         `json:"queued,omitempty"`
	Receipt *Receipt       `json:"receipt,omitempty"`
	Record  *int64         `json:"record,omitempty"`
	Sent    []any          `json:"sent"`
}

// AgentCard: An AgentCard of A2A 1.0.
type AgentCard struct {
	Capabilities         map[string]any        `json:"capabilities"`
	DefaultInputModes    []string              `json:"defaultInputModes"`
	DefaultOutputModes   []string              `json:"defaultOutputModes"`
	Description          string                `json:"description"`
	DocumentationUrl     *string               `json:"documentationUrl,omitempty"`
	Name                 string                `json:"name"`
	Provider             map[string]any        `json:"provider,omitempty"`
	SecurityRequirements []map[string]any      `json:"securityRequirements,omitempty"`
	SecuritySchemes      map[string]any        `json:"securitySchemes,omitempty"`
	Skills               []AgentCardSkillsItem `json:"skills"`
	// Bindings of A2A that are served: none.
	SupportedInterfaces []map[string]any `json:"supportedInterfaces"`
	Version             string           `json:"version"`
}

// AgentCardSkillsItem is a type of the HTTP API.
type AgentCardSkillsItem struct {
	Description string   `json:"description"`
	Id          string   `json:"id"`
	Name        string   `json:"name"`
	Tags        []string `json:"tags"`
}

// AgentList is a type of the HTTP API.
type AgentList struct {
	Items []AgentListItemsItem `json:"items"`
}

// AgentListItemsItem is a type of the HTTP API.
type AgentListItemsItem struct {
	Id string `json:"id"`
}

// AgentMessageList is a type of the HTTP API.
type AgentMessageList struct {
	Items []map[string]any `json:"items"`
	Next  *string          `json:"next,omitempty"`
}

// AgentTape is a type of the HTTP API.
type AgentTape struct {
	Agent string         `json:"agent"`
	State map[string]any `json:"state"`
}

// Ask is a type of the HTTP API.
type Ask struct {
	Question string `json:"question"`
}

// AskAnswer is a type of the HTTP API.
type AskAnswer struct {
	Answer   string         `json:"answer"`
	Contract string         `json:"contract"`
	Etag     string         `json:"etag"`
	Question string         `json:"question"`
	Shown    map[string]any `json:"shown"`
	Text     string         `json:"text"`
}

// Assert is a type of the HTTP API.
type Assert struct {
	ExpiresAt string `json:"expires_at,omitempty"`
	TtlMs     int64  `json:"ttl_ms,omitempty"`
	Value     any    `json:"value"`
}

// BatchLine: One line for each of the request, in its order; it has an evaluation or a problem.
type BatchLine struct {
	Evaluation *Evaluation `json:"evaluation,omitempty"`
	// Which line of the request it answers.
	Line    int64            `json:"line"`
	Problem *ProblemDocument `json:"problem,omitempty"`
	// As if the line had been a request of its own.
	Status int64 `json:"status"`
}

// BecauseItem is a type of the HTTP API.
type BecauseItem struct {
	// A comparison, the presence of a verdict, a quantifier.
	Atom string `json:"atom"`
	// The facts it read, with their values; null: not known.
	Facts map[string]any `json:"facts"`
	// What it came out as.
	Value    bool          `json:"value"`
	Verdicts []ToldVerdict `json:"verdicts"`
}

// BlockReason is a type of the HTTP API.
type BlockReason struct {
	CurrentState    *string                     `json:"current_state,omitempty"`
	EntityId        *string                     `json:"entity_id,omitempty"`
	FalseParts      []BlockReasonFalsePartsItem `json:"false_parts,omitempty"`
	Message         *string                     `json:"message,omitempty"`
	MissingVerdicts []string                    `json:"missing_verdicts,omitempty"`
	OperationId     *string                     `json:"operation_id,omitempty"`
	Outcome         *string                     `json:"outcome,omitempty"`
	RequiredState   *string                     `json:"required_state,omitempty"`
	RequiredStates  []string                    `json:"required_states,omitempty"`
	Type            string                      `json:"type"`
}

// BlockReasonFalsePartsItem is a type of the HTTP API.
type BlockReasonFalsePartsItem struct {
	Part  string `json:"part"`
	Value bool   `json:"value"`
}

// Cancel is a type of the HTTP API.
type Cancel struct {
	Reason string `json:"reason,omitempty"`
}

// CaptureList is a type of the HTTP API.
type CaptureList struct {
	Items []CaptureListItemsItem `json:"items"`
	Next  *string                `json:"next,omitempty"`
}

// CaptureListItemsItem is a type of the HTTP API.
type CaptureListItemsItem struct {
	Id string `json:"id"`
}

// Change is a type of the HTTP API.
type Change struct {
	EntityId   string `json:"entity_id"`
	From       string `json:"from"`
	InstanceId string `json:"instance_id"`
	To         string `json:"to"`
}

// ChangedConstruct is a type of the HTTP API.
type ChangedConstruct struct {
	Class  string        `json:"class"`
	Fields []FieldChange `json:"fields"`
	Id     string        `json:"id"`
	Kind   string        `json:"kind"`
}

// CheckpointAnswer is a type of the HTTP API.
type CheckpointAnswer struct {
	Root   string         `json:"root"`
	Signed map[string]any `json:"signed,omitempty"`
	Size   int64          `json:"size"`
}

// ConsistencyProof is a type of the HTTP API.
type ConsistencyProof struct {
	From   int64    `json:"from"`
	Hashes []string `json:"hashes"`
	Proof  string   `json:"proof"`
	To     int64    `json:"to"`
}

// Contract is a type of the HTTP API.
type Contract struct {
	Default    bool     `json:"default"`
	DeployedAt string   `json:"deployed_at"`
	Entities   []string `json:"entities"`
	Etag       string   `json:"etag"`
	Facts      []string `json:"facts"`
	Flows      []string `json:"flows"`
	Id         string   `json:"id"`
	Operations []string `json:"operations"`
	Personas   []string `json:"personas"`
	Version    int64    `json:"version"`
}

// ContractList is a type of the HTTP API.
type ContractList struct {
	Items []Contract `json:"items"`
}

// Create is a type of the HTTP API.
type Create struct {
	// Up to 256 bytes of text without control characters; made by the server if not given.
	Id string `json:"id,omitempty"`
	// The initial state, if given.
	State string `json:"state,omitempty"`
}

// Decision is a type of the HTTP API.
type Decision struct {
	Context  DecisionContext `json:"context"`
	Decision bool            `json:"decision"`
}

// DecisionContext is a type of the HTTP API.
type DecisionContext struct {
	Code        *string               `json:"code,omitempty"`
	Contract    *string               `json:"contract,omitempty"`
	Error       *DecisionContextError `json:"error,omitempty"`
	Etag        *string               `json:"etag,omitempty"`
	Persona     *string               `json:"persona,omitempty"`
	Queued      *int64                `json:"queued,omitempty"`
	ReasonAdmin map[string]any        `json:"reason_admin,omitempty"`
	ReasonUser  map[string]any        `json:"reason_user,omitempty"`
	Reasons     []FalsePart           `json:"reasons,omitempty"`
	Receipt     *Receipt              `json:"receipt,omitempty"`
	Record      *int64                `json:"record,omitempty"`
}

// DecisionContextError is a type of the HTTP API.
type DecisionContextError struct {
	Message string `json:"message"`
	Status  int64  `json:"status"`
}

// DecisionPoint is a type of the HTTP API.
type DecisionPoint struct {
	AccessEvaluationEndpoint  string  `json:"access_evaluation_endpoint"`
	AccessEvaluationsEndpoint *string `json:"access_evaluations_endpoint,omitempty"`
	PolicyDecisionPoint       string  `json:"policy_decision_point"`
	SearchActionEndpoint      *string `json:"search_action_endpoint,omitempty"`
	SearchResourceEndpoint    *string `json:"search_resource_endpoint,omitempty"`
	SearchSubjectEndpoint     *string `json:"search_subject_endpoint,omitempty"`
}

// Decisions2 is a type of the HTTP API.
type Decisions2 struct {
	Evaluations []Decision `json:"evaluations"`
}

// Deploy: A bundle, or a source with the contract's name.
type Deploy struct {
	// Interchange, or a manifest with it.
	Bundle     map[string]any `json:"bundle,omitempty"`
	Contract   string         `json:"contract,omitempty"`
	DryRun     bool           `json:"dry_run,omitempty"`
	Invariants []string       `json:"invariants,omitempty"`
	Policy     any            `json:"policy,omitempty"`
	// Text of a .tenor file.
	Source string `json:"source,omitempty"`
	// By entity: the new state for each removed one.
	StateMap map[string]map[string]string `json:"state_map,omitempty"`
}

// Deployment is a type of the HTTP API.
type Deployment struct {
	Analysis       *string          `json:"analysis,omitempty"`
	Class          *string          `json:"class,omitempty"`
	Contract       string           `json:"contract"`
	Diff           *Diff            `json:"diff,omitempty"`
	Etag           string           `json:"etag"`
	Fates          map[string]int64 `json:"fates,omitempty"`
	Flows          []FlowFate       `json:"flows,omitempty"`
	From           *string          `json:"from,omitempty"`
	Infrastructure []map[string]any `json:"infrastructure,omitempty"`
	Instances      *InstanceFates   `json:"instances,omitempty"`
	Number         *int64           `json:"number,omitempty"`
	Queued         *int64           `json:"queued,omitempty"`
	Receipt        *Receipt         `json:"receipt,omitempty"`
	Record         *int64           `json:"record,omitempty"`
	Simulation     *bool            `json:"simulation,omitempty"`
	Status         string           `json:"status"`
	TriggersFailed *int64           `json:"triggers_failed,omitempty"`
}

// Diagnostic is a type of the HTTP API.
type Diagnostic struct {
	Code     string  `json:"code"`
	Column   int64   `json:"column"`
	Hint     *string `json:"hint,omitempty"`
	Line     int64   `json:"line"`
	Message  string  `json:"message"`
	Severity string  `json:"severity"`
}

// Diff: As `motet diff --json` shows it.
type Diff struct {
	Added          []map[string]any   `json:"added"`
	Changed        []ChangedConstruct `json:"changed"`
	Class          string             `json:"class"`
	New            string             `json:"new"`
	Old            string             `json:"old"`
	OperatorNotice bool               `json:"operator_notice"`
	PolicyRequired bool               `json:"policy_required"`
	Removed        []map[string]any   `json:"removed"`
	Summary        map[string]int64   `json:"summary"`
}

// Evaluate is a type of the HTTP API.
type Evaluate struct {
	Bindings map[string]string `json:"bindings,omitempty"`
	Facts    map[string]any    `json:"facts,omitempty"`
	Params   map[string]any    `json:"params,omitempty"`
	// Every fact that nobody gives and that has no default is unknown.
	Partial bool     `json:"partial,omitempty"`
	Unknown []string `json:"unknown,omitempty"`
}

// Explain: One of verdict, operation and flow; flow needs persona.
type Explain struct {
	Bindings  map[string]string `json:"bindings,omitempty"`
	Facts     map[string]any    `json:"facts,omitempty"`
	Flow      string            `json:"flow,omitempty"`
	Operation string            `json:"operation,omitempty"`
	Params    map[string]any    `json:"params,omitempty"`
	Partial   bool              `json:"partial,omitempty"`
	Persona   string            `json:"persona,omitempty"`
	Unknown   []string          `json:"unknown,omitempty"`
	Verdict   string            `json:"verdict,omitempty"`
}

// Explanation: Of a verdict, an operation or a flow.
type Explanation struct {
	Because   []BecauseItem            `json:"because,omitempty"`
	Blocked   []ExplanationBlockedItem `json:"blocked,omitempty"`
	Condition *string                  `json:"condition,omitempty"`
	DependsOn []ToldVerdict            `json:"depends_on,omitempty"`
	Error     *string                  `json:"error,omitempty"`
	Flow      *string                  `json:"flow,omitempty"`
	// Facts that are unknown here because the caller may not read them.
	Hidden       []string                    `json:"hidden,omitempty"`
	Message      *string                     `json:"message,omitempty"`
	Open         *bool                       `json:"open,omitempty"`
	Operation    *string                     `json:"operation,omitempty"`
	Operations   []ExplanationOperationsItem `json:"operations,omitempty"`
	Persona      *string                     `json:"persona,omitempty"`
	Personas     []string                    `json:"personas,omitempty"`
	Precondition *string                     `json:"precondition,omitempty"`
	Present      *bool                       `json:"present,omitempty"`
	Rule         *string                     `json:"rule,omitempty"`
	Stratum      *int64                      `json:"stratum,omitempty"`
	Verdict      *string                     `json:"verdict,omitempty"`
	Why          *Why                        `json:"why,omitempty"`
}

// ExplanationBlockedItem is a type of the HTTP API.
type ExplanationBlockedItem struct {
	Because   []BecauseItem `json:"because,omitempty"`
	Entity    *string       `json:"entity,omitempty"`
	Instances *int64        `json:"instances,omitempty"`
	Message   *string       `json:"message,omitempty"`
	Operation *string       `json:"operation,omitempty"`
	State     *string       `json:"state,omitempty"`
	Type      string        `json:"type"`
	Why       *Why          `json:"why,omitempty"`
}

// ExplanationOperationsItem is a type of the HTTP API.
type ExplanationOperationsItem struct {
	Because   []BecauseItem `json:"because"`
	Operation string        `json:"operation"`
}

// Fact is a type of the HTTP API.
type Fact struct {
	Asserted *FactAsserted `json:"asserted,omitempty"`
	Default  any           `json:"default,omitempty"`
	// An adapter gets it from its source.
	Fetched bool   `json:"fetched"`
	Id      string `json:"id"`
	// Where the contract says it comes from.
	Source any    `json:"source"`
	Type   string `json:"type"`
}

// FactAnswer is a type of the HTTP API.
type FactAnswer struct {
	Contract  string   `json:"contract"`
	ExpiresAt *string  `json:"expires_at,omitempty"`
	Fact      string   `json:"fact"`
	Queued    *int64   `json:"queued,omitempty"`
	Receipt   *Receipt `json:"receipt,omitempty"`
	Record    *int64   `json:"record,omitempty"`
	Value     any      `json:"value,omitempty"`
}

// FactAsserted is a type of the HTTP API.
type FactAsserted struct {
	At        string  `json:"at"`
	By        *string `json:"by,omitempty"`
	Expired   bool    `json:"expired"`
	ExpiresAt *string `json:"expires_at,omitempty"`
	Value     any     `json:"value,omitempty"`
}

// FactFault is a type of the HTTP API.
type FactFault struct {
	Detail string `json:"detail"`
	Fact   string `json:"fact"`
	Fault  string `json:"fault"`
}

// FactList is a type of the HTTP API.
type FactList struct {
	Items []Fact `json:"items"`
}

// FalsePart is a type of the HTTP API.
type FalsePart struct {
	Condition string   `json:"condition"`
	Facts     []string `json:"facts"`
	RestsOn   []string `json:"rests_on"`
	Value     bool     `json:"value"`
	Verdicts  []string `json:"verdicts"`
}

// FieldChange is a type of the HTTP API.
type FieldChange struct {
	// Its new value.
	After any `json:"after,omitempty"`
	// Its old value.
	Before  any              `json:"before,omitempty"`
	Changes []map[string]any `json:"changes"`
	Class   string           `json:"class"`
	Field   string           `json:"field"`
}

// Flow is a type of the HTTP API.
type Flow struct {
	Bindings  map[string]string `json:"bindings"`
	Contract  string            `json:"contract"`
	Etag      string            `json:"etag"`
	Extra     map[string]any    `json:"extra,omitempty"`
	Facts     map[string]any    `json:"facts,omitempty"`
	Flow      string            `json:"flow"`
	Id        string            `json:"id"`
	Initiator string            `json:"initiator"`
	Outcome   *string           `json:"outcome,omitempty"`
	Persona   string            `json:"persona"`
	Position  map[string]any    `json:"position,omitempty"`
	Queued    *int64            `json:"queued,omitempty"`
	Receipt   *Receipt          `json:"receipt,omitempty"`
	Record    *int64            `json:"record,omitempty"`
	StartedAt string            `json:"started_at"`
	Status    string            `json:"status"`
	UpdatedAt string            `json:"updated_at"`
	Waiting   *Waiting          `json:"waiting,omitempty"`
}

// FlowAnswer: What this call did; of one that is answered again, how the execution stands by then.
type FlowAnswer struct {
	Bindings   map[string]string `json:"bindings,omitempty"`
	Changes    []Change          `json:"changes,omitempty"`
	Contract   string            `json:"contract"`
	Error      *string           `json:"error,omitempty"`
	Etag       string            `json:"etag"`
	Flow       string            `json:"flow"`
	Id         *string           `json:"id,omitempty"`
	Initiator  *string           `json:"initiator,omitempty"`
	Outcome    *string           `json:"outcome,omitempty"`
	Persona    *string           `json:"persona,omitempty"`
	Provenance []map[string]any  `json:"provenance,omitempty"`
	Queued     *int64            `json:"queued,omitempty"`
	Receipt    *Receipt          `json:"receipt,omitempty"`
	Record     *int64            `json:"record,omitempty"`
	Simulation *bool             `json:"simulation,omitempty"`
	StartedAt  *string           `json:"started_at,omitempty"`
	Status     string            `json:"status"`
	Steps      []FlowStep        `json:"steps,omitempty"`
	UpdatedAt  *string           `json:"updated_at,omitempty"`
	Waiting    *Waiting          `json:"waiting,omitempty"`
}

// FlowFate is a type of the HTTP API.
type FlowFate struct {
	Changes       []map[string]any `json:"changes,omitempty"`
	Compatibility map[string]any   `json:"compatibility,omitempty"`
	Etag          string           `json:"etag"`
	Fate          string           `json:"fate"`
	Flow          string           `json:"flow"`
	Id            string           `json:"id"`
	Policy        *string          `json:"policy,omitempty"`
}

// FlowList is a type of the HTTP API.
type FlowList struct {
	Items []Flow  `json:"items"`
	Next  *string `json:"next,omitempty"`
}

// FlowStep is a type of the HTTP API.
type FlowStep struct {
	InstanceBindings map[string]string `json:"instance_bindings,omitempty"`
	Result           string            `json:"result"`
	StepId           string            `json:"step_id"`
	StepType         string            `json:"step_type"`
}

// GraphAnswer is a type of the HTTP API.
type GraphAnswer struct {
	Capture     string                   `json:"capture"`
	Decision    string                   `json:"decision"`
	Effects     []GraphAnswerEffectsItem `json:"effects"`
	Event       string                   `json:"event"`
	Fault       *string                  `json:"fault,omitempty"`
	Graph       string                   `json:"graph"`
	Kind        string                   `json:"kind"`
	Number      int64                    `json:"number"`
	Outcomes    []map[string]any         `json:"outcomes"`
	PayloadHash string                   `json:"payload_hash"`
	Queued      *int64                   `json:"queued,omitempty"`
	Receipt     *Receipt                 `json:"receipt,omitempty"`
	Record      *int64                   `json:"record,omitempty"`
	Termination any                      `json:"termination,omitempty"`
}

// GraphAnswerEffectsItem is a type of the HTTP API.
type GraphAnswerEffectsItem struct {
	Effect map[string]any `json:"effect"`
	Hash   string         `json:"hash"`
}

// GraphContext is a type of the HTTP API.
type GraphContext struct {
	Context map[string]any `json:"context"`
	Graph   string         `json:"graph"`
}

// GraphEvent is a type of the HTTP API.
type GraphEvent struct {
	// Its time: {secs, nanos} since 1970, or RFC 3339 text with an offset.
	At   any    `json:"at,omitempty"`
	Id   string `json:"id,omitempty"`
	Kind string `json:"kind,omitempty"`
	// What the graph's context keys are read from.
	Payload      any    `json:"payload,omitempty"`
	SemanticKind string `json:"semantic_kind,omitempty"`
}

// GraphKeyList is a type of the HTTP API.
type GraphKeyList struct {
	Items []GraphKeyListItemsItem `json:"items"`
	Next  *string                 `json:"next,omitempty"`
}

// GraphKeyListItemsItem is a type of the HTTP API.
type GraphKeyListItemsItem struct {
	Capture string `json:"capture"`
	Key     string `json:"key"`
}

// GraphList is a type of the HTTP API.
type GraphList struct {
	Items []GraphListItemsItem `json:"items"`
}

// GraphListItemsItem is a type of the HTTP API.
type GraphListItemsItem struct {
	Graph             string  `json:"graph"`
	Id                string  `json:"id"`
	Primitives        *string `json:"primitives,omitempty"`
	RuntimeProvenance string  `json:"runtime_provenance"`
}

// GraphPicture is a type of the HTTP API.
type GraphPicture struct {
	Events  int64                   `json:"events"`
	Graph   string                  `json:"graph"`
	Nodes   []GraphPictureNodesItem `json:"nodes"`
	Picture map[string]any          `json:"picture,omitempty"`
	Text    *string                 `json:"text,omitempty"`
}

// GraphPictureNodesItem is a type of the HTTP API.
type GraphPictureNodesItem struct {
	Id    string `json:"id"`
	Path  string `json:"path"`
	Ran   int64  `json:"ran"`
	Spoke *int64 `json:"spoke,omitempty"`
}

// Identity: Who it was; records of before say id and name alone.
type Identity struct {
	// Absent: not known.
	Actor   *string `json:"actor,omitempty"`
	Id      string  `json:"id"`
	KnownBy *string `json:"known_by,omitempty"`
	Name    *string `json:"name,omitempty"`
}

// InclusionProof: `motet ledger verify --proof` takes it as it is.
type InclusionProof struct {
	Hashes []string       `json:"hashes"`
	Proof  string         `json:"proof"`
	Record map[string]any `json:"record"`
	Size   int64          `json:"size"`
}

// Instance is a type of the HTTP API.
type Instance struct {
	Contract      *string  `json:"contract,omitempty"`
	CreatedAt     string   `json:"created_at"`
	Deleted       *bool    `json:"deleted,omitempty"`
	Entity        string   `json:"entity"`
	Id            string   `json:"id"`
	LastFlow      *string  `json:"last_flow,omitempty"`
	LastOperation *string  `json:"last_operation,omitempty"`
	Queued        *int64   `json:"queued,omitempty"`
	Receipt       *Receipt `json:"receipt,omitempty"`
	Record        *int64   `json:"record,omitempty"`
	State         string   `json:"state"`
	UpdatedAt     string   `json:"updated_at"`
	Version       int64    `json:"version"`
}

// InstanceFate is a type of the HTTP API.
type InstanceFate struct {
	Entity string  `json:"entity"`
	Flow   *string `json:"flow,omitempty"`
	Id     string  `json:"id"`
	Moved  bool    `json:"moved"`
	State  string  `json:"state"`
	To     *string `json:"to,omitempty"`
}

// InstanceFates is a type of the HTTP API.
type InstanceFates struct {
	Items []InstanceFate `json:"items"`
	Left  int64          `json:"left"`
	Moved int64          `json:"moved"`
}

// InstanceList is a type of the HTTP API.
type InstanceList struct {
	Items []Instance `json:"items"`
	Next  *string    `json:"next,omitempty"`
}

// Letter is a type of the HTTP API.
type Letter struct {
	Attempts int64          `json:"attempts"`
	Capture  string         `json:"capture"`
	Fields   map[string]any `json:"fields"`
	Id       string         `json:"id"`
	IntentId string         `json:"intent_id"`
	Kind     string         `json:"kind"`
	Reason   string         `json:"reason"`
}

// LetterList is a type of the HTTP API.
type LetterList struct {
	Items []Letter `json:"items"`
	Next  *string  `json:"next,omitempty"`
}

// LetterSend is a type of the HTTP API.
type LetterSend struct {
	Id string `json:"id"`
}

// LetterSent is a type of the HTTP API.
type LetterSent struct {
	Graph    string   `json:"graph"`
	Id       string   `json:"id"`
	IntentId string   `json:"intent_id"`
	Queued   *int64   `json:"queued,omitempty"`
	Receipt  *Receipt `json:"receipt,omitempty"`
	Record   *int64   `json:"record,omitempty"`
	Status   string   `json:"status"`
}

// Manifest is a type of the HTTP API.
type Manifest struct {
	Bundle       map[string]any `json:"bundle"`
	Capabilities map[string]any `json:"capabilities,omitempty"`
	Etag         string         `json:"etag"`
	Tenor        string         `json:"tenor"`
	Trust        map[string]any `json:"trust,omitempty"`
}

// Migration is a type of the HTTP API.
type Migration struct {
	Contract      string                   `json:"contract"`
	Etag          string                   `json:"etag"`
	Flows         []MigrationFlowsItem     `json:"flows"`
	FlowsLeft     int64                    `json:"flows_left"`
	From          *string                  `json:"from,omitempty"`
	Instances     []MigrationInstancesItem `json:"instances"`
	InstancesLeft int64                    `json:"instances_left"`
	Policy        any                      `json:"policy,omitempty"`
	StateMap      map[string]any           `json:"state_map,omitempty"`
	Status        string                   `json:"status"`
}

// MigrationAnswer is a type of the HTTP API.
type MigrationAnswer struct {
	Contract   string           `json:"contract"`
	Etag       string           `json:"etag"`
	Fates      map[string]int64 `json:"fates,omitempty"`
	Flows      []FlowFate       `json:"flows,omitempty"`
	Instances  *InstanceFates   `json:"instances,omitempty"`
	Queued     *int64           `json:"queued,omitempty"`
	Receipt    *Receipt         `json:"receipt,omitempty"`
	Record     *int64           `json:"record,omitempty"`
	Simulation *bool            `json:"simulation,omitempty"`
	Status     string           `json:"status"`
}

// MigrationFlowsItem is a type of the HTTP API.
type MigrationFlowsItem struct {
	Etag   string `json:"etag"`
	Flow   string `json:"flow"`
	Id     string `json:"id"`
	Status string `json:"status"`
}

// MigrationInstancesItem is a type of the HTTP API.
type MigrationInstancesItem struct {
	Entity string `json:"entity"`
	Id     string `json:"id"`
	State  string `json:"state"`
}

// Operate is a type of the HTTP API.
type Operate struct {
	Bindings         map[string]string `json:"bindings,omitempty"`
	DryRun           bool              `json:"dry_run,omitempty"`
	ExpectedVersions map[string]int64  `json:"expected_versions,omitempty"`
	Facts            map[string]any    `json:"facts,omitempty"`
	Outcome          string            `json:"outcome,omitempty"`
	Params           map[string]any    `json:"params,omitempty"`
	Persona          string            `json:"persona"`
	Receipt          bool              `json:"receipt,omitempty"`
}

// OperationAnswer is a type of the HTTP API.
type OperationAnswer struct {
	Changes    []Change            `json:"changes"`
	Contract   string              `json:"contract"`
	Etag       string              `json:"etag"`
	Operation  string              `json:"operation"`
	Outcome    string              `json:"outcome"`
	Persona    string              `json:"persona"`
	Provenance OperationProvenance `json:"provenance"`
	Queued     *int64              `json:"queued,omitempty"`
	Receipt    *Receipt            `json:"receipt,omitempty"`
	Record     *int64              `json:"record,omitempty"`
	Simulation *bool               `json:"simulation,omitempty"`
	Versions   map[string]int64    `json:"versions"`
}

// OperationProvenance: §9.5 of the Tenor specification.
type OperationProvenance struct {
	FactsUsed       []string                     `json:"facts_used"`
	InstanceBinding map[string]string            `json:"instance_binding"`
	Kind            string                       `json:"kind"`
	Op              string                       `json:"op"`
	Outcome         string                       `json:"outcome"`
	Persona         string                       `json:"persona"`
	Simulation      *bool                        `json:"simulation,omitempty"`
	StateAfter      map[string]map[string]string `json:"state_after"`
	StateBefore     map[string]map[string]string `json:"state_before"`
	VerdictsUsed    []string                     `json:"verdicts_used"`
}

// Partial: What is left to decide where facts are unknown.
type Partial struct {
	Contract string `json:"contract"`
	Etag     string `json:"etag"`
	// Facts that are unknown here because the caller may not read them.
	Hidden     []string           `json:"hidden,omitempty"`
	Operations []PartialOperation `json:"operations"`
	Unknown    []string           `json:"unknown"`
	Verdicts   []PartialVerdict   `json:"verdicts"`
}

// PartialActions is a type of the HTTP API.
type PartialActions struct {
	Flows     []PartialActionsFlowsItem `json:"flows"`
	PersonaId string                    `json:"persona_id"`
	Unknown   []string                  `json:"unknown"`
}

// PartialActionsFlowsItem is a type of the HTTP API.
type PartialActionsFlowsItem struct {
	Blocked    []map[string]any `json:"blocked,omitempty"`
	Condition  *string          `json:"condition,omitempty"`
	Facts      []string         `json:"facts,omitempty"`
	Flow       string           `json:"flow"`
	Operations []string         `json:"operations,omitempty"`
	State      string           `json:"state"`
}

// PartialOperation is a type of the HTTP API.
type PartialOperation struct {
	Condition    *string  `json:"condition,omitempty"`
	Error        *string  `json:"error,omitempty"`
	Facts        []string `json:"facts,omitempty"`
	Operation    string   `json:"operation"`
	Precondition string   `json:"precondition"`
}

// PartialVerdict: A verdict where facts are unknown.
type PartialVerdict struct {
	// What it depends on.
	Condition   *string        `json:"condition,omitempty"`
	Facts       []string       `json:"facts,omitempty"`
	Payload     map[string]any `json:"payload,omitempty"`
	PayloadTerm *string        `json:"payload_term,omitempty"`
	Rule        string         `json:"rule"`
	State       string         `json:"state"`
	Stratum     int64          `json:"stratum"`
	Type        string         `json:"type"`
}

// ProblemDocument: RFC 9457. Programs look at code, which is stable.
type ProblemDocument struct {
	Class       *string          `json:"class,omitempty"`
	Code        string           `json:"code"`
	Contract    *string          `json:"contract,omitempty"`
	Detail      *string          `json:"detail,omitempty"`
	Diagnostics []Diagnostic     `json:"diagnostics,omitempty"`
	Diff        *Diff            `json:"diff,omitempty"`
	Entity      *string          `json:"entity,omitempty"`
	Execution   *string          `json:"execution,omitempty"`
	Expected    any              `json:"expected,omitempty"`
	Fact        *string          `json:"fact,omitempty"`
	Fates       map[string]int64 `json:"fates,omitempty"`
	Fault       *string          `json:"fault,omitempty"`
	Flow        *string          `json:"flow,omitempty"`
	Flows       []any            `json:"flows,omitempty"`
	From        *string          `json:"from,omitempty"`
	Further     []FactFault      `json:"further,omitempty"`
	Instance    *string          `json:"instance,omitempty"`
	Instances   *InstanceFates   `json:"instances,omitempty"`
	Invariants  []map[string]any `json:"invariants,omitempty"`
	// The rights that are missing, as they would be granted.
	Needs     []string `json:"needs,omitempty"`
	Operation *string  `json:"operation,omitempty"`
	// What the caller did as another persona.
	Other      *ProblemOther `json:"other,omitempty"`
	Outcomes   []string      `json:"outcomes,omitempty"`
	Persona    *string       `json:"persona,omitempty"`
	Queued     *int64        `json:"queued,omitempty"`
	Reason     *string       `json:"reason,omitempty"`
	Reasons    []FalsePart   `json:"reasons,omitempty"`
	Receipt    *Receipt      `json:"receipt,omitempty"`
	Record     *int64        `json:"record,omitempty"`
	RequestId  *string       `json:"request_id,omitempty"`
	Rule       *string       `json:"rule,omitempty"`
	Simulation *bool         `json:"simulation,omitempty"`
	State      *string       `json:"state,omitempty"`
	Status     int64         `json:"status"`
	Step       *string       `json:"step,omitempty"`
	Title      string        `json:"title"`
	Type       string        `json:"type"`
	Undeclared *bool         `json:"undeclared,omitempty"`
	Version    *int64        `json:"version,omitempty"`
}

// ProblemOther: What the caller did as another persona.
type ProblemOther struct {
	Persona string `json:"persona"`
	Queued  *int64 `json:"queued,omitempty"`
	Record  *int64 `json:"record,omitempty"`
}

// Question is a type of the HTTP API.
type Question struct {
	Action   QuestionAction `json:"action"`
	Context  map[string]any `json:"context,omitempty"`
	Resource QuestionThing  `json:"resource"`
	Subject  QuestionThing  `json:"subject"`
}

// QuestionAction is a type of the HTTP API.
type QuestionAction struct {
	// Of an operation, a flow or a verdict.
	Name string `json:"name"`
	// Members with the name of a fact are that fact.
	Properties map[string]any `json:"properties,omitempty"`
}

// QuestionThing is a type of the HTTP API.
type QuestionThing struct {
	Id string `json:"id"`
	// Members with the name of a fact are that fact.
	Properties map[string]any `json:"properties,omitempty"`
	Type       string         `json:"type"`
}

// Reason: A smallest set of parts that decides, whatever the others are.
type Reason struct {
	Parts   []ReasonPartsItem `json:"parts"`
	RestsOn []string          `json:"rests_on"`
}

// ReasonPartsItem is a type of the HTTP API.
type ReasonPartsItem struct {
	Condition string         `json:"condition"`
	Facts     map[string]any `json:"facts"`
	Value     bool           `json:"value"`
}

// Receipt: Signed by the server; `motet receipt verify` checks it offline. With checkpoint and hashes it is complete.
type Receipt struct {
	Checkpoint map[string]any `json:"checkpoint,omitempty"`
	Hashes     []string       `json:"hashes,omitempty"`
	Key        string         `json:"key"`
	Origin     *string        `json:"origin,omitempty"`
	Promise    ReceiptPromise `json:"promise"`
	Signature  string         `json:"signature"`
	Witnesses  []string       `json:"witnesses,omitempty"`
}

// ReceiptPromise is a type of the HTTP API.
type ReceiptPromise struct {
	Decision map[string]any `json:"decision"`
	Domain   string         `json:"domain"`
	Hash     string         `json:"hash"`
	Ledger   string         `json:"ledger"`
	Origin   *string        `json:"origin,omitempty"`
	Record   int64          `json:"record"`
}

// Record is a type of the HTTP API.
type Record struct {
	Body   *RecordBody `json:"body,omitempty"`
	Hash   *string     `json:"hash,omitempty"`
	Queued *int64      `json:"queued,omitempty"`
	// Its place in the chain; absent until it is chained.
	Seq *int64 `json:"seq,omitempty"`
}

// RecordBody: By kind; docs/internals/executor.md lists the members.
type RecordBody struct {
	Caller      *Identity `json:"caller,omitempty"`
	Contract    *string   `json:"contract,omitempty"`
	Etag        *string   `json:"etag,omitempty"`
	Kind        string    `json:"kind"`
	Time        string    `json:"time"`
	TrustDomain *string   `json:"trust_domain,omitempty"`
}

// RecordList is a type of the HTTP API.
type RecordList struct {
	Items []Record `json:"items"`
	Next  *string  `json:"next,omitempty"`
}

// Remedy: These facts would have to change, all others staying as they are.
type Remedy struct {
	// It comes out otherwise exactly while this holds.
	Condition string   `json:"condition"`
	Facts     []string `json:"facts"`
}

// ResourceMetadata is a type of the HTTP API.
type ResourceMetadata struct {
	AuthorizationServers   []string `json:"authorization_servers"`
	BearerMethodsSupported []string `json:"bearer_methods_supported,omitempty"`
	Resource               string   `json:"resource"`
}

// Resume is a type of the HTTP API.
type Resume struct {
	DryRun  bool   `json:"dry_run,omitempty"`
	Outcome any    `json:"outcome,omitempty"`
	Persona string `json:"persona,omitempty"`
	Receipt bool   `json:"receipt,omitempty"`
}

// SearchAction is a type of the HTTP API.
type SearchAction struct {
	Context  map[string]any `json:"context,omitempty"`
	Page     map[string]any `json:"page,omitempty"`
	Resource QuestionThing  `json:"resource"`
	Subject  QuestionThing  `json:"subject"`
}

// SearchResource is a type of the HTTP API.
type SearchResource struct {
	Action   SearchResourceAction   `json:"action"`
	Context  map[string]any         `json:"context,omitempty"`
	Page     map[string]any         `json:"page,omitempty"`
	Resource SearchResourceResource `json:"resource"`
	Subject  QuestionThing          `json:"subject"`
}

// SearchResourceAction is a type of the HTTP API.
type SearchResourceAction struct {
	// Of an operation, a flow or a verdict.
	Name string `json:"name"`
	// Members with the name of a fact are that fact.
	Properties map[string]any `json:"properties,omitempty"`
}

// SearchResourceResource is a type of the HTTP API.
type SearchResourceResource struct {
	Id string `json:"id,omitempty"`
	// Members with the name of a fact are that fact.
	Properties map[string]any `json:"properties,omitempty"`
	Type       string         `json:"type"`
}

// SearchResults is a type of the HTTP API.
type SearchResults struct {
	Page    *SearchResultsPage         `json:"page,omitempty"`
	Results []SearchResultsResultsItem `json:"results"`
}

// SearchResultsPage is a type of the HTTP API.
type SearchResultsPage struct {
	NextToken string `json:"next_token"`
}

// SearchResultsResultsItem is a type of the HTTP API.
type SearchResultsResultsItem struct {
	Id   *string `json:"id,omitempty"`
	Name *string `json:"name,omitempty"`
	Type *string `json:"type,omitempty"`
}

// SearchSubject is a type of the HTTP API.
type SearchSubject struct {
	Action   SearchSubjectAction  `json:"action"`
	Context  map[string]any       `json:"context,omitempty"`
	Page     map[string]any       `json:"page,omitempty"`
	Resource QuestionThing        `json:"resource"`
	Subject  SearchSubjectSubject `json:"subject"`
}

// SearchSubjectAction is a type of the HTTP API.
type SearchSubjectAction struct {
	// Of an operation, a flow or a verdict.
	Name string `json:"name"`
	// Members with the name of a fact are that fact.
	Properties map[string]any `json:"properties,omitempty"`
}

// SearchSubjectSubject is a type of the HTTP API.
type SearchSubjectSubject struct {
	Id string `json:"id,omitempty"`
	// Members with the name of a fact are that fact.
	Properties map[string]any `json:"properties,omitempty"`
	Type       string         `json:"type"`
}

// Session is a type of the HTTP API.
type Session struct {
	Actor string `json:"actor"`
	// What writes of this browser's session have to show.
	Csrf     *string  `json:"csrf,omitempty"`
	Id       string   `json:"id"`
	KnownBy  string   `json:"known_by"`
	Name     string   `json:"name"`
	Personas []string `json:"personas"`
	Rights   []string `json:"rights"`
}

// Start is a type of the HTTP API.
type Start struct {
	Bindings         map[string]string `json:"bindings,omitempty"`
	DryRun           bool              `json:"dry_run,omitempty"`
	ExpectedVersions map[string]int64  `json:"expected_versions,omitempty"`
	Facts            map[string]any    `json:"facts,omitempty"`
	Outcome          any               `json:"outcome,omitempty"`
	Params           map[string]any    `json:"params,omitempty"`
	Persona          string            `json:"persona"`
	Receipt          bool              `json:"receipt,omitempty"`
}

// StateCounts: How many instances are in each state.
type StateCounts struct {
	Contract string                 `json:"contract"`
	Items    []StateCountsItemsItem `json:"items"`
	// True: so many instances that not all were counted.
	More *bool `json:"more,omitempty"`
}

// StateCountsItemsItem is a type of the HTTP API.
type StateCountsItemsItem struct {
	Count  int64  `json:"count"`
	Entity string `json:"entity"`
	State  string `json:"state"`
}

// Status is a type of the HTTP API.
type Status struct {
	Reason *string `json:"reason,omitempty"`
	Status string  `json:"status"`
}

// System is a type of the HTTP API.
type System struct {
	Bundle map[string]any `json:"bundle"`
	Id     string         `json:"id"`
}

// SystemList is a type of the HTTP API.
type SystemList struct {
	Items []SystemListItemsItem `json:"items"`
}

// SystemListItemsItem is a type of the HTTP API.
type SystemListItemsItem struct {
	Id      string           `json:"id"`
	Members []map[string]any `json:"members"`
}

// ToldVerdict is a type of the HTTP API.
type ToldVerdict struct {
	Because   []BecauseItem `json:"because,omitempty"`
	Condition *string       `json:"condition,omitempty"`
	DependsOn []ToldVerdict `json:"depends_on,omitempty"`
	Present   *bool         `json:"present,omitempty"`
	Rule      string        `json:"rule"`
	Stratum   int64         `json:"stratum"`
	Verdict   string        `json:"verdict"`
}

// Tree: A condition and its parts, down to facts.
type Tree struct {
	Condition string `json:"condition"`
	Of        string `json:"of"`
	Parts     []Tree `json:"parts,omitempty"`
	// Absent: it has no value.
	Value   *bool   `json:"value,omitempty"`
	Verdict *string `json:"verdict,omitempty"`
}

// Trigger is a type of the HTTP API.
type Trigger struct {
	Attempts        int64  `json:"attempts"`
	Id              string `json:"id"`
	SourceContract  string `json:"source_contract"`
	SourceExecution string `json:"source_execution"`
	SourceFlow      string `json:"source_flow"`
	Status          string `json:"status"`
	TargetContract  string `json:"target_contract"`
	TargetFlow      string `json:"target_flow"`
}

// TriggerList is a type of the HTTP API.
type TriggerList struct {
	Items []Trigger `json:"items"`
	Next  *string   `json:"next,omitempty"`
}

// Verdict is a type of the HTTP API.
type Verdict struct {
	Payload    map[string]any    `json:"payload"`
	Provenance VerdictProvenance `json:"provenance"`
	// The verdict's name.
	Type string `json:"type"`
}

// VerdictProvenance is a type of the HTTP API.
type VerdictProvenance struct {
	FactsUsed    []string `json:"facts_used"`
	Rule         string   `json:"rule"`
	Stratum      int64    `json:"stratum"`
	VerdictsUsed []string `json:"verdicts_used"`
}

// Version is a type of the HTTP API.
type Version struct {
	Current    bool   `json:"current"`
	DeployedAt string `json:"deployed_at"`
	Etag       string `json:"etag"`
	Version    int64  `json:"version"`
}

// VersionList is a type of the HTTP API.
type VersionList struct {
	Items []Version `json:"items"`
	Next  *string   `json:"next,omitempty"`
}

// Waiting: While status is waiting: who is to resume it, and at an operation which outcomes can be named.
type Waiting struct {
	Operation *string  `json:"operation,omitempty"`
	Outcomes  []string `json:"outcomes,omitempty"`
	Persona   string   `json:"persona"`
	Step      string   `json:"step"`
}

// WholeActions is a type of the HTTP API.
type WholeActions struct {
	Actions         []Action                         `json:"actions"`
	BlockedActions  []WholeActionsBlockedActionsItem `json:"blocked_actions"`
	CurrentVerdicts []map[string]any                 `json:"current_verdicts"`
	PersonaId       string                           `json:"persona_id"`
}

// WholeActionsBlockedActionsItem is a type of the HTTP API.
type WholeActionsBlockedActionsItem struct {
	FlowId           string              `json:"flow_id"`
	InstanceBindings map[string][]string `json:"instance_bindings"`
	Reason           BlockReason         `json:"reason"`
}

// WholeEvaluation is a type of the HTTP API.
type WholeEvaluation struct {
	Contract string    `json:"contract"`
	Etag     string    `json:"etag"`
	Verdicts []Verdict `json:"verdicts"`
}

// Why: Everything there is to say about the condition.
type Why struct {
	// What would have to change for it to come out otherwise.
	Changes []Remedy `json:"changes"`
	// Every smallest reason.
	Reasons []Reason `json:"reasons"`
	// There are more than are shown.
	ReasonsLeftOut *bool `json:"reasons_left_out,omitempty"`
	Tree           Tree  `json:"tree"`
}

// Actions: The second form if `partial` or `unknown` was given.
type Actions struct {
	Actions         []Action                         `json:"actions,omitempty"`
	BlockedActions  []WholeActionsBlockedActionsItem `json:"blocked_actions,omitempty"`
	CurrentVerdicts []map[string]any                 `json:"current_verdicts,omitempty"`
	Flows           []PartialActionsFlowsItem        `json:"flows,omitempty"`
	PersonaId       string                           `json:"persona_id"`
	Unknown         []string                         `json:"unknown,omitempty"`
}

// Decisions is a type of the HTTP API.
type Decisions struct {
	Context     *DecisionContext `json:"context,omitempty"`
	Decision    *bool            `json:"decision,omitempty"`
	Evaluations []Decision       `json:"evaluations,omitempty"`
}

// Evaluation: The second form if `partial` or `unknown` was given, or the caller may not read all facts.
type Evaluation struct {
	Contract string `json:"contract"`
	Etag     string `json:"etag"`
	// Facts that are unknown here because the caller may not read them.
	Hidden     []string                 `json:"hidden,omitempty"`
	Operations []PartialOperation       `json:"operations,omitempty"`
	Unknown    []string                 `json:"unknown,omitempty"`
	Verdicts   []EvaluationVerdictsItem `json:"verdicts"`
}

// EvaluationVerdictsItem is a type of the HTTP API.
type EvaluationVerdictsItem struct {
	// What it depends on.
	Condition   *string            `json:"condition,omitempty"`
	Facts       []string           `json:"facts,omitempty"`
	Payload     map[string]any     `json:"payload,omitempty"`
	PayloadTerm *string            `json:"payload_term,omitempty"`
	Provenance  *VerdictProvenance `json:"provenance,omitempty"`
	Rule        *string            `json:"rule,omitempty"`
	State       *string            `json:"state,omitempty"`
	Stratum     *int64             `json:"stratum,omitempty"`
	// The verdict's name.
	Type string `json:"type"`
}
