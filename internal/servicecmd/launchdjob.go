package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/kardianos/service"
)

// launchdTimeout limits how long launchd takes to remove a job. It kills the daemon
// after 20 seconds.
const launchdTimeout = 30 * time.Second

var errStillLoaded = errors.New("launchd has not removed the job in time")

// A launchdJob starts and stops a service of launchd. Package service installs it, but
// has two faults. It does not name the domain, so an agent cannot be started over SSH,
// and only root can get the status of the system service. It does not wait until a
// stopped job is removed; until then, launchd refuses to load it again.
type launchdJob struct {
	service.Service

	domain    string // launchd domain: the system, or a graphical login
	unit      string // path of the property list
	launchctl func(args ...string) (output string, err error)
	timeout   time.Duration
}

func newLaunchdJob(s service.Service, p paths) *launchdJob {
	domain := "system"
	if p.user {
		domain = loginDomain()
	}
	return &launchdJob{s, domain, p.unit, launchctl, launchdTimeout}
}

// loginDomain is the domain of the graphical login of this user. Its jobs end when the
// user logs out.
func loginDomain() string { return fmt.Sprintf("gui/%d", os.Geteuid()) }

func (j *launchdJob) target() string { return j.domain + "/ccwatchd" }

// inspect returns launchd's description of the job, and whether it is loaded.
func (j *launchdJob) inspect() (string, bool) {
	text, err := j.launchctl("print", j.target())
	return text, err == nil
}

// Start implements manager. It also starts a job that was disabled, which otherwise
// fails without saying so.
func (j *launchdJob) Start() error {
	args := []string{"bootstrap", j.domain, j.unit}
	if _, loaded := j.inspect(); loaded {
		args = []string{"kickstart", j.target()}
	}
	if _, err := j.launchctl("enable", j.target()); err != nil {
		return err
	}
	_, err := j.launchctl(args...)
	return err
}

// Stop implements manager. Stopping a job that is not loaded is no error.
func (j *launchdJob) Stop() error {
	if _, loaded := j.inspect(); !loaded {
		return nil
	}
	_, failed := j.launchctl("bootout", j.target()) // also if it takes long
	for deadline := time.Now().Add(j.timeout); time.Now().Before(deadline); time.Sleep(j.timeout / 300) {
		if _, loaded := j.inspect(); !loaded {
			return nil
		}
	}
	return errors.Join(errStillLoaded, failed)
}

// Restart implements manager.
func (j *launchdJob) Restart() error {
	if err := j.Stop(); err != nil {
		return err
	}
	return j.Start()
}

var processLine = regexp.MustCompile(`(?m)^\s*pid = \d+$`)

// Status implements manager.
func (j *launchdJob) Status() (service.Status, error) {
	if text, _ := j.inspect(); processLine.MatchString(text) {
		return service.StatusRunning, nil
	}
	return service.StatusStopped, nil
}

// launchctl runs launchctl and returns its output.
func launchctl(args ...string) (string, error) {
	return runProgram(context.Background(), "", "launchctl", args...)
}
