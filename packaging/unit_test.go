package packaging

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// units are the names of all units.
var units = []string{SystemdSystem, SystemdUser, LaunchDaemon, LaunchAgent}

// plain is a typical program, awkward a program with every character that is special in
// some unit.
var (
	plain = Program{
		Path: "/usr/local/bin/ccwatchd", Args: []string{"run", "--web.listen-address=localhost:10230"},
		User: "alice", Home: "/home/alice",
	}
	awkward = Program{
		Path: "/opt/my tools/ccwatchd", User: "alice", Home: "/home/alice",
		Args: []string{
			"run", "--a=two words", "--b=100%h $HOME ${HOME} $$", `--c="quoted" it's`, `--d=C:\dir\`, "--e=<&>", "--f=;`id`", "", "--g=ÄÖ{{Name}}",
		},
		Env: map[string]string{"CLAUDE_CONFIG_DIR": "/a b,/50%", "XDG_STATE_HOME": "/state"},
	}
)

// The golden file has the differences between each unit and its file.
func TestGoldenUnits(t *testing.T) {
	var got strings.Builder
	for _, name := range units {
		for _, kind := range []struct {
			name    string
			program Program
		}{{"plain", plain}, {"awkward", awkward}} {
			text, err := Unit(name, kind.program)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "=== %s, %s\n%s", name, kind.name, lineDiff(strings.SplitAfter(Read(name), "\n"), strings.SplitAfter(text, "\n")))
		}
	}
	golden := filepath.Join("testdata", "units.diff")
	difftest.Golden(t, golden, got.String())
}

// lineDiff returns the lines to remove from a and the lines to add, each with its
// number in a or b.
func lineDiff(a, b []string) string {
	common := make([][]int, len(a)+1) // lengths of the longest common subsequences
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := range slices.Backward(a) {
		for j := range slices.Backward(b) {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var diff strings.Builder
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			i++
			fmt.Fprintf(&diff, "-%d %s", i, a[i-1])
		default:
			j++
			fmt.Fprintf(&diff, "+%d %s", j, b[j-1])
		}
	}
	return diff.String()
}

// With the program of its file, a unit is identical to the file.
func TestUnitsAreTheFiles(t *testing.T) {
	packaged := map[string]Program{
		SystemdSystem: {Path: "/usr/bin/ccwatchd", Args: []string{"run", "--config.file=/etc/ccwatchd/ccwatchd.yml"}},
		SystemdUser:   {Path: "/usr/bin/ccwatchd", Args: []string{"run"}},
		LaunchDaemon:  {Path: "/usr/local/bin/ccwatchd", Args: []string{"run"}, User: "you", Home: "/Users/you"},
		LaunchAgent:   {Path: "/usr/local/bin/ccwatchd", Args: []string{"run"}, User: "you", Home: "/Users/you"},
	}
	for _, name := range units {
		if got, err := Unit(name, packaged[name]); err != nil || got != Read(name) {
			t.Errorf("%s differs from its file: %v\n%s", name, err, difftest.Diff(Read(name), got))
		}
	}
}

func TestControlCharactersAreRejected(t *testing.T) {
	for _, bad := range []Program{
		{Path: "/a\nb"},
		{Path: "/a", Args: []string{"--b=\nExecStartPre=/bin/evil"}},
		{Path: "/a", Env: map[string]string{"A": "\x7f"}},
		{Path: "/a", Args: []string{"\x00"}},
		{Path: "/a", Args: []string{"\xff"}},
	} {
		for _, name := range units {
			if got, err := Unit(name, bad); err == nil {
				t.Errorf("%s accepts %q:\n%s", name, bad, difftest.Head(got))
			}
		}
	}
}

// A parser of property lists reads the arguments back unchanged.
func TestArgumentsAreQuoted(t *testing.T) {
	want := append([]string{awkward.Path}, awkward.Args...)
	for _, name := range []string{LaunchDaemon, LaunchAgent} {
		text, err := Unit(name, awkward)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, word := range parsePlist(t, text)["ProgramArguments"].([]any) { //nolint:errcheck // a panic fails the test
			got = append(got, word.(string)) //nolint:errcheck // a panic fails the test
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got arguments\n%q, want\n%q", name, got, want)
		}
	}
}

func TestSystemdVerifiesUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	for _, name := range []string{SystemdSystem, SystemdUser} {
		for _, p := range []Program{plain, awkward} {
			dir := t.TempDir()
			p.Path = filepath.Join(dir, "a % program")
			write(t, p.Path, "#!/bin/sh\n")
			if err := os.Chmod(p.Path, 0o755); err != nil {
				t.Fatal(err)
			}
			text, err := Unit(name, p)
			if err != nil {
				t.Fatal(err)
			}
			unit := filepath.Join(dir, "ccwatchd.service")
			write(t, unit, text)
			args := []string{"verify", "--man=no", unit}
			if name == SystemdUser {
				args = append(args, "--user")
			}
			cmd := exec.CommandContext(t.Context(), analyze, args...)
			cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("systemd-analyze verify of %s: %v\n%s", name, err, out)
			}
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
