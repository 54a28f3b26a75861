package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kardianos/service"

	"github.com/ccwatchd/ccwatchd/checkpoint"
	"github.com/ccwatchd/ccwatchd/packaging"
)

// The exit codes of status beside 0, as systemctl has them.
const (
	codeUnknown = 1
	codeStopped = 3
	codeNone    = 4
)

var errNotInstalled = errors.New("there is no such service; to install it: ccwatchd service install")

// A finding is what is known of a service before it is asked.
type finding struct {
	installed, running bool
	packaged           bool   // a package has installed it
	unit               string // the file that it is made of; "" if there is none
	text               string // what is in it
}

// find finds the service. Whether there is one is told by its unit, since the
// answers of managers to that are not to be relied on.
func (s *services) find(m manager) finding {
	status, err := m.Status()
	f := finding{running: err == nil && status == service.StatusRunning}
	if s.place.unit == "" {
		f.installed = !errors.Is(err, service.ErrNotInstalled)
		return f
	}
	for _, path := range []string{s.place.unit, s.place.others, strings.TrimPrefix(s.place.others, "/usr")} {
		if b, err := os.ReadFile(s.root + path); path != "" && err == nil {
			f.installed, f.unit, f.text = true, path, string(b)
			f.packaged = path != s.place.unit || f.text == packaging.Read(s.place.file)
			return f
		}
	}
	return f
}

// found returns the manager of the service, which must be there.
func (s *services) found() (manager, finding, error) {
	m, err := s.manage(s.place, packaging.Program{Path: s.self})
	if err != nil {
		return nil, finding{}, err
	}
	f := s.find(m)
	if !f.installed {
		return m, f, errNotInstalled
	}
	return m, f, nil
}

// asker returns who asks the service how it fares: at the address that its unit
// gives it, or a file that adds arguments to it.
func (s *services) asker(f finding) *asker {
	more, _ := os.ReadFile(s.root + s.place.args)
	return newAsker(urlOf(cmp.Or(argIn("web.listen-address", f.text, string(more)), (*s.c.web.WebListenAddresses)[0])))
}

// stateDir is the state directory of the service.
func (s *services) stateDir() string {
	_, f, _ := s.found()
	return cmp.Or(argIn("state.dir", f.text), s.place.state)
}

// change starts, stops or restarts the service.
func (s *services) change(ctx context.Context, do func(manager) error) error {
	m, f, err := s.found()
	if err != nil {
		return err
	}
	if err := do(m); err != nil {
		return fmt.Errorf("change the service: %w; see %s", err, s.place.log)
	}
	if s.find(m).running {
		s.say("The %s runs.", s.place.name)
		return s.startAndWait(ctx, func() error { return nil }, s.asker(f))
	}
	s.say("The %s is stopped.", s.place.name)
	return nil
}

// status tells how the service fares, and returns the exit code for it.
func (s *services) status(ctx context.Context) (int, error) {
	m, f, err := s.found()
	switch {
	case errors.Is(err, errNotInstalled):
		s.say("The %s is not installed.", s.place.name)
		return codeNone, nil
	case err != nil:
		return codeUnknown, err
	case !f.running:
		s.say("The %s does not run.", s.place.name)
		if _, err := m.Status(); err != nil {
			s.tell("trouble", err.Error())
		}
		s.tell("unit", f.unit)
		s.tell("log", s.place.log)
		return codeStopped, nil
	}
	s.say("The %s runs.", s.place.name)
	ask := s.asker(f)
	status, err := ask.status(ctx)
	s.tell("metrics", ask.url+"/metrics")
	if err != nil {
		s.tell("trouble", err.Error())
		s.tell("log", s.place.log)
		return codeUnknown, nil
	}
	s.tell("version", status.Version)
	s.tell("pid", fmt.Sprint(status.PID))
	if status.Ready {
		s.tell("files", fmt.Sprintf("%d, with %d sessions", status.Files, status.Sessions))
	} else {
		s.tell("files", fmt.Sprintf("catching up: %d of %d, %d %%", status.Files, status.FilesTotal, status.Percent))
	}
	s.tell("backlog", fmt.Sprintf("%d bytes", status.Backlog))
	s.tell("unit", f.unit)
	s.tell("log", s.place.log)
	if e := status.LastError; e != nil {
		s.tell("last error", fmt.Sprintf("%s, %s", e.Text, e.Time.Format(time.RFC3339)))
	} else {
		s.tell("last error", "none")
	}
	return 0, nil
}

// uninstall stops the service and removes it.
func (s *services) uninstall(ctx context.Context, purge bool) error {
	m, f, err := s.found()
	if err != nil && !errors.Is(err, errNotInstalled) {
		return err
	}
	if f.packaged {
		return fmt.Errorf("%w: %s", errPackaged, f.unit)
	}
	state := s.stateDir()
	s.remove(m)
	if s.find(m).installed {
		return fmt.Errorf("remove the service: %w", os.Remove(s.root+f.unit))
	}
	s.removeConfig()
	if !f.installed {
		s.say("The %s is not installed.", s.place.name)
	} else {
		s.say("The %s is stopped and removed.", s.place.name)
	}
	if !purge {
		s.say("What it has counted is still in %s; --purge removes that too.", state)
		return nil
	}
	if err := checkpoint.Remove(s.root + state); err != nil {
		return err
	}
	if s.place.by == systemd && !s.place.user {
		_ = s.run(ctx, "", "userdel", "ccwatchd") // no harm if it stays
	}
	s.say("What it had counted in %s is removed.", state)
	return nil
}

// remove takes away the service and what is left of one that could not be
// installed as a whole: an empty unit would be in the way of the next.
func (s *services) remove(m manager) {
	_ = m.Stop()
	_ = m.Uninstall()
	if s.place.unit != "" {
		_ = os.Remove(s.root + s.place.unit)
	}
}

// removeConfig removes the configuration if it is the one that install makes.
func (s *services) removeConfig() {
	path := s.root + s.place.config
	if b, err := os.ReadFile(path); s.place.config != "" && err == nil && string(b) == packaging.Read(packaging.SystemConfig) {
		_ = os.Remove(path)
		_ = os.Remove(filepath.Dir(path)) // if that was all
	}
}
