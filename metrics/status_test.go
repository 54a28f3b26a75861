package metrics

import (
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/transcript"
)

func TestStatus(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	failure := &Failure{at, "Failed to save the state: no space"}
	for _, test := range []struct {
		name  string
		ready bool
		last  *Failure
		want  Status
	}{
		{
			"catching up", false, nil,
			Status{Percent: 25, Files: 3, FilesTotal: 12, Backlog: 75},
		},
		{
			"ready", true, nil,
			Status{Ready: true, Percent: 100, Files: 12, Sessions: 7, Backlog: 5, LastActivity: at},
		},
		{
			"in trouble", true, failure,
			Status{Ready: true, Percent: 100, Files: 12, Sessions: 7, Backlog: 5, LastActivity: at, LastError: failure},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite()
			s.ready.Store(test.ready)
			s.progress = Progress{Files: 3, FilesTotal: 12, Bytes: 25, BytesTotal: 100}
			s.summary = Summary{Files: 12, Sessions: 7, Backlog: 5, LastActivity: at}
			s.lastError = test.last
			answer := s.ask(http.MethodGet, "/-/status")
			var got Status
			if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
				t.Fatal(err)
			}
			if kind := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || kind != "application/json" {
				t.Errorf("it answers %d, %s", answer.StatusCode, kind)
			}
			if (got.LastError == nil) != (test.last == nil) || got.LastError != nil && *got.LastError != *test.last {
				t.Errorf("the last error is %v, want %v", got.LastError, test.last)
			}
			test.want.Version, test.want.PID, got.LastError, test.want.LastError = "1.2.3", os.Getpid(), nil, nil
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("it says\n%+v, want\n%+v", got, test.want)
			}
		})
	}
}

// Whoever reads it finds nothing where there is nothing, and not the year 1.
func TestStatusLeavesOutWhatIsNot(t *testing.T) {
	s := newSite()
	said := body(t, s.ask(http.MethodGet, "/-/status"))
	for _, no := range []string{"last_activity", "last_error", "unknown_format"} {
		if strings.Contains(said, no) {
			t.Errorf("it has %s: %s", no, said)
		}
	}
}

func TestStatusListsUnknownNames(t *testing.T) {
	s := newSite()
	s.unknown = []transcript.UnknownItem{{Kind: "type", Name: "new-type"}, {Kind: "subtype", Name: transcript.NotIdentifier}}
	want := `"unknown_format":[{"kind":"type","name":"new-type"},{"kind":"subtype","name":"(not an identifier)"}]`
	for _, ready := range []bool{false, true} {
		s.ready.Store(ready)
		if said := body(t, s.ask(http.MethodGet, "/-/status")); !strings.Contains(said, want) {
			t.Errorf("ready %t: it lacks %s: %s", ready, want, said)
		}
	}
}
