package endtoend

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long anything may take. It is long, since nobody waits for it
// unless something is wrong.
const patience = time.Minute

// A Server is a program that is asked over HTTP. Start, Kill and Stop are for one
// goroutine. A failure of any of them ends the test.
type Server struct {
	Name    string   // for people
	Program string   // its path
	Args    []string // in which ADDRESS stands for the address
	Ready   string   // the path that answers with 200 once it is ready
	Flush   string   // the path that makes it answer with all that it was told, "" if it does anyway
	Dir     string   // where it runs, and what it has there stays
	Address string   // host and port
	Started time.Time

	cmd *exec.Cmd
	log *os.File
}

// NewServer returns one that has an address and a directory, and does not run
// yet. It ends with the test.
func NewServer(t testing.TB, name, program, ready string, args ...string) *Server {
	t.Helper()
	s := &Server{Name: name, Program: program, Args: args, Ready: ready, Dir: t.TempDir(), Address: FreeAddress(t)}
	t.Cleanup(func() { s.end(t, os.Kill) })
	return s
}

// NewPrometheus returns a Prometheus of a program, with a configuration; more
// arguments may follow. Its samples are in its directory, and stay over a restart.
func NewPrometheus(t testing.TB, name, program, config string, args ...string) *Server {
	t.Helper()
	s := NewServer(t, name, Program(t, program), "/-/ready", append([]string{
		"--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.listen-address=ADDRESS", "--log.level=warn",
	}, args...)...)
	s.Write(t, "prometheus.yml", config)
	return s
}

// NewVictoriaMetrics returns one that scrapes as a configuration of Prometheus
// says; more arguments may follow.
func NewVictoriaMetrics(t testing.TB, config string, args ...string) *Server {
	t.Helper()
	s := NewServer(t, "VictoriaMetrics", Program(t, VictoriaMetrics), "/health", append([]string{
		"-promscrape.config=prometheus.yml", "-storageDataPath=data", "-httpListenAddr=ADDRESS", "-loggerLevel=WARN",
		"-search.latencyOffset=0s", // answer with what there is, also of the last seconds
	}, args...)...)
	// A sample may be answered with two seconds before one that came earlier: they wait in
	// as many buffers as there are processors, each of which it empties at times of its own.
	s.Flush = "/internal/force_flush"
	s.Write(t, "prometheus.yml", config)
	return s
}

// NewAlertmanager returns one with a configuration.
func NewAlertmanager(t testing.TB, config string) *Server {
	t.Helper()
	s := NewServer(t, "Alertmanager", Program(t, Alertmanager), "/-/ready",
		"--config.file=alertmanager.yml", "--storage.path=data", "--web.listen-address=ADDRESS", "--cluster.listen-address=", "--log.level=warn")
	s.Write(t, "alertmanager.yml", config)
	return s
}

// NewDaemon returns a ccwatchd of a program, with a configuration. Its state is in its
// directory.
func NewDaemon(t testing.TB, program, config string) *Server {
	t.Helper()
	s := NewServer(t, "ccwatchd", program, "/-/ready",
		"--config.file=ccwatchd.yml", "--state.dir=state", "--web.listen-address=ADDRESS", "--log.level=warn")
	s.Write(t, "ccwatchd.yml", config)
	return s
}

// given has the addresses that FreeAddress has returned.
var given sync.Map

// FreeAddress returns an address of this machine at which nobody listens, another one
// each time: whoever has got one may use it later, or only now and then.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := l.Addr().String()
		_ = l.Close() // nothing was sent
		if _, before := given.LoadOrStore(address, true); !before {
			return address
		}
	}
}

// URL is that of the root.
func (s *Server) URL() string { return "http://" + s.Address }

// Write writes a file into its directory.
func (s *Server) Write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Start starts it and waits until it is ready.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	args := make([]string, len(s.Args))
	for i, arg := range s.Args {
		args[i] = strings.ReplaceAll(arg, "ADDRESS", s.Address)
	}
	// Its end is decided by Kill and Stop, and not by a context.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), s.Program, args...) //nolint:gosec // a program of the tests
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.Dir, log, log
	cmd.Env = append(os.Environ(), "HOME="+s.Dir, "TMPDIR="+s.Dir)
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", s.Name, err)
	}
	s.cmd, s.log, s.Started = cmd, log, time.Now()
	Eventually(t, s.Name+" is ready", func() error {
		_, err := s.Get(t.Context(), s.Ready, nil)
		return err
	})
}

// Kill ends it as kill -9 does.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	s.end(t, os.Kill)
}

// Stop has it end by itself.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.end(t, os.Interrupt)
}

// Signal sends it a signal.
func (s *Server) Signal(t testing.TB, signal os.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		t.Fatalf("signal %s: %v", s.Name, err)
	}
}

// end ends it if it runs. What it has logged is shown if the test has failed.
func (s *Server) end(t testing.TB, signal os.Signal) {
	t.Helper()
	if s.cmd == nil {
		return
	}
	if err := s.cmd.Process.Signal(signal); err != nil {
		t.Errorf("end %s: %v", s.Name, err)
	}
	_ = s.cmd.Wait() // it was told to end
	_ = s.log.Close()
	s.cmd = nil
	http.DefaultClient.CloseIdleConnections()
	if t.Failed() {
		t.Logf("the log of %s:\n%s", s.Name, s.Log(t))
	}
}

// Log returns the end of what it has logged.
func (s *Server) Log(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.Dir, "log"))
	if err != nil {
		t.Error(err)
	}
	const most = 4 << 10
	return bytes.TrimSpace(b[max(0, len(b)-most):])
}

// Eventually waits until there is no error any more, and fails the test with the
// last one if that takes too long.
func Eventually(t testing.TB, what string, try func() error) {
	t.Helper()
	EventuallyWithin(t, patience, what, try)
}

// EventuallyWithin waits for as long as it is told at most.
func EventuallyWithin(t testing.TB, patience time.Duration, what string, try func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %v still not: %s: %v", patience, what, err)
		}
		<-again.C
	}
}
