package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// echo answers requests of remote write, and then sends their headers back. It returns
// its address.
func echo(t *testing.T, answered chan<- struct{}) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = fmt.Fprintf(c, "HTTP/1.1 204 No Content\r\n\r\nyou sent %v %s", r.Header, canary)
			}
			answered <- struct{}{}
		}
	}()
	return l.Addr().String()
}

// What a remote-write server sends after its response is not logged, at any level: it
// can be the password of the request. That it happens is logged once a minute.
func TestTalkativeRemoteWriteServer(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"info", "debug"} {
		answered := make(chan struct{}, 100)
		p := newRaceSandbox(t)
		p.configure(t, fmt.Sprintf("remote_write:\n  - url: http://%s/\n    interval: 1s\n    basic_auth: {username: ann, password: hush}\n", echo(t, answered)))
		began := time.Now()
		d := p.start(t, "--log.level="+level).ready()
		for range 3 {
			<-answered
		}
		d.waitForLog("Unsolicited response")
		d.stop()
		got := d.log.String()
		most := 1 + int(time.Since(began)/time.Minute)
		if n := strings.Count(got, "Unsolicited response"); n < 1 || n > most || strings.Contains(got, canary) || strings.Contains(got, "YW5uOmh1c2g") {
			t.Errorf("level %s: got %d lines about it in\n%s", level, n, got)
		}
	}
}

// Names that cannot be opened are one line a minute.
func TestUnreadableNamesAreRare(t *testing.T) {
	skipOnWindows(t)
	if os.Getuid() == 0 {
		t.Skip("root can read every file")
	}
	t.Parallel()
	p := newRaceSandbox(t)
	const files = 300
	for i := range files {
		path := filepath.Join(p.projects(), "app", fmt.Sprint(i, ".jsonl"))
		writeFile(t, path, "{}\n")
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	d := p.start(t).ready()
	polltest.Eventually(t, "all are found unreadable", func() bool {
		_, body, err := d.get("/metrics", plainText)
		return err == nil && strings.Contains(body, fmt.Sprintf("ccwatchd_unreadable_files %d", files))
	})
	if got := d.log.String(); strings.Count(got, "Failed to read a file") != 1 {
		t.Errorf("got log\n%s", got)
	}
	d.stop()
}

// Strangers cannot fill the log of a daemon with TLS.
func TestHandshakesAreRare(t *testing.T) {
	d := newSandbox(t).startWeb(t, newCertificate(t), withTLS)
	for range 50 {
		// Once the server has disconnected, it has logged the failure.
		_, _ = io.Copy(io.Discard, dial(t, d.address, "GET / HTTP/1.1\r\n\r\n"))
	}
	d.waitForLog("TLS handshake error")
	if got := d.log.String(); strings.Count(got, "handshake") != 1 {
		t.Errorf("got log\n%s", got)
	}
}
