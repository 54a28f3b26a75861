package main

import (
	"bytes"
	"strings"
	"testing"
)

// The service commands depend on these flags of the daemon.
func TestFlagsOfServices(t *testing.T) {
	c := newCommand(func(string) string { return "" })
	for _, name := range []string{"config.file", "state.dir", "web.config.file", "web.listen-address"} {
		if c.app.GetFlag(name) == nil {
			t.Errorf("no flag --%s", name)
		}
	}
	if c.app.GetCommand(runCommand) == nil {
		t.Errorf("no command %s", runCommand)
	}
}

// Every service command runs package servicecmd and returns its exit code.
func TestServiceCommands(t *testing.T) {
	for _, name := range []string{"install", "uninstall", "start", "stop", "restart", "status"} {
		var stdout, stderr bytes.Buffer
		code := run([]string{"service", name, "--user", "--system"}, func(string) string { return "" }, &stdout, &stderr)
		if code != 2 || !strings.Contains(stderr.String(), "--user and --system are mutually exclusive") {
			t.Errorf("%s: code %d, %s", name, code, stderr.String())
		}
	}
}
