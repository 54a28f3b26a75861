package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kardianos/service"

	"github.com/ccwatchd/ccwatchd/packaging"
)

// A fakeManager manages a service as package service does, faults included. The
// service is a server that answers as the daemon does.
type fakeManager struct {
	t      *testing.T
	unit   string // path of the unit
	answer string // to /-/status
	fail   string // the call that fails
	calls  []string

	text   string // for Install
	server *http.Server
}

var errManager = errors.New("exit status 1")

func (m *fakeManager) call(name string) error {
	m.calls = append(m.calls, name)
	if m.fail == name {
		return errManager
	}
	return nil
}

func (m *fakeManager) Install() error {
	if _, err := os.Stat(m.unit); err == nil {
		return errors.New("Init already exists") //nolint:staticcheck // its own words
	}
	err := m.call("install")
	text := m.text
	if err != nil {
		text = "" // what a failure leaves
	}
	writeFile(m.t, m.unit, text)
	return err
}

func (m *fakeManager) Uninstall() error {
	if _, err := os.Stat(m.unit); err != nil {
		return err
	}
	if err := m.call("uninstall"); err != nil {
		return err
	}
	return os.Remove(m.unit)
}

func (m *fakeManager) Start() error {
	if err := m.call("start"); err != nil || m.answer == "" || m.server != nil {
		return err
	}
	text, err := os.ReadFile(m.unit)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", argIn("web.listen-address", string(text)))
	if err != nil {
		return err
	}
	m.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, m.answer)
	})}
	go m.server.Serve(l) //nolint:errcheck // it is closed
	return nil
}

func (m *fakeManager) Stop() error {
	if m.server == nil {
		return errManager
	}
	m.calls = append(m.calls, "stop")
	err := m.server.Close()
	m.server = nil
	return err
}

func (m *fakeManager) Restart() error { return errors.Join(m.Stop(), m.Start()) }

func (m *fakeManager) Status() (service.Status, error) {
	if m.server != nil {
		return service.StatusRunning, nil
	}
	return service.StatusStopped, nil
}

const readyAnswer = `{"version":"1.2.3","pid":7,"ready":true,"percent":100,"files":12,"sessions":3,"backlog_bytes":5}`

// A serviceTest is a machine with a manager of services.
type serviceTest struct {
	*testing.T
	*fakeManager
	root    string // of its files
	by      string
	user    bool
	self    string
	address string
	ran     []string // other programs
	env     map[string]string
}

func newServiceTest(t *testing.T, by string, user bool) *serviceTest {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	s := &serviceTest{
		T: t, fakeManager: &fakeManager{t: t, answer: readyAnswer}, root: t.TempDir(), by: by, user: user,
		self: "/usr/local/bin/ccwatchd", address: free.Addr().String(), env: map[string]string{"HOME": "/home/alice"},
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// do carries out a service command, and returns what it prints.
func (s *serviceTest) do(args ...string) (out string, code int, err error) {
	s.Helper()
	var b strings.Builder
	env := func(name string) string { return s.env[name] }
	c := newCommand(env)
	args = append([]string{"service"}, args...)
	if args[1] == "install" && !given(args, "web.listen-address") {
		args = append(args, "--web.listen-address="+s.address)
	}
	chosen, err := c.app.Parse(args)
	if err != nil {
		s.Fatal(err)
	}
	parsed, err := c.app.ParseContext(args)
	if err != nil {
		s.Fatal(err)
	}
	place, ok := placeOf(s.by, s.user, account{"alice", "/home/alice"}, env)
	if !ok {
		s.Fatal("no such service")
	}
	s.unit = s.root + place.unit
	services := &services{
		c: c, out: &b, given: parsed.Elements, place: place, self: s.self, root: s.root,
		around: surroundings{manager: s.by, booted: true, root: !s.user, session: true},
		manage: func(at servicePlace, p packaging.Program) (manager, error) {
			text, err := packaging.Unit(at.file, p)
			s.text = text
			return s.fakeManager, err
		},
		run: func(_ context.Context, _, name string, args ...string) error {
			s.ran = append(s.ran, strings.Join(append([]string{name}, args...), " "))
			return nil
		},
		tick: time.Millisecond, wait: 50 * time.Millisecond,
	}
	code, err = services.do(chosen)
	return strings.ReplaceAll(b.String(), s.address, "ADDRESS"), code, err
}

// must carries out a command that succeeds.
func (s *serviceTest) must(args ...string) string {
	s.Helper()
	out, code, err := s.do(args...)
	if err != nil || code != 0 {
		s.Fatalf("%v: code %d, %v\n%s", args, code, err, out)
	}
	return out
}

// fails carries out a command that must fail with what matches.
func (s *serviceTest) fails(want string, args ...string) {
	s.Helper()
	if out, code, err := s.do(args...); code != 1 || err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
		s.Errorf("%v: code %d, %v, want %s\n%s", args, code, err, want, out)
	}
}

// read returns a file of the machine; "" if there is none.
func (s *serviceTest) read(path string) string {
	s.Helper()
	b, err := os.ReadFile(filepath.Join(s.root, path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Fatal(err)
	}
	return string(b)
}

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

# What to add to the configuration of Prometheus so that it scrapes ccwatchd.
scrape_configs:
  - job_name: ccwatchd
    scrape_interval: 15s
    static_configs:
      - targets: [ADDRESS]
`
	state := defaultStateDir(func(name string) string { return s.env[name] })
	if got := strings.Replace(s.must("install"), state, "STATE", 1); got != want {
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
	writeFile(t, filepath.Join(s.root, path), "intervals: {settle: 5m}\n")
	s.must("install")
	s.must("uninstall")
	if got := s.read(path); got != "intervals: {settle: 5m}\n" {
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
		{"answering", func(s *serviceTest) { s.answer = "" }, `^wait for the service: it does not answer at http://.*refused; see journalctl`, false},
		{"a leftover", func(s *serviceTest) {
			writeFile(s.T, filepath.Join(s.root, userUnit), "")
			s.fail = "install"
		}, `^install the service`, false},
		{"an update", func(s *serviceTest) {
			s.must("install")
			s.fail = "start"
		}, `^start the service`, true},
		{"a temporary program", func(s *serviceTest) { s.self = "/tmp/go-build1/ccwatchd" }, `a build that will not stay`, false},
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
			s.fail, s.answer, s.self = "", readyAnswer, "/usr/bin/ccwatchd"
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
		s.fails(`somebody listens there already; --web.listen-address takes another`, "install", "--web.listen-address="+l.Addr().String())
		if len(s.calls) > 0 {
			t.Errorf("calls %q", s.calls)
		}
	})
}
