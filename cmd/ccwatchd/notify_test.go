package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/status"
)

// A fakeDaemon is a statusSource.
type fakeDaemon struct {
	ready  bool
	failed error
}

func (d *fakeDaemon) Ready() bool { return d.ready }
func (*fakeDaemon) Progress() status.Progress {
	return status.Progress{Files: 3, FilesTotal: 12, Bytes: 1, BytesTotal: 4}
}
func (*fakeDaemon) Summary() status.Summary        { return status.Summary{Files: 12, Sessions: 7} }
func (d *fakeDaemon) Reload(context.Context) error { return d.failed }

func TestNotifier(t *testing.T) {
	const (
		starting  = "EXTEND_TIMEOUT_USEC=180000000\nSTATUS=Catching up: 3 of 12 files, 25 %"
		ready     = "READY=1\nSTATUS=Files: 12, sessions: 7"
		alive     = "WATCHDOG=1\nSTATUS=Files: 12, sessions: 7"
		reloading = "RELOADING=1\nSTATUS=Reloading the configuration"
	)
	monotonic := regexp.MustCompile(`MONOTONIC_USEC=\d+\n`)
	d := &fakeDaemon{}
	now := time.Unix(1_000_000, 0)
	var sent []string
	n := &notifier{source: d, every: 10 * time.Second, now: func() time.Time { return now }, send: func(state string) error {
		sent = append(sent, monotonic.ReplaceAllString(state, ""))
		return errors.New("no listener")
	}}
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"first call", n.alive, []string{starting}},
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
		sent = nil
		step.do()
		if !slices.Equal(sent, step.want) {
			t.Errorf("%s: got %q, want %q", step.name, sent, step.want)
		}
	}
	if err := n.Reload(t.Context()); !errors.Is(err, d.failed) {
		t.Errorf("a reload that fails returns %v", err)
	}
}

func TestNotifierInterval(t *testing.T) {
	for watchdog, want := range map[string]time.Duration{
		"": notifyInterval, "3000000": time.Second, "180000000": notifyInterval, "soon": notifyInterval,
	} {
		t.Setenv("WATCHDOG_USEC", watchdog)
		if n := newNotifier(slog.New(slog.DiscardHandler)); n.every != want {
			t.Errorf("WATCHDOG_USEC=%s: got an interval of %v, want %v", watchdog, n.every, want)
		}
	}
}

// A daemon notifies systemd from its start to its end.
func TestDaemonNotifies(t *testing.T) {
	skipOnWindows(t)
	t.Parallel()
	address := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "notify"), Net: "unixgram"}
	socket, err := net.ListenUnixgram(address.Net, address)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close() //nolint:errcheck // of the test
	received := make(chan string, 10_000)
	go func() {
		for b := make([]byte, 4096); ; {
			size, err := socket.Read(b)
			if err != nil {
				return
			}
			received <- string(b[:size])
		}
	}()
	receives := func(state string) {
		t.Helper()
		for deadline := time.After(timeout); ; {
			select {
			case got := <-received:
				if strings.HasPrefix(got, state+"\n") {
					return
				}
			case <-deadline:
				t.Fatalf("timeout after %v, waiting for %s", timeout, state)
			}
		}
	}

	p := newRaceSandbox(t)
	p.configure(t, "intervals: {message_timeout: 1s}\n") // makes the daemon wake up often
	d := p.with("NOTIFY_SOCKET="+address.Name, "WATCHDOG_USEC=100000").daemon(t).run()
	receives("EXTEND_TIMEOUT_USEC=180000000")
	receives("READY=1")
	d.listens().ready()
	receives("WATCHDOG=1")
	receives("WATCHDOG=1")
	d.signal(syscall.SIGHUP)
	receives("RELOADING=1")
	receives("READY=1")
	d.stop()
	receives("STOPPING=1")
}
