// Command walk runs walks over HTTP with the Go client: walk JOB.json. What a job has and
// what is printed is in sdk/fixtures/README.md. Steps go through the typed methods: each
// is found by its name, and its arguments are read into its types.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"motet"
)

type settings struct {
	Timeout    float64           `json:"timeout"`
	Attempts   int               `json:"attempts"`
	Pause      float64           `json:"pause"`
	PauseMost  float64           `json:"pause_most"`
	Keys       *bool             `json:"keys"`
	AnswerMost int64             `json:"answer_most"`
	Key        *string           `json:"idempotency_key"`
	Parent     string            `json:"traceparent"`
	State      string            `json:"tracestate"`
	Headers    map[string]string `json:"headers"`
	Silence    float64           `json:"silence"`
	Resume     *bool             `json:"resume"`
}

type step struct {
	Do      string                     `json:"do"`
	As      string                     `json:"as"`
	Places  []any                      `json:"places"`
	Body    json.RawMessage            `json:"body"`
	Query   map[string]any             `json:"query"`
	Options settings                   `json:"options"`
	Save    map[string]string          `json:"save"`
	Filter  map[string]json.RawMessage `json:"filter"`
	Stream  settings                   `json:"stream"`
	Count   int                        `json:"count"`
	Of      string                     `json:"of"`
	Until   map[string]string          `json:"until"`
}

type walk struct {
	Name     string            `json:"name"`
	URL      string            `json:"url"`
	Settings settings          `json:"settings"`
	Tokens   map[string]string `json:"tokens"`
	Saved    map[string]any    `json:"saved"`
	Steps    []step            `json:"steps"`
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func fill(value any, saved map[string]any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = fill(v[key], saved)
		}
	case []any:
		for i := range v {
			v[i] = fill(v[i], saved)
		}
	case string:
		if strings.HasPrefix(v, "{") && strings.HasSuffix(v, "}") {
			if found, ok := saved[v[1:len(v)-1]]; ok {
				return found
			}
		}
	}
	return value
}

func parse(data []byte) (value any, err error) {
	reader := json.NewDecoder(bytes.NewReader(data))
	reader.UseNumber()
	err = reader.Decode(&value)
	return
}

func at(value any, pointer string) any {
	for _, key := range strings.Split(pointer, "/")[1:] {
		if list, ok := value.([]any); ok {
			i, _ := strconv.Atoi(key)
			value = list[i]
		} else {
			value = value.(map[string]any)[key]
		}
	}
	return value
}

func outcome(err error) map[string]any {
	var problem *motet.Problem
	var transport *motet.TransportError
	var usage *motet.UsageError
	switch {
	case errors.As(err, &problem):
		return map[string]any{"problem": problem.Members, "status": problem.Status, "kind": problem.Kind(),
			"path": problem.Path, "message": problem.Error(), "attempts": problem.Attempts}
	case errors.As(err, &transport):
		return map[string]any{"error": transport.Kind, "attempts": transport.Attempts}
	case errors.As(err, &usage):
		return map[string]any{"error": "UsageError", "attempts": 0}
	}
	return map[string]any{"error": fmt.Sprintf("%T: %v", err, err)}
}

func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// arguments reads places, body and query of a step into what the method takes.
func arguments(method reflect.Value, s step, saved map[string]any) ([]reflect.Value, error) {
	in := []reflect.Value{reflect.ValueOf(context.Background())}
	for _, place := range s.Places {
		in = append(in, reflect.ValueOf(fmt.Sprint(fill(place, saved))))
	}
	kind := method.Type()
	for i := len(in); i < kind.NumIn()-1; i++ {
		argument := reflect.New(kind.In(i))
		if strings.HasSuffix(kind.In(i).Name(), "Query") {
			for name, value := range s.Query {
				setQuery(argument.Elem(), name, value)
			}
		} else if len(s.Body) > 0 {
			body, err := parse(s.Body)
			if err != nil {
				return nil, err
			}
			text, _ := json.Marshal(fill(body, saved))
			reader := json.NewDecoder(bytes.NewReader(text))
			reader.UseNumber()
			reader.DisallowUnknownFields()
			if err := reader.Decode(argument.Interface()); err != nil {
				return nil, err
			}
		} else if kind.In(i).Kind() == reflect.Map {
			argument.Elem().Set(reflect.MakeMap(kind.In(i)))
		}
		in = append(in, argument.Elem())
	}
	return in, nil
}

func setQuery(query reflect.Value, name string, value any) {
	member := ""
	for _, part := range strings.Split(name, "_") {
		member += title(part)
	}
	field := query.FieldByName(member)
	if field.Kind() == reflect.String {
		field.SetString(fmt.Sprint(value))
	} else {
		field.Set(reflect.ValueOf(motet.Whole(int64(value.(float64)))))
	}
}

func call(client *motet.Client, s step, saved map[string]any) (any, error) {
	method := reflect.ValueOf(client).MethodByName(title(s.Do))
	in, err := arguments(method, s, saved)
	if err != nil {
		return nil, err
	}
	var raw json.RawMessage
	in = append(in, reflect.ValueOf(motet.Raw(&raw)))
	if s.Options.Key != nil {
		in = append(in, reflect.ValueOf(motet.IdempotencyKey(*s.Options.Key)))
	}
	if s.Options.Timeout > 0 {
		in = append(in, reflect.ValueOf(motet.Timeout(seconds(s.Options.Timeout))))
	}
	if s.Options.Attempts != 0 {
		in = append(in, reflect.ValueOf(motet.Attempts(s.Options.Attempts)))
	}
	if s.Options.Parent != "" {
		in = append(in, reflect.ValueOf(motet.Traceparent(s.Options.Parent, s.Options.State)))
	}
	for name, value := range s.Options.Headers {
		in = append(in, reflect.ValueOf(motet.Header(name, value)))
	}
	out := method.Call(in)
	if err, _ := out[1].Interface().(error); err != nil {
		return nil, err
	}
	if text, ok := out[0].Interface().(string); ok {
		return text, nil
	}
	if out[0].Kind() == reflect.Slice {
		lines := []any{}
		for _, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\n")) {
			value, err := parse(line)
			if err != nil {
				return nil, err
			}
			lines = append(lines, value)
		}
		return lines, nil
	}
	return parse(raw)
}

var errEnough = errors.New("enough")

func events(client *motet.Client, s step) (map[string]any, error) {
	text, _ := json.Marshal(s.Filter)
	filter := motet.EventFilter{}
	if err := json.Unmarshal(text, &filter); err != nil {
		return nil, err
	}
	filter.Silence = seconds(s.Stream.Silence)
	filter.NoResume = s.Stream.Resume != nil && !*s.Stream.Resume
	got := []map[string]any{}
	err := client.Events(context.Background(), filter, func(event motet.Event) error {
		got = append(got, map[string]any{"id": event.ID, "kind": event.Kind})
		if len(got) >= s.Count {
			return errEnough
		}
		return nil
	})
	if err != nil && err != errEnough {
		return nil, err
	}
	return map[string]any{"events": got}, nil
}

func pages(client *motet.Client, s step) (map[string]any, error) {
	count := 0
	err := motet.Pages(func(after string) (*string, error) {
		page := step{Do: s.Of, Query: map[string]any{"after": after}}
		for name, value := range s.Query {
			page.Query[name] = value
		}
		answer, err := call(client, page, nil)
		if err != nil {
			return nil, err
		}
		members := answer.(map[string]any)
		count += len(members["items"].([]any))
		next, _ := members["next"].(string)
		return &next, nil
	})
	return map[string]any{"count": count}, err
}

func take(client *motet.Client, s step, saved map[string]any) (map[string]any, error) {
	switch s.Do {
	case "events":
		return events(client, s)
	case "pages":
		return pages(client, s)
	}
	answer, err := call(client, s, saved)
	if err != nil {
		return nil, err
	}
	for name, pointer := range s.Save {
		saved[name] = at(answer, pointer)
	}
	return map[string]any{"answer": answer}, nil
}

// holds: is it what the step waits for? `until` names two places of the answer that
// become the same.
func holds(s step, said map[string]any) (same bool) {
	if s.Until == nil {
		return true
	}
	defer func() {
		if recover() != nil { // one of them is not there yet
			same = false
		}
	}()
	found := at(said["answer"], s.Until["at"])
	return found != nil && fmt.Sprint(found) == fmt.Sprint(at(said["answer"], s.Until["same"]))
}

func takeUntil(client *motet.Client, s step, saved map[string]any) (said map[string]any, err error) {
	for tries := 0; tries < 100; tries++ {
		said, err = take(client, s, saved)
		if err != nil || holds(s, said) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	return
}

func say(w walk, i int, result map[string]any) {
	result["walk"], result["step"] = w.Name, i
	text, _ := json.Marshal(result)
	fmt.Println(string(text))
}

func run(w walk) {
	given := w.Settings
	clients := map[string]*motet.Client{}
	if w.Tokens == nil {
		w.Tokens = map[string]string{}
	}
	w.Tokens[""] = ""
	for name, token := range w.Tokens {
		client, err := motet.New(w.URL, motet.Settings{Token: token, Timeout: seconds(given.Timeout),
			Attempts: given.Attempts, Pause: seconds(given.Pause), PauseMost: seconds(given.PauseMost),
			NoKeys: given.Keys != nil && !*given.Keys, AnswerMost: given.AnswerMost, Header: given.Headers})
		if err != nil {
			say(w, 0, outcome(err))
			return
		}
		clients[name] = client
	}
	saved := map[string]any{}
	for name, value := range w.Saved {
		saved[name] = value
	}
	for i, s := range w.Steps {
		result, err := takeUntil(clients[s.As], s, saved)
		if err != nil {
			result = outcome(err)
		}
		say(w, i, result)
	}
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	job := struct{ Walks []walk }{}
	if err := json.Unmarshal(text, &job); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	for _, w := range job.Walks {
		run(w)
	}
}
