package servicecmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/packaging"
	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// If a package has installed and started the service, install says where it runs, and
// how to change its flags.
func TestInstallOverPackage(t *testing.T) {
	for _, test := range []struct {
		user       bool
		path, name string
	}{
		{true, "/usr/lib/systemd/user/ccwatchd.service", "user service of alice"},
		{false, "/lib/systemd/system/ccwatchd.service", "system service"},
	} {
		s := newServiceTest(t, systemd, test.user)
		s.must("install") // starts the server
		s.calls = nil
		unit := s.read(s.unit[len(s.root):])
		s.removeUnit()
		filetest.Write(t, filepath.Join(s.root, test.path), unit)
		want := "The " + test.name + " runs already: there is nothing to install.\n\npage          http://ADDRESS/\nunit          " + test.path + "\nlog           journalctl"
		if out := s.must("install"); !strings.HasPrefix(out, want) {
			t.Errorf("got output\n%s\nwant\n%s", out, want)
		}
		s.fails(regexp.QuoteMeta(test.path)+`, to change its flags: set ARGS in .*ccwatchd.*, and restart it$`, "install", "--log.level=debug")
		if len(s.calls) > 0 {
			t.Errorf("got calls %q, want none", s.calls)
		}
	}
}

// The running system service makes a user service unnecessary, unless that has another
// address.
func TestInstallBesideSystemService(t *testing.T) {
	s := newServiceTest(t, systemd, true)
	s.must("install")
	s.calls, s.systemOnly = nil, true
	const path = "/usr/lib/systemd/system/ccwatchd.service"
	unit := strings.ReplaceAll(packaging.Read(packaging.SystemdSystem), " $ARGS", " --web.listen-address="+s.address+" $ARGS")
	s.removeUnit()
	filetest.Write(t, filepath.Join(s.root, path), unit)
	filetest.Write(t, filepath.Join(s.root, "/usr/lib/systemd/user/ccwatchd.service"), "[Unit]\n")
	if out := s.must("install"); !strings.HasPrefix(out, "The system service runs already") || !strings.Contains(out, path) || len(s.calls) > 0 {
		t.Errorf("got calls %q, output\n%s", s.calls, out)
	}
}

// A daemon that somebody started is named.
func TestInstallBesideDaemon(t *testing.T) {
	s := newServiceTest(t, systemd, true)
	s.must("install")
	other := newServiceTest(t, systemd, true)
	other.fails(`^ccwatchd already runs: http://`+regexp.QuoteMeta(s.address)+`/ \(pid 7\): stop it first, or use another --web.listen-address$`,
		"install", "--web.listen-address="+s.address)
}

// moveUnit removes the unit that install has written.
func (s *serviceTest) removeUnit() {
	s.Helper()
	if err := os.Remove(s.unit); err != nil {
		s.Fatal(err)
	}
}
