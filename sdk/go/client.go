// Package motet is a client of `motet serve`.
//
//	client, err := motet.New("http://127.0.0.1:8440", motet.Settings{Token: token})
//	done, err := client.Operate(ctx, "escrow", "release_escrow", motet.Operate{
//		Persona: "escrow_agent", Bindings: map[string]string{"EscrowAccount": "acc-1"}, Receipt: true})
//
// A method for each route is in routes.go, its types in types.go; this is how they are
// sent, tried again and read. A Client may be shared by goroutines.
//
// A write carries an Idempotency-Key, made once per call, so that trying again cannot do
// it twice. A write without one (Settings.NoKeys) is sent once, whatever happens.
package motet

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Settings say how a client calls. What is zero is as the comment says.
type Settings struct {
	Token      string
	Timeout    time.Duration     // for one attempt as a whole (30 s)
	Attempts   int               // how often a call is tried at most (4)
	Pause      time.Duration     // before the second attempt (100 ms); it doubles
	PauseMost  time.Duration     // up to this (5 s)
	NoKeys     bool              // writes carry only keys that are given, and are not tried again without
	AnswerMost int64             // bytes of an answer (256 MiB)
	Header     map[string]string // sent with every request
	Transport  http.RoundTripper // a copy of http.DefaultTransport
}

// CallOption changes one call.
type CallOption func(*callOptions)

type callOptions struct {
	key      *string
	timeout  time.Duration
	attempts int
	header   map[string]string
	raw      *json.RawMessage
}

// IdempotencyKey is sent instead of one that is made for the call.
func IdempotencyKey(key string) CallOption { return func(o *callOptions) { o.key = &key } }

// Timeout is for one attempt as a whole.
func Timeout(d time.Duration) CallOption { return func(o *callOptions) { o.timeout = d } }

// Attempts is how often the call is tried at most.
func Attempts(n int) CallOption { return func(o *callOptions) { o.attempts = n } }

// Traceparent passes the trace on (W3C); state may be empty.
func Traceparent(parent, state string) CallOption {
	return func(o *callOptions) {
		o.header["Traceparent"] = parent
		if state != "" {
			o.header["Tracestate"] = state
		}
	}
}

// Header is sent with the request.
func Header(name, value string) CallOption { return func(o *callOptions) { o.header[name] = value } }

// Raw keeps the bytes of the answer, too.
func Raw(into *json.RawMessage) CallOption { return func(o *callOptions) { o.raw = into } }

// Client calls one server.
type Client struct {
	base     string
	settings Settings
	http     *http.Client
	once     *http.Client // for what must not be sent twice: never on a connection that waited
}

type route struct {
	method, path        string
	writes, lines, text bool
}

// New makes a client; nothing is sent.
func New(server string, settings Settings) (*Client, error) {
	parts, err := url.Parse(server)
	if err != nil || (parts.Scheme != "http" && parts.Scheme != "https") || parts.Host == "" {
		return nil, &UsageError{fmt.Sprintf("'%s' is not an http or https URL", server)}
	}
	if parts.User != nil || parts.RawQuery != "" || parts.Fragment != "" {
		return nil, &UsageError{"the URL of a server has no user, query or fragment"}
	}
	if settings.Attempts < 0 || settings.Timeout < 0 || settings.Pause < 0 || settings.AnswerMost < 0 {
		return nil, &UsageError{"attempts and timeout are not negative"}
	}
	fill(&settings)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	transport, fresh := settings.Transport, settings.Transport
	if transport == nil {
		transport = http.DefaultTransport.(*http.Transport).Clone() // connections of its own
	}
	if known, ok := transport.(*http.Transport); ok {
		single := known.Clone()
		single.DisableKeepAlives = true
		fresh = single
	}
	return &Client{strings.TrimRight(server, "/"), settings, &http.Client{Transport: transport, CheckRedirect: stay},
		&http.Client{Transport: fresh, CheckRedirect: stay}}, nil
}

// Close closes the connections that wait; the client can be used again.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	c.once.CloseIdleConnections()
}

func fill(s *Settings) {
	if s.Timeout == 0 {
		s.Timeout = 30 * time.Second
	}
	if s.Attempts == 0 {
		s.Attempts = 4
	}
	if s.Pause == 0 {
		s.Pause = 100 * time.Millisecond
	}
	if s.PauseMost == 0 {
		s.PauseMost = 5 * time.Second
	}
	if s.AnswerMost == 0 {
		s.AnswerMost = 256 << 20
	}
}

// A request that is ready to be sent, as often as need be.
type request struct {
	method, target string
	header         map[string]string
	body           []byte
	repeatable     bool
	timeout        time.Duration
	attempts       int
}

var (
	printable = regexp.MustCompile(`^[\x20-\x7e]*$`)
	token     = regexp.MustCompile("^[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$")
	keyForm   = regexp.MustCompile(`^[\x21-\x7e]{1,255}$`)
	place     = regexp.MustCompile(`{\w+}`)
)

// segment is one segment of a path; dots that would mean "here" and "above" are escaped, too.
func segment(name string) (string, error) {
	if name == "" {
		return "", &UsageError{"a name in a path is text that is not empty"}
	}
	var out strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' ||
			c == '~' || c == '.' && name != "." && name != ".."
		if plain {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String(), nil
}

func target(r route, places []string, query url.Values) (string, error) {
	var fault error
	next := 0
	path := place.ReplaceAllStringFunc(r.path, func(string) string {
		text, err := segment(places[next])
		next++
		if err != nil {
			fault = err
		}
		return text
	})
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path, fault
}

func encode(r route, body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	var out bytes.Buffer
	writer := json.NewEncoder(&out)
	writer.SetEscapeHTML(false)
	err := eachLine(r, body, func(value any) error { return writer.Encode(value) })
	if err != nil {
		return nil, &UsageError{"the body is not JSON: " + err.Error()}
	}
	if r.lines {
		return out.Bytes(), nil
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// eachLine visits the body, or each of its items where a route takes lines.
func eachLine(r route, body any, visit func(any) error) error {
	if !r.lines {
		return visit(body)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	var lines []json.RawMessage
	if err := json.Unmarshal(raw, &lines); err != nil {
		return err
	}
	for _, line := range lines {
		if err := visit(line); err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) key(r route, o *callOptions) (string, error) {
	if !r.writes || o.key == nil && c.settings.NoKeys {
		return "", nil
	}
	if o.key != nil {
		if !keyForm.MatchString(*o.key) {
			return "", &UsageError{"an Idempotency-Key has 1 to 255 printable ASCII characters and no space"}
		}
		return *o.key, nil
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	return hex.EncodeToString(random), nil
}

func (c *Client) request(r route, places []string, query url.Values, body any, o *callOptions) (*request, error) {
	path, err := target(r, places, query)
	if err != nil {
		return nil, err
	}
	data, err := encode(r, body)
	if err != nil {
		return nil, err
	}
	key, err := c.key(r, o)
	if err != nil {
		return nil, err
	}
	header := map[string]string{"Accept": "application/json, application/problem+json, */*;q=0.5", "User-Agent": "motet-go/0.1.0"}
	for _, more := range []map[string]string{c.settings.Header, o.header} {
		for name, value := range more {
			if !token.MatchString(name) || !printable.MatchString(value) {
				return nil, &UsageError{fmt.Sprintf("the header '%s' is not one line of printable ASCII", name)}
			}
			header[http.CanonicalHeaderKey(name)] = value
		}
	}
	if c.settings.Token != "" {
		if !printable.MatchString(c.settings.Token) {
			return nil, &UsageError{"the token is not one line of printable ASCII"}
		}
		header["Authorization"] = "Bearer " + c.settings.Token
	}
	if key != "" {
		header["Idempotency-Key"] = key
	}
	if data != nil {
		header["Content-Type"] = "application/json"
		if r.lines {
			header["Content-Type"] = "application/jsonl"
		}
	}
	timeout, attempts := o.timeout, o.attempts
	if timeout == 0 {
		timeout = c.settings.Timeout
	}
	if attempts == 0 {
		attempts = c.settings.Attempts
	}
	if timeout < 0 || attempts < 0 {
		return nil, &UsageError{"attempts and timeout are not negative"}
	}
	return &request{r.method, path, header, data, !r.writes || key != "", timeout, attempts}, nil
}

// Sends it once. The body of the answer is the caller's to close; `cancel` ends it.
func (c *Client) send(ctx context.Context, q *request) (*http.Response, error) {
	var body io.Reader
	if q.body != nil {
		body = bytes.NewReader(q.body)
	}
	out, err := http.NewRequestWithContext(ctx, q.method, c.base+q.target, body)
	if err != nil {
		return nil, &UsageError{err.Error()}
	}
	for name, value := range q.header {
		out.Header[name] = []string{value}
	}
	if !q.repeatable {
		out.GetBody = nil
		return c.once.Do(out)
	}
	if q.header["Idempotency-Key"] == "" {
		out.Header["Idempotency-Key"] = []string{} // not sent; says that it may be sent again
	}
	return c.http.Do(out)
}

// One attempt: the whole answer.
func (c *Client) exchange(ctx context.Context, q *request) (*http.Response, []byte, error) {
	inner, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	response, err := c.send(inner, q)
	if err != nil {
		return nil, nil, faultOf(ctx, inner, err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, c.settings.AnswerMost+1))
	if err != nil {
		return nil, nil, faultOf(ctx, inner, err)
	}
	if int64(len(data)) > c.settings.AnswerMost {
		return nil, nil, bad("the answer is too long")
	}
	return response, data, nil
}

// What a failed exchange means. `outer` is the caller's, `inner` has our deadline.
func faultOf(outer, inner context.Context, err error) error {
	var usage *UsageError
	if outer.Err() != nil {
		return outer.Err()
	}
	if errors.As(err, &usage) {
		return err
	}
	if inner.Err() != nil {
		return &TransportError{Kind: TimedOut, Message: "there was no whole answer in time"}
	}
	if isBroken(err) {
		return &TransportError{Kind: ConnectionFailed, Message: "the connection failed: " + err.Error()}
	}
	return bad("what came is not HTTP: %s", err)
}

// isBroken: the connection failed, and not what came over it. The library tells some of
// these by text only.
func isBroken(err error) bool {
	var operation *net.OpError
	if errors.As(err, &operation) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	said := err.Error()
	for _, words := range []string{"connection reset", "broken pipe", "server closed idle connection", "connection refused", "EOF"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

func options(given []CallOption) *callOptions {
	o := &callOptions{header: map[string]string{}}
	for _, option := range given {
		option(o)
	}
	return o
}

func (c *Client) call(ctx context.Context, r route, places []string, query url.Values, body, answer any, given []CallOption) error {
	o := options(given)
	q, err := c.request(r, places, query, body, o)
	if err != nil {
		return err
	}
	for made := 1; ; made++ {
		err = c.attempt(ctx, r, q, answer, o)
		if err == nil {
			return nil
		}
		mark(err, q.method+" "+q.target, made)
		if made >= q.attempts || !q.repeatable || !passes(err) {
			return err
		}
		if err := rest(ctx, c.pause(made, err)); err != nil {
			return err
		}
	}
}

func (c *Client) attempt(ctx context.Context, r route, q *request, answer any, o *callOptions) error {
	response, data, err := c.exchange(ctx, q)
	if err != nil {
		return err
	}
	if err := refusal(response, data); err != nil {
		return err
	}
	if o.raw != nil {
		*o.raw = append((*o.raw)[:0], data...)
	}
	return decode(r, response, data, answer)
}

// refusal is what an answer says that is not an answer.
func refusal(response *http.Response, data []byte) error {
	if response.StatusCode >= 300 && response.StatusCode < 400 && response.StatusCode != 304 {
		return &TransportError{Kind: Redirected, Message: fmt.Sprintf("the server points to '%s'", response.Header.Get("Location"))}
	}
	if response.StatusCode >= 400 {
		return problem(response, data)
	}
	if response.StatusCode == 304 || len(data) == 0 {
		return bad("the answer %d has no body", response.StatusCode)
	}
	return nil
}

func decode(r route, response *http.Response, data []byte, answer any) error {
	if r.text {
		*answer.(*string) = string(data)
		return nil
	}
	kind := strings.ToLower(strings.TrimSpace(strings.Split(response.Header.Get("Content-Type"), ";")[0]))
	if kind != "application/json" && kind != "application/jsonl" && kind != "application/problem+json" {
		return bad("the answer is %s, not JSON", orText(kind, "of no type"))
	}
	if r.lines {
		lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
		data = append(append([]byte("["), bytes.Join(lines, []byte(","))...), ']')
	}
	reader := json.NewDecoder(bytes.NewReader(data))
	reader.UseNumber()
	if err := reader.Decode(answer); err != nil {
		return bad("the answer is not JSON of this API: %s", err)
	}
	if _, err := reader.Token(); err != io.EOF {
		return bad("the answer is not JSON: more follows")
	}
	return nil
}

func orText(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// problem of RFC 9457; of anything else with an error's status, what is known of it.
func problem(response *http.Response, data []byte) *Problem {
	members := map[string]any{}
	reader := json.NewDecoder(bytes.NewReader(data))
	reader.UseNumber()
	is := strings.HasPrefix(response.Header.Get("Content-Type"), "application/problem+json")
	if !is || reader.Decode(&members) != nil || members == nil {
		if len(data) > 200 {
			data = data[:200]
		}
		members = map[string]any{"title": strings.TrimSpace(strings.ToValidUTF8(string(data), "\ufffd"))}
	}
	text := func(name string) string { s, _ := members[name].(string); return s }
	after := 0
	if asked := response.Header.Get("Retry-After"); len(asked) < 9 {
		after, _ = strconv.Atoi(asked)
	}
	return &Problem{Status: response.StatusCode, Code: text("code"), Type: orText(text("type"), "about:blank"),
		Title: text("title"), Detail: text("detail"), Instance: text("instance"), Path: orText(text("path"), text("fact")),
		Members: members, RequestID: response.Header.Get("X-Request-Id"), RetryAfter: after, Attempts: 1}
}

func mark(err error, request string, made int) {
	var p *Problem
	var t *TransportError
	if errors.As(err, &p) {
		p.Request, p.Attempts = request, made
	} else if errors.As(err, &t) {
		t.Request, t.Attempts = request, made
	}
}

// passes: may the same request come to something else?
func passes(err error) bool {
	var p *Problem
	var t *TransportError
	if errors.As(err, &p) {
		switch p.Status {
		case 429, 502, 503, 504:
			return true
		}
		// The server says "ask again": nothing was decided, or nobody knows what was.
		return p.Code == "conflict" || p.Code == "contract_changed" || p.Code == "outcome_unknown"
	}
	return errors.As(err, &t) && (t.Kind == ConnectionFailed || t.Kind == TimedOut)
}

// pause doubles, partly left to chance; at least what the server asks for.
func (c *Client) pause(made int, err error) time.Duration {
	most := math.Min(float64(c.settings.PauseMost), float64(c.settings.Pause)*math.Pow(2, math.Min(float64(made-1), 30)))
	asked := 0.0
	var p *Problem
	if errors.As(err, &p) {
		asked = math.Min(float64(p.RetryAfter)*float64(time.Second), float64(c.settings.PauseMost))
	}
	return time.Duration(math.Max(asked, most*(0.5+mathrand.Float64()/2)))
}

func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func setText(v url.Values, name, value string) {
	if value != "" {
		v.Set(name, value)
	}
}

func setWhole(v url.Values, name string, value *int64) {
	if value != nil {
		v.Set(name, strconv.FormatInt(*value, 10))
	}
}

// Whole is for members that may be absent: Limit: motet.Whole(10).
func Whole(n int64) *int64 { return &n }

// Pages calls `page` until there are no more: it gets the place to go on from (empty at
// first) and gives the next one.
func Pages(page func(after string) (next *string, err error)) error {
	after := ""
	for {
		next, err := page(after)
		if err != nil || next == nil || *next == "" {
			return err
		}
		after = *next
	}
}

// A Verifier checks receipts offline; one that does not hold is an error. The Go client
// brings none: `motet receipt verify` is one, libmotet another.
type Verifier interface {
	VerifyReceipt(receipt json.RawMessage, keys []string) error
}
