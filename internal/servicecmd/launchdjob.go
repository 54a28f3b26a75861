package servicecmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/kardianos/service"
)

const (
	// launchdTimeout limits how long launchd takes to remove a job. It kills the daemon
	// after 20 seconds.
	launchdTimeout = 30 * time.Second
	// launchdInterval is the interval between two questions whether it has.
	launchdInterval = 100 * time.Millisecond
)

var errStillLoaded = errors.New("launchd has not removed the job in time")

// A launchdJob is the manager of a service of launchd. Unlike that of package service,
// it names the domain of the job, so that an agent can also be started over SSH, and
// waits until a stopped job is removed: before that, launchd refuses to load it again.
type launchdJob struct {
	domain    string // of launchd: that of the system, or of the graphical login of a user
	path      string // of the property list
	text      string // of the property list, for Install
	launchctl func(args ...string) (output string, err error)
	interval  time.Duration
	timeout   time.Duration
}

func newLaunchdJob(p paths, text string) *launchdJob {
	domain := "system"
	if p.user {
		domain = loginDomain()
	}
	return &launchdJob{domain, p.unit, text, launchctl, launchdInterval, launchdTimeout}
}

// loginDomain is the domain of the graphical login of this user. Its jobs end when the
// user logs out.
func loginDomain() string { return fmt.Sprintf("gui/%d", os.Geteuid()) }

func (j *launchdJob) target() string { return j.domain + "/ccwatchd" }

// inspect returns what launchd knows of the job, and whether it is loaded.
func (j *launchdJob) inspect() (string, bool) {
	text, err := j.launchctl("print", j.target())
	return text, err == nil
}

// Install implements manager. launchd refuses property lists that others may write.
func (j *launchdJob) Install() error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(j.path, []byte(j.text), 0o644) //nolint:gosec // not secret
}

// Uninstall implements manager.
func (j *launchdJob) Uninstall() error { return errors.Join(j.Stop(), os.Remove(j.path)) }

// Start implements manager. It also starts a job that was disabled, which otherwise
// fails without saying so.
func (j *launchdJob) Start() error {
	if _, err := j.launchctl("enable", j.target()); err != nil {
		return err
	}
	if _, loaded := j.inspect(); loaded {
		_, err := j.launchctl("kickstart", j.target())
		return err
	}
	_, err := j.launchctl("bootstrap", j.domain, j.path)
	return err
}

// Stop implements manager. Stopping a job that is not loaded is no error.
func (j *launchdJob) Stop() error {
	if _, loaded := j.inspect(); !loaded {
		return nil
	}
	_, failed := j.launchctl("bootout", j.target()) // also if it takes long
	for deadline := time.Now().Add(j.timeout); time.Now().Before(deadline); time.Sleep(j.interval) {
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
	text, loaded := j.inspect()
	if loaded && processLine.MatchString(text) {
		return service.StatusRunning, nil
	}
	if !loaded && !anyExists(j.path) {
		return service.StatusUnknown, service.ErrNotInstalled
	}
	return service.StatusStopped, nil
}

// launchctl runs launchctl.
func launchctl(args ...string) (string, error) {
	out, err := exec.Command("launchctl", args...).CombinedOutput() //nolint:gosec,noctx // no input, and quick
	if err != nil {
		line, _, _ := strings.Cut(string(out), "\n")
		return "", fmt.Errorf("run launchctl %s: %w: %s", args[0], err, line)
	}
	return string(out), nil
}
