package servicecmd

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/test/filetest"
)

func TestServiceStatus(t *testing.T) {
	for _, test := range []struct {
		name string
		set  func(*serviceTest)
		code int
		want string
	}{
		{"not installed", func(*serviceTest) {}, 4, `^The user service of alice is not installed.\n$`},
		{"stopped", func(s *serviceTest) {
			s.must("install")
			s.must("stop")
		}, 3, `^The user service of alice does not run.\nunit          /home/alice/\S+\nlog           journalctl --user -u ccwatchd\n$`},
		{"running", func(s *serviceTest) { s.must("install") }, 0, `^The user service of alice runs.
daemon        http://ADDRESS, pid 7, version 1.2.3
unit          /home/alice/.config/systemd/user/ccwatchd.service
log           journalctl --user -u ccwatchd
$`},
		{"no answer", func(s *serviceTest) {
			s.must("install")
			if err := s.server.Close(); err != nil {
				t.Fatal(err)
			}
		}, 1, ` runs.\npage          http://ADDRESS/\nerror         no daemon answers at http://ADDRESS: .*refused\nunit .*\nlog .*\n$`},
		{"crash loop", func(s *serviceTest) {
			s.must("install") // package service takes "activating" for running
			s.output = "NRestarts=5\nExecMainCode=1\nExecMainStatus=1\nSubState=auto-restart\n"
		}, 3, `^The user service of alice fails, and is started again and again: exit status 1, 5 restarts\.
unit          /home/alice/.config/systemd/user/ccwatchd.service
log           journalctl --user -u ccwatchd
$`},
		{"crashed before", func(s *serviceTest) {
			s.must("install")
			s.output = "NRestarts=1\nExecMainCode=0\nExecMainStatus=0\nSubState=running\n"
		}, 0, ` runs.\ndaemon .*\nrestarts      1\nunit `},
		{"failed", func(s *serviceTest) {
			s.must("install")
			s.must("stop")
			s.output = "NRestarts=0\nExecMainCode=2\nExecMainStatus=9\nSubState=failed\n"
		}, 3, ` does not run\.\nlast end      signal 9\nunit `},
		{"packaged, with arguments in another file", func(s *serviceTest) {
			s.must("install")
			if err := os.Remove(s.unit); err != nil {
				t.Fatal(err)
			}
			filetest.Write(t, filepath.Join(s.root, "/usr/lib/systemd/user/ccwatchd.service"), "[Unit]\n")
			filetest.Write(t, filepath.Join(s.root, "/home/alice/.config/ccwatchd/environment"), "# ARGS=--web.listen-address=nowhere:1\nARGS=\"--web.listen-address="+s.address+"\"\n")
		}, 0, `\ndaemon        http://ADDRESS, .*\nunit          /usr/lib/systemd/user/ccwatchd.service\n`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServiceTest(t, systemd, true)
			test.set(s)
			out, code, err := s.do("status")
			if code != test.code || err != nil || !regexp.MustCompile(test.want).MatchString(out) {
				t.Errorf("got code %d, error %v, want code %d, output %s; got output\n%s", code, err, test.code, test.want, out)
			}
		})
	}
}

// The status of a service asks the manager that runs it.
func TestStatusAsksTheManager(t *testing.T) {
	for _, test := range []struct {
		manager string
		user    bool
		want    string
	}{
		{systemd, true, "systemctl show ccwatchd --property=SubState,NRestarts,ExecMainCode,ExecMainStatus --user"},
		{systemd, false, "systemctl show ccwatchd --property=SubState,NRestarts,ExecMainCode,ExecMainStatus"},
		{launchd, true, "launchctl print " + loginDomain() + "/ccwatchd"},
		{launchd, false, "launchctl print system/ccwatchd"},
	} {
		s := newServiceTest(t, test.manager, test.user)
		if _, _, err := s.do("status"); err != nil || !slices.Equal(s.ran, []string{test.want}) {
			t.Errorf("got error %v, %q, want %q", err, s.ran, test.want)
		}
	}
}

func TestAttempts(t *testing.T) {
	for _, test := range []struct {
		read func(string) attempts
		text string
		want attempts
	}{
		{systemdAttempts, "", attempts{}},
		{systemdAttempts, "NRestarts=0\nExecMainCode=0\nExecMainStatus=0\nSubState=running\n", attempts{}},
		{systemdAttempts, "SubState=auto-restart-queued\nNRestarts=12\nExecMainCode=3\nExecMainStatus=6\n", attempts{true, 12, "signal 6"}},
		{launchdAttempts, "", attempts{}},
		{launchdAttempts, "gui/501/ccwatchd = {\n\tstate = running\n\truns = 1\n\tpid = 7\n\tlast exit code = (never exited)\n}\n", attempts{}},
		{launchdAttempts, "\tactive count = 0\n\tstate = spawn scheduled\n\truns = 4\n\tlast exit code = 78: EX_CONFIG\n\tjob state = exited\n", attempts{true, 3, "exit status 78: EX_CONFIG"}},
		{launchdAttempts, "\tstate = not running\n\truns = 1\n\tlast terminating signal = Killed: 9\n", attempts{false, 0, "signal Killed: 9"}},
	} {
		if got := test.read(test.text); got != test.want {
			t.Errorf("%q: got %+v, want %+v", test.text, got, test.want)
		}
	}
}

func TestServiceChanges(t *testing.T) {
	s := newServiceTest(t, systemd, true)
	for _, verb := range []string{"start", "stop", "restart"} {
		s.fails("to install it: ccwatchd service install", verb)
	}
	s.must("install")
	for verb, want := range map[string]string{"restart": "The user service of alice runs.\n", "stop": "The user service of alice is stopped.\n"} {
		s.must("start")
		if out := s.must(verb); out != want {
			t.Errorf("%s: got %q, want %q", verb, out, want)
		}
	}
	s.fail = "start"
	s.fails("^change the service: exit status 1; see journalctl", "start")
	s.fail = ""

	// restart does not stop a service that could not start again.
	path := filepath.Join(t.TempDir(), "ccwatchd.yml")
	filetest.Write(t, path, "{}\n")
	s.must("install", "--config.file="+path)
	filetest.Write(t, path, "nonsense: 1\n")
	s.fails("nonsense", "restart")
	if out := s.must("status"); !strings.Contains(out, " runs.") {
		t.Errorf("got output\n%s", out)
	}
}

func TestUninstall(t *testing.T) {
	s := newServiceTest(t, systemd, true)
	state := filepath.Join(s.root, testStateDir)
	store, err := checkpoint.Open(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	s.must("install")
	out := s.must("uninstall")
	if want := "The user service of alice is stopped and removed.\nIts counters are still in " + testStateDir + "; --purge removes them too.\n"; out != want {
		t.Errorf("got output\n%s, want\n%s", out, want)
	}
	if s.server != nil || s.read(userUnit) != "" {
		t.Error("service not removed")
	}
	if _, err := os.Stat(state); err != nil {
		t.Error("state was removed:", err)
	}
	out = s.must("uninstall", "--purge")
	if want := "The user service of alice is not installed.\nThe state in " + testStateDir + " is removed.\n"; out != want {
		t.Errorf("got output\n%s, want\n%s", out, want)
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("state not removed")
	}
	filetest.Write(t, filepath.Join(s.root, "/usr/lib/systemd/user/ccwatchd.service"), "[Unit]\n")
	s.fails("a package has installed this", "uninstall")
}

// uninstall removes a unit although the manager fails to.
func TestUninstallBroken(t *testing.T) {
	s := newServiceTest(t, systemd, true)
	s.must("install")
	s.fail = "uninstall"
	s.must("uninstall")
	if s.read(userUnit) != "" {
		t.Error("unit not removed")
	}
}
