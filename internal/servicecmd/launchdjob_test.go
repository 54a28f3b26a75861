package servicecmd

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kardianos/service"
)

// A fakeLaunchd answers like launchctl for one job.
type fakeLaunchd struct {
	loaded, running bool
	leaves          int // number of times that a stopped job is still listed
	never           bool
	calls           []string
}

func (l *fakeLaunchd) launchctl(args ...string) (string, error) {
	line := strings.Join(args, " ")
	if args[0] != "print" {
		l.calls = append(l.calls, line)
	}
	switch args[0] {
	case "print":
		if l.loaded && l.leaves > 0 && !l.running && !l.never {
			l.leaves--
			l.loaded = l.leaves > 0
		}
		switch {
		case !l.loaded:
			return "", errors.New("Could not find service")
		case l.running:
			return "gui/501/ccwatchd = {\n\tstate = running\n\tpid = 123\n}\n", nil
		}
		return "gui/501/ccwatchd = {\n\tstate = SIGTERMed\n}\n", nil
	case "bootstrap":
		if l.loaded {
			return "", errors.New("Bootstrap failed: 5: Input/output error")
		}
		l.loaded, l.running = true, true
	case "bootout":
		l.running = false
		return "", errors.New("Boot-out failed: 36: Operation now in progress")
	case "kickstart":
		l.running = true
	}
	return "", nil
}

func TestLaunchdJob(t *testing.T) {
	l := new(fakeLaunchd)
	j := &launchdJob{domain: "gui/501", unit: "/ccwatchd.plist", launchctl: l.launchctl, timeout: 5 * time.Second}
	check := func(err error, status service.Status, calls ...string) {
		t.Helper()
		got, statusErr := j.Status()
		if err != nil || got != status || statusErr != nil || !slices.Equal(l.calls, calls) {
			t.Errorf("got error %v, status %v, %v and calls %q, want %v and %q", err, got, statusErr, l.calls, status, calls)
		}
		l.calls = nil
	}
	const enable = "enable gui/501/ccwatchd"
	check(j.Stop(), service.StatusStopped)
	check(j.Start(), service.StatusRunning, enable, "bootstrap gui/501 /ccwatchd.plist")
	check(j.Start(), service.StatusRunning, enable, "kickstart gui/501/ccwatchd")
	l.leaves = 3 // launchd refuses to load it again before that
	check(j.Restart(), service.StatusRunning, "bootout gui/501/ccwatchd", enable, "bootstrap gui/501 /ccwatchd.plist")
	l.leaves = 1
	check(j.Stop(), service.StatusStopped, "bootout gui/501/ccwatchd")

	l.loaded, l.running, l.never, j.timeout = true, true, true, time.Millisecond
	if err := j.Restart(); !errors.Is(err, errStillLoaded) || !strings.Contains(err.Error(), "36: ") {
		t.Errorf("a job that does not end: got error %v, want %v and that of launchctl", err, errStillLoaded)
	}
}

func TestLaunchdDomains(t *testing.T) {
	if got := newLaunchdJob(nil, paths{}).target(); got != "system/ccwatchd" {
		t.Errorf("system service: got %s", got)
	}
	if got := newLaunchdJob(nil, paths{user: true}).target(); got != loginDomain()+"/ccwatchd" || !strings.HasPrefix(got, "gui/") {
		t.Errorf("user service: got %s", got)
	}
}
