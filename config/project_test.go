package config

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestProject(t *testing.T) {
	for _, test := range []struct{ cwd, name, path string }{
		{"", "", ""},
		{"/", "/", "/"},
		{"///", "/", "/"},
		{"/home/alice", "alice", "/home/alice"},
		{"/home/alice/src/app", "app", "/home/alice/src/app"},
		{"/home/alice/src/app///", "app", "/home/alice/src/app"},
		{"/a b/ü", "ü", "/a b/ü"},
		{"app", "app", "app"},
		{`/a/back\slash`, `back\slash`, `/a/back\slash`},
		// Windows, on every system.
		{`C:\Users\dev\app`, "app", `C:\Users\dev\app`},
		{`c:\Users\dev\app\`, "app", `c:\Users\dev\app`},
		{`C:/Users/dev/app/`, "app", `C:/Users/dev/app`},
		{`C:\Users/dev\app`, "app", `C:\Users/dev\app`},
		{`C:\`, "C:", "C:"},
		{`C:`, "C:", "C:"},
		{`\\server\share\app`, "app", `\\server\share\app`},
		{`\\server\share\`, "share", `\\server\share`},
		{`\\`, "/", "/"},
		{`\\wsl.localhost\Ubuntu\home\a`, "a", `\\wsl.localhost\Ubuntu\home\a`},
		// Worktrees belong to their checkout.
		{"/src/app/.claude/worktrees/fix", "app", "/src/app"},
		{"/src/app/.claude/worktrees/fix/", "app", "/src/app"},
		{"/src/app/.claude/worktrees/fix/cmd/x", "app", "/src/app"},
		{"/src/app//.claude/worktrees/fix", "app", "/src/app"},
		{"/src/app/.claude/worktrees/a/.claude/worktrees/b", "app", "/src/app"},
		{"/src/app/.claude/worktrees/a/.worktrees/b", "app", "/src/app"},
		{"/src/app/.worktrees/a/.claude/worktrees/b", "app", "/src/app"},
		{"/src/app/.worktrees/fix/cmd", "app", "/src/app"},
		{"/.worktrees/fix", "/", "/"},
		{`C:\src\app\.claude\worktrees\fix`, "app", `C:\src\app`},
		{`C:\src\app\.worktrees\fix\x\`, "app", `C:\src\app`},
		{`C:/src/app/.claude/worktrees/fix`, "app", `C:/src/app`},
		{`C:\.worktrees\fix`, "C:", "C:"},
		{"/Users/dev/conductor/workspaces/shop/oslo", "shop", "/Users/dev/conductor/workspaces/shop"},
		{"/Users/dev/conductor/workspaces/shop/oslo/cmd/x/", "shop", "/Users/dev/conductor/workspaces/shop"},
		{"/Users/dev/conductor/workspaces/shop/oslo/.claude/worktrees/fix", "shop", "/Users/dev/conductor/workspaces/shop"},
		{"/Users/dev/.cursor/worktrees/shop/xq3", "shop", "/Users/dev/.cursor/worktrees/shop"},
		{`C:\Users\dev\.cursor\worktrees\shop\xq3\src`, "shop", `C:\Users\dev\.cursor\worktrees\shop`},
		{"/Users/dev/.superset/worktrees/shop/feat/liquid", "shop", "/Users/dev/.superset/worktrees/shop"},
		{"/Users/dev/emdash/worktrees/shop/emdash/mobile-kn063", "shop", "/Users/dev/emdash/worktrees/shop"},
		{"/var/tmp/vibe-kanban/worktrees/3f2a-fix-login/shop", "shop", "/var/tmp/vibe-kanban/worktrees/shop"},
		{"/var/tmp/vibe-kanban/worktrees/3f2a-fix-login/shop/web", "shop", "/var/tmp/vibe-kanban/worktrees/shop"},
		{`C:\Users\dev\.codex\worktrees\9ee2\shop`, "shop", `C:\Users\dev\.codex\worktrees\shop`},
		{"/home/dev/shop/.conductor/oslo", "shop", "/home/dev/shop"},
		{"/home/dev/shop/.emdash/worktrees/shop/atg/flat-pans", "shop", "/home/dev/shop"},
		// Not worktrees.
		{"/Users/dev/conductor/workspaces/shop", "shop", "/Users/dev/conductor/workspaces/shop"},
		{"/var/tmp/vibe-kanban/worktrees/vk-d41b-implement", "vk-d41b-implement", "/var/tmp/vibe-kanban/worktrees/vk-d41b-implement"},
		{"/src/conductor/workspaces", "workspaces", "/src/conductor/workspaces"},
		{"/src/app/.claude/worktrees", "worktrees", "/src/app/.claude/worktrees"},
		{"/src/app/.claude/worktrees/", "worktrees", "/src/app/.claude/worktrees"},
		{"/src/app/.worktrees/", ".worktrees", "/src/app/.worktrees"},
		{"/src/app/worktrees/fix", "fix", "/src/app/worktrees/fix"},
		{"/src/x.worktrees/fix", "fix", "/src/x.worktrees/fix"},
		{`/src/app\.worktrees\fix`, `app\.worktrees\fix`, `/src/app\.worktrees\fix`},
		// Label values are cleaned.
		{"/a/b\nc\x7f", "bc", "/a/bc"},
		{"/a/b\xff", "b\uFFFD", "/a/b\uFFFD"},
		{"/" + strings.Repeat("x", 200), strings.Repeat("x", 128), "/" + strings.Repeat("x", 127)},
	} {
		for naming, want := range map[Naming]string{ByName: test.name, ByPath: test.path, NoName: ""} {
			l := &Labels{Projects: Projects{Naming: naming}}
			for range 2 { // the second is cached
				if got := l.Project(test.cwd); got != want {
					t.Errorf("%s of %q: got %q, want %q", naming, test.cwd, got, want)
				}
			}
		}
	}
}

func TestProjectRules(t *testing.T) {
	var rules []Rule
	for _, r := range [][2]string{
		{`/home/[^/]+/src/(.*)`, "$1"},
		{`/home/(.*)`, "$1"}, // used only if the first does not match
		{`/opt/(?P<team>\w+)/(\w+)`, "${team}:$2"},
		{`/secret(/.*)?`, "hidden"},
		{`/maybe/(.*)`, "$1"},
		{`/a/?(.*)`, "$1"},
		{`C:\\work\\([^\\]+).*`, "work/$1"},
	} {
		rules = append(rules, Rule{Match: pattern(t, r[0]), Name: r[1]})
	}
	for _, test := range []struct {
		naming    Naming
		cwd, want string
	}{
		{ByName, "", ""},
		{ByName, "/home/alice/src/app", "app"},
		{ByName, "/home/alice/src/app/sub", "app/sub"},
		{ByName, "/home/alice/src/app/", "app"},
		{ByName, "/home/alice/src/app/.claude/worktrees/fix", "app"},
		{ByName, "/home/alice", "alice"},
		{ByName, "/opt/a/b", "a:b"},
		{ByName, "/opt/a/b/c", "c"}, // a rule matches the whole directory
		{ByName, "/x/opt/a/b", "b"},
		{ByName, "/secret/plan", "hidden"},
		{ByName, "/secret", "hidden"},
		{ByName, "/maybe/", "maybe"}, // the trailing separator is removed first
		{ByName, `C:\work\app\sub`, "work/app"},
		{ByName, `D:\work\app\sub`, "sub"},
		{ByPath, "/a/", "/a"}, // the rule results in an empty name
		{NoName, "/secret", "hidden"},
		{NoName, "/elsewhere", ""},
	} {
		l := &Labels{Projects: Projects{Naming: test.naming, Map: rules}}
		if got := l.Project(test.cwd); got != test.want {
			t.Errorf("%s of %q: got %q, want %q", test.naming, test.cwd, got, test.want)
		}
	}
}

// A name in both forms of Unicode is one project, and matches rules in either.
func TestProjectIsComposed(t *testing.T) {
	const composed, decomposed = "/src/M\u00fcnchen", "/src/Mu\u0308nchen"
	for _, cwd := range []string{composed, decomposed} {
		if got := (&Labels{Projects: Projects{Naming: ByName}}).Project(cwd); got != "M\u00fcnchen" {
			t.Errorf("%+q: got %+q", cwd, got)
		}
		for _, rule := range []string{composed, decomposed} {
			l := &Labels{Projects: Projects{Map: []Rule{{Match: pattern(t, rule), Name: "city"}}}}
			if got := l.Project(cwd); got != "city" {
				t.Errorf("%+q with the rule %+q: got %+q", cwd, rule, got)
			}
		}
	}
}

func TestProjectCacheIsBounded(t *testing.T) {
	l := &Labels{Projects: Projects{Naming: ByName}}
	for i := range 3 * maxCachedNames {
		if got, want := l.Project(fmt.Sprintf("/src/p%d", i)), fmt.Sprintf("p%d", i); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		if len(l.projectNames) > maxCachedNames {
			t.Fatalf("got %d cached names, want at most %d", len(l.projectNames), maxCachedNames)
		}
	}
}

// A line may contain a directory almost as long as the longest line. Only its name,
// which is short, stays in memory.
func TestProjectKeepsNoLongDirectory(t *testing.T) {
	const many, long = 200, 1 << 20
	l := &Labels{Projects: Projects{Naming: ByName}}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	names := make([]string, many)
	for i := range names {
		names[i] = l.Project("/" + strings.Repeat("x", long) + fmt.Sprintf("/p%d", i))
	}
	if took := int64(heap()) - int64(before); took > 4*long {
		t.Errorf("%d directories of %d bytes use %d bytes", many, long, took)
	}
	if want := fmt.Sprintf("p%d", many-1); names[many-1] != want {
		t.Errorf("got %q, want %q", names[many-1], want)
	}
	runtime.KeepAlive(l)
	runtime.KeepAlive(names)
}
