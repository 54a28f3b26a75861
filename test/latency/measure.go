package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	// scrapeShare and minPause determine the pause between scrapes: a share of the time
	// since the write.
	scrapeShare = 20
	minPause    = 500 * time.Microsecond
	// minSpread is the range of the random pause before a line, at least.
	minSpread = 100 * time.Millisecond
)

// A result is what was measured in one mode.
type result struct {
	mode      string
	latencies [][]time.Duration // by kind
	idle      float64           // used CPU time, as a share of one core
	memory    float64           // resident bytes; 0 if unknown, as on macOS
}

// A session measures one daemon.
type session struct {
	options
	mode   string
	tree   *tree
	daemon *daemon
}

// measure measures a mode. dir must not exist.
func measure(ctx context.Context, o options, dir, mode string) (result, error) {
	s := session{options: o, mode: mode, tree: newTree(filepath.Join(dir, "projects"), o, time.Now())}
	s.log("writing %d files in %d directories", o.files, o.directories)
	if err := os.MkdirAll(filepath.Join(dir, "state"), 0o700); err != nil {
		return result{}, err
	}
	if err := s.tree.write(); err != nil {
		return result{}, err
	}
	var err error
	if s.daemon, err = start(ctx, o.binary, dir, s.tree.root, mode); err != nil {
		return result{}, err
	}
	defer s.daemon.stop()
	r, err := s.measure(ctx)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w\n%s", err, s.daemon.log)
	}
	return r, err
}

func (s *session) measure(ctx context.Context) (result, error) {
	r := result{mode: s.mode}
	if err := s.checkStart(ctx); err != nil {
		return r, err
	}
	if err := s.measureIdle(ctx, &r); err != nil {
		return r, fmt.Errorf("measure the idle daemon: %w", err)
	}
	for _, k := range kinds() {
		all, err := s.measureLatencies(ctx, k)
		if err != nil {
			return r, fmt.Errorf("%s: %w", k.name, err)
		}
		r.latencies = append(r.latencies, all)
	}
	return r, nil
}

// checkStart checks that everything was counted, in the mode to measure.
func (s *session) checkStart(ctx context.Context) error {
	n, err := s.requests(ctx)
	if err != nil {
		return err
	}
	if n != s.tree.requests {
		return fmt.Errorf("ccwatchd is ready with %d requests, want %d", n, s.tree.requests)
	}
	polls, err := s.daemon.sample(ctx, "ccwatchd_watch_polling")
	if err == nil && (polls == 1) != (s.mode == "polling") {
		err = fmt.Errorf("ccwatchd is not in this mode: ccwatchd_watch_polling is %v", polls)
	}
	return err
}

// requests returns the number of requests on /metrics.
func (s *session) requests(ctx context.Context) (int, error) {
	n, err := s.daemon.sample(ctx, "claude_requests_total")
	return int(n), err
}

func (s *session) measureIdle(ctx context.Context, r *result) error {
	s.log("idle for %v, after %v", s.idle, s.settle)
	if err := rest(ctx, s.settle); err != nil {
		return err
	}
	before, err := s.daemon.cpu(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := rest(ctx, s.idle); err != nil {
		return err
	}
	after, err := s.daemon.cpu(ctx)
	if err != nil {
		return err
	}
	r.idle = (after - before).Seconds() / time.Since(began).Seconds()
	samples, err := s.daemon.scrape(ctx)
	r.memory, _ = samples.Sum("process_resident_memory_bytes")
	return err
}

// measureLatencies writes a line in each round.
func (s *session) measureLatencies(ctx context.Context, k kind) (all []time.Duration, err error) {
	spread := minSpread
	for round := range s.rounds {
		s.log("%s, round %d of %d", k.name, round+1, s.rounds)
		if err := rest(ctx, s.tree.random(spread)); err != nil {
			return nil, err
		}
		took, err := s.latency(ctx, k.next(s.tree))
		if err != nil {
			return nil, err
		}
		all = append(all, took)
		spread = max(spread, took)
	}
	return all, nil
}

// latency writes a line and returns the time until it is counted.
func (s *session) latency(ctx context.Context, f file) (time.Duration, error) {
	f.modified = time.Time{} // now
	began := time.Now()
	if err := s.tree.append(f); err != nil {
		return 0, err
	}
	for {
		n, err := s.requests(ctx)
		took := time.Since(began)
		switch {
		case err != nil:
			return 0, err
		case n > s.tree.requests:
			return 0, fmt.Errorf("%d requests counted, want %d", n, s.tree.requests)
		case n == s.tree.requests:
			return took, nil
		case took > patience:
			return 0, fmt.Errorf("line not counted after %v", patience)
		}
		if err := rest(ctx, max(minPause, took/scrapeShare)); err != nil {
			return 0, err
		}
	}
}

func (s *session) log(format string, args ...any) {
	_, _ = fmt.Fprintf(s.progress, "latency: %s: %s\n", s.mode, fmt.Sprintf(format, args...))
}
