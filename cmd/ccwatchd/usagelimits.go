package main

import (
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/internal/status"
)

// usageLimits are the limits that status lines report to a daemon, if it accepts them.
type usageLimits struct {
	daemon *daemon.Daemon
	local  func() bool // reports whether the daemon listens on loopback addresses only
	log    *slog.Logger
	store  limits.Store

	refused atomic.Int64 // reports
}

// newUsageLimits restores the limits that were known when the daemon stopped. A failure
// is only a warning: the next report replaces them.
func newUsageLimits(d *daemon.Daemon, local func() bool, log *slog.Logger) *usageLimits {
	u := &usageLimits{daemon: d, local: local, log: log}
	saved, err := d.LoadLimits()
	if err == nil {
		err = u.store.Restore(saved, time.Now())
	}
	if err != nil {
		log.Warn("Failed to restore the usage limits", "err", err)
	}
	return u
}

// accepts reports whether reports are accepted: any client that can connect can forge
// reports. Unless the configuration decides, they are accepted if the daemon listens
// only locally and reads only its own user's files.
func (u *usageLimits) accepts() bool {
	if configured := u.daemon.AcceptsLimits(); configured != nil {
		return *configured
	}
	return u.refusal() == nil
}

// refusal returns why reports are refused, or nil if they are accepted or the
// configuration decides.
func (u *usageLimits) refusal() *status.LimitRefusal {
	reason := ""
	switch {
	case u.daemon.AcceptsLimits() != nil:
	case !u.local():
		reason = "it listens on other addresses than loopback"
	case !u.daemon.ReadsOwnFiles():
		reason = "it reads files of other users"
	}
	if reason == "" {
		return nil
	}
	return &status.LimitRefusal{Reason: reason, Reports: u.refused.Load()}
}

// acceptsReport is accepts for a report that has arrived. The first refusal is logged:
// the status line itself shows nothing.
func (u *usageLimits) acceptsReport() bool {
	if u.accepts() {
		return true
	}
	if r := u.refusal(); r != nil && u.refused.Add(1) == 1 {
		u.log.Warn("Refused usage limits of a status line: to accept them, set statusline.accept_limits to true", "reason", r.Reason)
	}
	return false
}

// windows returns the limits to expose. It drops limits whose source is not configured
// any more, but keeps limits of transcripts outside of all sources.
func (u *usageLimits) windows() []limits.Window {
	if !u.accepts() {
		return nil
	}
	return slices.DeleteFunc(u.store.Windows(time.Now()), func(w limits.Window) bool {
		return w.Source != "" && !u.daemon.HasSource(counters.SourceLabels(w.Source))
	})
}

// contextWindow returns the context window that a session of a source has reported, or
// 0.
func (u *usageLimits) contextWindow(source counters.SourceLabels, session string) uint64 {
	return u.store.ContextWindow(string(source), session)
}

// save writes the limits for the next start.
func (u *usageLimits) save() error {
	if !u.accepts() {
		return nil
	}
	b, err := u.store.Save(time.Now())
	if err != nil {
		return err
	}
	return u.daemon.SaveLimits(b)
}

// handler accepts reports.
func (u *usageLimits) handler() http.Handler {
	return limits.Handler(limits.Options{
		Store:   &u.store,
		Accepts: u.acceptsReport,
		Source:  func(path string) string { return string(u.daemon.SourceOf(path)) },
		Now:     time.Now,
	})
}
