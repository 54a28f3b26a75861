package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"

	"github.com/ccwatchd/ccwatchd/internal/status"
)

const (
	// notifyInterval is the longest time between two messages.
	notifyInterval = 10 * time.Second
	// startExtension is the time that each message adds to the start timeout.
	startExtension = 3 * time.Minute
)

// A statusSource is the daemon that a notifier reports on.
type statusSource interface {
	Ready() bool
	Progress() status.Progress
	Summary() status.Summary
	Reload(context.Context) error
}

// A notifier reports the state of the daemon to systemd at $NOTIFY_SOCKET: progress
// during the start, then readiness and watchdog messages. Without $NOTIFY_SOCKET it
// does nothing.
type notifier struct {
	source statusSource // set before the methods are called

	send  func(state string) error
	now   func() time.Time
	every time.Duration

	sent  time.Time // when alive last sent a message
	ready bool      // value of Ready in the last message
}

// newNotifier returns a notifier. If the watchdog is enabled, the interval is short
// enough for it.
func newNotifier(log *slog.Logger) *notifier {
	n := &notifier{now: time.Now, every: notifyInterval}
	if timeout, err := sd.SdWatchdogEnabled(false); err != nil {
		log.Warn("Failed to read the watchdog timeout of the service manager", "err", err)
	} else if timeout > 0 {
		n.every = min(n.every, timeout/3)
	}
	n.send = func(state string) error {
		_, err := sd.SdNotify(false, state)
		return err
	}
	return n
}

// alive must only be called by the goroutine that reads and counts, so that the
// watchdog notices if this goroutine hangs.
func (n *notifier) alive() {
	ready := n.source.Ready()
	if ready == n.ready && n.now().Sub(n.sent) < n.every {
		return
	}
	switch {
	case !ready:
		n.notify(fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", startExtension.Microseconds()), n.progress())
	case !n.ready:
		n.notify(sd.SdNotifyReady, n.summary())
	default:
		n.notify(sd.SdNotifyWatchdog, n.summary())
	}
	n.sent, n.ready = n.now(), ready
}

// Reload makes the daemon reload its configuration.
func (n *notifier) Reload(ctx context.Context) error {
	if !n.source.Ready() { // systemd would take the end of the reload for readiness
		return n.source.Reload(ctx)
	}
	n.notify(sd.SdNotifyReloading, sd.SdNotifyMonotonicUsec()+"STATUS=Reloading the configuration")
	err := n.source.Reload(ctx)
	n.notify(sd.SdNotifyReady, n.summary())
	return err
}

func (n *notifier) stopping() { n.notify(sd.SdNotifyStopping, "STATUS=Stopping") }

func (n *notifier) progress() string {
	p := n.source.Progress()
	return fmt.Sprintf("STATUS=Catching up: %d of %d files, %d %%", p.Files, p.FilesTotal, p.Percent())
}

func (n *notifier) summary() string {
	s := n.source.Summary()
	return fmt.Sprintf("STATUS=Files: %d, sessions: %d", s.Files, s.Sessions)
}

// notify sends a message. An error is ignored: the service manager notices a missing
// message.
func (n *notifier) notify(state, text string) { _ = n.send(state + "\n" + text) }
