package packaging

import (
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// If a tool or the network is missing, the scripts of the checks skip: they neither
// stop halfway nor report a missing program.
func TestChecksWithoutTools(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the checks are for Unix")
	}
	const noShellCheck = "SKIPPED: ShellCheck is not installed\n"
	const noMachine = "SKIPPED: needs mmdebstrap and systemd-nspawn\n"
	for name, test := range map[string]struct {
		script, tools string // the tools print nothing, and fail
		code          int
		stdout        string
	}{
		"ShellCheck, no dpkg":      {".ci/check-scripts", "apt-get", 0, noShellCheck},
		"ShellCheck, no network":   {".ci/check-scripts", "apt-get dpkg", 0, noShellCheck},
		"machine, no nspawn":       {".ci/machine", "unshare mmdebstrap", 0, noMachine},
		"machine, no mmdebstrap":   {".ci/machine", "unshare systemd-nspawn", 0, noMachine},
		"machine, no network":      {".ci/machine", "unshare mmdebstrap apt-get", 0, noMachine},
		"Prometheus, not Debian":   {"test/endtoend/servers/path old/prometheus", "apt-get", 3, ""},
		"Prometheus, only dpkg":    {"test/endtoend/servers/path old/prometheus", "dpkg", 3, ""},
		"Prometheus, no network":   {"test/endtoend/servers/path old/prometheus", "apt-get dpkg", 1, ""},
		"Prometheus, not to fetch": {"test/endtoend/servers/path --there old/prometheus", "apt-get dpkg", 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInstaller(t, "", "Linux", "x86_64", "bash", "dirname")
			i.addTool(t, "id", "echo 0")
			for tool := range strings.FieldsSeq(test.tools) {
				i.addTool(t, tool, "exit 1")
			}
			args := strings.Fields(test.script)
			args[0] = filepath.Join("..", args[0])
			_ = filetest.Read(t, args[0]) // so that no cached result is used after a change
			cmd := exec.CommandContext(t.Context(), filepath.Join(i.tools, "bash"), args...)
			cmd.Env = append(slices.Clip(i.env), "CACHE="+t.TempDir())
			var stderr strings.Builder
			cmd.Stderr = &stderr
			stdout, err := cmd.Output()
			code := 0
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				code, err = exit.ExitCode(), nil
			}
			if err != nil || code != test.code || string(stdout) != test.stdout {
				t.Errorf("got code %d, %v, output %q, want %d, %q; stderr:\n%s", code, err, stdout, test.code, test.stdout, &stderr)
			}
		})
	}
}
