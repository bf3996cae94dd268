package motet

import "fmt"

// Every error of a call is one of these, found with errors.As:
//
//	*UsageError      the call itself is wrong; nothing was sent
//	*Problem         the server says no (RFC 9457)
//	*TransportError  there is no answer to go by; Kind says why
//
// and ctx.Err() when the context ended the call.

// UsageError says that the call itself is wrong; nothing was sent.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return "motet: " + e.Message }

// Problem says that the server says no. Code is stable; Members has all of it. (The
// schema of the same name is ProblemDocument.)
type Problem struct {
	Status                                    int
	Code, Type, Title, Detail, Instance, Path string
	Members                                   map[string]any
	RequestID                                 string
	RetryAfter                                int // seconds; 0: the server asks for none
	Request                                   string
	Attempts                                  int
}

// Kind is stable and for programs: the code, or http_STATUS.
func (e *Problem) Kind() string {
	if e.Code != "" {
		return e.Code
	}
	return fmt.Sprintf("http_%d", e.Status)
}

func (e *Problem) Error() string {
	said := e.Detail
	if said == "" {
		said = e.Title
	}
	if said == "" {
		said = "the server gives no reason"
	}
	if e.Code != "" {
		return fmt.Sprintf("%d %s: %s", e.Status, e.Code, said)
	}
	return fmt.Sprintf("%d: %s", e.Status, said)
}

// TransportKind says why there is no answer to go by.
type TransportKind string

const (
	ConnectionFailed TransportKind = "ConnectionFailed" // refused, reset, or closed before the answer
	TimedOut         TransportKind = "TimedOut"         // no whole answer in time
	BadAnswer        TransportKind = "BadAnswer"        // what came is not an answer of this API
	Redirected       TransportKind = "Redirected"       // redirects are not followed: a token would go elsewhere
)

// TransportError says that there is no answer to go by. Whether a write was done is not
// known without its key.
type TransportError struct {
	Kind     TransportKind
	Message  string
	Request  string
	Attempts int
}

func (e *TransportError) Error() string { return e.Message }

func bad(format string, values ...any) *TransportError {
	return &TransportError{Kind: BadAnswer, Message: fmt.Sprintf(format, values...)}
}
