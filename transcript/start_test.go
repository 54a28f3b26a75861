package transcript

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestStartDir(t *testing.T) {
	long := "/home/dev/" + strings.Repeat("a-long-name/", 20)
	hashed := strings.ReplaceAll(long, "/", "-")[:200] + "-1x2y3z"
	for _, tt := range []struct{ name, cwd, want string }{
		{"-home-dev-shop", "/home/dev/shop", "/home/dev/shop"},
		{"-home-dev-shop", "/home/dev/shop/packages/api", "/home/dev/shop"},
		{"-home-dev-shop", "/home/dev/shop-api", ""},
		{"-home-dev-shop", "/home/dev", ""},
		{"-home-dev-shop", "/tmp", ""},
		{"-home-dev-shop", "", ""},
		{"-home-dev-shop-api", "/home/dev/shop/api", "/home/dev/shop/api"}, // or shop-api: names are not unique
		{"-home-dev-my-shop-v2-0", "/home/dev/my shop_v2.0/x", "/home/dev/my shop_v2.0"},
		{"-home-dev-shop--claude-worktrees-x", "/home/dev/shop/.claude/worktrees/x/src", "/home/dev/shop/.claude/worktrees/x"},
		{"-home-dev-caf-", "/home/dev/café", "/home/dev/café"},
		{"-home-dev-cafe-", "/home/dev/cafe\u0301/src", "/home/dev/cafe\u0301"},
		{"-home-dev---", "/home/dev/\U0001F600", "/home/dev/\U0001F600"}, // two characters of UTF-16
		{"-home-dev--", "/home/dev/\U0001F600", ""},
		{"-home-dev--", "/home/dev/\xff", "/home/dev/\xff"},
		{`C--Users-dev-shop`, `C:\Users\dev\shop\src`, `C:\Users\dev\shop`},
		{`C--Users-dev-shop`, `C:/Users/dev/shop/src`, `C:/Users/dev/shop`},
		{`c--Users-dev-shop`, `C:\Users\dev\shop`, ``},
		{`--server-share`, `\\server\share\x`, `\\server\share`},
		{"-", "/", "/"},
		{"-", "/home/dev", "/"},
		{"C--", `C:\`, `C:\`},
		{"C--", `C:\work`, `C:\`},
		{hashed, long, long},
		{hashed, long[:150], ""},
		{hashed, "/home/dev/" + strings.Repeat("b", 300), ""},
		{"p", "p", ""}, // a name that is not an encoded directory
	} {
		names := EncodedDirs(filepath.Join("/srv/projects", tt.name, "s1/subagents/agent-a.jsonl"))
		if got := StartDir(names, tt.cwd); got != tt.want {
			t.Errorf("%s in %s (%q): got %q, want %q", tt.cwd, tt.name, names, got, tt.want)
		}
	}
}

func TestEncodedDirs(t *testing.T) {
	for name, want := range map[string][]string{
		"/home/dev/.claude/projects/-home-dev-shop/s.jsonl":                {"-home-dev-shop"},
		"/home/dev/.claude/projects/D--shop/s/subagents/agent-a1.jsonl":    {"D--shop"},
		"/home/dev/.claude/projects/shop/-home-dev-shop.jsonl":             nil,
		"/home/dev/.claude/projects/p/s.jsonl":                             nil,
		"/backup/-home-dev/projects/-home-dev-shop/s/agent-acompact.jsonl": {"-home-dev-shop", "-home-dev"},
	} {
		if got := EncodedDirs(filepath.FromSlash(name)); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestSessionTranscript(t *testing.T) {
	for _, tt := range []struct{ name, session, want string }{
		{"-shop/s1/subagents/agent-a.jsonl", "s2", "-shop/s1.jsonl"},
		{"-shop/s1/subagents/workflows/wf_1/agent-a.jsonl", "s1", "-shop/s1.jsonl"},
		{"-shop/s1/agent-a.jsonl", "s1", "-shop/s1.jsonl"},
		{"-shop/agent-a.jsonl", "s1", "-shop/s1.jsonl"},
		{"agent-a.jsonl", "s1", "s1.jsonl"},
		{"-shop/agent-a.jsonl", "", ""},
		{"-shop/agent-a.jsonl", "../s1", ""},
		{"-shop/agent-a.jsonl", `..\s1`, ""},
	} {
		if got := SessionTranscript(filepath.FromSlash(tt.name), tt.session); filepath.ToSlash(got) != tt.want {
			t.Errorf("%s of %s: got %s, want %s", tt.name, tt.session, got, tt.want)
		}
	}
}
