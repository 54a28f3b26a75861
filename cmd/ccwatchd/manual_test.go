package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// The manual page is generated from the flags.
func TestManual(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the flags differ on other systems")
	}
	difftest.Golden(t, filepath.Join(module, "packaging", "man", "ccwatchd.1"), manual(t))
}

// On a terminal of 80 columns, no example of the manual page wraps.
func TestManualExamplesFit(t *testing.T) {
	const indentation, columns = 7, 80
	plain := strings.NewReplacer(`\e`, `\`, `\-`, "-")
	for i, block := range strings.Split(manual(t), "\n.nf\n")[1:] {
		example, _, _ := strings.Cut(block, "\n.fi\n")
		for line := range strings.Lines(plain.Replace(example)) {
			if n := indentation + len(strings.TrimRight(line, "\n")); n > columns {
				t.Errorf("example %d: line of %d columns, want at most %d: %s", i, n, columns, line)
			}
		}
	}
}

func manual(t *testing.T) string {
	t.Helper()
	funcs := template.FuncMap{"roff": roff.Replace, "text": manualText}
	page, err := template.New("ccwatchd.1.tmpl").Funcs(funcs).ParseFiles(filepath.Join("testdata", "ccwatchd.1.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, newCommand(func(string) string { return "" }).app.Model()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// manualText returns a help text in the language of manual pages.
func manualText(help string) string {
	var page strings.Builder
	lines := strings.Split(strings.TrimSpace(help), "\n")
	for len(lines) > 0 {
		n := slices.IndexFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "  ") })
		if n < 0 {
			n = len(lines)
		}
		if n > 0 {
			page.WriteString(".nf\n" + roff.Replace(strings.Join(examples(lines[:n]), "\n")) + "\n.fi\n")
			lines = lines[n:]
			continue
		}
		line := roff.Replace(lines[0])
		switch {
		case line == "":
			line = ".PP"
		case strings.HasPrefix(line, "."), strings.HasPrefix(line, "'"):
			line = `\&` + line
		}
		page.WriteString(line + "\n")
		lines = lines[1:]
	}
	return page.String()
}

// examples fits lines with a command and its description into a manual page of 80
// columns: if a line is too long, the descriptions go below the commands.
func examples(lines []string) []string {
	const width = 72
	if !slices.ContainsFunc(lines, func(line string) bool { return len(line) > width }) {
		return lines
	}
	var all []string
	for _, line := range lines {
		all = append(all, strings.Split(columns.ReplaceAllString(line, "$1\n      $2"), "\n")...)
	}
	return all
}

var columns = regexp.MustCompile(`^( {2}\S.*?) {2,}(\S.*)$`)

func TestManualExamples(t *testing.T) {
	const long = "a description that is so long that it does not fit beside its command"
	got := manualText("Text.\n\n  short      a command\n\nMore:\n\n  short      a command\n  run --now  " + long)
	want := "Text.\n.PP\n.nf\n  short      a command\n.fi\n.PP\nMore:\n.PP\n.nf\n  short\n      a command\n  run \\-\\-now\n      " + long + "\n.fi\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The completion scripts of shells offer the completions that the program prints.
func TestCompletions(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(asDaemon, "1")
	for shell, script := range map[string]string{
		"bash": `. ../../packaging/completions/ccwatchd.bash; COMP_WORDS=("$0" "$@"); COMP_CWORD=$#; _ccwatchd; printf '%s\n' "${COMPREPLY[@]}"`,
		"zsh":  `words=("$0" "$@"); CURRENT=$#words; compadd() { print -l -- ${(M)next:#${words[-1]}*} }; . ../../packaging/completions/_ccwatchd`,
		"fish": `ln -s $argv[1] $HOME/ccwatchd; set PATH $HOME $PATH; source ../../packaging/completions/ccwatchd.fish; complete --do-complete "ccwatchd $argv[2..-1]"`,
	} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip("the shell is not installed")
			}
			for line, want := range map[string]string{
				"serv":                "service",
				"service st":          "start|status|stop",
				"service install --c": "--config.check|--config.file",
				"stat":                "status|statusline",
			} {
				args := append([]string{"-c", script, self}, strings.Split(line, " ")...)
				cmd := exec.CommandContext(t.Context(), shell, args...)
				cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
				out, err := cmd.CombinedOutput()
				next := slices.Sorted(strings.FieldsSeq(string(out)))
				if got := strings.Join(next, "|"); err != nil || got != want {
					t.Errorf("%q: got completions %s, %v, want %s", line, got, err, want)
				}
			}
		})
	}
}
