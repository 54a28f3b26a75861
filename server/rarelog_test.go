package server

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// newRareLog returns a logger and what it logs.
func newRareLog() (*slog.Logger, *polltest.Buffer) {
	logged := new(polltest.Buffer)
	return slog.New(NewRareHandler(slog.NewTextHandler(logged, nil))), logged
}

// Of each source and reason, one warning a minute is logged, with the number of
// suppressed warnings; other messages are not delayed.
func TestRareHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, logged := newRareLog()
		checkLines := func(want int, has ...string) {
			t.Helper()
			got := logged.String()
			if strings.Count(got, "\n") != want {
				t.Errorf("got %d lines, want %d:\n%.3000s", strings.Count(got, "\n"), want, got)
			}
			for _, text := range has {
				if !strings.Contains(got, text) {
					t.Errorf("the log lacks %q:\n%.3000s", text, got)
				}
			}
		}
		unreadable := func(root string, n int, reason error) {
			for i := range n {
				l.With("component", "follow").Warn("Failed to read a file", "root", root, "n", i,
					"err", fmt.Errorf("read: %w", &fs.PathError{Op: "open", Path: fmt.Sprintf("/state/journal-%d", i), Err: reason}))
			}
		}
		unreadable("/home/ann", 23_500, syscall.EACCES)
		checkLines(1)
		unreadable("/home/ann", 10, syscall.EIO)
		unreadable("/home/bob", 1, syscall.EACCES)
		for range 3 {
			l.Info("Reloaded")
		}
		checkLines(6)
		<-time.After(logInterval + time.Second)
		checkLines(8, "suppressed=23499", "suppressed=9", "n=23499")
		unreadable("/home/ann", 5, syscall.EACCES) // within the next minute
		unreadable("/home/bob", 1, syscall.EACCES) // its minute has ended without another
		checkLines(9)
		<-time.After(logInterval + time.Second)
		checkLines(10, "suppressed=5")
		<-time.After(time.Hour)
		checkLines(10)
	})
}

// A failing disk is one reason, whichever file of the journal it refuses.
func TestFailingSyncIsRare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, logged := newRareLog()
		for i := range 600 {
			l.Error("Failed to sync the journal", "err", fmt.Errorf("sync journal: %w", &fs.PathError{
				Op: "sync", Path: fmt.Sprintf("/state/journal-%d", i), Err: syscall.EIO,
			}))
			<-time.After(999 * time.Millisecond)
		}
		if n := strings.Count(logged.String(), "\n"); n != 10 || strings.Count(logged.String(), "suppressed=60") == 0 {
			t.Errorf("got %d lines in ten minutes:\n%s", n, logged.String())
		}
		<-time.After(3 * time.Minute)
	})
}

// The memory for sources and reasons has a limit, and so have the lines.
func TestManyReasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, logged := newRareLog()
		for i := range 10 * maxRareKeys {
			l.Warn("Refused", "name", fmt.Sprint(i), "err", errors.New(fmt.Sprint(i)))
		}
		if n := strings.Count(logged.String(), "\n"); n != maxRareKeys+1 {
			t.Errorf("got %d lines", n)
		}
		<-time.After(3 * time.Minute)
		if n := strings.Count(logged.String(), "\n"); n != maxRareKeys+2 {
			t.Errorf("got %d lines after the interval", n)
		}
	})
}

// Strangers cannot fill the log with TLS handshakes.
func TestFailedHandshakes(t *testing.T) {
	l, logged := newRareLog()
	s := &Server{Config: config(nil), Logger: l, OnListen: func(net.Addr) {}}
	server := httptest.NewUnstartedServer(nil)
	server.Config = s.server(http.NotFoundHandler(), defaultLimits())
	handled := make(chan struct{}, 1)
	server.Config.ErrorLog = log.New(counted{server.Config.ErrorLog.Writer(), handled}, "", 0)
	server.StartTLS()
	defer server.Close()
	for range 50 {
		conn := dial(t, server.Listener.Addr().String(), "GET /stranger HTTP/1.1\r\n\r\n")
		<-handled
		_ = conn.Close()
	}
	got := logged.String()
	if strings.Count(got, "\n") != 1 || !strings.Contains(got, `source="web server" kind="http: TLS handshake error"`) || strings.Contains(got, "127.0.0.1") {
		t.Errorf("got log %s", got)
	}
}

// counted is a writer that reports each call.
type counted struct {
	to interface {
		Write(b []byte) (int, error)
	}
	written chan struct{}
}

func (c counted) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.written <- struct{}{}
	return n, err
}

// A message of the standard library is logged without its text, which is at debug level
// only, and never there if it is what a server sends.
func TestStandardLog(t *testing.T) {
	for text, want := range map[string]string{
		"http: panic serving 1.2.3.4:5: canary":                                              `level=ERROR msg="The standard library reports a problem" source=x kind="http: panic serving"`,
		`Unsolicited response received on idle HTTP channel starting with "canary"; err=EOF`: `level=WARN msg="The standard library reports a problem" source=x kind="Unsolicited response received on idle HTTP channel"`,
		"canary": `level=WARN msg="The standard library reports a problem" source=x kind=other`,
	} {
		var plain, debug bytes.Buffer
		log.New(StandardLog{slog.New(slog.NewTextHandler(&plain, nil)), "x"}, "", 0).Print(text)
		log.New(StandardLog{slog.New(slog.NewTextHandler(&debug, &slog.HandlerOptions{Level: slog.LevelDebug})), "x"}, "", 0).Print(text)
		if got := plain.String(); !strings.HasSuffix(got, want+"\n") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: got %s", text, got)
		}
		if got := strings.Contains(debug.String(), "canary"); got == strings.HasPrefix(text, unsolicited) {
			t.Errorf("%s: got at debug level %s", text, &debug)
		}
	}
}
