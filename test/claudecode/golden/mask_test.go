package golden

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

func TestLine(t *testing.T) {
	const id = "80f95d05-b76d-4924-b7db-0af6984a62e9"
	long, veryLong := strings.Repeat("word ", 10), strings.Repeat("y", 3000)
	for _, test := range []struct{ name, line, want string }{
		{"structure", `{"b":1.50,"a":[null,true,{"c":""}]}`, `{"b":1.50,"a":[null,true,{"c":""}]}`},
		{"short texts", `{"type":"user","a":"short <&>"}`, `{"type":"user","a":"short <&>"}`},
		{"long texts", `{"type":"user","a":"` + long + `"}`, `{"type":"user","a":"` + strings.Repeat("x", 50) + `"}`},
		{"very long texts", `{"a":"` + veryLong + `"}`, `{"a":"` + strings.Repeat("x", 1000) + `"}`},
		{"characters", `{"a":"` + strings.Repeat("é", 45) + `"}`, `{"a":"` + strings.Repeat("x", 45) + `"}`},
		{
			"scripted texts", `{"a":"a text of the scenario which is longer than forty"}`,
			`{"a":"a text of the scenario which is longer than forty"}`,
		},
		{"ids", `{"a":"` + id + `","b":"` + id + `"}`, `{"a":"00000000-0000-4000-8000-000000000001","b":"00000000-0000-4000-8000-000000000001"}`},
		{"hashes", `{"a":"140faf7359fd9e4c"}`, `{"a":"0000000000000001"}`},
		{"agents", `{"agentId":"a13f5b8"}`, `{"agentId":"a000001"}`},
		{"ids as keys", `{"a":{"` + id + `":1}}`, `{"a":{"00000000-0000-4000-8000-000000000001":1}}`},
		{"tags", `{"a":"<task-notification><task-id>a13f5b8</task-id>` + long + `</task-notification>"}`,
			`{"a":"<task-notification><task-id>a000001</task-id>` + strings.Repeat("x", 50) + `</task-notification>"}`},
		{"beginnings", `{"a":"The user doesn't want ` + long + `"}`, `{"a":"The user doesn't want` + strings.Repeat("x", 51) + `"}`},
		{
			"requests", `{"type":"api-request-blob","message":{"role":"user","content":[{"type":"text","text":"short"}]}}`,
			`{"type":"api-request-blob","message":{"role":"user","content":[{"type":"text","text":"xxxxx"}]}}`,
		},
		{
			"tools", `{"type":"api-request-shape","shape":{"tools":[{"name":"Bash","input_schema":{"a":1}}]}}`,
			`{"type":"api-request-shape","shape":{"tools":[{"name":"xxxx","input_schema":{}}]}}`,
		},
		{
			"attachments", `{"type":"attachment","attachment":{"type":"skill_listing","names":["a skill"],"skillCount":1}}`,
			`{"type":"attachment","attachment":{"type":"skill_listing","names":["xxxxxxx"],"skillCount":1}}`,
		},
		{
			"hooks", `{"type":"attachment","attachment":{"type":"hook_success","hookName":"Stop"},"rendered":[{"content":"a"}]}`,
			`{"type":"attachment","attachment":{"type":"hook_success","hookName":"Stop"},"rendered":[{"content":"x"}]}`,
		},
	} {
		m, err := NewMasker("scripts: {main: [a text of the scenario which is longer than forty]}")
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Line([]byte(test.line))
		if err != nil || string(got) != test.want {
			t.Errorf("%s:\nwant %s\ngot  %s, %v", test.name, test.want, got, err)
		}
	}
}

func TestFails(t *testing.T) {
	if _, err := NewMasker("a: ["); err == nil {
		t.Error("a broken scenario: got no error")
	}
	m, err := NewMasker("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Line([]byte(`{"a":`)); err == nil {
		t.Error("a broken line: got no error")
	}
}

// Names of files are ids, too, and equal ids in lines stay equal to them.
func TestTree(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "golden")
	write := func(name, text string) {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, path, text)
	}
	const session = "80f95d05-b76d-4924-b7db-0af6984a62e9"
	write("-mnt-work/"+session+".jsonl", `{"sessionId":"`+session+`"}`+"\n"+`{"agentId":"a13f5b8"}`)
	write("-mnt-work/"+session+"/subagents/agent-a13f5b8.jsonl", "{}\n")
	write("-mnt-work/other.txt", "not a transcript")
	m, err := NewMasker("")
	if err := errors.Join(err, m.Tree(from, to)); err != nil {
		t.Fatal(err)
	}
	const masked = "00000000-0000-4000-8000-"
	files, err := filepath.Glob(filepath.Join(to, "-mnt-work/*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v", files, err)
	}
	name := strings.TrimSuffix(filepath.Base(files[0]), ".jsonl")
	text, err := os.ReadFile(files[0])
	if err != nil || !strings.HasPrefix(name, masked) || !strings.HasPrefix(string(text), `{"sessionId":"`+name+`"}`+"\n") || strings.HasSuffix(string(text), "\n") {
		t.Errorf("%s: got %q, %v", name, text, err)
	}
	agents, err := filepath.Glob(filepath.Join(to, "-mnt-work", name, "subagents/agent-a*.jsonl"))
	if err != nil || len(agents) != 1 || strings.Contains(agents[0], "a13f5b8") {
		t.Errorf("agents: got %v, %v", agents, err)
	}
}
