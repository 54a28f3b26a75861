package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/template"
)

// The manual page is generated from the flags.
func TestManual(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the flags differ on other systems")
	}
	golden(t, filepath.Join(module, "packaging", "man", "ccwatchd.1"), manual(t))
}

// manual returns the manual page.
func manual(t *testing.T) string {
	t.Helper()
	roff := strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace
	text := func(s string) string {
		var page strings.Builder
		for line := range strings.SplitSeq(strings.TrimSpace(roff(s)), "\n") {
			if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
				line = `\&` + line
			}
			if line == "" {
				line = ".PP"
			}
			page.WriteString(line + "\n")
		}
		return page.String()
	}
	funcs := template.FuncMap{"roff": roff, "text": text}
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

// The completion scripts of shells offer what the program prints.
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
