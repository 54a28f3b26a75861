package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A script produces the lines of one transcript, one per second.
type script struct {
	cwd, session string
	agent        bool // the transcript of a sub-agent
	at           time.Time
	lines        int
}

// uuid returns a UUID for a number.
func uuid(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n) }

// line returns a line with the common fields.
func (s *script) line(kind, message string) string {
	s.at = s.at.Add(time.Second)
	s.lines++
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":%t,"userType":"external","cwd":%q,"sessionId":%q,"version":"2.1.220","gitBranch":"main","type":%q,"uuid":"%.8s-%04d-4000-8000-%012d","timestamp":%q,"message":%s}`+"\n",
		s.agent, s.cwd, s.session, kind, s.session, s.lines%10000, s.lines, s.at.UTC().Format("2006-01-02T15:04:05.000Z"), message)
}

func (s *script) prompt(text string) string {
	return s.line("user", fmt.Sprintf(`{"role":"user","content":%q}`, text))
}

// text returns a line of an unfinished message.
func (s *script) text(id string, output int) string {
	return s.assistant(id, "null", output, `{"type":"text","text":"Let me look at that file first, and then change what is needed."}`)
}

// call returns the last line of a message, which calls a tool.
func (s *script) call(id, tool string) string {
	return s.assistant(id, `"tool_use"`, 120, fmt.Sprintf(`{"type":"tool_use","id":"toolu_%s","name":%q,"input":{"path":"/home/dev/app/main.go"}}`, id, tool))
}

func (s *script) assistant(id, stop string, output int, block string) string {
	return s.line("assistant", fmt.Sprintf(
		`{"model":"claude-opus-4-6","id":"msg_%s","type":"message","role":"assistant","content":[%s],"stop_reason":%s,"stop_sequence":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":1000,"cache_read_input_tokens":50000,"cache_creation":{"ephemeral_5m_input_tokens":1000,"ephemeral_1h_input_tokens":0},"output_tokens":%d,"service_tier":"standard"}}`,
		id, block, stop, output))
}

// result returns a line with the result of a tool.
func (s *script) result(id, text string) string {
	content, err := json.Marshal(text)
	if err != nil {
		panic(err) // impossible for a string
	}
	return s.line("user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%s","content":%s}]}`, id, content))
}

// A session is a growing transcript.
type session struct {
	*script
	t    testing.TB
	path string
	n    int // prompts so far
}

// newSession returns a session without lines in a project.
func (p sandbox) newSession(t testing.TB, project string) *session {
	s := &script{cwd: "/home/dev/" + project, session: uuid(1), at: time.Now()}
	return &session{script: s, t: t, path: filepath.Join(p.projects(), "-home-dev-"+project, s.session+".jsonl")}
}

func (s *session) prompts(n int) {
	s.t.Helper()
	var lines strings.Builder
	for range n {
		s.n++
		lines.WriteString(s.prompt(fmt.Sprint("hello ", s.n)))
	}
	appendFile(s.t, s.path, lines.String())
}

// series is the series that counts the prompts.
func (s *session) series() string {
	return fmt.Sprintf("claude_prompts_total{kind=%q,project=%q}", "text", filepath.Base(s.cwd))
}

// waitForPrompts waits until the daemon exposes the number of prompts.
func (d *process) waitForPrompts(s *session) {
	d.t.Helper()
	polltest.Eventually(d.t, fmt.Sprint(s.n, " prompts are counted"), func() bool { return d.has(fmt.Sprint(s.series(), " ", s.n)) })
}
