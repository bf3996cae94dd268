" Colours without a server; with one, its own are better.
if exists('b:current_syntax')
  finish
endif
syntax keyword tenorConstruct import type fact source entity rule operation persona flow system
syntax keyword tenorField states initial transitions parent stratum when produce payload allowed_personas
syntax keyword tenorField personas precondition require effects error_contract outcomes snapshot entry steps
syntax keyword tenorField op persona on_failure condition if_true if_false from_persona to_persona next
syntax keyword tenorField on_success branches join members shared_personas shared_entities triggers default
syntax keyword tenorLogic and or not forall exists in present len verdict_present verdict true false
syntax keyword tenorType Bool Int Decimal Text Date DateTime Money Duration Enum Record List TaggedUnion
syntax keyword tenorStep OperationStep BranchStep HandoffStep SubFlowStep ParallelStep Terminal Terminate Compensate Escalate
syntax region tenorString start=/"/ skip=/\\./ end=/"/
syntax match tenorNumber /\<\d\+\(\.\d\+\)\?\>/
syntax match tenorComment /\/\/.*$/
syntax region tenorComment start=/\/\*/ end=/\*\//
highlight default link tenorConstruct Keyword
highlight default link tenorField Identifier
highlight default link tenorLogic Operator
highlight default link tenorType Type
highlight default link tenorStep Function
highlight default link tenorString String
highlight default link tenorNumber Number
highlight default link tenorComment Comment
let b:current_syntax = 'tenor'
