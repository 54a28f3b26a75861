package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/metrics"
)

// A fakeDaemon is what a notifier tells of.
type fakeDaemon struct {
	ready  bool
	failed error
}

func (d *fakeDaemon) Ready() bool { return d.ready }
func (*fakeDaemon) Progress() metrics.Progress {
	return metrics.Progress{Files: 3, FilesTotal: 12, Bytes: 1, BytesTotal: 4}
}
func (*fakeDaemon) Summary() metrics.Summary       { return metrics.Summary{Files: 12, Sessions: 7} }
func (d *fakeDaemon) Reload(context.Context) error { return d.failed }

func TestNotifier(t *testing.T) {
	const (
		starting  = "EXTEND_TIMEOUT_USEC=180000000\nSTATUS=Catching up: 3 of 12 files, 25 %"
		ready     = "READY=1\nSTATUS=Files: 12, sessions: 7"
		alive     = "WATCHDOG=1\nSTATUS=Files: 12, sessions: 7"
		reloading = "RELOADING=1\nSTATUS=Reloading the configuration"
	)
	d := &fakeDaemon{}
	now := time.Unix(1_000_000, 0)
	var said []string
	n := &notifier{followed: d, every: 10 * time.Second, now: func() time.Time { return now }, send: func(state string) error {
		said = append(said, monotonic.ReplaceAllString(state, ""))
		return errors.New("nobody listens")
	}}
	for _, step := range []struct {
		what string
		do   func()
		want []string
	}{
		{"first sign", n.alive, []string{starting}},
		{"too soon", n.alive, nil},
		{"later", func() { now = now.Add(10 * time.Second); n.alive() }, []string{starting}},
		{"reload before it is ready", func() { _ = n.Reload(t.Context()) }, nil},
		{"ready", func() { d.ready = true; n.alive() }, []string{ready}},
		{"right after", n.alive, nil},
		{"almost", func() { now = now.Add(10*time.Second - 1); n.alive() }, nil},
		{"alive", func() { now = now.Add(1); n.alive() }, []string{alive}},
		{"reload", func() { _ = n.Reload(t.Context()) }, []string{reloading, ready}},
		{"reload that fails", func() { d.failed = errors.New("bad"); _ = n.Reload(t.Context()) }, []string{reloading, ready}},
		{"stopping", n.stopping, []string{"STOPPING=1\nSTATUS=Stopping"}},
	} {
		said = nil
		step.do()
		if !slices.Equal(said, step.want) {
			t.Errorf("%s: it says %q, want %q", step.what, said, step.want)
		}
	}
	if err := n.Reload(t.Context()); !errors.Is(err, d.failed) {
		t.Errorf("a reload that fails returns %v", err)
	}
}

var monotonic = regexp.MustCompile(`MONOTONIC_USEC=\d+\n`)

func TestNotifierIsAsFastAsTheWatchdogWants(t *testing.T) {
	for _, test := range []struct {
		usec string
		want time.Duration
	}{
		{"", tellEvery},
		{"3000000", time.Second},
		{"180000000", tellEvery},
		{"soon", tellEvery},
	} {
		t.Setenv("WATCHDOG_USEC", test.usec)
		if n := newNotifier(slog.New(slog.DiscardHandler)); n.every != test.want {
			t.Errorf("WATCHDOG_USEC=%s: it tells every %v, want %v", test.usec, n.every, test.want)
		}
	}
}

// The life of a daemon as the manager of services hears of it.
func TestServiceManagerIsTold(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such sockets there")
	}
	t.Parallel()
	var (
		mu   sync.Mutex
		said []string
	)
	address := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "notify"), Net: "unixgram"}
	socket, err := net.ListenUnixgram(address.Net, address)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close() //nolint:errcheck // of the test
	go func() {
		for b := make([]byte, 4096); ; {
			size, err := socket.Read(b)
			if err != nil {
				return
			}
			mu.Lock()
			said = append(said, string(b[:size]))
			mu.Unlock()
		}
	}()
	heard := func(what string) {
		t.Helper()
		eventually(t, "it says "+what, func() bool {
			mu.Lock()
			defer mu.Unlock()
			at := slices.IndexFunc(said, func(s string) bool { return strings.HasPrefix(s, what+"\n") })
			if at >= 0 {
				said = said[at+1:]
			}
			return at >= 0
		})
	}

	p := newPlace(t)
	p.configure(t, "intervals: {message_timeout: 1s}\n") // something is due often
	d := p.launchIn(t, []string{"NOTIFY_SOCKET=" + address.Name, "WATCHDOG_USEC=100000"})
	heard("EXTEND_TIMEOUT_USEC=180000000")
	heard("READY=1")
	d.listens().ready()
	heard("WATCHDOG=1")
	heard("WATCHDOG=1")
	d.signal(syscall.SIGHUP)
	heard("RELOADING=1")
	heard("READY=1")
	d.stop()
	heard("STOPPING=1")
}
