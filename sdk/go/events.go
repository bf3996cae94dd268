package motet

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Event is one record of the ledger: its place, its kind, its body.
type Event struct {
	ID   int64
	Kind string
	Data json.RawMessage
}

// EventFilter says where a stream begins and what it has. Without After and From it
// begins now.
type EventFilter struct {
	After, From                      *int64
	Kind, Contract, Entity, Instance string
	Silence                          time.Duration // longer is a broken stream (90 s)
	NoResume                         bool          // a stream that breaks is an error
}

const eventMost = 16 << 20

var eventRoute = route{method: "GET", path: "/v1/events"}

// Events calls `take` for each record as it is made, until it returns an error, the
// context ends, or Attempts failures come in a row. A stream that breaks is taken up
// behind the last event: nothing is lost, nothing comes twice.
func (c *Client) Events(ctx context.Context, filter EventFilter, take func(Event) error, given ...CallOption) error {
	if filter.Silence == 0 {
		filter.Silence = 90 * time.Second
	}
	if filter.After == nil && filter.From == nil {
		if err := c.beginNow(ctx, &filter, given); err != nil {
			return err
		}
	}
	failures, most := 0, options(given).attempts
	if most == 0 {
		most = c.settings.Attempts
	}
	for {
		err := c.listen(ctx, filter, given, func(event Event) error {
			if filter.After != nil && event.ID <= *filter.After {
				return nil
			}
			filter.After, failures = Whole(event.ID), 0
			return take(event)
		})
		var own *taken
		if errors.As(err, &own) {
			return own.err
		}
		failures++
		mark(err, "GET /v1/events", failures)
		if filter.NoResume || !passes(err) || failures >= most {
			return err
		}
		if err := rest(ctx, c.pause(failures, err)); err != nil {
			return err
		}
	}
}

// Behind the newest record there is, so that "now" survives a break.
func (c *Client) beginNow(ctx context.Context, filter *EventFilter, given []CallOption) error {
	newest, err := c.ListRecords(ctx, ListRecordsQuery{Order: "desc", Limit: Whole(1)}, given...)
	if err != nil {
		return err
	}
	if len(newest.Items) == 0 {
		filter.From = Whole(0)
	} else {
		filter.After = newest.Items[0].Seq
	}
	return nil
}

func (c *Client) streamRequest(filter EventFilter, given []CallOption) (*request, error) {
	o := options(given)
	o.header["Accept"] = "text/event-stream"
	query := url.Values{}
	for name, value := range map[string]string{"kind": filter.Kind, "contract": filter.Contract,
		"entity": filter.Entity, "instance": filter.Instance} {
		setText(query, name, value)
	}
	if filter.After != nil {
		o.header["Last-Event-ID"] = strconv.FormatInt(*filter.After, 10)
	} else {
		setWhole(query, "from", filter.From)
	}
	return c.request(eventRoute, nil, query, nil, o)
}

// One connection; never returns nil.
func (c *Client) listen(ctx context.Context, filter EventFilter, given []CallOption, take func(Event) error) error {
	q, err := c.streamRequest(filter, given)
	if err != nil {
		return err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	clock := time.AfterFunc(q.timeout, cancel)
	defer clock.Stop()
	response, err := c.send(inner, q)
	if err != nil {
		return faultOf(ctx, inner, err)
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		data, _ := io.ReadAll(io.LimitReader(response.Body, eventMost))
		if err := refusal(response, data); err != nil {
			return err
		}
	}
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return bad("the answer is not a stream of events")
	}
	err = read(response.Body, func() { clock.Reset(filter.Silence) }, func(event Event) error {
		if err := take(event); err != nil {
			return &taken{err}
		}
		return nil
	})
	var own *taken
	var transport *TransportError
	if errors.As(err, &own) || errors.As(err, &transport) {
		return err
	}
	if err == io.EOF && inner.Err() == nil {
		return &TransportError{Kind: ConnectionFailed, Message: "the stream ended"}
	}
	return faultOf(ctx, inner, err)
}

// What the caller's function returned: its own error, not one of the stream.
type taken struct{ err error }

func (t *taken) Error() string { return t.err.Error() }

// read takes a stream apart. `alive` is called for each line; comments are passed over.
func read(body io.Reader, alive func(), take func(Event) error) error {
	lines := bufio.NewReaderSize(body, 64<<10)
	fields, size := map[string][]string{}, 0
	for {
		line, err := lineOf(lines, eventMost-size)
		if err != nil {
			return err
		}
		alive()
		size += len(line)
		if len(line) > 0 {
			name, value, _ := strings.Cut(string(line), ":")
			if name != "" {
				fields[name] = append(fields[name], strings.TrimPrefix(value, " "))
			}
			continue
		}
		if len(fields["data"]) > 0 {
			event, err := eventOf(fields)
			if err != nil {
				return err
			}
			if err := take(event); err != nil {
				return err
			}
		}
		fields, size = map[string][]string{}, 0
	}
}

func lineOf(from *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		piece, err := from.ReadSlice('\n')
		line = append(line, piece...)
		if len(line) > most {
			return nil, bad("an event of the stream is too long")
		}
		if err == nil {
			return bytes.TrimRight(line, "\r\n"), nil
		}
		if err != bufio.ErrBufferFull {
			return nil, err
		}
	}
}

func eventOf(fields map[string][]string) (Event, error) {
	last := func(name string) string {
		if all := fields[name]; len(all) > 0 {
			return all[len(all)-1]
		}
		return ""
	}
	data := strings.Join(fields["data"], "\n")
	id, err := strconv.ParseInt(last("id"), 10, 64)
	if err != nil || id < 0 || !json.Valid([]byte(data)) || !strings.HasPrefix(strings.TrimSpace(data), "{") {
		return Event{}, bad("an event of the stream has no number or is not a record")
	}
	return Event{id, last("event"), json.RawMessage(data)}, nil
}
