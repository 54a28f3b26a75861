package servicecmd

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/format"
)

// The attempts of a service manager to keep a program running.
type attempts struct {
	waiting  bool   // the program ended, and is started again soon
	restarts int    // since the service was started by hand or at boot
	ended    string // how the program ended last, "" if unknown
}

// text describes a service that its manager starts again.
func (a attempts) text() string {
	return strings.TrimPrefix(fmt.Sprintf("%s, %s", a.ended, format.Count(a.restarts, "restart", "restarts")), ", ")
}

// attempts returns what the service manager states, the zero value if nothing.
func (s *controller) attempts(ctx context.Context) attempts {
	switch s.paths.manager {
	case systemd:
		args := []string{"show", "ccwatchd", "--property=SubState,NRestarts,ExecMainCode,ExecMainStatus"}
		if s.paths.user {
			args = append(args, "--user")
		}
		text, _ := s.runProgram(ctx, "", "systemctl", args...)
		return systemdAttempts(text)
	case launchd:
		text, _ := s.runProgram(ctx, "", "launchctl", "print", newLaunchdJob(nil, s.paths).target())
		return launchdAttempts(text)
	}
	return attempts{}
}

// systemdAttempts reads the output of systemctl show.
func systemdAttempts(text string) attempts {
	a := attempts{waiting: strings.HasPrefix(property(text, "SubState"), "auto-restart")}
	a.restarts, _ = strconv.Atoi(property(text, "NRestarts")) // 0 if it is not stated
	switch status := property(text, "ExecMainStatus"); property(text, "ExecMainCode") {
	case "1": // CLD_EXITED
		a.ended = "exit status " + status
	case "2", "3": // CLD_KILLED, CLD_DUMPED
		a.ended = "signal " + status
	}
	return a
}

// launchdAttempts reads the output of launchctl print.
func launchdAttempts(text string) attempts {
	a := attempts{waiting: property(text, "state") == "spawn scheduled"}
	runs, _ := strconv.Atoi(property(text, "runs")) // 0 if it is not stated
	a.restarts = max(0, runs-1)
	if code := property(text, "last exit code"); code != "" && code != "(never exited)" {
		a.ended = "exit status " + code
	}
	if signal := property(text, "last terminating signal"); signal != "" {
		a.ended = "signal " + signal
	}
	return a
}

// property returns the first value of a name in lines of the form NAME=VALUE or
// NAME = VALUE.
func property(text, name string) string {
	m := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(name) + ` ?= ?(.*?)\s*$`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}
