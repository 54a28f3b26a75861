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
		// Windows, whatever the system is that this runs on.
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
		// Worktrees count to their checkout.
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
		// These are no worktrees.
		{"/src/app/.claude/worktrees", "worktrees", "/src/app/.claude/worktrees"},
		{"/src/app/.claude/worktrees/", "worktrees", "/src/app/.claude/worktrees"},
		{"/src/app/.worktrees/", ".worktrees", "/src/app/.worktrees"},
		{"/src/app/worktrees/fix", "fix", "/src/app/worktrees/fix"},
		{"/src/x.worktrees/fix", "fix", "/src/x.worktrees/fix"},
		{`/src/app\.worktrees\fix`, `app\.worktrees\fix`, `/src/app\.worktrees\fix`},
		// Values of labels are clean.
		{"/a/b\nc\x7f", "bc", "/a/bc"},
		{"/a/b\xff", "b\uFFFD", "/a/b\uFFFD"},
		{"/" + strings.Repeat("x", 200), strings.Repeat("x", 128), "/" + strings.Repeat("x", 127)},
	} {
		for naming, want := range map[Naming]string{ByName: test.name, ByPath: test.path, NoName: ""} {
			l := &Labels{Projects: Projects{Naming: naming}}
			for _, time := range []string{"first", "second"} {
				if got := l.Project(test.cwd); got != want {
					t.Errorf("%s of %q for the %s time: got %q, want %q", naming, test.cwd, time, got, want)
				}
			}
		}
	}
}

func TestProjectRules(t *testing.T) {
	var rules []Rule
	for _, r := range [][2]string{
		{`/home/[^/]+/src/(.*)`, "$1"},
		{`/home/(.*)`, "$1"}, // never for what the first one takes
		{`/opt/(?P<team>\w+)/(\w+)`, "${team}:$2"},
		{`/secret(/.*)?`, "hidden"},
		{`/maybe/(.*)`, "$1"},
		{`C:\\work\\([^\\]+).*`, "work/$1"},
	} {
		p, err := NewPattern(r[0])
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, Rule{Match: p, Name: r[1]})
	}
	for _, test := range []struct{ cwd, want string }{
		{"", ""},
		{"/home/alice/src/app", "app"},
		{"/home/alice/src/app/sub", "app/sub"},
		{"/home/alice/src/app/", "app"},
		{"/home/alice/src/app/.claude/worktrees/fix", "app"},
		{"/home/alice", "alice"},
		{"/opt/a/b", "a:b"},
		{"/opt/a/b/c", "c"}, // from beginning to end
		{"/x/opt/a/b", "b"},
		{"/secret/plan", "hidden"},
		{"/secret", "hidden"},
		{"/maybe/", "maybe"}, // the separator at the end is not part of it
		{`C:\work\app\sub`, "work/app"},
		{`D:\work\app\sub`, "sub"},
	} {
		l := &Labels{Projects: Projects{Naming: ByName, Map: rules}}
		if got := l.Project(test.cwd); got != test.want {
			t.Errorf("%q: got %q, want %q", test.cwd, got, test.want)
		}
	}
	l := &Labels{Projects: Projects{Naming: NoName, Map: rules}}
	if got := l.Project("/secret"); got != "hidden" {
		t.Errorf("a rule under none: got %q, want hidden", got)
	}
	if got := l.Project("/elsewhere"); got != "" {
		t.Errorf("no rule under none: got %q, want nothing", got)
	}
}

func TestProjectRuleWithEmptyName(t *testing.T) {
	p, err := NewPattern("/a/?(.*)")
	if err != nil {
		t.Fatal(err)
	}
	l := &Labels{Projects: Projects{Naming: ByPath, Map: []Rule{{Match: p, Name: "$1"}}}}
	if got := l.Project("/a/"); got != "/a" {
		t.Errorf("got %q, want what it is without the rule", got)
	}
}

func TestProjectMemoryIsBounded(t *testing.T) {
	l := &Labels{Projects: Projects{Naming: ByName}}
	for i := range 3 * maxCachedNames {
		if got, want := l.Project(fmt.Sprintf("/src/p%d", i)), fmt.Sprintf("p%d", i); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		if len(l.projectNames) > maxCachedNames {
			t.Fatalf("%d names are remembered", len(l.projectNames))
		}
	}
}

// A line may name a directory as long as a line may be. Nothing of that is kept
// but the name, which is short.
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
		t.Errorf("%d directories of %d bytes take %d bytes", many, long, took)
	}
	if want := fmt.Sprintf("p%d", many-1); names[many-1] != want {
		t.Errorf("got %q, want %q", names[many-1], want)
	}
	runtime.KeepAlive(l)
	runtime.KeepAlive(names)
}

func BenchmarkProject(b *testing.B) {
	p, err := NewPattern(`/home/[^/]+/src/(.*)`)
	if err != nil {
		b.Fatal(err)
	}
	l := &Labels{Projects: Projects{Naming: ByName, Map: []Rule{{Match: p, Name: "$1"}}}}
	b.ReportAllocs()
	for b.Loop() {
		l.Project("/home/alice/src/app")
	}
}
