package top

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v3/vt"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// An emulator is a terminal of a test.
type emulator struct {
	vt.MockTerm
	t *testing.T
}

// run runs the program in an emulator.
func run(ctx context.Context, t *testing.T, source Source) (e *emulator, ended chan error) {
	t.Helper()
	e, ended = &emulator{vt.NewMockTerm(vt.MockOptSize{X: 80, Y: 10}), t}, make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{Source: source, Interval: time.Millisecond, Terminal: e})
	}()
	return e, ended
}

// shows waits until a line of the screen contains a text.
func (e *emulator) shows(text string) {
	e.t.Helper()
	polltest.Eventually(e.t, "the screen shows "+text, func() bool {
		for y := range vt.Row(10) {
			var b strings.Builder
			for x := range vt.Col(80) {
				b.WriteString(e.GetCell(vt.Coord{X: x, Y: y}).C)
			}
			if strings.Contains(b.String(), text) {
				return true
			}
		}
		return false
	})
}

// wait returns the result of the program.
func wait(t *testing.T, ended <-chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(polltest.Timeout):
		t.Fatal("timeout")
		return nil
	}
}

// The screen shows the newest data, and after an error the last data with the error.
func TestRun(t *testing.T) {
	answers := make(chan result)
	e, ended := run(t.Context(), t, func(ctx context.Context) (Data, error) {
		select {
		case r := <-answers:
			return r.data, r.err
		case <-ctx.Done():
			return Data{}, ctx.Err()
		}
	})
	answers <- result{data: sample()}
	e.shows("2 live")
	e.shows("a-project")
	other := sample()
	other.Live = 7
	answers <- result{data: other}
	e.shows("7 live")
	answers <- result{err: errors.New("gone")}
	e.shows("No answer for ")
	e.shows("s: gone")
	e.shows("7 live")
	answers <- result{data: sample()}
	e.shows("2 live")
	for key, text := range map[string]string{"e": "by errors", "p": "by project"} {
		e.SendRaw([]byte(key))
		e.shows(text)
	}
	e.SendRaw([]byte("q"))
	if err := wait(t, ended); err != nil {
		t.Error(err)
	}
}

// An error of the first request ends the program before it changes the terminal. Later
// only the end of the context ends it, also during a request.
func TestRunEnds(t *testing.T) {
	gone := errors.New("gone")
	_, ended := run(t.Context(), t, func(context.Context) (Data, error) { return Data{}, gone })
	if err := wait(t, ended); !errors.Is(err, gone) {
		t.Errorf("got %v, want %v", err, gone)
	}
	ctx, cancel := context.WithCancel(t.Context())
	requests := 0
	e, ended := run(ctx, t, func(ctx context.Context) (Data, error) {
		if requests++; requests > 1 {
			<-ctx.Done()
		}
		return sample(), ctx.Err()
	})
	e.shows("2 live")
	cancel()
	if err := wait(t, ended); err != nil {
		t.Error(err)
	}
}
