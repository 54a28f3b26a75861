// Package scenario reads scenarios: actions of people in Claude Code, and answers of
// the API. Each is a file in test/claudecode/scenarios whose first comment states its
// purpose.
package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ccwatchd/ccwatchd/test/claudecode/api"
	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
)

// Directories of a run, as Claude Code sees them. They are the same on every machine.
const (
	Run  = "/mnt"
	Home = Run + "/home"
	Work = Run + "/work"
)

// A Scenario is a script for one run, with one home directory.
type Scenario struct {
	Name  string `yaml:"-"`
	About string `yaml:"-"` // the first comment

	Since version.Version `yaml:"since"` // the first version that it applies to
	Until version.Version `yaml:"until"` // the last one

	// Reasons name why answers are on no line, or on lines with other numbers. Each must
	// occur. Reasons that apply to every scenario of an old version are not listed.
	Reasons []string `yaml:"reasons"`

	Live   bool `yaml:"live"`   // also counted by a daemon that is killed in between
	Golden bool `yaml:"golden"` // its masked transcripts are in the repository

	Env     map[string]string `yaml:"env"`   // an empty value removes a variable
	Files   map[string]string `yaml:"files"` // by path
	Steps   []Step            `yaml:"steps"`
	Scripts api.Scripts       `yaml:"scripts"`
}

// A Step is one of: a command, commands at the same time, a terminal, a shell line.
type Step struct {
	Claude   []string   `yaml:"claude"`   // arguments
	Input    string     `yaml:"input"`    // standard input
	Exit     int        `yaml:"exit"`     // the expected exit status
	Together [][]string `yaml:"together"` // arguments of commands that run at the same time
	Terminal []string   `yaml:"terminal"` // arguments of an interactive command
	Actions  []Action   `yaml:"actions"`  // of a person on the terminal
	Shell    string     `yaml:"shell"`    // a line that prepares something
}

// An Action is a single action on a terminal.
type Action struct {
	Await    string        `yaml:"await"`    // until this text is shown
	Answered int           `yaml:"answered"` // until the API has served so many answers
	Quiet    time.Duration `yaml:"quiet"`    // until so long nothing was shown
	Type     string        `yaml:"type"`     // a text, then Enter
	Key      string        `yaml:"key"`
}

// Read reads all scenarios of a directory for a version.
func Read(dir fs.FS, v version.Version) (all []Scenario, err error) {
	files, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := fs.ReadFile(dir, file)
		if err != nil {
			return nil, fmt.Errorf("read a scenario: %w", err)
		}
		s, err := Parse(strings.TrimSuffix(path.Base(file), ".yaml"), text, v)
		if err != nil {
			return nil, err
		}
		if s.Applies(v) {
			all = append(all, s)
		}
	}
	return all, nil
}

// taskRenamed is the first version that calls the tool for sub-agents Agent.
var taskRenamed = version.MustParse("2.1.63")

// Parse parses a scenario.
func Parse(name string, text []byte, v version.Version) (Scenario, error) {
	s := Scenario{Name: name, About: about(text)}
	task := "Agent"
	if v.Compare(taskRenamed) < 0 {
		task = "Task"
	}
	replacer := strings.NewReplacer("$AGENT", task, "$HOME", Home, "$WORK", Work, "$RUN", Run)
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(replacer.Replace(string(text)))))
	decoder.KnownFields(true)
	if err := errors.Join(decoder.Decode(&s), s.check()); err != nil {
		return s, fmt.Errorf("scenario %s: %w", name, err)
	}
	return s, nil
}

func (s Scenario) check() error {
	if s.About == "" {
		return errors.New("the first line must be a comment that says what it shows")
	}
	if len(s.Steps) == 0 {
		return errors.New("no steps")
	}
	for name, replies := range s.Scripts {
		for i, r := range replies {
			if err := r.Check(); err != nil {
				return fmt.Errorf("reply %d of %s: %w", i+1, name, err)
			}
		}
	}
	return nil
}

// Applies reports whether a version can run a scenario.
func (s Scenario) Applies(v version.Version) bool {
	return version.Range{From: s.Since, To: s.Until}.Contains(v)
}

// Expects reports whether the scenario lists a reason.
func (s Scenario) Expects(reason string) bool { return slices.Contains(s.Reasons, reason) }

// about returns the comment at the beginning.
func about(text []byte) string {
	var lines []string
	for line := range strings.Lines(string(text)) {
		comment, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		lines = append(lines, strings.TrimSpace(comment))
	}
	return strings.Join(lines, " ")
}
