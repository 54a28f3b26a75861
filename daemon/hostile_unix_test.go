//go:build unix

package daemon

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unlike makes things named like sessions that are none, and beside each other what
// they lead to. It returns what a reader must not see: the sessions in files that
// only links lead to.
func (w *world) unlike(dir string) {
	w.Helper()
	in := func(name string) string { return w.path(dir + "/" + name) }
	outside := w.TempDir()
	secret := filepath.Join(outside, "secret.jsonl")
	must := func(err error) {
		w.Helper()
		if err != nil {
			w.Fatal(err)
		}
	}
	must(os.MkdirAll(in("directory.jsonl"), 0o700))
	must(os.WriteFile(secret, []byte(said("outside", 1)), 0o600))
	must(os.WriteFile(in("inside.txt"), []byte(said("inside", 1)), 0o600))
	must(os.Symlink(secret, in("to-a-file-outside.jsonl")))
	must(os.Symlink("inside.txt", in("to-a-file-inside.jsonl")))
	must(os.Symlink(outside, in("to-a-directory-outside")))
	must(os.Symlink(outside, in("to-a-directory-outside.jsonl")))
	must(os.Symlink("..", in("upwards")))
	must(os.Symlink("loop.jsonl", in("loop.jsonl")))
	must(os.Symlink("nowhere", in("dangling.jsonl")))
	must(os.Symlink("/proc/self/mem", in("memory.jsonl")))
	must(os.Symlink("/dev/zero", in("zero.jsonl")))
	makeFIFO(w, in("fifo.jsonl"))
	makeFIFO(w, in("fifo-written.jsonl"))
	pipe, err := os.OpenFile(in("fifo-written.jsonl"), os.O_RDWR, 0)
	must(err)
	w.Cleanup(func() { _ = pipe.Close() })
	_, err = pipe.WriteString(said("fifo", 1))
	must(err)
	// A socket's name must be short, so it is made by a name from within.
	listener, err := new(net.ListenConfig).Listen(w.Context(), "unix", filepath.Join(outside, "s"))
	must(err)
	w.Cleanup(func() { _ = listener.Close() })
	must(os.Rename(filepath.Join(outside, "s"), in("socket.jsonl")))
	w.devices(in("zero-device.jsonl"), in("full-device.jsonl"))
}

// What is named like a session and is no regular file is neither read nor waited
// for: at the start, while the daemon watches, and where it polls.
func TestThingsThatAreNoFiles(t *testing.T) {
	t.Parallel()
	for _, watches := range []int{1000, -1} {
		for when, makes := range map[string]func(*world){
			"before": func(w *world) { w.unlike("p"); w.start() },
			"while":  func(w *world) { w.start(); w.exactly(nil); w.unlike("p") },
		} {
			t.Run(fmt.Sprintf("%s/watches=%d", when, watches), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.settings.MaxWatches = watches
				w.write("p/a.txt", "")
				makes(w)
				want := w.harmless()
				w.exactly(want)
				w.rescanned(1)
				got := w.exactly(want)
				if read := uint64(len(said("harmless", 2))); got[readBytes] != read || w.files() != 1 {
					t.Errorf("%d bytes of %d files are read, want %d of 1", got[readBytes], w.files(), read)
				}
				if n := w.metric("ccwatchd_unreadable_files"); n != 0 {
					t.Errorf("%v files are said to be unreadable", n)
				}
			})
		}
	}
}

// Whatever bytes a name is made of, what is in the file counts, and what is made
// of the name of a directory is fit to be shown.
func TestOddNames(t *testing.T) {
	t.Parallel()
	names := map[string]string{ // by what it is shown as
		strings.Repeat("n", 128): strings.Repeat("n", 255-len(".jsonl")),
		strings.Repeat("é", 64):  strings.Repeat("é", 124),
		"a\ufffd\ufffdb":         "a\xff\xfeb",
		"twolines":               "two\nlines",
		`x"} 1`:                  "x\"} 1\r\n",
		"[31mred":                "\x1b[31mred\x07\x01\x7f",
		`back\slash`:             `back\slash`,
		"{a=\"b\"}":              "{a=\"b\"}",
		"\u202egnp.exe":          "\u202egnp.exe",
		" ":                      " ",
		"-rf *":                  "-rf *",
		"%s%n$(x)`x`":            "%s%n$(x)`x`",
		"\ufffd":                 "\xed\xa0\x80"[:1],
		"caf\u00e9":              "caf\u00e9",
		"cafe\u0301":             "cafe\u0301",
	}
	w := newHostileWorld(t)
	log := &lockedBuffer{}
	w.log = log
	want := w.harmless()
	half := len(names) / 2 // of them are there at the start, the others come later
	i := 0
	for shown, name := range names {
		i++
		if i == half {
			w.start()
			w.totals()
		}
		// The directory named in a line is what makes the label; what is no UTF-8
		// stands in it as it is.
		line := fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":"s%d","cwd":"/home/%s","timestamp":"2026-03-01T10:00:00.000Z","message":{"content":"text %d"}}`,
			i, i, inJSON(name), i)
		w.write(name+"/"+name+".jsonl", line+"\n")
		want[fmt.Sprintf(`claude_prompts_total{kind="text",project=%q}`, shown)] = 1
		want[fmt.Sprintf(`claude_sessions_total{project=%q}`, shown)] = 1
	}
	w.exactly(want)
	if n := w.files(); n != len(names)+1 {
		t.Errorf("%d files are known, want %d", n, len(names)+1)
	}
	for shown := range names {
		if got, _ := w.exposed().Sum("claude_prompts_total", "project", shown); got != 1 {
			t.Errorf("%q is shown with %v prompts", shown, got)
		}
	}
	w.restart()
	w.exactly(want)
	w.halt()
	for line := range strings.Lines(log.String()) {
		if !strings.HasPrefix(line, "time=") {
			t.Errorf("a line of the log was written by a name: %q", line)
		}
	}
}

// inJSON writes a text into a string of JSON, with the bytes that need no escape as
// they are.
func inJSON(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c == '"' || c == '\\' || c < ' ' {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
