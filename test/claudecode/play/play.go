// Package play executes a scenario: within a sandbox it starts the scripted API and
// runs Claude Code with a clean environment, in print mode and on a terminal.
package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/ccwatchd/ccwatchd/test/claudecode/api"
	"github.com/ccwatchd/ccwatchd/test/claudecode/scenario"
	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
)

// Files of a run, in its directory.
const (
	JobFile     = "job.json"
	ServedFile  = "served.jsonl"
	OutcomeFile = "outcome.json"
	MetricsFile = "metrics.txt" // of the daemon, in a live run
	LogFile     = "daemon.log"

	ProgramDir  = "claude" // where the version is, within the sandbox
	CcwatchdDir = "bin"    // where ccwatchd is
)

// A Job is the task of a sandboxed process.
type Job struct {
	Name    string   `json:"name"`
	Text    string   `json:"text"` // of the scenario
	Version string   `json:"version"`
	Program []string `json:"program"` // relative to ProgramDir
	Path    string   `json:"path"`    // $PATH
	Live    bool     `json:"live"`

	Ccwatchd string `json:"ccwatchd"` // name of the program in CcwatchdDir
}

// An Outcome lists deviations from the scenario. It does not judge counts.
type Outcome struct {
	Problems []string      `json:"problems"`
	Took     time.Duration `json:"took"`
}

type player struct {
	job     Job
	s       scenario.Scenario
	api     *api.Server
	url     string
	daemon  *daemon // nil if the run is not live
	end     func()  // ends the wait for the daemon's kill
	outcome Outcome
}

// Inside plays the job of the sandbox's directory.
func Inside(ctx context.Context) error {
	text, err := os.ReadFile(filepath.Join(scenario.Run, JobFile))
	if err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	p := &player{}
	if err := json.Unmarshal(text, &p.job); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	v, err := version.Parse(p.job.Version)
	if err != nil {
		return err
	}
	if p.s, err = scenario.Parse(p.job.Name, []byte(p.job.Text), v); err != nil {
		return err
	}
	if err := os.Setenv("PATH", p.job.Path); err != nil { // to find node
		return err
	}
	start := time.Now()
	if err := p.play(ctx, v); err != nil {
		return err
	}
	p.outcome.Took = time.Since(start)
	return writeJSON(filepath.Join(scenario.Run, OutcomeFile), p.outcome)
}

func (p *player) play(ctx context.Context, v version.Version) error {
	record, err := os.Create(filepath.Join(scenario.Run, ServedFile))
	if err != nil {
		return fmt.Errorf("record what is served: %w", err)
	}
	p.api = api.New(p.s.Scripts, record)
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve the API: %w", err)
	}
	server := &http.Server{Handler: p.api, ReadHeaderTimeout: time.Minute}
	go server.Serve(listener) //nolint:errcheck // it ends with the process
	p.url = "http://" + listener.Addr().String()
	if err := p.prepare(v); err != nil {
		return err
	}
	if p.job.Live {
		p.daemon = &daemon{program: filepath.Join(scenario.Run, CcwatchdDir, p.job.Ccwatchd), next: make(chan *exec.Cmd, 1)}
		if err := p.daemon.start(ctx); err != nil {
			return err
		}
		played, end := context.WithCancel(ctx)
		defer end()
		p.end = end
		go p.killOnce(played)
	}
	for i, step := range p.s.Steps {
		if err := p.step(ctx, i, step); err != nil {
			p.problem("step %d: %v", i+1, err)
		}
	}
	if p.daemon != nil {
		p.end()
		err = p.daemon.finish(ctx)
	}
	return errors.Join(err, server.Close(), record.Close())
}

func (p *player) problem(format string, args ...any) {
	p.outcome.Problems = append(p.outcome.Problems, fmt.Sprintf(format, args...))
}

func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}
