package packaging

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// units are the names of all.
var units = []string{SystemdSystem, SystemdUser, LaunchDaemon, LaunchAgent, OpenRC, FreeBSD}

// plain is what mostly is installed, awkward what has everything in it that
// some unit takes for more than it is.
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

func TestGoldenUnits(t *testing.T) {
	for _, name := range units {
		for kind, program := range map[string]Program{"plain": plain, "awkward": awkward} {
			golden := filepath.Join("testdata", kind, strings.ReplaceAll(name, "/", "-"))
			got, err := Unit(name, program)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				write(t, golden, got)
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is not as in %s; if that is wanted: go test ./packaging -update\n%s", name, golden, got)
			}
		}
	}
}

// What packages install and what the program installs must differ by nothing
// but the program.
func TestUnitsAreTheFiles(t *testing.T) {
	usual := map[string]Program{
		SystemdSystem: {Path: "/usr/bin/ccwatchd", Args: []string{"run", "--config.file=/etc/ccwatchd/ccwatchd.yml"}},
		SystemdUser:   {Path: "/usr/bin/ccwatchd", Args: []string{"run"}},
		LaunchDaemon:  {Path: "/usr/local/bin/ccwatchd", Args: []string{"run"}, User: "you", Home: "/Users/you"},
		LaunchAgent:   {Path: "/usr/local/bin/ccwatchd", Args: []string{"run"}, User: "you", Home: "/Users/you"},
		OpenRC:        {Path: "/usr/bin/ccwatchd", Args: []string{"run", "--config.file=/etc/ccwatchd/ccwatchd.yml", "--state.dir=/var/lib/ccwatchd"}},
		FreeBSD:       {Path: "/usr/local/bin/ccwatchd", Args: []string{"run", "--state.dir=/var/db/ccwatchd"}, User: "ccwatchd"},
	}
	for _, name := range units {
		if got, err := Unit(name, usual[name]); err != nil || got != Read(name) {
			t.Errorf("%s changes where nothing should: %v\n%s", name, err, got)
		}
	}
}

func TestNoControlCharacters(t *testing.T) {
	for _, bad := range []Program{
		{Path: "/a\nb"},
		{Path: "/a", Args: []string{"--b=\nExecStartPre=/bin/evil"}},
		{Path: "/a", Env: map[string]string{"A": "\x7f"}},
		{Path: "/a", Args: []string{"\x00"}},
		{Path: "/a", Args: []string{"\xff"}},
	} {
		for _, name := range units {
			if got, err := Unit(name, bad); err == nil {
				t.Errorf("%s takes %q:\n%s", name, bad, got)
			}
		}
	}
}

// Shells and property lists must find the words that went in.
func TestWordsComeOut(t *testing.T) {
	want := append([]string{awkward.Path}, awkward.Args...)
	for _, name := range []string{LaunchDaemon, LaunchAgent, OpenRC, FreeBSD} {
		text, err := Unit(name, awkward)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		switch name {
		case OpenRC:
			got = shell(t, text+"\n"+`printf '%s\n' "$command"; eval "printf '%s\n' $command_args"`)
		case FreeBSD:
			text = strings.Replace(text, ". /etc/rc.subr", `load_rc_config() { :; }; run_rc_command() { eval "printf '%s\n' $command_args"; }`, 1)
			got = shell(t, text)
			got = got[slices.Index(got, "-u")+2:]
		default:
			for _, word := range plist(t, text)["ProgramArguments"].([]any) { //nolint:errcheck // the test would end
				got = append(got, word.(string)) //nolint:errcheck // the test would end
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s runs\n%q, want\n%q", name, got, want)
		}
	}
}

// shell runs a script and returns the lines that it prints.
func shell(t *testing.T, script string) []string {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	cmd := exec.CommandContext(t.Context(), sh, "-eu", "-s", "start")
	cmd.Stdin = strings.NewReader("CCWATCHD_ARGS=; ccwatchd_args=; " + script)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

func TestSystemdHasNothingToSay(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze here")
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
			if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
				t.Errorf("systemd says of %s: %v\n%s", name, err, said)
			}
		}
	}
}

// What is to be replaced in a file must be in it, once.
func TestPlacesToReplace(t *testing.T) {
	source, err := os.ReadFile("unit.go")
	if err != nil {
		t.Fatal(err)
	}
	patterns := regexp.MustCompile("put\\(text, `([^`]+)`").FindAllStringSubmatch(string(source), -1)
	if len(patterns) != 8 {
		t.Errorf("%d places are replaced, want 8", len(patterns))
	}
	for _, pattern := range patterns {
		found := 0
		for _, name := range units {
			switch n := len(regexp.MustCompile(pattern[1]).FindAllString(Read(name), -1)); n {
			case 0:
			case 1:
				found++
			default:
				t.Errorf("%s is %d times in %s", pattern[1], n, name)
			}
		}
		if found == 0 {
			t.Errorf("%s is nowhere", pattern[1])
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
