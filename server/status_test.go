package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func TestStatus(t *testing.T) {
	moment := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	failure := &status.Failure{Time: moment, Text: "Failed to save the state: no space"}
	unknown := []transcript.UnknownItem{{Kind: "type", Name: "new-type"}, {Kind: "subtype", Name: transcript.NotIdentifier}}
	dirs := []status.WatchedDir{{Path: "/a", Labels: 1}, {Path: "/b", Unreadable: 1}, {Path: "/c", Unreadable: 1200}}
	const hint = " cannot be read: the log has the reason, and the paths with --log.level=debug"
	for _, test := range []struct {
		name   string
		change func(*site)
		want   status.Status
		fields string // names of the JSON
	}{
		{
			"catching up", func(s *site) { s.ready.Store(false); s.unknown = unknown },
			status.Status{Percent: 25, Files: 3, FilesTotal: 12, Backlog: 75, Directories: []status.WatchedDir{}, UnknownFormat: unknown},
			"version pid ready percent files files_total sessions backlog_bytes directories unknown_format",
		},
		{
			"ready, without activity", func(s *site) { s.summary.LastActivity = time.Time{} },
			status.Status{Ready: true, Percent: 100, Files: 12, Sessions: 7, Backlog: 5, Directories: []status.WatchedDir{}},
			"version pid ready percent files sessions backlog_bytes directories",
		},
		{
			"last error", func(s *site) { s.lastError, s.unknown = failure, unknown },
			status.Status{Ready: true, Percent: 100, Files: 12, Sessions: 7, Backlog: 5, Directories: []status.WatchedDir{}, LastActivity: moment, LastError: failure, UnknownFormat: unknown},
			"version pid ready percent files sessions backlog_bytes last_activity directories last_error unknown_format",
		},
		{
			"labels and prices", func(s *site) { s.summary.FoldedLabels, s.summary.PricesUpdated = []string{"project"}, "2026-02-28" },
			status.Status{
				Ready: true, Percent: 100, Files: 12, Sessions: 7, Backlog: 5, Directories: []status.WatchedDir{}, LastActivity: moment,
				FoldedLabels: []string{"project"}, PricesUpdated: "2026-02-28",
			},
			"version pid ready percent files sessions backlog_bytes last_activity directories folded_labels prices_updated",
		},
		{
			"refused limits", func(s *site) { s.refusal = &status.LimitRefusal{Reason: "it is", Reports: 3} },
			status.Status{
				Ready: true, Percent: 100, Files: 12, Sessions: 7, Backlog: 5, Directories: []status.WatchedDir{}, LastActivity: moment,
				LimitsRefused: &status.LimitRefusal{Reason: "it is", Reports: 3},
			},
			"version pid ready percent files sessions backlog_bytes last_activity directories limits_refused",
		},
		{
			"problems", func(s *site) { s.dirs, s.summary.Paused = dirs, true },
			status.Status{
				Ready: true, Percent: 100, Files: 12, Sessions: 7, Backlog: 5, LastActivity: moment, Directories: dirs,
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
			s.progress = status.Progress{Files: 3, FilesTotal: 12, Bytes: 25, BytesTotal: 100}
			s.summary = status.Summary{Files: 12, Sessions: 7, Backlog: 5, LastActivity: moment}
			test.change(s)
			response := s.request(http.MethodGet, "/-/status")
			if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "application/json" {
				t.Errorf("got status %d, %s", response.StatusCode, kind)
			}
			text := body(t, response)
			var (
				got    status.Status
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

// Of many sources with unreadable files, some have a problem each.
func TestManyUnreadable(t *testing.T) {
	dirs := slices.Repeat([]status.WatchedDir{{Path: "/a", Unreadable: 1}}, 200)
	all := currentProblems(status.Summary{Paused: true}, dirs)
	if n := len(all); n != maxUnreadable+2 || all[maxUnreadable] != "Files or directories in 195 more sources cannot be read either" {
		t.Errorf("got %d problems: %q", n, all)
	}
}

// Only local clients see the path of an unreadable directory.
func TestUnreadableDirectory(t *testing.T) {
	s := newSite()
	s.dirs = []status.WatchedDir{{Path: "/a", Unreadable: 1, UnreadableDir: "/a/secret"}}
	for address, want := range map[string]bool{"127.0.0.1": true, "::1": true, "192.0.2.7": false} {
		local := &net.TCPAddr{IP: net.ParseIP(address), Port: 10229}
		r := httptest.NewRequest(http.MethodGet, "/-/status", http.NoBody)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local)))
		if got := strings.Contains(w.Body.String(), `"unreadable_directory":"/a/secret"`); got != want {
			t.Errorf("%s: the status has the path: %v", address, got)
		}
	}
}

func TestErrorHandler(t *testing.T) {
	var (
		last   atomic.Pointer[status.Failure]
		output strings.Builder
	)
	log := slog.New(ErrorHandler{slog.NewTextHandler(&output, nil), &last})
	log.Info("Started", "err", "none")
	log.Warn("Odd", "err", "none")
	if got := last.Load(); got != nil {
		t.Errorf("got %+v before an error", got)
	}
	log.Error("Failed to begin")
	if got := last.Load(); got == nil || got.Text != "Failed to begin" || got.Time.IsZero() {
		t.Errorf("got %+v", got)
	}
	log.With("component", "x").WithGroup("g").Error("Failed to go on", "n", 1, "err", errors.New("no space"))
	if got := last.Load(); got == nil || got.Text != "Failed to go on: no space" {
		t.Errorf("got %+v", got)
	}
	if n := strings.Count(output.String(), "\n"); n != 4 {
		t.Errorf("got %d log lines, want 4:\n%s", n, output.String())
	}
}
