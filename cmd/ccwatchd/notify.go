package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"

	"github.com/ccwatchd/ccwatchd/metrics"
)

const (
	// tellEvery is how often the manager of services is told how it goes, if it
	// does not want to hear of it more often.
	tellEvery = 10 * time.Second
	// moreTime is for how long a start may go on without a word.
	moreTime = 3 * time.Minute
)

// A followed is what a notifier tells of.
type followed interface {
	Ready() bool
	Progress() metrics.Progress
	Summary() metrics.Summary
	Reload(context.Context) error
}

// A notifier tells systemd, or whoever else listens at $NOTIFY_SOCKET, how the
// daemon fares: that it gets on with the start, that it is ready, and from then
// on that it is alive. It says nothing where nobody listens.
type notifier struct {
	followed // once there is one; all but making a notifier waits for that

	send  func(state string) error
	now   func() time.Time
	every time.Duration

	told  time.Time // when alive said something last
	ready bool      // and that was not only that it gets on
}

// newNotifier returns one that tells often enough for the watchdog, if one
// watches.
func newNotifier(log *slog.Logger) *notifier {
	n := &notifier{now: time.Now, every: tellEvery}
	if patience, err := sd.SdWatchdogEnabled(false); err != nil {
		log.Warn("Failed to find out how often to tell the service manager of being alive", "err", err)
	} else if patience > 0 {
		n.every = min(n.every, patience/3)
	}
	n.send = func(state string) error {
		_, err := sd.SdNotify(false, state)
		return err
	}
	return n
}

// alive is called by the goroutine that reads and counts, and by no other: a
// watchdog that is fed from elsewhere would not see it hang.
func (n *notifier) alive() {
	ready := n.Ready()
	if ready == n.ready && n.now().Sub(n.told) < n.every {
		return
	}
	switch {
	case !ready:
		n.tell(fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", moreTime.Microseconds()), n.progress())
	case !n.ready:
		n.tell(sd.SdNotifyReady, n.summary())
	default:
		n.tell(sd.SdNotifyWatchdog, n.summary())
	}
	n.told, n.ready = n.now(), ready
}

// Reload has the daemon read its configuration again.
func (n *notifier) Reload(ctx context.Context) error {
	if !n.Ready() { // the end of it must not be taken for that of the start
		return n.followed.Reload(ctx)
	}
	n.tell(sd.SdNotifyReloading, sd.SdNotifyMonotonicUsec()+"STATUS=Reloading the configuration")
	err := n.followed.Reload(ctx)
	n.tell(sd.SdNotifyReady, n.summary())
	return err
}

// stopping tells that it ends.
func (n *notifier) stopping() { n.tell(sd.SdNotifyStopping, "STATUS=Stopping") }

func (n *notifier) progress() string {
	p := n.Progress()
	return fmt.Sprintf("STATUS=Catching up: %d of %d files, %d %%", p.Files, p.FilesTotal, p.Percent())
}

func (n *notifier) summary() string {
	s := n.Summary()
	return fmt.Sprintf("STATUS=Files: %d, sessions: %d", s.Files, s.Sessions)
}

// tell sends a message. That it does not arrive is no reason to end: whoever
// waits for it will say so.
func (n *notifier) tell(state, status string) { _ = n.send(state + "\n" + status) }
