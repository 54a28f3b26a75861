package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/kardianos/service"

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
	packaged           bool     // a package has installed it
	unit               string   // the file that it is made of; "" if there is none
	args               []string // with which it runs, as far as that can be told
}

// listens reports whether it is the service that listens at an address. Where there
// is no unit nobody can tell, and it is taken for it.
func (f finding) listens(address string) bool {
	return f.running && (f.unit == "" || address == cmp.Or(argOf(f.args, "web.listen-address"), defaultAddress))
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
		b, err := os.ReadFile(s.root + path)
		if path == "" || err != nil {
			continue
		}
		more, _ := os.ReadFile(s.root + s.place.args)
		f.installed, f.unit = true, path
		f.packaged = path != s.place.unit || string(b) == packaging.Read(s.place.file)
		f.args = append(packaging.Args(s.place.file, string(b)), packaging.MoreArgs(string(more))...)
		break
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
// gives it.
func (s *services) asker(f finding) *asker {
	return newAsker(urlOf(cmp.Or(argOf(f.args, "web.listen-address"), (*s.c.web.WebListenAddresses)[0])))
}

// stateDir is the state directory of the service.
func (s *services) stateDir() string {
	_, f, _ := s.found()
	return cmp.Or(argOf(f.args, "state.dir"), s.place.state)
}

// change starts, stops or restarts the service. If that starts it, its
// configuration is checked first.
func (s *services) change(ctx context.Context, do func(manager) error, starts bool) error {
	m, f, err := s.found()
	if err != nil {
		return err
	}
	if starts {
		// One that runs had better go on than not come back.
		if err := s.check(f.args); err != nil {
			return err
		}
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
		s.tell("files", fmt.Sprint(status.Files))
		s.tell("sessions", fmt.Sprint(status.Sessions))
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
