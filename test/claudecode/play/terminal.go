package play

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

// A terminal runs a program and keeps all that it shows.
type terminal struct {
	file *os.File
	cmd  *exec.Cmd

	mu      sync.Mutex
	shown   []byte
	seen    int       // of shown, when something was typed last
	changed time.Time // when more than a cursor was shown last
	ended   chan struct{}
}

// A program that queries the terminal's state waits for these answers.
var answers = map[string]string{"\x1b[6n": "\x1b[1;1R", "\x1b[c": "\x1b[?62c", "\x1b[?u": "\x1b[?0u"}

// small is the length of the text of a spinner or a cursor.
const small = 20

// read reads the program's output until it ends.
func (t *terminal) read() {
	defer close(t.ended)
	buffer := make([]byte, 1<<16)
	for {
		n, err := t.file.Read(buffer)
		if err != nil {
			return // the program ended
		}
		for request, answer := range answers {
			if bytes.Contains(buffer[:n], []byte(request)) {
				_, _ = t.file.WriteString(answer)
			}
		}
		t.mu.Lock()
		t.shown = append(t.shown, buffer[:n]...)
		if len(squeeze(buffer[:n])) > small {
			t.changed = time.Now()
		}
		t.mu.Unlock()
	}
}

func (t *terminal) write(text string) error {
	t.mu.Lock()
	t.seen, t.changed = len(t.shown), time.Now()
	t.mu.Unlock()
	if _, err := t.file.WriteString(text); err != nil {
		return fmt.Errorf("type on the terminal: %w", err)
	}
	return nil
}

// quiet reports whether something was shown, and nothing but small changes for so long.
func (t *terminal) quiet(d time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.changed.IsZero() && time.Since(t.changed) >= d
}

// shows reports whether a text was shown since something was typed last. Spaces do not
// count: programs move the cursor instead.
func (t *terminal) shows(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Contains(squeeze(t.shown[t.seen:]), squeeze([]byte(text)))
}

func (t *terminal) output() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.shown)
}

// text returns all that was shown, without spaces.
func (t *terminal) text() string { return squeeze(t.output()) }

var escape = regexp.MustCompile(`\x1b(\[[0-9;?<>=]*[a-zA-Z]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|.)`)

func squeeze(b []byte) string {
	return strings.Join(strings.Fields(string(escape.ReplaceAll(b, nil))), "")
}

// end waits for the program, or ends it as people do, by pressing Ctrl-C twice.
func (t *terminal) end(ctx context.Context) error {
	defer t.file.Close() //nolint:errcheck // read to its end
	for _, patience := range []time.Duration{3 * time.Second, 3 * time.Second} {
		select {
		case <-t.ended:
			return t.cmd.Wait()
		case <-ctx.Done():
		case <-time.After(patience):
		}
		_ = t.write(keys["ctrl-c"])
		_ = wait(ctx, "", func() bool { return t.quiet(300 * time.Millisecond) })
		_ = t.write(keys["ctrl-c"])
	}
	select {
	case <-t.ended:
		return t.cmd.Wait()
	case <-time.After(3 * time.Second):
		_ = t.cmd.Process.Kill()
		_ = t.cmd.Wait()
		return fmt.Errorf("it did not end; the screen: %s", tail(t.text(), 300))
	}
}
