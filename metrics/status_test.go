package metrics

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func TestStatus(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	failure := &Failure{at, "Failed to save the state: no space"}
	unknown := []transcript.UnknownItem{{Kind: "type", Name: "new-type"}, {Kind: "subtype", Name: transcript.NotIdentifier}}
	dirs := []WatchedDir{{Path: "/a", Labels: 1}, {Path: "/b", Unreadable: 1}, {Path: "/c", Unreadable: 1200}}
	const hint = " cannot be read: the log has the reason, and the paths with --log.level=debug"
	for _, test := range []struct {
		name   string
		change func(*site)
		want   Status
		fields string // names of the JSON
	}{
		{
			"catching up", func(s *site) { s.ready.Store(false); s.unknown = unknown },
			Status{Percent: 25, Files: 3, FilesTotal: 12, Backlog: 75, Directories: []WatchedDir{}, UnknownFormat: unknown},
			"version pid ready percent files files_total sessions backlog_bytes directories unknown_format",
		},
		{
			"ready, without activity", func(s *site) { s.summary.LastActivity = time.Time{} },
			Status{Ready: true, Percent: 100, Files: 12, Sessions: 7, Backlog: 5, Directories: []WatchedDir{}},
			"version pid ready percent files sessions backlog_bytes directories",
		},
		{
			"last error", func(s *site) { s.lastError, s.unknown = failure, unknown },
			Status{Ready: true, Percent: 100, Files: 12, Sessions: 7, Backlog: 5, Directories: []WatchedDir{}, LastActivity: at, LastError: failure, UnknownFormat: unknown},
			"version pid ready percent files sessions backlog_bytes last_activity directories last_error unknown_format",
		},
		{
			"labels and prices", func(s *site) { s.summary.FoldedLabels, s.summary.PricesUpdated = []string{"project"}, "2026-02-28" },
			Status{
				Ready: true, Percent: 100, Files: 12, Sessions: 7, Backlog: 5, Directories: []WatchedDir{}, LastActivity: at,
				FoldedLabels: []string{"project"}, PricesUpdated: "2026-02-28",
			},
			"version pid ready percent files sessions backlog_bytes last_activity directories folded_labels prices_updated",
		},
		{
			"problems", func(s *site) { s.dirs, s.summary.Paused = dirs, true },
			Status{
				Ready: true, Percent: 100, Files: 12, Sessions: 7, Backlog: 5, LastActivity: at, Directories: dirs,
				Problems: []string{
					"1 file or directory in /b" + hint, "1,200 files or directories in /c" + hint,
					"The counters are paused because the state cannot be written: the log has the reason",
				},
			},
			"version pid ready percent files sessions backlog_bytes last_activity directories problems",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite()
			s.progress = Progress{Files: 3, FilesTotal: 12, Bytes: 25, BytesTotal: 100}
			s.summary = Summary{Files: 12, Sessions: 7, Backlog: 5, LastActivity: at}
			test.change(s)
			response := s.request(http.MethodGet, "/-/status")
			if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "application/json" {
				t.Errorf("got status %d, %s", response.StatusCode, kind)
			}
			text := body(t, response)
			var (
				got    Status
				fields map[string]any
			)
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			test.want.Version, test.want.PID = "1.2.3", os.Getpid()
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("the status differs:\n%s", difftest.Diff(test.want, got))
			}
			if err := json.Unmarshal([]byte(text), &fields); err != nil {
				t.Fatal(err)
			}
			for name := range strings.FieldsSeq(test.fields) {
				if _, ok := fields[name]; !ok {
					t.Errorf("%s is missing in %s", name, text)
				}
			}
			if n := len(strings.Fields(test.fields)); len(fields) != n {
				t.Errorf("got %d fields, want %d: %s", len(fields), n, text)
			}
		})
	}
}

func TestPercent(t *testing.T) {
	for p, want := range map[Progress]int{
		{}: 0, {Bytes: 1, BytesTotal: 3}: 33, {Bytes: 999, BytesTotal: 1000}: 99, {Bytes: 3, BytesTotal: 3}: 100,
		{Bytes: 9, BytesTotal: 3}: 100, {Bytes: -1, BytesTotal: 3}: 0, {Bytes: 1 << 62, BytesTotal: 1<<63 - 1}: 50,
	} {
		if got := p.Percent(); got != want {
			t.Errorf("%+v: got %d, want %d", p, got, want)
		}
	}
}

// Only those who are on this machine see the path of an unreadable directory.
func TestUnreadableDirectory(t *testing.T) {
	s := newSite()
	s.dirs = []WatchedDir{{Path: "/a", Unreadable: 1, UnreadableDir: "/a/secret"}}
	for address, want := range map[string]bool{"127.0.0.1": true, "::1": true, "192.0.2.7": false} {
		at := &net.TCPAddr{IP: net.ParseIP(address), Port: 10229}
		r := httptest.NewRequest(http.MethodGet, "/-/status", http.NoBody)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at)))
		if got := strings.Contains(w.Body.String(), `"unreadable_directory":"/a/secret"`); got != want {
			t.Errorf("%s: the status has the path: %v", address, got)
		}
	}
}
