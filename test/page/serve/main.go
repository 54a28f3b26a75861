// Command serve serves the page of made-up daemons, for the check in the browser: each
// scene of package usagetest below a path of its name. It writes its address to
// standard output and serves until standard input ends.
package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/server"
	"github.com/ccwatchd/ccwatchd/test/usagetest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// now is the time of all scenes: a Thursday afternoon.
var now = time.Date(2026, 11, 12, 15, 45, 0, 0, time.UTC)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(stdin io.Reader, stdout io.Writer) error {
	mux := http.NewServeMux()
	for _, name := range usagetest.SceneNames {
		mux.Handle("/"+name+"/", http.StripPrefix("/"+name, handler(usagetest.NewScene(name, now))))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // at once
	if err != nil {
		return err
	}
	pages := http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		_ = pages.Close()
	}()
	if _, err := fmt.Fprintf(stdout, "http://%s\n", listener.Addr()); err != nil {
		return err
	}
	if err := pages.Serve(listener); err != http.ErrServerClosed { //nolint:errorlint // never wrapped
		return err
	}
	return nil
}

// handler returns the handler of a daemon in a scene.
func handler(s usagetest.Scene) http.Handler {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	source := s.Source()
	source.Logger = log
	return server.Handler(server.Options{
		Exposition: &metrics.Exposition{Registry: prometheus.NewRegistry(), Provider: provider{}},
		Source:     source,
		Ready:      func() bool { return s.Status.Ready },
		Progress:   func() status.Progress { return s.Progress },
		Summary: func() status.Summary {
			return status.Summary{
				Files: s.Status.Files, Sessions: s.Status.Sessions, LastActivity: s.Status.LastActivity, Paused: s.Status.Problems != nil,
			}
		},
		WatchedDirs: func() []status.WatchedDir { return s.Status.Directories },
		LastError:   func() *status.Failure { return s.Status.LastError },
		Unknown:     func() []transcript.UnknownItem { return s.Status.UnknownFormat },
	})
}

// provider provides no counters.
type provider struct{}

func (provider) SnapshotInto(*ledger.Snapshot) bool { return true }
