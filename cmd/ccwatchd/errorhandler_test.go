package main

import (
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ccwatchd/ccwatchd/metrics"
)

func TestLastErrorIsRemembered(t *testing.T) {
	var (
		last atomic.Pointer[metrics.Failure]
		said strings.Builder
	)
	log := slog.New(errorHandler{slog.NewTextHandler(&said, nil), &last})
	log.Info("Started", "err", "none")
	log.Warn("Odd", "err", "none")
	if got := last.Load(); got != nil {
		t.Errorf("%+v is taken for an error", got)
	}
	log.Error("Failed to begin")
	if got := last.Load(); got == nil || got.Text != "Failed to begin" || got.Time.IsZero() {
		t.Errorf("it remembers %+v", got)
	}
	log.With("component", "x").WithGroup("g").Error("Failed to go on", "n", 1, "err", errors.New("no space"))
	if got := last.Load(); got == nil || got.Text != "Failed to go on: no space" {
		t.Errorf("it remembers %+v", got)
	}
	if n := strings.Count(said.String(), "\n"); n != 4 {
		t.Errorf("%d lines were logged, want 4:\n%s", n, said.String())
	}
}
