package servicecmd

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/packaging"
	"github.com/ccwatchd/ccwatchd/test/filetest"
)

const userUnit = "/home/alice/.config/systemd/user/ccwatchd.service"

func TestInstallUserService(t *testing.T) {
	s := newServiceTest(t, systemd, true)
	s.env["CLAUDE_CONFIG_DIR"] = "/data/claude"
	want := `Installing the user service of alice

The user service of alice is installed and running, and has read everything.

page          http://ADDRESS/
unit          /home/alice/.config/systemd/user/ccwatchd.service
state         STATE
log           journalctl --user -u ccwatchd

It runs while alice is logged in. To run it always:

  loginctl enable-linger

Add this to the configuration of Prometheus:

scrape_configs:
  - job_name: ccwatchd
    scrape_interval: 15s
    static_configs:
      - targets: [ADDRESS]
`
	if got := strings.Replace(s.must("install"), testStateDir, "STATE", 1); got != want {
		t.Errorf("got output\n%s\nwant\n%s", got, want)
	}
	for _, line := range []string{
		"\nExecStart=/usr/local/bin/ccwatchd run --web.listen-address=" + s.address + " $ARGS\n",
		"\nEnvironment=CLAUDE_CONFIG_DIR=/data/claude\n",
		"\nWantedBy=default.target\n",
	} {
		if unit := s.read(userUnit); !strings.Contains(unit, line) {
			t.Errorf("unit lacks %q:\n%s", line, unit)
		}
	}
	filetest.Write(t, filepath.Join(s.root, "var/lib/systemd/linger/alice"), "")
	if out := s.must("install"); strings.Contains(out, "linger") {
		t.Errorf("lingering is enabled, got output\n%s", out)
	}
	if len(s.ran) > 0 {
		t.Errorf("got commands %q, want none", s.ran)
	}
}

func TestInstallSystemService(t *testing.T) {
	const path = "/etc/ccwatchd/ccwatchd.yml"
	s := newServiceTest(t, systemd, false)
	out := s.must("install", "--log.level=debug", "--no-web.systemd-socket")
	if !strings.Contains(out, "Made "+path) || strings.Contains(out, "linger") {
		t.Errorf("got output\n%s", out)
	}
	if want := []string{"systemd-sysusers -"}; !slices.Equal(s.ran, want) {
		t.Errorf("got commands %q, want %q", s.ran, want)
	}
	if s.read(path) != packaging.Read(packaging.SystemConfig) {
		t.Errorf("got configuration\n%s", s.read(path))
	}
	want := "\nExecStart=/usr/local/bin/ccwatchd run --log.level=debug --no-web.systemd-socket --web.listen-address=" + s.address + " --config.file=" + path + " $ARGS\n"
	if unit := s.read("/etc/systemd/system/ccwatchd.service"); !strings.Contains(unit, want) {
		t.Errorf("unit lacks %q:\n%s", want, unit)
	}

	// install does not change a configuration, and uninstall removes only an unchanged
	// one.
	filetest.Write(t, filepath.Join(s.root, path), "intervals: {message_timeout: 5m}\n")
	s.must("install")
	s.must("uninstall")
	if got := s.read(path); got != "intervals: {message_timeout: 5m}\n" {
		t.Errorf("got configuration\n%s", got)
	}
	if err := os.Remove(filepath.Join(s.root, path)); err != nil {
		t.Fatal(err)
	}
	s.must("install")
	s.must("uninstall", "--purge")
	if got := s.read(path); got != "" {
		t.Errorf("got configuration\n%s, want none", got)
	}
	if !slices.Contains(s.ran, "userdel ccwatchd") {
		t.Errorf("got commands %q, want userdel", s.ran)
	}
	s.fail = "systemd-sysusers"
	s.fails("^create user ccwatchd: exit status 1$", "install")
}

// A second install replaces the first.
func TestInstallTwice(t *testing.T) {
	s := newServiceTest(t, systemd, true)
	s.must("install", "--log.level=debug")
	s.must("install", "--log.format=json")
	if unit := s.read(userUnit); strings.Contains(unit, "debug") || !strings.Contains(unit, "--log.format=json") {
		t.Errorf("got unit\n%s", unit)
	}
	if want := []string{"install", "start", "stop", "uninstall", "install", "start"}; !slices.Equal(s.calls, want) {
		t.Errorf("got calls %q, want %q", s.calls, want)
	}
}

// A failed installation does not block the next one.
func TestInstallFailure(t *testing.T) {
	for _, test := range []struct {
		name string
		set  func(*serviceTest)
		want string
		left bool // the unit remains
	}{
		{"install", func(s *serviceTest) { s.fail = "install" }, `^install the service: exit status 1$`, false},
		{"start", func(s *serviceTest) { s.fail = "start" }, `^start the service: exit status 1; see journalctl --user -u ccwatchd$`, false},
		{"no answer", func(s *serviceTest) { s.answer, s.timeout = "", time.Millisecond }, `^wait for the service: no answer at http://.*refused; see journalctl`, false},
		{"empty unit", func(s *serviceTest) {
			filetest.Write(s.T, filepath.Join(s.root, userUnit), "")
			s.fail = "install"
		}, `^install the service`, false},
		{"update", func(s *serviceTest) {
			s.must("install")
			s.fail = "start"
		}, `^start the service`, true},
		{"temporary program", func(s *serviceTest) { s.executable = "/tmp/go-build1/ccwatchd" }, `a temporary directory: .*: /tmp/go-build1/ccwatchd$`, false},
		{"packaged", func(s *serviceTest) {
			filetest.Write(s.T, filepath.Join(s.root, "/lib/systemd/user/ccwatchd.service"), "[Unit]\n")
		}, `^a package has installed this service: /lib/systemd/user/ccwatchd.service, to start it: systemctl --user enable --now ccwatchd$`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServiceTest(t, systemd, true)
			test.set(s)
			s.fails(test.want, "install")
			if left := s.read(userUnit) != ""; left != test.left {
				t.Errorf("unit remains: got %v, want %v", left, test.left)
			}
			if test.name == "packaged" {
				return
			}
			s.fail, s.answer, s.timeout, s.executable = "", readyAnswer, longTimeout, "/usr/bin/ccwatchd"
			s.must("install")
		})
	}
}

// install changes nothing if the daemon would not start.
func TestInstallChecksFirst(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, "bad.yml"), "nonsense: 1\n")
	for _, test := range []struct {
		name, want string
		user       bool
		args       []string
	}{
		{"configuration", `bad.yml:1: .*nonsense`, true, []string{"--config.file=" + filepath.Join(dir, "bad.yml")}},
		{"missing configuration", `no such file`, true, []string{"--config.file=" + filepath.Join(dir, "none.yml")}},
		{"web configuration", `(?s)^check --web.config.file: .*nonsense`, true, []string{"--web.config.file=" + filepath.Join(dir, "bad.yml")}},
		{"state directory of the system service", `leave out --state.dir`, false, []string{"--state.dir=/data"}},
		{"reading again at every start", `^refusing to install a service that reads all sessions again at every start: leave out --state.read-again$`, true, []string{"--state.read-again"}},
		{"control character", `control character`, true, []string{"--state.dir=/a\nb"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServiceTest(t, systemd, test.user)
			s.fails(test.want, append([]string{"install"}, test.args...)...)
			if len(s.calls)+len(s.ran) > 0 {
				t.Errorf("got calls %q, commands %q, want none", s.calls, s.ran)
			}
		})
	}
	t.Run("address", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() //nolint:errcheck // test listener
		s := newServiceTest(t, systemd, true)
		s.fails(`address already in use; use another --web.listen-address$`, "install", "--web.listen-address="+l.Addr().String())
		if len(s.calls) > 0 {
			t.Errorf("got calls %q, want none", s.calls)
		}
		// A service running at another address is not touched.
		s.must("install")
		before := s.read(userUnit)
		s.fails(`address already in use`, "install", "--web.listen-address="+l.Addr().String())
		if want := []string{"install", "start"}; !slices.Equal(s.calls, want) || s.read(userUnit) != before {
			t.Errorf("got calls %q, want %q", s.calls, want)
		}
	})
}

// The unit has the syntax of launchd.
func TestInstallWithLaunchd(t *testing.T) {
	for _, test := range []struct {
		user bool
		unit string
		want []string // with ADDRESS for the address
	}{
		{true, "/home/alice/Library/LaunchAgents/ccwatchd.plist", []string{
			"<string>/usr/local/bin/ccwatchd</string>\n\t\t<string>run</string>\n\t\t<string>--web.listen-address=ADDRESS</string>\n\t</array>",
			"<key>CLAUDE_CONFIG_DIR</key>\n\t\t<string>/data</string>",
			"<string>/home/alice/Library/Logs/ccwatchd.log</string>",
		}},
		{false, "/Library/LaunchDaemons/ccwatchd.plist", []string{
			"<string>--state.dir=/home/alice/Library/Application Support/ccwatchd</string>",
			"<key>UserName</key>\n\t<string>alice</string>",
		}},
	} {
		s := newServiceTest(t, launchd, test.user)
		s.env["CLAUDE_CONFIG_DIR"] = "/data"
		s.must("install")
		unit := strings.ReplaceAll(s.read(test.unit), s.address, "ADDRESS")
		for _, want := range test.want {
			if !strings.Contains(unit, want) {
				t.Errorf("%s lacks\n%s:\n%s", test.unit, want, unit)
			}
		}
		if out := s.must("status"); !strings.Contains(out, "http://ADDRESS,") {
			t.Errorf("%s: got output\n%s", test.unit, out)
		}
		s.must("uninstall", "--purge")
		if s.read(test.unit) != "" {
			t.Errorf("%s not removed", test.unit)
		}
	}
}
