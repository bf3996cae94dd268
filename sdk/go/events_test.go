package motet

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A server of streams with one event each, and how often it was asked.
func streams(t *testing.T, body string) (*Client, *int) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	client, err := New(server.URL, Settings{Pause: 1, PauseMost: 1})
	if err != nil {
		t.Fatal(err)
	}
	return client, &asked
}

func TestAnErrorOfTheReaderEndsTheStreamWhateverItIs(t *testing.T) {
	client, asked := streams(t, "id: 2\ndata: {}\n\n")
	own := &TransportError{Kind: ConnectionFailed, Message: "of another call"}
	err := client.Events(context.Background(), EventFilter{After: Whole(1)}, func(Event) error { return own })
	if err != own || *asked != 1 {
		t.Fatalf("asked %d times: %v", *asked, err)
	}
}

func TestAttemptsOfTheCallCount(t *testing.T) {
	client, asked := streams(t, "")
	err := client.Events(context.Background(), EventFilter{After: Whole(1)}, func(Event) error { return nil }, Attempts(2))
	if err == nil || *asked != 2 {
		t.Fatalf("asked %d times: %v", *asked, err)
	}
}
