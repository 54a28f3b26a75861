package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What must stay where it is begins with hush. What a label may show begins with
// marked, and only that label may. What begins with named is a name of the format that
// is not known: the log and /-/status may show it, and nothing else.
const (
	hush   = "hush"
	marked = "marked-"
	named  = "named-"
)

// namesInLog are the only parts of a session that the log may contain: format names.
var namesInLog = []string{
	"kind=usage_key name=named-tokens", "kind=stop_reason name=marked-stop", "kind=error name=marked-error",
	"kind=metadata_type name=named-type", "kind=type name=named-reply", "kind=type name=system/named-reply", "kind=subtype name=named-subtype",
	"kind=block name=named-tool_use", "kind=iteration name=named-iteration",
}

// aSecretLife is a session that has a secret in every place in which a text can
// stand, be it right or broken.
func aSecretLife(s *script) []string {
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
	return []string{
		s.prompt("hush-prompt"),
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
}

// TestNothingIsToldOf leads a life with secrets, in which everything goes wrong
// that can, and then looks at all that the daemon has said, shown and kept.
func TestNothingIsToldOf(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sends signals")
	}
	p := newPlace(t)
	good := "limits: {line_size: 8KiB}\nintervals: {scan: 1s, poll: 10ms, message_timeout: 1s}\n"
	p.configure(t, good)
	s := script{cwd: "/home/hush-user/hush-checkout/marked-project", session: marked + "session", at: time.Now().Add(-3 * time.Minute)}
	dir := filepath.Join(p.projects(), "-home-hush-user-hush-checkout-marked-project")
	path := filepath.Join(dir, s.session+".jsonl")
	agent := script{cwd: s.cwd, session: s.session, agent: true, at: s.at}
	writeFile(t, path, aSecretLife(&s)...)
	writeFile(t, filepath.Join(dir, s.session, "subagents", "agent-hush.jsonl"), agent.prompt("hush-task"), agent.call("hush-agents", "marked-tool"))
	makeDir(t, filepath.Join(dir, "hush-directory.jsonl"))
	unreadable := os.Getuid() != 0 // nothing is to root
	if unreadable {
		for _, name := range []string{"hush-closed.jsonl", "hush-secrets/hush.jsonl"} {
			writeFile(t, filepath.Join(dir, name), s.prompt("hush-closed"))
		}
		for _, name := range []string{"hush-closed.jsonl", "hush-secrets"} {
			closed := filepath.Join(dir, name)
			if err := os.Chmod(closed, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(closed, 0o700) }) // so that it can be removed
		}
	}

	var said strings.Builder
	begin := func() *process { return p.start(t, "--log.level=debug", "--web.enable-lifecycle").ready() }
	d := begin()
	p.shows(t, d)
	tell := func(lines ...string) { // and see that it was heard
		t.Helper()
		before := d.sample("ccwatchd_read_bytes_total")
		if err := appendTo(path, []byte(strings.Join(lines, ""))); err != nil {
			t.Fatal(err)
		}
		eventually(t, "more is read", func() bool { return d.sample("ccwatchd_read_bytes_total") > before })
	}
	tell(append([]string{"\n"}, aSecretLife(&s)...)...)
	p.configure(t, "limits: {line_size: 1}\n")
	if a, err := d.ask(http.MethodPost, "/-/reload", ""); err != nil || a.status != http.StatusInternalServerError {
		t.Errorf("a bad configuration: status %d, %v", a.status, err)
	}
	p.configure(t, good)
	d.signal(syscall.SIGHUP)
	eventually(t, "it is reloaded", func() bool { return strings.Contains(d.log.String(), "Reloaded the configuration") })
	if err := os.Rename(path, filepath.Join(dir, "hush-renamed.jsonl")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, s.prompt("hush-again"))
	eventually(t, "the other file is read", func() bool { return d.sample("ccwatchd_files") > 2 })
	writeFile(t, filepath.Join(dir, "hush-renamed.jsonl"), "hush\n")
	eventually(t, "a shorter file is read", func() bool { s, _ := d.sum("ccwatchd_file_resets_total"); return s > 0 })
	p.shows(t, d)
	d.kill()
	said.WriteString(d.log.String())

	p.spoil(t) // the state is set aside and counted anew
	d = begin()
	tell(append([]string{"\n"}, aSecretLife(&s)...)...)
	p.shows(t, d)
	d.stop()
	said.WriteString(d.log.String())
	p.keeps(t)

	_, stderr, code := p.run(t, "once", "--log.level=debug", "--config.file="+p.config)
	if (code != 0) != unreadable {
		t.Errorf("once ends with code %d", code)
	}
	said.WriteString(stderr)
	log := said.String()
	for _, name := range namesInLog {
		if !strings.Contains(log, name) {
			t.Errorf("there is no %s in the log", name)
		}
		log = strings.ReplaceAll(log, name, "")
	}
	for _, secret := range []string{hush, marked, named} {
		if i := strings.Index(log, secret); i >= 0 {
			t.Errorf("the log tells: %q", log[max(0, i-200):min(len(log), i+100)])
		}
	}
	for _, proof := range []string{"level=DEBUG", "level=ERROR", "Stopping"} {
		if !strings.Contains(log, proof) {
			t.Errorf("there is no %q in the log:\n%s", proof, log)
		}
	}
}

// shows sees that nothing is shown but labels, each where it belongs.
func (p place) shows(t *testing.T, d *process) {
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
			t.Errorf("no %s is shown, so it is not looked at rightly", label)
		}
	}
	for _, path := range []string{"/", "/metrics", "/-/ready", "/-/status"} {
		if a, err := d.ask(http.MethodGet, path, ""); err != nil || strings.Contains(a.body, hush) {
			t.Errorf("%s tells, or nothing at all: %v", path, err)
		}
	}
}

// keeps sees what is in the state: labels, but no secret and no session.
func (p place) keeps(t *testing.T) {
	t.Helper()
	var all strings.Builder
	for name, content := range p.stateFiles(t) {
		all.WriteString(name + "\n" + content)
	}
	kept := all.String()
	for _, secret := range []string{hush, named, "marked-session"} {
		if i := strings.Index(kept, secret); i >= 0 {
			t.Errorf("the state tells: %q", kept[max(0, i-20):min(len(kept), i+40)])
		}
	}
	for _, label := range []string{"marked-project", "marked-model", "marked-tool"} {
		if !strings.Contains(kept, label) {
			t.Errorf("the state does not hold the label %q, so it is not looked at rightly", label)
		}
	}
}

// spoil breaks the state, which is set aside then.
func (p place) spoil(t *testing.T) {
	t.Helper()
	for name, content := range p.stateFiles(t) {
		if name == "state" || strings.HasPrefix(name, "journal-") {
			writeFile(t, filepath.Join(p.state, name), content[:len(content)/2]+"\xff"+content[len(content)/2:])
		}
	}
}

func (p place) stateFiles(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(p.state)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(p.state, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}
