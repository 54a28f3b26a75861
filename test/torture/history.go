package torture

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// compareHistory checks that the increases of every series of the daemon add up to its
// value, and that on every day they equal the increases of another daemon that has only
// read the final files.
func (r *run) compareHistory(ctx context.Context) error {
	series, err := readHistory(ctx, r.daemon.log.address)
	if err != nil {
		return err
	}
	if err := checkSums(series); err != nil {
		r.checker.fail("history: %w", err)
	}
	got := r.tree.daily(honestHistory(series), r.started)
	if err := r.sandbox.writeConfig(r.configOf(shortTimeout, source(honestUser, r.tree.root))); err != nil {
		return err
	}
	return r.withFreshDaemon(ctx, func(address string) error {
		return r.await(ctx, "the history is that of a daemon that has only read the files", func() error {
			fresh, err := readHistory(ctx, address)
			if err != nil {
				return err
			}
			return diffDays(r.tree.daily(honestHistory(fresh), r.started), got)
		})
	})
}

// readHistory requests the history of a daemon.
func readHistory(ctx context.Context, address string) (all []api.HistorySeries, err error) {
	body, err := statusclient.New(address).Stream(ctx, "/api/v1/history")
	if err != nil {
		return nil, err
	}
	defer body.Close() //nolint:errcheck // only read
	_, series, err := api.ReadHistory(body)
	if err != nil {
		return nil, err
	}
	for s, err := range series {
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// checkSums returns an error for a series whose increases do not add up to its value.
func checkSums(all []api.HistorySeries) error {
	for _, s := range all {
		value, sum := uint64(0), uint64(0)
		for _, i := range s.Increases {
			value, sum = value+i.Value, sum+i.Sum
		}
		if value != s.Value || sum != s.Sum {
			return fmt.Errorf("%s %v: the increases add up to %d and %d, want %d and %d", s.Family, s.Labels, value, sum, s.Value, s.Sum)
		}
	}
	if len(all) == 0 {
		return errors.New("no series")
	}
	return nil
}

// byReading are the families whose days depend on the order of reading, so that only
// their totals are compared. A session counts at its first line in the file that was
// read first, which may be a fork. A limit, a pull request, a commit or a file of a
// session can be on lines of several days, and counts at the line that was read first.
// A message's reported tokens count when a line reports the totals of its session, or
// at the message's own time if the message is counted later. Lines with such totals
// state no time: they count at the line before them in the file that was read first.
var byReading = []string{
	"claude_sessions_total", "claude_reported_seen_tokens_total", "claude_limit_hits_total",
	"claude_pull_requests_total", "claude_commits_total", "claude_files_touched_total",
	"claude_reported_tokens_total", "claude_reported_cost_usd_total", "claude_reported_web_searches_total",
	"claude_reported_sessions_total", "claude_reported_cost_basis_total",
}

// daily adds up the increases by day and by the series that comparable compares. What
// counts since the run started is one sum.
func (t *tree) daily(all []api.HistorySeries, started time.Time) map[string]uint64 {
	days := make(map[string]uint64)
	for _, s := range all {
		if !t.compares(s.Family, s.Labels["kind"]) || slices.Contains(byReading, s.Family) {
			continue
		}
		labels := maps.Clone(s.Labels)
		removeOrder(labels)
		name := fmt.Sprint(s.Family, " ", labels)
		for _, i := range s.Increases {
			day := "in the run"
			if i.End <= started.UnixMilli() {
				day = time.UnixMilli(i.Start).UTC().Format(time.DateOnly)
			}
			days[name+" "+day] += i.Value
			days[name+" sum "+day] += i.Sum
		}
	}
	return days
}

// diffDays returns the differences between daily increases, at most ten.
func diffDays(want, got map[string]uint64) error {
	all := maps.Clone(want)
	maps.Copy(all, got)
	var errs []error
	for _, day := range slices.Sorted(maps.Keys(all)) {
		if want[day] != got[day] && len(errs) < 10 {
			errs = append(errs, fmt.Errorf("%s: want %d, got %d", day, want[day], got[day]))
		}
	}
	return errors.Join(errs...)
}

// withFreshDaemon calls do with the address of a daemon with an empty state, which is
// ended then.
func (r *run) withFreshDaemon(ctx context.Context, do func(address string) error) (err error) {
	state := filepath.Join(r.sandbox.dir, "fresh")
	if err := os.Mkdir(state, 0o700); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l := &log{out: r.sandbox.logFile, listens: make(chan struct{}), onError: func(why string, line []byte) {
		r.checker.fail("the log of the fresh daemon %s: %s", why, line)
	}}
	cmd := r.sandbox.command(ctx, "--state.dir="+state, "--web.listen-address=127.0.0.1:0")
	cmd.SysProcAttr, cmd.Stderr = sysProcAttr(false), l
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a fresh daemon: %w", err)
	}
	defer func() {
		stop()
		_ = cmd.Wait() // it was killed
	}()
	if err := r.await(ctx, "the fresh daemon listens", closed(l.listens)); err != nil {
		return err
	}
	client := statusclient.New(l.address)
	if err := r.await(ctx, "the fresh daemon is ready", func() error { return client.Ready(ctx) }); err != nil {
		return err
	}
	return do(l.address)
}

// compares reports whether a family of the given kind of sub-agents can be compared
// with another reading of the files, see comparable.
func (t *tree) compares(family, kind string) bool {
	_, allowed := t.allowance[kind]
	return strings.HasPrefix(family, "claude_") && !isCounted(family) && (!allowed || family != "claude_subagents_total")
}

// removeOrder removes the labels that depend on the order of reading. Whether a hit is
// partial depends on the request before it, which is missing if lines were dropped.
func removeOrder[M ~map[K]V, K, V ~string](labels M) {
	maps.DeleteFunc(labels, func(label K, _ V) bool { return dependsOnOrder(string(label)) })
	if labels["result"] == "partial" {
		labels["result"] = "hit"
	}
}

// dependsOnOrder reports whether a label depends on the copy of a message that was read
// first, or, like the project, on the directory of the transcript at that time.
func dependsOnOrder(label string) bool {
	switch label {
	case "agent", "project", "stop_reason", "permission_mode", "service_tier", "speed":
		return true
	}
	return false
}
