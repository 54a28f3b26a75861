package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// Prefixes of text in transcripts: hush must appear nowhere else, marked only in its
// label, and named, an unknown name of the format, only in the log and /-/status.
const (
	hush   = "hush"
	marked = "marked-"
	named  = "named-"
)

// namesInLog are the only parts of a session that the log may contain.
var namesInLog = []string{
	"kind=usage_key name=named-tokens", "kind=stop_reason name=marked-stop", "kind=error name=marked-error",
	"kind=metadata_type name=named-type", "kind=type name=named-reply", "kind=type name=system/named-reply", "kind=subtype name=named-subtype",
	"kind=block name=named-tool_use", "kind=iteration name=named-iteration",
}

// unreadablePath matches the only log lines that may have a path.
var unreadablePath = regexp.MustCompile(`(?m)^time=\S+ level=DEBUG source=\S+ msg="(Unreadable file|Unreadable directory|Link is not followed)" path=.*\n`)

const (
	secretSettings = "limits: {line_size: 8KiB}\nintervals: {scan: 1s, poll: 10ms, message_timeout: 1s}\n"
	secretProject  = "-home-hush-user-hush-checkout-marked-project"
)

// newSecretScript returns a script of a session in the project of secretProject.
func newSecretScript() script {
	return script{cwd: "/home/hush-user/hush-checkout/marked-project", session: marked + "session", at: time.Now().Add(-3 * time.Minute)}
}

// secretSession returns the lines of a session with a secret in every field that can
// hold text, in valid and invalid lines.
func secretSession(s *script) []string {
	assistant := func(stop, extra string) string {
		return s.line("assistant", fmt.Sprintf(`{"model":"marked-model","id":"hush-%d","role":"assistant","content":[`+
			`{"type":"text","text":"hush-text"},{"type":"thinking","thinking":"hush-thought","signature":"hush-signature"},{"type":"hush-block"},{"type":"named-tool_use"},{"type":"hush tool_use"},`+
			`{"type":"tool_use","id":"hush-call-%d","name":"marked-tool","input":{"command":"hush-input","hush-key":"hush-path"}}],`+
			`"stop_reason":%q,"usage":{"input_tokens":3,"output_tokens":5,"hush tokens":7,"named-tokens":7,"hush_tier":"hush","iterations":[{"type":"named-iteration"},{"type":"hush iteration"}]}%s}`, s.lines, s.lines, stop, extra))
	}
	raw := func(fields string) string {
		return strings.Replace(s.line("system", "{}"), `"type":"system"`, fields, 1)
	}
	noMessage := func(line string) string { return strings.Replace(line, `,"message":{}`, "", 1) }
	lines := []string{
		s.prompt("hush-prompt"), s.text("hush-open", 1),
		s.prompt("<command-name>/hush-command</command-name><command-args>hush-args</command-args>"),
		assistant("tool_use", ""), assistant("marked-stop", `,"hush-field":"hush-value"`),
		s.line("user", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"hush-call-2","is_error":true,"content":"hush-failure"}]}`),
		s.line("user", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"hush-lost","content":"hush-output"}]}`),
		s.line("user", `{"role":"user","content":[{"type":"text","text":"[Request interrupted by user] hush"}]}`),
		s.call("hush-mcp", "mcp__marked-server__marked-call"),
		raw(`"type":"named-reply"`), raw(`"type":"system","subtype":"named-reply","content":"hush-content"`),
		raw(`"type":"hush type"`), raw(`"type":"system","subtype":"hush subtype"`),
		noMessage(raw(`"type":"named-type"`)), noMessage(raw(`"type":"system","subtype":"named-subtype","content":"hush-content"`)),
		noMessage(raw(`"type":"hush type"`)), noMessage(raw(`"type":"system","subtype":"hush subtype"`)),
		raw(`"type":"assistant","isApiErrorMessage":true,"error":"marked- it is","message":{"model":"<synthetic>"}`),
		raw(`"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"marked-trigger","preTokens":5}`),
		raw(`"type":"system","subtype":"api_error","error":{"status":"hush-status","message":"hush-error","cause":{"code":"marked-code"}}`),
		raw(`"type":"assistant","isApiErrorMessage":true,"error":"marked-error","apiErrorStatus":"marked-status","message":{"model":"<synthetic>","content":[{"type":"text","text":"hush-error"}]}`),
		raw(`"type":"attachment","attachment":{"type":"queued_command","commandMode":"hush-mode","prompt":"hush-queued"}`),
		raw(`"type":"queue-operation","operation":"hush-operation","content":"hush-enqueued"`),
		raw(`"type":"summary","summary":"hush-summary","leafUuid":"hush-leaf"`),
		"hush-garbage\n", `{"type":"hush` + "\n", `["hush"]` + "\n", `"hush"` + "\n",
		strings.TrimSpace(s.prompt("hush-glued")) + s.prompt("hush-glue"),
		s.prompt(strings.Repeat("hush-long ", 2000)), // too long for the configuration
		`{"type":"user","message":"hush-half`,
	}
	for i := range lines {
		lines[i] = strings.Replace(lines[i], `"gitBranch":"main"`, `"gitBranch":"hush-branch"`, 1)
	}
	return lines
}

// TestPrivacyOfState checks the pages of a daemon, and its state, on every system.
func TestPrivacyOfState(t *testing.T) {
	p := newSandbox(t)
	p.configure(t, secretSettings)
	s := newSecretScript()
	writeFile(t, filepath.Join(p.projects(), secretProject, s.session+".jsonl"), secretSession(&s)...)
	d := p.start(t).ready()
	p.checkPages(t, d)
	d.kill()
	p.checkState(t)
}

// TestPrivacy runs daemons on sessions with secrets, through every kind of failure, and
// looks for the secrets in their logs, pages, metrics and state. Only the debug log may
// have paths: of unreadable files, unreadable directories and skipped links.
func TestPrivacy(t *testing.T) {
	skipOnWindows(t)
	p := newSandbox(t)
	p.configure(t, secretSettings)
	s := newSecretScript()
	dir := filepath.Join(p.projects(), secretProject)
	path := filepath.Join(dir, s.session+".jsonl")
	agent := script{cwd: s.cwd, session: s.session, agent: true, at: s.at}
	writeFile(t, path, secretSession(&s)...)
	writeFile(t, filepath.Join(dir, s.session, "subagents", "agent-hush.jsonl"), agent.prompt("hush-task"), agent.call("hush-agents", "marked-tool"))
	makeDir(t, filepath.Join(dir, "hush-directory.jsonl"))
	symlink(t, path, filepath.Join(dir, "hush-link.jsonl"))
	makeFIFO(t, filepath.Join(dir, "hush-fifo.jsonl"))
	unreadable := os.Getuid() != 0 // root can read every file
	if unreadable {
		for _, name := range []string{"hush-closed.jsonl", "hush-secrets/hush.jsonl"} {
			writeFile(t, filepath.Join(dir, name), s.prompt("hush-closed"))
		}
		for _, name := range []string{"hush-closed.jsonl", "hush-secrets"} {
			closed := filepath.Join(dir, name)
			if err := os.Chmod(closed, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(closed, 0o700) }) // to remove it
		}
	}

	var output strings.Builder
	begin := func() *process { return p.start(t, "--log.level=debug", "--web.enable-lifecycle").ready() }
	d := begin()
	p.checkRunning(t, d)
	write := func(lines ...string) {
		t.Helper()
		before := d.sample("ccwatchd_read_bytes_total")
		appendFile(t, path, lines...)
		polltest.Eventually(t, "more is read", func() bool { return d.sample("ccwatchd_read_bytes_total") > before })
	}
	write(append([]string{"\n"}, secretSession(&s)...)...)
	p.configure(t, "limits: {line_size: 1}\n")
	if a, err := d.request(http.MethodPost, "/-/reload"); err != nil || a.status != http.StatusInternalServerError {
		t.Errorf("a bad configuration: status %d, %v", a.status, err)
	}
	p.configure(t, secretSettings)
	d.signal(syscall.SIGHUP)
	d.waitForLog("Reloaded the configuration")
	if err := os.Rename(path, filepath.Join(dir, "hush-renamed.jsonl")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, s.prompt("hush-again"))
	polltest.Eventually(t, "the new file is read", func() bool { return d.sample("ccwatchd_files") > 2 })
	writeFile(t, filepath.Join(dir, "hush-renamed.jsonl"), "hush\n")
	polltest.Eventually(t, "a shorter file is read", func() bool { s, _ := d.sum("ccwatchd_file_resets_total"); return s > 0 })
	p.checkRunning(t, d)
	d.kill()
	output.WriteString(d.log.String())

	p.checkState(t)
	p.damageState(t) // it is quarantined, and everything is counted again
	d = begin()
	write(append([]string{"\n"}, secretSession(&s)...)...)
	p.checkRunning(t, d)
	d.stop()
	output.WriteString(d.log.String())
	p.checkState(t)

	_, stderr, code := p.run(t, "once", "--log.level=debug", "--config.file="+p.config)
	if (code != 0) != unreadable {
		t.Errorf("once: exit code %d", code)
	}
	output.WriteString(stderr)
	log := unreadablePath.ReplaceAllString(output.String(), "")
	log = strings.ReplaceAll(log, " directories=1 first="+dir+" ", "") // the project of an unreadable directory
	for _, name := range namesInLog {
		if !strings.Contains(log, name) {
			t.Errorf("%s is missing in the log", name)
		}
		log = strings.ReplaceAll(log, name, "")
	}
	for _, secret := range []string{hush, marked, named} {
		if i := strings.Index(log, secret); i >= 0 {
			t.Errorf("the log has a secret: %q", log[max(0, i-200):min(len(log), i+100)])
		}
	}
	for _, proof := range []string{"level=DEBUG", "level=ERROR", "Stopping"} {
		if !strings.Contains(log, proof) {
			t.Errorf("%q is missing in the log:\n%s", proof, log)
		}
	}
}

// checkRunning checks the pages and the state of a running daemon.
func (p sandbox) checkRunning(t *testing.T, d *process) {
	t.Helper()
	p.checkPages(t, d)
	p.checkState(t)
}

// checkPages checks that pages and metrics have no secret, except marked text in its
// label, and an unreadable directory on the page and in the status for local clients.
func (p sandbox) checkPages(t *testing.T, d *process) {
	t.Helper()
	allowed := map[string]string{
		"model": "marked-model", "project": "marked-project", "session": "marked-session",
		"tool": "marked-tool mcp__marked-server__marked-call", "mcp_server": "marked-server",
		"stop_reason": "marked-stop", "trigger": "marked-trigger", "error": "marked-error marked- it is", "status": "marked-code marked-status",
	}
	seen := make(map[string]bool)
	samples, _ := d.scrape(protobuf)
	for _, s := range samples {
		for label, value := range s.Labels {
			name, v := string(label), string(value)
			seen[name] = seen[name] || strings.Contains(v, marked)
			if strings.Contains(v, hush) || strings.Contains(v, named) || strings.Contains(v, marked) && !strings.Contains(allowed[name], v) {
				t.Errorf("%s shows %s=%q", s.Family, name, v)
			}
			if name == "session" && s.Family != "claude_session_context_tokens" {
				t.Errorf("%s shows sessions", s.Family)
			}
		}
	}
	for label := range allowed {
		if !seen[label] {
			t.Errorf("label %s is missing: the test does not cover it", label)
		}
	}
	for _, path := range []string{"/", "/metrics", "/-/ready", "/-/status", "/api/v1/history", "/api/v1/sessions"} {
		text := d.page(path)
		if path == "/" || path == "/-/status" {
			text = strings.ReplaceAll(text, filepath.Join(p.projects(), secretProject, "hush-secrets"), "")
		}
		if strings.Contains(text, hush) {
			t.Errorf("%s has a secret", path)
		}
	}
}

// checkState checks that the state has labels, but no secret and no session.
func (p sandbox) checkState(t *testing.T) {
	t.Helper()
	var all strings.Builder
	for name, content := range transcripttest.ReadTree(t, p.state) {
		all.WriteString(name + "\n" + content)
	}
	state := all.String()
	for _, secret := range []string{hush, named, "marked-session"} {
		if i := strings.Index(state, secret); i >= 0 {
			t.Errorf("the state has a secret: %q", state[max(0, i-20):min(len(state), i+40)])
		}
	}
	for _, label := range []string{"marked-project", "marked-model", "marked-tool", "custom"} {
		if !strings.Contains(state, label) {
			t.Errorf("label %q is missing in the state: the test does not cover it", label)
		}
	}
}

// damageState damages every file of the state.
func (p sandbox) damageState(t *testing.T) {
	t.Helper()
	for name, content := range transcripttest.ReadTree(t, p.state) {
		if name == "state" || strings.HasPrefix(name, "journal-") {
			writeFile(t, filepath.Join(p.state, name), content[:len(content)/2]+"\xff"+content[len(content)/2:])
		}
	}
}
