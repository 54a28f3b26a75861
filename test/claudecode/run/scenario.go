package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/ccwatchd/ccwatchd/test/claudecode"
	"github.com/ccwatchd/ccwatchd/test/claudecode/api"
	"github.com/ccwatchd/ccwatchd/test/claudecode/install"
	"github.com/ccwatchd/ccwatchd/test/claudecode/judge"
	"github.com/ccwatchd/ccwatchd/test/claudecode/play"
	"github.com/ccwatchd/ccwatchd/test/claudecode/sandbox"
	"github.com/ccwatchd/ccwatchd/test/claudecode/scenario"
	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// limit is the timeout of a run.
const limit = 3 * time.Minute

// A result is a run and its verdict.
type result struct {
	judge.Case
	judge.Verdict
	dir  string
	took time.Duration
}

// scenario runs a scenario, unless it was run before, and compares.
func (s *session) scenario(ctx context.Context, v version.Version, sc scenario.Scenario) (result, error) {
	r := result{dir: filepath.Join(s.dir, v.String(), sc.Name)}
	r.Case = judge.Case{Scenario: sc, Version: v}
	if !s.judge {
		job, err := s.prepare(ctx, r)
		if err != nil {
			return r, fmt.Errorf("%s: %w", sc.Name, err)
		}
		if err := s.play(ctx, job); err != nil {
			r.Problems = append(r.Problems, fmt.Sprintf("the run failed: %v", err))
		}
	}
	if err := s.compare(ctx, &r); err != nil {
		r.Problems = append(r.Problems, fmt.Sprintf("the comparison failed: %v", err))
	}
	_, _ = fmt.Fprintf(s.progress, "claudecode: %v %s %v\n", v, sc.Name, r.took.Round(time.Second))
	return r, nil
}

// prepare writes the job of a run and returns its sandbox.
func (s *session) prepare(ctx context.Context, r result) (box sandbox.Box, err error) {
	programDir, program, err := s.install(ctx, r.Version)
	if err != nil {
		return box, err
	}
	if err := errors.Join(os.RemoveAll(r.dir), os.MkdirAll(r.dir, 0o700)); err != nil {
		return box, err
	}
	text, err := fs.ReadFile(claudecode.Scenarios(), r.Scenario.Name+".yaml")
	if err != nil {
		return box, err
	}
	job, err := json.Marshal(play.Job{
		Name: r.Scenario.Name, Text: string(text), Version: r.Version.String(), Program: program, Path: searchPath(), Live: r.Scenario.Live,
		Ccwatchd: filepath.Base(s.ccwatchd),
	})
	if err != nil {
		return box, err
	}
	box = sandbox.Box{Dir: r.dir, At: scenario.Run, Binds: map[string]string{
		play.ProgramDir: programDir, play.CcwatchdDir: filepath.Dir(s.ccwatchd),
	}}
	return box, os.WriteFile(filepath.Join(r.dir, play.JobFile), job, 0o600)
}

// play does a job in a sandbox.
func (s *session) play(ctx context.Context, box sandbox.Box) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd, err := box.Command(ctx, insideRun)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, out.String())
	}
	return nil
}

func (s *session) install(ctx context.Context, v version.Version) (string, []string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, program, err := install.Version(ctx, s.cache, v)
	if err != nil {
		return "", nil, err
	}
	dir, err = filepath.EvalSymlinks(dir)
	return dir, program, err
}

// searchPath is $PATH in a sandbox: system directories, and the directory of node.
func searchPath() string {
	path := "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
	if node, err := exec.LookPath("node"); err == nil {
		path += ":" + filepath.Dir(node)
	}
	return path
}

// compare compares the results of a run.
func (s *session) compare(ctx context.Context, r *result) error {
	served, err := os.Open(filepath.Join(r.dir, play.ServedFile))
	if err != nil {
		return err
	}
	defer served.Close() //nolint:errcheck // only read
	if r.Served, err = api.ReadServed(served); err != nil {
		return err
	}
	home := filepath.Join(r.dir, "home")
	if r.Lines, err = judge.Lines(home, judge.Projects...); err != nil {
		return err
	}
	if r.Counted, r.Log, err = s.once(ctx, home); err != nil {
		return err
	}
	failed := r.Problems
	r.Verdict = judge.Compare(r.Case)
	r.Problems = append(failed, r.Problems...)
	var outcome play.Outcome
	text, err := os.ReadFile(filepath.Join(r.dir, play.OutcomeFile))
	if err := errors.Join(err, json.Unmarshal(text, &outcome)); err != nil {
		return fmt.Errorf("read the outcome: %w", err)
	}
	r.took = outcome.Took
	r.Problems = append(r.Problems, outcome.Problems...)
	if s.judge { // the daemon was another program
		return nil
	}
	return s.compareLive(r)
}

// once counts a home directory at rest, or other directories.
func (s *session) once(ctx context.Context, home string, others ...string) (exposition.Samples, string, error) {
	cmd := play.Ccwatchd(ctx, s.ccwatchd, home, append([]string{"once", "--log.format=logfmt"}, others...)...)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		return nil, "", fmt.Errorf("ccwatchd once: %w: %s", err, log.String())
	}
	samples, err := exposition.ParseText(string(out))
	return samples, log.String(), err
}

// compareLive compares the daemon's counters with the counters of the files at rest.
func (s *session) compareLive(r *result) error {
	text, err := os.ReadFile(filepath.Join(r.dir, play.MetricsFile))
	if os.IsNotExist(err) && !r.Scenario.Live {
		return nil
	}
	if err != nil {
		return err
	}
	live, err := exposition.ParseText(string(text))
	if err != nil {
		return err
	}
	for _, d := range exposition.Diff(play.Counts(r.Counted), play.Counts(live), nil) {
		r.Problems = append(r.Problems, "live: "+d.String())
	}
	return nil
}
