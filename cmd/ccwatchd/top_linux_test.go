package main

import (
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"unicode"

	"net/http"

	"github.com/gdamore/tcell/v3/vt"
	"golang.org/x/sys/unix"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A screen is the terminal of a process: a pseudo-terminal, and an emulator that
// interprets the output of the process.
type screen struct {
	*process
	terminal, program *os.File
	emulator          vt.MockTerm
	before            *unix.Termios
	raw               polltest.Buffer
}

// inTerminal runs a command in a terminal of the given size.
func (p sandbox) inTerminal(t *testing.T, width, height int, args ...string) *screen {
	t.Helper()
	s := &screen{process: p.with("TERM=xterm-256color", "LANG=C.UTF-8").newProcess(t, args...)}
	s.terminal, s.program = openTerminal(t)
	s.emulator = vt.NewMockTerm(vt.MockOptSize{X: vt.Col(width), Y: vt.Row(height)})
	if err := s.emulator.Start(); err != nil {
		t.Fatal(err)
	}
	s.resize(width, height)
	s.before = s.settings()
	s.cmd.Stdin, s.cmd.Stdout = s.program, s.program
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	done := make(chan struct{}, 2)
	go func() {
		defer func() { done <- struct{}{} }()
		_, _ = io.Copy(io.MultiWriter(s.emulator, &s.raw), s.terminal)
	}()
	go func() { // answers to questions of the program
		defer func() { done <- struct{}{} }()
		_, _ = io.Copy(s.terminal, s.emulator)
	}()
	s.run()
	t.Cleanup(func() {
		s.kill()
		_, _ = s.program.Close(), s.terminal.Close()
		_ = s.emulator.Stop()
		<-done
		<-done
	})
	return s
}

// settings returns the settings of the terminal, such as whether it echoes.
func (s *screen) settings() *unix.Termios {
	s.t.Helper()
	settings, err := unix.IoctlGetTermios(int(s.program.Fd()), unix.TCGETS)
	if err != nil {
		s.t.Fatal(err)
	}
	return settings
}

// resize changes the size of the terminal.
func (s *screen) resize(width, height int) {
	s.t.Helper()
	s.emulator.SetSize(vt.Coord{X: vt.Col(width), Y: vt.Row(height)})
	size := &unix.Winsize{Col: uint16(width), Row: uint16(height)}
	if err := unix.IoctlSetWinsize(int(s.terminal.Fd()), unix.TIOCSWINSZ, size); err != nil {
		s.t.Fatal(err)
	}
}

func (s *screen) text() string {
	size, err := s.emulator.WindowSize()
	if err != nil {
		s.t.Fatal(err)
	}
	var b strings.Builder
	for y := range size.Height {
		for x := range size.Width {
			if c := s.emulator.GetCell(vt.Coord{X: vt.Col(x), Y: vt.Row(y)}); c.C != "" {
				b.WriteString(c.C)
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// shows waits until the terminal shows texts.
func (s *screen) shows(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if !polltest.Poll(5*1e6, func() bool { return strings.Contains(s.text(), text) || s.hasEnded() }) || s.hasEnded() {
			s.t.Fatalf("waiting for %q: ended: %v, log:\n%s\nscreen:\n%s", text, s.hasEnded(), s.log.String(), s.text())
		}
	}
}

func (s *screen) types(keys string) {
	s.t.Helper()
	if _, err := s.terminal.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits until the process ends with a code, and checks that it has restored the
// terminal.
func (s *screen) ends(code int) {
	s.t.Helper()
	polltest.Eventually(s.t, "the process ends", s.hasEnded)
	if s.code != code {
		s.t.Errorf("got code %d, want %d:\n%s", s.code, code, s.log.String())
	}
	if got := s.settings(); !reflect.DeepEqual(got, s.before) {
		s.t.Errorf("got settings of the terminal\n%+v\nwant\n%+v", got, s.before)
	}
	polltest.Eventually(s.t, "the first screen is back", func() bool {
		raw := s.raw.String()
		entered, left := strings.LastIndex(raw, "\x1b[?1049h"), strings.LastIndex(raw, "\x1b[?1049l")
		return left >= entered && strings.LastIndex(raw, "\x1b[?25l") <= strings.LastIndex(raw, "\x1b[?25h")
	})
}

func withSessions(t *testing.T, projects ...string) sandbox {
	t.Helper()
	p := newRaceSandbox(t)
	for i, project := range projects {
		s := p.newSession(t, project)
		s.session = uuid(i + 1)
		s.path = strings.ReplaceAll(s.path, uuid(1), s.session)
		appendFile(t, s.path, s.prompt("go")+s.call("m"+s.session, "Bash"))
	}
	return p
}

func TestTopInTerminal(t *testing.T) {
	p := withSessions(t, "web", "app")
	d := p.start(t).ready()
	s := p.inTerminal(t, 120, 20, "top", "--since=all", "--url="+d.address, "--interval=100ms")
	s.shows("2 live  2 shown  by age", "today ", " web ", " app ", "opus-4-6", "25%", "TOOLS")
	s.types("c")
	s.shows("by cost")
	s.types("i")
	s.shows("by cost (inverted)")
	s.resize(40, 10)
	s.shows("sort: a c t x r e p")
	polltest.Eventually(t, "the columns fit", func() bool { return !strings.Contains(s.text(), "TOOLS") && strings.Contains(s.text(), "COST") })
	s.resize(120, 20)
	s.shows("TOOLS")
	more := p.newSession(t, "lib")
	more.session = uuid(9)
	more.path = strings.ReplaceAll(more.path, uuid(1), more.session)
	appendFile(t, more.path, more.prompt("go")+more.call("m9", "Bash"))
	s.shows(" lib ", "3 live")
	s.types("q")
	s.ends(0)
}

// Signals end the program, and it restores the terminal.
func TestTopSignals(t *testing.T) {
	p := withSessions(t, "web")
	d := p.start(t).ready()
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		s := p.inTerminal(t, 80, 24, "top", "--since=all", "--url="+d.address)
		s.shows(" web ")
		s.signal(signal)
		s.ends(0)
	}
	s := p.inTerminal(t, 80, 24, "top", "--since=all", "--url="+d.address)
	s.shows(" web ")
	s.types("\x03") // Ctrl-C
	s.ends(0)
}

// While the daemon does not respond, its last data stay with a notice.
func TestTopOutlivesDaemon(t *testing.T) {
	p := withSessions(t, "web")
	d := p.start(t).ready()
	to, err := url.Parse("http://" + d.address)
	if err != nil {
		t.Fatal(err)
	}
	var away atomic.Bool
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	defer server.Close()
	s := p.inTerminal(t, 80, 24, "top", "--since=all", "--url="+server.URL, "--interval=100ms")
	s.shows(" web ")
	away.Store(true)
	s.shows("No answer for ", " web ")
	away.Store(false)
	polltest.Eventually(t, "the notice is gone", func() bool { return !strings.Contains(s.text(), "No answer") })
	s.shows(" web ")
	s.types("\x1b")
	s.ends(0)
}

// Names from files cannot send commands to the terminal.
func TestTopEscapes(t *testing.T) {
	p := newSandbox(t)
	s := p.newSession(t, "evil")
	lines := strings.ReplaceAll(s.prompt("go")+s.call("m1", "Bash"), "/home/dev/evil", `/home/dev/\u001b[2J\u009b31m\u202egnp\u200b`)
	appendFile(t, s.path, lines)
	d := p.start(t).ready()
	screen := p.inTerminal(t, 120, 10, "top", "--since=all", "--url="+d.address)
	screen.shows("1 shown")
	screen.types("q")
	screen.ends(0)
	stdout, _, code := p.run(t, "top", "--once", "--since=all", "--url="+d.address)
	if raw := screen.raw.String() + stdout; code != 0 || strings.ContainsAny(raw, "\u009b\u202e\u200b") || strings.Contains(raw, "\x1b[2J") {
		t.Errorf("code %d, got %q", code, raw)
	}
	if strings.ContainsFunc(strings.ReplaceAll(stdout, "\n", ""), unicode.IsControl) {
		t.Errorf("got control characters in %q", stdout)
	}
}

// $NO_COLOR is respected.
func TestTopColors(t *testing.T) {
	p := withSessions(t, "web")
	d := p.start(t).ready()
	for value, colored := range map[string]bool{"": true, "1": false} {
		s := p.with("NO_COLOR="+value).inTerminal(t, 80, 24, "top", "--since=all", "--url="+d.address)
		s.shows(" web ")
		s.types("q")
		s.ends(0)
		if got := strings.Contains(s.raw.String(), "\x1b[32m") || strings.Contains(s.raw.String(), "\x1b[38;5;2m"); got != colored {
			t.Errorf("NO_COLOR=%s: got colors: %v, want %v: %q", value, got, colored, s.raw.String())
		}
	}
}

// Without a daemon, the error states how to start one, before the terminal changes.
func TestTopWithoutDaemon(t *testing.T) {
	p := newSandbox(t)
	s := p.inTerminal(t, 80, 24, "top", "--web.listen-address=127.0.0.1:1")
	s.ends(1)
	if !strings.Contains(s.log.String(), `no daemon answers at http://127.0.0.1:1: connection refused: start it with "ccwatchd"`) || strings.Contains(s.raw.String(), "\x1b") {
		t.Errorf("got %q and %q", s.log.String(), s.raw.String())
	}
}
