package servicecmd

import (
	"cmp"
	"errors"
	"os"
	"strings"

	"github.com/kardianos/service"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/packaging"
)

var errNotInstalled = errors.New("the service is not installed; to install it: ccwatchd service install")

// A finding holds the facts about a service from its unit and its manager.
type finding struct {
	installed, running bool
	packaged           bool     // installed by a package
	unit               string   // path of its unit; "" without one
	args               []string // of the service, as far as they are known
}

// find finds the service. It is installed if its unit exists: managers are not
// reliable about that.
func (s *controller) find(m manager) finding {
	status, err := m.Status()
	f := finding{running: err == nil && status == service.StatusRunning}
	if s.paths.unit == "" {
		f.installed = !errors.Is(err, service.ErrNotInstalled)
		return f
	}
	for _, path := range []string{s.paths.unit, s.paths.packagedUnit, strings.TrimPrefix(s.paths.packagedUnit, "/usr")} {
		b, err := os.ReadFile(s.root + path)
		if path == "" || err != nil {
			continue
		}
		more, _ := os.ReadFile(s.root + s.paths.extraArgs)
		f.installed, f.unit = true, path
		f.packaged = path != s.paths.unit || string(b) == packaging.Read(s.paths.template)
		f.args = append(packaging.Args(s.paths.template, string(b)), packaging.MoreArgs(string(more))...)
		break
	}
	return f
}

// installed returns the manager of the service, which has to be installed.
func (s *controller) installed() (manager, finding, error) {
	m, err := s.newManager(s.paths, packaging.Program{Path: s.executable})
	if err != nil {
		return nil, finding{}, err
	}
	f := s.find(m)
	if !f.installed {
		return m, f, errNotInstalled
	}
	return m, f, nil
}

// listensOn reports whether the service listens on an address. Without a unit that
// is unknown, and a service that runs is assumed to.
func (s *controller) listensOn(f finding, address string) bool {
	return f.running && (f.unit == "" || address == cmp.Or(flagValue(f.args, listenFlag), s.DefaultAddress))
}

// client returns a status client for the address in the unit of the service.
func (s *controller) client(f finding) *statusclient.Client {
	return statusclient.New(statusclient.URL(cmp.Or(flagValue(f.args, listenFlag), (*s.ListenAddresses)[0])))
}

// stateDir returns the state directory of the service.
func (s *controller) stateDir() string {
	_, f, _ := s.installed()
	return cmp.Or(flagValue(f.args, stateFlag), s.paths.state)
}
