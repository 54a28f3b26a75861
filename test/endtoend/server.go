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

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A Server is a program with an HTTP API. Start, Kill and Stop must be called from one
// goroutine, and fail the test on errors.
type Server struct {
	Name    string   // in messages
	Program string   // path
	Args    []string // ADDRESS is replaced by the address
	Ready   string   // path that returns 200 when the server is ready
	Flush   string   // path that makes all samples visible to queries, if necessary
	Prefix  string   // of the paths of the Prometheus API, "" if they begin with /api/v1
	Tenant  string   // on whose behalf requests are made, "" if the server has no tenants
	Dir     string   // working directory, kept across restarts
	Address string   // host and port
	Started time.Time

	cmd *exec.Cmd
	log *os.File
}

// NewServer returns a server with an address and a directory, not started. It is killed
// at the end of the test.
func NewServer(t testing.TB, name, program, ready string, args ...string) *Server {
	t.Helper()
	s := &Server{Name: name, Program: program, Args: args, Ready: ready, Dir: t.TempDir(), Address: FreeAddress(t)}
	t.Cleanup(func() { s.end(t, os.Kill) })
	return s
}

// NewPrometheus returns a Prometheus with a configuration and more arguments. It keeps
// its samples across restarts.
func NewPrometheus(t testing.TB, name, program, config string, args ...string) *Server {
	t.Helper()
	s := NewServer(t, name, Program(t, program), "/-/ready", append([]string{
		"--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.listen-address=ADDRESS", "--log.level=warn",
	}, args...)...)
	s.Write(t, "prometheus.yml", config)
	return s
}

// NewVictoriaMetrics returns a VictoriaMetrics that scrapes according to a
// configuration of Prometheus.
func NewVictoriaMetrics(t testing.TB, config string, args ...string) *Server {
	t.Helper()
	s := NewServer(t, "VictoriaMetrics", Program(t, VictoriaMetrics), "/health", append([]string{
		"-promscrape.config=prometheus.yml", "-storageDataPath=data", "-httpListenAddr=ADDRESS", "-loggerLevel=WARN",
		"-search.latencyOffset=0s", // include the last seconds
	}, args...)...)
	// It buffers samples per processor and flushes the buffers independently, so that a
	// query may return a sample up to two seconds before an earlier one.
	s.Flush = "/internal/force_flush"
	s.Write(t, "prometheus.yml", config)
	return s
}

// NewAlertmanager returns an Alertmanager with a configuration.
func NewAlertmanager(t testing.TB, config string) *Server {
	t.Helper()
	s := NewServer(t, "Alertmanager", Program(t, Alertmanager), "/-/ready",
		"--config.file=alertmanager.yml", "--storage.path=data", "--web.listen-address=ADDRESS", "--cluster.listen-address=", "--log.level=warn")
	s.Write(t, "alertmanager.yml", config)
	return s
}

// NewDaemon returns a ccwatchd with a configuration. Its state is in its directory.
func NewDaemon(t testing.TB, program, config string) *Server {
	t.Helper()
	s := NewServer(t, "ccwatchd", program, "/-/ready",
		"--config.file=ccwatchd.yml", "--state.dir=state", "--web.listen-address=ADDRESS", "--log.level=warn")
	s.Write(t, "ccwatchd.yml", config)
	return s
}

// usedAddresses are the addresses that FreeAddress has returned.
var usedAddresses sync.Map

// FreeAddress returns a free local address, a different one each time, so that the
// caller may use it later and repeatedly.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := l.Addr().String()
		_ = l.Close() // without connections
		if _, before := usedAddresses.LoadOrStore(address, true); !before {
			return address
		}
	}
}

// URL returns the URL of the root.
func (s *Server) URL() string { return "http://" + s.Address }

// Write writes a file into the directory.
func (s *Server) Write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Start starts the server and waits until it is ready.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	// Kill and Stop end it, not a context.
	cmd := s.command(context.WithoutCancel(t.Context()))
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", s.Name, err)
	}
	s.cmd, s.log, s.Started = cmd, log, time.Now()
	Eventually(t, s.Name+" is ready", func() error {
		_, err := s.Get(t.Context(), s.Ready, nil)
		return err
	})
}

// Restart starts the server, kills it and starts it with the same address.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.Start(t)
	s.Kill(t)
	s.Start(t)
}

// command returns a command that runs the server.
func (s *Server) command(ctx context.Context) *exec.Cmd {
	args := make([]string, len(s.Args))
	for i, arg := range s.Args {
		args[i] = strings.ReplaceAll(arg, "ADDRESS", s.Address)
	}
	cmd := exec.CommandContext(ctx, s.Program, args...) //nolint:gosec // a program of the tests
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), "HOME="+s.Dir, "TMPDIR="+s.Dir)
	return cmd
}

// Kill ends the server with SIGKILL.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	s.end(t, os.Kill)
}

// Stop ends the server with an interrupt.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.end(t, os.Interrupt)
}

// Signal sends a signal to the server.
func (s *Server) Signal(t testing.TB, signal os.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		t.Fatalf("signal %s: %v", s.Name, err)
	}
}

// end ends the server if it runs, and prints its log if the test has failed.
func (s *Server) end(t testing.TB, signal os.Signal) {
	t.Helper()
	if s.cmd == nil {
		return
	}
	if err := s.cmd.Process.Signal(signal); err != nil {
		t.Errorf("end %s: %v", s.Name, err)
	}
	_ = s.cmd.Wait() // it was signaled
	_ = s.log.Close()
	s.cmd = nil
	http.DefaultClient.CloseIdleConnections()
	if t.Failed() {
		t.Logf("the log of %s:\n%s", s.Name, s.Log(t))
	}
}

// Log returns the end of the log.
func (s *Server) Log(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.Dir, "log"))
	if err != nil {
		t.Error(err)
	}
	const most = 4 << 10
	return bytes.TrimSpace(b[max(0, len(b)-most):])
}

// Eventually waits until try returns no error, and fails the test at the timeout.
func Eventually(t testing.TB, what string, try func() error) {
	t.Helper()
	var err error
	if !polltest.Poll(50*time.Millisecond, func() bool { err = try(); return err == nil }) {
		t.Fatalf("after %v, waiting until %s: %v", polltest.Timeout, what, err)
	}
}
