package servicecmd

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/packaging"
)

const userUnit = "/home/alice/.config/systemd/user/ccwatchd.service"

func TestInstallForAUser(t *testing.T) {
	s := newServiceTest(t, systemd, true)
	s.env["CLAUDE_CONFIG_DIR"] = "/data/claude"
	want := `Installing the service of the user alice

The service of the user alice is installed, runs, and has read everything.

  metrics    http://ADDRESS/metrics
  unit       /home/alice/.config/systemd/user/ccwatchd.service
  state      STATE
  log        journalctl --user -u ccwatchd

It runs while alice is logged in. To have it run always:

  loginctl enable-linger

To have Prometheus scrape it, add to its configuration:

scrape_configs:
  - job_name: ccwatchd
    scrape_interval: 15s
    static_configs:
      - targets: [ADDRESS]
`
	if got := strings.Replace(s.must("install"), testStateDir, "STATE", 1); got != want {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
	for _, line := range []string{
		"\nExecStart=/usr/local/bin/ccwatchd run --web.listen-address=" + s.address + " $ARGS\n",
		"\nEnvironment=CLAUDE_CONFIG_DIR=/data/claude\n",
		"\nWantedBy=default.target\n",
	} {
		if unit := s.read(userUnit); !strings.Contains(unit, line) {
			t.Errorf("the unit lacks %q:\n%s", line, unit)
		}
	}
	writeFile(t, filepath.Join(s.root, "var/lib/systemd/linger/alice"), "")
	if out := s.must("install"); strings.Contains(out, "linger") {
		t.Errorf("alice lingers already:\n%s", out)
	}
	if len(s.ran) > 0 {
		t.Errorf("it runs %q", s.ran)
	}
}

func TestInstallForTheSystem(t *testing.T) {
	const path = "/etc/ccwatchd/ccwatchd.yml"
	s := newServiceTest(t, systemd, false)
	out := s.must("install", "--log.level=debug", "--no-web.systemd-socket")
	if !strings.Contains(out, "Made "+path) || strings.Contains(out, "linger") {
		t.Errorf("it prints\n%s", out)
	}
	if want := []string{"systemd-sysusers -"}; !slices.Equal(s.ran, want) {
		t.Errorf("it runs %q, want %q", s.ran, want)
	}
	if s.read(path) != packaging.Read(packaging.SystemConfig) {
		t.Errorf("the configuration is\n%s", s.read(path))
	}
	want := "\nExecStart=/usr/local/bin/ccwatchd run --log.level=debug --no-web.systemd-socket --web.listen-address=" + s.address + " --config.file=" + path + " $ARGS\n"
	if unit := s.read("/etc/systemd/system/ccwatchd.service"); !strings.Contains(unit, want) {
		t.Errorf("the unit lacks %q:\n%s", want, unit)
	}

	// It changes no configuration, and only removes its own.
	writeFile(t, filepath.Join(s.root, path), "intervals: {message_timeout: 5m}\n")
	s.must("install")
	s.must("uninstall")
	if got := s.read(path); got != "intervals: {message_timeout: 5m}\n" {
		t.Errorf("the configuration became\n%s", got)
	}
	if err := os.Remove(filepath.Join(s.root, path)); err != nil {
		t.Fatal(err)
	}
	s.must("install")
	s.must("uninstall", "--purge")
	if got := s.read(path); got != "" {
		t.Errorf("the configuration is still there:\n%s", got)
	}
	if !slices.Contains(s.ran, "userdel ccwatchd") {
		t.Errorf("the user is still there; it ran %q", s.ran)
	}
}

// A second install is an update, and nothing of the first is left.
func TestInstallTwice(t *testing.T) {
	s := newServiceTest(t, systemd, true)
	s.must("install", "--log.level=debug")
	s.must("install", "--log.format=json")
	if unit := s.read(userUnit); strings.Contains(unit, "debug") || !strings.Contains(unit, "--log.format=json") {
		t.Errorf("the unit is\n%s", unit)
	}
	if want := []string{"install", "start", "stop", "uninstall", "install", "start"}; !slices.Equal(s.calls, want) {
		t.Errorf("calls %q, want %q", s.calls, want)
	}
}

// Whatever fails leaves nothing in the way of the next try.
func TestInstallThatFails(t *testing.T) {
	for _, test := range []struct {
		name string
		set  func(*serviceTest)
		want string
		left bool // the unit stays
	}{
		{"installing", func(s *serviceTest) { s.fail = "install" }, `^install the service: exit status 1$`, false},
		{"starting", func(s *serviceTest) { s.fail = "start" }, `^start the service: exit status 1; see journalctl --user -u ccwatchd$`, false},
		{"answering", func(s *serviceTest) { s.answer, s.timeout = "", time.Millisecond }, `^wait for the service: no answer at http://.*refused; see journalctl`, false},
		{"a leftover", func(s *serviceTest) {
			writeFile(s.T, filepath.Join(s.root, userUnit), "")
			s.fail = "install"
		}, `^install the service`, false},
		{"an update", func(s *serviceTest) {
			s.must("install")
			s.fail = "start"
		}, `^start the service`, true},
		{"a temporary program", func(s *serviceTest) { s.executable = "/tmp/go-build1/ccwatchd" }, `a temporary directory: .*: /tmp/go-build1/ccwatchd$`, false},
		{"a package", func(s *serviceTest) {
			writeFile(s.T, filepath.Join(s.root, "/lib/systemd/user/ccwatchd.service"), "[Unit]\n")
		}, `^a package has installed this service already.*: /lib/systemd/user/ccwatchd.service$`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServiceTest(t, systemd, true)
			test.set(s)
			s.fails(test.want, "install")
			if left := s.read(userUnit) != ""; left != test.left {
				t.Errorf("the unit stays: %v, want %v", left, test.left)
			}
			if test.name == "a package" {
				return
			}
			s.fail, s.answer, s.timeout, s.executable = "", readyAnswer, long, "/usr/bin/ccwatchd"
			s.must("install")
		})
	}
}

// Nothing is touched where the daemon would not run.
func TestInstallChecksFirst(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "bad.yml"), "nonsense: 1\n")
	for _, test := range []struct {
		name, want string
		user       bool
		args       []string
	}{
		{"configuration", `bad.yml:1: .*nonsense`, true, []string{"--config.file=" + filepath.Join(dir, "bad.yml")}},
		{"no configuration", `no such file`, true, []string{"--config.file=" + filepath.Join(dir, "none.yml")}},
		{"configuration of the web", `(?s)^check --web.config.file: .*nonsense`, true, []string{"--web.config.file=" + filepath.Join(dir, "bad.yml")}},
		{"state of the system", `leave out --state.dir`, false, []string{"--state.dir=/data"}},
		{"character", `control character`, true, []string{"--state.dir=/a\nb"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServiceTest(t, systemd, test.user)
			s.fails(test.want, append([]string{"install"}, test.args...)...)
			if len(s.calls)+len(s.ran) > 0 {
				t.Errorf("calls %q, programs %q", s.calls, s.ran)
			}
		})
	}
	t.Run("address", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() //nolint:errcheck // of the test
		s := newServiceTest(t, systemd, true)
		s.fails(`address already in use; use another --web.listen-address$`, "install", "--web.listen-address="+l.Addr().String())
		if len(s.calls) > 0 {
			t.Errorf("calls %q", s.calls)
		}
		// One that runs at another address is left alone.
		s.must("install")
		before := s.read(userUnit)
		s.fails(`address already in use`, "install", "--web.listen-address="+l.Addr().String())
		if want := []string{"install", "start"}; !slices.Equal(s.calls, want) || s.read(userUnit) != before {
			t.Errorf("calls %q, want %q", s.calls, want)
		}
	})
}

// Each manager gets what it understands.
func TestInstallElsewhere(t *testing.T) {
	for _, test := range []struct {
		by    string
		user  bool
		unit  string
		wants []string // with ADDRESS for the address
	}{
		{launchd, true, "/home/alice/Library/LaunchAgents/ccwatchd.plist", []string{
			"<string>/usr/local/bin/ccwatchd</string>\n\t\t<string>run</string>\n\t\t<string>--web.listen-address=ADDRESS</string>\n\t</array>",
			"<key>CLAUDE_CONFIG_DIR</key>\n\t\t<string>/data</string>",
			"<string>/home/alice/Library/Logs/ccwatchd.log</string>",
		}},
		{launchd, false, "/Library/LaunchDaemons/ccwatchd.plist", []string{
			"<string>--state.dir=/home/alice/Library/Application Support/ccwatchd</string>",
			"<key>UserName</key>\n\t<string>alice</string>",
		}},
		{openRC, false, "/etc/init.d/ccwatchd", []string{
			`command_args="run --web.listen-address=ADDRESS --config.file=/etc/ccwatchd/ccwatchd.yml --state.dir=/var/lib/ccwatchd ${CCWATCHD_ARGS}"`,
		}},
		{freeBSD, false, "/usr/local/etc/rc.d/ccwatchd", []string{
			"/usr/local/bin/ccwatchd run --web.listen-address=ADDRESS --state.dir=/var/db/ccwatchd ${ccwatchd_args}\"",
			": ${ccwatchd_runas:=alice}\n",
		}},
	} {
		s := newServiceTest(t, test.by, test.user)
		s.env["CLAUDE_CONFIG_DIR"] = "/data"
		s.must("install")
		unit := strings.ReplaceAll(s.read(test.unit), s.address, "ADDRESS")
		for _, want := range test.wants {
			if !strings.Contains(unit, want) {
				t.Errorf("%s: the unit lacks\n%s:\n%s", test.by, want, unit)
			}
		}
		if out := s.must("status"); !strings.Contains(out, "http://ADDRESS/metrics") {
			t.Errorf("%s: it prints\n%s", test.by, out)
		}
		s.must("uninstall", "--purge")
		if s.read(test.unit) != "" {
			t.Errorf("%s: the unit is still there", test.by)
		}
	}
}

// The user of the service is made as the system has it.
func TestServiceUser(t *testing.T) {
	const (
		useradd = "useradd --system --user-group --home-dir /var/lib/ccwatchd --shell /sbin/nologin ccwatchd"
		adduser = "adduser -S -D -H -h /var/lib/ccwatchd -s /sbin/nologin -G ccwatchd ccwatchd"
	)
	for _, test := range []struct {
		name, refuses string
		want          []string // nil: none can be made
	}{
		{"is there", `^$`, []string{"id -u ccwatchd"}},
		{"systemd", `^id `, []string{"systemd-sysusers -"}},
		{"Gentoo", `^(id|systemd-sysusers) `, []string{useradd}},
		{"Alpine", `^(id|systemd-sysusers|useradd) `, []string{"addgroup -S ccwatchd", adduser}},
		{"Alpine, with the group", `^(id|systemd-sysusers|useradd|addgroup) `, []string{adduser}},
		{"none", `.`, nil},
	} {
		s := newServiceTest(t, openRC, false)
		s.refuses = regexp.MustCompile(test.refuses)
		if test.want == nil {
			s.fails("^create user ccwatchd: exit status 1$", "install")
		} else {
			s.must("install")
		}
		if !slices.Equal(s.ran, test.want) {
			t.Errorf("%s: it runs %q, want %q", test.name, s.ran, test.want)
		}
	}
}

func TestFreeBSDStartsIt(t *testing.T) {
	s := newServiceTest(t, freeBSD, false)
	s.must("install")
	s.must("uninstall")
	if want := []string{"sysrc ccwatchd_enable=YES", "sysrc -x ccwatchd_enable"}; !slices.Equal(s.ran, want) {
		t.Errorf("it runs %q, want %q", s.ran, want)
	}
}
