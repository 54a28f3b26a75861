package server

import (
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/status"
)

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
