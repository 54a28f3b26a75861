package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	for _, test := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string
	}{
		{"help", []string{"--help"}, 0, "--duration=1m ", ""},
		{"no number", []string{"--seed=x"}, 2, "", "try --help"},
		{"no steps", []string{"--rate=0"}, 2, "", "--rate must be 1 to 100000"},
		{"no duration", []string{"--duration=0s"}, 2, "", "and --duration positive; try --help"},
		{"no binary", []string{"--seed=5", "--duration=1s", "--binary=/nonexistent/ccwatchd"}, 2, "", "torture: seed 5: start the daemon: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), test.args, &stdout, &stderr)
			if code != test.code || !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("got exit status %d, stdout %q, stderr %q", code, &stdout, &stderr)
			}
		})
	}
}
