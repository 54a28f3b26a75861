package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/kardianos/service"
	"github.com/prometheus/common/promslog"
	promslogflag "github.com/prometheus/common/promslog/flag"
	"github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/packaging"
	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// A fakeManager behaves like a manager of package service, including its faults. The
// service is an HTTP server that answers like the daemon.
type fakeManager struct {
	t      *testing.T
	unit   string // path of the unit
	file   string // template of the unit
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
		return errors.New("Init already exists")
	}
	err := m.call("install")
	text := m.text
	if err != nil {
		text = "" // a failure leaves an empty unit
	}
	filetest.Write(m.t, m.unit, text)
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
	l, err := net.Listen("tcp", flagValue(packaging.Args(m.file, string(text)), listenFlag))
	if err != nil {
		return err
	}
	m.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, m.answer)
	})}
	go m.server.Serve(l) //nolint:errcheck // until it is closed
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

// longTimeout is never reached by a working service.
const longTimeout = time.Minute

// A serviceTest simulates a machine with a service manager.
type serviceTest struct {
	*testing.T
	*fakeManager
	root       string // directory of its files
	manager    string
	user       bool
	executable string
	address    string
	timeout    time.Duration
	ran        []string // commands
	output     string   // of commands
	env        map[string]string
	systemOnly bool // the server is the system service
}

// A stoppedManager manages a service that does not run.
type stoppedManager struct{ *fakeManager }

func (stoppedManager) Status() (service.Status, error) { return service.StatusStopped, nil }

func newServiceTest(t *testing.T, manager string, user bool) *serviceTest {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	s := &serviceTest{
		T: t, fakeManager: &fakeManager{t: t, answer: readyAnswer}, root: t.TempDir(), manager: manager, user: user,
		executable: "/usr/local/bin/ccwatchd", address: free.Addr().String(), timeout: longTimeout,
		env: map[string]string{"HOME": "/home/alice"},
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// testStateDir is the default state directory of a user.
const testStateDir = "/home/alice/.local/state/ccwatchd"

// newTestCommands adds the commands to an application with the flags of the daemon.
func newTestCommands(env func(string) string) *Commands {
	app := kingpin.New("ccwatchd", "")
	app.Flag(configFlag, "").String()
	app.Flag(stateFlag, "").String()
	app.Flag(readAgainFlag, "").Bool()
	flags := kingpinflag.AddFlags(app, "localhost:10229")
	promslogflag.AddFlags(app, &promslog.Config{})
	app.Command("run", "")
	return Add(app, Options{
		Env: env, RunCommand: "run", ListenAddresses: flags.WebListenAddresses, DefaultAddress: "localhost:10229", StateDir: testStateDir,
		PrintStatus: func(w io.Writer, url string, s *status.Status) {
			_, _ = fmt.Fprintf(w, "daemon        %s, pid %d, version %s\n", url, s.PID, s.Version)
		},
		PrintAddresses: func(w io.Writer, url string) { _, _ = fmt.Fprintf(w, "page          %s/\n", url) },
	})
}

// do runs a service command and returns its output.
func (s *serviceTest) do(args ...string) (out string, code int, err error) {
	s.Helper()
	var b strings.Builder
	c := newTestCommands(func(name string) string { return s.env[name] })
	args = append([]string{"service"}, args...)
	if args[1] == "install" && !hasFlag(args, listenFlag) {
		args = append(args, "--"+listenFlag+"="+s.address)
	}
	if _, err := c.app.Parse(args); err != nil {
		s.Fatal(err)
	}
	parsed, err := c.app.ParseContext(args)
	if err != nil {
		s.Fatal(err)
	}
	code, err = c.run(c.subcommands[parsed.SelectedCommand.FullCommand()], s.controller(c, parsed, &b))
	return strings.ReplaceAll(b.String(), s.address, "ADDRESS"), code, err
}

// controller returns a controller of the fake manager.
func (s *serviceTest) controller(c *Commands, parsed *kingpin.ParseContext, out io.Writer) *controller {
	s.Helper()
	p, ok := c.pathsOf(s.manager, s.user, account{"alice", "/home/alice"})
	if !ok {
		s.Fatal("no such service")
	}
	s.unit, s.file = s.root+p.unit, p.template
	return &controller{
		Commands: c, out: out, given: parsed.Elements, paths: p, executable: s.executable, root: s.root,
		environment: environment{manager: s.manager, booted: true, root: !s.user, session: true, sudo: map[bool]string{false: "alice"}[s.user]},
		newManager: func(p paths, program packaging.Program) (manager, error) {
			text, err := packaging.Unit(p.template, program)
			if p.user == s.user { // and not the other service, to inspect it
				s.text = text
			}
			if p.user && s.systemOnly {
				return stoppedManager{s.fakeManager}, err
			}
			return s.fakeManager, err
		},
		runProgram: func(_ context.Context, _, name string, args ...string) (string, error) {
			s.ran = append(s.ran, strings.Join(append([]string{name}, args...), " "))
			if s.fail == name {
				return "", errManager
			}
			return s.output, nil
		},
		interval: time.Millisecond, timeout: s.timeout,
	}
}

// must runs a command that must succeed.
func (s *serviceTest) must(args ...string) string {
	s.Helper()
	out, code, err := s.do(args...)
	if err != nil || code != 0 {
		s.Fatalf("%v: got code %d, error %v\n%s", args, code, err, out)
	}
	return out
}

// fails runs a command whose error must match a pattern.
func (s *serviceTest) fails(want string, args ...string) {
	s.Helper()
	if out, code, err := s.do(args...); code != 1 || err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
		s.Errorf("%v: got code %d, error %v, want %s\n%s", args, code, err, want, out)
	}
}

// read returns a file of the machine; "" if it does not exist.
func (s *serviceTest) read(path string) string {
	s.Helper()
	b, err := os.ReadFile(filepath.Join(s.root, path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Fatal(err)
	}
	return string(b)
}
