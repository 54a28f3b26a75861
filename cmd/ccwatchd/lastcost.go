package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// A lastCost caches the last known cost of today in a file. It is shown while the
// daemon is busy.
type lastCost struct {
	path   string // "" to keep nothing
	daemon string // URL

	saved savedCost
}

// A savedCost is the content of the file.
type savedCost struct {
	Daemon string    `json:"daemon"`
	Today  api.Today `json:"today"`
}

// lastCost returns the last known cost of a daemon.
func (c *command) lastCost(client *statusclient.Client) *lastCost {
	l := &lastCost{daemon: client.URL()}
	if parsed, err := url.Parse(l.daemon); err == nil {
		l.daemon = parsed.Redacted()
	}
	dir := cacheDir(c.env)
	if dir == "" {
		return l
	}
	l.path = filepath.Join(dir, "ccwatchd-statusline.json")
	if b, err := os.ReadFile(l.path); err == nil {
		_ = json.Unmarshal(b, &l.saved) // a damaged file is replaced
	}
	return l
}

// today returns the cost of the current day from the daemon or, while the daemon is
// busy, the last known cost. It returns false if neither is available.
func (l *lastCost) today(ctx context.Context, client *statusclient.Client, now time.Time) (api.Today, bool) {
	zone, parameters := localZone(), make(url.Values)
	setZone(parameters, zone, now, now)
	today, err := request(ctx, client, api.TodayPath, parameters, func(t *api.Today) bool { return !t.Time.IsZero() })
	if err == nil {
		l.save(today)
		return today, true
	}
	// Check the clock instead of the error: the connection may notice the deadline before
	// the context does, and err may concern another address that was tried first.
	deadline, _ := ctx.Deadline()
	busy := !time.Now().Before(deadline) || errors.Is(err, statusclient.ErrUnavailable)
	ofToday := !l.saved.Today.Time.Before(usage.Day.Start(now.In(zone)))
	return l.saved.Today, busy && ofToday && l.saved.Daemon == l.daemon
}

// save writes the file. It is a cache, so errors do not matter.
func (l *lastCost) save(today api.Today) {
	b, err := json.Marshal(savedCost{l.daemon, today})
	if l.path == "" || err != nil || os.MkdirAll(filepath.Dir(l.path), 0o700) != nil {
		return
	}
	if temporary := l.path + ".new"; os.WriteFile(temporary, b, 0o600) == nil {
		_ = os.Rename(temporary, l.path)
	}
}
